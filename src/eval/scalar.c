/* scalar.c - programs of numbers: nodes of shape () over others of shape (). They need no plan, no
 * frame and no allocation for each node: one walk computes a node when its sources are done, and
 * keeps the value beside its place in the slab.
 *
 * A node that is no such program's (an array, a CALL) ends the walk, and run.c computes the root.
 * A million levels deep is fine: the stack is on the heap.
 */
#include "eval/eval.h"
#include "alu/alu.h"
#include "ir/ir.h"

#if UOPI_FAULT(6) /* the faults of loops.c, where numbers are computed one by one */
#define SUM(a, b) ((int64_t)(a) + (int64_t)(b))
#define add_i32(a, b) \
  ((int32_t)(SUM(a, b) > INT32_MAX ? INT32_MAX : SUM(a, b) < INT32_MIN ? INT32_MIN : SUM(a, b)))
#elif UOPI_FAULT(12)
#define floordiv_i32(a, b) ((b) == 0 ? 0 : (b) == -1 ? bits_i32(0u - (uint32_t)(a)) : (a) / (b))
#elif UOPI_FAULT(13)
#define max_f32(a, b) ((a) > (b) || (b) != (b) ? (a) : (b))
#endif

/* ---- one op ---- */

#define uint8_t_of(c)  (c).b
#define int32_t_of(c)  (c).i
#define float_of(c)    (c).f
#define uint16_t_of(c) (c).h

#define KEY(op, d) ((unsigned)(op) * UOP_DTYPE_COUNT + (unsigned)(d))

static bool cast(unsigned from, unsigned to, uopi_cell x, uopi_cell *out) {
  switch (KEY(from, to)) {
#define FN1(op, d, fn, R, T)
#define FN2(op, d, fn, R, T)
#define FN3(op, d, fn, T)
#define FH1(op, fn)
#define FH2(op, fn, R)
#define FNC(from, to, fn, R, T) \
  case KEY(UOP_##from, UOP_##to): R##_of(*out) = fn(T##_of(x)); return true;
#include "eval/functions.def"
#undef FNC
#undef FN1
#undef FN2
#undef FN3
#undef FH1
#undef FH2
  default: return false;
  }
}

bool uopi_scalar_op(const uop *u, const uopi_cell *in, uopi_cell *out) {
  unsigned d = u->src[u->nsrc - 1]->dtype;
  memset(out, 0, sizeof *out);
  switch (KEY(u->op, d)) {
#define FN1(op, d, fn, R, T) \
  case KEY(UOP_##op, UOP_##d): R##_of(*out) = fn(T##_of(in[0])); return true;
#define FN2(op, d, fn, R, T) \
  case KEY(UOP_##op, UOP_##d): R##_of(*out) = fn(T##_of(in[0]), T##_of(in[1])); return true;
#define FN3(op, d, fn, T) \
  case KEY(UOP_##op, UOP_##d): T##_of(*out) = fn(in[0].b, T##_of(in[1]), T##_of(in[2])); return true;
#define FH1(op, fn) FN1(op, F16, fn##_f16, uint16_t, uint16_t)
#define FH2(op, fn, R) FN2(op, F16, fn##_f16, R, uint16_t)
#define FNC(from, to, fn, R, T)
#include "eval/functions.def"
#undef FNC
#undef FN1
#undef FN2
#undef FN3
#undef FH1
#undef FH2
  default: return u->op == UOP_CAST && cast(d, u->dtype, in[0], out);
  }
}

/* ---- what is known ---- */

typedef struct page { /* of one slab */
  uint64_t has[(UOPI_MEMO_PAGE + 63) / 64];
  uopi_cell cell[UOPI_MEMO_PAGE];
} page;

typedef struct pages { /* the page used last: programs are local */
  uop_run *r;
  uint64_t number;
  page *last;
} pages;

static inline page *page_of(pages *p, const uop *u) {
  uint64_t number = uopi_slab_number(u);
  if (p->last && number == p->number) return p->last;
  page *found = uopi_dir_find(&p->r->scalars, number);
  if (!found) return NULL;
  p->number = number;
  return p->last = found;
}

static inline bool page_has(const page *p, uint32_t k) { return p->has[k / 64] >> (k % 64) & 1; }

static inline bool find(pages *p, const uop *u, uopi_cell *out) {
  const page *at = page_of(p, u);
  uint32_t k = uopi_place_in_slab(u);
  if (!at || !page_has(at, k)) return false;
  *out = at->cell[k];
  return true;
}

static bool page_add(pages *p, const uop *u) {
  uop_run *r = p->r;
  if (!uopi_charge_bytes(r, u, 0, sizeof(page))) return false;
  p->number = uopi_slab_number(u);
  p->last = uopi_dir_add(&r->scalars, uopi_mem_of(r->ctx), p->number, sizeof(page));
  if (p->last) return true;
  uopi_discharge(r, 0, sizeof(page));
  return uopi_run_no_memory(r, u);
}

static inline bool put(pages *p, const uop *u, uopi_cell c) {
  uint32_t k = uopi_place_in_slab(u);
  if (!page_of(p, u) && !page_add(p, u)) return false;
  p->last->has[k / 64] |= UINT64_C(1) << (k % 64);
  p->last->cell[k] = c;
  return true;
}

uopi_cell *uopi_scalar_find(const uop_run *r, const uop *u) {
  page *at = uopi_dir_find(&r->scalars, uopi_slab_number(u));
  uint32_t k = uopi_place_in_slab(u);
  return at && page_has(at, k) ? &at->cell[k] : NULL;
}

void uopi_scalars_drop(uop_run *r) {
  uopi_discharge(r, 0, r->scalars.len * sizeof(page));
  uopi_dir_drop(&r->scalars, uopi_mem_of(r->ctx), sizeof(page));
}

/* ---- the walk ---- */

enum { POLL_NODES = 1 << 14 };

typedef struct walk {
  uop_run *r;
  pages pages;
  size_t depth; /* visits below the current one */
  uint64_t steps, room;
} walk;

static bool is_mine(const uop *u) {
  switch ((uop_op)u->op) {
  case UOP_CONST:
  case UOP_PARAM:
  case UOP_RESHAPE:
  case UOP_EXPAND:
  case UOP_PERMUTE:
  case UOP_SHRINK:
  case UOP_REDUCE:
  case UOP_LOAD:
  case UOP_STAGE: break;
  case UOP_ASSERT: return uopi_is_scalar(u->src[0]);
  default:
    if (!uopi_is_alu(u)) return false;
  }
  return uopi_is_scalar(u) && (u->nsrc == 0 || uopi_is_scalar(u->src[0]));
}

static bool grow_visits(uop_run *r, const uop *u) {
  size_t cap = r->visits.cap ? r->visits.cap * 2 : 64, each = sizeof(uopi_visit);
  if (cap > SIZE_MAX / each) return uopi_run_no_memory(r, u);
  void *p = uopi_run_realloc(r, u, r->visits.at, r->visits.cap * each, cap * each);
  if (!p) return false;
  r->visits.at = p;
  r->visits.cap = cap;
  return true;
}

/* What u needs next; NULL: nothing more. */
static inline const uop *needed(const uopi_visit *v) {
  const uop *u = v->u;
  if (u->op == UOP_WHERE) /* the branch that it takes */
    return v->next == 0 ? u->src[0] : v->next == 1 ? u->src[v->in[0].b ? 1 : 2] : NULL;
  return v->next < u->nsrc ? u->src[v->next] : NULL;
}

static bool compute(walk *w, const uopi_visit *v, uopi_cell *out) {
  const uop *u = v->u;
  uop_run *r = w->r;
  if (w->steps == w->room) { /* none is left: this is the error */
    r->stats.steps += w->steps;
    w->room = w->steps = 0;
    return uopi_charge_steps(r, u, 1);
  }
  switch ((uop_op)u->op) {
  case UOP_CONST: w->steps++; return uopi_eval_const(u, out);
  case UOP_PARAM: w->room--; return uopi_input_value(r, u, out); /* which charges for it */
  case UOP_WHERE: w->steps++; *out = v->in[1]; return true;
  case UOP_ASSERT:
    w->steps++;
    memset(out, 0, sizeof *out);
    return uopi_assert_element(r, u, v->in[0].raw, v->in[1].raw, 0);
  case UOP_FLOORDIV:
  case UOP_FLOORMOD:
    if (v->in[1].i == 0 && !uopi_warn_zero(r, u, &v->in[1].i, 1)) return false;
    break;
  default: break;
  }
  w->steps++;
  if (uopi_scalar_op(u, v->in, out)) return true;
  *out = v->in[0]; /* a movement of one element, LOAD, STAGE */
  return true;
}

static uopi_done walk_from(walk *w, const uop *root, uopi_cell *out) {
  uop_run *r = w->r;
  uopi_visit v = {.u = root};
  uint64_t nodes = 0;
  for (;;) {
    const uop *s = needed(&v);
    uopi_cell c;
    if (!s) {
      if (!compute(w, &v, &c) || !put(&w->pages, v.u, c)) return UOPI_FAILED;
      if (++nodes % POLL_NODES == 0 && !uopi_poll(r, v.u, POLL_NODES)) return UOPI_FAILED;
      r->stats.nodes++;
      if (w->depth == 0) {
        *out = c;
        return UOPI_DONE;
      }
      v = r->visits.at[--w->depth];
    } else if (!find(&w->pages, s, &c)) {
      if (!is_mine(s)) return UOPI_NOT_SCALAR;
      if (w->depth == r->visits.cap && !grow_visits(r, s)) return UOPI_FAILED;
      r->visits.at[w->depth++] = v;
      v.u = s;
      v.next = 0;
      continue;
    }
    if (v.next < 2) v.in[v.next] = c;
    v.next++;
  }
}

uopi_done uopi_compute_scalar(uop_run *r, const uop *u, uopi_cell *out) {
  walk w = {.r = r, .pages = {.r = r}, .room = r->options.max_steps - r->stats.steps};
  if (!is_mine(u)) return UOPI_NOT_SCALAR;
  if (find(&w.pages, u, out)) return UOPI_DONE;
  uopi_done done = walk_from(&w, u, out);
  r->stats.steps += w.steps;
  return done;
}
