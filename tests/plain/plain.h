/* plain.h - an evaluator that is written to be read: what the library's is checked against. Its
 * functions are those of uop_run_*, with values that have no strides. */
#ifndef PLAIN_H
#define PLAIN_H

#include "uop.h"

typedef struct plain_run plain_run;

plain_run *plain_new(uop_ctx *ctx, const uop_run_options *options);
void plain_free(plain_run *r);
bool plain_set(plain_run *r, uop_op op, int64_t slot, const uop_value *v);
bool plain_eval(plain_run *r, const uop *u, uop_value *out);
uop_run_stats plain_stats(const plain_run *r);

#endif
