/* walk.c - the one depth-first walk: sources first, left to right, each node once, with a stack on
 * the heap, since graphs get deep.
 */
#include "ir/memo.h"

typedef struct frame { /* a node whose sources are being walked */
  const uop *u;
  uint32_t next; /* the source to look at next */
} frame;

typedef struct frames {
  frame *at;
  size_t len, cap;
} frames;

typedef struct walk {
  const uopi_mem *mem;
  const uopi_memo *stop;
  bool scoped;
  uopi_set seen;
  frames st;
} walk;

/* 1: u is new and is to be looked into; 0: it is not; -1: out of memory. */
static inline int enter(walk *w, const uop *u) {
  if (w->stop && uopi_memo_get(w->stop, u)) return 0;
  return uopi_set_add(&w->seen, u);
}

static inline frame open_node(const walk *w, const uop *u) {
  return (frame){u, w->scoped && u->op == UOP_CALL ? 1 : 0}; /* a CALL's body is its own scope */
}

/* The innermost frame is kept out of the stack: leaves and what was seen never touch it. */
static bool walk_root(walk *w, const uop *root, uop_nodes *out) {
  int is_new = enter(w, root);
  if (is_new <= 0) return is_new == 0;
  for (frame f = open_node(w, root);;) {
    if (f.next == f.u->nsrc) {
      if (!UOPI_PUSH(w->mem, out, f.u)) return false;
      if (!w->st.len) return true;
      f = w->st.at[--w->st.len];
      continue;
    }
    const uop *s = f.u->src[f.next++];
    if (UOPI_FAULT(4)) { /* recurses; out of line, so that the fault costs a frame each */
      if (!walk_root(w, s, out)) return false;
      continue;
    }
    if (!(is_new = enter(w, s))) continue;
    if (is_new < 0 || !UOPI_PUSH(w->mem, &w->st, f)) return false;
    f = open_node(w, s);
  }
}

bool uopi_walk(uop_ctx *ctx, const uop *const *roots, size_t n, bool scoped, const uopi_memo *stop,
               uop_nodes *out) {
  out->len = 0;
  if (!ctx) return false;
  walk w = {.mem = &ctx->mem, .seen = {.mem = &ctx->mem}, .stop = stop, .scoped = scoped};
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++)
    if (roots[i]) ok = walk_root(&w, roots[i], out);
  UOPI_DROP(&ctx->mem, &w.st);
  uopi_set_drop(&w.seen);
  if (!ok) {
    UOPI_DROP(&ctx->mem, out);
    uopi_no_memory(ctx);
  }
  return ok;
}

void uop_nodes_free(uop_ctx *ctx, uop_nodes *l) { UOPI_DROP(&ctx->mem, l); }
