/* sets.c - the built-in rule sets. tables.inc is made from the *.rules files by `make generate`. */
#include "symbolic/symbolic.h"

static const rule_fn fns[] = {
#define UOP_RULE_FN(name) {#name, uopi_rule_##name, NULL},
#include "symbolic/functions.def"
#undef UOP_RULE_FN
};

#include "symbolic/tables.inc"

const char *uop_rule_set_name(size_t i) {
  return i < sizeof sets / sizeof *sets ? sets[i].set : NULL;
}

/* What holds for every value, in an order that is cheap: constants first, sums and order last. */
static const char *const simplify[] = {"fold", "where", "bool", "i32",  "float",
                                       "cast", "move",  "sum",  "order"};

static const rule_table *find(const char *name) {
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    if (!strcmp(sets[i].set, name)) return &sets[i];
  return NULL;
}

bool uop_rules_add_set(uop_rules *r, const char *name) {
  if (!r) return false;
  if (name && !strcmp(name, "simplify")) {
    size_t before = r->rules.len;
    for (size_t i = 0; i < sizeof simplify / sizeof *simplify; i++)
      if (!uopi_rules_add_table(r, find(simplify[i]))) return uopi_rules_cut(r, before), false;
    return true;
  }
  const rule_table *t = name ? find(name) : NULL;
  if (t) return uopi_rules_add_table(r, t);
  uopi_error(r->ctx, UOP_E_NAME, -1, -1, "no rule set %q is built in", name ? name : "");
  return false;
}

bool uop_rules_define_builtin(uop_rules *r) {
  for (size_t i = 0; i < sizeof fns / sizeof *fns; i++)
    if (!uop_rules_define(r, fns[i].name, fns[i].fn, fns[i].user)) return false;
  return true;
}
