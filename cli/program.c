/* program.c - the program that a command works on: read, parsed, and what is wrong with it told.
 *
 * A loaded program owns its context, the library's program and the source that diagnostics quote;
 * the source's text is the library's own copy once there is one.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TEXT (UINT64_C(1) << 30) /* bytes: forty million statements */

/* ---- loading ---- */

static bool join_texts(const opt_list *texts, bytes *out) {
  for (size_t i = 0; i < texts->len; i++) {
    size_t len = strlen(texts->at[i]);
    if (!bytes_reserve(out, len + 1)) {
      diag_say(DIAG_ERROR, "out of memory");
      return false;
    }
    memcpy(out->at + out->len, texts->at[i], len);
    out->at[out->len + len] = '\n';
    out->len += len + 1;
  }
  return true;
}

static bool read_text(program *p, const cli_args *args) {
  if (!args->file) {
    p->src.name = "<command line>";
    return join_texts(&args->texts, &p->text);
  }
  p->is_stdin = strcmp(args->file, "-") == 0;
  p->src.name = p->is_stdin ? "<stdin>" : args->file;
  return input_read(args->file, MAX_TEXT, &p->text);
}

static void report_errors(program *p, const uop_diags *diags) {
  for (size_t i = 0; i < diags->len; i++) diag_print(&p->src, DIAG_ERROR, &diags->at[i]);
  if (diags->len == 0) diag_print(&p->src, DIAG_ERROR, uop_error(p->ctx)); /* out of memory */
  if (diags->more)
    diag_say(DIAG_NOTE, "there are more than %d errors; the first ones are shown", UOP_MAX_ERRORS);
}

bool program_load(program *p, const cli_args *args) {
  uop_diags diags = {0};
  if (!read_text(p, args)) return false;
  p->src.text = p->text.at ? p->text.at : "";
  p->src.len = p->text.len;
  p->ctx = uop_ctx_new(NULL);
  if (!p->ctx) {
    diag_say(DIAG_ERROR, "out of memory");
    return false;
  }
  p->prog = uop_program_parse(p->ctx, p->src.text, p->src.len, &diags);
  if (!p->prog) report_errors(p, &diags);
  uop_diags_free(p->ctx, &diags);
  if (!p->prog) return false;
  p->src.text = p->prog->text;
  p->src.len = p->prog->len;
  free(p->text.at);
  p->text = (bytes){NULL, 0, 0};
  return true;
}

void program_free(program *p) {
  uop_program_free(p->prog);
  uop_ctx_free(p->ctx);
  free(p->text.at);
}

/* ---- roots ---- */

/* Marks every source of every node below the n at `nodes`. */
static bool mark_sources(program *p, const uop *const *nodes, size_t n, uop_map *used) {
  uop_nodes all = {NULL, 0, 0};
  bool ok = uop_toposort(p->ctx, nodes, n, &all);
  for (size_t i = 0; ok && i < all.len; i++)
    for (uint32_t k = 0; ok && k < all.at[i]->nsrc; k++)
      ok = uop_map_set(used, all.at[i]->src[k], 1);
  uop_nodes_free(p->ctx, &all);
  return ok;
}

bool program_tops(program *p, const uop ***out, size_t *n) {
  size_t count = p->prog->nstmts, len = 0;
  const uop **nodes = malloc((count + 1) * sizeof *nodes);
  uop_map *used = uop_map_new(p->ctx);
  bool ok = nodes && used;
  for (size_t i = 0; ok && i < count; i++) nodes[i] = p->prog->stmts[i].node;
  ok = ok && mark_sources(p, nodes, count, used);
  for (size_t i = 0; ok && i < count; i++) {
    uint64_t value;
    const uop *u = nodes[i]; /* len <= i: what is overwritten was read */
    if (uop_map_get(used, u, &value)) continue;
    nodes[len++] = u;
    ok = uop_map_set(used, u, 1);
  }
  uop_map_free(used);
  if (!ok) {
    diag_say(DIAG_ERROR, "out of memory");
    free(nodes);
    return false;
  }
  *out = nodes;
  *n = len;
  return true;
}

/* The roots are there beside the tops because a result may be the body of a CALL as well. */
bool program_inputs(program *p, uop_nodes *out) {
  const uop_nodes *roots = &p->prog->roots;
  const uop **tops;
  size_t n;
  if (!program_tops(p, &tops, &n)) return false;
  const uop **nodes = malloc((n + roots->len + 1) * sizeof *nodes);
  if (nodes && n > 0) memcpy(nodes, tops, n * sizeof *nodes);
  if (nodes && roots->len > 0) memcpy(nodes + n, roots->at, roots->len * sizeof *nodes);
  bool ok = nodes && uop_inputs(p->ctx, nodes, n + roots->len, out);
  if (!ok) diag_say(DIAG_ERROR, "out of memory");
  free(nodes);
  free(tops);
  return ok;
}

/* ---- what went wrong ---- */

void program_diag(program *p, diag_level level, const uop *node, const char *message) {
  const uop_stmt *s = node ? uop_program_find(p->prog, node) : NULL;
  diag_at(&p->src, level, s ? s->line : 0, s ? s->column : 0, s ? s->length : 0, message);
}

void program_error(program *p) {
  const uop_diag *e = uop_error(p->ctx);
  program_diag(p, DIAG_ERROR, e->node, e->message + e->reason);
}

/* ---- types ---- */

const char *type_text(char *buf, uop_dtype d, const int64_t *dims, uint32_t rank) {
  int n = snprintf(buf, TYPE_TEXT, "%s (", uop_dtype_name(d));
  for (uint32_t i = 0; i < rank && i < UOP_MAX_RANK; i++)
    n += snprintf(buf + n, TYPE_TEXT - (size_t)n, "%s%lld", i > 0 ? ", " : "", (long long)dims[i]);
  snprintf(buf + n, TYPE_TEXT - (size_t)n, "%s", rank == 1 ? ",)" : ")");
  return buf;
}

const char *type_of_node(char *buf, const uop *u) {
  return type_text(buf, (uop_dtype)u->dtype, u->shape->at, u->shape->len);
}
