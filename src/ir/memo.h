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

/* No two nodes begin within this many bytes of each other. */
#define UOPI_NODE_MIN  (offsetof(uop, src))
#define UOPI_MEMO_PAGE ((uint32_t)(UOPI_SLAB_SIZE / UOPI_NODE_MIN) + 1)

static inline uint64_t uopi_slab_number(const uop *u) { return (uintptr_t)u / UOPI_SLAB_SIZE; }
static inline uint32_t uopi_place_in_slab(const uop *u) {
  return (uint32_t)((uintptr_t)u & (UOPI_SLAB_SIZE - 1)) / (uint32_t)UOPI_NODE_MIN;
}

/* ---- sets: a bit for each place where a node can begin ---- */

#define UOPI_SET_SPAN \
  (8 * UOPI_SLAB_SIZE) /* of addresses to a page: so the directory stays small */
#define UOPI_SET_WORDS (UOPI_SET_SPAN / UOPI_NODE_MIN / 64 + 1)

typedef struct uopi_set {
  const uopi_mem *mem;
  uopi_dir dir;
} uopi_set;

static inline uint64_t uopi_set_page(const uop *u) { return (uintptr_t)u / UOPI_SET_SPAN; }
static inline uint32_t uopi_set_bit(const uop *u) {
  return (uint32_t)((uintptr_t)u & (UOPI_SET_SPAN - 1)) / (uint32_t)UOPI_NODE_MIN;
}

/* 1: u was not there and is now; 0: it was; -1: out of memory. */
static inline int uopi_set_add(uopi_set *s, const uop *u) {
  uint64_t number = uopi_set_page(u), *bits = uopi_dir_find(&s->dir, number);
  if (!bits && !(bits = uopi_dir_add(&s->dir, s->mem, number, UOPI_SET_WORDS * sizeof *bits)))
    return -1;
  uint32_t k = uopi_set_bit(u);
  uint64_t *word = &bits[k / 64], bit = UINT64_C(1) << (k % 64), old = *word;
  *word = old | bit;
  return !(old & bit);
}
static inline bool uopi_set_has(const uopi_set *s, const uop *u) {
  const uint64_t *bits = uopi_dir_find(&s->dir, uopi_set_page(u));
  uint32_t k = uopi_set_bit(u);
  return bits && (bits[k / 64] >> (k % 64) & 1);
}
static inline void uopi_set_drop(uopi_set *s) { uopi_dir_drop(&s->dir, s->mem); }

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
static inline void uopi_memo_drop(uopi_memo *m) { uopi_dir_drop(&m->dir, m->mem); }

static inline const uop *uopi_memo_node(const uopi_memo *m, const uop *u) { /* NULL: none */
  return (const uop *)(uintptr_t)uopi_memo_get(m, u);
}
static inline bool uopi_memo_set_node(uopi_memo *m, const uop *u, const uop *v) {
  return uopi_memo_set(m, u, (uint64_t)(uintptr_t)v);
}

#endif
