/* ops.c - the op, dtype, space and axis tables as C data, made from ops.def and dtypes.def. */
#include "ir/ir.h"

/* The enum in uop.h is written by `make generate`; here it is held against the table. */
enum {
#define UOP_ROW(NAME, text, min, max, infer, arg, sets, doc) ROW_##NAME,
#include "ir/ops.def"
#undef UOP_ROW
  ROW_COUNT
};
#define UOP_ROW(NAME, text, min, max, infer, arg, sets, doc) \
  _Static_assert((int)ROW_##NAME == (int)UOP_##NAME, "uop.h is stale: run `make generate`");
#include "ir/ops.def"
#undef UOP_ROW
_Static_assert((int)ROW_COUNT == (int)UOP_OP_COUNT, "uop.h is stale: run `make generate`");

enum {
#define UOP_DTYPE(NAME, text, size, ctype, cls) DTYPE_ROW_##NAME,
#include "ir/dtypes.def"
#undef UOP_DTYPE
  DTYPE_ROW_COUNT
};
#define UOP_DTYPE(NAME, text, size, ctype, cls) \
  _Static_assert((int)DTYPE_ROW_##NAME == (int)UOP_##NAME, "uop.h and dtypes.def disagree");
#include "ir/dtypes.def"
#undef UOP_DTYPE
_Static_assert((int)DTYPE_ROW_COUNT == (int)UOP_DTYPE_COUNT, "uop.h and dtypes.def disagree");

#define ANY          ((uint32_t)UOP_MAX_SRC)
#define UNARY        UOP_SET_UNARY
#define BINARY       UOP_SET_BINARY
#define ALU          UOP_SET_ALU
#define COMMUTATIVE  UOP_SET_COMMUTATIVE
#define MOVEMENT     UOP_SET_MOVEMENT
#define EFFECT       UOP_SET_EFFECT
#define WORDS_NONE   ""
#define WORDS_VALUE  "the value"
#define WORDS_PARAM  "slot, dtype, shape, space"
#define WORDS_BUFFER "slot, dtype, size"
#define WORDS_ALLOC  "slot, dtype, size, space"
#define WORDS_NAME   "name"
#define WORDS_DTYPE  "dtype"
#define WORDS_RANGE  "idx, kind"
#define WORDS_SHAPE  "shape"
#define WORDS_AXES   "a permutation of the axes"
#define WORDS_PAIRS  "a (begin, end) for each axis"
#define WORDS_REDUCE "op, number of axes"

static const uop_op_info rows[UOP_OP_COUNT] = {
#define UOP_ROW(NAME, text, min, max, infer, arg, sets, doc) \
  {#NAME, text, min, max, sets, WORDS_##arg, doc},
#include "ir/ops.def"
#undef UOP_ROW
};

const uint8_t uopi_arg_kinds[UOP_OP_COUNT] = {
#define UOP_ROW(NAME, text, min, max, infer, arg, sets, doc) UOPI_ARG_##arg,
#include "ir/ops.def"
#undef UOP_ROW
};

const uopi_sugar uopi_sugars[] = {
#define UOP_SUGAR(NAME, text, arity, doc) {#NAME, text, doc, arity},
#include "ir/sugar.def"
#undef UOP_SUGAR
};

static const struct dtype_row {
  const char *text;
  size_t size;
} dtypes[UOP_DTYPE_COUNT] = {
#define UOP_DTYPE(NAME, text, size, ctype, cls) {text, size},
#include "ir/dtypes.def"
#undef UOP_DTYPE
};

const uop_op_info *uop_op_find(uop_op op) { return (unsigned)op < UOP_OP_COUNT ? &rows[op] : NULL; }

const char *uop_dtype_name(uop_dtype d) {
  return (unsigned)d < UOP_DTYPE_COUNT ? dtypes[d].text : "?";
}

size_t uop_dtype_size(uop_dtype d) { return (unsigned)d < UOP_DTYPE_COUNT ? dtypes[d].size : 0; }

const char *uop_space_name(uop_space s) {
  static const char *const names[UOP_SPACE_COUNT] = {"alu", "global", "local", "shared"};
  return (unsigned)s < UOP_SPACE_COUNT ? names[s] : "?";
}

const char *uop_axis_name(uop_axis k) {
  static const char *const names[UOP_AXIS_COUNT] = {"loop",   "reduce", "upcast",
                                                    "thread", "global", "local"};
  return (unsigned)k < UOP_AXIS_COUNT ? names[k] : "?";
}

const char *uop_version(void) { return UOP_VERSION; }

bool uopi_is_identifier(const char *s, size_t n) {
  if (n == 0 || n > UOP_MAX_NAME || (s[0] >= '0' && s[0] <= '9') || s[0] == '.') return false;
  for (size_t i = 0; i < n; i++) {
    char c = s[i];
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
          c == '.'))
      return false;
  }
  return true;
}
