// SPDX-License-Identifier: MIT
// Transposes beside twins: see the header.
#include "providers/cpu/fusions/twin_turns.h"

#include <algorithm>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/twin_axes.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kAxesAreInput = 13;  // of Unsqueeze, from this opset on
using Perm = std::vector<int64_t>;

bool is_turn(const Node* node, const Perm& perm) {
  return node != nullptr && node->is_op("Transpose") && node->ints_attribute("perm") == perm;
}

Perm inverse_of(const Perm& perm) {
  Perm inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    inverse[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

// The axis of the image that an Unsqueeze of a line adds, where it is one over which windows go.
std::optional<int64_t> added_axis(const Graph& graph, const Node& node) {
  if (!node.is_op("Unsqueeze") || rank_of(graph, node.input(0)) != size_t{3}) return std::nullopt;
  const auto axes = axes_of(node);
  if (!axes || axes->size() != 1 || !kChannelsLastAxes.has((*axes)[0])) return std::nullopt;
  const int64_t axis = (*axes)[0] < 0 ? (*axes)[0] + 4 : (*axes)[0];
  return axis >= 2 ? std::optional(axis) : std::nullopt;
}

}  // namespace

Status add_transpose(Graph& graph, const std::string& name, ValueId from, ValueId to, Perm perm) {
  auto added = graph.add_node("Transpose", "", name, {from}, {to},
                              {Attribute::of_ints("perm", std::move(perm))});
  return added.is_ok() ? Status::ok() : added.status();
}

Result<ValueId> add_turned(Graph& graph, ValueId value, const Perm& perm) {
  const Value& given = *graph.value(value);
  Type type = Type::tensor(given.type.dtype);
  if (given.type.has_shape() && given.type.shape->size() == perm.size()) {
    type.shape = Shape(perm.size());
    for (size_t i = 0; i < perm.size(); ++i) {
      (*type.shape)[static_cast<size_t>(perm[i])] = (*given.type.shape)[i];
    }
  }
  return graph.add_value(graph.unique_name(str_cat(given.name, "/nhwc")), std::move(type));
}

Result<bool> take_shape_of(Graph& graph, NodeId id, ValueId from, std::span<const int64_t> perm) {
  const Node& node = *graph.node(id);
  if (!node.is_op("Shape")) return false;
  const auto rank = static_cast<int64_t>(perm.size());
  const auto place = [&](std::string_view name, int64_t otherwise) {
    const int64_t axis = node.int_attribute(name, otherwise);
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const int64_t begin = place("start", 0), count = place("end", rank) - begin;
  if (count <= 0) return false;
  const auto places = perm.subspan(static_cast<size_t>(begin), static_cast<size_t>(count));
  const std::string name = node.name();
  const ValueId output = node.output(0);
  graph.remove_node(id);
  ASSIGN_OR_RETURN(const ValueId sizes,
                   graph.add_value(graph.unique_name(str_cat(graph.value(output)->name, "/nhwc")),
                                   Type::tensor(DType::kInt64, Shape{Dim::known(rank)})));
  RETURN_IF_ERROR(graph.add_node("Shape", "", name, {from}, {sizes}).status());
  const ValueId order = graph.add_constant("axes", Tensor::from<int64_t>({count}, places));
  auto added = graph.add_node("Gather", "", str_cat(name, "/order"), {sizes, order}, {output});
  if (!added.is_ok()) return added.status();
  return true;
}

Status turn_back(Graph& graph, ValueId from, ValueId to, const Perm& perm) {
  const Perm inverse = inverse_of(perm);
  std::vector<NodeId> readers;
  for (const Use& use : graph.value(to)->uses) {
    if (!use.is_implicit) readers.push_back(use.node);
  }
  for (NodeId id : readers) {
    if (is_turn(graph.node(id), inverse)) {
      bypass(graph, id, from);
    } else if (graph.node(id) != nullptr) {
      RETURN_IF_ERROR(take_shape_of(graph, id, from, perm).status());
    }
  }
  if (!is_unread(graph, to)) {
    return add_transpose(graph, str_cat(graph.value(to)->name, "/transpose"), from, to, perm);
  }
  graph.remove_value(to);
  return Status::ok();
}

Result<bool> turn_line(Graph& graph, const std::string& name, ValueId image, ValueId twin) {
  const Node* view = graph.producer(image);
  const auto axis = view != nullptr ? added_axis(graph, *view) : std::nullopt;
  if (!axis) return false;
  const ValueId line = view->input(0);
  const Perm perm = {0, 2, 1};
  ValueId turned = kNoValue;
  if (const Node* turn = graph.producer(line); is_turn(turn, perm)) {
    turned = turn->input(0);
  } else {
    ASSIGN_OR_RETURN(turned, add_turned(graph, line, perm));
    RETURN_IF_ERROR(add_transpose(graph, name, line, turned, perm));
  }
  std::vector<ValueId> inputs = {turned};
  std::vector<Attribute> attributes;
  const int64_t place = kChannelsLastAxes.of(*axis);
  if (graph.opset("") >= kAxesAreInput) {
    inputs.push_back(graph.add_constant("axes", Tensor::from<int64_t>({1}, {&place, 1})));
  } else {
    attributes.push_back(Attribute::of_ints("axes", {place}));
  }
  auto added = graph.add_node("Unsqueeze", "", str_cat(graph.value(twin)->name, "/view"),
                              std::move(inputs), {twin}, std::move(attributes));
  if (!added.is_ok()) return added.status();
  return true;
}

}  // namespace ortc::cpu
