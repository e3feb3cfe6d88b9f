// SPDX-License-Identifier: MIT
// What pairs.inc needs of AVX2.
#pragma once

#define ORTC_HAS_WHOLE_PAIRS

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {
namespace {

// Unpacking and packing go by groups of 16 bytes.
struct Pairs {
  using Ints = __m256i;
  using Floats = __m256;
  static constexpr size_t kBytes = 32;

  static Ints load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static void store(void* p, Ints v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
  static Ints set_bytes(int32_t v) { return _mm256_set1_epi8(static_cast<char>(v)); }
  static Ints set_words(int32_t v) { return _mm256_set1_epi16(static_cast<int16_t>(v)); }
  static Floats set(float v) { return _mm256_set1_ps(v); }
  static Ints flip(Ints a, Ints b) { return _mm256_xor_si256(a, b); }
  static Ints low_bytes(Ints a, Ints b) { return _mm256_unpacklo_epi8(a, b); }
  static Ints high_bytes(Ints a, Ints b) { return _mm256_unpackhi_epi8(a, b); }
  static Ints low_words(Ints a, Ints b) { return _mm256_unpacklo_epi16(a, b); }
  static Ints high_words(Ints a, Ints b) { return _mm256_unpackhi_epi16(a, b); }
  static Floats as_floats(Ints v) { return _mm256_castsi256_ps(v); }
  static Floats add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
  static Floats sub(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
  static Floats mul(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Floats min(Floats a, Floats b) { return _mm256_min_ps(a, b); }
  static Ints rounded(Floats v) { return _mm256_cvtps_epi32(v); }
  static Ints add_words(Ints a, Ints b) { return _mm256_adds_epi16(a, b); }
  static Ints pack_ints(Ints a, Ints b) { return _mm256_packs_epi32(a, b); }
  static Ints pack_words(Ints a, Ints b, bool is_signed) {
    return is_signed ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b);
  }
  static Ints max_bytes(Ints a, Ints b, bool is_signed) {
    return is_signed ? _mm256_max_epi8(a, b) : _mm256_max_epu8(a, b);
  }
};

}  // namespace
}  // namespace ortc::cpu
