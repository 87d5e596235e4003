/* test_value_print.c - arrays as text: the layout, which is numpy's, and that it reads back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uop.h"

static void expect(const uop_value *v, bool full, uint32_t indent, const char *want) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  char *s = uop_value_print(ctx, v, full, indent);
  assert_non_null(s);
  if (strcmp(s, want)) fail_msg("printed\n%s\nnot\n%s", s, want);
  uop_free(ctx, s);
  uop_ctx_free(ctx);
}

/* ---- the layout ---- */

static void test_rows(void **state) {
  (void)state;
  float f[] = {1, 2, 10, 20, -0.0f, 0.5f};
  uop_value v = {.dtype = UOP_F32, .rank = 2, .dims = {2, 2}, .count = 4, .data = f};
  expect(&v, false, 0, "[[ 1.0,  2.0],\n [10.0, 20.0]]");
  expect(&v, false, 5, "[[ 1.0,  2.0],\n      [10.0, 20.0]]");
  v.dims[0] = 1;
  v.dims[1] = v.count = 6;
  expect(&v, false, 5, "[[ 1.0,  2.0, 10.0, 20.0, -0.0,  0.5]]");
  v.dims[0] = 6;
  v.dims[1] = 1;
  expect(&v, false, 0, "[[ 1.0],\n [ 2.0],\n [10.0],\n [20.0],\n [-0.0],\n [ 0.5]]");
}

static void test_one_line(void **state) {
  (void)state;
  int32_t i[] = {-5, 10, 2147483647};
  uop_value v = {.dtype = UOP_I32, .rank = 1, .dims = {3}, .count = 3, .data = i};
  expect(&v, false, 9, "[-5, 10, 2147483647]");
  v = (uop_value){.dtype = UOP_I32, .rank = 0, .count = 1, .data = i};
  expect(&v, false, 9, "-5");
}

static void test_blocks(void **state) {
  (void)state;
  bool b[] = {true, false, false, false, true, true, true, true};
  uop_value v = {.dtype = UOP_BOOL, .rank = 3, .dims = {2, 2, 2}, .count = 8, .data = b};
  expect(&v, false, 1,
         "[[[ true, false],\n   [false, false]],\n\n  [[ true,  true],\n   [ true,  true]]]");
  v.rank = 4;
  memcpy(v.dims, (int64_t[]){2, 2, 2, 1}, 4 * sizeof *v.dims);
  expect(&v, false, 0,
         "[[[[ true],\n   [false]],\n\n  [[false],\n   [false]]],\n\n\n"
         " [[[ true],\n   [ true]],\n\n  [[ true],\n   [ true]]]]");
}

static void test_no_elements(void **state) {
  (void)state;
  uop_value v = {.dtype = UOP_F32, .rank = 2, .dims = {2, 0}};
  expect(&v, false, 2, "[[],\n   []]");
  v.dims[0] = 0;
  v.dims[1] = 5;
  expect(&v, true, 2, "[]");
}

/* The width is that of what is shown: -1000 is not. */
static void test_shortened(void **state) {
  (void)state;
  static int32_t x[1100];
  for (int i = 0; i < 1100; i++) x[i] = i % 10;
  x[55] = -1000;
  x[2] = 25;
  uop_value v = {.dtype = UOP_I32, .rank = 2, .dims = {100, 11}, .count = 1100, .data = x};
  expect(&v, false, 1,
         "[[ 0,  1, 25, ...,  8,  9,  0],\n"
         "  [ 1,  2,  3, ...,  9,  0,  1],\n"
         "  [ 2,  3,  4, ...,  0,  1,  2],\n"
         "  ...,\n"
         "  [ 7,  8,  9, ...,  5,  6,  7],\n"
         "  [ 8,  9,  0, ...,  6,  7,  8],\n"
         "  [ 9,  0,  1, ...,  7,  8,  9]]");
  x[2] = 2;
  v = (uop_value){.dtype = UOP_I32, .rank = 3, .dims = {7, 1, 157}, .count = 1099, .data = x};
  expect(&v, false, 0,
         "[[[0, 1, 2, ..., 4, 5, 6]],\n\n [[7, 8, 9, ..., 1, 2, 3]],\n\n"
         " [[4, 5, 6, ..., 8, 9, 0]],\n\n ...,\n\n [[8, 9, 0, ..., 2, 3, 4]],\n\n"
         " [[5, 6, 7, ..., 9, 0, 1]],\n\n [[2, 3, 4, ..., 6, 7, 8]]]");
}

static void test_strides(void **state) {
  (void)state;
  int32_t x[] = {1, 2, 30, 4, 5, 60};
  int64_t columns[] = {1, 3}, same[] = {0, 0}, back[] = {-1};
  uop_value v = {.dtype = UOP_I32, .rank = 2, .dims = {3, 2}, .count = 6, .data = x};
  v.strides = columns;
  expect(&v, false, 0, "[[ 1,  4],\n [ 2,  5],\n [30, 60]]");
  v.strides = same;
  expect(&v, false, 0, "[[1, 1],\n [1, 1],\n [1, 1]]");
  v = (uop_value){.dtype = UOP_I32, .rank = 1, .dims = {6}, .count = 6, .data = x + 5};
  v.strides = back;
  expect(&v, false, 0, "[60, 5, 4, 30, 2, 1]");
}

/* ---- and back ---- */

static uint64_t next(uint64_t *state) { /* xorshift64 (Marsaglia, 2003) */
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

static uint64_t below(uint64_t *state, uint64_t n) { return (next(state) >> 16) % n; }

/* Any bits, every fourth time a small number: text of all lengths. */
static void fill(uop_dtype d, void *data, size_t n, uint64_t *state) {
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = next(state) >> 16;
    bool small = below(state, 4) == 0;
    switch (d) {
    case UOP_BOOL: ((bool *)data)[i] = bits & 1; break;
    case UOP_I32:
      ((int32_t *)data)[i] = small ? (int32_t)(bits % 9) : (int32_t)(uint32_t)bits;
      break;
    case UOP_F16: ((uint16_t *)data)[i] = small ? 0x3c00 : (uint16_t)bits; break;
    default:
      if (small)
        ((float *)data)[i] = (float)(bits % 9);
      else
        memcpy((float *)data + i, &(uint32_t){(uint32_t)bits}, 4);
      break;
    }
  }
}

/* As the language has it: one NaN. */
static void make_canonical(uop_value *v) {
  for (int64_t i = 0; i < v->count; i++) {
    uint32_t *f = (uint32_t *)v->data + i;
    uint16_t *h = (uint16_t *)v->data + i;
    if (v->dtype == UOP_F32 && (*f & 0x7fffffff) > 0x7f800000) *f = 0x7fc00000;
    if (v->dtype == UOP_F16 && (*h & 0x7fff) > 0x7c00) *h = 0x7e00;
  }
}

/* Strides of the axes in a random order, of the dims in v. */
static void shuffle_strides(const uop_value *v, int64_t *strides, uint64_t *state) {
  uint32_t order[UOP_MAX_RANK];
  for (uint32_t i = 0; i < v->rank; i++) {
    uint64_t k = below(state, i + 1);
    order[i] = order[k];
    order[k] = i;
  }
  int64_t step = 1;
  for (uint32_t i = 0; i < v->rank; i++) {
    strides[order[i]] = step;
    step *= v->dims[order[i]];
  }
}

static void round_trip(uop_ctx *ctx, uop_value *v, uint32_t indent) {
  uop_value packed, back;
  char *s = uop_value_print(ctx, v, true, indent);
  assert_non_null(s);
  assert_true(uop_value_pack(ctx, v, &packed));
  make_canonical(&packed);
  if (!uop_value_parse(ctx, s, strlen(s), v->dtype, &back))
    fail_msg("%s\n%s", s, uop_error(ctx)->message);
  assert_int_equal(back.rank, v->rank);
  assert_memory_equal(back.dims, v->dims, v->rank * sizeof *v->dims);
  assert_memory_equal(back.data, packed.data, (size_t)v->count * uop_dtype_size(v->dtype));
  uop_value_free(ctx, &back);
  uop_value_free(ctx, &packed);
  uop_free(ctx, s);
}

static void test_random(void **unused) {
  (void)unused;
  static const uop_dtype dtypes[] = {UOP_BOOL, UOP_I32, UOP_F16, UOP_F32};
  uint64_t state = 88172645463325252u;
  uop_ctx *ctx = uop_ctx_new(NULL);
  for (int i = 0; i < 4000; i++) {
    int64_t strides[UOP_MAX_RANK];
    uop_value v = {.dtype = dtypes[i % 4], .rank = (uint32_t)below(&state, 6), .count = 1};
    if (i % 500 == 0) v.rank = UOP_MAX_RANK;
    for (uint32_t k = 0; k < v.rank; k++) {
      v.dims[k] = v.rank == UOP_MAX_RANK ? 1 + (k % 11 == 4) : 1 + (int64_t)below(&state, 4);
      v.count *= v.dims[k];
    }
    if (v.rank && below(&state, 20) == 0) { /* the last axis alone: what is after a 0 is lost */
      v.dims[v.rank - 1] = 0;
      v.count = 0;
    }
    shuffle_strides(&v, strides, &state);
    if (below(&state, 2)) v.strides = strides;
    v.data = malloc((size_t)v.count * 4 + 1);
    fill(v.dtype, v.data, (size_t)v.count, &state);
    round_trip(ctx, &v, (uint32_t)below(&state, 20));
    free(v.data);
  }
  uop_ctx_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),      cmocka_unit_test(test_one_line),
      cmocka_unit_test(test_blocks),    cmocka_unit_test(test_no_elements),
      cmocka_unit_test(test_shortened), cmocka_unit_test(test_strides),
      cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
