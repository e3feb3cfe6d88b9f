// SPDX-License-Identifier: MIT
// Views of graphs: see the header.
#include "core/graph/graph_view.h"

#include <algorithm>

namespace ortc {
namespace {

// What a node reads: its inputs, then what its sub-graphs take.
template <typename F>
void for_reads(const Node& node, F&& visit) {
  for (ValueId id : node.inputs()) {
    if (id != kNoValue) visit(id);
  }
  for (ValueId id : node.implicit_inputs()) visit(id);
}

}  // namespace

const Value& defining_value(const Graph& graph, const Value& value) {
  const Graph* place = &graph;
  const Value* found = &value;
  while (found->is_captured() && place->parent() != nullptr) {
    const Value* outer = place->parent()->value(found->outer_value);
    if (outer == nullptr) break;
    found = outer;
    place = place->parent();
  }
  return *found;
}

GraphView::GraphView(const Graph& graph)
    : graph_(&graph), has_node_(graph.node_bound()), marks_(graph.value_bound()) {}

Result<GraphView> GraphView::whole(const Graph& graph) {
  GraphView view(graph);
  ASSIGN_OR_RETURN(view.nodes_, graph.topological_order());
  for (NodeId id : view.nodes_) view.has_node_[id] = true;
  view.inputs_ = graph.inputs();
  view.outputs_ = graph.outputs();
  view.find_initializers();
  view.mark();
  return view;
}

Result<GraphView> GraphView::part(const Graph& graph, std::span<const NodeId> nodes) {
  if (nodes.empty()) return invalid_argument("a part of a graph needs 1 node or more");
  GraphView view(graph);
  view.is_part_ = true;
  for (NodeId id : nodes) {
    if (graph.node(id) == nullptr) return invalid_argument("the graph has no node ", id);
    if (view.has_node_[id]) {
      return invalid_argument(graph.node(id)->label(), " is asked for twice");
    }
    view.has_node_[id] = true;
  }
  ASSIGN_OR_RETURN(view.nodes_, graph.topological_order());
  std::erase_if(view.nodes_, [&](NodeId id) { return !view.has_node_[id]; });
  view.find_inputs(nodes);
  view.find_outputs(nodes);
  view.find_initializers();
  view.mark();
  return view;
}

void GraphView::find_inputs(std::span<const NodeId> nodes) {
  std::vector<bool> seen(graph_->value_bound());
  for (NodeId id : nodes) {
    for_reads(*graph_->node(id), [&](ValueId read) {
      if (seen[read]) return;
      seen[read] = true;
      const Value& value = *graph_->value(read);
      const bool is_constant = defining_value(*graph_, value).constant() != nullptr;
      if (!is_constant && producer(read) == nullptr) inputs_.push_back(read);
    });
  }
}

void GraphView::find_outputs(std::span<const NodeId> nodes) {
  for (NodeId id : nodes) {
    for (ValueId made : graph_->node(id)->outputs()) {
      if (made == kNoValue) continue;
      const Value& value = *graph_->value(made);
      const bool is_read_outside =
          std::ranges::any_of(value.uses, [&](const Use& use) { return !has_node(use.node); });
      if (value.is_output || is_read_outside) outputs_.push_back(made);
    }
  }
}

void GraphView::find_initializers() {
  for (ValueId id : graph_->initializers()) {
    const Value& value = *graph_->value(id);
    const bool is_read =
        std::ranges::any_of(value.uses, [&](const Use& use) { return has_node(use.node); });
    if (is_read || (!is_part_ && (value.is_input || value.is_output))) initializers_.push_back(id);
  }
}

void GraphView::mark() {
  for (ValueId id : inputs_) marks_[id] |= kInput;
  for (ValueId id : outputs_) marks_[id] |= kOutput;
}

std::vector<ValueId> GraphView::values() const {
  std::vector<bool> seen(graph_->value_bound());
  std::vector<ValueId> all;
  auto add = [&](ValueId id) {
    if (id == kNoValue || seen[id]) return;
    seen[id] = true;
    all.push_back(id);
  };
  for (const auto* list : {&inputs_, &outputs_, &initializers_}) std::ranges::for_each(*list, add);
  for (NodeId id : nodes_) {
    for_reads(*graph_->node(id), add);
    std::ranges::for_each(graph_->node(id)->outputs(), add);
  }
  return all;
}

const Node* GraphView::producer(ValueId id) const {
  const Node* node = graph_->producer(id);
  return node != nullptr && has_node(node->id()) ? node : nullptr;
}

std::vector<Use> GraphView::uses(ValueId id) const {
  std::vector<Use> found;
  const Value* value = graph_->value(id);
  if (value == nullptr) return found;
  std::ranges::copy_if(value->uses, std::back_inserter(found),
                       [&](const Use& use) { return has_node(use.node); });
  std::ranges::sort(found, [](const Use& a, const Use& b) {
    return std::tuple(a.node, a.is_implicit, a.input) < std::tuple(b.node, b.is_implicit, b.input);
  });
  return found;
}

}  // namespace ortc
