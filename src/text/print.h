/* print.h - pieces of the canonical text that DOT and the tree form share. */
#ifndef UOP_PRINT_H
#define UOP_PRINT_H

#include "ir/memo.h"

/* A CONST's value as a literal: 2, 2.0, true. */
void uopi_print_const(uopi_buf *b, const uop *u);

/* The arg that stands among the operands, if the op has one: BUFFER's size, RESHAPE's tuple. */
bool uopi_print_positional(uopi_buf *b, const uop *u);

/* "slot=0 dtype=f32 shape=(3,)": the attributes, separated by blanks; nothing for none. */
void uopi_print_attributes(uopi_buf *b, const uop *u);

/* (), (3,), (2, 3) */
void uopi_print_tuple(uopi_buf *b, const int64_t *at, size_t n);

#endif
