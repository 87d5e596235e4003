/* cli.h - what the files of the command share.
 *
 * uopc is a thin shell around libuop: it uses uop.h and the C library, never src/. The way of one
 * command: main.c finds it, options.c fills its args struct from its option table, program.c reads
 * and parses the input (input.c), the command's file does its work, output.c writes the result.
 *
 * What holds everywhere:
 *  - Results go to standard output (or -o FILE), everything else to standard error, by diag.c.
 *  - Whoever finds a failure reports it, once; its callers only pass on false or a status.
 *  - Text from outside (file names, source lines, arguments) reaches a terminal escaped.
 *  - Everything allocated is freed, on every path.
 */
#ifndef CLI_H
#define CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "uop.h"

/* Exit statuses. */
enum {
  CLI_FINE = 0,
  CLI_WRONG = 1, /* the program is wrong, an assert failed, a file cannot be read or written */
  CLI_USAGE = 2, /* the command line is wrong */
  CLI_INTERRUPTED = 130 /* by Ctrl-C: what shells make of SIGINT */
};

#define COUNT_OF(a) (sizeof(a) / sizeof(a)[0])

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* ---- options.c ---- */

typedef struct opt_list { /* values of an option that may be repeated; they belong to argv */
  const char **at;
  size_t len;
} opt_list;

typedef struct opt_number {
  bool given;
  uint64_t value;
} opt_number;

typedef enum opt_kind {
  OPT_FLAG,  /* bool */
  OPT_TEXT,  /* const char *, at most once */
  OPT_LIST,  /* opt_list */
  OPT_NAMED, /* opt_list: the option's name, then its value; rows that share a list keep the order
                of the command line */
  OPT_SEED,  /* opt_number from 0 */
  OPT_COUNT, /* opt_number from 1 */
  OPT_BYTES  /* opt_number from 1; K, M, G, T stand for powers of 1,024 */
} opt_kind;

/* One row describes an option to the parser and to the help text. */
typedef struct opt_row {
  char letter;      /* 0: none */
  const char *name; /* NULL: none; a row with neither ends the table */
  opt_kind kind;
  size_t offset;     /* of its field in the command's args */
  const char *value; /* what help calls the value; NULL for a flag */
  const char *help;  /* lines of at most 50 columns */
} opt_row;

/* The first member of every command's args. */
typedef struct cli_args {
  const char *file; /* the operand; "-" is standard input; NULL with -e, or where it may lack */
  opt_list texts;   /* of -e */
} cli_args;

#define OPT_ROW_TEXTS                                                              \
  {                                                                                \
    'e', NULL, OPT_LIST, offsetof(cli_args, texts), "TEXT",                        \
        "take TEXT as the program instead of a file;\neach further -e adds a line" \
  }
#define OPT_ROW_END \
  { 0, NULL, OPT_FLAG, 0, NULL, NULL }

typedef struct command {
  const char *name;
  const char *summary;    /* for the list of commands */
  const char *about;      /* paragraphs for `uopc help NAME`, lines of at most 80 columns */
  const char *examples;   /* indented lines */
  const char *operand;    /* what help calls one that may lack; NULL: FILE, a program */
  const opt_row *options; /* ended by OPT_ROW_END */
  size_t args_size;
  int (*run)(const void *args); /* returns the exit status */
} command;

/* Fills `args`, zeroed and of cmd->args_size bytes, from the arguments after the command's name.
 * False when the command is not to be run; then *status is the exit status. Either way
 * options_free() follows. */
bool options_parse(const command *cmd, int argc, char **argv, void *args, int *status);
void options_free(const command *cmd, void *args);
void options_help(const command *cmd, FILE *f);

/* Which of n words (`stride` bytes apart, each a const char *, NULLs passed over) `word` is likely
 * meant to be; NULL for none. */
const char *nearest_word(const char *word, const void *words, size_t n, size_t stride);

/* ---- input.c ---- */

typedef struct bytes { /* a growing buffer; zero-initialise, free(b.at) */
  char *at;
  size_t len, cap;
} bytes;

/* Room for `more` bytes past len. False: out of memory, not reported. */
bool bytes_reserve(bytes *b, size_t more);

/* All of `path`, "-" being standard input, if it is no longer than `limit`. */
bool input_read(const char *path, uint64_t limit, bytes *out);

/* ---- output.c ---- */

/* Writes a whole result: to standard output where `path` is NULL or "-", else to the file, which
 * either gets all of it or stays as it was. */
bool output_write(const char *path, const void *data, size_t len);

/* To standard output, buffered; a failure is reported by output_finish(). False: stop writing. */
bool output_put(const void *data, size_t len);

/* What was put so far, before something goes to standard error. */
void output_flush(void);

/* At the end: false, reported, when any of standard output could not be written. */
bool output_finish(void);

/* Whether writing `path` would put bytes that are no text on a terminal; reported then. */
bool output_is_terminal(const char *path);

/* ---- diag.c ---- */

typedef struct source { /* the text that diagnostics quote */
  const char *name;     /* a path, "<stdin>" or "<command line>" */
  const char *text;
  size_t len;
  size_t line, offset; /* private: the line found last and where it begins */
} source;

typedef enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE } diag_level;

/* Decides about colour; before anything is printed. */
void diag_begin(void);

/* "file:3:14: error: message", the line, and a caret. `line` 0: "file: error: message" alone. */
void diag_at(source *src, diag_level level, uint32_t line, uint32_t column, uint32_t length,
             const char *message);
void diag_print(source *src, diag_level level, const uop_diag *d);

/* "uopc: error: message" and the like, without a place. */
void diag_say(diag_level level, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same of a wrong command line, then where its help is. Returns CLI_USAGE. */
int diag_usage(const command *cmd, const char *format, ...) PRINTF_LIKE(2, 3);

/* Whether all that was asked for on standard error got there; where not, nobody can be told. */
bool diag_told(void);

/* ---- program.c ---- */

typedef struct program {
  uop_ctx *ctx;
  uop_program *prog;
  source src;
  bool is_stdin; /* it came from standard input, which is used up then */
  bytes text;    /* what was read, as long as prog has no copy of it */
} program;

/* Reads and parses what `args` names and reports what is wrong with it. Either way
 * program_free() follows. */
bool program_load(program *p, const cli_args *args);
void program_free(program *p);

/* The nodes that statements stand for and no other node uses, each once: together they cover all
 * statements. *out is freed with free(). False: out of memory, reported. */
bool program_tops(program *p, const uop ***out, size_t *n);

/* The PARAMs and BUFFERs that statements and the result ask for, those inside CALL bodies left out.
 * *out is freed with uop_nodes_free(). False: out of memory, reported. */
bool program_inputs(program *p, uop_nodes *out);

/* Reports the context's error at the statement of its node. */
void program_error(program *p);
void program_diag(program *p, diag_level level, const uop *node, const char *message);

#define TYPE_TEXT 512
/* "f32 (2, 3)" into buf, of TYPE_TEXT bytes; returns buf. */
const char *type_text(char *buf, uop_dtype d, const int64_t *dims, uint32_t rank);
const char *type_of_node(char *buf, const uop *u);

/* ---- values.c: what a run is given ---- */

typedef struct given {
  const uop *node;  /* a PARAM or BUFFER; others of its slot and type share its value */
  const uop *rival; /* one of the same slot and another type, or NULL */
  bool is_inner;    /* only CALL bodies use it */
  bool is_set;      /* and so owns its value */
  uop_value value;
} given;

typedef struct values { /* zero-initialise */
  given *at;            /* by op, then slot */
  size_t len;
  uop_map *outer; /* the inputs that are used outside CALL bodies */
} values;

typedef struct values_args {
  opt_list params, buffers; /* SLOT=VALUE */
  opt_number fill;
  opt_number max_bytes; /* the run's budget; what is filled has to keep to it too */
} values_args;

/* Finds the inputs of the program, with `all` those of CALL bodies too, and hands them to the run
 * as `args` says; what is wrong is reported. Returns a status. values_free() follows in any case,
 * once the run is freed. */
int values_give(values *v, program *p, uop_run *run, const values_args *args, bool all,
                const command *cmd);
void values_free(values *v, uop_ctx *ctx);
bool values_is_inner(const values *v, const uop *input);
bool values_is_set(const values *v, const uop *input);

/* ---- show.c: what a run prints ---- */

typedef struct sheet { /* zero-initialise; free(s.text.at) */
  const char *path;    /* of -o; NULL or "-": standard output */
  bool full, json;
  bytes text;  /* what is to go to `path` */
  bool failed; /* out of memory, not reported */
} sheet;

void sheet_value(sheet *s, uop_ctx *ctx, const uop_stmt *stmt, const uop_value *v);
/* The last line of JSON; of text there is none. */
void sheet_asserts(sheet *s, size_t total, size_t failed, size_t unknown);

/* ---- watch.c: a run under way ---- */

typedef struct watch {
  double begin, next; /* seconds: of the run; when the line is due */
  int shown;          /* columns of the line; 0: it is hidden */
  bool is_on;
} watch;

double watch_seconds(void); /* since whenever */
void watch_begin(watch *w);
void watch_tell(watch *w, const uop_run_stats *now);
void watch_hide(watch *w); /* before anything else is printed */

/* Between the two, the first SIGINT cancels the run. */
void watch_signals(uop_run *run);
void watch_signals_end(void);
bool watch_is_interrupted(void);

/* ---- times.c ---- */

/* The table of --time; `seconds` passed while the run computed. */
void times_print(const uop_run *run, double seconds);

/* ---- rules.c ---- */

/* An empty list of rules, whose texts may call the functions of built-in sets; NULL: out of memory,
 * reported. To be freed with uop_rules_free(), before the context. */
uop_rules *rules_new(uop_ctx *ctx);

/* Whether there is such a built-in set; a status, of a wrong command line where not. */
int rules_find_set(const char *name, const command *cmd);

/* Adds the rules of a file, "-" being standard input, or of a built-in set, and reports what is
 * wrong with them; warnings too. */
bool rules_add_file(uop_rules *r, uop_ctx *ctx, const char *path);
bool rules_add_set(uop_rules *r, uop_ctx *ctx, const char *name);

/* ---- graphviz.c ---- */

/* What Graphviz makes of the DOT text; `format` is "svg" or "png". */
bool graphviz_render(const char *format, const char *dot, size_t len, bytes *out);

/* ---- rewriting.c ---- */

typedef struct rewriting { /* zero-initialise; rewriting_free() in any case */
  program p;
  uop_rules *rules;
  uop_map *origins;
  const uop **roots; /* what became of the program's */
  uint64_t gathered; /* steps of uop_simplify() that are no rule's */
  bool quiet;        /* such steps are counted, and none is printed */
  bool no_memory;    /* in the trace */
} rewriting;

/* Once the program is loaded: room for what becomes of it. False: out of memory, reported. */
bool rewriting_begin(rewriting *j);
void rewriting_free(rewriting *j);

/* For uop_rewrite_options.trace, with the rewriting as its user: a line for each step. */
bool rewriting_trace(void *user, const uop_rewrite_step *step);

/* Why rewriting failed; how often each rule applied (false: out of memory, reported). */
void rewriting_report(rewriting *j);
bool rewriting_counts(const rewriting *j);

/* The roots as a program to `path`, as output_write(). */
bool rewriting_print(rewriting *j, const char *path);

/* ---- one file each ---- */

extern const command command_check, command_fmt, command_run, command_graph, command_stats,
    command_rewrite, command_rules, command_simplify;

#endif
