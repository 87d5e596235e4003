/* inout.c - making and freeing a run; the values that go in, and those that come out.
 *
 * What goes in is borrowed, and checked when it is given (is it a value at all?) and when a node
 * needs it (is it of the node's type?). What comes out belongs to the run, does not move while
 * other nodes are computed, and has no NaN but the canonical one. */
#include "plain/eval.h"
#include "alu/alu.h"

plain_run *plain_new(uop_ctx *ctx, const uop_run_options *options) {
  if (!ctx) return NULL;
  plain_run *r = uopi_realloc(uopi_mem_of(ctx), NULL, 0, sizeof *r);
  if (!r) return uopi_no_memory(ctx);
  memset(r, 0, sizeof *r);
  r->ctx = ctx;
  r->inner = &r->top;
  r->max_steps = options && options->max_steps ? options->max_steps : UOP_DEFAULT_STEPS;
  r->max_bytes = options && options->max_bytes ? options->max_bytes : UOP_DEFAULT_BYTES;
  r->warn = options ? options->warn : NULL;
  r->user = options ? options->user : NULL;
  return r;
}

void plain_free(plain_run *r) {
  if (!r) return;
  const uopi_mem *mem = uopi_mem_of(r->ctx);
  plain_cells_drop(r, &r->top.memo);
  plain_cells_drop(r, &r->slots);
  plain_cells_drop(r, &r->warned);
  plain_cells_drop(r, &r->outs);
  UOPI_DROP(mem, &r->inputs);
  UOPI_DROP(mem, &r->tasks);
  UOPI_DROP(mem, &r->by_zero);
  uopi_realloc(mem, r, sizeof *r, 0);
}

uop_run_stats plain_stats(const plain_run *r) { return r->stats; }

/* ---- in ---- */

static uint64_t input_key(unsigned op, int64_t slot) {
  return (uint64_t)slot << 1 | (op == UOP_BUFFER);
}

static plain_input *input_find(const plain_run *r, unsigned op, int64_t slot) {
  const plain_cell *c = plain_cells_find(&r->slots, input_key(op, slot));
  return c ? &r->inputs.at[c->number] : NULL;
}

static bool input_add(plain_run *r, unsigned op, int64_t slot, const uop_value *v) {
  plain_cell place;
  place.number = r->inputs.len;
  if (!UOPI_RESERVE(uopi_mem_of(r->ctx), &r->inputs, r->inputs.len + 1))
    return plain_run_no_memory(r, NULL);
  if (!plain_cells_put(r, &r->slots, NULL, input_key(op, slot), place, false)) return false;
  r->inputs.at[r->inputs.len++] = (plain_input){*v, false};
  return true;
}

/* What is wrong with a value that a caller made, or NULL. */
static const char *fault_of(const uop_value *v) {
  const char *limit = NULL;
  if ((int)v->dtype <= UOP_VOID || v->dtype >= UOP_DTYPE_COUNT) return "it has no dtype";
  if (v->rank > UOP_MAX_RANK) return "its rank is over the limit of 32";
  int64_t n = uopi_check_dims(v->dims, v->rank, &limit);
  if (n < 0) return limit;
  if (n != v->count) return "its count is not the product of its dims";
  if (n && !v->data) return "it has no data";
  const unsigned char *bytes = v->data;
  if (v->dtype == UOP_BOOL)
    for (int64_t i = 0; i < n; i++)
      if (bytes[i] > 1) return "a bool in it is neither 0 nor 1";
  return NULL;
}

bool plain_set(plain_run *r, uop_op op, int64_t slot, const uop_value *v) {
  if (!r || !v) return false;
  if ((op != UOP_PARAM && op != UOP_BUFFER) || slot < 0 || slot > UOP_MAX_SLOT) {
    uopi_error(r->ctx, UOP_E_INPUT, (int)op, -1, "there is no input %a slot=%l", (int)op, slot);
    return false;
  }
  const char *fault = fault_of(v);
  plain_input *in = input_find(r, op, slot);
  if (!fault && in && in->read) fault = "the one it has was already used";
  if (fault) {
    uopi_error(r->ctx, UOP_E_INPUT, (int)op, -1, "the value for %a slot=%l: %s", (int)op, slot,
               fault);
    return false;
  }
  if (!in) return input_add(r, op, slot, v);
  in->value = *v;
  return true;
}

bool plain_input_value(plain_run *r, const uop *u, plain_cell *c) {
  plain_input *in = input_find(r, u->op, uop_slot(u));
  if (!in)
    return PLAIN_ERROR(r, u, UOP_E_INPUT, -1, "%a slot=%l has no value", (int)u->op,
                          uop_slot(u));
  const uop_value *v = &in->value;
  bool same = v->dtype == u->dtype && v->rank == u->shape->len;
  for (uint32_t i = 0; same && i < v->rank; i++) same = v->dims[i] == u->shape->at[i];
  if (!same)
    return PLAIN_ERROR(r, u, UOP_E_INPUT, -1, "%a slot=%l is %t%p, given %t%v", (int)u->op,
                          uop_slot(u), (int)u->dtype, u->shape, (int)v->dtype, v->dims,
                          (size_t)v->rank);
  if (!plain_charge_steps(r, u, 1)) return false;
  memset(c, 0, sizeof *c);
  if (!plain_in_block(u))
    memcpy(c->raw, v->data, uop_dtype_size(v->dtype));
  else if (!(c->block = plain_block_borrow(r, u, v->data)))
    return false;
  in->read = true;
  return true;
}

/* ---- out ---- */

static bool is_canonical(unsigned d, int64_t n, const void *data) {
  const float *f = data;
  const uint16_t *h = data;
  int64_t i = 0;
  if (d == UOP_F32)
    while (i < n && f32_bits(canon_f32(f[i])) == f32_bits(f[i])) i++;
  else if (d == UOP_F16)
    while (i < n && canon_f16(h[i]) == h[i]) i++;
  else
    return true;
  return i == n;
}

static void copy_canonical(unsigned d, int64_t n, void *to, const void *from) {
  const float *f = from;
  const uint16_t *h = from;
  if (d == UOP_F32)
    for (int64_t i = 0; i < n; i++) ((float *)to)[i] = canon_f32(f[i]);
  else if (d == UOP_F16)
    for (int64_t i = 0; i < n; i++) ((uint16_t *)to)[i] = canon_f16(h[i]);
  else if (n)
    memcpy(to, from, (size_t)n * uop_dtype_size((uop_dtype)d));
}

/* The block that is handed out for `u`: the memo's own, or a copy where its value lies in a cell,
 * which may move, or has other NaNs. NULL: an error. */
static plain_block *out_block(plain_run *r, const uop *u, int64_t n) {
  const plain_cell *known = plain_cells_find(&r->outs, u->id);
  if (known) return known->block;
  const plain_cell *c = plain_cells_find(&r->top.memo, u->id);
  const void *data = plain_data(u, c);
  plain_cell out;
  if (plain_in_block(u) && is_canonical(u->dtype, n, data)) {
    out = plain_cell_share(u, c);
  } else {
    out.block = plain_block_new(r, u, (size_t)n * uop_dtype_size((uop_dtype)u->dtype));
    if (!out.block) return NULL;
    copy_canonical(u->dtype, n, plain_block_bytes(out.block), data);
  }
  if (plain_cells_put(r, &r->outs, u, u->id, out, true)) return out.block;
  plain_block_release(r, out.block);
  return NULL;
}

/* Nothing is under way here: the callback may evaluate, and changes nothing that others read. */
static void tell_warnings(plain_run *r) {
  while (r->by_zero.len) {
    const uop *u = r->by_zero.at[--r->by_zero.len];
    uop_diag d;
    uopi_diag_set(&d, UOP_W_DIVISION, u->op, 1, "%a by zero", (int)u->op);
    d.node = u;
    r->warn(r->user, &d);
  }
}

static bool eval(plain_run *r, const uop *u, uop_value *out) {
  /* A context without an error is only read, so that several threads may run its graphs. */
  if (uop_error(r->ctx)->code != UOP_OK) uop_error_clear(r->ctx);
  if (uop_ctx_of(u) != r->ctx) {
    uopi_error(r->ctx, UOP_E_CONTEXT, u->op, -1, "%a is of another context than the run",
               (int)u->op);
    return false;
  }
  if (!plain_compute(r, u)) return false;
  if (!out) return true;
  memset(out, 0, sizeof *out);
  out->dtype = (uop_dtype)u->dtype;
  out->count = uopi_count(u->shape->at, u->shape->len);
  if (u->dtype == UOP_VOID) return true;
  out->rank = u->shape->len;
  for (uint32_t i = 0; i < out->rank; i++) out->dims[i] = u->shape->at[i];
  const plain_block *b = out_block(r, u, out->count);
  if (!b) return false;
  out->data = (void *)b->data;
  return true;
}

bool plain_eval(plain_run *r, const uop *u, uop_value *out) {
  if (!r || !u) return false; /* what made the NULL has left its error */
  bool ok = eval(r, u, out);
  tell_warnings(r);
  return ok;
}
