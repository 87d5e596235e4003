/* hints.c - facts about quotients that z3 does not find by itself where divisors are symbolic. Each
 * of them holds of all integers: it names a value, or multiplies out a*b - a*c with the difference
 * b - c named, so that a bound of a*(b - c) gives one of b - c. With them most rules of // and mod
 * take a second.
 *
 *   a division   a = b*q + r                              qI, rI
 *   a factor     X = Y*k where the condition asks X % Y == 0; then X*t = Y*(k*t), and k*t is named,
 *                for each quotient by X                   kI, mI
 *   differences  b*(q - m) = a - r - b*m for each m of those, and of two divisions by one b
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
    const division d = q->division[i];
    bool known = d.b.s[0] != 'v' && d.b.s[0] != 'n';
    for (unsigned k = 0; k < n; k++)
      known |= is_same(&d.a, &q->division[k].a) && is_same(&d.b, &q->division[k].b);
    if (!known) q->division[n++] = d;
  }
  q->ndivisions = n;
  for (unsigned i = 0; i < n; i++) {
    const division *d = &q->division[i];
    fprintf(q->out, "(define-fun q%u () Int (quotient %s %s))\n", i, d->a.s, d->b.s);
    fprintf(q->out, "(define-fun r%u () Int (remainder %s %s))\n", i, d->a.s, d->b.s);
  }
}

/* ---- factors ---- */

typedef struct factor {
  word of, by, k; /* of = by * k */
} factor;

/* X % Y == 0, at an expression's step */
static bool is_factor(const query *q, const rule_expr *e, factor *f) {
  if (e[0].op != EXPR_VAR || e[1].op != EXPR_VAR || e[2].op != EXPR_MOD || e[3].op != EXPR_INT ||
      e[3].i != 0 || e[4].op != EXPR_EQ)
    return false;
  if (var_dtype(q, e[0].var) != UOP_I32 || var_dtype(q, e[1].var) != UOP_I32) return false;
  f->of = var_name(q, e[0].var);
  f->by = var_name(q, e[1].var);
  return true;
}

static void write_factor(query *q, const factor *f, multiples *m) {
  fprintf(q->out, "(declare-const %s Int)\n(assert (= %s (quotient %s %s)))\n", f->k.s, f->k.s,
          f->of.s, f->by.s);
  fprintf(q->out, "(assert (=> (= (remainder %s %s) 0) (= %s (* %s %s))))\n", f->of.s, f->by.s,
          f->of.s, f->by.s, f->k.s);
  for (unsigned i = 0; i < q->ndivisions; i++) {
    const division *d = &q->division[i];
    if (!is_same(&d->b, &f->of)) continue;
    word t = part('m', q->defined++);
    fprintf(q->out, "(declare-const %s Int)\n(assert (= %s (* %s q%u)))\n", t.s, t.s, f->k.s, i);
    fprintf(q->out, "(assert (=> (= (remainder %s %s) 0) (= %s (+ (* %s %s) r%u))))\n", f->of.s,
            f->by.s, d->a.s, f->by.s, t.s, i);
    add_multiple(m, t);
  }
  add_multiple(m, f->k);
}

static void write_factors(query *q, multiples *m) {
  const rule_tree *r = q->c->rule;
  const rule_expr *e = &q->c->book->exprs.at[r->cond];
  for (uint32_t i = 0; i + 5 <= r->ncond; i++) {
    factor f;
    if (!is_factor(q, e + i, &f)) continue;
    f.k = part('k', q->defined++);
    write_factor(q, &f, m);
  }
}

/* ---- differences ---- */

static void write_single(query *q, unsigned i, const word *m) {
  const division *d = &q->division[i];
  unsigned k = q->defined++;
  fprintf(q->out, "(declare-const d%u Int)\n(assert (= d%u (- q%u %s)))\n", k, k, i, m->s);
  fprintf(q->out, "(assert (= (* %s d%u) (- (- %s r%u) (* %s %s))))\n", d->b.s, k, d->a.s, i,
          d->b.s, m->s);
}

static void write_pair(query *q, unsigned i, unsigned j, char sign, const word *m) {
  const division *a = &q->division[i], *b = &q->division[j];
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
  write_factors(q, &m);
  for (unsigned i = 0; i < q->ndivisions; i++) write_differences(q, i, &m);
}
