// SPDX-License-Identifier: MIT
// The largest or smallest element of a contiguous row; NaN when the row holds one.
#pragma once

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

// NaN is looked for apart from the comparison, so that both become single vector instructions.
template <bool kLargest, typename T>
Compute<T> extreme_of_row(const T* x, int64_t n) {
  using C = Compute<T>;
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
