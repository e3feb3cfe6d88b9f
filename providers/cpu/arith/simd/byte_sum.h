// SPDX-License-Identifier: MIT
// The sum of bytes without a sign, by what every processor of its kind has: compilers add them one
// by one.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace ortc::cpu {
namespace {

// The sum of all that was added, modulo 2^32.
class ByteSum {
 public:
  [[gnu::always_inline]] void add(const uint8_t* x, size_t n) {
    size_t i = 0;
#if defined(__SSE2__)
    const __m128i zero = _mm_setzero_si128();
    for (; i + 16 <= n; i += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
      sixteen_ = _mm_add_epi64(sixteen_, _mm_sad_epu8(bytes, zero));
    }
    if (i + 8 <= n) {
      const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x + i));
      sixteen_ = _mm_add_epi64(sixteen_, _mm_sad_epu8(bytes, zero));
      i += 8;
    }
    if (i + 4 <= n) {
      int four;
      __builtin_memcpy(&four, x + i, sizeof four);
      sixteen_ = _mm_add_epi64(sixteen_, _mm_sad_epu8(_mm_cvtsi32_si128(four), zero));
      i += 4;
    }
#elif defined(__aarch64__)
    for (; i + 16 <= n; i += 16) {
      sixteen_ = vpadalq_u16(sixteen_, vpaddlq_u8(vld1q_u8(x + i)));
    }
#endif
    for (; i < n; ++i) rest_ += x[i];
  }

  [[gnu::always_inline]] uint32_t total() const {
#if defined(__SSE2__)
    const __m128i halves = _mm_add_epi64(sixteen_, _mm_unpackhi_epi64(sixteen_, sixteen_));
    return rest_ + static_cast<uint32_t>(_mm_cvtsi128_si32(halves));
#elif defined(__aarch64__)
    return rest_ + vaddvq_u32(sixteen_);
#else
    return rest_;
#endif
  }

 private:
#if defined(__SSE2__)
  __m128i sixteen_ = _mm_setzero_si128();
#elif defined(__aarch64__)
  uint32x4_t sixteen_ = vdupq_n_u32(0);
#endif
  uint32_t rest_ = 0;
};

}  // namespace
}  // namespace ortc::cpu
