/* pair_line.c - the short way for the line that most programs consist of, as the printer writes it:
 *
 *   %name = op %name, %name
 *
 * where op is one of those that ir/pair.h builds. The same statement as parse.c makes of it, in a
 * fraction of the instructions; whatever is out of the ordinary is left to parse.c, errors
 * included. Some lines are read ahead, so that the names' entries and then their nodes are on their
 * way from memory when the statements need them: what a line says depends on no other.
 *
 * Reading stops at the NUL behind the text at the latest, which is part of no such line.
 */
#include "ir/pair.h"
#include "text/parse.h"

static inline bool in_name(char c) { return uopi_class_of(c) & UOPI_IN_NAME; }

/* The name at p; the byte behind it. What is too long for a name gets length 0. */
static inline const char *read_name(const char *p, symbol_name *n) {
  const char *at = p;
  size_t number = 0;
  for (unsigned d; (d = (unsigned)(unsigned char)*p - '0') < 10; p++) number = number * 10 + d;
  size_t len = (size_t)(p - at);
  if (len - 1 < UOPI_MAX_DIGITS && (*at != '0' || len == 1) && !in_name(*p)) {
    *n = (symbol_name){.at = at, .number = number, .len = (uint32_t)len};
    return p;
  }
  while (in_name(*p)) p++;
  len = (size_t)(p - at);
  *n = len <= UOP_MAX_NAME ? uopi_symbol_word(at, len) : (symbol_name){.at = at};
  return p;
}

static inline bool is_name(const symbol_name *n) { return n->len > 0; }

/* The op that "op " at p names; -1: none of these. */
static inline int read_op(const char *p) {
  if (!memcmp(p, "add ", 4)) return UOP_ADD;
  if (!memcmp(p, "mul ", 4)) return UOP_MUL;
  return memcmp(p, "max ", 4) ? -1 : UOP_MAX;
}

static bool scan(pair_line *l, const char *at) {
  l->first = at;
  if (*at != '%') return false;
  const char *q = read_name(at + 1, &l->to);
  if (memcmp(q, " = ", 3) != 0) return false;
  int op = read_op(q + 3);
  if (op < 0 || q[7] != '%') return false;
  l->op = (uop_op)op;
  q = read_name(q + 8, &l->a);
  if (memcmp(q, ", %", 3) != 0) return false;
  l->end = read_name(q + 3, &l->b);
  return *l->end == '\n' && is_name(&l->to) && is_name(&l->a) && is_name(&l->b);
}

static inline const uop *find(const parser *p, const symbol_name *n) {
  const uop *u = uopi_symbols_numbered(&p->names, n->number);
  return u ? u : uopi_symbols_find(&p->names, n);
}

static void prefetch_node(const parser *p, const symbol_name *n) {
  const uop *u = find(p, n);
  if (!u) return; /* of a line just before, so at hand */
  UOPI_PREFETCH(&u->shape);
  UOPI_PREFETCH(&u->hash);
}

/* Reads the lines from `at` on, as far as they are of this form. */
static void read_ahead(parser *p, const char *at) {
  size_t n = 0;
  for (pair_line *l; n < LINES_AHEAD && scan(l = &p->ahead.at[n], at); at = l->end + 1, n++) {
    uopi_symbols_prefetch(&p->names, &l->a);
    uopi_symbols_prefetch(&p->names, &l->b);
  }
  for (size_t i = 0; i < n; i++) {
    prefetch_node(p, &p->ahead.at[i].a);
    prefetch_node(p, &p->ahead.at[i].b);
  }
  p->ahead.next = 0;
  p->ahead.len = n;
}

/* Whether a node is there that can be an operand. */
static inline bool is_good(const uop *u) { return u && u != &uopi_failed; }

const char *uopi_read_pair_line(parser *p, const char *at) {
  if (p->ahead.next == p->ahead.len) read_ahead(p, at);
  if (p->ahead.next == p->ahead.len) return NULL;
  const pair_line *l = &p->ahead.at[p->ahead.next++];
  const uop *a = find(p, &l->a), *b = find(p, &l->b);
  if (!is_good(a) || !is_good(b) || find(p, &l->to)) return NULL;
  const uop *u = uopi_make_pair(p->ctx, l->op, a, b);
  if (!u) return NULL;
  p->no_memory = !uopi_define(p, &l->to, u, l->first, l->end);
  return p->no_memory ? NULL : l->end + 1;
}
