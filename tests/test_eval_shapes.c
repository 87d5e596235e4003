/* test_eval_shapes.c - ops that move elements or name them, memory as an operand, many sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/run.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_movement),
      cmocka_unit_test(test_memory_as_operand),
      cmocka_unit_test(test_wide_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
