/* cases.c - the cases of a rule: every way to give each term one dtype and each set of ops one op
 * that a node could have. What an op takes is said here once more, apart from the reader's typing,
 * which knows sets only.
 */
#include "prove.h"

/* ---- what is chosen ---- */

unsigned dtype_of(const prove_case *c, uint32_t term) {
  uint32_t root = uopi_type_root(c->book, c->book->terms.at[term].type);
  for (unsigned i = 0; i < c->ntypes; i++)
    if (c->type[i] == root) return c->dtype[i];
  die("a term without a dtype");
}

/* The pattern's term whose op a result's (o …) takes. */
static uint32_t op_source(const prove_case *c, uint32_t term) {
  const rule_term *t = &c->book->terms.at[term];
  return t->ops || t->fn >= 0 ? term : rule_var_of(c->book, c->rule, t->opvar)->term;
}

int op_of(const prove_case *c, uint32_t term) {
  const rule_term *t = &c->book->terms.at[term];
  if (t->fn >= 0) return t->fn;
  term = op_source(c, term);
  for (unsigned i = 0; i < c->nsets; i++)
    if (c->set[i] == term) return c->op[i];
  int op = 0;
  while (!(c->book->terms.at[term].ops >> op & 1)) op++;
  return op;
}

bool case_has(const prove_case *c, unsigned dtypes) {
  for (unsigned i = 0; i < c->ntypes; i++)
    if (dtypes >> c->dtype[i] & 1) return true;
  return false;
}

/* ---- what SMT-LIB can say ---- */

static const char *term_unsayable(const rule_book *b, uint32_t term) {
  const rule_term *t = &b->terms.at[term];
  if (t->kind == TERM_CALL && !is_transparent(t)) return "calls C";
  if (t->rest != NO_VAR) return "is of any number of operands";
  if (t->kind == TERM_OP && t->ops == UINT64_C(1) << UOP_RANGE && t->fn < 0)
    return NULL; /* of a pattern: some i32 */
  for (unsigned op = 0; op < UOP_OP_COUNT; op++)
    if (t->kind == TERM_OP && (t->ops >> op & 1) && !(uop_op_find((uop_op)op)->sets & UOP_SET_ALU))
      return "holds ops that are not elementwise";
  for (uint32_t i = 0; i < t->nkids; i++) {
    const char *why = term_unsayable(b, rule_kid(b, t, i));
    if (why) return why;
  }
  return NULL;
}

bool is_sayable(const rule_book *b, const rule_tree *r, const char **why) {
  *why = term_unsayable(b, r->pattern);
  if (!*why) *why = term_unsayable(b, r->result);
  return !*why;
}

/* ---- consistency ---- */

static bool is_float(unsigned d) { return DTYPES_FLOAT >> d & 1; }

static bool op_fits(int op, unsigned d, const unsigned *kid, uint32_t n) {
  const uop_op_info *row = uop_op_find((uop_op)op);
  if (n < row->min_src || n > row->max_src) return false;
  switch (op) {
  case UOP_CAST: return kid[0] != d; /* to its own dtype: no such node */
  case UOP_CMPLT:
  case UOP_CMPNE: return d == UOP_BOOL && kid[0] == kid[1];
  case UOP_WHERE: return kid[0] == UOP_BOOL && kid[1] == d && kid[2] == d;
  case UOP_FLOORDIV:
  case UOP_FLOORMOD: return d == UOP_I32 && kid[0] == d && kid[1] == d;
  case UOP_RANGE: return true;
  case UOP_ADD:
  case UOP_MUL:
  case UOP_MAX: return kid[0] == d && kid[1] == d;
  default: return is_float(d) && kid[0] == d; /* RECIP, … */
  }
}

static bool sugar_fits(int fn, unsigned d, const unsigned *kid, uint32_t n) {
  if (n > 1 && kid[0] != kid[1]) return false;
  switch (fn) {
  case UOPI_FN_LT:
  case UOPI_FN_GT:
  case UOPI_FN_NE:
  case UOPI_FN_EQ:
  case UOPI_FN_GE:
  case UOPI_FN_LE: return d == UOP_BOOL;
  default: return kid[0] == d;
  }
}

/* A dtype that is a variable is one dtype everywhere. */
static bool fields_fit(const prove_case *c, uint32_t term, int dtype_var[MAX_RULE_VARS]) {
  const rule_term *t = &c->book->terms.at[term];
  for (uint32_t i = 0; i < t->nattrs; i++) {
    const rule_attr *a = &c->book->attrs.at[t->attrs + i];
    if (a->field != FIELD_DTYPE || a->kind != ATTR_VAR) continue;
    if (dtype_var[a->var] < 0) dtype_var[a->var] = (int)dtype_of(c, term);
    if (dtype_var[a->var] != (int)dtype_of(c, term)) return false;
  }
  return true;
}

static bool term_fits(const prove_case *c, uint32_t term, int dtype_var[MAX_RULE_VARS]) {
  const rule_term *t = &c->book->terms.at[term];
  unsigned d = dtype_of(c, term), kid[4] = {0};
  if (t->kind != TERM_OP && t->kind != TERM_CALL) return true;
  for (uint32_t i = 0; i < t->nkids && i < 4; i++) {
    kid[i] = dtype_of(c, rule_kid(c->book, t, i));
    if (!term_fits(c, rule_kid(c->book, t, i), dtype_var)) return false;
  }
  if (t->kind == TERM_CALL) return kid[0] == d;
  int op = op_of(c, term);
  bool is_result_cast = op == UOP_CAST && t->fn >= 0; /* may become its source itself */
  if (op == UOP_CAST && op_source(c, term) != term && d != dtype_of(c, op_source(c, term)))
    return false;
  if (!fields_fit(c, term, dtype_var)) return false;
  if (op >= UOP_OP_COUNT) return sugar_fits(op, d, kid, t->nkids);
  return is_result_cast || op_fits(op, d, kid, t->nkids);
}

/* Where arithmetic asks for the value or the bounds of a float, the rule does not apply. */
static bool numbers_fit(const prove_case *c) {
  const rule_tree *r = c->rule;
  for (uint32_t i = r->exprs; i < r->cond + r->ncond; i++) {
    const rule_expr *e = &c->book->exprs.at[i];
    if (e->op != EXPR_VAR && e->op != EXPR_LO && e->op != EXPR_HI) continue;
    if (is_float(dtype_of(c, rule_var_of(c->book, r, e->var)->term))) return false;
  }
  return true;
}

static bool is_consistent(const prove_case *c) {
  int dtype_var[MAX_RULE_VARS];
  for (size_t i = 0; i < MAX_RULE_VARS; i++) dtype_var[i] = -1;
  return term_fits(c, c->rule->pattern, dtype_var) && term_fits(c, c->rule->result, dtype_var) &&
         numbers_fit(c);
}

/* ---- enumeration ---- */

typedef struct choices { /* of a rule: what can be chosen, and what it is called */
  prove_case c;
  unsigned dtypes[4 * MAX_OPEN];
  char type_label[4 * MAX_OPEN][32];
  uint64_t ops[MAX_OPEN];
  char op_label[MAX_OPEN][32];
} choices;

static void add_type(choices *all, uint32_t term) {
  const rule_book *b = all->c.book;
  const rule_term *t = &b->terms.at[term];
  uint32_t root = uopi_type_root(b, t->type);
  unsigned i = 0;
  while (i < all->c.ntypes && all->c.type[i] != root) i++;
  if (i == 4 * MAX_OPEN) die("too many dtypes in a rule");
  if (i == all->c.ntypes) {
    all->c.type[all->c.ntypes++] = root;
    all->dtypes[i] = b->types.at[root].dtypes & (unsigned)DTYPES_VALUE;
    snprintf(all->type_label[i], 32, "%s", term == all->c.rule->pattern ? "result" : "part");
  }
  if (t->kind == TERM_VAR && t->var < ANY_VAR) {
    const rule_var *v = rule_var_of(b, all->c.rule, t->var);
    if (v->term == term) snprintf(all->type_label[i], 32, "%.*s", (int)v->len, v->at);
  }
}

static void add_ops(choices *all, uint32_t term) {
  const rule_term *t = &all->c.book->terms.at[term];
  if (t->kind != TERM_OP || (t->ops & (t->ops - 1)) == 0) return;
  unsigned i = all->c.nsets++;
  if (i == MAX_OPEN) die("too many sets of ops in a rule");
  all->c.set[i] = term;
  all->ops[i] = t->ops;
  snprintf(all->op_label[i], 32, "op");
  if (t->opvar == NO_VAR) return;
  const rule_var *v = rule_var_of(all->c.book, all->c.rule, t->opvar);
  snprintf(all->op_label[i], 32, "%.*s", (int)v->len, v->at);
}

static void collect(choices *all, uint32_t term) {
  const rule_term *t = &all->c.book->terms.at[term];
  add_type(all, term);
  add_ops(all, term);
  for (uint32_t i = 0; i < t->nkids; i++) collect(all, rule_kid(all->c.book, t, i));
}

static void write_label(choices *all) {
  prove_case *c = &all->c;
  size_t n = 0;
  c->label[0] = 0;
  for (unsigned i = 0; i < c->nsets; i++)
    n += (size_t)snprintf(c->label + n, sizeof c->label - n, "%s%s=%s", n ? "," : "",
                          all->op_label[i], uop_op_find((uop_op)c->op[i])->text);
  for (unsigned i = 0; i < c->ntypes && n < sizeof c->label; i++)
    if (all->dtypes[i] & (all->dtypes[i] - 1))
      n += (size_t)snprintf(c->label + n, sizeof c->label - n, "%s%s:%s", n ? "," : "",
                            all->type_label[i], uop_dtype_name((uop_dtype)c->dtype[i]));
  if (n == 0) snprintf(c->label, sizeof c->label, "all");
}

static void choose_dtypes(choices *all, unsigned i, void (*each)(const prove_case *, void *),
                          void *user) {
  if (i == all->c.ntypes) {
    if (!is_consistent(&all->c)) return;
    write_label(all);
    each(&all->c, user);
    return;
  }
  for (unsigned d = 0; d < UOP_DTYPE_COUNT; d++) {
    if (!(all->dtypes[i] >> d & 1)) continue;
    all->c.dtype[i] = (uint8_t)d;
    choose_dtypes(all, i + 1, each, user);
  }
}

static void choose_ops(choices *all, unsigned i, void (*each)(const prove_case *, void *),
                       void *user) {
  if (i == all->c.nsets) {
    choose_dtypes(all, 0, each, user);
    return;
  }
  for (unsigned op = 0; op < UOP_OP_COUNT; op++) {
    if (!(all->ops[i] >> op & 1)) continue;
    all->c.op[i] = (uint8_t)op;
    choose_ops(all, i + 1, each, user);
  }
}

void each_case(const rule_book *b, const rule_tree *r, void (*each)(const prove_case *, void *),
               void *user) {
  choices *all = must(calloc(1, sizeof *all));
  all->c.book = b;
  all->c.rule = r;
  collect(all, r->pattern);
  collect(all, r->result);
  choose_ops(all, 0, each, user);
  free(all);
}
