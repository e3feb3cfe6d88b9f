// SPDX-License-Identifier: MIT
// Which weights may have 16 bits where a product of float32 reads them.
#pragma once

#include "core/graph/graph.h"

namespace ortc::cpu {

inline bool may_have_half_weights(const Node& node) {
  return node.is_op("MatMul") || node.is_op("Gemm") || node.is_op("Conv") ||
         node.is_op("ConvTranspose") || node.is_op("Attention", kMicrosoftDomain);
}

// Whether ortc.Conv reads the filters of a Conv channel by channel (depthwise_f32.h).
inline bool is_by_channels(const Node& node, std::span<const int64_t> weights) {
  if (!node.is_op("Conv") || weights.size() < 2) return false;
  const int64_t groups = node.int_attribute("group", 1), size = weights[1];
  const bool is_small = size == 1 || size == 2 || size == 4 || size == 8;
  return is_small && groups > 0 && weights[0] / groups == size && weights[0] % groups == 0;
}

// Whether it makes elements of few channels of dot products (conv_dots_f32.h).
inline bool is_by_dots(const Node& node, std::span<const int64_t> weights) {
  return node.is_op("Conv") && weights.size() == 4 && weights[0] <= 4 &&
         weights[1] * weights[3] >= 32 && node.int_attribute("group", 1) == 1;
}

// A convolution by groups of few channels, or to few, reads floats: its weights are few. A
// transposed one over three axes does too: it has no packed weights.
inline bool reads_half_weights(const Node& node, const Tensor& weights) {
  if (node.is_op("ConvTranspose") && weights.dims().size() > 4) return false;
  if (node.is_op("Attention", kMicrosoftDomain) && weights.dims().size() != 2) return false;
  return may_have_half_weights(node) && !is_by_channels(node, weights.dims()) &&
         !is_by_dots(node, weights.dims());
}

inline bool is_recurrent(const Node& node) {
  return node.is_op("RNN") || node.is_op("GRU") || node.is_op("LSTM");
}

// Whether the node's input may stay 16 bits beside a float32 first input. Where no kernel comes to
// read it so, widen_left_weights makes it float32.
inline bool is_half_weight(const Node& node, uint32_t input, const Tensor& weights) {
  if (is_recurrent(node)) return input == 1 || input == 2;
  return input == 1 && reads_half_weights(node, weights);
}

}  // namespace ortc::cpu
