// SPDX-License-Identifier: MIT
// What onnxruntime_experimental_c_api.h names, as functions that look it up: Get_X_Fn(api) gives
// NULL and Get_X_FnOrThrow(api) fails with NOT_IMPLEMENTED when the library lacks X.
#pragma once

#include "onnxruntime_cxx_api.h"
#include "onnxruntime_experimental_c_api.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace Experimental {
namespace detail {

template <typename Function>
Function find(const OrtApi* api, const char* name) {
  return reinterpret_cast<Function>(api->GetExperimentalFunction(name));
}

template <typename Function>
Function find_or_throw(const OrtApi* api, const char* name) {
  if (const auto function = find<Function>(api, name)) return function;
  Ort::detail::raise(std::string("this library has no function ") + name, ORT_NOT_IMPLEMENTED);
}

}  // namespace detail

#define ORTC_EXPERIMENTAL(name)                                                  \
  inline OrtExperimental_##name##_Fn Get_##name##_Fn(const OrtApi* api) {        \
    return detail::find<OrtExperimental_##name##_Fn>(api, #name);                \
  }                                                                              \
  inline OrtExperimental_##name##_Fn Get_##name##_FnOrThrow(const OrtApi* api) { \
    return detail::find_or_throw<OrtExperimental_##name##_Fn>(api, #name);       \
  }
ORTC_EXPERIMENTAL(OrtApi_ExperimentalApiTest_SinceV28)
ORTC_EXPERIMENTAL(OrtApi_SessionOptions_SetEpContextDataReadFunc_SinceV28)
ORTC_EXPERIMENTAL(OrtCompileApi_ModelCompilationOptions_SetEpContextDataWriteFunc_SinceV28)
ORTC_EXPERIMENTAL(OrtEpApi_SessionOptions_GetEpContextConfig_SinceV28)
ORTC_EXPERIMENTAL(OrtEpApi_ReleaseEpContextConfig_SinceV28)
ORTC_EXPERIMENTAL(OrtEpApi_EpContextConfig_GetEpContextDataReadFunc_SinceV28)
ORTC_EXPERIMENTAL(OrtEpApi_EpContextConfig_GetEpContextDataWriteFunc_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_CreateModelPackageOptionsFromSessionOptions_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ReleaseModelPackageOptions_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_CreateModelPackageContext_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ReleaseModelPackageContext_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ModelPackage_GetSchemaVersion_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ModelPackage_GetComponentCount_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ModelPackage_GetComponentNames_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ModelPackage_GetVariantCount_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ModelPackage_GetVariantNames_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ModelPackage_GetVariantEpName_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ModelPackage_ResolveStringRef_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_SelectComponent_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ReleaseModelPackageComponentContext_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ModelPackageComponent_GetSelectedVariantName_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_ModelPackageComponent_GetSelectedVariantFolderPath_SinceV28)
ORTC_EXPERIMENTAL(OrtModelPackageApi_CreateSession_SinceV28)
#undef ORTC_EXPERIMENTAL

/// Who reads and writes the data of a session's contexts, for providers.
class EpContextConfig {
 public:
  explicit EpContextConfig(std::nullptr_t) noexcept {}
  explicit EpContextConfig(const SessionOptions& session_options)
      : EpContextConfig(static_cast<const OrtSessionOptions*>(session_options)) {}
  explicit EpContextConfig(ConstSessionOptions session_options)
      : EpContextConfig(static_cast<const OrtSessionOptions*>(session_options)) {}
  ~EpContextConfig() { reset(); }
  EpContextConfig(EpContextConfig&& other) noexcept : config_(other.release()) {}
  EpContextConfig& operator=(EpContextConfig&& other) noexcept {
    if (this != &other) {
      reset();
      config_ = other.release();
    }
    return *this;
  }

  OrtEpContextConfig* get() const noexcept { return config_; }
  explicit operator bool() const noexcept { return config_ != nullptr; }
  OrtEpContextConfig* release() noexcept { return std::exchange(config_, nullptr); }
  void reset() noexcept {
    const auto give_back = Get_OrtEpApi_ReleaseEpContextConfig_SinceV28_Fn(&GetApi());
    if (config_ != nullptr && give_back != nullptr) give_back(config_);
    config_ = nullptr;
  }

  void GetReadFunc(OrtReadNamedBufferFunc& read_func, void*& state) const {
    ThrowOnError(Get_OrtEpApi_EpContextConfig_GetEpContextDataReadFunc_SinceV28_FnOrThrow(
        &GetApi())(config_, &read_func, &state));
  }
  void GetWriteFunc(OrtWriteNamedBufferFunc& write_func, void*& state) const {
    ThrowOnError(Get_OrtEpApi_EpContextConfig_GetEpContextDataWriteFunc_SinceV28_FnOrThrow(
        &GetApi())(config_, &write_func, &state));
  }

 private:
  explicit EpContextConfig(const OrtSessionOptions* session_options) {
    ThrowOnError(Get_OrtEpApi_SessionOptions_GetEpContextConfig_SinceV28_FnOrThrow(&GetApi())(
        session_options, &config_));
  }

  OrtEpContextConfig* config_ = nullptr;
};

}  // namespace Experimental
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
