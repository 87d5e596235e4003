/* map.c - side tables keyed by a node's id: pages of ids, found through an open-addressing
 * directory. Two entries 10^9 ids apart cost two pages.
 *
 *   dir: [ 976562 | . | . | 3 | 4 ]      a map's page: 1,024 presence bits, 1,024 values
 *             |             |   |        a set's page: 8,192 bits
 *           page          page page
 */
#include "base/base.h"

static void enter(uopi_dir_entry *at, size_t cap, uopi_dir_entry e) {
  size_t i = (size_t)e.number & (cap - 1);
  while (at[i].page) i = (i + 1) & (cap - 1);
  at[i] = e;
}

static bool grow(uopi_dir *d, const uopi_mem *m) {
  size_t cap = d->cap ? d->cap * 2 : 4;
  if (cap > SIZE_MAX / sizeof *d->at) return false;
  uopi_dir_entry *at = uopi_realloc(m, NULL, 0, cap * sizeof *at);
  if (!at) return false;
  for (size_t i = 0; i < cap; i++) at[i] = (uopi_dir_entry){0, NULL};
  for (size_t i = 0; i < d->cap; i++)
    if (d->at[i].page) enter(at, cap, d->at[i]);
  uopi_realloc(m, d->at, d->cap * sizeof *at, 0);
  d->at = at;
  d->cap = cap;
  return true;
}

void *uopi_dir_add(uopi_dir *d, const uopi_mem *m, uint64_t number, size_t size) {
  if ((d->len + 1) * 2 > d->cap && !grow(d, m)) return NULL;
  void *page = uopi_realloc(m, NULL, 0, size);
  if (!page) return NULL;
  memset(page, 0, size);
  enter(d->at, d->cap, (uopi_dir_entry){number, page});
  d->len++;
  return page;
}

void uopi_dir_drop(uopi_dir *d, const uopi_mem *m, size_t size) {
  for (size_t i = 0; i < d->cap; i++)
    if (d->at[i].page) uopi_realloc(m, d->at[i].page, size, 0);
  uopi_realloc(m, d->at, d->cap * sizeof *d->at, 0);
  *d = (uopi_dir){NULL, 0, 0};
}

void uopi_map_init(uop_map *m, uop_ctx *ctx) { *m = (uop_map){.ctx = ctx}; }

void uopi_map_drop(uop_map *m) {
  uopi_dir_drop(&m->dir, uopi_mem_of(m->ctx), sizeof(uopi_page));
  if (m->prev) {
    *m->prev = m->next;
    if (m->next) m->next->prev = m->prev;
  }
  *m = (uop_map){.ctx = m->ctx};
}

uop_map *uop_map_new(uop_ctx *ctx) {
  if (!ctx) return NULL;
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
  if (!uopi_all_of(m->ctx, &key, 1)) return false;
  uint64_t *v = uopi_map_put(m, key->id, &fresh);
  if (!v) return uopi_no_memory(m->ctx), false;
  *v = value;
  return true;
}

bool uop_map_get(const uop_map *m, const uop *key, uint64_t *value) {
  const uint64_t *v = uop_ctx_of(key) == m->ctx ? uopi_map_find(m, key->id) : NULL;
  if (v) *value = *v;
  return v != NULL;
}

void uop_map_remove(uop_map *m, const uop *key) {
  if (uop_ctx_of(key) != m->ctx) return;
  uopi_page *p = uopi_dir_find(&m->dir, key->id >> UOPI_PAGE_BITS);
  uint32_t k = (uint32_t)(key->id & (UOPI_PAGE_IDS - 1));
  uint64_t bit = UINT64_C(1) << (k % 64);
  if (!p || !(p->present[k / 64] & bit)) return;
  p->present[k / 64] &= ~bit;
  m->len--;
}

size_t uop_map_len(const uop_map *m) { return m->len; }

size_t uop_map_bytes(const uop_map *m) {
  return sizeof *m + m->dir.cap * sizeof *m->dir.at + m->dir.len * sizeof(uopi_page);
}

bool uop_map_set_node(uop_map *m, const uop *key, const uop *value) {
  return uop_map_set(m, key, (uint64_t)(uintptr_t)value);
}

const uop *uop_map_get_node(const uop_map *m, const uop *key) {
  uint64_t v;
  return uop_map_get(m, key, &v) ? (const uop *)(uintptr_t)v : NULL;
}
