/* test_npy.c - .npy files: read, refused, cut off, changed, written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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
    char *p = uop_value_print(ctx, &v, false);
    s = malloc(strlen(p) + 8);
    sprintf(s, "%s %s", uop_dtype_name(v.dtype), p);
    uop_free(ctx, p);
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
  expect_npy(1, DICT("<i4", "False", "(65536, 65536)"), z, 4,
             "error 2: npy: shape (65536, 65536): it has more than 2147483647 elements");
  expect_npy(1, DICT("<i4", "False", "(4294967296, 0)"), z, 4,
             "error 2: npy: shape (4294967296, 0): a dimension is outside 0..2147483647");
  expect_npy(
      1,
      DICT("<i4", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
      z, 4, "error 2: npy: rank over the limit of 32");
  expect_npy(4, DICT("<i4", "False", "(1,)"), z, 4,
             "error 18: npy: format version 4.0 is not supported (1.0, 2.0, 3.0 are)");
}

static void test_npy_cut_and_changed(void **state) {
  (void)state;
  /* Every prefix is refused, and a byte changed anywhere is read or refused, never out of bounds.
   */
  unsigned char b[512];
  const float x[6] = {1, 2, 3, 4, 5, 6};
  for (int version = 1; version <= 2; version++) {
    size_t n = make_npy(b, version, DICT("<f4", "True", "(2, 3)"), x, sizeof x);
    for (size_t k = 0; k < n; k++) {
      char *s = read_npy(b, k);
      assert_memory_equal(s, "error 18: npy: ", 15);
      free(s);
      for (int bit = 0; bit < 8; bit++) {
        b[k] ^= (unsigned char)(1 << bit);
        free(read_npy(b, n));
        b[k] ^= (unsigned char)(1 << bit);
      }
    }
  }
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
    uop_value none = {UOP_VOID, 0, {0}, 1, NULL};
    assert_null(uop_npy_write(ctx, &none, &n));
    assert_int_equal(uop_error(ctx)->code, UOP_E_DTYPE);
    uop_ctx_free(ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_npy_read),
      cmocka_unit_test(test_npy_malformed),
      cmocka_unit_test(test_npy_cut_and_changed),
      cmocka_unit_test(test_npy_write),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
