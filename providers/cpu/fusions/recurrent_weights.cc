// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM of a float32 x with constant W and R -> ortc.RNN, ortc.GRU, ortc.LSTM, which
// pack them when the plan is made. W and R may be of 16 bits (half_precision.cc): they stay so.
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/half_weights.h"

namespace ortc::cpu {
namespace {

bool fits(const Graph& graph, const Node& node) {
  if (!is_recurrent(node) || !is_float32(graph, node.input(0))) return false;
  constexpr TypeMask kTypes = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
  const Tensor* w = constant_of(graph, node.input(1));
  const Tensor* r = constant_of(graph, node.input(2));
  if (w == nullptr || r == nullptr || w->dtype() != r->dtype() ||
      (mask_of(w->dtype()) & kTypes) == 0 || w->element_count() == 0 || r->element_count() == 0) {
    return false;
  }
  // What does not fit is told by the operator's own name.
  const int64_t gates = node.is_op("LSTM") ? 4 : node.is_op("GRU") ? 3 : 1;
  const int64_t directions = node.string_attribute("direction", "") == "bidirectional" ? 2 : 1;
  if (w->dims().size() != 3 || r->dims().size() != 3) return false;
  const int64_t hidden = r->dims()[2];
  return w->dims()[0] == directions && r->dims()[0] == directions && r->dims()[1] % gates == 0 &&
         r->dims()[1] / gates == hidden && w->dims()[1] == r->dims()[1];
}

}  // namespace

Result<int> recurrent_weights(Graph& graph, const KernelRegistry& kernels) {
  if (!kernels.knows_operator("LSTM", kInternalDomain)) return 0;
  int matches = 0;
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    Node* node = graph.node(id);
    if (node == nullptr || !fits(graph, *node)) continue;
    node->set_op(std::string(node->op_type()), std::string(kInternalDomain));
    ++matches;
  }
  return matches;
}

}  // namespace ortc::cpu
