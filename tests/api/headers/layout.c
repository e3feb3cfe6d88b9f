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
