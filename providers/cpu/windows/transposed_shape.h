// SPDX-License-Identifier: MIT
// Shapes of transposed convolutions: the record that attributes fill, and the windows that follow.
// Of the windows `in` and `out` are the extents of x and y.
#pragma once

#include "providers/cpu/windows/window.h"

namespace ortc::cpu {

struct ConvTransposeParams {
  uint32_t record_bytes;  // of the record that this is, or begins
  uint32_t has_output_shape;
  int64_t groups;
  WindowParams windows;
  int64_t output_padding[kSpatialMax];
  int64_t output_shape[kSpatialMax];
};
static_assert(sizeof(ConvTransposeParams) == 200);

// All but record_bytes. INVALID_GRAPH when counts differ, NOT_IMPLEMENTED for more than three axes.
Result<ConvTransposeParams> transposed_from_attributes(const Node& node);

// The record over an image and a kernel of these extents. Checked as place_windows() checks; an
// image without pixels is NOT_IMPLEMENTED.
Result<Windows> place_transposed(const ConvTransposeParams& params, std::span<const int64_t> image,
                                 std::span<const int64_t> kernel);

}  // namespace ortc::cpu
