/* judge.c - what can be said against a rule by looking at it: that it makes its own left side
 * again, for ever; that an earlier rule always applies where it would; that no comment says why it
 * holds.
 *
 * All rests on one question: does pattern p match whatever term q stands for? It is asked term by
 * term, with q's variables as nodes that nothing is known of but their dtypes.
 */
#include "rewrite/rule.h"

typedef struct judge {
  rule_book *b;
  const rule_tree *p, *q;        /* the rules that the two terms are of */
  bool to_result;                /* q is a part of its rule's result */
  uint32_t bound[MAX_RULE_VARS]; /* what p's variables stand for: 1 + a term of q's rule */
} judge;

/* What a term of q is: its variables x of x=(…) are what they stand for. */
static uint32_t seen_through(const judge *j, uint32_t q) {
  const rule_term *t = &j->b->terms.at[q];
  if (t->kind != TERM_VAR || t->var == ANY_VAR) return q;
  return rule_var_of(j->b, j->q, t->var)->term;
}

/* Whether two terms of q's rule are surely the same node. */
static bool same_term(const judge *j, uint32_t x, uint32_t y) {
  const rule_term *a = &j->b->terms.at[x], *b = &j->b->terms.at[y];
  if (x == y) return a->kind != TERM_VAR || a->var != ANY_VAR;
  if (a->kind != TERM_LIT || b->kind != TERM_LIT) return false;
  return a->lit == b->lit && a->i == b->i && a->f == b->f;
}

static uint64_t ops_of(const judge *j, const rule_term *t) {
  if (t->ops || t->fn >= 0 || t->opvar >= ANY_VAR) return t->ops;
  return j->b->terms.at[rule_var_of(j->b, j->q, t->opvar)->term].ops;
}

static bool literals_agree(const rule_term *p, const rule_term *q) {
  return q->kind == TERM_LIT && p->lit == q->lit && p->i == q->i &&
         (p->lit != UOPI_LIT_FLOAT || p->f == q->f);
}

static bool matches(judge *j, uint32_t p, uint32_t q);

/* How often the pattern says a variable for a part of an arg. */
static uint32_t count_var(const rule_book *b, uint32_t term, uint8_t var) {
  const rule_term *t = &b->terms.at[term];
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->nattrs; i++) {
    const rule_attr *a = &b->attrs.at[t->attrs + i];
    n += a->kind == ATTR_VAR && a->var == var;
  }
  for (uint32_t i = 0; i < t->nkids; i++) n += count_var(b, rule_kid(b, t, i), var);
  return n;
}

static bool attr_matches(const judge *j, const rule_attr *a, const rule_term *q) {
  if (a->kind == ATTR_VAR) return count_var(j->b, j->p->pattern, a->var) == 1; /* it takes any */
  for (uint32_t i = 0; i < q->nattrs; i++) {
    const rule_attr *o = &j->b->attrs.at[q->attrs + i];
    if (a->kind == ATTR_LIT && o->kind == ATTR_LIT && o->field == a->field) return o->i == a->i;
  }
  return false;
}

static bool kids_match(judge *j, const rule_term *p, const rule_term *q, bool swapped) {
  for (uint32_t i = 0; i < p->nkids; i++)
    if (!matches(j, rule_kid(j->b, p, i), rule_kid(j->b, q, swapped ? 1 - i : i))) return false;
  return true;
}

static unsigned commutative_of(uint64_t ops) { /* how many */
  unsigned n = 0;
  for (unsigned i = 0; i < UOP_OP_COUNT; i++)
    n += (ops >> i & 1) && (uop_op_find((uop_op)i)->sets & UOP_SET_COMMUTATIVE);
  return n;
}

static unsigned count_of(uint64_t ops) {
  unsigned n = 0;
  for (; ops; ops &= ops - 1) n++;
  return n;
}

static bool op_matches(judge *j, const rule_term *p, const rule_term *q) {
  uint64_t ops = q->kind == TERM_OP ? ops_of(j, q) : 0;
  if (!ops || (ops & ~p->ops)) return false;
  if (p->rest == NO_VAR ? q->nkids != p->nkids || q->rest != NO_VAR : q->nkids < p->nkids)
    return false;
  for (uint32_t i = 0; i < p->nattrs; i++)
    if (!attr_matches(j, &j->b->attrs.at[p->attrs + i], q)) return false;
  unsigned commutative = p->nkids == 2 ? commutative_of(ops) : 0;
  /* what q matches in either order, be it of some of its ops, p has to as well */
  if (commutative && p->ordered && !q->ordered && !j->to_result) return false;
  uint32_t before[MAX_RULE_VARS];
  memcpy(before, j->bound, sizeof before);
  if (kids_match(j, p, q, false)) return true;
  memcpy(j->bound, before, sizeof before);
  return commutative && commutative == count_of(ops) && !p->ordered && kids_match(j, p, q, true);
}

static bool var_matches(judge *j, const rule_term *p, uint32_t q) {
  const rule_term *t = &j->b->terms.at[q];
  if (p->var == ANY_VAR) return true;
  if (rule_var_of(j->b, j->p, p->var)->kind == VAR_CONST && t->kind != TERM_LIT &&
      t->kind != TERM_EXPR &&
      !(t->kind == TERM_VAR && t->var != ANY_VAR &&
        rule_var_of(j->b, j->q, t->var)->kind == VAR_CONST))
    return false;
  uint32_t *bound = &j->bound[p->var];
  if (*bound) return same_term(j, *bound - 1, q);
  *bound = q + 1;
  return true;
}

static bool matches(judge *j, uint32_t p, uint32_t q) {
  const rule_term *a = &j->b->terms.at[p];
  q = seen_through(j, q);
  const rule_term *b = &j->b->terms.at[q];
  if (uopi_type_of(j->b, q) & ~uopi_type_of(j->b, p) & a->dtypes) return false;
  if (uopi_type_of(j->b, q) & ~a->dtypes) return false;
  switch (a->kind) {
  case TERM_VAR: return var_matches(j, a, q);
  case TERM_LIT: return literals_agree(a, b);
  default: break;
  }
  if (a->var < ANY_VAR) j->bound[a->var] = q + 1;
  return op_matches(j, a, b);
}

/* A rule that matches applies, but for a condition, a function that declines, and arithmetic that
 * can have no value. */
static bool surely_applies(const rule_book *b, const rule_tree *r, uint32_t term) {
  const rule_term *t = &b->terms.at[term];
  if (r->ncond || t->kind == TERM_CALL || t->kind == TERM_EXPR) return false;
  for (uint32_t i = 0; i < t->nattrs; i++)
    if (b->attrs.at[t->attrs + i].kind == ATTR_EXPR) return false;
  if (t->kind != TERM_OP) return true;
  for (uint32_t i = 0; i < t->nkids; i++)
    if (!surely_applies(b, r, rule_kid(b, t, i))) return false;
  return true;
}

/* ---- the three faults ---- */

static bool makes_itself(judge *j, uint32_t term) {
  const rule_term *t = &j->b->terms.at[seen_through(j, term)];
  memset(j->bound, 0, sizeof j->bound);
  if (matches(j, j->p->pattern, term)) return true;
  if (t->kind != TERM_OP || j->b->terms.at[term].kind != TERM_OP) return false;
  for (uint32_t i = 0; i < t->nkids; i++)
    if (makes_itself(j, rule_kid(j->b, t, i))) return true;
  return false;
}

static bool is_shadowed(judge *j) {
  memset(j->bound, 0, sizeof j->bound);
  return (j->p->dtypes & j->q->dtypes) == j->q->dtypes && matches(j, j->p->pattern, j->q->pattern);
}

static void judge_rule(rule_book *b, size_t k) {
  const rule_tree *r = &b->rules.at[k];
  char room[64];
  judge j = {.b = b, .p = r, .q = r, .to_result = true};
  b->failed = false;
  if (surely_applies(b, r, r->result) && makes_itself(&j, r->result)) {
    uopi_rule_fail(b, UOP_E_RULE, r->name, r->name_len,
                   "what this rule makes is matched by it again, so that it would never end");
    return;
  }
  if (!r->comment_len)
    uopi_rule_warn(b, r->name, r->name_len, "no comment above this rule says why it holds");
  for (size_t i = 0; i < k; i++) {
    const rule_tree *p = &b->rules.at[i];
    j = (judge){.b = b, .p = p, .q = r};
    if (!surely_applies(b, p, p->result) || !is_shadowed(&j)) continue;
    uopi_rule_warn(b, r->name, r->name_len,
                   "this rule is never tried: %s, on line %d, always applies before it",
                   uopi_rule_word(room, p->name, p->name_len), (int)p->line);
    return;
  }
}

void uopi_rules_judge(rule_book *b) {
  for (size_t k = 0; k < b->rules.len && !b->no_memory && !b->errors->more; k++) judge_rule(b, k);
}
