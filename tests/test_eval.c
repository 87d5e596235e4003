/* test_eval.c - running programs: the field's cases (CASES.md, by number), each op, calls, budgets,
 * errors word for word; values as text and as .npy; every allocation failing once. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <cmocka.h>

#include "uop.h"

/* ---- a program's result, or its error, as one string ---- */

static uop_dtype dtype_named(const char *s, size_t n) {
  for (int d = UOP_BOOL; d < UOP_DTYPE_COUNT; d++)
    if (strlen(uop_dtype_name((uop_dtype)d)) == n && !memcmp(uop_dtype_name((uop_dtype)d), s, n))
      return (uop_dtype)d;
  fail_msg("no dtype: %s", s);
  return UOP_VOID;
}

static char *copy_of(const char *s) {
  char *p = malloc(strlen(s) + 1);
  assert_non_null(p);
  return strcpy(p, s);
}

static char *error_text(uop_ctx *ctx) {
  const uop_diag *d = uop_error(ctx);
  char s[UOP_MAX_MESSAGE + 32];
  assert_int_not_equal(d->code, UOP_OK);
  snprintf(s, sizeof s, "error %d: %s", (int)d->code, d->message);
  return copy_of(s);
}

typedef struct outcome {
  char *text;
  uop_run_stats stats;
} outcome;

/* `in[i]` is what PARAM slot i is given: "f32 [1, 2]"; NULL: nothing. "buffer f32 [1]": BUFFER i.
 */
static outcome run_program(const char *text, const uop_run_options *o, const char *const *in) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_program *p = uop_program_parse(ctx, text, strlen(text), NULL);
  outcome out = {NULL, {0, 0, 0, 0}};
  uop_value v[8];
  size_t nv = 0;
  if (!p) {
    out.text = error_text(ctx);
    uop_ctx_free(ctx);
    return out;
  }
  uop_run *r = uop_run_new(ctx, o);
  for (size_t i = 0; i < 8 && in; i++) {
    if (!in[i]) continue;
    const char *s = in[i];
    bool buffer = !strncmp(s, "buffer ", 7);
    if (buffer) s += 7;
    const char *blank = strchr(s, ' ');
    uop_dtype d = dtype_named(s, (size_t)(blank - s));
    assert_true(uop_value_parse(ctx, blank, strlen(blank), d, &v[nv]));
    assert_true(uop_run_set(r, buffer ? UOP_BUFFER : UOP_PARAM, (int64_t)i, &v[nv++]));
  }
  uop_value result = {0};
  bool ok = true;
  for (size_t i = 0; i < p->roots.len && ok; i++) ok = uop_run_eval(r, p->roots.at[i], &result);
  if (ok) {
    char *s = uop_value_print(ctx, &result, false);
    out.text = copy_of(s);
    uop_free(ctx, s);
  } else {
    out.text = error_text(ctx);
    assert_non_null(uop_error(ctx)->node);
  }
  out.stats = uop_run_get_stats(r);
  uop_run_free(r);
  for (size_t i = 0; i < nv; i++) uop_value_free(ctx, &v[i]);
  uop_program_free(p);
  uop_ctx_free(ctx);
  return out;
}

static void expect_run(const char *text, const char *want, const char *const *in) {
  outcome o = run_program(text, NULL, in);
  if (strcmp(o.text, want)) fail_msg("%s\ngives %s\nnot   %s", text, o.text, want);
  free(o.text);
}
#define EXPECT(text, want)         expect_run(text, want, NULL)
#define EXPECT_IN(text, want, ...) expect_run(text, want, (const char *const[9]){__VA_ARGS__})

#define P  "%p = param 0 dtype=f32\n"
#define PI "%p = param 0 dtype=i32\n"
#define Q  "%q = param 1 dtype=i32\n"

/* ---- the field's cases ---- */

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
  assert_memory_equal(o.text, "error 16: the budget of 100000 steps (max_steps) is used up: ", 61);
  free(o.text);
  free(text);
}

/* ---- ops ---- */

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

static void test_movement(void **state) {
  (void)state;
#define X "%x = param 0 dtype=i32 shape=(2, 3)\n"
  const char *x = "i32 [[1, 2, 3], [4, 5, 6]]";
  EXPECT_IN(X "%r = permute %x (1, 0)", "[[1, 4], [2, 5], [3, 6]]", x);
  EXPECT_IN(X "%r = permute %x (0, 1)", "[[1, 2, 3], [4, 5, 6]]", x);
  EXPECT_IN(X "%r = shrink %x ((1, 2), (1, 3))", "[[5, 6]]", x);
  EXPECT_IN(X "%r = shrink %x ((0, 2), (1, 1))", "[[], []]", x);
  EXPECT_IN(X "%r = reshape %x (3, 2)", "[[1, 2], [3, 4], [5, 6]]", x);
  EXPECT_IN(X "%r = expand (reshape %x (2, 1, 3)) (2, 2, 3)",
            "[[[1, 2, 3], [1, 2, 3]], [[4, 5, 6], [4, 5, 6]]]", x);
  EXPECT_IN(X "%r = expand (reshape %x (2, 3, 1)) (2, 3, 0)", "[[[], [], []], [[], [], []]]", x);
  EXPECT_IN(X "%r = index %x 1", "[4, 5, 6]", x);
  EXPECT_IN(X "%r = index %x 1 2", "6", x);
  EXPECT_IN(X "%r = stack %x %x", "[[[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [4, 5, 6]]]", x);
  EXPECT_IN(X "%r = permute (reshape %x (1, 2, 3)) (2, 0, 1)", "[[[1, 4]], [[2, 5]], [[3, 6]]]", x);
  EXPECT("%r = reshape 5 (1, 1)", "[[5]]");
  EXPECT("%r = reshape (stack 5) ()", "5");
  EXPECT("%r = expand 5 ()", "5");
  EXPECT("%r = permute 5 ()", "5");
  EXPECT("%r = shrink 5 ()", "5");
  EXPECT("%r = stage (stack 1 2)", "[1, 2]");
  EXPECT("%h = cast (stack 1.0 2.0) : dtype=f16\n%r = permute (stack %h %h) (1, 0)",
         "[[1.0, 1.0], [2.0, 2.0]]");
  EXPECT("%r = permute (stack (stack true false) (stack true true)) (1, 0)",
         "[[true, true], [false, true]]");
}

static void test_memory_as_operand(void **state) {
  (void)state;
#define B "%b = buffer 3 : dtype=f32 slot=0\n"
  EXPECT_IN(B "%r = mul %b %b", "[1.0, 4.0, 9.0]", "buffer f32 [1, 2, 3]");
  EXPECT_IN(B "%r = load %b", "[1.0, 2.0, 3.0]", "buffer f32 [1, 2, 3]");
  EXPECT_IN(B "%r = index %b 2", "3.0", "buffer f32 [1, 2, 3]");
  EXPECT(B "%r = load %b", "error 13: BUFFER slot=0 has no value");
  EXPECT_IN("%a = param 0 dtype=f32 shape=(2,) space=global\n%r = load %a", "[1.0, 2.0]",
            "f32 [1, 2]");
}

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
    uop_value in = {UOP_F32, 1, {n}, n, x}, out;
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

/* ---- calls, laziness ---- */

static void test_lazy_arguments(void **state) {
  (void)state;
  /* The argument that is not needed would fail; the one that is needed does. */
  const char *f = "%c = param 0 dtype=bool\n%p = param 1 dtype=i32\n%q = param 2 dtype=i32\n"
                  "%w = where %c %p %q\n%s = stack 1 2 3\n%b = param 3 dtype=i32\n"
                  "%r = call %w %c 5 (index %s %b) : name=pick";
  EXPECT_IN(f, "5", "bool true", NULL, NULL, "i32 9");
  EXPECT_IN(f, "error 14: INDEX: index 9 is outside axis 0 of shape (3,)", "bool false", NULL, NULL,
            "i32 9");
  EXPECT_IN(f, "2", "bool false", NULL, NULL, "i32 1");
}

static void test_shared_argument(void **state) {
  (void)state;
  /* exp2 is the caller's: computed once, however often the body and its own calls use it. */
  outcome o = run_program("%p = param 0\n%g = add %p %p\n%f = add (call %g %p : name=g) %p\n"
                          "%r = call %f (exp2 3.0) : name=f",
                          NULL, NULL);
  assert_string_equal(o.text, "24.0");
  /* f's frame: p, call, add; g's: p, add; top: 3.0, exp2, call */
  assert_int_equal(o.stats.nodes, 8);
  free(o.text);
}

static void test_void_call(void **state) {
  (void)state;
  uop_ctx *ctx = uop_ctx_new(NULL);
  const uop *body = uop_assert(uop_param(ctx, 0, UOP_I32, NULL, 0), 5);
  uop_run *run = uop_run_new(ctx, NULL);
  uop_value out;
  assert_true(uop_run_eval(run, uop_call(body, "check", 5), &out));
  assert_int_equal(out.dtype, UOP_VOID);
  assert_null(out.data);
  assert_false(uop_run_eval(run, uop_call(body, "check", 6), &out));
  assert_string_equal(uop_error(ctx)->message, "ASSERT: 6 != 5");
  assert_ptr_equal(uop_error(ctx)->node, body);
  uop_run_free(run);
  uop_ctx_free(ctx);
}

static void test_call_of_arrays(void **state) {
  (void)state;
  EXPECT_IN("%x = param 0 shape=(2,)\n%f = mul %x %x\n%r = call %f (call %f %x : name=f) : name=f",
            "[16.0, 81.0]", "f32 [2, 3]");
}

static void test_doubling(void **state) {
  (void)state;
  char *text = malloc(20000), *p = text;
  p += sprintf(p, "%%x0 = const 1\n");
  for (int i = 1; i <= 300; i++) p += sprintf(p, "%%x%d = add %%x%d %%x%d\n", i, i - 1, i - 1);
  outcome o = run_program(text, NULL, NULL);
  assert_string_equal(o.text, "0");
  assert_int_equal(o.stats.nodes, 301);
  assert_int_equal(o.stats.steps, 301);
  assert_int_equal(o.stats.bytes, 4); /* what was handed out: the rest is bookkeeping */
  free(o.text);
  free(text);
}

/* ---- inputs and errors ---- */

static void test_inputs(void **state) {
  (void)state;
  EXPECT("%a = param 1", "error 13: PARAM slot=1 has no value");
  EXPECT_IN("%a = param 0 shape=(3,)", "error 13: PARAM slot=0 is f32(3,), given i32()", "i32 4");
  EXPECT_IN("%a = param 0 shape=(3,)", "error 13: PARAM slot=0 is f32(3,), given f32(2,)",
            "f32 [1, 2]");
  EXPECT_IN("%a = param 0 shape=(2, 3)", "error 13: PARAM slot=0 is f32(2, 3), given f32(6,)",
            "f32 [1, 2, 3, 4, 5, 6]");
  EXPECT_IN("%a = param 0\n%b = param 0 dtype=i32\n%r = add (cast %a : dtype=i32) %b",
            "error 13: PARAM slot=0 is i32(), given f32()", "f32 1");
  EXPECT_IN("%c = param 0 dtype=bool\n%b = param 1\n%r = where %c 2.0 %b", "2.0", "bool true");
}

static void test_setting_inputs(void **state) {
  (void)state;
  uop_ctx *ctx = uop_ctx_new(NULL);
  const uop *p = uop_param(ctx, 0, UOP_F32, NULL, 0), *r = uop_add(p, 1);
  uop_run *run = uop_run_new(ctx, NULL);
  float one = 1, two = 2;
  unsigned char odd = 7;
  uop_value a = {UOP_F32, 0, {0}, 1, &one}, b = {UOP_F32, 0, {0}, 1, &two}, out;
#define REFUSED(op, slot, v, want)                       \
  do {                                                   \
    assert_false(uop_run_set(run, op, slot, v));         \
    assert_int_equal(uop_error(ctx)->code, UOP_E_INPUT); \
    assert_string_equal(uop_error(ctx)->message, want);  \
    uop_error_clear(ctx);                                \
  } while (0)
  assert_false(uop_run_eval(run, r, &out));
  assert_ptr_equal(uop_error(ctx)->node, p);
  assert_true(uop_run_set(run, UOP_PARAM, 0, &a));
  assert_true(uop_run_set(run, UOP_PARAM, 0, &b)); /* not read yet: replaced */
  assert_true(uop_run_eval(run, r, &out));
  assert_int_equal(uop_error(ctx)->code, UOP_OK);
  assert_true(*(float *)out.data == 3.0f);
  REFUSED(UOP_PARAM, 0, &a, "the value for PARAM slot=0: the one it has was already used");
  REFUSED(UOP_ADD, 0, &a, "there is no input ADD slot=0");
  REFUSED(UOP_PARAM, -1, &a, "there is no input PARAM slot=-1");
  uop_value bad = a;
  bad.dtype = UOP_VOID;
  REFUSED(UOP_PARAM, 1, &bad, "the value for PARAM slot=1: it has no dtype");
  bad = a;
  bad.count = 2;
  REFUSED(UOP_PARAM, 1, &bad,
          "the value for PARAM slot=1: its count is not the product of its dims");
  bad = a;
  bad.data = NULL;
  REFUSED(UOP_BUFFER, 1, &bad, "the value for BUFFER slot=1: it has no data");
  bad.rank = 33;
  REFUSED(UOP_PARAM, 1, &bad, "the value for PARAM slot=1: its rank is above 32 (UOP_MAX_RANK)");
  bad = a;
  bad.rank = 2;
  bad.dims[0] = bad.dims[1] = 65536;
  REFUSED(UOP_PARAM, 1, &bad, "the value for PARAM slot=1: it has more than 2147483647 elements (UOP_MAX_NUMEL)");
  bad.dims[0] = -1;
  REFUSED(UOP_PARAM, 1, &bad, "the value for PARAM slot=1: a dimension is outside 0..2147483647 (UOP_MAX_DIM)");
  uop_value truth = {UOP_BOOL, 0, {0}, 1, &odd};
  REFUSED(UOP_PARAM, 1, &truth, "the value for PARAM slot=1: a bool in it is neither 0 nor 1");
  /* Many slots, and a run of another context's node. */
  for (int64_t i = 2; i < 3000; i++) assert_true(uop_run_set(run, UOP_PARAM, i * 7919, &b));
  assert_true(uop_run_eval(run, uop_param(ctx, 2999 * 7919, UOP_F32, NULL, 0), &out));
  uop_ctx *other = uop_ctx_new(NULL);
  assert_false(uop_run_eval(run, uop_const_of_i32(other, 1), &out));
  assert_int_equal(uop_error(ctx)->code, UOP_E_CONTEXT);
  assert_false(uop_run_eval(run, NULL, &out));
  assert_int_equal(uop_error(ctx)->code, UOP_E_CONTEXT); /* NULL leaves the error there is */
  uop_run_free(run);
  uop_run_free(NULL);
  uop_ctx_free(other);
  uop_ctx_free(ctx);
}

static void test_unsupported(void **state) {
  (void)state;
  EXPECT("%r = sink (add 1 2)", "error 17: SINK cannot be run yet");
  EXPECT("%r = range 10", "error 17: RANGE cannot be run yet");
  EXPECT("%b = buffer 1 : slot=0\n%r = store %b (stack 1.0)", "error 17: STORE cannot be run yet");
  EXPECT("%b = buffer 1 : slot=0\n%r = load (after %b)", "error 17: AFTER cannot be run yet");
  EXPECT("%b = alloc 1 : slot=0\n%r = load %b", "error 17: ALLOC cannot be run yet");
  EXPECT("%r = barrier", "error 17: BARRIER cannot be run yet");
  EXPECT("%r = end 1", "error 17: END cannot be run yet");
  EXPECT("%r = wmma 1.0 1.0 1.0", "error 17: WMMA cannot be run yet");
  EXPECT("%b = alloc 1 : slot=0\n%r = where true 1.0 (index %b 0)", "1.0"); /* not needed */
}

static void count_warning(void *user, const uop_diag *w) {
  assert_int_equal(w->code, UOP_W_DIVISION);
  assert_true(w->node->op == w->op);
  assert_string_equal(w->message, w->op == UOP_FLOORDIV ? "FLOORDIV by zero" : "FLOORMOD by zero");
  ++*(int *)user;
}

static void test_division_warning(void **state) {
  (void)state;
  int n = 0;
  uop_run_options o = {.warn = count_warning, .user = &n};
  outcome r =
      run_program("%a = stack 1 2\n%r = add (floordiv %a (stack 0 0)) (floormod 3 0)", &o, NULL);
  assert_string_equal(r.text, "[3, 3]");
  assert_int_equal(n, 2);
  free(r.text);
  n = 0; /* once for the node, in however many frames */
  r = run_program(PI "%f = floordiv %p 0\n%r = add (call %f 1 : name=f) (call %f 2 : name=f)", &o,
                  NULL);
  assert_string_equal(r.text, "0");
  assert_int_equal(n, 1);
  free(r.text);
  n = 0;
  r = run_program("%r = floordiv (stack 1 2) (stack 1 2)", &o, NULL);
  assert_int_equal(n, 0);
  free(r.text);
}

typedef struct again {
  uop_run *run;
  const uop *other;
  int warnings;
} again;

static void evaluate_again(void *user, const uop_diag *w) {
  again *a = user;
  uop_value v;
  assert_int_equal(w->code, UOP_W_DIVISION);
  a->warnings++;
  assert_true(uop_run_eval(a->run, a->other, &v));
  assert_int_equal(*(int32_t *)v.data, 0);
}

/* A warning comes when nothing is under way: its callback may evaluate with the same run. */
static void test_warning_may_evaluate(void **state) {
  (void)state;
  uop_ctx *ctx = uop_ctx_new(NULL);
  again a = {0};
  uop_run_options o = {.warn = evaluate_again, .user = &a};
  a.run = uop_run_new(ctx, &o);
  const uop *zero = uop_const_of_i32(ctx, 0), *u = uop_floordiv(zero, 0);
  for (int i = 0; i < 100; i++) u = uop_add(u, i); /* tasks are stacked */
  a.other = uop_floormod(uop_mul(zero, 5), zero);  /* and it warns itself */
  uop_value v;
  assert_true(uop_run_eval(a.run, u, &v));
  assert_int_equal(*(int32_t *)v.data, 4950);
  assert_int_equal(a.warnings, 2);
  uop_run_free(a.run);
  uop_ctx_free(ctx);
}

/* ---- budgets ---- */

static void test_budgets(void **state) {
  (void)state;
  const char *grow = "%a = expand (reshape 1.0 (1,)) (1000,)\n%r = add %a %a";
  uop_run_options steps = {.max_steps = 1500}, bytes = {.max_bytes = 4500};
  outcome o = run_program(grow, &steps, NULL);
  assert_string_equal(o.text, "error 16: the budget of 1500 steps (max_steps) is used up: ADD needs 1000 more, "
                              "1002 are used");
  assert_int_equal(o.stats.steps, 1002);
  free(o.text);
  o = run_program(grow, &bytes, NULL);
  assert_string_equal(o.text, "error 16: the budget of 4500 bytes (max_bytes) is used up: ADD needs 4000 more, "
                              "4004 are used");
  assert_int_equal(o.stats.peak_bytes, 4004);
  free(o.text);
  bytes.max_bytes = 8004;
  o = run_program(grow, &bytes, NULL);
  assert_int_equal(o.stats.peak_bytes, 8004);
  assert_memory_equal(o.text, "[2.0, 2.0", 9);
  free(o.text);
  /* 8 GiB are not asked for. */
  EXPECT("%r = expand (reshape 1.0 (1,)) (2000000000,)",
         "error 16: the budget of 2147483648 bytes (max_bytes) is used up: EXPAND needs 8000000000 more, 4 are "
         "used");
  /* Empty arrays cost a step each. */
  o = run_program("%a = shrink (stack 1 2) ((0, 0),)\n%r = add %a %a", NULL, NULL);
  assert_int_equal(o.stats.steps, 2 + 2 + 1 + 1);
  free(o.text);
}

static void test_frames_give_back(void **state) {
  (void)state;
  /* A thousand calls of a body that needs 40 KB: never more than two alive, and the results. */
  char *text = malloc(100000), *p = text;
  p += sprintf(p, "%%p = param 0\n%%b = reduce (mul (expand (reshape %%p (1,)) (10000,)) 2.0)\n"
                  "%%x0 = const 1.0\n");
  for (int i = 1; i <= 300; i++)
    p += sprintf(p, "%%x%d = add (call %%b %%x%d : name=b) 1.0\n", i, i - 1);
  outcome o = run_program(text, NULL, NULL);
  assert_true(o.stats.peak_bytes < 200000);
  free(o.text);
  free(text);
}

static void test_continue_after_error(void **state) {
  (void)state;
  uop_ctx *ctx = uop_ctx_new(NULL);
  const uop *p = uop_param(ctx, 0, UOP_I32, NULL, 0);
  const uop *heavy = uop_reduce(
      uop_expand(uop_reshape(uop_const_of_i32(ctx, 1), UOP_DIMS(1)), UOP_DIMS(1000)), UOP_ADD, 1);
  const uop *body = uop_add(uop_param(ctx, 0, UOP_I32, NULL, 0), heavy);
  const uop *r = uop_add(uop_call(body, "f", heavy), uop_call(body, "f", p));
  uop_run *run = uop_run_new(ctx, NULL);
  uop_value out;
  int32_t five = 5;
  uop_value v = {UOP_I32, 0, {0}, 1, &five};
  assert_false(uop_run_eval(run, r, &out));
  assert_int_equal(uop_error(ctx)->code, UOP_E_INPUT);
  uint64_t steps = uop_run_get_stats(run).steps;
  assert_true(uop_run_set(run, UOP_PARAM, 0, &v));
  assert_true(uop_run_eval(run, r, &out));
  assert_int_equal(*(int32_t *)out.data, 3005);
  int32_t *first = out.data;
  assert_true(uop_run_get_stats(run).steps < steps + 2100); /* what was there was not redone */
  for (int i = 0; i < 100; i++) r = uop_add(r, 1);
  assert_true(uop_run_eval(run, r, &out));
  assert_int_equal(*(int32_t *)out.data, 3105);
  assert_int_equal(*first, 3005); /* what was handed out stays */
  steps = uop_run_get_stats(run).steps;
  assert_true(uop_run_eval(run, r, &out));
  assert_int_equal(uop_run_get_stats(run).steps, steps);
  uop_run_free(run);
  uop_ctx_free(ctx);
}

static void test_canonical_nan(void **state) {
  (void)state;
  uint32_t bits[3] = {0xffc00001u, 0x7f800001u, 0x3f800000u};
  uint16_t half[2] = {0xfe01, 0x3c00};
  int64_t three = 3, two = 2;
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_value v = {UOP_F32, 1, {3}, 3, bits}, h = {UOP_F16, 1, {2}, 2, half}, out;
  uop_value one = {UOP_F32, 0, {0}, 1, bits};
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

/* ---- depth ---- */

typedef struct deep {
  uop_ctx *ctx;
  const uop *u;
  int32_t result;
  bool ok;
} deep;

static void *eval_deep(void *p) {
  deep *d = p;
  uop_value out;
  uop_run *run = uop_run_new(d->ctx, NULL);
  d->ok = uop_run_eval(run, d->u, &out);
  if (d->ok) memcpy(&d->result, out.data, 4);
  uop_run_free(run);
  return NULL;
}

static int32_t on_small_stack(deep *d) {
  pthread_attr_t attr;
  pthread_t t;
  pthread_attr_init(&attr);
  assert_int_equal(pthread_attr_setstacksize(&attr, 65536), 0);
  assert_int_equal(pthread_create(&t, &attr, eval_deep, d), 0);
  pthread_join(t, NULL);
  pthread_attr_destroy(&attr);
  if (!d->ok) fail_msg("%s", uop_error(d->ctx)->message);
  return d->result;
}

/* Case 42: a million nodes deep; UOP_TEST_DEPTH sets another depth. */
static void case_42_deep_chain(void **state) {
  (void)state;
  const char *s = getenv("UOP_TEST_DEPTH");
  int32_t n = s ? atoi(s) : 1000000;
  deep d = {uop_ctx_new(NULL), NULL, 0, false};
  d.u = uop_const_of_i32(d.ctx, 0);
  for (int32_t i = 0; i < n; i++) d.u = uop_add(d.u, 1);
  assert_int_equal(on_small_stack(&d), n);
  uop_ctx_free(d.ctx);
}

static void test_deep_calls(void **state) {
  (void)state;
  enum { N = 100000 };
  deep d = {uop_ctx_new(NULL), NULL, 0, false};
  const uop *p = uop_param(d.ctx, 0, UOP_I32, NULL, 0), *next = uop_add(p, 1);
  d.u = p;
  for (int i = 0; i < N; i++)
    d.u = uop_call(d.u, "f", next); /* each frame's p is the one's above */
  d.u = uop_call(d.u, "f", 7);
  assert_int_equal(on_small_stack(&d), N + 7);
  uop_ctx_free(d.ctx);
}

static void test_wide_stack(void **state) {
  (void)state;
  enum { N = 200000 };
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_val *v = malloc(N * sizeof *v);
  for (int32_t i = 0; i < N; i++) v[i] = uop_val_node(uop_const_of_i32(ctx, i));
  const uop *u = uop_reduce(uop_stack_n(ctx, v, N), UOP_MAX, 1);
  uop_run *run = uop_run_new(ctx, NULL);
  uop_value out;
  assert_true(uop_run_eval(run, u, &out));
  assert_int_equal(*(int32_t *)out.data, N - 1);
  uop_run_free(run);
  free(v);
  uop_ctx_free(ctx);
}

/* ---- values as text ---- */

static char *round_trip(const char *dtype, const char *text, bool full) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_value v;
  char *s;
  if (uop_value_parse(ctx, text, strlen(text), dtype_named(dtype, strlen(dtype)), &v)) {
    char *p = uop_value_print(ctx, &v, full);
    s = copy_of(p);
    uop_free(ctx, p);
    uop_value_free(ctx, &v);
  } else {
    s = error_text(ctx);
  }
  uop_ctx_free(ctx);
  return s;
}

static void expect_text(const char *dtype, const char *text, const char *want) {
  char *s = round_trip(dtype, text, false);
  if (strcmp(s, want)) fail_msg("%s %s\ngives %s\nnot   %s", dtype, text, s, want);
  free(s);
}

static void test_value_text(void **state) {
  (void)state;
  expect_text("i32", " 25 ", "25");
  expect_text("i32", "-2147483648", "-2147483648");
  expect_text("i32", "+2147483647", "2147483647");
  expect_text("f32", "-0.0", "-0.0");
  expect_text("f32", "-0", "0.0");
  expect_text("f32", "[1,2.5 , 1e-45]", "[1.0, 2.5, 1e-45]");
  expect_text("f32", "[inf,-inf,nan,.5,1.,1e5]", "[inf, -inf, nan, 0.5, 1.0, 100000.0]");
  expect_text("f32", "16777217", "16777216.0");
  expect_text("f16", "[0.1, 65519, 1e6, nan]", "[0.099975586, 65504.0, inf, nan]");
  expect_text("bool", "[true, false, 1, 0]", "[true, false, true, false]");
  expect_text("i32", "[[1, 2], [3, 4]]", "[[1, 2], [3, 4]]");
  expect_text("i32", "[\n[ ] ,\t[]]\n", "[[], []]");
  expect_text("i32", "[]", "[]");
  expect_text("f32", "[[[]]]", "[[[]]]");
}

static void test_value_text_errors(void **state) {
  (void)state;
  expect_text("i32", "", "error 18: value: byte 1: it ends too early");
  expect_text("i32", "[", "error 18: value: byte 2: it ends too early");
  expect_text("i32", "[1", "error 18: value: byte 3: it ends too early");
  expect_text("i32", "[1,]", "error 18: value: byte 4: an element is missing");
  expect_text("i32", "[,1]", "error 18: value: byte 2: an element is missing");
  expect_text("i32", "]", "error 18: value: byte 1: an element is missing");
  expect_text("i32", "[1 2]", "error 18: value: byte 4: no ',' or ']'");
  expect_text("i32", "1 2", "error 18: value: byte 3: more text after the value");
  expect_text("i32", "[1]]", "error 18: value: byte 4: more text after the value");
  expect_text("i32", "[[1, 2], [3]]",
              "error 18: value: byte 12: a row of 1 elements after one of 2");
  expect_text("i32", "[1, [2]]", "error 18: value: byte 5: a row where an element is meant");
  expect_text("i32", "[[1], 2]", "error 18: value: byte 7: an element where a row is meant");
  expect_text("i32", "[[[]], []]", "error 18: value: byte 9: rows of different ranks");
  expect_text("i32", "[[], [1]]", "error 18: value: byte 8: a row of 1 elements after one of 0");
  expect_text("i32", "2147483648", "error 10: value: byte 1: '2147483648' does not fit i32");
  expect_text("i32", "[1, 99999999999999999999]",
              "error 10: value: byte 5: '99999999999999999999' does not fit i32");
  expect_text("i32", "2.5", "error 10: value: byte 1: '2.5' is no i32");
  expect_text("i32", "true", "error 10: value: byte 1: 'true' is no i32");
  expect_text("f32", "1e39", "error 10: value: byte 1: '1e39' does not fit f32");
  expect_text("f32", "x", "error 10: value: byte 1: 'x' is no f32");
  expect_text("f32", "1e", "error 10: value: byte 1: '1e' is no f32");
  expect_text("f32", ".", "error 10: value: byte 1: '.' is no f32");
  expect_text("f32", "1.5.2", "error 10: value: byte 1: '1.5.2' is no f32");
  expect_text("f32", "true", "error 10: value: byte 1: 'true' is no f32");
  expect_text("bool", "2", "error 10: value: byte 1: '2' is no bool");
  char deep_text[40];
  memset(deep_text, '[', sizeof deep_text);
  deep_text[39] = 0;
  expect_text("f32", deep_text, "error 2: value: rank is above 32 (UOP_MAX_RANK)");
  /* A long word is quoted shortened. */
  char word[300];
  memset(word, 'y', sizeof word);
  word[299] = 0;
  char *s = round_trip("f32", word, false);
  assert_true(strlen(s) < 120);
  free(s);
}

static void test_value_print_short(void **state) {
  (void)state;
  uop_ctx *ctx = uop_ctx_new(NULL);
  enum { N = 1001 };
  static int32_t x[N];
  for (int32_t i = 0; i < N; i++) x[i] = i;
  uop_value v = {UOP_I32, 1, {N}, N, x};
  char *s = uop_value_print(ctx, &v, false);
  assert_string_equal(s, "[0, 1, 2, ..., 998, 999, 1000]");
  uop_free(ctx, s);
  v.dims[0] = v.count = 1000;
  s = uop_value_print(ctx, &v, false);
  assert_null(strstr(s, "..."));
  uop_free(ctx, s);
  v = (uop_value){UOP_I32, 2, {143, 7}, N, x};
  s = uop_value_print(ctx, &v, false);
  assert_string_equal(s, "[[0, 1, 2, ..., 4, 5, 6], [7, 8, 9, ..., 11, 12, 13], "
                         "[14, 15, 16, ..., 18, 19, 20], ..., [980, 981, 982, ..., 984, 985, 986], "
                         "[987, 988, 989, ..., 991, 992, 993], "
                         "[994, 995, 996, ..., 998, 999, 1000]]");
  uop_free(ctx, s);
  s = uop_value_print(ctx, &v, true);
  assert_null(strstr(s, "..."));
  uop_value back;
  assert_true(uop_value_parse(ctx, s, strlen(s), UOP_I32, &back));
  assert_int_equal(back.rank, 2);
  assert_memory_equal(back.data, x, sizeof x);
  uop_value_free(ctx, &back);
  uop_free(ctx, s);
  /* Brackets alone can be too many. */
  v = (uop_value){UOP_I32, 2, {2147483647, 0}, 0, NULL};
  s = uop_value_print(ctx, &v, true);
  assert_string_equal(s, "[[], [], [], ..., [], [], []]");
  uop_free(ctx, s);
  v = (uop_value){UOP_VOID, 0, {0}, 1, NULL};
  s = uop_value_print(ctx, &v, false);
  assert_string_equal(s, "void");
  uop_free(ctx, s);
  uop_ctx_free(ctx);
}

static void test_value_fill(void **state) {
  (void)state;
  uop_ctx *ctx = uop_ctx_new(NULL);
  int64_t n = 10000;
  uop_value a, b, c;
  const uop *p = uop_param(ctx, 0, UOP_F32, &n, 1), *q = uop_buffer(ctx, 0, UOP_F32, n);
  assert_true(uop_value_fill(p, 1, &a) && uop_value_fill(p, 1, &b) && uop_value_fill(q, 1, &c));
  assert_memory_equal(a.data, b.data, (size_t)n * 4);
  assert_memory_not_equal(a.data, c.data, (size_t)n * 4);
  float least = 1, greatest = -1;
  for (int64_t i = 0; i < n; i++) {
    float f = ((float *)a.data)[i];
    assert_true(f * 2048 == (float)(int32_t)(f * 2048));
    if (f < least) least = f;
    if (f > greatest) greatest = f;
  }
  assert_true(least >= -1 && least < -0.99f && greatest < 1 && greatest > 0.99f);
  uop_value_free(ctx, &a);
  uop_value_free(ctx, &b);
  uop_value_free(ctx, &c);
  assert_true(uop_value_fill(uop_param(ctx, 3, UOP_I32, &n, 1), 9, &a));
  int seen[201] = {0};
  for (int64_t i = 0; i < n; i++) {
    int32_t k = ((int32_t *)a.data)[i];
    assert_in_range(k + 100, 0, 200);
    seen[k + 100]++;
  }
  for (int i = 0; i < 201; i++) assert_true(seen[i] > 10);
  uop_value_free(ctx, &a);
  assert_true(uop_value_fill(uop_param(ctx, 3, UOP_BOOL, &n, 1), 9, &a));
  assert_true(uop_value_fill(uop_param(ctx, 0, UOP_F16, &n, 1), 1, &b));
  uop_value_free(ctx, &a);
  uop_value_free(ctx, &b);
  assert_false(uop_value_fill(uop_add(p, p), 1, &a));
  assert_string_equal(uop_error(ctx)->message, "ADD is no input");
  uop_ctx_free(ctx);
}

/* ---- .npy ---- */

/* A file: version, header text (filled up to 64 as numpy does), and data. */
static size_t make_npy(unsigned char *b, int version, const char *dict, const void *data,
                       size_t n) {
  size_t fixed = version == 1 ? 10 : 12, len = strlen(dict) + 1;
  while ((fixed + len) % 64) len++;
  memcpy(b, "\x93NUMPY", 6);
  b[6] = (unsigned char)version;
  b[7] = 0;
  b[8] = (unsigned char)(len & 255);
  b[9] = (unsigned char)(len >> 8);
  if (version > 1) b[10] = b[11] = 0;
  memset(b + fixed, ' ', len);
  memcpy(b + fixed, dict, strlen(dict));
  b[fixed + len - 1] = '\n';
  memcpy(b + fixed + len, data, n);
  return fixed + len + n;
}

/* Read from memory of exactly that size, so that ASan sees a byte too many. */
static char *read_npy(const unsigned char *b, size_t n) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_value v;
  unsigned char *exact = malloc(n ? n : 1);
  memcpy(exact, b, n);
  char *s;
  if (uop_npy_read(ctx, exact, n, &v)) {
    char *p = uop_value_print(ctx, &v, false);
    s = malloc(strlen(p) + 8);
    sprintf(s, "%s %s", uop_dtype_name(v.dtype), p);
    uop_free(ctx, p);
    uop_value_free(ctx, &v);
  } else {
    s = error_text(ctx);
  }
  free(exact);
  uop_ctx_free(ctx);
  return s;
}

static void expect_npy(int version, const char *dict, const void *data, size_t n,
                       const char *want) {
  unsigned char b[2048];
  char *s = read_npy(b, make_npy(b, version, dict, data, n));
  if (strcmp(s, want)) fail_msg("%s\ngives %s\nnot   %s", dict, s, want);
  free(s);
}
#define DICT(descr, order, shape) \
  "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

static void test_npy_read(void **state) {
  (void)state;
  const unsigned char little[] = {1, 0, 0, 0, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0};
  const unsigned char big[] = {0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 4};
  const unsigned char floats[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x80};
  const unsigned char big_floats[] = {0x3f, 0x80, 0, 0, 0x80, 0, 0, 0};
  const unsigned char halves[] = {0x00, 0x3c, 0x00, 0xc0};
  const unsigned char truths[] = {1, 0, 7};
  for (int version = 1; version <= 3; version++)
    expect_npy(version, DICT("<i4", "False", "(4,)"), little, 16, "i32 [1, 2, -1, 4]");
  expect_npy(1, DICT(">i4", "False", "(2, 2)"), big, 16, "i32 [[1, 2], [-1, 4]]");
  expect_npy(1, DICT("<i4", "True", "(2, 2)"), little, 16, "i32 [[1, -1], [2, 4]]");
  expect_npy(1, DICT(">i4", "True", "(1, 4, 1)"), big, 16, "i32 [[[1], [2], [-1], [4]]]");
  expect_npy(1, DICT("<f4", "False", "(2,)"), floats, 8, "f32 [1.0, -0.0]");
  expect_npy(1, DICT(">f4", "False", "(2,)"), big_floats, 8, "f32 [1.0, -0.0]");
  expect_npy(1, DICT("<f2", "False", "(2,)"), halves, 4, "f16 [1.0, -2.0]");
  expect_npy(1, DICT(">f2", "False", "(1,)"), halves + 1, 2, "f16 [1.0]");
  expect_npy(1, DICT("|b1", "False", "(3,)"), truths, 3, "bool [true, false, true]");
  expect_npy(1, DICT("?", "False", "(3,)"), truths, 3, "bool [true, false, true]");
  expect_npy(1, DICT("<i4", "False", "()"), little, 4, "i32 1");
  expect_npy(1, DICT("<i4", "False", "(0, 3)"), "", 0, "i32 []");
  expect_npy(1, DICT("<i4", "False", "(2L, 2L)"), little, 16, "i32 [[1, 2], [-1, 4]]");
  expect_npy(1, "{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<i4\"}", little, 4, "i32 [1]");
  const uint16_t one = 1;
  bool is_little = *(const unsigned char *)&one == 1;
  expect_npy(1, DICT("=i4", "False", "(4,)"), is_little ? little : big, 16, "i32 [1, 2, -1, 4]");
}

static void test_npy_malformed(void **state) {
  (void)state;
  const unsigned char z[64] = {0};
#define BAD(dict, n, want) expect_npy(1, dict, z, n, "error 18: npy: " want)
  BAD(DICT("<i4", "False", "(3, 4)"), 40, "i32(3, 4) has 48 bytes, the file 40 after its header");
  BAD(DICT("<i4", "False", "(2,)"), 9, "i32(2,) has 8 bytes, the file 9 after its header");
  BAD(DICT("<f4", "False", "(2147483647,)"), 4,
      "f32(2147483647,) has 8589934588 bytes, the file 4 after its header");
  BAD(DICT("<i8", "False", "(1,)"), 8,
      "dtype '<i8' is not supported: save it with .astype('int32')");
  BAD(DICT("<f8", "False", "(1,)"), 8,
      "dtype '<f8' is not supported: save it with .astype('float32')");
  BAD(DICT("|u1", "False", "(1,)"), 1,
      "dtype '|u1' is not supported: save it with .astype('int32')");
  BAD(DICT("<c8", "False", "(1,)"), 8,
      "dtype '<c8' is not supported: save only bool, int32, float32 or float16");
  BAD(DICT("", "False", "(1,)"), 8,
      "dtype '' is not supported: save only bool, int32, float32 or float16");
  BAD("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", 4,
      "structured arrays are not supported: save one field");
  BAD(DICT("<i4", "Maybe", "(1,)"), 4, "fortran_order is neither True nor False");
  BAD(DICT("<i4", "False", "(1"), 4, "its shape is no tuple of sizes");
  BAD(DICT("<i4", "False", "(1, 2"), 4, "its shape is no tuple of sizes");
  BAD(DICT("<i4", "False", "(1, 2 3)"), 4, "its header lacks a ')'");
  BAD(DICT("<i4", "False", "(3)"), 4, "its shape is no tuple of sizes");
  BAD(DICT("<i4", "False", "(-1,)"), 4, "its shape is no tuple of sizes");
  BAD(DICT("<i4", "False", "(,)"), 4, "its shape is no tuple of sizes");
  BAD(DICT("<i4", "False", "5"), 4, "its header lacks a '('");
  BAD("{'descr': '<i4', 'fortran_order': False}", 4, "its header has no 'shape'");
  BAD("{'fortran_order': False, 'shape': (1,)}", 4, "its header has no 'descr'");
  BAD("{'descr': '<i4', 'shape': (1,)}", 4, "its header has no 'fortran_order'");
  BAD("{'descr': '<i4', 'descr': '<i4'}", 4, "its header has 'descr' twice");
  BAD("{'x': 1}", 4, "its header has a key 'x', which is none of the format's");
  BAD("{'descr' '<i4'}", 4, "its header lacks a ':'");
  BAD("{'descr': '<i4' 'shape': (1,)}", 4, "its header lacks a '}'");
  BAD("{'descr': '<i4", 4, "a string in its header does not end");
  BAD("{1: 2}", 4, "its header has no string where one is meant");
  BAD("", 4, "its header lacks a '{'");
  BAD(DICT("<i4", "False", "(1,)") " x", 4, "its header goes on after the '}'");
  expect_npy(1, DICT("<i4", "False", "(65536, 65536)"), z, 4,
             "error 2: npy: shape (65536, 65536): it has more than 2147483647 elements (UOP_MAX_NUMEL)");
  expect_npy(1, DICT("<i4", "False", "(4294967296, 0)"), z, 4,
             "error 2: npy: shape (4294967296, 0): a dimension is outside 0..2147483647 (UOP_MAX_DIM)");
  expect_npy(
      1,
      DICT("<i4", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
      z, 4, "error 2: npy: rank is above 32 (UOP_MAX_RANK)");
  expect_npy(4, DICT("<i4", "False", "(1,)"), z, 4,
             "error 18: npy: format version 4.0 is not supported (1.0, 2.0, 3.0 are)");
}

static void test_npy_cut_and_changed(void **state) {
  (void)state;
  /* Every prefix is refused, and a byte changed anywhere is read or refused, never out of bounds.
   */
  unsigned char b[512];
  const float x[6] = {1, 2, 3, 4, 5, 6};
  for (int version = 1; version <= 2; version++) {
    size_t n = make_npy(b, version, DICT("<f4", "True", "(2, 3)"), x, sizeof x);
    for (size_t k = 0; k < n; k++) {
      char *s = read_npy(b, k);
      assert_memory_equal(s, "error 18: npy: ", 15);
      free(s);
      for (int bit = 0; bit < 8; bit++) {
        b[k] ^= (unsigned char)(1 << bit);
        free(read_npy(b, n));
        b[k] ^= (unsigned char)(1 << bit);
      }
    }
  }
  char *s = read_npy((const unsigned char *)"PK\x03\x04 a zip file", 16);
  assert_string_equal(s, "error 18: npy: it does not begin as a .npy file does");
  free(s);
  s = read_npy((const unsigned char *)"\x93NUMPY\x01\x00\xff\xff", 10);
  assert_string_equal(s, "error 18: npy: cut off in its header: that has 65545 bytes, the file 10");
  free(s);
  s = read_npy((const unsigned char *)"\x93NUMPY\x01", 7);
  assert_string_equal(s, "error 18: npy: cut off in its header, after 7 bytes");
  free(s);
}

static void test_npy_write(void **state) {
  (void)state;
  static const struct {
    const char *dtype, *text, *want;
  } row[] = {
      {"i32", "[[1, -2], [3, 4]]", "'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }"},
      {"f32", "-0.0", "'descr': '<f4', 'fortran_order': False, 'shape': (), }"},
      {"f16", "[nan, 0.5, 1]", "'descr': '<f2', 'fortran_order': False, 'shape': (3,), }"},
      {"bool", "[true, false]", "'descr': '|b1', 'fortran_order': False, 'shape': (2,), }"},
      {"f32", "[[], []]", "'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    uop_ctx *ctx = uop_ctx_new(NULL);
    uop_value v, back;
    size_t n;
    assert_true(uop_value_parse(ctx, row[i].text, strlen(row[i].text),
                                dtype_named(row[i].dtype, strlen(row[i].dtype)), &v));
    unsigned char *b = uop_npy_write(ctx, &v, &n);
    assert_non_null(b);
    size_t data = n - (size_t)v.count * uop_dtype_size(v.dtype);
    assert_int_equal(data % 64, 0);
    assert_int_equal(b[data - 1], '\n');
    assert_int_equal(b[8] | b[9] << 8, data - 10);
    assert_memory_equal(b + 11, row[i].want, strlen(row[i].want));
    assert_true(uop_npy_read(ctx, b, n, &back));
    assert_int_equal(back.dtype, v.dtype);
    assert_int_equal(back.rank, v.rank);
    assert_memory_equal(back.dims, v.dims, v.rank * sizeof *v.dims);
    assert_memory_equal(back.data, v.data, (size_t)v.count * uop_dtype_size(v.dtype));
    uop_value_free(ctx, &back);
    uop_value_free(ctx, &v);
    uop_free(ctx, b);
    uop_value none = {UOP_VOID, 0, {0}, 1, NULL};
    assert_null(uop_npy_write(ctx, &none, &n));
    assert_int_equal(uop_error(ctx)->code, UOP_E_DTYPE);
    uop_ctx_free(ctx);
  }
}

/* ---- allocation failure ---- */

typedef struct rationed {
  long left;    /* allocations that still succeed; negative: all */
  size_t bytes; /* alive */
} rationed;

static void *ration(void *user, void *p, size_t old, size_t size) {
  rationed *r = user;
  if (size == 0) {
    r->bytes -= p ? old : 0;
    free(p);
    return NULL;
  }
  if (r->left == 0) return NULL;
  if (r->left > 0) r->left--;
  void *q = realloc(p, size);
  r->bytes += size - (p ? old : 0);
  return q;
}

typedef bool (*attempt)(uop_ctx *ctx, const uop *u);

static void drop_warning(void *user, const uop_diag *w) {
  (void)user;
  (void)w;
}

static bool attempt_run(uop_ctx *ctx, const uop *u) {
  uop_value v = {0}, out;
  uop_run_options o = {.warn = drop_warning};
  uop_run *r = uop_run_new(ctx, &o);
  bool ok = r && uop_value_fill(u->src[0], 1, &v) && uop_run_set(r, UOP_PARAM, 0, &v) &&
            uop_run_eval(r, u, &out);
  uop_run_free(r);
  uop_value_free(ctx, &v);
  return ok;
}
static bool attempt_text(uop_ctx *ctx, const uop *u) {
  (void)u;
  uop_value v, w = {0};
  const char *text = "[[1, 2, 3, 4], [5, 6, 7, 8]]";
  if (!uop_value_parse(ctx, text, strlen(text), UOP_F32, &v)) return false;
  char *s = uop_value_print(ctx, &v, true);
  size_t n;
  void *b = s ? uop_npy_write(ctx, &v, &n) : NULL;
  bool ok = b && uop_npy_read(ctx, b, n, &w);
  uop_value_free(ctx, &w);
  uop_free(ctx, b);
  uop_free(ctx, s);
  uop_value_free(ctx, &v);
  return ok;
}

static void fail_each_allocation(attempt try, const uop *u, uop_ctx *ctx, rationed *r) {
  int failures = 0;
  size_t before = r->bytes;
  for (long n = 0;; n++) {
    uop_error_clear(ctx);
    r->left = n;
    bool ok = try(ctx, u);
    r->left = -1;
    assert_int_equal(r->bytes, before);
    if (ok) break;
    assert_int_equal(uop_error(ctx)->code, UOP_E_MEMORY);
    failures++;
  }
  print_message("%d allocations failed, one after the other\n", failures);
  assert_true(failures > 2);
}

static void test_allocation_failure(void **state) {
  (void)state;
  rationed r = {-1, 0};
  uop_options o = {ration, &r, 0, 0};
  uop_ctx *ctx = uop_ctx_new(&o);
  int64_t dims[] = {2, 3};
  const uop *x = uop_param(ctx, 0, UOP_I32, dims, 2);
  const uop *body =
      uop_floordiv(uop_permute(uop_param(ctx, 0, UOP_I32, dims, 2), UOP_DIMS(1, 0)), 0);
  const uop *y = uop_reduce(uop_call(body, "f", x), UOP_ADD, 2);
  for (int i = 0; i < 40; i++) y = uop_where(uop_lt(y, i), uop_add(y, 1), uop_mul(y, 2));
  const uop *u = uop_stack(ctx, y, y);
  u = uop_add(x, uop_expand(uop_reshape(u, UOP_DIMS(2, 1)), UOP_DIMS(2, 3)));
  assert_non_null(u);
  fail_each_allocation(attempt_run, u, ctx, &r);
  fail_each_allocation(attempt_text, u, ctx, &r);
  uop_ctx_free(ctx);
  assert_int_equal(r.bytes, 0);
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
      cmocka_unit_test(case_42_deep_chain),
      cmocka_unit_test(case_43_param_in_two_bodies),
      cmocka_unit_test(case_44_all_params_at_once),
      cmocka_unit_test(case_45_chain_of_calls),
      cmocka_unit_test(test_elementwise),
      cmocka_unit_test(test_movement),
      cmocka_unit_test(test_memory_as_operand),
      cmocka_unit_test(test_reduce),
      cmocka_unit_test(test_reduce_order),
      cmocka_unit_test(test_assert),
      cmocka_unit_test(test_lazy_arguments),
      cmocka_unit_test(test_shared_argument),
      cmocka_unit_test(test_void_call),
      cmocka_unit_test(test_call_of_arrays),
      cmocka_unit_test(test_doubling),
      cmocka_unit_test(test_inputs),
      cmocka_unit_test(test_setting_inputs),
      cmocka_unit_test(test_unsupported),
      cmocka_unit_test(test_division_warning),
      cmocka_unit_test(test_warning_may_evaluate),
      cmocka_unit_test(test_budgets),
      cmocka_unit_test(test_frames_give_back),
      cmocka_unit_test(test_continue_after_error),
      cmocka_unit_test(test_canonical_nan),
      cmocka_unit_test(test_deep_calls),
      cmocka_unit_test(test_wide_stack),
      cmocka_unit_test(test_value_text),
      cmocka_unit_test(test_value_text_errors),
      cmocka_unit_test(test_value_print_short),
      cmocka_unit_test(test_value_fill),
      cmocka_unit_test(test_npy_read),
      cmocka_unit_test(test_npy_malformed),
      cmocka_unit_test(test_npy_cut_and_changed),
      cmocka_unit_test(test_npy_write),
      cmocka_unit_test(test_allocation_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
