// SPDX-License-Identifier: MIT
// Rows of integers for AVX2.
// No headers of the standard library that define inline functions are included, so that nothing
// compiled for this instruction set can be merged into code that runs on lesser CPUs.

#include "providers/cpu/arith/int_rows/int_rows.h"

#if ORTC_ARITH_X86

#include "providers/cpu/arith/simd/simd_avx2.h"

namespace ortc::cpu {
namespace {

// Each byte's halves in two bytes of their own: the upper one is moved up by four more bits.
Simd::R load_halves(const uint8_t* p) {
  int32_t four;
  __builtin_memcpy(&four, p, sizeof four);
  const __m128i pairs = _mm_cvtepu8_epi16(_mm_cvtsi32_si128(four));
  const __m128i apart =
      _mm_and_si128(_mm_or_si128(pairs, _mm_slli_epi16(pairs, 4)), _mm_set1_epi16(0x0F0F));
  const __m256i numbers = _mm256_cvtepi8_epi32(_mm_sub_epi8(apart, _mm_set1_epi8(8)));
  return _mm256_cvtepi32_ps(numbers);
}

}  // namespace
}  // namespace ortc::cpu

#include "providers/cpu/arith/int_rows/int_rows.inc"

namespace ortc::cpu {

const IntRowKernels& int_rows_avx2(int bits) { return int_rows_of(bits); }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
