// SPDX-License-Identifier: MIT
// Eight int32 sums of u8 by s8 products for the int8 bodies (*_i8.inc), with AVX-VNNI where the
// file is compiled for it, else by 16-bit products, which are exact too. Comes after simd_avx2.h.
#pragma once

#define ORTC_HAS_SIMD_I8

#include "providers/cpu/arith/simd/simd_avx2.h"

namespace ortc::cpu {
namespace {

struct SimdI8 {
  using R = __m256i;
  static constexpr size_t kLanes = 8;
  static constexpr int32_t kShift = 0;
#if defined(__AVXVNNI__)
  static constexpr size_t kTileRows = 6;
  static constexpr bool kDeep = true;  // few rows need several sums in flight
  static constexpr bool kHalves = false;
  using A = __m256i;
  using B = __m256i;
  static A set_a(const uint8_t* p) {
    int32_t quad;
    __builtin_memcpy(&quad, p, 4);
    return _mm256_set1_epi32(quad);
  }
  static B load_b(const int8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static R dot(R sum, A a, B b) { return _mm256_dpbusd_avx_epi32(sum, a, b); }
  // Quads of bytes of their own for each lane.
  using Quads = __m256i;
  static Quads load_quads(const uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
#else
  static constexpr size_t kTileRows = 4;
  static constexpr bool kDeep = false;
  // Of the products of half bytes (halves_i8.inc): a pair is 3840 at most, so this many quads stay
  // within 16 bits.
  static constexpr bool kHalves = true;
  static constexpr size_t kHalfSteps = 8;
  static constexpr size_t kBytes = 32;
  // The low and the high halves of kBytes bytes.
  static void store_halves(const uint8_t* p, uint8_t* low, uint8_t* high) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i mask = _mm256_set1_epi8(15);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(low), _mm256_and_si256(all, mask));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(high),
                        _mm256_and_si256(_mm256_srli_epi16(all, 4), mask));
  }
  static R set_quad(const uint8_t* p) {
    int32_t quad;
    __builtin_memcpy(&quad, p, 4);
    return _mm256_set1_epi32(quad);
  }
  // Sums of two products each, in 16 bits.
  static R dot_pairs(R halves, const int8_t* b) {
    return _mm256_maddubs_epi16(halves, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b)));
  }
  // In this order: compilers would add up many products side by side and run out of registers.
  static R add_words(R sum, R v) {
    sum = _mm256_add_epi16(sum, v);
    asm volatile("" : "+x"(sum));
    return sum;
  }
  static R join_halves(R low, R high) {
    return _mm256_add_epi32(_mm256_madd_epi16(low, _mm256_set1_epi16(1)),
                            _mm256_madd_epi16(high, _mm256_set1_epi16(16)));
  }
  // Bytes 0 and 2 of each quad, and bytes 1 and 3, as 16-bit numbers.
  struct Pair {
    __m256i even, odd;
  };
  using A = Pair;
  using B = Pair;
  static A set_a(const uint8_t* p) {
    int32_t quad;
    __builtin_memcpy(&quad, p, 4);
    const __m256i all = _mm256_set1_epi32(quad);
    return {_mm256_and_si256(all, _mm256_set1_epi16(0xFF)), _mm256_srli_epi16(all, 8)};
  }
  static B load_b(const int8_t* p) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {_mm256_srai_epi16(_mm256_slli_epi16(all, 8), 8), _mm256_srai_epi16(all, 8)};
  }
  // Quads of bytes of their own for each lane.
  using Quads = Pair;
  static Quads load_quads(const uint8_t* p) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {_mm256_and_si256(all, _mm256_set1_epi16(0xFF)), _mm256_srli_epi16(all, 8)};
  }
  static R dot(R sum, A a, B b) {
    return _mm256_add_epi32(
        sum, _mm256_add_epi32(_mm256_madd_epi16(a.even, b.even), _mm256_madd_epi16(a.odd, b.odd)));
  }
#endif
  // to[4 j + i] = from[i][j] for kLanes places j.
  static void interleave(const uint8_t* const (&from)[4], uint8_t* to) {
    const auto load = [&](size_t i) {
      return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from[i]));
    };
    const __m128i low = _mm_unpacklo_epi8(load(0), load(1));
    const __m128i high = _mm_unpacklo_epi8(load(2), load(3));
    auto* out = reinterpret_cast<__m128i*>(to);
    _mm_storeu_si128(out, _mm_unpacklo_epi16(low, high));
    _mm_storeu_si128(out + 1, _mm_unpackhi_epi16(low, high));
  }
  static R zero() { return _mm256_setzero_si256(); }
  static R set(int32_t v) { return _mm256_set1_epi32(v); }
  static R load(const int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void store(int32_t* p, R v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static R add(R a, R b) { return _mm256_add_epi32(a, b); }
  static R sub(R a, R b) { return _mm256_sub_epi32(a, b); }
  static R mul(R a, R b) { return _mm256_mullo_epi32(a, b); }
  static Simd::R to_float(R v) { return _mm256_cvtepi32_ps(v); }
  static R round(Simd::R v) { return _mm256_cvtps_epi32(v); }
  // The low bytes of the lanes.
  static void store_bytes(uint8_t* p, R v) {
    const __m256i low = _mm256_shuffle_epi8(
        v, _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8,
                            12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
    const __m128i both =
        _mm_unpacklo_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), both);
  }
  // All lanes are stored; whoever has fewer goes through memory.
  static constexpr bool kMasks = false;
  struct Columns {
    explicit Columns(size_t) {}
    static void store(int32_t* p, R v) { SimdI8::store(p, v); }
    static void store_bytes(uint8_t* p, R v) { SimdI8::store_bytes(p, v); }
  };
  static void store_n(int32_t* p, R v, size_t n) {
    Simd::store_n(reinterpret_cast<float*>(p), _mm256_castsi256_ps(v), n);
  }
  static constexpr bool kHasPairs = false;
  static void pin(R&) {}
};

}  // namespace
}  // namespace ortc::cpu
