/* symbols.h - the names of a program: what each was given, and on which line. Names that are plain
 * numbers, as the printer makes them, index an array; others are hashed, by open addressing. Names
 * are slices of the program's text, which outlives the table.
 */
#ifndef UOP_SYMBOLS_H
#define UOP_SYMBOLS_H

#include "base/base.h"

typedef struct meaning { /* of a name; line 0: it has none */
  const uop *node;       /* NULL: its statement failed */
  uint32_t line;         /* where it was defined first */
} meaning;

typedef struct symbol {
  const char *name; /* NULL: an empty place */
  uint64_t head;    /* its first 8 bytes: short names are compared without a look at the text */
  uint32_t len, hash;
  meaning is;
} symbol;

typedef struct symbols {
  const uopi_mem *mem;
  symbol *at;
  size_t cap, len;
  const uop **numbered; /* by number: the node; NULL where its statement failed, or none is there */
  uint32_t *line_of;    /* by number: 0 where none is there */
  size_t numbered_cap;
} symbols;

/* The node of a name; *known says whether it has any meaning (NULL then: its statement failed). */
const uop *uopi_symbols_find(const symbols *s, const char *name, size_t len, bool *known);
/* The line that defined it first; 0: none did. */
uint32_t uopi_symbols_line(const symbols *s, const char *name, size_t len);
/* False: out of memory. The name must not be there yet. */
bool uopi_symbols_add(symbols *s, const char *name, size_t len, meaning is);
/* The statement of this name failed: what uses it is passed over. False: out of memory. */
bool uopi_symbols_fail(symbols *s, const char *name, size_t len, uint32_t line);
void uopi_symbols_drop(symbols *s);

#endif
