/* run.h - runs a program given as text: its result, or its error, as one string. */
#ifndef TEST_RUN_H
#define TEST_RUN_H

#include "uop.h"

typedef struct outcome {
  char *text; /* "[1.0, 2.0]", or "error 13: BUFFER slot=0 has no value"; the caller's */
  uop_run_stats stats;
} outcome;

/* Evaluates every root; the result is the last one's. `in[i]`, i below 8, is what PARAM slot i is
 * given: "f32 [1, 2]"; NULL: nothing; "buffer f32 [1]": BUFFER i. `o` and `in` may be NULL. */
outcome run_program(const char *text, const uop_run_options *o, const char *const *in);

/* Fails the test where the result is another than `want`. */
void expect_run(const char *text, const char *want, const char *const *in);
#define EXPECT(text, want)         expect_run(text, want, NULL)
#define EXPECT_IN(text, want, ...) expect_run(text, want, (const char *const[9]){__VA_ARGS__})

/* The parts of it. What they return is the caller's. */
uop_dtype dtype_named(const char *s, size_t n);
char *copy_of(const char *s);
char *error_text(uop_ctx *ctx); /* "error 13: …" */
/* As uop_value_print() has it, but on one line: expectations of values need no layout. */
char *flat_text(uop_ctx *ctx, const uop_value *v);

#endif
