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
static inline bool uopi_is_pair(unsigned op) { return UOPI_PAIR_OPS >> op & 1; }
_Static_assert(UOP_OP_COUNT <= 64, "an op is a bit of a word");

/* The node that is not there yet; NULL where uop_make has to look closer. */
const uop *uopi_new_pair(uop_ctx *ctx, uop_op op, const uop *a, const uop *b, uop *youngest);

/* The youngest of two sources of ctx; NULL: one is not of it. */
static inline uop *uopi_youngest_of_pair(const uop_ctx *ctx, const uop *a, const uop *b) {
  const uopi_slab *x = uopi_slab_of(a), *y = uopi_slab_of(b);
  if (x->ctx != ctx || y->ctx != ctx) return NULL;
  return (uop *)((x == y ? a > b : x->seq > y->seq) ? a : b);
}

static inline const uop *uopi_find_pair(uop_op op, const uop *a, const uop *b,
                                        const uop *youngest) {
  const uop *u = youngest->users;
  while (u && !(u->op == op && u->src[0] == a && u->src[1] == b)) u = u->next;
  return u;
}

/* The node, found or new; NULL where uop_make has to look closer. */
static inline const uop *uopi_make_pair(uop_ctx *ctx, uop_op op, const uop *a, const uop *b) {
  uop *youngest = uopi_youngest_of_pair(ctx, a, b);
  if (!youngest) return NULL;
  const uop *u = uopi_find_pair(op, a, b, youngest);
  return u ? u : uopi_new_pair(ctx, op, a, b, youngest);
}

#endif
