/* text_file.h - for text.c and text_floor.c: the file that both read. */
#ifndef BENCH_TEXT_FILE_H
#define BENCH_TEXT_FILE_H

#include "workload.h"

typedef struct text {
  char *at;
  size_t len, lines;
} text;

/* NULs follow the text, so that a parser may look ahead. */
static inline text text_read(int argc, char **argv) {
  text t = {0};
  FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!f || fseek(f, 0, SEEK_END) != 0) exit(2);
  t.len = (size_t)ftell(f);
  rewind(f);
  t.at = touched(t.len + 64);
  if (fread(t.at, 1, t.len, f) != t.len) exit(2);
  fclose(f);
  memset(t.at + t.len, 0, 64);
  for (size_t i = 0; i < t.len; i++) t.lines += t.at[i] == '\n';
  printf("lines %zu\n", t.lines);
  warm_memory(t.lines * 300);
  return t;
}

static inline void report_speed(const char *key, double seconds, size_t bytes) {
  printf("%s %.2f\n", key, (double)bytes / seconds * 1e-6);
}

#endif
