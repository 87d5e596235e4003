/* watch.c - a run under way: how far it is, on a terminal, and Ctrl-C.
 *
 * After two seconds a line on standard error tells how far the run is, where that is a terminal. It
 * is rewritten in place, and whoever prints something else hides it first.
 *
 * The first SIGINT cancels the run, so that it ends as one that failed: nothing half-printed, no
 * file written. The second ends the process, as it would have without this. Where SIGINT is ignored
 * it stays so.
 */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 2.0 /* seconds before the line comes */
#define PERIOD   0.2 /* and between two of them */

/* ---- the time ---- */

double watch_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void watch_begin(watch *w) {
  w->begin = watch_seconds();
  w->next = w->begin + PATIENCE;
  w->shown = 0;
  w->is_on = isatty(STDERR_FILENO);
}

/* ---- the line ---- */

void watch_hide(watch *w) {
  if (w->shown == 0) return;
  fprintf(stderr, "\r%*s\r", w->shown, "");
  fflush(stderr);
  w->shown = 0;
}

static void show(watch *w, const uop_run_stats *now, double seconds) {
  char line[128];
  int n = snprintf(line, sizeof line, "%llu steps, %.1f MiB, %.0f s",
                   (unsigned long long)now->steps, (double)now->bytes / (1 << 20), seconds);
  fprintf(stderr, "\r%-*s", w->shown, line); /* over all of the one before */
  fflush(stderr);
  if (n > w->shown) w->shown = n;
}

void watch_tell(watch *w, const uop_run_stats *now) {
  if (!w->is_on) return;
  double time = watch_seconds();
  if (time < w->next) return;
  show(w, now, time - w->begin);
  w->next = time + PERIOD;
}

/* ---- Ctrl-C; a signal handler gets no argument, hence what is global here ---- */

static _Atomic(uop_run *) watched;
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  uop_run *run = atomic_load(&watched);
  interrupted = 1;
  if (run) uop_run_cancel(run);
}

void watch_signals(uop_run *run) {
  struct sigaction old,
      new = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
  atomic_store(&watched, run);
  if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
    sigemptyset(&new.sa_mask);
    sigaction(SIGINT, &new, NULL);
  }
}

void watch_signals_end(void) {
  struct sigaction old;
  if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler == on_interrupt) signal(SIGINT, SIG_DFL);
  atomic_store(&watched, NULL);
}

bool watch_is_interrupted(void) { return interrupted; }
