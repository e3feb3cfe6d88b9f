// SPDX-License-Identifier: MIT
// Channels-last nodes as operators of ONNX and com.microsoft again, for models that are written.
#pragma once

#include "core/graph/graph.h"

namespace ortc {

// Puts the standard operator in the place of each node of kChannelsLastDomain in the graph and its
// bodies, between Transposes from and to what the node reads and writes.
Status become_standard(Graph& graph);

}  // namespace ortc
