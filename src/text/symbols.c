/* symbols.c - see symbols.h. */
#include "text/symbols.h"

enum { MAX_DIGITS = 9 }; /* of a name that can index the array */

/* The number that a name spells in the one canonical way, else SIZE_MAX. */
static inline size_t number_of(const char *name, size_t len) {
  if (len > MAX_DIGITS || (name[0] == '0' && len > 1)) return SIZE_MAX;
  size_t n = 0;
  for (size_t i = 0; i < len; i++) {
    unsigned d = (unsigned)(unsigned char)name[i] - '0';
    if (d > 9) return SIZE_MAX;
    n = n * 10 + d;
  }
  return n;
}

static inline uint64_t head_of(const char *name, size_t len) {
  uint64_t head = 0;
  memcpy(&head, name, len < 8 ? len : 8);
  return head;
}

static symbol *place(symbol *at, size_t cap, const char *name, size_t len, uint32_t hash) {
  uint64_t head = head_of(name, len);
  for (size_t i = hash & (cap - 1);; i = (i + 1) & (cap - 1)) {
    symbol *s = &at[i];
    if (!s->name) return s;
    if (s->hash == hash && s->len == len && s->head == head &&
        (len <= 8 || !memcmp(s->name + 8, name + 8, len - 8)))
      return s;
  }
}

static meaning find_hashed(const symbols *s, const char *name, size_t len) {
  if (!s->cap) return (meaning){NULL, 0};
  return place(s->at, s->cap, name, len, uopi_hash_bytes(name, len))->is;
}

const uop *uopi_symbols_find(const symbols *s, const char *name, size_t len, bool *known) {
  size_t n = number_of(name, len);
  *known = true;
  if (n < s->numbered_cap) {
    if (s->numbered[n]) return s->numbered[n];
    if (s->line_of[n]) return NULL;
  }
  meaning is = find_hashed(s, name, len);
  *known = is.line != 0;
  return is.node;
}

uint32_t uopi_symbols_line(const symbols *s, const char *name, size_t len) {
  size_t n = number_of(name, len);
  if (n < s->numbered_cap && s->line_of[n]) return s->line_of[n];
  return find_hashed(s, name, len).line;
}

static bool grow(symbols *s) {
  size_t cap = s->cap ? s->cap * 2 : 64;
  if (cap > SIZE_MAX / sizeof *s->at) return false;
  symbol *at = uopi_realloc(s->mem, NULL, 0, cap * sizeof *at);
  if (!at) return false;
  memset(at, 0, cap * sizeof *at);
  for (size_t i = 0; i < s->cap; i++) {
    const symbol *p = &s->at[i];
    if (p->name) *place(at, cap, p->name, p->len, p->hash) = *p;
  }
  uopi_realloc(s->mem, s->at, s->cap * sizeof *at, 0);
  s->at = at;
  s->cap = cap;
  return true;
}

/* Whether the array holds number n, after growing if need be: only to twice its size, so that a
 * large number in a short program is hashed like any name. */
static bool has_place(symbols *s, size_t n) {
  if (n < s->numbered_cap) return true;
  size_t cap = s->numbered_cap ? s->numbered_cap * 2 : 64;
  if (n >= cap) return false;
  size_t old = s->numbered_cap, node = sizeof *s->numbered, line = sizeof *s->line_of;
  void *nodes = uopi_realloc(s->mem, (void *)s->numbered, old * node, cap * node);
  if (!nodes) return false; /* hashed then */
  s->numbered = nodes;
  void *lines = uopi_realloc(s->mem, s->line_of, old * line, cap * line);
  if (!lines) { /* back to what numbered_cap says */
    s->numbered = uopi_realloc(s->mem, nodes, cap * node, old * node);
    return false;
  }
  s->line_of = lines;
  memset((void *)(s->numbered + old), 0, (cap - old) * node);
  memset(s->line_of + old, 0, (cap - old) * line);
  s->numbered_cap = cap;
  return true;
}

bool uopi_symbols_add(symbols *s, const char *name, size_t len, meaning is) {
  size_t n = number_of(name, len);
  if (n != SIZE_MAX && has_place(s, n)) {
    s->numbered[n] = is.node;
    s->line_of[n] = is.line;
    return true;
  }
  if ((s->len + 1) * 2 > s->cap && !grow(s)) return false;
  uint32_t hash = uopi_hash_bytes(name, len);
  *place(s->at, s->cap, name, len, hash) =
      (symbol){name, head_of(name, len), (uint32_t)len, hash, is};
  s->len++;
  return true;
}

bool uopi_symbols_fail(symbols *s, const char *name, size_t len, uint32_t line) {
  if (len == 0 || len > UOP_MAX_NAME) return true;
  uint32_t before = uopi_symbols_line(s, name, len);
  if (!before) return uopi_symbols_add(s, name, len, (meaning){NULL, line});
  size_t n = number_of(name, len);
  if (n < s->numbered_cap && s->line_of[n])
    s->numbered[n] = NULL;
  else
    place(s->at, s->cap, name, len, uopi_hash_bytes(name, len))->is.node = NULL;
  return true;
}

void uopi_symbols_drop(symbols *s) {
  uopi_realloc(s->mem, s->at, s->cap * sizeof *s->at, 0);
  uopi_realloc(s->mem, (void *)s->numbered, s->numbered_cap * sizeof *s->numbered, 0);
  uopi_realloc(s->mem, s->line_of, s->numbered_cap * sizeof *s->line_of, 0);
  *s = (symbols){.mem = s->mem};
}
