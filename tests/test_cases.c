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

/* ---- one expression, its inputs %p, %q, %r given in three ways ---- */

enum { MAX_INPUTS = 3 };
typedef enum way { CONSTANTS, PARAMETERS, ARRAYS } way;

static void check_way(way w, const char *dtype, const char *expr, const char *want,
                      const char *const *in) {
  char text[512], value[MAX_INPUTS][96];
  const char *given[9] = {NULL};
  size_t n = 0;
  for (int i = 0; in[i]; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "%%%c = ", "pqr"[i]);
    if (w == CONSTANTS) {
      n += (size_t)snprintf(text + n, sizeof text - n, "const %s : dtype=%s\n", in[i], dtype);
      continue;
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "param %d dtype=%s shape=%s\n", i, dtype,
                          w == ARRAYS ? "(3,)" : "()");
    snprintf(value[i], sizeof value[i], w == ARRAYS ? "%s [%s, %s, %s]" : "%s %s", dtype, in[i],
             in[i], in[i]);
    given[i] = value[i];
  }
  snprintf(text + n, sizeof text - n, "%%result = %s", expr);
  expect_run(text, want, given);
}

/* As constants, as parameters, and as arrays of three equal elements. */
static void each_way(const char *dtype, const char *expr, const char *want, const char *const *in) {
  char wants[128];
  snprintf(wants, sizeof wants, "[%s, %s, %s]", want, want, want);
  check_way(CONSTANTS, dtype, expr, want, in);
  check_way(PARAMETERS, dtype, expr, want, in);
  check_way(ARRAYS, dtype, expr, wants, in);
}
#define EACH_WAY(dtype, expr, want, ...) \
  each_way(dtype, expr, want, (const char *const[MAX_INPUTS + 1]){__VA_ARGS__})

/* ---- NaN, infinity, signed zero ---- */

static void case_01_signed_zero_constants(void **state) {
  (void)state;
  EXPECT("%a = stack (recip 0.0) (recip -0.0)", "[inf, -inf]");
  EXPECT("%a = stack (recip -0.0) (recip 0.0)", "[-inf, inf]");
  EACH_WAY("f32", "recip %p", "-inf", "-0.0");
}

static void case_02_equal_inputs(void **state) {
  (void)state;
  EXPECT_IN("%a = param 0\n%b = param 1\n%c = add %a %b", "6.0", "f32 3.0", "f32 3.0");
}

static void case_08_times_zero(void **state) {
  (void)state;
  EACH_WAY("f32", "mul %p, 0.0", "nan", "inf");
  EACH_WAY("f32", "mul %p, 0.0", "nan", "-inf");
  EACH_WAY("f32", "mul %p, 0.0", "nan", "nan");
  EACH_WAY("f32", "mul %p, 0.0", "-0.0", "-2.0");
  EACH_WAY("i32", "mul %p, 0", "0", "-7");
}

static void case_09_minus_itself(void **state) {
  (void)state;
  EACH_WAY("f32", "add %p, (mul %p -1.0)", "nan", "inf");
  EACH_WAY("f32", "add %p, (mul %p -1.0)", "0.0", "5.0");
  EACH_WAY("i32", "add %p, (mul %p -1)", "0", "-2147483648");
  EACH_WAY("i32", "add %p, (mul %p -1)", "0", "17");
}

static void case_10_times_reciprocal(void **state) {
  (void)state;
  EACH_WAY("f32", "mul %p, (recip %p)", "nan", "0.0");
  EACH_WAY("f32", "mul %p, (recip %p)", "nan", "inf");
  EACH_WAY("f32", "mul %p, (recip %p)", "0.99999994", "41.0");
}

static void case_11_plus_zero(void **state) {
  (void)state;
  EACH_WAY("f32", "add %p, 0.0", "0.0", "-0.0");
  EACH_WAY("f32", "add %p, -0.0", "-0.0", "-0.0");
}

/* The rows of 1 to 40 are in test_eval_ops.c. */
static void case_12_max_of_nan(void **state) {
  (void)state;
  EACH_WAY("f32", "max %p %q", "nan", "1.0", "nan");
  EACH_WAY("f32", "max %p %q", "nan", "nan", "1.0");
  EXPECT("%r = reduce (stack 1.0 nan 2.0) : op=max", "nan");
}

static void case_13_max_of_zeros(void **state) {
  (void)state;
  EACH_WAY("f32", "recip (max %p %q)", "inf", "-0.0", "0.0");
  EACH_WAY("f32", "recip (max %p %q)", "inf", "0.0", "-0.0");
}

static void case_14_comparing_nan(void **state) {
  (void)state;
  EACH_WAY("f32", "cmpne %p %p", "true", "nan");
  EACH_WAY("f32", "cmplt %p 1.0", "false", "nan");
  EACH_WAY("f32", "cmplt 1.0 %p", "false", "nan");
  EACH_WAY("i32", "cmpne %p %p", "false", "3");
  EACH_WAY("i32", "cmplt %p %p", "false", "3");
  EACH_WAY("bool", "cmpne %p %p", "false", "true");
  EACH_WAY("bool", "cmplt %p %p", "false", "true");
}

static void case_15_relu_of_nan(void **state) {
  (void)state;
  EACH_WAY("f32", "max %p, 0.0", "nan", "nan");
}

static void case_16_no_fused_multiply(void **state) {
  (void)state;
  EACH_WAY("f32", "add (mul %p %r) (mul %q %r)", "0.0", "1e20", "-1e20", "1e10");
}

static void case_17_row_of_infinities(void **state) {
  (void)state;
#define ROW "%x = param 0 shape=(2,)\n%m = reduce %x : op=max\n"
  EXPECT_IN(ROW, "-inf", "f32 [-inf, -inf]");
  EXPECT_IN(ROW "%r = sub %x %m", "[nan, nan]", "f32 [-inf, -inf]");
  EXPECT_IN(ROW "%e = exp2 (sub %x %m)\n%r = mul %e (recip (reduce %e))", "[nan, nan]",
            "f32 [-inf, -inf]");
}

/* ---- integers ---- */

static void case_18_wrapping(void **state) {
  (void)state;
  EACH_WAY("i32", "add %p, 1", "-2147483648", "2147483647");
  EACH_WAY("i32", "mul %p, %p", "0", "65536");
  EACH_WAY("i32", "floordiv (mul %p %p) %p", "0", "65536");
}

static void case_19_wrapping_twice(void **state) {
  (void)state;
  EACH_WAY("i32", "add (add %p 2147483647) 1", "2147483647", "-1");
}

static void case_20_wrap_and_compare(void **state) {
  (void)state;
  EACH_WAY("i32", "cmplt %p (add %p 1)", "false", "2147483647");
  EACH_WAY("i32", "floordiv (mul %p 4) 4", "0", "1073741824");
}

static void case_21_floor(void **state) {
  (void)state;
  EACH_WAY("i32", "floordiv %p %q", "-5", "-21", "5");
  EACH_WAY("i32", "floormod %p %q", "4", "-21", "5");
  EACH_WAY("i32", "floordiv %p %q", "-4", "7", "-2");
  EACH_WAY("i32", "floormod %p %q", "-1", "7", "-2");
  EACH_WAY("i32", "floordiv %p %q", "3", "-7", "-2");
  EACH_WAY("i32", "floormod %p %q", "-1", "-7", "-2");
  EACH_WAY("i32", "floormod %p %q", "1", "-5", "3");
}

static void case_22_least_by_minus_one(void **state) {
  (void)state;
  EACH_WAY("i32", "floordiv %p %q", "-2147483648", "-2147483648", "-1");
  EACH_WAY("i32", "floormod %p %q", "0", "-2147483648", "-1");
  EACH_WAY("i32", "floordiv %p %q", "2147483647", "-2147483647", "-1");
}

static void case_23_by_zero(void **state) {
  (void)state;
  EACH_WAY("i32", "floordiv %p %q", "0", "7", "0");
  EACH_WAY("i32", "floormod %p %q", "7", "7", "0");
  EACH_WAY("i32", "floormod %p 0", "7", "7");
  EACH_WAY("i32", "where (cmpne %p 0) (floordiv %q %p) 9", "9", "0", "7");
}

static void case_24_index_arithmetic(void **state) {
  (void)state;
  EACH_WAY("i32", "floordiv (sub (mul %p 3) 4) 2", "-1", "1");
  EACH_WAY("i32", "floormod (add (add (mul %p 50) (mul %q 8)) %r) 20", "13", "1", "2", "7");
}

/* ---- casts and literals ---- */

static void case_26_f32_to_i32(void **state) {
  (void)state;
  static const char *const row[][2] = {
      {"nan", "0"},          {"inf", "2147483647"},   {"-inf", "-2147483648"},
      {"3e9", "2147483647"}, {"-3e9", "-2147483648"}, {"-0.9", "0"},
      {"2.7", "2"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    EACH_WAY("f32", "cast %p : dtype=i32", row[i][1], row[i][0]);
}

static void case_27_big_literal(void **state) {
  (void)state;
  EACH_WAY("f32", "add %p -0.0", "2147483600.0", "2147483646"); /* the shortest digits of 2^31 */
  EACH_WAY("f32", "cmpne %p 2147483648.0", "false", "2147483646");
  EACH_WAY("f32", "cast %p : dtype=i32", "2147483647", "2147483646");
}

static void case_28_cast_pairs(void **state) {
  (void)state;
  EACH_WAY("i32", "cast (cast %p : dtype=f32) : dtype=i32", "16777216", "16777217");
  EACH_WAY("f32", "cast (cast %p : dtype=i32) : dtype=f32", "2.0", "2.7");
  EACH_WAY("i32", "cast (cast %p : dtype=bool) : dtype=i32", "1", "256");
  EACH_WAY("bool", "cast (cast %p : dtype=i32) : dtype=bool", "true", "true");
  EACH_WAY("bool", "cast (cast %p : dtype=f32) : dtype=bool", "false", "false");
  EACH_WAY("f32", "cast (cast (cast %p : dtype=f16) : dtype=f32) : dtype=f16", "0.099975586",
           "0.1");
}

static void case_29_f32_arithmetic(void **state) {
  (void)state;
  EACH_WAY("f32", "mul %p, (recip %q)", "1.6666667", "5.0", "3.0");
  EACH_WAY("f32", "cmpne (mul %p, (recip %q)) 1.66666675", "false", "5.0", "3.0");
  EACH_WAY("f32", "mul %p, %p", "0.010000001", "0.1"); /* 0x3c23d70b; of doubles it is …70a */
  EACH_WAY("f32", "add %p, 1.0", "16777216.0", "16777216.0");
}

/* ---- shapes, indices ---- */

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

/* ---- long texts; the others of its kind are in tests/golden/errors ---- */

static char *many(const char *begin, const char *word, size_t n) {
  size_t first = strlen(begin), each = strlen(word);
  char *text = malloc(first + n * each + 1);
  assert_non_null(text);
  memcpy(text, begin, first);
  for (size_t i = 0; i < n; i++) memcpy(text + first + i * each, word, each);
  text[first + n * each] = 0;
  return text;
}

static void expect_refused(char *text, const char *reason) {
  outcome o = run_program(text, NULL, NULL);
  assert_true(strlen(o.text) < 300);
  if (strncmp(o.text, "error ", 6) || !strstr(o.text, reason)) fail_msg("%s", o.text);
  free(o.text);
  free(text);
}

static void case_36_a_line_of_10_mb(void **state) {
  (void)state;
  expect_refused(many("", "x", 10000000), "line 1: ");
  expect_refused(many("%a = add ", "123456789 ", 1000000), "line 1: ");
}

static void case_37_a_million_parentheses(void **state) {
  (void)state;
  expect_refused(many("", "(", 1000000), "line 1: ");
  expect_refused(many("%a = add ", "(", 1000000), "line 1: ");
  expect_refused(many("%a = add 1 ", "(add 1 ", 1000000), "never closed");
}

/* ---- calls ---- */

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
  assert_memory_equal(o.text, "error 16: the budget of 100000 steps (max_steps) is used up: ", 61);
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
      cmocka_unit_test(case_36_a_line_of_10_mb),
      cmocka_unit_test(case_37_a_million_parentheses),
      cmocka_unit_test(case_43_param_in_two_bodies),
      cmocka_unit_test(case_44_all_params_at_once),
      cmocka_unit_test(case_45_chain_of_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
