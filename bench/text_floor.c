/* text_floor.c - what reading and printing the text of binary nodes can cost at least:
 * text_floor FILE, phases as in text.c. Every line is checked to be a param, an add or a mul, every
 * name to be defined; nodes are hash-consed. No types, no messages, no positions.
 *
 * NUMERIC=1: names are numbers, and an array holds their nodes.
 * NUMERIC=0: names are words, each hashed into a table of its own.
 */
#include "text_file.h"

#ifndef NUMERIC
#define NUMERIC 1
#endif

enum { NONE, PARAM, ADD, MUL };
enum { LIST_MAX = 8 };
typedef struct node { /* by index from 1: an index is an age */
  uint8_t op, nusers;
  uint16_t unused;
  uint32_t slot, a, b, users, next;
} node;
static node *nodes;
static uint32_t nnodes;
static uint64_t *table; /* the hash above the index */
static size_t table_cap, table_len;

static void table_grow(void) {
  uint64_t *old = table;
  size_t old_cap = table_cap;
  table_cap = old_cap ? old_cap * 2 : 4096;
  table = reserve(table_cap * sizeof *table);
  for (size_t i = 0; i < old_cap; i++) {
    if (!old[i]) continue;
    size_t at = (old[i] >> 32) & (table_cap - 1);
    while (table[at]) at = (at + 1) & (table_cap - 1);
    table[at] = old[i];
  }
  if (old) munmap(old, old_cap * sizeof *old);
}

__extension__ typedef unsigned __int128 wide;
static inline uint64_t fold(uint64_t x, uint64_t y) {
  wide m = (wide)(x ^ UINT64_C(0xa0761d6478bd642f)) * (y ^ UINT64_C(0xe7037ed1a0b428db));
  return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline int is(uint32_t i, uint8_t op, uint32_t a, uint32_t b, uint32_t slot) {
  const node *u = &nodes[i];
  return u->a == a && u->b == b && u->op == op && u->slot == slot;
}

static inline uint32_t make(uint8_t op, uint32_t a, uint32_t b, uint32_t slot) {
  uint32_t young = a > b ? a : b;
  node *y = &nodes[young], u = {.op = op, .slot = slot, .a = a, .b = b};
  if (young) {
    for (uint32_t i = y->users; i; i = nodes[i].next)
      if (is(i, op, a, b, slot)) return i;
    if (y->nusers < LIST_MAX) {
      u.next = y->users;
      y->nusers++;
      nodes[++nnodes] = u;
      return y->users = nnodes;
    }
  }
  uint64_t hash = fold((uint64_t)a << 32 | b, (uint64_t)op << 32 | slot) >> 32;
  size_t at = hash & (table_cap - 1);
  for (; table[at]; at = (at + 1) & (table_cap - 1))
    if (table[at] >> 32 == hash && is((uint32_t)table[at], op, a, b, slot))
      return (uint32_t)table[at];
  nodes[++nnodes] = u;
  table[at] = hash << 32 | nnodes;
  if (++table_len * 4 > table_cap * 3) table_grow();
  return nnodes;
}

/* ---- names ---- */

#if NUMERIC
typedef uint32_t name;
static uint32_t *defined;
static uint32_t names_cap;

static void names_begin(const text *t) {
  names_cap = (uint32_t)t->lines + LEAVES;
  if (!defined) defined = reserve(names_cap * sizeof *defined);
  memset(defined, 0, names_cap * sizeof *defined);
}
static inline const char *read_name(const char *p, name *out) {
  uint32_t n = 0;
  const char *first = p;
  while ((unsigned)(*p - '0') < 10) n = n * 10 + (uint32_t)(*p++ - '0');
  if (p == first || n >= names_cap) return NULL;
  *out = n;
  return p;
}
static inline uint32_t find(name n) { return defined[n]; }
static inline void define(name n, uint32_t u) { defined[n] = u; }
#else
typedef struct name {
  const char *at;
  uint32_t len, hash;
} name;
typedef struct symbol {
  name name;
  uint32_t node;
} symbol;
static symbol *symbols;
static size_t symbols_cap, symbols_len;

static void names_begin(const text *t) {
  (void)t;
  if (symbols) munmap(symbols, symbols_cap * sizeof *symbols);
  symbols_cap = 4096;
  symbols_len = 0;
  symbols = reserve(symbols_cap * sizeof *symbols);
}
static const uint8_t word[256] = {
    ['_'] = 1, ['.'] = 1, ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1,
    ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1, ['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1,
    ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1, ['i'] = 1, ['j'] = 1, ['k'] = 1, ['l'] = 1,
    ['m'] = 1, ['n'] = 1, ['o'] = 1, ['p'] = 1, ['q'] = 1, ['r'] = 1, ['s'] = 1, ['t'] = 1,
    ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1, ['y'] = 1, ['z'] = 1};
static inline const char *read_name(const char *p, name *out) {
  const char *first = p;
  uint64_t hash = 0, eight = 0;
  while (word[(uint8_t)*p]) {
    eight = eight << 8 | (uint8_t)*p++;
    if ((p - first) % 8 == 0) hash = fold(hash, eight), eight = 0;
  }
  if (p == first) return NULL;
  *out = (name){first, (uint32_t)(p - first), (uint32_t)fold(hash, eight)};
  return p;
}
static inline symbol *symbol_at(name n) {
  size_t i = n.hash & (symbols_cap - 1);
  for (; symbols[i].node; i = (i + 1) & (symbols_cap - 1)) {
    const name *s = &symbols[i].name;
    if (s->hash == n.hash && s->len == n.len && memcmp(s->at, n.at, n.len) == 0) break;
  }
  return &symbols[i];
}
static inline uint32_t find(name n) { return symbol_at(n)->node; }
static void symbols_grow(void) {
  symbol *old = symbols;
  size_t old_cap = symbols_cap;
  symbols_cap *= 2;
  symbols = reserve(symbols_cap * sizeof *symbols);
  for (size_t i = 0; i < old_cap; i++)
    if (old[i].node) *symbol_at(old[i].name) = old[i];
  munmap(old, old_cap * sizeof *old);
}
static inline void define(name n, uint32_t u) {
  if (++symbols_len * 2 > symbols_cap) symbols_grow();
  *symbol_at(n) = (symbol){n, u};
}
#endif

/* ---- reading ---- */

static inline const char *blanks(const char *p) {
  while (*p == ' ') p++;
  return p;
}
static inline const char *expect(const char *p, const char *what, size_t len) {
  p = blanks(p);
  return memcmp(p, what, len) == 0 ? blanks(p + len) : NULL;
}

static inline const char *operand(const char *p, uint32_t *out) {
  name n;
  if (*p != '%' || !(p = read_name(p + 1, &n))) return NULL;
  return (*out = find(n)) ? p : NULL;
}

static inline const char *param(const char *p, uint32_t *out) {
  uint32_t slot = 0;
  if (!(p = expect(p, ":", 1)) || !(p = expect(p, "slot=", 5))) return NULL;
  const char *first = p;
  while ((unsigned)(*p - '0') < 10) slot = slot * 10 + (uint32_t)(*p++ - '0');
  if (p == first || !(p = expect(p, "dtype=i32", 9))) return NULL;
  *out = make(PARAM, 0, 0, slot);
  return p;
}

/* A statement, from behind its % to behind the end of its line; NULL: an error. */
static inline const char *statement(const char *p, uint32_t *out) {
  name n;
  uint32_t a, b;
  if (!(p = read_name(p, &n)) || !(p = expect(p, "=", 1))) return NULL;
  if (memcmp(p, "param ", 6) == 0) {
    if (!(p = param(p + 6, out))) return NULL;
  } else {
    uint8_t op = memcmp(p, "add ", 4) == 0 ? ADD : memcmp(p, "mul ", 4) == 0 ? MUL : NONE;
    if (op == NONE || !(p = operand(blanks(p + 4), &a))) return NULL;
    if (!(p = expect(p, ",", 1)) || !(p = operand(p, &b))) return NULL;
    *out = make(op, a, b, 0);
  }
  p = blanks(p);
  if (*p != '\n' || find(n)) return NULL;
  define(n, *out);
  return p + 1;
}

static uint32_t parse(const text *t) {
  uint32_t last = 0;
  names_begin(t);
  for (const char *p = t->at; p && p < t->at + t->len;) {
    if (*p++ != '%') return 0;
    if (!(p = statement(p, &last))) return 0;
  }
  return last;
}

/* ---- printing ---- */

static char *decimal(char *p, uint32_t v) {
  static const char two[] = "0001020304050607080910111213141516171819202122232425262728293031323334"
                            "3536373839404142434445464748495051525354555657585960616263646566676869"
                            "707172737475767778798081828384858687888990919293949596979899";
  char digits[12], *d = digits + 12;
  for (; v >= 100; v /= 100) memcpy(d -= 2, &two[v % 100 * 2], 2);
  if (v >= 10)
    memcpy(d -= 2, &two[v * 2], 2);
  else
    *--d = (char)('0' + v);
  size_t len = (size_t)(digits + 12 - d);
  memcpy(p, d, len);
  return p + len;
}

static char *put(char *p, const char *what, size_t len) {
  memcpy(p, what, len);
  return p + len;
}

typedef struct frame {
  uint32_t u, next_src;
} frame;

/* Numbers nodes in depth-first order, from 1 in `number`; NULL where it is used up. */
static char *print(uint32_t root, char *buf, uint32_t *number, frame *stack) {
  enum { PENDING = UINT32_C(0x7fffffff) };
  char *p = buf;
  uint32_t next = 0;
  size_t depth = 0;
  memset(number, 0, (nnodes + 1) * sizeof *number);
  number[root] = PENDING;
  stack[depth++] = (frame){root, 0};
  while (depth) {
    frame *f = &stack[depth - 1];
    const node *u = &nodes[f->u];
    if (u->op != PARAM && f->next_src < 2) {
      uint32_t s = f->next_src++ ? u->b : u->a;
      if (number[s]) continue;
      number[s] = PENDING;
      stack[depth++] = (frame){s, 0};
      continue;
    }
    number[f->u] = ++next;
    depth--;
    *p++ = '%';
    p = decimal(p, next - 1);
    if (u->op == PARAM) {
      p = put(p, " = param : slot=", 16);
      p = decimal(p, u->slot);
      p = put(p, " dtype=i32\n", 11);
      continue;
    }
    p = put(p, u->op == ADD ? " = add %" : " = mul %", 8);
    p = decimal(p, number[u->a] - 1);
    p = put(p, ", %", 3);
    p = decimal(p, number[u->b] - 1);
    *p++ = '\n';
  }
  return p;
}

int main(int argc, char **argv) {
  text t = text_read(argc, argv);
  nodes = reserve((t.lines + 2) * sizeof *nodes);
  table_grow();
  begin();
  uint32_t root = parse(&t);
  if (!root) return fail("parse");
  report_speed("parse", lap(NEVER), t.len);
  double best = NEVER;
  for (int r = 0; r < repeats(t.lines); r++) {
    begin();
    if (parse(&t) != root) return fail("parse2");
    best = lap(best);
  }
  report_speed("parse2", best, t.len);
  char *buf = reserve(t.lines * 64), *end_of;
  uint32_t *number = reserve((nnodes + 1) * sizeof *number);
  frame *stack = reserve((nnodes + 1) * sizeof *stack);
  begin();
  end_of = print(root, buf, number, stack);
  report_speed("print", lap(NEVER), (size_t)(end_of - buf));
  best = NEVER;
  for (int r = 0; r < repeats(t.lines); r++) {
    begin();
    end_of = print(root, buf, number, stack);
    best = lap(best);
  }
  report_speed("print2", best, (size_t)(end_of - buf));
#if NUMERIC
  text printed = {.at = buf, .len = (size_t)(end_of - buf), .lines = t.lines};
  memset(end_of, 0, 64);
  if (parse(&printed) != root) return fail("round trip");
#endif
  return 0;
}
