// SPDX-License-Identifier: MIT
// A program in C99 as users of ONNX Runtime write them.
//   application MODEL     x of 4 columns, y of 3
#include <stdio.h>

#include "cpu_provider_factory.h"
#include "onnxruntime_c_api.h"

static const OrtApi* ort;

static void check(OrtStatus* status) {
  if (status == NULL) return;
  printf("error %d: %s\n", (int)ort->GetErrorCode(status), ort->GetErrorMessage(status));
  ort->ReleaseStatus(status);
  exit(1);
}

// As callbacks are declared: the macros of ONNX Runtime's header.
static ORT_API_STATUS_IMPL(give_nothing, _In_ const OrtEnv* env,
                           _Outptr_result_maybenull_ void** out) {
  (void)env;
  *out = NULL;
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (ort == NULL) return 3;
  OrtEnv* env = NULL;
  OrtSessionOptions* options = NULL;
  OrtSession* session = NULL;
  OrtMemoryInfo* memory = NULL;
  OrtValue* x = NULL;
  OrtValue* y = NULL;
  check(ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "compat", &env));
  check(ort->CreateSessionOptions(&options));
  check(OrtSessionOptionsAppendExecutionProvider_CPU(options, 1));
  check(ort->CreateSession(env, (const ORTCHAR_T*)arguments[1], options, &session));
  check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  float numbers[] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  check(ort->CreateTensorWithDataAsOrtValue(memory, numbers, sizeof numbers, shape, 2,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &x));
  const char* const inputs[] = {"x"};
  const char* const outputs[] = {"y"};
  const OrtValue* const values[] = {x};
  check(ort->Run(session, NULL, inputs, values, 1, outputs, 1, &y));
  float* found = NULL;
  check(ort->GetTensorMutableData(y, (void**)&found));
  printf("C: %g %g %g\n", found[0], found[1], found[2]);
  void* nothing = arguments;
  check(give_nothing(env, &nothing));
  ort->ReleaseValue(y);
  ort->ReleaseValue(x);
  ort->ReleaseMemoryInfo(memory);
  ort->ReleaseSession(session);
  ort->ReleaseSessionOptions(options);
  ort->ReleaseEnv(env);
  return nothing != NULL;
}
