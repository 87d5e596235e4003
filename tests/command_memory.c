/* command_memory.c - each allocation that the command makes on a path fails in turn, alone and with
 * all that follow it, until none is left: the library's, the command's own and those inside of the
 * C library. Such a run either ends as an unhindered one or with status 1 and a message that says
 * why; it never crashes, leaks, prints a wrong line, or touches a file that it was to write. The
 * number of failure points is printed for each path; none is a failure.
 *
 * The command is linked in, its main() renamed, and each run is a child of this process. What
 * AddressSanitizer calls its allocator by is called from here, so that it looks after all of them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sanitizer/lsan_interface.h>

int uopc_main(int argc, char **argv);

enum { LEAK_STATUS = 98, SANITIZER_STATUS = 99 };

const char *__asan_default_options(void);
/* To remember where each block came from takes half of the time: to see it in a report, run with
 * ASAN_OPTIONS=malloc_context_size=30. */
const char *__asan_default_options(void) { return "exitcode=99:malloc_context_size=0"; }

/* ---- allocations ---- */

void *__interceptor_malloc(size_t size);
void *__interceptor_calloc(size_t n, size_t size);
void *__interceptor_realloc(void *p, size_t size);
void __interceptor_free(void *p);
char *__real_realpath(const char *path, char *resolved);
char *__wrap_realpath(const char *path, char *resolved);

static volatile uint64_t *made; /* by the child so far; shared with it */
static uint64_t fail_at;        /* 0: none fails */
static bool counting, for_good;

static bool fails(void) {
  if (!counting) return false;
  uint64_t n = ++*made;
  if (fail_at == 0 || n < fail_at || (n > fail_at && !for_good)) return false;
  errno = ENOMEM;
  return true;
}

/* The blocks that were allocated while counting and are not freed, in an open-addressing table: to
 * look for leaks so is ten times faster than to have LeakSanitizer do it, which then says where. */
enum { SLOTS = 1 << 12 };
static void *blocks[SLOTS];
static char gone; /* its address stands where a block was */
static size_t nblocks;

static void *note(void *p) {
  if (!counting || !p) return p;
  size_t i = (size_t)((uintptr_t)p >> 4) % SLOTS;
  while (blocks[i] && blocks[i] != &gone) i = (i + 1) % SLOTS;
  blocks[i] = p;
  nblocks++;
  return p;
}

static void forget(void *p) {
  if (!counting || !p) return;
  size_t i = (size_t)((uintptr_t)p >> 4) % SLOTS;
  while (blocks[i] && blocks[i] != p) i = (i + 1) % SLOTS;
  if (!blocks[i]) return; /* from before, or AddressSanitizer's own */
  blocks[i] = &gone;
  nblocks--;
}

void *malloc(size_t size) { return fails() ? NULL : note(__interceptor_malloc(size)); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : note(__interceptor_calloc(n, size)); }
void *realloc(void *p, size_t size) {
  if (size > 0 && fails()) return NULL;
  forget(p);
  return note(__interceptor_realloc(p, size));
}
void free(void *p) {
  forget(p);
  __interceptor_free(p);
}

/* AddressSanitizer allocates for it by itself. */
char *__wrap_realpath(const char *path, char *resolved) {
  return !resolved && fails() ? NULL : __real_realpath(path, resolved);
}

/* ---- paths ---- */

static const char prog[] = "%p = param 0 shape=(2, 3)\n"
                           "%q = param 1 dtype=i32\n"
                           "%b = buffer 3 : slot=0\n"
                           "%s = add (mul %p 2.5) (load %b)\n"
                           "%f = mul (param 0) (param 0)\n"
                           "assert (call %f 3.0 : name=sq) 9\n"
                           "%d = floordiv %q 0\n"
                           "%e = index %b 1\n"
                           "%t = reduce (where (lt %s 0) (neg %s) %s) : op=max\n"
                           "%r = mul %t (add %e %f)\n";
static const char good[] = "%p = param 0 shape=(2, 3)\n"
                           "%q = param 1 dtype=i32\n"
                           "%b = buffer 3 : slot=0\n"
                           "assert (floordiv %q 0) 0\n"
                           "%r = reduce (add %p %b) : op=max\n";
static const char wrong[] = "%a = stack 1 2 3\n"
                            "%b = add %a nothing\n"
                            "%c = index %a 1 2\n"
                            "%d = add %a 2.5\n"
                            "%\n"
                            "assert %missing 1\n"
                            "assert 1 2\n";
static const char rules[] = "# x + 0 is x.\n"
                            "add_zero: (add x 0) -> x\n"
                            "# Constants meet.\n"
                            "meet: (add (add x A) B):i32 -> (add x {A + B}) if lo(A) < hi(B)\n"
                            "call: (mul x A) -> (!fold)\n";
static const char bad[] = "# No reason\n"
                          "add_zero: (add x 0) -> y\n"
                          "neg: (mul x:i32 -1) -> (mul x -1) if z\n"
                          "turn: (mul x:i32 y) -> (mul y x)\n";
static const char drop[] = "drop: (sqrt x) -> (reduce x : op=max pop=1)\n";
static const char loop[] =
    "# one\none: (add x 1) -> (add x 2)\n# two\ntwo: (add x 2) -> (add x 1)\n";
static const char npy[] = "\x93NUMPY\x01\0\x41\0"
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }       \n"
                          "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40"; /* 1, 2, 3 */

static const struct path {
  const char *arguments; /* of uopc, separated by blanks; "_" in a value stands for a blank */
  int status;
} paths[] = {
    {"help", 0},
    {"help run", 0},
    {"--version", 0},
    {"check good.uir", 0},
    {"check -", 0},
    {"check wrong.uir", 1},
    {"check -e %a_=_const_1 -e %b_=_index_(stack_1_2)_5", 0},
    {"fmt good.uir", 0},
    {"fmt -e %c_=_const_1 -o out", 0},
    {"fmt -e %c_=_const_1 -o old", 0},
    {"fmt -e %c_=_const_1 -o link", 0},
    {"fmt -e %c_=_const_1 -o /dev/null", 0},
    {"run -e %c_=_add_2_3 -o out", 0},
    {"run -e %c_=_add_2_3 --out old -o out", 0},
    {"run good.uir --fill 1", 0},
    {"run good.uir --param 0=[[1,_2,_3],_[4,_5,_6]] --param 1=5 --buffer 0=@w.npy", 0},
    {"run good.uir --fill 1 --buffer 0=@- --all --full --out out", 0},
    {"run prog.uir --fill 2 --all", 1},
    {"run prog.uir --fill 2 --all --json", 1},
    {"run good.uir --fill 1 --all --json -o out", 0},
    {"run good.uir", 1},
    {"run good.uir --param 0=7", 2},
    {"run -e %a_=_const_1 -e assert_%a_2", 1},
    {"graph prog.uir", 0},
    {"graph -e %c_=_const_1 -o out", 0},
    {"graph -e %c_=_const_1 --svg -o old", 0},
    {"stats prog.uir", 0},
    {"stats -e %c_=_const_1 -o out", 0},
    {"simplify good.uir --trace --count --stats -o old", 0},
    {"simplify --set i32 --set order -e %p_=_param_0_dtype=i32 -e %q_=_add_3_(mul_%p_1)", 0},
    {"simplify --set i33 good.uir", 2},
    {"rewrite prog.uir --rules good.rules --trace --count", 0},
    {"rewrite --set i32 --rules=good.rules --set fold -e %c_=_add_(add_2_0)_3 -o old", 0},
    {"rewrite - --set fold --order top-down --count -o out", 0},
    {"rewrite good.uir --rules bad.rules", 1},
    {"rewrite good.uir --rules loop.rules --rules drop.rules -e %c_=_sqrt_(param_0)", 2},
    {"rewrite --rules drop.rules -e %c_=_sqrt_(param_0_shape=(2,))", 1},
    {"rewrite --rules loop.rules --count -e %c_=_add_(param_0)_1", 1},
    {"rewrite --set i33 good.uir", 2},
    {"rules", 0},
    {"rules i32", 0},
    {"rules --all", 0},
    {"rules --check good.rules", 0},
    {"rules --check bad.rules", 1},
};

enum { NPATHS = sizeof paths / sizeof *paths, WORKERS = 2 };

/* ---- files ---- */

static void die(const char *what) {
  perror(what);
  _exit(0); /* a worker's status is how many paths passed */
}

static void put(const char *name, const void *data, size_t len, mode_t mode) {
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (fd < 0 || write(fd, data, len) != (ssize_t)len || close(fd) != 0) die(name);
}

typedef struct text {
  char *at; /* NUL-terminated; NULL: there is no such file */
  size_t len;
} text;

static text get(const char *name) {
  text t = {NULL, 0};
  struct stat st;
  int fd = open(name, O_RDONLY);
  if (fd < 0) return t;
  if (fstat(fd, &st) != 0) die(name);
  t.len = (size_t)st.st_size;
  t.at = malloc(t.len + 1);
  if (!t.at || read(fd, t.at, t.len) != (ssize_t)t.len) die(name);
  t.at[t.len] = 0;
  close(fd);
  return t;
}

static bool same(text a, text b) {
  return a.len == b.len && !a.at == !b.at && (!a.at || memcmp(a.at, b.at, a.len) == 0);
}

/* The files as they are before each run. */
static void set_files(void) {
  put("old", "old\n", 4, 0600);
  put("target", "old\n", 4, 0600);
  unlink("out");
  unlink("link");
  if (symlink("target", "link") != 0) die("symlink");
}

static size_t count_files(void) {
  size_t n = 0;
  DIR *d = opendir(".");
  if (!d) die("opendir");
  while (readdir(d)) n++;
  closedir(d);
  return n;
}

/* ---- one run ---- */

enum { OUT, OLD, TARGET, STDOUT, STDERR, FILES };
static const char *const names[FILES] = {"out", "old", "target", ".stdout", ".stderr"};

typedef struct outcome {
  int status; /* -1: a signal */
  bool is_link;
  size_t files;
  text file[FILES];
} outcome;

static void outcome_free(outcome *o) {
  for (int i = 0; i < FILES; i++) free(o->file[i].at);
}

static void redirect(const char *name, int flags, int to) {
  int fd = open(name, flags, 0600);
  if (fd < 0 || dup2(fd, to) < 0) _exit(2);
  close(fd);
}

static void child(const struct path *p) {
  char words[256], *argv[16] = {(char *)(uintptr_t) "uopc"}, *word;
  int argc = 1;
  snprintf(words, sizeof words, "%s", p->arguments);
  for (char *s = words; (word = strtok(s, " ")) != NULL; s = NULL) {
    argv[argc++] = word;
    for (; (word = strchr(word, '_')) != NULL; *word = ' ') continue;
  }
  redirect(strstr(p->arguments, "@-") ? "w.npy" : "good.uir", O_RDONLY, STDIN_FILENO);
  redirect(".stdout", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(".stderr", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  int to = dup(STDERR_FILENO);
  counting = true;
  int status = uopc_main(argc, argv);
  fclose(stderr); /* frees its buffer */
  counting = false;
  if (nblocks == 0) _exit(status);
  dup2(to, STDERR_FILENO);
  __lsan_do_recoverable_leak_check();
  _exit(LEAK_STATUS);
}

static outcome run(const struct path *p, uint64_t n, bool and_later) {
  outcome o;
  int status;
  struct stat st;
  set_files();
  fail_at = n;
  for_good = and_later;
  *made = 0;
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid == 0) child(p);
  if (waitpid(pid, &status, 0) != pid) die("waitpid");
  o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  o.files = count_files();
  o.is_link = lstat("link", &st) == 0 && S_ISLNK(st.st_mode);
  for (int i = 0; i < FILES; i++) o.file[i] = get(names[i]);
  return o;
}

/* ---- judging ---- */

/* Whether the lines of `part` are lines of `whole`, in its order. */
static bool lines_of(text part, text whole) {
  const char *w = whole.at;
  for (const char *s = part.at; *s;) {
    const char *end = strchr(s, '\n');
    if (!end) return false;
    size_t len = (size_t)(end - s) + 1;
    while (*w && strncmp(w, s, len) != 0) {
      const char *next = strchr(w, '\n');
      w = next ? next + 1 : w + strlen(w);
    }
    if (!*w) return false;
    w += len;
    s += len;
  }
  return true;
}

static bool says_why(text message) {
  return strstr(message.at, "out of memory") || strstr(message.at, strerror(ENOMEM));
}

/* What is wrong with a hindered run; NULL: nothing. */
static const char *fault_of(const outcome *o, const outcome *whole) {
  if (o->status == -1) return "a signal";
  if (o->status == LEAK_STATUS) return "a leak";
  if (o->status == SANITIZER_STATUS) return "a sanitizer's report";
  if (!o->is_link) return "the link is gone";
  bool like_whole = o->status == whole->status && o->files == whole->files;
  for (int i = 0; i < FILES; i++) like_whole = like_whole && same(o->file[i], whole->file[i]);
  if (like_whole) return NULL;
  if (o->status != 1) return "it is another result, and no failure";
  if (!says_why(o->file[STDERR])) return "its message does not say why";
  if (o->file[OUT].at && !same(o->file[OUT], whole->file[OUT])) return "a half-written file";
  text old = {(char *)(uintptr_t) "old\n", 4};
  for (int i = OLD; i <= TARGET; i++)
    if (!same(o->file[i], old) && !same(o->file[i], whole->file[i])) return "a half-written file";
  if (o->files != whole->files - (whole->file[OUT].at && !o->file[OUT].at))
    return "a file is left behind";
  if (!lines_of(o->file[STDOUT], whole->file[STDOUT])) return "a wrong line of output";
  return NULL;
}

static bool judge(const struct path *p, uint64_t n, const outcome *o, const outcome *whole) {
  const char *fault = fault_of(o, whole);
  if (!fault) return true;
  dprintf(STDOUT_FILENO, "uopc %s\n  allocation %llu%s fails: %s; status %d\n%s\n", p->arguments,
          (unsigned long long)n, for_good ? " and all later ones" : "", fault, o->status,
          o->file[STDERR].at);
  return false;
}

static bool try_point(const struct path *p, uint64_t n, bool and_later, const outcome *whole) {
  outcome o = run(p, n, and_later);
  bool ok = judge(p, n, &o, whole);
  outcome_free(&o);
  return ok;
}

/* False: a fault, told. Nothing goes through stdout, so that each child's is still without a buffer
 * and allocates one. */
static bool try_path(const struct path *p) {
  outcome whole = run(p, 0, false);
  uint64_t points = *made;
  bool ok = points > 0 && whole.status == p->status && whole.is_link;
  if (!ok)
    dprintf(STDOUT_FILENO, "uopc %s\n  unhindered: status %d, %llu allocations\n%s", p->arguments,
            whole.status, (unsigned long long)points, whole.file[STDERR].at);
  bool reached = true;
  for (uint64_t n = 1; ok && reached; n++) {
    ok = try_point(p, n, false, &whole);
    reached = *made >= n;
    if (ok && *made > n) ok = try_point(p, n, true, &whole); /* else it would be the same run */
  }
  outcome_free(&whole);
  if (ok)
    dprintf(STDOUT_FILENO, "%5llu failure points: uopc %s\n", (unsigned long long)points,
            p->arguments);
  return ok;
}

/* AddressSanitizer sets up a region for each size when it is first asked for: here once, rather
 * than in each child, which halves the time. */
static void warm_up(void) {
  for (size_t size = 1; size < 1 << 18; size += size / 8 + 8) free(malloc(size));
}

static void make_files(void) {
  static const char dot[] = "#!/bin/sh\ncat >/dev/null\necho picture\n";
  put("prog.uir", prog, sizeof prog - 1, 0600);
  put("good.uir", good, sizeof good - 1, 0600);
  put("wrong.uir", wrong, sizeof wrong - 1, 0600);
  put("good.rules", rules, sizeof rules - 1, 0600);
  put("bad.rules", bad, sizeof bad - 1, 0600);
  put("drop.rules", drop, sizeof drop - 1, 0600);
  put("loop.rules", loop, sizeof loop - 1, 0600);
  put("w.npy", npy, sizeof npy - 1, 0600);
  put("dot", dot, sizeof dot - 1, 0700);
}

/* Every second path, in a folder of its own. Returns how many pass. */
static int work(int worker) {
  char folder[] = {(char)('0' + worker), 0};
  int passed = 0;
  made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) die("mmap");
  if (mkdir(folder, 0700) != 0 || chdir(folder) != 0) die(folder);
  make_files();
  warm_up();
  for (int i = worker; i < NPATHS; i += WORKERS) passed += try_path(&paths[i]);
  return passed;
}

int main(int argc, char **argv) {
  int passed = 0, status;
  if (argc != 2 || chdir(argv[1]) != 0) die("usage: command_memory EMPTY-FOLDER");
  if (setenv("PATH", ".:/usr/bin:/bin", 1) != 0) die("setenv"); /* its own `dot` first */
  for (int i = 0; i < WORKERS; i++)
    if (fork() == 0) _exit(work(i));
  while (wait(&status) > 0) passed += WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  printf("command_memory: %d passed, %d failed\n", passed, NPATHS - passed);
  return passed != NPATHS;
}
