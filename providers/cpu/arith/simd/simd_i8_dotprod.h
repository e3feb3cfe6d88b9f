// SPDX-License-Identifier: MIT
// Four int32 sums of u8 by s8 products for the int8 bodies (*_i8.inc), with the dot products of
// NEON. Those take two signed bytes, so A is brought there by xor 0x80, and the loops around take
// the shift into account (kShift). Floats are those of simd_generic.h: the bits are the same.
#pragma once

#define ORTC_HAS_SIMD_I8

#include <arm_neon.h>

#include "providers/cpu/arith/simd/simd_generic.h"

namespace ortc::cpu {
namespace {

struct SimdI8 {
  using R = int32x4_t;
  using A = int8x16_t;
  using B = int8x16_t;
  static constexpr size_t kLanes = Simd::kLanes;
  static constexpr size_t kTileRows = 8;  // with two vectors, 16 of the 32 registers
  static constexpr int32_t kShift = 128;
  static constexpr bool kDeep = false;
  static constexpr bool kHalves = false;  // halves_i8.inc is not for this level
  static A set_a(const uint8_t* p) {
    uint32_t quad;
    __builtin_memcpy(&quad, p, 4);
    return vreinterpretq_s8_u32(veorq_u32(vdupq_n_u32(quad), vdupq_n_u32(0x80808080u)));
  }
  static B load_b(const int8_t* p) { return vld1q_s8(p); }
  // Quads of bytes of their own for each lane.
  using Quads = int8x16_t;
  static Quads load_quads(const uint8_t* p) {
    return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(p), vdupq_n_u8(0x80)));
  }
  // to[4 j + i] = from[i][j] for kLanes places j.
  static void interleave(const uint8_t* const (&from)[4], uint8_t* to) {
    for (size_t j = 0; j < kLanes; ++j) {
      for (size_t i = 0; i < 4; ++i) to[4 * j + i] = from[i][j];
    }
  }
  static R dot(R sum, A a, B b) { return vdotq_s32(sum, a, b); }
  static R zero() { return vdupq_n_s32(0); }
  static R set(int32_t v) { return vdupq_n_s32(v); }
  static R load(const int32_t* p) { return vld1q_s32(p); }
  static void store(int32_t* p, R v) { vst1q_s32(p, v); }
  static R add(R a, R b) { return vaddq_s32(a, b); }
  static R sub(R a, R b) { return vsubq_s32(a, b); }
  static R mul(R a, R b) { return vmulq_s32(a, b); }
  static Simd::R to_float(R v) { return reinterpret_cast<Simd::R>(vcvtq_f32_s32(v)); }
  // Ties to even.
  static R round(Simd::R v) { return vcvtnq_s32_f32(reinterpret_cast<float32x4_t>(v)); }
  // The low bytes of the lanes.
  static void store_bytes(uint8_t* p, R v) {
    const uint16x4_t words = vmovn_u32(vreinterpretq_u32_s32(v));
    const uint8x8_t bytes = vmovn_u16(vcombine_u16(words, words));
    const uint32_t all = vget_lane_u32(vreinterpret_u32_u8(bytes), 0);
    __builtin_memcpy(p, &all, 4);
  }
  // All lanes are stored; whoever has fewer goes through memory.
  static constexpr bool kMasks = false;
  struct Columns {
    explicit Columns(size_t) {}
    static void store(int32_t* p, R v) { SimdI8::store(p, v); }
    static void store_bytes(uint8_t* p, R v) { SimdI8::store_bytes(p, v); }
  };
  static void store_n(int32_t* p, R v, size_t n) {
    int32_t lanes[kLanes];
    store(lanes, v);
    __builtin_memcpy(p, lanes, n * sizeof(int32_t));
  }
  static constexpr bool kHasPairs = false;
  static void pin(R&) {}
};

}  // namespace
}  // namespace ortc::cpu
