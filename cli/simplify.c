/* simplify.c - `uopc simplify`: the program with the same values and, where rules find some, less
 * work.
 */
#include "cli.h"

#include <string.h>

typedef struct simplify_args {
  cli_args common;
  opt_list sets;
  const char *output;
  bool trace, count, stats;
} simplify_args;

static int check_args(const simplify_args *args) {
  for (size_t i = 0; i < args->sets.len; i++) {
    int status = rules_find_set(args->sets.at[i], &command_simplify);
    if (status != CLI_FINE) return status;
  }
  return CLI_FINE;
}

static bool add_rules(rewriting *j, const simplify_args *args) {
  uop_ctx *ctx = j->p.ctx;
  j->rules = rules_new(ctx);
  bool ok = j->rules != NULL;
  if (ok && args->sets.len == 0) ok = rules_add_set(j->rules, ctx, "simplify");
  for (size_t i = 0; ok && i < args->sets.len; i++)
    ok = rules_add_set(j->rules, ctx, args->sets.at[i]);
  return ok;
}

/* ---- --stats ---- */

typedef struct size {
  uop_counts counts;
  uop_cost cost;
} size;

static bool measure(const rewriting *j, const uop *const *roots, size *s) {
  size_t n = j->p.prog->roots.len;
  return uop_count(j->p.ctx, roots, n, &s->counts) && uop_cost_of(j->p.ctx, roots, n, &s->cost);
}

static void put_row(const char *label, uint64_t before, uint64_t after) {
  fprintf(stderr, "%-8s %20llu %20llu\n", label, (unsigned long long)before,
          (unsigned long long)after);
}

static bool print_stats(const rewriting *j) {
  size before, after;
  if (!measure(j, j->p.prog->roots.at, &before) || !measure(j, j->roots, &after)) {
    diag_say(DIAG_ERROR, "out of memory");
    return false;
  }
  fprintf(stderr, "%-8s %20s %20s\n", "", "before", "after");
  put_row("nodes", before.counts.nodes, after.counts.nodes);
  put_row("ops", before.counts.ops, after.counts.ops);
  put_row("depth", before.counts.depth, after.counts.depth);
  put_row("work", before.cost.work, after.cost.work);
  put_row("bytes", before.cost.bytes, after.cost.bytes);
  return true;
}

/* ---- all of it ---- */

/* Sums and products that are gathered are no rule's hits. */
static bool trace(void *user, const uop_rewrite_step *step) {
  rewriting *j = user;
  j->gathered += strcmp(step->rule, "gather") == 0;
  return j->quiet || rewriting_trace(j, step);
}

static bool apply(rewriting *j, const simplify_args *args) {
  const uop_nodes *roots = &j->p.prog->roots;
  uop_rewrite_options options = {.trace = trace, .user = j};
  j->quiet = !args->trace;
  if (!rewriting_begin(j)) return false;
  options.origins = j->origins;
  bool ok = uop_simplify(j->rules, roots->at, roots->len, &options, j->roots);
  if (!ok) rewriting_report(j);
  if (args->count && !rewriting_counts(j)) return false;
  return ok && (!args->stats || print_stats(j));
}

static int simplify(const void *arguments) {
  const simplify_args *args = arguments;
  rewriting j = {0};
  int status = check_args(args);
  if (status != CLI_FINE) return status;
  bool ok = program_load(&j.p, &args->common) && add_rules(&j, args) && apply(&j, args) &&
            rewriting_print(&j, args->output);
  rewriting_free(&j);
  ok = ok && (!(args->trace || args->count || args->stats) || diag_told());
  return ok ? CLI_FINE : CLI_WRONG;
}

static const opt_row options[] = {
    {0, "set", OPT_LIST, offsetof(simplify_args, sets), "NAME",
     "rules of this set instead of all that are exact,\n"
     "for which simplify stands: see uopc rules"},
    {0, "stats", OPT_FLAG, offsetof(simplify_args, stats), NULL,
     "print to standard error how large the program is,\nbefore and after"},
    {0, "trace", OPT_FLAG, offsetof(simplify_args, trace), NULL,
     "print each replacement to standard error:\nthe rule, the node, what it becomes"},
    {0, "count", OPT_FLAG, offsetof(simplify_args, count), NULL,
     "print to standard error how often each rule\napplied"},
    {'o', "output", OPT_TEXT, offsetof(simplify_args, output), "FILE",
     "write to FILE, which may be the input itself"},
    OPT_ROW_TEXTS,
    OPT_ROW_END,
};

const command command_simplify = {
    .name = "simplify",
    .summary = "print an equal program that takes less work",
    .about = "Simplifies the result and the asserts of a program, and prints it in canonical\n"
             "form: the same values for all inputs, bit for bit, and never more work. Errors of\n"
             "a run may be gone, where what failed does not matter; none is added. docs/rules.md\n"
             "lists the rules; --set inexact has some that hold of real numbers only, and --set\n"
             "inline puts bodies in the place of CALLs (where a body is memory and its CALL is\n"
             "not, or the other way round, the CALL stays).",
    .examples =
        "  uopc simplify prog.uir\n"
        "  uopc simplify --stats --count prog.uir -o smaller.uir\n"
        "  uopc simplify --set simplify --set inexact prog.uir\n"
        "  uopc simplify -e '%p = param 0 dtype=i32' -e '%q = mod (max %p 0) 8' -e '%r = lt %q 8'",
    .options = options,
    .args_size = sizeof(simplify_args),
    .run = simplify,
};
