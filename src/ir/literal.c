/* literal.c - bare numbers. A number beside an operand takes that operand's dtype; alone it is what
 * it looks like. It is rounded once, straight to f32, and never changed silently: what its dtype
 * cannot hold is refused.
 */
#include "base/decimal.h"
#include "ir/ir.h"

/* The literal as it was written, or its value, into `room`. */
static const char *spell(const uopi_lit *l, char room[48]) {
  char *p = room;
  if (l->text) {
    size_t n = l->len < 40 ? l->len : 40;
    memcpy(p, l->text, n);
    p += n;
    if (n < l->len) memcpy(p, "...", 3), p += 3;
  } else if (l->kind == UOPI_LIT_BOOL) {
    return l->b ? "true" : "false";
  } else if (l->kind == UOPI_LIT_INT) {
    if (l->negative) *p++ = '-';
    p = uopi_format_u64(p, l->magnitude);
  } else if (l->overflow) {
    return "the number";
  } else {
    p = uopi_format_f32(p, l->f);
  }
  *p = 0;
  return room;
}

const char *uopi_fn_name(int op) {
  if (op >= 0 && op < UOP_OP_COUNT) return uop_op_find((uop_op)op)->name;
  return op >= UOP_OP_COUNT && op < UOPI_FN_COUNT ? uopi_sugars[op - UOP_OP_COUNT].name : "CONST";
}

static const uop *make(uop_ctx *ctx, uop_dtype d, uint64_t bits) {
  uop_arg a = {.dtype = d, .bits = bits};
  return uop_make(ctx, UOP_CONST, NULL, 0, &a);
}

static uint64_t float_bits(float f) {
  union {
    float f;
    uint32_t bits;
  } v = {f};
  return v.bits;
}

/* fmt has two %s: the op's name and the number as written. */
static const uop *refuse(uop_ctx *ctx, int op, int operand, const char *fmt, const uopi_lit *l) {
  char room[48];
  return uopi_error(ctx, UOP_E_LITERAL, op < UOP_OP_COUNT ? op : -1, operand, fmt, uopi_fn_name(op),
                    spell(l, room));
}

static const uop *as_f32(uop_ctx *ctx, const uopi_lit *l, int op, int operand) {
  if (l->overflow) return refuse(ctx, op, operand, "%s: %s is beyond the range of f32", l);
  return make(ctx, UOP_F32, float_bits(l->f));
}

static const uop *as_i32(uop_ctx *ctx, const uopi_lit *l, int op, int operand) {
  if (l->kind == UOPI_LIT_FLOAT)
    return refuse(ctx, op, operand, "%s: %s beside i32 (write an int or use CAST)", l);
  if (!l->fits) return refuse(ctx, op, operand, "%s: %s is beyond the range of i32", l);
  return make(ctx, UOP_I32, (uint32_t)l->i);
}

static const uop *as_bool(uop_ctx *ctx, const uopi_lit *l, int op, int operand) {
  if (l->kind == UOPI_LIT_INT && l->fits && (l->i == 0 || l->i == 1))
    return make(ctx, UOP_BOOL, (uint64_t)l->i);
  return refuse(ctx, op, operand, "%s: %s beside bool (only 0, 1, true and false)", l);
}

/* A double that became f and is to become f16 must not be rounded twice: where f lies exactly
 * between two f16 values and the double did not, one step toward the double decides. */
static float round_once_to_f16(float f, int rest) {
  uint32_t b = (uint32_t)float_bits(f), magnitude = b & 0x7fffffffu;
  int exp = (int)(magnitude >> 23) - 127, shift = exp >= -14 ? 12 : -2 - exp;
  if (rest == 0 || exp < -25 || exp > 15) return f;
  uint32_t m = (magnitude & 0x7fffffu) | 0x800000u, below = (UINT32_C(2) << shift) - 1;
  if ((m & below) != UINT32_C(1) << shift) return f;
  b = (rest > 0) == (b >> 31 == 0) ? b + 1 : b - 1;
  union {
    uint32_t bits;
    float f;
  } v = {b};
  return v.f;
}

const uop *uopi_literal(uop_ctx *ctx, const uopi_lit *l, uop_dtype d, int op, int operand) {
  if (l->kind == UOPI_LIT_BOOL) return make(ctx, UOP_BOOL, l->b); /* true and false never change */
  if (d == UOP_VOID) d = l->kind == UOPI_LIT_INT ? UOP_I32 : UOP_F32;
  switch (d) {
  case UOP_BOOL: return as_bool(ctx, l, op, operand);
  case UOP_I32: return as_i32(ctx, l, op, operand);
  case UOP_F16: { /* there are no f16 constants */
    uopi_lit once = *l;
    once.f = round_once_to_f16(l->f, l->rest);
    const uop *c = as_f32(ctx, &once, op, operand);
    return uop_make(ctx, UOP_CAST, &c, 1, &(uop_arg){.dtype = UOP_F16});
  }
  default: return as_f32(ctx, l, op, operand);
  }
}

const uop *uop_const_of_i32(uop_ctx *ctx, int32_t v) { return make(ctx, UOP_I32, (uint32_t)v); }
const uop *uop_const_of_f32(uop_ctx *ctx, float v) { return make(ctx, UOP_F32, float_bits(v)); }
const uop *uop_const_of_bool(uop_ctx *ctx, bool v) { return make(ctx, UOP_BOOL, v); }
