// SPDX-License-Identifier: MIT
// Where the taps of a window lie along one axis.
#pragma once

#include <algorithm>

#include "providers/cpu/windows/window.h"

namespace ortc::cpu {

// The taps of one axis that lie inside the image: places first, first + dilation, ...
struct Taps {
  int64_t first = 0, count = 0, dilation = 1;
  int64_t padded = 0;  // with those that fall on padding
};

inline Taps taps_at(const WindowAxis& axis, int64_t o) {
  const int64_t start = o * axis.stride - axis.pad_begin;
  // Most windows are not dilated, and a division takes longer than the rest.
  const auto taps_in = [&](int64_t distance) {
    return axis.dilation == 1 ? distance : (distance + axis.dilation - 1) / axis.dilation;
  };
  const int64_t begin = start < 0 ? taps_in(-start) : 0;
  // Taps whose place is below `limit`.
  const auto taps_below = [&](int64_t limit) {
    if (start >= limit) return int64_t{0};
    return std::min(axis.kernel, taps_in(limit - start));
  };
  const int64_t end = taps_below(axis.in);
  return {start + begin * axis.dilation, std::max<int64_t>(0, end - begin), axis.dilation,
          taps_below(axis.in + axis.pad_end)};
}

}  // namespace ortc::cpu
