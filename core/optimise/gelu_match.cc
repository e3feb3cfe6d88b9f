// SPDX-License-Identifier: MIT
// The tail that all Gelu variants share: see the header.
//
//   a)  ((x * (1 + f)) * 0.5)      b)  (x * ((1 + f) * 0.5))      c)  ((x * 0.5) * (1 + f))
#include "core/optimise/gelu_match.h"

namespace ortc {

ValueId factor_beside(Graph& graph, ValueId product, double number) {
  const Node* mul = graph.producer(product);
  if (mul == nullptr || !mul->is_op("Mul") || mul->inputs().size() != 2 ||
      graph.only_consumer(product) == nullptr) {
    return kNoValue;
  }
  for (size_t i = 0; i < 2; ++i) {
    if (is_scalar_beside(graph, mul->input(i), number, mul->input(1 - i))) return mul->input(1 - i);
  }
  return kNoValue;
}

ValueId gelu_product(Graph& graph, ValueId f, ValueId x) {
  const Node* add = graph.only_consumer(f);
  if (add == nullptr || !add->is_op("Add") ||
      !is_scalar_beside(graph, other_input(*add, f), 1.0, f)) {
    return kNoValue;
  }
  const ValueId sum = add->output(0);
  const Node* mul = graph.only_consumer(sum);
  if (mul == nullptr || !mul->is_op("Mul")) return kNoValue;
  const ValueId other = other_input(*mul, sum), product = mul->output(0);
  if (other == kNoValue) return kNoValue;
  if (factor_beside(graph, other, 0.5) == x) return product;
  const Node* last = graph.only_consumer(product);
  if (last == nullptr || !last->is_op("Mul")) return kNoValue;
  const ValueId rest = other_input(*last, product);
  const bool half_last = other == x && is_scalar_beside(graph, rest, 0.5, x);
  const bool half_first = rest == x && is_scalar_beside(graph, other, 0.5, x);
  return half_last || half_first ? last->output(0) : kNoValue;
}

NewNode gelu_node(const Graph& graph, ValueId x, bool is_tanh) {
  if (graph.opset("") >= 20) {
    std::vector<Attribute> attributes;
    if (is_tanh) attributes.push_back(Attribute::of_string("approximate", "tanh"));
    return {"Gelu", "", {x}, std::move(attributes)};
  }
  return {is_tanh ? "FastGelu" : "Gelu", std::string(kMicrosoftDomain), {x}, {}};
}

}  // namespace ortc
