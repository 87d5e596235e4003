/* store.c - what a run holds, and what it may: budgets, blocks, memos. See eval.h. */
#include "plain/eval.h"

/* ---- budgets ---- */

static int64_t shown(uint64_t v) { return v > INT64_MAX ? INT64_MAX : (int64_t)v; }

static bool over(plain_run *r, const uop *u, uint64_t budget, const char *unit, uint64_t more,
                 uint64_t used) {
  uopi_error(r->ctx, UOP_E_BUDGET, u ? u->op : -1, -1,
             "the budget of %l %s (max_%s) is used up: %s needs %l more, %l are used",
             shown(budget), unit, unit, u ? uop_op_find((uop_op)u->op)->name : "an input",
             shown(more), shown(used));
  return plain_run_failed(r, u);
}

bool plain_charge_steps(plain_run *r, const uop *u, int64_t steps) {
  uint64_t n = steps < 1 ? 1 : (uint64_t)steps; /* else empty arrays would cost nothing, ever */
  if (n > r->max_steps - r->stats.steps)
    return over(r, u, r->max_steps, "steps", n, r->stats.steps);
  r->stats.steps += n;
  return true;
}

static uint64_t counted(uint64_t values, uint64_t books) {
  return values + (books > UOPI_FREE_BOOKS ? books - UOPI_FREE_BOOKS : 0);
}

bool plain_charge_bytes(plain_run *r, const uop *u, size_t values, size_t books) {
  uint64_t now = counted(r->values, r->books);
  uint64_t then = counted(r->values + values, r->books + books);
  if (then > r->max_bytes && then > now) return over(r, u, r->max_bytes, "bytes", then - now, now);
  r->values += values;
  r->books += books;
  r->stats.bytes = then;
  if (then > r->stats.peak_bytes) r->stats.peak_bytes = then;
  return true;
}

void plain_discharge(plain_run *r, size_t values, size_t books) {
  r->values -= values;
  r->books -= books;
  r->stats.bytes = counted(r->values, r->books);
}

bool plain_run_failed(plain_run *r, const uop *u) {
  if (u) uopi_error_node(r->ctx, u);
  return false;
}

bool plain_run_no_memory(plain_run *r, const uop *u) {
  uopi_no_memory(r->ctx);
  return plain_run_failed(r, u);
}

/* ---- blocks ---- */

_Static_assert(sizeof(plain_block) % sizeof(uint64_t) == 0, "a block's bytes are aligned");

static plain_block *block_new(plain_run *r, const uop *u, size_t size, const void *data) {
  if (size > SIZE_MAX - sizeof(plain_block)) { /* a 32-bit machine cannot hold it */
    plain_run_no_memory(r, u);
    return NULL;
  }
  if (!plain_charge_bytes(r, u, size, sizeof(plain_block))) return NULL;
  plain_block *b = uopi_realloc(uopi_mem_of(r->ctx), NULL, 0, sizeof *b + size);
  if (!b) {
    plain_discharge(r, size, sizeof *b);
    plain_run_no_memory(r, u);
    return NULL;
  }
  b->refs = 1;
  b->size = size;
  b->data = data ? data : b + 1;
  return b;
}

plain_block *plain_block_new(plain_run *r, const uop *u, size_t size) {
  return block_new(r, u, size, NULL);
}

plain_block *plain_block_borrow(plain_run *r, const uop *u, const void *data) {
  return block_new(r, u, 0, data);
}

void plain_block_release(plain_run *r, plain_block *b) {
  if (--b->refs) return;
  plain_discharge(r, b->size, sizeof *b);
  uopi_realloc(uopi_mem_of(r->ctx), b, sizeof *b + b->size, 0);
}

void *plain_room(plain_run *r, const uop *u, plain_cell *c) {
  memset(c, 0, sizeof *c);
  if (!plain_in_block(u)) return c->raw;
  uint64_t size =
      (uint64_t)uopi_count(u->shape->at, u->shape->len) * uop_dtype_size((uop_dtype)u->dtype);
  if (size > SIZE_MAX) {
    plain_run_no_memory(r, u);
    return NULL;
  }
  c->block = plain_block_new(r, u, (size_t)size);
  return c->block ? plain_block_bytes(c->block) : NULL;
}

/* ---- memos ---- */

enum { MEMO_FIRST = 8 };

/* Ids that follow each other are looked up one after the other: eight neighbours share two cache
 * lines, and multiples of the golden ratio spread those groups evenly (Fibonacci hashing). */
static size_t home(const plain_cells *m, uint64_t id) {
  uint64_t group = (id >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
  return (size_t)(group * (m->cap >> 3) >> 32) << 3 | (size_t)(id & 7);
}

static plain_entry *probe(const plain_cells *m, uint64_t id) {
  size_t i = home(m, id);
  while (m->at[i].key && m->at[i].key >> 1 != id + 1) i = (i + 1) & (m->cap - 1);
  return &m->at[i];
}

plain_cell *plain_cells_find(const plain_cells *m, uint64_t id) {
  if (!m->cap) return NULL;
  plain_entry *e = probe(m, id);
  return e->key ? &e->cell : NULL;
}

static bool memo_grow(plain_run *r, plain_cells *m, const uop *u) {
  if (m->cap > SIZE_MAX / 2 / sizeof(plain_entry)) return plain_run_no_memory(r, u);
  plain_cells old = *m, new = {NULL, m->cap ? m->cap * 2 : MEMO_FIRST, m->len};
  size_t size = new.cap * sizeof *new.at;
  if (!plain_charge_bytes(r, u, 0, size)) return false;
  new.at = uopi_realloc(uopi_mem_of(r->ctx), NULL, 0, size);
  if (!new.at) {
    plain_discharge(r, 0, size);
    return plain_run_no_memory(r, u);
  }
  memset(new.at, 0, size);
  for (size_t i = 0; i < old.cap; i++)
    if (old.at[i].key) *probe(&new, (old.at[i].key >> 1) - 1) = old.at[i];
  *m = new;
  plain_discharge(r, 0, old.cap * sizeof *old.at);
  uopi_realloc(uopi_mem_of(r->ctx), old.at, old.cap * sizeof *old.at, 0);
  return true;
}

bool plain_cells_put(plain_run *r, plain_cells *m, const uop *u, uint64_t id, plain_cell c, bool block) {
  if (m->len >= m->cap / 4 * 3 && !memo_grow(r, m, u)) return false;
  *probe(m, id) = (plain_entry){(id + 1) << 1 | block, c};
  m->len++;
  return true;
}

void plain_cells_drop(plain_run *r, plain_cells *m) {
  for (size_t i = 0; i < m->cap; i++)
    if (m->at[i].key & 1) plain_block_release(r, m->at[i].cell.block);
  plain_discharge(r, 0, m->cap * sizeof *m->at);
  uopi_realloc(uopi_mem_of(r->ctx), m->at, m->cap * sizeof *m->at, 0);
  *m = (plain_cells){NULL, 0, 0};
}
