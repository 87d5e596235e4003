/* compile.c - the code of a rule: what its pattern asks, the nearest things to the root first, then
 * its condition, then what builds its result. The instructions are in rule.h.
 *
 * A register holds one node of the pattern or of the result; register 0 the root. A value holds a
 * number, or the bits of a tuple.
 */
#include "rewrite/rule.h"

typedef struct compiler {
  rule_book *b;
  rule_tree *r;
  rule_words *code;
  unsigned regs, values;
  uint8_t var_reg[MAX_RULE_VARS];   /* of VAR_NODE, VAR_CONST; of VAR_OP, VAR_REST: of their term */
  uint8_t var_value[MAX_RULE_VARS]; /* of VAR_CONST, VAR_FIELD */
  uint32_t queue[UOP_MAX_RULE_TERMS]; /* terms of the pattern */
  uint8_t queue_reg[UOP_MAX_RULE_TERMS];
  unsigned len;
} compiler;

static void put(compiler *c, uint32_t word) {
  if (!UOPI_PUSH(c->b->mem, c->code, word)) c->b->no_memory = true;
}
static void emit(compiler *c, rule_code op, unsigned a, unsigned b, unsigned d) {
  put(c, RULE_WORD(op, a, b, d));
}
static void put64(compiler *c, uint64_t v) {
  put(c, (uint32_t)v);
  put(c, (uint32_t)(v >> 32));
}
static unsigned reg(compiler *c) { return c->regs++; }

static uint32_t float_bits(float f) {
  uint32_t b;
  memcpy(&b, &f, sizeof b);
  return f != f ? UINT32_C(0x7fc00000) : b;
}

static void put_literal(compiler *c, const rule_term *t) {
  put64(c, t->lit == UOPI_LIT_FLOAT ? float_bits(t->f) : (uint64_t)t->i);
}

static void put_name(compiler *c, rule_code op, unsigned a, const rule_attr *x) {
  uint32_t words = x->name_len / 4 + 1; /* with a NUL */
  emit(c, op, a, 0, words);
  for (uint32_t i = 0; i < words; i++) {
    uint32_t w = 0;
    for (uint32_t k = 0; k < 4 && 4 * i + k < x->name_len; k++)
      w |= (uint32_t)(unsigned char)x->name[4 * i + k] << (8 * k);
    put(c, w);
  }
}

static void put_ints(compiler *c, rule_code op, unsigned a, const rule_attr *x) {
  emit(c, op, a, 0, x->n);
  for (uint32_t i = 0; i < x->n; i++) put64(c, (uint64_t)c->b->ints.at[x->first + i]);
}

/* ---- the pattern ---- */

static void match_attr(compiler *c, const rule_attr *a, unsigned r) {
  switch (a->kind) {
  case ATTR_LIT:
    emit(c, M_IS_INT, r, a->field, 0);
    put64(c, (uint64_t)a->i);
    break;
  case ATTR_VAR:
    if (c->var_value[a->var] != NO_VAR) {
      emit(c, M_IS, r, a->field, c->var_value[a->var]);
    } else {
      c->var_value[a->var] = (uint8_t)c->values++;
      emit(c, M_FIELD, r, a->field, c->var_value[a->var]);
    }
    break;
  case ATTR_TUPLE: put_ints(c, M_TUPLE, r, a); break;
  case ATTR_NAME: put_name(c, M_NAME, r, a); break;
  default: break; /* no expressions in a pattern */
  }
}

static bool is_one_op(uint64_t ops) { return (ops & (ops - 1)) == 0; }

static unsigned first_op(uint64_t ops) {
  unsigned i = 0;
  while (!(ops >> i & 1)) i++;
  return i;
}

static bool can_commute(uint64_t ops) {
  for (unsigned i = 0; i < UOP_OP_COUNT; i++)
    if ((ops >> i & 1) && (uop_op_find((uop_op)i)->sets & UOP_SET_COMMUTATIVE)) return true;
  return false;
}

/* The op and how many sources it has, as far as the op does not say it. */
static void match_op(compiler *c, const rule_term *t, unsigned r) {
  if (r != 0 && is_one_op(t->ops)) {
    emit(c, M_OP, r, first_op(t->ops), 0);
  } else if (r != 0) {
    emit(c, M_OPS, r, 0, 0);
    put64(c, t->ops);
  }
  for (unsigned i = 0; i < UOP_OP_COUNT; i++) {
    const uop_op_info *row = uop_op_find((uop_op)i);
    if (!(t->ops >> i & 1)) continue;
    if (t->rest == NO_VAR ? row->min_src == t->nkids && row->max_src == t->nkids
                          : row->min_src >= t->nkids)
      continue;
    emit(c, M_COUNT, r, t->nkids, t->rest != NO_VAR);
    return;
  }
}

static void match_kids(compiler *c, const rule_term *t, unsigned r) {
  unsigned first = c->regs;
  bool pair = t->nkids == 2 && t->rest == NO_VAR && !t->ordered && can_commute(t->ops);
  c->regs += t->nkids;
  if (pair) emit(c, M_PAIR, first, r, 0);
  for (unsigned i = 0; i < t->nkids; i++) {
    if (!pair) emit(c, M_SRC, first + i, r, i);
    c->queue[c->len] = rule_kid(c->b, t, i);
    c->queue_reg[c->len++] = (uint8_t)(first + i);
  }
}

/* The first place of a variable that is come to keeps the node; for x=(…) too it may be another one
 * than where it is written first, since what is nearer to the root comes first. False: it was
 * known.
 */
static bool keep_var(compiler *c, uint8_t var, unsigned r) {
  uint8_t *known = &c->var_reg[var];
  if (*known != NO_REG) return emit(c, M_SAME, r, *known, 0), false;
  *known = (uint8_t)r;
  return true;
}

static void match_var(compiler *c, const rule_term *t, unsigned r) {
  if (t->var == ANY_VAR || !keep_var(c, t->var, r)) return;
  if (rule_var_of(c->b, c->r, t->var)->kind != VAR_CONST) return;
  c->var_value[t->var] = (uint8_t)c->values++;
  emit(c, M_CONST, r, c->var_value[t->var], 0);
}

/* A node's dtype is asked for where the rule says it; the root's is a part of the row. */
static void match_dtype(compiler *c, const rule_term *t, unsigned r) {
  uint32_t type = uopi_type_root(c->b, t->type);
  if (c->b->types.at[type].reg == NO_REG) c->b->types.at[type].reg = (uint8_t)r;
  if (t->dtypes != DTYPES_ALL && !(t->as_root && !(c->r->dtypes & ~(unsigned)t->dtypes)))
    emit(c, M_DTYPE, r, t->dtypes, 0);
}

static void match_term(compiler *c, uint32_t term, unsigned r) {
  const rule_term *t = &c->b->terms.at[term];
  if (t->kind == TERM_VAR) match_var(c, t, r);
  if (t->kind == TERM_LIT) {
    emit(c, M_LIT, r, (unsigned)t->lit, 0);
    put_literal(c, t);
  }
  if (t->kind == TERM_OP) {
    if (t->var < ANY_VAR) keep_var(c, t->var, r);
    if (t->opvar < ANY_VAR) c->var_reg[t->opvar] = (uint8_t)r;
    if (t->rest < ANY_VAR) c->var_reg[t->rest] = (uint8_t)r;
    match_op(c, t, r);
    for (uint32_t i = 0; i < t->nattrs; i++) match_attr(c, &c->b->attrs.at[t->attrs + i], r);
    match_kids(c, t, r);
  }
  match_dtype(c, t, r);
}

/* ---- numbers ---- */

static void put_expr(compiler *c, uint32_t first, uint32_t n) {
  for (uint32_t i = first; i < first + n; i++) {
    const rule_expr *e = &c->b->exprs.at[i];
    switch (e->op) {
    case EXPR_INT:
      emit(c, E_INT, 0, 0, 0);
      put64(c, (uint64_t)e->i);
      break;
    case EXPR_VAR: emit(c, E_VALUE, c->var_value[e->var], 0, 0); break;
    case EXPR_LO: emit(c, E_LO, c->var_reg[e->var], 0, 0); break;
    case EXPR_HI: emit(c, E_HI, c->var_reg[e->var], 0, 0); break;
    default: emit(c, E_DO, e->op, 0, 0); break;
    }
  }
}

/* ---- the result ---- */

static unsigned like_of(const compiler *c, const rule_term *t) {
  return c->b->types.at[uopi_type_root(c->b, t->type)].reg;
}

/* The dtype of what has no matched node of its dtype: VOID, where the rule leaves it open. */
static unsigned dtype_of(const compiler *c, const rule_term *t) {
  unsigned dtypes = c->b->types.at[uopi_type_root(c->b, t->type)].dtypes;
  return is_one_op(dtypes) ? first_op(dtypes) : UOP_VOID;
}

static void build_attr(compiler *c, const rule_attr *a) {
  switch (a->kind) {
  case ATTR_LIT:
    emit(c, E_INT, 0, 0, 0);
    put64(c, (uint64_t)a->i);
    emit(c, B_FIELD, a->field, 0, 0);
    break;
  case ATTR_VAR: emit(c, B_VALUE_AS, a->field, c->var_value[a->var], 0); break;
  case ATTR_EXPR:
    put_expr(c, a->first, a->n);
    emit(c, B_FIELD, a->field, 0, 0);
    break;
  case ATTR_TUPLE: put_ints(c, B_TUPLE, 0, a); break;
  case ATTR_NAME: put_name(c, B_NAME, 0, a); break;
  }
}

static unsigned build_term(compiler *c, uint32_t term);

static unsigned build_op(compiler *c, const rule_term *t) {
  uint8_t kid[256];
  for (uint32_t i = 0; i < t->nkids; i++) kid[i] = (uint8_t)build_term(c, rule_kid(c->b, t, i));
  for (uint32_t i = 0; i < t->nkids; i++) emit(c, B_PUSH, kid[i], 0, 0);
  if (t->rest < ANY_VAR) {
    const rule_term *of = &c->b->terms.at[rule_var_of(c->b, c->r, t->rest)->term];
    emit(c, B_REST, c->var_reg[t->rest], of->nkids, 0);
  }
  for (uint32_t i = 0; i < t->nattrs; i++) build_attr(c, &c->b->attrs.at[t->attrs + i]);
  unsigned r = reg(c);
  if (t->kind == TERM_CALL)
    emit(c, B_CALL, r, (unsigned)t->fn, 0);
  else if (t->fn >= 0)
    emit(c, B_MAKE, r, (unsigned)t->fn, 0);
  else
    emit(c, B_LIKE, r, c->var_reg[t->opvar], 0);
  return r;
}

static unsigned build_term(compiler *c, uint32_t term) {
  const rule_term *t = &c->b->terms.at[term];
  unsigned r;
  switch (t->kind) {
  case TERM_VAR: return c->var_reg[t->var];
  case TERM_LIT:
    r = reg(c);
    emit(c, B_LIT, r, (unsigned)t->lit | dtype_of(c, t) << 4, like_of(c, t));
    put_literal(c, t);
    return r;
  case TERM_EXPR:
    put_expr(c, t->expr, t->nexpr);
    r = reg(c);
    emit(c, B_VALUE, r, dtype_of(c, t) << 4, like_of(c, t));
    return r;
  default: return build_op(c, t);
  }
}

/* ---- the row ---- */

static bool is_constant(const rule_book *b, const rule_tree *r, const rule_term *t) {
  if (t->kind == TERM_LIT) return true;
  return t->kind == TERM_VAR && t->var != ANY_VAR && rule_var_of(b, r, t->var)->kind == VAR_CONST;
}

static bool has_constant(const rule_book *b, const rule_tree *r, const rule_term *t) {
  for (uint32_t i = 0; i < t->nkids; i++)
    if (is_constant(b, r, &b->terms.at[rule_kid(b, t, i)])) return true;
  return false;
}

static rule_looks needs_of(const rule_book *b, const rule_tree *r, const rule_term *t) {
  rule_looks needs = {0, 0};
  for (uint32_t i = 0; i < t->nkids; i++) {
    const rule_term *k = &b->terms.at[rule_kid(b, t, i)];
    if (is_constant(b, r, k)) needs.ops |= RULE_CONSTANT;
    if (k->kind != TERM_OP || !is_one_op(k->ops)) continue;
    needs.ops |= k->ops;
    if (has_constant(b, r, k)) needs.with_const |= k->ops;
  }
  return needs;
}

bool uopi_rule_compile(rule_book *b, rule_tree *r, rule_words *code, rule_row *row) {
  compiler c = {.b = b, .r = r, .code = code};
  memset(c.var_reg, NO_REG, sizeof c.var_reg);
  memset(c.var_value, NO_VAR, sizeof c.var_value);
  *row = (rule_row){.ops = b->terms.at[r->pattern].ops,
                    .needs = needs_of(b, r, &b->terms.at[r->pattern]),
                    .line = r->line,
                    .dtypes = r->dtypes,
                    .code = (uint32_t)code->len};
  c.queue[c.len++] = r->pattern;
  c.queue_reg[0] = (uint8_t)reg(&c);
  for (unsigned i = 0; i < c.len; i++) match_term(&c, c.queue[i], c.queue_reg[i]);
  if (r->ncond) {
    put_expr(&c, r->cond, r->ncond);
    emit(&c, E_IF, 0, 0, 0);
  }
  const rule_term *to = &b->terms.at[r->result];
  unsigned last = build_term(&c, r->result);
  if (to->kind == TERM_LIT || to->kind == TERM_EXPR) {
    emit(&c, B_SPLAT, c.regs, last, 0);
    last = reg(&c);
  }
  emit(&c, B_DONE, last, 0, 0);
  return !b->no_memory;
}
