/* params.c - the parameters of a CALL's body. They are found by a walk of the body's own scope;
 * what a well-formed body needs, its signature, is kept until the body dies, so that a body called
 * many times is walked once. Ids are never used again, so an entry cannot answer for another body.
 */
#include "ir/ir.h"

bool uop_call_params(const uop *body, uop_nodes *out) {
  if (!body) return out->len = 0, false;
  if (!uopi_walk(uopi_ctx_of(body), &body, 1, true, out)) return false;
  size_t n = 0;
  for (size_t i = 0; i < out->len; i++)
    if (out->at[i]->op == UOP_PARAM) out->at[n++] = out->at[i];
  out->len = n;
  return true;
}

bool uop_inputs(uop_ctx *ctx, const uop *const *roots, size_t n, uop_nodes *out) {
  out->len = 0;
  if (!ctx || !uopi_all_of(ctx, roots, n)) return false;
  if (!uopi_walk(ctx, roots, n, true, out)) return false;
  size_t kept = 0;
  for (size_t i = 0; i < out->len; i++)
    if (out->at[i]->op == UOP_PARAM || out->at[i]->op == UOP_BUFFER) out->at[kept++] = out->at[i];
  out->len = kept;
  return true;
}

static size_t signature_size(size_t n) {
  return offsetof(uopi_signature, param) + (n ? n : 1) * sizeof(uop *);
}

void uopi_signature_drop(uop_ctx *ctx, uop *body) {
  uint64_t *v = uopi_map_find(&ctx->signatures, body->id);
  uopi_signature *s = (uopi_signature *)(uintptr_t)*v;
  uop_map_remove(&ctx->signatures, body);
  body->flags &= (uint8_t)~FLAG_SIGNATURE;
  uopi_ctx_realloc(ctx, s, signature_size(s->n), 0);
}

/* "[0, 1, 5]" of the body's slots in order, cut where it gets long. */
static void list_slots(uopi_msg *m, const uop *const *params, size_t n) {
  enum { SHOWN = 12 };
  int64_t last = -1;
  m->at[m->len++] = '[';
  for (size_t shown = 0;; shown++) {
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < n; i++)
      if (uop_slot(params[i]) > last && uop_slot(params[i]) < least) least = uop_slot(params[i]);
    if (least == INT64_MAX) break;
    if (shown) m->at[m->len++] = ',', m->at[m->len++] = ' ';
    if (shown == SHOWN) {
      memcpy(m->at + m->len, "...", 3);
      m->len += 3;
      break;
    }
    m->len = (size_t)(uopi_format_u64(m->at + m->len, (uint64_t)least) - m->at);
    last = least;
  }
  m->at[m->len++] = ']';
  m->at[m->len] = 0;
}

/* The CALL's refusal for a body with other slots than 0 .. nargs-1. */
void uopi_call_slots_error(uop_ctx *ctx, const uop *body, size_t nargs) {
  uop_nodes params = {NULL, 0, 0};
  if (!uop_call_params(body, &params)) return;
  char text[400];
  uopi_msg m = {text, 0, sizeof text};
  list_slots(&m, params.at, params.len);
  if (nargs == 0)
    uopi_error(ctx, UOP_E_ARG, UOP_CALL, -1, "CALL needs no params, body has %s", text);
  else
    uopi_error(ctx, UOP_E_ARG, UOP_CALL, -1, "CALL needs params 0..%l, body has %s",
               (int64_t)nargs - 1, text);
  uop_nodes_free(ctx, &params);
}

static bool has_buffer(const uop_nodes *l) {
  for (size_t i = 0; i < l->len; i++)
    if (l->at[i]->op == UOP_BUFFER) return true;
  return false;
}

/* Files the params by slot. NULL without an error, and *gap, where the slots are not 0 .. n-1. */
static uopi_signature *by_slot(uop_ctx *ctx, const uop *const *params, size_t n, bool *gap) {
  uopi_signature *s = uopi_ctx_realloc(ctx, NULL, 0, signature_size(n));
  if (!s) return uopi_no_memory(ctx);
  s->n = n;
  for (size_t i = 0; i < n; i++) s->param[i] = NULL;
  const uop *twice = NULL, *first = NULL;
  for (size_t i = 0; i < n; i++) {
    uint64_t slot = (uint64_t)uop_slot(params[i]);
    if (slot >= n)
      *gap = true;
    else if (s->param[slot])
      first = s->param[slot], twice = params[i];
    else
      s->param[slot] = params[i];
  }
  if (!*gap && !twice) return s;
  uopi_ctx_realloc(ctx, s, signature_size(n), 0);
  if (twice) {
    *gap = false;
    uopi_error(ctx, UOP_E_ARG, UOP_CALL, 0, "CALL: param %l is both %y and %y", uop_slot(twice),
               first, twice);
  }
  return NULL;
}

static uopi_signature *signature_make(uop_ctx *ctx, const uop *body, bool *gap) {
  uop_nodes l = {NULL, 0, 0};
  if (!uopi_walk(ctx, &body, 1, true, &l)) return NULL;
  uopi_signature *s = NULL;
  if (has_buffer(&l)) {
    uopi_error(ctx, UOP_E_ARG, UOP_CALL, 0, "CALL: a BUFFER in the body");
  } else {
    size_t n = 0;
    for (size_t i = 0; i < l.len; i++)
      if (l.at[i]->op == UOP_PARAM) l.at[n++] = l.at[i];
    s = by_slot(ctx, l.at, n, gap);
  }
  uop_nodes_free(ctx, &l);
  return s;
}

const uopi_signature *uopi_signature_of(uop_ctx *ctx, const uop *body, bool *gap) {
  *gap = false;
  if (body->flags & FLAG_SIGNATURE)
    return (uopi_signature *)(uintptr_t)*uopi_map_find(&ctx->signatures, body->id);
  uopi_signature *s = signature_make(ctx, body, gap);
  if (!s) return NULL;
  bool fresh;
  uint64_t *v = uopi_map_put(&ctx->signatures, body->id, &fresh);
  if (!v) {
    uopi_ctx_realloc(ctx, s, signature_size(s->n), 0);
    return uopi_no_memory(ctx);
  }
  *v = (uint64_t)(uintptr_t)s;
  ((uop *)body)->flags |= FLAG_SIGNATURE;
  return s;
}
