/* fold.h - long runs of like nodes as one, for pictures: a chain of 300 adds says less than
 * "add × 300". A run is a chain in which each node is the only user of the one before it and has
 * its op, arg and type.
 */
#ifndef UOP_FOLD_H
#define UOP_FOLD_H

#include "ir/memo.h"

typedef struct folds {
  uopi_memo top;    /* node of a run -> its last node; nodes outside of runs have none */
  uopi_memo before; /* node of a run -> the one before it; the first has none */
  uopi_memo length; /* last node of a run -> how many nodes it has */
} folds;

/* Finds the runs among `order` (sources first). False: out of memory; folds_end either way. */
bool uopi_folds_begin(folds *f, uop_ctx *ctx, const uop_nodes *order);
void uopi_folds_end(folds *f);

/* Undoes the run that u is in, if it is in one: its nodes stand for themselves again. False: out of
 * memory. */
bool uopi_folds_open(folds *f, const uop *u);

/* The node that stands for u in a picture. */
static inline const uop *uopi_fold_of(const folds *f, const uop *u) {
  const uop *top = uopi_memo_node(&f->top, u);
  return top ? top : u;
}

#endif
