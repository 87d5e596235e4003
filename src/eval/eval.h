/* eval.h - inside of a run: what its values are, how a graph is planned, what is being computed.
 *
 *   run ── scalars: node -> cell                       what needs no arrays (scalar.c)
 *    │
 *    └──── top frame ── cells, by place in its plan    everything else (run.c)
 *            ▲ parent
 *          frame of a CALL ── cells                    lives until the CALL's value is known
 *
 *   plan of a graph or body: its nodes in depth-first order, their edges, how often each is used,
 *   and which of them are computed together (plan.c); a group of them as a short program over
 *   blocks of elements (kernel.c), and that program run (block.c).
 *
 * Invariants:
 *  - A cell holds the value of one node in one frame: up to 8 bytes in place where the node's shape
 *    is (), else a counted reference to an array.
 *  - An array's elements never change once a cell refers to it, so arrays are shared freely.
 *  - A value is let go when the last node of its frame that uses it has its own; what was asked for
 *    stays for as long as the run.
 *  - Nothing is allocated that was not charged first; what is charged never exceeds the budget.
 *  - A failure leaves an error in the context, with its node.
 */
#ifndef UOP_EVAL_H
#define UOP_EVAL_H

#include "eval/loops.h"
#include "eval/reader.h"
#include "eval/value.h"
#include "ir/memo.h"

#include <stdatomic.h>

/* ---- arrays (array.c) ---- */

typedef struct uopi_array {
  uint32_t refs; /* cells, and arrays that look into it */
  uint8_t rank;
  bool row_major; /* without gaps: element i of the flat order is i elements from the first */
  bool canonical; /* has no NaN but the canonical one */
  uint8_t size;   /* bytes of an element */
  struct uopi_array *base; /* whose elements these are; NULL: its own, or the caller's */
  const char *data;        /* the first element */
  size_t own;              /* bytes of this allocation */
  int64_t stride[];        /* in elements, by axis; then the elements, where they are its own */
} uopi_array;

typedef union uopi_cell {
  unsigned char raw[8]; /* shape (): the element in the first bytes; an effect: nothing */
  uopi_array *array;
  struct uopi_plan *plan;   /* in r->plans */
  struct uopi_input *input; /* in r->slots */
  uint8_t b;                /* these only say what `raw` may be read as */
  int32_t i;
  float f;
  uint16_t h;
} uopi_cell;

static inline bool uopi_is_scalar(const uop *u) { return u->shape->len == 0; }
static inline int64_t uopi_count_of(const uop *u) {
  return uopi_count(u->shape->at, u->shape->len);
}

static inline bool uopi_is_alu(const uop *u) {
  return uop_op_find((uop_op)u->op)->sets & UOP_SET_ALU;
}

/* All of these: `u` is whom an error names; NULL or false: over budget, or no memory. */

/* An array of u's type with elements of its own, row-major, not yet set. */
uopi_array *uopi_array_new(uop_run *r, const uop *u);
/* One that looks at `data` of the caller's; stride NULL: row-major. */
uopi_array *uopi_array_borrow(uop_run *r, const uop *u, const void *data, const int64_t *stride);
/* One with v's elements. */
uopi_array *uopi_array_copy(uop_run *r, const uop_value *v);
void uopi_array_release(uop_run *r, uopi_array *a); /* NULL is fine */
/* Room of large arrays that went is kept for the next of that size: fresh pages cost more than the
 * work that fills them. Charged as books; given up before a budget fails. */
enum { UOPI_POOL = 4, UOPI_POOL_LEAST = 1 << 18, UOPI_POOL_MOST = 1 << 26 }; /* arrays; bytes */
void uopi_pool_drop(uop_run *r);
static inline void *uopi_array_data(uopi_array *a) { return (void *)(uintptr_t)a->data; } /* own */

/* What u, a movement op, makes of its source's array: a view, or a copy where strides cannot say
 * it. */
uopi_array *uopi_array_move(uop_run *r, const uop *u, uopi_array *from);
/* The part of `from` whose first element is `at` elements on, of u's shape: its last axes. */
uopi_array *uopi_array_part(uop_run *r, const uop *u, uopi_array *from, int64_t at);

/* ---- memos by number ---- */

/* Open addressing with linear probing. `key` is 0 where empty, else number + 1. */
typedef struct uopi_entry {
  uint64_t key;
  uopi_cell cell;
} uopi_entry;

typedef struct uopi_cells {
  uopi_entry *at;
  size_t cap, len; /* cap is 0 or a power of two */
} uopi_cells;

uopi_cell *uopi_cells_find(const uopi_cells *m, uint64_t number); /* valid until the next put */
/* Puts in a number that is not there. False: nothing changed. */
bool uopi_cells_put(uop_run *r, uopi_cells *m, const uop *u, uint64_t number, uopi_cell c);
void uopi_cells_clear(uop_run *r, uopi_cells *m); /* keeps the room, where that is little */
void uopi_cells_drop(uop_run *r, uopi_cells *m);

/* ---- plans (plan.c) ---- */

#define UOPI_NO_GROUP UINT32_MAX

typedef struct uopi_planned {
  const uop *u;
  uint32_t first; /* its sources are edges[first], …; a CALL's body is none of them */
  uint32_t uses;  /* edges to it in this plan, and one for each time that it was asked for */
  uint32_t group; /* the node with which it is computed: itself, or where that one's value goes */
  uint32_t next;  /* the member of the group after this one; of the root: the first member */
  bool asked;     /* its value is for the caller */
} uopi_planned;

struct uopi_kernel;
typedef struct uopi_plan {
  uint32_t n, nedges;
  uopi_planned *node;
  uint32_t *edge;
  struct uopi_kernel **kernel; /* of each group's root, when it was needed */
  uint32_t *mark;              /* scratch of kernel.c; 0 */
  uint32_t *table, cap;        /* node -> its place: uopi_plan_find */
  size_t bytes;
} uopi_plan;

/* Nodes that give each element of their source once more, in the same order. */
static inline bool uopi_is_identity(const uop *u) {
  return u->op == UOP_RESHAPE || u->op == UOP_LOAD || u->op == UOP_STAGE;
}
/* EXPAND of one element: a number beside an array. */
static inline bool uopi_is_splat(const uop *u) {
  return u->op == UOP_EXPAND && uopi_count_of(u->src[0]) == 1;
}
/* Elements that the kernel of a group under `root` computes. */
static inline int64_t uopi_kernel_count(const uop *root) {
  return uopi_count_of(root->op == UOP_REDUCE ? root->src[0] : root);
}

/* Nodes below the roots, CALL bodies apart; the last root is the last node. NULL: an error. */
uopi_plan *uopi_plan_new(uop_run *r, const uop *const *roots, size_t n);
void uopi_plan_free(uop_run *r, uopi_plan *p);
uint32_t uopi_plan_find(const uopi_plan *p, const uop *u); /* p->n: it is not there */
static inline uint32_t uopi_plan_nsrc(const uop *u) { return u->nsrc - (u->op == UOP_CALL); }
static inline const uint32_t *uopi_plan_sources(const uopi_plan *p, uint32_t i) {
  return p->edge + p->node[i].first;
}

/* ---- kernels: groups as programs over blocks (kernel.c, block.c) ---- */

enum {
  UOPI_BLOCK = 2048, /* elements: a few such blocks of f32 stay in a first-level cache */
  UOPI_LEAST_BLOCK = 256,
  UOPI_LONG_BLOCK = 1 << 15, /* where memory is read and written in place: often enough to poll */
  UOPI_GROUP_NODES = 128     /* at most in one kernel; more gain nothing, and need more blocks */
};

typedef struct uopi_step { /* one op over one block */
  uopi_loop *loop;
  const uop *u;
  uint16_t out;   /* a register; of an elementwise kernel's last step: none */
  uint16_t in[3]; /* leaves from 0 on, then registers */
} uopi_step;

typedef struct uopi_kernel {
  uint32_t nsteps, nleaves, nregs;
  uint32_t naxes;  /* of all leaves; of a number, one */
  uint16_t result; /* of a REDUCE: the last step's register, or a leaf */
  int64_t n;       /* elements that it computes */
  bool divides;
  uint32_t *leaf; /* places in the plan, in the order in which they are needed */
  uopi_step *step;
  size_t bytes;
} uopi_kernel;

struct uopi_frame;
/* The kernel of the group whose root is at place i. NULL: an error. */
uopi_kernel *uopi_kernel_of(uop_run *r, uopi_plan *p, uint32_t i);
/* Computes it: its leaves have their values. */
bool uopi_kernel_run(uop_run *r, struct uopi_frame *f, uint32_t i, const uopi_kernel *k,
                     uopi_cell *out);

/* reduce.c: a row's accumulator, fed by blocks. */
typedef struct uopi_acc {
  union {
    float lane[UOPI_LANES];
    float f;
    int32_t i;
    uint16_t h;
    uint8_t b;
  } v;
} uopi_acc;
void uopi_acc_begin(uopi_acc *a, const uop *u);
void uopi_acc_end(uopi_acc *a, const uop *u, bool empty, void *out); /* `empty`: of no elements */

/* ---- frames and the run ---- */

typedef enum uopi_has { UOPI_NOTHING, UOPI_NUMBER, UOPI_ARRAY } uopi_has;

typedef struct uopi_frame {
  struct uopi_frame *parent; /* where the CALL stands, and its arguments are; NULL: top level */
  struct uopi_frame *below;  /* the frame that was begun before this one */
  uint32_t call;             /* the CALL's place in the parent's plan */
  uopi_plan *plan;           /* NULL: no frame yet */
  uopi_cell *cell;           /* by place in the plan */
  uint32_t *left;            /* uses that are still to come */
  uint8_t *has;              /* uopi_has: whether the cell has the node's value, and of what kind */
  size_t bytes;
} uopi_frame;

typedef struct uopi_task { /* a node that is being computed in a frame */
  uopi_frame *frame;
  uint32_t place;
  uint32_t next; /* what it needs next: nothing is looked at twice */
} uopi_task;

typedef struct uopi_visit { /* a node of shape () whose sources are being computed */
  const uop *u;
  uint32_t done;  /* sources that have their values */
  uint32_t first; /* the first one's */
} uopi_visit;

typedef struct uopi_input {
  const void *data;
  const int64_t *strides; /* the caller's; NULL: row-major */
  uopi_array *copy;       /* where `data` is, if it is not the caller's */
  uint8_t dtype, rank;
  bool read; /* a node has its value already */
  int64_t dim[];
} uopi_input;

struct uop_run {
  uop_ctx *ctx;
  uop_run_options options; /* budgets set */
  const uopi_loops *loops;
  atomic_bool cancelled;
  bool busy; /* evaluating: its callbacks may not ask for more */
  uop_run_stats stats;
  uint64_t values, books; /* bytes of arrays' elements; of everything else */
  uint64_t since;         /* elements since the caller was last told of progress */
  uint64_t deaths;        /* of nodes in the context, as last seen */
  uopi_dir scalars;       /* slab -> values of nodes of shape (), at top level */
  uopi_frame top, *inner; /* inner: the frame begun last */
  struct {
    uopi_task *at;
    size_t len, cap;
  } tasks;
  struct {
    uopi_visit *at;
    size_t len, cap;
  } visits;
  uopi_cells slots;            /* slot and op -> its input */
  uopi_cells warned;           /* division nodes that have met a zero */
  uop_nodes by_zero;           /* those of them that the caller was not told of, */
  size_t told;                 /* but for so many at its beginning */
  uop_nodes wanted;            /* roots of the plan to come */
  uopi_cells outs;             /* node -> the array that uop_run_eval hands out */
  uopi_cells plans;            /* body -> plan */
  uopi_array *pool[UOPI_POOL]; /* the one that came first goes first */
  char *scratch;               /* blocks of the kernel that runs */
  size_t scratch_size;
  uop_op_cost *profile; /* by op; NULL without a clock */
};

/* Bookkeeping counts against the budget of bytes too, since deep calls can make it large; the first
 * part is free, so that a small budget may be read as the bytes of arrays. */
#define UOPI_FREE_BOOKS ((uint64_t)1 << 20)

/* ---- budgets (budget.c) ---- */

/* `u` is whom an error names; NULL: an input. */
bool uopi_charge_steps(uop_run *r, const uop *u, int64_t steps);
bool uopi_charge_bytes(uop_run *r, const uop *u, size_t values, size_t books);
void uopi_discharge(uop_run *r, size_t values, size_t books);
bool uopi_has_room(const uop_run *r, size_t books); /* so many more would be in the budget */
/* Memory of the run's own: charged as books. The old bytes stay where it fails. */
void *uopi_run_realloc(uop_run *r, const uop *u, void *p, size_t old, size_t size);

/* Whether to go on after n more elements: false with the error when the run was cancelled. Tells of
 * progress. */
bool uopi_poll(uop_run *r, const uop *u, size_t n);

/* An error of the run at `u`: false, for the caller to return. */
#define UOPI_RUN_ERROR(r, u, code, operand, ...) \
  (uopi_error((r)->ctx, (code), (u)->op, (operand), __VA_ARGS__), uopi_run_failed((r), (u)))
bool uopi_run_failed(uop_run *r, const uop *u); /* puts the node into the error */
bool uopi_run_no_memory(uop_run *r, const uop *u);

/* ---- computing ---- */

/* run.c: computes what is at `place` of the top frame, if it is not there yet. What was finished
 * before an error stays. */
bool uopi_compute(uop_run *r, uint32_t place);
bool uopi_frame_fill(uop_run *r, uopi_frame *f, const uop *u, uopi_plan *p);
void uopi_frame_clear(uop_run *r, uopi_frame *f); /* as it was when it was filled */
void uopi_frame_drop(uop_run *r, uopi_frame *f);

/* scalar.c: the same for a node of shape (), where everything that it needs has that shape too and
 * no CALL is among it: else UOPI_NOT_SCALAR, and what is known by then stays. */
typedef enum uopi_done { UOPI_FAILED, UOPI_NOT_SCALAR, UOPI_DONE } uopi_done;
uopi_done uopi_compute_scalar(uop_run *r, const uop *u, uopi_cell *out);
bool uopi_scalar_find(const uop_run *r, const uop *u, uopi_cell *out); /* false: not computed */
void uopi_scalars_clear(uop_run *r);                                   /* keeps the room */
void uopi_scalars_drop(uop_run *r);
/* The value of u, an ALU op of shape (), from its sources' (of a WHERE: all three). */
bool uopi_scalar_op(const uop *u, const uopi_cell *in, uopi_cell *out);

/* steps.c: one node at `place`, whose sources all have their values. */
bool uopi_eval_node(uop_run *r, uopi_frame *f, uint32_t place, uopi_cell *out);
bool uopi_eval_const(const uop *u, uopi_cell *out);
/* An ASSERT of two equal elements, or the error. */
bool uopi_assert_element(uop_run *r, const uop *u, const void *a, const void *b, int64_t at);
/* Notes a division by zero, once for each node; uop_run_eval tells of it when it is done. */
bool uopi_warn_zero(uop_run *r, const uop *u, const int32_t *by, size_t n);

/* inout.c: the value that was given for `u`, a PARAM at top level or a BUFFER. */
bool uopi_input_value(uop_run *r, const uop *u, uopi_cell *c);

#endif
