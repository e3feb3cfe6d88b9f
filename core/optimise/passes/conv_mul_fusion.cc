// SPDX-License-Identifier: MIT
//   Mul(Conv(x, w, b), s)   ->   Conv(x, s * w, s * b), s constant and one number per channel
#include "core/optimise/conv_weights.h"
#include "core/optimise/passes.h"

namespace ortc {

Result<int> conv_mul_fusion(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& conv) -> Result<bool> {
    if (!constant_conv_channels(graph, conv)) return false;
    const ValueId between = conv.output(0);
    const Node* mul = graph.only_consumer(between);
    if (mul == nullptr || !mul->is_op("Mul") || mul->opset() < 7) return false;
    const auto scale = per_channel_numbers(graph, conv, other_input(*mul, between));
    if (!scale) return false;
    auto constants =
        scaled_and_shifted(graph, conv, *scale, std::vector<double>(scale->size(), 0.0));
    if (!constants || !bypass(graph, mul->id(), between)) return false;
    set_constants(graph, conv, std::move(*constants));
    return true;
  });
}

}  // namespace ortc
