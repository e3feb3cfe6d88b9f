// SPDX-License-Identifier: MIT
// Rows of truth values, a byte each, 1 or 0: comparisons of numbers, and what is made of two truth
// values. All are exact, and an element does not depend on its place in the row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

struct TruthRowsKernels {
  // y[i] = a[i] and b[i] compared; an operand that stands still has one element.
  template <typename T>
  using Compare = void (*)(const T* a, bool a_moves, const T* b, bool b_moves, uint8_t* y,
                           size_t n);
  template <typename T>
  struct Relations {
    Compare<T> equal, less, less_or_equal;
  };
  Relations<float> f32;
  Relations<double> f64;
  Relations<int32_t> i32;
  Relations<int64_t> i64;

  // Any byte but 0 is true; y may be an operand.
  Compare<uint8_t> both, either, one_alone;
};

const TruthRowsKernels& truth_rows_kernels(Isa isa);

const TruthRowsKernels& truth_rows_generic();
#if ORTC_ARITH_X86
const TruthRowsKernels& truth_rows_avx2();    // only on a CPU that has it
const TruthRowsKernels& truth_rows_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
