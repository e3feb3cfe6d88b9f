// SPDX-License-Identifier: MIT
//! `kernel_info.h`. What a kernel of a custom operator is told of its node when it is made, and
//! operators of ONNX that it may call.

use std::os::raw::{c_char, c_int};

use crate::*;

extern "C" {
    /// Tells the name of the node, which may be empty.
    pub fn OrtKernelInfo_GetNodeName(
        info: *const OrtKernelInfo,
        out: *mut c_char,
        size: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the name of the operator.
    pub fn OrtKernelInfo_GetOperatorType(
        info: *const OrtKernelInfo,
        out: *mut c_char,
        size: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the domain of the operator.
    pub fn OrtKernelInfo_GetOperatorDomain(
        info: *const OrtKernelInfo,
        out: *mut c_char,
        size: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the opset version from which the operator is as it is.
    pub fn OrtKernelInfo_GetOperatorSinceVersion(
        info: *const OrtKernelInfo,
        since_version: *mut c_int,
    ) -> *mut OrtStatus;
    /// Counts the inputs of the node, omitted ones included.
    pub fn OrtKernelInfo_GetInputCount(
        info: *const OrtKernelInfo,
        out: *mut usize,
    ) -> *mut OrtStatus;
    /// Counts the outputs of the node, omitted ones included.
    pub fn OrtKernelInfo_GetOutputCount(
        info: *const OrtKernelInfo,
        out: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the name of an input; empty for one that is omitted.
    pub fn OrtKernelInfo_GetInputName(
        info: *const OrtKernelInfo,
        index: usize,
        out: *mut c_char,
        size: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the name of an output; empty for one that is omitted.
    pub fn OrtKernelInfo_GetOutputName(
        info: *const OrtKernelInfo,
        index: usize,
        out: *mut c_char,
        size: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the type of an input as far as the model does.
    pub fn OrtKernelInfo_GetInputTypeInfo(
        info: *const OrtKernelInfo,
        index: usize,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Tells the type of an output as far as the model does.
    pub fn OrtKernelInfo_GetOutputTypeInfo(
        info: *const OrtKernelInfo,
        index: usize,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Gives an input that is the same at every run.
    pub fn OrtKernelInfoGetConstantInput_tensor(
        info: *const OrtKernelInfo,
        index: usize,
        is_constant: *mut c_int,
        out: *mut *const OrtValue,
    ) -> *mut OrtStatus;
    /// Reads a number.
    pub fn OrtKernelInfoGetAttribute_float(
        info: *const OrtKernelInfo,
        name: *const c_char,
        out: *mut f32,
    ) -> *mut OrtStatus;
    /// Reads a whole number.
    pub fn OrtKernelInfoGetAttribute_int64(
        info: *const OrtKernelInfo,
        name: *const c_char,
        out: *mut i64,
    ) -> *mut OrtStatus;
    /// Reads a text.
    pub fn OrtKernelInfoGetAttribute_string(
        info: *const OrtKernelInfo,
        name: *const c_char,
        out: *mut c_char,
        size: *mut usize,
    ) -> *mut OrtStatus;
    /// Reads a list of numbers.
    pub fn OrtKernelInfoGetAttributeArray_float(
        info: *const OrtKernelInfo,
        name: *const c_char,
        out: *mut f32,
        size: *mut usize,
    ) -> *mut OrtStatus;
    /// Reads a list of whole numbers.
    pub fn OrtKernelInfoGetAttributeArray_int64(
        info: *const OrtKernelInfo,
        name: *const c_char,
        out: *mut i64,
        size: *mut usize,
    ) -> *mut OrtStatus;
    /// Reads a list of texts.
    pub fn OrtKernelInfoGetAttributeArray_string(
        info: *const OrtKernelInfo,
        name: *const c_char,
        allocator: *mut OrtAllocator,
        out: *mut *mut *mut c_char,
        size: *mut usize,
    ) -> *mut OrtStatus;
    /// Reads a tensor.
    pub fn OrtKernelInfoGetAttribute_tensor(
        info: *const OrtKernelInfo,
        name: *const c_char,
        allocator: *mut OrtAllocator,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Gives the log of the session.
    pub fn OrtKernelInfo_GetLogger(
        info: *const OrtKernelInfo,
        logger: *mut *const OrtLogger,
    ) -> *mut OrtStatus;
    /// Gives an allocator of the memory that the kernel works in: of the CPU.
    pub fn OrtKernelInfoGetAllocator(
        info: *const OrtKernelInfo,
        mem_type: OrtMemType,
        out: *mut *mut OrtAllocator,
    ) -> *mut OrtStatus;
    /// Lists the config entries of the session.
    pub fn OrtKernelInfo_GetConfigEntries(
        info: *const OrtKernelInfo,
        out: *mut *mut OrtKeyValuePairs,
    ) -> *mut OrtStatus;
    /// Makes a copy that may be kept when the kernel was made.
    pub fn OrtCopyKernelInfo(
        info: *const OrtKernelInfo,
        info_copy: *mut *mut OrtKernelInfo,
    ) -> *mut OrtStatus;
    /// Gives back what OrtCopyKernelInfo() made.
    pub fn OrtReleaseKernelInfo(info_copy: *mut OrtKernelInfo);
    /// Makes an operator that this library's CPU provider has.
    pub fn OrtCreateOp(
        info: *const OrtKernelInfo,
        op_name: *const c_char,
        domain: *const c_char,
        version: c_int,
        type_constraint_names: *mut *const c_char,
        type_constraint_values: *const ONNXTensorElementDataType,
        type_constraint_count: c_int,
        attr_values: *const *const OrtOpAttr,
        attr_count: c_int,
        input_count: c_int,
        output_count: c_int,
        ort_op: *mut *mut OrtOp,
    ) -> *mut OrtStatus;
    /// Computes.
    pub fn OrtInvokeOp(
        context: *const OrtKernelContext,
        ort_op: *const OrtOp,
        input_values: *const *const OrtValue,
        input_count: c_int,
        output_values: *const *mut OrtValue,
        output_count: c_int,
    ) -> *mut OrtStatus;
    /// Gives an operator back.
    pub fn OrtReleaseOp(ort_op: *mut OrtOp);
}
