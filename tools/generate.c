/* generate.c - writes what is derived from the op table: the enum inside uop.h and docs/ops.md.
 *   generate enum FILE   rewrites the lines between the markers of FILE in place
 *   generate docs        prints docs/ops.md
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY -1
struct row {
  const char *name, *text, *infer, *arg, *sets, *doc;
  int min, max;
};
static const struct row rows[] = {
#define UOP_ROW(NAME, text, min, max, infer, arg, sets, doc) \
  {#NAME, text, #infer, #arg, #sets, doc, min, max},
#include "../src/ir/ops.def"
};
enum { NROWS = sizeof rows / sizeof *rows };

static const struct sugar {
  const char *text, *doc;
  int arity;
} sugars[] = {
#define UOP_SUGAR(NAME, text, arity, doc) {text, doc, arity},
#include "../src/ir/sugar.def"
};
enum { NSUGARS = sizeof sugars / sizeof *sugars };

static const char begin_mark[] = "  /* ops: made from";
static const char end_mark[] = "  /* end of ops */";

static char *read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return perror(path), exit(1), NULL;
  size_t cap = 1 << 20, len = 0, got;
  char *s = malloc(cap);
  while (s && (got = fread(s + len, 1, cap - len - 1, f)) > 0)
    if ((len += got) == cap - 1) s = realloc(s, cap *= 2);
  if (!s) exit(1);
  s[len] = 0;
  fclose(f);
  return s;
}

static void write_enum(const char *path) {
  char *s = read_file(path), *b = strstr(s, begin_mark), *e = strstr(s, end_mark);
  if (!b || !e) {
    fprintf(stderr, "%s: the markers of the op enum are gone\n", path);
    exit(1);
  }
  b = strchr(b, '\n') + 1;
  FILE *f = fopen(path, "wb");
  if (!f) perror(path), exit(1);
  fwrite(s, 1, (size_t)(b - s), f);
  for (int i = 0; i < NROWS; i++) fprintf(f, "  UOP_%s, /* %s */\n", rows[i].name, rows[i].doc);
  fputs(e, f);
  if (fclose(f) != 0) perror(path), exit(1);
  free(s);
}

/* What the kinds of ops.def's legend are in .uir. */
static const char *words_for(const char *arg) {
  static const char *const words[][2] = {{"NONE", ""},
                                         {"VALUE", "the value; `dtype`"},
                                         {"PARAM", "`slot`, `dtype`, `shape`, `space`"},
                                         {"BUFFER", "the size; `dtype`, `slot`"},
                                         {"ALLOC", "the size; `dtype`, `slot`, `space`"},
                                         {"NAME", "`name`"},
                                         {"DTYPE", "`dtype`"},
                                         {"RANGE", "`idx`, `kind`"},
                                         {"SHAPE", "the shape, a tuple"},
                                         {"AXES", "the axes, a tuple"},
                                         {"PAIRS", "a (begin, end) for each axis"},
                                         {"REDUCE", "`op`, `pop`"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(arg, words[i][0])) return words[i][1];
  return "?";
}

static void write_docs(void) {
  puts("# The ops\n\nMade from src/ir/ops.def by `make generate`; edit that file.\n");
  puts("| op | sources | arg | sets | what it is |\n| --- | --- | --- | --- | --- |");
  for (const struct row *r = rows; r < rows + NROWS; r++) {
    printf("| `%s` | ", r->text);
    if (r->max == ANY)
      printf("%d or more", r->min);
    else
      printf("%d", r->min);
    printf(" | %s | ", words_for(r->arg));
    for (const char *p = strcmp(r->sets, "0") ? r->sets : ""; *p; p++)
      if (*p != '|') putchar(*p);
    printf(" | %s |\n", r->doc);
  }
  puts("\n## More names, for writing by hand\n\nRead and built, never printed; operands broadcast "
       "first.\n\n| name | operands | stands for |\n| --- | --- | --- |");
  for (const struct sugar *s = sugars; s < sugars + NSUGARS; s++)
    printf("| `%s` | %d | `%s` |\n", s->text, s->arity, s->doc);
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "enum"))
    write_enum(argv[2]);
  else if (argc == 2 && !strcmp(argv[1], "docs"))
    write_docs();
  else
    return fputs("usage: generate enum FILE | generate docs\n", stderr), 2;
  return 0;
}
