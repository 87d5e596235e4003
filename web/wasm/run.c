/* run.c - a run of a program: inputs as texts, the value of every statement, every assert.
 *
 * As `uopc run --all`, but that nothing is left out: a failure of one statement is told at its own,
 * and once as a diagnostic, at the statement of the node that failed. What all others would run
 * into as well, a used-up budget or no memory, ends the run.
 *
 * The page makes a run, gives it inputs, and has it go, which frees it.
 */
#include "glue.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DIAGS = 100, MAX_TYPE = 512 };

typedef struct input {
  const uop *node; /* the first of its op and slot */
  bool is_set;     /* and so owns its value */
  uop_value value;
} input;

typedef struct run {
  handle *h;
  uop_run *run;
  input *inputs; /* by op, then slot */
  size_t ninputs;
  uop_map *outer;    /* nodes that are inputs; others belong to CALL bodies */
  uop_map *reported; /* nodes whose failure was told */
  uop_map *bodies;   /* of CALLs */
  uop_diag *diags;   /* room for MAX_DIAGS */
  size_t ndiags;
  uint64_t bytes, max_bytes; /* of inputs; and at most */
  size_t text;               /* bytes of values written so far */
  bool stopped;              /* nothing more is computed */
  bool told;                 /* why */
  bool wrong;                /* an error was told, or an assert does not hold */
} run;

/* ---- diagnostics ---- */

static void tell(run *r, const uop_diag *d) {
  if (d->code < UOP_W_UNUSED) r->wrong = true;
  if (r->ndiags < MAX_DIAGS) r->diags[r->ndiags++] = *d;
}

static void warn(void *user, const uop_diag *w) { tell(user, w); }

/* The page finds the place by the statement's number. */
static void put_diags(const run *r) {
  json_key("diagnostics"), json_open('[');
  for (size_t i = 0; i < r->ndiags; i++) {
    const uop_diag *d = &r->diags[i];
    const uop_stmt *s = d->node ? uop_program_find(r->h->prog, d->node) : NULL;
    json_open('{');
    put_message(d);
    json_key("statement"), json_int(s ? s - r->h->prog->stmts : -1);
    json_close('}');
  }
  json_close(']');
}

static bool is_inner(const run *r, const uop *u) {
  uint64_t value;
  return (u->op == UOP_PARAM || u->op == UOP_BUFFER) && !uop_map_get(r->outer, u, &value);
}

/* Tells the context's error, unless its node's was told before, or is no fault of the program's: a
 * parameter of a CALL's body has no value outside of the call. */
static void report(run *r) {
  const uop_diag *e = uop_error(r->h->ctx);
  uint64_t value;
  if (r->told || (e->node && uop_map_get(r->reported, e->node, &value))) return;
  r->told = r->stopped;
  if (e->node && e->code == UOP_E_INPUT && is_inner(r, e->node)) return;
  tell(r, e);
  if (e->node) uop_map_set(r->reported, e->node, 1);
}

/* ---- a new run ---- */

static int by_slot(const void *a, const void *b) {
  const uop *x = ((const input *)a)->node, *y = ((const input *)b)->node;
  if (x->op != y->op) return x->op < y->op ? -1 : 1;
  if (uop_slot(x) != uop_slot(y)) return uop_slot(x) < uop_slot(y) ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

static bool add_inputs(run *r) {
  uop_nodes in = {NULL, 0, 0};
  bool ok = find_inputs(r->h, &in) && (r->inputs = mem_new(in.len * sizeof *r->inputs));
  for (size_t i = 0; ok && i < in.len; i++) {
    r->inputs[i] = (input){.node = in.at[i]};
    ok = uop_map_set(r->outer, in.at[i], 1);
  }
  if (ok) qsort(r->inputs, in.len, sizeof *r->inputs, by_slot);
  for (size_t i = 0; ok && i < in.len; i++) {
    const uop *u = r->inputs[i].node, *last = r->ninputs ? r->inputs[r->ninputs - 1].node : NULL;
    if (!last || last->op != u->op || uop_slot(last) != uop_slot(u))
      r->inputs[r->ninputs++] = r->inputs[i];
  }
  uop_nodes_free(r->h->ctx, &in);
  return ok;
}

static bool add_bodies(run *r) {
  uop_nodes order = {NULL, 0, 0};
  bool ok = uop_toposort(r->h->ctx, r->h->tops, r->h->ntops, &order);
  for (size_t i = 0; ok && i < order.len; i++)
    if (order.at[i]->op == UOP_CALL) ok = uop_map_set(r->bodies, order.at[i]->src[0], 1);
  uop_nodes_free(r->h->ctx, &order);
  return ok;
}

EXPORT("run_free") void run_free(run *r) {
  uop_ctx *ctx = r->h->ctx;
  uop_run_free(r->run);
  for (size_t i = 0; i < r->ninputs; i++)
    if (r->inputs[i].is_set) uop_value_free(ctx, &r->inputs[i].value);
  uop_map_free(r->outer);
  uop_map_free(r->reported);
  uop_map_free(r->bodies);
  mem_drop(r->inputs);
  mem_drop(r->diags);
  mem_drop(r);
  uop_error_clear(ctx);
}

/* Budgets are whole numbers from 1. NULL: no memory. */
EXPORT("run_new") run *run_new(handle *h, double max_steps, double max_bytes) {
  run *r = mem_new(sizeof *r);
  uop_ctx *ctx = h->ctx;
  if (!r) return NULL;
  *r = (run){.h = h, .max_bytes = (uint64_t)max_bytes};
  uop_run_options options = {
      .max_steps = (uint64_t)max_steps, .max_bytes = (uint64_t)max_bytes, .warn = warn, .user = r};
  r->run = uop_run_new(ctx, &options);
  r->outer = uop_map_new(ctx);
  r->reported = uop_map_new(ctx);
  r->bodies = uop_map_new(ctx);
  r->diags = mem_new(MAX_DIAGS * sizeof *r->diags);
  if (r->run && r->outer && r->reported && r->bodies && r->diags && add_inputs(r) && add_bodies(r))
    return r;
  run_free(r);
  return NULL;
}

/* ---- inputs ---- */

static input *find_row(const run *r, uop_op op, double slot) {
  size_t from = 0, to = r->ninputs;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    input *in = &r->inputs[middle];
    double has = (double)uop_slot(in->node);
    if (in->node->op == op && has == slot) return in;
    if (in->node->op < op || (in->node->op == op && has < slot))
      from = middle + 1;
    else
      to = middle;
  }
  return NULL;
}

/* ---- what is wrong with an input, as text ---- */

static char *put(char *to, const char *s) {
  size_t n = strlen(s);
  memcpy(to, s, n + 1);
  return to + n;
}

static char *put_number(char *to, int64_t v) {
  char digits[20], *q = digits + sizeof digits;
  do *--q = (char)('0' + v % 10);
  while (v /= 10);
  size_t n = (size_t)(digits + sizeof digits - q);
  memcpy(to, q, n);
  to[n] = 0;
  return to + n;
}

/* "f32 (2, 3)" */
static char *put_type(char *to, uop_dtype d, const int64_t *dims, uint32_t rank) {
  to = put(put(to, uop_dtype_name(d)), " (");
  for (uint32_t i = 0; i < rank; i++) to = put_number(put(to, i ? ", " : ""), dims[i]);
  return put(to, rank == 1 ? ",)" : ")");
}

static void put_wrong_type(const input *in) {
  char message[2 * MAX_TYPE + 100], *q = message;
  const uop *u = in->node;
  q = put_type(put(q, "the value is "), in->value.dtype, in->value.dims, in->value.rank);
  q = put(put(put(q, ", "), uop_op_find((uop_op)u->op)->text), " ");
  q = put(put_number(q, uop_slot(u)), " of the program is ");
  put_type(q, (uop_dtype)u->dtype, u->shape->at, u->shape->len);
  json_word(message);
}

static bool fits(const input *in) {
  const uop *u = in->node;
  return in->value.rank == u->shape->len &&
         memcmp(in->value.dims, u->shape->at, u->shape->len * sizeof(int64_t)) == 0;
}

static void put_error(const run *r) {
  const uop_diag *e = uop_error(r->h->ctx);
  json_word(e->message + e->reason);
}

/* The answer is what is wrong with it, or null. */
EXPORT("run_input")
void run_input(run *r, bool is_buffer, double slot, const char *text, size_t len) {
  input *in = find_row(r, is_buffer ? UOP_BUFFER : UOP_PARAM, slot);
  json_begin();
  uop_error_clear(r->h->ctx);
  if (!in) {
    json_word(is_buffer ? "the program has no such buffer" : "the program has no such param");
  } else if (in->is_set) {
    json_word("it is given twice");
  } else if (!uop_value_parse(r->h->ctx, text, len, (uop_dtype)in->node->dtype, &in->value)) {
    put_error(r);
  } else {
    in->is_set = true;
    if (!fits(in))
      put_wrong_type(in);
    else if (uop_run_set(r->run, (uop_op)in->node->op, uop_slot(in->node), &in->value))
      json_word(NULL);
    else
      put_error(r);
  }
}

/* Fills the rest, as far as the budget goes; what is left out is told as missing. */
static void fill(run *r, double seed) {
  for (size_t i = 0; i < r->ninputs; i++) {
    input *in = &r->inputs[i];
    if (in->is_set) continue;
    const uop *u = in->node;
    r->bytes += (uint64_t)uop_numel(u) * uop_dtype_size((uop_dtype)u->dtype);
    if (r->bytes > r->max_bytes || !uop_value_fill(u, (uint64_t)seed, &in->value)) return;
    in->is_set = true;
    uop_run_set(r->run, (uop_op)u->op, uop_slot(u), &in->value);
  }
}

/* ---- evaluating ---- */

static bool is_final(uop_code code) { return code == UOP_E_BUDGET || code == UOP_E_MEMORY; }

/* Puts what failed as member `key`. */
static void put_failure(run *r, const char *key) {
  const uop_diag *e = uop_error(r->h->ctx);
  if (e->code == UOP_E_INPUT && e->node && is_inner(r, e->node)) {
    json_key(key), json_word("it has a value only inside a call");
  } else {
    json_key(key), json_word(e->message + e->reason);
  }
}

/* False: it failed, or was not tried at all, since the run was stopped. */
static bool compute(run *r, const uop *u, uop_value *v) {
  if (r->stopped) return false;
  if (uop_run_eval(r->run, u, v)) return true;
  r->stopped = is_final(uop_error(r->h->ctx)->code);
  return false;
}

static void put_value(run *r, const uop *u) {
  uop_value v;
  json_key("text");
  if (u->dtype == UOP_VOID && u != r->h->prog->result) { /* effects that nobody asks for */
    json_word("");
  } else if (!compute(r, u, &v)) {
    json_word("");
    put_failure(r, "error");
    if (u->op != UOP_ASSERT) report(r);
  } else if (u->dtype == UOP_VOID) {
    json_word("");
  } else if (r->text > MAX_VALUE_TEXT) {
    json_word("");
    json_key("error"), json_word("there are too many values to show them all");
  } else {
    char *text = uop_value_print(r->h->ctx, &v, false, 0);
    if (text) r->text += strlen(text);
    if (!text) json_fail();
    json_word(text);
    uop_free(r->h->ctx, text);
  }
}

static void put_values(run *r) {
  const uop_program *p = r->h->prog;
  json_key("values"), json_open('[');
  for (size_t i = 0; i < p->nstmts; i++) {
    json_open('{');
    json_key("statement"), json_uint(i);
    put_value(r, p->stmts[i].node);
    json_close('}');
  }
  json_close(']');
}

/* Whether the assert is a CALL's body and lacks an input: it is checked where the CALL is. */
static bool is_open_body(const run *r, const uop *u) {
  uint64_t value;
  return uop_error(r->h->ctx)->code == UOP_E_INPUT && uop_map_get(r->bodies, u, &value);
}

static void put_assert(run *r, const uop *u, const uop_stmt *s) {
  uop_value v;
  bool pass = compute(r, u, &v);
  if (!pass && !r->stopped && is_open_body(r, u)) return;
  json_open('{');
  json_key("statement"), json_int(s ? s - r->h->prog->stmts : -1);
  json_key("pass"), json_bool(pass);
  if (pass) {
    json_key("message"), json_word("");
  } else {
    put_failure(r, "message");
    report(r);
    r->wrong = true;
  }
  json_close('}');
}

/* Those that are statements, then those within others. */
static void put_asserts(run *r) {
  const uop_program *p = r->h->prog;
  json_key("asserts"), json_open('[');
  for (size_t i = 0; i < p->nstmts; i++)
    if (p->stmts[i].node->op == UOP_ASSERT) put_assert(r, p->stmts[i].node, &p->stmts[i]);
  for (size_t i = 0; i < p->asserts.len; i++) {
    const uop *u = p->asserts.at[i];
    const uop_stmt *s = uop_program_find(p, u);
    if (!s || s->node != u) put_assert(r, u, s);
  }
  json_close(']');
}

/* Says what will be asked for, so that what several need is computed once. */
static bool want(run *r) {
  const uop_program *p = r->h->prog;
  size_t n = 0;
  const uop **roots = mem_new((p->nstmts + p->asserts.len + 1) * sizeof *roots);
  if (!roots) return false;
  for (size_t i = 0; i < p->nstmts; i++)
    if (p->stmts[i].node->dtype != UOP_VOID) roots[n++] = p->stmts[i].node;
  for (size_t i = 0; i < p->asserts.len; i++) roots[n++] = p->asserts.at[i];
  roots[n++] = p->result;
  bool ok = uop_run_want(r->run, roots, n);
  mem_drop((void *)roots);
  return ok;
}

/* `seed` below 0 fills nothing. Once a run. */
EXPORT("run_go") void run_go(run *r, double seed) {
  json_begin();
  uop_error_clear(r->h->ctx);
  if (seed >= 0) fill(r, seed);
  if (!want(r)) json_fail();
  json_open('{');
  put_values(r);
  put_asserts(r);
  put_diags(r);
  json_key("steps"), json_uint(uop_run_get_stats(r->run).steps);
  json_key("ok"), json_bool(!r->wrong);
  json_close('}');
}
