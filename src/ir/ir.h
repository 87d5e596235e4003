/* ir.h - inside of a context: node storage, the unique table, interned tuples and names, scopes.
 *
 *   struct uop (72 bytes with two sources on a 64-bit machine)
 *   +------+------+------+-------+-------+-------+------+---------------------+------+------+
 *   | id 8 | nsrc | pins | arg 8 | shape | users | hash |dtype space flags op | next | src… |
 *   +------+------+------+-------+-------+-------+------+---------------------+------+------+
 *                                 |<- read of a source ->|<- compared with a user ->|
 *   users: the first of at most LIST_MAX nodes whose youngest source this is, linked by `next`.
 *
 * Invariants (uop_ctx_check walks them all):
 *  1. A node's sources are older than it: src->id < id, alive, and of the same context.
 *  2. No two live nodes have the same (op, sources, arg); of leaves dtype, shape, space count too.
 *  3. A node is either on the users list of its youngest source or in the table (FLAG_TABLE).
 *     Where a node with sources is in the table, its youngest source has FLAG_OVERFLOW.
 *  4. `live` holds the live nodes in creation order, so by rising id; a scope is a suffix of it.
 *  5. A tuple's or name's refs is the number of uses by live nodes; unused ones are freed.
 *  6. dtype, shape, space, hash are what inference and uopi_hash give for (op, sources, arg).
 */
#ifndef UOP_IR_H
#define UOP_IR_H

#include "base/base.h"

enum {
  FLAG_COUNT = 0x0f,    /* length of the users list */
  FLAG_OVERFLOW = 0x10, /* some node whose youngest source this is is in the table; sticky */
  FLAG_TABLE = 0x20,    /* this node is in the table */
  FLAG_MARK = 0x40,     /* a sweep found it needed; clear outside of one */
  FLAG_SIGNATURE = 0x80 /* ctx->signatures has an entry for this body */
};
enum { LIST_MAX = 8 }; /* longer lists are slower than the table (measured) */

/* ---- node storage (slab.c) ---- */

#define UOPI_SLAB_SIZE ((size_t)64 << 10) /* power of two: a node's slab is found by masking */
enum { UOPI_CLASSES = 24 };

typedef struct uopi_slab { /* the header, among the nodes: one cache line */
  union {
    struct {
      uop_ctx *ctx;
      uint64_t seq;  /* counts up: orders slabs by age */
      uint32_t cls;  /* size class; UOPI_CLASSES for a block with one large node */
      uint32_t live; /* nodes in use, counted when room is given back */
      void *raw;     /* large: what the allocator gave, and its size */
      size_t raw_size;
    };
    unsigned char line[64];
  };
} uopi_slab;

/* A slab's header lies at an offset that its address gives, below half of the slab: at one fixed
 * offset all headers would fall into one set of the processor's caches. */
static inline uopi_slab *uopi_slab_at(uintptr_t base) {
  return (uopi_slab *)(base | ((base / UOPI_SLAB_SIZE * sizeof(uopi_slab)) & 0x7fc0));
}
static inline uopi_slab *uopi_slab_of(const uop *u) {
  return uopi_slab_at((uintptr_t)u & ~(uintptr_t)(UOPI_SLAB_SIZE - 1));
}

typedef struct uopi_chunk { /* slabs are cut from larger pieces */
  void *raw;
  size_t raw_size;
  char *first; /* the first slab */
  uint32_t nslabs, used;
} uopi_chunk;

typedef struct uopi_class {
  uop *free;             /* dead nodes, linked through their first word */
  char *bump, *end;      /* room in the newest slab: before its header or behind it */
  char *rest, *rest_end; /* and then behind it */
} uopi_class;

typedef struct uopi_store {
  struct {
    uopi_chunk *at;
    size_t len, cap;
  } chunks;
  uopi_class cls[UOPI_CLASSES];
  uint64_t seq;
  uint64_t bytes; /* of nodes in use */
} uopi_store;

uop *uopi_node_new(uop_ctx *ctx, uint32_t nsrc);
void uopi_node_delete(uop_ctx *ctx, uop *u);
void uopi_store_trim(uop_ctx *ctx);
uint64_t uopi_bytes_of_nodes(const uop_ctx *ctx); /* what store.bytes must be */
void uopi_store_drop(uop_ctx *ctx);

/* ---- the unique table (unique.c) ---- */

typedef struct uopi_slot {
  uop *node; /* NULL: empty */
  uint32_t hash;
} uopi_slot;

typedef struct uopi_key {
  uop_op op;
  uint32_t nsrc;
  const uop *const *src;
  uint64_t bits;   /* the arg as a node keeps it, tuples and names interned */
  uop_dtype dtype; /* these three of leaves only */
  uop_space space;
  const uop_tuple *shape;
  uop *youngest; /* of the sources: uopi_youngest */
} uopi_key;

uint32_t uopi_hash(const uopi_key *k);
static inline uint64_t uopi_hash_sources(uint64_t h, const uop *a, const uop *b) {
  return uopi_hash_step(h, (uint64_t)b->hash << 32 | a->hash);
}
uop *uopi_find(const uop_ctx *ctx, const uopi_key *k);
uop *uopi_find_in_table(const uop_ctx *ctx, const uopi_key *k);
bool uopi_table_grow(uop_ctx *ctx);
void uopi_insert(uop_ctx *ctx, uop *u, uop *youngest);
void uopi_unlink(uop_ctx *ctx, uop *u);
uop *uopi_youngest(const uop *const *src, uint32_t n); /* NULL for n = 0 */

/* The older of two slabs has the smaller number; within one, addresses decide. */
static inline bool uopi_is_younger(const uop *a, const uop *b) {
  const uopi_slab *x = uopi_slab_of(a), *y = uopi_slab_of(b);
  return x == y ? a > b : x->seq > y->seq;
}
uopi_key uopi_key_of(const uop *u);
void uopi_table_trim(uop_ctx *ctx);

/* ---- tuples and names (intern.c) ---- */

typedef struct uopi_name { /* a node's arg.name points at `s` */
  uint32_t len, hash;
  uint64_t refs;
  struct uopi_name *next;
  char s[]; /* `len` bytes and a NUL */
} uopi_name;

typedef struct uopi_interned { /* chained hash tables */
  uop_tuple **tuples;
  uopi_name **names;
  size_t tuple_cap, ntuples, name_cap, nnames;
  uint64_t bytes; /* of tuples and names in use */
} uopi_interned;

const uop_tuple *uopi_tuple_find(const uop_ctx *ctx, const int64_t *at, size_t n);
const uop_tuple *uopi_tuple_get(uop_ctx *ctx, const int64_t *at, size_t n); /* takes a reference */
void uopi_tuple_ref(const uop_tuple *t);
void uopi_tuple_release(uop_ctx *ctx, const uop_tuple *t);
const char *uopi_name_find(const uop_ctx *ctx, const char *s, size_t n);
const char *uopi_name_get(uop_ctx *ctx, const char *s, size_t n);
void uopi_name_release(uop_ctx *ctx, const char *s);
uopi_name *uopi_name_of(const char *s);
void uopi_interned_drop(uop_ctx *ctx);

/* ---- the context ---- */

struct uop_ctx {
  uopi_mem mem; /* first: uopi_mem_of */
  uint64_t max_nodes,
      max_bytes; /* limits; max_nodes holds live_cap down, so that one look is enough */
  uint64_t held; /* bytes that uopi_ctx_realloc has given */
  bool capped;   /* whether max_bytes made its last call fail */
  uint64_t next_id;
  uint64_t deaths; /* nodes freed so far: what is kept by address asks whether any were */
  uop **live;      /* the creation vector */
  size_t live_cap;
  size_t nlive;
  uopi_store store;
  uopi_slot *table;
  size_t table_cap, table_len;
  uopi_interned interned;
  const uop_tuple *scalar; /* () */
  uop_map signatures;      /* body -> uopi_signature *, see params.c */
  uop_map *maps;           /* registered maps */
  size_t scope_begin;      /* where the innermost open scope begins in the creation vector */
  uint64_t scope_serial, next_serial; /* of the innermost open scope (0: none) and the next one */
  uint32_t depth, floor;              /* open scopes; those that a running callback may not end */
  uint32_t busy;                      /* callbacks running */
  uint32_t rewrites;                  /* rewrites running, each in a callback of the one before */
  uop_diag error;
};

bool uopi_live_grow(uop_ctx *ctx);
static inline bool uopi_live_reserve(uop_ctx *ctx) { /* room for one more */
  return ctx->nlive < ctx->live_cap || uopi_live_grow(ctx);
}
/* Room for one more in the table, so that uopi_insert cannot fail. Load at most 3/4. */
static inline bool uopi_insert_reserve(uop_ctx *ctx) {
  return (ctx->table_len + 1) * 4 <= ctx->table_cap * 3 || uopi_table_grow(ctx);
}
static inline uop_ctx *uopi_ctx_of(const uop *u) { return uopi_slab_of(u)->ctx; }

/* Memory of the context itself, which counts against max_bytes. (A walk's scratch does not: walks
 * of one context may run in several threads.) */
void *uopi_ctx_realloc(uop_ctx *ctx, void *p, size_t old, size_t size);

/* ---- the op table (ops.c) ---- */

typedef enum uopi_arg_kind {
  UOPI_ARG_NONE,
  UOPI_ARG_VALUE,
  UOPI_ARG_PARAM,
  UOPI_ARG_BUFFER,
  UOPI_ARG_ALLOC,
  UOPI_ARG_NAME,
  UOPI_ARG_DTYPE,
  UOPI_ARG_RANGE,
  UOPI_ARG_SHAPE,
  UOPI_ARG_AXES,
  UOPI_ARG_PAIRS,
  UOPI_ARG_REDUCE
} uopi_arg_kind;

extern const uint8_t uopi_arg_kinds[UOP_OP_COUNT];
static inline uopi_arg_kind uopi_arg_kind_of(unsigned op) {
  return (uopi_arg_kind)uopi_arg_kinds[op];
}
static inline bool uopi_arg_is_tuple(unsigned op) {
  return uopi_arg_kinds[op] >= UOPI_ARG_SHAPE && uopi_arg_kinds[op] <= UOPI_ARG_PAIRS;
}
static inline bool uopi_is_leaf(unsigned op) { /* dtype, shape and space come from the arg */
  return uopi_arg_kinds[op] >= UOPI_ARG_VALUE && uopi_arg_kinds[op] <= UOPI_ARG_ALLOC;
}
static inline bool uopi_is_float(unsigned dtype) { return dtype == UOP_F32 || dtype == UOP_F16; }
bool uopi_is_identifier(const char *s, size_t n);

/* ---- inference (infer.c) ---- */

typedef struct uopi_typing {
  uop_ctx *ctx;
  uop_op op;
  const uop *const *src;
  uint32_t n;
  const uop_arg *arg;
  /* the result: */
  uop_dtype dtype;
  uop_space space;
  const uop_tuple *shape; /* one that exists; else NULL, and the dimensions: */
  const int64_t *dims;
  size_t rank;
  int64_t room[UOP_MAX_RANK];
} uopi_typing;

bool uopi_infer(uopi_typing *t); /* false: the op's refusal is in the context */

/* ---- bodies (params.c) and walks (walk.c) ---- */

typedef struct uopi_signature { /* of a body that a CALL can have; slot i's PARAM */
  size_t n;
  const uop *param[1];
} uopi_signature;

/* NULL with the refusal of a CALL in the context; or NULL and *gap where the body's slots are not
 * 0 .. n-1, without an error yet (uopi_call_slots_error makes it). Kept until the body dies. */
const uopi_signature *uopi_signature_of(uop_ctx *ctx, const uop *body, bool *gap);
void uopi_signature_drop(uop_ctx *ctx, uop *body);
void uopi_call_slots_error(uop_ctx *ctx, const uop *body, size_t nargs); /* not 0 .. nargs-1 */

/* Nodes below the roots in depth-first order, sources first. `scoped`: not into CALL bodies.
 * Around: neither the nodes of `stop` nor what is below them. */
bool uopi_walk(uop_ctx *ctx, const uop *const *roots, size_t n, bool scoped, uop_nodes *out);
bool uopi_walk_around(uop_ctx *ctx, const uop *const *roots, size_t n, bool scoped,
                      const uop *const *stop, size_t nstop, uop_nodes *out);

/* ---- scopes (scope.c) ---- */

/* Undoes what was built since: a failed construction leaves nothing behind, its ids included. */
typedef struct uopi_undo {
  size_t nlive;
  uint64_t next_id;
} uopi_undo;
static inline uopi_undo uopi_undo_begin(const uop_ctx *ctx) {
  return (uopi_undo){ctx->nlive, ctx->next_id};
}
void uopi_undo_all(uop_ctx *ctx, uopi_undo u);

/* Around a call of the user's function. The end says whether it left the scopes as they were; ones
 * that it left open are given up: their nodes stay in the scope around them. */
typedef struct uopi_guard {
  size_t begin;
  uint64_t serial;
  uint32_t depth, floor;
} uopi_guard;
uopi_guard uopi_callback_begin(uop_ctx *ctx);
bool uopi_callback_end(uop_ctx *ctx, uopi_guard g);

/* ---- literals and the builder (literal.c, build.c) ---- */

typedef enum uopi_lit_kind { UOPI_LIT_INT, UOPI_LIT_FLOAT, UOPI_LIT_BOOL } uopi_lit_kind;

typedef struct uopi_lit { /* a bare number: what it is depends on what stands beside it */
  uopi_lit_kind kind;
  bool b;
  bool fits;     /* INT: within i32, then `i` */
  bool overflow; /* INT, FLOAT: a finite number beyond f32 */
  int32_t i;
  float f;       /* the nearest f32 */
  int rest;      /* of a C double: the sign of what rounding to f took away */
  bool negative; /* of a C int: its sign and size, for messages */
  uint64_t magnitude;
  const char *text; /* as written, for messages; len 0 where there is no text */
  size_t len;
} uopi_lit;

typedef struct uopi_operand {
  const uop *node; /* NULL: the literal */
  uopi_lit lit;
} uopi_operand;

/* What a text or a builder function names: an op, or sugar that is encoded in ops (sugar.def). */
typedef enum uopi_fn {
  UOPI_FN_FIRST_SUGAR = UOP_OP_COUNT - 1,
#define UOP_SUGAR(NAME, text, arity, doc) UOPI_FN_##NAME,
#include "ir/sugar.def"
#undef UOP_SUGAR
  UOPI_FN_COUNT
} uopi_fn;

typedef struct uopi_sugar {
  const char *name, *text, *doc;
  uint32_t arity;
} uopi_sugar;
extern const uopi_sugar uopi_sugars[]; /* by fn - UOP_OP_COUNT */

const char *uopi_fn_name(int fn); /* as messages have it: ADD, SUB */

/* The literal as a constant of dtype d; UOP_VOID: of the dtype it looks like. op, operand: for the
 * message. */
const uop *uopi_literal(uop_ctx *ctx, const uopi_lit *l, uop_dtype d, int op, int operand);

/* Whether what is named broadcasts its n operands. */
bool uopi_broadcasts(int fn, size_t n);

/* x, of shape (), in another shape. */
const uop *uopi_splat(const uop *x, const uop_tuple *shape);

/* Literals typed, operands broadcast where `fn` does, sugar encoded. All or nothing. */
const uop *uopi_build(uop_ctx *ctx, int fn, const uopi_operand *v, size_t n, const uop_arg *arg);

#endif
