/* terms.c - reads the two sides of a rule. A pattern makes variables, a result uses them. */
#include "rewrite/read.h"

#include <math.h>

enum { MAX_OPERANDS = 64 }; /* that a rule writes out for one op */

/* ---- names ---- */

static const char *const field_names[FIELD_COUNT] = {"slot", "dtype", "space", "idx", "kind",
                                                     "op",   "pop",   "name",  ""};

static int find_field(const scan_token *t) {
  for (int i = 0; i < FIELD_TUPLE; i++)
    if (uopi_scan_is(t, field_names[i])) return i;
  return -1;
}

static bool is_word(const scan_token *t, const char *text) {
  if (t->len != strlen(text)) return false;
  for (size_t i = 0; i < t->len; i++) {
    char c = t->at[i];
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (c != text[i]) return false;
  }
  return true;
}

static int find_op(const scan_token *t) {
  for (int i = 0; i < UOP_OP_COUNT; i++)
    if (is_word(t, uop_op_find((uop_op)i)->text)) return i;
  return -1;
}

static int find_sugar(const scan_token *t) {
  for (int i = UOP_OP_COUNT; i < UOPI_FN_COUNT; i++)
    if (is_word(t, uopi_sugars[i - UOP_OP_COUNT].text)) return i;
  return -1;
}

static uint64_t find_op_set(const scan_token *t) {
  static const struct {
    const char *name;
    uint32_t set;
  } sets[] = {{"unary", UOP_SET_UNARY},       {"binary", UOP_SET_BINARY},
              {"alu", UOP_SET_ALU},           {"commutative", UOP_SET_COMMUTATIVE},
              {"movement", UOP_SET_MOVEMENT}, {"any", 0}};
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
    uint64_t ops = 0;
    if (!is_word(t, sets[k].name)) continue;
    for (int i = 0; i < UOP_OP_COUNT; i++)
      if (!sets[k].set || (uop_op_find((uop_op)i)->sets & sets[k].set)) ops |= UINT64_C(1) << i;
    return ops;
  }
  return 0;
}

static bool is_reserved(const scan_token *t) {
  static const char *const words[] = {"if",  "and", "or", "not", "true", "false", "inf",
                                      "nan", "lo",  "hi", "min", "max",  "abs",   "gcd"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (uopi_scan_is(t, words[i])) return true;
  return find_field(t) >= 0;
}

/* ---- variables ---- */

uint8_t uopi_find_var(const reader *r, const char *at, size_t len) {
  const rule_book *b = r->b;
  for (size_t i = r->tree->vars; i < b->vars.len; i++)
    if (b->vars.at[i].len == len && !memcmp(b->vars.at[i].at, at, len)) {
      b->vars.at[i].uses++;
      return (uint8_t)(i - r->tree->vars);
    }
  return NO_VAR;
}

static bool is_capital(const scan_token *t) { return *t->at >= 'A' && *t->at <= 'Z'; }

bool uopi_new_var(reader *r, const scan_token *t, var_kind kind, uint8_t *var) {
  char room[64];
  const char *name = uopi_rule_word(room, t->at, t->len);
  size_t n = r->b->vars.len - r->tree->vars;
  if (is_reserved(t) || find_op(t) >= 0 || find_sugar(t) >= 0)
    return uopi_rule_fail(r->b, UOP_E_NAME, t->at, t->len,
                          "%s has a meaning of its own and is no variable", name);
  if (n == MAX_RULE_VARS)
    return uopi_rule_fail(r->b, UOP_E_LIMIT, t->at, t->len, "more than %d variables in a rule",
                          MAX_RULE_VARS);
  if (is_capital(t) && kind != VAR_CONST)
    return uopi_rule_fail(r->b, UOP_E_NAME, t->at, t->len,
                          "%s begins with a capital, and so is a constant", name);
  rule_var v = {.at = t->at,
                .len = (uint32_t)t->len,
                .kind = kind,
                .uses = 1,
                .term = (uint32_t)r->b->terms.len};
  if (!UOPI_PUSH(r->b->mem, &r->b->vars, v)) return r->b->no_memory = true, false;
  *var = (uint8_t)n;
  return true;
}

/* A variable that may be new, or was there before as the same kind of thing. */
static bool pattern_var(reader *r, const scan_token *t, var_kind kind, uint8_t *var) {
  char room[64];
  if (t->len == 1 && *t->at == '_') return *var = ANY_VAR, true;
  *var = uopi_find_var(r, t->at, t->len);
  if (*var == NO_VAR) return uopi_new_var(r, t, kind, var);
  if (rule_var_of(r->b, r->tree, *var)->kind == kind) return true;
  return uopi_rule_fail(r->b, UOP_E_NAME, t->at, t->len, "%s stands for something else already",
                        uopi_rule_word(room, t->at, t->len));
}

/* ---- terms ---- */

static bool new_term(reader *r, rule_term t, uint32_t *out) {
  if (++r->side > UOP_MAX_RULE_TERMS)
    return uopi_rule_fail(r->b, UOP_E_LIMIT, t.at, t.len,
                          "a side of more than %d terms (UOP_MAX_RULE_TERMS)", UOP_MAX_RULE_TERMS);
  if (!UOPI_PUSH(r->b->mem, &r->b->terms, t)) return r->b->no_memory = true, false;
  *out = (uint32_t)r->b->terms.len - 1;
  return true;
}

static rule_term term_at(const scan_token *t, term_kind kind) {
  return (rule_term){.at = t->at,
                     .len = (uint32_t)t->len,
                     .kind = kind,
                     .var = NO_VAR,
                     .opvar = NO_VAR,
                     .rest = NO_VAR,
                     .dtypes = DTYPES_ALL,
                     .fn = -1};
}

/* :i32|bool behind what was just read */
static bool read_types(reader *r, uint8_t *dtypes) {
  static const struct {
    const char *name;
    uint8_t dtypes;
  } classes[] = {{"float", DTYPES_FLOAT}, {"number", DTYPES_FLOAT | 1 << UOP_I32}};
  if (!uopi_scan_is(&r->t, ":") || r->t.spaced) return true;
  *dtypes = 0;
  do {
    uint8_t one = 0;
    uopi_next(r);
    for (int d = 0; d < UOP_DTYPE_COUNT; d++)
      if (uopi_scan_is(&r->t, uop_dtype_name((uop_dtype)d))) one = (uint8_t)(1 << d);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
      if (uopi_scan_is(&r->t, classes[i].name)) one = classes[i].dtypes;
    if (!one)
      return uopi_fail_here(r, "a dtype stands here: bool, i32, f32, f16, void, float or number");
    *dtypes |= one;
    uopi_next(r);
  } while (uopi_scan_is(&r->t, "|"));
  return true;
}

static bool is_literal(const scan_token *t) {
  return t->kind == SCAN_NUMBER || uopi_scan_is(t, "true") || uopi_scan_is(t, "false") ||
         uopi_scan_is(t, "inf") || uopi_scan_is(t, "nan");
}

static bool read_literal(reader *r, uint32_t *out) {
  rule_term t = term_at(&r->t, TERM_LIT);
  token w = r->t.lit;
  if (r->t.kind == SCAN_WORD) w = (token){.kind = TOK_WORD, .at = r->t.at, .len = r->t.len};
  uopi_lit l;
  uopi_lex_literal(&w, &l);
  t.lit = l.kind;
  t.f = l.f;
  t.i = l.kind == UOPI_LIT_BOOL ? l.b : 0;
  if (l.kind == UOPI_LIT_INT && !uopi_lex_int(&w, &t.i))
    return uopi_fail_here(r, "this integer is beyond 64 bits");
  if (l.kind == UOPI_LIT_FLOAT && l.overflow)
    return uopi_fail_here(r, "this number is beyond the range of f32");
  uopi_next(r);
  return new_term(r, t, out);
}

/* ---- attributes ---- */

static bool push_attr(reader *r, rule_attr a) {
  if (!UOPI_PUSH(r->b->mem, &r->b->attrs, a)) r->b->no_memory = true;
  return !r->b->no_memory;
}

/* The number that a word is as the value of a field, or -1. */
static int64_t field_value(rule_field f, const scan_token *t) {
  int op = find_op(t);
  if (f == FIELD_OP) return op == UOP_ADD || op == UOP_MAX ? op : -1;
  int n = f == FIELD_DTYPE ? UOP_DTYPE_COUNT : f == FIELD_SPACE ? UOP_SPACE_COUNT : UOP_AXIS_COUNT;
  for (int i = 0; i < n; i++) {
    const char *name = f == FIELD_DTYPE   ? uop_dtype_name((uop_dtype)i)
                       : f == FIELD_SPACE ? uop_space_name((uop_space)i)
                                          : uop_axis_name((uop_axis)i);
    if (uopi_scan_is(t, name)) return i;
  }
  return -1;
}

static bool field_var(reader *r, rule_attr *a, bool is_pattern) {
  char room[64];
  const char *name = uopi_rule_word(room, r->t.at, r->t.len);
  a->kind = ATTR_VAR;
  if (is_pattern) {
    size_t n = r->b->vars.len;
    if (!pattern_var(r, &r->t, VAR_FIELD, &a->var)) return false;
    if (r->b->vars.len > n) r->b->vars.at[n].field = a->field;
    if (a->var == ANY_VAR) return uopi_fail_here(r, "leave out what may be anything");
  } else {
    a->var = uopi_find_var(r, r->t.at, r->t.len);
    if (a->var == NO_VAR) return uopi_fail_here(r, "%s is not in the pattern", name);
  }
  const rule_var *v = rule_var_of(r->b, r->tree, a->var);
  if (v->kind == VAR_FIELD &&
      (v->field == a->field || (rule_is_number(v->field) && rule_is_number(a->field))))
    return uopi_next(r), true;
  return uopi_fail_here(r, "%s is no %s", name,
                        a->field == FIELD_TUPLE ? "tuple" : field_names[a->field]);
}

static bool read_attr_value(reader *r, rule_attr *a, bool is_pattern) {
  if (rule_is_number(a->field) && r->t.kind == SCAN_NUMBER) {
    if (r->t.lit.kind != TOK_INT || !uopi_lex_int(&r->t.lit, &a->i))
      return uopi_fail_here(r, "%s is an integer", field_names[a->field]);
    return uopi_next(r), true;
  }
  if (rule_is_number(a->field) && !is_pattern && uopi_scan_is(&r->t, "{")) {
    a->kind = ATTR_EXPR;
    a->first = (uint32_t)r->b->exprs.len;
    if (!uopi_read_expr(r, false)) return false;
    a->n = (uint32_t)r->b->exprs.len - a->first;
    return true;
  }
  if (r->t.kind != SCAN_WORD)
    return uopi_fail_here(r, "a value of %s stands here", field_names[a->field]);
  if (a->field == FIELD_NAME) {
    a->kind = ATTR_NAME;
    a->name = r->t.at;
    a->name_len = (uint32_t)r->t.len;
    if (a->name_len > UOP_MAX_NAME)
      return uopi_rule_fail(r->b, UOP_E_LIMIT, r->t.at, r->t.len,
                            "a name of more than %d bytes (UOP_MAX_NAME)", UOP_MAX_NAME);
    return uopi_next(r), true;
  }
  if (!rule_is_number(a->field) && (a->i = field_value(a->field, &r->t)) >= 0)
    return uopi_next(r), true;
  return field_var(r, a, is_pattern);
}

/* Which fields an op's arg has, as bits. */
static unsigned fields_of(unsigned op) {
  enum { S = 1 << FIELD_SLOT, D = 1 << FIELD_DTYPE, SP = 1 << FIELD_SPACE };
  switch (uopi_arg_kind_of(op)) {
  case UOPI_ARG_PARAM:
  case UOPI_ARG_ALLOC: return S | D | SP;
  case UOPI_ARG_BUFFER: return S | D;
  case UOPI_ARG_NAME: return 1 << FIELD_NAME;
  case UOPI_ARG_DTYPE: return D;
  case UOPI_ARG_RANGE: return 1 << FIELD_IDX | 1 << FIELD_KIND;
  case UOPI_ARG_REDUCE: return 1 << FIELD_OP | 1 << FIELD_POP;
  case UOPI_ARG_SHAPE:
  case UOPI_ARG_AXES:
  case UOPI_ARG_PAIRS: return 1 << FIELD_TUPLE;
  default: return 0;
  }
}

static unsigned fields_of_term(const rule_term *t) {
  unsigned fields = (1u << FIELD_COUNT) - 1;
  if (t->kind != TERM_OP || !t->ops) return 0;
  for (unsigned i = 0; i < UOP_OP_COUNT; i++)
    if (t->ops >> i & 1) fields &= fields_of(i);
  return fields;
}

static bool read_attr(reader *r, rule_term *t, bool is_pattern, unsigned *given) {
  rule_attr a = {.at = r->t.at, .len = (uint32_t)r->t.len, .kind = ATTR_LIT};
  int f = find_field(&r->t);
  if (f < 0 || !(fields_of_term(t) >> f & 1)) return uopi_fail_here(r, "no attribute of this op");
  if (*given >> f & 1) return uopi_fail_here(r, "%s is given twice", field_names[f]);
  *given |= 1u << f;
  a.field = (rule_field)f;
  uopi_next(r);
  uopi_next(r); /* = */
  if (!read_attr_value(r, &a, is_pattern) || !push_attr(r, a)) return false;
  t->nattrs++;
  return true;
}

/* ((0, 2), (1, 3)) flattened, or (2, 3) */
static bool read_ints(reader *r, rule_attr *a, bool nested) {
  uopi_next(r);
  while (!uopi_scan_is(&r->t, ")")) {
    if (uopi_scan_is(&r->t, "(") && !nested) {
      if (!read_ints(r, a, true)) return false;
    } else {
      int64_t i;
      if (r->t.kind != SCAN_NUMBER || r->t.lit.kind != TOK_INT || !uopi_lex_int(&r->t.lit, &i))
        return uopi_fail_here(r, "an integer stands here");
      if (!UOPI_PUSH(r->b->mem, &r->b->ints, i)) return r->b->no_memory = true, false;
      if (++a->n > 2 * UOP_MAX_RANK)
        return uopi_rule_fail(r->b, UOP_E_LIMIT, r->t.at, r->t.len, "more than %d integers",
                              2 * UOP_MAX_RANK);
      uopi_next(r);
    }
    if (uopi_scan_is(&r->t, ","))
      uopi_next(r);
    else if (!uopi_scan_is(&r->t, ")"))
      return uopi_fail_here(r, "a comma or ) is missing here");
  }
  return uopi_next(r), true;
}

/* The positional arg: a variable or a tuple. */
static bool read_tuple(reader *r, rule_term *t, bool is_pattern) {
  rule_attr a = {.at = r->t.at,
                 .len = (uint32_t)r->t.len,
                 .field = FIELD_TUPLE,
                 .kind = ATTR_TUPLE,
                 .first = (uint32_t)r->b->ints.len};
  t->nattrs++;
  if (uopi_scan_is(&r->t, "(")) return read_ints(r, &a, false) && push_attr(r, a);
  if (r->t.kind == SCAN_WORD) return field_var(r, &a, is_pattern) && push_attr(r, a);
  return uopi_fail_here(r, "a tuple, or a variable for one, stands here");
}

/* ---- groups ---- */

typedef struct group { /* a term that is being read */
  rule_term t;
  bool is_pattern;
  const char *close;
  unsigned given; /* fields */
  bool colon;     /* attributes follow */
  uint32_t kid[MAX_OPERANDS];
} group;

static bool read_operand(reader *r, bool is_pattern, uint32_t *out);

static bool next_is(const reader *r, const char *sign) { /* right behind r->t, without a blank */
  size_t n = strlen(sign);
  return (size_t)(r->s.end - r->s.p) >= n && !memcmp(r->s.p, sign, n);
}

static bool equals_follows(const reader *r) { return next_is(r, "=") && !next_is(r, "=="); }

/* One between two operands. */
static bool read_comma(reader *r, const group *g) {
  uopi_next(r);
  bool lone = uopi_scan_is(&r->t, ",") || uopi_scan_is(&r->t, ":") || uopi_scan_is(&r->t, g->close);
  return !lone || uopi_fail_here(r, "an operand is missing here, behind the comma");
}

static bool read_rest(reader *r, group *g) {
  char room[64];
  const char *name = uopi_rule_word(room, r->t.at, r->t.len);
  bool any = r->t.len == 1 && *r->t.at == '_';
  if (g->is_pattern) {
    if (!pattern_var(r, &r->t, VAR_REST, &g->t.rest)) return false;
    if (!any && rule_var_of(r->b, r->tree, g->t.rest)->uses > 1)
      return uopi_fail_here(r, "%s... stands in the pattern twice", name);
  } else {
    g->t.rest = any ? NO_VAR : uopi_find_var(r, r->t.at, r->t.len);
    if (g->t.rest == NO_VAR || rule_var_of(r->b, r->tree, g->t.rest)->kind != VAR_REST)
      return uopi_fail_here(r, "%s... is not in the pattern", name);
  }
  uopi_next(r);
  uopi_next(r);
  return true;
}

/* One operand, attribute, colon or comma. */
static bool read_part(reader *r, group *g) {
  if (uopi_scan_is(&r->t, ":") && r->t.spaced && !g->given && !g->colon)
    return uopi_next(r), g->colon = true;
  bool named = r->t.kind == SCAN_WORD && equals_follows(r);
  if (named && find_field(&r->t) >= 0) return read_attr(r, &g->t, g->is_pattern, &g->given);
  if (named && g->colon) {
    char room[64];
    return uopi_fail_here(r, "no attribute %s", uopi_rule_word(room, r->t.at, r->t.len));
  }
  if (g->given & ~(1u << FIELD_TUPLE)) return uopi_fail_here(r, "an operand behind the attributes");
  if (g->colon) return uopi_fail_here(r, "behind the colon stand attributes, such as dtype=f32");
  if (g->t.rest != NO_VAR) return uopi_fail_here(r, "nothing may stand behind the rest");
  if (uopi_scan_is(&r->t, ",") && g->t.nkids) return read_comma(r, g);
  if (r->t.kind == SCAN_WORD && next_is(r, "...")) return read_rest(r, g);
  if (fields_of_term(&g->t) >> FIELD_TUPLE & 1 && g->t.nkids == 1) {
    if (g->given) return uopi_fail_here(r, "nothing may stand behind the tuple");
    g->given |= 1u << FIELD_TUPLE;
    return read_tuple(r, &g->t, g->is_pattern);
  }
  if (g->t.nkids == MAX_OPERANDS)
    return uopi_rule_fail(r->b, UOP_E_LIMIT, r->t.at, r->t.len, "more than %d operands",
                          (int)MAX_OPERANDS);
  return read_operand(r, g->is_pattern, &g->kid[g->t.nkids]) && (g->t.nkids++, true);
}

/* Whether an op can have this many operands. */
static bool fits(const rule_term *t, unsigned op) {
  const uop_op_info *row = uop_op_find((uop_op)op);
  return t->nkids <= row->max_src && (t->rest != NO_VAR || t->nkids >= row->min_src);
}

static bool fail_count(reader *r, const rule_term *t, const char *name, uint32_t least,
                       uint32_t most) {
  return uopi_rule_fail(r->b, UOP_E_ARITY, t->at, t->len, "%s takes %s%d operand%s, here it has %d",
                        name, least == most ? "" : "at least ", (int)least, least == 1 ? "" : "s",
                        (int)t->nkids);
}

static bool is_pair(const rule_term *t) { /* as compile.c has it */
  bool commutes = false;
  for (unsigned i = 0; i < UOP_OP_COUNT; i++)
    commutes |= (t->ops >> i & 1) && (uop_op_find((uop_op)i)->sets & UOP_SET_COMMUTATIVE);
  return commutes && t->nkids == 2 && t->rest == NO_VAR && !t->ordered;
}

static bool check_pattern(reader *r, const rule_term *t) {
  unsigned one = 0;
  if (is_pair(t) && ++r->pairs > MAX_RULE_PAIRS)
    return uopi_rule_fail(r->b, UOP_E_LIMIT, t->at, t->len,
                          "more than %d pairs of operands in either order: write some as [op x y]",
                          MAX_RULE_PAIRS);
  for (unsigned i = 0; i < UOP_OP_COUNT; i++) {
    if (!(t->ops >> i & 1)) continue;
    if (fits(t, i)) return true;
    one = i;
  }
  const uop_op_info *row = uop_op_find((uop_op)one);
  return fail_count(r, t, row->text, row->min_src, row->max_src);
}

/* All of the arg is to be said, unless it comes with the op's variable. */
static bool check_result(reader *r, const group *g) {
  const rule_term *t = &g->t;
  if (t->kind == TERM_CALL) return true;
  if (t->fn < 0) { /* as many operands as what the variable stands for may have */
    rule_term like = *t;
    like.ops = r->b->terms.at[rule_var_of(r->b, r->tree, t->opvar)->term].ops;
    like.ordered = true; /* nothing is matched */
    return check_pattern(r, &like);
  }
  if (t->fn >= UOP_OP_COUNT) {
    const uopi_sugar *s = &uopi_sugars[t->fn - UOP_OP_COUNT];
    return t->nkids == s->arity && t->rest == NO_VAR
               ? true
               : fail_count(r, t, s->text, s->arity, s->arity);
  }
  const uop_op_info *row = uop_op_find((uop_op)t->fn);
  if (uopi_is_leaf((unsigned)t->fn))
    return uopi_rule_fail(r->b, UOP_E_ARG, t->at, t->len, "a result cannot make a %s", row->text);
  if (!fits(t, (unsigned)t->fn)) return fail_count(r, t, row->text, row->min_src, row->max_src);
  unsigned missing = fields_of((unsigned)t->fn) & ~g->given;
  for (int f = 0; f < FIELD_COUNT; f++)
    if (missing >> f & 1)
      return uopi_rule_fail(r->b, UOP_E_ARG, t->at, t->len, "a result says all of the arg: %s%s",
                            f == FIELD_TUPLE ? "the tuple" : field_names[f],
                            f == FIELD_TUPLE ? "" : "=");
  return true;
}

static bool read_pattern_ops(reader *r, group *g) {
  char room[64];
  if (equals_follows(r) && r->t.kind == SCAN_WORD) {
    if (!pattern_var(r, &r->t, VAR_OP, &g->t.opvar)) return false;
    if (g->t.opvar != ANY_VAR && rule_var_of(r->b, r->tree, g->t.opvar)->uses > 1)
      return uopi_fail_here(r, "an op's variable is set once");
    if (g->t.opvar == ANY_VAR) g->t.opvar = NO_VAR;
    uopi_next(r);
    uopi_next(r);
  }
  for (;; uopi_next(r)) {
    if (r->t.kind != SCAN_WORD) return uopi_fail_here(r, "an op stands here");
    int op = find_op(&r->t), sugar = find_sugar(&r->t);
    uint64_t ops = op >= 0 ? UINT64_C(1) << op : find_op_set(&r->t);
    const char *word = uopi_rule_word(room, r->t.at, r->t.len);
    if (!ops && sugar >= 0)
      return uopi_fail_here(r, "%s is shorthand, and no op: match what it stands for, %s", word,
                            uopi_sugars[sugar - UOP_OP_COUNT].doc);
    if (!ops) return uopi_fail_here(r, "unknown op %s", word);
    g->t.ops |= ops;
    uopi_next(r);
    if (!uopi_scan_is(&r->t, "|")) return true;
  }
}

static bool read_result_op(reader *r, group *g) {
  char room[64];
  if (uopi_scan_is(&r->t, "!")) {
    g->t.kind = TERM_CALL;
    uopi_next(r);
    if (r->t.kind != SCAN_WORD) return uopi_fail_here(r, "a function's name stands here");
    g->t.fn = r->find(r->user, r->t.at, r->t.len);
    if (g->t.fn < 0)
      return uopi_fail_here(r, "no function %s is defined",
                            uopi_rule_word(room, r->t.at, r->t.len));
    return uopi_next(r), true;
  }
  if (r->t.kind != SCAN_WORD) return uopi_fail_here(r, "an op stands here");
  if ((g->t.fn = find_op(&r->t)) >= 0) g->t.ops = UINT64_C(1) << g->t.fn;
  if (g->t.fn < 0) g->t.fn = find_sugar(&r->t);
  if (g->t.fn < 0) {
    g->t.opvar = uopi_find_var(r, r->t.at, r->t.len);
    if (g->t.opvar == NO_VAR || rule_var_of(r->b, r->tree, g->t.opvar)->kind != VAR_OP)
      return uopi_fail_here(r, "unknown op %s", uopi_rule_word(room, r->t.at, r->t.len));
  }
  return uopi_next(r), true;
}

static bool finish_group(reader *r, group *g, uint32_t *out) {
  rule_book *b = r->b;
  g->t.kids = (uint32_t)b->kids.len;
  for (uint32_t i = 0; i < g->t.nkids; i++)
    if (!UOPI_PUSH(b->mem, &b->kids, g->kid[i])) return b->no_memory = true, false;
  g->t.attrs = (uint32_t)b->attrs.len - g->t.nattrs;
  g->t.len = (uint32_t)(r->t.at + 1 - g->t.at);
  if (!(g->is_pattern ? check_pattern(r, &g->t) : check_result(r, g))) return false;
  uopi_next(r);
  if (g->is_pattern && !read_types(r, &g->t.dtypes)) return false;
  if (!new_term(r, g->t, out)) return false;
  uint32_t vars = r->tree->vars;
  if (g->is_pattern && g->t.opvar != NO_VAR) b->vars.at[vars + g->t.opvar].term = *out;
  if (g->is_pattern && g->t.rest < ANY_VAR) b->vars.at[vars + g->t.rest].term = *out;
  return true;
}

/* From ( or [ on; `alias` is the x of x=(…), or NO_VAR. */
static bool read_group(reader *r, bool is_pattern, uint8_t alias, uint32_t *out) {
  group g = {.t = term_at(&r->t, TERM_OP), .is_pattern = is_pattern};
  g.t.var = alias;
  g.t.ordered = uopi_scan_is(&r->t, "[");
  g.close = g.t.ordered ? "]" : ")";
  if (++r->depth > UOP_MAX_RULE_DEPTH)
    return uopi_rule_fail(r->b, UOP_E_LIMIT, r->t.at, r->t.len,
                          "nested more than %d deep (UOP_MAX_RULE_DEPTH)", UOP_MAX_RULE_DEPTH);
  uopi_next(r);
  if (!(is_pattern ? read_pattern_ops(r, &g) : read_result_op(r, &g))) return false;
  while (!uopi_scan_is(&r->t, g.close)) {
    if (r->t.kind == SCAN_END || uopi_scan_is(&r->t, "->") || uopi_at_rule(r))
      return uopi_rule_fail(r->b, UOP_E_SYNTAX, g.t.at, 1, "this %s is never closed",
                            g.t.ordered ? "[" : "(");
    if (!read_part(r, &g)) return false;
  }
  r->depth--;
  return finish_group(r, &g, out);
}

/* ---- operands ---- */

static bool read_variable(reader *r, bool is_pattern, uint32_t *out) {
  rule_term t = term_at(&r->t, TERM_VAR);
  char room[64];
  const char *name = uopi_rule_word(room, r->t.at, r->t.len);
  if (is_pattern) {
    if (!pattern_var(r, &r->t, is_capital(&r->t) ? VAR_CONST : VAR_NODE, &t.var)) return false;
  } else {
    t.var = uopi_find_var(r, r->t.at, r->t.len);
    if (t.var == NO_VAR) return uopi_fail_here(r, "%s is not in the pattern", name);
    var_kind k = rule_var_of(r->b, r->tree, t.var)->kind;
    if (k == VAR_REST) return uopi_fail_here(r, "%s is several nodes: write %s...", name, name);
    if (k != VAR_NODE && k != VAR_CONST) return uopi_fail_here(r, "%s stands for no node", name);
  }
  uopi_next(r);
  return (!is_pattern || read_types(r, &t.dtypes)) && new_term(r, t, out);
}

/* x=(…) */
static bool read_alias(reader *r, uint32_t *out) {
  char room[64];
  uint8_t v;
  scan_token name = r->t;
  uopi_next(r);
  uopi_next(r);
  if (!uopi_scan_is(&r->t, "(") && !uopi_scan_is(&r->t, "["))
    return uopi_rule_fail(r->b, UOP_E_SYNTAX, name.at, name.len,
                          "no attribute %s; as a name for what is matched, it stands before ( or [",
                          uopi_rule_word(room, name.at, name.len));
  if (uopi_find_var(r, name.at, name.len) != NO_VAR)
    return uopi_rule_fail(r->b, UOP_E_NAME, name.at, name.len, "this variable is set already");
  if (!uopi_new_var(r, &name, VAR_NODE, &v) || !read_group(r, true, v, out)) return false;
  r->b->vars.at[r->tree->vars + v].term = *out;
  return true;
}

static bool read_computed(reader *r, uint32_t *out) {
  rule_term t = term_at(&r->t, TERM_EXPR);
  t.expr = (uint32_t)r->b->exprs.len;
  if (!uopi_read_expr(r, false)) return false;
  t.nexpr = (uint32_t)r->b->exprs.len - t.expr;
  t.len = (uint32_t)(r->last - t.at);
  return new_term(r, t, out);
}

static bool read_operand(reader *r, bool is_pattern, uint32_t *out) {
  if (uopi_scan_is(&r->t, "(") || uopi_scan_is(&r->t, "["))
    return read_group(r, is_pattern, NO_VAR, out);
  if (is_literal(&r->t)) return read_literal(r, out);
  if (!is_pattern && uopi_scan_is(&r->t, "{")) return read_computed(r, out);
  if (r->t.kind == SCAN_WORD && is_pattern && equals_follows(r)) return read_alias(r, out);
  if (r->t.kind == SCAN_WORD && !uopi_at_rule(r) && (is_pattern || !uopi_scan_is(&r->t, "if")))
    return read_variable(r, is_pattern, out);
  if (r->t.kind == SCAN_BAD && r->t.lit.why) return uopi_fail_here(r, "%s", r->t.lit.why);
  return uopi_fail_here(r, is_pattern
                               ? "a pattern stands here: (op …), a variable or a literal"
                               : "a result stands here: (op …), a variable, a literal or {…}");
}

bool uopi_read_pattern(reader *r, uint32_t *out) {
  r->pairs = 0;
  r->depth = 0;
  if (!uopi_scan_is(&r->t, "(") && !uopi_scan_is(&r->t, "[") &&
      !(r->t.kind == SCAN_WORD && equals_follows(r)))
    return uopi_fail_here(r, "a pattern begins with ( and an op");
  return read_operand(r, true, out);
}

bool uopi_read_result(reader *r, uint32_t *out) {
  r->depth = 0;
  return read_operand(r, false, out);
}
