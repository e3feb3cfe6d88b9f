// SPDX-License-Identifier: MIT
// Functions that ONNX Runtime's table gives by name, GetExperimentalFunction(): their types and
// names. Those of contexts that a program reads and writes itself; not those of model packages.
#pragma once

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtEpContextConfig OrtEpContextConfig;

/// Takes a context's data, piece by piece.
typedef OrtStatus*(ORT_API_CALL* OrtWriteNamedBufferFunc)(void* state, const char* name,
                                                          const void* buffer,
                                                          size_t buffer_num_bytes);
/// Gives a context's data, in memory of the allocator.
typedef OrtStatus*(ORT_API_CALL* OrtReadNamedBufferFunc)(void* state, const char* name,
                                                         OrtAllocator* allocator, void** buffer,
                                                         size_t* data_size);

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
#undef ORTC_EXPERIMENTAL

#ifdef __cplusplus
}
#endif
