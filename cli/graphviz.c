/* graphviz.c - pictures by Graphviz' program `dot`, run as a child between two pipes.
 *
 * No shell is involved. One poll() loop writes the child's input and reads its output, so neither
 * side can wait for the other for ever, however large the graph and the picture are.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct child {
  pid_t pid;
  int in, out; /* our ends: its input, its output; -1 when closed */
} child;

static void close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static bool fail(const char *what, int error) {
  diag_say(DIAG_ERROR, "can't run Graphviz: %s: %s", what, strerror(error));
  return false;
}

static bool missing(void) {
  diag_say(DIAG_ERROR, "can't find 'dot', the program that draws the picture");
  diag_say(DIAG_NOTE, "it is in the package 'graphviz' (Debian, Ubuntu: apt-get install graphviz; "
                      "macOS: brew install graphviz)");
  return false;
}

/* A pipe that children do not inherit, but for what is dup2()ed for them. */
static bool make_pipe(int ends[2]) {
  ends[0] = ends[1] = -1;
  if (pipe(ends) != 0) return false;
  return fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

/* 0 or errno. The child starts with SIGPIPE as usual; we ignore it. */
static int spawn_dot(const char *format, int in, int out, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  sigset_t pipe_signal;
  char option[8], name[] = "dot";
  char *argv[] = {name, option, NULL};
  snprintf(option, sizeof option, "-T%s", format);
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attr);
  if (error == 0) {
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    error = posix_spawnattr_setsigdefault(&attr, &pipe_signal);
    if (error == 0) error = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (error == 0) error = posix_spawnp(pid, name, &actions, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static bool start(const char *format, child *c) {
  int in[2], out[2] = {-1, -1}, error = 0;
  if (!make_pipe(in) || !make_pipe(out) || fcntl(in[1], F_SETFL, O_NONBLOCK) != 0)
    error = errno;
  else
    error = spawn_dot(format, in[0], out[1], &c->pid);
  close_end(&in[0]);
  close_end(&out[1]);
  c->in = in[1];
  c->out = out[0];
  if (error == 0) return true;
  close_end(&c->in);
  close_end(&c->out);
  return error == ENOENT ? missing() : fail("start", error);
}

/* Writes a part; what a child that stopped reading does not take is dropped: its status tells. */
static void feed(child *c, const char **data, size_t *len) {
  ssize_t n = write(c->in, *data, *len);
  if (n >= 0) {
    *data += n;
    *len -= (size_t)n;
  } else if (errno != EINTR && errno != EAGAIN) {
    *len = 0;
  }
  if (*len == 0) close_end(&c->in);
}

/* 0 at the end of the output, 1 to go on, -1 with errno. */
static int collect(child *c, bytes *out) {
  if (!bytes_reserve(out, 65536)) {
    errno = ENOMEM;
    return -1;
  }
  ssize_t n = read(c->out, out->at + out->len, out->cap - out->len);
  if (n < 0) return errno == EINTR ? 1 : -1;
  out->len += (size_t)n;
  return n > 0;
}

/* 0 or errno. */
static int talk(child *c, const char *data, size_t len, bytes *out) {
  if (len == 0) close_end(&c->in);
  for (int more = 1; more == 1;) {
    struct pollfd fds[2] = {{c->out, POLLIN, 0}, {c->in, POLLOUT, 0}}; /* -1 is passed over */
    if (poll(fds, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (c->in >= 0 && fds[1].revents != 0) feed(c, &data, &len);
    if (fds[0].revents != 0) more = collect(c, out);
    if (more < 0) return errno;
  }
  return 0;
}

bool graphviz_render(const char *format, const char *dot, size_t len, bytes *out) {
  child c = {0, -1, -1};
  int status = 0;
  if (!start(format, &c)) return false;
  int error = talk(&c, dot, len, out);
  close_end(&c.in);
  close_end(&c.out);
  while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR) {}
  if (error != 0) return fail("read", error);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return missing(); /* a libc that forks first */
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  diag_say(DIAG_ERROR, "Graphviz' 'dot' failed with %s %d", WIFEXITED(status) ? "status" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  return false;
}
