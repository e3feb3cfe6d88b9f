// SPDX-License-Identifier: MIT
// y[i] = table[x[i]] for a table of 256 bytes, with AVX2: sixteen tables of 16. A byte whose upper
// half names another table gets its top bit set by the saturating sum, and a shuffle gives 0 then.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {
namespace {

void look_up(const uint8_t* x, const uint8_t* table, uint8_t* y, size_t n) {
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    const auto* from = reinterpret_cast<const __m256i*>(x + i);
    const __m256i a = _mm256_loadu_si256(from), b = _mm256_loadu_si256(from + 1);
    __m256i sum_a = _mm256_setzero_si256(), sum_b = sum_a;
    for (int t = 0; t < 16; ++t) {
      const __m256i part = _mm256_broadcastsi128_si256(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * t)));
      const __m256i which = _mm256_set1_epi8(static_cast<char>(16 * t));
      const __m256i others = _mm256_set1_epi8(0x70);
      const __m256i at_a = _mm256_adds_epu8(_mm256_xor_si256(a, which), others);
      const __m256i at_b = _mm256_adds_epu8(_mm256_xor_si256(b, which), others);
      sum_a = _mm256_or_si256(sum_a, _mm256_shuffle_epi8(part, at_a));
      sum_b = _mm256_or_si256(sum_b, _mm256_shuffle_epi8(part, at_b));
    }
    auto* to = reinterpret_cast<__m256i*>(y + i);
    _mm256_storeu_si256(to, sum_a);
    _mm256_storeu_si256(to + 1, sum_b);
  }
  for (; i < n; ++i) y[i] = table[x[i]];
}

}  // namespace
}  // namespace ortc::cpu
