// SPDX-License-Identifier: MIT
// From what reductions have joined to their results: states divided, or a function of them, in the
// type of the output. What is joined in double is rounded once.
#pragma once

#include <bit>
#include <cmath>

#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/elements/round_to_odd.h"
#include "providers/cpu/elements/shared_divisor.h"

namespace ortc::cpu {

enum class Finish { kNone, kMean, kRoot, kLog };

// y = states / count, of n of them: floats by way of the reciprocal in double.
inline void divide_states(const ReduceF32Kernels& kernels, const double* states, int64_t count,
                          float* y, int64_t n) {
  kernels.narrow(states, 1 / static_cast<double>(count), y, static_cast<size_t>(n));
}

inline void divide_states(const ReduceF32Kernels&, const double* states, int64_t count, double* y,
                          int64_t n) {
  const auto divisor = static_cast<double>(count), factor = 1 / divisor;
  if (std::has_single_bit(static_cast<uint64_t>(count))) {  // the same bits
    for (int64_t i = 0; i < n; ++i) y[i] = states[i] * factor;
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = states[i] / divisor;
  }
}

template <typename T>
requires kIsReduced<T>
void divide_states(const ReduceF32Kernels& kernels, const double* states, int64_t count, T* y,
                   int64_t n) {
  const double factor = 1 / static_cast<double>(count);
  float wide[kFloatRow];
  for (int64_t i = 0; i < n; i += kFloatRow) {
    const int64_t part = std::min(kFloatRow, n - i);
    kernels.narrow_to_odd(states + i, factor, wide, static_cast<size_t>(part));
    // Subnormal floats have not the two bits more that rounding again needs.
    constexpr float kSmallestNormal = 0x1p-126f;
    for (int64_t k = 0; std::is_same_v<T, Bfloat16> && k < part; ++k) {
      if (std::fabs(wide[k]) < kSmallestNormal) wide[k] = odd_float(states[i + k] * factor);
    }
    narrow(wide, part, y + i);
  }
}

template <typename T, typename W>
requires(std::is_integral_v<W> && sizeof(W) == 8) void divide_states(const ReduceF32Kernels&,
                                                                     const W* states, int64_t count,
                                                                     T* y, int64_t n) {
  const SharedDivisor<W> divisor(count);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(divisor.quotient(states[i]));
}

template <typename T, typename W>
T finished(W state, Finish finish) {
  if (finish == Finish::kRoot) return convert<T>(std::sqrt(static_cast<double>(state)));
  if (finish == Finish::kLog) return convert<T>(std::log(static_cast<double>(state)));
  if constexpr (std::is_same_v<T, Bool8>) return Bool8(state != 0);
  return convert<T>(state);
}

// n results, each of so many elements.
template <typename T, typename W>
void finish_states(const ReduceF32Kernels& kernels, const W* states, Finish finish, int64_t count,
                   T* y, int64_t n) {
  if constexpr (requires { divide_states(kernels, states, count, y, n); } &&
                std::is_same_v<W, double>) {
    double roots[kFloatRow];
    for (int64_t at = 0; finish == Finish::kRoot && at < n; at += kFloatRow) {
      const int64_t part = std::min(kFloatRow, n - at);
      for (int64_t i = 0; i < part; ++i) roots[i] = std::sqrt(states[at + i]);
      divide_states(kernels, roots, 1, y + at, part);
    }
    if (finish == Finish::kRoot) return;
  }
  if constexpr (requires { divide_states(kernels, states, count, y, n); }) {
    const bool narrows = std::is_same_v<W, double> && finish == Finish::kNone;
    if (finish == Finish::kMean || narrows) {
      return divide_states(kernels, states, narrows ? 1 : count, y, n);
    }
  }
  if constexpr (kIsReduced<T> && std::is_same_v<W, float>) {
    if (finish == Finish::kNone) return narrow(states, n, y);
  }
  for (int64_t i = 0; i < n; ++i) y[i] = finished<T>(states[i], finish);
}

}  // namespace ortc::cpu
