// SPDX-License-Identifier: MIT
//! `custom_op.h`. Operators of your own: a model may use them like those of ONNX, and this library
//! calls your functions for their nodes.

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

/// An operator of the program. What each member does stands in `custom_op.h`; one that is null has
/// the meaning that is written there.
#[repr(C)]
pub struct OrtCustomOp {
    /// Of the interface the operator was written for.
    pub version: u32,
    /// Makes a kernel for a node.
    pub CreateKernel: Option<
        unsafe extern "C" fn(
            op: *const OrtCustomOp,
            api: *const OrtApi,
            info: *const OrtKernelInfo,
        ) -> *mut c_void,
    >,
    /// The operator's name.
    pub GetName: Option<unsafe extern "C" fn(op: *const OrtCustomOp) -> *const c_char>,
    /// The execution provider that runs it; null for the CPU's.
    pub GetExecutionProviderType:
        Option<unsafe extern "C" fn(op: *const OrtCustomOp) -> *const c_char>,
    /// The element type of an input.
    pub GetInputType: Option<
        unsafe extern "C" fn(op: *const OrtCustomOp, index: usize) -> ONNXTensorElementDataType,
    >,
    /// How many inputs it declares.
    pub GetInputTypeCount: Option<unsafe extern "C" fn(op: *const OrtCustomOp) -> usize>,
    /// The element type of an output.
    pub GetOutputType: Option<
        unsafe extern "C" fn(op: *const OrtCustomOp, index: usize) -> ONNXTensorElementDataType,
    >,
    /// How many outputs it declares.
    pub GetOutputTypeCount: Option<unsafe extern "C" fn(op: *const OrtCustomOp) -> usize>,
    /// Computes.
    pub KernelCompute:
        Option<unsafe extern "C" fn(op_kernel: *mut c_void, context: *mut OrtKernelContext)>,
    /// Ends a kernel.
    pub KernelDestroy: Option<unsafe extern "C" fn(op_kernel: *mut c_void)>,
    /// Whether an input must be there.
    pub GetInputCharacteristic: Option<
        unsafe extern "C" fn(
            op: *const OrtCustomOp,
            index: usize,
        ) -> OrtCustomOpInputOutputCharacteristic,
    >,
    /// Whether an output must be there.
    pub GetOutputCharacteristic: Option<
        unsafe extern "C" fn(
            op: *const OrtCustomOp,
            index: usize,
        ) -> OrtCustomOpInputOutputCharacteristic,
    >,
    /// In which memory an input should lie.
    pub GetInputMemoryType:
        Option<unsafe extern "C" fn(op: *const OrtCustomOp, index: usize) -> OrtMemType>,
    /// How many values a variadic input needs.
    pub GetVariadicInputMinArity: Option<unsafe extern "C" fn(op: *const OrtCustomOp) -> c_int>,
    /// Whether all values of a variadic input are of one type.
    pub GetVariadicInputHomogeneity: Option<unsafe extern "C" fn(op: *const OrtCustomOp) -> c_int>,
    /// How many values a variadic output needs.
    pub GetVariadicOutputMinArity: Option<unsafe extern "C" fn(op: *const OrtCustomOp) -> c_int>,
    /// Whether all values of a variadic output are of one type.
    pub GetVariadicOutputHomogeneity: Option<unsafe extern "C" fn(op: *const OrtCustomOp) -> c_int>,
    /// As `CreateKernel`, with a status.
    pub CreateKernelV2: Option<
        unsafe extern "C" fn(
            op: *const OrtCustomOp,
            api: *const OrtApi,
            info: *const OrtKernelInfo,
            kernel: *mut *mut c_void,
        ) -> *mut OrtStatus,
    >,
    /// As `KernelCompute`, with a status.
    pub KernelComputeV2: Option<
        unsafe extern "C" fn(
            op_kernel: *mut c_void,
            context: *mut OrtKernelContext,
        ) -> *mut OrtStatus,
    >,
    /// Says types and shapes of outputs before a run.
    pub InferOutputShapeFn: Option<
        unsafe extern "C" fn(
            op: *const OrtCustomOp,
            context: *mut OrtShapeInferContext,
        ) -> *mut OrtStatus,
    >,
    /// The first opset version that the operator is for.
    pub GetStartVersion: Option<unsafe extern "C" fn(op: *const OrtCustomOp) -> c_int>,
    /// The last opset version that the operator is for.
    pub GetEndVersion: Option<unsafe extern "C" fn(op: *const OrtCustomOp) -> c_int>,
    /// Pairs of an input and an output that may be the same memory.
    pub GetMayInplace: Option<
        unsafe extern "C" fn(input_index: *mut *mut c_int, output_index: *mut *mut c_int) -> usize,
    >,
    /// Gives the pairs back.
    pub ReleaseMayInplace:
        Option<unsafe extern "C" fn(input_index: *mut c_int, output_index: *mut c_int)>,
    /// Pairs of an input and an output that are the same memory.
    pub GetAliasMap: Option<
        unsafe extern "C" fn(input_index: *mut *mut c_int, output_index: *mut *mut c_int) -> usize,
    >,
    /// Gives the pairs back.
    pub ReleaseAliasMap:
        Option<unsafe extern "C" fn(input_index: *mut c_int, output_index: *mut c_int)>,
}

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
