// SPDX-License-Identifier: MIT
// The topological order of a graph's nodes.
#include <queue>

#include "core/graph/graph.h"

namespace ortc {
namespace {

// Calls visit(producer) for each value the node reads that a node of the same graph produces.
template <typename F>
void for_producers(const Graph& graph, const Node& node, F&& visit) {
  auto visit_all = [&](const std::vector<ValueId>& ids) {
    for (ValueId id : ids) {
      const Node* producer = id == kNoValue ? nullptr : graph.producer(id);
      if (producer != nullptr) visit(*producer);
    }
  };
  visit_all(node.inputs());
  visit_all(node.implicit_inputs());
}

// From a node that waits for ever, back over producers that wait too, until one comes again.
Status cycle_error(const Graph& graph, const std::vector<uint32_t>& waiting, NodeId start) {
  std::vector<bool> seen(graph.node_bound());
  const Node* node = graph.node(start);
  while (!seen[node->id()]) {
    seen[node->id()] = true;
    const Node* next = nullptr;
    for_producers(graph, *node, [&](const Node& producer) {
      if (waiting[producer.id()] != 0) next = &producer;
    });
    node = next;
  }
  return invalid_graph("graph '", graph.name, "' has a cycle through ", node->label());
}

}  // namespace

Result<std::vector<NodeId>> Graph::topological_order() const {
  std::vector<uint32_t> waiting(nodes_.size());
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (const auto& node : nodes_) {
    if (!node) continue;
    for_producers(*this, *node, [&](const Node&) { ++waiting[node->id()]; });
    if (waiting[node->id()] == 0) ready.push(node->id());
  }
  std::vector<NodeId> order;
  order.reserve(node_count_);
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    order.push_back(id);
    for (ValueId output : nodes_[id]->outputs()) {
      if (output == kNoValue) continue;
      for (const Use& use : values_[output]->uses) {
        if (--waiting[use.node] == 0) ready.push(use.node);
      }
    }
  }
  if (order.size() == node_count_) return order;
  for (const auto& node : nodes_) {
    if (node && waiting[node->id()] != 0) return cycle_error(*this, waiting, node->id());
  }
  return invalid_graph("graph '", name, "' has a cycle");
}

}  // namespace ortc
