/* mixed.h - random expressions of all dtypes over few leaves and the constants on which algebra
 * turns (0, -0.0, 1, -1, infinities, NaN), of scalars or of small arrays: rules find more in them
 * than among random programs of all ops. Values that may be out of an axis pick elements. */
#ifndef TEST_MIXED_H
#define TEST_MIXED_H

#include "support/random.h"

/* Of some `steps` ops; what uop_run_eval computes. */
const uop *mixed_random(uop_ctx *ctx, rng *r, int steps);

#endif
