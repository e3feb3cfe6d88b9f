// SPDX-License-Identifier: MIT
// Which nodes the AOT provider can lower.
#pragma once

#include <set>
#include <string>

#include "core/compile/lowering_rules.h"

namespace ortc::aot {

// "" when the node can be compiled, else why not ("no kernel for Scan of opset 17").
// `excluded`: operators that the user wants elsewhere; a node with one of them in a body is left
// there whole.
std::string why_not(const Node& node, const LoweringRules& rules,
                    const std::set<std::string>& excluded);

}  // namespace ortc::aot
