// SPDX-License-Identifier: MIT
// Which weights may have 16 bits where a product of float32 reads them.
#pragma once

#include <algorithm>

#include "core/graph/graph.h"
#include "providers/cpu/arith/conv_dots_f32/conv_dots_f32.h"
#include "providers/cpu/arith/depthwise_f32/depthwise_f32.h"

namespace ortc::cpu {

inline bool may_have_half_weights(const Node& node) {
  return node.is_op("MatMul") || node.is_op("Gemm") || node.is_op("Conv") ||
         node.is_op("ConvTranspose") || node.is_op("Attention", kMicrosoftDomain);
}

// Whether ortc.Conv computes a Conv with such weights by panels, which may have 16 bits.
inline bool is_by_panels(const Node& node, std::span<const int64_t> weights) {
  ConvShape shape;
  shape.groups = static_cast<size_t>(std::max<int64_t>(1, node.int_attribute("group", 1)));
  shape.in_c = static_cast<size_t>(weights[1]) * shape.groups;
  shape.out_c = static_cast<size_t>(weights[0]);
  shape.kernel_w = static_cast<size_t>(weights.back());
  return !is_by_channels(shape) && !suits_dots(shape);
}

// A convolution by groups of few channels, or to few, reads floats: its weights are few. A
// transposed one over three axes does too: it has no packed weights.
inline bool reads_half_weights(const Node& node, const Tensor& weights) {
  if (node.is_op("ConvTranspose") && weights.dims().size() > 4) return false;
  if (node.is_op("Attention", kMicrosoftDomain) && weights.dims().size() != 2) return false;
  if (node.is_op("Conv") && weights.dims().size() > 1) return is_by_panels(node, weights.dims());
  return may_have_half_weights(node);
}

inline bool is_recurrent(const Node& node) {
  return node.is_op("RNN") || node.is_op("GRU") || node.is_op("LSTM");
}

// Whether the node's input may stay 16 bits beside a float32 first input. Where no kernel comes to
// read it so, left_half_weights makes it float32.
inline bool is_half_weight(const Node& node, uint32_t input, const Tensor& weights) {
  if (is_recurrent(node)) return input == 1 || input == 2;
  return input == 1 && reads_half_weights(node, weights);
}

// A constant of float16 or bfloat16 as float32.
Result<Tensor> widened(const Tensor& tensor);

}  // namespace ortc::cpu
