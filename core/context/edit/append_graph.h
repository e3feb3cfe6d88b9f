// SPDX-License-Identifier: MIT
// One graph after another.
#pragma once

#include "core/graph/graph.h"

namespace ortc {

// All values and nodes of `from`, its inputs and outputs after those of `to`; constants are
// shared. No name may stand in both. The opsets of `to` count for all.
Status append_graph(Graph& to, const Graph& from);

}  // namespace ortc
