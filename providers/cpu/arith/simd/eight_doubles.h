// SPDX-License-Identifier: MIT
// Eight doubles, in as many registers as the level needs: one vector type of 64 bytes is not it,
// since compilers keep such a one in memory where registers are smaller.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortc::cpu {
namespace {

// What is left of rows is worth no code in every loop.
[[gnu::noinline, maybe_unused]] void copy_few(const double* from, double* to, size_t n) {
#pragma GCC unroll 1
  for (size_t i = 0; i < n; ++i) to[i] = from[i];
}

struct EightDoubles {
  static constexpr size_t kCount = 8;
#if defined(__AVX512F__)
  static constexpr size_t kRegs = 1;
#elif defined(__AVX__)
  static constexpr size_t kRegs = 2;
#else
  static constexpr size_t kRegs = 4;
#endif
  static constexpr size_t kLanes = kCount / kRegs;
  typedef double Reg __attribute__((vector_size(8 * kLanes)));
  typedef int64_t Ints __attribute__((vector_size(8 * kLanes)));
  typedef float Floats __attribute__((vector_size(4 * kLanes)));

  Reg reg[kRegs];

  // f(register, where it begins) for each of them.
  template <typename F>
  [[gnu::always_inline]] static EightDoubles of(F f) {
    EightDoubles v;
#pragma GCC unroll 4
    for (size_t r = 0; r < kRegs; ++r) v.reg[r] = f(r, r * kLanes);
    return v;
  }
  [[gnu::always_inline]] static EightDoubles all(double x) {
    return of([=](size_t, size_t) { return Reg{} + x; });
  }
  [[gnu::always_inline]] static EightDoubles load(const double* x) {
    return of([=](size_t, size_t at) {
      Reg v;
      __builtin_memcpy(&v, x + at, sizeof v);
      return v;
    });
  }
  [[gnu::always_inline]] static EightDoubles load(const float* x) {
    return of([=](size_t, size_t at) {
#if defined(__AVX512F__)  // gcc converts halves and puts them together
      return Reg(_mm512_cvtps_pd(_mm256_loadu_ps(x + at)));
#elif defined(__AVX__)
      return Reg(_mm256_cvtps_pd(_mm_loadu_ps(x + at)));
#else
      Floats v;
      __builtin_memcpy(&v, x + at, sizeof v);
      return __builtin_convertvector(v, Reg);
#endif
    });
  }
  [[gnu::always_inline]] void store(double* to) const { __builtin_memcpy(to, reg, sizeof reg); }
  [[gnu::always_inline]] void store(float* to) const {
#pragma GCC unroll 4
    for (size_t r = 0; r < kRegs; ++r) {
#if defined(__AVX512F__)
      _mm256_storeu_ps(to, _mm512_cvtpd_ps(reg[r]));
#elif defined(__AVX__)
      _mm_storeu_ps(to + r * kLanes, _mm256_cvtpd_ps(reg[r]));
#else
      const Floats v = __builtin_convertvector(reg[r], Floats);
      __builtin_memcpy(to + r * kLanes, &v, sizeof v);
#endif
    }
  }
  // The first n, at most eight; zeros behind them.
  [[gnu::always_inline]] static EightDoubles load_n(const double* x, size_t n) {
#if defined(__AVX512F__)
    return {{Reg(_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1u), x))}};
#else
    double all[kCount] = {};
    copy_few(x, all, n);
    return load(all);
#endif
  }
  [[gnu::always_inline]] void store_n(double* to, size_t n) const {
#if defined(__AVX512F__)
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << n) - 1u), reg[0]);
#else
    double all[kCount];
    store(all);
    copy_few(all, to, n);
#endif
  }
  [[gnu::always_inline]] double operator[](size_t i) const { return reg[i / kLanes][i % kLanes]; }

  [[gnu::always_inline]] friend EightDoubles operator+(const EightDoubles& a,
                                                       const EightDoubles& b) {
    return of([&](size_t r, size_t) { return a.reg[r] + b.reg[r]; });
  }
  [[gnu::always_inline]] friend EightDoubles operator-(const EightDoubles& a,
                                                       const EightDoubles& b) {
    return of([&](size_t r, size_t) { return a.reg[r] - b.reg[r]; });
  }
  [[gnu::always_inline]] friend EightDoubles operator*(const EightDoubles& a,
                                                       const EightDoubles& b) {
    return of([&](size_t r, size_t) { return a.reg[r] * b.reg[r]; });
  }
  [[gnu::always_inline]] friend EightDoubles operator/(const EightDoubles& a, double b) {
    return of([&](size_t r, size_t) { return a.reg[r] / b; });
  }
  [[gnu::always_inline]] friend EightDoubles operator/(double a, const EightDoubles& b) {
    return of([&](size_t r, size_t) { return a / b.reg[r]; });
  }
  [[gnu::always_inline]] static EightDoubles roots(const EightDoubles& a) {
    return of([&](size_t r, size_t) {
#if defined(__AVX512F__)
      return Reg(_mm512_sqrt_pd(a.reg[r]));
#elif defined(__AVX__)
      return Reg(_mm256_sqrt_pd(a.reg[r]));
#elif defined(__aarch64__)
      return Reg(vsqrtq_f64(a.reg[r]));
#else
      return Reg{__builtin_sqrt(a.reg[r][0]), __builtin_sqrt(a.reg[r][1])};
#endif
    });
  }
#if defined(__AVX__) || defined(__aarch64__)
  // A whole number: the nearest (0), the next below (1) or above (2).
  template <int kWhich>
  [[gnu::always_inline]] static Reg whole(Reg x) {
#if defined(__AVX512F__)
    return Reg(_mm512_roundscale_pd(x, _MM_FROUND_NO_EXC | kWhich));
#elif defined(__AVX__)
    return Reg(_mm256_round_pd(x, _MM_FROUND_NO_EXC | kWhich));
#else
    return Reg(kWhich == 0 ? vrndnq_f64(x) : kWhich == 1 ? vrndmq_f64(x) : vrndpq_f64(x));
#endif
  }
#endif
  // a * b + c, rounded once where the level can.
  [[gnu::always_inline]] static EightDoubles fused(const EightDoubles& a, const EightDoubles& b,
                                                   const EightDoubles& c) {
    return of([&](size_t r, size_t) {
#if defined(__AVX512F__)
      return Reg(_mm512_fmadd_pd(a.reg[r], b.reg[r], c.reg[r]));
#elif defined(__FMA__)
      return Reg(_mm256_fmadd_pd(a.reg[r], b.reg[r], c.reg[r]));
#elif defined(__aarch64__)
      return Reg(vfmaq_f64(c.reg[r], a.reg[r], b.reg[r]));
#else
      return a.reg[r] * b.reg[r] + c.reg[r];
#endif
    });
  }
  [[gnu::always_inline]] static EightDoubles sizes(const EightDoubles& a) {
    return of([&](size_t r, size_t) {
      return reinterpret_cast<Reg>(reinterpret_cast<Ints>(a.reg[r]) & INT64_MAX);
    });
  }
  // `late` from place `first` on, before it `early`.
  [[gnu::always_inline]] static EightDoubles joined(const EightDoubles& early,
                                                    const EightDoubles& late, size_t first) {
    return of([&](size_t r, size_t at) {
      Ints places;
      for (size_t i = 0; i < kLanes; ++i) places[i] = static_cast<int64_t>(at + i);
      return places >= static_cast<int64_t>(first) ? late.reg[r] : early.reg[r];
    });
  }
};

}  // namespace
}  // namespace ortc::cpu
