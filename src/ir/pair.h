/* pair.h - the short way in for ADD, MUL, MAX, CMPLT, CMPNE: most nodes of most programs.
 *
 * The same steps as uop_make's, in the same order, without what these ops do not need; anything out
 * of the ordinary is left to uop_make, so that every refusal and every limit stands there alone. It
 * is worth a file: with a third of the instructions the processor overlaps the cache misses of
 * several constructions, which makes building scattered graphs twice as fast.
 */
#ifndef UOP_PAIR_H
#define UOP_PAIR_H

#include "ir/ir.h"

#define UOPI_BIT(op) (UINT64_C(1) << (op))
#define UOPI_PAIR_OPS                                                                \
  (UOPI_BIT(UOP_ADD) | UOPI_BIT(UOP_MUL) | UOPI_BIT(UOP_MAX) | UOPI_BIT(UOP_CMPLT) | \
   UOPI_BIT(UOP_CMPNE))
#define UOPI_PAIR_COMPARES (UOPI_BIT(UOP_CMPLT) | UOPI_BIT(UOP_CMPNE))
_Static_assert(UOP_OP_COUNT <= 64, "an op is a bit of a word");

static inline uint32_t uopi_hash_pair(uop_op op, const uop *a, const uop *b) { /* as uopi_hash */
  uint64_t h = uopi_hash_step(UOPI_HASH_SEED, (uint64_t)op << 32 | 2);
  return uopi_hash_end(uopi_hash_sources(h, a, b));
}

/* A node from the bump room of its class; the rest is uopi_node_new's. */
static inline uop *uopi_take_pair(uop_ctx *ctx) {
  enum { SIZE = (offsetof(uop, src) + 2 * sizeof(uop *) + 7) & ~(size_t)7 };
  uopi_class *k = &ctx->store.cls[2];
  if (k->free || k->end - k->bump < (ptrdiff_t)SIZE) return uopi_node_new(ctx, 2);
  uop *u = (uop *)k->bump;
  k->bump += SIZE;
  ctx->store.bytes += SIZE;
  return u;
}

static inline const uop *uopi_file_pair(uop_ctx *ctx, uop_op op, const uop *a, const uop *b,
                                        uop *youngest) {
  if (a->dtype != b->dtype || a->shape != b->shape || a->dtype == UOP_VOID ||
      ctx->nlive == ctx->live_cap)
    return NULL;
  uop *u = uopi_take_pair(ctx);
  if (!u) return NULL;
  u->id = ctx->next_id++;
  u->nsrc = 2;
  u->pins = 0;
  u->arg.bits = 0;
  u->shape = a->shape;
  if (a->shape->len) uopi_tuple_ref(a->shape);
  u->users = NULL;
  u->hash = uopi_hash_pair(op, a, b);
  u->dtype = UOPI_PAIR_COMPARES >> op & 1 ? UOP_BOOL : a->dtype;
  u->space = UOP_SPACE_ALU;
  u->flags = 0;
  u->op = (uint8_t)op;
  u->src[0] = a;
  u->src[1] = b;
  ctx->live[ctx->nlive++] = u;
  u->next = youngest->users;
  youngest->users = u;
  youngest->flags++;
  return u;
}

/* The node, found or new; NULL where uop_make has to look closer. */
static inline const uop *uopi_make_pair(uop_ctx *ctx, uop_op op, const uop *a, const uop *b) {
  if ((unsigned)op >= UOP_OP_COUNT || !(UOPI_PAIR_OPS >> op & 1) || !a || !b) return NULL;
  const uopi_slab *x = uopi_slab_of(a), *y = uopi_slab_of(b);
  if (x->ctx != ctx || y->ctx != ctx) return NULL;
  uop *youngest = (uop *)((x == y ? a > b : x->seq > y->seq) ? a : b);
  for (uop *u = youngest->users; u; u = u->next)
    if (u->op == op && u->src[0] == a && u->src[1] == b) return u;
  if (youngest->flags & FLAG_OVERFLOW || (youngest->flags & FLAG_COUNT) == LIST_MAX) return NULL;
  return uopi_file_pair(ctx, op, a, b, youngest);
}

#endif
