// SPDX-License-Identifier: MIT
//! Graphs: reading a model's, and making one.

use std::os::raw::c_char;
use std::path::{Path, PathBuf};
use std::ptr::null;

use ortc_sys as sys;

use super::{list, Node, ValueInfo};
use crate::call::{Owned, Ref};
use crate::callback::resume;
use crate::env::{Env, Kept};
use crate::error::Result;
use crate::session::ModelMetadata;
use crate::text::{c_path, c_text, text};
use crate::value::Value;

/// A graph: read from a model, or made piece by piece for a [`Model`](super::Model).
///
/// A graph of a model is seen as execution providers see it before any optimisation: nodes sorted,
/// local functions inlined, Constant nodes made initializers, every value with its type as far as
/// it can be inferred. What is reached from a graph lives as long as the graph.
///
/// ```
/// use ortc::{Env, Graph};
///
/// # let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/data/matmul.onnx");
/// let graph = Graph::load(&Env::new("docs")?, model)?;
/// assert_eq!(graph.nodes()?[0].operator()?, "MatMul");
/// # Ok::<(), ortc::Error>(())
/// ```
pub struct Graph {
    handle: Owned<sys::OrtGraph>,
    /// Memory under initializers, and allocators that it goes back to.
    pub(super) kept: Vec<Kept>,
    _env: Option<Env>,
}

impl Graph {
    /// Reads a model file and shows its main graph.
    #[doc(alias = "OrtLoadGraph")]
    pub fn load(env: &Env, path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path)?;
        // SAFETY: a new object.
        resume(unsafe {
            get!(OrtLoadGraph(env.as_ptr(), path.as_ptr()))
                .map(|new| Self::from_raw(new, Some(env)))
        })
    }

    /// As [`load`](Self::load), for a model in memory, which is copied.
    #[doc(alias = "OrtLoadGraphFromArray")]
    pub fn from_bytes(env: &Env, model: &[u8]) -> Result<Self> {
        let (data, size) = (model.as_ptr().cast(), model.len());
        // SAFETY: a new object.
        resume(unsafe {
            get!(OrtLoadGraphFromArray(env.as_ptr(), data, size))
                .map(|new| Self::from_raw(new, Some(env)))
        })
    }

    /// An empty graph, to be filled.
    #[doc(alias = "OrtCreateGraph")]
    pub fn new() -> Result<Self> {
        // SAFETY: a new object.
        unsafe { get!(OrtCreateGraph()).map(|new| Self::from_raw(new, None)) }
    }

    /// The graph's name, empty when it has none.
    #[doc(alias = "OrtGraph_GetName")]
    pub fn name(&self) -> Result<String> {
        // SAFETY: the text lives as long as the graph.
        unsafe { get!(OrtGraph_GetName(self.as_ptr())).map(|name| text(name)) }
    }

    /// The path of the model file; empty when the model came from memory.
    #[doc(alias = "OrtGraph_GetModelPath")]
    pub fn model_path(&self) -> Result<PathBuf> {
        // SAFETY: the text lives as long as the graph.
        unsafe { get!(OrtGraph_GetModelPath(self.as_ptr())).map(|path| text(path).into()) }
    }

    /// The version of the ONNX format that the model is written in.
    #[doc(alias = "OrtGraph_GetOnnxIRVersion")]
    pub fn ir_version(&self) -> Result<i64> {
        // SAFETY: the graph lives.
        unsafe { get!(OrtGraph_GetOnnxIRVersion(self.as_ptr())) }
    }

    /// The operator sets that the model imports: domains ("" is ONNX's own) and versions.
    #[doc(alias = "OrtGraph_GetNumOperatorSets")]
    #[doc(alias = "OrtGraph_GetOperatorSets")]
    pub fn operator_sets(&self) -> Result<Vec<(String, i64)>> {
        // SAFETY: room for as many as the graph has; texts live as long as it.
        unsafe {
            let count: usize = get!(OrtGraph_GetNumOperatorSets(self.as_ptr()))?;
            let mut domains: Vec<*const c_char> = vec![null(); count];
            let mut versions = vec![0; count];
            let (names, numbers) = (domains.as_mut_ptr(), versions.as_mut_ptr());
            call!(OrtGraph_GetOperatorSets(self.as_ptr(), names, numbers, count))?;
            Ok(domains.into_iter().map(|domain| text(domain)).zip(versions).collect())
        }
    }

    /// The inputs in order, those with an initializer behind them included.
    #[doc(alias = "OrtGraph_GetInputs")]
    #[doc(alias = "OrtGraph_GetNumInputs")]
    pub fn inputs(&self) -> Result<Vec<Ref<'_, ValueInfo>>> {
        // SAFETY: room for as many as the graph has; values live as long as it.
        unsafe {
            let values = list(get!(OrtGraph_GetNumInputs(self.as_ptr()))?, |room, count| {
                call!(OrtGraph_GetInputs(self.as_ptr(), room, count))
            })?;
            Ok(values.into_iter().filter_map(|value| ValueInfo::borrow(value)).collect())
        }
    }

    /// The outputs in order.
    #[doc(alias = "OrtGraph_GetNumOutputs")]
    #[doc(alias = "OrtGraph_GetOutputs")]
    pub fn outputs(&self) -> Result<Vec<Ref<'_, ValueInfo>>> {
        // SAFETY: as in `inputs`.
        unsafe {
            let values = list(get!(OrtGraph_GetNumOutputs(self.as_ptr()))?, |room, count| {
                call!(OrtGraph_GetOutputs(self.as_ptr(), room, count))
            })?;
            Ok(values.into_iter().filter_map(|value| ValueInfo::borrow(value)).collect())
        }
    }

    /// The graph's own initializers; those of enclosing graphs are listed there.
    #[doc(alias = "OrtGraph_GetInitializers")]
    #[doc(alias = "OrtGraph_GetNumInitializers")]
    pub fn initializers(&self) -> Result<Vec<Ref<'_, ValueInfo>>> {
        // SAFETY: as in `inputs`.
        unsafe {
            let values = list(get!(OrtGraph_GetNumInitializers(self.as_ptr()))?, |room, count| {
                call!(OrtGraph_GetInitializers(self.as_ptr(), room, count))
            })?;
            Ok(values.into_iter().filter_map(|value| ValueInfo::borrow(value)).collect())
        }
    }

    /// The nodes, those that make a value before those that read it; without those of sub-graphs.
    #[doc(alias = "OrtGraph_GetNodes")]
    #[doc(alias = "OrtGraph_GetNumNodes")]
    pub fn nodes(&self) -> Result<Vec<Ref<'_, Node>>> {
        // SAFETY: as in `inputs`.
        unsafe {
            let nodes = list(get!(OrtGraph_GetNumNodes(self.as_ptr()))?, |room, count| {
                call!(OrtGraph_GetNodes(self.as_ptr(), room, count))
            })?;
            Ok(nodes.into_iter().filter_map(|node| Node::borrow(node)).collect())
        }
    }

    /// The node that a sub-graph belongs to; none for a main graph and for a view of some nodes.
    #[doc(alias = "OrtGraph_GetParentNode")]
    pub fn parent_node(&self) -> Result<Option<Ref<'_, Node>>> {
        // SAFETY: the node lives as long as the graph.
        unsafe { get!(OrtGraph_GetParentNode(self.as_ptr())).map(|node| Node::borrow(node)) }
    }

    /// A view of some nodes of the graph, with the inputs and outputs that they have together. It
    /// may outlive the graph.
    #[doc(alias = "OrtGraph_GetGraphView")]
    pub fn view(&self, nodes: &[&Node]) -> Result<Graph> {
        let mut nodes: Vec<_> = nodes.iter().map(|node| node.as_ptr() as *const _).collect();
        let (pointers, count) = (nodes.as_mut_ptr(), nodes.len());
        // SAFETY: nodes are borrowed for the call; a new object.
        unsafe {
            get!(OrtGraph_GetGraphView(self.as_ptr(), pointers, count))
                .map(|new| Self::from_raw(new, self._env.as_ref()))
        }
    }

    /// What the model says about itself.
    #[doc(alias = "OrtGraph_GetModelMetadata")]
    pub fn metadata(&self) -> Result<ModelMetadata> {
        // SAFETY: a new object.
        unsafe {
            get!(OrtGraph_GetModelMetadata(self.as_ptr())).map(|new| ModelMetadata::from_raw(new))
        }
    }

    /// Sets the inputs of a new graph, in order, in place of those set before.
    #[doc(alias = "OrtSetGraphInputs")]
    pub fn set_inputs(&mut self, inputs: Vec<ValueInfo>) -> Result<()> {
        let mut pointers: Vec<_> = inputs.iter().map(ValueInfo::as_ptr).collect();
        let (values, count) = (pointers.as_mut_ptr(), pointers.len());
        // SAFETY: the graph takes the values over unless the call fails.
        unsafe { call!(OrtSetGraphInputs(self.as_ptr(), values, count)) }?;
        inputs.into_iter().for_each(ValueInfo::forget);
        Ok(())
    }

    /// Sets the outputs of a new graph, in order, in place of those set before.
    #[doc(alias = "OrtSetGraphOutputs")]
    pub fn set_outputs(&mut self, outputs: Vec<ValueInfo>) -> Result<()> {
        let mut pointers: Vec<_> = outputs.iter().map(ValueInfo::as_ptr).collect();
        let (values, count) = (pointers.as_mut_ptr(), pointers.len());
        // SAFETY: as in `set_inputs`.
        unsafe { call!(OrtSetGraphOutputs(self.as_ptr(), values, count)) }?;
        outputs.into_iter().for_each(ValueInfo::forget);
        Ok(())
    }

    /// Adds an initializer to a new graph. Memory of the program under it is copied; that of an
    /// allocator is used as it is. With an input of the same name it is that input's default.
    #[doc(alias = "OrtAddInitializerToGraph")]
    pub fn add_initializer(&mut self, name: &str, tensor: impl Into<Value>) -> Result<()> {
        self.take_initializer(name, tensor.into(), false)
    }

    /// Adds an initializer of 128 bytes or more whose memory is used as it is, not copied: a tensor
    /// made with [`Tensor::from_vec`](crate::Tensor::from_vec).
    pub fn add_initializer_in_place(&mut self, name: &str, tensor: impl Into<Value>) -> Result<()> {
        self.take_initializer(name, tensor.into(), true)
    }

    fn take_initializer(&mut self, name: &str, tensor: Value, in_place: bool) -> Result<()> {
        let name = c_text(name)?;
        let (tensor, kept) = tensor.into_parts();
        // SAFETY: taken over unless the call fails; graph, model and sessions keep the memory.
        unsafe {
            call!(OrtAddInitializerToGraph(self.as_ptr(), name.as_ptr(), tensor.as_ptr(), in_place))
        }?;
        tensor.into_raw();
        // Also without `in_place`: memory that a tensor owns is not copied; its allocator frees it.
        self.kept.extend(kept);
        Ok(())
    }

    /// Adds a node to a new graph, in any order.
    #[doc(alias = "OrtAddNodeToGraph")]
    pub fn add_node(&mut self, node: Node) -> Result<()> {
        // SAFETY: taken over unless the call fails.
        unsafe { call!(OrtAddNodeToGraph(self.as_ptr(), node.as_ptr())) }?;
        node.forget();
        Ok(())
    }

    /// # Safety
    /// `graph` is new.
    pub(super) unsafe fn from_raw(graph: *mut sys::OrtGraph, env: Option<&Env>) -> Self {
        // SAFETY: as the caller promises.
        let handle = unsafe { Owned::new(graph) };
        Graph { handle, kept: Vec::new(), _env: env.cloned() }
    }

    /// # Safety
    /// `graph` lives as long as `'a`.
    pub(super) unsafe fn borrow<'a>(graph: *const sys::OrtGraph) -> Ref<'a, Graph> {
        // SAFETY: as the caller promises; a `Ref` never gives it back.
        unsafe { Ref::new(Self::from_raw(graph as *mut _, None)) }
    }

    pub(super) fn as_ptr(&self) -> *mut sys::OrtGraph {
        self.handle.as_ptr()
    }

    /// The memory that it uses, for who has taken the object over.
    pub(super) fn forget(self) -> Vec<Kept> {
        self.handle.into_raw();
        self.kept
    }
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").field("name", &self.name()).field("nodes", &self.nodes()).finish()
    }
}
