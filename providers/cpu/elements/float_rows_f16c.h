// SPDX-License-Identifier: MIT
// float16 conversions for processors with AVX2 and F16C; defined on x86-64 only.
#pragma once

#include <cstdint>

namespace ortc::cpu {

void widen_f16c(const uint16_t* from, int64_t n, float* to);
void narrow_f16c(const float* from, int64_t n, uint16_t* to);
// On processors with AVX-512 too.
void widen_avx512(const uint16_t* from, int64_t n, float* to);
void narrow_avx512(const float* from, int64_t n, uint16_t* to);

}  // namespace ortc::cpu
