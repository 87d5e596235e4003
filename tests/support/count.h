/* count.h - an allocator for uop_options that counts, and can be told to fail. */
#ifndef TEST_COUNT_H
#define TEST_COUNT_H

#include "uop.h"

typedef struct counter {
  uint64_t bytes, peak; /* held now, and at most */
  uint64_t blocks;      /* held now */
  uint64_t allocations; /* ever, resizings included */
  uint64_t fail_from;   /* every allocation from this number on fails; 0: none */
  bool fail_once;       /* only that one does */
} counter;

void *counting_alloc(void *user, void *ptr, size_t old_size, size_t new_size);

/* Options whose memory `c` counts. */
uop_options counted(counter *c);

#endif
