/* deep.c - graphs that are deep, many or long-lived, at full speed; tests/deep.sh runs it on a
 * stack of 64 KiB. Prints nanoseconds a node and peak memory; exits 1 on a wrong result.
 *
 *   deep chain N               a chain of N ADDs through every walk of the library
 *   deep scopes SCOPES NODES   scopes of NODES nodes, each keeping one
 *   deep rounds ROUNDS NODES   a chain built and dropped again and again (CASES 5)
 *   deep sizes                 100,000, 1,000,000 and 4,000,000 distinct nodes (CASES 6)
 */
#include "uop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "support/count.h"

static uop_ctx *ctx;

static void check(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "deep: wrong: %s: %s\n", what, ctx ? uop_error(ctx)->message : "");
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double peak_mib(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)u.ru_maxrss / 1024;
}

static double started;
static void start(void) { started = now(); }
static void stop(const char *what, size_t nodes) {
  printf("  %-12s %7.1f ns/node %8.0f MiB peak so far\n", what, (now() - started) / (double)nodes,
         peak_mib());
  fflush(stdout);
}

/* x + y + y + … with n ADDs */
static const uop *chain(const uop *x, const uop *y, size_t n) {
  for (size_t i = 0; i < n; i++) x = uop_add(x, y);
  return x;
}

/* ---- chain ---- */

static void walk(const uop *top, size_t n) {
  uop_nodes order = {NULL, 0, 0};
  uop_counts c;
  start();
  check(uop_toposort(ctx, &top, 1, &order), "toposort");
  check(order.len == n + 2 && order.at[n + 1] == top, "toposort has every node");
  stop("walk", n);
  uop_nodes_free(ctx, &order);
  start();
  check(uop_count(ctx, &top, 1, &c), "count");
  check(c.nodes == n + 2 && c.depth == n && c.tree == 2 * n + 1, "the counts are right");
  stop("count", n);
  check(uop_call_params(top, &order) && order.len == 2, "call_params");
  check(uop_ranges(top, &order) && order.len == 0, "ranges");
  uop_nodes_free(ctx, &order);
}

static const uop *stage_it(void *user, const uop *u) {
  (void)user;
  return uop_stage(u);
}

static void edit(const uop *top, const uop *x, const uop *y, size_t n) {
  uop_scope s = uop_scope_begin(ctx);
  const uop *z = uop_param(ctx, 2, UOP_I32, NULL, 0), *out;
  start();
  const uop *there = uop_substitute(top, &x, &z, 1);
  stop("substitute", n);
  check(there && there != top, "substitute");
  check(uop_substitute(there, &z, &x, 1) == top, "substituted back it is the same node");
  check(uop_scope_end(s, NULL, 0), "scope");
  s = uop_scope_begin(ctx);
  start();
  const uop *call = uop_call(top, "f", 5, 3), *body = uop_inline_call(call);
  stop("inline_call", n);
  const uop *five = uop_const_of_i32(ctx, 5), *three = uop_const_of_i32(ctx, 3);
  check(body && body == uop_substitute(top, (const uop *[]){x, y}, (const uop *[]){five, three}, 2),
        "inline_call");
  check(uop_scope_end(s, NULL, 0), "scope");
  s = uop_scope_begin(ctx);
  start();
  check(uop_wrap(ctx, &top, 1, &x, 1, stage_it, NULL, &out) && out != top, "wrap");
  stop("wrap", n);
  check(uop_scope_end(s, NULL, 0), "scope");
}

static void copy(const uop *top, size_t n) {
  uop_ctx *other = uop_ctx_new(NULL);
  start();
  const uop *there = uop_copy(other, top);
  stop("copy", n);
  check(there && uop_ctx_live(other) == n + 2 && there->hash == top->hash, "copy");
  start();
  uop_ctx_free(other);
  stop("free", n);
}

static void text(const uop *top, size_t n) {
  size_t len;
  start();
  char *s = uop_print(top, &len);
  stop("print", n);
  check(s != NULL, "print");
  start();
  check(uop_parse(ctx, s, len) == top, "read back it is the same node");
  stop("read", n);
  uop_free(ctx, s);
  char cut[1000];
  check(uop_repr(top, cut, sizeof cut) == sizeof cut - 1, "repr is cut");
}

static void run(const uop *top, size_t n) {
  int32_t one = 1, three = 3, got;
  uop_value v = {.dtype = UOP_I32, .count = 1, .data = &one}, w = v, out;
  w.data = &three;
  uop_run_options o = {.max_bytes = UINT64_MAX, .max_steps = UINT64_MAX};
  uop_run *r = uop_run_new(ctx, &o);
  check(r && uop_run_set(r, UOP_PARAM, 0, &v) && uop_run_set(r, UOP_PARAM, 1, &w), "run");
  start();
  check(uop_run_eval(r, top, &out), "eval");
  stop("run", n);
  memcpy(&got, out.data, sizeof got);
  check((uint32_t)got == 1 + 3 * (uint32_t)n, "the value is right");
  uop_run_free(r);
}

/* Each ADD becomes a MUL in each of the orders; and rules that match none cost little more than the
 * walk. */
static void rewrite(const uop *top, const uop *x, const uop *y, size_t n) {
  static const char *const what[] = {"rewrite", "top-down", "one pass"};
  static const char text[] = "# a test\nmul: [add x y] -> (mul x y)\n";
  static const char other[] = "# a test\nadd: (add (add x C) y) -> (add x y)\n"
                              "# a test\nsum: (add (mul x y) (mul x z)) -> (mul x (add y z))\n";
  uop_rules *r = uop_rules_new(ctx), *q = uop_rules_new(ctx);
  check(r && q && uop_rules_add_text(r, text, strlen(text), NULL), "rules");
  check(uop_rules_add_text(q, other, strlen(other), NULL), "rules");
  const uop *out;
  start();
  check(uop_rewrite(q, &top, 1, NULL, &out) && out == top, "a rewrite of nothing");
  stop("no match", n);
  for (int order = UOP_BOTTOM_UP; order <= UOP_ONE_PASS; order++) {
    uop_scope s = uop_scope_begin(ctx);
    uop_map *origins = uop_map_new(ctx);
    uop_rewrite_options o = {.order = (uop_rewrite_order)order, .origins = origins};
    start();
    check(uop_rewrite(r, &top, 1, &o, &out) && out != top, "rewrite");
    stop(what[order], n);
    check(uop_origin(origins, out) == top, "origin");
    const uop *want = x;
    for (size_t i = 0; i < n; i++) want = uop_mul(want, y);
    check(out == want, "every ADD became a MUL");
    uop_map_free(origins);
    check(uop_scope_end(s, NULL, 0), "scope");
  }
  uop_rule_info info;
  check(uop_rules_get(r, 0, &info) && info.hits == 3 * n, "each once");
  uop_rules_free(r);
  uop_rules_free(q);
}

/* Calls nest as deep as the chain: f(p0) = call f'(p0), and so on. */
static void calls(size_t n) {
  uop_scope s = uop_scope_begin(ctx);
  const uop *x = uop_param(ctx, 0, UOP_I32, NULL, 0), *f = uop_add(x, 1);
  for (size_t i = 0; i < n; i++) f = uop_call(f, "f", x);
  uop_counts c;
  check(f && uop_count(ctx, &f, 1, &c) && c.depth == n + 1, "nested calls");
  int32_t seven = 7, got;
  uop_value v = {.dtype = UOP_I32, .count = 1, .data = &seven}, out;
  uop_run_options o = {.max_bytes = UINT64_MAX, .max_steps = UINT64_MAX};
  uop_run *r = uop_run_new(ctx, &o);
  start();
  check(r && uop_run_set(r, UOP_PARAM, 0, &v) && uop_run_eval(r, f, &out), "run of nested calls");
  stop("run calls", n);
  memcpy(&got, out.data, sizeof got);
  check(got == 8, "the value of nested calls");
  uop_run_free(r);
  check(uop_scope_end(s, NULL, 0), "scope");
}

static void deep_chain(size_t n) {
  ctx = uop_ctx_new(NULL);
  check(ctx != NULL, "memory");
  printf("a chain of %zu ADDs\n", n);
  uop_scope s = uop_scope_begin(ctx);
  const uop *x = uop_param(ctx, 0, UOP_I32, NULL, 0), *y = uop_param(ctx, 1, UOP_I32, NULL, 0);
  start();
  const uop *top = chain(x, y, n);
  stop("build", n);
  check(top && uop_ctx_live(ctx) == n + 2, "build");
  start();
  check(chain(x, y, n) == top && uop_ctx_live(ctx) == n + 2, "built again it is the same node");
  stop("find", n);
  walk(top, n);
  edit(top, x, y, n);
  copy(top, n);
  text(top, n);
  run(top, n);
  rewrite(top, x, y, n);
  calls(n / 10);
  start();
  check(uop_ctx_check(ctx), "every invariant");
  stop("check", n);
  start();
  check(uop_scope_end(s, NULL, 0), "scope");
  stop("drop", n);
  check(uop_ctx_live(ctx) == 0 && uop_ctx_stats(ctx).bytes == 0, "nothing is left");
  uop_ctx_free(ctx);
  printf("peak %.0f MiB, %.0f bytes a node\n", peak_mib(), peak_mib() * 1048576 / (double)n);
}

/* ---- scopes ---- */

/* Each scope's nodes are new ones, half of them leaves and half ADDs of one base node. */
static void scopes(size_t nscopes, size_t each) {
  counter memory = {0};
  uop_options o = counted(&memory);
  ctx = uop_ctx_new(&o);
  check(ctx != NULL, "memory");
  const uop *base = uop_param(ctx, 0, UOP_I32, NULL, 0);
  uint64_t bytes = 0, held = 0;
  start();
  for (size_t i = 0; i <= nscopes; i++) {
    uop_scope s = uop_scope_begin(ctx);
    const uop *u = base;
    for (size_t k = 0; k < each / 2; k++) u = uop_add(base, (int32_t)(uint32_t)(i * each + k));
    check(u && uop_ctx_live(ctx) == 2 * (each / 2) + 2 * i + 1, "each node is new");
    check(uop_scope_end(s, &u, 1), "scope");
    if (i > 0) continue; /* the first one shows what room a scope takes */
    bytes = uop_ctx_stats(ctx).bytes;
    held = memory.bytes;
  }
  double ns = (now() - started) / (double)(nscopes * each);
  uint64_t kept = 2 * nscopes; /* each keeps an ADD and its constant */
  check(uop_ctx_live(ctx) == kept + 3, "each scope keeps one");
  double by = (double)(uop_ctx_stats(ctx).bytes - bytes) / (double)kept;
  double by_held = memory.bytes > held ? (double)(memory.bytes - held) / (double)nscopes : 0;
  printf("%zu scopes of %zu nodes: %.1f ns/node; a kept node takes %.1f bytes of the context, a "
         "scope %.1f of the allocator's\n",
         nscopes, each, ns, by, by_held);
  check(by <= 200 && by_held <= 200, "at most 200 bytes a kept node");
  uop_ctx_free(ctx);
  check(memory.bytes == 0 && memory.blocks == 0, "all memory is given back");
}

/* ---- rounds, sizes ---- */

static void rounds(size_t n, size_t nodes) {
  counter memory = {0};
  uop_options o = counted(&memory);
  ctx = uop_ctx_new(&o);
  check(ctx != NULL, "memory");
  uint64_t reserved = 0;
  start();
  for (size_t i = 0; i < n; i++) {
    uop_scope s = uop_scope_begin(ctx);
    const uop *x = uop_param(ctx, 0, UOP_I32, NULL, 0);
    check(chain(x, x, nodes) != NULL, "build");
    check(uop_scope_end(s, NULL, 0), "scope");
    check(uop_ctx_live(ctx) == 0 && uop_ctx_stats(ctx).bytes == 0, "nothing is left");
    if (i == 0) reserved = memory.bytes;
    check(memory.bytes == reserved, "the same room is used again");
  }
  printf("%zu rounds of %zu nodes: %.1f ns/node to build and drop\n", n, nodes,
         (now() - started) / (double)(n * nodes));
  uop_ctx_trim(ctx);
  check(memory.bytes < 1 << 16, "trimmed, the room is given back");
  uop_ctx_free(ctx);
}

/* Best of three, ns a node. Leaves all go through the table; of a program most nodes do not. */
static double time_of(size_t nodes, bool leaves) {
  double best = 1e30;
  for (int round = 0; round < 3; round++) {
    ctx = uop_ctx_new(NULL);
    check(ctx != NULL, "memory");
    const uop *u = uop_const_of_i32(ctx, 0);
    double t = now();
    if (leaves)
      for (size_t i = 1; i < nodes; i++) uop_const_of_i32(ctx, (int32_t)i);
    else
      for (size_t i = 1; i < nodes; i++) u = uop_add(u, (int32_t)(i % 1000));
    t = (now() - t) / (double)nodes;
    check(u && uop_ctx_live(ctx) >= nodes, "distinct");
    uop_ctx_free(ctx);
    if (t < best) best = t;
  }
  return best;
}

/* Reported, not asserted: time is the machine's. It should stay within a factor of 2. */
static void sizes(void) {
  double few = time_of(100000, true), many = time_of(4000000, true);
  printf("100,000 and 4,000,000 distinct leaves: %.1f, %.1f ns/node\n", few, many);
  double t[] = {time_of(100000, false), time_of(1000000, false), time_of(4000000, false)};
  printf("100,000, 1,000,000 and 4,000,000 distinct ADDs: %.1f, %.1f, %.1f ns/node\n", t[0], t[1],
         t[2]);
}

static size_t number(int argc, char **argv, int i, size_t otherwise) {
  return argc > i ? (size_t)strtoull(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "chain";
  if (!strcmp(what, "chain"))
    deep_chain(number(argc, argv, 2, 1000000));
  else if (!strcmp(what, "scopes"))
    scopes(number(argc, argv, 2, 1000), number(argc, argv, 3, 1000000));
  else if (!strcmp(what, "rounds"))
    rounds(number(argc, argv, 2, 100), number(argc, argv, 3, 1000000));
  else if (!strcmp(what, "sizes"))
    sizes();
  else
    return fprintf(stderr, "usage: deep chain|scopes|rounds|sizes [numbers]\n"), 2;
  return 0;
}
