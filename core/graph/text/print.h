// SPDX-License-Identifier: MIT
// Graphs as text, for people and tests.
#pragma once

#include <string>

#include "core/graph/graph.h"

namespace ortc {

// One line a node: `%y = Conv(%x, %w) {pads=[1,1,1,1]} : float32[1,8,8,8]  # stem/conv`. Sub-graphs
// are indented.
std::string print_graph(const Graph& graph);

}  // namespace ortc
