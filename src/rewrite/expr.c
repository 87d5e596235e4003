/* expr.c - reads the arithmetic of conditions and computed constants into postfix form, by
 * precedence climbing.
 *
 *   or  <  and  <  not  <  == != < <= > >=  <  + -  <  * // %  <  - (of one)
 */
#include "rewrite/read.h"

static const struct binary {
  const char *sign;
  expr_op op;
  int level;
} binaries[] = {
    {"or", EXPR_OR, 1}, {"and", EXPR_AND, 2}, {"==", EXPR_EQ, 4}, {"!=", EXPR_NE, 4},
    {"<=", EXPR_LE, 4}, {">=", EXPR_GE, 4},   {"<", EXPR_LT, 4},  {">", EXPR_GT, 4},
    {"+", EXPR_ADD, 5}, {"-", EXPR_SUB, 5},   {"*", EXPR_MUL, 6}, {"//", EXPR_DIV, 6},
    {"%", EXPR_MOD, 6},
};
enum { NOT_LEVEL = 3, COMPARE_LEVEL = 4, NEG_LEVEL = 7 };

static const struct function {
  const char *name;
  expr_op op;
  int args;
} functions[] = {
    {"min", EXPR_MIN, 2}, {"max", EXPR_MAX, 2}, {"gcd", EXPR_GCD, 2}, {"abs", EXPR_ABS, 1}};

static const struct binary *find_binary(const scan_token *t) {
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (uopi_scan_is(t, binaries[i].sign)) return &binaries[i];
  return NULL;
}

static bool emit(reader *r, expr_op op, uint8_t var, int64_t i) {
  rule_expr e = {op, var, i};
  if (!UOPI_PUSH(r->b->mem, &r->b->exprs, e)) r->b->no_memory = true;
  return !r->b->no_memory;
}

static bool read_level(reader *r, int level);

static bool read_number(reader *r) {
  int64_t i;
  if (!uopi_lex_int(&r->t.lit, &i)) return uopi_fail_here(r, "this number is beyond 64 bits");
  uopi_next(r);
  return emit(r, EXPR_INT, 0, i);
}

/* lo(x), hi(x) */
static bool read_bound(reader *r, expr_op op) {
  char room[64];
  uopi_next(r);
  if (!uopi_expect(r, "(", "around the variable")) return false;
  uint8_t v = r->t.kind == SCAN_WORD ? uopi_find_var(r, r->t.at, r->t.len) : NO_VAR;
  if (v == NO_VAR) return uopi_fail_here(r, "lo and hi are of a variable of the pattern");
  var_kind k = rule_var_of(r->b, r->tree, v)->kind;
  if (k != VAR_NODE && k != VAR_CONST)
    return uopi_fail_here(r, "%s stands for no node", uopi_rule_word(room, r->t.at, r->t.len));
  uopi_next(r);
  return uopi_expect(r, ")", "behind the variable") && emit(r, op, v, 0);
}

static bool deeper(reader *r) {
  if (++r->depth <= UOP_MAX_RULE_DEPTH) return true;
  return uopi_rule_fail(r->b, UOP_E_LIMIT, r->t.at, r->t.len,
                        "nested more than %d deep (UOP_MAX_RULE_DEPTH)", UOP_MAX_RULE_DEPTH);
}

static bool read_function(reader *r, const struct function *f) {
  if (!deeper(r)) return false;
  uopi_next(r);
  if (!uopi_expect(r, "(", "in front of what the function is of")) return false;
  for (int i = 0; i < f->args; i++) {
    if (i > 0 && !uopi_expect(r, ",", "before the second number")) return false;
    if (!read_level(r, 1)) return false;
  }
  r->depth--;
  return uopi_expect(r, ")", "behind what the function is of") && emit(r, f->op, 0, 0);
}

static bool is_number(const rule_var *v) {
  return v->kind == VAR_CONST || (v->kind == VAR_FIELD && rule_is_number(v->field));
}

static bool read_variable(reader *r) {
  char room[64];
  const char *name = uopi_rule_word(room, r->t.at, r->t.len);
  uint8_t v = uopi_find_var(r, r->t.at, r->t.len);
  if (v == NO_VAR) return uopi_fail_here(r, "%s is not in the pattern", name);
  if (!is_number(rule_var_of(r->b, r->tree, v)))
    return uopi_fail_here(r, "%s is no constant: numbers are constants, lo(x) and hi(x)", name);
  uopi_next(r);
  return emit(r, EXPR_VAR, v, 0);
}

static bool read_word(reader *r) {
  if (uopi_scan_is(&r->t, "lo")) return read_bound(r, EXPR_LO);
  if (uopi_scan_is(&r->t, "hi")) return read_bound(r, EXPR_HI);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (uopi_scan_is(&r->t, functions[i].name)) return read_function(r, &functions[i]);
  return read_variable(r);
}

static bool read_nested(reader *r, int level, expr_op op, const char *close) {
  if (!deeper(r)) return false;
  uopi_next(r);
  bool ok = read_level(r, level);
  r->depth--;
  if (!ok) return false;
  return close ? uopi_expect(r, close, "behind the expression") : emit(r, op, 0, 0);
}

static bool read_first(reader *r, int level) {
  if (uopi_scan_is(&r->t, "(")) return read_nested(r, 1, EXPR_INT, ")");
  if (uopi_scan_is(&r->t, "-")) return read_nested(r, NEG_LEVEL, EXPR_NEG, NULL);
  if (level <= NOT_LEVEL && uopi_scan_is(&r->t, "not"))
    return read_nested(r, NOT_LEVEL, EXPR_NOT, NULL);
  if (r->t.kind == SCAN_NUMBER) return read_number(r);
  if (r->t.kind == SCAN_WORD && !uopi_at_rule(r)) return read_word(r);
  return uopi_fail_here(r, "a number stands here: a constant, lo(x), hi(x) or arithmetic of them");
}

static bool read_level(reader *r, int level) {
  if (!read_first(r, level)) return false;
  for (const struct binary *b; (b = find_binary(&r->t)) && b->level >= level;) {
    uopi_next(r);
    if (!read_level(r, b->level + 1) || !emit(r, b->op, 0, 0)) return false;
    const struct binary *next = find_binary(&r->t);
    if (b->level == COMPARE_LEVEL && next && next->level == COMPARE_LEVEL)
      return uopi_fail_here(r, "comparisons do not chain: write a <= b and b < c");
  }
  return true;
}

/* How many numbers are on the stack at most. */
static bool check_stack(reader *r, size_t first, const char *at) {
  int depth = 0;
  for (size_t i = first; i < r->b->exprs.len; i++) {
    expr_op op = r->b->exprs.at[i].op;
    depth += op <= EXPR_HI ? 1 : op >= EXPR_ADD ? -1 : 0;
    if (depth > MAX_RULE_STACK)
      return uopi_rule_fail(r->b, UOP_E_LIMIT, at, 1, "this needs more than %d numbers at once",
                            MAX_RULE_STACK);
  }
  return true;
}

bool uopi_read_expr(reader *r, bool is_condition) {
  size_t first = r->b->exprs.len;
  const char *at = r->t.at;
  r->s.in_expr = true;
  uopi_next(r);
  bool ok = read_level(r, 1) && check_stack(r, first, at);
  r->s.in_expr = false;
  if (!ok) return false;
  return is_condition || uopi_expect(r, "}", "behind the expression");
}
