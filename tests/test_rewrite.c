/* test_rewrite.c - the driver: the three orders, what is shared, CALL bodies, rules that do not end
 * or change a type, rules in C, and that whatever sound rules replace has the same value.
 *
 * `test_rewrite [COUNT [FIRST SEED]]`: COUNT random programs (3,000) whose values are looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "support/count.h"
#include "support/random.h"

static uint64_t count = 3000, first_seed = 1;
static uop_ctx *ctx;
static counter memory;

static int begin(void **state) {
  (void)state;
  memory = (counter){0};
  uop_options o = counted(&memory);
  return (ctx = uop_ctx_new(&o)) ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  uop_ctx_free(ctx);
  assert_int_equal(memory.bytes, 0);
  return 0;
}

static void add_text(uop_rules *r, const char *text) {
  if (!uop_rules_add_text(r, text, strlen(text), NULL)) fail_msg("%s", uop_error(ctx)->message);
}

static uop_rules *rules_of(const char *text) {
  uop_rules *r = uop_rules_new(ctx);
  assert_non_null(r);
  if (text) add_text(r, text);
  return r;
}

static const uop *parse(const char *text) {
  const uop *u = uop_parse(ctx, text, strlen(text));
  if (!u) fail_msg("%s: %s", text, uop_error(ctx)->message);
  return u;
}

/* x y z, i32; b, bool */
static const uop *expression(const char *e) {
  char text[4096];
  snprintf(text, sizeof text,
           "%%x = param 0 dtype=i32\n%%y = param 1 dtype=i32\n%%z = param 2 dtype=i32\n"
           "%%b = param 3 dtype=bool\n%%v = param 4 dtype=i32 shape=(3,)\n%%f = param 5\n"
           "%%m = buffer 3 : slot=0 dtype=i32\n%%r = %s\n",
           e);
  return parse(text);
}

/* ---- what is traced ---- */

typedef struct log {
  char text[2000]; /* "a b b": the rules, in order */
  size_t steps, stop_after;
  uop_ctx *ctx;
} log_of;

static bool trace(void *user, const uop_rewrite_step *s) {
  log_of *l = user;
  size_t n = strlen(l->text);
  if (n + strlen(s->rule) + 2 < sizeof l->text) sprintf(l->text + n, "%s%s", n ? " " : "", s->rule);
  assert_non_null(s->before);
  assert_non_null(s->after);
  assert_ptr_not_equal(s->before, s->after);
  assert_false(uop_collect(uop_ctx_of(s->before), NULL, 0)); /* a callback's restrictions */
  uop_error_clear(uop_ctx_of(s->before));
  return ++l->steps != l->stop_after;
}

/* Rewrites an expression and compares, by pointer, with another; and the steps, if given. */
static void expect(uop_rules *r, uop_rewrite_order order, const char *from, const char *to,
                   const char *steps) {
  const uop *u = expression(from), *want = expression(to), *out = NULL;
  log_of l = {.ctx = ctx};
  uop_rewrite_options o = {.order = order, .trace = trace, .user = &l};
  if (!uop_rewrite(r, &u, 1, &o, &out)) fail_msg("%s: %s", from, uop_error(ctx)->message);
  assert_int_equal(uop_error(ctx)->code, UOP_OK);
  char a[400], b[400];
  uop_repr(out, a, sizeof a);
  uop_repr(want, b, sizeof b);
  if (out != want) fail_msg("%s gave %s, not %s, by %s", from, a, b, l.text);
  if (steps && strcmp(l.text, steps)) fail_msg("%s took %s, not %s", from, l.text, steps);
}

static void assert_error(uop_code code, const char *message) {
  const uop_diag *e = uop_error(ctx);
  if (e->code != code || strcmp(e->message, message))
    fail_msg("got %d '%s', not %d '%s'", (int)e->code, e->message, (int)code, message);
  uop_error_clear(ctx);
}

/* The rewrite of an expression fails so. */
static void refuse(uop_rules *r, const uop_rewrite_options *o, const char *from, uop_code code,
                   const char *message) {
  const uop *u = expression(from), *out = NULL;
  if (uop_rewrite(r, &u, 1, o, &out)) {
    char s[400];
    uop_repr(out, s, sizeof s);
    fail_msg("%s gave %s", from, s);
  }
  assert_null(out); /* not touched */
  assert_error(code, message);
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
}

/* ---- the orders ---- */

static void test_orders(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\nadd_zero: (add x 0) -> x\n"
                          "# why\nmul_zero: (mul _ 0):i32 -> 0\n"
                          "# why\nmax_three: (max x 3) -> (add x (mul x 0))\n"
                          "# why\ntwice: (max x:number x) -> (max x 3)\n");
  /* bottom-up, what replaces is rewritten in turn */
  expect(r, UOP_BOTTOM_UP, "add (mul %x 0) %y", "%y", "mul_zero add_zero");
  expect(r, UOP_BOTTOM_UP, "max %x 3", "%x", "max_three mul_zero add_zero");
  expect(r, UOP_BOTTOM_UP, "max %x %x", "%x", "twice max_three mul_zero add_zero");
  expect(r, UOP_BOTTOM_UP, "mul (max %x %x) (mul %y 0)", "const 0",
         "twice max_three mul_zero add_zero mul_zero");
  /* in one pass, it is left */
  expect(r, UOP_ONE_PASS, "add (mul %x 0) %y", "%y", "mul_zero add_zero");
  expect(r, UOP_ONE_PASS, "max %x 3", "add %x (mul %x 0)", "max_three");
  expect(r, UOP_ONE_PASS, "max %x %x", "max %x 3", "twice");
  expect(r, UOP_ONE_PASS, "sink (max %x %x) (max %x 3)", "sink (max %x 3) (add %x (mul %x 0))",
         "twice max_three");
  /* top-down, a node comes before its sources, and gets them back without being tried again */
  expect(r, UOP_TOP_DOWN, "add (mul %x 0) %y", "add 0 %y", "mul_zero");
  expect(r, UOP_TOP_DOWN, "max %x 3", "add %x 0", "max_three mul_zero");
  expect(r, UOP_TOP_DOWN, "mul (max %x %x) 0", "const 0", "mul_zero");
  expect(r, UOP_TOP_DOWN, "sink (max %x %x) (add %y 0)", "sink (add %x 0) %y",
         "twice max_three mul_zero add_zero");
  /* nothing applies */
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++)
    expect(r, (uop_rewrite_order)order, "sink (add %x 1) (mul %y %x) 0",
           "sink (add %x 1) (mul %y "
           "%x) 0",
           "");
  uop_rules_free(r);
}

/* The first rule that applies is taken, whatever text it is from. */
static void test_precedence(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\na: (max x:i32 1) -> (add x 10) if lo(x) > 0\n"
                          "# why\nb: (max x:number C) -> (add x 20)\n");
  add_text(r, "# why\na: (max x:number 1) -> (add x 30)\n# why\nc: (add x 20) -> (mul x 2)\n");
  expect(r, UOP_BOTTOM_UP, "max (floormod %x 9) 1", "mul (floormod %x 9) 2", "b c");
  expect(r, UOP_BOTTOM_UP, "max (add (floormod %x 9) 1) 1", "add (add (floormod %x 9) 1) 10", "a");
  expect(r, UOP_ONE_PASS, "max %x 2", "add %x 20", "b");
  uop_rules_free(r);
  r = rules_of("# why\nc: (add x 20) -> (mul x 2)\n"); /* the other way round */
  add_text(r, "# why\nb: (max x:number C) -> (add x 20)\n");
  expect(r, UOP_BOTTOM_UP, "max %x 1", "mul %x 2", "b c");
  uop_rules_free(r);
  r = rules_of(NULL); /* no rules at all */
  expect(r, UOP_BOTTOM_UP, "max %x 1", "max %x 1", "");
  uop_rules_free(r);
}

static void test_shared_once(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\na: (add x 0) -> x\n# why\nb: (max x 3) -> (mul x 3)\n");
  /* (x + 0) three times over; max y 3 in three places, one of them made by no rule */
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++) {
    expect(r, (uop_rewrite_order)order, "sink (mul (add %x 0) (add %x 0)) (add %x 0)",
           "sink (mul %x %x) %x", "a");
    expect(r, (uop_rewrite_order)order,
           "sink (max %y 3) (mul (max %y 3) (max %y 3)) (where %b (max %y 3) %x)",
           "sink (mul %y 3) (mul (mul %y 3) (mul %y 3)) (where %b (mul %y 3) %x)", "b");
  }
  /* two that become the same are replaced once, bottom-up */
  expect(r, UOP_BOTTOM_UP, "sink (max (add %x 0) 3) (max %x 3)", "sink (mul %x 3) (mul %x 3)",
         "a b");
  uop_rules_free(r);
}

static void test_roots(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\na: (add x 0) -> x\n");
  const uop *x = expression("%x"), *y = expression("%y");
  const uop *roots[] = {expression("add %x 0"),
                        NULL,
                        x,
                        expression("add (mul %y 1) 0"),
                        expression("add %x 0"),
                        expression("add (add %x 0) %y")};
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++) {
    const uop *out[6] = {NULL, x, NULL, NULL, NULL, NULL};
    log_of l = {.ctx = ctx};
    uop_rewrite_options o = {.order = (uop_rewrite_order)order, .trace = trace, .user = &l};
    assert_true(uop_rewrite(r, roots, 6, &o, out));
    assert_ptr_equal(out[0], x);
    assert_null(out[1]);
    assert_ptr_equal(out[2], x);
    assert_ptr_equal(out[3], uop_mul(y, 1));
    assert_ptr_equal(out[4], x);
    assert_ptr_equal(out[5], uop_add(x, y));
    assert_string_equal(l.text, "a a");
  }
  assert_true(uop_rewrite(r, roots, 6, NULL, roots)); /* in place */
  assert_ptr_equal(roots[0], x);
  assert_null(roots[1]);
  assert_ptr_equal(roots[5], uop_add(x, y));
  assert_true(uop_rewrite(r, NULL, 0, NULL, NULL));
  const uop *none = NULL, *out = x;
  assert_true(uop_rewrite(r, &none, 1, NULL, &out));
  assert_null(out);
  assert_false(uop_rewrite(NULL, roots, 6, NULL, roots));
  uop_ctx *other = uop_ctx_new(NULL);
  const uop *foreign = uop_param(other, 0, UOP_I32, NULL, 0);
  assert_false(uop_rewrite(r, &foreign, 1, NULL, &out));
  assert_int_equal(uop_error(ctx)->code, UOP_E_CONTEXT);
  uop_map *m = uop_map_new(other);
  uop_rewrite_options o = {.origins = m};
  assert_false(uop_rewrite(r, &x, 1, &o, &out));
  assert_int_equal(uop_error(ctx)->code, UOP_E_CONTEXT);
  uop_map_free(m);
  uop_ctx_free(other);
  o = (uop_rewrite_options){.order = (uop_rewrite_order)3};
  assert_false(uop_rewrite(r, &x, 1, &o, &out));
  assert_error(UOP_E_ARG, "3 is no order of rewriting");
  uop_rules_free(r);
}

static void test_hits(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\na: (add x 0) -> x\n# why\nb: (max x 3) -> (add (mul x 3) 0)\n"
                          "# why\nc: (max x 4) -> x\n");
  uop_rule_info i;
  expect(r, UOP_BOTTOM_UP, "sink (max %x 3) (max %y 3) (add %z 0)", "sink (mul %x 3) (mul %y 3) %z",
         "b a b a a");
  assert_true(uop_rules_get(r, 0, &i) && i.hits == 3);
  assert_true(uop_rules_get(r, 1, &i) && i.hits == 2);
  assert_true(uop_rules_get(r, 2, &i) && i.hits == 0);
  expect(r, UOP_ONE_PASS, "max %x 4", "%x", "c");
  assert_true(uop_rules_get(r, 2, &i) && i.hits == 1);
  assert_true(uop_rules_get(r, 0, &i) && i.hits == 3);
  uop_rules_free(r);
}

/* ---- CALL bodies ---- */

static void test_bodies(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\na: (add x 0) -> x\n# why\nm: (mul _ 0):i32 -> 0\n"
                          "# why\ns: (max x 5) -> (max (add x 0) 6)\n");
  for (int i = UOP_BOTTOM_UP; i <= UOP_ONE_PASS; i++) {
    uop_rewrite_order order = (uop_rewrite_order)i;
    /* the body and the arguments */
    expect(r, order,
           "call (mul (add (param 0 dtype=i32) 0) (param 1 dtype=i32)) (add %x 0) 7 : "
           "name=f",
           "call (mul (param 0 dtype=i32) (param 1 dtype=i32)) %x 7 : name=f", "a"); /* one node */
    /* it would lose its second parameter, and stays as it was, the sum in it too */
    expect(r, order,
           "call (add (add (param 0 dtype=i32) 0) (mul (param 1 dtype=i32) 0)) %x 7 : "
           "name=f",
           "call (add (add (param 0 dtype=i32) 0) (mul (param 1 dtype=i32) 0)) %x 7 : name=f",
           NULL);
    expect(r, order, "call (mul (param 0 dtype=i32) 0) %x : name=f",
           "call (mul (param 0 dtype=i32) 0) %x : name=f", "m");
    /* but elsewhere the same nodes are replaced */
    expect(r, order, "sink (call (mul (param 0 dtype=i32) 0) %x : name=f) (mul %x 0)",
           "sink (call (mul (param 0 dtype=i32) 0) %x : name=f) 0", "m");
    /* a body in a body */
    expect(r, order,
           "call (call (add (param 0 dtype=i32) 0) (add (param 0 dtype=i32) 0) : name=g) %x : "
           "name=f",
           "call (call (param 0 dtype=i32) (param 0 dtype=i32) : name=g) %x : name=f", NULL);
    expect(r, order,
           "call (add (call (mul (param 0 dtype=i32) 0) (param 0 dtype=i32) : name=g) 0) %x : "
           "name=f",
           "call (call (mul (param 0 dtype=i32) 0) (param 0 dtype=i32) : name=g) %x : name=f",
           NULL);
  }
  uop_rules_free(r);
  /* parameters in another order ask for other arguments */
  r = rules_of("# why\np: (param : slot=0 dtype=i32) -> 9\n# why\nq: [add x y] -> (mul y x)\n");
  expect(r, UOP_BOTTOM_UP, "call (add (param 0 dtype=i32) (param 1 dtype=i32)) 1 2 : name=f",
         "call (add (param 0 dtype=i32) (param 1 dtype=i32)) 1 2 : name=f", NULL);
  uop_rules_free(r);
  r = rules_of("# why\nq: [add x y] -> (mul y x)\n");
  const uop *u = expression("call (add (param 0 dtype=i32) (param 1 dtype=i32)) 4 2 : name=f"), *o;
  assert_true(uop_rewrite(r, &u, 1, NULL, &o));
  uop_run *run = uop_run_new(ctx, NULL);
  uop_value v;
  if (!uop_run_eval(run, o, &v)) fail_msg("%s", uop_error(ctx)->message);
  int32_t got;
  memcpy(&got, v.data, sizeof got);
  assert_int_equal(got, o == u ? 6 : 8); /* swapped or left alone, it is of the same arguments */
  uop_run_free(run);
  uop_rules_free(r);
}

/* ---- rules that do not end ---- */

static void test_answers(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\nto_mul: (add x:number x) -> (mul x 2) if 1\n"
                          "# why\nto_add: (mul x 2) -> (add x x)\n");
  static const char two[] = "rules to_mul and to_add answer each other, and would never end";
  static const char owt[] = "rules to_add and to_mul answer each other, and would never end";
  refuse(r, NULL, "add %x %x", UOP_E_RULE, two);
  refuse(r, NULL, "mul %x 2", UOP_E_RULE, owt);
  refuse(r, NULL, "sqrt (cast (mul 1 (add %x %x)) : dtype=f32)", UOP_E_RULE, two);
  uop_rewrite_options down = {.order = UOP_TOP_DOWN};
  refuse(r, &down, "mul 1 (add %x %x)", UOP_E_RULE, two);
  expect(r, UOP_ONE_PASS, "add %x %x", "mul %x 2", "to_mul"); /* it ends by itself */
  uop_rules_free(r);
  r = rules_of("# why\na: (add x:number 1) -> (mul x 3)\n# why\nb: (mul x 3) -> (max x 5)\n"
               "# why\nc: (max x 5) -> (add x 1)\n# why\nd: (add x 0) -> (add x 1)\n");
  refuse(r, NULL, "add %x 1", UOP_E_RULE,
         "rules a, b and c answer each other, and would never end");
  /* the rule that led there is not one of them */
  refuse(r, NULL, "add %x 0", UOP_E_RULE,
         "rules a, b and c answer each other, and would never end");
  refuse(r, &down, "add %x 0", UOP_E_RULE,
         "rules a, b and c answer each other, and would never end");
  uop_rules_free(r);
  r = rules_of("# why\na: (max x:number 1) -> (max x 2)\n# why\nb: (max x 2) -> (max x 3)\n"
               "# why\nc: (max x 3) -> (max x 4)\n# why\nd: (max x 4) -> (max x 5)\n"
               "# why\ne: (max x 5) -> (max x 1)\n");
  refuse(r, NULL, "max %x 1", UOP_E_RULE,
         "rules a, b, c, d and more answer each other, and would never end");
  uop_rules_free(r);
  /* deeper down: what one makes has the other's left side inside */
  r = rules_of("# why\nin: (max x:number 1) -> (add (mul x 2) 3)\n"
               "# why\nout: (mul x 2) -> (add (max x 1) 4)\n");
  refuse(r, NULL, "max %x 1", UOP_E_RULE,
         "rules in and out answer each other, and would never end");
  uop_rules_free(r);
}

/* Rules that make themselves again only by their condition, or only for some nodes. */
static void test_itself(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\nswap: (max x y) -> (max y x) if lo(x) <= hi(y)\n"
                          "# why\nfirst: [mul x C] -> (mul C x)\n");
  refuse(r, NULL, "max %x %y", UOP_E_RULE,
         "rule swap makes again what it replaced, and would never end");
  expect(r, UOP_BOTTOM_UP, "mul %x 2", "mul 2 %x", "first");
  refuse(r, NULL, "mul 3 2", UOP_E_RULE,
         "rule first makes again what it replaced, and would never end");
  expect(r, UOP_BOTTOM_UP, "max %x %x", "max %x %x", ""); /* makes the very node: no step */
  uop_rules_free(r);
  r = rules_of("# why\nwrap: (max x 1) -> (add (max x 1) 0) if 1\n");
  refuse(r, NULL, "mul %y (max %x 1)", UOP_E_RULE,
         "rule wrap makes again what it replaced, and would never end");
  uop_rewrite_options down = {.order = UOP_TOP_DOWN};
  refuse(r, &down, "mul %y (max %x 1)", UOP_E_RULE,
         "rule wrap makes again what it replaced, and would never end");
  expect(r, UOP_ONE_PASS, "mul %y (max %x 1)", "mul %y (add (max %x 1) 0)", "wrap");
  uop_rules_free(r);
}

/* What grows for ever never meets itself. */
static void test_budget(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\ngrow: (max x C):i32 -> (max x {C + 1})\n");
  uop_rewrite_options o = {.max_steps = 100};
  refuse(r, &o, "max %x 1", UOP_E_RULE,
         "not done after 100 replacements (max_steps); the last ones were by grow");
  o.order = UOP_TOP_DOWN;
  refuse(r, &o, "max %x 1", UOP_E_RULE,
         "not done after 100 replacements (max_steps); the last ones were by grow");
  refuse(r, NULL, "max %x 1", UOP_E_RULE, /* 3 nodes */
         "not done after 10300 replacements (max_steps); the last ones were by grow");
  uop_rules_free(r);
  r = rules_of("# why\nup: (max x C):i32 -> (mul x {C + 1})\n"
               "# why\nover: (mul x C):i32 -> (max x {C + 1})\n# why\nz: (add x 0) -> x\n");
  o = (uop_rewrite_options){.max_steps = 7};
  refuse(r, &o, "add (max %x 1) 0", UOP_E_RULE,
         "not done after 7 replacements (max_steps); the last ones were by up and over");
  uop_rules_free(r);
  /* as many as are allowed are fine */
  r = rules_of("# why\ndown: (max x C):i32 -> (max x {C - 1}) if C > 0\n");
  const uop *u = expression("max %x 9"), *out;
  o = (uop_rewrite_options){.max_steps = 9};
  assert_true(uop_rewrite(r, &u, 1, &o, &out));
  assert_ptr_equal(out, expression("max %x 0"));
  o.max_steps = 8;
  refuse(r, &o, "max %x 9", UOP_E_RULE,
         "not done after 8 replacements (max_steps); the last ones were by down");
  uop_rules_free(r);
}

/* ---- rules that change a type ---- */

static const uop *replacement;
static bool replace(const uop_rule_call *call, const uop **out) {
  (void)call;
  *out = replacement;
  return true;
}

static void test_types(void **state) {
  (void)state;
  static const uop_op max[] = {UOP_MAX};
  uop_rules *r = rules_of("# why\nscalar: (add x 1) -> (add 0 0)\n"
                          "# why\ndtype: (cast x) -> x\n# why\nspace: (buffer):i32 -> 0\n"
                          "# why\nfit: (mul x 8) -> (permute x (1, 0))\n");
  refuse(r, NULL, "cast %x : dtype=f32", UOP_E_RULE,
         "rule dtype: f32() became i32(): a rule keeps the type");
  refuse(r, NULL, "load %m", UOP_E_RULE,
         "rule space: i32(3,) global became i32(3,): a rule keeps the type");
  expect(r, UOP_ONE_PASS, "add %x 1", "add 0 0", "scalar");
  refuse(r, NULL, "add %v 1", UOP_E_RULE,
         "rule scalar: i32(3,) became i32(): a rule keeps the type");
  /* what cannot even be built is the rule's fault as well */
  const uop *u = expression("mul %v 8"), *out;
  assert_false(uop_rewrite(r, &u, 1, NULL, &out));
  assert_non_null(strstr(uop_error(ctx)->message, "rule fit: "));
  assert_int_equal(uop_error(ctx)->code, UOP_E_ARG);
  assert_true(uop_rules_add_fn(r, "in_c", NULL, max, 1, replace, NULL));
  add_text(r, "# why\nshape: (reshape x) -> x\n");
  refuse(r, NULL, "reshape %x, (1,)", UOP_E_RULE,
         "rule shape: i32(1,) became i32(): a rule keeps the type");
  replacement = expression("%b");
  refuse(r, NULL, "max %x 1", UOP_E_RULE, "rule in_c: i32() became bool(): a rule keeps the type");
  uop_rules_free(r);
}

static bool first_source(const uop_rule_call *call, const uop **out) {
  *out = call->root->src[0];
  return true;
}

/* Memory that comes to stand where a value stood is loaded; where memory stood, it is left. */
static void test_memory_for_a_value(void **state) {
  (void)state;
  static const uop_op mul[] = {UOP_MUL};
  uop_rules *r = rules_of("# why\na: (add x 0) -> x\n# why\nw: (where _ x x) -> x\n"
                          "# why\nd: (after x _...) -> x\n# why\nl: (load x) -> x\n"
                          "# why\nt: (load (after x _...)) -> (max x x)\n");
  assert_true(uop_rules_add_fn(r, "c", NULL, mul, 1, first_source, NULL));
  for (int i = UOP_BOTTOM_UP; i <= UOP_ONE_PASS; i++) {
    uop_rewrite_order order = (uop_rewrite_order)i;
    expect(r, order, "add %m 0", "load %m", "a");
    expect(r, order, "where (cmplt %v 1) %m %m", "load %m", "w");
    expect(r, order, "max (add %m 0) 5", "max (load %m) 5", "a");
    expect(r, order, "mul %m 3", "load %m", "c"); /* by a function too */
    expect(r, order, "load %m", "load %m", "");   /* the very node: no step */
    expect(r, order, "store (after %m (store %m %v)) %v", "store %m %v", "d");
  }
  expect(r, UOP_TOP_DOWN, "load (after %m (store %m %v))", "max %m %m", "t"); /* l makes it again */
  uop_rules_free(r);
}

/* ---- rules in C ---- */

typedef struct seen {
  int calls;
  const uop *root;
  size_t nargs;
  void *pass;
  enum { PASS, KEEP, FAIL, FAIL_WITH, LEAVE_ERROR, OPEN, SCOPES, COLLECT, NEST, ADD, FOREIGN } what;
  uop_rules *rules;
  uop_ctx *other;
} seen;

static bool nest(const uop_rule_call *c, seen *s, const uop **out) {
  if (c->root->op != UOP_MAX) return true;
  const uop *x = c->root->src[0];
  uop_rewrite_options o = {.order = UOP_ONE_PASS, .pass = s};
  if (!uop_rewrite(s->rules, &x, 1, &o, &x)) return false;
  *out = uop_add(x, 100);
  return true;
}

static bool scopes(const uop_rule_call *c, const uop **out) {
  uop_scope s = uop_scope_begin(c->ctx);
  const uop *keep = uop_mul(c->root->src[0], 77);
  for (int i = 0; i < 500; i++) uop_mul(keep, i + 100);
  *out = keep;
  return uop_scope_end(s, &keep, 1);
}

static bool callback(const uop_rule_call *c, const uop **out) {
  seen *s = c->user;
  s->calls++;
  s->root = c->root;
  s->nargs = c->nargs;
  s->pass = c->pass;
  assert_ptr_equal(c->ctx, ctx);
  assert_null(*out);
  switch (s->what) {
  case PASS: return true;
  case KEEP: *out = c->root; return true;
  case FAIL: return false;
  case FAIL_WITH: return uop_param(c->ctx, -1, UOP_I32, NULL, 0) != NULL;
  case LEAVE_ERROR: uop_param(c->ctx, -1, UOP_I32, NULL, 0); return true;
  case OPEN: uop_scope_begin(c->ctx); return true;
  case SCOPES: return scopes(c, out);
  case COLLECT: return uop_collect(c->ctx, NULL, 0);
  case NEST: return nest(c, s, out);
  case ADD: return uop_rules_add_text(s->rules, "a: (add x 0) -> x", 17, NULL);
  default: *out = uop_param(s->other, 0, UOP_I32, NULL, 0); return true;
  }
}

static void test_callback(void **state) {
  (void)state;
  static const uop_op ops[] = {UOP_MAX, UOP_MUL};
  seen s = {.what = PASS};
  int pass;
  uop_rules *r = rules_of(NULL);
  assert_true(uop_rules_add_fn(r, "look", "looks", ops, 2, callback, &s));
  uop_rule_info i;
  assert_true(uop_rules_get(r, 0, &i));
  assert_string_equal(i.name, "look");
  assert_string_equal(i.comment, "looks");
  assert_string_equal(i.text, "");
  assert_string_equal(i.set, "");
  assert_int_equal(i.line, 0);
  const uop *u = expression("add (max (mul %x %y) %y) (cast %b : dtype=i32)"), *out;
  uop_rewrite_options o = {.pass = &pass};
  assert_true(uop_rewrite(r, &u, 1, &o, &out));
  assert_ptr_equal(out, u);
  assert_int_equal(s.calls, 2); /* those of its ops alone */
  assert_ptr_equal(s.root, expression("max (mul %x %y) %y"));
  assert_int_equal(s.nargs, 0);
  assert_ptr_equal(s.pass, &pass);
  s.what = KEEP; /* the node itself: it does not apply */
  assert_true(uop_rewrite(r, &u, 1, NULL, &out));
  assert_ptr_equal(out, u);
  assert_null(s.pass);
  assert_true(uop_rules_get(r, 0, &i) && i.hits == 0);
  uop_rules_free(r);
  r = rules_of(NULL); /* of all ops */
  s = (seen){.what = PASS};
  assert_true(uop_rules_add_fn(r, "all", NULL, NULL, 0, callback, &s));
  assert_true(uop_rules_get(r, 0, &i));
  assert_string_equal(i.comment, "");
  assert_true(uop_rewrite(r, &u, 1, NULL, &out));
  assert_int_equal(s.calls, 7);
  uop_rules_free(r);
}

static void test_callback_fails(void **state) {
  (void)state;
  static const uop_op ops[] = {UOP_MAX};
  seen s = {.other = uop_ctx_new(NULL)};
  uop_rules *r = s.rules = rules_of("# why\nz: (mul x 1) -> x\n");
  assert_true(uop_rules_add_fn(r, "bad", NULL, ops, 1, callback, &s));
  static const struct {
    int what;
    uop_code code;
    const char *message;
  } rows[] = {
      {FAIL, UOP_E_CALLBACK, "rule bad: its function failed without saying why"},
      {FAIL_WITH, UOP_E_ARG, "rule bad: PARAM: slot -1 is negative"},
      {LEAVE_ERROR, UOP_E_ARG, "rule bad: PARAM: slot -1 is negative"},
      {OPEN, UOP_E_SCOPE, "rule bad: its function left a scope open"},
      {COLLECT, UOP_E_SCOPE, "rule bad: uop_collect while a callback is running"},
      {ADD, UOP_E_ARG, "rule bad: rules are added while they rewrite"},
      {FOREIGN, UOP_E_CONTEXT, "rule bad: a node is of another context (uop_copy it)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++) {
      s.what = rows[i].what;
      uop_rewrite_options o = {.order = (uop_rewrite_order)order};
      refuse(r, &o, "sink (mul %x 1) (max (mul %x 1) 2)", rows[i].code, rows[i].message);
      assert_int_equal(uop_rules_len(r), 2);
      s.what = PASS; /* nothing is lost: the same list goes on */
      expect(r, (uop_rewrite_order)order, "sink (mul %x 1) (max %x 2)", "sink %x (max %x 2)", "z");
    }
  uop_rules_free(r);
  uop_ctx_free(s.other);
}

/* A function that frees the list that it is of: this goes when the rewrite is done. */
static bool free_own(const uop_rule_call *c, const uop **out) {
  seen *s = c->user;
  if (!s->calls++) uop_rules_free(s->rules);
  *out = c->root->src[0];
  return true;
}

static bool trace_frees(void *user, const uop_rewrite_step *step) {
  seen *s = user;
  (void)step;
  if (!s->calls++) uop_rules_free(s->rules);
  return true;
}

static void test_freed_meanwhile(void **state) {
  (void)state;
  static const uop_op ops[] = {UOP_MAX};
  const uop *u = expression("max (max (max %x 3) 2) %y"), *out;
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS + 2; order++) {
    bool simplify = order > UOP_ONE_PASS, trace = order == UOP_ONE_PASS + 2;
    seen s = {.rules = rules_of(trace ? "# why\nz: (max x 3) -> x\n" : NULL)};
    uop_rewrite_options o = {.order = simplify ? UOP_BOTTOM_UP : (uop_rewrite_order)order};
    if (trace) o.trace = trace_frees, o.user = &s;
    if (!trace) assert_true(uop_rules_add_fn(s.rules, "free", NULL, ops, 1, free_own, &s));
    assert_true((simplify ? uop_simplify : uop_rewrite)(s.rules, &u, 1, &o, &out));
    assert_true(s.calls > 0);
    if (!trace) assert_ptr_equal(out, expression("max %x 1")->src[0]);
  } /* end() sees that nothing is left */
}

/* Rewrites what it would replace by the list that it is of, for ever. */
static bool rewrite_root(const uop_rule_call *c, const uop **out) {
  seen *s = c->user;
  s->calls++;
  return uop_rewrite(s->rules, &c->root, 1, NULL, out);
}

static void test_rewrites_in_rewrites(void **state) {
  (void)state;
  static const uop_op ops[] = {UOP_MAX};
  seen s = {.calls = 0};
  uop_rules *r = s.rules = rules_of("# why\nz: (add x 0) -> x\n");
  assert_true(uop_rules_add_fn(r, "own", NULL, ops, 1, rewrite_root, &s));
  const uop *u = expression("max (add %x 0) 1"), *out;
  assert_false(uop_rewrite(r, &u, 1, NULL, &out));
  const uop_diag *e = uop_error(ctx);
  assert_int_equal(e->code, UOP_E_LIMIT);
  assert_non_null(strstr(e->message, "rule own: more than 16 rewrites inside of each other's "
                                     "functions (UOP_MAX_REWRITES)"));
  assert_int_equal(s.calls, UOP_MAX_REWRITES);
  expect(r, UOP_BOTTOM_UP, "mul (add %x 0) 1", "mul %x 1", "z"); /* nothing is lost */
  uop_rules_free(r);
}

/* A node that refuses what rules made of its sources: which rules, and where it stands. */
static void test_refused_sources(void **state) {
  (void)state;
  uop_rules *r = rules_of("# Not in an END.\nnone: (range x) -> 0\n# why\nz: (add x 0) -> x\n");
  const uop *u = parse("%b = buffer 4 dtype=i32 slot=0\n%i = range 4 : idx=0\n"
                       "%s = store (index %b (add %i 0)) 1\n%e = end %s %i\n"),
            *out;
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++) {
    uop_rewrite_options o = {.order = (uop_rewrite_order)order};
    assert_false(uop_rewrite(r, &u, 1, &o, &out));
    const uop_diag *e = uop_error(ctx);
    assert_ptr_equal(e->node, u);
    assert_int_equal(e->op, UOP_END);
    assert_string_equal(e->message, order == UOP_TOP_DOWN
                                        ? "END: source 1 is no RANGE (its sources were rewritten, "
                                          "last by none and z)"
                                        : "END: source 1 is no RANGE (its sources were rewritten, "
                                          "last by z and none)");
  }
  uop_rules_free(r);
}

static void test_callback_builds(void **state) {
  (void)state;
  static const uop_op ops[] = {UOP_MAX};
  seen s = {.what = SCOPES};
  uop_rules *r = s.rules = rules_of("# why\nz: (mul x 1) -> x\n");
  assert_true(uop_rules_add_fn(r, "made", NULL, ops, 1, callback, &s));
  size_t live = uop_ctx_live(ctx);
  expect(r, UOP_BOTTOM_UP, "sink (max %x 1) (max (max %x 1) 2)",
         "sink (mul %x 77) (mul (mul %x 77) 77)", "made made");
  assert_true(uop_ctx_live(ctx) < live + 100); /* its scopes' nodes are gone */
  s.what = NEST;                               /* rewrites by the same list, which holds itself */
  expect(r, UOP_BOTTOM_UP, "max (mul %y 1) 2", "add %y 100", "z made");
  uop_rewrite_options o = {.order = UOP_TOP_DOWN};
  const uop *u = expression("max (mul (max %y 3) 1) 2"), *out;
  if (!uop_rewrite(r, &u, 1, &o, &out)) fail_msg("%s", uop_error(ctx)->message);
  assert_ptr_equal(out, expression("add (add %y 100) 100"));
  uop_rules_free(r);
}

/* (!name x y) in a text */
typedef struct sums {
  int calls, declined;
} sums;

static bool sum(const uop_rule_call *c, const uop **out) {
  sums *s = c->user;
  s->calls++;
  assert_int_equal(c->nargs, 2);
  const uop *a = c->args[0], *b = c->args[1];
  if (a->op != UOP_CONST || b->op != UOP_CONST || uop_const_i32(a) > uop_const_i32(b)) {
    s->declined++;
    return true;
  }
  *out = uop_const_of_i32(c->ctx, uop_const_i32(a) + 10 * uop_const_i32(b));
  return true;
}

static bool count_args(const uop_rule_call *c, const uop **out) {
  *out = uop_const_of_i32(c->ctx, (int32_t)c->nargs);
  return true;
}

static void test_functions(void **state) {
  (void)state;
  sums s = {0, 0};
  uop_rules *r = rules_of(NULL);
  assert_true(uop_rules_define(r, "sum", sum, &s));
  assert_false(uop_rules_define(r, "sum", sum, &s));
  assert_error(UOP_E_NAME, "a function 'sum' is defined already");
  assert_false(uop_rules_define(r, "no-name", sum, &s));
  assert_error(UOP_E_NAME, "'no-name' is no identifier");
  assert_false(uop_rules_define(r, NULL, sum, &s));
  assert_error(UOP_E_NAME, "'' is no identifier");
  assert_false(uop_rules_define(r, "null", NULL, &s));
  assert_false(uop_rules_define(NULL, "null", sum, &s));
  assert_true(uop_rules_define(r, "count", count_args, NULL));
  add_text(r, "# why\na: (add A B):i32 -> (!sum A B)\n# why\nb: (max x C) -> (mul x (!sum 1 C))\n"
              "# why\nc: (sink x xs...) -> (sink (!count x xs...)) if hi(x) > 9\n");
  expect(r, UOP_BOTTOM_UP, "add 1 2", "const 21", "a");
  assert_int_equal(s.calls, 1);
  expect(r, UOP_BOTTOM_UP, "add 2 1", "const 21", "a"); /* declined, and then turned round */
  assert_int_equal(s.calls, 3);
  assert_int_equal(s.declined, 1);
  expect(r, UOP_BOTTOM_UP, "max %x 3", "mul %x 31", "b");
  expect(r, UOP_BOTTOM_UP, "max %x 0", "max %x 0", "");
  expect(r, UOP_BOTTOM_UP, "sink %x %y %z", "sink 3", "c");
  /* those of another list are not known, nor those defined later */
  uop_rules *q = rules_of(NULL);
  assert_false(uop_rules_add_text(q, "a: (add A B) -> (!sum A B)", 26, NULL));
  assert_true(uop_rules_define(q, "sum", sum, &s));
  assert_true(uop_rules_add_text(q, "a: (add A B) -> (!sum A B)", 26, NULL));
  uop_rules_free(q);
  uop_rules_free(r);
}

/* " (max x0 x12) (max x1 x13)…": n pairs, of which the second is so far on. */
static char *pairs(char *to, const char *each, int n, int on) {
  for (int i = 0; i < n; i++) to += sprintf(to, each, i, i + on);
  return to;
}

static bool decline(const uop_rule_call *c, const uop **out) {
  (void)out;
  ++*(int *)c->user;
  return true;
}

/* What fails behind the last of as many pairs as a rule may have is tried each way, and no more. */
static void test_most_pairs(void **state) {
  (void)state;
  enum { PAIRS = 12 };
  char rule[1000], e[1000], *p = rule;
  int calls = 0;
  uop_rules *r = rules_of(NULL);
  assert_true(uop_rules_define(r, "decline", decline, &calls));
  p = pairs(p + sprintf(p, "# why\na: (sink"), " (max x%d x%d)", PAIRS, PAIRS);
  strcpy(p, ") -> (!decline x0)\n");
  add_text(r, rule);
  pairs(stpcpy(e, "sink"), " (max (add %%x %d) (add %%x %d))", PAIRS, PAIRS);
  expect(r, UOP_BOTTOM_UP, e, e, "");
  assert_int_equal(calls, 1 << PAIRS);
  calls = 0; /* of two equal operands, there is one way */
  pairs(stpcpy(e, "sink"), " (max (add %%x %d) (add %%x %d))", PAIRS, 0);
  expect(r, UOP_BOTTOM_UP, e, e, "");
  assert_int_equal(calls, 1);
  uop_rules_free(r);
  /* a condition that fails is tried as often: it is of no time */
  p = pairs(rule + sprintf(rule, "# why\na: (sink"), " (max x%d:i32 x%d:i32)", PAIRS, PAIRS);
  strcpy(p, ") -> (sink) if lo(x0) > hi(x1)\n");
  r = rules_of(rule);
  pairs(stpcpy(e, "sink"), " (max (add %%x %d) (add %%y %d))", PAIRS, PAIRS);
  clock_t before = clock();
  expect(r, UOP_BOTTOM_UP, e, e, "");
  assert_true(clock() - before < CLOCKS_PER_SEC);
  uop_rules_free(r);
}

static void test_refused_rules(void **state) {
  (void)state;
  static const uop_op bad[] = {UOP_ADD, (uop_op)99};
  uop_rules *r = rules_of(NULL);
  assert_false(uop_rules_add_fn(r, "a b", NULL, NULL, 0, callback, NULL));
  assert_error(UOP_E_NAME, "'a b' is no identifier");
  assert_false(uop_rules_add_fn(r, NULL, NULL, NULL, 0, callback, NULL));
  assert_error(UOP_E_NAME, "'' is no identifier");
  assert_false(uop_rules_add_fn(r, "a", NULL, bad, 2, callback, NULL));
  assert_error(UOP_E_ARG, "99 is no op");
  assert_false(uop_rules_add_fn(r, "a", NULL, bad, 0, callback, NULL));
  assert_error(UOP_E_ARG, "a rule for no op");
  assert_false(uop_rules_add_fn(r, "a", NULL, NULL, 0, NULL, NULL));
  assert_false(uop_rules_add_fn(NULL, "a", NULL, NULL, 0, callback, NULL));
  assert_int_equal(uop_rules_len(r), 0);
  char name[16];
  for (int i = 0; i < 255; i++) {
    snprintf(name, sizeof name, "f%d", i);
    assert_true(uop_rules_define(r, name, count_args, NULL));
  }
  assert_false(uop_rules_define(r, "more", count_args, NULL));
  assert_error(UOP_E_LIMIT, "more than 255 functions of rules");
  add_text(r, "# why\na: (add x 1):i32 -> (!f254 x x)\n");
  expect(r, UOP_BOTTOM_UP, "add %x 1", "const 2", "a");
  for (int i = 1; i < UOP_MAX_RULES; i++)
    assert_true(uop_rules_add_fn(r, "a", NULL, NULL, 0, callback, NULL));
  assert_false(uop_rules_add_fn(r, "a", NULL, NULL, 0, callback, NULL));
  assert_error(UOP_E_LIMIT, "4097 rules are above 4096 (UOP_MAX_RULES)");
  uop_rules_free(r);
}

/* ---- trace ---- */

static void test_cancelled(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\na: (add x 0) -> x\n# why\nb: (max x 3) -> (add (mul x 3) 0)\n");
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++)
    for (size_t stop = 1; stop <= 3; stop++) {
      log_of l = {.ctx = ctx, .stop_after = stop};
      uop_rewrite_options o = {.order = (uop_rewrite_order)order, .trace = trace, .user = &l};
      refuse(r, &o, "sink (add %x 0) (max %y 3) (add %z 0)", UOP_E_CANCELLED,
             "the rewrite was ended by its caller");
      assert_int_equal(l.steps, stop);
    }
  uop_rules_free(r);
}

static bool leaves_scope(void *user, const uop_rewrite_step *s) {
  (void)user;
  (void)s;
  uop_scope_begin(ctx);
  return true;
}

static void test_trace_leaves_scope(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\na: (add x 0) -> x\n");
  uop_rewrite_options o = {.trace = leaves_scope};
  refuse(r, &o, "add %x 0", UOP_E_SCOPE, "a callback left a scope open");
  uop_rules_free(r);
}

/* ---- large graphs ---- */

static void test_doubling(void **state) {
  (void)state;
  uop_rules *r = rules_of("# why\ntwice: (add x x):i32 -> (mul x 2)\n");
  const uop *x = uop_param(ctx, 0, UOP_I32, NULL, 0), *u = x, *want = x, *out;
  for (int i = 0; i < 300; i++) u = uop_add(u, u);
  for (int i = 0; i < 300; i++) want = uop_mul(want, 2);
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++) {
    log_of l = {.ctx = ctx};
    uop_rewrite_options o = {.order = (uop_rewrite_order)order, .trace = trace, .user = &l};
    assert_true(uop_rewrite(r, &u, 1, &o, &out));
    assert_ptr_equal(out, want);
    assert_int_equal(l.steps, 300);
  }
  uop_rules_free(r);
}

/* A chain that collapses, one that grows, and one that is made in one step a node. */
static void test_deep(void **state) {
  (void)state;
  enum { N = 100000 };
  uop_rules *r = rules_of("# why\nconsts: (add (add x A) B):i32 -> (add x {A + B})\n"
                          "# why\nswap: [max x C] -> (mul C x)\n");
  const uop *x = uop_param(ctx, 0, UOP_I32, NULL, 0), *u = x, *v = x, *want = x, *out[2];
  for (int i = 0; i < N; i++) u = uop_add(u, 3);
  for (int i = 0; i < N; i++) v = uop_max(v, i);
  for (int i = 0; i < N; i++) want = uop_mul(i, want);
  const uop *roots[] = {u, v};
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++) {
    uop_rewrite_options o = {.order = (uop_rewrite_order)order};
    if (!uop_rewrite(r, roots, 2, &o, out)) fail_msg("%s", uop_error(ctx)->message);
    assert_ptr_equal(out[0], uop_add(x, 3 * N));
    assert_ptr_equal(out[1], want);
  }
  uop_rules_free(r);
}

static uint64_t allocations_of(uop_rules *r, const uop *u, uop_rewrite_order order) {
  uop_rewrite_options o = {.order = order};
  const uop *out;
  uint64_t before = memory.allocations;
  assert_true(uop_rewrite(r, &u, 1, &o, &out));
  assert_ptr_equal(out, u);
  return memory.allocations - before;
}

/* Patterns that fail late, on every node: not one allocation more than without rules. */
static void test_no_allocation(void **state) {
  (void)state;
  enum { N = 20000 };
  const uop *x = uop_param(ctx, 0, UOP_I32, NULL, 0), *y = uop_param(ctx, 1, UOP_I32, NULL, 0);
  const uop *u = x;
  for (int i = 0; i < N; i++) u = i % 2 ? uop_add(uop_mul(y, 3), u) : uop_add(u, uop_mul(y, 5));
  uop_rules *none = rules_of(NULL);
  uop_rules *r = rules_of("# why\na: (add (mul x A) (mul y B)):i32 -> (mul x {A * B})\n"
                          "# why\nb: (add (mul x A) (add (mul x B) y)) -> 0 if A > 9 or B // 0\n"
                          "# why\nc: (add (add (add x (mul _ 7)) y) z):i32 -> (mul z (add x y))\n"
                          "# why\nd: (add (mul x A) y):i32 -> (add x (mul y {A})) if A % 2 == 0\n"
                          "# why\ne: (o=any (add x x) xs...) -> (o x xs...)\n");
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++) {
    uint64_t walk = allocations_of(none, u, (uop_rewrite_order)order);
    assert_int_equal(allocations_of(r, u, (uop_rewrite_order)order), walk);
    assert_true(walk < N / 20);
  }
  uop_rules_free(none);
  uop_rules_free(r);
}

/* ---- the value stays ---- */

/* Each holds for all bits that its operands can have. */
static const char sound[] =
    "# why\nadd_zero: (add x:i32|bool 0) -> x\n"
    "# why\nadd_consts: (add (add x A) B):i32 -> (add x {A + B})\n"
    "# why\nmul_consts: (mul (mul x A) B):i32 -> (mul x {A * B})\n"
    "# why\nmul_zero: (mul x:i32|bool 0) -> 0\n"
    "# why\nmul_one: (mul x:i32|bool 1) -> x\n"
    "# why\ntwice: (add x x):i32 -> (mul x 2)\n"
    "# why\nfold_add: (add A B):i32 -> {A + B}\n"
    "# why\nfold_mul: (mul A B):i32|bool -> {A * B}\n"
    "# why\nfold_max: (max A B):i32|bool -> {max(A, B)}\n"
    "# why\nfold_lt: (cmplt A:i32|bool B) -> {A < B}\n"
    "# why\nfold_ne: (cmpne A:i32|bool B) -> {A != B}\n"
    "# why\nfold_div: (floordiv A B) -> {A // B}\n"
    "# why\nfold_mod: (floormod A B) -> {A % B}\n"
    "# why\nfold_cast: (cast A:i32 : dtype=bool) -> {A != 0}\n"
    "# why\nfold_int: (cast A:bool : dtype=i32) -> {A}\n"
    "# why\nfold_index: (index (stack x xs...) 0) -> x\n"
    "# why\nmax_same: (max x:i32|bool x) -> x\n"
    "# why\nmax_known: (max x y):i32 -> x if lo(x) >= hi(y)\n"
    "# why\nlt_same: (cmplt x:i32|bool x) -> false\n"
    "# why\nne_same: (cmpne x:i32|bool x) -> false\n"
    "# why\nlt_true: (cmplt x:i32|bool y) -> true if hi(x) < lo(y)\n"
    "# why\nlt_false: (cmplt x:i32|bool y) -> false if lo(x) >= hi(y)\n"
    "# why\nmod_small: (floormod x C) -> x if lo(x) >= 0 and hi(x) < C\n"
    "# why\nmod_mod: (floormod (floormod x A) A) -> (floormod x A) if A != 0\n"
    "# why\nwhere_same: (where _ x x) -> x\n"
    "# why\nwhere_true: (where true x _) -> x\n"
    "# why\nwhere_false: (where false _ x) -> x\n"
    "# why\npush: (o=unary (where c a b)) -> (where c (o a) (o b))\n"
    "# why\nreshapes: (reshape (reshape x) s) -> (reshape x s)\n"
    "# why\nreshape_out: (o=recip|sqrt|exp2|cast (reshape x s)) -> (reshape (o x) s)\n"
    "# why\npermute_out: (o=recip|sqrt|exp2|cast (permute x s)) -> (permute (o x) s)\n"
    "# why\nno_axes: (reduce x:i32|bool : pop=0) -> x\n"
    "# why\ncasts: (cast (cast x:bool) : dtype=d) -> (cast x : dtype=d) if 1\n"
    "# why\ndistribute: (mul (add x A) B):i32 -> (add (mul x B) {A * B})\n";

typedef struct tally {
  uint64_t changed, values;
} tally;

static uop_run *run_of(const uop_nodes *in, uop_value *fill) {
  uop_run *r = uop_run_new(ctx, NULL);
  assert_non_null(r);
  for (size_t i = 0; i < in->len; i++)
    uop_run_set(r, (uop_op)in->at[i]->op, uop_slot(in->at[i]), &fill[i]);
  return r;
}

static bool same_bits(const uop *g, const uop *h, uint64_t seed, tally *t) {
  uop_nodes in = {0};
  assert_true(uop_inputs(ctx, &g, 1, &in));
  uop_value *fill = calloc(in.len + 1, sizeof *fill), a, b, pa, pb;
  assert_non_null(fill);
  for (size_t i = 0; i < in.len; i++) assert_true(uop_value_fill(in.at[i], seed, &fill[i]));
  uop_run *r = run_of(&in, fill), *q = run_of(&in, fill);
  bool same = true;
  if (uop_run_eval(r, g, &a)) { /* what fails may do so no more, but not the other way round */
    same = uop_run_eval(q, h, &b);
    if (same && g->dtype != UOP_VOID)
      same = uop_value_pack(ctx, &a, &pa) && uop_value_pack(ctx, &b, &pb);
    if (same && g->dtype != UOP_VOID) {
      size_t bytes = (size_t)pa.count * uop_dtype_size(pa.dtype);
      same = pa.dtype == pb.dtype && pa.count == pb.count && !memcmp(pa.data, pb.data, bytes);
      uop_value_free(ctx, &pa);
      uop_value_free(ctx, &pb);
      t->values++;
    }
  }
  uop_error_clear(ctx);
  uop_run_free(r);
  uop_run_free(q);
  for (size_t i = 0; i < in.len; i++) uop_value_free(ctx, &fill[i]);
  free(fill);
  uop_nodes_free(ctx, &in);
  return same;
}

typedef struct trial {
  uop_rules *rules;
  uint64_t seed;
  uop_rewrite_order order;
  tally *tally;
} trial;

/* NULL, or what does not hold. */
static const char *broken(const uop *g, const trial *t) {
  uop_rewrite_options o = {.order = t->order};
  const uop *h, *again;
  if (!uop_rewrite(t->rules, &g, 1, &o, &h)) return uop_error(ctx)->message;
  t->tally->changed += g != h;
  if (g->dtype != h->dtype || g->shape != h->shape || g->space != h->space) return "its type";
  if (!uop_rewrite(t->rules, &g, 1, &o, &again) || again != h) return "the same twice";
  if (t->order == UOP_BOTTOM_UP && (!uop_rewrite(t->rules, &h, 1, &o, &again) || again != h))
    return "rewritten again it stays";
  return same_bits(g, h, t->seed, t->tally) ? NULL : "its value";
}

static bool is_broken(const uop *g, void *user) { return broken(g, user) != NULL; }

/* ADDs, MULs, … of few leaves and small constants, scalars and of shape (3,), where the rules find
 * more than among random programs of all ops. */
static const uop *arithmetic(rng *r, int steps) {
  enum { POOL = 64 };
  static const int32_t some[] = {0, 1, 2, 3, -1, -2, 8, INT32_MAX, INT32_MIN};
  const uop *i[POOL], *b[POOL], *u = NULL;
  uint32_t ni = 0, nb = 0;
  i[ni++] = expression("%x");
  i[ni++] = expression("%v");
  i[ni++] = expression("floormod %x 8");
  for (size_t k = 0; k < sizeof some / sizeof *some; k++) i[ni++] = uop_const_of_i32(ctx, some[k]);
  b[nb++] = expression("%b");
  b[nb++] = expression("cmplt %v 3");
  b[nb++] = uop_const_of_bool(ctx, true);
  b[nb++] = uop_const_of_bool(ctx, false);
  while (steps-- && ni < POOL && nb < POOL) {
    const uop *x = i[random_below(r, ni)], *y = i[random_below(r, ni)];
    const uop *p = b[random_below(r, nb)], *q = b[random_below(r, nb)];
    switch (random_below(r, 14)) {
    case 0:
    case 1: u = i[ni++] = uop_add(x, y); break;
    case 2:
    case 3: u = i[ni++] = uop_mul(x, y); break;
    case 4: u = i[ni++] = uop_max(x, y); break;
    case 5: u = i[ni++] = uop_floordiv(x, y); break;
    case 6: u = i[ni++] = uop_floormod(x, y); break;
    case 7: u = i[ni++] = uop_where(p, x, y); break;
    case 8: u = i[ni++] = uop_cast(p, UOP_I32); break;
    case 9: u = b[nb++] = uop_cast(x, UOP_BOOL); break;
    case 10: u = b[nb++] = uop_lt(x, y); break;
    case 11: u = b[nb++] = uop_ne(x, y); break;
    case 12: u = b[nb++] = uop_where(uop_ne(p, q), q, p); break;
    default: u = b[nb++] = random_below(r, 2) ? uop_and(p, q) : uop_or(p, q); break;
    }
    assert_non_null(u);
  }
  return u;
}

static void try_program(uop_rules *r, const uop *g, uint64_t seed, tally *t) {
  trial it = {r, seed, (uop_rewrite_order)(seed % 3), t};
  const char *why = broken(g, &it);
  if (!why) return;
  char what[2 * UOP_MAX_MESSAGE];
  snprintf(what, sizeof what, "seed %d: %s", (int)seed, why);
  shrink_and_print(g, is_broken, &it, what);
  fail_msg("%s", what);
}

static void test_same_value(void **state) {
  (void)state;
  uop_rules *r = rules_of(sound);
  tally t = {0};
  for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
    rng g = {seed};
    uop_scope s = uop_scope_begin(ctx);
    try_program(r, random_graph(ctx, seed, 1 + (int)(seed % 40), RANDOM_RUNNABLE), seed, &t);
    try_program(r, arithmetic(&g, 1 + (int)(seed % 50)), seed, &t);
    uop_error_clear(ctx);
    assert_true(uop_scope_end(s, NULL, 0));
    if (seed % 500 == 0) assert_true(uop_ctx_check(ctx));
  }
  size_t unused = 0;
  for (size_t i = 0; i < uop_rules_len(r); i++) {
    uop_rule_info info;
    assert_true(uop_rules_get(r, i, &info));
    if (info.hits) continue;
    print_message("never applied: %s\n", info.name);
    unused++;
  }
  print_message("%d programs: %d changed, %d values\n", 2 * (int)count, (int)t.changed,
                (int)t.values);
  if (count >= 3000) assert_true(t.changed > count && t.values > count && unused == 0);
  uop_rules_free(r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(test_##f, begin, end)

int main(int argc, char **argv) {
  if (argc > 1) count = strtoull(argv[1], NULL, 10);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {TEST(orders),
                                     TEST(precedence),
                                     TEST(shared_once),
                                     TEST(roots),
                                     TEST(hits),
                                     TEST(bodies),
                                     TEST(answers),
                                     TEST(itself),
                                     TEST(budget),
                                     TEST(types),
                                     TEST(memory_for_a_value),
                                     TEST(callback),
                                     TEST(callback_fails),
                                     TEST(callback_builds),
                                     TEST(freed_meanwhile),
                                     TEST(rewrites_in_rewrites),
                                     TEST(refused_sources),
                                     TEST(functions),
                                     TEST(most_pairs),
                                     TEST(refused_rules),
                                     TEST(cancelled),
                                     TEST(trace_leaves_scope),
                                     TEST(doubling),
                                     TEST(deep),
                                     TEST(no_allocation),
                                     TEST(same_value)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
