// SPDX-License-Identifier: MIT
// What a library says of the nodes of one graph while its GetCapability runs.
#pragma once

#include <vector>

#include "core/api/graph/graph_handles.h"
#include "core/provider/claim.h"
#include "ort_c/ort_api.h"

struct OrtEpGraphSupportInfo {
  const OrtGraph* graph = nullptr;
  std::vector<ortc::NodeGroup> groups;
};

// What a library is told of a node when it makes the state of its computation.
struct OrtNodeComputeContext {
  std::string node_name;
};
