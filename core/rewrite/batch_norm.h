// SPDX-License-Identifier: MIT
// What a BatchNormalization of constants does to each channel.
#pragma once

#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace ortc {

// scale[c] * x + shift[c]
struct ChannelLines {
  std::vector<double> scale, shift;
};

// Nothing for other nodes, for one that trains, and where a statistic is computed, is not one
// number of `dtype` for each channel, or makes a scale that is not finite.
std::optional<ChannelLines> batch_norm_lines(const Node& node, DType dtype);

}  // namespace ortc
