/* floor.c - what a core of this kind can cost at least: floor W N, phases as in core.c.
 *
 * Binary nodes over leaves and nothing else: no arity, no args, no errors, no limits, no scopes,
 * one slab in reserved address space that never moves. What it keeps of the real thing is its 64
 * bytes a node, the type check, and the way nodes are found:
 *
 *   youngest source  -> users -> users -> …      at most LIST_MAX of them, linked by `next`
 *   table            -> leaves, and what the lists have no room for
 *
 * The youngest source is the one at the higher address: the slab grows upwards, so that no source
 * has to be read to tell. (Reused room breaks the age and not the rule: any fixed order will do.)
 * Nodes count their uses, and a released root frees what only it needed.
 */
#include "workload.h"

#include <stdbool.h>

enum { PARAM, ADD, MUL };
enum { LIST_MAX = 8, LISTED, TABLED };

typedef struct node node;
struct node {
  node *next;    /* in the list; of a dead node: in the list of the dead */
  node *users;   /* first of the list */
  uint32_t hash; /* of a node in the table */
  uint8_t op, dtype;
  uint8_t nusers; /* length of the list; OVERFLOWED: a user is in the table */
  uint8_t place;  /* LISTED, TABLED */
  uint32_t refs, id;
  uint64_t arg;
  const void *shape;
  node *src[2];
};
_Static_assert(sizeof(node) == 64, "a cache line");
enum { OVERFLOWED = 0x80 };

static node *slab;
static size_t used; /* nodes of the slab, free ones included */
static node *free_nodes;
static uint64_t *table; /* 16 bits of the hash above 48 of the address */
static size_t table_cap, table_len;

__extension__ typedef unsigned __int128 wide;
static inline uint32_t hash_of(uint64_t op, const node *a, const node *b, uint64_t arg) {
  uint64_t x = (uintptr_t)a ^ op << 56 ^ UINT64_C(0xa0761d6478bd642f);
  uint64_t y = (uintptr_t)b ^ arg << 20 ^ UINT64_C(0xe7037ed1a0b428db);
  wide m = (wide)x * y;
  return (uint32_t)((uint64_t)m ^ (uint64_t)(m >> 64));
}

static inline node *slot_node(uint64_t slot) {
  return (node *)(uintptr_t)(slot & UINT64_C(0xffffffffffff));
}
static inline uint64_t slot_tag(uint32_t hash) { return (uint64_t)(hash >> 16) << 48; }
static inline uint64_t slot_of(const node *u) { return (uintptr_t)u | slot_tag(u->hash); }

static void table_grow(void) {
  uint64_t *old = table;
  size_t old_cap = table_cap;
  table_cap = old_cap ? old_cap * 2 : 4096;
  table = reserve(table_cap * sizeof *table);
  for (size_t i = 0; i < old_cap; i++) {
    if (!old[i]) continue;
    size_t at = slot_node(old[i])->hash & (table_cap - 1);
    while (table[at]) at = (at + 1) & (table_cap - 1);
    table[at] = old[i];
  }
  if (old) munmap(old, old_cap * sizeof *old);
}

static void table_remove(const node *u) {
  size_t mask = table_cap - 1, hole = u->hash & mask;
  while (slot_node(table[hole]) != u) hole = (hole + 1) & mask;
  for (size_t at = (hole + 1) & mask; table[at]; at = (at + 1) & mask) {
    size_t home = slot_node(table[at])->hash & mask; /* moves up where the hole is on its way */
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    table[hole] = table[at];
    hole = at;
  }
  table[hole] = 0;
  table_len--;
}

static inline bool is(const node *u, uint8_t op, const node *a, const node *b, uint64_t arg) {
  return u->src[1] == b && u->src[0] == a && u->op == op && u->arg == arg;
}

static inline node *make(uint8_t op, node *a, node *b, uint64_t arg) {
  node *young = a > b ? a : b;
  if (young)
    for (node *u = young->users; u; u = u->next)
      if (is(u, op, a, b, arg)) return u;
  bool to_table = !young || young->nusers >= LIST_MAX;
  uint32_t hash = 0;
  size_t at = 0;
  if (to_table) {
    hash = hash_of(op, a, b, arg);
    at = hash & (table_cap - 1);
    for (uint64_t tag = slot_tag(hash); table[at]; at = (at + 1) & (table_cap - 1))
      if (((table[at] ^ tag) >> 48) == 0 && is(slot_node(table[at]), op, a, b, arg))
        return slot_node(table[at]);
    to_table = !young || (young->nusers & ~OVERFLOWED) >= LIST_MAX;
  }
  if (a && (a->dtype != b->dtype || a->shape != b->shape)) return NULL;
  node *u = free_nodes;
  if (u)
    free_nodes = u->next;
  else
    u = &slab[used++];
  *u = (node){.op = op,
              .dtype = a ? a->dtype : 1,
              .hash = hash,
              .id = (uint32_t)(u - slab),
              .arg = arg,
              .shape = a ? a->shape : NULL,
              .src = {a, b},
              .place = to_table ? TABLED : LISTED};
  if (a) a->refs++, b->refs++;
  if (to_table) {
    if (young) young->nusers |= OVERFLOWED;
    table[at] = slot_of(u);
    if (++table_len * 4 > table_cap * 3) table_grow();
  } else {
    u->next = young->users;
    young->users = u;
    young->nusers++;
  }
  return u;
}

/* Gives up a use of `root`; the dead wait on a list through `shape`. */
static size_t release(node *root) {
  size_t freed = 0;
  if (--root->refs) return 0;
  root->shape = NULL;
  for (node *dead = root; dead; freed++) {
    node *u = dead, *a = u->src[0], *b = u->src[1];
    dead = (node *)(uintptr_t)u->shape;
    if (u->place == TABLED) {
      table_remove(u);
    } else {
      node *young = a > b ? a : b, **link = &young->users;
      while (*link != u) link = &(*link)->next;
      *link = u->next;
      young->nusers--;
    }
    if (a && --a->refs == 0) a->shape = dead, dead = a;
    if (b && --b->refs == 0) b->shape = dead, dead = b;
    u->next = free_nodes;
    free_nodes = u;
  }
  return freed;
}

static node *leaf(uint32_t i) { return make(PARAM, NULL, NULL, i); }

static void build(const workload *w, node **at) {
  for (uint32_t i = 0; i < LEAVES; i++) at[i] = leaf(i);
  for (uint32_t i = 0; i < w->n; i++)
    at[LEAVES + i] = make(w->mul[i] ? MUL : ADD, at[w->a[i]], at[w->b[i]], 0);
}

/* ---- the phases ---- */

typedef struct frame {
  node *u;
  uint32_t next_src;
} frame;

static node **order, **became; /* became: by index in the slab */
static size_t order_len, room;
static uint64_t *seen;
static frame *stack;

static size_t index_of(const node *u) { return (size_t)(u - slab); }
static bool visit(const node *u) {
  uint64_t *word = &seen[index_of(u) / 64], bit = UINT64_C(1) << (index_of(u) % 64);
  if (*word & bit) return false;
  *word |= bit;
  return true;
}

static void lists_free(void) {
  munmap(order, room * sizeof(node *));
  munmap(stack, room * sizeof *stack);
  munmap(seen, room / 8 + 8);
  order = NULL, seen = NULL, stack = NULL;
}

static void walk(node *root) {
  if (!order) {
    order = reserve(room * sizeof(node *));
    stack = reserve(room * sizeof *stack);
    seen = reserve(room / 8 + 8);
  }
  memset(seen, 0, used / 8 + 8);
  size_t depth = 0;
  order_len = 0;
  visit(root);
  stack[depth++] = (frame){root, 0};
  while (depth) {
    frame *f = &stack[depth - 1];
    if (f->u->op != PARAM && f->next_src < 2) {
      node *s = f->u->src[f->next_src++];
      if (visit(s)) stack[depth++] = (frame){s, 0};
    } else {
      order[order_len++] = f->u;
      depth--;
    }
  }
}

static node *substitute(node *root, const node *from, node *to) {
  if (!became) became = reserve(room * sizeof(node *));
  walk(root);
  for (size_t i = 0; i < order_len; i++) {
    node *u = order[i], *v = u;
    if (u == from) {
      v = to;
    } else if (u->op != PARAM) {
      node *a = became[index_of(u->src[0])], *b = became[index_of(u->src[1])];
      if (a != u->src[0] || b != u->src[1]) v = make(u->op, a, b, 0);
    }
    became[index_of(u)] = v;
  }
  return became[index_of(root)];
}

static uint64_t sweep(void) {
  uint64_t sum = 0;
  for (size_t i = 0; i < used; i++) sum += slab[i].op == MUL ? slab[i].id : slab[i].hash;
  return sum;
}

static int rooted_phases(const workload *w, node *root, node *from) {
  volatile uint64_t sum = 0;
  double best = NEVER;
  begin();
  walk(root);
  end("walk", w->n);
  for (int r = 0; r < repeats(w->n); r++) {
    begin();
    walk(root);
    best = lap(best);
  }
  report("walk2", best, w->n);
  printf("walked %zu\n", order_len);
  best = NEVER;
  for (int r = 0; r < repeats(w->n); r++) {
    begin();
    sum = sum + sweep();
    best = lap(best);
  }
  report("sweep", best, w->n);
  lists_free();
  node *to = leaf(5000);
  root->refs++;
  begin();
  node *changed = substitute(root, from, to);
  end("subst", w->n);
  if (!changed || changed == root) return fail("subst");
  changed->refs++;
  best = NEVER;
  to = leaf(5001);
  for (int r = 0; r < repeats(w->n); r++) {
    to->refs++; /* the leaf stays, for its next turn */
    begin();
    node *v = substitute(root, from, to);
    if (r) best = lap(best);
    v->refs++;
    release(v);
    to->refs--;
  }
  report("subst2", best, w->n);
  lists_free();
  begin();
  size_t freed = release(root) + release(changed);
  end("free", freed);
  printf("freed %zu\n", freed);
  return 0;
}

int main(int argc, char **argv) {
  workload w = workload_from_args(argc, argv, 280);
  size_t total = w.n + LEAVES;
  node **at = touched(total * sizeof *at), **again = touched(total * sizeof *again);
  room = 3 * total + 16;
  long before = resident_bytes();
  begin();
  slab = reserve(room * sizeof(node));
  table_grow();
  build(&w, at);
  end("miss", w.n);
  printf("bytes %.1f\n", (double)(resident_bytes() - before) / (double)total);
  begin();
  build(&w, again);
  end("hit", w.n);
  if (memcmp(at, again, total * sizeof *at) != 0) return fail("hit");
  if (w.name == 'R') return 0;
  return rooted_phases(&w, at[total - 1], at[w.replaced]);
}
