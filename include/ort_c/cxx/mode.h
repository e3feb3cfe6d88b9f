// SPDX-License-Identifier: MIT
// How ort_cxx.h was asked to work, from macros that the program may define before including it:
//
//   ORT_NO_EXCEPTIONS     a failure ends the program with its message, where the throwing form
//                         would throw; the forms that give a Status or a Result never do either.
//                         Set by itself where the compiler has exceptions switched off.
//   ORT_API_MANUAL_INIT   calls go through the table that Ort::InitApi() was given, not to the
//                         library: for plugins, which get the table from what loads them and
//                         need not be linked. What only ortc has is left out then.
//
// The headers of ort-compat ask for a third way (ORTC_ONNXRUNTIME_LIBRARY): calls go through the
// table of the libonnxruntime that the program is linked with.
//
// Files of one program may differ in both: each combination has an inline namespace of its own.
#pragma once

#if defined(ORT_API_VERSION) && !defined(ORTC_ONNXRUNTIME_C_API)
#error "ort_cxx.h and ONNX Runtime's onnxruntime_cxx_api.h define the same names: include only one"
#endif
#if __cplusplus < 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#error "ort_cxx.h needs C++17 or later"
#endif

#include "ort_c/ort_c.h"

#if !defined(ORT_NO_EXCEPTIONS) && !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#define ORT_NO_EXCEPTIONS
#endif

// Calls go through a table, not to the library.
#if defined(ORT_API_MANUAL_INIT) || defined(ORTC_ONNXRUNTIME_LIBRARY)
#define ORT_CXX_TABLE
#endif

#if defined(ORT_API_MANUAL_INIT) && defined(ORT_NO_EXCEPTIONS)
#define ORT_CXX_NAMESPACE ortc1_table_noexcept
#elif defined(ORT_API_MANUAL_INIT)
#define ORT_CXX_NAMESPACE ortc1_table
#elif defined(ORT_CXX_TABLE) && defined(ORT_NO_EXCEPTIONS)
#define ORT_CXX_NAMESPACE ortc1_linked_noexcept
#elif defined(ORT_CXX_TABLE)
#define ORT_CXX_NAMESPACE ortc1_linked
#elif defined(ORT_NO_EXCEPTIONS)
#define ORT_CXX_NAMESPACE ortc1_noexcept
#else
#define ORT_CXX_NAMESPACE ortc1
#endif

// The C function behind a name of ONNX Runtime's tables: the main one, compiling, the model editor,
// memory of graphics interfaces, model packages.
#if defined(ORT_CXX_TABLE)
#define ORT_CXX_CALL(name) ::Ort::GetApi().name
#define ORT_CXX_COMPILE_CALL(name) ::Ort::GetCompileApi().name
#define ORT_CXX_EDITOR_CALL(name) ::Ort::GetModelEditorApi().name
#define ORT_CXX_INTEROP_CALL(name) ::Ort::GetInteropApi().name
#define ORT_CXX_PACKAGE_CALL(name) ::Ort::GetModelPackageApi().name
#else
#define ORT_CXX_CALL(name) ::Ort##name
#define ORT_CXX_COMPILE_CALL(name) ::Ort##name
#define ORT_CXX_EDITOR_CALL(name) ::Ort##name
#define ORT_CXX_INTEROP_CALL(name) ::Ort##name
#define ORT_CXX_PACKAGE_CALL(name) ::Ort##name
#endif
