// SPDX-License-Identifier: MIT
// Functions that ONNX Runtime's table gives by name: GetExperimentalFunction(). None is promised to
// stay there; those of ort_c/ are, and from version 31 on the tables have most of them.
#include <span>

#include "core/api/abi/ort_table_overrides.h"
#include "core/api/guard.h"
#include "core/api/model/model_package_table.h"
#include "core/api/plugin/context_config_table.h"
#include "ort_c/model_compiler.h"

namespace ortc::api::table {
namespace {

// What programs call to see that the lookup works.
OrtStatus* experimental_api_test(int64_t* out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    *out = 12345;
    return {};
  });
}

struct Function {
  std::string_view name;
  OrtExperimentalFnPtr function;
};

template <typename F>
Function row(std::string_view name, F* function) {
  return {name, reinterpret_cast<OrtExperimentalFnPtr>(function)};
}

std::span<const Function> functions() {
  static const Function kFunctions[] = {
      row("OrtApi_ExperimentalApiTest_SinceV28", experimental_api_test),
      row("OrtApi_SessionOptions_SetEpContextDataReadFunc_SinceV28",
          OrtSessionOptionsSetEpContextDataReadFunc),
      row("OrtCompileApi_ModelCompilationOptions_SetEpContextDataWriteFunc_SinceV28",
          OrtModelCompilationOptions_SetEpContextDataWriteFunc),
      row("OrtEpApi_SessionOptions_GetEpContextConfig_SinceV28", SessionOptionsGetEpContextConfig),
      row("OrtEpApi_ReleaseEpContextConfig_SinceV28", ReleaseEpContextConfig),
      row("OrtEpApi_EpContextConfig_GetEpContextDataReadFunc_SinceV28",
          EpContextConfigGetEpContextDataReadFunc),
      row("OrtEpApi_EpContextConfig_GetEpContextDataWriteFunc_SinceV28",
          EpContextConfigGetEpContextDataWriteFunc),
      row("OrtModelPackageApi_CreateModelPackageOptionsFromSessionOptions_SinceV28",
          OrtCreateModelPackageOptionsFromSessionOptions),
      row("OrtModelPackageApi_ReleaseModelPackageOptions_SinceV28", OrtReleaseModelPackageOptions),
      row("OrtModelPackageApi_CreateModelPackageContext_SinceV28", OrtCreateModelPackageContext),
      row("OrtModelPackageApi_ReleaseModelPackageContext_SinceV28", OrtReleaseModelPackageContext),
      row("OrtModelPackageApi_ModelPackage_GetSchemaVersion_SinceV28",
          OrtModelPackage_GetSchemaVersion),
      row("OrtModelPackageApi_ModelPackage_GetComponentCount_SinceV28",
          OrtModelPackage_GetComponentCount),
      row("OrtModelPackageApi_ModelPackage_GetComponentNames_SinceV28",
          OrtModelPackage_GetComponentNames),
      row("OrtModelPackageApi_ModelPackage_GetVariantCount_SinceV28",
          OrtModelPackage_GetVariantCount),
      row("OrtModelPackageApi_ModelPackage_GetVariantNames_SinceV28",
          OrtModelPackage_GetVariantNames),
      row("OrtModelPackageApi_ModelPackage_GetVariantEpName_SinceV28",
          OrtModelPackage_GetVariantEpName),
      row("OrtModelPackageApi_ModelPackage_ResolveStringRef_SinceV28",
          OrtModelPackage_ResolveStringRef),
      row("OrtModelPackageApi_SelectComponent_SinceV28", OrtModelPackage_SelectComponent),
      row("OrtModelPackageApi_ReleaseModelPackageComponentContext_SinceV28",
          OrtReleaseModelPackageComponentContext),
      row("OrtModelPackageApi_ModelPackageComponent_GetSelectedVariantName_SinceV28",
          OrtModelPackageComponent_GetSelectedVariantName),
      row("OrtModelPackageApi_ModelPackageComponent_GetSelectedVariantFolderPath_SinceV28",
          OrtModelPackageComponent_GetSelectedVariantFolderPath),
      row("OrtModelPackageApi_CreateSession_SinceV28", package::CreateSession),
  };
  return kFunctions;
}

}  // namespace

OrtExperimentalFnPtr GetExperimentalFunction(const char* name) noexcept {
  for (const Function& known : functions()) {
    if (name != nullptr && known.name == name) return known.function;
  }
  return nullptr;
}

}  // namespace ortc::api::table
