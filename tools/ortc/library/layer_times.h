// SPDX-License-Identifier: MIT
// Where the time of a run goes: runs with a profile, added up for each layer, which is a node or
// what the compiler made of several. Nodes that run others (compiled parts, If, Loop) are no layers
// themselves; what they take beyond those is between the layers, as is the profile's own work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/ortc/library/run.h"

namespace ortc::tool {

struct Layer {
  std::string name, op, kernel, provider;
  std::string part;    // the node that runs it, "loop/if" when it is run itself; "": the main graph
  uint64_t index = 0;  // tells apart what has no name
  uint64_t calls = 0;
  int64_t total_ns = 0;
};

struct LayerTimes {
  uint64_t runs = 0;
  int64_t total_ns = 0;       // of all runs
  int64_t between_ns = 0;     // what no layer accounts for
  std::vector<Layer> layers;  // the costliest first
};

// Loads the model again, with a profile. Throws when one run is too long for a profile.
LayerTimes layer_times(const OrtEnv* env, const std::string& model, SessionArguments arguments,
                       const std::vector<Input>& inputs);

}  // namespace ortc::tool
