/* value_parse.c - a value from text: "5", "[1, 2, 3]", "[[1.0], [nan]]".
 *
 * The rank is fixed by the first element, or by the first pair of brackets with nothing in it; the
 * length of each axis by the first bracket of it that closes. All others must agree: an array is a
 * box. Elements follow the rule for literals beside a dtype: i32 takes integers that fit, f32 and
 * f16 any number, rounded as the language does, and inf, -inf, nan; bool takes true, false, 1, 0.
 */
#include "eval/value.h"
#include "alu/alu.h"
#include "base/decimal.h"

typedef struct reader {
  uop_ctx *ctx;
  const char *text;
  size_t len, at;
  uop_dtype dtype;
  int64_t dims[UOP_MAX_RANK], seen[UOP_MAX_RANK]; /* dims: -1 until an axis has closed */
  uint32_t depth, rank;
  bool ranked; /* rank is known */
  int64_t count;
  struct {
    unsigned char *at;
    size_t len, cap;
  } bytes;
} reader;

typedef struct token {
  const char *s;
  size_t n;
} token;

static bool fail(reader *r, const char *what) {
  uopi_error(r->ctx, UOP_E_FORMAT, -1, -1, "value: byte %l: %s", (int64_t)r->at + 1, what);
  return false;
}

static bool fail_element(reader *r, token t, const char *what) {
  char word[48]; /* %q cuts at 40 */
  size_t n = t.n < sizeof word - 1 ? t.n : sizeof word - 1;
  memcpy(word, t.s, n);
  word[n] = 0;
  uopi_error(r->ctx, UOP_E_LITERAL, -1, -1, "value: byte %l: %q %s %t",
             (int64_t)(t.s - r->text) + 1, word, what, (int)r->dtype);
  return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void skip(reader *r) {
  while (r->at < r->len && is_blank(r->text[r->at])) r->at++;
}

static bool is_word(token t, const char *s) { return t.n == strlen(s) && memcmp(t.s, s, t.n) == 0; }

/* ---- elements ---- */

typedef enum look { LOOKS_WRONG, LOOKS_INT, LOOKS_FLOAT } look;

static size_t digits_from(token t, size_t i) {
  size_t from = i;
  while (i < t.n && is_digit(t.s[i])) i++;
  return i - from;
}

/* [+-] digits, with a point, an exponent or both a float. */
static look look_of(token t) {
  size_t i = t.n && (t.s[0] == '+' || t.s[0] == '-');
  size_t whole = digits_from(t, i), part = 0;
  look l = LOOKS_INT;
  i += whole;
  if (i < t.n && t.s[i] == '.') {
    part = digits_from(t, i + 1);
    i += 1 + part;
    l = LOOKS_FLOAT;
  }
  if (whole + part == 0) return LOOKS_WRONG;
  if (i < t.n && (t.s[i] == 'e' || t.s[i] == 'E')) {
    i++;
    if (i < t.n && (t.s[i] == '+' || t.s[i] == '-')) i++;
    size_t exponent = digits_from(t, i);
    if (exponent == 0) return LOOKS_WRONG;
    i += exponent;
    l = LOOKS_FLOAT;
  }
  return i == t.n ? l : LOOKS_WRONG;
}

static bool put_bytes(reader *r, const void *p, size_t n) {
  if (!UOPI_RESERVE(uopi_mem_of(r->ctx), &r->bytes, r->bytes.len + n)) {
    uopi_no_memory(r->ctx);
    return false;
  }
  memcpy(r->bytes.at + r->bytes.len, p, n);
  r->bytes.len += n;
  return true;
}

static bool read_bool(reader *r, token t) {
  _Bool b = is_word(t, "true") || is_word(t, "1");
  if (!b && !is_word(t, "false") && !is_word(t, "0")) return fail_element(r, t, "is no");
  return put_bytes(r, &b, sizeof b);
}

static bool read_i32(reader *r, token t) {
  if (look_of(t) != LOOKS_INT) return fail_element(r, t, "is no");
  bool minus = t.s[0] == '-';
  int64_t v = 0;
  for (size_t i = t.s[0] == '-' || t.s[0] == '+'; i < t.n; i++)
    if (v <= INT32_MAX) v = v * 10 + (t.s[i] - '0'); /* stays beyond once it is */
  if (minus) v = -v;
  if (v < INT32_MIN || v > INT32_MAX) return fail_element(r, t, "does not fit");
  int32_t w = (int32_t)v;
  return put_bytes(r, &w, sizeof w);
}

static bool read_float(reader *r, token t) {
  float f;
  bool overflow = false;
  look l = look_of(t);
  if (is_word(t, "nan"))
    f = nan_f32();
  else if (is_word(t, "inf"))
    f = bits_f32(0x7f800000u);
  else if (is_word(t, "-inf"))
    f = bits_f32(0xff800000u);
  else if (l == LOOKS_WRONG)
    return fail_element(r, t, "is no");
  else
    f = uopi_parse_f32(t.s, t.n, &overflow);
  if (overflow) return fail_element(r, t, "does not fit");
  if (l == LOOKS_INT && f == 0.0f) f = 0.0f; /* the integer -0 is 0 */
  uint16_t h = cast_f32_f16(f);
  return r->dtype == UOP_F16 ? put_bytes(r, &h, sizeof h) : put_bytes(r, &f, sizeof f);
}

static bool read_element(reader *r) {
  token t = {r->text + r->at, 0};
  while (r->at + t.n < r->len && !is_blank(t.s[t.n]) && !strchr("[],", t.s[t.n])) t.n++;
  if (t.n == 0) return fail(r, r->at < r->len ? "an element is missing" : "it ends too early");
  if (r->ranked && r->rank != r->depth) return fail(r, "an element where a row is meant");
  if (r->count == UOP_MAX_NUMEL) {
    uopi_error(r->ctx, UOP_E_LIMIT, -1, -1, "value: more than %l elements (UOP_MAX_NUMEL)",
               UOP_MAX_NUMEL);
    return false;
  }
  r->ranked = true;
  r->rank = r->depth;
  r->count++;
  r->at += t.n;
  switch (r->dtype) {
  case UOP_BOOL: return read_bool(r, t);
  case UOP_I32: return read_i32(r, t);
  default: return read_float(r, t);
  }
}

/* ---- brackets ---- */

static bool open_axis(reader *r) {
  if (r->depth == UOP_MAX_RANK) {
    uopi_error(r->ctx, UOP_E_LIMIT, -1, -1, "value: rank is above %d (UOP_MAX_RANK)", UOP_MAX_RANK);
    return false;
  }
  if (r->ranked && r->depth >= r->rank) return fail(r, "a row where an element is meant");
  r->seen[r->depth++] = 0;
  r->at++;
  return true;
}

static bool close_axis(reader *r) {
  uint32_t axis = r->depth - 1;
  int64_t n = r->seen[axis];
  if (n == 0 && r->ranked && r->rank != r->depth) return fail(r, "rows of different ranks");
  if (n == 0) {
    r->ranked = true;
    r->rank = r->depth;
  }
  if (r->dims[axis] >= 0 && r->dims[axis] != n) {
    uopi_error(r->ctx, UOP_E_FORMAT, -1, -1, "value: byte %l: a row of %l elements after one of %l",
               (int64_t)r->at + 1, n, r->dims[axis]);
    return false;
  }
  r->dims[axis] = n;
  r->depth--;
  r->at++;
  return true;
}

/* Everything up to the end of one element or array. */
static bool read_box(reader *r) {
  bool value_next = true, first = false; /* first: just after a '[', where a ']' may follow */
  do {
    skip(r);
    char c = r->at < r->len ? r->text[r->at] : 0;
    if (c == ']' && r->depth && (first || !value_next)) {
      if (!close_axis(r)) return false;
      if (r->depth) r->seen[r->depth - 1]++;
      value_next = first = false;
    } else if (!value_next) {
      if (c != ',') return fail(r, r->at < r->len ? "no ',' or ']'" : "it ends too early");
      r->at++;
      value_next = true;
    } else if (c == '[') {
      if (!open_axis(r)) return false;
      first = true;
    } else {
      if (!read_element(r)) return false;
      if (r->depth) r->seen[r->depth - 1]++;
      value_next = first = false;
    }
  } while (r->depth);
  skip(r);
  return r->at == r->len || fail(r, "more text after the value");
}

bool uop_value_parse(uop_ctx *ctx, const char *text, size_t len, uop_dtype d, uop_value *out) {
  memset(out, 0, sizeof *out);
  if ((int)d <= UOP_VOID || d >= UOP_DTYPE_COUNT) {
    uopi_error(ctx, UOP_E_DTYPE, -1, -1, "value: there are none of dtype %t", (int)d);
    return false;
  }
  reader r;
  memset(&r, 0, sizeof r);
  r.ctx = ctx;
  r.text = text;
  r.len = len;
  r.dtype = d;
  for (size_t i = 0; i < UOP_MAX_RANK; i++) r.dims[i] = -1;
  bool ok = read_box(&r) && uopi_value_make(ctx, d, r.dims, r.rank, out);
  if (ok && r.bytes.len) memcpy(out->data, r.bytes.at, r.bytes.len);
  UOPI_DROP(uopi_mem_of(ctx), &r.bytes);
  return ok;
}
