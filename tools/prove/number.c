/* number.c - the arithmetic of conditions and of {…}, as SMT-LIB. It is of whole numbers; over
 * vectors each step is as wide as its value can be, so that nothing wraps. The rule language stops
 * at 64 bits, where a rule does not apply: what is shown here is more than is needed.
 */
#include "prove.h"

typedef struct number {
  word of;
  unsigned width; /* of a vector */
  bool logical;   /* a Bool */
  bool known;     /* its value, which is: */
  int64_t value;
} number;

static number of_width(word w, unsigned width) { return (number){.of = w, .width = width}; }
static number truth(word w) { return (number){.of = w, .logical = true}; }

static const char *sort_of(const query *q, unsigned width, char room[32]) {
  if (in_ints(q)) return "Int";
  snprintf(room, 32, "(_ BitVec %u)", width);
  return room;
}

static number make(query *q, unsigned width, word text) {
  char room[32];
  return of_width(define(q, sort_of(q, width, room), "%s", text.s), width);
}

static number fresh(query *q, unsigned width) {
  char room[32];
  number n = {.width = width};
  snprintf(n.of.s, sizeof n.of.s, "n%u", q->defined++);
  fprintf(q->out, "(declare-const %s %s)\n", n.of.s, sort_of(q, width, room));
  return n;
}

/* ---- conversions ---- */

static number widen(query *q, number n, unsigned width) {
  char room[32];
  if (in_ints(q) || n.width == width) return n;
  unsigned more = width - n.width;
  return of_width(define(q, sort_of(q, width, room), "((_ sign_extend %u) %s)", more, n.of.s),
                  width);
}

static number as_number(query *q, number n) {
  char room[32];
  if (!n.logical) return n;
  word one = int_text(q, 1, 2), none = int_text(q, 0, 2);
  return of_width(define(q, sort_of(q, 2, room), "(ite %s %s %s)", n.of.s, one.s, none.s), 2);
}

static number as_logical(query *q, number n) {
  if (n.logical) return n;
  word none = int_text(q, 0, n.width);
  return truth(define(q, "Bool", "(not (= %s %s))", n.of.s, none.s));
}

/* ---- leaves ---- */

static unsigned width_of(int64_t i) {
  unsigned w = 1;
  for (uint64_t m = i < 0 ? ~(uint64_t)i : (uint64_t)i; m; m >>= 1) w++;
  return w;
}

/* At 8 bits the bounds of i32 are those of 8 bits, and other great numbers cannot be said. */
static number literal(query *q, int64_t i) {
  static const int64_t scaled[][2] = {
      {INT32_MAX, 127}, {INT64_C(1) << 31, 128}, {INT32_MIN, -128}, {INT64_C(1) << 32, 256}};
  if (q->in == BITS8 && (i > 127 || i < -128)) {
    size_t k = 0;
    while (k < 4 && scaled[k][0] != i) k++;
    if (k == 4) q->unsaid = true;
    if (k < 4) i = scaled[k][1];
  }
  number n = make(q, width_of(i), int_text(q, i, width_of(i)));
  n.known = true;
  n.value = i;
  return n;
}

static number variable(query *q, uint8_t var) {
  number n = {.of = var_name(q, var), .width = q->width};
  n.logical = var_dtype(q, var) == UOP_BOOL;
  n.known = var_fixed(q, var, &n.value);
  return as_number(q, n);
}

static unsigned bound_width(const query *q, uint8_t var) {
  return var_dtype(q, var) == UOP_BOOL ? 2 : q->width;
}

static number bound(const query *q, uint8_t var, bool high) {
  number n = {.width = bound_width(q, var)};
  snprintf(n.of.s, sizeof n.of.s, "%s%.70s", high ? "hi_" : "lo_", var_name(q, var).s);
  return n;
}

/* ---- steps ---- */

static number binary(query *q, const char *ints, const char *bits, number a, number b,
                     unsigned width) {
  char room[32];
  a = widen(q, a, width);
  b = widen(q, b, width);
  return of_width(
      define(q, sort_of(q, width, room), "(%s %s %s)", in_ints(q) ? ints : bits, a.of.s, b.of.s),
      width);
}

static number compare(query *q, const char *ints, const char *bits, number a, number b) {
  unsigned width = a.width > b.width ? a.width : b.width;
  a = widen(q, a, width);
  b = widen(q, b, width);
  return truth(define(q, "Bool", "(%s %s %s)", in_ints(q) ? ints : bits, a.of.s, b.of.s));
}

static number pick(query *q, number when, number a, number b) {
  char room[32];
  unsigned width = a.width > b.width ? a.width : b.width;
  a = widen(q, a, width);
  b = widen(q, b, width);
  return of_width(define(q, sort_of(q, width, room), "(ite %s %s %s)", when.of.s, a.of.s, b.of.s),
                  width);
}

static number minus(query *q, number a) {
  char room[32];
  a = widen(q, a, a.width + 1);
  return of_width(
      define(q, sort_of(q, a.width, room), in_ints(q) ? "(- %s)" : "(bvneg %s)", a.of.s), a.width);
}

static number magnitude(query *q, number a) {
  number none = make(q, 1, int_text(q, 0, 1));
  return pick(q, compare(q, "<", "bvslt", a, none), minus(q, a), a);
}

/* // and %, which have no value where b is 0. */
static number divide(query *q, number a, number b, bool is_mod) {
  char room[32];
  unsigned width = (a.width > b.width ? a.width : b.width) + 1;
  word none = int_text(q, 0, width);
  a = widen(q, a, width);
  b = widen(q, b, width);
  fprintf(q->out, "(assert (not (= %s %s)))\n", b.of.s, none.s);
  if (in_ints(q)) {
    add_pair(q->division, &q->ndivisions, a.of, b.of);
    return binary(q, is_mod ? "remainder" : "quotient", "", a, b, width);
  }
  if (is_mod) return binary(q, "", "bvsmod", a, b, width);
  word one = int_text(q, 1, width);
  return of_width(define(q, sort_of(q, width, room),
                         "(ite (and (not (= (bvsrem %s %s) %s)) (xor (bvslt %s %s) (bvslt %s %s))) "
                         "(bvsub (bvsdiv %s %s) %s) (bvsdiv %s %s))",
                         a.of.s, b.of.s, none.s, a.of.s, none.s, b.of.s, none.s, a.of.s, b.of.s,
                         one.s, a.of.s, b.of.s),
                  width);
}

static number times(query *q, number a, number b) {
  return binary(q, "*", "bvmul", a, b, a.width + b.width);
}
static number plus(query *q, number a, number b) {
  return binary(q, "+", "bvadd", a, b, (a.width > b.width ? a.width : b.width) + 1);
}

static int64_t gcd(int64_t a, int64_t b) {
  for (int64_t rest; b; b = rest) {
    rest = a % b;
    a = b;
  }
  return a < 0 ? -a : a;
}

/* The g >= 0 that divides both and is a sum of multiples of both. */
static number greatest_divisor(query *q, number a, number b) {
  if (a.known && b.known) return literal(q, gcd(a.value, b.value));
  unsigned w = (a.width > b.width ? a.width : b.width) + 1;
  number g = fresh(q, w), u = fresh(q, w), v = fresh(q, w), s = fresh(q, w), t = fresh(q, w);
  number none = make(q, 1, int_text(q, 0, 1));
  number facts[] = {compare(q, ">=", "bvsge", g, none), compare(q, "=", "=", a, times(q, g, u)),
                    compare(q, "=", "=", b, times(q, g, v)),
                    compare(q, "=", "=", g, plus(q, times(q, s, a), times(q, t, b)))};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    fprintf(q->out, "(assert %s)\n", facts[i].of.s);
  if (q->nfactors + 2 <= MAX_PAIRS) {
    q->factor[q->nfactors++] = (divided){a.of, g.of, u.of, true};
    q->factor[q->nfactors++] = (divided){b.of, g.of, v.of, true};
  }
  return g;
}

static number arithmetic(query *q, expr_op op, number a, number b) {
  a = as_number(q, a);
  b = as_number(q, b);
  switch (op) {
  case EXPR_ADD: return plus(q, a, b);
  case EXPR_SUB: return binary(q, "-", "bvsub", a, b, (a.width > b.width ? a.width : b.width) + 1);
  case EXPR_MUL: return times(q, a, b);
  case EXPR_DIV: return divide(q, a, b, false);
  case EXPR_MOD: return divide(q, a, b, true);
  case EXPR_MIN: return pick(q, compare(q, "<", "bvslt", a, b), a, b);
  case EXPR_MAX: return pick(q, compare(q, "<", "bvslt", a, b), b, a);
  case EXPR_GCD: return greatest_divisor(q, a, b);
  case EXPR_LT: return compare(q, "<", "bvslt", a, b);
  case EXPR_LE: return compare(q, "<=", "bvsle", a, b);
  case EXPR_GT: return compare(q, ">", "bvsgt", a, b);
  case EXPR_GE: return compare(q, ">=", "bvsge", a, b);
  case EXPR_EQ: return compare(q, "=", "=", a, b);
  default: /* EXPR_NE */
    a = compare(q, "=", "=", a, b);
    return truth(define(q, "Bool", "(not %s)", a.of.s));
  }
}

static number logic(query *q, const char *op, number a, number b) {
  a = as_logical(q, a);
  b = as_logical(q, b);
  return truth(define(q, "Bool", "(%s %s %s)", op, a.of.s, b.of.s));
}

static number step(query *q, const rule_expr *e, number *top) { /* top[-1] is the newest */
  number a;
  switch (e->op) {
  case EXPR_INT: return literal(q, e->i);
  case EXPR_VAR: return variable(q, e->var);
  case EXPR_LO:
  case EXPR_HI: return bound(q, e->var, e->op == EXPR_HI);
  case EXPR_NEG: return minus(q, as_number(q, top[-1]));
  case EXPR_ABS: return magnitude(q, as_number(q, top[-1]));
  case EXPR_NOT: a = as_logical(q, top[-1]); return truth(define(q, "Bool", "(not %s)", a.of.s));
  case EXPR_AND: return logic(q, "and", top[-2], top[-1]);
  case EXPR_OR: return logic(q, "or", top[-2], top[-1]);
  default: return arithmetic(q, e->op, top[-2], top[-1]);
  }
}

static number calculate(query *q, uint32_t first, uint32_t n) {
  number stack[MAX_RULE_STACK + 1], *top = stack;
  for (uint32_t i = first; i < first + n; i++) {
    const rule_expr *e = &q->c->book->exprs.at[i];
    number v = step(q, e, top);
    top -= e->op <= EXPR_HI ? 0 : e->op >= EXPR_ADD ? 2 : 1;
    *top++ = v;
  }
  return stack[0];
}

/* ---- what the queries want ---- */

/* Modulo 2^width; a bool is 0 or 1. */
word write_number(query *q, uint32_t first, uint32_t n, unsigned dtype) {
  number v = as_number(q, calculate(q, first, n));
  if (dtype == UOP_BOOL) {
    v = widen(q, v, v.width < 2 ? 2 : v.width);
    word none = int_text(q, 0, v.width), one = int_text(q, 1, v.width);
    fprintf(q->out, "(assert (or (= %s %s) (= %s %s)))\n", v.of.s, none.s, v.of.s, one.s);
    return define(q, "Bool", "(= %s %s)", v.of.s, one.s);
  }
  if (dtype != UOP_I32) die("{…} that is a float cannot be said");
  if (in_ints(q)) return define(q, "I", "(wrapped %s)", v.of.s);
  if (v.width > q->width) return define(q, "I", "((_ extract %u 0) %s)", q->width - 1, v.of.s);
  return widen(q, v, q->width).of;
}

void write_condition(query *q, uint32_t first, uint32_t n) {
  if (n) fprintf(q->out, "(assert %s)\n", as_logical(q, calculate(q, first, n)).of.s);
}

static bool asks_bounds(const query *q, uint8_t var) {
  const rule_tree *r = q->c->rule;
  for (uint32_t i = r->exprs; i < r->cond + r->ncond; i++) {
    const rule_expr *e = &q->c->book->exprs.at[i];
    if ((e->op == EXPR_LO || e->op == EXPR_HI) && e->var == var) return true;
  }
  return false;
}

void write_bounds(query *q) {
  for (uint32_t v = 0; v < q->c->rule->nvars; v++) {
    char room[32];
    uint8_t var = (uint8_t)v;
    if (!asks_bounds(q, var)) continue;
    bool is_bool = var_dtype(q, var) == UOP_BOOL;
    number lo = bound(q, var, false), hi = bound(q, var, true), x = variable(q, var);
    number least = literal(q, is_bool ? 0 : INT32_MIN), most = literal(q, is_bool ? 1 : INT32_MAX);
    const char *sort = sort_of(q, bound_width(q, var), room);
    fprintf(q->out, "(declare-const %s %s)\n(declare-const %s %s)\n", lo.of.s, sort, hi.of.s, sort);
    const number order[] = {least, lo, x, hi, most};
    for (size_t i = 0; i < 4; i++) {
      number holds = compare(q, "<=", "bvsle", order[i], order[i + 1]);
      fprintf(q->out, "(assert %s)\n", holds.of.s);
    }
  }
}
