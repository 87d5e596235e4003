/* output.c - results: to standard output, or to a file that is replaced whole.
 *
 * A regular file is written beside itself and renamed when all of it is on the disk: whatever fails
 * before, the old one is untouched. What is no regular file (a device, a pipe) is written in place.
 * A result is in memory before its file is touched, so the input may be the output. Failures of
 * standard output are remembered when they happen and reported once, at the end.
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int stdout_error; /* errno of the first failure */

/* ---- standard output ---- */

static bool note_stdout(bool ok) {
  if (!ok && stdout_error == 0) stdout_error = errno ? errno : EIO;
  return stdout_error == 0;
}

bool output_put(const void *data, size_t len) {
  if (stdout_error != 0) return false;
  errno = 0;
  return note_stdout(len == 0 || fwrite(data, 1, len, stdout) == len);
}

void output_flush(void) {
  errno = 0;
  if (stdout_error == 0) note_stdout(fflush(stdout) == 0);
}

bool output_finish(void) {
  output_flush();
  errno = 0;
  note_stdout(fclose(stdout) == 0); /* a network file may fail only now */
  if (stdout_error == 0) return true;
  int error = stdout_error;
  stdout_error = EPIPE; /* nothing may touch the closed stream */
  diag_say(DIAG_ERROR, "can't write standard output: %s", strerror(error));
  return false;
}

bool output_is_terminal(const char *path) {
  if ((path && strcmp(path, "-") != 0) || !isatty(STDOUT_FILENO)) return false;
  diag_say(DIAG_ERROR, "this is no text for a terminal: name a file, or send it into a pipe");
  return true;
}

/* ---- files ---- */

static bool refuse(const char *path, const char *why) {
  diag_say(DIAG_ERROR, "can't write '%s': %s", path, why);
  return false;
}

/* 0 or errno. */
static int write_all(int fd, const char *data, size_t len) {
  while (len > 0) {
    ssize_t n = write(fd, data, len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    data += n;
    len -= (size_t)n;
  }
  return 0;
}

static bool write_in_place(const char *path, const void *data, size_t len) {
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return refuse(path, strerror(errno));
  int error = write_all(fd, data, len);
  if (close(fd) != 0 && error == 0) error = errno;
  return error == 0 || refuse(path, strerror(error));
}

/* A new file in the folder of `path`: its descriptor, and its name to be freed. */
static int create_beside(const char *path, char **name) {
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  size_t cap = (size_t)folder + 64;
  *name = malloc(cap);
  if (!*name) return -1;
  for (int i = 0; i < 100; i++) {
    snprintf(*name, cap, "%.*s.uopc-%ld-%d.tmp", folder, path, (long)getpid(), i);
    int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/* 0 or errno. The new file takes the old one's permissions; `fd` is closed. */
static int fill_and_rename(int fd, const char *name, const char *path, const struct stat *old,
                           const void *data, size_t len) {
  int error = write_all(fd, data, len);
  if (error == 0 && old && fchmod(fd, old->st_mode & 07777) != 0) error = errno;
  if (error == 0 && fsync(fd) != 0 && errno != EINVAL) error = errno;
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && rename(name, path) != 0) error = errno;
  if (error != 0) unlink(name);
  return error;
}

static bool write_beside(const char *path, const struct stat *old, const void *data, size_t len) {
  /* rename() would replace a link, and a file that its owner protected, without asking */
  if (old && access(path, W_OK) != 0) return refuse(path, strerror(errno));
  char *real = old ? realpath(path, NULL) : NULL, *name = NULL;
  if (old && !real) return refuse(path, strerror(errno));
  const char *target = real ? real : path;
  int fd = create_beside(target, &name);
  int error = fd < 0 ? errno : fill_and_rename(fd, name, target, old, data, len);
  free(name);
  free(real);
  return error == 0 || refuse(path, strerror(error));
}

bool output_write(const char *path, const void *data, size_t len) {
  struct stat st;
  if (!path || strcmp(path, "-") == 0) {
    output_put(data, len);
    return true; /* output_finish() tells */
  }
  if (stat(path, &st) == 0)
    return S_ISREG(st.st_mode) ? write_beside(path, &st, data, len)
                               : write_in_place(path, data, len);
  if (errno != ENOENT) return refuse(path, strerror(errno));
  return write_beside(path, NULL, data, len);
}
