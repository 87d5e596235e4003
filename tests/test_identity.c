/* test_identity.c - a node is (op, sources, arg): what is equal is one pointer, nothing else is. */
#include "ir/ir.h" /* the table of ops and of their args */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

static uop_ctx *ctx;

static int begin(void **state) {
  (void)state;
  return (ctx = uop_ctx_new(NULL)) ? 0 : -1;
}
static int end(void **state) {
  (void)state;
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  uop_ctx_free(ctx);
  return 0;
}

static const uop *constant(uop_dtype d, uint64_t bits) {
  return uop_make(ctx, UOP_CONST, NULL, 0, &(uop_arg){.dtype = d, .bits = bits});
}

/* ---- constants ---- */

typedef struct number {
  uop_dtype dtype;
  uint64_t bits;
  int node; /* equal numbers: the same node */
} number;

static const number numbers[] = {
    {UOP_I32, 1, 0},          {UOP_F32, 0x3f800000, 1}, {UOP_BOOL, 1, 2},
    {UOP_F32, 0, 3},          {UOP_F32, 0x80000000, 4}, {UOP_F32, 0x7fc00000, 5},
    {UOP_F32, 0xffc00001, 5}, {UOP_F32, 0x7f800001, 5},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers, NODES = 6 };

/* Interns them in the order `at`, and once more backward. */
static void intern_in_order(const int *at) {
  uop_scope s = uop_scope_begin(ctx);
  const uop *node[NODES] = {NULL};
  for (int i = 0; i < 2 * NUMBERS; i++) {
    const number *n = &numbers[at[i < NUMBERS ? i : 2 * NUMBERS - 1 - i]];
    const uop *u = constant(n->dtype, n->bits);
    assert_non_null(u);
    if (node[n->node] && node[n->node] != u) fail_msg("number %d is two nodes", n->node);
    node[n->node] = u;
  }
  for (int i = 0; i < NODES; i++)
    for (int k = 0; k < i; k++) assert_ptr_not_equal(node[i], node[k]);
  assert_int_equal(uop_ctx_live(ctx), NODES);
  assert_int_equal(node[4]->arg.bits, 0x80000000);
  assert_int_equal(node[5]->arg.bits, 0x7fc00000); /* every NaN is this one */
  assert_true(uop_scope_end(s, NULL, 0));
  assert_int_equal(uop_ctx_live(ctx), 0);
}

static void permute(int *at, int n, int *orders) {
  if (n == 1) {
    intern_in_order(at);
    ++*orders;
    return;
  }
  for (int i = 0; i < n; i++) {
    int t = at[i];
    at[i] = at[n - 1], at[n - 1] = t;
    permute(at, n - 1, orders);
    t = at[i];
    at[i] = at[n - 1], at[n - 1] = t;
  }
}

static void test_constants_in_every_order(void **state) {
  (void)state;
  int at[NUMBERS], orders = 0;
  for (int i = 0; i < NUMBERS; i++) at[i] = i;
  permute(at, NUMBERS, &orders);
  assert_int_equal(orders, 40320);
}

static void test_a_float_is_its_f32_value(void **state) {
  (void)state;
  const uop *tenth = uop_const_of_f32(ctx, 0.1f);
  assert_ptr_equal(uop_const(ctx, UOP_F32, 0.1), tenth);
  assert_ptr_equal(uop_const(ctx, UOP_F32, 0.10000000149), tenth);
  assert_ptr_equal(uop_const(ctx, UOP_F32, 0.1f), tenth);
  assert_ptr_equal(uop_const_of_f32(ctx, nextafterf(0.1f, 0)), uop_const_of_f32(ctx, 0.099999994f));
  assert_ptr_not_equal(uop_const_of_f32(ctx, 0.099999994f), tenth);
  assert_ptr_equal(uop_const_of_f32(ctx, NAN), uop_const_of_f32(ctx, -NAN));
  /* a bool is its truth, an i32 its low word */
  assert_ptr_equal(constant(UOP_BOOL, 256), constant(UOP_BOOL, 1));
  assert_ptr_equal(constant(UOP_I32, UINT64_C(0x500000001)), constant(UOP_I32, 1));
}

/* CASES 1: with the other sign first, too. */
static void test_signed_zeros(void **state) {
  (void)state;
  for (int first = 0; first < 2; first++) {
    uop_scope s = uop_scope_begin(ctx);
    const uop *z[2];
    z[first] = uop_const_of_f32(ctx, first ? -0.0f : 0.0f);
    z[!first] = uop_const_of_f32(ctx, first ? 0.0f : -0.0f);
    assert_ptr_not_equal(z[0], z[1]);
#ifndef UOP_HASH_ZERO
    assert_int_not_equal(z[0]->hash, z[1]->hash);
#endif
    for (int i = 0; i < 2; i++) {
      uop_value v;
      uop_run *r = uop_run_new(ctx, NULL);
      assert_true(uop_run_eval(r, uop_recip(z[i]), &v));
      float f;
      memcpy(&f, v.data, sizeof f);
      assert_true(isinf(f) && (f < 0) == (i == 1));
      uop_run_free(r);
    }
    assert_true(uop_scope_end(s, NULL, 0));
  }
}

/* CASES 2 */
static void test_slots_are_never_merged(void **state) {
  (void)state;
  const uop *p0 = uop_param(ctx, 0, UOP_F32, NULL, 0), *p1 = uop_param(ctx, 1, UOP_F32, NULL, 0);
  assert_ptr_not_equal(p0, p1);
  const uop *loss = uop_add(p0, p1);
  float three = 3;
  uop_value v = {.dtype = UOP_F32, .count = 1, .data = &three}, out;
  uop_run *r = uop_run_new(ctx, NULL);
  assert_true(uop_run_set(r, UOP_PARAM, 0, &v) && uop_run_set(r, UOP_PARAM, 1, &v));
  assert_true(uop_run_eval(r, loss, &out));
  assert_true(*(float *)out.data == 6);
  uop_run_free(r);
  uop_nodes params = {NULL, 0, 0};
  assert_true(uop_call_params(loss, &params));
  assert_int_equal(params.len, 2);
  uop_nodes_free(ctx, &params);
}

/* ---- one field of the arg (CASES 7) ---- */

/* For each kind of arg a base and what it becomes when one field is changed. */
enum { MOST_VARIANTS = 12 };

static const int64_t d0[] = {2, 3}, d1[] = {3, 2}, d2[] = {2, 3, 1}, d3[] = {6}, d4[] = {1, 2, 3};
static const int64_t size4[] = {4}, size5[] = {5};
static const int64_t axes0[] = {0, 1}, axes1[] = {1, 0};
static const int64_t e0[] = {1, 4}, e1[] = {4, 1}, e2[] = {1, 5}, e3[] = {2, 4};
static const int64_t pairs0[] = {0, 2, 0, 3}, pairs1[] = {0, 2, 1, 3}, pairs2[] = {0, 2, 0, 2},
                     pairs3[] = {0, 1, 0, 3}, pairs4[] = {1, 2, 0, 3}, pairs5[] = {1, 1, 0, 3};

#define DIMS(a) .ints = a, .len = sizeof(a) / sizeof *(a)

static size_t variants(uopi_arg_kind kind, uop_op op, uop_arg v[MOST_VARIANTS]) {
  size_t n = 0;
#define V(...) \
  v[n++] = (uop_arg) { __VA_ARGS__ }
  switch (kind) {
  case UOPI_ARG_NONE: V(0); break;
  case UOPI_ARG_VALUE:
    V(.dtype = UOP_F32, .bits = 1), V(.dtype = UOP_I32, .bits = 1), V(.dtype = UOP_BOOL, .bits = 1);
    V(.dtype = UOP_F32, .bits = 2), V(.dtype = UOP_I32, .bits = 2), V(.dtype = UOP_BOOL);
    V(.dtype = UOP_F32, .bits = 0x80000001), V(.dtype = UOP_I32, .bits = 0x80000001);
    break;
  case UOPI_ARG_PARAM:
    V(.num = 4, .dtype = UOP_F32, DIMS(d0)), V(.num = 5, .dtype = UOP_F32, DIMS(d0));
    V(.num = 4, .dtype = UOP_I32, DIMS(d0)), V(.num = 4, .dtype = UOP_F16, DIMS(d0));
    V(.num = 4, .dtype = UOP_F32, DIMS(d1)), V(.num = 4, .dtype = UOP_F32, DIMS(d2));
    V(.num = 4, .dtype = UOP_F32),
        V(.num = 4, .dtype = UOP_F32, DIMS(d0), .space = UOP_SPACE_GLOBAL);
    V(.num = 4, .dtype = UOP_F32, DIMS(d0), .space = UOP_SPACE_LOCAL);
    V(.num = 4, .dtype = UOP_F32, DIMS(d0), .space = UOP_SPACE_SHARED);
    V(.num = UOP_MAX_SLOT, .dtype = UOP_F32, DIMS(d0));
    break;
  case UOPI_ARG_BUFFER:
    V(.num = 4, .dtype = UOP_F32, DIMS(size4)), V(.num = 5, .dtype = UOP_F32, DIMS(size4));
    V(.num = 4, .dtype = UOP_I32, DIMS(size4)), V(.num = 4, .dtype = UOP_F32, DIMS(size5));
    break;
  case UOPI_ARG_ALLOC:
    V(.num = 4, .dtype = UOP_F32, DIMS(size4), .space = UOP_SPACE_LOCAL);
    V(.num = 5, .dtype = UOP_F32, DIMS(size4), .space = UOP_SPACE_LOCAL);
    V(.num = 4, .dtype = UOP_I32, DIMS(size4), .space = UOP_SPACE_LOCAL);
    V(.num = 4, .dtype = UOP_F32, DIMS(size5), .space = UOP_SPACE_LOCAL);
    V(.num = 4, .dtype = UOP_F32, DIMS(size4), .space = UOP_SPACE_SHARED);
    break;
  case UOPI_ARG_NAME:
    V(.name = "f"), V(.name = "g"), V(.name = "F"), V(.name = "ff"), V(.name = "f.");
    break;
  case UOPI_ARG_DTYPE: V(.dtype = UOP_F32), V(.dtype = UOP_BOOL), V(.dtype = UOP_F16); break;
  case UOPI_ARG_RANGE:
    V(.num = 0, .kind = UOP_AXIS_LOOP), V(.num = 1, .kind = UOP_AXIS_LOOP);
    V(.num = UOP_MAX_SLOT, .kind = UOP_AXIS_LOOP);
    for (int k = 1; k < UOP_AXIS_COUNT; k++) V(.num = 0, .kind = (uop_axis)k);
    break;
  case UOPI_ARG_SHAPE:
    if (op == UOP_RESHAPE)
      V(DIMS(d0)), V(DIMS(d1)), V(DIMS(d2)), V(DIMS(d3)), V(DIMS(d4));
    else
      V(DIMS(e0)), V(DIMS(e1)), V(DIMS(e2)), V(DIMS(e3));
    break;
  case UOPI_ARG_AXES: V(DIMS(axes0)), V(DIMS(axes1)); break;
  case UOPI_ARG_PAIRS:
    V(DIMS(pairs0)), V(DIMS(pairs1)), V(DIMS(pairs2)), V(DIMS(pairs3)), V(DIMS(pairs4));
    V(DIMS(pairs5));
    break;
  case UOPI_ARG_REDUCE:
    V(.op = UOP_ADD, .num = 1), V(.op = UOP_MAX, .num = 1), V(.op = UOP_ADD, .num = 2);
    V(.op = UOP_ADD, .num = 0), V(.op = UOP_MAX, .num = 0);
    break;
  }
#undef V
  return n;
}

/* Sources with which every op is well typed. */
static size_t sources(uop_op op, const uop *src[3]) {
  const uop *f = uop_param(ctx, 0, UOP_F32, d0, 2), *i = uop_param(ctx, 0, UOP_I32, NULL, 0);
  const uop *m = uop_param_in(ctx, 1, UOP_F32, d0, 2, UOP_SPACE_GLOBAL);
  src[0] = f, src[1] = f, src[2] = f;
  switch (op) {
  case UOP_CALL: src[0] = i, src[1] = uop_const_of_i32(ctx, 3); return 2;
  case UOP_INDEX: src[1] = src[2] = i; return 2;
  case UOP_CAST:
  case UOP_RANGE: src[0] = i; return 1;
  case UOP_FLOORDIV:
  case UOP_FLOORMOD: src[0] = src[1] = i; return 2;
  case UOP_WHERE: src[0] = uop_param(ctx, 2, UOP_BOOL, d0, 2); return 3;
  case UOP_LOAD: src[0] = m; return 1;
  case UOP_STORE:
  case UOP_AFTER: src[0] = m; return 2;
  case UOP_END: src[1] = uop_range(ctx, 4, 0, UOP_AXIS_LOOP); return 2;
  case UOP_EXPAND: src[0] = uop_param(ctx, 3, UOP_F32, (const int64_t[]){1, 1}, 2); return 1;
  case UOP_STACK:
  case UOP_SINK:
  case UOP_BARRIER: return 2;
  default: return uop_op_find(op)->min_src;
  }
}

static void assert_equal_and_not(const uop *base, const uop *other, const char *what, size_t i) {
  if (!base || !other) fail_msg("%s %d: %s", what, (int)i, uop_error(ctx)->message);
  if (base == other) fail_msg("%s: variant %d is merged with another", what, (int)i);
#ifndef UOP_HASH_ZERO
  if (base->hash == other->hash) fail_msg("%s: variant %d does not show in the hash", what, (int)i);
#endif
}

static void test_every_field_of_every_arg(void **state) {
  (void)state;
  for (int op = 0; op < UOP_OP_COUNT; op++) {
    const uop *src[3], *made[MOST_VARIANTS];
    size_t nsrc = sources((uop_op)op, src);
    uop_arg v[MOST_VARIANTS];
    size_t n = variants(uopi_arg_kind_of((unsigned)op), (uop_op)op, v);
    assert_true(uopi_arg_kind_of((unsigned)op) == UOPI_ARG_NONE || n > 1);
    for (size_t i = 0; i < n; i++) {
      made[i] = uop_make(ctx, (uop_op)op, src, nsrc, &v[i]);
      for (size_t k = 0; k < i; k++)
        assert_equal_and_not(made[i], made[k], uop_op_find((uop_op)op)->name, i);
    }
    for (size_t i = n; i-- > 0;) { /* and again each is itself */
      assert_ptr_equal(uop_make(ctx, (uop_op)op, src, nsrc, &v[i]), made[i]);
      uop_arg a = uop_arg_of(made[i]);
      assert_ptr_equal(uop_make(ctx, (uop_op)op, src, nsrc, &a), made[i]);
    }
  }
}

/* The same sources under every op of that arity, and in another order. */
static void test_op_and_order_of_sources(void **state) {
  (void)state;
  const uop *a = uop_param(ctx, 0, UOP_I32, NULL, 0), *b = uop_param(ctx, 1, UOP_I32, NULL, 0);
  const uop *made[2 * UOP_OP_COUNT];
  size_t n = 0;
  for (int op = 0; op < UOP_OP_COUNT; op++) {
    if (!(uop_op_find((uop_op)op)->sets & UOP_SET_BINARY) && op != UOP_ASSERT) continue;
    made[n++] = uop_make(ctx, (uop_op)op, (const uop *[]){a, b}, 2, NULL);
    made[n++] = uop_make(ctx, (uop_op)op, (const uop *[]){b, a}, 2, NULL);
  }
  assert_true(n == 16);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) assert_equal_and_not(made[i], made[k], "binary", i);
  const uop *s[] = {a, b, a};
  for (size_t i = 0; i <= 3; i++)
    for (size_t k = 0; k < i; k++) assert_ptr_not_equal(uop_sink(ctx, s, i), uop_sink(ctx, s, k));
  assert_ptr_equal(uop_sink(ctx, s, 1), uop_sink(ctx, s + 2, 1));
}

/* More users than a node's list holds go to the table: none is lost, found twice, or mixed up. */
static void test_many_users_of_one_node(void **state) {
  (void)state;
  const uop *x = uop_param(ctx, 0, UOP_I32, NULL, 0), *c[1000], *sum[1000];
  for (int i = 0; i < 1000; i++) c[i] = uop_const_of_i32(ctx, i);
  const uop *y = uop_mul(x, x); /* younger than the constants: every sum is its user */
  for (int i = 0; i < 1000; i++) sum[i] = uop_add(y, c[i]);
  for (int i = 0; i < 1000; i++) assert_ptr_equal(uop_add(y, c[i]), sum[i]);
  size_t live = uop_ctx_live(ctx);
  assert_int_equal(live, 2 + 1000 + 1000);
  assert_true(uop_ctx_check(ctx));
  assert_true(uop_collect(ctx, sum + 500, 500));
  assert_true(uop_ctx_check(ctx));
  assert_int_equal(uop_ctx_live(ctx), 2 + 500 + 500);
  for (int i = 500; i < 1000; i++) assert_ptr_equal(uop_add(y, c[i]), sum[i]);
  assert_int_equal(uop_ctx_live(ctx), 2 + 500 + 500);
}

/* CAST to its source's own dtype is the source, through every door; nothing else is dropped. */
static void test_what_is_the_node_itself(void **state) {
  (void)state;
  const uop *x = uop_param(ctx, 0, UOP_F32, d0, 2), *h = uop_cast(x, UOP_F16);
  assert_ptr_equal(uop_cast(x, UOP_F32), x);
  assert_ptr_equal(uop_make(ctx, UOP_CAST, &x, 1, &(uop_arg){.dtype = UOP_F32}), x);
  const char text[] = "%0 = param : slot=0 dtype=f32 shape=(2, 3)\n%1 = cast %0 : dtype=f32\n";
  assert_ptr_equal(uop_parse(ctx, text, sizeof text - 1), x);
  const uop *i = uop_param(ctx, 1, UOP_I32, d0, 2), *c = uop_cast(i, UOP_F32);
  assert_ptr_equal(uop_substitute(c, &i, &x, 1), x); /* and so when a source is replaced */
  assert_ptr_equal(uop_with_src(c, &x), x);
  assert_ptr_not_equal(uop_cast(h, UOP_F32), x);
  assert_ptr_not_equal(uop_reshape(x, d0, 2), x);
  assert_ptr_not_equal(uop_expand(x, d0, 2), x);
  assert_ptr_not_equal(uop_permute(x, axes0, 2), x);
  assert_ptr_not_equal(uop_shrink(x, pairs0, 2), x);
  assert_ptr_not_equal(uop_reduce(x, UOP_ADD, 0), x);
  const uop *m = uop_buffer(ctx, 0, UOP_F32, 4);
  assert_ptr_not_equal(uop_make(ctx, UOP_AFTER, &m, 1, NULL), m);
  assert_ptr_equal(uop_after(m, NULL, 0), m); /* the builder's */
  assert_ptr_equal(uop_end(m, NULL, 0), m);
}

/* CASES 5 in small (tests/deep.c has the million) and 6's structure: nothing is lost in growth. */
static void test_many_distinct_nodes(void **state) {
  (void)state;
  uop_scope s = uop_scope_begin(ctx);
  uop_stats before = uop_ctx_stats(ctx);
  for (int round = 0; round < 10; round++) {
    uop_scope t = uop_scope_begin(ctx);
    for (int i = 0; i < 20000; i++) assert_non_null(uop_const_of_i32(ctx, i));
    assert_int_equal(uop_ctx_live(ctx), 20000);
    for (int i = 0; i < 20000; i++) uop_const_of_i32(ctx, i);
    assert_int_equal(uop_ctx_live(ctx), 20000);
    assert_true(uop_scope_end(t, NULL, 0));
    uop_stats after = uop_ctx_stats(ctx);
    assert_int_equal(after.nodes, before.nodes);
    assert_int_equal(after.bytes, before.bytes);
  }
  assert_true(uop_scope_end(s, NULL, 0));
}

/* The hash is structural: neither addresses nor ids nor the context take part. */
static void test_hash_is_the_same_everywhere(void **state) {
  (void)state;
#ifndef UOP_HASH_ZERO
  uint64_t all = 0;
  for (uint64_t seed = 1; seed <= 50; seed++) all = all * 31 + random_graph(ctx, seed, 20, 0)->hash;
  uop_ctx *other = uop_ctx_new(NULL);
  uint64_t again = 0;
  for (int i = 0; i < 77; i++) uop_const_of_i32(other, i);
  for (uint64_t seed = 1; seed <= 50; seed++)
    again = again * 31 + random_graph(other, seed, 20, 0)->hash;
  assert_true(all == again);
  uop_ctx_free(other);
#endif
}

#define TEST(f) cmocka_unit_test_setup_teardown(test_##f, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(constants_in_every_order),
      TEST(a_float_is_its_f32_value),
      TEST(signed_zeros),
      TEST(slots_are_never_merged),
      TEST(every_field_of_every_arg),
      TEST(op_and_order_of_sources),
      TEST(many_users_of_one_node),
      TEST(what_is_the_node_itself),
      TEST(many_distinct_nodes),
      TEST(hash_is_the_same_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
