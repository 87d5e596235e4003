/* value_print.c - a value as text, laid out as numpy lays out an array.
 *
 *   rank 0, 1   on one line: 25, [1.0, 2.0]
 *   rank 2      a row a line, the elements of all rows right-aligned to one width
 *   rank 3, …   blocks of rows, between them an empty line for each further axis
 *
 *   [[ 1.0,  2.0],     Lines after the first begin under the first bracket, with which the text
 *    [10.0, 20.0]]     begins; there are no other blanks at an end of a line.
 *
 * A shortened axis has `...` in its middle: an element among elements, a line of its own among
 * rows. What is not shortened reads back with uop_value_parse(), blanks and all.
 */
#include "alu/alu.h"
#include "base/decimal.h"
#include "eval/reader.h"
#include "eval/value.h"

enum { SHORT_OVER = 1000, SHORT_AXIS = 6, SHORT_SHOWN = 3 };

typedef struct printer {
  uopi_buf b;
  const uop_value *v;
  const int64_t *stride;
  bool cut;      /* long axes are shortened */
  size_t indent; /* columns before the first bracket */
  size_t width;  /* of the widest element that is shown; 0: elements are not aligned */
} printer;

/* ---- elements ---- */

static char *put_word(char *p, const char *s) {
  size_t n = strlen(s);
  memcpy(p, s, n);
  return p + n;
}

char *uopi_format_element(char *p, uop_dtype d, const void *data, int64_t i) {
  switch (d) {
  case UOP_BOOL: return put_word(p, ((const _Bool *)data)[i] ? "true" : "false");
  case UOP_I32: {
    int64_t v = ((const int32_t *)data)[i];
    if (v < 0) *p++ = '-';
    return uopi_format_u64(p, (uint64_t)(v < 0 ? -v : v));
  }
  case UOP_F32: return uopi_format_f32(p, ((const float *)data)[i]);
  case UOP_F16: return uopi_format_f32(p, cast_f16_f32(((const uint16_t *)data)[i]));
  default: return put_word(p, "void");
  }
}

static size_t format(const printer *p, int64_t at, char s[UOPI_ELEMENT_CHARS]) {
  return (size_t)(uopi_format_element(s, p->v->dtype, p->v->data, at) - s);
}

static void put_blanks(uopi_buf *b, size_t n) {
  char *to = uopi_buf_room(b, n);
  if (!to) return;
  memset(to, ' ', n);
  b->len += n;
}

static void put_element(printer *p, int64_t at) {
  char s[UOPI_ELEMENT_CHARS];
  size_t n = format(p, at, s);
  if (n < p->width) put_blanks(&p->b, p->width - n);
  uopi_put(&p->b, s, n);
}

/* ---- axes; both walks are as deep as the rank ---- */

/* Whether axes are cut: there is too much to print. Brackets count as elements do, since an empty
 * array can have 2^31 of them; those are cut even when all is asked for, as nothing is lost. */
static bool is_long(const uop_value *v, bool full) {
  if (full && v->count) return false;
  int64_t brackets = 1;
  for (uint32_t i = 0; i < v->rank && brackets <= SHORT_OVER && v->dims[i]; i++) {
    if (v->dims[i] > SHORT_OVER) return true;
    brackets *= v->dims[i];
  }
  return brackets > SHORT_OVER;
}

/* Whether the axis, of n, is cut before its i-th. */
static bool is_cut(const printer *p, int64_t n, int64_t i) {
  return p->cut && n > SHORT_AXIS && i == SHORT_SHOWN;
}

static size_t widest(const printer *p, uint32_t axis, int64_t at) {
  char s[UOPI_ELEMENT_CHARS];
  if (axis == p->v->rank) return format(p, at, s);
  size_t most = 0;
  int64_t n = p->v->dims[axis];
  for (int64_t i = 0; i < n; i++) {
    if (is_cut(p, n, i)) i = n - SHORT_SHOWN;
    size_t width = widest(p, axis + 1, at + i * p->stride[axis]);
    if (width > most) most = width;
  }
  return most;
}

static void put_between(printer *p, uint32_t axis) {
  uint32_t lines = p->v->rank - 1 - axis;
  uopi_putc(&p->b, ',');
  for (uint32_t i = 0; i < lines; i++) uopi_putc(&p->b, '\n');
  put_blanks(&p->b, lines ? p->indent + axis + 1 : 1);
}

/* Prints `axis` and those below it; `at` is its first element. */
static void put_axis(printer *p, uint32_t axis, int64_t at) {
  if (axis == p->v->rank) {
    put_element(p, at);
    return;
  }
  int64_t n = p->v->dims[axis];
  uopi_putc(&p->b, '[');
  for (int64_t i = 0; i < n && !p->b.failed; i++) {
    if (i) put_between(p, axis);
    if (is_cut(p, n, i)) {
      uopi_puts(&p->b, "...");
      put_between(p, axis);
      i = n - SHORT_SHOWN;
    }
    put_axis(p, axis + 1, at + i * p->stride[axis]);
  }
  uopi_putc(&p->b, ']');
}

char *uop_value_print(uop_ctx *ctx, const uop_value *v, bool full, uint32_t indent) {
  if (!v) return NULL;
  int64_t row_major[UOP_MAX_RANK];
  printer p = {.b = {uopi_mem_of(ctx), NULL, 0, 0, false},
               .v = v,
               .stride = v->strides,
               .cut = is_long(v, full),
               .indent = indent};
  if (!p.stride || v->count == 0) { /* of no elements, strides may be anything */
    uopi_row_major(v->dims, v->rank, row_major);
    p.stride = row_major;
  }
  if (v->rank > 1) p.width = widest(&p, 0, 0);
  put_axis(&p, 0, 0);
  return uopi_buf_give(&p.b, ctx, NULL);
}
