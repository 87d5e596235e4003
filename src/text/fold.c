/* fold.c - see fold.h. Linear: each node has at most one user that it can be folded into, and takes
 * at most one source in, so that runs are disjoint chains.
 */
#include "text/fold.h"

enum { SHORTEST = 3 }; /* nodes of a run: two in a row are no longer than the label that says so */

/* The only user of a node, or the node itself where it has several: it is never its own. */
static bool count_users(const uop_nodes *order, uopi_memo *only_user) {
  for (size_t i = 0; i < order->len; i++) {
    const uop *u = order->at[i];
    for (uint32_t k = 0; k < u->nsrc; k++) {
      const uop *s = u->src[k], *user = uopi_memo_node(only_user, s);
      if (user != u && !uopi_memo_set_node(only_user, s, user ? s : u)) return false;
    }
  }
  return true;
}

static bool alike(const uop *a, const uop *b) {
  return a->op == b->op && a->arg.bits == b->arg.bits && a->dtype == b->dtype &&
         a->shape == b->shape && a->space == b->space;
}

static bool link_runs(folds *f, const uop_nodes *order, const uopi_memo *only_user) {
  for (size_t i = 0; i < order->len; i++) {
    const uop *u = order->at[i];
    for (uint32_t k = 0; k < u->nsrc; k++) {
      const uop *s = u->src[k];
      if (s->nsrc == 0 || !alike(s, u) || uopi_memo_node(only_user, s) != u) continue;
      if (!uopi_memo_set_node(&f->before, u, s)) return false;
      break;
    }
  }
  return true;
}

/* From the last node of each run, which comes last in the order, back to its first. */
static bool name_runs(folds *f, const uop_nodes *order) {
  for (size_t i = order->len; i-- > 0;) {
    const uop *top = order->at[i];
    if (uopi_memo_node(&f->top, top)) continue;
    uint64_t n = 0;
    for (const uop *u = top; u; u = uopi_memo_node(&f->before, u)) n++;
    if (n < 2) continue;
    for (const uop *u = top, *before; u; u = before) {
      before = uopi_memo_node(&f->before, u);
      bool ok = n < SHORTEST ? uopi_memo_set_node(&f->before, u, NULL)
                             : uopi_memo_set_node(&f->top, u, top);
      if (!ok) return false;
    }
    if (n >= SHORTEST && !uopi_memo_set(&f->length, top, n)) return false;
  }
  return true;
}

bool uopi_folds_begin(folds *f, uop_ctx *ctx, const uop_nodes *order) {
  const uopi_mem *mem = uopi_mem_of(ctx);
  *f = (folds){{.mem = mem}, {.mem = mem}, {.mem = mem}};
  uopi_memo only_user = {.mem = mem};
  bool ok =
      count_users(order, &only_user) && link_runs(f, order, &only_user) && name_runs(f, order);
  uopi_memo_drop(&only_user);
  return ok;
}

bool uopi_folds_open(folds *f, const uop *u) {
  const uop *top = uopi_memo_node(&f->top, u);
  if (top && !uopi_memo_set(&f->length, top, 0)) return false;
  for (u = top; u; u = uopi_memo_node(&f->before, u))
    if (!uopi_memo_set_node(&f->top, u, NULL)) return false;
  return true;
}

void uopi_folds_end(folds *f) {
  uopi_memo_drop(&f->top);
  uopi_memo_drop(&f->before);
  uopi_memo_drop(&f->length);
}
