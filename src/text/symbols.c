/* symbols.c - see symbols.h. */
#include "text/symbols.h"

static symbol *place(symbol *at, size_t cap, const char *name, size_t len, uint32_t hash) {
  for (size_t i = hash & (cap - 1);; i = (i + 1) & (cap - 1)) {
    symbol *s = &at[i];
    if (!s->name || (s->hash == hash && s->len == len && !memcmp(s->name, name, len))) return s;
  }
}

symbol *uopi_symbols_find(const symbols *s, const char *name, size_t len) {
  if (!s->cap) return NULL;
  symbol *p = place(s->at, s->cap, name, len, uopi_hash_bytes(name, len));
  return p->name ? p : NULL;
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

bool uopi_symbols_add(symbols *s, const char *name, size_t len, uint32_t line, const uop *node) {
  if ((s->len + 1) * 2 > s->cap && !grow(s)) return false;
  uint32_t hash = uopi_hash_bytes(name, len);
  *place(s->at, s->cap, name, len, hash) = (symbol){name, (uint32_t)len, hash, line, node};
  s->len++;
  return true;
}

void uopi_symbols_drop(symbols *s) {
  uopi_realloc(s->mem, s->at, s->cap * sizeof *s->at, 0);
  s->at = NULL;
  s->cap = s->len = 0;
}
