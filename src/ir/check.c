/* check.c - uop_ctx_check: walks every invariant of ir.h over a whole context and names the first
 * that is broken. Tests run it after whatever they do; it changes nothing but the error.
 */
#include "ir/ir.h"

#define BROKEN(ctx, what, u)                                                                      \
  (uopi_error((ctx), UOP_E_INTERNAL, (u) ? (int)((const uop *)(u))->op : -1, -1, "invariant: %s", \
              (what)),                                                                            \
   false)

static bool check_node(uop_ctx *ctx, const uop *u) {
  if (u->op >= UOP_OP_COUNT) return BROKEN(ctx, "op is in the table", NULL);
  if (u->flags & FLAG_MARK) return BROKEN(ctx, "no node is marked outside a sweep", u);
  for (uint32_t i = 0; i < u->nsrc; i++) {
    if (uopi_ctx_of(u->src[i]) != ctx) return BROKEN(ctx, "sources are of the context", u);
    if (u->src[i]->id >= u->id) return BROKEN(ctx, "sources are older", u);
  }
  uopi_key k = uopi_key_of(u);
  if (uopi_hash(&k) != u->hash) return BROKEN(ctx, "hash is of op, sources and arg", u);
  if (uopi_find(ctx, &k) != u) return BROKEN(ctx, "each node is found, and once", u);
  uop_arg a = uop_arg_of(u);
  uopi_typing t = {.ctx = ctx, .op = (uop_op)u->op, .src = u->src, .n = u->nsrc, .arg = &a};
  if (!uopi_infer(&t)) return BROKEN(ctx, "the node is well typed", u);
  const uop_tuple *shape = t.shape ? t.shape : uopi_tuple_find(ctx, t.dims, t.rank);
  if (t.dtype != u->dtype || t.space != u->space || shape != u->shape)
    return BROKEN(ctx, "dtype, shape and space are inferred", u);
  return true;
}

/* The users list of u: its length, and that u is the youngest source of each. */
static bool check_users(uop_ctx *ctx, const uop *u, size_t *listed) {
  size_t n = 0;
  for (const uop *v = u->users; v; v = v->next, n++) {
    if (n > LIST_MAX || (v->flags & FLAG_TABLE)) return BROKEN(ctx, "users lists are short", u);
    if (uopi_youngest(v->src, v->nsrc) != u)
      return BROKEN(ctx, "a user is listed at its youngest source", v);
  }
  *listed += n;
  return n == (u->flags & FLAG_COUNT) || BROKEN(ctx, "users lists are counted", u);
}

static bool check_order(uop_ctx *ctx, uop_map *alive) {
  uint64_t last = 0;
  bool fresh;
  for (size_t i = 0; i < ctx->nlive; i++) {
    const uop *u = ctx->live[i];
    if (!u || u->id >= ctx->next_id || (i && u->id <= last))
      return BROKEN(ctx, "ids rise along the creation vector", NULL);
    if (!uopi_map_put(alive, last = u->id, &fresh)) return uopi_no_memory(ctx), false;
    for (uint32_t k = 0; k < u->nsrc; k++)
      if (!uopi_map_find(alive, u->src[k]->id)) return BROKEN(ctx, "sources are alive", u);
  }
  return true;
}

static bool check_table(uop_ctx *ctx, size_t *filed) {
  for (size_t i = 0; i < ctx->table_cap; i++) {
    const uop *u = ctx->table[i].node;
    if (!u) continue;
    ++*filed;
    if (!(u->flags & FLAG_TABLE) || ctx->table[i].hash != u->hash)
      return BROKEN(ctx, "table slots hold their node's hash", u);
    const uop *y = uopi_youngest(u->src, u->nsrc);
    if (y && !(y->flags & FLAG_OVERFLOW))
      return BROKEN(ctx, "a filed node's youngest source has overflowed", u);
  }
  return *filed == ctx->table_len || BROKEN(ctx, "the table is counted", NULL);
}

/* Uses of each tuple and name, counted down to nothing and up again. */
static void count_uses(uop_ctx *ctx, uint64_t by) {
  for (size_t i = 0; i < ctx->nlive; i++) {
    const uop *u = ctx->live[i];
    if (u->shape->len) ((uop_tuple *)u->shape)->refs -= by;
    if (uopi_arg_is_tuple(u->op) && u->arg.tuple->len) ((uop_tuple *)u->arg.tuple)->refs -= by;
    if (uopi_arg_kind_of(u->op) == UOPI_ARG_NAME) uopi_name_of(u->arg.name)->refs -= by;
  }
}

static bool check_interned(uop_ctx *ctx) {
  const uopi_interned *k = &ctx->interned;
  size_t tuples = 0, names = 0;
  uint64_t left = 0;
  count_uses(ctx, 1);
  for (size_t i = 0; i < k->tuple_cap; i++)
    for (const uop_tuple *t = k->tuples[i]; t; t = t->next, tuples++)
      if (t->len) left |= t->refs;
  for (size_t i = 0; i < k->name_cap; i++)
    for (const uopi_name *p = k->names[i]; p; p = p->next, names++) left |= p->refs;
  count_uses(ctx, (uint64_t)-1);
  if (left) return BROKEN(ctx, "tuples and names are counted by their uses", NULL);
  return (tuples == k->ntuples && names == k->nnames) ||
         BROKEN(ctx, "tuples and names are counted", NULL);
}

static bool check_store(uop_ctx *ctx) {
  uint64_t signatures = 0;
  for (size_t i = 0; i < ctx->nlive; i++)
    signatures += ctx->live[i]->flags & FLAG_SIGNATURE ? 1 : 0;
  if (signatures != ctx->signatures.len) return BROKEN(ctx, "signatures belong to bodies", NULL);
  if (ctx->scope_begin > ctx->nlive) return BROKEN(ctx, "scopes begin within the nodes", NULL);
  return ctx->store.bytes == uopi_bytes_of_nodes(ctx) ||
         BROKEN(ctx, "the bytes of nodes are counted", NULL);
}

bool uop_ctx_check(uop_ctx *ctx) {
  uop_error_clear(ctx);
  uop_map alive;
  uopi_map_init(&alive, ctx);
  bool ok = check_order(ctx, &alive);
  uopi_map_drop(&alive);
  size_t listed = 0, filed = 0;
  for (size_t i = 0; ok && i < ctx->nlive; i++) {
    const uop *u = ctx->live[i];
    ok = check_node(ctx, u) && check_users(ctx, u, &listed);
  }
  ok = ok && check_table(ctx, &filed);
  if (ok && listed + filed != ctx->nlive) ok = BROKEN(ctx, "each node is listed or filed", NULL);
  return ok && check_interned(ctx) && check_store(ctx);
}
