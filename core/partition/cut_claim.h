// SPDX-License-Identifier: MIT
// Cuts a group of nodes out of a graph.
#pragma once

#include <set>
#include <unordered_map>

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
// The nodes of all groups of a provider in one graph. Who reads a value is looked through once for
// all groups, since any number of them may read it.
class OwnNodes {
 public:
  OwnNodes(const Graph& graph, std::set<NodeId> nodes)
      : nodes_(std::move(nodes)), node_bound_(graph.node_bound()) {}
  bool has_other_readers(const Value& value);

 private:
  std::set<NodeId> nodes_;
  NodeId node_bound_;  // nodes from here on were made of groups
  std::unordered_map<ValueId, bool> has_others_;
};
// What others than `own_nodes` read is marked.
Result<CutClaim> cut_claim(const Graph& graph, const NodeGroup& group, OwnNodes& own_nodes);

// Replaces the group by one node, without a name yet, that reads and writes the claim's values, and
// drops what nothing reads any more.
Result<Node*> replace_by_fused_node(Graph& graph, const NodeGroup& group, const CutClaim& cut,
                                    std::string_view domain);

}  // namespace ortc
