// header_cxx.cc - uop.h in a C++17 program: overloads stand for C's _Generic, and UOP_VALS and
// UOP_DIMS are not needed. Exits 0 when what it builds is right.
#include "uop.h"
#include "uop.h" // twice is once

#include <cstdio>
#include <cstring>

static bool check(uop_ctx *ctx, const uop *u, const char *want) {
  char *got = uop_print(u, nullptr);
  bool ok = got && std::strcmp(got, want) == 0;
  if (!ok)
    std::fprintf(stderr, "got\n%snot\n%s%s\n", got ? got : "", want, uop_error(ctx)->message);
  uop_free(ctx, got);
  return ok;
}

int main() {
  uop_ctx *ctx = uop_ctx_new(nullptr);
  if (!ctx || std::strcmp(uop_version(), UOP_VERSION) != 0) return 1;
  const int64_t two[] = {2}, column[] = {2, 1};
  const uop *x = uop_param(ctx, 0, UOP_F32, nullptr, 0), *v = uop_param(ctx, 1, UOP_F32, two, 1);
  uop *mine = const_cast<uop *>(x);
  signed char c = 1;
  unsigned long long big = 1;
  bool ok = true;

  ok &= check(ctx, uop_add(uop_mul(mine, 2), uop_exp2(x)),
              "%0 = param : slot=0 dtype=f32\n%1 = mul %0, 2.0\n%2 = exp2 %0\n%3 = add %1, %2\n");
  ok &= uop_add(x, c) == uop_add(x, big) && uop_add(x, 1.0f) == uop_add(x, 1.0);
  ok &= uop_add(x, short{1}) == uop_add(x, 1L) && uop_add(x, 1u) == uop_add(x, 1LL);
  ok &= (uop_add)(UOP_V(x), UOP_V(1)) == uop_add(x, 1);
  ok &= uop_add(x, uop_val_int(1)) == uop_add(x, 1);
  ok &= uop_add(nullptr, x) == nullptr && uop_error(ctx)->code == UOP_OK;
  ok &= uop_where(uop_gt(x, 0), x, 0) != nullptr && uop_assert(x, 1) != nullptr;
  ok &= check(ctx, uop_where(uop_lt(x, 1), true, false),
              "%0 = param : slot=0 dtype=f32\n%1 = cmplt %0, 1.0\n%2 = where %1, true, false\n");
  ok &= check(ctx, uop_stack(ctx, 1, 2, 3), "%0 = stack 1, 2, 3\n");
  ok &= uop_index(v, 1) != nullptr && uop_call(uop_neg(x), "f", 2.5) != nullptr;
  ok &= uop_store(uop_param_in(ctx, 2, UOP_F32, nullptr, 0, UOP_SPACE_GLOBAL), 1) != nullptr;
  ok &= uop_range(ctx, 10, 0, UOP_AXIS_LOOP) != nullptr && uop_const(ctx, UOP_F16, 1) != nullptr;
  ok &= uop_const_like(v, 3) != nullptr && uop_reshape(v, column, 2) != nullptr;
  ok &= uop_const_i32(uop_const_of_i32(ctx, -5)) == -5;
  ok &= uop_const_f32(uop_const_of_f32(ctx, 0.5f)) > 0.4f;
  ok &= uop_const_bool(uop_const_of_bool(ctx, true));
  ok &= uop_error(ctx)->code == UOP_OK && uop_ctx_check(ctx);
  uop_ctx_free(ctx);
  return ok ? 0 : 1;
}
