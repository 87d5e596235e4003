/* rules.c - a list of rules: texts, tables and C functions, one after the other, each rule filed
 * under the ops that its pattern begins with, in the order in which it is tried.
 *
 * A text is read, judged and compiled into a table of its own, which lives as long as the list.
 */
#include "rewrite/rule.h"

/* ---- a text ---- */

static char *keep(char **at, const char *s, size_t n) {
  char *p = *at;
  if (n) memcpy(p, s, n);
  p[n] = 0;
  *at += n + 1;
  return p;
}

/* The comment's lines as one, without their # signs. */
static char *keep_comment(char **at, const char *s, size_t n) {
  char *from = *at, *q = from;
  const char *end = n ? s + n : s; /* s may be NULL */
  while (s < end) {
    while (s < end && (*s == '#' || *s == ' ' || *s == '\t' || *s == '\r')) s++;
    const char *line = s;
    while (s < end && *s != '\n') s++;
    const char *stop = s;
    while (stop > line && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) stop--;
    if (q > from && stop > line) *q++ = ' ';
    memcpy(q, line, (size_t)(stop - line));
    q += stop - line;
    while (s < end && (*s == '\n' || *s == ' ' || *s == '\t' || *s == '\r')) s++;
  }
  *q++ = 0;
  *at = q;
  return from;
}

void uopi_rule_text_free(uop_ctx *ctx, rule_text *t) {
  if (!t) return;
  const uopi_mem *mem = uopi_mem_of(ctx);
  uopi_realloc(mem, t->rows, t->row_cap * sizeof *t->rows, 0);
  uopi_realloc(mem, t->text, t->text_size, 0);
  uopi_realloc(mem, t->fns, t->nfns * sizeof *t->fns, 0);
  UOPI_DROP(mem, &t->code);
  uopi_realloc(mem, t, sizeof *t, 0);
}

/* Rows, strings and code of what was read. */
static bool fill(rule_book *b, rule_text *t) {
  size_t n = b->rules.len, size = 1;
  for (size_t i = 0; i < n; i++) {
    const rule_tree *r = &b->rules.at[i];
    size += (size_t)r->name_len + r->comment_len + r->text_len + 3;
  }
  if (n && !(t->rows = uopi_realloc(b->mem, NULL, 0, n * sizeof *t->rows))) return false;
  t->row_cap = n;
  if (!(t->text = uopi_realloc(b->mem, NULL, 0, size))) return false;
  t->text_size = size;
  char *at = t->text;
  for (size_t i = 0; i < n; i++) {
    rule_tree *r = &b->rules.at[i];
    if (!uopi_rule_compile(b, r, &t->code, &t->rows[i])) return false;
    t->rows[i].name = keep(&at, r->name, r->name_len);
    t->rows[i].comment = keep_comment(&at, r->comment, r->comment_len);
    t->rows[i].text = keep(&at, r->text, r->text_len);
  }
  t->table =
      (rule_table){.set = "", .rows = t->rows, .n = n, .code = t->code.at, .ncode = t->code.len};
  return true;
}

static bool hand_over(rule_book *b, uop_diags *to, const uop_diags *from) {
  for (size_t i = 0; to && i < from->len; i++)
    if (!UOPI_PUSH(b->mem, to, from->at[i])) return false;
  if (to) to->more |= from->more;
  return true;
}

rule_text *uopi_rule_text_new(uop_ctx *ctx, const char *text, size_t len, rule_find_fn find,
                              void *user, uop_diags *diags) {
  uop_diags errors = {0}, warnings = {0};
  if (!text) text = ""; /* of length 0: pointers into it are compared */
  rule_book b = {.ctx = ctx,
                 .mem = uopi_mem_of(ctx),
                 .text = text,
                 .end = text + len,
                 .errors = &errors,
                 .warnings = &warnings};
  if (len > UOP_MAX_LINE)
    return uopi_error(ctx, UOP_E_LIMIT, -1, -1, "a text of %l bytes is above %l (UOP_MAX_LINE)",
                      (int64_t)len, (int64_t)UOP_MAX_LINE);
  rule_text *t = uopi_realloc(b.mem, NULL, 0, sizeof *t);
  if (!t) return uopi_no_memory(ctx);
  *t = (rule_text){.rows = NULL};
  uopi_rules_read(&b, find, user);
  uopi_rules_judge(&b);
  bool ok = !b.no_memory && !errors.len && fill(&b, t);
  if (!hand_over(&b, diags, &errors) || !hand_over(&b, diags, &warnings))
    b.no_memory = true, ok = false;
  if (!ok && !b.no_memory && errors.len)
    ctx->error = errors.at[0];
  else if (!ok)
    uopi_no_memory(ctx);
  uop_diags_free(ctx, &errors);
  uop_diags_free(ctx, &warnings);
  uopi_book_drop(&b);
  if (ok) return t;
  uopi_rule_text_free(ctx, t);
  return NULL;
}

/* ---- the list ---- */

uop_rules *uop_rules_new(uop_ctx *ctx) {
  if (!ctx) return NULL;
  uop_rules *r = uopi_realloc(&ctx->mem, NULL, 0, sizeof *r);
  if (!r) return uopi_no_memory(ctx);
  *r = (uop_rules){.ctx = ctx};
  return r;
}

static size_t c_row_size(const rule_row *row) { /* of a rule in C: the row, then its strings */
  return sizeof *row + strlen(row->name) + strlen(row->comment) + 2;
}

static void free_all(uop_rules *r) {
  const uopi_mem *mem = &r->ctx->mem;
  for (size_t i = 0; i < r->rules.len; i++) {
    const rule_entry *e = &r->rules.at[i];
    if (!e->table) uopi_realloc(mem, (void *)(uintptr_t)e->row, c_row_size(e->row), 0);
  }
  for (size_t i = 0; i < r->texts.len; i++) uopi_rule_text_free(r->ctx, r->texts.at[i]);
  for (size_t i = 0; i < r->fns.len; i++)
    uopi_realloc(mem, (void *)(uintptr_t)r->fns.at[i].name, strlen(r->fns.at[i].name) + 1, 0);
  for (unsigned i = 0; i < RULE_BUCKETS; i++) UOPI_DROP(mem, &r->bucket[i]);
  UOPI_DROP(mem, &r->rules);
  UOPI_DROP(mem, &r->texts);
  UOPI_DROP(mem, &r->fns);
  uopi_realloc(mem, r, sizeof *r, 0);
}

void uop_rules_free(uop_rules *r) {
  if (r && r->busy)
    r->freed = true;
  else if (r)
    free_all(r);
}

bool uopi_rules_begin(uop_rules *r) {
  if (r->ctx->rewrites == UOP_MAX_REWRITES) {
    uopi_error(r->ctx, UOP_E_LIMIT, -1, -1,
               "more than %d rewrites inside of each other's functions (UOP_MAX_REWRITES)",
               UOP_MAX_REWRITES);
    return false;
  }
  r->ctx->rewrites++;
  r->busy++;
  return true;
}

void uopi_rules_end(uop_rules *r) {
  r->ctx->rewrites--;
  if (--r->busy == 0 && r->freed) free_all(r);
}

static bool may_change(uop_rules *r) {
  if (!r->busy) return true;
  uopi_error(r->ctx, UOP_E_ARG, -1, -1, "rules are added while they rewrite");
  return false;
}

static bool has_room(uop_rules *r, size_t n) {
  if (n <= UOP_MAX_RULES - r->rules.len) return true;
  uopi_error(r->ctx, UOP_E_LIMIT, -1, -1, "%l rules are above %d (UOP_MAX_RULES)",
             (int64_t)(r->rules.len + n), UOP_MAX_RULES);
  return false;
}

void uopi_rules_cut(uop_rules *r, size_t n) {
  r->rules.len = n;
  for (unsigned i = 0; i < RULE_BUCKETS; i++) {
    rule_bucket *b = &r->bucket[i];
    while (b->len && b->at[b->len - 1].rule >= n) b->len--;
  }
}

static bool append(uop_rules *r, const rule_entry *e) {
  const uopi_mem *mem = &r->ctx->mem;
  uint32_t number = (uint32_t)r->rules.len;
  if (!UOPI_PUSH(mem, &r->rules, *e)) return false;
  rule_bucket_entry b = {e->row->needs, number};
  for (unsigned i = 0; i < RULE_BUCKETS; i++) {
    bool fits = e->row->ops >> (i / UOP_DTYPE_COUNT) & e->row->dtypes >> (i % UOP_DTYPE_COUNT) & 1;
    if (fits && !UOPI_PUSH(mem, &r->bucket[i], b)) return false;
  }
  return true;
}

bool uopi_rules_add_table(uop_rules *r, const rule_table *t) {
  size_t before = r->rules.len;
  bool ok = may_change(r) && has_room(r, t->n);
  if (!ok) return false;
  for (size_t i = 0; ok && i < t->n; i++)
    ok = append(r, &(rule_entry){.row = &t->rows[i], .table = t});
  if (ok) return true;
  uopi_rules_cut(r, before);
  return uopi_no_memory(r->ctx), false;
}

static int find_fn(void *user, const char *name, size_t len) {
  const uop_rules *r = user;
  for (size_t i = 0; i < r->fns.len; i++)
    if (strlen(r->fns.at[i].name) == len && !memcmp(r->fns.at[i].name, name, len)) return (int)i;
  return -1;
}

/* A text's table has the functions of now: those that it was read with, by the same numbers. */
static bool take_fns(uop_rules *r, rule_text *t) {
  size_t n = r->fns.len;
  if (!n) return true;
  rule_fn *fns = uopi_realloc(&r->ctx->mem, NULL, 0, n * sizeof *fns);
  if (!fns) return false;
  memcpy(fns, r->fns.at, n * sizeof *fns);
  t->fns = fns;
  t->nfns = n;
  t->table.fns = fns;
  return true;
}

bool uop_rules_add_text(uop_rules *r, const char *text, size_t len, uop_diags *diags) {
  if (!r) return false;
  uop_ctx *ctx = r->ctx;
  uop_error_clear(ctx);
  if (!may_change(r)) return false;
  if (len == 0) text = ""; /* NULL, perhaps */
  rule_text *t = uopi_rule_text_new(ctx, text, len, find_fn, r, diags);
  if (!t) return false;
  if (take_fns(r, t) && UOPI_RESERVE(&ctx->mem, &r->texts, r->texts.len + 1)) {
    if (uopi_rules_add_table(r, &t->table)) {
      r->texts.at[r->texts.len++] = t;
      return true;
    }
  } else {
    uopi_no_memory(ctx);
  }
  uopi_rule_text_free(ctx, t);
  return false;
}

/* ---- functions ---- */

static bool check_name(uop_rules *r, const char *name) {
  if (name && uopi_is_identifier(name, strlen(name))) return true;
  uopi_error(r->ctx, UOP_E_NAME, -1, -1, "%q is no identifier", name ? name : "");
  return false;
}

bool uop_rules_define(uop_rules *r, const char *name, uop_rule_fn fn, void *user) {
  if (!r || !fn || !may_change(r) || !check_name(r, name)) return false;
  size_t size = strlen(name) + 1;
  if (find_fn(r, name, size - 1) >= 0)
    return uopi_error(r->ctx, UOP_E_NAME, -1, -1, "a function %q is defined already", name), false;
  if (r->fns.len == MAX_RULE_FNS)
    return uopi_error(r->ctx, UOP_E_LIMIT, -1, -1, "more than %d functions of rules", MAX_RULE_FNS),
           false;
  char *copy = uopi_realloc(&r->ctx->mem, NULL, 0, size);
  if (!copy) return uopi_no_memory(r->ctx), false;
  memcpy(copy, name, size);
  if (UOPI_PUSH(&r->ctx->mem, &r->fns, ((rule_fn){copy, fn, user}))) return true;
  uopi_realloc(&r->ctx->mem, copy, size, 0);
  return uopi_no_memory(r->ctx), false;
}

static uint64_t ops_of(uop_rules *r, const uop_op *ops, size_t n) {
  uint64_t set = ops ? 0 : (UINT64_C(1) << UOP_OP_COUNT) - 1;
  for (size_t i = 0; ops && i < n; i++) {
    if (uop_op_find(ops[i])) {
      set |= UINT64_C(1) << ops[i];
      continue;
    }
    uopi_error(r->ctx, UOP_E_ARG, -1, -1, "%d is no op", (int)ops[i]);
    return 0;
  }
  if (!set) uopi_error(r->ctx, UOP_E_ARG, -1, -1, "a rule for no op");
  return set;
}

bool uop_rules_add_fn(uop_rules *r, const char *name, const char *about, const uop_op *ops,
                      size_t nops, uop_rule_fn fn, void *user) {
  if (!r || !fn || !may_change(r) || !has_room(r, 1) || !check_name(r, name)) return false;
  if (!about) about = "";
  size_t before = r->rules.len, head = sizeof(rule_row),
         size = head + strlen(name) + strlen(about) + 2;
  uint64_t set = ops_of(r, ops, nops);
  if (!set) return false;
  rule_row *row = uopi_realloc(&r->ctx->mem, NULL, 0, size);
  if (!row) return uopi_no_memory(r->ctx), false;
  char *at = (char *)row + head;
  *row = (rule_row){.ops = set, .dtypes = DTYPES_ALL, .text = ""};
  row->name = keep(&at, name, strlen(name));
  row->comment = keep(&at, about, strlen(about));
  if (append(r, &(rule_entry){.row = row, .fn = {row->name, fn, user}})) return true;
  uopi_rules_cut(r, before);
  uopi_realloc(&r->ctx->mem, row, size, 0);
  return uopi_no_memory(r->ctx), false;
}

/* ---- for reading ---- */

size_t uop_rules_len(const uop_rules *r) { return r ? r->rules.len : 0; }

bool uop_rules_get(const uop_rules *r, size_t i, uop_rule_info *out) {
  if (!r || i >= r->rules.len) return false;
  const rule_entry *e = &r->rules.at[i];
  *out = (uop_rule_info){.name = e->row->name,
                         .comment = e->row->comment,
                         .text = e->row->text,
                         .set = e->table ? e->table->set : "",
                         .line = e->row->line,
                         .hits = e->hits};
  return true;
}
