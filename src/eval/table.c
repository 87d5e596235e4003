/* table.c - a run's small tables: number -> cell. See eval.h. */
#include "eval/eval.h"

enum { FIRST = 8, KEPT = 64 };

/* Numbers that follow each other are looked up one after the other: eight neighbours share two
 * cache lines, and multiples of the golden ratio spread those groups evenly (Fibonacci hashing). */
static size_t home(const uopi_cells *m, uint64_t number) {
  uint64_t group = (number >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
  return (size_t)(group * (m->cap >> 3) >> 32) << 3 | (size_t)(number & 7);
}

static uopi_entry *probe(const uopi_cells *m, uint64_t number) {
  size_t i = home(m, number);
  while (m->at[i].key && m->at[i].key != number + 1) i = (i + 1) & (m->cap - 1);
  return &m->at[i];
}

uopi_cell *uopi_cells_find(const uopi_cells *m, uint64_t number) {
  if (!m->cap) return NULL;
  uopi_entry *e = probe(m, number);
  return e->key ? &e->cell : NULL;
}

static bool grow(uop_run *r, uopi_cells *m, const uop *u) {
  if (m->cap > SIZE_MAX / 2 / sizeof(uopi_entry)) return uopi_run_no_memory(r, u);
  uopi_cells old = *m, new = {NULL, m->cap ? m->cap * 2 : FIRST, m->len};
  size_t size = new.cap * sizeof *new.at;
  if (!(new.at = uopi_run_realloc(r, u, NULL, 0, size))) return false;
  memset(new.at, 0, size);
  for (size_t i = 0; i < old.cap; i++)
    if (old.at[i].key) *probe(&new, old.at[i].key - 1) = old.at[i];
  *m = new;
  uopi_run_realloc(r, u, old.at, old.cap * sizeof *old.at, 0);
  return true;
}

bool uopi_cells_put(uop_run *r, uopi_cells *m, const uop *u, uint64_t number, uopi_cell c) {
  if (m->len >= m->cap / 4 * 3 && !grow(r, m, u)) return false;
  *probe(m, number) = (uopi_entry){number + 1, c};
  m->len++;
  return true;
}

void uopi_cells_clear(uop_run *r, uopi_cells *m) {
  if (m->cap > KEPT) uopi_cells_drop(r, m);
  for (size_t i = 0; m->len && i < m->cap; i++) m->at[i].key = 0;
  m->len = 0;
}

void uopi_cells_drop(uop_run *r, uopi_cells *m) {
  uopi_run_realloc(r, NULL, m->at, m->cap * sizeof *m->at, 0);
  *m = (uopi_cells){NULL, 0, 0};
}
