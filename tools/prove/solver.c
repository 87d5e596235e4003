/* solver.c - a z3 that waits for scripts. It is told to stop after a while; one that does not hear
 * is killed, and another one started.
 */
#include "prove.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

enum { GRACE_MS = 5000 };
static const char done[] = "<done>";

void solver_start(solver *s) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) die("no pipe: %s", strerror(errno));
  pid_t pid = fork();
  if (pid < 0) die("no process: %s", strerror(errno));
  if (pid == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    execlp("z3", "z3", "-in", (char *)NULL);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  s->to = in[1];
  s->from = out[0];
  s->pid = pid;
}

void solver_stop(solver *s) {
  close(s->to);
  close(s->from);
  kill((pid_t)s->pid, SIGKILL);
  waitpid((pid_t)s->pid, NULL, 0);
}

static void say(solver *s, const char *text) {
  for (size_t n = strlen(text); n;) {
    ssize_t k = write(s->to, text, n);
    if (k < 0) die("z3 is gone (Debian's package z3)");
    text += k;
    n -= (size_t)k;
  }
}

/* Reads up to the mark; false: z3 said nothing for so long. */
static bool hear(solver *s, int ms) {
  s->len = 0;
  for (;;) {
    struct pollfd p = {.fd = s->from, .events = POLLIN};
    if (s->cap < s->len + 4097) s->text = must(realloc(s->text, s->cap = 2 * s->cap + 8192));
    int ready = poll(&p, 1, ms);
    if (ready == 0) return false;
    ssize_t k = read(s->from, s->text + s->len, 4096);
    if (k <= 0) die("z3 is gone (Debian's package z3)");
    s->len += (size_t)k;
    s->text[s->len] = 0;
    if (strstr(s->text, done)) return true;
  }
}

answer solver_ask(solver *s, const char *script, unsigned timeout_ms) {
  char head[64], tail[32];
  snprintf(head, sizeof head, "(reset)\n(set-option :timeout %u)\n", timeout_ms);
  snprintf(tail, sizeof tail, "(echo \"%s\")\n", done);
  say(s, head);
  say(s, script);
  say(s, tail);
  if (!hear(s, (int)timeout_ms + GRACE_MS)) {
    solver_stop(s);
    solver_start(s);
    s->len = 0;
    return UNKNOWN;
  }
  if (!strncmp(s->text, "unsat", 5)) return UNSAT;
  if (!strncmp(s->text, "sat", 3)) return SAT;
  if (!strncmp(s->text, "unknown", 7) || !strncmp(s->text, "timeout", 7)) return UNKNOWN;
  die("z3 does not understand: %.*s", (int)strcspn(s->text, "\n"), s->text);
}

/* ---- values ---- */

static double float_of(uint64_t sign, uint64_t exp, uint64_t man, int exp_bits, int man_bits) {
  int bias = (1 << (exp_bits - 1)) - 1, e = exp ? (int)exp - bias : 1 - bias;
  double m = ldexp((double)man, -man_bits) + (exp ? 1 : 0);
  return (sign ? -1 : 1) * ldexp(m, e);
}

static uint64_t bits_of(const char *at, int *n) { /* #x… or #b… */
  uint64_t v = 0;
  int per = at[1] == 'x' ? 4 : 1;
  for (*n = 0, at += 2; isxdigit((unsigned char)*at); at++, *n += per)
    v = v << per | (uint64_t)(isdigit((unsigned char)*at) ? *at - '0' : tolower(*at) - 'a' + 10);
  return v;
}

/* One value of z3, [at, end), in the words of .uir. */
static void readable(const char *at, const char *end, unsigned width, char room[64]) {
  int n, e, m;
  const char *second = memchr(at, '#', (size_t)(end - at));
  if (!strncmp(at, "(_ NaN", 6)) {
    snprintf(room, 64, "nan");
  } else if (!strncmp(at, "(_ ", 3)) { /* +oo, -oo, +zero, -zero */
    snprintf(room, 64, "%s%s", at[3] == '-' ? "-" : "", at[4] == 'o' ? "inf" : "0.0");
  } else if (!strncmp(at, "(fp ", 4) && second) {
    uint64_t sign = bits_of(second, &n);
    const char *third = strchr(second + 1, '#'), *fourth = strchr(third + 1, '#');
    uint64_t exp = bits_of(third, &e), man = bits_of(fourth, &m);
    snprintf(room, 64, "%.9g", float_of(sign, exp, man, e, m));
  } else if (*at == '#') {
    int64_t v = (int64_t)bits_of(at, &n);
    if (v >> (width - 1) & 1) v -= INT64_C(1) << width;
    snprintf(room, 64, "%lld", (long long)v);
  } else if (*at == '(' && at[1] == '-') {
    snprintf(room, 64, "-%.*s", (int)(end - at - 4), at + 3);
  } else {
    snprintf(room, 64, "%.*s", (int)(end - at), at);
  }
}

static const char *skip_value(const char *p) {
  int depth = 0;
  for (; *p; p++) {
    if (*p == '(') depth++;
    if (*p == ')' && depth-- == 0) return p;
  }
  return p;
}

void solver_values(const solver *s, unsigned width, char *room, size_t size) {
  size_t n = 0;
  const char *p = s->len ? strchr(s->text, '(') : NULL;
  room[0] = 0;
  for (p = p ? strchr(p + 1, '(') : NULL; p && n < size; p = strchr(p, '(')) {
    const char *blank = strchr(++p, ' ');
    if (!blank) return;
    const char *end = skip_value(blank + 1);
    char value[64];
    if (!strncmp(p, "v_", 2)) p += 2;
    readable(blank + 1, end, width, value);
    if (!strncmp(p, "right_error", 11) && strcmp(value, "true")) return;
    n += (size_t)snprintf(room + n, size - n, "%s%.*s = %s", n ? ", " : "", (int)(blank - p), p,
                          value);
    p = *end ? end + 1 : end;
  }
}
