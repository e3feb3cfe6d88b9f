// SPDX-License-Identifier: MIT
// What passes may add to a model, all of its graphs together: a file of a few kilobytes must not
// become gigabytes, nor minutes.
#pragma once

#include <cstdint>

#include "core/graph/graph.h"

namespace ortc {

struct Budget {
  uint64_t folded_bytes = 0;  // that constants take more than those they were made of
  uint64_t folding_operations = 0;
  uint64_t gradient_nodes = 0;

  // By the constants and nodes that the model has itself.
  static Budget of(const Graph& graph);
};

}  // namespace ortc
