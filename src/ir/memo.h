/* memo.h - a walk's own side tables, keyed by a node's place in its slab: what was seen, what
 * became of it. They touch no node, only its address, which is what makes a walk over scattered
 * nodes fast.
 *
 * For the length of one call alone, during which no node dies: an address may name another node
 * later. What lives longer is a uop_map, keyed by id.
 */
#ifndef UOP_MEMO_H
#define UOP_MEMO_H

#include "ir/ir.h"

/* No two nodes of a slab begin within this many bytes. */
#define UOPI_NODE_MIN  (offsetof(uop, src))
#define UOPI_MEMO_PAGE ((uint32_t)(UOPI_SLAB_SIZE / UOPI_NODE_MIN) + 1)

static inline uint64_t uopi_slab_number(const uop *u) { return (uintptr_t)u / UOPI_SLAB_SIZE; }
static inline uint32_t uopi_place_in_slab(const uop *u) {
  return (uint32_t)((uintptr_t)u & (UOPI_SLAB_SIZE - 1)) / (uint32_t)UOPI_NODE_MIN;
}

/* ---- sets ---- */

enum { UOPI_SET_WORDS = UOPI_SLAB_SIZE / 8 / 64 }; /* a bit for each 8 bytes of a slab */

typedef struct uopi_set {
  const uopi_mem *mem;
  uopi_dir dir;
  uint64_t number, *bits; /* the page used last: walks are local */
} uopi_set;

/* 1: u was not there and is now; 0: it was; -1: out of memory. */
static inline int uopi_set_add(uopi_set *s, const uop *u) {
  uint64_t number = uopi_slab_number(u);
  if (number != s->number || !s->bits) {
    s->bits = uopi_dir_find(&s->dir, number);
    if (!s->bits && !(s->bits = uopi_dir_add(&s->dir, s->mem, number, UOPI_SET_WORDS * 8)))
      return -1;
    s->number = number;
  }
  uint32_t k = (uint32_t)((uintptr_t)u & (UOPI_SLAB_SIZE - 1)) / 8;
  uint64_t *word = &s->bits[k / 64], bit = UINT64_C(1) << (k % 64), old = *word;
  *word = old | bit;
  return !(old & bit);
}
static inline bool uopi_set_has(const uopi_set *s, const uop *u) {
  const uint64_t *bits = uopi_dir_find(&s->dir, uopi_slab_number(u));
  uint32_t k = (uint32_t)((uintptr_t)u & (UOPI_SLAB_SIZE - 1)) / 8;
  return bits && (bits[k / 64] >> (k % 64) & 1);
}
static inline void uopi_set_drop(uopi_set *s) {
  uopi_dir_drop(&s->dir, s->mem, UOPI_SET_WORDS * 8);
}

/* ---- memos: node -> 64 bits; 0 is what a node has that was given none ---- */

typedef struct uopi_memo {
  const uopi_mem *mem;
  uopi_dir dir;
} uopi_memo;

static inline uint64_t uopi_memo_get(const uopi_memo *m, const uop *u) {
  const uint64_t *page = uopi_dir_find(&m->dir, uopi_slab_number(u));
  return page ? page[uopi_place_in_slab(u)] : 0;
}
/* False: out of memory. */
static inline bool uopi_memo_set(uopi_memo *m, const uop *u, uint64_t v) {
  uint64_t number = uopi_slab_number(u), *page = uopi_dir_find(&m->dir, number);
  if (!page && !(page = uopi_dir_add(&m->dir, m->mem, number, UOPI_MEMO_PAGE * sizeof *page)))
    return false;
  page[uopi_place_in_slab(u)] = v;
  return true;
}
static inline void uopi_memo_drop(uopi_memo *m) {
  uopi_dir_drop(&m->dir, m->mem, UOPI_MEMO_PAGE * sizeof(uint64_t));
}

static inline const uop *uopi_memo_node(const uopi_memo *m, const uop *u) { /* NULL: none */
  return (const uop *)(uintptr_t)uopi_memo_get(m, u);
}
static inline bool uopi_memo_set_node(uopi_memo *m, const uop *u, const uop *v) {
  return uopi_memo_set(m, u, (uint64_t)(uintptr_t)v);
}

#endif
