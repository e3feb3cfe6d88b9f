// SPDX-License-Identifier: MIT
// Rows of stored floats (float16, bfloat16) as rows of float and back, for kernels that compute in
// float. Conversion rounds to nearest even.
#pragma once

#include "providers/cpu/elements/element.h"

namespace ortc::cpu {

// What a kernel converts at a time, in a buffer on its stack.
inline constexpr int64_t kFloatRow = 512;

void widen(const Float16* from, int64_t n, float* to);
void widen(const Bfloat16* from, int64_t n, float* to);
void narrow(const float* from, int64_t n, Float16* to);
void narrow(const float* from, int64_t n, Bfloat16* to);

}  // namespace ortc::cpu
