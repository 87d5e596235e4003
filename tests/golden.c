/* golden.c - runs the golden files: golden [--bless] UOPC DIR
 *
 * A golden is one .uir file: a program, then a transcript of commands and of what each must do. The
 * whole file is what uopc reads; the transcript is comments, at the end, so that lines keep their
 * numbers.
 *
 *   %c = add 2 3                          the program
 *
 *   #! run FILE                           a command: the arguments of uopc
 *   #> stdout                             the exact text on standard output, each line behind "# "
 *   # %c = 5 : i32 ()
 *   #! check --nonsense FILE              another command on the same file
 *   #> stderr                             the same for standard error
 *   # uopc: error: ...
 *   #> exit 2                             the exit status, where it is not 0
 *
 * - The first line that begins with "#!" ends the program.
 * - FILE is the file's own name; uopc runs in the file's folder. Words are separated by blanks;
 *   '...' quotes. Standard input is the file, for "-".
 * - Sections stand in this order; an empty one is left out, but "#> exit 0" is written where a
 *   command succeeds in silence: a command without any section has no expectation and fails.
 * - An empty line is "#" alone. "#> without a last newline" follows a text that has none.
 *
 * Of a program that reads without an error, text is also read back: printing the program, and
 * each of its statements by itself, must give text whose nodes are the same pointers, and text that
 * prints as itself. --bless writes the transcripts anew where they differ, unless uopc crashed.
 */
#include "uop.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 64, TIMEOUT_S = 60 };

typedef struct text {
  char *at; /* NUL-terminated */
  size_t len;
} text;

static char *uopc; /* its absolute path: each command runs in another folder */
static bool bless;
static int passed, failed;

static void die(const char *what) {
  perror(what);
  exit(1);
}

/* Says why the golden at `path` fails. False, for the caller to return. */
static bool fail(const char *path, const char *fmt, ...) {
  va_list args;
  printf("%s: ", path);
  va_start(args, fmt);
  vprintf(fmt, args);
  va_end(args);
  putchar('\n');
  return false;
}

static text read_all(FILE *from) {
  text t;
  char buf[65536];
  FILE *to = open_memstream(&t.at, &t.len);
  if (!from || !to) die("golden");
  for (size_t n; (n = fread(buf, 1, sizeof buf, from)) > 0;) fwrite(buf, 1, n, to);
  if (ferror(from) || fclose(from) || fclose(to)) die("golden");
  return t;
}

/* ---- running a command ---- */

/* Cuts `line` into words, in place. False: too many, or a quote is not closed. */
static bool split(char *line, char *file, char **argv) {
  size_t n = 0;
  bool quoted = false;
  argv[n++] = uopc;
  for (char *p = line, *q; *(p += strspn(p, " "));) {
    if (n == MAX_WORDS) return false;
    for (argv[n] = q = p; *p && (quoted || *p != ' '); p++) {
      if (*p == '\'')
        quoted = !quoted;
      else
        *q++ = *p;
    }
    if (*p) p++;
    *q = 0;
    if (strcmp(argv[n], "FILE") == 0) argv[n] = file;
    n++;
  }
  argv[n] = NULL;
  return !quoted;
}

/* Runs argv in `dir`. Its exit status, from 128 on when it was killed; what it printed. */
static int run(const char *dir, const char *file, char **argv, text *out, text *err) {
  int status;
  FILE *to[2] = {tmpfile(), tmpfile()};
  fflush(stdout);
  pid_t pid = fork();
  if (!to[0] || !to[1] || pid < 0) die("golden");
  if (pid == 0) {
    int in = chdir(dir) == 0 ? open(file, O_RDONLY) : -1;
    if (in < 0 || dup2(in, 0) < 0 || dup2(fileno(to[0]), 1) < 0 || dup2(fileno(to[1]), 2) < 0)
      _exit(126);
    alarm(TIMEOUT_S);
    execv(uopc, argv);
    _exit(127);
  }
  if (waitpid(pid, &status, 0) < 0) die("waitpid");
  rewind(to[0]), rewind(to[1]);
  *out = read_all(to[0]);
  *err = read_all(to[1]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- the transcript ---- */

/* The lines of s[0..n), each behind `sign` and a blank. */
static void put_lines(FILE *to, const char *sign, const char *s, size_t n) {
  for (const char *end = s + n, *nl; s < end; s = nl + 1) {
    if (!(nl = memchr(s, '\n', (size_t)(end - s)))) nl = end;
    fprintf(to, "%s%s", sign, nl > s ? " " : "");
    fwrite(s, 1, (size_t)(nl - s), to);
    fputs(nl < end ? "\n" : "\n#> without a last newline\n", to);
  }
}

/* Runs the command on `line`, "#! run FILE"; writes it and what it did. */
static bool record(const char *path, const char *line, size_t len, FILE *to) {
  text out, err;
  char *dir = strdup(path), *file = strrchr(dir, '/'), *words = strndup(line + 2, len - 2);
  char *argv[MAX_WORDS + 1];
  *file++ = 0;
  bool ok = split(words, file, argv) || fail(path, "bad command: %.*s", (int)len, line);
  if (ok) {
    int status = run(dir, file, argv, &out, &err);
    fprintf(to, "%.*s\n", (int)len, line);
    if (out.len) fputs("#> stdout\n", to), put_lines(to, "#", out.at, out.len);
    if (err.len) fputs("#> stderr\n", to), put_lines(to, "#", err.at, err.len);
    if (status || out.len + err.len == 0) fprintf(to, "#> exit %d\n", status);
    if (status > 2) /* uopc has no such status: a crash, a sanitizer's error, or it did not run */
      ok = fail(path, "%.*s ends with status %d\n%s", (int)len, line, status, err.at);
    free(out.at), free(err.at);
  }
  free(dir), free(words);
  return ok;
}

/* Where the last line of s[from..n) begins. */
static size_t last_line(const char *s, size_t from, size_t n) {
  for (n -= n > from; n > from && s[n - 1] != '\n';) n--;
  return n;
}

/* Prints the lines that differ, without those that agree at the beginning and the end. */
static bool differ(const char *path, const char *want, size_t n, const text *got) {
  size_t same = 0, m = got->len, a, b;
  for (size_t i = 0; i < n && i < m && want[i] == got->at[i]; i++)
    if (want[i] == '\n') same = i + 1;
  for (; n > same && m > same; n = a, m = b) {
    a = last_line(want, same, n), b = last_line(got->at, same, m);
    if (n - a != m - b || memcmp(want + a, got->at + b, n - a)) break;
  }
  fail(path, "not what is expected (-) but (+)");
  put_lines(stdout, "  -", want + same, n - same);
  put_lines(stdout, "  +", got->at + same, m - same);
  return false;
}

static bool rewrite(const char *path, const text *file, size_t program, const text *transcript) {
  FILE *f = fopen(path, "wb");
  if (!f) die(path);
  fwrite(file->at, 1, program, f);
  fwrite(transcript->at, 1, transcript->len, f);
  if (fclose(f)) die(path);
  printf("%s: blessed\n", path);
  return true;
}

static bool run_commands(const char *path, const text *file) {
  text got;
  FILE *to = open_memstream(&got.at, &got.len);
  const char *end = file->at + file->len, *first = NULL;
  bool ok = true;
  for (const char *p = file->at, *nl; p < end; p = nl + 1) {
    if (!(nl = memchr(p, '\n', (size_t)(end - p)))) nl = end;
    if (nl - p < 2 || memcmp(p, "#!", 2)) continue;
    if (!first) first = p;
    ok = record(path, p, (size_t)(nl - p), to) && ok;
  }
  if (fclose(to)) die("golden");
  size_t n = first ? (size_t)(end - first) : 0;
  if (!first)
    ok = fail(path, "no command: no line begins with #!");
  else if (ok && (n != got.len || memcmp(first, got.at, n)))
    ok = bless ? rewrite(path, file, file->len - n, &got) : differ(path, first, n, &got);
  free(got.at);
  return ok;
}

/* ---- the round trip ---- */

static bool same_nodes(const uop_program *a, const uop_program *b) {
  if (a->result != b->result || a->roots.len != b->roots.len) return false;
  for (size_t i = 0; i < a->roots.len; i++)
    if (a->roots.at[i] != b->roots.at[i]) return false;
  return true;
}

static bool reads_back(const char *path, const uop_program *p) {
  size_t n = 0, m = 0;
  char *s = uop_program_print(p, &n), *again = NULL;
  uop_program *q = s ? uop_program_parse(p->ctx, s, n, NULL) : NULL;
  if (q) again = uop_program_print(q, &m);
  bool ok = q && again ? same_nodes(p, q) && n == m && !memcmp(s, again, n) : false;
  if (!ok) fail(path, "read back, the program is another\n%s%s", s, uop_error(p->ctx)->message);
  uop_free(p->ctx, s), uop_free(p->ctx, again);
  uop_program_free(q);
  return ok;
}

static bool statement_reads_back(const char *path, uop_ctx *ctx, const uop *u) {
  size_t n = 0;
  char *s = uop_print(u, &n);
  bool ok = s && uop_parse(ctx, s, n) == u;
  if (!ok) fail(path, "read back, a statement is another\n%s%s", s, uop_error(ctx)->message);
  uop_free(ctx, s);
  return ok;
}

static bool round_trip(const char *path, const text *file) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  if (!ctx) die("uop_ctx_new");
  bool ok = true;
  uop_program *p = uop_program_parse(ctx, file->at, file->len, NULL);
  if (p) ok = reads_back(path, p);
  for (size_t i = 0; p && i < p->nstmts; i++)
    ok = statement_reads_back(path, ctx, p->stmts[i].node) && ok;
  if (!uop_ctx_check(ctx)) ok = fail(path, "%s", uop_error(ctx)->message);
  uop_program_free(p);
  uop_ctx_free(ctx);
  return ok;
}

/* ---- all files ---- */

static void golden(const char *path) {
  text file = read_all(fopen(path, "rb"));
  bool ok = run_commands(path, &file);
  ok = round_trip(path, &file) && ok;
  *(ok ? &passed : &failed) += 1;
  free(file.at);
}

static void walk(const char *dir) {
  struct dirent **entry;
  struct stat st;
  int n = scandir(dir, &entry, NULL, alphasort);
  if (n < 0) die(dir);
  for (int i = 0; i < n; free(entry[i++])) {
    const char *name = entry[i]->d_name, *dot = strrchr(name, '.');
    char *path = malloc(strlen(dir) + strlen(name) + 2);
    if (!path) die("golden");
    sprintf(path, "%s/%s", dir, name);
    if (*name != '.' && stat(path, &st) == 0) {
      if (S_ISDIR(st.st_mode)) walk(path);
      if (S_ISREG(st.st_mode) && dot && strcmp(dot, ".uir") == 0) golden(path);
    }
    free(path);
  }
  free(entry);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--bless") == 0) bless = true, argc--, argv++;
  if (argc != 3) return fputs("usage: golden [--bless] UOPC DIR\n", stderr), 2;
  if (!(uopc = realpath(argv[1], NULL))) die(argv[1]);
  walk(argv[2]);
  if (passed + failed == 0) fail(argv[2], "no golden"), failed++;
  printf("golden: %d passed, %d failed\n", passed, failed);
  free(uopc);
  return failed > 0;
}
