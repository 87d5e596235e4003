/* rewrite.c - `uopc rewrite`: what rewrite rules make of a program, and how.
 *
 * All roots, the asserts and the result, are rewritten together. The rules are tried in the order
 * of the command line, files and built-in sets alike. Where each new node comes from is recorded,
 * so that an error is told at the statement that it is about.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { TRACE_WIDTH = 160 }; /* bytes of a node in --trace; the rest is "..." */

typedef struct rewrite_args {
  cli_args common;
  opt_list rules; /* "rules" or "set", and then which */
  const char *order, *output;
  opt_number max_steps;
  bool trace, count;
} rewrite_args;

typedef struct job {
  program p;
  uop_rules *rules;
  uop_map *origins;
  const uop **roots; /* what became of the program's */
  bool no_memory;    /* in the trace */
} job;

/* ---- the command line ---- */

/* Reads the name of an order. */
static int find_order(const char *name, uop_rewrite_order *out) {
  static const char *const names[] = {
      [UOP_BOTTOM_UP] = "bottom-up", [UOP_TOP_DOWN] = "top-down", [UOP_ONE_PASS] = "one-pass"};
  *out = UOP_BOTTOM_UP;
  if (!name) return CLI_FINE;
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (strcmp(names[i], name) == 0) return *out = (uop_rewrite_order)i, CLI_FINE;
  const char *likely = nearest_word(name, names, COUNT_OF(names), sizeof *names);
  if (likely) return diag_usage(&command_rewrite, "--order '%s'; did you mean '%s'?", name, likely);
  return diag_usage(&command_rewrite, "--order '%s': it is bottom-up, top-down or one-pass", name);
}

static bool is_file(const rewrite_args *args, size_t i) {
  return strcmp(args->rules.at[i], "rules") == 0;
}

static int check_args(const rewrite_args *args) {
  size_t from_stdin = args->common.file && strcmp(args->common.file, "-") == 0;
  if (args->rules.len == 0)
    return diag_usage(&command_rewrite, "no rules: give --rules FILE or --set NAME");
  for (size_t i = 0; i < args->rules.len; i += 2) {
    const char *name = args->rules.at[i + 1];
    int status = is_file(args, i) ? CLI_FINE : rules_find_set(name, &command_rewrite);
    if (status != CLI_FINE) return status;
    from_stdin += is_file(args, i) && strcmp(name, "-") == 0;
  }
  if (from_stdin > 1) return diag_usage(&command_rewrite, "standard input can be read only once");
  return CLI_FINE;
}

static bool add_rules(job *j, const rewrite_args *args) {
  uop_ctx *ctx = j->p.ctx;
  j->rules = rules_new(ctx);
  bool ok = j->rules != NULL;
  for (size_t i = 0; ok && i < args->rules.len; i += 2) {
    const char *name = args->rules.at[i + 1];
    ok =
        is_file(args, i) ? rules_add_file(j->rules, ctx, name) : rules_add_set(j->rules, ctx, name);
  }
  return ok;
}

/* ---- --trace ---- */

/* A node as text. False: out of memory, which shows as "..." where there is room for more. */
static bool node_text(const uop *u, char text[TRACE_WIDTH + 1]) {
  size_t n = uop_repr(u, text, TRACE_WIDTH + 1);
  return n == TRACE_WIDTH || n < 3 || strcmp(text + n - 3, "...") != 0;
}

static bool trace_step(void *user, const uop_rewrite_step *step) {
  job *j = user;
  char before[TRACE_WIDTH + 1], after[TRACE_WIDTH + 1];
  j->no_memory = !node_text(step->before, before) || !node_text(step->after, after);
  if (!j->no_memory) fprintf(stderr, "%s: %s -> %s\n", step->rule, before, after);
  return !j->no_memory;
}

/* ---- --count ---- */

typedef struct row {
  const char *name;
  uint64_t hits;
  size_t place;
} row;

static int by_hits(const void *a, const void *b) {
  const row *x = a, *y = b;
  if (x->hits != y->hits) return x->hits < y->hits ? 1 : -1;
  return (x->place > y->place) - (x->place < y->place);
}

static bool print_counts(const uop_rules *r) {
  size_t n = 0, width = strlen("total");
  uint64_t total = 0;
  uop_rule_info rule;
  row *rows = malloc((uop_rules_len(r) + 1) * sizeof *rows);
  if (!rows) {
    diag_say(DIAG_ERROR, "out of memory");
    return false;
  }
  for (size_t i = 0; uop_rules_get(r, i, &rule); i++) {
    if (rule.hits == 0) continue;
    rows[n++] = (row){rule.name, rule.hits, i};
    total += rule.hits;
    if (strlen(rule.name) > width) width = strlen(rule.name);
  }
  qsort(rows, n, sizeof *rows, by_hits);
  fprintf(stderr, "%-*s %10s\n", (int)width, "rule", "hits");
  rows[n++] = (row){"total", total, 0};
  for (size_t i = 0; i < n; i++)
    fprintf(stderr, "%-*s %10llu\n", (int)width, rows[i].name, (unsigned long long)rows[i].hits);
  free(rows);
  return true;
}

/* ---- all of it ---- */

static void report(job *j) {
  const uop_diag *e = uop_error(j->p.ctx);
  const uop *node = e->node ? uop_origin(j->origins, e->node) : NULL;
  if (j->no_memory)
    diag_say(DIAG_ERROR, "out of memory");
  else
    program_diag(&j->p, DIAG_ERROR, node, e->message + e->reason);
}

static bool apply(job *j, const rewrite_args *args, uop_rewrite_order order) {
  const uop_nodes *roots = &j->p.prog->roots;
  uop_rewrite_options options = {.order = order,
                                 .max_steps = args->max_steps.value,
                                 .trace = args->trace ? trace_step : NULL,
                                 .user = j};
  j->roots = malloc((roots->len + 1) * sizeof *j->roots);
  j->origins = uop_map_new(j->p.ctx);
  options.origins = j->origins;
  if (!j->roots || !j->origins) {
    diag_say(DIAG_ERROR, "out of memory");
    return false;
  }
  bool ok = uop_rewrite(j->rules, roots->at, roots->len, &options, j->roots);
  if (!ok) report(j);
  return (!args->count || print_counts(j->rules)) && ok;
}

static bool print(job *j, const char *path) {
  size_t len = 0;
  char *text = uop_print_roots(j->p.ctx, j->roots, j->p.prog->roots.len, &len);
  if (!text) diag_say(DIAG_ERROR, "out of memory");
  bool ok = text && output_write(path, text, len);
  uop_free(j->p.ctx, text);
  return ok;
}

static int rewrite(const void *arguments) {
  const rewrite_args *args = arguments;
  job j = {0};
  uop_rewrite_order order;
  int status = check_args(args);
  if (status == CLI_FINE) status = find_order(args->order, &order);
  if (status != CLI_FINE) return status;
  bool ok = program_load(&j.p, &args->common) && add_rules(&j, args) && apply(&j, args, order) &&
            print(&j, args->output);
  uop_map_free(j.origins);
  uop_rules_free(j.rules);
  free(j.roots);
  program_free(&j.p);
  return ok ? CLI_FINE : CLI_WRONG;
}

static const opt_row options[] = {
    {0, "rules", OPT_NAMED, offsetof(rewrite_args, rules), "FILE",
     "the rules of a file; - is standard input"},
    {0, "set", OPT_NAMED, offsetof(rewrite_args, rules), "NAME",
     "the rules of a built-in set: see uopc rules"},
    {0, "order", OPT_TEXT, offsetof(rewrite_args, order), "ORDER",
     "bottom-up (unless given): sources first, and what\n"
     "replaces a node again, until nothing applies;\n"
     "top-down: a node before its sources;\n"
     "one-pass: sources first, each node once"},
    {0, "max-steps", OPT_COUNT, offsetof(rewrite_args, max_steps), "N",
     "stop after N replacements (10000, and 100 for\neach node)"},
    {0, "trace", OPT_FLAG, offsetof(rewrite_args, trace), NULL,
     "print each replacement to standard error:\nthe rule, the node, what it becomes"},
    {0, "count", OPT_FLAG, offsetof(rewrite_args, count), NULL,
     "print to standard error how often each rule\napplied"},
    {'o', "output", OPT_TEXT, offsetof(rewrite_args, output), "FILE",
     "write to FILE, which may be the input itself"},
    OPT_ROW_TEXTS,
    OPT_ROW_END,
};

const command command_rewrite = {
    .name = "rewrite",
    .summary = "apply rewrite rules and print the program",
    .about = "Rewrites the result and the asserts of a program by rules, and prints it in\n"
             "canonical form. Rules come from files and built-in sets, of which several may be\n"
             "given; they are tried in the order of the command line, and the first that\n"
             "applies to a node replaces it. docs/rewriting.md teaches the language of rules.",
    .examples = "  uopc rewrite --rules my.rules prog.uir\n"
                "  uopc rewrite --set i32 --set fold --trace prog.uir\n"
                "  uopc rewrite --set i32 -e '%x = param 0 dtype=i32' -e '%y = add %x 0'",
    .options = options,
    .args_size = sizeof(rewrite_args),
    .run = rewrite,
};
