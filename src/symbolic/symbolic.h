/* symbolic.h - the algebra: rule files, each a set of its own, and the few C functions they call.
 *
 *   *.rules ──tools/rules.c, `make generate`──> tables.inc ──sets.c──> uop_rules_add_set()
 */
#ifndef UOP_SYMBOLIC_H
#define UOP_SYMBOLIC_H

#include "rewrite/rule.h"

#define UOP_RULE_FN(name) bool uopi_rule_##name(const uop_rule_call *call, const uop **out);
#include "symbolic/functions.def"
#undef UOP_RULE_FN

#endif
