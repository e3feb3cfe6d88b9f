// SPDX-License-Identifier: MIT
//! `custom_op.h`. Operators of your own: a model may use them like those of ONNX, and this library
//! calls your functions for their nodes.

use std::os::raw::{c_char, c_void};

use crate::*;

extern "C" {
    /// Makes a domain without operators.
    pub fn OrtCreateCustomOpDomain(
        domain: *const c_char,
        out: *mut *mut OrtCustomOpDomain,
    ) -> *mut OrtStatus;
    /// Puts an operator into a domain.
    pub fn OrtCustomOpDomain_Add(
        custom_op_domain: *mut OrtCustomOpDomain,
        op: *const OrtCustomOp,
    ) -> *mut OrtStatus;
    /// Makes the operators of a domain known to the sessions that are made with these options.
    pub fn OrtAddCustomOpDomain(
        options: *mut OrtSessionOptions,
        custom_op_domain: *mut OrtCustomOpDomain,
    ) -> *mut OrtStatus;
    /// Gives a domain back.
    pub fn OrtReleaseCustomOpDomain(custom_op_domain: *mut OrtCustomOpDomain);
    /// Loads a library of operators and calls its RegisterCustomOps().
    pub fn OrtRegisterCustomOpsLibrary_V2(
        options: *mut OrtSessionOptions,
        library_name: *const c_char,
    ) -> *mut OrtStatus;
    /// The same, but the library is the caller's to close, after options and sessions are gone.
    pub fn OrtRegisterCustomOpsLibrary(
        options: *mut OrtSessionOptions,
        library_path: *const c_char,
        library_handle: *mut *mut c_void,
    ) -> *mut OrtStatus;
    /// Calls a function of the program itself, or of a library that it is linked with, as
    /// RegisterCustomOps() of a library is called.
    pub fn OrtRegisterCustomOpsUsingFunction(
        options: *mut OrtSessionOptions,
        registration_func_name: *const c_char,
    ) -> *mut OrtStatus;
    /// Fails with FAIL: no operators come with this library beside those of docs/operators.md.
    pub fn OrtEnableOrtCustomOps(options: *mut OrtSessionOptions) -> *mut OrtStatus;
    /// Counts the inputs of the node, omitted ones included.
    pub fn OrtShapeInferContext_GetInputCount(
        context: *const OrtShapeInferContext,
        out: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells type and shape of an input as far as they are known: an unknown dimension is -1,
    /// perhaps with a symbol.
    pub fn OrtShapeInferContext_GetInputTypeShape(
        context: *const OrtShapeInferContext,
        index: usize,
        info: *mut *mut OrtTensorTypeAndShapeInfo,
    ) -> *mut OrtStatus;
    /// Finds an attribute of the node.
    pub fn OrtShapeInferContext_GetAttribute(
        context: *const OrtShapeInferContext,
        attr_name: *const c_char,
        attr: *mut *const OrtOpAttr,
    ) -> *mut OrtStatus;
    /// Says type and shape of an output.
    pub fn OrtShapeInferContext_SetOutputTypeShape(
        context: *const OrtShapeInferContext,
        index: usize,
        info: *const OrtTensorTypeAndShapeInfo,
    ) -> *mut OrtStatus;
}
