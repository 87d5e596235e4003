/* test_walk.c - walking, counting and rebuilding graphs: orders, ranges, parameters, substitute,
 * inline_call, wrap and copy.
 */
#include "uop.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

static uop_ctx *ctx;
static const uop *x, *y;

static int begin(void **state) {
  (void)state;
  if (!(ctx = uop_ctx_new(NULL))) return -1;
  x = uop_param(ctx, 0, UOP_I32, NULL, 0), y = uop_param(ctx, 1, UOP_I32, NULL, 0);
  return 0;
}
static int end(void **state) {
  (void)state;
  if (uop_error(ctx)->code) fail_msg("left over: %s", uop_error(ctx)->message);
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  uop_ctx_free(ctx);
  return 0;
}

static void refused(bool ok, uop_code code, const char *message) {
  const uop_diag *e = uop_error(ctx);
  if (ok || e->code != code || strcmp(e->message, message))
    fail_msg("got %d '%s', not %d '%s'", (int)e->code, e->message, (int)code, message);
  uop_error_clear(ctx);
}

static void prints_as(const uop *u, const char *text) {
  if (!u) fail_msg("%s", uop_error(ctx)->message);
  char *got = uop_print(u, NULL);
  assert_string_equal(got, text);
  uop_free(ctx, got);
}

static void lists(const uop_nodes *l, const uop *const *want, size_t n) {
  assert_int_equal(l->len, n);
  for (size_t i = 0; i < n; i++)
    if (l->at[i] != want[i]) fail_msg("place %d", (int)i);
}
#define LISTS(l, ...)                      \
  lists((l), (const uop *[]){__VA_ARGS__}, \
        sizeof((const uop *[]){__VA_ARGS__}) / sizeof(const uop *))

/* `u` run as it is, with x and y given. */
static int32_t value_of(const uop *u, int32_t a, int32_t b) {
  uop_value va = {.dtype = UOP_I32, .count = 1, .data = &a}, vb = va, out;
  vb.data = &b;
  uop_run *r = uop_run_new(ctx, NULL);
  assert_true(uop_run_set(r, UOP_PARAM, 0, &va) && uop_run_set(r, UOP_PARAM, 1, &vb));
  if (!uop_run_eval(r, u, &out)) fail_msg("%s", uop_error(ctx)->message);
  int32_t v;
  memcpy(&v, out.data, sizeof v);
  uop_run_free(r);
  return v;
}

/* ---- orders ---- */

/* Nodes of many sources below one of many: in this graph the walk's order is that of creation. */
static void test_toposort_of_wide_nodes(void **state) {
  (void)state;
  enum { OUTER = 11, INNER = 9 };
  uop_ctx *own = uop_ctx_new(NULL);
  const uop *rows[OUTER], *row[INNER], *f = uop_param(own, 0, UOP_F32, NULL, 0);
  for (int i = 0; i < OUTER; i++) {
    for (int k = 0; k < INNER; k++) row[k] = uop_add(f, i * INNER + k + 1);
    rows[i] = uop_make(own, UOP_STACK, row, INNER, NULL);
  }
  const uop *top = uop_make(own, UOP_STACK, rows, OUTER, NULL);
  uop_nodes l = {NULL, 0, 0};
  assert_true(uop_toposort(own, &top, 1, &l));
  size_t n;
  const uop *const *at = uop_ctx_nodes(own, &n);
  assert_int_equal(n, 1 + 2 * OUTER * INNER + OUTER + 1);
  assert_int_equal(l.len, n);
  assert_memory_equal((const void *)l.at, (const void *)at, n * sizeof *at);
  uop_nodes_free(own, &l);
  uop_ctx_free(own);
}

static void test_toposort(void **state) {
  (void)state;
  const uop *f = uop_param(ctx, 0, UOP_F32, NULL, 0), *one = uop_const_of_f32(ctx, 1);
  const uop *sum = uop_add(f, 1), *e = uop_mul(sum, sum);
  uop_nodes l = {NULL, 0, 0};
  assert_true(uop_toposort(ctx, &e, 1, &l));
  LISTS(&l, f, one, sum, e); /* the chapter's running example */
  const uop *a = uop_add(x, y), *b = uop_mul(y, x), *top = uop_max(a, b);
  assert_true(uop_toposort(ctx, &top, 1, &l)); /* what the list held is replaced */
  LISTS(&l, x, y, a, b, top);
  const uop *roots[] = {b, NULL, a, b}; /* several roots, one twice, one NULL */
  assert_true(uop_toposort(ctx, roots, 4, &l));
  LISTS(&l, y, x, b, a);
  assert_true(uop_toposort(ctx, NULL, 0, &l));
  assert_int_equal(l.len, 0);
  const uop *call = uop_call(uop_mul(x, x), "sq", y); /* a CALL's body comes first */
  assert_true(uop_toposort(ctx, &call, 1, &l));
  LISTS(&l, x, uop_mul(x, x), y, call);
  uop_nodes_free(ctx, &l);
  uop_nodes_free(ctx, &l);
}

/* Left to right, however the graph was built: the same order as recursion would give. */
static void visit(const uop *u, uop_map *seen, uop_nodes *out) {
  uint64_t v;
  if (uop_map_get(seen, u, &v)) return;
  uop_map_set(seen, u, 1);
  for (uint32_t i = 0; i < u->nsrc; i++) visit(u->src[i], seen, out);
  out->at[out->len++] = u;
}

static void test_toposort_is_depth_first(void **state) {
  (void)state;
  static const uop *room[10000];
  for (uint64_t seed = 1; seed <= 500; seed++) {
    const uop *g = random_graph(ctx, seed, 40, 0);
    uop_nodes got = {NULL, 0, 0}, want = {room, 0, 10000};
    uop_map *seen = uop_map_new(ctx);
    visit(g, seen, &want);
    assert_true(uop_toposort(ctx, &g, 1, &got));
    lists(&got, want.at, want.len);
    uop_map_free(seen);
    uop_nodes_free(ctx, &got);
  }
}

static void test_ranges(void **state) {
  (void)state;
  const uop *a = uop_range(ctx, 4, 1, UOP_AXIS_LOOP), *b = uop_range(ctx, 4, 0, UOP_AXIS_REDUCE);
  const uop *c = uop_range(ctx, 5, 0, UOP_AXIS_LOOP), *d = uop_range(ctx, 6, 0, UOP_AXIS_LOOP);
  const uop *g = uop_range(ctx, 4, 0, UOP_AXIS_GLOBAL);
  const uop *all = uop_add(uop_add(a, g), uop_add(uop_add(b, d), uop_add(c, a)));
  uop_nodes l = {NULL, 0, 0};
  assert_true(uop_ranges(all, &l));
  LISTS(&l, d, c, b, g, a); /* by idx, kind, and then where they stand */
  assert_true(uop_ranges(uop_add(c, d), &l));
  LISTS(&l, c, d);
  const uop *inner = uop_range(ctx, a, 2, UOP_AXIS_LOOP); /* a range's end has a range */
  assert_true(uop_ranges(inner, &l));
  LISTS(&l, a, inner);
  assert_true(uop_ranges(x, &l));
  assert_int_equal(l.len, 0);
  uop_nodes_free(ctx, &l);
}

static void test_call_params(void **state) {
  (void)state;
  const uop *z = uop_param(ctx, 2, UOP_I32, NULL, 0);
  const uop *inner = uop_mul(x, y); /* the same PARAM nodes as outside */
  const uop *call = uop_call(inner, "g", z, uop_add(y, 1));
  uop_nodes l = {NULL, 0, 0};
  assert_true(uop_call_params(call, &l));
  LISTS(&l, z, y); /* of the arguments, not of the body */
  assert_true(uop_call_params(inner, &l));
  LISTS(&l, x, y);
  const uop *both = uop_add(call, x);
  assert_true(uop_call_params(both, &l));
  LISTS(&l, z, y, x);
  const uop *buf = uop_index(uop_buffer(ctx, 3, UOP_I32, 4), x), *roots[] = {buf, call};
  assert_true(uop_inputs(ctx, roots, 2, &l));
  assert_int_equal(l.len, 4);
  assert_true(l.at[0]->op == UOP_BUFFER && l.at[1] == x && l.at[2] == z && l.at[3] == y);
  uop_nodes_free(ctx, &l);
}

/* ---- counts ---- */

static void test_counts(void **state) {
  (void)state;
  const uop *e = uop_mul(uop_add(x, 1), uop_add(x, 1));
  uop_counts c;
  assert_true(uop_count(ctx, &e, 1, &c));
  assert_true(c.nodes == 4 && c.ops == 2 && c.tree == 7 && c.depth == 2);
  assert_true(c.by_op[UOP_MUL] == 1 && c.by_op[UOP_ADD] == 1 && c.by_op[UOP_CONST] == 1 &&
              c.by_op[UOP_PARAM] == 1 && c.by_op[UOP_MAX] == 0);
  assert_true(fabs(c.tree_log10 - log10(7)) < 1e-12);
  const uop *roots[] = {e, x, e};
  assert_true(uop_count(ctx, roots, 3, &c));
  assert_true(c.nodes == 4 && c.tree == 15);
  assert_true(uop_count(ctx, NULL, 0, &c));
  assert_true(c.nodes == 0 && c.tree == 0 && c.depth == 0 && c.tree_log10 == 0);
  assert_true(uop_count(ctx, &x, 1, &c));
  assert_true(c.nodes == 1 && c.ops == 0 && c.tree == 1 && c.depth == 0 && c.tree_log10 == 0);
}

/* n doublings: n + 1 nodes, 2^(n+1) - 1 in the tree. */
static void test_counts_of_doublings(void **state) {
  (void)state;
  const uop *u = x;
  for (int n = 1; n <= 5000; n++) {
    u = uop_add(u, u);
    if (n > 70 && n % 100) continue;
    uop_counts c;
    assert_true(uop_count(ctx, &u, 1, &c));
    assert_int_equal(c.nodes, n + 1);
    assert_int_equal(c.depth, n);
    uint64_t tree = n < 62 ? (UINT64_C(2) << n) - 1 : UINT64_MAX;
    if (n == 62) tree = (UINT64_C(1) << 63) - 1;
    if (c.tree != tree) fail_msg("%d doublings: %lu", n, (unsigned long)c.tree);
    double want = (n + 1) * log10(2); /* and the 1 less, where it shows */
    if (n < 40) want = log10(ldexp(2, n) - 1);
    if (fabs(c.tree_log10 - want) > 1e-9 * want) fail_msg("%d doublings: %g", n, c.tree_log10);
  }
}

static void test_count_of_the_300_level_program(void **state) {
  (void)state;
  const uop *u = uop_const_of_i32(ctx, 1);
  for (int n = 0; n < 300; n++) u = uop_add(u, u);
  uop_counts c;
  assert_true(uop_count(ctx, &u, 1, &c));
  assert_int_equal(c.nodes, 301);
  assert_true(fabs(c.tree_log10 - (90 + log10(4.07))) < 1e-3);
}

/* ---- substitute ---- */

static void test_substitute(void **state) {
  (void)state;
  const uop *f = uop_param(ctx, 0, UOP_F32, NULL, 0), *three = uop_const_of_f32(ctx, 3);
  const uop *e = uop_mul(uop_add(f, 1), uop_add(f, 1));
  prints_as(uop_substitute(e, &f, &three, 1), "%0 = add 3.0, 1.0\n%1 = mul %0, %0\n");
  assert_ptr_equal(uop_substitute(e, NULL, NULL, 0), e);
  assert_ptr_equal(uop_substitute(e, &x, &y, 1), e); /* nothing there to replace */
  assert_ptr_equal(uop_substitute(e, &e, &f, 1), f); /* the root */
  /* at once: x and y change places */
  const uop *d = uop_sub(x, y), *from[] = {x, y}, *to[] = {y, x};
  assert_ptr_equal(uop_substitute(d, from, to, 2), uop_sub(y, x));
  /* a replaced node is not looked into, and what replaces it is not replaced again */
  const uop *xy = uop_add(x, y), *sum = uop_mul(xy, x);
  const uop *from2[] = {xy, x}, *to2[] = {uop_neg(x), y};
  assert_ptr_equal(uop_substitute(sum, from2, to2, 2), uop_mul(uop_neg(x), y));
  /* what does not change is reused, what becomes equal becomes one */
  const uop *left = uop_add(x, 1), *right = uop_add(y, 1), *top = uop_mul(left, right);
  const uop *same = uop_substitute(top, &y, &x, 1);
  assert_ptr_equal(same, uop_mul(left, left));
  assert_ptr_equal(same->src[0], left);
}

static void test_substitute_goes_into_bodies(void **state) {
  (void)state;
  const uop *two = uop_const_of_i32(ctx, 2), *three = uop_const_of_i32(ctx, 3);
  const uop *call = uop_call(uop_mul(x, two), "f", uop_add(y, two));
  assert_ptr_equal(uop_substitute(call, &two, &three, 1),
                   uop_call(uop_mul(x, 3), "f", uop_add(y, 3)));
  size_t live = uop_ctx_live(ctx); /* the PARAM of a body: the CALL's own refusal */
  refused(uop_substitute(call, &x, &y, 1), UOP_E_ARG, "CALL needs params 0..0, body has [1]");
  assert_int_equal(uop_ctx_live(ctx), live);
  const uop *f = uop_param(ctx, 1, UOP_F32, NULL, 0);
  refused(uop_substitute(uop_add(x, y), &y, &f, 1), UOP_E_DTYPE,
          "ADD: dtype mismatch i32 vs f32 (use CAST)");
}

/* ---- calls ---- */

/* CASES 43: g(p0) = p0*p0, f(p0) = call g(p0 + 1): the same PARAM node stands in both bodies. */
static void test_nested_calls(void **state) {
  (void)state;
  const uop *g = uop_mul(x, x), *f = uop_call(g, "g", uop_add(x, 1)), *top = uop_call(f, "f", 7);
  assert_int_equal(value_of(top, 0, 0), 64);
  const uop *once = uop_inline_call(top); /* the CALL inside stays */
  prints_as(once, "%0 = param : slot=0 dtype=i32\n%1 = mul %0, %0\n%2 = add 7, 1\n"
                  "%3 = call %1, %2 : name=g\n");
  assert_int_equal(value_of(once, 0, 0), 64);
  const uop *twice = uop_inline_call(once);
  prints_as(twice, "%0 = add 7, 1\n%1 = mul %0, %0\n");
  assert_int_equal(value_of(twice, 0, 0), 64);
}

/* CASES 44: all parameters at once. */
static void test_parameters_are_replaced_at_once(void **state) {
  (void)state;
  const uop *sub = uop_sub(x, y), *f = uop_call(sub, "sub", y, x);
  const uop *top = uop_call(f, "f", 10, 3);
  assert_int_equal(value_of(top, 0, 0), -7);
  assert_ptr_equal(uop_inline_call(f), uop_sub(y, x));
  assert_int_equal(value_of(uop_inline_call(uop_inline_call(top)), 0, 0), -7);
  const uop *sq = uop_mul(x, x);
  const uop *sqsq = uop_call(sq, "sq", uop_call(sq, "sq", 3));
  assert_int_equal(value_of(sqsq, 0, 0), 81);
  assert_int_equal(value_of(uop_inline_call(sqsq), 0, 0), 81);
}

/* CASES 45: a chain of 30 calls, each calling the one before twice with the same argument. */
static void test_a_chain_of_calls(void **state) {
  (void)state;
  const uop *f = uop_add(x, 1);
  for (int i = 0; i < 30; i++) {
    const uop *c = uop_call(f, "f", x);
    f = uop_add(c, c);
  }
  uop_counts c;
  assert_true(uop_count(ctx, &f, 1, &c));
  assert_int_equal(c.nodes, 3 + 60);
  assert_int_equal(value_of(uop_call(f, "f", 0), 0, 0), 1 << 30);
}

/* ---- wrap ---- */

typedef struct wrapping {
  const uop *seen[100];
  size_t n, fail_at;
  int what;
  uop_scope outer;
} wrapping;

static const uop *stage_it(void *user, const uop *u) {
  wrapping *w = user;
  w->seen[w->n++] = u;
  return w->fail_at && w->n == w->fail_at ? NULL : uop_stage(u);
}

static void test_wrap(void **state) {
  (void)state;
  const uop *a = uop_add(x, 1), *b = uop_mul(a, a), *c = uop_max(b, a), *out;
  const uop *targets[] = {a, c};
  wrapping w = {.n = 0};
  assert_true(uop_wrap(ctx, &c, 1, targets, 2, stage_it, &w, &out));
  const uop *sa = uop_stage(a), *inner = uop_max(uop_mul(sa, sa), sa);
  assert_ptr_equal(out, uop_stage(inner));
  assert_int_equal(w.n, 2); /* each target once, sources first, with its sources rebuilt */
  assert_ptr_equal(w.seen[0], a);
  assert_ptr_equal(w.seen[1], inner);
  /* several roots, into their own array; a target that is not there; NULLs */
  const uop *roots[] = {b, x, NULL, c}, *none[] = {y, NULL, a};
  w.n = 0;
  assert_true(uop_wrap(ctx, roots, 4, none, 3, stage_it, &w, roots));
  assert_ptr_equal(roots[0], uop_mul(sa, sa));
  assert_ptr_equal(roots[1], x);
  assert_null(roots[2]);
  assert_ptr_equal(roots[3], inner);
  assert_int_equal(w.n, 1);
  assert_true(uop_wrap(ctx, &c, 1, NULL, 0, stage_it, &w, &out));
  assert_ptr_equal(out, c);
  assert_int_equal(w.n, 1);
}

static void test_wrap_goes_into_bodies(void **state) {
  (void)state;
  const uop *body = uop_mul(x, x), *call = uop_call(body, "f", y), *out;
  wrapping w = {.n = 0};
  assert_true(uop_wrap(ctx, &call, 1, &body, 1, stage_it, &w, &out));
  assert_ptr_equal(out, uop_call(uop_stage(body), "f", y));
}

static void test_wrap_ends_with_the_callbacks_error(void **state) {
  (void)state;
  const uop *a = uop_add(x, 1), *b = uop_mul(a, 5), *out = x, *targets[] = {a, b};
  wrapping w = {.fail_at = 2};
  refused(uop_wrap(ctx, &b, 1, targets, 2, stage_it, &w, &out), UOP_E_CALLBACK,
          "uop_wrap: the callback gave no node");
  assert_ptr_equal(out, x);
  assert_true(uop_ctx_check(ctx));
}

static const uop *fail_with_reason(void *user, const uop *u) {
  (void)user;
  return uop_recip(u);
}

static void test_wrap_keeps_the_callbacks_own_error(void **state) {
  (void)state;
  const uop *out = NULL;
  refused(uop_wrap(ctx, &x, 1, &x, 1, fail_with_reason, NULL, &out), UOP_E_DTYPE,
          "RECIP needs a float, got i32");
  /* what the callback gives need not fit: the user's refusal */
  assert_null(out);
}

static const uop *as_float(void *user, const uop *u) {
  (void)user;
  return uop_cast(u, UOP_F32);
}

static void test_wrap_that_does_not_fit(void **state) {
  (void)state;
  const uop *sum = uop_add(x, 1), *out;
  refused(uop_wrap(ctx, &sum, 1, &x, 1, as_float, NULL, &out), UOP_E_DTYPE,
          "ADD: dtype mismatch f32 vs i32 (use CAST)");
}

enum { COLLECT, END_OUTER, LEAVE_OPEN, OWN_SCOPE, NESTED };

/* Misbehaves, and gives the node all the same. */
static const uop *misbehave(void *user, const uop *u) {
  wrapping *w = user;
  uop_scope s;
  const uop *v = u;
  switch (w->what) {
  case COLLECT: assert_false(uop_collect(ctx, NULL, 0)); break;
  case END_OUTER: assert_false(uop_scope_end(w->outer, NULL, 0)); break;
  case LEAVE_OPEN: w->outer = uop_scope_begin(ctx); break;
  case OWN_SCOPE:
    s = uop_scope_begin(ctx);
    v = uop_add(u, 77);
    for (int i = 0; i < 100; i++) uop_mul(v, i);
    assert_true(uop_scope_end(s, &v, 1));
    break;
  default: /* a wrap in a wrap */
    w->what = OWN_SCOPE;
    assert_true(uop_wrap(ctx, &u, 1, &u, 1, misbehave, w, &v));
    assert_false(uop_collect(ctx, NULL, 0)); /* still inside the outer one */
    uop_error_clear(ctx);
    break;
  }
  return v;
}

static void test_callbacks_may_end_only_their_scopes(void **state) {
  (void)state;
  wrapping w = {.outer = uop_scope_begin(ctx)};
  uop_scope outer = w.outer;
  const uop *a = uop_add(x, 1), *b = uop_mul(a, 5), *out = NULL;
  const uop *roots[] = {a, b};
  size_t live = uop_ctx_live(ctx);

  w.what = COLLECT;
  assert_true(uop_wrap(ctx, &b, 1, &a, 1, misbehave, &w, &out));
  assert_ptr_equal(out, b);
  refused(false, UOP_E_SCOPE, "uop_collect while a callback is running");
  assert_int_equal(uop_ctx_live(ctx), live);

  w.what = END_OUTER;
  assert_true(uop_wrap(ctx, &b, 1, &a, 1, misbehave, &w, &out));
  assert_ptr_equal(out, b);
  refused(false, UOP_E_SCOPE, "a callback may end only scopes that it began");
  assert_int_equal(uop_ctx_live(ctx), live);

  w.what = LEAVE_OPEN;
  refused(uop_wrap(ctx, &b, 1, &a, 1, misbehave, &w, &out), UOP_E_SCOPE,
          "a callback left a scope open");
  uop_scope after = uop_scope_begin(ctx); /* what it left open is given up: scopes go on */
  assert_true(uop_scope_end(after, NULL, 0));
  refused(uop_scope_end(w.outer, roots, 2), UOP_E_SCOPE,
          "a scope was ended that is not the innermost open one");
  assert_true(uop_collect(ctx, roots, 2));
  assert_int_equal(uop_ctx_live(ctx), live);

  w.what = OWN_SCOPE;
  assert_true(uop_wrap(ctx, &b, 1, &a, 1, misbehave, &w, &out));
  assert_ptr_equal(out, uop_mul(uop_add(a, 77), 5));

  w.what = NESTED;
  assert_true(uop_wrap(ctx, &b, 1, &a, 1, misbehave, &w, &out));
  assert_ptr_equal(out, uop_mul(uop_add(a, 77), 5));

  assert_true(uop_collect(ctx, &b, 1)); /* allowed again */
  assert_int_equal(uop_ctx_live(ctx), live);
  assert_true(uop_scope_end(outer, NULL, 0));
  assert_int_equal(uop_ctx_live(ctx), 2); /* x and y */
}

/* ---- with_src and copy ---- */

static void test_with_src(void **state) {
  (void)state;
  const uop *sum = uop_add(x, y);
  assert_ptr_equal(uop_with_src(sum, (const uop *[]){x, y}), sum);
  assert_ptr_equal(uop_with_src(sum, (const uop *[]){y, y}), uop_add(y, y));
  const uop *r = uop_range(ctx, 10, 3, UOP_AXIS_UPCAST);
  prints_as(uop_with_src(r, &x),
            "%0 = param : slot=0 dtype=i32\n%1 = range %0 : idx=3 kind=upcast\n");
  assert_ptr_equal(uop_with_src(x, NULL), x);
}

static void test_copy(void **state) {
  (void)state;
  uop_ctx *other = uop_ctx_new(NULL);
  const uop *e = uop_mul(uop_add(x, 1), uop_add(x, 1)), *there = uop_copy(other, e);
  assert_non_null(there);
  assert_ptr_not_equal(there, e);
  assert_ptr_equal(uop_ctx_of(there), other);
  assert_int_equal(uop_ctx_live(other), 4);
  assert_ptr_equal(uop_copy(other, e), there); /* that context's own node */
  assert_ptr_equal(uop_copy(ctx, e), e);
  assert_ptr_equal(uop_copy(ctx, there), e);
  assert_int_equal(there->hash, e->hash);
  uop_ctx_free(other);
  uop_options o = {.max_nodes = 3};
  other = uop_ctx_new(&o); /* no room: nothing is left there */
  assert_null(uop_copy(other, e));
  assert_int_equal(uop_error(other)->code, UOP_E_LIMIT);
  assert_int_equal(uop_ctx_live(other), 0);
  assert_int_equal(uop_ctx_stats(other).created, 0);
  uop_ctx_free(other);
}

static void test_copies_in_many_contexts(void **state) {
  (void)state;
  enum { N = 10 };
  for (uint64_t seed = 1; seed <= 50; seed++) {
    const uop *g = random_graph(ctx, seed, 30, 0), *u = g;
    char *text = uop_print(g, NULL);
    uop_ctx *c[N];
    for (int i = 0; i < N; i++) {
      c[i] = uop_ctx_new(NULL);
      u = uop_copy(c[i], u); /* each from the one before */
      assert_non_null(u);
      char *again = uop_print(u, NULL);
      assert_string_equal(again, text);
      uop_free(c[i], again);
    }
    assert_ptr_equal(uop_copy(ctx, u), g);
    for (int i = 0; i < N; i++) uop_ctx_free(c[i]);
    uop_free(ctx, text);
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown(test_##f, begin, end)

static const uop *answer(void *user, const uop *u) { return (void)u, user; }

/* A node of another context is refused wherever it is handed in, and leaves nothing in either. */
static void test_foreign_nodes(void **state) {
  (void)state;
  uop_ctx *other = uop_ctx_new(NULL);
  const uop *here = uop_param(ctx, 3, UOP_F32, UOP_DIMS(3)),
            *there = uop_param(other, 0, UOP_F32, NULL, 0);
  const uop *mixed[] = {here, there}, *out = NULL;
  uop_nodes l = {0};
  uop_counts n;
  size_t live = uop_ctx_live(ctx);
  assert_null(uop_add(here, there)); /* would broadcast in the other context */
  refused(false, UOP_E_CONTEXT, "ADD: source 1 is of another context (uop_copy it)");
  assert_int_equal(uop_ctx_live(other), 1);
  assert_null(uop_substitute(here, &here, &there, 1));
  refused(false, UOP_E_CONTEXT, "a node is of another context (uop_copy it)");
  refused(uop_wrap(ctx, &here, 1, &here, 1, answer, (void *)there, &out), UOP_E_CONTEXT,
          "a node is of another context (uop_copy it)");
  refused(uop_toposort(ctx, mixed, 2, &l), UOP_E_CONTEXT,
          "a node is of another context (uop_copy it)");
  refused(uop_inputs(ctx, mixed, 2, &l), UOP_E_CONTEXT,
          "a node is of another context (uop_copy it)");
  refused(uop_count(ctx, mixed, 2, &n), UOP_E_CONTEXT,
          "a node is of another context (uop_copy it)");
  refused(uop_dot(ctx, mixed, 2, NULL, NULL) != NULL, UOP_E_CONTEXT,
          "a node is of another context (uop_copy it)");
  uop_map *m = uop_map_new(ctx); /* ids of two contexts are alike */
  uint64_t value;
  for (int i = 0; i < 100; i++) assert_true(uop_map_set(m, uop_const_of_i32(ctx, i), 7));
  for (int i = 0; i < 100; i++) assert_false(uop_map_get(m, uop_const_of_i32(other, i), &value));
  refused(uop_map_set(m, there, 1), UOP_E_CONTEXT, "a node is of another context (uop_copy it)");
  uop_map_free(m);
  assert_true(uop_ctx_live(ctx) >= live && uop_ctx_check(ctx) && uop_ctx_check(other));
  uop_ctx_free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(toposort),
      TEST(toposort_of_wide_nodes),
      TEST(foreign_nodes),
      TEST(toposort_is_depth_first),
      TEST(ranges),
      TEST(call_params),
      TEST(counts),
      TEST(counts_of_doublings),
      TEST(count_of_the_300_level_program),
      TEST(substitute),
      TEST(substitute_goes_into_bodies),
      TEST(nested_calls),
      TEST(parameters_are_replaced_at_once),
      TEST(a_chain_of_calls),
      TEST(wrap),
      TEST(wrap_goes_into_bodies),
      TEST(wrap_ends_with_the_callbacks_error),
      TEST(wrap_keeps_the_callbacks_own_error),
      TEST(wrap_that_does_not_fit),
      TEST(callbacks_may_end_only_their_scopes),
      TEST(with_src),
      TEST(copy),
      TEST(copies_in_many_contexts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
