/* test_rules.c - the language of rewrite rules: what each construct matches and makes, what
 * arithmetic gives, and what every malformed text is told, with its line, column and length.
 *
 * Expectations are programs: what a rule makes of one is the very node that another stands for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

static uop_ctx *ctx;

static int begin(void **state) {
  (void)state;
  return (ctx = uop_ctx_new(NULL)) ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  uop_ctx_free(ctx);
  return 0;
}

/* What every expression may use: x y z are i32, f g f32, h f16, b bool, v w c f16 of shape (2, 3),
 * m n memory. */
static const char prelude[] = "%x = param 0 dtype=i32\n"
                              "%y = param 1 dtype=i32\n"
                              "%z = param 2 dtype=i32\n"
                              "%f = param 3\n"
                              "%g = param 4\n"
                              "%h = param 5 dtype=f16\n"
                              "%b = param 6 dtype=bool\n"
                              "%v = param 7 dtype=i32 shape=(2, 3)\n"
                              "%w = param 8 shape=(2, 3)\n"
                              "%c = param 9 dtype=bool shape=(2, 3)\n"
                              "%k = param 10 dtype=f16 shape=(2, 3)\n"
                              "%m = buffer 4 : slot=2\n"
                              "%n = param 11 shape=(4,) space=global\n"
                              "%r = ";

static const uop *parse(const char *expression) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s\n", prelude, expression);
  const uop *u = uop_parse(ctx, text, strlen(text));
  if (!u) fail_msg("%s: %s", expression, uop_error(ctx)->message);
  return u;
}

/* What one pass of the rule makes of a program; NULL with the error. */
static const uop *rewritten(const char *rule, const uop *u) {
  char text[4096];
  snprintf(text, sizeof text, "# a test\nr: %s\n", rule);
  uop_rules *r = uop_rules_new(ctx);
  assert_non_null(r);
  uop_rewrite_options o = {.order = UOP_ONE_PASS};
  const uop *out = NULL;
  bool ok = uop_rules_add_text(r, text, strlen(text), NULL) && uop_rewrite(r, &u, 1, &o, &out);
  uop_rules_free(r);
  return ok ? out : NULL;
}

typedef struct row {
  const char *rule, *expression, *want; /* NULL: it stays as it is */
} row;

/* All that is wrong is printed before the test fails. */
static bool row_holds(const row *r) {
  const uop *u = parse(r->expression), *want = r->want ? parse(r->want) : u;
  const uop *got = rewritten(r->rule, u);
  if (got == want) return true;
  char a[400], b[400];
  uop_repr(got, a, sizeof a);
  uop_repr(want, b, sizeof b);
  print_error("%s\n  on %s\n  gave %s\n  not  %s\n", r->rule, r->expression,
              got ? a : uop_error(ctx)->message, b);
  return false;
}

static void check_rows(const row *rows, size_t n) {
  size_t wrong = 0;
  for (size_t i = 0; i < n; i++) wrong += !row_holds(&rows[i]);
  assert_int_equal(wrong, 0);
}

#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

/* ---- what patterns match ---- */

static void test_literals(void **state) {
  (void)state;
  static const row rows[] = {
      {"(add x 0) -> x", "add %x 0", "%x"},
      {"(add x 0) -> x", "add 0 %x", "%x"},
      {"(add x 0) -> x", "add %x 1", NULL},
      {"(add x 0) -> x", "add %x %y", NULL},
      {"(add x 0) -> x", "mul %x 0", NULL},
      {"(add x 0) -> x", "add %v 0", "%v"}, /* broadcast */
      {"(add x 0) -> x", "add %f 0", "%f"},
      {"(add x 0) -> x", "add %f 0.0", "%f"},
      {"(add x 0) -> x", "add %f -0.0", NULL},
      {"(add x 0) -> x", "add %w 0", "%w"},
      {"(add x 0) -> x", "add %w -0.0", NULL},
      {"(add x 0) -> x", "add %h 0", "%h"},
      {"(add x 0) -> x", "add %h -0.0", NULL},
      {"(add x 0) -> x", "add %k 0", "%k"},
      {"(add x 0) -> x", "add %b false", "%b"},
      {"(add x 0) -> x", "add %c false", "%c"},
      {"(add x 0) -> x", "add %b true", NULL},
      {"(add x 0.0) -> x", "add %f 0", "%f"},
      {"(add x 0.0) -> x", "add %h 0", "%h"},
      {"(add x 0.0) -> x", "add %x 0", NULL},
      {"(add x 0.0) -> x", "add %b false", NULL},
      {"(add x 0.0) -> x", "add %f -0.0", NULL},
      {"(add x -0.0) -> x", "add %f -0.0", "%f"},
      {"(add x -0.0) -> x", "add %f 0.0", NULL},
      {"(add x -0.0) -> x", "add %k -0.0", "%k"},
      {"(add x -0.0) -> x", "add %k 0.0", NULL},
      {"(add x -0) -> x", "add %f 0.0", "%f"}, /* the integer -0 is 0, as in a program */
      {"(add x -0) -> x", "add %f -0.0", NULL},
      {"(add x false) -> x", "add %b false", "%b"},
      {"(add x false) -> x", "add %x 0", NULL},
      {"(mul x 1) -> x", "mul %b true", "%b"},
      {"(mul x true) -> x", "mul true %c", "%c"},
      {"(mul x 1) -> x", "mul %f 1", "%f"},
      {"(mul x 1) -> x", "mul %h 1.0", "%h"},
      {"(mul x 2) -> x", "mul %b true", NULL},
      {"(add x nan) -> nan", "add %f nan", "const nan"},
      {"(add x nan) -> nan", "add %f inf", NULL},
      {"(max x inf) -> x", "max %f inf", "%f"},
      {"(max x inf) -> x", "max %k inf", "%k"},
      {"(max x inf) -> x", "max %f -inf", NULL},
      {"(max x -inf) -> x", "max %w -inf", "%w"},
      {"(mul x 0.1) -> x", "mul %f 0.1", "%f"},
      {"(mul x 0.1) -> x", "mul %h 0.1", "%h"}, /* the f16 nearest to 0.1 */
      {"(mul x 0.1) -> x", "mul %f 0.10000001", NULL},
      {"(add x 16777217) -> x", "add %f 16777216.0", "%f"}, /* the nearest f32 */
      {"(add x 16777217) -> x", "add %x 16777216", NULL},
      {"(add x 16777217) -> x", "add %x 16777217", "%x"},
      {"(add x 5000000000) -> x", "add %f 5000000000", "%f"},
      {"(add x 5000000000) -> x", "add %x 705032704", NULL}, /* the same, modulo 2^32 */
      {"(add x -2147483648) -> x", "add %x -2147483648", "%x"},
      {"(floordiv 0 x) -> 0", "floordiv 0 %x", "const 0"},
      {"(floordiv 0 x) -> 0", "floordiv %x 0", NULL}, /* it does not commute */
      {"(floordiv 0 x) -> 0", "floordiv 0 %v", "expand (reshape 0, (1, 1)), (2, 3)"},
  };
  CHECK(rows);
}

static void test_constants(void **state) {
  (void)state;
  static const row rows[] = {
      {"(max x C) -> C", "max %x 5", "const 5"},
      {"(max x C) -> C", "max 5 %x", "const 5"},
      {"(max x C) -> C", "max %x %y", NULL},
      {"(max x C) -> x", "max %v 5", "%v"},
      {"(max x C) -> C", "max %v 5", "expand (reshape 5, (1, 1)), (2, 3)"},
      {"(max x C) -> x", "max %w 0.5", "%w"},
      {"(max x C) -> x", "max %h 5", "%h"},
      {"(max x C) -> x", "max %k 5", "%k"},
      {"(max x C) -> x", "max %b true", "%b"},
      {"(max x C) -> x", "max (reshape %x, (1,)) (reshape 5, (1,))", "reshape %x, (1,)"},
      /* what is no constant: a value that is broadcast, computed, or converted */
      {"(max x C) -> x", "max %v (expand (reshape %x, (1, 1)), (2, 3))", NULL},
      {"(max x C) -> x", "max %f (cast 5 : dtype=f32)", NULL},
      {"(max x C) -> x", "max %h (cast %f : dtype=f16)", NULL},
      {"(max x C) -> x", "max %x (add 2 3)", NULL},
      {"(max x C) -> x", "max %v (permute (expand (reshape 5, (1, 1)), (3, 2)), (1, 0))", NULL},
      /* one that is said twice is one node */
      {"(max C C) -> C", "max 2 2", "const 2"},
      {"(max C C) -> C", "max 2 3", NULL},
      {"(max C C) -> C", "max %x %x", NULL},
      {"(sink A x B) -> (sink B x)", "sink 1 %x 3", "sink 3 %x"},
      {"(sink A x B) -> (sink B x)", "sink 1 %x %y", NULL},
  };
  CHECK(rows);
}

static void test_variables(void **state) {
  (void)state;
  static const row rows[] = {
      {"(max x x) -> x", "max %x %x", "%x"},
      {"(max x x) -> x", "max %x %y", NULL},
      {"(max x x) -> x", "max %w %w", "%w"},
      {"(add (mul x y) x) -> y", "add (mul %x %y) %x", "%y"},
      {"(add (mul x y) x) -> y", "add %x (mul %x %y)", "%y"},
      {"(add (mul x y) x) -> y", "add (mul %y %x) %x", "%y"},
      {"(add (mul x y) x) -> y", "add %x (mul %y %x)", "%y"},
      {"(add (mul x y) x) -> y", "add (mul %x %y) %y", "%x"},
      {"(add (mul x y) x) -> y", "add (mul %x %y) %z", NULL},
      {"(where _ x x) -> x", "where %b %x %x", "%x"},
      {"(where _ x x) -> x", "where %b %x %y", NULL},
      {"(where _ _ x) -> x", "where %b %x %y", "%y"},
      {"(mul _ 0):i32 -> 0", "mul %x 0", "const 0"},
      {"(sqrt y=(sqrt x)) -> (sin y)", "sqrt (sqrt %f)", "sin (sqrt %f)"},
      {"(mul y=(add a b) y) -> y", "mul (add %x 1) (add %x 1)", "add %x 1"},
      {"(mul y=(add a b) y) -> y", "mul (add %x 1) (add %x 2)", NULL},
      {"(mul y=(add a b) y) -> y", "mul %x %x", NULL},
      /* said nearer to the root than where it stands for something */
      {"(add (recip y=(mul a b)) y) -> y", "add (recip (mul %f %g)) (mul %f %g)", "mul %f %g"},
      {"(add (recip y=(mul a b)) y) -> y", "add (mul %f %g) (recip (mul %f %g))", "mul %f %g"},
      {"(add (recip y=(mul a b)) y) -> y", "add (recip (mul %f %g)) %f", NULL},
      {"[where c (sqrt y=(sqrt a)) y] -> a", "where %b (sqrt (sqrt %f)) (sqrt %f)", "%f"},
      {"[where c (sqrt y=(sqrt a)) y] -> a", "where %b (sqrt (sqrt %f)) (sqrt %g)", NULL},
      {"(max lower UPPER) -> (add UPPER lower)", "max %x 3", "add 3 %x"},
      {"(max a_1 b2) -> (add b2 a_1)", "max %x %y", "add %y %x"},
  };
  CHECK(rows);
}

static void test_orders(void **state) {
  (void)state;
  static const row rows[] = {
      {"[add x 0] -> x", "add %x 0", "%x"},
      {"[add x 0] -> x", "add 0 %x", NULL},
      {"[add (mul x 2) y] -> (max x y)", "add (mul 2 %x) %y", "max %x %y"},
      {"[add (mul x 2) y] -> (max x y)", "add %y (mul %x 2)", NULL},
      {"(add [mul x 2] y) -> (max x y)", "add %y (mul %x 2)", "max %x %y"},
      {"(add [mul x 2] y) -> (max x y)", "add (mul 2 %x) %y", NULL},
      {"(cmplt x 0) -> false", "cmplt 0 %x", NULL},
      {"(cmplt x 0) -> false", "cmplt %x 0", "const false"},
      {"(cmpne x 0) -> false", "cmpne 0 %x", "const false"},
      {"(floormod x 4) -> x", "floormod 4 %x", NULL},
      /* the first order fits, and fails only at the condition */
      {"(add A B):i32 -> A if A < B", "add 2 3", "const 2"},
      {"(add A B):i32 -> A if A < B", "add 3 2", "const 2"},
      {"(add A B):i32 -> A if A < B", "add 2 2", NULL},
      {"(add x y):i32 -> x if lo(y) >= 0", "add %x (max %y 0)", "%x"},
      {"(add x y):i32 -> x if lo(y) >= 0", "add (max %y 0) %x", "%x"},
      {"(add x y):i32 -> x if lo(y) >= 0", "add %x %y", NULL},
      /* two choices, of which the inner one is turned round first, then both */
      {"(add (mul A x) B):i32 -> x if A == B", "add (mul %x 3) 3", "%x"},
      {"(add (mul A x) B):i32 -> x if A == B", "add 3 (mul 3 %x)", "%x"},
      {"(add (mul A x) B):i32 -> x if A == B", "add 3 (mul 2 %x)", NULL},
      {"(add (mul A x) B):i32 -> x if A == B", "add (mul 2 3) 3", "const 2"},
      {"(add (mul A x) B):i32 -> x if A == B", "add 2 (mul 3 2)", "const 3"},
      {"(add (mul A x) (mul B y)):i32 -> (add x y) if A < B", "add (mul %x 5) (mul 2 %y)",
       "add %y %x"},
      {"(add (mul a b) (mul a c)) -> (mul a (add b c))", "add (mul %x %y) (mul %x %z)",
       "mul %x (add %y %z)"},
      {"(add (mul a b) (mul a c)) -> (mul a (add b c))", "add (mul %y %x) (mul %z %x)",
       "mul %x (add %y %z)"},
      {"(add (mul a b) (mul a c)) -> (mul a (add b c))", "add (mul %x %y) (mul %z %x)",
       "mul %x (add %y %z)"},
      {"(add (mul a b) (mul a c)) -> (mul a (add b c))", "add (mul %x 1) (mul %z %y)", NULL},
      /* arithmetic without a value, and a bool of neither 0 nor 1, turn round as well */
      {"(mul A B):i32 -> {A // B}", "mul 0 5", "const 0"},
      {"(mul A B):i32 -> {A // B}", "mul 5 0", "const 0"},
      {"(cmpne A B):bool -> {A}", "cmpne 5 0", "const false"},
  };
  CHECK(rows);
}

static void test_rest(void **state) {
  (void)state;
  static const row rows[] = {
      {"(sink x xs...) -> (sink xs...)", "sink %x %y %z", "sink %y %z"},
      {"(sink x y xs...) -> (sink y x xs...) if lo(x) < lo(y)", "sink (max %x -9) (max %y 3) %z %f",
       "sink (max %y 3) (max %x -9) %z %f"},
      {"(sink x y) -> (sink y)", "sink %x %y", "sink %y"},
      {"(sink x y) -> (sink y)", "sink %x %y %z", NULL},
      {"(sink x y) -> (sink y)", "sink %x", NULL},
      {"(sink x xs...) -> (sink xs... )", "sink", NULL},
      {"(sink x xs...) -> (sink xs...)", "sink %x", "sink"},
      {"(sink x _...) -> (sink)", "sink %x %y %z", "sink"},
      {"(index (stack x xs...) 0) -> x", "index (stack %x %y) 0", "%x"},
      {"(index (stack x xs...) 0) -> x", "index (stack %x) 0", "%x"},
      {"(index (stack x xs...) 0) -> x", "index (stack %x %y) 1", NULL},
      {"(index (stack x y _...) 1) -> y", "index (stack %x %y %z) 1", "%y"},
      {"(index (stack x y _...) 1) -> y", "index (stack %x) 1", NULL},
  };
  CHECK(rows);
}

static void test_op_sets(void **state) {
  (void)state;
  static const row rows[] = {
      {"(o=unary (where c a b)) -> (where c (o a) (o b))", "sqrt (where %b %f %g)",
       "where %b (sqrt %f) (sqrt %g)"},
      {"(o=unary (where c a b)) -> (where c (o a) (o b))", "cast (where %b %x %y) : dtype=f32",
       "where %b (cast %x : dtype=f32) (cast %y : dtype=f32)"},
      {"(o=unary (where c a b)) -> (where c (o a) (o b))", "stage (where %b %f %g)", NULL},
      {"(o=add|mul x 7) -> (o x 8)", "add %x 7", "add %x 8"},
      {"(o=add|mul x 7) -> (o x 8)", "mul 7 %x", "mul %x 8"},
      {"(o=add|mul x 7) -> (o x 8)", "max %x 7", NULL},
      {"(o=add|mul x 7) -> (o x 8)", "mul %w 7", "mul %w 8"},
      {"(ADD|Mul x 7) -> (MAX x 8)", "mul 7 %x", "max %x 8"},
      {"(binary x x):i32 -> x", "floordiv %x %x", "%x"},
      {"(binary x x):i32 -> x", "max %x %x", "%x"},
      {"(binary x x):i32 -> x", "cmplt %x %x", NULL},
      {"(binary x x) -> x", "cmpne %b %b", "%b"},
      {"(binary x 3):i32 -> x", "floordiv %x 3", "%x"},
      {"(binary x 3):i32 -> x", "floordiv 3 %x", NULL}, /* each op by its own nature */
      {"(binary x 3):i32 -> x", "add 3 %x", "%x"},
      {"(alu _ x y) -> x", "where %b %x %y", "%x"},
      {"(alu x 1):i32 -> x", "floormod %x 1", "%x"},
      {"(alu x):f32 -> x", "sin %f", "%f"},
      {"(alu x):f32 -> x", "stage %f", NULL},
      {"(commutative x 1):i32 -> x", "max 1 %x", "%x"},
      {"(commutative x 1):i32 -> x", "floordiv %x 1", NULL},
      {"(reshape (movement x) s) -> (reshape x s)", "reshape (permute %v, (1, 0)), (6,)",
       "reshape %v, (6,)"},
      {"(reshape (movement x) s) -> (reshape x s)", "reshape (stage %v), (6,)", NULL},
      {"(any x):i32 -> x", "stage %x", "%x"},
      {"(any x):i32 -> x", "stage %f", NULL},
      {"(any x 1):i32 -> x", "add %x 1", "%x"},
      {"(any x xs...):bool -> false", "cmplt %x %y", "const false"},
      {"(o=any x y):i32 -> (o 5 x) if hi(x) > 5", "add %x %y", "add 5 %x"},
  };
  CHECK(rows);
}

static void test_types(void **state) {
  (void)state;
  static const row rows[] = {
      {"(add x:f32 0) -> x", "add %f 0", "%f"},
      {"(add x:f32 0) -> x", "add %h 0", NULL},
      {"(add x:f32 0) -> x", "add %x 0", NULL},
      {"(add x:float 0) -> x", "add %f 0", "%f"},
      {"(add x:float 0) -> x", "add %h 0", "%h"},
      {"(add x:float 0) -> x", "add %x 0", NULL},
      {"(add x:float 0) -> x", "add %b false", NULL},
      {"(add x:number 0) -> x", "add %x 0", "%x"},
      {"(add x:number 0) -> x", "add %k 0", "%k"},
      {"(add x:number 0) -> x", "add %b false", NULL},
      {"(add x:i32|bool 0) -> x", "add %x 0", "%x"},
      {"(add x:i32|bool 0) -> x", "add %b false", "%b"},
      {"(add x:i32|bool 0) -> x", "add %f 0", NULL},
      {"(add x 0):f16 -> x", "add %h 0", "%h"},
      {"(add x 0):f16 -> x", "add %f 0", NULL},
      {"(add x C:i32) -> x", "add %f 1", NULL},
      {"(add x C:i32) -> x", "add %x 1", "%x"},
      /* of what is compared, not of the result */
      {"(cmplt x:i32 x) -> false", "cmplt %x %x", "const false"},
      {"(cmplt x:i32 x) -> false", "cmplt %f %f", NULL},
      {"(cmplt x:i32 x) -> false", "cmplt %v %v", "expand (reshape false, (1, 1)), (2, 3)"},
      {"(cmplt x y:f16) -> false", "cmplt %h %h", "const false"},
      {"(cmplt x y:f16) -> false", "cmplt %f %f", NULL},
      {"(cast x:bool : dtype=i32) -> (where x 1 0)", "cast %b : dtype=i32", "where %b 1 0"},
      {"(cast x:bool : dtype=i32) -> (where x 1 0)", "cast %b : dtype=f32", NULL},
      {"(cast x:bool : dtype=i32) -> (where x 1 0)", "cast %f : dtype=i32", NULL},
      {"(sink x:void) -> x", "sink (sink %x)", "sink %x"},
      {"(sink x:void) -> x", "sink %x", NULL},
      {"(add y=(mul a b):f32 0) -> y", "add (mul %f %g) 0", "mul %f %g"},
      {"(add y=(mul a b):f32 0) -> y", "add (mul %x %y) 0", NULL},
  };
  CHECK(rows);
}

static void test_args(void **state) {
  (void)state;
  static const row rows[] = {
      {"(reduce x : op=add pop=0) -> x", "reduce %w : op=add pop=0", "%w"},
      {"(reduce x : op=add pop=0) -> x", "reduce %w : op=max pop=0", NULL},
      {"(reduce x : op=add pop=0) -> x", "reduce %w : op=add pop=1", NULL},
      {"(reduce x op=add pop=0) -> x", "reduce %w : op=add pop=0", "%w"}, /* without the colon */
      {"(reduce (reduce x : op=add pop=n) : op=add pop=m) -> (reduce x : op=add pop={n + m})",
       "reduce (reduce %w : op=add pop=1) : op=add pop=1", "reduce %w : op=add pop=2"},
      {"(reduce (reduce x : op=add pop=n) : op=add pop=m) -> (reduce x : op=add pop={n + m})",
       "reduce (reduce %w : op=add pop=1) : op=max pop=1", NULL},
      {"(reduce (reduce x : op=o pop=n) : op=o pop=m) -> (reduce x : op=o pop={m + n})",
       "reduce (reduce %w : op=max pop=1) : op=max pop=1", "reduce %w : op=max pop=2"},
      {"(reduce (reduce x : op=o pop=n) : op=o pop=m) -> (reduce x : op=o pop={m + n})",
       "reduce (reduce %w : op=max pop=1) : op=add pop=1", NULL},
      {"(reduce (reduce x : op=add pop=n) : op=add pop=n) -> (reduce x : op=add pop={2 * n})",
       "reduce (reduce %w : op=add pop=1) : op=add pop=1", "reduce %w : op=add pop=2"},
      {"(reduce (reduce x : op=add pop=n) : op=add pop=n) -> (reduce x : op=add pop={2 * n})",
       "reduce (reduce %w : op=add pop=2) : op=add pop=0", NULL},
      {"(reduce x:i32 : op=add pop=n) -> (reduce x : op=max pop=n) if n == 1",
       "reduce %v : op=add pop=1", "reduce %v : op=max pop=1"},
      {"(reduce x:i32 : op=add pop=n) -> (reduce x : op=max pop=n) if n == 1",
       "reduce %v : op=add pop=2", NULL},
      {"(reshape (reshape x) s) -> (reshape x s)", "reshape (reshape %w, (6,)), (3, 2)",
       "reshape %w, (3, 2)"},
      {"(reshape (reshape x (6,)) (3, 2)) -> (reshape x (3, 2))",
       "reshape (reshape %w, (6,)), (3, 2)", "reshape %w, (3, 2)"},
      {"(reshape (reshape x (6,)) (3, 2)) -> (reshape x (3, 2))",
       "reshape (reshape %w, (1, 6)), (3, 2)", NULL},
      {"(reshape (reshape x (6,)) (3, 2)) -> (reshape x (3, 2))",
       "reshape (reshape %w, (6,)), (2, 3)", NULL},
      {"(reshape (reshape x, (1,)), ()) -> x", "reshape (reshape %x, (1,)), ()", "%x"},
      {"(permute (permute x (1, 0)) (1, 0)) -> x", "permute (permute %w, (1, 0)), (1, 0)", "%w"},
      {"(permute (permute x (1, 0)) (1, 0)) -> x", "permute (permute %w, (1, 0)), (0, 1)", NULL},
      {"(permute (permute x s) s) -> x", "permute (permute %w, (1, 0)), (1, 0)", "%w"},
      {"(permute (permute x s) s) -> x", "permute (permute %w, (0, 1)), (1, 0)", NULL},
      {"(shrink x ((0, 2), (0, 3))) -> x", "shrink %w, ((0, 2), (0, 3))", "%w"},
      {"(shrink x ((0, 2), (0, 3))) -> x", "shrink %w, ((0, 2), (0, 2))", NULL},
      {"(sqrt (shrink x s)) -> (shrink (sqrt x) s)", "sqrt (shrink %w, ((1, 2), (0, 3)))",
       "shrink (sqrt %w), ((1, 2), (0, 3))"},
      {"(sqrt (expand x s)) -> (expand (sqrt x) s)", "sqrt (expand (reshape %f, (1,)), (5,))",
       "expand (sqrt (reshape %f, (1,))), (5,)"},
      {"(cast (where c a b) : dtype=d) -> (where c (cast a : dtype=d) (cast b : dtype=d))",
       "cast (where %b %x %y) : dtype=f16", "where %b (cast %x : dtype=f16) (cast %y : dtype=f16)"},
      {"(cast (cast x:f16 : dtype=f32) : dtype=f16) -> x", "cast (cast %h : dtype=f32) : dtype=f16",
       "%h"},
      {"(cast (cast x:f16 : dtype=f32) : dtype=f16) -> x", "cast (cast %x : dtype=f32) : dtype=f16",
       NULL},
      {"(cast (cast x) : dtype=d) -> (cast x : dtype=d)", "cast (cast %x : dtype=f32) : dtype=bool",
       "cast %x : dtype=bool"},
      {"(add (param : slot=0) y) -> y", "add %x %y", "%y"},
      {"(add (param : slot=0) y) -> y", "add %z %y", NULL},
      {"(add (param : slot=n) (param : slot=m)):i32 -> {m - n}", "add %x %z", "const 2"},
      {"(add (param : dtype=i32) y) -> y", "add %x 7", "const 7"},
      {"(add (param : dtype=i32) y) -> y", "add %f 7.0", NULL},
      {"(load (param : space=global)) -> 1.0", "load %n", "expand (reshape 1.0, (1,)), (4,)"},
      {"(load (param : space=global)) -> 1.0", "load %m", NULL},
      {"(load (buffer : slot=2)) -> 1.0", "load %m", "expand (reshape 1.0, (1,)), (4,)"},
      {"(load (buffer : slot=3)) -> 1.0", "load %m", NULL},
      {"(load (buffer : dtype=f32)) -> 1.0", "load %m", "expand (reshape 1.0, (1,)), (4,)"},
      {"(load (alloc : space=shared slot=7)):i32 -> 0",
       "load (alloc 1 : slot=7 dtype=i32 space=shared)", "reshape 0, (1,)"},
      {"(load (alloc : space=shared slot=7)):i32 -> 0",
       "load (alloc 1 : slot=7 dtype=i32 space=local)", NULL},
      {"(range 1 : kind=loop) -> 0", "range 1 : idx=3", "const 0"},
      {"(range 1 : kind=loop) -> 0", "range 1 : idx=3 kind=reduce", NULL},
      {"(range 1 : idx=3) -> 0", "range 1 : idx=3 kind=reduce", "const 0"},
      {"(range 1 : idx=3) -> 0", "range 1 : idx=4", NULL},
      {"(range C : idx=i kind=k) -> (range {C + 1} : idx={i + 1} kind=k)",
       "range 5 : idx=2 kind=thread", "range 6 : idx=3 kind=thread"},
      {"(call f xs... : name=one) -> (call f xs... : name=two)", "call (param 0) 1.0 : name=one",
       "call (param 0) 1.0 : name=two"},
      {"(call f xs... : name=one) -> (call f xs... : name=two)", "call (param 0) 1.0 : name=on",
       NULL},
      {"(call f xs... : name=one) -> (call f xs... : name=two)", "call (param 0) 1.0 : name=ones",
       NULL},
  };
  CHECK(rows);
}

/* ---- what results make ---- */

static void test_results(void **state) {
  (void)state;
  static const row rows[] = {
      {"(add (add x A) B):i32 -> (add x {A + B})", "add (add %x 5) 2147483647",
       "add %x -2147483644"},
      {"(add (add x A) B):i32 -> (add x {A + B})", "add 2 (add 1 %v)", "add %v 3"},
      {"(max x C) -> (add C x)", "max %w 0.5", "add 0.5 %w"},
      {"(max x 7) -> 7", "max %x 7", "const 7"},
      {"(max x 7) -> 7", "max %f 7", "const 7.0"},
      {"(max x 7) -> 7", "max %h 7", "cast 7.0 : dtype=f16"},
      {"(max x 7) -> 7", "max %v 7", "expand (reshape 7, (1, 1)), (2, 3)"},
      {"(max x 7) -> 7", "max %k 7", "expand (reshape (cast 7.0 : dtype=f16), (1, 1)), (2, 3)"},
      {"(max x true) -> true", "max %b true", "const true"},
      {"(max x 1) -> 1", "max %b true", "const true"},
      {"(cmpne x:i32 x) -> false", "cmpne %x %x", "const false"},
      {"(cmplt x:f32 -inf) -> false", "cmplt %f -inf", "const false"},
      {"(cast A:i32 : dtype=f32) -> {A}", "cast 5 : dtype=f32", "const 5.0"},
      {"(cast A:i32 : dtype=f32) -> {A}", "cast 16777217 : dtype=f32", "const 16777216.0"},
      {"(cast A:i32 : dtype=f16) -> {A + 1}", "cast 5 : dtype=f16", "cast 6.0 : dtype=f16"},
      {"(cast A:bool : dtype=i32) -> {A}", "cast true : dtype=i32", "const 1"},
      {"(cmplt A:i32 B) -> {A < B}", "cmplt 1 2", "const true"},
      {"(cmplt A:i32 B) -> {A < B}", "cmplt 2 1", "const false"},
      {"(cmplt A:i32 B) -> {A}", "cmplt 1 5", "const true"},
      {"(cmplt A:i32 B) -> {A}", "cmplt 2 5", NULL}, /* no bool is 2 */
      {"(cmplt A:i32 B) -> {A}", "cmplt -1 5", NULL},
      {"(add A B) -> {A + B}", "add 1 2", "const 3"},
      {"(add A B) -> {A + B}", "add true false", "const true"},
      {"(add A B) -> {A + B}", "add true true", NULL},
      {"(add A B) -> {A + B}", "add 1.0 2.0", NULL}, /* no number of 64 bits */
      {"(sqrt x) -> (add x 1)", "sqrt %w", "add %w 1"},
      {"(sqrt x) -> (add 1 x)", "sqrt %k", "add 1 %k"},
      {"(sqrt x) -> (where true x 2)", "sqrt %w", "where true %w 2"},
      {"(max x C) -> (mul (add x C) (add x C))", "max %x 3", "mul (add %x 3) (add %x 3)"},
      {"(stack x y) -> (stack y x) if 1", "stack %x %y", "stack %y %x"},
      {"(stack x y) -> (stack y x) if 1", "stack %x %y %z", NULL},
      {"(stack x y):i32 -> (stack 1 x) if 1", "stack %x %y", "stack 1 %x"},
      /* shorthand is built as a program's is */
      {"(max x:i32 7) -> (neg x)", "max %x 7", "neg %x"},
      {"(max x 7) -> (neg x)", "max %w 7", "neg %w"},
      {"(max x 7) -> (sub x 1)", "max %w 7", "sub %w 1"},
      {"(max x 7) -> (sub 1 x)", "max %v 7", "sub 1 %v"},
      {"(max x 7) -> (min x 9)", "max %v 7", "min %v 9"},
      {"(max x 7) -> (min x 9)", "max %w 7", "min %w 9"},
      {"(max x 7) -> (relu x)", "max %k 7", "relu %k"},
      {"(max x 7):i32 -> (mod x 9)", "max %v 7", "floormod %v 9"},
      {"(max x 7):i32 -> (div 9 x)", "max %v 7", "floordiv 9 %v"},
      {"(max x true) -> (and x (not x))", "max %c true", "and %c (not %c)"},
      {"(max x true) -> (or x x)", "max %b true", "or %b %b"},
      {"(cmplt x 7) -> (le x 8)", "cmplt %v 7", "le %v 8"},
      {"(cmplt x 7) -> (le x 8)", "cmplt %w 7", "le %w 8"},
      {"(cmplt x 7) -> (ge x 8)", "cmplt %w 7", "ge %w 8"},
      {"(cmplt x 7) -> (gt x 8)", "cmplt %h 7", "gt %h 8"},
      {"(cmplt x 7) -> (lt 8 x)", "cmplt %h 7", "lt 8 %h"},
      {"(cmplt x 7) -> (eq x 8)", "cmplt %x 7", "eq %x 8"},
      {"(cmplt x 7) -> (ne x 8)", "cmplt %x 7", "ne %x 8"},
  };
  CHECK(rows);
}

/* ---- arithmetic ---- */

/* Of A = 7 and B = -3, both i32. NULL: it has no value, and the rule does not apply. */
static const struct {
  const char *expression, *want;
  bool beyond; /* it is not 0, but it is modulo 2^32 */
} sums[] = {
    {"1", "1", false},
    {"A", "7", false},
    {"B", "-3", false},
    {"A + B", "4", false},
    {"A - B", "10", false},
    {"A * B", "-21", false},
    {"A // B", "-3", false},
    {"A % B", "-2", false},
    {"B // A", "-1", false},
    {"B % A", "4", false},
    {"-7 // 2", "-4", false},
    {"-(7 // 2)", "-3", false},
    {"7 // -2", "-4", false},
    {"-7 // -2", "3", false},
    {"8 // -2", "-4", false},
    {"-8 // 2", "-4", false},
    {"-7 % 2", "1", false},
    {"7 % -2", "-1", false},
    {"-7 % -2", "-1", false},
    {"8 % -2", "0", false},
    {"-8 % 2", "0", false},
    {"1 // 0", NULL, false},
    {"1 % 0", NULL, false},
    {"A // (B + 3)", NULL, false},
    {"1 + 2 * 3", "7", false},
    {"(1 + 2) * 3", "9", false},
    {"10 - 3 - 2", "5", false},
    {"10 - (3 - 2)", "9", false},
    {"7 // 2 * 2", "6", false},
    {"7 * 2 // 4 % 2", "1", false},
    {"- -3", "3", false},
    {"--3", "3", false},
    {"-2 * -3", "6", false},
    {"2 - -3", "5", false},
    {"-A + 1", "-6", false},
    {"-(A + 1)", "-8", false},
    {"A < B", "0", false},
    {"B < A", "1", false},
    {"A <= 7", "1", false},
    {"A <= 6", "0", false},
    {"A > 7", "0", false},
    {"A > 6", "1", false},
    {"A >= 7", "1", false},
    {"A >= 8", "0", false},
    {"A == 7", "1", false},
    {"A == B", "0", false},
    {"A != 7", "0", false},
    {"A != B", "1", false},
    {"1 + 1 == 2", "1", false},
    {"2 * 3 < 7", "1", false},
    {"(1 < 2) + (2 < 3)", "2", false},
    {"not 0", "1", false},
    {"not 5", "0", false},
    {"not not 5", "1", false},
    {"not 1 == 2", "1", false},
    {"not 1 + 1", "0", false},
    {"(not 1) + 1", "1", false},
    {"1 or 0 and 0", "1", false},
    {"(1 or 0) and 0", "0", false},
    {"0 and 0 or 1", "1", false},
    {"not 1 or 1", "1", false},
    {"not (1 or 1)", "0", false},
    {"not 0 and 0", "0", false},
    {"4 and 2", "1", false},
    {"0 or 2", "1", false},
    {"0 or 0", "0", false},
    {"1 < 2 and 2 < 3", "1", false},
    {"1 < 2 and 3 < 3", "0", false},
    {"0 and 1 // 0", NULL, false}, /* all of it has to have a value */
    {"1 or 1 // 0", NULL, false},
    {"min(A, B)", "-3", false},
    {"max(A, B)", "7", false},
    {"max(B, A)", "7", false},
    {"min(1 + 1, 3)", "2", false},
    {"abs(B)", "3", false},
    {"abs(A)", "7", false},
    {"gcd(12, 18)", "6", false},
    {"gcd(12, -18)", "6", false},
    {"gcd(-12, 18)", "6", false},
    {"gcd(0, -5)", "5", false},
    {"gcd(5, 0)", "5", false},
    {"gcd(0, 0)", "0", false},
    {"gcd(7, 13)", "1", false},
    {"lo(A) + hi(B)", "4", false},
    {"abs(min(B, gcd(A, 14)))", "3", false},
    {"2147483647 + 1", "-2147483648", false}, /* modulo 2^32 */
    {"2147483648", "-2147483648", false},
    {"4294967295", "-1", false},
    {"4294967296", "0", true},
    {"-2147483649", "2147483647", false},
    {"9223372036854775807", "-1", false},
    {"9223372036854775807 + 1", NULL, false}, /* but no number is beyond 64 bits */
    {"1 + 9223372036854775807", NULL, false},
    {"-9223372036854775807 - 1", "0", true},
    {"-9223372036854775807 - 2", NULL, false},
    {"-9223372036854775807 + -2", NULL, false},
    {"9223372036854775807 - -1", NULL, false},
    {"0 - (-9223372036854775807 - 1)", NULL, false},
    {"-1 - (-9223372036854775807 - 1)", "-1", false},
    {"-(-9223372036854775807 - 1)", NULL, false},
    {"abs(-9223372036854775807 - 1)", NULL, false},
    {"abs(-9223372036854775807)", "-1", false},
    {"(-9223372036854775807 - 1) // -1", NULL, false},
    {"(-9223372036854775807 - 1) // 1", "0", true},
    {"(-9223372036854775807 - 1) * -1", NULL, false},
    {"-1 * (-9223372036854775807 - 1)", NULL, false},
    {"(-9223372036854775807 - 1) * 1", "0", true},
    {"(-9223372036854775807 - 1) * 0", "0", false},
    {"3037000500 * 3037000500", NULL, false},
    {"3037000499 * 3037000499", "-1633559511", false}, /* 9223372030926249001 */
    {"3037000500 * -3037000500", NULL, false},
    {"4611686018427387904 * 2", NULL, false},
    {"4611686018427387904 * -2", "0", true},
    {"-4611686018427387904 * 2", "0", true},
    {"-4611686018427387904 * -2", NULL, false},
    {"-4611686018427387905 * 2", NULL, false},
    {"-1 * 9223372036854775807", "1", false},
    {"gcd(-9223372036854775807 - 1, 0)", NULL, false},
};

static void test_arithmetic(void **state) {
  (void)state;
  char rule[200], want[50];
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    snprintf(rule, sizeof rule, "[max A B]:i32 -> {%s}", sums[i].expression);
    if (sums[i].want) snprintf(want, sizeof want, "const %s", sums[i].want);
    row r = {rule, "max 7 -3", sums[i].want ? want : NULL};
    wrong += !row_holds(&r);
  }
  assert_int_equal(wrong, 0);
}

/* A condition holds where its number is not 0. */
static void test_conditions(void **state) {
  (void)state;
  char rule[200];
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    snprintf(rule, sizeof rule, "[max A B]:i32 -> 5 if %s", sums[i].expression);
    bool holds = sums[i].beyond || (sums[i].want && strcmp(sums[i].want, "0"));
    row r = {rule, "max 7 -3", holds ? "const 5" : NULL};
    wrong += !row_holds(&r);
  }
  assert_int_equal(wrong, 0);
  static const row rows[] = {
      {"(floormod x C) -> x if lo(x) >= 0 and hi(x) < C", "floormod (floormod %x 8) 9",
       "floormod %x 8"},
      {"(floormod x C) -> x if lo(x) >= 0 and hi(x) < C", "floormod (floormod %x 9) 8", NULL},
      {"(floormod x C) -> x if lo(x) >= 0 and hi(x) < C", "floormod (floormod %v 8) 8",
       "floormod %v 8"},
      {"(floormod x C) -> x if lo(x) >= 0 and hi(x) < C", "floormod %x %y", NULL},
      {"(cmplt x y) -> true if hi(x) < lo(y)", "cmplt (floormod %x 8) 8", "const true"},
      {"(cmplt x y) -> true if hi(x) < lo(y)", "cmplt (floormod %x 8) 7", NULL},
      {"(cmplt x y) -> true if hi(x) < lo(y)", "cmplt 1.0 2.0", NULL}, /* floats have no bounds */
      {"(mul x y):bool -> x if lo(y) == 1", "mul %b (cmplt 1 2)", "%b"},
      {"(max x C):i32 -> x if 4294967296", "max %x 1", "%x"}, /* not modulo 2^32 here */
      {"(reduce x : op=add pop=n) -> (reduce x : op=max pop=n) if n", "reduce %v : op=add pop=0",
       NULL},
  };
  CHECK(rows);
}

#define TEST(f) cmocka_unit_test_setup_teardown(test_##f, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(literals),   TEST(constants), TEST(variables),
                                     TEST(orders),     TEST(rest),      TEST(op_sets),
                                     TEST(types),      TEST(args),      TEST(results),
                                     TEST(arithmetic), TEST(conditions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
