/* decimal.c - binary32 to shortest decimal and back, both exact; see decimal.h for what holds.
 *
 * Both directions multiply by a power of ten of which the top 64 bits are in a table, and know how
 * far that product can be off:
 *
 * - Printing is Schubfach (Raffaello Giulietti, "The Schubfach way to render doubles", 2021), which
 *   gives what Ryu gives (Ulf Adams, PLDI 2018) with no loop over digits. Let w be the width of the
 *   interval that reads back as v, and 10^k <= w < 10^(k+1): at least one multiple of 10^k is in
 *   it, and at most one of 10^(k+1). If there is one of 10^(k+1), then it is the shortest, alone;
 *   otherwise the nearest multiple of 10^k is.
 * - Reading brackets the decimal between two numbers 2^-57 of it apart. If both round to the same
 *   float, so does the decimal, since rounding is monotone. (This step is the one of Lemire's
 *   "Number Parsing at a Gigabyte per Second", 2021, with an error bound in place of its case
 *   analysis.) Otherwise there is exactly one midpoint of two floats in the bracket, and one exact
 *   comparison with it decides (as Clinger's AlgorithmR, PLDI 1990, without its iteration).
 *
 * Invariants: integers only, at most 64 bits wide, so that no rounding mode, flush-to-zero,
 * excess precision or locale matters; stack of constant size; no state but const tables.
 */
#include "base/decimal.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

_Static_assert(FLT_RADIX == 2 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128 && sizeof(float) == 4,
               "float must be IEEE binary32");

#define F32_INF UINT32_C(0x7f800000)

/* ---- what both directions use ---- */

enum { POW10_MIN = -64, POW10_MAX = 45, POW10_EXACT = 27 }; /* 5^27 < 2^64 < 5^28 */

/* pow10_top[k - POW10_MIN] = floor(10^k * 2^(63 - floor(log2 10^k))): 2^63 <= it < 2^64, exact for
 * 0 <= k <= POW10_EXACT, less than 1 below 10^k's otherwise. In Python, exactly:
 *   from fractions import Fraction as F
 *   for k in range(-64, 46):
 *     g = F(10)**k * F(2)**(63 - (k * 217706 >> 16)); print(hex(g.numerator // g.denominator)) */
static const uint64_t pow10_top[POW10_MAX - POW10_MIN + 1] = {
    0xa87fea27a539e9a5, 0xd29fe4b18e88640e, 0x83a3eeeef9153e89, 0xa48ceaaab75a8e2b,
    0xcdb02555653131b6, 0x808e17555f3ebf11, 0xa0b19d2ab70e6ed6, 0xc8de047564d20a8b,
    0xfb158592be068d2e, 0x9ced737bb6c4183d, 0xc428d05aa4751e4c, 0xf53304714d9265df,
    0x993fe2c6d07b7fab, 0xbf8fdb78849a5f96, 0xef73d256a5c0f77c, 0x95a8637627989aad,
    0xbb127c53b17ec159, 0xe9d71b689dde71af, 0x9226712162ab070d, 0xb6b00d69bb55c8d1,
    0xe45c10c42a2b3b05, 0x8eb98a7a9a5b04e3, 0xb267ed1940f1c61c, 0xdf01e85f912e37a3,
    0x8b61313bbabce2c6, 0xae397d8aa96c1b77, 0xd9c7dced53c72255, 0x881cea14545c7575,
    0xaa242499697392d2, 0xd4ad2dbfc3d07787, 0x84ec3c97da624ab4, 0xa6274bbdd0fadd61,
    0xcfb11ead453994ba, 0x81ceb32c4b43fcf4, 0xa2425ff75e14fc31, 0xcad2f7f5359a3b3e,
    0xfd87b5f28300ca0d, 0x9e74d1b791e07e48, 0xc612062576589dda, 0xf79687aed3eec551,
    0x9abe14cd44753b52, 0xc16d9a0095928a27, 0xf1c90080baf72cb1, 0x971da05074da7bee,
    0xbce5086492111aea, 0xec1e4a7db69561a5, 0x9392ee8e921d5d07, 0xb877aa3236a4b449,
    0xe69594bec44de15b, 0x901d7cf73ab0acd9, 0xb424dc35095cd80f, 0xe12e13424bb40e13,
    0x8cbccc096f5088cb, 0xafebff0bcb24aafe, 0xdbe6fecebdedd5be, 0x89705f4136b4a597,
    0xabcc77118461cefc, 0xd6bf94d5e57a42bc, 0x8637bd05af6c69b5, 0xa7c5ac471b478423,
    0xd1b71758e219652b, 0x83126e978d4fdf3b, 0xa3d70a3d70a3d70a, 0xcccccccccccccccc,
    0x8000000000000000, 0xa000000000000000, 0xc800000000000000, 0xfa00000000000000,
    0x9c40000000000000, 0xc350000000000000, 0xf424000000000000, 0x9896800000000000,
    0xbebc200000000000, 0xee6b280000000000, 0x9502f90000000000, 0xba43b74000000000,
    0xe8d4a51000000000, 0x9184e72a00000000, 0xb5e620f480000000, 0xe35fa931a0000000,
    0x8e1bc9bf04000000, 0xb1a2bc2ec5000000, 0xde0b6b3a76400000, 0x8ac7230489e80000,
    0xad78ebc5ac620000, 0xd8d726b7177a8000, 0x878678326eac9000, 0xa968163f0a57b400,
    0xd3c21bcecceda100, 0x84595161401484a0, 0xa56fa5b99019a5c8, 0xcecb8f27f4200f3a,
    0x813f3978f8940984, 0xa18f07d736b90be5, 0xc9f2c9cd04674ede, 0xfc6f7c4045812296,
    0x9dc5ada82b70b59d, 0xc5371912364ce305, 0xf684df56c3e01bc6, 0x9a130b963a6c115c,
    0xc097ce7bc90715b3, 0xf0bdc21abb48db20, 0x96769950b50d88f4, 0xbc143fa4e250eb31,
    0xeb194f8e1ae525fd, 0x92efd1b8d0cf37be, 0xb7abc627050305ad, 0xe596b7b0c643c719,
    0x8f7e32ce7bea5c6f, 0xb35dbf821ae4f38b,
};

/* floor((x * mul - sub) / 2^shift) for a result above -1024, without shifting a negative number. */
static int scale_floor(int x, int mul, int sub, int shift) {
  return (int)((x * (int64_t)mul - sub + ((int64_t)1024 << shift)) >> shift) - 1024;
}

/* Each is exact in the range given; checked with exact integers over all of it. */
static int log2_pow10(int k) { return scale_floor(k, 217706, 0, 16); } /* -64 <= k <= 45 */
static int log10_pow2(int e) { return scale_floor(e, 315653, 0, 20); } /* -149 <= e <= 104 */
static int log10_3_4_pow2(int e) { return scale_floor(e, 315653, 131008, 20); } /* 3/4 * 2^e */

/* The finite float of these bits, without its sign, is m * 2^e. */
typedef struct scaled {
  uint32_t m;
  int e;
} scaled;

static scaled f32_unpack(uint32_t bits) {
  uint32_t field = bits >> 23 & 0xff, frac = bits & 0x7fffff;
  return field ? (scaled){frac | 0x800000, (int)field - 150} : (scaled){frac, -149};
}

/* ---- printing ---- */

/* A decimal: digits * 10^k. */
typedef struct decimal {
  uint32_t digits;
  int k;
} decimal;

/* floor(m * 2^e / 10^k), its lowest bit set as well where that is not exact ("round to odd", which
 * keeps every comparison with an even number). m < 2^27 and 2^e / 10^k is at least 1 and below 16.
 * The factor is taken from above, at most 1 too large, which makes the product m too large: less
 * than 2^-5 in y, in units of 2^-shift. So an integer stays one, and anything else keeps a part
 * unless it was that near below an integer; no float's is (the test program's option `all` visits
 * all 2^31). */
static uint32_t scale_to_odd(uint32_t m, int e, int k) {
  uint64_t g = pow10_top[-k - POW10_MIN] + 1;
  uint64_t y = m * (g >> 32) + (m * (g & 0xffffffff) >> 32);
  int shift = 31 - e - log2_pow10(-k);
  uint64_t part = y & ((UINT64_C(1) << shift) - 1);
  return (uint32_t)(y >> shift) | (part != 0);
}

/* The shortest decimal of the finite, positive float m * 2^e. Its neighbours' midpoints, and v, are
 * scaled by 4 / 10^k; they belong to the interval where m is even, since a tie reads as even.
 * Fewest digits and largest power of ten are the same thing: they could only differ for an interval
 * with both 9 * 10^k and 10^(k+1) inside and v nearer to the former, which takes a width above
 * 10% of v: subnormals m <= 9, and none is such (7 is 9.8e-45: 1e-44). */
static decimal shortest(uint32_t m, int e) {
  bool pow2 = m == 0x800000 && e > -149; /* the float below is half as far as the one above */
  int k = pow2 ? log10_3_4_pow2(e) : log10_pow2(e);
  uint32_t odd = m & 1;
  uint32_t low = scale_to_odd(4 * m - (pow2 ? 1 : 2), e, k) + odd;
  uint32_t v = scale_to_odd(4 * m, e, k);
  uint32_t high = scale_to_odd(4 * m + 2, e, k) - odd;

  uint32_t s = v / 4, ten = s / 10 * 10;
  bool ten_in = low <= 4 * ten, next_ten_in = 4 * (ten + 10) <= high;
  if (ten_in || next_ten_in) {
    uint32_t digits = ten_in ? ten : ten + 10;
    for (; digits % 10 == 0; digits /= 10) k++;
    return (decimal){digits, k};
  }
  bool s_in = low <= 4 * s, next_in = 4 * (s + 1) <= high;
  bool up = s_in && next_in ? v > 4 * s + 2 || (v == 4 * s + 2 && (s & 1)) : next_in;
  return (decimal){s + up, k};
}

static char *put(char *p, const char *s, int n) {
  memcpy(p, s, (size_t)n);
  return p + n;
}

static char *put_zeros(char *p, int n) {
  while (n-- > 0) *p++ = '0';
  return p;
}

/* Digits s[0..n), the first of which stands for a multiple of 10^exp. */
static char *put_positional(char *p, const char *s, int n, int exp) {
  if (exp < 0) {
    p = put_zeros(put(p, "0.", 2), -exp - 1);
    return put(p, s, n);
  }
  int whole = exp + 1;
  if (n <= whole) return put(put_zeros(put(p, s, n), whole - n), ".0", 2);
  p = put(p, s, whole);
  *p++ = '.';
  return put(p, s + whole, n - whole);
}

static char *put_scientific(char *p, const char *s, int n, int exp) {
  *p++ = s[0];
  if (n > 1) {
    *p++ = '.';
    p = put(p, s + 1, n - 1);
  }
  *p++ = 'e';
  *p++ = exp < 0 ? '-' : '+';
  if (exp < 0) exp = -exp;
  *p++ = (char)('0' + exp / 10); /* two digits: at most 45 */
  *p++ = (char)('0' + exp % 10);
  return p;
}

/* At most a sign, 16 digits and ".0", or a sign, "0.000" and 9 digits. */
char *uopi_format_f32(char *p, float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  bool negative = bits >> 31;
  bits &= 0x7fffffff;
  if (bits > F32_INF) return put(p, "nan", 3);
  if (negative) *p++ = '-';
  if (bits == F32_INF) return put(p, "inf", 3);
  if (bits == 0) return put(p, "0.0", 3);

  scaled f = f32_unpack(bits);
  decimal d = shortest(f.m, f.e);
  char buf[10], *end = buf + sizeof buf, *s = end;
  for (uint32_t rest = d.digits; rest; rest /= 10) *--s = (char)('0' + rest % 10);
  int n = (int)(end - s), exp = d.k + n - 1;
  return -4 <= exp && exp < 16 ? put_positional(p, s, n, exp) : put_scientific(p, s, n, exp);
}

/* ---- reading: the characters ---- */

/* HEAD_DIGITS fit in 64 bits. MAX_DIGITS hold any midpoint of two floats: the longest is
 * (2^25 - 1) * 2^-150 = (2^25 - 1) * 5^150 * 10^-150, of 113 digits. A decimal cut after 113 digits
 * or more is on the same side of every midpoint as all of it, or is equal to one, and then it
 * matters only whether a digit was lost that is not 0. */
enum { HEAD_DIGITS = 19, MAX_DIGITS = 120 };

/* A decimal as read: 0.DDD… * 10^point, D from the first digit that is not 0. */
typedef struct literal {
  bool negative;
  const char *first; /* that digit */
  const char *end;   /* of the digits */
  size_t ndigits;    /* up to the last digit that is not 0; 0: the value is 0 */
  int64_t point;
  uint64_t head; /* the first nhead digits */
  int nhead;
} literal;

/* Saturates, far above what the number of digits can make up for. */
static int64_t scan_exponent(const char *s, const char *end) {
  bool negative = s < end && *s == '-';
  if (s < end && (*s == '+' || *s == '-')) s++;
  int64_t x = 0;
  for (; s < end && x < INT64_C(100000000000000000); s++) x = x * 10 + (*s - '0');
  return negative ? -x : x;
}

static literal scan(const char *s, const char *end) {
  literal l = {0};
  l.negative = s < end && *s == '-';
  if (s < end && (*s == '+' || *s == '-')) s++;
  bool after_point = false;
  size_t n = 0; /* digits since the first that is not 0 */
  for (; s < end && (*s == '.' || ('0' <= *s && *s <= '9')); s++) {
    if (*s == '.') {
      after_point = true;
    } else if (n == 0 && *s == '0') {
      l.point -= after_point;
    } else {
      if (n++ == 0) l.first = s;
      l.point += !after_point;
      if (*s != '0') l.ndigits = n;
      if (n > HEAD_DIGITS) continue;
      l.head = l.head * 10 + (uint64_t)(*s - '0');
      l.nhead = (int)n;
    }
  }
  l.end = s;
  if (s < end) l.point += scan_exponent(s + 1, end);
  return l;
}

/* ---- reading: the comparison with a midpoint ---- */

/* A natural number, least word first. The two sides of a comparison are within 2^-57 of each other,
 * and one of them is not shifted: below 10^120 < 2^399 or 2^25 * 5^165 < 2^409. So 13 words hold
 * either. */
enum { BIG_WORDS = 13 };
typedef struct big {
  uint32_t at[BIG_WORDS];
  int len; /* the last word is not 0 */
} big;

/* b = b * mul + add */
static void big_mul_add(big *b, uint32_t mul, uint32_t add) {
  uint64_t carry = add;
  for (int i = 0; i < b->len; i++) {
    carry += (uint64_t)b->at[i] * mul;
    b->at[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) b->at[b->len++] = (uint32_t)carry;
}

static void big_mul_pow5(big *b, int n) {
  for (; n >= 13; n -= 13) big_mul_add(b, 1220703125, 0); /* 5^13 */
  for (; n > 0; n--) big_mul_add(b, 5, 0);
}

static void big_shift_left(big *b, int n) {
  big_mul_add(b, UINT32_C(1) << n % 32, 0);
  memmove(b->at + n / 32, b->at, (size_t)b->len * sizeof *b->at);
  memset(b->at, 0, (size_t)(n / 32) * sizeof *b->at);
  b->len += n / 32;
}

static int big_compare(const big *a, const big *b) {
  if (a->len != b->len) return a->len < b->len ? -1 : 1;
  for (int i = a->len - 1; i >= 0; i--)
    if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
  return 0;
}

/* The first MAX_DIGITS digits as a whole number; returns how many there were. */
static int big_digits(big *b, const literal *l) {
  int n = 0;
  b->len = 0;
  for (const char *s = l->first; s < l->end && n < MAX_DIGITS; s++) {
    if (*s == '.') continue;
    big_mul_add(b, 10, (uint32_t)(*s - '0'));
    n++;
  }
  return n;
}

/* Is the decimal nearer to the float after `bits` than to it? On a tie: is that one even? Both are
 * known to be its neighbours. Compares digits * 10^k with (2m + 1) * 2^(e-1). */
static bool above_midpoint(const literal *l, uint32_t bits) {
  scaled f = f32_unpack(bits);
  big x, mid = {{2 * f.m + 1}, 1};
  int k = (int)l->point - big_digits(&x, l);
  if (k >= 0)
    big_mul_pow5(&x, k);
  else
    big_mul_pow5(&mid, -k);
  int shift = k - (f.e - 1);
  if (shift >= 0)
    big_shift_left(&x, shift);
  else
    big_shift_left(&mid, -shift);

  int order = big_compare(&x, &mid);
  if (order == 0 && l->ndigits > MAX_DIGITS) order = 1;
  return order > 0 || (order == 0 && (bits & 1));
}

/* ---- reading: the product ---- */

/* The upper half of a * b; *low gets the lower. */
static uint64_t mul_high(uint64_t a, uint64_t b, uint64_t *low) {
  uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
  uint64_t ll = al * bl, lh = al * bh, hl = ah * bl;
  uint64_t mid = (ll >> 32) + (lh & 0xffffffff) + (hl & 0xffffffff);
  *low = mid << 32 | (ll & 0xffffffff);
  return ah * bh + (lh >> 32) + (hl >> 32) + (mid >> 32);
}

/* x shifted left until its top bit is set; *n gets by how much. x is not 0. */
static uint64_t normalize(uint64_t x, int *n) {
  *n = 0;
  for (int step = 32; step; step /= 2) {
    if (x >> (64 - step)) continue;
    x <<= step;
    *n += step;
  }
  return x;
}

/* The bits of the float nearest to m * 2^e, or to a little more where `more` is set; ties to even.
 * 2^60 <= m < 2^63. */
static uint32_t round_f32(uint64_t m, int e, bool more) {
  int top = e + (m >> 62 ? 62 : m >> 61 ? 61 : 60); /* 2^top <= m * 2^e */
  if (top > 127) return F32_INF;
  int unit = top - 23 > -149 ? top - 23 : -149; /* a float's last bit there is 2^unit */
  int shift = unit - e;
  if (shift > 63) return 0; /* below half of the least subnormal */
  uint32_t q = (uint32_t)(m >> shift);
  uint64_t rest = m & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
  bool up = rest > half || (rest == half && (more || (q & 1)));
  /* The hidden bit adds 1 to the exponent's field, which is 0 for subnormals; so does a carry. */
  return ((uint32_t)(unit + 149) << 23) + q + up;
}

/* The bits of the nearest float, with -45 <= point <= 39 and a value that is not 0. */
static uint32_t nearest_f32(const literal *l) {
  int k = (int)l->point - l->nhead, shift;
  uint64_t low, m = normalize(l->head, &shift);
  uint64_t high = mul_high(m, pow10_top[k - POW10_MIN], &low);
  int e = log2_pow10(k) + 3 - shift; /* of high / 4; high >= 2^62 */
  bool whole = l->ndigits <= HEAD_DIGITS;
  if (whole && 0 <= k && k <= POW10_EXACT) return round_f32(high / 4, e, high % 4 || low);

  /* Cut digits may be worth 1 in head, which is 2^shift <= 16 in m (head >= 10^18 then), and the
   * table's entry may be 1 too small: the product is below high + 1 + 16 + 1, and a quarter of that
   * below high / 4 + 6. */
  uint32_t bits = round_f32(high / 4, e, false);
  if (bits == round_f32(high / 4 + 6, e, false)) return bits;
  return bits + above_midpoint(l, bits);
}

float uopi_parse_f32(const char *s, size_t n, bool *overflow) {
  literal l = scan(s, s + n);
  uint32_t bits;
  if (l.ndigits == 0 || l.point < -45)
    bits = 0; /* below 10^-46 */
  else if (l.point > 39)
    bits = F32_INF; /* at least 10^39 */
  else
    bits = nearest_f32(&l);
  *overflow = bits == F32_INF;
  bits |= (uint32_t)l.negative << 31;
  float v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
