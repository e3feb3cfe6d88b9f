// SPDX-License-Identifier: MIT
// Operators of your own: a model may use them like those of ONNX, and this library calls your
// functions for their nodes. docs/add-an-operator.md has a whole one.
//
// Fill an OrtCustomOp, put it into a domain, add the domain to the options of each session that
// is to know it. A library of operators exports RegisterCustomOps(), which does that for the
// options it is given; one that was compiled for ONNX Runtime works as it is.
//
// A node means the operator of its domain and name that was made for its opset version and for the
// types of its inputs. Several OrtCustomOps of one name are overloads of one operator: they must
// have as many inputs and outputs, and differ in types or in versions. An operator of a name that
// ONNX or this library has replaces that one in the sessions that know it. A model that does not
// import the domain is read as if it imported opset 1000 of it.
//
// Life times. OrtCustomOp and what it points to are yours; they stay where they are until the last
// session that knows them is released. Kernels are made when a session is made and end with it.
//
// Threads. Functions of an OrtCustomOp may be called by any thread that makes a session; Compute by
// any number of threads at once on the same kernel. They must not throw.
#pragma once

#include "ort_c/graph.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtApi OrtApi;
typedef struct OrtApiBase OrtApiBase;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtShapeInferContext OrtShapeInferContext;

/// Whether an input or output must be there.
typedef enum OrtCustomOpInputOutputCharacteristic {
  INPUT_OUTPUT_REQUIRED = 0,
  INPUT_OUTPUT_OPTIONAL = 1,
  INPUT_OUTPUT_VARIADIC = 2,  // any number of them; only the last one
} OrtCustomOpInputOutputCharacteristic;

/// An operator, as ONNX Runtime's interface describes it. Members that `version` does not have yet
/// are not looked at; a member that is NULL has the meaning that its comment gives for it.
typedef struct OrtCustomOp {
  /// The interface it was written for. Members newer than ORTC_ORT_API_VERSION are not looked at.
  uint32_t version;
  /// Makes a kernel for a node; NULL is a failure. `api` is the table of functions, `info` is
  /// borrowed for the call. May be NULL when CreateKernelV2 is there.
  void* (*CreateKernel)(const struct OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info);
  const char* (*GetName)(const struct OrtCustomOp* op);
  /// The execution provider that runs it; NULL, or a function that gives NULL: the CPU's.
  const char* (*GetExecutionProviderType)(const struct OrtCustomOp* op);
  /// ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED takes any value.
  ONNXTensorElementDataType (*GetInputType)(const struct OrtCustomOp* op, size_t index);
  size_t (*GetInputTypeCount)(const struct OrtCustomOp* op);
  /// UNDEFINED: the type that InferOutputShapeFn says; without one, that of the first input of type
  /// UNDEFINED.
  ONNXTensorElementDataType (*GetOutputType)(const struct OrtCustomOp* op, size_t index);
  size_t (*GetOutputTypeCount)(const struct OrtCustomOp* op);
  /// Computes. May be NULL when KernelComputeV2 is there.
  void (*KernelCompute)(void* op_kernel, OrtKernelContext* context);
  void (*KernelDestroy)(void* op_kernel);

  // From version 8. NULL: all are required.
  OrtCustomOpInputOutputCharacteristic (*GetInputCharacteristic)(const struct OrtCustomOp* op,
                                                                 size_t index);
  OrtCustomOpInputOutputCharacteristic (*GetOutputCharacteristic)(const struct OrtCustomOp* op,
                                                                  size_t index);

  // From version 13. All values of this library's CPU provider lie in memory of the host.
  OrtMemType (*GetInputMemoryType)(const struct OrtCustomOp* op, size_t index);

  // From version 14. How many values a variadic one needs at least (NULL: 1), and whether all are
  // of one type (NULL: they are).
  int (*GetVariadicInputMinArity)(const struct OrtCustomOp* op);
  int (*GetVariadicInputHomogeneity)(const struct OrtCustomOp* op);
  int (*GetVariadicOutputMinArity)(const struct OrtCustomOp* op);
  int (*GetVariadicOutputHomogeneity)(const struct OrtCustomOp* op);

  // From version 16. As the two above, with a status; used in their place when not NULL.
  OrtStatus* (*CreateKernelV2)(const struct OrtCustomOp* op, const OrtApi* api,
                               const OrtKernelInfo* info, void** kernel);
  OrtStatus* (*KernelComputeV2)(void* op_kernel, OrtKernelContext* context);

  // From version 17. Says types and shapes of outputs before a run (NULL: shapes are unknown), and
  // the opset versions of its domain that the operator is for (NULL: from 1, to the last). An end
  // after which no other operator of the name begins does not end the range: later opsets mean it
  // too. An element type that is said counts only where GetOutputType declares none.
  OrtStatus* (*InferOutputShapeFn)(const struct OrtCustomOp* op, OrtShapeInferContext* context);
  int (*GetStartVersion)(const struct OrtCustomOp* op);
  int (*GetEndVersion)(const struct OrtCustomOp* op);

  // From version 18. Pairs of an input and an output that may (MayInplace) or will (AliasMap) be
  // the same memory. Here an output always has memory of its own; that of an alias starts with the
  // bytes of its input.
  size_t (*GetMayInplace)(int** input_index, int** output_index);
  void (*ReleaseMayInplace)(int* input_index, int* output_index);
  size_t (*GetAliasMap)(int** input_index, int** output_index);
  void (*ReleaseAliasMap)(int* input_index, int* output_index);
} OrtCustomOp;

/// What a library of operators exports under the name RegisterCustomOps: adds its domains to
/// `options`.
typedef OrtStatus* (*RegisterCustomOpsFn)(OrtSessionOptions* options, const OrtApiBase* api);

// Domains.

/// Makes a domain without operators.
///
/// `domain`  The name that nodes have; "" is ONNX's own.
/// `out`     A new domain; give it back with OrtReleaseCustomOpDomain(), at any time after it was
///           added to options. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateCustomOpDomain(const char* domain, OrtCustomOpDomain** out);

/// Puts an operator into a domain. What it declares is read when a session is made.
///
/// `op`  Borrowed until the last session that knows the domain is released.
///
/// Fails with INVALID_ARGUMENT: a version that this library does not know, a member that must not
/// be NULL. Since 1.0.
ORTC_API OrtStatus* OrtCustomOpDomain_Add(OrtCustomOpDomain* custom_op_domain,
                                          const OrtCustomOp* op);

/// Makes the operators of a domain known to the sessions that are made with these options.
///
/// `options`           Keep what they need of the domain; operators that are added to it later
///                     count, too.
/// `custom_op_domain`  Borrowed. Several domains of one name are joined.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtAddCustomOpDomain(OrtSessionOptions* options,
                                         OrtCustomOpDomain* custom_op_domain);

/// Gives a domain back. Options and sessions that use it keep it.
///
/// Since 1.0.
ORTC_API void OrtReleaseCustomOpDomain(OrtCustomOpDomain* custom_op_domain);

// Libraries.

/// Loads a library of operators and calls its RegisterCustomOps(). The library stays until these
/// options and all sessions that are made with them are gone.
///
/// `library_name`  A path, or a name that the system finds.
///
/// Fails with FAIL when it cannot be loaded or has no such function, or like that function.
/// Since 1.0.
ORTC_API OrtStatus* OrtRegisterCustomOpsLibrary_V2(OrtSessionOptions* options,
                                                   const char* library_name);

/// The same, but the library is the caller's to close, after options and sessions are gone.
///
/// `library_handle`  What the system calls it: for dlclose(), or FreeLibrary() on Windows. NULL
///                   after a failure.
///
/// Fails like OrtRegisterCustomOpsLibrary_V2(). Since 1.0.
ORTC_API OrtStatus* OrtRegisterCustomOpsLibrary(OrtSessionOptions* options,
                                                const char* library_path, void** library_handle);

/// Calls a function of the program itself, or of a library that it is linked with, as
/// RegisterCustomOps() of a library is called.
///
/// `registration_func_name`  A name that the system's loader finds in the process.
///
/// Fails with FAIL when there is no such function, or like it. Since 1.0.
ORTC_API OrtStatus* OrtRegisterCustomOpsUsingFunction(OrtSessionOptions* options,
                                                      const char* registration_func_name);

/// Fails with FAIL: no operators come with this library besides those of docs/operators.md. The
/// onnxruntime-extensions are a library for OrtRegisterCustomOpsLibrary_V2().
///
/// Since 1.0.
ORTC_API OrtStatus* OrtEnableOrtCustomOps(OrtSessionOptions* options);

// Types and shapes before a run: for InferOutputShapeFn.

/// Counts the inputs of the node, omitted ones included.
///
/// Fails with INVALID_ARGUMENT. Since 1.0.
ORTC_API OrtStatus* OrtShapeInferContext_GetInputCount(const OrtShapeInferContext* context,
                                                       size_t* out);

/// Tells type and shape of an input as far as they are known: an unknown dimension is -1, perhaps
/// with a symbol.
///
/// `info`  Borrowed for the call of InferOutputShapeFn. Of an input that is omitted or not a tensor
///         the element type is UNDEFINED.
///
/// Fails with INVALID_ARGUMENT: an index out of range. Since 1.0.
ORTC_API OrtStatus* OrtShapeInferContext_GetInputTypeShape(const OrtShapeInferContext* context,
                                                           size_t index,
                                                           OrtTensorTypeAndShapeInfo** info);

/// Finds an attribute of the node.
///
/// `attr`  Borrowed for the call of InferOutputShapeFn.
///
/// Fails with INVALID_ARGUMENT when there is none of that name. Since 1.0.
ORTC_API OrtStatus* OrtShapeInferContext_GetAttribute(const OrtShapeInferContext* context,
                                                      const char* attr_name,
                                                      const OrtOpAttr** attr);

/// Says type and shape of an output. Dimensions of -1 are unknown, or the symbol that `info` has.
///
/// `info`  Copied. An element type of UNDEFINED leaves the declared one.
///
/// Fails with INVALID_ARGUMENT; what contradicts the model comes out when InferOutputShapeFn has
/// returned, as INVALID_GRAPH. Since 1.0.
ORTC_API OrtStatus* OrtShapeInferContext_SetOutputTypeShape(const OrtShapeInferContext* context,
                                                            size_t index,
                                                            const OrtTensorTypeAndShapeInfo* info);

#ifdef __cplusplus
}
#endif
