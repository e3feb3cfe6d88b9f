// SPDX-License-Identifier: MIT
//   x * Sigmoid(alpha * x)   ->   com.microsoft QuickGelu(x) {alpha}
//   x * Sigmoid(x)           ->   com.microsoft QuickGelu(x) {alpha=1}
#include "core/optimise/gelu_match.h"
#include "core/optimise/passes.h"

namespace ortc {
namespace {

struct Scaled {
  ValueId x;
  double alpha;
};

// What is behind the sigmoid: alpha * x with a constant, or x itself.
Scaled scaled_input(Graph& graph, ValueId id, ValueId x) {
  if (id == x) return {x, 1.0};
  const Node* mul = graph.producer(id);
  if (mul == nullptr || !mul->is_op("Mul") || graph.only_consumer(id) == nullptr) {
    return {kNoValue, 0.0};
  }
  const ValueId other = other_input(*mul, x);
  const auto alpha = other != kNoValue ? scalar_of(graph, other) : std::nullopt;
  if (!alpha || !is_scalar_beside(graph, other, *alpha, x)) return {kNoValue, 0.0};
  return {x, *alpha};
}

}  // namespace

Result<int> quick_gelu_fusion(Graph& graph, const PassContext& context) {
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    if (!node.is_op("Sigmoid")) return false;
    const ValueId gate = node.output(0);
    const Node* product = graph.only_consumer(gate);
    if (product == nullptr || !product->is_op("Mul")) return false;
    const ValueId x = other_input(*product, gate);
    if (x == kNoValue || (mask_of(dtype_of(graph, x)) & kGeluTypes) == 0) return false;
    const Scaled scaled = scaled_input(graph, node.input(0), x);
    if (scaled.x == kNoValue) return false;
    NewNode made = {"QuickGelu", std::string(kMicrosoftDomain), {x}, {}};
    made.attributes.push_back(Attribute::of_float("alpha", static_cast<float>(scaled.alpha)));
    ASSIGN_OR_RETURN(const Node* done, replace_producer(graph, product->output(0), std::move(made),
                                                        context.evaluator));
    return done != nullptr;
  });
}

}  // namespace ortc
