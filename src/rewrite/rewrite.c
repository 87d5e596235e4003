/* rewrite.c - the driver: applies rules to a graph, sources first or a node first, each node once.
 *
 * Bottom-up, the given graph is one sweep over its depth-first order: a node is rebuilt from what
 * its sources became, and the rules are tried on it. Only where a rule makes something does the
 * work leave the sweep: the new nodes are rewritten on a stack of their own until nothing applies.
 *
 *   order: a b c d …                      node ──rebuilt──> node' ──a rule──> new ──…──> final
 *          └ final[] of all before                              │  wants    ┌──────┐
 *            the current one is known                           └─────────> │ stack│ sources of
 * new, └──────┘ then new itself
 *
 * final[u] is what becomes of u. While that is being worked out it is IN_WORK: whoever needs it
 * then waits for itself, and the rules in between answer each other for ever.
 *
 * Where a graph is scattered, a look at a node's source costs as much as all else. So two bytes a
 * node, its state, say what its users ask first; most nodes stay what they are, and have no more.
 */
#include "ir/memo.h"
#include "ir/pair.h"
#include "rewrite/rule.h"

enum { NO_RULE = INT32_MAX };
enum {
  RECENT = 64,
  NAMED = 4
}; /* replacements looked back at; rules that an error names at most */

/* A state: 0 where a node was not looked at, else its op + 1, and: */
enum {
  STATE_OP = 63,
  STATE_CONST = 64,    /* one of its sources may be a constant */
  STATE_CHANGED = 128, /* it became another node, which `final` has */
  STATE_IN_WORK = 256
};
_Static_assert((int)UOP_OP_COUNT < (int)STATE_OP, "an op and 0 fit the state");

typedef struct frame {
  const uop *u;      /* whose final form is wanted */
  const uop *v;      /* u, with its sources rewritten; NULL: these are not done */
  const uop *made;   /* what a rule made of v; NULL: not asked yet, or nothing */
  const uop *origin; /* the node of the given graph that is being rewritten */
  uint32_t next;     /* source to look at */
  uint32_t rule;     /* that made `made` */
} frame;

typedef struct pass {
  matcher m;
  const uop_rewrite_options *o;
  uopi_dir state;     /* uint16_t by slab and place, as in memo.h */
  uint64_t near_slab; /* that of the node looked at last, where mostly its sources are too */
  uint16_t *near;     /* and its page; NULL: none yet, with slab 0, which is no node's */
  uopi_memo final;    /* of nodes that changed */
  uopi_set given;     /* the graph's nodes, where origins are recorded */
  LIST(frame) stack;
  LIST(const uop *) src; /* scratch for one node's sources */
  uint64_t steps, max_steps;
  uint32_t recent[RECENT];
} pass;

/* ---- what became of a node ---- */

static inline unsigned state_of(const pass *p, const uop *u) {
  uint64_t slab = uopi_slab_number(u);
  const uint16_t *page = slab == p->near_slab ? p->near : uopi_dir_find(&p->state, slab);
  return page ? page[uopi_place_in_slab(u)] : 0;
}

/* Where u's state is kept; NULL: out of memory. */
static inline uint16_t *state_at(pass *p, const uop *u) {
  uint64_t slab = uopi_slab_number(u);
  if (slab != p->near_slab) {
    uint16_t *page = uopi_dir_find(&p->state, slab);
    if (!page) page = uopi_dir_add(&p->state, &p->m.ctx->mem, slab, UOPI_MEMO_PAGE * sizeof *page);
    if (!page) return uopi_no_memory(p->m.ctx);
    p->near = page;
    p->near_slab = slab;
  }
  return &p->near[uopi_place_in_slab(u)];
}

static bool set_state(pass *p, const uop *u, unsigned state) {
  uint16_t *at = state_at(p, u);
  if (at) *at = (uint16_t)state;
  return at != NULL;
}

/* Of a node that has a final form. */
static inline const uop *final_of(const pass *p, const uop *u) {
  return state_of(p, u) & STATE_CHANGED ? uopi_memo_node(&p->final, u) : u;
}

static bool set_in_work(pass *p, const uop *u) {
  return UOPI_FAULT(25) || set_state(p, u, STATE_IN_WORK);
}

/* What u's sources look like to the rules; whether one of them has changed. */
static rule_looks look(const pass *p, const uop *u, bool *changed) {
  rule_looks l = {0, 0};
  unsigned all = 0;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const uop *s = u->src[i];
    unsigned state = state_of(p, s);
    uint64_t op = UINT64_C(1) << (state & STATE_OP ? (state & STATE_OP) - 1 : s->op);
    l.ops |= op;
    if (!(state & STATE_OP) || (state & STATE_CONST)) l.with_const |= op; /* not known, or so */
    all |= state;
  }
  if (l.ops & RULE_CONSTANT_OPS) l.ops |= RULE_CONSTANT;
  *changed = (all & STATE_CHANGED) != 0;
  return l;
}

/* The state of a node that stays what it is. */
static inline unsigned state_to_stay(const uop *u, const rule_looks *looks) {
  return looks->ops & RULE_CONSTANT ? (u->op + 1u) | STATE_CONST : u->op + 1u;
}

static bool set_final(pass *p, const uop *u, const uop *to) {
  if (u == to) { /* told without a look at its sources */
    return set_state(p, u, (u->op + 1u) | STATE_CONST);
  }
  if (!uopi_memo_set_node(&p->final, u, to)) return uopi_no_memory(p->m.ctx), false;
  return set_state(p, u, (u->op + 1u) | STATE_CHANGED);
}

/* ---- rules that do not end ---- */

static const char *rule_name(const pass *p, uint32_t rule) {
  return p->m.rules->rules.at[rule].row->name;
}

typedef struct names {
  uint32_t at[NAMED];
  size_t len;
  bool more;
} names;

static void add_name(names *n, uint32_t rule) {
  for (size_t i = 0; i < n->len; i++)
    if (n->at[i] == rule) return;
  if (n->len == NAMED)
    n->more = true;
  else
    n->at[n->len++] = rule;
}

/* "a", "a and b", "a, b and more" */
static void put_names(const pass *p, const names *n, char *to, size_t cap) {
  char *end = to + cap - 16;
  *to = 0;
  for (size_t i = 0; i < n->len; i++) {
    const char *name = rule_name(p, n->at[i]), *between = "";
    if (i) between = i + 1 == n->len && !n->more ? " and " : ", ";
    if (to + strlen(between) + strlen(name) >= end) break;
    to = strcpy(to, between) + strlen(between);
    to = strcpy(to, name) + strlen(name);
  }
  if (n->more) strcpy(to, " and more");
}

/* Someone waits for u, which waits for them: the rules from its frame up. */
static bool fail_loop(pass *p, const uop *u) {
  names n = {.len = 0};
  char text[600];
  size_t i = p->stack.len;
  while (i > 0 && p->stack.at[i - 1].u != u && p->stack.at[i - 1].v != u) i--;
  for (i = i ? i - 1 : 0; i < p->stack.len; i++)
    if (p->stack.at[i].rule != NO_RULE) add_name(&n, p->stack.at[i].rule);
  put_names(p, &n, text, sizeof text);
  uopi_error(p->m.ctx, UOP_E_RULE, u->op, -1,
             n.len == 1 ? "rule %s makes again what it replaced, and would never end"
                        : "rules %s answer each other, and would never end",
             text);
  uopi_error_node(p->m.ctx, u);
  return false;
}

/* The rules of the last replacements, the latest first. */
static void put_last(const pass *p, char *to, size_t cap) {
  names n = {.len = 0};
  uint64_t back = p->steps < RECENT ? p->steps : RECENT;
  for (uint64_t i = 1; i <= back; i++) add_name(&n, p->recent[(p->steps - i) % RECENT]);
  put_names(p, &n, to, cap);
}

static bool fail_budget(pass *p) {
  char text[600];
  put_last(p, text, sizeof text);
  uopi_error(p->m.ctx, UOP_E_RULE, -1, -1,
             p->max_steps == 1
                 ? "not done after %l replacement (max_steps), which was by %s"
                 : "not done after %l replacements (max_steps); the last ones were by %s",
             (int64_t)p->max_steps, text);
  return false;
}

/* ---- one node ---- */

bool uopi_tell_step(uop_ctx *ctx, const uop_rewrite_options *o, const char *rule, const uop *before,
                    const uop *after) {
  if (!o->trace) return true;
  uop_rewrite_step step = {rule, before, after};
  uopi_guard g = uopi_callback_begin(ctx);
  bool on = o->trace(o->user, &step), closed = uopi_callback_end(ctx, g);
  if (!closed) uopi_error(ctx, UOP_E_SCOPE, -1, -1, "a callback left a scope open");
  if (!on) uopi_error(ctx, UOP_E_CANCELLED, -1, -1, "the rewrite was ended by its caller");
  return ctx->error.code == UOP_OK;
}

/* What a rule makes of v: another node, or v itself where none applies. NULL: an error. */
static inline const uop *apply(pass *p, const uop *v, const rule_looks *looks, uint32_t *rule) {
  const uop *made = NULL;
  matched how = uopi_match(&p->m, v, looks, &made, rule);
  if (how == MATCH_NONE) return v;
  if (how == MATCH_FAILED) return NULL;
  if (p->steps == p->max_steps) return fail_budget(p), NULL;
  p->recent[p->steps++ % RECENT] = *rule;
  p->m.rules->rules.at[*rule].hits++;
  return uopi_tell_step(p->m.ctx, p->o, rule_name(p, *rule), v, made) ? made : NULL;
}

static bool is_given(const pass *p, const uop *u) {
  return p->o->origins && uopi_set_has(&p->given, u);
}

/* Where nodes come from that are not of the given graph, be they new or found. Of rewrites that
 * undo each other, the later one leaves out what would close a ring. */
static bool note_origin(pass *p, const uop *u, const uop *origin) {
  uop_map *origins = p->o->origins;
  if (!origins || uopi_set_has(&p->given, u) || uop_origin(origins, origin) == u) return true;
  bool fresh;
  uint64_t *at = uopi_map_put(origins, u->id, &fresh);
  if (!at) return uopi_no_memory(p->m.ctx), false;
  if (fresh) *at = (uint64_t)(uintptr_t)origin;
  return true;
}

/* The same for all that a rule made, where none of it is looked at again. */
static bool note_origins(pass *p, const uop *made, const uop *origin) {
  const uopi_mem *mem = &p->m.ctx->mem;
  if (!p->o->origins) return true;
  p->src.len = 0;
  if (!UOPI_PUSH(mem, &p->src, made)) return uopi_no_memory(p->m.ctx), false;
  while (p->src.len) {
    const uop *u = p->src.at[--p->src.len];
    if (is_given(p, u) || uop_map_get_node(p->o->origins, u)) continue;
    if (!note_origin(p, u, origin)) return false;
    if (!UOPI_RESERVE(mem, &p->src, p->src.len + u->nsrc)) return uopi_no_memory(p->m.ctx), false;
    for (uint32_t i = 0; i < u->nsrc; i++) p->src.at[p->src.len++] = u->src[i];
  }
  return true;
}

/* A body that lost a parameter, or got another order of them, would ask for other arguments. */
const uop *uopi_body_or(uop_ctx *ctx, const uop *body, const uop *to) {
  bool gap;
  const uopi_signature *a = uopi_signature_of(ctx, body, &gap);
  const uopi_signature *b = a ? uopi_signature_of(ctx, to, &gap) : NULL;
  if (!a || (!b && !gap && ctx->error.code == UOP_E_MEMORY)) return NULL;
  bool same = b && a->n == b->n;
  for (size_t i = 0; same && i < a->n; i++) same = a->param[i] == b->param[i];
  if (!b) uop_error_clear(ctx);
  return same ? to : body;
}

/* u with its sources as they became. NULL: it refuses them, or out of memory. */
static const uop *rebuild_of(pass *p, const uop *u) {
  uop_ctx *ctx = p->m.ctx;
  if (u->nsrc == 0) return u;
  if (uopi_is_pair(u->op)) {
    const uop *a = final_of(p, u->src[0]), *b = final_of(p, u->src[1]);
    if (a == u->src[0] && b == u->src[1]) return u;
    const uop *v = uopi_make_pair(ctx, (uop_op)u->op, a, b);
    if (v) return v;
  }
  if (!UOPI_RESERVE(&ctx->mem, &p->src, u->nsrc)) return uopi_no_memory(ctx);
  bool changed = false;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const uop *s = final_of(p, u->src[i]);
    if (i == 0 && u->op == UOP_CALL && s != u->src[0] && !(s = uopi_body_or(ctx, u->src[0], s)))
      return NULL;
    p->src.at[i] = s;
    changed |= s != u->src[i];
  }
  return changed ? uop_with_src(u, p->src.at) : u;
}

/* The same; an error tells where u stands, and which rules may have done it. */
static const uop *rebuild(pass *p, const uop *u) {
  const uop *v = rebuild_of(p, u);
  if (!v && p->m.ctx->error.code != UOP_E_MEMORY) {
    char text[600];
    uop_diag d = p->m.ctx->error;
    put_last(p, text, sizeof text);
    uopi_diag_set(&p->m.ctx->error, d.code, d.op, d.operand,
                  "%s (its sources were rewritten, last by %s)", d.message, text);
    p->m.ctx->error.node = u;
  }
  return v;
}

/* ---- the stack ---- */

static bool push(pass *p, const uop *u, const uop *origin) {
  frame f = {.u = u, .origin = is_given(p, u) ? u : origin, .rule = NO_RULE};
  if (!UOPI_PUSH(&p->m.ctx->mem, &p->stack, f)) return uopi_no_memory(p->m.ctx), false;
  return note_origin(p, u, f.origin) && set_in_work(p, u);
}

/* The newest frame's node has become `to`. */
static bool pop(pass *p, const uop *to) {
  const frame *f = &p->stack.at[--p->stack.len];
  return set_final(p, f->u, to) && (!f->v || f->v == f->u || set_final(p, f->v, to));
}

/* Sees to it that u gets its final form: 1: it has one, 0: it was pushed, -1: an error. */
static int want(pass *p, const uop *u, const uop *origin) {
  unsigned state = state_of(p, u);
  if (state & STATE_IN_WORK) return fail_loop(p, u), -1;
  if (state) return 1;
  return push(p, u, origin) ? 0 : -1;
}

/* What a rule made is wanted in its final form. */
static bool step_made(pass *p, frame *f) {
  const uop *made = f->made;
  int has = want(p, made, f->origin);
  return has == 0 || (has > 0 && pop(p, final_of(p, made)));
}

/* The newest frame's v, the sources of which are final, is tried. */
static bool step_rules(pass *p, const uop *v) {
  bool changed;
  uint32_t rule = NO_RULE;
  rule_looks looks = look(p, v, &changed);
  const uop *made = apply(p, v, &looks, &rule);
  if (!made) return false;
  frame *f = &p->stack.at[p->stack.len - 1];
  if (made == v) {
    p->stack.len--;
    return set_state(p, v, state_to_stay(v, &looks)) && (v == f->u || set_final(p, f->u, v));
  }
  f->v = v;
  f->made = made;
  f->rule = rule;
  return v == f->u || set_in_work(p, v);
}

/* All sources are final: rebuild, and try the rules. */
static bool step_node(pass *p, frame *f) {
  const uop *u = f->u, *v = rebuild(p, u);
  if (!v || !note_origin(p, v, f->origin)) return false;
  unsigned state = v == u ? 0 : state_of(p, v);
  if (state & STATE_IN_WORK) return fail_loop(p, v);
  return state ? pop(p, final_of(p, v)) : step_rules(p, v);
}

/* Sources first. */
static bool step_up(pass *p) {
  frame *f = &p->stack.at[p->stack.len - 1];
  if (f->made) return step_made(p, f);
  while (f->next < f->u->nsrc) {
    int has = want(p, f->u->src[f->next++], f->origin);
    if (has <= 0) return has == 0;
  }
  return step_node(p, f);
}

/* The node first; where no rule applies, its sources come, and it is rebuilt from them. */
static bool step_down(pass *p) {
  frame *f = &p->stack.at[p->stack.len - 1];
  if (f->made) return step_made(p, f);
  if (!f->v) {
    bool changed;
    uint32_t rule = NO_RULE;
    const uop *u = f->v = f->u;
    rule_looks looks = look(p, u, &changed);
    const uop *made = apply(p, u, &looks, &rule);
    if (!made) return false;
    f = &p->stack.at[p->stack.len - 1];
    f->rule = rule;
    if (made != u) return f->made = made, true;
  }
  while (f->next < f->u->nsrc) {
    int has = want(p, f->u->src[f->next++], f->origin);
    if (has <= 0) return has == 0;
  }
  const uop *v = rebuild(p, f->u);
  return v && note_origin(p, v, f->origin) && pop(p, v);
}

static bool run_stack(pass *p) {
  while (p->stack.len)
    if (!(p->o->order == UOP_TOP_DOWN ? step_down(p) : step_up(p))) return false;
  return true;
}

/* ---- the sweep ---- */

/* A node of the given graph, u, became v, and a rule made `made` of it. */
static bool visit_made(pass *p, const uop *u, const uop *v, const uop *made, uint32_t rule) {
  if (p->o->order == UOP_ONE_PASS)
    return note_origins(p, made, u) && (v == u || set_final(p, v, made)) && set_final(p, u, made);
  if (!push(p, u, u)) return false;
  frame *f = &p->stack.at[p->stack.len - 1];
  f->v = v;
  f->made = made;
  f->rule = rule;
  return (v == u || set_in_work(p, v)) && run_stack(p);
}

/* A node whose sources are final, one of which has changed. */
static bool visit_changed(pass *p, const uop *u) {
  bool changed;
  const uop *v = rebuild(p, u);
  if (!v || !note_origin(p, v, u)) return false;
  if (v != u && state_of(p, v)) return set_final(p, u, final_of(p, v));
  rule_looks looks = look(p, v, &changed);
  uint32_t rule = NO_RULE;
  const uop *made = apply(p, v, &looks, &rule);
  if (!made) return false;
  if (made != v) return visit_made(p, u, v, made, rule);
  return set_state(p, v, state_to_stay(v, &looks)) && (v == u || set_final(p, u, v));
}

/* A node whose sources are final. */
static inline bool visit(pass *p, const uop *u) {
  bool changed;
  uint16_t *state = state_at(p, u);
  if (!state || *state) return state != NULL; /* it was a part of what a rule made */
  rule_looks looks = look(p, u, &changed);
  if (changed) return visit_changed(p, u);
  uint32_t rule = NO_RULE;
  const uop *made = apply(p, u, &looks, &rule);
  if (made != u) return made && visit_made(p, u, u, made, rule);
  *state = (uint16_t)state_to_stay(u, &looks);
  return true;
}

static bool give(pass *p, const uop_nodes *order) {
  for (size_t i = 0; i < order->len; i++)
    if (uopi_set_add(&p->given, order->at[i]) < 0) return uopi_no_memory(p->m.ctx), false;
  return true;
}

static bool sweep(pass *p, const uop *const *roots, size_t n) {
  enum { AHEAD = 16 };
  uop_nodes order = {NULL, 0, 0};
  bool ok = uopi_walk(p->m.ctx, roots, n, false, &order) && (!p->o->origins || give(p, &order));
  p->max_steps = p->o->max_steps
                     ? p->o->max_steps
                     : UOP_REWRITE_STEPS + UOP_REWRITE_STEPS_A_NODE * (uint64_t)order.len;
  if (p->o->order == UOP_TOP_DOWN) {
    for (size_t i = 0; ok && i < n; i++)
      ok = !roots[i] || state_of(p, roots[i]) || (push(p, roots[i], roots[i]) && run_stack(p));
  } else {
    for (size_t i = 0; ok && i < order.len; i++) {
      if (i + AHEAD < order.len) UOPI_PREFETCH(&order.at[i + AHEAD]->nsrc);
      ok = visit(p, order.at[i]);
    }
  }
  uop_nodes_free(p->m.ctx, &order);
  return ok;
}

/* ---- the way in ---- */

static bool all_given(uop_rules *r, const uop *const *roots, size_t n,
                      const uop_rewrite_options *o) {
  if (o->origins && o->origins->ctx != r->ctx) return uopi_foreign(r->ctx, -1, -1);
  if ((unsigned)o->order <= UOP_ONE_PASS) return uopi_all_of(r->ctx, roots, n);
  uopi_error(r->ctx, UOP_E_ARG, -1, -1, "%d is no order of rewriting", (int)o->order);
  return false;
}

bool uop_rewrite(uop_rules *r, const uop *const *roots, size_t n,
                 const uop_rewrite_options *options, const uop **out) {
  static const uop_rewrite_options none;
  if (!r) return false;
  uop_ctx *ctx = r->ctx;
  uop_map bounds;
  uopi_map_init(&bounds, ctx);
  pass p = {.m = {.rules = r, .ctx = ctx, .bounds = &bounds},
            .o = options ? options : &none,
            .final = {.mem = &ctx->mem},
            .given = {.mem = &ctx->mem}};
  p.m.pass = p.o->pass;
  uop_error_clear(ctx);
  if (!uopi_rules_begin(r)) return uopi_map_drop(&bounds), false;
  bool ok = all_given(r, roots, n, p.o) && sweep(&p, roots, n);
  for (size_t i = 0; ok && i < n; i++) out[i] = roots[i] ? final_of(&p, roots[i]) : NULL;
  uopi_memo_drop(&p.final);
  uopi_dir_drop(&p.state, &ctx->mem);
  uopi_set_drop(&p.given);
  uopi_map_drop(&bounds);
  UOPI_DROP(&ctx->mem, &p.stack);
  UOPI_DROP(&ctx->mem, &p.src);
  UOPI_DROP(&ctx->mem, &p.m.operands);
  uopi_rules_end(r);
  return ok;
}

const uop *uop_origin(const uop_map *origins, const uop *u) {
  for (const uop *from; origins && u && (from = uop_map_get_node(origins, u)); u = from) continue;
  return u;
}
