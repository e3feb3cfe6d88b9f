// SPDX-License-Identifier: MIT
// The smaller parts of generate.c.
#pragma once

#include "sample.h"

/// The sizes of an input, or of an output, that its model knows, in the places where `shape` has 0.
static inline void known_sizes(OrtTypeInfo* type, int64_t* shape, size_t rank) {
  const OrtTensorTypeAndShapeInfo* info = NULL;
  int64_t sizes[8];
  size_t found = 0;
  check(OrtCastTypeInfoToTensorInfo(type, &info));
  check(OrtGetDimensionsCount(info, &found));
  if (found != rank || rank > 8) exit(2);
  check(OrtGetDimensions(info, sizes, rank));
  for (size_t i = 0; i < rank; i++) shape[i] = shape[i] == 0 ? sizes[i] : shape[i];
  OrtReleaseTypeInfo(type);
}

static inline void input_shape(const OrtSession* session, size_t index, int64_t* shape) {
  OrtTypeInfo* type = NULL;
  check(OrtSessionGetInputTypeInfo(session, index, &type));
  known_sizes(type, shape, 4);
}

/// An input [1, count] over memory of the caller, which stays the caller's.
static inline void bind_numbers(OrtIoBinding* binding, const char* name, int64_t* numbers,
                                int64_t count) {
  const int64_t shape[] = {1, count};
  OrtMemoryInfo* memory = NULL;
  OrtValue* value = NULL;
  check(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  check(OrtCreateTensorWithDataAsOrtValue(memory, numbers, (size_t)count * sizeof(int64_t), shape,
                                          2, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &value));
  check(OrtBindInput(binding, name, value));
  OrtReleaseValue(value);
  OrtReleaseMemoryInfo(memory);
}

/// Runs the model; the token of the highest logit after the last of `count` tokens.
static inline int64_t likeliest(OrtSession* session, OrtIoBinding* binding, int64_t count) {
  OrtTypeInfo* type = NULL;
  int64_t shape[3] = {1, count, 0}, best = 0;
  check(OrtSessionGetOutputTypeInfo(session, 0, &type));
  known_sizes(type, shape, 3);
  float* logits = malloc((size_t)(count * shape[2]) * sizeof(float));
  if (logits == NULL) exit(1);
  OrtValue* value = tensor_over(logits, shape, 3);
  check(OrtBindOutput(binding, "logits", value));
  check(OrtRunWithBinding(session, NULL, binding));
  const float* last = logits + (count - 1) * shape[2];
  for (int64_t i = 1; i < shape[2]; i++) best = last[i] > last[best] ? i : best;
  OrtReleaseValue(value);
  free(logits);
  return best;
}
