// SPDX-License-Identifier: MIT
// Walks over the nodes of a graph.
#pragma once

#include "core/graph/graph.h"

namespace ortc {

// What nodes_of() gives.
template <typename G>
class NodeRange {
 public:
  struct End {};
  class Iterator {
   public:
    explicit Iterator(G& graph) : graph_(&graph) { find(); }
    auto& operator*() const { return *graph_->node(id_); }
    Iterator& operator++() {
      ++id_;
      find();
      return *this;
    }
    bool operator==(End) const { return id_ >= graph_->node_bound(); }

   private:
    void find() {
      while (id_ < graph_->node_bound() && graph_->node(id_) == nullptr) ++id_;
    }
    G* graph_;
    NodeId id_ = 0;
  };

  explicit NodeRange(G& graph) : graph_(graph) {}
  Iterator begin() const { return Iterator(graph_); }
  End end() const { return {}; }

 private:
  G& graph_;
};

// The nodes of one graph in order of ids. The one that the walk has come to may be removed; those
// that are added meanwhile come last.
template <typename G>
NodeRange<G> nodes_of(G& graph) {
  return NodeRange<G>(graph);
}

// Calls `visit` with every node, each before those of its sub-graphs.
template <typename F>
void for_each_node(const Graph& graph, F&& visit) {
  for (const Node& node : nodes_of(graph)) {
    visit(node);
    for (const Graph* body : node.subgraphs()) for_each_node(*body, visit);
  }
}

}  // namespace ortc
