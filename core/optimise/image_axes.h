// SPDX-License-Identifier: MIT
// Values that hold an image in another layout: which axes of the image theirs are.
#pragma once

#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace ortc {

// Axes of an image in the order of another value's. Those that are not there have the size 1.
using ImageAxes = std::vector<int64_t>;

ImageAxes all_axes_of(size_t rank);
// Of the result of a Transpose, Squeeze or Unsqueeze, given those of its input and the image's
// rank; nothing for other nodes, and where the result is none of the image's elements in a layout
// that is known now.
std::optional<ImageAxes> axes_behind(const Node& node, const ImageAxes& axes, size_t rank);
// The axes that are not there, in their order.
ImageAxes missing_axes(const ImageAxes& axes, size_t rank);
// How a Transpose brings the axes that are there from their order into this one.
std::vector<int64_t> order_of_axes(const ImageAxes& axes);

}  // namespace ortc
