// SPDX-License-Identifier: MIT
// Which weights may have 16 bits where a product of float32 reads them.
#pragma once

#include "core/graph/graph.h"

namespace ortc::cpu {

inline bool may_have_half_weights(const Node& node) {
  return node.is_op("MatMul") || node.is_op("Gemm") || node.is_op("Conv") ||
         node.is_op("ConvTranspose") || node.is_op("Attention", kMicrosoftDomain);
}

// A convolution with one filter for each channel reads floats: its weights are few. A transposed
// one over three axes does too: it has no packed weights.
inline bool reads_half_weights(const Node& node, const Tensor& weights) {
  if (node.is_op("ConvTranspose") && weights.dims().size() > 4) return false;
  if (node.is_op("Attention", kMicrosoftDomain) && weights.dims().size() != 2) return false;
  const bool is_depthwise = node.is_op("Conv") && weights.dims().size() > 1 &&
                            weights.dims()[1] == 1 &&
                            weights.dims()[0] == node.int_attribute("group", 1);
  return may_have_half_weights(node) && !is_depthwise;
}

}  // namespace ortc::cpu
