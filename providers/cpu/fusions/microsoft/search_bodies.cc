// SPDX-License-Identifier: MIT
// Bodies of searches for tokens: see the header.
#include "providers/cpu/fusions/microsoft/search_bodies.h"

#include "core/graph/symbol/symbol.h"

namespace ortc::cpu {
namespace {

// The name of a dim means another number in every turn, and outside of the body.
void rename_dims(Graph& graph, const std::string& prefix) {
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    Value* value = graph.value(id);
    if (value == nullptr || value->is_captured() || !value->type.has_shape()) continue;
    for (Dim& dim : *value->type.shape) {
      if (!dim.symbol.empty()) dim.symbol = str_cat(prefix, true_symbol(dim.symbol));
    }
  }
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    if (graph.node(id) == nullptr) continue;
    for (Graph* inner : graph.node(id)->subgraphs()) rename_dims(*inner, prefix);
  }
}

Type without_dims(Type type) {
  if (type.has_shape()) type.shape = Shape(type.shape->size(), Dim::unknown());
  return type;
}

}  // namespace

const Graph* graph_of(const Node& node, std::string_view name) {
  const Attribute* attribute = node.attribute(name);
  return attribute != nullptr ? attribute->graph.get() : nullptr;
}

std::shared_ptr<Graph> body_copy(Graph& graph, const Node& node, std::string_view name) {
  const Graph* given = graph_of(node, name);
  if (given == nullptr) return nullptr;
  auto copy = given->clone(&graph);
  rename_dims(*copy, str_cat(node.name(), "/", name, "/", node.id(), "/"));
  return copy;
}

Attribute body_attribute(std::shared_ptr<Graph> body) {
  Attribute attribute;
  attribute.name = "body";
  attribute.kind = AttributeKind::kGraph;
  attribute.graph = std::move(body);
  return attribute;
}

// The outputs are carried, because those that are stacked would get another axis; so something of
// their types must be there before the turn.
std::vector<ValueId> run_once(Spelling& s, std::shared_ptr<Graph> body,
                              const std::vector<ValueId>& inputs) {
  Spelling b(*body, s.name());
  const std::vector<ValueId> own = body->inputs(), results = body->outputs();
  std::vector<ValueId> in = {b.value(scalar_type(DType::kInt64)),
                             b.value(scalar_type(DType::kBool))};
  std::vector<ValueId> out = {in[1]}, fed = {s.constant(Tensor::scalar(int64_t{1})), kNoValue};
  std::vector<ValueId> left(own.size(), kNoValue), given;
  for (size_t i = 0; i < own.size(); ++i) {
    in.push_back(own[i]);
    out.push_back(own[i]);
    fed.push_back(inputs[i]);
  }
  for (const ValueId id : results) {
    const Type type = without_dims(body->value(id)->type);
    auto empty = Tensor::create(type.dtype, Dims(type.has_shape() ? type.shape->size() : 1, 0));
    in.push_back(b.value(type));
    out.push_back(id);
    fed.push_back(empty.is_ok() ? s.constant(std::move(*empty)) : kNoValue);
    given.push_back(s.value(type));
  }
  if (!b.done().is_ok()) return given;
  body->set_inputs(std::move(in));
  body->set_outputs(std::move(out));
  left.insert(left.end(), given.begin(), given.end());
  s.place("Loop", "", std::move(fed), std::move(left), {body_attribute(std::move(body))});
  return given;
}

}  // namespace ortc::cpu
