/* move.c - EXPAND, PERMUTE, SHRINK: each element of the result is copied from one of the source.
 * The op says how far apart in the source neighbours along each axis of the result lie, and where
 * the first one is; after that all three are the same walk. */
#include "plain/eval.h"

typedef struct view {
  int64_t stride[UOP_MAX_RANK]; /* in elements of the source, by axis of the result */
  int64_t first;
} view;

/* The strides of a row-major array without empty axes. */
static void row_major(const uop_tuple *shape, int64_t *stride) {
  int64_t n = 1;
  for (uint32_t i = shape->len; i-- > 0;) {
    stride[i] = n;
    n *= shape->at[i];
  }
}

static view view_of(const uop *u) {
  view v = {{0}, 0};
  int64_t from[UOP_MAX_RANK];
  const uop_tuple *shape = u->src[0]->shape;
  row_major(shape, from);
  for (uint32_t i = 0; i < shape->len; i++) {
    if (u->op == UOP_PERMUTE) {
      v.stride[i] = from[u->arg.tuple->at[i]];
    } else if (u->op == UOP_SHRINK) {
      v.stride[i] = from[i];
      v.first += u->arg.tuple->at[2 * i] * from[i];
    } else { /* EXPAND: an axis of one element stays where it is */
      v.stride[i] = shape->at[i] == 1 ? 0 : from[i];
    }
  }
  return v;
}

/* One run along the last axis. */
static void copy_row(size_t size, char *out, const char *in, int64_t n, int64_t stride) {
  if (stride == 1) {
    memcpy(out, in, (size_t)n * size);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    memcpy(out + (size_t)i * size, in + (size_t)(i * stride) * size, size);
}

void plain_eval_move(const uop *u, const void *in, void *out) {
  const uop_tuple *shape = u->shape;
  size_t size = uop_dtype_size((uop_dtype)u->dtype);
  if (uopi_count(shape->at, shape->len) == 0) return;
  if (shape->len == 0) {
    memcpy(out, in, size);
    return;
  }
  view v = view_of(u);
  uint32_t last = shape->len - 1;
  int64_t n = shape->at[last], rows = uopi_count(shape->at, last), at[UOP_MAX_RANK] = {0};
  int64_t from = v.first;
  char *to = out;
  for (int64_t row = 0; row < rows; row++, to += (size_t)n * size) {
    copy_row(size, to, (const char *)in + (size_t)from * size, n, v.stride[last]);
    for (uint32_t i = last; i-- > 0;) { /* the next row: count up, the last axis fastest */
      from += v.stride[i];
      if (++at[i] < shape->at[i]) break;
      from -= v.stride[i] * shape->at[i];
      at[i] = 0;
    }
  }
}
