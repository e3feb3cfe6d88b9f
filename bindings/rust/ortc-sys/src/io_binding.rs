// SPDX-License-Identifier: MIT
//! `io_binding.h`. IO binding: inputs and outputs of a session tied to values once, for any number
//! of runs.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Makes a binding without values.
    pub fn OrtCreateIoBinding(
        session: *mut OrtSession,
        out: *mut *mut OrtIoBinding,
    ) -> *mut OrtStatus;
    /// Gives a binding back.
    pub fn OrtReleaseIoBinding(input: *mut OrtIoBinding);
    /// Ties an input to a value, in place of an earlier one.
    pub fn OrtBindInput(
        binding_ptr: *mut OrtIoBinding,
        name: *const c_char,
        val_ptr: *const OrtValue,
    ) -> *mut OrtStatus;
    /// Ties an output to a value that each run fills.
    pub fn OrtBindOutput(
        binding_ptr: *mut OrtIoBinding,
        name: *const c_char,
        val_ptr: *const OrtValue,
    ) -> *mut OrtStatus;
    /// Asks for an output whose shape is not known before.
    pub fn OrtBindOutputToDevice(
        binding_ptr: *mut OrtIoBinding,
        name: *const c_char,
        mem_info_ptr: *const OrtMemoryInfo,
    ) -> *mut OrtStatus;
    /// Runs the model once with what is bound, and waits for the result.
    pub fn OrtRunWithBinding(
        session: *mut OrtSession,
        run_options: *const OrtRunOptions,
        binding_ptr: *const OrtIoBinding,
    ) -> *mut OrtStatus;
    /// Lists the names of bound outputs, in the order in which they were bound.
    pub fn OrtGetBoundOutputNames(
        binding_ptr: *const OrtIoBinding,
        allocator: *mut OrtAllocator,
        buffer: *mut *mut c_char,
        lengths: *mut *mut usize,
        count: *mut usize,
    ) -> *mut OrtStatus;
    /// Gives the bound outputs, in the order in which they were bound.
    pub fn OrtGetBoundOutputValues(
        binding_ptr: *const OrtIoBinding,
        allocator: *mut OrtAllocator,
        output: *mut *mut *mut OrtValue,
        output_count: *mut usize,
    ) -> *mut OrtStatus;
    /// Unties all inputs.
    pub fn OrtClearBoundInputs(binding_ptr: *mut OrtIoBinding);
    /// Unties all outputs.
    pub fn OrtClearBoundOutputs(binding_ptr: *mut OrtIoBinding);
    /// Waits until bound inputs are where the run needs them.
    pub fn OrtSynchronizeBoundInputs(binding_ptr: *mut OrtIoBinding) -> *mut OrtStatus;
    /// Waits until bound outputs are where they should be.
    pub fn OrtSynchronizeBoundOutputs(binding_ptr: *mut OrtIoBinding) -> *mut OrtStatus;
}
