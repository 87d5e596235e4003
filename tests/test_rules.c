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
      /* what the result needs, the pattern asks for */
      {"(max x:number 1) -> (mul x 2)", "max %x 1", "mul %x 2"},
      {"(max x:number 1) -> (mul x 2)", "max %k 1", "mul %k 2"},
      {"(max x:number 1) -> (mul x 2)", "max %b true", NULL},
      {"(max x 1):number -> (mul x 2)", "max %b true", NULL},
      {"(max x 2) -> (mul x 3)", "max %x 2", "mul %x 3"}, /* no bool is 2 */
      {"(cmplt x:float y) -> (cmpne (sqrt x) (sqrt y))", "cmplt %f %g",
       "cmpne (sqrt %f) (sqrt %g)"},
      {"(cmplt x:float y) -> (cmpne (sqrt x) (sqrt y))", "cmplt %x %y", NULL},
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
      {"(load (param : space=global)):float -> 1.0", "load %n", "expand (reshape 1.0, (1,)), (4,)"},
      {"(load (param : space=global)):float -> 1.0", "load %m", NULL},
      {"(load (buffer : slot=2)):float -> 1.0", "load %m", "expand (reshape 1.0, (1,)), (4,)"},
      {"(load (buffer : slot=3)):float -> 1.0", "load %m", NULL},
      {"(load (buffer : dtype=f32)):float -> 1.0", "load %m", "expand (reshape 1.0, (1,)), (4,)"},
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

/* ---- errors ---- */

typedef struct fault {
  const char *text;
  uint32_t line, column, length;
  uop_code code;
  const char *message;
} fault;

static bool adds(const char *text, uop_diags *d) {
  uop_rules *r = uop_rules_new(ctx);
  assert_non_null(r);
  bool ok = uop_rules_add_text(r, text, strlen(text), d);
  assert_true(ok || uop_rules_len(r) == 0);
  uop_rules_free(r);
  return ok;
}

static bool is_fault(const uop_diag *d, const fault *f) {
  return d->line == f->line && d->column == f->column && d->length == f->length &&
         d->code == f->code && !strcmp(d->message + d->reason, f->message);
}

/* The only error of its text, which is in the context as well. */
static bool fault_holds(const fault *f) {
  uop_diags d = {0};
  bool ok = adds(f->text, &d);
  size_t n = 0;
  const uop_diag *first = d.len ? d.at : uop_error(ctx);
  for (size_t i = 0; i < d.len; i++) n += d.at[i].code < UOP_W_UNUSED;
  bool same = !ok && n == 1 && is_fault(first, f) && is_fault(uop_error(ctx), f);
  if (!same)
    print_error("%s\n  %d errors, the first {%u, %u, %u, %d, \"%s\"}\n", f->text, (int)n,
                first->line, first->column, first->length, (int)first->code,
                first->message + first->reason);
  uop_diags_free(ctx, &d);
  return same;
}

static void check_faults(const fault *f, size_t n) {
  size_t wrong = 0;
  for (size_t i = 0; i < n; i++) wrong += !fault_holds(&f[i]);
  assert_int_equal(wrong, 0);
}

/* Each message of the reader once or more often. */
static void test_faults(void **state) {
  (void)state;
  /* clang-format off */
  static const fault faults[] = {
    {"add_zero (add x 0) -> x", 1, 1, 8, UOP_E_SYNTAX, "a rule begins with its name and a colon"},
    {"(add x 0) -> x", 1, 1, 1, UOP_E_SYNTAX, "a rule begins with its name and a colon"},
    {"a : (add x 0) -> x", 1, 1, 1, UOP_E_SYNTAX, "a rule begins with its name and a colon"},
    {"a: x -> x", 1, 4, 1, UOP_E_SYNTAX, "a pattern begins with ( and an op"},
    {"a: 5 -> 5", 1, 4, 1, UOP_E_SYNTAX, "a pattern begins with ( and an op"},
    {"a: C -> 5", 1, 4, 1, UOP_E_SYNTAX, "a pattern begins with ( and an op"},
    {"a:", 1, 3, 1, UOP_E_SYNTAX, "a pattern begins with ( and an op"},
    {"a: (add x 0)", 1, 13, 1, UOP_E_SYNTAX, "-> is missing here, between what is matched and what replaces it"},
    {"a: (add x 0) x", 1, 14, 1, UOP_E_SYNTAX, "-> is missing here, between what is matched and what replaces it"},
    {"a: (add x 0) ->", 1, 16, 1, UOP_E_SYNTAX, "a result stands here: (op \342\200\246), a variable, a literal or {\342\200\246}"},
    {"a: (add x 0) -> x y", 1, 19, 1, UOP_E_SYNTAX, "a rule ends here, and the next one begins with its name and a colon"},
    {"a: (add x 0) -> x if", 1, 21, 1, UOP_E_SYNTAX, "a number stands here: a constant, lo(x), hi(x) or arithmetic of them"},
    {"a: (add x 0) -> x if x", 1, 22, 1, UOP_E_SYNTAX, "x is no constant: numbers are constants, lo(x) and hi(x)"},
    {"a: (add x 0) -> )", 1, 17, 1, UOP_E_SYNTAX, "a result stands here: (op \342\200\246), a variable, a literal or {\342\200\246}"},
    {"a: (add x 0 -> x", 1, 4, 1, UOP_E_SYNTAX, "this ( is never closed"},
    {"a: (add x 0] -> x", 1, 12, 1, UOP_E_SYNTAX, "a pattern stands here: (op \342\200\246), a variable or a literal"},
    {"a: [add x 0) -> x", 1, 12, 1, UOP_E_SYNTAX, "a pattern stands here: (op \342\200\246), a variable or a literal"},
    {"a: [add x 0", 1, 4, 1, UOP_E_SYNTAX, "this [ is never closed"},
    {"a: (add x (mul y 0) -> x", 1, 4, 1, UOP_E_SYNTAX, "this ( is never closed"},
    {"a: (add x 0) -> (mul x", 1, 17, 1, UOP_E_SYNTAX, "this ( is never closed"},
    {"a: (add x 0) -> x\na: (add x 1) -> x", 2, 1, 1, UOP_E_NAME, "rule a is already defined on line 1"},
    {"a: () -> x", 1, 5, 1, UOP_E_SYNTAX, "an op stands here"},
    {"a: (5 x) -> x", 1, 5, 1, UOP_E_SYNTAX, "an op stands here"},
    {"a: (foo x) -> x", 1, 5, 3, UOP_E_SYNTAX, "unknown op foo"},
    {"a: (add|foo x 0) -> x", 1, 9, 3, UOP_E_SYNTAX, "unknown op foo"},
    {"a: (add| x 0) -> x", 1, 10, 1, UOP_E_SYNTAX, "unknown op x"},
    {"a: (sub x 0) -> x", 1, 5, 3, UOP_E_SYNTAX, "sub is shorthand, and no op: match what it stands for, add a (neg b)"},
    {"a: (neg x) -> x", 1, 5, 3, UOP_E_SYNTAX, "neg is shorthand, and no op: match what it stands for, mul x -1"},
    {"a: (add x) -> x", 1, 4, 7, UOP_E_ARITY, "add takes 2 operands, here it has 1"},
    {"a: (add x y z) -> x", 1, 4, 11, UOP_E_ARITY, "add takes 2 operands, here it has 3"},
    {"a: (where x y) -> x", 1, 4, 11, UOP_E_ARITY, "where takes 3 operands, here it has 2"},
    {"a: (recip x y) -> x", 1, 4, 11, UOP_E_ARITY, "recip takes 1 operand, here it has 2"},
    {"a: (const x) -> x", 1, 4, 9, UOP_E_ARITY, "const takes 0 operands, here it has 1"},
    {"a: (index x) -> x", 1, 4, 9, UOP_E_ARITY, "index takes at least 2 operands, here it has 1"},
    {"a: (add|mul x) -> x", 1, 4, 11, UOP_E_ARITY, "mul takes 2 operands, here it has 1"},
    {"a: (unary x y) -> x", 1, 4, 11, UOP_E_ARITY, "sin takes 1 operand, here it has 2"},
    {"a: (add x 0) -> (add x)", 1, 17, 7, UOP_E_ARITY, "add takes 2 operands, here it has 1"},
    {"a: (add x 0) -> (where x x)", 1, 17, 11, UOP_E_ARITY, "where takes 3 operands, here it has 2"},
    {"a: (add x 0) -> (neg x x)", 1, 17, 9, UOP_E_ARITY, "neg takes 1 operand, here it has 2"},
    {"a: (add x 0) -> (sub x)", 1, 17, 7, UOP_E_ARITY, "sub takes 2 operands, here it has 1"},
    {"a: (add x 0) -> (param : slot=0 dtype=i32 space=alu)", 1, 17, 36, UOP_E_ARG, "a result cannot make a param"},
    {"a: (add x 0) -> (const)", 1, 17, 7, UOP_E_ARG, "a result cannot make a const"},
    {"a: (add x 0) -> (foo x)", 1, 18, 3, UOP_E_SYNTAX, "unknown op foo"},
    {"a: (add x 0) -> (x 1)", 1, 18, 1, UOP_E_SYNTAX, "unknown op x"},
    {"a: (add x 0) -> y", 1, 17, 1, UOP_E_SYNTAX, "y is not in the pattern"},
    {"a: (add x 0) -> _", 1, 17, 1, UOP_E_SYNTAX, "_ is not in the pattern"},
    {"a: (add x 0) -> (!foo x)", 1, 19, 3, UOP_E_SYNTAX, "no function foo is defined"},
    {"a: (add x 0) -> (! x)", 1, 20, 1, UOP_E_SYNTAX, "no function x is defined"},
    {"a: (add x 0) -> (!)", 1, 19, 1, UOP_E_SYNTAX, "a function's name stands here"},
    {"a: (o=add x 0) -> o", 1, 19, 1, UOP_E_SYNTAX, "o stands for no node"},
    {"a: (o=add x y) -> (o x y z) if 1", 1, 26, 1, UOP_E_SYNTAX, "z is not in the pattern"},
    {"a: (sink x xs...) -> xs", 1, 22, 2, UOP_E_SYNTAX, "xs is several nodes: write xs..."},
    {"a: (sink x xs...) -> (sink ys...)", 1, 28, 2, UOP_E_SYNTAX, "ys... is not in the pattern"},
    {"a: (sink x xs...) -> (sink x...)", 1, 28, 1, UOP_E_SYNTAX, "x... is not in the pattern"},
    {"a: (sink x xs... y) -> (sink x)", 1, 18, 1, UOP_E_SYNTAX, "nothing may stand behind the rest"},
    {"a: (sink xs... xs...) -> (sink)", 1, 16, 2, UOP_E_SYNTAX, "nothing may stand behind the rest"},
    {"a: (sink (sink xs...) xs...) -> (sink)", 1, 23, 2, UOP_E_SYNTAX, "xs... stands in the pattern twice"},
    {"a: (sink x xs...) -> (sink xs... x)", 1, 34, 1, UOP_E_SYNTAX, "nothing may stand behind the rest"},
    {"a: (sink x x...) -> (sink x)", 1, 12, 1, UOP_E_NAME, "x stands for something else already"},
    {"a: (add o (o=mul x y)) -> x", 1, 12, 1, UOP_E_NAME, "o stands for something else already"},
    {"a: (mul (o=add x y) (o=add z w)) -> x", 1, 22, 1, UOP_E_SYNTAX, "an op's variable is set once"},
    {"a: (add x y=5) -> x", 1, 11, 1, UOP_E_SYNTAX, "no attribute y; as a name for what is matched, it stands before ( or ["},
    {"a: (add y y=(mul x 1)) -> x", 1, 11, 1, UOP_E_NAME, "this variable is set already"},
    {"a: (add X=(mul x 1) 0) -> x", 1, 9, 1, UOP_E_NAME, "X begins with a capital, and so is a constant"},
    {"a: (add Xs... 0) -> x", 1, 9, 2, UOP_E_NAME, "Xs begins with a capital, and so is a constant"},
    {"a: (sink Xs...) -> x", 1, 10, 2, UOP_E_NAME, "Xs begins with a capital, and so is a constant"},
    {"a: (add add 0) -> 0", 1, 9, 3, UOP_E_NAME, "add has a meaning of its own and is no variable"},
    {"a: (add neg 0) -> 0", 1, 9, 3, UOP_E_NAME, "neg has a meaning of its own and is no variable"},
    {"a: (add if 0) -> 0", 1, 9, 2, UOP_E_NAME, "if has a meaning of its own and is no variable"},
    {"a: (add lo 0) -> 0", 1, 9, 2, UOP_E_NAME, "lo has a meaning of its own and is no variable"},
    {"a: (add gcd 0) -> 0", 1, 9, 3, UOP_E_NAME, "gcd has a meaning of its own and is no variable"},
    {"a: (add dtype 0) -> 0", 1, 9, 5, UOP_E_NAME, "dtype has a meaning of its own and is no variable"},
    {"a: (add x:) -> 0", 1, 11, 1, UOP_E_SYNTAX, "a dtype stands here: bool, i32, f32, f16, void, float or number"},
    {"a: (add x:f64 0) -> x", 1, 11, 3, UOP_E_SYNTAX, "a dtype stands here: bool, i32, f32, f16, void, float or number"},
    {"a: (add x:i32| 0) -> x", 1, 16, 1, UOP_E_SYNTAX, "a dtype stands here: bool, i32, f32, f16, void, float or number"},
    {"a: (add x 99999999999999999999) -> x", 1, 11, 20, UOP_E_SYNTAX, "this integer is beyond 64 bits"},
    {"a: (add x 1e99) -> x", 1, 11, 4, UOP_E_SYNTAX, "this number is beyond the range of f32"},
    {"a: (add x 1.5.2) -> x", 1, 11, 5, UOP_E_SYNTAX, "malformed number"},
    {"a: (add x 0x10) -> x", 1, 11, 4, UOP_E_SYNTAX, "malformed number"},
    {"a: (add x 1e) -> x", 1, 11, 2, UOP_E_SYNTAX, "malformed number"},
    {"a: (add x $) -> x", 1, 11, 1, UOP_E_SYNTAX, "a pattern stands here: (op \342\200\246), a variable or a literal"},
    {"a: (add x \"a\") -> x", 1, 11, 1, UOP_E_SYNTAX, "a pattern stands here: (op \342\200\246), a variable or a literal"},
    {"a: (add x {1}) -> x", 1, 11, 1, UOP_E_SYNTAX, "a pattern stands here: (op \342\200\246), a variable or a literal"},
    {"a: (add x 0) -> (reduce x)", 1, 17, 10, UOP_E_ARG, "a result says all of the arg: op="},
    {"a: (add x 0) -> (reduce x : op=add)", 1, 17, 19, UOP_E_ARG, "a result says all of the arg: pop="},
    {"a: (add x 0) -> (cast x)", 1, 17, 8, UOP_E_ARG, "a result says all of the arg: dtype="},
    {"a: (add x 0) -> (reshape x)", 1, 17, 11, UOP_E_ARG, "a result says all of the arg: the tuple"},
    {"a: (add x 0) -> (call x x)", 1, 17, 10, UOP_E_ARG, "a result says all of the arg: name="},
    {"a: (add x 0) -> (range x : idx=0)", 1, 17, 17, UOP_E_ARG, "a result says all of the arg: kind="},
    {"a: (add x 0 : dtype=f32) -> x", 1, 15, 5, UOP_E_SYNTAX, "no attribute of this op"},
    {"a: (reduce x : op=add op=add) -> x", 1, 23, 2, UOP_E_SYNTAX, "op is given twice"},
    {"a: (reduce x : op=add pop=1.5) -> x", 1, 27, 3, UOP_E_SYNTAX, "pop is an integer"},
    {"a: (reduce x : op=add pop=99999999999999999999) -> x", 1, 27, 20, UOP_E_SYNTAX, "pop is an integer"},
    {"a: (reduce x : op=add pop=) -> x", 1, 27, 1, UOP_E_SYNTAX, "a value of pop stands here"},
    {"a: (reduce x : op=5 pop=0) -> x", 1, 19, 1, UOP_E_SYNTAX, "a value of op stands here"},
    {"a: (reduce x : op=foo pop=0) -> x", 1, 19, 3, UOP_E_NAME, "foo is no value of this attribute, and as a variable it is never used"},
    {"a: (reduce x : op=add pop=n) -> x", 1, 27, 1, UOP_E_NAME, "n is no value of this attribute, and as a variable it is never used"},
    {"a: (reduce x : op=add pop={1}) -> x", 1, 27, 1, UOP_E_SYNTAX, "a value of pop stands here"},
    {"a: (reduce x : op=_ pop=0) -> x", 1, 19, 1, UOP_E_SYNTAX, "leave out what may be anything"},
    {"a: (reduce x : op=add pop=0 y) -> x", 1, 29, 1, UOP_E_SYNTAX, "an operand behind the attributes"},
    {"a: (cast x : dtype=f64) -> x", 1, 20, 3, UOP_E_NAME, "f64 is no value of this attribute, and as a variable it is never used"},
    {"a: (cast x : dtype=X) -> x", 1, 20, 1, UOP_E_NAME, "X begins with a capital, and so is a constant"},
    {"a: (cast x : dtype=d) -> (cast x : dtype=e)", 1, 42, 1, UOP_E_SYNTAX, "e is not in the pattern"},
    {"a: (cast x : dtype=d) -> (range x : idx=0 kind=d)", 1, 48, 1, UOP_E_SYNTAX, "d is no kind"},
    {"a: (cast x : dtype=d) -> (range x : idx=d kind=loop)", 1, 41, 1, UOP_E_SYNTAX, "d is no idx"},
    {"a: (cast x : dtype=x) -> x", 1, 20, 1, UOP_E_NAME, "x stands for something else already"},
    {"a: (cast x : dtype=d) -> d", 1, 26, 1, UOP_E_SYNTAX, "d stands for no node"},
    {"a: (cast x : dtype=d) -> {d}", 1, 27, 1, UOP_E_SYNTAX, "d is no constant: numbers are constants, lo(x) and hi(x)"},
    {"a: (param : slot=f) -> {f + 1.5}", 1, 30, 1, UOP_E_SYNTAX, "} is missing here, behind the expression"},
    {"a: (call f : name=5) -> f", 1, 19, 1, UOP_E_SYNTAX, "a value of name stands here"},
    {"a: (reshape x 5) -> x", 1, 15, 1, UOP_E_SYNTAX, "a tuple, or a variable for one, stands here"},
    {"a: (reshape x (2, y)) -> x", 1, 19, 1, UOP_E_SYNTAX, "an integer stands here"},
    {"a: (reshape x (2 3)) -> x", 1, 18, 1, UOP_E_SYNTAX, "a comma or ) is missing here"},
    {"a: (reshape x (2, 3) 4) -> x", 1, 22, 1, UOP_E_SYNTAX, "nothing may stand behind the tuple"},
    {"a: (reshape x ((2, (3)))) -> x", 1, 20, 1, UOP_E_SYNTAX, "an integer stands here"},
    {"a: (reshape x _) -> x", 1, 15, 1, UOP_E_SYNTAX, "leave out what may be anything"},
    {"a: (reshape x s) -> (permute x t)", 1, 32, 1, UOP_E_SYNTAX, "t is not in the pattern"},
    {"a: (reshape x s) -> (reshape x x)", 1, 32, 1, UOP_E_SYNTAX, "x is no tuple"},
    {"a: (add x 0) -> (reshape x s)", 1, 28, 1, UOP_E_SYNTAX, "s is not in the pattern"},
    {"a: (add x : y) -> x", 1, 13, 1, UOP_E_SYNTAX, "behind the colon stand attributes, such as dtype=f32"},
    {"a: (reduce x : axis=1) -> x", 1, 16, 4, UOP_E_SYNTAX, "no attribute axis"},
    {"a: (add x : : y) -> x", 1, 13, 1, UOP_E_SYNTAX, "behind the colon stand attributes, such as dtype=f32"},
    {"a: (add x,, y) -> x", 1, 11, 1, UOP_E_SYNTAX, "an operand is missing here, behind the comma"},
    {"a: (add x, y,) -> x", 1, 14, 1, UOP_E_SYNTAX, "an operand is missing here, behind the comma"},
    {"a: (add , x y) -> x", 1, 9, 1, UOP_E_SYNTAX, "a pattern stands here: (op \342\200\246), a variable or a literal"},
    {"a: x==(add y 0) -> y", 1, 4, 1, UOP_E_SYNTAX, "a pattern begins with ( and an op"},
    {"a: (add A B) -> {A + }", 1, 22, 1, UOP_E_SYNTAX, "a number stands here: a constant, lo(x), hi(x) or arithmetic of them"},
    {"a: (add A B) -> {A + C}", 1, 22, 1, UOP_E_SYNTAX, "C is not in the pattern"},
    {"a: (add A x) -> {A + x}", 1, 22, 1, UOP_E_SYNTAX, "x is no constant: numbers are constants, lo(x) and hi(x)"},
    {"a: (add A B) -> {}", 1, 18, 1, UOP_E_SYNTAX, "a number stands here: a constant, lo(x), hi(x) or arithmetic of them"},
    {"a: (add A B) -> {A", 1, 19, 1, UOP_E_SYNTAX, "} is missing here, behind the expression"},
    {"a: (add A B) -> {A B}", 1, 20, 1, UOP_E_SYNTAX, "} is missing here, behind the expression"},
    {"a: (add A B) -> {A + 1.5}", 1, 23, 1, UOP_E_SYNTAX, "} is missing here, behind the expression"},
    {"a: (add A B) -> {A + 99999999999999999999}", 1, 22, 20, UOP_E_SYNTAX, "this number is beyond 64 bits"},
    {"a: (add A B) -> {A < B < 3}", 1, 24, 1, UOP_E_SYNTAX, "comparisons do not chain: write a <= b and b < c"},
    {"a: (add A B) -> {A == B <= 3}", 1, 25, 2, UOP_E_SYNTAX, "comparisons do not chain: write a <= b and b < c"},
    {"a: (add A B) -> {(A}", 1, 20, 1, UOP_E_SYNTAX, ") is missing here, behind the expression"},
    {"a: (add A B) -> {min(A)}", 1, 23, 1, UOP_E_SYNTAX, ", is missing here, before the second number"},
    {"a: (add A B) -> {min A}", 1, 22, 1, UOP_E_SYNTAX, "( is missing here, in front of what the function is of"},
    {"a: (add A B) -> {abs(A, B)}", 1, 23, 1, UOP_E_SYNTAX, ") is missing here, behind what the function is of"},
    {"a: (add A B) -> {lo(A + B)}", 1, 23, 1, UOP_E_SYNTAX, ") is missing here, behind the variable"},
    {"a: (add A B) -> {lo A}", 1, 21, 1, UOP_E_SYNTAX, "( is missing here, around the variable"},
    {"a: (add A B) -> {lo(A}", 1, 22, 1, UOP_E_SYNTAX, ") is missing here, behind the variable"},
    {"a: (add A B) -> {lo(c)}", 1, 21, 1, UOP_E_SYNTAX, "lo and hi are of a variable of the pattern"},
    {"a: (o=add A B) -> {lo(o)}", 1, 23, 1, UOP_E_SYNTAX, "o stands for no node"},
    {"a: (add A B) -> {A ** B}", 1, 21, 1, UOP_E_SYNTAX, "a number stands here: a constant, lo(x), hi(x) or arithmetic of them"},
    {"a: (add A B) -> {A & B}", 1, 20, 1, UOP_E_SYNTAX, "} is missing here, behind the expression"},
    {"a: (add A B) -> {3x}", 1, 18, 1, UOP_E_SYNTAX, "a number stands here: a constant, lo(x), hi(x) or arithmetic of them"},
    {"a: (add x 0) -> x if 1 <", 1, 25, 1, UOP_E_SYNTAX, "a number stands here: a constant, lo(x), hi(x) or arithmetic of them"},
    {"a: (add x 0) -> x if (1", 1, 24, 1, UOP_E_SYNTAX, ") is missing here, behind the expression"},
    {"a: (sqrt x:i32) -> x", 1, 10, 1, UOP_E_DTYPE, "f32|f16 is wanted here, and this is i32"},
    {"a: (add x:i32 y:f32) -> x", 1, 15, 1, UOP_E_DTYPE, "i32 is wanted here, and this is f32"},
    {"a: (floordiv x:f32 y) -> x", 1, 14, 1, UOP_E_DTYPE, "i32 is wanted here, and this is f32"},
    {"a: (sqrt x) -> true", 1, 16, 4, UOP_E_DTYPE, "the two sides have no dtype in common: f32|f16 became bool"},
    {"a: (sqrt x) -> (sink x)", 1, 16, 8, UOP_E_DTYPE, "the two sides have no dtype in common: f32|f16 became void"},
    {"a: (cmplt x:i32 y) -> x", 1, 23, 1, UOP_E_DTYPE, "the two sides have no dtype in common: bool became i32"},
    {"a: (add x:i32 0.5) -> x", 1, 15, 3, UOP_E_DTYPE, "i32 is wanted here, and this is f32|f16"},
    {"a: (add x true):f32 -> x", 1, 4, 12, UOP_E_DTYPE, "f32 is wanted here, and this is bool"},
    {"a: (where x:i32 a b) -> a", 1, 11, 1, UOP_E_DTYPE, "bool is wanted here, and this is i32"},
    {"a: (cast x : dtype=f32):i32 -> x", 1, 4, 20, UOP_E_DTYPE, "i32 is wanted here, and this is f32"},
    {"a: (max x 1) -> (mul x 2)", 1, 4, 9, UOP_E_DTYPE, "the result needs i32|f32|f16 here, and this can be bool|i32|f32|f16: say so, as in x:i32|f32"},
    {"a: (max x x) -> (max x 0.5)", 1, 4, 9, UOP_E_DTYPE, "the result needs f32|f16 here, and this can be bool|i32|f32|f16: say so, as in x:i32|f32"},
    {"a: (add x 1) -> (neg x)", 1, 4, 9, UOP_E_DTYPE, "the result needs i32|f32|f16 here, and this can be bool|i32|f32|f16: say so, as in x:i32|f32"},
    {"a: (load x) -> 1.0", 1, 4, 8, UOP_E_DTYPE, "the result needs f32|f16 here, and this can be bool|i32|f32|f16: say so, as in x:i32|f32"},
    {"a: (where c x y) -> (floordiv x y)", 1, 4, 13, UOP_E_DTYPE, "the result needs i32 here, and this can be bool|i32|f32|f16: say so, as in x:i32|f32"},
    {"a: (add x:number 0) -> (recip x)", 1, 4, 16, UOP_E_DTYPE, "the result needs f32|f16 here, and this can be i32|f32|f16: say so, as in x:i32|f32"},
    {"a: (cmplt x y) -> (cmplt (sqrt x) (sqrt y))", 1, 11, 1, UOP_E_DTYPE, "the result needs f32|f16 here, and this can be bool|i32|f32|f16: say so, as in x:i32|f32"},
    {"a: (sink x y) -> (sink (sqrt y))", 1, 12, 1, UOP_E_DTYPE, "the result needs f32|f16 here, and this can be void|bool|i32|f32|f16: say so, as in x:i32|f32"},
    {"a: (cast x : dtype=f32) -> (sqrt x)", 1, 10, 1, UOP_E_DTYPE, "the result needs f32|f16 here, and this can be bool|i32|f32|f16: say so, as in x:i32|f32"},
    {"a: (cast x) -> (cast x : dtype=i32)", 1, 4, 8, UOP_E_DTYPE, "the result needs i32 here, and this can be bool|i32|f32|f16: say so, as in x:i32|f32"},
    {"a: (add A:f32 B) -> {A + B}", 1, 9, 1, UOP_E_DTYPE, "A is f32, and arithmetic is of i32 and bool"},
    {"a: (add x:f32 0) -> x if lo(x) > 0", 1, 9, 1, UOP_E_DTYPE, "x is f32, and arithmetic is of i32 and bool"},
    {"a: (sink x) -> x if lo(x) > 0", 1, 10, 1, UOP_E_DTYPE, "x is void, and arithmetic is of i32 and bool"},
    {"a: (add x y) -> (add y x)", 1, 1, 1, UOP_E_RULE, "what this rule makes is matched by it again, so that it would never end"},
    {"a: (max x 0) -> (max (max x 0) 0)", 1, 1, 1, UOP_E_RULE, "what this rule makes is matched by it again, so that it would never end"},
    {"a: (sqrt x) -> (add (sqrt x) 1)", 1, 1, 1, UOP_E_RULE, "what this rule makes is matched by it again, so that it would never end"},
    {"a: y=(sqrt x) -> (mul y 1)", 1, 1, 1, UOP_E_RULE, "what this rule makes is matched by it again, so that it would never end"},
    {"a: (reshape x s) -> (reshape (stage x) s)", 1, 1, 1, UOP_E_RULE, "what this rule makes is matched by it again, so that it would never end"},
    {"a: (reduce x : op=mul pop=0) -> x", 1, 19, 3, UOP_E_NAME, "mul has a meaning of its own and is no variable"},
    {"a: (add x 0) -> (reduce x : op=mul pop=0)", 1, 32, 3, UOP_E_SYNTAX, "mul is not in the pattern"},
    {"a: (add x:float y) -> (sqrt x) if 1\nb: (sqrt x:i32) -> x", 2, 10, 1, UOP_E_DTYPE, "f32|f16 is wanted here, and this is i32"},
    {"a: (", 1, 5, 1, UOP_E_SYNTAX, "an op stands here"},
    {"a: (add x 0) -> (", 1, 18, 1, UOP_E_SYNTAX, "an op stands here"},
    {"a: (add x 0) -> (5 x)", 1, 18, 1, UOP_E_SYNTAX, "an op stands here"},
    {"a: (o=add x y) -> (o x y x) if 1", 1, 19, 9, UOP_E_ARITY, "add takes 2 operands, here it has 3"},
    {"a: (movement x s) -> (movement x s)", 1, 23, 8, UOP_E_SYNTAX, "unknown op movement"},
    {"a: (reshape x s) -> (expand x s) -> x", 1, 34, 2, UOP_E_SYNTAX, "a rule ends here, and the next one begins with its name and a colon"},
    {"a: (add x \303\251) -> x", 1, 11, 1, UOP_E_SYNTAX, "a pattern stands here: (op \342\200\246), a variable or a literal"},
  };
  /* clang-format on */
  check_faults(faults, sizeof faults / sizeof *faults);
}

/* The message quotes the line, and marks it as a program's does. */
static void test_quoted_line(void **state) {
  (void)state;
  uop_diags d = {0};
  assert_false(adds("# one\na: (add x 0) -> x\n\n  # two\nb: (add x\n    (foo y)) -> x\n", &d));
  assert_int_equal(d.len, 1);
  assert_string_equal(d.at[0].message, "line 6: '(foo y)) -> x': unknown op foo");
  assert_int_equal(d.at[0].column, 6);
  uop_diags_free(ctx, &d);
}

/* ---- recovery ---- */

static void check_list(const char *text, const fault *want, size_t n) {
  uop_diags d = {0};
  adds(text, &d);
  size_t wrong = d.len != n;
  for (size_t i = 0; i < d.len; i++) {
    if (i < n && is_fault(&d.at[i], &want[i])) continue;
    wrong++;
    print_error("{\"\", %u, %u, %u, %d, \"%s\"},\n", d.at[i].line, d.at[i].column, d.at[i].length,
                (int)d.at[i].code, d.at[i].message + d.at[i].reason);
  }
  uop_diags_free(ctx, &d);
  assert_int_equal(wrong, 0);
}

#define CHECK_LIST(text, list) check_list(text, list, sizeof(list) / sizeof *(list))

/* One error a rule, whatever else is wrong with it; what follows is read. */
static void test_recovery(void **state) {
  (void)state;
  static const fault three[] = {{"", 1, 5, 3, UOP_E_SYNTAX, "unknown op foo"},
                                {"", 5, 5, 3, UOP_E_SYNTAX, "unknown op bar"},
                                {"", 9, 1, 1, UOP_E_NAME, "rule c is already defined on line 7"}};
  CHECK_LIST("a: (foo (x -> \n   (nonsense\n"
             "# why\n\n"
             "b: (bar x) -> (baz x)\n# why\nc: (add x 0) -> x\n"
             "# why\nc: (add x 1) -> x\n",
             three);
  /* what is missing shows at the next rule's name, or behind the last word */
  static const fault four[] = {
      {"", 2, 1, 1, UOP_E_SYNTAX,
       "-> is missing here, between what is matched and what replaces it"},
      {"", 2, 10, 1, UOP_E_DTYPE, "f32|f16 is wanted here, and this is i32"},
      {"", 3, 10, 1, UOP_E_DTYPE, "f32|f16 is wanted here, and this is i32"},
      {"", 5, 1, 1, UOP_E_SYNTAX,
       "a number stands here: a constant, lo(x), hi(x) or arithmetic of them"},
      {"", 5, 10, 1, UOP_E_DTYPE, "f32|f16 is wanted here, and this is i32"},
      {"", 6, 13, 1, UOP_E_SYNTAX,
       "-> is missing here, between what is matched and what replaces it"}};
  CHECK_LIST("a: (add x 0)\nb: (sqrt x:i32) -> x\nc: (sqrt x:i32) -> x\nd: (add A B) -> {A +\n"
             "e: (sqrt x:i32) -> x\nf: (add x 0)\n\n\n",
             four);
  /* a rule that was read keeps its comment across an error before it */
  static const fault one[] = {{"", 1, 5, 3, UOP_E_SYNTAX, "unknown op foo"}};
  CHECK_LIST("a: (foo x) -> x\n  garbage )(\n# why\n# so\nb: (add x 0) -> x\n", one);
}

static void test_many_errors(void **state) {
  (void)state;
  char text[4000], *p = text;
  for (int i = 0; i < 30; i++) p += sprintf(p, "r%d: (foo%d x) -> x\n", i, i);
  uop_diags d = {0};
  assert_false(adds(text, &d));
  assert_int_equal(d.len, UOP_MAX_ERRORS);
  assert_true(d.more);
  for (size_t i = 0; i < d.len; i++) {
    assert_int_equal(d.at[i].line, i + 1);
    assert_int_equal(d.at[i].code, UOP_E_SYNTAX);
  }
  uop_diags_free(ctx, &d);
  p = text; /* and as many warnings, which are no errors */
  for (int i = 0; i < 30; i++) p += sprintf(p, "r%d: (add x %d) -> x\n", i, i);
  assert_true(adds(text, &d));
  assert_int_equal(d.len, UOP_MAX_ERRORS);
  assert_true(d.more);
  uop_diags_free(ctx, &d);
}

/* All or nothing: a text with one error adds no rule, and what was there stays. */
static void test_all_or_nothing(void **state) {
  (void)state;
  uop_rules *r = uop_rules_new(ctx);
  static const char good[] = "# why\na: (add x 0) -> x\n# why\nb: (mul x 1) -> x\n";
  static const char bad[] = "# why\nc: (add x 1) -> x\n# why\nd: (foo x) -> x\n";
  assert_true(uop_rules_add_text(r, good, strlen(good), NULL));
  assert_int_equal(uop_rules_len(r), 2);
  assert_false(uop_rules_add_text(r, bad, strlen(bad), NULL));
  assert_int_equal(uop_rules_len(r), 2);
  assert_true(uop_rules_add_text(r, good, strlen(good), NULL)); /* names are a text's own */
  assert_int_equal(uop_rules_len(r), 4);
  assert_true(uop_rules_add_text(r, "", 0, NULL));
  assert_true(uop_rules_add_text(r, NULL, 0, NULL));
  assert_true(uop_rules_add_text(r, "# nothing", 9, NULL));
  assert_int_equal(uop_rules_len(r), 4);
  assert_false(uop_rules_add_text(NULL, good, strlen(good), NULL));
  uop_rules_free(r);
  uop_rules_free(NULL);
  assert_null(uop_rules_new(NULL));
}

/* ---- form ---- */

/* How a text may be laid out. */
static void test_layout(void **state) {
  (void)state;
  static const char text[] =
      "\xef\xbb\xbf# first\r\n#\tline two \r\na:(add x 0)->x\r\n"
      "# not this one\n\n# this one\nb:\n  (mul\n# in between\n    x, 1)  # behind\n  -> x\n"
      "   if\n 1 c: (max x x) -> x # behind c\nd: (mul x 1) -> x\n"
      "e: (floordiv x 1) -> x";
  uop_rules *r = uop_rules_new(ctx);
  uop_diags d = {0};
  if (!uop_rules_add_text(r, text, strlen(text), &d)) fail_msg("%s", uop_error(ctx)->message);
  static const struct {
    const char *name, *comment, *text;
    uint32_t line;
  } want[] = {
      {"a", "first line two", "a:(add x 0)->x", 3},
      {"b", "this one", "b:\n  (mul\n# in between\n    x, 1)  # behind\n  -> x\n   if\n 1", 7},
      {"c", "", "c: (max x x) -> x", 13},
      {"d", "", "d: (mul x 1) -> x", 14},
      {"e", "", "e: (floordiv x 1) -> x", 15},
  };
  assert_int_equal(uop_rules_len(r), 5);
  for (size_t i = 0; i < 5; i++) {
    uop_rule_info info;
    assert_true(uop_rules_get(r, i, &info));
    assert_string_equal(info.name, want[i].name);
    assert_string_equal(info.comment, want[i].comment);
    assert_string_equal(info.text, want[i].text);
    assert_string_equal(info.set, "");
    assert_int_equal(info.line, want[i].line);
    assert_int_equal(info.hits, 0);
  }
  uop_rule_info info;
  assert_false(uop_rules_get(r, 5, &info));
  assert_false(uop_rules_get(NULL, 0, &info));
  assert_int_equal(uop_rules_len(NULL), 0);
  assert_int_equal(d.len,
                   3); /* c, d and e have no comment; b, which has a condition, shadows none */
  uop_diags_free(ctx, &d);
  uop_rules_free(r);
}

static void test_warnings(void **state) {
  (void)state;
#define NEVER(rule, line) \
  "this rule is never tried: " rule ", on line " line ", always applies before it"
  static const fault all[] = {
      {"", 1, 1, 1, UOP_W_RULE, "no comment above this rule says why it holds"},
      {"", 3, 1, 1, UOP_W_RULE, NEVER("a", "1")},
      {"", 5, 1, 1, UOP_W_RULE, NEVER("a", "1")},
      {"", 9, 1, 1, UOP_W_RULE, NEVER("d", "7")},
      {"", 13, 1, 1, UOP_W_RULE, NEVER("f", "11")},
      {"", 15, 1, 1, UOP_W_RULE, NEVER("f", "11")},
      {"", 19, 1, 1, UOP_W_RULE, NEVER("i", "17")},
      {"", 23, 1, 1, UOP_W_RULE, NEVER("k", "21")},
      {"", 27, 1, 1, UOP_W_RULE, NEVER("m", "25")},
  };
  CHECK_LIST("a: (add x 0) -> x\n# why\n"
             "b: (add 0 (mul y 2)):i32 -> (mul y 2)\n# why\n"
             "c: [add x:f32 0] -> x if 1 < 2\n# why\n"
             "d: (mul _ C) -> C\n# why\n"
             "e: (mul x 7) -> x\n# why\n"
             "f: (unary (o=add|mul x y)) -> (o x y)\n# why\n"
             "g: (sqrt (mul x 2)) -> (mul x 2)\n# why\n"
             "h: (sin (add x x)) -> (add x x)\n# why\n"
             "i: (max x x) -> x\n# why\n"
             "j: (max y=(mul a b) y) -> y\n# why\n"
             "k: (sink x xs...) -> (sink)\n# why\n"
             "l: (sink a b c) -> (sink c)\n# why\n"
             "m: (reduce x : op=add pop=0) -> x\n# why\n"
             "n: (reduce (sqrt x) : op=add pop=0) -> (sqrt x)\n",
             all);
  /* none of these keeps the later one from being tried */
  check_list("# why\na: (add x 0) -> x if lo(x) > 0\n# why\nb: (add x 0) -> x\n"
             "# why\nc: [mul x 2]:i32 -> x\n# why\nd: (mul x 2):i32 -> x\n"
             "# why\ne: [o=max|floordiv x 1]:i32 -> x\n# why\nf: (o=max|floordiv x 1):i32 -> x\n"
             "# why\ng: (max x y=(mul a b)):f32 -> y\n# why\nh: (max x y=(mul a b)) -> y\n"
             "# why\ni: (cmplt A B) -> {A < B}\n# why\nj: (cmplt A 1) -> false\n"
             "# why\nk: (cmpne x x):bool -> false\n# why\nl: (cmpne x y) -> true\n"
             "# why\nm: (reduce x : op=add pop=0) -> x\n# why\nn: (reduce x : op=o pop=0) -> "
             "(reduce (stage x) : op=o pop=0) if 1\n"
             "# why\no: (sink x y) -> (sink x)\n# why\np: (sink x y xs...) -> (sink x xs...)\n",
             NULL, 0);
}

/* What a rule makes is made by it again only if it is matched again. */
static void test_not_refused(void **state) {
  (void)state;
  static const char *const good[] = {
      "a: [add x C] -> (add C x)",
      "a: [max 0 x] -> (max x 0)",
      "a: (add (add x A) B):i32 -> (add x {A + B})",
      "a: (add x x):i32 -> (mul x 2)",
      "a: (where c x y) -> (where (not c) y x) if hi(c) == 0",
      "a: (reshape (reshape x) s) -> (reshape x s)",
      "a: (o=unary (where c a b)) -> (where c (o a) (o b))",
      "a: (max x:f32 y:f32) -> (neg (max x y)) if 0",
      "a: (cast x:i32 : dtype=f32) -> (cast (cast x : dtype=f16) : dtype=f32)",
      "a: (reduce x : op=add pop=2) -> (reduce (reduce x : op=add pop=1) : op=add pop=1)",
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    if (!adds(good[i], NULL)) fail_msg("%s", uop_error(ctx)->message);
  static const char *const bad[] = {
      "a: [max x y] -> (max y x)",
      "a: (max x 0) -> (max 0 x)",
      "a: (where c x y) -> (where (not c) y x)",
      "a: (sink x xs...) -> (sink x xs...)",
      "a: (o=add|mul x y) -> (o y x)",
      "a: (unary x:float):float -> (sqrt x)",
      "a: (add x y):i32 -> (mul (add x 1) y)",
      "a: (max x 0):f32 -> (add 1 (mul 2 (max 0 (sqrt x))))",
      "a: (range x : idx=i kind=k) -> (range (add x 0) : idx=i kind=k)",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    if (adds(bad[i], NULL)) fail_msg("%s is not refused", bad[i]);
    assert_int_equal(uop_error(ctx)->code, UOP_E_RULE);
  }
}

/* ---- limits ---- */

/* before, n times each, middle, n times close, after. Freed with free(). */
static char *nested(const char *before, const char *each, size_t n, const char *middle,
                    const char *close, const char *after) {
  size_t e = strlen(each), c = strlen(close);
  char *s = malloc(strlen(before) + n * (e + c) + strlen(middle) + strlen(after) + 1), *p = s;
  assert_non_null(s);
  p = stpcpy(p, before);
  for (size_t i = 0; i < n; i++, p += e) memcpy(p, each, e);
  p = stpcpy(p, middle);
  for (size_t i = 0; i < n; i++, p += c) memcpy(p, close, c);
  strcpy(p, after);
  return s;
}

/* n of it are fine, and one more is not. */
static void check_limit(const char *before, const char *each, size_t n, const char *middle,
                        const char *close, const char *after, const char *message) {
  char *s = nested(before, each, n, middle, close, after);
  if (!adds(s, NULL)) fail_msg("%d of %s: %s", (int)n, each, uop_error(ctx)->message);
  free(s);
  s = nested(before, each, n + 1, middle, close, after);
  assert_false(adds(s, NULL));
  const uop_diag *e = uop_error(ctx);
  if (strcmp(e->message + e->reason, message))
    fail_msg("%d of %s: %s", (int)n + 1, each, e->message + e->reason);
  assert_int_equal(e->code, UOP_E_LIMIT);
  free(s);
}

static void test_limits(void **state) {
  (void)state;
  static const char deep[] = "nested more than 32 deep (UOP_MAX_RULE_DEPTH)";
  check_limit("a: ", "(sqrt ", 32, "x", ")", " -> 0.5", deep);
  check_limit("a: (max x 1):f32 -> ", "(sqrt ", 32, "x", ")", "", deep);
  check_limit("a: (max x C) -> x if ", "(", 32, "C", ")", "", deep);
  check_limit("a: (max x C) -> x if ", "-", 32, "C", "", "", deep);
  check_limit("a: (max x C) -> x if ", "not ", 32, "C", "", "", deep);
  check_limit("a: (max x C) -> x if ", "abs(", 32, "C", ")", "", deep);
  check_limit("a: (max x C) -> (add x {", "max(1, ", 15, "C", ")", "})",
              "this needs more than 16 numbers at once");
  check_limit("a: (max x C) -> x if ", "1 + (", 15, "C", ")", "",
              "this needs more than 16 numbers at once");
  check_limit("a: (sink", " _", 64, "", "", ") -> (sink)", "more than 64 operands");
  check_limit("a: (sink (sink", " _", 48, ") (sink", " _", ") _) -> (sink)",
              "a side of more than 100 terms (UOP_MAX_RULE_TERMS)");
  check_limit("a: (sink x y) -> (sink (sink", " x", 48, ") (sink", " y", ") x) if 0",
              "a side of more than 100 terms (UOP_MAX_RULE_TERMS)");
  check_limit("a: (sink", " (max _ _)", 12, "", "", ") -> (sink)",
              "more than 12 pairs of operands in either order: write some as [op x y]");
  check_limit("a: ", "(add 1 ", 12, "x", ")", ":f32 -> 0.5",
              "more than 12 pairs of operands in either order: write some as [op x y]");
  check_limit("a: (sink", " [max _ _]", 32, " [max _ _]", "", ") -> (sink)",
              "a side of more than 100 terms (UOP_MAX_RULE_TERMS)");
  check_limit("a: (reshape x (", "1, ", 64, "", "", ")) -> x", "more than 64 integers");
  check_limit("", "a", 255, ": (max x 0) -> x", "", "",
              "a name of 256 bytes is above 255 (UOP_MAX_NAME)");
  check_limit("a: (call b : name=", "a", 255, ") -> b", "", "",
              "a name of more than 255 bytes (UOP_MAX_NAME)");
}

static void test_many_rules(void **state) {
  (void)state;
  size_t cap = 60 * (UOP_MAX_RULES + 1);
  char *text = malloc(cap), *p = text;
  assert_non_null(text);
  for (int i = 0; i < UOP_MAX_RULES; i++) p += sprintf(p, "# why\nr%d: (add x %d) -> x\n", i, i);
  uop_rules *r = uop_rules_new(ctx);
  if (!uop_rules_add_text(r, text, (size_t)(p - text), NULL))
    fail_msg("%s", uop_error(ctx)->message);
  assert_int_equal(uop_rules_len(r), UOP_MAX_RULES);
  assert_false(uop_rules_add_text(r, "a: (mul x 1) -> x", 17, NULL));
  assert_string_equal(uop_error(ctx)->message, "4097 rules are above 4096 (UOP_MAX_RULES)");
  const uop *u = parse("add %x 4095"), *out;
  assert_true(uop_rewrite(r, &u, 1, NULL, &out));
  assert_ptr_equal(out, parse("%x"));
  uop_rules_free(r);
  sprintf(p, "last: (mul x 1) -> x\n");
  assert_false(adds(text, NULL));
  assert_string_equal(uop_error(ctx)->message,
                      "line 8193: 'last: (mul x 1) -> x': more than 4096 rules (UOP_MAX_RULES)");
  assert_int_equal(uop_error(ctx)->code, UOP_E_LIMIT);
  free(text);
}

static void test_variables_limit(void **state) {
  (void)state;
  char text[2000], *p = text;
  p += sprintf(p, "a: (sink");
  for (int i = 0; i < 64; i++) p += sprintf(p, " x%d", i);
  strcpy(p, ") -> (sink x0 x63) if 0");
  assert_true(adds(text, NULL));
  p = text + sprintf(text, "a: (sink (sink x64)");
  for (int i = 0; i < 63; i++) p += sprintf(p, " x%d", i);
  strcpy(p, ") -> (sink x0 x62 x64) if 0");
  assert_true(adds(text, NULL));
  p = text + sprintf(text, "a: (sink (sink x64 x65)");
  for (int i = 0; i < 63; i++) p += sprintf(p, " x%d", i);
  strcpy(p, ") -> (sink x0) if 0");
  assert_false(adds(text, NULL));
  assert_int_equal(uop_error(ctx)->code, UOP_E_LIMIT);
  assert_non_null(strstr(uop_error(ctx)->message, "more than 64 variables in a rule"));
}

/* The largest rule that is allowed: it is compiled and run. */
static void test_largest_rule(void **state) {
  (void)state;
  char rule[4000], expression[4000], want[4000], *p = rule, *q = expression, *r = want;
  p += sprintf(p, "(stack 7 7 7");
  q += sprintf(q, "stack 7 7 7");
  for (int i = 0; i < 32; i++) p += sprintf(p, i < 12 ? " (max x%d y%d)" : " [max x%d y%d]", i, i);
  for (int i = 0; i < 32; i++) q += sprintf(q, " (max (add %%x %d) (add %%y %d))", i, i);
  p += sprintf(p, ") -> (stack 8 8 8");
  r += sprintf(r, "stack 8 8 8");
  for (int i = 0; i < 32; i++) p += sprintf(p, " (add y%d x%d)", 31 - i, i);
  for (int i = 0; i < 32; i++) r += sprintf(r, " (add (add %%y %d) (add %%x %d))", 31 - i, i);
  strcpy(p, ")");
  assert_true(row_holds(&(row){rule, expression, want}));
}

/* What is deep or long for a reader that recurses. */
static void test_hostile(void **state) {
  (void)state;
  static const char *const before[] = {"a: ", "a: (add x 0) -> ", "a: (max x C) -> x if ", "",
                                       "a",   "a: (reshape x ",   "a: (max x C) -> {"};
  static const char *const each[] = {"(",      "(add ", "[add ", "abs(", "min(1,", "-",   "not ",
                                     "x=(add", "1 + (", "{",     "(o=",  "|",      "a:",  "# a\n",
                                     "((",     "1,",    "lo(",   "#",    "\n",     "\xff"};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
      char *s = nested(before[i], each[k], i < 3 ? 1000000 : 20000, "", "", "");
      uop_diags d = {0};
      adds(s, &d);
      uop_diags_free(ctx, &d);
      free(s);
    }
}

/* Every beginning of a good text, and that with some bytes changed. */
static void test_random_bytes(void **state) {
  (void)state;
  static const char good[] =
      "# why\na: (o=add|mul x:i32 A):i32 -> (o x {A * (3 - -1) // 2}) if lo(x) >= 0 and not A == "
      "1\n"
      "b: [reduce y=(reduce x) : op=add pop=n] -> (reduce x : op=add pop={n + 1}) if n < gcd(1, "
      "2)\n"
      "c: (shrink x ((0, 1), (2, 3))) -> (where true x x)\nd: (sink _ xs...) -> (sink xs...)\n"
      "e: (cast x:float : dtype=d) -> (cast (cast x : dtype=f16) : dtype=d) if 0\n"
      "f: (call g a : name=h) -> (call g -1.5e-3 : name=k)";
  static const char bytes[] = "()[]{}:=|!,.#-+*/%<>_ \n\txAo01eif\x00\x80\xff";
  rng r = {7};
  size_t n = strlen(good);
  char text[sizeof good];
  assert_true(adds(good, NULL));
  for (int round = 0; round < 20000; round++) {
    memcpy(text, good, sizeof good);
    size_t len = round <= (int)n ? (size_t)round : n;
    uint32_t changes = round <= (int)n ? 0 : 1 + random_below(&r, 4);
    for (uint32_t i = 0; i < changes; i++)
      text[random_below(&r, (uint32_t)n)] = bytes[random_below(&r, sizeof bytes - 1)];
    char *exact = malloc(len ? len : 1); /* so that what reads past the end is seen */
    assert_non_null(exact);
    memcpy(exact, text, len);
    uop_rules *rules = uop_rules_new(ctx);
    uop_diags d = {0};
    bool ok = uop_rules_add_text(rules, exact, len, &d);
    size_t errors = 0;
    for (size_t i = 0; i < d.len; i++) {
      errors += d.at[i].code < UOP_W_UNUSED;
      assert_true(d.at[i].line >= 1 && d.at[i].column >= 1 && d.at[i].length >= 1);
    }
    assert_int_equal(ok, errors == 0);
    assert_int_equal(uop_error(ctx)->code != UOP_OK, !ok);
    free(exact);
    uop_diags_free(ctx, &d);
    uop_rules_free(rules);
  }
}

/* Of any bytes at all. */
static void test_noise(void **state) {
  (void)state;
  rng r = {8};
  for (int round = 0; round < 3000; round++) {
    size_t len = random_below(&r, 200);
    char *text = malloc(len ? len : 1);
    assert_non_null(text);
    for (size_t i = 0; i < len; i++) text[i] = (char)random_below(&r, 256);
    uop_rules *rules = uop_rules_new(ctx);
    uop_rules_add_text(rules, text, len, NULL);
    uop_rules_free(rules);
    free(text);
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown(test_##f, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(literals),        TEST(constants),    TEST(variables),
                                     TEST(orders),          TEST(rest),         TEST(op_sets),
                                     TEST(types),           TEST(args),         TEST(results),
                                     TEST(arithmetic),      TEST(conditions),   TEST(faults),
                                     TEST(quoted_line),     TEST(recovery),     TEST(many_errors),
                                     TEST(all_or_nothing),  TEST(layout),       TEST(warnings),
                                     TEST(not_refused),     TEST(limits),       TEST(many_rules),
                                     TEST(variables_limit), TEST(largest_rule), TEST(hostile),
                                     TEST(random_bytes),    TEST(noise)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
