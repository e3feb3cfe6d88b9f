// SPDX-License-Identifier: MIT
// Checks of graphs.
#pragma once

#include "core/graph/graph.h"

namespace ortc {

// Everything graph.h promises: ids, producers, uses, captures, opsets, no cycles. INVALID_GRAPH
// naming the place.
Status verify_graph(const Graph& graph);

}  // namespace ortc
