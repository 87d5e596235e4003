/* scan.c - see scan.h. Every byte is read a bounded number of times. */
#include "rewrite/scan.h"

static bool is_word(char c) { return (uopi_class_of(c) & (UOPI_DIGIT | UOPI_LETTER)) != 0; }
static bool is_digit(char c) { return (uopi_class_of(c) & UOPI_DIGIT) != 0; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Blanks and comments. What a rule is told by is the lines of comment right above it: not one that
 * stands behind other text, nor one with a blank line below it. */
static void skip(scanner *s) {
  int lines = s->begun ? 0 : 1; /* begun since the last text or comment */
  s->begun = true;
  s->comment = s->after = NULL;
  for (; s->p < s->end && (is_space(*s->p) || *s->p == '#'); s->p++) {
    if (*s->p == '\n') {
      if (++lines > 1) s->comment = NULL;
    } else if (*s->p == '#') {
      if (lines && !s->comment) s->comment = s->p;
      while (s->p + 1 < s->end && s->p[1] != '\n') s->p++;
      s->after = s->p + 1;
      lines = 0;
    }
  }
}

/* The length of the sign at p, 0 where there is none. */
static size_t sign_length(const scanner *s, const char *p) {
  static const char *const signs[] = {"...", "->", "//", "<=", ">=", "==", "!=", "(",
                                      ")",   "[",  "]",  "{",  "}",  ",",  ":",  "=",
                                      "|",   "!",  "+",  "-",  "*",  "%",  "<",  ">"};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    size_t n = strlen(signs[i]);
    if ((size_t)(s->end - p) >= n && !memcmp(p, signs[i], n)) return n;
  }
  return 0;
}

/* A number as .uir has it, or a digit string in an expression. */
static bool scan_number(scanner *s, scan_token *t) {
  if (s->in_expr) {
    const char *q = t->at;
    while (q < s->end && is_digit(*q)) q++;
    if (q == t->at || (q < s->end && is_word(*q))) return false;
    t->len = (size_t)(q - t->at);
    t->lit = (token){.kind = TOK_INT, .at = t->at, .len = t->len};
    return true;
  }
  lexer l = {.line = t->at, .p = t->at, .end = s->end};
  t->lit = uopi_lex(&l);
  t->len = t->lit.len;
  return t->lit.kind == TOK_INT || t->lit.kind == TOK_FLOAT;
}

/* Whether a number of .uir begins at p: 1, -1, .5, -inf; not -> or a lone sign. */
static bool number_begins(const scanner *s, const char *p) {
  if (is_digit(*p)) return true;
  if (s->in_expr || p + 1 == s->end) return false;
  if (*p == '.') return is_digit(p[1]);
  return (*p == '-' || *p == '+') && (is_digit(p[1]) || p[1] == '.' || p[1] == 'i');
}

scan_token uopi_scan(scanner *s) {
  const char *from = s->p;
  skip(s);
  scan_token t = {.kind = SCAN_END, .at = s->p, .spaced = s->p > from};
  if (s->p == s->end) return t;
  t.len = 1;
  if (number_begins(s, s->p)) {
    t.kind = scan_number(s, &t) ? SCAN_NUMBER : SCAN_BAD;
  } else if (is_word(*s->p)) {
    t.kind = SCAN_WORD;
    while (s->p + t.len < s->end && is_word(s->p[t.len])) t.len++;
  } else {
    size_t n = sign_length(s, s->p);
    t.kind = n ? SCAN_SIGN : SCAN_BAD;
    if (n) t.len = n;
  }
  s->p += t.len;
  return t;
}
