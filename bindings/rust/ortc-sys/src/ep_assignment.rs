// SPDX-License-Identifier: MIT
//! `ep_assignment.h`. Which execution provider runs which nodes of a session.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Lists the parts of the model and their execution providers: each part that was compiled as a
    /// whole, and each node of the CPU provider as a part of its own.
    pub fn OrtSession_GetEpGraphAssignmentInfo(
        session: *const OrtSession,
        ep_subgraphs: *mut *const *const OrtEpAssignedSubgraph,
        num_ep_subgraphs: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the execution provider of a part.
    pub fn OrtEpAssignedSubgraph_GetEpName(
        ep_subgraph: *const OrtEpAssignedSubgraph,
        out: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Lists the nodes of a part, as the optimised model has them.
    pub fn OrtEpAssignedSubgraph_GetNodes(
        ep_subgraph: *const OrtEpAssignedSubgraph,
        ep_nodes: *mut *const *const OrtEpAssignedNode,
        num_ep_nodes: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the name of a node; may be empty.
    pub fn OrtEpAssignedNode_GetName(
        ep_node: *const OrtEpAssignedNode,
        out: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the domain of a node's operator; empty for ONNX's own.
    pub fn OrtEpAssignedNode_GetDomain(
        ep_node: *const OrtEpAssignedNode,
        out: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the operator of a node.
    pub fn OrtEpAssignedNode_GetOperatorType(
        ep_node: *const OrtEpAssignedNode,
        out: *mut *const c_char,
    ) -> *mut OrtStatus;
}
