/* show.c - what a run prints: a statement's value, as text or as JSON.
 *
 * What goes to standard output is put there as it is found; what goes to a file is gathered, since
 * the file is written only when all went well.
 *
 * JSON: one object a line, {"name": …, "dtype": …, "shape": […], "value": …}, always in full. The
 * value is the text of uop_value_print() without its blanks: the numbers are JSON's as they stand,
 * and nan, inf and -inf, which JSON does not have, become strings. An array without elements is [],
 * whatever its shape.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static void put(sheet *s, const char *data, size_t len) {
  if (!s->path || strcmp(s->path, "-") == 0) {
    output_put(data, len);
  } else if (s->failed || !bytes_reserve(&s->text, len)) {
    s->failed = true;
  } else {
    memcpy(s->text.at + s->text.len, data, len);
    s->text.len += len;
  }
}

static void put_text(sheet *s, const char *text) { put(s, text, strlen(text)); }

static void put_line(sheet *s, const uop_stmt *stmt, const uop_value *v, const char *text) {
  char type[TYPE_TEXT];
  put_text(s, "%");
  put(s, stmt->name, stmt->name_len);
  put_text(s, " = ");
  put_text(s, text);
  put_text(s, " : ");
  put_text(s, type_text(type, v->dtype, v->dims, v->rank));
  put_text(s, "\n");
}

/* ---- JSON ---- */

static bool is_word(const char *word, size_t len) {
  static const char *const words[] = {"nan", "inf", "-inf"};
  for (size_t i = 0; i < COUNT_OF(words); i++)
    if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0) return true;
  return false;
}

static void put_json_value(sheet *s, const char *text) {
  while (*text) {
    size_t blanks = strspn(text, " \n"), marks = strspn(text + blanks, "[],");
    put(s, text + blanks, marks);
    text += blanks + marks;
    size_t len = strcspn(text, "[], \n");
    bool quoted = is_word(text, len);
    if (quoted) put_text(s, "\"");
    put(s, text, len);
    if (quoted) put_text(s, "\"");
    text += len;
  }
}

/* A name is letters, digits, '.' and '_': nothing that a string would escape. */
static void put_json(sheet *s, const uop_stmt *stmt, const uop_value *v, const char *text) {
  char number[32];
  put_text(s, "{\"name\":\"");
  put(s, stmt->name, stmt->name_len);
  put_text(s, "\",\"dtype\":\"");
  put_text(s, uop_dtype_name(v->dtype));
  put_text(s, "\",\"shape\":[");
  for (uint32_t i = 0; i < v->rank; i++) {
    snprintf(number, sizeof number, "%s%lld", i > 0 ? "," : "", (long long)v->dims[i]);
    put_text(s, number);
  }
  put_text(s, "],\"value\":");
  put_json_value(s, v->count > 0 ? text : "[]");
  put_text(s, "}\n");
}

void sheet_asserts(sheet *s, size_t total, size_t failed, size_t unknown) {
  char line[128];
  if (!s->json) return;
  snprintf(line, sizeof line, "{\"asserts\":{\"total\":%zu,\"failed\":%zu,\"unknown\":%zu}}\n",
           total, failed, unknown);
  put_text(s, line);
}

void sheet_value(sheet *s, uop_ctx *ctx, const uop_stmt *stmt, const uop_value *v) {
  size_t indent = stmt->name_len + strlen("% = ");
  char *text = uop_value_print(ctx, v, s->full || s->json, s->json ? 0 : (uint32_t)indent);
  if (!text)
    s->failed = true;
  else if (s->json)
    put_json(s, stmt, v, text);
  else
    put_line(s, stmt, v, text);
  uop_free(ctx, text);
}
