/* kernel.c - a group of nodes as a short program: each op once over a block of elements, reading
 * leaves (values that the frame has) and registers (blocks that earlier steps made).
 *
 *   (a * b + c)     leaves a, b, c     r0 = mul a b     r0' = add r0 c
 *
 * A register is free again after its last reader, so that few blocks are in use and all of them
 * stay in the cache. No step writes what it reads.
 */
#include "eval/eval.h"

typedef struct builder {
  const uopi_plan *p;
  uint32_t root;
  uint32_t nops, nleaves;
  uint32_t op[UOPI_GROUP_NODES + 1];       /* members that compute, in order */
  uint32_t leaf[3 * UOPI_GROUP_NODES + 3]; /* places, in the order in which they are needed */
} builder;

static bool is_member(const builder *b, uint32_t i) { return b->p->node[i].group == b->root; }

/* A REDUCE is its group's root, but no step: it takes what the steps made. */
static bool is_step(const builder *b, uint32_t i) {
  return is_member(b, i) && uopi_is_alu(b->p->node[i].u);
}

/* Whose value a member reads when it reads i: members that compute nothing hand their source on. */
static uint32_t resolve(const builder *b, uint32_t i) {
  while (is_member(b, i) && !uopi_is_alu(b->p->node[i].u)) i = uopi_plan_sources(b->p, i)[0];
  return i;
}

/* Depth-first from the root, sources left to right, as if nothing were fused: of several leaves
 * that fail, the same one is met first, wherever the group stands and whatever else was planned. */
static void find_leaves(builder *b) {
  uint32_t waiting[3 * (UOPI_GROUP_NODES + 1) + 1] = {b->root}, n = 1;
  while (n) {
    uint32_t i = waiting[--n];
    if (b->p->mark[i]) continue;
    b->p->mark[i] = 1;
    if (i != b->root && !is_step(b, i)) {
      b->leaf[b->nleaves++] = i;
      continue;
    }
    const uint32_t *from = uopi_plan_sources(b->p, i);
    for (uint32_t k = b->p->node[i].u->nsrc; k-- > 0;) waiting[n++] = resolve(b, from[k]);
  }
  b->p->mark[b->root] = 0;
  for (uint32_t k = 0; k < b->nleaves; k++) b->p->mark[b->leaf[k]] = k;
}

static void collect(builder *b) {
  const uopi_planned *node = b->p->node;
  for (uint32_t i = node[b->root].next; i != UOPI_NO_GROUP; i = node[i].next)
    if (uopi_is_alu(node[i].u)) b->op[b->nops++] = i;
  if (uopi_is_alu(node[b->root].u)) b->op[b->nops++] = b->root;
  find_leaves(b);
}

static uopi_loop *loop_of(const uopi_loops *l, const uop *u, bool leaves) {
  unsigned d = u->src[u->nsrc - 1]->dtype;
  bool cast = u->op == UOP_CAST;
  uopi_loop *out = cast ? l->out_casts[d][u->dtype] : l->outs[u->op][d];
  if (leaves && out) return out;
  return cast ? l->casts[d][u->dtype] : l->ops[u->op][d];
}

/* The steps, their registers still one for each: step k makes register nleaves + k. */
static void write_steps(builder *b, uop_run *r, uopi_kernel *k) {
  for (uint32_t s = 0; s < b->nops; s++) b->p->mark[b->op[s]] = b->nleaves + s;
  for (uint32_t s = 0; s < b->nops; s++) {
    const uop *u = b->p->node[b->op[s]].u;
    const uint32_t *from = uopi_plan_sources(b->p, b->op[s]);
    bool leaves = b->op[s] == b->root && b->p->node[b->root].asked;
    k->step[s] = (uopi_step){.loop = loop_of(r->loops, u, leaves), .u = u};
    for (uint32_t i = 0; i < u->nsrc; i++)
      k->step[s].in[i] = (uint16_t)b->p->mark[resolve(b, from[i])];
    k->divides |= u->op == UOP_FLOORDIV || u->op == UOP_FLOORMOD;
  }
}

static uint16_t result_of(const builder *b) {
  uint32_t v = b->root;
  if (b->p->node[v].u->op == UOP_REDUCE) v = resolve(b, uopi_plan_sources(b->p, v)[0]);
  return (uint16_t)b->p->mark[v];
}

/* Gives registers of one step to later ones once nobody reads them any more. What the last step of
 * an elementwise kernel makes goes straight to the result. */
static void share_registers(uopi_kernel *k, bool reduces) {
  uint16_t last[UOPI_GROUP_NODES + 1] = {0}, reg[UOPI_GROUP_NODES + 1];
  uint16_t unused[UOPI_GROUP_NODES + 1];
  uint32_t n = 0;
  for (uint32_t s = 0; s < k->nsteps; s++)
    for (uint32_t i = 0; i < k->step[s].u->nsrc; i++)
      if (k->step[s].in[i] >= k->nleaves) last[k->step[s].in[i] - k->nleaves] = (uint16_t)s;
  for (uint32_t s = 0; s < k->nsteps; s++) {
    uopi_step *step = &k->step[s];
    bool is_result = s + 1 == k->nsteps && !reduces;
    reg[s] = is_result ? 0 : n ? unused[--n] : (uint16_t)k->nregs++;
    for (uint32_t i = 0; i < step->u->nsrc; i++) {
      if (step->in[i] < k->nleaves) continue;
      uint32_t by = step->in[i] - k->nleaves;
      step->in[i] = (uint16_t)(k->nleaves + reg[by]);
      if (last[by] != s && !UOPI_FAULT(18)) continue;
      unused[n++] = reg[by];
      last[by] = UINT16_MAX; /* once, though it stand on both sides */
    }
    step->out = (uint16_t)(k->nleaves + reg[s]);
  }
  if (k->result >= k->nleaves) k->result = k->step[k->nsteps - 1].out;
}

static uopi_kernel *kernel_alloc(uop_run *r, const builder *b) {
  const uop *u = b->p->node[b->root].u;
  size_t bytes = sizeof(uopi_kernel) + b->nops * sizeof(uopi_step) + b->nleaves * sizeof(uint32_t);
  uopi_kernel *k = uopi_run_realloc(r, u, NULL, 0, bytes);
  if (!k) return NULL;
  *k = (uopi_kernel){.nsteps = b->nops, .nleaves = b->nleaves, .bytes = bytes};
  k->n = uopi_kernel_count(u);
  k->step = (uopi_step *)(k + 1);
  k->leaf = (uint32_t *)(k->step + b->nops);
  memcpy(k->leaf, b->leaf, b->nleaves * sizeof *b->leaf);
  for (uint32_t i = 0; i < b->nleaves; i++) {
    uint32_t rank = b->p->node[b->leaf[i]].u->shape->len;
    k->naxes += rank ? rank : 1;
  }
  return k;
}

uopi_kernel *uopi_kernel_of(uop_run *r, uopi_plan *p, uint32_t i) {
  if (p->kernel[i]) return p->kernel[i];
  builder b = {.p = p, .root = i};
  collect(&b);
  uopi_kernel *k = kernel_alloc(r, &b);
  if (k) {
    write_steps(&b, r, k);
    k->result = result_of(&b);
    share_registers(k, p->node[i].u->op == UOP_REDUCE);
    p->kernel[i] = k;
  }
  for (uint32_t s = 0; s < b.nops; s++) p->mark[b.op[s]] = 0;
  for (uint32_t s = 0; s < b.nleaves; s++) p->mark[b.leaf[s]] = 0;
  return k;
}
