/* random.c - see random.h. A pool of nodes grows by one random op at a time; an op that finds no
 * fitting source in the pool makes a leaf, or gives way to another op.
 *
 * Every op has a function gen_<NAME> here: ops.def is expanded to the table of them, so that a new
 * op does not compile until the generator knows it.
 */
#include "support/random.h"

#include "ir/ir.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { POOL = 128, PARAMS = 4, RANK = 4, NUMEL = 96, DEPTH = 2 };

uint64_t random_u64(rng *r) {
  uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

uint32_t random_below(rng *r, uint32_t n) { return (uint32_t)((random_u64(r) >> 32) * n >> 32); }

/* ---- the pool ---- */

typedef struct type {
  uop_dtype dtype;
  uop_space space;
  size_t rank;
  int64_t dims[RANK];
} type;

typedef struct gen {
  uop_ctx *ctx;
  rng r;
  unsigned flags;
  int depth; /* 0: the program, else a CALL's body */
  const uop *pool[POOL];
  size_t n;
  size_t nparams; /* of a body */
  type param_type[PARAMS];
  int64_t param_slot[PARAMS];
} gen;

static bool once_in(gen *g, uint32_t n) { return random_below(&g->r, n) == 0; }
static bool runnable(const gen *g) { return (g->flags & RANDOM_RUNNABLE) != 0; }

static uop_dtype some_dtype(gen *g) {
  return (uop_dtype)(UOP_BOOL + random_below(&g->r, UOP_DTYPE_COUNT - UOP_BOOL));
}

static type type_of(const uop *u) {
  type t = {(uop_dtype)u->dtype, (uop_space)u->space, u->shape->len, {0}};
  for (size_t i = 0; i < t.rank; i++) t.dims[i] = u->shape->at[i];
  return t;
}

static bool is_type(const uop *u, const type *t) {
  return u->dtype == t->dtype && u->space == t->space && u->shape->len == t->rank &&
         (t->rank == 0 || !memcmp(u->shape->at, t->dims, t->rank * sizeof *t->dims));
}

static int64_t numel(const type *t) {
  int64_t n = 1;
  for (size_t i = 0; i < t->rank; i++) n *= t->dims[i];
  return n;
}

static type some_type(gen *g) {
  type t = {some_dtype(g), UOP_SPACE_ALU, 0, {0}};
  t.rank = once_in(g, 2) ? 0 : random_below(&g->r, 4);
  for (size_t i = 0; i < t.rank; i++)
    t.dims[i] = once_in(g, 8) ? 0 : 1 + (int64_t)random_below(&g->r, 3);
  return t;
}

/* ---- leaves ---- */

static uint32_t some_f32_bits(gen *g) {
  static const float special[] = {0.0f,    -0.0f,   1.0f,      -1.0f,    0.5f,
                                  2.0f,    0.1f,    1e-45f,    -1e-45f,  1.17549421e-38f,
                                  FLT_MIN, FLT_MAX, -FLT_MAX,  16777216, 1e16f,
                                  1e22f,   0.0001f, 9.9999e-5f};
  static const uint32_t bits[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                                  0x7f800001, 0xffffffff, 0x7fa5a5a5};
  union {
    float f;
    uint32_t bits;
  } v;
  switch (random_below(&g->r, 4)) {
  case 0: return (uint32_t)random_u64(&g->r);
  case 1: return bits[random_below(&g->r, sizeof bits / sizeof *bits)];
  case 2: v.f = (float)((int)random_below(&g->r, 200) - 100) / 8; return v.bits;
  default: v.f = special[random_below(&g->r, sizeof special / sizeof *special)]; return v.bits;
  }
}

static uint32_t some_i32_bits(gen *g) {
  static const int32_t special[] = {0, 1, -1, 2, 7, INT32_MIN, INT32_MAX, INT32_MIN + 1, 65536};
  switch (random_below(&g->r, 3)) {
  case 0: return (uint32_t)random_u64(&g->r);
  case 1: return (uint32_t)((int)random_below(&g->r, 20) - 10);
  default: return (uint32_t)special[random_below(&g->r, sizeof special / sizeof *special)];
  }
}

static const uop *constant(gen *g, uop_dtype d) {
  uop_arg a = {.dtype = d};
  a.bits = d == UOP_BOOL  ? random_below(&g->r, 2)
           : d == UOP_I32 ? some_i32_bits(g)
                          : some_f32_bits(g);
  if (d == UOP_F16) a.dtype = UOP_F32;
  const uop *c = uop_make(g->ctx, UOP_CONST, NULL, 0, &a);
  return d == UOP_F16 ? uop_cast(c, d) : c;
}

/* x, of one element, in the shape of t. */
static const uop *spread(gen *g, const uop *x, const type *t) {
  static const int64_t ones[RANK] = {1, 1, 1, 1};
  if (t->rank == 0 && x->shape->len == 0 && once_in(g, 8) == false) return x;
  x = uop_reshape(x, ones, t->rank);
  return numel(t) == 1 && once_in(g, 2) ? x : uop_expand(x, t->dims, t->rank);
}

static const uop *param_of(gen *g, const type *t) {
  int64_t slot = random_below(&g->r, 4);
  if (once_in(g, 50)) slot = UOP_MAX_SLOT;
  if (runnable(g)) { /* one type a slot */
    rng mix = {(uint64_t)slot << 16 | (uint64_t)t->dtype << 8 | (uint64_t)t->space};
    for (size_t i = 0; i < t->rank; i++) mix.state = random_u64(&mix) + (uint64_t)t->dims[i];
    slot = random_u64(&mix) & INT32_MAX;
  }
  return uop_param_in(g->ctx, slot, t->dtype, t->dims, t->rank, t->space);
}

static const uop *body_param(gen *g, size_t i) {
  const type *t = &g->param_type[i];
  return uop_param_in(g->ctx, g->param_slot[i], t->dtype, t->dims, t->rank, t->space);
}

/* A leaf of type t, or what a leaf can be spread to; NULL where a body cannot have one. */
static const uop *fresh(gen *g, const type *t) {
  if (g->depth == 0 && (once_in(g, 2) || (t->space != UOP_SPACE_ALU && runnable(g))))
    return param_of(g, t);
  switch (t->space) {
  case UOP_SPACE_ALU: return spread(g, constant(g, t->dtype), t);
  case UOP_SPACE_GLOBAL:
    return g->depth ? NULL : spread(g, uop_buffer(g->ctx, random_below(&g->r, 3), t->dtype, 1), t);
  default:
    if (runnable(g)) return NULL;
    return spread(g, uop_alloc(g->ctx, random_below(&g->r, 3), t->dtype, 1, t->space), t);
  }
}

/* ---- choosing sources ---- */

typedef bool (*fits)(const uop *u, const void *what);

/* A node of the pool that fits; the youngest ones are mostly looked at first, so that graphs get
 * deep. */
static const uop *pick(gen *g, fits f, const void *what) {
  if (g->n == 0) return NULL;
  size_t from = once_in(g, 4) ? random_below(&g->r, (uint32_t)g->n) : g->n - 1;
  for (size_t i = 0; i < g->n; i++) {
    const uop *u = g->pool[(from + g->n - i) % g->n];
    if (f(u, what)) return u;
  }
  return NULL;
}

static bool fits_type(const uop *u, const void *t) { return is_type(u, t); }
static bool fits_any(const uop *u, const void *w) { return (void)u, (void)w, true; }
static bool fits_value(const uop *u, const void *w) { return (void)w, u->dtype != UOP_VOID; }
static bool fits_memory(const uop *u, const void *w) {
  return (void)w, u->space != UOP_SPACE_ALU && u->dtype != UOP_VOID;
}
static bool fits_float(const uop *u, const void *w) {
  return (void)w, u->dtype == UOP_F32 || u->dtype == UOP_F16;
}
static bool fits_array(const uop *u, const void *w) {
  return (void)w, u->dtype != UOP_VOID && u->shape->len > 0;
}
static bool fits_range(const uop *u, const void *w) { return (void)w, u->op == UOP_RANGE; }
static bool fits_small(const uop *u, const void *w) {
  return (void)w, u->dtype != UOP_VOID && u->shape->len < RANK && uop_numel(u) * 3 <= NUMEL;
}

static const uop *of_type(gen *g, const type *t) {
  const uop *u = once_in(g, 4) ? NULL : pick(g, fits_type, t);
  return u ? u : fresh(g, t);
}

static const uop *any_value(gen *g) {
  const uop *u = once_in(g, 6) ? NULL : pick(g, fits_value, NULL);
  if (u) return u;
  type t = some_type(g);
  return fresh(g, &t);
}

static const uop *scalar_i32(gen *g) {
  type t = {UOP_I32, UOP_SPACE_ALU, 0, {0}};
  return of_type(g, &t);
}

static const uop *some_memory(gen *g) {
  const uop *u = once_in(g, 4) ? NULL : pick(g, fits_memory, NULL);
  if (u) return u;
  type t = some_type(g);
  t.space = (uop_space)(1 + random_below(&g->r, UOP_SPACE_COUNT - 1));
  return fresh(g, &t);
}

static const uop *make(gen *g, uop_op op, const uop *const *src, size_t n, const uop_arg *a) {
  for (size_t i = 0; i < n; i++)
    if (!src[i]) return NULL;
  return uop_make(g->ctx, op, src, n, a);
}

/* ---- one function an op; NULL: it gives way to another ---- */

static const uop *gen_CONST(gen *g) {
  return constant(g, (uop_dtype)(UOP_BOOL + random_below(&g->r, 3)));
}

static const uop *gen_PARAM(gen *g) {
  if (g->depth) return g->nparams ? body_param(g, random_below(&g->r, (uint32_t)g->nparams)) : NULL;
  type t = some_type(g);
  if (once_in(g, 3)) t.space = (uop_space)random_below(&g->r, UOP_SPACE_COUNT);
  return param_of(g, &t);
}

static const uop *random_nodes(gen *g, int steps);

/* A body over its own parameters. It is made twice from the same random numbers: first to see which
 * parameters it uses, then with these in slots 0, 1, 2, …, as a CALL asks. */
static const uop *some_body(gen *g, gen *b) {
  *b = (gen){.ctx = g->ctx, .r = {random_u64(&g->r)}, .flags = g->flags, .depth = g->depth + 1};
  b->nparams = random_below(&g->r, PARAMS + 1);
  for (size_t i = 0; i < b->nparams; i++) {
    b->param_type[i] = some_type(g);
    if (once_in(g, 4)) b->param_type[i].space = (uop_space)random_below(&g->r, UOP_SPACE_COUNT);
    if (runnable(g) && b->param_type[i].space > UOP_SPACE_GLOBAL)
      b->param_type[i].space = UOP_SPACE_ALU;
    b->param_slot[i] = (int64_t)i;
  }
  int steps = 1 + (int)random_below(&g->r, 6);
  rng start = b->r;
  const uop *body = random_nodes(b, steps);
  uop_nodes used = {NULL, 0, 0};
  if (!body || !uop_call_params(body, &used)) return NULL;
  type kept[PARAMS];
  size_t nkept = 0;
  int64_t unused = UOP_MAX_SLOT;
  for (size_t i = 0; i < b->nparams; i++) {
    bool found = false;
    const uop *p = body_param(b, i);
    for (size_t k = 0; k < used.len; k++) found |= used.at[k] == p;
    if (found) kept[nkept] = b->param_type[i];
    b->param_slot[i] = found ? (int64_t)nkept++ : unused--;
  }
  uop_nodes_free(g->ctx, &used);
  b->r = start;
  b->n = 0;
  body = random_nodes(b, steps);
  b->nparams = nkept;
  memcpy(b->param_type, kept, nkept * sizeof *kept);
  return body;
}

static const uop *gen_CALL(gen *g) {
  static const char *const names[] = {"f",  "sq", "g.h",  "_x",    "nan", "inf",
                                      "B2", "x_", "true", "const", "f32", "a0.b1.c2"};
  if (g->depth == DEPTH) return NULL;
  gen b;
  const uop *src[1 + PARAMS] = {some_body(g, &b)};
  if (!src[0]) return NULL;
  for (size_t i = 0; i < b.nparams; i++) src[1 + i] = of_type(g, &b.param_type[i]);
  char long_name[UOP_MAX_NAME + 1];
  uop_arg a = {.name = names[random_below(&g->r, sizeof names / sizeof *names)]};
  if (once_in(g, 40)) {
    memset(long_name, 'n', UOP_MAX_NAME);
    long_name[UOP_MAX_NAME] = 0;
    a.name = long_name;
  }
  return make(g, UOP_CALL, src, 1 + b.nparams, &a);
}

static const uop *gen_STACK(gen *g) {
  const uop *src[3] = {once_in(g, 4) ? any_value(g) : pick(g, fits_small, NULL)};
  if (!src[0] || !fits_small(src[0], NULL)) return NULL;
  type t = type_of(src[0]);
  size_t n = 1 + random_below(&g->r, 3);
  for (size_t i = 1; i < n; i++) {
    type like = t;
    if (!once_in(g, 4)) like.space = UOP_SPACE_ALU;
    src[i] = of_type(g, &like);
  }
  return make(g, UOP_STACK, src, n, NULL);
}

static const uop *gen_INDEX(gen *g) {
  const uop *src[1 + RANK] = {pick(g, fits_array, NULL)};
  if (!src[0]) return NULL;
  size_t k = 1 + random_below(&g->r, src[0]->shape->len);
  for (size_t i = 0; i < k; i++) {
    int64_t d = src[0]->shape->at[i];
    src[1 + i] = d && !once_in(g, 4)
                     ? uop_const_of_i32(g->ctx, (int32_t)random_below(&g->r, (uint32_t)d))
                     : scalar_i32(g);
  }
  return make(g, UOP_INDEX, src, 1 + k, NULL);
}

static const uop *gen_CAST(gen *g) {
  const uop *x = any_value(g);
  return make(g, UOP_CAST, &x, 1, &(uop_arg){.dtype = some_dtype(g)});
}

static const uop *unary(gen *g, uop_op op) {
  const uop *x = once_in(g, 5) ? NULL : pick(g, fits_float, NULL);
  if (!x) {
    type t = some_type(g);
    t.dtype = once_in(g, 3) ? UOP_F16 : UOP_F32;
    x = fresh(g, &t);
  }
  return make(g, op, &x, 1, NULL);
}

static const uop *two_alike(gen *g, uop_op op, const uop *a) {
  if (!a) return NULL;
  type t = type_of(a);
  if (!once_in(g, 4)) t.space = UOP_SPACE_ALU; /* spaces need not agree */
  const uop *b = of_type(g, &t);
  return make(g, op, once_in(g, 2) ? (const uop *[]){a, b} : (const uop *[]){b, a}, 2, NULL);
}
static const uop *binary(gen *g, uop_op op) { return two_alike(g, op, any_value(g)); }

static const uop *intdiv(gen *g, uop_op op) {
  type t = some_type(g);
  t.dtype = UOP_I32;
  return two_alike(g, op, of_type(g, &t));
}

static const uop *gen_RECIP(gen *g) { return unary(g, UOP_RECIP); }
static const uop *gen_EXP2(gen *g) { return unary(g, UOP_EXP2); }
static const uop *gen_LOG2(gen *g) { return unary(g, UOP_LOG2); }
static const uop *gen_SQRT(gen *g) { return unary(g, UOP_SQRT); }
static const uop *gen_SIN(gen *g) { return unary(g, UOP_SIN); }
static const uop *gen_ADD(gen *g) { return binary(g, UOP_ADD); }
static const uop *gen_MUL(gen *g) { return binary(g, UOP_MUL); }
static const uop *gen_MAX(gen *g) { return binary(g, UOP_MAX); }
static const uop *gen_CMPLT(gen *g) { return binary(g, UOP_CMPLT); }
static const uop *gen_CMPNE(gen *g) { return binary(g, UOP_CMPNE); }
static const uop *gen_ASSERT(gen *g) { return binary(g, UOP_ASSERT); }
static const uop *gen_FLOORDIV(gen *g) { return intdiv(g, UOP_FLOORDIV); }
static const uop *gen_FLOORMOD(gen *g) { return intdiv(g, UOP_FLOORMOD); }

static const uop *gen_WHERE(gen *g) {
  const uop *a = any_value(g);
  if (!a) return NULL;
  type t = type_of(a), c = t;
  if (!once_in(g, 4)) t.space = UOP_SPACE_ALU;
  c.space = UOP_SPACE_ALU;
  c.dtype = UOP_BOOL;
  if (once_in(g, 4)) a = fresh(g, &t); /* both branches literals, now and then */
  return make(g, UOP_WHERE, (const uop *[]){of_type(g, &c), a, of_type(g, &t)}, 3, NULL);
}

static int64_t some_size(gen *g) {
  return !runnable(g) && once_in(g, 10) ? (int64_t)65536 : 1 + (int64_t)random_below(&g->r, 6);
}
static int64_t some_slot(gen *g) {
  return once_in(g, 20) ? UOP_MAX_SLOT : (int64_t)random_below(&g->r, 4);
}

static const uop *gen_BUFFER(gen *g) {
  if (g->depth) return NULL;
  uop_dtype d = some_dtype(g);
  int64_t size = some_size(g), slot = runnable(g) ? (int64_t)d * 10 + size : some_slot(g);
  return uop_buffer(g->ctx, slot, d, size);
}
static const uop *gen_ALLOC(gen *g) {
  uop_space s = once_in(g, 2) ? UOP_SPACE_LOCAL : UOP_SPACE_SHARED;
  return uop_alloc(g->ctx, some_slot(g), some_dtype(g), some_size(g), s);
}
static const uop *gen_LOAD(gen *g) {
  const uop *m = some_memory(g);
  return make(g, UOP_LOAD, &m, 1, NULL);
}
static const uop *gen_STORE(gen *g) {
  const uop *m = some_memory(g);
  if (!m || m->shape->len > RANK) return NULL;
  type t = type_of(m);
  t.space = UOP_SPACE_ALU;
  return make(g, UOP_STORE, (const uop *[]){m, of_type(g, &t)}, 2, NULL);
}

/* first (where not NULL) and then up to 3 nodes of any kind, effects and constants included. */
static const uop *group(gen *g, uop_op op, const uop *first) {
  const uop *src[4] = {first};
  size_t n = first ? 1 : 0, end = n + random_below(&g->r, 4);
  while (n < end) {
    src[n] = once_in(g, 3) ? gen_CONST(g) : pick(g, fits_any, NULL);
    if (src[n++] == NULL) return NULL;
  }
  return make(g, op, src, n, NULL);
}
static const uop *gen_AFTER(gen *g) {
  const uop *m = some_memory(g);
  return m ? group(g, UOP_AFTER, m) : NULL;
}
static const uop *gen_SINK(gen *g) { return group(g, UOP_SINK, NULL); }
static const uop *gen_BARRIER(gen *g) { return group(g, UOP_BARRIER, NULL); }

static const uop *gen_RANGE(gen *g) {
  const uop *end = scalar_i32(g);
  uop_arg a = {.num = some_slot(g), .kind = (uop_axis)random_below(&g->r, UOP_AXIS_COUNT)};
  return make(g, UOP_RANGE, &end, 1, &a);
}
static const uop *gen_END(gen *g) {
  const uop *src[4] = {once_in(g, 3) ? gen_CONST(g) : pick(g, fits_any, NULL)};
  size_t n = 1 + random_below(&g->r, 4);
  for (size_t i = 1; i < n; i++) src[i] = pick(g, fits_range, NULL);
  return make(g, UOP_END, src, n, NULL);
}

static const uop *moved(gen *g, uop_op op, const uop *x, const int64_t *at, size_t n) {
  return make(g, op, &x, 1, &(uop_arg){.ints = at, .len = n});
}

static const uop *gen_RESHAPE(gen *g) {
  const uop *x = any_value(g);
  if (!x) return NULL;
  int64_t left = uop_numel(x), dims[RANK];
  size_t n = 0, rank = random_below(&g->r, RANK + 1);
  if (left == 0) { /* any shape with a 0 */
    if (rank == 0) rank = 1;
    for (; n < rank; n++) dims[n] = random_below(&g->r, 4);
    dims[random_below(&g->r, (uint32_t)rank)] = 0;
    return moved(g, UOP_RESHAPE, x, dims, rank);
  }
  for (; n + 1 < rank; n++) {
    int64_t d = 1 + (int64_t)random_below(&g->r, 4);
    dims[n] = left % d ? 1 : d;
    left /= dims[n];
  }
  if (rank || left > 1) dims[n++] = left;
  return moved(g, UOP_RESHAPE, x, dims, n);
}

static const uop *gen_EXPAND(gen *g) {
  const uop *x = any_value(g);
  if (!x || x->shape->len > RANK) return NULL;
  type t = type_of(x);
  for (size_t i = 0; i < t.rank; i++)
    if (t.dims[i] == 1 && numel(&t) * 3 <= NUMEL) t.dims[i] = random_below(&g->r, 4);
  return moved(g, UOP_EXPAND, x, t.dims, t.rank);
}

static const uop *gen_PERMUTE(gen *g) {
  const uop *x = any_value(g);
  if (!x || x->shape->len > RANK) return NULL;
  int64_t axes[RANK] = {0, 1, 2, 3};
  for (uint32_t i = x->shape->len; i > 1; i--) {
    uint32_t k = random_below(&g->r, i);
    int64_t t = axes[i - 1];
    axes[i - 1] = axes[k];
    axes[k] = t;
  }
  return moved(g, UOP_PERMUTE, x, axes, x->shape->len);
}

static const uop *gen_SHRINK(gen *g) {
  const uop *x = any_value(g);
  if (!x || x->shape->len > RANK) return NULL;
  int64_t pairs[2 * RANK];
  for (size_t i = 0; i < x->shape->len; i++) {
    int64_t begin = random_below(&g->r, (uint32_t)x->shape->at[i] + 1);
    pairs[2 * i] = begin;
    pairs[2 * i + 1] = begin + random_below(&g->r, (uint32_t)(x->shape->at[i] - begin) + 1);
  }
  return moved(g, UOP_SHRINK, x, pairs, 2 * (size_t)x->shape->len);
}

static const uop *gen_REDUCE(gen *g) {
  const uop *x = any_value(g);
  if (!x) return NULL;
  uop_arg a = {.op = once_in(g, 2) ? UOP_ADD : UOP_MAX};
  a.num = random_below(&g->r, x->shape->len + 1);
  return make(g, UOP_REDUCE, &x, 1, &a);
}

static const uop *gen_STAGE(gen *g) {
  const uop *x = any_value(g);
  return make(g, UOP_STAGE, &x, 1, NULL);
}

static const uop *gen_WMMA(gen *g) {
  return make(g, UOP_WMMA, (const uop *[]){any_value(g), any_value(g), any_value(g)}, 3, NULL);
}

static const uop *(*const makers[UOP_OP_COUNT])(gen *) = {
#define UOP_ROW(NAME, text, min, max, infer, arg, sets, doc) gen_##NAME,
#include "ir/ops.def"
#undef UOP_ROW
};

static bool is_run(unsigned op) {
  switch (op) {
  case UOP_STORE:
  case UOP_AFTER:
  case UOP_SINK:
  case UOP_ALLOC:
  case UOP_RANGE:
  case UOP_END:
  case UOP_BARRIER:
  case UOP_WMMA: return false;
  default: return true;
  }
}

/* ---- graphs ---- */

/* The last node made; for the program, now and then all ends of the graph under one SINK. */
static const uop *random_nodes(gen *g, int steps) {
  for (size_t i = 0; i < g->nparams; i++) g->pool[g->n++] = body_param(g, i);
  int made = 0;
  for (int tries = 0; made < steps && tries < 50 * steps && g->n < POOL; tries++) {
    uop_op op = (uop_op)random_below(&g->r, UOP_OP_COUNT);
    if (runnable(g) && !is_run(op)) continue;
    if (uop_op_find(op)->max_src == 0 && g->n && !once_in(g, 4)) continue; /* leaves come anyway */
    const uop *u = makers[op](g);
    if (!u && uop_error(g->ctx)->code != UOP_OK) return NULL; /* a bug: makers are careful */
    if (!u || (u->dtype != UOP_VOID && (uop_numel(u) > 65536 || u->shape->len > RANK))) continue;
    g->pool[g->n++] = u;
    made++;
  }
  if (g->n == 0) return constant(g, UOP_I32);
  const uop *last = g->pool[g->n - 1];
  if (runnable(g) || !once_in(g, 6)) return last;
  return uop_sink(g->ctx, g->pool + (g->n > 6 ? g->n - 6 : 0), g->n > 6 ? 6 : g->n);
}

const uop *random_graph(uop_ctx *ctx, uint64_t seed, int steps, unsigned flags) {
  gen g = {.ctx = ctx, .r = {seed}, .flags = flags};
  return random_nodes(&g, steps);
}

/* ---- shrinking ---- */

typedef struct shrinking {
  uop_ctx *ctx;
  const uop *best;
  uint64_t size;
  random_fault fault;
  void *user;
} shrinking;

static uint64_t size_of(const uop *u) {
  uop_counts c;
  return uop_count(uop_ctx_of(u), &u, 1, &c) ? c.nodes : UINT64_MAX;
}

static bool try_smaller(shrinking *s, const uop *candidate) {
  if (!candidate) {
    uop_error_clear(s->ctx);
    return false;
  }
  uint64_t n = size_of(candidate);
  if (n >= s->size || !s->fault(candidate, s->user)) return false;
  s->best = candidate;
  s->size = n;
  return true;
}

/* A leaf of u's type, or as near to one as there is. */
static const uop *leaf_like(const uop *u, int which) {
  uop_ctx *ctx = uop_ctx_of(u);
  if (u->dtype == UOP_VOID) return which ? NULL : uop_sink(ctx, NULL, 0);
  if (which == 0)
    return uop_param_in(ctx, 0, (uop_dtype)u->dtype, u->shape->at, u->shape->len,
                        (uop_space)u->space);
  if (u->shape->len || u->space != UOP_SPACE_ALU || u->dtype == UOP_F16) return NULL;
  return uop_make(ctx, UOP_CONST, NULL, 0, &(uop_arg){.dtype = (uop_dtype)u->dtype});
}

static bool shrink_node(shrinking *s, const uop *u) {
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const uop *x = u->src[i];
    if (try_smaller(s, u == s->best ? x : uop_substitute(s->best, &u, &x, 1))) return true;
  }
  for (int which = 0; which < 2; which++) {
    const uop *x = leaf_like(u, which);
    if (x && x != u && try_smaller(s, uop_substitute(s->best, &u, &x, 1))) return true;
  }
  /* fewer sources, where the op takes any number */
  uint32_t least = uop_op_find((uop_op)u->op)->min_src;
  if (u->nsrc <= least || u->op == UOP_CALL) return false;
  uop_arg a = uop_arg_of(u);
  const uop *x = uop_make(s->ctx, (uop_op)u->op, u->src, u->nsrc - 1, &a);
  return x && try_smaller(s, uop_substitute(s->best, &u, &x, 1));
}

const uop *shrink(const uop *g, random_fault fault, void *user) {
  shrinking s = {uop_ctx_of(g), g, size_of(g), fault, user};
  for (bool smaller = true; smaller;) {
    uop_nodes order = {NULL, 0, 0};
    smaller = false;
    if (!uop_toposort(s.ctx, &s.best, 1, &order)) break;
    for (size_t i = order.len; i-- > 0 && !smaller;) smaller = shrink_node(&s, order.at[i]);
    uop_nodes_free(s.ctx, &order);
    uop_error_clear(s.ctx);
  }
  return s.best;
}

void shrink_and_print(const uop *g, random_fault fault, void *user, const char *what) {
  const uop *small = shrink(g, fault, user);
  char *text = uop_print(small, NULL);
  fprintf(stderr, "%s: %d nodes:\n%s", what, (int)size_of(small), text ? text : "(no memory)\n");
  uop_free(uop_ctx_of(g), text);
}
