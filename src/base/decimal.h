/* decimal.h - f32 to shortest decimal and back, exactly, whatever the locale.
 *
 * Invariants: uopi_parse_f32 of what uopi_format_f32 wrote is the same float, bit for bit (NaN and
 * the infinities are words, which the lexer reads). Neither allocates, calls libc's conversions, or
 * does floating-point arithmetic: the rounding mode, flush-to-zero and -ffast-math change nothing.
 */
#ifndef UOP_DECIMAL_H
#define UOP_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

enum { UOPI_F32_CHARS = 24 }; /* room enough for any float that uopi_format_f32 writes */

/* Writes v at p: the shortest digits that read back as v and, among those, the nearest to v; laid
 * out as Python lays out a float by the exponent of those digits, positional from 1e-4 to below
 * 1e16, else with an exponent of a sign and two digits (`1e-05`, `1e+16`); always with a point or
 * an exponent; `inf`, `-inf`, `nan` (any NaN), `-0.0`. No NUL; returns the end. */
char *uopi_format_f32(char *p, float v);

/* The f32 nearest to the decimal s[0..n), ties to even, rounded once however many digits there are.
 * s is [+-] digits with optionally a point and/or an exponent, as `7`, `1.`, `.5`, `+1e5`; the
 * caller has checked that. Time is linear in n, memory constant; an exponent may have any length.
 * *overflow says whether the decimal rounds beyond FLT_MAX (the result then is +-inf). `-0` is
 * -0.0; whether an integer may be that is the caller's to say. */
float uopi_parse_f32(const char *s, size_t n, bool *overflow);

#endif
