/* attrs.c - reads what a rule says of an op's arg: key=value, and a tuple by position. */
#include "rewrite/read.h"

static bool push_attr(reader *r, rule_attr a) {
  if (!UOPI_PUSH(r->b->mem, &r->b->attrs, a)) r->b->no_memory = true;
  return !r->b->no_memory;
}

/* The number that a word is as the value of a field, or -1. */
static int64_t field_value(rule_field f, const scan_token *t) {
  int op = uopi_find_op(t);
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
    if (!uopi_pattern_var(r, &r->t, VAR_FIELD, &a->var)) return false;
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
                        a->field == FIELD_TUPLE ? "tuple" : uopi_field_names[a->field]);
}

static bool read_attr_value(reader *r, rule_attr *a, bool is_pattern) {
  if (rule_is_number(a->field) && r->t.kind == SCAN_NUMBER) {
    if (r->t.lit.kind != TOK_INT || !uopi_lex_int(&r->t.lit, &a->i))
      return uopi_fail_here(r, "%s is an integer", uopi_field_names[a->field]);
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
    return uopi_fail_here(r, "a value of %s stands here", uopi_field_names[a->field]);
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
unsigned uopi_fields_of(unsigned op) {
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

unsigned uopi_fields_of_term(const rule_term *t) {
  unsigned fields = (1u << FIELD_COUNT) - 1;
  if (t->kind != TERM_OP || !t->ops) return 0;
  for (unsigned i = 0; i < UOP_OP_COUNT; i++)
    if (t->ops >> i & 1) fields &= uopi_fields_of(i);
  return fields;
}

bool uopi_read_attr(reader *r, rule_term *t, bool is_pattern, unsigned *given) {
  rule_attr a = {.at = r->t.at, .len = (uint32_t)r->t.len, .kind = ATTR_LIT};
  int f = uopi_find_field(&r->t);
  if (f < 0 || !(uopi_fields_of_term(t) >> f & 1))
    return uopi_fail_here(r, "no attribute of this op");
  if (*given >> f & 1) return uopi_fail_here(r, "%s is given twice", uopi_field_names[f]);
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
bool uopi_read_tuple(reader *r, rule_term *t, bool is_pattern) {
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
