// SPDX-License-Identifier: MIT
// The EPContext nodes that a library made while it compiled, each in a graph of its own.
#pragma once

#include <memory>
#include <vector>

#include "core/api/graph/graph_handles.h"
#include "core/provider/claim.h"

namespace ortc::api {

class ContextNodeGraphs {
 public:
  // What one Compile gave, by claim; null where the library made none. They belong to this now.
  void take(std::vector<OrtNode*> made);
  // Of the Compile that gave the last ones. FAIL for a claim without a node, EP_FAIL for one that
  // was released, INVALID_GRAPH for one that is not an EPContext or is not named as its claim.
  // Contexts that are loaded need none.
  Status check(std::span<const Claim> claims, std::string_view provider);
  std::vector<const Node*> nodes() const;

 private:
  Status add(const OrtNode& made);

  std::vector<OrtNode*> made_;
  std::vector<std::unique_ptr<OrtNode>> own_;  // of those
  std::vector<std::shared_ptr<Graph>> graphs_;
};

}  // namespace ortc::api
