/* workload.h - the four graphs that the core is measured on, the same for every program of bench/:
 * n binary nodes over 1,024 leaves, from one seed.
 *
 *   C  chain    op(previous, leaf 1)                       depth n
 *   S  spine    op(previous, a random earlier node)        depth n, random access
 *   L  layers   1,000 wide: op(above, another one above)   depth n / 1,000, local access
 *   R  random   op(random earlier, another)                many roots
 *
 * Every program prints "key value" lines: CPU nanoseconds a node, bytes a node.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LEAVES = 1024, WIDTH = 1000 };

typedef struct workload {
  char name;
  uint32_t n;        /* binary nodes; node i has index LEAVES + i */
  uint8_t *mul;      /* else add */
  uint32_t *a, *b;   /* indices of the operands */
  uint32_t replaced; /* the leaf that `subst` replaces */
} workload;

static uint64_t random_state = 42;
static uint64_t random64(void) { /* splitmix64 */
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
static uint32_t random_below(uint32_t n) { return (uint32_t)((random64() >> 32) * n >> 32); }

static uint32_t layer_source(uint32_t i, uint32_t layered, uint32_t *other) {
  if (i >= layered) { /* fold the last layer into one root */
    uint32_t k = i - layered, first = LEAVES + layered - WIDTH;
    *other = first + 2 * k + 1;
    return first + 2 * k;
  }
  uint32_t above = i / WIDTH ? LEAVES + (i / WIDTH - 1) * WIDTH : 0, j = i % WIDTH;
  uint32_t r = random_below(WIDTH - 1);
  *other = above + (r >= j ? r + 1 : r);
  return above + j;
}

static workload workload_make(char name, uint32_t n) {
  workload w = {.name = name, .n = n, .replaced = name == 'S' ? LEAVES - 1 : 0};
  if (name == 'L') w.n = n = (n / WIDTH > 1 ? n / WIDTH - 1 : 1) * WIDTH + WIDTH - 1;
  uint32_t layered = n - (WIDTH - 1);
  w.mul = malloc(n);
  w.a = malloc(n * sizeof *w.a);
  w.b = malloc(n * sizeof *w.b);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t index = LEAVES + i;
    w.mul[i] = (uint8_t)(random64() >> 63);
    switch (name) {
    case 'C':
      w.mul[i] = 0;
      w.a[i] = i ? index - 1 : 0;
      w.b[i] = 1;
      break;
    case 'S':
      w.a[i] = index - 1;
      w.b[i] = random_below(index - 1);
      break;
    case 'L': w.a[i] = layer_source(i, layered, &w.b[i]); break;
    default:
      w.a[i] = random_below(index);
      do w.b[i] = random_below(index);
      while (w.b[i] == w.a[i]);
    }
  }
  return w;
}

static workload workload_from_args(int argc, char **argv) {
  workload w = workload_make(argc > 1 ? argv[1][0] : 'S',
                             argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1000000);
  printf("n %u\n", w.n);
  return w;
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long resident_bytes(void) {
  long total, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &total, &pages) != 2) pages = 0;
  if (f) fclose(f);
  return pages * sysconf(_SC_PAGESIZE);
}

static double phase_begin;
static void begin(void) { phase_begin = cpu_seconds(); }
static void end(const workload *w, const char *phase) {
  printf("%s %.2f\n", phase, (cpu_seconds() - phase_begin) * 1e9 / w->n);
  fflush(stdout);
}

#endif
