/* record.c - src/symbolic/proofs.txt: what each rule stands on, and the text that was proved.
 *
 *   rule SET.NAME: TEXT          in one line
 *     LABEL METHOD [longer]      a line a case; METHOD as in stand_names and way_names
 *     tested FILE                instead, for a rule that SMT-LIB cannot say
 */
#include "prove.h"

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

char *rule_id(const rule_file *f, const rule_tree *r) {
  size_t size = strlen(f->set) + r->name_len + 2;
  char *id = must(malloc(size));
  snprintf(id, size, "%s.%.*s", f->set, (int)r->name_len, r->name);
  return id;
}

char *rule_text_line(const rule_tree *r) {
  char *line = must(malloc(r->text_len + 1)), *to = line;
  const char *end = r->text + r->text_len;
  for (const char *p = r->text; p < end;) {
    if (is_blank(*p) || *p == '#') {
      while (p < end && (is_blank(*p) || *p == '#'))
        if (*p++ == '#')
          while (p < end && *p != '\n') p++;
      *to++ = ' ';
    } else {
      *to++ = *p++;
    }
  }
  *to = 0;
  return line;
}

/* ---- reading ---- */

static char *copy(const char *at, size_t len) {
  char *s = must(malloc(len + 1));
  memcpy(s, at, len);
  s[len] = 0;
  return s;
}

static entry *add_entry(record *rec) {
  rec->at = must(realloc(rec->at, (rec->n + 1) * sizeof *rec->at));
  rec->at[rec->n] = (entry){.id = NULL};
  return &rec->at[rec->n++];
}

static void read_rule(record *rec, const char *line) { /* behind "rule " */
  const char *colon = strchr(line, ':'), *dot = strchr(line, '.');
  if (!colon || !dot || dot > colon) die("proofs.txt: no rule: %s", line);
  entry *e = add_entry(rec);
  e->id = copy(line, (size_t)(colon - line));
  e->text = copy(dot + 1, strlen(dot + 1));
}

static void read_case(entry *e, const char *line) {
  verdict v = {.on = STANDS_NOT};
  char method[300] = "", more[16] = "";
  if (sscanf(line, " %255s %299s %15s", v.label, method, more) < 2)
    die("proofs.txt: no case: %s", line);
  if (!strcmp(v.label, "tested")) {
    e->test = copy(method, strlen(method));
    return;
  }
  size_t base = strcspn(method, "+");
  for (int i = 0; i < STANDS_NOT; i++)
    if (strlen(stand_names[i]) == base && !strncmp(method, stand_names[i], base)) v.on = (stand)i;
  for (unsigned i = 0; i < WAYS; i++)
    if (!strcmp(method + base, way_names[i])) v.way = i;
  v.longer = !strcmp(more, "longer");
  e->v = must(realloc(e->v, (e->n + 1) * sizeof *e->v));
  e->v[e->n++] = v;
}

void record_read(record *rec, const char *path) {
  FILE *f = fopen(path, "r");
  char *line = NULL;
  size_t cap = 0;
  *rec = (record){.at = NULL};
  if (!f) return; /* the first time */
  while (getline(&line, &cap, f) > 0) {
    line[strcspn(line, "\r\n")] = 0;
    if (!strncmp(line, "rule ", 5)) read_rule(rec, line + 5);
    if (*line == ' ' && rec->n) read_case(&rec->at[rec->n - 1], line);
  }
  free(line);
  fclose(f);
}

/* ---- writing ---- */

void record_write(const record *rec, const char *path) {
  FILE *f = fopen(path, "w");
  if (!f) die("%s cannot be written", path);
  fprintf(f, "# proofs.txt - what each rule stands on: made by `make prove`, explained in "
             "docs/proofs.md.\n");
  for (size_t i = 0; i < rec->n; i++) {
    const entry *e = &rec->at[i];
    const char *dot = strchr(e->id, '.');
    fprintf(f, "rule %.*s.%s\n", (int)(dot - e->id), e->id, e->text);
    if (e->test) fprintf(f, "  tested %s\n", e->test);
    for (size_t k = 0; k < e->n; k++)
      fprintf(f, "  %s %s%s%s\n", e->v[k].label, stand_names[e->v[k].on], way_names[e->v[k].way],
              e->v[k].longer ? " longer" : "");
  }
  if (fclose(f)) die("%s cannot be written", path);
}

/* ---- asking ---- */

const entry *record_find(const record *rec, const char *id) {
  for (size_t i = 0; i < rec->n; i++)
    if (!strcmp(rec->at[i].id, id)) return &rec->at[i];
  return NULL;
}

bool entry_stands(const entry *e) {
  for (size_t i = 0; i < e->n; i++)
    if (e->v[i].on == STANDS_NOT) return false;
  return e->test || e->n;
}

bool entry_is_quick(const entry *e) {
  for (size_t i = 0; i < e->n; i++)
    if (e->v[i].longer) return false;
  return true;
}
