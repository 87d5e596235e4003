/* run.c - see run.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/run.h"

uop_dtype dtype_named(const char *s, size_t n) {
  for (int d = UOP_BOOL; d < UOP_DTYPE_COUNT; d++)
    if (strlen(uop_dtype_name((uop_dtype)d)) == n && !memcmp(uop_dtype_name((uop_dtype)d), s, n))
      return (uop_dtype)d;
  fail_msg("no dtype: %s", s);
  return UOP_VOID;
}

char *copy_of(const char *s) {
  char *p = malloc(strlen(s) + 1);
  assert_non_null(p);
  return strcpy(p, s);
}

char *error_text(uop_ctx *ctx) {
  const uop_diag *d = uop_error(ctx);
  char s[UOP_MAX_MESSAGE + 32];
  assert_int_not_equal(d->code, UOP_OK);
  snprintf(s, sizeof s, "error %d: %s", (int)d->code, d->message);
  return copy_of(s);
}

char *flat_text(uop_ctx *ctx, const uop_value *v) {
  char *s = uop_value_print(ctx, v, false, 0), *to = malloc(2 * strlen(s) + 1), *end = to;
  assert_non_null(to);
  for (const char *p = s; *p; p++) {
    if (*p == ' ' || *p == '\n') continue;
    *end++ = *p;
    if (*p == ',') *end++ = ' ';
  }
  *end = 0;
  uop_free(ctx, s);
  return to;
}

outcome run_program(const char *text, const uop_run_options *o, const char *const *in) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_program *p = uop_program_parse(ctx, text, strlen(text), NULL);
  outcome out = {NULL, {0, 0, 0, 0}};
  uop_value v[8];
  size_t nv = 0;
  if (!p) {
    out.text = error_text(ctx);
    uop_ctx_free(ctx);
    return out;
  }
  uop_run *r = uop_run_new(ctx, o);
  for (size_t i = 0; i < 8 && in; i++) {
    if (!in[i]) continue;
    const char *s = in[i];
    bool buffer = !strncmp(s, "buffer ", 7);
    if (buffer) s += 7;
    const char *blank = strchr(s, ' ');
    uop_dtype d = dtype_named(s, (size_t)(blank - s));
    assert_true(uop_value_parse(ctx, blank, strlen(blank), d, &v[nv]));
    assert_true(uop_run_set(r, buffer ? UOP_BUFFER : UOP_PARAM, (int64_t)i, &v[nv++]));
  }
  uop_value result = {0};
  bool ok = true;
  for (size_t i = 0; i < p->roots.len && ok; i++) ok = uop_run_eval(r, p->roots.at[i], &result);
  if (ok) {
    out.text = flat_text(ctx, &result);
  } else {
    out.text = error_text(ctx);
    assert_non_null(uop_error(ctx)->node);
  }
  out.stats = uop_run_get_stats(r);
  uop_run_free(r);
  for (size_t i = 0; i < nv; i++) uop_value_free(ctx, &v[i]);
  uop_program_free(p);
  uop_ctx_free(ctx);
  return out;
}

void expect_run(const char *text, const char *want, const char *const *in) {
  outcome o = run_program(text, NULL, in);
  if (strcmp(o.text, want)) fail_msg("%s\ngives %s\nnot   %s", text, o.text, want);
  free(o.text);
}
