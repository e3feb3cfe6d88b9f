// SPDX-License-Identifier: MIT
// Rows of integers of 8 or 4 bits that change from run to run, as caches of attention have them:
// read as they lie and widened in registers, in products with floats.
//
//   8 bits   int8, one to a byte
//   4 bits   two to a byte, the number + 8: even columns in the low half. Behind an odd number of
//            columns stands an 8, which counts for nothing
//
// Rows follow each other without gaps. Scales are the caller's business: on the floats, before a
// `dot` and after a `sum`. A result is off by int_rows_error(terms) (bounds.h) times the sum of its
// terms' sizes at most.
#pragma once

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

[[gnu::always_inline]] constexpr size_t int_row_bytes(int bits, size_t columns) {
  return bits == 4 ? (columns + 1) / 2 : columns;
}

struct IntRowsF32 {
  const float* x = nullptr;  // row-major, `ldx` floats from row to row
  size_t ldx = 0;
  size_t m = 0;                   // rows of x and y
  const uint8_t* rows = nullptr;  // row 0 of the integers
  size_t columns = 0;
  float* y = nullptr;  // row-major, `ldy` floats from row to row; overlaps no input
  size_t ldy = 0;
};

struct IntRowKernels {
  // y[i, n] = x[i, :] . rows[n, :] for i < m and n in [n0, n1). Same bits however m and n are
  // divided.
  void (*dot)(const IntRowsF32& op, size_t n0, size_t n1);
  // y[i, :] = sum of x[i, n] rows[n, :] over n in [n0, n1), of which there is one at least. Same
  // bits however m is divided.
  void (*sum)(const IntRowsF32& op, size_t n0, size_t n1);
  // y[c] = row[c] for c < columns.
  void (*widen)(const uint8_t* row, size_t columns, float* y);
};

const IntRowKernels& int_row_kernels(Isa isa, int bits);

// row[c] = clamp(round(x[c] / scales[c * step])), ties to even, a step of 0 being one scale for
// all. The quotient is a product with 1 / scale, a scale of 0 counts as 1; NaN gives the least.
void quantise_int_row(const float* x, const float* scales, size_t step, size_t columns, int bits,
                      uint8_t* row);

const IntRowKernels& int_rows_generic(int bits);
#if ORTC_ARITH_X86
const IntRowKernels& int_rows_avx2(int bits);    // only on a CPU that has it
const IntRowKernels& int_rows_avx512(int bits);  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
