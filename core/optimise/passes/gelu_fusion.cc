// SPDX-License-Identifier: MIT
//   0.5 * x * (1 + Erf(x / sqrt(2)))   ->   Gelu(x)
//
// In any order of the factors; the division may be a multiplication by 1 / sqrt(2).
#include "core/optimise/gelu_match.h"
#include "core/optimise/passes.h"

namespace ortc {
namespace {

constexpr double kSqrt2 = 1.4142135623730951;

// x of x / sqrt(2); kNoValue when that is not what stands there.
ValueId scaled_input(Graph& graph, ValueId id) {
  const ValueId x = factor_beside(graph, id, 1.0 / kSqrt2);
  if (x != kNoValue) return x;
  const Node* div = graph.producer(id);
  if (div == nullptr || !div->is_op("Div") || graph.only_consumer(id) == nullptr ||
      !is_scalar_beside(graph, div->input(1), kSqrt2, div->input(0))) {
    return kNoValue;
  }
  return div->input(0);
}

}  // namespace

Result<int> gelu_fusion(Graph& graph, const PassContext& context) {
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    if (!node.is_op("Erf")) return false;
    const ValueId x = scaled_input(graph, node.input(0));
    if (x == kNoValue || (mask_of(dtype_of(graph, x)) & kGeluTypes) == 0) return false;
    const ValueId product = gelu_product(graph, node.output(0), x);
    if (product == kNoValue) return false;
    ASSIGN_OR_RETURN(const Node* made,
                     replace_producer(graph, product, gelu_node(graph, x, /*is_tanh=*/false),
                                      context.evaluator));
    return made != nullptr;
  });
}

}  // namespace ortc
