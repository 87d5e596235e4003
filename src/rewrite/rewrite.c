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
 */
#include "ir/memo.h"
#include "ir/pair.h"
#include "rewrite/rule.h"

enum { IN_WORK = 1, NO_RULE = INT32_MAX };
enum {
  RECENT = 64,
  NAMED = 4
}; /* replacements looked back at; rules that an error names at most */

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
  uopi_memo final;
  LIST(frame) stack;
  LIST(const uop *) src; /* scratch for one node's sources */
  uint64_t steps, max_steps, first_id;
  uint32_t recent[RECENT];
} pass;

static const uop *final_of(const pass *p, const uop *u) { /* NULL, IN_WORK or a node */
  return uopi_memo_node(&p->final, u);
}
static bool in_work(const uop *u) { return (uintptr_t)u == IN_WORK; }

static bool set_final(pass *p, const uop *u, const uop *to) {
  if (uopi_memo_set_node(&p->final, u, to)) return true;
  return uopi_no_memory(p->m.ctx), false;
}

static bool set_in_work(pass *p, const uop *u) {
  if (uopi_memo_set(&p->final, u, IN_WORK)) return true;
  return uopi_no_memory(p->m.ctx), false;
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

static bool fail_budget(pass *p) {
  names n = {.len = 0};
  char text[600];
  uint64_t back = p->steps < RECENT ? p->steps : RECENT;
  for (uint64_t i = 1; i <= back; i++) add_name(&n, p->recent[(p->steps - i) % RECENT]);
  put_names(p, &n, text, sizeof text);
  uopi_error(p->m.ctx, UOP_E_RULE, -1, -1,
             "not done after %l replacements (max_steps); the last ones were by %s",
             (int64_t)p->max_steps, text);
  return false;
}

/* ---- one node ---- */

static bool tell(pass *p, uint32_t rule, const uop *before, const uop *after) {
  uop_ctx *ctx = p->m.ctx;
  if (!p->o->trace) return true;
  uop_rewrite_step step = {rule_name(p, rule), before, after};
  uopi_guard g = uopi_callback_begin(ctx);
  bool on = p->o->trace(p->o->user, &step), closed = uopi_callback_end(ctx, g);
  if (!closed) uopi_error(ctx, UOP_E_SCOPE, -1, -1, "a callback left a scope open");
  if (!on) uopi_error(ctx, UOP_E_CANCELLED, -1, -1, "the rewrite was ended by its caller");
  return ctx->error.code == UOP_OK;
}

/* What a rule makes of v: another node, or v itself where none applies. NULL: an error. */
static inline const uop *apply(pass *p, const uop *v, uint32_t *rule) {
  const uop *made = NULL;
  matched how = uopi_match(&p->m, v, &made, rule);
  if (how == MATCH_NONE) return v;
  if (how == MATCH_FAILED) return NULL;
  if (p->steps == p->max_steps) return fail_budget(p), NULL;
  p->recent[p->steps++ % RECENT] = *rule;
  p->m.rules->rules.at[*rule].hits++;
  return tell(p, *rule, v, made) ? made : NULL;
}

/* Where new nodes come from. */
static bool note_origin(pass *p, const uop *u, const uop *origin) {
  if (!p->o->origins || u->id < p->first_id || u == origin) return true;
  bool fresh;
  uint64_t *at = uopi_map_put(p->o->origins, u->id, &fresh);
  if (!at) return uopi_no_memory(p->m.ctx), false;
  if (fresh) *at = (uint64_t)(uintptr_t)origin;
  return true;
}

/* The same of all that is new in what a rule made, where nobody goes through it again. */
static bool note_made(pass *p, const uop *made, const uop *origin) {
  const uopi_mem *mem = &p->m.ctx->mem;
  if (!p->o->origins) return true;
  for (p->src.len = 0;;) {
    if (made->id >= p->first_id && made != origin && !uop_map_get_node(p->o->origins, made)) {
      if (!note_origin(p, made, origin)) return false;
      for (uint32_t i = 0; i < made->nsrc; i++)
        if (!UOPI_PUSH(mem, &p->src, made->src[i])) return uopi_no_memory(p->m.ctx), false;
    }
    if (!p->src.len) return true;
    made = p->src.at[--p->src.len];
  }
}

/* A body that lost a parameter, or got another order of them, would ask for other arguments. */
static const uop *new_body(pass *p, const uop *body, const uop *to) {
  bool gap;
  uop_ctx *ctx = p->m.ctx;
  const uopi_signature *a = uopi_signature_of(ctx, body, &gap);
  const uopi_signature *b = a ? uopi_signature_of(ctx, to, &gap) : NULL;
  if (!a || (!b && !gap && ctx->error.code == UOP_E_MEMORY)) return NULL;
  bool same = b && a->n == b->n;
  for (size_t i = 0; same && i < a->n; i++) same = a->param[i] == b->param[i];
  if (!b) uop_error_clear(ctx);
  return same ? to : body;
}

/* u with its sources as they became. NULL: an error. */
static const uop *rebuild(pass *p, const uop *u) {
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
    if (i == 0 && u->op == UOP_CALL && s != u->src[0] && !(s = new_body(p, u->src[0], s)))
      return NULL;
    p->src.at[i] = s;
    changed |= s != u->src[i];
  }
  return changed ? uop_with_src(u, p->src.at) : u;
}

/* ---- the stack ---- */

static bool push(pass *p, const uop *u, const uop *origin) {
  frame f = {.u = u, .origin = u->id < p->first_id ? u : origin, .rule = NO_RULE};
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
  const uop *to = final_of(p, u);
  if (in_work(to)) return fail_loop(p, u), -1;
  if (to) return 1;
  return push(p, u, origin) ? 0 : -1;
}

/* What a rule made is wanted in its final form. */
static bool step_made(pass *p, frame *f) {
  const uop *made = f->made;
  int has = want(p, made, f->origin);
  return has == 0 || (has > 0 && pop(p, final_of(p, made)));
}

/* All sources are final: rebuild, and try the rules. */
static bool step_node(pass *p, frame *f) {
  const uop *v = rebuild(p, f->u);
  if (!v || !note_origin(p, v, f->origin)) return false;
  if (v != f->u) {
    const uop *to = final_of(p, v);
    if (in_work(to)) return fail_loop(p, v);
    if (to) return pop(p, to);
  }
  f->v = v;
  const uop *made = apply(p, v, &f->rule);
  f = &p->stack.at[p->stack.len - 1];
  if (!made) return false;
  if (made == v) return pop(p, v);
  f->made = made;
  return v == f->u || set_in_work(p, v);
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

/* The node first: here v is u, or what rules made of it, and its sources come last. */
static bool step_down(pass *p) {
  frame *f = &p->stack.at[p->stack.len - 1];
  if (f->made) return step_made(p, f);
  if (!f->v) {
    f->v = f->u;
    const uop *made = apply(p, f->u, &f->rule);
    f = &p->stack.at[p->stack.len - 1];
    if (!made) return false;
    if (made != f->u) return f->made = made, true;
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

/* u's sources are final. */
static inline bool visit(pass *p, const uop *u) {
  if (final_of(p, u)) return true; /* it was a part of what a rule made */
  const uop *v = rebuild(p, u);
  if (!v || !note_origin(p, v, u)) return false;
  const uop *to = v == u ? NULL : final_of(p, v);
  if (to) return set_final(p, u, to);
  uint32_t rule = NO_RULE;
  const uop *made = apply(p, v, &rule);
  if (!made) return false;
  bool stays = made == v || p->o->order == UOP_ONE_PASS;
  if (made != v && stays && !note_made(p, made, u)) return false;
  if (stays) return set_final(p, v, made) && (v == u || set_final(p, u, made));
  if (!push(p, u, u)) return false;
  frame *f = &p->stack.at[p->stack.len - 1];
  f->v = v;
  f->made = made;
  f->rule = rule;
  return (v == u || set_in_work(p, v)) && run_stack(p);
}

static bool sweep(pass *p, const uop *const *roots, size_t n) {
  enum { AHEAD = 16 };
  uop_nodes order = {NULL, 0, 0};
  bool ok = uopi_walk(p->m.ctx, roots, n, false, &order);
  p->max_steps = p->o->max_steps
                     ? p->o->max_steps
                     : UOP_REWRITE_STEPS + UOP_REWRITE_STEPS_A_NODE * (uint64_t)order.len;
  if (p->o->order == UOP_TOP_DOWN) {
    for (size_t i = 0; ok && i < n; i++)
      ok = !roots[i] || final_of(p, roots[i]) || (push(p, roots[i], roots[i]) && run_stack(p));
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
            .first_id = ctx->next_id};
  p.m.pass = p.o->pass;
  uop_error_clear(ctx);
  r->busy++;
  bool ok = all_given(r, roots, n, p.o) && sweep(&p, roots, n);
  for (size_t i = 0; ok && i < n; i++) out[i] = roots[i] ? final_of(&p, roots[i]) : NULL;
  r->busy--;
  uopi_memo_drop(&p.final);
  uopi_map_drop(&bounds);
  UOPI_DROP(&ctx->mem, &p.stack);
  UOPI_DROP(&ctx->mem, &p.src);
  UOPI_DROP(&ctx->mem, &p.m.operands);
  return ok;
}

const uop *uop_origin(const uop_map *origins, const uop *u) {
  for (const uop *from; origins && u && (from = uop_map_get_node(origins, u)); u = from) continue;
  return u;
}
