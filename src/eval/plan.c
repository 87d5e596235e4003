/* plan.c - a graph or body as a run needs it: its nodes in depth-first order, which is the order in
 * which they are first needed, left to right; the edges between them; and which nodes are computed
 * together.
 *
 *   group   elementwise nodes, and the reshapes between them, all of whose uses lie in one group,
 *           under a root whose value is kept: the last of them, or a REDUCE of them. A group is one
 *           pass over memory (kernel.c).
 *
 * A node that two groups use is a root of its own, so that nothing is computed twice. Grouping
 * looks at uses from the last node to the first: when a node's turn comes, all its users have had
 * theirs.
 */
#include "eval/eval.h"

/* ---- nodes and edges ---- */

static uint64_t plan_bytes(uint64_t n, uint64_t nedges, uint64_t cap) {
  return sizeof(uopi_plan) +
         n * (sizeof(uopi_planned) + sizeof(struct uopi_kernel *) + sizeof(uint32_t)) +
         (nedges + cap) * sizeof(uint32_t);
}

/* One piece of memory: the plan, and behind it its arrays by falling alignment. */
static uopi_plan *plan_alloc(uop_run *r, const uop *u, uint64_t n, uint64_t nedges) {
  uint64_t cap = 4;
  while (cap < n * 2) cap *= 2;
  uint64_t need = plan_bytes(n, nedges, cap);
  if (n >= UINT32_MAX / 2 || nedges >= UINT32_MAX || need > SIZE_MAX / 2) {
    uopi_run_no_memory(r, u);
    return NULL;
  }
  size_t bytes = (size_t)need;
  uopi_plan *p = uopi_run_realloc(r, u, NULL, 0, bytes);
  if (!p) return NULL;
  memset(p, 0, sizeof *p);
  p->n = (uint32_t)n;
  p->bytes = bytes;
  p->cap = (uint32_t)cap;
  p->node = (uopi_planned *)(p + 1);
  p->kernel = (struct uopi_kernel **)(p->node + n);
  p->mark = (uint32_t *)(p->kernel + n);
  p->table = p->mark + n;
  p->edge = p->table + cap;
  memset(p->kernel, 0, (size_t)n * sizeof(struct uopi_kernel *));
  memset(p->mark, 0, (size_t)(n + cap) * sizeof *p->mark);
  return p;
}

/* Open addressing by id; entries are places + 1. */
static uint32_t *probe(const uopi_plan *p, const uop *u) {
  uint32_t i = (uint32_t)(u->id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (p->cap - 1);
  while (p->table[i] && p->node[p->table[i] - 1].u != u) i = (i + 1) & (p->cap - 1);
  return &p->table[i];
}

uint32_t uopi_plan_find(const uopi_plan *p, const uop *u) {
  uint32_t place = *probe(p, u);
  return place ? place - 1 : p->n;
}

static void number_nodes(uopi_plan *p, const uop_nodes *order) {
  for (uint32_t i = 0; i < p->n; i++) {
    const uop *u = order->at[i];
    uopi_planned *node = &p->node[i];
    *node = (uopi_planned){.u = u, .first = p->nedges, .next = UOPI_NO_GROUP};
    *probe(p, u) = i + 1;
    for (uint32_t k = u->op == UOP_CALL; k < u->nsrc; k++) {
      uint32_t from = uopi_plan_find(p, u->src[k]);
      p->edge[p->nedges++] = from;
      p->node[from].uses++;
    }
  }
}

/* ---- groups ---- */

static bool starts_group(const uop *u) {
  if (u->op == UOP_REDUCE) /* of something: pop=0 and () are the source itself */
    return u->shape->len < u->src[0]->shape->len;
  return uopi_is_alu(u) && !uopi_is_scalar(u);
}

/* Whether v, a source of a member, can be computed with it. What stands below a splat has one
 * element, and only what hands that on can join there. */
static bool can_join(const uop *v, int64_t n) {
  if (uopi_is_scalar(v)) return false;
  int64_t count = uopi_count_of(v);
  if (uopi_is_alu(v)) return count == n;
  return (uopi_is_identity(v) || uopi_is_splat(v)) && (count == n || count == 1);
}

typedef struct grouping {
  uint32_t group; /* of all users so far */
  uint32_t users;
} grouping;

static void join(uopi_plan *p, uint32_t i, uint32_t group) {
  p->node[i].group = group;
  p->node[i].next = p->node[group].next;
  p->node[group].next = i;
}

/* Tells the sources of a member of `group` that it uses them. */
static void tell_sources(uopi_plan *p, uint32_t i, uint32_t group, grouping *g) {
  const uint32_t *from = uopi_plan_sources(p, i);
  for (uint32_t k = 0; k < uopi_plan_nsrc(p->node[i].u); k++) {
    grouping *s = &g[from[k]];
    s->group = s->users == 0 || s->group == group ? group : UOPI_NO_GROUP;
    s->users++;
  }
}

static void group_nodes(uopi_plan *p, grouping *g, uint32_t *members) {
  for (uint32_t i = p->n; i-- > 0;) {
    uopi_planned *node = &p->node[i];
    uint32_t group = g[i].group;
    bool inner =
        g[i].users && group != UOPI_NO_GROUP && (g[i].users == node->uses || UOPI_FAULT(21)) &&
        members[group] < UOPI_GROUP_NODES && can_join(node->u, uopi_kernel_count(p->node[group].u));
    if (inner) {
      join(p, i, group);
      members[group]++;
    } else {
      group = starts_group(node->u) ? i : UOPI_NO_GROUP;
      node->group = group;
    }
    if (group != UOPI_NO_GROUP) {
      tell_sources(p, i, group, g);
      continue;
    }
    const uint32_t *from = uopi_plan_sources(p, i);
    for (uint32_t k = 0; k < uopi_plan_nsrc(node->u); k++) {
      g[from[k]].group = UOPI_NO_GROUP;
      g[from[k]].users++;
    }
  }
}

static bool make_groups(uop_run *r, uopi_plan *p, const uop *u) {
  size_t bytes = p->n * (sizeof(grouping) + sizeof(uint32_t));
  grouping *g = uopi_run_realloc(r, u, NULL, 0, bytes);
  if (!g) return false;
  memset(g, 0, bytes);
  group_nodes(p, g, (uint32_t *)(g + p->n));
  uopi_run_realloc(r, u, g, bytes, 0);
  return true;
}

/* ---- the plan ---- */

static uopi_plan *plan_of(uop_run *r, const uop_nodes *order, const uop *const *roots, size_t n) {
  uint64_t nedges = 0;
  for (size_t i = 0; i < order->len; i++) nedges += uopi_plan_nsrc(order->at[i]);
  uopi_plan *p = plan_alloc(r, roots[0], order->len, nedges);
  if (!p) return NULL;
  number_nodes(p, order);
  for (size_t i = 0; i < n; i++) {
    uopi_planned *root = &p->node[uopi_plan_find(p, roots[i])];
    root->uses++;
    root->asked = true;
  }
  if (make_groups(r, p, roots[0])) return p;
  uopi_plan_free(r, p);
  return NULL;
}

uopi_plan *uopi_plan_new(uop_run *r, const uop *const *roots, size_t n) {
  uop_nodes order = {NULL, 0, 0};
  if (!uopi_walk(r->ctx, roots, n, true, &order)) {
    uopi_run_failed(r, roots[0]);
    return NULL;
  }
  uopi_plan *p = plan_of(r, &order, roots, n);
  uop_nodes_free(r->ctx, &order);
  return p;
}

void uopi_plan_free(uop_run *r, uopi_plan *p) {
  if (!p) return;
  for (uint32_t i = 0; i < p->n; i++)
    if (p->kernel[i]) uopi_run_realloc(r, NULL, p->kernel[i], p->kernel[i]->bytes, 0);
  uopi_run_realloc(r, NULL, p, p->bytes, 0);
}
