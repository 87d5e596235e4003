/* test_memory.c - every allocation of every public function failed in turn, until it succeeds: an
 * error each time, the context's invariants hold, nothing leaks, and the same call then works. The
 * number of failure points is printed for each function; none is a failed test. A second test stays
 * under a context's own limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/count.h"

typedef bool (*attempt)(
    uop_ctx *c); /* frees what it was given; false: an error is in the context */

/* Enough nodes of one kind that the creation vector and the tables grow. */
enum { MANY = 70 };

static const uop *p(uop_ctx *c, int64_t slot, uop_dtype d) {
  return uop_param(c, slot, d, NULL, 0);
}

/* ---- the builder: MANY distinct results of one function ---- */

#define BUILDS(name, dtype, expr)                 \
  static bool try_##name(uop_ctx *c) {            \
    const uop *x = p(c, 0, dtype);                \
    for (int i = 1; x && i <= MANY; i++) {        \
      const uop *y = p(c, i, dtype), *u = (expr); \
      if (!y || !u) return false;                 \
    }                                             \
    return x != NULL;                             \
  }

BUILDS(const_of_i32, UOP_I32, uop_const_of_i32(c, i))
BUILDS(const_of_f32, UOP_I32, uop_const_of_f32(c, (float)i))
BUILDS(const_of_bool, UOP_I32, uop_const_of_bool(c, i & 1))
BUILDS(const, UOP_I32, uop_const(c, UOP_F16, i))
BUILDS(const_like, UOP_F32, uop_const_like(uop_param(c, i, UOP_F32, UOP_DIMS(5)), i))
BUILDS(param, UOP_F16, uop_param(c, 0, UOP_I32, UOP_DIMS(i, 2)))
BUILDS(param_in, UOP_F16, uop_param_in(c, i, UOP_I32, UOP_DIMS(i), UOP_SPACE_GLOBAL))
BUILDS(buffer, UOP_F16, uop_buffer(c, i, UOP_F32, i))
BUILDS(alloc, UOP_F16, uop_alloc(c, i, UOP_F32, i, UOP_SPACE_LOCAL))
BUILDS(add, UOP_I32, uop_add(x, y))
BUILDS(sub, UOP_I32, uop_sub(x, y))
BUILDS(mul, UOP_F32, uop_mul(y, 2.5))
BUILDS(floordiv, UOP_I32, uop_floordiv(y, 3))
BUILDS(floormod, UOP_I32, uop_floormod(y, 3))
BUILDS(max, UOP_I32, uop_max(y, 0))
BUILDS(min, UOP_F32, uop_min(y, 1))
BUILDS(lt, UOP_I32, uop_lt(y, x))
BUILDS(gt, UOP_I32, uop_gt(y, 3))
BUILDS(le, UOP_F32, uop_le(y, 3))
BUILDS(ge, UOP_I32, uop_ge(y, 3))
BUILDS(eq, UOP_I32, uop_eq(y, 3))
BUILDS(ne, UOP_I32, uop_ne(y, 3))
BUILDS(and, UOP_BOOL, uop_and(y, x))
BUILDS(or, UOP_BOOL, uop_or(y, x))
BUILDS(assert, UOP_I32, uop_assert(y, i))
BUILDS(where, UOP_I32, uop_where(uop_lt(x, y), y, 1))
BUILDS(neg, UOP_F32, uop_neg(y))
BUILDS(not, UOP_BOOL, uop_not(y))
BUILDS(relu, UOP_F32, uop_relu(y))
BUILDS(recip, UOP_F32, uop_recip(y))
BUILDS(exp2, UOP_F32, uop_exp2(y))
BUILDS(log2, UOP_F32, uop_log2(y))
BUILDS(sqrt, UOP_F32, uop_sqrt(y))
BUILDS(sin, UOP_F16, uop_sin(y))
BUILDS(cast, UOP_F32, uop_cast(y, UOP_I32))
BUILDS(stack, UOP_I32, uop_stack(c, x, y, 3, 4, 5, 6, 7, 8, 9, 10))
BUILDS(index, UOP_I32, uop_index(uop_stack(c, x, y), y))
BUILDS(reshape, UOP_F32, uop_reshape(y, UOP_DIMS(1, 1)))
BUILDS(expand, UOP_F32, uop_expand(uop_reshape(y, UOP_DIMS(1)), UOP_DIMS(i)))
BUILDS(permute, UOP_F32, uop_permute(uop_reshape(y, UOP_DIMS(1, 1)), UOP_DIMS(1, 0)))
BUILDS(shrink, UOP_F32, uop_shrink(uop_reshape(y, UOP_DIMS(1)), (const int64_t[]){0, 1}, 1))
BUILDS(reduce, UOP_F32, uop_reduce(uop_reshape(y, UOP_DIMS(1, 1)), UOP_ADD, 2))
BUILDS(call, UOP_F32, uop_call(uop_add(x, i), "f", y))
BUILDS(load, UOP_F32, uop_load(uop_buffer(c, i, UOP_F32, 2)))
BUILDS(store, UOP_F32, uop_store(uop_param_in(c, i, UOP_F32, NULL, 0, UOP_SPACE_GLOBAL), i))
BUILDS(after, UOP_F32, uop_after(uop_buffer(c, i, UOP_F32, 2), (const uop *const[]){y}, 1))
BUILDS(sink, UOP_F32, uop_sink(c, (const uop *const[]){x, y}, 2))
BUILDS(barrier, UOP_F32, uop_barrier(c, (const uop *const[]){y}, 1))
BUILDS(range, UOP_I32, uop_range(c, y, i, UOP_AXIS_LOOP))
BUILDS(end, UOP_F32, uop_end(y, (const uop *const[]){uop_range(c, 10, i, UOP_AXIS_REDUCE)}, 1))
BUILDS(stage, UOP_F32, uop_stage(y))
BUILDS(wmma, UOP_F32, uop_wmma(x, x, y))
BUILDS(with_src, UOP_F32, uop_with_src(uop_max(x, 0), (const uop *const[]){y, x}))

/* ---- a graph to walk, edit, print and run ---- */

static const char text[] = "%p = param 0 shape=(2, 3)\n"
                           "%q = param 1 shape=(3,)\n"
                           "%b = buffer 3 : slot=0\n"
                           "%s = add (mul %p %q) (load %b)  # broadcasts\n"
                           "%f = mul (param 0) (param 0)\n"
                           "%r = range 4 : idx=1\n"
                           "%r2 = range 5 : idx=0\n"
                           "assert (call %f 3.0 : name=sq) 9\n"
                           "%t = reduce (where (lt %s 0) (neg %s) %s) : op=max\n"
                           "%long_name_of_a_statement = sum %t\n";

/* The program without its last, wrong line. */
static size_t good_length(void) { return (size_t)(strstr(text, "%long") - text); }

static const uop *graph(uop_ctx *c) { return uop_parse(c, text, good_length()); }

#define ON_GRAPH(name, ...)            \
  static bool try_##name(uop_ctx *c) { \
    const uop *u = graph(c);           \
    if (!u) return false;              \
    bool ok = false;                   \
    __VA_ARGS__;                       \
    return ok;                         \
  }

ON_GRAPH(parse, ok = true)
ON_GRAPH(toposort, uop_nodes l = {0}; ok = uop_toposort(c, &u, 1, &l); uop_nodes_free(c, &l))
ON_GRAPH(call_params, uop_nodes l = {0}; ok = uop_call_params(u, &l); uop_nodes_free(c, &l))
ON_GRAPH(inputs, uop_nodes l = {0}; ok = uop_inputs(c, &u, 1, &l); uop_nodes_free(c, &l))
ON_GRAPH(ranges, uop_nodes l = {0};
         const uop *r[] = {uop_range(c, 9, 2, UOP_AXIS_LOOP), uop_range(c, 9, 1, UOP_AXIS_LOOP), u};
         const uop *all = uop_sink(c, r, 3); ok = all && uop_ranges(all, &l); uop_nodes_free(c, &l))
ON_GRAPH(count, uop_counts n; ok = uop_count(c, &u, 1, &n))
ON_GRAPH(bounds, uop_map *m = uop_map_new(c); uop_interval i;
         const uop *x = p(c, 0, UOP_I32), *call = uop_call(uop_max(uop_mul(x, x), 3), "f", 4);
         ok = u && m && call && uop_bounds(NULL, call, &i) && uop_bounds(m, call, &i) && i.lo == 16;
         uop_map_free(m))
ON_GRAPH(cost, uop_cost n; ok = uop_cost_of(c, &u, 1, &n))
ON_GRAPH(substitute, const uop *from = uop_param(c, 1, UOP_F32, UOP_DIMS(3));
         const uop *to = uop_param(c, 7, UOP_F32, UOP_DIMS(3));
         ok = from && to && uop_substitute(u, &from, &to, 1))
ON_GRAPH(inline_call, const uop *x = p(c, 0, UOP_F32);
         const uop *call = uop_call(uop_mul(x, x), "sq", 3); ok = call && uop_inline_call(call))
ON_GRAPH(print, char *s = uop_print(u, NULL); ok = s != NULL; uop_free(c, s))
ON_GRAPH(print_roots, const uop *roots[] = {uop_assert(uop_param(c, 0, UOP_I32, NULL, 0), 1), u};
         char *s = roots[0] ? uop_print_roots(c, roots, 2, NULL) : NULL; ok = s != NULL;
         uop_free(c, s))
ON_GRAPH(dot, char *s = uop_dot(c, &u, 1, NULL, NULL); ok = s != NULL; uop_free(c, s))
ON_GRAPH(print_arg, char *s = uop_print_arg(u, NULL); ok = s != NULL; uop_free(c, s))

static void no_box(void *user, size_t number, const uop *const *nodes, size_t n) {
  (void)user, (void)number, (void)nodes, (void)n;
}
/* Two runs, one of them opened. */
ON_GRAPH(dot_with, uop_dot_options o = {.open = &u, .nopen = 1, .box = no_box};
         for (int i = 0; i < 150; i++) u = uop_recip(u);
         for (int i = 0; i < 150; i++) u = uop_sqrt(u);
         char *s = u ? uop_dot_with(c, &u, 1, &o, NULL) : NULL; ok = s != NULL; uop_free(c, s))

static const uop *same(void *user, const uop *u) { return (void)user, u; }
ON_GRAPH(wrap, const uop *target = uop_param(c, 1, UOP_F32, UOP_DIMS(3)); const uop *out;
         ok = target && uop_wrap(c, &u, 1, &target, 1, same, NULL, &out))

static bool try_copy(uop_ctx *c) {
  uop_ctx *other = uop_ctx_new(NULL); /* whose memory is not counted */
  const uop *u = graph(other);
  assert_non_null(u);
  bool ok = uop_copy(c, u) != NULL;
  uop_ctx_free(other);
  return ok;
}

/* ---- programs ---- */

static bool try_program(uop_ctx *c) {
  uop_program *prog = uop_program_parse(c, text, good_length(), NULL);
  if (!prog) return false;
  uop_diags warnings = {0};
  size_t len;
  char *s = uop_program_print(prog, &len);
  char *dot = uop_dot(c, prog->roots.at, prog->roots.len, prog, NULL);
  bool ok = s && dot && uop_program_check(prog, &warnings) && warnings.len == 2;
  uop_free(c, s);
  uop_free(c, dot);
  uop_diags_free(c, &warnings);
  uop_program_free(prog);
  return ok;
}

/* A wrong program: its diagnostics need memory too. */
static bool try_diagnostics(uop_ctx *c) {
  uop_diags d = {0};
  uop_program *prog = uop_program_parse(c, text, strlen(text), &d);
  assert_null(prog);
  bool ok = uop_error(c)->code == UOP_E_SYNTAX && d.len == 1;
  uop_diags_free(c, &d);
  if (ok) uop_error_clear(c);
  return ok;
}

/* ---- rules ---- */

static const char rules_text[] =
    "# why\nzero: (add x 0) -> x\n# why\nconsts: (add (add x A) B):i32 -> (add x {A + B})\n"
    "# why\nrest: (sink x xs...) -> (sink xs...) if hi(x) < 9\n"
    "# why\nnext: (max x C):i32 -> (!next x C)\n"
    "# why\nmod: (mod x C) -> x\n"; /* shorthand: an error */

static size_t good_rules(void) { return (size_t)(strstr(rules_text, "# why\nmod") - rules_text); }

static bool next(const uop_rule_call *call, const uop **out) {
  *out = uop_add(uop_add(call->args[0], uop_const_i32(call->args[1])), 1);
  return *out != NULL;
}

/* Nests a rewrite by the same rules. */
static bool around(const uop_rule_call *call, const uop **out) {
  const uop *x;
  if (!uop_rewrite(call->user, call->root->src, 1, NULL, &x)) return false;
  *out = uop_add(x, 7);
  return *out != NULL;
}

static uop_rules *some_rules(uop_ctx *c) {
  static const uop_op ops[] = {UOP_STAGE, UOP_FLOORDIV};
  uop_rules *r = uop_rules_new(c);
  if (r && uop_rules_define(r, "next", next, NULL) &&
      uop_rules_add_text(r, rules_text, good_rules(), NULL) &&
      uop_rules_add_fn(r, "around", "nests", ops, 2, around, r))
    return r;
  uop_rules_free(r);
  return NULL;
}

/* What failed added nothing: the same call then adds it. */
static bool try_rules(uop_ctx *c) {
  uop_rules *r = some_rules(c);
  bool ok = r != NULL;
  for (int i = 0; ok && i < 5; i++) ok = uop_rules_add_text(r, rules_text, good_rules(), NULL);
  if (ok) assert_int_equal(uop_rules_len(r), 25);
  uop_rules_free(r);
  return ok;
}

static bool try_rules_wrong(uop_ctx *c) {
  uop_rules *r = uop_rules_new(c);
  uop_diags d = {0};
  bool ok = r && uop_rules_define(r, "next", next, NULL) &&
            !uop_rules_add_text(r, rules_text, strlen(rules_text), &d) && d.len == 1 &&
            uop_error(c)->code == UOP_E_SYNTAX;
  uop_diags_free(c, &d);
  uop_rules_free(r);
  if (ok) uop_error_clear(c);
  return ok;
}

static bool each_step(void *user, const uop_rewrite_step *step) {
  ++*(int *)user;
  return step->after != NULL;
}

static bool rewrite_in(uop_ctx *c, uop_rules *r, uop_rewrite_order order, const uop *u) {
  int steps = 0;
  uop_map *origins = uop_map_new(c);
  uop_rewrite_options o = {.order = order, .origins = origins, .trace = each_step, .user = &steps};
  const uop *out = NULL;
  bool ok = origins && uop_rewrite(r, &u, 1, &o, &out);
  if (ok) assert_true(steps > 5 && out != u);
  if (ok) assert_ptr_equal(uop_origin(origins, out), u);
  uop_map_free(origins);
  return ok;
}

static bool try_rewrite(uop_ctx *c) {
  const uop *x = p(c, 0, UOP_I32), *u = x, *f = uop_add(uop_add(x, 0), uop_mul(x, 2));
  for (int i = 0; u && i < 40; i++) u = i % 4 ? uop_add(u, i % 3) : uop_max(u, i);
  u = uop_add(u, uop_call(f, "f", uop_stage(uop_add(u, 0))));
  const uop *parts[] = {uop_floormod(x, 8), u, uop_floordiv(u, 2)};
  u = uop_sink(c, parts, 3);
  uop_rules *r = u ? some_rules(c) : NULL;
  bool ok = r && rewrite_in(c, r, UOP_ONE_PASS, u) && rewrite_in(c, r, UOP_TOP_DOWN, u) &&
            rewrite_in(c, r, UOP_BOTTOM_UP, u);
  uop_rules_free(r);
  return ok;
}

/* Sums, quotients, comparisons, and more terms than a list starts with. */
static const uop *to_simplify(uop_ctx *c) {
  const uop *n = uop_const(c, UOP_I32, 9), *x = uop_range(c, n, 0, UOP_AXIS_LOOP), *u = x;
  const uop *s = uop_add(uop_mul(x, 6), 5), *b = p(c, 99, UOP_BOOL);
  for (int i = 1; u && i < 40; i++) u = uop_add(uop_mul(p(c, i, UOP_I32), 3), u);
  u = uop_add(u, uop_add(uop_mul(uop_floordiv(x, 4), 4), uop_floormod(x, 4)));
  const uop *parts[] = {uop_floordiv(uop_floordiv(s, 4), 2),
                        uop_floormod(s, 4),
                        uop_lt(s, 17),
                        u,
                        uop_where(b, uop_where(b, x, 3), 2),
                        uop_call(uop_mul(uop_add(p(c, 0, UOP_I32), 1), 2), "f", x)};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!parts[i]) return NULL;
  return uop_sink(c, parts, sizeof parts / sizeof *parts);
}

static bool try_simplify(uop_ctx *c) {
  const uop *u = to_simplify(c), *out = NULL;
  uop_map *origins = u ? uop_map_new(c) : NULL;
  uop_rules *r = origins ? uop_rules_new(c) : NULL;
  int steps = 0;
  uop_rewrite_options o = {.origins = origins, .trace = each_step, .user = &steps};
  bool ok = r && uop_rules_add_set(r, "simplify") && uop_simplify(r, &u, 1, &o, &out);
  if (ok) assert_true(steps == 5 && out != u); /* no step is left out where one fails */
  uop_rules_free(r);
  uop_map_free(origins);
  return ok;
}

/* ---- side tables, values, runs ---- */

static bool try_map(uop_ctx *c) {
  uop_map *m = uop_map_new(c);
  bool ok = m != NULL;
  for (int i = 0; ok && i < MANY; i++) {
    const uop *u = uop_const_of_i32(c, i);
    ok = u && uop_map_set_node(m, u, u) && uop_map_get_node(m, u) == u;
  }
  uop_map_free(m);
  return ok;
}

static bool use_value(uop_ctx *c, uop_value *v) {
  char *s = uop_value_print(c, v, true, 0);
  size_t len;
  void *npy = uop_npy_write(c, v, &len);
  uop_value back;
  bool ok = s && npy && uop_npy_read(c, npy, len, &back);
  if (ok) uop_value_free(c, &back);
  uop_free(c, s);
  uop_free(c, npy);
  return ok;
}

static bool try_value(uop_ctx *c) {
  uop_value v;
  if (!uop_value_parse(c, "[[1, 2, 3], [4, 5, nan]]", 24, UOP_F32, &v)) return false;
  uop_value packed;
  bool ok = use_value(c, &v) && uop_value_pack(c, &v, &packed);
  if (ok) uop_value_free(c, &packed);
  uop_value_free(c, &v);
  const uop *in = ok ? uop_param(c, 0, UOP_F16, UOP_DIMS(4)) : NULL;
  if (!in || !uop_value_fill(in, 1, &v)) return false;
  uop_value_free(c, &v);
  return true;
}

static bool give(uop_run *r, uop_op op, int64_t slot, int rank, float *data) { /* or a copy */
  uop_value v = {
      .dtype = UOP_F32, .rank = (uint32_t)rank, .dims = {2, 3}, .count = 6, .data = data};
  if (rank == 1) v.dims[0] = v.count = 3;
  return slot ? uop_run_set_copy(r, op, slot, &v) : uop_run_set(r, op, slot, &v);
}

static double no_time(void *user) { return (void)user, 0; }

static bool try_run(uop_ctx *c) {
  float data[] = {1, -2, 3, -4, 5, -6};
  uop_program *prog = uop_program_parse(c, text, good_length(), NULL);
  uop_run_options o = {.clock = no_time};
  uop_run *r = prog ? uop_run_new(c, &o) : NULL;
  bool ok = r && give(r, UOP_PARAM, 0, 2, data) && give(r, UOP_PARAM, 1, 1, data) &&
            give(r, UOP_BUFFER, 0, 1, data) && uop_run_want(r, prog->roots.at, prog->roots.len);
  uop_value out;
  for (size_t i = 0; ok && i < prog->roots.len; i++) ok = uop_run_eval(r, prog->roots.at[i], &out);
  if (ok) { /* row 0: 1+1, 4-2, 9+3; row 1: -4+1, -10-2, -18+3, made positive */
    assert_true(((float *)out.data)[0] == 12 && ((float *)out.data)[1] == 15);
  }
  uop_run_free(r);
  uop_program_free(prog);
  return ok;
}

/* Tiles, strided leaves, copies, large arrays that come and go. */
static bool try_arrays(uop_ctx *c) {
  static float data[512 * 512];
  uop_value v = {.dtype = UOP_F32, .rank = 2, .dims = {512, 512}, .count = 512 * 512, .data = data};
  uop_value out;
  const uop *u = uop_param(c, 0, UOP_F32, UOP_DIMS(512, 512));
  for (int i = 0; u && i < 3; i++) u = uop_add(uop_permute(u, UOP_DIMS(1, 0)), u);
  u = uop_add(uop_reshape(uop_permute(u, UOP_DIMS(1, 0)), UOP_DIMS(512 * 512)), 1);
  uop_run *r = u ? uop_run_new(c, NULL) : NULL;
  bool ok = r != NULL;
  for (int i = 0; ok && i < 2; i++) {
    if (i) uop_run_reset(r);
    ok = uop_run_set(r, UOP_PARAM, 0, &v) && uop_run_eval(r, u, &out) &&
         uop_run_eval(r, uop_reduce(u, UOP_MAX, 1), &out);
  }
  uop_run_free(r);
  return ok;
}

/* Enough for several slabs and chunks. */
static bool try_many_nodes(uop_ctx *c) {
  const uop *u = p(c, 0, UOP_I32);
  for (int i = 0; u && i < 4000; i++) u = uop_add(u, u);
  return u != NULL;
}

static bool try_trim(uop_ctx *c) {
  uop_scope s = uop_scope_begin(c);
  bool ok = try_add(c);
  if (!uop_scope_end(s, NULL, 0)) return false;
  uop_ctx_trim(c); /* cannot fail; what it cannot shrink stays */
  return ok;
}

/* ---- the loop ---- */

static const struct row {
  const char *name;
  attempt try;
} rows[] = {
#define ROW(name) \
  { #name, try_##name }
    ROW(const_of_i32), ROW(const_of_f32), ROW(const_of_bool),
    ROW(const),        ROW(const_like),   ROW(param),
    ROW(param_in),     ROW(buffer),       ROW(alloc),
    ROW(add),          ROW(sub),          ROW(mul),
    ROW(floordiv),     ROW(floormod),     ROW(max),
    ROW(min),          ROW(lt),           ROW(gt),
    ROW(le),           ROW(ge),           ROW(eq),
    ROW(ne),           ROW(and),          ROW(or),
    ROW(assert),       ROW(where),        ROW(neg),
    ROW(not ),         ROW(relu),         ROW(recip),
    ROW(exp2),         ROW(log2),         ROW(sqrt),
    ROW(sin),          ROW(cast),         ROW(stack),
    ROW(index),        ROW(reshape),      ROW(expand),
    ROW(permute),      ROW(shrink),       ROW(reduce),
    ROW(call),         ROW(load),         ROW(store),
    ROW(after),        ROW(sink),         ROW(barrier),
    ROW(range),        ROW(end),          ROW(stage),
    ROW(wmma),         ROW(with_src),     ROW(parse),
    ROW(toposort),     ROW(call_params),  ROW(inputs),
    ROW(ranges),       ROW(count),        ROW(substitute),
    ROW(inline_call),  ROW(print),        ROW(print_arg),
    ROW(dot),          ROW(dot_with),     ROW(wrap),
    ROW(copy),         ROW(program),      ROW(diagnostics),
    ROW(map),          ROW(value),        ROW(run),
    ROW(trim),         ROW(many_nodes),   ROW(bounds),
    ROW(cost),         ROW(arrays),       ROW(print_roots),
    ROW(rules),        ROW(rules_wrong),  ROW(rewrite),
    ROW(simplify)};

/* Fails allocation n, and all later ones if `for_good`. False: it did not come to that many. */
static bool fail_at(const struct row *row, uint64_t n, bool for_good) {
  counter memory = {0};
  uop_options o = counted(&memory);
  uop_ctx *c = uop_ctx_new(&o);
  assert_non_null(c);
  memory.allocations = 0;
  memory.fail_from = n;
  memory.fail_once = !for_good;
  bool ok = row->try(c);
  bool reached = memory.allocations >= n;
  memory.fail_from = 0;
  if (!ok) {
    if (uop_error(c)->code != UOP_E_MEMORY)
      fail_msg("%s, allocation %d: %d '%s'", row->name, (int)n, (int)uop_error(c)->code,
               uop_error(c)->message);
    uop_error_clear(c);
  }
  if (!uop_ctx_check(c))
    fail_msg("%s, allocation %d: %s", row->name, (int)n, uop_error(c)->message);
  if (!row->try(c)) fail_msg("%s, after %d: %s", row->name, (int)n, uop_error(c)->message);
  uop_ctx_free(c);
  if (memory.bytes || memory.blocks)
    fail_msg("%s, allocation %d: leaks %d bytes", row->name, (int)n, (int)memory.bytes);
  return reached;
}

static void test_each_allocation(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t points = 0;
    while (fail_at(&rows[i], points + 1, true)) points++;
    for (uint64_t n = 1; n <= points; n++) fail_at(&rows[i], n, false);
    print_message("%-16s %4d failure points\n", rows[i].name, (int)points);
    assert_true(points > 0);
  }
}

static void test_new_context(void **state) {
  (void)state;
  int points = 0;
  for (uint64_t n = 1;; n++, points++) {
    counter memory = {.fail_from = n};
    uop_options o = counted(&memory);
    uop_ctx *c = uop_ctx_new(&o);
    uop_ctx_free(c);
    assert_int_equal(memory.bytes, 0);
    if (c) break;
  }
  print_message("%-16s %4d failure points\n", "ctx_new", points);
  assert_true(points > 0);
}

/* A context's own limits are errors like any other, and a later scope has room again. */
static void test_limits(void **state) {
  (void)state;
  uop_options o = {.max_nodes = 100};
  uop_ctx *c = uop_ctx_new(&o);
  uop_scope s = uop_scope_begin(c);
  const uop *u = p(c, 0, UOP_I32);
  int built = 0;
  for (const uop *v = u; v; v = uop_add(v, u)) built++;
  assert_int_equal(built, 100);
  assert_int_equal(uop_error(c)->code, UOP_E_LIMIT);
  assert_string_equal(uop_error(c)->message,
                      "ADD: the context has 100 nodes, its limit (max_nodes)");
  uop_error_clear(c);
  assert_true(uop_ctx_check(c));
  assert_true(uop_scope_end(s, NULL, 0));
  assert_non_null(uop_add(p(c, 0, UOP_I32), 1));
  uop_ctx_free(c);

  o = (uop_options){.max_bytes = 1 << 20};
  c = uop_ctx_new(&o);
  built = 0;
  for (const uop *v = p(c, 0, UOP_I32); v; v = uop_add(v, v)) built++;
  assert_true(built > 1000);
  assert_int_equal(uop_error(c)->code, UOP_E_MEMORY);
  assert_true(uop_ctx_stats(c).reserved <= 1 << 20);
  uop_error_clear(c);
  assert_true(uop_ctx_check(c));
  uop_ctx_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_allocation),
                                     cmocka_unit_test(test_new_context),
                                     cmocka_unit_test(test_limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
