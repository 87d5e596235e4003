/* random.h - random well-typed graphs over every op and dtype, and the shrinking of one that fails.
 *
 * The same seed, size and flags give the same graph in every context and on every machine. What a
 * graph holds is adverse on purpose: -0.0, infinities, NaNs of any payload, subnormals, FLT_MAX,
 * INT_MIN; empty dimensions; memory in every space; effects; CALLs in CALLs; constants wherever an
 * op takes any dtype.
 */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include "uop.h"

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014) */
typedef struct rng {
  uint64_t state;
} rng;

uint64_t random_u64(rng *r);
uint32_t random_below(rng *r, uint32_t n); /* 0 .. n-1; n at least 1 */

enum {
  RANDOM_RUNNABLE = 1 /* only what uop_run_eval computes; a slot has one type */
};

/* A graph of about `steps` random nodes and the leaves that they need. Never NULL but for a bug (or
 * no memory): then the error is in the context. */
const uop *random_graph(uop_ctx *ctx, uint64_t seed, int steps, unsigned flags);

/* True where `g` shows the fault. It must leave the context's scopes as they were. */
typedef bool (*random_fault)(const uop *g, void *user);

/* A graph with the fault and as few nodes as replacing a node by one of its sources, or by a leaf
 * of its type, can make it. */
const uop *shrink(const uop *g, random_fault fault, void *user);

/* shrink, and the small graph printed as .uir to standard error under `what`. */
void shrink_and_print(const uop *g, random_fault fault, void *user, const char *what);

#endif
