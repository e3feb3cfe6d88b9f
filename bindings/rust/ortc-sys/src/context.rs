// SPDX-License-Identifier: MIT
//! `context.h`. Compiled models seen from outside: will one run here, what is in it, and how are
//! several put together? Nothing here makes a session or runs anything.

use std::os::raw::{c_char, c_void};

use crate::*;

extern "C" {
    /// Reads from a model file what it was compiled for.
    pub fn OrtGetCompatibilityInfoFromModel(
        model_path: *const c_char,
        ep_type: *const c_char,
        allocator: *mut OrtAllocator,
        compatibility_info: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Reads from the bytes of a model what it was compiled for.
    pub fn OrtGetCompatibilityInfoFromModelBytes(
        model_data: *const c_void,
        model_data_length: usize,
        ep_type: *const c_char,
        allocator: *mut OrtAllocator,
        compatibility_info: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Says how well a compiled model fits devices.
    pub fn OrtGetModelCompatibilityForEpDevices(
        ep_devices: *const *const OrtEpDevice,
        num_ep_devices: usize,
        compatibility_info: *const c_char,
        out_status: *mut OrtCompiledModelCompatibility,
    ) -> *mut OrtStatus;
    /// Describes a file, without running or changing anything: an ONNX model, compiled or not, or a
    /// context binary.
    pub fn OrtInspectFile(
        path: *const c_char,
        flags: u32,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
    /// Shows the description as a JSON object.
    pub fn OrtInspection_GetJson(
        inspection: *const OrtInspection,
        out: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Gives a description back.
    pub fn OrtReleaseInspection(inspection: *mut OrtInspection);
    /// Says what is different in two files: two models, compiled or not, or two context binaries.
    pub fn OrtDiffFiles(
        first_path: *const c_char,
        second_path: *const c_char,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
    /// Makes a model that also gives every tensor of its main graph, so that two models can be
    /// compared step by step.
    pub fn OrtExposeModelValues(
        model_path: *const c_char,
        allocator: *mut OrtAllocator,
        model_data: *mut *mut c_void,
        model_data_length: *mut usize,
    ) -> *mut OrtStatus;
    /// Puts everything that a compiled model needs into it: contexts and initializers that are in
    /// files beside it.
    pub fn OrtPackModel(
        model_path: *const c_char,
        output_path: *const c_char,
        flags: u32,
        progress: OrtProgressFn,
        state: *mut c_void,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
    /// Makes one model of several, side by side or one feeding the other.
    pub fn OrtMergeModels(
        model_paths: *const *const c_char,
        num_models: usize,
        connections: *const *const c_char,
        num_connections: usize,
        output_path: *const c_char,
        flags: u32,
        progress: OrtProgressFn,
        state: *mut c_void,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
    /// Makes a model of one EPContext node, with its own graph of the context alone.
    pub fn OrtExtractContext(
        model_path: *const c_char,
        node_name: *const c_char,
        output_path: *const c_char,
        flags: u32,
        progress: OrtProgressFn,
        state: *mut c_void,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
    /// Puts a prefix in front of the names of EPContext nodes and of their graphs; contexts are
    /// written again.
    pub fn OrtPrefixModel(
        model_path: *const c_char,
        prefix: *const c_char,
        output_path: *const c_char,
        flags: u32,
        progress: OrtProgressFn,
        state: *mut c_void,
        out: *mut *mut OrtInspection,
    ) -> *mut OrtStatus;
}
