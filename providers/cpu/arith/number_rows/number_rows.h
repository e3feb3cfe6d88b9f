// SPDX-License-Identifier: MIT
// Rows of numbers of one type as another, rows of integers added, subtracted and multiplied,
// the smaller or the larger ones of two rows, and a row of integers times a matrix.
// Integers wrap around; conversions are those of elements/element.h. All are exact, or rounded once
// where an integer becomes a float, and an element does not depend on its place in the row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

struct NumberRowsKernels {
  // Of n numbers; `from` and `to` do not overlap. Null where the level has no instruction for it.
  using Convert = void (*)(const void* from, void* to, int64_t n);
  Convert i32_to_f32, i64_to_f32, f32_to_i32, f32_to_i64, i64_to_i32, i32_to_i64;

  // y[i] = a[i] and b[i] joined; an operand that stands still has one element. y may be an operand
  // that moves. Signed integers have the same bits.
  template <typename T>
  using Join = void (*)(const T* a, bool a_moves, const T* b, bool b_moves, T* y, size_t n);
  template <typename T>
  struct Arithmetic {
    Join<T> add, subtract, multiply;
    // y[j] = sum of a[i a_step] b[i b_row + j] over i < k, for j < n.
    void (*product)(const T* a, size_t a_step, const T* b, size_t b_row, size_t k, T* y, size_t n);
  };
  Arithmetic<uint32_t> u32;
  Arithmetic<uint64_t> u64;
  template <typename T>
  struct Extremes {
    Join<T> smaller, larger;
  };
  Extremes<int32_t> i32;
  Extremes<int64_t> i64;
};

const NumberRowsKernels& number_rows_kernels(Isa isa);

const NumberRowsKernels& number_rows_generic();
#if ORTC_ARITH_X86
const NumberRowsKernels& number_rows_avx2();    // only on a CPU that has it
const NumberRowsKernels& number_rows_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
