/* main.c - proves rules.
 *
 *   prove update RECORD FILE.rules…   proves what is not in the record as it stands now, and writes
 *                                     the record; with --all, everything
 *   prove again RECORD FILE.rules…    fails on a rule without an entry, or another text than its
 *                                     entry's; proves what took seconds again, as it was proved
 *   prove only FILE.rules…            proves, without a record
 *   prove smt FILE.rules…             the queries, to standard output
 *   prove docs RECORD FILE.rules…     docs/rules.md, to standard output
 *
 * It is run in the project's root, and looks for *.smt2 in tools/prove. A rule that nothing settles
 * is an error, with its counterexample.
 */
#include "prove.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>

enum { JOBS = 2, MAX_FILES = 256 };
static const char smt2[] = "tools/prove";

_Noreturn void die(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fputs("prove: ", stderr);
  vfprintf(stderr, fmt, ap);
  fputc('\n', stderr);
  va_end(ap);
  exit(2);
}

void *must(void *memory) {
  if (!memory) die("out of memory");
  return memory;
}

/* ---- rule files ---- */

static const char *const fns[] = {
#define UOP_RULE_FN(name) #name,
#include "symbolic/functions.def"
#undef UOP_RULE_FN
};

static int find_fn(void *user, const char *fn, size_t len) {
  (void)user;
  for (size_t i = 0; i < sizeof fns / sizeof *fns; i++)
    if (strlen(fns[i]) == len && memcmp(fns[i], fn, len) == 0) return (int)i;
  return -1;
}

static char *read_text(const char *path, size_t *len) {
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  size_t cap = 0;
  if (!f) die("%s cannot be read", path);
  if (getdelim(&text, &cap, 0, f) < 0) text = must(calloc(1, 1));
  fclose(f);
  *len = strlen(text);
  return text;
}

static void read_rules(rule_file *f, uop_ctx *ctx, const char *path) {
  size_t len;
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  uop_diags *diags = must(calloc(2, sizeof *diags));
  f->path = path;
  f->text = read_text(path, &len);
  snprintf(f->set, sizeof f->set, "%.*s", (int)strcspn(base, "."), base);
  f->book = (rule_book){.ctx = ctx,
                        .mem = uopi_mem_of(ctx),
                        .text = f->text,
                        .end = f->text + len,
                        .errors = &diags[0],
                        .warnings = &diags[1]};
  uopi_rules_read(&f->book, find_fn, NULL);
  if (f->book.no_memory) die("out of memory");
  for (size_t i = 0; i < diags[0].len; i++)
    fprintf(stderr, "%s:%u: %s\n", path, (unsigned)diags[0].at[i].line,
            diags[0].at[i].message + diags[0].at[i].reason);
  if (diags[0].len) exit(1);
}

/* ---- rules that SMT-LIB cannot say ---- */

static char *head_of(const rule_file *f) { /* up to its first empty line */
  const char *end = strstr(f->text, "\n\n");
  return must(end ? strndup(f->text, (size_t)(end - f->text)) : strdup(""));
}

/* The FILE of "Tested: FILE" in the rule's comment, or in the one that heads its file. */
static char *test_of(const rule_file *f, const rule_tree *r) {
  char *comment = must(strndup(r->comment ? r->comment : "", r->comment_len)), *test = NULL;
  if (!strstr(comment, "Tested: ")) { /* the whole file is */
    free(comment);
    comment = head_of(f);
  }
  char *at = strstr(comment, "Tested: ");
  if (at) {
    at += strlen("Tested: ");
    size_t n = strcspn(at, " \n,");
    while (n && at[n - 1] == '.') n--;
    test = must(strndup(at, n));
  }
  free(comment);
  return test;
}

static void judge_tested(const rule_file *f, const rule_tree *r, const char *unsayable, entry *e,
                         verdict *v) {
  char name[UOP_MAX_NAME + 1], *text = NULL;
  size_t len;
  *v = (verdict){.on = STANDS_TESTED};
  snprintf(name, sizeof name, "%.*s", (int)r->name_len, r->name);
  e->test = test_of(f, r);
  if (e->test) text = read_text(e->test, &len);
  bool named = text && strstr(text, name);
  if (!named) v->on = STANDS_NOT;
  if (text && !named)
    snprintf(v->why, sizeof v->why, "%s does not name %s, which it is to test", e->test, name);
  if (!text)
    snprintf(v->why, sizeof v->why, "it %s: say \"Tested: FILE\" in its comment", unsayable);
  free(text);
}

/* ---- work ---- */

typedef struct task {
  const rule_file *file;
  const rule_tree *rule;
  const entry *known; /* how to prove it again; NULL: find out */
  entry out;
  size_t next;    /* case of `known` */
  char why[1400]; /* it does not stand */
  solver *s;
} task;

typedef struct crew {
  task *at;
  size_t n;
  atomic_size_t next;
} crew;

static void work_on_case(const prove_case *c, void *user) {
  task *t = user;
  verdict v;
  const verdict *known = t->known && t->next < t->known->n ? &t->known->v[t->next] : NULL;
  t->next++;
  if (t->why[0]) return;
  if (!strcmp(t->file->set, "inexact"))
    attempt_inexact(t->s, c, smt2, &v);
  else
    attempt(t->s, c, known, smt2, &v);
  if (v.on == STANDS_NOT) snprintf(t->why, sizeof t->why, "%s: %s", v.label, v.why);
  t->out.v = must(realloc(t->out.v, (t->out.n + 1) * sizeof v));
  t->out.v[t->out.n++] = v;
}

static void work_on(task *t) {
  const char *unsayable;
  t->out.id = rule_id(t->file, t->rule);
  t->out.text = rule_text_line(t->rule);
  if (!is_sayable(&t->file->book, t->rule, &unsayable)) {
    verdict v;
    judge_tested(t->file, t->rule, unsayable, &t->out, &v);
    snprintf(t->why, sizeof t->why, "%s", v.why);
    return;
  }
  each_case(&t->file->book, t->rule, work_on_case, t);
  if (!t->out.n) snprintf(t->why, sizeof t->why, "no node can match it");
}

static void report(const task *t) {
  if (t->why[0]) {
    printf("%s:%u: %s: refused: %s\n", t->file->path, (unsigned)t->rule->line, t->out.id, t->why);
    return;
  }
  printf("%s:", t->out.id);
  for (size_t i = 0; i < t->out.n; i++)
    printf(" %s %s%s%s", t->out.v[i].label, stand_names[t->out.v[i].on], way_names[t->out.v[i].way],
           t->out.v[i].longer ? " longer" : "");
  printf("%s%s\n", t->out.test ? " tested by " : "", t->out.test ? t->out.test : "");
}

static void *work(void *user) {
  crew *all = user;
  solver s = {.text = NULL};
  solver_start(&s);
  for (size_t i; (i = atomic_fetch_add(&all->next, 1)) < all->n;) {
    all->at[i].s = &s;
    work_on(&all->at[i]);
    report(&all->at[i]);
  }
  solver_stop(&s);
  free(s.text);
  return NULL;
}

/* How many tasks were refused. */
static size_t work_all(crew *all) {
  pthread_t id[JOBS];
  size_t refused = 0;
  for (int i = 0; i < JOBS; i++)
    if (pthread_create(&id[i], NULL, work, all)) die("no thread");
  for (int i = 0; i < JOBS; i++) pthread_join(id[i], NULL);
  for (size_t i = 0; i < all->n; i++) refused += all->at[i].why[0] != 0;
  return refused;
}

/* ---- commands ---- */

typedef struct job {
  rule_file *files;
  size_t nfiles;
  record rec;
  crew all;
} job;

static void add_task(job *j, const rule_file *f, const rule_tree *r, const entry *known) {
  j->all.at = must(realloc(j->all.at, (j->all.n + 1) * sizeof *j->all.at));
  j->all.at[j->all.n++] = (task){.file = f, .rule = r, .known = known};
}

/* The record's entry of this very text. */
static const entry *current(const job *j, const rule_file *f, const rule_tree *r) {
  char *id = rule_id(f, r), *text = rule_text_line(r);
  const entry *e = record_find(&j->rec, id);
  if (e && (strcmp(e->text, text) || !entry_stands(e))) e = NULL;
  free(id);
  free(text);
  return e;
}

static void each_rule(job *j, void (*each)(job *, const rule_file *, const rule_tree *)) {
  for (size_t i = 0; i < j->nfiles; i++)
    for (size_t k = 0; k < j->files[i].book.rules.len; k++)
      each(j, &j->files[i], &j->files[i].book.rules.at[k]);
}

static void add_new(job *j, const rule_file *f, const rule_tree *r) {
  const entry *e = current(j, f, r);
  if (!e || e->test) add_task(j, f, r, NULL);
}

static int update(job *j, const char *path, bool everything) {
  record old = j->rec, out = {.at = NULL};
  if (everything) j->rec = (record){.at = NULL};
  each_rule(j, add_new);
  size_t refused = work_all(&j->all), next = 0;
  for (size_t i = 0; i < j->nfiles; i++)
    for (size_t k = 0; k < j->files[i].book.rules.len; k++) {
      const rule_tree *r = &j->files[i].book.rules.at[k];
      const task *t = next < j->all.n && j->all.at[next].rule == r ? &j->all.at[next++] : NULL;
      if (t && t->why[0]) continue;
      out.at = must(realloc(out.at, (out.n + 1) * sizeof *out.at));
      out.at[out.n++] = t ? t->out : *current(j, &j->files[i], r);
    }
  record_write(&out, path);
  printf("%zu rules proved now, %zu in the record, %zu refused\n", j->all.n - refused, out.n,
         refused);
  (void)old;
  return refused != 0;
}

static void add_again(job *j, const rule_file *f, const rule_tree *r) {
  const entry *e = current(j, f, r);
  if (!e || entry_is_quick(e)) add_task(j, f, r, e);
}

static int again(job *j) {
  size_t missing = 0, rules = 0;
  for (size_t i = 0; i < j->nfiles; i++) rules += j->files[i].book.rules.len;
  for (size_t i = 0; i < j->nfiles; i++)
    for (size_t k = 0; k < j->files[i].book.rules.len; k++) {
      const rule_tree *r = &j->files[i].book.rules.at[k];
      if (current(j, &j->files[i], r)) continue;
      printf("%s:%u: %.*s: no entry in the record with this text: make prove\n", j->files[i].path,
             (unsigned)r->line, (int)r->name_len, r->name);
      missing++;
    }
  if (missing) return 1;
  each_rule(j, add_again);
  size_t refused = work_all(&j->all);
  printf("%zu of %zu rules proved again, %zu refused\n", j->all.n - refused, rules, refused);
  return refused != 0;
}

static void add_any(job *j, const rule_file *f, const rule_tree *r) { add_task(j, f, r, NULL); }

static void print_case(const prove_case *c, void *user) {
  static const struct {
    theory in;
    goal g;
    const char *name;
  } all[] = {{BITS32, SAME, "32 bits"},
             {INTS, NO_WRAP, "integers: nothing wraps"},
             {INTS, SAME, "integers"},
             {WRAPPED_INTS, SAME, "integers, wrapped"},
             {BITS8, SAME, "8 bits"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char *text = NULL;
    size_t size;
    FILE *f = must(open_memstream(&text, &size));
    bool ok = write_query(f, c, all[i].in, all[i].g, true, NULL, smt2);
    fclose(f);
    if (ok) printf("; %s, %s, %s\n(reset)\n%s\n", (const char *)user, c->label, all[i].name, text);
    free(text);
  }
}

static void print_queries(job *j, const rule_file *f, const rule_tree *r) {
  const char *why;
  char *id = rule_id(f, r);
  (void)j;
  if (is_sayable(&f->book, r, &why)) each_case(&f->book, r, print_case, id);
  free(id);
}

int main(int argc, char **argv) {
  static rule_file files[MAX_FILES];
  job j = {.files = files};
  const char *command = argc > 1 ? argv[1] : "", *path = NULL;
  int at = 2;
  bool everything = at < argc && !strcmp(argv[at], "--all");
  at += everything;
  if (strcmp(command, "only") && strcmp(command, "smt") && at < argc) path = argv[at++];
  uop_ctx *ctx = must(uop_ctx_new(NULL));
  signal(SIGPIPE, SIG_IGN);
  if (path) record_read(&j.rec, path);
  for (; at < argc && j.nfiles < MAX_FILES; at++) read_rules(&files[j.nfiles++], ctx, argv[at]);
  setvbuf(stdout, NULL, _IOLBF, 1 << 16);
  if (!strcmp(command, "update") && path) return update(&j, path, everything);
  if (!strcmp(command, "again") && path) return again(&j);
  if (!strcmp(command, "docs") && path) return write_docs(files, j.nfiles, &j.rec), 0;
  if (!strcmp(command, "smt")) return each_rule(&j, print_queries), 0;
  if (!strcmp(command, "only")) return each_rule(&j, add_any), work_all(&j.all) != 0;
  die("prove update|again|docs RECORD FILE.rules… or prove only|smt FILE.rules…");
}
