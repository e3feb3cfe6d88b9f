// SPDX-License-Identifier: MIT
//   BatchNormalization(Conv(x, w, b), s, t, m, v)   ->   Conv(x, w', b')
//
//   f = s / sqrt(v + epsilon)    w' = f * w    b' = f * (b - m) + t
//
// The same for ConvTranspose. Everything but x is constant.
#include <cmath>

#include "core/optimise/conv_weights.h"
#include "core/optimise/passes.h"

namespace ortc {
namespace {

bool is_inference(const Node& node) {
  // Before opset 14 the statistics' outputs ask for training.
  for (size_t i = 1; node.opset() < 14 && i < node.outputs().size(); ++i) {
    if (node.output(i) != kNoValue) return false;
  }
  if (node.opset() < 7) return node.int_attribute("is_test", 0) != 0;
  if (node.opset() < 9) return node.int_attribute("spatial", 1) != 0;
  return node.int_attribute("training_mode", 0) == 0;
}

// The four vectors of the node, one number per channel each, in the weight's own type.
std::optional<std::vector<std::vector<double>>> statistics(const Graph& graph, const Node& node,
                                                           int64_t channels, DType dtype) {
  std::vector<std::vector<double>> vectors;
  for (size_t i = 1; i < 5; ++i) {
    const Tensor* tensor = constant_of(graph, node.input(i));
    if (tensor == nullptr || tensor->dtype() != dtype || tensor->element_count() != channels ||
        tensor->dims().size() != 1) {
      return std::nullopt;
    }
    vectors.push_back(*constant_numbers(graph, node.input(i)));
  }
  return vectors;
}

}  // namespace

Result<int> conv_bn_fusion(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    if (!node.is_op("BatchNormalization") || !is_inference(node) || !only_output_is_read(node)) {
      return false;
    }
    Node* conv = graph.producer(node.input(0));
    const auto channels = conv != nullptr ? constant_conv_channels(graph, *conv) : std::nullopt;
    if (!channels || graph.only_consumer(node.input(0)) != &node) return false;
    const DType dtype = constant_of(graph, conv->input(1))->dtype();
    const auto vectors = statistics(graph, node, *channels, dtype);
    if (!vectors) return false;
    const double epsilon = static_cast<double>(node.float_attribute("epsilon", 1e-5f));
    std::vector<double> scale, shift;
    for (size_t i = 0; i < static_cast<size_t>(*channels); ++i) {
      scale.push_back((*vectors)[0][i] / std::sqrt((*vectors)[3][i] + epsilon));
      if (!std::isfinite(scale.back())) return false;
      shift.push_back((*vectors)[1][i] - (*vectors)[2][i] * scale.back());
    }
    if (!bypass(graph, node.id(), node.input(0))) return false;
    scale_and_shift(graph, *conv, scale, shift);
    return true;
  });
}

}  // namespace ortc
