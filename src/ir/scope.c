/* scope.c - scopes, pins and the collector.
 *
 * An old node never points to a younger one, so a scope's nodes are collected in one pass from
 * young to old over its suffix of the creation vector: a needed node passes its mark on to its
 * sources, another is unlinked and freed while its sources are still there to be read.
 *
 *   creation vector: [ older scopes … | begin: a b c d e ]   <- the pass runs from e to a,
 *                                                             then the survivors close ranks
 */
#include "ir/pair.h"

static void node_free(uop_ctx *ctx, uop *u) {
  uopi_unlink(ctx, u);
  if ((u->flags & FLAG_SIGNATURE) && !UOPI_FAULT(7)) uopi_signature_drop(ctx, u);
  if (uopi_arg_is_tuple(u->op) && !UOPI_FAULT(5)) uopi_tuple_release(ctx, u->arg.tuple);
  if (uopi_arg_kind_of(u->op) == UOPI_ARG_NAME) uopi_name_release(ctx, u->arg.name);
  uopi_tuple_release(ctx, u->shape);
  uopi_node_delete(ctx, u);
}

/* The same for the most common kind, the youngest user of its youngest source. False: it is not. */
static inline bool pair_free(uop_ctx *ctx, uop *u) {
  if (!uopi_is_pair(u->op) || u->flags & (FLAG_TABLE | FLAG_SIGNATURE) || u->shape->len)
    return false;
  uop *y = uopi_youngest_of_pair(ctx, u->src[0], u->src[1]);
  if (y->users != u) return false;
  y->users = u->next;
  y->flags--;
  uopi_node_delete(ctx, u);
  return true;
}

static inline void mark(const uop *u, uint64_t first) {
  if (u->id >= first) ((uop *)u)->flags |= FLAG_MARK;
}

/* Whether node `id` of the suffix survives: binary search, since ids rise along it. */
static bool survives(const uop_ctx *ctx, size_t begin, uint64_t id) {
  size_t lo = begin, hi = ctx->nlive;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (ctx->live[mid]->id < id)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (lo == ctx->nlive) return false;
  const uop *u = ctx->live[lo];
  return u->id == id && (u->flags & FLAG_MARK);
}

/* Drops the entries of registered maps whose key or value is about to die. */
static void clean_maps(uop_ctx *ctx, size_t begin, uint64_t first) {
  for (uop_map *m = ctx->maps; m; m = m->next)
    for (size_t d = 0; d < m->dir.cap; d++) {
      uopi_page *p = m->dir.at[d].page;
      for (uint32_t k = 0; p && k < UOPI_PAGE_IDS; k++) {
        uint64_t bit = UINT64_C(1) << (k % 64), id = m->dir.at[d].number << UOPI_PAGE_BITS | k;
        if (!(p->present[k / 64] & bit)) continue;
        const uop *v = (const uop *)(uintptr_t)p->value[k];
        bool value_dies = !UOPI_FAULT(16) && v && v->id >= first && !(v->flags & FLAG_MARK);
        if (!value_dies && (id < first || survives(ctx, begin, id))) continue;
        p->present[k / 64] &= ~bit;
        m->len--;
      }
    }
}

static void sweep(uop_ctx *ctx, size_t begin, const uop *const *keep, size_t n) {
  if (begin == ctx->nlive) return;
  uint64_t first = ctx->live[begin]->id;
  for (size_t i = 0; i < n; i++)
    if (keep[i] && uopi_ctx_of(keep[i]) == ctx) mark(keep[i], first);
  bool two_passes = ctx->maps != NULL; /* maps are cleaned while dying nodes can still be read */
  for (size_t i = ctx->nlive; i-- > begin;) {
    uop **at = &ctx->live[i], *u = *at;
    if (u->pins && !UOPI_FAULT(8)) u->flags |= FLAG_MARK;
    if (u->flags & FLAG_MARK) {
      for (uint32_t k = 0; k < u->nsrc; k++) mark(u->src[k], first);
    } else if (!two_passes) {
      if (!pair_free(ctx, u)) node_free(ctx, u);
      *at = NULL;
    }
  }
  if (two_passes) {
    clean_maps(ctx, begin, first);
    for (size_t i = ctx->nlive; i-- > begin;) {
      uop **at = &ctx->live[i];
      if ((*at)->flags & FLAG_MARK) continue;
      node_free(ctx, *at);
      *at = NULL;
    }
  }
  size_t len = begin;
  for (size_t i = begin; i < ctx->nlive; i++) {
    uop *u = ctx->live[i];
    if (!u) continue;
    u->flags &= (uint8_t)~FLAG_MARK;
    ctx->live[len++] = u;
  }
  ctx->nlive = len;
}

uop_scope uop_scope_begin(uop_ctx *ctx) {
  if (!ctx) return (uop_scope){0};
  uop_scope s = {.ctx = ctx, .begin = ctx->nlive, .outer = ctx->scope_begin};
  s.serial = ++ctx->next_serial;
  s.outer_serial = ctx->scope_serial;
  s.depth = ++ctx->depth;
  ctx->scope_begin = s.begin;
  ctx->scope_serial = s.serial;
  return s;
}

bool uop_scope_end(uop_scope s, const uop *const *keep, size_t n) {
  uop_ctx *ctx = s.ctx;
  if (!ctx) return false;
  if (s.serial != ctx->scope_serial) {
    uopi_error(ctx, UOP_E_SCOPE, -1, -1, "a scope was ended that is not the innermost open one");
    return false;
  }
  if (s.depth <= ctx->floor) {
    uopi_error(ctx, UOP_E_SCOPE, -1, -1, "a callback may end only scopes that it began");
    return false;
  }
  sweep(ctx, s.begin, keep, n);
  ctx->depth--;
  ctx->scope_begin = s.outer;
  ctx->scope_serial = s.outer_serial;
  if (UOPI_FAULT(11)) ctx->next_id = ctx->nlive ? ctx->live[ctx->nlive - 1]->id + 1 : 0;
  return true;
}

bool uop_collect(uop_ctx *ctx, const uop *const *keep, size_t n) {
  if (!ctx) return false;
  if (ctx->busy) {
    uopi_error(ctx, UOP_E_SCOPE, -1, -1, "uop_collect while a callback is running");
    return false;
  }
  sweep(ctx, ctx->scope_begin, keep, n);
  return true;
}

void uopi_undo_all(uop_ctx *ctx, uopi_undo u) {
  sweep(ctx, u.nlive, NULL, 0);
  if (ctx->nlive == u.nlive) ctx->next_id = u.next_id; /* a callback may have pinned something */
}

uopi_guard uopi_callback_begin(uop_ctx *ctx) {
  uopi_guard g = {ctx->scope_begin, ctx->scope_serial, ctx->depth, ctx->floor};
  ctx->floor = ctx->depth;
  ctx->busy++;
  return g;
}

bool uopi_callback_end(uop_ctx *ctx, uopi_guard g) {
  bool as_it_was = ctx->depth == g.depth;
  ctx->scope_begin = g.begin;
  ctx->scope_serial = g.serial;
  ctx->depth = g.depth;
  ctx->floor = g.floor;
  ctx->busy--;
  return as_it_was;
}

bool uop_pin(const uop *u) {
  if (!u) return true;
  if (u->pins == UOP_MAX_PINS) {
    uopi_error(uopi_ctx_of(u), UOP_E_LIMIT, u->op, -1,
               "%a: pinned more than %l times (UOP_MAX_PINS)", (int)u->op, (int64_t)UOP_MAX_PINS);
    return false;
  }
  ((uop *)u)->pins++;
  return true;
}

void uop_unpin(const uop *u) {
  if (u && u->pins) ((uop *)u)->pins--;
}

void uop_map_register(uop_map *m) {
  if (m->prev) return;
  m->next = m->ctx->maps;
  m->prev = &m->ctx->maps;
  if (m->next) m->next->prev = &m->next;
  m->ctx->maps = m;
}
