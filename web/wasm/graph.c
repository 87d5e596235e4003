/* graph.c - the picture: the library's DOT, and what each of its boxes stands for.
 *
 * Options come as lines: "open 12" (the run that box n12 stands for is drawn in full) and
 * "note 34 TEXT" (one more line for the node of id 34). What is none of these is passed over.
 */
#include "glue.h"

#include <string.h>

typedef struct picture {
  const char *text; /* the options, each line ended by a NUL */
  uop_map *notes;   /* node -> where its text begins */
} picture;

static void box(void *user, size_t number, const uop *const *nodes, size_t n) {
  char key[24] = "n", digits[20];
  size_t len = 0;
  (void)user;
  do digits[len++] = (char)('0' + number % 10);
  while (number /= 10);
  for (size_t i = 0; i < len; i++) key[1 + i] = digits[len - 1 - i];
  json_key(key), json_open('{');
  json_key("nodes"), put_ids(nodes, n);
  json_key("folded"), json_bool(n > 1);
  json_close('}');
}

static const char *note(void *user, const uop *u) {
  const picture *p = user;
  uint64_t at;
  return uop_map_get(p->notes, u, &at) ? p->text + at : NULL;
}

/* ---- options ---- */

static const char *read_number(const char *s, uint64_t *out) {
  for (*out = 0; *s >= '0' && *s <= '9'; s++) *out = *out * 10 + (uint64_t)(*s - '0');
  return s;
}

static bool read_line(picture *p, uop_ctx *ctx, const char *line, const uop_nodes *order,
                      uop_nodes *open) {
  uint64_t number;
  const char *rest = read_number(line + 5, &number);
  if (memcmp(line, "open ", 5) == 0 && number < order->len) {
    open->at[open->len++] = order->at[number];
  } else if (memcmp(line, "note ", 5) == 0 && *rest == ' ') {
    const uop *u = find_node(ctx, (double)number);
    return !u || uop_map_set(p->notes, u, (uint64_t)(rest + 1 - p->text));
  }
  return true;
}

/* Every line is at least as long as "open 1". */
static bool read_options(picture *p, uop_ctx *ctx, char *text, size_t len, const uop_nodes *order,
                         uop_nodes *open) {
  bool ok = true;
  for (char *line = text, *end; ok && line < text + len; line = end + 1) {
    if (!(end = memchr(line, '\n', (size_t)(text + len - line)))) break;
    *end = 0;
    if (end - line > 5) ok = read_line(p, ctx, line, order, open);
  }
  return ok;
}

/* ---- the answer ---- */

static bool draw(uop_ctx *ctx, const uop *const *roots, size_t n, const uop_dot_options *options) {
  size_t len;
  json_open('{');
  json_key("boxes"), json_open('{');
  char *dot = uop_dot_with(ctx, roots, n, options, &len);
  json_close('}');
  if (dot) json_key("dot"), json_text(dot, len);
  json_close('}');
  uop_free(ctx, dot);
  return dot != NULL;
}

void put_graph(uop_ctx *ctx, const uop *const *roots, size_t n, const uop_program *program,
               char *options, size_t len) {
  picture p = {.text = options, .notes = uop_map_new(ctx)};
  uop_nodes order = {NULL, 0, 0}, open = {mem_new((len / 6 + 1) * sizeof(uop *)), 0, 0};
  bool ok = p.notes && open.at;
  if (len > 0)
    ok = ok && uop_toposort(ctx, roots, n, &order) &&
         read_options(&p, ctx, options, len, &order, &open);
  uop_dot_options o = {
      .program = program, .open = open.at, .nopen = open.len, .note = note, .box = box, .user = &p};
  if (!ok || !draw(ctx, roots, n, &o)) json_fail();
  uop_nodes_free(ctx, &order);
  mem_drop((void *)open.at);
  uop_map_free(p.notes);
  uop_error_clear(ctx);
}

EXPORT("graph") void program_graph(handle *h, char *options, size_t len) {
  json_begin();
  put_graph(h->ctx, h->tops, h->ntops, h->prog, options, len);
}
