/* unique.c - hash consing: one node for each (op, sources, arg).
 *
 * A node is found through its youngest source, which keeps a short list of such users: programs
 * are local, so that most lookups touch only lines that are warm. Where the list is full, and for
 * leaves, an open-addressing table by structural hash takes over. "Youngest" is any order that
 * stays fixed while nodes live: by slab age, then address, which needs no look at the nodes.
 *
 *   y ──users──> u1 ──next──> u2 ──next──> … (at most LIST_MAX)      table: [ . | h u9 | . | h p0 ]
 */
#include "ir/ir.h"

uop *uopi_youngest(const uop *const *src, uint32_t n) {
  if (n == 0) return NULL;
  const uop *y = src[0];
  for (uint32_t i = 1; i < n; i++)
    if (src[i] != y && uopi_is_younger(src[i], y)) y = src[i];
  return (uop *)y; /* handed out as const; this file owns its links */
}

/* The content of the arg, never an address: the same in every context, run and platform. */
static uint64_t hash_arg(const uopi_key *k, uint64_t h) {
  if (uopi_arg_is_tuple(k->op)) {
    union {
      uint64_t bits;
      const uop_tuple *tuple;
    } w = {k->bits};
    return uopi_hash_step(h, w.tuple->hash);
  }
  if (uopi_arg_kind_of(k->op) == UOPI_ARG_NAME) {
    union {
      uint64_t bits;
      const char *name;
    } w = {k->bits};
    return uopi_hash_step(h, uopi_name_of(w.name)->hash);
  }
  return uopi_hash_step(h, k->bits);
}

uint32_t uopi_hash(const uopi_key *k) {
  uint64_t h = uopi_hash_step(UOPI_HASH_SEED, (uint64_t)k->op << 32 | k->nsrc);
  uint32_t i = 0;
  for (; i + 1 < k->nsrc; i += 2) h = uopi_hash_sources(h, k->src[i], k->src[i + 1]);
  if (i < k->nsrc) h = uopi_hash_step(h, k->src[i]->hash);
  if (uopi_arg_kind_of(k->op) != UOPI_ARG_NONE) h = hash_arg(k, h);
  if (uopi_is_leaf(k->op))
    h = uopi_hash_step(h, (uint64_t)k->dtype << 48 | (uint64_t)k->space << 40 | k->shape->hash);
  return uopi_hash_end(h);
}

static bool same(const uop *u, const uopi_key *k) {
  if (u->op != k->op || u->nsrc != k->nsrc || u->arg.bits != k->bits) return false;
  for (uint32_t i = 0; i < k->nsrc; i++)
    if (u->src[i] != k->src[i]) return false;
  return !uopi_is_leaf(k->op) ||
         (u->dtype == k->dtype && u->space == k->space && u->shape == k->shape);
}

uop *uopi_find_in_table(const uop_ctx *ctx, const uopi_key *k) {
  if (!ctx->table_cap) return NULL;
  uint32_t h = uopi_hash(k);
  for (size_t i = h & (ctx->table_cap - 1);; i = (i + 1) & (ctx->table_cap - 1)) {
    const uopi_slot *s = &ctx->table[i];
    if (!s->node) return NULL;
    if (s->hash == h && same(s->node, k)) return s->node;
  }
}

uop *uopi_find(const uop_ctx *ctx, const uopi_key *k) {
  if (k->youngest) {
    for (uop *u = k->youngest->users; u; u = u->next)
      if (same(u, k)) return u;
    if (!(k->youngest->flags & FLAG_OVERFLOW)) return NULL;
  }
  return uopi_find_in_table(ctx, k);
}

uopi_key uopi_key_of(const uop *u) {
  return (uopi_key){.op = (uop_op)u->op,
                    .nsrc = u->nsrc,
                    .src = u->src,
                    .bits = u->arg.bits,
                    .dtype = (uop_dtype)u->dtype,
                    .space = (uop_space)u->space,
                    .shape = u->shape,
                    .youngest = uopi_youngest(u->src, u->nsrc)};
}

static void table_put(uopi_slot *t, size_t cap, uop *u) {
  size_t i = u->hash & (cap - 1);
  while (t[i].node) i = (i + 1) & (cap - 1);
  t[i] = (uopi_slot){u, u->hash};
}

static bool table_resize(uop_ctx *ctx, size_t cap) {
  uopi_slot *t = NULL;
  if (cap) {
    if (cap > SIZE_MAX / sizeof *t) return false;
    if (!(t = uopi_ctx_realloc(ctx, NULL, 0, cap * sizeof *t))) return false;
    memset(t, 0, cap * sizeof *t);
    for (size_t i = 0; i < ctx->table_cap; i++)
      if (ctx->table[i].node) table_put(t, cap, ctx->table[i].node);
  }
  uopi_ctx_realloc(ctx, ctx->table, ctx->table_cap * sizeof *t, 0);
  ctx->table = t;
  ctx->table_cap = cap;
  return true;
}

bool uopi_table_grow(uop_ctx *ctx) {
  return table_resize(ctx, ctx->table_cap ? ctx->table_cap * 2 : 64);
}

void uopi_table_trim(uop_ctx *ctx) {
  size_t cap = ctx->table_len ? 64 : 0;
  while (ctx->table_len * 4 > cap * 3) cap *= 2;
  if (cap < ctx->table_cap) table_resize(ctx, cap); /* a failure leaves the larger one */
}

void uopi_insert(uop_ctx *ctx, uop *u, uop *y) {
  if (y && (y->flags & FLAG_COUNT) < LIST_MAX) {
    u->next = y->users;
    y->users = u;
    y->flags++;
    return;
  }
  if (y) y->flags |= FLAG_OVERFLOW;
  u->flags |= FLAG_TABLE;
  table_put(ctx->table, ctx->table_cap, u);
  ctx->table_len++;
}

/* Closes the gap by moving later entries of the probe sequence back (Knuth 6.4, algorithm R). */
static void table_remove(uop_ctx *ctx, const uop *u) {
  size_t mask = ctx->table_cap - 1, gap = u->hash & mask;
  while (ctx->table[gap].node != u) gap = (gap + 1) & mask;
  for (size_t i = (gap + 1) & mask; ctx->table[i].node && !UOPI_FAULT(14); i = (i + 1) & mask) {
    size_t home = ctx->table[i].hash & mask;
    if (((i - home) & mask) < ((i - gap) & mask)) continue;
    ctx->table[gap] = ctx->table[i];
    gap = i;
  }
  ctx->table[gap].node = NULL;
  ctx->table_len--;
}

void uopi_unlink(uop_ctx *ctx, uop *u) {
  if (u->flags & FLAG_TABLE) {
    table_remove(ctx, u);
    return;
  }
  uop *y = uopi_youngest(u->src, u->nsrc);
  uop **p = &y->users;
  while (*p != u) p = &(*p)->next;
  *p = u->next;
  y->flags--;
}
