/* ints.c - see ints.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/ints.h"

/* ---- values ---- */

static int32_t wrap(int64_t v) { /* without a conversion that C leaves open */
  uint32_t low = (uint32_t)((uint64_t)v & 0xffffffffu);
  return low > INT32_MAX ? (int32_t)((int64_t)low - (INT64_C(1) << 32)) : (int32_t)low;
}

static int32_t divide(int32_t a,
                      int32_t b) { /* by repeated definition: q*b <= a for the greatest q */
  if (b == 0) return 0;
  int64_t q = (int64_t)a / b;
  if ((int64_t)a - q * b != 0 && (a < 0) != (b < 0)) q--;
  return wrap(q);
}

static int32_t apply(const uop *u, const int32_t *v) {
  bool is_bool = u->src[0]->dtype == UOP_BOOL;
  switch ((uop_op)u->op) {
  case UOP_ADD: return is_bool ? v[0] | v[1] : wrap((int64_t)v[0] + v[1]);
  case UOP_MUL: return is_bool ? v[0] & v[1] : wrap((int64_t)v[0] * v[1]);
  case UOP_MAX: return v[0] > v[1] ? v[0] : v[1];
  case UOP_CMPLT: return v[0] < v[1];
  case UOP_CMPNE: return v[0] != v[1];
  case UOP_FLOORDIV: return divide(v[0], v[1]);
  case UOP_FLOORMOD: return wrap(v[0] - (int64_t)divide(v[0], v[1]) * v[1]);
  case UOP_WHERE: return v[0] ? v[1] : v[2];
  default: return u->dtype == UOP_BOOL ? v[0] != 0 : v[0]; /* CAST */
  }
}

static bool is_known(const uop *u) {
  switch ((uop_op)u->op) {
  case UOP_CONST:
  case UOP_PARAM:
  case UOP_RANGE:
  case UOP_ADD:
  case UOP_MUL:
  case UOP_MAX:
  case UOP_CMPLT:
  case UOP_CMPNE:
  case UOP_FLOORDIV:
  case UOP_FLOORMOD:
  case UOP_WHERE:
  case UOP_CAST: break;
  default: return false;
  }
  return (u->dtype == UOP_I32 || u->dtype == UOP_BOOL) && u->shape->len == 0;
}

static void one(const uop *u, size_t place, const uop_nodes *order, const ints_leaves *leaves,
                int32_t (*value)[LANES]) {
  const int32_t *src[3] = {NULL};
  int32_t v[3] = {0}, c = 0;
  if (u->op == UOP_CONST) c = u->dtype == UOP_BOOL ? uop_const_bool(u) : uop_const_i32(u);
  for (uint32_t i = 0; i < u->nsrc && u->op != UOP_RANGE; i++)
    for (size_t k = 0; k < place; k++)
      if (order->at[k] == u->src[i]) src[i] = value[k];
  for (int lane = 0; lane < LANES; lane++) {
    for (uint32_t i = 0; src[0] && i < u->nsrc; i++) v[i] = src[i][lane];
    value[place][lane] = u->op == UOP_CONST   ? c
                         : u->op == UOP_PARAM ? leaves->at[8 + uop_slot(u)][lane]
                         : u->op == UOP_RANGE ? leaves->at[uop_range_idx(u)][lane]
                                              : apply(u, v);
  }
}

bool ints_eval(const uop *u, const ints_leaves *leaves, int32_t *out) {
  uop_nodes order = {NULL, 0, 0};
  assert_true(uop_toposort(uop_ctx_of(u), &u, 1, &order));
  int32_t(*value)[LANES] = malloc(order.len * sizeof *value);
  assert_non_null(value);
  bool ok = true;
  for (size_t i = 0; ok && i < order.len; i++) {
    ok = is_known(order.at[i]);
    if (ok) one(order.at[i], i, &order, leaves, value);
  }
  if (ok) memcpy(out, value[order.len - 1], sizeof *value);
  free(value);
  uop_nodes_free(uop_ctx_of(u), &order);
  return ok;
}

static int32_t any_i32(rng *r) {
  static const int32_t some[] = {INT32_MIN, INT32_MIN + 1, INT32_MAX, INT32_MAX - 1, 0, -1, 1};
  switch (random_below(r, 4)) {
  case 0: return some[random_below(r, 7)];
  case 1: return wrap((int64_t)(random_u64(r) & 0xffffffff));
  default: return (int32_t)random_below(r, 101) - 50;
  }
}

static int32_t below(rng *r, int32_t n) { /* 0..n-1 */
  uint32_t near = n < 30 ? (uint32_t)n : 30;
  switch (random_below(r, 4)) {
  case 0: return (int32_t)random_below(r, near);
  case 1: return n - 1 - (int32_t)random_below(r, near);
  default: return (int32_t)random_below(r, (uint32_t)n);
  }
}

void ints_fill(const uop *u, rng *r, ints_leaves *leaves) {
  uop_nodes order = {NULL, 0, 0};
  memset(leaves, 0, sizeof *leaves);
  assert_true(uop_toposort(uop_ctx_of(u), &u, 1, &order));
  for (size_t i = 0; i < order.len; i++) {
    const uop *x = order.at[i];
    for (int lane = 0; lane < LANES; lane++) {
      if (x->op == UOP_RANGE)
        leaves->at[uop_range_idx(x)][lane] = below(r, uop_const_i32(x->src[0]));
      else if (x->op == UOP_PARAM)
        leaves->at[8 + uop_slot(x)][lane] =
            x->dtype == UOP_BOOL ? (int32_t)random_below(r, 2) : any_i32(r);
    }
  }
  uop_nodes_free(uop_ctx_of(u), &order);
}

/* ---- expressions ---- */

const uop *ints_variable(uop_ctx *ctx, int64_t idx, int64_t lo, int64_t hi) {
  const uop *n = uop_const(ctx, UOP_I32, hi - lo + 1);
  const uop *r = uop_range(ctx, n, idx, UOP_AXIS_LOOP);
  return lo ? uop_add(r, lo) : r;
}

enum { POOL = 40, FACTORS = 12 };

typedef struct pool {
  uop_ctx *ctx;
  rng *r;
  const uop *i[POOL], *b[POOL];
  uint32_t ni, nb;
  bool wild; /* great factors and narrow variables: what wraps, and what hardly does not */
} pool;

static int32_t width(pool *p) {
  rng *r = p->r;
  static const int32_t some[] = {1, 2, 3, 4, 6, 8, 10, 16, 100, 125, 1024, 65536, INT32_MAX};
  if (p->wild) return some[random_below(r, 4)];
  return some[random_below(r, random_below(r, 8) ? 10 : 13)];
}

static const uop *variable(pool *p, int64_t k) {
  rng *r = p->r;
  int32_t n = width(p), lo = random_below(r, 2) ? 0 : (int32_t)random_below(r, 21) - 10;
  const uop *x = uop_param(p->ctx, k, UOP_I32, NULL, 0);
  if (lo > 0 && n == INT32_MAX) lo = 0;
  switch (random_below(r, 8)) {
  case 0: return uop_add(uop_floormod(x, n), lo);
  case 1: return uop_max(x, lo);
  case 2: return x;
  default: return ints_variable(p->ctx, k, lo, (int64_t)lo + n - 1);
  }
}

/* What is multiplied, divided and compared by: mostly small, now and then a power of two, rarely
 * great or 0. */
static int32_t factor(pool *p) {
  rng *r = p->r;
  if (p->wild && random_below(r, 2)) return any_i32(r);
  int32_t v = 1 + (int32_t)random_below(r, FACTORS);
  if (!random_below(r, 4)) v = INT32_C(1) << random_below(r, random_below(r, 4) ? 8 : 31);
  if (!random_below(r, 100)) return any_i32(r);
  return random_below(r, 3) ? v : -v;
}

static const uop *number(pool *p) { return p->i[random_below(p->r, p->ni)]; }
static const uop *truth(pool *p) { return p->b[random_below(p->r, p->nb)]; }
static const uop *young(pool *p) { return random_below(p->r, 3) ? p->i[p->ni - 1] : number(p); }

/* (a*b*k + c*a*e + z) // (a*d) */
static const uop *by_a_variable(pool *p) {
  rng *r = p->r;
  const uop *a = number(p), *b = young(p), *z = number(p);
  if (random_below(r, 2)) a = uop_add(uop_floormod(a, 1 + (int32_t)random_below(r, 9)), 1);
  if (random_below(r, 4) == 0) a = uop_mul(a, -1);
  const uop *s = uop_mul(uop_mul(a, b), factor(p)), *d = a;
  if (random_below(r, 2)) s = uop_add(s, uop_mul(uop_mul(number(p), a), factor(p)));
  if (random_below(r, 2)) s = uop_add(s, random_below(r, 2) ? z : uop_floormod(z, factor(p)));
  if (random_below(r, 2)) s = uop_add(s, factor(p));
  if (random_below(r, 2)) d = uop_mul(d, factor(p));
  if (random_below(r, 8) == 0) d = uop_mul(d, b);
  return random_below(r, 4) ? uop_floordiv(s, d) : uop_floormod(s, d);
}

static const uop *number_step(pool *p) {
  rng *r = p->r;
  const uop *x = young(p), *y = number(p);
  int32_t d = factor(p);
  switch (random_below(r, 24)) {
  case 22: return by_a_variable(p);
  case 20: return uop_max(uop_add(x, factor(p)), uop_add(x, factor(p)));
  case 21: return uop_mul(uop_floordiv(x, d), d);
  case 0:
  case 1:
  case 2: return uop_add(x, y);
  case 3:
  case 4: return uop_add(x, factor(p));
  case 5:
  case 6:
  case 7: return uop_mul(x, factor(p));
  case 8: return uop_add(uop_mul(x, factor(p)), uop_mul(y, factor(p)));
  case 9: return uop_mul(x, y);
  case 10:
  case 11:
  case 12: return uop_floordiv(x, factor(p));
  case 13:
  case 14:
  case 15: return uop_floormod(x, factor(p));
  case 16: return random_below(r, 2) ? uop_floordiv(x, y) : uop_floormod(x, y);
  case 17: return random_below(r, 2) ? uop_max(x, y) : uop_max(x, factor(p));
  case 18: return random_below(r, 4) ? uop_where(truth(p), x, y) : uop_cast(truth(p), UOP_I32);
  case 19: /* the whole of a quotient and a remainder */
    return uop_add(uop_mul(uop_floordiv(x, d), d), uop_floormod(x, d));
  default: return random_below(r, 2) ? uop_floordiv(uop_mul(x, d), d) : uop_floordiv(x, x);
  }
}

static const uop *truth_step(pool *p) {
  rng *r = p->r;
  const uop *x = young(p), *y = number(p);
  switch (random_below(r, 9)) {
  case 8: return uop_lt(x, uop_add(x, factor(p)));
  case 0: return uop_lt(x, y);
  case 1:
  case 2: return uop_lt(x, factor(p));
  case 3: return uop_lt(uop_const_of_i32(p->ctx, factor(p)), x);
  case 4: return uop_ne(x, random_below(r, 2) ? y : uop_const_of_i32(p->ctx, factor(p)));
  case 5: return uop_not(truth(p));
  case 6: return random_below(r, 2) ? uop_and(truth(p), truth(p)) : uop_or(truth(p), truth(p));
  default: return uop_where(truth(p), truth(p), truth(p));
  }
}

const uop *ints_random(uop_ctx *ctx, rng *r, int steps) {
  pool p = {.ctx = ctx, .r = r, .wild = random_below(r, 4) == 0};
  const uop *u = NULL;
  uint32_t vars = 1 + random_below(r, 4);
  for (uint32_t k = 0; k < vars; k++) p.i[p.ni++] = variable(&p, (int64_t)k);
  p.b[p.nb++] = uop_param(ctx, 4, UOP_BOOL, NULL, 0);
  while (steps-- && p.ni < POOL && p.nb < POOL) {
    bool is_number = random_below(r, 5) > 0;
    u = is_number ? number_step(&p) : truth_step(&p);
    assert_non_null(u);
    if (is_number)
      p.i[p.ni++] = u;
    else
      p.b[p.nb++] = u;
  }
  return u;
}
