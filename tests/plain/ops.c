/* ops.c - the value of one node, once its sources have theirs: the budget of steps is charged, room
 * is made, and the op's own loop runs. */
#include "plain/eval.h"
#include "alu/alu.h"
#include "ir/ir.h" /* uopi_callback_begin */

static const void *source(const plain_frame *f, const uop *u, uint32_t i) {
  return plain_data(u->src[i], plain_cells_find(&f->memo, u->src[i]->id));
}

static int64_t count_of(const uop *u) { return uopi_count(u->shape->at, u->shape->len); }

/* The source's value, which is the node's too. */
static bool eval_same(plain_run *r, plain_frame *f, const uop *u, plain_cell *out) {
  const uop *x = u->src[0];
  plain_cell *c = plain_cells_find(&f->memo, x->id);
  if (!plain_charge_steps(r, u, 1)) return false;
  if (plain_in_block(x) == plain_in_block(u)) {
    *out = plain_cell_share(x, c);
    return true;
  }
  /* RESHAPE between () and (1, 1): one lives in the cell, the other in a block. */
  void *to = plain_room(r, u, out);
  if (!to) return false;
  memcpy(to, plain_data(x, c), uop_dtype_size((uop_dtype)u->dtype));
  return true;
}

static bool eval_const(plain_run *r, const uop *u, plain_cell *out) {
  if (!plain_charge_steps(r, u, 1)) return false;
  memset(out, 0, sizeof *out);
  uint32_t word = (uint32_t)u->arg.bits;
  _Bool truth = uop_const_bool(u);
  if (u->dtype == UOP_BOOL)
    memcpy(out->raw, &truth, sizeof truth);
  else
    memcpy(out->raw, &word, sizeof word);
  return true;
}

/* Notes a division by zero, once for each node; plain_eval tells of it when it is done. */
static bool warn_zero(plain_run *r, const uop *u, const int32_t *by, int64_t n) {
  if (!r->warn || plain_cells_find(&r->warned, u->id)) return true;
  int64_t i = 0;
  while (i < n && by[i] != 0) i++;
  if (i == n) return true;
  if (!plain_cells_put(r, &r->warned, u, u->id, (plain_cell){{0}}, false)) return false;
  return UOPI_PUSH(uopi_mem_of(r->ctx), &r->by_zero, u) || plain_run_no_memory(r, u);
}

static bool eval_elementwise(plain_run *r, plain_frame *f, const uop *u, plain_cell *out) {
  plain_kernel *loop = plain_kernel_of(u);
  int64_t n = count_of(u);
  const void *in[3];
  if (!loop || u->nsrc > 3)
    return PLAIN_ERROR(r, u, UOP_E_INTERNAL, -1, "%a: no loop for its dtype", (int)u->op);
  if (!plain_charge_steps(r, u, n)) return false;
  for (uint32_t i = 0; i < u->nsrc; i++) in[i] = source(f, u, i);
  if ((u->op == UOP_FLOORDIV || u->op == UOP_FLOORMOD) && !warn_zero(r, u, in[1], n)) return false;
  void *to = plain_room(r, u, out);
  if (!to) return false;
  loop((size_t)n, to, in);
  return true;
}

static bool eval_stack(plain_run *r, plain_frame *f, const uop *u, plain_cell *out) {
  if (!plain_charge_steps(r, u, count_of(u))) return false;
  char *to = plain_room(r, u, out);
  if (!to) return false;
  size_t each = (size_t)count_of(u->src[0]) * uop_dtype_size((uop_dtype)u->dtype);
  for (uint32_t i = 0; i < u->nsrc && each; i++, to += each) memcpy(to, source(f, u, i), each);
  return true;
}

static bool eval_index(plain_run *r, plain_frame *f, const uop *u, plain_cell *out) {
  const uop_tuple *shape = u->src[0]->shape;
  int64_t n = count_of(u), at = 0;
  for (uint32_t i = 1; i < u->nsrc; i++) {
    int32_t k;
    int64_t dim = shape->at[i - 1];
    memcpy(&k, source(f, u, i), sizeof k);
    if (k < 0 || k >= dim)
      return PLAIN_ERROR(r, u, UOP_E_INDEX, (int)i,
                            "INDEX: index %d is outside axis %d of shape %p", (int)k, (int)i - 1,
                            shape);
    at = n ? at * dim + k : 0; /* of no elements: nothing to find, and at could overflow */
  }
  if (!plain_charge_steps(r, u, n)) return false;
  size_t size = uop_dtype_size((uop_dtype)u->dtype), each = (size_t)n * size;
  void *to = plain_room(r, u, out);
  if (!to) return false;
  if (each) memcpy(to, (const char *)source(f, u, 0) + (size_t)at * each, each);
  return true;
}

static bool eval_move(plain_run *r, plain_frame *f, const uop *u, plain_cell *out) {
  if (!plain_charge_steps(r, u, count_of(u))) return false;
  void *to = plain_room(r, u, out);
  if (!to) return false;
  plain_eval_move(u, source(f, u, 0), to);
  return true;
}

static bool eval_reduce(plain_run *r, plain_frame *f, const uop *u, plain_cell *out) {
  if (u->shape->len == u->src[0]->shape->len) return eval_same(r, f, u, out); /* pop=0 */
  int64_t from = count_of(u->src[0]), to_count = count_of(u);
  if (!plain_charge_steps(r, u, from > to_count ? from : to_count)) return false;
  void *to = plain_room(r, u, out);
  if (!to) return false;
  plain_eval_reduce(u, source(f, u, 0), to);
  return true;
}

/* Where the i-th element of a shape is: "" for (), else " at [0, 3]". `s` has room for 16 bytes an
 * axis. */
static void put_place(char *s, const uop_tuple *shape, int64_t i) {
  int64_t at[UOP_MAX_RANK];
  for (uint32_t k = shape->len; k-- > 0;) {
    at[k] = i % shape->at[k];
    i /= shape->at[k];
  }
  for (uint32_t k = 0; k < shape->len; k++) {
    const char *before = k ? ", " : " at [";
    size_t n = strlen(before);
    memcpy(s, before, n);
    s = uopi_format_u64(s + n, (uint64_t)at[k]);
  }
  if (shape->len) *s++ = ']';
  *s = 0;
}

static bool eval_assert(plain_run *r, plain_frame *f, const uop *u, plain_cell *out) {
  const uop *x = u->src[0];
  uop_dtype d = (uop_dtype)x->dtype;
  int64_t n = count_of(x);
  if (!plain_charge_steps(r, u, n)) return false;
  const void *a = source(f, u, 0), *b = source(f, u, 1);
  int64_t i = plain_first_difference(d, n, a, b);
  memset(out, 0, sizeof *out);
  if (i == n) return true;
  char left[UOPI_ELEMENT_CHARS + 1], right[UOPI_ELEMENT_CHARS + 1], place[16 * UOP_MAX_RANK + 8];
  *uopi_format_element(left, d, a, i) = 0;
  *uopi_format_element(right, d, b, i) = 0;
  put_place(place, x->shape, i);
  return PLAIN_ERROR(r, u, UOP_E_ASSERT, -1, "ASSERT: %s != %s%s", left, right, place);
}

bool plain_eval_op(plain_run *r, plain_frame *f, const uop *u, plain_cell *out) {
  switch ((uop_op)u->op) {
  case UOP_CONST: return eval_const(r, u, out);
  case UOP_STACK: return eval_stack(r, f, u, out);
  case UOP_INDEX: return eval_index(r, f, u, out);
  case UOP_LOAD:
  case UOP_STAGE:
  case UOP_RESHAPE: return eval_same(r, f, u, out);
  case UOP_EXPAND:
  case UOP_PERMUTE:
  case UOP_SHRINK: return eval_move(r, f, u, out);
  case UOP_REDUCE: return eval_reduce(r, f, u, out);
  case UOP_ASSERT: return eval_assert(r, f, u, out);
  default: return eval_elementwise(r, f, u, out);
  }
}
