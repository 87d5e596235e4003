/* test_scope.c - how long nodes live: scopes, pins, collection, side tables; that a refusal leaves
 * nothing behind; and what a context does with errors.
 */
#include "ir/ir.h" /* two tests reach inside: to move the ids on, and the count of pins */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/count.h"
#include "support/random.h"

static uop_ctx *ctx;
static counter memory;

static int begin(void **state) {
  (void)state;
  memory = (counter){0};
  uop_options o = counted(&memory);
  return (ctx = uop_ctx_new(&o)) ? 0 : -1;
}
static int end(void **state) {
  (void)state;
  uop_ctx_free(ctx);
  assert_int_equal(memory.bytes, 0);
  assert_int_equal(memory.blocks, 0);
  return 0;
}

static void assert_sound(void) {
  uop_diag before = *uop_error(ctx);
  if (!uop_ctx_check(ctx)) fail_msg("%s", uop_error(ctx)->message);
  if (before.code) uop_error_clear(ctx);
}

static void assert_error(uop_code code, const char *message) {
  const uop_diag *e = uop_error(ctx);
  if (e->code != code || strcmp(e->message, message))
    fail_msg("got %d '%s', not %d '%s'", (int)e->code, e->message, (int)code, message);
  uop_error_clear(ctx);
}

static const uop *i32(int v) { return uop_const_of_i32(ctx, v); }
static const uop *param(int64_t slot, uop_dtype d) { return uop_param(ctx, slot, d, NULL, 0); }
static size_t live(void) { return uop_ctx_live(ctx); }

/* Whether a node like this is alive, without making it. */
static bool is_alive(const uop *u, uint64_t id) {
  for (size_t i = 0; i < ctx->nlive; i++)
    if (ctx->live[i] == u) return u->id == id;
  return false;
}

/* ---- scopes ---- */

static void test_three_nodes_and_back(void **state) {
  (void)state;
  size_t before = live();
  uop_scope s = uop_scope_begin(ctx);
  const uop *sum = uop_add(i32(2), i32(3));
  assert_non_null(sum);
  assert_int_equal(live(), before + 3);
  assert_ptr_equal(uop_add(i32(2), i32(3)), sum);
  assert_int_equal(live(), before + 3);
  assert_true(uop_scope_end(s, NULL, 0));
  assert_int_equal(live(), before);
  /* and without a scope, by collection */
  sum = uop_add(i32(2), i32(3));
  assert_int_equal(live(), before + 3);
  assert_true(uop_collect(ctx, &sum, 1));
  assert_int_equal(live(), before + 3);
  assert_true(uop_collect(ctx, NULL, 0));
  assert_int_equal(live(), before);
  uop_stats st = uop_ctx_stats(ctx);
  assert_int_equal(st.bytes, 0);
  assert_int_equal(st.nodes, 0);
}

static void test_survivors_move_to_the_enclosing_scope(void **state) {
  (void)state;
  uop_scope outer = uop_scope_begin(ctx);
  const uop *x = param(0, UOP_I32);
  uop_scope inner = uop_scope_begin(ctx);
  const uop *kept = uop_mul(uop_add(x, 1), 2);
  uop_add(x, 100);
  assert_int_equal(live(), 1 + 4 + 2);
  assert_true(uop_scope_end(inner, &kept, 1));
  assert_int_equal(live(), 1 + 4); /* x; 1, x + 1, 2, kept */
  assert_sound();
  inner = uop_scope_begin(ctx); /* they belong to the outer one now */
  assert_true(uop_scope_end(inner, NULL, 0));
  assert_int_equal(live(), 1 + 4);
  assert_ptr_equal(uop_mul(uop_add(x, 1), 2), kept);
  assert_true(uop_scope_end(outer, &x, 1));
  assert_int_equal(live(), 1);
  assert_ptr_equal(param(0, UOP_I32), x);
  assert_sound();
}

static void test_older_nodes_are_left_alone(void **state) {
  (void)state;
  const uop *x = param(0, UOP_I32), *y = uop_add(x, 1);
  uop_scope s = uop_scope_begin(ctx);
  assert_ptr_equal(uop_add(x, 1), y); /* found, not made: it is not this scope's */
  assert_true(uop_scope_end(s, NULL, 0));
  assert_int_equal(live(), 3);
  s = uop_scope_begin(ctx);
  assert_true(uop_collect(ctx, NULL, 0)); /* the innermost scope only */
  assert_int_equal(live(), 3);
  const uop *keep[] = {NULL, y, NULL, x}; /* NULLs and older nodes are fine */
  uop_mul(y, y);
  assert_true(uop_scope_end(s, keep, 4));
  assert_int_equal(live(), 3);
}

/* Hands out what lives, by rising id, whatever was freed in between. */
static void test_nodes_in_creation_order(void **state) {
  (void)state;
  size_t n = 7;
  uop_ctx_nodes(ctx, &n);
  assert_int_equal(n, 0);
  const uop *x = param(0, UOP_I32);
  uop_scope s = uop_scope_begin(ctx);
  const uop *one = i32(1), *y = uop_add(x, one);
  uop_mul(y, y);
  const uop *z = uop_mul(y, one);
  const uop *const *at = uop_ctx_nodes(ctx, &n);
  assert_int_equal(n, 5);
  for (size_t i = 0; i < n; i++) assert_int_equal(at[i]->id, i);
  assert_true(uop_scope_end(s, &z, 1));
  const uop *w = uop_add(z, x), *want[] = {x, one, y, z, w};
  at = uop_ctx_nodes(ctx, &n);
  assert_int_equal(n, 5);
  for (size_t i = 0; i < n; i++) assert_ptr_equal(at[i], want[i]);
}

static void test_nested_scopes(void **state) {
  (void)state;
  enum { DEPTH = 100 };
  uop_scope s[DEPTH];
  const uop *x = param(0, UOP_I32), *top = x;
  for (int i = 0; i < DEPTH; i++) {
    s[i] = uop_scope_begin(ctx);
    for (int k = 0; k < 10; k++) uop_mul(top, k + 1000 * i);
    top = uop_add(top, i);
  }
  for (int i = DEPTH; i-- > 0;) {
    assert_true(uop_scope_end(s[i], &top, 1));
    assert_sound();
  }
  uop_counts c;
  assert_true(uop_count(ctx, &top, 1, &c));
  assert_int_equal(live(), c.nodes);
  const uop *again = x;
  for (int i = 0; i < DEPTH; i++) again = uop_add(again, i);
  assert_ptr_equal(again, top);
}

static void test_scopes_out_of_order(void **state) {
  (void)state;
  uop_scope a = uop_scope_begin(ctx);
  const uop *x = param(0, UOP_I32);
  uop_scope b = uop_scope_begin(ctx);
  const uop *y = uop_add(x, 1);
  assert_false(uop_scope_end(a, NULL, 0));
  assert_error(UOP_E_SCOPE, "a scope was ended that is not the innermost open one");
  assert_int_equal(live(), 3); /* nothing was lost */
  assert_true(uop_scope_end(b, &y, 1));
  assert_false(uop_scope_end(b, NULL, 0)); /* twice */
  assert_error(UOP_E_SCOPE, "a scope was ended that is not the innermost open one");
  assert_int_equal(live(), 3);
  uop_scope same_place = uop_scope_begin(ctx), stale = same_place;
  assert_true(uop_scope_end(same_place, NULL, 0));
  same_place = uop_scope_begin(ctx); /* as deep as the stale one, and begun at the same node */
  assert_false(uop_scope_end(stale, NULL, 0));
  assert_error(UOP_E_SCOPE, "a scope was ended that is not the innermost open one");
  assert_true(uop_scope_end(same_place, NULL, 0));
  assert_true(uop_scope_end(a, NULL, 0));
  assert_false(uop_scope_end(a, NULL, 0));
  assert_error(UOP_E_SCOPE, "a scope was ended that is not the innermost open one");
  assert_int_equal(live(), 0);
}

static void test_ids_are_never_used_again(void **state) {
  (void)state;
  uint64_t last = 0;
  for (int i = 0; i < 100; i++) {
    uop_scope s = uop_scope_begin(ctx);
    const uop *u = uop_add(param(0, UOP_I32), 1);
    assert_true(i == 0 || u->src[0]->id > last);
    assert_true(u->src[0]->id < u->id && u->src[1]->id < u->id);
    last = u->id;
    assert_int_equal(uop_ctx_stats(ctx).created, last + 1);
    assert_true(uop_scope_end(s, NULL, 0));
  }
}

/* ---- pins ---- */

static void test_a_pinned_young_node_is_a_root(void **state) {
  (void)state;
  uop_scope s = uop_scope_begin(ctx);
  const uop *x = param(0, UOP_I32), *y = uop_add(x, 1), *z = uop_mul(y, y);
  uint64_t id = y->id;
  assert_true(uop_pin(y));
  assert_true(uop_pin(y));
  assert_true(uop_scope_end(s, NULL, 0));
  assert_int_equal(live(), 3); /* x, 1, y: not z */
  assert_true(is_alive(y, id));
  assert_sound();
  (void)z;
  uop_unpin(y);
  assert_true(uop_collect(ctx, NULL, 0));
  assert_int_equal(live(), 3); /* still pinned once */
  uop_unpin(y);
  assert_true(uop_collect(ctx, NULL, 0));
  assert_int_equal(live(), 0);
}

static void test_pins_through_nested_scopes(void **state) {
  (void)state;
  uop_scope a = uop_scope_begin(ctx), b = uop_scope_begin(ctx);
  const uop *y = uop_add(param(0, UOP_I32), 1);
  uop_pin(y);
  assert_true(uop_scope_end(b, NULL, 0));
  assert_true(uop_scope_end(a, NULL, 0));
  assert_int_equal(live(), 3);
  uop_unpin(y);
  uop_unpin(y); /* not pinned: does nothing */
  uop_unpin(NULL);
  assert_true(uop_pin(NULL));
  assert_true(uop_collect(ctx, NULL, 0));
  assert_int_equal(live(), 0);
}

static void test_pins_overflow(void **state) {
  (void)state;
  uop *u = (uop *)i32(1);
  u->pins = UINT32_MAX - 1; /* four billion calls are too many for a test */
  assert_true(uop_pin(u));
  assert_false(uop_pin(u));
  assert_error(UOP_E_LIMIT, "CONST: pinned more than 4294967295 times (UOP_MAX_PINS)");
  assert_int_equal(u->pins, UINT32_MAX);
  uop_unpin(u);
  assert_true(uop_pin(u));
  assert_true(uop_collect(ctx, NULL, 0));
  assert_int_equal(live(), 1);
  u->pins = 0;
}

/* Random scopes, pins and keeps against a model that recounts what must live. */
static void test_random_scopes(void **state) {
  (void)state;
  enum { DEPTH = 6, PINS = 8 };
  rng r = {42};
  uop_scope s[DEPTH];
  const uop *pinned[PINS] = {NULL}, *kept[DEPTH] = {NULL};
  int depth = 0;
  for (int step = 0; step < 3000; step++) {
    const uop *g = random_graph(ctx, random_u64(&r) % 500, 8, 0);
    assert_non_null(g);
    uint32_t what = random_below(&r, 6), k = random_below(&r, PINS);
    if (what == 0 && depth < DEPTH) {
      kept[depth] = g;
      s[depth++] = uop_scope_begin(ctx);
    } else if (what <= 2 && depth > 0) {
      depth--;
      char *before = uop_print(g, NULL);
      uint64_t id = g->id;
      assert_true(uop_scope_end(s[depth], &g, 1));
      assert_true(is_alive(g, id) && is_alive(kept[depth], kept[depth]->id));
      char *after = uop_print(g, NULL);
      assert_string_equal(before, after);
      uop_free(ctx, before);
      uop_free(ctx, after);
    } else if (what == 3) {
      uop_unpin(pinned[k]);
      uop_pin(pinned[k] = g);
    }
    for (int i = 0; i < PINS; i++)
      if (pinned[i]) assert_true(is_alive(pinned[i], pinned[i]->id) && pinned[i]->pins);
    if (step % 100 == 0) assert_sound();
    if (depth == 0 && step % 7 == 0) {
      assert_true(uop_collect(ctx, NULL, 0));
      uop_counts c; /* exactly what the pins need is left */
      const uop *roots[PINS];
      size_t n = 0;
      for (int i = 0; i < PINS; i++)
        if (pinned[i]) roots[n++] = pinned[i];
      assert_true(uop_count(ctx, roots, n, &c));
      assert_int_equal(live(), c.nodes);
      assert_sound();
    }
  }
  while (depth) assert_true(uop_scope_end(s[--depth], NULL, 0));
}

/* ---- memory ---- */

static void test_bytes_come_back(void **state) {
  (void)state;
  uint64_t reserved = 0;
  for (int round = 0; round < 20; round++) {
    uop_scope s = uop_scope_begin(ctx);
    const uop *x = param(0, UOP_F32);
    for (int i = 0; i < 5000; i++) x = uop_add(x, i);
    for (uint64_t seed = 0; seed < 50; seed++) random_graph(ctx, seed, 20, 0);
    assert_non_null(x);
    assert_true(uop_scope_end(s, NULL, 0));
    uop_stats st = uop_ctx_stats(ctx);
    assert_int_equal(st.nodes, 0);
    assert_int_equal(st.bytes, 0);
    if (round == 0) reserved = st.reserved;
    assert_int_equal(st.reserved, reserved); /* the room is used again */
  }
  uop_ctx_trim(ctx);
  assert_true(uop_ctx_stats(ctx).reserved < 4096);
  assert_sound();
  assert_non_null(uop_add(param(0, UOP_I32), 1));
  assert_sound();
}

static void test_trim_keeps_what_lives(void **state) {
  (void)state;
  const uop *kept[40];
  for (int i = 0; i < 40; i++) {
    uop_scope s = uop_scope_begin(ctx);
    for (int k = 0; k < 3000; k++) uop_add(param(k, UOP_I32), k + i);
    kept[i] = random_graph(ctx, (uint64_t)i, 30, 0);
    assert_true(uop_scope_end(s, &kept[i], 1));
    uop_ctx_trim(ctx);
    assert_sound();
  }
  for (int i = 0; i < 40; i++) assert_ptr_equal(random_graph(ctx, (uint64_t)i, 30, 0), kept[i]);
}

static void test_a_node_of_many_sources(void **state) {
  (void)state;
  enum { N = 100000 };
  const uop **src = malloc(N * sizeof *src);
  assert_non_null(src);
  uop_scope s = uop_scope_begin(ctx);
  for (int i = 0; i < N; i++) src[i] = i32(i % 1000);
  for (size_t n = 1; n <= N; n = n * 3 + 1) {
    const uop *u = uop_sink(ctx, src, n);
    assert_int_equal(u->nsrc, n);
    assert_ptr_equal(uop_sink(ctx, src, n), u);
  }
  assert_sound();
  assert_true(uop_scope_end(s, NULL, 0));
  assert_int_equal(uop_ctx_stats(ctx).bytes, 0);
  free(src);
}

/* Two live nodes 10^9 ids apart are walked in bytes proportional to two nodes. */
static void test_ids_far_apart(void **state) {
  (void)state;
  const uop *x = param(0, UOP_I32);
  ctx->next_id += UINT64_C(1000000000);
  const uop *y = uop_make(ctx, UOP_ADD, (const uop *[]){x, x}, 2, NULL);
  ctx->next_id += UINT64_C(1000000000000000000);
  const uop *z = uop_make(ctx, UOP_MUL, (const uop *[]){x, y}, 2, NULL);
  assert_true(z->id - x->id > UINT64_C(1000000000000000000));
  uint64_t before = memory.bytes;
  memory.peak = before;
  uop_nodes order = {NULL, 0, 0};
  assert_true(uop_toposort(ctx, &y, 1, &order));
  assert_int_equal(order.len, 2);
  assert_true(memory.peak - before < 20000); /* two pages of 1,024 ids, and a stack */
  assert_true(uop_toposort(ctx, &z, 1, &order));
  assert_int_equal(order.len, 3);
  uop_nodes_free(ctx, &order);
  char *text = uop_print(z, NULL);
  assert_string_equal(text, "%0 = param : slot=0 dtype=i32\n%1 = add %0, %0\n%2 = mul %0, %1\n");
  assert_ptr_equal(uop_parse(ctx, text, strlen(text)), z);
  uop_free(ctx, text);
  uop_map *m = uop_map_new(ctx);
  uint64_t v;
  assert_true(uop_map_set(m, x, 1) && uop_map_set(m, y, 2));
  assert_true(uop_map_get(m, x, &v) && v == 1 && uop_map_get(m, y, &v) && v == 2);
  assert_true(uop_map_bytes(m) < 20000);
  uop_map_free(m);
  assert_true(memory.peak - before < 100000);
  assert_sound();
  assert_true(uop_collect(ctx, &y, 1));
  assert_int_equal(live(), 2);
  assert_sound();
}

/* A kept node of a scope costs at most 200 bytes, in small; tests/deep.c has 1,000 scopes of 10^6.
 */
static void test_growth_by_kept_nodes(void **state) {
  (void)state;
  enum { SCOPES = 20000, EACH = 50 };
  uint64_t used = 0, held = 0;
  for (int i = 0; i < SCOPES + 100; i++) {
    uop_scope s = uop_scope_begin(ctx);
    const uop *x = NULL;
    for (int k = 0; k < EACH; k++) x = i32(i * EACH + k);
    assert_true(uop_scope_end(s, &x, 1));
    if (i + 1 != 100) continue; /* warm */
    used = uop_ctx_stats(ctx).bytes;
    held = memory.bytes;
  }
  assert_true(uop_ctx_stats(ctx).bytes - used <= 200 * SCOPES);
  assert_true(memory.bytes - held <= 200 * SCOPES);
}

/* ---- side tables ---- */

static void test_map(void **state) {
  (void)state;
  uop_map *m = uop_map_new(ctx);
  const uop *x = param(0, UOP_I32), *y = param(1, UOP_I32);
  uint64_t v = 77;
  assert_false(uop_map_get(m, x, &v));
  assert_int_equal(v, 77);
  assert_true(uop_map_set(m, x, 0));
  assert_true(uop_map_get(m, x, &v) && v == 0); /* 0 is a value */
  assert_true(uop_map_set(m, x, UINT64_MAX));
  assert_true(uop_map_get(m, x, &v) && v == UINT64_MAX);
  assert_false(uop_map_get(m, y, &v));
  assert_int_equal(uop_map_len(m), 1);
  uop_map_remove(m, y);
  assert_int_equal(uop_map_len(m), 1);
  uop_map_remove(m, x);
  assert_false(uop_map_get(m, x, &v));
  assert_int_equal(uop_map_len(m), 0);
  assert_true(uop_map_set_node(m, x, y));
  assert_ptr_equal(uop_map_get_node(m, x), y);
  assert_null(uop_map_get_node(m, y));
  for (int i = 0; i < 5000; i++) assert_true(uop_map_set(m, i32(i), (uint64_t)i * 3));
  for (int i = 0; i < 5000; i++) assert_true(uop_map_get(m, i32(i), &v) && v == (uint64_t)i * 3);
  assert_int_equal(uop_map_len(m), 5001);
  uop_map_free(m);
  uop_map_free(NULL);
}

/* CASES 3: a later node at the same address is another key. */
static void test_an_entry_of_a_dead_node_answers_nothing(void **state) {
  (void)state;
  uop_map *m = uop_map_new(ctx);
  const uop *x = param(0, UOP_I32);
  int same_address = 0;
  uint64_t v;
  for (int i = 0; i < 200; i++) {
    uop_scope s = uop_scope_begin(ctx);
    const uop *u = uop_add(x, i), *old = u;
    assert_true(uop_map_set(m, u, 5) && uop_map_set(m, u->src[1], 6));
    assert_true(uop_scope_end(s, NULL, 0));
    s = uop_scope_begin(ctx);
    u = uop_add(x, i); /* equal, and still another node */
    same_address += u == old;
    assert_false(uop_map_get(m, u, &v));
    assert_false(uop_map_get(m, u->src[1], &v));
    assert_null(uop_map_get_node(m, u));
    assert_true(uop_scope_end(s, NULL, 0));
  }
  assert_true(same_address > 0); /* or this test shows nothing */
  uop_map_free(m);
}

static void test_registered_maps_are_cleaned(void **state) {
  (void)state;
  uop_map *a = uop_map_new(ctx), *b = uop_map_new(ctx), *plain = uop_map_new(ctx);
  uop_map_register(a);
  uop_map_register(b);
  uop_map_register(a); /* twice is once */
  const uop *x = param(0, UOP_I32), *y = param(1, UOP_I32);
  uop_scope s = uop_scope_begin(ctx);
  const uop *kept = uop_add(x, y), *dead = uop_mul(x, y);
  uop_map_set_node(a, x, kept);    /* stays */
  uop_map_set_node(a, y, dead);    /* its value dies */
  uop_map_set_node(a, kept, x);    /* stays */
  uop_map_set_node(a, dead, x);    /* its key dies */
  uop_map_set_node(b, dead, NULL); /* NULL is a value */
  uop_map_set_node(b, kept, NULL);
  uop_map_set_node(plain, x, kept);
  assert_true(uop_scope_end(s, &kept, 1));
  assert_int_equal(uop_map_len(a), 2);
  assert_ptr_equal(uop_map_get_node(a, x), kept);
  assert_ptr_equal(uop_map_get_node(a, kept), x);
  assert_null(uop_map_get_node(a, y));
  uint64_t v;
  assert_int_equal(uop_map_len(b), 1);
  assert_true(uop_map_get(b, kept, &v) && v == 0);
  assert_sound();
  uop_map_free(a); /* out of the middle of the list */
  assert_true(uop_collect(ctx, NULL, 0));
  assert_int_equal(uop_map_len(b), 0);
  assert_int_equal(live(), 0);
  uop_map_free(b);
  uop_map_free(plain);
}

static void test_registered_maps_at_random(void **state) {
  (void)state;
  uop_map *m = uop_map_new(ctx);
  uop_map_register(m);
  rng r = {7};
  for (int round = 0; round < 200; round++) {
    uop_scope s = uop_scope_begin(ctx);
    const uop *last = NULL;
    for (int i = 0; i < 20; i++) {
      const uop *g = random_graph(ctx, random_u64(&r), 6, 0);
      uop_map_set_node(m, g, last ? last : g);
      last = random_below(&r, 2) ? g : last;
    }
    const uop *keep = random_graph(ctx, random_u64(&r), 6, 0);
    uop_map_set_node(m, keep, keep);
    assert_true(uop_scope_end(s, &keep, 1));
    assert_ptr_equal(uop_map_get_node(m, keep), keep);
    size_t n = 0; /* every entry is of live nodes */
    for (size_t i = 0; i < ctx->nlive; i++) {
      const uop *u = ctx->live[i], *v = uop_map_get_node(m, u);
      n += v != NULL;
      if (v) assert_true(is_alive(v, v->id));
    }
    assert_int_equal(n, uop_map_len(m));
  }
  uop_map_free(m);
}

/* ---- a refusal leaves nothing behind ---- */

typedef struct footprint {
  size_t live, tuples, names, table;
  uint64_t next_id, bytes, refs;
} footprint;

static footprint footprint_now(void) {
  footprint f = {live(), ctx->interned.ntuples, ctx->interned.nnames, ctx->table_len, 0, 0, 0};
  uop_stats s = uop_ctx_stats(ctx);
  f.next_id = s.created;
  f.bytes = s.bytes;
  for (size_t i = 0; i < ctx->interned.tuple_cap; i++)
    for (const uop_tuple *t = ctx->interned.tuples[i]; t; t = t->next) f.refs += t->refs;
  for (size_t i = 0; i < ctx->interned.name_cap; i++)
    for (const uopi_name *t = ctx->interned.names[i]; t; t = t->next) f.refs += t->refs;
  return f;
}

/* One refusal of everything that can be refused, by .uir: line by line, each alone in its program
 * after the preamble. */
static const char preamble[] = "%i = param : slot=0 dtype=i32\n"
                               "%f = param : slot=1 dtype=f32 shape=(3,)\n"
                               "%g = param : slot=2 dtype=f32 shape=(2,)\n"
                               "%m = param : slot=3 dtype=f32 shape=(3,) space=global\n"
                               "%h = param : slot=4 dtype=f16\n"
                               "%b = param : slot=5 dtype=bool\n"
                               "%v = sink\n"
                               "%buf = buffer 4 : dtype=f32 slot=0\n"
                               "%mat = param : slot=6 dtype=f32 shape=(2, 3)\n"
                               "%s = param : slot=7 dtype=f32\n";

static const char *const refused[] = {
    "const 2.5 : dtype=i32",
    "const 5 : dtype=bool",
    "const 1 : dtype=void",
    "const 99999999999",
    "const 1e99",
    "param : slot=-1 dtype=f32",
    "param : slot=0 dtype=void",
    "param : slot=0 shape=(-1, 7)",
    "param : slot=0 shape=(65536, 65536)",
    "param : slot=0 shape=(4294967296, 0)",
    "param : slot=99999999999",
    "buffer (2, 3) : dtype=f32",
    "buffer 0 : dtype=f32",
    "alloc 4 : space=global",
    "call %i : name=unheard_of",
    "call (add %i (param 2 dtype=i32)), 7, 8 : name=unheard_of",
    "call (add %s 41.0), 7 : name=f",
    "call %i, 1.5 : name=f",
    "call %buf : name=f",
    "call (mul %i (cast (param 0 dtype=f32) : dtype=i32)), 7 : name=f",
    "stack",
    "stack %f, %g",
    "stack %f, %i",
    "index %f, 1, 2",
    "index %f, 1.5",
    "index %i, 1",
    "cast %f : dtype=void",
    "recip %i",
    "sqrt 5",
    "add %f, %g",
    "add %i, 2.5",
    "add %v, %v",
    "add 1, 2.0",
    "mul %i, 12345678901",
    "max %b, 2",
    "cmplt %i, %f",
    "cmpne %i, %b",
    "floordiv %s, 77.0",
    "floormod %b, %b",
    "where %i, 31, 32",
    "where %b, 31, 32.5",
    "where %b, %f, %g",
    "load %f",
    "store %f, %f",
    "store %m, %i",
    "store %m, %g",
    "after %f",
    "range %f : idx=0",
    "range %s : idx=0",
    "range 91 : idx=-1",
    "end %f, %i",
    "reshape %f, (4,)",
    "reshape %f, (17, 23)",
    "reshape %mat, (-2, -3)",
    "expand %f, (4,)",
    "expand %f, (3, 1)",
    "permute %mat, (0, 0)",
    "permute %mat, (0, 2)",
    "permute %mat, (0,)",
    "shrink %f, ((0, 4),)",
    "shrink %f, ((2, 1),)",
    "shrink %f, ((0, 1), (0, 1))",
    "reduce %f : op=mul pop=1",
    "reduce %f : op=add pop=2",
    "reduce %f : op=add pop=-1",
    "stage %v",
    "wmma %v, %f, %f",
    "assert %f, %g",
    "assert %i, 2.5",
    "add %i",
    "sub %i, 3.5",
    "neg %b",
    "and %i, 41",
    "not %s",
    "min %f, %g",
    "eq %h, 1e99",
    "add (mul %f 41.5) %g",
    "add (reshape %f, (31, 37)) 2",
    "relu %v",
};

static void test_a_refusal_leaves_nothing_behind(void **state) {
  (void)state;
  const uop *kept = uop_parse(ctx, preamble, sizeof preamble - 1);
  assert_non_null(kept);
  const char all[] = "%keep = sink %i %f %g %m %h %b %v %buf %mat %s\n";
  char text[2000];
  snprintf(text, sizeof text, "%s%s", preamble, all);
  assert_non_null(kept = uop_parse(ctx, text, strlen(text)));
  assert_true(uop_collect(ctx, &kept, 1));
  footprint before = footprint_now();
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    snprintf(text, sizeof text, "%s%%r = %s\n", preamble, refused[i]);
    if (uop_parse(ctx, text, strlen(text))) fail_msg("'%s' is not refused", refused[i]);
    uop_code code = uop_error(ctx)->code;
    if (code == UOP_OK || code == UOP_E_MEMORY || code == UOP_E_INTERNAL || code == UOP_E_SYNTAX)
      fail_msg("'%s': code %d: %s", refused[i], (int)code, uop_error(ctx)->message);
    footprint after = footprint_now();
    if (memcmp(&before, &after, sizeof before)) fail_msg("'%s' leaves something", refused[i]);
    assert_sound();
    uop_error_clear(ctx);
  }
  print_message("%d refusals\n", (int)(sizeof refused / sizeof *refused));
}

/* By the C API: random sources and args, most of which no op can have. */
static void test_random_refusals_leave_nothing_behind(void **state) {
  (void)state;
  rng r = {99};
  enum { POOL = 60 };
  const uop *pool[POOL];
  for (uint64_t i = 0; i < POOL; i++) pool[i] = random_graph(ctx, i, 6, 0);
  int refusals = 0, made = 0;
  for (int i = 0; i < 100000; i++) {
    uop_op op = (uop_op)random_below(&r, UOP_OP_COUNT);
    const uop *src[4];
    size_t n = random_below(&r, 5);
    for (size_t k = 0; k < n; k++) src[k] = pool[random_below(&r, POOL)];
    int64_t ints[4];
    static const int64_t special[] = {-1, 0, 1, 2, 3, UOP_MAX_DIM, UOP_MAX_DIM + 1, INT64_MIN};
    for (int k = 0; k < 4; k++) ints[k] = special[random_below(&r, 8)];
    uop_arg a = {.dtype = (uop_dtype)random_below(&r, UOP_DTYPE_COUNT + 1),
                 .space = (uop_space)random_below(&r, UOP_SPACE_COUNT + 1),
                 .kind = (uop_axis)random_below(&r, UOP_AXIS_COUNT + 1),
                 .op = (uop_op)random_below(&r, UOP_OP_COUNT + 1),
                 .num = special[random_below(&r, 8)],
                 .bits = random_u64(&r),
                 .ints = ints,
                 .len = random_below(&r, 5)};
    static const char *const names[] = {"f", "", "a b", "x:y", "#", "9", NULL, "ok_1"};
    a.name = names[random_below(&r, 8)];
    footprint before = footprint_now();
    const uop *u = uop_make(ctx, op, src, n, &a);
    footprint after = footprint_now();
    if (u) {
      made++;
      assert_int_equal(uop_error(ctx)->code, UOP_OK);
      if (after.live > 2000) {
        assert_true(uop_collect(ctx, pool, POOL));
        assert_sound();
      }
    } else {
      refusals++;
      assert_int_not_equal(uop_error(ctx)->code, UOP_OK);
      if (memcmp(&before, &after, sizeof before))
        fail_msg("'%s' leaves something", uop_error(ctx)->message);
      uop_error_clear(ctx);
    }
  }
  assert_true(refusals > 10000 && made > 1000);
  assert_sound();
}

static void test_limits_of_a_context(void **state) {
  (void)state;
  uop_ctx_free(ctx);
  uop_options o = counted(&memory);
  o.max_nodes = 3;
  ctx = uop_ctx_new(&o);
  const uop *sum = uop_add(param(0, UOP_I32), 1);
  assert_int_equal(live(), 3);
  assert_ptr_equal(uop_add(param(0, UOP_I32), 1), sum); /* what is there is found */
  footprint before = footprint_now();
  assert_null(uop_mul(sum, sum));
  assert_error(UOP_E_LIMIT, "MUL: the context has 3 nodes, its limit (max_nodes)");
  footprint after = footprint_now();
  assert_memory_equal(&before, &after, sizeof before);
  uop_ctx_free(ctx);
  o.max_nodes = 0;
  o.max_bytes = 1 << 20;
  ctx = uop_ctx_new(&o);
  const uop *x = param(0, UOP_I32);
  while (x) {
    assert_true(uop_ctx_stats(ctx).reserved <= o.max_bytes);
    x = uop_add(x, x);
  }
  assert_error(UOP_E_MEMORY, "out of memory: the context may take 1048576 bytes (max_bytes)");
  assert_sound();
  assert_true(uop_collect(ctx, NULL, 0));
  assert_non_null(uop_add(param(0, UOP_I32), 1)); /* room again */
  assert_sound();
}

/* ---- errors of a context ---- */

static void test_the_first_error_stays(void **state) {
  (void)state;
  assert_non_null(uop_error(ctx));
  assert_int_equal(uop_error(ctx)->code, UOP_OK);
  assert_string_equal(uop_error(ctx)->message, "");
  const uop *x = param(0, UOP_I32), *y = param(0, UOP_F32);
  assert_null(uop_add(x, y));
  assert_null(uop_recip(x));
  assert_null(uop_param(ctx, -1, UOP_I32, NULL, 0));
  assert_int_equal(uop_error(ctx)->op, UOP_ADD);
  assert_int_equal(uop_error(ctx)->operand, 1);
  assert_int_equal(uop_error(ctx)->line, 0);
  assert_non_null(uop_add(x, x)); /* an error does not stop what is right */
  assert_error(UOP_E_DTYPE, "ADD: dtype mismatch i32 vs f32 (use CAST)");
  assert_null(uop_recip(x));
  assert_error(UOP_E_DTYPE, "RECIP needs a float, got i32");
}

/* NULL in, NULL out, and the error that made it NULL is still there: through every function. */
static void test_null_in_null_out(void **state) {
  (void)state;
  const uop *x = param(0, UOP_I32), *none = uop_recip(x), *b = param(1, UOP_BOOL), *out = x;
  const uop *m = uop_buffer(ctx, 0, UOP_I32, 1);
  assert_null(none);
  const uop *all[] = {
      uop_add(none, x),
      uop_add(x, none),
      uop_sub(none, 1),
      uop_mul(none, none),
      uop_floordiv(x, none),
      uop_floormod(none, 3),
      uop_max(none, x),
      uop_min(x, none),
      uop_lt(none, x),
      uop_gt(none, x),
      uop_le(none, x),
      uop_ge(none, x),
      uop_eq(none, x),
      uop_ne(none, x),
      uop_and(none, b),
      uop_or(b, none),
      uop_assert(none, 1),
      uop_where(none, x, x),
      uop_where(b, none, 1),
      uop_where(b, 1, none),
      uop_neg(none),
      uop_not(none),
      uop_relu(none),
      uop_recip(none),
      uop_exp2(none),
      uop_log2(none),
      uop_sqrt(none),
      uop_sin(none),
      uop_cast(none, UOP_F32),
      uop_const_like(none, 1),
      uop_stack(ctx, x, none),
      uop_index(none, 1),
      uop_index(x, none),
      uop_reshape(none, NULL, 0),
      uop_expand(none, NULL, 0),
      uop_permute(none, NULL, 0),
      uop_shrink(none, NULL, 0),
      uop_reduce(none, UOP_ADD, 0),
      uop_call(none, "f", 1),
      uop_call(x, "f", none),
      uop_load(none),
      uop_store(none, 1),
      uop_store(m, none),
      uop_after(none, &x, 1),
      uop_after(m, &none, 1),
      uop_sink(ctx, &none, 1),
      uop_barrier(ctx, &none, 1),
      uop_range(ctx, none, 0, UOP_AXIS_LOOP),
      uop_end(none, &x, 1),
      uop_end(x, &none, 1),
      uop_stage(none),
      uop_wmma(none, x, x),
      uop_wmma(x, none, x),
      uop_wmma(x, x, none),
      uop_substitute(none, &x, &x, 1),
      uop_substitute(x, &none, &x, 1),
      uop_substitute(x, &x, &none, 1),
      uop_inline_call(none),
      uop_copy(ctx, none),
      uop_with_src(none, &x),
      uop_with_src(uop_neg(x), (const uop *[]){none, none}),
      uop_add(uop_mul(uop_recip(none), 2), uop_exp2(none)),
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]) fail_msg("%d: NULL in gives a node", (int)i);
  assert_null(uop_print(none, NULL));
  uop_nodes l = {NULL, 0, 0};
  assert_false(uop_ranges(none, &l));
  assert_false(uop_call_params(none, &l));
  assert_true(uop_wrap(ctx, &none, 1, NULL, 0, NULL, NULL, &out)); /* a NULL root stays one */
  assert_null(out);
  assert_error(UOP_E_DTYPE, "RECIP needs a float, got i32");
  assert_sound();
}

static void test_nodes_of_two_contexts(void **state) {
  (void)state;
  uop_ctx *other = uop_ctx_new(NULL);
  const uop *x = param(0, UOP_I32), *y = uop_param(other, 0, UOP_I32, NULL, 0);
  assert_ptr_equal(uop_ctx_of(x), ctx);
  assert_ptr_equal(uop_ctx_of(y), other);
  footprint before = footprint_now();
  assert_null(uop_add(x, y));
  assert_error(UOP_E_CONTEXT, "ADD: source 1 is of another context (uop_copy it)");
  assert_null(uop_sink(ctx, (const uop *[]){y, x}, 2));
  assert_error(UOP_E_CONTEXT, "SINK: source 0 is of another context (uop_copy it)");
  assert_null(uop_make(ctx, UOP_CAST, &y, 1, &(uop_arg){.dtype = UOP_I32}));
  assert_error(UOP_E_CONTEXT, "CAST: source 0 is of another context (uop_copy it)");
  assert_null(uop_substitute(uop_neg(x), &x, &y, 1));
  assert_error(UOP_E_CONTEXT, "a node is of another context (uop_copy it)");
  assert_null(uop_call(uop_neg(x), "f", y));
  assert_error(UOP_E_CONTEXT, "CALL: source 1 is of another context (uop_copy it)");
  assert_true(uop_collect(ctx, &x, 1));
  before.next_id = footprint_now().next_id;
  footprint after = footprint_now();
  assert_memory_equal(&before, &after, sizeof before);
  assert_int_equal(uop_error(other)->code, UOP_OK);
  uop_ctx_free(other);
}

#define TEST(f) cmocka_unit_test_setup_teardown(test_##f, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(three_nodes_and_back),
      TEST(survivors_move_to_the_enclosing_scope),
      TEST(older_nodes_are_left_alone),
      TEST(nodes_in_creation_order),
      TEST(nested_scopes),
      TEST(scopes_out_of_order),
      TEST(ids_are_never_used_again),
      TEST(a_pinned_young_node_is_a_root),
      TEST(pins_through_nested_scopes),
      TEST(pins_overflow),
      TEST(random_scopes),
      TEST(bytes_come_back),
      TEST(trim_keeps_what_lives),
      TEST(a_node_of_many_sources),
      TEST(ids_far_apart),
      TEST(growth_by_kept_nodes),
      TEST(map),
      TEST(an_entry_of_a_dead_node_answers_nothing),
      TEST(registered_maps_are_cleaned),
      TEST(registered_maps_at_random),
      TEST(a_refusal_leaves_nothing_behind),
      TEST(random_refusals_leave_nothing_behind),
      TEST(limits_of_a_context),
      TEST(the_first_error_stays),
      TEST(null_in_null_out),
      TEST(nodes_of_two_contexts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
