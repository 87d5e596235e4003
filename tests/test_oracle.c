/* test_oracle.c - every op on every dtype against the tables of tests/oracle, which come from numpy
 * and from Python's integers (make_tables.py beside them says how, and what a line means).
 *
 * A line must come out in whatever way its operands are given: alone or as one element of an array,
 * short, long or not aligned; as a constant; moved, expanded, computed, or handed to a call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "uop.h"

/* ---- the tables ---- */

enum { MAX_OPERANDS = 33, MAX_ROWS = 2048 };

/* What can stand first in a line. */
typedef struct kind {
  const char *name;
  uop_op op;
  uop_dtype result; /* UOP_VOID: that of the operands */
} kind;

static const kind kinds[] = {
    {"add", UOP_ADD, UOP_VOID},           {"mul", UOP_MUL, UOP_VOID},
    {"max", UOP_MAX, UOP_VOID},           {"floordiv", UOP_FLOORDIV, UOP_VOID},
    {"floormod", UOP_FLOORMOD, UOP_VOID}, {"cmplt", UOP_CMPLT, UOP_BOOL},
    {"cmpne", UOP_CMPNE, UOP_BOOL},       {"where", UOP_WHERE, UOP_VOID},
    {"recip", UOP_RECIP, UOP_VOID},       {"sqrt", UOP_SQRT, UOP_VOID},
    {"exp2", UOP_EXP2, UOP_VOID},         {"log2", UOP_LOG2, UOP_VOID},
    {"sin", UOP_SIN, UOP_VOID},           {"to_bool", UOP_CAST, UOP_BOOL},
    {"to_i32", UOP_CAST, UOP_I32},        {"to_f32", UOP_CAST, UOP_F32},
    {"to_f16", UOP_CAST, UOP_F16},        {"reduce_add", UOP_REDUCE, UOP_VOID},
    {"reduce_max", UOP_REDUCE, UOP_VOID}};

typedef struct row {
  const kind *kind;
  size_t n; /* operands */
  uint32_t in[MAX_OPERANDS], want;
  int line;
  bool exact;
} row;

typedef struct table {
  uop_ctx *ctx;
  uop_dtype dtype; /* of the operands; WHERE's first is bool */
  size_t n;
  row at[MAX_ROWS];
} table;

static const kind *kind_named(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kinds[i].name, name)) return &kinds[i];
  fail_msg("no op: %s", name);
  return NULL;
}

static void read_row(row *r, char *text, int line) {
  char *word = strtok(text, " \n");
  memset(r, 0, sizeof *r);
  r->kind = kind_named(word);
  r->line = line;
  for (; (word = strtok(NULL, " \n")) && !strchr("=~", *word); r->n++) {
    assert_true(r->n < MAX_OPERANDS);
    r->in[r->n] = (uint32_t)strtoul(word, NULL, 16);
  }
  assert_non_null(word);
  r->exact = *word == '=';
  word = strtok(NULL, " \n");
  assert_non_null(word);
  r->want = (uint32_t)strtoul(word, NULL, 16);
}

static table *read_table(uop_dtype d) {
  char path[64], text[512];
  table *t = calloc(1, sizeof *t);
  snprintf(path, sizeof path, "tests/oracle/%s.txt", uop_dtype_name(d));
  FILE *f = fopen(path, "r");
  if (!f) fail_msg("%s: run this from the project's root", path);
  t->ctx = uop_ctx_new(NULL);
  t->dtype = d;
  for (int line = 1; fgets(text, sizeof text, f); line++) {
    if (*text == '#') continue;
    assert_true(t->n < MAX_ROWS);
    read_row(&t->at[t->n++], text, line);
  }
  fclose(f);
  return t;
}

/* The rows of one kind with the same number of operands: at[0..n). */
typedef struct group {
  const table *table;
  const row *at[MAX_ROWS];
  size_t n;
} group;

static uop_dtype operand_dtype(const group *g, size_t i) {
  return g->at[0]->kind->op == UOP_WHERE && i == 0 ? UOP_BOOL : g->table->dtype;
}

static uop_dtype result_dtype(const group *g) {
  uop_dtype d = g->at[0]->kind->result;
  return d == UOP_VOID ? g->table->dtype : d;
}

static bool is_reduce(const group *g) { return g->at[0]->kind->op == UOP_REDUCE; }

/* ---- elements ---- */

static uint32_t get(const void *data, uop_dtype d, size_t i) {
  const unsigned char *at = (const unsigned char *)data + i * uop_dtype_size(d);
  uint32_t word;
  uint16_t h;
  if (d == UOP_BOOL) return *at;
  if (d == UOP_F16) return memcpy(&h, at, sizeof h), h;
  return memcpy(&word, at, sizeof word), word;
}

static void put(void *data, uop_dtype d, size_t i, uint32_t word) {
  unsigned char *at = (unsigned char *)data + i * uop_dtype_size(d);
  uint16_t h = (uint16_t)word;
  if (d == UOP_BOOL)
    *at = (unsigned char)word;
  else if (d == UOP_F16)
    memcpy(at, &h, sizeof h);
  else
    memcpy(at, &word, sizeof word);
}

/* How many floats lie between two of one sign. */
static uint32_t steps(uint32_t a, uint32_t b) {
  if ((a ^ b) >> 31) return UINT32_MAX;
  return a > b ? a - b : b - a;
}

static void check(const group *g, const row *r, uint32_t got, const char *how) {
  bool close = !r->exact && g->table->dtype == UOP_F32 && steps(got, r->want) <= 2;
  if (got == r->want || close) return;
  fail_msg("tests/oracle/%s.txt:%d: %s, %s, gives %x", uop_dtype_name(g->table->dtype), r->line,
           r->kind->name, how, (unsigned)got);
}

/* ---- ways to give the operands ---- */

/* What a way does to an operand, which stays of its value; of shape (n,), or of (n, k) for a
 * REDUCE. */
typedef const uop *(*dress)(const uop *x);

static const uop *as_it_is(const uop *x) { return x; }

/* Column 1 of three equal ones, which is no stretch of memory. */
static const uop *moved(const uop *x) {
  int64_t n = uop_numel(x), dims[2], column[4] = {1, 2, 0, n};
  size_t rank = x->shape->len;
  for (size_t i = 0; i < rank; i++) dims[i] = x->shape->at[i];
  x = uop_expand(uop_reshape(x, UOP_DIMS(n, 1)), UOP_DIMS(n, 3));
  x = uop_shrink(uop_permute(x, UOP_DIMS(1, 0)), column, 2);
  return uop_reshape(x, dims, rank);
}

/* Rows and columns change places, and back. */
static const uop *turned(const uop *x) {
  int64_t n = uop_numel(x), width = n % 3 == 0 ? 3 : n % 2 == 0 ? 2 : 1, dims[2];
  size_t rank = x->shape->len;
  for (size_t i = 0; i < rank; i++) dims[i] = x->shape->at[i];
  x = uop_permute(uop_reshape(x, UOP_DIMS(n / width, width)), UOP_DIMS(1, 0));
  return uop_reshape(uop_permute(x, UOP_DIMS(1, 0)), dims, rank);
}

static const uop *computed(const uop *x) { return (uop_max)(uop_val_node(x), uop_val_node(x)); }

static const uop *handed(const uop *x) {
  int64_t dims[2];
  for (size_t i = 0; i < x->shape->len; i++) dims[i] = x->shape->at[i];
  const uop *p = uop_param(uop_ctx_of(x), 0, (uop_dtype)x->dtype, dims, x->shape->len);
  return uop_call(p, "same", x);
}

static const uop *apply(uop_ctx *ctx, const group *g, const uop *const *x) {
  const kind *k = g->at[0]->kind;
  uop_arg arg = {.dtype = k->result};
  if (k->op == UOP_REDUCE) return uop_reduce(x[0], strchr(k->name, 'x') ? UOP_MAX : UOP_ADD, 1);
  return uop_make(ctx, k->op, x, g->at[0]->n, k->op == UOP_CAST ? &arg : NULL);
}

/* ---- arrays: element i is of row first + i, over and over ---- */

typedef struct inputs {
  void *room[3];
  size_t n;
} inputs;

static void give(uop_run *run, inputs *in, int64_t slot, uop_dtype d, const int64_t *dims,
                 uint32_t rank, void *room, size_t skip) {
  uop_value v = {.dtype = d, .rank = rank, .count = 1};
  for (uint32_t i = 0; i < rank; i++) v.count *= v.dims[i] = dims[i];
  v.data = (char *)room + skip * uop_dtype_size(d);
  in->room[in->n++] = room;
  assert_true(uop_run_set(run, UOP_PARAM, slot, &v));
}

static void check_array(const group *g, size_t first, size_t n, size_t skip, dress f,
                        const char *how) {
  uop_ctx *ctx = g->table->ctx;
  uop_scope scope = uop_scope_begin(ctx);
  uop_run *run = uop_run_new(ctx, NULL);
  const uop *x[3];
  inputs in = {{NULL}, 0};
  size_t k = g->at[0]->n, params = is_reduce(g) ? 1 : k, each = is_reduce(g) ? k : 1;
  int64_t dims[2] = {(int64_t)n, (int64_t)k};
  uint32_t rank = is_reduce(g) ? 2 : 1;
  for (size_t j = 0; j < params; j++) {
    uop_dtype d = operand_dtype(g, j);
    void *room = malloc((n * each + skip) * uop_dtype_size(d));
    for (size_t i = 0; i < n * each; i++)
      put(room, d, i + skip, g->at[(first + i / each) % g->n]->in[is_reduce(g) ? i % each : j]);
    give(run, &in, (int64_t)j, d, dims, rank, room, skip);
    x[j] = f(uop_param(ctx, (int64_t)j, d, dims, rank));
  }
  uop_value out;
  if (!uop_run_eval(run, apply(ctx, g, x), &out)) fail_msg("%s", uop_error(ctx)->message);
  assert_int_equal(out.dtype, result_dtype(g));
  assert_int_equal(out.count, n);
  for (size_t i = 0; i < n; i++)
    check(g, g->at[(first + i) % g->n], get(out.data, out.dtype, i), how);
  uop_run_free(run);
  uop_scope_end(scope, NULL, 0);
  for (size_t j = 0; j < in.n; j++) free(in.room[j]);
}

static void in_arrays(const group *g) {
  check_array(g, 0, g->n, 0, as_it_is, "in an array");
  check_array(g, 3, 5003, 1, as_it_is, "in a long array");
  for (size_t n = 1; n <= 40; n++) check_array(g, 7 * n, n, n & 1, as_it_is, "in a short array");
  check_array(g, 1, 1000, 0, moved, "moved");
  check_array(g, 2, 999, 0, moved, "moved");
  check_array(g, 1, 1000, 0, turned, "turned");
  check_array(g, 5, 999, 1, turned, "turned");
  check_array(g, 0, 1003, 0, computed, "computed");
  check_array(g, 0, g->n, 0, handed, "handed to a call");
}

/* ---- one row by itself ---- */

static uop_value scalar(uop_dtype d, void *data) {
  return (uop_value){.dtype = d, .count = 1, .data = data};
}

static const uop *constant(uop_ctx *ctx, uop_dtype d, uint32_t bits) {
  uop_arg arg = {.dtype = d, .bits = bits};
  if (d != UOP_F16) return uop_make(ctx, UOP_CONST, NULL, 0, &arg);
  /* There is none of f16: a CAST of m * 2^-24, doubled as often as the exponent says. */
  uint32_t a = bits & 0x7fff, e = a >> 10, m = e ? (a & 0x3ff) | 0x400 : a;
  float f = (float)m * 0x1p-24f;
  for (uint32_t i = 1; i < e; i++) f *= 2;
  if (a > 0x7c00) f = (float)(0.0 / 0.0);
  if (a == 0x7c00) f = (float)(1.0 / 0.0);
  return uop_cast(uop_const_of_f32(ctx, bits >> 15 ? -f : f), UOP_F16);
}

enum { WIDE = 19 }; /* elements of an expanded operand */

/* The result, whose elements must all be the same. */
static uint32_t eval_row(uop_ctx *ctx, uop_run *run, const group *g, const uop *const *x) {
  uop_value out;
  if (!uop_run_eval(run, apply(ctx, g, x), &out)) fail_msg("%s", uop_error(ctx)->message);
  uint32_t bits = get(out.data, out.dtype, 0);
  for (int64_t i = 1; i < out.count; i++)
    assert_int_equal(get(out.data, out.dtype, (size_t)i), bits);
  return bits;
}

static const uop *stack_of(uop_ctx *ctx, const uop *const *x, size_t n) {
  uop_val v[MAX_OPERANDS];
  for (size_t i = 0; i < n; i++) v[i] = uop_val_node(x[i]);
  return uop_stack_n(ctx, v, n);
}

/* Operands as constants, as scalars, all expanded, and one of them expanded beside arrays. */
static void check_row(const group *g, const row *r) {
  uop_ctx *ctx = g->table->ctx;
  uop_scope scope = uop_scope_begin(ctx);
  uop_run *run = uop_run_new(ctx, NULL);
  const uop *consts[MAX_OPERANDS], *params[MAX_OPERANDS], *arrays[MAX_OPERANDS], *x[MAX_OPERANDS];
  uint32_t words[MAX_OPERANDS];
  for (size_t i = 0; i < r->n; i++) {
    uop_dtype d = operand_dtype(g, i);
    consts[i] = constant(ctx, d, r->in[i]);
    params[i] = uop_param(ctx, (int64_t)i, d, NULL, 0);
    arrays[i] = uop_expand(uop_reshape(params[i], UOP_DIMS(1)), UOP_DIMS(WIDE));
    put(&words[i], d, 0, r->in[i]);
    uop_value v = scalar(d, &words[i]);
    assert_true(uop_run_set(run, UOP_PARAM, (int64_t)i, &v));
  }
  if (is_reduce(g)) {
    x[0] = stack_of(ctx, consts, r->n);
    check(g, r, eval_row(ctx, run, g, x), "of constants");
    x[0] = stack_of(ctx, params, r->n);
    check(g, r, eval_row(ctx, run, g, x), "stacked");
    x[0] = uop_expand(uop_reshape(x[0], UOP_DIMS(1, (int64_t)r->n)), UOP_DIMS(WIDE, (int64_t)r->n));
    check(g, r, eval_row(ctx, run, g, x), "expanded");
  } else {
    check(g, r, eval_row(ctx, run, g, consts), "of constants");
    check(g, r, eval_row(ctx, run, g, params), "of scalars");
    check(g, r, eval_row(ctx, run, g, arrays), "expanded");
    for (size_t only = 0; only < r->n && r->n > 1; only++) {
      for (size_t i = 0; i < r->n; i++)
        x[i] = i == only ? arrays[i] : computed(uop_stage(arrays[i]));
      check(g, r, eval_row(ctx, run, g, x), "beside an array");
    }
  }
  uop_run_free(run);
  uop_scope_end(scope, NULL, 0);
}

/* ---- all of it ---- */

static void check_table(uop_dtype d) {
  table *t = read_table(d);
  group *g = calloc(1, sizeof *g);
  size_t groups = 0, rows = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (size_t k = 1; k <= MAX_OPERANDS; k++) {
      *g = (group){.table = t};
      for (size_t j = 0; j < t->n; j++)
        if (t->at[j].kind == &kinds[i] && t->at[j].n == k) g->at[g->n++] = &t->at[j];
      if (g->n == 0) continue;
      in_arrays(g);
      for (size_t j = 0; j < g->n; j++) check_row(g, g->at[j]);
      groups++;
      rows += g->n;
    }
  assert_int_equal(rows, t->n);
  print_message("%s: %d rows in %d groups\n", uop_dtype_name(d), (int)rows, (int)groups);
  uop_ctx_free(t->ctx);
  free(g);
  free(t);
}

static void test_bool(void **state) {
  (void)state;
  check_table(UOP_BOOL);
}
static void test_i32(void **state) {
  (void)state;
  check_table(UOP_I32);
}
static void test_f32(void **state) {
  (void)state;
  check_table(UOP_F32);
}
static void test_f16(void **state) {
  (void)state;
  check_table(UOP_F16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bool),
      cmocka_unit_test(test_i32),
      cmocka_unit_test(test_f32),
      cmocka_unit_test(test_f16),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
