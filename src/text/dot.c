/* dot.c - a graph as Graphviz DOT: sources on top, results below, one box a node, coloured by kind
 * and told apart by shape too. Layout is Graphviz's business. In a graph of more than UOP_DOT_FOLD
 * nodes a long run of like nodes is one box with their number (fold.h).
 */
#include "text/fold.h"
#include "text/print.h"

#include <stdlib.h>

typedef struct style {
  const char *shape, *fill;
} style;

static style style_of(const uop *u) {
  if (u->op == UOP_CONST) return (style){"ellipse", "#f3f4f6"};
  if (u->op == UOP_PARAM) return (style){"invhouse", "#dbeafe"};
  if (u->op == UOP_BUFFER || u->op == UOP_ALLOC) return (style){"cylinder", "#e0e7ff"};
  if (u->op == UOP_CALL) return (style){"component", "#fae8ff"};
  if (u->op == UOP_ASSERT) return (style){"octagon", "#fee2e2"};
  if (u->op == UOP_REDUCE || u->op == UOP_RANGE) return (style){"hexagon", "#ffedd5"};
  uint32_t sets = uop_op_find((uop_op)u->op)->sets;
  if (sets & UOP_SET_MOVEMENT) return (style){"parallelogram", "#dcfce7"};
  if (sets & UOP_SET_ALU) return (style){"box", "#fef9c3"};
  if (sets & UOP_SET_EFFECT) return (style){"box3d", "#fee2e2"};
  return (style){"box", "#ffffff"};
}

/* The names that statements give to nodes: node -> its last statement, and for each statement the
 * one before it with the same node. */
typedef struct names {
  uopi_memo last;
  size_t *before; /* statement number + 1; 0: none */
} names;

static bool names_begin(names *n, uop_ctx *ctx, const uop_program *p) {
  n->last = (uopi_memo){.mem = uopi_mem_of(ctx)};
  n->before = NULL;
  if (!p) return true;
  n->before = uopi_realloc(uopi_mem_of(ctx), NULL, 0, (p->nstmts + 1) * sizeof *n->before);
  if (!n->before) return false;
  for (size_t i = 0; i < p->nstmts; i++) {
    if (!p->stmts[i].name) continue;
    n->before[i] = (size_t)uopi_memo_get(&n->last, p->stmts[i].node);
    if (!uopi_memo_set(&n->last, p->stmts[i].node, i + 1)) return false;
  }
  return true;
}

static void names_end(names *n, uop_ctx *ctx, const uop_program *p) {
  uopi_memo_drop(&n->last);
  if (n->before) uopi_realloc(uopi_mem_of(ctx), n->before, (p->nstmts + 1) * sizeof *n->before, 0);
}

/* "%a, %b" of a node, in the order of the text; the first few of very many. */
static void put_names(uopi_buf *b, names *n, const uop_program *p, const uop *u) {
  enum { SHOWN = 4 };
  size_t last = p ? (size_t)uopi_memo_get(&n->last, u) : 0;
  size_t total = 0, skip = 0, shown[SHOWN], k = 0;
  for (size_t i = last; i; i = n->before[i - 1]) total++;
  if (total > SHOWN) skip = total - SHOWN;
  for (size_t i = last; i; i = n->before[i - 1])
    if (skip)
      skip--;
    else
      shown[k++] = i - 1;
  for (size_t i = k; i-- > 0;) {
    uopi_putc(b, '%');
    uopi_put(b, p->stmts[shown[i]].name, p->stmts[shown[i]].name_len);
    if (i) uopi_puts(b, ", ");
  }
  if (total > SHOWN) uopi_puts(b, ", ...");
  if (total) uopi_puts(b, "\\n");
}

/* Nothing of what the line below says: dtype and shape. */
static void put_arg(uopi_buf *b, const uop *u) {
  if (u->op == UOP_PARAM || u->op == UOP_BUFFER || u->op == UOP_ALLOC) {
    uopi_puts(b, "slot=");
    uopi_puti(b, uop_slot(u));
  } else if (uopi_arg_is_tuple(u->op) || u->op == UOP_CONST) {
    uopi_print_positional(b, u);
  } else if (u->op != UOP_CAST) {
    uopi_print_attributes(b, u);
  }
}

static void put_label(uopi_buf *b, names *n, const uop_program *p, const uop *u) {
  put_names(b, n, p, u);
  if (u->op != UOP_CONST) {
    uopi_puts(b, uop_op_find((uop_op)u->op)->text);
    size_t before = b->len;
    uopi_putc(b, ' ');
    size_t empty = b->len;
    put_arg(b, u);
    if (b->len == empty) b->len = before;
  } else {
    put_arg(b, u);
  }
  uopi_puts(b, "\\n");
  uopi_puts(b, uop_dtype_name((uop_dtype)u->dtype));
  if (u->dtype == UOP_VOID) return;
  uopi_putc(b, ' ');
  uopi_print_tuple(b, u->shape->at, u->shape->len);
}

/* One more line of a label, of any text. */
static void put_note(uopi_buf *b, const char *s) {
  uopi_puts(b, "\\n");
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') uopi_putc(b, '\\');
    uopi_putc(b, (unsigned char)*s < ' ' ? ' ' : *s);
  }
}

typedef struct drawing {
  uopi_buf b;
  const uop_dot_options *options;
  names names;
  uopi_memo numbers; /* node -> number of its box */
  folds folds;       /* empty where nothing is folded */
  struct {
    uint64_t *at;
    size_t len, cap;
  } into;        /* scratch: boxes with an edge into a run, once for each edge */
  uop_nodes run; /* scratch: its nodes */
} drawing;

static void put_node(drawing *d, const uop *u, uint64_t k, uint64_t run) {
  uopi_buf *b = &d->b;
  style s = style_of(u);
  uopi_puts(b, "  n");
  uopi_putu(b, k);
  uopi_puts(b, " [label=\"");
  put_label(b, &d->names, d->options->program, u);
  const char *note = d->options->note ? d->options->note(d->options->user, u) : NULL;
  if (note) put_note(b, note);
  if (run) {
    uopi_puts(b, "\\n\303\227 "); /* a multiplication sign in UTF-8 */
    uopi_putu(b, run);
  }
  uopi_puts(b, "\" shape=");
  uopi_puts(b, s.shape);
  uopi_puts(b, " fillcolor=\"");
  uopi_puts(b, s.fill);
  uopi_puts(b, run ? "\" peripheries=2];\n" : "\"];\n");
}

static void put_edge(uopi_buf *b, uint64_t from, uint64_t to, const char *before, uint64_t label) {
  uopi_puts(b, "  n");
  uopi_putu(b, from);
  uopi_puts(b, " -> n");
  uopi_putu(b, to);
  if (before) {
    uopi_puts(b, " [label=\"");
    uopi_puts(b, before);
    uopi_putu(b, label);
    uopi_puts(b, "\"]");
  }
  uopi_puts(b, ";\n");
}

static void put_edges(drawing *d, const uop *u, uint64_t k) {
  bool ordered = u->nsrc > 1 && !(uop_op_find((uop_op)u->op)->sets & UOP_SET_COMMUTATIVE);
  for (uint32_t i = 0; i < u->nsrc; i++)
    put_edge(&d->b, uopi_memo_get(&d->numbers, u->src[i]), k, ordered ? "" : NULL, i);
}

static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The edges into a run from outside, those of one source as one with their number. */
static bool put_run_edges(drawing *d, const uop *top, uint64_t k) {
  d->into.len = 0;
  for (const uop *u = top; u; u = uopi_memo_node(&d->folds.before, u))
    for (uint32_t i = 0; i < u->nsrc; i++) {
      const uop *s = u->src[i];
      if (uopi_fold_of(&d->folds, s) == top) continue;
      if (!UOPI_PUSH(d->b.mem, &d->into, uopi_memo_get(&d->numbers, s))) return false;
    }
  if (d->into.len) qsort(d->into.at, d->into.len, sizeof *d->into.at, by_number);
  for (size_t i = 0, n; i < d->into.len; i += n) {
    for (n = 1; i + n < d->into.len && d->into.at[i + n] == d->into.at[i]; n++) continue;
    put_edge(&d->b, d->into.at[i], k, n > 1 ? "\303\227 " : NULL, n);
  }
  return true;
}

/* Tells of the box of a node, or of the run that ends with it. */
static bool tell(drawing *d, const uop *top, size_t k, uint64_t run) {
  const uop_dot_options *o = d->options;
  if (!o->box) return true;
  if (!run) return o->box(o->user, k, &top, 1), true;
  d->run.len = 0;
  for (const uop *u = top; u; u = uopi_memo_node(&d->folds.before, u))
    if (!UOPI_PUSH(d->b.mem, &d->run, u)) return false;
  o->box(o->user, k, d->run.at, d->run.len);
  return true;
}

static bool put_graph(drawing *d, const uop_nodes *order) {
  uopi_puts(&d->b, "digraph uop {\n"
                   "  rankdir=TB ranksep=0.3 nodesep=0.25;\n"
                   "  node [style=filled fontname=\"Helvetica\" fontsize=11 color=\"#6b7280\" "
                   "margin=\"0.1,0.05\"];\n"
                   "  edge [fontname=\"Helvetica\" fontsize=9 color=\"#6b7280\"];\n");
  for (size_t i = 0; i < order->len; i++) {
    const uop *u = order->at[i];
    if (uopi_fold_of(&d->folds, u) != u) continue;
    uint64_t run = uopi_memo_get(&d->folds.length, u);
    if (!uopi_memo_set(&d->numbers, u, i)) return false;
    put_node(d, u, i, run);
    if (!tell(d, u, i, run)) return false;
    if (!run)
      put_edges(d, u, i);
    else if (!put_run_edges(d, u, i))
      return false;
  }
  uopi_puts(&d->b, "}\n");
  return true;
}

static bool fold(drawing *d, uop_ctx *ctx, const uop_nodes *order) {
  const uop_dot_options *o = d->options;
  bool ok = uopi_folds_begin(&d->folds, ctx, order);
  for (size_t i = 0; ok && i < o->nopen; i++)
    if (o->open[i]) ok = uopi_folds_open(&d->folds, o->open[i]);
  return ok;
}

char *uop_dot_with(uop_ctx *ctx, const uop *const *roots, size_t nroots,
                   const uop_dot_options *options, size_t *len) {
  static const uop_dot_options none;
  if (!options) options = &none;
  if (!ctx || !uopi_all_of(ctx, roots, nroots)) return NULL;
  if (!uopi_all_of(ctx, options->open, options->nopen)) return NULL;
  const uopi_mem *mem = uopi_mem_of(ctx);
  drawing d = {.b = {.mem = mem}, .options = options, .numbers = {.mem = mem}};
  uop_nodes order = {NULL, 0, 0};
  bool ok =
      names_begin(&d.names, ctx, options->program) && uopi_walk(ctx, roots, nroots, false, &order);
  if (order.len > UOP_DOT_FOLD) ok = ok && fold(&d, ctx, &order);
  ok = ok && put_graph(&d, &order);
  if (order.len > UOP_DOT_FOLD) uopi_folds_end(&d.folds);
  names_end(&d.names, ctx, options->program);
  uopi_memo_drop(&d.numbers);
  UOPI_DROP(mem, &d.into);
  uop_nodes_free(ctx, &d.run);
  uop_nodes_free(ctx, &order);
  if (!ok) d.b.failed = true;
  return uopi_buf_give(&d.b, ctx, len);
}

char *uop_dot(uop_ctx *ctx, const uop *const *roots, size_t nroots, const uop_program *p,
              size_t *len) {
  uop_dot_options options = {.program = p};
  return uop_dot_with(ctx, roots, nroots, &options, len);
}

char *uop_print_arg(const uop *u, size_t *len) {
  if (!u) return NULL;
  uopi_buf b = {.mem = uopi_mem_of(uopi_ctx_of(u))};
  put_arg(&b, u);
  return uopi_buf_give(&b, uopi_ctx_of(u), len);
}
