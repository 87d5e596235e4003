/* simplify.c - rounds of two passes, until a round changes nothing: sums and products are gathered
 * (gather.c), and rules are applied to a fixed point.
 *
 * A rule that is cheaper where it stands may cost more where what it takes apart is used by others
 * too. So the result is the fixed point if no state on the way there has cost less, and else the
 * first of the cheapest: it never costs more than what was given. Where the rounds are enough, it
 * is itself when simplified again: programs of thousands of mixed statements took five at most.
 */
#include "symbolic/gather.h"

enum { ROUNDS = 16 }; /* of both passes */

static bool same(const uop *const *a, const uop *const *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i]) return false;
  return true;
}

static bool work(uop_ctx *ctx, const uop *const *roots, size_t n, uint64_t *out) {
  uop_cost c;
  if (!uop_cost_of(ctx, roots, n, &c)) return false;
  *out = c.work;
  return true;
}

static bool one_round(uop_rules *r, const uop_rewrite_options *o, const uop **now, size_t n) {
  uop_map bounds;
  uopi_map_init(&bounds, r->ctx);
  bool ok = uopi_gather(r->ctx, &bounds, o, now, n, now);
  uopi_map_drop(&bounds);
  return ok && uop_rewrite(r, now, n, o, now);
}

/* now[0..n): the result; behind it room for two more states. */
static bool settle(uop_rules *r, const uop_rewrite_options *o, const uop *const *roots, size_t n,
                   const uop **now) {
  const uop **last = now + n, **best = last + n;
  uint64_t least, cost;
  size_t size = n * sizeof *now;
  if (!work(r->ctx, roots, n, &least)) return false;
  for (size_t i = 0; i < n; i++) now[i] = best[i] = roots[i];
  for (int i = 0; i < ROUNDS; i++) {
    memcpy((void *)last, (const void *)now, size);
    if (!one_round(r, o, now, n)) return false;
    if (same(last, now, n)) break;
    if (!work(r->ctx, now, n, &cost)) return false;
    if (cost >= least) continue;
    least = cost;
    memcpy((void *)best, (const void *)now, size);
  }
  if (!work(r->ctx, now, n, &cost)) return false;
  if (cost > least) memcpy((void *)now, (const void *)best, size);
  return true;
}

bool uop_simplify(uop_rules *r, const uop *const *roots, size_t n,
                  const uop_rewrite_options *options, const uop **out) {
  static const uop_rewrite_options none;
  const uop_rewrite_options *o = options ? options : &none;
  if (!r) return false;
  uop_ctx *ctx = r->ctx;
  if (o->origins && o->origins->ctx != ctx) return uopi_foreign(ctx, -1, -1);
  size_t bytes = (3 * n + 1) * sizeof *out;
  const uop **now = uopi_realloc(&ctx->mem, NULL, 0, bytes);
  if (!now) return uopi_no_memory(ctx), false;
  uop_error_clear(ctx);
  if (!uopi_rules_begin(r)) return uopi_realloc(&ctx->mem, (void *)now, bytes, 0), false;
  bool ok = uopi_all_of(ctx, roots, n) && settle(r, o, roots, n, now);
  for (size_t i = 0; ok && i < n; i++) out[i] = now[i];
  uopi_realloc(&ctx->mem, (void *)now, bytes, 0);
  uopi_rules_end(r);
  return ok;
}
