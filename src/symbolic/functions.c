/* functions.c - what built-in rules call in C, since rules cannot say it. */
#include "symbolic/symbolic.h"

#include "alu/alu.h"
#include "eval/eval.h"
#include "symbolic/linear.h"

/* ---- fold ---- */

/* False: u is no constant. */
static bool cell_of(const uop *u, uopi_cell *v) {
  const uop *c = uopi_constant_of(u);
  if (!c) return false;
  switch ((uop_dtype)u->dtype) {
  case UOP_BOOL: v->b = uop_const_bool(c); break;
  case UOP_I32: v->i = uop_const_i32(c); break;
  case UOP_F16: v->h = cast_f32_f16(uop_const_f32(c)); break;
  default: v->f = uop_const_f32(c); break;
  }
  return true;
}

static const uop *constant_of_cell(uop_ctx *ctx, unsigned dtype, uopi_cell v) {
  switch ((uop_dtype)dtype) {
  case UOP_BOOL: return uop_const_of_bool(ctx, v.b);
  case UOP_I32: return uop_const_of_i32(ctx, v.i);
  case UOP_F16: return uop_cast(uop_const_of_f32(ctx, cast_f16_f32(v.h)), UOP_F16);
  default: return uop_const_of_f32(ctx, v.f);
  }
}

/* An ALU op whose sources are all constants, by alu.inc. Of anything else it makes nothing: a rule
 * of a user may call it too. */
static bool fold(uop_ctx *ctx, const uop *u, const uop **out) {
  uopi_cell in[3] = {{{0}}}, v;
  if (!(uop_op_find((uop_op)u->op)->sets & UOP_SET_ALU)) return true;
  for (uint32_t i = 0; i < u->nsrc; i++)
    if (!cell_of(u->src[i], &in[i])) return true;
  if (!uopi_scalar_op(u, in, &v)) return true;
  const uop *c = constant_of_cell(ctx, u->dtype, v);
  *out = c ? uopi_splat(c, u->shape) : NULL;
  return *out != NULL;
}

bool uopi_rule_fold(const uop_rule_call *call, const uop **out) {
  return fold(call->ctx, call->root, out);
}

/* (!folded x): x, computed; the rule does not apply where that cannot be done. */
bool uopi_rule_folded(const uop_rule_call *call, const uop **out) {
  return call->nargs != 1 || fold(call->ctx, call->args[0], out);
}

/* ---- sure ---- */

enum { SURE_NODES = 32 }; /* that are looked at; what is larger may fail */

/* An INDEX fails where an index is beyond its axis. */
static bool is_within(const uop_rule_call *call, const uop *index) {
  uop_interval b;
  for (uint32_t i = 1; i < index->nsrc; i++)
    if (!uop_bounds(call->bounds, index->src[i], &b) || b.lo < 0 ||
        b.hi >= index->src[0]->shape->at[i - 1])
      return false;
  return true;
}

/* Whether u cannot fail if its sources do not, inputs being given. */
static bool cannot_fail(const uop_rule_call *call, const uop *u) {
  switch ((uop_op)u->op) {
  case UOP_INDEX: return is_within(call, u);
  case UOP_CONST:
  case UOP_PARAM:
  case UOP_BUFFER:
  case UOP_RANGE:
  case UOP_LOAD:
  case UOP_STACK:
  case UOP_REDUCE:
  case UOP_STAGE: return true;
  default: return uop_op_find((uop_op)u->op)->sets & (UOP_SET_ALU | UOP_SET_MOVEMENT);
  }
}

/* (!sure x): x, if it may be computed where it was not: a scalar WHERE computes one branch alone,
 * and where that becomes an operand, an error of the run must not come of it. */
bool uopi_rule_sure(const uop_rule_call *call, const uop **out) {
  const uop *seen[SURE_NODES];
  size_t n = 0;
  if (call->nargs != 1) return true;
  seen[n++] = call->args[0];
  for (size_t i = 0; call->root->shape->len == 0 && i < n; i++) {
    const uop *u = seen[i];
    if (!cannot_fail(call, u)) return call->ctx->error.code == UOP_OK;
    for (uint32_t k = 0; k < u->nsrc; k++) {
      size_t at = 0;
      while (at < n && seen[at] != u->src[k]) at++;
      if (at < n) continue;
      if (n == SURE_NODES) return true;
      seen[n++] = u->src[k];
    }
  }
  *out = call->args[0];
  return true;
}

/* ---- order ---- */

/* The operands of a commutative op, each pair in one order. i32 sums and products are gather.c's.
 */
bool uopi_rule_order(const uop_rule_call *call, const uop **out) {
  if (!(uop_op_find((uop_op)call->root->op)->sets & UOP_SET_COMMUTATIVE)) return true;
  const uop *u = call->root, *a = u->src[0], *b = u->src[1];
  bool gathered = u->dtype == UOP_I32 && (u->op == UOP_ADD || u->op == UOP_MUL);
  if (gathered || !uopi_before(b, a)) return true;
  *out = uop_make(call->ctx, (uop_op)u->op, (const uop *[]){b, a}, 2, NULL);
  return *out != NULL;
}

/* ---- given ---- */

enum { GIVEN_NODES = 64 }; /* of a branch that are looked at */

/* What u becomes where c is known to hold (or not): each WHERE on c below it takes its branch.
 * Sources first, over at most GIVEN_NODES nodes; u itself where nothing changes. */
typedef struct known {
  uop_ctx *ctx;
  const uop *c;
  bool holds;
  size_t n;
  const uop *from[GIVEN_NODES], *to[GIVEN_NODES];
} known;

static const uop *became(const known *k, const uop *u) { /* NULL: not looked at */
  for (size_t i = 0; i < k->n; i++)
    if (k->from[i] == u) return k->to[i];
  return NULL;
}

static bool depends(const uop *u) {
  return (uop_op_find((uop_op)u->op)->sets & UOP_SET_ALU) && u->nsrc > 0;
}

/* What (cmplt x A) or (cmplt A x) says of x, if it holds or not: the interval that x is in. */
static const uop *interval_of(const uop *c, bool holds, int64_t *lo, int64_t *hi) {
  int64_t v;
  *lo = INT32_MIN;
  *hi = INT32_MAX;
  if (c->op != UOP_CMPLT || c->src[0]->dtype != UOP_I32) return NULL;
  if (uopi_int_of(c->src[1], &v)) {
    *(holds ? hi : lo) = holds ? v - 1 : v;
    return c->src[0];
  }
  if (!uopi_int_of(c->src[0], &v)) return NULL;
  *(holds ? lo : hi) = holds ? v + 1 : v;
  return c->src[1];
}

/* Whether u, a comparison, is known where c is: 1 or 0; -1: it is not. */
static int implied(const known *k, const uop *u) {
  int64_t lo, hi, from, to;
  const uop *x = interval_of(k->c, k->holds, &lo, &hi);
  if (u == k->c) return k->holds;
  if (!x || interval_of(u, true, &from, &to) != x) return -1;
  return lo >= from && hi <= to ? 1 : hi < from || lo > to ? 0 : -1;
}

static const uop *under(const known *k, const uop *u) {
  const uop *src[3];
  bool changed = false;
  int is = implied(k, u);
  if (is >= 0) {
    const uop *c = uop_const_of_bool(k->ctx, is);
    return c ? uopi_splat(c, u->shape) : NULL;
  }
  for (uint32_t i = 0; i < u->nsrc; i++) {
    src[i] = became(k, u->src[i]);
    if (!src[i]) src[i] = u->src[i];
    changed |= src[i] != u->src[i];
  }
  if (u->op == UOP_WHERE && uopi_constant_of(src[0]))
    return src[uop_const_bool(uopi_constant_of(src[0])) ? 1 : 2];
  return changed ? uop_with_src(u, src) : u;
}

static const uop *given(known *k, const uop *root) {
  const uop *stack[GIVEN_NODES];
  size_t len = 0;
  stack[len++] = root;
  while (len) {
    const uop *u = stack[len - 1];
    uint32_t i = 0;
    if (became(k, u)) {
      len--;
      continue;
    }
    bool leaf = !depends(u) || u == k->c;
    while (!leaf && i < u->nsrc && became(k, u->src[i])) i++;
    if (!leaf && i < u->nsrc) {
      if (len == GIVEN_NODES) return root;
      stack[len++] = u->src[i];
      continue;
    }
    if (k->n == GIVEN_NODES) return root;
    const uop *v = leaf && u != k->c ? u : under(k, u);
    if (!v) return NULL;
    k->from[k->n] = u;
    k->to[k->n++] = v;
    len--;
  }
  return became(k, root);
}

/* where c a b: in a, c holds; in b, it does not. Of numbers only, whose WHEREs are lazy one by one;
 * elementwise ops of one shape look at the same element of c. */
bool uopi_rule_given(const uop_rule_call *call, const uop **out) {
  if (call->root->op != UOP_WHERE) return true;
  const uop *u = call->root, *c = u->src[0];
  if (uopi_constant_of(c)) return true;
  known yes = {.ctx = call->ctx, .c = c, .holds = true}, no = {.ctx = call->ctx, .c = c};
  const uop *a = given(&yes, u->src[1]), *b = given(&no, u->src[2]);
  if (!a || !b) return false;
  if (a == u->src[1] && b == u->src[2]) return true;
  *out = uop_make(call->ctx, UOP_WHERE, (const uop *[]){c, a, b}, 3, NULL);
  return *out != NULL;
}

/* ---- inline ---- */

bool uopi_rule_inline(const uop_rule_call *call, const uop **out) {
  if (call->root->op != UOP_CALL) return true;
  *out = uop_inline_call(call->root);
  return *out != NULL;
}
