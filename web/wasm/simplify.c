/* simplify.c - a program simplified, and each step of it.
 *
 * The text is read once more into a context of its own: its nodes get the same ids as in the
 * program that it came from, and may be freed in any order.
 *
 * A state is what has become, after k steps, of the roots, of the statements' nodes, which keep
 * their names by it, and of all that steps replace. The next one has a step's `before` replaced by
 * its `after`, everywhere. Three things are not that simple:
 *  - What a rule replaces has its sources rewritten already. What gathering replaces is told of as
 *    it was before its pass: then the node that has become of it is replaced.
 *  - A node is told of once. Where it comes up again, it is replaced again at once.
 *  - Not all that is told of is taken: a CALL's body may have to keep its parameters, and of all
 *    states the cheapest is the result. So the last state is the result itself.
 */
#include "glue.h"

#include <string.h>

/* Past these, states other than the first and the last are forgotten. */
#define MAX_LIVE   ((size_t)400000)  /* nodes */
#define MAX_CACHED ((size_t)4 << 20) /* nodes in states' lists */

typedef struct step {
  const char *rule; /* lives as long as the rules */
  const uop *before, *after;
} step;

typedef struct simplified {
  handle h;
  uop_rules *rules;
  const uop **out; /* of the roots */
  step *steps;     /* room for max_steps */
  size_t nsteps, max_steps;
  bool more;
  const uop ***states; /* nsteps + 1 lists; NULL: not known (any more) */
  size_t nstates;      /* that are known */
  uop_stmt *stmts;     /* the program's, with the nodes of a state */
} simplified;

static size_t nroots(const simplified *s) { return s->h.prog->roots.len; }
static size_t shown(const simplified *s) { return nroots(s) + s->h.prog->nstmts; }
static size_t width(const simplified *s) { return shown(s) + s->nsteps; } /* of a state */

/* ---- simplifying ---- */

static bool trace(void *user, const uop_rewrite_step *now) {
  simplified *s = user;
  if (s->nsteps == s->max_steps)
    s->more = true;
  else
    s->steps[s->nsteps++] = (step){now->rule, now->before, now->after};
  return true;
}

/* Names of sets, separated by blanks. False with an error in the context. */
static bool add_sets(simplified *s, char *names) {
  for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
    if (!uop_rules_add_set(s->rules, name)) return false;
  return true;
}

static bool simplify(simplified *s, char *sets) {
  uop_ctx *ctx = s->h.ctx;
  uop_rewrite_options options = {.max_steps = MAX_REWRITES, .trace = trace, .user = s};
  s->rules = uop_rules_new(ctx);
  s->out = mem_new((nroots(s) + 1) * sizeof *s->out);
  s->steps = mem_new((s->max_steps + 1) * sizeof *s->steps);
  if (!s->rules || !s->out || !s->steps) return false;
  return uop_rules_define_builtin(s->rules) && add_sets(s, sets) &&
         uop_simplify(s->rules, s->h.prog->roots.at, nroots(s), &options, s->out);
}

/* The states' room, and the first one: what was given. */
static bool begin_states(simplified *s) {
  size_t n = s->h.prog->nstmts;
  s->states = mem_new((s->nsteps + 1) * sizeof *s->states);
  s->stmts = mem_new((n + 1) * sizeof *s->stmts);
  if (s->states) memset(s->states, 0, (s->nsteps + 1) * sizeof *s->states);
  if (!s->states || !s->stmts || !(s->states[0] = mem_new(width(s) * sizeof(uop *)))) return false;
  memcpy(s->stmts, s->h.prog->stmts, n * sizeof *s->stmts);
  memcpy(s->states[0], s->h.prog->roots.at, nroots(s) * sizeof(uop *));
  for (size_t i = 0; i < n; i++) s->states[0][nroots(s) + i] = s->stmts[i].node;
  for (size_t i = 0; i < s->nsteps; i++) s->states[0][shown(s) + i] = s->steps[i].before;
  s->nstates = 1;
  return true;
}

EXPORT("simplified_free") void simplified_free(simplified *s) {
  for (size_t i = 0; s->states && i <= s->nsteps; i++) mem_drop((void *)s->states[i]);
  mem_drop(s->states);
  mem_drop(s->stmts);
  mem_drop(s->steps);
  mem_drop((void *)s->out);
  uop_rules_free(s->rules);
  handle_close(&s->h);
  mem_drop(s);
}

static void put_repr(const char *key, const uop *u) {
  char text[161];
  uop_repr(u, text, sizeof text);
  json_key(key), json_word(text);
}

static void put_steps(const simplified *s) {
  json_key("steps"), json_open('[');
  for (size_t i = 0; i < s->nsteps; i++) {
    const step *st = &s->steps[i];
    json_open('{');
    json_key("rule"), json_word(st->rule);
    put_repr("before", st->before);
    put_repr("after", st->after);
    json_key("node"), json_uint(st->before->id);
    json_close('}');
  }
  json_close(']');
}

static void put_text(const simplified *s, const uop *const *roots) {
  size_t len;
  char *text = uop_print_roots(s->h.ctx, roots, nroots(s), &len);
  if (text)
    json_key("text"), json_text(text, len);
  else
    json_fail();
  uop_free(s->h.ctx, text);
}

static void put_simplified(const simplified *s) {
  json_open('{');
  put_text(s, s->out);
  json_key("before"), put_stats(s->h.ctx, s->h.prog->roots.at, nroots(s));
  json_key("after"), put_stats(s->h.ctx, s->out, nroots(s));
  json_key("more"), json_bool(s->more);
  put_steps(s);
  json_close('}');
}

/* `sets` is written into, and ends in a NUL. A new handle; or NULL, and the answer is what is
 * wrong. */
EXPORT("simplify") simplified *program_simplify(const handle *h, char *sets, double max_steps) {
  simplified *s = mem_new(sizeof *s);
  json_begin();
  if (!s) return NULL;
  *s = (simplified){.max_steps = (size_t)max_steps};
  handle_open(&s->h, h->prog->text, h->prog->len, NULL);
  if (s->h.prog && simplify(s, sets) && begin_states(s)) {
    put_simplified(s);
    return s;
  }
  const uop_diag *e = s->h.ctx ? uop_error(s->h.ctx) : NULL;
  json_word(e && e->code ? e->message + e->reason : "out of memory");
  simplified_free(s);
  return NULL;
}

/* ---- the program after k steps ---- */

static const uop *give(void *user, const uop *u) {
  (void)u;
  return user;
}

/* A state with `before` replaced; `to` may be `from`. False: it cannot be, and nothing changed. */
static bool replace(simplified *s, const uop *const *from, const uop *before, const uop *after,
                    const uop **to) {
  if (uop_wrap(s->h.ctx, from, width(s), &before, 1, give, (void *)after, to)) return true;
  uop_error_clear(s->h.ctx);
  return false;
}

/* The nodes of what is shown of a state; NULL: no memory. */
static uop_map *nodes_of(const simplified *s, const uop *const *state) {
  uop_nodes order = {NULL, 0, 0};
  uop_map *m = uop_map_new(s->h.ctx);
  bool ok = m && uop_toposort(s->h.ctx, state, shown(s), &order);
  for (size_t i = 0; ok && i < order.len; i++) ok = uop_map_set(m, order.at[i], 1);
  uop_nodes_free(s->h.ctx, &order);
  if (ok) return m;
  uop_map_free(m);
  return NULL;
}

static bool has(const uop_map *m, const uop *u) {
  uint64_t value;
  return uop_map_get(m, u, &value);
}

/* Replaces anew what was replaced before and is there again. What it is replaced by can bring up
 * others; rules that undo each other end with the rounds. False: no memory. */
static bool settle(simplified *s, size_t k, const uop **state) {
  enum { ROUNDS = 8 };
  bool again = true;
  for (int round = 0; again && round < ROUNDS; round++) {
    uop_map *there = nodes_of(s, state);
    if (!there) return false;
    again = false;
    for (size_t i = 0; i < k && !again; i++)
      again = has(there, s->steps[i].before) &&
              replace(s, state, s->steps[i].before, s->steps[i].after, state);
    uop_map_free(there);
  }
  return true;
}

/* What step k replaces in state k: its `before`, or what has become of that. */
static const uop *target_of(simplified *s, size_t k) {
  uop_map *there = nodes_of(s, s->states[k]);
  const uop *before = s->steps[k].before;
  bool is_there = there && has(there, before);
  uop_map_free(there);
  return is_there ? before : s->states[k][shown(s) + k];
}

/* State k + 1 from state k. A step that cannot be carried out changes nothing. False: no memory. */
static bool advance(simplified *s, size_t k) {
  size_t size = width(s) * sizeof(uop *);
  const uop *const *from = s->states[k];
  const uop **to = mem_new(size);
  if (!to) return false;
  if (!replace(s, from, target_of(s, k), s->steps[k].after, to)) memcpy(to, from, size);
  bool ok = settle(s, k, to);
  if (k + 1 == s->nsteps && !s->more) memcpy(to, s->out, nroots(s) * sizeof *to);
  if (ok) {
    s->states[k + 1] = to;
    s->nstates++;
  } else {
    mem_drop((void *)to);
  }
  return ok;
}

/* Forgets all states but the first and the k-th, and frees the nodes that only they had. */
static bool forget(simplified *s, size_t k) {
  size_t n = 2 * width(s) + 2 * s->nsteps + nroots(s), len = 0;
  const uop **keep = mem_new((n + 1) * sizeof *keep);
  if (!keep) return false;
  for (size_t i = 1; i <= s->nsteps; i++) {
    keep[len++] = s->steps[i - 1].before, keep[len++] = s->steps[i - 1].after;
    if (i == k) continue;
    mem_drop((void *)s->states[i]);
    s->states[i] = NULL;
  }
  s->nstates = k ? 2 : 1;
  for (size_t i = 0; i < width(s); i++)
    keep[len++] = s->states[0][i], keep[len++] = s->states[k][i];
  for (size_t i = 0; i < nroots(s); i++) keep[len++] = s->out[i];
  uop_collect(s->h.ctx, keep, len);
  mem_drop((void *)keep);
  return true;
}

/* False: no memory. */
static bool find_state(simplified *s, size_t k) {
  size_t from = k;
  while (!s->states[from]) from--;
  for (; from < k; from++) {
    if (!advance(s, from)) return false;
    bool full = uop_ctx_live(s->h.ctx) > MAX_LIVE || s->nstates * width(s) > MAX_CACHED;
    if (full && !forget(s, from + 1)) return false;
  }
  return true;
}

/* Of what step k put in, the nodes that were not there before it; at least the one that it put in,
 * if that is shown. None of a step that changes nothing. */
static bool put_changed(simplified *s, size_t k) {
  size_t size = shown(s) * sizeof(uop *);
  if (memcmp(s->states[k - 1], s->states[k], size) == 0) return true;
  const uop *after = s->steps[k - 1].after;
  uop_nodes new = {NULL, 0, 0};
  uop_map *old = nodes_of(s, s->states[k - 1]), *now = nodes_of(s, s->states[k]);
  bool ok = old && now && uop_toposort(s->h.ctx, &after, 1, &new);
  for (size_t i = 0; ok && i < new.len; i++)
    if (has(now, new.at[i]) && (new.at[i] == after || !has(old, new.at[i])))
      json_uint(new.at[i]->id);
  uop_map_free(old);
  uop_map_free(now);
  uop_nodes_free(s->h.ctx, &new);
  return ok;
}

static void put_state(simplified *s, size_t k, char *options, size_t len) {
  const uop *const *now = s->states[k];
  uop_program named = *s->h.prog;
  for (size_t i = 0; i < named.nstmts; i++) s->stmts[i].node = now[nroots(s) + i];
  named.stmts = s->stmts;
  json_key("statements"), put_ids(now + nroots(s), named.nstmts);
  json_key("nodes"), put_nodes(s->h.ctx, now, nroots(s));
  json_key("stats"), put_stats(s->h.ctx, now, nroots(s));
  put_text(s, now);
  json_key("graph"), put_graph(s->h.ctx, now, nroots(s), &named, options, len);
}

/* After k steps, from 0 to all of them. */
EXPORT("simplified_at") void simplified_at(simplified *s, size_t k, char *options, size_t len) {
  bool ok = k <= s->nsteps && (k == 0 || find_state(s, k - 1)) && find_state(s, k);
  json_begin();
  json_open('{');
  json_key("changed"), json_open('[');
  /* finding state k may have forgotten the one before it */
  if (ok && k > 0 && s->states[k - 1]) ok = put_changed(s, k);
  json_close(']');
  if (ok)
    put_state(s, k, options, len);
  else
    json_fail();
  json_close('}');
}
