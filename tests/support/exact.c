/* exact.c - see exact.h. */
#include "support/exact.h"

#include <math.h>
#include <string.h>

float f32_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* ---- casts ---- */

/* What a finite f16 is, in units of 2^-24: a whole number of 41 bits at most. */
static int64_t f16_units(uint32_t h) {
  int64_t exp = h >> 10 & 31, man = h & 0x3ff;
  return exp == 0 ? man : (man + 1024) << (exp - 1);
}

uint32_t exact_f16_to_f32(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, a = h & 0x7fff;
  if (a > 0x7c00) return EXACT_F32_NAN;
  if (a == 0x7c00) return sign | EXACT_F32_INF;
  return sign | bits_of((float)f16_units(a) * 0x1p-24f); /* 11 bits that count */
}

/* x is m * 2^e; the spacing of f16 there is 2^u. m / 2^(u-e) is rounded by its remainder, and a
 * carry is the next exponent's first value, as the bits have it. */
uint16_t exact_f32_to_f16(uint32_t x) {
  uint32_t sign = x >> 16 & 0x8000, a = x & 0x7fffffff, exp = a >> 23;
  if (a > EXACT_F32_INF) return EXACT_F16_NAN;
  if (a == EXACT_F32_INF) return (uint16_t)(sign | 0x7c00);
  int64_t m = exp ? (a & 0x7fffff) | 0x800000 : a, e = (int64_t)(exp ? exp : 1) - 150;
  int64_t u = e + 13 > -24 ? e + 13 : -24, q = 0;
  if (u - e <= 25) {
    int64_t unit = INT64_C(1) << (u - e), rest = m % unit;
    q = m / unit;
    q += 2 * rest > unit || (2 * rest == unit && q % 2);
  }
  int64_t h = q + (u + 24) * 1024;
  return (uint16_t)(sign | (uint32_t)(h < 0x7c00 ? h : 0x7c00));
}

/* The mantissa shifted to where its unit is 1. */
int32_t exact_f32_to_i32(uint32_t x) {
  uint32_t a = x & 0x7fffffff;
  int exp = (int)(a >> 23) - 150;
  int64_t m = (a & 0x7fffff) | 0x800000;
  if (a > EXACT_F32_INF) return 0;
  if (exp >= 8) return x >> 31 ? INT32_MIN : INT32_MAX;
  m = exp >= 0 ? m << exp : exp > -32 ? m >> -exp : 0;
  return (int32_t)(x >> 31 ? -m : m);
}

/* Halved until 24 bits are left; what fell off says how to round. */
uint32_t exact_i32_to_f32(int32_t x) {
  int64_t a = x < 0 ? -(int64_t)x : x, unit = 1;
  if (a == 0) return 0;
  while (a / unit >= 1 << 24) unit *= 2;
  int64_t m = a / unit, rest = a % unit;
  m += 2 * rest > unit || (2 * rest == unit && m % 2);
  float y = (float)m * (float)unit; /* 24 bits, or 2^24, times a power of two */
  return bits_of(x < 0 ? -y : y);
}

/* ---- division ---- */

/* The floor is the only q with 0 <= (a - q b) / b < 1. */
void exact_floor(int32_t a, int32_t b, int32_t *quotient, int32_t *modulus) {
  int64_t q = 0, m = a, x = a, y = b;
  if (y != 0) {
    q = x / y;
    while (y > 0 ? q * y > x : q * y < x) q--;
    while (y > 0 ? (q + 1) * y <= x : (q + 1) * y >= x) q++;
    m = x - q * y;
  }
  *quotient = (int32_t)(q > INT32_MAX ? q - (INT64_C(1) << 32) : q);
  *modulus = (int32_t)m;
}

/* ---- recip and sqrt: the true value lies between the midpoints to both neighbours ---- */

/* The midpoint of y and the float above, and that of y and the float below: 25 bits. y is not
 * negative; above the greatest comes 2^128, and below 0 nothing that matters. */
static double midpoint(uint32_t y, int direction) {
  uint32_t next = direction > 0 ? y + 1 : y == 0 ? 0 : y - 1;
  double a = f32_of(y), b = next == EXACT_F32_INF ? 0x1p128 : (double)f32_of(next);
  return a + (b - a) / 2;
}

/* x times a midpoint has 49 bits and is near 1: a double holds it. It is never 1, as the midpoint
 * is no power of two. */
bool exact_recip(uint32_t x, uint32_t y) {
  uint32_t a = x & 0x7fffffff, sign = x & 0x80000000u;
  if (a > EXACT_F32_INF) return y == EXACT_F32_NAN;
  if (a == EXACT_F32_INF) return y == sign;
  if (a == 0) return y == (sign | EXACT_F32_INF);
  if ((y & 0x80000000u) != sign) return false;
  double v = f32_of(a);
  y &= 0x7fffffff;
  if (y > EXACT_F32_INF) return false;
  if (y == EXACT_F32_INF) return v * midpoint(EXACT_F32_INF - 1, 1) <= 1;
  return v * midpoint(y, -1) < 1 && v * midpoint(y, 1) > 1;
}

/* The square of a midpoint has 50 bits. It is never x, which has 24: the last of 50 is a one. */
bool exact_sqrt(uint32_t x, uint32_t y) {
  if (x == 0 || x == 0x80000000u || x == EXACT_F32_INF) return y == x;
  if (x > EXACT_F32_INF) return y == EXACT_F32_NAN; /* NaNs, and all that is negative */
  if (y >= EXACT_F32_INF) return false;
  double v = f32_of(x), low = midpoint(y, -1), high = midpoint(y, 1);
  return low * low < v && v < high * high;
}

/* ---- functions ---- */

/* 2^n for an n of a normal double. */
static double power_of_two(int n) {
  uint64_t bits = (uint64_t)(n + 1023) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

double ulps_off(float y, double want) {
  if (want != want || y != y) return want != want && y != y ? 0 : 1e9;
  float rounded = (float)want;
  if (isinf(rounded) || isinf(y)) return y == rounded ? 0 : 1e9;
  uint64_t bits;
  memcpy(&bits, &want, sizeof bits);
  int exp = (int)(bits >> 52 & 0x7ff) - 1023;
  return fabs((double)y - want) * power_of_two(23 - (exp < -126 ? -126 : exp));
}
