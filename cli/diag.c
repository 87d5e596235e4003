/* diag.c - messages for people, printed as C compilers print theirs.
 *
 * Columns of a diagnostic count bytes; the caret stands under what a terminal shows for them. The
 * line is therefore cut into glyphs (a character, a tab's blanks, an escaped byte), each of a known
 * width, and all layout is done in display columns. Nothing unprintable gets through: control
 * bytes, invalid UTF-8 and invisible characters, which could hide or forge text, come out as \xNN.
 * A long line shows as a window around the mark; nothing is allocated for it.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW 100 /* display columns of a source line that are shown */
#define TAB    8

static bool colour;

void diag_begin(void) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  colour = isatty(STDERR_FILENO) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

static const char *paint(const char *escape) { return colour ? escape : ""; }
#define BOLD  paint("\033[1m")
#define CARET paint("\033[1;32m")
#define PLAIN paint("\033[0m")

static const struct {
  const char *word, *paint;
} levels[] = {
    [DIAG_ERROR] = {"error", "\033[1;31m"},
    [DIAG_WARNING] = {"warning", "\033[1;35m"},
    [DIAG_NOTE] = {"note", "\033[1;36m"},
};

/* ---- glyphs ---- */

typedef struct glyph {
  size_t bytes;   /* of the source that it stands for, at least 1 */
  unsigned width; /* display columns; 0 for a combining mark */
  char text[17];  /* what to print: at most four escaped bytes */
} glyph;

typedef struct range {
  uint32_t from, to;
} range;

static bool in_ranges(uint32_t c, const range *r, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (c >= r[i].from && c <= r[i].to) return true;
  return false;
}

/* Controls, and characters that are invisible or turn the direction of what follows. */
static bool is_hidden(uint32_t c) {
  static const range r[] = {
      {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},
      {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
      {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
  };
  return in_ranges(c, r, COUNT_OF(r));
}

/* Coarse on purpose: the blocks that terminals agree about. */
static unsigned width_of(uint32_t c) {
  static const range none[] = {
      {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x64b, 0x65f},   {0x1ab0, 0x1aff},
      {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
  };
  static const range two[] = {
      {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
      {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
      {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
  };
  if (in_ranges(c, none, COUNT_OF(none))) return 0;
  return in_ranges(c, two, COUNT_OF(two)) ? 2 : 1;
}

/* The length of the well-formed UTF-8 sequence at s, 0 where there is none. */
static size_t decode(const unsigned char *s, size_t n, uint32_t *c) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  if ((s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4 || len > n) return 0;
  uint32_t v = len == 1 ? s[0] : s[0] & (0xffu >> (len + 1));
  for (size_t i = 1; i < len; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    v = v << 6 | (s[i] & 0x3fu);
  }
  if (v < least[len] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff)) return 0;
  *c = v;
  return len;
}

/* The glyph at s, n > 0; `column`, where it will stand, decides about a tab. */
static glyph glyph_at(const char *s, size_t n, size_t column) {
  static const char digits[] = "0123456789abcdef";
  const unsigned char *u = (const unsigned char *)s;
  glyph g = {1, 0, ""};
  uint32_t c;
  if (*s == '\t') {
    g.width = (unsigned)(TAB - column % TAB);
    memset(g.text, ' ', g.width);
    return g;
  }
  size_t len = decode(u, n, &c);
  if (len > 0 && !is_hidden(c)) {
    g.bytes = len;
    g.width = width_of(c);
    memcpy(g.text, s, len);
    return g;
  }
  g.bytes = len > 0 ? len : 1;
  for (size_t i = 0; i < g.bytes; i++) {
    g.text[g.width++] = '\\';
    g.text[g.width++] = 'x';
    g.text[g.width++] = digits[u[i] >> 4];
    g.text[g.width++] = digits[u[i] & 15];
  }
  return g;
}

static void put_escaped(const char *s, FILE *f) {
  size_t n = strlen(s);
  for (size_t at = 0; at < n;) {
    glyph g = glyph_at(s + at, n - at, 0);
    fputs(s[at] == '\t' ? " " : g.text, f);
    at += g.bytes;
  }
}

/* ---- the source line ---- */

typedef struct mark { /* display columns */
  size_t from, to;    /* what the caret line underlines; never empty */
  size_t begin, end;  /* what is shown of the line */
} mark;

/* Where line number `line` begins. Diagnostics come mostly in the order of the text, so the search
 * goes on from the last one. */
static bool find_line(source *src, size_t line, const char **at, size_t *len) {
  if (line < src->line || src->line == 0) {
    src->line = 1;
    src->offset = 0;
  }
  while (src->line < line) {
    const char *from = src->text + src->offset;
    const char *end = memchr(from, '\n', src->len - src->offset);
    if (!end) return false;
    src->offset += (size_t)(end - from) + 1;
    src->line++;
  }
  *at = src->text + src->offset;
  const char *end = memchr(*at, '\n', src->len - src->offset);
  *len = end ? (size_t)(end - *at) : src->len - src->offset;
  if (*len > 0 && (*at)[*len - 1] == '\r') --*len;
  return true;
}

/* Lays out bytes [first, last) of the line; reads on only as far as the window can reach. */
static mark lay_out(const char *s, size_t len, size_t first, size_t last) {
  mark m = {0, 0, 0, 0};
  size_t at = 0, column = 0;
  bool found = false;
  while (at < len && !(found && at >= last && column >= m.from + WINDOW)) {
    glyph g = glyph_at(s + at, len - at, column);
    if (!found && first < at + g.bytes) {
      m.from = column;
      found = true;
    }
    at += g.bytes;
    column += g.width;
    if (found && at - g.bytes < last) m.to = column;
  }
  if (!found) m.from = column;
  if (m.to <= m.from) m.to = m.from + 1;
  m.end = column;
  if (column > WINDOW) {
    m.begin = m.from > WINDOW / 2 ? m.from - WINDOW / 2 : 0;
    if (m.begin + WINDOW > column) m.begin = column - WINDOW;
    m.end = m.begin + WINDOW;
  }
  return m;
}

static void put_line(const char *s, size_t len, mark m, FILE *f) {
  size_t at = 0, column = 0;
  if (m.begin > 0) fputs("...", f);
  while (at < len) {
    glyph g = glyph_at(s + at, len - at, column);
    if (column + g.width > m.end) break;
    if (column >= m.begin)
      fputs(g.text, f);
    else if (column + g.width > m.begin) /* cut by the window's edge */
      fprintf(f, "%*s", (int)(column + g.width - m.begin), "");
    at += g.bytes;
    column += g.width;
  }
  fputs(at < len ? "...\n" : "\n", f);
}

static void put_caret(mark m, FILE *f) {
  size_t blanks = m.from - m.begin + (m.begin > 0 ? 3 : 0);
  size_t to = m.to > m.end && m.from < m.end ? m.end : m.to;
  fprintf(f, "%*s%s^", (int)blanks, "", CARET);
  for (size_t i = m.from + 1; i < to; i++) fputc('~', f);
  fprintf(f, "%s\n", PLAIN);
}

/* ---- messages ---- */

static void put_head(diag_level level, const char *message) {
  fprintf(stderr, "%s%s: %s%s", paint(levels[level].paint), levels[level].word, PLAIN, BOLD);
  put_escaped(message, stderr);
  fprintf(stderr, "%s\n", PLAIN);
}

void diag_at(source *src, diag_level level, uint32_t line, uint32_t column, uint32_t length,
             const char *message) {
  const char *s;
  size_t len;
  output_flush();
  fputs(BOLD, stderr);
  put_escaped(src->name, stderr);
  if (line > 0) fprintf(stderr, ":%lu:%lu", (unsigned long)line, (unsigned long)column);
  fprintf(stderr, ": %s", PLAIN);
  put_head(level, message);
  if (line == 0 || column == 0 || !find_line(src, line, &s, &len)) return;
  size_t first = column - 1 < len ? column - 1 : len;
  size_t last = length < len - first ? first + length : len;
  mark m = lay_out(s, len, first, last);
  put_line(s, len, m, stderr);
  put_caret(m, stderr);
}

void diag_print(source *src, diag_level level, const uop_diag *d) {
  diag_at(src, level, d->line, d->column, d->length, d->message + d->reason);
}

static void say(diag_level level, const char *format, va_list args) {
  char buf[2048]; /* longer than UOP_MAX_MESSAGE; what is longer still, a file name, is cut */
  vsnprintf(buf, sizeof buf, format, args);
  output_flush();
  fprintf(stderr, "%suopc: %s", BOLD, PLAIN);
  put_head(level, buf);
}

void diag_say(diag_level level, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(level, format, args);
  va_end(args);
}

int diag_usage(const command *cmd, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(DIAG_ERROR, format, args);
  va_end(args);
  diag_say(DIAG_NOTE, "'uopc help%s%s' says more", cmd ? " " : "", cmd ? cmd->name : "");
  return CLI_USAGE;
}

bool diag_told(void) { return fflush(stderr) == 0 && !ferror(stderr); }
