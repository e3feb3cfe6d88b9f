// SPDX-License-Identifier: MIT
// What a library says of the nodes of one graph while its GetCapability runs.
#pragma once

#include <mutex>
#include <vector>

#include "core/api/graph/graph_handles.h"
#include "core/api/kernel/lent_slots.h"
#include "core/api/plugin/kernels/kernel_def.h"
#include "core/provider/claim.h"
#include "ort_c/ort_api.h"

// Any thread may use it until GetCapability has returned; then it refuses.
struct OrtEpGraphSupportInfo {
 public:
  // `kernels`: of the provider; null when it has none.
  void open(const OrtGraph& graph, const OrtKernelRegistry* kernels, std::string_view ep_name);
  // What was asked for.
  std::vector<ortc::NodeGroup> close();

  // INVALID_ARGUMENT unless the nodes are of the graph: others are not looked into.
  ortc::Status add(std::span<const OrtNode* const> nodes, ortc::NodeGroup group);
  // Null: the provider has none.
  ortc::Result<const OrtKernelDef*> find_kernel(const OrtNode* node) const;

 private:
  ortc::Status check_node(const OrtNode* node, std::string_view what) const;

  mutable std::mutex mutex_;         // guards all of it
  const OrtGraph* graph_ = nullptr;  // null: GetCapability is over
  const OrtKernelRegistry* kernels_ = nullptr;
  std::string_view ep_name_;
  std::vector<ortc::NodeGroup> groups_;
};

// What a library is told of a node when it makes the state of its computation.
struct OrtNodeComputeContext : ortc::api::LiveHandle<OrtNodeComputeContext> {
  explicit OrtNodeComputeContext(std::string name) : node_name(std::move(name)) {}
  std::string node_name;
};
