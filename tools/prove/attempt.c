/* attempt.c - tries to settle a case, from the strongest way of showing it to the weakest, first
 * with little time for each.
 *
 *   vectors, floats   all values of 32 bits, or all bit patterns
 *   integers          the condition implies that no op wraps, and then, over whole numbers, the
 *                     sides are equal; or they are with the wrapping said: as strong as vectors
 *   listed            the same for each of some constants; values stay symbolic
 *   8 bits            vectors again, of 8 bits
 *
 * A counterexample ends it, one of 8 bits too: a rule holds at every width, or knows why not.
 */
#include "prove.h"

enum { QUICK_MS = 2000, LONG_MS = 20000 };

const char *const stand_names[] = {"vectors", "floats",  "integers", "listed",
                                   "8-bits",  "inexact", "tested",   "nothing"};

const char *const way_names[WAYS] = {"", "+hints", "+wrap", "+wrap+hints"};

/* Powers of two and their neighbours, small numbers, primes, the ends: of these a rule of three or
 * more constants takes the first few. */
static const int32_t listed[40] = {1,  2,  3,   4,  -1,  -2,  7,    8,     INT32_MIN, INT32_MAX,
                                   -3, 0,  5,   6,  9,   10,  11,   12,    -4,        -5,
                                   -6, -7, -8,  13, 16,  17,  31,   32,    33,        63,
                                   64, 97, 128, -9, -12, 255, 1021, 46341, 65536,     1 << 30};
enum { LISTED = sizeof listed / sizeof *listed, LISTED_FEW = 11, MOST_CONSTANTS = 4 };

typedef struct trial {
  solver *s;
  const prove_case *c;
  const char *smt2;
  verdict *v;
  bool wraps; /* over integers: not shown that nothing does */
} trial;

static char *script_of(const trial *t, theory in, goal g, bool hints, const int32_t *fixed) {
  char *text = NULL;
  size_t size;
  FILE *f = must(open_memstream(&text, &size));
  bool ok = write_query(f, t->c, in, g, hints, fixed, t->smt2);
  fclose(f);
  if (ok) return text;
  free(text);
  return NULL;
}

/* What z3 says; UNSAT where there is nothing that could wrap. */
static answer ask(const trial *t, theory in, goal g, bool hints, const int32_t *fixed,
                  unsigned ms) {
  char *script = script_of(t, in, g, hints, fixed);
  if (!script) return g == NO_WRAP ? UNSAT : UNKNOWN;
  answer a = solver_ask(t->s, script, ms);
  free(script);
  return a;
}

static bool refuse(const trial *t, unsigned width, const char *how) {
  char values[900];
  solver_values(t->s, width, values, sizeof values);
  t->v->on = STANDS_NOT;
  snprintf(t->v->why, sizeof t->v->why, "%s: %s", how, values);
  return true;
}

static bool settle(const trial *t, stand on) {
  t->v->on = on;
  return true;
}

/* ---- attempts: true if the case is settled, one way or the other ---- */

static bool try_vectors(const trial *t, unsigned ms) {
  bool floats = case_has(t->c, DTYPES_FLOAT);
  stand on = floats ? STANDS_FLOATS : STANDS_VECTORS;
  if (ask(t, ABSTRACT, SAME, false, NULL, ms) == UNSAT) return settle(t, on);
  if (floats && ask(t, SIGNS, SAME, false, NULL, ms) == UNSAT) return settle(t, on);
  answer a = ask(t, BITS32, SAME, false, NULL, ms);
  if (a == SAT) return refuse(t, 32, "counterexample");
  return a == UNSAT && settle(t, on);
}

/* One way: where something may wrap, with the wrapping said; without and with hints. */
static bool try_way(const trial *t, unsigned way, unsigned ms) {
  theory in = way & WAY_WRAPPED ? WRAPPED_INTS : INTS;
  answer a = ask(t, in, SAME, way & WAY_HINTS, NULL, ms);
  if (a == SAT) return refuse(t, 32, "counterexample");
  if (a != UNSAT) return false;
  t->v->way = way;
  return settle(t, STANDS_INTEGERS);
}

static bool try_integers(trial *t, unsigned ms) {
  t->wraps = ask(t, INTS, NO_WRAP, false, NULL, ms) != UNSAT;
  unsigned first = t->wraps ? WAY_WRAPPED : 0;
  return try_way(t, first, ms) || try_way(t, first | WAY_HINTS, ms);
}

/* As it was settled before. */
static bool try_known_way(trial *t, unsigned way) {
  if (!(way & WAY_WRAPPED) && ask(t, INTS, NO_WRAP, false, NULL, LONG_MS) != UNSAT) return false;
  return try_way(t, way, LONG_MS) || try_integers(t, LONG_MS);
}

static bool try_8_bits(const trial *t, unsigned ms) {
  answer a = ask(t, BITS8, SAME, false, NULL, ms);
  if (a == SAT) return refuse(t, 8, "counterexample at 8 bits");
  return a == UNSAT && settle(t, STANDS_BITS8);
}

static bool next_choice(unsigned n, unsigned few, unsigned at[MOST_CONSTANTS]) {
  for (unsigned i = 0; i < n; i++) {
    if (++at[i] < few) return true;
    at[i] = 0;
  }
  return false;
}

static bool try_listed(const trial *t, unsigned ms) {
  unsigned n = count_constants(t->c), at[MOST_CONSTANTS] = {0};
  if (n == 0 || n > MOST_CONSTANTS) return false;
  do {
    int32_t fixed[MOST_CONSTANTS];
    for (unsigned i = 0; i < n; i++) fixed[i] = listed[at[i]];
    bool wraps = t->wraps && ask(t, INTS, NO_WRAP, false, fixed, ms) != UNSAT;
    answer a = ask(t, wraps ? WRAPPED_INTS : INTS, SAME, false, fixed, ms);
    if (a == SAT) return refuse(t, 32, "counterexample");
    if (a != UNSAT) return false;
  } while (next_choice(n, n > 2 ? LISTED_FEW : LISTED, at));
  return settle(t, STANDS_LISTED);
}

/* What never applies is proved easily: a slip in the condition, or in what we assume. */
static bool is_never(const trial *t) {
  if (!t->c->rule->ncond) return false;
  if (t->v->on == STANDS_BITS8) return ask(t, BITS8, NEVER, false, NULL, QUICK_MS) == UNSAT;
  if (t->v->on == STANDS_VECTORS || t->v->on == STANDS_FLOATS)
    return ask(t, BITS32, NEVER, false, NULL, QUICK_MS) == UNSAT;
  return ask(t, WRAPPED_INTS, NEVER, true, NULL, QUICK_MS) == UNSAT;
}

/* ---- the order ---- */

static bool try_all(trial *t) {
  bool floats = case_has(t->c, DTYPES_FLOAT);
  if (try_vectors(t, QUICK_MS)) return true;
  if (!floats && try_integers(t, QUICK_MS)) return true;
  t->v->longer = true;
  if (!floats && try_8_bits(t, QUICK_MS) && t->v->on == STANDS_NOT) return true;
  if (try_vectors(t, LONG_MS)) return true;
  return !floats && (try_integers(t, LONG_MS) || try_listed(t, QUICK_MS) || try_8_bits(t, LONG_MS));
}

static bool try_known(trial *t, const verdict *known) {
  switch (known->on) {
  case STANDS_INTEGERS: return try_known_way(t, known->way);
  case STANDS_LISTED: t->wraps = true; return try_listed(t, QUICK_MS);
  case STANDS_BITS8: return try_8_bits(t, LONG_MS);
  default: return try_vectors(t, LONG_MS);
  }
}

void attempt(solver *s, const prove_case *c, const verdict *known, const char *smt2, verdict *v) {
  trial t = {.s = s, .c = c, .smt2 = smt2, .v = v};
  *v = (verdict){.on = STANDS_NOT};
  snprintf(v->label, sizeof v->label, "%s", c->label);
  if (known ? try_known(&t, known) : try_all(&t)) {
    if (v->on != STANDS_NOT && !known && is_never(&t)) {
      v->on = STANDS_NOT;
      snprintf(v->why, sizeof v->why, "its condition never holds");
    }
    return;
  }
  v->on = STANDS_NOT;
  snprintf(v->why, sizeof v->why, "unknown: nothing settles it");
}

void attempt_inexact(solver *s, const prove_case *c, const char *smt2, verdict *v) {
  trial t = {.s = s, .c = c, .smt2 = smt2, .v = v};
  *v = (verdict){.on = STANDS_NOT,
                 .why = "no counterexample: it may be exact, and then belongs in float.rules"};
  snprintf(v->label, sizeof v->label, "%s", c->label);
  if (ask(&t, BITS32, SAME, false, NULL, QUICK_MS) == SAT) {
    v->on = STANDS_INEXACT;
    return;
  }
  v->longer = true;
  if (ask(&t, BITS32, SAME, false, NULL, LONG_MS) == SAT) v->on = STANDS_INEXACT;
}
