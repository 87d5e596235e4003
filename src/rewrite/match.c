/* match.c - the machine that runs the rules' code on a node.
 *
 * A pattern is straight-line code. The one choice is M_PAIR's, which order the operands of a
 * commutative op are taken in: what fails goes back to the newest pair that has not been turned
 * round. Nothing is allocated before a rule's result is built.
 */
#include "rewrite/rule.h"

#include "alu/alu.h"
#include "ir/pair.h"

enum { REGS = 256, VALUES = 2 * MAX_RULE_VARS, CHOICES = UOP_MAX_RULE_TERMS };

typedef struct machine {
  matcher *m;
  const rule_row *row;
  const rule_table *table;
  const uint32_t *pc;
  int top, choices;
  uop_arg arg;
  const uint32_t *choice[CHOICES]; /* the M_PAIRs that can be turned round */
  const uop *reg[REGS];
  int64_t value[VALUES];
  bool known[VALUES];
  int64_t stack[MAX_RULE_STACK + 1];
  int64_t ints[2 * UOP_MAX_RANK];
  char name[UOP_MAX_NAME + 5];
} machine;

typedef enum outcome { GO_ON, NO_MATCH, BROKEN, DONE } outcome;

static unsigned a_of(uint32_t w) { return w >> 8 & 255; }
static unsigned b_of(uint32_t w) { return w >> 16 & 255; }
static unsigned c_of(uint32_t w) { return w >> 24; }
static uint64_t next64(machine *x) {
  uint64_t v = (uint64_t)x->pc[1] << 32 | x->pc[0];
  x->pc += 2;
  return v;
}
static int64_t next_int(machine *x) {
  uint64_t v = next64(x);
  return v >> 63 ? -(int64_t)(UINT64_MAX - v) - 1 : (int64_t)v;
}
static outcome when(bool holds) { return holds ? GO_ON : NO_MATCH; }

/* ---- constants ---- */

/* The CONST that a constant is made of, as the builder makes them: perhaps a CAST to f16, a RESHAPE
 * to as many axes, an EXPAND to the shape. NULL: it is none. */
const uop *uopi_constant_of(const uop *u) {
  if (u->op == UOP_EXPAND) u = u->src[0];
  if (u->op == UOP_RESHAPE) u = u->src[0];
  if (u->op == UOP_CAST && u->dtype == UOP_F16 && u->src[0]->dtype == UOP_F32) u = u->src[0];
  return u->op == UOP_CONST ? u : NULL;
}

static uint32_t bits_of(float f) {
  uint32_t b;
  memcpy(&b, &f, sizeof b);
  return b;
}

/* Whether reg is the literal of this kind: an integer beside a float is the nearest float. */
static bool is_literal(const uop *u, unsigned kind, uint64_t word) {
  const uop *c = uopi_constant_of(u);
  if (!c) return false;
  int64_t i = (int64_t)word;
  if (c->dtype == UOP_BOOL) return kind != UOPI_LIT_FLOAT && i == uop_const_bool(c);
  if (c->dtype == UOP_I32) return kind == UOPI_LIT_INT && i == uop_const_i32(c);
  if (kind == UOPI_LIT_BOOL) return false;
  uint32_t bits = kind == UOPI_LIT_INT ? bits_of((float)i) : (uint32_t)word;
  if (u->dtype == UOP_F32) return bits == (uint32_t)c->arg.bits;
  float f;
  memcpy(&f, &bits, sizeof f);
  return cast_f32_f16(f) == cast_f32_f16(uop_const_f32(c));
}

static outcome match_const(machine *x, const uop *u, unsigned value) {
  const uop *c = uopi_constant_of(u);
  if (!c) return NO_MATCH;
  x->known[value] = c->dtype == UOP_BOOL || c->dtype == UOP_I32;
  x->value[value] = c->dtype == UOP_BOOL ? uop_const_bool(c) : uop_const_i32(c);
  return GO_ON;
}

/* ---- parts of args ---- */

static int64_t field_of(const uop *u, unsigned f) {
  switch ((rule_field)f) {
  case FIELD_DTYPE: return u->dtype;
  case FIELD_SPACE: return u->space;
  case FIELD_IDX: return uop_range_idx(u);
  case FIELD_KIND: return uop_range_kind(u);
  case FIELD_OP: return uop_reduce_op(u);
  case FIELD_POP: return uop_reduce_axes(u);
  case FIELD_TUPLE: return (int64_t)(intptr_t)u->arg.tuple;
  default: return uop_slot(u);
  }
}

static void set_field(uop_arg *a, unsigned f, int64_t v) {
  const uop_tuple *t;
  switch ((rule_field)f) {
  case FIELD_DTYPE: a->dtype = (uop_dtype)v; break;
  case FIELD_SPACE: a->space = (uop_space)v; break;
  case FIELD_KIND: a->kind = (uop_axis)v; break;
  case FIELD_OP: a->op = (uop_op)v; break;
  case FIELD_TUPLE:
    t = (const uop_tuple *)(intptr_t)v;
    a->ints = t->at;
    a->len = t->len;
    break;
  default: a->num = v; break;
  }
}

static bool tuple_is(machine *x, const uop *u, unsigned n) {
  const uop_tuple *t = u->arg.tuple;
  bool same = t->len == n;
  for (unsigned i = 0; i < n; i++) {
    int64_t v = next_int(x);
    same = same && t->at[i] == v;
  }
  return same;
}

static const char *next_name(machine *x, unsigned words) {
  for (unsigned i = 0; i < 4 * words; i++) x->name[i] = (char)(x->pc[i / 4] >> (8 * (i % 4)) & 255);
  x->pc += words;
  return x->name;
}

/* ---- match ---- */

static outcome match_pair(machine *x, const uint32_t *at, bool turned) {
  const uop *u = x->reg[b_of(*at)];
  const uop **to = &x->reg[a_of(*at)];
  to[0] = u->src[turned];
  to[1] = u->src[!turned];
  return GO_ON;
}

static outcome first_pair(machine *x, uint32_t w) {
  const uop *u = x->reg[b_of(w)];
  bool two = u->src[0] != u->src[1] && (uop_op_find((uop_op)u->op)->sets & UOP_SET_COMMUTATIVE);
  if (two && !UOPI_FAULT(22)) x->choice[x->choices++] = x->pc - 1;
  return match_pair(x, x->pc - 1, false);
}

static outcome match_step(machine *x, uint32_t w) {
  const uop *u = x->reg[a_of(w)];
  unsigned b = b_of(w), c = c_of(w);
  switch ((rule_code)(w & 255)) {
  case M_OP: return when(u->op == b);
  case M_OPS: return when(next64(x) >> u->op & 1);
  case M_COUNT: return when(u->nsrc == b || (c && u->nsrc > b));
  case M_SRC: x->reg[a_of(w)] = x->reg[b]->src[c]; return GO_ON;
  case M_PAIR: return first_pair(x, w);
  case M_SAME: return when(u == x->reg[b] || UOPI_FAULT(27));
  case M_DTYPE: return when(b >> u->dtype & 1);
  case M_CONST: return match_const(x, u, b);
  case M_LIT: return when(is_literal(u, b, next64(x)));
  case M_FIELD:
    x->value[c] = field_of(u, b);
    x->known[c] = true;
    return GO_ON;
  case M_IS: return when(x->value[c] == field_of(u, b));
  case M_IS_INT: return when(next_int(x) == field_of(u, b));
  case M_TUPLE: return when(tuple_is(x, u, c));
  default: return when(!strcmp(next_name(x, c), u->arg.name)); /* M_NAME */
  }
}

/* ---- numbers: mathematical integers, as long as they fit 64 bits ---- */

static bool add(int64_t a, int64_t b, int64_t *r) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
  *r = a + b;
  return true;
}

static bool subtract(int64_t a, int64_t b, int64_t *r) {
  if (b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b) return false;
  *r = a - b;
  return true;
}

static bool multiply(int64_t a, int64_t b, int64_t *r) {
  if (a == 0 || b == 0) return *r = 0, true;
  if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)) return false;
  int64_t most = (a > 0) == (b > 0) ? INT64_MAX : INT64_MIN;
  if (b == -1 || a == -1) return *r = a == -1 ? -b : -a, true;
  if (a > 0 ? a > most / b : a < most / b) return false;
  *r = a * b;
  return true;
}

static bool divide(int64_t a, int64_t b, int64_t *quotient, int64_t *rest) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return false;
  *quotient = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
  *rest = a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0);
  return true;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

static bool calculate(unsigned op, int64_t a, int64_t b, int64_t *r) {
  int64_t other;
  switch ((expr_op)op) {
  case EXPR_ADD: return add(a, b, r);
  case EXPR_SUB: return subtract(a, b, r);
  case EXPR_MUL: return multiply(a, b, r);
  case EXPR_DIV: return divide(a, b, r, &other);
  case EXPR_MOD: return divide(a, b, &other, r);
  case EXPR_MIN: *r = a < b ? a : b; return true;
  case EXPR_MAX: *r = a > b ? a : b; return true;
  case EXPR_GCD:
    *r = a == INT64_MIN || b == INT64_MIN ? 0 : gcd(a, b);
    return *r != 0 || (!a && !b);
  case EXPR_LT: *r = a < b; return true;
  case EXPR_LE: *r = a <= b; return true;
  case EXPR_GT: *r = a > b; return true;
  case EXPR_GE: *r = a >= b; return true;
  case EXPR_EQ: *r = a == b; return true;
  case EXPR_NE: *r = a != b; return true;
  case EXPR_AND: *r = a && b; return true;
  default: *r = a || b; return true;
  }
}

static outcome do_number(machine *x, unsigned op) {
  int64_t *top = &x->stack[x->top - 1];
  switch ((expr_op)op) {
  case EXPR_NEG: return when(subtract(0, *top, top));
  case EXPR_ABS: return when(*top >= 0 || subtract(0, *top, top));
  case EXPR_NOT: *top = !*top; return GO_ON;
  default: x->top--; return when(calculate(op, top[-1], *top, &top[-1]));
  }
}

static outcome push_bound(machine *x, const uop *u, bool high) {
  uop_interval i;
  if (u->dtype != UOP_I32 && u->dtype != UOP_BOOL) return NO_MATCH;
  if (!uop_bounds(x->m->bounds, u, &i)) return BROKEN;
  x->stack[x->top++] = high ? i.hi : i.lo;
  return GO_ON;
}

static outcome number_step(machine *x, uint32_t w) {
  unsigned a = a_of(w);
  switch ((rule_code)(w & 255)) {
  case E_INT: x->stack[x->top++] = next_int(x); return GO_ON;
  case E_VALUE: x->stack[x->top++] = x->value[a]; return when(x->known[a]);
  case E_LO: return push_bound(x, x->reg[a], false);
  case E_HI: return push_bound(x, x->reg[a], true);
  case E_DO: return do_number(x, a);
  default: return when(x->stack[--x->top] != 0 || UOPI_FAULT(23)); /* E_IF */
  }
}

/* ---- C functions ---- */

static outcome call(matcher *m, const rule_fn *f, const uop *root, const uop *const *args, size_t n,
                    const uop **out) {
  uop_rule_call c = {.ctx = m->ctx,
                     .root = root,
                     .args = args,
                     .nargs = n,
                     .user = f->user,
                     .pass = m->pass,
                     .bounds = m->bounds};
  *out = NULL;
  uopi_guard g = uopi_callback_begin(m->ctx);
  bool ok = f->fn(&c, out), closed = uopi_callback_end(m->ctx, g);
  if (!closed) uopi_error(m->ctx, UOP_E_SCOPE, -1, -1, "its function left a scope open");
  if (!ok) uopi_error(m->ctx, UOP_E_CALLBACK, -1, -1, "its function failed without saying why");
  if (m->ctx->error.code != UOP_OK) return BROKEN;
  if (*out && !uopi_all_of(m->ctx, out, 1)) return BROKEN;
  return when(*out != NULL);
}

/* ---- build ---- */

/* The op of the operands and the arg, which are empty then: broadcast and encoded as the builder
 * does it, where there is something to broadcast or encode. */
static const uop *make(machine *x, int fn, const uop_arg *arg) {
  matcher *m = x->m;
  const uop *const *at = m->operands.at;
  size_t n = m->operands.len;
  bool plain = fn < UOP_OP_COUNT;
  m->operands.len = 0;
  for (size_t i = 1; plain && i < n && uopi_broadcasts(fn, n); i++)
    plain = at[i]->shape == at[0]->shape;
  if (plain) {
    const uop *u = n == 2 && uopi_is_pair((unsigned)fn)
                       ? uopi_make_pair(m->ctx, (uop_op)fn, at[0], at[1])
                       : NULL;
    return u ? u : uop_make(m->ctx, (uop_op)fn, at, n, arg);
  }
  uopi_operand v[3] = {{.node = NULL}};
  if (n > 3) n = 3; /* of sugar: it refuses */
  for (size_t i = 0; i < n; i++) v[i].node = at[i];
  return uopi_build(m->ctx, fn, v, n, arg);
}

static uop_dtype dtype_for(const machine *x, uint32_t w) {
  return c_of(w) == NO_REG ? (uop_dtype)(b_of(w) >> 4) : (uop_dtype)x->reg[c_of(w)]->dtype;
}

static uopi_lit lit_of_int(int64_t i) {
  uopi_lit l = {.kind = UOPI_LIT_INT, .negative = i < 0, .f = (float)i};
  l.magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
  l.fits = i >= INT32_MIN && i <= INT32_MAX;
  l.i = l.fits ? (int32_t)i : 0;
  return l;
}

static const uop *build_literal(machine *x, uint32_t w) {
  uint64_t word = next64(x);
  unsigned kind = b_of(w) & 15;
  uopi_lit l = lit_of_int((int64_t)word);
  uint32_t bits = (uint32_t)word;
  if (kind == UOPI_LIT_BOOL) l = (uopi_lit){.kind = UOPI_LIT_BOOL, .b = word != 0};
  if (kind == UOPI_LIT_FLOAT) {
    l = (uopi_lit){.kind = UOPI_LIT_FLOAT};
    memcpy(&l.f, &bits, sizeof l.f);
  }
  return uopi_literal(x->m->ctx, &l, dtype_for(x, w), UOP_CONST, -1);
}

static int64_t wrapped(int64_t v) {
  int64_t low = (int64_t)((uint64_t)v & 0xffffffffu);
  return low > INT32_MAX ? low - (INT64_C(1) << 32) : low;
}

/* An i32 is taken modulo 2^32; a bool is 0 or 1, else the rule does not apply. */
static outcome build_value(machine *x, uint32_t w) {
  int64_t v = x->stack[--x->top];
  uop_dtype d = dtype_for(x, w);
  if (d == UOP_BOOL && v != 0 && v != 1) return NO_MATCH;
  if (d == UOP_VOID) d = UOP_I32;
  if (d == UOP_I32 && !UOPI_FAULT(26)) v = wrapped(v);
  uopi_lit l = lit_of_int(v);
  const uop *u = uopi_literal(x->m->ctx, &l, d, UOP_CONST, -1);
  x->reg[a_of(w)] = u;
  return u ? GO_ON : BROKEN;
}

static outcome push_operands(machine *x, const uop *const *at, size_t n) {
  matcher *m = x->m;
  if (!UOPI_RESERVE(&m->ctx->mem, &m->operands, m->operands.len + n))
    return uopi_no_memory(m->ctx), BROKEN;
  for (size_t i = 0; i < n; i++) m->operands.at[m->operands.len++] = at[i];
  return GO_ON;
}

static outcome built(machine *x, unsigned reg, const uop *u) {
  x->reg[reg] = u;
  x->arg = (uop_arg){0};
  return u ? GO_ON : BROKEN;
}

static outcome build_like(machine *x, unsigned to, const uop *like) {
  uop_arg arg = uop_arg_of(like);
  return built(x, to, make(x, like->op, &arg));
}

static outcome build_call(machine *x, unsigned to, unsigned fn) {
  matcher *m = x->m;
  size_t n = m->operands.len;
  m->operands.len = 0;
  return call(m, &x->table->fns[fn], x->reg[0], m->operands.at, n, &x->reg[to]);
}

static outcome build_step(machine *x, uint32_t w) {
  unsigned a = a_of(w), b = b_of(w), c = c_of(w);
  const uop *u = x->reg[a];
  switch ((rule_code)(w & 255)) {
  case B_LIT: return built(x, a, build_literal(x, w));
  case B_VALUE: return build_value(x, w);
  case B_PUSH: return push_operands(x, &u, 1);
  case B_REST: return push_operands(x, u->src + b, u->nsrc - b);
  case B_FIELD: set_field(&x->arg, a, x->stack[--x->top]); return GO_ON;
  case B_VALUE_AS: set_field(&x->arg, a, x->value[b]); return GO_ON;
  case B_TUPLE:
    for (unsigned i = 0; i < c; i++) x->ints[i] = next_int(x);
    x->arg.ints = x->ints;
    x->arg.len = c;
    return GO_ON;
  case B_NAME: x->arg.name = next_name(x, c); return GO_ON;
  case B_MAKE: return built(x, a, make(x, (int)b, &x->arg));
  case B_LIKE: return build_like(x, a, x->reg[b]);
  case B_CALL: return build_call(x, a, b);
  case B_SPLAT: return built(x, a, uopi_splat(x->reg[b], x->reg[0]->shape));
  default: return DONE; /* B_DONE */
  }
}

/* ---- one rule ---- */

/* Takes the newest choice the other way. */
static outcome turn_round(machine *x) {
  if (x->choices == 0) return NO_MATCH;
  x->pc = x->choice[--x->choices] + 1;
  x->top = 0;
  x->m->operands.len = 0;
  x->arg = (uop_arg){0};
  return match_pair(x, x->pc - 1, true);
}

static outcome run(machine *x, const uop **out) {
  for (;;) {
    uint32_t w = *x->pc++;
    unsigned code = w & 255;
    outcome o = code < E_INT   ? match_step(x, w)
                : code < B_LIT ? number_step(x, w)
                               : build_step(x, w);
    if (o == NO_MATCH) o = turn_round(x);
    if (o == DONE) *out = x->reg[a_of(w)];
    if (o != GO_ON) return o;
  }
}

static outcome try_rule(matcher *m, const rule_entry *e, const uop *u, const uop **out) {
  if (!e->table) return call(m, &e->fn, u, NULL, 0, out);
  machine x; /* most of it is written before it is read, or not at all */
  x.m = m;
  x.row = e->row;
  x.table = e->table;
  x.pc = e->table->code + e->row->code;
  x.top = x.choices = 0;
  x.arg = (uop_arg){0};
  x.reg[0] = u;
  m->operands.len = 0;
  return run(&x, out);
}

/* Puts the rule's name in front of the error, which is about u. */
static matched broken(matcher *m, const rule_row *row, const uop *u) {
  uop_diag d = m->ctx->error;
  char name[UOP_MAX_NAME + 1];
  strncpy(name, row->name, UOP_MAX_NAME);
  name[UOP_MAX_NAME] = 0;
  uopi_diag_set(&m->ctx->error, d.code, d.op, d.operand, "rule %s: %s", name, d.message);
  m->ctx->error.node = d.node ? d.node : u;
  return MATCH_FAILED;
}

static bool same_type(const uop *a, const uop *b) {
  return a->dtype == b->dtype && a->shape == b->shape && a->space == b->space;
}

/* Whether a rule's pattern cannot match what looks so. */
static inline bool is_out(const rule_bucket_entry *e, const rule_looks *looks) {
  return ((e->needs.ops & ~looks->ops) | (e->needs.with_const & ~looks->with_const)) != 0;
}

static matched apply(matcher *m, rule_entry *e, const uop *u, const uop **out) {
  outcome o = try_rule(m, e, u, out);
  if (o != NO_MATCH && o != BROKEN && u->space == UOP_SPACE_ALU && (*out)->space != UOP_SPACE_ALU &&
      !(*out = uop_load(*out))) /* memory, which was an operand, is its contents */
    o = BROKEN;
  if (o == NO_MATCH || (o != BROKEN && *out == u)) return MATCH_NONE;
  if (o != BROKEN && (same_type(u, *out) || UOPI_FAULT(24))) return MATCH_MADE;
  if (o != BROKEN)
    uopi_error(m->ctx, UOP_E_RULE, u->op, -1, "%y became %y: a rule keeps the type", u, *out);
  return broken(m, e->row, u);
}

matched uopi_match(matcher *m, const uop *u, const rule_looks *looks, const uop **out,
                   uint32_t *rule) {
  const rule_bucket *b = &m->rules->bucket[u->op * UOP_DTYPE_COUNT + u->dtype];
  const rule_bucket_entry *e = b->at; /* NULL in an empty one, which has no end to count to */
  for (size_t n = b->len; n > 0; n--, e++) {
    if (is_out(e, looks)) continue;
    matched how = apply(m, &m->rules->rules.at[e->rule], u, out);
    *rule = e->rule;
    if (how != MATCH_NONE) return how;
  }
  return MATCH_NONE;
}
