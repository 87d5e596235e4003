/* test_simplify.c - simplification by example: each rule, the cases that users of other compilers
 * met (tests/cases.md), origins, traces, errors. Random programs: test_simplify_random.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/awkward.h"
#include "support/ints.h"

static uop_ctx *ctx;
static uop_rules *all; /* "simplify" */

static uop_rules *set_of(const char *name) {
  uop_rules *r = uop_rules_new(ctx);
  assert_non_null(r);
  if (!uop_rules_add_set(r, name)) fail_msg("%s", uop_error(ctx)->message);
  return r;
}

static int begin(void **state) {
  (void)state;
  ctx = uop_ctx_new(NULL);
  all = ctx ? set_of("simplify") : NULL;
  return all ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  uop_rules_free(all);
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  uop_ctx_free(ctx);
  return 0;
}

/* ---- expressions ---- */

static const char prelude[] = "%x = param 0 dtype=i32\n"
                              "%y = param 1 dtype=i32\n"
                              "%z = param 2 dtype=i32\n"
                              "%f = param 3\n"
                              "%g = param 4\n"
                              "%h = param 5 dtype=f16\n"
                              "%b = param 6 dtype=bool\n"
                              "%c = param 7 dtype=bool\n"
                              "%v = param 8 dtype=i32 shape=(2, 3)\n"
                              "%w = param 9 shape=(2, 3, 4)\n"
                              "%q = param 10 dtype=i32 shape=(2, 2)\n"
                              "%B = param 11 dtype=bool shape=(4,)\n"
                              "%B2 = param 12 dtype=bool shape=(2, 4)\n"
                              "%r = ";

static const uop *parse(const char *expression) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s\n", prelude, expression);
  const uop *u = uop_parse(ctx, text, strlen(text));
  if (!u) fail_msg("%s: %s", expression, uop_error(ctx)->message);
  return u;
}

static uint64_t work_of(const uop *const *roots, size_t n) {
  uop_cost c;
  assert_true(uop_cost_of(ctx, roots, n, &c));
  return c.work;
}

static const uop *simplified(const uop *u) {
  const uop *out;
  if (!uop_simplify(all, &u, 1, NULL, &out)) fail_msg("%s", uop_error(ctx)->message);
  return out;
}

static void expect(const uop *got, const uop *want, const char *what) {
  char a[400], b[400];
  if (got == want) return;
  uop_repr(got, a, sizeof a);
  uop_repr(want, b, sizeof b);
  fail_msg("%s\n  gave %s\n  not  %s", what, a, b);
}

/* Simplifies to that node. */
static void becomes(const char *program, const char *want) {
  expect(simplified(parse(program)), parse(want), program);
}

static void same_everywhere(const uop *u) {
  for (uint64_t seed = 0; seed < 20; seed++)
    if (same_values(u, simplified(u), seed) != SAME) {
      uop_dump(u);
      uop_dump(simplified(u));
      fail_msg("another value");
    }
}

/* It may change, but not in what it computes, whatever the inputs. */
static void keeps_value(const char *program) { same_everywhere(parse(program)); }

/* ---- each rule ---- */

typedef struct row {
  const char *rule, *program, *want; /* NULL: the set leaves it alone */
} row;

static const row rows[] = {
#include "rule_rows.inc"
};
enum { ROWS = sizeof rows / sizeof *rows };

static uint64_t hits_of(const uop_rules *r, const char *set, const char *rule) {
  uop_rule_info info;
  for (size_t i = 0; uop_rules_get(r, i, &info); i++)
    if (!strcmp(info.set, set) && !strcmp(info.name, rule)) return info.hits;
  return 0;
}

static bool row_holds(const row *w) {
  char set[32], a[400], b[400];
  snprintf(set, sizeof set, "%.*s", (int)(strchr(w->rule, '.') - w->rule), w->rule);
  uop_rules *r = set_of(set);
  const uop *u = parse(w->program), *want = w->want ? parse(w->want) : u, *got;
  if (!uop_rewrite(r, &u, 1, NULL, &got)) fail_msg("%s", uop_error(ctx)->message);
  bool fires = hits_of(r, set, strchr(w->rule, '.') + 1) > 0, ok = got == want;
  uop_rules_free(r);
  if (ok && fires == (w->want != NULL)) return true;
  uop_repr(got, a, sizeof a);
  uop_repr(want, b, sizeof b);
  print_error("%s, which %s, on %s\n  gave %s\n  not  %s\n", w->rule,
              fires ? "applied" : "did not apply", w->program, a, b);
  return false;
}

static void test_each_rule(void **state) {
  (void)state;
  size_t wrong = 0;
  for (size_t i = 0; i < ROWS; i++) wrong += !row_holds(&rows[i]);
  assert_int_equal(wrong, 0);
}

/* Gathering leaves what rules for sums and products see: what becomes one while they apply. */
static const char *const together[] = {
    "add %x (where true 0 %y)",
    "mul %x (where true 1 %y)",
    "mul %x (where true 0 %y)",
    "add (where true (add %x 1) 3) 5",
    "mul (where true (mul %x 3) 3) 5",
    "add %x (where true (mul %x -1) %y)",
    "mul (where true (mul %x 3) 3) %y",
    "add %x (where true %x %y)",
    "add (where true (mul %x 3) %y) %x",
    "add (where true (mul %x 3) %y) (mul %x 4)",
    "add (mul (floordiv %x 7) 7) (where true (floormod %x 7) 3)",
    "cast (add (floormod %x 3) 1) : dtype=bool",
};

/* None is without an example above. */
static void test_every_rule(void **state) {
  (void)state;
  size_t missing = 0;
  for (size_t s = 0; uop_rule_set_name(s); s++) {
    uop_rules *r = set_of(uop_rule_set_name(s));
    uop_rule_info info;
    for (size_t i = 0; uop_rules_get(r, i, &info); i++) {
      char name[128];
      size_t k = 0;
      snprintf(name, sizeof name, "%s.%s", info.set, info.name);
      while (k < ROWS && (strcmp(rows[k].rule, name) || !rows[k].want)) k++;
      if (k < ROWS) continue;
      print_error("%s has no row in rule_rows.inc\n", name);
      missing++;
    }
    uop_rules_free(r);
  }
  assert_int_equal(missing, 0);
}

/* Nor does one keep another of "simplify" from ever applying. */
static void test_none_shadowed(void **state) {
  (void)state;
  uop_rule_info info;
  size_t missing = 0;
  for (size_t i = 0; i < ROWS; i++) simplified(parse(rows[i].program));
  for (size_t i = 0; i < sizeof together / sizeof *together; i++) simplified(parse(together[i]));
  for (size_t i = 0; uop_rules_get(all, i, &info); i++) {
    if (info.hits) continue;
    print_error("%s.%s never applied\n", info.set, info.name);
    missing++;
  }
  assert_int_equal(missing, 0);
}

/* What the rows say is so by value, too, of all that is exact. */
static void test_rows_keep_values(void **state) {
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    const uop *u = parse(rows[i].program);
    for (uint64_t seed = 0; seed < 20; seed++)
      if (same_values(u, simplified(u), seed) == NOT_SAME) fail_msg("%s", rows[i].program);
    if (!strncmp(rows[i].rule, "inexact", 7) || !rows[i].want) continue;
    for (uint64_t seed = 0; seed < 20; seed++)
      if (same_values(u, parse(rows[i].want), seed) == NOT_SAME) fail_msg("%s", rows[i].program);
  }
}

/* ---- the lesson ---- */

static void test_lesson(void **state) {
  (void)state;
  becomes("cmplt (mod (max %x 0) 8) 8", "const true");
  const uop_op ops[] = {UOP_ADD, UOP_MUL, UOP_MAX, UOP_CMPNE};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    for (int d = UOP_BOOL; d < UOP_DTYPE_COUNT; d++)
      for (int rank = 0; rank < 2; rank++) {
        const int64_t dims[] = {3};
        const uop *p = uop_param(ctx, 0, (uop_dtype)d, dims, (size_t)rank);
        const uop *q = uop_param(ctx, 1, (uop_dtype)d, dims, (size_t)rank);
        const uop *pq = uop_make(ctx, ops[i], (const uop *[]){p, q}, 2, NULL);
        const uop *qp = uop_make(ctx, ops[i], (const uop *[]){q, p}, 2, NULL);
        assert_true(pq && qp && pq != qp);
        expect(simplified(pq), simplified(qp), "operands in either order");
      }
}

/* ---- cases: values stay, and nothing inexact happens ---- */

static const uop *constant_f32(uint32_t bits) {
  float f;
  memcpy(&f, &bits, 4);
  return uop_const_of_f32(ctx, f);
}

static const uint32_t INF = 0x7f800000, LOW_INF = 0xff800000, NAN_BITS = 0x7fc00000,
                      LOW_ZERO = 0x80000000;

/* Folds, for these constants in place of %f and %g, to the constant of those bits. */
static void folds(const char *program, uint32_t f, uint32_t g, uint32_t want) {
  const uop *from[] = {uop_param(ctx, 3, UOP_F32, NULL, 0), uop_param(ctx, 4, UOP_F32, NULL, 0)};
  const uop *to[] = {constant_f32(f), constant_f32(g)};
  const uop *u = uop_substitute(parse(program), from, to, 2);
  expect(simplified(u), constant_f32(want), program);
}

static uint32_t bits_of_f32(float f) {
  uint32_t bits;
  memcpy(&bits, &f, 4);
  return bits;
}

static void case_08_times_zero(void **state) {
  (void)state;
  becomes("mul %f 0.0", "mul %f 0.0");
  becomes("mul %x 0", "const 0");
  folds("mul %f 0.0", INF, 0, NAN_BITS);
  folds("mul %f 0.0", LOW_INF, 0, NAN_BITS);
  folds("mul %f 0.0", NAN_BITS, 0, NAN_BITS);
  folds("mul %f 0.0", bits_of_f32(-2), 0, LOW_ZERO);
}

static void case_09_minus_itself(void **state) {
  (void)state;
  keeps_value("add %f (mul %f -1.0)");
  assert_true(simplified(parse("add %f (mul %f -1.0)"))->op != UOP_CONST);
  folds("add %f (mul %f -1.0)", INF, 0, NAN_BITS);
  folds("add %f (mul %f -1.0)", bits_of_f32(5), 0, 0);
  becomes("add %x (mul %x -1)", "const 0");
  becomes("add -2147483648 (mul -2147483648 -1)", "const 0");
}

static void case_10_times_reciprocal(void **state) {
  (void)state;
  assert_true(simplified(parse("mul %f (recip %f)"))->op == UOP_MUL);
  folds("mul %f (recip %f)", 0, 0, NAN_BITS);
  folds("mul %f (recip %f)", INF, 0, NAN_BITS);
  folds("mul %f (recip %f)", bits_of_f32(41), 0, 0x3f7fffff);
}

static void case_11_plus_zero(void **state) {
  (void)state;
  becomes("add %f 0.0", "add %f 0.0");
  becomes("add %f -0.0", "%f");
  folds("add %f 0.0", LOW_ZERO, 0, 0);
}

static void case_12_max_of_nan(void **state) {
  (void)state;
  folds("max %f %g", bits_of_f32(1), NAN_BITS, NAN_BITS);
  folds("max %f %g", NAN_BITS, bits_of_f32(1), NAN_BITS);
  keeps_value("max (max %f nan) %g");
  keeps_value("reduce %w : op=max pop=1");
}

static void case_13_max_of_zeros(void **state) {
  (void)state;
  folds("recip (max %f %g)", LOW_ZERO, 0, INF);
  folds("recip (max %f %g)", 0, LOW_ZERO, INF);
  keeps_value("recip (max %f -0.0)");
}

static void case_14_comparing_nan(void **state) {
  (void)state;
  becomes("cmpne %f %f", "cmpne %f %f");
  becomes("cmpne %x %x", "const false");
  becomes("cmpne %b %b", "const false");
  becomes("cmplt %f %f", "const false");
  becomes("cmpne nan nan", "const true");
  becomes("cmplt nan 1.0", "const false");
  keeps_value("cmpne (cmplt %f %g) true"); /* is not g <= f */
}

static void case_15_relu_of_nan(void **state) {
  (void)state;
  folds("max %f 0.0", NAN_BITS, 0, NAN_BITS);
  keeps_value("max %f 0.0");
  keeps_value("where (cmplt %f %g) %g %f");
  assert_true(simplified(parse("where (cmplt %f %g) %g %f"))->op == UOP_WHERE);
}

static void case_16_no_fused_multiply(void **state) {
  (void)state;
  becomes("add (mul 1e20 1e10) (mul -1e20 1e10)", "const 0.0");
  keeps_value("add (mul %f %g) (mul %f -1.5)"); /* nothing is factored out */
  assert_int_equal(simplified(parse("add (mul %f %g) (mul %f -1.5)"))->src[0]->op, UOP_MUL);
}

static void case_17_row_of_infinities(void **state) {
  (void)state;
  becomes("add -inf (mul -inf -1.0)", "const nan");
  keeps_value(
      "add %w (mul (expand (reshape (reduce %w : op=max pop=1) (2, 3, 1)) (2, 3, 4)) -1.0)");
}

static void case_18_wrapping(void **state) {
  (void)state;
  becomes("add 2147483647 1", "const -2147483648");
  becomes("mul 65536 65536", "const 0");
  becomes("floordiv (mul 65536 65536) 65536", "const 0");
  becomes("add (add (mul %x 65536) (mul %x 65536)) 0", "mul %x 131072");
  becomes("mul (mul %x 65536) 65536", "const 0");
}

static void case_19_wrapping_twice(void **state) {
  (void)state;
  becomes("add (add %x 2147483647) 1", "add %x -2147483648");
  becomes("add (add -1 2147483647) 1", "const 2147483647");
}

static void case_20_wrap_and_compare(void **state) {
  (void)state;
  keeps_value("cmplt %x (add %x 1)");
  becomes("cmplt (floormod %x 100) (add (floormod %x 100) 1)", "const true");
  becomes("cmplt 2147483647 (add 2147483647 1)", "const false");
  keeps_value("floordiv (mul %x 4) 4");
  assert_true(simplified(parse("floordiv (mul %x 4) 4")) != parse("%x"));
  becomes("floordiv (mul (floormod %x 100) 4) 4", "floormod %x 100");
}

static void case_21_floor(void **state) {
  (void)state;
  static const int rows21[][4] = {
      {-21, 5, -5, 4}, {7, -2, -4, -1}, {-7, -2, 3, -1}, {-5, 3, -2, 1}};
  for (size_t i = 0; i < 4; i++) {
    const int *r = rows21[i];
    const uop *a = uop_const_of_i32(ctx, r[0]);
    expect(simplified(uop_floordiv(a, r[1])), uop_const_of_i32(ctx, r[2]), "//");
    expect(simplified(uop_floormod(a, r[1])), uop_const_of_i32(ctx, r[3]), "mod");
  }
}

static void case_22_least_by_minus_one(void **state) {
  (void)state;
  becomes("floordiv -2147483648 -1", "const -2147483648");
  becomes("floormod -2147483648 -1", "const 0");
  becomes("floordiv -2147483647 -1", "const 2147483647");
  keeps_value("floordiv %x -1");
  keeps_value("floordiv (floordiv %x -1) 2"); /* INT_MIN // -1 is below 0 */
  keeps_value("floormod -2147483648 -2147483647");
  keeps_value("cmplt (floordiv (add %x -1) -1) 5");
  becomes("floormod %x -1", "const 0");
}

static void case_23_by_zero(void **state) {
  (void)state;
  becomes("floordiv 7 0", "const 0");
  becomes("floormod 7 0", "const 7");
  becomes("floordiv %x 0", "const 0");
  becomes("floormod %x 0", "%x");
  keeps_value("floordiv %x %x");
  keeps_value("where (cmpne %x 0) (floordiv %y %x) 9");
  keeps_value("add (mul (floordiv %x %y) %y) (floormod %x %y)");
}

static void case_24_index_arithmetic(void **state) {
  (void)state;
  becomes("floordiv (add (mul 3 1) -4) 2", "const -1");
  becomes("floormod (add (add (mul 1 50) (mul 2 8)) 7) 20", "const 13");
  const uop *x = ints_variable(ctx, 0, 0, 9), *y = ints_variable(ctx, 1, 0, 9),
            *z = ints_variable(ctx, 2, 0, 9);
  const uop *u = uop_floormod(uop_add(uop_add(uop_mul(x, 50), uop_mul(y, 8)), z), 20);
  const uop *at[] = {uop_const_of_i32(ctx, 1), uop_const_of_i32(ctx, 2), uop_const_of_i32(ctx, 7)};
  u = uop_substitute(simplified(u), (const uop *[]){x, y, z}, at, 3);
  expect(simplified(u), uop_const_of_i32(ctx, 13), "(x*50 + y*8 + z) mod 20");
}

static void case_28_cast_pairs(void **state) {
  (void)state;
  becomes("cast (cast %x : dtype=f32) : dtype=i32", "cast (cast %x : dtype=f32) : dtype=i32");
  becomes("cast (cast %f : dtype=i32) : dtype=f32", "cast (cast %f : dtype=i32) : dtype=f32");
  becomes("cast (cast %x : dtype=bool) : dtype=i32", "cast (cast %x : dtype=bool) : dtype=i32");
  becomes("cast (cast %f : dtype=f16) : dtype=f32", "cast (cast %f : dtype=f16) : dtype=f32");
  becomes("cast (cast %b : dtype=i32) : dtype=bool", "%b");
  becomes("cast (cast %b : dtype=f32) : dtype=bool", "%b");
  becomes("cast (cast %h : dtype=f32) : dtype=f16", "%h");
  becomes("cast (cast 16777217 : dtype=f32) : dtype=i32", "const 16777216");
  becomes("cast (cast 2.7 : dtype=i32) : dtype=f32", "const 2.0");
  becomes("cast (cast 256 : dtype=bool) : dtype=i32", "const 1");
}

static void case_26_f32_to_i32(void **state) {
  (void)state;
  becomes("cast nan : dtype=i32", "const 0");
  becomes("cast inf : dtype=i32", "const 2147483647");
  becomes("cast -inf : dtype=i32", "const -2147483648");
  becomes("cast 3e9 : dtype=i32", "const 2147483647");
  becomes("cast -3e9 : dtype=i32", "const -2147483648");
  becomes("cast -0.9 : dtype=i32", "const 0");
  becomes("cast 2.7 : dtype=i32", "const 2");
  becomes("cast 2147483646.0 : dtype=i32", "const 2147483647"); /* case 27 */
}

static void case_29_f32_arithmetic(void **state) {
  (void)state;
  folds("mul %f (recip %g)", bits_of_f32(5), bits_of_f32(3), 0x3fd55556);
  folds("mul %f %f", bits_of_f32(0.1f), 0, 0x3c23d70b);
  folds("add %f %g", bits_of_f32(16777216), bits_of_f32(1), bits_of_f32(16777216));
  keeps_value("add (add %f 16777216.0) 1.0");
  keeps_value("mul (mul %f 0.1) 0.1");
  becomes("add (add %f 1.0) 2.0", "add (add %f 1.0) 2.0");
}

static void test_shapes(void **state) {
  (void)state;
  becomes("reduce (expand (reshape 1.0 (1)) (0)) : op=add pop=1",
          "reduce (expand (reshape 1.0 (1)) (0)) : op=add pop=1");
  keeps_value("reduce (shrink %v ((0, 2), (1, 1))) : op=max pop=1");
  keeps_value("add (shrink %v ((1, 1), (0, 3))) 1");
  keeps_value("reduce (permute (add %v 3) (1, 0)) : op=add pop=2");
  keeps_value("index (stack %x %y) (floormod %z 2)");
}

/* An error of the run may go, none may come: what a scalar WHERE does not take is not computed. */
static void test_guards(void **state) {
  (void)state;
  static const char *const guards[] = {
      "where (mul (cmplt -1 %x) (cmplt %x 4)) (index %B %x) false",
      "where (max (cmplt %x 0) (cmplt 3 %x)) true (index %B %x)",
      "where (max (cmplt %x 0) (cmplt 3 %x)) false (index %B %x)",
      "where (max (cmplt %x 0) (cmplt 3 %x)) %y (where (index %B %x) %z %y)",
      "where (mul (cmplt -1 %x) (cmplt %x 4)) (where (index %B %x) %z %y) %y",
      "where (max (cmplt %x 0) (cmplt 3 %x)) (where %b %x 3) (where (index %B %x) 4 5)",
      "add (where (mul (cmplt -1 %x) (cmplt %x 3)) (index %v 1 %x) 3) (where (mul (cmplt -1 %x) "
      "(cmplt %x 3)) 4 %y)"};
  for (size_t i = 0; i < sizeof guards / sizeof *guards; i++) keeps_value(guards[i]);
}

/* ---- what a caller gets ---- */

typedef struct log_of {
  char text[512];
  size_t stop_after, steps;
} log_of;

static bool trace(void *user, const uop_rewrite_step *s) {
  log_of *l = user;
  size_t len = strlen(l->text);
  snprintf(l->text + len, sizeof l->text - len, "%s%s", len ? " " : "", s->rule);
  assert_true(s->before != s->after && s->before->dtype == s->after->dtype);
  return ++l->steps != l->stop_after;
}

static void traced(const char *program, const char *want) {
  log_of l = {.text = ""};
  uop_rewrite_options o = {.trace = trace, .user = &l};
  const uop *u = parse(program), *out;
  assert_true(uop_simplify(all, &u, 1, &o, &out));
  assert_string_equal(l.text, want);
  for (size_t stop = 1; stop <= l.steps; stop++) {
    log_of s = {.stop_after = stop};
    o.user = &s;
    assert_false(uop_simplify(all, &u, 1, &o, &out));
    assert_int_equal(uop_error(ctx)->code, UOP_E_CANCELLED);
    assert_int_equal(s.steps, stop);
  }
}

static void test_trace(void **state) {
  (void)state;
  traced("add %x %y", simplified(parse("add %x %y")) == parse("add %x %y") ? "" : "gather");
  traced("mul (add (mul %x 2) (mul %x 3)) 5", "gather gather");
  traced("where (cmplt 2 3) %x %y", "fold_binary where_true");
  traced("floormod (add (mul %x 8) %y) 4", "mod_sum");
  traced("exp2 (add %f -0.0)", "float_add_neg_0");
}

static bool leaves_scope(void *user, const uop_rewrite_step *s) {
  (void)user;
  (void)s;
  uop_scope_begin(ctx);
  return true;
}

static void refused(uop_rules *r, const uop *u, const uop_rewrite_options *o, uop_code code,
                    const char *message) {
  const uop *out = u;
  assert_false(uop_simplify(r, &u, 1, o, &out));
  assert_ptr_equal(out, u);
  assert_int_equal(uop_error(ctx)->code, code);
  if (!strstr(uop_error(ctx)->message, message)) fail_msg("%s", uop_error(ctx)->message);
}

static void test_errors(void **state) {
  (void)state;
  const uop *sum = parse("mul (add (mul %x 2) (mul %x 3)) 5");
  const uop *many = parse("where true (where true (where true %x 3) 4) 5");
  uop_rewrite_options scope = {.trace = leaves_scope}, few = {.max_steps = 2};
  refused(all, sum, &scope, UOP_E_SCOPE, "a callback left a scope open");
  refused(all, many, &few, UOP_E_RULE, "2");
  uop_ctx *other = uop_ctx_new(NULL);
  const uop *out, *theirs = uop_param(other, 0, UOP_I32, NULL, 0);
  uop_rewrite_options foreign = {.origins = uop_map_new(other)};
  assert_false(uop_simplify(all, &theirs, 1, NULL, &out));
  assert_int_equal(uop_error(ctx)->code, UOP_E_CONTEXT);
  refused(all, sum, &foreign, UOP_E_CONTEXT, "");
  uop_map_free(foreign.origins);
  uop_ctx_free(other);
  assert_false(uop_simplify(NULL, &sum, 1, NULL, &out));
  uop_rules *r = set_of("simplify"); /* and rules that answer each other */
  const char *loop = "# why\na: (sin x) -> (sqrt x)\n# why\nb: (sqrt x) -> (sin x)\n";
  assert_true(uop_rules_add_text(r, loop, strlen(loop), NULL));
  refused(r, parse("sin %f"), NULL, UOP_E_RULE, "a");
  uop_rules_free(r);
}

static void test_roots(void **state) {
  (void)state;
  const uop *roots[] = {parse("add %x 0"), NULL, parse("add %x 0"), parse("mul %y 1")};
  assert_true(uop_simplify(all, roots, 4, NULL, roots));
  assert_ptr_equal(roots[0], parse("%x"));
  assert_null(roots[1]);
  assert_ptr_equal(roots[2], roots[0]);
  assert_ptr_equal(roots[3], parse("%y"));
  assert_true(uop_simplify(all, roots, 0, NULL, roots));
  /* a sum that two roots share stays one */
  const uop *x = parse("%x"), *s = uop_add(uop_mul(x, 3), uop_add(x, 7));
  const uop *both[] = {uop_max(s, 4), uop_add(s, x)}, *out[2];
  assert_true(uop_simplify(all, both, 2, NULL, out));
  assert_true(work_of(out, 2) <= work_of(both, 2));
  /* a body keeps its parameters: the CALL has as many arguments */
  becomes("call (mul %x 0) %y : name=f", "call (mul %x 0) %y : name=f");
  becomes("call (add (add %x 1) 2) %y : name=f", "call (add %x 3) %y : name=f");
}

/* From any state of the graph: what was there before changes neither value nor form. */
static void test_other_contexts(void **state) {
  (void)state;
  static const char *const programs[] = {"add (mul %y 3) (add (mul %x 3) %z)",
                                         "floordiv (add (mul (floormod %x 9) 8) 3) 4",
                                         "max (max %y %x) %z", "mul (add %f %g) (mul %f 3.0)"};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    uop_ctx *mine = ctx;
    char *a = uop_print(simplified(parse(programs[i])), NULL);
    uop_rules *rules = all;
    assert_int_equal(begin(NULL), 0);
    for (int k = 0; k < 1000; k++) uop_add(parse("%z"), k); /* other ids, and other addresses */
    parse("add %z (add %y (mul %x 7))");
    char *b = uop_print(simplified(parse(programs[i])), NULL);
    assert_string_equal(a, b);
    uop_free(ctx, b);
    assert_int_equal(end(NULL), 0);
    ctx = mine;
    all = rules;
    uop_free(ctx, a);
  }
}

/* ---- (a*c1 + c2) // c3 and mod c3, for every small number ---- */

enum { A = 9, C = 6, C2 = 12, VALUES = 2 * A + 1 };

static int floor_div(int a, int b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static const uop *of_sum(const uop *a, int c1, int c2, int c3, bool div) {
  const uop *s = uop_add(uop_mul(a, c1), c2);
  return div ? uop_floordiv(s, c3) : uop_floormod(s, c3);
}

static int wanted(int a, int c1, int c2, int c3, bool div) {
  int s = a * c1 + c2, q = floor_div(s, c3);
  return div ? q : s - q * c3;
}

static void try_numbers(const uop *a, int c1, int c2, int c3, bool div) {
  const uop *roots[VALUES + 1], *out[VALUES + 1];
  ints_leaves leaves = {0};
  int32_t got[LANES];
  for (int k = 0; k < VALUES; k++) roots[k] = of_sum(uop_const_of_i32(ctx, k - A), c1, c2, c3, div);
  roots[VALUES] = of_sum(a, c1, c2, c3, div);
  assert_true(uop_simplify(all, roots, VALUES + 1, NULL, out));
  for (int k = 0; k < VALUES; k++) leaves.at[0][k] = k;
  assert_true(ints_eval(out[VALUES], &leaves, got));
  for (int k = 0; k < VALUES; k++) {
    int want = wanted(k - A, c1, c2, c3, div);
    expect(out[k], uop_const_of_i32(ctx, want), "of constants");
    if (got[k] == want) continue;
    uop_dump(roots[VALUES]);
    uop_dump(out[VALUES]);
    fail_msg("at %d: %d, not %d", k - A, (int)got[k], want);
  }
}

static void test_small_numbers(void **state) {
  (void)state;
  for (int c1 = -C; c1 <= C; c1++)
    for (int c3 = -C; c3 <= C; c3++) {
      if (c1 == 0 || c3 == 0) continue;
      uop_scope s = uop_scope_begin(ctx);
      const uop *a = ints_variable(ctx, 0, -A, A);
      for (int c2 = -C2; c2 <= C2; c2++)
        for (int div = 0; div < 2; div++) try_numbers(a, c1, c2, c3, div);
      assert_true(uop_scope_end(s, NULL, 0));
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(test_##f, begin, end)

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(case_##f, begin, end)
  const struct CMUnitTest tests[] = {TEST(each_rule),
                                     TEST(every_rule),
                                     TEST(none_shadowed),
                                     TEST(rows_keep_values),
                                     TEST(lesson),
                                     CASE(08_times_zero),
                                     CASE(09_minus_itself),
                                     CASE(10_times_reciprocal),
                                     CASE(11_plus_zero),
                                     CASE(12_max_of_nan),
                                     CASE(13_max_of_zeros),
                                     CASE(14_comparing_nan),
                                     CASE(15_relu_of_nan),
                                     CASE(16_no_fused_multiply),
                                     CASE(17_row_of_infinities),
                                     CASE(18_wrapping),
                                     CASE(19_wrapping_twice),
                                     CASE(20_wrap_and_compare),
                                     CASE(21_floor),
                                     CASE(22_least_by_minus_one),
                                     CASE(23_by_zero),
                                     CASE(24_index_arithmetic),
                                     CASE(28_cast_pairs),
                                     CASE(26_f32_to_i32),
                                     CASE(29_f32_arithmetic),
                                     TEST(shapes),
                                     TEST(guards),
                                     TEST(trace),
                                     TEST(errors),
                                     TEST(roots),
                                     TEST(other_contexts),
                                     TEST(small_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
