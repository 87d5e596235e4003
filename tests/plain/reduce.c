/* reduce.c - REDUCE: the last axes of a value, which lie together, become one element.
 *
 * The order of a float sum is fixed, and part of what the evaluator promises: 16 lanes start from
 * -0.0 (the exact identity of addition: -0.0 + x is x for every x), lane j adds the elements j,
 * j + 16, j + 32, … in order, and then the lanes are added as a tree: lane i + lane i+8 for i below
 * 8, then i + i+4, i + i+2, i + i+1. An f16 sum does all that in f32 and rounds once, at the end.
 * Lanes are what vector units have; they also make the error grow more slowly than one long chain.
 *
 * Of no elements, the sum is 0 and the maximum the least value: -inf, INT32_MIN, false. */
#include "plain/eval.h"
#include "alu/alu.h"

enum { LANES = 16 };

static float sum_lanes(float *lane) {
  for (size_t half = LANES / 2; half; half /= 2)
    for (size_t i = 0; i < half; i++) lane[i] += lane[i + half];
  return lane[0];
}

static float sum_f32(const float *x, size_t n) {
  float lane[LANES];
  if (n == 0) return 0.0f;
  for (size_t j = 0; j < LANES; j++) lane[j] = -0.0f;
  size_t i = 0;
  for (; n - i >= LANES; i += LANES)
    for (size_t j = 0; j < LANES; j++) lane[j] = add_f32(lane[j], x[i + j]);
  for (size_t j = 0; i + j < n; j++) lane[j] = add_f32(lane[j], x[i + j]);
  return sum_lanes(lane);
}

static uint16_t sum_f16(const uint16_t *x, size_t n) {
  float lane[LANES];
  if (n == 0) return 0;
  for (size_t j = 0; j < LANES; j++) lane[j] = -0.0f;
  for (size_t i = 0; i < n; i++) lane[i % LANES] = add_f32(lane[i % LANES], cast_f16_f32(x[i]));
  return cast_f32_f16(sum_lanes(lane));
}

/* The others give the same in whatever order. */
#define FOLD(name, T, first, fn)                    \
  static T name(const T *x, size_t n) {             \
    T v = first;                                    \
    for (size_t i = 0; i < n; i++) v = fn(v, x[i]); \
    return v;                                       \
  }
FOLD(sum_i32, int32_t, 0, add_i32)
FOLD(sum_bool, uint8_t, 0, add_bool)
FOLD(greatest_i32, int32_t, INT32_MIN, max_i32)
FOLD(greatest_bool, uint8_t, 0, max_bool)
FOLD(greatest_f32, float, bits_f32(0xff800000u), max_f32)
FOLD(greatest_f16, uint16_t, 0xfc00u, max_f16)

#define ROWS(fn, T)                                                     \
  do {                                                                  \
    const T *x = in;                                                    \
    T *r = out;                                                         \
    for (int64_t i = 0; i < rows; i++) r[i] = fn(x + (size_t)i * n, n); \
    return;                                                             \
  } while (0)

void plain_eval_reduce(const uop *u, const void *in, void *out) {
  const uop_tuple *s = u->src[0]->shape;
  size_t n = (size_t)uopi_count(s->at + u->shape->len, s->len - u->shape->len);
  int64_t rows = uopi_count(u->shape->at, u->shape->len);
  bool add = uop_reduce_op(u) == UOP_ADD;
  switch (u->dtype) {
  case UOP_BOOL:
    if (add)
      ROWS(sum_bool, uint8_t);
    else
      ROWS(greatest_bool, uint8_t);
  case UOP_I32:
    if (add)
      ROWS(sum_i32, int32_t);
    else
      ROWS(greatest_i32, int32_t);
  case UOP_F32:
    if (add)
      ROWS(sum_f32, float);
    else
      ROWS(greatest_f32, float);
  case UOP_F16:
    if (add)
      ROWS(sum_f16, uint16_t);
    else
      ROWS(greatest_f16, uint16_t);
  default: return;
  }
}
