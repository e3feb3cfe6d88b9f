// SPDX-License-Identifier: MIT
// Graphs for Graphviz.
#pragma once

#include <functional>
#include <string>

#include "core/graph/graph.h"

namespace ortc {

// `group_of` may be empty, else names a cluster for each node.
std::string graph_to_dot(const Graph& graph,
                         const std::function<std::string(const Node&)>& group_of = {});

}  // namespace ortc
