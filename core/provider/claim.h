// SPDX-License-Identifier: MIT
// What a provider asks for, and what it gets: groups of nodes, and the claims that the framework
// makes of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace ortc {

// What becomes of the nodes of a group.
enum class GroupKind : uint8_t {
  kFused,   // one node stands for them, and the provider compiles what they are
  kSingle,  // one node that stays as it is: the provider has a kernel for it
};

// Nodes that the provider wants to run as one, or a single node. The framework looks whether a
// group is convex (no path leaves it and comes back) and leaves out what is not.
//
// A single node may be an If, Loop or Scan: then the runtime runs its bodies, whose nodes belong to
// the provider that claims them, and asks the provider for what it does between them.
struct NodeGroup {
  std::vector<NodeId> nodes;
  GroupKind kind = GroupKind::kFused;
  // Constants that the nodes read belong to the claim. Otherwise they are inputs of the fused node,
  // as any other value: for providers that keep weights elsewhere.
  bool takes_constants = true;
};

// A node that the provider leaves to others, and why ("Scan: no kernel").
struct Refusal {
  NodeId node;
  std::string reason;
};

struct Capability {
  std::vector<NodeGroup> groups;
  std::vector<Refusal> refusals;
};

// The order in which graph and bodies are shown to a provider. Outer-first: an If, Loop or Scan may
// be claimed whole, and only bodies of those that are not are shown. Inner-first: bodies come
// first, and a node with something claimed in a body cannot be claimed any more.
enum class ClaimOrder : uint8_t { kOuterFirst, kInnerFirst };

// A part of the model that one provider runs. Inputs and outputs of `graph` are those of the node
// that stands for it, in order.
struct Claim {
  std::string name;                    // unique in the session; that node's name
  std::shared_ptr<const Graph> graph;  // typed; null for a node that stays in the model
  // By input: what every run gives there, when the provider left its constants outside; else null.
  std::vector<std::shared_ptr<const Constant>> input_constants;
  const Node* context_node = nullptr;  // the claim is one EPContext node: load, do not compile
  const Node* single_node = nullptr;   // of GroupKind::kSingle: make its kernel
  const Graph* outer = nullptr;        // the graph or body that it was asked for in

  // Nothing else in the model tells what these nodes were.
  bool is_compiled() const { return graph != nullptr; }
  size_t input_count() const;
  size_t output_count() const;
};

inline size_t Claim::input_count() const {
  if (graph != nullptr) return graph->inputs().size();
  return (context_node != nullptr ? context_node : single_node)->inputs().size();
}

inline size_t Claim::output_count() const {
  if (graph != nullptr) return graph->outputs().size();
  return (context_node != nullptr ? context_node : single_node)->outputs().size();
}

}  // namespace ortc
