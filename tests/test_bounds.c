/* test_bounds.c - bounds and cost. Bounds contain what programs give; where an op's are said to be
 * the least, enumeration says so too.
 *
 * `test_bounds [COUNT [FIRST SEED]]`: COUNT random programs (10,000) whose values are looked at.
 */
#include "uop.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

static uint64_t count = 10000, first_seed = 1;
static uop_ctx *ctx;

static int setup(void **state) {
  (void)state;
  ctx = uop_ctx_new(NULL);
  return !ctx;
}

static int teardown(void **state) {
  (void)state;
  uop_ctx_free(ctx);
  return 0;
}

/* A value between lo and hi, independent of those with another idx. */
static const uop *var(int64_t idx, int64_t lo, int64_t hi) {
  const uop *n = uop_const(ctx, UOP_I32, hi - lo + 1);
  return uop_add(uop_range(ctx, n, idx, UOP_AXIS_LOOP), lo);
}

static uop_interval bounds(const uop *u) {
  uop_interval i = {1, 0};
  if (!u || !uop_bounds(NULL, u, &i)) fail_msg("%s", uop_error(ctx)->message);
  return i;
}

#define BOUNDS(u, from, to)        \
  do {                             \
    uop_interval i_ = bounds(u);   \
    assert_int_equal(i_.lo, from); \
    assert_int_equal(i_.hi, to);   \
  } while (0)

#define ALL(u) BOUNDS(u, INT32_MIN, INT32_MAX)

/* ---- worked out by hand ---- */

static void test_lesson(void **state) {
  (void)state;
  const uop *p = uop_param(ctx, 0, UOP_I32, NULL, 0);
  ALL(p);
  BOUNDS(uop_max(p, 0), 0, INT32_MAX);
  BOUNDS(uop_floormod(uop_max(p, 0), 8), 0, 7);
  BOUNDS(uop_lt(uop_floormod(uop_max(p, 0), 8), 8), 1, 1);
}

/* CASES 20 and 25 */
static void test_cases(void **state) {
  (void)state;
  const uop *p = uop_param(ctx, 0, UOP_I32, NULL, 0);
  BOUNDS(uop_mul(var(0, -2, 4), -2), -8, 4);
  BOUNDS(uop_mul(var(0, -3, 2), var(1, -5, 7)), -21, 15);
  ALL(uop_mul(p, p));
  BOUNDS(uop_lt(p, uop_add(p, 1)), 0, 1);
  BOUNDS(uop_lt(var(0, 0, 9), uop_add(var(0, 0, 9), 10)), 1, 1);
  BOUNDS(uop_lt(var(0, 0, 9), uop_add(var(0, 0, 9), 9)), 0, 1);
  BOUNDS(uop_lt(p, p), 0, 0);
  BOUNDS(uop_ne(p, p), 0, 0);
  BOUNDS(uop_mul(var(0, -3, 2), var(0, -3, 2)), 0, 9);
  BOUNDS(uop_mul(var(0, 2, 5), var(0, 2, 5)), 4, 25);
}

static void test_wrapping(void **state) {
  (void)state;
  const uop *big = var(0, 2147483640, 2147483646); /* seven, the greatest that var can say */
  BOUNDS(uop_add(big, 1), 2147483641, INT32_MAX);
  ALL(uop_add(big, 2));
  BOUNDS(uop_add(big, 8), INT32_MIN, INT32_MIN + 6);
  ALL(uop_mul(big, 2));
  ALL(uop_neg(uop_const(ctx, UOP_I32, INT32_MIN)));
  BOUNDS(uop_floordiv(var(0, -7, 8), 0), 0, 0);
  BOUNDS(uop_floormod(var(0, -7, 8), 0), -7, 8);
  const uop *least = uop_const(ctx, UOP_I32, INT32_MIN);
  BOUNDS(uop_floordiv(least, -1), INT32_MIN, INT32_MIN);
  ALL(uop_floordiv(uop_param(ctx, 0, UOP_I32, NULL, 0), -1));
  BOUNDS(uop_floormod(least, -1), 0, 0);
  BOUNDS(uop_floordiv(least, var(0, -3, -1)), INT32_MIN, 1073741824);
  BOUNDS(uop_floordiv(least, var(0, -3, 5)), INT32_MIN, 1073741824);
  BOUNDS(uop_floordiv(least, var(0, -1, 5)), INT32_MIN, 0);
}

static void test_every_op(void **state) {
  (void)state;
  const uop *p = uop_param(ctx, 0, UOP_I32, NULL, 0), *b = uop_param(ctx, 1, UOP_BOOL, NULL, 0);
  const uop *f = uop_param(ctx, 2, UOP_F32, NULL, 0);
  BOUNDS(uop_const(ctx, UOP_BOOL, true), 1, 1);
  BOUNDS(b, 0, 1);
  BOUNDS(uop_and(b, false), 0, 0);
  BOUNDS(uop_or(b, true), 1, 1);
  BOUNDS(uop_not(uop_const(ctx, UOP_BOOL, false)), 1, 1);
  BOUNDS(uop_lt(f, 1.0f), 0, 1);
  BOUNDS(uop_ne(f, f), 0, 1); /* nan differs from itself */
  BOUNDS(uop_where(b, var(0, 1, 3), var(1, 7, 9)), 1, 9);
  BOUNDS(uop_where(uop_lt(var(0, 1, 3), 4), var(0, 1, 3), p), 1, 3);
  BOUNDS(uop_cast(b, UOP_I32), 0, 1);
  BOUNDS(uop_cast(var(0, 3, 9), UOP_BOOL), 1, 1);
  BOUNDS(uop_cast(var(0, 0, 9), UOP_BOOL), 0, 1);
  ALL(uop_cast(f, UOP_I32));
  BOUNDS(uop_cast(uop_const(ctx, UOP_F32, -2.7), UOP_I32), -2, -2);
  BOUNDS(uop_cast(uop_cast(var(0, -5, 16777217), UOP_F32), UOP_I32), -5, 16777216);
  BOUNDS(uop_cast(uop_cast(var(0, 0, 70000), UOP_F16), UOP_I32), 0, INT32_MAX); /* inf */
  BOUNDS(uop_cast(uop_cast(var(0, 1, 9), UOP_F16), UOP_BOOL), 1, 1);
  const uop *three = uop_stack(ctx, 5, var(0, 1, 2), 9);
  BOUNDS(three, 1, 9);
  BOUNDS(uop_index(three, 1), 1, 2);
  BOUNDS(uop_index(three, var(1, 0, 1)), 1, 5);
  BOUNDS(uop_index(three, p), 1, 9);
  BOUNDS(uop_reduce(three, UOP_ADD, 1), 3, 27);
  BOUNDS(uop_reduce(three, UOP_MAX, 1), 1, 9);
  BOUNDS(uop_reduce(three, UOP_ADD, 0), 1, 9);
  const uop *none = uop_param(ctx, 3, UOP_I32, UOP_DIMS(4, 0));
  BOUNDS(uop_reduce(none, UOP_ADD, 1), 0, 0);
  BOUNDS(uop_reduce(none, UOP_MAX, 1), INT32_MIN, INT32_MIN);
  BOUNDS(uop_reduce(uop_lt(none, 0), UOP_MAX, 1), 0, 0);
  const uop *wide = uop_expand(uop_reshape(var(0, 0, 3), UOP_DIMS(1, 1)), UOP_DIMS(30000, 30000));
  BOUNDS(wide, 0, 3);
  ALL(uop_reduce(wide, UOP_ADD, 2));
  BOUNDS(uop_reduce(uop_permute(wide, UOP_DIMS(1, 0)), UOP_ADD, 1), 0, 90000);
  BOUNDS(uop_range(ctx, uop_const(ctx, UOP_I32, 10), 0, UOP_AXIS_LOOP), 0, 9);
  BOUNDS(uop_range(ctx, p, 0, UOP_AXIS_LOOP), 0, INT32_MAX - 1);
  uop_interval i;
  assert_false(uop_bounds(NULL, f, &i));
  assert_string_equal(uop_error(ctx)->message, "PARAM of f32: bounds are of i32 and bool");
}

/* ---- CALLs ---- */

static void test_calls(void **state) {
  (void)state;
  const uop *p = uop_param(ctx, 0, UOP_I32, NULL, 0), *q = uop_param(ctx, 1, UOP_I32, NULL, 0);
  const uop *sub = uop_sub(p, q);
  BOUNDS(uop_call(sub, "sub", var(0, 5, 9), var(1, 1, 2)), 3, 8);
  BOUNDS(uop_call(sub, "sub", var(1, 1, 2), var(0, 5, 9)), -8, -3);
  const uop *sq = uop_call(uop_mul(p, p), "sq", uop_add(p, 1));
  BOUNDS(uop_call(sq, "next", var(0, 2, 3)), 9, 16);
  /* One argument has two bounds in two frames; what is known of one is not taken for the other. */
  const uop *both = uop_add(uop_call(uop_mul(p, p), "sq", var(0, 2, 3)),
                            uop_call(uop_mul(p, p), "sq", var(1, 5, 6)));
  BOUNDS(both, 29, 45);
  /* 2^40 calls of the first one: an answer, at once, that is true. */
  const uop *f = uop_add(p, 1);
  for (int k = 0; k < 40; k++)
    f = uop_max(uop_call(f, "f", uop_add(p, 1)), uop_call(f, "f", uop_add(p, 2)));
  uop_interval i = bounds(uop_call(f, "f", 3));
  assert_true(i.lo <= 84 && i.hi >= 84);
  /* Deeper than frames may be. */
  f = uop_max(p, 0);
  for (int k = 0; k < 1000; k++) f = uop_call(f, "f", p);
  i = bounds(f);
  assert_true(i.lo <= 0 && i.hi == INT32_MAX);
}

/* ---- the least interval ---- */

static const int ends[] = {-128, -17, -8, -3, -1, 0, 1, 2, 7, 16, 127};
enum { ENDS = sizeof ends / sizeof *ends };

static int64_t floor_div(int64_t a, int64_t b) {
  return b ? a / b - (a % b && (a < 0) != (b < 0)) : 0;
}
static int64_t apply(uop_op op, int64_t a, int64_t b) {
  switch (op) {
  case UOP_ADD: return a + b;
  case UOP_MUL: return a * b;
  case UOP_MAX: return a > b ? a : b;
  case UOP_CMPLT: return a < b;
  case UOP_CMPNE: return a != b;
  case UOP_FLOORDIV: return floor_div(a, b);
  default: return a - floor_div(a, b) * b;
  }
}

static void enumerate(uop_op op, int alo, int ahi, int blo, int bhi) {
  const uop *src[] = {var(0, alo, ahi), var(1, blo, bhi)};
  uop_interval i = bounds(uop_make(ctx, op, src, 2, NULL)), seen = {INT64_MAX, INT64_MIN};
  for (int a = alo; a <= ahi; a++)
    for (int b = blo; b <= bhi; b++) {
      int64_t v = apply(op, a, b);
      if (v < seen.lo) seen.lo = v;
      if (v > seen.hi) seen.hi = v;
    }
  bool exact = op != UOP_FLOORMOD || blo == bhi;
  if (exact ? i.lo != seen.lo || i.hi != seen.hi : i.lo > seen.lo || i.hi < seen.hi)
    fail_msg("%s of %d..%d and %d..%d: %d..%d, seen %d..%d", uop_op_find(op)->name, alo, ahi, blo,
             bhi, (int)i.lo, (int)i.hi, (int)seen.lo, (int)seen.hi);
}

static void test_least(void **state) {
  (void)state;
  static const uop_op ops[] = {UOP_ADD,   UOP_MUL,      UOP_MAX,     UOP_CMPLT,
                               UOP_CMPNE, UOP_FLOORDIV, UOP_FLOORMOD};
  for (int a = 0; a < ENDS; a++)
    for (int b = a; b < ENDS; b++)
      for (int c = 0; c < ENDS; c++)
        for (int d = c; d < ENDS; d++) {
          uop_scope s = uop_scope_begin(ctx);
          for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
            enumerate(ops[k], ends[a], ends[b], ends[c], ends[d]);
          uop_scope_end(s, NULL, 0);
        }
}

/* The remainders of k*x + c, for x in lo..hi; exact where these are |d| or more. */
static void remainders(int k, int c, int d, int lo, int hi) {
  const uop *x = uop_mul(var(0, lo, hi), k);
  uop_interval i = bounds(uop_floormod(c ? uop_add(x, c) : x, d)), seen = {INT64_MAX, INT64_MIN};
  for (int a = lo; a <= hi; a++) {
    int64_t v = apply(UOP_FLOORMOD, (int64_t)a * k + c, d);
    if (v < seen.lo) seen.lo = v;
    if (v > seen.hi) seen.hi = v;
  }
  bool exact = hi - lo + 1 >= abs(d);
  if (exact ? i.lo != seen.lo || i.hi != seen.hi : i.lo > seen.lo || i.hi < seen.hi)
    fail_msg("%d..%d * %d + %d mod %d: %d..%d, seen %d..%d", lo, hi, k, c, d, (int)i.lo, (int)i.hi,
             (int)seen.lo, (int)seen.hi);
}

static void test_remainders_of_multiples(void **state) {
  (void)state;
  for (int k = -12; k <= 12; k++)
    for (int d = -12; d <= 12; d++) {
      if (k == 0 || d == 0) continue;
      uop_scope s = uop_scope_begin(ctx);
      for (int c = -12; c <= 12; c++) {
        remainders(k, c, d, -9, 9);
        remainders(k, c, d, 0, 3);
        remainders(k, c, d, 5, 6);
      }
      uop_scope_end(s, NULL, 0);
    }
  const uop *p = uop_param(ctx, 0, UOP_I32, NULL, 0), *q = uop_param(ctx, 1, UOP_I32, NULL, 0);
  const uop *a = var(0, 0, 9), *b = var(1, 0, 9);
  BOUNDS(uop_floormod(uop_mul(a, 4), 6), 0, 4);
  BOUNDS(uop_floormod(uop_add(uop_mul(a, 4), 3), 6), 1, 5);
  BOUNDS(uop_floormod(uop_mul(a, 4), -6), -4, 0);
  BOUNDS(uop_floormod(uop_add(uop_mul(a, 12), uop_add(uop_mul(b, 8), 3)), 6), 1, 5);
  BOUNDS(uop_floormod(uop_add(uop_mul(a, 12), b), 6), 0, 5);
  BOUNDS(uop_floormod(uop_mul(a, b), 6), 0, 5);
  BOUNDS(uop_floormod(uop_mul(p, 6), 9), 0, 8); /* it wraps: 6 * 715827883 is 2 */
  BOUNDS(uop_floormod(uop_mul(p, 12), 9), 0, 8);
  BOUNDS(uop_floormod(uop_mul(p, 12), 6), 0, 4); /* still even */
  BOUNDS(uop_floormod(uop_add(uop_mul(p, 12), uop_add(uop_mul(q, 8), 3)), 20), 3, 19);
  const int64_t dims[] = {5};
  const uop *v = uop_param(ctx, 2, UOP_I32, dims, 1); /* the same of arrays */
  BOUNDS(uop_floormod(uop_add(uop_mul(v, 4), 1), 8), 1, 5);
  const uop *u = uop_mul(a, 4); /* a long sum is left alone, whatever is asked of it */
  for (int i = 0; i < 100000; i++) u = uop_add(u, uop_mul(b, 4));
  uop_map *memo = uop_map_new(ctx);
  uop_interval i;
  for (int d = 2; d < 2000; d++) assert_true(uop_bounds(memo, uop_floormod(u, d), &i));
  uop_map_free(memo);
}

/* ---- sound for every program ---- */

static void look_at(uop_run *r, uop_map *memo, const uop *u) {
  uop_value v, packed;
  uop_interval i;
  if (u->dtype != UOP_I32 && u->dtype != UOP_BOOL) return;
  assert_true(uop_bounds(memo, u, &i));
  assert_true(i.lo <= i.hi);
  if (!uop_run_eval(r, u, &v)) return;
  assert_true(uop_value_pack(ctx, &v, &packed));
  for (int64_t k = 0; k < packed.count; k++) {
    int64_t x = u->dtype == UOP_I32 ? ((int32_t *)packed.data)[k] : ((uint8_t *)packed.data)[k];
    if (x >= i.lo && x <= i.hi) continue;
    uop_dump(u);
    fail_msg("%d is outside of %d..%d", (int)x, (int)i.lo, (int)i.hi);
  }
  uop_value_free(ctx, &packed);
}

static void test_random_programs(void **state) {
  (void)state;
  for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
    uop_scope s = uop_scope_begin(ctx);
    const uop *g = random_graph(ctx, seed, 1 + (int)(seed % 25), RANDOM_RUNNABLE);
    uop_nodes inputs = {0}, order = {0};
    uop_run *r = uop_run_new(ctx, NULL);
    uop_map *memo = uop_map_new(ctx);
    assert_true(g && r && memo && uop_inputs(ctx, &g, 1, &inputs));
    uop_value *fill = calloc(inputs.len + 1, sizeof *fill);
    for (size_t i = 0; i < inputs.len; i++) {
      assert_true(uop_value_fill(inputs.at[i], seed, &fill[i]));
      uop_run_set(r, (uop_op)inputs.at[i]->op, uop_slot(inputs.at[i]), &fill[i]);
    }
    assert_true(uop_toposort(ctx, &g, 1, &order));
    assert_true(uop_run_want(r, order.at, order.len));
    for (size_t i = 0; i < order.len; i++) look_at(r, memo, order.at[i]);
    for (size_t i = 0; i < inputs.len; i++) uop_value_free(ctx, &fill[i]);
    free(fill);
    uop_map_free(memo);
    uop_run_free(r);
    uop_nodes_free(ctx, &inputs);
    uop_nodes_free(ctx, &order);
    uop_error_clear(ctx);
    assert_true(uop_scope_end(s, NULL, 0));
  }
}

/* A million deep; and asked of every node with a memo, no dearer than of the last. */
static void test_deep(void **state) {
  (void)state;
  const uop *u = var(0, 0, 1);
  uop_map *memo = uop_map_new(ctx);
  uop_interval i;
  for (int k = 0; k < 1000000; k++) {
    u = k % 2 ? uop_max(u, -k) : uop_add(u, 0);
    if (k > 990000) assert_true(uop_bounds(memo, u, &i));
  }
  BOUNDS(u, 0, 1);
  uop_map_free(memo);
}

/* ---- cost ---- */

static uop_cost cost(const uop *u) {
  uop_cost c;
  if (!u || !uop_cost_of(ctx, &u, 1, &c)) fail_msg("%s", uop_error(ctx)->message);
  return c;
}
#define COST(u, w, b)              \
  do {                             \
    uop_cost c_ = cost(u);         \
    assert_int_equal(c_.work, w);  \
    assert_int_equal(c_.bytes, b); \
  } while (0)

static void test_cost(void **state) {
  (void)state;
  const uop *x = uop_param(ctx, 0, UOP_F32, UOP_DIMS(10)), *p = uop_param(ctx, 0, UOP_I32, NULL, 0);
  COST(x, 0, 0);
  COST(uop_reshape(x, UOP_DIMS(2, 5)), 0, 0);
  const uop *y = uop_add(x, x);
  COST(y, 10, 3 * 40);
  COST(uop_mul(y, y), 20, 6 * 40); /* y is there once */
  COST(uop_reduce(y, UOP_ADD, 1), 20, 3 * 40 + 40 + 4);
  COST(uop_exp2(x), 120, 80);
  COST(uop_index(x, 3), 1, 8);
  const uop *call = uop_call(uop_mul(p, p), "sq", uop_add(p, 1));
  COST(call, 2, 24);
  COST(uop_add(call, uop_call(uop_mul(p, p), "sq", 5)), 1 + 1 + 1 + 1, 4 * 12);
  const uop *f = uop_add(p, 1); /* 2^100 of them in all: the sums stop */
  for (int k = 0; k < 100; k++) f = uop_add(uop_call(f, "f", p), uop_call(f, "f", uop_add(p, k)));
  assert_true(cost(f).work == UINT64_MAX && cost(f).bytes == UINT64_MAX);
  const uop *roots[] = {y, uop_mul(y, y), NULL, y};
  uop_cost c;
  assert_true(uop_cost_of(ctx, roots, 4, &c));
  assert_int_equal(c.work, 20);
}

int main(int argc, char **argv) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_lesson),
      TEST(test_cases),
      TEST(test_wrapping),
      TEST(test_every_op),
      TEST(test_calls),
      TEST(test_least),
      TEST(test_remainders_of_multiples),
      TEST(test_random_programs),
      TEST(test_deep),
      TEST(test_cost),
  };
  if (argc > 1) count = strtoull(argv[1], NULL, 10);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
