// SPDX-License-Identifier: MIT
// Sums and products of two rows of 8-bit numbers with AVX-512, 64 at a time (binary_row() of
// quant.inc says what they are). A byte below the bits of 2^23 is a float: its zero point is
// subtracted together with 2^23. Packing undoes the order in which unpacking leaves the numbers,
// and saturates what is too small, NaN among it, which is converted to the least.
#pragma once

#define ORTC_HAS_WHOLE_PAIRS

// As in simd_avx512.h.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "providers/cpu/arith/quant/quant.h"

namespace ortc::cpu {
namespace {

struct FloatsOf64 {
  __m512 part[4];
};

// bytes - zero, exact
[[gnu::always_inline]] inline FloatsOf64 floats_of(__m512i bytes, __m512 zero) {
  const __m512i none = _mm512_setzero_si512(), large = _mm512_set1_epi16(0x4B00);
  const __m512i low = _mm512_unpacklo_epi8(bytes, none);
  const __m512i high = _mm512_unpackhi_epi8(bytes, none);
  const auto less = [&](__m512i v) { return _mm512_sub_ps(_mm512_castsi512_ps(v), zero); };
  return {{less(_mm512_unpacklo_epi16(low, large)), less(_mm512_unpackhi_epi16(low, large)),
           less(_mm512_unpacklo_epi16(high, large)), less(_mm512_unpackhi_epi16(high, large))}};
}

// How many of n numbers are done.
template <typename T, bool kIsAdd>
size_t whole_pairs(const BinaryI8& op, const T* a, const T* b, T* y, size_t n) {
  constexpr bool kIsSigned = static_cast<T>(-1) < static_cast<T>(0);
  constexpr int32_t kMore = kIsSigned ? 128 : 0;  // signed bytes are flipped to unsigned ones
  const __m512i flip = _mm512_set1_epi8(kIsSigned ? -128 : 0);
  const __m512 a_zero = _mm512_set1_ps(static_cast<float>((1 << 23) + op.a_zero + kMore));
  const __m512 b_zero = _mm512_set1_ps(static_cast<float>((1 << 23) + op.b_zero + kMore));
  const __m512 a_factor = _mm512_set1_ps(op.a_factor), b_factor = _mm512_set1_ps(op.b_factor);
  const __m512 hi = _mm512_set1_ps(static_cast<float>(op.hi - op.zero));
  const __m512i zero = _mm512_set1_epi16(static_cast<int16_t>(op.zero));
  const __m512i lo = _mm512_set1_epi8(static_cast<char>(op.lo));
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    const FloatsOf64 p = floats_of(_mm512_xor_si512(_mm512_loadu_si512(a + i), flip), a_zero);
    const FloatsOf64 q = floats_of(_mm512_xor_si512(_mm512_loadu_si512(b + i), flip), b_zero);
    __m512i sums[4];
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; ++j) {
      const __m512 v = kIsAdd ? _mm512_add_ps(_mm512_mul_ps(p.part[j], a_factor),
                                              _mm512_mul_ps(q.part[j], b_factor))
                              : _mm512_mul_ps(_mm512_mul_ps(p.part[j], q.part[j]), a_factor);
      sums[j] = _mm512_cvtps_epi32(_mm512_min_ps(hi, v));
    }
    const __m512i low = _mm512_adds_epi16(_mm512_packs_epi32(sums[0], sums[1]), zero);
    const __m512i high = _mm512_adds_epi16(_mm512_packs_epi32(sums[2], sums[3]), zero);
    const __m512i bytes = kIsSigned ? _mm512_max_epi8(_mm512_packs_epi16(low, high), lo)
                                    : _mm512_max_epu8(_mm512_packus_epi16(low, high), lo);
    _mm512_storeu_si512(y + i, bytes);
  }
  return i;
}

}  // namespace
}  // namespace ortc::cpu
