/* reader.c - elements in flat order, whatever the strides. See reader.h. */
#include "eval/reader.h"

#include "eval/value.h"

void uopi_row_major(const int64_t *dim, size_t rank, int64_t *stride) {
  int64_t n = uopi_count(dim, rank) != 0;
  for (size_t i = rank; i-- > 0;) {
    stride[i] = n;
    n *= dim[i];
  }
}

uint32_t uopi_merge_axes(const int64_t *dim, const int64_t *stride, uint32_t rank, int64_t *to,
                         int64_t *to_stride) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < rank; i++) {
    if (dim[i] == 1) continue;
    if (n && to_stride[n - 1] == stride[i] * dim[i]) {
      to[n - 1] *= dim[i];
      to_stride[n - 1] = stride[i];
    } else {
      to[n] = dim[i];
      to_stride[n++] = stride[i];
    }
  }
  return n;
}

uopi_reader uopi_reader_of(int64_t *room, const int64_t *dim, const int64_t *stride, size_t rank,
                           size_t size, const void *data) {
  int64_t *to_stride = room + (rank ? rank : 1);
  uint32_t n = 0;
  if (uopi_count(dim, rank)) n = uopi_merge_axes(dim, stride, (uint32_t)rank, room, to_stride);
  if (n == 0) { /* one element, or none */
    n = 1;
    room[0] = 1;
    to_stride[0] = 0;
  }
  return (uopi_reader){
      .data = data, .size = (uint32_t)size, .rank = n, .dim = room, .stride = to_stride};
}

#define GATHER(T)                                              \
  do {                                                         \
    const T *x = (const T *)(const void *)in, first = *x;      \
    T *to = out;                                               \
    if (stride == 0)                                           \
      for (int64_t i = 0; i < n; i++) to[i] = first;           \
    else                                                       \
      for (int64_t i = 0; i < n; i++, x += stride) to[i] = *x; \
    return;                                                    \
  } while (0)

/* n elements along one axis. */
static void read_run(const char *in, int64_t stride, int64_t n, uint32_t size, void *out) {
  if (stride == 1) {
    memcpy(out, in, (size_t)n * size);
    return;
  }
  if (size == 4) GATHER(uint32_t);
  if (size == 2) GATHER(uint16_t);
  GATHER(uint8_t);
}

/* The indices of element `first`, and how far it is from the first one. */
static int64_t locate(const uopi_reader *r, int64_t first, int64_t *at) {
  int64_t from = 0;
  for (uint32_t i = r->rank; i-- > 0;) {
    at[i] = first % r->dim[i];
    first /= r->dim[i];
    from += at[i] * r->stride[i];
  }
  return from;
}

const char *uopi_reader_at(const uopi_reader *r, int64_t first) {
  int64_t at[UOP_MAX_RANK];
  return r->data + locate(r, first, at) * (int64_t)r->size;
}

void uopi_read(const uopi_reader *r, int64_t first, int64_t n, void *out) {
  int64_t at[UOP_MAX_RANK];
  uint32_t last = r->rank - 1;
  if (n == 0 || r->size == 0) return; /* an effect has no data */
  int64_t from = locate(r, first, at);
  for (char *to = out;;) {
    int64_t run = r->dim[last] - at[last];
    if (run > n) run = n;
    read_run(r->data + from * (int64_t)r->size, r->stride[last], run, r->size, to);
    if ((n -= run) == 0) return;
    to += (size_t)run * r->size;
    from -= at[last] * r->stride[last]; /* to the next row: count up, the last axis fastest */
    at[last] = 0;
    for (uint32_t i = last; i-- > 0;) {
      from += r->stride[i];
      if (++at[i] < r->dim[i]) break;
      from -= r->stride[i] * r->dim[i];
      at[i] = 0;
    }
  }
}

uopi_reader uopi_reader_of_value(int64_t *room, const uop_value *v) {
  int64_t row_major[UOP_MAX_RANK];
  uopi_row_major(v->dims, v->rank, row_major);
  return uopi_reader_of(room, v->dims, v->strides ? v->strides : row_major, v->rank,
                        uop_dtype_size(v->dtype), v->data);
}
