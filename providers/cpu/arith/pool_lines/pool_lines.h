// SPDX-License-Identifier: MIT
// Pools in ONNX's layout, line by line: first the rows of a window are joined, then its columns.
//
// What lies beside the image is the caller's: it pads the joined line with the neutral element.
// Results do not depend on how lines are cut. The largest ignores NaN; sums are in T, in the order
// of the taps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

// The rows of a line's windows: where the first begins, and how many there are; what means are
// divided by because of them.
struct LineRows {
  size_t first, count;
  float divisor;
};

template <typename T>
struct PoolLines {
  // y[i] = the join of x[row * pitch + i] over so many rows; `adds` joins them to y[i].
  void (*join)(const T* x, size_t pitch, size_t rows, bool adds, T* y, size_t n);
  // Rows of n elements, each joined to the neutral element: y[row * y_pitch + i].
  void (*move)(const T* x, size_t x_pitch, T* y, size_t y_pitch, size_t rows, size_t n);
  // y[o] = the join of x[o * stride + k * dilation] over k < kernel, which is at least 1.
  void (*window)(const T* x, size_t kernel, size_t stride, size_t dilation, T* y, size_t n);
  // Both in one for windows of two to five taps that move by two, without a line between them:
  // y[line * n + o] = the join over k < kernel of the joined rows at column 2 * o + k - before,
  // where that is one of `width`; over counts[o] * the line's divisor unless `counts` is null.
  // Floats have it.
  void (*both)(const T* x, size_t step, const LineRows* rows, size_t lines, size_t width,
               size_t before, size_t kernel, const T* counts, T* y, size_t n);
};

struct PoolLinesKernels {
  PoolLines<float> max_f32, sum_f32;
  PoolLines<double> max_f64, sum_f64;
  PoolLines<int8_t> max_i8;
  PoolLines<uint8_t> max_u8;
  PoolLines<uint16_t> max_f16, max_bf16;  // the bits of 16-bit floats
  // y[i] = sums[i] / (counts[i] * factor); y may be `sums`.
  void (*mean_f32)(const float* sums, const float* counts, float factor, float* y, size_t n);
  void (*mean_f64)(const double* sums, const double* counts, double factor, double* y, size_t n);
};

const PoolLinesKernels& pool_lines_kernels(Isa isa);

const PoolLinesKernels& pool_lines_generic();
#if ORTC_ARITH_X86
const PoolLinesKernels& pool_lines_avx2();    // only on a CPU that has it
const PoolLinesKernels& pool_lines_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
