/* eval.h - inside of a run: where values live, what a frame is, how one op is computed.
 *
 *   run ── top frame ── memo: node id -> cell          (lives as long as the run)
 *    │       ▲ parent
 *    │     frame of a CALL ── memo                     (lives until the CALL's value is known)
 *    └── tasks: what is being computed, the needed below the needing
 *
 * Invariants:
 *  - A cell holds the value of one node in one frame: up to 8 bytes in place where the node's shape
 *    is (), else a counted reference to a block.
 *  - A block's contents never change once its node is in a memo, so blocks are shared freely.
 *  - Nothing is allocated that was not charged first, but for the list of the caller's inputs; what
 *    is charged never exceeds the budget.
 *  - A failure leaves an error in the context, with its node.
 */
#ifndef UOP_EVAL_H
#define UOP_EVAL_H

#include "base/base.h"

/* ---- values (store.c) ---- */

typedef struct uopi_block {
  uint64_t refs;
  size_t size; /* bytes that are its own; 0 where data is the caller's */
  const void *data;
} uopi_block;

typedef union uopi_cell {
  unsigned char raw[8]; /* shape (): the element in the first bytes; an effect: nothing */
  uopi_block *block;
  uint64_t number; /* in memos that hold no values */
  _Bool b;         /* these only say what `raw` may be read as */
  int32_t i;
  float f;
  uint16_t h;
} uopi_cell;

static inline bool uopi_in_block(const uop *u) { return u->shape->len != 0; }
static inline const void *uopi_data(const uop *u, const uopi_cell *c) {
  return uopi_in_block(u) ? c->block->data : c->raw;
}

/* Elements: the product of dims, which is in range; factors before a 0 may not be. */
int64_t uopi_count(const int64_t *dims, size_t rank);

/* ---- memos ---- */

/* Open addressing with linear probing. `key` is 0 where empty, else (id + 1) * 2, plus 1 where the
 * cell is a block. */
typedef struct uopi_entry {
  uint64_t key;
  uopi_cell cell;
} uopi_entry;

typedef struct uopi_cells {
  uopi_entry *at;
  size_t cap, len; /* cap is 0 or a power of two */
} uopi_cells;

uopi_cell *uopi_cells_find(const uopi_cells *m, uint64_t id); /* valid until the next put */
/* Puts in an id that is not there; `u` is whom an error names. False: nothing changed. */
bool uopi_cells_put(uop_run *r, uopi_cells *m, const uop *u, uint64_t id, uopi_cell c, bool block);
void uopi_cells_drop(uop_run *r, uopi_cells *m);

/* ---- frames and the run ---- */

typedef struct uopi_frame {
  struct uopi_frame *parent; /* where the CALL stands, and its arguments are; NULL: top level */
  struct uopi_frame *below;  /* the frame that was begun before this one */
  const uop *call;
  uopi_cells memo;
} uopi_frame;

typedef struct uopi_task { /* a node that is being computed in a frame */
  uopi_frame *frame;
  const uop *node;
  uint32_t next; /* the source to look at next: none is looked at twice */
} uopi_task;

typedef struct uopi_input {
  uop_value value;
  bool read; /* a node has its value already */
} uopi_input;

struct uop_run {
  uop_ctx *ctx;
  uint64_t max_steps, max_bytes;
  void (*warn)(void *user, const uop_diag *w);
  void *user;
  uop_run_stats stats;
  uint64_t values, books; /* bytes of values; of memos, frames, tasks and headers */
  uopi_frame top, *inner; /* inner: the frame begun last */
  struct {
    uopi_task *at;
    size_t len, cap;
  } tasks;
  struct {
    uopi_input *at;
    size_t len, cap;
  } inputs;
  uopi_cells slots;  /* slot and op -> index of its input */
  uopi_cells warned; /* division nodes that have met a zero */
  uop_nodes by_zero; /* those of them that the caller was not told of, */
  size_t told;       /* but for so many at its beginning */
  uopi_cells outs;   /* node -> the block that uop_run_eval hands out */
};

/* Bookkeeping counts against the budget of bytes too, since deep calls can make it large; the first
 * part is free, so that a small budget may be read as the bytes of arrays. */
#define UOPI_FREE_BOOKS ((uint64_t)64 << 10)

/* `u` is whom an error names; NULL: an input. */
bool uopi_charge_steps(uop_run *r, const uop *u, int64_t steps);
bool uopi_charge_bytes(uop_run *r, const uop *u, size_t values, size_t books);
void uopi_discharge(uop_run *r, size_t values, size_t books);

/* A block of `size` bytes, or around the caller's `data`, with one reference. */
uopi_block *uopi_block_new(uop_run *r, const uop *u, size_t size);
uopi_block *uopi_block_borrow(uop_run *r, const uop *u, const void *data);
static inline void *uopi_block_bytes(uopi_block *b) { return b + 1; } /* of one from _new */
void uopi_block_release(uop_run *r, uopi_block *b);
static inline uopi_cell uopi_cell_share(const uop *u, const uopi_cell *c) {
  if (uopi_in_block(u)) c->block->refs++;
  return *c;
}

/* Room for the value of `u`: in the cell or in a block of its own. NULL: over budget, no memory. */
void *uopi_room(uop_run *r, const uop *u, uopi_cell *c);

/* An error of the run at `u`: false, for the caller to return. */
#define UOPI_RUN_ERROR(r, u, code, operand, ...) \
  (uopi_error((r)->ctx, (code), (u)->op, (operand), __VA_ARGS__), uopi_run_failed((r), (u)))
bool uopi_run_failed(uop_run *r, const uop *u); /* puts the node into the error */
bool uopi_run_no_memory(uop_run *r, const uop *u);

/* Computes `u` at top level, if it is not there yet. What was finished before an error stays. */
bool uopi_compute(uop_run *r, const uop *u);

/* inout.c: the value that was given for `u`, a PARAM at top level or a BUFFER. */
bool uopi_input_value(uop_run *r, const uop *u, uopi_cell *c);

/* ---- ops (ops.c and below) ---- */

/* The value of `u`, whose sources all have theirs in `f`. */
bool uopi_eval_op(uop_run *r, uopi_frame *f, const uop *u, uopi_cell *out);

/* elementwise.c: the loop of an op in UOP_SET_ALU over n elements. */
typedef void uopi_kernel(size_t n, void *out, const void *const *in);
uopi_kernel *uopi_kernel_of(const uop *u); /* NULL: there is none */
/* The first of n elements where CMPNE of a and b is true; n where there is none. */
int64_t uopi_first_difference(uop_dtype d, int64_t n, const void *a, const void *b);

/* move.c: EXPAND, PERMUTE and SHRINK copy; `in` is the source's data. */
void uopi_eval_move(const uop *u, const void *in, void *out);

/* reduce.c */
void uopi_eval_reduce(const uop *u, const void *in, void *out);

/* ---- values as text (value.c) ---- */

enum { UOPI_ELEMENT_CHARS = 24 };
/* Writes element i; at most UOPI_ELEMENT_CHARS bytes, no NUL; returns the end. */
char *uopi_format_element(char *p, uop_dtype d, const void *data, int64_t i);

/* A value's dims checked against the limits: elements, or -1 with the limit in *limit. */
int64_t uopi_check_dims(const int64_t *dims, size_t rank, const char **limit);
/* Sets out's type and makes room for `count` elements. False: out of memory. */
bool uopi_value_make(uop_ctx *ctx, uop_dtype d, const int64_t *dims, size_t rank, uop_value *out);

#endif
