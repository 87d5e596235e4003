/* finish.c - attributes, and what an op makes of its operands: the arg by position and by key, then
 * the node by the same way as the C builder.
 */
#include "text/parse.h"

static const struct key {
  const char *word;
  unsigned bit;
} keys[] = {{"slot", KEY_SLOT},   {"dtype", KEY_DTYPE}, {"shape", KEY_SHAPE},
            {"space", KEY_SPACE}, {"name", KEY_NAME},   {"idx", KEY_IDX},
            {"kind", KEY_KIND},   {"op", KEY_OP},       {"pop", KEY_POP}};

static unsigned keys_of(int fn) {
  if (fn >= UOP_OP_COUNT) return 0;
  switch (uopi_arg_kind_of((unsigned)fn)) {
  case UOPI_ARG_VALUE: return KEY_DTYPE;
  case UOPI_ARG_PARAM: return KEY_SLOT | KEY_DTYPE | KEY_SHAPE | KEY_SPACE;
  case UOPI_ARG_BUFFER: return KEY_SLOT | KEY_DTYPE;
  case UOPI_ARG_ALLOC: return KEY_SLOT | KEY_DTYPE | KEY_SPACE;
  case UOPI_ARG_NAME: return KEY_NAME;
  case UOPI_ARG_DTYPE: return KEY_DTYPE;
  case UOPI_ARG_RANGE: return KEY_IDX | KEY_KIND;
  case UOPI_ARG_REDUCE: return KEY_OP | KEY_POP;
  default: return 0;
  }
}

static const char *text_of(int fn) {
  return fn < UOP_OP_COUNT ? uop_op_find((uop_op)fn)->text : uopi_sugars[fn - UOP_OP_COUNT].text;
}

/* ---- attribute values ---- */

/* A word out of names[0..n), given by the function `name`. */
#define WORD_VALUE(p, key, v, count, name, type, out)                       \
  do {                                                                      \
    for (int k_ = 0; k_ < (int)(count); k_++)                               \
      if (uopi_tok_is((v), name((type)k_))) return *(out) = (type)k_, true; \
    return bad_value((p), (key), (v));                                      \
  } while (0)

static void copy_word(char to[64], const char *at, size_t len) {
  size_t n = len < 60 ? len : 60;
  memcpy(to, at, n);
  memcpy(to + n, n < len ? "..." : "", n < len ? 4 : 1);
}

static bool bad_value(parser *p, const token *key, const token *v) {
  char k[64], w[64];
  copy_word(k, key->at, key->len);
  copy_word(w, v->at, v->len);
  if (!v->len) return uopi_fail(p, UOP_E_SYNTAX, key->at, key->len + 1, "%s= needs a value", k);
  return uopi_fail(p, UOP_E_SYNTAX, v->at, v->len, "%s=%s: no such %s", k, w, k);
}

static bool read_dtype(parser *p, const token *key, const token *v, uop_dtype *out) {
  WORD_VALUE(p, key, v, UOP_DTYPE_COUNT, uop_dtype_name, uop_dtype, out);
}
static bool read_space(parser *p, const token *key, const token *v, uop_space *out) {
  WORD_VALUE(p, key, v, UOP_SPACE_COUNT, uop_space_name, uop_space, out);
}
static bool read_kind(parser *p, const token *key, const token *v, uop_axis *out) {
  WORD_VALUE(p, key, v, UOP_AXIS_COUNT, uop_axis_name, uop_axis, out);
}
static const char *op_text(uop_op op) { return uop_op_find(op)->text; }
static bool read_op(parser *p, const token *key, const token *v, uop_op *out) {
  WORD_VALUE(p, key, v, UOP_OP_COUNT, op_text, uop_op, out);
}

static bool read_int(parser *p, const token *key, const token *v, int64_t *out) {
  char k[64], w[64];
  copy_word(k, key->at, key->len);
  copy_word(w, v->at, v->len);
  if (v->kind != TOK_INT)
    return v->len ? uopi_fail(p, UOP_E_SYNTAX, v->at, v->len, "%s=%s: an int is meant", k, w)
                  : bad_value(p, key, v);
  return uopi_lex_int(v, out) ||
         uopi_fail(p, UOP_E_LITERAL, v->at, v->len, "%s=%s is beyond 64 bits", k, w);
}

static bool read_name(parser *p, open_expr *e, const token *key, const token *v) {
  if (v->kind != TOK_WORD) {
    char w[64];
    copy_word(w, v->at, v->len);
    return v->len ? uopi_fail(p, UOP_E_SYNTAX, v->at, v->len, "name=%s is no identifier", w)
                  : bad_value(p, key, v);
  }
  if (v->len > UOP_MAX_NAME)
    return uopi_fail(p, UOP_E_LIMIT, v->at, v->len, "a name of %l bytes is above %d (UOP_MAX_NAME)",
                     (int64_t)v->len, UOP_MAX_NAME);
  e->name = v->at;
  e->name_len = v->len;
  return true;
}

static bool read_shape(parser *p, open_expr *e, const token *key, const token *v) {
  bool pairs;
  const char *end;
  if (v->kind != TOK_LPAREN)
    return v->len ? uopi_fail(p, UOP_E_SYNTAX, v->at, v->len, "shape= needs a tuple, as (2, 3)")
                  : bad_value(p, key, v);
  if (!uopi_tuple(p, v, &e->shape_first, &e->shape_len, &pairs, &end)) return false;
  return !pairs || uopi_fail(p, UOP_E_SYNTAX, v->at, (size_t)(end - v->at),
                             "shape= needs a tuple of ints, as (2, 3)");
}

static bool read_value(parser *p, open_expr *e, unsigned bit, const token *key, const token *v) {
  switch (bit) {
  case KEY_SLOT:
  case KEY_IDX:
  case KEY_POP: return read_int(p, key, v, &e->arg.num);
  case KEY_DTYPE: return read_dtype(p, key, v, &e->arg.dtype);
  case KEY_SHAPE: return read_shape(p, e, key, v);
  case KEY_SPACE: return read_space(p, key, v, &e->arg.space);
  case KEY_NAME: return read_name(p, e, key, v);
  case KEY_KIND: return read_kind(p, key, v, &e->arg.kind);
  default: return read_op(p, key, v, &e->arg.op);
  }
}

bool uopi_attribute(parser *p, open_expr *e, const token *key) {
  char k[64];
  copy_word(k, key->at, key->len);
  const struct key *found = NULL;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (uopi_tok_is(key, keys[i].word)) found = &keys[i];
  if (!found) return uopi_fail(p, UOP_E_SYNTAX, key->at, key->len, "unknown attribute %s", k);
  if (!(keys_of(e->fn) & found->bit))
    return uopi_fail(p, UOP_E_SYNTAX, key->at, key->len, "%s has no attribute %s", text_of(e->fn),
                     k);
  if (e->keys & found->bit)
    return uopi_fail(p, UOP_E_SYNTAX, key->at, key->len, "%s is given twice", k);
  e->keys |= found->bit;
  p->lex.p++; /* the "=" right behind the key */
  token v = uopi_lex(&p->lex);
  if (v.kind == TOK_BAD) return uopi_fail_token(p, &v);
  if (v.spaced)
    return uopi_fail(p, UOP_E_SYNTAX, key->at, key->len + 1,
                     "no blank may stand behind an attribute's =");
  return read_value(p, e, found->bit, key, &v);
}

/* ---- tuples ---- */

static bool expected(parser *p, const token *t, const char *what) {
  if (t->kind == TOK_BAD) return uopi_fail_token(p, t);
  return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len ? t->len : 1, "%s", what);
}

static bool push_int(parser *p, const token *t) {
  int64_t v;
  char w[64];
  copy_word(w, t->at, t->len);
  if (!uopi_lex_int(t, &v))
    return uopi_fail(p, UOP_E_LITERAL, t->at, t->len, "%s is beyond 64 bits", w);
  if (!UOPI_PUSH(p->mem, &p->ints, v)) p->no_memory = true;
  return !p->no_memory;
}

/* The pair whose "(" was just read. */
static bool read_pair(parser *p) {
  token a = uopi_lex(&p->lex);
  if (a.kind != TOK_INT) return expected(p, &a, "a tuple holds ints, or pairs of ints");
  token comma = uopi_lex(&p->lex), b = comma;
  if (comma.kind == TOK_COMMA) b = uopi_lex(&p->lex);
  if (comma.kind != TOK_COMMA || b.kind != TOK_INT)
    return expected(p, &b, "a pair has two ints, as (0, 2)");
  token t = uopi_lex(&p->lex);
  if (t.kind == TOK_COMMA) t = uopi_lex(&p->lex);
  if (t.kind != TOK_RPAREN) return expected(p, &t, "a pair has two ints, as (0, 2)");
  return push_int(p, &a) && push_int(p, &b);
}

bool uopi_tuple(parser *p, const token *paren, size_t *first, size_t *n, bool *pairs,
                const char **end) {
  *first = p->ints.len;
  *pairs = false;
  token t = uopi_lex(&p->lex);
  for (size_t i = 0; t.kind != TOK_RPAREN; i++) {
    bool is_pair = t.kind == TOK_LPAREN;
    if (t.kind == TOK_END)
      return uopi_fail(p, UOP_E_SYNTAX, paren->at, 1, "this ( is never closed");
    if (t.kind != TOK_INT && !is_pair)
      return expected(p, &t, "a tuple holds ints, or pairs of ints");
    if (i && is_pair != *pairs) return expected(p, &t, "a tuple holds ints or pairs, not both");
    *pairs = is_pair;
    if (is_pair ? !read_pair(p) : !push_int(p, &t)) return false;
    t = uopi_lex(&p->lex);
    if (t.kind == TOK_COMMA)
      t = uopi_lex(&p->lex);
    else if (t.kind != TOK_RPAREN && t.kind != TOK_END)
      return expected(p, &t, "the items of a tuple are separated by commas");
  }
  *n = p->ints.len - *first;
  *end = t.at + 1;
  return true;
}

/* ---- operands -> node ---- */

static item *items_of(parser *p, const open_expr *e, size_t *n) {
  *n = p->items.len - e->first_item;
  return *n ? p->items.at + e->first_item : NULL;
}

/* The context's error as the statement's: the caret goes under the operand it is about. */
static const uop *adopt_error(parser *p, const open_expr *e, const item *v, size_t n) {
  const uop_diag *d = &p->ctx->error;
  if (d->code == UOP_E_MEMORY) return p->no_memory = true, NULL;
  bool operand = d->operand >= 0 && (size_t)d->operand < n;
  const char *at = operand ? v[d->operand].at : e->at;
  size_t len = operand ? v[d->operand].len : e->len;
  uopi_fail(p, d->code, at, len, "%s", d->message);
  p->error.op = d->op;
  p->error.operand = d->operand;
  uop_error_clear(p->ctx);
  return NULL;
}

static const uop *build(parser *p, const open_expr *e, const item *v, size_t n,
                        const uop_arg *arg) {
  uopi_operand few[8] = {{0}}, *o = few;
  for (size_t i = 0; i < n; i++)
    if (v[i].kind == ITEM_TUPLE)
      return uopi_fail(p, UOP_E_SYNTAX, v[i].at, v[i].len, "a tuple where a value is meant"), NULL;
  if (n > 8 && !(o = uopi_realloc(p->mem, NULL, 0, n * sizeof *o)))
    return p->no_memory = true, NULL;
  for (size_t i = 0; i < n; i++) o[i] = (uopi_operand){v[i].node, v[i].lit};
  const uop *u = uopi_build(p->ctx, e->fn, o, n, arg);
  if (o != few) uopi_realloc(p->mem, o, n * sizeof *o, 0);
  return u ? u : adopt_error(p, e, v, n);
}

static const uop *finish_const(parser *p, const open_expr *e, const item *v, size_t n) {
  if (n != 1 || v->kind != ITEM_LITERAL) {
    const char *at = n == 1 ? v->at : e->at;
    uopi_fail(p, UOP_E_SYNTAX, at, n == 1 ? v->len : e->len,
              "const takes one number, true or false");
    return NULL;
  }
  uop_dtype d = e->arg.dtype;
  bool given = (e->keys & KEY_DTYPE) != 0;
  const uop *u = NULL;
  if (given && d == UOP_VOID)
    uopi_error(p->ctx, UOP_E_DTYPE, UOP_CONST, -1, "CONST of void");
  else
    u = uopi_literal(p->ctx, &v->lit, given ? d : UOP_VOID, UOP_CONST, 0);
  if (u && given && u->dtype != d)
    u = uopi_error(p->ctx, UOP_E_LITERAL, UOP_CONST, 0, "CONST: a bool is no %t (use CAST)",
                   (int)d);
  return u ? u : adopt_error(p, e, v, n);
}

/* PARAM's slot, BUFFER's and ALLOC's size: one int by position. */
static bool positional_int(parser *p, const open_expr *e, const item *v, size_t n,
                           const char *what) {
  if (n == 1 && v->kind == ITEM_LITERAL && v->is_int) return true;
  if (n == 1 && v->kind == ITEM_LITERAL && v->lit.kind == UOPI_LIT_INT) {
    char w[64];
    copy_word(w, v->at, v->len);
    return uopi_fail(p, UOP_E_LITERAL, v->at, v->len, "%s is beyond 64 bits", w);
  }
  const char *at = n ? v[n > 1].at : e->at;
  size_t len = n ? v[n > 1].len : e->len;
  return uopi_fail(p, UOP_E_SYNTAX, at, len, "%s %s", text_of(e->fn), what);
}

static const uop *finish_leaf(parser *p, open_expr *e, const item *v, size_t n) {
  uop_arg *a = &e->arg;
  if (e->fn == UOP_PARAM) {
    if (n == 0 && !(e->keys & KEY_SLOT))
      return uopi_fail(p, UOP_E_SYNTAX, e->at, e->len, "param needs a slot, as param : slot=0"),
             NULL;
    if (n && !positional_int(p, e, v, n, "takes its slot, one int")) return NULL;
    if (n && (e->keys & KEY_SLOT))
      return uopi_fail(p, UOP_E_SYNTAX, v->at, v->len, "slot is given twice"), NULL;
    if (n) a->num = v->i;
    if (e->shape_len) a->ints = p->ints.at + e->shape_first;
    a->len = e->shape_len;
  } else if (n == 1 && v->kind == ITEM_TUPLE && !v->pairs && v->ints != 1) {
    if (v->ints) a->ints = p->ints.at + v->first; /* refused as not flat */
    a->len = v->ints;
  } else {
    if (!positional_int(p, e, v, n, "takes its size, one int")) return NULL;
    a->ints = &v->i;
    a->len = 1;
  }
  if (e->fn == UOP_ALLOC && !(e->keys & KEY_SPACE)) a->space = UOP_SPACE_LOCAL;
  const uop *u = uop_make(p->ctx, (uop_op)e->fn, NULL, 0, a);
  return u ? u : adopt_error(p, e, v, n);
}

static const uop *finish_movement(parser *p, open_expr *e, const item *v, size_t n) {
  bool wants_pairs = uopi_arg_kind_of((unsigned)e->fn) == UOPI_ARG_PAIRS;
  const item *t = n ? &v[n - 1] : NULL;
  if (!t || t->kind != ITEM_TUPLE || (t->ints && t->pairs != wants_pairs)) {
    uopi_fail(p, UOP_E_SYNTAX, t ? t->at : e->at, t ? t->len : e->len, "%s needs a tuple%s",
              text_of(e->fn),
              wants_pairs ? " of pairs at the end, as ((0, 2), (1, 3))" : " at the end, as (2, 3)");
    return NULL;
  }
  if (t->ints) e->arg.ints = p->ints.at + t->first;
  e->arg.len = t->ints;
  return build(p, e, v, n - 1, &e->arg);
}

const uop *uopi_finish(parser *p, open_expr *e) {
  size_t n;
  const item *v = items_of(p, e, &n);
  if (!(e->keys & KEY_DTYPE) && e->fn != UOP_CONST) e->arg.dtype = UOP_F32;
  if (e->fn >= UOP_OP_COUNT) return build(p, e, v, n, NULL);
  switch (uopi_arg_kind_of((unsigned)e->fn)) {
  case UOPI_ARG_VALUE: return finish_const(p, e, v, n);
  case UOPI_ARG_PARAM:
  case UOPI_ARG_BUFFER:
  case UOPI_ARG_ALLOC: return finish_leaf(p, e, v, n);
  case UOPI_ARG_SHAPE:
  case UOPI_ARG_AXES:
  case UOPI_ARG_PAIRS: return finish_movement(p, e, v, n);
  case UOPI_ARG_NAME:
    memcpy(p->name, e->keys & KEY_NAME ? e->name : "f", e->keys & KEY_NAME ? e->name_len : 1);
    p->name[e->keys & KEY_NAME ? e->name_len : 1] = 0;
    e->arg.name = p->name;
    break;
  case UOPI_ARG_REDUCE:
    if (!(e->keys & KEY_OP)) e->arg.op = UOP_ADD;
    if (!(e->keys & KEY_POP)) e->arg.num = 1;
    break;
  default: break;
  }
  return build(p, e, v, n, &e->arg);
}
