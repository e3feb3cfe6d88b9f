// SPDX-License-Identifier: MIT
// Conversions that a compiler does not make vectors of by itself: the processor's own truncation
// does what element.h says of floats that do not fit. SSE2 alone, which every x86-64 has.
#pragma once

#include "providers/cpu/elements/element.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ortc::cpu {

// y[i] = convert<To>(x[i]) for the first so many of n, which it returns; 0 where nothing is
// quicker than one by one.
template <typename From, typename To>
int64_t convert_quickly(const From*, To*, int64_t) {
  return 0;
}

#if defined(__SSE2__)

namespace convert_x86 {

// 16 floats or doubles as 32-bit integers; what does not fit is INT32_MIN.
struct Ints16 {
  __m128i part[4];
  explicit Ints16(const float* x) {
    for (int i = 0; i < 4; ++i) part[i] = _mm_cvttps_epi32(_mm_loadu_ps(x + 4 * i));
  }
  explicit Ints16(const double* x) {
    const auto two = [&](int i) { return _mm_cvttpd_epi32(_mm_loadu_pd(x + 2 * i)); };
    for (int i = 0; i < 4; ++i) part[i] = _mm_unpacklo_epi64(two(2 * i), two(2 * i + 1));
  }
};

inline void store(void* to, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(to), v); }
inline __m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

// The low 16 bits of two parts.
inline __m128i low_words(__m128i a, __m128i b) {
  const auto sign_extended = [](__m128i v) { return _mm_srai_epi32(_mm_slli_epi32(v, 16), 16); };
  return _mm_packs_epi32(sign_extended(a), sign_extended(b));
}

template <typename From>
int64_t to_ints(const From* x, int32_t* y, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const Ints16 v(x + i);
    for (int k = 0; k < 4; ++k) store(y + i + 4 * k, v.part[k]);
  }
  return i;
}

template <typename From, typename To>
int64_t to_words(const From* x, To* y, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const Ints16 v(x + i);
    store(y + i, low_words(v.part[0], v.part[1]));
    store(y + i + 8, low_words(v.part[2], v.part[3]));
  }
  return i;
}

template <typename From, typename To>
int64_t to_bytes(const From* x, To* y, int64_t n) {
  const __m128i low = _mm_set1_epi32(0xFF);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    Ints16 v(x + i);
    for (__m128i& part : v.part) part = _mm_and_si128(part, low);
    store(y + i, _mm_packus_epi16(_mm_packs_epi32(v.part[0], v.part[1]),
                                  _mm_packs_epi32(v.part[2], v.part[3])));
  }
  return i;
}

// What is not negative and does not fit is truncated 2^63 lower. Of what does not fit even then and
// of negative numbers, that gives the sign's bit, which is there already.
inline uint64_t to_unsigned(double x) {
  const int64_t low = _mm_cvttsd_si64(_mm_set_sd(x));
  const int64_t high = _mm_cvttsd_si64(_mm_set_sd(x - 0x1p63));
  return static_cast<uint64_t>(low) | static_cast<uint64_t>(high & (low >> 63));
}

}  // namespace convert_x86

#define ORTC_QUICK_CASTS(From)                                             \
  inline int64_t convert_quickly(const From* x, int32_t* y, int64_t n) {   \
    return convert_x86::to_ints(x, y, n);                                  \
  }                                                                        \
  inline int64_t convert_quickly(const From* x, int16_t* y, int64_t n) {   \
    return convert_x86::to_words(x, y, n);                                 \
  }                                                                        \
  inline int64_t convert_quickly(const From* x, uint16_t* y, int64_t n) {  \
    return convert_x86::to_words(x, y, n);                                 \
  }                                                                        \
  inline int64_t convert_quickly(const From* x, int8_t* y, int64_t n) {    \
    return convert_x86::to_bytes(x, y, n);                                 \
  }                                                                        \
  inline int64_t convert_quickly(const From* x, uint8_t* y, int64_t n) {   \
    return convert_x86::to_bytes(x, y, n);                                 \
  }                                                                        \
  inline int64_t convert_quickly(const From* x, uint64_t* y, int64_t n) {  \
    for (int64_t i = 0; i < n; ++i) y[i] = convert_x86::to_unsigned(x[i]); \
    return n;                                                              \
  }
ORTC_QUICK_CASTS(float)
ORTC_QUICK_CASTS(double)
#undef ORTC_QUICK_CASTS

inline int64_t convert_quickly(const float* x, int64_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = _mm_cvttss_si64(_mm_set_ss(x[i]));
  return n;
}
inline int64_t convert_quickly(const float* x, uint32_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<uint32_t>(_mm_cvttss_si64(_mm_set_ss(x[i])));
  }
  return n;
}
inline int64_t convert_quickly(const double* x, uint32_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<uint32_t>(_mm_cvttsd_si64(_mm_set_sd(x[i])));
  }
  return n;
}
inline int64_t convert_quickly(const double* x, int64_t* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = _mm_cvttsd_si64(_mm_set_sd(x[i]));
  return n;
}

// Not zero, NaN too.
inline int64_t convert_quickly(const float* x, Bool8* y, int64_t n) {
  const __m128 zero = _mm_setzero_ps();
  const auto differs = [&](const float* from) {
    return _mm_castps_si128(_mm_cmpneq_ps(_mm_loadu_ps(from), zero));
  };
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m128i a = _mm_packs_epi32(differs(x + i), differs(x + i + 4));
    const __m128i b = _mm_packs_epi32(differs(x + i + 8), differs(x + i + 12));
    convert_x86::store(y + i, _mm_and_si128(_mm_packs_epi16(a, b), _mm_set1_epi8(1)));
  }
  return i;
}

inline int64_t convert_quickly(const double* x, Bool8* y, int64_t n) {
  const __m128d zero = _mm_setzero_pd();
  const auto four = [&](const double* from) {
    const __m128 a = _mm_castpd_ps(_mm_cmpneq_pd(_mm_loadu_pd(from), zero));
    const __m128 b = _mm_castpd_ps(_mm_cmpneq_pd(_mm_loadu_pd(from + 2), zero));
    return _mm_castps_si128(_mm_shuffle_ps(a, b, 0x88));
  };
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m128i a = _mm_packs_epi32(four(x + i), four(x + i + 4));
    const __m128i b = _mm_packs_epi32(four(x + i + 8), four(x + i + 12));
    convert_x86::store(y + i, _mm_and_si128(_mm_packs_epi16(a, b), _mm_set1_epi8(1)));
  }
  return i;
}

#endif

}  // namespace ortc::cpu
