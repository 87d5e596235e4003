/* rules.c - compiles rule files into C: rules FILE.rules… > src/symbolic/tables.inc
 *
 * Each file is a set, named after it. Errors and warnings go to standard error as a C compiler's
 * do, and either of them fails: a rule that is shipped says why it holds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/rule.h"

static const char *const fns[] = {
#define UOP_RULE_FN(name) #name,
#include "symbolic/functions.def"
#undef UOP_RULE_FN
};

static int find_fn(void *user, const char *name, size_t len) {
  (void)user;
  for (size_t i = 0; i < sizeof fns / sizeof *fns; i++)
    if (strlen(fns[i]) == len && memcmp(fns[i], name, len) == 0) return (int)i;
  return -1;
}

static char *read_file(const char *path, size_t *len) {
  FILE *f = fopen(path, "rb");
  size_t cap = 1 << 20;
  char *s = f ? malloc(cap) : NULL;
  if (!s) {
    perror(path);
    exit(1);
  }
  *len = fread(s, 1, cap, f);
  fclose(f);
  return s;
}

static void set_name(const char *path, char name[64]) {
  const char *slash = strrchr(path, '/'), *at = slash ? slash + 1 : path, *dot = strchr(at, '.');
  snprintf(name, 64, "%.*s", (int)(dot ? dot - at : (long)strlen(at)), at);
}

static void put_string(const char *s) {
  putchar('"');
  for (; *s; s++) {
    if (*s == '\n')
      fputs("\\n", stdout);
    else if (*s == '"' || *s == '\\')
      printf("\\%c", *s);
    else
      putchar(*s);
  }
  putchar('"');
}

static void put_table(const char *name, const rule_table *t) {
  printf("\nstatic const uint32_t %s_code[] = {", name);
  for (size_t i = 0; i < t->ncode; i++)
    printf("%s0x%" PRIx32 ",", i % 10 ? " " : "\n    ", t->code[i]);
  printf("\n};\n\nstatic const rule_row %s_rows[] = {\n", name);
  for (size_t i = 0; i < t->n; i++) {
    const rule_row *r = &t->rows[i];
    printf("    {");
    put_string(r->name);
    printf(",\n     ");
    put_string(r->comment);
    printf(",\n     ");
    put_string(r->text);
    printf(",\n     UINT64_C(0x%" PRIx64 "), {UINT64_C(0x%" PRIx64 "), UINT64_C(0x%" PRIx64
           ")}, %" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n",
           r->ops, r->needs.ops, r->needs.with_const, r->line, r->dtypes, r->code);
  }
  printf("};\n");
}

static rule_table compile(uop_ctx *ctx, const char *path, char *name) {
  size_t len;
  char *text = read_file(path, &len);
  uop_diags diags = {0};
  set_name(path, name);
  rule_text *t = uopi_rule_text_new(ctx, text, len, find_fn, NULL, &diags);
  for (size_t i = 0; i < diags.len; i++)
    fprintf(stderr, "%s:%" PRIu32 ":%" PRIu32 ": %s\n", path, diags.at[i].line, diags.at[i].column,
            diags.at[i].message + diags.at[i].reason);
  if (!t || diags.len) exit(1);
  free(text);
  return t->table; /* t lives until the end */
}

int main(int argc, char **argv) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  char(*name)[64] = calloc((size_t)argc, sizeof *name);
  if (!ctx || !name) return 1;
  printf("/* tables.inc - made from src/symbolic/(any).rules by `make generate`; edit those files. "
         "*/\n"
         "/* clang-format off */\n");
  size_t *count = calloc((size_t)argc, sizeof *count);
  if (!count) return 1;
  for (int i = 1; i < argc; i++) {
    rule_table t = compile(ctx, argv[i], name[i]);
    put_table(name[i], &t);
    count[i] = t.ncode;
  }
  printf("\nstatic const rule_table sets[] = {\n");
  for (int i = 1; i < argc; i++)
    printf("    {\"%s\", %s_rows, sizeof %s_rows / sizeof *%s_rows, %s_code, %zu, fns},\n", name[i],
           name[i], name[i], name[i], name[i], count[i]);
  printf("};\n/* clang-format on */\n");
  free(count);
  free(name);
  return 0;
}
