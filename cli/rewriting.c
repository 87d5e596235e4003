/* rewriting.c - what `uopc rewrite` and `uopc simplify` share: a program, rules, and what these
 * make of its roots, the asserts and the result, all together. Where each new node comes from is
 * recorded, so that an error is told at the statement that it is about.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { TRACE_WIDTH = 160 }; /* bytes of a node in --trace; the rest is "..." */

/* ---- --trace ---- */

/* A node as text. False: out of memory, which shows as "..." where there is room for more. */
static bool node_text(const uop *u, char text[TRACE_WIDTH + 1]) {
  size_t n = uop_repr(u, text, TRACE_WIDTH + 1);
  return n == TRACE_WIDTH || n < 3 || strcmp(text + n - 3, "...") != 0;
}

bool rewriting_trace(void *user, const uop_rewrite_step *step) {
  rewriting *j = user;
  char before[TRACE_WIDTH + 1], after[TRACE_WIDTH + 1];
  j->no_memory = !node_text(step->before, before) || !node_text(step->after, after);
  if (!j->no_memory) fprintf(stderr, "%s: %s -> %s\n", step->rule, before, after);
  return !j->no_memory;
}

/* ---- --count ---- */

typedef struct row {
  const char *name;
  uint64_t hits;
  size_t place;
} row;

static int by_hits(const void *a, const void *b) {
  const row *x = a, *y = b;
  if (x->hits != y->hits) return x->hits < y->hits ? 1 : -1;
  return (x->place > y->place) - (x->place < y->place);
}

bool rewriting_counts(const rewriting *j) {
  const uop_rules *r = j->rules;
  size_t n = 0, width = strlen("total");
  uint64_t total = 0;
  uop_rule_info rule;
  row *rows = malloc((uop_rules_len(r) + 2) * sizeof *rows);
  if (!rows) {
    diag_say(DIAG_ERROR, "out of memory");
    return false;
  }
  for (size_t i = 0; uop_rules_get(r, i, &rule); i++) {
    if (rule.hits == 0) continue;
    rows[n++] = (row){rule.name, rule.hits, i};
    total += rule.hits;
    if (strlen(rule.name) > width) width = strlen(rule.name);
  }
  if (j->gathered) rows[n++] = (row){"gather", j->gathered, SIZE_MAX};
  total += j->gathered;
  qsort(rows, n, sizeof *rows, by_hits);
  fprintf(stderr, "%-*s %10s\n", (int)width, "rule", "hits");
  rows[n++] = (row){"total", total, 0};
  for (size_t i = 0; i < n; i++)
    fprintf(stderr, "%-*s %10llu\n", (int)width, rows[i].name, (unsigned long long)rows[i].hits);
  free(rows);
  return true;
}

/* ---- roots ---- */

bool rewriting_begin(rewriting *j) {
  j->roots = malloc((j->p.prog->roots.len + 1) * sizeof *j->roots);
  j->origins = uop_map_new(j->p.ctx);
  if (j->roots && j->origins) return true;
  diag_say(DIAG_ERROR, "out of memory");
  return false;
}

void rewriting_report(rewriting *j) {
  const uop_diag *e = uop_error(j->p.ctx);
  const uop *node = e->node ? uop_origin(j->origins, e->node) : NULL;
  if (j->no_memory)
    diag_say(DIAG_ERROR, "out of memory");
  else
    program_diag(&j->p, DIAG_ERROR, node, e->message + e->reason);
}

bool rewriting_print(rewriting *j, const char *path) {
  size_t len = 0;
  char *text = uop_print_roots(j->p.ctx, j->roots, j->p.prog->roots.len, &len);
  if (!text) diag_say(DIAG_ERROR, "out of memory");
  bool ok = text && output_write(path, text, len);
  uop_free(j->p.ctx, text);
  return ok;
}

void rewriting_free(rewriting *j) {
  uop_map_free(j->origins);
  uop_rules_free(j->rules);
  free(j->roots);
  program_free(&j->p);
}
