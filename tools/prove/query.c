/* query.c - a case as an SMT-LIB script: what the ops compute (*.smt2), the variables, the two
 * sides one value at a time, the bounds and the condition as assumptions, and last that the goal
 * does not hold.
 *
 *   v_x   the variable x      lo_v_x, hi_v_x   its bounds      e_v_x   computing it is an error
 *   nI    the I-th value      wI   value I fits i32, where it is computed
 *   left, right               the two sides; left_error, right_error
 */
#include "prove.h"

#include <stdarg.h>

/* ---- values ---- */

word define(query *q, const char *sort, const char *fmt, ...) {
  word n;
  va_list ap;
  snprintf(n.s, sizeof n.s, "n%u", q->defined++);
  fprintf(q->out, "(define-fun %s () %s ", n.s, sort);
  va_start(ap, fmt);
  vfprintf(q->out, fmt, ap);
  va_end(ap);
  fprintf(q->out, ")\n");
  return n;
}

static const char *sort_name(unsigned dtype) {
  static const char *const names[UOP_DTYPE_COUNT] = {
      [UOP_BOOL] = "Bool", [UOP_I32] = "I", [UOP_F32] = "F", [UOP_F16] = "H"};
  return names[dtype];
}

word int_text(const query *q, int64_t i, unsigned width) {
  word n;
  uint64_t magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
  const char *ints = i < 0 ? "(- %llu)" : "%llu";
  const char *bits = i < 0 ? "(bvneg (_ bv%llu %u))" : "(_ bv%llu %u)";
  snprintf(n.s, sizeof n.s, in_ints(q) ? ints : bits, (unsigned long long)magnitude, width);
  return n;
}

static word float_text(float f, unsigned dtype) {
  word n;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if (f != f) bits = 0x7fc00000;
  snprintf(n.s, sizeof n.s,
           dtype == UOP_F16 ? "(cast_f32_f16 ((_ to_fp 8 24) #x%08x))" : "((_ to_fp 8 24) #x%08x)",
           (unsigned)bits);
  return n;
}

static word literal(query *q, const rule_term *t, unsigned dtype) {
  word n;
  if (dtype == UOP_F32 || dtype == UOP_F16) return float_text(t->f, dtype);
  if (dtype == UOP_I32) {
    if (q->in == BITS8 && (t->i > 127 || t->i < -128)) q->unsaid = true;
    return int_text(q, t->i, q->width);
  }
  snprintf(n.s, sizeof n.s, t->i ? "true" : "false");
  return n;
}

/* ---- variables ---- */

static const rule_var *var_of(const query *q, uint8_t var) {
  return rule_var_of(q->c->book, q->c->rule, var);
}

static bool is_alias(const query *q, uint8_t var) { /* x=(…) */
  const rule_var *v = var_of(q, var);
  return v->kind == VAR_NODE && q->c->book->terms.at[v->term].kind == TERM_OP;
}

word var_name(const query *q, uint8_t var) {
  word n;
  if (var_of(q, var)->len > 64) die("a variable's name is too long");
  snprintf(n.s, sizeof n.s, "v_%.*s", (int)var_of(q, var)->len, var_of(q, var)->at);
  return n;
}

unsigned var_dtype(const query *q, uint8_t var) { return dtype_of(q->c, var_of(q, var)->term); }

bool var_fixed(const query *q, uint8_t var, int64_t *value) {
  unsigned n = 0;
  if (!q->fixed || var_of(q, var)->kind != VAR_CONST || var_dtype(q, var) != UOP_I32) return false;
  for (uint8_t v = 0; v < var; v++)
    n += var_of(q, v)->kind == VAR_CONST && var_dtype(q, v) == UOP_I32;
  *value = q->fixed[n];
  return true;
}

static bool is_value(const query *q, uint8_t var) {
  return var_of(q, var)->kind == VAR_NODE || var_of(q, var)->kind == VAR_CONST;
}

static void declare(query *q, const char *of, unsigned dtype) {
  fprintf(q->out, "(declare-const %s %s)\n", of, sort_name(dtype));
  if (in_ints(q) && dtype == UOP_I32) fprintf(q->out, "(assert (fits %s))\n", of);
}

static void declare_vars(query *q) {
  for (uint32_t v = 0; v < q->c->rule->nvars; v++) {
    uint8_t var = (uint8_t)v;
    if (!is_value(q, var) || is_alias(q, var)) continue;
    bool is_const = var_of(q, var)->kind == VAR_CONST;
    word n = var_name(q, var);
    int64_t value;
    if (var_fixed(q, var, &value))
      fprintf(q->out, "(define-fun %s () I %s)\n", n.s, int_text(q, value, 32).s);
    else
      declare(q, n.s, var_dtype(q, var));
    if (!q->errors) continue;
    if (is_const) fprintf(q->out, "(define-fun e_%s () Bool false)\n", n.s);
    if (!is_const) fprintf(q->out, "(declare-const e_%s Bool)\n", n.s);
  }
}

unsigned count_constants(const prove_case *c) {
  query q = {.c = c};
  unsigned n = 0;
  for (uint32_t v = 0; v < c->rule->nvars; v++)
    n += var_of(&q, (uint8_t)v)->kind == VAR_CONST && var_dtype(&q, (uint8_t)v) == UOP_I32;
  return n;
}

/* ---- sides ---- */

typedef struct side { /* a value, and whether computing it is an error of the run */
  word value, error;
} side;

static const word no_error = {"false"};

/* Over integers: this value has to fit wherever it is computed. */
static void must_fit(query *q, const word *value) {
  fprintf(q->out, "(define-fun w%u () Bool (=> (and true", q->wraps++);
  for (unsigned i = 0; i < q->nguards; i++) fprintf(q->out, " %s", q->guard[i].s);
  fprintf(q->out, ") (fits %s)))\n", value->s);
}

static word either(query *q, const side *v, unsigned n) {
  if (!q->errors) return no_error;
  return define(q, "Bool", "(or false %s %s)", v[0].error.s, n > 1 ? v[1].error.s : "");
}

/* An elementwise op of operands of dtype `of`. */
static side op_of_values(query *q, int op, unsigned dtype, unsigned of, const side *v, unsigned n) {
  side out;
  char fn[64];
  if (op == UOP_CAST && dtype == of) return v[0];
  snprintf(fn, sizeof fn, "%s_%s%s%s", uop_op_find((uop_op)op)->text,
           uop_dtype_name((uop_dtype)(op == UOP_WHERE ? dtype : of)), op == UOP_CAST ? "_" : "",
           op == UOP_CAST ? uop_dtype_name((uop_dtype)dtype) : "");
  out.value = define(q, sort_name(dtype), "(%s %s %s %s)", fn, v[0].value.s,
                     n > 1 ? v[1].value.s : "", n > 2 ? v[2].value.s : "");
  if (in_ints(q) && (op == UOP_FLOORDIV || op == UOP_FLOORMOD))
    add_pair(q->division, &q->ndivisions, v[0].value, v[1].value);
  if (in_ints(q) && op == UOP_MUL && dtype == UOP_I32)
    add_pair(q->product, &q->nproducts, v[0].value, v[1].value);
  bool can_wrap = op == UOP_ADD || op == UOP_MUL || op == UOP_FLOORDIV;
  if (q->in == INTS && dtype == UOP_I32 && can_wrap) must_fit(q, &out.value);
  if (op == UOP_WHERE && q->errors) /* it computes one branch */
    out.error = define(q, "Bool", "(or %s (ite %s %s %s))", v[0].error.s, v[0].value.s,
                       v[1].error.s, v[2].error.s);
  else
    out.error = either(q, v, n);
  return out;
}

static side number_like(query *q, int i, unsigned dtype) {
  rule_term t = {.lit = UOPI_LIT_INT, .i = i, .f = (float)i};
  return (side){literal(q, &t, dtype), no_error};
}

static side two(query *q, int op, unsigned dtype, unsigned of, side a, side b) {
  return op_of_values(q, op, dtype, of, (side[]){a, b}, 2);
}

/* What src/ir/build.c makes of the shorter names. */
static side negated(query *q, side a, unsigned d) {
  return two(q, UOP_MUL, d, d, a, number_like(q, -1, d));
}
static side inverted(query *q, side a) {
  return two(q, UOP_CMPNE, UOP_BOOL, UOP_BOOL, a, number_like(q, 1, UOP_BOOL));
}
static side equals(query *q, side a, side b, unsigned of) {
  return inverted(q, two(q, UOP_CMPNE, UOP_BOOL, of, a, b));
}
static side at_least(query *q, side a, side b, unsigned of) {
  if (of == UOP_I32 || of == UOP_BOOL) return inverted(q, two(q, UOP_CMPLT, UOP_BOOL, of, a, b));
  side above = two(q, UOP_CMPLT, UOP_BOOL, of, b, a);
  return two(q, UOP_MAX, UOP_BOOL, UOP_BOOL, above, equals(q, a, b, of));
}
static side lesser(query *q, side a, side b, unsigned d) {
  if (d == UOP_BOOL) return two(q, UOP_MUL, d, d, a, b);
  if (d != UOP_I32) return negated(q, two(q, UOP_MAX, d, d, negated(q, a, d), negated(q, b, d)), d);
  side below = two(q, UOP_CMPLT, UOP_BOOL, d, a, b);
  return op_of_values(q, UOP_WHERE, d, d, (side[]){below, a, b}, 3);
}

static side sugar_of_values(query *q, int fn, unsigned d, unsigned of, const side *v) {
  switch (fn) {
  case UOPI_FN_NEG: return negated(q, v[0], d);
  case UOPI_FN_SUB: return two(q, UOP_ADD, d, d, v[0], negated(q, v[1], d));
  case UOPI_FN_LT: return two(q, UOP_CMPLT, d, of, v[0], v[1]);
  case UOPI_FN_GT: return two(q, UOP_CMPLT, d, of, v[1], v[0]);
  case UOPI_FN_NE: return two(q, UOP_CMPNE, d, of, v[0], v[1]);
  case UOPI_FN_EQ: return equals(q, v[0], v[1], of);
  case UOPI_FN_GE: return at_least(q, v[0], v[1], of);
  case UOPI_FN_LE: return at_least(q, v[1], v[0], of);
  case UOPI_FN_MIN: return lesser(q, v[0], v[1], d);
  case UOPI_FN_AND: return two(q, UOP_MUL, d, of, v[0], v[1]);
  case UOPI_FN_OR: return two(q, UOP_MAX, d, of, v[0], v[1]);
  case UOPI_FN_NOT: return inverted(q, v[0]);
  case UOPI_FN_RELU: return two(q, UOP_MAX, d, d, v[0], number_like(q, 0, d));
  case UOPI_FN_MOD: return two(q, UOP_FLOORMOD, d, of, v[0], v[1]);
  case UOPI_FN_DIV: return two(q, UOP_FLOORDIV, d, of, v[0], v[1]);
  default: die("an op that query.c does not know");
  }
}

static side write_term(query *q, uint32_t term);

/* A branch is computed only where its condition holds. */
static side write_branch(query *q, uint32_t term, const side *when, bool holds) {
  word *g = &q->guard[q->nguards];
  if (holds) *g = when->value;
  if (!holds) *g = define(q, "Bool", "(not %s)", when->value.s);
  q->nguards++;
  side s = write_term(q, term);
  q->nguards--;
  return s;
}

static bool has_alias(const query *q) {
  for (uint32_t v = 0; v < q->c->rule->nvars; v++)
    if (is_alias(q, (uint8_t)v)) return true;
  return false;
}

static side write_any(query *q, unsigned dtype) { /* _, a RANGE */
  side s = {.error = no_error};
  snprintf(s.value.s, sizeof s.value.s, "v_any%u", q->defined++);
  declare(q, s.value.s, dtype);
  if (!q->errors) return s;
  snprintf(s.error.s, sizeof s.error.s, "e_%.70s", s.value.s);
  fprintf(q->out, "(declare-const %s Bool)\n", s.error.s);
  return s;
}

/* x=(…) is a name for what stands there. */
static void write_alias(query *q, const rule_term *t, unsigned dtype, const side *of) {
  if (t->var >= ANY_VAR) return;
  word x = var_name(q, t->var);
  fprintf(q->out, "(define-fun %s () %s %s)\n", x.s, sort_name(dtype), of->value.s);
  if (q->errors) fprintf(q->out, "(define-fun e_%s () Bool %s)\n", x.s, of->error.s);
}

static side write_op(query *q, uint32_t term) {
  const rule_term *t = &q->c->book->terms.at[term];
  int op = op_of(q->c, term);
  side kid[3] = {0};
  if (op == UOP_RANGE) {
    kid[0] = write_any(q, UOP_I32);
    write_alias(q, t, UOP_I32, &kid[0]);
    return kid[0];
  }
  /* What x=(…) stands for may be used outside of the branch in which it stands. */
  bool is_lazy = op == UOP_WHERE && !has_alias(q);
  for (uint32_t i = 0; i < t->nkids; i++) {
    uint32_t k = rule_kid(q->c->book, t, i);
    kid[i] = is_lazy && i > 0 ? write_branch(q, k, &kid[0], i == 1) : write_term(q, k);
  }
  unsigned dtype = dtype_of(q->c, term), of = dtype_of(q->c, rule_kid(q->c->book, t, 0));
  side out = op < UOP_OP_COUNT ? op_of_values(q, op, dtype, of, kid, t->nkids)
                               : sugar_of_values(q, op, dtype, of, kid);
  write_alias(q, t, dtype, &out);
  return out;
}

static side write_term(query *q, uint32_t term) {
  const rule_term *t = &q->c->book->terms.at[term];
  side s = {.error = no_error};
  unsigned dtype = dtype_of(q->c, term);
  switch (t->kind) {
  case TERM_LIT: s.value = literal(q, t, dtype); return s;
  case TERM_EXPR:
    s.value = write_number(q, t->expr, t->nexpr, dtype);
    if (q->in == INTS && dtype == UOP_I32) must_fit(q, &s.value);
    return s;
  case TERM_VAR:
    if (t->var == ANY_VAR) return write_any(q, dtype);
    s.value = var_name(q, t->var);
    if (q->errors) snprintf(s.error.s, sizeof s.error.s, "e_%.70s", s.value.s);
    return s;
  case TERM_CALL:
    s = write_term(q, rule_kid(q->c->book, t, 0));
    if (q->errors && t->fn == CALL_sure) {
      fprintf(q->out, "(assert (not %s))\n", s.error.s);
      s.error = no_error;
    }
    return s;
  default: return write_op(q, term);
  }
}

static side write_side(query *q, uint32_t term, const char *of) {
  side s = write_term(q, term);
  fprintf(q->out, "(define-fun %s () %s %s)\n", of, sort_name(dtype_of(q->c, term)), s.value.s);
  if (q->errors) fprintf(q->out, "(define-fun %s_error () Bool %s)\n", of, s.error.s);
  return s;
}

/* ---- scripts ---- */

static void include(const query *q, const char *file) {
  char path[512], line[512];
  snprintf(path, sizeof path, "%s/%s", q->smt2, file);
  FILE *f = fopen(path, "r");
  if (!f) die("%s is missing", path);
  while (fgets(line, sizeof line, f))
    if (*line != ';') fputs(line, q->out);
  fclose(f);
}

static void write_theory(query *q) {
  if (in_ints(q)) {
    fprintf(q->out,
            "(define-sort I () Int)\n(define-fun fits ((a I)) Bool "
            "(and (<= (- 2147483648) a) (<= a 2147483647)))\n"
            "(define-fun wrapped ((a I)) I %s)\n",
            q->in == INTS ? "a"
                          : "(ite (fits a) a (- (mod (+ a 2147483648) 4294967296) 2147483648))");
  } else {
    fprintf(q->out, "(define-sort I () (_ BitVec %u))\n", q->width);
    fprintf(q->out, "(define-fun zero () I (_ bv0 %u))\n", q->width);
    fprintf(q->out, "(define-fun one () I (_ bv1 %u))\n", q->width);
  }
  include(q, "bools.smt2");
  if (q->in == ABSTRACT) {
    include(q, "abstract.smt2");
    return;
  }
  include(q, in_ints(q) ? "ints.smt2" : "bits.smt2");
  if (!case_has(q->c, DTYPES_FLOAT)) return;
  include(q, q->in == SIGNS ? "signs.smt2" : "product.smt2");
  include(q, "floats.smt2");
}

static void write_goal(const query *q, goal g) {
  if (g == NEVER) return;
  if (g == NO_WRAP) {
    fprintf(q->out, "(assert (not (and true");
    for (unsigned i = 0; i < q->wraps; i++) fprintf(q->out, " w%u", i);
    fprintf(q->out, ")))\n");
  } else if (q->errors) {
    fprintf(q->out, "(assert (not left_error))\n"
                    "(assert (or right_error (not (= left right))))\n");
  } else {
    fprintf(q->out, "(assert (not (= left right)))\n");
  }
}

/* What a counterexample shows. */
static void ask_values(const query *q) {
  fprintf(q->out, "(check-sat)\n(get-value (");
  for (uint32_t v = 0; v < q->c->rule->nvars; v++)
    if (is_value(q, (uint8_t)v)) fprintf(q->out, "%s ", var_name(q, (uint8_t)v).s);
  fprintf(q->out, "left right%s))\n", q->errors ? " right_error" : "");
}

static bool has_where(const prove_case *c, uint32_t term) {
  const rule_term *t = &c->book->terms.at[term];
  int op = t->kind == TERM_OP ? op_of(c, term) : -1;
  if (op == UOP_WHERE || op == UOPI_FN_MIN) return true;
  for (uint32_t i = 0; i < t->nkids; i++)
    if (has_where(c, rule_kid(c->book, t, i))) return true;
  return false;
}

bool write_query(FILE *out, const prove_case *c, theory in, goal g, bool hints,
                 const int32_t *fixed, const char *smt2) {
  query q = {.out = out,
             .c = c,
             .in = in,
             .width = in == BITS8 ? 8 : 32,
             .fixed = fixed,
             .hints = hints,
             .smt2 = smt2,
             .errors = has_where(c, c->rule->pattern) || has_where(c, c->rule->result)};
  if ((in_ints(&q) || in == BITS8) && case_has(c, DTYPES_FLOAT)) return false;
  write_theory(&q);
  declare_vars(&q);
  write_side(&q, c->rule->pattern, "left");
  write_bounds(&q);
  write_condition(&q, c->rule->cond, c->rule->ncond);
  write_side(&q, c->rule->result, "right");
  if (hints && in_ints(&q)) write_hints(&q);
  write_goal(&q, g);
  ask_values(&q);
  return !q.unsaid && !(g == NO_WRAP && q.wraps == 0);
}
