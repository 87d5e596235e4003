/* parse.h - shared by the reader's two halves: statements and operands (parse.c), and what an op
 * makes of its operands and attributes (finish.c).
 */
#ifndef UOP_PARSE_H
#define UOP_PARSE_H

#include "text/lex.h"
#include "text/symbols.h"

typedef enum item_kind { ITEM_NODE, ITEM_LITERAL, ITEM_TUPLE } item_kind;

typedef struct item { /* an operand as read */
  item_kind kind;
  const char *at; /* its text */
  size_t len;
  const uop *node;
  uopi_lit lit;
  bool is_int; /* a LITERAL that is a 64-bit int: */
  int64_t i;
  size_t first, ints; /* TUPLE: its integers in parser.ints */
  bool pairs;         /* TUPLE of pairs, flattened */
} item;

/* Attribute keys, as bits: given, allowed. */
enum {
  KEY_SLOT = 1,
  KEY_DTYPE = 2,
  KEY_SHAPE = 4,
  KEY_SPACE = 8,
  KEY_NAME = 16,
  KEY_IDX = 32,
  KEY_KIND = 64,
  KEY_OP = 128,
  KEY_POP = 256
};

typedef struct open_expr { /* an expression whose end is not reached */
  int fn;                  /* uopi_fn or uop_op */
  const char *at;          /* the op's name, for the caret */
  size_t len;
  const char *paren; /* its "(", NULL for the statement itself */
  size_t first_item;
  unsigned keys;     /* given */
  bool colon, comma; /* a ":" was read; a comma was read and no operand since */
  uop_arg arg;
  size_t shape_first, shape_len; /* of shape=, in parser.ints */
  const char *name;              /* of name=, in the text */
  size_t name_len;
} open_expr;

typedef struct pair_line { /* %to = op %a, %b */
  symbol_name to, a, b;
  uop_op op;
  const char *first, *end; /* from the % to the newline */
} pair_line;

enum { LINES_AHEAD = 16 };

enum { FN_SLOTS = 256 };
_Static_assert(UOPI_FN_COUNT < FN_SLOTS / 2, "the table of op names stays half empty");

typedef struct parser {
  uop_ctx *ctx;
  const uopi_mem *mem;
  uop_program *prog;
  uop_diags *diags;
  lexer lex;
  uint32_t line;
  symbols names;
  uint8_t fns[FN_SLOTS];       /* op names, hashed: uopi_fn + 1; 0: empty */
  char name[UOP_MAX_NAME + 1]; /* a name= with its NUL */
  uop_map asserts;             /* those in prog->asserts */
  struct {                     /* lines that pair_line.c has read ahead */
    pair_line at[LINES_AHEAD];
    size_t next, len;
  } ahead;
  struct {
    item *at;
    size_t len, cap;
  } items;
  struct {
    open_expr *at;
    size_t len, cap;
  } open;
  struct {
    int64_t *at;
    size_t len, cap;
  } ints;
  size_t stmt_cap; /* of prog->stmts */
  bool poisoned; /* the statement uses a name whose own statement failed: not an error of its own */
  bool redefined_alike; /* it defines a name again, with the type that it has */
  bool failed;          /* the statement has an error, in `error` */
  bool no_memory;
  uop_diag error;
} parser;

/* Leaves the statement's error, marking [at, at + len). Always false. */
bool uopi_fail(parser *p, uop_code code, const char *at, size_t len, const char *fmt, ...);
bool uopi_fail_token(parser *p, const token *t); /* a TOK_BAD */

/* The node of an expression whose end is reached, with its items and attributes; NULL with the
 * statement's error. */
const uop *uopi_finish(parser *p, open_expr *e);

/* key=value at the word `key`: reads the value. */
bool uopi_attribute(parser *p, open_expr *e, const token *key);

/* Files a statement, the text of which is [first, end): u, and its name unless that is NULL. False:
 * out of memory. */
bool uopi_define(parser *p, const symbol_name *name, const uop *u, const char *first,
                 const char *end);

/* Reads the line at `at` if it is of the commonest form, see pair_line.c. The next line; NULL:
 * nothing was done, or p->no_memory. */
const char *uopi_read_pair_line(parser *p, const char *at);

/* A tuple whose "(" was just read: appends its integers to p->ints. Pairs are flattened. */
bool uopi_tuple(parser *p, const token *paren, size_t *first, size_t *n, bool *pairs,
                const char **end);

#endif
