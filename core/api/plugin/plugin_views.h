// SPDX-License-Identifier: MIT
// Graphs as a library sees them: one that it may claim nodes of, and claims that it compiles. Views
// borrow what they show.
#pragma once

#include <memory>

#include "core/api/graph/graph_handles.h"
#include "core/provider/claim.h"

namespace ortc::api {

// A view that is lent. Its end is that of all views that were made of it.
struct LentViewEnd {
  void operator()(OrtGraph* view) const;
};
using LentView = std::unique_ptr<OrtGraph, LentViewEnd>;

// A graph of the model, with the graphs around it when it is a body.
struct ShownGraph {
  LentView outermost;
  const OrtGraph* graph = nullptr;
};
Result<ShownGraph> show_graph(const Model& model, const Graph& graph);

// A claim: the nodes as a graph, for the time of compiling, and the node that stands for them,
// which lives as long as this. Constants that the claim leaves outside are initializers of the
// graph all the same, and inputs of the node.
class ShownClaim {
 public:
  static Result<std::unique_ptr<ShownClaim>> create(const Model& model, const Claim& claim,
                                                    std::string_view ep_name);
  const OrtGraph* graph() const { return inside_.get(); }
  const OrtNode* fused_node() const { return outside_->nodes.front(); }
  void forget_graph() {
    inside_.reset();
    inner_.reset();
  }

 private:
  Status show_inside(const Model& model, const Claim& claim);
  Status show_outside(const Model& model, const Claim& claim, std::string_view ep_name);

  std::shared_ptr<const Graph> inner_;
  LentView inside_, outside_;
};

}  // namespace ortc::api
