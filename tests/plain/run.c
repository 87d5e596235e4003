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
#include "plain/eval.h"

typedef enum state { FAILED, WAITING, READY } state;

/* ---- tasks ---- */

static bool push(plain_run *r, plain_frame *f, const uop *u) {
  if (r->tasks.len == r->tasks.cap) {
    size_t cap = r->tasks.cap ? r->tasks.cap * 2 : 16, each = sizeof(plain_task);
    if (cap > SIZE_MAX / each) return plain_run_no_memory(r, u);
    if (!plain_charge_bytes(r, u, 0, (cap - r->tasks.cap) * each)) return false;
    void *p = uopi_realloc(uopi_mem_of(r->ctx), r->tasks.at, r->tasks.cap * each, cap * each);
    if (!p) {
      plain_discharge(r, 0, (cap - r->tasks.cap) * each);
      return plain_run_no_memory(r, u);
    }
    r->tasks.at = p;
    r->tasks.cap = cap;
  }
  r->tasks.at[r->tasks.len++] = (plain_task){f, u, 0};
  return true;
}

static state need(plain_run *r, plain_frame *f, const uop *u) {
  if (plain_cells_find(&f->memo, u->id)) return READY;
  return push(r, f, u) ? WAITING : FAILED;
}

/* Ends the topmost task: `c` is the value of its node. */
static state finish(plain_run *r, plain_cell c) {
  plain_task t = r->tasks.at[r->tasks.len - 1];
  bool block = plain_in_block(t.node);
  if (!plain_cells_put(r, &t.frame->memo, t.node, t.node->id, c, block)) {
    if (block) plain_block_release(r, c.block);
    return FAILED;
  }
  r->stats.nodes++;
  r->tasks.len--;
  return READY;
}

/* Ends the topmost task with the value of `from` in `f`, which is of the same type. */
static state finish_with(plain_run *r, plain_frame *f, const uop *from) {
  const uop *u = r->tasks.at[r->tasks.len - 1].node;
  if (!plain_charge_steps(r, u, 1)) return FAILED;
  return finish(r, plain_cell_share(from, plain_cells_find(&f->memo, from->id)));
}

/* ---- frames ---- */

static bool frame_begin(plain_run *r, plain_frame *parent, const uop *call) {
  if (!plain_charge_bytes(r, call, 0, sizeof(plain_frame))) return false;
  plain_frame *f = uopi_realloc(uopi_mem_of(r->ctx), NULL, 0, sizeof *f);
  if (!f) {
    plain_discharge(r, 0, sizeof *f);
    return plain_run_no_memory(r, call);
  }
  *f = (plain_frame){parent, r->inner, call, {NULL, 0, 0}};
  r->inner = f;
  return true;
}

static void frame_end(plain_run *r) {
  plain_frame *f = r->inner;
  r->inner = f->below;
  plain_cells_drop(r, &f->memo);
  plain_discharge(r, 0, sizeof *f);
  uopi_realloc(uopi_mem_of(r->ctx), f, sizeof *f, 0);
}

static state step_call(plain_run *r, plain_frame *f, const uop *u) {
  const uop *body = u->src[0];
  plain_task *t = &r->tasks.at[r->tasks.len - 1];
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

static state step_where(plain_run *r, plain_frame *f, const uop *u) {
  state s = need(r, f, u->src[0]);
  if (s != READY) return s;
  _Bool c;
  memcpy(&c, plain_cells_find(&f->memo, u->src[0]->id)->raw, sizeof c);
  const uop *taken = u->src[c ? 1 : 2];
  s = need(r, f, taken);
  return s == READY ? finish_with(r, f, taken) : s;
}

static state step_input(plain_run *r, const uop *u) {
  plain_cell c;
  return plain_input_value(r, u, &c) ? finish(r, c) : FAILED;
}

static state step_param(plain_run *r, plain_frame *f, const uop *u) {
  const uop *arg = f->call->src[1 + uop_slot(u)];
  state s = need(r, f->parent, arg);
  return s == READY ? finish_with(r, f->parent, arg) : s;
}

static state step_all(plain_run *r, plain_frame *f, const uop *u) {
  uint32_t i = r->tasks.at[r->tasks.len - 1].next;
  while (i < u->nsrc) {
    size_t me = r->tasks.len - 1;
    state s = need(r, f, u->src[i++]);
    r->tasks.at[me].next = i;
    if (s != READY) return s;
  }
  plain_cell c;
  return plain_eval_op(r, f, u, &c) ? finish(r, c) : FAILED;
}

static state step(plain_run *r) {
  plain_frame *f = r->tasks.at[r->tasks.len - 1].frame;
  const uop *u = r->tasks.at[r->tasks.len - 1].node;
  switch ((uop_op)u->op) {
  case UOP_BUFFER: return step_input(r, u);
  case UOP_PARAM: return f->parent ? step_param(r, f, u) : step_input(r, u);
  case UOP_CALL: return step_call(r, f, u);
  case UOP_WHERE: return plain_in_block(u) ? step_all(r, f, u) : step_where(r, f, u);
  case UOP_STORE:
  case UOP_AFTER:
  case UOP_SINK:
  case UOP_ALLOC:
  case UOP_RANGE:
  case UOP_END:
  case UOP_BARRIER:
  case UOP_WMMA:
    PLAIN_ERROR(r, u, UOP_E_UNSUPPORTED, -1, "%a cannot be run yet", (int)u->op);
    return FAILED;
  default: return step_all(r, f, u);
  }
}

bool plain_compute(plain_run *r, const uop *u) {
  state s = need(r, &r->top, u);
  while (s != FAILED && r->tasks.len) s = step(r);
  r->tasks.len = 0;
  while (r->inner != &r->top) frame_end(r);
  return s != FAILED;
}
