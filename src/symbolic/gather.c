/* gather.c - brings sums and products of i32 into their canonical form, each once, at its topmost
 * node: a chain of n additions costs n log n, where a rule at every link would cost n^2.
 *
 *        use ─> + ─> + ─> + ─> x      the chain goes down through nodes that only it uses, and
 *               y    z    w           through their multiples; what others use too is one term
 *
 * Then terms that belong together become one:
 *   k*(y mod e) + k*e*(y' // e)              is k*y',            where y' - y is a multiple of e
 *   k*(y mod e) + k*e*((y // e) mod d)       is k*(y mod (e*d))
 */
#include "symbolic/gather.h"

#include "ir/memo.h"

typedef LIST(linear_term) terms;

typedef struct gather {
  algebra a;
  const uopi_mem *mem;
  uopi_memo users; /* how many, in the graph; a root counts as two */
  uopi_set taken;  /* nodes that the topmost one of their sum or product takes into it */
  uopi_set in_sum; /* those of sums */
  uopi_memo final;
  terms t;
  LIST(linear_term) stack;
  LIST(const uop *) src;
  const uop_rewrite_options *o;
} gather;

static const uop *final_of(const gather *g, const uop *u) {
  const uop *v = uopi_memo_node(&g->final, u);
  return v ? v : u;
}

static bool no_memory(gather *g) { return uopi_no_memory(g->a.ctx), false; }

static bool has_one_user(const gather *g, const uop *u) { return uopi_memo_get(&g->users, u) == 1; }
static bool is_taken(const gather *g, const uop *u) { return uopi_set_has(&g->taken, u); }

/* A multiple: x * k. */
static bool is_multiple(const uop *u, const uop **x, int64_t *k) {
  if (u->op != UOP_MUL || u->dtype != UOP_I32) return false;
  bool right = uopi_int_of(u->src[1], k);
  *x = u->src[!right];
  return right || uopi_int_of(u->src[0], k);
}

/* ---- sums ---- */

static bool push(gather *g, const uop *x, int64_t k) {
  return UOPI_PUSH(g->mem, &g->stack, ((linear_term){.x = x, .k = k})) || no_memory(g);
}

/* A term with its final form, which may be a constant, or a multiple, by now. */
static bool add_term(gather *g, const uop *x, int64_t k, int64_t *c) {
  int64_t v;
  x = final_of(g, x);
  if (uopi_int_of(x, &v)) {
    *c = uopi_wrap(*c + uopi_wrap(v * k));
    return true;
  }
  if (x->op == UOP_MUL && uopi_int_of(x->src[1], &v)) x = x->src[0], k = uopi_wrap(k * v);
  return UOPI_PUSH(g->mem, &g->t, ((linear_term){.x = x, .k = k})) || no_memory(g);
}

static bool flatten(gather *g, const uop *u, int64_t *c) {
  g->t.len = g->stack.len = 0;
  *c = 0;
  if (!push(g, u->src[1], 1) || !push(g, u->src[0], 1)) return false;
  while (g->stack.len) {
    linear_term p = g->stack.at[--g->stack.len];
    const uop *x;
    int64_t k;
    bool ok, taken = is_taken(g, p.x);
    if (taken && p.x->op == UOP_ADD)
      ok = push(g, p.x->src[1], p.k) && push(g, p.x->src[0], p.k);
    else if (taken && is_multiple(p.x, &x, &k))
      ok = push(g, x, uopi_wrap(p.k * k));
    else
      ok = add_term(g, p.x, p.k, c);
    if (!ok) return false;
  }
  return true;
}

static bool by_id(const linear_term *a, const linear_term *b) { return a->x->id < b->x->id; }

/* Like terms become one. */
static void merge(terms *t) {
  size_t n = 0;
  uopi_sort_terms(t->at, t->len, by_id);
  for (size_t i = 0, end; i < t->len; i = end) {
    linear_term sum = t->at[i];
    for (end = i + 1; end < t->len && t->at[end].x == sum.x; end++)
      sum.k = uopi_wrap(sum.k + t->at[end].k);
    if (sum.k) t->at[n++] = sum;
  }
  t->len = n;
}

/* ---- quotients and remainders that belong together ---- */

/* x = (y + m) // e or, with e = 1, x itself, as the quotient of a sum by a constant. */
typedef struct quotient {
  linear y;
  int64_t e;
} quotient;

static bool as_quotient(const gather *g, const uop *x, quotient *q) {
  linear f;
  if (!uopi_linear_read(&g->a, x, &f) || !f.exact) return false;
  const uop *t = f.n == 1 && f.term[0].k == 1 ? f.term[0].x : NULL;
  if (t && t->op == UOP_FLOORDIV && uopi_int_of(t->src[1], &q->e) && q->e > 0 &&
      uopi_linear_read(&g->a, t->src[0], &q->y) && q->y.exact) {
    q->y.c += f.c * q->e; /* (y // e) + c */
    uopi_linear_bounds(&q->y);
    return q->y.exact;
  }
  q->y = f;
  q->e = 1;
  return true;
}

/* Whether y' - y is a multiple of m; what it is of that, in *by. */
static bool is_congruent(const gather *g, const linear *to, const linear *from, int64_t m,
                         linear *by) {
  *by = *to;
  for (size_t i = 0; i < from->n; i++)
    if (!uopi_linear_add_exact(&g->a, by, from->term[i].x, -from->term[i].k)) return false;
  by->c = to->c - from->c;
  for (size_t i = 0; i < by->n; i++)
    if (by->term[i].k % m) return false;
  return by->c % m == 0;
}

/* Of a remainder r = x mod e and a quotient: whether it is x' // e with x' = x + a multiple of e;
 * then x' in *value. */
static const uop *whole_of(gather *g, const uop *remainder, const uop *other, int64_t e) {
  quotient x, z;
  linear by;
  int64_t d;
  if (other->op != UOP_FLOORDIV || !uopi_int_of(other->src[1], &d)) return NULL;
  if (!as_quotient(g, remainder->src[0], &x) || x.e > INT32_MAX / (e > 0 ? e : -e)) return NULL;
  if (e < 0 && x.e > 1)
    return NULL; /* floor(floor(y / c) / e) is floor(y / (c*e)) for e > 0 only */
  if (d != x.e * e || !uopi_linear_read(&g->a, other->src[0], &z.y) || !z.y.exact) return NULL;
  if (!is_congruent(g, &z.y, &x.y, d, &by)) return NULL;
  const uop *u = uopi_linear_build(&g->a, &z.y);
  return u && x.e > 1 ? uopi_with_int(&g->a, UOP_FLOORDIV, u, x.e) : u;
}

/* The two terms at i (a remainder) and k as one, at i. */
static bool join(gather *g, size_t i, size_t k) {
  linear_term *r = &g->t.at[i], *o = &g->t.at[k];
  int64_t e, d;
  const uop *u = NULL;
  if (!uopi_int_of(r->x->src[1], &e) || (e >= -1 && e <= 1) || e == INT32_MIN ||
      o->k != uopi_wrap(r->k * e))
    return false;
  if (o->x->op == UOP_FLOORMOD && uopi_int_of(o->x->src[1], &d) && d > 1 &&
      d <= INT32_MAX / (e > 0 ? e : -e)) {
    u = whole_of(g, r->x, o->x->src[0], e);
    if (u) u = uopi_with_int(&g->a, UOP_FLOORMOD, u, e * d);
  } else {
    u = whole_of(g, r->x, o->x, e);
  }
  if (!u) return false;
  r->x = u;
  *o = g->t.at[--g->t.len];
  return true;
}

/* A joined term may be a sum: its terms join the others. */
static bool spread(gather *g, size_t i, int64_t *c) {
  linear_term t = g->t.at[i];
  linear f;
  if (t.x->op != UOP_ADD && t.x->op != UOP_MUL) return true;
  if (!uopi_linear_read(&g->a, t.x, &f)) return g->a.ctx->error.code == UOP_OK;
  g->t.at[i] = g->t.at[--g->t.len];
  for (size_t k = 0; k < f.n; k++)
    if (!add_term(g, f.term[k].x, uopi_wrap(f.term[k].k * t.k), c)) return false;
  *c = uopi_wrap(*c + uopi_wrap(f.c * t.k));
  merge(&g->t);
  return true;
}

static bool join_terms(gather *g, int64_t *c) {
  for (size_t i = 0; i < g->t.len && g->t.len <= LINEAR_TERMS; i++) {
    if (g->t.at[i].x->op != UOP_FLOORMOD) continue;
    for (size_t k = 0; k < g->t.len; k++) {
      if (k == i || !join(g, i, k)) continue;
      if (i == g->t.len) i = k; /* it was moved */
      if (g->a.ctx->error.code != UOP_OK || !spread(g, i, c)) return false;
      i = (size_t)-1; /* from the start: terms may belong to the new one */
      break;
    }
  }
  return g->a.ctx->error.code == UOP_OK;
}

/* k*((s + c') // d) + c: where there is a constant anyway, that of the quotient joins it, and 0 ..
 * d-1 of it stays inside. */
static bool settle_constants(gather *g, int64_t *c) {
  for (size_t i = 0; *c && i < g->t.len; i++) {
    linear_term *t = &g->t.at[i];
    int64_t d;
    linear s;
    if (t->x->op != UOP_FLOORDIV || !uopi_int_of(t->x->src[1], &d) || d <= 1) continue;
    if (!uopi_linear_read(&g->a, t->x->src[0], &s) || !s.exact) continue;
    int64_t out = uopi_floor_div(s.c, d);
    s.c -= out * d;
    uopi_linear_bounds(&s);
    if (!out || !s.exact) continue;
    const uop *u = uopi_linear_build(&g->a, &s);
    t->x = u ? uopi_with_int(&g->a, UOP_FLOORDIV, u, d) : NULL;
    if (!t->x) return false;
    *c = uopi_wrap(*c + uopi_wrap(out * t->k));
  }
  return g->a.ctx->error.code == UOP_OK;
}

static const uop *sum_of(gather *g, const uop *u) {
  int64_t c;
  g->a.shape = u->shape;
  if (!flatten(g, u, &c)) return NULL;
  merge(&g->t);
  if (!join_terms(g, &c) || !settle_constants(g, &c)) return NULL;
  return uopi_sum_build(&g->a, g->t.at, g->t.len, c);
}

/* ---- products ---- */

static const uop *product_of(gather *g, const uop *u) {
  int64_t c = 1, v;
  g->t.len = g->stack.len = 0;
  g->a.shape = u->shape;
  if (!push(g, u->src[1], 1) || !push(g, u->src[0], 1)) return NULL;
  while (g->stack.len) {
    const uop *x = g->stack.at[--g->stack.len].x, *y;
    if (is_taken(g, x)) {
      if (!push(g, x->src[1], 1) || !push(g, x->src[0], 1)) return NULL;
      continue;
    }
    y = final_of(g, x);
    if (y->op == UOP_MUL && uopi_int_of(y->src[1], &v)) y = y->src[0], c = uopi_wrap(c * v);
    if (uopi_int_of(y, &v))
      c = uopi_wrap(c * v);
    else if (!UOPI_PUSH(g->mem, &g->t, ((linear_term){.x = y, .k = 1})))
      return no_memory(g), NULL;
  }
  if (c == 0 || g->t.len == 0) return uopi_int(&g->a, c);
  uopi_sort_terms(g->t.at, g->t.len, uopi_term_before);
  const uop *p = g->t.at[0].x;
  for (size_t i = 1; p && i < g->t.len; i++)
    p = uop_make(g->a.ctx, UOP_MUL, (const uop *[]){p, g->t.at[i].x}, 2, NULL);
  return p && c != 1 ? uopi_with_int(&g->a, UOP_MUL, p, c) : p;
}

/* ---- the pass ---- */

static bool count_users(gather *g, const uop_nodes *order, const uop *const *roots, size_t n) {
  for (size_t i = 0; i < order->len; i++)
    for (uint32_t k = 0; k < order->at[i]->nsrc; k++) {
      const uop *s = order->at[i]->src[k];
      if (!uopi_memo_set(&g->users, s, uopi_memo_get(&g->users, s) + 1)) return no_memory(g);
    }
  for (size_t i = 0; i < n; i++)
    if (roots[i] && !uopi_memo_set(&g->users, roots[i], uopi_memo_get(&g->users, roots[i]) + 2))
      return no_memory(g);
  return true;
}

/* Whether u's user takes it: a sum takes sums, multiples, and what these are multiples of; a
 * product takes products. */
static bool takes(const gather *g, const uop *user, const uop *u) {
  const uop *x;
  int64_t k;
  if (u->dtype != UOP_I32 || user->dtype != UOP_I32 || !has_one_user(g, u)) return false;
  if (user->op == UOP_ADD) return u->op == UOP_ADD || is_multiple(u, &x, &k);
  if (user->op != UOP_MUL) return false;
  if (is_multiple(user, &x, &k)) return u->op == UOP_ADD && uopi_set_has(&g->in_sum, user);
  return u->op == UOP_MUL;
}

static bool take(gather *g, const uop *user, const uop *u) {
  bool to_sum = user->op == UOP_ADD || u->op == UOP_ADD;
  if (uopi_set_add(&g->taken, u) < 0) return no_memory(g);
  return !to_sum || uopi_set_add(&g->in_sum, u) >= 0 || no_memory(g);
}

static bool mark_taken(gather *g, const uop_nodes *order) { /* users before their sources */
  for (size_t i = order->len; i-- > 0;) {
    const uop *u = order->at[i];
    for (uint32_t k = 0; k < u->nsrc; k++)
      if (takes(g, u, u->src[k]) && !take(g, u, u->src[k])) return false;
  }
  return true;
}

/* The rules order the operands of what is no sum; done here already, sums above are ordered by what
 * their terms stay. Else each round would settle one layer of either. */
static void put_in_order(const uop **src, const uop *u) {
  const uop *first = src[0];
  if (!(uop_op_find((uop_op)u->op)->sets & UOP_SET_COMMUTATIVE)) return;
  if (!uopi_before(src[1], first)) return;
  src[0] = src[1];
  src[1] = first;
}

static const uop *rebuild(gather *g, const uop *u) {
  bool changed = false;
  if (!UOPI_RESERVE(g->mem, &g->src, u->nsrc)) return no_memory(g), NULL;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    g->src.at[i] = final_of(g, u->src[i]);
    if (u->op == UOP_CALL && i == 0) g->src.at[i] = uopi_body_or(g->a.ctx, u->src[0], g->src.at[i]);
    if (!g->src.at[i]) return NULL;
    changed |= g->src.at[i] != u->src[i];
  }
  if (!changed) return u;
  put_in_order(g->src.at, u);
  return uop_with_src(u, g->src.at);
}

/* What v is made of, down to nodes of the graph, comes from u, be it new or found. A node that u
 * comes from, and that comes back, stays where it was. */
static bool note_origins(gather *g, const uop *v, const uop *u) {
  uop_map *origins = g->o->origins;
  if (!origins) return true;
  g->src.len = 0;
  if (!UOPI_PUSH(g->mem, &g->src, v)) return no_memory(g);
  while (g->src.len) {
    const uop *x = g->src.at[--g->src.len];
    bool given = uopi_memo_get(&g->users, x) != 0;
    if (given || uop_map_get_node(origins, x)) continue;
    if (uop_origin(origins, u) != x && !uop_map_set_node(origins, x, u)) return false;
    if (!UOPI_RESERVE(g->mem, &g->src, g->src.len + x->nsrc)) return no_memory(g);
    for (uint32_t i = 0; i < x->nsrc; i++) g->src.at[g->src.len++] = x->src[i];
  }
  return true;
}

static bool visit(gather *g, const uop *u) {
  bool is_i32 = u->dtype == UOP_I32, sum = u->op == UOP_ADD && is_i32;
  const uop *v;
  if (is_taken(g, u)) return true;
  if (sum || (u->op == UOP_MUL && is_i32))
    v = sum ? sum_of(g, u) : product_of(g, u);
  else
    v = rebuild(g, u);
  if (v && v->space != u->space) v = uop_load(v); /* a sum of memory alone is its contents */
  if (!v) return false;
  if (v == u) return true;
  if (!note_origins(g, v, u) ||
      ((sum || u->op == UOP_MUL) && !uopi_tell_step(g->a.ctx, g->o, "gather", u, v)))
    return false;
  return uopi_memo_set_node(&g->final, u, v) || no_memory(g);
}

bool uopi_gather(uop_ctx *ctx, uop_map *bounds, const uop_rewrite_options *o,
                 const uop *const *roots, size_t n, const uop **out) {
  gather g = {.a = {.ctx = ctx, .bounds = bounds},
              .mem = &ctx->mem,
              .o = o,
              .users = {.mem = &ctx->mem},
              .taken = {.mem = &ctx->mem},
              .in_sum = {.mem = &ctx->mem},
              .final = {.mem = &ctx->mem}};
  uop_nodes order = {NULL, 0, 0};
  bool ok = uopi_walk(ctx, roots, n, false, &order) && count_users(&g, &order, roots, n) &&
            mark_taken(&g, &order);
  for (size_t i = 0; ok && i < order.len; i++) ok = visit(&g, order.at[i]);
  for (size_t i = 0; ok && i < n; i++) out[i] = roots[i] ? final_of(&g, roots[i]) : NULL;
  uop_nodes_free(ctx, &order);
  uopi_set_drop(&g.taken);
  uopi_set_drop(&g.in_sum);
  uopi_memo_drop(&g.users);
  uopi_memo_drop(&g.final);
  UOPI_DROP(g.mem, &g.t);
  UOPI_DROP(g.mem, &g.stack);
  UOPI_DROP(g.mem, &g.src);
  return ok;
}
