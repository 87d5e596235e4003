/* divide.c - quotients and remainders of sums by a constant d. For an exact sum s (linear.h), all
 * is true of integers; so is a remainder by a power of two for any sum.
 *
 *   s = d*q + r, all coefficients:          s // d = q + r // d        s mod d = r mod d
 *   r within [m*d, m*d + d):                r // d = m                 r mod d = r - m*d
 *   g divides d and all coefficients:       r // d = (r // g) // (d/g) r mod d = ((r//g) mod
 * (d/g))*g + c mod g r = g*t + small, 0 <= small < g | d:    r // d = t // (d/g)        r mod d =
 * (t mod (d/g))*g + small y // e // d = y // (e*d)                (y mod e) mod d = y mod d, where
 * d | e
 *
 * Several of these can be used on a sum, and in several ways; of what they give the cheapest is
 * taken, if it is cheaper than what is there.
 */
#include "symbolic/linear.h"

enum { DEPTH = 5 }; /* of these steps inside of each other: they get simpler each time */

/* ---- parts of sums ---- */

static bool is_power_of_2(int64_t d) { return d > 0 && (d & (d - 1)) == 0; }

/* r: all coefficients modulo d, each the one of 0 .. d-1 or, if `near`, the one nearest to 0;
 * q: what is taken away, divided by d. */
static void split(const linear *f, int64_t d, bool near, linear *q, linear *r) {
  *q = *r = *f;
  for (size_t i = 0; i < f->n; i++) {
    int64_t rest = uopi_floor_mod(f->term[i].k, d);
    if (near && rest > d / 2) rest -= d;
    r->term[i].k = rest;
    q->term[i].k = (f->term[i].k - rest) / d;
  }
  r->c = uopi_floor_mod(f->c, d);
  q->c = (f->c - r->c) / d;
  uopi_linear_bounds(r);
  uopi_linear_bounds(q);
}

/* The same, but only whole multiples of d are taken away. */
static void split_multiples(const linear *f, int64_t d, linear *q, linear *r) {
  *q = *r = *f;
  for (size_t i = 0; i < f->n; i++) {
    bool whole = f->term[i].k % d == 0;
    q->term[i].k = whole ? f->term[i].k / d : 0;
    r->term[i].k = whole ? 0 : f->term[i].k;
  }
  r->c = uopi_floor_mod(f->c, d);
  q->c = (f->c - r->c) / d;
  uopi_linear_bounds(r);
  uopi_linear_bounds(q);
}

static int64_t common_factor(const linear *f, int64_t d) { /* of the coefficients and d */
  int64_t g = d;
  for (size_t i = 0; i < f->n; i++) g = uopi_gcd(g, f->term[i].k);
  return g;
}

/* f = g*t + small, where what is small has the terms that g does not divide. */
static void part(const linear *f, int64_t g, linear *t, linear *small) {
  *t = *small = *f;
  for (size_t i = 0; i < f->n; i++) {
    bool whole = f->term[i].k % g == 0;
    t->term[i].k = whole ? f->term[i].k / g : 0;
    if (whole) small->term[i].k = 0;
  }
  small->c = uopi_floor_mod(f->c, g);
  t->c = (f->c - small->c) / g;
  uopi_linear_bounds(t);
  uopi_linear_bounds(small);
}

static bool is_small(const linear *small, int64_t g) { return small->lo >= 0 && small->hi < g; }

/* Whether all of f lies within one [m*d, m*d + d). */
static bool in_one_block(const linear *f, int64_t d, int64_t *m) {
  *m = uopi_floor_div(f->lo, d);
  return f->exact && *m == uopi_floor_div(f->hi, d);
}

/* q + u + m */
static const uop *plus(const algebra *a, linear *q, const uop *u, int64_t m) {
  linear sum;
  if (u && !uopi_linear_read(a, u, &sum)) return NULL;
  if (!u) sum.n = 0, sum.c = 0;
  for (size_t i = 0; i < q->n; i++)
    if (!uopi_linear_add(a, &sum, q->term[i].x, q->term[i].k)) return NULL;
  sum.c = uopi_wrap(sum.c + q->c + m);
  return uopi_linear_build(a, &sum);
}

typedef struct best {
  const uop *u;
  uint32_t work;
} best;

static void offer(best *b, const uop *u) {
  if (!u) return;
  uint32_t work = uopi_arithmetic(u);
  if (b->u && work >= b->work) return;
  *b = (best){u, work};
}

/* ---- quotients ---- */

/* One term y // e, and perhaps a constant: (y // e + m) // d = (y + m*e) // (e*d). */
static const uop *divide_nested(const algebra *a, const linear *f, int64_t d, int depth) {
  const uop *x = f->term[0].x;
  int64_t e;
  linear y;
  if (f->n != 1 || f->term[0].k != 1 || x->op != UOP_FLOORDIV || !uopi_int_of(x->src[1], &e))
    return NULL;
  if (e == 0 || e * d > INT32_MAX || e * d < -INT32_MAX || !uopi_linear_read(a, x->src[0], &y))
    return NULL;
  if (f->c * e > INT32_MAX || f->c * e < INT32_MIN) return NULL;
  if (e == -1) { /* of INT32_MIN the quotient wraps */
    uop_interval b;
    if (!uop_bounds(a->bounds, x->src[0], &b) || b.lo == INT32_MIN) return NULL;
  }
  bool was_exact = y.exact;
  y.c += f->c * e;
  uopi_linear_bounds(&y);
  if (f->c == 0 && !was_exact) /* y may wrap, and is one value all the same */
    return uopi_with_int(a, UOP_FLOORDIV, x->src[0], e * d);
  if (!was_exact || !y.exact) return NULL;
  if (e > 0) return uopi_divide(a, &y, e * d, depth);
  const uop *u = uopi_linear_build(a, &y);
  return u ? uopi_with_int(a, UOP_FLOORDIV, u, e * d) : NULL;
}

/* One term y mod e, d | e: (y mod e) // d = (y // d) mod (e/d). */
static const uop *divide_remainder(const algebra *a, const linear *f, int64_t d) {
  const uop *x = f->term[0].x, *u = NULL;
  int64_t e;
  if (f->n != 1 || f->term[0].k != 1 || f->c || x->op != UOP_FLOORMOD ||
      !uopi_int_of(x->src[1], &e) || e <= 0 || e % d)
    return NULL;
  linear y;
  if (uopi_linear_read(a, x->src[0], &y) && y.exact) u = uopi_divide(a, &y, d, DEPTH - 1);
  if (!u) u = uopi_with_int(a, UOP_FLOORDIV, x->src[0], d);
  return u ? uopi_with_int(a, UOP_FLOORMOD, u, e / d) : NULL;
}

/* (t + small // g) // (d/g), where `small` has only what is left; each in its simplest form. */
static const uop *divide_parts(const algebra *a, const linear *f, int64_t d, int64_t g, int depth) {
  linear t, small;
  part(f, g, &t, &small);
  if (!t.exact || !small.exact) return NULL;
  if (is_small(&small, g)) return uopi_divide(a, &t, d / g, depth + 1);
  if (small.n == f->n) return NULL;
  const uop *inner = uopi_divide(a, &small, g, depth + 1), *sum = plus(a, &t, inner, 0);
  if (!inner || !sum || !uopi_linear_read(a, sum, &t) || !t.exact) return NULL;
  return uopi_divide(a, &t, d / g, depth + 1);
}

/* What is left of a sum, which no multiple of d is a part of. */
static const uop *divide_rest(const algebra *a, linear *f, int64_t d, int depth) {
  best b = {NULL, 0};
  int64_t m;
  if (f->n == 0 || in_one_block(f, d, &m)) return uopi_int(a, f->n ? m : uopi_floor_div(f->c, d));
  int64_t g = common_factor(f, d);
  if (g > 1 && depth < DEPTH) {
    linear t, none;
    part(f, g, &t, &none);
    return uopi_divide(a, &t, d / g, depth + 1);
  }
  offer(&b, divide_nested(a, f, d, depth + 1));
  offer(&b, divide_remainder(a, f, d));
  for (size_t i = 0; i < f->n && depth < DEPTH; i++) {
    g = uopi_gcd(f->term[i].k, d);
    if (g > 1 && g < d) offer(&b, divide_parts(a, f, d, g, depth));
  }
  const uop *s = uopi_linear_build(a, f);
  offer(&b, s ? uopi_with_int(a, UOP_FLOORDIV, s, d) : NULL);
  return b.u;
}

const uop *uopi_divide(const algebra *a, linear *f, int64_t d, int depth) {
  best b = {NULL, 0};
  linear q, r;
  int64_t m;
  uopi_linear_bounds(f);
  if (!f->exact || d <= 0 || depth > DEPTH) return NULL;
  if (d == 1) return uopi_linear_build(a, f);
  if (in_one_block(f, d, &m)) return uopi_int(a, m);
  for (int near = 0; near < 2; near++) {
    split(f, d, near, &q, &r);
    if (in_one_block(&r, d, &m)) offer(&b, plus(a, &q, NULL, m));
  }
  if (b.u) return b.u;
  for (int constants = 1; constants >= 0; constants--) { /* taken out, or left inside */
    split_multiples(f, d, &q, &r);
    if (!constants) r.c = f->c, q.c = 0, uopi_linear_bounds(&r);
    const uop *rest = r.exact ? divide_rest(a, &r, d, depth) : NULL;
    if (rest) offer(&b, plus(a, &q, rest, 0));
  }
  split(f, d, false, &q, &r);
  if (r.exact && depth < DEPTH) {
    const uop *rest = divide_rest(a, &r, d, depth + 1);
    if (rest) offer(&b, plus(a, &q, rest, 0));
  }
  const uop *s = uopi_linear_build(a, f);
  offer(&b, s ? uopi_with_int(a, UOP_FLOORDIV, s, d) : NULL);
  return b.u;
}

/* ---- remainders ---- */

/* k*(y mod e) is k*y modulo d, where d | k*e. */
static bool open_remainders(const algebra *a, linear *f, int64_t d) {
  for (size_t i = 0; i < f->n; i++) {
    linear_term t = f->term[i];
    int64_t e;
    linear y;
    if (t.x->op != UOP_FLOORMOD || !uopi_int_of(t.x->src[1], &e) || e == 0 || (t.k * e) % d)
      continue;
    if (!uopi_linear_read(a, t.x->src[0], &y) || !(y.exact || is_power_of_2(d))) continue;
    linear to = *f;
    bool ok = true;
    to.term[i].k = 0;
    for (size_t k = 0; ok && k < y.n; k++) {
      int64_t c = uopi_floor_mod(y.term[k].k * uopi_floor_mod(t.k, d), d);
      ok = uopi_linear_add_exact(a, &to, y.term[k].x, c);
    }
    if (!ok) continue;
    to.c = uopi_floor_mod(to.c + y.c * uopi_floor_mod(t.k, d), d);
    uopi_linear_bounds(&to);
    if (!to.exact && !is_power_of_2(d)) continue;
    *f = to;
    return true;
  }
  return false;
}

/* g*u + small + c */
static const uop *scaled(const algebra *a, const uop *u, int64_t g, linear *small) {
  linear sum;
  if (!u || !uopi_linear_read(a, u, &sum)) return NULL;
  for (size_t i = 0; i < sum.n; i++) sum.term[i].k = uopi_wrap(sum.term[i].k * g);
  sum.c = uopi_wrap(sum.c * g);
  for (size_t i = 0; i < small->n; i++)
    if (!uopi_linear_add(a, &sum, small->term[i].x, small->term[i].k)) return NULL;
  sum.c = uopi_wrap(sum.c + small->c);
  return uopi_linear_build(a, &sum);
}

static const uop *modulo_parts(const algebra *a, const linear *f, int64_t d, int64_t g, int depth) {
  linear t, small;
  part(f, g, &t, &small);
  if (!t.exact || !small.exact || !is_small(&small, g)) return NULL;
  return scaled(a, uopi_modulo(a, &t, d / g, depth + 1), g, &small);
}

/* Of a sum whose coefficients are reduced already. */
static void modulo_rest(const algebra *a, linear *f, int64_t d, int depth, best *b) {
  int64_t m;
  if (!f->exact && !is_power_of_2(d)) return;
  if (f->n == 0) {
    offer(b, uopi_int(a, uopi_floor_mod(f->c, d)));
    return;
  }
  if (in_one_block(f, d, &m)) {
    linear r = *f;
    r.c -= m * d;
    offer(b, uopi_linear_build(a, &r));
    return;
  }
  for (size_t i = 0; i < f->n && depth < DEPTH; i++) {
    int64_t g = uopi_gcd(f->term[i].k, d);
    if (g > 1 && g < d) offer(b, modulo_parts(a, f, d, g, depth));
  }
  const uop *s = uopi_linear_build(a, f);
  offer(b, s ? uopi_with_int(a, UOP_FLOORMOD, s, d) : NULL);
}

const uop *uopi_modulo(const algebra *a, linear *f, int64_t d, int depth) {
  best b = {NULL, 0};
  uopi_linear_bounds(f);
  if (d <= 0 || depth > DEPTH || (!f->exact && !is_power_of_2(d))) return NULL;
  if (d == 1) return uopi_int(a, 0);
  for (int i = 0; i < DEPTH && open_remainders(a, f, d);) i++;
  for (int near = 0; near < 2; near++) {
    linear q, r;
    split(f, d, near, &q, &r);
    modulo_rest(a, &r, d, depth, &b);
  }
  return b.u;
}

/* ---- the rules' functions ---- */

/* Cheaper, or as cheap and with narrower bounds: so it ends. */
static bool cheaper(const uop_rule_call *call, const uop *u, const uop **out) {
  uop_interval is, was;
  if (call->ctx->error.code != UOP_OK) return false;
  if (!u || u == call->root) return true;
  uint32_t before = uopi_arithmetic(call->root), after = uopi_arithmetic(u);
  if (after < before) *out = u;
  if (after != before || after == UINT32_MAX) return true;
  if (!uop_bounds(call->bounds, u, &is) || !uop_bounds(call->bounds, call->root, &was))
    return false;
  if (is.hi - is.lo < was.hi - was.lo) *out = u;
  return true;
}

/* A negative divisor: (-s) // (-d). False: -s has a coefficient beyond i32. */
static bool negate(linear *f) {
  if (!f->exact || f->c == INT32_MIN) return false;
  for (size_t i = 0; i < f->n; i++) {
    if (f->term[i].k == INT32_MIN) return false;
    f->term[i].k = -f->term[i].k;
  }
  f->c = -f->c;
  uopi_linear_bounds(f);
  return true;
}

static algebra algebra_of(const uop_rule_call *call) {
  return (algebra){call->ctx, call->bounds, call->root->shape};
}

bool uopi_rule_divide(const uop_rule_call *call, const uop **out) {
  if (!uopi_is_of(call, UOP_FLOORDIV, UOP_OP_COUNT)) return true;
  algebra a = algebra_of(call);
  linear f;
  int64_t d;
  if (!uopi_int_of(call->root->src[1], &d) || d == 0) return true;
  if (!uopi_linear_read(&a, call->root->src[0], &f)) return cheaper(call, NULL, out);
  if (d < 0 && (d == INT32_MIN || !negate(&f))) return true;
  return cheaper(call, uopi_divide(&a, &f, d < 0 ? -d : d, 0), out);
}

/* s mod -d = -((-s) mod d) */
bool uopi_rule_modulo(const uop_rule_call *call, const uop **out) {
  if (!uopi_is_of(call, UOP_FLOORMOD, UOP_OP_COUNT)) return true;
  algebra a = algebra_of(call);
  linear f;
  int64_t d;
  if (!uopi_int_of(call->root->src[1], &d) || d == 0 || d == INT32_MIN) return true;
  if (!uopi_linear_read(&a, call->root->src[0], &f)) return cheaper(call, NULL, out);
  if (d > 0) return cheaper(call, uopi_modulo(&a, &f, d, 0), out);
  if (!negate(&f)) return true;
  const uop *u = uopi_modulo(&a, &f, -d, 0);
  linear none = {.n = 0};
  return cheaper(call, u ? scaled(&a, u, -1, &none) : NULL, out);
}
