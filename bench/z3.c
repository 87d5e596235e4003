/* z3.c - Z3's terms on the graphs of workload.h: z3 W N, phases as in core.c. Bit-vectors of 32
 * bits in a context that counts references: its nodes are hash-consed and typed as ours are. */
#include <z3.h>

#include "workload.h"

static Z3_context ctx;
static Z3_sort sort;

static Z3_ast held(Z3_ast u) {
  Z3_inc_ref(ctx, u);
  return u;
}
static Z3_ast leaf(uint32_t i) {
  return held(Z3_mk_const(ctx, Z3_mk_int_symbol(ctx, (int)i), sort));
}

static void build(const workload *w, Z3_ast *at) {
  for (uint32_t i = 0; i < LEAVES; i++) at[i] = leaf(i);
  for (uint32_t i = 0; i < w->n; i++) {
    Z3_ast a = at[w->a[i]], b = at[w->b[i]];
    at[LEAVES + i] = held(w->mul[i] ? Z3_mk_bvmul(ctx, a, b) : Z3_mk_bvadd(ctx, a, b));
  }
}

/* The API has no walk. This is the one that its user writes, as fast as it goes: a bit a node by
 * Z3's ids, which are small and dense, and lists that are large enough. */
typedef struct frame {
  Z3_ast u;
  uint32_t next_src, nsrc;
} frame;
static Z3_ast *order;
static size_t order_len, room, nseen; /* nseen: bytes of `seen` that were used */
static uint64_t *seen;
static frame *stack;

static int visit(Z3_ast u) {
  uint32_t id = Z3_get_ast_id(ctx, u);
  uint64_t *word = &seen[id / 64], bit = UINT64_C(1) << (id % 64);
  if (*word & bit) return 0;
  *word |= bit;
  if (id / 8 + 8 > nseen) nseen = id / 8 + 8;
  return 1;
}

static frame frame_of(Z3_ast u) {
  return (frame){u, 0, Z3_get_app_num_args(ctx, Z3_to_app(ctx, u))};
}

static void walk_on(Z3_ast root) { /* from what was seen before */
  size_t depth = 0;
  if (!visit(root)) return;
  stack[depth++] = frame_of(root);
  while (depth) {
    frame *f = &stack[depth - 1];
    if (f->next_src < f->nsrc) {
      Z3_ast s = Z3_get_app_arg(ctx, Z3_to_app(ctx, f->u), f->next_src++);
      if (visit(s)) stack[depth++] = frame_of(s);
    } else {
      order[order_len++] = f->u;
      depth--;
    }
  }
}

static void walk(Z3_ast root) {
  if (!order) {
    order = reserve(room * sizeof *order);
    stack = reserve(room * sizeof *stack);
    seen = reserve(room);
  }
  memset(seen, 0, nseen);
  order_len = 0;
  walk_on(root);
}

static int rooted_phases(const workload *w, Z3_ast root, Z3_ast from) {
  begin();
  walk(root);
  end("walk", w->n);
  double best = NEVER;
  for (int r = 0; r < repeats(w->n); r++) {
    begin();
    walk(root);
    best = lap(best);
  }
  report("walk2", best, w->n);
  printf("walked %zu\n", order_len);
  Z3_ast to = leaf(5000);
  begin();
  Z3_ast changed = held(Z3_substitute(ctx, root, 1, &from, &to));
  end("subst", w->n);
  if (changed == root) return fail("subst");
  to = leaf(5001);
  for (int r = 0; r < 2 && w->n < MANY; r++) {
    begin();
    Z3_ast again = held(Z3_substitute(ctx, root, 1, &from, &to));
    if (r) end("subst2", w->n); /* the first makes the room that the second finds */
    Z3_dec_ref(ctx, again);
  }
  walk_on(changed);
  size_t nodes = order_len;
  begin();
  Z3_dec_ref(ctx, root);
  Z3_dec_ref(ctx, changed);
  end("free", nodes);
  return 0;
}

static int print_version(void) {
  unsigned a, b, c, d;
  Z3_get_version(&a, &b, &c, &d);
  printf("%u.%u.%u\n", a, b, c);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "version")) return print_version();
  workload w = workload_from_args(argc, argv, 600);
  size_t total = w.n + LEAVES;
  room = 3 * total + 4096;
  Z3_ast *at = touched(total * sizeof *at), *again = touched(total * sizeof *again);
  ctx = Z3_mk_context_rc(Z3_mk_config());
  sort = Z3_mk_bv_sort(ctx, 32);
  Z3_inc_ref(ctx, Z3_sort_to_ast(ctx, sort));
  long before = resident_bytes();
  begin();
  build(&w, at);
  end("miss", w.n);
  printf("bytes %.1f\n", (double)(resident_bytes() - before) / (double)total);
  begin();
  build(&w, again);
  end("hit", w.n);
  if (memcmp(at, again, total * sizeof *at) != 0) return fail("hit");
  if (w.name == 'R') return 0;
  for (size_t i = 0; i < total; i++) { /* from here on the root alone holds the graph */
    Z3_dec_ref(ctx, again[i]);
    if (i != w.replaced && i + 1 < total) Z3_dec_ref(ctx, at[i]);
  }
  return rooted_phases(&w, at[total - 1], at[w.replaced]);
}
