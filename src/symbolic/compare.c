/* compare.c - comparisons of sums, by what is less than a constant: a < b is s < c, where s is the
 * difference of the terms and c that of the constants, all as integers.
 *
 *   g divides all coefficients:                s < c  is  s/g < ceil(c/g)
 *   s = g*t + small, 0 <= small < g, and c = g*m + k with small < k always, or never:
 *                                              s < c  is  t < m + 1, or t < m
 *   s >= 0 and c = 1:                          s < 1  is  "all terms are 0": coefficients become 1
 *   y // e < c:                                y < c*e where e > 0, c*e < y where e < 0
 */
#include "symbolic/linear.h"

enum { ROUNDS = 8 }; /* each takes a factor out, or terms */

static bool is_i32(int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; }

static int64_t ceil_div(int64_t a, int64_t b) { return -uopi_floor_div(-a, b); }

/* What is left of a term after the others are taken for small; false: nothing can. */
static bool drop_small(linear *s, int64_t *c, int64_t g) {
  linear t = *s;
  int64_t lo = 0, hi = 0;
  for (size_t i = 0; i < t.n; i++) {
    linear_term *x = &t.term[i];
    int64_t p = x->k * x->lo, q = x->k * x->hi;
    if (x->k % g == 0) {
      x->k /= g;
      continue;
    }
    lo += p < q ? p : q;
    hi += p < q ? q : p;
    x->k = 0;
  }
  int64_t m = uopi_floor_div(*c, g), k = *c - m * g;
  if (lo < 0 || hi >= g || !(hi < k || lo >= k)) return false;
  *c = m + (hi < k);
  *s = t;
  uopi_linear_bounds(s);
  return true;
}

static bool drop_factor(linear *s, int64_t *c) {
  int64_t g = 0;
  for (size_t i = 0; i < s->n; i++) g = uopi_gcd(g, s->term[i].k);
  if (g <= 1) return false;
  for (size_t i = 0; i < s->n; i++) s->term[i].k /= g;
  *c = ceil_div(*c, g);
  uopi_linear_bounds(s);
  return true;
}

static bool all_positive(const linear *s) {
  for (size_t i = 0; i < s->n; i++)
    if (s->term[i].k < 0 || s->term[i].lo < 0) return false;
  return true;
}

static bool drop_coefficients(linear *s, int64_t c) {
  bool any = false;
  if (c != 1 || !all_positive(s)) return false;
  for (size_t i = 0; i < s->n; i++) {
    any |= s->term[i].k != 1;
    s->term[i].k = 1;
  }
  uopi_linear_bounds(s);
  return any;
}

static bool drop_quotient(const algebra *a, linear *s, int64_t *c) {
  const uop *x = s->n == 1 ? s->term[0].x : NULL;
  int64_t e;
  linear y;
  if (!x || s->term[0].k != 1 || x->op != UOP_FLOORDIV || !uopi_int_of(x->src[1], &e) || e == 0)
    return false;
  if (!is_i32(*c * e) || !uopi_linear_read(a, x->src[0], &y) || !y.exact) return false;
  if (e == -1 && y.lo == INT32_MIN) return false; /* its quotient wraps */
  int64_t sign = e < 0 ? -1 : 1, to = sign * (*c * e - y.c);
  for (size_t i = 0; i < y.n; i++) y.term[i].k *= sign;
  y.c = 0;
  uopi_linear_bounds(&y);
  if (!y.exact) return false;
  *c = to;
  *s = y;
  return true;
}

static bool simplify(const algebra *a, linear *s, int64_t *c) {
  if (drop_factor(s, c) || drop_coefficients(s, *c) || drop_quotient(a, s, c)) return true;
  for (size_t i = 0; i < s->n; i++) {
    int64_t g = s->term[i].k < 0 ? -s->term[i].k : s->term[i].k;
    if (g > 1 && drop_small(s, c, g)) return true;
  }
  return false;
}

/* ---- building ---- */

static const uop *less(const algebra *a, const uop *x, const uop *y) {
  return x && y ? uop_make(a->ctx, UOP_CMPLT, (const uop *[]){x, y}, 2, NULL) : NULL;
}

/* The terms of one sign, made positive. */
static linear of_sign(const linear *s, int sign) {
  linear f = *s;
  f.c = 0;
  for (size_t i = 0; i < f.n; i++)
    f.term[i].k = (f.term[i].k < 0) == (sign < 0) ? f.term[i].k * sign : 0;
  uopi_linear_bounds(&f);
  return f;
}

static void offer(const uop *u, const uop **best) {
  if (u && (!*best || uopi_arithmetic(u) < uopi_arithmetic(*best))) *best = u;
}

/* s < c as s < c, as -c < -s, and with the terms of either sign on either side. */
static const uop *build(const algebra *a, const linear *s, int64_t c) {
  const uop *best = NULL;
  linear p = of_sign(s, 1), n = of_sign(s, -1), t = *s;
  if (!p.exact || !n.exact) return NULL;
  if (is_i32(c)) {
    if (n.n == 0) return less(a, uopi_linear_build(a, &p), uopi_int(a, c));
    offer(less(a, uopi_linear_build(a, &t), uopi_int(a, c)), &best);
  }
  if (p.n == 0 && is_i32(-c)) return less(a, uopi_int(a, -c), uopi_linear_build(a, &n));
  linear with = n; /* p < n + c */
  with.c = c;
  uopi_linear_bounds(&with);
  if (is_i32(c) && with.exact)
    offer(less(a, uopi_linear_build(a, &p), uopi_linear_build(a, &with)), &best);
  with = p; /* p - c < n */
  with.c = -c;
  uopi_linear_bounds(&with);
  if (is_i32(-c) && with.exact)
    offer(less(a, uopi_linear_build(a, &with), uopi_linear_build(a, &n)), &best);
  return best;
}

/* ---- the rule's function ---- */

static const uop *truth(const algebra *a, bool v) {
  const uop *u = uop_const_of_bool(a->ctx, v);
  return u ? uopi_splat(u, a->shape) : NULL;
}

/* s = x - y without constants, c = the constant of y less that of x. */
static bool difference(const algebra *a, const uop *x, const uop *y, linear *s, int64_t *c) {
  linear to;
  if (!uopi_linear_read(a, x, s) || !uopi_linear_read(a, y, &to) || !s->exact || !to.exact)
    return false;
  *c = to.c - s->c;
  s->c = 0;
  for (size_t i = 0; i < to.n; i++)
    if (!uopi_linear_add_exact(a, s, to.term[i].x, -to.term[i].k)) return false;
  uopi_linear_bounds(s);
  return s->exact;
}

bool uopi_rule_compare(const uop_rule_call *call, const uop **out) {
  if (!uopi_is_of(call, UOP_CMPLT, UOP_OP_COUNT)) return true;
  algebra a = {call->ctx, call->bounds, call->root->shape};
  const uop *root = call->root, *u = NULL;
  linear s;
  int64_t c;
  if (root->src[0]->dtype == UOP_I32 && difference(&a, root->src[0], root->src[1], &s, &c)) {
    for (int i = 0; i < ROUNDS && s.exact && simplify(&a, &s, &c);) i++;
    if (s.exact && s.hi < c)
      u = truth(&a, true);
    else if (s.exact && s.lo >= c)
      u = truth(&a, false);
    else if (s.exact)
      u = build(&a, &s, c);
  }
  if (call->ctx->error.code != UOP_OK) return false;
  if (u && u != root && uopi_arithmetic(u) < uopi_arithmetic(root)) *out = u;
  return true;
}
