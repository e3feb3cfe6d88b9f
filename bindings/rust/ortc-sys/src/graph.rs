// SPDX-License-Identifier: MIT
//! `graph.h`. Graphs as execution providers see them: a view of a model's graph, its nodes, values,
//! attributes and sub-graphs, read-only.

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

extern "C" {
    /// Reads a model file and shows its main graph as execution providers see it before any
    /// optimisation: names resolved, nodes sorted, local functions inlined, Constant nodes made
    /// initializers, every value with its type and shape as far as they can be inferred.
    pub fn OrtLoadGraph(
        env: *const OrtEnv,
        model_path: *const c_char,
        out: *mut *mut OrtGraph,
    ) -> *mut OrtStatus;
    /// As OrtLoadGraph(), for a model in memory.
    pub fn OrtLoadGraphFromArray(
        env: *const OrtEnv,
        model_data: *const c_void,
        model_data_length: usize,
        out: *mut *mut OrtGraph,
    ) -> *mut OrtStatus;
    /// Gives a graph back, and with it everything that was borrowed from it.
    pub fn OrtReleaseGraph(graph: *mut OrtGraph);
    /// Tells the graph's name, empty when it has none.
    pub fn OrtGraph_GetName(
        graph: *const OrtGraph,
        graph_name: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the path of the model file; empty when the model came from memory.
    pub fn OrtGraph_GetModelPath(
        graph: *const OrtGraph,
        model_path: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the version of the ONNX format that the model is written in.
    pub fn OrtGraph_GetOnnxIRVersion(
        graph: *const OrtGraph,
        onnx_ir_version: *mut i64,
    ) -> *mut OrtStatus;
    /// Counts the operator sets that the model imports.
    pub fn OrtGraph_GetNumOperatorSets(
        graph: *const OrtGraph,
        num_operator_sets: *mut usize,
    ) -> *mut OrtStatus;
    /// Lists the operator sets: domains ("" is ONNX's own) and versions.
    pub fn OrtGraph_GetOperatorSets(
        graph: *const OrtGraph,
        domains: *mut *const c_char,
        opset_versions: *mut i64,
        num_operator_sets: usize,
    ) -> *mut OrtStatus;
    /// Counts the inputs, those with an initializer behind them included.
    pub fn OrtGraph_GetNumInputs(graph: *const OrtGraph, num_inputs: *mut usize) -> *mut OrtStatus;
    /// Lists the inputs in order.
    pub fn OrtGraph_GetInputs(
        graph: *const OrtGraph,
        inputs: *mut *const OrtValueInfo,
        num_inputs: usize,
    ) -> *mut OrtStatus;
    /// Counts the outputs.
    pub fn OrtGraph_GetNumOutputs(
        graph: *const OrtGraph,
        num_outputs: *mut usize,
    ) -> *mut OrtStatus;
    /// Lists the outputs in order.
    pub fn OrtGraph_GetOutputs(
        graph: *const OrtGraph,
        outputs: *mut *const OrtValueInfo,
        num_outputs: usize,
    ) -> *mut OrtStatus;
    /// Counts the graph's own initializers that something reads, gives out, or can override.
    pub fn OrtGraph_GetNumInitializers(
        graph: *const OrtGraph,
        num_initializers: *mut usize,
    ) -> *mut OrtStatus;
    /// Lists the graph's own initializers; those of enclosing graphs are listed there.
    pub fn OrtGraph_GetInitializers(
        graph: *const OrtGraph,
        initializers: *mut *const OrtValueInfo,
        num_initializers: usize,
    ) -> *mut OrtStatus;
    /// Counts the nodes, without those of sub-graphs.
    pub fn OrtGraph_GetNumNodes(graph: *const OrtGraph, num_nodes: *mut usize) -> *mut OrtStatus;
    /// Lists the nodes so that those that make a value come before those that read it.
    pub fn OrtGraph_GetNodes(
        graph: *const OrtGraph,
        nodes: *mut *const OrtNode,
        num_nodes: usize,
    ) -> *mut OrtStatus;
    /// Tells the node that a sub-graph belongs to.
    pub fn OrtGraph_GetParentNode(
        graph: *const OrtGraph,
        node: *mut *const OrtNode,
    ) -> *mut OrtStatus;
    /// Makes a view of some nodes of a graph, with the inputs and outputs that they have together.
    pub fn OrtGraph_GetGraphView(
        src_graph: *const OrtGraph,
        nodes: *mut *const OrtNode,
        num_nodes: usize,
        dst_graph: *mut *mut OrtGraph,
    ) -> *mut OrtStatus;
    /// Tells what the model says about itself.
    pub fn OrtGraph_GetModelMetadata(
        graph: *const OrtGraph,
        out: *mut *mut OrtModelMetadata,
    ) -> *mut OrtStatus;
    /// Gives back a node that the model editor made.
    pub fn OrtReleaseNode(node: *mut OrtNode);
    /// Tells the node's id: unique in its graph, the same in every view of the graph.
    pub fn OrtNode_GetId(node: *const OrtNode, node_id: *mut usize) -> *mut OrtStatus;
    /// Tells the node's name, which may be empty and need not be unique.
    pub fn OrtNode_GetName(node: *const OrtNode, node_name: *mut *const c_char) -> *mut OrtStatus;
    /// Tells the operator, as "Conv".
    pub fn OrtNode_GetOperatorType(
        node: *const OrtNode,
        operator_type: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the operator's domain; "" is ONNX's own.
    pub fn OrtNode_GetDomain(
        node: *const OrtNode,
        domain_name: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the opset version in which the operator took the form that the node is read with.
    pub fn OrtNode_GetSinceVersion(
        node: *const OrtNode,
        since_version: *mut c_int,
    ) -> *mut OrtStatus;
    /// Counts the inputs, omitted ones included.
    pub fn OrtNode_GetNumInputs(node: *const OrtNode, num_inputs: *mut usize) -> *mut OrtStatus;
    /// Lists the inputs in order.
    pub fn OrtNode_GetInputs(
        node: *const OrtNode,
        inputs: *mut *const OrtValueInfo,
        num_inputs: usize,
    ) -> *mut OrtStatus;
    /// Counts the outputs, omitted ones included.
    pub fn OrtNode_GetNumOutputs(node: *const OrtNode, num_outputs: *mut usize) -> *mut OrtStatus;
    /// Lists the outputs in order.
    pub fn OrtNode_GetOutputs(
        node: *const OrtNode,
        outputs: *mut *const OrtValueInfo,
        num_outputs: usize,
    ) -> *mut OrtStatus;
    /// Counts the values of the node's graph that its sub-graphs read.
    pub fn OrtNode_GetNumImplicitInputs(
        node: *const OrtNode,
        num_implicit_inputs: *mut usize,
    ) -> *mut OrtStatus;
    /// Lists the values of the node's graph that its sub-graphs (If, Loop, Scan) read, each once.
    pub fn OrtNode_GetImplicitInputs(
        node: *const OrtNode,
        implicit_inputs: *mut *const OrtValueInfo,
        num_implicit_inputs: usize,
    ) -> *mut OrtStatus;
    /// Counts the attributes that the model gives the node, sub-graphs included.
    pub fn OrtNode_GetNumAttributes(
        node: *const OrtNode,
        num_attributes: *mut usize,
    ) -> *mut OrtStatus;
    /// Lists the attributes that the model gives the node.
    pub fn OrtNode_GetAttributes(
        node: *const OrtNode,
        attributes: *mut *const OrtOpAttr,
        num_attributes: usize,
    ) -> *mut OrtStatus;
    /// Finds an attribute that the model gives the node.
    pub fn OrtNode_GetAttributeByName(
        node: *const OrtNode,
        attribute_name: *const c_char,
        attribute: *mut *const OrtOpAttr,
    ) -> *mut OrtStatus;
    /// Counts the sub-graphs.
    pub fn OrtNode_GetNumSubgraphs(
        node: *const OrtNode,
        num_subgraphs: *mut usize,
    ) -> *mut OrtStatus;
    /// Lists the sub-graphs.
    pub fn OrtNode_GetSubgraphs(
        node: *const OrtNode,
        subgraphs: *mut *const OrtGraph,
        num_subgraphs: usize,
        attribute_names: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the graph that the node was found in.
    pub fn OrtNode_GetGraph(node: *const OrtNode, graph: *mut *const OrtGraph) -> *mut OrtStatus;
    /// Tells the execution provider that the node was given to; empty when it is nobody's, as in a
    /// graph that was only loaded.
    pub fn OrtNode_GetEpName(node: *const OrtNode, out: *mut *const c_char) -> *mut OrtStatus;
}
