/* input.c - reading whole files, pipes and terminals.
 *
 * A file is read to its end whatever kind it is; its size is a hint and a reason to refuse early,
 * never trusted. Every failure is reported with the file's name.
 */
#define _DEFAULT_SOURCE /* madvise */

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_READ 65536
#define HUGE_PAGE  ((size_t)2 << 20)

/* Large files are read into pages of 2 MiB where the system has them: to fault small ones in takes
 * several times as long as to read the file. */
static void *fresh(size_t size) {
#ifdef MADV_HUGEPAGE
  void *p;
  if (size >= HUGE_PAGE && posix_memalign(&p, HUGE_PAGE, size) == 0) {
    madvise(p, size, MADV_HUGEPAGE); /* advice: a refusal changes nothing but speed */
    return p;
  }
#endif
  return malloc(size);
}

bool bytes_reserve(bytes *b, size_t more) {
  if (b->cap - b->len >= more) return true;
  if (more > SIZE_MAX / 2 - b->len) return false;
  size_t cap = b->len + more;
  if (cap < b->cap + b->cap / 2) cap = b->cap + b->cap / 2;
  char *at = b->at ? realloc(b->at, cap) : fresh(cap);
  if (!at) return false;
  b->at = at;
  b->cap = cap;
  return true;
}

static bool refuse(const char *path, const char *why) {
  if (strcmp(path, "-") == 0)
    diag_say(DIAG_ERROR, "can't read standard input: %s", why);
  else
    diag_say(DIAG_ERROR, "can't read '%s': %s", path, why);
  return false;
}

static bool too_big(const char *path, uint64_t limit) {
  char why[64];
  snprintf(why, sizeof why, "longer than %llu bytes, the most that is read",
           (unsigned long long)limit);
  return refuse(path, why);
}

static bool read_all(int fd, const char *path, size_t hint, uint64_t limit, bytes *out) {
  if (!bytes_reserve(out, hint + 1)) return refuse(path, "out of memory");
  for (;;) {
    if (!bytes_reserve(out, 1)) return refuse(path, "out of memory");
    ssize_t n = read(fd, out->at + out->len, out->cap - out->len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return refuse(path, strerror(errno));
    if (n == 0) return true;
    out->len += (size_t)n;
    if (out->len > limit) return too_big(path, limit);
  }
}

bool input_read(const char *path, uint64_t limit, bytes *out) {
  struct stat st;
  bool is_stdin = strcmp(path, "-") == 0;
  int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return refuse(path, strerror(errno));
  bool ok;
  if (fstat(fd, &st) != 0)
    ok = refuse(path, strerror(errno));
  else if (S_ISDIR(st.st_mode))
    ok = refuse(path, strerror(EISDIR));
  else if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > limit)
    ok = too_big(path, limit);
  else
    ok = read_all(fd, path, S_ISREG(st.st_mode) ? (size_t)st.st_size : FIRST_READ, limit, out);
  if (!is_stdin) close(fd);
  return ok;
}
