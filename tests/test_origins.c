/* test_origins.c - whatever the order, each node that comes into a graph by a rewrite, made or
 * found, has an origin: the node of the given graph that it came for, and through it the statement
 * that an error of the run is about.
 */
#include "uop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uop_ctx *ctx;

static int begin(void **state) {
  (void)state;
  return (ctx = uop_ctx_new(NULL)) ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  uop_ctx_free(ctx);
  return 0;
}

static uop_rules *rules_of(const char *text) {
  uop_rules *r = uop_rules_new(ctx);
  assert_non_null(r);
  if (!uop_rules_add_text(r, text, strlen(text), NULL)) fail_msg("%s", uop_error(ctx)->message);
  return r;
}

static const uop *rewrite_with(uop_rules *r, const uop *u, uop_rewrite_order order,
                               uop_map *origins) {
  uop_rewrite_options o = {.order = order, .origins = origins};
  const uop *out;
  if (!uop_rewrite(r, &u, 1, &o, &out)) fail_msg("%s", uop_error(ctx)->message);
  return out;
}

/* ---- of each node that a rule makes ---- */

/* r = exp2 q, q = x * y: each is replaced by three new nodes. Not true, but of its types. */
static const char apart[] = "# why\nwrap: (exp2 a) -> (sqrt (sin (recip a)))\n"
                            "# why\napart: (mul a:float b) -> (add (sin a) (sin b))\n";

static void expect_made(uop_rewrite_order order, bool there_already) {
  uop_map *origins = uop_map_new(ctx);
  uop_rules *rules = rules_of(apart);
  const uop *x = uop_param(ctx, 0, UOP_F32, NULL, 0), *y = uop_param(ctx, 1, UOP_F32, NULL, 0);
  const uop *q = uop_mul(x, y), *r = uop_exp2(q);
  if (there_already) rewrite_with(rules, r, order, NULL);
  const uop *out = rewrite_with(rules, r, order, origins);
  const uop *sum = uop_add(uop_sin(x), uop_sin(y));
  assert_ptr_equal(out, uop_sqrt(uop_sin(uop_recip(sum))));
  const uop *of_r[] = {out, out->src[0], out->src[0]->src[0]};
  const uop *of_q[] = {sum, sum->src[0], sum->src[1]};
  for (size_t i = 0; i < 3; i++) {
    assert_ptr_equal(uop_origin(origins, of_r[i]), r);
    assert_ptr_equal(uop_origin(origins, of_q[i]), q);
  }
  assert_ptr_equal(uop_origin(origins, x), x);
  uop_rules *back = rules_of("# why\nback: (sqrt a) -> (exp2 a)\n"); /* leads back through both */
  const uop *second = rewrite_with(back, out, order, origins);
  assert_ptr_equal(second, uop_exp2(out->src[0]));
  assert_ptr_equal(uop_origin(origins, second), r);
  assert_ptr_equal(uop_origin(origins, second->src[0]), r);
  uop_rules_free(back);
  uop_rules_free(rules);
  uop_map_free(origins);
}

static void test_made(void **state) {
  (void)state;
  for (int i = UOP_BOTTOM_UP; i <= UOP_ONE_PASS; i++) {
    uop_scope s = uop_scope_begin(ctx);
    expect_made((uop_rewrite_order)i, false);
    assert_true(uop_scope_end(s, NULL, 0));
    expect_made((uop_rewrite_order)i, true);
  }
}

/* The LOAD that memory gets in a value's place, and the memory, which the graph has. */
static void test_loaded(void **state) {
  (void)state;
  uop_rules *rules = rules_of("# why\na: (add x 0) -> x\n");
  const uop *m = uop_buffer(ctx, 0, UOP_I32, 3), *u = uop_add(m, 0);
  for (int i = UOP_BOTTOM_UP; i <= UOP_ONE_PASS; i++) {
    uop_map *origins = uop_map_new(ctx);
    const uop *out = rewrite_with(rules, u, (uop_rewrite_order)i, origins);
    assert_ptr_equal(out, uop_load(m));
    assert_ptr_equal(uop_origin(origins, out), u);
    assert_ptr_equal(uop_origin(origins, m), m);
    uop_map_free(origins);
  }
  uop_rules_free(rules);
}

/* ---- an error of the run, in the program that was given ---- */

/* The statement that the node comes from, by name; "" for none. */
static const char *from(const uop_program *p, const uop_map *origins, const uop *u) {
  static char name[64];
  const uop_stmt *s = uop_program_find(p, uop_origin(origins, u));
  snprintf(name, sizeof name, "%.*s", s ? (int)s->name_len : 0, s ? s->name : "");
  return name;
}

/* Rewritten, the program fails where it did before: the index 3 is outside of its axis. */
static const char program_text[] = "%a = param 0 dtype=i32 shape=(2, 3)\n"
                                   "%i = add (param 1 dtype=i32) 0\n"
                                   "%row = index %a (mul %i 1)\n"
                                   "%bad = index %row (add (add %i 1) 2)\n"
                                   "%twice = add (add %bad 0) (mul %bad 1)\n"
                                   "%end = max %twice 7\n";

static const uop *run_to_error(const uop *u) {
  int32_t data[6] = {1, 2, 3, 4, 5, 6}, zero = 0;
  uop_value a = {.dtype = UOP_I32, .rank = 2, .dims = {2, 3}, .count = 6, .data = data}, v;
  uop_value i = {.dtype = UOP_I32, .count = 1, .data = &zero};
  uop_run *r = uop_run_new(ctx, NULL);
  assert_true(uop_run_set(r, UOP_PARAM, 0, &a) && uop_run_set(r, UOP_PARAM, 1, &i));
  assert_false(uop_run_eval(r, u, &v));
  assert_int_equal(uop_error(ctx)->code, UOP_E_INDEX);
  const uop *at = uop_error(ctx)->node;
  uop_error_clear(ctx);
  uop_run_free(r);
  assert_non_null(at);
  return at;
}

static const char simpler[] = "# why\na: (add x 0) -> x\n# why\nm: (mul x 1) -> x\n"
                              "# why\nc: (add (add x A) B):i32 -> (add x {A + B})\n";
static const char other_way[] = "# why\nt: (max x 7) -> (where (cmplt x 7) 7 x)\n"
                                "# why\ni: (index x i) -> (index (stage x) i) if hi(i) > 0\n";

static void test_run_error(void **state) {
  (void)state;
  for (int i = 0; i < 6; i++) {
    uop_rewrite_order order = (uop_rewrite_order)(i % 3);
    uop_scope s = uop_scope_begin(ctx);
    uop_program *p = uop_program_parse(ctx, program_text, strlen(program_text), NULL);
    assert_non_null(p);
    uop_map *origins = uop_map_new(ctx);
    uop_rules *one = rules_of(simpler), *two = rules_of(other_way);
    if (i >= 3) rewrite_with(one, p->result, order, NULL); /* its nodes are there already */
    const uop *first = rewrite_with(one, p->result, order, origins);
    assert_ptr_not_equal(first, p->result);
    assert_string_equal(from(p, origins, run_to_error(first)), "bad");
    assert_string_equal(from(p, origins, first), "end");
    /* `two` is never done from the bottom up: what it makes of an INDEX has one inside */
    const uop *second = rewrite_with(two, first, UOP_ONE_PASS, origins);
    assert_string_equal(from(p, origins, run_to_error(second)), "bad");
    assert_string_equal(from(p, origins, second), "end");
    assert_string_equal(from(p, origins, second->src[0]), "end"); /* the comparison is new */
    assert_int_equal(second->op, UOP_WHERE);
    /* every node that came in has one of the program's for an origin */
    uop_nodes all = {0};
    assert_true(uop_toposort(ctx, &second, 1, &all));
    for (size_t k = 0; k < all.len; k++)
      if (!*from(p, origins, all.at[k])) fail_msg("node %d comes from nowhere", (int)k);
    uop_nodes_free(ctx, &all);
    uop_rules_free(one);
    uop_rules_free(two);
    uop_map_free(origins);
    uop_program_free(p);
    assert_true(uop_scope_end(s, NULL, 0));
  }
}

/* Rewrites that undo each other: an origin is found nevertheless. */
static void test_undone(void **state) {
  (void)state;
  uop_map *origins = uop_map_new(ctx);
  uop_rules *there = rules_of("# why\na: (max x:number 1) -> (mul x 2)\n");
  uop_rules *back = rules_of("# why\nb: (mul x 2) -> (max x 1)\n");
  const uop *x = uop_param(ctx, 0, UOP_I32, NULL, 0), *y = uop_param(ctx, 1, UOP_I32, NULL, 0);
  const uop *u = uop_add(uop_max(x, 1), uop_max(y, 1)), *v, *w;
  for (int i = 0; i < 3; i++) {
    v = rewrite_with(there, u, UOP_BOTTOM_UP, origins);
    w = rewrite_with(back, v, UOP_BOTTOM_UP, origins);
    assert_ptr_equal(w, u);
    assert_ptr_equal(uop_origin(origins, v), u);
    assert_ptr_equal(uop_origin(origins, u), u);
    assert_ptr_equal(uop_origin(origins, v->src[0]), u->src[0]);
  }
  const uop *alone = uop_param(ctx, 2, UOP_I32, NULL, 0);
  assert_ptr_equal(uop_origin(origins, alone), alone);
  assert_ptr_equal(uop_origin(NULL, u), u);
  assert_null(uop_origin(origins, NULL));
  uop_rules_free(there);
  uop_rules_free(back);
  uop_map_free(origins);
}

#define TEST(f) cmocka_unit_test_setup_teardown(test_##f, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(made), TEST(loaded), TEST(run_error), TEST(undone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
