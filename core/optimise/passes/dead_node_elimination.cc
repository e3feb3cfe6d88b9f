// SPDX-License-Identifier: MIT
//   a node whose outputs nobody reads, an initializer that nobody reads   ->   nothing
//
// Nodes of unknown domains stay: they may do more than give outputs.
#include <algorithm>

#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

int remove_unread_constants(Graph& graph) {
  int removed = 0;
  for (ValueId id : graph.initializers()) {
    if (graph.value(id)->is_input || !is_unread(graph, id)) continue;
    graph.remove_value(id);
    ++removed;
  }
  return removed;
}

}  // namespace

Result<int> dead_node_elimination(Graph& graph, const PassContext&) {
  ASSIGN_OR_RETURN(auto order, graph.topological_order());
  const size_t before = graph.node_count();
  for (auto it = order.rbegin(); it != order.rend(); ++it) remove_unread(graph, *it);
  return static_cast<int>(before - graph.node_count()) + remove_unread_constants(graph);
}

}  // namespace ortc
