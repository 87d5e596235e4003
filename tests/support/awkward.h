/* awkward.h - inputs on which wrong arithmetic shows: -0.0, infinities, NaNs of any payload,
 * subnormals, INT_MIN, small integers beside each other. */
#ifndef TEST_AWKWARD_H
#define TEST_AWKWARD_H

#include "support/random.h"

/* Sets element i of an array of that dtype. */
void awkward_put(rng *r, uop_dtype d, void *data, int64_t i);

/* A value for a PARAM or BUFFER: the same for the same seed. Freed with uop_value_free(). */
void awkward_fill(const uop *input, uint64_t seed, uop_value *out);

/* Runs g, and what it became: h. */
typedef enum sameness {
  SAME,     /* bit for bit, any NaN being any other */
  NOT_SAME, /* other bits, or h fails where g succeeded */
  NOT_RUN   /* g fails, and so h may do what it likes */
} sameness;
sameness same_values(const uop *g, const uop *h, uint64_t seed);

#endif
