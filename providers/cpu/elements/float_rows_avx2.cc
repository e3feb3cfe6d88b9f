// SPDX-License-Identifier: MIT
// Conversion between float16 and float by the processor (F16C); the same numbers as in plain
// C++, signalling NaN become quiet.
#include "providers/cpu/elements/float_rows_f16c.h"

#if defined(__F16C__)
#include <immintrin.h>

#include <cstring>

namespace ortc::cpu {

void widen_f16c(const uint16_t* from, int64_t n, float* to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
  }
  if (i == n) return;
  uint16_t rest[8] = {};
  float wide[8];
  std::memcpy(rest, from + i, static_cast<size_t>(n - i) * sizeof(uint16_t));
  _mm256_storeu_ps(wide, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<__m128i*>(rest))));
  std::memcpy(to + i, wide, static_cast<size_t>(n - i) * sizeof(float));
}

void narrow_f16c(const float* from, int64_t n, uint16_t* to) {
  constexpr int kToNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), kToNearest);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), half);
  }
  if (i == n) return;
  float rest[8] = {};
  uint16_t half[8];
  std::memcpy(rest, from + i, static_cast<size_t>(n - i) * sizeof(float));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(half),
                   _mm256_cvtps_ph(_mm256_loadu_ps(rest), kToNearest));
  std::memcpy(to + i, half, static_cast<size_t>(n - i) * sizeof(uint16_t));
}

}  // namespace ortc::cpu
#endif
