// SPDX-License-Identifier: MIT
// The rewrites of the second half: see the header.
#include "core/compile/apply_fusions.h"

#include <utility>

#include "core/graph/verify.h"
#include "core/graph/walk.h"

namespace ortc {
namespace {

Status fuse_graph(Graph& graph, const LoweringRules& rules, const Logger& logger,
                  const Work& work) {
  for (const Fusion& fusion : rules.fusions) {
    RETURN_IF_ERROR(work.go_on());
    auto matches = fusion.run(graph, rules.kernels);
    if (!matches.is_ok()) {
      Status status = matches.status();
      return std::move(status.note(str_cat("fusion '", fusion.name, "'")));
    }
    ORTC_LOG(logger, kVerbose, "compile", "fusion '", fusion.name, "': ", *matches, " matches");
#ifndef NDEBUG
    RETURN_IF_ERROR_WHILE(verify_graph(graph), "after fusion '", fusion.name, "'");
#endif
  }
  for (Node& node : nodes_of(graph)) {
    for (Graph* body : node.subgraphs()) {
      RETURN_IF_ERROR(fuse_graph(*body, rules, logger, work));
    }
  }
  return Status::ok();
}

// Nodes whose results nobody reads (a Transpose that a rewrite looked through), in bodies too.
void drop_unread_nodes(Graph& graph) {
  auto order = graph.topological_order();
  if (!order.is_ok()) return;
  for (auto it = order->rbegin(); it != order->rend(); ++it) {
    const Node& node = *graph.node(*it);
    bool is_read = false;
    for (ValueId id : node.outputs()) {
      const Value* value = graph.value(id);
      is_read = is_read || (value != nullptr && (value->is_output || !value->uses.empty()));
    }
    if (!is_read) {
      graph.remove_node(*it);
      continue;
    }
    for (Graph* body : node.subgraphs()) drop_unread_nodes(*body);
  }
}

}  // namespace

Status apply_fusions(Graph& graph, const LoweringRules& rules, const Logger& logger,
                     const Work& work) {
  RETURN_IF_ERROR(fuse_graph(graph, rules, logger, work));
  drop_unread_nodes(graph);
  return Status::ok();
}

}  // namespace ortc
