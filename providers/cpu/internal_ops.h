// SPDX-License-Identifier: MIT
// The inputs of the operators of kInternalDomain, which only lowering makes: fusions write them,
// kernels read them (docs/design/internal-operators.md says what they compute).
#pragma once

#include <cstddef>

namespace ortc::cpu {

// Gemm and Conv: float32, by constants of float32, float16 or bfloat16; Gemm's of int8 too.
struct ProductInput {
  enum : size_t {
    kA,            // or X
    kB,            // or W: constant
    kBias,         // one number a column or channel
    kResidual,     // of the output's shape
    kColumnScale,  // where B is int8: one number a column
    kCount
  };
};

// QGemm and QConv: 8-bit numbers by constant 8-bit weights.
struct QProductInput {
  enum : size_t {
    kA,         // or X
    kB,         // or W: constant
    kAZero,     // one number
    kBZero,     // one number, or one a column: constant
    kScale,     // of the sums, one number or one a column; without it the result is int32
    kAScale,    // one number that multiplies the scale
    kBiasI32,   // added to the sums
    kBiasF32,   // added to the scaled sums
    kResidual,  // of the output's shape, float32
    kYZero,     // with it the result is rounded to 8 bits
    kCount
  };
};

}  // namespace ortc::cpu
