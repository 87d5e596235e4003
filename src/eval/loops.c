/* loops.c - loops.def, built for each kind of vectors that a processor of this family may have. */
#include "eval/loops.h"
#include "alu/alu.h"

#if UOPI_FAULT(6) /* saturates */
#define SUM(a, b) ((int64_t)(a) + (int64_t)(b))
#define add_i32(a, b) \
  ((int32_t)(SUM(a, b) > INT32_MAX ? INT32_MAX : SUM(a, b) < INT32_MIN ? INT32_MIN : SUM(a, b)))
#elif UOPI_FAULT(12) /* truncates */
#define floordiv_i32(a, b) ((b) == 0 ? 0 : (b) == -1 ? bits_i32(0u - (uint32_t)(a)) : (a) / (b))
#elif UOPI_FAULT(13) /* passes over a NaN */
#define max_f32(a, b) ((a) > (b) || (b) != (b) ? (a) : (b))
#endif

#define L(name)    name##_plain
#define LOOPS_NAME "plain"
#include "eval/loops.def"

/* Both compilers inline the functions above into the wider builds: their targets include what those
 * were written for. Sanitizers check the plain build alone. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(UOP_PLAIN_LOOPS)
#define WIDER 1

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define L(name)    name##_avx2
#define LOOPS_NAME "avx2"
#include "eval/loops.def"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#define AVX512 "avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
#define L(name)    name##_avx512
#define LOOPS_NAME "avx512"
#include "eval/loops.def"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

const uopi_loops *uopi_loops_of(size_t i) {
#ifdef WIDER
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    if (i-- == 0) return &loops_avx512;
  if (__builtin_cpu_supports("avx2"))
    if (i-- == 0) return &loops_avx2;
#endif
  return i == 0 ? &loops_plain : NULL;
}
