// SPDX-License-Identifier: MIT
//! `value_info.h`. Values in a graph: name, type, who makes and who reads them, and the initializer
//! behind them.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Gives back a value that the model editor made.
    pub fn OrtReleaseValueInfo(value_info: *mut OrtValueInfo);
    /// Tells the value's name.
    pub fn OrtGetValueInfoName(
        value_info: *const OrtValueInfo,
        name: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the value's type: of the model and as inferred.
    pub fn OrtGetValueInfoTypeInfo(
        value_info: *const OrtValueInfo,
        type_info: *mut *const OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Tells the node of the view that makes the value.
    pub fn OrtValueInfo_GetValueProducer(
        value_info: *const OrtValueInfo,
        producer_node: *mut *const OrtNode,
        producer_output_index: *mut usize,
    ) -> *mut OrtStatus;
    /// Counts the places where nodes of the view read the value.
    pub fn OrtValueInfo_GetValueNumConsumers(
        value_info: *const OrtValueInfo,
        num_consumers: *mut usize,
    ) -> *mut OrtStatus;
    /// Lists the places where nodes of the view read the value.
    pub fn OrtValueInfo_GetValueConsumers(
        value_info: *const OrtValueInfo,
        nodes: *mut *const OrtNode,
        input_indices: *mut i64,
        num_consumers: usize,
    ) -> *mut OrtStatus;
    /// Shows the initializer behind the value, also when it belongs to an enclosing graph or can be
    /// overridden.
    pub fn OrtValueInfo_GetInitializerValue(
        value_info: *const OrtValueInfo,
        initializer_value: *mut *const OrtValue,
    ) -> *mut OrtStatus;
    /// Tells where the bytes of the initializer stand, when that is a file beside the model.
    pub fn OrtValueInfo_GetExternalInitializerInfo(
        value_info: *const OrtValueInfo,
        info: *mut *mut OrtExternalInitializerInfo,
    ) -> *mut OrtStatus;
    /// Says whether the value is an input of the view that every run must give.
    pub fn OrtValueInfo_IsRequiredGraphInput(
        value_info: *const OrtValueInfo,
        is_required_graph_input: *mut bool,
    ) -> *mut OrtStatus;
    /// Says whether the value is a graph input with an initializer behind it, which a run may
    /// override.
    pub fn OrtValueInfo_IsOptionalGraphInput(
        value_info: *const OrtValueInfo,
        is_optional_graph_input: *mut bool,
    ) -> *mut OrtStatus;
    /// Says whether the value is an output of the view.
    pub fn OrtValueInfo_IsGraphOutput(
        value_info: *const OrtValueInfo,
        is_graph_output: *mut bool,
    ) -> *mut OrtStatus;
    /// Says whether the value is an initializer that no run can override, also of an enclosing
    /// graph.
    pub fn OrtValueInfo_IsConstantInitializer(
        value_info: *const OrtValueInfo,
        is_constant_initializer: *mut bool,
    ) -> *mut OrtStatus;
    /// Says whether a sub-graph takes the value from an enclosing graph.
    pub fn OrtValueInfo_IsFromOuterScope(
        value_info: *const OrtValueInfo,
        is_from_outer_scope: *mut bool,
    ) -> *mut OrtStatus;
    /// Makes a description of bytes in a file.
    pub fn OrtCreateExternalInitializerInfo(
        filepath: *const c_char,
        file_offset: i64,
        byte_size: usize,
        out: *mut *mut OrtExternalInitializerInfo,
    ) -> *mut OrtStatus;
    /// Gives a description back.
    pub fn OrtReleaseExternalInitializerInfo(info: *mut OrtExternalInitializerInfo);
    /// Tells the file, relative to the model's folder, as the model gives it.
    pub fn OrtExternalInitializerInfo_GetFilePath(
        info: *const OrtExternalInitializerInfo,
    ) -> *const c_char;
    /// Tells where in the file the bytes begin.
    pub fn OrtExternalInitializerInfo_GetFileOffset(info: *const OrtExternalInitializerInfo)
        -> i64;
    /// Tells how many bytes they are.
    pub fn OrtExternalInitializerInfo_GetByteSize(info: *const OrtExternalInitializerInfo)
        -> usize;
}
