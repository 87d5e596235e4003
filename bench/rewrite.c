/* rewrite.c - the rewrite engine on the graphs of workload.h: rewrite W N. Nanoseconds a node.
 *
 *   built    build every node, for the yardstick
 *   walked   depth-first toposort, again, into the same list: the other yardstick
 *   visited  rewrite by eight rules of i32, four to an op, none of which applies anywhere
 *   replaced rewrite by two rules that replace every node: each is rebuilt from what its sources
 *            became, matched, and its replacement made and visited
 *   doubled  300 levels of x + x, each replaced: nanoseconds a level
 */
#include "uop.h"

#include "workload.h"

/* None of these applies to the graphs. */
static const char identities[] = "# Adding 0.\n"
                                 "add_0: (add x:i32 0) -> x\n"
                                 "# Constants meet.\n"
                                 "add_add: (add (add x A) B):i32 -> (add x {A + B})\n"
                                 "# What cancels.\n"
                                 "add_neg: (add x (mul x -1)):i32 -> 0\n"
                                 "# Two constants.\n"
                                 "add_known: (add A B):i32 -> {A + B}\n"
                                 "# Times 1.\n"
                                 "mul_1: (mul x:i32 1) -> x\n"
                                 "# Times 0.\n"
                                 "mul_0: (mul x:i32 0) -> 0\n"
                                 "# Constants meet.\n"
                                 "mul_mul: (mul (mul x A) B):i32 -> (mul x {A * B})\n"
                                 "# Two constants.\n"
                                 "mul_known: (mul A B):i32 -> {A * B}\n";

static const char swap_ops[] = "# Every ADD becomes a MAX.\n"
                               "add: (add x:i32 y) -> (max x y)\n"
                               "# Every MUL becomes a FLOORMOD.\n"
                               "mul: (mul x:i32 y) -> (floormod x y)\n";

static void build(uop_ctx *ctx, const workload *w, const uop **node) {
  for (uint32_t i = 0; i < LEAVES; i++) node[i] = uop_param(ctx, i, UOP_I32, NULL, 0);
  for (uint32_t i = 0; i < w->n; i++) {
    const uop *src[2] = {node[w->a[i]], node[w->b[i]]};
    node[LEAVES + i] = uop_make(ctx, w->mul[i] ? UOP_MUL : UOP_ADD, src, 2, NULL);
  }
}

static int walk(uop_ctx *ctx, const workload *w, const uop *root) {
  uop_nodes order = {NULL, 0, 0};
  double best = NEVER;
  for (int r = 0; r <= repeats(w->n); r++) {
    begin();
    if (!uop_toposort(ctx, &root, 1, &order)) return fail("walk");
    if (r) best = lap(best);
  }
  report("walked", best, w->n);
  uop_nodes_free(ctx, &order);
  return 0;
}

static int rewrite(uop_ctx *ctx, uop_rules *rules, size_t n, const uop *root, const char *key,
                   bool replaces) {
  double best = NEVER;
  for (int r = 0; r <= repeats(n); r++) {
    uop_scope scope = uop_scope_begin(ctx);
    const uop *out;
    begin();
    if (!uop_rewrite(rules, &root, 1, NULL, &out)) return fail(uop_error(ctx)->message);
    if (r) best = lap(best);
    if ((out != root) != replaces) return fail("rewrite");
    if (!uop_scope_end(scope, NULL, 0)) return fail("scope");
  }
  report(key, best, n);
  return 0;
}

int main(int argc, char **argv) {
  workload w = workload_from_args(argc, argv, 350);
  const uop **node = touched((w.n + LEAVES) * sizeof *node);
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_rules *none = uop_rules_new(ctx), *all = uop_rules_new(ctx);
  if (!uop_rules_add_text(none, identities, sizeof identities - 1, NULL)) return fail("rules");
  if (!uop_rules_add_text(all, swap_ops, sizeof swap_ops - 1, NULL)) return fail("rules");
  begin();
  build(ctx, &w, node);
  end("built", w.n);
  const uop *root = node[w.n + LEAVES - 1], *x = node[0];
  for (int i = 0; i < 300; i++) x = uop_add(x, x);
  if (walk(ctx, &w, root) || rewrite(ctx, none, w.n, root, "visited", false) ||
      rewrite(ctx, all, w.n, root, "replaced", true) || rewrite(ctx, all, 300, x, "doubled", true))
    return 1;
  uop_rules_free(none);
  uop_rules_free(all);
  uop_ctx_free(ctx);
  free(node);
  return 0;
}
