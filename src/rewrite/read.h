/* read.h - shared by the reader's files: rules (read.c), their two sides (terms.c), and arithmetic
 * (expr.c). Each reading function is called with r->t at the first token of what it reads and
 * leaves it at the first token behind; false means that an error was left.
 */
#ifndef UOP_READ_H
#define UOP_READ_H

#include "rewrite/rule.h"
#include "rewrite/scan.h"

typedef struct reader {
  rule_book *b;
  scanner s;
  scan_token t;     /* the token to be read */
  const char *last; /* where the one before ended */
  rule_tree *tree;
  uint32_t side, depth; /* terms of this side so far; parentheses open */
  uint32_t pairs;       /* operands that are matched in either order */
  rule_find_fn find;
  void *user;
} reader;

static inline void uopi_next(reader *r) {
  r->last = r->t.at + r->t.len;
  r->t = uopi_scan(&r->s);
}

bool uopi_fail_here(reader *r, const char *fmt, ...); /* at r->t */

/* Whether r->t is the name of the next rule: first on its line, with a colon right behind it. */
bool uopi_at_rule(const reader *r);
bool uopi_expect(reader *r, const char *sign, const char *where);

bool uopi_read_pattern(reader *r, uint32_t *term);
bool uopi_read_result(reader *r, uint32_t *term);

/* An expression, behind the token at which it stands ({, if), into book.exprs. A condition ends
 * where no operator follows, another at its }, which is read. */
bool uopi_read_expr(reader *r, bool is_condition);

/* The variable of this name, or NO_VAR; and a new one. */
uint8_t uopi_find_var(const reader *r, const char *at, size_t len);
bool uopi_new_var(reader *r, const scan_token *t, var_kind kind, uint8_t *var);

#endif
