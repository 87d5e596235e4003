/* test_npy.c - .npy files, made here and by numpy: read, refused, cut off, changed, written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/count.h"
#include "support/run.h"

/* A file: version, header text (filled up to 64 as numpy does), and data. */
static size_t make_npy(unsigned char *b, int version, const char *dict, const void *data,
                       size_t n) {
  size_t fixed = version == 1 ? 10 : 12, len = strlen(dict) + 1;
  while ((fixed + len) % 64) len++;
  memcpy(b, "\x93NUMPY", 6);
  b[6] = (unsigned char)version;
  b[7] = 0;
  b[8] = (unsigned char)(len & 255);
  b[9] = (unsigned char)(len >> 8);
  if (version > 1) b[10] = b[11] = 0;
  memset(b + fixed, ' ', len);
  memcpy(b + fixed, dict, strlen(dict));
  b[fixed + len - 1] = '\n';
  memcpy(b + fixed + len, data, n);
  return fixed + len + n;
}

/* Read from memory of exactly that size, so that ASan sees a byte too many. */
static char *read_npy(const unsigned char *b, size_t n) {
  uop_ctx *ctx = uop_ctx_new(NULL);
  uop_value v;
  unsigned char *exact = malloc(n ? n : 1);
  memcpy(exact, b, n);
  char *s;
  if (uop_npy_read(ctx, exact, n, &v)) {
    char *p = flat_text(ctx, &v);
    s = malloc(strlen(p) + 8);
    sprintf(s, "%s %s", uop_dtype_name(v.dtype), p);
    free(p);
    uop_value_free(ctx, &v);
  } else {
    s = error_text(ctx);
  }
  free(exact);
  uop_ctx_free(ctx);
  return s;
}

static void expect_npy(int version, const char *dict, const void *data, size_t n,
                       const char *want) {
  unsigned char b[2048];
  char *s = read_npy(b, make_npy(b, version, dict, data, n));
  if (strcmp(s, want)) fail_msg("%s\ngives %s\nnot   %s", dict, s, want);
  free(s);
}
#define DICT(descr, order, shape) \
  "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

static void test_npy_read(void **state) {
  (void)state;
  const unsigned char little[] = {1, 0, 0, 0, 2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0};
  const unsigned char big[] = {0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 4};
  const unsigned char floats[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x80};
  const unsigned char big_floats[] = {0x3f, 0x80, 0, 0, 0x80, 0, 0, 0};
  const unsigned char halves[] = {0x00, 0x3c, 0x00, 0xc0};
  const unsigned char truths[] = {1, 0, 7};
  for (int version = 1; version <= 3; version++)
    expect_npy(version, DICT("<i4", "False", "(4,)"), little, 16, "i32 [1, 2, -1, 4]");
  expect_npy(1, DICT(">i4", "False", "(2, 2)"), big, 16, "i32 [[1, 2], [-1, 4]]");
  expect_npy(1, DICT("<i4", "True", "(2, 2)"), little, 16, "i32 [[1, -1], [2, 4]]");
  expect_npy(1, DICT(">i4", "True", "(1, 4, 1)"), big, 16, "i32 [[[1], [2], [-1], [4]]]");
  expect_npy(1, DICT("<f4", "False", "(2,)"), floats, 8, "f32 [1.0, -0.0]");
  expect_npy(1, DICT(">f4", "False", "(2,)"), big_floats, 8, "f32 [1.0, -0.0]");
  expect_npy(1, DICT("<f2", "False", "(2,)"), halves, 4, "f16 [1.0, -2.0]");
  expect_npy(1, DICT(">f2", "False", "(1,)"), halves + 1, 2, "f16 [1.0]");
  expect_npy(1, DICT("|b1", "False", "(3,)"), truths, 3, "bool [true, false, true]");
  expect_npy(1, DICT("?", "False", "(3,)"), truths, 3, "bool [true, false, true]");
  expect_npy(1, DICT("<i4", "False", "()"), little, 4, "i32 1");
  expect_npy(1, DICT("<i4", "False", "(0, 3)"), "", 0, "i32 []");
  expect_npy(1, DICT("<i4", "False", "(2L, 2L)"), little, 16, "i32 [[1, 2], [-1, 4]]");
  expect_npy(1, "{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<i4\"}", little, 4, "i32 [1]");
  const uint16_t one = 1;
  bool is_little = *(const unsigned char *)&one == 1;
  expect_npy(1, DICT("=i4", "False", "(4,)"), is_little ? little : big, 16, "i32 [1, 2, -1, 4]");
}

static void test_npy_malformed(void **state) {
  (void)state;
  const unsigned char z[64] = {0};
#define BAD(dict, n, want) expect_npy(1, dict, z, n, "error 18: npy: " want)
  BAD(DICT("<i4", "False", "(3, 4)"), 40, "i32(3, 4) has 48 bytes, the file 40 after its header");
  BAD(DICT("<i4", "False", "(2,)"), 9, "i32(2,) has 8 bytes, the file 9 after its header");
  BAD(DICT("<f4", "False", "(2147483647,)"), 4,
      "f32(2147483647,) has 8589934588 bytes, the file 4 after its header");
  BAD(DICT("<i8", "False", "(1,)"), 8,
      "dtype '<i8' is not supported: save it with .astype('int32')");
  BAD(DICT("<f8", "False", "(1,)"), 8,
      "dtype '<f8' is not supported: save it with .astype('float32')");
  BAD(DICT("|u1", "False", "(1,)"), 1,
      "dtype '|u1' is not supported: save it with .astype('int32')");
  BAD(DICT("<c8", "False", "(1,)"), 8,
      "dtype '<c8' is not supported: save only bool, int32, float32 or float16");
  BAD(DICT("", "False", "(1,)"), 8,
      "dtype '' is not supported: save only bool, int32, float32 or float16");
  BAD("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", 4,
      "structured arrays are not supported: save one field");
  BAD(DICT("<i4", "Maybe", "(1,)"), 4, "fortran_order is neither True nor False");
  BAD(DICT("<i4", "False", "(1"), 4, "its shape is no tuple of sizes");
  BAD(DICT("<i4", "False", "(1, 2"), 4, "its shape is no tuple of sizes");
  BAD(DICT("<i4", "False", "(1, 2 3)"), 4, "its header lacks a ')'");
  BAD(DICT("<i4", "False", "(3)"), 4, "its shape is no tuple of sizes");
  BAD(DICT("<i4", "False", "(-1,)"), 4, "its shape is no tuple of sizes");
  BAD(DICT("<i4", "False", "(,)"), 4, "its shape is no tuple of sizes");
  BAD(DICT("<i4", "False", "5"), 4, "its header lacks a '('");
  BAD("{'descr': '<i4', 'fortran_order': False}", 4, "its header has no 'shape'");
  BAD("{'fortran_order': False, 'shape': (1,)}", 4, "its header has no 'descr'");
  BAD("{'descr': '<i4', 'shape': (1,)}", 4, "its header has no 'fortran_order'");
  BAD("{'descr': '<i4', 'descr': '<i4'}", 4, "its header has 'descr' twice");
  BAD("{'x': 1}", 4, "its header has a key 'x', which is none of the format's");
  BAD("{'descr' '<i4'}", 4, "its header lacks a ':'");
  BAD("{'descr': '<i4' 'shape': (1,)}", 4, "its header lacks a '}'");
  BAD("{'descr': '<i4", 4, "a string in its header does not end");
  BAD("{1: 2}", 4, "its header has no string where one is meant");
  BAD("", 4, "its header lacks a '{'");
  BAD(DICT("<i4", "False", "(1,)") " x", 4, "its header goes on after the '}'");
  expect_npy(
      1, DICT("<i4", "False", "(65536, 65536)"), z, 4,
      "error 2: npy: shape (65536, 65536): it has more than 2147483647 elements (UOP_MAX_NUMEL)");
  expect_npy(
      1, DICT("<i4", "False", "(4294967296, 0)"), z, 4,
      "error 2: npy: shape (4294967296, 0): a dimension is outside 0..2147483647 (UOP_MAX_DIM)");
  expect_npy(
      1,
      DICT("<i4", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
      z, 4, "error 2: npy: rank is above 32 (UOP_MAX_RANK)");
  unsigned char b[256]; /* a string of Python's may hold a NUL: this is not '<i4' */
  size_t n = make_npy(b, 1, DICT("<i4!", "False", "(1,)"), z, 4);
  *(unsigned char *)memchr(b, '!', n) = 0;
  char *s = read_npy(b, n);
  assert_string_equal(s, "error 18: npy: dtype '<i4?' is not supported: save it with "
                         ".astype('int32')");
  free(s);
  expect_npy(4, DICT("<i4", "False", "(1,)"), z, 4,
             "error 18: npy: format version 4.0 is not supported (1.0, 2.0, 3.0 are)");
}

static void test_npy_no_header(void **state) {
  (void)state;
  char *s = read_npy((const unsigned char *)"PK\x03\x04 a zip file", 16);
  assert_string_equal(s, "error 18: npy: it does not begin as a .npy file does");
  free(s);
  s = read_npy((const unsigned char *)"\x93NUMPY\x01\x00\xff\xff", 10);
  assert_string_equal(s, "error 18: npy: cut off in its header: that has 65545 bytes, the file 10");
  free(s);
  s = read_npy((const unsigned char *)"\x93NUMPY\x01", 7);
  assert_string_equal(s, "error 18: npy: cut off in its header, after 7 bytes");
  free(s);
}

/* ---- files that numpy wrote, tests/npy ---- */

#define I4       "i32 [[1, -2, 2147483647], [-2147483648, 0, 7]]"
#define F4       "f32 [[1.0, -0.0, inf], [nan, 1e-45, 0.1]]"
#define F2       "f16 [[1.0, -0.0, inf], [nan, 5.9604645e-08, 0.099975586]]"
#define B1       "bool [[true, false, true], [false, false, true]]"
#define BRACKETS "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["

static const struct {
  const char *file, *want;
} fixtures[] = {{"i4_le_c", I4},
                {"i4_le_f", I4},
                {"i4_be_c", I4},
                {"i4_be_f", I4},
                {"i4_version2", I4},
                {"f4_le_c", F4},
                {"f4_le_f", F4},
                {"f4_be_c", F4},
                {"f4_be_f", F4},
                {"f4_version2", F4},
                {"f4_version3", F4},
                {"f2_le_c", F2},
                {"f2_le_f", F2},
                {"f2_be_c", F2},
                {"f2_be_f", F2},
                {"f2_version3", F2},
                {"b1_le_c", B1},
                {"b1_le_f", B1},
                {"scalar", "f32 -2.5"},
                {"one", "i32 [7]"},
                {"empty", "f32 []"},
                {"cube", "i32 [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]"},
                {"rank32", "i32 " BRACKETS "5]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"}};
enum { FIXTURES = sizeof fixtures / sizeof *fixtures };

static size_t read_fixture(const char *name, unsigned char *b, size_t cap) {
  char path[64];
  snprintf(path, sizeof path, "tests/npy/%s.npy", name);
  FILE *f = fopen(path, "rb");
  if (!f) fail_msg("%s: run this from the project's root", path);
  size_t n = fread(b, 1, cap, f);
  assert_true(n < cap);
  fclose(f);
  return n;
}

static void expect_fixture(const char *name, const char *want) {
  unsigned char b[512];
  char *s = read_npy(b, read_fixture(name, b, sizeof b));
  if (strcmp(s, want)) fail_msg("%s\ngives %s\nnot   %s", name, s, want);
  free(s);
}

static void test_npy_of_numpy(void **state) {
  (void)state;
  for (size_t i = 0; i < FIXTURES; i++) expect_fixture(fixtures[i].file, fixtures[i].want);
}

static void test_npy_refused(void **state) {
  (void)state;
#define REFUSED(name, want) expect_fixture("bad_" name, "error 18: npy: " want)
  REFUSED("i8", "dtype '<i8' is not supported: save it with .astype('int32')");
  REFUSED("u1", "dtype '|u1' is not supported: save it with .astype('int32')");
  REFUSED("f8", "dtype '<f8' is not supported: save it with .astype('float32')");
  REFUSED("c8", "dtype '<c8' is not supported: save only bool, int32, float32 or float16");
  REFUSED("text", "dtype '<U3' is not supported: save only bool, int32, float32 or float16");
  REFUSED("time", "dtype '<M8[D]' is not supported: save only bool, int32, float32 or float16");
  REFUSED("objects", "dtype '|O' is not supported: save only bool, int32, float32 or float16");
  REFUSED("fields", "structured arrays are not supported: save one field");
  REFUSED("cut", "f32(2, 3) has 24 bytes, the file 23 after its header");
  REFUSED("long", "f32(2, 3) has 24 bytes, the file 25 after its header");
  REFUSED("size", "f32(2147483647,) has 8589934588 bytes, the file 24 after its header");
  REFUSED("header", "cut off in its header: that has 128 bytes, the file 60");
  REFUSED("magic", "it does not begin as a .npy file does");
  REFUSED("version", "format version 4.0 is not supported (1.0, 2.0, 3.0 are)");
}

/* What the header says is compared with the file before memory is asked for. */
static void test_npy_false_size(void **state) {
  (void)state;
  unsigned char b[512];
  counter c = {0};
  uop_options o = counted(&c);
  uop_ctx *ctx = uop_ctx_new(&o);
  uop_value v;
  size_t n = read_fixture("bad_size", b, sizeof b);
  uint64_t allocations = c.allocations;
  assert_false(uop_npy_read(ctx, b, n, &v));
  assert_int_equal(c.allocations, allocations);
  uop_ctx_free(ctx);
}

/* From a copy of exactly that size. True: it was read, and its bytes are those behind the header.
 */
static bool reads(uop_ctx *ctx, const unsigned char *b, size_t n) {
  uop_value v;
  unsigned char *exact = malloc(n ? n : 1);
  memcpy(exact, b, n);
  bool ok = uop_npy_read(ctx, exact, n, &v);
  if (ok) {
    size_t fixed = b[6] == 1 ? 10 : 12;
    assert_int_equal((size_t)v.count * uop_dtype_size(v.dtype), n - fixed - b[8] - 256u * b[9]);
    uop_value_free(ctx, &v);
  } else {
    assert_null(v.data);
    assert_true(uop_error(ctx)->code == UOP_E_FORMAT || uop_error(ctx)->code == UOP_E_LIMIT);
    uop_error_clear(ctx);
  }
  free(exact);
  return ok;
}

static void test_npy_every_byte(void **state) {
  (void)state;
  unsigned char b[512];
  int read = 0;
  uop_ctx *ctx = uop_ctx_new(NULL);
  for (size_t i = 0; i < FIXTURES; i++) {
    size_t n = read_fixture(fixtures[i].file, b, sizeof b);
    size_t header = (b[6] == 1 ? 10u : 12u) + b[8] + 256u * b[9];
    for (size_t k = 0; k < n; k++) assert_false(reads(ctx, b, k));
    for (size_t k = 0; k < header; k++) {
      unsigned char was = b[k];
      for (int value = 0; value < 256; value++) {
        b[k] = (unsigned char)value;
        read += reads(ctx, b, n);
      }
      b[k] = was;
    }
  }
  print_message("%d changed headers still say something that fits\n", read);
  uop_ctx_free(ctx);
}

static void test_npy_write(void **state) {
  (void)state;
  static const struct {
    const char *dtype, *text, *want;
  } row[] = {
      {"i32", "[[1, -2], [3, 4]]", "'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }"},
      {"f32", "-0.0", "'descr': '<f4', 'fortran_order': False, 'shape': (), }"},
      {"f16", "[nan, 0.5, 1]", "'descr': '<f2', 'fortran_order': False, 'shape': (3,), }"},
      {"bool", "[true, false]", "'descr': '|b1', 'fortran_order': False, 'shape': (2,), }"},
      {"f32", "[[], []]", "'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    uop_ctx *ctx = uop_ctx_new(NULL);
    uop_value v, back;
    size_t n;
    assert_true(uop_value_parse(ctx, row[i].text, strlen(row[i].text),
                                dtype_named(row[i].dtype, strlen(row[i].dtype)), &v));
    unsigned char *b = uop_npy_write(ctx, &v, &n);
    assert_non_null(b);
    size_t data = n - (size_t)v.count * uop_dtype_size(v.dtype);
    assert_int_equal(data % 64, 0);
    assert_int_equal(b[data - 1], '\n');
    assert_int_equal(b[8] | b[9] << 8, data - 10);
    assert_memory_equal(b + 11, row[i].want, strlen(row[i].want));
    assert_true(uop_npy_read(ctx, b, n, &back));
    assert_int_equal(back.dtype, v.dtype);
    assert_int_equal(back.rank, v.rank);
    assert_memory_equal(back.dims, v.dims, v.rank * sizeof *v.dims);
    assert_memory_equal(back.data, v.data, (size_t)v.count * uop_dtype_size(v.dtype));
    uop_value_free(ctx, &back);
    uop_value_free(ctx, &v);
    uop_free(ctx, b);
    uop_value none = {.dtype = UOP_VOID, .rank = 0, .dims = {0}, .count = 1, .data = NULL};
    assert_null(uop_npy_write(ctx, &none, &n));
    assert_int_equal(uop_error(ctx)->code, UOP_E_DTYPE);
    uop_ctx_free(ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_npy_read),       cmocka_unit_test(test_npy_malformed),
      cmocka_unit_test(test_npy_no_header),  cmocka_unit_test(test_npy_of_numpy),
      cmocka_unit_test(test_npy_refused),    cmocka_unit_test(test_npy_false_size),
      cmocka_unit_test(test_npy_every_byte), cmocka_unit_test(test_npy_write),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
