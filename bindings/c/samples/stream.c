// SPDX-License-Identifier: MIT
// Compiles a model into whatever takes bytes, here stdout: stream MODEL.onnx > MODEL_ctx.onnx
#include "sample.h"

static OrtStatus* write_to_file(void* state, const void* buffer, size_t buffer_num_bytes) {
  if (fwrite(buffer, 1, buffer_num_bytes, state) == buffer_num_bytes) return NULL;
  return OrtCreateStatus(ORT_FAIL, "stdout takes no more bytes");  // the compile fails with this
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  OrtEnv* env = NULL;
  check(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, "stream", &env));
  OrtSessionOptions* session_options = options_with_aot();

  OrtModelCompilationOptions* options = NULL;
  check(OrtCreateModelCompilationOptionsFromSessionOptions(env, session_options, &options));
  check(OrtModelCompilationOptions_SetInputModelPath(options, argv[1]));
  check(OrtModelCompilationOptions_SetOutputModelWriteFunc(options, write_to_file, stdout));
  check(OrtModelCompilationOptions_SetEpContextEmbedMode(options, true));  // one file, no binary
  check(OrtCompileModel(env, options));
  if (fflush(stdout) != 0) return 1;

  OrtReleaseModelCompilationOptions(options);
  OrtReleaseSessionOptions(session_options);
  OrtReleaseEnv(env);
  return 0;
}
