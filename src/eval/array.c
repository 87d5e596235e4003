/* array.c - arrays and the views of them. A movement op gives its source's elements other strides;
 * only a RESHAPE can ask for an order that no strides give, and then copies. */
#include "eval/eval.h"

enum { ALIGNED = 64 }; /* elements begin at a multiple: a cache line, the widest vector */

static size_t header_size(uint32_t rank, bool elements) {
  size_t n = sizeof(uopi_array) + rank * sizeof(int64_t);
  return elements ? (n + ALIGNED - 1) & ~(size_t)(ALIGNED - 1) : n;
}

/* ---- the pool ---- */

static void pool_take(uop_run *r, size_t i) { /* closes the gap */
  uopi_discharge(r, 0, r->pool[i]->own);
  for (; i + 1 < UOPI_POOL; i++) r->pool[i] = r->pool[i + 1];
  r->pool[UOPI_POOL - 1] = NULL;
}

static void pool_free_first(uop_run *r) {
  uopi_array *a = r->pool[0];
  pool_take(r, 0);
  uopi_realloc(uopi_mem_of(r->ctx), a, a->own, 0);
}

void uopi_pool_drop(uop_run *r) {
  while (r->pool[0]) pool_free_first(r);
}

/* An array of exactly that many bytes, or NULL. */
static uopi_array *pool_find(uop_run *r, size_t own) {
  for (size_t i = 0; own >= UOPI_POOL_LEAST && i < UOPI_POOL && r->pool[i]; i++) {
    uopi_array *a = r->pool[i];
    if (a->own != own) continue;
    pool_take(r, i);
    return a;
  }
  return NULL;
}

/* False: it is to be freed. */
static bool pool_put(uop_run *r, uopi_array *a) {
  if (a->own < UOPI_POOL_LEAST || a->own > UOPI_POOL_MOST / UOPI_POOL) return false;
  if (r->pool[UOPI_POOL - 1]) pool_free_first(r);
  size_t n = 0;
  while (r->pool[n]) n++;
  if (!uopi_has_room(r, a->own)) return false;
  uopi_charge_bytes(r, NULL, 0, a->own);
  r->pool[n] = a;
  return true;
}

/* ---- arrays ---- */

static uopi_array *array_alloc(uop_run *r, const uop *u, uop_dtype d, uint32_t rank, size_t header,
                               size_t elements) {
  if (elements > SIZE_MAX - header) { /* a 32-bit machine cannot hold it */
    uopi_run_no_memory(r, u);
    return NULL;
  }
  uopi_array *a = pool_find(r, header + elements);
  if (!uopi_charge_bytes(r, u, elements, header)) {
    if (a) uopi_realloc(uopi_mem_of(r->ctx), a, a->own, 0);
    return NULL;
  }
  if (!a) a = uopi_realloc(uopi_mem_of(r->ctx), NULL, 0, header + elements);
  if (!a) {
    uopi_discharge(r, elements, header);
    uopi_run_no_memory(r, u);
    return NULL;
  }
  *a = (uopi_array){.refs = 1,
                    .rank = (uint8_t)rank,
                    .row_major = true,
                    .canonical = d != UOP_F32 && d != UOP_F16,
                    .size = (uint8_t)uop_dtype_size(d),
                    .own = header + elements,
                    .data = (char *)a + header};
  return a;
}

static uopi_array *own_new(uop_run *r, const uop *u, uop_dtype d, const int64_t *dim,
                           uint32_t rank) {
  uint64_t size = (uint64_t)uopi_count(dim, rank) * uop_dtype_size(d);
  if (size > SIZE_MAX / 2) {
    uopi_run_no_memory(r, u);
    return NULL;
  }
  uopi_array *a = array_alloc(r, u, d, rank, header_size(rank, true), (size_t)size);
  if (a) uopi_row_major(dim, rank, a->stride);
  return a;
}

uopi_array *uopi_array_new(uop_run *r, const uop *u) {
  return own_new(r, u, (uop_dtype)u->dtype, u->shape->at, u->shape->len);
}

uopi_array *uopi_array_copy(uop_run *r, const uop_value *v) {
  uopi_array *a = own_new(r, NULL, v->dtype, v->dims, v->rank);
  if (!a || v->count == 0) return a;
  int64_t room[UOPI_READER_ROOM];
  uopi_reader in =
      uopi_reader_of(room, v->dims, v->strides ? v->strides : a->stride, v->rank, a->size, v->data);
  uopi_read(&in, 0, v->count, uopi_array_data(a));
  return a;
}

static bool is_row_major(const uopi_array *a, const int64_t *dim) {
  int64_t n = 1;
  if (uopi_count(dim, a->rank) == 0) return true;
  for (uint32_t i = a->rank; i-- > 0;) {
    if (dim[i] != 1 && a->stride[i] != n) return false;
    n *= dim[i];
  }
  return true;
}

static uopi_array *view_new(uop_run *r, const uop *u, const void *data) {
  uopi_array *a =
      array_alloc(r, u, (uop_dtype)u->dtype, u->shape->len, header_size(u->shape->len, false), 0);
  if (a) a->data = data;
  return a;
}

uopi_array *uopi_array_borrow(uop_run *r, const uop *u, const void *data, const int64_t *stride) {
  uopi_array *a = view_new(r, u, data);
  if (!a) return NULL;
  if (uopi_count_of(u) == 0) stride = NULL; /* of no elements, they may be anything */
  uopi_row_major(u->shape->at, a->rank, a->stride);
  for (uint32_t i = 0; stride && i < a->rank; i++) a->stride[i] = stride[i];
  a->row_major = is_row_major(a, u->shape->at);
  return a;
}

void uopi_array_release(uop_run *r, uopi_array *a) {
  while (a && --a->refs == 0) {
    uopi_array *base = a->base;
    size_t header = header_size(a->rank, false);
    if (a->own != header) header = header_size(a->rank, true);
    uopi_discharge(r, a->own - header, header);
    if (!pool_put(r, a)) uopi_realloc(uopi_mem_of(r->ctx), a, a->own, 0);
    a = base;
  }
}

/* ---- views ---- */

/* A view of `from`, `at` elements on; its strides are the caller's to set, then view_end. */
static uopi_array *view_begin(uop_run *r, const uop *u, uopi_array *from, int64_t at) {
  uopi_array *a = view_new(r, u, at ? from->data + at * from->size : from->data); /* NULL + 0 */
  if (!a) return NULL;
  a->canonical = from->canonical;
  a->base = from->base ? from->base : from;
  a->base->refs++;
  return a;
}

static uopi_array *view_end(uopi_array *a, const uop *u) {
  a->row_major = is_row_major(a, u->shape->at);
  return a;
}

/* Strides that lay `dim` over the merged axes; false where some axis would bend. */
static bool split_axes(const int64_t *merged, const int64_t *merged_stride, uint32_t n,
                       const uop_tuple *shape, int64_t *stride) {
  uint32_t k = n;
  int64_t room = 1, step = 1; /* of the merged axis: what is not laid out yet, and its stride */
  for (uint32_t i = shape->len; i-- > 0;) {
    stride[i] = step;
    if (shape->at[i] == 1) continue;
    if (room == 1) {
      k--; /* there is one: the counts are equal */
      room = merged[k];
      step = stride[i] = merged_stride[k];
    }
    if (room % shape->at[i] && !UOPI_FAULT(20)) return false;
    room /= shape->at[i];
    step *= shape->at[i];
  }
  return true;
}

static uopi_array *copied(uop_run *r, const uop *u, const uop *x, const uopi_array *from) {
  uopi_array *a = uopi_array_new(r, u);
  if (!a) return NULL;
  int64_t n = uopi_count_of(u);
  int64_t room[UOPI_READER_ROOM];
  uopi_reader in =
      uopi_reader_of(room, x->shape->at, from->stride, x->shape->len, from->size, from->data);
  a->canonical = from->canonical;
  for (int64_t i = 0, k; i < n; i += k) {
    k = n - i < UOPI_BLOCK ? n - i : UOPI_BLOCK;
    uopi_read(&in, i, k, (char *)uopi_array_data(a) + i * from->size);
    if (!uopi_poll(r, u, (size_t)k)) {
      uopi_array_release(r, a);
      return NULL;
    }
  }
  return a;
}

static uopi_array *reshape(uop_run *r, const uop *u, uopi_array *from) {
  const uop *x = u->src[0];
  int64_t dim[UOP_MAX_RANK], step[UOP_MAX_RANK], stride[UOP_MAX_RANK];
  if (!from->row_major) {
    uint32_t n = uopi_merge_axes(x->shape->at, from->stride, from->rank, dim, step);
    if (!split_axes(dim, step, n, u->shape, stride))
      return uopi_charge_steps(r, u, uopi_count_of(u)) ? copied(r, u, x, from) : NULL;
  }
  uopi_array *a = view_begin(r, u, from, 0);
  if (!a) return NULL;
  if (from->row_major)
    uopi_row_major(u->shape->at, a->rank, a->stride);
  else
    memcpy(a->stride, stride, a->rank * sizeof *stride);
  return view_end(a, u);
}

uopi_array *uopi_array_move(uop_run *r, const uop *u, uopi_array *from) {
  if (u->op == UOP_RESHAPE) return reshape(r, u, from);
  int64_t at = 0;
  if (u->op == UOP_SHRINK && uopi_count_of(u)) /* of nothing: there may be no such element */
    for (uint32_t i = 0; i < from->rank; i++) at += u->arg.tuple->at[2 * i] * from->stride[i];
  uopi_array *a = view_begin(r, u, from, at);
  if (!a) return NULL;
  for (uint32_t i = 0; i < a->rank; i++) {
    bool stays = u->op == UOP_EXPAND && u->src[0]->shape->at[i] == 1;
    a->stride[i] = stays ? 0 : from->stride[u->op == UOP_PERMUTE ? u->arg.tuple->at[i] : i];
  }
  return view_end(a, u);
}

uopi_array *uopi_array_part(uop_run *r, const uop *u, uopi_array *from, int64_t at) {
  uopi_array *a = view_begin(r, u, from, at);
  if (!a) return NULL;
  for (uint32_t i = 0; i < a->rank; i++) a->stride[i] = from->stride[from->rank - a->rank + i];
  return view_end(a, u);
}
