/* mixed.c - see mixed.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/mixed.h"

enum { POOL = 24, KINDS = UOP_DTYPE_COUNT };

typedef struct pool {
  uop_ctx *ctx;
  rng *r;
  int64_t dims[1];
  size_t rank;
  const uop *at[KINDS][POOL];
  uint32_t n[KINDS];
  const uop *last;
} pool;

static bool once_in(pool *p, uint32_t n) { return random_below(p->r, n) == 0; }

static void put(pool *p, const uop *u) {
  assert_non_null(u);
  if (p->n[u->dtype] == POOL) return;
  p->at[u->dtype][p->n[u->dtype]++] = u;
  p->last = u;
}

static float some_float(pool *p) {
  static const float some[] = {0.0f, 0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 0.5f, 3.0f, 0.1f, 1e20f};
  switch (random_below(p->r, 12)) {
  case 0: return 1 / some[0]; /* inf */
  case 1: return -1 / some[0];
  case 2: return some[0] / some[0]; /* NaN */
  default: return some[random_below(p->r, 10)];
  }
}

static int32_t some_int(pool *p) {
  static const int32_t some[] = {0,  0, 1, 1, 1, -1,    -1,        2,
                                 -2, 3, 4, 7, 8, 65536, INT32_MAX, INT32_MIN};
  return some[random_below(p->r, 16)];
}

static const uop *constant(pool *p, uop_dtype d) {
  const uop *like = p->at[d][0];
  switch (d) {
  case UOP_BOOL: return uop_const_like(like, once_in(p, 2));
  case UOP_I32: return uop_const_like(like, some_int(p));
  default: return uop_const_like(like, (double)some_float(p));
  }
}

static const uop *some(pool *p, uop_dtype d) {
  uint32_t n = p->n[d], near = n < 3 ? n : 3;
  if (once_in(p, 3)) return constant(p, d);
  return p->at[d][once_in(p, 2) ? random_below(p->r, n) : n - 1 - random_below(p->r, near)];
}

static uop_dtype some_dtype(pool *p) {
  return (uop_dtype)(UOP_BOOL + random_below(p->r, KINDS - UOP_BOOL));
}

static const uop *pair(pool *p, uop_dtype d) {
  static const uop_op ops[] = {UOP_ADD, UOP_MUL, UOP_MAX, UOP_CMPLT, UOP_CMPNE};
  const uop *src[] = {some(p, d), some(p, d)};
  return uop_make(p->ctx, ops[random_below(p->r, 5)], src, 2, NULL);
}

static const uop *divided(pool *p) {
  const uop *x = some(p, UOP_I32), *y = some(p, UOP_I32);
  return once_in(p, 2) ? uop_floordiv(x, y) : uop_floormod(x, y);
}

static const uop *of_float(pool *p, uop_dtype d) {
  static const uop_op ops[] = {UOP_RECIP, UOP_SQRT, UOP_EXP2};
  const uop *x = some(p, d);
  return once_in(p, 2) ? uop_mul(x, -1) : uop_make(p->ctx, ops[random_below(p->r, 3)], &x, 1, NULL);
}

/* An element; an error where a scalar index is beyond the axis. */
static const uop *picked(pool *p) {
  const int64_t dims[] = {4};
  uop_dtype d = some_dtype(p);
  const uop *from = uop_param(p->ctx, 20 + (int64_t)d, d, dims, 1);
  return uop_index(from, some(p, UOP_I32));
}

/* What algebra is about, with whatever constants. */
static const uop *idiom(pool *p) {
  uop_dtype d = some_dtype(p);
  const uop *x = some(p, d), *y = some(p, d), *i = some(p, UOP_I32), *b = some(p, UOP_BOOL);
  const uop *c = constant(p, UOP_I32), *e = constant(p, UOP_I32);
  const uop *f = some(p, once_in(p, 2) ? UOP_F32 : UOP_F16);
  const uop *g = constant(p, (uop_dtype)f->dtype), *h = constant(p, (uop_dtype)f->dtype);
  const uop *low = p->at[UOP_I32][2];
  switch (random_below(p->r, 21)) {
  case 19: return uop_lt(uop_floordiv(once_in(p, 2) ? low : i, c), e);
  case 18: return uop_where(uop_lt(f, g), g, f);
  case 13: return uop_add(uop_add(f, g), h);
  case 14: return uop_mul(uop_mul(f, g), h);
  case 15: return uop_recip(uop_recip(f));
  case 16: return uop_mul(f, uop_recip(f));
  case 17: return uop_floordiv(uop_floordiv(i, 65536), 65536);
  case 0: return uop_cast(uop_cast(x, some_dtype(p)), d);
  case 1: return uop_cast(uop_cast(x, some_dtype(p)), some_dtype(p));
  case 2: return uop_where(uop_lt(x, y), y, x);
  case 3: return uop_where(uop_lt(x, y), x, y);
  case 4: return uop_where(uop_not(b), x, y);
  case 5: return uop_where(b, once_in(p, 2), p->rank ? some(p, UOP_BOOL) : uop_ne(picked(p), 0));
  case 6: return uop_where(b, uop_where(some(p, UOP_BOOL), x, y), once_in(p, 2) ? x : y);
  case 7: return uop_lt(i, uop_add(i, c));
  case 8: return uop_lt(uop_add(i, c), e);
  case 9: return uop_floordiv(uop_mul(i, c), c);
  case 10: return uop_mul(uop_floordiv(i, c), c);
  case 11: return uop_floordiv(uop_floordiv(i, c), e);
  case 12: return uop_add(f, g);
  default: return d == UOP_BOOL ? uop_ne(x, true) : uop_add(uop_mul(x, -1), uop_mul(y, -1));
  }
}

static const uop *step(pool *p) {
  uop_dtype d = some_dtype(p);
  if (once_in(p, 2)) return idiom(p);
  switch (random_below(p->r, 12)) {
  case 0:
  case 1:
  case 2: return uop_where(some(p, UOP_BOOL), some(p, d), some(p, d));
  case 3: return uop_cast(some(p, d), some_dtype(p));
  case 4: return divided(p);
  case 5: return of_float(p, once_in(p, 3) ? UOP_F16 : UOP_F32);
  case 6: return p->rank ? pair(p, d) : picked(p);
  default: return pair(p, d);
  }
}

const uop *mixed_random(uop_ctx *ctx, rng *r, int steps) {
  pool p = {.ctx = ctx, .r = r, .dims = {3}};
  p.rank = random_below(r, 3) == 0;
  for (int d = UOP_BOOL; d < KINDS; d++)
    for (int k = 0; k < 2; k++)
      put(&p, uop_param(ctx, 2 * d + k + (p.rank ? 100 : 0), (uop_dtype)d, p.dims, p.rank));
  const uop *i = p.at[UOP_I32][0];
  put(&p, uop_add(uop_floormod(i, 4), random_below(r, 2) ? INT32_MIN : INT32_MAX - 3));
  while (steps-- > 0) put(&p, step(&p));
  uop_dtype d = (uop_dtype)p.last->dtype; /* more of what was made, at once */
  uint32_t n = p.n[d], from = n > 4 ? n - 4 : 0;
  return once_in(&p, 2) ? p.last : uop_make(ctx, UOP_STACK, p.at[d] + from, n - from, NULL);
}
