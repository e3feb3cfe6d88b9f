// SPDX-License-Identifier: MIT
//! `ort_api.h`. ONNX Runtime's binary interface as this library offers it: the tables of functions
//! in their binary order, for programs and provider libraries that were compiled for them.

use crate::*;

extern "C" {
    /// Gives what ONNX Runtime's OrtGetApiBase gives: the way to all tables.
    pub fn OrtcGetApiBase() -> *const OrtApiBase;
}
