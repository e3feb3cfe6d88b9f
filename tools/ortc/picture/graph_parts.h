// SPDX-License-Identifier: MIT
// A large graph as a small one: nodes that follow each other become parts. Nodes stand in an order
// where makers come before readers, so that no two parts can wait for each other.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/picture/model_facts.h"

namespace ortc::tool {

struct GraphPart {
  size_t begin = 0, end = 0;  // numbers of nodes
  std::string label = {};     // "layer 3 of 12"; empty: nodes that have nothing in common

  size_t size() const { return end - begin; }
};

// One part for each node of a graph with few of them. Else EPContext nodes are parts by themselves,
// what repeats is a part each time, and the rest is cut where it gets too long.
std::vector<GraphPart> parts_of(const ModelFacts& model);

}  // namespace ortc::tool
