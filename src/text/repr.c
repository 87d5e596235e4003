/* repr.c - a graph as one nested expression, for debugging. A graph written as a tree can be
 * exponentially long, so it is cut at the length given; each level writes at least one byte, so the
 * stack is no deeper than that length.
 */
#include "text/print.h"

typedef struct level {
  const uop *u;
  uint32_t next;
} level;

typedef struct levels {
  level *at;
  size_t len, cap;
} levels;

/* "(op " of a node, or the whole of a constant. */
static bool begin(uopi_buf *b, levels *st, const uop *u, bool nested) {
  if (nested) uopi_putc(b, ' ');
  if (u->op == UOP_CONST && nested) {
    uopi_print_const(b, u);
    return true;
  }
  if (nested) uopi_putc(b, '(');
  uopi_puts(b, uop_op_find((uop_op)u->op)->text);
  return UOPI_PUSH(b->mem, st, ((level){u, 0}));
}

static void end(uopi_buf *b, const uop *u, bool nested) {
  size_t before = b->len;
  uopi_putc(b, ' ');
  if (!uopi_print_positional(b, u)) b->len = before;
  size_t arg = b->len;
  uopi_puts(b, " : ");
  size_t empty = b->len;
  uopi_print_attributes(b, u);
  if (b->len == empty) b->len = arg;
  if (nested) uopi_putc(b, ')');
}

/* Writes more than `cap` bytes at most by one node. */
static bool write_tree(uopi_buf *b, const uop *root, size_t cap) {
  levels st = {NULL, 0, 0};
  bool ok = begin(b, &st, root, false);
  while (ok && st.len && b->len <= cap && !b->failed) {
    level *l = &st.at[st.len - 1];
    if (l->next < l->u->nsrc) {
      const uop *s = l->u->src[l->next++];
      ok = begin(b, &st, s, true);
    } else {
      end(b, l->u, st.len > 1);
      st.len--;
    }
  }
  UOPI_DROP(b->mem, &st);
  return ok && !b->failed;
}

size_t uop_repr(const uop *root, char *buf, size_t cap) {
  if (cap == 0) return 0;
  uopi_buf b = {.mem = root ? uopi_mem_of(uopi_ctx_of(root)) : NULL};
  bool whole = root && write_tree(&b, root, cap) && b.len < cap;
  size_t n = root ? b.len : 0;
  if (!whole) {
    size_t room = cap - 1, dots = room < 3 ? room : 3;
    if (n > room - dots) n = room - dots;
    memcpy(buf + n, "...", dots);
    if (n && b.at) memcpy(buf, b.at, n);
    n += dots;
  } else {
    memcpy(buf, b.at, n);
  }
  buf[n] = 0;
  if (root) uopi_buf_drop(&b);
  return n;
}
