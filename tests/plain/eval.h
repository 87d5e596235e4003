/* eval.h - the plain evaluator: each op over whole arrays, nothing fused, nothing freed early, every
 * value copied. It shares alu.inc with the library's and nothing else, and the tests compare the
 * two bit for bit. Inside of a run: where values live, what a
 * frame is, how one op is computed.
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
#ifndef PLAIN_EVAL_H
#define PLAIN_EVAL_H

#include "base/base.h"
#include "eval/value.h"
#include "plain/plain.h"

/* ---- values (store.c) ---- */

typedef struct plain_block {
  uint64_t refs;
  size_t size; /* bytes that are its own; 0 where data is the caller's */
  const void *data;
} plain_block;

typedef union plain_cell {
  unsigned char raw[8]; /* shape (): the element in the first bytes; an effect: nothing */
  plain_block *block;
  uint64_t number; /* in memos that hold no values */
  _Bool b;         /* these only say what `raw` may be read as */
  int32_t i;
  float f;
  uint16_t h;
} plain_cell;

static inline bool plain_in_block(const uop *u) { return u->shape->len != 0; }
static inline const void *plain_data(const uop *u, const plain_cell *c) {
  return plain_in_block(u) ? c->block->data : c->raw;
}

/* ---- memos ---- */

/* Open addressing with linear probing. `key` is 0 where empty, else (id + 1) * 2, plus 1 where the
 * cell is a block. */
typedef struct plain_entry {
  uint64_t key;
  plain_cell cell;
} plain_entry;

typedef struct plain_cells {
  plain_entry *at;
  size_t cap, len; /* cap is 0 or a power of two */
} plain_cells;

plain_cell *plain_cells_find(const plain_cells *m, uint64_t id); /* valid until the next put */
/* Puts in an id that is not there; `u` is whom an error names. False: nothing changed. */
bool plain_cells_put(plain_run *r, plain_cells *m, const uop *u, uint64_t id, plain_cell c, bool block);
void plain_cells_drop(plain_run *r, plain_cells *m);

/* ---- frames and the run ---- */

typedef struct plain_frame {
  struct plain_frame *parent; /* where the CALL stands, and its arguments are; NULL: top level */
  struct plain_frame *below;  /* the frame that was begun before this one */
  const uop *call;
  plain_cells memo;
} plain_frame;

typedef struct plain_task { /* a node that is being computed in a frame */
  plain_frame *frame;
  const uop *node;
  uint32_t next; /* the source to look at next: none is looked at twice */
} plain_task;

typedef struct plain_input {
  uop_value value;
  bool read; /* a node has its value already */
} plain_input;

struct plain_run {
  uop_ctx *ctx;
  uint64_t max_steps, max_bytes;
  void (*warn)(void *user, const uop_diag *w);
  void *user;
  uop_run_stats stats;
  uint64_t values, books; /* bytes of values; of memos, frames, tasks and headers */
  plain_frame top, *inner; /* inner: the frame begun last */
  struct {
    plain_task *at;
    size_t len, cap;
  } tasks;
  struct {
    plain_input *at;
    size_t len, cap;
  } inputs;
  plain_cells slots;  /* slot and op -> index of its input */
  plain_cells warned; /* division nodes that have met a zero */
  uop_nodes by_zero; /* those of them that the caller was not told of */
  plain_cells outs;   /* node -> the block that plain_eval hands out */
};

/* Bookkeeping counts against the budget of bytes too, since deep calls can make it large; the first
 * part is free, so that a small budget may be read as the bytes of arrays. */
#define UOPI_FREE_BOOKS ((uint64_t)64 << 10)

/* `u` is whom an error names; NULL: an input. */
bool plain_charge_steps(plain_run *r, const uop *u, int64_t steps);
bool plain_charge_bytes(plain_run *r, const uop *u, size_t values, size_t books);
void plain_discharge(plain_run *r, size_t values, size_t books);

/* A block of `size` bytes, or around the caller's `data`, with one reference. */
plain_block *plain_block_new(plain_run *r, const uop *u, size_t size);
plain_block *plain_block_borrow(plain_run *r, const uop *u, const void *data);
static inline void *plain_block_bytes(plain_block *b) { return b + 1; } /* of one from _new */
void plain_block_release(plain_run *r, plain_block *b);
static inline plain_cell plain_cell_share(const uop *u, const plain_cell *c) {
  if (plain_in_block(u)) c->block->refs++;
  return *c;
}

/* Room for the value of `u`: in the cell or in a block of its own. NULL: over budget, no memory. */
void *plain_room(plain_run *r, const uop *u, plain_cell *c);

/* An error of the run at `u`: false, for the caller to return. */
#define PLAIN_ERROR(r, u, code, operand, ...) \
  (uopi_error((r)->ctx, (code), (u)->op, (operand), __VA_ARGS__), plain_run_failed((r), (u)))
bool plain_run_failed(plain_run *r, const uop *u); /* puts the node into the error */
bool plain_run_no_memory(plain_run *r, const uop *u);

/* Computes `u` at top level, if it is not there yet. What was finished before an error stays. */
bool plain_compute(plain_run *r, const uop *u);

/* inout.c: the value that was given for `u`, a PARAM at top level or a BUFFER. */
bool plain_input_value(plain_run *r, const uop *u, plain_cell *c);

/* ---- ops (ops.c and below) ---- */

/* The value of `u`, whose sources all have theirs in `f`. */
bool plain_eval_op(plain_run *r, plain_frame *f, const uop *u, plain_cell *out);

/* elementwise.c: the loop of an op in UOP_SET_ALU over n elements. */
typedef void plain_kernel(size_t n, void *out, const void *const *in);
plain_kernel *plain_kernel_of(const uop *u); /* NULL: there is none */
/* The first of n elements where CMPNE of a and b is true; n where there is none. */
int64_t plain_first_difference(uop_dtype d, int64_t n, const void *a, const void *b);

/* move.c: EXPAND, PERMUTE and SHRINK copy; `in` is the source's data. */
void plain_eval_move(const uop *u, const void *in, void *out);

/* reduce.c */
void plain_eval_reduce(const uop *u, const void *in, void *out);

#endif
