/* program.c - a text as a program of its own context: parsed, its statements and what is wrong with
 * it, printed, freed.
 */
#include "glue.h"

#include <string.h>

static handle *all;

/* ---- reading ---- */

static bool mark_sources(handle *h, const uop *const *nodes, size_t n, uop_map *used) {
  uop_nodes order = {NULL, 0, 0};
  bool ok = uop_toposort(h->ctx, nodes, n, &order);
  for (size_t i = 0; ok && i < order.len; i++)
    for (uint32_t k = 0; ok && k < order.at[i]->nsrc; k++)
      ok = uop_map_set(used, order.at[i]->src[k], 1);
  uop_nodes_free(h->ctx, &order);
  return ok;
}

/* As the command's program_tops(): the same picture and figures. */
static bool find_tops(handle *h) {
  size_t n = h->prog->nstmts;
  uint64_t value;
  const uop **nodes = h->tops = mem_new((n + 1) * sizeof *nodes);
  uop_map *used = uop_map_new(h->ctx);
  bool ok = nodes && used;
  for (size_t i = 0; ok && i < n; i++) nodes[i] = h->prog->stmts[i].node;
  ok = ok && mark_sources(h, nodes, n, used);
  for (size_t i = 0; ok && i < n; i++) {
    if (uop_map_get(used, nodes[i], &value)) continue;
    nodes[h->ntops++] = nodes[i]; /* what is overwritten was read */
    ok = uop_map_set(used, nodes[h->ntops - 1], 1);
  }
  uop_map_free(used);
  return ok;
}

void handle_open(handle *h, const char *text, size_t len, uop_diags *diags) {
  uop_options options = {
      .alloc = mem_alloc, .max_nodes = MAX_CTX_NODES, .max_bytes = MAX_CTX_BYTES};
  memset(h, 0, sizeof *h);
  h->next = all;
  h->prev = &all;
  if (all) all->prev = &h->next;
  all = h;
  h->ctx = uop_ctx_new(&options);
  if (h->ctx) h->prog = uop_program_parse(h->ctx, text, len, diags);
  if (!h->prog || find_tops(h)) return;
  uop_program_free(h->prog);
  h->prog = NULL;
}

void handle_close(handle *h) {
  *h->prev = h->next;
  if (h->next) h->next->prev = h->prev;
  mem_drop((void *)h->tops);
  uop_program_free(h->prog);
  uop_ctx_free(h->ctx);
}

/* ---- diagnostics ---- */

const char *code_name(uop_code code) {
#define NAME(x) \
  case UOP_##x: return #x
  switch (code) {
    NAME(E_MEMORY);
    NAME(E_LIMIT);
    NAME(E_ARITY);
    NAME(E_DTYPE);
    NAME(E_SHAPE);
    NAME(E_SPACE);
    NAME(E_ARG);
    NAME(E_CONTEXT);
    NAME(E_SCOPE);
    NAME(E_LITERAL);
    NAME(E_SYNTAX);
    NAME(E_NAME);
    NAME(E_INPUT);
    NAME(E_INDEX);
    NAME(E_ASSERT);
    NAME(E_BUDGET);
    NAME(E_UNSUPPORTED);
    NAME(E_FORMAT);
    NAME(E_CALLBACK);
    NAME(E_INTERNAL);
    NAME(E_CANCELLED);
    NAME(E_RULE);
    NAME(W_UNUSED);
    NAME(W_INDEX);
    NAME(W_DIVISION);
    NAME(W_RULE);
  case UOP_OK: break;
  }
#undef NAME
  return "OK";
}

void put_message(const uop_diag *d) {
  json_key("severity"), json_word(d->code >= UOP_W_UNUSED ? "warning" : "error");
  json_key("code"), json_word(code_name(d->code));
  json_key("message"), json_word(d->message + d->reason);
}

static void put_diag(places *at, const uop_diag *d) {
  json_open('{');
  put_message(d);
  place p = places_find(at, d->line, d->column, d->length);
  json_key("line"), json_uint(p.line);
  json_key("column"), json_uint(p.column);
  json_key("from"), json_uint(p.from);
  json_key("to"), json_uint(p.to);
  json_close('}');
}

static void put_diags(const handle *h, places *at, const uop_diags *diags) {
  static const uop_diag no_memory = {.code = UOP_E_MEMORY, .message = "out of memory"};
  json_key("diagnostics"), json_open('[');
  for (size_t i = 0; i < diags->len; i++) put_diag(at, &diags->at[i]);
  if (!h->prog && diags->len == 0) {
    const uop_diag *e = h->ctx ? uop_error(h->ctx) : &no_memory;
    put_diag(at, e->code ? e : &no_memory);
  }
  json_close(']');
}

/* Names, and beside them five numbers of each: a text of many lines is soon read. */
static void put_statements(const handle *h, places *at) {
  size_t n = h->prog ? h->prog->nstmts : 0;
  json_key("names"), json_open('[');
  for (size_t i = 0; i < n; i++) {
    const uop_stmt *s = &h->prog->stmts[i];
    if (s->name)
      json_text(s->name, s->name_len);
    else
      json_word(NULL);
  }
  json_close(']');
  json_key("places"), json_open('[');
  for (size_t i = 0; i < n; i++) {
    const uop_stmt *s = &h->prog->stmts[i];
    place p = places_find(at, s->line, s->column, s->length);
    json_uint(p.line), json_uint(p.column), json_uint(p.from), json_uint(p.to);
    json_uint(s->node->id);
  }
  json_close(']');
}

/* ---- exports ---- */

/* A new handle, NULL without memory; the answer: {"ok", "diagnostics", "names", "places"}. */
EXPORT("parse") handle *program_parse(const char *text, size_t len) {
  uop_diags diags = {0};
  handle *h = mem_new(sizeof *h);
  json_begin();
  if (!h) return NULL;
  handle_open(h, text, len, &diags);
  if (h->prog) uop_program_check(h->prog, &diags);
  places at = {.text = text, .len = len};
  json_open('{');
  json_key("ok"), json_bool(h->prog != NULL);
  put_diags(h, &at, &diags);
  put_statements(h, &at);
  json_close('}');
  if (h->ctx) uop_diags_free(h->ctx, &diags);
  if (h->ctx) uop_error_clear(h->ctx);
  return h;
}

EXPORT("program_free") void program_free(handle *h) {
  handle_close(h);
  mem_drop(h);
}

EXPORT("print") void program_print(handle *h) {
  size_t len = 0;
  json_begin();
  char *text = uop_program_print(h->prog, &len);
  if (text)
    json_text(text, len);
  else
    json_fail();
  uop_free(h->ctx, text);
}

/* What is wrong with the library's books: "" for nothing. */
EXPORT("check") void program_check(void) {
  const char *wrong = "";
  json_begin();
  for (handle *h = all; h && !*wrong; h = h->next)
    if (h->ctx && !uop_ctx_check(h->ctx)) wrong = uop_error(h->ctx)->message;
  json_word(wrong);
}
