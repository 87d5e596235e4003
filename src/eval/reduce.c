/* reduce.c - REDUCE: the last axes of a value, which lie together, become one element.
 *
 * The order of a float sum is fixed, and part of what the evaluator promises: 16 lanes start from
 * -0.0 (the exact identity of addition: -0.0 + x is x for every x), lane j adds the elements j,
 * j + 16, j + 32, … in order, and then the lanes are added as a tree: lane i + lane i+8 for i below
 * 8, then i + i+4, i + i+2, i + i+1. An f16 sum does all that in f32 and rounds once, at the end.
 * Lanes are what vector units have; they also make the error grow more slowly than one long chain.
 *
 * Of no elements, the sum is 0 and the maximum the least value: -inf, INT32_MIN, false.
 */
#include "eval/eval.h"
#include "alu/alu.h"

void uopi_acc_begin(uopi_acc *a, const uop *u) {
  bool add = uop_reduce_op(u) == UOP_ADD;
  switch ((uop_dtype)u->dtype) {
  case UOP_BOOL: a->v.b = 0; break;
  case UOP_I32: a->v.i = add ? 0 : INT32_MIN; break;
  case UOP_F16:
  case UOP_F32:
    if (add)
      for (size_t j = 0; j < UOPI_LANES; j++) a->v.lane[j] = -0.0f;
    else if (u->dtype == UOP_F32)
      a->v.f = bits_f32(0xff800000u);
    else
      a->v.h = 0xfc00u;
    break;
  default: break;
  }
}

static float sum_lanes(float *lane) {
  for (size_t half = UOPI_LANES / 2; half; half /= 2)
    for (size_t i = 0; i < half; i++) lane[i] = add_f32(lane[i], lane[i + half]);
  return lane[0];
}

void uopi_acc_end(uopi_acc *a, const uop *u, bool empty, void *out) {
  bool lanes = uop_reduce_op(u) == UOP_ADD && (u->dtype == UOP_F32 || u->dtype == UOP_F16);
  float sum = !lanes || empty ? 0.0f : sum_lanes(a->v.lane);
  uint16_t half = cast_f32_f16(sum);
  if (!lanes)
    memcpy(out, &a->v, uop_dtype_size((uop_dtype)u->dtype));
  else if (u->dtype == UOP_F32)
    memcpy(out, &sum, sizeof sum);
  else
    memcpy(out, &half, sizeof half);
}
