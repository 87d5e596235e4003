/* linear.c - sums of i32 values: read from a graph, and built in one canonical form:
 *
 *   groups of terms with one coefficient, each (x + y + …) * k; the groups and the terms of
 *   coefficient 1 added up in order; the constant last.
 *
 * So like terms meet, common factors are written once, and two sums are equal modulo reordering
 * only if they are one node.
 */
#include "symbolic/linear.h"

#include "ir/pair.h"

/* ---- small things ---- */

int64_t uopi_gcd(int64_t a, int64_t b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

bool uopi_int_of(const uop *u, int64_t *v) {
  const uop *c = u->dtype == UOP_I32 ? uopi_constant_of(u) : NULL;
  if (c) *v = uop_const_i32(c);
  return c != NULL;
}

const uop *uopi_int(const algebra *a, int64_t c) {
  const uop *u = uop_const_of_i32(a->ctx, (int32_t)uopi_wrap(c));
  return u ? uopi_splat(u, a->shape) : NULL;
}

static const uop *make2(const algebra *a, uop_op op, const uop *x, const uop *y) {
  return x && y ? uop_make(a->ctx, op, (const uop *[]){x, y}, 2, NULL) : NULL;
}

const uop *uopi_with_int(const algebra *a, uop_op op, const uop *x, int64_t c) {
  return make2(a, op, x, uopi_int(a, c));
}

/* ---- order ---- */

static int compare_args(const uop *a, const uop *b) {
  uop_arg x = uop_arg_of(a), y = uop_arg_of(b);
  if (x.dtype != y.dtype) return x.dtype < y.dtype ? -1 : 1;
  if (x.space != y.space) return x.space < y.space ? -1 : 1;
  if (x.kind != y.kind) return x.kind < y.kind ? -1 : 1;
  if (x.op != y.op) return x.op < y.op ? -1 : 1;
  if (x.num != y.num) return x.num < y.num ? -1 : 1;
  if (x.bits != y.bits) return x.bits < y.bits ? -1 : 1;
  if (x.len != y.len) return x.len < y.len ? -1 : 1;
  for (size_t i = 0; i < x.len; i++)
    if (x.ints[i] != y.ints[i]) return x.ints[i] < y.ints[i] ? -1 : 1;
  return x.name && y.name ? strcmp(x.name, y.name) : 0;
}

/* Two nodes of one hash that are not one: down the first pair of sources that differ. */
static bool before_below(const uop *a, const uop *b) {
  for (;;) {
    if (a->hash != b->hash) return a->hash < b->hash;
    if (a->op != b->op) return a->op < b->op;
    if (a->nsrc != b->nsrc) return a->nsrc < b->nsrc;
    int c = compare_args(a, b);
    if (c) return c < 0;
    uint32_t i = 0;
    while (i < a->nsrc && a->src[i] == b->src[i]) i++;
    if (i == a->nsrc) return false; /* one node */
    const uop *x = a->src[i], *y = b->src[i];
    a = x;
    b = y;
  }
}

bool uopi_before(const uop *a, const uop *b) {
  bool x = uopi_constant_of(a) != NULL, y = uopi_constant_of(b) != NULL;
  if (x != y) return y;
  return a->hash != b->hash ? a->hash < b->hash : before_below(a, b);
}

/* ---- reading ---- */

/* The term of x, with coefficient 0 if it is new; NULL: there is no room, or an error. */
static linear_term *term_of(const algebra *a, linear *f, const uop *x) {
  uop_interval b;
  for (size_t i = 0; i < f->n; i++)
    if (f->term[i].x == x) return &f->term[i];
  if (f->n == LINEAR_TERMS || !uop_bounds(a->bounds, x, &b)) return NULL;
  f->term[f->n] = (linear_term){x, 0, b.lo, b.hi};
  return &f->term[f->n++];
}

bool uopi_linear_add(const algebra *a, linear *f, const uop *x, int64_t k) {
  linear_term *t = term_of(a, f, x);
  if (t) t->k = uopi_wrap(t->k + k);
  return t != NULL;
}

bool uopi_linear_add_exact(const algebra *a, linear *f, const uop *x, int64_t k) {
  linear_term *t = term_of(a, f, x);
  if (!t || t->k + k != uopi_wrap(t->k + k)) return false;
  t->k += k;
  return true;
}

/* A term of the sum that is being read: what it is made of, or itself. */
typedef struct pending {
  const uop *x;
  int64_t k;
} pending;

bool uopi_linear_read(const algebra *a, const uop *u, linear *f) {
  pending stack[2 * LINEAR_TERMS];
  size_t len = 0, steps = 0;
  f->n = 0;
  f->c = 0;
  stack[len++] = (pending){u, 1};
  while (len) {
    pending p = stack[--len];
    int64_t v;
    if (++steps > 4 * LINEAR_TERMS || len + 2 > 2 * LINEAR_TERMS) return false;
    if (uopi_int_of(p.x, &v)) {
      f->c = uopi_wrap(f->c + uopi_wrap(v * p.k));
    } else if (p.x->op == UOP_ADD) {
      stack[len++] = (pending){p.x->src[1], p.k};
      stack[len++] = (pending){p.x->src[0], p.k};
    } else if (p.x->op == UOP_MUL && uopi_int_of(p.x->src[1], &v)) {
      stack[len++] = (pending){p.x->src[0], uopi_wrap(p.k * v)};
    } else if (p.x->op == UOP_MUL && uopi_int_of(p.x->src[0], &v)) {
      stack[len++] = (pending){p.x->src[1], uopi_wrap(p.k * v)};
    } else if (!uopi_linear_add(a, f, p.x, p.k)) {
      return false;
    }
  }
  uopi_linear_bounds(f);
  return true;
}

void uopi_linear_bounds(linear *f) {
  const int64_t far = INT64_C(1) << 40; /* beyond all hope, and no sum of these overflows */
  size_t n = 0;
  f->lo = f->hi = f->c;
  f->exact = true;
  for (size_t i = 0; i < f->n; i++) {
    linear_term t = f->term[i];
    if (t.k == 0) continue;
    int64_t p = t.k * t.lo, q = t.k * t.hi, lo = p < q ? p : q, hi = p < q ? q : p;
    f->exact = f->exact && lo > -far && hi < far;
    if (f->exact) {
      f->lo += lo;
      f->hi += hi;
    }
    f->term[n++] = t;
  }
  f->n = n;
  f->exact = f->exact && f->lo >= INT32_MIN && f->hi <= INT32_MAX;
}

/* ---- building ---- */

typedef bool before_fn(const linear_term *a, const linear_term *b);

static bool by_factor(const linear_term *a, const linear_term *b) {
  return a->k != b->k ? a->k < b->k : uopi_before(a->x, b->x);
}

bool uopi_term_before(const linear_term *a, const linear_term *b) {
  return uopi_before(a->x, b->x);
}

static void swap(linear_term *a, linear_term *b) {
  linear_term t = *a;
  *a = *b;
  *b = t;
}

static void sift(linear_term *t, size_t i, size_t n, before_fn *before) {
  for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
    if (kid + 1 < n && before(&t[kid], &t[kid + 1])) kid++;
    if (!before(&t[i], &t[kid])) return;
    swap(&t[i], &t[kid]);
  }
}

void uopi_sort_terms(linear_term *t, size_t n, before_fn *before) {
  for (size_t i = n / 2; i-- > 0;) sift(t, i, n, before);
  for (size_t end = n; end-- > 1;) {
    swap(&t[0], &t[end]);
    sift(t, 0, end, before);
  }
}

static const uop *chain(const algebra *a, const linear_term *t, size_t n) {
  const uop *u = t[0].x;
  for (size_t i = 1; u && i < n; i++) u = make2(a, UOP_ADD, u, t[i].x);
  return u;
}

/* Terms of one coefficient become one; those of coefficient 1 stay. */
static bool factor(const algebra *a, linear_term *t, size_t *n) {
  size_t len = 0;
  for (size_t i = 0, end; i < *n; i = end) {
    for (end = i + 1; end < *n && t[end].k == t[i].k;) end++;
    if (t[i].k == 1) {
      for (size_t k = i; k < end; k++) t[len++] = t[k];
      continue;
    }
    const uop *u = chain(a, t + i, end - i);
    if (!u || !(u = uopi_with_int(a, UOP_MUL, u, t[i].k))) return false;
    t[len++] = (linear_term){.x = u, .k = 1};
  }
  *n = len;
  return true;
}

const uop *uopi_sum_build(const algebra *a, linear_term *t, size_t n, int64_t c) {
  uopi_sort_terms(t, n, by_factor);
  if (!factor(a, t, &n)) return NULL;
  if (n == 0) return uopi_int(a, c);
  uopi_sort_terms(t, n, uopi_term_before);
  const uop *u = chain(a, t, n);
  return u && c ? uopi_with_int(a, UOP_ADD, u, c) : u;
}

const uop *uopi_linear_build(const algebra *a, linear *f) {
  linear_term t[LINEAR_TERMS];
  size_t n = 0;
  for (size_t i = 0; i < f->n; i++)
    if (f->term[i].k) t[n++] = f->term[i];
  return uopi_sum_build(a, t, n, f->c);
}

/* ---- the work of arithmetic ---- */

enum { SEEN = 128, DEEP = 2 };

static bool is_arithmetic(const uop *u) {
  return uop_op_find((uop_op)u->op)->sets & UOP_SET_BINARY;
}

uint32_t uopi_arithmetic(const uop *u) {
  struct {
    const uop *u;
    int depth;
  } seen[SEEN];
  size_t len = 0;
  uint32_t work = 0;
  if (!is_arithmetic(u)) return 0;
  seen[len].u = u;
  seen[len++].depth = 0;
  for (size_t i = 0; i < len; i++) { /* nearest first */
    bool divides = seen[i].u->op == UOP_FLOORDIV || seen[i].u->op == UOP_FLOORMOD;
    int depth = seen[i].depth + divides;
    work += divides ? 16 : 1;
    if (depth > DEEP) continue;
    for (uint32_t k = 0; k < seen[i].u->nsrc; k++) {
      const uop *s = seen[i].u->src[k];
      size_t at = 0;
      if (!is_arithmetic(s)) continue;
      while (at < len && seen[at].u != s) at++;
      if (at < len) continue;
      if (len == SEEN) return UINT32_MAX;
      seen[len].u = s;
      seen[len++].depth = depth;
    }
  }
  return work;
}
