/* quote.c - what a reader's messages look like: line 3: '%2 = add %0, %1': reason */
#include "text/lex.h"

enum { QUOTE_MAX = 120 }; /* bytes of the quoted line */

static char *put_escaped(char *q, unsigned char c) {
  static const char hex[] = "0123456789abcdef";
  if (c >= 0x20 && c != 0x7f) {
    *q++ = (char)c;
    return q;
  }
  memcpy(q, (char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4);
  return q + 4;
}

/* The line without blanks around it, control bytes escaped, cut at a character's end. */
static size_t quote_line(char *to, const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  while (end > at && (end[-1] == ' ' || end[-1] == '\t')) end--;
  const char *cut = end - at > QUOTE_MAX ? at + QUOTE_MAX : end;
  if (cut < end)
    while (cut > at && ((unsigned char)*cut & 0xc0) == 0x80) cut--;
  char *q = to;
  for (; at < cut; at++) q = put_escaped(q, (unsigned char)*at);
  if (cut < end) memcpy(q, "...", 3), q += 3;
  return (size_t)(q - to);
}

void uopi_quote_line(uop_diag *d, const char *at, const char *end, uint32_t line) {
  char head[64 + 4 * QUOTE_MAX], *q = head;
  memcpy(q, "line ", 5);
  q = uopi_format_u64(q + 5, line);
  memcpy(q, ": '", 3);
  q += 3;
  q += quote_line(q, at, end);
  memcpy(q, "': ", 3);
  q += 3;
  size_t n = (size_t)(q - head), len = strlen(d->message);
  if (len > sizeof d->message - 1 - n) len = sizeof d->message - 1 - n;
  memmove(d->message + n, d->message, len);
  memcpy(d->message, head, n);
  d->message[n + len] = 0;
  d->reason = (uint32_t)n;
}
