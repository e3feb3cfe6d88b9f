// SPDX-License-Identifier: MIT
// Whether the types of a node's inputs are among those that the operator's published signature
// allows. Asked when there is no kernel, to tell a wrong model from one that is not implemented.
#pragma once

#include "core/base/status.h"
#include "core/graph/graph.h"

namespace ortc {

// INVALID_GRAPH names the input, its type and those that are allowed. Nothing is said of operators
// without a signature, nor of inputs whose type is unknown.
Status check_input_types(const Node& node);

}  // namespace ortc
