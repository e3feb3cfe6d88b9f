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

// The graphs of a model as a library is asked about them: bodies first, then those around them. A
// body is seen as it is now. What is around it is looked at once for all bodies, as nothing takes
// nodes from it before its turn, and again when it has got more of them.
class ShownGraphs {
 public:
  // One at a time, until it is hidden, which is the end of all views that were made meanwhile. With
  // the outermost graph all is forgotten.
  Result<const OrtGraph*> show(const Model& model, const Graph& graph);
  void hide();
  void forget();

 private:
  LentView outermost_;
  const OrtNode* owner_ = nullptr;  // of the body that is shown
};

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
