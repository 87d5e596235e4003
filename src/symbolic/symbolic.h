/* symbolic.h - the algebra: rule files, each a set of its own, and the few C functions they call.
 *
 *   *.rules ──tools/rules.c, `make generate`──> tables.inc ──sets.c──> uop_rules_add_set()
 */
#ifndef UOP_SYMBOLIC_H
#define UOP_SYMBOLIC_H

#include "rewrite/rule.h"

/* What the functions below are for: a user's rule may call them of anything, and of what is not for
 * them they make nothing. */
static inline bool uopi_is_of(const uop_rule_call *call, uop_op op, uop_op first) {
  const uop *u = call->root;
  return u->op == op && u->nsrc > 0 && (first == UOP_OP_COUNT || u->src[0]->op == first);
}

#define UOP_RULE_FN(name) bool uopi_rule_##name(const uop_rule_call *call, const uop **out);
#include "symbolic/functions.def"
#undef UOP_RULE_FN

#endif
