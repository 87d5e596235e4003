/* inout.c - making and freeing a run; the values that go in, and those that come out.
 *
 * What goes in is borrowed or copied, and checked when it is given (is it a value at all?) and when
 * a node needs it (is it of the node's type?). What comes out belongs to the run, does not move
 * while other nodes are computed, and has no NaN but the canonical one.
 */
#include "alu/alu.h"
#include "eval/eval.h"
#include "ir/ir.h"

/* ---- a run ---- */

uop_run *uop_run_new(uop_ctx *ctx, const uop_run_options *options) {
  if (!ctx) return NULL;
  const uopi_mem *mem = uopi_mem_of(ctx);
  uop_run *r = uopi_realloc(mem, NULL, 0, sizeof *r);
  if (!r) return uopi_no_memory(ctx);
  memset(r, 0, sizeof *r);
  r->ctx = ctx;
  r->inner = &r->top;
  r->loops = uopi_loops_of(0);
  r->deaths = ctx->deaths;
  atomic_init(&r->cancelled, false);
  if (options) r->options = *options;
  if (!r->options.max_steps) r->options.max_steps = UOP_DEFAULT_STEPS;
  if (!r->options.max_bytes) r->options.max_bytes = UOP_DEFAULT_BYTES;
  if (!r->options.clock) return r;
  size_t bytes = UOP_OP_COUNT * sizeof *r->profile;
  if ((r->profile = uopi_realloc(mem, NULL, 0, bytes))) {
    memset(r->profile, 0, bytes);
    return r;
  }
  uopi_realloc(mem, r, sizeof *r, 0);
  return uopi_no_memory(ctx);
}

static void drop_plans(uop_run *r) {
  uopi_plan *p = r->top.plan;
  uopi_frame_drop(r, &r->top);
  uopi_plan_free(r, p);
  for (size_t i = 0; i < r->plans.cap; i++)
    if (r->plans.at[i].key) uopi_plan_free(r, r->plans.at[i].cell.plan);
  uopi_cells_drop(r, &r->plans);
  r->wanted.len = 0;
}

static size_t input_size(uint32_t rank) { return sizeof(uopi_input) + rank * sizeof(int64_t); }

static void input_free(uop_run *r, uopi_input *in) {
  uopi_array_release(r, in->copy);
  uopi_run_realloc(r, NULL, in, input_size(in->rank), 0);
}

static void free_inputs(uop_run *r) {
  for (size_t i = 0; r->slots.len && i < r->slots.cap; i++)
    if (r->slots.at[i].key) input_free(r, r->slots.at[i].cell.input);
  uopi_cells_clear(r, &r->slots);
}

static void release_outs(uop_run *r) {
  for (size_t i = 0; r->outs.len && i < r->outs.cap; i++)
    if (r->outs.at[i].key) uopi_array_release(r, r->outs.at[i].cell.array);
  uopi_cells_clear(r, &r->outs);
}

void uop_run_free(uop_run *r) {
  if (!r) return;
  const uopi_mem *mem = uopi_mem_of(r->ctx);
  drop_plans(r);
  release_outs(r);
  free_inputs(r);
  uopi_cells_drop(r, &r->outs);
  uopi_cells_drop(r, &r->slots);
  uopi_scalars_drop(r);
  uopi_pool_drop(r);
  uopi_cells_drop(r, &r->warned);
  UOPI_DROP(mem, &r->tasks);
  UOPI_DROP(mem, &r->visits);
  UOPI_DROP(mem, &r->by_zero);
  UOPI_DROP(mem, &r->wanted);
  uopi_realloc(mem, r->scratch, r->scratch_size, 0);
  if (r->profile) uopi_realloc(mem, r->profile, UOP_OP_COUNT * sizeof *r->profile, 0);
  uopi_realloc(mem, r, sizeof *r, 0);
}

void uop_run_reset(uop_run *r) {
  if (!r || r->busy) return;
  if (r->top.plan) uopi_frame_clear(r, &r->top);
  release_outs(r);
  free_inputs(r);
  uopi_scalars_clear(r);
  uopi_cells_clear(r, &r->warned);
  r->told = r->by_zero.len = 0;
  r->since = 0;
  r->stats = (uop_run_stats){.bytes = r->stats.bytes, .peak_bytes = r->stats.bytes};
  if (r->profile) memset(r->profile, 0, UOP_OP_COUNT * sizeof *r->profile);
  atomic_store_explicit(&r->cancelled, false, memory_order_relaxed); /* as it is read */
}

void uop_run_cancel(uop_run *r) { atomic_store(&r->cancelled, true); }

uop_run_stats uop_run_get_stats(const uop_run *r) { return r->stats; }

bool uop_run_get_cost(const uop_run *r, uop_op op, uop_op_cost *out) {
  if (!r->profile || !uop_op_find(op)) return false;
  *out = r->profile[op];
  return true;
}

/* ---- in ---- */

static uint64_t input_key(unsigned op, int64_t slot) {
  return (uint64_t)slot << 1 | (op == UOP_BUFFER);
}

static uopi_input *input_find(const uop_run *r, unsigned op, int64_t slot) {
  const uopi_cell *c = uopi_cells_find(&r->slots, input_key(op, slot));
  return c ? c->input : NULL;
}

static bool has_bad_bool(const uop_value *v) {
  unsigned char bytes[UOPI_BLOCK];
  int64_t room[UOPI_READER_ROOM];
  uopi_reader in = uopi_reader_of_value(room, v);
  for (int64_t i = 0, k; i < v->count; i += k) {
    k = v->count - i < UOPI_BLOCK ? v->count - i : UOPI_BLOCK;
    uopi_read(&in, i, k, bytes);
    for (int64_t j = 0; j < k; j++)
      if (bytes[j] > 1) return true;
  }
  return false;
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
  if (v->dtype == UOP_BOOL && has_bad_bool(v)) return "a bool in it is neither 0 nor 1";
  return NULL;
}

/* Whether `v` may be that input's value. */
static bool may_set(uop_run *r, uop_op op, int64_t slot, const uop_value *v) {
  if ((op != UOP_PARAM && op != UOP_BUFFER) || slot < 0 || slot > UOP_MAX_SLOT) {
    uopi_error(r->ctx, UOP_E_INPUT, (int)op, -1, "there is no input %a slot=%l", (int)op, slot);
    return false;
  }
  const char *fault = fault_of(v);
  const uopi_input *in = input_find(r, op, slot);
  if (!fault && in && in->read) fault = "the one it has was already used";
  if (fault)
    uopi_error(r->ctx, UOP_E_INPUT, (int)op, -1, "the value for %a slot=%l: %s", (int)op, slot,
               fault);
  return !fault;
}

/* `copy`, whose elements they are then, is the input's from here on, or NULL. */
static bool put_input(uop_run *r, uop_op op, int64_t slot, const uop_value *v, uopi_array *copy) {
  uopi_cell *known = uopi_cells_find(&r->slots, input_key(op, slot)), new;
  uopi_input *in = new.input = uopi_run_realloc(r, NULL, NULL, 0, input_size(v->rank));
  if (!in || (!known && !uopi_cells_put(r, &r->slots, NULL, input_key(op, slot), new))) {
    uopi_run_realloc(r, NULL, in, in ? input_size(v->rank) : 0, 0);
    uopi_array_release(r, copy);
    return false;
  }
  *in = (uopi_input){.data = copy ? copy->data : v->data,
                     .strides = copy ? NULL : v->strides,
                     .copy = copy,
                     .dtype = (uint8_t)v->dtype,
                     .rank = (uint8_t)v->rank};
  for (uint32_t i = 0; i < v->rank; i++) in->dim[i] = v->dims[i];
  if (!known) return true;
  input_free(r, known->input);
  known->input = in;
  return true;
}

bool uop_run_set(uop_run *r, uop_op op, int64_t slot, const uop_value *v) {
  return r && v && may_set(r, op, slot, v) && put_input(r, op, slot, v, NULL);
}

bool uop_run_set_copy(uop_run *r, uop_op op, int64_t slot, const uop_value *v) {
  if (!r || !v || !may_set(r, op, slot, v)) return false;
  uopi_array *copy = uopi_array_copy(r, v);
  return copy && put_input(r, op, slot, v, copy);
}

bool uopi_input_value(uop_run *r, const uop *u, uopi_cell *c) {
  uopi_input *in = input_find(r, u->op, uop_slot(u));
  if (!in)
    return UOPI_RUN_ERROR(r, u, UOP_E_INPUT, -1, "%a slot=%l has no value", (int)u->op,
                          uop_slot(u));
  bool same = in->dtype == u->dtype && in->rank == u->shape->len;
  for (uint32_t i = 0; same && i < in->rank; i++) same = in->dim[i] == u->shape->at[i];
  if (!same)
    return UOPI_RUN_ERROR(r, u, UOP_E_INPUT, -1, "%a slot=%l is %t%p, given %t%v", (int)u->op,
                          uop_slot(u), (int)u->dtype, u->shape, (int)in->dtype, in->dim,
                          (size_t)in->rank);
  if (!uopi_charge_steps(r, u, 1)) return false;
  memset(c, 0, sizeof *c);
  if (uopi_is_scalar(u))
    memcpy(c->raw, in->data, uop_dtype_size((uop_dtype)in->dtype));
  else if (!(c->array = uopi_array_borrow(r, u, in->data, in->strides)))
    return false;
  in->read = true;
  return true;
}

/* ---- out ---- */

/* Whether no NaN of a's elements is another than the canonical one. What an EXPAND repeats is
 * looked at once: it may be 2^31 times. */
static bool has_canonical(uop_run *r, const uop *u, const uopi_array *a) {
  uint32_t block[UOPI_BLOCK];
  uop_dtype d = (uop_dtype)u->dtype;
  if (a->row_major) return r->loops->is_canonical(d, a->data, (size_t)uopi_count_of(u));
  int64_t dim[UOP_MAX_RANK], room[UOPI_READER_ROOM];
  for (uint32_t i = 0; i < a->rank; i++) dim[i] = a->stride[i] ? u->shape->at[i] : 1;
  uopi_reader in = uopi_reader_of(room, dim, a->stride, a->rank, a->size, a->data);
  for (int64_t i = 0, k, n = uopi_count(dim, a->rank); i < n; i += k) {
    k = n - i < UOPI_BLOCK ? n - i : UOPI_BLOCK;
    uopi_read(&in, i, k, block);
    if (!r->loops->is_canonical(d, block, (size_t)k)) return false;
  }
  return true;
}

/* The array itself, with one more reference, or a copy with canonical NaNs. */
static uopi_array *canonical(uop_run *r, const uop *u, uopi_array *a) {
  if (a->canonical || has_canonical(r, u, a)) {
    a->canonical = true;
    a->refs++;
    return a;
  }
  uop_value v = {.dtype = (uop_dtype)u->dtype,
                 .rank = a->rank,
                 .count = uopi_count_of(u),
                 .strides = a->stride,
                 .data = (void *)(uintptr_t)a->data};
  memcpy(v.dims, u->shape->at, a->rank * sizeof *v.dims);
  uopi_array *b = uopi_array_copy(r, &v);
  if (!b) return NULL;
  r->loops->canonical(v.dtype, uopi_array_data(b), (size_t)v.count);
  b->canonical = true;
  return b;
}

/* A number, where it will stay. */
static uopi_array *boxed(uop_run *r, const uop *u, const uopi_cell *c) {
  uopi_array *a = uopi_array_new(r, u);
  if (!a) return NULL;
  memcpy(uopi_array_data(a), c->raw, a->size);
  if (!a->canonical) r->loops->canonical((uop_dtype)u->dtype, uopi_array_data(a), 1);
  a->canonical = true;
  return a;
}

/* What is handed out for the value of `u`: once, and then the same. */
static uopi_array *put_out(uop_run *r, const uop *u, const uopi_cell *c) {
  uopi_cell out = {.array = uopi_is_scalar(u) ? boxed(r, u, c) : canonical(r, u, c->array)};
  if (!out.array || uopi_cells_put(r, &r->outs, u, u->id, out)) return out.array;
  uopi_array_release(r, out.array);
  return NULL;
}

static void value_of(const uop *u, const uopi_array *a, uop_value *out) {
  out->rank = u->shape->len;
  memcpy(out->dims, u->shape->at, out->rank * sizeof *out->dims);
  out->data = (void *)(uintptr_t)a->data;
  out->strides = a->row_major ? NULL : a->stride;
}

/* ---- evaluating ---- */

/* Nodes have died, and others may have come where they were: what is kept by place goes. */
static void notice_deaths(uop_run *r) {
  if (r->deaths == r->ctx->deaths) return;
  r->deaths = r->ctx->deaths;
  drop_plans(r);
  uopi_scalars_drop(r);
  r->told = r->by_zero.len = 0;
}

/* Values that are known already are not computed again. */
static void fill_known(uop_run *r, uopi_frame *f) {
  if (!r->outs.len && !r->scalars.len) return;
  for (uint32_t i = 0; i < f->plan->n; i++) {
    const uopi_planned *node = &f->plan->node[i];
    if (node->group != UOPI_NO_GROUP && node->group != i) continue;
    if (uopi_is_scalar(node->u)) {
      if (uopi_scalar_find(r, node->u, &f->cell[i])) f->has[i] = UOPI_NUMBER;
      continue;
    }
    const uopi_cell *c = uopi_cells_find(&r->outs, node->u->id);
    if (!c) continue;
    f->cell[i] = *c;
    f->has[i] = UOPI_ARRAY;
    c->array->refs++;
  }
}

static bool plan_for(uop_run *r, const uop *u) {
  const uopi_mem *mem = uopi_mem_of(r->ctx);
  if (r->top.plan) { /* what was wanted has had its plan */
    uopi_plan *old = r->top.plan;
    uopi_frame_drop(r, &r->top);
    uopi_plan_free(r, old);
    r->wanted.len = 0;
  }
  if (!UOPI_PUSH(mem, &r->wanted, u)) return uopi_run_no_memory(r, u);
  uopi_plan *p = uopi_plan_new(r, r->wanted.at, r->wanted.len);
  if (p && uopi_frame_fill(r, &r->top, u, p)) {
    fill_known(r, &r->top);
    return true;
  }
  uopi_plan_free(r, p);
  r->wanted.len--;
  return false;
}

/* u's place in the plan at top level, or where it has none that a value could have, its length. */
static uint32_t place_of(const uop_run *r, const uop *u) {
  const uopi_plan *p = r->top.plan;
  if (!p) return 0;
  uint32_t place = uopi_plan_find(p, u);
  return place < p->n && p->node[place].asked ? place : p->n;
}

static bool compute(uop_run *r, const uop *u, uopi_cell *c) {
  bool planned = r->top.plan && place_of(r, u) < r->top.plan->n;
  if (!planned && uopi_is_scalar(u)) {
    uopi_done done = uopi_compute_scalar(r, u, c);
    if (done != UOPI_NOT_SCALAR) return done == UOPI_DONE;
  }
  if (!planned && !plan_for(r, u)) return false;
  uint32_t place = place_of(r, u);
  if (!uopi_compute(r, place)) return false;
  *c = r->top.cell[place];
  return true;
}

/* Nothing is under way here: the callback may evaluate, and changes nothing that others read. What
 * such an evaluation finds is told there, with all that still waits here. Where nodes die in it, no
 * more is told: the divisions may be among them. */
static void tell_warnings(uop_run *r) {
  while (r->told < r->by_zero.len && r->deaths == r->ctx->deaths) {
    const uop *u = r->by_zero.at[r->told++];
    uop_diag d;
    uopi_diag_set(&d, UOP_W_DIVISION, u->op, 1, "%a by zero", (int)u->op);
    d.node = u;
    r->options.warn(r->options.user, &d);
  }
  r->told = r->by_zero.len = 0;
}

/* Progress and clock are called in the middle of things, which another evaluation would move. */
static bool is_busy(uop_run *r) {
  if (r->busy)
    uopi_error(r->ctx, UOP_E_ARG, -1, -1,
               "the run is busy: a callback of its own asks it for more");
  return r->busy;
}

static bool eval(uop_run *r, const uop *u, uop_value *out) {
  uopi_cell c;
  /* A context without an error is only read, so that several threads may run its graphs. */
  if (uop_error(r->ctx)->code != UOP_OK) uop_error_clear(r->ctx);
  if (uop_ctx_of(u) != r->ctx) {
    uopi_error(r->ctx, UOP_E_CONTEXT, u->op, -1, "%a is of another context than the run",
               (int)u->op);
    return false;
  }
  notice_deaths(r);
  const uopi_cell *known = uopi_cells_find(&r->outs, u->id);
  uopi_array *a = known ? known->array : NULL;
  if (!known && !compute(r, u, &c)) return false;
  if (!out) return true;
  memset(out, 0, sizeof *out);
  out->dtype = (uop_dtype)u->dtype;
  out->count = uopi_count_of(u);
  if (u->dtype == UOP_VOID) return true;
  if (!a && !(a = put_out(r, u, &c))) return false;
  value_of(u, a, out);
  return true;
}

bool uop_run_want(uop_run *r, const uop *const *roots, size_t n) {
  if (!r || is_busy(r) || !uopi_all_of(r->ctx, roots, n)) return false;
  notice_deaths(r);
  drop_plans(r);
  if (!UOPI_RESERVE(uopi_mem_of(r->ctx), &r->wanted, n)) return uopi_run_no_memory(r, NULL);
  for (size_t i = 0; i < n; i++)
    if (roots[i]) r->wanted.at[r->wanted.len++] = roots[i];
  return true;
}

bool uop_run_eval(uop_run *r, const uop *u, uop_value *out) {
  if (!r || !u || is_busy(r)) return false; /* what made the NULL has left its error */
  r->busy = true;
  bool ok = eval(r, u, out);
  r->busy = false;
  tell_warnings(r);
  return ok;
}
