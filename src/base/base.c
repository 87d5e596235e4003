/* base.c - memory, growing arrays, strings and hashing; see base.h for what holds. */
#include "base/base.h"

void *uopi_realloc(const uopi_mem *m, void *p, size_t old, size_t size) {
  if (size == 0) {
    if (p) m->alloc(m->user, p, old, 0);
    return NULL;
  }
  return m->alloc(m->user, p, p ? old : 0, size);
}

/* ---- memory for the caller: [size_t size][padding][bytes …] ---- */

enum { GIVE_HEAD = 16 }; /* keeps the bytes aligned for any standard type */

void *uopi_give(uop_ctx *ctx, size_t size) {
  if (size > SIZE_MAX - GIVE_HEAD) return NULL;
  char *p = uopi_realloc(uopi_mem_of(ctx), NULL, 0, size + GIVE_HEAD);
  if (!p) return NULL;
  size += GIVE_HEAD;
  memcpy(p, &size, sizeof size);
  return p + GIVE_HEAD;
}

void uop_free(uop_ctx *ctx, void *p) {
  if (!p) return;
  char *head = (char *)p - GIVE_HEAD;
  size_t size;
  memcpy(&size, head, sizeof size);
  uopi_realloc(uopi_mem_of(ctx), head, size, 0);
}

bool uopi_grow(const uopi_mem *m, void **at, size_t *cap, size_t need, size_t size) {
  size_t want = *cap > SIZE_MAX / 2 ? need : *cap * 2;
  if (want < need) want = need;
  if (want < 8) want = 8;
  if (want > SIZE_MAX / size) return false;
  void *p = uopi_realloc(m, *at, *cap * size, want * size);
  if (!p) return false;
  *at = p;
  *cap = want;
  return true;
}

/* ---- strings ---- */

/* A buffer's memory has the head of what is handed to the caller from the start, so that giving a
 * text away copies nothing. */
static bool buf_resize(uopi_buf *b, size_t cap) {
  char *raw = b->at ? b->at - GIVE_HEAD : NULL;
  raw = uopi_realloc(b->mem, raw, b->cap + GIVE_HEAD, cap + GIVE_HEAD);
  if (!raw) return false;
  b->at = raw + GIVE_HEAD;
  b->cap = cap;
  return true;
}

char *uopi_buf_room(uopi_buf *b, size_t n) {
  if (n >= b->cap - b->len) { /* a NUL as well */
    size_t need = b->len + n + 1, cap = b->cap < 64 ? 64 : b->cap * 2;
    if (b->failed || n > SIZE_MAX / 4 - b->len || !buf_resize(b, cap < need ? need : cap)) {
      b->failed = true;
      return NULL;
    }
  }
  return b->at + b->len;
}

void uopi_put(uopi_buf *b, const char *s, size_t n) {
  char *to = b->failed ? NULL : uopi_buf_room(b, n);
  if (!to) return;
  if (n) memcpy(to, s, n);
  b->len += n;
  b->at[b->len] = 0;
}

void uopi_puts(uopi_buf *b, const char *s) { uopi_put(b, s, strlen(s)); }
void uopi_putc(uopi_buf *b, char c) { uopi_put(b, &c, 1); }

char *uopi_format_u64(char *p, uint64_t v) {
  static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                              "25262728293031323334353637383940414243444546474849"
                              "50515253545556575859606162636465666768697071727374"
                              "75767778798081828384858687888990919293949596979899";
  char digits[20];
  size_t n = sizeof digits;
  for (; v >= 100; v /= 100) memcpy(digits + (n -= 2), pairs + 2 * (v % 100), 2);
  if (v >= 10)
    memcpy(digits + (n -= 2), pairs + 2 * v, 2);
  else
    digits[--n] = (char)('0' + v);
  memcpy(p, digits + n, sizeof digits - n);
  return p + (sizeof digits - n);
}

void uopi_putu(uopi_buf *b, uint64_t v) {
  char s[20];
  uopi_put(b, s, (size_t)(uopi_format_u64(s, v) - s));
}

void uopi_puti(uopi_buf *b, int64_t v) {
  if (v < 0) uopi_putc(b, '-');
  uopi_putu(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void uopi_buf_drop(uopi_buf *b) {
  if (b->at) uopi_realloc(b->mem, b->at - GIVE_HEAD, b->cap + GIVE_HEAD, 0);
  b->at = NULL;
  b->len = b->cap = 0;
}

enum { SHRINK_BELOW = 1 << 20 }; /* bytes: to copy more costs more than the room is worth */

char *uopi_buf_give(uopi_buf *b, uop_ctx *ctx, size_t *len) {
  uopi_put(b, "", 0); /* even an empty text has its NUL */
  if (b->failed) {
    uopi_buf_drop(b);
    return uopi_no_memory(ctx);
  }
  if (b->cap < SHRINK_BELOW) buf_resize(b, b->len + 1); /* where it fails, it stays larger */
  char *s = b->at;
  size_t size = b->cap + GIVE_HEAD;
  memcpy(s - GIVE_HEAD, &size, sizeof size);
  if (len) *len = b->len;
  b->at = NULL;
  b->len = b->cap = 0;
  return s;
}

uint32_t uopi_hash_bytes(const void *p, size_t n) {
  const unsigned char *s = p;
  uint64_t h = uopi_hash_step(UOPI_HASH_SEED, n);
  while (n) { /* assembled byte by byte: the same on either byte order */
    uint64_t w = 0;
    size_t k = n < 8 ? n : 8;
    for (size_t i = 0; i < k; i++) w |= (uint64_t)s[i] << (8 * i);
    h = uopi_hash_step(h, w);
    s += k;
    n -= k;
  }
  return uopi_hash_end(h);
}
