/* lex.c - one line of .uir into tokens; see lex.h for what holds. */
#include "text/lex.h"

#include "base/decimal.h"

#include <math.h>

#define D UOPI_DIGIT
#define L UOPI_LETTER
#define B UOPI_BLANK
const uint8_t uopi_classes[256] = {
    ['\t'] = B, [' '] = B, ['.'] = UOPI_DOT, ['_'] = L, ['0'] = D, ['1'] = D, ['2'] = D, ['3'] = D,
    ['4'] = D,  ['5'] = D, ['6'] = D,        ['7'] = D, ['8'] = D, ['9'] = D, ['a'] = L, ['b'] = L,
    ['c'] = L,  ['d'] = L, ['e'] = L,        ['f'] = L, ['g'] = L, ['h'] = L, ['i'] = L, ['j'] = L,
    ['k'] = L,  ['l'] = L, ['m'] = L,        ['n'] = L, ['o'] = L, ['p'] = L, ['q'] = L, ['r'] = L,
    ['s'] = L,  ['t'] = L, ['u'] = L,        ['v'] = L, ['w'] = L, ['x'] = L, ['y'] = L, ['z'] = L,
    ['A'] = L,  ['B'] = L, ['C'] = L,        ['D'] = L, ['E'] = L, ['F'] = L, ['G'] = L, ['H'] = L,
    ['I'] = L,  ['J'] = L, ['K'] = L,        ['L'] = L, ['M'] = L, ['N'] = L, ['O'] = L, ['P'] = L,
    ['Q'] = L,  ['R'] = L, ['S'] = L,        ['T'] = L, ['U'] = L, ['V'] = L, ['W'] = L, ['X'] = L,
    ['Y'] = L,  ['Z'] = L};
#undef D
#undef L
#undef B

static inline bool is_digit(char c) { return uopi_class_of(c) & UOPI_DIGIT; }
static inline bool is_letter(char c) { return uopi_class_of(c) & UOPI_LETTER; }
static inline bool is_name(char c) { return uopi_class_of(c) & UOPI_IN_NAME; }
static inline bool is_blank(char c) { return uopi_class_of(c) & UOPI_BLANK; }

static const char *skip_digits(const char *p, const char *end) {
  while (p < end && is_digit(*p)) p++;
  return p;
}

/* The end of the longest number at p, which is a digit, sign or point; NULL: none is there. */
static const char *number_end(const char *p, const char *end, tok_kind *kind) {
  if (*p == '+' || *p == '-') p++;
  const char *digits = p;
  p = skip_digits(p, end);
  size_t n = (size_t)(p - digits);
  *kind = TOK_INT;
  if (p < end && *p == '.') {
    const char *fraction = ++p;
    p = skip_digits(p, end);
    n += (size_t)(p - fraction);
    *kind = TOK_FLOAT;
  }
  if (n == 0) return NULL;
  if (p < end && (*p == 'e' || *p == 'E')) {
    const char *q = p + 1;
    if (q < end && (*q == '+' || *q == '-')) q++;
    const char *exponent = q;
    q = skip_digits(q, end);
    if (q == exponent) return NULL;
    p = q;
    *kind = TOK_FLOAT;
  }
  return p;
}

/* All that hangs together with a malformed number, so that the message can show it. */
static size_t junk_length(const char *p, const char *end) {
  const char *q = p + 1;
  while (q < end && (is_name(*q) || *q == '+' || *q == '-')) q++;
  return (size_t)(q - p);
}

static void lex_number(const lexer *l, token *t) {
  if (l->end - t->at >= 4 && !memcmp(t->at, "-inf", 4) &&
      (l->end - t->at == 4 || !is_name(t->at[4]))) {
    t->kind = TOK_FLOAT;
    t->len = 4;
    return;
  }
  const char *e = number_end(t->at, l->end, &t->kind);
  if (e && (e == l->end || !(is_name(*e) || *e == '+' || *e == '-'))) {
    t->len = (size_t)(e - t->at);
    return;
  }
  t->kind = TOK_BAD;
  t->why = "malformed number";
  t->len = junk_length(t->at, l->end);
}

static void lex_name(const lexer *l, token *t) {
  const char *q = t->at + 1;
  while (q < l->end && is_name(*q)) q++;
  t->kind = TOK_NAME;
  t->len = (size_t)(q - t->at);
  if (t->len > 1 && t->len <= UOP_MAX_NAME + 1) return;
  t->kind = TOK_BAD;
  t->why = t->len == 1 ? "% without a name" : NULL;
}

static tok_kind punctuation(char c) {
  switch (c) {
  case '(': return TOK_LPAREN;
  case ')': return TOK_RPAREN;
  case ',': return TOK_COMMA;
  case ':': return TOK_COLON;
  case '=': return TOK_EQUALS;
  default: return TOK_BAD;
  }
}

token uopi_lex(lexer *l) {
  const char *from = l->p;
  while (l->p < l->end && is_blank(*l->p)) l->p++;
  token t = {.kind = TOK_END, .at = l->p, .spaced = l->p > from || from == l->line};
  if (l->p == l->end || *l->p == '#') return t;
  char c = *l->p;
  if (c == '%') {
    lex_name(l, &t);
  } else if (is_letter(c)) {
    const char *q = l->p;
    while (q < l->end && is_name(*q)) q++;
    t.kind = TOK_WORD;
    t.len = (size_t)(q - l->p);
  } else if (is_digit(c) || c == '+' || c == '-' || c == '.') {
    lex_number(l, &t);
  } else {
    t.kind = punctuation(c);
    t.len = 1;
    if (t.kind == TOK_BAD)
      t.why = c >= 0x21 && c <= 0x7e ? "nothing begins with this character"
                                     : "unexpected byte, no printable ASCII";
  }
  l->p = t.at + t.len;
  return t;
}

static char next_char(const lexer *l) {
  const char *p = l->p;
  while (p < l->end && is_blank(*p)) p++;
  return p < l->end ? *p : 0;
}

bool uopi_lex_word_follows(const lexer *l) { return is_letter(next_char(l)); }
bool uopi_lex_equals_follows(const lexer *l) { return next_char(l) == '='; }

bool uopi_lex_int(const token *t, int64_t *v) {
  const char *p = t->at, *end = p + t->len;
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  uint64_t limit = (uint64_t)INT64_MAX + negative, n = 0;
  for (; p < end; p++) {
    uint64_t d = (uint64_t)(*p - '0');
    if (n > (limit - d) / 10) return false;
    n = n * 10 + d;
  }
  *v = negative ? (n ? -(int64_t)(n - 1) - 1 : 0) : (int64_t)n;
  return true;
}

bool uopi_lex_literal(const token *t, uopi_lit *l) {
  *l = (uopi_lit){.kind = UOPI_LIT_FLOAT, .text = t->at, .len = t->len};
  int64_t i = 0;
  switch (t->kind) {
  case TOK_INT:
    l->kind = UOPI_LIT_INT;
    l->fits = uopi_lex_int(t, &i) && i >= INT32_MIN && i <= INT32_MAX;
    l->i = l->fits ? (int32_t)i : 0;
    l->f = uopi_parse_f32(t->at, t->len, &l->overflow);
    if (l->f == 0) l->f = 0; /* the integer -0 is 0 */
    return true;
  case TOK_FLOAT:
    if (t->len == 4 && t->at[1] == 'i')
      l->f = -INFINITY;
    else
      l->f = uopi_parse_f32(t->at, t->len, &l->overflow);
    return true;
  case TOK_WORD:
    if (uopi_tok_is(t, "inf"))
      l->f = INFINITY;
    else if (uopi_tok_is(t, "nan"))
      l->f = NAN;
    else if (uopi_tok_is(t, "true") || uopi_tok_is(t, "false"))
      l->kind = UOPI_LIT_BOOL, l->b = t->at[0] == 't';
    else
      return false;
    return true;
  default: return false;
  }
}
