// SPDX-License-Identifier: MIT
// Transposes beside twins: see the header.
#include "providers/cpu/fusions/twin_turns.h"

#include <algorithm>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/twin_axes.h"

namespace ortc::cpu {
namespace {

using Perm = std::vector<int64_t>;

bool is_turn(const Node* node, const Perm& perm) {
  return node != nullptr && node->is_op("Transpose") && node->ints_attribute("perm") == perm;
}

// Small calls: there are many of them.
Status add(Graph& graph, const char* op, const std::string& name, ValueId from, ValueId list,
           ValueId to) {
  std::vector<ValueId> inputs = {from};
  if (list != kNoValue) inputs.push_back(list);
  return graph.add_node(op, "", name, std::move(inputs), {to}).status();
}

ValueId add_list(Graph& graph, std::span<const int64_t> numbers) {
  const auto count = static_cast<int64_t>(numbers.size());
  return graph.add_constant("axes", Tensor::from<int64_t>({count}, numbers));
}

Result<ValueId> add_like(Graph& graph, ValueId value, Type type) {
  return graph.add_value(graph.unique_name(str_cat(graph.value(value)->name, "/nhwc")),
                         std::move(type));
}

// Integers of a list in another order.
Result<ValueId> add_ordered(Graph& graph, ValueId list, std::span<const int64_t> order) {
  const auto count = static_cast<int64_t>(order.size());
  ASSIGN_OR_RETURN(const ValueId to,
                   add_like(graph, list, Type::tensor(DType::kInt64, shape_of({&count, 1}))));
  RETURN_IF_ERROR(add(graph, "Gather", graph.value(to)->name, list, add_list(graph, order), to));
  return to;
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

constexpr std::string_view kFirstAlone[] = {"Gather", "Slice",   "Unsqueeze", "Squeeze",
                                            "Cast",   "Reshape", "Identity"};
constexpr std::string_view kOfAll[] = {"Concat", "Add", "Sub", "Mul", "Div"};
constexpr int kFarSize = 8;  // nodes from a list of sizes to what they are of

// Whether it was computed of shapes, so that no 0 stands there as a sign.
bool is_of_shapes(const Graph& graph, ValueId id, int steps = kFarSize) {
  if (const auto numbers = constant_integers(graph, id)) {
    return std::ranges::find(*numbers, 0) == numbers->end();
  }
  const Node* node = graph.producer(id);
  if (node == nullptr || steps == 0) return false;
  if (node->is_op("Shape")) return true;
  if (is_one_of(*node, kFirstAlone)) return is_of_shapes(graph, node->input(0), steps - 1);
  return is_one_of(*node, kOfAll) && std::ranges::all_of(node->inputs(), [&](ValueId input) {
           return is_of_shapes(graph, input, steps - 1);
         });
}

// The sizes that a Reshape asks for in another order, in which the first stays. A 0 copies a size
// from its own place: it becomes the number, or nothing is given.
Result<ValueId> ordered_sizes(Graph& graph, const Node& reshape, const Perm& order) {
  const ValueId list = reshape.input(1);
  const Shape& shape = *known_shape(graph, reshape.output(0));
  if (const auto sizes = constant_integers(graph, list)) {
    std::vector<int64_t> ordered;
    for (const int64_t axis : order) {
      const auto i = static_cast<size_t>(axis);
      ordered.push_back((*sizes)[i] == 0 && i > 0 ? shape[i].value : (*sizes)[i]);
      if (ordered.back() < 0 && (*sizes)[i] == 0) return kNoValue;
    }
    return add_list(graph, ordered);
  }
  if (!is_of_shapes(graph, list)) return kNoValue;
  return add_ordered(graph, list, order);
}

// A Reshape of all pixels of an image to a line, or back: batch and channels stay.
bool joins_pixels(const Graph& graph, const Node* node, size_t from, size_t to) {
  if (node == nullptr || !node->is_op("Reshape") || node->input(1) == kNoValue ||
      node->int_attribute("allowzero", 0) != 0) {
    return false;
  }
  const Shape *x = known_shape(graph, node->input(0)), *y = known_shape(graph, node->output(0));
  const auto count = dims_of(graph, node->input(1));
  return x != nullptr && y != nullptr && x->size() == from && y->size() == to && count &&
         *count == Dims{static_cast<int64_t>(to)} && (*x)[0].same_as((*y)[0]) &&
         (*x)[1].same_as((*y)[1]) && (*x)[1].value != 0;
}

Perm turned_line() { return {0, 2, 1}; }

// What turning the line gives, which it may have been before.
Result<ValueId> line_turned(Graph& graph, const std::string& name, ValueId line) {
  if (const Node* turn = graph.producer(line); is_turn(turn, turned_line())) return turn->input(0);
  ASSIGN_OR_RETURN(const ValueId turned, add_turned(graph, line, turned_line()));
  RETURN_IF_ERROR(add_transpose(graph, name, line, turned, turned_line()));
  return turned;
}

}  // namespace

Status add_transpose(Graph& graph, const std::string& name, ValueId from, ValueId to, Perm perm) {
  RETURN_IF_ERROR(add(graph, "Transpose", name, from, kNoValue, to));
  graph.producer(to)->set_attribute(Attribute::of_ints("perm", std::move(perm)));
  return Status::ok();
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
  return add_like(graph, value, std::move(type));
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
  // What it gave is given by the last node under its name.
  const ValueId output = node.output(0);
  ASSIGN_OR_RETURN(const ValueId sizes,
                   add_like(graph, output, Type::tensor(DType::kInt64, shape_of({&rank, 1}))));
  const std::string name = node.name();
  graph.remove_node(id);
  RETURN_IF_ERROR(add(graph, "Shape", name, from, kNoValue, sizes));
  RETURN_IF_ERROR(
      add(graph, "Gather", graph.value(sizes)->name, sizes, add_list(graph, places), output));
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
  if (view == nullptr) return false;
  const ValueId line = view->input(0);
  const char* op = view->is_op("Reshape") ? "Reshape" : "Unsqueeze";
  ValueId list = kNoValue;
  const auto axis = added_axis(graph, *view);
  const bool is_attribute = axis && graph.opset("") < kAxesAreInput;
  const int64_t place = axis ? kChannelsLastAxes.of(*axis) : 0;
  if (axis) {
    if (!is_attribute) list = add_list(graph, {&place, 1});
  } else {
    if (!joins_pixels(graph, view, 3, 4)) return false;
    ASSIGN_OR_RETURN(list, ordered_sizes(graph, *view, {0, 2, 3, 1}));
    if (list == kNoValue) return false;
  }
  ASSIGN_OR_RETURN(const ValueId turned, line_turned(graph, name, line));
  RETURN_IF_ERROR(add(graph, op, graph.value(twin)->name, turned, list, twin));
  if (is_attribute) graph.producer(twin)->set_attribute(Attribute::of_ints("axes", {place}));
  return true;
}

Result<bool> join_pixels(Graph& graph, NodeId id, ValueId twin) {
  const Node& node = *graph.node(id);
  if (!joins_pixels(graph, &node, 4, 3)) return false;
  ASSIGN_OR_RETURN(const ValueId sizes, ordered_sizes(graph, node, turned_line()));
  if (sizes == kNoValue) return false;
  const ValueId line = node.output(0);
  const std::string name = node.name();
  graph.remove_node(id);
  ASSIGN_OR_RETURN(const ValueId turned, add_turned(graph, line, turned_line()));
  RETURN_IF_ERROR(add(graph, "Reshape", name, twin, sizes, turned));
  RETURN_IF_ERROR(turn_back(graph, turned, line, turned_line()));
  return true;
}

}  // namespace ortc::cpu
