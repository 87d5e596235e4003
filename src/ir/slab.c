/* slab.c - where nodes live. A slab holds nodes of one size class and starts at a multiple of its
 * size, so that a node's slab, and through it the context and the slab's age, is found by masking.
 * Slabs are cut from chunks; a node of very many sources has an aligned block of its own.
 *
 *   chunk: [ slack | slab: node, node, header, node, … | slab … ]
 *   large: [ slack | header, node ]
 *
 * Dead nodes go to their class's free list, last in first out: a sweep runs from young to old, so
 * the next nodes are handed out in rising order again. Room goes back only in uopi_store_trim.
 */
#include "ir/ir.h"

#if defined(__SANITIZE_ADDRESS__)
#define POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON 1
#endif
#endif
#ifdef POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

enum { CHUNK_SLABS = 512 }; /* at most: 32 MiB */

_Static_assert((UOPI_SLAB_SIZE & (UOPI_SLAB_SIZE - 1)) == 0, "slabs are found by masking");
_Static_assert(sizeof(uopi_slab) == 64, "headers are a cache line, see uopi_slab_at");

/* The most sources of each class: exact for small nodes, then at most a third wasted. */
static const uint32_t class_src[UOPI_CLASSES] = {0,   1,   2,   3,   4,   5,   6,    7,
                                                 8,   12,  16,  24,  32,  48,  64,   96,
                                                 128, 192, 256, 384, 512, 768, 1024, 2048};

/* A dead node's first word links it to the next one. */
static uop *link_of(const uop *u) {
  void *next;
  memcpy(&next, u, sizeof next);
  return next;
}
static void set_link(uop *u, uop *next) {
  void *p = next;
  memcpy((void *)u, &p, sizeof p);
}

static size_t node_size(uint32_t nsrc) {
  size_t n = offsetof(uop, src) + nsrc * sizeof(uop *);
  return (n + 7) & ~(size_t)7;
}

static uint32_t class_of(uint32_t nsrc) {
  if (nsrc <= 8) return nsrc;
  uint32_t c = 9;
  while (c < UOPI_CLASSES && class_src[c] < nsrc) c++;
  return c;
}

static char *align_up(char *p) {
  uintptr_t a = (uintptr_t)p, up = (a + UOPI_SLAB_SIZE - 1) & ~(uintptr_t)(UOPI_SLAB_SIZE - 1);
  return p + (up - a);
}

/* A slab from the newest chunk; a new chunk of four times as many slabs, up to 2 MiB, when it is
 * used.
 */
static uopi_slab *slab_new(uop_ctx *ctx, uint32_t cls) {
  uopi_store *s = &ctx->store;
  uopi_chunk *c = s->chunks.len ? &s->chunks.at[s->chunks.len - 1] : NULL;
  if (!c || c->used == c->nslabs) {
    uint32_t n = !c ? 2 : c->nslabs < CHUNK_SLABS / 4 ? c->nslabs * 4 : CHUNK_SLABS;
    size_t size = (n + 1) * UOPI_SLAB_SIZE;
    if (!UOPI_RESERVE(&ctx->mem, &s->chunks, s->chunks.len + 1)) return NULL;
    char *raw = uopi_ctx_realloc(ctx, NULL, 0, size);
    if (!raw) return NULL;
    s->chunks.at[s->chunks.len++] = (uopi_chunk){raw, size, align_up(raw), n, 0};
    c = &s->chunks.at[s->chunks.len - 1];
  }
  uopi_slab *slab = uopi_slab_at((uintptr_t)c->first + c->used++ * UOPI_SLAB_SIZE);
  *slab = (uopi_slab){.ctx = ctx, .seq = ++s->seq, .cls = cls};
  return slab;
}

static uop *large_new(uop_ctx *ctx, uint32_t nsrc) {
  uopi_store *s = &ctx->store;
  size_t size = node_size(nsrc) + 2 * UOPI_SLAB_SIZE; /* one to align, one with the header */
  char *raw = uopi_ctx_realloc(ctx, NULL, 0, size);
  if (!raw) return NULL;
  uopi_slab *slab = uopi_slab_at((uintptr_t)align_up(raw));
  *slab = (uopi_slab){.ctx = ctx, .seq = ++s->seq, .cls = UOPI_CLASSES};
  slab->raw = raw;
  slab->raw_size = size;
  s->bytes += node_size(nsrc);
  return (uop *)(slab + 1);
}

/* What is behind the newest slab's header, or else a new slab. */
static bool more_room(uop_ctx *ctx, uopi_class *k, uint32_t cls) {
  if (k->rest) {
    k->bump = k->rest;
    k->end = k->rest_end;
    k->rest = NULL;
    return true;
  }
  uopi_slab *slab = slab_new(ctx, cls);
  if (!slab) return false;
  char *base = (char *)((uintptr_t)slab & ~(uintptr_t)(UOPI_SLAB_SIZE - 1));
  *k = (uopi_class){k->free, base, (char *)slab, (char *)(slab + 1), base + UOPI_SLAB_SIZE};
  return true;
}

uop *uopi_node_new(uop_ctx *ctx, uint32_t nsrc) {
  uint32_t c = class_of(nsrc);
  if (c == UOPI_CLASSES) return large_new(ctx, nsrc);
  uopi_class *k = &ctx->store.cls[c];
  size_t size = node_size(class_src[c]);
  uop *u = k->free;
  if (u) {
    k->free = link_of(u);
    ASAN_UNPOISON_MEMORY_REGION(u, size);
  } else {
    while ((size_t)(k->end - k->bump) < size)
      if (!more_room(ctx, k, c)) return NULL;
    u = (uop *)k->bump;
    k->bump += size;
  }
  ctx->store.bytes += size;
  return u;
}

void uopi_node_delete(uop_ctx *ctx, uop *u) {
  ctx->deaths++;
  uopi_slab *slab = uopi_slab_of(u);
  if (slab->cls == UOPI_CLASSES) {
    ctx->store.bytes -= node_size(u->nsrc);
    uopi_ctx_realloc(ctx, slab->raw, slab->raw_size, 0);
    return;
  }
  uopi_class *k = &ctx->store.cls[slab->cls];
  size_t size = node_size(class_src[slab->cls]);
  ctx->store.bytes -= size;
#ifdef UOP_DEBUG
  memset((void *)u, 0xdd, size);
#endif
  set_link(u, k->free);
  k->free = u;
  ASAN_POISON_MEMORY_REGION((char *)u + sizeof k->free, size - sizeof k->free);
}

static bool chunk_is_empty(const uopi_chunk *c) {
  for (uint32_t i = 0; i < c->used; i++)
    if (uopi_slab_at((uintptr_t)c->first + i * UOPI_SLAB_SIZE)->live) return false;
  return true;
}

/* Takes the dead nodes and the bump room that lie in empty chunks out of the classes. */
static void forget_empty(uopi_class *k, const uopi_chunk *c) {
  const char *begin = c->first, *end = c->first + c->nslabs * UOPI_SLAB_SIZE;
  uop *kept = NULL, *last = NULL;
  for (uop *u = k->free, *next; u; u = next) {
    next = link_of(u);
    if ((const char *)u >= begin && (const char *)u < end) continue;
    if (last)
      set_link(last, u);
    else
      kept = u;
    last = u;
  }
  if (last) set_link(last, NULL);
  k->free = kept;
  if (k->bump && k->bump >= begin && k->end <= end) *k = (uopi_class){.free = kept};
}

uint64_t uopi_bytes_of_nodes(const uop_ctx *ctx) {
  uint64_t n = 0;
  for (size_t i = 0; i < ctx->nlive; i++) {
    uint32_t c = class_of(ctx->live[i]->nsrc);
    n += node_size(c < UOPI_CLASSES ? class_src[c] : ctx->live[i]->nsrc);
  }
  return n;
}

static void count_live(uop_ctx *ctx) {
  const uopi_store *s = &ctx->store;
  for (size_t i = 0; i < s->chunks.len; i++)
    for (uint32_t k = 0; k < s->chunks.at[i].used; k++)
      uopi_slab_at((uintptr_t)s->chunks.at[i].first + k * UOPI_SLAB_SIZE)->live = 0;
  for (size_t i = 0; i < ctx->nlive; i++) uopi_slab_of(ctx->live[i])->live++;
}

void uopi_store_trim(uop_ctx *ctx) {
  uopi_store *s = &ctx->store;
  size_t kept = 0;
  count_live(ctx);
  for (size_t i = 0; i < s->chunks.len; i++) {
    uopi_chunk c = s->chunks.at[i];
    if (!chunk_is_empty(&c)) {
      s->chunks.at[kept++] = c;
      continue;
    }
    for (int k = 0; k < UOPI_CLASSES; k++) forget_empty(&s->cls[k], &c);
    ASAN_UNPOISON_MEMORY_REGION(c.raw, c.raw_size);
    uopi_ctx_realloc(ctx, c.raw, c.raw_size, 0);
  }
  s->chunks.len = kept;
  if (kept == 0) UOPI_DROP(&ctx->mem, &s->chunks);
}

/* Everything: large nodes were deleted by the caller. */
void uopi_store_drop(uop_ctx *ctx) {
  uopi_store *s = &ctx->store;
  for (size_t i = 0; i < s->chunks.len; i++) {
    ASAN_UNPOISON_MEMORY_REGION(s->chunks.at[i].raw, s->chunks.at[i].raw_size);
    uopi_ctx_realloc(ctx, s->chunks.at[i].raw, s->chunks.at[i].raw_size, 0);
  }
  UOPI_DROP(&ctx->mem, &s->chunks);
}
