/* json.c - the answer: one growing text, which the page reads and drops. A failed allocation is
 * sticky, and leaves an answer of no bytes.
 */
#include "glue.h"

#include <string.h>

static struct {
  char *at;
  size_t len, cap;
  bool failed, comma; /* comma: a value was put, and nothing opened since */
} answer;

EXPORT("answer_at") const char *json_at(void) { return answer.at; }
EXPORT("answer_len") size_t json_len(void) { return answer.failed ? 0 : answer.len; }

EXPORT("answer_drop") void json_drop(void) {
  if (answer.at) mem_alloc(NULL, answer.at, answer.cap, 0);
  memset(&answer, 0, sizeof answer);
}

void json_begin(void) { json_drop(); }
void json_fail(void) { answer.failed = true; }

static char *room(size_t n) {
  if (answer.failed) return NULL;
  if (n > answer.cap - answer.len) {
    size_t cap = answer.cap < 512 ? 1024 : answer.cap * 2;
    if (cap < answer.len + n) cap = answer.len + n;
    char *at = mem_alloc(NULL, answer.at, answer.cap, cap);
    if (!at) return answer.failed = true, NULL;
    answer.at = at;
    answer.cap = cap;
  }
  return answer.at + answer.len;
}

static void put(const char *s, size_t n) {
  char *to = room(n);
  if (!to) return;
  memcpy(to, s, n);
  answer.len += n;
}

static void separate(void) {
  if (answer.comma) put(",", 1);
  answer.comma = true;
}

void json_open(char bracket) {
  separate();
  put(&bracket, 1);
  answer.comma = false;
}

void json_close(char bracket) {
  put(&bracket, 1);
  answer.comma = true;
}

void json_key(const char *key) {
  separate();
  put("\"", 1);
  put(key, strlen(key));
  put("\":", 2);
  answer.comma = false;
}

/* Six bytes at most for each of the text's. */
void json_text(const char *s, size_t n) {
  static const char hex[] = "0123456789abcdef";
  separate();
  char *to = n < MAX_MEMORY / 8 ? room(6 * n + 2) : NULL, *q = to;
  if (!to) {
    answer.failed = true;
    return;
  }
  *q++ = '"';
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c == '"' || c == '\\') *q++ = '\\';
    if (c >= ' ') {
      *q++ = (char)c;
      continue;
    }
    memcpy(q, "\\u00", 4);
    q[4] = hex[c >> 4];
    q[5] = hex[c & 15];
    q += 6;
  }
  *q++ = '"';
  answer.len += (size_t)(q - to);
}

void json_word(const char *s) {
  if (s) {
    json_text(s, strlen(s));
  } else {
    separate();
    put("null", 4);
  }
}

static size_t digits(char *s, uint64_t v) {
  size_t n = 0;
  for (uint64_t w = v; n == 0 || w; w /= 10) n++;
  for (size_t i = n; i-- > 0; v /= 10) s[i] = (char)('0' + v % 10);
  return n;
}

void json_uint(uint64_t v) {
  char s[20];
  separate();
  put(s, digits(s, v));
}

void json_int(int64_t v) {
  char s[21] = "-";
  size_t n = v < 0;
  separate();
  put(s, n + digits(s + n, v < 0 ? 0 - (uint64_t)v : (uint64_t)v));
}

void json_digits(uint64_t v) {
  char s[20];
  json_text(s, digits(s, v));
}

void json_bool(bool v) {
  separate();
  put(v ? "true" : "false", v ? 4 : 5);
}
