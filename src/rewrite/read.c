/* read.c - reads a text of rules into trees.
 *
 *   rule    := name ':' pattern '->' result [ 'if' expr ]
 *   pattern := operand
 *   operand := [ x '=' ] group [ ':' types ] | x [ ':' types ] | literal | tuple
 *   group   := '(' head operand* [ xs '...' ] [ ':' ] attribute* ')'      the same in [ ]: in order
 *   head    := [ o '=' ] op { '|' op }        in a result: op | sugar | o | '!' function
 *   literal := as in .uir;  in a result also '{' expr '}'
 *   attribute := key '=' ( value | n | '{' expr '}' )
 *
 * After an error it goes on at the next line that begins with a rule's name.
 */
#include "rewrite/read.h"

/* ---- what is wrong ---- */

const char *uopi_rule_word(char room[64], const char *at, size_t len) {
  size_t n = len < 60 ? len : 60;
  memcpy(room, at, n);
  room[n] = 0;
  return room;
}

/* Line, column and the quoted line of a place in the text. */
static void place(const rule_book *b, uop_diag *d, const char *at, size_t len) {
  const char *line = at, *end = at;
  uint32_t number = 1;
  for (const char *p = b->text; p < at; p++) number += *p == '\n';
  while (line > b->text && line[-1] != '\n') line--;
  while (end < b->end && *end != '\n' && *end != '\r') end++;
  d->line = number;
  d->column = (uint32_t)(at - line) + 1;
  d->length = (uint32_t)(len == 0 ? 1 : at + len > end && end > at ? (size_t)(end - at) : len);
  uopi_quote_line(d, line, end, number);
}

static void report(rule_book *b, uop_diags *to, uop_diag *d, const char *at, size_t len) {
  if (to->len == UOP_MAX_ERRORS) {
    to->more = true;
    return;
  }
  place(b, d, at, len);
  if (!UOPI_PUSH(b->mem, to, *d)) b->no_memory = true;
}

bool uopi_rule_fail(rule_book *b, uop_code code, const char *at, size_t len, const char *fmt, ...) {
  if (b->failed) return false;
  b->failed = true;
  uop_diag d;
  va_list ap;
  va_start(ap, fmt);
  uopi_diag_vset(&d, code, -1, -1, fmt, ap);
  va_end(ap);
  report(b, b->errors, &d, at, len);
  return false;
}

void uopi_rule_warn(rule_book *b, const char *at, size_t len, const char *fmt, ...) {
  uop_diag d;
  va_list ap;
  va_start(ap, fmt);
  uopi_diag_vset(&d, UOP_W_RULE, -1, -1, fmt, ap);
  va_end(ap);
  report(b, b->warnings, &d, at, len);
}

/* At the end of the text: behind its last word, since the line of the end may be an empty one. */
bool uopi_fail_here(reader *r, const char *fmt, ...) {
  const char *at = r->t.kind == SCAN_END ? r->last : r->t.at;
  if (r->b->failed) return false;
  r->b->failed = true;
  uop_diag d;
  va_list ap;
  va_start(ap, fmt);
  uopi_diag_vset(&d, UOP_E_SYNTAX, -1, -1, fmt, ap);
  va_end(ap);
  report(r->b, r->b->errors, &d, at, r->t.len);
  return false;
}

/* ---- tokens ---- */

bool uopi_expect(reader *r, const char *sign, const char *where) {
  if (uopi_scan_is(&r->t, sign)) {
    uopi_next(r);
    return true;
  }
  return uopi_fail_here(r, "%s is missing here, %s", sign, where);
}

/* ---- one rule ---- */

static bool is_header(const reader *r) { /* name: */
  return r->t.kind == SCAN_WORD && r->s.p < r->s.end && *r->s.p == ':';
}

bool uopi_at_rule(const reader *r) {
  return is_header(r) && (r->t.at == r->b->text || r->t.at[-1] == '\n');
}

static bool check_name(reader *r, const rule_tree *t) {
  rule_book *b = r->b;
  char room[64];
  if (t->name_len > UOP_MAX_NAME)
    return uopi_rule_fail(b, UOP_E_LIMIT, t->name, t->name_len,
                          "a name of %l bytes is above %d (UOP_MAX_NAME)", (int64_t)t->name_len,
                          UOP_MAX_NAME);
  for (size_t i = 0; i < b->rules.len; i++) {
    const rule_tree *o = &b->rules.at[i];
    if (o->name_len != t->name_len || memcmp(o->name, t->name, o->name_len) != 0) continue;
    return uopi_rule_fail(b, UOP_E_NAME, t->name, t->name_len,
                          "rule %s is already defined on line %d",
                          uopi_rule_word(room, t->name, t->name_len), (int)o->line);
  }
  if (b->rules.len < UOP_MAX_RULES) return true;
  return uopi_rule_fail(b, UOP_E_LIMIT, t->name, t->name_len, "more than %d rules (UOP_MAX_RULES)",
                        UOP_MAX_RULES);
}

static uint32_t line_of(const rule_book *b, const char *at) {
  uint32_t n = 1;
  for (const char *p = b->text; p < at; p++) n += *p == '\n';
  return n;
}

static bool read_sides(reader *r, rule_tree *t) {
  if (!uopi_expect(r, ":", "behind the rule's name")) return false;
  r->side = 0;
  if (!uopi_read_pattern(r, &t->pattern)) return false;
  if (!uopi_expect(r, "->", "between what is matched and what replaces it")) return false;
  r->side = 0;
  if (!uopi_read_result(r, &t->result)) return false;
  t->cond = (uint32_t)r->b->exprs.len;
  if (!uopi_scan_is(&r->t, "if")) return true;
  return uopi_read_expr(r, true) && (t->ncond = (uint32_t)r->b->exprs.len - t->cond, true);
}

/* A name for a part of an arg that is said only once is a slip of the pen: dtype=f23. */
static bool check_vars(reader *r, const rule_tree *t) {
  char room[64];
  for (size_t i = t->vars; i < r->b->vars.len; i++) {
    const rule_var *v = &r->b->vars.at[i];
    if (v->kind == VAR_FIELD && v->uses == 1)
      return uopi_rule_fail(r->b, UOP_E_NAME, v->at, v->len,
                            "%s is no value of this attribute, and as a variable it is never used",
                            uopi_rule_word(room, v->at, v->len));
  }
  return true;
}

static bool read_rule(reader *r) {
  rule_book *b = r->b;
  if (!is_header(r)) return uopi_fail_here(r, "a rule begins with its name and a colon");
  rule_tree t = {.name = r->t.at,
                 .text = r->t.at,
                 .name_len = (uint32_t)r->t.len,
                 .line = line_of(b, r->t.at),
                 .vars = (uint32_t)b->vars.len,
                 .exprs = (uint32_t)b->exprs.len};
  if (r->s.comment) {
    t.comment = r->s.comment;
    t.comment_len = (uint32_t)(r->s.after - r->s.comment);
  }
  if (!check_name(r, &t)) return false;
  r->tree = &t;
  uopi_next(r);
  if (!read_sides(r, &t)) return false;
  t.text_len = (uint32_t)(r->last - t.text);
  t.nvars = (uint32_t)b->vars.len - t.vars;
  if (r->t.kind != SCAN_END && !is_header(r))
    return uopi_fail_here(r, "a rule ends here, and the next one begins with its name and a colon");
  if (!check_vars(r, &t) || !uopi_rule_types(b, &t)) return false;
  if (!UOPI_PUSH(b->mem, &b->rules, t)) b->no_memory = true;
  return !b->no_memory;
}

/* From the rule that began at `own`, which is wrong, to the next line that begins with a name and a
 * colon. */
static void recover(reader *r, const char *own) {
  const char *p = r->t.at;
  r->s.in_expr = false;
  if (p != own && uopi_at_rule(r)) return;
  while (p < r->s.end) {
    while (p < r->s.end && *p != '\n') p++;
    if (p < r->s.end) p++;
    const char *q = p;
    while (q < r->s.end && (uopi_class_of(*q) & (UOPI_DIGIT | UOPI_LETTER))) q++;
    if (q > p && q < r->s.end && *q == ':') break;
  }
  const char *from = p; /* with its comment */
  while (from > r->t.at && from[-1] == '\n') {
    const char *line = from - 1;
    while (line > r->t.at && line[-1] != '\n') line--;
    if (*line != '#') break;
    from = line;
  }
  r->s.p = from;
  r->s.begun = false;
  uopi_next(r);
}

void uopi_rules_read(rule_book *b, rule_find_fn find, void *user) {
  reader r = {
      .b = b, .s = {.p = b->text, .end = b->end}, .t = {.at = b->text}, .find = find, .user = user};
  if (b->end - b->text >= 3 && !memcmp(b->text, "\xef\xbb\xbf", 3)) r.s.p += 3;
  uopi_next(&r);
  while (r.t.kind != SCAN_END && !b->no_memory) {
    const char *own = r.t.at;
    b->failed = false;
    if (read_rule(&r)) continue;
    if (b->errors->more) return;
    recover(&r, own);
  }
}

void uopi_book_drop(rule_book *b) {
  UOPI_DROP(b->mem, &b->rules);
  UOPI_DROP(b->mem, &b->terms);
  UOPI_DROP(b->mem, &b->kids);
  UOPI_DROP(b->mem, &b->attrs);
  UOPI_DROP(b->mem, &b->exprs);
  UOPI_DROP(b->mem, &b->vars);
  UOPI_DROP(b->mem, &b->ints);
  UOPI_DROP(b->mem, &b->types);
}
