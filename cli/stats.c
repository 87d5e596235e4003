/* stats.c - `uopc stats`: how large the graph of all statements is, and what it is made of. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

#define LABEL "%-18s"

typedef struct stats_args {
  cli_args common;
  const char *output;
} stats_args;

static void put_tree(const uop_counts *c, FILE *f) {
  if (c->tree != UINT64_MAX) {
    fprintf(f, LABEL "%llu\n", "  as a tree", (unsigned long long)c->tree);
    return;
  }
  double exponent = floor(c->tree_log10), digits = pow(10, c->tree_log10 - exponent);
  if (digits >= 9.995) { /* would print as 10.00 */
    digits = 1;
    exponent += 1;
  }
  fprintf(f, LABEL "about %.2fe%.0f\n", "  as a tree", digits, exponent);
}

typedef struct row {
  uop_op op;
  uint64_t count;
} row;

static int by_count(const void *a, const void *b) {
  const row *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  return (x->op > y->op) - (x->op < y->op);
}

static void put_histogram(const uop_counts *c, FILE *f) {
  row rows[UOP_OP_COUNT];
  for (int i = 0; i < UOP_OP_COUNT; i++) rows[i] = (row){(uop_op)i, c->by_op[i]};
  qsort(rows, UOP_OP_COUNT, sizeof *rows, by_count);
  for (int i = 0; i < UOP_OP_COUNT && rows[i].count > 0; i++)
    fprintf(f, "  %-16s%llu\n", uop_op_find(rows[i].op)->text, (unsigned long long)rows[i].count);
}

static void put_inputs(const uop_nodes *inputs, FILE *f) {
  char type[TYPE_TEXT], label[48];
  if (inputs->len > 0) fputs("inputs\n", f);
  for (size_t i = 0; i < inputs->len; i++) {
    const uop *u = inputs->at[i];
    bool in_memory = u->op == UOP_PARAM && u->space != UOP_SPACE_ALU;
    snprintf(label, sizeof label, "  %s %lld", uop_op_find((uop_op)u->op)->text,
             (long long)uop_slot(u));
    fprintf(f, LABEL "%s%s%s\n", label, type_of_node(type, u), in_memory ? " " : "",
            in_memory ? uop_space_name((uop_space)u->space) : "");
  }
}

/* What the tops' graph takes, and what the result can be. */
typedef struct estimates {
  uop_cost cost;
  bool has_bounds;
  uop_interval bounds;
} estimates;

static void put_estimates(const estimates *e, FILE *f) {
  fprintf(f, LABEL "%llu\n", "work", (unsigned long long)e->cost.work);
  fprintf(f, LABEL "%llu\n", "bytes", (unsigned long long)e->cost.bytes);
  if (e->has_bounds)
    fprintf(f, LABEL "%lld..%lld\n", "bounds", (long long)e->bounds.lo, (long long)e->bounds.hi);
}

static void put_all(const program *p, const uop_counts *c, const estimates *e,
                    const uop_nodes *inputs, FILE *f) {
  fprintf(f, LABEL "%zu\n", "statements", p->prog->nstmts);
  fprintf(f, LABEL "%zu\n", "asserts", p->prog->asserts.len);
  fprintf(f, LABEL "%llu\n", "nodes", (unsigned long long)c->nodes);
  put_tree(c, f);
  fprintf(f, LABEL "%llu\n", "depth", (unsigned long long)c->depth);
  fprintf(f, LABEL "%llu\n", "ops", (unsigned long long)c->ops);
  put_estimates(e, f);
  put_histogram(c, f);
  put_inputs(inputs, f);
}

static bool count(program *p, uop_counts *out, estimates *e) {
  const uop **tops, *result = p->prog->result;
  size_t n;
  if (!program_tops(p, &tops, &n)) return false;
  e->has_bounds = result->dtype == UOP_I32 || result->dtype == UOP_BOOL;
  bool ok = uop_count(p->ctx, tops, n, out) && uop_cost_of(p->ctx, tops, n, &e->cost) &&
            (!e->has_bounds || uop_bounds(NULL, result, &e->bounds));
  if (!ok) diag_say(DIAG_ERROR, "out of memory");
  free(tops);
  return ok;
}

static bool write_stats(program *p, const char *path) {
  size_t len = 0;
  char *text = NULL;
  uop_counts counts;
  estimates e;
  uop_nodes inputs = {NULL, 0, 0};
  if (!count(p, &counts, &e) || !program_inputs(p, &inputs)) return false;
  FILE *f = open_memstream(&text, &len);
  if (f) put_all(p, &counts, &e, &inputs, f);
  bool ok = f && !ferror(f);
  if (f && (fclose(f) != 0 || !text)) ok = false; /* glibc's fclose() says nothing of text */
  if (!ok) diag_say(DIAG_ERROR, "out of memory");
  ok = ok && output_write(path, text, len);
  free(text);
  uop_nodes_free(p->ctx, &inputs);
  return ok;
}

static int stats(const void *arguments) {
  const stats_args *args = arguments;
  program p = {0};
  bool ok = program_load(&p, &args->common) && write_stats(&p, args->output);
  program_free(&p);
  return ok ? CLI_FINE : CLI_WRONG;
}

static const opt_row options[] = {
    {'o', "output", OPT_TEXT, offsetof(stats_args, output), "FILE", "write to FILE"},
    OPT_ROW_TEXTS,
    OPT_ROW_END,
};

const command command_stats = {
    .name = "stats",
    .summary = "count nodes, depth and ops",
    .about = "Prints, for the graph of all statements: its distinct nodes, how many they would\n"
             "be written out as a tree, the depth in edges of its longest path, its ops (nodes\n"
             "that are neither const nor param), how often each op occurs, and its inputs.\n"
             "Also estimates: the work in additions, the bytes that ops read and write, and,\n"
             "where the result is i32 or bool, an interval that has every value of it.",
    .examples = "  uopc stats prog.uir\n"
                "  uopc stats -e '%x = param 0' -e '%y = mul %x %x' -e '%z = mul %y %y'",
    .options = options,
    .args_size = sizeof(stats_args),
    .run = stats,
};
