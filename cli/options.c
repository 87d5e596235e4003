/* options.c - command lines, read and explained from one table.
 *
 * Each command describes its options in a table of opt_row; this file fills the command's args from
 * it and prints its help from it, so that the two cannot differ. `--name value` and `--name=value`,
 * `-x value` and `-xvalue`; options may follow the file; `--` ends them; `-` alone is a file.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 24

/* ---- likely words ---- */

#define MAX_WORD 24

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Letters to insert, delete, change or swap with their neighbour; SIZE_MAX for long words. */
static size_t distance(const char *a, const char *b) {
  size_t d[MAX_WORD + 1][MAX_WORD + 1], m = strlen(a), n = strlen(b);
  if (m > MAX_WORD || n > MAX_WORD) return SIZE_MAX;
  for (size_t i = 0; i <= m; i++) d[i][0] = i;
  for (size_t j = 0; j <= n; j++) d[0][j] = j;
  for (size_t i = 1; i <= m; i++)
    for (size_t j = 1; j <= n; j++) {
      size_t change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = least(change, least(d[i - 1][j], d[i][j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[m][n];
}

const char *nearest_word(const char *word, const void *words, size_t n, size_t stride) {
  const char *best = NULL;
  size_t len = strlen(word), limit = len < 2 ? 0 : len < 5 ? 1 : 2;
  for (size_t i = 0; i < n; i++) {
    const char *w = *(const char *const *)((const char *)words + i * stride);
    if (!w) continue;
    size_t d = len >= 2 && strncmp(w, word, len) == 0 ? 0 : distance(word, w);
    if (d > limit || (best && d == limit)) continue;
    best = w;
    limit = d;
  }
  return best;
}

/* ---- reading ---- */

typedef struct reader {
  const command *cmd;
  char *args; /* the command's args struct, as bytes */
  int argc;
  char **argv;
  int at;      /* the next argument */
  int *status; /* set by whatever ends the reading */
} reader;

static bool is_end(const opt_row *o) { return !o->letter && !o->name; }

static bool stop(reader *r, int status) {
  *r->status = status;
  return false;
}

/* "--out" or "-o", for messages. */
static const char *shown(const opt_row *o, char buf[MAX_WORD + 4]) {
  if (o->name)
    snprintf(buf, MAX_WORD + 4, "--%s", o->name);
  else
    snprintf(buf, MAX_WORD + 4, "-%c", o->letter);
  return buf;
}

/* Digits, and for bytes one of K M G T; false when it is no such number or does not fit. */
static bool read_number(const char *s, bool suffixed, uint64_t *out) {
  static const char suffixes[] = "KMGT";
  uint64_t v = 0;
  if (*s < '0' || *s > '9') return false;
  for (; *s >= '0' && *s <= '9'; s++) {
    uint64_t digit = (uint64_t)(*s - '0');
    if (v > (UINT64_MAX - digit) / 10) return false;
    v = v * 10 + digit;
  }
  if (suffixed && *s) {
    char upper = *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s;
    const char *suffix = strchr(suffixes, upper);
    unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (!suffix || v > UINT64_MAX >> shift) return false;
    v <<= shift;
    s++;
  }
  *out = v;
  return *s == 0;
}

static bool set_number(reader *r, const opt_row *o, opt_number *n, const char *value) {
  char name[MAX_WORD + 4];
  uint64_t from = o->kind == OPT_SEED ? 0 : 1;
  if (n->given) return stop(r, diag_usage(r->cmd, "%s is given twice", shown(o, name)));
  if (!read_number(value, o->kind == OPT_BYTES, &n->value) || n->value < from)
    return stop(r, diag_usage(r->cmd, "%s '%s': not a whole number from %llu to 2^64-1%s",
                              shown(o, name), value, (unsigned long long)from,
                              o->kind == OPT_BYTES ? "; K, M, G or T may follow" : ""));
  n->given = true;
  return true;
}

static bool add_to_list(reader *r, opt_list *l, const char *value) {
  if (!l->at) l->at = malloc(2 * (size_t)r->argc * sizeof *l->at); /* a name with each value */
  if (!l->at) {
    diag_say(DIAG_ERROR, "out of memory");
    return stop(r, CLI_WRONG);
  }
  l->at[l->len++] = value;
  return true;
}

static bool set_text(reader *r, const opt_row *o, const char **field, const char *value) {
  char name[MAX_WORD + 4];
  if (*field) return stop(r, diag_usage(r->cmd, "%s is given twice", shown(o, name)));
  if (!*value) return stop(r, diag_usage(r->cmd, "%s: the name is empty", shown(o, name)));
  *field = value;
  return true;
}

static bool set_value(reader *r, const opt_row *o, const char *value) {
  void *field = r->args + o->offset;
  switch (o->kind) {
  case OPT_FLAG: break;
  case OPT_TEXT: return set_text(r, o, field, value);
  case OPT_LIST: return add_to_list(r, field, value);
  case OPT_NAMED: return add_to_list(r, field, o->name) && add_to_list(r, field, value);
  case OPT_SEED:
  case OPT_COUNT:
  case OPT_BYTES: return set_number(r, o, field, value);
  }
  return true;
}

/* An option that was found; `value` is what was written together with it, or NULL. */
static bool take(reader *r, const opt_row *o, const char *value) {
  char name[MAX_WORD + 4];
  if (o->kind == OPT_FLAG) {
    if (value) return stop(r, diag_usage(r->cmd, "%s takes no value", shown(o, name)));
    *(bool *)(void *)(r->args + o->offset) = true;
    return true;
  }
  if (!value && r->at == r->argc)
    return stop(r, diag_usage(r->cmd, "%s needs a value: %s", shown(o, name), o->value));
  return set_value(r, o, value ? value : r->argv[r->at++]);
}

static bool unknown_option(reader *r, const char *arg, size_t len, const char *likely) {
  int n = len > 1000 ? 1000 : (int)len;
  if (likely)
    return stop(r,
                diag_usage(r->cmd, "unknown option '%.*s'; did you mean '--%s'?", n, arg, likely));
  return stop(r, diag_usage(r->cmd, "unknown option '%.*s'", n, arg));
}

static bool show_help(reader *r) {
  options_help(r->cmd, stdout);
  return stop(r, CLI_FINE);
}

static bool take_long(reader *r, const char *arg) {
  const opt_row *rows = r->cmd->options;
  const char *name = arg + 2, *equals = strchr(name, '=');
  size_t len = equals ? (size_t)(equals - name) : strlen(name), n = 0;
  if (strcmp(name, "help") == 0) return show_help(r);
  for (; !is_end(&rows[n]); n++) {
    const opt_row *o = &rows[n];
    if (o->name && strlen(o->name) == len && memcmp(o->name, name, len) == 0)
      return take(r, o, equals ? equals + 1 : NULL);
  }
  char word[MAX_WORD + 1] = "";
  if (len <= MAX_WORD) memcpy(word, name, len);
  return unknown_option(r, arg, len + 2, nearest_word(word, &rows->name, n, sizeof *rows));
}

static bool take_short(reader *r, const char *arg) {
  if (strcmp(arg, "-h") == 0) return show_help(r);
  for (const opt_row *o = r->cmd->options; !is_end(o); o++)
    if (o->letter == arg[1]) return take(r, o, arg[2] ? arg + 2 + (arg[2] == '=') : NULL);
  const char *likely = NULL; /* `-param` for `--param` */
  for (const opt_row *o = r->cmd->options; !is_end(o); o++) {
    size_t len = o->name ? strlen(o->name) : 0;
    if (len > 0 && strncmp(arg + 1, o->name, len) == 0 && (!arg[1 + len] || arg[1 + len] == '='))
      likely = o->name;
  }
  return unknown_option(r, arg, strlen(arg), likely);
}

static bool take_file(reader *r, const char *arg) {
  cli_args *args = (cli_args *)(void *)r->args;
  const char *what = r->cmd->operand ? "set" : "file";
  if (args->file)
    return stop(r,
                diag_usage(r->cmd, "one %s at a time: '%s' follows '%s'", what, arg, args->file));
  if (!*arg) return stop(r, diag_usage(r->cmd, "the %s's name is empty", what));
  args->file = arg;
  return true;
}

bool options_parse(const command *cmd, int argc, char **argv, void *args, int *status) {
  reader r = {cmd, args, argc, argv, 0, status};
  const cli_args *common = args;
  bool ended = false;
  while (r.at < argc) {
    const char *arg = argv[r.at++];
    bool ok = true;
    if (ended || arg[0] != '-' || !arg[1])
      ok = take_file(&r, arg);
    else if (arg[1] != '-')
      ok = take_short(&r, arg);
    else if (arg[2])
      ok = take_long(&r, arg);
    else
      ended = true;
    if (!ok) return false;
  }
  if (common->file && common->texts.len > 0)
    return stop(&r, diag_usage(cmd, "-e and '%s': give the one or the other", common->file));
  if (!common->file && common->texts.len == 0 && !cmd->operand)
    return stop(&r,
                diag_usage(cmd, "no program: give a FILE, or - for standard input, or -e TEXT"));
  return true;
}

void options_free(const command *cmd, void *args) {
  for (const opt_row *o = cmd->options; !is_end(o); o++) {
    opt_list *l = (opt_list *)(void *)((char *)args + o->offset);
    if (o->kind != OPT_LIST && o->kind != OPT_NAMED) continue;
    free(l->at);
    l->at = NULL; /* other rows may share it */
  }
}

/* ---- help ---- */

static void help_row(const opt_row *o, FILE *f) {
  char left[80];
  int n = snprintf(left, sizeof left, "  ");
  if (o->letter)
    n += snprintf(left + n, sizeof left - (size_t)n, "-%c", o->letter);
  else
    n += snprintf(left + n, sizeof left - (size_t)n, "    ");
  if (o->name)
    n += snprintf(left + n, sizeof left - (size_t)n, "%s--%s", o->letter ? ", " : "", o->name);
  if (o->value) snprintf(left + n, sizeof left - (size_t)n, " %s", o->value);
  const char *line = o->help;
  if (strlen(left) + 2 > HELP_COLUMN) {
    fprintf(f, "%s\n", left);
    left[0] = 0;
  }
  for (const char *end; line; line = end ? end + 1 : NULL) {
    end = strchr(line, '\n');
    int len = end ? (int)(end - line) : (int)strlen(line);
    fprintf(f, "%-*s%.*s\n", HELP_COLUMN, left, len, line);
    left[0] = 0;
  }
}

void options_help(const command *cmd, FILE *f) {
  static const opt_row help = {'h', "help", OPT_FLAG, 0, NULL, "print this and stop"};
  const char *operand = cmd->operand ? cmd->operand : "FILE";
  fprintf(f, "usage: uopc %s [options] %s\n\n%s\n", cmd->name, operand, cmd->about);
  if (!cmd->operand) fputs("\nFILE holds a program in .uir text; - is standard input.\n", f);
  fputs("\noptions:\n", f);
  for (const opt_row *o = cmd->options; !is_end(o); o++) help_row(o, f);
  help_row(&help, f);
  fprintf(f, "\nexamples:\n%s\n", cmd->examples);
}
