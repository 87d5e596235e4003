/* map.c - side tables keyed by a node's id: pages of ids, found through an open-addressing
 * directory. Two entries 10^9 ids apart cost two pages.
 *
 *   dir: [ 3 | . | . | 976562 | . | 4 | . ]      a page: 1,024 presence bits, 1,024 values
 *          |           |            |
 *         page        page         page
 */
#include "base/base.h"

static void enter(uopi_dir *d, uopi_dir_entry e) {
  size_t i = uopi_dir_home(d, e.number);
  while (d->at[i].page) i = (i + 1) & (d->cap - 1);
  d->at[i] = e;
}

static bool grow(uopi_dir *d, const uopi_mem *m) {
  uopi_dir old = *d, new = *d;
  new.cap = old.cap ? old.cap * 2 : 4;
  new.shift = old.cap ? old.shift - 1 : 62;
  if (new.cap > SIZE_MAX / sizeof *new.at) return false;
  new.at = uopi_realloc(m, NULL, 0, new.cap * sizeof *new.at);
  if (!new.at) return false;
  for (size_t i = 0; i < new.cap; i++) new.at[i] = (uopi_dir_entry){0, NULL};
  for (size_t i = 0; i < old.cap; i++)
    if (old.at[i].page) enter(&new, old.at[i]);
  uopi_realloc(m, old.at, old.cap * sizeof *old.at, 0);
  *d = new;
  return true;
}

/* Half as many pages as there are so far: little is wasted where there are few. Where these are
 * many, whole huge pages. */
static bool more_pages(uopi_dir *d, const uopi_mem *m, size_t page) {
  size_t n = d->len / 2 + 1, size = sizeof(uopi_pages) + n * page;
  if (size >= UOPI_HUGE_PAGE / 8) {
    size = (size + UOPI_HUGE_PAGE - 1) & ~(size_t)(UOPI_HUGE_PAGE - 1);
    n = (size - sizeof(uopi_pages)) / page;
  }
  uopi_pages *b = uopi_realloc(m, NULL, 0, size);
  if (!b) return false;
  *b = (uopi_pages){d->blocks, size};
  d->blocks = b;
  d->left = n;
  d->bytes += size;
  return true;
}

void *uopi_dir_add(uopi_dir *d, const uopi_mem *m, uint64_t number, size_t size) {
  if ((d->len + 1) * 2 > d->cap && !grow(d, m)) return NULL;
  if (!d->left && !more_pages(d, m, size)) return NULL;
  char *end = (char *)d->blocks + d->blocks->size;
  void *page = memset(end - d->left-- * size, 0, size);
  enter(d, (uopi_dir_entry){number, page});
  d->len++;
  return page;
}

void uopi_dir_drop(uopi_dir *d, const uopi_mem *m) {
  for (uopi_pages *b = d->blocks, *next; b; b = next) {
    next = b->next;
    uopi_realloc(m, b, b->size, 0);
  }
  uopi_realloc(m, d->at, d->cap * sizeof *d->at, 0);
  *d = (uopi_dir){0};
}

void uopi_map_init(uop_map *m, uop_ctx *ctx) { *m = (uop_map){.ctx = ctx}; }

void uopi_map_drop(uop_map *m) {
  uopi_dir_drop(&m->dir, uopi_mem_of(m->ctx));
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
  return sizeof *m + m->dir.cap * sizeof *m->dir.at + m->dir.bytes;
}

bool uop_map_set_node(uop_map *m, const uop *key, const uop *value) {
  return uop_map_set(m, key, (uint64_t)(uintptr_t)value);
}

const uop *uop_map_get_node(const uop_map *m, const uop *key) {
  uint64_t v;
  return uop_map_get(m, key, &v) ? (const uop *)(uintptr_t)v : NULL;
}
