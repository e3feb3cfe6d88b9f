// SPDX-License-Identifier: MIT
// Functions that ONNX Runtime's table gives by name, GetExperimentalFunction(): their types and
// names: contexts that a program reads and writes itself, and model packages.
#pragma once

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The type and the name of a function that came with a version of the interface.
#define ORTC_EXPERIMENTAL(returns, function, ...)                              \
  typedef returns(ORT_API_CALL* OrtExperimental_##function##_Fn)(__VA_ARGS__); \
  static const char* const kOrtExperimental_##function##_FnName = #function

ORTC_EXPERIMENTAL(OrtStatus*, OrtApi_ExperimentalApiTest_SinceV28, int64_t* out);
ORTC_EXPERIMENTAL(OrtStatus*, OrtApi_SessionOptions_SetEpContextDataReadFunc_SinceV28,
                  OrtSessionOptions* options, OrtReadNamedBufferFunc read_func, void* state);
ORTC_EXPERIMENTAL(OrtStatus*,
                  OrtCompileApi_ModelCompilationOptions_SetEpContextDataWriteFunc_SinceV28,
                  OrtModelCompilationOptions* model_compile_options,
                  OrtWriteNamedBufferFunc write_func, void* state);
ORTC_EXPERIMENTAL(OrtStatus*, OrtEpApi_SessionOptions_GetEpContextConfig_SinceV28,
                  const OrtSessionOptions* session_options, OrtEpContextConfig** config);
ORTC_EXPERIMENTAL(void, OrtEpApi_ReleaseEpContextConfig_SinceV28, OrtEpContextConfig* config);
ORTC_EXPERIMENTAL(OrtStatus*, OrtEpApi_EpContextConfig_GetEpContextDataReadFunc_SinceV28,
                  const OrtEpContextConfig* config, OrtReadNamedBufferFunc* read_func,
                  void** state);
ORTC_EXPERIMENTAL(OrtStatus*, OrtEpApi_EpContextConfig_GetEpContextDataWriteFunc_SinceV28,
                  const OrtEpContextConfig* config, OrtWriteNamedBufferFunc* write_func,
                  void** state);

// Model packages. What each does is told by ort_c/model_package.h, where the functions have names
// of their own.
ORTC_EXPERIMENTAL(OrtStatus*,
                  OrtModelPackageApi_CreateModelPackageOptionsFromSessionOptions_SinceV28,
                  const OrtEnv* env, const OrtSessionOptions* session_options,
                  OrtModelPackageOptions** out);
ORTC_EXPERIMENTAL(void, OrtModelPackageApi_ReleaseModelPackageOptions_SinceV28,
                  OrtModelPackageOptions* options);
ORTC_EXPERIMENTAL(OrtStatus*, OrtModelPackageApi_CreateModelPackageContext_SinceV28,
                  const ORTCHAR_T* package_root, OrtModelPackageContext** out);
ORTC_EXPERIMENTAL(void, OrtModelPackageApi_ReleaseModelPackageContext_SinceV28,
                  OrtModelPackageContext* ctx);
ORTC_EXPERIMENTAL(OrtStatus*, OrtModelPackageApi_ModelPackage_GetSchemaVersion_SinceV28,
                  const OrtModelPackageContext* ctx, int64_t* out_version);
ORTC_EXPERIMENTAL(OrtStatus*, OrtModelPackageApi_ModelPackage_GetComponentCount_SinceV28,
                  const OrtModelPackageContext* ctx, size_t* out_count);
ORTC_EXPERIMENTAL(OrtStatus*, OrtModelPackageApi_ModelPackage_GetComponentNames_SinceV28,
                  const OrtModelPackageContext* ctx, const char* const** out_names,
                  size_t* out_count);
ORTC_EXPERIMENTAL(OrtStatus*, OrtModelPackageApi_ModelPackage_GetVariantCount_SinceV28,
                  const OrtModelPackageContext* ctx, const char* component_name, size_t* out_count);
ORTC_EXPERIMENTAL(OrtStatus*, OrtModelPackageApi_ModelPackage_GetVariantNames_SinceV28,
                  const OrtModelPackageContext* ctx, const char* component_name,
                  const char* const** out_variant_names, size_t* out_count);
ORTC_EXPERIMENTAL(OrtStatus*, OrtModelPackageApi_ModelPackage_GetVariantEpName_SinceV28,
                  const OrtModelPackageContext* ctx, const char* component_name,
                  const char* variant_name, const char** out_ep);
ORTC_EXPERIMENTAL(OrtStatus*, OrtModelPackageApi_ModelPackage_ResolveStringRef_SinceV28,
                  const OrtModelPackageContext* ctx, const char* base_dir, const char* input,
                  int must_exist, const char** out_path);
ORTC_EXPERIMENTAL(OrtStatus*, OrtModelPackageApi_SelectComponent_SinceV28,
                  const OrtModelPackageContext* context, const char* component_name,
                  const OrtModelPackageOptions* options, OrtModelPackageComponentContext** out);
ORTC_EXPERIMENTAL(void, OrtModelPackageApi_ReleaseModelPackageComponentContext_SinceV28,
                  OrtModelPackageComponentContext* ctx);
ORTC_EXPERIMENTAL(OrtStatus*,
                  OrtModelPackageApi_ModelPackageComponent_GetSelectedVariantName_SinceV28,
                  const OrtModelPackageComponentContext* ctx, const char** out_name);
ORTC_EXPERIMENTAL(OrtStatus*,
                  OrtModelPackageApi_ModelPackageComponent_GetSelectedVariantFolderPath_SinceV28,
                  const OrtModelPackageComponentContext* ctx, const ORTCHAR_T** folder_path);
ORTC_EXPERIMENTAL(OrtStatus*, OrtModelPackageApi_CreateSession_SinceV28, const OrtEnv* env,
                  OrtModelPackageComponentContext* context,
                  const OrtSessionOptions* session_options, OrtSession** session);
#undef ORTC_EXPERIMENTAL

#ifdef __cplusplus
}
#endif
