// SPDX-License-Identifier: MIT
// Looks for paths that leave a group of nodes and come back.
#pragma once

#include <vector>

#include "core/graph/graph.h"
#include "core/provider/execution_provider.h"

namespace ortc {

// For the groups of one graph, each replaced by a node before the next is asked about. The graph is
// ordered once, and the order kept; a search then goes no further than the last node of its group,
// so that a thousand groups here and there cost as much as one that is everywhere.
class PathSearch {
 public:
  // Whether no path leaves the group, whose nodes are all there, and comes back. INVALID_GRAPH for
  // a cycle.
  Result<bool> is_convex(const Graph& graph, const NodeGroup& group);
  // `fused` stands from now on for the group that was asked about last.
  void group_replaced(const NodeGroup& group, NodeId fused);

 private:
  struct Window {
    size_t first, last;
  };

  Status order(const Graph& graph);
  Window window_of(const NodeGroup& group) const;

  std::vector<NodeId> order_;       // producers come before consumers; kNoNode where one was
  std::vector<size_t> places_;      // by node id, in the order
  std::vector<size_t> seen_;        // by node id: what the last search that was there made of it
  size_t inside_ = 0, behind_ = 1;  // what the last search calls the group, and what it leads to
};

}  // namespace ortc
