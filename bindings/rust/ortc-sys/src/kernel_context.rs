// SPDX-License-Identifier: MIT
//! `kernel_context.h`. What a kernel sees of the call it computes: a kernel of a custom operator,
//! or of a provider library.

use std::os::raw::{c_int, c_void};

use crate::*;

extern "C" {
    /// Counts the inputs, those that the model leaves out included.
    pub fn OrtKernelContext_GetInputCount(
        context: *const OrtKernelContext,
        out: *mut usize,
    ) -> *mut OrtStatus;
    /// Counts the outputs, those that the model leaves out included.
    pub fn OrtKernelContext_GetOutputCount(
        context: *const OrtKernelContext,
        out: *mut usize,
    ) -> *mut OrtStatus;
    /// Gives an input.
    pub fn OrtKernelContext_GetInput(
        context: *const OrtKernelContext,
        index: usize,
        out: *mut *const OrtValue,
    ) -> *mut OrtStatus;
    /// Makes an output, a tensor of the type that the model declares.
    pub fn OrtKernelContext_GetOutput(
        context: *mut OrtKernelContext,
        index: usize,
        dim_values: *const i64,
        dim_count: usize,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Gives the handle of the device's stream that the call works on; NULL when there is none.
    pub fn OrtKernelContext_GetGPUComputeStream(
        context: *const OrtKernelContext,
        out: *mut *mut c_void,
    ) -> *mut OrtStatus;
    /// Gives the logger of the session.
    pub fn OrtKernelContext_GetLogger(
        context: *const OrtKernelContext,
        logger: *mut *const OrtLogger,
    ) -> *mut OrtStatus;
    /// Gives an allocator of a memory.
    pub fn OrtKernelContext_GetAllocator(
        context: *const OrtKernelContext,
        mem_info: *const OrtMemoryInfo,
        out: *mut *mut OrtAllocator,
    ) -> *mut OrtStatus;
    /// Gives a resource of the stream that the call works on, as a handle of a vendor's library.
    pub fn OrtKernelContext_GetResource(
        context: *const OrtKernelContext,
        resource_version: c_int,
        resource_id: c_int,
        resource: *mut *mut c_void,
    ) -> *mut OrtStatus;
    /// Calls a function for each number below `total`, on the threads of the session.
    pub fn OrtKernelContext_ParallelFor(
        context: *const OrtKernelContext,
        function: ParallelForFn,
        total: usize,
        num_batch: usize,
        usr_data: *mut c_void,
    ) -> *mut OrtStatus;
    /// Gives memory that is the call's until it returns.
    pub fn OrtKernelContext_GetScratchBuffer(
        context: *const OrtKernelContext,
        mem_info: *const OrtMemoryInfo,
        count_or_bytes: usize,
        out: *mut *mut c_void,
    ) -> *mut OrtStatus;
    /// Gives the stream that the call works on.
    pub fn OrtKernelContext_GetSyncStream(
        context: *const OrtKernelContext,
        out: *mut *mut OrtSyncStream,
    ) -> *mut OrtStatus;
}
