/* pages.c - the default allocator: realloc and free, and for large pieces pages of 2 MiB where the
 * system has them, since page faults otherwise cost more than building the nodes does.
 */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include "base/base.h"

#include <stdlib.h>

enum { HUGE_PAGE = UOPI_HUGE_PAGE };

static void *fresh(size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  void *p;
  size_t whole =
      size < SIZE_MAX - HUGE_PAGE ? (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1) : 0;
  if (size >= HUGE_PAGE && whole && posix_memalign(&p, HUGE_PAGE, whole) == 0) {
    madvise(p, whole, MADV_HUGEPAGE); /* advice: a refusal changes nothing but speed */
    return p;
  }
#endif
  return malloc(size);
}

void *uopi_default_alloc(void *user, void *p, size_t old, size_t size) {
  (void)user;
  if (size == 0) {
    free(p);
    return NULL;
  }
  if (!p) return fresh(size);
  if (size < HUGE_PAGE) return realloc(p, size);
  void *q = fresh(size); /* realloc would move it to small pages */
  if (!q) return NULL;
  memcpy(q, p, old < size ? old : size);
  free(p);
  return q;
}
