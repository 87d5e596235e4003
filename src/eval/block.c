/* block.c - runs a kernel: block after block through all of its steps, so that memory is read and
 * written once, whatever the number of steps.
 *
 * What a leaf gives a block depends on how its elements lie:
 *   DIRECT   row-major: the block is a piece of it
 *   SPLAT    one element: a block full of it, made once
 *   STRIDED  the block is gathered
 *   TILED    its columns are our rows: 16 rows by 256 columns are turned at a time, so that each
 *            line of memory that is fetched is used whole
 */
#include "eval/eval.h"

enum { TILE_ROWS = 16, TILE_COLS = 256 };

typedef enum leaf_mode { DIRECT, SPLAT, STRIDED, TILED } leaf_mode;

typedef struct leaf {
  leaf_mode mode;
  char *block;
  uopi_reader from;
} leaf;

typedef struct machine {
  uop_run *r;
  const uop *root;
  const uopi_kernel *k;
  leaf *leaves;
  const void **at; /* of each leaf and register: its elements of this block */
  char *regs;
  int64_t n;                /* elements of a block, at most */
  size_t block;             /* bytes of a register */
  const uopi_reader *tiles; /* of a leaf that is TILED; NULL: none is */
} machine;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- leaves ---- */

static void leaf_begin(leaf *l, const uopi_frame *f, uint32_t place, int64_t *room) {
  const uop *u = f->plan->node[place].u;
  const uopi_cell *c = &f->cell[place];
  if (uopi_is_scalar(u)) {
    size_t size = uop_dtype_size((uop_dtype)u->dtype);
    l->mode = SPLAT;
    l->from = uopi_reader_of(room, NULL, NULL, 0, size, c->raw);
    return;
  }
  const uopi_array *a = c->array;
  if (a->row_major && uopi_count_of(u) > 1) { /* its axes are of no interest */
    l->mode = DIRECT;
    l->from.data = a->data;
    l->from.size = a->size;
    return;
  }
  l->from = uopi_reader_of(room, u->shape->at, a->stride, a->rank, a->size, a->data);
  l->mode = l->from.rank == 1 && l->from.stride[0] == 0 ? SPLAT : STRIDED;
}

static bool is_turned(const leaf *l) {
  const uopi_reader *r = &l->from;
  return (l->mode == STRIDED || l->mode == TILED) && r->rank >= 2 && r->stride[r->rank - 1] > 1 &&
         r->stride[r->rank - 2] == 1 && r->dim[r->rank - 1] >= TILE_COLS / 4 &&
         r->dim[r->rank - 2] >= TILE_ROWS;
}

static void fill(leaf *l, int64_t n) {
  static const int64_t none[] = {0};
  uopi_reader all = {l->from.data, l->from.size, 1, &n, none};
  uopi_read(&all, 0, n, l->block);
}

#define TURN(T)                                                                 \
  do {                                                                          \
    for (int64_t c = 0; c < cols; c++, x += stride)                             \
      for (int64_t i = 0; i < rows; i++)                                        \
        ((T *)(void *)to)[i * TILE_COLS + c] = ((const T *)(const void *)x)[i]; \
    return;                                                                     \
  } while (0)

static void turn(const leaf *l, int64_t first, int64_t rows, int64_t cols) {
  const char *x = uopi_reader_at(&l->from, first);
  int64_t stride = l->from.stride[l->from.rank - 1] * (int64_t)l->from.size;
  char *to = l->block;
  if (l->from.size == 4) TURN(uint32_t);
  if (l->from.size == 2) TURN(uint16_t);
  TURN(uint8_t);
}

/* Scratch memory of the run's: the leaves' axes, leaves and pointers, then the blocks. */
static char *scratch(uop_run *r, const uop *u, size_t size) {
  if (size <= r->scratch_size) return r->scratch;
  char *p = uopi_run_realloc(r, u, r->scratch, r->scratch_size, size);
  if (!p) return NULL;
  r->scratch = p;
  r->scratch_size = size;
  return p;
}

static size_t axes_size(const uopi_kernel *k) { return k->naxes * 2 * sizeof(int64_t); }

static bool place_head(machine *m, size_t blocks) { /* bytes of them */
  const uopi_kernel *k = m->k;
  size_t head = axes_size(k) + k->nleaves * sizeof(leaf) + (k->nleaves + k->nregs) * sizeof(void *);
  char *p = scratch(m->r, m->root, head + (blocks ? 63 + blocks : 0));
  if (!p) return false;
  m->leaves = (leaf *)(void *)(p + axes_size(k));
  m->at = (const void **)(m->leaves + k->nleaves);
  p += head;
  m->regs = blocks ? p + (64 - (uintptr_t)p % 64) % 64 : p;
  return true;
}

/* Leaves that lie like the first turned one are TILED. */
static void find_tiles(machine *m) {
  m->tiles = NULL;
  if (m->root->op == UOP_REDUCE) return;
  for (uint32_t i = 0; i < m->k->nleaves; i++) {
    leaf *l = &m->leaves[i];
    if (!is_turned(l)) continue;
    if (!m->tiles) m->tiles = &l->from;
    if (l->from.dim[l->from.rank - 1] == m->tiles->dim[m->tiles->rank - 1] &&
        l->from.dim[l->from.rank - 2] == m->tiles->dim[m->tiles->rank - 2])
      l->mode = TILED;
  }
}

static void find_leaves(machine *m, const uopi_frame *f) {
  int64_t *room = (int64_t *)(void *)((char *)m->leaves - axes_size(m->k));
  for (uint32_t i = 0; i < m->k->nleaves; i++) {
    uint32_t rank = f->plan->node[m->k->leaf[i]].u->shape->len;
    leaf_begin(&m->leaves[i], f, m->k->leaf[i], room);
    room += 2 * (rank ? rank : 1);
  }
  find_tiles(m);
}

static bool needs_block(const leaf *l) { return l->mode == SPLAT || l->mode == STRIDED; }

/* Elements of a block. Where few are computed, all blocks together are about as large as those:
 * small arrays need little memory. */
static int64_t block_of(const machine *m) {
  int64_t blocks = m->k->nregs, n = UOPI_BLOCK;
  for (uint32_t i = 0; i < m->k->nleaves; i++) blocks += needs_block(&m->leaves[i]);
  if (blocks == 0) return UOPI_LONG_BLOCK;
  while (n > UOPI_LEAST_BLOCK && n * blocks > m->k->n) n /= 2;
  return n;
}

static size_t bytes_of(const machine *m, const leaf *l) {
  _Static_assert((int)TILE_COLS <= (int)UOPI_LEAST_BLOCK, "a row of a tile is a block");
  return l->mode == TILED ? TILE_ROWS * TILE_COLS * 4 : needs_block(l) ? m->block : 0;
}

/* Looks at the leaves, and makes room for their blocks and the registers. */
static bool prepare(machine *m, const uopi_frame *f) {
  const uopi_kernel *k = m->k;
  if (!place_head(m, 0)) return false;
  find_leaves(m, f);
  m->n = block_of(m);
  int64_t n = least(m->n, k->n);
  m->block = ((size_t)n * 4 + 63) & ~(size_t)63;
  size_t size = k->nregs * m->block;
  for (uint32_t i = 0; i < k->nleaves; i++) size += bytes_of(m, &m->leaves[i]);
  uintptr_t before = (uintptr_t)m->leaves;
  if (!place_head(m, size)) return false;
  if ((uintptr_t)m->leaves != before) find_leaves(m, f); /* they point at each other */
  char *block = m->regs;
  for (uint32_t i = 0; i < k->nregs; i++, block += m->block) m->at[k->nleaves + i] = block;
  for (uint32_t i = 0; i < k->nleaves; i++) {
    leaf *l = &m->leaves[i];
    m->at[i] = l->block = block;
    block += bytes_of(m, l);
    if (l->mode == SPLAT) fill(l, n);
  }
  return true;
}

/* ---- one block ---- */

static double now(const uop_run *r) { return r->options.clock(r->options.user); }

static void run_step(machine *m, const uopi_step *s, size_t n, void *out) {
  const void *in[3] = {m->at[s->in[0]], m->at[s->in[1]], m->at[s->in[2]]};
  s->loop(n, out, in);
}

static void run_step_timed(machine *m, const uopi_step *s, size_t n, void *out) {
  uop_op_cost *c = &m->r->profile[s->u->op];
  double begin = now(m->r), spent;
  run_step(m, s, n, out);
  spent = now(m->r) - begin;
  c->seconds += spent;
  m->r->profile[m->root->op].seconds -= spent; /* which is given the whole at the end */
}

/* The steps over the n elements that m->at has of each leaf; the last one writes to `out`, if it is
 * not NULL. */
static bool run_steps(machine *m, size_t n, void *out) {
  const uopi_kernel *k = m->k;
  for (uint32_t i = 0; i < k->nsteps; i++) {
    const uopi_step *s = &k->step[i];
    void *to = m->regs + (size_t)(s->out - k->nleaves) * m->block;
    if (out && i + 1 == k->nsteps) to = out;
    if (k->divides && (s->u->op == UOP_FLOORDIV || s->u->op == UOP_FLOORMOD) &&
        !uopi_warn_zero(m->r, s->u, m->at[s->in[1]], n))
      return false;
    if (m->r->profile)
      run_step_timed(m, s, n, to);
    else
      run_step(m, s, n, to);
  }
  return uopi_poll(m->r, m->root, n);
}

/* Elements first, first + 1, … of the flat order. */
static bool run_block(machine *m, int64_t first, int64_t n, void *out) {
  for (uint32_t i = 0; i < m->k->nleaves; i++) {
    leaf *l = &m->leaves[i];
    if (l->mode == DIRECT)
      m->at[i] = l->from.data + first * (int64_t)l->from.size;
    else if (l->mode == STRIDED)
      uopi_read(&l->from, first, n, l->block);
  }
  return run_steps(m, (size_t)n, out);
}

/* ---- elementwise ---- */

static bool put_block(machine *m, uopi_array *to, int64_t first, int64_t n) {
  return run_block(m, first, n, (char *)uopi_array_data(to) + first * to->size);
}

/* A tile: its columns are turned once, and then each of its rows is a block. */
static bool put_tile(machine *m, uopi_array *to, int64_t first, int64_t width, int64_t rows,
                     int64_t cols) {
  for (uint32_t i = 0; i < m->k->nleaves; i++)
    if (m->leaves[i].mode == TILED) turn(&m->leaves[i], first, rows, cols);
  for (int64_t row = 0; row < rows; row++) {
    for (uint32_t i = 0; i < m->k->nleaves; i++)
      if (m->leaves[i].mode == TILED)
        m->at[i] = m->leaves[i].block +
                   (size_t)((row + UOPI_FAULT(17)) * TILE_COLS) * m->leaves[i].from.size;
    if (!put_block(m, to, first + row * width, cols)) return false;
  }
  return true;
}

static bool put_tiles(machine *m, uopi_array *to, int64_t height, int64_t width) {
  for (int64_t top = 0; top < m->k->n; top += height * width)
    for (int64_t row = 0; row < height; row += TILE_ROWS)
      for (int64_t col = 0; col < width; col += TILE_COLS)
        if (!put_tile(m, to, top + row * width + col, width, least(TILE_ROWS, height - row),
                      least(TILE_COLS, width - col)))
          return false;
  return true;
}

static bool run_elementwise(machine *m, uopi_array *out) {
  const uopi_reader *tiles = m->tiles;
  if (tiles) return put_tiles(m, out, tiles->dim[tiles->rank - 2], tiles->dim[tiles->rank - 1]);
  for (int64_t i = 0; i < m->k->n; i += m->n)
    if (!put_block(m, out, i, least(m->n, m->k->n - i))) return false;
  return true;
}

/* ---- reduce ---- */

static const char *result_at(const machine *m, int64_t i, size_t size) {
  return (const char *)m->at[m->k->result] + (size_t)i * size;
}

static bool reduce_long_rows(machine *m, char *out, int64_t rows, int64_t width, uopi_fold *fold) {
  size_t size = uop_dtype_size((uop_dtype)m->root->dtype);
  for (int64_t row = 0; row < rows; row++) {
    uopi_acc acc;
    uopi_acc_begin(&acc, m->root);
    for (int64_t i = 0; i < width; i += m->n) { /* whole rounds of the lanes */
      int64_t n = least(m->n, width - i);
      if (!run_block(m, row * width + i, n, NULL)) return false;
      fold(&acc.v, result_at(m, 0, size), (size_t)n);
    }
    uopi_acc_end(&acc, m->root, false, out + (size_t)row * size);
  }
  return true;
}

/* Rows of no elements, of which there can be many: one result, over and over. */
static bool reduce_empty_rows(machine *m, char *out, int64_t rows) {
  static const int64_t dim[] = {UOPI_BLOCK}, stride[] = {0};
  char one[4];
  uopi_reader all = {one, (uint32_t)uop_dtype_size((uop_dtype)m->root->dtype), 1, dim, stride};
  uopi_acc acc;
  uopi_acc_begin(&acc, m->root);
  uopi_acc_end(&acc, m->root, true, one);
  for (int64_t row = 0; row < rows; row += UOPI_BLOCK) {
    int64_t n = least(UOPI_BLOCK, rows - row);
    uopi_read(&all, 0, n, out + (size_t)row * all.size);
    if (!uopi_poll(m->r, m->root, (size_t)n)) return false;
  }
  return true;
}

static void reduce_rows(const machine *m, char *out, int64_t rows, int64_t width, uopi_fold *fold) {
  size_t size = uop_dtype_size((uop_dtype)m->root->dtype);
  if (m->root->dtype == UOP_F32 && width <= UOPI_LANES && uop_reduce_op(m->root) == UOP_ADD) {
    m->r->loops->rows((float *)(void *)out, (const float *)(const void *)result_at(m, 0, size),
                      (size_t)rows, (size_t)width);
    return;
  }
  for (int64_t row = 0; row < rows; row++) {
    uopi_acc acc;
    uopi_acc_begin(&acc, m->root);
    fold(&acc.v, result_at(m, row * width, size), (size_t)width);
    uopi_acc_end(&acc, m->root, false, out + (size_t)row * size);
  }
}

static bool run_reduce(machine *m, char *out) {
  unsigned d = m->root->dtype;
  uopi_fold *fold =
      uop_reduce_op(m->root) == UOP_ADD ? m->r->loops->sums[d] : m->r->loops->maxima[d];
  int64_t rows = uopi_count_of(m->root), width = rows ? m->k->n / rows : 0;
  size_t size = uop_dtype_size((uop_dtype)d);
  if (width == 0) return reduce_empty_rows(m, out, rows);
  if (width > m->n) return reduce_long_rows(m, out, rows, width, fold);
  int64_t each = m->n / width; /* rows of a block */
  for (int64_t row = 0; row < rows; row += each) {
    int64_t n = least(each, rows - row);
    if (!run_block(m, row * width, n * width, NULL)) return false;
    reduce_rows(m, out + (size_t)row * size, n, width, fold);
  }
  return true;
}

/* ---- a kernel ---- */

static bool charge(uop_run *r, const uopi_kernel *k, const uop *root) {
  int64_t rows = root->op == UOP_REDUCE ? uopi_count_of(root) : 0;
  for (uint32_t i = 0; i < k->nsteps; i++)
    if (!uopi_charge_steps(r, k->step[i].u, k->n)) return false;
  return root->op != UOP_REDUCE || uopi_charge_steps(r, root, k->n > rows ? k->n : rows);
}

static bool run(machine *m, uopi_frame *f, bool asked, uopi_cell *out) {
  const uop *u = m->root;
  if (!charge(m->r, m->k, u) || !prepare(m, f)) return false;
  memset(out, 0, sizeof *out);
  if (uopi_is_scalar(u)) return run_reduce(m, (char *)out->raw);
  uopi_array *a = uopi_array_new(m->r, u);
  if (!a) return false;
  a->canonical |= asked && u->op != UOP_REDUCE;
  out->array = a;
  if (u->op == UOP_REDUCE ? run_reduce(m, uopi_array_data(a)) : run_elementwise(m, a)) return true;
  uopi_array_release(m->r, a);
  return false;
}

static void note_costs(machine *m) {
  for (uint32_t i = 0; i < m->k->nsteps; i++) {
    const uop *u = m->k->step[i].u;
    uop_op_cost *c = &m->r->profile[u->op];
    c->calls++;
    c->elements += (uint64_t)m->k->n;
    c->bytes += (uint64_t)m->k->n * uop_dtype_size((uop_dtype)u->dtype);
  }
  if (m->root->op != UOP_REDUCE) return;
  uop_op_cost *c = &m->r->profile[UOP_REDUCE];
  c->calls++;
  c->elements += (uint64_t)m->k->n;
  c->bytes += (uint64_t)uopi_count_of(m->root) * uop_dtype_size((uop_dtype)m->root->dtype);
}

bool uopi_kernel_run(uop_run *r, uopi_frame *f, uint32_t i, const uopi_kernel *k, uopi_cell *out) {
  const uopi_planned *node = &f->plan->node[i];
  machine m = {.r = r, .root = node->u, .k = k};
  if (!r->profile) return run(&m, f, node->asked, out);
  double begin = now(r);
  bool ok = run(&m, f, node->asked, out);
  r->profile[node->u->op].seconds += now(r) - begin;
  note_costs(&m);
  return ok;
}
