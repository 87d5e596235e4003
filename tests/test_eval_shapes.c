/* test_eval_shapes.c - ops that move elements or name them, memory as an operand, many sources,
 * shapes without elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- shapes without elements ---- */

/* The value of u has this shape, and each element, if there are any, these bits. */
static void expect_all(uop_run *run, const uop *u, const int64_t *dims, size_t rank,
                       const void *bits) {
  uop_value out;
  if (!u || !uop_run_eval(run, u, &out)) fail_msg("it has no value");
  size_t size = uop_dtype_size(out.dtype);
  assert_int_equal(out.dtype, u->dtype);
  assert_int_equal(out.rank, rank);
  assert_memory_equal(out.dims, dims, rank * sizeof *dims);
  assert_int_equal(out.count, uop_numel(u));
  for (size_t i = 0; i < (size_t)out.count; i++)
    assert_memory_equal((char *)out.data + i * size, bits, size);
}
#define IS(u, bits, ...)   expect_all(run, u, UOP_DIMS(__VA_ARGS__), bits)
#define IS_SCALAR(u, bits) expect_all(run, u, NULL, 0, bits)
#define IS_EMPTY(u, ...)   expect_all(run, u, UOP_DIMS(__VA_ARGS__), NULL)

static const struct {
  uop_dtype dtype;
  uint32_t least; /* what REDUCE max of nothing is */
} dtypes[] = {{UOP_BOOL, 0}, {UOP_I32, 0x80000000u}, {UOP_F32, 0xff800000u}, {UOP_F16, 0xfc00}};

static const uop *empty_input(uop_run *run, uop_ctx *ctx, int64_t slot, uop_dtype d,
                              const int64_t *dims, size_t rank) {
  uop_value v = {.dtype = d, .rank = (uint32_t)rank}; /* no elements need no memory */
  memcpy(v.dims, dims, rank * sizeof *dims);
  assert_true(uop_run_set(run, UOP_PARAM, slot, &v));
  return uop_param(ctx, slot, d, dims, rank);
}

static void test_empty(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
    uop_dtype d = dtypes[i].dtype;
    uint32_t word = dtypes[i].least, zero = 0;
    uint16_t half = (uint16_t)word;
    const void *least = d == UOP_F16 ? (void *)&half : &word;
    uop_ctx *ctx = uop_ctx_new(NULL);
    uop_run *run = uop_run_new(ctx, NULL);
    const uop *x = empty_input(run, ctx, 0, d, UOP_DIMS(0));
    const uop *tall = empty_input(run, ctx, 1, d, UOP_DIMS(3, 0));
    const uop *wide = empty_input(run, ctx, 2, d, UOP_DIMS(0, 3));
    IS_SCALAR(uop_reduce(x, UOP_ADD, 1), &zero);
    IS_SCALAR(uop_reduce(tall, UOP_ADD, 2), &zero);
    IS(uop_reduce(tall, UOP_ADD, 1), &zero, 3);
    IS_SCALAR(uop_reduce(wide, UOP_ADD, 2), &zero);
    IS_EMPTY(uop_reduce(wide, UOP_ADD, 1), 0);
    IS_SCALAR(uop_reduce(x, UOP_MAX, 1), least);
    IS_SCALAR(uop_reduce(tall, UOP_MAX, 2), least);
    IS(uop_reduce(tall, UOP_MAX, 1), least, 3);
    IS_SCALAR(uop_reduce(wide, UOP_MAX, 2), least);
    IS_EMPTY(uop_reduce(wide, UOP_MAX, 1), 0);
    IS_EMPTY(uop_reduce(wide, UOP_ADD, 0), 0, 3);

    IS_EMPTY(x, 0);
    IS_EMPTY(wide, 0, 3);
    IS_EMPTY(uop_reshape(x, UOP_DIMS(0, 3)), 0, 3);
    IS_EMPTY(uop_reshape(x, UOP_DIMS(1, 0, 5)), 1, 0, 5);
    IS_EMPTY(uop_reshape(tall, UOP_DIMS(0)), 0);
    IS_EMPTY(uop_reshape(wide, UOP_DIMS(3, 0)), 3, 0);
    IS_EMPTY(uop_permute(wide, UOP_DIMS(1, 0)), 3, 0);
    const int64_t one_row[] = {1, 2, 0, 0}, none[] = {0, 0, 1, 2};
    IS_EMPTY(uop_shrink(tall, one_row, 2), 1, 0);
    IS_EMPTY(uop_shrink(wide, none, 2), 0, 1);
    IS_EMPTY(uop_stack(ctx, tall, tall), 2, 3, 0);
    IS_EMPTY(uop_index(tall, 2), 0);
    assert_null(uop_reshape(x, UOP_DIMS(3)));
    uop_error_clear(ctx);
    uop_value out;
    assert_false(uop_run_eval(run, uop_index(wide, 0), &out));
    assert_string_equal(uop_error(ctx)->message,
                        "INDEX: index 0 is outside axis 0 of shape (0, 3)");

    const uop *one = uop_cast(uop_const_of_i32(ctx, 1), d);
    const uop *row = uop_stack(ctx, one, one, one), *column = uop_reshape(row, UOP_DIMS(3, 1));
    IS_EMPTY(uop_expand(uop_reshape(one, UOP_DIMS(1)), UOP_DIMS(0)), 0);
    IS_EMPTY(uop_expand(column, UOP_DIMS(3, 0)), 3, 0);
    IS_EMPTY(uop_add(x, 1), 0); /* a literal */
    IS_EMPTY(uop_max(1, x), 0);
    IS_EMPTY(uop_mul(wide, 0), 0, 3);
    IS_EMPTY(uop_add(x, uop_reshape(one, UOP_DIMS(1))), 0);
    IS_EMPTY(uop_add(wide, row), 0, 3);
    IS_EMPTY(uop_add(tall, column), 3, 0);
    IS_EMPTY(uop_mul(x, tall), 3, 0);
    IS_EMPTY(uop_lt(x, 1), 0);
    IS_EMPTY(uop_where(uop_ne(x, 1), x, 1), 0);
    IS_EMPTY(uop_cast(wide, UOP_F32), 0, 3);
    IS_EMPTY(uop_cast(tall, UOP_BOOL), 3, 0);
    IS_EMPTY(uop_call(uop_add(x, x), "twice", x), 0);
    assert_true(uop_run_eval(run, uop_assert(wide, uop_add(wide, row)), &out)); /* of nothing */
    assert_null(uop_add(wide, uop_stack(ctx, one, one)));
    uop_run_free(run);
    uop_ctx_free(ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_movement),
      cmocka_unit_test(test_memory_as_operand),
      cmocka_unit_test(test_wide_stack),
      cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
