/* core.c - libuop on the graphs of workload.h: core W N. Nanoseconds a node of each phase.
 *
 *   miss    build every node               hit     build them again: all are found
 *   walk    depth-first toposort           walk2   again, into the same list
 *   sweep   a pass over all nodes in the order of their creation
 *   memcpy  a copy of as many bytes as the sweep reads
 *   subst   replace a leaf                 subst2  again, where room of dropped nodes is free
 *   eval    run the root                   eval2   again, in the run reset
 *   free    end the scope, per node in it  drop    free the context after that
 */
#include "uop.h"

#include "workload.h"

static const uop *leaf(uop_ctx *ctx, uint32_t i) { return uop_param(ctx, i, UOP_I32, NULL, 0); }

static void build(uop_ctx *ctx, const workload *w, const uop **node) {
  for (uint32_t i = 0; i < LEAVES; i++) node[i] = leaf(ctx, i);
  for (uint32_t i = 0; i < w->n; i++) {
    const uop *src[2] = {node[w->a[i]], node[w->b[i]]};
    node[LEAVES + i] = uop_make(ctx, w->mul[i] ? UOP_MUL : UOP_ADD, src, 2, NULL);
  }
}

static uint64_t sweep(const uop *const *node, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += node[i]->op == UOP_MUL ? node[i]->id : node[i]->hash;
  return sum;
}

static int sweep_and_copy(const uop_ctx *ctx, const workload *w) {
  size_t n;
  const uop *const *node = uop_ctx_nodes(ctx, &n);
  size_t bytes = n * (sizeof(uop) + sizeof(uop *)); /* two sources */
  volatile uint64_t sum = 0;
  double best = NEVER;
  for (int r = 0; r < repeats(w->n); r++) {
    begin();
    sum = sum + sweep(node, n);
    best = lap(best);
  }
  report("sweep", best, w->n);
  char *from = touched(bytes), *to = touched(bytes);
  best = NEVER;
  for (int r = 0; r < repeats(w->n); r++) {
    begin();
    memcpy(to, from, bytes);
    best = lap(best);
    if (to[bytes / 2] != 1) return fail("memcpy");
  }
  report("memcpy", best, w->n);
  free(from);
  free(to);
  return 0;
}

static int walk(uop_ctx *ctx, const workload *w, const uop *root) {
  uop_nodes order = {NULL, 0, 0};
  begin();
  if (!uop_toposort(ctx, &root, 1, &order)) return fail("walk");
  end("walk", w->n);
  double best = NEVER;
  for (int r = 0; r < repeats(w->n); r++) {
    begin();
    if (!uop_toposort(ctx, &root, 1, &order)) return fail("walk");
    best = lap(best);
  }
  report("walk2", best, w->n);
  printf("walked %zu\n", order.len);
  uop_nodes_free(ctx, &order);
  return 0;
}

static int substitute(uop_ctx *ctx, const workload *w, const uop *root, const uop *from) {
  const uop *to = leaf(ctx, 5000);
  begin();
  const uop *changed = uop_substitute(root, &from, &to, 1);
  end("subst", w->n);
  if (!changed || changed == root) return fail("subst");
  double best = NEVER;
  for (int r = 0; r < repeats(w->n); r++) {
    uop_scope scope = uop_scope_begin(ctx);
    to = leaf(ctx, 5001);
    begin();
    changed = uop_substitute(root, &from, &to, 1);
    if (r) best = lap(best); /* the first makes the room that the others find */
    if (!changed || changed == root) return fail("subst");
    if (!uop_scope_end(scope, NULL, 0)) return fail("scope");
  }
  report("subst2", best, w->n);
  return 0;
}

static bool give(uop_run *run, int32_t *data) {
  for (uint32_t i = 0; i < LEAVES; i++) {
    uop_value v = {.dtype = UOP_I32, .count = 1, .data = &data[i]};
    if (!uop_run_set(run, UOP_PARAM, i, &v)) return false;
  }
  return true;
}

/* Evaluates `root` once for `key`, and then for `again`. */
static int evaluate(uop_ctx *ctx, const uop *root, size_t n, const char *key, const char *again) {
  int32_t data[LEAVES];
  double best = NEVER;
  uop_value v = {0};
  for (int32_t i = 0; i < LEAVES; i++) data[i] = i + 1;
  uop_run *run = uop_run_new(ctx, NULL);
  for (int r = 0; r <= repeats(n); r++) {
    if (!run || !give(run, data)) return fail("run");
    begin();
    if (!uop_run_eval(run, root, &v)) return fail("eval");
    if (r) best = lap(best);
    if (!r && key) end(key, n);
    if (r == repeats(n)) printf("%s.value %u\n", again, *(const uint32_t *)v.data);
    uop_run_reset(run);
  }
  uop_run_free(run);
  report(again, best, n);
  return 0;
}

/* 300 levels of x + x: as a tree it has 2^301 - 1 nodes. In nanoseconds for all of it. */
static int evaluate_doubling(uop_ctx *ctx) {
  const uop *x = leaf(ctx, 0);
  for (int i = 0; i < 300; i++) x = uop_add(x, x);
  return evaluate(ctx, x, 1, NULL, "doubling");
}

int main(int argc, char **argv) {
  workload w = workload_from_args(argc, argv, 350);
  size_t total = w.n + LEAVES;
  const uop **node = touched(total * sizeof *node), **again = touched(total * sizeof *again);
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_scope scope = uop_scope_begin(ctx);
  long before = resident_bytes();
  begin();
  build(ctx, &w, node);
  end("miss", w.n);
  printf("bytes %.1f\n", (double)(resident_bytes() - before) / (double)total);
  begin();
  build(ctx, &w, again);
  end("hit", w.n);
  if (memcmp((void *)node, (void *)again, total * sizeof *node) != 0) return fail("hit");
  const uop *root = node[total - 1], *from = node[w.replaced];
  if (w.name != 'R') {
    if (walk(ctx, &w, root)) return 1;
    if (sweep_and_copy(ctx, &w)) return 1;
    if (substitute(ctx, &w, root, from)) return 1;
    if (evaluate(ctx, root, w.n, "eval", "eval2")) return 1;
    if (w.name == 'C' && evaluate_doubling(ctx)) return 1;
  }
  size_t live = uop_ctx_live(ctx);
  begin();
  if (!uop_scope_end(scope, NULL, 0)) return fail("scope");
  end("free", live);
  begin();
  uop_ctx_free(ctx);
  end("drop", live);
  return 0;
}
