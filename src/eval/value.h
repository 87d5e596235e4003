/* value.h - values on their own: their limits, their elements as text. */
#ifndef UOP_VALUE_H
#define UOP_VALUE_H

#include "base/base.h"

/* Elements: the product of dims, which is in range; factors before a 0 may not be. */
int64_t uopi_count(const int64_t *dims, size_t rank);

/* A value's dims checked against the limits: elements, or -1 with the limit in *limit. */
int64_t uopi_check_dims(const int64_t *dims, size_t rank, const char **limit);

/* Sets out's type and makes room for its elements. False: out of memory. */
bool uopi_value_make(uop_ctx *ctx, uop_dtype d, const int64_t *dims, size_t rank, uop_value *out);

enum { UOPI_ELEMENT_CHARS = 24 };
/* Writes element i; at most UOPI_ELEMENT_CHARS bytes, no NUL; returns the end. */
char *uopi_format_element(char *p, uop_dtype d, const void *data, int64_t i);

#endif
