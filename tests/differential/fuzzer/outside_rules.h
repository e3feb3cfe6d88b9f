// SPDX-License-Identifier: MIT
// Where ONNX Runtime 1.30 gives something else than ONNX's text, or ends the process.
#pragma once

#include "tests/differential/fuzzer/drawn_graph.h"

namespace ortc::fuzz {

// Whether the graph holds such a node: it is not compared with ONNX Runtime then.
bool differs_outside(const DrawnGraph& graph);

}  // namespace ortc::fuzz
