// SPDX-License-Identifier: MIT
// Eight f32 lanes for the kernel bodies (*.inc). Included only by *_avx2.cc files; everything is in
// an unnamed namespace so that no AVX code can be merged into other translation units. min(a, b)
// and max(a, b) give b when either is NaN.
#pragma once

#define ORTC_HAS_SIMD

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {
namespace {

// Which lanes are taken, by the bits that choose them; -1 behind the last.
struct ChosenLanes {
  int8_t of[256][8] = {};
  constexpr ChosenLanes() {
    for (size_t chosen = 0; chosen < 256; ++chosen) {
      size_t n = 0;
      for (size_t i = 0; i < 8; ++i) {
        if ((chosen >> i & 1) != 0) of[chosen][n++] = static_cast<int8_t>(i);
      }
      while (n < 8) of[chosen][n++] = -1;
    }
  }
};

struct Simd {
  using R = __m256;
  using M = __m256;
  static constexpr size_t kLanes = 8;
  static constexpr size_t kTileRows = 6;  // register block: 6 rows x 2 vectors
  static constexpr bool kMasks = false;   // load_n and store_n cost no more than load and store
  static constexpr size_t kDotRows = 2;   // register block of the dot kernel: 2 x 4

  static __m256i lanes(size_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static R load(const float* p) { return _mm256_loadu_ps(p); }
  static R load_n(const float* p, size_t n) { return _mm256_maskload_ps(p, lanes(n)); }
  // Lanes [begin, end): those of p, `otherwise` beside them, where nothing is read.
  using Range = __m256i;
  static Range range(size_t begin, size_t end) {
    return _mm256_andnot_si256(lanes(begin), lanes(end));
  }
  static R load_range(const float* p, Range inside, R otherwise) {
    return _mm256_blendv_ps(otherwise, _mm256_maskload_ps(p, inside), _mm256_castsi256_ps(inside));
  }
  static R load_f16(const uint16_t* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static R load_bf16(const uint16_t* p) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
  }
  static R load_i8(const int8_t* p) {
    return _mm256_cvtepi32_ps(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  static void store(float* p, R v) { _mm256_storeu_ps(p, v); }
  static void store_n(float* p, R v, size_t n) { _mm256_maskstore_ps(p, lanes(n), v); }
  // The first n lanes of v, the others `fill`.
  static R keep_n(R v, size_t n, float fill) {
    return _mm256_blendv_ps(_mm256_set1_ps(fill), v, _mm256_castsi256_ps(lanes(n)));
  }
  // The lanes that `chosen` has a bit for, one after the other; zeros behind them.
  static R close_up(R v, uint32_t chosen) {
    static constexpr ChosenLanes kChosen;
    const auto* from = reinterpret_cast<const __m128i*>(kChosen.of[chosen]);
    const __m256i order = _mm256_cvtepi8_epi32(_mm_loadl_epi64(from));
    const R moved = _mm256_permutevar8x32_ps(v, order);
    return _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_srai_epi32(order, 31)), moved);
  }
  // What lies kBy floats behind a, where b is what follows a in memory, at p.
  template <size_t kBy>
  static R slide(const float* p, R, R) {
    return load(p + kBy);
  }
  // Lanes 0, 2, 4, ... of a, then those of b.
  static R evens(R a, R b) {
    const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88));
    return _mm256_castpd_ps(_mm256_permute4x64_pd(pairs, 0xD8));
  }
  static R odds(R a, R b) {
    const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xDD));
    return _mm256_castpd_ps(_mm256_permute4x64_pd(pairs, 0xD8));
  }
  // Lanes 0, 3, 6, ... of a, b and c in a row.
  static R thirds(R a, R b, R c) {
    const __m256i places = _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5);
    return _mm256_permutevar8x32_ps(_mm256_blend_ps(_mm256_blend_ps(a, b, 0x92), c, 0x24), places);
  }
  // Lanes 1, 2, ... of v, then the first one of `last`.
  static R next_lanes(R v, R last) {
    const __m256 middle = _mm256_permute2f128_ps(v, last, 0x21);
    return _mm256_castsi256_ps(
        _mm256_alignr_epi8(_mm256_castps_si256(middle), _mm256_castps_si256(v), 4));
  }
  // The bits of *p in all lanes; p needs no alignment.
  static R broadcast(const float* p) {
    return _mm256_broadcastss_ps(_mm_castsi128_ps(_mm_loadu_si32(p)));
  }
  // Lane kI of every kGroup lanes, in all of them.
  template <size_t kGroup, size_t kI>
  static R spread(R v) {
    if constexpr (kGroup == 2) return kI == 0 ? _mm256_moveldup_ps(v) : _mm256_movehdup_ps(v);
    return _mm256_permute_ps(v, kI * 0x55);
  }
  // Lane i is p[places[i]] where that is one of the first `count` floats, at most kLanes.
  static R load_picked(const float* p, size_t count, const int32_t* places) {
    const auto* from = reinterpret_cast<const __m256i*>(places);
    return _mm256_permutevar8x32_ps(load_n(p, count), _mm256_loadu_si256(from));
  }
  static R set(float v) { return _mm256_set1_ps(v); }
  static R zero() { return _mm256_setzero_ps(); }
  static R add(R a, R b) { return _mm256_add_ps(a, b); }
  static R sub(R a, R b) { return _mm256_sub_ps(a, b); }
  static R mul(R a, R b) { return _mm256_mul_ps(a, b); }
  static R div(R a, R b) { return _mm256_div_ps(a, b); }
  static R fma(R a, R b, R c) { return _mm256_fmadd_ps(a, b, c); }
  static R min(R a, R b) { return _mm256_min_ps(a, b); }
  static R max(R a, R b) { return _mm256_max_ps(a, b); }
  static R sqrt(R a) { return _mm256_sqrt_ps(a); }
  static R abs(R a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
  static R floor(R a) { return _mm256_floor_ps(a); }
  static R ceil(R a) { return _mm256_ceil_ps(a); }
  static R round(R a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT); }
  static R negate(R a) { return _mm256_xor_ps(a, _mm256_set1_ps(-0.0f)); }
  static R copy_sign(R magnitude, R sign) {
    const R bit = _mm256_set1_ps(-0.0f);
    return _mm256_or_ps(_mm256_andnot_ps(bit, magnitude), _mm256_and_ps(bit, sign));
  }
  static M less(R a, R b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
  static M is_nan(R a) { return _mm256_cmp_ps(a, a, _CMP_UNORD_Q); }
  // The lanes whose byte is not 0.
  static M load_choice(const uint8_t* p) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm256_castsi256_ps(
        _mm256_cmpgt_epi32(_mm256_cvtepu8_epi32(bytes), _mm256_setzero_si256()));
  }
  // `seen`, with NaN in the lanes where a or b is NaN. It begins with zeros.
  static R note_nan(R seen, R a, R b) {
    return _mm256_or_ps(seen, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
  }
  static R select(M m, R yes, R no) { return _mm256_blendv_ps(no, yes, m); }
  // 2^n = low * high for integral n in [-250, 250]: neither overflows.
  static void power2(R n, R& low, R& high) {
    const __m256i i = _mm256_cvtps_epi32(n);
    const __m256i half = _mm256_srai_epi32(i, 1);
    low = power2(half);
    high = power2(_mm256_sub_epi32(i, half));
  }
  static R scale2(R x, R n) {
    R low, high;
    power2(n, low, high);
    return mul(mul(x, low), high);
  }
  // 2^n for t = n + 1.5 * 2^23, n in [-126, 127].
  static R power2_of_rounded(R t) {
    const __m256i one = _mm256_castps_si256(_mm256_set1_ps(1.0f));
    const __m256i n = _mm256_slli_epi32(_mm256_castps_si256(t), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(n, one));
  }
  // x = mantissa * 2^e, mantissa in [sqrt(1/2), sqrt(2)), for positive normal x.
  static R split2(R x, R& e) {
    const __m256i half_root = _mm256_set1_epi32(0x3F3504F3);
    const __m256i i = _mm256_sub_epi32(_mm256_castps_si256(x), half_root);
    e = _mm256_cvtepi32_ps(_mm256_srai_epi32(i, 23));
    const __m256i fraction = _mm256_and_si256(i, _mm256_set1_epi32(0x007FFFFF));
    return _mm256_castsi256_ps(_mm256_add_epi32(fraction, half_root));
  }
  static float sum(R v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
  }
  // Four of them at p, with the same bits.
  static void store_sums(float* p, R a, R b, R c, R d) {
    const R ab =
        _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
    const R cd =
        _mm256_add_ps(_mm256_permute2f128_ps(c, d, 0x20), _mm256_permute2f128_ps(c, d, 0x31));
    R v = _mm256_add_ps(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xEE));
    v = _mm256_add_ps(v, _mm256_permute_ps(v, 0xB1));
    _mm_storeu_ps(p, _mm_blend_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1), 0xA));
  }
  static float largest(R v) {
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_shuffle_ps(s, s, 1)));
  }

  // Keeps the micro-kernel's order of instructions: clang's scheduler would load a whole column of
  // A first and spill accumulators for it.
  static void pin([[maybe_unused]] R& v) {
#if defined(__clang__)
    asm volatile("" : "+x"(v) : : "memory");
#endif
  }

  // to[j][i] = from[i][j] for a square of kLanes. The halves are put where they belong while they
  // are loaded: r[4 g + q] holds columns 4 g .. 4 g + 3 of rows q and 4 + q.
  static void transpose(const float* from, size_t from_ld, float* to, size_t to_ld) {
#pragma GCC unroll 2
    for (size_t g = 0; g < 8; g += 4) {
      R r[4];
#pragma GCC unroll 4
      for (size_t q = 0; q < 4; ++q) {
        const float* p = from + q * from_ld + g;
        r[q] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)),
                                    _mm_loadu_ps(p + 4 * from_ld), 1);
      }
      const R a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
      const R c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
      store(to + g * to_ld, _mm256_shuffle_ps(a, c, 0x44));
      store(to + (g + 1) * to_ld, _mm256_shuffle_ps(a, c, 0xEE));
      store(to + (g + 2) * to_ld, _mm256_shuffle_ps(b, d, 0x44));
      store(to + (g + 3) * to_ld, _mm256_shuffle_ps(b, d, 0xEE));
    }
  }

 private:
  static R power2(__m256i n) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
  }
};

}  // namespace
}  // namespace ortc::cpu
