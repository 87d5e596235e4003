/* query.c - questions about a graph: order, ranges, counts. */
#include "ir/memo.h"

#include <math.h>
#include <stdlib.h>

bool uop_toposort(uop_ctx *ctx, const uop *const *roots, size_t n, uop_nodes *out) {
  out->len = 0;
  if (!ctx || !uopi_all_of(ctx, roots, n)) return false;
  return uopi_walk(ctx, roots, n, false, out);
}

/* ---- ranges ---- */

typedef struct ranked {
  const uop *u;
  size_t place; /* in toposort: makes the order total, so that qsort is as good as a stable sort */
} ranked;

static int by_idx_kind_place(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  int64_t i = uop_range_idx(x->u), j = uop_range_idx(y->u);
  if (i != j) return i < j ? -1 : 1;
  uop_axis k = uop_range_kind(x->u), l = uop_range_kind(y->u);
  if (k != l) return k < l ? -1 : 1;
  return x->place < y->place ? -1 : 1;
}

bool uop_ranges(const uop *root, uop_nodes *out) {
  out->len = 0;
  if (!root) return false;
  uop_ctx *ctx = uopi_ctx_of(root);
  if (!uop_toposort(ctx, &root, 1, out)) return false;
  size_t n = 0;
  for (size_t i = 0; i < out->len; i++)
    if (out->at[i]->op == UOP_RANGE) out->at[n++] = out->at[i];
  out->len = n;
  if (n < 2) return true;
  ranked *r = uopi_realloc(&ctx->mem, NULL, 0, n * sizeof *r);
  if (!r) {
    uop_nodes_free(ctx, out);
    return uopi_no_memory(ctx), false;
  }
  for (size_t i = 0; i < n; i++) r[i] = (ranked){out->at[i], i};
  qsort(r, n, sizeof *r, by_idx_kind_place);
  for (size_t i = 0; i < n; i++) out->at[i] = r[i].u;
  uopi_realloc(&ctx->mem, r, n * sizeof *r, 0);
  return true;
}

/* ---- counts ---- */

typedef struct size { /* of the tree below a node */
  uint64_t exact;     /* UINT64_MAX: 2^63 or more */
  double mant;        /* mant * 2^exp, mant in [0.5, 1): far beyond any double's range */
  int64_t exp;
  uint64_t depth;
} size;

static void add_tree(size *to, const size *s) {
  uint64_t limit = UINT64_C(1) << 63;
  bool big = to->exact == UINT64_MAX || s->exact == UINT64_MAX || to->exact + s->exact >= limit;
  to->exact = big ? UINT64_MAX : to->exact + s->exact;
  int64_t exp = to->exp > s->exp ? to->exp : s->exp;
  int64_t down = to->exp - exp, down_s = s->exp - exp;
  double sum = (down < -64 ? 0 : ldexp(to->mant, (int)down)) +
               (down_s < -64 ? 0 : ldexp(s->mant, (int)down_s));
  int e;
  to->mant = frexp(sum, &e);
  to->exp = exp + e;
}

static size size_of(const uop *u, const size *sizes, const uopi_memo *place) {
  size s = {1, 0.5, 1, 0};
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const size *x = &sizes[uopi_memo_get(place, u->src[i])];
    add_tree(&s, x);
    if (x->depth + 1 > s.depth) s.depth = x->depth + 1;
  }
  return s;
}

static bool count(uop_ctx *ctx, const uop_nodes *order, uopi_memo *place, size *sizes,
                  uop_counts *out) {
  for (size_t i = 0; i < order->len; i++) {
    const uop *u = order->at[i];
    sizes[i] = size_of(u, sizes, place);
    if (!uopi_memo_set(place, u, i)) return uopi_no_memory(ctx), false;
    out->nodes++;
    out->by_op[u->op]++;
    if (u->op != UOP_CONST && u->op != UOP_PARAM) out->ops++;
    if (sizes[i].depth > out->depth) out->depth = sizes[i].depth;
  }
  return true;
}

bool uop_count(uop_ctx *ctx, const uop *const *roots, size_t n, uop_counts *out) {
  memset(out, 0, sizeof *out);
  if (!ctx) return false;
  uop_nodes order = {NULL, 0, 0};
  uopi_memo place = {.mem = &ctx->mem};
  if (!uop_toposort(ctx, roots, n, &order)) return false;
  size_t bytes = (order.len + 1) * sizeof(size);
  size *sizes = uopi_realloc(&ctx->mem, NULL, 0, bytes);
  bool ok = sizes ? count(ctx, &order, &place, sizes, out) : (uopi_no_memory(ctx), false);
  size total = {0, 0, 0, 0};
  for (size_t i = 0; ok && i < n; i++)
    if (roots[i]) add_tree(&total, &sizes[uopi_memo_get(&place, roots[i])]);
  out->tree = total.exact;
  out->tree_log10 = total.mant > 0 ? log10(total.mant) + (double)total.exp * log10(2) : 0;
  uopi_realloc(&ctx->mem, sizes, bytes, 0);
  uopi_memo_drop(&place);
  uop_nodes_free(ctx, &order);
  return ok;
}
