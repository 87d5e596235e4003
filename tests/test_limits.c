/* test_limits.c - each named limit: what lies at it works, what lies one past it is refused with
 * the limit's number and name. The first test sees to it that no UOP_MAX_ of uop.h lacks a row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uop.h"

static uop_ctx *ctx;

/* False: refused, with the error in the context. `past` is 0 at the limit, 1 one past it. */
typedef bool (*attempt)(int past);

#define I32(...) uop_param(ctx, 0, UOP_I32, __VA_ARGS__)

static int64_t ones[UOP_MAX_RANK + 1];

/* ---- shapes ---- */

static bool rank_of_param(int past) { return I32(ones, UOP_MAX_RANK + (size_t)past); }
static bool rank_of_reshape(int past) {
  return uop_reshape(I32(NULL, 0), ones, UOP_MAX_RANK + (size_t)past);
}
static bool rank_of_stack(int past) {
  return uop_stack(ctx, I32(ones, UOP_MAX_RANK - 1 + (size_t)past));
}
static bool dim_of_param(int past) { return I32(UOP_DIMS(UOP_MAX_DIM + past, 0)); }
static bool dim_of_expand(int past) {
  return uop_expand(I32(UOP_DIMS(1)), UOP_DIMS(UOP_MAX_DIM + past));
}
static bool dim_of_buffer(int past) { return uop_buffer(ctx, 0, UOP_F32, UOP_MAX_DIM + past); }
static bool dim_of_alloc(int past) {
  return uop_alloc(ctx, 0, UOP_F32, UOP_MAX_DIM + past, UOP_SPACE_LOCAL);
}
/* 2^31 - 1 is a prime number: the next count that has two factors is 2^31. */
static bool numel_of_param(int past) {
  return past ? I32(UOP_DIMS(2, 1 << 30)) : I32(UOP_DIMS(UOP_MAX_NUMEL, 1));
}
static bool numel_of_expand(int past) {
  return past ? uop_expand(I32(UOP_DIMS(1, 32768)), UOP_DIMS(65536, 32768))
              : uop_expand(I32(UOP_DIMS(1, 1)), UOP_DIMS(1, UOP_MAX_NUMEL));
}
static bool numel_of_stack(int past) {
  const uop *x = I32(UOP_DIMS(past ? 1 << 30 : UOP_MAX_NUMEL));
  return past ? uop_stack(ctx, x, x) : uop_stack(ctx, x);
}

/* ---- slots, names, sources ---- */

static bool slot_of_param(int past) {
  return uop_param(ctx, UOP_MAX_SLOT + past, UOP_I32, NULL, 0);
}
static bool slot_of_buffer(int past) { return uop_buffer(ctx, UOP_MAX_SLOT + past, UOP_F32, 1); }
static bool slot_of_alloc(int past) {
  return uop_alloc(ctx, UOP_MAX_SLOT + past, UOP_F32, 1, UOP_SPACE_SHARED);
}
static bool idx_of_range(int past) {
  return uop_range(ctx, I32(NULL, 0), UOP_MAX_SLOT + past, UOP_AXIS_LOOP);
}

static bool pins_of_node(int past) {
  uop *u = (uop *)I32(NULL, 0);
  u->pins = UOP_MAX_PINS - 1 + (uint32_t)past; /* four billion calls are too many for a test */
  bool ok = uop_pin(u);
  u->pins = 0;
  return ok;
}

/* `prefix`, as many letters as the limit and `past` say, `suffix`. Freed with free(). */
static char *long_name(const char *prefix, int past, const char *suffix) {
  size_t a = strlen(prefix), n = (size_t)(UOP_MAX_NAME + past);
  char *s = malloc(a + n + strlen(suffix) + 1);
  assert_non_null(s);
  memcpy(s, prefix, a);
  memset(s + a, 'x', n);
  strcpy(s + a + n, suffix);
  return s;
}

static bool reads(char *text) {
  bool ok = uop_parse(ctx, text, strlen(text)) != NULL;
  free(text);
  return ok;
}

static bool name_of_call(int past) {
  char *s = long_name("", past, "");
  const uop *u = uop_call(I32(NULL, 0), s, 5);
  assert_true(!u || strcmp(u->arg.name, s) == 0);
  free(s);
  return u;
}
static bool name_in_text(int past) {
  return reads(long_name("%a = call (param 0) 1.0 : name=", past, ""));
}
static bool name_of_statement(int past) { return reads(long_name("%", past, " = const 1")); }
static bool name_as_operand(int past) {
  return past ? reads(long_name("%a = add 1 %", past, ""))
              : reads(long_name("%", 0, " = const 1\n%a = add 1 1"));
}

/* 512 MiB of sources; one past the limit they are not looked at. */
static bool sources_of_sink(int past) {
  if (past) return uop_sink(ctx, NULL, UOP_MAX_SRC + 1);
  const uop **src = malloc(UOP_MAX_SRC * sizeof *src), *x = I32(NULL, 0);
  assert_non_null(src);
  for (size_t i = 0; i < UOP_MAX_SRC; i++) src[i] = x;
  const uop *u = uop_sink(ctx, src, UOP_MAX_SRC);
  free(src);
  assert_true(!u || (u->nsrc == UOP_MAX_SRC && u->src[UOP_MAX_SRC - 1] == x));
  assert_true(uop_collect(ctx, NULL, 0));
  uop_ctx_trim(ctx);
  return u;
}

/* ---- text ---- */

/* "%a = exp2 (exp2 (… 0.0 …))": as many parentheses as the limit and `past` say. */
static bool nesting_of_statement(int past) {
  static const char open[] = "(exp2 ";
  size_t n = UOP_MAX_NESTING + (size_t)past, len = 0;
  char *s = malloc(n * sizeof open + 64);
  assert_non_null(s);
  len += (size_t)sprintf(s, "%%a = exp2 ");
  for (size_t i = 0; i < n; i++, len += sizeof open - 1) memcpy(s + len, open, sizeof open - 1);
  len += (size_t)sprintf(s + len, "0.0");
  memset(s + len, ')', n);
  len += n;
  const uop *u = uop_parse(ctx, s, len);
  free(s);
  uop_counts c;
  assert_true(!u || (uop_count(ctx, &u, 1, &c) && c.depth == n + 1));
  return u;
}

/* Blanks between a statement and its last operand. */
static bool bytes_of_line(int past) {
  size_t n = UOP_MAX_LINE + (size_t)past;
  char *s = malloc(n + 16);
  assert_non_null(s);
  memset(s, ' ', n);
  memcpy(s, "%a = add 1", 10);
  s[n - 1] = '2';
  memcpy(s + n, "\n%b = const 1", 13);
  bool ok = uop_parse(ctx, s, n + 13) != NULL;
  if (!past) { /* columns reach the line's end */
    s[n - 1] = '%';
    assert_null(uop_parse(ctx, s, n));
    assert_int_equal(uop_error(ctx)->column, UOP_MAX_LINE);
    uop_error_clear(ctx);
  }
  free(s);
  return ok;
}

/* ---- values ---- */

static bool value_of(const char *open, int n, const char *close) {
  char s[256] = "";
  uop_value v;
  for (int i = 0; i < n; i++) strcat(s, open);
  strcat(s, "1");
  for (int i = 0; i < n; i++) strcat(s, close);
  if (!uop_value_parse(ctx, s, strlen(s), UOP_I32, &v)) return false;
  assert_int_equal(v.rank, n);
  uop_value_free(ctx, &v);
  return true;
}
static bool rank_of_value(int past) { return value_of("[", UOP_MAX_RANK + past, "]"); }

static bool give(uop_op op, uint32_t rank, int64_t dim0, int64_t dim1, int64_t count) {
  char data[1] = {0}; /* its address is taken, no more */
  uop_value v = {.dtype = UOP_I32, .rank = rank, .count = count, .data = data};
  for (uint32_t i = 0; i < rank && i < UOP_MAX_RANK; i++) v.dims[i] = 1;
  v.dims[0] = dim0;
  v.dims[1] = dim1;
  uop_run *r = uop_run_new(ctx, NULL);
  assert_non_null(r);
  bool ok = uop_run_set(r, op, UOP_MAX_SLOT, &v);
  uop_run_free(r);
  return ok;
}
static bool rank_of_input(int past) {
  return give(UOP_PARAM, UOP_MAX_RANK + (uint32_t)past, 1, 1, 1);
}
static bool dim_of_input(int past) { return give(UOP_BUFFER, 2, UOP_MAX_DIM + past, 0, 0); }
static bool numel_of_input(int past) {
  return past ? give(UOP_PARAM, 2, 2, 1 << 30, INT64_C(1) << 31)
              : give(UOP_PARAM, 2, UOP_MAX_NUMEL, 1, UOP_MAX_NUMEL);
}

/* A .npy of i32 with this shape and `size` bytes of zeros. */
static bool read_npy(const char *shape, size_t size) {
  char file[1024] = "\x93NUMPY\x01";
  char *head = file + 10;
  int n = snprintf(head, 900, "{'descr': '<i4', 'fortran_order': False, 'shape': (%s), }", shape);
  file[8] = (char)(n & 255);
  file[9] = (char)(n >> 8);
  uop_value v;
  if (!uop_npy_read(ctx, file, 10 + (size_t)n + size, &v)) return false;
  uop_value_free(ctx, &v);
  return true;
}
static bool rank_of_npy(int past) {
  char shape[128] = "";
  for (int i = 0; i < UOP_MAX_RANK + past; i++) strcat(shape, "1,");
  return read_npy(shape, 4);
}
static bool dim_of_npy(int past) { return read_npy(past ? "2147483648, 0" : "2147483647, 0", 0); }

/* At the limit the shape passes, and the 8 GiB that it needs are not there. */
static bool numel_of_npy(int past) {
  bool ok = read_npy(past ? "2, 1073741824" : "2147483647,", 0);
  if (past) return ok;
  assert_false(ok);
  assert_string_equal(uop_error(ctx)->message,
                      "npy: i32(2147483647,) has 8589934588 bytes, the file 0 after its header");
  uop_error_clear(ctx);
  return true;
}

/* ---- rules ---- */

static bool adds(const char *text, size_t len) {
  uop_rules *r = uop_rules_new(ctx);
  assert_non_null(r);
  bool ok = uop_rules_add_text(r, text, len, NULL);
  uop_rules_free(r);
  return ok;
}

/* A rule whose function rewrites by the list that it is of, so many times. */
typedef struct rewrites {
  uop_rules *rules;
  int more;
} rewrites;
static bool rewrite_again(const uop_rule_call *c, const uop **out) {
  rewrites *w = c->user;
  return w->more-- <= 1 || uop_rewrite(w->rules, &c->root, 1, NULL, out);
}
static bool rewrites_in_rewrites(int past) {
  const uop *u = uop_param(ctx, 0, UOP_I32, NULL, 0);
  rewrites w = {uop_rules_new(ctx), UOP_MAX_REWRITES + past};
  assert_true(w.rules && uop_rules_add_fn(w.rules, "r", NULL, NULL, 0, rewrite_again, &w));
  bool ok = uop_rewrite(w.rules, &u, 1, NULL, &u);
  uop_rules_free(w.rules);
  return ok;
}

/* before, n times each, middle, n times close, after. */
static bool adds_nested(const char *before, const char *each, int n, const char *middle,
                        const char *close, const char *after) {
  char s[4096];
  strcpy(s, before);
  for (int i = 0; i < n; i++) strcat(s, each);
  strcat(s, middle);
  for (int i = 0; i < n; i++) strcat(s, close);
  strcat(s, after);
  return adds(s, strlen(s));
}
static bool depth_of_pattern(int past) {
  return adds_nested("a: (reduce x : pop=0) -> x\nb: ", "(sqrt ", UOP_MAX_RULE_DEPTH + past, "x",
                     ")", " -> 0.5");
}
static bool depth_of_condition(int past) {
  return adds_nested("a: (add x C) -> x if ", "(", UOP_MAX_RULE_DEPTH + past, "C", ")", "");
}
static bool terms_of_pattern(int past) { /* two sinks in one, and their operands */
  return adds_nested("a: (sink (sink", " _", (UOP_MAX_RULE_TERMS - 4) / 2, ") (sink", " _",
                     past ? ") _ _) -> (sink)" : ") _) -> (sink)");
}
static bool terms_of_result(int past) {
  char text[1024] = "a: (sink x y) -> (sink (sink";
  for (int i = 0; i < 48; i++) strcat(text, " x");
  strcat(text, ") (sink");
  for (int i = 3 + 48; i < UOP_MAX_RULE_TERMS + past; i++) strcat(text, " y");
  strcat(text, ")) if 0");
  return adds(text, strlen(text));
}
static bool declines(const uop_rule_call *call, const uop **out) {
  (void)call;
  (void)out;
  return true;
}
static bool rules_of_list(int past) {
  uop_rules *r = uop_rules_new(ctx);
  bool ok = r != NULL;
  for (int i = 0; ok && i < UOP_MAX_RULES + past; i++)
    ok = uop_rules_add_fn(r, "a", NULL, NULL, 0, declines, NULL);
  uop_rules_free(r);
  return ok;
}
static bool rules_of_text(int past) {
  char *s = malloc(40 * (UOP_MAX_RULES + 1)), *p = s;
  assert_non_null(s);
  for (int i = 0; i < UOP_MAX_RULES + past; i++) p += sprintf(p, "r%d: (add x %d) -> x\n", i, i);
  bool ok = adds(s, (size_t)(p - s));
  free(s);
  return ok;
}
static bool name_of_rule(int past) {
  char *s = long_name("", past, ": (add x 0) -> x");
  bool ok = adds(s, strlen(s));
  free(s);
  return ok;
}
static bool bytes_of_rules(int past) {
  size_t n = UOP_MAX_LINE + (size_t)past;
  char *s = malloc(n);
  assert_non_null(s);
  memset(s, ' ', n);
  bool ok = adds(s, n);
  free(s);
  return ok;
}

/* ---- what a context and a run are given ---- */

static bool build(const uop_options *o, int nodes, char *message) {
  uop_ctx *c = uop_ctx_new(o);
  assert_non_null(c);
  int built = 0;
  for (const uop *u = uop_const_of_i32(c, 1); u && ++built < nodes;) u = uop_add(u, u);
  strcpy(message, uop_error(c)->message);
  bool ok = uop_error(c)->code == UOP_OK;
  uop_error_clear(c);
  assert_true(uop_ctx_check(c));
  uop_ctx_free(c);
  return ok;
}

static uint64_t bytes_of(int nodes) {
  uop_ctx *c = uop_ctx_new(NULL);
  assert_non_null(c);
  const uop *u = uop_const_of_i32(c, 1);
  for (int i = 1; i < nodes; i++) u = uop_add(u, u);
  assert_non_null(u);
  uint64_t held = uop_ctx_stats(c).reserved;
  uop_ctx_free(c);
  return held;
}

static void test_a_context(void **state) {
  (void)state;
  char message[UOP_MAX_MESSAGE], expect[128];
  uop_options nodes = {.max_nodes = 1000}, bytes = {.max_bytes = bytes_of(5000)};
  assert_true(build(&nodes, 1000, message));
  assert_false(build(&nodes, 1001, message));
  assert_string_equal(message, "ADD: the context has 1000 nodes, its limit (max_nodes)");
  assert_true(build(&bytes, 5000, message));
  bytes.max_bytes--;
  assert_false(build(&bytes, 5000, message));
  snprintf(expect, sizeof expect, "out of memory: the context may take %llu bytes (max_bytes)",
           (unsigned long long)bytes.max_bytes);
  assert_string_equal(message, expect);
}

/* 2 constants, then 3 elements thrice: 11 steps. */
static const char sum[] = "%a = stack 1 2 1\n%b = add %a %a\n%c = mul %b %a";

static bool run_sum(uop_run_options o, uop_run_stats *stats) {
  const uop *u = uop_parse(ctx, sum, strlen(sum));
  assert_non_null(u);
  uop_run *r = uop_run_new(ctx, &o);
  assert_non_null(r);
  uop_value v;
  bool ok = uop_run_eval(r, u, &v);
  if (stats) *stats = uop_run_get_stats(r);
  uop_run_free(r);
  return ok;
}

static void test_a_run(void **state) {
  (void)state;
  uop_run_stats used;
  uop_run_options o = {0};
  assert_true(run_sum(o, &used));
  assert_int_equal(used.steps, 11);
  o.max_steps = 11;
  assert_true(run_sum(o, NULL));
  o.max_steps = 10;
  assert_false(run_sum(o, NULL));
  assert_int_equal(uop_error(ctx)->code, UOP_E_BUDGET);
  assert_string_equal(
      uop_error(ctx)->message,
      "the budget of 10 steps (max_steps) is used up: MUL needs 3 more, 8 are used");
  o = (uop_run_options){.max_bytes = used.peak_bytes};
  assert_true(run_sum(o, NULL));
  o.max_bytes--;
  assert_false(run_sum(o, NULL));
  assert_int_equal(uop_error(ctx)->code, UOP_E_BUDGET);
  /* two arrays of three at a time; numbers alone take none */
  assert_string_equal(
      uop_error(ctx)->message,
      "the budget of 23 bytes (max_bytes) is used up: MUL needs 12 more, 12 are used");
}

/* ---- reports ---- */

/* UOP_MAX_ERRORS lines and `past` more, each like `line`, in front of a last one. */
static void read_many(const char *line, int past, bool warnings, uop_diags *d) {
  char text[64 * (UOP_MAX_ERRORS + 2)];
  size_t len = 0;
  for (int i = 0; i < UOP_MAX_ERRORS + past; i++)
    len += (size_t)snprintf(text + len, 64, line, i, i);
  len += (size_t)snprintf(text + len, 64, "%%last = const 1\n");
  *d = (uop_diags){0};
  uop_program *p = uop_program_parse(ctx, text, len, warnings ? NULL : d);
  assert_true(warnings == (p != NULL));
  if (p) assert_true(uop_program_check(p, d));
  uop_program_free(p);
}

static void expect_reports(const char *line, bool warnings) {
  for (int past = 0; past < 2; past++) {
    uop_diags d;
    read_many(line, past, warnings, &d);
    assert_int_equal(d.len, UOP_MAX_ERRORS);
    assert_int_equal(d.more, past);
    for (size_t i = 0; i < d.len; i++) assert_int_equal(d.at[i].line, i + 1);
    uop_diags_free(ctx, &d);
  }
}

static void test_errors(void **state) {
  (void)state;
  expect_reports("%%a%d = add %%nothing%d 1\n", false);
  expect_reports("%%a%d = const 1%d\n", true);
}

/* 31 long dimensions, all `first`, and a 0 to keep the number of elements small. */
static void put_shape(char *s, const char *first) {
  strcat(s, "(");
  for (int i = 1; i < UOP_MAX_RANK; i++) strcat(strcat(s, first), ", ");
  strcat(s, "0)");
}

/* Two shapes of full rank behind a quoted line fit into a message; what is longer still is cut. */
static void test_message(void **state) {
  (void)state;
  char text[4096] = "%a = add (param 0 shape=", expect[UOP_MAX_MESSAGE] = "can't broadcast ";
  put_shape(text, "2147483647");
  strcat(text, ") (param 0 shape=");
  put_shape(text, "2147483646");
  strcat(text, ")");
  put_shape(expect, "2147483647");
  strcat(expect, " with ");
  put_shape(expect, "2147483646");
  assert_null(uop_parse(ctx, text, strlen(text)));
  const uop_diag *d = uop_error(ctx);
  assert_string_equal(d->message + d->reason, expect);
  strcpy(text, "%a = shrink (param 0 shape=");
  put_shape(text, "2147483647");
  strcat(text, ") (");
  for (int i = 0; i < UOP_MAX_RANK; i++) strcat(text, "(2147483647, 2147483648), ");
  strcat(text, ")");
  assert_null(uop_parse(ctx, text, strlen(text)));
  assert_int_equal(d->code, UOP_E_ARG);
  assert_int_equal(strlen(d->message), UOP_MAX_MESSAGE - 1);
  assert_memory_equal(d->message + d->reason, "SHRINK ((2147483647, 2147483648), (2147483647, ",
                      47);
}

/* A picture of UOP_DOT_FOLD nodes has as many boxes; of one more, a chain is one box. */
static void test_picture(void **state) {
  (void)state;
  for (int past = 0; past < 2; past++) {
    const uop *u = uop_param(ctx, 0, UOP_F32, NULL, 0);
    for (int i = 1; i < UOP_DOT_FOLD + past; i++) u = uop_sqrt(u);
    char *dot = uop_dot(ctx, &u, 1, NULL, NULL);
    assert_non_null(dot);
    int boxes = 0;
    for (const char *s = dot; (s = strstr(s, " [label=")) != NULL; s++) boxes++;
    assert_int_equal(boxes, past ? 2 : UOP_DOT_FOLD);
    uop_free(ctx, dot);
  }
}

/* ---- the rows ---- */

static const struct row {
  const char *limit;
  attempt try;
  uop_code code;
  const char *message;
} rows[] = {
    {"UOP_MAX_RANK", rank_of_param, UOP_E_LIMIT, "PARAM: rank 33 is above 32 (UOP_MAX_RANK)"},
    {"UOP_MAX_RANK", rank_of_reshape, UOP_E_LIMIT, "RESHAPE: rank 33 is above 32 (UOP_MAX_RANK)"},
    {"UOP_MAX_RANK", rank_of_stack, UOP_E_LIMIT, "STACK: rank 33 is above 32 (UOP_MAX_RANK)"},
    {"UOP_MAX_RANK", rank_of_value, UOP_E_LIMIT, "value: rank is above 32 (UOP_MAX_RANK)"},
    {"UOP_MAX_RANK", rank_of_npy, UOP_E_LIMIT, "npy: rank is above 32 (UOP_MAX_RANK)"},
    {"UOP_MAX_RANK", rank_of_input, UOP_E_INPUT,
     "the value for PARAM slot=2147483647: its rank is above 32 (UOP_MAX_RANK)"},
    {"UOP_MAX_DIM", dim_of_param, UOP_E_LIMIT,
     "PARAM: dimension 2147483648 is above 2147483647 (UOP_MAX_DIM)"},
    {"UOP_MAX_DIM", dim_of_expand, UOP_E_LIMIT,
     "EXPAND: dimension 2147483648 is above 2147483647 (UOP_MAX_DIM)"},
    {"UOP_MAX_DIM", dim_of_buffer, UOP_E_LIMIT,
     "BUFFER: dimension 2147483648 is above 2147483647 (UOP_MAX_DIM)"},
    {"UOP_MAX_DIM", dim_of_alloc, UOP_E_LIMIT,
     "ALLOC: dimension 2147483648 is above 2147483647 (UOP_MAX_DIM)"},
    {"UOP_MAX_DIM", dim_of_npy, UOP_E_LIMIT,
     "npy: shape (2147483648, 0): a dimension is outside 0..2147483647 (UOP_MAX_DIM)"},
    {"UOP_MAX_DIM", dim_of_input, UOP_E_INPUT,
     "the value for BUFFER slot=2147483647: a dimension is outside 0..2147483647 (UOP_MAX_DIM)"},
    {"UOP_MAX_NUMEL", numel_of_param, UOP_E_LIMIT,
     "PARAM: shape (2, 1073741824) has more than 2147483647 elements (UOP_MAX_NUMEL)"},
    {"UOP_MAX_NUMEL", numel_of_expand, UOP_E_LIMIT,
     "EXPAND: shape (65536, 32768) has more than 2147483647 elements (UOP_MAX_NUMEL)"},
    {"UOP_MAX_NUMEL", numel_of_stack, UOP_E_LIMIT,
     "STACK: shape (2, 1073741824) has more than 2147483647 elements (UOP_MAX_NUMEL)"},
    {"UOP_MAX_NUMEL", numel_of_npy, UOP_E_LIMIT,
     "npy: shape (2, 1073741824): it has more than 2147483647 elements (UOP_MAX_NUMEL)"},
    {"UOP_MAX_NUMEL", numel_of_input, UOP_E_INPUT,
     "the value for PARAM slot=2147483647: it has more than 2147483647 elements (UOP_MAX_NUMEL)"},
    {"UOP_MAX_SLOT", slot_of_param, UOP_E_LIMIT,
     "PARAM: slot 2147483648 is above 2147483647 (UOP_MAX_SLOT)"},
    {"UOP_MAX_SLOT", slot_of_buffer, UOP_E_LIMIT,
     "BUFFER: slot 2147483648 is above 2147483647 (UOP_MAX_SLOT)"},
    {"UOP_MAX_SLOT", slot_of_alloc, UOP_E_LIMIT,
     "ALLOC: slot 2147483648 is above 2147483647 (UOP_MAX_SLOT)"},
    {"UOP_MAX_SLOT", idx_of_range, UOP_E_LIMIT,
     "RANGE: idx 2147483648 is above 2147483647 (UOP_MAX_SLOT)"},
    {"UOP_MAX_PINS", pins_of_node, UOP_E_LIMIT,
     "PARAM: pinned more than 4294967295 times (UOP_MAX_PINS)"},
    {"UOP_MAX_NAME", name_of_call, UOP_E_LIMIT,
     "CALL: a name of 256 bytes is above 255 (UOP_MAX_NAME)"},
    {"UOP_MAX_NAME", name_in_text, UOP_E_LIMIT, "a name of 256 bytes is above 255 (UOP_MAX_NAME)"},
    {"UOP_MAX_NAME", name_of_statement, UOP_E_LIMIT,
     "a name of 256 bytes is above 255 (UOP_MAX_NAME)"},
    {"UOP_MAX_NAME", name_as_operand, UOP_E_LIMIT,
     "a name of 256 bytes is above 255 (UOP_MAX_NAME)"},
    {"UOP_MAX_SRC", sources_of_sink, UOP_E_LIMIT,
     "SINK: 67108865 sources are more than 67108864 (UOP_MAX_SRC)"},
    {"UOP_MAX_NESTING", nesting_of_statement, UOP_E_LIMIT,
     "more than 1000000 parentheses open (UOP_MAX_NESTING)"},
    {"UOP_MAX_LINE", bytes_of_line, UOP_E_LIMIT,
     "a line of 268435457 bytes is above 268435456 (UOP_MAX_LINE)"},
    {"UOP_MAX_LINE", bytes_of_rules, UOP_E_LIMIT,
     "a text of 268435457 bytes is above 268435456 (UOP_MAX_LINE)"},
    {"UOP_MAX_NAME", name_of_rule, UOP_E_LIMIT, "a name of 256 bytes is above 255 (UOP_MAX_NAME)"},
    {"UOP_MAX_RULES", rules_of_list, UOP_E_LIMIT, "4097 rules are above 4096 (UOP_MAX_RULES)"},
    {"UOP_MAX_RULES", rules_of_text, UOP_E_LIMIT, "more than 4096 rules (UOP_MAX_RULES)"},
    {"UOP_MAX_RULE_TERMS", terms_of_pattern, UOP_E_LIMIT,
     "a side of more than 100 terms (UOP_MAX_RULE_TERMS)"},
    {"UOP_MAX_RULE_TERMS", terms_of_result, UOP_E_LIMIT,
     "a side of more than 100 terms (UOP_MAX_RULE_TERMS)"},
    {"UOP_MAX_RULE_DEPTH", depth_of_pattern, UOP_E_LIMIT,
     "nested more than 32 deep (UOP_MAX_RULE_DEPTH)"},
    {"UOP_MAX_RULE_DEPTH", depth_of_condition, UOP_E_LIMIT,
     "nested more than 32 deep (UOP_MAX_RULE_DEPTH)"},
    {"UOP_MAX_REWRITES", rewrites_in_rewrites, UOP_E_LIMIT,
     "rule r: rule r: rule r: rule r: rule r: rule r: rule r: rule r: rule r: rule r: rule r: rule "
     "r: rule r: rule r: rule r: rule r: more than 16 rewrites inside of each other's functions "
     "(UOP_MAX_REWRITES)"},
};

static void test_each_limit(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *r = &rows[i];
    if (!r->try(0)) fail_msg("at %s, row %d: %s", r->limit, (int)i, uop_error(ctx)->message);
    assert_int_equal(uop_error(ctx)->code, UOP_OK);
    assert_false(r->try(1));
    const uop_diag *d = uop_error(ctx);
    assert_string_equal(d->message + d->reason, r->message);
    assert_int_equal(d->code, r->code);
    uop_error_clear(ctx);
    assert_true(uop_collect(ctx, NULL, 0));
    assert_true(uop_ctx_check(ctx));
  }
}

static bool has_row(const char *limit) {
  static const char *const others[] = {"UOP_MAX_ERRORS", "UOP_MAX_MESSAGE"}; /* tests above */
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(others[i], limit) == 0) return true;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].limit, limit) == 0) return true;
  return false;
}

/* Run from the project's root, as all tests. */
static void test_none_is_left_out(void **state) {
  (void)state;
  FILE *f = fopen("include/uop.h", "r");
  char line[256], name[64];
  int found = 0;
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "#define %63[A-Z_]", name) != 1 || strncmp(name, "UOP_MAX_", 8)) continue;
    found++;
    if (!has_row(name)) fail_msg("%s has no test", name);
  }
  fclose(f);
  assert_true(found >= 11);
}

static int begin(void **state) {
  (void)state;
  for (size_t i = 0; i <= UOP_MAX_RANK; i++) ones[i] = 1;
  return (ctx = uop_ctx_new(NULL)) ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  uop_ctx_free(ctx);
  return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(test_##f, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(none_is_left_out), TEST(each_limit), TEST(a_context), TEST(a_run),
      TEST(errors),           TEST(message),    TEST(picture)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
