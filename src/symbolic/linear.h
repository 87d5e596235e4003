/* linear.h - i32 values as sums: k0*x0 + k1*x1 + … + c. What rules cannot say, since a sum has any
 * number of terms: like terms, common factors, quotients and remainders of sums, comparisons.
 *
 * Coefficients are what they are modulo 2^32, from INT32_MIN to INT32_MAX, and so a sum always
 * stands for its node's value modulo 2^32. `exact` says more: that the sum of integers lies within
 * i32 for all values that bounds allow, so that it is the value, whatever wraps on the way.
 */
#ifndef UOP_LINEAR_H
#define UOP_LINEAR_H

#include "symbolic/symbolic.h"

enum { LINEAR_TERMS = 24 }; /* of a sum that is divided or compared; a longer one is left alone */

typedef struct linear_term {
  const uop *x;
  int64_t k;
  int64_t lo, hi; /* of x */
} linear_term;

typedef struct linear {
  size_t n;
  int64_t c;
  int64_t lo, hi; /* of the sum, as integers; set by uopi_linear_bounds */
  bool exact;
  linear_term term[LINEAR_TERMS];
} linear;

typedef struct algebra { /* what the functions here work in */
  uop_ctx *ctx;
  uop_map *bounds;
  const uop_tuple *shape; /* of what is built */
} algebra;

static inline int64_t uopi_wrap(int64_t v) { /* modulo 2^32, into i32 */
  int64_t low = (int64_t)((uint64_t)v & 0xffffffffu);
  return low > INT32_MAX ? low - (INT64_C(1) << 32) : low;
}
static inline int64_t uopi_floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
static inline int64_t uopi_floor_mod(int64_t a, int64_t b) { return a - uopi_floor_div(a, b) * b; }
int64_t uopi_gcd(int64_t a, int64_t b);

/* The value of an i32 constant, broadcast or not; false: u is none. */
bool uopi_int_of(const uop *u, int64_t *v);

/* The sum that u is. False: it has too many terms, or an error (out of memory). */
bool uopi_linear_read(const algebra *a, const uop *u, linear *f);

/* f += k * x modulo 2^32; x's bounds are asked for. False as above. */
bool uopi_linear_add(const algebra *a, linear *f, const uop *x, int64_t k);

/* The same of integers: false also where the coefficient would leave i32. */
bool uopi_linear_add_exact(const algebra *a, linear *f, const uop *x, int64_t k);

/* Drops terms of coefficient 0, and sets lo, hi and exact. */
void uopi_linear_bounds(linear *f);

/* The sum as a node, in the one canonical form; the terms may be reordered. NULL: out of memory. */
const uop *uopi_linear_build(const algebra *a, linear *f);
const uop *uopi_sum_build(const algebra *a, linear_term *t, size_t n, int64_t c);

/* Heap sort: in place, n log n, and no recursion. `before` is a strict order. */
void uopi_sort_terms(linear_term *t, size_t n,
                     bool (*before)(const linear_term *a, const linear_term *b));
bool uopi_term_before(const linear_term *a, const linear_term *b); /* by x, as uopi_before */

/* x op c, with c broadcast. */
const uop *uopi_with_int(const algebra *a, uop_op op, const uop *x, int64_t c);
const uop *uopi_int(const algebra *a, int64_t c);

/* The work, as uop_cost_of() counts it, of the arithmetic around u: ADD, MUL, FLOORDIV, FLOORMOD
 * and comparisons, two quotients deep; UINT32_MAX where that is large. */
uint32_t uopi_arithmetic(const uop *u);

/* Whether a stands before b where operands may be swapped: constants last, others by their
 * structure alone, so that every context and run agrees. Of one node: false. */
bool uopi_before(const uop *a, const uop *b);

/* u // d and u mod d of a sum, d not 0; NULL: nothing is known of it, or an error. */
const uop *uopi_divide(const algebra *a, linear *f, int64_t d, int depth);
const uop *uopi_modulo(const algebra *a, linear *f, int64_t d, int depth);

#endif
