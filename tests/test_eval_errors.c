/* test_eval_errors.c - inputs and what is wrong with them, what cannot be run, budgets, warnings,
 * running on after an error; every allocation failing once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/count.h"
#include "support/run.h"

#define PI "%p = param 0 dtype=i32\n"

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
  uop_value a = {.dtype = UOP_F32, .rank = 0, .dims = {0}, .count = 1, .data = &one},
            b = {.dtype = UOP_F32, .rank = 0, .dims = {0}, .count = 1, .data = &two}, out;
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
  REFUSED(UOP_PARAM, 1, &bad,
          "the value for PARAM slot=1: it has more than 2147483647 elements (UOP_MAX_NUMEL)");
  bad.dims[0] = -1;
  REFUSED(UOP_PARAM, 1, &bad,
          "the value for PARAM slot=1: a dimension is outside 0..2147483647 (UOP_MAX_DIM)");
  uop_value truth = {.dtype = UOP_BOOL, .rank = 0, .dims = {0}, .count = 1, .data = &odd};
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
  uop_value v = {.dtype = UOP_I32, .rank = 0, .dims = {0}, .count = 1, .data = &five};
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

/* ---- warnings ---- */

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
  const char *add = "%a = expand (reshape 1.0 (1,)) (1000,)\n%b = add %a %a\n%r = permute %b (0,)";
  uop_run_options steps = {.max_steps = 900}, bytes = {.max_bytes = 3500};
  outcome o = run_program(add, &steps, NULL);
  assert_string_equal(
      o.text, "error 16: the budget of 900 steps (max_steps) is used up: ADD needs 1000 more, 1 "
              "are used");
  assert_int_equal(o.stats.steps, 1);
  free(o.text);
  o = run_program(add, &bytes, NULL);
  assert_string_equal(o.text,
                      "error 16: the budget of 3500 bytes (max_bytes) is used up: ADD needs "
                      "4000 more, 0 are used");
  free(o.text);
  bytes.max_bytes = 4000;
  o = run_program(add, &bytes, NULL);
  assert_int_equal(o.stats.peak_bytes, 4000); /* what is expanded is never made */
  assert_memory_equal(o.text, "[2.0, 2.0", 9);
  free(o.text);
  /* 8 GiB are not asked for. */
  EXPECT("%r = add (expand (reshape 1.0 (1,)) (2000000000,)) 1.0",
         "error 16: the budget of 2147483648 bytes (max_bytes) is used up: ADD needs 8000000000 "
         "more, 0 "
         "are used");
  /* Empty arrays cost a step each. */
  o = run_program("%a = shrink (stack 1 2) ((0, 0),)\n%r = add %a %a", NULL, NULL);
  assert_int_equal(o.stats.steps, 2 + 2 + 1 + 1);
  free(o.text);
}

/* ---- allocation failure ---- */

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
  char *s = uop_value_print(ctx, &v, true, 0);
  size_t n;
  void *b = s ? uop_npy_write(ctx, &v, &n) : NULL;
  bool ok = b && uop_npy_read(ctx, b, n, &w);
  uop_value_free(ctx, &w);
  uop_free(ctx, b);
  uop_free(ctx, s);
  uop_value_free(ctx, &v);
  return ok;
}

static void fail_each_allocation(attempt try, const uop *u, uop_ctx *ctx, counter *c) {
  int failures = 0;
  uint64_t before = c->bytes;
  for (uint64_t n = 1;; n++) {
    uop_error_clear(ctx);
    c->fail_from = c->allocations + n;
    bool ok = try(ctx, u);
    c->fail_from = 0;
    assert_int_equal(c->bytes, before);
    if (ok) break;
    assert_int_equal(uop_error(ctx)->code, UOP_E_MEMORY);
    failures++;
  }
  print_message("%d allocations failed, one after the other\n", failures);
  assert_true(failures > 2);
}

static void test_allocation_failure(void **state) {
  (void)state;
  counter c = {0};
  uop_options o = counted(&c);
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
  fail_each_allocation(attempt_run, u, ctx, &c);
  fail_each_allocation(attempt_text, u, ctx, &c);
  uop_ctx_free(ctx);
  assert_int_equal(c.bytes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inputs),           cmocka_unit_test(test_setting_inputs),
      cmocka_unit_test(test_unsupported),      cmocka_unit_test(test_continue_after_error),
      cmocka_unit_test(test_division_warning), cmocka_unit_test(test_warning_may_evaluate),
      cmocka_unit_test(test_budgets),          cmocka_unit_test(test_allocation_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
