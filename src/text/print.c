/* print.c - canonical .uir text. Nodes are numbered in depth-first order and printed once each,
 * constants inline; reading the text back gives the same nodes, since the reader types a bare
 * literal just as the node here was typed.
 *
 *   roots a1 … an (asserts), r: a root assert that nothing uses is a bare line; r's line is the
 *   last named one, by an alias "%n = %m" where it would not be. Where r is an assert and no line
 *   has a name, the reader takes the last line for the result, so r is bare too.
 */
#include "text/print.h"

#include "base/decimal.h"

#include <stdio.h>

void uopi_print_const(uopi_buf *b, const uop *u) {
  char s[UOPI_F32_CHARS];
  switch (u->dtype) {
  case UOP_BOOL: uopi_puts(b, uop_const_bool(u) ? "true" : "false"); break;
  case UOP_I32: uopi_puti(b, uop_const_i32(u)); break;
  default: uopi_put(b, s, (size_t)(uopi_format_f32(s, uop_const_f32(u)) - s) - UOPI_FAULT(9));
  }
}

void uopi_print_tuple(uopi_buf *b, const int64_t *at, size_t n) {
  uopi_putc(b, '(');
  for (size_t i = 0; i < n; i++) {
    if (i) uopi_put(b, ", ", 2);
    uopi_puti(b, at[i]);
  }
  uopi_puts(b, n == 1 ? ",)" : ")");
}

static void print_pairs(uopi_buf *b, const uop_tuple *t) {
  uopi_putc(b, '(');
  for (uint32_t i = 0; i < t->len; i += 2) {
    if (i) uopi_put(b, ", ", 2);
    uopi_print_tuple(b, t->at + i, 2);
  }
  uopi_puts(b, t->len == 2 ? ",)" : ")");
}

bool uopi_print_positional(uopi_buf *b, const uop *u) {
  switch (uopi_arg_kind_of(u->op)) {
  case UOPI_ARG_VALUE: uopi_print_const(b, u); return true;
  case UOPI_ARG_BUFFER:
  case UOPI_ARG_ALLOC: uopi_puti(b, u->shape->at[0]); return true;
  case UOPI_ARG_SHAPE:
  case UOPI_ARG_AXES: uopi_print_tuple(b, u->arg.tuple->at, u->arg.tuple->len); return true;
  case UOPI_ARG_PAIRS: print_pairs(b, u->arg.tuple); return true;
  default: return false;
  }
}

static void key(uopi_buf *b, const char *k) {
  if (b->len && b->at[b->len - 1] != ' ') uopi_putc(b, ' ');
  uopi_puts(b, k);
}

void uopi_print_attributes(uopi_buf *b, const uop *u) {
  const char *dtype = uop_dtype_name((uop_dtype)u->dtype);
  const char *space = uop_space_name((uop_space)u->space);
  switch (uopi_arg_kind_of(u->op)) {
  case UOPI_ARG_PARAM:
    key(b, "slot="), uopi_puti(b, uop_slot(u));
    key(b, "dtype="), uopi_puts(b, dtype);
    if (u->shape->len) key(b, "shape="), uopi_print_tuple(b, u->shape->at, u->shape->len);
    if (u->space != UOP_SPACE_ALU) key(b, "space="), uopi_puts(b, space);
    break;
  case UOPI_ARG_BUFFER:
  case UOPI_ARG_ALLOC:
    key(b, "dtype="), uopi_puts(b, dtype);
    key(b, "slot="), uopi_puti(b, uop_slot(u));
    if (u->op == UOP_ALLOC && u->space != UOP_SPACE_LOCAL) key(b, "space="), uopi_puts(b, space);
    break;
  case UOPI_ARG_NAME: key(b, "name="), uopi_puts(b, u->arg.name); break;
  case UOPI_ARG_DTYPE: key(b, "dtype="), uopi_puts(b, dtype); break;
  case UOPI_ARG_RANGE:
    key(b, "idx="), uopi_puti(b, uop_range_idx(u));
    key(b, "kind="), uopi_puts(b, uop_axis_name(uop_range_kind(u)));
    break;
  case UOPI_ARG_REDUCE:
    key(b, "op="), uopi_puts(b, uop_op_find(uop_reduce_op(u))->text);
    key(b, "pop="), uopi_putu(b, uop_reduce_axes(u));
    break;
  default: break;
  }
}

static bool has_attributes(const uop *u) {
  switch (uopi_arg_kind_of(u->op)) {
  case UOPI_ARG_NONE:
  case UOPI_ARG_VALUE:
  case UOPI_ARG_SHAPE:
  case UOPI_ARG_AXES:
  case UOPI_ARG_PAIRS: return false;
  default: return true;
  }
}

/* What the arg adds behind the operands. */
static void put_arg(uopi_buf *b, const uop *u) {
  if (uopi_arg_is_tuple(u->op)) uopi_put(b, ", ", 2); /* there is one operand before it */
  if (u->op == UOP_CONST || u->op == UOP_BUFFER || u->op == UOP_ALLOC) uopi_putc(b, ' ');
  uopi_print_positional(b, u);
  if (!has_attributes(u)) return;
  uopi_put(b, " : ", 3);
  uopi_print_attributes(b, u);
}

/* ---- lines ---- */

enum { FRAMES_AHEAD = 8 };

typedef struct frame { /* a node whose sources are being printed */
  const uop *u;
  uint32_t next; /* the source to look at next */
} frame;

typedef struct printer {
  uopi_buf b;
  uopi_memo numbers; /* node -> its line's number + 1; a constant and a bare line have none */
  struct {
    frame *at;
    size_t len, cap;
  } open;
  bool some_bare; /* perhaps, and then: */
  uopi_set used;  /* ASSERTs that a node uses */
  uint64_t next;
  const uop *result, *last; /* `last` of the named lines */
} printer;

/* The bytes of a name with what stands before it; how many are written in one go. */
enum { OPERAND_MAX = 2 + 1 + 20, OPS_AT_ONCE = 64 };

static char *name_at(char *q, uint64_t number) {
  *q++ = '%';
  return uopi_format_u64(q, number);
}

static void put_name(uopi_buf *b, uint64_t number) {
  char s[22];
  uopi_put(b, s, (size_t)(name_at(s, number) - s));
}

/* " %0, 1.0": the operands, several at once written where they will stand. */
static void put_operands(printer *p, const uop *u) {
  uopi_buf *b = &p->b;
  for (uint32_t i = 0; i < u->nsrc;) {
    uint32_t end = u->nsrc - i < OPS_AT_ONCE ? u->nsrc : i + OPS_AT_ONCE;
    char *q = uopi_buf_room(b, (end - i) * (size_t)OPERAND_MAX), *from = q;
    if (!q) return;
    for (uint64_t number; i < end && (number = uopi_memo_get(&p->numbers, u->src[i])); i++) {
      if (i) *q++ = ',';
      *q++ = ' ';
      q = name_at(q, number - 1); /* the source itself is not looked at */
    }
    b->len += (size_t)(q - from);
    if (i == end) continue;
    uopi_put(b, ", ", i ? 2 : 0);
    if (!i) uopi_putc(b, ' ');
    uopi_print_const(b, u->src[i++]);
  }
}

/* "add %0, 1.0" and what the arg adds. */
static void put_node(printer *p, const uop *u) {
  uopi_buf *b = &p->b;
  uopi_puts(b, uop_op_find((uop_op)u->op)->text);
  put_operands(p, u);
  if (uopi_arg_kind_of(u->op) != UOPI_ARG_NONE) put_arg(b, u);
  uopi_putc(b, '\n');
}

static void put_named_line(printer *p, const uop *u) {
  if (!uopi_memo_set(&p->numbers, u, p->next + 1)) p->b.failed = true;
  put_name(&p->b, p->next++);
  uopi_put(&p->b, " = ", 3);
  put_node(p, u);
  p->last = u;
}

static void put_alias(printer *p, const uop *result) {
  put_name(&p->b, p->next++);
  uopi_put(&p->b, " = ", 3);
  put_name(&p->b, uopi_memo_get(&p->numbers, result) - 1);
  uopi_putc(&p->b, '\n');
}

static void put_line(printer *p, const uop *u) {
  bool is_bare = u->op == UOP_ASSERT && p->some_bare && !uopi_set_has(&p->used, u);
  if (!is_bare || (u == p->result && p->next > 0)) { /* alone, it is the result without a name */
    put_named_line(p, u);
    return;
  }
  put_node(p, u);
  if (u == p->result) p->last = u;
}

/* ---- in order ---- */

/* Only a root can be an ASSERT that no node uses. Those that one uses are named lines, like any
 * operand. */
static bool note_used_asserts(printer *p, uop_ctx *ctx, const uop *const *roots, size_t n) {
  uop_nodes order = {NULL, 0, 0};
  for (size_t i = 0; i < n; i++) p->some_bare |= roots[i]->op == UOP_ASSERT;
  if (!p->some_bare) return true;
  bool ok = uopi_walk(ctx, roots, n, false, &order);
  for (size_t i = 0; ok && i < order.len; i++) {
    const uop *u = order.at[i];
    for (uint32_t k = 0; ok && k < u->nsrc; k++)
      if (u->src[k]->op == UOP_ASSERT) ok = uopi_set_add(&p->used, u->src[k]) >= 0;
  }
  uop_nodes_free(ctx, &order);
  return ok;
}

/* Constants have no lines; a node without a number has not been met: one that has been met and is
 * not printed yet is below none of its sources. */
static inline bool has_line(const printer *p, const uop *u) {
  return uopi_memo_get(&p->numbers, u) || u->op == UOP_CONST;
}

/* Has the processor fetch what has_line will look at for the next source of a frame. */
static inline void prefetch_next(const printer *p, const frame *f) {
  if (f->next >= f->u->nsrc) return;
  const uop *s = f->u->src[f->next];
  const uint64_t *page = uopi_dir_find(&p->numbers.dir, uopi_slab_number(s));
  if (page) UOPI_PREFETCH(&page[uopi_place_in_slab(s)]);
  UOPI_PREFETCH(&s->op);
}

/* The lines that are still missing below the root, and its own: uopi_walk's order, printed as it is
 * found, while a node and its sources' numbers are at hand. */
static void print_root(printer *p, const uop *root) {
  if (has_line(p, root)) return;
  for (frame f = {root, 0};;) {
    while (f.next < f.u->nsrc && has_line(p, f.u->src[f.next])) f.next++;
    if (f.next < f.u->nsrc) {
      const uop *s = f.u->src[f.next++];
      prefetch_next(p, &f);
      if (!UOPI_PUSH(p->b.mem, &p->open, f)) p->b.failed = true;
      if (p->b.failed) return;
      f = (frame){s, 0};
      continue;
    }
    put_line(p, f.u);
    if (!p->open.len || p->b.failed) return;
    f = p->open.at[--p->open.len];
    if (p->open.len >= FRAMES_AHEAD) prefetch_next(p, &p->open.at[p->open.len - FRAMES_AHEAD]);
  }
}

static void print_lines(printer *p, const uop *const *roots, size_t n) {
  const uop *result = p->result;
  for (size_t i = 0; i < n && !p->b.failed; i++) print_root(p, roots[i]);
  if (!result || result == p->last) return;
  if (result->op == UOP_CONST)
    put_named_line(p, result);
  else
    put_alias(p, result);
}

/* `size`: what the text may come to, so that it need not be moved as it grows. */
static char *print(uop_ctx *ctx, const uop *const *roots, size_t n, const uop *result, size_t size,
                   size_t *len) {
  const uopi_mem *mem = uopi_mem_of(ctx);
  printer p = {.b = {.mem = mem}, .numbers = {.mem = mem}, .used = {.mem = mem}, .result = result};
  if (note_used_asserts(&p, ctx, roots, n) && uopi_buf_room(&p.b, size))
    print_lines(&p, roots, n);
  else
    p.b.failed = true;
  UOPI_DROP(mem, &p.open);
  uopi_memo_drop(&p.numbers);
  uopi_set_drop(&p.used);
  return uopi_buf_give(&p.b, ctx, len);
}

char *uop_print(const uop *root, size_t *len) {
  return root ? print(uopi_ctx_of(root), &root, 1, root, 0, len) : NULL;
}

char *uop_program_print(const uop_program *prog, size_t *len) {
  return print(prog->ctx, prog->roots.at, prog->roots.len, prog->result, prog->len, len);
}

/* The roots without NULLs, each once and the last one last. False: out of memory. */
static bool each_once(const uopi_mem *mem, const uop *const *roots, size_t n, uop_nodes *out) {
  const uop *result = n ? roots[n - 1] : NULL;
  uopi_set met = {.mem = mem};
  bool ok = !n || (UOPI_RESERVE(mem, out, n) && uopi_set_add(&met, result) >= 0);
  for (size_t i = 0; ok && i + 1 < n; i++) {
    int fresh = roots[i] ? uopi_set_add(&met, roots[i]) : 0;
    ok = fresh >= 0;
    if (fresh > 0) out->at[out->len++] = roots[i];
  }
  if (ok && n) out->at[out->len++] = result;
  uopi_set_drop(&met);
  return ok;
}

char *uop_print_roots(uop_ctx *ctx, const uop *const *roots, size_t n, size_t *len) {
  if (!ctx || !uopi_all_of(ctx, roots, n)) return NULL;
  while (n && !roots[n - 1]) n--;
  uop_nodes each = {NULL, 0, 0};
  char *text = NULL;
  if (each_once(uopi_mem_of(ctx), roots, n, &each))
    text = print(ctx, each.at, each.len, n ? roots[n - 1] : NULL, 0, len);
  else
    uopi_no_memory(ctx);
  uop_nodes_free(ctx, &each);
  return text;
}

void uop_dump(const uop *root) {
  char *s = root ? uop_print(root, NULL) : NULL;
  fputs(s ? s : "(no node)\n", stderr);
  if (s) uop_free(uopi_ctx_of(root), s);
}
