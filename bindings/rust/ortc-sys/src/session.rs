// SPDX-License-Identifier: MIT
//! `session.h`. A model ready to run: made from a file or from bytes, a plain ONNX model or a
//! compiled one alike.

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

extern "C" {
    /// Makes a session from a model file.
    pub fn OrtCreateSession(
        env: *const OrtEnv,
        model_path: *const c_char,
        options: *const OrtSessionOptions,
        out: *mut *mut OrtSession,
    ) -> *mut OrtStatus;
    /// Makes a session from the bytes of a model.
    pub fn OrtCreateSessionFromArray(
        env: *const OrtEnv,
        model_data: *const c_void,
        model_data_length: usize,
        options: *const OrtSessionOptions,
        out: *mut *mut OrtSession,
    ) -> *mut OrtStatus;
    /// Gives a session back.
    pub fn OrtReleaseSession(session: *mut OrtSession);
    /// Runs the model once and waits for the result.
    pub fn OrtRun(
        session: *mut OrtSession,
        run_options: *const OrtRunOptions,
        input_names: *const *const c_char,
        inputs: *const *const OrtValue,
        input_len: usize,
        output_names: *const *const c_char,
        output_names_len: usize,
        outputs: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Counts the inputs that a run must give.
    pub fn OrtSessionGetInputCount(session: *const OrtSession, out: *mut usize) -> *mut OrtStatus;
    /// Counts the outputs.
    pub fn OrtSessionGetOutputCount(session: *const OrtSession, out: *mut usize) -> *mut OrtStatus;
    /// Counts the inputs that have an initializer.
    pub fn OrtSessionGetOverridableInitializerCount(
        session: *const OrtSession,
        out: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the name of an input.
    pub fn OrtSessionGetInputName(
        session: *const OrtSession,
        index: usize,
        allocator: *mut OrtAllocator,
        value: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Tells the name of an output; parameters as for OrtSessionGetInputName().
    pub fn OrtSessionGetOutputName(
        session: *const OrtSession,
        index: usize,
        allocator: *mut OrtAllocator,
        value: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Tells the name of an input with an initializer; parameters as for OrtSessionGetInputName().
    pub fn OrtSessionGetOverridableInitializerName(
        session: *const OrtSession,
        index: usize,
        allocator: *mut OrtAllocator,
        value: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Tells the type of an input.
    pub fn OrtSessionGetInputTypeInfo(
        session: *const OrtSession,
        index: usize,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Tells the type of an output; parameters as for OrtSessionGetInputTypeInfo().
    pub fn OrtSessionGetOutputTypeInfo(
        session: *const OrtSession,
        index: usize,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Tells the type of an input with an initializer; parameters as for
    /// OrtSessionGetInputTypeInfo().
    pub fn OrtSessionGetOverridableInitializerTypeInfo(
        session: *const OrtSession,
        index: usize,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Gives what the model says about itself.
    pub fn OrtSessionGetModelMetadata(
        session: *const OrtSession,
        out: *mut *mut OrtModelMetadata,
    ) -> *mut OrtStatus;
    /// Reports on the session as a JSON object: where the load time went, nodes per execution
    /// provider, and memory, mapped and private.
    pub fn OrtSession_GetReportJson(
        session: *const OrtSession,
        allocator: *mut OrtAllocator,
        out: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Reports where the memory of a session is as a JSON object, by page, as the system sees it.
    pub fn OrtSession_GetMemoryReportJson(
        session: *const OrtSession,
        allocator: *mut OrtAllocator,
        out: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Begins a run on a thread of the session's pool and returns at once.
    pub fn OrtRunAsync(
        session: *mut OrtSession,
        run_options: *const OrtRunOptions,
        input_names: *const *const c_char,
        input: *const *const OrtValue,
        input_len: usize,
        output_names: *const *const c_char,
        output_names_len: usize,
        output: *mut *mut OrtValue,
        run_async_callback: RunAsyncCallbackFn,
        user_data: *mut c_void,
    ) -> *mut OrtStatus;
    /// Ends the profile and writes its file: a Chrome trace in JSON, with an event for every
    /// operator.
    pub fn OrtSessionEndProfiling(
        session: *mut OrtSession,
        allocator: *mut OrtAllocator,
        out: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Tells when the profile began, in nanoseconds since 1970; the times in the file count from
    /// then.
    pub fn OrtSessionGetProfilingStartTimeNs(
        session: *const OrtSession,
        out: *mut u64,
    ) -> *mut OrtStatus;
    /// Tells in which memory a run wants each input.
    pub fn OrtSessionGetMemoryInfoForInputs(
        session: *const OrtSession,
        inputs_memory_info: *mut *const OrtMemoryInfo,
        num_inputs: usize,
    ) -> *mut OrtStatus;
    /// Tells in which memory a run leaves each output; parameters as for
    /// OrtSessionGetMemoryInfoForInputs().
    pub fn OrtSessionGetMemoryInfoForOutputs(
        session: *const OrtSession,
        outputs_memory_info: *mut *const OrtMemoryInfo,
        num_outputs: usize,
    ) -> *mut OrtStatus;
    /// Tells on which device each input is read.
    pub fn OrtSessionGetEpDeviceForInputs(
        session: *const OrtSession,
        inputs_ep_devices: *mut *const OrtEpDevice,
        num_inputs: usize,
    ) -> *mut OrtStatus;
    /// Tells on which device each output is made; parameters as for
    /// OrtSessionGetEpDeviceForInputs().
    pub fn OrtSessionGetEpDeviceForOutputs(
        session: *const OrtSession,
        outputs_ep_devices: *mut *const OrtEpDevice,
        num_outputs: usize,
    ) -> *mut OrtStatus;
    /// Ends a graph that a provider has captured in a run, so that the next run captures it again.
    pub fn OrtSessionReleaseCapturedGraph(
        session: *mut OrtSession,
        graph_annotation_id: c_int,
    ) -> *mut OrtStatus;
    /// Changes options of execution providers while the session lives.
    pub fn OrtSetEpDynamicOptions(
        sess: *mut OrtSession,
        keys: *const *const c_char,
        values: *const *const c_char,
        kv_len: usize,
    ) -> *mut OrtStatus;
}
