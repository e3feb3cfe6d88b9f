// SPDX-License-Identifier: MIT
//   Gelu(Add(x, b))       ->   com.microsoft BiasGelu(x, b)
//   FastGelu(Add(x, b))   ->   com.microsoft FastGelu(x, b)
//
// b is a constant vector along the last axis.
#include "core/optimise/gelu_match.h"
#include "core/optimise/passes.h"

namespace ortc {
namespace {

// The operator that takes the bias in; empty when the node is not a Gelu.
std::string with_bias(const Node& node) {
  const bool is_own = node.is_op("Gelu"), is_theirs = node.is_op("Gelu", kMicrosoftDomain);
  if (is_theirs) return "BiasGelu";
  if (is_own) {
    return node.string_attribute("approximate", "none") == "tanh" ? "FastGelu" : "BiasGelu";
  }
  const bool is_fast = node.is_op("FastGelu", kMicrosoftDomain) && node.inputs().size() == 1;
  return is_fast ? "FastGelu" : "";
}

bool is_bias(const Graph& graph, ValueId id, ValueId x) {
  const Tensor* bias = constant_of(graph, id);
  const Value* data = graph.value(x);
  if (bias == nullptr || data == nullptr || !data->type.has_shape()) return false;
  const Shape& shape = *data->type.shape;
  return bias->dims().size() == 1 && shape.size() >= 2 && shape.back().value == bias->dims()[0];
}

}  // namespace

Result<int> bias_gelu_fusion(Graph& graph, const PassContext& context) {
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    const std::string op = with_bias(node);
    const Node* add = op.empty() ? nullptr : graph.producer(node.input(0));
    if (add == nullptr || !add->is_op("Add") || add->opset() < 7 ||
        graph.only_consumer(node.input(0)) != &node ||
        (mask_of(dtype_of(graph, node.input(0))) & kGeluTypes) == 0) {
      return false;
    }
    const size_t at = is_bias(graph, add->input(1), add->input(0)) ? 0 : 1;
    if (!is_bias(graph, add->input(1 - at), add->input(at))) return false;
    NewNode made = {op, std::string(kMicrosoftDomain), {add->input(at), add->input(1 - at)}, {}};
    ASSIGN_OR_RETURN(const Node* done,
                     replace_producer(graph, node.output(0), std::move(made), context.evaluator));
    return done != nullptr;
  });
}

}  // namespace ortc
