/* nodes.c - questions about the nodes of a program: what they are, how many, what they take. */
#include "glue.h"

#include <string.h>

void put_ids(const uop *const *nodes, size_t n) {
  json_open('[');
  for (size_t i = 0; i < n; i++) json_uint(nodes[i]->id);
  json_close(']');
}

/* ---- nodes ---- */

static void put_node(uop_ctx *ctx, const uop *u) {
  size_t len = 0;
  char *arg = uop_print_arg(u, &len);
  if (!arg) {
    json_fail();
    return;
  }
  json_open('{');
  json_key("id"), json_uint(u->id);
  json_key("op"), json_word(uop_op_find((uop_op)u->op)->text);
  json_key("arg"), json_text(arg, len);
  json_key("dtype"), json_word(uop_dtype_name((uop_dtype)u->dtype));
  json_key("shape"), json_open('[');
  for (uint32_t i = 0; i < u->shape->len; i++) json_int(u->shape->at[i]);
  json_close(']');
  json_key("space"), json_word(uop_space_name((uop_space)u->space));
  json_key("src"), put_ids(u->src, u->nsrc);
  json_close('}');
  uop_free(ctx, arg);
}

void put_nodes(uop_ctx *ctx, const uop *const *roots, size_t n) {
  uop_nodes order = {NULL, 0, 0};
  if (!uop_toposort(ctx, roots, n, &order)) json_fail();
  json_open('[');
  for (size_t i = 0; i < order.len; i++) put_node(ctx, order.at[i]);
  json_close(']');
  uop_nodes_free(ctx, &order);
}

EXPORT("nodes") void program_nodes(handle *h) {
  json_begin();
  put_nodes(h->ctx, h->tops, h->ntops);
}

/* ---- figures ---- */

/* A double as its bits: the page's side has them printed. */
static void put_double(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  json_digits(bits);
}

void put_stats(uop_ctx *ctx, const uop *const *roots, size_t n) {
  uop_counts c;
  uop_cost cost;
  if (!uop_count(ctx, roots, n, &c) || !uop_cost_of(ctx, roots, n, &cost)) {
    json_fail();
    return;
  }
  json_open('{');
  json_key("nodes"), json_uint(c.nodes);
  json_key("ops"), json_uint(c.ops);
  json_key("depth"), json_uint(c.depth);
  json_key("tree");
  if (c.tree == UINT64_MAX)
    json_word(NULL);
  else
    json_digits(c.tree);
  json_key("treeLog10"), put_double(c.tree_log10);
  json_key("byOp"), json_open('{');
  for (int i = 0; i < UOP_OP_COUNT; i++)
    if (c.by_op[i]) json_key(uop_op_find((uop_op)i)->text), json_uint(c.by_op[i]);
  json_close('}');
  json_key("work"), json_digits(cost.work);
  json_key("bytes"), json_digits(cost.bytes);
  json_close('}');
}

EXPORT("stats") void program_stats(handle *h) {
  json_begin();
  put_stats(h->ctx, h->tops, h->ntops);
}

/* ---- inputs ---- */

/* The roots are there beside the tops because a result may be the body of a CALL as well. */
bool find_inputs(handle *h, uop_nodes *out) {
  const uop_nodes *roots = &h->prog->roots;
  const uop **nodes = mem_new((h->ntops + roots->len) * sizeof *nodes);
  if (!nodes) return false;
  memcpy(nodes, h->tops, h->ntops * sizeof *nodes);
  memcpy(nodes + h->ntops, roots->at, roots->len * sizeof *nodes);
  bool ok = uop_inputs(h->ctx, nodes, h->ntops + roots->len, out);
  mem_drop((void *)nodes);
  return ok;
}

EXPORT("inputs") void program_inputs(handle *h) {
  uop_nodes in = {NULL, 0, 0};
  json_begin();
  if (!find_inputs(h, &in)) json_fail();
  json_open('[');
  for (size_t i = 0; i < in.len; i++) {
    const uop *u = in.at[i];
    json_open('{');
    json_key("kind"), json_word(uop_op_find((uop_op)u->op)->text);
    json_key("slot"), json_int(uop_slot(u));
    json_key("dtype"), json_word(uop_dtype_name((uop_dtype)u->dtype));
    json_key("shape"), json_open('[');
    for (uint32_t k = 0; k < u->shape->len; k++) json_int(u->shape->at[k]);
    json_close(']');
    json_key("node"), json_uint(u->id);
    json_close('}');
  }
  json_close(']');
  uop_nodes_free(h->ctx, &in);
}

/* ---- one node ---- */

const uop *find_node(uop_ctx *ctx, double id) {
  size_t n, lo = 0;
  const uop *const *live = uop_ctx_nodes(ctx, &n);
  for (size_t hi = n; lo < hi;) {
    size_t mid = lo + (hi - lo) / 2;
    if ((double)live[mid]->id < id)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < n && (double)live[lo]->id == id ? live[lo] : NULL;
}

/* What it is, if it asks for no input and is soon computed. */
static void put_value(handle *h, const uop *u) {
  uop_run_options options = {.max_steps = MAX_FACT_STEPS, .max_bytes = MAX_FACT_BYTES};
  uop_run *run = uop_run_new(h->ctx, &options);
  uop_value v;
  if (run && u->dtype != UOP_VOID && uop_run_eval(run, u, &v)) {
    char *text = uop_value_print(h->ctx, &v, false, 0);
    if (text) json_key("value"), json_word(text);
    uop_free(h->ctx, text);
  }
  uop_run_free(run);
}

/* {} where there is no such node. */
EXPORT("facts") void program_facts(handle *h, double id) {
  const uop *u = find_node(h->ctx, id);
  uop_interval range;
  uop_cost cost;
  json_begin();
  json_open('{');
  if (u && (u->dtype == UOP_I32 || u->dtype == UOP_BOOL) && uop_bounds(NULL, u, &range)) {
    json_key("bounds"), json_open('[');
    json_int(range.lo), json_int(range.hi);
    json_close(']');
  }
  if (u && uop_cost_of(h->ctx, &u, 1, &cost)) {
    json_key("work"), json_digits(cost.work);
    json_key("bytes"), json_digits(cost.bytes);
    put_value(h, u);
  }
  json_close('}');
  uop_error_clear(h->ctx);
}
