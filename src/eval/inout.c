/* inout.c - making and freeing a run; the values that go in, and those that come out.
 *
 * What goes in is borrowed, and checked when it is given (is it a value at all?) and when a node
 * needs it (is it of the node's type?). What comes out belongs to the run, does not move while
 * other nodes are computed, and has no NaN but the canonical one. */
#include "eval/eval.h"
#include "alu/alu.h"

uop_run *uop_run_new(uop_ctx *ctx, const uop_run_options *options) {
  if (!ctx) return NULL;
  uop_run *r = uopi_realloc(uopi_mem_of(ctx), NULL, 0, sizeof *r);
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

void uop_run_free(uop_run *r) {
  if (!r) return;
  const uopi_mem *mem = uopi_mem_of(r->ctx);
  uopi_cells_drop(r, &r->top.memo);
  uopi_cells_drop(r, &r->slots);
  uopi_cells_drop(r, &r->warned);
  uopi_cells_drop(r, &r->outs);
  UOPI_DROP(mem, &r->inputs);
  UOPI_DROP(mem, &r->tasks);
  UOPI_DROP(mem, &r->by_zero);
  uopi_realloc(mem, r, sizeof *r, 0);
}

uop_run_stats uop_run_get_stats(const uop_run *r) { return r->stats; }

/* ---- in ---- */

static uint64_t input_key(unsigned op, int64_t slot) {
  return (uint64_t)slot << 1 | (op == UOP_BUFFER);
}

static uopi_input *input_find(const uop_run *r, unsigned op, int64_t slot) {
  const uopi_cell *c = uopi_cells_find(&r->slots, input_key(op, slot));
  return c ? &r->inputs.at[c->number] : NULL;
}

static bool input_add(uop_run *r, unsigned op, int64_t slot, const uop_value *v) {
  uopi_cell place;
  place.number = r->inputs.len;
  if (!UOPI_RESERVE(uopi_mem_of(r->ctx), &r->inputs, r->inputs.len + 1))
    return uopi_run_no_memory(r, NULL);
  if (!uopi_cells_put(r, &r->slots, NULL, input_key(op, slot), place, false)) return false;
  r->inputs.at[r->inputs.len++] = (uopi_input){*v, false};
  return true;
}

/* What is wrong with a value that a caller made, or NULL. */
static const char *fault_of(const uop_value *v) {
  const char *limit = NULL;
  if ((int)v->dtype <= UOP_VOID || v->dtype >= UOP_DTYPE_COUNT) return "it has no dtype";
  if (v->rank > UOP_MAX_RANK) return "its rank is above 32 (UOP_MAX_RANK)";
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

bool uop_run_set(uop_run *r, uop_op op, int64_t slot, const uop_value *v) {
  if (!r || !v) return false;
  if ((op != UOP_PARAM && op != UOP_BUFFER) || slot < 0 || slot > UOP_MAX_SLOT) {
    uopi_error(r->ctx, UOP_E_INPUT, (int)op, -1, "there is no input %a slot=%l", (int)op, slot);
    return false;
  }
  const char *fault = fault_of(v);
  uopi_input *in = input_find(r, op, slot);
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

bool uopi_input_value(uop_run *r, const uop *u, uopi_cell *c) {
  uopi_input *in = input_find(r, u->op, uop_slot(u));
  if (!in)
    return UOPI_RUN_ERROR(r, u, UOP_E_INPUT, -1, "%a slot=%l has no value", (int)u->op,
                          uop_slot(u));
  const uop_value *v = &in->value;
  bool same = v->dtype == u->dtype && v->rank == u->shape->len;
  for (uint32_t i = 0; same && i < v->rank; i++) same = v->dims[i] == u->shape->at[i];
  if (!same)
    return UOPI_RUN_ERROR(r, u, UOP_E_INPUT, -1, "%a slot=%l is %t%p, given %t%v", (int)u->op,
                          uop_slot(u), (int)u->dtype, u->shape, (int)v->dtype, v->dims,
                          (size_t)v->rank);
  if (!uopi_charge_steps(r, u, 1)) return false;
  memset(c, 0, sizeof *c);
  if (!uopi_in_block(u))
    memcpy(c->raw, v->data, uop_dtype_size(v->dtype));
  else if (!(c->block = uopi_block_borrow(r, u, v->data)))
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
static uopi_block *out_block(uop_run *r, const uop *u, int64_t n) {
  const uopi_cell *known = uopi_cells_find(&r->outs, u->id);
  if (known) return known->block;
  const uopi_cell *c = uopi_cells_find(&r->top.memo, u->id);
  const void *data = uopi_data(u, c);
  uopi_cell out;
  if (uopi_in_block(u) && is_canonical(u->dtype, n, data)) {
    out = uopi_cell_share(u, c);
  } else {
    out.block = uopi_block_new(r, u, (size_t)n * uop_dtype_size((uop_dtype)u->dtype));
    if (!out.block) return NULL;
    copy_canonical(u->dtype, n, uopi_block_bytes(out.block), data);
  }
  if (uopi_cells_put(r, &r->outs, u, u->id, out, true)) return out.block;
  uopi_block_release(r, out.block);
  return NULL;
}

/* Nothing is under way here: the callback may evaluate, and changes nothing that others read. What
 * such an evaluation finds is told there, with all that still waits here. */
static void tell_warnings(uop_run *r) {
  while (r->told < r->by_zero.len) {
    const uop *u = r->by_zero.at[r->told++];
    uop_diag d;
    uopi_diag_set(&d, UOP_W_DIVISION, u->op, 1, "%a by zero", (int)u->op);
    d.node = u;
    r->warn(r->user, &d);
  }
  r->told = r->by_zero.len = 0;
}

static bool eval(uop_run *r, const uop *u, uop_value *out) {
  /* A context without an error is only read, so that several threads may run its graphs. */
  if (uop_error(r->ctx)->code != UOP_OK) uop_error_clear(r->ctx);
  if (uop_ctx_of(u) != r->ctx) {
    uopi_error(r->ctx, UOP_E_CONTEXT, u->op, -1, "%a is of another context than the run",
               (int)u->op);
    return false;
  }
  if (!uopi_compute(r, u)) return false;
  if (!out) return true;
  memset(out, 0, sizeof *out);
  out->dtype = (uop_dtype)u->dtype;
  out->count = uopi_count(u->shape->at, u->shape->len);
  if (u->dtype == UOP_VOID) return true;
  out->rank = u->shape->len;
  for (uint32_t i = 0; i < out->rank; i++) out->dims[i] = u->shape->at[i];
  const uopi_block *b = out_block(r, u, out->count);
  if (!b) return false;
  out->data = (void *)b->data;
  return true;
}

bool uop_run_eval(uop_run *r, const uop *u, uop_value *out) {
  if (!r || !u) return false; /* what made the NULL has left its error */
  bool ok = eval(r, u, out);
  tell_warnings(r);
  return ok;
}
