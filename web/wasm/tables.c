/* tables.c - what the library knows by heart: ops, further names, rules and their sets. */
#include "glue.h"

#include <string.h>

typedef struct sugar {
  const char *text, *doc;
  uint32_t arity;
} sugar;

/* The tables themselves, as the library's reader has them. */
static const sugar sugars[] = {
#define UOP_SUGAR(NAME, text, arity, doc) {text, doc, arity},
#include "ir/sugar.def"
#undef UOP_SUGAR
};

/* How the arg of each op is written: what stands among the operands, and the attributes. */
#define BY_POSITION_NONE   ""
#define BY_POSITION_VALUE  "value"
#define BY_POSITION_PARAM  ""
#define BY_POSITION_BUFFER "size"
#define BY_POSITION_ALLOC  "size"
#define BY_POSITION_NAME   ""
#define BY_POSITION_DTYPE  ""
#define BY_POSITION_RANGE  ""
#define BY_POSITION_SHAPE  "(size, \342\200\246)" /* an ellipsis in UTF-8 */
#define BY_POSITION_AXES   "(axis, \342\200\246)"
#define BY_POSITION_PAIRS  "((begin, end), \342\200\246)"
#define BY_POSITION_REDUCE ""
#define KEYS_NONE          ""
#define KEYS_VALUE         "dtype"
#define KEYS_PARAM         "slot dtype shape space"
#define KEYS_BUFFER        "dtype slot"
#define KEYS_ALLOC         "dtype slot space"
#define KEYS_NAME          "name"
#define KEYS_DTYPE         "dtype"
#define KEYS_RANGE         "idx kind"
#define KEYS_SHAPE         ""
#define KEYS_AXES          ""
#define KEYS_PAIRS         ""
#define KEYS_REDUCE        "op pop"

static const struct {
  const char *by_position, *keys;
} args[] = {
#define UOP_ROW(NAME, text, min, max, infer, arg, sets, doc) {BY_POSITION_##arg, KEYS_##arg},
#include "ir/ops.def"
#undef UOP_ROW
};

EXPORT("version") void version(void) {
  json_begin();
  json_word(uop_version());
}

static const char *kind_of(uop_op op, const uop_op_info *info) {
  if (info->sets & UOP_SET_ALU) return "elementwise";
  if (info->sets & UOP_SET_MOVEMENT) return "movement";
  if (info->sets & UOP_SET_EFFECT) return "effect";
  if (info->max_src == 0) return "leaf";
  return op == UOP_REDUCE ? "reduction" : "other";
}

static void put_op(uop_op op) {
  const uop_op_info *info = uop_op_find(op);
  json_open('{');
  json_key("name"), json_word(info->text);
  json_key("capitals"), json_word(info->name);
  json_key("kind"), json_word(kind_of(op, info));
  json_key("min"), json_uint(info->min_src);
  json_key("max"), json_uint(info->max_src);
  json_key("position"), json_word(args[op].by_position);
  json_key("keys"), json_word(args[op].keys);
  json_key("doc"), json_word(info->doc);
  json_close('}');
}

EXPORT("ops") void ops(void) {
  json_begin();
  json_open('[');
  for (int i = 0; i < UOP_OP_COUNT; i++) put_op((uop_op)i);
  for (size_t i = 0; i < sizeof sugars / sizeof *sugars; i++) {
    json_open('{');
    json_key("name"), json_word(sugars[i].text);
    json_key("kind"), json_word("short for");
    json_key("min"), json_uint(sugars[i].arity);
    json_key("max"), json_uint(sugars[i].arity);
    json_key("position"), json_word("");
    json_key("keys"), json_word("");
    json_key("doc"), json_word(sugars[i].doc);
    json_close('}');
  }
  json_close(']');
}

EXPORT("sets") void sets(void) {
  const char *name;
  json_begin();
  json_open('[');
  json_word("simplify");
  for (size_t i = 0; (name = uop_rule_set_name(i)); i++) json_word(name);
  json_close(']');
}

static void put_rules(const uop_rules *r) {
  uop_rule_info rule;
  json_open('[');
  for (size_t i = 0; uop_rules_get(r, i, &rule); i++) {
    json_open('{');
    json_key("name"), json_word(rule.name);
    json_key("set"), json_word(rule.set);
    json_key("text"), json_word(rule.text);
    json_key("doc"), json_word(rule.comment);
    json_close('}');
  }
  json_close(']');
}

EXPORT("rules") void rules(void) {
  uop_options options = {.alloc = mem_alloc};
  uop_ctx *ctx = uop_ctx_new(&options);
  uop_rules *r = ctx ? uop_rules_new(ctx) : NULL;
  const char *name;
  bool ok = r && uop_rules_define_builtin(r);
  for (size_t i = 0; ok && (name = uop_rule_set_name(i)); i++) ok = uop_rules_add_set(r, name);
  json_begin();
  if (ok)
    put_rules(r);
  else
    json_fail();
  uop_rules_free(r);
  uop_ctx_free(ctx);
}
