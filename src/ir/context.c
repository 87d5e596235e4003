/* context.c - making and freeing a context; its memory, its creation vector, its figures. */
#include "ir/ir.h"

void *uopi_ctx_realloc(uop_ctx *ctx, void *p, size_t old, size_t size) {
  if (!p) old = 0;
  ctx->capped = size > old && ctx->max_bytes && size - old > ctx->max_bytes - ctx->held;
  if (ctx->capped) return NULL;
  void *q = uopi_realloc(&ctx->mem, p, old, size);
  if (q || size == 0) ctx->held = ctx->held - old + size;
  return q;
}

uop_ctx *uop_ctx_new(const uop_options *options) {
  uopi_mem mem = {uopi_default_alloc, NULL};
  if (options && options->alloc) mem = (uopi_mem){options->alloc, options->user};
  uop_ctx *ctx = uopi_realloc(&mem, NULL, 0, sizeof *ctx);
  if (!ctx) return NULL;
  memset(ctx, 0, sizeof *ctx);
  ctx->mem = mem;
  ctx->max_nodes = options ? options->max_nodes : 0;
  ctx->max_bytes = options ? options->max_bytes : 0;
  uopi_map_init(&ctx->signatures, ctx);
  uop_error_clear(ctx);
  if (!(ctx->scalar = uopi_tuple_get(ctx, NULL, 0))) {
    uop_ctx_free(ctx);
    return NULL;
  }
  ctx->interned.bytes = 0; /* () is always there and no node's */
  return ctx;
}

static bool live_resize(uop_ctx *ctx, size_t cap) {
  size_t size = sizeof *ctx->live;
  if (cap > SIZE_MAX / size) return false;
  uop **live = uopi_ctx_realloc(ctx, ctx->live, ctx->live_cap * size, cap * size);
  if (!live && cap) return false;
  ctx->live = live;
  ctx->live_cap = cap;
  return true;
}

void uop_ctx_free(uop_ctx *ctx) {
  if (!ctx) return;
  for (size_t i = ctx->nlive; i-- > 0;) {
    uop *u = ctx->live[i];
    if (u->flags & FLAG_SIGNATURE) uopi_signature_drop(ctx, u);
    if (uopi_arg_is_tuple(u->op)) uopi_tuple_release(ctx, u->arg.tuple);
    if (uopi_arg_kind_of(u->op) == UOPI_ARG_NAME) uopi_name_release(ctx, u->arg.name);
    uopi_tuple_release(ctx, u->shape);
    uopi_node_delete(ctx, u);
  }
  ctx->nlive = 0;
  live_resize(ctx, 0);
  uopi_map_drop(&ctx->signatures);
  uopi_store_drop(ctx);
  uopi_ctx_realloc(ctx, ctx->table, ctx->table_cap * sizeof *ctx->table, 0);
  uopi_interned_drop(ctx);
  uopi_mem mem = ctx->mem;
  uopi_realloc(&mem, ctx, sizeof *ctx, 0);
}

bool uopi_live_grow(uop_ctx *ctx) {
  size_t cap = ctx->live_cap ? ctx->live_cap * 2 : 64;
  if (ctx->max_nodes && cap > ctx->max_nodes) cap = (size_t)ctx->max_nodes;
  return live_resize(ctx, cap);
}

void uop_ctx_trim(uop_ctx *ctx) {
  uopi_store_trim(ctx);
  uopi_table_trim(ctx);
  if (ctx->nlive < ctx->live_cap) live_resize(ctx, ctx->nlive); /* a failure leaves it larger */
  if (!ctx->signatures.len) uopi_map_drop(&ctx->signatures);
}

uop_ctx *uop_ctx_of(const uop *u) { return uopi_ctx_of(u); }
size_t uop_ctx_live(const uop_ctx *ctx) { return ctx->nlive; }
const uop *const *uop_ctx_nodes(const uop_ctx *ctx, size_t *n) {
  *n = ctx->nlive;
  return (const uop *const *)ctx->live;
}

uop_stats uop_ctx_stats(const uop_ctx *ctx) {
  return (uop_stats){ctx->nlive, ctx->next_id, ctx->store.bytes + ctx->interned.bytes, ctx->held};
}

int64_t uop_numel(const uop *u) {
  if (!u) return 0;
  int64_t n = 1;
  for (uint32_t i = 0; i < u->shape->len; i++) /* a 0 first: the others may be large */
    if (u->shape->at[i] == 0) return 0;
  for (uint32_t i = 0; i < u->shape->len; i++) n *= u->shape->at[i];
  return n;
}
