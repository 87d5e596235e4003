/* symbols.c - see symbols.h. */
#include "text/symbols.h"

const uop uopi_failed;

/* The number that a name spells in the one canonical way, else SIZE_MAX. */
static inline size_t number_of(const char *name, size_t len) {
  if (len > UOPI_MAX_DIGITS || (name[0] == '0' && len > 1)) return SIZE_MAX;
  size_t n = 0;
  for (size_t i = 0; i < len; i++) {
    unsigned d = (unsigned)(unsigned char)name[i] - '0';
    if (d > 9) return SIZE_MAX;
    n = n * 10 + d;
  }
  return n;
}

static inline uint64_t word_at(const char *p) {
  uint64_t w;
  memcpy(&w, p, sizeof w);
  return w;
}

/* The first 8 bytes, zeros behind a shorter name's end. The mask is loaded as the name is, so that
 * byte order is no matter. */
static inline uint64_t head_of(const char *name, size_t len) {
  static const char mask[] = "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0";
  return word_at(name) & word_at(mask + 8 - (len < 8 ? len : 8));
}

static inline uint32_t hash_of(const char *at, size_t len, uint64_t head) {
  uint64_t h = uopi_hash_step(UOPI_HASH_SEED + len, head);
  if (len > 8) {
    for (size_t i = 8; i < len - 8; i += 8) h = uopi_hash_step(h, word_at(at + i));
    h = uopi_hash_step(h, word_at(at + len - 8));
  }
  return uopi_hash_end(h);
}

symbol_name uopi_symbol_word(const char *at, size_t len) {
  uint64_t head = head_of(at, len);
  return (symbol_name){at, SIZE_MAX, head, (uint32_t)len, hash_of(at, len, head)};
}

symbol_name uopi_symbol_name(const char *at, size_t len) {
  size_t number = number_of(at, len);
  if (number == SIZE_MAX) return uopi_symbol_word(at, len);
  return (symbol_name){.at = at, .number = number, .len = (uint32_t)len};
}

/* Where the name is, or the empty place where it would go. */
static inline symbol *place(const symbols *s, const symbol_name *n) {
  for (size_t i = n->hash & (s->cap - 1);; i = (i + 1) & (s->cap - 1)) {
    symbol *p = &s->at[i];
    if (!p->name) return p;
    if (p->head == n->head && p->hash == n->hash && p->len == n->len &&
        (n->len <= 8 || !memcmp(p->name + 8, n->at + 8, n->len - 8)))
      return p;
  }
}

static symbol *find_hashed(const symbols *s, const symbol_name *n) {
  if (!s->len) return NULL;
  symbol_name word = n->number == SIZE_MAX ? *n : uopi_symbol_word(n->at, n->len);
  symbol *p = place(s, &word);
  return p->name ? p : NULL;
}

const uop *uopi_symbols_find(const symbols *s, const symbol_name *n) {
  const uop *u = uopi_symbols_numbered(s, n->number);
  if (u) return u;
  const symbol *p = find_hashed(s, n);
  return p ? p->node : NULL;
}

uint32_t uopi_symbols_failed_line(const symbols *s, const symbol_name *n) {
  for (size_t i = 0; i < s->failed.len; i++) {
    const failed_name *f = &s->failed.at[i];
    if (f->len == n->len && !memcmp(f->at, n->at, n->len)) return f->line;
  }
  return 0;
}

static bool grow(symbols *s) {
  symbols bigger = {.cap = s->cap ? s->cap * 2 : 64};
  size_t size = sizeof *s->at;
  if (bigger.cap > SIZE_MAX / size) return false;
  bigger.at = uopi_realloc(s->mem, NULL, 0, bigger.cap * size);
  if (!bigger.at) return false;
  memset(bigger.at, 0, bigger.cap * size);
  for (size_t i = 0; i < s->cap; i++) {
    const symbol *p = &s->at[i];
    symbol_name n = {p->name, SIZE_MAX, p->head, p->len, p->hash};
    if (p->name) *place(&bigger, &n) = *p;
  }
  uopi_realloc(s->mem, s->at, s->cap * size, 0);
  s->at = bigger.at;
  s->cap = bigger.cap;
  return true;
}

/* Whether the array holds number n, after growing if need be: only to twice its size, so that a
 * large number in a short program is hashed like any name. */
static bool has_place(symbols *s, size_t n) {
  if (n < s->numbered_cap) return true;
  size_t old = s->numbered_cap, cap = old ? old * 2 : 64, size = sizeof *s->numbered;
  if (n >= cap) return false;
  void *at = uopi_realloc(s->mem, (void *)s->numbered, old * size, cap * size);
  if (!at) return false; /* hashed then */
  s->numbered = at;
  memset((void *)(s->numbered + old), 0, (cap - old) * size);
  s->numbered_cap = cap;
  return true;
}

bool uopi_symbols_add(symbols *s, const symbol_name *n, const uop *node) {
  if (n->number != SIZE_MAX && has_place(s, n->number)) {
    s->numbered[n->number] = node;
    return true;
  }
  if ((s->len + 1) * 2 > s->cap && !grow(s)) return false;
  symbol_name word = n->number == SIZE_MAX ? *n : uopi_symbol_word(n->at, n->len);
  *place(s, &word) = (symbol){word.at, word.head, node, word.len, word.hash};
  s->len++;
  return true;
}

bool uopi_symbols_fail(symbols *s, const symbol_name *n, uint32_t line) {
  if (!uopi_symbols_find(s, n)) {
    failed_name f = {n->at, n->len, line};
    return UOPI_PUSH(s->mem, &s->failed, f) && uopi_symbols_add(s, n, &uopi_failed);
  }
  if (uopi_symbols_numbered(s, n->number))
    s->numbered[n->number] = &uopi_failed;
  else
    find_hashed(s, n)->node = &uopi_failed;
  return true;
}

void uopi_symbols_drop(symbols *s) {
  uopi_realloc(s->mem, s->at, s->cap * sizeof *s->at, 0);
  uopi_realloc(s->mem, (void *)s->numbered, s->numbered_cap * sizeof *s->numbered, 0);
  UOPI_DROP(s->mem, &s->failed);
  *s = (symbols){.mem = s->mem};
}
