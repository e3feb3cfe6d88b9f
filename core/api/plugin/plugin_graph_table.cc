// SPDX-License-Identifier: MIT
// What libraries call while they claim and compile nodes: see plugin_table.h.
#include "core/api/guard.h"
#include "core/api/plugin/plugin_table.h"
#include "core/api/plugin/support_info.h"
#include "core/api/session/session_options_handle.h"

using namespace ortc;

namespace ortc::api::table {

OrtStatus* EpGraphSupportInfo_AddNodesToFuse(
    OrtEpGraphSupportInfo* graph_support_info, const OrtNode* const* nodes, size_t num_nodes,
    const OrtNodeFusionOptions* node_fusion_options) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(graph_support_info);
    ORTC_NEEDED(nodes);
    if (num_nodes == 0) return invalid_argument("'num_nodes' is 0, expected 1 or more");
    NodeGroup group;
    group.takes_constants = node_fusion_options != nullptr &&
                            node_fusion_options->ort_version_supported >= 23 &&
                            node_fusion_options->drop_constant_initializers;
    return graph_support_info->add({nodes, num_nodes}, std::move(group));
  });
}

OrtStatus* EpGraphSupportInfo_AddSingleNode(OrtEpGraphSupportInfo* graph_support_info,
                                            const OrtNode* node) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(graph_support_info);
    ORTC_NEEDED(node);
    NodeGroup group;
    group.kind = GroupKind::kSingle;
    return graph_support_info->add({&node, 1}, std::move(group));
  });
}

const char* NodeComputeContext_NodeName(const OrtNodeComputeContext* context) noexcept {
  return is_alive(context) ? context->node_name.c_str() : nullptr;
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
