// SPDX-License-Identifier: MIT
// What the samples have in common: a call that fails ends the program and says why.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "ort_c/ort_c.h"

static inline void check(OrtStatus* status) {
  if (status == NULL) return;
  fprintf(stderr, "error %d: %s\n", OrtGetErrorCode(status), OrtGetErrorMessage(status));
  OrtReleaseStatus(status);
  exit(1);
}

/// A float tensor over memory of the caller, which stays the caller's.
static inline OrtValue* tensor_over(float* data, const int64_t* shape, size_t rank) {
  size_t count = 1;
  for (size_t i = 0; i < rank; i++) count *= (size_t)shape[i];
  OrtMemoryInfo* memory = NULL;
  OrtValue* value = NULL;
  check(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  check(OrtCreateTensorWithDataAsOrtValue(memory, data, count * sizeof(float), shape, rank,
                                          ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  OrtReleaseMemoryInfo(memory);
  return value;
}

/// Options that name the compiling provider; what it cannot serve, the CPU provider runs.
static inline OrtSessionOptions* options_with_aot(void) {
  OrtSessionOptions* options = NULL;
  check(OrtCreateSessionOptions(&options));
  check(OrtSessionOptionsAppendExecutionProvider(options, "AOT", NULL, NULL, 0));
  return options;
}
