/* budget.c - what a run may cost: steps and bytes, charged before they are spent, and whether it is
 * to go on at all. */
#include "eval/eval.h"

static int64_t shown(uint64_t v) { return v > INT64_MAX ? INT64_MAX : (int64_t)v; }

static bool over(uop_run *r, const uop *u, uint64_t budget, const char *unit, uint64_t more,
                 uint64_t used) {
  uopi_error(r->ctx, UOP_E_BUDGET, u ? u->op : -1, -1,
             "the budget of %l %s (max_%s) is used up: %s needs %l more, %l are used",
             shown(budget), unit, unit, u ? uop_op_find((uop_op)u->op)->name : "an input",
             shown(more), shown(used));
  return uopi_run_failed(r, u);
}

bool uopi_charge_steps(uop_run *r, const uop *u, int64_t steps) {
  uint64_t n = steps < 1 ? 1 : (uint64_t)steps; /* else empty arrays would cost nothing, ever */
  uint64_t budget = r->options.max_steps;
  if (n > budget - r->stats.steps) return over(r, u, budget, "steps", n, r->stats.steps);
  r->stats.steps += n;
  return true;
}

static uint64_t counted(uint64_t values, uint64_t books) {
  return values + (books > UOPI_FREE_BOOKS ? books - UOPI_FREE_BOOKS : 0);
}

bool uopi_charge_bytes(uop_run *r, const uop *u, size_t values, size_t books) {
  uint64_t now = counted(r->values, r->books);
  uint64_t then = counted(r->values + values, r->books + books);
  if (then > r->options.max_bytes && then > now) {
    if (!r->pool[0]) return over(r, u, r->options.max_bytes, "bytes", then - now, now);
    uopi_pool_drop(r);
    return uopi_charge_bytes(r, u, values, books);
  }
  r->values += values;
  r->books += books;
  r->stats.bytes = then;
  if (then > r->stats.peak_bytes) r->stats.peak_bytes = then;
  return true;
}

bool uopi_has_room(const uop_run *r, size_t books) {
  return counted(r->values, r->books + books) <= r->options.max_bytes;
}

void uopi_discharge(uop_run *r, size_t values, size_t books) {
  r->values -= values;
  r->books -= books;
  r->stats.bytes = counted(r->values, r->books);
}

void *uopi_run_realloc(uop_run *r, const uop *u, void *p, size_t old, size_t size) {
  if (size > old && !uopi_charge_bytes(r, u, 0, size - old)) return NULL;
  void *q = uopi_realloc(uopi_mem_of(r->ctx), p, old, size);
  if (!q && size) {
    if (size > old) uopi_discharge(r, 0, size - old);
    uopi_run_no_memory(r, u);
    return NULL;
  }
  if (size < old) uopi_discharge(r, 0, old - size);
  return q;
}

/* Often enough that nobody waits, seldom enough to cost nothing: some milliseconds of work. */
enum { PROGRESS_ELEMENTS = 1 << 22 };

bool uopi_poll(uop_run *r, const uop *u, size_t n) {
  bool stop = atomic_load_explicit(&r->cancelled, memory_order_relaxed);
  r->since += n;
  if (!stop && r->options.progress && r->since >= PROGRESS_ELEMENTS) {
    r->since = 0;
    stop = !r->options.progress(r->options.user, &r->stats);
  }
  return !stop || UOPI_RUN_ERROR(r, u, UOP_E_CANCELLED, -1, "the run was cancelled");
}

bool uopi_run_failed(uop_run *r, const uop *u) {
  if (u) uopi_error_node(r->ctx, u);
  return false;
}

bool uopi_run_no_memory(uop_run *r, const uop *u) {
  uopi_no_memory(r->ctx);
  return uopi_run_failed(r, u);
}
