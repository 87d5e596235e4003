/* fuzz_uir.c - libFuzzer's way in: any bytes as a program. It is read, checked, printed, read back
 * (the same nodes, by pointer), drawn and run within small budgets; afterwards the context's
 * invariants hold and nothing is left. `make fuzz` builds and runs it for a minute.
 */
#include "uop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(x)                                               \
  do {                                                        \
    if (!(x)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); \
      abort();                                                \
    }                                                         \
  } while (0)

static void round_trip(uop_ctx *ctx, const uop_program *p) {
  size_t len, again_len;
  char *text = uop_program_print(p, &len);
  MUST(text);
  uop_program *q = uop_program_parse(ctx, text, len, NULL);
  MUST(q && q->result == p->result && q->roots.len == p->roots.len &&
       q->asserts.len == p->asserts.len);
  char *again = uop_program_print(q, &again_len);
  MUST(again && again_len == len && memcmp(again, text, len) == 0);
  uop_free(ctx, text);
  uop_free(ctx, again);
  uop_program_free(q);
}

static void run(uop_ctx *ctx, const uop_program *p) {
  uop_run_options o = {.max_steps = 20000, .max_bytes = 1 << 20};
  uop_run *r = uop_run_new(ctx, &o);
  uop_nodes inputs = {NULL, 0, 0};
  MUST(r && uop_inputs(ctx, p->roots.at, p->roots.len, &inputs));
  for (size_t i = 0; i < inputs.len && i < 8; i++) {
    uop_value v;
    if (uop_numel(inputs.at[i]) > 10000 || !uop_value_fill(inputs.at[i], i, &v)) continue;
    uop_run_set(r, (uop_op)inputs.at[i]->op, uop_slot(inputs.at[i]), &v);
    uop_value out;
    for (size_t k = 0; k < p->roots.len; k++)
      if (uop_run_eval(r, p->roots.at[k], &out))
        uop_free(ctx, uop_value_print(ctx, &out, false, 0));
    uop_run_free(r); /* borrowed data: the run ends before its value */
    uop_value_free(ctx, &v);
    MUST(r = uop_run_new(ctx, &o));
  }
  uop_value out;
  for (size_t k = 0; k < p->roots.len; k++) uop_run_eval(r, p->roots.at[k], &out);
  uop_run_free(r);
  uop_nodes_free(ctx, &inputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_scope scope = uop_scope_begin(ctx);
  uop_diags diags = {0};
  uop_program *p = uop_program_parse(ctx, (const char *)data, size, &diags);
  MUST(p ? diags.len == 0 : diags.len > 0 && uop_error(ctx)->code != UOP_OK);
  if (p) {
    round_trip(ctx, p);
    MUST(uop_program_check(p, &diags));
    uop_free(ctx, uop_dot(ctx, p->roots.at, p->roots.len, p, NULL));
    char tree[500];
    if (p->result) uop_repr(p->result, tree, sizeof tree);
    run(ctx, p);
  }
  uop_program_free(p);
  uop_diags_free(ctx, &diags);
  MUST(uop_ctx_check(ctx));
  MUST(uop_scope_end(scope, NULL, 0) && uop_ctx_live(ctx) == 0 && uop_ctx_stats(ctx).bytes == 0);
  uop_ctx_free(ctx);
  return 0;
}
