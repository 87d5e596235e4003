/* names.c - the words of rules: ops and sets of them, parts of args, and variables. */
#include "rewrite/read.h"

/* ---- names ---- */

const char *const uopi_field_names[FIELD_COUNT] = {"slot", "dtype", "space", "idx", "kind",
                                                   "op",   "pop",   "name",  ""};

int uopi_find_field(const scan_token *t) {
  for (int i = 0; i < FIELD_TUPLE; i++)
    if (uopi_scan_is(t, uopi_field_names[i])) return i;
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

int uopi_find_op(const scan_token *t) {
  for (int i = 0; i < UOP_OP_COUNT; i++)
    if (is_word(t, uop_op_find((uop_op)i)->text)) return i;
  return -1;
}

int uopi_find_sugar(const scan_token *t) {
  for (int i = UOP_OP_COUNT; i < UOPI_FN_COUNT; i++)
    if (is_word(t, uopi_sugars[i - UOP_OP_COUNT].text)) return i;
  return -1;
}

uint64_t uopi_find_op_set(const scan_token *t) {
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
  return uopi_find_field(t) >= 0;
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

bool uopi_new_var(reader *r, const scan_token *t, var_kind kind, uint8_t *var) {
  char room[64];
  const char *name = uopi_rule_word(room, t->at, t->len);
  size_t n = r->b->vars.len - r->tree->vars;
  if (is_reserved(t) || uopi_find_op(t) >= 0 || uopi_find_sugar(t) >= 0)
    return uopi_rule_fail(r->b, UOP_E_NAME, t->at, t->len,
                          "%s has a meaning of its own and is no variable", name);
  if (n == MAX_RULE_VARS)
    return uopi_rule_fail(r->b, UOP_E_LIMIT, t->at, t->len, "more than %d variables in a rule",
                          MAX_RULE_VARS);
  if (uopi_is_capital(t) && kind != VAR_CONST)
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
bool uopi_pattern_var(reader *r, const scan_token *t, var_kind kind, uint8_t *var) {
  char room[64];
  if (t->len == 1 && *t->at == '_') return *var = ANY_VAR, true;
  *var = uopi_find_var(r, t->at, t->len);
  if (*var == NO_VAR) return uopi_new_var(r, t, kind, var);
  if (rule_var_of(r->b, r->tree, *var)->kind == kind) return true;
  return uopi_rule_fail(r->b, UOP_E_NAME, t->at, t->len, "%s stands for something else already",
                        uopi_rule_word(room, t->at, t->len));
}
