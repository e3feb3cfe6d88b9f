// SPDX-License-Identifier: MIT
// BatchNormalization as lines: see the header.
#include "core/rewrite/batch_norm.h"

#include <array>
#include <cmath>

#include "core/rewrite/facts.h"

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

}  // namespace

std::optional<ChannelLines> batch_norm_lines(const Node& node, DType dtype) {
  if (!node.is_op("BatchNormalization") || !is_inference(node) || !only_output_is_read(node)) {
    return std::nullopt;
  }
  std::array<std::vector<double>, 4> numbers;  // scale, bias, mean, variance
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Tensor* tensor = constant_of(*node.graph(), node.input(i + 1));
    if (tensor == nullptr || tensor->dtype() != dtype || tensor->dims().size() != 1) {
      return std::nullopt;
    }
    numbers[i] = *constant_numbers(*node.graph(), node.input(i + 1));
    if (numbers[i].size() != numbers[0].size()) return std::nullopt;
  }
  const double epsilon = static_cast<double>(node.float_attribute("epsilon", 1e-5f));
  ChannelLines lines;
  for (size_t c = 0; c < numbers[0].size(); ++c) {
    const double scale = numbers[0][c] / std::sqrt(numbers[3][c] + epsilon);
    if (!std::isfinite(scale)) return std::nullopt;
    lines.scale.push_back(scale);
    lines.shift.push_back(numbers[1][c] - numbers[2][c] * scale);
  }
  return lines;
}

}  // namespace ortc
