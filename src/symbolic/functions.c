/* functions.c - what built-in rules call in C, since rules cannot say it. */
#include "symbolic/symbolic.h"

#include "alu/alu.h"
#include "eval/eval.h"

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
bool uopi_rule_fold(const uop_rule_call *call, const uop **out) {
  const uop *u = call->root;
  uopi_cell in[3] = {{{0}}}, v;
  if (!(uop_op_find((uop_op)u->op)->sets & UOP_SET_ALU)) return true;
  for (uint32_t i = 0; i < u->nsrc; i++)
    if (!cell_of(u->src[i], &in[i])) return true;
  if (!uopi_scalar_op(u, in, &v)) return true;
  const uop *c = constant_of_cell(call->ctx, u->dtype, v);
  *out = c ? uopi_splat(c, u->shape) : NULL;
  return *out != NULL;
}
