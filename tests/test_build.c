/* test_build.c - the builder against its documented encodings, node for node, by the text that they
 * print as, worked out by hand; C numbers as operands; every refusal with its message and code.
 *
 * Names in the expected text: x, y are i32 params 0 and 1; f, g f32 params 0 and 1; p, q bool; v a
 * vector of 3 f32; h an f16.
 */
#include "uop.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uop_ctx *ctx;
static const uop *x, *y, *f, *g, *p, *q, *v, *h, *m;

static int begin(void **state) {
  (void)state;
  if (!(ctx = uop_ctx_new(NULL))) return -1;
  x = uop_param(ctx, 0, UOP_I32, NULL, 0), y = uop_param(ctx, 1, UOP_I32, NULL, 0);
  f = uop_param(ctx, 0, UOP_F32, NULL, 0), g = uop_param(ctx, 1, UOP_F32, NULL, 0);
  p = uop_param(ctx, 0, UOP_BOOL, NULL, 0), q = uop_param(ctx, 1, UOP_BOOL, NULL, 0);
  v = uop_param(ctx, 0, UOP_F32, UOP_DIMS(3));
  h = uop_param(ctx, 0, UOP_F16, NULL, 0);
  m = uop_param_in(ctx, 0, UOP_F32, NULL, 0, UOP_SPACE_GLOBAL);
  return 0;
}

static int end(void **state) {
  (void)state;
  if (uop_error(ctx)->code) fail_msg("left over: %s", uop_error(ctx)->message);
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  uop_ctx_free(ctx);
  return 0;
}

#define X  "%0 = param : slot=0 dtype=i32\n"
#define XY X "%1 = param : slot=1 dtype=i32\n"
#define F  "%0 = param : slot=0 dtype=f32\n"
#define FG F "%1 = param : slot=1 dtype=f32\n"
#define P  "%0 = param : slot=0 dtype=bool\n"
#define PQ P "%1 = param : slot=1 dtype=bool\n"
#define V  "%0 = param : slot=0 dtype=f32 shape=(3,)\n"
#define H  "%0 = param : slot=0 dtype=f16\n"

static void is_at(const uop *u, const char *text, int line) {
  if (!u) fail_msg("line %d: %s", line, uop_error(ctx)->message);
  char *got = uop_print(u, NULL);
  if (strcmp(got, text)) fail_msg("line %d: got\n%snot\n%s", line, got, text);
  if (uop_parse(ctx, got, strlen(got)) != u) fail_msg("line %d: reads back as another", line);
  uop_free(ctx, got);
}
#define IS(u, text) is_at((u), (text), __LINE__)

static void refused_at(const uop *u, uop_code code, const char *message, int line) {
  const uop_diag *e = uop_error(ctx);
  if (u) fail_msg("line %d: not refused", line);
  if (e->code != code || strcmp(e->message, message))
    fail_msg("line %d: got %d '%s', not %d '%s'", line, (int)e->code, e->message, (int)code,
             message);
  uop_error_clear(ctx);
}
#define REFUSED(u, code, message) refused_at((u), (code), (message), __LINE__)

/* ---- encodings ---- */

static void test_leaves(void **state) {
  (void)state;
  IS(uop_const_of_i32(ctx, -7), "%0 = const -7\n");
  IS(uop_const_of_f32(ctx, 2), "%0 = const 2.0\n");
  IS(uop_const_of_bool(ctx, true), "%0 = const true\n");
  IS(x, X);
  IS(v, V);
  IS(uop_param(ctx, 3, UOP_F16, UOP_DIMS(2, 0)), "%0 = param : slot=3 dtype=f16 shape=(2, 0)\n");
  IS(m, "%0 = param : slot=0 dtype=f32 space=global\n");
  IS(uop_param_in(ctx, 1, UOP_I32, UOP_DIMS(4), UOP_SPACE_SHARED),
     "%0 = param : slot=1 dtype=i32 shape=(4,) space=shared\n");
  assert_ptr_equal(uop_param_in(ctx, 0, UOP_I32, NULL, 0, UOP_SPACE_ALU), x);
  IS(uop_buffer(ctx, 2, UOP_F32, 4), "%0 = buffer 4 : dtype=f32 slot=2\n");
  IS(uop_alloc(ctx, 0, UOP_I32, 4, UOP_SPACE_LOCAL), "%0 = alloc 4 : dtype=i32 slot=0\n");
  IS(uop_alloc(ctx, 0, UOP_I32, 4, UOP_SPACE_SHARED),
     "%0 = alloc 4 : dtype=i32 slot=0 space=shared\n");
}

static void test_binary(void **state) {
  (void)state;
  IS(uop_add(x, y), XY "%2 = add %0, %1\n");
  IS(uop_mul(x, y), XY "%2 = mul %0, %1\n");
  IS(uop_max(x, y), XY "%2 = max %0, %1\n");
  IS(uop_floordiv(x, y), XY "%2 = floordiv %0, %1\n");
  IS(uop_floormod(x, y), XY "%2 = floormod %0, %1\n");
  IS(uop_lt(x, y), XY "%2 = cmplt %0, %1\n");
  IS(uop_ne(x, y), XY "%2 = cmpne %0, %1\n");
  IS(uop_assert(x, y), XY "%2 = assert %0, %1\n");
  IS(uop_sub(x, y), XY "%2 = mul %1, -1\n%3 = add %0, %2\n");
  IS(uop_sub(f, g), FG "%2 = mul %1, -1.0\n%3 = add %0, %2\n");
  IS(uop_gt(x, 3), X "%1 = cmplt 3, %0\n");
  IS(uop_gt(x, y), "%0 = param : slot=1 dtype=i32\n%1 = param : slot=0 dtype=i32\n"
                   "%2 = cmplt %0, %1\n");
  IS(uop_eq(x, y), XY "%2 = cmpne %0, %1\n%3 = cmpne %2, true\n");
  IS(uop_ge(x, y), XY "%2 = cmplt %0, %1\n%3 = cmpne %2, true\n");
  IS(uop_le(x, 5), X "%1 = cmplt 5, %0\n%2 = cmpne %1, true\n");
  IS(uop_ge(p, q), PQ "%2 = cmplt %0, %1\n%3 = cmpne %2, true\n");
  IS(uop_ge(f, 5), F "%1 = cmplt 5.0, %0\n%2 = cmpne %0, 5.0\n%3 = cmpne %2, true\n"
                     "%4 = max %1, %3\n");
  IS(uop_le(f, 5), F "%1 = cmplt %0, 5.0\n%2 = cmpne 5.0, %0\n%3 = cmpne %2, true\n"
                     "%4 = max %1, %3\n");
  IS(uop_min(x, y), XY "%2 = cmplt %0, %1\n%3 = where %2, %0, %1\n");
  IS(uop_min(p, q), PQ "%2 = mul %0, %1\n");
  IS(uop_min(f, g), F "%1 = mul %0, -1.0\n%2 = param : slot=1 dtype=f32\n%3 = mul %2, -1.0\n"
                      "%4 = max %1, %3\n%5 = mul %4, -1.0\n");
  IS(uop_and(p, q), PQ "%2 = mul %0, %1\n");
  IS(uop_or(p, 0), P "%1 = max %0, false\n");
}

static void test_unary(void **state) {
  (void)state;
  IS(uop_neg(x), X "%1 = mul %0, -1\n");
  IS(uop_neg(f), F "%1 = mul %0, -1.0\n");
  IS(uop_neg(v), V "%1 = reshape -1.0, (1,)\n%2 = expand %1, (3,)\n%3 = mul %0, %2\n");
  IS(uop_neg(h), H "%1 = cast -1.0 : dtype=f16\n%2 = mul %0, %1\n");
  IS(uop_not(p), P "%1 = cmpne %0, true\n");
  IS(uop_relu(f), F "%1 = max %0, 0.0\n");
  IS(uop_relu(x), X "%1 = max %0, 0\n");
  IS(uop_recip(f), F "%1 = recip %0\n");
  IS(uop_exp2(f), F "%1 = exp2 %0\n");
  IS(uop_log2(f), F "%1 = log2 %0\n");
  IS(uop_sqrt(h), H "%1 = sqrt %0\n");
  IS(uop_sin(f), F "%1 = sin %0\n");
  IS(uop_cast(x, UOP_F32), X "%1 = cast %0 : dtype=f32\n");
  assert_ptr_equal(uop_cast(x, UOP_I32), x);
}

static void test_where(void **state) {
  (void)state;
  IS(uop_where(p, x, 0), "%0 = param : slot=0 dtype=bool\n%1 = param : slot=0 dtype=i32\n"
                         "%2 = where %0, %1, 0\n");
  IS(uop_where(p, 1, 0), P "%1 = where %0, 1, 0\n");
  IS(uop_where(p, 1.0, 0.5f), P "%1 = where %0, 1.0, 0.5\n");
  IS(uop_where(p, true, q), PQ "%2 = where %0, true, %1\n");
  IS(uop_where(p, 2, f), P "%1 = param : slot=0 dtype=f32\n%2 = where %0, 2.0, %1\n");
  IS(uop_where(p, v, 0), P "%1 = reshape %0, (1,)\n%2 = expand %1, (3,)\n"
                           "%3 = param : slot=0 dtype=f32 shape=(3,)\n"
                           "%4 = reshape 0.0, (1,)\n%5 = expand %4, (3,)\n"
                           "%6 = where %2, %3, %5\n");
}

static void test_arrays(void **state) {
  (void)state;
  IS(uop_stack(ctx, 1, 2, 3), "%0 = stack 1, 2, 3\n");
  IS(uop_stack(ctx, 1, f, 2.5), F "%1 = stack 1.0, %0, 2.5\n");
  IS(uop_stack(ctx, v), V "%1 = stack %0\n");
  IS(uop_stack_n(ctx, UOP_VALS(x, y)), XY "%2 = stack %0, %1\n");
  const uop *mat = uop_stack(ctx, uop_stack(ctx, 1, 2, 3), uop_stack(ctx, 4, 5, 6));
  assert_int_equal(mat->shape->len, 2);
  assert_true(mat->shape->at[0] == 2 && mat->shape->at[1] == 3 && uop_numel(mat) == 6);
  IS(uop_index(mat, x, 2), "%0 = stack 1, 2, 3\n%1 = stack 4, 5, 6\n%2 = stack %0, %1\n"
                           "%3 = param : slot=0 dtype=i32\n%4 = index %2, %3, 2\n");
  IS(uop_index(v, 1), V "%1 = index %0, 1\n");
  IS(uop_stack(ctx, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
     "%0 = stack 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16\n");
}

static void test_movement(void **state) {
  (void)state;
  const uop *a = uop_param(ctx, 0, UOP_F32, UOP_DIMS(2, 3));
#define A "%0 = param : slot=0 dtype=f32 shape=(2, 3)\n"
  IS(uop_reshape(a, UOP_DIMS(3, 2)), A "%1 = reshape %0, (3, 2)\n");
  IS(uop_reshape(a, UOP_DIMS(6)), A "%1 = reshape %0, (6,)\n");
  IS(uop_expand(uop_reshape(a, UOP_DIMS(1, 6)), UOP_DIMS(4, 6)),
     A "%1 = reshape %0, (1, 6)\n%2 = expand %1, (4, 6)\n");
  IS(uop_permute(a, UOP_DIMS(1, 0)), A "%1 = permute %0, (1, 0)\n");
  IS(uop_shrink(a, (const int64_t[]){0, 2, 1, 3}, 2), A "%1 = shrink %0, ((0, 2), (1, 3))\n");
  IS(uop_shrink(v, (const int64_t[]){1, 1}, 1), V "%1 = shrink %0, ((1, 1),)\n");
  IS(uop_reduce(a, UOP_ADD, 1), A "%1 = reduce %0 : op=add pop=1\n");
  IS(uop_reduce(a, UOP_MAX, 2), A "%1 = reduce %0 : op=max pop=2\n");
  IS(uop_reshape(f, NULL, 0), F "%1 = reshape %0, ()\n");
  const uop *pm = uop_permute(uop_param(ctx, 0, UOP_F32, UOP_DIMS(2, 3, 4)), UOP_DIMS(2, 0, 1));
  assert_true(pm->shape->at[0] == 4 && pm->shape->at[1] == 2 && pm->shape->at[2] == 3);
  const uop *empty = uop_param(ctx, 0, UOP_F32, UOP_DIMS(2, 0)); /* CASES 33 */
  assert_non_null(uop_reshape(empty, UOP_DIMS(1, 2, 0)));
  assert_non_null(uop_reshape(uop_param(ctx, 0, UOP_F32, UOP_DIMS(0)), UOP_DIMS(5, 0)));
  assert_non_null(uop_expand(uop_param(ctx, 0, UOP_F32, UOP_DIMS(1)), UOP_DIMS(0)));
}

static void test_broadcasting(void **state) {
  (void)state;
  const uop *row = uop_param(ctx, 1, UOP_F32, UOP_DIMS(1, 3)),
            *col = uop_param(ctx, 2, UOP_F32, UOP_DIMS(2, 1));
  IS(uop_mul(v, 2.0), V "%1 = reshape 2.0, (1,)\n%2 = expand %1, (3,)\n%3 = mul %0, %2\n");
  IS(uop_add(row, col), "%0 = param : slot=1 dtype=f32 shape=(1, 3)\n%1 = expand %0, (2, 3)\n"
                        "%2 = param : slot=2 dtype=f32 shape=(2, 1)\n%3 = expand %2, (2, 3)\n"
                        "%4 = add %1, %3\n");
  IS(uop_add(col, v), "%0 = param : slot=2 dtype=f32 shape=(2, 1)\n%1 = expand %0, (2, 3)\n"
                      "%2 = param : slot=0 dtype=f32 shape=(3,)\n%3 = reshape %2, (1, 3)\n"
                      "%4 = expand %3, (2, 3)\n%5 = add %1, %4\n");
  IS(uop_add(row, v), "%0 = param : slot=1 dtype=f32 shape=(1, 3)\n"
                      "%1 = param : slot=0 dtype=f32 shape=(3,)\n%2 = reshape %1, (1, 3)\n"
                      "%3 = add %0, %2\n"); /* no EXPAND where it changes nothing */
  const uop *none = uop_param(ctx, 0, UOP_F32, UOP_DIMS(0)); /* CASES 31 */
  const uop *one = uop_param(ctx, 1, UOP_F32, UOP_DIMS(1));
  const uop *sum = uop_add(none, one);
  assert_true(sum->shape->len == 1 && sum->shape->at[0] == 0);
  sum = uop_add(none, 1);
  assert_true(sum->shape->len == 1 && sum->shape->at[0] == 0);
  assert_ptr_equal(sum->src[0], none);
  IS(uop_const_like(v, 1), "%0 = reshape 1.0, (1,)\n%1 = expand %0, (3,)\n");
  IS(uop_const_like(x, 1), "%0 = const 1\n");
  IS(uop_const_like(row, 2), "%0 = reshape 2.0, (1, 1)\n%1 = expand %0, (1, 3)\n");
  IS(uop_eq(v, 1), V "%1 = reshape 1.0, (1,)\n%2 = expand %1, (3,)\n%3 = cmpne %0, %2\n"
                     "%4 = reshape true, (1,)\n%5 = expand %4, (3,)\n%6 = cmpne %3, %5\n");
}

static void test_calls_and_effects(void **state) {
  (void)state;
  IS(uop_call(uop_mul(x, x), "sq", 7), X "%1 = mul %0, %0\n%2 = call %1, 7 : name=sq\n");
  IS(uop_call(uop_mul(f, f), "sq", 7), F "%1 = mul %0, %0\n%2 = call %1, 7.0 : name=sq\n");
  IS(uop_call_n(uop_const_of_i32(ctx, 1), "one", NULL, 0), "%0 = call 1 : name=one\n");
  IS(uop_call(uop_add(h, h), "twice", 0.5),
     H "%1 = add %0, %0\n%2 = cast 0.5 : dtype=f16\n%3 = call %1, %2 : name=twice\n");
  IS(uop_call(uop_add(x, uop_cast(uop_param(ctx, 1, UOP_BOOL, NULL, 0), UOP_I32)), "f", 2, 1),
     X "%1 = param : slot=1 dtype=bool\n%2 = cast %1 : dtype=i32\n%3 = add %0, %2\n"
       "%4 = call %3, 2, true : name=f\n");
#define M "%0 = param : slot=0 dtype=f32 space=global\n"
  IS(uop_load(m), M "%1 = load %0\n");
  IS(uop_store(m, f), M "%1 = param : slot=0 dtype=f32\n%2 = store %0, %1\n");
  IS(uop_store(m, 3), M "%1 = store %0, 3.0\n");
  const uop *st = uop_store(m, 3), *r = uop_range(ctx, 10, 2, UOP_AXIS_REDUCE);
  IS(uop_after(m, &st, 1), M "%1 = store %0, 3.0\n%2 = after %0, %1\n");
  IS(uop_sink(ctx, &st, 1), M "%1 = store %0, 3.0\n%2 = sink %1\n");
  IS(uop_barrier(ctx, &st, 1), M "%1 = store %0, 3.0\n%2 = barrier %1\n");
  IS(r, "%0 = range 10 : idx=2 kind=reduce\n");
  IS(uop_range(ctx, x, 0, UOP_AXIS_GLOBAL), X "%1 = range %0 : idx=0 kind=global\n");
  IS(uop_end(st, &r, 1), M "%1 = store %0, 3.0\n%2 = range 10 : idx=2 kind=reduce\n"
                           "%3 = end %1, %2\n");
  assert_ptr_equal(uop_after(m, NULL, 0), m);
  assert_ptr_equal(uop_end(st, NULL, 0), st);
  IS(uop_stage(f), F "%1 = stage %0\n");
  IS(uop_wmma(f, g, f), FG "%2 = wmma %0, %1, %0\n");
}

/* What dtype, shape and space come out. */
static void test_types(void **state) {
  (void)state;
  const uop *b = uop_buffer(ctx, 0, UOP_F32, 6);
  const uop *w = uop_reshape(b, UOP_DIMS(2, 3));
  assert_int_equal(w->space, UOP_SPACE_GLOBAL); /* movement and INDEX keep the memory */
  assert_int_equal(uop_permute(w, UOP_DIMS(1, 0))->space, UOP_SPACE_GLOBAL);
  assert_int_equal(uop_index(w, 1)->space, UOP_SPACE_GLOBAL);
  assert_int_equal(uop_index(w, 1)->shape->len, 1);
  assert_int_equal(uop_load(w)->space, UOP_SPACE_ALU);
  assert_int_equal(uop_add(w, w)->space, UOP_SPACE_ALU);
  assert_int_equal(uop_reduce(w, UOP_ADD, 1)->space, UOP_SPACE_ALU);
  assert_int_equal(uop_cast(w, UOP_F16)->space, UOP_SPACE_ALU);
  const uop *st = uop_store(w, w);
  assert_true(st->dtype == UOP_VOID && st->shape->len == 0 && st->space == UOP_SPACE_ALU);
  assert_int_equal(uop_after(w, &st, 1)->space, UOP_SPACE_GLOBAL);
  assert_ptr_equal(uop_after(w, &st, 1)->shape, w->shape);
  assert_int_equal(uop_lt(v, v)->dtype, UOP_BOOL);
  assert_ptr_equal(uop_lt(v, v)->shape, v->shape);
  assert_int_equal(uop_assert(v, v)->dtype, UOP_VOID);
  assert_int_equal(uop_wmma(v, v, x)->dtype, UOP_I32);
  const uop *eff =
      uop_make(ctx, UOP_CALL, (const uop *[]){uop_store(m, 1), m}, 2, &(uop_arg){.name = "k"});
  assert_int_equal(eff->dtype, UOP_VOID); /* a CALL of an effect is one */
}

/* ---- numbers ---- */

static void test_every_type_of_c_number(void **state) {
  (void)state;
  const uop *one = uop_add(x, uop_const_of_i32(ctx, 1));
  signed char sc = 1;
  unsigned char uc = 1;
  short s = 1;
  unsigned short us = 1;
  unsigned u = 1;
  long l = 1;
  unsigned long ul = 1;
  long long ll = 1;
  unsigned long long ull = 1;
  char c = 1;
  assert_ptr_equal(uop_add(x, c), one);
  assert_ptr_equal(uop_add(x, sc), one);
  assert_ptr_equal(uop_add(x, uc), one);
  assert_ptr_equal(uop_add(x, s), one);
  assert_ptr_equal(uop_add(x, us), one);
  assert_ptr_equal(uop_add(x, 1), one);
  assert_ptr_equal(uop_add(x, u), one);
  assert_ptr_equal(uop_add(x, l), one);
  assert_ptr_equal(uop_add(x, ul), one);
  assert_ptr_equal(uop_add(x, ll), one);
  assert_ptr_equal(uop_add(x, ull), one);
  assert_ptr_equal(uop_add(x, uop_val_int(1)), one);
  const uop *half = uop_add(f, uop_const_of_f32(ctx, 0.5f));
  assert_ptr_equal(uop_add(f, 0.5), half);
  assert_ptr_equal(uop_add(f, 0.5f), half);
  bool yes = true;
  assert_ptr_equal(uop_and(p, yes), uop_and(p, uop_const_of_bool(ctx, true)));
  uop *mine = (uop *)x;
  const void *nothing = NULL;
  assert_ptr_equal(uop_add(mine, 1), one);
  assert_null(uop_add(x, nothing));
  assert_null(uop_add(NULL, x));
  assert_int_equal(uop_error(ctx)->code, UOP_OK);
}

static void test_numbers_at_the_limits(void **state) {
  (void)state;
  IS(uop_add(x, INT_MIN), X "%1 = add %0, -2147483648\n");
  IS(uop_add(x, INT_MAX), X "%1 = add %0, 2147483647\n");
  IS(uop_add(x, 2147483647u), X "%1 = add %0, 2147483647\n");
  REFUSED(uop_add(x, 2147483648u), UOP_E_LITERAL, "ADD: 2147483648 is beyond the range of i32");
  REFUSED(uop_add(x, -2147483649ll), UOP_E_LITERAL, "ADD: -2147483649 is beyond the range of i32");
  REFUSED(uop_add(x, UINT64_MAX), UOP_E_LITERAL,
          "ADD: 18446744073709551615 is beyond the range of i32");
  /* beside f32 an int of any size is the nearest f32, rounded once */
  IS(uop_add(f, 16777217), F "%1 = add %0, 16777216.0\n");
  IS(uop_add(f, UINT64_MAX), F "%1 = add %0, 1.8446744e+19\n");
  IS(uop_add(f, INT64_MIN), F "%1 = add %0, -9.223372e+18\n");
  /* 2^53 + 2^29 + 1: by way of a double, then to f32, it would be 2^53 */
  assert_ptr_equal(uop_add(f, INT64_C(9007199791611905)),
                   uop_add(f, uop_const_of_f32(ctx, 0x1.000002p53f)));
  IS(uop_add(f, 0.1), F "%1 = add %0, 0.1\n");
  IS(uop_add(f, FLT_MAX), F "%1 = add %0, 3.4028235e+38\n");
  IS(uop_add(f, 1e-46), F "%1 = add %0, 0.0\n");
  IS(uop_add(f, -1e-46), F "%1 = add %0, -0.0\n");
  IS(uop_add(f, INFINITY), F "%1 = add %0, inf\n");
  IS(uop_add(f, -NAN), F "%1 = add %0, nan\n");
  REFUSED(uop_add(f, 1e39), UOP_E_LITERAL, "ADD: the number is beyond the range of f32");
  REFUSED(uop_add(f, -1e39), UOP_E_LITERAL, "ADD: the number is beyond the range of f32");
  assert_ptr_equal(uop_add(f, 0.1), uop_add(f, 0.1f));
}

static void test_literal_rules(void **state) {
  (void)state;
  bool yes = true; /* C11's `true` itself is an int */
  REFUSED(uop_add(x, 2.5), UOP_E_LITERAL, "ADD: 2.5 beside i32 (write an int or use CAST)");
  REFUSED(uop_add(x, 2.0), UOP_E_LITERAL, "ADD: 2.0 beside i32 (write an int or use CAST)");
  REFUSED(uop_max(p, 2), UOP_E_LITERAL, "MAX: 2 beside bool (only 0, 1, true and false)");
  REFUSED(uop_max(p, 1.0), UOP_E_LITERAL, "MAX: 1.0 beside bool (only 0, 1, true and false)");
  IS(uop_max(p, 1), P "%1 = max %0, true\n");
  REFUSED(uop_add(x, yes), UOP_E_DTYPE, "ADD: dtype mismatch i32 vs bool (use CAST)");
  IS(uop_stack(ctx, yes, yes), "%0 = stack true, true\n");
  REFUSED(uop_stack(ctx, 1, 2.0), UOP_E_DTYPE, "STACK srcs must agree in shape and dtype");
  REFUSED(uop_where(p, 1, 2.0), UOP_E_DTYPE, "WHERE branches disagree: i32 vs f32");
  REFUSED(uop_index(v, 1.0), UOP_E_DTYPE, "INDEX indices are i32 scalars");
  REFUSED(uop_range(ctx, 2.0, 0, UOP_AXIS_LOOP), UOP_E_DTYPE, "RANGE end is i32");
  REFUSED(uop_call(uop_mul(x, x), "sq", 7.5), UOP_E_LITERAL,
          "CALL: 7.5 beside i32 (write an int or use CAST)");
  IS(uop_const(ctx, UOP_F32, 3), "%0 = const 3.0\n");
  IS(uop_const(ctx, UOP_I32, 3), "%0 = const 3\n");
  IS(uop_const(ctx, UOP_BOOL, 1), "%0 = const true\n");
  IS(uop_const(ctx, UOP_BOOL, yes), "%0 = const true\n");
  IS(uop_const(ctx, UOP_F16, 1.5), "%0 = cast 1.5 : dtype=f16\n");
  REFUSED(uop_const(ctx, UOP_I32, 2.5), UOP_E_LITERAL,
          "CONST: 2.5 beside i32 (write an int or use CAST)");
  REFUSED(uop_const(ctx, UOP_I32, yes), UOP_E_LITERAL, "CONST: a bool is no i32 (use CAST)");
  REFUSED(uop_const(ctx, UOP_F32, yes), UOP_E_LITERAL, "CONST: a bool is no f32 (use CAST)");
  REFUSED(uop_const(ctx, UOP_VOID, 1), UOP_E_DTYPE, "CONST of void");
  REFUSED(uop_const(ctx, UOP_I32, x), UOP_E_ARG, "CONST: a node is no number");
  REFUSED(uop_const_like(x, 2.5), UOP_E_LITERAL,
          "CONST: 2.5 beside i32 (write an int or use CAST)");
  assert_null(uop_add(1, 2)); /* no node, so no context to build in, and none for an error */
}

/* The f16 value that a number beside an f16 comes to, when the graph is run. */
static uint16_t f16_of(const uop *u) {
  uop_value out;
  uop_run *r = uop_run_new(ctx, NULL);
  if (!uop_run_eval(r, u->src[1], &out)) fail_msg("%s", uop_error(ctx)->message);
  assert_int_equal(out.dtype, UOP_F16);
  uint16_t bits;
  memcpy(&bits, out.data, sizeof bits);
  uop_run_free(r);
  return bits;
}

static void test_double_beside_f16_is_rounded_once(void **state) {
  (void)state;
  assert_int_equal(f16_of(uop_add(h, 1.0)), 0x3c00);
  assert_int_equal(f16_of(uop_add(h, 65504)), 0x7bff);
  /* 1 + 2^-11 is half way between two f16; what lies beyond it f32 cannot see */
  assert_int_equal(f16_of(uop_add(h, 1 + 0x1p-11)), 0x3c00);
  assert_int_equal(f16_of(uop_add(h, 1 + 0x1p-11 + 0x1p-40)), 0x3c01);
  assert_int_equal(f16_of(uop_add(h, 1 + 0x1p-11 - 0x1p-40)), 0x3c00);
  assert_int_equal(f16_of(uop_add(h, 1 + 0x3p-11)), 0x3c02);
  assert_int_equal(f16_of(uop_add(h, 1 + 0x3p-11 + 0x1p-40)), 0x3c02);
  assert_int_equal(f16_of(uop_add(h, 1 + 0x3p-11 - 0x1p-40)), 0x3c01);
  assert_int_equal(f16_of(uop_add(h, -(1 + 0x1p-11 + 0x1p-40))), 0xbc01);
  assert_int_equal(f16_of(uop_add(h, -(1 + 0x3p-11 - 0x1p-40))), 0xbc01);
  assert_int_equal(f16_of(uop_add(h, 0x1p-25)), 0);           /* half the least subnormal */
  assert_int_equal(f16_of(uop_add(h, 0x1p-25 + 0x1p-60)), 1); /* and a little more */
  assert_int_equal(f16_of(uop_add(h, 65520 - 0x1p-30)), 0x7bff);
  assert_int_equal(f16_of(uop_add(h, 65520)), 0x7c00);
}

/* ---- refusals ---- */

static const uop *make(uop_op op, const uop *const *src, size_t n) {
  return uop_make(ctx, op, src, n, NULL);
}

static void test_refusals_of_leaves(void **state) {
  (void)state;
  REFUSED(uop_param(ctx, -1, UOP_I32, NULL, 0), UOP_E_ARG, "PARAM: slot -1 is negative");
  REFUSED(uop_param(ctx, UOP_MAX_SLOT + 1, UOP_I32, NULL, 0), UOP_E_LIMIT,
          "PARAM: slot 2147483648 is above 2147483647 (UOP_MAX_SLOT)");
  REFUSED(uop_param(ctx, 0, UOP_VOID, NULL, 0), UOP_E_DTYPE, "PARAM of void");
  REFUSED(uop_param(ctx, 0, (uop_dtype)99, NULL, 0), UOP_E_ARG, "PARAM: no dtype has number 99");
  REFUSED(uop_param(ctx, 0, UOP_I32, UOP_DIMS(2, -1)), UOP_E_SHAPE,
          "PARAM: dimension -1 is negative");
  REFUSED(uop_param_in(ctx, 0, UOP_I32, NULL, 0, (uop_space)9), UOP_E_ARG,
          "PARAM: no space has number 9");
  /* CASES 34 */
  REFUSED(uop_param(ctx, 0, UOP_I32, UOP_DIMS(65536, 65536)), UOP_E_LIMIT,
          "PARAM: shape (65536, 65536) has more than 2147483647 elements (UOP_MAX_NUMEL)");
  REFUSED(uop_param(ctx, 0, UOP_I32, UOP_DIMS(2147483647, 2147483647, 2)), UOP_E_LIMIT,
          "PARAM: shape (2147483647, 2147483647, 2) has more than 2147483647 elements "
          "(UOP_MAX_NUMEL)");
  REFUSED(uop_param(ctx, 0, UOP_I32, UOP_DIMS(4294967296, 0)), UOP_E_LIMIT,
          "PARAM: dimension 4294967296 is above 2147483647 (UOP_MAX_DIM)");
  assert_non_null(uop_param(ctx, 0, UOP_I32, UOP_DIMS(2147483647)));
  assert_non_null(uop_param(ctx, 0, UOP_I32, UOP_DIMS(2147483647, 2147483647, 0)));
  int64_t ones[UOP_MAX_RANK + 1];
  for (int i = 0; i <= UOP_MAX_RANK; i++) ones[i] = 1;
  assert_non_null(uop_param(ctx, 0, UOP_I32, ones, UOP_MAX_RANK));
  REFUSED(uop_param(ctx, 0, UOP_I32, ones, UOP_MAX_RANK + 1), UOP_E_LIMIT,
          "PARAM: rank 33 is above 32 (UOP_MAX_RANK)");
  REFUSED(uop_stack(ctx, uop_param(ctx, 0, UOP_I32, ones, UOP_MAX_RANK)), UOP_E_LIMIT,
          "STACK: rank 33 is above 32 (UOP_MAX_RANK)");
  REFUSED(uop_buffer(ctx, -1, UOP_F32, 1), UOP_E_ARG, "BUFFER: slot -1 is negative");
  REFUSED(uop_buffer(ctx, 0, UOP_F32, 0), UOP_E_SHAPE, "BUFFER: size 0 is less than 1");
  REFUSED(uop_buffer(ctx, 0, UOP_VOID, 1), UOP_E_DTYPE, "BUFFER of void");
  REFUSED(uop_make(ctx, UOP_BUFFER, NULL, 0, &(uop_arg){.dtype = UOP_F32, .ints = ones, .len = 2}),
          UOP_E_SHAPE, "BUFFER is flat");
  REFUSED(uop_make(ctx, UOP_ALLOC, NULL, 0,
                   &(uop_arg){.dtype = UOP_F32, .ints = ones, .len = 2, .space = UOP_SPACE_LOCAL}),
          UOP_E_SHAPE, "ALLOC is flat");
  REFUSED(uop_alloc(ctx, 0, UOP_F32, 4, UOP_SPACE_GLOBAL), UOP_E_SPACE,
          "ALLOC: space global is neither local nor shared");
  REFUSED(uop_alloc(ctx, 0, UOP_F32, 4, UOP_SPACE_ALU), UOP_E_SPACE,
          "ALLOC: space alu is neither local nor shared");
  REFUSED(uop_make(ctx, UOP_CONST, NULL, 0, &(uop_arg){.dtype = UOP_F16}), UOP_E_DTYPE,
          "CONST of f16 (CAST one of f32)");
  REFUSED(uop_make(ctx, UOP_CONST, NULL, 0, NULL), UOP_E_DTYPE, "CONST of void");
  REFUSED(uop_make(ctx, (uop_op)77, NULL, 0, NULL), UOP_E_ARG, "no op has number 77");
}

static void test_refusals_of_calls(void **state) {
  (void)state;
  const uop *two = uop_add(x, y);
  REFUSED(uop_call_n(two, "f", NULL, 0), UOP_E_ARG, "CALL needs no params, body has [0, 1]");
  REFUSED(uop_call(two, "f", 1), UOP_E_ARG, "CALL needs params 0..0, body has [0, 1]");
  REFUSED(uop_call(two, "f", 1, 2, 3), UOP_E_ARG, "CALL needs params 0..2, body has [0, 1]");
  REFUSED(uop_call(y, "f", 1), UOP_E_ARG, "CALL needs params 0..0, body has [1]");
  REFUSED(uop_call(x, "f", f), UOP_E_DTYPE, "CALL arg 0: f32() != param i32()");
  REFUSED(uop_call(x, "f", uop_param(ctx, 0, UOP_I32, UOP_DIMS(2))), UOP_E_DTYPE,
          "CALL arg 0: i32(2,) != param i32()");
  REFUSED(uop_call(f, "f", m), UOP_E_DTYPE, "CALL arg 0: f32() global != param f32()");
  REFUSED(uop_call(uop_load(m), "f", f), UOP_E_DTYPE, "CALL arg 0: f32() != param f32() global");
  REFUSED(uop_call(uop_add(uop_cast(f, UOP_I32), x), "f", 1), UOP_E_ARG,
          "CALL: param 0 is both f32() and i32()");
  REFUSED(uop_call_n(uop_load(uop_buffer(ctx, 0, UOP_F32, 1)), "f", NULL, 0), UOP_E_ARG,
          "CALL: a BUFFER in the body");
  REFUSED(uop_call(x, "", 1), UOP_E_ARG, "CALL: name '' is no identifier");
  REFUSED(uop_call(x, "a b", 1), UOP_E_ARG, "CALL: name 'a b' is no identifier");
  REFUSED(uop_call(x, "a:b", 1), UOP_E_ARG, "CALL: name 'a:b' is no identifier");
  REFUSED(uop_call(x, "#", 1), UOP_E_ARG, "CALL: name '#' is no identifier");
  REFUSED(uop_call(x, "9a", 1), UOP_E_ARG, "CALL: name '9a' is no identifier");
  REFUSED(uop_call(x, "a\n", 1), UOP_E_ARG, "CALL: name 'a\\x0a' is no identifier");
  char name[UOP_MAX_NAME + 2];
  memset(name, 'n', sizeof name);
  name[UOP_MAX_NAME + 1] = 0;
  REFUSED(uop_call(x, name, 1), UOP_E_LIMIT,
          "CALL: a name of 256 bytes is above 255 (UOP_MAX_NAME)");
  name[UOP_MAX_NAME] = 0;
  assert_non_null(uop_call(x, name, 1));
  REFUSED(uop_inline_call(x), UOP_E_ARG, "PARAM is no CALL to inline");
}

static void test_refusals_of_arrays(void **state) {
  (void)state;
  REFUSED(uop_stack_n(ctx, NULL, 0), UOP_E_ARITY, "STACK of nothing");
  REFUSED(uop_stack(ctx, x, f), UOP_E_DTYPE, "STACK srcs must agree in shape and dtype");
  REFUSED(uop_stack(ctx, f, v), UOP_E_SHAPE, "STACK srcs must agree in shape and dtype");
  REFUSED(uop_index(v, 1, 2), UOP_E_SHAPE, "INDEX: 2 indices into shape (3,)");
  REFUSED(uop_index(x, 0), UOP_E_SHAPE, "INDEX: 1 indices into shape ()");
  REFUSED(uop_index(v, uop_stack(ctx, 1, 2)), UOP_E_DTYPE, "INDEX indices are i32 scalars");
  REFUSED(uop_index_n(v, NULL, 0), UOP_E_ARITY, "INDEX takes 2 or more sources, got 1");
  const uop *a = uop_param(ctx, 0, UOP_F32, UOP_DIMS(2, 3));
  REFUSED(uop_reshape(a, UOP_DIMS(4)), UOP_E_SHAPE, "RESHAPE (2, 3) -> (4,)");
  REFUSED(uop_reshape(a, UOP_DIMS(-2, -3)), UOP_E_SHAPE, "RESHAPE: dimension -2 is negative");
  REFUSED(uop_expand(a, UOP_DIMS(2, 4)), UOP_E_SHAPE, "EXPAND (2, 3) -> (2, 4)");
  REFUSED(uop_expand(a, UOP_DIMS(2, 3, 1)), UOP_E_SHAPE, "EXPAND (2, 3) -> (2, 3, 1)");
  REFUSED(uop_expand(a, UOP_DIMS(2, 1)), UOP_E_SHAPE, "EXPAND (2, 3) -> (2, 1)");
  REFUSED(uop_permute(a, UOP_DIMS(0, 0)), UOP_E_ARG, "PERMUTE (0, 0) of (2, 3)");
  REFUSED(uop_permute(a, UOP_DIMS(0, 2)), UOP_E_ARG, "PERMUTE (0, 2) of (2, 3)");
  REFUSED(uop_permute(a, UOP_DIMS(0, -1)), UOP_E_ARG, "PERMUTE (0, -1) of (2, 3)");
  REFUSED(uop_permute(a, UOP_DIMS(0)), UOP_E_ARG, "PERMUTE (0,) of (2, 3)");
  REFUSED(uop_shrink(v, (const int64_t[]){0, 4}, 1), UOP_E_ARG, "SHRINK ((0, 4),) of (3,)");
  REFUSED(uop_shrink(v, (const int64_t[]){2, 1}, 1), UOP_E_ARG, "SHRINK ((2, 1),) of (3,)");
  REFUSED(uop_shrink(v, (const int64_t[]){-1, 1}, 1), UOP_E_ARG, "SHRINK ((-1, 1),) of (3,)");
  REFUSED(uop_shrink(a, (const int64_t[]){0, 1}, 1), UOP_E_ARG, "SHRINK ((0, 1),) of (2, 3)");
  REFUSED(uop_reduce(v, UOP_MUL, 1), UOP_E_ARG, "REDUCE (MUL, 1) of (3,)");
  REFUSED(uop_reduce(v, UOP_ADD, 2), UOP_E_ARG, "REDUCE (ADD, 2) of (3,)");
  REFUSED(uop_reduce(v, UOP_MAX, -1), UOP_E_ARG, "REDUCE (MAX, -1) of (3,)");
}

static void test_refusals_of_elementwise(void **state) {
  (void)state;
  REFUSED(make(UOP_ADD, (const uop *[]){x, f}, 2), UOP_E_DTYPE,
          "ADD: dtype mismatch i32 vs f32 (use CAST)");
  REFUSED(make(UOP_ADD, (const uop *[]){v, f}, 2), UOP_E_SHAPE,
          "ADD: shape mismatch (3,) vs () (broadcast with EXPAND)");
  const uop *v2 = uop_param(ctx, 0, UOP_I32, UOP_DIMS(2));
  REFUSED(make(UOP_MUL, (const uop *[]){v2, v}, 2), UOP_E_SHAPE, /* the shape is checked first */
          "MUL: shape mismatch (2,) vs (3,) (broadcast with EXPAND)");
  REFUSED(uop_add(v2, v), UOP_E_SHAPE, "can't broadcast (2,) with (3,)");
  REFUSED(uop_lt(x, f), UOP_E_DTYPE, "CMPLT: dtype mismatch i32 vs f32 (use CAST)");
  REFUSED(uop_ne(x, p), UOP_E_DTYPE, "CMPNE: dtype mismatch i32 vs bool (use CAST)");
  REFUSED(uop_floordiv(f, g), UOP_E_DTYPE, "FLOORDIV is integer only");
  REFUSED(uop_floormod(p, q), UOP_E_DTYPE, "FLOORMOD is integer only");
  REFUSED(uop_recip(x), UOP_E_DTYPE, "RECIP needs a float, got i32");
  REFUSED(uop_exp2(p), UOP_E_DTYPE, "EXP2 needs a float, got bool");
  REFUSED(uop_log2(x), UOP_E_DTYPE, "LOG2 needs a float, got i32");
  REFUSED(uop_sqrt(x), UOP_E_DTYPE, "SQRT needs a float, got i32");
  REFUSED(uop_sin(x), UOP_E_DTYPE, "SIN needs a float, got i32");
  REFUSED(uop_cast(x, UOP_VOID), UOP_E_DTYPE, "CAST of void");
  REFUSED(uop_cast(x, (uop_dtype)5), UOP_E_ARG, "CAST: no dtype has number 5");
  REFUSED(uop_where(x, 1, 2), UOP_E_DTYPE, "WHERE condition must be bool");
  REFUSED(uop_where(p, x, f), UOP_E_DTYPE, "WHERE branches disagree: i32 vs f32");
  const uop *c2 = uop_param(ctx, 0, UOP_BOOL, UOP_DIMS(2));
  REFUSED(make(UOP_WHERE, (const uop *[]){c2, v, v}, 3), UOP_E_SHAPE,
          "WHERE shape mismatch (2,) (3,) (3,)");
  REFUSED(uop_where(c2, v, 1), UOP_E_SHAPE, "can't broadcast (2,) with (3,)");
  REFUSED(uop_assert(x, f), UOP_E_DTYPE, "ASSERT: dtype mismatch i32 vs f32 (use CAST)");
  REFUSED(uop_neg(p), UOP_E_DTYPE, "NEG needs a number, got bool (use not)");
  REFUSED(uop_not(x), UOP_E_DTYPE, "NOT needs a bool, got i32");
  REFUSED(uop_and(x, y), UOP_E_DTYPE, "AND needs a bool, got i32");
  REFUSED(uop_or(f, g), UOP_E_DTYPE, "OR needs a bool, got f32");
}

static void test_refusals_of_memory(void **state) {
  (void)state;
  const uop *b = uop_buffer(ctx, 0, UOP_F32, 2);
  REFUSED(uop_load(f), UOP_E_SPACE, "LOAD needs memory");
  REFUSED(uop_store(f, 1), UOP_E_SPACE, "STORE needs memory");
  REFUSED(uop_store(b, uop_param(ctx, 0, UOP_I32, UOP_DIMS(2))), UOP_E_DTYPE,
          "STORE of i32 into f32");
  REFUSED(uop_store(b, v), UOP_E_SHAPE, "STORE of (3,) into (2,)");
  REFUSED(uop_after(f, &b, 1), UOP_E_SPACE, "AFTER needs memory");
  REFUSED(uop_range(ctx, f, 0, UOP_AXIS_LOOP), UOP_E_DTYPE, "RANGE end is i32");
  REFUSED(uop_range(ctx, uop_stack(ctx, 1), 0, UOP_AXIS_LOOP), UOP_E_SHAPE,
          "RANGE end is a scalar, got (1,)");
  REFUSED(uop_range(ctx, 1, -1, UOP_AXIS_LOOP), UOP_E_ARG, "RANGE: idx -1 is negative");
  REFUSED(uop_range(ctx, 1, UOP_MAX_SLOT + 1, UOP_AXIS_LOOP), UOP_E_LIMIT,
          "RANGE: idx 2147483648 is above 2147483647 (UOP_MAX_SLOT)");
  REFUSED(uop_range(ctx, 1, 0, (uop_axis)6), UOP_E_ARG, "RANGE: no kind has number 6");
  REFUSED(uop_end(f, &x, 1), UOP_E_ARG, "END: source 1 is no RANGE");
}

/* Too few and too many sources, for every op that has a bound; void for each source of each op. */
static void test_arity_and_void(void **state) {
  (void)state;
  const uop *none = uop_sink(ctx, NULL, 0), *src[5] = {x, x, x, x, x};
  for (int op = 0; op < UOP_OP_COUNT; op++) {
    const uop_op_info *row = uop_op_find((uop_op)op);
    for (size_t n = 0; n < 5; n++) {
      if (n >= row->min_src && n <= row->max_src) continue;
      char want[80];
      snprintf(want, sizeof want, "%s takes %d%s source%s, got %d", row->name, (int)row->min_src,
               row->max_src > row->min_src ? " or more" : "",
               row->min_src == 1 && row->max_src == 1 ? "" : "s", (int)n);
      if (op == UOP_CALL || op == UOP_AFTER || op == UOP_END) continue; /* "1 or more sources" */
      if (op == UOP_STACK) strcpy(want, "STACK of nothing");
      REFUSED(make((uop_op)op, src, n), UOP_E_ARITY, want);
    }
    bool any =
        op == UOP_SINK || op == UOP_BARRIER || op == UOP_CALL || op == UOP_AFTER || op == UOP_END;
    size_t n = row->max_src > 3 ? (row->min_src > 1 ? row->min_src : 1) : row->max_src;
    for (size_t k = 0; k < n && !any; k++) {
      char want[80];
      snprintf(want, sizeof want, "%s of void", row->name);
      src[k] = none;
      REFUSED(make((uop_op)op, src, n), UOP_E_DTYPE, want);
      assert_int_equal(uop_error(ctx)->code, UOP_OK);
      src[k] = x;
    }
  }
  REFUSED(make(UOP_ADD, src, 1), UOP_E_ARITY, "ADD takes 2 sources, got 1");
  REFUSED(uop_add(none, none), UOP_E_DTYPE, "ADD of void");
  REFUSED(uop_add(x, none), UOP_E_DTYPE, "ADD of void");
  REFUSED(uop_cast(none, UOP_I32), UOP_E_DTYPE, "CAST of void");
  REFUSED(uop_neg(none), UOP_E_DTYPE, "MUL of void");
  REFUSED(uop_after(none, &x, 1), UOP_E_SPACE, "AFTER needs memory");
  REFUSED(uop_index(none, 1), UOP_E_DTYPE, "INDEX of void");
  REFUSED(uop_store(m, none), UOP_E_DTYPE, "STORE of void");
}

static void test_tables(void **state) {
  (void)state;
  assert_string_equal(uop_version(), UOP_VERSION);
  assert_null(uop_op_find(UOP_OP_COUNT));
  assert_null(uop_op_find((uop_op)-1));
  assert_string_equal(uop_op_find(UOP_ADD)->name, "ADD");
  assert_string_equal(uop_op_find(UOP_ADD)->text, "add");
  assert_string_equal(uop_dtype_name(UOP_F16), "f16");
  assert_string_equal(uop_dtype_name(UOP_DTYPE_COUNT), "?");
  assert_string_equal(uop_space_name(UOP_SPACE_SHARED), "shared");
  assert_string_equal(uop_axis_name(UOP_AXIS_THREAD), "thread");
  static const size_t size[UOP_DTYPE_COUNT] = {0, 1, 4, 4, 2};
  for (int d = 0; d < UOP_DTYPE_COUNT; d++) assert_int_equal(uop_dtype_size((uop_dtype)d), size[d]);
  uint32_t unary = 0, binary = 0, alu = 0, commutative = 0, movement = 0, effect = 0;
  for (int op = 0; op < UOP_OP_COUNT; op++) {
    uint32_t s = uop_op_find((uop_op)op)->sets;
    unary += !!(s & UOP_SET_UNARY), binary += !!(s & UOP_SET_BINARY), alu += !!(s & UOP_SET_ALU);
    commutative += !!(s & UOP_SET_COMMUTATIVE), movement += !!(s & UOP_SET_MOVEMENT);
    effect += !!(s & UOP_SET_EFFECT);
  }
  assert_true(unary == 6 && binary == 7 && alu == 14 && commutative == 4 && movement == 4);
  assert_true(effect == 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, begin, end)

/* Reading, printing, running and drawing under a locale whose decimal point is a comma. */
static void test_locale(void **state) {
  (void)state;
  static const char text[] = "%a = mul 0.5, 1e-07\n%b = add %a, 1234567.5\n";
  static const char want[] = "%0 = mul 0.5, 1e-07\n%1 = add %0, 1234567.5\n";
  const char *name = getenv("UOP_TEST_LOCALE");
  if (!name) {
    print_message("UOP_TEST_LOCALE names no locale (tests/run.sh makes one)\n");
    skip();
  }
  assert_non_null(setlocale(LC_ALL, name));
  assert_string_equal(localeconv()->decimal_point, ",");
  const uop *u = uop_parse(ctx, text, strlen(text));
  assert_non_null(u);
  char *s = uop_print(u, NULL);
  assert_string_equal(s, want);
  uop_free(ctx, s);
  uop_run *r = uop_run_new(ctx, NULL);
  uop_value out;
  assert_true(uop_run_eval(r, u, &out));
  s = uop_value_print(ctx, &out, true, 0);
  assert_string_equal(s, "1234567.5");
  uop_free(ctx, s);
  uop_run_free(r);
  setlocale(LC_ALL, "C");
}

/* What passes read of a node's arg. */
static void test_accessors(void **state) {
  (void)state;
  const int32_t ints[] = {0, 1, -1, INT32_MAX, INT32_MIN, INT32_MIN + 1};
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
    assert_int_equal(uop_const_i32(uop_const_of_i32(ctx, ints[i])), ints[i]);
  assert_true(uop_const_f32(uop_const_of_f32(ctx, -0.5f)) == -0.5f);
  assert_true(signbit(uop_const_f32(uop_const_of_f32(ctx, -0.0f))));
  assert_true(isnan(uop_const_f32(uop_const_of_f32(ctx, NAN))));
  assert_true(uop_const_bool(uop_const_of_bool(ctx, true)));
  assert_false(uop_const_bool(uop_const_of_bool(ctx, false)));
  const uop *r = uop_range(ctx, 10, UOP_MAX_SLOT, UOP_AXIS_LOCAL);
  assert_int_equal(uop_range_idx(r), UOP_MAX_SLOT);
  assert_int_equal(uop_range_kind(r), UOP_AXIS_LOCAL);
  const uop *e = uop_reduce(uop_param(ctx, 0, UOP_F32, UOP_DIMS(2, 3, 4)), UOP_MAX, 2);
  assert_int_equal(uop_reduce_op(e), UOP_MAX);
  assert_int_equal(uop_reduce_axes(e), 2);
  assert_int_equal(uop_slot(uop_buffer(ctx, 7, UOP_I32, 3)), 7);
  const uop *c = uop_call(f, "sq.2", g);
  assert_string_equal(c->arg.name, "sq.2");
  const uop *t = uop_shrink(v, (const int64_t[]){1, 3}, 1);
  assert_int_equal(t->arg.tuple->len, 2);
  assert_int_equal(t->arg.tuple->at[1], 3);
}

/* uop_dump alone prints, to standard error. */
static void test_dump(void **state) {
  (void)state;
  char got[200] = {0};
  FILE *to = tmpfile();
  assert_non_null(to);
  int kept = dup(2);
  fflush(stderr);
  assert_true(kept >= 0 && dup2(fileno(to), 2) == 2);
  uop_dump(uop_add(x, 2));
  uop_dump(NULL);
  fflush(stderr);
  assert_true(dup2(kept, 2) == 2);
  close(kept);
  rewind(to);
  assert_true(fread(got, 1, sizeof got - 1, to) > 0);
  fclose(to);
  assert_string_equal(got, "%0 = param : slot=0 dtype=i32\n%1 = add %0, 2\n(no node)\n");
}

/* A context that could not be made is NULL, and so is everything built in it. */
static void test_null_context(void **state) {
  (void)state;
  uop_nodes l = {0};
  uop_counts n;
  assert_null(uop_param(NULL, 0, UOP_F32, NULL, 0));
  assert_null(uop_const_of_i32(NULL, 1));
  assert_null(uop_const(NULL, UOP_I32, 1));
  assert_null(uop_sink(NULL, NULL, 0));
  assert_null(uop_stack_n(NULL, NULL, 0));
  assert_null(uop_range(NULL, 3, 0, UOP_AXIS_LOOP));
  assert_null(uop_make(NULL, UOP_SINK, NULL, 0, NULL));
  assert_null(uop_program_parse(NULL, "", 0, NULL));
  assert_null(uop_parse(NULL, "", 0));
  assert_null(uop_map_new(NULL));
  assert_null(uop_dot(NULL, NULL, 0, NULL, NULL));
  assert_null(uop_copy(NULL, NULL));
  assert_false(uop_scope_end(uop_scope_begin(NULL), NULL, 0));
  assert_false(uop_collect(NULL, NULL, 0));
  assert_false(uop_toposort(NULL, NULL, 0, &l));
  assert_false(uop_count(NULL, NULL, 0, &n));
  assert_int_equal(uop_numel(NULL), 0);
  uop_ctx_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(leaves),
      TEST(binary),
      TEST(unary),
      TEST(where),
      TEST(arrays),
      TEST(movement),
      TEST(broadcasting),
      TEST(calls_and_effects),
      TEST(types),
      TEST(every_type_of_c_number),
      TEST(numbers_at_the_limits),
      TEST(literal_rules),
      TEST(double_beside_f16_is_rounded_once),
      TEST(refusals_of_leaves),
      TEST(refusals_of_calls),
      TEST(refusals_of_arrays),
      TEST(refusals_of_elementwise),
      TEST(refusals_of_memory),
      TEST(arity_and_void),
      TEST(tables),
      TEST(locale),
      TEST(accessors),
      TEST(dump),
      cmocka_unit_test(test_null_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
