// SPDX-License-Identifier: MIT
// For programs written for ONNX Runtime's C interface: what its onnxruntime_c_api.h defines besides
// the tables of ort_api.h. Such programs link libort_c, or, when they include the headers of
// ort-compat, any libonnxruntime. Not to be included together with ONNX Runtime's own header.
#pragma once

#include "ort_c/onnxruntime_provider_options.h"
#include "ort_c/ort_c.h"

/// Tells ort_cxx.h that this header, not ONNX Runtime's, defined ORT_API_VERSION.
#define ORTC_ONNXRUNTIME_C_API

/// The version that the program asks for: these headers', or an older one of its own choice, for
/// libraries of ONNX Runtime that are older than they are.
#if defined(ORT_COMPAT_API_VERSION)
#define ORT_API_VERSION ORT_COMPAT_API_VERSION
#else
#define ORT_API_VERSION ORTC_ORT_API_VERSION
#endif

/// Paths are UTF-8 on every system.
typedef char ORTCHAR_T;
#define ORT_TSTR(text) text
#define ORT_TSTR_ON_MACRO(text) text
#define ORT_FILE __FILE__

// Calling convention, export and attributes of functions.
#if defined(_WIN32)
#define ORT_API_CALL __stdcall
#define ORT_EXPORT
#else
#define ORT_API_CALL
#define ORT_EXPORT __attribute__((visibility("default")))
#endif
#if defined(__cplusplus)
#define NO_EXCEPTION noexcept
#else
#define NO_EXCEPTION
#endif
#define ORT_MUST_USE_RESULT

typedef OrtStatus* OrtStatusPtr;
#define ORT_API(RETURN_TYPE, NAME, ...) RETURN_TYPE ORT_API_CALL NAME(__VA_ARGS__) NO_EXCEPTION
#define ORT_API_STATUS(NAME, ...) OrtStatusPtr ORT_API_CALL NAME(__VA_ARGS__) NO_EXCEPTION
#define ORT_API_STATUS_IMPL(NAME, ...) OrtStatusPtr ORT_API_CALL NAME(__VA_ARGS__) NO_EXCEPTION

#if defined(ORTC_ONNXRUNTIME_LIBRARY)
#if defined(__cplusplus)
extern "C" {
#endif
/// The function that every libonnxruntime exports: the way to all tables.
ORT_EXPORT const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION;
#if defined(__cplusplus)
}
#endif
#else
/// Gives the way to all tables, as OrtcGetApiBase() does.
static inline const OrtApiBase* OrtGetApiBase(void) NO_EXCEPTION { return OrtcGetApiBase(); }
#endif
