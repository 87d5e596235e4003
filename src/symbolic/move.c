/* move.c - what the rules of move.rules call: shapes, permutations, parts, and picked elements. */
#include "symbolic/linear.h"

static bool is_identity(const uop *u) {
  const uop_tuple *t = u->arg.tuple;
  for (uint32_t i = 0; u->op == UOP_PERMUTE && i < t->len; i++)
    if (t->at[i] != (int64_t)i) return false;
  return true;
}

/* An op that gives its source back: of its type, and with the elements in their order. */
bool uopi_rule_drop(const uop_rule_call *call, const uop **out) {
  bool moves = uop_op_find((uop_op)call->root->op)->sets & UOP_SET_MOVEMENT;
  if (!moves && !(call->root->op == UOP_REDUCE && uop_reduce_axes(call->root) == 0)) return true;
  const uop *u = call->root, *x = u->src[0];
  if (u->shape == x->shape && u->space == x->space && is_identity(u)) *out = x;
  return true;
}

bool uopi_rule_permute(const uop_rule_call *call, const uop **out) {
  if (!uopi_is_of(call, UOP_PERMUTE, UOP_PERMUTE)) return true;
  const uop *u = call->root, *inner = u->src[0];
  int64_t axes[UOP_MAX_RANK];
  uint32_t n = u->shape->len;
  for (uint32_t i = 0; i < n; i++) axes[i] = inner->arg.tuple->at[u->arg.tuple->at[i]];
  *out = uop_permute(inner->src[0], axes, n);
  return *out != NULL;
}

bool uopi_rule_shrink(const uop_rule_call *call, const uop **out) {
  if (!uopi_is_of(call, UOP_SHRINK, UOP_SHRINK)) return true;
  const uop *u = call->root, *inner = u->src[0];
  int64_t pairs[2 * UOP_MAX_RANK];
  uint32_t n = u->shape->len;
  for (uint32_t i = 0; i < 2 * n; i++)
    pairs[i] = u->arg.tuple->at[i] + inner->arg.tuple->at[i & ~1u];
  *out = uop_shrink(inner->src[0], pairs, n);
  return *out != NULL;
}

/* Elements that one of u's is made of. */
static int64_t reduced(const uop *u) {
  int64_t n = 1;
  for (uint32_t i = u->shape->len; i < u->src[0]->shape->len; i++) {
    if (u->src[0]->shape->at[i] == 0) return 0;
    n *= u->src[0]->shape->at[i];
  }
  return n;
}

/* Not of a float sum, whose order of additions is fixed; and of no elements not at all. */
bool uopi_rule_reduce(const uop_rule_call *call, const uop **out) {
  if (!uopi_is_of(call, UOP_REDUCE, UOP_OP_COUNT)) return true;
  if (!uopi_constant_of(call->root->src[0])) return true;
  const uop *u = call->root, *c = uopi_constant_of(u->src[0]);
  int64_t n = reduced(u);
  bool sums = uop_reduce_op(u) == UOP_ADD && u->dtype != UOP_BOOL;
  if (n == 0 || (sums && u->dtype != UOP_I32)) return true;
  const uop *v = sums ? uop_const_of_i32(call->ctx, (int32_t)uopi_wrap(uop_const_i32(c) * n)) : c;
  if (v && v->dtype != u->dtype) v = uop_cast(v, (uop_dtype)u->dtype);
  *out = v ? uopi_splat(v, u->shape) : NULL;
  return *out != NULL;
}

bool uopi_rule_index(const uop_rule_call *call, const uop **out) {
  if (!uopi_is_of(call, UOP_INDEX, UOP_STACK)) return true;
  const uop *u = call->root, *stack = u->src[0];
  int64_t i;
  if (!uopi_int_of(u->src[1], &i) || i < 0 || i >= (int64_t)stack->nsrc) return true;
  const uop *x = stack->src[i];
  uop_val rest[UOP_MAX_RANK];
  uint32_t n = u->nsrc - 2;
  for (uint32_t k = 0; k < n; k++) rest[k] = uop_val_node(u->src[k + 2]);
  *out = n ? uop_index_n(x, rest, n) : x;
  return *out != NULL;
}

/* The sources' own sources, where all of these have one shape, smaller than the root's; constants
 * fit any. */
bool uopi_rule_hoist(const uop_rule_call *call, const uop **out) {
  if (!(uop_op_find((uop_op)call->root->op)->sets & UOP_SET_ALU)) return true;
  const uop *u = call->root, *src[3], *small = NULL;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const uop *s = u->src[i];
    if (uopi_constant_of(s)) continue;
    if (s->op != UOP_EXPAND || (small && small->shape != s->src[0]->shape)) return true;
    small = s->src[0];
  }
  if (!small || uop_numel(small) >= uop_numel(u)) return true;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const uop *c = uopi_constant_of(u->src[i]);
    src[i] = u->src[i]->src[0];
    if (c && c->dtype != u->src[i]->dtype) c = uop_cast(c, (uop_dtype)u->src[i]->dtype);
    if (c) src[i] = uopi_splat(c, small->shape);
    if (!src[i]) return false;
  }
  const uop *v = uop_with_src(u, src);
  *out = v ? uop_expand(v, u->shape->at, u->shape->len) : NULL;
  return *out != NULL;
}
