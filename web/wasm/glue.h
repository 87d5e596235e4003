/* glue.h - what the files of the WebAssembly module share.
 *
 * The module is a reactor that imports nothing: the page calls its exports with pointers into the
 * module's memory, and gets JSON back. It uses uop.h and the C library, as the command does.
 *
 * What holds everywhere:
 *  - An export that answers writes JSON into `answer`; an answer of no bytes means no memory.
 *  - A handle is a pointer that the page gives back unchanged, and frees once. The page's side
 *    keeps freed ones from being used.
 *  - Every program has a context of its own, with budgets, so that all it took goes with it.
 *  - All memory goes through mem_alloc(), which counts it.
 */
#ifndef UOP_GLUE_H
#define UOP_GLUE_H

#include "uop.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* ---- budgets: what a page can be asked for without hanging ---- */

#define MAX_MEMORY     ((size_t)1 << 30) /* bytes of all that is alive */
#define MAX_CTX_NODES  (UINT64_C(1) << 20)
#define MAX_CTX_BYTES  (UINT64_C(256) << 20)
#define MAX_FACT_STEPS UINT64_C(1000000) /* of the value of one node */
#define MAX_FACT_BYTES (UINT64_C(8) << 20)
#define MAX_VALUE_TEXT ((size_t)4 << 20) /* bytes of all values of a run, as text */
#define MAX_REWRITES   UINT64_C(200000)  /* steps of one simplification */

/* ---- memory.c ---- */

/* The hook of every context, and what the glue itself takes: mem_new(n) of n bytes, which
 * mem_drop() frees. NULL: no memory. */
void *mem_alloc(void *user, void *p, size_t old, size_t size);
void *mem_new(size_t n);
void mem_drop(void *p);

/* ---- json.c ---- */

/* The answer under way. Keys and values put their own commas. */
void json_begin(void);
void json_open(char bracket);            /* '{' or '[' */
void json_close(char bracket);           /* '}' or ']' */
void json_key(const char *key);          /* plain ASCII */
void json_text(const char *s, size_t n); /* any bytes */
void json_word(const char *s);           /* the same, NUL-terminated; NULL: null */
void json_uint(uint64_t v);
void json_int(int64_t v);
void json_bool(bool v);
void json_digits(uint64_t v); /* as text: 64 bits are more than a JavaScript number has */
void json_fail(void);         /* no memory: there will be no answer */

/* ---- places.c ---- */

/* Turns lines and byte columns into UTF-16 offsets of the whole text. Places that follow each other
 * in the text cost one pass together; zero-initialise but for the text. */
typedef struct places {
  const char *text;
  size_t len;
  size_t line, at, units; /* private: the line found last, its first byte, UTF-16 units before it */
} places;

typedef struct place {
  size_t line, column; /* from 1 */
  size_t from, to;
} place;

/* Of `length` bytes. */
place places_find(places *p, uint32_t line, uint32_t column, uint32_t length);

/* ---- program.c ---- */

typedef struct handle {
  struct handle *next, **prev; /* all that are alive, for check() */
  uop_ctx *ctx;                /* NULL: no memory */
  uop_program *prog;           /* NULL: the text is wrong */
  const uop **tops;            /* statements that no other node uses: they cover all */
  size_t ntops;
} handle;

/* Fills a handle from a text and puts it into the list; diagnostics may be NULL. */
void handle_open(handle *h, const char *text, size_t len, uop_diags *diags);
void handle_close(handle *h);

/* "message" and "code" of an error or warning. */
void put_message(const uop_diag *d);
const char *code_name(uop_code code);

/* ---- nodes.c ---- */

/* Arrays of the nodes and the size of what is below the roots. */
void put_nodes(uop_ctx *ctx, const uop *const *roots, size_t n);
void put_stats(uop_ctx *ctx, const uop *const *roots, size_t n);
void put_ids(const uop *const *nodes, size_t n);

/* The live node of that id, or NULL. */
const uop *find_node(uop_ctx *ctx, double id);

/* The PARAMs and BUFFERs outside CALL bodies. False: no memory. */
bool find_inputs(handle *h, uop_nodes *out);

/* ---- graph.c ---- */

/* {"dot": …, "boxes": …} of the roots; `options` is what graph.c says, and written into; `program`
 * names nodes. */
void put_graph(uop_ctx *ctx, const uop *const *roots, size_t n, const uop_program *program,
               char *options, size_t len);

#endif
