/* test_evaluators.c - the library's evaluator beside the plain one (tests/plain), bit for bit, over
 * random programs: small ones of every op, and ones over arrays long enough for many blocks, tiles
 * and rows. Each build of the loops that this machine can run is tried.
 *
 * `test_evaluators [COUNT [FIRST SEED]]`: COUNT small programs (30,000).
 */
#include "uop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eval/eval.h" /* which loops a run uses */
#include "plain/plain.h"
#include "support/awkward.h"

static uint64_t count = 30000, first_seed = 1;

/* ---- inputs ---- */

/* The value of an input; now and then it lies otherwise in memory. */
typedef struct given {
  uop_value plain, strided;
  char *memory; /* of the strided one, if it has its own */
  int64_t strides[UOP_MAX_RANK];
} given;

/* Strides for axes in any order, with gaps and backwards; of an axis of one element, and of an
 * array without elements, whatever number. Elements that it spans; *first is where it begins. */
static int64_t make_strides(rng *r, const uop_value *v, int64_t *strides, int64_t *first) {
  uint32_t order[UOP_MAX_RANK];
  int64_t n = 1;
  *first = 0;
  for (uint32_t i = 0; i < v->rank; i++) { /* Fisher and Yates */
    uint32_t k = random_below(r, i + 1);
    order[i] = order[k];
    order[k] = i;
  }
  for (uint32_t i = 0; i < v->rank; i++) {
    uint32_t axis = order[i];
    if (v->count == 0 || v->dims[axis] == 1) {
      strides[axis] = random_below(r, 2) ? INT64_MAX : (int64_t)random_below(r, 100) - 50;
      continue;
    }
    n *= random_below(r, 4) ? 1 : 2;
    strides[axis] = random_below(r, 3) ? n : -n;
    if (strides[axis] < 0) *first += n * (v->dims[axis] - 1);
    n *= v->dims[axis];
  }
  return n;
}

static void give(const uop *u, uint64_t seed, given *g) {
  rng r = {seed * 1000003 + (uint64_t)uop_slot(u)};
  assert_true(uop_value_fill(u, seed, &g->plain));
  for (int64_t i = 0; i < g->plain.count; i++) awkward_put(&r, g->plain.dtype, g->plain.data, i);
  g->strided = g->plain;
  if (random_below(&r, 2) || g->plain.rank == 0) return;
  int64_t first, n = make_strides(&r, &g->plain, g->strides, &first);
  g->strided.strides = g->strides;
  if (g->plain.count == 0) {
    g->strided.data = NULL;
    return;
  }
  size_t size = uop_dtype_size(g->plain.dtype);
  g->memory = malloc((size_t)n * size); /* no more: a stray read is found out */
  assert_non_null(g->memory);
  g->strided.data = g->memory + (size_t)first * size;
  for (int64_t i = 0; i < g->plain.count; i++) {
    int64_t rest = i, to = first;
    for (uint32_t k = g->plain.rank; k-- > 0; rest /= g->plain.dims[k])
      to += g->plain.dims[k] == 1 ? 0 : rest % g->plain.dims[k] * g->strides[k];
    memcpy(g->memory + (size_t)to * size, (const char *)g->plain.data + (size_t)i * size, size);
  }
}

static void ungive(uop_ctx *ctx, given *g) {
  free(g->memory);
  uop_value_free(ctx, &g->plain);
}

/* ---- both ---- */

typedef struct outcome {
  uop_code code;
  char message[UOP_MAX_MESSAGE];
  uop_value v; /* packed */
} outcome;

static void keep(uop_ctx *ctx, bool ok, const uop_value *v, outcome *o) {
  memset(o, 0, sizeof *o);
  o->code = uop_error(ctx)->code;
  strcpy(o->message, uop_error(ctx)->message);
  uop_error_clear(ctx);
  if (ok != (o->code == UOP_OK)) fail_msg("success and error at once: %s", o->message);
  if (ok && v->dtype != UOP_VOID) assert_true(uop_value_pack(ctx, v, &o->v));
}

static bool same(const outcome *a, const outcome *b) {
  if (a->code != b->code || strcmp(a->message, b->message)) return false;
  if (a->v.dtype != b->v.dtype || a->v.rank != b->v.rank || a->v.count != b->v.count) return false;
  if (memcmp(a->v.dims, b->v.dims, a->v.rank * sizeof *a->v.dims)) return false;
  size_t size = (size_t)a->v.count * uop_dtype_size(a->v.dtype);
  return size == 0 || memcmp(a->v.data, b->v.data, size) == 0;
}

enum { ROOTS = 3 };

typedef struct trial {
  const uop *root[ROOTS]; /* asked for in this order */
  size_t nroots;
  uint64_t seed;
} trial;

static void run_fast(uop_ctx *ctx, const trial *t, const uop_nodes *inputs, given *values,
                     const uopi_loops *loops, outcome *out) {
  uop_run *r = uop_run_new(ctx, NULL);
  assert_non_null(r);
  r->loops = loops;
  for (size_t i = 0; i < inputs->len; i++)
    assert_true((i % 2 ? uop_run_set : uop_run_set_copy)(
        r, (uop_op)inputs->at[i]->op, uop_slot(inputs->at[i]), &values[i].strided));
  const uop *want[ROOTS]; /* in another order, which changes nothing that is seen */
  for (size_t i = 0; i < t->nroots; i++) want[i] = t->root[(i + t->seed) % t->nroots];
  if (t->seed % 3) assert_true(uop_run_want(r, want, t->nroots));
  for (size_t i = 0; i < t->nroots; i++) {
    uop_value v = {.dtype = UOP_VOID};
    bool ok = uop_run_eval(r, t->root[i], &v);
    keep(ctx, ok, &v, &out[i]);
  }
  uop_run_free(r);
}

static void run_plain(uop_ctx *ctx, const trial *t, const uop_nodes *inputs, given *values,
                      outcome *out) {
  plain_run *r = plain_new(ctx, NULL);
  assert_non_null(r);
  for (size_t i = 0; i < inputs->len; i++)
    assert_true(plain_set(r, (uop_op)inputs->at[i]->op, uop_slot(inputs->at[i]), &values[i].plain));
  for (size_t i = 0; i < t->nroots; i++) {
    uop_value v = {.dtype = UOP_VOID};
    bool ok = plain_eval(r, t->root[i], &v);
    keep(ctx, ok, &v, &out[i]);
  }
  plain_free(r);
}

/* What differs, or NULL. */
static const char *compare(const trial *t, const uopi_loops *loops) {
  static char why[3 * UOP_MAX_MESSAGE];
  uop_ctx *ctx = uop_ctx_of(t->root[0]);
  uop_nodes inputs = {NULL, 0, 0};
  outcome fast[ROOTS], slow[ROOTS];
  assert_true(uop_inputs(ctx, t->root, t->nroots, &inputs));
  given *values = calloc(inputs.len + 1, sizeof *values);
  assert_non_null(values);
  for (size_t i = 0; i < inputs.len; i++) give(inputs.at[i], t->seed, &values[i]);
  run_fast(ctx, t, &inputs, values, loops, fast);
  run_plain(ctx, t, &inputs, values, slow);
  bool differ = false;
  for (size_t i = 0; i < t->nroots; i++) {
    if (!differ && !same(&fast[i], &slow[i])) {
      differ = true;
      snprintf(why, sizeof why, "root %d, loops %s: '%s' is to be '%s'", (int)i, loops->name,
               fast[i].message, slow[i].message);
    }
    uop_value_free(ctx, &fast[i].v);
    uop_value_free(ctx, &slow[i].v);
  }
  for (size_t i = 0; i < inputs.len; i++) ungive(ctx, &values[i]);
  free(values);
  uop_nodes_free(ctx, &inputs);
  return differ ? why : NULL;
}

typedef struct fault_of {
  const uopi_loops *loops;
  uint64_t seed;
} fault_of;

static bool is_wrong(const uop *g, void *user) {
  const fault_of *f = user;
  trial t = {{g}, 1, f->seed};
  return compare(&t, f->loops) != NULL;
}

static void try_it(const trial *t, uint64_t number) {
  const uopi_loops *loops = NULL;
  size_t builds = 0;
  while (uopi_loops_of(builds)) builds++;
  loops = uopi_loops_of(number % builds);
  const char *why = compare(t, loops);
  if (!why) return;
  fault_of f = {loops, t->seed};
  for (size_t i = 0; i < t->nroots; i++)
    if (is_wrong(t->root[i], &f)) {
      shrink_and_print(t->root[i], is_wrong, &f, why);
      break;
    }
  fail_msg("seed %lu: %s", (unsigned long)t->seed, why);
}

static void test_small_programs(void **state) {
  (void)state;
  uop_ctx *ctx = uop_ctx_new(NULL);
  uint64_t failed = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t seed = first_seed + i;
    uop_scope s = uop_scope_begin(ctx);
    trial t = {.nroots = 1, .seed = seed};
    t.root[0] = random_graph(ctx, seed, seed % 40 ? 1 + (int)(seed % 20) : 80, RANDOM_RUNNABLE);
    assert_non_null(t.root[0]);
    uop_nodes order = {NULL, 0, 0};
    assert_true(uop_toposort(ctx, t.root, 1, &order));
    for (; t.nroots < ROOTS && order.len > t.nroots * 3; t.nroots++)
      t.root[t.nroots] = order.at[(seed / 7 * t.nroots) % order.len];
    uop_nodes_free(ctx, &order);
    try_it(&t, i);
    failed += uop_error(ctx)->code != UOP_OK;
    assert_true(uop_scope_end(s, NULL, 0));
  }
  uop_ctx_free(ctx);
}

/* ---- long arrays ---- */

static const int64_t shapes[][4] = {
    {4097},    {64, 64},       {33, 130},     {3, 700, 5}, {17, 2, 99}, {1, 2049},
    {2049, 1}, {2, 3, 4, 300}, {16, 256},     {300, 270},  {40000},     {5, 1, 5, 64},
    {0, 5000}, {2, 0, 3},      {256, 16, 16}, {7, 5000},   {1000},      {2, 700}};
static const size_t ranks[] = {1, 2, 2, 3, 3, 2, 2, 4, 2, 2, 1, 4, 2, 3, 3, 2, 1, 2};
enum { SHAPES = sizeof ranks / sizeof *ranks };

static const uop *cast_to(const uop *x, uop_dtype d) { return x->dtype == d ? x : uop_cast(x, d); }

static const uop *moved(rng *r, const uop *x) {
  int64_t dims[UOP_MAX_RANK], pairs[2 * UOP_MAX_RANK];
  size_t rank = x->shape->len;
  int64_t axes[UOP_MAX_RANK];
  switch (random_below(r, 4)) {
  case 0:
    for (size_t i = 0; i < rank; i++) axes[i] = (int64_t)(rank - 1 - i);
    return uop_permute(x, axes, rank);
  case 1: /* the first two axes as one, or the last one split */
    if (rank >= 2) {
      dims[0] = x->shape->at[0] * x->shape->at[1];
      for (size_t i = 2; i < rank; i++) dims[i - 1] = x->shape->at[i];
      return uop_reshape(x, dims, rank - 1);
    }
    if (rank == 1 && x->shape->at[0] % 2 == 0) {
      dims[0] = 2;
      dims[1] = x->shape->at[0] / 2;
      return uop_reshape(x, dims, 2);
    }
    return x;
  case 2:
    for (size_t i = 0; i < rank; i++) {
      int64_t n = x->shape->at[i];
      pairs[2 * i] = n ? (int64_t)random_below(r, (uint32_t)(n < 4 ? n : 4)) : 0;
      pairs[2 * i + 1] = n;
    }
    return uop_shrink(x, pairs, rank);
  default:
    for (size_t i = 0; i < rank; i++)
      dims[i] = x->shape->at[i] == 1 ? 1 + (int64_t)random_below(r, 40) : x->shape->at[i];
    return uop_expand(x, dims, rank);
  }
}

static const uop *computed(rng *r, const uop *x, const uop *y) {
  uop_dtype d = (uop_dtype)x->dtype;
  bool is_float = d == UOP_F32 || d == UOP_F16;
  if (random_below(r, 4) == 0) return uop_cast(x, (uop_dtype)(UOP_BOOL + (int)random_below(r, 4)));
  if (is_float && random_below(r, 2)) {
    static const uop_op unary[] = {UOP_RECIP, UOP_EXP2, UOP_LOG2, UOP_SQRT, UOP_SIN};
    return uop_make(uop_ctx_of(x), unary[random_below(r, 5)], &x, 1, NULL);
  }
  const uop *b = y->shape == x->shape ? cast_to(y, d) : x;
  switch (random_below(r, d == UOP_I32 ? 8 : 6)) {
  case 0: return uop_add(x, b);
  case 1: return uop_mul(x, b);
  case 2: return uop_max(x, b);
  case 3: return uop_where(uop_lt(x, b), b, x);
  case 4: return uop_ne(b, x);
  case 5: return uop_add(x, 1);
  case 6: return uop_floordiv(b, x);
  default: return uop_floormod(x, b);
  }
}

static const uop *next_of(rng *r, const uop *x, const uop *y) {
  uint32_t what = random_below(r, 10);
  size_t rank = x->shape->len;
  if (what < 6) return computed(r, x, y);
  if (what < 9 || rank == 0) return moved(r, x);
  if (random_below(r, 2) && x->shape->len < 5 && uopi_count_of(x) < 50000)
    return uop_stack(uop_ctx_of(x), x, x);
  return uop_reduce(x, random_below(r, 2) ? UOP_ADD : UOP_MAX, 1 + random_below(r, (uint32_t)rank));
}

static void test_long_arrays(void **state) {
  (void)state;
  uop_ctx *ctx = uop_ctx_new(NULL);
  for (uint64_t seed = first_seed; seed < first_seed + count / 30; seed++) {
    rng r = {seed};
    uop_scope s = uop_scope_begin(ctx);
    const uop *made[40];
    size_t n = 0, steps = 1 + random_below(&r, 30);
    for (; n < 3; n++) {
      uint32_t shape = random_below(&r, SHAPES);
      made[n] = uop_param(ctx, (int64_t)n, (uop_dtype)(UOP_BOOL + (int)random_below(&r, 4)),
                          shapes[shape], ranks[shape]);
      assert_non_null(made[n]);
    }
    while (n < 3 + steps) {
      const uop *x = made[random_below(&r, 2) ? n - 1 : random_below(&r, (uint32_t)n)];
      const uop *y = next_of(&r, x, made[random_below(&r, (uint32_t)n)]);
      if (!y) fail_msg("seed %lu: %s", (unsigned long)seed, uop_error(ctx)->message);
      made[n++] = uopi_count_of(y) > 100000 ? x : y;
    }
    trial t = {{made[n - 1], made[n / 2], made[n - 1 - n / 4]}, ROOTS, seed};
    try_it(&t, seed);
    assert_true(uop_scope_end(s, NULL, 0));
  }
  uop_ctx_free(ctx);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_programs),
      cmocka_unit_test(test_long_arrays),
  };
  if (argc > 1) count = strtoull(argv[1], NULL, 10);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
