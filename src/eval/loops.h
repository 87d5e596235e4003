/* loops.h - the loops over whole blocks of elements, and which of their builds this machine runs.
 *
 * Each build has the same functions from the same text (loops.def) for wider vectors. No operation
 * is contracted or reassociated in any, so that all give the same bits; only speed differs.
 */
#ifndef UOP_LOOPS_H
#define UOP_LOOPS_H

#include "base/base.h"

enum { UOPI_LANES = 16 }; /* of a float sum: see reduce.c */

/* Each of n elements from those at the same place. `out` is none of `in`. */
typedef void uopi_loop(size_t n, void *out, const void *const *in);
/* Takes n more elements of a row into its accumulator. */
typedef void uopi_fold(void *acc, const void *in, size_t n);

typedef struct uopi_loops {
  const char *name;
  uopi_loop *ops[UOP_OP_COUNT][UOP_DTYPE_COUNT];      /* by op and dtype of the last source */
  uopi_loop *casts[UOP_DTYPE_COUNT][UOP_DTYPE_COUNT]; /* from, to */
  /* The same for values that leave the run: their NaNs are canonical. NULL: so they are anyway. */
  uopi_loop *outs[UOP_OP_COUNT][UOP_DTYPE_COUNT], *out_casts[UOP_DTYPE_COUNT][UOP_DTYPE_COUNT];
  uopi_fold *sums[UOP_DTYPE_COUNT], *maxima[UOP_DTYPE_COUNT];
  void (*rows)(float *out, const float *in, size_t rows, size_t n); /* short rows of f32, summed */
  bool (*is_canonical)(uop_dtype d, const void *in, size_t n); /* no NaN but the canonical one */
  void (*canonical)(uop_dtype d, void *inout, size_t n);
} uopi_loops;

/* The builds that this machine can run, the widest first; NULL behind the last. */
const uopi_loops *uopi_loops_of(size_t i);

#endif
