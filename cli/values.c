/* values.c - what a run is given: --param, --buffer and --fill, checked against the program.
 *
 * The table holds one row for each PARAM and BUFFER slot of the program, sorted. A row's value is
 * set at most once and has exactly the type of the row's node. PARAMs that only CALL bodies use get
 * their values from the CALLs; they are rows (`is_inner`) only when every statement is to be
 * shown, and where the program itself has that slot, its own row is the one.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FILE ((UINT64_C(1) << 33) + (1 << 20)) /* UOP_MAX_NUMEL f32 and a header */

typedef struct giver {
  values *v;
  program *p;
  uop_run *run;
  const command *cmd;
  bool stdin_is_taken;
} giver;

static int no_memory(void) {
  diag_say(DIAG_ERROR, "out of memory");
  return CLI_WRONG;
}

/* ---- the table ---- */

static int by_slot(const void *a, const void *b) {
  const given *x = a, *y = b;
  if (x->node->op != y->node->op) return x->node->op < y->node->op ? -1 : 1;
  if (uop_slot(x->node) != uop_slot(y->node)) return uop_slot(x->node) < uop_slot(y->node) ? -1 : 1;
  if (x->is_inner != y->is_inner) return x->is_inner ? 1 : -1;
  return (x->node->id > y->node->id) - (x->node->id < y->node->id);
}

static bool same_type(const uop *a, const uop *b) {
  return a->dtype == b->dtype && a->shape == b->shape; /* shapes are interned */
}

/* One row for each slot: the first of its equals, which remembers one that disagrees. */
static void merge_rows(values *v) {
  size_t len = 0;
  if (v->len > 0) qsort(v->at, v->len, sizeof *v->at, by_slot);
  for (size_t i = 0; i < v->len; i++) {
    given *last = len > 0 ? &v->at[len - 1] : NULL;
    const uop *u = v->at[i].node;
    if (!last || last->node->op != u->op || uop_slot(last->node) != uop_slot(u))
      v->at[len++] = v->at[i];
    else if (!v->at[i].is_inner && !last->rival && !same_type(last->node, u))
      last->rival = u;
  }
  v->len = len;
}

static bool add_rows(values *v, const uop_nodes *inputs, bool is_inner) {
  if (inputs->len == 0) return true;
  given *at = realloc(v->at, (v->len + inputs->len) * sizeof *at);
  if (!at) return false;
  v->at = at;
  memset(at + v->len, 0, inputs->len * sizeof *at);
  for (size_t i = 0; i < inputs->len; i++) {
    at[v->len].node = inputs->at[i];
    at[v->len++].is_inner = is_inner;
    if (!is_inner && !uop_map_set(v->outer, inputs->at[i], 1)) return false;
  }
  return true;
}

static bool add_inner(values *v, program *p, uop_nodes *inputs) {
  size_t n = p->prog->nstmts;
  const uop **nodes = malloc((n + 1) * sizeof *nodes);
  for (size_t i = 0; nodes && i < n; i++) nodes[i] = p->prog->stmts[i].node;
  bool ok = nodes && uop_inputs(p->ctx, nodes, n, inputs) && add_rows(v, inputs, true);
  free(nodes);
  return ok;
}

static int make_table(values *v, program *p, bool all) {
  uop_nodes inputs = {NULL, 0, 0};
  if (!program_inputs(p, &inputs)) return CLI_WRONG;
  v->outer = uop_map_new(p->ctx);
  bool ok = v->outer && add_rows(v, &inputs, false) && (!all || add_inner(v, p, &inputs));
  uop_nodes_free(p->ctx, &inputs);
  if (!ok) return no_memory();
  merge_rows(v);
  return CLI_FINE;
}

static given *find_row(const values *v, uop_op op, int64_t slot) {
  size_t from = 0, to = v->len;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    given *g = &v->at[middle];
    if (g->node->op == op && uop_slot(g->node) == slot) return g;
    if (g->node->op < op || (g->node->op == op && uop_slot(g->node) < slot))
      from = middle + 1;
    else
      to = middle;
  }
  return NULL;
}

bool values_is_inner(const values *v, const uop *node) {
  uint64_t value;
  return !uop_map_get(v->outer, node, &value);
}

bool values_is_set(const values *v, const uop *node) {
  const given *g = find_row(v, (uop_op)node->op, uop_slot(node));
  return g && g->is_set;
}

/* ---- one value ---- */

static const char *word_of(uop_op op) { return uop_op_find(op)->text; }

/* Two PARAMs of one slot and different types: no value can suit both. */
static int refuse_rivals(giver *w, const given *g) {
  char message[2 * TYPE_TEXT + 100], a[TYPE_TEXT], b[TYPE_TEXT];
  snprintf(message, sizeof message, "%s %lld is both %s and %s: it cannot be given a value",
           word_of((uop_op)g->node->op), (long long)uop_slot(g->node), type_of_node(a, g->node),
           type_of_node(b, g->rival));
  program_diag(w->p, DIAG_ERROR, g->rival, message);
  program_diag(w->p, DIAG_NOTE, g->node, "the other one is here");
  return CLI_WRONG;
}

/* Makes g->value, which g owns from here on, the run's. */
static int set(giver *w, given *g) {
  g->is_set = true;
  if (uop_run_set(w->run, (uop_op)g->node->op, uop_slot(g->node), &g->value)) return CLI_FINE;
  program_error(w->p);
  return CLI_WRONG;
}

static bool fits(const given *g) {
  const uop *u = g->node;
  return g->value.dtype == u->dtype && g->value.rank == u->shape->len &&
         memcmp(g->value.dims, u->shape->at, u->shape->len * sizeof(int64_t)) == 0;
}

static void refuse_type(const given *g, const char *what) {
  char has[TYPE_TEXT], wants[TYPE_TEXT];
  const char *word = word_of((uop_op)g->node->op);
  long long slot = (long long)uop_slot(g->node);
  diag_say(DIAG_ERROR, "--%s %lld: %s is %s, %s %lld of the program is %s", word, slot, what,
           type_text(has, g->value.dtype, g->value.dims, g->value.rank), word, slot,
           type_of_node(wants, g->node));
}

static int give_text(giver *w, given *g, const char *text) {
  const char *word = word_of((uop_op)g->node->op);
  long long slot = (long long)uop_slot(g->node);
  if (!uop_value_parse(w->p->ctx, text, strlen(text), (uop_dtype)g->node->dtype, &g->value)) {
    const uop_diag *e = uop_error(w->p->ctx);
    if (e->code == UOP_E_MEMORY) return no_memory();
    return diag_usage(w->cmd, "--%s %lld: %s", word, slot, e->message + e->reason);
  }
  if (fits(g)) return set(w, g);
  g->is_set = true; /* values_free() frees it */
  refuse_type(g, "the value");
  if (g->value.rank > 0 || g->node->shape->len == 0) return CLI_USAGE;
  diag_say(DIAG_NOTE,
           "write an array as --%s '%lld=[1, 2]', give a file as --%s %lld=@FILE.npy, or "
           "have it filled with --fill SEED",
           word, slot, word, slot);
  return CLI_USAGE;
}

static int give_file(giver *w, given *g, const char *path) {
  bytes file = {NULL, 0, 0};
  int status = CLI_WRONG;
  bool is_stdin = strcmp(path, "-") == 0;
  if (is_stdin && w->stdin_is_taken)
    return diag_usage(w->cmd, "standard input can be read only once");
  w->stdin_is_taken = w->stdin_is_taken || is_stdin;
  if (!input_read(path, MAX_FILE, &file)) {
    free(file.at);
    return CLI_WRONG;
  }
  if (!uop_npy_read(w->p->ctx, file.at, file.len, &g->value)) {
    const uop_diag *e = uop_error(w->p->ctx);
    diag_say(DIAG_ERROR, "can't read '%s': %s", is_stdin ? "<stdin>" : path,
             e->message + e->reason);
  } else if (fits(g)) {
    status = set(w, g);
  } else {
    g->is_set = true;
    refuse_type(g, is_stdin ? "<stdin>" : path);
  }
  free(file.at);
  return status;
}

/* ---- the options ---- */

static int refuse_slot(giver *w, uop_op op, int64_t slot) {
  char list[10 * (TYPE_TEXT + 40)], type[TYPE_TEXT];
  size_t n = 0;
  list[0] = 0;
  for (size_t i = 0; i < w->v->len && i < 10; i++) {
    const uop *u = w->v->at[i].node;
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s %lld: %s", i > 0 ? ", " : "",
                          word_of((uop_op)u->op), (long long)uop_slot(u), type_of_node(type, u));
  }
  return diag_usage(w->cmd, "the program has no %s %lld; it has %s%s", word_of(op), (long long)slot,
                    n > 0 ? list : "no inputs", w->v->len > 10 ? ", ..." : "");
}

/* The digits before '='; -1 when there are none or the number is no slot. */
static int64_t read_slot(const char *s, const char **value) {
  int64_t slot = 0;
  if (*s < '0' || *s > '9') return -1;
  for (; *s >= '0' && *s <= '9'; s++) {
    slot = slot * 10 + (*s - '0');
    if (slot > UOP_MAX_SLOT) return -1;
  }
  *value = s + 1;
  return *s == '=' ? slot : -1;
}

static int give_one(giver *w, uop_op op, const char *option) {
  const char *value, *word = word_of(op);
  int64_t slot = read_slot(option, &value);
  if (slot < 0)
    return diag_usage(w->cmd,
                      "--%s '%s': should be SLOT=VALUE, such as 0=5 or 0=[1, 2] or "
                      "0=@x.npy",
                      word, option);
  given *g = find_row(w->v, op, slot);
  if (!g) return refuse_slot(w, op, slot);
  if (g->rival) return refuse_rivals(w, g);
  if (g->is_set) return diag_usage(w->cmd, "--%s %lld is given twice", word, (long long)slot);
  return *value == '@' ? give_file(w, g, value + 1) : give_text(w, g, value);
}

static int refuse_filling(const given *g, uint64_t limit) {
  char type[TYPE_TEXT];
  diag_say(DIAG_ERROR, "--fill: with %s %lld, %s, the inputs take more than %llu bytes",
           word_of((uop_op)g->node->op), (long long)uop_slot(g->node), type_of_node(type, g->node),
           (unsigned long long)limit);
  diag_say(DIAG_NOTE, "--max-bytes N allows more");
  return CLI_WRONG;
}

static int fill_rest(giver *w, const values_args *args) {
  uint64_t limit = args->max_bytes.given ? args->max_bytes.value : UOP_DEFAULT_BYTES,
           bytes_used = 0;
  for (size_t i = 0; i < w->v->len; i++) {
    given *g = &w->v->at[i];
    if (g->is_set) continue;
    if (g->rival) return refuse_rivals(w, g);
    bytes_used += (uint64_t)uop_numel(g->node) * uop_dtype_size((uop_dtype)g->node->dtype);
    if (bytes_used > limit) return refuse_filling(g, limit);
    if (!uop_value_fill(g->node, args->fill.value, &g->value)) {
      program_error(w->p);
      return CLI_WRONG;
    }
    int status = set(w, g);
    if (status != CLI_FINE) return status;
  }
  return CLI_FINE;
}

int values_give(values *v, program *p, uop_run *run, const values_args *args, bool all,
                const command *cmd) {
  giver w = {v, p, run, cmd, p->is_stdin};
  int status = make_table(v, p, all);
  for (size_t i = 0; status == CLI_FINE && i < args->params.len; i++)
    status = give_one(&w, UOP_PARAM, args->params.at[i]);
  for (size_t i = 0; status == CLI_FINE && i < args->buffers.len; i++)
    status = give_one(&w, UOP_BUFFER, args->buffers.at[i]);
  if (status == CLI_FINE && args->fill.given) status = fill_rest(&w, args);
  return status;
}

void values_free(values *v, uop_ctx *ctx) {
  for (size_t i = 0; i < v->len; i++)
    if (v->at[i].is_set) uop_value_free(ctx, &v->at[i].value);
  free(v->at);
  uop_map_free(v->outer);
}
