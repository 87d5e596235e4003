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

#define KEY(op, d) ((unsigned)(op)*UOP_DTYPE_COUNT + (unsigned)(d))

static bool cast(unsigned from, unsigned to, uopi_cell x, uopi_cell *out) {
  switch (KEY(from, to)) {
#define FN1(op, d, fn, R, T)
#define FP1(op, d, fn, R, T)
#define FN2(op, d, fn, R, T)
#define FN3(op, d, fn, T)
#define FH1(op, fn)
#define FH2(op, fn, R)
#define FNC(from, to, fn, R, T)   \
  case KEY(UOP_##from, UOP_##to): \
    R##_of(*out) = fn(T##_of(x)); \
    return true;
#include "eval/functions.def"
#undef FNC
#undef FN1
#undef FP1
#undef FN2
#undef FN3
#undef FH1
#undef FH2
  default: return false;
  }
}

/* The dtype that u computes on. Mostly its own: a look at a source that may be cold is saved. */
static inline unsigned operand_dtype(const uop *u) {
  bool other = u->op == UOP_CMPLT || u->op == UOP_CMPNE || u->op == UOP_CAST;
  return other ? u->src[0]->dtype : u->dtype;
}

/* False: u is no ALU op. */
static inline bool scalar_op(const uop *u, const uopi_cell *in, uopi_cell *out) {
  unsigned d = operand_dtype(u);
  *out = (uopi_cell){{0}};
  switch (KEY(u->op, d)) {
#define FN1(op, d, fn, R, T)          \
  case KEY(UOP_##op, UOP_##d):        \
    R##_of(*out) = fn(T##_of(in[0])); \
    return true;
#define FP1(op, d, fn, R, T) FN1(op, d, fn, R, T)
#define FN2(op, d, fn, R, T)                         \
  case KEY(UOP_##op, UOP_##d):                       \
    R##_of(*out) = fn(T##_of(in[0]), T##_of(in[1])); \
    return true;
#define FN3(op, d, fn, T)                                     \
  case KEY(UOP_##op, UOP_##d):                                \
    T##_of(*out) = fn(in[0].b, T##_of(in[1]), T##_of(in[2])); \
    return true;
#define FH1(op, fn)    FN1(op, F16, fn##_f16, uint16_t, uint16_t)
#define FH2(op, fn, R) FN2(op, F16, fn##_f16, R, uint16_t)
#define FNC(from, to, fn, R, T)
#include "eval/functions.def"
#undef FNC
#undef FN1
#undef FP1
#undef FN2
#undef FN3
#undef FH1
#undef FH2
  default: return u->op == UOP_CAST && cast(d, u->dtype, in[0], out);
  }
}

bool uopi_scalar_op(const uop *u, const uopi_cell *in, uopi_cell *out) {
  return scalar_op(u, in, out);
}

/* ---- what is known ---- */

/* Every element of a number's fits four bytes: half of a cell. */
typedef uint32_t word;
_Static_assert(sizeof(float) == 4 && sizeof(int32_t) == 4, "the widest elements");

static inline word word_of(uopi_cell c) {
  word w;
  memcpy(&w, c.raw, sizeof w);
  return w;
}
static inline uopi_cell cell_of(word w) {
  uopi_cell c = {{0}};
  memcpy(c.raw, &w, sizeof w);
  return c;
}

typedef struct page { /* of one slab */
  uint64_t has[(UOPI_MEMO_PAGE + 63) / 64];
  word value[UOPI_MEMO_PAGE];
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

static inline bool find(pages *p, const uop *u, word *out) {
  const page *at = page_of(p, u);
  uint32_t k = uopi_place_in_slab(u);
  if (!at || !page_has(at, k)) return false;
  *out = at->value[k];
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

static inline bool put(pages *p, const uop *u, word w) {
  uint32_t k = uopi_place_in_slab(u);
  if (!page_of(p, u) && !page_add(p, u)) return false;
  p->last->has[k / 64] |= UINT64_C(1) << (k % 64);
  p->last->value[k] = w;
  return true;
}

bool uopi_scalar_find(const uop_run *r, const uop *u, uopi_cell *out) {
  pages p = {.r = (uop_run *)(uintptr_t)r};
  word w;
  if (!find(&p, u, &w)) return false;
  *out = cell_of(w);
  return true;
}

void uopi_scalars_clear(uop_run *r) {
  for (size_t i = 0; i < r->scalars.cap; i++) {
    page *at = r->scalars.at[i].page;
    if (at) memset(at->has, 0, sizeof at->has);
  }
}

void uopi_scalars_drop(uop_run *r) {
  uopi_discharge(r, 0, r->scalars.len * sizeof(page));
  uopi_dir_drop(&r->scalars, uopi_mem_of(r->ctx));
}

/* ---- the walk ---- */

enum { POLL_NODES = 1 << 14 };

typedef struct walk {
  uop_run *r;
  pages pages;
  size_t depth; /* visits below the current one */
  uint64_t nodes, steps, room;
} walk;

/* What becomes of an op here, and how many sources it has: a look at the table instead of at the
 * node, whose first line of memory is then not needed. */
typedef enum kind { NOT_MINE, FUNCTION, SAME, OTHER } kind;
static const struct {
  uint8_t kind, nsrc;
} rows[UOP_OP_COUNT] = {
    [UOP_RECIP] = {FUNCTION, 1},
    [UOP_EXP2] = {FUNCTION, 1},
    [UOP_LOG2] = {FUNCTION, 1},
    [UOP_SQRT] = {FUNCTION, 1},
    [UOP_SIN] = {FUNCTION, 1},
    [UOP_CAST] = {FUNCTION, 1},
    [UOP_ADD] = {FUNCTION, 2},
    [UOP_MUL] = {FUNCTION, 2},
    [UOP_MAX] = {FUNCTION, 2},
    [UOP_CMPLT] = {FUNCTION, 2},
    [UOP_CMPNE] = {FUNCTION, 2},
    /* of one element, which they hand on */
    [UOP_RESHAPE] = {SAME, 1},
    [UOP_EXPAND] = {SAME, 1},
    [UOP_PERMUTE] = {SAME, 1},
    [UOP_SHRINK] = {SAME, 1},
    [UOP_REDUCE] = {SAME, 1},
    [UOP_LOAD] = {SAME, 1},
    [UOP_STAGE] = {SAME, 1},
    [UOP_CONST] = {OTHER, 0},
    [UOP_PARAM] = {OTHER, 0},
    [UOP_WHERE] = {OTHER, 2},
    [UOP_ASSERT] = {OTHER, 2},
    [UOP_FLOORDIV] = {OTHER, 2},
    [UOP_FLOORMOD] = {OTHER, 2},
};

/* Of a node of shape (), or an effect: elementwise ops have sources of their own shape. */
static inline bool is_mine(const uop *u) {
  unsigned k = rows[u->op].kind;
  if (k == SAME || u->op == UOP_ASSERT) return uopi_is_scalar(u->src[0]);
  return k != NOT_MINE;
}

/* No deeper than the context has nodes: a stack that has come some way towards that gets it all,
 * and is not copied again and again. */
static bool grow_visits(uop_run *r, const uop *u) {
  size_t cap = r->visits.cap ? r->visits.cap * 2 : 64, each = sizeof(uopi_visit);
  if (cap >= r->ctx->nlive / 16 && cap < r->ctx->nlive) cap = r->ctx->nlive;
  if (cap > SIZE_MAX / each) return uopi_run_no_memory(r, u);
  void *p = uopi_run_realloc(r, u, r->visits.at, r->visits.cap * each, cap * each);
  if (!p) return false;
  r->visits.at = p;
  r->visits.cap = cap;
  return true;
}

/* What u needs when `done` of its sources have their values, `first` the first of them. NULL:
 * nothing more. Of a WHERE, the condition and the branch that it takes. */
static inline const uop *needed(const uop *u, uint32_t done, word first) {
  if (done == rows[u->op].nsrc) return NULL;
  if (u->op == UOP_WHERE && done == 1) return u->src[cell_of(first).b ? 1 : 2];
  return u->src[done];
}

static bool none_left(walk *w, const uop *u) {
  w->r->stats.steps += w->room;
  w->room = w->steps = 0;
  return uopi_charge_steps(w->r, u, 1);
}

static bool compute_other(walk *w, const uop *u, const uopi_cell *in, uopi_cell *out) {
  uop_run *r = w->r;
  switch ((uop_op)u->op) {
  case UOP_PARAM: /* charged for there */
    w->room--;
    w->steps--;
    return uopi_input_value(r, u, out);
  case UOP_CONST: return uopi_eval_const(u, out);
  case UOP_WHERE: *out = in[1]; return true;
  case UOP_ASSERT: return uopi_assert_element(r, u, in[0].raw, in[1].raw, 0);
  default: /* FLOORDIV, FLOORMOD */
    uopi_scalar_op(u, in, out);
    return in[1].i != 0 || uopi_warn_zero(r, u, &in[1].i, 1);
  }
}

/* The value of u from those of its sources: the first, and the last. */
static inline bool compute(walk *w, const uop *u, word first, word last, word *out) {
  uopi_cell in[2] = {cell_of(first), cell_of(last)}, c = in[0];
  bool ok = true;
  if (w->steps++ == w->room) return none_left(w, u);
  if (rows[u->op].kind == FUNCTION)
    scalar_op(u, in, &c);
  else if (rows[u->op].kind == OTHER)
    ok = compute_other(w, u, in, &c);
  *out = word_of(c);
  return ok;
}

static uopi_done walk_from(walk *w, const uop *root, word *out) {
  uop_run *r = w->r;
  uopi_visit v = {root, 0, 0};
  for (word value = 0, first = 0;;) {
    const uop *s = needed(v.u, v.done, first);
    if (!s) {
      if (!compute(w, v.u, first, value, &value) || !put(&w->pages, v.u, value)) return UOPI_FAILED;
      if (++w->nodes % POLL_NODES == 0 && !uopi_poll(r, v.u, POLL_NODES)) return UOPI_FAILED;
      if (w->depth == 0) {
        *out = value;
        return UOPI_DONE;
      }
      v = r->visits.at[--w->depth];
      first = v.first;
    } else if (!find(&w->pages, s, &value)) {
      if (!is_mine(s)) return UOPI_NOT_SCALAR;
      if (w->depth == r->visits.cap && !grow_visits(r, s)) return UOPI_FAILED;
      r->visits.at[w->depth++] = (uopi_visit){v.u, v.done, first};
      v = (uopi_visit){s, 0, 0};
      if (rows[s->op].nsrc == 2) UOPI_PREFETCH(s->src[1]->src); /* while the first is computed */
      continue;
    }
    if (v.done++ == 0) first = value;
  }
}

uopi_done uopi_compute_scalar(uop_run *r, const uop *u, uopi_cell *out) {
  walk w = {.r = r, .pages = {.r = r}, .room = r->options.max_steps - r->stats.steps};
  word value = 0;
  if (!is_mine(u)) return UOPI_NOT_SCALAR;
  uopi_done done = find(&w.pages, u, &value) ? UOPI_DONE : walk_from(&w, u, &value);
  r->stats.steps += w.steps;
  r->stats.nodes += w.nodes;
  *out = cell_of(value);
  return done;
}
