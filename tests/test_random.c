/* test_random.c - properties that hold for every graph, over random graphs of every op and dtype.
 *
 * `test_random [COUNT [FIRST SEED]]`: COUNT graphs (100,000) from that seed on. A graph that fails
 * is shrunk and printed as .uir with its seed.
 */
#include "uop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

static uint64_t count = 100000, first_seed = 1;

static uop_ctx *new_ctx(void) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  assert_non_null(ctx);
  return ctx;
}

static void assert_sound(uop_ctx *ctx) {
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
}

/* ---- the properties: each NULL, or what does not hold ---- */

static const char *broken_text(const uop *g, uop_ctx *other) {
  uop_ctx *ctx = uop_ctx_of(g);
  char *text = uop_print(g, NULL), *again = NULL;
  if (!text) return "it prints";
  const char *why = NULL;
  const uop *there = uop_parse(other, text, strlen(text));
  if (uop_parse(ctx, text, strlen(text)) != g)
    why = "reading back what was printed gives the same node";
  else if (!there || !(again = uop_print(there, NULL)) || strcmp(text, again))
    why = "text read in another context prints the same";
  else if (there->hash != g->hash || uop_copy(other, g) != there)
    why = "text and copy give the same node in another context, with the same hash";
  else if (uop_copy(ctx, there) != g)
    why = "a copy copied back is the node";
  uop_free(ctx, text);
  uop_free(other, again);
  return why;
}

static const char *broken_order(const uop *g) {
  uop_ctx *ctx = uop_ctx_of(g);
  const char *why = NULL;
  uop_nodes order = {NULL, 0, 0};
  uop_counts counts;
  uop_map *place = uop_map_new(ctx);
  if (!uop_toposort(ctx, &g, 1, &order) || !uop_count(ctx, &g, 1, &counts)) why = "it is walked";
  for (size_t i = 0; !why && i < order.len; i++) {
    uint64_t at;
    const uop *u = order.at[i];
    for (uint32_t k = 0; k < u->nsrc; k++)
      if (!uop_map_get(place, u->src[k], &at)) why = "sources come first";
    if (uop_map_get(place, u, &at)) why = "each node comes once";
    uop_map_set(place, u, i);
  }
  if (!why && (order.len != counts.nodes || order.at[order.len - 1] != g))
    why = "toposort has every node, the root last";
  uop_map_free(place);
  uop_nodes_free(ctx, &order);
  return why;
}

static const char *broken_repr(const uop *g) {
  static char buf[1 << 12];
  memcpy(buf, "%r = ", 5);
  size_t cap = sizeof buf - 5, n = uop_repr(g, buf + 5, cap);
  if (n >= cap || buf[5 + n]) return "repr ends its text";
  if (n == cap - 1) return NULL; /* cut */
  return uop_parse(uop_ctx_of(g), buf, n + 5) == g ? NULL : "repr reads back as the node";
}

static const char *broken_rebuild(const uop *g) {
  uop_ctx *ctx = uop_ctx_of(g);
  const char *why = NULL;
  uop_nodes order = {NULL, 0, 0};
  if (!uop_toposort(ctx, &g, 1, &order)) return "it is walked";
  for (size_t i = 0; !why && i < order.len; i++) {
    const uop *u = order.at[i];
    uop_arg a = uop_arg_of(u);
    if (uop_with_src(u, u->src) != u) why = "with_src of its own sources is the node";
    if (uop_make(ctx, (uop_op)u->op, u->src, u->nsrc, &a) != u) why = "made again it is the node";
  }
  if (!why && uop_substitute(g, order.at, order.at, order.len) != g)
    why = "each node for itself changes nothing";
  for (size_t i = 0; !why && i < order.len; i++) {
    const uop *p = order.at[i];
    if (p->op != UOP_PARAM || p == g) continue;
    const uop *q = uop_param_in(ctx, 12345, (uop_dtype)p->dtype, p->shape->at, p->shape->len,
                                (uop_space)p->space);
    const uop *there = uop_substitute(g, &p, &q, 1);
    if (!there) { /* a parameter of a body, which its CALL needs */
      if (uop_error(ctx)->op != UOP_CALL) why = "only a CALL refuses another slot";
      uop_error_clear(ctx);
    } else if (there == g || uop_substitute(there, &q, &p, 1) != g) {
      why = "a leaf replaced and put back gives the node";
    }
  }
  uop_nodes_free(ctx, &order);
  return why;
}

static const char *broken_call(const uop *g) {
  if (g->op != UOP_CALL) return NULL;
  const uop *u = uop_inline_call(g);
  if (!u) return "a CALL is inlined";
  if (u->dtype != g->dtype || u->shape != g->shape || u->space != g->space)
    return "a CALL inlined keeps its type";
  return NULL;
}

/* All of them. Both contexts are left as they were, whatever was built. */
static const char *broken(const uop *g, uop_ctx *other) {
  uop_ctx *ctx = uop_ctx_of(g);
  uop_error_clear(ctx);
  size_t live = uop_ctx_live(ctx), live_there = uop_ctx_live(other);
  uop_scope s = uop_scope_begin(ctx), t = uop_scope_begin(other);
  const char *why = broken_text(g, other);
  if (!why) why = broken_order(g);
  if (!why) why = broken_repr(g);
  if (!why) why = broken_rebuild(g);
  if (!why) why = broken_call(g);
  if (!why && uop_error(ctx)->code) why = uop_error(ctx)->message;
  bool ended = uop_scope_end(s, NULL, 0) && uop_scope_end(t, NULL, 0);
  if (!why && (!ended || uop_ctx_live(ctx) != live || uop_ctx_live(other) != live_there))
    why = "an ended scope leaves nothing";
  return why;
}

static bool is_broken(const uop *g, void *other) { return broken(g, other) != NULL; }

/* ---- the tests ---- */

typedef struct coverage {
  uint64_t by_op[UOP_OP_COUNT], dtype[UOP_DTYPE_COUNT], space[UOP_SPACE_COUNT], nodes;
  uint64_t negative_zero, nan, inf, subnormal, empty, nested, literal_argument;
} coverage;

static void cover(coverage *c, const uop *g) {
  uop_ctx *ctx = uop_ctx_of(g);
  uop_nodes order = {NULL, 0, 0};
  assert_true(uop_toposort(ctx, &g, 1, &order));
  for (size_t i = 0; i < order.len; i++) {
    const uop *u = order.at[i];
    c->by_op[u->op]++;
    c->dtype[u->dtype]++;
    c->space[u->space]++;
    c->nodes++;
    if (u->op == UOP_CONST && u->dtype == UOP_F32) {
      uint32_t b = (uint32_t)u->arg.bits, m = b & 0x7fffffff;
      c->negative_zero += b == 0x80000000;
      c->nan += m > 0x7f800000;
      c->inf += m == 0x7f800000;
      c->subnormal += m && m < 0x00800000;
    }
    for (uint32_t k = 0; k < u->shape->len; k++) c->empty += u->shape->at[k] == 0;
    if (u->op != UOP_CALL) continue;
    for (uint32_t k = 1; k < u->nsrc; k++)
      c->literal_argument += u->src[k]->op == UOP_CONST && u->src[k]->dtype != u->src[0]->dtype;
    uop_counts below;
    assert_true(uop_count(ctx, u->src, 1, &below));
    c->nested += below.by_op[UOP_CALL] > 0;
  }
  uop_nodes_free(ctx, &order);
}

static void assert_covered(const coverage *c, uint64_t graphs) {
  uint64_t least = graphs / 100;
  for (int i = 0; i < UOP_OP_COUNT; i++)
    if (c->by_op[i] < least)
      fail_msg("%s was seen %d times", uop_op_find((uop_op)i)->name, (int)c->by_op[i]);
  for (int i = 0; i < UOP_DTYPE_COUNT; i++) assert_true(c->dtype[i] >= least);
  for (int i = 0; i < UOP_SPACE_COUNT; i++) assert_true(c->space[i] >= least);
  uint64_t rare = graphs / 1000;
  assert_true(c->negative_zero > rare && c->nan > rare && c->inf > rare && c->subnormal > rare);
  assert_true(c->empty > rare && c->nested > rare && c->literal_argument > rare);
}

/* Mostly small, so that a fault is seen alone; now and then large. */
static int steps_of(uint64_t seed) { return seed % 50 ? 1 + (int)(seed % 20) : 60; }

static void test_properties(void **state) {
  (void)state;
  uop_ctx *ctx = new_ctx(), *other = new_ctx();
  static coverage seen;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t seed = first_seed + i;
    uop_scope s = uop_scope_begin(ctx);
    const uop *g = random_graph(ctx, seed, steps_of(seed), 0);
    if (!g) fail_msg("seed %lu: the generator: %s", (unsigned long)seed, uop_error(ctx)->message);
    const char *why = broken(g, other);
    if (why) {
      print_error("seed %lu: %s\n", (unsigned long)seed, why);
      shrink_and_print(g, is_broken, other, why);
      fail();
    }
    cover(&seen, g);
    if (i % 1000 == 0) assert_sound(ctx);
    assert_true(uop_scope_end(s, NULL, 0));
    assert_int_equal(uop_ctx_live(ctx), 0);
    if (i % 1000 == 0) assert_sound(ctx), assert_sound(other);
  }
  assert_covered(&seen, count);
  print_message("%lu graphs, %lu nodes\n", (unsigned long)count, (unsigned long)seen.nodes);
  uop_ctx_free(ctx);
  uop_ctx_free(other);
}

/* Everything kept: the table, the users lists and the slabs fill up. */
static void test_many_in_one_context(void **state) {
  (void)state;
  uop_ctx *ctx = new_ctx();
  enum { N = 3000 };
  static const uop *kept[N];
  for (int i = 0; i < N; i++) {
    uop_scope s = uop_scope_begin(ctx);
    kept[i] = random_graph(ctx, (uint64_t)i + 1, 12, 0);
    assert_non_null(kept[i]);
    assert_true(uop_scope_end(s, &kept[i], 1));
  }
  assert_sound(ctx);
  for (int i = 0; i < N; i++)
    if (random_graph(ctx, (uint64_t)i + 1, 12, 0) != kept[i]) fail_msg("seed %d: another node", i);
  assert_sound(ctx);
  assert_true(uop_collect(ctx, kept, N / 2));
  assert_sound(ctx);
  for (int i = 0; i < N; i++) {
    const uop *g = random_graph(ctx, (uint64_t)i + 1, 12, 0);
    if (i < N / 2) assert_ptr_equal(g, kept[i]);
  }
  assert_sound(ctx);
  uop_ctx_free(ctx);
}

/* CASES 4: neither ids nor addresses nor the order of building show anywhere. */
static void test_dead_nodes_change_nothing(void **state) {
  (void)state;
  uop_ctx *clean = new_ctx(), *used = new_ctx();
  uop_scope s = uop_scope_begin(used);
  const uop *x = uop_param(used, 0, UOP_I32, NULL, 0);
  for (int i = 0; i < 1000000; i++) x = uop_add(x, i);
  assert_non_null(x);
  for (uint64_t seed = 1; seed <= 300; seed++) {
    if (seed == 100) assert_true(uop_scope_end(s, NULL, 0));
    const uop *a = random_graph(clean, seed, 20, 0), *b = random_graph(used, seed, 20, 0);
    char *p = uop_print(a, NULL), *q = uop_print(b, NULL);
    assert_string_equal(p, q);
    assert_int_equal(a->hash, b->hash);
    uop_free(clean, p);
    uop_free(used, q);
  }
  assert_sound(used);
  uop_ctx_free(clean);
  uop_ctx_free(used);
}

/* ---- a CALL and its inlined form ---- */

static const uop *inline_it(void *user, const uop *call) {
  (void)user;
  return uop_inline_call(call);
}

static const uop *without_calls(const uop *g) {
  uop_ctx *ctx = uop_ctx_of(g);
  uop_nodes order = {NULL, 0, 0};
  assert_true(uop_toposort(ctx, &g, 1, &order));
  size_t n = 0;
  for (size_t i = 0; i < order.len; i++)
    if (order.at[i]->op == UOP_CALL) order.at[n++] = order.at[i];
  const uop *out = NULL;
  assert_true(uop_wrap(ctx, &g, 1, order.at, n, inline_it, NULL, &out));
  uop_nodes_free(ctx, &order);
  uop_counts c;
  assert_true(uop_count(ctx, &out, 1, &c));
  assert_int_equal(c.by_op[UOP_CALL], 0);
  return out;
}

typedef struct outcome {
  uop_code code;
  uop_dtype dtype;
  size_t bytes;
  void *data;
  char message[UOP_MAX_MESSAGE];
} outcome;

/* `u` run with the inputs that `all` asks for, filled from a seed. */
static outcome run(const uop *u, const uop *all) {
  uop_ctx *ctx = uop_ctx_of(u);
  outcome o = {.code = UOP_OK};
  uop_nodes inputs = {NULL, 0, 0};
  uop_run *r = uop_run_new(ctx, NULL);
  assert_non_null(r);
  assert_true(uop_inputs(ctx, &all, 1, &inputs));
  uop_value *fill = calloc(inputs.len + 1, sizeof *fill), v;
  assert_non_null(fill);
  for (size_t i = 0; i < inputs.len; i++) {
    const uop *p = inputs.at[i];
    assert_true(uop_value_fill(p, 7, &fill[i]));
    assert_true(uop_run_set(r, (uop_op)p->op, uop_slot(p), &fill[i]));
  }
  if (uop_run_eval(r, u, &v)) {
    o.dtype = v.dtype;
    o.bytes = (size_t)v.count * uop_dtype_size(v.dtype);
    o.data = malloc(o.bytes + 1);
    assert_non_null(o.data);
    uop_value packed;
    if (o.bytes) {
      assert_true(uop_value_pack(ctx, &v, &packed));
      memcpy(o.data, packed.data, o.bytes);
      uop_value_free(ctx, &packed);
    }
  } else {
    o.code = uop_error(ctx)->code;
    strcpy(o.message, uop_error(ctx)->message);
    assert_int_not_equal(o.code, UOP_OK);
    uop_error_clear(ctx);
  }
  uop_run_free(r);
  for (size_t i = 0; i < inputs.len; i++) uop_value_free(ctx, &fill[i]);
  free(fill);
  uop_nodes_free(ctx, &inputs);
  return o;
}

static bool alike(const outcome *a, const outcome *b) {
  return a->code == b->code && a->dtype == b->dtype && a->bytes == b->bytes &&
         (a->bytes == 0 || !memcmp(a->data, b->data, a->bytes));
}

/* A graph, itself without CALLs, and its copy elsewhere have the same outcome. */
static bool runs_apart(const uop *g, void *user) {
  (void)user;
  uop_ctx *other = new_ctx();
  uop_scope s = uop_scope_begin(uop_ctx_of(g));
  const uop *copy = uop_copy(other, g), *plain = without_calls(g);
  outcome a = run(g, g), b = run(plain, g), c = run(copy, copy);
  bool apart = !alike(&a, &b) || !alike(&a, &c);
  if (apart)
    print_error("%d %s | inlined: %d %s | copied: %d\n", a.code, a.message, b.code, b.message,
                c.code);
  free(a.data);
  free(b.data);
  free(c.data);
  uop_scope_end(s, NULL, 0);
  uop_ctx_free(other);
  return apart;
}

static void test_a_call_runs_as_its_inlined_form(void **state) {
  (void)state;
  uop_ctx *ctx = new_ctx();
  uint64_t calls = 0, errors = 0, runs = count / 20;
  for (uint64_t i = 0; i < runs; i++) {
    uop_scope s = uop_scope_begin(ctx);
    uint64_t seed = first_seed + i;
    const uop *g = random_graph(ctx, seed, 4 + (int)(seed % 24), RANDOM_RUNNABLE);
    if (!g) fail_msg("seed %lu: the generator: %s", (unsigned long)seed, uop_error(ctx)->message);
    if (runs_apart(g, NULL)) {
      shrink_and_print(g, runs_apart, NULL, "a CALL runs as its inlined form");
      fail_msg("seed %lu", (unsigned long)seed);
    }
    outcome o = run(g, g);
    errors += o.code != UOP_OK;
    free(o.data);
    uop_counts c;
    assert_true(uop_count(ctx, &g, 1, &c));
    calls += c.by_op[UOP_CALL];
    assert_true(uop_scope_end(s, NULL, 0));
  }
  print_message("%d runs, %d CALLs, %d errors\n", (int)runs, (int)calls, (int)errors);
  assert_true(calls > runs / 20 && errors < runs / 2);
  uop_ctx_free(ctx);
}

/* ---- shrinking ---- */

static bool has_reduce_of_bool(const uop *g, void *user) {
  (void)user;
  uop_nodes order = {NULL, 0, 0};
  bool found = false;
  if (!uop_toposort(uop_ctx_of(g), &g, 1, &order)) return false;
  for (size_t i = 0; i < order.len; i++)
    found |= order.at[i]->op == UOP_REDUCE && order.at[i]->dtype == UOP_BOOL;
  uop_nodes_free(uop_ctx_of(g), &order);
  return found;
}

static void test_shrinking(void **state) {
  (void)state;
  uop_ctx *ctx = new_ctx();
  int shrunk = 0;
  for (uint64_t seed = 1; seed < 400; seed++) {
    const uop *g = random_graph(ctx, seed, 40, 0);
    if (!has_reduce_of_bool(g, NULL)) continue;
    const uop *small = shrink(g, has_reduce_of_bool, NULL);
    uop_counts c;
    assert_true(uop_count(ctx, &small, 1, &c));
    if (c.nodes > 2) fail_msg("seed %d: %d nodes", (int)seed, (int)c.nodes);
    assert_true(has_reduce_of_bool(small, NULL));
    shrunk++;
  }
  assert_true(shrunk > 5);
  uop_ctx_free(ctx);
}

/* ---- where the chapter's printer fails ---- */

/* `g` prints as `text`, which reads back as g. */
static void assert_round_trip(const uop *g, const char *text) {
  assert_non_null(g);
  char *got = uop_print(g, NULL);
  assert_string_equal(got, text);
  assert_ptr_equal(uop_parse(uop_ctx_of(g), got, strlen(got)), g);
  uop_free(uop_ctx_of(g), got);
}

static uop_ctx *hole;
static const uop *param(uop_dtype d) { return uop_param(hole, 0, d, NULL, 0); }

static int begin_hole(void **state) {
  (void)state;
  return (hole = uop_ctx_new(NULL)) ? 0 : -1;
}
static int end_hole(void **state) {
  (void)state;
  uop_ctx_free(hole);
  return 0;
}

static void test_hole_call_of_f32_body_with_i32_constant(void **state) {
  (void)state;
  const uop *body = uop_cast(param(UOP_I32), UOP_F32);
  assert_round_trip(uop_call(body, "f", uop_const_of_i32(hole, 3)),
                    "%0 = param : slot=0 dtype=i32\n"
                    "%1 = cast %0 : dtype=f32\n"
                    "%2 = call %1, 3 : name=f\n");
  assert_round_trip(uop_call(uop_cast(param(UOP_F32), UOP_BOOL), "f", uop_const_of_f32(hole, 1)),
                    "%0 = param : slot=0 dtype=f32\n"
                    "%1 = cast %0 : dtype=bool\n"
                    "%2 = call %1, 1.0 : name=f\n");
  assert_round_trip(uop_call(uop_cast(param(UOP_BOOL), UOP_I32), "f", true),
                    "%0 = param : slot=0 dtype=bool\n"
                    "%1 = cast %0 : dtype=i32\n"
                    "%2 = call %1, true : name=f\n");
}

static void test_hole_call_of_a_constant_body(void **state) {
  (void)state;
  const uop *body = uop_const_of_f32(hole, 2);
  assert_round_trip(uop_make(hole, UOP_CALL, &body, 1, &(uop_arg){.name = "two"}),
                    "%0 = call 2.0 : name=two\n");
}

static void test_hole_end_with_a_literal(void **state) {
  (void)state;
  const uop *r = uop_range(hole, 10, 0, UOP_AXIS_LOOP);
  assert_round_trip(uop_end(uop_const_of_f32(hole, -0.0f), &r, 1),
                    "%0 = range 10 : idx=0 kind=loop\n"
                    "%1 = end -0.0, %0\n");
}

static void test_hole_after_with_literals(void **state) {
  (void)state;
  const uop *m = uop_buffer(hole, 0, UOP_F32, 4);
  const uop *deps[] = {uop_const_of_i32(hole, 1), uop_const_of_bool(hole, false),
                       uop_const_of_f32(hole, 1)};
  assert_round_trip(uop_after(m, deps, 3), "%0 = buffer 4 : dtype=f32 slot=0\n"
                                           "%1 = after %0, 1, false, 1.0\n");
  assert_round_trip(uop_make(hole, UOP_AFTER, &m, 1, NULL), "%0 = buffer 4 : dtype=f32 slot=0\n"
                                                            "%1 = after %0\n");
}

static void test_hole_sink_with_literals(void **state) {
  (void)state;
  const uop *src[] = {uop_cast(param(UOP_I32), UOP_F16), uop_const_of_i32(hole, 1),
                      uop_const_of_f32(hole, 1), uop_const_of_bool(hole, true)};
  assert_round_trip(uop_sink(hole, src, 4), "%0 = param : slot=0 dtype=i32\n"
                                            "%1 = cast %0 : dtype=f16\n"
                                            "%2 = sink %1, 1, 1.0, true\n");
  assert_round_trip(uop_sink(hole, src + 1, 3), "%0 = sink 1, 1.0, true\n");
  assert_round_trip(uop_barrier(hole, src + 1, 2), "%0 = barrier 1, 1.0\n");
  assert_round_trip(uop_sink(hole, NULL, 0), "%0 = sink\n");
}

static void test_hole_wmma_with_literals(void **state) {
  (void)state;
  assert_round_trip(uop_wmma(uop_const_of_i32(hole, 1), param(UOP_F16), uop_const_of_f32(hole, 1)),
                    "%0 = param : slot=0 dtype=f16\n"
                    "%1 = wmma 1, %0, 1.0\n");
}

/* Exercise 6 of the chapter: an earlier reader typed these by the condition. */
static void test_hole_where_with_literal_branches(void **state) {
  (void)state;
  const uop *c = uop_lt(param(UOP_I32), uop_param(hole, 1, UOP_I32, NULL, 0));
  assert_round_trip(uop_where(c, 1, 0), "%0 = param : slot=0 dtype=i32\n"
                                        "%1 = param : slot=1 dtype=i32\n"
                                        "%2 = cmplt %0, %1\n"
                                        "%3 = where %2, 1, 0\n");
  const uop *f = uop_where(param(UOP_BOOL), 1.0, param(UOP_F32));
  assert_round_trip(f, "%0 = param : slot=0 dtype=bool\n"
                       "%1 = param : slot=0 dtype=f32\n"
                       "%2 = where %0, 1.0, %1\n");
  assert_round_trip(uop_where(uop_const_of_bool(hole, true), 1, 0), "%0 = where true, 1, 0\n");
}

static void test_hole_literals_of_one_look(void **state) {
  (void)state;
  const uop *f = uop_const_of_f32(hole, 2), *i = uop_const_of_i32(hole, 2);
  const uop *big = uop_const_of_f32(hole, 1e10f), *yes = uop_const_of_bool(hole, true);
  assert_round_trip(uop_add(f, f), "%0 = add 2.0, 2.0\n");
  assert_round_trip(uop_add(i, i), "%0 = add 2, 2\n");
  assert_round_trip(uop_add(yes, yes), "%0 = add true, true\n");
  assert_round_trip(uop_mul(param(UOP_F32), big), "%0 = param : slot=0 dtype=f32\n"
                                                  "%1 = mul %0, 10000000000.0\n");
  assert_round_trip(uop_cast(i, UOP_F32), "%0 = cast 2 : dtype=f32\n");
  assert_round_trip(uop_cast(f, UOP_I32), "%0 = cast 2.0 : dtype=i32\n");
  assert_round_trip(uop_add(param(UOP_F16), 2), "%0 = param : slot=0 dtype=f16\n"
                                                "%1 = cast 2.0 : dtype=f16\n"
                                                "%2 = add %0, %1\n");
  assert_round_trip(uop_reduce(f, UOP_MAX, 0), "%0 = reduce 2.0 : op=max pop=0\n");
  assert_round_trip(uop_reshape(i, UOP_DIMS(1, 1)), "%0 = reshape 2, (1, 1)\n");
  assert_round_trip(uop_permute(f, NULL, 0), "%0 = permute 2.0, ()\n");
  assert_round_trip(uop_shrink(yes, NULL, 0), "%0 = shrink true, ()\n");
  assert_round_trip(uop_stage(f), "%0 = stage 2.0\n");
  assert_round_trip(uop_assert(f, f), "assert 2.0, 2.0\n");
  assert_round_trip(f, "%0 = const 2.0\n");
}

static void test_hole_store_of_a_literal(void **state) {
  (void)state;
  const uop *m = uop_param_in(hole, 0, UOP_F32, NULL, 0, UOP_SPACE_GLOBAL);
  assert_round_trip(uop_store(m, 3), "%0 = param : slot=0 dtype=f32 space=global\n"
                                     "%1 = store %0, 3.0\n");
}

#define HOLE(f) cmocka_unit_test_setup_teardown(test_hole_##f, begin_hole, end_hole)

int main(int argc, char **argv) {
  if (argc > 1) count = strtoull(argv[1], NULL, 10);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {
      HOLE(call_of_f32_body_with_i32_constant),
      HOLE(call_of_a_constant_body),
      HOLE(end_with_a_literal),
      HOLE(after_with_literals),
      HOLE(sink_with_literals),
      HOLE(wmma_with_literals),
      HOLE(where_with_literal_branches),
      HOLE(literals_of_one_look),
      HOLE(store_of_a_literal),
      cmocka_unit_test(test_shrinking),
      cmocka_unit_test(test_properties),
      cmocka_unit_test(test_many_in_one_context),
      cmocka_unit_test(test_dead_nodes_change_nothing),
      cmocka_unit_test(test_a_call_runs_as_its_inlined_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
