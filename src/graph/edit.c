/* edit.c - rebuilding a graph: substitute, inline_call, wrap, copy. All are one loop over the
 * depth-first order: a node whose sources did not change is reused, another is made anew through
 * uop_make, so that what becomes equal becomes one node.
 */
#include "ir/memo.h"
#include "ir/pair.h"

typedef struct rebuild {
  uop_ctx *ctx;   /* where nodes are made */
  uopi_memo done; /* node -> what became of it; nodes that are not in it stay */
  bool scoped;    /* CALL bodies stay as they are */
  bool copies;    /* from another context: no node stays */
  struct {
    const uop **at;
    size_t len, cap;
  } src; /* scratch for one node's sources */
} rebuild;

static void rebuild_end(rebuild *r) {
  uopi_memo_drop(&r->done);
  UOPI_DROP(uopi_mem_of(r->ctx), &r->src);
}

static rebuild rebuild_begin(uop_ctx *ctx) {
  return (rebuild){.ctx = ctx, .done = {.mem = uopi_mem_of(ctx)}};
}

static inline const uop *became(const rebuild *r, const uop *u) {
  const uop *v = uopi_memo_node(&r->done, u);
  return v ? v : u;
}

static bool set_became(rebuild *r, const uop *u, const uop *to) {
  if (uopi_memo_set_node(&r->done, u, to)) return true;
  return uopi_no_memory(r->ctx), false;
}

/* The same for an op of pair.h. NULL: for rebuild_node to do. */
static inline const uop *rebuild_pair(rebuild *r, const uop *u) {
  const uop *a = became(r, u->src[0]), *b = became(r, u->src[1]);
  if (a == u->src[0] && b == u->src[1] && !r->copies) return u;
  return uopi_make_pair(r->ctx, (uop_op)u->op, a, b);
}

/* u with its sources as they became: u itself where none changed. */
static const uop *rebuild_node(rebuild *r, const uop *u) {
  const uop *v = uopi_is_pair(u->op) ? rebuild_pair(r, u) : NULL;
  if (v) return v;
  if (!UOPI_RESERVE(uopi_mem_of(r->ctx), &r->src, u->nsrc)) return uopi_no_memory(r->ctx);
  bool changed = r->copies;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    bool stays = r->scoped && i == 0 && u->op == UOP_CALL;
    r->src.at[i] = stays ? u->src[i] : became(r, u->src[i]);
    changed |= r->src.at[i] != u->src[i];
  }
  if (!changed) return u;
  if (uopi_arg_kind_of(u->op) == UOPI_ARG_NONE)
    return uop_make(r->ctx, (uop_op)u->op, r->src.at, u->nsrc, NULL);
  uop_arg a = uop_arg_of(u);
  return uop_make(r->ctx, (uop_op)u->op, r->src.at, u->nsrc, &a);
}

/* A scattered graph is bound by memory's latency: asks ahead for what the next nodes will read. */
static inline void fetch_ahead(const rebuild *r, const uop_nodes *order, size_t i) {
  enum { NODES = 16, SOURCES = 8 };
  if (i + NODES >= order->len) return;
  const uop *v = order->at[i + NODES], *u = order->at[i + SOURCES];
  UOPI_PREFETCH(&v->nsrc);
  UOPI_PREFETCH(&v->src[1]);
  for (uint32_t k = 0; k < u->nsrc && k < 2; k++) UOPI_PREFETCH(&became(r, u->src[k])->shape);
}

/* What becomes of root where from[i] becomes to[i] (they may be NULL for n = 0). All or nothing. */
static const uop *rebuild_graph(rebuild *r, const uop *root, const uop *const *from,
                                const uop *const *to, size_t n) {
  uop_nodes order = {NULL, 0, 0};
  uopi_undo undo = uopi_undo_begin(r->ctx);
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    const uop *v = UOPI_FAULT(15) ? became(r, to[i]) : to[i];
    ok = set_became(r, from[i], v);
  }
  ok = ok && uopi_walk_around(r->ctx, &root, 1, r->scoped, from, n, &order);
  for (size_t i = 0; ok && i < order.len; i++) {
    fetch_ahead(r, &order, i);
    const uop *v = rebuild_node(r, order.at[i]);
    ok = v && (v == order.at[i] || set_became(r, order.at[i], v));
  }
  const uop *result = ok ? became(r, root) : NULL;
  uop_nodes_free(r->ctx, &order);
  if (!ok) uopi_undo_all(r->ctx, undo);
  return result;
}

const uop *uop_substitute(const uop *root, const uop *const *from, const uop *const *to, size_t n) {
  if (!root) return NULL;
  rebuild r = rebuild_begin(uopi_ctx_of(root));
  bool ok = uopi_all_of(r.ctx, to, n);
  for (size_t i = 0; ok && i < n; i++) ok = from[i] && to[i];
  const uop *u = ok ? rebuild_graph(&r, root, from, to, n) : NULL;
  rebuild_end(&r);
  return u;
}

const uop *uop_inline_call(const uop *call) {
  if (!call) return NULL;
  uop_ctx *ctx = uopi_ctx_of(call);
  if (call->op != UOP_CALL)
    return uopi_error(ctx, UOP_E_ARG, call->op, -1, "%a is no CALL to inline", (int)call->op);
  bool gap;
  const uopi_signature *s = uopi_signature_of(ctx, call->src[0], &gap);
  if (!s) return NULL;
  rebuild r = rebuild_begin(ctx);
  r.scoped = true;
  const uop *u = rebuild_graph(&r, call->src[0], s->param, &call->src[1], s->n);
  rebuild_end(&r);
  return u;
}

const uop *uop_copy(uop_ctx *ctx, const uop *root) {
  if (!ctx) return NULL;
  if (!root || uopi_ctx_of(root) == ctx) return root;
  rebuild r = rebuild_begin(ctx);
  r.copies = true;
  const uop *u = rebuild_graph(&r, root, NULL, NULL, 0);
  rebuild_end(&r);
  return u;
}

/* fn's answer for a target that became `u`. */
static const uop *call_back(uop_ctx *ctx, uop_wrap_fn fn, void *user, const uop *u) {
  uopi_guard g = uopi_callback_begin(ctx);
  const uop *v = fn(user, u);
  if (!uopi_callback_end(ctx, g)) {
    uopi_error(ctx, UOP_E_SCOPE, -1, -1, "a callback left a scope open");
    return NULL;
  }
  if (!v) return uopi_error(ctx, UOP_E_CALLBACK, -1, -1, "uop_wrap: the callback gave no node");
  return uopi_all_of(ctx, &v, 1) ? v : NULL;
}

bool uop_wrap(uop_ctx *ctx, const uop *const *roots, size_t n, const uop *const *targets,
              size_t ntargets, uop_wrap_fn fn, void *user, const uop **out) {
  rebuild r = rebuild_begin(ctx);
  uopi_set is_target = {.mem = uopi_mem_of(ctx)};
  uop_nodes order = {NULL, 0, 0};
  bool ok = uopi_all_of(ctx, roots, n) && uopi_walk(ctx, roots, n, false, &order);
  for (size_t i = 0; ok && i < ntargets; i++)
    if (targets[i] && uopi_set_add(&is_target, targets[i]) < 0) ok = (uopi_no_memory(ctx), false);
  for (size_t i = 0; ok && i < order.len; i++) {
    const uop *u = rebuild_node(&r, order.at[i]);
    if (u && uopi_set_has(&is_target, order.at[i])) u = call_back(ctx, fn, user, u);
    ok = u && (u == order.at[i] || set_became(&r, order.at[i], u));
  }
  for (size_t i = 0; ok && i < n; i++) out[i] = roots[i] ? became(&r, roots[i]) : NULL;
  uop_nodes_free(ctx, &order);
  uopi_set_drop(&is_target);
  rebuild_end(&r);
  return ok;
}
