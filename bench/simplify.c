/* simplify.c - simplification of large graphs: simplify C N, on graphs of its own of N nodes (the
 * letter is of the other programs' graphs). CPU nanoseconds a node; they may grow as the logarithm.
 *
 *   sum      x7 + x3 + x7 + …: N additions in one chain, of 1,024 terms in random order
 *   terms    x7*3 + x3*5 + x7*2 + …: the same of multiples
 *   doubling x + x, N levels of it
 *   mixed    a chain of ADD, MUL, MAX, WHERE, FLOORDIV and FLOORMOD, N deep
 *   shared   sums that others use too: a spine of N additions, each of two earlier ones
 */
#include "uop.h"

#include "workload.h"

static const uop *leaf[LEAVES];

static const uop *sum(uint32_t n) {
  const uop *u = leaf[0];
  for (uint32_t i = 0; i < n; i++) u = uop_add(u, leaf[random_below(LEAVES)]);
  return u;
}

static const uop *terms(uint32_t n) {
  const uop *u = leaf[0];
  for (uint32_t i = 0; i < n / 2; i++)
    u = uop_add(u, uop_mul(leaf[random_below(LEAVES)], 2 + (int)random_below(9)));
  return u;
}

static const uop *doubling(uint32_t n) {
  const uop *u = leaf[0];
  for (uint32_t i = 0; i < n; i++) u = uop_add(u, u);
  return u;
}

static const uop *mixed(uint32_t n) {
  const uop *u = leaf[0];
  for (uint32_t i = 0; i < n; i++) {
    const uop *x = leaf[random_below(LEAVES)];
    int k = 2 + (int)random_below(30);
    switch (random_below(8)) {
    case 0: u = uop_add(u, x); break;
    case 1: u = uop_add(u, k); break;
    case 2: u = uop_mul(u, k); break;
    case 3: u = uop_mul(u, x); break;
    case 4: u = uop_max(u, x); break;
    case 5: u = uop_where(uop_lt(x, k), u, x); break;
    case 6: u = uop_floordiv(u, k); break;
    default: u = uop_add(uop_floormod(u, k), x); break;
    }
  }
  return u;
}

static const uop *shared(uint32_t n) {
  const uop **all = touched((n + 2) * sizeof *all), *u;
  all[0] = leaf[0];
  all[1] = leaf[1];
  for (uint32_t i = 0; i < n; i++) all[i + 2] = uop_add(all[i + 1], all[random_below(i + 1)]);
  u = all[n + 1];
  free(all);
  return u;
}

static int measure(uop_ctx *ctx, uop_rules *rules, const char *key, const uop *root, uint32_t n) {
  double best = NEVER;
  for (int r = 0; r <= repeats(n); r++) {
    uop_scope scope = uop_scope_begin(ctx);
    const uop *out;
    begin();
    if (!uop_simplify(rules, &root, 1, NULL, &out)) return fail(uop_error(ctx)->message);
    if (r) best = lap(best);
    if (!uop_scope_end(scope, NULL, 0)) return fail("scope");
  }
  report(key, best, n);
  return 0;
}

int main(int argc, char **argv) {
  static const struct {
    const char *key;
    const uop *(*make)(uint32_t n);
  } graphs[] = {
      {"sum", sum}, {"terms", terms}, {"doubling", doubling}, {"mixed", mixed}, {"shared", shared}};
  uint32_t n = workload_from_args(argc, argv, 100).n;
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_rules *rules = uop_rules_new(ctx);
  if (!uop_rules_add_set(rules, "simplify")) return fail("rules");
  for (uint32_t i = 0; i < LEAVES; i++) leaf[i] = uop_param(ctx, i, UOP_I32, NULL, 0);
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    uop_scope scope = uop_scope_begin(ctx);
    const uop *root = graphs[i].make(n);
    if (!root || measure(ctx, rules, graphs[i].key, root, n)) return 1;
    if (!uop_scope_end(scope, NULL, 0)) return fail("scope");
  }
  uop_rules_free(rules);
  uop_ctx_free(ctx);
}
