// SPDX-License-Identifier: MIT
// Sixteen f32 lanes for the kernel bodies (*.inc). Included only by *_avx512.cc files; everything
// is in an unnamed namespace so that no AVX-512 code can be merged into other translation units.
// min(a, b) and max(a, b) give b when either is NaN.
#pragma once

#define ORTC_HAS_SIMD

// gcc 12 takes the deliberately undefined operands inside its own intrinsics for mistakes (its bug
// 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {
namespace {

struct Simd {
  using R = __m512;
  using M = __mmask16;
  static constexpr size_t kLanes = 16;
  static constexpr size_t kTileRows = 12;  // register block: 12 rows x 2 vectors
  static constexpr bool kMasks = true;     // load_n and store_n cost no more than load and store
  static constexpr size_t kDotRows = 4;    // register block of the dot kernel: 4 x 4

  static __mmask16 lanes(size_t n) { return static_cast<__mmask16>((1u << n) - 1u); }
  static R load(const float* p) { return _mm512_loadu_ps(p); }
  static R load_n(const float* p, size_t n) { return _mm512_maskz_loadu_ps(lanes(n), p); }
  // Lanes [begin, end): those of p, `otherwise` beside them, where nothing is read.
  using Range = __mmask16;
  static Range range(size_t begin, size_t end) {
    return static_cast<__mmask16>(lanes(end) & ~lanes(begin));
  }
  static R load_range(const float* p, Range inside, R otherwise) {
    return _mm512_mask_loadu_ps(otherwise, inside, p);
  }
  static R load_f16(const uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static R load_bf16(const uint16_t* p) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
  }
  static R load_i8(const int8_t* p) {
    return _mm512_cvtepi32_ps(
        _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static void store(float* p, R v) { _mm512_storeu_ps(p, v); }
  static void store_n(float* p, R v, size_t n) { _mm512_mask_storeu_ps(p, lanes(n), v); }
  // The first n lanes of v, the others `fill`.
  static R keep_n(R v, size_t n, float fill) {
    return _mm512_mask_blend_ps(lanes(n), _mm512_set1_ps(fill), v);
  }
  // The lanes that `chosen` has a bit for, one after the other; zeros behind them.
  static R close_up(R v, uint32_t chosen) {
    return _mm512_maskz_compress_ps(static_cast<__mmask16>(chosen), v);
  }
  // What lies kBy floats behind a, where b is what follows a in memory, at p.
  template <size_t kBy>
  static R slide(const float*, R a, R b) {
    return _mm512_castsi512_ps(
        _mm512_alignr_epi32(_mm512_castps_si512(b), _mm512_castps_si512(a), kBy));
  }
  // Lanes 0, 2, 4, ... of a, then those of b.
  static R evens(R a, R b) {
    const __m512i places =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, places, b);
  }
  static R odds(R a, R b) {
    const __m512i places =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, places, b);
  }
  // Lanes 0, 3, 6, ... of a, b and c in a row.
  static R thirds(R a, R b, R c) {
    const __m512i places = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13);
    return _mm512_permutexvar_ps(places,
                                 _mm512_mask_mov_ps(_mm512_mask_mov_ps(a, 0x4924, b), 0x2492, c));
  }
  // Lanes 1, 2, ... of v, then the first one of `last`.
  static R next_lanes(R v, R last) {
    return _mm512_castsi512_ps(
        _mm512_alignr_epi32(_mm512_castps_si512(last), _mm512_castps_si512(v), 1));
  }
  // The bits of *p in all lanes; p needs no alignment.
  static R broadcast(const float* p) {
    return _mm512_broadcastss_ps(_mm_castsi128_ps(_mm_loadu_si32(p)));
  }
  // Lane kI of every kGroup lanes, in all of them.
  template <size_t kGroup, size_t kI>
  static R spread(R v) {
    if constexpr (kGroup == 2) return kI == 0 ? _mm512_moveldup_ps(v) : _mm512_movehdup_ps(v);
    if constexpr (kGroup == 4) return _mm512_permute_ps(v, kI * 0x55);
    constexpr int a = kI, b = kI + 8;
    return _mm512_permutexvar_ps(_mm512_setr_epi32(a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b),
                                 v);
  }
  // Lane i is p[places[i]] where that is one of the first `count` floats, at most kLanes.
  static R load_picked(const float* p, size_t count, const int32_t* places) {
    return _mm512_permutexvar_ps(_mm512_loadu_si512(places), load_n(p, count));
  }
  static R set(float v) { return _mm512_set1_ps(v); }
  static R zero() { return _mm512_setzero_ps(); }
  static R add(R a, R b) { return _mm512_add_ps(a, b); }
  static R sub(R a, R b) { return _mm512_sub_ps(a, b); }
  static R mul(R a, R b) { return _mm512_mul_ps(a, b); }
  static R div(R a, R b) { return _mm512_div_ps(a, b); }
  static R fma(R a, R b, R c) { return _mm512_fmadd_ps(a, b, c); }
  static R min(R a, R b) { return _mm512_min_ps(a, b); }
  static R max(R a, R b) { return _mm512_max_ps(a, b); }
  static R sqrt(R a) { return _mm512_sqrt_ps(a); }
  static R abs(R a) { return _mm512_abs_ps(a); }
  static R floor(R a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF); }
  static R ceil(R a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_POS_INF); }
  static R round(R a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT); }
  static R negate(R a) { return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f)); }
  static R copy_sign(R magnitude, R sign) {
    const __m512i bit = _mm512_set1_epi32(INT32_MIN);
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(bit, _mm512_castps_si512(sign),
                                                         _mm512_castps_si512(magnitude), 0xCA));
  }
  static M less(R a, R b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
  static M is_nan(R a) { return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q); }
  // The lanes whose byte is not 0.
  static M load_choice(const uint8_t* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm_test_epi8_mask(bytes, bytes);
  }
  // `seen`, with NaN in the lanes where a or b is NaN. It begins with zeros.
  static R note_nan(R seen, R a, R b) {
    return _mm512_mask_add_ps(seen, _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q), a, b);
  }
  static R select(M m, R yes, R no) { return _mm512_mask_blend_ps(m, no, yes); }
  // x * 2^n for integral n in [-300, 300], rounded once.
  static R scale2(R x, R n) { return _mm512_scalef_ps(x, n); }
  // x = mantissa * 2^e, mantissa in [sqrt(1/2), sqrt(2)), for positive normal x.
  static R split2(R x, R& e) {
    const __m512i half_root = _mm512_set1_epi32(0x3F3504F3);
    const __m512i i = _mm512_sub_epi32(_mm512_castps_si512(x), half_root);
    e = _mm512_cvtepi32_ps(_mm512_srai_epi32(i, 23));
    const __m512i fraction = _mm512_and_si512(i, _mm512_set1_epi32(0x007FFFFF));
    return _mm512_castsi512_ps(_mm512_add_epi32(fraction, half_root));
  }
  static float sum(R v) { return _mm512_reduce_add_ps(v); }
  // Four of them at p, with the same bits.
  static void store_sums(float* p, R a, R b, R c, R d) {
    const R ab = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xEE));
    const R cd = _mm512_add_ps(_mm512_shuffle_f32x4(c, d, 0x44), _mm512_shuffle_f32x4(c, d, 0xEE));
    R v = _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xDD));
    v = _mm512_add_ps(v, _mm512_permute_ps(v, 0x4E));
    v = _mm512_add_ps(v, _mm512_permute_ps(v, 0xB1));
    _mm_storeu_ps(p, _mm512_castps512_ps128(_mm512_maskz_compress_ps(0x1111, v)));
  }
  static float largest(R v) { return _mm512_reduce_max_ps(v); }

  // Keeps the micro-kernel's order of instructions: clang's scheduler would load a whole column of
  // A first and spill accumulators for it.
  static void pin([[maybe_unused]] R& v) {
#if defined(__clang__)
    asm volatile("" : "+v"(v) : : "memory");
#endif
  }

  // to[j][i] = from[i][j] for a square of kLanes. The lanes of 128 bits are put where they belong
  // while they are loaded: r[4 g + q] holds columns 4 g .. 4 g + 3 of rows q, 4 + q, 8 + q, 12 + q.
  static void transpose(const float* from, size_t from_ld, float* to, size_t to_ld) {
    R r[16];
#pragma GCC unroll 4
    for (size_t g = 0; g < 4; ++g) {
#pragma GCC unroll 4
      for (size_t q = 0; q < 4; ++q)
        r[4 * g + q] = four_lanes(from + q * from_ld + 4 * g, 4 * from_ld);
    }
#pragma GCC unroll 4
    for (size_t g = 0; g < 16; g += 4) {
      const R a = _mm512_unpacklo_ps(r[g], r[g + 1]), b = _mm512_unpackhi_ps(r[g], r[g + 1]);
      const R c = _mm512_unpacklo_ps(r[g + 2], r[g + 3]),
              d = _mm512_unpackhi_ps(r[g + 2], r[g + 3]);
      store(to + g * to_ld, pair_lo(a, c));
      store(to + (g + 1) * to_ld, pair_hi(a, c));
      store(to + (g + 2) * to_ld, pair_lo(b, d));
      store(to + (g + 3) * to_ld, pair_hi(b, d));
    }
  }

 private:
  static R four_lanes(const float* p, size_t ld) {
    R r = _mm512_castps128_ps512(_mm_loadu_ps(p));
    r = _mm512_mask_broadcast_f32x4(r, 0x00F0, _mm_loadu_ps(p + ld));
    r = _mm512_mask_broadcast_f32x4(r, 0x0F00, _mm_loadu_ps(p + 2 * ld));
    return _mm512_mask_broadcast_f32x4(r, 0xF000, _mm_loadu_ps(p + 3 * ld));
  }
  static R pair_lo(R a, R b) {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  }
  static R pair_hi(R a, R b) {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  }
};

}  // namespace
}  // namespace ortc::cpu
