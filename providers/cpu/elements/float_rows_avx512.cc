// SPDX-License-Identifier: MIT
// Conversion between float16 and float, sixteen at a time; the same numbers as elsewhere,
// signalling NaN become quiet. What is behind the end is neither read nor written.
#include "providers/cpu/elements/float_rows_f16c.h"

#if defined(__AVX512BW__) && defined(__AVX512VL__)
// As in simd_avx512.h.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace ortc::cpu {
namespace {

constexpr int64_t kLanes = 16;

__mmask16 first(int64_t n) { return static_cast<__mmask16>((uint32_t{1} << n) - 1); }

}  // namespace

void widen_avx512(const uint16_t* from, int64_t n, float* to) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    _mm512_storeu_ps(to + i, _mm512_cvtph_ps(half));
  }
  if (i == n) return;
  const __mmask16 rest = first(n - i);
  _mm512_mask_storeu_ps(to + i, rest, _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(rest, from + i)));
}

void narrow_avx512(const float* from, int64_t n, uint16_t* to) {
  constexpr int kToNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const __m256i half = _mm512_cvtps_ph(_mm512_loadu_ps(from + i), kToNearest);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), half);
  }
  if (i == n) return;
  const __mmask16 rest = first(n - i);
  const __m256i half = _mm512_cvtps_ph(_mm512_maskz_loadu_ps(rest, from + i), kToNearest);
  _mm256_mask_storeu_epi16(to + i, rest, half);
}

}  // namespace ortc::cpu
#endif
