// SPDX-License-Identifier: MIT
// What libraries call while they claim and compile nodes: see plugin_table.h.
#include <algorithm>

#include "core/api/guard.h"
#include "core/api/plugin/plugin_table.h"
#include "core/api/plugin/support_info.h"
#include "core/api/session/session_options_handle.h"

using namespace ortc;

Status OrtEpGraphSupportInfo::check_node(const OrtNode* node, std::string_view what) const {
  if (std::ranges::find(graph->nodes, node) != graph->nodes.end()) return Status::ok();
  return invalid_argument(what, " is not a node of the graph that is asked about");
}

namespace ortc::api::table {

OrtStatus* EpGraphSupportInfo_AddNodesToFuse(
    OrtEpGraphSupportInfo* graph_support_info, const OrtNode* const* nodes, size_t num_nodes,
    const OrtNodeFusionOptions* node_fusion_options) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(graph_support_info);
    ORTC_NEEDED(nodes);
    if (num_nodes == 0) return invalid_argument("'num_nodes' is 0, expected 1 or more");
    NodeGroup group;
    for (size_t i = 0; i < num_nodes; ++i) {
      RETURN_IF_ERROR(graph_support_info->check_node(nodes[i], str_cat("'nodes[", i, "]'")));
      group.nodes.push_back(nodes[i]->node->id());
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
    RETURN_IF_ERROR(graph_support_info->check_node(node, "'node'"));
    NodeGroup group;
    group.nodes.push_back(node->node->id());
    group.kind = GroupKind::kSingle;
    graph_support_info->groups.push_back(std::move(group));
    return {};
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
