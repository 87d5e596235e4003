/* gather.h - sums and products in canonical form, as one pass over a graph. */
#ifndef UOP_GATHER_H
#define UOP_GATHER_H

#include "symbolic/linear.h"

/* out[i] becomes roots[i] with every i32 sum and product below it gathered; NULLs stay. `bounds` is
 * a memo of uop_bounds(). Steps are told to o->trace, as rule `gather`, and origins recorded as a
 * rewrite does. False: an error. */
bool uopi_gather(uop_ctx *ctx, uop_map *bounds, const uop_rewrite_options *o,
                 const uop *const *roots, size_t n, const uop **out);

#endif
