// SPDX-License-Identifier: MIT
// Sliding windows of convolutions and pools: the part of a params record that attributes fill, and
// the windows that follow from it and a shape.
//
// One to three spatial axes; fewer are filled up in front with axes of size 1, so that arithmetic
// always sees three.
#pragma once

#include <array>

#include "core/kernel/kernel_contexts.h"

namespace ortc::cpu {

inline constexpr size_t kSpatialMax = 3;

enum AutoPad : uint32_t { kExplicitPads = 0, kSameUpper = 1, kSameLower = 2 };

struct WindowParams {
  uint32_t rank;      // spatial axes; 0: the attributes do not say, everything is a default
  uint32_t auto_pad;  // VALID is explicit pads of 0
  uint32_t ceil_mode;
  uint32_t reserved;
  int64_t kernel[kSpatialMax];  // the first `rank` count; 0: as the weights say
  int64_t stride[kSpatialMax];
  int64_t dilation[kSpatialMax];
  int64_t pad_begin[kSpatialMax];
  int64_t pad_end[kSpatialMax];
};
static_assert(sizeof(WindowParams) == 136);

// Reads kernel_shape, strides, dilations, pads, auto_pad and ceil_mode. INVALID_GRAPH when counts
// differ or numbers are out of range, NOT_IMPLEMENTED for more than three axes or negative pads.
Result<WindowParams> windows_from_attributes(const Node& node);

struct WindowAxis {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t pad_begin = 0, pad_end = 0;
};

struct Windows {
  std::array<WindowAxis, kSpatialMax> axis;
  size_t rank = 0;  // axes that the tensor has: the last of the three

  int64_t in_size() const { return axis[0].in * axis[1].in * axis[2].in; }
  int64_t out_size() const { return axis[0].out * axis[1].out * axis[2].out; }
  int64_t taps() const { return axis[0].kernel * axis[1].kernel * axis[2].kernel; }
  const WindowAxis& own_axis(size_t i) const { return axis[kSpatialMax - rank + i]; }
};

// The record over an image of these extents. `kernel` is the weights' extent, empty for pools.
// Everything is checked: all extents are below 2^31, the kernel's at least 1, the input's too
// unless the output's is 0, and the products above fit.
Result<Windows> place_windows(const WindowParams& params, std::span<const int64_t> image,
                              std::span<const int64_t> kernel);

// dilation * (kernel - 1) + 1
constexpr int64_t window_reach(const WindowAxis& axis) {
  return axis.dilation * (axis.kernel - 1) + 1;
}
// Padding that makes up for what the windows need beyond the input, as auto_pad divides it.
void share_same_padding(WindowAxis& axis, int64_t total, bool upper);

}  // namespace ortc::cpu
