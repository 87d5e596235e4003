/* npy.c - numpy's .npy: a magic string, a version, the length of a header that is a Python dict
 * literal with exactly the keys descr, fortran_order and shape, then the elements and nothing else.
 * (numpy.lib.format describes it.)
 *
 * Nothing in a file is believed: each read is checked against the end, and the size that the shape
 * implies against the bytes that are there, before memory is asked for. */
#include "eval/value.h"
#include "eval/reader.h"

typedef struct header {
  uop_ctx *ctx;
  const char *p, *end;
  uop_dtype dtype;
  bool swapped; /* the elements are big endian */
  bool fortran; /* the first axis varies fastest */
  int64_t dims[UOP_MAX_RANK];
  size_t rank;
  bool have_descr, have_order, have_shape;
} header;

#define NPY_ERROR(ctx, ...) (uopi_error((ctx), UOP_E_FORMAT, -1, -1, __VA_ARGS__), false)

/* ---- the header ---- */

static void skip(header *h) {
  while (h->p < h->end && (*h->p == ' ' || *h->p == '\t' || *h->p == '\n' || *h->p == '\r')) h->p++;
}

static bool accept(header *h, char c) {
  skip(h);
  if (h->p == h->end || *h->p != c) return false;
  h->p++;
  return true;
}

static bool expect(header *h, char c) {
  if (accept(h, c)) return true;
  const char what[2] = {c, 0};
  return NPY_ERROR(h->ctx, "npy: its header lacks a %q", what);
}

static bool accept_word(header *h, const char *word) {
  size_t n = strlen(word);
  skip(h);
  if ((size_t)(h->end - h->p) < n || memcmp(h->p, word, n) != 0) return false;
  h->p += n;
  return true;
}

/* A string in either kind of quotes, cut to what `s` holds: what is longer is none that we know.
 * Nor is one with a NUL in it, which must not seem to end there. */
static bool read_string(header *h, char *s, size_t cap) {
  skip(h);
  if (h->p == h->end || (*h->p != '\'' && *h->p != '"'))
    return NPY_ERROR(h->ctx, "npy: its header has no string where one is meant");
  char quote = *h->p++;
  size_t n = 0;
  for (; h->p < h->end && *h->p != quote; h->p++)
    if (n < cap - 1) s[n++] = *h->p ? *h->p : '?';
  s[n] = 0;
  if (h->p == h->end) return NPY_ERROR(h->ctx, "npy: a string in its header does not end");
  h->p++;
  return true;
}

static bool unsupported(header *h, const char *descr, char kind) {
  const char *remedy = ": save only bool, int32, float32 or float16";
  if (kind == 'i' || kind == 'u') remedy = ": save it with .astype('int32')";
  if (kind == 'f') remedy = ": save it with .astype('float32')";
  return NPY_ERROR(h->ctx, "npy: dtype %q is not supported%s", descr, remedy);
}

static bool is_big_endian(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

/* '<f4': order, kind, bytes. The order may be missing, and is then this machine's, as for '='. */
static bool read_descr(header *h) {
  char descr[48];
  skip(h);
  if (h->p < h->end && *h->p == '[')
    return NPY_ERROR(h->ctx, "npy: structured arrays are not supported: save one field");
  if (!read_string(h, descr, sizeof descr)) return false;
  const char *s = descr;
  char order = *s && strchr("<>=|", *s) ? *s++ : '=';
  if (!strcmp(s, "b1") || !strcmp(s, "?"))
    h->dtype = UOP_BOOL;
  else if (order == '|')
    return unsupported(h, descr, *s);
  else if (!strcmp(s, "i4"))
    h->dtype = UOP_I32;
  else if (!strcmp(s, "f4"))
    h->dtype = UOP_F32;
  else if (!strcmp(s, "f2"))
    h->dtype = UOP_F16;
  else
    return unsupported(h, descr, *s);
  h->swapped = order == '>' || (order == '=' && is_big_endian());
  return true;
}

static bool read_order(header *h) {
  h->fortran = accept_word(h, "True");
  return h->fortran || accept_word(h, "False") ||
         NPY_ERROR(h->ctx, "npy: fortran_order is neither True nor False");
}

static bool read_shape(header *h) {
  if (!expect(h, '(')) return false;
  while (!accept(h, ')')) {
    if (h->rank == UOP_MAX_RANK) {
      uopi_error(h->ctx, UOP_E_LIMIT, -1, -1, "npy: rank is above %d (UOP_MAX_RANK)", UOP_MAX_RANK);
      return false;
    }
    int64_t v = 0;
    const char *first = h->p;
    for (; h->p < h->end && *h->p >= '0' && *h->p <= '9'; h->p++)
      if (v <= UOP_MAX_DIM) v = v * 10 + (*h->p - '0'); /* stays beyond once it is */
    if (h->p == first) return NPY_ERROR(h->ctx, "npy: its shape is no tuple of sizes");
    if (h->p < h->end && *h->p == 'L') h->p++; /* Python 2 wrote 3L */
    h->dims[h->rank++] = v;
    if (!accept(h, ',')) {
      if (h->rank == 1) return NPY_ERROR(h->ctx, "npy: its shape is no tuple of sizes"); /* (3) */
      return expect(h, ')');
    }
  }
  return true;
}

static bool read_pair(header *h) {
  char key[48];
  if (!read_string(h, key, sizeof key) || !expect(h, ':')) return false;
  bool *have = !strcmp(key, "descr")           ? &h->have_descr
               : !strcmp(key, "fortran_order") ? &h->have_order
               : !strcmp(key, "shape")         ? &h->have_shape
                                               : NULL;
  if (!have)
    return NPY_ERROR(h->ctx, "npy: its header has a key %q, which is none of the format's", key);
  if (*have) return NPY_ERROR(h->ctx, "npy: its header has %q twice", key);
  *have = true;
  if (have == &h->have_descr) return read_descr(h);
  if (have == &h->have_order) return read_order(h);
  return read_shape(h);
}

static bool read_header(header *h) {
  if (!expect(h, '{')) return false;
  while (!accept(h, '}')) {
    if (!read_pair(h)) return false;
    if (accept(h, ',')) continue;
    if (!expect(h, '}')) return false;
    break;
  }
  skip(h);
  if (h->p != h->end) return NPY_ERROR(h->ctx, "npy: its header goes on after the '}'");
  const char *missing = !h->have_descr   ? "descr"
                        : !h->have_order ? "fortran_order"
                        : !h->have_shape ? "shape"
                                         : NULL;
  return !missing || NPY_ERROR(h->ctx, "npy: its header has no %q", missing);
}

/* Finds the header: true, and *data is where the elements begin. */
static bool find_header(header *h, const unsigned char *b, size_t len, size_t *data) {
  if (len < 6 || memcmp(b, "\x93NUMPY", 6) != 0)
    return NPY_ERROR(h->ctx, "npy: it does not begin as a .npy file does");
  size_t fixed = len < 8 || b[6] == 1 ? 10 : 12;
  if (len < fixed)
    return NPY_ERROR(h->ctx, "npy: cut off in its header, after %l bytes", (int64_t)len);
  if (b[6] < 1 || b[6] > 3 || b[7] != 0)
    return NPY_ERROR(h->ctx, "npy: format version %d.%d is not supported (1.0, 2.0, 3.0 are)",
                     (int)b[6], (int)b[7]);
  uint64_t n = (uint64_t)b[8] | (uint64_t)b[9] << 8;
  if (fixed == 12) n |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
  if (n > len - fixed)
    return NPY_ERROR(h->ctx, "npy: cut off in its header: that has %l bytes, the file %l",
                     (int64_t)(n + fixed), (int64_t)len);
  h->p = (const char *)b + fixed;
  h->end = h->p + n;
  *data = fixed + (size_t)n;
  return true;
}

/* ---- the elements ---- */

static uint32_t load_word(const unsigned char *b, size_t size, bool big) {
  uint32_t w = 0;
  for (size_t k = 0; k < size; k++) w |= (uint32_t)b[k] << 8 * (big ? size - 1 - k : k);
  return w;
}

static void store_element(uop_value *v, int64_t i, uint32_t w) {
  uint16_t half = (uint16_t)w;
  _Bool truth = w != 0;
  const void *from = v->dtype == UOP_BOOL  ? (void *)&truth
                     : v->dtype == UOP_F16 ? (void *)&half
                                           : &w;
  size_t size = uop_dtype_size(v->dtype);
  memcpy((char *)v->data + (size_t)i * size, from, size);
}

/* The elements come in the file's order; `to` is where each belongs in row-major order. */
static void read_elements(const header *h, const unsigned char *b, uop_value *v) {
  size_t size = uop_dtype_size(v->dtype);
  int64_t stride[UOP_MAX_RANK], at[UOP_MAX_RANK] = {0}, n = 1, to = 0;
  if (v->count == 0) return;
  for (uint32_t k = v->rank; k-- > 0; n *= v->dims[k]) stride[k] = n;
  for (int64_t i = 0; i < v->count; i++, b += size) {
    store_element(v, h->fortran ? to : i, load_word(b, size, h->swapped));
    if (!h->fortran) continue;
    for (uint32_t k = 0; k < v->rank; k++) { /* count up, the first axis fastest */
      to += stride[k];
      if (++at[k] < v->dims[k]) break;
      to -= stride[k] * v->dims[k];
      at[k] = 0;
    }
  }
}

bool uop_npy_read(uop_ctx *ctx, const void *bytes, size_t len, uop_value *out) {
  header h;
  size_t data = 0;
  const char *limit = NULL;
  memset(&h, 0, sizeof h);
  memset(out, 0, sizeof *out);
  h.ctx = ctx;
  if (!find_header(&h, bytes, len, &data) || !read_header(&h)) return false;
  int64_t n = uopi_check_dims(h.dims, h.rank, &limit);
  if (n < 0) {
    uopi_error(ctx, UOP_E_LIMIT, -1, -1, "npy: shape %v: %s", h.dims, h.rank, limit);
    return false;
  }
  uint64_t need = (uint64_t)n * uop_dtype_size(h.dtype);
  if (need != len - data)
    return NPY_ERROR(ctx, "npy: %t%v has %l bytes, the file %l after its header", (int)h.dtype,
                     h.dims, h.rank, (int64_t)need, (int64_t)(len - data));
  if (!uopi_value_make(ctx, h.dtype, h.dims, h.rank, out)) return false;
  read_elements(&h, (const unsigned char *)bytes + data, out);
  return true;
}

/* ---- writing ---- */

/* The fixed part and the dict, filled with blanks so that the elements begin at a multiple of 64.
 */
static void put_header(uopi_buf *b, const uop_value *v) {
  static const char *const descr[UOP_DTYPE_COUNT] = {
      [UOP_BOOL] = "|b1", [UOP_I32] = "<i4", [UOP_F32] = "<f4", [UOP_F16] = "<f2"};
  uopi_put(b, "\x93NUMPY\x01\x00\x00\x00", 10); /* version 1.0; the length comes last */
  uopi_puts(b, "{'descr': '");
  uopi_puts(b, descr[v->dtype]);
  uopi_puts(b, "', 'fortran_order': False, 'shape': (");
  for (uint32_t i = 0; i < v->rank; i++) {
    if (i) uopi_puts(b, ", ");
    uopi_puti(b, v->dims[i]);
  }
  uopi_puts(b, v->rank == 1 ? ",), }" : "), }");
  while (!b->failed && b->len % 64 != 63) uopi_putc(b, ' ');
  uopi_putc(b, '\n');
  if (b->failed) return;
  b->at[8] = (char)((b->len - 10) & 0xff);
  b->at[9] = (char)((b->len - 10) >> 8);
}

static void swap_bytes(char *p, size_t n, size_t size) {
  for (size_t i = 0; i < n; i++, p += size)
    for (size_t k = 0; k < size / 2; k++) {
      char c = p[k];
      p[k] = p[size - 1 - k];
      p[size - 1 - k] = c;
    }
}

static void put_elements(uopi_buf *b, const uop_value *v) {
  size_t size = uop_dtype_size(v->dtype);
  int64_t room[UOPI_READER_ROOM];
  uopi_reader in = uopi_reader_of_value(room, v);
  char *p = (uint64_t)v->count > SIZE_MAX / size ? NULL : uopi_buf_room(b, (size_t)v->count * size);
  if (!p) {
    b->failed = true;
    return;
  }
  uopi_read(&in, 0, v->count, p);
  b->len += (size_t)v->count * size;
  if (is_big_endian() && size > 1) swap_bytes(p, (size_t)v->count, size);
}

void *uop_npy_write(uop_ctx *ctx, const uop_value *v, size_t *len) {
  if (!v) return NULL;
  if ((int)v->dtype <= UOP_VOID || v->dtype >= UOP_DTYPE_COUNT)
    return uopi_error(ctx, UOP_E_DTYPE, -1, -1, "npy: a value of dtype %t cannot be written",
                      (int)v->dtype);
  uopi_buf b = {uopi_mem_of(ctx), NULL, 0, 0, false};
  put_header(&b, v);
  put_elements(&b, v);
  return uopi_buf_give(&b, ctx, len);
}
