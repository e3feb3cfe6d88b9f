// SPDX-License-Identifier: MIT
// Rows of f32 joined to one number, and rows joined element by element to a row of numbers.
//
// Sums and products are in double, in an order that depends on n alone, within reduce_f32_error(n)
// (bounds.h) times the sum of the sizes of what is summed up. The largest and the
// smallest of a row with NaN is NaN; of no element at all they are the other end of the range.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

// So many blocks of columns, from one to the next so many floats.
struct BlocksF32 {
  size_t count, next;
};

struct ReduceF32Kernels {
  template <typename State>
  struct Join {
    State (*row)(const float* x, size_t n);
    // states[i] joined with x[i], x[stride + i] and so on: n columns of so many rows.
    void (*columns)(const float* x, size_t stride, size_t rows, State* states, size_t n);
    // The same for each block, whose states, one block's behind the other's, begin with what joins
    // nothing.
    void (*blocks)(const float* x, const BlocksF32& blocks, size_t stride, size_t rows,
                   State* states, size_t n);
    // joined[i] = row(x + i stride, n) for `count` rows, by far faster where n is small. Of zeros
    // of both signs it may be the other that is the largest.
    void (*rows)(const float* x, size_t stride, size_t n, State* joined, size_t count);
  };
  Join<double> sum;
  Join<double> abs_sum;
  Join<double> square_sum;
  Join<double> product;
  Join<float> largest;
  Join<float> smallest;

  // sums[i] = the products of n elements of row i of x, `stride` floats apart, and of y.
  void (*dots)(const float* x, size_t stride, size_t rows, const float* y, size_t n, double* sums);
  // The sum of (x - mean)^2, in double.
  double (*squares_from)(const float* x, double mean, size_t n);
  // y = (x - mean) * factor in double, rounded once. y may be x.
  void (*standardise)(const float* x, double mean, double factor, float* y, size_t n);
  // Rows of n >= 8, one behind the other, times a factor of their own, likewise.
  void (*scale_rows)(const float* x, const double* factors, size_t n, float* y, size_t rows);
  // The same for columns: states[i] += (x[i] - means[i])^2,
  // y[i] = (x[i] - means[i]) factors[i].
  void (*add_squares_from)(const float* x, const double* means, double* states, size_t n);
  void (*standardise_each)(const float* x, const double* means, const double* factors, float* y,
                           size_t n);
  // sums = 1 / (sums * share + floor), or 1 / (root(sums * share) + floor); 0 instead of 1 / 0.
  void (*invert)(double* sums, double share, bool takes_roots, double floor, size_t n);
  // y = states * factor in double, rounded once more: to nearest, or to odd (round_to_odd.h), so
  // that normal floats may be rounded to fewer bits yet.
  void (*narrow)(const double* states, double factor, float* y, size_t n);
  void (*narrow_to_odd)(const double* states, double factor, float* y, size_t n);
  // For each of so many rows of x and y, `stride` apart: sums[i] += x[i]; y[i] is the sum, in an
  // exclusive one that without x[i].
  void (*running_sum)(const float* x, ptrdiff_t stride, size_t rows, double* sums, float* y,
                      size_t n, bool exclusive);
};

const ReduceF32Kernels& reduce_f32_kernels(Isa isa);

const ReduceF32Kernels& reduce_f32_generic();
#if ORTC_ARITH_X86
const ReduceF32Kernels& reduce_f32_avx2();    // only on a CPU that has it
const ReduceF32Kernels& reduce_f32_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
