/* test_called.c - the rules that `make prove` cannot prove, since they call C or rest on shapes:
 * each on every program of a small domain. The program that a rule changed has the value, by the
 * plain evaluator, that it had before, bit for bit.
 *
 * A parameter is an array of all values of its domain, so that one run tries them all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plain/plain.h"
#include "uop.h"

enum { DOMAIN = 24 };

static uop_ctx *ctx;
static const char *wanted; /* the rule that is tested */
static uint64_t fired;     /* how often it was */

static bool trace(void *user, const uop_rewrite_step *s) {
  (void)user;
  fired += !strcmp(s->rule, wanted);
  return true;
}

/* ---- values ---- */

static const int32_t ints[DOMAIN] = {0,  1,  2,  3,  4,  5,  6,  7,         8,         9,  10, 11,
                                     12, 13, 14, 15, 16, 17, 18, INT32_MIN, INT32_MAX, -1, -9, 77};
static const float floats[DOMAIN] = {0.0f, -0.0f, 1.0f, -2.5f, 0.1f, 1e-45f, 3e38f, -3e38f, 7.0f};

static void give(plain_run *r, const uop *p) {
  static unsigned char room[8][DOMAIN * 4]; /* a run borrows its inputs */
  unsigned char *data = room[uop_slot(p)];
  uop_value v = {.dtype = (uop_dtype)p->dtype, .rank = p->shape->len, .count = 1, .data = data};
  for (uint32_t i = 0; i < v.rank; i++) v.count *= v.dims[i] = p->shape->at[i];
  assert_true(v.count <= DOMAIN);
  for (int i = 0; i < v.count; i++) {
    int k = (i + 5 * (int)uop_slot(p)) % DOMAIN;
    _Bool b = i >> uop_slot(p) & 1;
    if (p->dtype == UOP_BOOL) memcpy(data + i, &b, 1);
    if (p->dtype == UOP_I32) memcpy(data + 4 * i, uop_slot(p) ? &ints[k] : &ints[i], 4);
    if (p->dtype == UOP_F32) memcpy(data + 4 * i, &floats[k], 4);
  }
  assert_true(plain_set(r, UOP_PARAM, uop_slot(p), &v));
}

static void value_of(const uop *u, uop_value *out) {
  plain_run *r = plain_new(ctx, NULL);
  uop_nodes inputs = {NULL, 0, 0};
  uop_value v;
  assert_non_null(r);
  assert_true(uop_inputs(ctx, &u, 1, &inputs));
  for (size_t i = 0; i < inputs.len; i++) give(r, inputs.at[i]);
  if (!plain_eval(r, u, &v)) fail_msg("%s", uop_error(ctx)->message);
  assert_true(uop_value_pack(ctx, &v, out));
  uop_nodes_free(ctx, &inputs);
  plain_free(r);
}

static void assert_same(const uop *a, const uop *b, const char *text) {
  uop_value x, y;
  value_of(a, &x);
  value_of(b, &y);
  assert_int_equal(x.dtype, y.dtype);
  assert_int_equal(x.count, y.count);
  if (x.count && memcmp(x.data, y.data, (size_t)x.count * uop_dtype_size(x.dtype)))
    fail_msg("%s: %s changed the value of\n%s", wanted, uop_op_find((uop_op)a->op)->text, text);
  uop_value_free(ctx, &x);
  uop_value_free(ctx, &y);
}

/* ---- programs ---- */

static uop_rules *rules;

static void begin(const char *set, const char *rule) {
  ctx = uop_ctx_new(NULL);
  assert_non_null(ctx);
  rules = uop_rules_new(ctx);
  assert_true(uop_rules_add_set(rules, set));
  wanted = rule;
  fired = 0;
}

static void end(void) {
  if (!fired) fail_msg("%s never applied", wanted);
  assert_true(uop_ctx_check(ctx));
  uop_rules_free(rules);
  uop_ctx_free(ctx);
}

/* x y, arrays of i32; b c, of bool; f g, of f32; a in 0..18; m of shape (2, 3, 4). */
static const uop *parse(const char *e) {
  char text[4096];
  snprintf(text, sizeof text,
           "%%a = param 0 dtype=i32 shape=(19,)\n%%x = param 1 dtype=i32 shape=(24,)\n"
           "%%y = param 2 dtype=i32 shape=(24,)\n%%b = param 3 dtype=bool shape=(24,)\n"
           "%%c = param 4 dtype=bool shape=(24,)\n%%f = param 5 shape=(24,)\n"
           "%%g = param 6 shape=(24,)\n%%m = param 7 dtype=i32 shape=(2, 3, 4)\n%%r = %s\n",
           e);
  const uop *u = uop_parse(ctx, text, strlen(text));
  if (!u) fail_msg("%s: %s", e, uop_error(ctx)->message);
  return u;
}

/* Rewrites an expression; what came out is handed back, with the same value. */
static const uop *try_it(const char *fmt, ...) {
  char e[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(e, sizeof e, fmt, ap);
  va_end(ap);
  const uop *u = parse(e), *out = NULL;
  uop_rewrite_options o = {.trace = trace};
  if (!uop_rewrite(rules, &u, 1, &o, &out)) fail_msg("%s: %s", e, uop_error(ctx)->message);
  assert_same(u, out, e);
  return out;
}

/* ---- fold ---- */

static const char *const constants[][DOMAIN] = {
    {"false", "true"},
    {"-2147483648", "-2147483647", "-65536", "-7", "-3", "-2", "-1", "0", "1", "2", "3", "7",
     "65536", "16777217", "2147483646", "2147483647"},
    {"0.0", "-0.0", "1.0", "-1.0", "0.1", "-2.5", "1e-45", "-1e-40", "65520.0", "16777216.0",
     "3.4028235e38", "3e9", "inf", "-inf", "nan", "5.9604645e-08"}};
static const char *const dtypes[] = {"bool", "i32", "f32", "f16"};

/* Constant i of dtype d as an expression; NULL: there are no more. */
static const char *constant(unsigned d, unsigned i, char room[64]) {
  const char *c = constants[d == 3 ? 2 : d][i];
  if (c) snprintf(room, 64, d == 3 ? "(cast %s : dtype=f16)" : "%s", c);
  return c ? room : NULL;
}

static bool is_const(const uop *u) {
  return u->op == UOP_CONST || (u->op == UOP_CAST && u->src[0]->op == UOP_CONST);
}

static void test_fold_unary(void **state) {
  static const char *const ops[] = {"recip", "sqrt", "exp2", "log2", "sin"};
  char c[64];
  (void)state;
  begin("fold", "fold_unary");
  for (unsigned d = 0; d < 4; d++)
    for (unsigned i = 0; constant(d, i, c); i++) {
      for (unsigned o = 0; d >= 2 && o < 5; o++) assert_true(is_const(try_it("%s %s", ops[o], c)));
      for (unsigned to = 0; to < 4; to++)
        assert_true(is_const(try_it("cast %s : dtype=%s", c, dtypes[to])));
    }
  end();
}

static void test_fold_binary(void **state) {
  static const char *const ops[] = {"add", "mul", "max", "cmplt", "cmpne", "floordiv", "floormod"};
  char a[64], b[64];
  (void)state;
  begin("fold", "fold_binary");
  for (unsigned d = 0; d < 4; d++)
    for (unsigned o = 0; o < (d == 1 ? 7 : 5); o++)
      for (unsigned i = 0; constant(d, i, a); i++)
        for (unsigned k = 0; constant(d, k, b); k++)
          assert_true(is_const(try_it("%s %s %s", ops[o], a, b)));
  end();
}

/* ---- sums ---- */

/* The least that a sum in each rule's domain looks like: a - 9 times c1, and c2. */
static void try_sums(const char *rule, const char *fmt) {
  char sum[128], e[256];
  begin("sum", rule);
  for (int c1 = -6; c1 <= 6; c1++)
    for (int c2 = -12; c2 <= 12; c2++)
      for (int c3 = -6; c3 <= 6; c3++) {
        snprintf(sum, sizeof sum, "(add (mul (add (mod %%a 19) -9) %d) %d)", c1, c2);
        snprintf(e, sizeof e, fmt, sum, c3);
        uop_scope s = uop_scope_begin(ctx);
        try_it("%s", e);
        assert_true(uop_scope_end(s, NULL, 0));
      }
  end();
}

static void test_div_sum(void **state) {
  (void)state;
  try_sums("div_sum", "floordiv %s %d");
}

static void test_mod_sum(void **state) {
  (void)state;
  try_sums("mod_sum", "floormod %s %d");
}

static void test_lt_sum(void **state) {
  (void)state;
  try_sums("lt_sum", "cmplt %s (add (mul (mod %%a 19) 2) %d)");
  try_sums("lt_sum", "cmplt (add (mul (mod %%a 19) 3) 4) (mul %s %d)");
}

/* Divisors 1 .. 9, or -9 .. -1, times g; of a product with them, and something small or not. */
static void test_div_factor(void **state) {
  static const char *const divisors[] = {"(add (mod %x 9) 1)", "(add (mod %x 9) -9)"};
  (void)state;
  begin("sum", "div_factor");
  for (int d = 0; d < 2; d++)
    for (int g = 1; g <= 3; g++)
      for (int k = -6; k <= 6; k++)
        for (int c = -7; c <= 7; c++) {
          uop_scope s = uop_scope_begin(ctx);
          try_it("floordiv (add (mul (mul %s (add (mod %%y 7) -3)) %d) (add (mod %%y 3) %d)) (mul "
                 "%s %d)",
                 divisors[d], k, c, divisors[d], g);
          assert_true(uop_scope_end(s, NULL, 0));
        }
  end();
}

/* A factor of all terms and of the divisor cancels where it is never 0, and only there; the rest of
 * the divisor may be 0. */
static void test_div_cancel(void **state) {
  static const char *const factors[] = {"(add (mod %x 9) 1)", "(add (mod %x 9) -9)",
                                        "(add (mod %x 9) -4)"};
  static const char *const rests[] = {"(mod %y 5)", "(add (mod %y 7) -3)"};
  (void)state;
  begin("sum", "div_factor");
  for (int f = 0; f < 3; f++)
    for (int rest = 0; rest < 2; rest++)
      for (int g = -3; g <= 3; g++)
        for (int k = -4; k <= 4; k++) {
          uop_scope s = uop_scope_begin(ctx);
          try_it("floordiv (add (mul (mul %s (mod (add %%x %%y) 11)) %d) (mul %s %d)) (mul (mul %s "
                 "%s) %d)",
                 factors[f], k, factors[f], 3 * k - 1, factors[f], rests[rest], g);
          try_it("floordiv (mul %s (add (mod (add %%x %%y) 11) %d)) (mul %s %d)", factors[f], k,
                 factors[f], g);
          assert_true(uop_scope_end(s, NULL, 0));
        }
  end();
}

/* ---- order, choices, calls ---- */

static void test_order(void **state) {
  static const char *const ops[] = {"add", "mul", "max", "cmpne"};
  static const char *const pairs[][2] = {/* the sums and products of i32 are gather.c's */
                                         {"%b", "%c"}, {"%f", "%g"},         {"%f", "3.0"},
                                         {"%x", "%y"}, {"(mul %x 3)", "%x"}, {"%x", "3"}};
  (void)state;
  begin("order", "order");
  for (size_t o = 0; o < 4; o++)
    for (size_t i = 0; i < (o < 2 ? 3 : 6); i++)
      if (try_it("%s %s %s", ops[o], pairs[i][0], pairs[i][1]) !=
          try_it("%s %s %s", ops[o], pairs[i][1], pairs[i][0]))
        fail_msg("%s of %s and %s stays in two orders", ops[o], pairs[i][0], pairs[i][1]);
  end();
}

static void test_where_given(void **state) {
  static const char *const conditions[] = {"%b",           "(cmpne %b true)", "(cmplt %x %y)",
                                           "(cmplt %x 7)", "(mul %b %c)",     "(max %b %c)"};
  static const char *const branches[] = {"%%x", "%%y", "(where %s %%x 5)",
                                         "(add (where %s 1 %%y) %%x)",
                                         "(where (cmpne %s true) %%x %%y)"};
  char a[128], b[128];
  (void)state;
  begin("where", "where_given");
  for (size_t c = 0; c < 6; c++)
    for (size_t i = 0; i < 5; i++)
      for (size_t k = 0; k < 5; k++)
        for (size_t d = 0; d < 6; d++) {
          snprintf(a, sizeof a, branches[i], conditions[d]);
          snprintf(b, sizeof b, branches[k], conditions[c]);
          try_it("where %s %s %s", conditions[c], a, b);
        }
  end();
}

static void test_inline(void **state) {
  static const char *const bodies[] = {
      "(add (param 0 dtype=i32 shape=(24,)) (param 1 dtype=i32 shape=(24,)))",
      "(max (param 1 dtype=i32 shape=(24,)) (mul (param 0 dtype=i32 shape=(24,)) 3))",
      "(mul (call (add (param 0 dtype=i32 shape=(24,)) 1) (param 1 dtype=i32 shape=(24,))) "
      "(param 0 dtype=i32 shape=(24,)))"};
  static const char *const args[] = {"%x", "%y", "(add %x %y)", "(mul %y 5)"};
  (void)state;
  begin("inline", "inline");
  for (size_t b = 0; b < 3; b++)
    for (size_t i = 0; i < 4; i++)
      for (size_t k = 0; k < 4; k++) try_it("call %s %s %s", bodies[b], args[i], args[k]);
  end();
}

/* ---- shapes ---- */

static void test_reshape_reshape(void **state) {
  static const char *const shapes[] = {"(24,)", "(2, 12)", "(4, 6)", "(1, 24, 1)", "(2, 3, 4)"};
  (void)state;
  begin("move", "reshape_reshape");
  for (size_t i = 0; i < 5; i++)
    for (size_t k = 0; k < 5; k++) try_it("reshape (reshape %%x %s) %s", shapes[i], shapes[k]);
  end();
}

static void test_expand_expand(void **state) {
  static const char *const shapes[][2] = {{"(2, 1, 24)", "(2, 3, 24)"},
                                          {"(1, 3, 24)", "(2, 3, 24)"},
                                          {"(1, 1, 24)", "(2, 3, 24)"},
                                          {"(1, 0, 24)", "(5, 0, 24)"},
                                          {"(2, 3, 24)", "(2, 3, 24)"}};
  (void)state;
  begin("move", "expand_expand");
  for (size_t i = 0; i < 5; i++)
    try_it("expand (expand (reshape %%x (1, 1, 24)) %s) %s", shapes[i][0], shapes[i][1]);
  end();
}

static const char *const orders[] = {"(0, 1, 2)", "(0, 2, 1)", "(1, 0, 2)",
                                     "(1, 2, 0)", "(2, 0, 1)", "(2, 1, 0)"};

static void test_permute_permute(void **state) {
  (void)state;
  begin("move", "permute_permute");
  for (size_t i = 0; i < 6; i++)
    for (size_t k = 0; k < 6; k++) try_it("permute (permute %%m %s) %s", orders[i], orders[k]);
  end();
}

static void test_shrink_shrink(void **state) {
  (void)state;
  begin("move", "shrink_shrink");
  for (int a = 0; a <= 4; a++)
    for (int b = a; b <= 4; b++)
      for (int c = 0; c <= b - a; c++)
        for (int d = c; d <= b - a; d++)
          try_it("shrink (shrink %%m ((0, 2), (1, 3), (%d, %d))) ((1, 2), (0, 2), (%d, %d))", a, b,
                 c, d);
  end();
}

static void test_move_nothing(void **state) {
  (void)state;
  begin("move", "move_nothing");
  for (size_t i = 0; i < 6; i++) try_it("permute %%m %s", orders[i]);
  try_it("reshape %%m (2, 3, 4)");
  try_it("reshape %%m (4, 3, 2)");
  try_it("expand %%m (2, 3, 4)");
  try_it("shrink %%m ((0, 2), (0, 3), (0, 4))");
  try_it("shrink %%m ((0, 2), (0, 3), (1, 4))");
  end();
}

static void test_reduce_none(void **state) {
  (void)state;
  begin("move", "reduce_none");
  for (int pop = 0; pop <= 3; pop++) {
    try_it("reduce %%m : op=add pop=%d", pop);
    try_it("reduce %%m : op=max pop=%d", pop);
  }
  try_it("reduce %%f : op=add pop=0");
  try_it("reduce %%b : op=max pop=0");
  end();
}

static void test_reduce_const(void **state) {
  char c[64];
  (void)state;
  begin("move", "reduce_const");
  for (unsigned d = 0; d < 4; d++)
    for (unsigned i = 0; constant(d, i, c); i++)
      for (int n = 0; n <= 5; n++) {
        try_it("reduce (expand (reshape %s (1, 1)) (3, %d)) : op=add pop=1", c, n);
        try_it("reduce (expand (reshape %s (1, 1)) (3, %d)) : op=max pop=1", c, n);
        try_it("reduce (expand (reshape %s (1, 1)) (3, %d)) : op=add pop=2", c, n);
      }
  end();
}

static void test_index_stack(void **state) {
  static const char *const stacks[] = {"%x", "%x %y", "%x %y %x", "%x %y (add %x 1) %y"};
  (void)state;
  begin("move", "index_stack");
  for (int n = 1; n <= 4; n++)
    for (int i = 0; i < n; i++) {
      try_it("index (stack %s) %d", stacks[n - 1], i);
      for (int k = 0; k < 24; k++) try_it("index (stack %s) %d %d", stacks[n - 1], i, k);
    }
  end();
}

static void try_hoists(const char *rule, const char *first, const char *second) {
  static const char *const ops[] = {"add", "mul", "max", "cmplt", "cmpne", "floordiv", "floormod"};
  begin("move", rule);
  for (size_t o = 0; o < 7; o++) try_it("%s %s %s", ops[o], first, second);
  end();
}

static void test_hoist(void **state) {
  const char *x = "(expand (reshape %x (1, 24)) (3, 24))",
             *y = "(expand (reshape %y (1, 24)) (3, 24))";
  (void)state;
  try_hoists("hoist", x, y);
  try_hoists("hoist", x, "5");
  try_hoists("hoist", "5", y);
  begin("move", "hoist");
  try_it("cast %s : dtype=f32", x);
  try_it("where (cmplt %s %s) %s 3", x, y, x);
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fold_unary),      cmocka_unit_test(test_fold_binary),
      cmocka_unit_test(test_div_sum),         cmocka_unit_test(test_mod_sum),
      cmocka_unit_test(test_lt_sum),          cmocka_unit_test(test_div_factor),
      cmocka_unit_test(test_div_cancel),      cmocka_unit_test(test_order),
      cmocka_unit_test(test_where_given),     cmocka_unit_test(test_inline),
      cmocka_unit_test(test_reshape_reshape), cmocka_unit_test(test_expand_expand),
      cmocka_unit_test(test_permute_permute), cmocka_unit_test(test_shrink_shrink),
      cmocka_unit_test(test_move_nothing),    cmocka_unit_test(test_reduce_none),
      cmocka_unit_test(test_reduce_const),    cmocka_unit_test(test_index_stack),
      cmocka_unit_test(test_hoist),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
