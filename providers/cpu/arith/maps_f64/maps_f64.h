// SPDX-License-Identifier: MIT
// Functions of contiguous f64 rows, y[i] = f(x[i]), where y may be x; and of f64 columns, whose
// elements are `stride` apart. An element's bits depend neither on its place in the row nor on the
// columns beside it.
//
// Bounds (bounds.h): tanh kTanhF64Ulp, decay kDecayF64Ulp, logistic kLogisticF64Ulp, gelu_tanh
// kActivationErrorF64, angles kSinF64Ulp, power power_f64_error, weigh gemm_f64_error(rows),
// softmax softmax_f64_error(rows), eliminate
// two roundings, whole numbers, signs and extremes none. Infinities, NaN,
// subnormals and signed zeros come out as IEEE 754 recommends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

inline constexpr double kMostAngleF64 = 65536;

struct MapsF64Kernels {
  using Map = void (*)(const double* x, double* y, size_t n);
  Map tanh;
  Map decay;               // exp(-|x|); 0 where |x| is over 708
  Map logistic;            // 1 / (1 + exp(-x)); below -708 it is 0
  Map gelu_tanh;           // 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  Map round, floor, ceil;  // a half to the even neighbour
  Map sign, relu;          // NaN is NaN; 0 has no sign, -0 of relu is -0

  // y = sin(x + quarters pi / 2) for quarters 0 or 1. False where an |x| is over kMostAngleF64:
  // what became of such ones means nothing. Null where the level has no fused products.
  bool (*angles)(const double* x, size_t quarters, double* y, size_t n);

  // y = x.
  void (*widen)(const float* x, double* y, size_t n);
  // x = (x + addend)^count: that many factors, at least one.
  void (*power)(double* x, double addend, size_t count, size_t n);

  // sums[i] += sum over rows r of factors[r] x[r stride + i], from the first to the last.
  void (*weigh)(const double* x, size_t stride, size_t rows, const float* factors, double* sums,
                size_t n);
  // n columns of `rows` elements, at least one, in place.
  void (*softmax)(double* x, size_t stride, size_t rows, size_t n);
  // The largest or the smallest, NaN where one is among them; of no element at all the other end of
  // the range.
  struct Extreme {
    double (*row)(const double* x, size_t n);
    // states[i] joined with x[i], x[stride + i] and so on.
    void (*columns)(const double* x, size_t stride, size_t rows, double* states, size_t n);
  };
  Extreme largest, smallest;
  // A step of inverting the n x n matrix `a` in its place, by its element [k, k], which is not 0:
  // row k is divided by it, and every other row loses so much of row k that column k, which is not
  // kept, would be zeros; in its place is the column of the inverse. Rows are `stride` apart, a
  // multiple of eight, and what is behind their n numbers means nothing.
  void (*eliminate)(double* a, size_t n, size_t stride, size_t k);
  // The row of the first element that no other of its column is larger than.
  void (*first_largest)(const double* x, size_t stride, size_t rows, int64_t* places, size_t n);
};

const MapsF64Kernels& maps_f64_kernels(Isa isa);

const MapsF64Kernels& maps_f64_generic();
#if ORTC_ARITH_X86
const MapsF64Kernels& maps_f64_avx2();    // only on a CPU that has it
const MapsF64Kernels& maps_f64_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
