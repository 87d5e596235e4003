/* command_watch.c - `uopc run` while somebody watches: the line of progress on a terminal, and none
 * elsewhere; Ctrl-C, once and twice, while values are computed and while they are printed; the
 * table of --time. The command runs in a child, on a pseudo-terminal or behind pipes.
 *
 *   command_watch UOPC FOLDER     the folder is empty; the last line is "N passed, N failed"
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *uopc;

/* Its first statement warns, which says that the run is under way; then it takes many seconds. */
static const char slow[] = "%x = param 0 shape=(4096, 1)\n"
                           "%q = floordiv 7 0\n"
                           "%s = reduce (sin (expand %x (4096, 524287))) pop=2\n";
/* More than a pipe holds. */
static const char wide[] = "%w = expand (reshape 1 (1,)) (1000000,)\n";
static const char several[] = "%x = param 0 shape=(1000, 1000)\n"
                              "%y = mul (sin %x) (sin (mul %x 2.0))\n"
                              "%s = reduce (add %y %x) pop=2\n";

static void die(const char *what) {
  perror(what);
  exit(1);
}

/* ---- a child ---- */

typedef struct text {
  char at[1 << 16];
  size_t len;
} text;

typedef struct process {
  pid_t pid;
  int out, err; /* a terminal: both the same */
  text seen;    /* of err */
} process;

static void exec_child(const char *const *argv) {
  execv(uopc, (char *const *)(uintptr_t)argv);
  _exit(127);
}

static void start_on_terminal(process *p, const char *const *argv) {
  struct winsize size = {.ws_row = 50, .ws_col = 200};
  memset(p, 0, sizeof *p);
  p->pid = forkpty(&p->err, NULL, NULL, &size);
  if (p->pid < 0) die("forkpty");
  if (p->pid == 0) exec_child(argv);
  p->out = p->err;
}

static void start_behind_pipes(process *p, const char *const *argv) {
  int out[2], err[2];
  memset(p, 0, sizeof *p);
  if (pipe(out) != 0 || pipe(err) != 0) die("pipe");
  if ((p->pid = fork()) < 0) die("fork");
  if (p->pid == 0) {
    if (dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0) _exit(127);
    for (int i = 0; i < 2; i++) {
      close(out[i]);
      close(err[i]);
    }
    exec_child(argv);
  }
  close(out[1]);
  close(err[1]);
  p->out = out[0];
  p->err = err[0];
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Reads what comes within so many seconds; false at the end. */
static bool read_some(process *p, double seconds) {
  struct pollfd f = {p->err, POLLIN, 0};
  if (poll(&f, 1, (int)(seconds * 1000)) <= 0) return true;
  ssize_t n = read(p->err, p->seen.at + p->seen.len, sizeof p->seen.at - 1 - p->seen.len);
  if (n <= 0) return false; /* a terminal whose other end is closed fails with EIO */
  p->seen.len += (size_t)n;
  return true;
}

static bool wait_for(process *p, const char *words) {
  double end = now() + 60;
  while (!strstr(p->seen.at, words))
    if (now() > end || !read_some(p, 0.1)) return false;
  return true;
}

static void read_for(process *p, double seconds) {
  for (double end = now() + seconds; now() < end;) read_some(p, 0.05);
}

/* What waitpid says of its end, after all that it writes to err is read. */
static int finish(process *p) {
  int status;
  double end = now() + 60;
  while (read_some(p, 0.1))
    if (now() > end) kill(p->pid, SIGKILL);
  if (waitpid(p->pid, &status, 0) != p->pid) die("waitpid");
  close(p->err);
  if (p->out != p->err) close(p->out);
  return status;
}

static bool exits(int status, int with) { return WIFEXITED(status) && WEXITSTATUS(status) == with; }

/* Lines as a terminal shows them: '\r' goes back to the first column. Blanks at ends are gone. */
static void render(const process *p, char *screen) {
  char line[4096];
  size_t at = 0, len = 0;
  for (size_t i = 0; i < p->seen.len; i++) {
    char c = p->seen.at[i];
    if (c == '\r') {
      at = 0;
    } else if (c != '\n') {
      line[at++] = c;
      if (at > len) len = at;
    } else {
      while (len > 0 && line[len - 1] == ' ') len--;
      memcpy(screen, line, len);
      screen += len;
      *screen++ = '\n';
      at = len = 0;
    }
  }
  *screen = 0;
}

/* ---- the cases: NULL, or what is wrong ---- */

static const char *const run_slow[] = {"uopc", "run", "--fill", "1",     "--all", "-e",
                                       slow,   "-o",  "text",   "--out", "npy",   NULL};

static bool left_no_file(void) { return access("text", F_OK) != 0 && access("npy", F_OK) != 0; }

static const char cancelled[] = "<command line>:3:1: error: the run was cancelled\n"
                                "%s = reduce (sin (expand %x (4096, 524287))) pop=2\n"
                                "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n";

static const char *interrupt_on_terminal(void) {
  static process p;
  static char screen[1 << 16];
  if (unsetenv("TERM") != 0) die("unsetenv"); /* no colours */
  start_on_terminal(&p, run_slow);
  if (!wait_for(&p, " steps, ")) return "no line of progress";
  read_for(&p, 1);
  if (write(p.err, "\003", 1) != 1) die("write"); /* Ctrl-C */
  int status = finish(&p);
  render(&p, screen);
  if (!exits(status, 130)) return "another status than 130";
  if (!strstr(screen, cancelled)) return "no message at the statement";
  if (strstr(screen, "steps,")) return "the line of progress is left on the screen";
  return left_no_file() ? NULL : "a file was written";
}

static const char *interrupt_behind_pipes(void) {
  static process p;
  start_behind_pipes(&p, run_slow);
  if (!wait_for(&p, "warning: FLOORDIV by zero")) return "no warning";
  read_for(&p, 3);
  kill(p.pid, SIGINT);
  if (!exits(finish(&p), 130)) return "another status than 130";
  if (!strstr(p.seen.at, cancelled)) return "no message at the statement";
  if (strstr(p.seen.at, "steps")) return "progress where no terminal is";
  return left_no_file() ? NULL : "a file was written";
}

static const char *short_on_terminal(void) {
  static process p;
  const char *const argv[] = {"uopc", "run", "-e", "%c = add 2 3", NULL};
  start_on_terminal(&p, argv);
  if (!exits(finish(&p), 0)) return "another status than 0";
  return strcmp(p.seen.at, "%c = 5 : i32 ()\r\n") == 0 ? NULL : p.seen.at;
}

static const char *const run_wide[] = {"uopc", "run", "--full", "-e", wide, NULL};

/* It prints into a pipe that nobody reads, and waits. False: it does not. */
static bool start_printing(process *p) {
  start_behind_pipes(p, run_wide);
  struct pollfd f = {p->out, POLLIN, 0};
  return poll(&f, 1, 60000) > 0;
}

static const char *interrupt_while_printing(void) {
  static process p;
  char line[4096];
  if (!start_printing(&p)) return "it prints nothing";
  kill(p.pid, SIGINT);
  read_for(&p, 0.3);
  size_t sum = 0;
  for (ssize_t n; (n = read(p.out, line, sizeof line)) > 0; sum += (size_t)n) continue;
  if (!exits(finish(&p), 130)) return "another status than 130";
  if (!strstr(p.seen.at, "uopc: error: the run was cancelled\n")) return "no message";
  return sum > 3000000 ? NULL : "the value was cut off";
}

static const char *interrupt_twice(void) {
  static process p;
  if (!start_printing(&p)) return "it prints nothing";
  int status;
  double end = now() + 60;
  do {
    kill(p.pid, SIGINT);
    read_for(&p, 0.1);
    if (now() > end) kill(p.pid, SIGKILL);
  } while (waitpid(p.pid, &status, WNOHANG) == 0);
  close(p.out);
  close(p.err);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGINT ? NULL : "it did not die of SIGINT";
}

static const char *ignored_interrupt(void) {
  static process p;
  signal(SIGINT, SIG_IGN); /* as of a shell's background job; the child inherits it */
  start_behind_pipes(&p, run_slow);
  signal(SIGINT, SIG_DFL);
  if (!wait_for(&p, "warning: FLOORDIV by zero")) return "no warning";
  kill(p.pid, SIGINT);
  read_for(&p, 0.5);
  siginfo_t ended = {.si_pid = 0};
  bool goes_on =
      waitid(P_PID, (id_t)p.pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
  kill(p.pid, SIGKILL);
  finish(&p);
  return goes_on ? NULL : "SIGINT was not ignored";
}

/* ---- --time ---- */

typedef struct row {
  char op[16];
  unsigned long long calls, elements, bytes;
  double seconds, share;
} row;

static const char *judge_table(const char *s) {
  row rows[16], sum = {.calls = 0};
  int n = 0;
  const char *line = strchr(s, '\n');
  if (strncmp(s, "op ", 3) != 0) return "no head";
  for (; line && line[1] && n < 16; line = strchr(line + 1, '\n'), n++)
    if (sscanf(line + 1, "%15s %llu %llu %lf %llu %lf%%", rows[n].op, &rows[n].calls,
               &rows[n].elements, &rows[n].seconds, &rows[n].bytes, &rows[n].share) != 6)
      return "a line is no row";
  if (n < 3 || strcmp(rows[n - 1].op, "total") || strcmp(rows[n - 2].op, "other"))
    return "the last rows are not other and total";
  for (int i = 0; i < n - 1; i++) {
    if (i > 0 && i < n - 2 && rows[i].seconds > rows[i - 1].seconds) return "not by seconds";
    if (!strcmp(rows[i].op, "SIN") && (rows[i].calls != 2 || rows[i].elements != 2000000 ||
                                       rows[i].bytes != 8000000 || rows[i].seconds <= 0))
      return "SIN has another cost";
    if (strcmp(rows[i].op, "SIN") == 0) sum.op[0] = 'S';
    sum.calls += rows[i].calls;
    sum.elements += rows[i].elements;
    sum.bytes += rows[i].bytes;
  }
  const row *total = &rows[n - 1];
  if (sum.op[0] != 'S') return "SIN has no row";
  return sum.calls == total->calls && sum.elements == total->elements && sum.bytes == total->bytes
             ? NULL
             : "the total is another than the sum";
}

static const char *times(void) {
  static process p;
  const char *const argv[] = {"uopc", "run", "--time", "--fill", "1", "-e", several, NULL};
  start_behind_pipes(&p, argv);
  if (!exits(finish(&p), 0)) return "another status than 0";
  return judge_table(p.seen.at);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    const char *(*run)(void);
  } cases[] = {
      {"Ctrl-C on a terminal", interrupt_on_terminal},
      {"SIGINT behind pipes", interrupt_behind_pipes},
      {"a short run on a terminal", short_on_terminal},
      {"SIGINT while printing", interrupt_while_printing},
      {"a second SIGINT", interrupt_twice},
      {"SIGINT that is ignored", ignored_interrupt},
      {"--time", times},
  };
  int n = sizeof cases / sizeof *cases, failed = 0;
  if (argc != 3 || !(uopc = realpath(argv[1], NULL)) || chdir(argv[2]) != 0) die(argv[0]);
  for (int i = 0; i < n; i++) {
    const char *wrong = cases[i].run();
    if (wrong) printf("%s: %s\n", cases[i].name, wrong);
    failed += wrong != NULL;
  }
  printf("command_watch: %d passed, %d failed\n", n - failed, failed);
  return failed > 0;
}
