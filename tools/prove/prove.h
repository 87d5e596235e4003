/* prove.h - `make prove`: shows by Z3 that rules hold. The files of tools/prove, in the data's way:
 *
 *   *.rules ──cases.c──> cases: a rule with one dtype for each term, one op for each set of ops
 *           ──query.c, number.c, hints.c──> SMT-LIB, beside the *.smt2 that say what the ops
 * compute ──solver.c──> z3 ──attempt.c──> what a case stands on ──record.c──> proofs.txt
 *                                                                └──docs.c──> docs/rules.md
 *
 * A case is refuted by a query: values of the variables for which the condition holds and the two
 * sides differ. No such values: unsat, and the rule holds. A rule is about scalars here; the ops
 * that it may hold are elementwise, and so what holds of scalars holds of every element.
 */
#ifndef UOP_PROVE_H
#define UOP_PROVE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/rule.h"

/* Prints what is wrong, and ends. */
_Noreturn void die(const char *fmt, ...);
void *must(void *memory); /* that is not NULL */

/* ---- rules (cases.c) ---- */

typedef struct rule_file {
  const char *path;
  char set[64]; /* its name without folder and ending */
  char *text;
  rule_book book;
} rule_file;

enum { MAX_OPEN = 64 }; /* classes of dtypes, and sets of ops, in a rule */

typedef struct prove_case {
  const rule_book *book;
  const rule_tree *rule;
  unsigned ntypes, nsets;
  uint32_t type[4 * MAX_OPEN]; /* roots of classes */
  uint8_t dtype[4 * MAX_OPEN];
  uint32_t set[MAX_OPEN]; /* terms of the pattern that may be several ops */
  uint8_t op[MAX_OPEN];
  char label[256]; /* what is chosen where there is a choice, "all" where there is none */
} prove_case;

/* The C functions that rules may call. Of these two the prover knows what they give: their operand,
 * computed if it is of constants; and only where it cannot be an error of the run. */
enum {
#define UOP_RULE_FN(fn) CALL_##fn,
#include "symbolic/functions.def"
#undef UOP_RULE_FN
};
static inline bool is_transparent(const rule_term *t) {
  return t->kind == TERM_CALL && t->nkids == 1 && (t->fn == CALL_folded || t->fn == CALL_sure);
}

unsigned dtype_of(const prove_case *c, uint32_t term);
int op_of(const prove_case *c, uint32_t term); /* of a TERM_OP; sugar too */
bool case_has(const prove_case *c, unsigned dtypes);

/* Whether SMT-LIB can say the rule: if not, *why is what it holds. */
bool is_sayable(const rule_book *b, const rule_tree *r, const char **why);

/* Hands all cases of a rule to `each`. */
void each_case(const rule_book *b, const rule_tree *r, void (*each)(const prove_case *, void *),
               void *user);

/* ---- queries (query.c, number.c, hints.c) ---- */

typedef enum theory {
  BITS32,       /* i32 are vectors of 32 bits; floats have a theory of their own */
  INTS,         /* i32 are whole numbers within bounds, which wrap nowhere */
  WRAPPED_INTS, /* … and what an op makes of them is wrapped */
  ABSTRACT,     /* vectors of 32 bits and floats, and ops that may be any functions */
  SIGNS,        /* BITS32, but that a float product's size may be any function */
  BITS8         /* i32 are vectors of 8 bits, and so are the bounds of i32 in conditions */
} theory;

typedef enum goal {
  SAME,    /* the sides do not differ, and the new one adds no error of the run */
  NO_WRAP, /* INTS: no op leaves i32 where the condition holds */
  NEVER    /* the rule never applies */
} goal;

typedef struct word { /* of a value in a query */
  char s[80];
} word;

typedef struct word_pair {
  word a, b;
} word_pair;

typedef struct divided { /* of = by * k: always, or where by divides of */
  word of, by, k;
  bool always;
} divided;

enum { MAX_PAIRS = 12 };

typedef struct query {
  FILE *out;
  const prove_case *c;
  theory in;
  unsigned width;       /* of an i32, in bits */
  const int32_t *fixed; /* INTS: values for the constants in their order, or NULL */
  unsigned defined;     /* values so far, by which they are named */
  unsigned wraps;       /* INTS: obligations so far: w0, w1, … */
  unsigned nguards;     /* conditions under which what is written is computed */
  word guard[UOP_MAX_RULE_DEPTH];
  /* over integers, for hints.c: a // b or a mod b; a * b; the two parts of a gcd */
  unsigned ndivisions, nproducts, nfactors;
  word_pair division[MAX_PAIRS], product[MAX_PAIRS];
  divided factor[MAX_PAIRS];
  bool hints;       /* over integers: with hints.c's */
  bool errors;      /* errors of the run are followed: there is a WHERE, which is lazy */
  bool unsaid;      /* the theory has no such literal: the query is no good */
  const char *smt2; /* folder of the *.smt2 */
} query;

/* Writes a case as a whole SMT-LIB script up to (check-sat) and (get-value). False: the theory does
 * not fit it. */
bool write_query(FILE *out, const prove_case *c, theory in, goal g, bool hints,
                 const int32_t *fixed, const char *smt2);
unsigned count_constants(const prove_case *c);

static inline void add_pair(word_pair *at, unsigned *n, word a, word b) {
  if (*n < MAX_PAIRS) at[(*n)++] = (word_pair){a, b};
}

word define(query *q, const char *sort, const char *fmt, ...);
word var_name(const query *q, uint8_t var);
word int_text(const query *q, int64_t i, unsigned width);
unsigned var_dtype(const query *q, uint8_t var);
bool var_fixed(const query *q, uint8_t var, int64_t *value);

/* number.c: an expression as an i32, or a bool; as a condition. What has no value is assumed not
 * to happen, since the rule does not apply then. */
word write_number(query *q, uint32_t first, uint32_t n, unsigned dtype);
void write_condition(query *q, uint32_t first, uint32_t n);
void write_bounds(query *q); /* lo(x) <= x <= hi(x) */

/* hints.c: what z3 does not find by itself about quotients over integers. Always true. */
void write_hints(query *q);

static inline bool in_ints(const query *q) { return q->in == INTS || q->in == WRAPPED_INTS; }

/* ---- z3 (solver.c) ---- */

typedef enum answer { UNSAT, SAT, UNKNOWN } answer;

typedef struct solver {
  int to, from;
  long pid;
  char *text; /* the last answer's text */
  size_t len, cap;
} solver;

void solver_start(solver *s);
void solver_stop(solver *s);
answer solver_ask(solver *s, const char *script, unsigned timeout_ms);
/* The last answer's values, readable: "x = 5, A = -1". */
void solver_values(const solver *s, unsigned width, char *room, size_t size);

/* ---- attempts (attempt.c) ---- */

typedef enum stand {                 /* from the best on */
                     STANDS_VECTORS, /* every value of 32 bits */
                     STANDS_FLOATS,  /* every bit pattern */
                     STANDS_INTEGERS,
                     STANDS_LISTED, /* over integers, but for the listed constants alone */
                     STANDS_BITS8,
                     STANDS_INEXACT, /* differs, and is in the set `inexact` */
                     STANDS_TESTED,
                     STANDS_NOT
} stand;

extern const char *const stand_names[];

/* How integers settled it, as bits. */
enum { WAY_HINTS = 1, WAY_WRAPPED = 2, WAYS = 4 };
extern const char *const way_names[WAYS];

typedef struct verdict {
  stand on;
  unsigned way; /* of STANDS_INTEGERS */
  bool longer;  /* than QUICK_MS a query */
  char label[256];
  char why[1024]; /* STANDS_NOT: the counterexample, or what is unknown */
} verdict;

/* All attempts, or the one alone that the record names (`known`; NULL: all). */
/* Of the set `inexact` a rule has to differ somewhere. */
void attempt_inexact(solver *s, const prove_case *c, const char *smt2, verdict *v);
void attempt(solver *s, const prove_case *c, const verdict *known, const char *smt2, verdict *v);

/* ---- the record (record.c) ---- */

typedef struct entry { /* of one rule */
  char *id;            /* set.word */
  char *text;          /* in one line */
  char *test;          /* of STANDS_TESTED */
  verdict *v;
  size_t n;
} entry;

typedef struct record {
  entry *at;
  size_t n;
} record;

char *rule_id(const rule_file *f, const rule_tree *r);
char *rule_text_line(const rule_tree *r); /* blanks and comments inside it are one blank */
void record_read(record *rec, const char *path);
void record_write(const record *rec, const char *path);
const entry *record_find(const record *rec, const char *id);
bool entry_stands(const entry *e);
bool entry_is_quick(const entry *e);

/* docs.c: docs/rules.md, to standard output. */
void write_docs(const rule_file *files, size_t n, const record *rec);

#endif
