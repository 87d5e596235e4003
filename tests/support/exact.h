/* exact.h - what a result must be, worked out in another way than the library does: in integers, or
 * in doubles where those cannot round. Floats are given by their bits. */
#ifndef TEST_EXACT_H
#define TEST_EXACT_H

#include <stdbool.h>
#include <stdint.h>

enum { EXACT_F32_INF = 0x7f800000, EXACT_F32_NAN = 0x7fc00000, EXACT_F16_NAN = 0x7e00 };

float f32_of(uint32_t bits);
uint32_t bits_of(float x);

/* CAST. */
uint32_t exact_f16_to_f32(uint16_t h);
uint16_t exact_f32_to_f16(uint32_t x);
int32_t exact_f32_to_i32(uint32_t x);
uint32_t exact_i32_to_f32(int32_t x);

/* FLOORDIV and FLOORMOD. */
void exact_floor(int32_t a, int32_t b, int32_t *quotient, int32_t *modulus);

/* Whether y is RECIP of x, or SQRT of it, correctly rounded. */
bool exact_recip(uint32_t x, uint32_t y);
bool exact_sqrt(uint32_t x, uint32_t y);

/* How far y is from `want`, in units of the f32 spacing there; 1e9 where one is NaN or infinite as
 * an f32 and the other is not the same. */
double ulps_off(float y, double want);

#endif
