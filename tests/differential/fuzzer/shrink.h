// SPDX-License-Identifier: MIT
// Makes a graph that disagrees as small as it can: nodes, outputs, attributes and inputs go as long
// as the same route disagrees without them. What a node that went had given becomes an input.
#pragma once

#include "tests/differential/fuzzer/routes.h"

namespace ortc::fuzz {

DrawnGraph shrink(const Reference& reference, const Routes& routes, DrawnGraph graph,
                  uint64_t index, const std::string& route);

// A folder as ONNX's test cases are: model.onnx, the inputs, and what the reference gives.
void save_case(const DrawnGraph& graph, const std::string& folder);

}  // namespace ortc::fuzz
