// SPDX-License-Identifier: MIT
// y[i] = table[x[i]] for a table of 256 bytes, with AVX-512: permutations of whole tables of 128
// where the CPU has those of bytes (VBMI), else sixteen tables of 16 as with AVX2.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {
namespace {

[[gnu::target("avx512f,avx512bw,avx512vbmi")]] size_t look_up_wholly(const uint8_t* x,
                                                                     const uint8_t* table,
                                                                     uint8_t* y, size_t n) {
  const __m512i t0 = _mm512_loadu_si512(table), t1 = _mm512_loadu_si512(table + 64);
  const __m512i t2 = _mm512_loadu_si512(table + 128), t3 = _mm512_loadu_si512(table + 192);
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    const __m512i at = _mm512_loadu_si512(x + i);
    const __m512i low = _mm512_permutex2var_epi8(t0, at, t1);
    const __m512i high = _mm512_permutex2var_epi8(t2, at, t3);
    _mm512_storeu_si512(y + i, _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), low, high));
  }
  return i;
}

size_t look_up_by_parts(const uint8_t* x, const uint8_t* table, uint8_t* y, size_t n) {
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    const __m512i a = _mm512_loadu_si512(x + i);
    __m512i sum = _mm512_setzero_si512();
    for (int t = 0; t < 16; ++t) {
      const __m512i part = _mm512_maskz_broadcast_i32x4(
          0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * t)));
      const __m512i which = _mm512_set1_epi8(static_cast<char>(16 * t));
      const __m512i at = _mm512_adds_epu8(_mm512_xor_si512(a, which), _mm512_set1_epi8(0x70));
      sum = _mm512_or_si512(sum, _mm512_shuffle_epi8(part, at));
    }
    _mm512_storeu_si512(y + i, sum);
  }
  return i;
}

void look_up(const uint8_t* x, const uint8_t* table, uint8_t* y, size_t n) {
  const bool has_bytes = __builtin_cpu_supports("avx512vbmi") != 0;
  size_t i = has_bytes ? look_up_wholly(x, table, y, n) : look_up_by_parts(x, table, y, n);
  for (; i < n; ++i) y[i] = table[x[i]];
}

}  // namespace
}  // namespace ortc::cpu
