/* error.c - the first error stays in the context until it is cleared. Messages are composed in
 * place, without allocation, cut where they are full, and never depend on the locale. */
#include "ir/ir.h"

static void put(uopi_msg *m, const char *s, size_t n) {
  size_t room = m->cap - 1 - m->len;
  if (n > room) n = room;
  memcpy(m->at + m->len, s, n);
  m->len += n;
  m->at[m->len] = 0;
}

static void puts_(uopi_msg *m, const char *s) { put(m, s, strlen(s)); }

static void put_int(uopi_msg *m, int64_t v) {
  char s[24], *p = s;
  if (v < 0) *p++ = '-';
  p = uopi_format_u64(p, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
  put(m, s, (size_t)(p - s));
}

/* (), (3,), (2, 3); with pairs ((0, 4),). */
static void put_ints(uopi_msg *m, const int64_t *at, size_t n, size_t group) {
  puts_(m, "(");
  for (size_t i = 0; i < n; i += group) {
    if (i) puts_(m, ", ");
    if (group == 1)
      put_int(m, at[i]);
    else
      put_ints(m, at + i, n - i < group ? n - i : group, 1);
  }
  puts_(m, n == group ? ",)" : ")");
}

static void put_type(uopi_msg *m, const uop *u) {
  puts_(m, uop_dtype_name((uop_dtype)u->dtype));
  put_ints(m, u->shape->at, u->shape->len, 1);
  if (u->space == UOP_SPACE_ALU) return;
  puts_(m, " ");
  puts_(m, uop_space_name((uop_space)u->space));
}

/* A name in quotes, control bytes escaped, cut: it may come from anywhere. */
static void put_quoted(uopi_msg *m, const char *s) {
  static const char hex[] = "0123456789abcdef";
  puts_(m, "'");
  for (size_t i = 0; s[i]; i++) {
    unsigned char c = (unsigned char)s[i];
    if (i == 40) {
      puts_(m, "...");
      break;
    }
    if (c >= 0x20 && c != 0x7f)
      put(m, &s[i], 1);
    else
      put(m, (char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4);
  }
  puts_(m, "'");
}

void uopi_msg_vput(uopi_msg *m, const char *fmt, va_list ap) {
  for (const char *p = fmt; *p; p++) {
    if (*p != '%') {
      put(m, p, 1);
      continue;
    }
    switch (*++p) {
    case 's': puts_(m, va_arg(ap, const char *)); break;
    case 'q': put_quoted(m, va_arg(ap, const char *)); break;
    case 'd': put_int(m, va_arg(ap, int)); break;
    case 'l': put_int(m, va_arg(ap, int64_t)); break;
    case 't': puts_(m, uop_dtype_name((uop_dtype)va_arg(ap, int))); break;
    case 'a': {
      const uop_op_info *row = uop_op_find((uop_op)va_arg(ap, int));
      puts_(m, row ? row->name : "?");
      break;
    }
    case 'p': {
      const uop_tuple *t = va_arg(ap, const uop_tuple *);
      put_ints(m, t->at, t->len, 1);
      break;
    }
    case 'v':   /* const int64_t *, size_t: a tuple */
    case 'w': { /* the same as pairs */
      const int64_t *at = va_arg(ap, const int64_t *);
      put_ints(m, at, va_arg(ap, size_t), *p == 'v' ? 1 : 2);
      break;
    }
    case 'y': put_type(m, va_arg(ap, const uop *)); break;
    default: put(m, p, 1); break;
    }
  }
}

void uopi_diag_vset(uop_diag *d, uop_code code, int op, int operand, const char *fmt, va_list ap) {
  d->code = code;
  d->op = op;
  d->operand = operand;
  d->line = d->column = d->length = d->reason = 0;
  d->node = NULL;
  uopi_msg m = {d->message, 0, sizeof d->message};
  d->message[0] = 0;
  uopi_msg_vput(&m, fmt, ap);
}

void uopi_diag_set(uop_diag *d, uop_code code, int op, int operand, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  uopi_diag_vset(d, code, op, operand, fmt, ap);
  va_end(ap);
}

void *uopi_error(uop_ctx *ctx, uop_code code, int op, int operand, const char *fmt, ...) {
  if (ctx->error.code != UOP_OK) return NULL;
  va_list ap;
  va_start(ap, fmt);
  uopi_diag_vset(&ctx->error, code, op, operand, fmt, ap);
  va_end(ap);
  return NULL;
}

void *uopi_no_memory(uop_ctx *ctx) {
  if (ctx->capped)
    return uopi_error(ctx, UOP_E_MEMORY, -1, -1,
                      "out of memory: the context may take %l bytes (max_bytes)",
                      (int64_t)ctx->max_bytes);
  return uopi_error(ctx, UOP_E_MEMORY, -1, -1, "out of memory");
}

bool uopi_foreign(uop_ctx *ctx, int op, int operand) {
  if (op >= 0)
    uopi_error(ctx, UOP_E_CONTEXT, op < UOP_OP_COUNT ? op : -1, operand,
               "%s: source %d is of another context (uop_copy it)", uopi_fn_name(op), operand);
  else
    uopi_error(ctx, UOP_E_CONTEXT, -1, operand, "a node is of another context (uop_copy it)");
  return false;
}

bool uopi_all_of(uop_ctx *ctx, const uop *const *roots, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (roots[i] && uopi_ctx_of(roots[i]) != ctx) return uopi_foreign(ctx, -1, (int)i);
  return true;
}

void uopi_error_node(uop_ctx *ctx, const uop *u) {
  if (ctx->error.code != UOP_OK && !ctx->error.node) ctx->error.node = u;
}

const uop_diag *uop_error(const uop_ctx *ctx) { return &ctx->error; }

void uop_error_clear(uop_ctx *ctx) { uopi_diag_set(&ctx->error, UOP_OK, -1, -1, ""); }

void uop_diags_free(uop_ctx *ctx, uop_diags *d) { UOPI_DROP(uopi_mem_of(ctx), d); }
