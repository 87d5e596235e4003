/* rewrite.c - `uopc rewrite`: what rewrite rules make of a program, and how. They are tried in the
 * order of the command line, files and built-in sets alike.
 */
#include "cli.h"

#include <string.h>

typedef struct rewrite_args {
  cli_args common;
  opt_list rules; /* "rules" or "set", and then which */
  const char *order, *output;
  opt_number max_steps;
  bool trace, count;
} rewrite_args;

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

static bool add_rules(rewriting *j, const rewrite_args *args) {
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

/* ---- all of it ---- */

static bool apply(rewriting *j, const rewrite_args *args, uop_rewrite_order order) {
  const uop_nodes *roots = &j->p.prog->roots;
  uop_rewrite_options options = {.order = order,
                                 .max_steps = args->max_steps.value,
                                 .trace = args->trace ? rewriting_trace : NULL,
                                 .user = j};
  if (!rewriting_begin(j)) return false;
  options.origins = j->origins;
  bool ok = uop_rewrite(j->rules, roots->at, roots->len, &options, j->roots);
  if (!ok) rewriting_report(j);
  return (!args->count || rewriting_counts(j)) && ok;
}

static int rewrite(const void *arguments) {
  const rewrite_args *args = arguments;
  rewriting j = {0};
  uop_rewrite_order order;
  int status = check_args(args);
  if (status == CLI_FINE) status = find_order(args->order, &order);
  if (status != CLI_FINE) return status;
  bool ok = program_load(&j.p, &args->common) && add_rules(&j, args) && apply(&j, args, order) &&
            rewriting_print(&j, args->output);
  rewriting_free(&j);
  ok = ok && (!(args->trace || args->count) || diag_told());
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
