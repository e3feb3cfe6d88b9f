// SPDX-License-Identifier: MIT
// Convexity of a group that a provider named.
#include <set>

#include "core/partition/partitioner.h"

namespace ortc {

Result<bool> is_convex(const Graph& graph, const NodeGroup& group) {
  if (group.nodes.size() < 2) return true;
  const std::set<NodeId> inside(group.nodes.begin(), group.nodes.end());
  ASSIGN_OR_RETURN(const auto order, graph.topological_order());
  // Nodes outside the group that something in it leads to.
  std::vector<bool> is_behind(graph.node_bound(), false);
  for (NodeId id : order) {
    const Node& node = *graph.node(id);
    bool follows_group = false, follows_behind = false;
    for (const auto* list : {&node.inputs(), &node.implicit_inputs()}) {
      for (ValueId value : *list) {
        const Node* producer = value != kNoValue ? graph.producer(value) : nullptr;
        if (producer == nullptr) continue;
        follows_group = follows_group || inside.count(producer->id()) != 0;
        follows_behind = follows_behind || is_behind[producer->id()];
      }
    }
    const bool is_inside = inside.count(id) != 0;
    if (is_inside && follows_behind) return false;
    is_behind[id] = !is_inside && (follows_group || follows_behind);
  }
  return true;
}

}  // namespace ortc
