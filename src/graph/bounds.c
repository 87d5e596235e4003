/* bounds.c - an interval that contains every value that an i32 or bool node can have; false is 0
 * and true 1. Sound for what the ops really compute: i32 wraps, x // 0 is 0, x mod 0 is x.
 *
 * An op's interval is made from those of its sources, as if these were independent. "Exact" below
 * says that it is then the least one: each of its ends is the value of some operands. Sources that
 * are one node are looked at where it matters (x < x, x != x, x * x).
 *
 * A remainder by a constant d knows more of a sum of multiples: k*x + c is c modulo k, and so its
 * remainder is c modulo gcd(k, d), as long as nothing wraps, or what is left of k is a power of
 * two. For the remainders of a sum of one x that has |d| values or more that is exact.
 *
 * A CALL's value is bounded by its body under the bounds of its arguments. That can be exponential
 * in nested calls, so only so many nodes of bodies are looked at for one question; past that, a
 * CALL is as wide as its dtype.
 */
#include "alu/alu.h"
#include "ir/memo.h"

typedef uop_interval interval;

static const interval any_i32 = {INT32_MIN, INT32_MAX}, any_bool = {0, 1};

static interval any(const uop *u) { return u->dtype == UOP_BOOL ? any_bool : any_i32; }
static interval only(int64_t v) { return (interval){v, v}; }
static bool is_only(interval a, int64_t v) { return a.lo == v && a.hi == v; }
static bool has(interval a, int64_t v) { return a.lo <= v && v <= a.hi; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static interval hull(interval a, interval b) {
  return (interval){least(a.lo, b.lo), most(a.hi, b.hi)};
}
static bool has_bounds(const uop *u) { return u->dtype == UOP_I32 || u->dtype == UOP_BOOL; }

/* ---- i32 ---- */

/* Of consecutive integers, once they wrap: exact. Those that wrap equally often stay side by side;
 * others have INT32_MAX and INT32_MIN among them. */
static interval wrapped(interval a) {
  const int64_t turn = INT64_C(1) << 32;
  int64_t from_least = a.lo - INT32_MIN, turns = from_least / turn - (from_least % turn < 0);
  interval b = {a.lo - turns * turn, a.hi - turns * turn};
  return b.hi > INT32_MAX ? any_i32 : b;
}

/* Exact where no product wraps. */
static interval product(interval a, interval b) {
  int64_t p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  interval i = {least(least(p, q), least(r, s)), most(most(p, q), most(r, s))};
  return i.lo < INT32_MIN || i.hi > INT32_MAX ? any_i32 : i;
}

static interval square(interval a) {
  interval i = product(a, a);
  if (i.hi - i.lo == any_i32.hi - any_i32.lo) return i;
  int64_t p = a.lo * a.lo, q = a.hi * a.hi;
  return (interval){has(a, 0) ? 0 : least(p, q), most(p, q)};
}

/* The quotients by one divisor other than 0: they rise or fall with a. INT32_MIN // -1 wraps, to
 * the other end. */
static interval quotients(interval a, int64_t by) {
  if (by == -1 && a.lo == INT32_MIN) return a.hi == INT32_MIN ? only(INT32_MIN) : any_i32;
  int64_t p = floordiv_i32((int32_t)a.lo, (int32_t)by),
          q = floordiv_i32((int32_t)a.hi, (int32_t)by);
  return (interval){least(p, q), most(p, q)};
}

/* Exact: on either side of 0, quotients by a greater and a smaller divisor lie outside of those
 * between. -1 breaks this for INT32_MIN alone, and stands apart then. */
static interval floordiv(interval a, interval b) {
  int64_t top = least(b.hi, -1); /* of the divisors below 0 */
  interval i = has(b, 0) ? only(0) : quotients(a, b.lo);
  if (b.lo < 0 && top == -1 && a.lo == INT32_MIN) {
    i = hull(i, quotients(a, -1));
    top = -2;
  }
  if (b.lo <= top) i = hull(hull(i, quotients(a, b.lo)), quotients(a, top));
  if (b.hi > 0) i = hull(hull(i, quotients(a, b.hi)), quotients(a, most(b.lo, 1)));
  return i;
}

/* Exact. */
static interval remainders(interval a, int64_t by) {
  interval all = by > 0 ? (interval){0, by - 1} : (interval){by + 1, 0};
  int64_t width = by > 0 ? by : -by;
  int64_t p = floormod_i32((int32_t)a.lo, (int32_t)by),
          q = floormod_i32((int32_t)a.hi, (int32_t)by);
  return a.hi - a.lo >= width || p > q ? all : (interval){p, q};
}

/* Exact for one divisor, and for 0. */
static interval floormod(interval a, interval b) {
  if (b.lo == b.hi) return b.lo ? remainders(a, b.lo) : a;
  interval i = {b.lo < 0 ? b.lo + 1 : 0, b.hi > 0 ? b.hi - 1 : 0};
  if (b.lo > 0 && a.lo >= 0) i.hi = least(i.hi, a.hi); /* no more than the dividend */
  if (b.hi < 0 && a.hi <= 0) i.lo = most(i.lo, a.lo);
  if (b.lo > 0 && a.lo >= 0 && a.hi < b.lo) return a;
  if (b.hi < 0 && a.hi <= 0 && a.lo > b.hi) return a;
  return has(b, 0) ? hull(i, a) : i;
}

/* ---- comparisons: of bools too, as numbers; exact ---- */

static interval less(interval a, interval b) {
  return a.hi < b.lo ? only(1) : a.lo >= b.hi ? only(0) : any_bool;
}
static interval differ(interval a, interval b) {
  if (a.hi < b.lo || b.hi < a.lo) return only(1);
  return a.lo == a.hi && b.lo == b.hi ? only(0) : any_bool;
}

/* ---- an op over the bounds of its sources ---- */

typedef struct bounds bounds;
static interval known(const bounds *b, const uop *u);
static uint64_t find(const bounds *b, const uop *u); /* 0: not known yet */

static interval bounds_of_pair(const uop *u, interval a, interval b) {
  bool is_bool = u->src[0]->dtype == UOP_BOOL, same = u->src[0] == u->src[1];
  switch ((uop_op)u->op) {
  case UOP_ADD: /* of bools: or */
    return is_bool ? (interval){most(a.lo, b.lo), most(a.hi, b.hi)}
                   : wrapped((interval){a.lo + b.lo, a.hi + b.hi});
  case UOP_MUL:
    if (is_bool) return (interval){least(a.lo, b.lo), least(a.hi, b.hi)};
    return same ? square(a) : product(a, b);
  case UOP_MAX: return (interval){most(a.lo, b.lo), most(a.hi, b.hi)};
  case UOP_CMPLT: return same ? only(0) : less(a, b);
  case UOP_CMPNE: return same ? only(0) : differ(a, b);
  case UOP_FLOORDIV: return floordiv(a, b);
  default: return any(u);
  }
}

/* Elements that one element of a REDUCE is made of. */
static int64_t reduced(const uop *u) {
  const uop_tuple *s = u->src[0]->shape;
  int64_t n = 1;
  for (uint32_t i = u->shape->len; i < s->len; i++)
    if (s->at[i] == 0) return 0;
  for (uint32_t i = u->shape->len; i < s->len; i++) n *= s->at[i];
  return n;
}

static interval bounds_of_reduce(const uop *u, interval a) {
  int64_t n = reduced(u);
  bool add = uop_reduce_op(u) == UOP_ADD;
  if (u->dtype == UOP_BOOL) return n ? a : only(0);
  if (!add) return n ? a : only(INT32_MIN);
  return wrapped((interval){n * a.lo, n * a.hi});
}

/* A CAST from a float is bounded where the float is a constant, or was an integer: rounding to a
 * float and cutting off keep the order. */
static int32_t through(unsigned dtype, int64_t v) {
  int32_t i = (int32_t)v;
  return dtype == UOP_F32 ? cast_f32_i32(cast_i32_f32(i)) : cast_f16_i32(cast_i32_f16(i));
}

static interval truth(interval a) {
  return !has(a, 0) ? only(1) : is_only(a, 0) ? only(0) : any_bool;
}

static const uop *integer_below(const uop *cast) { /* what became a float, or NULL */
  const uop *x = cast->src[0];
  return x->op == UOP_CAST && has_bounds(x->src[0]) ? x->src[0] : NULL;
}

static interval bounds_of_cast(const bounds *b, const uop *u) {
  const uop *x = u->src[0], *i = integer_below(u);
  bool to_bool = u->dtype == UOP_BOOL;
  if (has_bounds(x)) return to_bool ? truth(known(b, x)) : known(b, x);
  if (x->op == UOP_CONST) {
    float f = uop_const_f32(x);
    return only(to_bool ? cast_f32_bool(f) : cast_f32_i32(f));
  }
  if (!i) return any(u);
  interval a = known(b, i);
  return to_bool ? truth(a) : (interval){through(x->dtype, a.lo), through(x->dtype, a.hi)};
}

/* Of a STACK, the sources that the first index can pick. */
static interval bounds_of_index(const bounds *b, const uop *u) {
  const uop *x = u->src[0];
  interval at = known(b, u->src[1]), i = known(b, x);
  if (x->op != UOP_STACK) return i;
  int64_t from = most(at.lo, 0), to = least(at.hi, (int64_t)x->nsrc - 1);
  enum { FEW = 64 }; /* else each of many INDEX nodes could look at all of a long STACK */
  if (from > to || to - from >= FEW) return i;
  i = known(b, x->src[from]);
  for (int64_t k = from + 1; k <= to; k++) i = hull(i, known(b, x->src[k]));
  return i;
}

/* ---- remainders of multiples ---- */

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

static bool wraps(const uop *u, interval a, interval b) {
  if (u->op == UOP_ADD) return a.lo + b.lo < INT32_MIN || a.hi + b.hi > INT32_MAX;
  interval i = product(a, b);
  return i.lo == INT32_MIN && i.hi == INT32_MAX;
}

enum { TERMS = 8, STEPS = 24 }; /* of a sum that is looked into: each remainder looks anew */

/* u is *c modulo the result. */
static int64_t modulus_of(const bounds *b, const uop *u, int64_t *c) {
  const uop *todo[TERMS];
  size_t n = 0;
  int64_t g = 0;
  bool wrap = false;
  *c = 0;
  todo[n++] = u;
  for (int steps = 0; n; steps++) {
    u = todo[--n];
    if (steps == STEPS || !find(b, u)) return 1;
    interval i = known(b, u);
    bool sum = u->op == UOP_ADD, pair = sum || u->op == UOP_MUL;
    if (i.lo == i.hi) {
      *c += i.lo;
      continue;
    }
    if (!pair || n + 2 > TERMS || !find(b, u->src[0]) || !find(b, u->src[1])) return 1;
    interval x = known(b, u->src[0]), y = known(b, u->src[1]);
    wrap |= wraps(u, x, y);
    if (sum) {
      todo[n++] = u->src[0];
      todo[n++] = u->src[1];
    } else if (x.lo == x.hi || y.lo == y.hi) {
      g = gcd(g, y.lo == y.hi ? y.lo : x.lo);
    } else {
      return 1;
    }
  }
  return g == 0 ? 1 : wrap ? g & -g : g;
}

/* r, of which only what is c modulo g is left. */
static interval congruent(interval r, int64_t c, int64_t g) {
  int64_t up = (c - r.lo) % g, down = (r.hi - c) % g;
  interval i = {r.lo + (up < 0 ? up + g : up), r.hi - (down < 0 ? down + g : down)};
  return i.lo <= i.hi ? i : r;
}

static interval bounds_of_floormod(const bounds *b, const uop *u) {
  interval x = known(b, u->src[0]), d = known(b, u->src[1]), r = floormod(x, d);
  int64_t c;
  if (d.lo != d.hi || d.lo == 0 || r.lo == r.hi) return r;
  int64_t g = gcd(modulus_of(b, u->src[0], &c), d.lo);
  return g > 1 ? congruent(r, c, g) : r;
}

static interval bounds_of(const bounds *b, const uop *u) {
  switch ((uop_op)u->op) {
  case UOP_CONST: return only(u->dtype == UOP_BOOL ? uop_const_bool(u) : uop_const_i32(u));
  case UOP_RANGE: return (interval){0, most(known(b, u->src[0]).hi - 1, 0)};
  case UOP_STACK: {
    interval i = known(b, u->src[0]);
    for (uint32_t k = 1; k < u->nsrc; k++) i = hull(i, known(b, u->src[k]));
    return i;
  }
  case UOP_INDEX: return bounds_of_index(b, u);
  case UOP_CAST: return bounds_of_cast(b, u);
  case UOP_WHERE: {
    interval c = known(b, u->src[0]);
    if (c.lo == c.hi) return known(b, u->src[c.lo ? 1 : 2]);
    return hull(known(b, u->src[1]), known(b, u->src[2]));
  }
  case UOP_REDUCE: return bounds_of_reduce(u, known(b, u->src[0]));
  case UOP_FLOORMOD: return bounds_of_floormod(b, u);
  case UOP_RESHAPE:
  case UOP_EXPAND:
  case UOP_PERMUTE:
  case UOP_SHRINK:
  case UOP_STAGE: return known(b, u->src[0]);
  default: break;
  }
  bool pair = uop_op_find((uop_op)u->op)->sets & UOP_SET_BINARY && has_bounds(u->src[0]);
  return pair ? bounds_of_pair(u, known(b, u->src[0]), known(b, u->src[1])) : any(u);
}

/* ---- the walk ---- */

/* Bodies: each CALL has a frame of its own, in which PARAMs are the arguments' bounds. */
enum { BODY_NODES = 1 << 14, BODY_DEPTH = 64 };

typedef struct frame {
  struct frame *below; /* where the CALL stands; of a spare one: the next */
  const uop *call;     /* NULL: the question's own nodes */
  uopi_memo memo;
  struct {
    const uop **at;
    size_t len, cap;
  } put; /* what the memo has, so that it can be emptied for the next body */
} frame;

typedef struct task {
  const uop *u;
  uint32_t next; /* the source to look at next; of a CALL, its sources and then its body */
} task;

struct bounds {
  uop_ctx *ctx;
  uop_map *kept; /* across questions, of the outermost frame; NULL: nothing is */
  frame *in, *spare;
  uint32_t depth, nodes; /* frames; nodes of bodies looked at */
  struct {
    task *at;
    size_t len, cap;
  } tasks;
};

/* Both ends in one word, 0 being none: no interval has its ends the other way round. */
static uint64_t pack(interval i) {
  return ((uint64_t)(uint32_t)i.lo << 32 | (uint32_t)i.hi) ^ UINT64_C(1) << 32;
}
static interval unpack(uint64_t w) {
  w ^= UINT64_C(1) << 32;
  return (interval){bits_i32((uint32_t)(w >> 32)), bits_i32((uint32_t)w)};
}

static uint64_t find(const bounds *b, const uop *u) {
  uint64_t w = uopi_memo_get(&b->in->memo, u);
  if (w || !b->kept || b->in->call) return w;
  return uop_map_get(b->kept, u, &w) ? w : 0;
}

static interval known(const bounds *b, const uop *u) { return unpack(find(b, u)); }

static bool put(bounds *b, const uop *u, interval i) {
  if (b->kept && !b->in->call) return uop_map_set(b->kept, u, pack(i));
  if ((!b->in->call || UOPI_PUSH(&b->ctx->mem, &b->in->put, u)) &&
      uopi_memo_set(&b->in->memo, u, pack(i)))
    return true;
  return uopi_no_memory(b->ctx), false;
}

static bool push(bounds *b, const uop *u) {
  return UOPI_PUSH(&b->ctx->mem, &b->tasks, ((task){u, 0})) || (uopi_no_memory(b->ctx), false);
}

/* The k-th node whose bounds u's are made from, or NULL; *end: there are no more. */
static const uop *needed(const uop *u, uint32_t k, bool *end) {
  uint32_t skip = u->op == UOP_CALL; /* the body comes last, in a frame */
  *end = k + skip >= u->nsrc;
  if (*end) return NULL;
  const uop *s = u->src[k + skip];
  if (u->op == UOP_CAST && !has_bounds(s)) return integer_below(u);
  return has_bounds(s) ? s : NULL;
}

/* ---- CALLs ---- */

/* Memos are pages: nested CALLs would spend their time on clearing these, were they not used again.
 */
static frame *take_frame(bounds *b) {
  frame *f = b->spare;
  if (f) return b->spare = f->below, f;
  f = uopi_realloc(&b->ctx->mem, NULL, 0, sizeof *f);
  if (f) *f = (frame){.memo = {.mem = &b->ctx->mem}};
  return f;
}

static bool begin_body(bounds *b, const uop *call) {
  frame *f = take_frame(b);
  if (!f) return uopi_no_memory(b->ctx), false;
  f->below = b->in;
  f->call = call;
  b->in = f;
  b->depth++;
  return push(b, call->src[0]);
}

static void end_body(bounds *b) {
  frame *f = b->in;
  for (size_t i = 0; i < f->put.len; i++) uopi_memo_set(&f->memo, f->put.at[i], 0);
  f->put.len = 0;
  b->in = f->below;
  b->depth--;
  f->below = b->spare;
  b->spare = f;
}

static void drop_spare(bounds *b) {
  while (b->spare) {
    frame *f = b->spare;
    b->spare = f->below;
    uopi_memo_drop(&f->memo);
    UOPI_DROP(&b->ctx->mem, &f->put);
    uopi_realloc(&b->ctx->mem, f, sizeof *f, 0);
  }
}

/* Of a PARAM: the argument's bounds. A float one has none, and nothing asks. */
static interval bounds_of_param(const bounds *b, const uop *u) {
  if (!b->in->call || u->space != UOP_SPACE_ALU) return any(u);
  const uop *arg = b->in->call->src[1 + uop_slot(u)];
  uint64_t w = uopi_memo_get(&b->in->below->memo, arg);
  if (!w && b->kept && !b->in->below->call && !uop_map_get(b->kept, arg, &w)) w = 0;
  return w ? unpack(w) : any(u);
}

/* ---- the loop ---- */

static bool finish(bounds *b, interval i) {
  const uop *u = b->tasks.at[--b->tasks.len].u;
  return put(b, u, i);
}

static bool step_call(bounds *b, task *t) {
  const uop *u = t->u, *body = u->src[0];
  if (t->next == u->nsrc) { /* its body is done, in the frame that is innermost */
    interval i = known(b, body);
    end_body(b);
    return finish(b, i);
  }
  t->next = u->nsrc;
  if (b->depth >= BODY_DEPTH || b->nodes >= BODY_NODES) return finish(b, any(u));
  return begin_body(b, u);
}

static bool step(bounds *b) {
  task *t = &b->tasks.at[b->tasks.len - 1];
  const uop *u = t->u;
  bool end = u->op == UOP_CALL && t->next == u->nsrc;
  while (!end) {
    const uop *s = needed(u, t->next, &end);
    if (end) break;
    t->next++;
    if (s && !find(b, s)) return push(b, s);
  }
  if (b->in->call) b->nodes++;
  if (u->op == UOP_CALL) return step_call(b, t);
  return finish(b, u->op == UOP_PARAM ? bounds_of_param(b, u) : bounds_of(b, u));
}

bool uop_bounds(uop_map *memo, const uop *u, uop_interval *out) {
  if (!u) return false;
  uop_ctx *ctx = uopi_ctx_of(u);
  if (!has_bounds(u)) {
    uopi_error(ctx, UOP_E_DTYPE, u->op, -1, "%a of %t: bounds are of i32 and bool", (int)u->op,
               (int)u->dtype);
    return false;
  }
  frame top = {.memo = {.mem = &ctx->mem}};
  bounds b = {.ctx = ctx, .kept = memo, .in = &top};
  bool ok = find(&b, u) || push(&b, u);
  while (ok && b.tasks.len) ok = step(&b);
  if (ok) *out = known(&b, u);
  while (b.in != &top) end_body(&b);
  drop_spare(&b);
  UOPI_DROP(&ctx->mem, &b.tasks);
  uopi_memo_drop(&top.memo);
  return ok;
}
