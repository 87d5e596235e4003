/* gen.c - a graph of workload.h as text: gen W N FORMAT, to standard output.
 *
 *   uir    %17 = add %3, %9           named   %n17 = add %n3, %n9
 *   ll     LLVM's, for llvm-as, opt   mlir    MLIR's arith and func dialects as of version 14
 */
#include "workload.h"

static void uir(const workload *w, const char *prefix) {
  for (uint32_t i = 0; i < LEAVES; i++)
    printf("%%%s%u = param : slot=%u dtype=i32\n", prefix, i, i);
  for (uint32_t i = 0; i < w->n; i++)
    printf("%%%s%u = %s %%%s%u, %%%s%u\n", prefix, LEAVES + i, w->mul[i] ? "mul" : "add", prefix,
           w->a[i], prefix, w->b[i]);
}

static void ll(const workload *w) {
  printf("define i32 @f(");
  for (uint32_t i = 0; i < LEAVES; i++) printf("%si32 %%%u", i ? ", " : "", i);
  printf(") {\nentry:\n");
  for (uint32_t i = 0; i < w->n; i++)
    printf("  %%%u = %s i32 %%%u, %%%u\n", LEAVES + i, w->mul[i] ? "mul" : "add", w->a[i], w->b[i]);
  printf("  ret i32 %%%u\n}\n", LEAVES + w->n - 1);
}

static void mlir(const workload *w) {
  printf("func @f(");
  for (uint32_t i = 0; i < LEAVES; i++) printf("%s%%%u: i32", i ? ", " : "", i);
  printf(") -> i32 {\n");
  for (uint32_t i = 0; i < w->n; i++)
    printf("  %%%u = arith.%s %%%u, %%%u : i32\n", LEAVES + i, w->mul[i] ? "muli" : "addi", w->a[i],
           w->b[i]);
  printf("  return %%%u : i32\n}\n", LEAVES + w->n - 1);
}

int main(int argc, char **argv) {
  if (argc != 4) return fputs("usage: gen W N uir|named|ll|mlir\n", stderr), 2;
  workload w = workload_make(argv[1][0], (uint32_t)strtoul(argv[2], NULL, 10));
  if (!strcmp(argv[3], "uir"))
    uir(&w, "");
  else if (!strcmp(argv[3], "named"))
    uir(&w, "n");
  else if (!strcmp(argv[3], "ll"))
    ll(&w);
  else if (!strcmp(argv[3], "mlir"))
    mlir(&w);
  else
    return 2;
  return fflush(stdout) || ferror(stdout);
}
