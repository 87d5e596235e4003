/* types.c - which dtypes the terms of a rule can have, by joining those that must be equal
 * (Hindley's and Milner's idea, with sets of dtypes for types). Shapes and spaces are left to the
 * type check of every node that is built, and to the one of each replacement.
 *
 * An op's typing is a word, a letter for the result and for each operand, the last one for all
 * further operands:
 *   a    one dtype wherever it stands, of the set given with the word
 *   B I V   bool, i32, void         x  any but void         *  any
 */
#include "rewrite/rule.h"

typedef struct typing {
  const char *word;
  uint8_t a;
} typing;

enum {
  VALUE = DTYPES_VALUE,
  FLOAT = DTYPES_FLOAT,
  NUMBER = DTYPES_FLOAT | 1 << UOP_I32,
  WHOLE = 1 << UOP_I32
};

static typing typing_of(int fn) {
  static const typing ops[UOPI_FN_COUNT] = {
      [UOP_CONST] = {"a", VALUE},      [UOP_PARAM] = {"a", VALUE},
      [UOP_CALL] = {"aax", VALUE},     [UOP_STACK] = {"aa", VALUE},
      [UOP_INDEX] = {"aaI", VALUE},    [UOP_CAST] = {"xx", VALUE},
      [UOP_RECIP] = {"aa", FLOAT},     [UOP_ADD] = {"aaa", VALUE},
      [UOP_MUL] = {"aaa", VALUE},      [UOP_CMPLT] = {"Baa", VALUE},
      [UOP_FLOORDIV] = {"aaa", WHOLE}, [UOP_FLOORMOD] = {"aaa", WHOLE},
      [UOP_WHERE] = {"aBaa", VALUE},   [UOP_CMPNE] = {"Baa", VALUE},
      [UOP_MAX] = {"aaa", VALUE},      [UOP_EXP2] = {"aa", FLOAT},
      [UOP_LOG2] = {"aa", FLOAT},      [UOP_SQRT] = {"aa", FLOAT},
      [UOP_SIN] = {"aa", FLOAT},       [UOP_BUFFER] = {"a", VALUE},
      [UOP_ALLOC] = {"a", VALUE},      [UOP_LOAD] = {"aa", VALUE},
      [UOP_STORE] = {"Vaa", VALUE},    [UOP_AFTER] = {"aa*", VALUE},
      [UOP_SINK] = {"V*", VALUE},      [UOP_RANGE] = {"II", VALUE},
      [UOP_END] = {"V*", VALUE},       [UOP_RESHAPE] = {"aa", VALUE},
      [UOP_EXPAND] = {"aa", VALUE},    [UOP_PERMUTE] = {"aa", VALUE},
      [UOP_SHRINK] = {"aa", VALUE},    [UOP_REDUCE] = {"aa", VALUE},
      [UOP_STAGE] = {"aa", VALUE},     [UOP_BARRIER] = {"V*", VALUE},
      [UOP_WMMA] = {"axxa", VALUE},    [UOP_ASSERT] = {"Vaa", VALUE},
      [UOPI_FN_NEG] = {"aa", NUMBER},  [UOPI_FN_SUB] = {"aaa", NUMBER},
      [UOPI_FN_LT] = {"Baa", VALUE},   [UOPI_FN_GT] = {"Baa", VALUE},
      [UOPI_FN_NE] = {"Baa", VALUE},   [UOPI_FN_EQ] = {"Baa", VALUE},
      [UOPI_FN_GE] = {"Baa", VALUE},   [UOPI_FN_LE] = {"Baa", VALUE},
      [UOPI_FN_MIN] = {"aaa", VALUE},  [UOPI_FN_AND] = {"BBB", VALUE},
      [UOPI_FN_OR] = {"BBB", VALUE},   [UOPI_FN_NOT] = {"BB", VALUE},
      [UOPI_FN_RELU] = {"aa", VALUE},  [UOPI_FN_MOD] = {"aaa", WHOLE},
      [UOPI_FN_DIV] = {"aaa", WHOLE},
  };
  return ops[fn];
}

static char letter(typing t, uint32_t place) { /* 0: the result */
  size_t n = strlen(t.word);
  return t.word[place < n ? place : n - 1];
}

static unsigned letter_dtypes(typing t, uint32_t place) {
  switch (letter(t, place)) {
  case 'a': return t.a;
  case 'B': return 1 << UOP_BOOL;
  case 'I': return 1 << UOP_I32;
  case 'V': return 1 << UOP_VOID;
  case 'x': return DTYPES_VALUE;
  default: return DTYPES_ALL;
  }
}

/* ---- classes ---- */

static bool new_type(rule_book *b, unsigned dtypes, uint32_t *out) {
  rule_type t = {(uint32_t)b->types.len, (uint8_t)dtypes, NO_REG};
  if (!UOPI_PUSH(b->mem, &b->types, t)) return b->no_memory = true, false;
  *out = t.parent;
  return true;
}

static const char *set_text(char room[64], unsigned dtypes) {
  char *p = room;
  for (int d = 0; d < UOP_DTYPE_COUNT; d++) {
    if (!(dtypes >> d & 1)) continue;
    const char *name = uop_dtype_name((uop_dtype)d);
    if (p > room) *p++ = '|';
    memcpy(p, name, strlen(name));
    p += strlen(name);
  }
  *p = 0;
  return room;
}

static bool fail(rule_book *b, unsigned want, unsigned is, const rule_term *at) {
  char left[64], right[64];
  return uopi_rule_fail(b, UOP_E_DTYPE, at->at, at->len, "%s is wanted here, and this is %s",
                        set_text(left, want), set_text(right, is));
}

static bool narrow(rule_book *b, uint32_t type, unsigned dtypes, const rule_term *at) {
  rule_type *t = &b->types.at[uopi_type_root(b, type)];
  if (!(t->dtypes & dtypes)) return fail(b, dtypes, t->dtypes, at);
  t->dtypes &= (uint8_t)dtypes;
  return true;
}

/* `at` is of type x, and y is what is wanted there. */
static bool join(rule_book *b, uint32_t x, uint32_t y, const rule_term *at) {
  x = uopi_type_root(b, x);
  y = uopi_type_root(b, y);
  if (x == y) return true;
  if (!(b->types.at[x].dtypes & b->types.at[y].dtypes))
    return fail(b, b->types.at[y].dtypes, b->types.at[x].dtypes, at);
  b->types.at[y].dtypes &= b->types.at[x].dtypes;
  b->types.at[x].parent = y;
  return true;
}

/* ---- terms ---- */

/* The ops that a term may stand for, as functions. */
static bool stands_for(const rule_book *b, const rule_tree *r, const rule_term *t, int fn) {
  if (t->fn >= 0) return t->fn == fn;
  uint64_t ops = t->ops; /* a pattern's; of a result's variable, those of the pattern's term */
  if (!ops && t->opvar < ANY_VAR) ops = b->terms.at[rule_var_of(b, r, t->opvar)->term].ops;
  return fn < UOP_OP_COUNT && ops >> fn & 1;
}

typedef struct place_types { /* of one place of the ops that a term may stand for */
  unsigned dtypes;
  bool same; /* all of them say `a` */
} place_types;

static place_types place_of(const rule_book *b, const rule_tree *r, const rule_term *t,
                            uint32_t place) {
  place_types p = {0, true};
  for (int fn = 0; fn < UOPI_FN_COUNT; fn++) {
    if (!stands_for(b, r, t, fn)) continue;
    p.dtypes |= letter_dtypes(typing_of(fn), place);
    p.same &= letter(typing_of(fn), place) == 'a';
  }
  return p;
}

/* dtype=f32 says what a CAST, PARAM, … is. */
static bool type_attrs(rule_book *b, const rule_term *t) {
  for (uint32_t i = 0; i < t->nattrs; i++) {
    const rule_attr *a = &b->attrs.at[t->attrs + i];
    if (a->field == FIELD_DTYPE && a->kind == ATTR_LIT && !narrow(b, t->type, 1u << a->i, t))
      return false;
  }
  return true;
}

static bool type_term(rule_book *b, const rule_tree *r, uint32_t term);

static bool type_op(rule_book *b, const rule_tree *r, uint32_t term) {
  rule_term *t = &b->terms.at[term];
  place_types of_result = place_of(b, r, t, 0);
  uint32_t a;
  if (!new_type(b, DTYPES_ALL, &a) || !new_type(b, of_result.dtypes, &t->type)) return false;
  if (of_result.same && !join(b, a, t->type, t)) return false;
  for (uint32_t i = 0; i < t->nkids; i++) {
    uint32_t kid = rule_kid(b, t, i);
    if (!type_term(b, r, kid)) return false;
    const rule_term *k = &b->terms.at[kid];
    place_types p = place_of(b, r, t, i + 1);
    if (!narrow(b, k->type, p.dtypes, k) || (p.same && !join(b, k->type, a, k))) return false;
  }
  return type_attrs(b, t);
}

/* An int literal can be of any dtype that holds it. */
static unsigned literal_dtypes(const rule_term *t) {
  if (t->lit == UOPI_LIT_BOOL) return 1 << UOP_BOOL;
  if (t->lit == UOPI_LIT_FLOAT) return DTYPES_FLOAT;
  bool is_i32 = t->i >= INT32_MIN && t->i <= INT32_MAX;
  return DTYPES_FLOAT | (is_i32 ? 1 << UOP_I32 : 0) | (t->i == 0 || t->i == 1 ? 1 << UOP_BOOL : 0);
}

static bool type_var(rule_book *b, const rule_tree *r, uint32_t term) {
  rule_term *t = &b->terms.at[term];
  if (t->var == ANY_VAR) return new_type(b, DTYPES_ALL, &t->type);
  const rule_var *v = rule_var_of(b, r, t->var);
  if (v->term == term)
    return new_type(b, v->kind == VAR_CONST ? DTYPES_VALUE : DTYPES_ALL, &t->type);
  t->type = b->terms.at[v->term].type; /* an x=(…) around this term has one already */
  return true;
}

static bool type_term(rule_book *b, const rule_tree *r, uint32_t term) {
  rule_term *t = &b->terms.at[term];
  bool ok;
  switch (t->kind) {
  case TERM_VAR: ok = type_var(b, r, term); break;
  case TERM_LIT: ok = new_type(b, literal_dtypes(t), &t->type); break;
  case TERM_EXPR: ok = new_type(b, DTYPES_VALUE, &t->type); break;
  case TERM_CALL:
    ok = new_type(b, DTYPES_ALL, &t->type);
    for (uint32_t i = 0; ok && i < t->nkids; i++) ok = type_term(b, r, rule_kid(b, t, i));
    break;
  default: ok = type_op(b, r, term); break;
  }
  t = &b->terms.at[term];
  return ok && narrow(b, t->type, t->dtypes, t);
}

/* A constant that an expression computes with is a whole number. */
static bool type_exprs(rule_book *b, const rule_tree *r) {
  for (uint32_t i = r->exprs; i < r->cond + r->ncond; i++) {
    const rule_expr *e = &b->exprs.at[i];
    if (e->op != EXPR_VAR && e->op != EXPR_LO && e->op != EXPR_HI) continue;
    const rule_var *v = rule_var_of(b, r, e->var);
    if (v->kind == VAR_FIELD) continue;
    char room[64], name[64];
    unsigned dtypes = uopi_type_of(b, v->term);
    if (dtypes & DTYPES_WHOLE) continue;
    return uopi_rule_fail(b, UOP_E_DTYPE, v->at, v->len,
                          "%s is %s, and arithmetic is of i32 and bool",
                          uopi_rule_word(name, v->at, v->len), set_text(room, dtypes));
  }
  return true;
}

/* Before the result is typed, which joins what need not be equal in what is matched. */
static void mark_as_root(rule_book *b, uint32_t term, uint32_t root) {
  rule_term *t = &b->terms.at[term];
  t->as_root = uopi_type_root(b, t->type) == root;
  t->matched = (uint8_t)uopi_type_of(b, term);
  for (uint32_t i = 0; i < t->nkids; i++) mark_as_root(b, rule_kid(b, t, i), root);
}

static bool ask(rule_book *b, const rule_term *t, unsigned want, unsigned is) {
  char x[64], y[64];
  if (!(is & ~want)) return true;
  return uopi_rule_fail(b, UOP_E_DTYPE, t->at, t->len,
                        "the result needs %s here, and this can be %s: say so, as in x:i32|f32",
                        set_text(x, want), set_text(y, is));
}

/* What only the result asks of a dtype, the pattern has to ask too: else the rule would match what
 * it cannot make. */
static bool ask_all(rule_book *b, uint32_t term) {
  const rule_term *t = &b->terms.at[term];
  if (!ask(b, t, uopi_type_of(b, term), t->matched)) return false;
  for (uint32_t i = 0; i < t->nkids; i++)
    if (!ask_all(b, rule_kid(b, t, i))) return false;
  return true;
}

bool uopi_rule_types(rule_book *b, rule_tree *r) {
  if (!type_term(b, r, r->pattern)) return false;
  r->dtypes = uopi_type_of(b, r->pattern);
  mark_as_root(b, r->pattern, uopi_type_root(b, b->terms.at[r->pattern].type));
  if (!type_term(b, r, r->result)) return false;
  const rule_term *to = &b->terms.at[r->result];
  char left[64], right[64];
  if (!(uopi_type_of(b, r->pattern) & uopi_type_of(b, r->result)))
    return uopi_rule_fail(
        b, UOP_E_DTYPE, to->at, to->len, "the two sides have no dtype in common: %s became %s",
        set_text(left, uopi_type_of(b, r->pattern)), set_text(right, uopi_type_of(b, r->result)));
  return ask_all(b, r->pattern) &&
         ask(b, &b->terms.at[r->pattern], uopi_type_of(b, r->result), r->dtypes) &&
         join(b, to->type, b->terms.at[r->pattern].type, to) && type_exprs(b, r);
}
