// SPDX-License-Identifier: MIT
// What a library says of the nodes of one graph while its GetCapability runs.
#pragma once

#include <vector>

#include "core/api/graph/graph_handles.h"
#include "core/api/plugin/kernels/kernel_def.h"
#include "core/provider/claim.h"
#include "ort_c/ort_api.h"

struct OrtEpGraphSupportInfo {
  // INVALID_ARGUMENT unless the node is one of the graph: others are not looked into.
  ortc::Status check_node(const OrtNode* node, std::string_view what) const;

  const OrtGraph* graph = nullptr;
  const OrtKernelRegistry* kernels = nullptr;  // of the provider; null when it has none
  std::string_view ep_name;
  std::vector<ortc::NodeGroup> groups;
};

// What a library is told of a node when it makes the state of its computation.
struct OrtNodeComputeContext {
  std::string node_name;
};
