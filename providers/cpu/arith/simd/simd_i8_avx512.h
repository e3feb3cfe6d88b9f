// SPDX-License-Identifier: MIT
// Sixteen int32 sums of u8 by s8 products for the int8 bodies (*_i8.inc), with VNNI where the file
// is compiled for it, else with 16-bit products, which are exact too. Comes after simd_avx512.h.
#pragma once

#define ORTC_HAS_SIMD_I8

#include "providers/cpu/arith/simd/simd_avx512.h"

namespace ortc::cpu {
namespace {

struct SimdI8 {
  using R = __m512i;
  static constexpr size_t kLanes = 16;
  static constexpr int32_t kShift = 0;
  static constexpr bool kHalves = false;
#if defined(__AVX512VNNI__)
  static constexpr size_t kTileRows = 12;
  static constexpr bool kDeep = true;  // few rows need several sums in flight
  using A = __m512i;
  using B = __m512i;
  static A set_a(const uint8_t* p) {
    int32_t quad;
    __builtin_memcpy(&quad, p, 4);
    return _mm512_set1_epi32(quad);
  }
  static B load_b(const int8_t* p) { return _mm512_loadu_si512(p); }
  static R dot(R sum, A a, B b) { return _mm512_dpbusd_epi32(sum, a, b); }
  using Quads = __m512i;
  static Quads load_quads(const uint8_t* p) { return _mm512_loadu_si512(p); }
#else
  static constexpr size_t kTileRows = 8;
  static constexpr bool kDeep = false;
  // Bytes 0 and 2 of each quad, and bytes 1 and 3, as 16-bit numbers.
  struct Pair {
    __m512i even, odd;
  };
  using A = Pair;
  using B = Pair;
  static A set_a(const uint8_t* p) {
    int32_t quad;
    __builtin_memcpy(&quad, p, 4);
    const __m512i all = _mm512_set1_epi32(quad);
    return {_mm512_and_si512(all, _mm512_set1_epi16(0xFF)), _mm512_srli_epi16(all, 8)};
  }
  static B load_b(const int8_t* p) {
    const __m512i all = _mm512_loadu_si512(p);
    return {_mm512_srai_epi16(_mm512_slli_epi16(all, 8), 8), _mm512_srai_epi16(all, 8)};
  }
  using Quads = Pair;
  static Quads load_quads(const uint8_t* p) {
    const __m512i all = _mm512_loadu_si512(p);
    return {_mm512_and_si512(all, _mm512_set1_epi16(0xFF)), _mm512_srli_epi16(all, 8)};
  }
  static R dot(R sum, A a, B b) {
    return _mm512_add_epi32(
        sum, _mm512_add_epi32(_mm512_madd_epi16(a.even, b.even), _mm512_madd_epi16(a.odd, b.odd)));
  }
#endif
  // to[4 j + i] = from[i][j] for kLanes places j.
  static void interleave(const uint8_t* const (&from)[4], uint8_t* to) {
    const auto load = [&](size_t i) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from[i]));
    };
    const __m256i ab = _mm256_inserti128_si256(_mm256_castsi128_si256(load(0)), load(1), 1);
    const __m256i cd = _mm256_inserti128_si256(_mm256_castsi128_si256(load(2)), load(3), 1);
    const __m512i all = _mm512_inserti64x4(_mm512_castsi256_si512(ab), cd, 1);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_storeu_si512(to, turn_quads(_mm512_permutexvar_epi32(order, all)));
  }
  // The same for twice as many places.
  static void interleave_pair(const uint8_t* const (&from)[4], uint8_t* to) {
    const auto load = [&](size_t i) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from[i]));
    };
    const __m512i ab = _mm512_inserti64x4(_mm512_castsi256_si512(load(0)), load(1), 1);
    const __m512i cd = _mm512_inserti64x4(_mm512_castsi256_si512(load(2)), load(3), 1);
    const __m512i order =
        _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    const __m512i next = _mm512_add_epi32(order, _mm512_set1_epi32(4));
    _mm512_storeu_si512(to, turn_quads(_mm512_permutex2var_epi32(ab, order, cd)));
    _mm512_storeu_si512(to + 64, turn_quads(_mm512_permutex2var_epi32(ab, next, cd)));
  }
  // Squares of four by four bytes, turned.
  static R turn_quads(R v) {
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2,
                                                                       6, 10, 14, 3, 7, 11, 15)));
  }
  static R zero() { return _mm512_setzero_si512(); }
  static R set(int32_t v) { return _mm512_set1_epi32(v); }
  static R load(const int32_t* p) { return _mm512_loadu_si512(p); }
  static void store(int32_t* p, R v) { _mm512_storeu_si512(p, v); }
  static R add(R a, R b) { return _mm512_add_epi32(a, b); }
  static R sub(R a, R b) { return _mm512_sub_epi32(a, b); }
  static R mul(R a, R b) { return _mm512_mullo_epi32(a, b); }
  static Simd::R to_float(R v) { return _mm512_cvtepi32_ps(v); }
  static R round(Simd::R v) { return _mm512_cvtps_epi32(v); }
  // The low bytes of the lanes.
  static void store_bytes(uint8_t* p, R v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(v));
  }
  // Stores the first n lanes, 1 to kLanes of them, which costs no more than to store all.
  static constexpr bool kMasks = true;
  struct Columns {
    __mmask16 lanes;
    explicit Columns(size_t n) : lanes(static_cast<__mmask16>(0xFFFFu >> (kLanes - n))) {}
    void store(int32_t* p, R v) const { _mm512_mask_storeu_epi32(p, lanes, v); }
    void store_bytes(uint8_t* p, R v) const {
      _mm_mask_storeu_epi8(p, lanes, _mm512_cvtepi32_epi8(v));
    }
  };
  static void store_n(int32_t* p, R v, size_t n) { Columns(n).store(p, v); }
  // What to_bytes() needs of a result of 8 bits, of which 17 to 32 columns are there.
  static constexpr bool kHasPairs = true;
  struct Bytes {
    __m512i zero, lo;
    __mmask32 columns;
    bool is_signed;
    Bytes(int32_t zero_point, int32_t least, bool is_int8, size_t column_count)
        : zero(_mm512_set1_epi16(static_cast<int16_t>(zero_point))),
          lo(_mm512_set1_epi8(static_cast<int8_t>(least))),
          columns(0xFFFFFFFFu >> (2 * kLanes - column_count)),
          is_signed(is_int8) {}
  };
  // Two rows of 32 numbers, to which the zero point is added; those below `lo` become it.
  static void store_two_rows(uint8_t* first, uint8_t* second, const R (&a)[2], const R (&b)[2],
                             const Bytes& to) {
    const __m512i x = _mm512_adds_epi16(_mm512_packs_epi32(a[0], a[1]), to.zero);
    const __m512i y = _mm512_adds_epi16(_mm512_packs_epi32(b[0], b[1]), to.zero);
    const __m512i bytes = to.is_signed ? _mm512_max_epi8(_mm512_packs_epi16(x, y), to.lo)
                                       : _mm512_max_epu8(_mm512_packus_epi16(x, y), to.lo);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i rows = _mm512_permutexvar_epi32(order, bytes);
    _mm256_mask_storeu_epi8(first, to.columns, _mm512_castsi512_si256(rows));
    _mm256_mask_storeu_epi8(second, to.columns, _mm512_extracti64x4_epi64(rows, 1));
  }
  static void pin([[maybe_unused]] R& v) {
#if defined(__clang__)
    asm volatile("" : "+v"(v) : : "memory");
#endif
  }
};

}  // namespace
}  // namespace ortc::cpu
