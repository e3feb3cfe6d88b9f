// SPDX-License-Identifier: MIT
// What a kernel of a custom operator is told of its node when it is made, and operators of ONNX
// that it may call.
//
// Texts and lists are copied into the caller's memory: ask with NULL for how much that takes, then
// again with as much. `size` counts bytes with the end mark, or elements; with too little room the
// call fails with INVALID_ARGUMENT and tells how much it takes.
//
// Threads. All functions here that take `const` objects may be called by any number of threads.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/custom_op.h"
#include "ort_c/logger.h"
#include "ort_c/op_attr.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The node.

/// Tells the name of the node, which may be empty.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetNodeName(const OrtKernelInfo* info, char* out, size_t* size);

/// Tells the name of the operator.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetOperatorType(const OrtKernelInfo* info, char* out,
                                                  size_t* size);

/// Tells the domain of the operator.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetOperatorDomain(const OrtKernelInfo* info, char* out,
                                                    size_t* size);

/// Tells the opset version from which the operator is as it is.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetOperatorSinceVersion(const OrtKernelInfo* info,
                                                          int* since_version);

/// Counts the inputs of the node, omitted ones included.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetInputCount(const OrtKernelInfo* info, size_t* out);

/// Counts the outputs of the node, omitted ones included.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetOutputCount(const OrtKernelInfo* info, size_t* out);

/// Tells the name of an input; empty for one that is omitted.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetInputName(const OrtKernelInfo* info, size_t index, char* out,
                                               size_t* size);

/// Tells the name of an output; empty for one that is omitted.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetOutputName(const OrtKernelInfo* info, size_t index, char* out,
                                                size_t* size);

/// Tells the type of an input as far as the model does.
///
/// `type_info`  A new object; give it back with OrtReleaseTypeInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT; INVALID_GRAPH when the input is omitted or its type unknown.
/// Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetInputTypeInfo(const OrtKernelInfo* info, size_t index,
                                                   OrtTypeInfo** type_info);

/// Tells the type of an output as far as the model does.
///
/// `type_info`  A new object; give it back with OrtReleaseTypeInfo(). NULL after a failure.
///
/// Fails like OrtKernelInfo_GetInputTypeInfo(). Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetOutputTypeInfo(const OrtKernelInfo* info, size_t index,
                                                    OrtTypeInfo** type_info);

/// Gives an input that is the same at every run.
///
/// `is_constant`  1 when it is, else 0.
/// `out`          Borrowed, not to be written; lives as long as the kernel, or the copy of `info`
///                that was asked. NULL when it is not constant.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfoGetConstantInput_tensor(const OrtKernelInfo* info, size_t index,
                                                         int* is_constant, const OrtValue** out);

// Its attributes. FAIL when the node has none of that name and kind.

/// Reads a number.
///
/// Fails with FAIL or INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfoGetAttribute_float(const OrtKernelInfo* info, const char* name,
                                                    float* out);

/// Reads a whole number.
///
/// Fails with FAIL or INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfoGetAttribute_int64(const OrtKernelInfo* info, const char* name,
                                                    int64_t* out);

/// Reads a text.
///
/// Fails with FAIL or INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfoGetAttribute_string(const OrtKernelInfo* info, const char* name,
                                                     char* out, size_t* size);

/// Reads a list of numbers.
///
/// Fails with FAIL or INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfoGetAttributeArray_float(const OrtKernelInfo* info,
                                                         const char* name, float* out,
                                                         size_t* size);

/// Reads a list of whole numbers.
///
/// Fails with FAIL or INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfoGetAttributeArray_int64(const OrtKernelInfo* info,
                                                         const char* name, int64_t* out,
                                                         size_t* size);

/// Reads a list of texts.
///
/// `allocator`  Gives the memory of the list and of each text; the caller gives all of them back.
/// `out`        The list; NULL when it is empty, and after a failure.
/// `size`       How many texts.
///
/// Fails with FAIL, INVALID_ARGUMENT, or RUNTIME_EXCEPTION when memory is short. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfoGetAttributeArray_string(const OrtKernelInfo* info,
                                                          const char* name, OrtAllocator* allocator,
                                                          char*** out, size_t* size);

/// Reads a tensor.
///
/// `allocator`  Gives the memory of its elements; texts are always the library's.
/// `out`        A new value; give it back with OrtReleaseValue(). NULL after a failure.
///
/// Fails with FAIL, INVALID_ARGUMENT, or RUNTIME_EXCEPTION when memory is short. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfoGetAttribute_tensor(const OrtKernelInfo* info, const char* name,
                                                     OrtAllocator* allocator, OrtValue** out);

// Its surroundings.

/// Gives the log of the session.
///
/// `logger`  Borrowed; lives as long as the kernel, or the copy of `info` that was asked.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetLogger(const OrtKernelInfo* info, const OrtLogger** logger);

/// Gives an allocator of the memory that the kernel works in: of the CPU.
///
/// `out`  A new handle; give it back with OrtReleaseAllocator(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfoGetAllocator(const OrtKernelInfo* info, OrtMemType mem_type,
                                              OrtAllocator** out);

/// Lists the config entries of the session.
///
/// `out`  A new list; give it back with OrtReleaseKeyValuePairs(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtKernelInfo_GetConfigEntries(const OrtKernelInfo* info,
                                                   OrtKeyValuePairs** out);

/// Makes a copy that may be kept when the kernel was made.
///
/// `info_copy`  A new object; give it back with OrtReleaseKernelInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtCopyKernelInfo(const OrtKernelInfo* info, OrtKernelInfo** info_copy);

/// Gives back what OrtCopyKernelInfo() made.
///
/// `info_copy`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseKernelInfo(OrtKernelInfo* info_copy);

// Operators of ONNX for the use of kernels.

/// An operator with its attributes, ready to be called.
typedef struct OrtOp OrtOp;

/// Makes an operator that this library's CPU provider has.
///
/// `info`                    Borrowed for the call.
/// `op_name`, `domain`       The operator. A NULL domain is "".
/// `version`                 The opset version whose rules hold.
/// `type_constraint_names`   Accepted: the types of the inputs decide.
/// `type_constraint_values`  As many.
/// `type_constraint_count`   0 or more.
/// `attr_values`             Copied.
/// `attr_count`              0 or more.
/// `input_count`             What each call gives.
/// `output_count`            What each call takes.
/// `ort_op`                  A new object; give it back with OrtReleaseOp(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT; NOT_IMPLEMENTED for an operator that is not there. Since 1.0.
ORTC_API OrtStatus* OrtCreateOp(const OrtKernelInfo* info, const char* op_name, const char* domain,
                                int version, const char** type_constraint_names,
                                const ONNXTensorElementDataType* type_constraint_values,
                                int type_constraint_count, const OrtOpAttr* const* attr_values,
                                int attr_count, int input_count, int output_count, OrtOp** ort_op);

/// Computes.
///
/// `context`        Borrowed: the call of the kernel that this is part of, whose threads are used.
/// `ort_op`         Borrowed; any number of threads may call it.
/// `input_values`   NULL for one that is omitted.
/// `output_values`  Tensors of the right type and shape, which are filled; NULL for one that is not
///                  wanted.
///
/// Fails with INVALID_ARGUMENT, or like the operator. Since 1.0.
ORTC_API OrtStatus* OrtInvokeOp(const OrtKernelContext* context, const OrtOp* ort_op,
                                const OrtValue* const* input_values, int input_count,
                                OrtValue* const* output_values, int output_count);

/// Gives an operator back.
///
/// Since 1.0.
ORTC_API void OrtReleaseOp(OrtOp* ort_op);

#ifdef __cplusplus
}
#endif
