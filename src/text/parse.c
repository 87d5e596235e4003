/* parse.c - reads a .uir program, a line at a time.
 *
 *   line       := [ %name = ] expression | %name = %name
 *   expression := op operand* [:] key=value*
 *
 * Invariants: nested expressions are kept on a heap stack, `open`, and their operands on `items`,
 * so that nesting costs no C stack. A statement that fails leaves no node behind; its name is kept
 * as failed, and what uses it is passed over, so that each fault is reported once. A reading that
 * fails leaves nothing behind at all.
 */
#include "text/parse.h"

bool uopi_fail(parser *p, uop_code code, const char *at, size_t len, const char *fmt, ...) {
  if (p->failed) return false;
  p->failed = true;
  va_list ap;
  va_start(ap, fmt);
  uopi_diag_vset(&p->error, code, -1, -1, fmt, ap);
  va_end(ap);
  p->error.line = p->line;
  p->error.column = (uint32_t)(at - p->lex.line) + 1;
  p->error.length = (uint32_t)(len ? len : 1);
  uopi_quote_line(&p->error, p->lex.line, p->lex.end, p->line);
  return false;
}

bool uopi_fail_token(parser *p, const token *t) {
  if (t->why) return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "%s", t->why);
  return uopi_fail(p, UOP_E_LIMIT, t->at, t->len, "a name of %l bytes is above %d (UOP_MAX_NAME)",
                   (int64_t)t->len - 1, UOP_MAX_NAME);
}

/* ---- operands ---- */

static bool push_item(parser *p, item it) {
  if (!UOPI_PUSH(p->mem, &p->items, it)) p->no_memory = true;
  p->open.at[p->open.len - 1].comma = false;
  return !p->no_memory;
}

static symbol_name name_of(const token *t) { return uopi_symbol_name(t->at + 1, t->len - 1); }

static bool name_operand(parser *p, const token *t, const uop **u) {
  symbol_name n = name_of(t);
  *u = uopi_symbols_find(&p->names, &n);
  if (!*u) {
    char name[UOP_MAX_NAME + 2];
    memcpy(name, t->at, t->len);
    name[t->len] = 0;
    return uopi_fail(p, UOP_E_NAME, t->at, t->len, "undefined %s", name);
  }
  p->poisoned |= *u == &uopi_failed;
  return *u != &uopi_failed;
}

static bool tuple_operand(parser *p, const token *t) {
  item it = {.kind = ITEM_TUPLE, .at = t->at};
  const char *end;
  if (!uopi_tuple(p, t, &it.first, &it.ints, &it.pairs, &end)) return false;
  it.len = (size_t)(end - t->at);
  return push_item(p, it);
}

static bool literal_operand(parser *p, const token *t) {
  item it = {.kind = ITEM_LITERAL, .at = t->at, .len = t->len};
  if (!uopi_lex_literal(t, &it.lit)) {
    char w[64];
    size_t n = t->len < 60 ? t->len : 60;
    memcpy(w, t->at, n);
    w[n] = 0;
    return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "unexpected %s (a name begins with %%)", w);
  }
  it.is_int = t->kind == TOK_INT && uopi_lex_int(t, &it.i);
  return push_item(p, it);
}

/* ---- ops ---- */

static bool same_word(const token *t, const char *text) {
  if (strlen(text) != t->len) return false;
  for (size_t i = 0; i < t->len; i++) {
    char c = t->at[i];
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (c != text[i]) return false;
  }
  return true;
}

static const char *fn_text(int fn) {
  return fn < UOP_OP_COUNT ? uop_op_find((uop_op)fn)->text : uopi_sugars[fn - UOP_OP_COUNT].text;
}

/* Of a word in either case: its length, and its first and last letter. */
static unsigned fn_hash(const char *at, size_t len) {
  unsigned first = (unsigned char)at[0] & 31, last = (unsigned char)at[len - 1] & 31;
  return ((unsigned)len * 7 + first * 5 + last * 3) & (FN_SLOTS - 1);
}

/* The op names by open addressing, made anew by each reading: there are few, and no globals. */
static void make_fn_table(parser *p) {
  for (int i = 0; i < UOPI_FN_COUNT; i++) {
    unsigned k = fn_hash(fn_text(i), strlen(fn_text(i)));
    while (p->fns[k]) k = (k + 1) & (FN_SLOTS - 1);
    p->fns[k] = (uint8_t)(i + 1);
  }
}

static int find_fn(const parser *p, const token *t) {
  for (unsigned k = fn_hash(t->at, t->len); p->fns[k]; k = (k + 1) & (FN_SLOTS - 1))
    if (same_word(t, fn_text(p->fns[k] - 1))) return p->fns[k] - 1;
  return -1;
}

/* An expression begins at the op `t`; `paren` is its "(", NULL for the statement itself. */
static bool open_expression(parser *p, const token *t, const char *paren) {
  if (t->kind == TOK_BAD) return uopi_fail_token(p, t);
  if (t->kind == TOK_LPAREN)
    return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "an op stands here, without parentheses");
  if (t->kind != TOK_WORD)
    return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "an op is missing here");
  int fn = find_fn(p, t);
  if (fn < 0) {
    char w[64];
    size_t n = t->len < 60 ? t->len : 60;
    memcpy(w, t->at, n);
    w[n] = 0;
    return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "unknown op %s", w);
  }
  if (p->open.len > UOP_MAX_NESTING)
    return uopi_fail(p, UOP_E_LIMIT, paren, 1, "more than %d parentheses open (UOP_MAX_NESTING)",
                     UOP_MAX_NESTING);
  open_expr e = {.fn = fn, .at = t->at, .len = t->len, .paren = paren, .first_item = p->items.len};
  if (!UOPI_PUSH(p->mem, &p->open, e)) p->no_memory = true;
  return !p->no_memory;
}

/* Every ASSERT is a root, wherever it stands. */
static bool note_assert(parser *p, const uop *u) {
  bool fresh;
  if (u->op != UOP_ASSERT) return true;
  if (!uopi_map_put(&p->asserts, u->id, &fresh) ||
      (fresh && !UOPI_PUSH(p->mem, &p->prog->asserts, u)))
    p->no_memory = true;
  return !p->no_memory;
}

/* The innermost expression is complete: it becomes an operand of the one around it, or *result. */
static bool close_expression(parser *p, const char *end, const uop **result) {
  open_expr *e = &p->open.at[p->open.len - 1];
  if (e->comma) return uopi_fail(p, UOP_E_SYNTAX, end, 1, "an operand is missing after the comma");
  const uop *u = uopi_finish(p, e);
  if (!u || !note_assert(p, u)) return false;
  p->prog->has_index |= u->op == UOP_INDEX;
  const char *at = e->paren;
  p->items.len = e->first_item;
  p->open.len--;
  if (at)
    return push_item(p,
                     (item){.kind = ITEM_NODE, .at = at, .len = (size_t)(end + 1 - at), .node = u});
  *result = u;
  return true;
}

/* ---- expressions ---- */

static bool is_operand(tok_kind k) {
  return k == TOK_NAME || k == TOK_WORD || k == TOK_INT || k == TOK_FLOAT || k == TOK_LPAREN;
}

/* Before an operand: not after attributes, and separated from what stands before it. */
static bool may_begin(parser *p, const open_expr *e, const token *t) {
  if (e->colon || e->keys)
    return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "an operand after the attributes");
  char before = t->at > p->lex.line ? t->at[-1] : ' ';
  if (t->spaced || t->kind == TOK_LPAREN || before == ',' || before == ')' || before == '(')
    return true;
  return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "a blank or a comma is missing before this");
}

static bool operand(parser *p, const token *t) {
  if (!may_begin(p, &p->open.at[p->open.len - 1], t)) return false;
  if (t->kind == TOK_LPAREN) {
    if (!uopi_lex_word_follows(&p->lex)) return tuple_operand(p, t);
    token op = uopi_lex(&p->lex);
    p->open.at[p->open.len - 1].comma = false;
    return open_expression(p, &op, t->at);
  }
  if (t->kind != TOK_NAME) return literal_operand(p, t);
  item it = {.kind = ITEM_NODE, .at = t->at, .len = t->len};
  return name_operand(p, t, &it.node) && push_item(p, it);
}

static bool comma(parser *p, const token *t) {
  open_expr *e = &p->open.at[p->open.len - 1];
  if (e->colon || e->keys) return uopi_fail(p, UOP_E_SYNTAX, t->at, 1, "a comma among attributes");
  if (e->comma) return uopi_fail(p, UOP_E_SYNTAX, t->at, 1, "a doubled comma");
  if (p->items.len == e->first_item)
    return uopi_fail(p, UOP_E_SYNTAX, t->at, 1, "a comma before the first operand");
  return e->comma = true;
}

static bool colon(parser *p, const token *t) {
  open_expr *e = &p->open.at[p->open.len - 1];
  if (e->colon || e->keys) return uopi_fail(p, UOP_E_SYNTAX, t->at, 1, "unexpected :");
  if (e->comma)
    return uopi_fail(p, UOP_E_SYNTAX, t->at, 1, "an operand is missing after the comma");
  return e->colon = true;
}

static bool attribute(parser *p, const token *t) {
  open_expr *e = &p->open.at[p->open.len - 1];
  if (e->comma)
    return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "an operand is missing after the comma");
  if (!t->spaced && t->at[-1] != ':' && t->at[-1] != ')')
    return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "a blank is missing before this");
  return uopi_attribute(p, e, t);
}

static bool step(parser *p, const token *t, const uop **result) {
  bool nested = p->open.len > 1;
  if (t->kind == TOK_WORD && t->at + t->len < p->lex.end && t->at[t->len] == '=')
    return attribute(p, t);
  if (t->kind == TOK_WORD && uopi_lex_equals_follows(&p->lex))
    return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "no blank may stand before an attribute's =");
  if (is_operand(t->kind)) return operand(p, t);
  switch (t->kind) {
  case TOK_COMMA: return comma(p, t);
  case TOK_COLON: return colon(p, t);
  case TOK_RPAREN:
    if (!nested) return uopi_fail(p, UOP_E_SYNTAX, t->at, 1, "this ) closes nothing");
    return close_expression(p, t->at, result);
  case TOK_END:
    if (nested)
      return uopi_fail(p, UOP_E_SYNTAX, p->open.at[p->open.len - 1].paren, 1,
                       "this ( is never closed");
    return close_expression(p, t->at, result);
  case TOK_BAD: return uopi_fail_token(p, t);
  default: return uopi_fail(p, UOP_E_SYNTAX, t->at, t->len, "unexpected =");
  }
}

/* The expression from its op to the end of the line. */
static const uop *expression(parser *p, const token *op) {
  const uop *result = NULL;
  if (!open_expression(p, op, NULL)) return NULL;
  while (!result) {
    token t = uopi_lex(&p->lex);
    if (!step(p, &t, &result)) return NULL;
  }
  return result;
}

/* %n = %m: one more name for a node. */
static const uop *alias(parser *p, const token *t) {
  const uop *u = NULL;
  if (!name_operand(p, t, &u)) return NULL;
  token end = uopi_lex(&p->lex);
  if (end.kind == TOK_END) return u;
  uopi_fail(p, UOP_E_SYNTAX, end.at, end.len, "nothing may follow %%name = %%name");
  return NULL;
}

/* ---- statements ---- */

static bool reserve_statements(parser *p, size_t n) {
  return n <= p->stmt_cap ||
         uopi_grow(p->mem, (void **)&p->prog->stmts, &p->stmt_cap, n, sizeof *p->prog->stmts);
}

bool uopi_define(parser *p, const symbol_name *name, const uop *u, const char *first,
                 const char *end) {
  uop_program *prog = p->prog;
  if (prog->nstmts == p->stmt_cap && !reserve_statements(p, prog->nstmts + 1)) return false;
  if (name) {
    if (!uopi_symbols_add(&p->names, name, u)) return false;
    prog->result = u;
  }
  prog->stmts[prog->nstmts++] = (uop_stmt){.name = name ? name->at : NULL,
                                           .name_len = name ? name->len : 0,
                                           .line = p->line,
                                           .column = (uint32_t)(first - p->lex.line) + 1,
                                           .length = (uint32_t)(end - first),
                                           .node = u,
                                           .ids = p->ctx->next_id};
  return true;
}

/* The line that defined the name first. */
static uint32_t line_of(const parser *p, const symbol_name *n) {
  for (size_t i = 0; i < p->prog->nstmts; i++) {
    const uop_stmt *s = &p->prog->stmts[i];
    if (s->name && s->name_len == n->len && !memcmp(s->name, n->at, n->len)) return s->line;
  }
  return uopi_symbols_failed_line(&p->names, n);
}

static bool check_new(parser *p, const token *name) {
  symbol_name n = name_of(name);
  if (!uopi_symbols_find(&p->names, &n)) return true;
  uint32_t line = line_of(p, &n);
  char text[UOP_MAX_NAME + 2];
  memcpy(text, name->at, name->len);
  text[name->len] = 0;
  return uopi_fail(p, UOP_E_NAME, name->at, name->len, "%s is already defined on line %d", text,
                   (int)line);
}

/* Where the statement's text ends: before a comment and the blanks in front of it. */
static const char *text_end(const lexer *l) {
  const char *e = l->p;
  while (e > l->line && (e[-1] == ' ' || e[-1] == '\t')) e--;
  return e;
}

/* A second definition of the same type: what uses the name is right or wrong all the same. */
static bool has_type_of(const parser *p, const token *name, const uop *u) {
  symbol_name n = name_of(name);
  const uop *first = uopi_symbols_find(&p->names, &n);
  return first != &uopi_failed && first->dtype == u->dtype && first->shape == u->shape &&
         first->space == u->space;
}

static const char must_start[] = "statement must start with %name =";

/* The statement whose first token is `t`. False: its error, or a name that failed before. */
static bool statement(parser *p, token t) {
  token first = t, name = {.kind = TOK_END};
  if (t.kind == TOK_NAME) {
    name = t;
    t = uopi_lex(&p->lex);
    if (t.kind != TOK_EQUALS)
      return uopi_fail(p, UOP_E_SYNTAX, first.at, first.len, "%s", must_start);
    t = uopi_lex(&p->lex);
  } else if (t.kind == TOK_BAD && *t.at == '%') {
    return uopi_fail_token(p, &t);
  } else if (!(t.kind == TOK_WORD && same_word(&t, "assert"))) {
    return uopi_fail(p, UOP_E_SYNTAX, t.at, t.len, "%s", must_start);
  }
  bool named = name.kind == TOK_NAME, is_new = !named || check_new(p, &name);
  const uop *u = named && t.kind == TOK_NAME ? alias(p, &t) : expression(p, &t);
  if (!is_new) p->redefined_alike = u && has_type_of(p, &name, u);
  if (!u || !is_new) return false;
  symbol_name n = {0};
  if (named) n = name_of(&name);
  if (!uopi_define(p, named ? &n : NULL, u, first.at, text_end(&p->lex))) p->no_memory = true;
  return !p->no_memory;
}

/* The name that a failed statement was to define: of %x add …, %x = …, or with the % forgotten or
 * set apart, x = …. One that was defined before, with another type, means nothing any more. */
static bool poison_statement(parser *p, const token *first) {
  token t = *first;
  lexer l = p->lex;
  if (p->redefined_alike) return true;
  if (t.kind == TOK_BAD && t.len == 1 && *t.at == '%') { /* % x = … */
    l.p = t.at + 1;
    t = uopi_lex(&l);
  }
  bool is_name = t.kind == TOK_NAME;
  if (!is_name && t.kind != TOK_WORD && t.kind != TOK_INT) return true;
  l.p = t.at + t.len;
  if (!is_name && !uopi_lex_equals_follows(&l)) return true;
  size_t len = t.len - is_name;
  if (len > UOP_MAX_NAME) return true;
  symbol_name n = uopi_symbol_name(t.at + is_name, len);
  return uopi_symbols_fail(&p->names, &n, p->line);
}

/* False where no more lines are to be read: at the first error that is one too many. */
static bool report(parser *p) {
  p->diags->more = p->diags->len == UOP_MAX_ERRORS;
  if (p->diags->more) return false;
  if (!UOPI_PUSH(p->mem, p->diags, p->error)) p->no_memory = true;
  return !p->no_memory;
}

/* One line. False: no more lines are to be read. */
static bool read_line(parser *p) {
  token t = uopi_lex(&p->lex);
  if (t.kind == TOK_END) return true;
  p->poisoned = p->failed = p->redefined_alike = false;
  p->items.len = p->open.len = p->ints.len = 0;
  uopi_undo undo = uopi_undo_begin(p->ctx);
  size_t asserts = p->prog->asserts.len;
  if (statement(p, t)) return true;
  for (size_t i = asserts; i < p->prog->asserts.len; i++)
    uop_map_remove(&p->asserts, p->prog->asserts.at[i]);
  p->prog->asserts.len = asserts;
  uopi_undo_all(p->ctx, undo);
  if (!poison_statement(p, &t)) p->no_memory = true;
  if (p->no_memory) return false;
  return p->failed ? report(p) : true;
}

/* A line in full. The next line; NULL: no more are to be read. */
static const char *read_any_line(parser *p, const char *at, const char *end) {
  const char *nl = memchr(at, '\n', (size_t)(end - at));
  const char *stop = nl ? nl : end;
  p->lex.end = stop > at && stop[-1] == '\r' ? stop - 1 : stop;
  if ((size_t)(stop - at) > UOP_MAX_LINE) {
    p->failed = false;
    uopi_fail(p, UOP_E_LIMIT, at, 1, "a line of %l bytes is above %l (UOP_MAX_LINE)",
              (int64_t)(stop - at), (int64_t)UOP_MAX_LINE);
    if (!report(p)) return NULL;
  } else if (!read_line(p)) {
    return NULL;
  }
  return nl ? nl + 1 : end;
}

static void read_lines(parser *p) {
  const char *at = p->prog->text, *end = at + p->prog->len;
  if (end - at >= 3 && !memcmp(at, "\xef\xbb\xbf", 3)) at += 3; /* a byte order mark */
  for (p->line = 1; at < end; p->line++) {
    p->lex.line = p->lex.p = at;
    at = uopi_read_pair_line(p, at);
    if (p->no_memory || (!at && !(at = read_any_line(p, p->lex.line, end)))) return;
  }
  if (p->diags->len || p->prog->nstmts) return;
  p->line = 1;
  uopi_diag_set(&p->error, UOP_E_SYNTAX, -1, -1, "empty program");
  report(p);
}

/* ---- the whole text ---- */

static bool collect_roots(parser *p) {
  uop_program *prog = p->prog;
  if (!prog->result) prog->result = prog->stmts[prog->nstmts - 1].node; /* only asserts */
  for (size_t i = 0; i < prog->asserts.len; i++)
    if (prog->asserts.at[i] != prog->result &&
        !UOPI_PUSH(p->mem, &prog->roots, prog->asserts.at[i]))
      return false;
  return UOPI_PUSH(p->mem, &prog->roots, prog->result);
}

static uop_program *program_new(uop_ctx *ctx, const char *text, size_t len) {
  uop_program *prog = uopi_realloc(&ctx->mem, NULL, 0, sizeof *prog);
  if (!prog) return NULL;
  *prog = (uop_program){.ctx = ctx, .len = len, .first_id = ctx->next_id};
  if (len > SIZE_MAX - UOPI_TEXT_PAD ||
      !(prog->text = uopi_realloc(&ctx->mem, NULL, 0, len + UOPI_TEXT_PAD))) {
    uopi_realloc(&ctx->mem, prog, sizeof *prog, 0);
    return NULL;
  }
  if (len) memcpy(prog->text, text, len);
  memset(prog->text + len, 0, UOPI_TEXT_PAD);
  return prog;
}

static void parser_end(parser *p) {
  UOPI_DROP(p->mem, &p->items);
  UOPI_DROP(p->mem, &p->open);
  UOPI_DROP(p->mem, &p->ints);
  uopi_symbols_drop(&p->names);
  uopi_map_drop(&p->asserts);
}

/* Room for a statement a line: growing step by step would touch twice the memory. Where lines are
 * short, and may be blank, it grows all the same. */
static bool reserve_for_text(parser *p) {
  enum { SHORT_LINE = 16 };
  const uop_program *prog = p->prog;
  size_t lines = 1;
  for (size_t i = 0; i < prog->len; i++) lines += prog->text[i] == '\n';
  if (lines > prog->len / SHORT_LINE + 1) return true;
  if (!reserve_statements(p, lines)) p->no_memory = true;
  return !p->no_memory;
}

/* The array is cut to its length, which is all that uop_program_free knows. */
static bool trim_statements(parser *p) {
  uop_program *prog = p->prog;
  size_t cap = p->stmt_cap;
  if (cap == prog->nstmts) return true;
  size_t size = prog->nstmts * sizeof *prog->stmts;
  void *at = uopi_realloc(p->mem, prog->stmts, cap * sizeof *prog->stmts, size);
  if (!at && size) return false;
  prog->stmts = at;
  p->stmt_cap = prog->nstmts;
  return true;
}

uop_program *uop_program_parse(uop_ctx *ctx, const char *text, size_t len, uop_diags *diags) {
  if (!ctx) return NULL;
  uop_diags own = {0};
  uop_error_clear(ctx);
  uopi_undo undo = uopi_undo_begin(ctx);
  parser p = {.ctx = ctx, .mem = &ctx->mem, .diags = &own, .names = {.mem = &ctx->mem}};
  uopi_map_init(&p.asserts, ctx);
  make_fn_table(&p);
  p.prog = program_new(ctx, text, len);
  if (!p.prog) return uopi_no_memory(ctx);
  if (reserve_for_text(&p)) read_lines(&p);
  bool ok = !p.no_memory && !own.len && collect_roots(&p) && trim_statements(&p);
  if (!ok && !own.len) p.no_memory = true;
  for (size_t i = 0; diags && i < own.len && !p.no_memory; i++)
    if (!UOPI_PUSH(&ctx->mem, diags, own.at[i])) p.no_memory = true;
  if (diags) diags->more |= own.more;
  uop_error_clear(ctx);
  if (p.no_memory)
    uopi_no_memory(ctx);
  else if (own.len)
    ctx->error = own.at[0];
  parser_end(&p);
  uop_diags_free(ctx, &own);
  if (ok && !p.no_memory) return p.prog;
  uopi_realloc(&ctx->mem, p.prog->stmts, p.stmt_cap * sizeof *p.prog->stmts, 0);
  p.prog->stmts = NULL;
  p.prog->nstmts = 0;
  uop_program_free(p.prog);
  uopi_undo_all(ctx, undo);
  return NULL;
}

void uop_program_free(uop_program *prog) {
  if (!prog) return;
  const uopi_mem *mem = uopi_mem_of(prog->ctx);
  uopi_realloc(mem, prog->stmts, prog->nstmts * sizeof *prog->stmts, 0);
  uop_nodes_free(prog->ctx, &prog->asserts);
  uop_nodes_free(prog->ctx, &prog->roots);
  uopi_realloc(mem, prog->text, prog->len + UOPI_TEXT_PAD, 0);
  uopi_realloc(mem, prog, sizeof *prog, 0);
}

const uop *uop_parse(uop_ctx *ctx, const char *text, size_t len) {
  uop_program *prog = uop_program_parse(ctx, text, len, NULL);
  if (!prog) return NULL;
  const uop *u = prog->result;
  uop_program_free(prog);
  return u;
}
