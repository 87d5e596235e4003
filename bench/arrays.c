/* arrays.c - libuop on whole arrays, as arrays.py has them in numpy: arrays CASE N. Prints wall
 * nanoseconds an element, bytes an element that the work needs beside its inputs, and a check.
 *
 *   add     a + b                                     exp2    2 ** a
 *   chain   ten elementwise ops in a row              rows    sums of rows of 1,000 (of 10 at 10^3)
 *   turn    a's transpose + b                         gemm    examples/gemm_256x256.uir, n a side
 *
 * A run is planned once, as numpy's functions are compiled once, and given its inputs anew for each
 * repetition.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "uop.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Kilobytes from /proc/self/status; 0 where the system has none. */
static long status(const char *key) {
  char line[256];
  long kb = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (strncmp(line, key, strlen(key)) == 0) sscanf(line + strlen(key), ": %ld", &kb);
  if (f) fclose(f);
  return kb;
}

static void reset_peak(void) {
  FILE *f = fopen("/proc/self/clear_refs", "w");
  if (!f) return;
  fputs("5", f);
  fclose(f);
}

typedef struct job {
  const uop *result, *input[2];
  int64_t n; /* elements computed */
} job;

static const uop *input(uop_ctx *ctx, int64_t slot, const int64_t *dims, size_t rank) {
  return uop_param(ctx, slot, UOP_F32, dims, rank);
}

static job job_of(uop_ctx *ctx, const char *name, int64_t n) {
  job j = {.n = n};
  int64_t flat[] = {n}, side = (int64_t)sqrt((double)n), square[] = {side, side};
  int64_t row = n <= 1000 ? 10 : 1000, rows[] = {n / row, row}, turned[] = {1, 0};
  int64_t edge = (int64_t)cbrt((double)n + 0.5), matrix[] = {edge, edge};
  const uop *a = j.input[0] = input(ctx, 0, flat, 1);
  if (!strcmp(name, "add")) {
    j.input[1] = input(ctx, 1, flat, 1);
    j.result = uop_add(a, j.input[1]);
  } else if (!strcmp(name, "exp2")) {
    j.result = uop_exp2(a);
  } else if (!strcmp(name, "chain")) {
    const uop *b = j.input[1] = input(ctx, 1, flat, 1);
    const uop *x = uop_mul(uop_add(uop_mul(a, b), 1.0f), a);
    x = uop_max(uop_add(x, b), 0.5f);
    j.result = uop_add(uop_mul(uop_add(uop_mul(uop_sqrt(x), a), b), 2.0f), a);
  } else if (!strcmp(name, "rows")) {
    j.input[0] = input(ctx, 0, rows, 2);
    j.result = uop_reduce(j.input[0], UOP_ADD, 1);
  } else if (!strcmp(name, "turn")) {
    j.input[0] = input(ctx, 0, square, 2);
    j.input[1] = input(ctx, 1, square, 2);
    j.result = uop_add(uop_permute(j.input[0], turned, 2), j.input[1]);
    j.n = side * side;
  } else if (!strcmp(name, "gemm")) {
    int64_t of_a[] = {edge, edge, 1}, of_b[] = {edge, 1, edge};
    j.input[0] = input(ctx, 0, matrix, 2);
    j.input[1] = input(ctx, 1, matrix, 2);
    j.result = uop_reduce(
        uop_mul(uop_reshape(j.input[0], of_a, 3), uop_reshape(j.input[1], of_b, 3)), UOP_ADD, 1);
    j.n = edge * edge * edge;
  }
  return j;
}

static bool fill(const uop *u, uop_value *v) {
  if (!uop_value_fill(u, 1, v)) return false;
  float *x = v->data;
  for (int64_t i = 0; i < v->count; i++) x[i] = (float)(i % 1009) * (1.0f / 1009);
  return true;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int64_t n = atoll(argv[2]);
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_run_options options = {.max_bytes = UINT64_C(1) << 40, .max_steps = UINT64_C(1) << 60};
  uop_run *run = uop_run_new(ctx, &options);
  job j = job_of(ctx, argv[1], n);
  uop_value in[2], out;
  if (!run || !j.result) return 1;
  int repeats = n <= 1000 ? 2000 : n <= 1000000 ? 50 : 5;
  double best = 1e300;
  for (int i = 0; i < 2; i++)
    if (j.input[i] && !fill(j.input[i], &in[i])) return 1;
  reset_peak();
  long before = status("VmRSS");
  for (int r = 0; r < repeats; r++) {
    double begin = now();
    for (int i = 0; i < 2; i++)
      if (j.input[i] && !uop_run_set(run, UOP_PARAM, i, &in[i])) return 1;
    if (!uop_run_eval(run, j.result, &out)) return 1;
    double spent = now() - begin;
    if (spent < best) best = spent;
    if (r + 1 < repeats) uop_run_reset(run);
  }
  printf("ns %.5f\n", best / (double)j.n);
  printf("peak %.3f\n", (double)(status("VmHWM") - before) * 1024 / (double)j.n);
  printf("last %.6g\n", (double)((float *)out.data)[out.count - 1]);
  uop_run_free(run);
  for (int i = 0; i < 2; i++)
    if (j.input[i]) uop_value_free(ctx, &in[i]);
  uop_ctx_free(ctx);
  return 0;
}
