/* test_conversions.c - CAST on every f16 and on ten million f32s, FLOORDIV and FLOORMOD on small
 * integers and edges: through the evaluator, in long arrays, against the rules of support/exact.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/exact.h"
#include "support/random.h"
#include "uop.h"

/* ---- a graph of one op over arrays ---- */

typedef struct machine {
  uop_ctx *ctx;
  uop_run *run;
  int64_t n;
} machine;

static machine machine_new(int64_t n) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  return (machine){ctx, uop_run_new(ctx, NULL), n};
}

static void machine_free(machine *m) {
  uop_run_free(m->run);
  uop_ctx_free(m->ctx);
}

static const uop *input(machine *m, int64_t slot, uop_dtype d, void *data) {
  uop_value v = {.dtype = d, .rank = 1, .dims = {m->n}, .count = m->n, .data = data};
  assert_true(uop_run_set(m->run, UOP_PARAM, slot, &v));
  return uop_param(m->ctx, slot, d, &m->n, 1);
}

static const void *output(machine *m, const uop *u) {
  uop_value out;
  if (!uop_run_eval(m->run, u, &out)) fail_msg("%s", uop_error(m->ctx)->message);
  assert_int_equal(out.count, m->n);
  return out.data;
}

/* ---- casts ---- */

static void test_from_every_f16(void **state) {
  (void)state;
  static uint16_t h[65536];
  for (uint32_t i = 0; i < 65536; i++) h[i] = (uint16_t)i;
  machine m = machine_new(65536);
  const uop *x = input(&m, 0, UOP_F16, h);
  const uint32_t *f = output(&m, uop_cast(x, UOP_F32));
  const int32_t *n = output(&m, uop_cast(x, UOP_I32));
  const unsigned char *truth = output(&m, uop_cast(x, UOP_BOOL));
  const uint16_t *back = output(&m, uop_cast(uop_cast(x, UOP_F32), UOP_F16));
  for (uint32_t i = 0; i < 65536; i++) {
    assert_int_equal(f[i], exact_f16_to_f32(h[i]));
    assert_int_equal(n[i], exact_f32_to_i32(f[i]));
    assert_int_equal(truth[i], (i & 0x7fff) != 0);
    assert_int_equal(back[i], (i & 0x7fff) > 0x7c00 ? EXACT_F16_NAN : i);
  }
  machine_free(&m);
}

/* The f32 between each two neighbours among the f16s, and those beside it. */
static void test_to_every_f16(void **state) {
  (void)state;
  enum { N = 2 * 3 * 0x7c00 };
  static uint32_t x[N];
  static uint16_t want[N];
  size_t n = 0;
  for (uint32_t sign = 0; sign < 2; sign++)
    for (uint32_t h = 0; h < 0x7c00; h++) {
      double here = f32_of(exact_f16_to_f32((uint16_t)h));
      double up = h + 1 == 0x7c00 ? 65536 : (double)f32_of(exact_f16_to_f32((uint16_t)(h + 1)));
      uint32_t tie = bits_of((float)((here + up) / 2)) | sign << 31; /* one bit more: exact */
      for (uint32_t k = 0; k < 3; k++, n++) {
        x[n] = tie + k - 1;
        want[n] = (uint16_t)((h + (k == 1 ? h & 1 : k / 2)) | sign << 15);
      }
    }
  machine m = machine_new(N);
  const uint16_t *y = output(&m, uop_cast(input(&m, 0, UOP_F32, x), UOP_F16));
  assert_memory_equal(y, want, sizeof want);
  machine_free(&m);
}

enum { MILLION = 1000000 };

static void check_f32s(uint32_t *x) {
  machine m = machine_new(MILLION);
  const uop *p = input(&m, 0, UOP_F32, x);
  const int32_t *n = output(&m, uop_cast(p, UOP_I32));
  const uint16_t *h = output(&m, uop_cast(p, UOP_F16));
  for (size_t i = 0; i < MILLION; i++) {
    if (n[i] != exact_f32_to_i32(x[i])) fail_msg("i32 of %08x: %d", (unsigned)x[i], n[i]);
    if (h[i] != exact_f32_to_f16(x[i])) fail_msg("f16 of %08x: %04x", (unsigned)x[i], h[i]);
  }
  machine_free(&m);
}

/* Ten million bit patterns, and a million more where the results have digits to lose. */
static void test_from_random_f32(void **state) {
  (void)state;
  rng r = {20};
  uint32_t *x = malloc(MILLION * sizeof *x);
  for (int round = 0; round < 11; round++) {
    for (size_t i = 0; i < MILLION; i++) {
      x[i] = (uint32_t)(random_u64(&r) >> 32);
      if (round == 10) x[i] = (x[i] & 0x807fffff) | (uint32_t)(98 + i % 65) << 23;
    }
    check_f32s(x);
  }
  free(x);
}

static void test_from_random_i32(void **state) {
  (void)state;
  rng r = {21};
  int32_t *x = malloc(MILLION * sizeof *x);
  for (size_t i = 0; i < MILLION; i++) x[i] = (int32_t)(uint32_t)random_u64(&r) >> i % 32;
  machine m = machine_new(MILLION);
  const uop *p = input(&m, 0, UOP_I32, x);
  const uint32_t *f = output(&m, uop_cast(p, UOP_F32));
  const uint16_t *h = output(&m, uop_cast(p, UOP_F16));
  const unsigned char *truth = output(&m, uop_cast(p, UOP_BOOL));
  for (size_t i = 0; i < MILLION; i++) {
    if (f[i] != exact_i32_to_f32(x[i])) fail_msg("f32 of %d: %08x", x[i], (unsigned)f[i]);
    assert_int_equal(h[i], exact_f32_to_f16(f[i]));
    assert_int_equal(truth[i], x[i] != 0);
  }
  machine_free(&m);
  free(x);
}

/* ---- division ---- */

typedef struct pairs {
  int32_t *a, *b;
  int64_t n;
} pairs;

static void check_division(const pairs *p) {
  machine m = machine_new(p->n);
  const uop *a = input(&m, 0, UOP_I32, p->a), *b = input(&m, 1, UOP_I32, p->b);
  const int32_t *q = output(&m, uop_floordiv(a, b)), *r = output(&m, uop_floormod(a, b));
  for (int64_t i = 0; i < p->n; i++) {
    int32_t quotient, modulus;
    exact_floor(p->a[i], p->b[i], &quotient, &modulus);
    if (q[i] != quotient || r[i] != modulus)
      fail_msg("%d by %d: %d and %d", p->a[i], p->b[i], q[i], r[i]);
    uint32_t again = (uint32_t)q[i] * (uint32_t)p->b[i] + (uint32_t)r[i];
    assert_int_equal(again, (uint32_t)p->a[i]);
  }
  machine_free(&m);
}

static void test_small_division(void **state) {
  (void)state;
  int32_t a[41 * 15], b[41 * 15];
  pairs all = {a, b, 0}, one = {a, b, 1};
  for (int32_t i = -20; i <= 20; i++)
    for (int32_t k = -7; k <= 7; k++, all.n++) a[all.n] = i, b[all.n] = k;
  check_division(&all);
  for (; one.a < a + all.n; one.a++, one.b++) check_division(&one);
}

static void test_large_division(void **state) {
  (void)state;
  static const int32_t edge[] = {INT32_MIN, INT32_MIN + 1, -65536,        -3,       -2, -1, 0, 1, 2,
                                 3,         65536,         INT32_MAX - 1, INT32_MAX};
  enum { EDGES = sizeof edge / sizeof *edge, N = 300000 };
  pairs p = {malloc(N * sizeof(int32_t)), malloc(N * sizeof(int32_t)), N};
  rng r = {5};
  for (size_t i = 0; i < N; i++) {
    uint64_t z = random_u64(&r);
    p.a[i] = i < EDGES * EDGES ? edge[i / EDGES] : (int32_t)(uint32_t)(z >> 32);
    p.b[i] = i < EDGES * EDGES ? edge[i % EDGES] : (int32_t)(uint32_t)z >> i % 32;
  }
  check_division(&p);
  free(p.a);
  free(p.b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_from_every_f16),  cmocka_unit_test(test_to_every_f16),
      cmocka_unit_test(test_from_random_f32), cmocka_unit_test(test_from_random_i32),
      cmocka_unit_test(test_small_division),  cmocka_unit_test(test_large_division),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
