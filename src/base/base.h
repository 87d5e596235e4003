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

/* if (UOPI_FAULT(n)) …: a known fault, compiled in by -DUOP_FAULT=n alone, for tests/faults.sh to
 * see that the tests find it. */
#ifdef UOP_FAULT
#define UOPI_FAULT(n) (UOP_FAULT == (n))
#else
#define UOPI_FAULT(n) 0
#endif

/* A hint that what is at p will be read soon. */
#if defined(__GNUC__)
#define UOPI_PREFETCH(p) __builtin_prefetch(p)
#else
#define UOPI_PREFETCH(p) ((void)(p))
#endif

/* Where a context gets its memory. It is the first member of struct uop_ctx, so that what needs
 * only memory can be given any context: uopi_mem_of. */
typedef struct uopi_mem {
  uop_alloc_fn alloc;
  void *user;
} uopi_mem;

static inline const uopi_mem *uopi_mem_of(const uop_ctx *ctx) { return (const uopi_mem *)ctx; }

/* The allocator of a context that was given none. Pieces of at least this size lie in huge pages,
 * where the system has them: far fewer page faults. */
enum { UOPI_HUGE_PAGE = 2 << 20 };
void *uopi_default_alloc(void *user, void *p, size_t old, size_t size);

/* Resizes `p` (NULL: allocates) from `old` to `size` bytes; size 0 frees and returns NULL. */
void *uopi_realloc(const uopi_mem *m, void *p, size_t old, size_t size);

/* Memory handed to the caller carries its size in front of it, so that uop_free needs none. */
void *uopi_give(uop_ctx *ctx, size_t size);

/* ---- growing arrays ---- */

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

/* ---- strings ---- */

/* A growing string; `failed` is sticky, so that only the end needs a check. `at` is NUL-terminated
 * once anything was put into it. */
typedef struct uopi_buf {
  const uopi_mem *mem;
  char *at;
  size_t len, cap;
  bool failed;
} uopi_buf;

/* Room for n bytes at the end, to be written there and added to len; NULL: failed. */
char *uopi_buf_room(uopi_buf *b, size_t n);
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

/* ---- errors ---- */

/* Leaves an error in the context unless one is there. op, operand: -1 for none. Returns NULL.
 * fmt knows: %s string, %q string in quotes, %d int, %l int64_t, %t uop_dtype, %a uop_op, %p
 * const uop_tuple * as a shape, %v const int64_t * and size_t as a shape, %w the same as pairs, %y
 * the type of a const uop * as f32(2, 3) and its space when memory, %%. */
void *uopi_error(uop_ctx *ctx, uop_code code, int op, int operand, const char *fmt, ...);
void *uopi_no_memory(uop_ctx *ctx);
void uopi_error_node(uop_ctx *ctx,
                     const uop *u); /* the node that the error concerns, if it has none */

/* UOP_E_CONTEXT. op: a uop_op, sugar, or -1; operand: which source or root. Always false. */
bool uopi_foreign(uop_ctx *ctx, int op, int operand);
/* Whether all of roots[0..n) (NULLs apart) are of ctx; else that error. */
bool uopi_all_of(uop_ctx *ctx, const uop *const *roots, size_t n);

/* The same into a diagnostic of the caller's. */
void uopi_diag_set(uop_diag *d, uop_code code, int op, int operand, const char *fmt, ...);
void uopi_diag_vset(uop_diag *d, uop_code code, int op, int operand, const char *fmt, va_list ap);

/* Has the processor fetch the line at p, which need not be a valid address. */
#if defined(__GNUC__)
#define UOPI_PREFETCH(p) __builtin_prefetch(p)
#else
#define UOPI_PREFETCH(p) ((void)(p))
#endif

/* ---- hashing ---- */

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

/* ---- maps: the fast paths inside the library ---- */

/* Number -> page, by open addressing. Pages in use have numbers in a few runs: a multiplication by
 * the golden ratio spreads a run evenly, where runs that overlapped would make long probes. */
typedef struct uopi_dir_entry {
  uint64_t number;
  void *page; /* NULL: empty */
} uopi_dir_entry;

typedef struct uopi_pages { /* with pages behind it */
  struct uopi_pages *next;
  size_t size;
} uopi_pages;

typedef struct uopi_dir {
  uopi_dir_entry *at;
  size_t cap, len;    /* cap: 0 or a power of two */
  unsigned shift;     /* 64 - log2(cap) */
  uopi_pages *blocks; /* pages are cut from growing blocks: far fewer page faults */
  size_t left, bytes; /* pages left in the newest one; bytes of all */
} uopi_dir;

static inline size_t uopi_dir_home(const uopi_dir *d, uint64_t number) {
  return (size_t)(number * UOPI_HASH_SEED >> d->shift);
}
static inline void *uopi_dir_find(const uopi_dir *d, uint64_t number) {
  if (!d->cap) return NULL;
  for (size_t i = uopi_dir_home(d, number);; i = (i + 1) & (d->cap - 1)) {
    const uopi_dir_entry *e = &d->at[i];
    if (!e->page || e->number == number) return e->page;
  }
}
/* A page of `size` zeroed bytes, the same for all pages, that `number` did not have. NULL: out of
 * memory. */
void *uopi_dir_add(uopi_dir *d, const uopi_mem *m, uint64_t number, size_t size);
void uopi_dir_drop(uopi_dir *d, const uopi_mem *m);

enum { UOPI_PAGE_BITS = 10, UOPI_PAGE_IDS = 1 << UOPI_PAGE_BITS };

typedef struct uopi_page {
  uint64_t present[UOPI_PAGE_IDS / 64]; /* one bit an id */
  uint64_t value[UOPI_PAGE_IDS];
} uopi_page;

struct uop_map {
  uop_ctx *ctx;
  uopi_dir dir;
  size_t len;
  uop_map *next, **prev; /* the context's list of registered maps; prev NULL: not registered */
};

/* A map on the caller's stack. */
void uopi_map_init(uop_map *m, uop_ctx *ctx);
void uopi_map_drop(uop_map *m);

/* The value's place if `id` is in the map, else NULL. */
static inline uint64_t *uopi_map_find(const uop_map *m, uint64_t id) {
  uopi_page *p = uopi_dir_find(&m->dir, id >> UOPI_PAGE_BITS);
  uint32_t k = (uint32_t)(id & (UOPI_PAGE_IDS - 1));
  return p && (p->present[k / 64] >> (k % 64) & 1) ? &p->value[k] : NULL;
}

/* The value's place, put in as 0 where `id` was not there; *fresh says so. NULL: out of memory. */
static inline uint64_t *uopi_map_put(uop_map *m, uint64_t id, bool *fresh) {
  uint64_t number = id >> UOPI_PAGE_BITS;
  uopi_page *p = uopi_dir_find(&m->dir, number);
  if (!p && !(p = uopi_dir_add(&m->dir, uopi_mem_of(m->ctx), number, sizeof *p))) return NULL;
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
