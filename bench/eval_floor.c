/* eval_floor.c - what evaluating a scalar graph can cost at least: eval_floor W N. A depth-first
 * walk from the root that keeps each node's value, on 16-byte nodes in an array; no types, no
 * shapes, no errors, no budget. Phases eval, eval2 and doubling as in core.c. */
#include "workload.h"

enum { VALUE, ADD, MUL };
typedef struct node {
  uint32_t op, a, b, value;
} node;

typedef struct frame {
  uint32_t u, next_src;
} frame;

typedef struct run {
  uint32_t *value;
  uint8_t *seen;
  frame *stack;
  size_t cap;
} run;

static uint32_t evaluate(run *r, const node *nodes, uint32_t root) {
  if (!r->value) {
    r->value = reserve(r->cap * sizeof *r->value);
    r->stack = reserve(r->cap * sizeof *r->stack);
    r->seen = reserve(r->cap);
  }
  memset(r->seen, 0, r->cap);
  size_t depth = 0;
  r->seen[root] = 1;
  r->stack[depth++] = (frame){root, 0};
  while (depth) {
    frame *f = &r->stack[depth - 1];
    const node *u = &nodes[f->u];
    if (u->op != VALUE && f->next_src < 2) {
      uint32_t s = f->next_src++ ? u->b : u->a;
      if (r->seen[s]) continue;
      r->seen[s] = 1;
      r->stack[depth++] = (frame){s, 0};
      continue;
    }
    r->value[f->u] = u->op == VALUE ? u->value
                     : u->op == ADD ? r->value[u->a] + r->value[u->b]
                                    : r->value[u->a] * r->value[u->b];
    depth--;
  }
  return r->value[root];
}

static void measure(const node *nodes, size_t n, size_t per, const char *key, const char *again) {
  run r = {.cap = n};
  uint32_t value = 0; /* of the last time */
  double best = NEVER;
  for (int k = 0; k <= repeats(n); k++) {
    begin();
    value = evaluate(&r, nodes, (uint32_t)n - 1);
    if (k) best = lap(best);
    if (!k && key) end(key, per);
  }
  report(again, best, per);
  printf("%s.value %u\n", again, value);
}

int main(int argc, char **argv) {
  workload w = workload_from_args(argc, argv, 40);
  size_t total = w.n + LEAVES;
  node *nodes = touched(total * sizeof *nodes), doubled[301] = {{VALUE, 0, 0, 1}};
  for (uint32_t i = 0; i < LEAVES; i++) nodes[i] = (node){VALUE, 0, 0, i + 1};
  for (uint32_t i = 0; i < w.n; i++)
    nodes[LEAVES + i] = (node){w.mul[i] ? MUL : ADD, w.a[i], w.b[i], 0};
  for (uint32_t i = 1; i <= 300; i++) doubled[i] = (node){ADD, i - 1, i - 1, 0};
  measure(nodes, total, w.n, "eval", "eval2");
  if (w.name == 'C') measure(doubled, 301, 1, NULL, "doubling");
  return 0;
}
