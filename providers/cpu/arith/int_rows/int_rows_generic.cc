// SPDX-License-Identifier: MIT
// Rows of integers in plain C++.

#include "providers/cpu/arith/int_rows/int_rows.h"
#include "providers/cpu/arith/simd/simd_generic.h"

namespace ortc::cpu {
namespace {

Simd::R load_halves(const uint8_t* p) {
  const Simd::I v = {p[0] & 15, p[0] >> 4, p[1] & 15, p[1] >> 4};
  return __builtin_convertvector(v - 8, Simd::R);
}

}  // namespace
}  // namespace ortc::cpu

#include "providers/cpu/arith/int_rows/int_rows.inc"

namespace ortc::cpu {

const IntRowKernels& int_rows_generic(int bits) { return int_rows_of(bits); }

}  // namespace ortc::cpu
