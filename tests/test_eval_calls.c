/* test_eval_calls.c - frames: arguments are lazy and shared, a call is one evaluation of a body;
 * what is shared is computed once; nothing recurses. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/run.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lazy_arguments), cmocka_unit_test(test_shared_argument),
      cmocka_unit_test(test_void_call),      cmocka_unit_test(test_call_of_arrays),
      cmocka_unit_test(test_doubling),       cmocka_unit_test(test_frames_give_back),
      cmocka_unit_test(case_42_deep_chain),  cmocka_unit_test(test_deep_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
