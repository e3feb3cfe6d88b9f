// SPDX-License-Identifier: MIT
// Floats of 8 and 4 bits, as codes. A value is decoded exactly, and encoded with one rounding.
//
//                 exponent  mantissa  bias  largest   infinity  NaN           -0
//   float8e4m3fn      4         3       7       448       -      7f, ff        80
//   float8e4m3fnuz    4         3       8       240       -      80            -
//   float8e5m2        5         2      15     57344   7c, fc     7d-7f, fd-ff  80
//   float8e5m2fnuz    5         2      16     57344       -      80            -
//   float4e2m1        2         1       1         6       -      -             8
//   float8e8m0        8         0     127     2^127       -      ff            -   (no sign, no 0)
#pragma once

#include "core/base/dtype.h"

namespace ortc::cpu {

inline constexpr TypeMask kSmallFloats =
    mask_of(DType::kFloat8E4M3Fn, DType::kFloat8E4M3FnUz, DType::kFloat8E5M2,
            DType::kFloat8E5M2FnUz, DType::kFloat8E8M0, DType::kFloat4E2M1);

// Where a number goes that lies between two powers of two: of float8e8m0 only.
enum class PowerRounding : uint8_t { kUp = 0, kDown = 1, kNearest = 2 };  // nearest: ties go up

// What encoding leaves open. The defaults are those of the Cast operator.
struct SmallFloatRules {
  // What is too large becomes the largest number; else infinity, or NaN where there is none.
  // float4e2m1 always does.
  bool saturate = true;
  // Of the types "uz", whatever `saturate` says: an infinity becomes NaN. Before opset 24.
  bool infinity_is_nan = false;
  PowerRounding rounding = PowerRounding::kUp;
};

// The values of all 256 codes of an 8-bit type, or of the 16 codes of float4e2m1.
const float* small_float_values(DType dtype);

// The codes of n numbers, a byte for each: rounded to nearest, ties to even. NaN is kept with its
// sign where the type has it; float4e2m1, which has none, gets -0 as ONNX's published cases have
// it. Of float8e8m0: 0 and what is smaller than 2^-127 become 2^-127, without `saturate` NaN; NaN
// is what a negative number gives.
void small_float_codes(DType dtype, const SmallFloatRules& rules, const double* from, int64_t n,
                       uint8_t* to);

}  // namespace ortc::cpu
