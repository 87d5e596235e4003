/* uop.h - the whole public interface of libuop.
 *
 * libuop is a tensor compiler whose whole IR is one immutable, hash-consed graph node:
 * (op, sources, arg). A program is built through the functions below or read from .uir text, is
 * type-checked as it is built, and can be printed, walked, edited and run.
 *
 * What holds everywhere:
 *  - Two structurally equal nodes of one context are the same pointer. Nodes never change.
 *  - NULL (or false) means an error and nothing else; the first error stays in the context, see
 *    uop_error(). NULL in gives NULL out, so a whole expression is built and checked once.
 *  - The library never exits, aborts, longjmps or prints (uop_dump, for debuggers, alone prints).
 *  - There are no globals. A context belongs to one thread at a time; several threads may read
 *    (walk, print, evaluate) one context that nobody changes, as long as none of them fails: an
 *    error is left in the context. The allocator hook must allow that.
 *  - Nothing recurses on the depth of a graph.
 */
#ifndef UOP_H
#define UOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In front of every function that the library exports. */
#if defined(_WIN32)
#define UOP_API
#elif defined(__GNUC__)
#define UOP_API __attribute__((visibility("default")))
#else
#define UOP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define UOP_VERSION "0.1.0" /* of this header */

/* The version of the library that is linked, e.g. "0.1.0"; compare with UOP_VERSION. */
UOP_API const char *uop_version(void);

/* ---- limits ---- */

#define UOP_MAX_RANK    32 /* axes of a shape: index arithmetic stays on the stack */
#define UOP_MAX_DIM     INT64_C(2147483647) /* one dimension: indices are i32 */
#define UOP_MAX_NUMEL   INT64_C(2147483647) /* elements of a value: offsets are i32 */
#define UOP_MAX_SLOT    INT64_C(2147483647) /* slot of PARAM, BUFFER, ALLOC; idx of RANGE */
#define UOP_MAX_SRC     ((size_t)1 << 26)   /* sources of one node: its size fits 32 bits */
#define UOP_MAX_PINS    UINT32_MAX          /* pins of one node that no unpin has met */
#define UOP_MAX_NAME    255                 /* bytes of a CALL's or a statement's name */
#define UOP_MAX_LINE    ((size_t)1 << 28)   /* bytes of one line of text: columns fit 32 bits */
#define UOP_MAX_NESTING 1000000             /* parentheses open at once in one statement */
#define UOP_MAX_ERRORS  20 /* errors, and again warnings, that one reading reports */

/* ---- dtypes, address spaces, axis kinds ---- */

/* The type of an element. */
typedef enum uop_dtype {
  UOP_VOID,       /* 0 bytes; not a value: the type of an effect */
  UOP_BOOL,       /* 1 byte, 0 or 1 */
  UOP_I32,        /* int32_t; arithmetic wraps */
  UOP_F32,        /* IEEE 754 binary32 */
  UOP_F16,        /* IEEE 754 binary16, held as its bits in a uint16_t */
  UOP_DTYPE_COUNT /* how many there are */
} uop_dtype;

/* Where what a node stands for lives. */
typedef enum uop_space {
  UOP_SPACE_ALU,    /* a plain value; the other spaces are memory */
  UOP_SPACE_GLOBAL, /* device memory, a kernel's argument */
  UOP_SPACE_LOCAL,  /* storage of one call */
  UOP_SPACE_SHARED, /* memory that a GPU's workgroup shares */
  UOP_SPACE_COUNT   /* how many there are */
} uop_space;

/* What becomes of a RANGE: how its iterations are carried out. */
typedef enum uop_axis {
  UOP_AXIS_LOOP,   /* one after the other */
  UOP_AXIS_REDUCE, /* one after the other, into one result */
  UOP_AXIS_UPCAST, /* side by side in a vector, or unrolled */
  UOP_AXIS_THREAD, /* on the threads of a CPU */
  UOP_AXIS_GLOBAL, /* on the workgroups of a GPU */
  UOP_AXIS_LOCAL,  /* on the threads of one workgroup */
  UOP_AXIS_COUNT   /* how many there are */
} uop_axis;

/* Names as .uir spells them ("f32", "global", "loop"); "?" outside the enumeration. */
UOP_API const char *uop_dtype_name(uop_dtype d);
UOP_API const char *uop_space_name(uop_space s);
UOP_API const char *uop_axis_name(uop_axis k);

/* Bytes of one element: 0, 1, 4, 4, 2. */
UOP_API size_t uop_dtype_size(uop_dtype d);

/* ---- ops ---- */

/* clang-format off */
/* What a node does; docs/ops.md has the whole table. */
typedef enum uop_op {
  /* ops: made from src/ir/ops.def by `make generate`; src/ir/ops.c asserts that they agree */
  UOP_CONST, /* a constant of dtype bool, i32 or f32 */
  UOP_PARAM, /* input number `slot` of the enclosing call, or of the program */
  UOP_CALL, /* the value of a body with its params replaced by the arguments */
  UOP_STACK, /* n values of one type along a new leading axis */
  UOP_INDEX, /* takes one leading axis away for each i32 index */
  UOP_CAST, /* converts: f32 to i32 truncates and saturates, to bool is x != 0 */
  UOP_RECIP, /* 1 / x, correctly rounded */
  UOP_ADD, /* a + b; i32 wraps, bool is or */
  UOP_MUL, /* a * b; i32 wraps, bool is and */
  UOP_CMPLT, /* a < b, a bool; false beside a NaN */
  UOP_FLOORDIV, /* a / b rounded toward minus infinity; x // 0 is 0 */
  UOP_FLOORMOD, /* what floordiv leaves, with the divisor's sign; x mod 0 is x */
  UOP_WHERE, /* a where the condition holds, else b; lazy when of shape () */
  UOP_CMPNE, /* a != b, a bool; true beside a NaN */
  UOP_MAX, /* the greater; NaN if either is, and -0.0 < 0.0 */
  UOP_EXP2, /* 2 to the x, at most 2 ulp off */
  UOP_LOG2, /* logarithm to base 2, at most 2 ulp off */
  UOP_SQRT, /* square root, correctly rounded */
  UOP_SIN, /* sine of x radians, at most 2 ulp off */
  UOP_BUFFER, /* global memory of a flat size; never in a call's body */
  UOP_ALLOC, /* local or shared memory of a flat size, of one call */
  UOP_LOAD, /* the contents of memory, as a value */
  UOP_STORE, /* writes a value to memory */
  UOP_AFTER, /* the memory, once the other sources have happened */
  UOP_SINK, /* groups effects: the root of a program */
  UOP_RANGE, /* a loop counter from 0 to below its end */
  UOP_END, /* closes the ranges around its first source */
  UOP_RESHAPE, /* the same elements in another shape */
  UOP_EXPAND, /* repeats along axes of size 1 */
  UOP_PERMUTE, /* reorders the axes */
  UOP_SHRINK, /* a begin and an end along each axis */
  UOP_REDUCE, /* sums, or takes the maximum of, the last `pop` axes */
  UOP_STAGE, /* its source, written out to memory on the way */
  UOP_BARRIER, /* waits for the whole workgroup */
  UOP_WMMA, /* reserved: a tensor core's multiply and add */
  UOP_ASSERT, /* holds when no element of a differs from b's */
  /* end of ops */
  UOP_OP_COUNT /* how many there are */
} uop_op;
/* clang-format on */

/* The sets that an op is in, as bits of uop_op_info.sets. */
enum {
  UOP_SET_UNARY = 1,       /* one source, elementwise: CAST RECIP EXP2 LOG2 SQRT SIN */
  UOP_SET_BINARY = 2,      /* two sources, elementwise: ADD MUL MAX CMPLT CMPNE FLOORDIV FLOORMOD */
  UOP_SET_ALU = 4,         /* UNARY, BINARY and WHERE */
  UOP_SET_COMMUTATIVE = 8, /* ADD MUL MAX CMPNE */
  UOP_SET_MOVEMENT = 16,   /* RESHAPE EXPAND PERMUTE SHRINK */
  UOP_SET_EFFECT = 32      /* always of dtype void: STORE SINK END BARRIER ASSERT */
};

/* A row of the op table: constant, and nobody's to free. */
typedef struct uop_op_info {
  const char *name; /* "ADD" */
  const char *text; /* "add", as .uir spells it */
  uint32_t min_src; /* how many sources it takes at least */
  uint32_t max_src; /* and at most; UOP_MAX_SRC for "any" */
  uint32_t sets;    /* UOP_SET_ bits */
  const char *arg;  /* what the arg holds, in words; "" for none */
  const char *doc;  /* one line */
} uop_op_info;

/* The row of `op` in the op table; NULL outside the enumeration. */
UOP_API const uop_op_info *uop_op_find(uop_op op);

/* ---- contexts ---- */

/* Where nodes live. */
typedef struct uop_ctx uop_ctx;

typedef struct uop uop;

/* One hook for every byte the library uses, as Lua's: `ptr` NULL allocates `new_size` bytes,
 * `new_size` 0 frees, otherwise resizes; `old_size` is what was asked for last. NULL: no memory
 * (never when freeing). Returned memory is aligned for any standard type. */
typedef void *(*uop_alloc_fn)(void *user, void *ptr, size_t old_size, size_t new_size);

/* What a new context is given; zero-initialise. */
typedef struct uop_options {
  uop_alloc_fn alloc; /* NULL: realloc and free */
  void *user;         /* handed to alloc */
  uint64_t max_nodes; /* live nodes at once; 0: no limit */
  uint64_t max_bytes; /* bytes that nodes, names and tables may take; 0: no limit */
} uop_options;

/* A new, empty context; `options` NULL takes the defaults. NULL: out of memory. */
UOP_API uop_ctx *uop_ctx_new(const uop_options *options);

/* Frees the context and every node in it, pinned or not. NULL is fine. */
UOP_API void uop_ctx_free(uop_ctx *ctx);

/* The context that a node belongs to. */
UOP_API uop_ctx *uop_ctx_of(const uop *u);

/* Number of live nodes. */
UOP_API size_t uop_ctx_live(const uop_ctx *ctx);

/* The live nodes, *n of them, by rising id: every node behind its sources. For passes over all of a
 * context, many times faster than a walk. The context's own array: valid until the next node is
 * built or freed, or uop_ctx_trim(). */
UOP_API const uop *const *uop_ctx_nodes(const uop_ctx *ctx, size_t *n);

/* What a context holds. */
typedef struct uop_stats {
  uint64_t nodes;    /* alive */
  uint64_t created;  /* ever; the next node's id */
  uint64_t bytes;    /* that live nodes, their shapes and names take */
  uint64_t reserved; /* that the context holds from its allocator, free room included */
} uop_stats;

/* The numbers of now. Constant time. */
UOP_API uop_stats uop_ctx_stats(const uop_ctx *ctx);

/* Gives room that dead nodes left back to the allocator. Scopes keep it for reuse. */
UOP_API void uop_ctx_trim(uop_ctx *ctx);

/* Walks every invariant of the context (each node's type, hash, place in the unique table, every
 * count). False, with UOP_E_INTERNAL and the invariant named, when one is broken. Linear. */
UOP_API bool uop_ctx_check(uop_ctx *ctx);

/* Frees memory that the library returned to the caller (strings, lists). NULL is fine. */
UOP_API void uop_free(uop_ctx *ctx, void *p);

/* ---- errors ---- */

/* Stable numbers: new ones are added at the end. */
typedef enum uop_code {
  UOP_OK = 0,
  UOP_E_MEMORY = 1,       /* the allocator had none, or the context's byte limit is reached */
  UOP_E_LIMIT = 2,        /* a named limit */
  UOP_E_ARITY = 3,        /* wrong number of sources */
  UOP_E_DTYPE = 4,        /* dtypes that do not fit the op */
  UOP_E_SHAPE = 5,        /* shapes that do not fit the op */
  UOP_E_SPACE = 6,        /* a value where memory is meant, or the wrong memory */
  UOP_E_ARG = 7,          /* an arg that the op cannot have */
  UOP_E_CONTEXT = 8,      /* nodes of two contexts */
  UOP_E_SCOPE = 9,        /* scopes ended out of order, or collected while something runs */
  UOP_E_LITERAL = 10,     /* a number that its dtype cannot hold */
  UOP_E_SYNTAX = 11,      /* text that is no .uir */
  UOP_E_NAME = 12,        /* an undefined or twice defined name */
  UOP_E_INPUT = 13,       /* a run's input is missing or has another type */
  UOP_E_INDEX = 14,       /* a run's index outside its axis */
  UOP_E_ASSERT = 15,      /* an assert that does not hold */
  UOP_E_BUDGET = 16,      /* a run's steps or bytes are used up */
  UOP_E_UNSUPPORTED = 17, /* an op that cannot be run yet */
  UOP_E_FORMAT = 18,      /* data (.npy, a value's text) that cannot be read */
  UOP_E_CALLBACK = 19,    /* a caller's function failed without saying why */
  UOP_E_INTERNAL = 20,    /* a broken invariant: a bug in the library */
  UOP_E_CANCELLED = 21,   /* a run or rewrite that its caller stopped */
  UOP_E_RULE = 22,        /* rewrite rules that change a type, or do not end */
  UOP_W_UNUSED = 100,     /* warnings from here on: a statement that no root reaches */
  UOP_W_INDEX = 101,      /* a constant index outside its axis */
  UOP_W_DIVISION = 102,   /* a FLOORDIV or FLOORMOD by zero */
  UOP_W_RULE = 103        /* a rule that is never tried, or has no comment */
} uop_code;

#define UOP_MAX_MESSAGE 1200 /* bytes: two shapes of full rank and a quoted line fit */

/* An error or a warning. */
typedef struct uop_diag {
  uop_code code;   /* what kind of error it is */
  int op;          /* uop_op concerned, or -1 */
  int operand;     /* index of the source concerned, or -1 */
  uint32_t line;   /* from 1; 0 when there is no text */
  uint32_t column; /* from 1, in bytes; 0 when there is no text */
  uint32_t length; /* bytes of the marked text */
  uint32_t reason; /* where in `message` the part after "line N: '…': " begins */
  const uop *node; /* of a run's or rewrite's error or warning: the node concerned; else NULL */
  char message[UOP_MAX_MESSAGE]; /* "line 3: '%2 = add %0, %1': can't broadcast (2,) with (3,)" */
} uop_diag;

/* Errors and warnings in the order found; zero-initialise, free with uop_diags_free(). */
typedef struct uop_diags {
  uop_diag *at; /* `len` of them */
  size_t len;   /* how many */
  size_t cap;   /* private */
  bool more;    /* some were left out: UOP_MAX_ERRORS */
} uop_diags;

/* The context's first error since it was cleared; never NULL, code UOP_OK where there is none. */
UOP_API const uop_diag *uop_error(const uop_ctx *ctx);

/* Back to UOP_OK, so that the next error is kept. */
UOP_API void uop_error_clear(uop_ctx *ctx);

/* Frees the list, not `d` itself, and leaves it empty. */
UOP_API void uop_diags_free(uop_ctx *ctx, uop_diags *d);

/* ---- the node ---- */

/* A sequence of integers, interned: one pointer per content and context. */
typedef struct uop_tuple {
  uint32_t len;           /* number of integers */
  uint32_t hash;          /* private */
  uint64_t refs;          /* private */
  struct uop_tuple *next; /* private */
  int64_t at[1];          /* `len` of them */
} uop_tuple;

/* Read it, never write it; made only by the functions below. Fields marked private may change. */
struct uop {
  uint64_t id;   /* counts up in its context and is never used again: sources have smaller ones */
  uint32_t nsrc; /* number of sources */
  uint32_t pins; /* private */
  union {
    uint64_t bits;          /* see uop_const_i32() … uop_reduce_axes() below */
    const uop_tuple *tuple; /* RESHAPE, EXPAND: the shape; PERMUTE: the axes;
                               SHRINK: begin0, end0, begin1, … */
    const char *name;       /* CALL: NUL-terminated, interned */
  } arg;                    /* what the op needs to know besides its sources, see uop_arg_of() */
  const uop_tuple *shape;   /* never NULL; of len 0 for scalars and effects */
  uop *users;               /* private */
  uint32_t hash;     /* structural: of op, arg and the sources' hashes; the same everywhere */
  uint8_t dtype;     /* uop_dtype */
  uint8_t space;     /* uop_space */
  uint8_t flags;     /* private */
  uint8_t op;        /* uop_op */
  uop *next;         /* private */
  const uop *src[1]; /* `nsrc` of them */
};

/* The value of a CONST of this dtype, which is not checked. */
static inline bool uop_const_bool(const uop *u) { return u->arg.bits != 0; }
static inline int32_t uop_const_i32(const uop *u) {
  uint32_t b = (uint32_t)u->arg.bits;
  return b < UINT32_C(0x80000000) ? (int32_t)b : -(int32_t)(UINT32_C(0xffffffff) - b) - 1;
}
static inline float uop_const_f32(const uop *u) {
  union {
    uint32_t bits;
    float f;
  } v = {(uint32_t)u->arg.bits};
  return v.f;
}

/* The args of other ops: the slot of a PARAM, BUFFER or ALLOC; the idx and kind of a RANGE; the op
 * and the number of axes of a REDUCE. */
static inline int64_t uop_slot(const uop *u) { return (int64_t)u->arg.bits; }
static inline int64_t uop_range_idx(const uop *u) { return (int64_t)(u->arg.bits & 0xffffffffu); }
static inline uop_axis uop_range_kind(const uop *u) { return (uop_axis)(u->arg.bits >> 32); }
static inline uop_op uop_reduce_op(const uop *u) { return (uop_op)(u->arg.bits >> 32); }
static inline uint32_t uop_reduce_axes(const uop *u) { return (uint32_t)u->arg.bits; }

/* Elements of a value: the product of the shape's dimensions. */
UOP_API int64_t uop_numel(const uop *u);

/* Everything that the ops' args hold, for uop_make(); unused fields are 0. */
typedef struct uop_arg {
  uop_dtype dtype;     /* CONST PARAM BUFFER ALLOC CAST */
  uop_space space;     /* PARAM; ALLOC: LOCAL or SHARED */
  uop_axis kind;       /* RANGE */
  uop_op op;           /* REDUCE: UOP_ADD or UOP_MAX */
  int64_t num;         /* PARAM BUFFER ALLOC: slot; RANGE: idx; REDUCE: number of axes */
  uint64_t bits;       /* CONST: the value; an i32's or f32's 32 bits, a bool's 0 or 1 */
  const int64_t *ints; /* PARAM BUFFER ALLOC: shape; RESHAPE EXPAND PERMUTE SHRINK: the tuple */
  size_t len;          /* number of ints */
  const char *name;    /* CALL */
} uop_arg;

/* The node (op, src[0..n), arg) exactly, without literals or broadcasting: the one door through
 * which every node goes. `arg` NULL stands for all zeros. Borrowed: src, arg and what it points to
 * may go after the call. NULL with the op's refusal:
 * they stand at the builder functions below. */
UOP_API const uop *uop_make(uop_ctx *ctx, uop_op op, const uop *const *src, size_t n,
                            const uop_arg *arg);

/* The arg of `u`, to make a node like it; its pointers stay valid as long as u does. */
UOP_API uop_arg uop_arg_of(const uop *u);

/* `u` with other sources, as many as it has; u itself where they are the same. */
UOP_API const uop *uop_with_src(const uop *u, const uop *const *src);

/* ---- scopes and pins ---- */

/* Nodes live until the scope ends in which they were made; nothing is collected at another time,
 * so a C local needs no rooting. */
typedef struct uop_scope {
  uop_ctx *ctx;          /* private, as are the others */
  size_t begin;          /* private */
  size_t outer;          /* private */
  uint64_t serial;       /* private */
  uint64_t outer_serial; /* private */
  uint32_t depth;        /* private */
} uop_scope;

/* Begins a scope inside of the innermost one. Cannot fail; `ctx` is not NULL. */
UOP_API uop_scope uop_scope_begin(uop_ctx *ctx);

/* Ends the innermost scope: of the nodes made in it, those that keep[0..n) or a pinned node need
 * live on in the enclosing scope, the others are gone. NULLs in keep are passed over. False with
 * UOP_E_SCOPE when `scope` is not the innermost, or was begun outside a running callback. Cannot
 * fail otherwise. */
UOP_API bool uop_scope_end(uop_scope scope, const uop *const *keep, size_t n);

/* Does to the innermost open scope (the whole context where none is open) what its end would, and
 * leaves it open. False with UOP_E_SCOPE while a callback of the library's is running. */
UOP_API bool uop_collect(uop_ctx *ctx, const uop *const *keep, size_t n);

/* Keeps `u` alive past every scope, until as many unpins. False: UOP_E_LIMIT after UOP_MAX_PINS.
 * Unpinning what is not pinned does nothing. NULL is fine. */
UOP_API bool uop_pin(const uop *u);
UOP_API void uop_unpin(const uop *u);

/* ---- side tables keyed by node ---- */

/* node -> 64-bit value, keyed on the node's id, so that an entry of a dead node never answers for
 * a later one. Memory is taken by pages of 1,024 ids when first touched. */
typedef struct uop_map uop_map;

/* A new, empty map, for one thread at a time. NULL: out of memory. */
UOP_API uop_map *uop_map_new(uop_ctx *ctx);

/* Before its context is freed. NULL is fine. */
UOP_API void uop_map_free(uop_map *m);

/* Puts `key` in, over what was there. False: out of memory. */
UOP_API bool uop_map_set(uop_map *m, const uop *key, uint64_t value);

/* What `key` has, in *value. False: it is not there. */
UOP_API bool uop_map_get(const uop_map *m, const uop *key, uint64_t *value);

/* Takes `key` out, if it is there. */
UOP_API void uop_map_remove(uop_map *m, const uop *key);

/* Number of entries, and the bytes that the map takes now. */
UOP_API size_t uop_map_len(const uop_map *m);
UOP_API size_t uop_map_bytes(const uop_map *m);

/* Values that are nodes. A map that outlives a scope registers itself: then every entry whose key
 * or value (a node or NULL) dies is dropped just before. */
UOP_API bool uop_map_set_node(uop_map *m, const uop *key, const uop *value);
UOP_API const uop *uop_map_get_node(const uop_map *m, const uop *key); /* NULL: not there */
UOP_API void uop_map_register(uop_map *m); /* until uop_map_free; its values must be nodes */

/* ---- the builder ---- */

/* Which of its members a uop_val holds. */
typedef enum uop_val_kind {
  UOP_VAL_NODE,  /* as.node, NULL included */
  UOP_VAL_INT,   /* as.i */
  UOP_VAL_UINT,  /* as.u */
  UOP_VAL_FLOAT, /* as.f */
  UOP_VAL_BOOL   /* as.b */
} uop_val_kind;

/* An operand: a node, or a C number that stands for a constant. A number takes the dtype of the
 * first operand beside it that is a node (in a CALL, of its parameter): beside f32 any number
 * becomes the nearest f32; beside f16 a CAST of it; beside i32 a float is refused; beside bool
 * only 0 and 1 become bool (C11's true is the int 1; a bool variable stays bool). Where all are
 * numbers, or dtypes need not agree, an integer is i32, a float or double f32, a bool bool. */
typedef struct uop_val {
  uop_val_kind kind; /* which of these it is */
  union {
    const uop *node; /* borrowed; NULL stands for an operand that could not be made */
    int64_t i;       /* any signed integer */
    uint64_t u;      /* any unsigned integer */
    double f;        /* a float or double */
    bool b;          /* a bool */
  } as;              /* the operand */
} uop_val;

/* Operands of each kind, as UOP_V() makes them; uop_val_null is for a NULL of any pointer type. */
static inline uop_val uop_val_node(const uop *u) {
  uop_val v;
  v.kind = UOP_VAL_NODE;
  v.as.node = u;
  return v;
}
static inline uop_val uop_val_null(const void *p) {
  (void)p;
  return uop_val_node(NULL);
}
static inline uop_val uop_val_int(int64_t i) {
  uop_val v;
  v.kind = UOP_VAL_INT;
  v.as.i = i;
  return v;
}
static inline uop_val uop_val_uint(uint64_t u) {
  uop_val v;
  v.kind = UOP_VAL_UINT;
  v.as.u = u;
  return v;
}
static inline uop_val uop_val_float(double f) {
  uop_val v;
  v.kind = UOP_VAL_FLOAT;
  v.as.f = f;
  return v;
}
static inline uop_val uop_val_bool(bool b) {
  uop_val v;
  v.kind = UOP_VAL_BOOL;
  v.as.b = b;
  return v;
}

/* Constants of shape (). uop_const: a number as a constant of dtype `d` (of f16: a CAST of an f32
 * one). UOP_E_LITERAL when `d` cannot hold it, UOP_E_ARG when it is a node. */
UOP_API const uop *uop_const_of_i32(uop_ctx *ctx, int32_t v);
UOP_API const uop *uop_const_of_f32(uop_ctx *ctx, float v);
UOP_API const uop *uop_const_of_bool(uop_ctx *ctx, bool v);
UOP_API const uop *uop_const(uop_ctx *ctx, uop_dtype d, uop_val v);

/* A number with the dtype and, by RESHAPE and EXPAND, the shape of `like`. */
UOP_API const uop *uop_const_like(const uop *like, uop_val v);

/* Leaves of any dtype but void: UOP_E_DTYPE. Slots are 0 to UOP_MAX_SLOT, and two leaves of a slot
 * may differ in type. A param has the shape dims[0..rank), which may go after the call; `dims` may
 * be NULL where rank is 0. It is a value, or by uop_param_in memory of `space`. A buffer is global
 * memory, an alloc local or shared memory, of `size` elements, at least 1, and of shape (size,).
 * UOP_E_ARG, UOP_E_SHAPE, UOP_E_SPACE, UOP_E_LIMIT. */
UOP_API const uop *uop_param(uop_ctx *ctx, int64_t slot, uop_dtype d, const int64_t *dims,
                             size_t rank);
UOP_API const uop *uop_param_in(uop_ctx *ctx, int64_t slot, uop_dtype d, const int64_t *dims,
                                size_t rank, uop_space space);
UOP_API const uop *uop_buffer(uop_ctx *ctx, int64_t slot, uop_dtype d, int64_t size);
UOP_API const uop *uop_alloc(uop_ctx *ctx, int64_t slot, uop_dtype d, int64_t size,
                             uop_space space);

/* Elementwise. Where uop_val stands a C number may be written (macros below). Operands broadcast
 * as numpy's do: at most a RESHAPE that adds leading 1s and then an EXPAND. At least one operand is
 * a node: numbers alone have no context, and give NULL. Result: the first operand's dtype, for
 * comparisons bool, for uop_where that of a and b, for uop_assert an effect. Refused: shapes that
 * do not broadcast (UOP_E_SHAPE); operands of two dtypes, which CAST makes one (UOP_E_DTYPE);
 * floordiv and floormod of other than i32, recip, exp2, log2, sqrt and sin of other than floats,
 * and, or, not and a where's condition of other than bool (UOP_E_DTYPE). Encodings (there is no
 * SUB, NEG, DIV, EQ …): neg x    = mul x -1                       sub a b  = add a (neg b) gt a b
 * = cmplt b a                      eq a b   = cmpne (cmpne a b) true ge a b   = cmpne (cmplt a b)
 * true         le a b   = ge b a floats: max (cmplt b a) (eq a b) min a b  = where (cmplt a b) a b
 * and, or  = mul, max of bools floats: neg (max (neg a) (neg b)); bool: mul not x    = cmpne x true
 * relu x   = max x 0 */
UOP_API const uop *uop_add(uop_val a, uop_val b);
UOP_API const uop *uop_sub(uop_val a, uop_val b);
UOP_API const uop *uop_mul(uop_val a, uop_val b);
UOP_API const uop *uop_floordiv(uop_val a, uop_val b);
UOP_API const uop *uop_floormod(uop_val a, uop_val b);
UOP_API const uop *uop_max(uop_val a, uop_val b);
UOP_API const uop *uop_min(uop_val a, uop_val b);
UOP_API const uop *uop_lt(uop_val a, uop_val b);
UOP_API const uop *uop_gt(uop_val a, uop_val b);
UOP_API const uop *uop_le(uop_val a, uop_val b);
UOP_API const uop *uop_ge(uop_val a, uop_val b);
UOP_API const uop *uop_eq(uop_val a, uop_val b);
UOP_API const uop *uop_ne(uop_val a, uop_val b);
UOP_API const uop *uop_and(uop_val a, uop_val b);
UOP_API const uop *uop_or(uop_val a, uop_val b);
UOP_API const uop *uop_assert(uop_val a, uop_val b);
UOP_API const uop *uop_where(const uop *cond, uop_val a, uop_val b);
UOP_API const uop *uop_neg(const uop *x);
UOP_API const uop *uop_not(const uop *x);
UOP_API const uop *uop_relu(const uop *x);
UOP_API const uop *uop_recip(const uop *x);
UOP_API const uop *uop_exp2(const uop *x);
UOP_API const uop *uop_log2(const uop *x);
UOP_API const uop *uop_sqrt(const uop *x);
UOP_API const uop *uop_sin(const uop *x);
UOP_API const uop *uop_cast(const uop *x, uop_dtype d); /* x itself where d is its dtype */

/* Arrays. Stack: n values of one dtype and shape s become one of shape (n, …s); n is at least 1.
 * Index: n indices, i32 of shape (), take the n leading axes of x away; of memory the result is
 * memory. UOP_E_ARITY, UOP_E_SHAPE, UOP_E_DTYPE. An index outside its axis is found when it is run.
 */
UOP_API const uop *uop_stack_n(uop_ctx *ctx, const uop_val *v, size_t n);
UOP_API const uop *uop_index_n(const uop *x, const uop_val *i, size_t n);

/* Movement and reduction; dtype and space stay. Reshape: to a shape of as many elements. Expand: as
 * many axes, those of size 1 to any size. Permute: axis i of the result is axis axes[i] of x.
 * Shrink: of each of x's n axes what lies from begin to below end; 2 n integers. Reduce: UOP_ADD or
 * UOP_MAX over the last `axes` axes, which go; a value. UOP_E_SHAPE of reshape and expand, else
 * UOP_E_ARG. */
UOP_API const uop *uop_reshape(const uop *x, const int64_t *dims, size_t n);
UOP_API const uop *uop_expand(const uop *x, const int64_t *dims, size_t n);
UOP_API const uop *uop_permute(const uop *x, const int64_t *axes, size_t n);
UOP_API const uop *uop_shrink(const uop *x, const int64_t *pairs, size_t n);
UOP_API const uop *uop_reduce(const uop *x, uop_op op, int64_t axes);

/* Functions: the value of `body` with PARAM slot i replaced by args[i], which has that PARAM's
 * type; its n slots are 0 to n - 1. `name` is an identifier of at most UOP_MAX_NAME bytes, copied.
 * UOP_E_ARG, and UOP_E_DTYPE where an arg's type is another, be it in its shape. */
UOP_API const uop *uop_call_n(const uop *body, const char *name, const uop_val *args, size_t n);

/* Memory, effects and loops. `mem` is memory: UOP_E_SPACE. Load: its contents, of its dtype and
 * shape. Store: an effect that writes a value of its dtype and shape. After: `mem` once deps have
 * happened. Sink, barrier: an effect. Range: an i32 from 0 to below `end`, which is i32 of shape
 * (). End: an effect that closes ranges, each a RANGE: UOP_E_ARG. Stage: x, of its type. Wmma: of
 * the type of `acc`. uop_after and uop_end hand back their first source where n is 0. */
UOP_API const uop *uop_load(const uop *mem);
UOP_API const uop *uop_store(const uop *mem, uop_val value);
UOP_API const uop *uop_after(const uop *mem, const uop *const *deps, size_t n);
UOP_API const uop *uop_sink(uop_ctx *ctx, const uop *const *src, size_t n);
UOP_API const uop *uop_barrier(uop_ctx *ctx, const uop *const *src, size_t n);
UOP_API const uop *uop_range(uop_ctx *ctx, uop_val end, int64_t idx, uop_axis kind);
UOP_API const uop *uop_end(const uop *x, const uop *const *ranges, size_t n);
UOP_API const uop *uop_stage(const uop *x);
UOP_API const uop *uop_wmma(const uop *a, const uop *b, const uop *acc);

/* ---- walking and editing ---- */

/* A list of nodes; zero-initialise, free with uop_nodes_free(). */
typedef struct uop_nodes {
  const uop **at; /* `len` of them */
  size_t len;     /* how many */
  size_t cap;     /* private */
} uop_nodes;

/* Frees the list, not `l` itself, and leaves it empty. The nodes live on. */
UOP_API void uop_nodes_free(uop_ctx *ctx, uop_nodes *l);

/* Each of these replaces what `out` held; false: out of memory, `out` is empty. */

/* Every node below the roots and they themselves: sources first, left to right, each once. */
UOP_API bool uop_toposort(uop_ctx *ctx, const uop *const *roots, size_t n, uop_nodes *out);

/* The RANGEs below `root`, by (idx, kind, place in toposort). */
UOP_API bool uop_ranges(const uop *root, uop_nodes *out);

/* The PARAMs that belong to `body`, in toposort order: a nested CALL's body is its own scope and is
 * not looked into, its arguments are. */
UOP_API bool uop_call_params(const uop *body, uop_nodes *out);

/* The PARAMs and BUFFERs that a run of the roots may ask for: as uop_call_params, of all roots. */
UOP_API bool uop_inputs(uop_ctx *ctx, const uop *const *roots, size_t n, uop_nodes *out);

/* `root` with from[i] replaced by to[i], by identity, everywhere, CALL bodies included; what does
 * not change is reused. NULL with the refusal of the first node that cannot be rebuilt. */
UOP_API const uop *uop_substitute(const uop *root, const uop *const *from, const uop *const *to,
                                  size_t n);

/* What uop_wrap() calls for a target, with the `user` it was given. NULL: an error. */
typedef const uop *(*uop_wrap_fn)(void *user, const uop *u);

/* Rebuilds bottom-up: each target t becomes fn(user, t'), t' being t with its sources already
 * rebuilt. out[i] is what roots[i] became (out may be roots' own array). A NULL from fn ends it:
 * false, with fn's error in the context or UOP_E_CALLBACK. fn may build nodes; it may end only
 * scopes that it began. What was built on the way stays until its scope ends, also on errors. */
UOP_API bool uop_wrap(uop_ctx *ctx, const uop *const *roots, size_t n, const uop *const *targets,
                      size_t ntargets, uop_wrap_fn fn, void *user, const uop **out);

/* The value of `call`, a CALL, as a graph without it: its body with all its parameters replaced at
 * once. CALLs inside the body stay. UOP_E_ARG when `call` is no CALL. */
UOP_API const uop *uop_inline_call(const uop *call);

/* `root` rebuilt in `ctx`; root itself where it lives there. */
UOP_API const uop *uop_copy(uop_ctx *ctx, const uop *root);

/* How large a graph is. */
typedef struct uop_counts {
  uint64_t nodes;               /* distinct */
  uint64_t ops;                 /* of those, neither CONST nor PARAM */
  uint64_t tree;                /* nodes of the graph written as a tree; UINT64_MAX from 2^63 on */
  double tree_log10;            /* its decimal logarithm */
  uint64_t depth;               /* edges on the longest path */
  uint64_t by_op[UOP_OP_COUNT]; /* nodes of each op */
} uop_counts;

/* Of all roots together; `tree` sums the roots' trees. False: out of memory. */
UOP_API bool uop_count(uop_ctx *ctx, const uop *const *roots, size_t n, uop_counts *out);

/* Numbers that follow each other. Of a bool, false is 0 and true 1. */
typedef struct uop_interval {
  int64_t lo; /* the least, which belongs to it */
  int64_t hi; /* the greatest, too; not less than lo */
} uop_interval;

/* An interval that has every value that an element of `u`, an i32 or bool, can have, whatever the
 * inputs are; sound for arithmetic that wraps. `memo`, a uop_map_new() for this alone, makes many
 * questions cost what one does; it may be NULL. UOP_E_DTYPE for another dtype; UOP_E_CONTEXT. Which
 * ops' intervals are the least ones is said in src/graph/bounds.c. */
UOP_API bool uop_bounds(uop_map *memo, const uop *u, uop_interval *out);

/* An estimate of what running a graph takes; both stop at UINT64_MAX. */
typedef struct uop_cost {
  uint64_t work;  /* in additions: elements by the op's weight */
  uint64_t bytes; /* read and written, if each result is stored */
} uop_cost;

/* Of all roots together: each node once, a CALL's body for each CALL. The model is in
 * src/graph/cost.c. False: out of memory, UOP_E_CONTEXT. */
UOP_API bool uop_cost_of(uop_ctx *ctx, const uop *const *roots, size_t n, uop_cost *out);

/* ---- text ---- */

/* A statement of a program. */
typedef struct uop_stmt {
  const char *name;  /* without the %; not NUL-terminated; NULL for an assert without a name */
  uint32_t name_len; /* bytes of the name */
  uint32_t line;     /* where the statement begins: its line, from 1 */
  uint32_t column;   /* and its first byte there, from 1 */
  uint32_t length;   /* bytes of it, without blanks and comment */
  const uop *node;   /* what it stands for */
  uint64_t ids;      /* private */
} uop_stmt;

/* What was read, for reading only. */
typedef struct uop_program {
  uop_ctx *ctx;      /* where its nodes live */
  const uop *result; /* of the last named statement; of the last one where all are asserts */
  uop_stmt *stmts;   /* in the order of the text */
  size_t nstmts;     /* how many */
  uop_nodes asserts; /* every ASSERT, in the order built: each is a root */
  uop_nodes roots;   /* asserts and then the result, each once */
  char *text;        /* a copy of the text; NUL-terminated */
  size_t len;        /* bytes of it */
  uint64_t first_id; /* private */
  bool has_index;    /* private */
} uop_program;

/* Reads .uir text (docs/uir.md). The nodes belong to `ctx`, the program to the caller. On
 * errors NULL, the first one in the context, and, where `diags` is not NULL, the first
 * UOP_MAX_ERRORS of them appended to it: a statement that uses a name whose statement failed is
 * passed over silently. Clears the context's error first. `text` need not end in a NUL. */
UOP_API uop_program *uop_program_parse(uop_ctx *ctx, const char *text, size_t len,
                                       uop_diags *diags);

/* Frees the program and its text; its nodes live on. NULL is fine. */
UOP_API void uop_program_free(uop_program *p);

/* Warnings, at most UOP_MAX_ERRORS appended: statements that no root reaches, constant indices
 * outside their axis. False: out of memory. */
UOP_API bool uop_program_check(const uop_program *p, uop_diags *diags);

/* The statement whose text made `u`, NULL where none did. */
UOP_API const uop_stmt *uop_program_find(const uop_program *p, const uop *u);

/* The result of a program, in one call. */
UOP_API const uop *uop_parse(uop_ctx *ctx, const char *text, size_t len);

/* Canonical text; the caller frees it with uop_free(). Reading it back gives the same nodes, by
 * pointer. NULL: out of memory. `len` may be NULL. */
UOP_API char *uop_print(const uop *root, size_t *len);
UOP_API char *uop_program_print(const uop_program *p, size_t *len);

/* The same of several roots, as of a program's, rewritten: the last one is the result, ASSERTs that
 * no other node uses are lines without a name. A root that stands there twice is printed once,
 * NULLs are passed over. "" for no root; NULL: out of memory, UOP_E_CONTEXT. */
UOP_API char *uop_print_roots(uop_ctx *ctx, const uop *const *roots, size_t n, size_t *len);

/* The graph as one nested expression, which can be exponentially long, into buf[0..cap), cut with
 * "..." and always NUL-terminated (cap 0 writes nothing). Returns the length written. */
UOP_API size_t uop_repr(const uop *root, char *buf, size_t cap);

/* For a debugger: prints `root` to standard error. */
UOP_API void uop_dump(const uop *root);

#define UOP_DOT_FOLD 200 /* a picture of more nodes folds long runs of like nodes into one */

/* Graphviz DOT of all nodes below the roots: sources on top. `p` may be NULL; it gives nodes their
 * names. Freed with uop_free(). */
UOP_API char *uop_dot(uop_ctx *ctx, const uop *const *roots, size_t n, const uop_program *p,
                      size_t *len);

/* What a picture is given; zero-initialise. The functions get `user`, may be NULL, and may build no
 * nodes. `note` gives a node's label one more line, which is copied; NULL: none. `box` is told of
 * box n<number>: its node, or all of a folded run, of which the last comes first. The number is the
 * node's place in uop_toposort() of the roots, whatever is folded. */
typedef struct uop_dot_options {
  const uop_program *program; /* NULL, or what gives nodes their names */
  const uop *const *open;     /* nodes whose runs are not folded; NULLs are passed over */
  size_t nopen;               /* how many */
  const char *(*note)(void *user, const uop *u);                             /* of any text */
  void (*box)(void *user, size_t number, const uop *const *nodes, size_t n); /* of each box */
  void *user;                                                                /* handed to both */
} uop_dot_options;

/* The same with options, which may be NULL. */
UOP_API char *uop_dot_with(uop_ctx *ctx, const uop *const *roots, size_t n,
                           const uop_dot_options *options, size_t *len);

/* What a box of the picture says of the arg of `u`, as .uir writes it: "slot=0", "(2, 3)", "op=add
 * pop=1", "2.5" of a CONST; nothing of dtype and shape, which stand below. "" for none. Freed with
 * uop_free(). */
UOP_API char *uop_print_arg(const uop *u, size_t *len);

/* ---- rewriting ---- */

#define UOP_MAX_RULES      4096 /* of one uop_rules: every node is tried on those of its op */
#define UOP_MAX_RULE_TERMS 100  /* of one side of a rule: the matcher's registers are bytes */
#define UOP_MAX_RULE_DEPTH 32   /* parentheses open at once in a rule: the reader's C stack */
#define UOP_MAX_REWRITES   16   /* rewrites by functions of rewrites by …: the C stack */

/* A list of rewrite rules, in the order in which they are tried; the first that applies to a node
 * replaces it. For one context and one thread at a time. docs/rewriting.md teaches the language. */
typedef struct uop_rules uop_rules;

/* What a C function of a rule is called with. */
typedef struct uop_rule_call {
  uop_ctx *ctx;           /* where the nodes live */
  const uop *root;        /* the node that the rule would replace */
  const uop *const *args; /* of (!name x y): what x and y stand for; of a rule in C: none */
  size_t nargs;           /* how many */
  void *user;             /* given with the function */
  void *pass;             /* given with the rewrite */
  uop_map *bounds;        /* a memo for uop_bounds(), of this rewrite */
} uop_rule_call;

/* Sets *out to what replaces call->root (of (!name …): to what this term stands for), or leaves it
 * NULL: the rule does not apply. False, or an error left in the context, ends the rewrite. It may
 * build nodes and rewrite; it may end only scopes that it began, and not collect. */
typedef bool (*uop_rule_fn)(const uop_rule_call *call, const uop **out);

/* A new, empty list. NULL: out of memory. */
UOP_API uop_rules *uop_rules_new(uop_ctx *ctx);

/* Before its context; NULL is fine. While it rewrites, as in a function of one of its rules, it is
 * freed at that rewrite's end. */
UOP_API void uop_rules_free(uop_rules *r);

/* Adds the rules of a text at the end; it is copied. Errors and warnings (a rule that an earlier
 * one always keeps from being tried; one without a comment that says why it holds) are appended to
 * `diags`, at most UOP_MAX_ERRORS of either, unless it is NULL. With an error nothing is added and
 * the result is false, the first error in the context. Clears the context's error first. */
UOP_API bool uop_rules_add_text(uop_rules *r, const char *text, size_t len, uop_diags *diags);

/* Lets texts that are added from now on call `fn` as (!name …). UOP_E_NAME for a second one of the
 * name, or none that is an identifier. */
UOP_API bool uop_rules_define(uop_rules *r, const char *name, uop_rule_fn fn, void *user);

/* Adds a rule in C, which is tried on nodes of these ops; on all where `ops` is NULL. `name` and
 * `about`, which may be NULL, are copied. UOP_E_NAME as above, UOP_E_LIMIT. */
UOP_API bool uop_rules_add_fn(uop_rules *r, const char *name, const char *about, const uop_op *ops,
                              size_t nops, uop_rule_fn fn, void *user);

/* The sets that are built in, and the rules of one of them, added at the end; "simplify" stands for
 * all that hold for every value and belong together: all but inline and inexact. NULL past the last
 * one; UOP_E_NAME. */
UOP_API const char *uop_rule_set_name(size_t i);
UOP_API bool uop_rules_add_set(uop_rules *r, const char *name);

/* Lets texts that are added from now on call what built-in sets call in C: (!fold). UOP_E_NAME for
 * a name that is defined already. */
UOP_API bool uop_rules_define_builtin(uop_rules *r);

/* A rule, for reading. Its strings live as long as the list. */
typedef struct uop_rule_info {
  const char *name;    /* an identifier; no two rules of a text share one */
  const char *comment; /* why it holds; "" for none */
  const char *text;    /* from the name on, as it was written; "" for a rule in C */
  const char *set;     /* the name of the set that it is from; "" for a text's or C's own */
  uint32_t line;       /* where the text begins; 0: in C */
  uint64_t hits;       /* replacements that it made so far */
} uop_rule_info;

/* How many rules there are, and the i-th. False: there is none. */
UOP_API size_t uop_rules_len(const uop_rules *r);
UOP_API bool uop_rules_get(const uop_rules *r, size_t i, uop_rule_info *out);

/* In which order nodes are tried, each at most once; all of them also in CALL bodies. */
typedef enum uop_rewrite_order {
  UOP_BOTTOM_UP, /* sources first; what replaces a node is rewritten in turn, until nothing applies
                  */
  UOP_TOP_DOWN,  /* a node first, until nothing applies to it; then its sources, which it gets back
                    rewritten, without being tried again */
  UOP_ONE_PASS   /* sources first; what replaces a node is left as it is */
} uop_rewrite_order;

/* A replacement: each node of `before` that a rule replaces is told of once. */
typedef struct uop_rewrite_step {
  const char *rule;  /* its name */
  const uop *before; /* a node, with its sources rewritten already unless UOP_TOP_DOWN; of "gather":
                        as it was before all of this pass */
  const uop *after;  /* and what it becomes */
} uop_rewrite_step;

/* What a rewrite is given; zero-initialise. */
typedef struct uop_rewrite_options {
  uop_rewrite_order order; /* UOP_BOTTOM_UP unless given */
  uint64_t max_steps;      /* replacements; 0: UOP_REWRITE_STEPS and UOP_REWRITE_STEPS_A_NODE */
  uop_map *origins;        /* NULL, or a uop_map_new(): gets, for each node that comes in, made or
                              found, the one of the given graph that it comes from; see uop_origin() */
  void *pass;              /* handed to the rules' functions */
  bool (*trace)(void *user, const uop_rewrite_step *step); /* NULL, or called after each step, under
                                                              a rule function's restrictions; false
                                                              ends it: UOP_E_CANCELLED */
  void *user;                                              /* handed to trace */
} uop_rewrite_options;

/* Enough for every rule set that ends, and soon reached by one that does not. */
#define UOP_REWRITE_STEPS        10000
#define UOP_REWRITE_STEPS_A_NODE 100

/* What the rules make of the roots; out[i] of roots[i], NULLs apart (out may be roots' own array).
 * `options` may be NULL. A CALL's body stays as it is where rules would take a parameter out of it.
 * Memory that replaces a value is loaded. False with the error: a replacement that has another
 * dtype, shape or space than what it replaces (UOP_E_RULE, which names the rule); rules that answer
 * each other for ever, or are not done within max_steps (UOP_E_RULE, with their names); a rule's
 * own, with its name in front; that of a node which refuses what its sources became; rewrites
 * inside of each other's functions (UOP_E_LIMIT, UOP_MAX_REWRITES). What was built on the way stays
 * until its scope ends. Clears the context's error first. */
UOP_API bool uop_rewrite(uop_rules *r, const uop *const *roots, size_t n,
                         const uop_rewrite_options *options, const uop **out);

/* Rewrites bottom-up with the rules, and gathers sums and products of i32 (like terms, common
 * factors, constants, each in one order; operands of what is over them too, where they may be
 * swapped), in turns, until neither changes anything: what
 * uop_rules_add_set(r, "simplify") is for. Options, restrictions and errors are as for
 * uop_rewrite(), but for the order; gathering is traced as rule "gather". The result has the same
 * values, bit for bit, may lack errors of the run, and costs no more work (uop_cost_of) than the
 * roots. */
UOP_API bool uop_simplify(uop_rules *r, const uop *const *roots, size_t n,
                          const uop_rewrite_options *options, const uop **out);

/* The node that `u` comes from, through all rewrites that recorded in `origins`; u itself where it
 * is not there. */
UOP_API const uop *uop_origin(const uop_map *origins, const uop *u);

/* ---- running ---- */

/* An array, or of rank 0 a number. */
typedef struct uop_value {
  uop_dtype dtype;            /* UOP_VOID: the value of an effect */
  uint32_t rank;              /* number of axes */
  int64_t dims[UOP_MAX_RANK]; /* `rank` of them */
  int64_t count;              /* elements: the product of dims */
  void *data;                 /* the first element; uop_dtype_size bytes each */
  const int64_t *strides;     /* of each axis, in elements; NULL: row-major, without gaps */
} uop_value;

/* An evaluation, with what it was given and what it has computed. */
typedef struct uop_run uop_run;

/* What a run has cost. */
typedef struct uop_run_stats {
  uint64_t nodes;      /* evaluations of a node, in each call anew; those fused count as one */
  uint64_t steps;      /* elements computed; 1 for a view */
  uint64_t bytes;      /* of values alive now, and past 1 MiB of what the run itself needs */
  uint64_t peak_bytes; /* and at most so far */
} uop_run_stats;

/* What an op has cost in a run. */
typedef struct uop_op_cost {
  uint64_t calls;    /* nodes */
  uint64_t elements; /* computed; of a REDUCE: read */
  uint64_t bytes;    /* of the results */
  double seconds;    /* by the run's clock */
} uop_op_cost;

/* What a new run is given; zero-initialise. The functions get `user`, and may be NULL. `warn` is
 * called when nothing is under way, and may evaluate. In the others, this run can be cancelled and
 * its stats read, and no node may die: uop_run_eval() and uop_run_want() refuse (UOP_E_ARG),
 * uop_run_reset() does nothing. */
typedef struct uop_run_options {
  uint64_t max_steps;                          /* elements computed; 0: UOP_DEFAULT_STEPS */
  uint64_t max_bytes;                          /* of values alive at once; 0: UOP_DEFAULT_BYTES */
  void (*warn)(void *user, const uop_diag *w); /* NULL: warnings are dropped. Each division node
                                                  that met a zero warns once */
  void *user;                                  /* handed to warn, progress, clock */
  bool (*progress)(void *user, const uop_run_stats *now); /* called every some millions of elements;
                                                             false cancels the run */
  double (*clock)(void *user); /* seconds since whenever; with it uop_run_get_cost() knows more */
} uop_run_options;

#define UOP_DEFAULT_STEPS (UINT64_C(1) << 33) /* about a minute of a laptop's time */
#define UOP_DEFAULT_BYTES (UINT64_C(1) << 31) /* 2 GiB: half of a small laptop's memory */

/* A run keeps what it was asked for until it is freed or reset; other values go after their last
 * use. `options` may be NULL. NULL: out of memory. */
UOP_API uop_run *uop_run_new(uop_ctx *ctx, const uop_run_options *options);
UOP_API void uop_run_free(uop_run *r); /* NULL is fine */

/* Forgets inputs, values and stats, and keeps room and plans: for the same program with other
 * inputs. What uop_run_eval() handed out goes. */
UOP_API void uop_run_reset(uop_run *r);

/* Gives PARAM or BUFFER `slot` its value. `v->data` and `v->strides` are borrowed until the run is
 * freed or reset; with _copy they are not. UOP_E_INPUT; a value that was used cannot be changed. */
UOP_API bool uop_run_set(uop_run *r, uop_op op, int64_t slot, const uop_value *v);
UOP_API bool uop_run_set_copy(uop_run *r, uop_op op, int64_t slot, const uop_value *v);

/* Says what will be asked for, so that the first uop_run_eval() of one of these keeps what the
 * others need, and each node is computed at most once. roots[i] NULL is passed over. Without it,
 * what two roots share is computed for each, but for numbers made of numbers alone. */
UOP_API bool uop_run_want(uop_run *r, const uop *const *roots, size_t n);

/* The value of `u`; out->data and out->strides belong to the run. A view, such as a PERMUTE of an
 * input, has strides and shares its memory: see uop_value_pack(). NaNs are 0x7fc00000 (f16 0x7e00).
 * `out` may be NULL. False with the error in the context, which is cleared first; others of its
 * nodes may be asked for nevertheless. Nodes that die meanwhile do no harm: what was kept of them
 * is forgotten. */
UOP_API bool uop_run_eval(uop_run *r, const uop *u, uop_value *out);

/* Ends what the run is doing with UOP_E_CANCELLED, and all that it is asked until it is reset. May
 * be called from any thread and from a signal handler. */
UOP_API void uop_run_cancel(uop_run *r);

/* The numbers of now. */
UOP_API uop_run_stats uop_run_get_stats(const uop_run *r);

/* What `op` has cost so far. False: the run has no clock, or there is no such op. */
UOP_API bool uop_run_get_cost(const uop_run *r, uop_op op, uop_op_cost *out);

/* A copy of `v` in row-major order without gaps, to be freed with uop_value_free(). */
UOP_API bool uop_value_pack(uop_ctx *ctx, const uop_value *v, uop_value *out);

/* Frees a value's data, not `v` itself. For values that the functions below made: those own their
 * data. */
UOP_API void uop_value_free(uop_ctx *ctx, uop_value *v);

/* "5", "[1, 2, 3]", "[[1.0], [nan]]" as a value of dtype `d`; UOP_E_FORMAT, UOP_E_LITERAL. */
UOP_API bool uop_value_parse(uop_ctx *ctx, const char *text, size_t len, uop_dtype d,
                             uop_value *out);

/* As `uopc run` prints it: 25, [1.0, 2.0]; of rank 2 and more as numpy's repr lays it out, a row a
 * line and the columns aligned. `indent` is the column in which the text will stand, for its
 * further lines. Arrays of more than 1,000 elements are shortened in the middle of each long axis
 * unless `full`; what is not reads back with uop_value_parse(). Freed with uop_free(). */
UOP_API char *uop_value_print(uop_ctx *ctx, const uop_value *v, bool full, uint32_t indent);

/* Reproducible data for an input: from `seed`, the op and the slot by splitmix64 (Steele, Lea and
 * Flood, OOPSLA 2014). f32, f16: uniform multiples of 2^-11 in [-1, 1); i32: -100..100; bool. */
UOP_API bool uop_value_fill(const uop *input, uint64_t seed, uop_value *out);

/* numpy's .npy (format versions 1.0, 2.0 and 3.0): bool, i4, f4, f2, either byte order, C or
 * Fortran order. UOP_E_FORMAT says what is wrong. */
UOP_API bool uop_npy_read(uop_ctx *ctx, const void *bytes, size_t len, uop_value *out);
UOP_API void *uop_npy_write(uop_ctx *ctx, const uop_value *v, size_t *len); /* uop_free() */

#ifdef __cplusplus
} /* extern "C" */
#endif

/* ---- numbers as operands ---- */

/* UOP_V(x): x, a node or any C number, as a uop_val. NULL must be a pointer (in C++: nullptr). */
#ifdef __cplusplus
static inline uop_val uop_v(const uop *u) { return uop_val_node(u); }
static inline uop_val uop_v(decltype(nullptr)) { return uop_val_node(nullptr); }
static inline uop_val uop_v(uop_val v) { return v; }
static inline uop_val uop_v(bool v) { return uop_val_bool(v); }
static inline uop_val uop_v(char v) { return uop_val_int(v); }
static inline uop_val uop_v(signed char v) { return uop_val_int(v); }
static inline uop_val uop_v(unsigned char v) { return uop_val_uint(v); }
static inline uop_val uop_v(short v) { return uop_val_int(v); }
static inline uop_val uop_v(unsigned short v) { return uop_val_uint(v); }
static inline uop_val uop_v(int v) { return uop_val_int(v); }
static inline uop_val uop_v(unsigned v) { return uop_val_uint(v); }
static inline uop_val uop_v(long v) { return uop_val_int(v); }
static inline uop_val uop_v(unsigned long v) { return uop_val_uint(v); }
static inline uop_val uop_v(long long v) { return uop_val_int(v); }
static inline uop_val uop_v(unsigned long long v) { return uop_val_uint(v); }
static inline uop_val uop_v(float v) { return uop_val_float(static_cast<double>(v)); }
static inline uop_val uop_v(double v) { return uop_val_float(v); }
#define UOP_V(x) uop_v(x)

template <class... T> inline const uop *uop_stack_of(uop_ctx *ctx, T... t) {
  const uop_val v[] = {uop_v(t)...};
  return uop_stack_n(ctx, v, sizeof...(t));
}
template <class... T> inline const uop *uop_index_of(const uop *x, T... t) {
  const uop_val v[] = {uop_v(t)...};
  return uop_index_n(x, v, sizeof...(t));
}
template <class... T> inline const uop *uop_call_of(const uop *body, const char *name, T... t) {
  const uop_val v[] = {uop_v(t)...};
  return uop_call_n(body, name, v, sizeof...(t));
}
#define uop_stack(ctx, ...)       uop_stack_of(ctx, __VA_ARGS__)
#define uop_index(x, ...)         uop_index_of(x, __VA_ARGS__)
#define uop_call(body, name, ...) uop_call_of(body, name, __VA_ARGS__)
#else
/* Of a uop_val that stands where UOP_V() does. */
static inline uop_val uop_val_same(uop_val v) { return v; }

/* clang-format off */
#define UOP_V(x) _Generic((x), \
    const uop *: uop_val_node, uop *: uop_val_node, \
    void *: uop_val_null, const void *: uop_val_null, uop_val: uop_val_same, \
    bool: uop_val_bool, char: uop_val_int, signed char: uop_val_int, short: uop_val_int, \
    int: uop_val_int, long: uop_val_int, long long: uop_val_int, \
    unsigned char: uop_val_uint, unsigned short: uop_val_uint, unsigned: uop_val_uint, \
    unsigned long: uop_val_uint, unsigned long long: uop_val_uint, \
    float: uop_val_float, double: uop_val_float)(x)

/* UOP_VALS(1, x, 2.0): an array of up to 16 operands, and their number, as two arguments. */
#define UOP_VALS(...) \
  (const uop_val[]){UOP_EACH_(UOP_COUNT_(__VA_ARGS__), __VA_ARGS__)}, UOP_COUNT_(__VA_ARGS__)
#define UOP_COUNT_(...) \
  UOP_17TH_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define UOP_17TH_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, ...) q
#define UOP_EACH_(n, ...) UOP_EACH2_(n, __VA_ARGS__)
#define UOP_EACH2_(n, ...) UOP_V##n##_(__VA_ARGS__)
#define UOP_V1_(x) UOP_V(x)
#define UOP_V2_(x, ...) UOP_V(x), UOP_V1_(__VA_ARGS__)
#define UOP_V3_(x, ...) UOP_V(x), UOP_V2_(__VA_ARGS__)
#define UOP_V4_(x, ...) UOP_V(x), UOP_V3_(__VA_ARGS__)
#define UOP_V5_(x, ...) UOP_V(x), UOP_V4_(__VA_ARGS__)
#define UOP_V6_(x, ...) UOP_V(x), UOP_V5_(__VA_ARGS__)
#define UOP_V7_(x, ...) UOP_V(x), UOP_V6_(__VA_ARGS__)
#define UOP_V8_(x, ...) UOP_V(x), UOP_V7_(__VA_ARGS__)
#define UOP_V9_(x, ...) UOP_V(x), UOP_V8_(__VA_ARGS__)
#define UOP_V10_(x, ...) UOP_V(x), UOP_V9_(__VA_ARGS__)
#define UOP_V11_(x, ...) UOP_V(x), UOP_V10_(__VA_ARGS__)
#define UOP_V12_(x, ...) UOP_V(x), UOP_V11_(__VA_ARGS__)
#define UOP_V13_(x, ...) UOP_V(x), UOP_V12_(__VA_ARGS__)
#define UOP_V14_(x, ...) UOP_V(x), UOP_V13_(__VA_ARGS__)
#define UOP_V15_(x, ...) UOP_V(x), UOP_V14_(__VA_ARGS__)
#define UOP_V16_(x, ...) UOP_V(x), UOP_V15_(__VA_ARGS__)
#define uop_stack(ctx, ...)       uop_stack_n(ctx, UOP_VALS(__VA_ARGS__))
#define uop_index(x, ...)         uop_index_n(x, UOP_VALS(__VA_ARGS__))
#define uop_call(body, name, ...) uop_call_n(body, name, UOP_VALS(__VA_ARGS__))
/* UOP_DIMS(2, 3): integers and their number, for uop_reshape(x, UOP_DIMS(2, 3)). */
#define UOP_DIMS(...) \
  (const int64_t[]){__VA_ARGS__}, (sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
/* clang-format on */
#endif

/* The functions of the same names with numbers allowed; write (uop_add)(a, b) for the function. */
#define uop_const(ctx, d, v)      (uop_const)(ctx, d, UOP_V(v))
#define uop_const_like(like, v)   (uop_const_like)(like, UOP_V(v))
#define uop_add(a, b)             (uop_add)(UOP_V(a), UOP_V(b))
#define uop_sub(a, b)             (uop_sub)(UOP_V(a), UOP_V(b))
#define uop_mul(a, b)             (uop_mul)(UOP_V(a), UOP_V(b))
#define uop_floordiv(a, b)        (uop_floordiv)(UOP_V(a), UOP_V(b))
#define uop_floormod(a, b)        (uop_floormod)(UOP_V(a), UOP_V(b))
#define uop_max(a, b)             (uop_max)(UOP_V(a), UOP_V(b))
#define uop_min(a, b)             (uop_min)(UOP_V(a), UOP_V(b))
#define uop_lt(a, b)              (uop_lt)(UOP_V(a), UOP_V(b))
#define uop_gt(a, b)              (uop_gt)(UOP_V(a), UOP_V(b))
#define uop_le(a, b)              (uop_le)(UOP_V(a), UOP_V(b))
#define uop_ge(a, b)              (uop_ge)(UOP_V(a), UOP_V(b))
#define uop_eq(a, b)              (uop_eq)(UOP_V(a), UOP_V(b))
#define uop_ne(a, b)              (uop_ne)(UOP_V(a), UOP_V(b))
#define uop_and(a, b)             (uop_and)(UOP_V(a), UOP_V(b))
#define uop_or(a, b)              (uop_or)(UOP_V(a), UOP_V(b))
#define uop_assert(a, b)          (uop_assert)(UOP_V(a), UOP_V(b))
#define uop_where(cond, a, b)     (uop_where)(cond, UOP_V(a), UOP_V(b))
#define uop_store(mem, value)     (uop_store)(mem, UOP_V(value))
#define uop_range(ctx, end, i, k) (uop_range)(ctx, UOP_V(end), i, k)

#endif
