// SPDX-License-Identifier: MIT
// Checks and dumps of graphs.
#pragma once

#include <string>

#include "core/graph/graph.h"

namespace ortc {

// Everything graph.h promises: ids, producers, uses, captures, opsets, no cycles. INVALID_GRAPH
// naming the place.
Status verify_graph(const Graph& graph);

// One line a node: `%y = Conv(%x, %w) {pads=[1,1,1,1]} : float32[1,8,8,8]  # stem/conv`. Sub-graphs
// are indented.
std::string print_graph(const Graph& graph);
// Graphviz; `group_of` may be empty, else names a cluster for each node.
std::string graph_to_dot(const Graph& graph,
                         const std::function<std::string(const Node&)>& group_of = {});

}  // namespace ortc
