/* test_simplify_index.c - index expressions (index_rows.inc): how many simplify to no more ops than
 * the best form known does itself, that each has the same values, and bounds that are no wider. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/ints.h"

static uop_ctx *ctx;
static uop_rules *all;

static int begin(void **state) {
  (void)state;
  ctx = uop_ctx_new(NULL);
  all = ctx ? uop_rules_new(ctx) : NULL;
  return all && uop_rules_add_set(all, "simplify") ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  uop_rules_free(all);
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  uop_ctx_free(ctx);
  return 0;
}

typedef struct row {
  const char *variables, *expression, *best;
  int64_t lo, hi;
} row;

static const row rows[] = {
#include "index_rows.inc"
};
enum { ROWS = sizeof rows / sizeof *rows, VARIABLES = 6 };

/* ---- programs ---- */

typedef struct variable {
  char name;
  int32_t lo, hi;
} variable;

static size_t variables_of(const row *r, variable *v) {
  size_t n = 0;
  for (char *s = (char *)(uintptr_t)r->variables; *s; n++) {
    assert_true(n < VARIABLES && s[0] && s[1] == '=');
    v[n].name = s[0];
    v[n].lo = (int32_t)strtol(s + 2, &s, 10);
    v[n].hi = (int32_t)strtol(s + 2, &s, 10);
    while (*s == ' ') s++;
  }
  return n;
}

/* A program whose last statement is the expression: a name, a number, or (op …). */
static const uop *parse(const variable *v, size_t n, const char *expression) {
  static char text[16384];
  char *end = text;
  for (size_t i = 0; i < n; i++)
    end += sprintf(end, "%%r%c = range %d : idx=%d\n%%%c = add %%r%c %d\n", v[i].name,
                   (int)(v[i].hi - v[i].lo + 1), (int)i, v[i].name, v[i].name, (int)v[i].lo);
  end += sprintf(end, "%%r = stack ");
  for (const char *s = expression; *s; s++) {
    bool starts = s == expression || s[-1] == ' ';
    if (starts && *s >= 'a' && *s <= 'f' && (s[1] == ' ' || s[1] == ')' || !s[1])) *end++ = '%';
    *end++ = *s;
  }
  *end = 0;
  const uop *u = uop_parse(ctx, text, (size_t)(end - text));
  if (!u) fail_msg("%s\n%s", uop_error(ctx)->message, text);
  return u->src[0];
}

static const uop *simplified(const uop *u) {
  const uop *out;
  if (!uop_simplify(all, &u, 1, NULL, &out)) fail_msg("%s", uop_error(ctx)->message);
  return out;
}

static uint64_t ops_of(const uop *u) { /* without the variables' counters */
  uop_counts c;
  assert_true(uop_count(ctx, &u, 1, &c));
  return c.ops - c.by_op[UOP_RANGE];
}

/* ---- values ---- */

/* The next LANES of all combinations, or random ones where these are many. */
static void fill(const variable *v, size_t n, rng *r, uint64_t first, bool all_of_them,
                 ints_leaves *leaves) {
  for (int lane = 0; lane < LANES; lane++) {
    uint64_t rest = first + (uint64_t)lane;
    for (size_t i = 0; i < n; i++) {
      uint32_t width = (uint32_t)(v[i].hi - v[i].lo) + 1;
      uint32_t at = all_of_them ? (uint32_t)(rest % width) : random_below(r, width);
      if (!all_of_them && lane < 4) at = (lane >> (i % 2) & 1) ? width - 1 : 0;
      leaves->at[i][lane] = (int32_t)at;
      rest /= width;
    }
  }
}

static bool same_values(const uop *u, const uop *w, const row *what, uint64_t seed) {
  variable v[VARIABLES];
  size_t n = variables_of(what, v);
  enum { MANY = 4096 };
  uint64_t combinations = 1;
  for (size_t i = 0; i < n && combinations <= MANY; i++)
    combinations *= (uint64_t)(v[i].hi - v[i].lo) + 1;
  ints_leaves leaves = {0};
  int32_t a[LANES], b[LANES];
  rng r = {seed};
  uint64_t last = combinations <= MANY ? combinations : MANY;
  for (uint64_t first = 0; first < last; first += LANES) {
    fill(v, n, &r, first, combinations <= MANY, &leaves);
    assert_true(ints_eval(u, &leaves, a));
    if (!ints_eval(w, &leaves, b) || memcmp(a, b, sizeof a)) return false;
  }
  return true;
}

/* ---- the rows ---- */

typedef struct tally {
  size_t good, wrong, wide;
} tally;

static void print_row(const row *r, const char *what, const uop *got, const uop *best) {
  char a[1000], b[1000];
  uop_repr(got, a, sizeof a);
  uop_repr(best, b, sizeof b);
  print_error("%s: %s\n  of %s\n  gives %s\n  best  %s\n", what, r->expression, r->variables, a, b);
}

static void try_row(const row *r, uint64_t seed, tally *t) {
  variable v[VARIABLES];
  size_t n = variables_of(r, v);
  const uop *u = parse(v, n, r->expression), *best = simplified(parse(v, n, r->best));
  const uop *s = simplified(u);
  uop_interval b;
  if (simplified(s) != s) fail_msg("simplified again it is another: %s", r->expression);
  assert_true(uop_bounds(NULL, s, &b));
  bool good = ops_of(s) <= ops_of(best), wide = b.lo < r->lo || b.hi > r->hi;
  t->good += good;
  if (!good) print_row(r, "more ops", s, best);
  if (!same_values(u, s, r, seed) || !same_values(u, best, r, seed)) {
    t->wrong++;
    print_row(r, "wrong", s, best);
  }
  if (!wide) return;
  t->wide++;
  print_error("bounds %d..%d, not %d..%d\n", (int)b.lo, (int)b.hi, (int)r->lo, (int)r->hi);
  print_row(r, "wider bounds", s, best);
}

static void test_index_expressions(void **state) {
  (void)state;
  tally t = {0};
  for (size_t i = 0; i < ROWS; i++) try_row(&rows[i], i + 1, &t);
  print_message("%d of %d as short as the best form known\n", (int)t.good, (int)ROWS);
  assert_int_equal(t.wrong, 0);
  assert_int_equal(t.wide, 0);
  assert_true(t.good * 100 >= ROWS * 95);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_index_expressions, begin, end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
