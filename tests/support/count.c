/* count.c - see count.h. Sizes are kept in front of each block, so that a wrong old_size is seen.
 */
#include "support/count.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 16 }; /* keeps the alignment of malloc */

void *counting_alloc(void *user, void *ptr, size_t old_size, size_t new_size) {
  counter *c = user;
  char *raw = ptr ? (char *)ptr - HEAD : NULL;
  if (raw) {
    size_t size;
    memcpy(&size, raw, sizeof size);
    if (size != old_size) abort(); /* the library lost track of a size */
  } else {
    old_size = 0;
  }
  if (new_size == 0) {
    c->blocks -= raw != NULL;
    c->bytes -= old_size;
    free(raw);
    return NULL;
  }
  c->allocations++;
  if (c->fail_from && c->allocations >= c->fail_from &&
      !(c->fail_once && c->allocations > c->fail_from))
    return NULL;
  char *p = realloc(raw, HEAD + new_size);
  if (!p) return NULL;
  memcpy(p, &new_size, sizeof new_size);
  c->blocks += raw == NULL;
  c->bytes += new_size - old_size;
  if (c->bytes > c->peak) c->peak = c->bytes;
  return p + HEAD;
}

uop_options counted(counter *c) {
  uop_options o = {counting_alloc, c, 0, 0};
  return o;
}
