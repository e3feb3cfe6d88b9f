// SPDX-License-Identifier: MIT
// The words the other headers speak: export macro, version, opaque handles, enumerations with ONNX
// Runtime's names and values, and the callback types shared by several nouns.
// Plain C11 and C++; nothing here is a function.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(ORT_API_VERSION)
#error "ort_c and onnxruntime_c_api.h declare the same names: include only one of them per file"
#endif

/// The release these headers belong to; OrtGetVersionString() tells that of the library.
#define ORTC_VERSION_MAJOR 1
#define ORTC_VERSION_MINOR 0
#define ORTC_VERSION_PATCH 0

/// Marks each exported function. Compilers other than MSVC see default visibility.
#if defined(ORTC_API)
// Given by the build.
#elif defined(_WIN32)
#if defined(ORTC_BUILDING_LIBRARY)
#define ORTC_API __declspec(dllexport)
#else
#define ORTC_API __declspec(dllimport)
#endif
#else
#define ORTC_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Handles. All are opaque; each has one release function, named in the header of its noun.

typedef struct OrtEnv OrtEnv;
typedef struct OrtStatus OrtStatus;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtValue OrtValue;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtMapTypeInfo OrtMapTypeInfo;
typedef struct OrtSequenceTypeInfo OrtSequenceTypeInfo;
typedef struct OrtOptionalTypeInfo OrtOptionalTypeInfo;
typedef struct OrtModelMetadata OrtModelMetadata;
typedef struct OrtModelCompilationOptions OrtModelCompilationOptions;
typedef struct OrtKeyValuePairs OrtKeyValuePairs;
typedef struct OrtHardwareDevice OrtHardwareDevice;
typedef struct OrtEpDevice OrtEpDevice;
typedef struct OrtSyncStream OrtSyncStream;
typedef struct OrtExternalInitializerInfo OrtExternalInitializerInfo;
typedef struct OrtModelPackageOptions OrtModelPackageOptions;
typedef struct OrtModelPackageContext OrtModelPackageContext;
typedef struct OrtModelPackageComponentContext OrtModelPackageComponentContext;

// Handles that ONNX Runtime does not have.

typedef struct OrtModelCompiler OrtModelCompiler;
typedef struct OrtInspection OrtInspection;
typedef struct OrtSharingGroup OrtSharingGroup;
typedef struct OrtModelPackageWriter OrtModelPackageWriter;

/// What a status says. The values are part of the interface and never change.
typedef enum OrtErrorCode {
  ORT_OK = 0,
  ORT_FAIL = 1,                         // the operation could not be done; the message says why
  ORT_INVALID_ARGUMENT = 2,             // the caller passed something wrong
  ORT_NO_SUCHFILE = 3,                  // a model file is not there
  ORT_NO_MODEL = 4,                     // there is no model to work on
  ORT_ENGINE_ERROR = 5,                 // an execution engine broke
  ORT_RUNTIME_EXCEPTION = 6,            // something unforeseen, out of memory included
  ORT_INVALID_PROTOBUF = 7,             // the bytes are not an ONNX model
  ORT_MODEL_LOADED = 8,                 // the model was loaded already
  ORT_NOT_IMPLEMENTED = 9,              // understood, but this library cannot do it
  ORT_INVALID_GRAPH = 10,               // the model or its context data break a rule
  ORT_EP_FAIL = 11,                     // an execution provider failed
  ORT_MODEL_LOAD_CANCELED = 12,         // stopped on request
  ORT_MODEL_REQUIRES_COMPILATION = 13,  // compiling is switched off, but the model needs it
  ORT_NOT_FOUND = 14,                   // a name or key is not there
  ORT_DEVICE_RESET = 15,                // the device was reset under us; make a new session
} OrtErrorCode;

/// Element types of tensors. The numbers are those of the C API, not of the ONNX format.
typedef enum ONNXTensorElementDataType {
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED = 0,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 = 4,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 = 5,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING = 8,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32 = 12,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64 = 13,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 = 14,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128 = 15,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 = 16,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN = 17,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ = 18,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2 = 19,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ = 20,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4 = 21,       // two elements per byte, first in the low half
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4 = 22,        // as UINT4
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1 = 23,  // as UINT4
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2 = 24,       // four elements per byte, first lowest
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2 = 25,        // as UINT2
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0 = 26,
} ONNXTensorElementDataType;

/// Kinds of values.
typedef enum ONNXType {
  ONNX_TYPE_UNKNOWN = 0,
  ONNX_TYPE_TENSOR = 1,
  ONNX_TYPE_SEQUENCE = 2,
  ONNX_TYPE_MAP = 3,
  ONNX_TYPE_OPAQUE = 4,
  ONNX_TYPE_SPARSETENSOR = 5,
  ONNX_TYPE_OPTIONAL = 6,
} ONNXType;

/// How a sparse tensor says where its values belong.
typedef enum OrtSparseFormat {
  ORT_SPARSE_UNDEFINED = 0,
  ORT_SPARSE_COO = 1,           // a position or a pair of coordinates for each value
  ORT_SPARSE_CSRC = 2,          // rows: a column for each value, and where each row starts
  ORT_SPARSE_BLOCK_SPARSE = 4,  // blocks of values and their coordinates
} OrtSparseFormat;

/// The parts of a sparse tensor besides its values.
typedef enum OrtSparseIndicesFormat {
  ORT_SPARSE_COO_INDICES = 0,
  ORT_SPARSE_CSR_INNER_INDICES = 1,
  ORT_SPARSE_CSR_OUTER_INDICES = 2,
  ORT_SPARSE_BLOCK_SPARSE_INDICES = 3,
} OrtSparseIndicesFormat;

/// Severity of a log line, mildest first.
typedef enum OrtLoggingLevel {
  ORT_LOGGING_LEVEL_VERBOSE = 0,
  ORT_LOGGING_LEVEL_INFO = 1,
  ORT_LOGGING_LEVEL_WARNING = 2,
  ORT_LOGGING_LEVEL_ERROR = 3,
  ORT_LOGGING_LEVEL_FATAL = 4,
} OrtLoggingLevel;

/// How far a graph is rewritten before execution providers see it. Each level includes those below.
typedef enum GraphOptimizationLevel {
  ORT_DISABLE_ALL = 0,      // only what correctness needs
  ORT_ENABLE_BASIC = 1,     // rewrites whose result is standard ONNX
  ORT_ENABLE_EXTENDED = 2,  // fusions into contrib operators as well
  ORT_ENABLE_LAYOUT = 3,    // layout rewrites as well
  ORT_ENABLE_ALL = 99,      // everything; the default of a session
} GraphOptimizationLevel;

/// Whether independent branches of a graph may run at once.
typedef enum ExecutionMode {
  ORT_SEQUENTIAL = 0,
  ORT_PARALLEL = 1,
} ExecutionMode;

/// How an allocator gets its memory.
typedef enum OrtAllocatorType {
  OrtInvalidAllocator = -1,
  OrtDeviceAllocator = 0,
  OrtArenaAllocator = 1,
  OrtReadOnlyAllocator = 2,
} OrtAllocatorType;

/// What memory is for, seen from an execution provider.
typedef enum OrtMemType {
  OrtMemTypeCPUInput = -2,              // CPU memory that a non-CPU provider reads
  OrtMemTypeCPUOutput = -1,             // CPU memory that a non-CPU provider writes
  OrtMemTypeCPU = OrtMemTypeCPUOutput,  // CPU memory that a device can reach as well
  OrtMemTypeDefault = 0,                // the provider's own memory
} OrtMemType;

/// Where on a device memory lies.
typedef enum OrtDeviceMemoryType {
  OrtDeviceMemoryType_DEFAULT = 0,
  OrtDeviceMemoryType_HOST_ACCESSIBLE = 5,
} OrtDeviceMemoryType;

/// The kind of device that memory belongs to.
typedef enum OrtMemoryInfoDeviceType {
  OrtMemoryInfoDeviceType_CPU = 0,
  OrtMemoryInfoDeviceType_GPU = 1,
  OrtMemoryInfoDeviceType_FPGA = 2,
  OrtMemoryInfoDeviceType_NPU = 3,
} OrtMemoryInfoDeviceType;

/// The kind of a hardware device.
typedef enum OrtHardwareDeviceType {
  OrtHardwareDeviceType_CPU = 0,
  OrtHardwareDeviceType_GPU = 1,
  OrtHardwareDeviceType_NPU = 2,
} OrtHardwareDeviceType;

/// What to prefer when the library chooses execution providers by itself.
typedef enum OrtExecutionProviderDevicePolicy {
  OrtExecutionProviderDevicePolicy_DEFAULT = 0,
  OrtExecutionProviderDevicePolicy_PREFER_CPU = 1,
  OrtExecutionProviderDevicePolicy_PREFER_NPU = 2,
  OrtExecutionProviderDevicePolicy_PREFER_GPU = 3,
  OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE = 4,
  OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY = 5,
  OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER = 6,
} OrtExecutionProviderDevicePolicy;

/// How well a compiled model fits an execution provider and its devices.
typedef enum OrtCompiledModelCompatibility {
  OrtCompiledModelCompatibility_EP_NOT_APPLICABLE = 0,  // nothing in the model is for this provider
  OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL = 1,
  OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION = 2,  // runs; could run faster
  OrtCompiledModelCompatibility_EP_UNSUPPORTED = 3,
} OrtCompiledModelCompatibility;

/// Bits for OrtModelCompilationOptions_SetFlags().
typedef enum OrtCompileApiFlags {
  OrtCompileApiFlags_NONE = 0,
  OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED = 1,
  OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS = 2,
} OrtCompileApiFlags;

/// Gives back the `state` of a callback. Called exactly once, from any thread, after the last call
/// of the callback, and never while the library holds a lock.
typedef void (*OrtReleaseStateFn)(void* state);

/// Hears how far a compile or a load has come.
///
/// `state`     The pointer given together with the function.
/// `stage`     The stage at work, as "load", "optimise", "partition", "compile", "write", "lower",
///             "populate", "lock", "prefetch"; at the end "done".
/// `detail`    What it works on, as a file's name; may be empty.
/// `fraction`  Of the whole work, from 0 to 1: counted in nodes and bytes, never less than before,
///             and 1 at the end of a success.
///
/// Texts are UTF-8 and live for this call. Called when a stage begins, and about fifty times a
/// second while one takes long. NULL goes on. Any other result stops the work, which returns that
/// status with code and text unchanged (not of the last call, when all is done); the library takes
/// the object over. From the thread that works, never while the library holds a lock of this
/// process.
typedef struct OrtStatus* (*OrtProgressFn)(void* state, const char* stage, const char* detail,
                                           double fraction);

#ifdef __cplusplus
}
#endif
