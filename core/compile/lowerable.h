// SPDX-License-Identifier: MIT
// What can be lowered, and what is said of a node that cannot.
#pragma once

#include <string>

#include "core/compile/lowering_rules.h"

namespace ortc {

// If, Loop, Scan and SequenceMap: steps of the plan, not kernels.
bool has_bodies_that_are_lowered(const Node& node);

// NOT_IMPLEMENTED, or INVALID_GRAPH when the node's signature does not allow its inputs' types.
Status no_kernel(const Node& node);
// What a kernel's prepare() answered for the node, as the program is told.
Status prepared(const Node& node, Status status);

// Why the node cannot be lowered ("no kernel for Scan of opset 17 on float32[3]"); "" when it can.
// Looks at the node alone, not at its bodies.
std::string why_not_lowered(const Node& node, const LoweringRules& rules);
// NOT_IMPLEMENTED for the first node, bodies included, that cannot be lowered: the answer of
// lower() without its work. Nodes with a callee are somebody else's.
Status check_lowers(const Graph& graph, const LoweringRules& rules);

}  // namespace ortc
