/* test_cases.c - what users of other graph compilers met, reduced to this language: a function for
 * each case that concerns running a program, with its number. tests/cases.md has them all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/run.h"

#define P  "%p = param 0 dtype=f32\n"
#define PI "%p = param 0 dtype=i32\n"
#define Q  "%q = param 1 dtype=i32\n"

static void case_01_signed_zero_constants(void **state) {
  (void)state;
  EXPECT("%a = stack (recip 0.0) (recip -0.0)", "[inf, -inf]");
  EXPECT("%a = stack (recip -0.0) (recip 0.0)", "[-inf, inf]");
}

static void case_02_equal_inputs(void **state) {
  (void)state;
  EXPECT_IN("%a = param 0\n%b = param 1\n%c = add %a %b", "6.0", "f32 3.0", "f32 3.0");
}

static void case_08_times_zero(void **state) {
  (void)state;
  const char *f = P "%r = mul %p, 0.0";
  EXPECT_IN(f, "nan", "f32 inf");
  EXPECT_IN(f, "nan", "f32 -inf");
  EXPECT_IN(f, "nan", "f32 nan");
  EXPECT_IN(f, "-0.0", "f32 -2.0");
  EXPECT_IN(PI "%r = mul %p, 0", "0", "i32 -7");
}

static void case_09_minus_itself(void **state) {
  (void)state;
  const char *f = P "%r = add %p, (mul %p -1.0)", *i = PI "%r = add %p, (mul %p -1)";
  EXPECT_IN(f, "nan", "f32 inf");
  EXPECT_IN(f, "0.0", "f32 5.0");
  EXPECT_IN(i, "0", "i32 -2147483648");
  EXPECT_IN(i, "0", "i32 17");
}

static void case_10_times_reciprocal(void **state) {
  (void)state;
  const char *f = P "%r = mul %p, (recip %p)";
  EXPECT_IN(f, "nan", "f32 0.0");
  EXPECT_IN(f, "nan", "f32 inf");
  EXPECT_IN(f, "0.99999994", "f32 41.0");
}

static void case_11_plus_zero(void **state) {
  (void)state;
  EXPECT_IN(P "%r = add %p, 0.0", "0.0", "f32 -0.0");
  EXPECT_IN(P "%r = add %p, -0.0", "-0.0", "f32 -0.0");
}

static void case_12_max_of_nan(void **state) {
  (void)state;
  EXPECT("%r = stack (max 1.0 nan) (max nan 1.0)", "[nan, nan]");
  for (int64_t n = 1; n <= 40; n++) {
    float x[40];
    for (int64_t at = 0; at < n; at++) {
      for (int64_t i = 0; i < n; i++) x[i] = i == at ? (float)(0.0 / 0.0) : (float)(i - 20);
      uop_ctx *ctx = uop_ctx_new(NULL);
      const uop *r = uop_reduce(uop_param(ctx, 0, UOP_F32, &n, 1), UOP_MAX, 1);
      uop_value in = {UOP_F32, 1, {n}, n, x}, out;
      uop_run *run = uop_run_new(ctx, NULL);
      assert_true(uop_run_set(run, UOP_PARAM, 0, &in) && uop_run_eval(run, r, &out));
      uint32_t bits;
      memcpy(&bits, out.data, 4);
      assert_int_equal(bits, 0x7fc00000);
      uop_run_free(run);
      uop_ctx_free(ctx);
    }
  }
}

static void case_13_max_of_zeros(void **state) {
  (void)state;
  EXPECT("%r = stack (recip (max -0.0 0.0)) (recip (max 0.0 -0.0))", "[inf, inf]");
}

static void case_14_comparing_nan(void **state) {
  (void)state;
  EXPECT_IN(P "%r = cmpne %p %p", "true", "f32 nan");
  EXPECT_IN(P "%r = cmplt %p 1.0", "false", "f32 nan");
  EXPECT_IN(PI "%r = cmpne %p %p", "false", "i32 3");
  EXPECT_IN("%p = param 0 dtype=bool\n%r = cmplt %p %p", "false", "bool true");
}

static void case_15_relu_of_nan(void **state) {
  (void)state;
  EXPECT_IN(P "%r = max %p, 0.0", "nan", "f32 nan");
}

static void case_16_no_fused_multiply(void **state) {
  (void)state;
  EXPECT_IN("%a = param 0\n%b = param 1\n%x = param 2\n%r = add (mul %a %x) (mul %b %x)", "0.0",
            "f32 1e20", "f32 -1e20", "f32 1e10");
}

static void case_17_row_of_infinities(void **state) {
  (void)state;
  const char *x = "%x = param 0 shape=(2,)\n%m = reduce %x : op=max\n";
  char text[200];
  EXPECT_IN(x, "-inf", "f32 [-inf, -inf]");
  snprintf(text, sizeof text, "%s%s", x, "%r = sub %x %m");
  EXPECT_IN(text, "[nan, nan]", "f32 [-inf, -inf]");
}

static void case_18_wrapping(void **state) {
  (void)state;
  EXPECT("%r = add 2147483647, 1", "-2147483648");
  EXPECT("%r = mul 65536, 65536", "0");
  EXPECT("%r = floordiv (mul 65536 65536) 65536", "0");
}

static void case_19_wrapping_twice(void **state) {
  (void)state;
  EXPECT_IN(PI "%r = add (add %p 2147483647) 1", "2147483647", "i32 -1");
}

static void case_20_wrap_and_compare(void **state) {
  (void)state;
  EXPECT_IN(PI "%r = cmplt %p (add %p 1)", "false", "i32 2147483647");
  EXPECT_IN(PI "%r = floordiv (mul %p 4) 4", "0", "i32 1073741824");
}

static void case_21_floor(void **state) {
  (void)state;
  EXPECT("%r = stack (floordiv -21 5) (floordiv 7 -2) (floordiv -7 -2)", "[-5, -4, 3]");
  EXPECT("%r = stack (floormod -21 5) (floormod 7 -2) (floormod -7 -2) (floormod -5 3)",
         "[4, -1, -1, 1]");
}

static void case_22_least_by_minus_one(void **state) {
  (void)state;
  const char *f = PI Q "%r = stack (floordiv %p %q) (floormod %p %q)";
  EXPECT_IN(f, "[-2147483648, 0]", "i32 -2147483648", "i32 -1");
  EXPECT_IN(f, "[2147483647, 0]", "i32 -2147483647", "i32 -1");
}

static void case_23_by_zero(void **state) {
  (void)state;
  EXPECT("%r = stack (floordiv 7 0) (floormod 7 0)", "[0, 7]");
  EXPECT_IN(PI Q "%r = stack (floordiv %q %p) (floormod %q %p)", "[0, 7]", "i32 0", "i32 7");
  EXPECT_IN(PI Q "%r = where (cmpne %p 0) (floordiv %q %p) 9", "9", "i32 0", "i32 7");
}

static void case_24_index_arithmetic(void **state) {
  (void)state;
  EXPECT_IN(PI "%r = floordiv (sub (mul %p 3) 4) 2", "-1", "i32 1");
  EXPECT_IN(PI Q "%z = param 2 dtype=i32\n%r = floormod (add (add (mul %p 50) (mul %q 8)) %z) 20",
            "13", "i32 1", "i32 2", "i32 7");
}

static void case_26_f32_to_i32(void **state) {
  (void)state;
  EXPECT("%x = stack nan inf -inf 3e9 -3e9 -0.9 2.7\n%r = cast %x : dtype=i32",
         "[0, 2147483647, -2147483648, 2147483647, -2147483648, 0, 2]");
}

static void case_27_big_literal(void **state) {
  (void)state;
  EXPECT("%a = const 2147483646 : dtype=f32", "2147483600.0"); /* the shortest digits of 2^31 */
  EXPECT("%a = const 2147483646 : dtype=f32\n%r = cmpne %a 2147483648.0", "false");
  EXPECT("%a = const 2147483646 : dtype=f32\n%r = cast %a : dtype=i32", "2147483647");
}

static void case_28_cast_pairs(void **state) {
  (void)state;
  EXPECT("%r = cast (cast 16777217 : dtype=f32) : dtype=i32", "16777216");
  EXPECT("%r = cast (cast 2.7 : dtype=i32) : dtype=f32", "2.0");
  EXPECT("%r = cast (cast 256 : dtype=bool) : dtype=i32", "1");
}

static void case_29_f32_arithmetic(void **state) {
  (void)state;
  EXPECT("%r = mul 5.0, (recip 3.0)", "1.6666667");
  EXPECT("%r = cmpne (mul 5.0, (recip 3.0)) 1.66666675", "false");
  EXPECT("%r = mul 0.1, 0.1", "0.010000001");
  EXPECT("%r = add 16777216.0, 1.0", "16777216.0");
}

static void case_31_empty_broadcast(void **state) {
  (void)state;
  EXPECT_IN("%a = param 0 shape=(0,)\n%b = param 1 shape=(1,)\n%r = add %a %b", "[]", "f32 []",
            "f32 [1.0]");
  EXPECT_IN("%a = param 0 shape=(0,)\n%r = mul %a 2.0", "[]", "f32 []");
}

static void case_32_empty_reduce(void **state) {
  (void)state;
  EXPECT_IN("%a = param 0 shape=(0,)\n%r = reduce %a", "0.0", "f32 []");
  EXPECT_IN("%a = param 0 shape=(3, 0)\n%r = reduce %a", "[0.0, 0.0, 0.0]", "f32 [[], [], []]");
  EXPECT("%a = expand (reshape 1.0 (1, 1)) (1, 1)\n%b = expand %a (1, 1)\n%c = shrink %b ((0, 0), "
         "(0, 1))\n%r = reduce %c",
         "[]");
  EXPECT_IN("%a = param 0 shape=(0,)\n%r = reduce %a : op=max", "-inf", "f32 []");
  EXPECT_IN("%a = param 0 dtype=i32 shape=(0,)\n%r = reduce %a : op=max", "-2147483648", "i32 []");
  EXPECT_IN("%a = param 0 dtype=bool shape=(0,)\n%r = reduce %a : op=max", "false", "bool []");
  EXPECT_IN("%a = param 0 dtype=f16 shape=(0,)\n%r = reduce %a : op=max", "-inf", "f16 []");
  EXPECT_IN("%a = param 0 shape=(2,)\n%r = reduce %a : pop=0", "[-0.0, 2.0]", "f32 [-0.0, 2]");
  EXPECT("%r = reduce -0.0 : op=add pop=0", "-0.0");
}

static void case_33_empty_reshape(void **state) {
  (void)state;
  EXPECT_IN("%a = param 0 shape=(2, 0)\n%r = reshape %a (1, 2, 0)", "[[[], []]]", "f32 [[], []]");
  EXPECT_IN("%a = param 0 shape=(0,)\n%r = reshape %a (5, 0)", "[[], [], [], [], []]", "f32 []");
}

static void case_35_index_of_the_run(void **state) {
  (void)state;
  const char *f = PI "%s = stack 1 2 3\n%r = index %s %p";
  EXPECT_IN(f, "error 14: INDEX: index 3 is outside axis 0 of shape (3,)", "i32 3");
  EXPECT_IN(f, "error 14: INDEX: index -1 is outside axis 0 of shape (3,)", "i32 -1");
  EXPECT_IN(f, "3", "i32 2");
  const char *guarded = PI "%s = stack 1 2 3\n%r = where (cmplt %p 3) (index %s %p) 7";
  EXPECT_IN(guarded, "7", "i32 3");
  EXPECT_IN(guarded, "2", "i32 1");
  const char *shaped = PI "%s = stack 1 2 3\n%c = stack (cmplt %p 3)\n"
                          "%r = where %c (stack (index %s %p)) (stack 7)";
  EXPECT_IN(shaped, "error 14: INDEX: index 3 is outside axis 0 of shape (3,)", "i32 3");
  EXPECT_IN("%a = param 0 shape=(2, 3)\n%i = param 1 dtype=i32\n%r = index %a 1 %i",
            "error 14: INDEX: index 3 is outside axis 1 of shape (2, 3)", "f32 [[1,2,3],[4,5,6]]",
            "i32 3");
}

static void case_43_param_in_two_bodies(void **state) {
  (void)state;
  EXPECT(PI "%g = mul %p %p\n%a = add %p 1\n%f = call %g %a : name=g\n%r = call %f 7 : name=f",
         "64");
}

static void case_44_all_params_at_once(void **state) {
  (void)state;
  EXPECT(PI Q "%s = sub %p %q\n%f = call %s %q %p : name=sub\n%r = call %f 10 3 : name=f", "-7");
  EXPECT(PI "%sq = mul %p %p\n%a = call %sq 3 : name=sq\n%r = call %sq %a : name=sq", "81");
}

/* fK calls f(K-1) twice: with the same argument, or with two. */
static char *call_chain(int n, bool same) {
  char *text = malloc((size_t)n * 160 + 200), *p = text;
  assert_non_null(text);
  p += sprintf(p, "%%p = param 0 dtype=i32\n%%f0 = add %%p 1\n");
  for (int i = 1; i <= n; i++) {
    p += sprintf(p, "%%a%d = call %%f%d %%p : name=f\n", i, i - 1);
    p += sprintf(p, "%%b%d = call %%f%d %s : name=f\n", i, i - 1, same ? "%p" : "(add %p 1)");
    p += sprintf(p, "%%f%d = add %%a%d %%b%d\n", i, i, i);
  }
  sprintf(p, "%%r = call %%f%d 0 : name=f\n", n);
  return text;
}

static void case_45_chain_of_calls(void **state) {
  (void)state;
  char *text = call_chain(30, true);
  outcome o = run_program(text, NULL, NULL);
  assert_string_equal(o.text, "1073741824");
  assert_true(o.stats.nodes < 200);
  free(o.text);
  free(text);
  /* With two arguments it is 2^30 calls: the budget of steps ends it. */
  text = call_chain(30, false);
  uop_run_options few = {.max_steps = 100000};
  o = run_program(text, &few, NULL);
  assert_memory_equal(o.text, "error 16: the budget of 100000 steps is used up: ", 48);
  free(o.text);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_01_signed_zero_constants),
      cmocka_unit_test(case_02_equal_inputs),
      cmocka_unit_test(case_08_times_zero),
      cmocka_unit_test(case_09_minus_itself),
      cmocka_unit_test(case_10_times_reciprocal),
      cmocka_unit_test(case_11_plus_zero),
      cmocka_unit_test(case_12_max_of_nan),
      cmocka_unit_test(case_13_max_of_zeros),
      cmocka_unit_test(case_14_comparing_nan),
      cmocka_unit_test(case_15_relu_of_nan),
      cmocka_unit_test(case_16_no_fused_multiply),
      cmocka_unit_test(case_17_row_of_infinities),
      cmocka_unit_test(case_18_wrapping),
      cmocka_unit_test(case_19_wrapping_twice),
      cmocka_unit_test(case_20_wrap_and_compare),
      cmocka_unit_test(case_21_floor),
      cmocka_unit_test(case_22_least_by_minus_one),
      cmocka_unit_test(case_23_by_zero),
      cmocka_unit_test(case_24_index_arithmetic),
      cmocka_unit_test(case_26_f32_to_i32),
      cmocka_unit_test(case_27_big_literal),
      cmocka_unit_test(case_28_cast_pairs),
      cmocka_unit_test(case_29_f32_arithmetic),
      cmocka_unit_test(case_31_empty_broadcast),
      cmocka_unit_test(case_32_empty_reduce),
      cmocka_unit_test(case_33_empty_reshape),
      cmocka_unit_test(case_35_index_of_the_run),
      cmocka_unit_test(case_43_param_in_two_bodies),
      cmocka_unit_test(case_44_all_params_at_once),
      cmocka_unit_test(case_45_chain_of_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
