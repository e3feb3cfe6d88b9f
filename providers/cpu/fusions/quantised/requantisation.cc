// SPDX-License-Identifier: MIT
// Products of quantised tensors whose float result is quantised with one scale (Q) round it
// themselves:
//
//   Q(ortc.QGemm|QConv|QMatMul) -> ortc.QGemm|QConv|QMatMul
#include "providers/cpu/fusions/quantised/quantised_match.h"
#include "providers/cpu/internal_ops.h"

namespace ortc::cpu {

Result<int> requantisation(Graph& graph, const KernelRegistry&) {
  int matches = 0;
  const size_t bound = graph.node_bound();
  for (NodeId id = 0; id < bound; ++id) {
    Node* product = graph.node(id);
    const bool is_computed = product != nullptr && product->is_op("QMatMul", kInternalDomain);
    if (product == nullptr || (!is_computed && !product->is_op("QGemm", kInternalDomain) &&
                               !product->is_op("QConv", kInternalDomain))) {
      continue;
    }
    Node* quantize = only_quantizer(graph, product->output(0));
    if (quantize == nullptr) continue;
    const QuantParams to = *quant_params(graph, *quantize);
    const ValueId output = quantize->output(0);
    product->set_attribute(Attribute::of_float("y_scale", to.scale));
    graph.remove_node(quantize->id());
    graph.set_output(id, 0, output);
    if (is_computed) {
      product->set_attribute(Attribute::of_int("y_zero", to.zero));
      product->set_attribute(Attribute::of_int("y_dtype", static_cast<int64_t>(to.dtype)));
    } else {
      // Inputs in between are omitted ones.
      for (size_t i = product->inputs().size(); i < QProductInput::kYZero; ++i) {
        graph.set_input(id, static_cast<uint32_t>(i), kNoValue);
      }
      graph.set_input(id, QProductInput::kYZero, add_zero(graph, to));
    }
    ++matches;
  }
  return matches;
}

}  // namespace ortc::cpu
