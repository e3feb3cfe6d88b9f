// SPDX-License-Identifier: MIT
// Sliding windows over spatial axes, as convolutions and pools describe them by attributes.
#pragma once

#include <span>
#include <vector>

#include "core/ops/shape_rules.h"

namespace ortc {

struct Window {
  Dim kernel;
  int64_t stride = 1, dilation = 1;
  int64_t pad_begin = 0, pad_end = 0;  // within 32 bits, negative ones too
  bool same = false;                   // auto_pad SAME_*: as many windows as strides fit
  bool ceil = false;                   // the last window may hang over the end

  int64_t pads() const { return pad_begin + pad_end; }
};
using Windows = std::vector<Window>;

// Reads kernel_shape (or takes `kernel` when that is absent), strides, dilations, pads, auto_pad
// and ceil_mode; checks their counts and ranges.
Result<Windows> read_windows(const InferContext& ctx, size_t rank, std::span<const Dim> kernel);
// dilation * (kernel - 1) + 1; nothing on overflow. The kernel is known.
std::optional<int64_t> window_reach(const Window& window);
// How often the window fits an axis of this size.
Result<Dim> window_count(const Window& window, const Dim& size);

}  // namespace ortc
