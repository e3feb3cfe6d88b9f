// SPDX-License-Identifier: MIT
// ONNX Runtime's tables of C functions, for what the classes do not wrap.
#pragma once

#include "ort_c/cxx/exception.h"
#include "ort_c/cxx/mode.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

#if defined(ORT_CXX_TABLE)
namespace detail {
#if defined(ORT_API_VERSION)
inline constexpr uint32_t kAskedVersion = ORT_API_VERSION;
#else
inline constexpr uint32_t kAskedVersion = ORTC_ORT_API_VERSION;
#endif
#if defined(ORTC_ONNXRUNTIME_LIBRARY)
inline const OrtApiBase* api_base() noexcept { return ::OrtGetApiBase(); }
#else
inline const OrtApiBase* api_base() noexcept { return OrtcGetApiBase(); }
#endif

inline const OrtApi*& used_api() noexcept {
#if defined(ORT_API_MANUAL_INIT)
  static const OrtApi* api = nullptr;
#else
  static const OrtApi* api = api_base()->GetApi(kAskedVersion);
#endif
  return api;
}
}  // namespace detail

/// Sets the table that all calls of this file's namespace go through. Call it once, before anything
/// else here and before other threads use it.
///
/// `api`  Borrowed; must live as long as anything made here.
inline void InitApi(const OrtApi* api) noexcept { detail::used_api() = api; }
/// Takes the table of the library, which must be linked then.
inline void InitApi() noexcept { InitApi(detail::api_base()->GetApi(detail::kAskedVersion)); }

/// The main table: the one given to InitApi(), or that of the library linked.
inline const OrtApi& GetApi() noexcept { return *detail::used_api(); }
#else
/// The main table. Its entries answer as ONNX Runtime does, where OrtX() are stricter: see
/// OrtcGetApiBase(). Thread-safe.
inline const OrtApi& GetApi() noexcept { return *OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION); }
#endif

namespace detail {
template <typename Table>
const Table& there(const Table* table, const char* name) {
  if (table == nullptr) raise(std::string("this library has no ") + name, ORT_NOT_IMPLEMENTED);
  return *table;
}
}  // namespace detail

/// Compiling models.
inline const OrtCompileApi& GetCompileApi() {
  return detail::there(GetApi().GetCompileApi(), "OrtCompileApi");
}
/// Building and changing models.
inline const OrtModelEditorApi& GetModelEditorApi() {
  return detail::there(GetApi().GetModelEditorApi(), "OrtModelEditorApi");
}
/// Memory and semaphores of graphics interfaces.
inline const OrtInteropApi& GetInteropApi() {
  return detail::there(GetApi().GetInteropApi(), "OrtInteropApi");
}
/// Model packages; a table of version 31 or newer has them.
inline const OrtModelPackageApi& GetModelPackageApi() {
#if defined(ORT_CXX_TABLE)
  const bool has_it = detail::kAskedVersion >= 31;
#else
  const bool has_it = true;
#endif
  return detail::there(has_it ? GetApi().GetModelPackageApi() : nullptr, "OrtModelPackageApi");
}
/// What execution providers call.
inline const OrtEpApi& GetEpApi() { return detail::there(GetApi().GetEpApi(), "OrtEpApi"); }

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
