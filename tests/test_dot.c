/* test_dot.c - pictures with options: what is told of boxes, notes on nodes, runs that are opened;
 * and what a box says of an arg. What the pictures themselves look like, the goldens say. */
#include "uop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { CHAIN = 250 };

static uop_ctx *ctx;
static const uop *x, *chain[CHAIN]; /* chain[i] adds the one before it to itself */

static int begin(void **state) {
  (void)state;
  if (!(ctx = uop_ctx_new(NULL))) return -1;
  x = uop_param(ctx, 0, UOP_I32, NULL, 0);
  for (int i = 0; i < CHAIN; i++) {
    const uop *u = i ? chain[i - 1] : x;
    chain[i] = uop_add(u, u);
  }
  return 0;
}
static int end(void **state) {
  (void)state;
  if (uop_error(ctx)->code) fail_msg("left over: %s", uop_error(ctx)->message);
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  uop_ctx_free(ctx);
  return 0;
}

typedef struct seen { /* what was told of boxes */
  size_t boxes, nodes, folded;
  size_t number[CHAIN + 2];
  const uop *last[CHAIN + 2];
} seen;

static void see(void *user, size_t number, const uop *const *nodes, size_t n) {
  seen *s = user;
  s->number[s->boxes] = number;
  s->last[s->boxes++] = nodes[0];
  s->nodes += n;
  s->folded += n > 1;
  for (size_t i = 1; i < n; i++) assert_true(nodes[i]->id < nodes[i - 1]->id);
}

static char *draw(uop_dot_options o, seen *s) {
  *s = (seen){0};
  o.box = see;
  o.user = s;
  char *dot = uop_dot_with(ctx, &chain[CHAIN - 1], 1, &o, NULL);
  assert_non_null(dot);
  return dot;
}

static void test_without_options_it_is_uop_dot(void **state) {
  (void)state;
  char *a = uop_dot(ctx, &chain[CHAIN - 1], 1, NULL, NULL);
  char *b = uop_dot_with(ctx, &chain[CHAIN - 1], 1, NULL, NULL);
  assert_string_equal(a, b);
  uop_free(ctx, a);
  uop_free(ctx, b);
}

static void test_a_folded_run_is_one_box(void **state) {
  (void)state;
  seen s;
  char *dot = draw((uop_dot_options){.nopen = 0}, &s);
  assert_int_equal(s.boxes, 2);
  assert_int_equal(s.nodes, CHAIN + 1);
  assert_int_equal(s.folded, 1);
  assert_int_equal(s.number[0], 0);
  assert_int_equal(s.number[1], CHAIN);
  assert_ptr_equal(s.last[1], chain[CHAIN - 1]);
  assert_non_null(strstr(dot, "  n250 [label=\"add\\ni32 ()\\n\303\227 250\" "));
  uop_free(ctx, dot);
}

/* By any of its nodes; a NULL and a node of no run change nothing. Numbers stay. */
static void test_an_opened_run_is_drawn_in_full(void **state) {
  (void)state;
  seen s;
  char *first = NULL;
  for (int i = 0; i < CHAIN; i += 83) {
    const uop *open[] = {NULL, x, chain[i], chain[i]};
    char *dot = draw((uop_dot_options){.open = open, .nopen = 4}, &s);
    assert_int_equal(s.boxes, CHAIN + 1);
    assert_int_equal(s.nodes, CHAIN + 1);
    assert_int_equal(s.folded, 0);
    for (size_t k = 0; k < s.boxes; k++) {
      assert_int_equal(s.number[k], k);
      assert_ptr_equal(s.last[k], k ? chain[k - 1] : x);
    }
    assert_non_null(strstr(dot, "  n249 -> n250;\n  n249 -> n250;\n}\n"));
    assert_null(strstr(dot, "\303\227"));
    if (first) assert_string_equal(dot, first);
    if (first) uop_free(ctx, first);
    first = dot;
  }
  uop_free(ctx, first);
}

static void test_only_the_opened_run_is_unfolded(void **state) {
  (void)state;
  const uop *other = uop_mul(chain[CHAIN - 1], 3), *root = other;
  for (int i = 0; i < 9; i++) root = uop_max(root, root);
  seen s = {0};
  uop_dot_options o = {.open = &root, .nopen = 1, .box = see, .user = &s};
  char *dot = uop_dot_with(ctx, &root, 1, &o, NULL);
  assert_int_equal(s.folded, 1);
  assert_int_equal(s.boxes, 13); /* x, the adds, 3, the mul, nine of max */
  assert_int_equal(s.nodes, CHAIN + 12);
  uop_free(ctx, dot);
}

static const char *note(void *user, const uop *u) {
  (void)user;
  return u == x ? "= \"5\"\\\n" : NULL;
}

static void test_a_note_is_a_line_of_its_label(void **state) {
  (void)state;
  uop_dot_options o = {.note = note};
  char *dot = uop_dot_with(ctx, &chain[0], 1, &o, NULL);
  assert_non_null(strstr(dot, "  n0 [label=\"param slot=0\\ni32 ()\\n= \\\"5\\\"\\\\ \" shape="));
  assert_non_null(strstr(dot, "  n1 [label=\"add\\ni32 ()\" shape="));
  uop_free(ctx, dot);
}

static void test_nodes_of_another_context_are_refused(void **state) {
  (void)state;
  uop_ctx *other = uop_ctx_new(NULL);
  const uop *there = uop_const_of_i32(other, 1);
  uop_dot_options o = {.open = &there, .nopen = 1};
  assert_null(uop_dot_with(ctx, &x, 1, &o, NULL));
  assert_int_equal(uop_error(ctx)->code, UOP_E_CONTEXT);
  uop_error_clear(ctx);
  assert_null(uop_dot_with(NULL, &x, 1, NULL, NULL));
  uop_ctx_free(other);
}

static void says(const uop *u, const char *want) {
  size_t len;
  char *got = uop_print_arg(u, &len);
  assert_string_equal(got, want);
  assert_int_equal(len, strlen(want));
  uop_free(ctx, got);
}

static void test_args(void **state) {
  (void)state;
  const uop *m = uop_param(ctx, 3, UOP_F32, UOP_DIMS(2, 3));
  says(m, "slot=3");
  says(uop_const_of_f32(ctx, 2.5f), "2.5");
  says(uop_const_of_i32(ctx, -7), "-7");
  says(uop_const_of_bool(ctx, true), "true");
  says(uop_reshape(m, UOP_DIMS(6)), "(6,)");
  says(uop_permute(m, UOP_DIMS(1, 0)), "(1, 0)");
  says(uop_shrink(m, (const int64_t[]){0, 2, 1, 3}, 2), "((0, 2), (1, 3))");
  says(uop_reduce(m, UOP_MAX, 2), "op=max pop=2");
  says(uop_range(ctx, 10, 4, UOP_AXIS_GLOBAL), "idx=4 kind=global");
  says(uop_call(uop_mul(x, x), "square", 2), "name=square");
  says(uop_buffer(ctx, 1, UOP_F16, 8), "slot=1");
  says(uop_cast(x, UOP_F32), "");
  says(chain[0], "");
  assert_null(uop_print_arg(NULL, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_without_options_it_is_uop_dot, begin, end),
      cmocka_unit_test_setup_teardown(test_a_folded_run_is_one_box, begin, end),
      cmocka_unit_test_setup_teardown(test_an_opened_run_is_drawn_in_full, begin, end),
      cmocka_unit_test_setup_teardown(test_only_the_opened_run_is_unfolded, begin, end),
      cmocka_unit_test_setup_teardown(test_a_note_is_a_line_of_its_label, begin, end),
      cmocka_unit_test_setup_teardown(test_nodes_of_another_context_are_refused, begin, end),
      cmocka_unit_test_setup_teardown(test_args, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
