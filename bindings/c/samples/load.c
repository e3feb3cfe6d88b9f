// SPDX-License-Identifier: MIT
// Loads a model and says what it takes and gives: load MODEL_ctx.onnx
#include "sample.h"

typedef OrtStatus* (*Name)(const OrtSession*, size_t, OrtAllocator*, char**);
typedef OrtStatus* (*Type)(const OrtSession*, size_t, OrtTypeInfo**);

static void print_port(const OrtSession* session, const char* what, size_t index, Name name_of,
                       Type type_of) {
  OrtAllocator* allocator = NULL;
  char* name = NULL;
  OrtTypeInfo* type = NULL;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  check(name_of(session, index, allocator, &name));
  check(type_of(session, index, &type));
  check(OrtCastTypeInfoToTensorInfo(type, &tensor));

  int64_t shape[8] = {0};
  size_t rank = 0;
  check(OrtGetDimensionsCount(tensor, &rank));
  check(OrtGetDimensions(tensor, shape, rank < 8 ? rank : 8));
  printf("%s %s:", what, name);
  for (size_t i = 0; i < rank && i < 8; i++) printf(" %lld", (long long)shape[i]);
  printf("\n");
  OrtReleaseTypeInfo(type);
  check(OrtAllocatorFree(allocator, name));
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  OrtEnv* env = NULL;
  OrtSession* session = NULL;
  check(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, "load", &env));
  OrtSessionOptions* options = options_with_aot();
  check(OrtCreateSession(env, argv[1], options, &session));

  size_t inputs = 0;
  size_t outputs = 0;
  check(OrtSessionGetInputCount(session, &inputs));
  check(OrtSessionGetOutputCount(session, &outputs));
  for (size_t i = 0; i < inputs; i++) {
    print_port(session, "input", i, OrtSessionGetInputName, OrtSessionGetInputTypeInfo);
  }
  for (size_t i = 0; i < outputs; i++) {
    print_port(session, "output", i, OrtSessionGetOutputName, OrtSessionGetOutputTypeInfo);
  }
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
  return 0;
}
