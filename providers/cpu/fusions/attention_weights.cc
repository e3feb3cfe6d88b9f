// SPDX-License-Identifier: MIT
// com.microsoft.Attention(x, constant weights, constant bias, ...)
//   -> rows = ortc.Gemm(x, weights, bias), ortc.ProjectedAttention(rows, -, -, ...)
//
// So the weights are packed when the plan is made, and may be of 16 bits beside a float32 x
// (half_precision.cc): they stay so.
#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {
namespace {

enum Input : size_t { kX, kWeights, kBias };

bool fits(const Graph& graph, const Node& node) {
  if (!node.is_op("Attention", kMicrosoftDomain) || !is_float32(graph, node.input(kX)))
    return false;
  constexpr TypeMask kTypes = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
  const Shape* x = known_shape(graph, node.input(kX));
  const Tensor* weights = constant_of(graph, node.input(kWeights));
  if (x == nullptr || x->size() != 3 || weights == nullptr || weights->dims().size() != 2 ||
      weights->element_count() == 0 || (mask_of(weights->dtype()) & kTypes) == 0) {
    return false;
  }
  const Dim& depth = (*x)[2];  // what does not fit is told by the operator's own name
  if (depth.is_known() && depth.value != weights->dims()[0]) return false;
  if (node.int_attribute("past_present_share_buffer", 0) != 0) return false;
  if (node.input(kBias) == kNoValue) return true;
  const Tensor* bias = constant_of(graph, node.input(kBias));
  return bias != nullptr && bias->dtype() == DType::kFloat32 &&
         bias->dims() == Dims{weights->dims()[1]};
}

Status rewrite(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const Shape& x = *known_shape(graph, node.input(kX));
  const int64_t columns = constant_of(graph, node.input(kWeights))->dims()[1];
  Type type = graph.value(node.input(kX))->type;
  type.shape = Shape{x[0], x[1], Dim::known(columns)};
  const std::string name = node.name();
  ASSIGN_OR_RETURN(
      const ValueId rows,
      graph.add_value(graph.unique_name(str_cat(name, "/projected")), std::move(type)));
  std::vector<ValueId> inputs = node.inputs();
  const std::vector<ValueId> outputs = node.outputs();
  std::vector<ValueId> operands = {inputs[kX], inputs[kWeights]};
  if (inputs.size() > kBias && inputs[kBias] != kNoValue) operands.push_back(inputs[kBias]);
  inputs[kX] = rows;
  inputs[kWeights] = kNoValue;
  if (inputs.size() > kBias) inputs[kBias] = kNoValue;
  std::vector<Attribute> attributes = node.attributes();
  graph.remove_node(id);
  RETURN_IF_ERROR(graph
                      .add_node("Gemm", std::string(kInternalDomain), str_cat(name, "/projection"),
                                std::move(operands), {rows}, {})
                      .status());
  return graph
      .add_node("ProjectedAttention", std::string(kInternalDomain), name, std::move(inputs),
                outputs, std::move(attributes))
      .status();
}

}  // namespace

Result<int> attention_weights(Graph& graph, const KernelRegistry& kernels) {
  if (!kernels.knows_operator("Gemm", kInternalDomain) ||
      !kernels.knows_operator("ProjectedAttention", kInternalDomain)) {
    return 0;
  }
  int matches = 0;
  const size_t bound = graph.node_bound();
  for (NodeId id = 0; id < bound; ++id) {
    if (graph.node(id) == nullptr || !fits(graph, *graph.node(id))) continue;
    RETURN_IF_ERROR(rewrite(graph, id));
    ++matches;
  }
  return matches;
}

}  // namespace ortc::cpu
