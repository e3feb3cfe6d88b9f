// SPDX-License-Identifier: MIT
// Rows of elements that are chosen, tested, repeated or looked through: no arithmetic, or next to
// none. Sums of two products are within kPairError (bounds.h), the rest is exact. An element's bits
// do not depend on its place in the row. y may be an input of elements of the same size, except
// where elements are doubled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

// Rows of `in` elements that become rows of `out`:
//   y[j] = weight[2 j] x[index[2 j]] + weight[2 j + 1] x[index[2 j + 1]]
struct PairBlend {
  size_t in, out;
  const int64_t* index;
  const float* weight;
};

struct PlainRowsKernels {
  // y[i] = condition[i] != 0 ? a[i] : b[i]; an operand that stands still has one element. By the
  // elements' bytes.
  using Choose = void (*)(const uint8_t* condition, const void* a, bool a_moves, const void* b,
                          bool b_moves, void* y, size_t n);
  Choose choose1, choose2, choose4, choose8;

  // So many lines, one behind the other: y[2 i] = y[2 i + 1] = x[i] for i < n. With `twice` each of
  // the lines of y stands there twice.
  using Double = void (*)(const void* x, void* y, size_t n, size_t lines, bool twice);
  Double double1, double2, double4, double8;

  // 1 or 0: whether x[i] is an infinity of a wanted sign.
  void (*is_infinite)(const float* x, bool positive, bool negative, uint8_t* y, size_t n);
  void (*is_nan)(const float* x, uint8_t* y, size_t n);

  // y = x < 0 ? slope x : x
  void (*prelu)(const float* x, const float* slopes, float* y, size_t n);

  // So many rows, one behind the other.
  void (*blend_pairs)(const PairBlend& blend, const float* x, float* y, size_t rows);
  // first = cos first - sin second, second = sin first + cos second, at the same time; the results
  // may lie where the operands do.
  void (*rotate)(const float* first, const float* second, const float* cos, const float* sin,
                 float* y_first, float* y_second, size_t n);

  // The same of neighbours: n pairs, in place or from x to y.
  void (*rotate_pairs)(const float* x, const float* cos, const float* sin, float* y, size_t n);

  // The first i with not x[i] <= value, or not x[i] >= value: NaN on either side is found too. n
  // where there is none.
  size_t (*find_above)(const float* x, size_t n, float value);
  size_t (*find_below)(const float* x, size_t n, float value);

  // y[i] = start + i * delta, wrapping around.
  void (*count)(uint64_t start, uint64_t delta, uint64_t* y, size_t n);

  // The least and the largest of at least one number.
  struct Range {
    int64_t least, most;
  };
  Range (*range_i32)(const int32_t* x, size_t n);
  Range (*range_i64)(const int64_t* x, size_t n);

  // The places of n keys in ascending order, equal ones as they stand, by counting what comes
  // before each: for a few. The keys end in INT32_MAX up to a multiple of kKeysTogether.
  static constexpr size_t kKeysTogether = 16;
  void (*order)(const int32_t* keys, size_t n, int32_t* places);
};

const PlainRowsKernels& plain_rows_kernels(Isa isa);
// Null for elements of another size.
PlainRowsKernels::Choose choose_of(Isa isa, size_t bytes);
PlainRowsKernels::Double double_of(Isa isa, size_t bytes);

const PlainRowsKernels& plain_rows_generic();
#if ORTC_ARITH_X86
const PlainRowsKernels& plain_rows_avx2();    // only on a CPU that has it
const PlainRowsKernels& plain_rows_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
