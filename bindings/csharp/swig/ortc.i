// SPDX-License-Identifier: MIT
// SWIG's view of the flat C interface, for C#: plain P/Invoke and nothing else. No helper code of
// SWIG's, no proxy classes, no shim library: generate.sh rewrites the entry points to the real
// exports, which the typemaps allow because each of them only names a type.
//
// Objects are SafeHandles in the signature itself (the marshaller holds them for the call), texts
// are UTF-8, arrays are spans, a status becomes an exception. What is filled in by the library
// through more than one star is a raw pointer; the layer above gives it a type.
%module Native
// Two headers announce one type.
#pragma SWIG nowarn=322
%{
#include "ort_c/ort_c.h"
%}
%pragma(csharp) moduleclassmodifiers="internal static unsafe partial class"
%pragma(csharp) imclassclassmodifiers="internal static unsafe partial class"

// The C side of a typemap is the identity: SWIG's C file only proves that the types fit.
%define SAME(C, IM, CS)
%typemap(ctype)  C "$1_ltype"
%typemap(imtype) C "IM"
%typemap(cstype) C "CS"
%typemap(in)     C %{ $1 = ($1_ltype)$input; %}
%typemap(out)    C %{ $result = ($1_ltype)$1; %}
%typemap(csin)   C "$csinput"
%typemap(csout)  C { return $imcall; }
%enddef
%define OUT(C, CS)
SAME(C, out CS, out CS)
%typemap(csin)   C "out $csinput"
%enddef
%define SPAN(C, CS, SPANTYPE)
SAME(C, CS*, global::System.SPANTYPE<CS>)
%typemap(csin, pre="    fixed (CS* p_$csinput = $csinput) {", terminator="    }") C "p_$csinput"
%enddef

SAME(size_t, nuint, nuint)
SAME(int32_t, int, int)
SAME(uint32_t, uint, uint)
SAME(int64_t, long, long)
SAME(uint64_t, ulong, ulong)
OUT(int*, int)
OUT(size_t*, nuint)
OUT(int64_t*, long)
OUT(uint32_t* reasons_bitmask, uint)
OUT(int32_t* error_code, int)
OUT(uint64_t*, ulong)

// C's bool is one byte; the marshaller's default would be four.
%typemap(ctype)  bool "bool"
%typemap(imtype,
         outattributes="[return: MarshalAs(UnmanagedType.U1)]",
         inattributes="[MarshalAs(UnmanagedType.U1)]") bool "bool"
%typemap(cstype) bool "bool"
%typemap(in)     bool %{ $1 = $input; %}
%typemap(out)    bool %{ $result = $1; %}
%typemap(csin)   bool "$csinput"
%typemap(csout)  bool { return $imcall; }
SAME(bool*, out byte, out bool)
%typemap(csin,
         pre="    byte b_$csinput = 0;",
         post="    $csinput = b_$csinput != 0;") bool* "out b_$csinput"

SPAN(const int64_t*, long, ReadOnlySpan)
SPAN(const int32_t*, int, ReadOnlySpan)
SPAN(const int*, int, ReadOnlySpan)
SPAN(const size_t*, nuint, ReadOnlySpan)
SPAN(int64_t* dim_values, long, Span)
SPAN(int64_t* opset_versions, long, Span)
SPAN(int64_t* input_indices, long, Span)
SPAN(size_t* offsets, nuint, Span)
SAME(int64_t* indices_data, nint, nint)
SAME(int64_t* inner_data, nint, nint)
SAME(int64_t* outer_data, nint, nint)
SAME(int32_t* indices_data, nint, nint)
SAME(size_t* size, nuint*, nuint*)
SAME(size_t* output_model_buffer_size_ptr, nint, nint)
SAME(void** output_model_buffer_ptr, nint, nint)
SAME(size_t* output_buffer_size_ptr, nint, nint)
SAME(void** output_buffer_ptr, nint, nint)

// Texts are UTF-8 both ways; those that are returned are borrowed and never freed.
%typemap(ctype)  const char* "const char*"
%typemap(imtype,
         inattributes="[MarshalAs(Utf8.Marshalled)]", out="nint") const char* "string?"
%typemap(cstype, out="string?") const char* "string?"
%typemap(in)     const char* %{ $1 = ($1_ltype)$input; %}
%typemap(out)    const char* %{ $result = $1; %}
%typemap(csin)   const char* "global::OrtC.Utf8.Checked($csinput)"
%typemap(csout)  const char* { return global::OrtC.Utf8.ReadOrNull($imcall); }
%typemap(freearg) const char* ""
SAME(char* config_value, nint, nint)

// What has two stars or more, and is no object that we come to own.
SAME(const char**, nint*, nint*)
SAME(const char** const, nint*, nint*)
SAME(const char* const*, nint*, nint*)
SAME(const char* const**, nint*, nint*)
SAME(const char* dim_params[], nint*, nint*)
SAME(char**, nint*, nint*)
SAME(char***, nint*, nint*)
SAME(char* const*, nint*, nint*)
SAME(size_t**, nint*, nint*)
SAME(const int64_t**, nint*, nint*)
SAME(void**, nint*, nint*)
SAME(const void**, nint*, nint*)
SAME(void*, nint, nint)
SAME(const void*, nint, nint)

// An object is its handle. A release function gets the bare pointer: only handles call it, and a
// handle cannot be passed to a call while it is being released.
%define HANDLE(T, CS)
SAME(T*, global::OrtC.CS, global::OrtC.CS)
SAME(const T*, global::OrtC.CS, global::OrtC.CS)
OUT(T**, global::OrtC.CS)
SAME(T* released, nint, nint)
SAME(const T**, nint*, nint*)
SAME(const T* const*, nint*, nint*)
SAME(T* const*, nint*, nint*)
SAME(const T* const**, nint*, nint*)
SAME(T***, nint*, nint*)
%enddef
HANDLE(OrtAllocator, AllocatorHandle)
HANDLE(OrtArenaCfg, ArenaCfgHandle)
HANDLE(OrtCustomOpDomain, CustomOpDomainHandle)
HANDLE(OrtDeviceEpIncompatibilityDetails, DeviceEpIncompatibilityDetailsHandle)
HANDLE(OrtEnv, EnvHandle)
HANDLE(OrtEpDevice, EpDeviceHandle)
HANDLE(OrtExternalInitializerInfo, ExternalInitializerInfoHandle)
HANDLE(OrtExternalMemoryHandle, ExternalMemoryHandle)
HANDLE(OrtExternalResourceImporter, ExternalResourceImporterHandle)
HANDLE(OrtExternalSemaphoreHandle, ExternalSemaphoreHandle)
HANDLE(OrtGraph, GraphHandle)
HANDLE(OrtHardwareDevice, HardwareDeviceHandle)
HANDLE(OrtInspection, InspectionHandle)
HANDLE(OrtIoBinding, IoBindingHandle)
HANDLE(OrtKernelInfo, KernelInfoHandle)
HANDLE(OrtKeyValuePairs, KeyValuePairsHandle)
HANDLE(OrtLoraAdapter, LoraAdapterHandle)
HANDLE(OrtMapTypeInfo, MapTypeInfoHandle)
HANDLE(OrtMemoryInfo, MemoryInfoHandle)
HANDLE(OrtModel, ModelHandle)
HANDLE(OrtModelCompilationOptions, ModelCompilationOptionsHandle)
HANDLE(OrtModelCompiler, ModelCompilerHandle)
HANDLE(OrtModelMetadata, ModelMetadataHandle)
HANDLE(OrtModelPackageComponentContext, ModelPackageComponentHandle)
HANDLE(OrtModelPackageContext, ModelPackageHandle)
HANDLE(OrtModelPackageOptions, ModelPackageOptionsHandle)
HANDLE(OrtModelPackageWriter, ModelPackageWriterHandle)
HANDLE(OrtNode, NodeHandle)
HANDLE(OrtOp, OpHandle)
HANDLE(OrtOpAttr, OpAttrHandle)
HANDLE(OrtPrepackedWeightsContainer, PrepackedWeightsContainerHandle)
HANDLE(OrtRunOptions, RunOptionsHandle)
HANDLE(OrtSequenceTypeInfo, SequenceTypeInfoHandle)
HANDLE(OrtSession, SessionHandle)
HANDLE(OrtSessionOptions, SessionOptionsHandle)
HANDLE(OrtSharingGroup, SharingGroupHandle)
HANDLE(OrtSyncStream, SyncStreamHandle)
HANDLE(OrtTensorTypeAndShapeInfo, TensorTypeAndShapeInfoHandle)
HANDLE(OrtThreadingOptions, ThreadingOptionsHandle)
HANDLE(OrtTypeInfo, TypeInfoHandle)
HANDLE(OrtValue, ValueHandle)
HANDLE(OrtValueInfo, ValueInfoHandle)
SAME(const OrtEnvCreationOptions*, EnvCreationOptions*, EnvCreationOptions*)
SAME(const OrtExternalMemoryDescriptor*, ExternalMemoryDescriptor*, ExternalMemoryDescriptor*)
SAME(const OrtExternalSemaphoreDescriptor*, ExternalSemaphoreDescriptor*, ExternalSemaphoreDescriptor*)
SAME(const OrtExternalTensorDescriptor*, ExternalTensorDescriptor*, ExternalTensorDescriptor*)
SAME(const OrtThreadPoolCallbacksConfig*, ThreadPoolCallbacksConfig*, ThreadPoolCallbacksConfig*)
SAME(const OrtGraphicsInteropConfig*, GraphicsInteropConfig*, GraphicsInteropConfig*)
SAME(const OrtEpAssignedSubgraph*, nint, nint)
SAME(const OrtEpAssignedSubgraph* const**, nint*, nint*)
SAME(const OrtEpAssignedNode*, nint, nint)
SAME(const OrtEpAssignedNode* const**, nint*, nint*)
SAME(const OrtOptionalTypeInfo*, nint, nint)
SAME(const OrtOptionalTypeInfo**, nint*, nint*)
SAME(const OrtLogger*, nint, nint)
SAME(const OrtLogger**, nint*, nint*)
SAME(const OrtApiBase*, nint, nint)
// Borrowed when they are returned.
%typemap(imtype, out="nint") const OrtKeyValuePairs* "global::OrtC.KeyValuePairsHandle"
%typemap(cstype, out="nint") const OrtKeyValuePairs* "global::OrtC.KeyValuePairsHandle"
%typemap(imtype, out="nint") const OrtHardwareDevice* "global::OrtC.HardwareDeviceHandle"
%typemap(cstype, out="nint") const OrtHardwareDevice* "global::OrtC.HardwareDeviceHandle"
%typemap(imtype, out="nint") const OrtMemoryInfo* "global::OrtC.MemoryInfoHandle"
%typemap(cstype, out="nint") const OrtMemoryInfo* "global::OrtC.MemoryInfoHandle"
// Arrays of the caller.
SAME(OrtValue** outputs, nint*, nint*)
SAME(OrtValue** output, nint*, nint*)
SAME(OrtOpAttr** attributes, nint*, nint*)
SAME(OrtValueInfo** inputs, nint*, nint*)
SAME(OrtValueInfo** outputs, nint*, nint*)

// A status that is returned becomes an exception; OrtCreateStatus() alone gives it.
SAME(const OrtStatus*, nint, nint)
SAME(OrtStatus* released, nint, nint)
%typemap(ctype)  OrtStatus* "OrtStatus*"
%typemap(imtype) OrtStatus* "nint"
%typemap(cstype) OrtStatus* "void"
%typemap(out)    OrtStatus* %{ $result = $1; %}
%typemap(csout)  OrtStatus* { global::OrtC.Status.ThrowIfFailed($imcall); }
%typemap(cstype) OrtStatus* OrtCreateStatus "nint"
%typemap(csout)  OrtStatus* OrtCreateStatus { return $imcall; }

SAME(OrtProgressFn, nint, nint)
SAME(OrtReleaseStateFn, nint, nint)
SAME(OrtLoggingFunction, nint, nint)
SAME(OrtWriteBufferFunc, nint, nint)
SAME(OrtWriteNamedBufferFunc, nint, nint)
SAME(OrtReadNamedBufferFunc, nint, nint)
SAME(OrtGetInitializerLocationFunc, nint, nint)
SAME(RunAsyncCallbackFn, nint, nint)
SAME(EpSelectionDelegate, nint, nint)
SAME(OrtCustomCreateThreadFn, nint, nint)
SAME(OrtCustomJoinThreadFn, nint, nint)

// The enumerations are generated by tools/functions/languages/csharp.py.
%define ENUMERATION(C, CS)
%ignore C;
SAME(C, global::OrtC.CS, global::OrtC.CS)
SAME(enum C, global::OrtC.CS, global::OrtC.CS)
OUT(C*, global::OrtC.CS)
OUT(enum C*, global::OrtC.CS)
%enddef
ENUMERATION(OrtErrorCode, ErrorCode)
ENUMERATION(ONNXTensorElementDataType, TensorElementType)
ENUMERATION(ONNXType, OnnxType)
ENUMERATION(OrtSparseFormat, SparseFormat)
ENUMERATION(OrtSparseIndicesFormat, SparseIndicesFormat)
ENUMERATION(OrtLoggingLevel, LoggingLevel)
ENUMERATION(GraphOptimizationLevel, GraphOptimizationLevel)
ENUMERATION(ExecutionMode, ExecutionMode)
ENUMERATION(OrtAllocatorType, AllocatorType)
ENUMERATION(OrtMemType, MemoryUse)
ENUMERATION(OrtDeviceMemoryType, DeviceMemoryType)
ENUMERATION(OrtMemoryInfoDeviceType, MemoryInfoDeviceType)
ENUMERATION(OrtHardwareDeviceType, HardwareDeviceType)
ENUMERATION(OrtExecutionProviderDevicePolicy, DevicePolicy)
ENUMERATION(OrtCompiledModelCompatibility, CompiledModelCompatibility)
ENUMERATION(OrtCompileApiFlags, CompileFlags)
ENUMERATION(OrtInspectFlags, InspectFlags)
ENUMERATION(OrtEditFlags, EditFlags)
ENUMERATION(OrtModelPackageWriteFlags, ModelPackageWriteFlags)
ENUMERATION(OrtExternalMemoryHandleType, ExternalMemoryType)
ENUMERATION(OrtExternalSemaphoreType, ExternalSemaphoreType)
ENUMERATION(OrtGraphicsApi, GraphicsApi)
ENUMERATION(OrtOpAttrType, OpAttrType)
ENUMERATION(OrtLanguageProjection, LanguageProjection)
ENUMERATION(OrtCustomOpInputOutputCharacteristic, ParameterKind)

%ignore OrtAllocator;
%ignore OrtEnvCreationOptions;
%ignore OrtExternalMemoryDescriptor;
%ignore OrtExternalMemoryHandle;
%ignore OrtExternalSemaphoreDescriptor;
%ignore OrtExternalSemaphoreHandle;
%ignore OrtExternalTensorDescriptor;
%ignore OrtGraphicsInteropConfig;
%ignore OrtThreadPoolCallbacksConfig;
%ignore ORTC_VERSION_MAJOR;
%ignore ORTC_VERSION_MINOR;
%ignore ORTC_VERSION_PATCH;
#define ORTC_API

typedef struct OrtApiBase OrtApiBase;
const OrtApiBase* OrtcGetApiBase(void);
%include "headers.i"

// Operators of the program. What a kernel sees is borrowed for a call, and stays a pointer.
%ignore OrtCustomOp;
%ignore RegisterCustomOpsFn;
SAME(const OrtCustomOp*, nint, nint)
SAME(const OrtKernelContext*, nint, nint)
SAME(OrtKernelContext*, nint, nint)
SAME(const OrtShapeInferContext*, nint, nint)
SAME(OrtShapeInferContext*, nint, nint)
SAME(OrtTensorTypeAndShapeInfo** info, nint*, nint*)
%include "custom_op.h"
// One number or a list of them, which is filled.
SAME(char* out, nint, nint)
SAME(float* out, float*, float*)
SAME(int64_t* out, long*, long*)
SAME(const char** type_constraint_names, nint, nint)
SAME(const ONNXTensorElementDataType* type_constraint_values, nint, nint)
%include "kernel_info.h"
SAME(OrtValue** out, nint*, nint*)
SAME(OrtSyncStream** out, nint*, nint*)
SAME(void (*fn)(void*, size_t), nint, nint)
%typemap(ctype)  void (*fn)(void*, size_t) "void*"
%typemap(in)     void (*fn)(void*, size_t) %{ $1 = (void (*)(void*, size_t))$input; %}
%include "kernel_context.h"
