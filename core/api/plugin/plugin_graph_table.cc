// SPDX-License-Identifier: MIT
// What libraries call while they claim and compile nodes: see plugin_table.h.
#include <algorithm>

#include "core/api/guard.h"
#include "core/api/plugin/plugin_table.h"
#include "core/api/plugin/support_info.h"
#include "core/api/session/session_options_handle.h"

namespace ortc::api::table {
namespace {

// Nodes are only looked into once they are known to be of the graph.
Result<NodeId> id_of(const OrtEpGraphSupportInfo& info, const OrtNode* node, size_t i) {
  const auto& nodes = info.graph->nodes;
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
    return invalid_argument("'nodes[", i, "]' is not a node of the graph that is asked about");
  }
  return node->node->id();
}

}  // namespace

OrtStatus* EpGraphSupportInfo_AddNodesToFuse(
    OrtEpGraphSupportInfo* graph_support_info, const OrtNode* const* nodes, size_t num_nodes,
    const OrtNodeFusionOptions* node_fusion_options) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(graph_support_info);
    ORTC_NEEDED(nodes);
    if (num_nodes == 0) return invalid_argument("'num_nodes' is 0, expected 1 or more");
    NodeGroup group;
    for (size_t i = 0; i < num_nodes; ++i) {
      ASSIGN_OR_RETURN(const NodeId id, id_of(*graph_support_info, nodes[i], i));
      group.nodes.push_back(id);
    }
    group.takes_constants = node_fusion_options != nullptr &&
                            node_fusion_options->ort_version_supported >= 23 &&
                            node_fusion_options->drop_constant_initializers;
    graph_support_info->groups.push_back(std::move(group));
    return {};
  });
}

OrtStatus* EpGraphSupportInfo_AddSingleNode(OrtEpGraphSupportInfo* graph_support_info,
                                            const OrtNode* node) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(graph_support_info);
    ORTC_NEEDED(node);
    return not_implemented(
        "OrtEpApi::EpGraphSupportInfo_AddSingleNode: libraries cannot register kernels; claim "
        "nodes with EpGraphSupportInfo_AddNodesToFuse");
  });
}

OrtStatus* EpGraphSupportInfo_LookUpKernel(OrtEpGraphSupportInfo* graph_support_info,
                                           const OrtNode* node,
                                           const OrtKernelDef** out_kernel_def) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out_kernel_def);
    ORTC_NEEDED(graph_support_info);
    ORTC_NEEDED(node);
    return {};  // libraries register no kernels
  });
}

const char* NodeComputeContext_NodeName(const OrtNodeComputeContext* context) noexcept {
  return context != nullptr ? context->node_name.c_str() : nullptr;
}

OrtStatus* SessionOptionsGetWeightlessSourceModelBuffer(const OrtSessionOptions* session_options,
                                                        const void** source_model_data,
                                                        size_t* source_model_data_length) noexcept {
  return guard([&]() -> Status {
    empty_outs(source_model_data, source_model_data_length);
    ORTC_NEEDED(session_options);
    ORTC_NEEDED(source_model_data);
    ORTC_NEEDED(source_model_data_length);
    const Bytes source = session_options->options.weightless_source;
    *source_model_data = source.data();
    *source_model_data_length = source.size();
    return {};
  });
}

}  // namespace ortc::api::table
