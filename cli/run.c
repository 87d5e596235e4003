/* run.c - `uopc run`: computes the result and every assert.
 *
 * A failure of one root does not hide another's: each is evaluated, each failing node is reported
 * once, at its statement. But what all others would run into as well, Ctrl-C, a used-up budget or
 * no memory, ends the run (`stopped`). Values that go to standard output are printed as they are
 * found; files (-o, --out) are written at the end, when all went well.
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
  bool all, full, json, time;
} run_args;

typedef struct runner {
  const run_args *args;
  program p;
  uop_run *run;
  values given;
  sheet sheet;
  watch watch;
  uop_map *reported; /* nodes whose failure was told */
  uop_map *bodies;   /* of CALLs; NULL until somebody asks */
  double seconds;    /* that values took */
  size_t warnings;
  size_t failed, unknown; /* asserts that do not hold; that could not be computed */
  bool wrong;             /* something could not be computed or written */
  bool stopped;           /* nothing more is computed */
} runner;

static void no_memory(runner *r) {
  diag_say(DIAG_ERROR, "out of memory");
  r->wrong = true;
}

/* ---- evaluating ---- */

static void warn(void *user, const uop_diag *w) {
  runner *r = user;
  watch_hide(&r->watch);
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

/* Whether the context's error would come again, whatever is asked for next. */
static bool is_final(uop_code code) {
  return code == UOP_E_CANCELLED || code == UOP_E_BUDGET || code == UOP_E_MEMORY;
}

/* False: it failed, or was not tried at all, since the run was stopped; `v` may be NULL. */
static bool compute(runner *r, const uop *u, uop_value *v) {
  r->stopped = r->stopped || watch_is_interrupted();
  if (r->stopped) return false;
  double begin = r->args->time ? watch_seconds() : 0;
  bool ok = uop_run_eval(r->run, u, v);
  if (r->args->time) r->seconds += watch_seconds() - begin;
  watch_hide(&r->watch);
  r->stopped = !ok && is_final(uop_error(r->p.ctx)->code);
  if (r->stopped) report(r);
  return ok;
}

static bool eval(runner *r, const uop *u, uop_value *v) {
  if (compute(r, u, v)) return true;
  if (!r->stopped) report(r);
  return false;
}

/* Finds what CALLs have for their bodies. */
static bool find_bodies(runner *r) {
  const uop **tops;
  size_t n;
  uop_nodes all = {NULL, 0, 0};
  if (!program_tops(&r->p, &tops, &n)) return false;
  r->bodies = uop_map_new(r->p.ctx);
  bool ok = r->bodies && uop_toposort(r->p.ctx, tops, n, &all);
  for (size_t i = 0; i < all.len && ok; i++)
    ok = all.at[i]->op != UOP_CALL || uop_map_set(r->bodies, all.at[i]->src[0], 1);
  uop_nodes_free(r->p.ctx, &all);
  free(tops);
  if (!ok) no_memory(r);
  return ok;
}

/* Whether the assert is a CALL's body and lacks an input: it is checked with the CALL's arguments,
 * where the CALL is needed. */
static bool is_open_body(runner *r, const uop *assert) {
  uint64_t value;
  if (uop_error(r->p.ctx)->code != UOP_E_INPUT) return false;
  if (!r->bodies && !find_bodies(r)) return false;
  return uop_map_get(r->bodies, assert, &value);
}

/* Also true of one that a root needs and that was told then. */
static void eval_asserts(runner *r) {
  const uop_nodes *asserts = &r->p.prog->asserts;
  for (size_t i = 0; i < asserts->len; i++) {
    if (compute(r, asserts->at[i], NULL)) continue;
    if (!r->stopped) {
      if (is_open_body(r, asserts->at[i])) continue;
      report(r);
    }
    const uop_diag *e = uop_error(r->p.ctx);
    if (e->code == UOP_E_ASSERT && e->node == asserts->at[i])
      r->failed++;
    else
      r->unknown++;
  }
}

static bool is_result_shown(const runner *r) { /* the .npy has standard output for itself */
  return !(r->args->npy && strcmp(r->args->npy, "-") == 0 && !r->args->output);
}

static void summarise(runner *r) {
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

static void show_all(runner *r) {
  for (size_t i = 0; i < r->p.prog->nstmts; i++) {
    const uop_stmt *s = &r->p.prog->stmts[i];
    uop_value v;
    if (s->name && s->node->dtype != UOP_VOID && eval(r, s->node, &v) && is_result_shown(r))
      sheet_value(&r->sheet, r->p.ctx, s, &v);
  }
}

/* The last named statement: an effect is run too, but has nothing to show. Its value, for --out. */
static bool eval_result(runner *r, uop_value *v) {
  const uop_program *p = r->p.prog;
  size_t i = p->nstmts;
  while (i > 0 && !p->stmts[i - 1].name) i--;
  if (i == 0 || p->result->op == UOP_ASSERT) return false; /* asserts come by themselves */
  if (!eval(r, p->result, v) || v->dtype == UOP_VOID) return false;
  if (!r->args->all && is_result_shown(r)) sheet_value(&r->sheet, r->p.ctx, &p->stmts[i - 1], v);
  return true;
}

/* Tells the run what it will be asked for, so that what several need is computed once. */
static bool want(runner *r) {
  const uop_program *p = r->p.prog;
  size_t n = 0;
  const uop **roots = malloc((p->nstmts + p->asserts.len + 1) * sizeof *roots);
  for (size_t i = 0; roots && r->args->all && i < p->nstmts; i++)
    if (p->stmts[i].name && p->stmts[i].node->dtype != UOP_VOID) roots[n++] = p->stmts[i].node;
  for (size_t i = 0; roots && i < p->asserts.len; i++) roots[n++] = p->asserts.at[i];
  if (roots) roots[n++] = p->result;
  bool ok = roots && uop_run_want(r->run, roots, n);
  if (!ok) no_memory(r);
  free(roots);
  return ok;
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

static bool on_progress(void *user, const uop_run_stats *now) {
  runner *r = user;
  watch_tell(&r->watch, now);
  return true;
}

static double on_clock(void *user) {
  (void)user;
  return watch_seconds();
}

/* Everything but the files. */
static bool evaluate(runner *r, uop_value *result) {
  bool has_result = false;
  watch_begin(&r->watch);
  watch_signals(r->run);
  if (want(r)) {
    if (r->args->all) show_all(r);
    has_result = eval_result(r, result);
    eval_asserts(r);
    summarise(r);
  }
  watch_signals_end();
  if (watch_is_interrupted() && uop_error(r->p.ctx)->code != UOP_E_CANCELLED)
    diag_say(DIAG_ERROR, "the run was cancelled"); /* between two values */
  else if (!r->stopped && is_result_shown(r))
    sheet_asserts(&r->sheet, r->p.prog->asserts.len, r->failed, r->unknown);
  if (r->sheet.failed) no_memory(r);
  if (r->failed > 0 || r->unknown > 0 || r->stopped) r->wrong = true;
  if (r->args->time) times_print(r->run, r->seconds);
  return has_result;
}

static int run_program(runner *r) {
  const run_args *a = r->args;
  uop_value result;
  bool has_result = evaluate(r, &result);
  if (watch_is_interrupted()) return CLI_INTERRUPTED;
  if (a->npy && !has_result && !r->wrong) {
    diag_say(DIAG_ERROR, "the program has no result to write to '%s'", a->npy);
    r->wrong = true;
  }
  if (!r->wrong && a->npy) write_npy(r, &result);
  if (!r->wrong && a->output && strcmp(a->output, "-") != 0)
    r->wrong = !output_write(a->output, r->sheet.text.at, r->sheet.text.len);
  return r->wrong ? CLI_WRONG : CLI_FINE;
}

static int start(runner *r) {
  const run_args *a = r->args;
  uop_run_options options = {.max_steps = a->max_steps.value,
                             .max_bytes = a->values.max_bytes.value,
                             .warn = warn,
                             .progress = on_progress,
                             .clock = a->time ? on_clock : NULL,
                             .user = r};
  if (!program_load(&r->p, &a->common)) return CLI_WRONG;
  r->run = uop_run_new(r->p.ctx, &options);
  r->reported = uop_map_new(r->p.ctx);
  if (!r->run || !r->reported) {
    no_memory(r);
    return CLI_WRONG;
  }
  int status = values_give(&r->given, &r->p, r->run, &a->values, a->all, &command_run);
  return status == CLI_FINE ? run_program(r) : status;
}

static int run(const void *arguments) {
  runner r = {.args = arguments};
  const run_args *a = r.args;
  if (a->npy && output_is_terminal(a->npy)) return CLI_USAGE;
  if (a->npy && a->output && strcmp(a->npy, a->output) == 0)
    return diag_usage(&command_run, "--out and -o are both '%s'", a->npy);
  r.sheet = (sheet){.path = a->output, .full = a->full, .json = a->json};
  int status = start(&r);
  uop_map_free(r.reported);
  uop_map_free(r.bodies);
  uop_run_free(r.run);
  if (r.p.ctx) values_free(&r.given, r.p.ctx);
  program_free(&r.p);
  free(r.sheet.text.at);
  return status == CLI_FINE && a->time && !diag_told() ? CLI_WRONG : status;
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
    {0, "json", OPT_FLAG, offsetof(run_args, json), NULL,
     "print values as JSON, one object a line, in full;\nthe last one counts the asserts"},
    {0, "time", OPT_FLAG, offsetof(run_args, time), NULL,
     "print what each op has cost, to standard error"},
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
             "written then. Ctrl-C ends the run with status 130, a second one at once.",
    .examples = "  uopc run prog.uir\n"
                "  uopc run -e '%c = add 2 3'\n"
                "  uopc run prog.uir --param '0=[1, 2, 3]' --buffer 0=@w.npy --out y.npy\n"
                "  uopc run prog.uir --fill 1 --all\n"
                "  uopc run prog.uir --json --time",
    .options = options,
    .args_size = sizeof(run_args),
    .run = run,
};
