/* test_origins.c - whatever the order, each node that a rewrite makes has an origin: the node of
 * the given graph that it was made for.
 */
#include "uop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* r = exp2 q, q = x * y: each is replaced by three new nodes. */
static const char rules_text[] = "# Not true, but of its types.\n"
                                 "wrap: (exp2 a) -> (sqrt (sin (recip a)))\n"
                                 "# Likewise.\n"
                                 "apart: (mul a b) -> (add (sin a) (sin b))\n";

typedef struct world {
  uop_ctx *ctx;
  uop_rules *rules;
  uop_map *origins;
  const uop *x, *y, *q, *r, *out;
} world;

static void rewrite(world *w, uop_rewrite_order order) {
  *w = (world){.ctx = uop_ctx_new(NULL)};
  w->x = uop_param(w->ctx, 0, UOP_F32, NULL, 0), w->y = uop_param(w->ctx, 1, UOP_F32, NULL, 0);
  w->q = uop_mul(w->x, w->y), w->r = uop_exp2(w->q);
  w->rules = uop_rules_new(w->ctx), w->origins = uop_map_new(w->ctx);
  assert_true(uop_rules_add_text(w->rules, rules_text, sizeof rules_text - 1, NULL));
  uop_rewrite_options o = {.order = order, .origins = w->origins};
  if (!uop_rewrite(w->rules, &w->r, 1, &o, &w->out)) fail_msg("%s", uop_error(w->ctx)->message);
}

static void end(world *w) {
  assert_true(uop_ctx_check(w->ctx));
  uop_map_free(w->origins);
  uop_rules_free(w->rules);
  uop_ctx_free(w->ctx);
}

static void expect_origins(uop_rewrite_order order) {
  world w;
  rewrite(&w, order);
  const uop *sum = uop_add(uop_sin(w.x), uop_sin(w.y));
  assert_ptr_equal(w.out, uop_sqrt(uop_sin(uop_recip(sum))));
  const uop *of_r[] = {w.out, w.out->src[0], w.out->src[0]->src[0]};
  const uop *of_q[] = {sum, sum->src[0], sum->src[1]};
  for (size_t i = 0; i < 3; i++) {
    assert_ptr_equal(uop_origin(w.origins, of_r[i]), w.r);
    assert_ptr_equal(uop_origin(w.origins, of_q[i]), w.q);
  }
  assert_ptr_equal(uop_origin(w.origins, w.x), w.x);
  end(&w);
}

static void test_bottom_up(void **state) { (void)state, expect_origins(UOP_BOTTOM_UP); }
static void test_top_down(void **state) { (void)state, expect_origins(UOP_TOP_DOWN); }
static void test_one_pass(void **state) { (void)state, expect_origins(UOP_ONE_PASS); }

/* A second rewrite leads back through the first. */
static void test_through_several(void **state) {
  (void)state;
  static const char more[] = "# A third.\nback: (sqrt a) -> (exp2 a)\n";
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++) {
    world w;
    rewrite(&w, (uop_rewrite_order)order);
    uop_rules *second = uop_rules_new(w.ctx);
    const uop *out;
    uop_rewrite_options o = {.order = (uop_rewrite_order)order, .origins = w.origins};
    assert_true(uop_rules_add_text(second, more, sizeof more - 1, NULL));
    assert_true(uop_rewrite(second, &w.out, 1, &o, &out));
    assert_ptr_equal(out, uop_exp2(w.out->src[0]));
    assert_ptr_equal(uop_origin(w.origins, out), w.r);
    uop_rules_free(second);
    end(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bottom_up),
      cmocka_unit_test(test_top_down),
      cmocka_unit_test(test_one_pass),
      cmocka_unit_test(test_through_several),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
