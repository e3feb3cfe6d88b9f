// SPDX-License-Identifier: MIT
//! Which execution provider runs which nodes of a session. Recorded for sessions made with
//! `session.record_ep_graph_assignment_info=1`.

use std::marker::PhantomData;
use std::ptr::null;

use ortc_sys as sys;

use super::Session;
use crate::error::Result;
use crate::text::{array, text};

impl Session {
    /// The parts of the model and their execution providers: each part that was compiled as a
    /// whole, and each node of the CPU provider as a part of its own.
    ///
    /// Fails when the session was made without the config entry.
    #[doc(alias = "OrtSession_GetEpGraphAssignmentInfo")]
    pub fn assignment(&self) -> Result<Vec<AssignedSubgraph<'_>>> {
        let (mut parts, mut count) = (null(), 0);
        // SAFETY: `count` parts that live as long as the session.
        unsafe {
            call!(OrtSession_GetEpGraphAssignmentInfo(self.as_ptr(), &mut parts, &mut count))?;
            let part = |part: &*const sys::OrtEpAssignedSubgraph| AssignedSubgraph {
                part: *part,
                session: PhantomData,
            };
            Ok(array(parts, count).iter().map(part).collect())
        }
    }
}

/// A part of a model that one execution provider runs.
#[derive(Clone, Copy, Debug)]
pub struct AssignedSubgraph<'s> {
    part: *const sys::OrtEpAssignedSubgraph,
    session: PhantomData<&'s Session>,
}

impl<'s> AssignedSubgraph<'s> {
    /// The execution provider.
    #[doc(alias = "OrtEpAssignedSubgraph_GetEpName")]
    pub fn ep_name(&self) -> Result<String> {
        // SAFETY: part and text live as long as the session.
        unsafe { get!(OrtEpAssignedSubgraph_GetEpName(self.part)).map(|name| text(name)) }
    }

    /// The nodes of the part, as the optimised model has them.
    #[doc(alias = "OrtEpAssignedSubgraph_GetNodes")]
    pub fn nodes(&self) -> Result<Vec<AssignedNode<'s>>> {
        let (mut nodes, mut count) = (null(), 0);
        // SAFETY: `count` nodes that live as long as the session.
        unsafe {
            call!(OrtEpAssignedSubgraph_GetNodes(self.part, &mut nodes, &mut count))?;
            let nodes: &[*const sys::OrtEpAssignedNode] = array(nodes, count);
            Ok(nodes
                .iter()
                .map(|node| AssignedNode { node: *node, session: PhantomData })
                .collect())
        }
    }
}

/// A node of such a part.
#[derive(Clone, Copy, Debug)]
pub struct AssignedNode<'s> {
    node: *const sys::OrtEpAssignedNode,
    session: PhantomData<&'s Session>,
}

impl AssignedNode<'_> {
    /// The name of the node; may be empty.
    #[doc(alias = "OrtEpAssignedNode_GetName")]
    pub fn name(&self) -> Result<String> {
        // SAFETY: node and text live as long as the session.
        unsafe { get!(OrtEpAssignedNode_GetName(self.node)).map(|name| text(name)) }
    }

    /// The domain of its operator; empty for ONNX's own.
    #[doc(alias = "OrtEpAssignedNode_GetDomain")]
    pub fn domain(&self) -> Result<String> {
        // SAFETY: node and text live as long as the session.
        unsafe { get!(OrtEpAssignedNode_GetDomain(self.node)).map(|domain| text(domain)) }
    }

    /// Its operator.
    #[doc(alias = "OrtEpAssignedNode_GetOperatorType")]
    pub fn operator(&self) -> Result<String> {
        // SAFETY: node and text live as long as the session.
        unsafe { get!(OrtEpAssignedNode_GetOperatorType(self.node)).map(|op| text(op)) }
    }
}

macro_rules! shared {
    ($($name:ident)*) => {$(
        // SAFETY: parts and nodes do not change, and borrow the session, which may be shared.
        unsafe impl Send for $name<'_> {}
        // SAFETY: as above.
        unsafe impl Sync for $name<'_> {}
    )*};
}

shared!(AssignedSubgraph AssignedNode);
