/* program.c - questions about a program that was read: which statement made a node, and warnings.
 */
#include "text/print.h"

/* Ids rise from statement to statement: the first one whose nodes end behind u made it. */
const uop_stmt *uop_program_find(const uop_program *p, const uop *u) {
  if (!u || uopi_ctx_of(u) != p->ctx || u->id < p->first_id) return NULL;
  size_t lo = 0, hi = p->nstmts;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (p->stmts[mid].ids <= u->id)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < p->nstmts ? &p->stmts[lo] : NULL;
}

/* Files the warning by its line. Past UOP_MAX_ERRORS the ones that come first in the text stay. */
static bool warn(const uop_program *p, uop_diags *diags, size_t first, uop_diag w) {
  size_t i = diags->len;
  while (i > first && diags->at[i - 1].line > w.line) i--;
  bool full = diags->len - first >= UOP_MAX_ERRORS;
  diags->more |= full;
  if (i - first >= UOP_MAX_ERRORS) return true;
  if (full) diags->len--;
  if (!UOPI_PUSH(uopi_mem_of(p->ctx), diags, w)) return uopi_no_memory(p->ctx), false;
  memmove(&diags->at[i + 1], &diags->at[i], (diags->len - 1 - i) * sizeof w);
  diags->at[i] = w;
  return true;
}

static bool warn_unused(const uop_program *p, uop_diags *diags, size_t first, uopi_set *reached) {
  for (size_t i = 0; i < p->nstmts; i++) {
    const uop_stmt *s = &p->stmts[i];
    if (!s->name || uopi_set_has(reached, s->node)) continue;
    char name[UOP_MAX_NAME + 1];
    memcpy(name, s->name, s->name_len);
    name[s->name_len] = 0;
    uop_diag d;
    uopi_diag_set(&d, UOP_W_UNUSED, s->node->op, -1, "%%%s is not used", name);
    d.line = s->line;
    d.column = s->column;
    d.length = s->name_len + 1;
    if (!warn(p, diags, first, d)) return false;
  }
  return true;
}

/* A constant index outside its axis: every run that comes to it fails. */
static bool warn_index(const uop_program *p, uop_diags *diags, size_t first, const uop *u) {
  for (uint32_t i = 1; i < u->nsrc; i++) {
    const uop *k = u->src[i];
    if (k->op != UOP_CONST) continue;
    int32_t v = uop_const_i32(k);
    if (v >= 0 && v < u->src[0]->shape->at[i - 1]) continue;
    const uop_stmt *s = uop_program_find(p, u);
    uop_diag d;
    uopi_diag_set(&d, UOP_W_INDEX, UOP_INDEX, (int)i,
                  "INDEX: index %d is outside axis %d of shape %p", (int)v, (int)i - 1,
                  u->src[0]->shape);
    if (!s) continue;
    d.line = s->line;
    d.column = s->column;
    d.length = s->length;
    if (!warn(p, diags, first, d)) return false;
  }
  return true;
}

/* Below all statements, whether a root needs them or not. */
static bool warn_indices(const uop_program *p, uop_diags *diags, size_t first) {
  uop_nodes tops = {NULL, 0, 0}, order = {NULL, 0, 0};
  bool ok = true;
  if (!p->has_index) return true;
  for (size_t i = 0; ok && i < p->nstmts; i++)
    ok = UOPI_PUSH(uopi_mem_of(p->ctx), &tops, p->stmts[i].node);
  if (!ok) uopi_no_memory(p->ctx);
  ok = ok && uopi_walk(p->ctx, tops.at, tops.len, false, &order);
  for (size_t i = 0; ok && i < order.len; i++)
    if (order.at[i]->op == UOP_INDEX) ok = warn_index(p, diags, first, order.at[i]);
  uop_nodes_free(p->ctx, &tops);
  uop_nodes_free(p->ctx, &order);
  return ok;
}

bool uop_program_check(const uop_program *p, uop_diags *diags) {
  uop_nodes order = {NULL, 0, 0};
  uopi_set reached = {.mem = uopi_mem_of(p->ctx)};
  size_t first = diags->len;
  bool ok = uopi_walk(p->ctx, p->roots.at, p->roots.len, false, &order);
  for (size_t i = 0; ok && i < order.len; i++)
    if (uopi_set_add(&reached, order.at[i]) < 0) ok = (uopi_no_memory(p->ctx), false);
  ok = ok && warn_unused(p, diags, first, &reached) && warn_indices(p, diags, first);
  uopi_set_drop(&reached);
  uop_nodes_free(p->ctx, &order);
  return ok;
}
