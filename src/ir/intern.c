/* intern.c - one tuple and one name per content and context, counted by the nodes that use them
 * and freed with the last one. The empty tuple is always there and not counted. */
#include "ir/ir.h"

static size_t tuple_size(size_t n) {
  return offsetof(uop_tuple, at) + (n ? n : 1) * sizeof(int64_t);
}
/* At least the whole struct, which is written as one: it may end in padding. */
static size_t name_size(size_t n) {
  size_t size = offsetof(uopi_name, s) + n + 1;
  return size < sizeof(uopi_name) ? sizeof(uopi_name) : size;
}

static uint32_t hash_ints(const int64_t *at, size_t n) {
  uint64_t h = uopi_hash_step(UOPI_HASH_SEED, n);
  for (size_t i = 0; i < n; i++) h = uopi_hash_step(h, (uint64_t)at[i]);
  return uopi_hash_end(h);
}

uopi_name *uopi_name_of(const char *s) {
  return (uopi_name *)((uintptr_t)s - offsetof(uopi_name, s));
}

static uop_tuple *tuple_at(const uop_ctx *ctx, uint32_t h, const int64_t *at, size_t n) {
  if (!ctx->interned.tuple_cap) return NULL;
  uop_tuple *t = ctx->interned.tuples[h & (ctx->interned.tuple_cap - 1)];
  for (; t; t = t->next)
    if (t->hash == h && t->len == n && (!n || !memcmp(t->at, at, n * sizeof *at))) return t;
  return NULL;
}

const uop_tuple *uopi_tuple_find(const uop_ctx *ctx, const int64_t *at, size_t n) {
  return n ? tuple_at(ctx, hash_ints(at, n), at, n) : ctx->scalar;
}

/* Doubles a chained table when it is full; a failure leaves the old one, which still works. */
static bool grow_tuples(uop_ctx *ctx) {
  uopi_interned *k = &ctx->interned;
  if (k->ntuples < k->tuple_cap) return true;
  size_t cap = k->tuple_cap ? k->tuple_cap * 2 : 16;
  uop_tuple **table = uopi_ctx_realloc(ctx, NULL, 0, cap * sizeof *table);
  if (!table) return k->tuple_cap != 0;
  memset(table, 0, cap * sizeof *table);
  for (size_t i = 0; i < k->tuple_cap; i++)
    for (uop_tuple *t = k->tuples[i], *next; t; t = next) {
      next = t->next;
      t->next = table[t->hash & (cap - 1)];
      table[t->hash & (cap - 1)] = t;
    }
  uopi_ctx_realloc(ctx, k->tuples, k->tuple_cap * sizeof *table, 0);
  k->tuples = table;
  k->tuple_cap = cap;
  return true;
}

const uop_tuple *uopi_tuple_get(uop_ctx *ctx, const int64_t *at, size_t n) {
  if (n == 0 && ctx->scalar) return ctx->scalar;
  uint32_t h = hash_ints(at, n);
  uop_tuple *t = tuple_at(ctx, h, at, n);
  if (t) return t->refs++, t;
  if (!grow_tuples(ctx)) return NULL;
  t = uopi_ctx_realloc(ctx, NULL, 0, tuple_size(n));
  if (!t) return NULL;
  uop_tuple **home = &ctx->interned.tuples[h & (ctx->interned.tuple_cap - 1)];
  *t = (uop_tuple){.len = (uint32_t)n, .hash = h, .refs = 1, .next = *home};
  if (n) memcpy(t->at, at, n * sizeof *at);
  ctx->interned.ntuples++;
  ctx->interned.bytes += tuple_size(n);
  return *home = t;
}

void uopi_tuple_ref(const uop_tuple *t) {
  if (t->len) ((uop_tuple *)t)->refs++;
}

void uopi_tuple_release(uop_ctx *ctx, const uop_tuple *t) {
  uop_tuple *dead = (uop_tuple *)t;
  if (t->len == 0 || --dead->refs) return;
  uop_tuple **p = &ctx->interned.tuples[t->hash & (ctx->interned.tuple_cap - 1)];
  while (*p != t) p = &(*p)->next;
  *p = t->next;
  ctx->interned.ntuples--;
  ctx->interned.bytes -= tuple_size(t->len);
  uopi_ctx_realloc(ctx, dead, tuple_size(t->len), 0);
}

static uopi_name *name_at(const uop_ctx *ctx, uint32_t h, const char *s, size_t n) {
  if (!ctx->interned.name_cap) return NULL;
  uopi_name *p = ctx->interned.names[h & (ctx->interned.name_cap - 1)];
  for (; p; p = p->next)
    if (p->hash == h && p->len == n && !memcmp(p->s, s, n)) return p;
  return NULL;
}

const char *uopi_name_find(const uop_ctx *ctx, const char *s, size_t n) {
  uopi_name *p = name_at(ctx, uopi_hash_bytes(s, n), s, n);
  return p ? p->s : NULL;
}

static bool grow_names(uop_ctx *ctx) {
  uopi_interned *k = &ctx->interned;
  if (k->nnames < k->name_cap) return true;
  size_t cap = k->name_cap ? k->name_cap * 2 : 16;
  uopi_name **table = uopi_ctx_realloc(ctx, NULL, 0, cap * sizeof *table);
  if (!table) return k->name_cap != 0;
  memset(table, 0, cap * sizeof *table);
  for (size_t i = 0; i < k->name_cap; i++)
    for (uopi_name *p = k->names[i], *next; p; p = next) {
      next = p->next;
      p->next = table[p->hash & (cap - 1)];
      table[p->hash & (cap - 1)] = p;
    }
  uopi_ctx_realloc(ctx, k->names, k->name_cap * sizeof *table, 0);
  k->names = table;
  k->name_cap = cap;
  return true;
}

const char *uopi_name_get(uop_ctx *ctx, const char *s, size_t n) {
  uint32_t h = uopi_hash_bytes(s, n);
  uopi_name *p = name_at(ctx, h, s, n);
  if (p) return p->refs++, p->s;
  if (!grow_names(ctx)) return NULL;
  p = uopi_ctx_realloc(ctx, NULL, 0, name_size(n));
  if (!p) return NULL;
  uopi_name **home = &ctx->interned.names[h & (ctx->interned.name_cap - 1)];
  *p = (uopi_name){.len = (uint32_t)n, .hash = h, .refs = 1, .next = *home};
  memcpy(p->s, s, n);
  p->s[n] = 0;
  ctx->interned.nnames++;
  ctx->interned.bytes += name_size(n);
  *home = p;
  return p->s;
}

void uopi_name_release(uop_ctx *ctx, const char *s) {
  uopi_name *dead = uopi_name_of(s);
  if (--dead->refs) return;
  uopi_name **p = &ctx->interned.names[dead->hash & (ctx->interned.name_cap - 1)];
  while (*p != dead) p = &(*p)->next;
  *p = dead->next;
  ctx->interned.nnames--;
  ctx->interned.bytes -= name_size(dead->len);
  uopi_ctx_realloc(ctx, dead, name_size(dead->len), 0);
}

/* What is left when the nodes are gone: the tables and (). */
void uopi_interned_drop(uop_ctx *ctx) {
  uopi_interned *k = &ctx->interned;
  if (ctx->scalar) uopi_ctx_realloc(ctx, (void *)ctx->scalar, tuple_size(0), 0);
  uopi_ctx_realloc(ctx, k->tuples, k->tuple_cap * sizeof *k->tuples, 0);
  uopi_ctx_realloc(ctx, k->names, k->name_cap * sizeof *k->names, 0);
}
