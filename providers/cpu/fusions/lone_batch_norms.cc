// SPDX-License-Identifier: MIT
// A BatchNormalization that no convolution in front has taken, beside one: it is a convolution of
// one pixel and one channel each, which is channels last and takes the activation behind it:
//
//   BatchNormalization(x, s, t, m, v)   ->   Conv(x, w, b) {group = channels}
#include <algorithm>

#include "core/rewrite/batch_norm.h"
#include "core/rewrite/changes.h"
#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {
namespace {

bool is_activation(const Node& node) {
  return node.is_op("Relu") || node.is_op("LeakyRelu") || node.is_op("Clip") ||
         node.is_op("Sigmoid") || node.is_op("HardSwish") || node.is_op("PRelu");
}

// A convolution, through a few activations.
bool is_read_by_window(const Graph& graph, ValueId id, int steps = 4) {
  if (id == kNoValue) return false;
  return std::ranges::any_of(graph.value(id)->uses, [&](const Use& use) {
    if (use.is_implicit || use.input != 0) return false;
    const Node& reader = *graph.node(use.node);
    if (is_activation(reader)) {
      return steps > 0 && is_read_by_window(graph, reader.output(0), steps - 1);
    }
    return reader.is_op("Conv") && constant_of(graph, reader.input(1)) != nullptr;
  });
}

// By a convolution, through a few activations.
bool is_made_by_window(const Graph& graph, ValueId id, int steps = 4) {
  const Node* maker = graph.producer(id);
  if (maker == nullptr) return false;
  if (is_activation(*maker)) {
    return steps > 0 && is_made_by_window(graph, maker->input(0), steps - 1);
  }
  return maker->is_op("Conv") && constant_of(graph, maker->input(1)) != nullptr;
}

Tensor floats_of(const std::vector<double>& numbers, Dims dims) {
  const std::vector<float> floats(numbers.begin(), numbers.end());
  return Tensor::from<float>(std::move(dims), floats);
}

}  // namespace

Result<int> lone_batch_norms(Graph& graph, const KernelRegistry&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    if (!node.is_op("BatchNormalization") || !is_float32(graph, node.input(0)) ||
        rank_of(graph, node.input(0)) != size_t{4}) {
      return false;
    }
    if (!is_read_by_window(graph, node.output(0)) && !is_made_by_window(graph, node.input(0))) {
      return false;
    }
    const auto lines = batch_norm_lines(node, DType::kFloat32);
    if (!lines || lines->scale.empty()) return false;
    const auto channels = static_cast<int64_t>(lines->scale.size());
    const ValueId weights =
        graph.add_constant("scales", floats_of(lines->scale, {channels, 1, 1, 1}));
    const ValueId bias = graph.add_constant("shifts", floats_of(lines->shift, {channels}));
    const ValueId input = node.input(0), output = node.output(0);
    const std::string name = node.name();
    graph.remove_node(node.id());
    auto added = graph.add_node("Conv", "", name, {input, weights, bias}, {output},
                                {Attribute::of_int("group", channels)});
    if (!added.is_ok()) return added.status();
    return true;
  });
}

}  // namespace ortc::cpu
