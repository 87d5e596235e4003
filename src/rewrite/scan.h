/* scan.h - the tokens of a text of rules, which pays no heed to where its lines end. */
#ifndef UOP_SCAN_H
#define UOP_SCAN_H

#include "text/lex.h"

typedef enum scan_kind {
  SCAN_END,
  SCAN_WORD,   /* letters, digits and _ */
  SCAN_NUMBER, /* a literal of .uir: `lit` */
  SCAN_SIGN,   /* ( ) [ ] { } , : = | ! -> ... and, in expressions, operators */
  SCAN_BAD
} scan_kind;

typedef struct scan_token {
  scan_kind kind;
  const char *at;
  size_t len;
  bool spaced; /* blanks, or a new line, stand before it */
  token lit;   /* of a SCAN_NUMBER */
} scan_token;

typedef struct scanner {
  const char *p, *end;
  bool begun;                  /* private */
  bool in_expr;                /* a sign before a digit is an operator; numbers are integers */
  const char *comment, *after; /* the comment lines that end in front of the newest token: [comment,
                                  after), NULL where there are none */
} scanner;

scan_token uopi_scan(scanner *s);

static inline bool uopi_scan_is(const scan_token *t, const char *text) {
  return (t->kind == SCAN_SIGN || t->kind == SCAN_WORD) && t->len == strlen(text) &&
         !memcmp(t->at, text, t->len);
}

#endif
