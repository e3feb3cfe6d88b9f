// SPDX-License-Identifier: MIT
//   BatchNormalization(Conv(x, w, b), s, t, m, v)   ->   Conv(x, w', b')
//
//   f = s / sqrt(v + epsilon)    w' = f * w    b' = f * (b - m) + t
//
// The same for ConvTranspose. Everything but x is constant.
#include "core/optimise/conv_weights.h"
#include "core/optimise/passes.h"
#include "core/rewrite/batch_norm.h"

namespace ortc {

Result<int> conv_bn_fusion(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    if (!node.is_op("BatchNormalization")) return false;
    Node* conv = graph.producer(node.input(0));
    const auto channels = conv != nullptr ? constant_conv_channels(graph, *conv) : std::nullopt;
    if (!channels || graph.only_consumer(node.input(0)) != &node) return false;
    const auto lines = batch_norm_lines(node, constant_of(graph, conv->input(1))->dtype());
    if (!lines || static_cast<int64_t>(lines->scale.size()) != *channels) return false;
    auto constants = scaled_and_shifted(graph, *conv, lines->scale, lines->shift);
    if (!constants || !bypass(graph, node.id(), node.input(0))) return false;
    set_constants(graph, *conv, std::move(*constants));
    return true;
  });
}

}  // namespace ortc
