/* symbols.h - the names of a program: name -> number of its statement. Open addressing; the names
 * are slices of the program's text, which outlives the table.
 */
#ifndef UOP_SYMBOLS_H
#define UOP_SYMBOLS_H

#include "base/base.h"

typedef struct symbol {
  const char *name; /* NULL: an empty place */
  uint32_t len, hash;
  uint32_t line;   /* where it was defined first */
  const uop *node; /* NULL: its statement failed */
} symbol;

typedef struct symbols {
  const uopi_mem *mem;
  symbol *at;
  size_t cap, len;
} symbols;

symbol *uopi_symbols_find(const symbols *s, const char *name, size_t len); /* NULL: not there */
/* False: out of memory. The name must not be there yet. */
bool uopi_symbols_add(symbols *s, const char *name, size_t len, uint32_t line, const uop *node);
void uopi_symbols_drop(symbols *s);

#endif
