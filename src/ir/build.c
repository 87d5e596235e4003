/* build.c - the builder: numbers as operands, broadcasting, and the encodings of what has no op.
 *
 *   operands (nodes and bare numbers) -> numbers typed -> broadcast -> encoded -> uop_make
 *
 * The reader of .uir goes the same way, so that text and C give the same nodes. A build that fails
 * leaves nothing behind, its intermediate nodes included.
 */
#include "ir/ir.h"

#include <math.h>

/* Macros of the public header would get in the way of the functions of those names. */
#undef uop_const
#undef uop_const_like
#undef uop_assert
#undef uop_where
#undef uop_store
#undef uop_range

/* ---- broadcasting ---- */

/* x in the shape dims[0..n): leading 1s by RESHAPE, then EXPAND, each only where it changes it. */
static const uop *broadcast_to(const uop *x, const int64_t *dims, size_t n) {
  uop_ctx *ctx = uopi_ctx_of(x);
  size_t rank = x->shape->len, lead = n - rank;
  int64_t one[UOP_MAX_RANK];
  if (lead) {
    for (size_t i = 0; i < lead; i++) one[i] = 1;
    for (size_t i = 0; i < rank; i++) one[lead + i] = x->shape->at[i];
    x = uop_make(ctx, UOP_RESHAPE, &x, 1, &(uop_arg){.ints = one, .len = n});
    if (!x) return NULL;
  }
  if (!memcmp(x->shape->at, dims, n * sizeof *dims)) return x;
  return uop_make(ctx, UOP_EXPAND, &x, 1, &(uop_arg){.ints = dims, .len = n});
}

const uop *uopi_splat(const uop *x, const uop_tuple *shape) {
  return broadcast_to(x, shape->at, shape->len);
}

/* All of v[0..n), n at most 3, in their common shape. */
static bool broadcast(uop_ctx *ctx, int op, const uop **v, size_t n) {
  size_t rank = 0;
  bool same = true;
  for (size_t i = 0; i < n; i++) {
    if (v[i]->shape->len > rank) rank = v[i]->shape->len;
    same &= v[i]->shape == v[0]->shape;
  }
  if (same) return true;
  int64_t dims[UOP_MAX_RANK];
  for (size_t axis = 0; axis < rank; axis++) { /* counted from the last */
    const uop *sets = NULL;                    /* the operand that decided this axis */
    int64_t d = 1;
    for (size_t i = 0; i < n; i++) {
      const uop_tuple *s = v[i]->shape;
      int64_t e = axis < s->len ? s->at[s->len - 1 - axis] : 1;
      if (e == 1 || e == d) continue;
      if (sets) {
        uopi_error(ctx, UOP_E_SHAPE, op, (int)i, "can't broadcast %p with %p", sets->shape, s);
        return false;
      }
      d = e;
      sets = v[i];
    }
    dims[rank - 1 - axis] = d;
  }
  for (size_t i = 0; i < n; i++)
    if (!(v[i] = broadcast_to(v[i], dims, rank))) return false;
  return true;
}

/* ---- literals: what stands beside them ---- */

static bool wants_same_dtype(int fn) {
  if (fn >= UOP_OP_COUNT) return true;
  return (uop_op_find((uop_op)fn)->sets & UOP_SET_BINARY) || fn == UOP_WHERE || fn == UOP_STACK ||
         fn == UOP_STORE || fn == UOP_ASSERT;
}

/* The dtype that operand i's number takes; VOID: the one it looks like. */
static uop_dtype dtype_beside(uop_ctx *ctx, int fn, const uopi_operand *v, size_t n, size_t i,
                              uop_dtype common) {
  if (fn == UOP_WHERE) return i == 0 ? UOP_VOID : common;
  if (wants_same_dtype(fn)) return common;
  if (fn != UOP_CALL || i == 0 || !v[0].node) return UOP_VOID;
  bool gap;
  uop_code before = ctx->error.code;
  const uopi_signature *s = uopi_signature_of(ctx, v[0].node, &gap);
  if (!s && before == UOP_OK) uop_error_clear(ctx); /* the CALL itself will refuse its body */
  return s && i <= s->n && n ? (uop_dtype)s->param[i - 1]->dtype : UOP_VOID;
}

/* Nodes as they are, numbers as constants. False: an operand is NULL, or a number does not fit. */
static bool resolve(uop_ctx *ctx, int fn, const uopi_operand *v, size_t n, const uop **out) {
  uop_dtype common = UOP_VOID;
  for (size_t i = fn == UOP_WHERE && !UOPI_FAULT(10) ? 1 : 0; i < n; i++)
    if (v[i].node) {
      common = (uop_dtype)v[i].node->dtype;
      break;
    }
  for (size_t i = 0; i < n; i++) {
    out[i] = v[i].node;
    if (out[i] && uopi_ctx_of(out[i]) != ctx) return uopi_foreign(ctx, fn, (int)i);
    if (out[i]) continue;
    uop_dtype d = dtype_beside(ctx, fn, v, n, i, common);
    if (!(out[i] = uopi_literal(ctx, &v[i].lit, d, fn, (int)i))) return false;
  }
  return true;
}

/* ---- encodings ---- */

static const uop *make2(uop_op op, const uop *a, const uop *b) {
  if (!a || !b) return NULL;
  return uop_make(uopi_ctx_of(a), op, (const uop *[]){a, b}, 2, NULL);
}

/* The number v in x's dtype and shape. */
static const uop *like(const uop *x, int v) {
  uopi_lit l = {.kind = UOPI_LIT_INT, .fits = true, .i = v, .f = (float)v};
  const uop *c = uopi_literal(uopi_ctx_of(x), &l, (uop_dtype)x->dtype, UOP_CONST, -1);
  return c ? broadcast_to(c, x->shape->at, x->shape->len) : NULL;
}

static const uop *encode_neg(const uop *x) {
  if (x && x->dtype == UOP_BOOL)
    return uopi_error(uopi_ctx_of(x), UOP_E_DTYPE, -1, 0, "NEG needs a number, got bool (use not)");
  return x ? make2(UOP_MUL, x, x->dtype == UOP_VOID ? x : like(x, -1)) : NULL;
}

static const uop *encode_not(const uop *x) { return x ? make2(UOP_CMPNE, x, like(x, 1)) : NULL; }
static const uop *encode_eq(const uop *a, const uop *b) {
  return encode_not(make2(UOP_CMPNE, a, b));
}

static const uop *encode_ge(const uop *a, const uop *b) {
  if (!uopi_is_float(a->dtype)) return encode_not(make2(UOP_CMPLT, a, b));
  return make2(UOP_MAX, make2(UOP_CMPLT, b, a), encode_eq(a, b)); /* false beside a NaN */
}

static const uop *encode_min(const uop *a, const uop *b) {
  if (a->dtype == UOP_BOOL) return make2(UOP_MUL, a, b);
  if (uopi_is_float(a->dtype)) return encode_neg(make2(UOP_MAX, encode_neg(a), encode_neg(b)));
  const uop *c = make2(UOP_CMPLT, a, b);
  return c ? uop_make(uopi_ctx_of(a), UOP_WHERE, (const uop *[]){c, a, b}, 3, NULL) : NULL;
}

/* and, or, not: of bools only. */
static bool are_bools(uop_ctx *ctx, int fn, const uop *const *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (v[i]->dtype == UOP_BOOL) continue;
    uopi_error(ctx, UOP_E_DTYPE, -1, (int)i, "%s needs a bool, got %t",
               uopi_sugars[fn - UOP_OP_COUNT].name, (int)v[i]->dtype);
    return false;
  }
  return true;
}

static const uop *encode(uop_ctx *ctx, int fn, const uop *const *v) {
  const uop *a = v[0], *b = uopi_sugars[fn - UOP_OP_COUNT].arity > 1 ? v[1] : NULL;
  switch ((uopi_fn)fn) {
  case UOPI_FN_NEG: return encode_neg(a);
  case UOPI_FN_SUB: return make2(UOP_ADD, a, encode_neg(b));
  case UOPI_FN_LT: return make2(UOP_CMPLT, a, b);
  case UOPI_FN_GT: return make2(UOP_CMPLT, b, a);
  case UOPI_FN_NE: return make2(UOP_CMPNE, a, b);
  case UOPI_FN_EQ: return encode_eq(a, b);
  case UOPI_FN_GE: return encode_ge(a, b);
  case UOPI_FN_LE: return encode_ge(b, a);
  case UOPI_FN_MIN: return encode_min(a, b);
  case UOPI_FN_AND: return are_bools(ctx, fn, v, 2) ? make2(UOP_MUL, a, b) : NULL;
  case UOPI_FN_OR: return are_bools(ctx, fn, v, 2) ? make2(UOP_MAX, a, b) : NULL;
  case UOPI_FN_NOT: return are_bools(ctx, fn, v, 1) ? encode_not(a) : NULL;
  case UOPI_FN_RELU: return make2(UOP_MAX, a, a->dtype == UOP_VOID ? a : like(a, 0));
  case UOPI_FN_MOD: return make2(UOP_FLOORMOD, a, b);
  case UOPI_FN_DIV: return make2(UOP_FLOORDIV, a, b);
  default: return NULL;
  }
}

/* ---- the way in ---- */

static bool check_sugar_arity(uop_ctx *ctx, int fn, size_t n) {
  const uopi_sugar *s = &uopi_sugars[fn - UOP_OP_COUNT];
  if (n == s->arity) return true;
  uopi_error(ctx, UOP_E_ARITY, -1, -1, "%s takes %d source%s, got %l", s->name, (int)s->arity,
             s->arity == 1 ? "" : "s", (int64_t)n);
  return false;
}

bool uopi_broadcasts(int fn, size_t n) {
  if (fn >= UOP_OP_COUNT) return true;
  if (fn == UOP_WHERE) return n == 3;
  return n == 2 && (fn == UOP_ASSERT || (uop_op_find((uop_op)fn)->sets & UOP_SET_BINARY));
}

/* No broadcasting of what has no value: the op's own refusal says more. */
static bool all_values(const uop *const *v, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (v[i]->dtype == UOP_VOID) return false;
  return true;
}

static const uop *build(uop_ctx *ctx, int fn, const uopi_operand *v, size_t n, const uop_arg *arg,
                        const uop **nodes) {
  if (fn >= UOP_OP_COUNT && !check_sugar_arity(ctx, fn, n)) return NULL;
  if (!resolve(ctx, fn, v, n, nodes)) return NULL;
  if (uopi_broadcasts(fn, n) && all_values(nodes, n) &&
      !broadcast(ctx, fn < UOP_OP_COUNT ? fn : -1, nodes, n))
    return NULL;
  if (fn < UOP_OP_COUNT) return uop_make(ctx, (uop_op)fn, nodes, n, arg);
  return encode(ctx, fn, nodes);
}

const uop *uopi_build(uop_ctx *ctx, int fn, const uopi_operand *v, size_t n, const uop_arg *arg) {
  const uop *few[8], **nodes = few;
  if (n > UOP_MAX_SRC) return uop_make(ctx, (uop_op)fn, NULL, n, arg); /* refuses */
  if (n > 8 && !(nodes = uopi_realloc(&ctx->mem, NULL, 0, n * sizeof *nodes)))
    return uopi_no_memory(ctx);
  uopi_undo undo = uopi_undo_begin(ctx);
  const uop *u = build(ctx, fn, v, n, arg, nodes);
  if (!u) uopi_undo_all(ctx, undo);
  if (nodes != few) uopi_realloc(&ctx->mem, (void *)nodes, n * sizeof *nodes, 0);
  return u;
}

/* ---- C numbers ---- */

static uopi_lit lit_of_int(uint64_t magnitude, bool negative) {
  uopi_lit l = {.kind = UOPI_LIT_INT, .negative = negative, .magnitude = magnitude};
  l.fits = magnitude <= (uint64_t)INT32_MAX + negative;
  if (l.fits) l.i = (int32_t)(negative ? -(int64_t)magnitude : (int64_t)magnitude);
  l.f = negative ? -(float)magnitude : (float)magnitude; /* one rounding */
  return l;
}

static uopi_lit lit_of(uop_val v) {
  switch (v.kind) {
  case UOP_VAL_INT:
    return lit_of_int(v.as.i < 0 ? 0 - (uint64_t)v.as.i : (uint64_t)v.as.i, v.as.i < 0);
  case UOP_VAL_UINT: return lit_of_int(v.as.u, false);
  case UOP_VAL_FLOAT: {
    uopi_lit l = {.kind = UOPI_LIT_FLOAT, .f = (float)v.as.f};
    l.overflow = isinf(l.f) && !isinf(v.as.f);
    l.rest = ((double)l.f < v.as.f) - ((double)l.f > v.as.f);
    return l;
  }
  default: return (uopi_lit){.kind = UOPI_LIT_BOOL, .b = v.as.b};
  }
}

/* False where v is a NULL node: its error is there already. */
static bool operand_of(uop_val v, uopi_operand *o) {
  if (v.kind == UOP_VAL_NODE) {
    o->node = v.as.node;
    return v.as.node != NULL;
  }
  o->node = NULL;
  o->lit = lit_of(v);
  return true;
}

/* The context comes from the operands: without a node among them there is none to build in. */
static const uop *apply(int fn, const uop_val *v, size_t n) {
  uopi_operand o[3];
  uop_ctx *ctx = NULL;
  for (size_t i = 0; i < n; i++) {
    if (!operand_of(v[i], &o[i])) return NULL;
    if (o[i].node && !ctx) ctx = uopi_ctx_of(o[i].node);
  }
  return ctx ? uopi_build(ctx, fn, o, n, NULL) : NULL;
}

static const uop *apply_n(uop_ctx *ctx, int fn, const uop *first, const uop_val *v, size_t n,
                          const uop_arg *arg) {
  size_t lead = first ? 1 : 0;
  if (!ctx) return NULL;
  if (n > UOP_MAX_SRC - 1) return uop_make(ctx, (uop_op)fn, NULL, n + lead, arg); /* refuses */
  uopi_operand *o = uopi_realloc(&ctx->mem, NULL, 0, (n + 1) * sizeof *o);
  if (!o) return uopi_no_memory(ctx);
  if (first) o[0].node = first;
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) ok = operand_of(v[i], &o[lead + i]);
  const uop *u = ok ? uopi_build(ctx, fn, o, n + lead, arg) : NULL;
  uopi_realloc(&ctx->mem, o, (n + 1) * sizeof *o, 0);
  return u;
}

/* ---- the builder's functions ---- */

#define BINARY(name, fn) \
  const uop *(uop_##name)(uop_val a, uop_val b) { return apply(fn, (uop_val[]){a, b}, 2); }
BINARY(add, UOP_ADD)
BINARY(sub, UOPI_FN_SUB)
BINARY(mul, UOP_MUL)
BINARY(floordiv, UOP_FLOORDIV)
BINARY(floormod, UOP_FLOORMOD)
BINARY(max, UOP_MAX)
BINARY(min, UOPI_FN_MIN)
BINARY(lt, UOP_CMPLT)
BINARY(gt, UOPI_FN_GT)
BINARY(le, UOPI_FN_LE)
BINARY(ge, UOPI_FN_GE)
BINARY(eq, UOPI_FN_EQ)
BINARY(ne, UOP_CMPNE)
BINARY(and, UOPI_FN_AND)
BINARY(or, UOPI_FN_OR)
BINARY(assert, UOP_ASSERT)

#define UNARY(name, fn) \
  const uop *uop_##name(const uop *x) { return apply(fn, (uop_val[]){uop_val_node(x)}, 1); }
UNARY(neg, UOPI_FN_NEG)
UNARY(not, UOPI_FN_NOT)
UNARY(relu, UOPI_FN_RELU)
UNARY(recip, UOP_RECIP)
UNARY(exp2, UOP_EXP2)
UNARY(log2, UOP_LOG2)
UNARY(sqrt, UOP_SQRT)
UNARY(sin, UOP_SIN)
UNARY(load, UOP_LOAD)
UNARY(stage, UOP_STAGE)

const uop *uop_const(uop_ctx *ctx, uop_dtype d, uop_val v) {
  uopi_operand o;
  if (!ctx || !operand_of(v, &o)) return NULL;
  if (o.node) return uopi_error(ctx, UOP_E_ARG, UOP_CONST, -1, "CONST: a node is no number");
  if (d == UOP_VOID) return uopi_error(ctx, UOP_E_DTYPE, UOP_CONST, -1, "CONST of void");
  if ((unsigned)d >= UOP_DTYPE_COUNT)
    return uopi_error(ctx, UOP_E_ARG, UOP_CONST, -1, "CONST: no dtype has number %d", (int)d);
  uopi_undo undo = uopi_undo_begin(ctx);
  const uop *u = uopi_literal(ctx, &o.lit, d, UOP_CONST, -1);
  if (u && u->dtype != d)
    u = uopi_error(ctx, UOP_E_LITERAL, UOP_CONST, -1, "CONST: a bool is no %t (use CAST)", (int)d);
  if (!u) uopi_undo_all(ctx, undo);
  return u;
}

const uop *uop_const_like(const uop *x, uop_val v) {
  if (!x) return NULL;
  uop_ctx *ctx = uopi_ctx_of(x);
  uopi_undo undo = uopi_undo_begin(ctx);
  const uop *c = uop_const(ctx, (uop_dtype)x->dtype, v);
  if (c) c = broadcast_to(c, x->shape->at, x->shape->len);
  if (!c) uopi_undo_all(ctx, undo);
  return c;
}

static const uop *leaf(uop_ctx *ctx, uop_op op, int64_t slot, uop_dtype d, const int64_t *dims,
                       size_t rank, uop_space space) {
  uop_arg a = {.dtype = d, .space = space, .num = slot, .ints = dims, .len = rank};
  return uop_make(ctx, op, NULL, 0, &a);
}

const uop *uop_param(uop_ctx *ctx, int64_t slot, uop_dtype d, const int64_t *dims, size_t rank) {
  return leaf(ctx, UOP_PARAM, slot, d, dims, rank, UOP_SPACE_ALU);
}
const uop *uop_param_in(uop_ctx *ctx, int64_t slot, uop_dtype d, const int64_t *dims, size_t rank,
                        uop_space space) {
  return leaf(ctx, UOP_PARAM, slot, d, dims, rank, space);
}
const uop *uop_buffer(uop_ctx *ctx, int64_t slot, uop_dtype d, int64_t size) {
  return leaf(ctx, UOP_BUFFER, slot, d, &size, 1, UOP_SPACE_GLOBAL);
}
const uop *uop_alloc(uop_ctx *ctx, int64_t slot, uop_dtype d, int64_t size, uop_space space) {
  return leaf(ctx, UOP_ALLOC, slot, d, &size, 1, space);
}

static const uop *with_arg(uop_op op, const uop *x, const uop_arg *a) {
  return x ? uop_make(uopi_ctx_of(x), op, &x, 1, a) : NULL;
}

const uop *uop_where(const uop *cond, uop_val a, uop_val b) {
  return apply(UOP_WHERE, (uop_val[]){uop_val_node(cond), a, b}, 3);
}
const uop *uop_cast(const uop *x, uop_dtype d) {
  return with_arg(UOP_CAST, x, &(uop_arg){.dtype = d});
}
const uop *uop_stack_n(uop_ctx *ctx, const uop_val *v, size_t n) {
  return apply_n(ctx, UOP_STACK, NULL, v, n, NULL);
}
const uop *uop_index_n(const uop *x, const uop_val *i, size_t n) {
  return x ? apply_n(uopi_ctx_of(x), UOP_INDEX, x, i, n, NULL) : NULL;
}
const uop *uop_reshape(const uop *x, const int64_t *dims, size_t n) {
  return with_arg(UOP_RESHAPE, x, &(uop_arg){.ints = dims, .len = n});
}
const uop *uop_expand(const uop *x, const int64_t *dims, size_t n) {
  return with_arg(UOP_EXPAND, x, &(uop_arg){.ints = dims, .len = n});
}
const uop *uop_permute(const uop *x, const int64_t *axes, size_t n) {
  return with_arg(UOP_PERMUTE, x, &(uop_arg){.ints = axes, .len = n});
}
const uop *uop_shrink(const uop *x, const int64_t *pairs, size_t n) {
  return with_arg(UOP_SHRINK, x, &(uop_arg){.ints = pairs, .len = 2 * n});
}
const uop *uop_reduce(const uop *x, uop_op op, int64_t axes) {
  return with_arg(UOP_REDUCE, x, &(uop_arg){.op = op, .num = axes});
}
const uop *uop_call_n(const uop *body, const char *name, const uop_val *args, size_t n) {
  return body ? apply_n(uopi_ctx_of(body), UOP_CALL, body, args, n, &(uop_arg){.name = name})
              : NULL;
}
const uop *uop_store(const uop *mem, uop_val value) {
  return apply(UOP_STORE, (uop_val[]){uop_val_node(mem), value}, 2);
}

/* first and then src[0..n) */
static const uop *joined(uop_op op, const uop *first, const uop *const *src, size_t n) {
  if (!first) return NULL;
  if (n == 0) return first;
  uop_ctx *ctx = uopi_ctx_of(first);
  if (n > UOP_MAX_SRC - 1) return uop_make(ctx, op, NULL, n + 1, NULL); /* refuses */
  const uop **all = uopi_realloc(&ctx->mem, NULL, 0, (n + 1) * sizeof *all);
  if (!all) return uopi_no_memory(ctx);
  all[0] = first;
  memcpy(all + 1, src, n * sizeof *all);
  const uop *u = uop_make(ctx, op, all, n + 1, NULL);
  uopi_realloc(&ctx->mem, (void *)all, (n + 1) * sizeof *all, 0);
  return u;
}

const uop *uop_after(const uop *mem, const uop *const *deps, size_t n) {
  return joined(UOP_AFTER, mem, deps, n);
}
const uop *uop_end(const uop *x, const uop *const *ranges, size_t n) {
  return joined(UOP_END, x, ranges, n);
}
const uop *uop_sink(uop_ctx *ctx, const uop *const *src, size_t n) {
  return uop_make(ctx, UOP_SINK, src, n, NULL);
}
const uop *uop_barrier(uop_ctx *ctx, const uop *const *src, size_t n) {
  return uop_make(ctx, UOP_BARRIER, src, n, NULL);
}
const uop *uop_range(uop_ctx *ctx, uop_val end, int64_t idx, uop_axis kind) {
  return apply_n(ctx, UOP_RANGE, NULL, &end, 1, &(uop_arg){.num = idx, .kind = kind});
}
const uop *uop_wmma(const uop *a, const uop *b, const uop *acc) {
  if (!a || !b || !acc) return NULL;
  return uop_make(uopi_ctx_of(acc), UOP_WMMA, (const uop *[]){a, b, acc}, 3, NULL);
}
