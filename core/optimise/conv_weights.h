// SPDX-License-Identifier: MIT
// Scaling and shifting the output channels of a convolution by changing its weight and bias.
#pragma once

#include <optional>
#include <vector>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {

// The number of output channels of a Conv or ConvTranspose whose weight, and bias if it has one,
// are float constants; nothing for other nodes.
std::optional<int64_t> constant_conv_channels(const Graph& graph, const Node& node);
// One number per channel from a constant that is stretched over the convolution's output: a single
// element, or 1s around the channels' axis. Nothing when it would stretch the output instead.
std::optional<std::vector<double>> per_channel_numbers(const Graph& graph, const Node& conv,
                                                       ValueId constant);
// What makes the node give scale[c] * y + shift[c] for channel c.
struct ConvConstants {
  std::optional<Tensor> weight;  // nothing: as it is
  Tensor bias;
};
// Nothing when a scale is not finite, a number is too large for the element type although those
// that it is made of are not, or all weights of a channel are too small for it.
std::optional<ConvConstants> scaled_and_shifted(const Graph& graph, const Node& conv,
                                                const std::vector<double>& scale,
                                                const std::vector<double>& shift);
void set_constants(Graph& graph, Node& conv, ConvConstants constants);

}  // namespace ortc
