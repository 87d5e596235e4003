/* core.c - libuop on the workloads of workload.h: core W N. */
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

int main(int argc, char **argv) {
  workload w = workload_from_args(argc, argv);
  uint32_t total = w.n + LEAVES;
  const uop **node = malloc(total * sizeof *node), **again = malloc(total * sizeof *again);
  memset((void *)node, 1, total * sizeof *node);
  memset((void *)again, 1, total * sizeof *again);
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_scope scope = uop_scope_begin(ctx);
  long before = resident_bytes();
  begin();
  build(ctx, &w, node);
  end(&w, "miss");
  printf("bytes %.1f\n", (double)(resident_bytes() - before) / w.n);
  begin();
  build(ctx, &w, again);
  end(&w, "hit");
  if (memcmp((void *)node, (void *)again, total * sizeof *node) != 0) return puts("FAIL hit"), 1;
  if (w.name != 'R') {
    const uop *root = node[total - 1], *from = node[w.replaced], *to = leaf(ctx, 5000);
    uop_nodes order = {NULL, 0, 0};
    begin();
    if (!uop_toposort(ctx, &root, 1, &order)) return puts("FAIL walk"), 1;
    end(&w, "walk");
    printf("walked %zu\n", order.len);
    begin();
    const uop *changed = uop_substitute(root, &from, &to, 1);
    end(&w, "subst");
    if (!changed || changed == root) return puts("FAIL subst"), 1;
    uop_nodes_free(ctx, &order);
  }
  size_t live = uop_ctx_live(ctx);
  begin();
  uop_scope_end(scope, NULL, 0);
  printf("free %.2f\n", (cpu_seconds() - phase_begin) * 1e9 / (double)live);
  begin();
  uop_ctx_free(ctx);
  end(&w, "drop");
  return 0;
}
