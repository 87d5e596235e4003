/* value.c - values on their own: made, freed, filled. */
#include "eval/value.h"
#include "alu/alu.h"
#include "eval/reader.h"

int64_t uopi_count(const int64_t *dims, size_t rank) {
  int64_t n = 1;
  for (size_t i = 0; i < rank; i++)
    if (dims[i] == 0) return 0;
  for (size_t i = 0; i < rank; i++) n *= dims[i];
  return n;
}

int64_t uopi_check_dims(const int64_t *dims, size_t rank, const char **limit) {
  bool empty = false;
  for (size_t i = 0; i < rank; i++) {
    if (dims[i] < 0 || dims[i] > UOP_MAX_DIM) {
      *limit = "a dimension is outside 0..2147483647 (UOP_MAX_DIM)";
      return -1;
    }
    empty |= dims[i] == 0;
  }
  int64_t n = empty ? 0 : 1;
  for (size_t i = 0; i < rank && n; i++) {
    if (n > UOP_MAX_NUMEL / dims[i]) {
      *limit = "it has more than 2147483647 elements (UOP_MAX_NUMEL)";
      return -1;
    }
    n *= dims[i];
  }
  return n;
}

bool uopi_value_make(uop_ctx *ctx, uop_dtype d, const int64_t *dims, size_t rank, uop_value *out) {
  memset(out, 0, sizeof *out);
  int64_t n = uopi_count(dims, rank);
  uint64_t size = (uint64_t)n * uop_dtype_size(d);
  void *data = size > SIZE_MAX ? NULL : uopi_give(ctx, (size_t)size);
  if (!data) {
    uopi_no_memory(ctx);
    return false;
  }
  out->dtype = d;
  out->rank = (uint32_t)rank;
  for (size_t i = 0; i < rank; i++) out->dims[i] = dims[i];
  out->count = n;
  out->data = data;
  return true;
}

bool uop_value_pack(uop_ctx *ctx, const uop_value *v, uop_value *out) {
  uop_value packed; /* `out` may be `v` */
  if (!ctx || !v || !out || !uopi_value_make(ctx, v->dtype, v->dims, v->rank, &packed))
    return false;
  int64_t room[UOPI_READER_ROOM];
  uopi_reader in = uopi_reader_of_value(room, v);
  uopi_read(&in, 0, v->count, packed.data);
  *out = packed;
  return true;
}

void uop_value_free(uop_ctx *ctx, uop_value *v) {
  if (!v) return;
  uop_free(ctx, v->data);
  memset(v, 0, sizeof *v);
}

/* ---- filling ---- */

static uint64_t splitmix64(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* The stream of an input begins at `seed` plus the first output of the stream that begins at
 * 2 * slot, plus 1 for a BUFFER. One output an element; its top bits are used. */
bool uop_value_fill(const uop *input, uint64_t seed, uop_value *out) {
  if (!input || !out) return false;
  uop_ctx *ctx = uop_ctx_of(input);
  if (input->op != UOP_PARAM && input->op != UOP_BUFFER) {
    uopi_error(ctx, UOP_E_ARG, input->op, -1, "%a is no input", (int)input->op);
    return false;
  }
  uop_dtype d = (uop_dtype)input->dtype;
  if (!uopi_value_make(ctx, d, input->shape->at, input->shape->len, out)) return false;
  uint64_t which = (uint64_t)uop_slot(input) << 1 | (input->op == UOP_BUFFER);
  uint64_t state = seed + splitmix64(&which);
  for (int64_t i = 0; i < out->count; i++) {
    uint64_t z = splitmix64(&state);
    float f = (float)((int32_t)(z >> 52) - 2048) * 0x1p-11f; /* exact in f16 too */
    switch (d) {
    case UOP_BOOL: ((_Bool *)out->data)[i] = (_Bool)(z >> 63); break;
    case UOP_I32: ((int32_t *)out->data)[i] = (int32_t)((z >> 32) * 201 >> 32) - 100; break;
    case UOP_F32: ((float *)out->data)[i] = f; break;
    default: ((uint16_t *)out->data)[i] = cast_f32_f16(f); break;
    }
  }
  return true;
}
