// SPDX-License-Identifier: MIT
// What pairs.inc needs of AVX-512.
#pragma once

#define ORTC_HAS_WHOLE_PAIRS

// As in simd_avx512.h.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {
namespace {

// Unpacking and packing go by groups of 16 bytes.
struct Pairs {
  using Ints = __m512i;
  using Floats = __m512;
  static constexpr size_t kBytes = 64;

  static Ints load(const void* p) { return _mm512_loadu_si512(p); }
  static void store(void* p, Ints v) { _mm512_storeu_si512(p, v); }
  static Ints set_bytes(int32_t v) { return _mm512_set1_epi8(static_cast<char>(v)); }
  static Ints set_words(int32_t v) { return _mm512_set1_epi16(static_cast<int16_t>(v)); }
  static Floats set(float v) { return _mm512_set1_ps(v); }
  static Ints flip(Ints a, Ints b) { return _mm512_xor_si512(a, b); }
  static Ints low_bytes(Ints a, Ints b) { return _mm512_unpacklo_epi8(a, b); }
  static Ints high_bytes(Ints a, Ints b) { return _mm512_unpackhi_epi8(a, b); }
  static Ints low_words(Ints a, Ints b) { return _mm512_unpacklo_epi16(a, b); }
  static Ints high_words(Ints a, Ints b) { return _mm512_unpackhi_epi16(a, b); }
  static Floats as_floats(Ints v) { return _mm512_castsi512_ps(v); }
  static Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
  static Floats sub(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
  static Floats mul(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
  static Floats min(Floats a, Floats b) { return _mm512_min_ps(a, b); }
  static Ints rounded(Floats v) { return _mm512_cvtps_epi32(v); }
  static Ints add_words(Ints a, Ints b) { return _mm512_adds_epi16(a, b); }
  static Ints pack_ints(Ints a, Ints b) { return _mm512_packs_epi32(a, b); }
  static Ints pack_words(Ints a, Ints b, bool is_signed) {
    return is_signed ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
  }
  static Ints max_bytes(Ints a, Ints b, bool is_signed) {
    return is_signed ? _mm512_max_epi8(a, b) : _mm512_max_epu8(a, b);
  }
};

}  // namespace
}  // namespace ortc::cpu
