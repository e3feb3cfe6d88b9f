// SPDX-License-Identifier: MIT
// What of a graph is compared with ONNX Runtime: nodes that it computes otherwise for a known
// reason, and texts, are left out with all that follows from them.
#pragma once

#include "tests/differential/fuzzer/drawn_graph.h"

namespace ortc::fuzz {

// Without outputs where nothing is left.
DrawnGraph part_for_outside(const DrawnGraph& graph);

}  // namespace ortc::fuzz
