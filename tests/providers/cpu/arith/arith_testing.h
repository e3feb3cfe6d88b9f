// SPDX-License-Identifier: MIT
// What the tests of the arithmetic share: the levels this CPU can run, reproducible numbers, and
// the plain formulas of the activations in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/platform/cpu.h"
#include "providers/cpu/arith/activation.h"
#include "providers/cpu/arith/isa.h"

namespace ortc::cpu::testing {

// What results are filled with where none must be written.
inline constexpr float kUntouched = 12345.0f;

inline std::vector<Isa> runnable_isas() {
  std::vector<Isa> isas = {Isa::kGeneric};
#if ORTC_ARITH_X86
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) isas.push_back(Isa::kAvx2);
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    isas.push_back(Isa::kAvx512);
  }
#endif
  return isas;
}

class Random {
 public:
  explicit Random(uint64_t seed = 1) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33);
  }
  float in(float lo, float hi) {
    return lo + (hi - lo) * (static_cast<float>(next() >> 7) * (1.0f / 16777216.0f));
  }
  std::vector<float> floats(size_t n, float lo = -1.0f, float hi = 1.0f) {
    std::vector<float> v(n);
    for (float& x : v) x = in(lo, hi);
    return v;
  }

 private:
  uint64_t state_;
};

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

inline double activate(const ActivationF32& act, double x) {
  switch (act.kind) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return x < 0 ? 0 : x;
    case Activation::kClip:
      return x < act.lo ? act.lo : x > act.hi ? act.hi : x;
    case Activation::kGelu:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::kGeluTanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
    case Activation::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::kTanh:
      return std::tanh(x);
    case Activation::kHardSwish:
      return x * std::fmin(std::fmax(x / 6 + 0.5, 0), 1);
    case Activation::kLeakyRelu:
      return x < 0 ? static_cast<double>(act.slope) * x : x;
    case Activation::kMish:
      return x * std::tanh(std::log1p(std::exp(x)));
  }
  return x;
}

inline const std::vector<ActivationF32>& all_activations() {
  static const std::vector<ActivationF32> all = {
      {Activation::kNone, 0, 0, 0},      {Activation::kRelu, 0, 0, 0},
      {Activation::kClip, -0.5f, 6, 0},  {Activation::kGelu, 0, 0, 0},
      {Activation::kGeluTanh, 0, 0, 0},  {Activation::kSilu, 0, 0, 0},
      {Activation::kSigmoid, 0, 0, 0},   {Activation::kTanh, 0, 0, 0},
      {Activation::kHardSwish, 0, 0, 0}, {Activation::kLeakyRelu, 0, 0, 0.1f},
      {Activation::kMish, 0, 0, 0},
  };
  return all;
}

}  // namespace ortc::cpu::testing
