// SPDX-License-Identifier: MIT
// Four int32 sums of u8 by s8 products for the int8 bodies (*_i8.inc) in plain C++. Comes after
// simd_generic.h.
#pragma once

#define ORTC_HAS_SIMD_I8

#include "providers/cpu/arith/simd/simd_generic.h"

namespace ortc::cpu {
namespace {

struct SimdI8 {
  static constexpr size_t kLanes = Simd::kLanes;
  static constexpr size_t kTileRows = 2;
  static constexpr int32_t kShift = 0;  // what set_a() takes from each byte
  static constexpr bool kDeep = false;
  static constexpr bool kHalves = false;  // halves_i8.inc is not for this level
  struct R {
    uint32_t lane[kLanes];  // unsigned: sums wrap around
  };
  struct A {
    int32_t byte[4];
  };
  struct B {
    const int8_t* p;
  };
  static A set_a(const uint8_t* p) { return {{p[0], p[1], p[2], p[3]}}; }
  static B load_b(const int8_t* p) { return {p}; }
  // Quads of bytes of their own for each lane.
  struct Quads {
    const uint8_t* p;
  };
  static Quads load_quads(const uint8_t* p) { return {p}; }
  static R dot(R sum, Quads a, B b) {
    for (size_t i = 0; i < kLanes; ++i) {
      const uint8_t* x = a.p + 4 * i;
      const int8_t* w = b.p + 4 * i;
      sum.lane[i] += static_cast<uint32_t>(x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3]);
    }
    return sum;
  }
  // to[4 j + i] = from[i][j] for kLanes places j.
  static void interleave(const uint8_t* const (&from)[4], uint8_t* to) {
    for (size_t j = 0; j < kLanes; ++j) {
      for (size_t i = 0; i < 4; ++i) to[4 * j + i] = from[i][j];
    }
  }
  static R dot(R sum, A a, B b) {
    for (size_t i = 0; i < kLanes; ++i) {
      const int8_t* w = b.p + 4 * i;
      sum.lane[i] += static_cast<uint32_t>(a.byte[0] * w[0] + a.byte[1] * w[1] + a.byte[2] * w[2] +
                                           a.byte[3] * w[3]);
    }
    return sum;
  }
  static R zero() { return R{}; }
  static R set(int32_t v) {
    R r;
    for (uint32_t& lane : r.lane) lane = static_cast<uint32_t>(v);
    return r;
  }
  static R load(const int32_t* p) {
    R r;
    for (size_t i = 0; i < kLanes; ++i) r.lane[i] = static_cast<uint32_t>(p[i]);
    return r;
  }
  static void store(int32_t* p, R v) {
    for (size_t i = 0; i < kLanes; ++i) p[i] = static_cast<int32_t>(v.lane[i]);
  }
  static R add(R a, R b) {
    for (size_t i = 0; i < kLanes; ++i) a.lane[i] += b.lane[i];
    return a;
  }
  static R sub(R a, R b) {
    for (size_t i = 0; i < kLanes; ++i) a.lane[i] -= b.lane[i];
    return a;
  }
  static R mul(R a, R b) {
    for (size_t i = 0; i < kLanes; ++i) a.lane[i] *= b.lane[i];
    return a;
  }
  static Simd::R to_float(R v) {
    float lanes[kLanes];
    for (size_t i = 0; i < kLanes; ++i) {
      lanes[i] = static_cast<float>(static_cast<int32_t>(v.lane[i]));
    }
    return Simd::load(lanes);
  }
  // |v| < 2^22: the sum with 1.5 * 2^23 is rounded to an integer, ties to even.
  static R round(Simd::R v) {
    constexpr float kMagic = 12582912.0f;
    float lanes[kLanes];
    Simd::store(lanes, v);
    R r;
    for (size_t i = 0; i < kLanes; ++i) {
      const float shifted = lanes[i] + kMagic;
      __builtin_memcpy(&r.lane[i], &shifted, 4);
      r.lane[i] -= 0x4B400000u;
    }
    return r;
  }
  // The low bytes of the lanes.
  static void store_bytes(uint8_t* p, R v) {
    for (size_t i = 0; i < kLanes; ++i) p[i] = static_cast<uint8_t>(v.lane[i]);
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
