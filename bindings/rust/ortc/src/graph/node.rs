// SPDX-License-Identifier: MIT
//! Nodes: of a model's graph, or new ones.

use std::os::raw::c_char;
use std::ptr::null;

use ortc_sys as sys;

use super::{list, Graph, OpAttribute, ValueInfo};
use crate::call::{Owned, Ref};
use crate::error::Result;
use crate::text::{c_text, text, CTexts};

/// A node of a graph. A new one, made for a graph, tells only what it was made of; the rest fails
/// with `NotImplemented`.
pub struct Node(Owned<sys::OrtNode>);

impl Node {
    /// Describes a new node with that operator.
    ///
    /// ```
    /// let node = ortc::Node::builder("Add").inputs(&["a", "b"]).outputs(&["sum"]).build()?;
    /// assert_eq!(node.operator()?, "Add");
    /// # Ok::<(), ortc::Error>(())
    /// ```
    pub fn builder(operator: &str) -> NodeBuilder {
        NodeBuilder { operator: operator.into(), ..NodeBuilder::default() }
    }

    /// The node's id: unique in its graph, the same in every view of the graph.
    #[doc(alias = "OrtNode_GetId")]
    pub fn id(&self) -> Result<usize> {
        // SAFETY: the node lives.
        unsafe { get!(OrtNode_GetId(self.as_ptr())) }
    }

    /// The node's name, which may be empty and need not be unique.
    #[doc(alias = "OrtNode_GetName")]
    pub fn name(&self) -> Result<String> {
        // SAFETY: the text lives as long as the node.
        unsafe { get!(OrtNode_GetName(self.as_ptr())).map(|name| text(name)) }
    }

    /// The operator, as "Conv".
    #[doc(alias = "OrtNode_GetOperatorType")]
    pub fn operator(&self) -> Result<String> {
        // SAFETY: the text lives as long as the node.
        unsafe { get!(OrtNode_GetOperatorType(self.as_ptr())).map(|operator| text(operator)) }
    }

    /// The operator's domain; "" is ONNX's own.
    #[doc(alias = "OrtNode_GetDomain")]
    pub fn domain(&self) -> Result<String> {
        // SAFETY: the text lives as long as the node.
        unsafe { get!(OrtNode_GetDomain(self.as_ptr())).map(|domain| text(domain)) }
    }

    /// The opset version in which the operator took the form that the node is read with; none when
    /// the library does not know the operator.
    #[doc(alias = "OrtNode_GetSinceVersion")]
    pub fn since_version(&self) -> Result<Option<i32>> {
        // SAFETY: the node lives.
        let version = unsafe { get!(OrtNode_GetSinceVersion(self.as_ptr())) }?;
        Ok((version >= 0).then_some(version))
    }

    /// The inputs in order, none for an omitted one.
    #[doc(alias = "OrtNode_GetInputs")]
    #[doc(alias = "OrtNode_GetNumInputs")]
    pub fn inputs(&self) -> Result<Vec<Option<Ref<'_, ValueInfo>>>> {
        // SAFETY: room for as many as the node has; values live as long as it.
        unsafe {
            let values = list(get!(OrtNode_GetNumInputs(self.as_ptr()))?, |room, count| {
                call!(OrtNode_GetInputs(self.as_ptr(), room, count))
            })?;
            Ok(values.into_iter().map(|value| ValueInfo::borrow(value)).collect())
        }
    }

    /// The outputs in order, none for an omitted one.
    #[doc(alias = "OrtNode_GetNumOutputs")]
    #[doc(alias = "OrtNode_GetOutputs")]
    pub fn outputs(&self) -> Result<Vec<Option<Ref<'_, ValueInfo>>>> {
        // SAFETY: as in `inputs`.
        unsafe {
            let values = list(get!(OrtNode_GetNumOutputs(self.as_ptr()))?, |room, count| {
                call!(OrtNode_GetOutputs(self.as_ptr(), room, count))
            })?;
            Ok(values.into_iter().map(|value| ValueInfo::borrow(value)).collect())
        }
    }

    /// The values of the node's graph that its sub-graphs (If, Loop, Scan) read, each once.
    #[doc(alias = "OrtNode_GetImplicitInputs")]
    #[doc(alias = "OrtNode_GetNumImplicitInputs")]
    pub fn implicit_inputs(&self) -> Result<Vec<Ref<'_, ValueInfo>>> {
        // SAFETY: as in `inputs`.
        unsafe {
            let values =
                list(get!(OrtNode_GetNumImplicitInputs(self.as_ptr()))?, |room, count| {
                    call!(OrtNode_GetImplicitInputs(self.as_ptr(), room, count))
                })?;
            Ok(values.into_iter().filter_map(|value| ValueInfo::borrow(value)).collect())
        }
    }

    /// The attributes that the model gives the node, without defaults of the operator.
    #[doc(alias = "OrtNode_GetAttributes")]
    #[doc(alias = "OrtNode_GetNumAttributes")]
    pub fn attributes(&self) -> Result<Vec<Ref<'_, OpAttribute>>> {
        // SAFETY: as in `inputs`.
        unsafe {
            let items = list(get!(OrtNode_GetNumAttributes(self.as_ptr()))?, |room, count| {
                call!(OrtNode_GetAttributes(self.as_ptr(), room, count))
            })?;
            Ok(items.into_iter().filter_map(|item| OpAttribute::borrow(item)).collect())
        }
    }

    /// An attribute that the model gives the node; none when it leaves it out.
    ///
    /// Fails with `NotFound` when the operator has no such attribute.
    #[doc(alias = "OrtNode_GetAttributeByName")]
    pub fn attribute(&self, name: &str) -> Result<Option<Ref<'_, OpAttribute>>> {
        let name = c_text(name)?;
        // SAFETY: the attribute lives as long as the node.
        unsafe {
            get!(OrtNode_GetAttributeByName(self.as_ptr(), name.as_ptr()))
                .map(|item| OpAttribute::borrow(item))
        }
    }

    /// The sub-graphs, with the names of the attributes that hold them, as "then_branch".
    #[doc(alias = "OrtNode_GetNumSubgraphs")]
    #[doc(alias = "OrtNode_GetSubgraphs")]
    pub fn subgraphs(&self) -> Result<Vec<(String, Ref<'_, Graph>)>> {
        // SAFETY: room for as many as the node has; graphs and texts live as long as it.
        unsafe {
            let count: usize = get!(OrtNode_GetNumSubgraphs(self.as_ptr()))?;
            let mut names: Vec<*const c_char> = vec![null(); count];
            let graphs = list(count, |room, count| {
                call!(OrtNode_GetSubgraphs(self.as_ptr(), room, count, names.as_mut_ptr()))
            })?;
            let graphs = graphs.into_iter().map(|graph| Graph::borrow(graph));
            Ok(names.into_iter().map(|name| text(name)).zip(graphs).collect())
        }
    }

    /// The graph that the node was found in.
    #[doc(alias = "OrtNode_GetGraph")]
    pub fn graph(&self) -> Result<Ref<'_, Graph>> {
        // SAFETY: the graph lives longer than the node.
        unsafe { get!(OrtNode_GetGraph(self.as_ptr())).map(|graph| Graph::borrow(graph)) }
    }

    /// The execution provider that the node was given to; empty when it is nobody's.
    #[doc(alias = "OrtNode_GetEpName")]
    pub fn ep_name(&self) -> Result<String> {
        // SAFETY: the text lives as long as the node.
        unsafe { get!(OrtNode_GetEpName(self.as_ptr())).map(|name| text(name)) }
    }

    /// # Safety
    /// `node` is null or lives as long as `'a`.
    pub(super) unsafe fn borrow<'a>(node: *const sys::OrtNode) -> Option<Ref<'a, Node>> {
        // SAFETY: as the caller promises; a `Ref` never gives it back.
        (!node.is_null()).then(|| unsafe { Ref::new(Node(Owned::new(node as *mut _))) })
    }

    pub(super) fn as_ptr(&self) -> *mut sys::OrtNode {
        self.0.as_ptr()
    }

    /// For who has taken the object over.
    pub(super) fn forget(self) {
        self.0.into_raw();
    }
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node")
            .field("name", &self.name())
            .field("operator", &self.operator())
            .finish()
    }
}

/// What a new node is to be. Names connect: a node reads the values that inputs, initializers and
/// other nodes define; "" is an omitted input or output.
#[derive(Debug, Default)]
#[must_use]
pub struct NodeBuilder {
    operator: String,
    domain: String,
    name: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    attributes: Vec<OpAttribute>,
}

impl NodeBuilder {
    /// The operator's domain; ONNX's own when it is not said.
    pub fn domain(mut self, domain: &str) -> Self {
        self.domain = domain.into();
        self
    }

    /// The node's name.
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// The names of the inputs.
    pub fn inputs(mut self, names: &[&str]) -> Self {
        self.inputs = names.iter().map(|name| name.to_string()).collect();
        self
    }

    /// The names of the outputs.
    pub fn outputs(mut self, names: &[&str]) -> Self {
        self.outputs = names.iter().map(|name| name.to_string()).collect();
        self
    }

    /// Adds an attribute; each name once.
    pub fn attribute(mut self, attribute: OpAttribute) -> Self {
        self.attributes.push(attribute);
        self
    }

    /// Makes the node.
    #[doc(alias = "OrtCreateNode")]
    pub fn build(self) -> Result<Node> {
        let (operator, domain) = (c_text(&self.operator)?, c_text(&self.domain)?);
        let name = c_text(&self.name)?;
        let (inputs, outputs) = (CTexts::new(&self.inputs)?, CTexts::new(&self.outputs)?);
        let mut attributes: Vec<_> = self.attributes.iter().map(OpAttribute::as_ptr).collect();
        // SAFETY: texts are copied; attributes are taken over unless the call fails.
        let node = unsafe {
            let node = get!(OrtCreateNode(
                operator.as_ptr(),
                domain.as_ptr(),
                name.as_ptr(),
                inputs.as_ptr(),
                inputs.len(),
                outputs.as_ptr(),
                outputs.len(),
                attributes.as_mut_ptr(),
                attributes.len()
            ))?;
            Node(Owned::new(node))
        };
        self.attributes.into_iter().for_each(OpAttribute::forget);
        Ok(node)
    }
}
