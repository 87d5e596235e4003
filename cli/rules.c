/* rules.c - lists of rewrite rules, read for a command; and `uopc rules`, which shows what is built
 * in.
 *
 * What `uopc rules SET` prints is a rule file: it reads back as the same rules.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define MAX_RULE_TEXT ((uint64_t)UOP_MAX_LINE) /* what the library reads at most */
#define PAGE          100                      /* columns of a rule file */

/* ---- reading ---- */

uop_rules *rules_new(uop_ctx *ctx) {
  uop_rules *r = uop_rules_new(ctx);
  if (r && uop_rules_define_builtin(r)) return r;
  uop_rules_free(r);
  diag_say(DIAG_ERROR, "out of memory");
  return NULL;
}

static void report(source *src, uop_ctx *ctx, const uop_diags *diags, bool ok) {
  size_t errors = 0;
  for (size_t i = 0; i < diags->len; i++) {
    bool is_warning = diags->at[i].code >= UOP_W_UNUSED;
    errors += !is_warning;
    diag_print(src, is_warning ? DIAG_WARNING : DIAG_ERROR, &diags->at[i]);
  }
  bool no_memory = uop_error(ctx)->code == UOP_E_MEMORY; /* for more, perhaps */
  if (!ok && (errors == 0 || no_memory)) diag_print(src, DIAG_ERROR, uop_error(ctx));
  if (diags->more)
    diag_say(DIAG_NOTE, "there are more than %d %s; the first ones are shown", UOP_MAX_ERRORS,
             ok ? "warnings" : "errors");
}

bool rules_add_file(uop_rules *r, uop_ctx *ctx, const char *path) {
  bytes text = {NULL, 0, 0};
  uop_diags diags = {0};
  bool ok = input_read(path, MAX_RULE_TEXT, &text);
  if (ok) {
    source src = {.name = strcmp(path, "-") == 0 ? "<stdin>" : path, .text = text.at};
    src.len = text.len;
    ok = uop_rules_add_text(r, text.at, text.len, &diags);
    report(&src, ctx, &diags, ok);
  }
  uop_diags_free(ctx, &diags);
  free(text.at);
  return ok;
}

int rules_find_set(const char *name, const command *cmd) {
  const char *words[64] = {"simplify"}; /* which stands for several */
  size_t n = 0;
  if (strcmp(name, words[n++]) == 0) return CLI_FINE;
  for (; n < COUNT_OF(words) && (words[n] = uop_rule_set_name(n - 1)) != NULL; n++)
    if (strcmp(words[n], name) == 0) return CLI_FINE;
  const char *likely = nearest_word(name, words, n, sizeof *words);
  if (likely) return diag_usage(cmd, "unknown rule set '%s'; did you mean '%s'?", name, likely);
  return diag_usage(cmd, "unknown rule set '%s'; 'uopc rules' lists what there is", name);
}

bool rules_add_set(uop_rules *r, uop_ctx *ctx, const char *name) {
  if (uop_rules_add_set(r, name)) return true;
  diag_say(DIAG_ERROR, "rule set '%s': %s", name, uop_error(ctx)->message);
  return false;
}

/* ---- uopc rules ---- */

typedef struct rules_args {
  cli_args common; /* its file: a set */
  const char *check;
  bool all;
} rules_args;

static void put(const char *s) { output_put(s, strlen(s)); }

/* "# Adding 0 changes nothing.", in lines. */
static void put_comment(const char *s) {
  size_t column = 0;
  while (*(s += strspn(s, " "))) {
    size_t n = strcspn(s, " ");
    bool fits = column > 0 && column + 1 + n <= PAGE;
    if (!fits) put(column > 0 ? "\n#" : "#");
    if (!fits) column = 1;
    put(" ");
    output_put(s, n);
    column += 1 + n;
    s += n;
  }
  if (column > 0) put("\n");
}

/* Rules from number `first` on. */
static void put_rules(const uop_rules *r, size_t first) {
  uop_rule_info rule;
  for (size_t i = first; uop_rules_get(r, i, &rule); i++) {
    if (i > first) put("\n");
    put_comment(rule.comment);
    put(rule.text);
    put("\n");
  }
}

static bool list_set(uop_rules *r, uop_ctx *ctx, const char *name, const char *about) {
  char line[100];
  size_t before = uop_rules_len(r);
  if (!rules_add_set(r, ctx, name)) return false;
  size_t n = uop_rules_len(r) - before;
  snprintf(line, sizeof line, "%-10s %4zu rule%s%s\n", name, n, n == 1 ? "" : "s", about);
  put(line);
  return true;
}

static bool list_sets(uop_rules *r, uop_ctx *ctx) {
  const char *name;
  for (size_t i = 0; (name = uop_rule_set_name(i)) != NULL; i++)
    if (!list_set(r, ctx, name, "")) return false;
  return list_set(r, ctx, "simplify", ": all but inexact and inline");
}

static bool show_all(uop_rules *r, uop_ctx *ctx) {
  const char *name;
  for (size_t i = 0; (name = uop_rule_set_name(i)) != NULL; i++) {
    size_t before = uop_rules_len(r);
    if (!rules_add_set(r, ctx, name)) return false;
    put(i > 0 ? "\n# ---- " : "# ---- ");
    put(name);
    put(" ----\n\n");
    put_rules(r, before);
  }
  return true;
}

static bool show(uop_rules *r, uop_ctx *ctx, const rules_args *args) {
  if (args->check) return rules_add_file(r, ctx, args->check);
  if (args->all) return show_all(r, ctx);
  if (!args->common.file) return list_sets(r, ctx);
  bool ok = rules_add_set(r, ctx, args->common.file);
  if (ok) put_rules(r, 0);
  return ok;
}

static int rules(const void *arguments) {
  const rules_args *args = arguments;
  const char *set = args->common.file;
  if ((set != NULL) + args->all + (args->check != NULL) > 1)
    return diag_usage(&command_rules, "SET, --all and --check FILE: give one of them");
  int status = set ? rules_find_set(set, &command_rules) : CLI_FINE;
  if (status != CLI_FINE) return status;
  uop_ctx *ctx = uop_ctx_new(NULL);
  if (!ctx) diag_say(DIAG_ERROR, "out of memory");
  uop_rules *r = ctx ? rules_new(ctx) : NULL;
  bool ok = r && show(r, ctx, args);
  uop_rules_free(r);
  uop_ctx_free(ctx);
  return ok ? CLI_FINE : CLI_WRONG;
}

static const opt_row options[] = {
    {0, "all", OPT_FLAG, offsetof(rules_args, all), NULL, "show the rules of every set"},
    {0, "check", OPT_TEXT, offsetof(rules_args, check), "FILE",
     "report what is wrong with a rule file, and\nnothing when all is well"},
    OPT_ROW_END,
};

const command command_rules = {
    .name = "rules",
    .summary = "show the rewrite rules that are built in",
    .about =
        "Lists the rule sets that are built in; with SET, the rules of one of them, each with\n"
        "the reason why it holds. What is shown is a rule file itself. With --check, reads\n"
        "a rule file (- is standard input) and reports errors and warnings: the exit status\n"
        "is 1 when there are errors, 0 with warnings alone.",
    .examples = "  uopc rules\n"
                "  uopc rules i32\n"
                "  uopc rules --check my.rules",
    .operand = "[SET]",
    .options = options,
    .args_size = sizeof(rules_args),
    .run = rules,
};
