/* test_alu.c - the scalar functions of alu.inc by themselves, which folding and generated C use
 * too: against the rules of support/exact.h, and libm's double for the functions. What the
 * evaluator makes of them is tested by test_oracle.c, test_conversions.c and exhaustive.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "alu/alu.h"
#include "support/exact.h"
#include "support/random.h"

static const uint32_t F32_INF = 0x7f800000u, F32_NAN = 0x7fc00000u;

#define SAME_F32(a, bits) assert_int_equal(f32_bits(a), (bits))

/* ---- casts ---- */

static void test_f16_all(void **state) {
  (void)state;
  for (uint32_t h = 0; h < 65536; h++) {
    float f = cast_f16_f32((uint16_t)h);
    uint32_t same = (h & 0x7fff) > 0x7c00 ? EXACT_F16_NAN : h;
    SAME_F32(canon_f32(f), exact_f16_to_f32((uint16_t)h));
    assert_int_equal(cast_f32_f16(f), same);
    assert_int_equal(canon_f16((uint16_t)h), same);
  }
}

static void check_f32(uint32_t bits) {
  assert_int_equal(cast_f32_f16(bits_f32(bits)), exact_f32_to_f16(bits));
  assert_int_equal(cast_f32_i32(bits_f32(bits)), exact_f32_to_i32(bits));
}

static void test_from_f32(void **state) {
  (void)state;
  rng r = {2463534242u};
  for (int i = 0; i < 1000000; i++) check_f32((uint32_t)(random_u64(&r) >> 32));
  for (uint32_t b = 0x32000000; b < 0x50000000; b += 4093) check_f32(b), check_f32(b | 1u << 31);
}

static void test_f16_ops(void **state) {
  (void)state;
  uint16_t one = 0x3c00, two = 0x4000, nan = 0x7e00, inf = 0x7c00, max = 0x7bff;
  assert_int_equal(add_f16(one, one), two);
  assert_int_equal(add_f16(max, max), inf);
  assert_int_equal(mul_f16(two, 0x8000), 0x8000);
  assert_int_equal(max_f16(0x8000, 0), 0);
  assert_int_equal(max_f16(nan, one), nan);
  assert_int_equal(max_f16(one, 0xfe01), nan);
  assert_true(cmpne_f16(nan, nan));
  assert_false(cmpne_f16(0, 0x8000));
  assert_false(cmplt_f16(nan, one));
  assert_true(cmplt_f16(0xc000, one));
  assert_int_equal(recip_f16(two), 0x3800);
  assert_int_equal(sqrt_f16(0x4400), two);
  assert_int_equal(exp2_f16(one), two);
  assert_int_equal(log2_f16(two), one);
  assert_int_equal(sin_f16(0x8000), 0x8000);
  assert_int_equal(cast_i32_f16(65519), 0x7bff);
  assert_int_equal(cast_i32_f16(65520), inf);
  assert_int_equal(cast_i32_f16(-1), 0xbc00);
  assert_int_equal(cast_f16_i32(0xc100), -2); /* -2.5 */
  assert_int_equal(cast_f16_i32(nan), 0);
  assert_int_equal(cast_f16_i32(inf), INT32_MAX);
  assert_true(cast_f16_bool(1) && cast_f16_bool(nan) && !cast_f16_bool(0x8000));
  assert_int_equal(cast_bool_f16(1), one);
}

static void test_other_casts(void **state) {
  (void)state;
  SAME_F32(cast_i32_f32(16777217), f32_bits(16777216.0f)); /* ties to even, both ways */
  SAME_F32(cast_i32_f32(16777219), f32_bits(16777220.0f));
  SAME_F32(cast_i32_f32(INT32_MIN), f32_bits(-2147483648.0f));
  assert_true(cast_i32_bool(256));
  assert_true(cast_f32_bool(bits_f32(F32_NAN)));
  assert_true(cast_f32_bool(bits_f32(1)));
  assert_false(cast_f32_bool(-0.0f));
  assert_int_equal(cast_bool_i32(1), 1);
  SAME_F32(cast_bool_f32(1), f32_bits(1.0f));
}

/* ---- integers ---- */

static void check_division(int32_t a, int32_t b) {
  int32_t quotient, modulus;
  exact_floor(a, b, &quotient, &modulus);
  assert_int_equal(floordiv_i32(a, b), quotient);
  assert_int_equal(floormod_i32(a, b), modulus);
}

static void test_floor_division(void **state) {
  (void)state;
  static const int32_t edge[] = {INT32_MIN, INT32_MIN + 1, -65536,        -3,       -2, -1, 0, 1, 2,
                                 3,         65536,         INT32_MAX - 1, INT32_MAX};
  for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
    for (size_t k = 0; k < sizeof edge / sizeof *edge; k++) check_division(edge[i], edge[k]);
  for (int a = -20; a <= 20; a++)
    for (int b = -7; b <= 7; b++) check_division(a, b);
}

static void test_i32(void **state) {
  (void)state;
  assert_int_equal(add_i32(INT32_MAX, 1), INT32_MIN); /* case 18 */
  assert_int_equal(mul_i32(65536, 65536), 0);
  assert_int_equal(mul_i32(INT32_MIN, -1), INT32_MIN);
  assert_int_equal(add_i32(INT32_MIN, INT32_MIN), 0);
  assert_int_equal(max_i32(-1, -2), -1);
  assert_true(cmplt_i32(INT32_MIN, INT32_MAX));
  assert_false(cmplt_i32(3, 3));
  assert_true(cmpne_i32(3, 4));
}

static void test_bool(void **state) {
  (void)state;
  for (uint8_t a = 0; a < 2; a++)
    for (uint8_t b = 0; b < 2; b++) {
      assert_int_equal(add_bool(a, b), a || b);
      assert_int_equal(max_bool(a, b), a || b);
      assert_int_equal(mul_bool(a, b), a && b);
      assert_int_equal(cmplt_bool(a, b), a < b);
      assert_int_equal(cmpne_bool(a, b), a != b);
      for (uint8_t c = 0; c < 2; c++) assert_int_equal(where_bool(c, a, b), c ? a : b);
    }
}

/* ---- f32 ---- */

static void test_max_f32(void **state) {
  (void)state;
  float nan = bits_f32(0xffc12345u), inf = bits_f32(F32_INF);
  SAME_F32(max_f32(nan, 1.0f), F32_NAN);
  SAME_F32(max_f32(1.0f, nan), F32_NAN);
  SAME_F32(max_f32(nan, nan), F32_NAN);
  SAME_F32(max_f32(nan, inf), F32_NAN);
  SAME_F32(max_f32(-0.0f, 0.0f), 0);
  SAME_F32(max_f32(0.0f, -0.0f), 0);
  SAME_F32(max_f32(-0.0f, -0.0f), 0x80000000u);
  SAME_F32(max_f32(-inf, -1.0f), f32_bits(-1.0f));
  SAME_F32(max_f32(inf, 1.0f), F32_INF);
  SAME_F32(max_f32(2.0f, 2.0f), f32_bits(2.0f));
  SAME_F32(max_f32(-3.0f, -3.0f), f32_bits(-3.0f));
}

static void test_f32(void **state) {
  (void)state;
  float nan = bits_f32(F32_NAN);
  volatile float a = 1e20f, b = -1e20f,
                 x = 1e10f; /* case 16: a fused multiply-add leaves the rest */
  SAME_F32(add_f32(mul_f32(a, x), mul_f32(b, x)), 0);
  assert_false(cmplt_f32(nan, 1.0f));
  assert_false(cmplt_f32(1.0f, nan));
  assert_true(cmpne_f32(nan, nan));
  assert_false(cmpne_f32(0.0f, -0.0f));
  SAME_F32(recip_f32(-0.0f), 0xff800000u);
  SAME_F32(recip_f32(3.0f), 0x3eaaaaabu);
  SAME_F32(mul_f32(5.0f, recip_f32(3.0f)), 0x3fd55556u); /* case 29 */
  SAME_F32(mul_f32(0.1f, 0.1f), 0x3c23d70bu);
  SAME_F32(add_f32(16777216.0f, 1.0f), f32_bits(16777216.0f));
  SAME_F32(sqrt_f32(-0.0f), 0x80000000u);
  SAME_F32(canon_f32(sqrt_f32(-1.0f)), F32_NAN);
  SAME_F32(canon_f32(bits_f32(0xff800001u)), F32_NAN);
  SAME_F32(where_f32(1, -0.0f, 1.0f), 0x80000000u);
}

/* ---- exp2, log2, sin ---- */

/* Where the rounding is hardest, of all 2^32; tests/exhaustive.c tries the rest. */
static void check_hard(float (*f)(float), double (*exact)(double)) {
  static const uint32_t hard[] = {0xbefecaabu, 0x3f35a438u, 0x5e665edcu, 0x6f79be45u};
  for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
    assert_true(ulps_off(f(bits_f32(hard[i])), exact((double)bits_f32(hard[i]))) < 0.5003);
}

static void test_exp2(void **state) {
  (void)state;
  float inf = bits_f32(F32_INF);
  check_hard(exp2_f32, exp2);
  assert_true(isnan(exp2_f32(bits_f32(0xffc00001u)))); /* it passes */
  SAME_F32(exp2_f32(inf), F32_INF);
  SAME_F32(exp2_f32(-inf), 0);
  SAME_F32(exp2_f32(0.0f), f32_bits(1.0f));
  SAME_F32(exp2_f32(-0.0f), f32_bits(1.0f));
  for (int n = -149; n < 128; n++) SAME_F32(exp2_f32((float)n), f32_bits((float)ldexp(1.0, n)));
  SAME_F32(exp2_f32(128.0f), F32_INF);
  SAME_F32(exp2_f32(bits_f32(0x42ffffffu)), f32_bits((float)exp2((double)bits_f32(0x42ffffffu))));
  SAME_F32(exp2_f32(-150.0f), 0);               /* a tie, to even */
  SAME_F32(exp2_f32(bits_f32(0xc315ffffu)), 1); /* just above -150 */
  SAME_F32(exp2_f32(-FLT_MAX), 0);
}

static void test_log2(void **state) {
  (void)state;
  float inf = bits_f32(F32_INF);
  check_hard(log2_f32, log2);
  SAME_F32(log2_f32(bits_f32(0x7f800001u)), F32_NAN);
  SAME_F32(log2_f32(-inf), F32_NAN);
  SAME_F32(log2_f32(-1.0f), F32_NAN);
  SAME_F32(log2_f32(bits_f32(0x80000001u)), F32_NAN);
  SAME_F32(log2_f32(inf), F32_INF);
  SAME_F32(log2_f32(0.0f), 0xff800000u);
  SAME_F32(log2_f32(-0.0f), 0xff800000u);
  SAME_F32(log2_f32(1.0f), 0);
  for (int n = -149; n < 128; n++) SAME_F32(log2_f32((float)ldexp(1.0, n)), f32_bits((float)n));
  for (uint32_t d = 1; d < 5000; d++) { /* near 1 the result is small, and exact to its own ulp */
    float up = bits_f32(0x3f800000u + d), down = bits_f32(0x3f800000u - d);
    assert_true(ulps_off(log2_f32(up), log2((double)up)) < 0.51);
    assert_true(ulps_off(log2_f32(down), log2((double)down)) < 0.51);
  }
}

static void test_sin(void **state) {
  (void)state;
  float inf = bits_f32(F32_INF);
  check_hard(sin_f32, sin);
  SAME_F32(sin_f32(inf), F32_NAN);
  SAME_F32(sin_f32(-inf), F32_NAN);
  SAME_F32(sin_f32(bits_f32(0xff800001u)), F32_NAN);
  SAME_F32(sin_f32(0.0f), 0);
  SAME_F32(sin_f32(-0.0f), 0x80000000u);
  SAME_F32(sin_f32(bits_f32(1)), 1);
  SAME_F32(sin_f32(FLT_MAX), f32_bits((float)sin((double)FLT_MAX)));
  for (int k = 1; k < 200000; k++) { /* the hard ones: as near to multiples of pi/2 as f32 gets */
    uint32_t b = f32_bits((float)(k * 1.5707963267948966));
    for (uint32_t d = 0; d < 3; d++) {
      float x = bits_f32(b + d - 1);
      assert_true(ulps_off(sin_f32(x), sin((double)x)) < 0.51);
      assert_int_equal(f32_bits(sin_f32(-x)), f32_bits(sin_f32(x)) ^ 0x80000000u);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_f16_all),
      cmocka_unit_test(test_from_f32),
      cmocka_unit_test(test_f16_ops),
      cmocka_unit_test(test_other_casts),
      cmocka_unit_test(test_floor_division),
      cmocka_unit_test(test_i32),
      cmocka_unit_test(test_bool),
      cmocka_unit_test(test_max_f32),
      cmocka_unit_test(test_f32),
      cmocka_unit_test(test_exp2),
      cmocka_unit_test(test_log2),
      cmocka_unit_test(test_sin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
