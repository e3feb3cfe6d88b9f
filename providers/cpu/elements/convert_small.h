// SPDX-License-Identifier: MIT
// Numbers as elements of the small types (floats of 8 and 4 bits, integers of 4 and 2) and back, as
// the Cast operator does it. Every small number is a float exactly.
//
// Floats become small integers by rounding to nearest, ties to even; of what does not fit, as of
// integers, the low bits are kept.
#pragma once

#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/small_floats.h"
#include "providers/cpu/elements/small_integers.h"

namespace ortc::cpu {

inline constexpr TypeMask kSmallTypes = kSmallFloats | kSubByteIntegers;

constexpr bool is_small(DType dtype) { return (mask_of(dtype) & kSmallTypes) != 0; }
constexpr bool is_small_float(DType dtype) { return (mask_of(dtype) & kSmallFloats) != 0; }

// Elements [at, at + n) of a tensor of a small type.
void small_to_floats(DType from, const void* data, int64_t at, int64_t n, float* to);

// The reverse; `at` begins a byte, and the rest of the last byte becomes 0. n is at most
// kSmallRow.
inline constexpr int64_t kSmallRow = 512;
void doubles_to_small(const double* from, int64_t n, DType to, const SmallFloatRules& rules,
                      void* data, int64_t at);
// The same from elements [from_at, from_at + n) of any number type (bool too).
void numbers_to_small(DType from_type, const void* from, int64_t from_at, int64_t n, DType to,
                      const SmallFloatRules& rules, void* data, int64_t at);

}  // namespace ortc::cpu
