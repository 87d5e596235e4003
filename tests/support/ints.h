/* ints.h - index arithmetic: random expressions of i32 and bool over a few variables, and their
 * values, computed here and not by the library, for many values of the variables at once.
 */
#ifndef TEST_INTS_H
#define TEST_INTS_H

#include "support/random.h"

enum { LANES = 64, LEAVES = 16 };

/* Values of the leaves: of the RANGE of idx i, at [i]; of the PARAM of slot i, at [8 + i]. */
typedef struct ints_leaves {
  int32_t at[LEAVES][LANES];
} ints_leaves;

/* Random ones, each within what the leaf can be; ends and small ones often. The graph's RANGEs have
 * constant ends. */
void ints_fill(const uop *u, rng *r, ints_leaves *leaves);

/* out[lane] = u's value; false: u has an op that is not of scalar i32 or bool. */
bool ints_eval(const uop *u, const ints_leaves *leaves, int32_t *out);

/* A scalar expression of some `steps` ops over 1 to 4 variables with bounds. */
const uop *ints_random(uop_ctx *ctx, rng *r, int steps);

/* lo..hi, made of the RANGE of that idx. */
const uop *ints_variable(uop_ctx *ctx, int64_t idx, int64_t lo, int64_t hi);

#endif
