/* docs.c - docs/rules.md, from the rule files and the record: each rule, why it holds, and how that
 * was shown.
 */
#include "prove.h"

static const char *const how[] = {
    [STANDS_VECTORS] = "for every value",
    [STANDS_FLOATS] = "for every bit pattern",
    [STANDS_INTEGERS] = "for every value, over integers",
    [STANDS_LISTED] = "over integers, for the listed constants",
    [STANDS_BITS8] = "for every value of 8 bits",
};

/* "# i32.rules - of i32 values, …", the file's first line, behind the dash. */
static void put_about(const rule_file *f) {
  const char *at = strstr(f->text, " - "), *end = strchr(f->text, '\n');
  if (!at || !end || at > end) return;
  printf("%c%.*s\n", at[3] >= 'a' && at[3] <= 'z' ? at[3] - 'a' + 'A' : at[3], (int)(end - at - 4),
         at + 4);
}

static void put_comment(const rule_tree *r) {
  bool blank = true; /* at the beginning, or behind one */
  for (uint32_t i = 0; i < r->comment_len; i++) {
    char c = r->comment[i];
    bool mark = c == '#' && (i == 0 || r->comment[i - 1] == '\n');
    if (mark || c == '\n' || c == ' ' || c == '\r') {
      if (!blank) putchar(' ');
      blank = true;
    } else {
      if (c == '*' || c == '_' || c == '<' || c == '`') putchar('\\');
      putchar(c);
      blank = false;
    }
  }
}

static void put_proof(const entry *e) {
  bool seen[STANDS_NOT] = {false};
  if (e->n && e->v[0].on == STANDS_INEXACT) {
    printf("Not equal for every bit pattern");
    return;
  }
  const char *between = "Proved ";
  for (size_t i = 0; i < e->n; i++) seen[e->v[i].on] = true;
  for (int s = 0; s < STANDS_INEXACT; s++) {
    if (!seen[s]) continue;
    printf("%s%s", between, how[s]);
    between = "; ";
  }
  if (e->test) printf("Tested by [%s](../%s)", e->test, e->test);
}

static void put_rule(const rule_file *f, const rule_tree *r, const record *rec) {
  char *id = rule_id(f, r), *text = rule_text_line(r);
  const entry *e = record_find(rec, id);
  bool known = e && !strcmp(e->text, text) && entry_stands(e);
  printf("\n**%.*s**\n```\n%s\n```\n", (int)r->name_len, r->name,
         text + strspn(text + r->name_len, ": ") + r->name_len);
  put_comment(r);
  printf(" *");
  if (known) put_proof(e);
  if (!known) printf("Not proved yet");
  printf(".*\n");
  free(id);
  free(text);
}

void write_docs(const rule_file *files, size_t n, const record *rec) {
  printf(
      "<!-- made from src/symbolic by `make generate`; edit the rules -->\n"
      "# Rules\n\n"
      "The rule sets that are built in, in the order in which their rules are tried: what a rule\n"
      "matches, what it makes of it, why that holds, and how it was shown. [proofs.md](proofs.md)\n"
      "says what such a proof is worth.\n");
  for (size_t i = 0; i < n; i++) {
    printf("\n## %s\n\n", files[i].set);
    put_about(&files[i]);
    for (size_t k = 0; k < files[i].book.rules.len; k++)
      put_rule(&files[i], &files[i].book.rules.at[k], rec);
  }
}
