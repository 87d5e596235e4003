/* reader.h - reads the elements of an array in flat (row-major) order, whatever its strides. */
#ifndef UOP_READER_H
#define UOP_READER_H

#include "base/base.h"

/* Axes that lie evenly behind one another are one. */
typedef struct uopi_reader {
  const char *data;
  uint32_t size, rank; /* bytes of an element; at least one axis */
  const int64_t *dim, *stride;
} uopi_reader;

/* `room` is where its axes will be: two numbers an axis, and two at least. */
#define UOPI_READER_ROOM (2 * UOP_MAX_RANK)
uopi_reader uopi_reader_of(int64_t *room, const int64_t *dim, const int64_t *stride, size_t rank,
                           size_t size, const void *data);
uopi_reader uopi_reader_of_value(int64_t *room, const uop_value *v);

/* n elements from number `first` on, side by side. */
void uopi_read(const uopi_reader *r, int64_t first, int64_t n, void *out);
/* Where number `first` is. */
const char *uopi_reader_at(const uopi_reader *r, int64_t first);

/* The strides of an array without gaps. Of an empty one all are 0: its other axes could be of any
 * size. */
void uopi_row_major(const int64_t *dim, size_t rank, int64_t *stride);

/* Axes without those of one element, and those that lie evenly behind one another as one: their
 * number; `to` and `to_stride` have room for `rank`. */
uint32_t uopi_merge_axes(const int64_t *dim, const int64_t *stride, uint32_t rank, int64_t *to,
                         int64_t *to_stride);

#endif
