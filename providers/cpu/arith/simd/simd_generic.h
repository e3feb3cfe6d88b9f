// SPDX-License-Identifier: MIT
// Four f32 lanes in plain C++ (vector extensions of gcc and clang) for the kernel bodies (*.inc),
// with NEON's instructions where plain C++ has no word for them. Included only by *_generic.cc
// files; everything is in an unnamed namespace, as in the headers of the other levels. min(a, b)
// and max(a, b) give b when either is NaN.
#pragma once

#define ORTC_HAS_SIMD

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {
namespace {

struct Simd {
  typedef float R __attribute__((vector_size(16)));
  typedef int32_t I __attribute__((vector_size(16)));
  typedef uint32_t U __attribute__((vector_size(16)));
  using M = I;
  static constexpr size_t kLanes = 4;
#if defined(__aarch64__)
  static constexpr size_t kTileRows = 8;  // register block: 8 rows x 2 vectors, half of 32
#else
  static constexpr size_t kTileRows = 4;  // register block: 4 rows x 2 vectors
#endif
  static constexpr bool kMasks = false;  // load_n and store_n cost no more than load and store
  static constexpr size_t kDotRows = 2;  // register block of the dot kernel: 2 x 4

  static R load(const float* p) {
    R v;
    __builtin_memcpy(&v, p, sizeof(v));
    return v;
  }
  // Lanes [begin, end): those of p, `otherwise` beside them, where nothing is read.
  struct Range {
    size_t begin, end;
  };
  static Range range(size_t begin, size_t end) { return {begin, end}; }
  static R load_range(const float* p, Range inside, R otherwise) {
    for (size_t i = inside.begin; i < inside.end; ++i) otherwise[i] = p[i];
    return otherwise;
  }
  // Lanes by their number in a loop would go through memory, one by one.
  static R load_n(const float* p, size_t n) {
    switch (n) {
      case 0:
        return zero();
      case 1:
        return R{p[0], 0, 0, 0};
      case 2:
        return R{p[0], p[1], 0, 0};
      case 3:
        return R{p[0], p[1], p[2], 0};
      default:
        return load(p);
    }
  }
#if defined(__aarch64__)
  static R load_f16(const uint16_t* p) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))); }
#else
  // Exact, and without subnormal floats on the way: those may be flushed to zero.
  static R load_f16(const uint16_t* p) {
    const U half = {p[0], p[1], p[2], p[3]};
    const U exponent = half & 0x7C00u, sign = (half & 0x8000u) << 16;
    const U normal = ((half & 0x7FFFu) << 13) + (112u << 23);
    const U special = normal + (112u << 23);
    const R small = as_float(normal + (1u << 23)) - set(0x1p-14f);
    const R finite = select(exponent == 0u, small, as_float(normal));
    const R size = select(exponent == 0x7C00u, as_float(special), finite);
    return as_float(as_bits(size) | sign);
  }
#endif
  static R load_bf16(const uint16_t* p) {
    const U bits = {p[0], p[1], p[2], p[3]};
    return as_float(bits << 16);
  }
  static R load_i8(const int8_t* p) {
    return __builtin_convertvector((I{p[0], p[1], p[2], p[3]}), R);
  }
  static void store(float* p, R v) { __builtin_memcpy(p, &v, sizeof(v)); }
  static void store_n(float* p, R v, size_t n) {
    if (n >= kLanes) return store(p, v);
    if (n > 0) p[0] = v[0];
    if (n > 1) p[1] = v[1];
    if (n > 2) p[2] = v[2];
  }
  // The first n lanes of v, the others `fill`.
  static R keep_n(R v, size_t n, float fill) {
    constexpr U kPlaces = {0, 1, 2, 3};
    return select(kPlaces < static_cast<uint32_t>(n), v, set(fill));
  }
  // The lanes that `chosen` has a bit for, one after the other; zeros behind them.
  static R close_up(R v, uint32_t chosen) {
    R closed = {};
    size_t n = 0;
    for (size_t i = 0; i < kLanes; ++i) {
      if ((chosen >> i & 1) != 0) closed[n++] = v[i];
    }
    return closed;
  }
  // What lies kBy floats behind a, where b is what follows a in memory, at p.
  template <size_t kBy>
  static R slide(const float* p, R, R) {
    return load(p + kBy);
  }
  // Lanes 0, 2, 4, ... of a, then those of b.
  static R evens(R a, R b) { return R{a[0], a[2], b[0], b[2]}; }
  static R odds(R a, R b) { return R{a[1], a[3], b[1], b[3]}; }
  // Lanes 0, 3, 6, ... of a, b and c in a row.
  static R thirds(R a, R b, R c) { return R{a[0], a[3], b[2], c[1]}; }
  // Lanes 1, 2, ... of v, then the first one of `last`.
  static R next_lanes(R v, R last) { return R{v[1], v[2], v[3], last[0]}; }
  // The bits of *p in all lanes; p needs no alignment.
  static R broadcast(const float* p) {
    float v;
    __builtin_memcpy(&v, p, sizeof v);
    return set(v);
  }
  // Lane kI of every kGroup lanes, in all of them.
  template <size_t kGroup, size_t kI>
  static R spread(R v) {
    static_assert(kGroup == 2);
    return __builtin_shufflevector(v, v, kI, kI, kI + 2, kI + 2);
  }
  // Lane i is p[places[i]] where that is one of the first `count` floats, at most kLanes.
  static R load_picked(const float* p, size_t count, const int32_t* places) {
    const auto lane = [&](size_t i) {
      const auto place = static_cast<size_t>(places[i]);
      return place < count ? p[place] : 0.0f;
    };
    return R{lane(0), lane(1), lane(2), lane(3)};
  }
  static R set(float v) { return R{v, v, v, v}; }
  static R zero() { return R{}; }
  static R add(R a, R b) { return a + b; }
  static R sub(R a, R b) { return a - b; }
  static R mul(R a, R b) { return a * b; }
  static R div(R a, R b) { return a / b; }
#if defined(__aarch64__)
  static R fma(R a, R b, R c) { return vfmaq_f32(c, a, b); }  // one instruction for two
  static R sqrt(R a) { return vsqrtq_f32(a); }
  static R round(R a) { return vrndnq_f32(a); }
  static R floor(R a) { return vrndmq_f32(a); }
  static R ceil(R a) { return vrndpq_f32(a); }
#else
  static R fma(R a, R b, R c) { return a * b + c; }
  static R sqrt(R a) {
    for (size_t i = 0; i < kLanes; ++i) a[i] = __builtin_sqrtf(a[i]);
    return a;
  }
  // From 2^23 on every float is whole; below it that number pushes the fraction out.
  static R round(R a) {
    const R whole = set(8388608.0f), size = abs(a);
    const R near = copy_sign((size + whole) - whole, a);
    return select(less(size, whole), near, a);
  }
  static R floor(R a) {
    const R near = round(a);
    return copy_sign(select(less(a, near), near - set(1.0f), near), a);
  }
  static R ceil(R a) {
    const R near = round(a);
    return copy_sign(select(less(near, a), near + set(1.0f), near), a);
  }
#endif
  static R min(R a, R b) { return select(a < b, a, b); }
  static R max(R a, R b) { return select(a > b, a, b); }
  static R abs(R a) { return as_float(as_bits(a) & 0x7FFFFFFFu); }
  static R negate(R a) { return as_float(as_bits(a) ^ 0x80000000u); }
  static R copy_sign(R magnitude, R sign) {
    return as_float((as_bits(magnitude) & 0x7FFFFFFFu) | (as_bits(sign) & 0x80000000u));
  }
  static M less(R a, R b) { return a < b; }
  static M is_nan(R a) { return a != a; }
  // The lanes whose byte is not 0.
  static M load_choice(const uint8_t* p) { return (I{p[0], p[1], p[2], p[3]}) != 0; }
  // `seen`, with NaN in the lanes where a or b is NaN. It begins with zeros.
  static R note_nan(R seen, R a, R b) {
    return as_float(as_bits(seen) | reinterpret_cast<U>(a != a) | reinterpret_cast<U>(b != b));
  }
  static R select(M m, R yes, R no) {
    const U mask = reinterpret_cast<U>(m);
    return as_float((mask & as_bits(yes)) | (~mask & as_bits(no)));
  }
  // 2^n = low * high for integral n in [-250, 250]: neither overflows.
  static void power2(R n, R& low, R& high) {
    const R magic = set(12582912.0f);  // 1.5 * 2^23: its low bits count in ones
    const I i = reinterpret_cast<I>(as_bits(n + magic) - as_bits(magic));
    const I half = i >> 1;
    low = power2(half);
    high = power2(i - half);
  }
  static R scale2(R x, R n) {
    R low, high;
    power2(n, low, high);
    return x * low * high;
  }
  // 2^n for t = n + 1.5 * 2^23, n in [-126, 127].
  static R power2_of_rounded(R t) { return as_float((as_bits(t) << 23) + as_bits(set(1.0f))); }
  // x = mantissa * 2^e, mantissa in [sqrt(1/2), sqrt(2)), for positive normal x.
  static R split2(R x, R& e) {
    const U half_root = U{} + 0x3F3504F3u;
    const U i = as_bits(x) - half_root;
    e = __builtin_convertvector(reinterpret_cast<I>(i) >> 23, R);
    return as_float((i & 0x007FFFFFu) + half_root);
  }
  static float sum(R v) { return (v[0] + v[2]) + (v[1] + v[3]); }
  // Four of them at p, with the same bits.
  [[gnu::noinline]] static void store_sums(float* p, R a, R b, R c, R d) {
    p[0] = sum(a), p[1] = sum(b), p[2] = sum(c), p[3] = sum(d);
  }
  static float largest(R v) {
    const float a = v[0] > v[1] ? v[0] : v[1];
    const float b = v[2] > v[3] ? v[2] : v[3];
    return a > b ? a : b;
  }

  static void pin(R&) {}

  // to[j][i] = from[i][j] for a square of kLanes.
  static void transpose(const float* from, size_t from_ld, float* to, size_t to_ld) {
    const R r0 = load(from);
    const R r1 = load(from + from_ld);
    const R r2 = load(from + 2 * from_ld);
    const R r3 = load(from + 3 * from_ld);
    store(to, R{r0[0], r1[0], r2[0], r3[0]});
    store(to + to_ld, R{r0[1], r1[1], r2[1], r3[1]});
    store(to + 2 * to_ld, R{r0[2], r1[2], r2[2], r3[2]});
    store(to + 3 * to_ld, R{r0[3], r1[3], r2[3], r3[3]});
  }

 private:
  static U as_bits(R v) { return reinterpret_cast<U>(v); }
  static R as_float(U v) { return reinterpret_cast<R>(v); }
  static R power2(I n) { return as_float((reinterpret_cast<U>(n) + 127u) << 23); }
};

}  // namespace
}  // namespace ortc::cpu
