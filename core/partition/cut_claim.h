// SPDX-License-Identifier: MIT
// Cuts a group of nodes out of a graph.
#pragma once

#include <set>

#include "core/partition/partitioner.h"

namespace ortc {

// The group as a graph of its own: what it reads from outside becomes an input (constants are taken
// along when the group takes them), what is read outside becomes an output. `inputs` and `outputs`
// name the same values in `graph`.
struct CutClaim {
  std::shared_ptr<Graph> graph;
  std::vector<ValueId> inputs, outputs;
  std::vector<std::shared_ptr<const Constant>> input_constants;  // by input; null: none
};
// `own_nodes`: those of all groups of the provider; what others read is marked.
Result<CutClaim> cut_claim(const Graph& graph, const NodeGroup& group,
                           const std::set<NodeId>& own_nodes);

// Replaces the group by one node, without a name yet, that reads and writes the claim's values, and
// drops what nothing reads any more.
Result<Node*> replace_by_fused_node(Graph& graph, const NodeGroup& group, const CutClaim& cut,
                                    std::string_view domain);

}  // namespace ortc
