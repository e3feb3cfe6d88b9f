// SPDX-License-Identifier: MIT
//   0.5 * x * (1 + Tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))   ->   FastGelu(x)
//
// From opset 20 on ONNX's Gelu {approximate="tanh"}. The cube is Pow(x, 3) or x * x * x.
#include "core/optimise/gelu_match.h"
#include "core/optimise/passes.h"

namespace ortc {
namespace {

constexpr double kSqrt2OverPi = 0.7978845608028654;
constexpr double kCubic = 0.044715;

bool is_square(Graph& graph, ValueId id, ValueId x) {
  const Node* node = graph.producer(id);
  if (node == nullptr || graph.only_consumer(id) == nullptr) return false;
  if (node->is_op("Mul")) return node->input(0) == x && node->input(1) == x;
  return node->is_op("Pow") && node->input(0) == x &&
         is_scalar_beside(graph, node->input(1), 2.0, x);
}

bool is_cube(Graph& graph, ValueId id, ValueId x) {
  const Node* node = graph.producer(id);
  if (node == nullptr || graph.only_consumer(id) == nullptr) return false;
  if (node->is_op("Pow")) {
    return node->input(0) == x && is_scalar_beside(graph, node->input(1), 3.0, x);
  }
  return node->is_op("Mul") && is_square(graph, other_input(*node, x), x);
}

// x of x + 0.044715 * x^3; kNoValue when that is not what stands there.
ValueId polynomial_input(Graph& graph, ValueId id) {
  const Node* add = graph.producer(id);
  if (add == nullptr || !add->is_op("Add") || add->inputs().size() != 2 ||
      graph.only_consumer(id) == nullptr) {
    return kNoValue;
  }
  for (size_t i = 0; i < 2; ++i) {
    const ValueId x = add->input(i), cube = factor_beside(graph, add->input(1 - i), kCubic);
    if (cube != kNoValue && is_cube(graph, cube, x)) return x;
  }
  return kNoValue;
}

}  // namespace

Result<int> fast_gelu_fusion(Graph& graph, const PassContext& context) {
  return for_nodes(graph, [&](Node& node) -> Result<bool> {
    if (!node.is_op("Tanh")) return false;
    const ValueId sum = factor_beside(graph, node.input(0), kSqrt2OverPi);
    const ValueId x = sum != kNoValue ? polynomial_input(graph, sum) : kNoValue;
    if (x == kNoValue || (mask_of(dtype_of(graph, x)) & kGeluTypes) == 0) return false;
    const ValueId product = gelu_product(graph, node.output(0), x);
    if (product == kNoValue) return false;
    ASSIGN_OR_RETURN(
        const Node* made,
        replace_producer(graph, product, gelu_node(graph, x, /*is_tanh=*/true), context.evaluator));
    return made != nullptr;
  });
}

}  // namespace ortc
