// SPDX-License-Identifier: MIT
// ort_c/ep_assignment.h: which provider runs which nodes.
#include "core/api/guard.h"
#include "core/api/session/ep_assignment_handles.h"
#include "core/api/session/session_handle.h"
#include "ort_c/ep_assignment.h"

namespace ortc::api {
namespace {

OrtStatus* give_text(const OrtEpAssignedNode* ep_node, std::string AssignedPart::Node::*text,
                     const char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ep_node);
    *out = (ep_node->node->*text).c_str();
    return {};
  });
}

}  // namespace

void show_assignment(OrtSession& session) {
  const ModelFacts* facts = session.model.facts();
  if (facts == nullptr || facts->assigned_parts == nullptr) return;
  for (const AssignedPart& part : *facts->assigned_parts) {
    auto made = std::make_unique<OrtEpAssignedSubgraph>();
    made->part = &part;
    for (const AssignedPart::Node& node : part.nodes) made->nodes.push_back({&node});
    for (const OrtEpAssignedNode& node : made->nodes) made->list.push_back(&node);
    session.assigned_list.push_back(made.get());
    session.assigned.push_back(std::move(made));
  }
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtSession_GetEpGraphAssignmentInfo(const OrtSession* session,
                                               const OrtEpAssignedSubgraph* const** ep_subgraphs,
                                               size_t* num_ep_subgraphs) {
  return guard([&]() -> Status {
    api::empty_outs(ep_subgraphs, num_ep_subgraphs);
    ORTC_NEEDED(session);
    ORTC_NEEDED(ep_subgraphs);
    ORTC_NEEDED(num_ep_subgraphs);
    const ModelFacts* facts = session->model.facts();
    if (facts == nullptr || facts->assigned_parts == nullptr) {
      return fail("Session configuration entry '", kOrtSessionOptionsRecordEpGraphAssignmentInfo,
                  "' must be set to \"1\" before the session is made; nothing was recorded");
    }
    *ep_subgraphs = session->assigned_list.data();
    *num_ep_subgraphs = session->assigned_list.size();
    return {};
  });
}

OrtStatus* OrtEpAssignedSubgraph_GetEpName(const OrtEpAssignedSubgraph* ep_subgraph,
                                           const char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ep_subgraph);
    *out = ep_subgraph->part->provider.c_str();
    return {};
  });
}

OrtStatus* OrtEpAssignedSubgraph_GetNodes(const OrtEpAssignedSubgraph* ep_subgraph,
                                          const OrtEpAssignedNode* const** ep_nodes,
                                          size_t* num_ep_nodes) {
  return guard([&]() -> Status {
    api::empty_outs(ep_nodes, num_ep_nodes);
    ORTC_NEEDED(ep_subgraph);
    ORTC_NEEDED(ep_nodes);
    ORTC_NEEDED(num_ep_nodes);
    *ep_nodes = ep_subgraph->list.data();
    *num_ep_nodes = ep_subgraph->list.size();
    return {};
  });
}

OrtStatus* OrtEpAssignedNode_GetName(const OrtEpAssignedNode* ep_node, const char** out) {
  return api::give_text(ep_node, &AssignedPart::Node::name, out);
}

OrtStatus* OrtEpAssignedNode_GetDomain(const OrtEpAssignedNode* ep_node, const char** out) {
  return api::give_text(ep_node, &AssignedPart::Node::domain, out);
}

OrtStatus* OrtEpAssignedNode_GetOperatorType(const OrtEpAssignedNode* ep_node, const char** out) {
  return api::give_text(ep_node, &AssignedPart::Node::op_type, out);
}

}  // extern "C"
