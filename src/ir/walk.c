/* walk.c - the one depth-first walk: sources first, left to right, each node once, with a stack on
 * the heap, since graphs get deep.
 *
 * A node is either done, or waits on the stack, or is the one being looked into. So both lists grow
 * towards each other in one array, which needs no more room than the order in the end:
 *
 *   out->at: [ done, in order -> | … | <- waiting ]
 *
 * Which source of a waiting node comes next follows from the one that was just done. Only a node of
 * many sources has that noted, on a stack of its own: to look for it would take too long.
 */
#include "ir/memo.h"

enum { FEW = 8 };

typedef struct walk {
  const uopi_mem *mem;
  bool scoped;
  uopi_set seen;
  uop_nodes *out;
  size_t waiting, nodes; /* nodes: a guess at how many there will be at most */
  struct {
    uint32_t *at;
    size_t len, cap;
  } next; /* of waiting nodes with more than FEW sources: the source to look at next */
} walk;

/* Twice the room; all of it at once where the walk is a large part of the context. */
static bool grow(walk *w) {
  uop_nodes *l = w->out;
  size_t old = l->cap, need = old >= w->nodes / 16 && old < w->nodes ? w->nodes : old + 1;
  if (!UOPI_RESERVE(w->mem, l, need)) return false;
  size_t bytes = w->waiting * sizeof *l->at;
  if (bytes) memmove((void *)(l->at + l->cap - w->waiting), l->at + old - w->waiting, bytes);
  return true;
}

/* 1: u is new and is to be looked into; 0: it is not; -1: out of memory. */
static inline int enter(walk *w, const uop *u) {
  int is_new = uopi_set_add(&w->seen, u);
  if (is_new > 0 && w->out->len + w->waiting + 1 >= w->out->cap && !grow(w)) return -1;
  return is_new;
}

static inline uint32_t first_source(const walk *w, const uop *u) {
  return w->scoped && u->op == UOP_CALL ? 1 : 0; /* a CALL's body is its own scope */
}

static inline bool wait_for(walk *w, const uop *u, uint32_t next) {
  w->out->at[w->out->cap - ++w->waiting] = u;
  return u->nsrc <= FEW || UOPI_PUSH(w->mem, &w->next, next);
}

/* The source of u after `done`. */
static inline uint32_t next_source(walk *w, const uop *u, const uop *done) {
  if (u->nsrc > FEW) return w->next.at[--w->next.len];
  uint32_t i = 0;
  while (u->src[i] != done) i++;
  return i + 1;
}

static bool walk_root(walk *w, const uop *root) {
  int is_new = enter(w, root);
  if (is_new <= 0) return is_new == 0;
  const uop *u = root;
  for (uint32_t i = first_source(w, u);;) {
    if (i == u->nsrc) {
      const uop *done = w->out->at[w->out->len++] = u;
      if (!w->waiting) return true;
      u = w->out->at[w->out->cap - w->waiting--];
      i = next_source(w, u, done);
      continue;
    }
    const uop *s = u->src[i++];
    if (UOPI_FAULT(4)) { /* recurses; out of line, so that the fault costs a frame each */
      if (!walk_root(w, s)) return false;
      continue;
    }
    if (!(is_new = enter(w, s))) continue;
    if (is_new < 0 || !wait_for(w, u, i)) return false;
    u = s;
    i = first_source(w, u);
    if (u->nsrc == 2) UOPI_PREFETCH(&u->src[1]->nsrc); /* by the time that its turn comes */
  }
}

bool uopi_walk_around(uop_ctx *ctx, const uop *const *roots, size_t n, bool scoped,
                      const uop *const *stop, size_t nstop, uop_nodes *out) {
  out->len = 0;
  if (!ctx) return false;
  walk w = {.mem = &ctx->mem, .seen = {.mem = &ctx->mem}, .scoped = scoped, .out = out};
  w.nodes = ctx->nlive + 1;
  bool ok = true;
  for (size_t i = 0; ok && i < nstop; i++) ok = uopi_set_add(&w.seen, stop[i]) >= 0;
  for (size_t i = 0; ok && i < n; i++)
    if (roots[i]) ok = walk_root(&w, roots[i]);
  UOPI_DROP(&ctx->mem, &w.next);
  uopi_set_drop(&w.seen);
  if (!ok) {
    UOPI_DROP(&ctx->mem, out);
    uopi_no_memory(ctx);
  }
  return ok;
}

bool uopi_walk(uop_ctx *ctx, const uop *const *roots, size_t n, bool scoped, uop_nodes *out) {
  return uopi_walk_around(ctx, roots, n, scoped, NULL, 0, out);
}

void uop_nodes_free(uop_ctx *ctx, uop_nodes *l) { UOPI_DROP(&ctx->mem, l); }
