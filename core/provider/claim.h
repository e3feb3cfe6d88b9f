// SPDX-License-Identifier: MIT
// What a provider asks for, and what it gets: groups of nodes, and the claims that the framework
// makes of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace ortc {

// Nodes that the provider wants to run as one, or a single node. The framework looks whether a
// group is convex (no path leaves it and comes back) and leaves out what is not.
struct NodeGroup {
  std::vector<NodeId> nodes;
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
// be claimed whole, and only bodies of those that nobody took are shown. Inner-first: bodies come
// first, and a node with something claimed in a body cannot be claimed any more.
enum class ClaimOrder : uint8_t { kOuterFirst, kInnerFirst };

// A part of the model that one provider runs. Inputs and outputs of `graph` are those of the node
// that stands for it, in order.
struct Claim {
  std::string name;                    // unique in the session; that node's name
  std::shared_ptr<const Graph> graph;  // typed; null for a context node
  // By input: what every run gives there, when the provider left its constants outside; else null.
  std::vector<std::shared_ptr<const Constant>> input_constants;
  const Node* context_node = nullptr;  // the claim is one EPContext node: load, do not compile
};

}  // namespace ortc
