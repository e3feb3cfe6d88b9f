// SPDX-License-Identifier: MIT
//   Add(Conv(x, w, b), t)   ->   Conv(x, w, b + t), t constant and one number per channel
#include "core/optimise/conv_weights.h"
#include "core/optimise/passes.h"

namespace ortc {

Result<int> conv_add_fusion(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& conv) -> Result<bool> {
    if (!constant_conv_channels(graph, conv)) return false;
    const ValueId between = conv.output(0);
    const Node* add = graph.only_consumer(between);
    if (add == nullptr || !add->is_op("Add") || add->opset() < 7) return false;
    const auto shift = per_channel_numbers(graph, conv, other_input(*add, between));
    if (!shift) return false;
    auto constants =
        scaled_and_shifted(graph, conv, std::vector<double>(shift->size(), 1.0), *shift);
    if (!constants || !bypass(graph, add->id(), between)) return false;
    set_constants(graph, conv, std::move(*constants));
    return true;
  });
}

}  // namespace ortc
