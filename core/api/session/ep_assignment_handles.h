// SPDX-License-Identifier: MIT
// Which provider runs which nodes: views of what the session recorded.
#pragma once

#include <vector>

#include "core/session/session.h"
#include "ort_c/types.h"

struct OrtEpAssignedNode {
  const ortc::AssignedPart::Node* node;
};

struct OrtEpAssignedSubgraph {
  const ortc::AssignedPart* part;
  std::vector<OrtEpAssignedNode> nodes;
  std::vector<const OrtEpAssignedNode*> list;  // of `nodes`
};

namespace ortc::api {

// Makes handles of what the session recorded of its providers.
void show_assignment(OrtSession& session);

}  // namespace ortc::api
