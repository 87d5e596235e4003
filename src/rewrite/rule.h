/* rule.h - the rule language inside: the tree that the reader makes of a text, and the flat table
 * that the tree is compiled to.
 *
 *   text ──read.c──> tree ──types.c, judge.c──> checked ──compile.c──> table ──match.c──> a node
 *                                                                        ^
 *                            src/symbolic: tables of our own, made by `make generate`
 *
 * Invariants of a tree that was read: every term's kids, attributes and expression lie in the
 * book's arrays; a variable is used only where it is known; no term is nested deeper than
 * UOP_MAX_RULE_DEPTH, and no side has more than UOP_MAX_RULE_TERMS terms, so that functions here
 * may recurse over a rule, which they never do over a graph.
 */
#ifndef UOP_RULE_H
#define UOP_RULE_H

#include "ir/ir.h"

/* ---- the tree ---- */

enum { NO_VAR = 255, ANY_VAR = 254 }; /* ANY_VAR: `_`, which is not kept */
enum { MAX_RULE_PAIRS = 12 /* operands in either order: 4,096 ways to match at most */ };
enum { MAX_RULE_VARS = 64, MAX_RULE_STACK = 16, MAX_RULE_FNS = 255 /* numbered in a byte */ };
enum { DTYPES_ALL = (1 << UOP_DTYPE_COUNT) - 1, DTYPES_VALUE = DTYPES_ALL & ~(1 << UOP_VOID) };
enum { DTYPES_WHOLE = 1 << UOP_I32 | 1 << UOP_BOOL, DTYPES_FLOAT = 1 << UOP_F32 | 1 << UOP_F16 };

typedef enum var_kind {
  VAR_NODE,  /* x     any node */
  VAR_CONST, /* C     any constant, also one that is broadcast */
  VAR_OP,    /* o     in (o=add|mul x y): the op and its arg */
  VAR_REST,  /* xs    in (sink x xs...): the other operands */
  VAR_FIELD  /* n     in pop=n, dtype=n, …: a part of an arg */
} var_kind;

typedef enum rule_field { /* parts of an op's arg */
                          FIELD_SLOT,
                          FIELD_DTYPE,
                          FIELD_SPACE,
                          FIELD_IDX,
                          FIELD_KIND,
                          FIELD_OP,
                          FIELD_POP,
                          FIELD_NAME,
                          FIELD_TUPLE, /* by position: a shape, axes, pairs */
                          FIELD_COUNT
} rule_field;

static inline bool rule_is_number(rule_field f) {
  return f == FIELD_SLOT || f == FIELD_IDX || f == FIELD_POP;
}

typedef struct rule_var {
  const char *at; /* its name, in the text */
  uint32_t len;
  var_kind kind;
  rule_field field; /* of a VAR_FIELD */
  uint32_t term;    /* of the pattern: where it is met first */
  uint32_t uses;    /* how often the rule says it */
} rule_var;

typedef enum term_kind {
  TERM_VAR,  /* x, C, _ */
  TERM_LIT,  /* 0, 1.0, true */
  TERM_OP,   /* (add x y) */
  TERM_EXPR, /* {A + B}, in a result */
  TERM_CALL  /* (!name x), in a result */
} term_kind;

typedef struct rule_term {
  const char *at; /* its text, for messages */
  uint32_t len;
  term_kind kind;
  uint8_t var;    /* TERM_VAR: which; a pattern's TERM_OP: the x of x=(…) */
  uint8_t dtypes; /* that are allowed by x:i32 */
  bool ordered;   /* [add x y]: the operands as they stand */
  /* TERM_OP: */
  uint64_t ops;  /* a pattern's: which */
  int fn;        /* a result's: an op or sugar; -1: the op of opvar. TERM_CALL: which function */
  uint8_t opvar; /* a pattern's: the o of (o=add x y) */
  uint8_t rest;  /* xs of xs..., ANY_VAR or NO_VAR */
  uint32_t kids, nkids, attrs, nattrs; /* in book.kids, book.attrs */
  /* TERM_LIT: */
  uopi_lit_kind lit;
  int64_t i; /* of an int or bool */
  float f;   /* of a float; of an int, the nearest */
  /* TERM_EXPR: */
  uint32_t expr, nexpr; /* in book.exprs */
  /* types.c: */
  uint32_t type;   /* index of what is known of its dtype */
  bool as_root;    /* a pattern's: its ops alone make its dtype the root's */
  uint8_t matched; /* a pattern's: its dtypes before the result was looked at */
} rule_term;

typedef struct rule_attr {
  const char *at;
  uint32_t len;
  rule_field field;
  enum { ATTR_LIT, ATTR_VAR, ATTR_EXPR, ATTR_TUPLE, ATTR_NAME } kind;
  int64_t i;         /* ATTR_LIT */
  uint8_t var;       /* ATTR_VAR */
  uint32_t first, n; /* ATTR_TUPLE: in book.ints; ATTR_EXPR: in book.exprs */
  const char *name;  /* ATTR_NAME: in the text */
  uint32_t name_len;
} rule_attr;

/* A step of a stack machine over 64-bit integers. What leaves 64 bits, or divides by 0, or asks for
 * bounds where there are none, has no value, and the rule does not apply. */
typedef enum expr_op {
  EXPR_INT, /* i */
  EXPR_VAR, /* var: a VAR_CONST, or a VAR_FIELD that is a number */
  EXPR_LO,  /* var: lo(x) */
  EXPR_HI,
  EXPR_NEG,
  EXPR_NOT,
  EXPR_ABS,
  EXPR_ADD, /* from here on of two */
  EXPR_SUB,
  EXPR_MUL,
  EXPR_DIV, /* // and %, rounded toward minus infinity */
  EXPR_MOD,
  EXPR_MIN,
  EXPR_MAX,
  EXPR_GCD,
  EXPR_LT,
  EXPR_LE,
  EXPR_GT,
  EXPR_GE,
  EXPR_EQ,
  EXPR_NE,
  EXPR_AND,
  EXPR_OR,
  EXPR_COUNT
} expr_op;

typedef struct rule_expr {
  expr_op op;
  uint8_t var;
  int64_t i;
} rule_expr;

typedef struct rule_tree {
  const char *name, *comment, *text; /* in the text; the comment with its # signs */
  uint32_t name_len, comment_len, text_len, line;
  uint32_t vars, nvars;     /* in book.vars */
  uint32_t pattern, result; /* in book.terms */
  uint32_t exprs;           /* the first of its own in book.exprs, up to the condition's last */
  uint32_t cond, ncond;     /* in book.exprs; ncond 0: none */
  uint32_t dtypes;          /* that a node must have one of to match */
} rule_tree;

#define LIST(T)      \
  struct {           \
    T *at;           \
    size_t len, cap; \
  }

typedef struct rule_type { /* what is known of a dtype; equal ones are joined */
  uint32_t parent;         /* itself: the root of a class */
  uint8_t dtypes;
  uint8_t reg; /* compile.c: one that holds a matched node of this dtype, or NO_REG */
} rule_type;

typedef struct rule_book { /* all rules of a text */
  uop_ctx *ctx;
  const uopi_mem *mem;
  const char *text, *end;
  LIST(rule_tree) rules;
  LIST(rule_term) terms;
  LIST(uint32_t) kids;
  LIST(rule_attr) attrs;
  LIST(rule_expr) exprs;
  LIST(rule_var) vars;
  LIST(int64_t) ints;
  LIST(rule_type) types;
  /* what is found wrong: */
  uop_diags *errors, *warnings;
  bool failed; /* the rule that is being read has an error */
  bool no_memory;
} rule_book;

/* Leaves an error at [at, at + len) of the text, the first of a rule alone. Always false. */
bool uopi_rule_fail(rule_book *b, uop_code code, const char *at, size_t len, const char *fmt, ...);
void uopi_rule_warn(rule_book *b, const char *at, size_t len, const char *fmt, ...);
const char *uopi_rule_word(char room[64], const char *at, size_t len); /* for messages */

/* Which functions texts may call: the index of a name, or -1. */
typedef int (*rule_find_fn)(void *user, const char *name, size_t len);

/* read.c: everything that b->text says, errors in b->errors. */
void uopi_rules_read(rule_book *b, rule_find_fn find, void *user);
void uopi_book_drop(rule_book *b);

static inline const rule_var *rule_var_of(const rule_book *b, const rule_tree *r, uint8_t var) {
  return &b->vars.at[r->vars + var];
}
static inline uint32_t rule_kid(const rule_book *b, const rule_term *t, uint32_t i) {
  return b->kids.at[t->kids + i];
}

/* types.c: gives each term of the rule its type. False: an error, that the two sides cannot have
 * one dtype or that a term cannot have any. */
bool uopi_rule_types(rule_book *b, rule_tree *r);
static inline uint32_t uopi_type_root(const rule_book *b, uint32_t t) {
  while (b->types.at[t].parent != t) t = b->types.at[t].parent;
  return t;
}
static inline unsigned uopi_type_of(const rule_book *b, uint32_t term) {
  return b->types.at[uopi_type_root(b, b->terms.at[term].type)].dtypes;
}

/* judge.c: rules that make their own left side again are errors, those that an earlier rule shadows
 * and those without a comment warnings. */
void uopi_rules_judge(rule_book *b);

/* ---- the table ---- */

/* A word of code: an instruction and three bytes. What it needs more follows as words. */
typedef enum rule_code {
  /* match: any of these can fail, which takes the newest M_PAIR the other way round */
  M_OP,     /* reg a is a node of op b */
  M_OPS,    /* … of one of the ops in 2 words */
  M_COUNT,  /* reg a has b sources; c: or more */
  M_SRC,    /* reg a = source c of reg b */
  M_PAIR,   /* regs a, a + 1 = the sources of reg b; if its op is commutative, in either order */
  M_SAME,   /* regs a and b are one node */
  M_DTYPE,  /* reg a's dtype is in the set b */
  M_CONST,  /* reg a is a constant, broadcast or not; value b = what it is, if i32 or bool */
  M_LIT,    /* … and is the literal of kind b in 2 words */
  M_FIELD,  /* value c = field b of reg a's arg */
  M_IS,     /* field b of reg a's arg is value c */
  M_IS_INT, /* … is the number in 2 words */
  M_TUPLE,  /* reg a's tuple is the c integers in 2 c words */
  M_NAME,   /* reg a's name is the c words of text */
  /* numbers: a stack */
  E_INT,   /* pushes 2 words */
  E_VALUE, /* pushes value a */
  E_LO,    /* pushes the least value of reg a */
  E_HI,    /* … the greatest */
  E_DO,    /* what expr_op a says */
  E_IF,    /* takes a number; fails if it is 0 */
  /* build: nodes into registers, operands onto a list */
  B_LIT, /* reg a = the literal in 2 words, of kind b % 16 and of the dtype of reg c; where that is
            NO_REG, of dtype b / 16 (VOID: what it looks like) */
  B_VALUE,    /* reg a = the number on the stack, of the same dtype */
  B_PUSH,     /* operand: reg a */
  B_REST,     /* operands: the sources of reg a from b on */
  B_FIELD,    /* field a of the arg = the number on the stack */
  B_VALUE_AS, /* field a of the arg = value b */
  B_TUPLE,    /* the arg's tuple = the c integers in 2 c words */
  B_NAME,     /* the arg's name = the c words of text */
  B_MAKE,     /* reg a = op or sugar b of the operands and the arg, which are empty then */
  B_LIKE,     /* reg a = the op and arg of reg b, of the operands */
  B_CALL,     /* reg a = what function number b makes of the operands; fails where it declines */
  B_SPLAT,    /* reg a = reg b broadcast to the shape of reg 0 */
  B_DONE      /* reg a replaces reg 0 */
} rule_code;

enum { NO_REG = 255 };
#define RULE_WORD(op, a, b, c) \
  ((uint32_t)(op) | (uint32_t)(a) << 8 | (uint32_t)(b) << 16 | (uint32_t)(c) << 24)

/* Bit 63 of a set of ops, which no op has: an op that a constant can begin with. */
#define RULE_CONSTANT (UINT64_C(1) << 63)

/* What a node's sources look like from afar: a pattern that needs more is not even tried. */
typedef struct rule_looks {
  uint64_t ops;        /* the sources' ops */
  uint64_t with_const; /* those of sources that have a constant among their own sources */
} rule_looks;

typedef struct rule_row {
  const char *name, *comment, *text;
  uint64_t ops;     /* that its pattern begins with */
  rule_looks needs; /* what is among the sources of what it matches */
  uint32_t line;
  uint32_t dtypes; /* of what it matches */
  uint32_t code;   /* where it begins in the table's code */
} rule_row;

typedef struct rule_fn {
  const char *name;
  uop_rule_fn fn;
  void *user;
} rule_fn;

typedef struct rule_table { /* of constant memory, for any context and thread */
  const char *set;
  const rule_row *rows;
  size_t n;
  const uint32_t *code;
  size_t ncode;
  const rule_fn *fns; /* by number */
} rule_table;

/* compile.c: the code of one rule, appended; *row but for its strings. False: out of memory, or an
 * error that the machine is too small. */
typedef LIST(uint32_t) rule_words;
bool uopi_rule_compile(rule_book *b, rule_tree *r, rule_words *code, rule_row *row);

/* ---- a list of rules (rules.c) ---- */

typedef struct rule_entry { /* one rule, as it is tried */
  const rule_row *row;
  const rule_table *table; /* NULL: in C, and then: */
  rule_fn fn;
  uint64_t hits;
} rule_entry;

typedef struct rule_bucket_entry {
  rule_looks needs;
  uint32_t rule;
} rule_bucket_entry;
typedef LIST(rule_bucket_entry) rule_bucket;

typedef struct rule_text { /* a text's own table, with all that it needs */
  rule_table table;
  rule_row *rows;
  rule_words code;
  char *text; /* the rows' strings */
  rule_fn *fns;
  size_t text_size, row_cap, nfns;
} rule_text;

enum { RULE_BUCKETS = UOP_OP_COUNT * UOP_DTYPE_COUNT };

struct uop_rules {
  uop_ctx *ctx;
  LIST(rule_entry) rules;
  LIST(rule_text *) texts;
  LIST(rule_fn) fns;                /* that texts may call */
  rule_bucket bucket[RULE_BUCKETS]; /* by op and dtype */
  uint32_t busy;                    /* rewrites that are running: nothing is added meanwhile */
  bool freed;                       /* by its user, while busy */
};

/* What rewrites with r stands between these; after the second one r may be gone. */
bool uopi_rules_begin(uop_rules *r); /* false: UOP_E_LIMIT */
void uopi_rules_end(uop_rules *r);

/* Appends all rules of a table, which outlives the list. All or nothing. */
bool uopi_rules_add_table(uop_rules *r, const rule_table *t);
void uopi_rules_cut(uop_rules *r, size_t n); /* takes the rules from number n on away again */

/* Reads a text into a table; NULL with diagnostics, or the context's error. */
rule_text *uopi_rule_text_new(uop_ctx *ctx, const char *text, size_t len, rule_find_fn find,
                              void *user, uop_diags *diags);
void uopi_rule_text_free(uop_ctx *ctx, rule_text *t);

/* ---- the machine (match.c) ---- */

typedef struct matcher {
  uop_rules *rules;
  uop_ctx *ctx;
  void *pass;
  uop_map *bounds; /* memo of uop_bounds() */
  LIST(const uop *) operands;
} matcher;

typedef enum matched { MATCH_NONE, MATCH_MADE, MATCH_FAILED } matched;

/* Tells o->trace of a step. False: it ended the rewrite, or left a scope open. (rewrite.c) */
bool uopi_tell_step(uop_ctx *ctx, const uop_rewrite_options *o, const char *rule, const uop *before,
                    const uop *after);

/* `to`, as the body of a CALL of `body`, or `body` where the arguments would not fit it. NULL: out
 * of memory. (rewrite.c) */
const uop *uopi_body_or(uop_ctx *ctx, const uop *body, const uop *to);

/* The CONST that a constant is made of, NULL: u is none. */
const uop *uopi_constant_of(const uop *u);

/* Ops that a constant can begin with, as uopi_constant_of() sees it. */
#define RULE_CONSTANT_OPS                                                              \
  (UINT64_C(1) << UOP_CONST | UINT64_C(1) << UOP_EXPAND | UINT64_C(1) << UOP_RESHAPE | \
   UINT64_C(1) << UOP_CAST)

/* What the first rule that applies makes of u, the sources of which look like `looks`, with
 * RULE_CONSTANT where one may be a constant: another node; *rule is its number. */
matched uopi_match(matcher *m, const uop *u, const rule_looks *looks, const uop **out,
                   uint32_t *rule);

#endif
