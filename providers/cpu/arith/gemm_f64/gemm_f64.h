// SPDX-License-Identifier: MIT
// Products of f64 matrices as they lie in memory, either operand transposed or not.
//
//   c[i][j] = alpha * sum over l of a[i][l] * b[l][j]         tile
//   c[i][j] = alpha * sum over l of (a[i][l] - b[l][j])^2     squares
//
// A work item is a rectangle of rows and of panels of 16 columns. Sums run over l from first to
// last, rounded once per step where the instruction set has it: bits do not depend on the cut. An
// element is off by gemm_f64_error(k) (bounds.h) times the sum of its terms' sizes at most; squares
// by gemm_f64_error(k + 2).
#pragma once

#include <cstddef>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

inline constexpr size_t kColumnsF64 = 16;

struct GemmF64 {
  const double* a = nullptr;
  size_t a_row = 0, a_step = 1;  // from i to i + 1, from l to l + 1
  const double* b = nullptr;
  const float* b_floats = nullptr;  // B in floats, instead of `b`
  size_t b_row = 0, b_step = 1;     // from l to l + 1, from j to j + 1
  double* c = nullptr;
  size_t ldc = 0;
  size_t n = 0, k = 0;
  double alpha = 1.0;
};

// A part of one column of C, which would leave most of a panel empty:
//   c[i ldc] += sum over l < k of a[i][l] * w[l]
// Sums have a lane for each element of a register, and are off no more than those above.
struct DotsF64 {
  const double* a = nullptr;
  size_t a_row = 0;
  const double* w = nullptr;
  size_t k = 0;
  double* c = nullptr;
  size_t ldc = 0;
};

struct GemmF64Kernels {
  // Rows [m0, m1) and panels [p0, p1) of C.
  void (*tile)(const GemmF64& gemm, size_t m0, size_t m1, size_t p0, size_t p1);
  void (*squares)(const GemmF64& gemm, size_t m0, size_t m1, size_t p0, size_t p1);
  // Rows [m0, m1).
  void (*dots)(const DotsF64& op, size_t m0, size_t m1);
};

const GemmF64Kernels& gemm_f64_kernels(Isa isa);

const GemmF64Kernels& gemm_f64_generic();
#if ORTC_ARITH_X86
const GemmF64Kernels& gemm_f64_avx2();    // only on a CPU that has it
const GemmF64Kernels& gemm_f64_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
