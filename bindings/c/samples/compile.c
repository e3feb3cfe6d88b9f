// SPDX-License-Identifier: MIT
// Compiles a model and says what was written: compile MODEL.onnx MODEL_ctx.onnx
#include "sample.h"

static OrtStatus* show_progress(void* state, const char* stage, const char* detail,
                                double fraction) {
  (void)state;
  fprintf(stderr, "%3.0f%% %s %s\n", 100 * fraction, stage, detail);
  return NULL;  // go on
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  OrtEnv* env = NULL;
  check(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, "compile", &env));
  OrtSessionOptions* session_options = options_with_aot();

  OrtModelCompilationOptions* options = NULL;
  check(OrtCreateModelCompilationOptionsFromSessionOptions(env, session_options, &options));
  check(OrtModelCompilationOptions_SetInputModelPath(options, argv[1]));
  check(OrtModelCompilationOptions_SetOutputModelPath(options, argv[2]));
  check(
      OrtModelCompilationOptions_SetFlags(options, OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED));

  OrtModelCompiler* compiler = NULL;
  check(OrtCreateModelCompiler(env, options, &compiler));
  check(OrtModelCompiler_SetProgress(compiler, show_progress, NULL, NULL));
  check(OrtModelCompiler_Compile(compiler));
  const char* report = NULL;
  check(OrtModelCompiler_GetReportJson(compiler, &report));
  printf("%s\n", report);

  OrtReleaseModelCompiler(compiler);
  OrtReleaseModelCompilationOptions(options);
  OrtReleaseSessionOptions(session_options);
  OrtReleaseEnv(env);
  return 0;
}
