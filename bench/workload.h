/* workload.h - the four graphs that the core is measured on, the same for every program of bench/:
 * n binary nodes over 1,024 leaves, from one seed.
 *
 *   C  chain    op(previous, leaf 1)                       depth n
 *   S  spine    op(previous, a random earlier node)        depth n, random access
 *   L  layers   1,000 wide: op(above, another one above)   depth n / 1,000, local access
 *   R  random   op(random earlier, another)                many roots
 *
 * Every program prints "key value" lines: CPU nanoseconds a node, bytes a node; "FAIL …" where it
 * finds itself wrong.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
static inline uint64_t random64(void) { /* splitmix64 */
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
static inline uint32_t random_below(uint32_t n) { return (uint32_t)((random64() >> 32) * n >> 32); }

static inline uint32_t layer_source(uint32_t i, uint32_t layered, uint32_t *other) {
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

static inline workload workload_make(char name, uint32_t n) {
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

/* Zeroed address space in huge pages, where the system has some; takes room when it is touched. */
static inline void *reserve(size_t bytes) {
  void *p =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) exit(2);
  madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

/* A virtual machine's host may give memory on its first touch only, which costs more than all of a
 * phase. Here that is paid ahead: what is touched and given back is likely to come again. */
static inline void warm_memory(size_t bytes) {
  char *p = reserve(bytes);
  for (size_t i = 0; i < bytes; i += 4096) p[i] = 1;
  munmap(p, bytes);
}

/* `warm`: bytes a node to touch ahead. */
static inline workload workload_from_args(int argc, char **argv, size_t warm) {
  workload w = workload_make(argc > 1 ? argv[1][0] : 'S',
                             argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1000000);
  printf("n %u\n", w.n);
  warm_memory(w.n * warm);
  return w;
}

static inline double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline long resident_bytes(void) {
  long total, pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &total, &pages) != 2) pages = 0;
  if (f) fclose(f);
  return pages * sysconf(_SC_PAGESIZE);
}

/* A phase once: begin(); ...; end("miss", n). A phase again: `best = lap(best)` after each
 * repetition, then report("walk2", best, n): the least of them, since the first touch of fresh
 * memory is in the phase of the same name without the 2. */
enum { MANY = 2000000 };
static inline int repeats(size_t n) { return n < MANY ? 3 : 2; }
#define NEVER 1e300
static double phase_begin;
static inline void report(const char *key, double seconds, size_t n) {
  printf("%s %.3f\n", key, seconds * 1e9 / (double)n);
  fflush(stdout);
}
static inline void begin(void) { phase_begin = cpu_seconds(); }
static inline void end(const char *key, size_t n) {
  double now = cpu_seconds();
  report(key, now - phase_begin, n);
}
static inline double lap(double best) {
  double seconds = cpu_seconds() - phase_begin;
  return seconds < best ? seconds : best;
}

/* Memory that is there already, so that a phase does not pay for the caller's own arrays. */
static inline void *touched(size_t bytes) {
  void *p = malloc(bytes);
  if (!p) exit(2);
  return memset(p, 1, bytes);
}

static inline int fail(const char *what) {
  printf("FAIL %s\n", what);
  return 1;
}

#endif
