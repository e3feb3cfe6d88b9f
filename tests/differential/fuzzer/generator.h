// SPDX-License-Identifier: MIT
// A graph of a seed and a number: the same on every machine.
#pragma once

#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {

inline constexpr size_t kNodesLeast = 5, kNodesMost = 30;

struct Drawn {
  DrawnGraph graph;
  // Operator -> how often the library refused a node of it, and what it said last.
  std::map<std::string, std::pair<int, std::string>> refusals;
};

Drawn draw_graph(const Reference& reference, uint64_t seed, uint64_t index);
// Takes out nodes that nothing reads, and inputs, constants and functions that no node uses.
void drop_unread(DrawnGraph& graph);
// The same graph with inputs of another symbolic size, filled again. Values are not computed.
DrawnGraph resized(const DrawnGraph& graph, int64_t size, Chance& chance);

}  // namespace ortc::fuzz
