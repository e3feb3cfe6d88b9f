// SPDX-License-Identifier: MIT
// Which execution provider runs which nodes of a session. Recorded for sessions made with
// `session.record_ep_graph_assignment_info=1`.
#pragma once

#include "ort_c/session.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtEpAssignedSubgraph OrtEpAssignedSubgraph;
typedef struct OrtEpAssignedNode OrtEpAssignedNode;

/// Lists the parts of the model and their execution providers: each part that was compiled as a
/// whole, and each node of the CPU provider as a part of its own.
///
/// `session`           Borrowed.
/// `ep_subgraphs`      A borrowed array of borrowed parts; lives as long as the session. NULL after
///                     a failure.
/// `num_ep_subgraphs`  How many there are. 0 after a failure.
///
/// Fails with INVALID_ARGUMENT, or FAIL when the session was made without the config entry.
/// Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtSession_GetEpGraphAssignmentInfo(
    const OrtSession* session, const OrtEpAssignedSubgraph* const** ep_subgraphs,
    size_t* num_ep_subgraphs);

/// Tells the execution provider of a part.
///
/// `out`  Borrowed; lives as long as the session. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtEpAssignedSubgraph_GetEpName(const OrtEpAssignedSubgraph* ep_subgraph,
                                                    const char** out);

/// Lists the nodes of a part, as the optimised model has them.
///
/// `ep_nodes`      A borrowed array of borrowed nodes; lives as long as the session. NULL after a
///                 failure.
/// `num_ep_nodes`  How many there are. 0 after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtEpAssignedSubgraph_GetNodes(const OrtEpAssignedSubgraph* ep_subgraph,
                                                   const OrtEpAssignedNode* const** ep_nodes,
                                                   size_t* num_ep_nodes);

/// Tells the name of a node; may be empty.
///
/// `out`  Borrowed; lives as long as the session. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtEpAssignedNode_GetName(const OrtEpAssignedNode* ep_node, const char** out);

/// Tells the domain of a node's operator; empty for ONNX's own.
///
/// `out`  Borrowed; lives as long as the session. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtEpAssignedNode_GetDomain(const OrtEpAssignedNode* ep_node, const char** out);

/// Tells the operator of a node.
///
/// `out`  Borrowed; lives as long as the session. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtEpAssignedNode_GetOperatorType(const OrtEpAssignedNode* ep_node,
                                                      const char** out);

#ifdef __cplusplus
}
#endif
