/* test_value.c - values on their own: read from text, printed, filled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/run.h"

static char *round_trip(const char *dtype, const char *text, bool full) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_value v;
  char *s;
  if (uop_value_parse(ctx, text, strlen(text), dtype_named(dtype, strlen(dtype)), &v)) {
    char *p = uop_value_print(ctx, &v, full, 0);
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
  expect_text("i32", "[[1, 2], [3, 4]]", "[[1, 2],\n [3, 4]]");
  expect_text("i32", "[\n[ ] ,\t[]]\n", "[[],\n []]");
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
  uop_value v = {.dtype = UOP_I32, .rank = 1, .dims = {N}, .count = N, .data = x};
  char *s = uop_value_print(ctx, &v, false, 0);
  assert_string_equal(s, "[0, 1, 2, ..., 998, 999, 1000]");
  uop_free(ctx, s);
  v.dims[0] = v.count = 1000;
  s = uop_value_print(ctx, &v, false, 0);
  assert_null(strstr(s, "..."));
  uop_free(ctx, s);
  v = (uop_value){.dtype = UOP_I32, .rank = 2, .dims = {143, 7}, .count = N, .data = x};
  s = uop_value_print(ctx, &v, false, 0);
  assert_string_equal(s, "[[   0,    1,    2, ...,    4,    5,    6],\n"
                         " [   7,    8,    9, ...,   11,   12,   13],\n"
                         " [  14,   15,   16, ...,   18,   19,   20],\n"
                         " ...,\n"
                         " [ 980,  981,  982, ...,  984,  985,  986],\n"
                         " [ 987,  988,  989, ...,  991,  992,  993],\n"
                         " [ 994,  995,  996, ...,  998,  999, 1000]]");
  uop_free(ctx, s);
  s = uop_value_print(ctx, &v, true, 0);
  assert_null(strstr(s, "..."));
  uop_value back;
  assert_true(uop_value_parse(ctx, s, strlen(s), UOP_I32, &back));
  assert_int_equal(back.rank, 2);
  assert_memory_equal(back.data, x, sizeof x);
  uop_value_free(ctx, &back);
  uop_free(ctx, s);
  /* Brackets alone can be too many. */
  v = (uop_value){.dtype = UOP_I32, .rank = 2, .dims = {2147483647, 0}, .count = 0, .data = NULL};
  s = uop_value_print(ctx, &v, true, 0);
  assert_string_equal(s, "[[],\n [],\n [],\n ...,\n [],\n [],\n []]");
  uop_free(ctx, s);
  v = (uop_value){.dtype = UOP_VOID, .rank = 0, .dims = {0}, .count = 1, .data = NULL};
  s = uop_value_print(ctx, &v, false, 0);
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

/* An effect's value is of no bytes, and has no data to be read. */
static void test_value_pack_void(void **state) {
  (void)state;
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_value v = {.dtype = UOP_VOID, .count = 1}, packed;
  assert_true(uop_value_pack(ctx, &v, &packed));
  assert_int_equal(packed.dtype, UOP_VOID);
  assert_int_equal(packed.count, 1);
  uop_value_free(ctx, &packed);
  uop_ctx_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_value_text),        cmocka_unit_test(test_value_text_errors),
      cmocka_unit_test(test_value_print_short), cmocka_unit_test(test_value_fill),
      cmocka_unit_test(test_value_pack_void),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
