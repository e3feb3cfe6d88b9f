// SPDX-License-Identifier: MIT
//! `lora.h`. LoRA adapters: sets of tensors in a file of their own that a run feeds to inputs of
//! the model, in ONNX Runtime's format (".onnx_adapter").

use std::os::raw::{c_char, c_void};

use crate::*;

extern "C" {
    /// Reads an adapter from a file, which is mapped and stays open.
    pub fn OrtCreateLoraAdapter(
        adapter_file_path: *const c_char,
        allocator: *mut OrtAllocator,
        out: *mut *mut OrtLoraAdapter,
    ) -> *mut OrtStatus;
    /// Reads an adapter from bytes.
    pub fn OrtCreateLoraAdapterFromArray(
        bytes: *const c_void,
        num_bytes: usize,
        allocator: *mut OrtAllocator,
        out: *mut *mut OrtLoraAdapter,
    ) -> *mut OrtStatus;
    /// Gives an adapter back.
    pub fn OrtReleaseLoraAdapter(input: *mut OrtLoraAdapter);
    /// Makes every run with these options feed the adapter's parameters to the inputs of their
    /// names, also in place of values that the run gives.
    pub fn OrtRunOptionsAddActiveLoraAdapter(
        options: *mut OrtRunOptions,
        adapter: *const OrtLoraAdapter,
    ) -> *mut OrtStatus;
}
