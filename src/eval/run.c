/* run.c - the evaluator's loop: each node once in each frame, when it is first needed.
 *
 * A task is a node of one frame whose value is being computed. The loop looks at the topmost task:
 * it either needs a value that is not there yet, whose task then goes on top of it, or is finished
 * and goes. Nothing recurses, and no source is looked at twice, so a run is linear in nodes and
 * edges.
 *
 *   CALL     begins a frame, needs the body there, shares its value, ends the frame
 *   PARAM    of a frame needs the argument in the frame where the CALL stands: lazily, and shared
 *   WHERE    of shape () needs the condition, and then one branch
 *   a group  needs the leaves of its kernel, from left to right
 *   others   need every source, from left to right
 *
 * Frames end in the opposite order of their beginning, since a frame's tasks all lie above the CALL
 * that began it.
 */
#include "eval/eval.h"
#include "ir/ir.h"

typedef enum state { FAILED, WAITING, READY } state;

static const uop *node_of(const uopi_frame *f, uint32_t place) { return f->plan->node[place].u; }

/* ---- tasks ---- */

static bool push(uop_run *r, uopi_frame *f, uint32_t place) {
  if (r->tasks.len == r->tasks.cap) {
    const uop *u = node_of(f, place);
    size_t cap = r->tasks.cap ? r->tasks.cap * 2 : 4, each = sizeof(uopi_task);
    if (cap > SIZE_MAX / each) return uopi_run_no_memory(r, u);
    void *p = uopi_run_realloc(r, u, r->tasks.at, r->tasks.cap * each, cap * each);
    if (!p) return false;
    r->tasks.at = p;
    r->tasks.cap = cap;
  }
  r->tasks.at[r->tasks.len++] = (uopi_task){f, place, 0};
  return true;
}

static state need(uop_run *r, uopi_frame *f, uint32_t place) {
  if (f->has[place]) return READY;
  return push(r, f, place) ? WAITING : FAILED;
}

/* One use of a value is over; after the last one it goes. */
static void used(uop_run *r, uopi_frame *f, uint32_t place) {
  if (--f->left[place] || f->has[place] != UOPI_ARRAY || UOPI_FAULT(19)) return;
  uopi_array_release(r, f->cell[place].array);
  f->has[place] = UOPI_NOTHING;
}

static void used_sources(uop_run *r, uopi_frame *f, uint32_t place) {
  const uint32_t *from = uopi_plan_sources(f->plan, place);
  uint32_t n = uopi_plan_nsrc(node_of(f, place));
  for (uint32_t i = 0; i < n; i++) used(r, f, from[i]);
}

/* Of a group, the sources of all its members; what is inside has no value. */
static void used_by_group(uop_run *r, uopi_frame *f, uint32_t root) {
  const uopi_planned *node = f->plan->node;
  for (uint32_t i = node[root].next; i != UOPI_NO_GROUP; i = node[i].next) used_sources(r, f, i);
  used_sources(r, f, root);
}

/* Ends the topmost task: `c` is the value of its node. */
static state finish(uop_run *r, uopi_cell c) {
  uopi_task t = r->tasks.at[--r->tasks.len];
  t.frame->cell[t.place] = c;
  t.frame->has[t.place] = uopi_is_scalar(node_of(t.frame, t.place)) ? UOPI_NUMBER : UOPI_ARRAY;
  r->stats.nodes++;
  if (t.frame->plan->node[t.place].group == t.place)
    used_by_group(r, t.frame, t.place);
  else
    used_sources(r, t.frame, t.place);
  return READY;
}

/* Ends the topmost task with the value at `place` of `f`, which is of the same type. */
static state finish_with(uop_run *r, uopi_frame *f, uint32_t place) {
  const uopi_task *t = &r->tasks.at[r->tasks.len - 1];
  const uop *u = node_of(t->frame, t->place);
  if (!uopi_charge_steps(r, u, 1)) return FAILED;
  if (!uopi_is_scalar(u)) f->cell[place].array->refs++;
  return finish(r, f->cell[place]);
}

/* ---- frames ---- */

static void frame_begin_anew(uopi_frame *f) {
  for (uint32_t i = 0; i < f->plan->n; i++) f->left[i] = f->plan->node[i].uses;
  memset(f->has, 0, f->plan->n);
}

bool uopi_frame_fill(uop_run *r, uopi_frame *f, const uop *u, uopi_plan *p) {
  size_t bytes = p->n * (sizeof *f->cell + sizeof *f->left + sizeof *f->has);
  f->cell = uopi_run_realloc(r, u, NULL, 0, bytes);
  if (!f->cell) return false;
  f->plan = p;
  f->bytes = bytes;
  f->left = (uint32_t *)(f->cell + p->n);
  f->has = (uint8_t *)(f->left + p->n);
  frame_begin_anew(f);
  return true;
}

/* Looks at no node: they may be dead. */
static void drop_values(uop_run *r, uopi_frame *f) {
  for (uint32_t i = 0; i < f->plan->n; i++)
    if (f->has[i] == UOPI_ARRAY) uopi_array_release(r, f->cell[i].array);
}

void uopi_frame_clear(uop_run *r, uopi_frame *f) {
  drop_values(r, f);
  frame_begin_anew(f);
}

void uopi_frame_drop(uop_run *r, uopi_frame *f) {
  if (!f->plan) return;
  drop_values(r, f);
  uopi_run_realloc(r, NULL, f->cell, f->bytes, 0);
  f->plan = NULL;
}

static uopi_plan *plan_of_body(uop_run *r, const uop *body) {
  const uopi_cell *known = uopi_cells_find(&r->plans, body->id);
  if (known) return known->plan;
  uopi_cell c = {.plan = uopi_plan_new(r, &body, 1)};
  if (!c.plan) return NULL;
  if (uopi_cells_put(r, &r->plans, body, body->id, c)) return c.plan;
  uopi_plan_free(r, c.plan);
  return NULL;
}

enum { NODES_A_STEP = 32 };

static bool frame_begin(uop_run *r, uopi_frame *parent, uint32_t place) {
  const uop *call = node_of(parent, place);
  uopi_plan *p = plan_of_body(r, call->src[0]);
  /* A frame is made for all of the body, though the CALL may need little of it. */
  if (p && p->n >= NODES_A_STEP && !uopi_charge_steps(r, call, p->n / NODES_A_STEP)) return false;
  uopi_frame *f = p ? uopi_run_realloc(r, call, NULL, 0, sizeof *f) : NULL;
  if (!f) return false;
  *f = (uopi_frame){.parent = parent, .below = r->inner, .call = place};
  if (!uopi_frame_fill(r, f, call, p)) {
    uopi_run_realloc(r, NULL, f, sizeof *f, 0);
    return false;
  }
  r->inner = f;
  return true;
}

static void frame_end(uop_run *r) {
  uopi_frame *f = r->inner;
  r->inner = f->below;
  uopi_frame_drop(r, f);
  uopi_run_realloc(r, NULL, f, sizeof *f, 0);
}

/* ---- the loop ---- */

static state step_call(uop_run *r, uopi_task *t) {
  if (t->next == 0) {
    t->next = 1;
    if (!frame_begin(r, t->frame, t->place)) return FAILED;
    return push(r, r->inner, r->inner->plan->n - 1) ? WAITING : FAILED;
  }
  state s = finish_with(r, r->inner, r->inner->plan->n - 1);
  if (s == READY) frame_end(r);
  return s;
}

static state step_where(uop_run *r, uopi_task t) {
  const uint32_t *from = uopi_plan_sources(t.frame->plan, t.place);
  state s = need(r, t.frame, from[0]);
  if (s != READY) return s;
  uint32_t taken = from[t.frame->cell[from[0]].b ? 1 : 2];
  s = need(r, t.frame, taken);
  return s == READY ? finish_with(r, t.frame, taken) : s;
}

static state step_input(uop_run *r, const uop *u) {
  uopi_cell c;
  return uopi_input_value(r, u, &c) ? finish(r, c) : FAILED;
}

static state step_param(uop_run *r, uopi_frame *f, const uop *u) {
  uint32_t arg = uopi_plan_sources(f->parent->plan, f->call)[uop_slot(u)];
  state s = need(r, f->parent, arg);
  return s == READY ? finish_with(r, f->parent, arg) : s;
}

/* Needs places[next], …, from left to right: the task on top keeps count. */
static state need_all(uop_run *r, uopi_frame *f, const uint32_t *places, uint32_t n) {
  size_t me = r->tasks.len - 1;
  for (uint32_t i = r->tasks.at[me].next; i < n;) {
    state s = need(r, f, places[i++]);
    r->tasks.at[me].next = i;
    if (s != READY) return s;
  }
  return READY;
}

static state step_group(uop_run *r, uopi_task t) {
  const uopi_kernel *k = uopi_kernel_of(r, t.frame->plan, t.place);
  if (!k) return FAILED;
  state s = need_all(r, t.frame, k->leaf, k->nleaves);
  uopi_cell c;
  if (s != READY) return s;
  return uopi_kernel_run(r, t.frame, t.place, k, &c) ? finish(r, c) : FAILED;
}

static void note_cost(uop_run *r, const uop *u, double begin) {
  uop_op_cost *c = &r->profile[u->op];
  int64_t n = uopi_count_of(u);
  c->seconds += r->options.clock(r->options.user) - begin;
  c->calls++;
  c->elements += (uint64_t)n;
  if (uopi_is_scalar(u) || u->op == UOP_STACK)
    c->bytes += (uint64_t)n * uop_dtype_size((uop_dtype)u->dtype);
}

static state step_all(uop_run *r, uopi_task t) {
  const uop *u = node_of(t.frame, t.place);
  state s = need_all(r, t.frame, uopi_plan_sources(t.frame->plan, t.place), u->nsrc);
  uopi_cell c;
  if (s != READY) return s;
  double begin = r->profile ? r->options.clock(r->options.user) : 0;
  if (!uopi_eval_node(r, t.frame, t.place, &c)) return FAILED;
  if (r->profile) note_cost(r, u, begin);
  return finish(r, c);
}

static state step(uop_run *r) {
  uopi_task *t = &r->tasks.at[r->tasks.len - 1];
  const uopi_planned *node = &t->frame->plan->node[t->place];
  const uop *u = node->u;
  if (node->group == t->place) return step_group(r, *t);
  switch ((uop_op)u->op) {
  case UOP_BUFFER: return step_input(r, u);
  case UOP_PARAM: return t->frame->parent ? step_param(r, t->frame, u) : step_input(r, u);
  case UOP_CALL: return step_call(r, t);
  case UOP_WHERE: return step_where(r, *t); /* of shape (): others have a group */
  case UOP_STORE:
  case UOP_AFTER:
  case UOP_SINK:
  case UOP_ALLOC:
  case UOP_RANGE:
  case UOP_END:
  case UOP_BARRIER:
  case UOP_WMMA:
    UOPI_RUN_ERROR(r, u, UOP_E_UNSUPPORTED, -1, "%a cannot be run yet", (int)u->op);
    return FAILED;
  default: return step_all(r, *t);
  }
}

bool uopi_compute(uop_run *r, uint32_t place) {
  state s = need(r, &r->top, place);
  while (s != FAILED && r->tasks.len) {
    const uopi_task *t = &r->tasks.at[r->tasks.len - 1];
    s = uopi_poll(r, node_of(t->frame, t->place), 1) ? step(r) : FAILED;
  }
  r->tasks.len = 0;
  while (r->inner != &r->top) frame_end(r);
  return s != FAILED;
}
