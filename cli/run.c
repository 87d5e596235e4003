/* run.c - `uopc run`: computes the result and every assert.
 *
 * A failure of one root does not hide another's: each is evaluated, each failing node is reported
 * once, at its statement. Results that go to standard output are printed as they are found; files
 * (-o, --out) are written at the end, when all went well.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WARNINGS 20

typedef struct run_args {
  cli_args common;
  values_args values;
  opt_number max_steps;
  const char *output, *npy;
  bool all, full;
} run_args;

typedef struct runner {
  const run_args *args;
  program p;
  uop_run *run;
  values given;
  uop_map *reported; /* nodes whose failure was told */
  bytes text;        /* what goes to -o FILE */
  size_t warnings;
  size_t failed, unknown; /* asserts that do not hold; that could not be computed */
  bool wrong;             /* something could not be computed or written */
} runner;

static void no_memory(runner *r) {
  diag_say(DIAG_ERROR, "out of memory");
  r->wrong = true;
}

/* ---- evaluating ---- */

static void warn(void *user, const uop_diag *w) {
  runner *r = user;
  if (r->warnings++ < MAX_WARNINGS)
    program_diag(&r->p, DIAG_WARNING, w->node, w->message + w->reason);
}

/* An input without a value: what to type. One that belongs to a CALL's body has none at this level,
 * which is no fault of the program's. */
static void report_missing(runner *r, const uop *input) {
  const char *word = uop_op_find((uop_op)input->op)->text;
  long long slot = (long long)uop_slot(input);
  if (values_is_inner(&r->given, input)) {
    program_diag(&r->p, DIAG_NOTE, input,
                 "this has a value only inside a call; what needs it is left out");
  } else {
    program_error(&r->p);
    r->wrong = true;
  }
  if (!values_is_set(&r->given, input))
    diag_say(DIAG_NOTE,
             "give it one: --%s %lld=VALUE or --%s %lld=@FILE.npy; --fill SEED fills all", word,
             slot, word, slot);
}

/* Tells the context's error, unless its node's was told before. */
static void report(runner *r) {
  const uop_diag *e = uop_error(r->p.ctx);
  const uop *node = e->node;
  uint64_t value;
  if (node && uop_map_get(r->reported, node, &value)) return;
  if (node && e->code == UOP_E_INPUT && (node->op == UOP_PARAM || node->op == UOP_BUFFER)) {
    report_missing(r, node);
  } else {
    program_error(&r->p);
    if (e->code != UOP_E_ASSERT) r->wrong = true;
  }
  if (node && !uop_map_set(r->reported, node, 1)) no_memory(r);
}

static bool eval(runner *r, const uop *u, uop_value *v) {
  if (uop_run_eval(r->run, u, v)) return true;
  report(r);
  return false;
}

/* Whether some CALL of the program has `u` for its body. */
static bool is_body(runner *r, const uop *u) {
  const uop **tops;
  size_t n;
  uop_nodes all = {NULL, 0, 0};
  if (!program_tops(&r->p, &tops, &n)) return false;
  bool found = false;
  if (!uop_toposort(r->p.ctx, tops, n, &all)) no_memory(r);
  for (size_t i = 0; i < all.len && !found; i++)
    found = all.at[i]->op == UOP_CALL && all.at[i]->src[0] == u;
  uop_nodes_free(r->p.ctx, &all);
  free(tops);
  return found;
}

/* Also true of one that a root needs and that was told then. One that is a CALL's body and lacks an
 * input is checked with the CALL's arguments, where the CALL is needed. */
static void eval_asserts(runner *r) {
  const uop_nodes *asserts = &r->p.prog->asserts;
  for (size_t i = 0; i < asserts->len; i++) {
    uop_value none;
    if (uop_run_eval(r->run, asserts->at[i], &none)) continue;
    if (uop_error(r->p.ctx)->code == UOP_E_INPUT && is_body(r, asserts->at[i])) continue;
    report(r);
    const uop_diag *e = uop_error(r->p.ctx);
    if (e->code == UOP_E_ASSERT && e->node == asserts->at[i])
      r->failed++;
    else
      r->unknown++;
  }
}

static void summarise(const runner *r) {
  size_t n = r->p.prog->asserts.len;
  const char *plural = n == 1 ? "" : "s";
  if (r->warnings > MAX_WARNINGS)
    diag_say(DIAG_NOTE, "there are more than %d warnings; the first ones are shown", MAX_WARNINGS);
  if (r->failed > 0 && r->unknown > 0)
    diag_say(DIAG_ERROR, "%zu of %zu asserts failed, %zu could not be computed", r->failed, n,
             r->unknown);
  else if (r->failed > 0)
    diag_say(DIAG_ERROR, "%zu of %zu assert%s failed", r->failed, n, plural);
  else if (r->unknown > 0)
    diag_say(DIAG_ERROR, "%zu of %zu assert%s could not be computed", r->unknown, n, plural);
}

/* ---- showing ---- */

static void emit(runner *r, const char *data, size_t len) {
  const char *path = r->args->output;
  if (!path || strcmp(path, "-") == 0) {
    output_put(data, len);
  } else if (bytes_reserve(&r->text, len)) {
    memcpy(r->text.at + r->text.len, data, len);
    r->text.len += len;
  } else if (!r->wrong) {
    no_memory(r);
  }
}

static void show(runner *r, const uop_stmt *s, const uop_value *v) {
  char type[TYPE_TEXT];
  char *text = uop_value_print(r->p.ctx, v, r->args->full);
  if (!text) {
    no_memory(r);
    return;
  }
  type_text(type, v->dtype, v->dims, v->rank);
  emit(r, "%", 1);
  emit(r, s->name, s->name_len);
  emit(r, " = ", 3);
  emit(r, text, strlen(text));
  emit(r, " : ", 3);
  emit(r, type, strlen(type));
  emit(r, "\n", 1);
  uop_free(r->p.ctx, text);
}

static bool is_result_shown(const runner *r) { /* the .npy has standard output for itself */
  return !(r->args->npy && strcmp(r->args->npy, "-") == 0 && !r->args->output);
}

static void show_all(runner *r) {
  for (size_t i = 0; i < r->p.prog->nstmts; i++) {
    const uop_stmt *s = &r->p.prog->stmts[i];
    uop_value v;
    if (s->name && s->node->dtype != UOP_VOID && eval(r, s->node, &v) && is_result_shown(r))
      show(r, s, &v);
  }
}

/* The last named statement: an effect is run too, but has nothing to show. Its value, for --out. */
static bool eval_result(runner *r, uop_value *v) {
  const uop_program *p = r->p.prog;
  size_t i = p->nstmts;
  while (i > 0 && !p->stmts[i - 1].name) i--;
  if (i == 0 || p->result->op == UOP_ASSERT) return false; /* asserts come by themselves */
  if (!eval(r, p->result, v) || v->dtype == UOP_VOID) return false;
  if (!r->args->all && is_result_shown(r)) show(r, &p->stmts[i - 1], v);
  return true;
}

static void write_npy(runner *r, const uop_value *v) {
  size_t len;
  void *file = uop_npy_write(r->p.ctx, v, &len);
  if (!file)
    no_memory(r);
  else if (!output_write(r->args->npy, file, len))
    r->wrong = true;
  uop_free(r->p.ctx, file);
}

/* ---- the command ---- */

static void run_program(runner *r) {
  const run_args *a = r->args;
  uop_value result;
  if (a->all) show_all(r);
  bool has_result = eval_result(r, &result);
  eval_asserts(r);
  summarise(r);
  if (a->npy && !has_result && !r->wrong) {
    diag_say(DIAG_ERROR, "the program has no result to write to '%s'", a->npy);
    r->wrong = true;
  }
  if (r->failed > 0 || r->unknown > 0) r->wrong = true;
  if (!r->wrong && a->npy) write_npy(r, &result);
  if (!r->wrong && a->output && strcmp(a->output, "-") != 0)
    r->wrong = !output_write(a->output, r->text.at, r->text.len);
}

static int start(runner *r) {
  const run_args *a = r->args;
  uop_run_options options = {.max_steps = a->max_steps.value,
                             .max_bytes = a->values.max_bytes.value,
                             .warn = warn,
                             .user = r};
  if (!program_load(&r->p, &a->common)) return CLI_WRONG;
  r->run = uop_run_new(r->p.ctx, &options);
  r->reported = uop_map_new(r->p.ctx);
  if (!r->run || !r->reported) {
    no_memory(r);
    return CLI_WRONG;
  }
  int status = values_give(&r->given, &r->p, r->run, &a->values, a->all, &command_run);
  if (status != CLI_FINE) return status;
  run_program(r);
  return r->wrong ? CLI_WRONG : CLI_FINE;
}

static int run(const void *arguments) {
  runner r = {.args = arguments};
  if (r.args->npy && output_is_terminal(r.args->npy)) return CLI_USAGE;
  if (r.args->npy && r.args->output && strcmp(r.args->npy, r.args->output) == 0)
    return diag_usage(&command_run, "--out and -o are both '%s'", r.args->npy);
  int status = start(&r);
  uop_map_free(r.reported);
  uop_run_free(r.run);
  if (r.p.ctx) values_free(&r.given, r.p.ctx);
  program_free(&r.p);
  free(r.text.at);
  return status;
}

static const opt_row options[] = {
    {0, "param", OPT_LIST, offsetof(run_args, values.params), "SLOT=VALUE",
     "the value of a param: 0=5, '0=[[1, 2], [3, 4]]',\nor 0=@FILE.npy; one option for each"},
    {0, "buffer", OPT_LIST, offsetof(run_args, values.buffers), "SLOT=VALUE",
     "the contents of a buffer, likewise"},
    {0, "fill", OPT_SEED, offsetof(run_args, values.fill), "SEED",
     "fill the inputs that are not given with\nreproducible data made from the number SEED"},
    {0, "all", OPT_FLAG, offsetof(run_args, all), NULL, "print every named statement"},
    {0, "full", OPT_FLAG, offsetof(run_args, full), NULL, "print long arrays in full"},
    {0, "out", OPT_TEXT, offsetof(run_args, npy), "FILE",
     "write the result to FILE as a numpy array (.npy)"},
    {'o', "output", OPT_TEXT, offsetof(run_args, output), "FILE", "write what is printed to FILE"},
    {0, "max-steps", OPT_COUNT, offsetof(run_args, max_steps), "N",
     "stop when N elements are computed\n(default: 8589934592)"},
    {0, "max-bytes", OPT_BYTES, offsetof(run_args, values.max_bytes), "N",
     "stop when values take N bytes; 64M and 2G may be\nwritten (default: 2G)"},
    OPT_ROW_TEXTS,
    OPT_ROW_END,
};

_Static_assert(UOP_DEFAULT_STEPS == 8589934592 && UOP_DEFAULT_BYTES == UINT64_C(2) << 30,
               "the help text above names the defaults");

const command command_run = {
    .name = "run",
    .summary = "run the program and print its result",
    .about = "Runs a program: prints its result, the last named statement, and checks every\n"
             "assert. A value takes the dtype that the program's param or buffer has. The exit\n"
             "status is 1 when something cannot be computed or an assert fails; no file is\n"
             "written then.",
    .examples = "  uopc run prog.uir\n"
                "  uopc run -e '%c = add 2 3'\n"
                "  uopc run prog.uir --param '0=[1, 2, 3]' --buffer 0=@w.npy --out y.npy\n"
                "  uopc run prog.uir --fill 1 --all",
    .options = options,
    .args_size = sizeof(run_args),
    .run = run,
};
