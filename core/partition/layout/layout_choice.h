// SPDX-License-Identifier: MIT
// Which nodes can become channels last.
#pragma once

#include "core/graph/graph.h"

namespace ortc {

// Whether the node's first input and output can be channels last with all else as it is: ranks are
// known and the same, and inputs that depend on the layout (Resize's scales) are constants that
// can follow. Operators of ONNX and com.microsoft only, and of the latter none that has the name of
// one of ONNX's.
bool can_be_last(const Graph& graph, const Node& node);

// The node says itself that its data are channels last already.
bool is_last_by_attribute(const Node& node);

}  // namespace ortc
