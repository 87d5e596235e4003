/* hints.c - facts about quotients that z3 does not find by itself where divisors are symbolic. Each
 * of them holds of all integers: it names a value, or multiplies out a*b - a*c with the difference
 * b - c named, so that a bound of a*(b - c) gives one of b - c. With them most rules of // and mod
 * take a second.
 *
 *   a division   a = b*q + r                              qI, rI
 *   a factor     X = Y*k where the condition asks X % Y == 0, or Y is a gcd of X; then
 *                X*t = Y*(k*t), and k*t is named, for each quotient by X and each product of X
 *                                                         kI, mI
 *   differences  b*(q - m) = a - r - b*m for each m of those, and of what b is multiplied by, and
 *                of two divisions by one b
 */
#include "prove.h"

enum { MAX_MULTIPLES = 32 };

typedef struct multiples {
  word at[MAX_MULTIPLES];
  unsigned n;
} multiples;

static void add_multiple(multiples *m, word w) {
  if (m->n < MAX_MULTIPLES) m->at[m->n++] = w;
}

static bool is_same(const word *a, const word *b) { return !strcmp(a->s, b->s); }

/* ---- divisions ---- */

static word part(char kind, unsigned i) { /* qI, rI */
  word w;
  snprintf(w.s, sizeof w.s, "%c%u", kind, i);
  return w;
}

/* Drops what was said before, and what has no variable in it is no trouble to z3. */
static void name_divisions(query *q) {
  unsigned n = 0;
  for (unsigned i = 0; i < q->ndivisions; i++) {
    const word_pair d = q->division[i];
    bool known = (d.b.s[0] >= '0' && d.b.s[0] <= '9') || d.b.s[0] == '(';
    for (unsigned k = 0; k < n; k++)
      known |= is_same(&d.a, &q->division[k].a) && is_same(&d.b, &q->division[k].b);
    if (!known) q->division[n++] = d;
  }
  q->ndivisions = n;
  for (unsigned i = 0; i < n; i++) {
    const word_pair *d = &q->division[i];
    fprintf(q->out, "(define-fun q%u () Int (quotient %s %s))\n", i, d->a.s, d->b.s);
    fprintf(q->out, "(define-fun r%u () Int (remainder %s %s))\n", i, d->a.s, d->b.s);
  }
}

/* ---- factors ---- */

/* X % Y == 0, at an expression's step */
static bool asks_factor(query *q, const rule_expr *e, divided *f) {
  if (e[0].op != EXPR_VAR || e[1].op != EXPR_VAR || e[2].op != EXPR_MOD || e[3].op != EXPR_INT ||
      e[3].i != 0 || e[4].op != EXPR_EQ)
    return false;
  if (var_dtype(q, e[0].var) != UOP_I32 || var_dtype(q, e[1].var) != UOP_I32) return false;
  *f = (divided){var_name(q, e[0].var), var_name(q, e[1].var), part('k', q->defined++), false};
  return true;
}

static void find_factors(query *q) {
  const rule_tree *r = q->c->rule;
  const rule_expr *e = &q->c->book->exprs.at[r->cond];
  for (uint32_t i = 0; i + 5 <= r->ncond && q->nfactors < MAX_PAIRS; i++) {
    divided *f = &q->factor[q->nfactors];
    if (!asks_factor(q, e + i, f)) continue;
    q->nfactors++;
    fprintf(q->out, "(declare-const %s Int)\n(assert (= %s (quotient %s %s)))\n", f->k.s, f->k.s,
            f->of.s, f->by.s);
  }
}

/* left = right, where the factor is one. */
static void write_where(query *q, const divided *f, const char *left, const char *right) {
  if (f->always)
    fprintf(q->out, "(assert (= %s %s))\n", left, right);
  else
    fprintf(q->out, "(assert (=> (= (remainder %s %s) 0) (= %s %s)))\n", f->of.s, f->by.s, left,
            right);
}

/* m = k*t, and f.of*t, which is `left`, = f.by*m + `rest` */
static void write_multiple(query *q, const divided *f, const char *t, const char *left,
                           const char *rest, multiples *m) {
  char right[256];
  word k = part('m', q->defined++);
  fprintf(q->out, "(declare-const %s Int)\n(assert (= %s (* %s %s)))\n", k.s, k.s, f->k.s, t);
  snprintf(right, sizeof right, "(+ (* %s %s) %s)", f->by.s, k.s, rest);
  write_where(q, f, left, right);
  add_multiple(m, k);
}

static void write_product(query *q, const divided *f, const word *t, multiples *m) {
  char left[256];
  snprintf(left, sizeof left, "(* %s %s)", t->s, f->of.s);
  write_multiple(q, f, t->s, left, "0", m);
}

static void write_factor(query *q, const divided *f, multiples *m) {
  char right[256];
  snprintf(right, sizeof right, "(* %s %s)", f->by.s, f->k.s);
  write_where(q, f, f->of.s, right);
  for (unsigned i = 0; i < q->ndivisions; i++)
    if (is_same(&q->division[i].b, &f->of))
      write_multiple(q, f, part('q', i).s, q->division[i].a.s, part('r', i).s, m);
  for (unsigned i = 0; i < q->nproducts; i++) {
    const word_pair *p = &q->product[i];
    if (is_same(&p->b, &f->of)) write_product(q, f, &p->a, m);
    if (is_same(&p->a, &f->of)) write_product(q, f, &p->b, m);
  }
  add_multiple(m, f->k);
}

/* What a divisor is multiplied by. */
static void add_cofactors(const query *q, multiples *m) {
  for (unsigned i = 0; i < q->nproducts; i++)
    for (unsigned k = 0; k < q->ndivisions; k++) {
      const word_pair *p = &q->product[i];
      if (is_same(&p->a, &q->division[k].b)) add_multiple(m, p->b);
      if (is_same(&p->b, &q->division[k].b)) add_multiple(m, p->a);
    }
}

/* ---- differences ---- */

static void write_single(query *q, unsigned i, const word *m) {
  const word_pair *d = &q->division[i];
  unsigned k = q->defined++;
  fprintf(q->out, "(declare-const d%u Int)\n(assert (= d%u (- q%u %s)))\n", k, k, i, m->s);
  fprintf(q->out, "(assert (= (* %s d%u) (- (- %s r%u) (* %s %s))))\n", d->b.s, k, d->a.s, i,
          d->b.s, m->s);
}

static void write_pair(query *q, unsigned i, unsigned j, char sign, const word *m) {
  const word_pair *a = &q->division[i], *b = &q->division[j];
  unsigned k = q->defined++;
  fprintf(q->out, "(declare-const d%u Int)\n(assert (= d%u (%c (- q%u q%u) %s)))\n", k, k, sign, i,
          j, m->s);
  fprintf(q->out, "(assert (= (* %s d%u) (%c (- (- %s r%u) (- %s r%u)) (* %s %s))))\n", a->b.s, k,
          sign, a->a.s, i, b->a.s, j, a->b.s, m->s);
}

static void write_differences(query *q, unsigned i, const multiples *m) {
  const word none = {"0"};
  word q_i = part('q', i);
  for (unsigned k = 0; k < m->n; k++)
    if (!is_same(&m->at[k], &q_i)) write_single(q, i, &m->at[k]);
  for (unsigned j = 0; j < i; j++) {
    word q_j = part('q', j);
    if (!is_same(&q->division[i].b, &q->division[j].b)) continue;
    write_pair(q, i, j, '-', &none);
    for (unsigned k = 0; k < m->n; k++) {
      if (is_same(&m->at[k], &q_i) || is_same(&m->at[k], &q_j)) continue;
      write_pair(q, i, j, '-', &m->at[k]);
      write_pair(q, i, j, '+', &m->at[k]);
    }
  }
}

void write_hints(query *q) {
  multiples m = {.n = 0};
  name_divisions(q);
  for (unsigned i = 0; i < q->ndivisions; i++) add_multiple(&m, part('q', i));
  add_cofactors(q, &m);
  find_factors(q);
  for (unsigned i = 0; i < q->nfactors; i++) write_factor(q, &q->factor[i], &m);
  for (unsigned i = 0; i < q->ndivisions; i++) write_differences(q, i, &m);
}
