/* threads.c - under ThreadSanitizer: eight threads, a context each, build, print and run the same
 * program and agree; and eight threads read one quiet context (walk, count, print, draw, run).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uop.h"

enum { THREADS = 8, ROUNDS = 20 };

#define MUST(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), abort()))

static const char text[] = "%p = param 0 shape=(16,)\n"
                           "%q = param 1 shape=(16,)\n"
                           "%f = mul (param 0 shape=(16,)) (param 0 shape=(16,))\n"
                           "%c = call %f (add %p %q) : name=sq\n"
                           "assert (reduce (stack 1 2 3)) 6\n"
                           "assert (floordiv 7 0) 0\n"
                           "%s = sqrt (reduce (where (lt %p 0) (neg %c) %c))\n";

static void warn(void *user, const uop_diag *w) {
  MUST(w->code == UOP_W_DIVISION);
  ++*(int *)user;
}

/* The printed program and its value, as the caller's string. */
static char *work(uop_ctx *ctx, const uop_program *p) {
  uop_nodes order = {0};
  uop_counts n;
  size_t len, dot_len;
  char *printed = uop_program_print(p, &len);
  char *dot = uop_dot(ctx, p->roots.at, p->roots.len, p, &dot_len);
  MUST(printed && dot && uop_toposort(ctx, p->roots.at, p->roots.len, &order));
  MUST(uop_count(ctx, p->roots.at, p->roots.len, &n) && n.nodes == order.len);
  int warnings = 0;
  uop_run_options options = {.warn = warn, .user = &warnings};
  uop_run *r = uop_run_new(ctx, &options);
  MUST(r);
  uop_nodes inputs = {0};
  uop_value values[8], out;
  MUST(uop_inputs(ctx, p->roots.at, p->roots.len, &inputs) && inputs.len == 2);
  for (size_t i = 0; i < inputs.len; i++) {
    MUST(uop_value_fill(inputs.at[i], 7, &values[i]));
    MUST(uop_run_set(r, UOP_PARAM, uop_slot(inputs.at[i]), &values[i]));
  }
  for (size_t i = 0; i < p->roots.len; i++) MUST(uop_run_eval(r, p->roots.at[i], &out));
  MUST(warnings == 1);
  char *value = uop_value_print(ctx, &out, true, 0);
  char *all = malloc(len + dot_len + 100);
  MUST(value && all);
  sprintf(all, "%s%s%s", printed, dot, value);
  uop_run_free(r);
  for (size_t i = 0; i < inputs.len; i++) uop_value_free(ctx, &values[i]);
  uop_nodes_free(ctx, &inputs);
  uop_nodes_free(ctx, &order);
  uop_free(ctx, printed);
  uop_free(ctx, dot);
  uop_free(ctx, value);
  return all;
}

static void *own_context(void *unused) {
  (void)unused;
  char *first = NULL;
  for (int i = 0; i < ROUNDS; i++) {
    uop_ctx *ctx = uop_ctx_new(NULL);
    uop_program *p = uop_program_parse(ctx, text, strlen(text), NULL);
    MUST(p);
    char *s = work(ctx, p);
    if (!first)
      first = s;
    else
      MUST(!strcmp(first, s)), free(s);
    MUST(uop_ctx_check(ctx));
    uop_program_free(p);
    uop_ctx_free(ctx);
  }
  return first;
}

typedef struct quiet {
  uop_ctx *ctx;
  const uop_program *p;
} quiet;

static void *one_context(void *arg) {
  const quiet *q = arg;
  char *first = work(q->ctx, q->p);
  for (int i = 1; i < ROUNDS; i++) {
    char *s = work(q->ctx, q->p);
    MUST(!strcmp(first, s));
    free(s);
  }
  return first;
}

/* Runs fn in all threads; what they answer must be one text, which is returned. */
static char *agree(void *(*fn)(void *), void *arg) {
  pthread_t t[THREADS];
  char *first = NULL;
  for (int i = 0; i < THREADS; i++) MUST(pthread_create(&t[i], NULL, fn, arg) == 0);
  for (int i = 0; i < THREADS; i++) {
    void *s;
    MUST(pthread_join(t[i], &s) == 0);
    if (!first)
      first = s;
    else
      MUST(!strcmp(first, s)), free(s);
  }
  return first;
}

int main(void) {
  char *own = agree(own_context, NULL);
  quiet q = {.ctx = uop_ctx_new(NULL)};
  uop_program *p = uop_program_parse(q.ctx, text, strlen(text), NULL);
  MUST(p);
  q.p = p;
  char *shared = agree(one_context, &q);
  MUST(!strcmp(own, shared));
  free(own);
  free(shared);
  uop_program_free(p);
  uop_ctx_free(q.ctx);
  puts("threads: 2 passed, 0 failed");
  return 0;
}
