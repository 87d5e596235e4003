/* test_decimal.c - base/decimal.c against glibc and against exact decimals built here.
 *
 * `test_decimal` runs the tests; `test_decimal all [FROM TO]` checks every positive float (bit
 * patterns FROM..TO), about half an hour: it is the proof that the 64-bit products of decimal.c are
 * enough.
 */
#include "base/decimal.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- tools ---- */

static uint32_t bits_of(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* xorshift64*, Vigna 2016 */
static uint64_t seed = 88172645463325252u;
static uint32_t random_bits(void) {
  seed ^= seed >> 12;
  seed ^= seed << 25;
  seed ^= seed >> 27;
  return (uint32_t)(seed * 2685821657736338717u >> 32);
}

/* What is printed, as a string; nothing beyond UOPI_F32_CHARS is touched. */
static const char *print(float v) {
  static char buf[UOPI_F32_CHARS + 8];
  memset(buf, '~', sizeof buf);
  char *end = uopi_format_f32(buf, v);
  assert_true(end > buf && end <= buf + UOPI_F32_CHARS);
  for (char *p = end; p < buf + sizeof buf; p++)
    if (*p != '~') fail_msg("%08x: writes beyond its end", bits_of(v));
  *end = 0;
  return buf;
}

/* What is read from exactly n bytes: an allocation of that size lets ASan see a byte too far. */
static uint32_t read_n(const char *s, size_t n) {
  char *copy = malloc(n);
  if (!copy) abort();
  memcpy(copy, s, n);
  bool overflow = n & 1; /* must be set either way */
  uint32_t bits = bits_of(uopi_parse_f32(copy, n, &overflow));
  free(copy);
  if (overflow != ((bits & 0x7fffffff) == 0x7f800000)) fail_msg("%.100s: *overflow", s);
  return bits;
}

static void reads_as(const char *s, uint32_t want) {
  uint32_t got = read_n(s, strlen(s));
  if (got != want) fail_msg("%.200s: read as %08x, not %08x", s, got, want);
}

static void prints_as(float v, const char *want) {
  const char *got = print(v);
  if (strcmp(got, want)) fail_msg("%08x: printed as %s, not %s", bits_of(v), got, want);
}

/* ---- the oracle for printing ---- */

/* glibc prints exactly: "%.*e" with n digits gives the decimal of n digits nearest to v, an even
 * last digit on a tie. If any decimal of at most n digits reads back as v, then one of the two that
 * enclose v does, since what reads back is an interval around v. The nearest is one of them; the
 * other, one unit to either side, can read back alone where the interval is lopsided (powers of
 * two). Puts the one to print into d, as "DDDDe±XX". */
static bool nearest_of(float v, int n, char d[40]) {
  snprintf(d, 40, "%.*e", n - 1, (double)v);
  if (bits_of(strtof(d, NULL)) == bits_of(v)) return true;
  char digits[16];
  int len = 0, exp = atoi(strchr(d, 'e') + 1);
  for (const char *s = d; *s != 'e'; s++)
    if (*s != '.') digits[len++] = *s;
  digits[len] = 0;
  long long x = atoll(digits), least = 1;
  for (int i = 1; i < n; i++) least *= 10;
  snprintf(d, 40, "%llde%d", x + 1, exp - n + 1);
  if (bits_of(strtof(d, NULL)) == bits_of(v)) return true;
  /* the one below a power of ten has its digits one place further right */
  if (x == least)
    snprintf(d, 40, "%llde%d", least * 10 - 1, exp - n);
  else
    snprintf(d, 40, "%llde%d", x - 1, exp - n + 1);
  return bits_of(strtof(d, NULL)) == bits_of(v);
}

/* Significant digits of a number in any layout, its zeros at both ends left out, and the exponent
 * of the first. */
static int take_apart(const char *s, char digits[40], int *exp) {
  int n = 0, point = 0, after = 0;
  for (; *s && *s != 'e'; s++) {
    if (*s == '.')
      after = 1;
    else if (n || *s != '0')
      digits[n++] = *s, point += !after;
    else
      point -= after;
  }
  while (n && digits[n - 1] == '0') n--;
  digits[n] = 0;
  *exp = point - 1 + (*s == 'e' ? atoi(s + 1) : 0);
  return n;
}

/* The layout, by its rule and character by character. */
static void lay_out(const char *digits, int n, int exp, char *p) {
  if (exp < -4 || exp >= 16) {
    int len = sprintf(p, "%c%s%s", digits[0], n > 1 ? "." : "", digits + 1);
    sprintf(p + len, "e%c%02d", exp < 0 ? '-' : '+', abs(exp));
    return;
  }
  for (int place = exp > 0 ? exp : 0; place >= -1 || place > exp - n; place--) {
    if (place == -1) *p++ = '.';
    int i = exp - place;
    *p++ = i >= 0 && i < n ? digits[i] : '0';
  }
  *p = 0;
}

/* Fewer digits than printed do not read back (one fewer is enough to ask for: a shorter decimal is
 * also one of n - 1 digits), those printed are the nearest of their number, they are laid out as
 * they should be, and they read back. v is finite and positive. */
static void check_print(float v) {
  char got[UOPI_F32_CHARS + 8], digits[40], shorter[40], near[40], want[80], near_digits[40];
  strcpy(got, print(v));
  int exp, near_exp, n = take_apart(got, digits, &exp);
  if (n < 1 || n > 9) fail_msg("%08x: %s", bits_of(v), got);
  if (n > 1 && nearest_of(v, n - 1, shorter)) fail_msg("%s is not as short as %s", got, shorter);
  if (!nearest_of(v, n, near)) fail_msg("%08x: %s does not read back", bits_of(v), got);
  take_apart(near, near_digits, &near_exp);
  if (strcmp(digits, near_digits) || exp != near_exp) fail_msg("%s is nearer than %s", near, got);
  lay_out(digits, n, exp, want);
  if (strcmp(got, want)) fail_msg("%s should look like %s", got, want);
  reads_as(got, bits_of(v));
}

/* With its neighbours and its negative. */
static void check_around(float v) {
  uint32_t at = bits_of(v);
  for (uint32_t bits = at > 3 ? at - 3 : 1; bits <= at + 3 && bits < 0x7f800000; bits++) {
    check_print(float_of(bits));
    char negative[40] = "-";
    strcat(negative, print(float_of(bits)));
    prints_as(-float_of(bits), negative);
    reads_as(negative, bits | 0x80000000);
  }
}

/* ---- printing ---- */

static void test_print_examples(void **state) {
  (void)state;
  static const struct {
    float v;
    const char *s;
  } is[] = {
      {1.0f, "1.0"},
      {0.1f, "0.1"},
      {0.0001f, "0.0001"},
      {123456789.0f, "123456790.0"},
      {1e-05f, "1e-05"},
      {0x1p-149f, "1e-45"},
      {0x3p-149f, "4e-45"},
      {0x7p-149f, "1e-44"},
      {1e16f, "1e+16"},
      {-0.0f, "-0.0"},
      {0.0f, "0.0"},
      {-1.0f, "-1.0"},
      {1.5f, "1.5"},
      {1e15f, "1000000000000000.0"},
      {9.999999e15f, "9999999000000000.0"},
      {-9.999999e15f, "-9999999000000000.0"},
      {9.999999e-5f, "9.999999e-05"},
      {0.00012345679f, "0.00012345679"},
      {3.4028235e38f, "3.4028235e+38"},
      {1.17549435e-38f, "1.1754944e-38"},
      {1.17549421e-38f, "1.1754942e-38"},
      {1.05400476e-26f, "1.05400476e-26"},
      {1e22f, "1e+22"},
      {-1.234e-30f, "-1.234e-30"},
      {16777216.0f, "16777216.0"},
      {33554432.0f, "33554432.0"},
      {0.3f, "0.3"},
      {100.0f, "100.0"},
      {8388607.5f, "8388607.5"},
      {3.14159274f, "3.1415927"},
      {0.333333343f, "0.33333334"},
      {1048576.25f, "1048576.2"},
      {1048576.75f, "1048576.8"}, /* ties: an even last digit */
  };
  for (size_t i = 0; i < COUNT(is); i++) {
    prints_as(is[i].v, is[i].s);
    reads_as(is[i].s, bits_of(is[i].v));
  }
  prints_as(INFINITY, "inf");
  prints_as(-INFINITY, "-inf");
  static const uint32_t nans[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff, 0x7fbfffff};
  for (size_t i = 0; i < COUNT(nans); i++) prints_as(float_of(nans[i]), "nan");
}

static void test_print_powers(void **state) {
  (void)state;
  for (int e = -149; e <= 127; e++) check_around(ldexpf(1, e));
  for (int e = -45; e <= 38; e++) {
    char s[16];
    sprintf(s, "1e%d", e);
    check_around(strtof(s, NULL));
    sprintf(s, "5e%d", e);
    check_around(strtof(s, NULL));
  }
}

/* All the shortest subnormals, all with one to three bits, the largest, and floats of one to three
 * bits in every binade. */
static void test_print_few_bits(void **state) {
  (void)state;
  for (uint32_t bits = 1; bits < 5000; bits++) check_print(float_of(bits));
  for (uint32_t bits = 0x7ff000; bits < 0x801000; bits++) check_print(float_of(bits));
  for (int i = 0; i < 23; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k <= j; k++)
        check_print(float_of(UINT32_C(1) << i | UINT32_C(1) << j | UINT32_C(1) << k));
  for (uint32_t field = 1; field < 255; field++)
    for (int i = 0; i < 23; i++)
      for (int j = 0; j <= i; j++)
        check_print(float_of(field << 23 | UINT32_C(1) << i | UINT32_C(1) << j));
}

static void test_print_random(void **state) {
  (void)state;
  for (int i = 0; i < 1000000; i++) {
    uint32_t bits = random_bits();
    float v = float_of(bits);
    if (isnan(v)) {
      prints_as(v, "nan");
    } else if (isfinite(v)) {
      if (v != 0) check_print(fabsf(v));
      reads_as(print(v), bits);
    }
  }
}

static void test_print_whole_range(void **state) {
  (void)state;
  for (uint32_t bits = 1; bits < 0x7f800000; bits += 9973) check_print(float_of(bits));
}

/* ---- reading ---- */

static void test_read_syntax(void **state) {
  (void)state;
  static const struct {
    const char *s;
    float v;
  } is[] = {
      {"0", 0.0f},
      {"-0", -0.0f},
      {"+0", 0.0f},
      {"-0.0", -0.0f},
      {"0e999", 0.0f},
      {"-.0e-5", -0.0f},
      {"0.", 0.0f},
      {"00000.00000e99999999999999999999999", 0.0f},
      {"1", 1},
      {"+3", 3},
      {"-7", -7},
      {"1.", 1},
      {".5", 0.5f},
      {"-.5", -0.5f},
      {"+1.e+1", 10},
      {"1e5", 1e5f},
      {"1E5", 1e5f},
      {"1E-5", 1e-5f},
      {"1e+05", 1e5f},
      {"00012.500", 12.5f},
      {"1e00000000000002", 100},
      {"1e-0", 1},
      {"12345678901234567890", 12345678901234567890.0f},
      {"123456789", 123456792.0f},
      {"16777217", 16777216.0f},
      {"16777219", 16777220.0f},
      {"0.1", 0.1f},
      {"1.4e-45", 0x1p-149f},
      {"1.17549435e-38", 0x1p-126f},
      {"3.4028235e38", FLT_MAX},
      {"1.05400476e-26", 1.05400476e-26f},
      {"1e22", 1e22f},
  };
  for (size_t i = 0; i < COUNT(is); i++) reads_as(is[i].s, bits_of(is[i].v));
}

static void test_read_limits(void **state) {
  (void)state;
  static const struct {
    const char *s;
    uint32_t bits;
  } is[] = {
      {"3.4028235677973366163753939545814e38", 0x7f7fffff},
      {"340282356779733661637539395458142568447", 0x7f7fffff},
      {"340282356779733661637539395458142568447.9999999999999999999999999", 0x7f7fffff},
      {"340282356779733661637539395458142568448", 0x7f800000}, /* half an ulp above FLT_MAX: even */
      {"-340282356779733661637539395458142568448", 0xff800000},
      {"3.4028236e38", 0x7f800000},
      {"1e39", 0x7f800000},
      {"1e40", 0x7f800000},
      {"9999999999999999999e38", 0x7f800000},
      {"1e999999999999", 0x7f800000},
      {"-1e99999999999999999999999999999999", 0xff800000},
      {"1e-999999999999", 0},
      {"-1e-99999999999999999999999999999999", 0x80000000},
      {"1e-46", 0},
      {"7.006e-46", 0},
      {"7.007e-46", 1},
      {"9.9e-46", 1},
      {"1e-45", 1},
      {"2.1019e-45", 1},
      {"2.102e-45", 2},
      {"0.0000000000000000000000000000000000000000000014e0", 1},
      {"1e-47", 0},
      {"1000000000000000000000000000000000000000", 0x7f800000},
      {"100000000000000000000000000000000000000", 0x7e967699},
      {"1e18446744073709551616", 0x7f800000},
      {"1e-18446744073709551617", 0},
      {"1e4294967296", 0x7f800000},
  };
  for (size_t i = 0; i < COUNT(is); i++) reads_as(is[i].s, is[i].bits);
}

/* Random digits, 1 to 60 of them, a point anywhere and an exponent that keeps most of them finite.
 */
static void test_read_random(void **state) {
  (void)state;
  for (int i = 0; i < 1000000; i++) {
    char s[100];
    int n = 1 + (int)(random_bits() % (i % 4 ? 18 : 60)), len = 0;
    int point = (int)(random_bits() % (uint32_t)(n + 1));
    for (int k = 0; k < n; k++) {
      if (k == point) s[len++] = '.';
      s[len++] = (char)('0' + random_bits() % 10);
    }
    if (i % 8)
      sprintf(s + len, "e%d", (int)(random_bits() % 90) - 49 - point);
    else
      s[len] = 0;
    reads_as(s, bits_of(strtof(s, NULL)));
  }
}

/* Decimals of up to 17 digits nearest to floats and to midpoints of floats, which double holds. */
static void test_read_near_midpoints(void **state) {
  (void)state;
  for (int i = 0; i < 300000; i++) {
    uint32_t bits = random_bits() % 0x7f7fffff;
    double mid = ((double)float_of(bits) + (double)float_of(bits + 1)) / 2;
    char s[64];
    for (int digits = 7; digits <= 24; digits += 1 + i % 3) {
      snprintf(s, sizeof s, "%.*e", digits, mid);
      reads_as(s, bits_of(strtof(s, NULL)));
    }
  }
}

/* ---- reading: midpoints, exactly ---- */

/* m * 2^e in decimal, exactly: the digits of m * 2^e, or of m * 5^-e with as many places. */
typedef struct exact {
  char digits[400]; /* with room for a tail */
  int len, places;
} exact;

static void make_exact(exact *x, uint32_t m, int e) {
  char back[200]; /* last digit first */
  int len = 0;
  for (; m; m /= 10) back[len++] = (char)(m % 10);
  x->places = e < 0 ? -e : 0;
  for (int i = abs(e); i > 0; i--) {
    int carry = 0;
    for (int k = 0; k < len; k++) {
      carry += back[k] * (e < 0 ? 5 : 2);
      back[k] = (char)(carry % 10);
      carry /= 10;
    }
    if (carry) back[len++] = (char)carry;
  }
  for (int k = 0; k < len; k++) x->digits[k] = (char)('0' + back[len - 1 - k]);
  x->digits[len] = 0;
  x->len = len;
}

/* One less in the last of the digits. */
static void decrement(exact *x) {
  int k = x->len - 1;
  for (; x->digits[k] == '0'; k--) x->digits[k] = '9';
  x->digits[k]--;
}

/* Reads the digits in three layouts, with both signs. */
static void reads_exact(const exact *x, const char *tail, uint32_t want) {
  static char s[2000];
  int extra = (int)strlen(tail);
  sprintf(s, "%s%se%d", x->digits, tail, -x->places - extra);
  reads_as(s, want);
  sprintf(s, "-%c.%s%se%+d", x->digits[0], x->digits + 1, tail, x->len - 1 - x->places);
  reads_as(s, want | 0x80000000);
  if (x->places < x->len) {
    int whole = x->len - x->places;
    sprintf(s, "000%.*s.%s%s", whole, x->digits, x->digits + whole, tail);
  } else {
    sprintf(s, "+.%0*d%s%s", x->places - x->len + 1, 0, x->digits, tail);
    sprintf(s + strlen(s), "e1");
  }
  reads_as(s, want);
}

/* The midpoint of this float and the next one up. */
static void check_midpoint(uint32_t bits) {
  static char ones[202], nines[202], zeros[202];
  memset(zeros, '0', 200);
  memset(nines, '9', 200);
  memset(ones, '0', 200);
  ones[199] = '1';
  uint32_t field = bits >> 23, m = (bits & 0x7fffff) | (field ? 0x800000u : 0);
  exact x;
  make_exact(&x, 2 * m + 1, (field ? (int)field - 150 : -149) - 1);
  uint32_t even = bits + (bits & 1);
  reads_exact(&x, "", even);
  reads_exact(&x, "0", even);
  reads_exact(&x, zeros, even);
  reads_exact(&x, "1", bits + 1);
  reads_exact(&x, ones, bits + 1);
  decrement(&x);
  reads_exact(&x, "9", bits);
  reads_exact(&x, nines, bits);
}

static void test_read_midpoints(void **state) {
  (void)state;
  for (uint32_t field = 0; field < 255; field++) {
    static const uint32_t fracs[] = {0, 1, 2, 3, 0x3fffff, 0x400000, 0x555555, 0x7ffffe, 0x7fffff};
    for (size_t i = 0; i < COUNT(fracs); i++) check_midpoint(field << 23 | fracs[i]);
    for (int i = 0; i < 8; i++) check_midpoint(field << 23 | (random_bits() & 0x7fffff));
  }
  for (int i = 0; i < 300; i++) check_midpoint(random_bits() & 0x7fffff);
  exact longest; /* decimal.c says 113 */
  make_exact(&longest, 0x1ffffff, -150);
  assert_int_equal(longest.len, 113);
}

/* Midpoints that end in zeros, written with a positive exponent: the product has to be exact. */
static void test_read_midpoint_exponents(void **state) {
  (void)state;
  uint32_t five = 5;
  for (int k = 1; k <= 10; k++, five *= 5) /* 5^10 < 2^25 */
    for (uint32_t odd = 0x1000000 / five | 1; odd * five < 0x2000000; odd += 2 * (1 + odd / 40)) {
      if (odd * five < 0x1000000) continue;
      for (int two = k; two <= 36; two++) { /* odd * 5^k * 2^two, the midpoint after `bits` */
        char s[64];
        sprintf(s, "%llue%d", (unsigned long long)odd << (two - k), k);
        uint32_t bits = (uint32_t)(two + 151) << 23 | (odd * five >> 1 & 0x7fffff);
        reads_as(s, bits + (bits & 1));
        sprintf(s, "%llu0000000000000001e%d", (unsigned long long)odd << (two - k), k - 16);
        reads_as(s, bits + 1);
      }
    }
}

/* A midpoint or its digits cut after each number of digits: below it, though only just. */
static void test_read_cut(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    uint32_t bits = i ? random_bits() & 0xffffff : 0xffffff; /* the longest midpoints are here */
    uint32_t field = bits >> 23, m = (bits & 0x7fffff) | (field ? 0x800000u : 0);
    exact x;
    make_exact(&x, 2 * m + 1, -150);
    for (int n = x.len; n > 0; n--) {
      char s[500];
      sprintf(s, "%.*se%d", n, x.digits, -x.places + x.len - n);
      reads_as(s, bits_of(strtof(s, NULL)));
    }
  }
}

/* ---- reading: long ---- */

static char *put_many(char *p, char c, size_t n) {
  memset(p, c, n);
  return p + n;
}

static void test_read_long(void **state) {
  (void)state;
  const size_t million = 1000000, n = 10 * million;
  char *s = malloc(n + 100), *p;
  assert_non_null(s);
  clock_t start = clock();

  p = put_many(put_many(s, '0', 1), '.', 1); /* 0.000…1 */
  p = put_many(p, '0', million);
  strcpy(p, "1e1000001");
  reads_as(s, bits_of(1.0f));
  strcpy(p, "1e1000000");
  reads_as(s, bits_of(0.1f));
  strcpy(p, "1");
  reads_as(s, 0);
  strcpy(p, "e1000000");
  reads_as(s, 0);

  p = put_many(put_many(s, '1', 1), '0', n); /* 1000… */
  strcpy(p, "e-10000000");
  reads_as(s, bits_of(1.0f));
  strcpy(p, "e-10000050");
  reads_as(s, 0);
  strcpy(p, ".0");
  reads_as(s, 0x7f800000);

  p = put_many(s, '1', n); /* 1111… */
  strcpy(p, "e-9999999");
  reads_as(s, 0x3f8e38e4);

  memcpy(s, "16777217.", 9); /* a midpoint, and the digit that decides at the end */
  p = put_many(s + 9, '0', n - 9);
  *p = 0;
  reads_as(s, bits_of(16777216.0f));
  p[-1] = '1';
  reads_as(s, bits_of(16777218.0f));

  p = put_many(put_many(s, '1', 1), 'e', 1); /* 1e000…2 and 1e999… */
  p = put_many(p, '0', n);
  strcpy(p, "2");
  reads_as(s, bits_of(100.0f));
  memset(s + 2, '9', n);
  reads_as(s, 0x7f800000);
  s[1] = 'e', s[2] = '-';
  reads_as(s, 0);

  /* about 0.1 s where time is linear; days where it is quadratic */
  assert_true((clock() - start) / CLOCKS_PER_SEC < 20);
  free(s);
}

/* 40 digits (CASES 30): 1 + 2^-24 is a midpoint; rounding to double first would lose the 1e-39. */
static void test_read_once(void **state) {
  (void)state;
  reads_as("1.000000059604644775390625", 0x3f800000);
  reads_as("1.000000059604644775390625000000000000001", 0x3f800001);
  reads_as("1.000000059604644775390624999999999999999", 0x3f800000);
  reads_as("1.000000178813934326171875000000000000000", 0x3f800002);
  reads_as("1.000000178813934326171874999999999999999", 0x3f800001);
  reads_as("3.141592653589793238462643383279502884197", 0x40490fdb);
  /* twice the least subnormal's half, and a hair around it */
  reads_as("7.006492321624085354618647916449580656401e-46", 0);
  reads_as("7.006492321624085354618647916449580656402e-46", 1);
  reads_as("1.1754942807573642917278829910357665133228589927589904e-38", 0x007fffff);
  reads_as("1.17549428075736429172788299103576651332285899275899e-38", 0x007fffff);
}

/* ---- what may not matter ---- */

/* Prints and reads a fixed set of floats, into a hash. */
static uint64_t all_in_one(void) {
  uint64_t hash = 1469598103934665603u; /* FNV-1a */
  for (uint32_t bits = 1; bits < 0x7f800000; bits += 999983) {
    char s[UOPI_F32_CHARS + 40];
    char *end = uopi_format_f32(s, float_of(bits));
    bool overflow;
    uint32_t back = bits_of(uopi_parse_f32(s, (size_t)(end - s), &overflow));
    if (back != bits) fail_msg("%08x reads back as %08x", bits, back);
    for (char *p = s; p < end; p++) hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    static const char third[] = "0.33333333333333333333333333e-40";
    back = bits_of(uopi_parse_f32(third, sizeof third - 1, &overflow));
    hash = (hash ^ back) * 1099511628211u;
  }
  return hash;
}

static void test_locale(void **state) {
  (void)state;
  static const char *const names[] = {"",      "de_DE.UTF-8", "de_DE.utf8",
                                      "de_DE", "fr_FR.UTF-8", "nb_NO"};
  uint64_t want = all_in_one();
  bool comma = false;
  for (size_t i = 0; i < COUNT(names); i++) {
    if (!setlocale(LC_ALL, names[i])) continue;
    bool is_comma = strcmp(localeconv()->decimal_point, ".") != 0;
    comma |= is_comma;
    if (is_comma) {
      char s[16];
      snprintf(s, sizeof s, "%.1f", 0.5);
      assert_string_equal(s, "0,5"); /* this locale does what is feared */
    }
    uint64_t got = all_in_one();
    prints_as(0.5f, "0.5");
    reads_as("0.5", 0x3f000000);
    setlocale(LC_ALL, "C");
    if (got != want) fail_msg("differs under locale '%s'", names[i]);
  }
  if (!comma && getenv("UOP_TEST_LOCALE"))
    fail_msg("tests/run.sh made a locale, and it is not used");
  if (!comma) {
    print_message("no locale with a decimal comma here\n");
    skip();
  }
}

static void test_float_environment(void **state) {
  (void)state;
  uint64_t want = all_in_one();
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (size_t i = 0; i < COUNT(modes); i++) {
    assert_int_equal(fesetround(modes[i]), 0);
    uint64_t got = all_in_one();
    fesetround(FE_TONEAREST);
    assert_true(got == want);
  }
#if defined(__SSE__)
  unsigned csr = _mm_getcsr();
  _mm_setcsr(csr | 0x8040); /* flush to zero, denormals are zero */
  uint64_t got = all_in_one();
  _mm_setcsr(csr);
  assert_true(got == want);
#endif
}

/* ---- main ---- */

static uint32_t from = 1, to = 0x7f7fffff;

static void test_all(void **state) {
  (void)state;
  for (uint32_t bits = from; bits <= to; bits++) check_print(float_of(bits));
}

int main(int argc, char **argv) {
  const struct CMUnitTest all[] = {cmocka_unit_test(test_all)};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_print_examples),
      cmocka_unit_test(test_print_powers),
      cmocka_unit_test(test_print_few_bits),
      cmocka_unit_test(test_print_random),
      cmocka_unit_test(test_print_whole_range),
      cmocka_unit_test(test_read_syntax),
      cmocka_unit_test(test_read_limits),
      cmocka_unit_test(test_read_random),
      cmocka_unit_test(test_read_near_midpoints),
      cmocka_unit_test(test_read_midpoints),
      cmocka_unit_test(test_read_midpoint_exponents),
      cmocka_unit_test(test_read_cut),
      cmocka_unit_test(test_read_long),
      cmocka_unit_test(test_read_once),
      cmocka_unit_test(test_locale),
      cmocka_unit_test(test_float_environment),
  };
  if (argc > 1 && strcmp(argv[1], "all") == 0) {
    if (argc == 4) {
      from = (uint32_t)strtoul(argv[2], NULL, 0);
      to = (uint32_t)strtoul(argv[3], NULL, 0);
    }
    return cmocka_run_group_tests_name("decimal: all floats", all, NULL, NULL);
  }
  return cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
}
