/* infer.c - the typing rules: dtype, shape and space of a node from its op, sources and arg, and
 * every refusal. One function a rule, named in ops.def. A rule reads sources, never their sources;
 * it runs once per distinct node, before the node exists.
 */
#include "ir/ir.h"

typedef uopi_typing typing;

static bool refuse(bool ok) { return ok; } /* uopi_error's NULL as a false that reads well */
#define REFUSE(t, code, operand, ...) \
  refuse(uopi_error((t)->ctx, (code), (int)(t)->op, (operand), __VA_ARGS__) != NULL)
#define OP(t) ((int)(t)->op)

static bool shape_of(typing *t, const uop *x) {
  t->dtype = (uop_dtype)x->dtype;
  t->shape = x->shape;
  return true;
}

/* Takes dims[0..n) as the result's shape if it is within the limits. */
static bool shape_is(typing *t, const int64_t *dims, size_t n) {
  if (n > UOP_MAX_RANK)
    return REFUSE(t, UOP_E_LIMIT, -1, "%a: rank %l is above %d (UOP_MAX_RANK)", OP(t), (int64_t)n,
                  UOP_MAX_RANK);
  int64_t count = 1;
  bool empty = false;
  for (size_t i = 0; i < n; i++) {
    if (dims[i] < 0)
      return REFUSE(t, UOP_E_SHAPE, -1, "%a: dimension %l is negative", OP(t), dims[i]);
    if (dims[i] > UOP_MAX_DIM)
      return REFUSE(t, UOP_E_LIMIT, -1, "%a: dimension %l is above %l (UOP_MAX_DIM)", OP(t),
                    dims[i], UOP_MAX_DIM);
    empty |= dims[i] == 0;
  }
  for (size_t i = 0; i < n && !empty; i++) {
    if (dims[i] > UOP_MAX_NUMEL / count)
      return REFUSE(t, UOP_E_LIMIT, -1, "%a: shape %v has more than %l elements (UOP_MAX_NUMEL)",
                    OP(t), dims, n, UOP_MAX_NUMEL);
    count *= dims[i];
  }
  t->dims = dims;
  t->rank = n;
  return true;
}

static bool same_shape(typing *t, const uop *a, const uop *b) {
  return a->shape == b->shape ||
         REFUSE(t, UOP_E_SHAPE, 1, "%a: shape mismatch %p vs %p (broadcast with EXPAND)", OP(t),
                a->shape, b->shape);
}

static bool same_dtype(typing *t, const uop *a, const uop *b) {
  return a->dtype == b->dtype || REFUSE(t, UOP_E_DTYPE, 1, "%a: dtype mismatch %t vs %t (use CAST)",
                                        OP(t), a->dtype, b->dtype);
}

/* ---- leaves ---- */

static bool check_slot(typing *t) {
  if (t->arg->num < 0)
    return REFUSE(t, UOP_E_ARG, -1, "%a: slot %l is negative", OP(t), t->arg->num);
  if (t->arg->num > UOP_MAX_SLOT)
    return REFUSE(t, UOP_E_LIMIT, -1, "%a: slot %l is above %l (UOP_MAX_SLOT)", OP(t), t->arg->num,
                  UOP_MAX_SLOT);
  return true;
}

static bool check_dtype(typing *t) {
  if ((unsigned)t->arg->dtype >= UOP_DTYPE_COUNT)
    return REFUSE(t, UOP_E_ARG, -1, "%a: no dtype has number %d", OP(t), (int)t->arg->dtype);
  if (t->arg->dtype == UOP_VOID) return REFUSE(t, UOP_E_DTYPE, -1, "%a of void", OP(t));
  t->dtype = t->arg->dtype;
  return true;
}

static bool infer_const(typing *t) {
  if (!check_dtype(t)) return false;
  if (t->dtype == UOP_F16) return REFUSE(t, UOP_E_DTYPE, -1, "CONST of f16 (CAST one of f32)");
  t->shape = t->ctx->scalar;
  return true;
}

static bool check_memory(typing *t) {
  const uop_arg *a = t->arg;
  if (a->len != 1) return REFUSE(t, UOP_E_SHAPE, -1, "%a is flat", OP(t));
  if (a->ints[0] < 1)
    return REFUSE(t, UOP_E_SHAPE, -1, "%a: size %l is less than 1", OP(t), a->ints[0]);
  t->space = UOP_SPACE_GLOBAL;
  if (t->op == UOP_BUFFER) return true;
  if (a->space != UOP_SPACE_LOCAL && a->space != UOP_SPACE_SHARED)
    return REFUSE(t, UOP_E_SPACE, -1, "ALLOC: space %s is neither local nor shared",
                  uop_space_name(a->space));
  t->space = a->space;
  return true;
}

static bool infer_leaf(typing *t) {
  if (!check_slot(t) || !check_dtype(t)) return false;
  if (t->op != UOP_PARAM && !check_memory(t)) return false;
  if (!shape_is(t, t->arg->ints, t->arg->len)) return false;
  if (t->op != UOP_PARAM) return true;
  if ((unsigned)t->arg->space >= UOP_SPACE_COUNT)
    return REFUSE(t, UOP_E_ARG, -1, "PARAM: no space has number %d", (int)t->arg->space);
  t->space = t->arg->space;
  return true;
}

/* ---- calls and arrays ---- */

static bool infer_call(typing *t) {
  const uop *body = t->src[0];
  const char *name = t->arg->name ? t->arg->name : "";
  size_t len = strlen(name);
  if (len > UOP_MAX_NAME)
    return REFUSE(t, UOP_E_LIMIT, -1, "CALL: a name of %l bytes is above %d (UOP_MAX_NAME)",
                  (int64_t)len, UOP_MAX_NAME);
  if (!uopi_is_identifier(name, len))
    return REFUSE(t, UOP_E_ARG, -1, "CALL: name %q is no identifier", name);
  bool gap;
  const uopi_signature *s = uopi_signature_of(t->ctx, body, &gap);
  if (gap || (s && s->n != t->n - 1)) return uopi_call_slots_error(t->ctx, body, t->n - 1), false;
  if (!s) return false;
  for (uint32_t i = 0; i < s->n; i++) {
    const uop *a = t->src[i + 1], *p = s->param[i];
    if (a->dtype != p->dtype || a->shape != p->shape || a->space != p->space)
      return REFUSE(t, UOP_E_DTYPE, (int)i + 1, "CALL arg %d: %y != param %y", (int)i, a, p);
  }
  t->space = (uop_space)body->space;
  return shape_of(t, body);
}

static bool infer_stack(typing *t) {
  const uop *x = t->src[0];
  for (uint32_t i = 1; i < t->n; i++)
    if (t->src[i]->shape != x->shape || t->src[i]->dtype != x->dtype)
      return REFUSE(t, t->src[i]->shape != x->shape ? UOP_E_SHAPE : UOP_E_DTYPE, (int)i,
                    "STACK srcs must agree in shape and dtype");
  if (x->shape->len == UOP_MAX_RANK) return shape_is(t, NULL, UOP_MAX_RANK + 1);
  t->dtype = (uop_dtype)x->dtype;
  t->room[0] = t->n;
  if (x->shape->len) memcpy(t->room + 1, x->shape->at, x->shape->len * sizeof(int64_t));
  return shape_is(t, t->room, x->shape->len + 1);
}

static bool infer_index(typing *t) {
  const uop *x = t->src[0];
  uint32_t k = t->n - 1;
  if (k > x->shape->len)
    return REFUSE(t, UOP_E_SHAPE, 0, "INDEX: %d indices into shape %p", (int)k, x->shape);
  for (uint32_t i = 1; i < t->n; i++)
    if (t->src[i]->dtype != UOP_I32 || t->src[i]->shape->len)
      return REFUSE(t, UOP_E_DTYPE, (int)i, "INDEX indices are i32 scalars");
  t->dtype = (uop_dtype)x->dtype;
  t->space = (uop_space)x->space;
  return shape_is(t, x->shape->at + k, x->shape->len - k);
}

/* ---- elementwise ---- */

static bool infer_cast(typing *t) {
  if (!check_dtype(t)) return false;
  t->shape = t->src[0]->shape;
  return true;
}

static bool infer_unary(typing *t) {
  if (!uopi_is_float(t->src[0]->dtype))
    return REFUSE(t, UOP_E_DTYPE, 0, "%a needs a float, got %t", OP(t), t->src[0]->dtype);
  return shape_of(t, t->src[0]);
}

static bool infer_binary(typing *t) {
  return same_shape(t, t->src[0], t->src[1]) && same_dtype(t, t->src[0], t->src[1]) &&
         shape_of(t, t->src[0]);
}

static bool infer_compare(typing *t) {
  if (!infer_binary(t)) return false;
  t->dtype = UOP_BOOL;
  return true;
}

static bool infer_intdiv(typing *t) {
  if (!infer_binary(t)) return false;
  return t->dtype == UOP_I32 || REFUSE(t, UOP_E_DTYPE, 0, "%a is integer only", OP(t));
}

static bool infer_where(typing *t) {
  const uop *c = t->src[0], *a = t->src[1], *b = t->src[2];
  if (c->dtype != UOP_BOOL) return REFUSE(t, UOP_E_DTYPE, 0, "WHERE condition must be bool");
  if (a->dtype != b->dtype)
    return REFUSE(t, UOP_E_DTYPE, 2, "WHERE branches disagree: %t vs %t", a->dtype, b->dtype);
  if (c->shape != a->shape || a->shape != b->shape)
    return REFUSE(t, UOP_E_SHAPE, -1, "WHERE shape mismatch %p %p %p", c->shape, a->shape,
                  b->shape);
  return shape_of(t, a);
}

/* ---- memory, effects, loops ---- */

static bool needs_memory(typing *t) {
  return t->src[0]->space != UOP_SPACE_ALU || REFUSE(t, UOP_E_SPACE, 0, "%a needs memory", OP(t));
}

static bool infer_load(typing *t) { return needs_memory(t) && shape_of(t, t->src[0]); }

static bool is_effect(typing *t) {
  t->dtype = UOP_VOID;
  t->shape = t->ctx->scalar;
  return true;
}

static bool infer_store(typing *t) {
  const uop *m = t->src[0], *v = t->src[1];
  if (!needs_memory(t)) return false;
  if (m->dtype != v->dtype)
    return REFUSE(t, UOP_E_DTYPE, 1, "STORE of %t into %t", v->dtype, m->dtype);
  if (m->shape != v->shape)
    return REFUSE(t, UOP_E_SHAPE, 1, "STORE of %p into %p", v->shape, m->shape);
  return is_effect(t);
}

static bool infer_after(typing *t) {
  t->space = (uop_space)t->src[0]->space;
  return needs_memory(t) && shape_of(t, t->src[0]);
}

static bool infer_group(typing *t) { return is_effect(t); }

static bool infer_range(typing *t) {
  if (t->arg->num < 0) return REFUSE(t, UOP_E_ARG, -1, "RANGE: idx %l is negative", t->arg->num);
  if (t->arg->num > UOP_MAX_SLOT)
    return REFUSE(t, UOP_E_LIMIT, -1, "RANGE: idx %l is above %l (UOP_MAX_SLOT)", t->arg->num,
                  UOP_MAX_SLOT);
  if ((unsigned)t->arg->kind >= UOP_AXIS_COUNT)
    return REFUSE(t, UOP_E_ARG, -1, "RANGE: no kind has number %d", (int)t->arg->kind);
  if (t->src[0]->dtype != UOP_I32) return REFUSE(t, UOP_E_DTYPE, 0, "RANGE end is i32");
  if (t->src[0]->shape->len)
    return REFUSE(t, UOP_E_SHAPE, 0, "RANGE end is a scalar, got %p", t->src[0]->shape);
  return shape_of(t, t->src[0]);
}

static bool infer_end(typing *t) {
  for (uint32_t i = 1; i < t->n; i++)
    if (t->src[i]->op != UOP_RANGE)
      return REFUSE(t, UOP_E_ARG, (int)i, "END: source %d is no RANGE", (int)i);
  return is_effect(t);
}

static bool infer_assert(typing *t) { return infer_binary(t) && is_effect(t); }

/* ---- movement and reduction ---- */

static int64_t product(const int64_t *dims, size_t n) {
  int64_t count = 1;
  for (size_t i = 0; i < n; i++) /* a 0 first: the others may be large */
    if (dims[i] == 0) return 0;
  for (size_t i = 0; i < n; i++) count *= dims[i];
  return count;
}

static bool moved(typing *t) { /* movement keeps the memory it moves over */
  t->dtype = (uop_dtype)t->src[0]->dtype;
  t->space = (uop_space)t->src[0]->space;
  return true;
}

static bool infer_reshape(typing *t) {
  const uop *x = t->src[0];
  if (!shape_is(t, t->arg->ints, t->arg->len)) return false;
  if (product(t->dims, t->rank) != uop_numel(x))
    return REFUSE(t, UOP_E_SHAPE, -1, "RESHAPE %p -> %v", x->shape, t->dims, t->rank);
  return moved(t);
}

static bool infer_expand(typing *t) {
  const uop *x = t->src[0];
  if (!shape_is(t, t->arg->ints, t->arg->len)) return false;
  bool fits = t->rank == x->shape->len;
  for (size_t i = 0; fits && i < t->rank; i++)
    fits = x->shape->at[i] == t->dims[i] || x->shape->at[i] == 1;
  if (!fits) return REFUSE(t, UOP_E_SHAPE, -1, "EXPAND %p -> %v", x->shape, t->dims, t->rank);
  return moved(t);
}

static bool infer_permute(typing *t) {
  const uop_tuple *s = t->src[0]->shape;
  const int64_t *axes = t->arg->ints;
  uint32_t seen = 0;
  bool fits = t->arg->len == s->len;
  for (size_t i = 0; fits && i < s->len; i++) {
    fits = axes[i] >= 0 && axes[i] < (int64_t)s->len && !(seen >> axes[i] & 1);
    if (!fits) break;
    seen |= UINT32_C(1) << axes[i];
    t->room[i] = s->at[axes[i]];
  }
  if (!fits) return REFUSE(t, UOP_E_ARG, -1, "PERMUTE %v of %p", axes, t->arg->len, s);
  return shape_is(t, t->room, s->len) && moved(t);
}

static bool infer_shrink(typing *t) {
  const uop_tuple *s = t->src[0]->shape;
  const int64_t *pairs = t->arg->ints;
  bool fits = t->arg->len == 2 * (size_t)s->len;
  for (size_t i = 0; fits && i < s->len; i++) {
    int64_t begin = pairs[2 * i], end = pairs[2 * i + 1];
    fits = 0 <= begin && begin <= end && end <= s->at[i];
    if (fits) t->room[i] = end - begin;
  }
  if (!fits) return REFUSE(t, UOP_E_ARG, -1, "SHRINK %w of %p", pairs, t->arg->len, s);
  return shape_is(t, t->room, s->len) && moved(t);
}

static bool infer_reduce(typing *t) {
  const uop_tuple *s = t->src[0]->shape;
  const uop_arg *a = t->arg;
  if ((a->op != UOP_ADD && a->op != UOP_MAX) || a->num < 0 || a->num > (int64_t)s->len)
    return REFUSE(t, UOP_E_ARG, -1, "REDUCE (%a, %l) of %p", (int)a->op, a->num, s);
  t->dtype = (uop_dtype)t->src[0]->dtype;
  return shape_is(t, s->at, s->len - (size_t)a->num);
}

static bool infer_stage(typing *t) { return shape_of(t, t->src[0]); }
static bool infer_wmma(typing *t) { return shape_of(t, t->src[2]); }

/* ---- dispatch ---- */

/* Whether source i may be an effect: the body of a CALL, what is ordered, grouped or ended. */
static bool takes_void(uop_op op, uint32_t i) {
  switch (op) {
  case UOP_SINK:
  case UOP_BARRIER:
  case UOP_AFTER:
  case UOP_END:
  case UOP_CALL: return true; /* their own rules look at what they need */
  default: return (void)i, false;
  }
}

static bool (*const rules[UOP_OP_COUNT])(typing *) = {
#define UOP_ROW(NAME, text, min, max, infer, arg, sets, doc) infer_##infer,
#include "ir/ops.def"
#undef UOP_ROW
};

bool uopi_infer(uopi_typing *t) {
  t->space = UOP_SPACE_ALU;
  t->shape = NULL;
  t->dims = NULL;
  t->rank = 0;
  for (uint32_t i = 0; i < t->n; i++)
    if (t->src[i]->dtype == UOP_VOID && !takes_void(t->op, i))
      return REFUSE(t, UOP_E_DTYPE, (int)i, "%a of void", OP(t));
  return rules[t->op](t);
}
