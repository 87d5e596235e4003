/* times.c - `uopc run --time`: what each op has cost, on standard error.
 *
 * The run's clock tells what is spent on arrays, op by op. What it does not tell, numbers made of
 * numbers alone, calls and the plans of what to compute, is the line `other`: the rest of the time
 * that passed while values were computed.
 */
#include "cli.h"

#include <stdlib.h>

typedef struct row {
  const char *name;
  uop_op op;
  uop_op_cost cost;
} row;

static int by_seconds(const void *a, const void *b) {
  const row *x = a, *y = b;
  if (x->cost.seconds != y->cost.seconds) return x->cost.seconds < y->cost.seconds ? 1 : -1;
  return (x->op > y->op) - (x->op < y->op);
}

static double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

static void put_row(const row *r, double seconds) {
  fprintf(stderr, "%-10s %10llu %14llu %12.6f %14llu %6.1f%%\n", r->name,
          (unsigned long long)r->cost.calls, (unsigned long long)r->cost.elements, r->cost.seconds,
          (unsigned long long)r->cost.bytes, share(r->cost.seconds, seconds));
}

static size_t gather(const uop_run *run, row rows[UOP_OP_COUNT], row *total) {
  size_t n = 0;
  for (int op = 0; op < UOP_OP_COUNT; op++) {
    row *r = &rows[n];
    if (!uop_run_get_cost(run, (uop_op)op, &r->cost) || r->cost.calls == 0) continue;
    r->op = (uop_op)op;
    r->name = uop_op_find(r->op)->name;
    total->cost.calls += r->cost.calls;
    total->cost.elements += r->cost.elements;
    total->cost.seconds += r->cost.seconds;
    total->cost.bytes += r->cost.bytes;
    n++;
  }
  qsort(rows, n, sizeof *rows, by_seconds);
  return n;
}

void times_print(const uop_run *run, double seconds) {
  row rows[UOP_OP_COUNT], total = {.name = "total"}, other = {.name = "other"};
  size_t n = gather(run, rows, &total);
  other.cost.seconds = seconds > total.cost.seconds ? seconds - total.cost.seconds : 0;
  total.cost.seconds += other.cost.seconds;
  output_flush();
  fprintf(stderr, "%-10s %10s %14s %12s %14s %7s\n", "op", "calls", "elements", "seconds", "bytes",
          "share");
  for (size_t i = 0; i < n; i++) put_row(&rows[i], total.cost.seconds);
  put_row(&other, total.cost.seconds);
  put_row(&total, total.cost.seconds);
}
