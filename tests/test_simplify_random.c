/* test_simplify_random.c - what simplification makes of random programs has the same value, bit for
 * bit, fails no run that succeeded, costs no more, and simplified again is itself: by "simplify" as
 * a whole, and by each set alone.
 *
 * Programs are of three kinds: of every op (support/random.h) and of few leaves (support/mixed.h),
 * run on awkward inputs; and index arithmetic (support/ints.h), whose values the test computes. The
 * same programs catch rules that are wrong.
 *
 * `test_simplify_random [COUNT [FIRST SEED]]`: COUNT programs of either kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/awkward.h"
#include "support/ints.h"
#include "support/mixed.h"

static uint64_t count = 2500, first_seed = 1;
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

static uop_rules *set_of(const char *name) {
  uop_rules *r = uop_rules_new(ctx);
  assert_non_null(r);
  if (!uop_rules_add_set(r, name)) fail_msg("%s", uop_error(ctx)->message);
  return r;
}

/* ---- one program ---- */

/* What programs are made by. */
typedef enum kind { OPS, MIXED, INTS, KINDS } kind;

typedef struct trial {
  uop_rules *rules;
  bool whole; /* uop_simplify(), else uop_rewrite() by a set alone */
  kind kind;
  uint64_t seed;
  uint64_t changed, values; /* programs that changed; whose values were compared */
} trial;

static bool apply(const trial *t, const uop *g, const uop **out) {
  return t->whole ? uop_simplify(t->rules, &g, 1, NULL, out)
                  : uop_rewrite(t->rules, &g, 1, NULL, out);
}

static uint64_t work_of(const uop *u) {
  uop_cost c;
  assert_true(uop_cost_of(ctx, &u, 1, &c));
  return c.work;
}

static sameness same_ints(const uop *g, const uop *h, uint64_t seed) {
  ints_leaves leaves;
  int32_t a[LANES], b[LANES];
  rng r = {seed};
  ints_fill(g, &r, &leaves);
  if (!ints_eval(g, &leaves, a)) return NOT_RUN;
  return ints_eval(h, &leaves, b) && !memcmp(a, b, sizeof a) ? SAME : NOT_SAME;
}

/* Each node of the result is one of the program's, or comes from one. */
static const char *lost(const uop *g, const trial *t) {
  uop_nodes given = {NULL, 0, 0}, got = {NULL, 0, 0};
  uop_map *origins = uop_map_new(ctx), *in = uop_map_new(ctx);
  uop_rewrite_options o = {.origins = origins};
  const uop *h;
  bool ok = true;
  assert_true(origins && in && uop_simplify(t->rules, &g, 1, &o, &h));
  assert_true(uop_toposort(ctx, &g, 1, &given) && uop_toposort(ctx, &h, 1, &got));
  for (size_t i = 0; i < given.len; i++) assert_true(uop_map_set(in, given.at[i], 1));
  for (size_t i = 0; i < got.len; i++) {
    const uop *from = uop_origin(origins, got.at[i]);
    ok = ok && uop_map_get(in, from, &(uint64_t){0});
  }
  uop_nodes_free(ctx, &given);
  uop_nodes_free(ctx, &got);
  uop_map_free(origins);
  uop_map_free(in);
  return ok ? NULL : "where a node comes from";
}

/* NULL, or what does not hold. */
static const char *broken(const uop *g, trial *t) {
  const uop *h, *again;
  if (!apply(t, g, &h)) return uop_error(ctx)->message;
  t->changed += g != h;
  if (g->dtype != h->dtype || g->shape != h->shape || g->space != h->space) return "its type";
  if (!apply(t, h, &again)) return uop_error(ctx)->message;
  if (again != h) return "simplified again it stays";
  if (t->whole && work_of(h) > work_of(g)) return "it costs no more";
  if (g == h) return NULL;
  if (t->whole && t->seed % 4 == 0 && lost(g, t)) return lost(g, t);
  sameness is = t->kind == INTS ? same_ints(g, h, t->seed) : same_values(g, h, t->seed);
  t->values += is == SAME;
  return is == NOT_SAME ? "its value" : NULL;
}

static bool is_broken(const uop *g, void *user) {
  trial t = *(trial *)user;
  const char *why = broken(g, &t);
  uop_error_clear(ctx);
  return why != NULL;
}

static void try_program(trial *t, const char *set, const uop *g, uint64_t seed) {
  t->seed = seed;
  const char *why = broken(g, t);
  if (!why) return;
  char what[2 * UOP_MAX_MESSAGE];
  snprintf(what, sizeof what, "%s, seed %d: %s", set, (int)seed, why);
  shrink_and_print(g, is_broken, t, what);
  fail_msg("%s", what);
}

/* ---- many ---- */

static const uop *program(uint64_t seed, kind k) {
  rng r = {seed ^ UINT64_C(0x1234567800000000)};
  const uop *g = k == INTS    ? ints_random(ctx, &r, 1 + (int)(seed % 14))
                 : k == MIXED ? mixed_random(ctx, &r, 1 + (int)(seed % 20))
                              : random_graph(ctx, seed, 1 + (int)(seed % 40), RANDOM_RUNNABLE);
  if (!g) fail_msg("%s", uop_error(ctx)->message);
  return g;
}

static void print_unused(const char *set, const uop_rules *r) {
  for (size_t i = 0; i < uop_rules_len(r); i++) {
    uop_rule_info info;
    assert_true(uop_rules_get(r, i, &info));
    if (!info.hits) print_message("%s: %s.%s was never applied\n", set, info.set, info.name);
  }
}

static void try_set(const char *set, bool whole, uint64_t n) {
  trial t = {.rules = set_of(set), .whole = whole};
  for (uint64_t seed = first_seed; seed < first_seed + n; seed++)
    for (int k = 0; k < KINDS; k++) {
      uop_scope s = uop_scope_begin(ctx);
      t.kind = (kind)k;
      try_program(&t, set, program(seed, (kind)k), seed);
      uop_error_clear(ctx);
      assert_true(uop_scope_end(s, NULL, 0));
      if (seed % 1000 == 0) assert_true(uop_ctx_check(ctx));
    }
  print_message("%-8s %d programs, %d changed, %d values compared\n", set, KINDS * (int)n,
                (int)t.changed, (int)t.values);
  if (getenv("UOP_TEST_UNUSED")) print_unused(set, t.rules);
  uop_rules_free(t.rules);
}

static void test_simplify(void **state) {
  (void)state;
  try_set("simplify", true, count);
}

static void test_each_set(void **state) {
  (void)state;
  for (size_t i = 0; uop_rule_set_name(i); i++)
    if (strcmp(uop_rule_set_name(i), "inexact")) try_set(uop_rule_set_name(i), false, count / 4);
}

/* ---- long programs ---- */

typedef struct values { /* of one dtype, the latest of which are used again */
  const uop *at[4096];
  uint32_t len;
} values;

static const uop *late(const values *v, rng *r) {
  enum { LATEST = 20 };
  uint32_t n = v->len < LATEST ? v->len : LATEST;
  return v->at[v->len - 1 - random_below(r, n)];
}

static const uop *number_or_late(const values *v, rng *r) {
  static const int32_t numbers[] = {0, 1, -1, 2, 3, 8, 24, INT32_MIN, INT32_MAX};
  if (random_below(r, 5)) return late(v, r);
  return uop_const(ctx, UOP_I32, numbers[random_below(r, 9)]);
}

static void add_statement(values *ints, values *bools, rng *r) {
  static const uop_op arithmetic[] = {UOP_ADD, UOP_ADD,      UOP_MUL,
                                      UOP_MAX, UOP_FLOORMOD, UOP_FLOORDIV};
  static const uop_op compare[] = {UOP_CMPLT, UOP_CMPNE};
  static const uop_op logic[] = {UOP_ADD, UOP_MUL, UOP_MAX, UOP_CMPNE, UOP_CMPLT};
  const uop *x = late(ints, r), *y = number_or_late(ints, r), *b = late(bools, r), *c;
  uint32_t pick = random_below(r, 20);
  values *to = pick < 8 ? bools : ints;
  if (pick < 5)
    c = uop_make(ctx, compare[random_below(r, 2)], (const uop *[]){x, y}, 2, NULL);
  else if (pick < 8)
    c = uop_make(ctx, logic[random_below(r, 5)], (const uop *[]){b, late(bools, r)}, 2, NULL);
  else if (pick < 11)
    c = uop_where(b, x, y);
  else
    c = uop_make(ctx, arithmetic[random_below(r, 6)], (const uop *[]){x, y}, 2, NULL);
  assert_non_null(c);
  to->at[to->len++] = c;
}

static const uop *long_program(uint64_t seed, int statements) {
  static values ints, bools;
  rng r = {seed};
  ints.len = bools.len = 0;
  for (int i = 0; i < 2; i++) ints.at[ints.len++] = uop_param(ctx, i, UOP_I32, NULL, 0);
  bools.at[bools.len++] = uop_lt(ints.at[0], ints.at[1]);
  for (int i = 0; i < statements; i++) add_statement(&ints, &bools, &r);
  return uop_add(ints.at[ints.len - 1], uop_cast(bools.at[bools.len - 1], UOP_I32));
}

/* What is settled below must not unsettle what is above, round after round: programs of thousands
 * of mixed statements are themselves when simplified again, too. */
static void test_long(void **state) {
  (void)state;
  uop_rules *r = set_of("simplify");
  for (uint64_t seed = first_seed; seed < first_seed + 3 + count / 1000; seed++) {
    uop_scope s = uop_scope_begin(ctx);
    const uop *g = long_program(seed, 3000), *h, *again;
    assert_true(uop_simplify(r, &g, 1, NULL, &h) && uop_simplify(r, &h, 1, NULL, &again));
    if (again != h) fail_msg("seed %d: simplified again it is another", (int)seed);
    assert_true(work_of(h) < work_of(g));
    assert_int_equal(same_values(g, h, seed), SAME);
    assert_true(uop_scope_end(s, NULL, 0));
  }
  uop_rules_free(r);
}

/* ---- rules that are wrong ---- */

/* Beside those of tests/prove/wrong.rules, which proofs refuse: wrong only in what no proof sees,
 * or in another way. */
static const char more[] = "# Only the product of the same signs.\n"
                           "max_square: (max x:float x) -> (mul x x)\n"
                           "# Not of negative ones.\n"
                           "mod_sign: (floormod x C) -> x if lo(x) > -C and hi(x) < C\n"
                           "# c for both.\n"
                           "where_sum: (where c a:i32 b) -> (add (mul a (cast c : dtype=i32)) (mul "
                           "b (cast c : dtype=i32)))\n"
                           "# Only one of x + A and x + B wraps.\n"
                           "max_add: (max (add x A) (add x B)):i32 -> (add x {max(A, B)})\n"
                           "# A rounding.\n"
                           "float_consts: (add (add x A) B):float -> (add x (!folded (add A B)))\n"
                           "# Numbers beyond f16.\n"
                           "f16_f32: (cast (cast x:f32 : dtype=f16) : dtype=f32) -> x\n"
                           "# The greatest is no sum.\n"
                           "sum_max: (reduce x : op=add pop=1) -> (reduce x : op=max pop=1)\n"
                           "# The branches are swapped.\n"
                           "where_less: (where (cmplt x:i32 y) x y) -> (max x y)\n";

static void count_broken(trial *t, uint64_t n, uint64_t *found) {
  *found = 0;
  for (uint64_t seed = first_seed; seed < first_seed + n && !*found; seed++)
    for (int k = 0; k < KINDS; k++) {
      uop_scope s = uop_scope_begin(ctx);
      t->seed = seed;
      t->kind = (kind)k;
      const char *why = broken(program(seed, (kind)k), t);
      if (why && !strcmp(why, "its value")) *found = seed;
      uop_error_clear(ctx);
      assert_true(uop_scope_end(s, NULL, 0));
    }
}

static uop_rules *wrong_rules(void) {
  static char text[16384];
  FILE *f = fopen("tests/prove/wrong.rules", "r");
  assert_non_null(f);
  size_t len = fread(text, 1, sizeof text, f);
  assert_true(len < sizeof text && !fclose(f));
  uop_rules *r = uop_rules_new(ctx);
  assert_non_null(r);
  if (!uop_rules_define_builtin(r) || !uop_rules_add_text(r, text, len, NULL) ||
      !uop_rules_add_text(r, more, sizeof more - 1, NULL))
    fail_msg("%s", uop_error(ctx)->message);
  return r;
}

/* One wrong rule, planted alone. */
static void is_caught(const char *rule) {
  char text[512];
  uint64_t found;
  trial t = {.rules = uop_rules_new(ctx)};
  snprintf(text, sizeof text, "# It is wrong.\n%s\n", rule);
  assert_non_null(t.rules);
  if (!uop_rules_define_builtin(t.rules) || !uop_rules_add_text(t.rules, text, strlen(text), NULL))
    fail_msg("%s: %s", rule, uop_error(ctx)->message);
  count_broken(&t, 20000, &found);
  if (!found) fail_msg("no program shows that it is wrong: %s", rule);
  print_message("seed %5d: %s\n", (int)found, rule);
  uop_rules_free(t.rules);
}

static void test_wrong_rules(void **state) {
  (void)state;
  uop_rules *r = wrong_rules();
  uop_rule_info info;
  size_t n = 0;
  for (size_t i = 0; uop_rules_get(r, i, &info); i++) {
    if (!strcmp(info.name, "never")) continue; /* wrong in that it never applies */
    is_caught(info.text);
    n++;
  }
  assert_true(n >= 20);
  uop_rules_free(r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(test_##f, begin, end)

int main(int argc, char **argv) {
  if (argc > 1) count = strtoull(argv[1], NULL, 10);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {TEST(simplify), TEST(each_set), TEST(long), TEST(wrong_rules)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
