// SPDX-License-Identifier: MIT
// What GetCapability says: see the header.
#include "core/api/plugin/support_info.h"

using namespace ortc;

void OrtEpGraphSupportInfo::open(const OrtGraph& graph, const OrtKernelRegistry* kernels,
                                 std::string_view ep_name) {
  const std::lock_guard lock(mutex_);
  graph_ = &graph;
  kernels_ = kernels;
  ep_name_ = ep_name;
}

std::vector<NodeGroup> OrtEpGraphSupportInfo::close() {
  const std::lock_guard lock(mutex_);
  graph_ = nullptr;
  kernels_ = nullptr;
  return std::exchange(groups_, {});
}

Status OrtEpGraphSupportInfo::check_node(const OrtNode* node, std::string_view what) const {
  if (graph_ == nullptr) {
    return invalid_argument(
        "'graph_support_info' belongs to a call that is over: it is there during GetCapability "
        "only");
  }
  if (is_alive(node) && node->graph == graph_) return Status::ok();
  return invalid_argument(what, " is not a node of the graph that is asked about");
}

Status OrtEpGraphSupportInfo::add(std::span<const OrtNode* const> nodes, NodeGroup group) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool is_single = group.kind == GroupKind::kSingle;
    RETURN_IF_ERROR(check_node(nodes[i], is_single ? "'node'" : str_cat("'nodes[", i, "]'")));
    group.nodes.push_back(nodes[i]->node->id());
  }
  groups_.push_back(std::move(group));
  return Status::ok();
}

Result<const OrtKernelDef*> OrtEpGraphSupportInfo::find_kernel(const OrtNode* node) const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_node(node, "'node'"));
  if (kernels_ == nullptr) return nullptr;
  ASSIGN_OR_RETURN(const auto entry, kernels_->find(*node->node, ep_name_));
  return entry != nullptr ? &entry->def : nullptr;
}
