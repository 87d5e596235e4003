/* map.c - side tables keyed by a node's id: pages of 1,024 ids, found through an open-addressing
 * directory. Two entries 10^9 ids apart cost two pages; a dense walk costs one lookup a page.
 *
 *   dir: [ . | page 7 | . | page 976562 ]      page: number, 1,024 presence bits, 1,024 values
 */
#include "base/base.h"

void uopi_map_init(uop_map *m, uop_ctx *ctx) { *m = (uop_map){.ctx = ctx}; }

void uopi_map_drop(uop_map *m) {
  const uopi_mem *mem = uopi_mem_of(m->ctx);
  for (size_t i = 0; i < m->dir_cap; i++)
    if (m->dir[i]) uopi_realloc(mem, m->dir[i], sizeof *m->dir[i], 0);
  uopi_realloc(mem, m->dir, m->dir_cap * sizeof *m->dir, 0);
  if (m->prev) {
    *m->prev = m->next;
    if (m->next) m->next->prev = m->prev;
  }
  *m = (uop_map){.ctx = m->ctx};
}

static size_t home(uint64_t number, size_t cap) {
  return (size_t)uopi_mix(number ^ UOPI_HASH_SEED, UOPI_HASH_STEP) & (cap - 1);
}

uopi_page *uopi_map_find_page(const uop_map *m, uint64_t number) {
  if (!m->dir_cap) return NULL;
  for (size_t i = home(number, m->dir_cap);; i = (i + 1) & (m->dir_cap - 1))
    if (!m->dir[i] || m->dir[i]->number == number) return m->dir[i];
}

static void enter(uopi_page **dir, size_t cap, uopi_page *p) {
  size_t i = home(p->number, cap);
  while (dir[i]) i = (i + 1) & (cap - 1);
  dir[i] = p;
}

static bool grow_dir(uop_map *m) {
  const uopi_mem *mem = uopi_mem_of(m->ctx);
  size_t cap = m->dir_cap ? m->dir_cap * 2 : 4;
  if (cap > SIZE_MAX / sizeof *m->dir) return false;
  uopi_page **dir = uopi_realloc(mem, NULL, 0, cap * sizeof *dir);
  if (!dir) return false;
  for (size_t i = 0; i < cap; i++) dir[i] = NULL;
  for (size_t i = 0; i < m->dir_cap; i++)
    if (m->dir[i]) enter(dir, cap, m->dir[i]);
  uopi_realloc(mem, m->dir, m->dir_cap * sizeof *m->dir, 0);
  m->dir = dir;
  m->dir_cap = cap;
  return true;
}

uopi_page *uopi_map_need_page(uop_map *m, uint64_t number) {
  if ((m->npages + 1) * 2 > m->dir_cap && !grow_dir(m)) return NULL;
  uopi_page *p = uopi_realloc(uopi_mem_of(m->ctx), NULL, 0, sizeof *p);
  if (!p) return NULL;
  p->number = number;
  memset(p->present, 0, sizeof p->present); /* values are written when an id is put in */
  enter(m->dir, m->dir_cap, p);
  m->npages++;
  return m->last = p;
}

uop_map *uop_map_new(uop_ctx *ctx) {
  uop_map *m = uopi_realloc(uopi_mem_of(ctx), NULL, 0, sizeof *m);
  if (!m) return uopi_no_memory(ctx);
  uopi_map_init(m, ctx);
  return m;
}

void uop_map_free(uop_map *m) {
  if (!m) return;
  uopi_map_drop(m);
  uopi_realloc(uopi_mem_of(m->ctx), m, sizeof *m, 0);
}

bool uop_map_set(uop_map *m, const uop *key, uint64_t value) {
  bool fresh;
  uint64_t *v = uopi_map_put(m, key->id, &fresh);
  if (!v) return uopi_no_memory(m->ctx), false;
  *v = value;
  return true;
}

bool uop_map_get(const uop_map *m, const uop *key, uint64_t *value) {
  const uopi_page *p = uopi_map_find_page(m, key->id >> UOPI_PAGE_BITS);
  uint32_t k = (uint32_t)(key->id & (UOPI_PAGE_IDS - 1));
  if (!p || !(p->present[k / 64] >> (k % 64) & 1)) return false;
  *value = p->value[k];
  return true;
}

void uop_map_remove(uop_map *m, const uop *key) {
  uopi_page *p = uopi_map_page(m, key->id >> UOPI_PAGE_BITS);
  uint32_t k = (uint32_t)(key->id & (UOPI_PAGE_IDS - 1));
  uint64_t bit = UINT64_C(1) << (k % 64);
  if (!p || !(p->present[k / 64] & bit)) return;
  p->present[k / 64] &= ~bit;
  m->len--;
}

size_t uop_map_len(const uop_map *m) { return m->len; }

size_t uop_map_bytes(const uop_map *m) {
  return sizeof *m + m->dir_cap * sizeof *m->dir + m->npages * sizeof(uopi_page);
}

bool uop_map_set_node(uop_map *m, const uop *key, const uop *value) {
  return uop_map_set(m, key, (uint64_t)(uintptr_t)value);
}

const uop *uop_map_get_node(const uop_map *m, const uop *key) {
  uint64_t v;
  return uop_map_get(m, key, &v) ? (const uop *)(uintptr_t)v : NULL;
}
