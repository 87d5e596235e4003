/* make.c - the one door through which every node goes: look it up, else check it and file it.
 *
 * The entry goes into the unique table last, after inference and after every allocation, so that a
 * failed construction leaves no node, no tuple and no used-up id behind.
 */
#include "ir/pair.h"

static const uop_arg no_arg;

static bool check_arity(uop_ctx *ctx, uop_op op, size_t n) {
  const uop_op_info *row = uop_op_find(op);
  if (!row) return uopi_error(ctx, UOP_E_ARG, -1, -1, "no op has number %d", (int)op), false;
  if (n > UOP_MAX_SRC) {
    uopi_error(ctx, UOP_E_LIMIT, (int)op, -1, "%s: %l sources are more than %l (UOP_MAX_SRC)",
               row->name, (int64_t)n, (int64_t)UOP_MAX_SRC);
    return false;
  }
  if (n >= row->min_src && n <= row->max_src) return true;
  if (op == UOP_STACK) return uopi_error(ctx, UOP_E_ARITY, (int)op, -1, "STACK of nothing"), false;
  uopi_error(ctx, UOP_E_ARITY, (int)op, -1, "%s takes %d%s source%s, got %l", row->name,
             (int)row->min_src, row->max_src > row->min_src ? " or more" : "",
             row->min_src == 1 && row->max_src == 1 ? "" : "s", (int64_t)n);
  return false;
}

/* Every source there, and of this context. */
static bool check_sources(uop_ctx *ctx, uop_op op, const uop *const *src, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!src[i]) return false; /* a failure below: its error stays */
    if (uopi_ctx_of(src[i]) == ctx) continue;
    return uopi_foreign(ctx, (int)op, (int)i);
  }
  return true;
}

static uint64_t const_bits(const uop_arg *a) {
  if (a->dtype == UOP_BOOL) return a->bits != 0;
  uint64_t b = a->bits & 0xffffffffu;
  if (UOPI_FAULT(2) && a->dtype == UOP_F32 && b == 0x80000000u) b = 0;
  bool nan = !UOPI_FAULT(3) && a->dtype == UOP_F32 && (b & 0x7fffffffu) > 0x7f800000u;
  return nan ? 0x7fc00000u : b; /* every NaN is one */
}

typedef union word {
  uint64_t bits;
  const uop_tuple *tuple;
  const char *name;
} word;

/* The arg as a node keeps it. False where no node can have it yet: a tuple or name that is not
 * interned, or an arg that inference will refuse. */
static bool encode(const uop_ctx *ctx, uop_op op, const uop_arg *a, uopi_key *k) {
  word w = {0};
  switch (uopi_arg_kind_of(op)) {
  case UOPI_ARG_NONE: break;
  case UOPI_ARG_VALUE: w.bits = const_bits(a); break;
  case UOPI_ARG_PARAM:
  case UOPI_ARG_BUFFER:
  case UOPI_ARG_ALLOC:
    if (a->num < 0 || a->num > UOP_MAX_SLOT) return false;
    w.bits = (uint64_t)a->num;
    break;
  case UOPI_ARG_DTYPE: w.bits = (uint64_t)a->dtype; break;
  case UOPI_ARG_RANGE:
    if (a->num < 0 || a->num > UOP_MAX_SLOT || (unsigned)a->kind >= UOP_AXIS_COUNT) return false;
    w.bits = (uint64_t)(UOPI_FAULT(1) ? 0 : a->kind) << 32 | (uint64_t)a->num;
    break;
  case UOPI_ARG_REDUCE:
    if (a->num < 0 || a->num > UOP_MAX_RANK || (unsigned)a->op >= UOP_OP_COUNT) return false;
    w.bits = (uint64_t)a->op << 32 | (uint64_t)a->num;
    break;
  case UOPI_ARG_NAME:
    if (!a->name || !(w.name = uopi_name_find(ctx, a->name, strlen(a->name)))) return false;
    break;
  case UOPI_ARG_SHAPE:
  case UOPI_ARG_AXES:
  case UOPI_ARG_PAIRS:
    if (!(w.tuple = uopi_tuple_find(ctx, a->ints, a->len))) return false;
    break;
  }
  k->bits = w.bits;
  if (!uopi_is_leaf(op)) return true;
  k->dtype = a->dtype;
  k->space = op == UOP_BUFFER ? UOP_SPACE_GLOBAL : op == UOP_CONST ? UOP_SPACE_ALU : a->space;
  k->shape = op == UOP_CONST ? ctx->scalar : uopi_tuple_find(ctx, a->ints, a->len);
  return k->shape != NULL;
}

/* The arg's tuple or name, with a reference taken. False: out of memory. */
static bool intern_arg(uop_ctx *ctx, uop_op op, const uop_arg *a, word *w) {
  if (uopi_arg_is_tuple(op)) {
    w->bits = 0;
    return (w->tuple = uopi_tuple_get(ctx, a->ints, a->len)) != NULL;
  }
  if (uopi_arg_kind_of(op) == UOPI_ARG_NAME) {
    w->bits = 0;
    return (w->name = uopi_name_get(ctx, a->name, strlen(a->name))) != NULL;
  }
  return true;
}

static void release_arg(uop_ctx *ctx, uop_op op, word w) {
  if (uopi_arg_is_tuple(op))
    uopi_tuple_release(ctx, w.tuple);
  else if (uopi_arg_kind_of(op) == UOPI_ARG_NAME)
    uopi_name_release(ctx, w.name);
}

/* Everything that can fail, before anything is changed: room, then the shape, the arg, the node. */
static uop *allocate(const uopi_typing *t, word *w, const uop_tuple **shape) {
  uop_ctx *ctx = t->ctx;
  if (!uopi_live_reserve(ctx) || !uopi_insert_reserve(ctx)) return NULL;
  if (t->shape)
    uopi_tuple_ref(*shape = t->shape);
  else if (!(*shape = uopi_tuple_get(ctx, t->dims, t->rank)))
    return NULL;
  if (intern_arg(ctx, t->op, t->arg, w)) {
    uop *u = uopi_node_new(ctx, t->n);
    if (u) return u;
    release_arg(ctx, t->op, *w);
  }
  uopi_tuple_release(ctx, *shape);
  return NULL;
}

static const uop *file(const uopi_typing *t, uopi_key *k) {
  uop_ctx *ctx = t->ctx;
  if (ctx->max_nodes && ctx->nlive >= ctx->max_nodes)
    return uopi_error(ctx, UOP_E_LIMIT, (int)t->op, -1,
                      "%a: the context has %l nodes, its limit (max_nodes)", (int)t->op,
                      (int64_t)ctx->max_nodes);
  word w = {k->bits};
  uop *u = allocate(t, &w, &k->shape);
  if (!u) return uopi_no_memory(ctx);
  u->id = ctx->next_id++;
  u->nsrc = t->n;
  u->op = (uint8_t)t->op;
  u->dtype = (uint8_t)t->dtype;
  u->space = (uint8_t)t->space;
  u->flags = 0;
  u->pins = 0;
  u->shape = k->shape;
  u->arg.bits = k->bits = w.bits;
  u->users = u->next = NULL;
  for (uint32_t i = 0; i < t->n; i++) u->src[i] = t->src[i];
  k->dtype = t->dtype;
  k->space = t->space;
  u->hash = uopi_hash(k);
  ctx->live[ctx->nlive++] = u;
  uopi_insert(ctx, u, k->youngest);
  return u;
}

/* The node that is not there yet. */
static const uop *make_new(uop_ctx *ctx, uopi_key *k, const uop_arg *arg) {
  uopi_typing t; /* not cleared: its room for a shape would cost more than all the rest */
  t.ctx = ctx;
  t.op = k->op;
  t.src = k->src;
  t.n = k->nsrc;
  t.arg = arg;
  return uopi_infer(&t) ? file(&t, k) : NULL;
}

static const uop *make_any(uop_ctx *ctx, uop_op op, const uop *const *src, size_t n,
                           const uop_arg *arg) {
  if (!ctx || !check_arity(ctx, op, n) || !check_sources(ctx, op, src, n)) return NULL;
  if (!arg) arg = &no_arg;
  if (op == UOP_CAST && src[0]->dtype == arg->dtype && arg->dtype != UOP_VOID) return src[0];
  uopi_key k = {.op = op, .nsrc = (uint32_t)n, .src = src};
  k.youngest = uopi_youngest(src, (uint32_t)n);
  if (encode(ctx, op, arg, &k)) {
    const uop *u = uopi_find(ctx, &k);
    if (u) return u;
  }
  return make_new(ctx, &k, arg);
}

/* ---- the short way: pair.h ---- */

static uint32_t hash_pair(uop_op op, const uop *a, const uop *b) { /* as uopi_hash */
  uint64_t h = uopi_hash_step(UOPI_HASH_SEED, (uint64_t)op << 32 | 2);
  return uopi_hash_end(uopi_hash_sources(h, a, b));
}

/* A node from the bump room of its class; the rest is uopi_node_new's. */
static inline uop *take_pair(uop_ctx *ctx) {
  enum { SIZE = (offsetof(uop, src) + 2 * sizeof(uop *) + 7) & ~(size_t)7 };
  uopi_class *k = &ctx->store.cls[2];
  if (k->free || k->end - k->bump < (ptrdiff_t)SIZE) return uopi_node_new(ctx, 2);
  uop *u = (uop *)k->bump;
  k->bump += SIZE;
  ctx->store.bytes += SIZE;
  return u;
}

const uop *uopi_new_pair(uop_ctx *ctx, uop_op op, const uop *a, const uop *b, uop *youngest) {
  if (youngest->flags & FLAG_OVERFLOW || (youngest->flags & FLAG_COUNT) == LIST_MAX) return NULL;
  if (a->dtype != b->dtype || a->shape != b->shape || a->dtype == UOP_VOID ||
      ctx->nlive == ctx->live_cap)
    return NULL;
  uop *u = take_pair(ctx);
  if (!u) return NULL;
  u->id = ctx->next_id++;
  u->nsrc = 2;
  u->pins = 0;
  u->arg.bits = 0;
  u->shape = a->shape;
  if (a->shape->len) uopi_tuple_ref(a->shape);
  u->users = NULL;
  u->hash = hash_pair(op, a, b);
  u->dtype = UOPI_PAIR_COMPARES >> op & 1 ? UOP_BOOL : a->dtype;
  u->space = UOP_SPACE_ALU;
  u->flags = 0;
  u->op = (uint8_t)op;
  u->src[0] = a;
  u->src[1] = b;
  ctx->live[ctx->nlive++] = u;
  u->next = youngest->users;
  youngest->users = u;
  youngest->flags++;
  return u;
}

/* Apart from uop_make, which so has no registers to save where it finds the node. */
static const uop *new_pair(uop_ctx *ctx, uop_op op, const uop *const *src, uop *youngest) {
  const uop *u = uopi_new_pair(ctx, op, src[0], src[1], youngest);
  return u ? u : make_any(ctx, op, src, 2, NULL);
}

const uop *uop_make(uop_ctx *ctx, uop_op op, const uop *const *src, size_t n, const uop_arg *arg) {
  if (n == 2 && (unsigned)op < UOP_OP_COUNT && uopi_is_pair(op) && src[0] && src[1]) {
    uop *youngest = uopi_youngest_of_pair(ctx, src[0], src[1]);
    if (youngest) {
      const uop *u = uopi_find_pair(op, src[0], src[1], youngest);
      return u ? u : new_pair(ctx, op, src, youngest);
    }
  }
  return make_any(ctx, op, src, n, arg);
}

uop_arg uop_arg_of(const uop *u) {
  uop_arg a = no_arg;
  switch (uopi_arg_kind_of(u->op)) {
  case UOPI_ARG_NONE: break;
  case UOPI_ARG_VALUE: a.bits = u->arg.bits; break;
  case UOPI_ARG_PARAM:
  case UOPI_ARG_BUFFER:
  case UOPI_ARG_ALLOC:
    a.num = uop_slot(u);
    a.ints = u->shape->at;
    a.len = u->shape->len;
    a.space = (uop_space)u->space;
    break;
  case UOPI_ARG_NAME: a.name = u->arg.name; break;
  case UOPI_ARG_DTYPE: break;
  case UOPI_ARG_RANGE:
    a.num = uop_range_idx(u);
    a.kind = uop_range_kind(u);
    break;
  case UOPI_ARG_SHAPE:
  case UOPI_ARG_AXES:
  case UOPI_ARG_PAIRS:
    a.ints = u->arg.tuple->at;
    a.len = u->arg.tuple->len;
    break;
  case UOPI_ARG_REDUCE:
    a.op = uop_reduce_op(u);
    a.num = uop_reduce_axes(u);
    break;
  }
  if (uopi_is_leaf(u->op) || u->op == UOP_CAST) a.dtype = (uop_dtype)u->dtype;
  return a;
}

const uop *uop_with_src(const uop *u, const uop *const *src) {
  if (!u) return NULL;
  bool same = true;
  for (uint32_t i = 0; i < u->nsrc; i++) same &= src[i] == u->src[i];
  if (same) return u;
  uop_arg a = uop_arg_of(u);
  return uop_make(uopi_ctx_of(u), (uop_op)u->op, src, u->nsrc, &a);
}
