/* memory.c - the module's memory: counted, so that a page can see that all of it comes back, and
 * never more than MAX_MEMORY.
 */
#include "glue.h"

#include <stdlib.h>
#include <string.h>

static size_t used;

void *mem_alloc(void *user, void *p, size_t old, size_t size) {
  (void)user;
  if (!p) old = 0;
  if (size > old && size - old > MAX_MEMORY - used) return NULL;
  if (size == 0) {
    free(p);
    used -= old;
    return NULL;
  }
  void *q = realloc(p, size);
  if (q) used += size - old; /* wraps where it shrinks */
  return q;
}

/* ---- with the size in front ---- */

enum { HEAD = 16 }; /* keeps the bytes aligned for any type */

EXPORT("alloc") void *mem_new(size_t n) {
  if (n > MAX_MEMORY) return NULL;
  n += HEAD;
  char *p = mem_alloc(NULL, NULL, 0, n);
  if (!p) return NULL;
  memcpy(p, &n, sizeof n);
  return p + HEAD;
}

EXPORT("drop") void mem_drop(void *p) {
  size_t n;
  if (!p) return;
  char *raw = (char *)p - HEAD;
  memcpy(&n, raw, sizeof n);
  mem_alloc(NULL, raw, n, 0);
}

EXPORT("bytes") size_t mem_bytes(void) { return used; }
