// SPDX-License-Identifier: MIT
// What rewrites are made of: putting nodes in the place of others, and leaving no unread node
// behind.
#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/kernel/evaluator.h"

namespace ortc {

// Readers of the node's output 0 read `by` instead and the node goes; false when there are none or
// the graph's interface forbids that (then nothing has changed).
bool bypass(Graph& graph, NodeId id, ValueId by);
// Readers of `of`, an equal value, read `by` instead, which takes over what is known of its type;
// false, and nothing has changed, where the graph's interface forbids that.
bool put_in_place(Graph& graph, ValueId of, ValueId by);
// Removes the node when nothing reads its outputs, and then its producers likewise.
void remove_unread(Graph& graph, NodeId id);

struct NewNode {
  std::string op_type;
  std::string domain;
  std::vector<ValueId> inputs;
  std::vector<Attribute> attributes;
};
// Puts a node in the place of the one that produces `output`, under that one's name; what only fed
// the old one goes. Null, and nothing has changed, when no node produces `output` or the evaluator
// has no kernel for the new node.
Result<Node*> replace_producer(Graph& graph, ValueId output, NewNode node,
                               const Evaluator& evaluator);
// Imports the domain in all graphs of the model when it is not.
void import_domain(Graph& graph, std::string_view domain, int64_t version);

// Calls visit(Node&) -> Result<bool> for every node in topological order, nodes that went on the
// way aside; counts the answers.
template <typename F>
Result<int> for_nodes(Graph& graph, F&& visit) {
  ASSIGN_OR_RETURN(auto order, graph.topological_order());
  int rewrites = 0;
  for (NodeId id : order) {
    if (graph.node(id) == nullptr) continue;
    ASSIGN_OR_RETURN(bool done, visit(*graph.node(id)));
    rewrites += done ? 1 : 0;
  }
  return rewrites;
}

}  // namespace ortc
