/* test_eval_ops.c - what ops compute, element by element and along axes: one of each kind, with the
 * dtypes; the order of a float sum; the NaN that leaves a run. test_oracle.c has the tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "eval/eval.h" /* which loops a run uses */
#include "support/run.h"

static void test_elementwise(void **state) {
  (void)state;
  EXPECT("%r = stack true (cmplt 1 2) (cmpne 1 1)", "[true, true, false]");
  EXPECT(
      "%a = stack true false\n%r = stack (add %a true) (mul %a true) (max %a %a) (cmpne %a true) "
      "(cmplt %a true)",
      "[[true, true], [true, false], [true, false], [false, true], [false, true]]");
  EXPECT("%r = stack (exp2 3.0) (log2 8.0) (sqrt 9.0) (recip 4.0) (sin 0.0)",
         "[8.0, 3.0, 3.0, 0.25, 0.0]");
  EXPECT("%h = cast (stack 1.0 0.1 65520.0 nan) : dtype=f16", "[1.0, 0.099975586, inf, nan]");
  EXPECT("%h = cast 0.1 : dtype=f16\n%r = stack (add %h %h) (mul %h %h) (max %h 0)",
         "[0.19995117, 0.009994507, 0.099975586]");
  EXPECT("%h = cast 2.0 : dtype=f16\n%r = stack (cmplt %h 3) (cmpne %h 2)", "[true, false]");
  EXPECT("%c = stack true false\n%r = where %c (stack 1 2) (stack 3 4)", "[1, 4]");
  EXPECT("%c = stack true false\n%r = where %c 1.5 (stack 3.0 4.0)", "[1.5, 4.0]");
  EXPECT("%h = cast (stack 1.0 2.0) : dtype=f16\n%r = where (stack false true) %h (neg %h)",
         "[-1.0, 2.0]");
  EXPECT("%r = where (stack false true) (stack true true) (stack false false)", "[false, true]");
  EXPECT("%r = cast (stack 0 3) : dtype=bool", "[false, true]");
  EXPECT("%r = cast (cast (stack 0 3) : dtype=bool) : dtype=f16", "[0.0, 1.0]");
  EXPECT("%r = cast (cast 7 : dtype=f16) : dtype=i32", "7");
}

#define X "%x = param 0 dtype=i32 shape=(2, 3)\n"

static void test_reduce(void **state) {
  (void)state;
  const char *x = "i32 [[1, 2, 3], [4, 5, 6]]";
  EXPECT_IN(X "%r = reduce %x", "[6, 15]", x);
  EXPECT_IN(X "%r = reduce %x : pop=2", "21", x);
  EXPECT_IN(X "%r = reduce %x : op=max", "[3, 6]", x);
  EXPECT_IN(X "%r = reduce (cmplt %x 3) : op=add", "[true, false]", x);
  EXPECT_IN(X "%r = reduce (cmplt %x 3) : op=max pop=2", "true", x);
  EXPECT("%r = reduce (stack 2147483647 1)", "-2147483648");
  EXPECT("%r = reduce (stack -0.0 -0.0)", "-0.0");
  EXPECT("%r = reduce (stack -0.0 -0.0) : op=max", "-0.0");
  EXPECT("%r = reduce (stack -0.0 0.0 -0.0) : op=max", "0.0");
  /* An f16 sum is rounded once: 2048 + 1 + 1 is 2050, where rounding twice leaves 2048. */
  EXPECT("%r = reduce (cast (stack 2048.0 1.0 1.0) : dtype=f16)", "2050.0");
  EXPECT("%r = reduce (cast (stack 2.0 nan 1.0) : dtype=f16) : op=max", "nan");
  EXPECT("%r = reduce (cast (stack 2.0 -3.0 1.0) : dtype=f16) : op=max", "2.0");
}

/* ---- MAX and REDUCE max: what one element of a row does to it ---- */

/* A matrix of n rows, `rest` but for `one` on the diagonal: one place for each row. */
static void fill_diagonal(void *data, uop_dtype d, size_t n, uint32_t rest, uint32_t one) {
  for (size_t i = 0; i < n * n; i++) {
    uint32_t word = i % (n + 1) ? rest : one;
    uint16_t half = (uint16_t)word;
    if (d == UOP_F16)
      memcpy((char *)data + 2 * i, &half, 2);
    else
      memcpy((char *)data + 4 * i, &word, 4);
  }
}

static const uop *same(const uop *x) { return x; }
static const uop *recip(const uop *x) { return uop_recip(x); }

/* What f makes of the greatest of each row is `want`; and of the greater one of the diagonal and of
 * a row of `rest`, in either order, alone. */
static void check_rows(uop_dtype d, uint32_t rest, uint32_t one, const uop *(*f)(const uop *),
                       uint32_t want) {
  enum { LONGEST = 40 };
  static uint32_t data[LONGEST * LONGEST], others[LONGEST * LONGEST];
  size_t size = uop_dtype_size(d);
  uop_ctx *ctx = uop_ctx_new(NULL);
  for (int64_t n = 1; n <= LONGEST; n++) {
    uop_run *run = uop_run_new(ctx, NULL);
    uop_value in = {.dtype = d, .rank = 2, .dims = {n, n}, .count = n * n, .data = data},
              other = {.dtype = d, .rank = 2, .dims = {n, n}, .count = n * n, .data = others}, out;
    fill_diagonal(data, d, (size_t)n, rest, one);
    fill_diagonal(others, d, (size_t)n, rest, rest);
    assert_true(uop_run_set(run, UOP_PARAM, 0, &in) && uop_run_set(run, UOP_PARAM, 1, &other));
    const uop *x = uop_param(ctx, 0, d, UOP_DIMS(n, n)), *y = uop_param(ctx, 1, d, UOP_DIMS(n, n));
    uint16_t half = (uint16_t)want;
    const void *bits = d == UOP_F16 ? (void *)&half : &want;
    assert_true(uop_run_eval(run, f(uop_reduce(x, UOP_MAX, 1)), &out));
    for (size_t i = 0; i < (size_t)n; i++)
      assert_memory_equal((char *)out.data + i * size, bits, size);
    assert_true(uop_run_eval(run, f(uop_reduce(x, UOP_MAX, 2)), &out));
    assert_memory_equal(out.data, bits, size);
    for (int order = 0; order < 2; order++) {
      const uop *u = f(order ? uop_max(x, y) : uop_max(y, x));
      assert_true(uop_run_eval(run, u, &out));
      for (size_t i = 0; i < (size_t)(n * n); i += (size_t)n + 1)
        assert_memory_equal((char *)out.data + i * size, bits, size);
    }
    uop_run_free(run);
  }
  uop_ctx_free(ctx);
}

static void test_rows_with_a_nan(void **state) {
  (void)state;
  static const uint32_t nan[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff};
  static const uint16_t half[] = {0x7e00, 0xfe00, 0x7c01, 0xffff};
  for (size_t i = 0; i < 4; i++) {
    check_rows(UOP_F32, 0x3f800000, nan[i], same, 0x7fc00000); /* 1.0 */
    check_rows(UOP_F32, 0x7f800000, nan[i], same, 0x7fc00000); /* inf */
    check_rows(UOP_F32, 0xff800000, nan[i], same, 0x7fc00000); /* -inf */
    check_rows(UOP_F16, 0x3c00, half[i], same, 0x7e00);
    check_rows(UOP_F16, 0x7c00, half[i], same, 0x7e00);
    check_rows(UOP_F16, 0xfc00, half[i], same, 0x7e00);
  }
}

/* The sign of a zero, seen through its reciprocal. */
static void test_rows_with_a_zero(void **state) {
  (void)state;
  check_rows(UOP_F32, 0x80000000, 0, recip, 0x7f800000);
  check_rows(UOP_F32, 0x80000000, 0x80000000, recip, 0xff800000);
  check_rows(UOP_F16, 0x8000, 0, recip, 0x7c00);
  check_rows(UOP_F16, 0x8000, 0x8000, recip, 0xfc00);
}

/* The documented order, done here in another way: the lanes' chains one by one, then the tree. */
static float sum_as_documented(const float *x, size_t n) {
  volatile float lane[16];
  for (size_t j = 0; j < 16; j++) {
    lane[j] = -0.0f;
    for (size_t i = j; i < n; i += 16) lane[j] = lane[j] + x[i];
  }
  float a[8], b[4];
  for (size_t i = 0; i < 8; i++) a[i] = lane[i] + lane[i + 8];
  for (size_t i = 0; i < 4; i++) b[i] = a[i] + a[i + 4];
  return (b[0] + b[2]) + (b[1] + b[3]);
}

static void test_reduce_order(void **state) {
  (void)state;
  enum { N = 1003 };
  static float x[N];
  uint32_t s = 1;
  for (size_t i = 0; i < N; i++) {
    s = s * 1664525u + 1013904223u;
    x[i] = (float)(int32_t)s * (i % 3 ? 1e-9f : 1e3f);
  }
  for (int64_t n = 1; n <= N; n += n < 70 ? 1 : 311) {
    uop_ctx *ctx = uop_ctx_new(NULL);
    const uop *r = uop_reduce(uop_param(ctx, 0, UOP_F32, &n, 1), UOP_ADD, 1);
    uop_value in = {.dtype = UOP_F32, .rank = 1, .dims = {n}, .count = n, .data = x}, out;
    uop_run *run = uop_run_new(ctx, NULL);
    assert_true(uop_run_set(run, UOP_PARAM, 0, &in) && uop_run_eval(run, r, &out));
    float want = sum_as_documented(x, (size_t)n);
    assert_memory_equal(out.data, &want, 4);
    uop_run_free(run);
    uop_ctx_free(ctx);
  }
}

static void test_assert(void **state) {
  (void)state;
  EXPECT("assert 25 25\n%r = const 1", "1");
  EXPECT("assert 25 26", "error 15: ASSERT: 25 != 26");
  EXPECT("%a = stack 1.0 2.0\n%b = stack (stack 1.0 2.0) (stack 1.0 2.5)\nassert %a %b",
         "error 15: ASSERT: 2.0 != 2.5 at [1, 1]");
  EXPECT("%a = stack 0.0 1.0 2.0 1.0\n%b = stack 0.0 1.0 2.0 2.0\nassert (reshape %a (1, 4)) "
         "(reshape %b (1, 4))",
         "error 15: ASSERT: 1.0 != 2.0 at [0, 3]");
  EXPECT("assert nan nan", "error 15: ASSERT: nan != nan");
  EXPECT("assert 0.0 -0.0\n%r = const 1", "1");
  EXPECT("assert true false", "error 15: ASSERT: true != false");
  EXPECT("%h = cast 0.1 : dtype=f16\nassert %h 0.5", "error 15: ASSERT: 0.099975586 != 0.5");
  EXPECT_IN("%a = param 0 shape=(0,)\nassert %a 1.0\n%r = const 2", "2", "f32 []");
}

static void test_canonical_nan(void **state) {
  (void)state;
  uint32_t bits[3] = {0xffc00001u, 0x7f800001u, 0x3f800000u};
  uint16_t half[2] = {0xfe01, 0x3c00};
  int64_t three = 3, two = 2;
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_value v = {.dtype = UOP_F32, .rank = 1, .dims = {3}, .count = 3, .data = bits},
            h = {.dtype = UOP_F16, .rank = 1, .dims = {2}, .count = 2, .data = half}, out;
  uop_value one = {.dtype = UOP_F32, .rank = 0, .dims = {0}, .count = 1, .data = bits};
  uop_run *run = uop_run_new(ctx, NULL);
  assert_true(uop_run_set(run, UOP_PARAM, 0, &v) && uop_run_set(run, UOP_PARAM, 1, &h) &&
              uop_run_set(run, UOP_PARAM, 2, &one));
  assert_true(uop_run_eval(run, uop_param(ctx, 0, UOP_F32, &three, 1), &out));
  const uint32_t want[3] = {0x7fc00000u, 0x7fc00000u, 0x3f800000u};
  assert_memory_equal(out.data, want, sizeof want);
  assert_int_equal(bits[0], 0xffc00001u); /* the caller's own is left alone */
  assert_true(uop_run_eval(run, uop_param(ctx, 1, UOP_F16, &two, 1), &out));
  assert_int_equal(((uint16_t *)out.data)[0], 0x7e00);
  assert_true(uop_run_eval(run, uop_param(ctx, 2, UOP_F32, NULL, 0), &out));
  assert_memory_equal(out.data, want, 4);
  assert_true(uop_run_eval(run, uop_sqrt(uop_const_of_f32(ctx, -1.0f)), &out));
  assert_memory_equal(out.data, want, 4);
  uop_run_free(run);
  uop_ctx_free(ctx);
}

/* Every op that can hand a NaN on, on each build of the loops: whatever NaNs went in, vectors full
 * of them and a rest, it is the canonical one that comes out. */
enum { NANS = 37 };

static const uop *nan_of(uop_ctx *ctx, int i, uop_dtype d, const uop *x, const uop *y) {
  switch (i) {
  case 0: return uop_add(x, y);
  case 1: return uop_mul(x, y);
  case 2: return uop_max(x, y);
  case 3: return uop_where(uop_param(ctx, 2, UOP_BOOL, (int64_t[]){NANS}, 1), x, y);
  case 4: return uop_recip(x);
  case 5: return uop_sqrt(x);
  case 6: return uop_exp2(x);
  case 7: return uop_log2(x);
  case 8: return uop_sin(x);
  case 9: return uop_cast(x, d == UOP_F32 ? UOP_F16 : UOP_F32);
  default: return NULL;
  }
}

static void expect_canonical(uop_ctx *ctx, const uopi_loops *loops, const uop *u,
                             const uop_value *in) {
  uop_value out;
  uop_run *run = uop_run_new(ctx, NULL);
  assert_non_null(run);
  run->loops = loops;
  for (int i = 0; i < 3; i++) assert_true(uop_run_set(run, UOP_PARAM, i, &in[i]));
  assert_true(uop_run_eval(run, u, &out));
  for (int i = 0; i < NANS; i++)
    if (u->dtype == UOP_F32)
      assert_int_equal(((uint32_t *)out.data)[i], 0x7fc00000u);
    else
      assert_int_equal(((uint16_t *)out.data)[i], 0x7e00u);
  uop_run_free(run);
}

/* n elements, all NaNs. */
static uop_value nans(uop_dtype d, int first, void *data) {
  static const uint32_t odd[] = {0xffc00000u, 0x7f800001u, 0x7fc00001u, 0xffffffffu, 0x7fc00000u};
  static const uint16_t odd_half[] = {0xfe00, 0x7c01, 0x7e01, 0xffff, 0x7e00};
  for (int i = 0; i < NANS; i++)
    if (d == UOP_F32)
      ((uint32_t *)data)[i] = odd[(i + first) % 5];
    else
      ((uint16_t *)data)[i] = odd_half[(i + first) % 5];
  return (uop_value){.dtype = d, .rank = 1, .dims = {NANS}, .count = NANS, .data = data};
}

static void test_canonical_nan_of_ops(void **state) {
  (void)state;
  uint32_t data[2][NANS];
  uint8_t which[NANS];
  int64_t n = NANS;
  uop_ctx *ctx = uop_ctx_new(NULL);
  for (int i = 0; i < NANS; i++) which[i] = i % 3 == 0;
  for (uop_dtype d = UOP_F32; d <= UOP_F16; d++) {
    uop_value in[] = {nans(d, 0, data[0]),
                      nans(d, 2, data[1]),
                      {.dtype = UOP_BOOL, .rank = 1, .dims = {NANS}, .count = NANS, .data = which}};
    const uop *x = uop_param(ctx, 0, d, &n, 1), *y = uop_param(ctx, 1, d, &n, 1);
    const uop *more = uop_add(uop_mul(x, y), uop_exp2(y)); /* steps that need not keep to it */
    for (int i = 0; nan_of(ctx, i, d, x, y); i++)
      for (size_t b = 0; uopi_loops_of(b); b++) {
        expect_canonical(ctx, uopi_loops_of(b), nan_of(ctx, i, d, x, y), in);
        expect_canonical(ctx, uopi_loops_of(b), nan_of(ctx, i, d, more, y), in);
      }
  }
  uop_ctx_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elementwise),      cmocka_unit_test(test_reduce),
      cmocka_unit_test(test_reduce_order),     cmocka_unit_test(test_rows_with_a_nan),
      cmocka_unit_test(test_rows_with_a_zero), cmocka_unit_test(test_assert),
      cmocka_unit_test(test_canonical_nan),    cmocka_unit_test(test_canonical_nan_of_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
