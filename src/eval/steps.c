/* steps.c - one node that no kernel computes, its sources done: numbers, views, STACK, INDEX,
 * ASSERT. */
#include "eval/eval.h"
#include "alu/alu.h"
#include "ir/ir.h"

typedef struct sources { /* of a node in its frame */
  const uopi_frame *f;
  const uint32_t *place;
} sources;

static uopi_cell *source(const sources *s, uint32_t i) { return &s->f->cell[s->place[i]]; }

static uint32_t size_of(const uop *u) { return (uint32_t)uop_dtype_size((uop_dtype)u->dtype); }

bool uopi_eval_const(const uop *u, uopi_cell *out) {
  memset(out, 0, sizeof *out);
  if (u->dtype == UOP_BOOL)
    out->b = uop_const_bool(u);
  else
    out->i = bits_i32((uint32_t)u->arg.bits);
  return true;
}

/* ---- elements handed on ---- */

static bool put_array(uopi_array *a, uopi_cell *out) {
  out->array = a;
  return a != NULL;
}

/* The source's elements in u's shape: one of the two may be a number. */
static bool eval_move(uop_run *r, const uop *u, const uopi_cell *from, uopi_cell *out) {
  const uop *x = u->src[0];
  if (!uopi_charge_steps(r, u, 1)) return false;
  *out = *from;
  if (uopi_is_scalar(x) && uopi_is_scalar(u)) return true;
  if (uopi_is_scalar(x)) {
    uopi_array *a = uopi_array_new(r, u);
    if (a) memcpy(uopi_array_data(a), from->raw, a->size);
    return put_array(a, out);
  }
  if (uopi_is_scalar(u)) {
    memset(out, 0, sizeof *out);
    memcpy(out->raw, from->array->data, size_of(u));
    return true;
  }
  return put_array(uopi_array_move(r, u, from->array), out);
}

static bool eval_same(uop_run *r, const uop *u, const uopi_cell *from, uopi_cell *out) {
  *out = *from;
  if (!uopi_charge_steps(r, u, 1)) return false;
  if (!uopi_is_scalar(u)) out->array->refs++;
  return true;
}

static bool copy_source(uop_run *r, const uop *u, const uop *x, const uopi_cell *c, char *to) {
  if (uopi_is_scalar(x)) {
    memcpy(to, c->raw, size_of(x));
    return true;
  }
  int64_t n = uopi_count_of(x);
  int64_t room[UOPI_READER_ROOM];
  uopi_reader in = uopi_reader_of(room, x->shape->at, c->array->stride, x->shape->len, size_of(x),
                                  c->array->data);
  for (int64_t i = 0, k; i < n; i += k, to += (size_t)k * size_of(x)) {
    k = n - i < UOPI_BLOCK ? n - i : UOPI_BLOCK;
    uopi_read(&in, i, k, to);
    if (!uopi_poll(r, u, (size_t)k)) return false;
  }
  return true;
}

static bool eval_stack(uop_run *r, const sources *s, const uop *u, uopi_cell *out) {
  if (!uopi_charge_steps(r, u, uopi_count_of(u))) return false;
  uopi_array *a = uopi_array_new(r, u);
  if (!a) return false;
  char *to = uopi_array_data(a);
  size_t each = (size_t)uopi_count_of(u->src[0]) * size_of(u);
  for (uint32_t i = 0; i < u->nsrc && each; i++, to += each)
    if (!copy_source(r, u, u->src[i], source(s, i), to)) {
      uopi_array_release(r, a);
      return false;
    }
  return put_array(a, out);
}

static bool eval_index(uop_run *r, const sources *s, const uop *u, uopi_cell *out) {
  const uop_tuple *shape = u->src[0]->shape;
  uopi_array *from = source(s, 0)->array;
  int64_t at = 0;
  for (uint32_t i = 1; i < u->nsrc; i++) {
    int32_t k = source(s, i)->i;
    if (k < 0 || k >= shape->at[i - 1])
      return UOPI_RUN_ERROR(r, u, UOP_E_INDEX, (int)i,
                            "INDEX: index %d is outside axis %d of shape %p", (int)k, (int)i - 1,
                            shape);
    at += k * from->stride[i - 1];
  }
  if (!uopi_charge_steps(r, u, 1)) return false;
  if (!uopi_is_scalar(u)) return put_array(uopi_array_part(r, u, from, at), out);
  memset(out, 0, sizeof *out);
  memcpy(out->raw, from->data + at * from->size, from->size);
  return true;
}

/* ---- numbers ---- */

bool uopi_warn_zero(uop_run *r, const uop *u, const int32_t *by, size_t n) {
  size_t i = 0;
  if (!r->options.warn) return true;
  while (i < n && by[i] != 0) i++;
  if (i == n || uopi_cells_find(&r->warned, u->id)) return true;
  if (!uopi_cells_put(r, &r->warned, u, u->id, (uopi_cell){{0}})) return false;
  return UOPI_PUSH(uopi_mem_of(r->ctx), &r->by_zero, u) || uopi_run_no_memory(r, u);
}

static bool eval_number(uop_run *r, const sources *s, const uop *u, uopi_cell *out) {
  uopi_cell in[3];
  if (!uopi_charge_steps(r, u, 1)) return false;
  for (uint32_t i = 0; i < u->nsrc && i < 3; i++) in[i] = *source(s, i);
  if ((u->op == UOP_FLOORDIV || u->op == UOP_FLOORMOD) && !uopi_warn_zero(r, u, &in[1].i, 1))
    return false;
  return uopi_scalar_op(u, in, out) ||
         UOPI_RUN_ERROR(r, u, UOP_E_INTERNAL, -1, "%a: no function for its dtype", (int)u->op);
}

/* ---- ASSERT ---- */

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

static bool differs(uop_dtype d, const void *a, const void *b) {
  uint8_t result = 0;
  const void *in[] = {a, b};
  const uopi_loops *l = uopi_loops_of(0);
  l->ops[UOP_CMPNE][d](1, &result, in);
  return result;
}

bool uopi_assert_element(uop_run *r, const uop *u, const void *a, const void *b, int64_t at) {
  uop_dtype d = (uop_dtype)u->src[0]->dtype;
  if (!differs(d, a, b)) return true;
  char left[UOPI_ELEMENT_CHARS + 1], right[UOPI_ELEMENT_CHARS + 1], place[16 * UOP_MAX_RANK + 8];
  *uopi_format_element(left, d, a, 0) = 0;
  *uopi_format_element(right, d, b, 0) = 0;
  put_place(place, u->src[0]->shape, at);
  return UOPI_RUN_ERROR(r, u, UOP_E_ASSERT, -1, "ASSERT: %s != %s%s", left, right, place);
}

typedef struct side { /* an operand, read block by block */
  uopi_reader in;
  int64_t room[UOPI_READER_ROOM];
  bool direct;
  uint32_t block[UOPI_BLOCK];
} side;

static void side_begin(side *s, const uop *x, const uopi_array *a) {
  s->in = uopi_reader_of(s->room, x->shape->at, a->stride, x->shape->len, a->size, a->data);
  s->direct = a->row_major;
}

static const char *side_at(side *s, int64_t i, int64_t n) {
  if (s->direct) return s->in.data + i * (int64_t)s->in.size;
  uopi_read(&s->in, i, n, s->block);
  return (const char *)s->block;
}

static bool assert_arrays(uop_run *r, const uop *u, const uopi_array *a, const uopi_array *b) {
  const uop *x = u->src[0];
  side left, right;
  uint8_t differ[UOPI_BLOCK];
  side_begin(&left, x, a);
  side_begin(&right, x, b);
  for (int64_t i = 0, k, n = uopi_count_of(x); i < n; i += k) {
    k = n - i < UOPI_BLOCK ? n - i : UOPI_BLOCK;
    const char *in[] = {side_at(&left, i, k), side_at(&right, i, k)};
    r->loops->ops[UOP_CMPNE][x->dtype]((size_t)k, differ, (const void *const *)in);
    const uint8_t *first = memchr(differ, 1, (size_t)k);
    size_t at = first ? (size_t)(first - differ) * size_of(x) : 0;
    if (first && !uopi_assert_element(r, u, in[0] + at, in[1] + at, i + (first - differ)))
      return false;
    if (!uopi_poll(r, u, (size_t)k)) return false;
  }
  return true;
}

static bool eval_assert(uop_run *r, const sources *s, const uop *u, uopi_cell *out) {
  const uopi_cell *a = source(s, 0), *b = source(s, 1);
  if (!uopi_charge_steps(r, u, uopi_count_of(u->src[0]))) return false;
  memset(out, 0, sizeof *out);
  return uopi_is_scalar(u->src[0]) ? uopi_assert_element(r, u, a->raw, b->raw, 0)
                                   : assert_arrays(r, u, a->array, b->array);
}

bool uopi_eval_node(uop_run *r, uopi_frame *f, uint32_t place, uopi_cell *out) {
  const uop *u = f->plan->node[place].u;
  sources s = {f, uopi_plan_sources(f->plan, place)};
  switch ((uop_op)u->op) {
  case UOP_CONST: return uopi_charge_steps(r, u, 1) && uopi_eval_const(u, out);
  case UOP_STACK: return eval_stack(r, &s, u, out);
  case UOP_INDEX: return eval_index(r, &s, u, out);
  case UOP_LOAD:
  case UOP_STAGE:
  case UOP_REDUCE: /* of no axes */ return eval_same(r, u, source(&s, 0), out);
  case UOP_RESHAPE:
  case UOP_EXPAND:
  case UOP_PERMUTE:
  case UOP_SHRINK: return eval_move(r, u, source(&s, 0), out);
  case UOP_ASSERT: return eval_assert(r, &s, u, out);
  default: return eval_number(r, &s, u, out);
  }
}
