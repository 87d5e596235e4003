/* awkward.c - see awkward.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/awkward.h"

static uint32_t awkward_f32(rng *r) {
  static const uint32_t bits[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 1,
                                  0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                  0xffc00001, 0x7f800001, 0x3dcccccd, 0x4b800000, 0x4f000000};
  return random_below(r, 4) ? (uint32_t)random_u64(r)
                            : bits[random_below(r, sizeof bits / sizeof *bits)];
}

void awkward_put(rng *r, uop_dtype d, void *data, int64_t i) {
  static const int32_t ints[] = {INT32_MIN, INT32_MIN + 1, -7, -1, 0, 1, 2, 7, INT32_MAX};
  uint32_t f =
      random_below(r, 8) ? 0x3f000000 | (uint32_t)random_below(r, 1 << 23) : awkward_f32(r);
  switch (d) {
  case UOP_BOOL: ((uint8_t *)data)[i] = (uint8_t)random_below(r, 2); break;
  case UOP_I32:
    ((int32_t *)data)[i] =
        random_below(r, 2) ? ints[random_below(r, 9)] : (int32_t)random_below(r, 41) - 20;
    break;
  case UOP_F32: ((uint32_t *)data)[i] = f; break;
  default: ((uint16_t *)data)[i] = (uint16_t)random_u64(r); break;
  }
}

/* Of few bit patterns, so that two inputs are often equal, or each other's negative. */
static bool put_special(rng *r, uop_dtype d, void *data, int64_t i) {
  static const uint32_t f32[] = {0,          0x80000000, 0x3f800000, 0xbf800000,
                                 0x7f800000, 0xff800000, 0x7fc00000, 0x40a00000};
  static const uint16_t f16[] = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x4500};
  uint32_t k = random_below(r, 8);
  if (d == UOP_F32) ((uint32_t *)data)[i] = f32[k];
  if (d == UOP_F16) ((uint16_t *)data)[i] = f16[k];
  return d == UOP_F32 || d == UOP_F16;
}

void awkward_fill(const uop *input, uint64_t seed, uop_value *out) {
  rng r = {seed * 1000003 + (uint64_t)uop_slot(input)};
  assert_true(uop_value_fill(input, seed, out));
  for (int64_t i = 0; i < out->count; i++)
    if (random_below(&r, 2) || !put_special(&r, out->dtype, out->data, i))
      awkward_put(&r, out->dtype, out->data, i);
}

/* ---- two programs ---- */

typedef struct inputs {
  uop_nodes nodes;
  uop_value *values;
} inputs;

static bool evaluate(const inputs *in, const uop *u, uop_value *packed) {
  uop_ctx *ctx = uop_ctx_of(u);
  uop_run *r = uop_run_new(ctx, NULL);
  uop_value v = {.dtype = UOP_VOID};
  assert_non_null(r);
  for (size_t i = 0; i < in->nodes.len; i++) {
    const uop *p = in->nodes.at[i];
    assert_true(uop_run_set(r, (uop_op)p->op, uop_slot(p), &in->values[i]));
  }
  bool ok = uop_run_eval(r, u, &v);
  *packed = v;
  if (ok && v.dtype != UOP_VOID) assert_true(uop_value_pack(ctx, &v, packed));
  uop_run_free(r);
  return ok;
}

static bool equal(const uop_value *a, const uop_value *b) {
  if (a->dtype != b->dtype || a->rank != b->rank || a->count != b->count) return false;
  if (a->dtype == UOP_VOID) return true;
  size_t bytes = (size_t)a->count * uop_dtype_size(a->dtype);
  return bytes == 0 || !memcmp(a->data, b->data, bytes);
}

sameness same_values(const uop *g, const uop *h, uint64_t seed) {
  uop_ctx *ctx = uop_ctx_of(g);
  inputs in = {{NULL, 0, 0}, NULL};
  uop_value a, b;
  sameness is = NOT_RUN;
  assert_true(uop_inputs(ctx, &g, 1, &in.nodes));
  in.values = calloc(in.nodes.len + 1, sizeof *in.values);
  assert_non_null(in.values);
  for (size_t i = 0; i < in.nodes.len; i++) awkward_fill(in.nodes.at[i], seed, &in.values[i]);
  if (evaluate(&in, g, &a)) {
    bool ran = evaluate(&in, h, &b);
    is = ran && equal(&a, &b) ? SAME : NOT_SAME;
    if (ran && b.dtype != UOP_VOID) uop_value_free(ctx, &b);
    if (a.dtype != UOP_VOID) uop_value_free(ctx, &a);
  }
  uop_error_clear(ctx);
  for (size_t i = 0; i < in.nodes.len; i++) uop_value_free(ctx, &in.values[i]);
  free(in.values);
  uop_nodes_free(ctx, &in.nodes);
  return is;
}
