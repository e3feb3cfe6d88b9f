// SPDX-License-Identifier: MIT
// ONNX Runtime's C interface for programs and providers that include it under this name: the tables
// of ort_c/ort_api.h and what belongs to them. Such programs link libonnxruntime, ours in
// lib/ort-compat or ONNX Runtime's own, and run with either. With ORTC_COMPAT_USES_ORT_C defined,
// as pkg-config's ort_c-onnxruntime does, they link libort_c.
#pragma once

#include <stdlib.h>
#include <string.h>

#if !defined(ORTC_COMPAT_USES_ORT_C) && !defined(ORTC_ONNXRUNTIME_C_API)
#define ORTC_ONNXRUNTIME_LIBRARY
#endif

#include "ort_c/onnxruntime_c_api.h"

// What a parameter is for, in the words of Microsoft's annotations: for the reader here.
#if defined(_WIN32)
#include <specstrings.h>
#else
#define _Check_return_
#define _Frees_ptr_opt_
#define _In_
#define _In_opt_
#define _In_opt_z_
#define _In_reads_(count)
#define _In_reads_opt_(count)
#define _In_z_
#define _Inout_
#define _Inout_opt_
#define _Inout_updates_(count)
#define _Inout_updates_all_(count)
#define _Out_
#define _Out_opt_
#define _Out_writes_(count)
#define _Out_writes_all_(count)
#define _Out_writes_bytes_all_(count)
#define _Out_writes_opt_(count)
#define _Outptr_
#define _Outptr_opt_
#define _Outptr_result_buffer_maybenull_(count)
#define _Outptr_result_maybenull_
#define _Outptr_result_maybenull_z_
#define _Ret_maybenull_
#define _Ret_notnull_
#define _Success_(condition)
#endif
#define ORT_ALL_ARGS_NONNULL

// Declarations in ONNX Runtime's manner: a handle, an entry of a table, an entry that releases.
#define ORT_RUNTIME_CLASS(NAME) typedef struct Ort##NAME Ort##NAME
#define ORT_API2_STATUS(NAME, ...) \
  OrtStatusPtr(ORT_API_CALL* NAME)(__VA_ARGS__) NO_EXCEPTION ORT_MUST_USE_RESULT
#define ORT_API_T(RETURN_TYPE, NAME, ...) RETURN_TYPE(ORT_API_CALL* NAME)(__VA_ARGS__) NO_EXCEPTION
#define ORT_CLASS_RELEASE(NAME) void(ORT_API_CALL * Release##NAME)(Ort##NAME * input)

#include "onnxruntime_ep_c_api.h"
