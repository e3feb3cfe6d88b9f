// SPDX-License-Identifier: MIT
// What a compiler must find true of the open struct, the callback types and the constants of the
// headers. Nothing here runs: compiling is the test.

#include <stddef.h>

#include "ort_c/ort_c.h"

#define IS_TYPE(expression, type) _Generic((expression), type : 1, default : 0)
#define MEMBER(struct_type, member) (((struct_type*)0)->member)

// OrtAllocator: a number, then seven function pointers in this order.
_Static_assert(offsetof(OrtAllocator, version) == 0, "");
_Static_assert(offsetof(OrtAllocator, Alloc) == 1 * sizeof(void*), "");
_Static_assert(offsetof(OrtAllocator, Free) == 2 * sizeof(void*), "");
_Static_assert(offsetof(OrtAllocator, Info) == 3 * sizeof(void*), "");
_Static_assert(offsetof(OrtAllocator, Reserve) == 4 * sizeof(void*), "");
_Static_assert(offsetof(OrtAllocator, GetStats) == 5 * sizeof(void*), "");
_Static_assert(offsetof(OrtAllocator, AllocOnStream) == 6 * sizeof(void*), "");
_Static_assert(offsetof(OrtAllocator, Shrink) == 7 * sizeof(void*), "");
_Static_assert(sizeof(OrtAllocator) == 8 * sizeof(void*), "");

_Static_assert(IS_TYPE(MEMBER(OrtAllocator, version), uint32_t), "");
_Static_assert(IS_TYPE(MEMBER(OrtAllocator, Alloc), void* (*)(OrtAllocator*, size_t)), "");
_Static_assert(IS_TYPE(MEMBER(OrtAllocator, Free), void (*)(OrtAllocator*, void*)), "");
_Static_assert(IS_TYPE(MEMBER(OrtAllocator, Info), const OrtMemoryInfo* (*)(const OrtAllocator*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtAllocator, Reserve), void* (*)(OrtAllocator*, size_t)), "");
_Static_assert(IS_TYPE(MEMBER(OrtAllocator, GetStats),
                       OrtStatus* (*)(const OrtAllocator*, OrtKeyValuePairs**)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtAllocator, AllocOnStream),
                       void* (*)(OrtAllocator*, size_t, OrtSyncStream*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtAllocator, Shrink), OrtStatus* (*)(OrtAllocator*)), "");

// OrtCustomOp: a number, then 25 function pointers.
_Static_assert(offsetof(OrtCustomOp, version) == 0 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, CreateKernel) == 1 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetName) == 2 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetExecutionProviderType) == 3 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetInputType) == 4 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetInputTypeCount) == 5 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetOutputType) == 6 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetOutputTypeCount) == 7 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, KernelCompute) == 8 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, KernelDestroy) == 9 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetInputCharacteristic) == 10 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetOutputCharacteristic) == 11 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetInputMemoryType) == 12 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetVariadicInputMinArity) == 13 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetVariadicInputHomogeneity) == 14 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetVariadicOutputMinArity) == 15 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetVariadicOutputHomogeneity) == 16 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, CreateKernelV2) == 17 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, KernelComputeV2) == 18 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, InferOutputShapeFn) == 19 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetStartVersion) == 20 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetEndVersion) == 21 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetMayInplace) == 22 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, ReleaseMayInplace) == 23 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, GetAliasMap) == 24 * sizeof(void*), "");
_Static_assert(offsetof(OrtCustomOp, ReleaseAliasMap) == 25 * sizeof(void*), "");
_Static_assert(sizeof(OrtCustomOp) == 26 * sizeof(void*), "");

_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, CreateKernel),
                       void* (*)(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetName), const char* (*)(const OrtCustomOp*)), "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetExecutionProviderType),
                       const char* (*)(const OrtCustomOp*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetInputType),
                       ONNXTensorElementDataType (*)(const OrtCustomOp*, size_t)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetInputTypeCount), size_t (*)(const OrtCustomOp*)), "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetOutputType),
                       ONNXTensorElementDataType (*)(const OrtCustomOp*, size_t)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetOutputTypeCount), size_t (*)(const OrtCustomOp*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, KernelCompute), void (*)(void*, OrtKernelContext*)), "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, KernelDestroy), void (*)(void*)), "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetInputCharacteristic),
                       OrtCustomOpInputOutputCharacteristic (*)(const OrtCustomOp*, size_t)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetOutputCharacteristic),
                       OrtCustomOpInputOutputCharacteristic (*)(const OrtCustomOp*, size_t)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetInputMemoryType),
                       OrtMemType (*)(const OrtCustomOp*, size_t)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetVariadicInputMinArity), int (*)(const OrtCustomOp*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetVariadicInputHomogeneity),
                       int (*)(const OrtCustomOp*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetVariadicOutputMinArity), int (*)(const OrtCustomOp*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetVariadicOutputHomogeneity),
                       int (*)(const OrtCustomOp*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, CreateKernelV2),
                       OrtStatus* (*)(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo*,
                                      void**)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, KernelComputeV2),
                       OrtStatus* (*)(void*, OrtKernelContext*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, InferOutputShapeFn),
                       OrtStatus* (*)(const OrtCustomOp*, OrtShapeInferContext*)),
               "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetStartVersion), int (*)(const OrtCustomOp*)), "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetEndVersion), int (*)(const OrtCustomOp*)), "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetMayInplace), size_t (*)(int**, int**)), "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, ReleaseMayInplace), void (*)(int*, int*)), "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, GetAliasMap), size_t (*)(int**, int**)), "");
_Static_assert(IS_TYPE(MEMBER(OrtCustomOp, ReleaseAliasMap), void (*)(int*, int*)), "");

_Static_assert(IS_TYPE((OrtLoggingFunction)0, void (*)(void*, OrtLoggingLevel, const char*,
                                                       const char*, const char*, const char*)),
               "");

// Enumerations travel through tables and bindings as 32-bit numbers.
_Static_assert(sizeof(OrtErrorCode) == 4, "");
_Static_assert(sizeof(ONNXTensorElementDataType) == 4, "");
_Static_assert(sizeof(OrtMemType) == 4, "");
_Static_assert(sizeof(bool) == 1, "");

// Keys are constant texts, not macros.
_Static_assert(IS_TYPE(&kOrtSessionOptionEpContextEnable, const char* const*), "");
