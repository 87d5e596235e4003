/* test_runs.c - a run as its caller sees it: views, what is kept and for how long, what may be
 * asked and in which order, cancelling, costs. That values are right is for the other test_eval_*.
 */
#include "uop.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/count.h"

static uop_ctx *ctx;

static int setup(void **state) {
  (void)state;
  ctx = uop_ctx_new(NULL);
  return !ctx;
}

static int teardown(void **state) {
  (void)state;
  uop_ctx_free(ctx);
  return 0;
}

static const uop *f32s(int64_t slot, int64_t n) {
  return uop_param(ctx, slot, UOP_F32, UOP_DIMS(n));
}

static uop_value floats(float *x, int64_t n) {
  return (uop_value){.dtype = UOP_F32, .rank = 1, .dims = {n}, .count = n, .data = x};
}

static uop_run *run_with(const uop_run_options *o, float *x, int64_t n) {
  uop_run *r = uop_run_new(ctx, o);
  uop_value v = floats(x, n);
  assert_non_null(r);
  assert_true(uop_run_set(r, UOP_PARAM, 0, &v));
  return r;
}

static float *counting(int64_t n) { /* 0, 1, 2, … */
  float *x = malloc((size_t)n * sizeof *x);
  assert_non_null(x);
  for (int64_t i = 0; i < n; i++) x[i] = (float)i;
  return x;
}

/* ---- views ---- */

/* One element, said to be 10^8 of them: no view may read or copy them. */
static void test_views_are_free(void **state) {
  (void)state;
  counter c = {0};
  uop_options o = counted(&c);
  uop_ctx *own = uop_ctx_new(&o);
  int32_t seven = 7;
  int64_t still[] = {0, 0};
  uop_value v = {.dtype = UOP_I32,
                 .rank = 2,
                 .dims = {10000, 10000},
                 .count = 100000000,
                 .data = &seven,
                 .strides = still},
            out;
  const uop *p = uop_param(own, 0, UOP_I32, UOP_DIMS(10000, 10000));
  const uop *q = uop_shrink(uop_permute(p, UOP_DIMS(1, 0)), (int64_t[]){0, 5000, 0, 10000}, 2);
  const uop *u = uop_reshape(q, UOP_DIMS(5000, 100, 100));
  uop_run *r = uop_run_new(own, NULL);
  assert_non_null(u);
  assert_true(uop_run_set(r, UOP_PARAM, 0, &v));
  uint64_t before = c.bytes;
  assert_true(uop_run_eval(r, u, &out));
  assert_ptr_equal(out.data, &seven);
  assert_int_equal(out.count, 50000000);
  assert_in_range(uop_run_get_stats(r).bytes, 0, 0); /* of values; books are free up to 1 MiB */
  assert_in_range(c.bytes - before, 1, 1023);        /* plan, tables and all */
  assert_in_range(uop_run_get_stats(r).steps, 1, 8);
  uop_run_free(r);
  uop_ctx_free(own);
}

static void expect_floats(const uop_value *v, const float *want) {
  assert_null(v->strides);
  assert_memory_equal(v->data, want, (size_t)v->count * sizeof *want);
}

static void expect_text(const uop_value *v, const char *want) {
  char *s = uop_value_print(ctx, v, true, 0);
  assert_string_equal(s, want);
  uop_free(ctx, s);
}

static void expect_strides(const uop_value *v, const int64_t *want) {
  assert_non_null(v->strides);
  for (uint32_t i = 0; i < v->rank; i++) assert_int_equal(v->strides[i], want[i]);
}

static void test_views_have_strides(void **state) {
  (void)state;
  float *x = counting(24);
  uop_value out, packed;
  const uop *p = uop_reshape(f32s(0, 24), UOP_DIMS(2, 3, 4));
  uop_run *r = run_with(NULL, x, 24);
  assert_true(uop_run_eval(r, p, &out));
  assert_null(out.strides); /* row-major */
  assert_ptr_equal(out.data, x);
  assert_true(uop_run_eval(r, uop_permute(p, UOP_DIMS(2, 0, 1)), &out));
  expect_strides(&out, (int64_t[]){1, 12, 4});
  assert_true(uop_value_pack(ctx, &out, &packed));
  assert_null(packed.strides);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 6; j++)
      assert_true(((float *)packed.data)[i * 6 + j] == (float)(j * 4 + i));
  uop_value_free(ctx, &packed);
  /* Every second pair of a row, by a reshape, a shrink and an index. */
  const uop *s = uop_shrink(p, (int64_t[]){0, 2, 1, 3, 1, 2}, 3);
  assert_true(uop_run_eval(r, s, &out));
  expect_strides(&out, (int64_t[]){12, 4, 1});
  assert_ptr_equal(out.data, x + 5);
  assert_true(uop_run_eval(r, uop_index(s, 1), &out));
  assert_int_equal(out.rank, 2);
  assert_ptr_equal(out.data, x + 17);
  /* An expanded axis stands still; split, it still does. */
  const uop *e = uop_expand(uop_reshape(p, UOP_DIMS(2, 1, 12)), UOP_DIMS(2, 6, 12));
  assert_true(uop_run_eval(r, uop_reshape(e, UOP_DIMS(2, 2, 3, 3, 4)), &out));
  expect_strides(&out, (int64_t[]){12, 0, 0, 4, 1});
  /* Rows that do not follow each other evenly are copied. */
  const uop *t = uop_reshape(uop_permute(p, UOP_DIMS(0, 2, 1)), UOP_DIMS(24));
  assert_true(uop_run_eval(r, t, &out));
  assert_null(out.strides);
  for (int i = 0; i < 24; i++)
    assert_true(((float *)out.data)[i] == (float)(i / 12 * 12 + i % 3 * 4 + i % 12 / 3));
  uop_run_free(r);
  free(x);
}

/* Of no elements, and of an axis of one, strides say nothing, whatever they are. */
static void test_strides_that_say_nothing(void **state) {
  (void)state;
  const int64_t odd[] = {INT64_MAX, INT64_MIN, INT64_MAX};
  uop_value out, none = {.dtype = UOP_F32, .rank = 3, .dims = {3, 0, 2}, .strides = odd};
  const uop *x = uop_param(ctx, 0, UOP_F32, UOP_DIMS(3, 0, 2));
  const uop *turned = uop_permute(x, UOP_DIMS(2, 1, 0));
  const uop *of_it[] = {x,
                        turned,
                        uop_index(x, 2),
                        uop_shrink(x, (const int64_t[]){1, 3, 0, 0, 1, 2}, 3),
                        uop_reshape(turned, UOP_DIMS(0, 7)),
                        uop_add(turned, turned),
                        uop_stack(ctx, x, x)};
  for (int copied = 0; copied < 2; copied++) {
    uop_run *r = uop_run_new(ctx, NULL);
    assert_true((copied ? uop_run_set_copy : uop_run_set)(r, UOP_PARAM, 0, &none));
    for (size_t i = 0; i < sizeof of_it / sizeof *of_it; i++) {
      assert_true(uop_run_eval(r, of_it[i], &out));
      assert_int_equal(out.count, 0);
    }
    assert_true(uop_run_eval(r, uop_reduce(turned, UOP_MAX, 2), &out));
    expect_floats(&out, (const float[]){-INFINITY, -INFINITY});
    uop_run_free(r);
  }
  expect_text(&none, "[[],\n\n [],\n\n []]");
  float three[] = {1, 2, 3};
  uop_value row = {.dtype = UOP_F32, .rank = 3, .dims = {1, 3, 1}, .count = 3, .data = three + 2};
  row.strides = (const int64_t[]){INT64_MAX, -1, INT64_MIN};
  expect_text(&row, "[[[3.0],\n  [2.0],\n  [1.0]]]");
  assert_true(uop_value_pack(ctx, &row, &row)); /* onto itself */
  assert_null(row.strides);
  expect_text(&row, "[[[3.0],\n  [2.0],\n  [1.0]]]");
  uop_value_free(ctx, &row);
}

/* 65,536 x 32,767 elements are 8 GiB: none of them are made. */
static void test_expand_then_shrink(void **state) {
  (void)state;
  float x[] = {5};
  uop_value out;
  const uop *e = uop_expand(uop_reshape(f32s(0, 1), UOP_DIMS(1, 1)), UOP_DIMS(65536, 32767));
  const uop *u = uop_shrink(e, (int64_t[]){7, 9, 30000, 30002}, 2);
  uop_run_options small = {.max_bytes = 64, .max_steps = 20};
  uop_run *r = run_with(&small, x, 1);
  assert_true(uop_run_eval(r, uop_add(u, 1), &out));
  assert_int_equal(out.count, 4);
  for (int i = 0; i < 4; i++) assert_true(((float *)out.data)[i] == 6.0f);
  assert_false(uop_run_eval(r, uop_add(e, 1), &out));
  assert_int_equal(uop_error(ctx)->code, UOP_E_BUDGET);
  uop_run_free(r);
  uop_error_clear(ctx);
  assert_null(uop_expand(uop_reshape(f32s(0, 1), UOP_DIMS(1, 1)), UOP_DIMS(65536, 65536)));
  assert_string_equal(uop_error(ctx)->message,
                      "EXPAND: shape (65536, 65536) has more than 2147483647 elements "
                      "(UOP_MAX_NUMEL)");
}

/* ---- what is kept ---- */

/* Each level needs the one before turned, so that none is fused with another: two arrays at a time
 * are alive, and the third that is being made. */
static void test_values_go_after_their_last_use(void **state) {
  (void)state;
  float *x = counting(10000);
  const uop *u = uop_reshape(f32s(0, 10000), UOP_DIMS(100, 100));
  for (int i = 0; i < 40; i++) u = uop_add(uop_permute(u, UOP_DIMS(1, 0)), u);
  uop_run *r = run_with(NULL, x, 10000);
  uop_value out;
  assert_true(uop_run_eval(r, u, &out));
  assert_in_range(uop_run_get_stats(r).peak_bytes, 2 * 40000, 3 * 40000);
  assert_int_equal(uop_run_get_stats(r).bytes, 40000);
  uop_run_free(r);
  free(x);
}

/* A REDUCE of an elementwise expression needs no room but its result's. */
static void test_reduce_holds_no_expression(void **state) {
  (void)state;
  float *x = counting(100000);
  const uop *a = f32s(0, 100000);
  const uop *u = uop_reduce(uop_sqrt(uop_mul(uop_add(a, 1), a)), UOP_MAX, 1);
  uop_run *r = run_with(NULL, x, 100000);
  uop_value out;
  assert_true(uop_run_eval(r, u, &out));
  assert_in_range(uop_run_get_stats(r).peak_bytes, 0, 100);
  assert_in_range((int)((float *)out.data)[0], 99998, 100001);
  uop_run_free(r);
  free(x);
}

/* exp2 is shared by two roots: once if the run knows, else for each. */
static void test_want(void **state) {
  (void)state;
  float x[64] = {1};
  const uop *e = uop_exp2(f32s(0, 64));
  const uop *roots[] = {uop_reduce(e, UOP_ADD, 1), NULL, uop_reduce(e, UOP_MAX, 1)};
  for (int known = 0; known < 2; known++) {
    uop_run *r = run_with(NULL, x, 64);
    uop_value out;
    if (known) assert_true(uop_run_want(r, roots, 3));
    assert_true(uop_run_eval(r, roots[0], &out));
    assert_true(((float *)out.data)[0] == 2.0f + 63.0f);
    assert_true(uop_run_eval(r, roots[2], &out));
    assert_true(((float *)out.data)[0] == 2.0f);
    assert_int_equal(uop_run_get_stats(r).steps, (known ? 1 : 2) * (1 + 64) + 2 * 64);
    uint64_t steps = uop_run_get_stats(r).steps;
    assert_true(uop_run_eval(r, roots[0], &out)); /* what was handed out is there */
    assert_true(((float *)out.data)[0] == 65.0f);
    assert_int_equal(uop_run_get_stats(r).steps, steps);
    uop_run_free(r);
  }
  uop_ctx *other = uop_ctx_new(NULL);
  const uop *foreign = uop_const(other, UOP_I32, 1);
  uop_run *r = uop_run_new(ctx, NULL);
  assert_false(uop_run_want(r, &foreign, 1));
  assert_int_equal(uop_error(ctx)->code, UOP_E_CONTEXT);
  uop_run_free(r);
  uop_ctx_free(other);
}

/* What a run handed out stays where it is, whatever is asked next. */
static void test_results_stay(void **state) {
  (void)state;
  float *x = counting(1000);
  const uop *a = f32s(0, 1000), *u[20];
  uop_value out[20];
  uop_run *r = run_with(NULL, x, 1000);
  for (int i = 0; i < 20; i++) {
    u[i] = uop_add(i ? u[i - 1] : a, 1);
    assert_true(uop_run_eval(r, u[i], &out[i]));
  }
  for (int i = 0; i < 20; i++)
    for (int k = 0; k < 1000; k++) assert_true(((float *)out[i].data)[k] == (float)(k + i + 1));
  uop_run_free(r);
  free(x);
}

static const uop *chain(const uop *a, const uop *b) { /* with three numbers, each a block */
  const uop *x = uop_max(uop_add(uop_mul(uop_add(uop_mul(a, b), 1.0f), a), b), 0.5f);
  return uop_add(uop_mul(uop_add(uop_mul(uop_sqrt(x), a), b), 2.0f), a);
}

/* Beside its result of 4,000 bytes an op on 1,000 numbers takes little more than one kilobyte, plan
 * and inputs and all; blocks for many ops or for strides take as much again as the result does. */
static void test_small_arrays_need_little(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    counter count = {0};
    uop_options o = counted(&count);
    uop_ctx *c = uop_ctx_new(&o);
    const uop *a = uop_param(c, 0, UOP_F32, UOP_DIMS(1000));
    const uop *turned = uop_permute(uop_reshape(a, UOP_DIMS(20, 50)), UOP_DIMS(1, 0));
    const uop *u = i == 0   ? uop_exp2(a)
                   : i == 1 ? uop_add(a, uop_param(c, 1, UOP_F32, UOP_DIMS(1000)))
                   : i == 2 ? chain(a, uop_param(c, 1, UOP_F32, UOP_DIMS(1000)))
                            : uop_add(turned, 1.0f);
    float *x = counting(1000);
    uop_value v = floats(x, 1000), out;
    uop_run *r = uop_run_new(c, NULL);
    assert_non_null(r);
    uint64_t before = count.peak = count.bytes;
    assert_true(uop_run_set(r, UOP_PARAM, 0, &v) && uop_run_set(r, UOP_PARAM, 1, &v));
    assert_true(uop_run_eval(r, u, &out));
    assert_in_range(count.peak - before, 4000, i < 2 ? 5200 : 12400);
    uop_run_free(r);
    uop_ctx_free(c);
    free(x);
  }
}

static void test_reset(void **state) {
  (void)state;
  float x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
  const uop *a = f32s(0, 3), *sum = uop_reduce(uop_mul(a, a), UOP_ADD, 1);
  const uop *number = uop_add(uop_param(ctx, 1, UOP_F32, NULL, 0), 1);
  uop_run *r = uop_run_new(ctx, NULL);
  for (int i = 0; i < 6; i++) {
    float *data = i % 2 ? y : x;
    uop_value v = floats(data, 3), n = {.dtype = UOP_F32, .count = 1, .data = data}, out;
    assert_true(uop_run_set(r, UOP_PARAM, 0, &v));
    assert_true(uop_run_set(r, UOP_PARAM, 1, &n));
    assert_true(uop_run_eval(r, sum, &out));
    assert_true(*(float *)out.data == (i % 2 ? 77.0f : 14.0f));
    assert_true(uop_run_eval(r, number, &out));
    assert_true(*(float *)out.data == (i % 2 ? 5.0f : 2.0f));
    assert_false(uop_run_set(r, UOP_PARAM, 0, &v)); /* it was used */
    uop_error_clear(ctx);
    uop_run_reset(r);
    assert_int_equal(uop_run_get_stats(r).steps, 0);
    assert_false(uop_run_eval(r, sum, &out)); /* it has no inputs */
    assert_int_equal(uop_error(ctx)->code, UOP_E_INPUT);
    uop_run_reset(r);
  }
  uop_run_free(r);
}

static void test_copied_input(void **state) {
  (void)state;
  float x[4] = {1, 2, 3, 4};
  uop_value v = {.dtype = UOP_F32, .rank = 2, .dims = {2, 2}, .count = 4, .data = x}, out;
  uop_value turned = v;
  turned.strides = (int64_t[]){1, 2};
  const uop *a = uop_param(ctx, 0, UOP_F32, UOP_DIMS(2, 2)),
            *b = uop_param(ctx, 1, UOP_F32, UOP_DIMS(2, 2));
  uop_run *r = uop_run_new(ctx, NULL);
  assert_true(uop_run_set_copy(r, UOP_PARAM, 0, &v));
  assert_true(uop_run_set_copy(r, UOP_PARAM, 1, &turned));
  assert_true(uop_run_set_copy(r, UOP_PARAM, 1, &turned)); /* once more: the first copy goes */
  memset(x, 0, sizeof x);
  assert_true(uop_run_eval(r, uop_add(uop_mul(a, 10), b), &out));
  const float want[] = {11, 23, 32, 44};
  assert_memory_equal(out.data, want, sizeof want);
  uop_run_free(r);
}

/* Nodes die and others come to where they were; a run never takes one for the other. */
static void test_nodes_may_die(void **state) {
  (void)state;
  float x[2] = {3, 4};
  uop_run *r = run_with(NULL, x, 2);
  for (int i = 0; i < 50; i++) {
    uop_value out;
    uop_scope s = uop_scope_begin(ctx);
    const uop *n = uop_add(uop_const(ctx, UOP_I32, i), i);
    const uop *u = uop_add(f32s(0, 2), (float)i);
    assert_true(uop_run_eval(r, n, &out));
    assert_int_equal(*(int32_t *)out.data, 2 * i);
    assert_true(uop_run_eval(r, u, &out));
    assert_true(((float *)out.data)[1] == 4.0f + (float)i);
    assert_true(uop_scope_end(s, NULL, 0));
  }
  uop_run_free(r);
}

/* ---- room that is used again ---- */

static void test_large_arrays_within_a_budget(void **state) {
  (void)state;
  enum { N = 1 << 18 }; /* 1 MiB */
  float *x = counting(N);
  const uop *u = uop_reshape(f32s(0, N), UOP_DIMS(512, 512));
  for (int i = 0; i < 8; i++) u = uop_add(uop_permute(u, UOP_DIMS(1, 0)), 1);
  uop_run_options o = {.max_bytes = 3 << 20};
  for (int round = 0; round < 2; round++) {
    uop_run *r = run_with(&o, x, N);
    uop_value out;
    for (int i = 0; i < 3; i++) {
      uop_value v = floats(x, N);
      if (i) assert_true(uop_run_set(r, UOP_PARAM, 0, &v));
      assert_true(uop_run_eval(r, u, &out));
      assert_true(((float *)out.data)[513] == 513.0f + 8);
      assert_in_range(uop_run_get_stats(r).peak_bytes, 1 << 20, 3 << 20);
      uop_run_reset(r);
    }
    uop_run_free(r);
  }
  free(x);
}

/* ---- ending early ---- */

typedef struct patience {
  int calls, left;
  uop_run *cancels;
  uint64_t steps;
} patience;

static bool still_patient(void *user, const uop_run_stats *now) {
  patience *p = user;
  assert_true(now->steps >= p->steps);
  p->steps = now->steps;
  p->calls++;
  if (p->cancels) uop_run_cancel(p->cancels);
  return p->left-- > 0;
}

static const uop *long_work(int64_t n) {
  const uop *u = uop_reshape(f32s(0, n), UOP_DIMS(1, n));
  return uop_reduce(uop_add(uop_expand(u, UOP_DIMS(1000, n)), 1), UOP_ADD, 2);
}

static void test_progress_and_cancel(void **state) {
  (void)state;
  enum { N = 100000 };
  float *x = calloc(N, sizeof *x);
  const uop *u = long_work(N); /* 10^8 elements, some twenty calls */
  patience p = {.left = 3};
  uop_run_options o = {.progress = still_patient, .user = &p};
  uop_run *r = run_with(&o, x, N);
  uop_value out;
  assert_false(uop_run_eval(r, u, &out));
  assert_int_equal(p.calls, 4);
  assert_int_equal(uop_error(ctx)->code, UOP_E_CANCELLED);
  assert_string_equal(uop_error(ctx)->message, "the run was cancelled");
  assert_ptr_equal(uop_error(ctx)->node, u);
  /* By the flag, from within: at once. */
  p = (patience){.left = 1000, .cancels = r};
  assert_false(uop_run_eval(r, u, &out));
  assert_int_equal(p.calls, 1);
  assert_int_equal(uop_error(ctx)->code, UOP_E_CANCELLED);
  assert_false(uop_run_eval(r, uop_add(f32s(0, N), 1), &out)); /* until it is reset */
  assert_int_equal(uop_error(ctx)->code, UOP_E_CANCELLED);
  uop_run_reset(r);
  uop_value v = floats(x, N);
  p = (patience){.left = 1000};
  assert_true(uop_run_set(r, UOP_PARAM, 0, &v));
  assert_true(uop_run_eval(r, u, &out));
  assert_true(p.calls > 10);
  assert_true(*(float *)out.data > 9.9e7f);
  uop_run_free(r);
  free(x);
}

/* Numbers are no arrays, and can take as long. */
static void test_cancel_among_numbers(void **state) {
  (void)state;
  const uop *u = uop_param(ctx, 0, UOP_I32, NULL, 0);
  for (int i = 0; i < 100000; i++) u = uop_add(u, i);
  int32_t one = 1;
  uop_value v = {.dtype = UOP_I32, .count = 1, .data = &one}, out;
  uop_run *r = uop_run_new(ctx, NULL);
  assert_true(uop_run_set(r, UOP_PARAM, 0, &v));
  uop_run_cancel(r);
  assert_false(uop_run_eval(r, u, &out));
  assert_int_equal(uop_error(ctx)->code, UOP_E_CANCELLED);
  uop_run_reset(r);
  assert_true(uop_run_set(r, UOP_PARAM, 0, &v));
  assert_true(uop_run_eval(r, u, &out));
  assert_int_equal(*(int32_t *)out.data, 1 + 704982704); /* 99999 * 100000 / 2 modulo 2^32 */
  uop_run_free(r);
}

/* 2^24 sums of nothing are as long a work as any other. */
static void test_cancel_among_empty_rows(void **state) {
  (void)state;
  const uop *none = uop_param(ctx, 1, UOP_F32, UOP_DIMS(1, 0));
  const uop *u = uop_reduce(uop_expand(none, UOP_DIMS(1 << 24, 0)), UOP_MAX, 1);
  patience p = {.left = 1};
  uop_run_options o = {.progress = still_patient, .user = &p};
  uop_run *r = run_with(&o, NULL, 0);
  uop_value v = {.dtype = UOP_F32, .rank = 2, .dims = {1, 0}}, out;
  assert_true(uop_run_set(r, UOP_PARAM, 1, &v));
  assert_false(uop_run_eval(r, u, &out));
  assert_int_equal(uop_error(ctx)->code, UOP_E_CANCELLED);
  assert_int_equal(p.calls, 2);
  p.left = 100;
  assert_true(uop_run_eval(r, u, &out));
  assert_true(((float *)out.data)[0] == -INFINITY &&
              ((float *)out.data)[out.count - 1] == -INFINITY);
  uop_run_free(r);
}

typedef struct meddler {
  uop_run *run;
  const uop *u;
  int tried;
} meddler;

static bool meddle(void *user, const uop_run_stats *now) {
  (void)now;
  meddler *m = user;
  uop_value out;
  assert_false(uop_run_eval(m->run, m->u, &out));
  assert_int_equal(uop_error(ctx)->code, UOP_E_ARG);
  assert_false(uop_run_want(m->run, &m->u, 1));
  uop_run_reset(m->run);
  uop_error_clear(ctx);
  m->tried++;
  return true;
}

/* In the middle of an evaluation there is no other, in a CALL neither. */
static void test_a_busy_run(void **state) {
  (void)state;
  enum { N = 100000 };
  float *x = calloc(N, sizeof *x);
  const uop *u = long_work(N), *call = uop_call(u, "f", f32s(0, N));
  meddler m = {.u = uop_add(f32s(0, N), 3)};
  uop_run_options o = {.progress = meddle, .user = &m};
  m.run = run_with(&o, x, N);
  uop_value out;
  assert_true(uop_run_eval(m.run, uop_add(call, u), &out));
  assert_true(*(float *)out.data == 2e8f);
  assert_true(m.tried > 20);
  assert_true(uop_run_eval(m.run, m.u, &out)); /* and then there may be */
  assert_true(((float *)out.data)[N - 1] == 3);
  uop_run_free(m.run);
  free(x);
}

/* ---- errors ---- */

static void expect_missing(uop_run *r, const uop *u, const char *message) {
  assert_false(uop_run_eval(r, u, NULL));
  assert_string_equal(uop_error(ctx)->message, message);
}

/* Of two errors, that on the left, whatever else was planned, and inlined as in a CALL. */
static void test_the_first_error(void **state) {
  (void)state;
  const uop *x = f32s(0, 3), *y = f32s(1, 3), *sum = uop_add(x, y);
  const uop *other = uop_mul(y, uop_add(y, x));
  const uop *untaken = uop_where(uop_const(ctx, UOP_BOOL, false), uop_index(y, 0), 1);
  const uop *call = uop_call(sum, "f", x, y);
  const uop *of_it[] = {sum, uop_stack(ctx, untaken, uop_index(sum, 0)),
                        uop_stack(ctx, untaken, uop_index(call, 0)),
                        uop_reduce(uop_add(x, uop_mul(y, y)), UOP_ADD, 1)};
  for (size_t i = 0; i < sizeof of_it / sizeof *of_it; i++)
    for (int wanted = 0; wanted < 2; wanted++) {
      uop_run *r = uop_run_new(ctx, NULL);
      const uop *want[] = {other, of_it[i]};
      if (wanted) assert_true(uop_run_want(r, want, 2));
      expect_missing(r, of_it[i], "PARAM slot=0 has no value");
      expect_missing(r, other, "PARAM slot=1 has no value");
      uop_run_free(r);
    }
}

/* A copy that there was no room for leaves no input behind, and not half of one. */
static void test_a_copy_that_fails(void **state) {
  (void)state;
  float *x = counting(1 << 20);
  uop_run_options o = {.max_bytes = 1 << 20};
  uop_run *r = uop_run_new(ctx, &o);
  uop_value big = floats(x, 1 << 20), small = floats(x + 5, 3), out;
  assert_false(uop_run_set_copy(r, UOP_PARAM, 0, &big));
  assert_int_equal(uop_error(ctx)->code, UOP_E_BUDGET);
  expect_missing(r, f32s(0, 3), "PARAM slot=0 has no value");
  assert_true(uop_run_set_copy(r, UOP_PARAM, 0, &small));
  assert_false(uop_run_set_copy(r, UOP_PARAM, 0, &big));
  assert_true(uop_run_eval(r, f32s(0, 3), &out)); /* the one before */
  expect_floats(&out, (const float[]){5, 6, 7});
  uop_run_free(r);
  free(x);
}

typedef struct told {
  uop_scope scope;
  int times;
} told;

static void end_scope(void *user, const uop_diag *w) {
  told *t = user;
  assert_int_equal(w->op, UOP_FLOORDIV);
  if (t->times++ == 0) assert_true(uop_scope_end(t->scope, NULL, 0));
}

/* Told of one division, the caller may let all of them die. */
static void test_nodes_may_die_in_a_warning(void **state) {
  (void)state;
  told t = {.scope = uop_scope_begin(ctx)};
  const uop *a = uop_const(ctx, UOP_I32, 1), *sum = a;
  for (int i = 0; i < 4; i++) sum = uop_add(sum, uop_floordiv(uop_add(a, i), 0));
  uop_run_options o = {.warn = end_scope, .user = &t};
  uop_run *r = uop_run_new(ctx, &o);
  uop_value out;
  assert_true(uop_run_eval(r, sum, &out));
  assert_int_equal(*(int32_t *)out.data, 1);
  assert_int_equal(t.times, 1);
  assert_true(uop_run_eval(r, uop_const(ctx, UOP_I32, 9), &out));
  uop_run_free(r);
}

/* ---- costs ---- */

static double tick(void *user) { return (*(double *)user += 1); }

static void test_costs(void **state) {
  (void)state;
  float *x = counting(5000);
  double time = 0;
  uop_run_options o = {.clock = tick, .user = &time};
  const uop *a = f32s(0, 5000);
  const uop *u = uop_reduce(uop_mul(uop_add(a, 1), uop_add(a, 2)), UOP_ADD, 1);
  uop_run *r = run_with(&o, x, 5000);
  uop_value out;
  uop_op_cost c;
  assert_true(uop_run_eval(r, u, &out));
  assert_true(uop_run_get_cost(r, UOP_ADD, &c));
  assert_int_equal(c.calls, 2);
  assert_int_equal(c.elements, 10000);
  assert_int_equal(c.bytes, 40000);
  assert_true(c.seconds >= 1);
  assert_true(uop_run_get_cost(r, UOP_REDUCE, &c));
  assert_int_equal(c.calls, 1);
  assert_int_equal(c.elements, 5000);
  assert_int_equal(c.bytes, 4);
  double all = 0;
  for (int op = 0; op < UOP_OP_COUNT; op++) {
    assert_true(uop_run_get_cost(r, (uop_op)op, &c));
    assert_true(c.seconds >= 0);
    all += c.seconds;
  }
  assert_true(all > 0 && all <= time);
  assert_false(uop_run_get_cost(r, UOP_OP_COUNT, &c));
  uop_run_free(r);
  r = uop_run_new(ctx, NULL);
  assert_false(uop_run_get_cost(r, UOP_ADD, &c)); /* no clock */
  uop_run_free(r);
  free(x);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_views_are_free),
      TEST(test_views_have_strides),
      TEST(test_strides_that_say_nothing),
      TEST(test_expand_then_shrink),
      TEST(test_values_go_after_their_last_use),
      TEST(test_reduce_holds_no_expression),
      TEST(test_want),
      TEST(test_results_stay),
      TEST(test_small_arrays_need_little),
      TEST(test_reset),
      TEST(test_copied_input),
      TEST(test_nodes_may_die),
      TEST(test_large_arrays_within_a_budget),
      TEST(test_progress_and_cancel),
      TEST(test_cancel_among_numbers),
      TEST(test_cancel_among_empty_rows),
      TEST(test_a_busy_run),
      TEST(test_the_first_error),
      TEST(test_a_copy_that_fails),
      TEST(test_nodes_may_die_in_a_warning),
      TEST(test_costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
