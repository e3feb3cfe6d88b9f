// SPDX-License-Identifier: MIT
//! `model_editor.h`. The model editor: models made in memory, piece by piece, for sessions and for
//! the compile API; and models from files that get more nodes before a session is made of them.

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

extern "C" {
    /// Makes the type of a tensor.
    pub fn OrtCreateTensorTypeInfo(
        tensor_info: *const OrtTensorTypeAndShapeInfo,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Makes the type of a sparse tensor; parameters as for OrtCreateTensorTypeInfo().
    pub fn OrtCreateSparseTensorTypeInfo(
        tensor_info: *const OrtTensorTypeAndShapeInfo,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Makes the type of a map.
    pub fn OrtCreateMapTypeInfo(
        map_key_type: ONNXTensorElementDataType,
        map_value_type: *const OrtTypeInfo,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Makes the type of a sequence.
    pub fn OrtCreateSequenceTypeInfo(
        sequence_type: *const OrtTypeInfo,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Makes the type of a value that may be absent.
    pub fn OrtCreateOptionalTypeInfo(
        contained_type: *const OrtTypeInfo,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Makes a value: a name with a type, for the inputs and outputs of a graph.
    pub fn OrtCreateValueInfo(
        name: *const c_char,
        type_info: *const OrtTypeInfo,
        value_info: *mut *mut OrtValueInfo,
    ) -> *mut OrtStatus;
    /// Makes a node.
    pub fn OrtCreateNode(
        operator_name: *const c_char,
        domain_name: *const c_char,
        node_name: *const c_char,
        input_names: *const *const c_char,
        input_names_len: usize,
        output_names: *const *const c_char,
        output_names_len: usize,
        attributes: *mut *mut OrtOpAttr,
        attribs_len: usize,
        node: *mut *mut OrtNode,
    ) -> *mut OrtStatus;
    /// Makes an empty graph.
    pub fn OrtCreateGraph(graph: *mut *mut OrtGraph) -> *mut OrtStatus;
    /// Sets the inputs of a graph, in order.
    pub fn OrtSetGraphInputs(
        graph: *mut OrtGraph,
        inputs: *mut *mut OrtValueInfo,
        inputs_len: usize,
    ) -> *mut OrtStatus;
    /// Sets the outputs of a graph, in order.
    pub fn OrtSetGraphOutputs(
        graph: *mut OrtGraph,
        outputs: *mut *mut OrtValueInfo,
        outputs_len: usize,
    ) -> *mut OrtStatus;
    /// Adds an initializer to a graph.
    pub fn OrtAddInitializerToGraph(
        graph: *mut OrtGraph,
        name: *const c_char,
        tensor: *mut OrtValue,
        data_is_external: bool,
    ) -> *mut OrtStatus;
    /// Adds a node to a graph.
    pub fn OrtAddNodeToGraph(graph: *mut OrtGraph, node: *mut OrtNode) -> *mut OrtStatus;
    /// Makes a model without a graph.
    pub fn OrtCreateModel(
        domain_names: *const *const c_char,
        opset_versions: *const c_int,
        opset_entries_len: usize,
        model: *mut *mut OrtModel,
    ) -> *mut OrtStatus;
    /// Gives a model its graph, once.
    pub fn OrtAddGraphToModel(model: *mut OrtModel, graph: *mut OrtGraph) -> *mut OrtStatus;
    /// Gives a model back.
    pub fn OrtReleaseModel(model: *mut OrtModel);
    /// Makes a session from a model of the model editor.
    pub fn OrtCreateSessionFromModel(
        env: *const OrtEnv,
        model: *const OrtModel,
        options: *const OrtSessionOptions,
        out: *mut *mut OrtSession,
    ) -> *mut OrtStatus;
    /// Compiles a model of the model editor.
    pub fn OrtModelCompilationOptions_SetInputModel(
        model_compile_options: *mut OrtModelCompilationOptions,
        model: *const OrtModel,
    ) -> *mut OrtStatus;
    /// Reads a model file for a session that is not finished: it tells its inputs and outputs,
    /// takes changes, and runs after OrtFinalizeModelEditorSession().
    pub fn OrtCreateModelEditorSession(
        env: *const OrtEnv,
        model_path: *const c_char,
        options: *const OrtSessionOptions,
        out: *mut *mut OrtSession,
    ) -> *mut OrtStatus;
    /// As OrtCreateModelEditorSession(), for a model in memory.
    pub fn OrtCreateModelEditorSessionFromArray(
        env: *const OrtEnv,
        model_data: *const c_void,
        model_data_length: usize,
        options: *const OrtSessionOptions,
        out: *mut *mut OrtSession,
    ) -> *mut OrtStatus;
    /// Tells the opset of a domain that the session's model imports; any session will do.
    pub fn OrtSessionGetOpsetForDomain(
        session: *const OrtSession,
        domain: *const c_char,
        opset: *mut c_int,
    ) -> *mut OrtStatus;
    /// Adds the nodes and initializers of a model to that of an unfinished session.
    pub fn OrtApplyModelToModelEditorSession(
        session: *mut OrtSession,
        model: *mut OrtModel,
    ) -> *mut OrtStatus;
    /// Finishes a session: what OrtCreateSession() does after reading.
    pub fn OrtFinalizeModelEditorSession(
        session: *mut OrtSession,
        options: *const OrtSessionOptions,
        prepacked_weights_container: *mut OrtPrepackedWeightsContainer,
    ) -> *mut OrtStatus;
}
