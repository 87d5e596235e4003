/* cost.c - an estimate of the work below some nodes: each distinct node once, as it is run.
 *
 *   work   units an element: 1 for ADD, MUL, MAX, comparisons, WHERE, CAST, STACK and INDEX (of
 * what they give), an ASSERT's comparison and an addition of a REDUCE (of what it reads); more for
 * what takes a processor longer, see weights; 0 for leaves, movement and effects bytes  that an op
 * reads and writes where each result is stored, which is the most that it can be
 *
 * A CALL costs what its body does, each time that one stands in the graph. Sums stop at UINT64_MAX.
 */
#include "ir/memo.h"

/* In additions, as a vector unit of today takes them (f32; throughput, rounded). */
static const uint8_t weights[UOP_OP_COUNT] = {
    [UOP_ADD] = 1,    [UOP_MUL] = 1,   [UOP_MAX] = 1,   [UOP_CMPLT] = 1,     [UOP_CMPNE] = 1,
    [UOP_WHERE] = 1,  [UOP_CAST] = 1,  [UOP_STACK] = 1, [UOP_INDEX] = 1,     [UOP_REDUCE] = 1,
    [UOP_ASSERT] = 1, [UOP_RECIP] = 4, [UOP_SQRT] = 6,  [UOP_FLOORDIV] = 16, [UOP_FLOORMOD] = 16,
    [UOP_EXP2] = 12,  [UOP_LOG2] = 24, [UOP_SIN] = 40,
};

static uint64_t plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static uint64_t count_of(const uop *u) { /* at most UOP_MAX_NUMEL */
  uint64_t n = 1;
  for (uint32_t i = 0; i < u->shape->len; i++)
    if (u->shape->at[i] == 0) return 0;
  for (uint32_t i = 0; i < u->shape->len; i++) n *= (uint64_t)u->shape->at[i];
  return n;
}

static uint64_t bytes_of(const uop *u) { return count_of(u) * uop_dtype_size((uop_dtype)u->dtype); }

static void add_node(uop_cost *c, const uop *u) {
  if (!weights[u->op]) return;
  bool reads = u->op == UOP_REDUCE || u->op == UOP_ASSERT;
  c->work = plus(c->work, count_of(reads ? u->src[0] : u) * weights[u->op]);
  c->bytes = plus(c->bytes, bytes_of(u));
  if (u->op == UOP_INDEX) { /* the part that it picks */
    c->bytes = plus(c->bytes, bytes_of(u));
    return;
  }
  for (uint32_t i = 0; i < u->nsrc; i++) c->bytes = plus(c->bytes, bytes_of(u->src[i]));
}

typedef struct costs {
  uop_ctx *ctx;
  uopi_memo place; /* body -> place in bodies + 1 */
  struct {
    uop_cost *at;
    size_t len, cap;
  } bodies;
} costs;

/* What is below the roots, the bodies of CALLs known. */
static bool sum(costs *c, const uop *const *roots, size_t n, uop_cost *out) {
  uop_nodes order = {NULL, 0, 0};
  *out = (uop_cost){0, 0};
  if (!uopi_walk(c->ctx, roots, n, true, &order)) return false;
  for (size_t i = 0; i < order.len; i++) {
    const uop *u = order.at[i];
    add_node(out, u);
    if (u->op != UOP_CALL) continue;
    const uop_cost *body = &c->bodies.at[uopi_memo_get(&c->place, u->src[0]) - 1];
    out->work = plus(out->work, body->work);
    out->bytes = plus(out->bytes, body->bytes);
  }
  uop_nodes_free(c->ctx, &order);
  return true;
}

/* Depth-first order has a body's own bodies before it. */
static bool sum_bodies(costs *c, const uop_nodes *order) {
  for (size_t i = 0; i < order->len; i++) {
    const uop *u = order->at[i];
    if (u->op != UOP_CALL || uopi_memo_get(&c->place, u->src[0])) continue;
    uop_cost body;
    if (!sum(c, &u->src[0], 1, &body)) return false;
    if (!UOPI_PUSH(&c->ctx->mem, &c->bodies, body) ||
        !uopi_memo_set(&c->place, u->src[0], c->bodies.len))
      return uopi_no_memory(c->ctx), false;
  }
  return true;
}

bool uop_cost_of(uop_ctx *ctx, const uop *const *roots, size_t n, uop_cost *out) {
  uop_nodes order = {NULL, 0, 0};
  if (!uop_toposort(ctx, roots, n, &order)) return false;
  costs c = {.ctx = ctx, .place = {.mem = &ctx->mem}};
  bool ok = sum_bodies(&c, &order) && sum(&c, roots, n, out);
  UOPI_DROP(&ctx->mem, &c.bodies);
  uopi_memo_drop(&c.place);
  uop_nodes_free(ctx, &order);
  return ok;
}
