// SPDX-License-Identifier: MIT
// Weights of 16 bits beside a float32 input that no kernel has come to read so:
//
//   MatMul|Gemm|Conv|...(x f32, W f16) -> the same (x f32, W f32)
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/half_weights.h"
#include "providers/cpu/products/narrow_panels.h"

namespace ortc::cpu {

Result<int> left_half_weights(Graph& graph, const KernelRegistry&) {
  int matches = 0;
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr || !is_float32(graph, node->input(0))) continue;
    if (!may_have_half_weights(*node) && !is_recurrent(*node)) continue;
    for (const uint32_t input : {1u, 2u}) {
      if (input == 2 && !is_recurrent(*node)) continue;
      const Value* weights = graph.value(node->input(input));
      const Tensor* constant = weights != nullptr ? weights->constant() : nullptr;
      if (constant == nullptr || !is_half(constant->dtype())) continue;
      ASSIGN_OR_RETURN(Tensor wide, widened(*constant));
      graph.set_input(id, input, graph.add_constant(weights->name, std::move(wide)));
      ++matches;
    }
  }
  return matches;
}

}  // namespace ortc::cpu
