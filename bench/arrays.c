/* arrays.c - libuop on whole arrays, as arrays.py has them in numpy: arrays CASE N. Prints wall
 * nanoseconds an element, the bytes an element that are allocated at once beside the inputs, and
 * the last element.
 *
 *   add     a + b                                     exp2    2 ** a
 *   chain   ten elementwise ops in a row              rows    sums of rows of 1,000 (of 10 at 10^3)
 *   turn    a's transpose + b                         gemm    examples/gemm_256x256.uir, n a side
 *
 * A run is planned once, as numpy's functions are compiled once, and given its inputs anew for each
 * repetition.
 */
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

/* Counts what is asked for, for one pass that is not timed. */
typedef struct meter {
  size_t now, most;
} meter;

static void *metered(void *user, void *p, size_t old, size_t size) {
  meter *m = user;
  m->now += size - (p ? old : 0);
  if (m->now > m->most) m->most = m->now;
  if (size) return realloc(p, size);
  free(p);
  return NULL;
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

typedef struct bench {
  uop_ctx *ctx;
  uop_run *run;
  job j;
  uop_value in[2];
} bench;

static bool start(bench *b, const char *name, int64_t n, meter *m) {
  uop_options o = {.alloc = m ? metered : NULL, .user = m};
  uop_run_options budget = {.max_bytes = UINT64_C(1) << 40, .max_steps = UINT64_C(1) << 60};
  b->ctx = uop_ctx_new(&o);
  b->j = job_of(b->ctx, name, n);
  b->run = uop_run_new(b->ctx, &budget);
  for (int i = 0; i < 2; i++)
    if (b->j.input[i] && !fill(b->j.input[i], &b->in[i])) return false;
  return b->run && b->j.result;
}

static bool work(bench *b, uop_value *out) {
  for (int i = 0; i < 2; i++)
    if (b->j.input[i] && !uop_run_set(b->run, UOP_PARAM, i, &b->in[i])) return false;
  return uop_run_eval(b->run, b->j.result, out);
}

static void finish(bench *b) {
  uop_run_free(b->run);
  for (int i = 0; i < 2; i++)
    if (b->j.input[i]) uop_value_free(b->ctx, &b->in[i]);
  uop_ctx_free(b->ctx);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int64_t n = atoll(argv[2]);
  int repeats = n <= 1000 ? 2000 : n <= 1000000 ? 50 : 5;
  double best = 1e300;
  uop_value out;
  bench b = {0};
  if (!start(&b, argv[1], n, NULL)) return 1;
  for (int r = 0; r < repeats; r++) {
    double begin = now();
    if (!work(&b, &out)) return 1;
    double spent = now() - begin;
    if (spent < best) best = spent;
    if (r + 1 < repeats) uop_run_reset(b.run);
  }
  printf("ns %.5f\n", best / (double)b.j.n);
  printf("last %.6g\n", (double)((float *)out.data)[out.count - 1]);
  finish(&b);
  meter m = {0, 0};
  bench again = {0};
  if (!start(&again, argv[1], n, &m)) return 1;
  size_t before = m.most = m.now;
  if (!work(&again, &out)) return 1;
  printf("peak %.4f\n", (double)(m.most - before) / (double)again.j.n);
  finish(&again);
  return 0;
}
