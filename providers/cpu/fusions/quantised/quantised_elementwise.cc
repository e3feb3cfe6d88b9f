// SPDX-License-Identifier: MIT
// Arithmetic between quantised tensors, with D and Q linear dequantisation and quantisation with
// one scale:
//
//   Q(Add(D(a), D(b))), Q(Mul(D(a), D(b)))  -> ortc.QAdd, ortc.QMul
//   Q(Relu|Clip(Add(D(a), D(b))))           -> ortc.QAdd {low, high}: rounding keeps order
//   Q(GlobalAveragePool(D(x)))              -> com.microsoft.QLinearGlobalAveragePool
#include <algorithm>
#include <cmath>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/quantised/quantised_match.h"
#include "providers/cpu/internal_ops.h"

namespace ortc::cpu {
namespace {

ValueId add_scale(Graph& graph, const QuantParams& params) {
  return graph.add_constant("scale", Tensor::scalar(params.scale));
}

// The limits that a Relu or Clip in front of a quantisation is behind it.
struct Limits {
  int64_t low, high;
};

std::optional<Limits> limits_of(const Graph& graph, const Node& node, const QuantParams& to) {
  const int32_t least = to.dtype == DType::kInt8 ? -128 : 0;
  Limits limits{least, least + 255};
  if (node.is_op("Relu")) {
    limits.low = std::max(limits.low, int64_t{to.zero});
    return limits;
  }
  if (!node.is_op("Clip") || node.opset() < 11) return std::nullopt;
  for (const size_t i : {1, 2}) {
    if (node.input(i) == kNoValue) continue;
    const auto bound = constant_scalar(graph, node.input(i));
    if (!bound || std::isnan(*bound)) return std::nullopt;
    const float quanta = std::clamp(std::nearbyint(*bound / to.scale), -1024.0f, 1024.0f);
    const int64_t code =
        std::clamp<int64_t>(static_cast<int64_t>(quanta) + to.zero, least, least + 255);
    (i == 1 ? limits.low : limits.high) = code;
  }
  limits.low = std::min(limits.low, limits.high);
  return limits;
}

// Q(f(D(a), D(b))), with or without an activation in between.
Result<bool> fuse_binary(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const bool is_add = node.is_op("Add");
  if (!is_add && !node.is_op("Mul")) return false;
  const auto a = dequantised(graph, node.input(0)), b = dequantised(graph, node.input(1));
  if (!a || !b || a->params.dtype != b->params.dtype) return false;
  Node* activation = nullptr;
  Node* quantize = only_quantizer(graph, node.output(0));
  if (quantize == nullptr) {
    activation = graph.only_consumer(node.output(0));
    if (activation == nullptr || activation->input(0) != node.output(0) ||
        activation->outputs().size() != 1) {
      return false;
    }
    quantize = only_quantizer(graph, activation->output(0));
    if (quantize == nullptr) return false;
  }
  const QuantParams to = *quant_params(graph, *quantize);
  if (to.dtype != a->params.dtype) return false;
  std::vector<Attribute> attributes;
  if (activation != nullptr) {
    const auto limits = limits_of(graph, *activation, to);
    if (!limits) return false;
    attributes.push_back(Attribute::of_int("low", limits->low));
    attributes.push_back(Attribute::of_int("high", limits->high));
  }
  const std::vector<ValueId> inputs = {a->x,
                                       add_scale(graph, a->params),
                                       add_zero(graph, a->params),
                                       b->x,
                                       add_scale(graph, b->params),
                                       add_zero(graph, b->params),
                                       add_scale(graph, to),
                                       add_zero(graph, to)};
  const std::vector<ValueId> outputs = {quantize->output(0)};
  const std::string name = node.name();
  const NodeId quantize_id = quantize->id();
  if (activation != nullptr) graph.remove_node(activation->id());
  graph.remove_node(quantize_id);
  graph.remove_node(id);
  auto added = graph.add_node(is_add ? "QAdd" : "QMul", std::string(kInternalDomain), name, inputs,
                              outputs, std::move(attributes));
  if (!added.is_ok()) return added.status();
  return true;
}

Result<bool> fuse_average(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  if (!node.is_op("GlobalAveragePool")) return false;
  const auto x = dequantised(graph, node.input(0));
  Node* quantize = only_quantizer(graph, node.output(0));
  if (!x || quantize == nullptr) return false;
  const QuantParams to = *quant_params(graph, *quantize);
  if (to.dtype != x->params.dtype) return false;
  const std::vector<ValueId> inputs = {x->x, add_scale(graph, x->params),
                                       add_zero(graph, x->params), add_scale(graph, to),
                                       add_zero(graph, to)};
  const std::vector<ValueId> outputs = {quantize->output(0)};
  const std::string name = node.name();
  graph.remove_node(quantize->id());
  graph.remove_node(id);
  import_domain(graph, kMicrosoftDomain, 1);
  auto added = graph.add_node("QLinearGlobalAveragePool", std::string(kMicrosoftDomain), name,
                              inputs, outputs, {Attribute::of_int("channels_last", 0)});
  if (!added.is_ok()) return added.status();
  return true;
}

}  // namespace

Result<int> quantised_elementwise(Graph& graph, const KernelRegistry& kernels) {
  const bool has_binary = kernels.knows_operator("QAdd", kInternalDomain) &&
                          kernels.knows_operator("QMul", kInternalDomain);
  const bool has_average = kernels.knows_operator("QLinearGlobalAveragePool", kMicrosoftDomain);
  int matches = 0;
  const size_t bound = graph.node_bound();
  for (NodeId id = 0; id < bound; ++id) {
    if (has_binary && graph.node(id) != nullptr) {
      ASSIGN_OR_RETURN(const bool done, fuse_binary(graph, id));
      matches += done ? 1 : 0;
    }
    if (has_average && graph.node(id) != nullptr) {
      ASSIGN_OR_RETURN(const bool done, fuse_average(graph, id));
      matches += done ? 1 : 0;
    }
  }
  return matches;
}

}  // namespace ortc::cpu
