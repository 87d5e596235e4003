/* test_examples.c - the programs in examples/ that compute something known compute what numpy does:
 * tests/examples/NAME.npy has numpy's result and how far another may be off (expected.py, beside
 * it, says why so far). Runs in the project's root. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "uop.h"

/* ---- files ---- */

typedef struct bytes {
  void *at;
  size_t len;
} bytes;

static bytes read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) fail_msg("%s cannot be opened", path);
  assert_int_equal(fseek(f, 0, SEEK_END), 0);
  bytes b = {NULL, (size_t)ftell(f)};
  rewind(f);
  b.at = malloc(b.len + 1);
  assert_non_null(b.at);
  assert_int_equal(fread(b.at, 1, b.len, f), b.len);
  fclose(f);
  return b;
}

static uop_value read_npy(uop_ctx *ctx, const char *path) {
  bytes b = read_file(path);
  uop_value v;
  if (!uop_npy_read(ctx, b.at, b.len, &v)) fail_msg("%s: %s", path, uop_error(ctx)->message);
  free(b.at);
  return v;
}

/* ---- an example and its inputs ---- */

enum { MAX_INPUTS = 8 };

typedef struct example {
  uop_ctx *ctx;
  uop_program *program;
  uop_run *run;
  uop_value inputs[MAX_INPUTS];
  size_t ninputs;
} example;

static example begin(const char *name) {
  char path[64];
  snprintf(path, sizeof path, "examples/%s.uir", name);
  bytes text = read_file(path);
  example e = {.ctx = uop_ctx_new(NULL)};
  e.program = uop_program_parse(e.ctx, text.at, text.len, NULL);
  if (!e.program) fail_msg("%s: %s", path, uop_error(e.ctx)->message);
  free(text.at);
  e.run = uop_run_new(e.ctx, NULL);
  return e;
}

static void set(example *e, uop_op op, int64_t slot, uop_value v) {
  assert_true(e->ninputs < MAX_INPUTS);
  e->inputs[e->ninputs++] = v;
  if (!uop_run_set(e->run, op, slot, &v)) fail_msg("%s", uop_error(e->ctx)->message);
}

/* Every input, all of f32, as `uopc run --fill 1` has it, times `scale`, and once through .npy. */
static void fill(example *e, float scale) {
  for (size_t i = 0; i < e->program->nstmts; i++) {
    const uop *u = e->program->stmts[i].node;
    if (u->op != UOP_PARAM && u->op != UOP_BUFFER) continue;
    uop_value v, again;
    assert_int_equal(u->dtype, UOP_F32);
    assert_true(uop_value_fill(u, 1, &v));
    for (int64_t k = 0; k < v.count; k++) ((float *)v.data)[k] *= scale;
    size_t len;
    void *npy = uop_npy_write(e->ctx, &v, &len);
    assert_non_null(npy);
    assert_true(uop_npy_read(e->ctx, npy, len, &again));
    uop_free(e->ctx, npy);
    uop_value_free(e->ctx, &v);
    set(e, (uop_op)u->op, uop_slot(u), again);
  }
}

static void end(example *e) {
  uop_run_free(e->run);
  for (size_t i = 0; i < e->ninputs; i++) uop_value_free(e->ctx, &e->inputs[i]);
  uop_program_free(e->program);
  uop_ctx_free(e->ctx);
}

/* ---- results ---- */

static const uop *named(const example *e, const char *name) {
  for (size_t i = 0; i < e->program->nstmts; i++) {
    const uop_stmt *s = &e->program->stmts[i];
    if (s->name_len == strlen(name) && !memcmp(s->name, name, s->name_len)) return s->node;
  }
  fail_msg("there is no %%%s", name);
  return NULL;
}

static uop_value value_of(example *e, const uop *u) {
  uop_value view, v;
  if (!uop_run_eval(e->run, u, &view)) fail_msg("%s", uop_error(e->ctx)->message);
  assert_true(uop_value_pack(e->ctx, &view, &v));
  return v;
}

static void expect_asserts(example *e, size_t n) {
  assert_int_equal(e->program->asserts.len, n);
  for (size_t i = 0; i < n; i++)
    if (!uop_run_eval(e->run, e->program->asserts.at[i], NULL))
      fail_msg("%s", uop_error(e->ctx)->message);
}

/* `u` has numpy's values: in every row, or in every n-th where the file has fewer. */
static void expect_close(example *e, const uop *u, const char *path) {
  uop_value got = value_of(e, u), file = read_npy(e->ctx, path);
  assert_int_equal(got.dtype, UOP_F32);
  assert_int_equal(file.dtype, UOP_F32);
  assert_int_equal(got.rank, 2);
  assert_int_equal(file.rank, 3);
  assert_int_equal(file.dims[0], 2);
  int64_t rows = file.dims[1], cols = file.dims[2], every = got.dims[0] / rows;
  assert_int_equal(got.dims[0], rows * every);
  assert_int_equal(got.dims[1], cols);
  const float *want = file.data, *off = want + rows * cols, *is = got.data;
  for (int64_t row = 0; row < rows; row++)
    for (int64_t col = 0; col < cols; col++) {
      int64_t k = row * cols + col;
      double x = is[row * every * cols + col];
      if (!(fabs(x - want[k]) <= off[k]))
        fail_msg("%s: row %d column %d is %.9g, numpy's %.9g, and may be off by %.3g", path,
                 (int)(row * every), (int)col, x, want[k], off[k]);
    }
  uop_value_free(e->ctx, &got);
  uop_value_free(e->ctx, &file);
}

/* ---- the examples ---- */

/* With inputs as `--fill 1` has them, times `scale`. */
static void expect_filled(const char *name, float scale, size_t asserts) {
  char path[64];
  snprintf(path, sizeof path, "tests/examples/%s.npy", name);
  example e = begin(name);
  fill(&e, scale);
  expect_asserts(&e, asserts);
  expect_close(&e, e.program->result, path);
  end(&e);
}

static void test_gemm_256x256(void **state) { (void)state, expect_filled("gemm_256x256", 1, 0); }
static void test_matmul(void **state) { (void)state, expect_filled("matmul", 1, 0); }
static void test_softmax(void **state) { (void)state, expect_filled("softmax", 32, 2); }
static void test_layernorm(void **state) { (void)state, expect_filled("layernorm", 0x1p-5f, 1); }

/* Real data. expected.py has seen to it that no rounding changes a class, so all are numpy's. */
static void test_mlp(void **state) {
  (void)state;
  static const char *const files[] = {"images", "w1", "b1", "w2", "b2", "labels"};
  example e = begin("mlp");
  for (int slot = 0; slot < 6; slot++) {
    char path[64];
    snprintf(path, sizeof path, "examples/mlp/%s.npy", files[slot]);
    set(&e, UOP_PARAM, slot, read_npy(e.ctx, path));
  }
  expect_close(&e, named(&e, "logits"), "tests/examples/mlp.npy");
  uop_value class = value_of(&e, named(&e, "class")), right = value_of(&e, e.program->result);
  uop_value want = read_npy(e.ctx, "tests/examples/mlp_class.npy");
  assert_int_equal(class.dtype, UOP_I32);
  assert_int_equal(class.count, 100);
  assert_int_equal(want.count, 100);
  assert_memory_equal(class.data, want.data, 100 * sizeof(int32_t));
  assert_int_equal(right.dtype, UOP_I32);
  assert_int_equal(*(const int32_t *)right.data, 88); /* as expected.py prints */
  uop_value_free(e.ctx, &class);
  uop_value_free(e.ctx, &right);
  uop_value_free(e.ctx, &want);
  end(&e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm_256x256), cmocka_unit_test(test_matmul),
      cmocka_unit_test(test_softmax),      cmocka_unit_test(test_layernorm),
      cmocka_unit_test(test_mlp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
