// SPDX-License-Identifier: MIT
// Maximal convex groups by levels.
//
// A supported node has the level of its predecessors, one more behind an unsupported one; so two
// nodes of equal level are never joined by a path through an unsupported node, and the connected
// parts of one level are convex. Levels may be taken as early or as late as possible; the way that
// gives fewer groups wins.
#include <algorithm>
#include <map>
#include <numeric>

#include "core/partition/partitioner.h"

namespace ortc {
namespace {

struct Edges {
  std::vector<NodeId> order;                   // topological
  std::vector<std::vector<NodeId>> producers;  // by node id
  std::vector<bool> supported;
};

Edges edges_of(const Graph& graph, std::vector<NodeId> order,
               const std::function<bool(const Node&)>& is_supported) {
  Edges edges;
  edges.order = std::move(order);
  edges.producers.resize(graph.node_bound());
  edges.supported.resize(graph.node_bound());
  for (NodeId id : edges.order) {
    const Node& node = *graph.node(id);
    edges.supported[id] = is_supported(node);
    for (const auto* list : {&node.inputs(), &node.implicit_inputs()}) {
      for (ValueId value : *list) {
        if (const Node* producer = value != kNoValue ? graph.producer(value) : nullptr) {
          edges.producers[id].push_back(producer->id());
        }
      }
    }
  }
  return edges;
}

std::vector<int> early_levels(const Edges& edges) {
  std::vector<int> levels(edges.producers.size(), 0);
  for (NodeId id : edges.order) {
    for (NodeId producer : edges.producers[id]) {
      const int step = edges.supported[id] && !edges.supported[producer] ? 1 : 0;
      levels[id] = std::max(levels[id], levels[producer] + step);
    }
  }
  return levels;
}

std::vector<int> late_levels(const Edges& edges, const std::vector<int>& early) {
  const int last = early.empty() ? 0 : *std::max_element(early.begin(), early.end());
  std::vector<int> levels(edges.producers.size(), last);
  for (auto it = edges.order.rbegin(); it != edges.order.rend(); ++it) {
    for (NodeId producer : edges.producers[*it]) {
      const int step = edges.supported[*it] && !edges.supported[producer] ? 1 : 0;
      levels[producer] = std::min(levels[producer], levels[*it] - step);
    }
  }
  return levels;
}

std::vector<NodeGroup> groups_of(const Edges& edges, const std::vector<int>& levels) {
  std::vector<NodeId> root(edges.producers.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](NodeId id) {
    while (root[id] != id) id = root[id] = root[root[id]];
    return id;
  };
  for (NodeId id : edges.order) {
    if (!edges.supported[id]) continue;
    for (NodeId producer : edges.producers[id]) {
      if (edges.supported[producer] && levels[producer] == levels[id])
        root[find(producer)] = find(id);
    }
  }
  std::vector<NodeGroup> groups;
  std::map<NodeId, size_t> index_of_root;
  for (NodeId id : edges.order) {
    if (!edges.supported[id]) continue;
    auto [it, is_new] = index_of_root.emplace(find(id), groups.size());
    if (is_new) groups.emplace_back();
    groups[it->second].nodes.push_back(id);
  }
  return groups;
}

}  // namespace

Result<std::vector<NodeGroup>> convex_groups(const Graph& graph,
                                             const std::function<bool(const Node&)>& is_supported) {
  ASSIGN_OR_RETURN(auto order, graph.topological_order());
  const Edges edges = edges_of(graph, std::move(order), is_supported);
  const auto early = early_levels(edges);
  auto early_groups = groups_of(edges, early);
  auto late_groups = groups_of(edges, late_levels(edges, early));
  return late_groups.size() < early_groups.size() ? std::move(late_groups)
                                                  : std::move(early_groups);
}

}  // namespace ortc
