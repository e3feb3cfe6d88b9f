// SPDX-License-Identifier: MIT
//   x / Sqrt(ReduceMean(x^2) + epsilon) * scale   ->   RMSNormalization(x, scale)
//
// Over the last axis; x may as well be multiplied by 1 / Sqrt(...). ONNX has the operator from
// opset 23 on; before, it is ONNX Runtime's SimplifiedLayerNormalization.
#include "core/optimise/norm_match.h"
#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

bool is_reciprocal(const Graph& graph, const Node& node) {
  if (node.is_op("Reciprocal")) return true;
  return node.is_op("Div") && is_scalar_beside(graph, node.input(0), 1.0, node.input(1));
}

struct OverRoot {
  ValueId x = kNoValue, root = kNoValue;
};

// x and root when `node` is x / root or x * (1 / root).
OverRoot over_root(Graph& graph, const Node& node) {
  if (node.is_op("Div")) return {node.input(0), node.input(1)};
  if (!node.is_op("Mul")) return {};
  for (size_t i = 0; i < 2; ++i) {
    const Node* inverse = graph.producer(node.input(i));
    if (inverse != nullptr && is_reciprocal(graph, *inverse) &&
        graph.only_consumer(node.input(i)) == &node) {
      return {node.input(1 - i), inverse->input(inverse->is_op("Div") ? 1 : 0)};
    }
  }
  return {};
}

}  // namespace

Result<int> rms_norm_fusion(Graph& graph, const PassContext& context) {
  if (graph.opset("") < 7) return 0;  // operands had to be broadcast by attributes
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    const auto [x, root] = over_root(graph, node);
    if (x == kNoValue || (mask_of(dtype_of(graph, x)) & kNormTypes) == 0) return false;
    const auto epsilon = epsilon_of_root(graph, root, x);
    const Node* scaled = epsilon ? vector_node(graph, node.output(0), "Mul", x) : nullptr;
    if (scaled == nullptr) return false;
    const bool is_standard = graph.opset("") >= 23;
    NewNode made = {is_standard ? "RMSNormalization" : "SimplifiedLayerNormalization",
                    "",
                    {x, other_input(*scaled, node.output(0))},
                    {}};
    made.attributes.push_back(Attribute::of_int("axis", -1));
    made.attributes.push_back(Attribute::of_float("epsilon", *epsilon));
    ASSIGN_OR_RETURN(const Node* done, replace_producer(graph, scaled->output(0), std::move(made),
                                                        context.evaluator));
    return done != nullptr;
  });
}

}  // namespace ortc
