/* amalgamate.c - prints the whole library as one C file, to be put beside uop.h.
 *   amalgamate LICENSE FILE…   the license's text, and src/…/….c in the order wanted
 *
 * Headers of src/ are put in where they are first asked for, tables (.def) wherever they are. What
 * the separate files may do and one file may not is mended here, so that src/ need not know:
 *  - a name that two files have at file scope (static functions and data, types, constants) becomes
 *    NAME_in_FOLDER_FILE in each; members of structs keep theirs;
 *  - a macro that a .c file defines is undefined behind it;
 *  - feature macros (_DEFAULT_SOURCE) go to the top, before any system header.
 *
 * It reads C as this project writes it, not all of C. What it cannot do shows when its output is
 * compiled, which tests/install.sh does.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 500, MAX_NAMES = 20000 };

typedef struct span { /* a piece of a file's text */
  const char *at;
  size_t len;
} span;

typedef struct file {
  const char *path;
  char *text;
  bool is_unit; /* a .c file; the others share one scope */
  bool done;    /* put in already */
} file;

static file files[MAX_FILES];
static size_t nfiles;

static struct name { /* at file scope */
  span name;
  const file *owner; /* the unit, or NULL for headers */
} names[MAX_NAMES];
static size_t nnames;

static void die(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fputs("amalgamate: ", stderr);
  vfprintf(stderr, fmt, ap);
  fputc('\n', stderr);
  va_end(ap);
  exit(1);
}

static bool same(span a, span b) { return a.len == b.len && memcmp(a.at, b.at, a.len) == 0; }
static bool is(span a, const char *word) { return same(a, (span){word, strlen(word)}); }
static bool ends_with(const char *s, const char *end) {
  size_t n = strlen(s), k = strlen(end);
  return n >= k && strcmp(s + n - k, end) == 0;
}

static char *read_text(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) die("cannot read %s", path);
  size_t cap = 1 << 16, len = 0, got;
  char *s = malloc(cap);
  while (s && (got = fread(s + len, 1, cap - len - 1, f)) > 0)
    if ((len += got) == cap - 1) s = realloc(s, cap *= 2);
  if (!s || ferror(f)) die("cannot read %s", path);
  s[len] = 0;
  fclose(f);
  return s;
}

static file *open_file(const char *path) {
  for (size_t i = 0; i < nfiles; i++)
    if (strcmp(files[i].path, path) == 0) return &files[i];
  if (nfiles == MAX_FILES) die("more than %d files", MAX_FILES);
  char *copy = malloc(strlen(path) + 1);
  if (!copy) die("out of memory");
  file *f = &files[nfiles++];
  *f = (file){strcpy(copy, path), read_text(path), ends_with(path, ".c"), false};
  return f;
}

/* ---- tokens -------------------------------------------------------------------------------- */

typedef enum kind { END, BLANK, WORD, NUMBER, QUOTED, MARK, DIRECTIVE } kind;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The end of the logical line at s, its newline left out. */
static const char *line_end(const char *s) {
  while (*s && *s != '\n') s += *s == '\\' && s[1] ? 2 : 1;
  return s;
}

static const char *comment_end(const char *s) { /* s: at a comment */
  if (s[1] == '/') return line_end(s);
  const char *e = strstr(s + 2, "*/");
  return e ? e + 2 : s + strlen(s);
}

/* The token at s. A directive is the whole logical line; comments are blanks. */
static kind token(const char *s, bool line_start, span *out) {
  const char *e = s + 1;
  kind k = MARK;
  if (!*s) return END;
  if (*s == '/' && (s[1] == '*' || s[1] == '/')) {
    k = BLANK, e = comment_end(s);
  } else if (isspace((unsigned char)*s)) {
    k = BLANK;
  } else if (*s == '#' && line_start) {
    k = DIRECTIVE, e = line_end(s);
  } else if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
    k = NUMBER;
    while (is_word(*e) || *e == '.' || ((*e == '+' || *e == '-') && strchr("eEpP", e[-1]))) e++;
  } else if (is_word(*s)) {
    k = WORD;
    while (is_word(*e)) e++;
  } else if (*s == '"' || *s == '\'') {
    k = QUOTED;
    while (*e && *e != *s) e += *e == '\\' && e[1] ? 2 : 1;
    if (*e) e++;
  }
  *out = (span){s, (size_t)(e - s)};
  return k;
}

/* The first character behind s that is neither blank nor comment. */
static char next_mark(const char *s) {
  span t;
  while (token(s, false, &t) == BLANK) s = t.at + t.len;
  return *s;
}

/* "#  word rest": the word, and where the rest begins. */
static span directive_word(span d, const char **rest) {
  const char *s = d.at + 1, *e;
  while (*s == ' ') s++;
  for (e = s; is_word(*e); e++) {}
  for (*rest = e; **rest == ' ';) ++*rest;
  return (span){s, (size_t)(e - s)};
}

static span word_at(const char *s) {
  size_t n = 0;
  while (is_word(s[n])) n++;
  return (span){s, n};
}

/* The path of a directive that includes a file of src/, else NULL. */
static const char *included(span d, char path[256]) {
  const char *rest;
  if (!is(directive_word(d, &rest), "include") || *rest != '"') return NULL;
  size_t n = strcspn(rest + 1, "\"");
  if (snprintf(path, 256, "src/%.*s", (int)n, rest + 1) >= 256) die("too long: %s", path);
  return strcmp(path, "src/uop.h") == 0 ? NULL : path;
}

static bool is_feature_macro(span name) {
  return name.len > 8 && name.at[0] == '_' && memcmp(name.at + name.len - 7, "_SOURCE", 7) == 0;
}

/* ---- names at file scope --------------------------------------------------------------------- */

static void add_name(const file *f, span name) {
  const file *owner = f->is_unit ? f : NULL;
  for (size_t i = 0; i < nnames; i++)
    if (names[i].owner == owner && same(names[i].name, name)) return;
  if (nnames == MAX_NAMES) die("more than %d names", MAX_NAMES);
  names[nnames++] = (struct name){name, owner};
}

/* Whether `name` is file f's own and another file has it too. */
static bool clashes(const file *f, span name) {
  bool mine = false, others = false;
  for (size_t i = 0; i < nnames; i++)
    if (same(names[i].name, name)) *(names[i].owner == f ? &mine : &others) = true;
  return mine && others;
}

static void collect(const file *f);

static void collect_include(span directive) {
  char path[256];
  if (!included(directive, path)) return;
  size_t before = nfiles;
  file *g = open_file(path);
  if (nfiles > before && !ends_with(path, ".def")) collect(g);
}

/* Finds what f declares: static NAME, typedef … NAME, struct NAME {, enum { NAME, NAME }. */
static void collect(const file *f) {
  int braces = 0, parens = 0, enum_at = -1; /* enum_at: depth inside of an enum's braces */
  bool line_start = true, is_static = false, is_typedef = false, body = false;
  span t, last = {"", 0}, tag = {"", 0};
  kind k;
  for (const char *s = f->text; (k = token(s, line_start, &t)) != END; s = t.at + t.len) {
    if (k == BLANK) {
      if (*t.at == '\n') line_start = true;
      continue;
    }
    line_start = false;
    if (k == DIRECTIVE) {
      collect_include(t);
      continue;
    }
    bool top = braces == 0 && parens == 0;
    char next = next_mark(t.at + t.len);
    if (k == WORD && top) {
      if (is(t, "static")) is_static = true, is_typedef = false;
      if (is(t, "typedef")) is_typedef = true, is_static = false;
      if (is(t, "struct") || is(t, "union") || is(t, "enum")) tag = t;
      if (next == '{' && (is(last, "struct") || is(last, "union") || is(last, "enum")))
        add_name(f, t);
      if (is_static && t.at[0] != '_' && next && strchr("([=;,", next)) {
        add_name(f, t);
        if (next == '(') is_static = false;
      }
      if (is_typedef && next == ';') add_name(f, t);
    } else if (k == WORD && is_typedef && braces == 0 && is(last, "*") && next == ')') {
      add_name(f, t);
    } else if (k == WORD && braces == enum_at && (is(last, "{") || is(last, ","))) {
      add_name(f, t);
    } else if (k == MARK) {
      if (*t.at == '(') parens++;
      if (*t.at == ')') parens--;
      if (*t.at == '{') {
        if (top) body = is(last, ")");
        if (top && is(tag, "enum")) enum_at = braces + 1;
        braces++;
      }
      if (*t.at == '}') braces--;
      if (braces < enum_at) enum_at = -1;
      if (braces == 0 && parens == 0 && (*t.at == ';' || (*t.at == '}' && body)))
        is_static = is_typedef = body = false, tag = (span){"", 0};
    }
    last = t;
  }
  if (braces || parens) die("%s: braces or parentheses that do not match", f->path);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void put(span s) { fwrite(s.at, 1, s.len, stdout); }

static void put_renamed(const file *f, span name) {
  put(name);
  fputs("_in_", stdout);
  for (const char *p = f->path + strlen("src/"); strcmp(p, ".c") != 0; p++)
    putchar(*p == '/' ? '_' : *p);
}

/* The text of a unit, with its clashing names renamed. A member of a struct is not at file scope:
 * it follows a dot or an arrow, or ends a declarator inside a struct's braces. */
static void put_words(const file *f, const char *s, const char *end) {
  static bool in_struct[64];
  static int depth; /* pieces of one file follow each other */
  static span last = {"", 0}, before = {"", 0};
  span t;
  kind k;
  for (; s < end && (k = token(s, false, &t)) != END; s = t.at + t.len) {
    if (k == WORD && clashes(f, t)) {
      char next = next_mark(t.at + t.len);
      bool member = is(last, ".") || (is(last, ">") && is(before, "-")) ||
                    (in_struct[depth] && next && strchr(";,[:", next));
      if (!member) {
        put_renamed(f, t);
        before = last, last = t;
        continue;
      }
    }
    put(t);
    if (k == BLANK) continue;
    if (k == MARK && *t.at == '{') {
      if (++depth == 64) die("%s: braces too deep", f->path);
      in_struct[depth] =
          is(last, "struct") || is(last, "union") || is(before, "struct") || is(before, "union");
    }
    if (k == MARK && *t.at == '}' && depth > 0) depth--;
    before = last, last = t;
  }
}

static void put_file(file *f);

/* Puts in what the directive includes. Inside of an #if it would be there only sometimes, and all
 * later files would miss it. */
static bool put_include(const file *f, span directive, int conditions) {
  char path[256];
  const char *rest;
  if (!included(directive, path))
    return is(directive_word(directive, &rest), "include") && *rest == '"'; /* uop.h: at the top */
  file *g = open_file(path);
  bool is_table = ends_with(path, ".def"); /* put in each time, so that no one misses it */
  if (!is_table && conditions > !f->is_unit)
    die("%s: includes %s inside of an #if", f->path, path);
  if (!g->done || is_table) put_file(g);
  return true;
}

static int condition(span word) {
  if (is(word, "if") || is(word, "ifdef") || is(word, "ifndef")) return 1;
  return is(word, "endif") ? -1 : 0;
}

static void put_file(file *f) {
  span macros[200];
  size_t nmacros = 0;
  int conditions = 0;
  bool line_start = true;
  const char *from = f->text;
  span t;
  kind k;
  f->done = true;
  printf("\n/* ======== %s ======== */\n\n", f->path);
  for (const char *s = f->text; (k = token(s, line_start, &t)) != END; s = t.at + t.len) {
    line_start = k == BLANK ? line_start || *t.at == '\n' : false;
    if (k != DIRECTIVE) continue;
    const char *rest;
    span word = directive_word(t, &rest), name = word_at(rest);
    conditions += condition(word);
    if (f->is_unit)
      put_words(f, from, t.at);
    else
      put((span){from, (size_t)(t.at - from)});
    from = t.at + t.len;
    if (is(word, "define") && is_feature_macro(name)) {
      from = line_end(from);
    } else if (!put_include(f, t, conditions)) {
      if (f->is_unit)
        put_words(f, t.at, from);
      else
        put(t);
    }
    if (f->is_unit && is(word, "define") && !is_feature_macro(name)) {
      if (nmacros == 200) die("%s: too many macros", f->path);
      macros[nmacros++] = name;
    }
    if (is(word, "undef"))
      for (size_t i = 0; i < nmacros; i++)
        if (same(macros[i], name)) macros[i--] = macros[--nmacros];
  }
  if (f->is_unit)
    put_words(f, from, f->text + strlen(f->text));
  else
    fputs(from, stdout);
  for (size_t i = 0; i < nmacros; i++) {
    bool again = false; /* defined in both branches of an #if */
    for (size_t j = 0; j < i; j++) again |= same(macros[i], macros[j]);
    if (!again) printf("#undef %.*s\n", (int)macros[i].len, macros[i].at);
  }
}

static void put_feature_macros(void) {
  for (size_t i = 0; i < nfiles; i++)
    for (const char *s = files[i].text; s; s = (s = strchr(s, '\n')) ? s + 1 : NULL) {
      const char *rest;
      if (*s != '#' || !is(directive_word((span){s, 1}, &rest), "define")) continue;
      span name = word_at(rest);
      if (!is_feature_macro(name)) continue;
      printf("#ifndef %.*s\n", (int)name.len, name.at);
      put((span){s, (size_t)(line_end(s) - s)});
      puts("\n#endif");
    }
}

static void put_head(const char *license) {
  puts(
      "/* uop.c - libuop in one file, made from the project's src/ by `make amalgamation`: change\n"
      " * it there. Put it beside uop.h, compile it as C11 and link with -lm:\n"
      " *\n"
      " *   cc -std=c11 -O2 -ffp-contract=off -fno-trapping-math -fno-math-errno -c uop.c\n"
      " *\n"
      " * -ffp-contract=off is needed for results that are the same everywhere (gcc with -std=c11\n"
      " * has it anyway); the other two make loops faster and change no value.\n"
      " *");
  for (const char *s = license, *e; *s; s = *e ? e + 1 : e) {
    e = s + strcspn(s, "\n");
    printf(e > s ? " * %.*s\n" : " *%.*s\n", (int)(e - s), s);
  }
  puts(" */\n"
       "#ifdef __FAST_MATH__\n"
       "#error \"uop.c: -ffast-math changes results\"\n"
       "#endif");
}

int main(int argc, char **argv) {
  if (argc < 3) die("usage: amalgamate LICENSE FILE...");
  char *license = read_text(argv[1]);
  for (int i = 2; i < argc; i++) {
    if (strncmp(argv[i], "src/", 4) != 0 || !ends_with(argv[i], ".c"))
      die("%s: no src/….c", argv[i]);
    collect(open_file(argv[i]));
  }
  put_head(license);
  put_feature_macros();
  puts("#include \"uop.h\"");
  for (int i = 2; i < argc; i++) put_file(open_file(argv[i]));
  free(license);
  return fflush(stdout) != 0 || ferror(stdout);
}
