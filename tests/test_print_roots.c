/* test_print_roots.c - several roots as one text: which lines are bare, what the last one is, and
 * that reading it back gives the roots again. */
#include "uop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uop_ctx *ctx;
static const uop *x, *y, *one, *two;

static int begin(void **state) {
  (void)state;
  if (!(ctx = uop_ctx_new(NULL))) return -1;
  x = uop_param(ctx, 0, UOP_I32, NULL, 0), y = uop_param(ctx, 1, UOP_I32, NULL, 0);
  one = uop_const_of_i32(ctx, 1), two = uop_const_of_i32(ctx, 2);
  return 0;
}
static int end(void **state) {
  (void)state;
  if (uop_error(ctx)->code) fail_msg("left over: %s", uop_error(ctx)->message);
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  uop_ctx_free(ctx);
  return 0;
}

/* Read back, the roots are the ASSERTs in some order and the result. */
static void reads_back(const char *text, size_t len, const uop *const *roots, size_t n) {
  uop_program *p = uop_program_parse(ctx, text, len, NULL);
  if (!p) fail_msg("%s\n%s", text, uop_error(ctx)->message);
  assert_ptr_equal(p->result, roots[n - 1]);
  for (size_t i = 0; i < n; i++) {
    bool found = roots[i]->op != UOP_ASSERT && i + 1 < n; /* a statement, and no root */
    for (size_t k = 0; k < p->roots.len; k++) found |= p->roots.at[k] == roots[i];
    if (!found) fail_msg("%s\nroot %d is not read back", text, (int)i);
  }
  uop_program_free(p);
}

static void expect(const char *want, const uop *const *roots, size_t n) {
  size_t len;
  char *got = uop_print_roots(ctx, roots, n, &len);
  if (!got) fail_msg("%s", uop_error(ctx)->message);
  assert_string_equal(got, want);
  assert_int_equal(len, strlen(want));
  while (n && !roots[n - 1]) n--;
  bool all = n > 0;
  for (size_t i = 0; i < n; i++) all &= roots[i] != NULL;
  if (all) reads_back(got, len, roots, n);
  uop_free(ctx, got);
}
#define EXPECT(want, ...) \
  expect((want), (const uop *[]){__VA_ARGS__}, sizeof((const uop *[]){__VA_ARGS__}) / sizeof(uop *))

static void test_one_root_is_as_uop_print(void **state) {
  (void)state;
  const uop *u = uop_add(uop_mul(x, 3), y);
  char *want = uop_print(u, NULL);
  EXPECT(want, u);
  uop_free(ctx, want);
}

static void test_asserts_are_bare_and_the_result_last(void **state) {
  (void)state;
  const uop *a = uop_assert(uop_add(x, 1), 2), *b = uop_assert(y, 3), *r = uop_mul(x, y);
  EXPECT("%0 = param : slot=0 dtype=i32\n"
         "%1 = add %0, 1\n"
         "assert %1, 2\n"
         "%2 = param : slot=1 dtype=i32\n"
         "assert %2, 3\n"
         "%3 = mul %0, %2\n",
         a, b, r);
}

static void test_a_constant_result_has_a_line(void **state) {
  (void)state;
  EXPECT("%0 = const 2\n", two);
  EXPECT("%0 = param : slot=0 dtype=i32\n"
         "assert %0, 1\n"
         "%1 = const 1\n",
         uop_assert(x, 1), one);
}

static void test_a_result_that_was_printed_is_named_again(void **state) {
  (void)state;
  EXPECT("%0 = param : slot=0 dtype=i32\n"
         "%1 = add %0, 1\n"
         "%2 = mul %1, 2\n"
         "%3 = %1\n",
         uop_mul(uop_add(x, 1), 2), uop_add(x, 1));
}

static void test_roots_are_printed_once(void **state) {
  (void)state;
  const uop *a = uop_assert(x, 1), *b = uop_assert(1, uop_const_of_i32(ctx, 1));
  EXPECT("%0 = param : slot=0 dtype=i32\n"
         "assert %0, 1\n"
         "assert 1, 1\n"
         "%1 = param : slot=1 dtype=i32\n",
         a, b, a, b, y);
  EXPECT("assert 1, 1\n", b, b);
  /* the result is last, wherever it stands as well */
  EXPECT("%0 = param : slot=0 dtype=i32\n"
         "assert %0, 1\n"
         "%1 = assert 1, 1\n",
         b, a, b);
}

static void test_nothing(void **state) {
  (void)state;
  expect("", NULL, 0);
  EXPECT("", NULL, NULL);
  EXPECT("%0 = const 1\n", NULL, one, NULL);
  char *s = uop_print_roots(ctx, NULL, 0, NULL); /* the length may be left out */
  assert_string_equal(s, "");
  uop_free(ctx, s);
  assert_null(uop_print_roots(NULL, NULL, 0, NULL));
}

static void test_an_assert_that_a_root_uses_is_named(void **state) {
  (void)state;
  const uop *a = uop_assert(x, 1);
  EXPECT("%0 = param : slot=0 dtype=i32\n"
         "%1 = assert %0, 1\n"
         "%2 = sink %1\n"
         "%3 = param : slot=1 dtype=i32\n",
         a, uop_sink(ctx, &a, 1), y);
}

static void test_a_program_prints_as_its_roots(void **state) {
  (void)state;
  static const char text[] = "%a = add (param 0 dtype=i32) 1\nassert %a 2\n%f = assert 3 3\n"
                             "%b = mul %a %a\nassert %b 4\n%c = %a\n";
  uop_program *p = uop_program_parse(ctx, text, sizeof text - 1, NULL);
  assert_non_null(p);
  char *want = uop_program_print(p, NULL);
  expect(want, p->roots.at, p->roots.len);
  uop_free(ctx, want);
  uop_program_free(p);
}

static void test_foreign(void **state) {
  (void)state;
  uop_ctx *other = uop_ctx_new(NULL);
  const uop *mixed[] = {x, uop_const_of_i32(other, 1)};
  assert_null(uop_print_roots(ctx, mixed, 2, NULL));
  assert_int_equal(uop_error(ctx)->code, UOP_E_CONTEXT);
  uop_error_clear(ctx);
  uop_ctx_free(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(one_root_is_as_uop_print),
      TEST(asserts_are_bare_and_the_result_last),
      TEST(a_constant_result_has_a_line),
      TEST(a_result_that_was_printed_is_named_again),
      TEST(roots_are_printed_once),
      TEST(nothing),
      TEST(an_assert_that_a_root_uses_is_named),
      TEST(a_program_prints_as_its_roots),
      TEST(foreign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
