// SPDX-License-Identifier: MIT
// The largest or smallest element of a contiguous row; NaN when the row holds one.
#pragma once

#include <cstring>
#include <limits>

#include "providers/cpu/elements/element.h"

namespace ortc::cpu {

// The end of T's range that loses against everything.
template <bool kLargest, typename C>
constexpr C neutral_extreme() {
  if constexpr (std::is_floating_point_v<C>) {
    constexpr C kInfinity = std::numeric_limits<C>::infinity();
    return kLargest ? -kInfinity : kInfinity;
  } else {
    return kLargest ? std::numeric_limits<C>::lowest() : std::numeric_limits<C>::max();
  }
}

// Doubles in vectors of two, of which every processor has room for eight: the compiler makes none
// of loops over so many lanes. A sum of all tells whether NaN is among them, or infinities of both
// signs.
template <bool kLargest, int64_t kTwos = 4>
struct DoubleExtremes {
  typedef double Two __attribute__((vector_size(16)));
  static constexpr int64_t kStep = 2 * kTwos;
  static constexpr double kNeutral = neutral_extreme<kLargest, double>();
  Two lanes[kTwos], sums[kTwos] = {};

  DoubleExtremes() {
    for (Two& lane : lanes) lane = Two{} + kNeutral;
  }
  [[gnu::always_inline]] void add(const double* x) {
#pragma GCC unroll 4
    for (int64_t k = 0; k < kTwos; ++k) {
      Two v;
      std::memcpy(&v, x + 2 * k, sizeof v);
      sums[k] += v;
      lanes[k] = (kLargest ? v > lanes[k] : v < lanes[k]) ? v : lanes[k];
    }
  }
  double sum() const {
    double sum = 0;
    for (int64_t k = 0; k < kStep; ++k) sum += sums[k / 2][k % 2];
    return sum;
  }
  static double join(double a, double b) { return (kLargest ? b > a : b < a) ? b : a; }
  static double join_any(double a, double b) { return b != b || a != a ? a + b : join(a, b); }
};

template <bool kLargest>
double extreme_of_doubles(const double* x, int64_t n) {
  using Extremes = DoubleExtremes<kLargest>;
  Extremes extremes;
  int64_t i = 0;
  for (; i + Extremes::kStep <= n; i += Extremes::kStep) extremes.add(x + i);
  double extreme = Extremes::kNeutral, sum = extremes.sum();
  for (; i < n; ++i) {
    sum += x[i];
    extreme = Extremes::join(extreme, x[i]);
  }
  for (int64_t k = 0; k < Extremes::kStep; ++k) {
    extreme = Extremes::join(extreme, extremes.lanes[k / 2][k % 2]);
  }
  for (i = 0; sum != sum && i < n; ++i) {
    if (x[i] != x[i]) return x[i];
  }
  return extreme;
}

// The same of so many columns, joined with `states`; false where NaN may be among them.
template <bool kLargest, int64_t kTwos>
bool extremes_of_some(const double* x, int64_t stride, int64_t rows, double* states) {
  DoubleExtremes<kLargest, kTwos> extremes;
  for (int64_t row = 0; row < rows; ++row) extremes.add(x + row * stride);
  const double sum = extremes.sum();
  for (int64_t k = 0; sum == sum && k < 2 * kTwos; ++k) {
    states[k] = extremes.join_any(states[k], extremes.lanes[k / 2][k % 2]);
  }
  return sum == sum;
}

template <bool kLargest>
void extremes_of_columns(const double* x, int64_t stride, int64_t rows, double* states, int64_t n) {
  int64_t i = 0;
  while (i + 8 <= n && extremes_of_some<kLargest, 4>(x + i, stride, rows, states + i)) i += 8;
  while (i + 4 <= n && extremes_of_some<kLargest, 2>(x + i, stride, rows, states + i)) i += 4;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t k = i; k < n; ++k) {
      states[k] = DoubleExtremes<kLargest>::join_any(states[k], x[row * stride + k]);
    }
  }
}

// NaN is looked for apart from the comparison, so that both become single vector instructions.
template <bool kLargest, typename T>
Compute<T> extreme_of_row(const T* x, int64_t n) {
  using C = Compute<T>;
  if constexpr (std::is_same_v<T, double>) return extreme_of_doubles<kLargest>(x, n);
  constexpr int64_t kLanes = 64 / sizeof(C);
  C lanes[kLanes];
  int32_t unordered[kLanes] = {};
  for (C& lane : lanes) lane = neutral_extreme<kLargest, C>();
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) {
      const C value = static_cast<C>(x[i + k]);
      if constexpr (std::is_floating_point_v<C>) unordered[k] |= value != value ? 1 : 0;
      lanes[k] = (kLargest ? value > lanes[k] : value < lanes[k]) ? value : lanes[k];
    }
  }
  C extreme = neutral_extreme<kLargest, C>();
  bool has_nan = false;
  for (int64_t k = 0; k < kLanes; ++k) {
    extreme = (kLargest ? lanes[k] > extreme : lanes[k] < extreme) ? lanes[k] : extreme;
    has_nan |= unordered[k] != 0;
  }
  for (; i < n; ++i) {
    const C value = static_cast<C>(x[i]);
    has_nan |= value != value;
    extreme = (kLargest ? value > extreme : value < extreme) ? value : extreme;
  }
  if constexpr (std::is_floating_point_v<C>) {
    if (has_nan) return std::numeric_limits<C>::quiet_NaN();
  }
  return extreme;
}

}  // namespace ortc::cpu
