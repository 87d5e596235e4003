/* walk.c - the one depth-first walk: sources first, left to right, each node once, with a stack on
 * the heap, since graphs get deep.
 */
#include "ir/ir.h"

typedef struct frame {
  const uop *u;
  uint32_t next; /* the source to look at next */
} frame;

typedef struct frames {
  frame *at;
  size_t len, cap;
} frames;

typedef struct walk {
  const uopi_mem *mem;
  uopi_set seen;
  uop_map *stop;
  frames st;
  bool scoped;
} walk;

/* Pushes u unless it was seen or is a stop. False: out of memory. */
static bool visit(walk *w, const uop *u) {
  if (w->stop && uopi_map_find(w->stop, u->id)) return true;
  int fresh = uopi_set_add(&w->seen, u->id);
  if (fresh <= 0) return fresh == 0;
  uint32_t first = w->scoped && u->op == UOP_CALL ? 1 : 0; /* a CALL's body is its own scope */
  return UOPI_PUSH(w->mem, &w->st, ((frame){u, first}));
}

static bool walk_root(walk *w, const uop *root, uop_nodes *out) {
  if (!visit(w, root)) return false;
  while (w->st.len) {
    frame *f = &w->st.at[w->st.len - 1];
    const uop *u = f->u;
    if (f->next < u->nsrc) {
      if (!visit(w, u->src[f->next++])) return false;
    } else {
      w->st.len--;
      if (!UOPI_PUSH(w->mem, out, u)) return false;
    }
  }
  return true;
}

bool uopi_walk(uop_ctx *ctx, const uop *const *roots, size_t n, bool scoped, uop_map *stop,
               uop_nodes *out) {
  walk w = {.mem = &ctx->mem, .seen = {.mem = &ctx->mem}, .stop = stop, .scoped = scoped};
  out->len = 0;
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
