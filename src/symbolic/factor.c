/* factor.c - quotients of sums by what is no constant:
 *
 *   y = g*p, where p is a product, or a sum without a common factor; of x = q*y + r
 *   the terms that have p and a multiple of g in them are q*y:       x // y = q + r // y
 *
 * and what all terms of x and y have in common, and is not 0, cancels:
 *
 *   x = c*x', y = c*y':                                             x // y = x' // y'
 *
 * That is true of integers, so nothing may wrap, and in the first one y is not 0.
 */
#include "symbolic/linear.h"

enum { FACTORS = 8 };

typedef struct product {
  const uop *x[FACTORS];
  size_t n;
  double most; /* at most so great, as a product of integers */
} product;

/* The factors of u; false: they are too many, or an error. */
static bool factors_of(const algebra *a, const uop *u, product *p) {
  const uop *todo[FACTORS];
  size_t len = 0;
  uop_interval b;
  p->n = 0;
  p->most = 1;
  todo[len++] = u;
  while (len) {
    u = todo[--len];
    if (u->op == UOP_MUL) {
      if (len + 2 > FACTORS) return false;
      todo[len++] = u->src[0];
      todo[len++] = u->src[1];
      continue;
    }
    if (p->n == FACTORS || !uop_bounds(a->bounds, u, &b)) return false;
    double lo = (double)-b.lo, hi = (double)b.hi;
    p->most *= lo > hi ? lo : hi;
    p->x[p->n++] = u;
  }
  return true;
}

/* Takes the factors of d out of p; false: one is not there. */
static bool take_out(product *p, const product *d) {
  for (size_t i = 0; i < d->n; i++) {
    size_t k = 0;
    while (k < p->n && p->x[k] != d->x[i]) k++;
    if (k == p->n) return false;
    p->x[k] = p->x[--p->n];
  }
  return true;
}

static const uop *multiply(const algebra *a, const product *p) { /* of one factor at least */
  const uop *u = p->x[0];
  for (size_t i = 1; u && i < p->n; i++)
    u = uop_make(a->ctx, UOP_MUL, (const uop *[]){u, p->x[i]}, 2, NULL);
  return u;
}

static bool in_i32(double most, int64_t k) { return most * (double)(k < 0 ? -k : k) <= INT32_MAX; }

/* y = g * the factors of p. */
static bool read_divisor(const algebra *a, const uop *y, int64_t *g, product *p) {
  linear f;
  if (!uopi_linear_read(a, y, &f) || !f.exact || f.n == 0) return false;
  *g = f.c;
  for (size_t i = 0; i < f.n; i++) *g = uopi_gcd(*g, f.term[i].k);
  if (*g > INT32_MAX) return false;
  for (size_t i = 0; i < f.n; i++) f.term[i].k /= *g;
  f.c /= *g;
  const uop *u = uopi_linear_build(a, &f);
  return u && factors_of(a, u, p) && in_i32(p->most, *g);
}

/* The terms of r that g*p is in, to q. False: there are none, or one may wrap. */
static bool divide_terms(const algebra *a, linear *r, int64_t g, const product *p, linear *q) {
  bool any = false;
  q->n = 0;
  q->c = 0;
  for (size_t i = 0; i < r->n; i++) {
    linear_term *t = &r->term[i];
    product rest;
    if (t->k % g || !factors_of(a, t->x, &rest) || !in_i32(rest.most, t->k)) continue;
    if (!take_out(&rest, p)) continue;
    const uop *u = rest.n ? multiply(a, &rest) : NULL;
    if (rest.n == 0)
      q->c += t->k / g;
    else if (!u || !uopi_linear_add_exact(a, q, u, t->k / g))
      return false;
    t->k = 0;
    any = true;
  }
  uopi_linear_bounds(r);
  return any && r->exact;
}

/* r // (g*p), without what g and r have in common; a sum in *out. */
static bool divide_rest(const algebra *a, linear *r, int64_t g, const product *p, linear *out) {
  int64_t common = uopi_gcd(g, r->c);
  for (size_t i = 0; i < r->n; i++) common = uopi_gcd(common, r->term[i].k);
  for (size_t i = 0; i < r->n; i++) r->term[i].k /= common;
  r->c /= common;
  uopi_linear_bounds(r);
  const uop *y = multiply(a, p), *x = uopi_linear_build(a, r);
  if (y && g != common) y = uopi_with_int(a, UOP_MUL, y, g / common);
  if (!x || !y) return false;
  const uop *u = uop_make(a->ctx, UOP_FLOORDIV, (const uop *[]){x, y}, 2, NULL);
  return u && uopi_linear_add_exact(a, out, u, 1);
}

static const uop *divided(const algebra *a, const uop *x, const uop *y) {
  linear r, q;
  product p;
  int64_t g;
  uop_interval b;
  if (!uop_bounds(a->bounds, y, &b) || (b.lo <= 0 && b.hi >= 0)) return NULL;
  if (!read_divisor(a, y, &g, &p) || !uopi_linear_read(a, x, &r) || !r.exact) return NULL;
  if (!divide_terms(a, &r, g, &p, &q)) return NULL;
  bool is_zero = r.lo >= 0 && r.hi < b.lo;
  if ((r.n || r.c) && !is_zero && !divide_rest(a, &r, g, &p, &q)) return NULL;
  return uopi_linear_build(a, &q);
}

/* Takes f out of every term of r. False: it is not in all of them, or an error. */
static bool take_from_all(const algebra *a, linear *r, const uop *f) {
  const product one = {{f}, 1, 0};
  linear to = {.n = 0};
  for (size_t i = 0; i < r->n; i++) {
    const linear_term *t = &r->term[i];
    product p;
    if (!factors_of(a, t->x, &p) || !in_i32(p.most, t->k) || !take_out(&p, &one)) return false;
    const uop *u = p.n ? multiply(a, &p) : NULL;
    if (p.n == 0)
      to.c += t->k;
    else if (!u || !uopi_linear_add_exact(a, &to, u, t->k))
      return false;
  }
  if (r->c != 0 || to.c > INT32_MAX || to.c < INT32_MIN) return false;
  *r = to;
  uopi_linear_bounds(r);
  return r->exact;
}

/* Whether u is never 0; false also for an error. */
static bool is_not_0(const algebra *a, const uop *u) {
  uop_interval b;
  return uop_bounds(a->bounds, u, &b) && (b.lo > 0 || b.hi < 0);
}

static const uop *cancelled(const algebra *a, const uop *x, const uop *y) {
  linear r;
  product p;
  int64_t g;
  bool any = false;
  if (!read_divisor(a, y, &g, &p) || !uopi_linear_read(a, x, &r) || !r.exact || !r.n) return NULL;
  for (size_t i = 0; i < p.n;) {
    linear rest = r;
    if (!is_not_0(a, p.x[i]) || !take_from_all(a, &rest, p.x[i])) {
      i++;
      continue;
    }
    p.x[i] = p.x[--p.n];
    r = rest;
    any = true;
  }
  linear q = {.n = 0};
  if (!any || a->ctx->error.code != UOP_OK) return NULL;
  if (p.n) return divide_rest(a, &r, g, &p, &q) ? q.term[0].x : NULL;
  const uop *u = uopi_linear_build(a, &r); /* by a constant: that rule goes on */
  return u ? uopi_with_int(a, UOP_FLOORDIV, u, g) : NULL;
}

bool uopi_rule_factor(const uop_rule_call *call, const uop **out) {
  if (!uopi_is_of(call, UOP_FLOORDIV, UOP_OP_COUNT)) return true;
  algebra a = {call->ctx, call->bounds, call->root->shape};
  const uop *root = call->root, *y = root->src[1], *u = NULL;
  int64_t d;
  if (uopi_int_of(y, &d)) return true;
  u = divided(&a, root->src[0], y);
  if (!u && call->ctx->error.code == UOP_OK) u = cancelled(&a, root->src[0], y);
  if (call->ctx->error.code != UOP_OK) return false;
  if (u && uopi_arithmetic(u) < uopi_arithmetic(root)) *out = u;
  return true;
}
