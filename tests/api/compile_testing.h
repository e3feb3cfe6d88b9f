// SPDX-License-Identifier: MIT
// What the tests of compiling share: an environment, compile options, and what becomes of them.
#pragma once

#include "tests/api/api_testing.h"

static OrtEnv* env;

static inline int set_up(void** state) {
  if (make_temp_folder(state) != 0) return -1;
  return OrtCreateEnv(ORT_LOGGING_LEVEL_ERROR, "test", &env) == NULL ? 0 : -1;
}

static inline int tear_down(void** state) {
  OrtReleaseEnv(env);
  return remove_temp_folder(state);
}

static inline OrtModelCompilationOptions* new_compile(const char* provider) {
  OrtSessionOptions* options = new_options(provider);
  OrtModelCompilationOptions* compile = NULL;
  CHECK_OK(OrtCreateModelCompilationOptionsFromSessionOptions(env, options, &compile));
  OrtReleaseSessionOptions(options);
  assert_non_null(compile);
  return compile;
}

// matmul.onnx to a file of this name.
static inline OrtModelCompilationOptions* compile_to(const char* output) {
  OrtModelCompilationOptions* compile = new_compile("AOT");
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, output));
  return compile;
}

static inline void check_loads(const char* path) {
  OrtSessionOptions* options = new_options("AOT");
  OrtSession* session = NULL;
  CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionsDisableModelCompile, "1"));
  CHECK_OK(OrtCreateSession(env, path, options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
}

static inline void check_loads_bytes(const void* bytes, size_t size, const char* context_path) {
  OrtSessionOptions* options = new_options("AOT");
  OrtSession* session = NULL;
  CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionsDisableModelCompile, "1"));
  if (context_path != NULL) {
    CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionEpContextFilePath, context_path));
  }
  CHECK_OK(OrtCreateSessionFromArray(env, bytes, size, options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
}

// set_up(), and matmul.onnx compiled to m_ctx.onnx.
static inline int set_up_compiled(void** state) {
  if (set_up(state) != 0) return -1;
  OrtModelCompilationOptions* compile = compile_to(temp_path("m_ctx.onnx"));
  CHECK_OK(OrtCompileModel(env, compile));
  OrtReleaseModelCompilationOptions(compile);
  return 0;
}
