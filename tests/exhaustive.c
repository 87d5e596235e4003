/* exhaustive.c - RECIP, SQRT, EXP2, LOG2 and SIN as the evaluator computes them, on every f32 there
 * is, or on every Nth: exhaustive [N [THREADS]]. Prints a table in Markdown; ends with 1 where a
 * result is wrong.
 *
 * RECIP and SQRT must be correctly rounded (support/exact.h). The yardstick of the others is the C
 * library's double, which is right to 2^-28 of an f32's ulp; where the true value is an f32 (2 to
 * an integer, the logarithm of a power of two, at 0) only that will do. */
#include "uop.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/exact.h"

enum { BLOCK = 1 << 20, MAX_THREADS = 64 };

/* What src/alu/alu.inc promises for EXP2, LOG2 and SIN; the language allows 2. */
#define LIMIT      0.5003
#define EXP2_LIMIT 1.25 /* it is computed in f32 */
#define WRONG      1e9

/* ---- how far a result is off, in ulp ---- */

static double recip_off(uint32_t x, uint32_t y) { return exact_recip(x, y) ? 0 : WRONG; }
static double sqrt_off(uint32_t x, uint32_t y) { return exact_sqrt(x, y) ? 0 : WRONG; }

/* Off from the double `want`; a NaN has to be the canonical one. */
static double off(uint32_t y, double want) {
  if (want != want) return y == EXACT_F32_NAN ? 0 : WRONG;
  return ulps_off(f32_of(y), want);
}

static double exp2_off(uint32_t x, uint32_t y) {
  float f = f32_of(x);
  if (f >= -149 && f < 128 && f == truncf(f)) return y == bits_of(ldexpf(1.0f, (int)f)) ? 0 : WRONG;
  return off(y, exp2((double)f));
}

static double log2_off(uint32_t x, uint32_t y) {
  int n;
  if (x - 1 < EXACT_F32_INF - 1 && frexpf(f32_of(x), &n) == 0.5f)
    return y == bits_of((float)(n - 1)) ? 0 : WRONG;
  return off(y, log2((double)f32_of(x)));
}

static double sin_off(uint32_t x, uint32_t y) {
  if (x << 1 == 0) return y == x ? 0 : WRONG;
  if (y == 0x80000000u || y == 0) return WRONG; /* no f32 but 0 has a sine of 0 */
  return off(y, sin((double)f32_of(x)));
}

typedef struct function {
  const char *name;
  uop_op op;
  double (*off)(uint32_t x, uint32_t y);
  double limit;
} function;

static const function functions[] = {{"RECIP", UOP_RECIP, recip_off, 0},
                                     {"SQRT", UOP_SQRT, sqrt_off, 0},
                                     {"EXP2", UOP_EXP2, exp2_off, EXP2_LIMIT},
                                     {"LOG2", UOP_LOG2, log2_off, LIMIT},
                                     {"SIN", UOP_SIN, sin_off, LIMIT}};

/* ---- blocks of inputs through the evaluator ---- */

/* One thread's part: the blocks first, first + step, … */
typedef struct part {
  const function *fn;
  uint64_t every, first, step;
  double worst; /* and the first input where it was */
  uint32_t at, gave;
} part;

static void die(const char *what) {
  fprintf(stderr, "exhaustive: %s\n", what);
  exit(2);
}

static void compare(part *p, const uint32_t *x, const uint32_t *y, size_t n) {
  for (size_t i = 0; i < n; i++) {
    double off_by = p->fn->off(x[i], y[i]);
    if (off_by <= p->worst) continue;
    p->worst = off_by;
    p->at = x[i];
    p->gave = y[i];
  }
}

static void run_block(part *p, uop_ctx *ctx, uint32_t *x, uint64_t from, uint64_t inputs) {
  int64_t n = inputs - from < BLOCK ? (int64_t)(inputs - from) : BLOCK;
  for (int64_t i = 0; i < n; i++) x[i] = (uint32_t)((from + (uint64_t)i) * p->every);
  uop_scope scope = uop_scope_begin(ctx);
  const uop *param = uop_param(ctx, 0, UOP_F32, &n, 1);
  uop_value v = {.dtype = UOP_F32, .rank = 1, .dims = {n}, .count = n, .data = x}, out;
  uop_run *run = uop_run_new(ctx, NULL);
  if (!run || !uop_run_set(run, UOP_PARAM, 0, &v) ||
      !uop_run_eval(run, uop_make(ctx, p->fn->op, &param, 1, NULL), &out))
    die(uop_error(ctx)->message);
  compare(p, x, out.data, (size_t)n);
  uop_run_free(run);
  uop_scope_end(scope, NULL, 0);
}

static void *run_part(void *user) {
  part *p = user;
  uint64_t inputs = ((UINT64_C(1) << 32) + p->every - 1) / p->every;
  uop_ctx *ctx = uop_ctx_new(NULL);
  uint32_t *x = malloc(BLOCK * sizeof *x);
  if (!ctx || !x) die("out of memory");
  for (uint64_t from = p->first * BLOCK; from < inputs; from += p->step * BLOCK)
    run_block(p, ctx, x, from, inputs);
  free(x);
  uop_ctx_free(ctx);
  return NULL;
}

/* All inputs of one function. The worst one is the same with any number of threads. */
static part run_function(const function *fn, uint64_t every, uint64_t threads) {
  part parts[MAX_THREADS], all = {0};
  pthread_t thread[MAX_THREADS];
  for (uint64_t i = 0; i < threads; i++) {
    parts[i] = (part){fn, every, i, threads, 0, 0, 0};
    if (pthread_create(&thread[i], NULL, run_part, &parts[i])) die("no thread");
  }
  for (uint64_t i = 0; i < threads; i++) {
    pthread_join(thread[i], NULL);
    if (parts[i].worst > all.worst || (parts[i].worst == all.worst && parts[i].at < all.at))
      all = parts[i];
  }
  return all;
}

static bool report(const function *fn, uint64_t every, const part *p) {
  uint64_t inputs = ((UINT64_C(1) << 32) + every - 1) / every;
  bool right = p->worst <= fn->limit;
  printf("| %s | %llu | ", fn->name, (unsigned long long)inputs);
  if (p->worst == 0)
    printf("0.500000 | correctly rounded");
  else if (right)
    printf("%.6f | at 0x%08x", p->worst, (unsigned)p->at);
  else
    printf("**wrong** | 0x%08x gives 0x%08x", (unsigned)p->at, (unsigned)p->gave);
  printf(" |\n");
  fflush(stdout);
  return right;
}

int main(int argc, char **argv) {
  uint64_t every = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  uint64_t threads = argc > 2 ? strtoull(argv[2], NULL, 10) : 2;
  bool right = true;
  if (every == 0 || threads == 0 || threads > MAX_THREADS) die("exhaustive [N [THREADS]]");
  printf("| op | inputs | at most, ulp | |\n| --- | ---: | ---: | --- |\n");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    part p = run_function(&functions[i], every, threads);
    right = report(&functions[i], every, &p) && right;
  }
  return right ? 0 : 1;
}
