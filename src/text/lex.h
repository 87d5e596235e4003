/* lex.h - the tokens of one line of .uir.
 *
 * Invariants: a token lies within [line, end) and never includes a newline; lexing reads each byte
 * a bounded number of times; a byte that starts no token is a TOK_BAD of one character.
 */
#ifndef UOP_LEX_H
#define UOP_LEX_H

#include "ir/ir.h"

/* What a byte can be part of. */
enum {
  UOPI_DIGIT = 1,
  UOPI_LETTER = 2,
  UOPI_DOT = 4,
  UOPI_BLANK = 8,
  UOPI_IN_NAME = UOPI_DIGIT | UOPI_LETTER | UOPI_DOT
};
extern const uint8_t uopi_classes[256];
static inline unsigned uopi_class_of(char c) { return uopi_classes[(unsigned char)c]; }

typedef enum tok_kind {
  TOK_END,   /* of the line, or a comment */
  TOK_NAME,  /* %name; `at` is the %, the name follows */
  TOK_WORD,  /* letters, digits, _ and . from a letter or _ on */
  TOK_INT,   /* [+-] digits */
  TOK_FLOAT, /* [+-] digits with a point, an exponent or both; also -inf */
  TOK_LPAREN,
  TOK_RPAREN,
  TOK_COMMA,
  TOK_COLON,
  TOK_EQUALS,
  TOK_BAD /* `why` says what is wrong */
} tok_kind;

typedef struct token {
  tok_kind kind;
  const char *at;
  size_t len;
  bool spaced;     /* blanks, or the line's beginning, stand before it */
  const char *why; /* of TOK_BAD; NULL for a name that is too long */
} token;

typedef struct lexer {
  const char *line, *p, *end; /* the whole line without its end; the next byte to read */
} lexer;

token uopi_lex(lexer *l);

/* Whether the next thing after blanks is a letter or _ : an expression follows "(". */
bool uopi_lex_word_follows(const lexer *l);

/* Whether the next thing after blanks is an "=". */
bool uopi_lex_equals_follows(const lexer *l);

/* The value of a TOK_INT; false where it is beyond 64 bits. */
bool uopi_lex_int(const token *t, int64_t *v);

/* A TOK_INT, TOK_FLOAT or one of the words inf, nan, true, false as a literal; false for others. */
bool uopi_lex_literal(const token *t, uopi_lit *l);

/* Puts a line's number and its text, [at, end), in front of the reason that is in d->message. */
void uopi_quote_line(uop_diag *d, const char *at, const char *end, uint32_t line);

static inline bool uopi_tok_is(const token *t, const char *word) {
  return t->kind == TOK_WORD && t->len == strlen(word) && !memcmp(t->at, word, t->len);
}

#endif
