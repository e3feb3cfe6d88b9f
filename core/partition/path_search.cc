// SPDX-License-Identifier: MIT
// PathSearch.
#include "core/partition/path_search.h"

#include <algorithm>

namespace ortc {

Status PathSearch::order(const Graph& graph) {
  ASSIGN_OR_RETURN(order_, graph.topological_order());
  places_.resize(graph.node_bound());
  for (size_t i = 0; i < order_.size(); ++i) places_[order_[i]] = i;
  return Status::ok();
}

PathSearch::Window PathSearch::window_of(const NodeGroup& group) const {
  Window window{order_.size(), 0};
  for (NodeId id : group.nodes) {
    window.first = std::min(window.first, places_[id]);
    window.last = std::max(window.last, places_[id]);
  }
  return window;
}

Result<bool> PathSearch::is_convex(const Graph& graph, const NodeGroup& group) {
  if (order_.empty()) RETURN_IF_ERROR(order(graph));
  inside_ += 2, behind_ += 2;
  seen_.resize(graph.node_bound(), 0);
  for (NodeId id : group.nodes) seen_[id] = inside_;
  const size_t last = window_of(group).last;
  std::vector<NodeId> ahead = group.nodes;
  while (!ahead.empty()) {
    const NodeId id = ahead.back();
    ahead.pop_back();
    for (ValueId output : graph.node(id)->outputs()) {
      if (output == kNoValue) continue;
      for (const Use& use : graph.value(output)->uses) {
        size_t& seen = seen_[use.node];
        if (seen == inside_ && seen_[id] == behind_) return false;
        if (seen == inside_ || seen == behind_ || places_[use.node] > last) continue;
        seen = behind_;
        ahead.push_back(use.node);
      }
    }
  }
  return true;
}

// What the group leads to goes behind the new node, and nothing else moves past it.
void PathSearch::group_replaced(const NodeGroup& group, NodeId fused) {
  const Window window = window_of(group);
  std::vector<NodeId> behind;
  size_t at = window.first;
  const auto put = [&](NodeId id) {
    places_[id] = at;
    order_[at++] = id;
  };
  for (size_t i = window.first; i <= window.last; ++i) {
    const NodeId id = order_[i];
    if (id == kNoNode || seen_[id] == inside_) continue;
    if (seen_[id] == behind_) {
      behind.push_back(id);
    } else {
      put(id);
    }
  }
  if (fused >= places_.size()) places_.resize(fused + size_t{1});
  put(fused);
  for (NodeId id : behind) put(id);
  while (at <= window.last) order_[at++] = kNoNode;
}

}  // namespace ortc
