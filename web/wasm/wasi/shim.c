/* shim.c - see shim.h; and stand-ins for two of the command's files: cli/watch.c without signals
 * and the line that tells how far a run is, cli/graphviz.c where no program can be started.
 */
#include "cli.h"

#include "shim.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

char *realpath(const char *path, char *resolved) { return resolved ? NULL : strdup(path); }

int fchmod(int fd, mode_t mode) {
  (void)fd, (void)mode;
  return 0;
}

int madvise(void *at, size_t len, int advice) {
  (void)at, (void)len, (void)advice;
  return 0;
}

/* ---- cli/watch.c ---- */

double watch_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void watch_begin(watch *w) { memset(w, 0, sizeof *w); }
void watch_tell(watch *w, const uop_run_stats *now) { (void)w, (void)now; }
void watch_hide(watch *w) { (void)w; }
void watch_signals(uop_run *run) { (void)run; }
void watch_signals_end(void) {}
bool watch_is_interrupted(void) { return false; }

/* ---- cli/graphviz.c ---- */

bool graphviz_render(const char *format, const char *dot, size_t len, bytes *out) {
  (void)format, (void)dot, (void)len, (void)out;
  diag_say(DIAG_ERROR, "no picture can be drawn here: no other program can be started");
  return false;
}
