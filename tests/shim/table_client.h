// SPDX-License-Identifier: MIT
// A program of ONNX Runtime in small: with nothing but a table it loads tests/data/matmul.onnx and
// runs it. For programs that are not linked against libort_c.
#pragma once

#include <stdio.h>
#include <string.h>

#include "ort_c/ort_api.h"

// Says what failed and gives back the status; true for success.
static inline bool is_ok(const OrtApi* api, OrtStatus* status, const char* what) {
  if (status == NULL) return true;
  fprintf(stderr, "%s: %s\n", what, api->GetErrorMessage(status));
  api->ReleaseStatus(status);
  return false;
}

#define TRY(call) \
  if (!is_ok(api, api->call, #call)) return false

// y = x * weight for x = [[1, 2, 3, 4]], three numbers.
static inline bool run_matmul(const OrtApi* api, const char* path, OrtSessionOptions* options,
                              float* y) {
  OrtEnv* env = NULL;
  OrtSession* session = NULL;
  OrtMemoryInfo* memory = NULL;
  OrtValue *input = NULL, *output = NULL;
  OrtTensorTypeAndShapeInfo* shape = NULL;
  float x[4] = {1, 2, 3, 4};
  const int64_t dims[] = {1, 4};
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  void* data = NULL;
  size_t count = 0;
  TRY(CreateEnv(ORT_LOGGING_LEVEL_WARNING, "client", &env));
  TRY(CreateSession(env, path, options, &session));
  TRY(CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  TRY(CreateTensorWithDataAsOrtValue(memory, x, sizeof(x), dims, 2,
                                     ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input));
  const OrtValue* inputs[] = {input};
  TRY(Run(session, NULL, input_names, inputs, 1, output_names, 1, &output));
  TRY(GetTensorTypeAndShape(output, &shape));
  TRY(GetTensorShapeElementCount(shape, &count));
  TRY(GetTensorMutableData(output, &data));
  if (count != 3) {
    fprintf(stderr, "expected 3 numbers, found %zu\n", count);
    return false;
  }
  memcpy(y, data, 3 * sizeof(float));
  api->ReleaseTensorTypeAndShapeInfo(shape);
  api->ReleaseValue(output);
  api->ReleaseValue(input);
  api->ReleaseMemoryInfo(memory);
  api->ReleaseSession(session);
  api->ReleaseEnv(env);
  return true;
}

static inline bool is_right(const float* y) { return y[0] == 60 && y[1] == 70 && y[2] == 80; }
