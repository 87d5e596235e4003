/* run.c - the evaluator: each node once in each frame, when it is first needed, element by element.
 * It is the plain reading of what a program means, against which everything faster is checked.
 *
 * A task is a node of one frame whose value is being computed. The loop looks at the topmost task:
 * it either needs a value that is not there yet, whose task then goes on top of it, or is finished
 * and goes. Nothing recurses, and no source is looked at twice, so a run is linear in nodes and
 * edges.
 *
 *   CALL     begins a frame, needs the body there, shares its value, ends the frame
 *   PARAM    of a frame needs the argument in the frame where the CALL stands: lazily, and shared
 *   WHERE    of shape () needs the condition, and then one branch
 *   others   need every source, from left to right
 *
 * Frames end in the opposite order of their beginning, since a frame's tasks all lie above the CALL
 * that began it. */
#include "eval/eval.h"

typedef enum state { FAILED, WAITING, READY } state;

/* ---- tasks ---- */

static bool push(uop_run *r, uopi_frame *f, const uop *u) {
  if (r->tasks.len == r->tasks.cap) {
    size_t cap = r->tasks.cap ? r->tasks.cap * 2 : 16, each = sizeof(uopi_task);
    if (cap > SIZE_MAX / each) return uopi_run_no_memory(r, u);
    if (!uopi_charge_bytes(r, u, 0, (cap - r->tasks.cap) * each)) return false;
    void *p = uopi_realloc(uopi_mem_of(r->ctx), r->tasks.at, r->tasks.cap * each, cap * each);
    if (!p) {
      uopi_discharge(r, 0, (cap - r->tasks.cap) * each);
      return uopi_run_no_memory(r, u);
    }
    r->tasks.at = p;
    r->tasks.cap = cap;
  }
  r->tasks.at[r->tasks.len++] = (uopi_task){f, u, 0};
  return true;
}

static state need(uop_run *r, uopi_frame *f, const uop *u) {
  if (uopi_cells_find(&f->memo, u->id)) return READY;
  return push(r, f, u) ? WAITING : FAILED;
}

/* Ends the topmost task: `c` is the value of its node. */
static state finish(uop_run *r, uopi_cell c) {
  uopi_task t = r->tasks.at[r->tasks.len - 1];
  bool block = uopi_in_block(t.node);
  if (!uopi_cells_put(r, &t.frame->memo, t.node, t.node->id, c, block)) {
    if (block) uopi_block_release(r, c.block);
    return FAILED;
  }
  r->stats.nodes++;
  r->tasks.len--;
  return READY;
}

/* Ends the topmost task with the value of `from` in `f`, which is of the same type. */
static state finish_with(uop_run *r, uopi_frame *f, const uop *from) {
  const uop *u = r->tasks.at[r->tasks.len - 1].node;
  if (!uopi_charge_steps(r, u, 1)) return FAILED;
  return finish(r, uopi_cell_share(from, uopi_cells_find(&f->memo, from->id)));
}

/* ---- frames ---- */

static bool frame_begin(uop_run *r, uopi_frame *parent, const uop *call) {
  if (!uopi_charge_bytes(r, call, 0, sizeof(uopi_frame))) return false;
  uopi_frame *f = uopi_realloc(uopi_mem_of(r->ctx), NULL, 0, sizeof *f);
  if (!f) {
    uopi_discharge(r, 0, sizeof *f);
    return uopi_run_no_memory(r, call);
  }
  *f = (uopi_frame){parent, r->inner, call, {NULL, 0, 0}};
  r->inner = f;
  return true;
}

static void frame_end(uop_run *r) {
  uopi_frame *f = r->inner;
  r->inner = f->below;
  uopi_cells_drop(r, &f->memo);
  uopi_discharge(r, 0, sizeof *f);
  uopi_realloc(uopi_mem_of(r->ctx), f, sizeof *f, 0);
}

static state step_call(uop_run *r, uopi_frame *f, const uop *u) {
  const uop *body = u->src[0];
  uopi_task *t = &r->tasks.at[r->tasks.len - 1];
  if (t->next == 0) {
    t->next = 1;
    if (!frame_begin(r, f, u)) return FAILED;
    return push(r, r->inner, body) ? WAITING : FAILED;
  }
  state s = finish_with(r, r->inner, body);
  if (s == READY) frame_end(r);
  return s;
}

/* ---- the loop ---- */

static state step_where(uop_run *r, uopi_frame *f, const uop *u) {
  state s = need(r, f, u->src[0]);
  if (s != READY) return s;
  _Bool c;
  memcpy(&c, uopi_cells_find(&f->memo, u->src[0]->id)->raw, sizeof c);
  const uop *taken = u->src[c ? 1 : 2];
  s = need(r, f, taken);
  return s == READY ? finish_with(r, f, taken) : s;
}

static state step_input(uop_run *r, const uop *u) {
  uopi_cell c;
  return uopi_input_value(r, u, &c) ? finish(r, c) : FAILED;
}

static state step_param(uop_run *r, uopi_frame *f, const uop *u) {
  const uop *arg = f->call->src[1 + uop_slot(u)];
  state s = need(r, f->parent, arg);
  return s == READY ? finish_with(r, f->parent, arg) : s;
}

static state step_all(uop_run *r, uopi_frame *f, const uop *u) {
  uint32_t i = r->tasks.at[r->tasks.len - 1].next;
  while (i < u->nsrc) {
    size_t me = r->tasks.len - 1;
    state s = need(r, f, u->src[i++]);
    r->tasks.at[me].next = i;
    if (s != READY) return s;
  }
  uopi_cell c;
  return uopi_eval_op(r, f, u, &c) ? finish(r, c) : FAILED;
}

static state step(uop_run *r) {
  uopi_frame *f = r->tasks.at[r->tasks.len - 1].frame;
  const uop *u = r->tasks.at[r->tasks.len - 1].node;
  switch ((uop_op)u->op) {
  case UOP_BUFFER: return step_input(r, u);
  case UOP_PARAM: return f->parent ? step_param(r, f, u) : step_input(r, u);
  case UOP_CALL: return step_call(r, f, u);
  case UOP_WHERE: return uopi_in_block(u) ? step_all(r, f, u) : step_where(r, f, u);
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
  default: return step_all(r, f, u);
  }
}

bool uopi_compute(uop_run *r, const uop *u) {
  state s = need(r, &r->top, u);
  while (s != FAILED && r->tasks.len) s = step(r);
  r->tasks.len = 0;
  while (r->inner != &r->top) frame_end(r);
  return s != FAILED;
}
