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

/* ---- names.c ---- */

extern const char *const uopi_field_names[FIELD_COUNT];
int uopi_find_field(const scan_token *t); /* these three: -1 for none */
int uopi_find_op(const scan_token *t);
int uopi_find_sugar(const scan_token *t);
uint64_t uopi_find_op_set(const scan_token *t); /* "unary", …; 0 for none */

static inline bool uopi_is_capital(const scan_token *t) { return *t->at >= 'A' && *t->at <= 'Z'; }

/* The variable of this name, or NO_VAR; and a new one. */
uint8_t uopi_find_var(const reader *r, const char *at, size_t len);
bool uopi_new_var(reader *r, const scan_token *t, var_kind kind, uint8_t *var);

/* A variable of a pattern, which may be new, or was there before as the same kind of thing. */
bool uopi_pattern_var(reader *r, const scan_token *t, var_kind kind, uint8_t *var);

/* ---- attrs.c ---- */

/* Which fields an op's arg has, as bits; those that all ops of a term have. */
unsigned uopi_fields_of(unsigned op);
unsigned uopi_fields_of_term(const rule_term *t);

/* key=value, at the key, into book.attrs, noted in *given; the positional arg, a variable or a
 * tuple. */
bool uopi_read_attr(reader *r, rule_term *t, bool is_pattern, unsigned *given);
bool uopi_read_tuple(reader *r, rule_term *t, bool is_pattern);

#endif
