// SPDX-License-Identifier: MIT
// MatMul(A, Transpose(B, last two exchanged))  -> ortc.BatchedMatMul(A, B) {transB}
// Mul|Div(ortc.BatchedMatMul, scalar)          -> ortc.BatchedMatMul {alpha}
// Only where neither operand is constant: those become ortc.Gemm.
#include <cmath>

#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {
namespace {

// The value under a Transpose that exchanges the last two dims and keeps the others; kNoValue when
// there is none.
ValueId under_transpose(const Graph& graph, ValueId id) {
  const Node* transpose = graph.producer(id);
  if (transpose == nullptr || !transpose->is_op("Transpose")) return kNoValue;
  const Shape* shape = known_shape(graph, transpose->input(0));
  const auto perm = transpose->ints_attribute("perm");
  if (shape == nullptr || shape->size() < 2 || perm.size() != shape->size()) return kNoValue;
  const auto rank = static_cast<int64_t>(shape->size());
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t expected = i == rank - 1 ? rank - 2 : i == rank - 2 ? rank - 1 : i;
    if (perm[static_cast<size_t>(i)] != expected) return kNoValue;
  }
  return transpose->input(0);
}

Result<bool> rewrite_matmul(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  if (!node.is_op("MatMul") || !is_float32(graph, node.input(0)) ||
      !is_float32(graph, node.input(1))) {
    return false;
  }
  const Shape* a = known_shape(graph, node.input(0));
  const Shape* b = known_shape(graph, node.input(1));
  if (a == nullptr || b == nullptr || a->size() < 2 || b->size() < 2) return false;
  const ValueId under = under_transpose(graph, node.input(1));
  std::vector<Attribute> attributes;
  if (under != kNoValue) attributes.push_back(Attribute::of_int("transB", 1));
  const std::vector<ValueId> inputs = {node.input(0), under != kNoValue ? under : node.input(1)};
  const std::vector<ValueId> outputs = {node.output(0)};
  const std::string name = node.name();
  graph.remove_node(id);
  auto added = graph.add_node("BatchedMatMul", std::string(kInternalDomain), name, inputs, outputs,
                              std::move(attributes));
  if (!added.is_ok()) return added.status();
  return true;
}

Result<bool> fold_scale(Graph& graph, NodeId id) {
  Node& product = *graph.node(id);
  if (!product.is_op("BatchedMatMul", kInternalDomain)) return false;
  Node* scale = graph.only_consumer(product.output(0));
  if (scale == nullptr || (!scale->is_op("Mul") && !scale->is_op("Div"))) return false;
  const bool product_first = scale->input(0) == product.output(0);
  if (scale->is_op("Div") && !product_first) return false;
  const auto factor = constant_scalar(graph, scale->input(product_first ? 1 : 0));
  const Shape* shape = known_shape(graph, product.output(0));
  const Shape* scaled = known_shape(graph, scale->output(0));
  if (!factor || shape == nullptr || scaled == nullptr || shape->size() != scaled->size())
    return false;
  const float before = product.float_attribute("alpha", 1.0f);
  const float alpha = scale->is_op("Div") ? before / *factor : before * *factor;
  if (!std::isnormal(alpha)) return false;  // two steps may give numbers where one does not
  product.set_attribute(Attribute::of_float("alpha", alpha));
  const ValueId output = scale->output(0);
  graph.remove_node(scale->id());
  graph.set_output(id, 0, output);
  return true;
}

}  // namespace

Result<int> batched_matmul(Graph& graph, const KernelRegistry& kernels) {
  if (!kernels.knows_operator("BatchedMatMul", kInternalDomain)) return 0;
  int matches = 0;
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    if (graph.node(id) == nullptr) continue;
    ASSIGN_OR_RETURN(bool matched, rewrite_matmul(graph, id));
    if (matched) {
      ++matches;
      continue;
    }
    ASSIGN_OR_RETURN(bool folded, fold_scale(graph, id));
    matches += folded ? 1 : 0;
  }
  return matches;
}

}  // namespace ortc::cpu
