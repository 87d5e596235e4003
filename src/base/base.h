/* base.h - what every stage stands on: memory through the context's hook, growing arrays and
 * strings, hashing, and the first members of a context that they need.
 *
 * Invariants: every allocation goes through uopi_realloc with the size asked for last, so that the
 * hook can count; sizes are checked for overflow before they are asked for; a failure returns NULL
 * or false, changes nothing, and is reported by the caller with uopi_no_memory.
 */
#ifndef UOP_BASE_H
#define UOP_BASE_H

#include "uop.h"

#include <stdarg.h>
#include <string.h>

/* Where a context gets its memory. It is the first member of struct uop_ctx, so that what needs
 * only memory can be given any context: uopi_mem_of. */
typedef struct uopi_mem {
  uop_alloc_fn alloc;
  void *user;
} uopi_mem;

static inline const uopi_mem *uopi_mem_of(const uop_ctx *ctx) { return (const uopi_mem *)ctx; }

/* Resizes `p` (NULL: allocates) from `old` to `size` bytes; size 0 frees and returns NULL. */
void *uopi_realloc(const uopi_mem *m, void *p, size_t old, size_t size);

/* Memory handed to the caller carries its size in front of it, so that uop_free needs none. */
void *uopi_give(uop_ctx *ctx, size_t size);

/* ---- growing arrays ---------------------------------------------------------------------- */

/* Makes room for `need` elements of `size` bytes in array *at of capacity *cap: at least doubles.
 * False: out of memory, nothing changed. */
bool uopi_grow(const uopi_mem *m, void **at, size_t *cap, size_t need, size_t size);

/* UOPI_RESERVE(mem, v, n): room for n elements in a struct { T *at; size_t len, cap; }. */
#define UOPI_RESERVE(m, v, n) \
  ((n) <= (v)->cap || uopi_grow((m), (void **)&(v)->at, &(v)->cap, (n), sizeof *(v)->at))
#define UOPI_PUSH(m, v, x) \
  (UOPI_RESERVE((m), (v), (v)->len + 1) ? ((v)->at[(v)->len++] = (x), true) : false)
#define UOPI_DROP(m, v)                                                               \
  (uopi_realloc((m), (void *)(v)->at, (v)->cap * sizeof *(v)->at, 0), (v)->at = NULL, \
   (v)->len = (v)->cap = 0)

/* ---- strings -------------------------------------------------------------------------------- */

/* A growing string; `failed` is sticky, so that only the end needs a check. `at` is NUL-terminated
 * once anything was put into it. */
typedef struct uopi_buf {
  const uopi_mem *mem;
  char *at;
  size_t len, cap;
  bool failed;
} uopi_buf;

void uopi_put(uopi_buf *b, const char *s, size_t n);
void uopi_puts(uopi_buf *b, const char *s);
void uopi_putc(uopi_buf *b, char c);
void uopi_puti(uopi_buf *b, int64_t v); /* decimal, whatever the locale */
void uopi_putu(uopi_buf *b, uint64_t v);
void uopi_buf_drop(uopi_buf *b);
/* The contents as a string of the caller's, freed with uop_free; the buffer is dropped. NULL with
 * the context's error: out of memory. */
char *uopi_buf_give(uopi_buf *b, uop_ctx *ctx, size_t *len);

/* Writes v in decimal at p (20 bytes at most, no NUL); returns the end. */
char *uopi_format_u64(char *p, uint64_t v);

/* A message in a fixed buffer, cut where it is full: literal text, integers and names, no locale.
 */
typedef struct uopi_msg {
  char *at;
  size_t len, cap;
} uopi_msg;
void uopi_msg_vput(uopi_msg *m, const char *fmt, va_list ap);

/* ---- errors ---------------------------------------------------------------------------------- */

/* Leaves an error in the context unless one is there. op, operand: -1 for none. Returns NULL.
 * fmt knows: %s string, %q string in quotes, %d int, %l int64_t, %t uop_dtype, %a uop_op, %p
 * const uop_tuple * as a shape, %v const int64_t * and size_t as a shape, %w the same as pairs, %y
 * the type of a const uop * as f32(2, 3) and its space when memory, %%. */
void *uopi_error(uop_ctx *ctx, uop_code code, int op, int operand, const char *fmt, ...);
void *uopi_no_memory(uop_ctx *ctx);
void uopi_error_node(uop_ctx *ctx,
                     const uop *u); /* the node that the error concerns, if it has none */

/* The same into a diagnostic of the caller's. */
void uopi_diag_set(uop_diag *d, uop_code code, int op, int operand, const char *fmt, ...);
void uopi_diag_vset(uop_diag *d, uop_code code, int op, int operand, const char *fmt, va_list ap);

/* ---- hashing --------------------------------------------------------------------------------- */

/* The low and high half of a 64 x 64 bit product, folded (wyhash's step, Wang Yi 2019): one
 * multiplication mixes both words. The same with and without a 128-bit type. */
static inline uint64_t uopi_mix(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__) && !defined(UOP_NO_INT128)
  __extension__ typedef unsigned __int128 u128;
  u128 p = (u128)a * b;
  return (uint64_t)p ^ (uint64_t)(p >> 64);
#else
  uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
  uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
  uint64_t mid = (ll >> 32) + (lh & 0xffffffffu) + (hl & 0xffffffffu);
  uint64_t lo = (mid << 32) | (ll & 0xffffffffu), hi = hh + (lh >> 32) + (hl >> 32) + (mid >> 32);
  return lo ^ hi;
#endif
}

#define UOPI_HASH_SEED UINT64_C(0x9e3779b97f4a7c15)
#define UOPI_HASH_STEP UINT64_C(0xd1b54a32d192ed03)

static inline uint64_t uopi_hash_step(uint64_t h, uint64_t word) {
  return uopi_mix(h ^ word, UOPI_HASH_STEP ^ (word << 32 | word >> 32));
}
static inline uint32_t uopi_hash_end(uint64_t h) {
#ifdef UOP_HASH_ZERO /* a test build: everything collides, nothing but speed may change */
  (void)h;
  return 0;
#else
  return (uint32_t)(h ^ (h >> 32));
#endif
}
uint32_t uopi_hash_bytes(const void *p, size_t n);

/* ---- maps: the fast paths inside the library ------------------------------------------------- */

#define UOPI_PAGE_BITS 10
#define UOPI_PAGE_IDS  (1u << UOPI_PAGE_BITS)

typedef struct uopi_page {
  uint64_t number;                      /* id >> UOPI_PAGE_BITS */
  uint64_t present[UOPI_PAGE_IDS / 64]; /* one bit an id */
  uint64_t value[UOPI_PAGE_IDS];
} uopi_page;

struct uop_map {
  uop_ctx *ctx;
  uopi_page *last; /* the page found last, or NULL */
  uopi_page **dir; /* open addressing by page number */
  size_t dir_cap, npages, len;
  uop_map *next, **prev; /* the context's list of registered maps; prev NULL: not registered */
};

/* A map on the caller's stack. */
void uopi_map_init(uop_map *m, uop_ctx *ctx);
void uopi_map_drop(uop_map *m);
uopi_page *uopi_map_find_page(const uop_map *m, uint64_t number);
uopi_page *uopi_map_need_page(uop_map *m, uint64_t number);

static inline uopi_page *uopi_map_page(uop_map *m, uint64_t number) {
  if (m->last && m->last->number == number) return m->last;
  uopi_page *p = uopi_map_find_page(m, number);
  if (p) m->last = p;
  return p;
}

/* The value's place if `id` is in the map, else NULL. */
static inline uint64_t *uopi_map_find(uop_map *m, uint64_t id) {
  uopi_page *p = uopi_map_page(m, id >> UOPI_PAGE_BITS);
  uint32_t k = (uint32_t)(id & (UOPI_PAGE_IDS - 1));
  return p && (p->present[k / 64] >> (k % 64) & 1) ? &p->value[k] : NULL;
}

/* The value's place, put in as 0 where `id` was not there; *fresh says so. NULL: out of memory. */
static inline uint64_t *uopi_map_put(uop_map *m, uint64_t id, bool *fresh) {
  uopi_page *p = uopi_map_page(m, id >> UOPI_PAGE_BITS);
  if (!p && !(p = uopi_map_need_page(m, id >> UOPI_PAGE_BITS))) return NULL;
  uint32_t k = (uint32_t)(id & (UOPI_PAGE_IDS - 1));
  uint64_t bit = UINT64_C(1) << (k % 64);
  *fresh = !(p->present[k / 64] & bit);
  if (*fresh) {
    p->present[k / 64] |= bit;
    p->value[k] = 0;
    m->len++;
  }
  return &p->value[k];
}

#endif
