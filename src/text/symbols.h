/* symbols.h - the names of a program and the node that each was given. Names that are plain
 * numbers, as the printer makes them, index an array; others are hashed, by open addressing.
 *
 * Invariants: names are slices of the program's text, which outlives the table and has
 * UOPI_TEXT_PAD readable bytes behind it; no name is both in the array and in the table.
 */
#ifndef UOP_SYMBOLS_H
#define UOP_SYMBOLS_H

#include "base/base.h"

enum { UOPI_TEXT_PAD = 8 };   /* so that a name's first 8 bytes are one load, wherever it stands */
enum { UOPI_MAX_DIGITS = 9 }; /* of a name that can index the array */

typedef struct symbol_name {
  const char *at;
  size_t number; /* that it spells in the one canonical way, else SIZE_MAX, and then: */
  uint64_t head; /* its first 8 bytes */
  uint32_t len, hash;
} symbol_name;

extern const uop uopi_failed; /* stands for the node of a name whose statement failed */

typedef struct symbol { /* half a cache line */
  const char *name;     /* NULL: an empty place */
  uint64_t head;        /* its first 8 bytes: short names are compared without a look at the text */
  const uop *node;
  uint32_t len, hash;
} symbol;

typedef struct failed_name {
  const char *at;
  uint32_t len, line;
} failed_name;

typedef struct symbols {
  const uopi_mem *mem;
  symbol *at;
  size_t cap, len;
  const uop **numbered; /* by number; NULL where none is there */
  size_t numbered_cap;
  struct {
    failed_name *at;
    size_t len, cap;
  } failed; /* names that only failed statements define */
} symbols;

/* The node that the array has for number n (SIZE_MAX: no number), NULL: none. */
static inline const uop *uopi_symbols_numbered(const symbols *s, size_t n) {
  return n < s->numbered_cap ? s->numbered[n] : NULL;
}

/* The name of these bytes, and the same where it is known that they spell no number. */
symbol_name uopi_symbol_name(const char *at, size_t len);
symbol_name uopi_symbol_word(const char *at, size_t len);

/* The node of a name, or &uopi_failed; NULL: no statement defines it. */
const uop *uopi_symbols_find(const symbols *s, const symbol_name *n);
/* Has the processor fetch what uopi_symbols_find will look at. */
static inline void uopi_symbols_prefetch(const symbols *s, const symbol_name *n) {
  if (n->number < s->numbered_cap)
    UOPI_PREFETCH(&s->numbered[n->number]);
  else if (n->number == SIZE_MAX && s->cap)
    UOPI_PREFETCH(&s->at[n->hash & (s->cap - 1)]);
}
/* The first line of those whose failed statements define it; 0: none. */
uint32_t uopi_symbols_failed_line(const symbols *s, const symbol_name *n);
/* False: out of memory. The name must not be there yet. */
bool uopi_symbols_add(symbols *s, const symbol_name *n, const uop *node);
/* The statement of this name failed: what uses it is passed over. False: out of memory. */
bool uopi_symbols_fail(symbols *s, const symbol_name *n, uint32_t line);
void uopi_symbols_drop(symbols *s);

#endif
