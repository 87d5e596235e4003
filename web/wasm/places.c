/* places.c - from the library's places (a line, a column in bytes of UTF-8) to the page's: offsets
 * in UTF-16 units, as JavaScript's strings and editors count. A mark that begins or ends inside of
 * a character takes the whole of it. A byte order mark in front is one unit of the text, and no
 * column, as for the library.
 */
#include "glue.h"

#include <string.h>

static bool is_inner(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* UTF-16 units of whole characters: two for those that UTF-8 writes in four bytes. */
static size_t units_of(const char *s, size_t n) {
  size_t units = 0;
  for (size_t i = 0; i < n; i++) units += (size_t)!is_inner(s[i]) + ((unsigned char)s[i] >= 0xf0);
  return units;
}

static void find_line(places *p, uint32_t line) {
  if (line < p->line || p->line == 0) {
    p->line = 1;
    p->at = p->units = 0;
  }
  while (p->line < line) {
    const char *end = memchr(p->text + p->at, '\n', p->len - p->at);
    if (!end) return;
    size_t n = (size_t)(end + 1 - (p->text + p->at));
    p->units += units_of(p->text + p->at, n);
    p->at += n;
    p->line++;
  }
}

place places_find(places *p, uint32_t line, uint32_t column, uint32_t length) {
  if (line == 0) line = column = 1, length = 0; /* of the text as a whole */
  find_line(p, line);
  bool mark = line == 1 && p->len >= 3 && memcmp(p->text, "\xef\xbb\xbf", 3) == 0;
  size_t from = (column ? column - 1 : 0) + (mark ? 3 : 0), room = p->len - p->at;
  const char *s = p->text + p->at;
  if (from > room) from = room;
  size_t to = length < room - from ? from + length : room;
  while (from > 0 && from < room && is_inner(s[from])) from--;
  while (to < room && is_inner(s[to])) to++;
  size_t before = units_of(s, from);
  size_t begin = p->units + before;
  return (place){line, before + 1 - mark, begin, begin + units_of(s + from, to - from)};
}
