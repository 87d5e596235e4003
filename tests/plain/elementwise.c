/* elementwise.c - the ops that compute each element from those at the same place: a loop for each
 * function of alu.inc, and the one table that says which loop belongs to which op and dtype. */
#include "plain/eval.h"
#include "alu/alu.h"

#if UOPI_FAULT(6) /* saturates */
#define SUM(a, b) ((int64_t)(a) + (int64_t)(b))
#define add_i32(a, b) \
  ((int32_t)(SUM(a, b) > INT32_MAX ? INT32_MAX : SUM(a, b) < INT32_MIN ? INT32_MIN : SUM(a, b)))
#elif UOPI_FAULT(12) /* truncates */
#define floordiv_i32(a, b) ((b) == 0 ? 0 : (b) == -1 ? bits_i32(0u - (uint32_t)(a)) : (a) / (b))
#elif UOPI_FAULT(13) /* passes over a NaN */
#define max_f32(a, b) ((a) > (b) || (b) != (b) ? (a) : (b))
#endif

#define LOOP1(fn, R, T)                                               \
  static void loop_##fn(size_t n, void *out, const void *const *in) { \
    R *r = out;                                                       \
    const T *x = in[0];                                               \
    for (size_t i = 0; i < n; i++) r[i] = fn(x[i]);                   \
  }
#define LOOP2(fn, R, T)                                               \
  static void loop_##fn(size_t n, void *out, const void *const *in) { \
    R *r = out;                                                       \
    const T *a = in[0], *b = in[1];                                   \
    for (size_t i = 0; i < n; i++) r[i] = fn(a[i], b[i]);             \
  }
#define LOOP_WHERE(fn, T)                                             \
  static void loop_##fn(size_t n, void *out, const void *const *in) { \
    T *r = out;                                                       \
    const uint8_t *c = in[0];                                         \
    const T *a = in[1], *b = in[2];                                   \
    for (size_t i = 0; i < n; i++) r[i] = fn(c[i], a[i], b[i]);       \
  }

/* clang-format off */
LOOP1(cast_i32_bool, uint8_t, int32_t)   LOOP1(cast_f32_bool, uint8_t, float)
LOOP1(cast_f16_bool, uint8_t, uint16_t)  LOOP1(cast_bool_i32, int32_t, uint8_t)
LOOP1(cast_f32_i32, int32_t, float)    LOOP1(cast_f16_i32, int32_t, uint16_t)
LOOP1(cast_bool_f32, float, uint8_t)     LOOP1(cast_i32_f32, float, int32_t)
LOOP1(cast_f16_f32, float, uint16_t)   LOOP1(cast_bool_f16, uint16_t, uint8_t)
LOOP1(cast_i32_f16, uint16_t, int32_t) LOOP1(cast_f32_f16, uint16_t, float)

LOOP1(recip_f32, float, float)         LOOP1(recip_f16, uint16_t, uint16_t)
LOOP1(exp2_f32, float, float)          LOOP1(exp2_f16, uint16_t, uint16_t)
LOOP1(log2_f32, float, float)          LOOP1(log2_f16, uint16_t, uint16_t)
LOOP1(sqrt_f32, float, float)          LOOP1(sqrt_f16, uint16_t, uint16_t)
LOOP1(sin_f32, float, float)           LOOP1(sin_f16, uint16_t, uint16_t)

LOOP2(add_bool, uint8_t, uint8_t)          LOOP2(add_i32, int32_t, int32_t)
LOOP2(add_f32, float, float)           LOOP2(add_f16, uint16_t, uint16_t)
LOOP2(mul_bool, uint8_t, uint8_t)          LOOP2(mul_i32, int32_t, int32_t)
LOOP2(mul_f32, float, float)           LOOP2(mul_f16, uint16_t, uint16_t)
LOOP2(max_bool, uint8_t, uint8_t)          LOOP2(max_i32, int32_t, int32_t)
LOOP2(max_f32, float, float)           LOOP2(max_f16, uint16_t, uint16_t)
LOOP2(cmplt_bool, uint8_t, uint8_t)        LOOP2(cmplt_i32, uint8_t, int32_t)
LOOP2(cmplt_f32, uint8_t, float)         LOOP2(cmplt_f16, uint8_t, uint16_t)
LOOP2(cmpne_bool, uint8_t, uint8_t)        LOOP2(cmpne_i32, uint8_t, int32_t)
LOOP2(cmpne_f32, uint8_t, float)         LOOP2(cmpne_f16, uint8_t, uint16_t)
LOOP2(floordiv_i32, int32_t, int32_t)  LOOP2(floormod_i32, int32_t, int32_t)

LOOP_WHERE(where_bool, uint8_t)          LOOP_WHERE(where_i32, int32_t)
LOOP_WHERE(where_f32, float)           LOOP_WHERE(where_f16, uint16_t)

/* By op and the dtype of the last source. */
#define FLOATS(op) {[UOP_F32] = loop_##op##_f32, [UOP_F16] = loop_##op##_f16}
#define ALL(op)                                                                                    \
  {[UOP_BOOL] = loop_##op##_bool, [UOP_I32] = loop_##op##_i32, [UOP_F32] = loop_##op##_f32,        \
   [UOP_F16] = loop_##op##_f16}
static plain_kernel *const kernels[UOP_OP_COUNT][UOP_DTYPE_COUNT] = {
  [UOP_RECIP] = FLOATS(recip),
  [UOP_EXP2] = FLOATS(exp2),
  [UOP_LOG2] = FLOATS(log2),
  [UOP_SQRT] = FLOATS(sqrt),
  [UOP_SIN] = FLOATS(sin),
  [UOP_ADD] = ALL(add),
  [UOP_MUL] = ALL(mul),
  [UOP_MAX] = ALL(max),
  [UOP_CMPLT] = ALL(cmplt),
  [UOP_CMPNE] = ALL(cmpne),
  [UOP_FLOORDIV] = {[UOP_I32] = loop_floordiv_i32},
  [UOP_FLOORMOD] = {[UOP_I32] = loop_floormod_i32},
  [UOP_WHERE] = ALL(where),
};
static plain_kernel *const casts[UOP_DTYPE_COUNT][UOP_DTYPE_COUNT] = { /* from, to */
  [UOP_BOOL] = {[UOP_I32] = loop_cast_bool_i32, [UOP_F32] = loop_cast_bool_f32,
                [UOP_F16] = loop_cast_bool_f16},
  [UOP_I32] = {[UOP_BOOL] = loop_cast_i32_bool, [UOP_F32] = loop_cast_i32_f32,
               [UOP_F16] = loop_cast_i32_f16},
  [UOP_F32] = {[UOP_BOOL] = loop_cast_f32_bool, [UOP_I32] = loop_cast_f32_i32,
               [UOP_F16] = loop_cast_f32_f16},
  [UOP_F16] = {[UOP_BOOL] = loop_cast_f16_bool, [UOP_I32] = loop_cast_f16_i32,
               [UOP_F32] = loop_cast_f16_f32},
};
/* clang-format on */

plain_kernel *plain_kernel_of(const uop *u) {
  if (u->nsrc == 0) return NULL;
  unsigned d = u->src[u->nsrc - 1]->dtype;
  return u->op == UOP_CAST ? casts[d][u->dtype] : kernels[u->op][d];
}

#define FIRST(fn, T)                \
  do {                              \
    const T *x = a, *y = b;         \
    for (int64_t i = 0; i < n; i++) \
      if (fn(x[i], y[i])) return i; \
    return n;                       \
  } while (0)

int64_t plain_first_difference(uop_dtype d, int64_t n, const void *a, const void *b) {
  switch (d) {
  case UOP_BOOL: FIRST(cmpne_bool, uint8_t);
  case UOP_I32: FIRST(cmpne_i32, int32_t);
  case UOP_F32: FIRST(cmpne_f32, float);
  case UOP_F16: FIRST(cmpne_f16, uint16_t);
  default: return n;
  }
}
