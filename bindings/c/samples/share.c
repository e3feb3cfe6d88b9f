// SPDX-License-Identifier: MIT
// Two models that share weights: share FIRST.onnx SECOND.onnx FOLDER
#include "sample.h"

// docs: begin
int main(int argc, char** argv) {
  if (argc != 4) return 2;
  OrtEnv* env = NULL;
  OrtSharingGroup* group = NULL;
  OrtSession* sessions[2] = {NULL, NULL};
  char outputs[2][4096];
  const char* names[] = {"first", "second"};
  check(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, "share", &env));
  OrtSessionOptions* session_options = options_with_aot();

  check(OrtCreateSharingGroup(env, &group));
  for (int i = 0; i < 2; i++) {
    snprintf(outputs[i], sizeof(outputs[i]), "%s/%s_ctx.onnx", argv[3], names[i]);
    OrtModelCompilationOptions* options = NULL;
    check(OrtCreateModelCompilationOptionsFromSessionOptions(env, session_options, &options));
    check(OrtModelCompilationOptions_SetInputModelPath(options, argv[1 + i]));
    check(OrtModelCompilationOptions_SetOutputModelPath(options, outputs[i]));
    check(OrtSharingGroup_Add(group, options));
    OrtReleaseModelCompilationOptions(options);
  }
  check(OrtSharingGroup_Commit(group));  // two models and one binary appear here, or nothing
  printf("compiled 3 files\n");

  float ones[256];
  for (int i = 0; i < 256; i++) ones[i] = 1;
  const OrtValue* x = tensor_over(ones, (const int64_t[]){1, 256}, 2);
  const char *input = "x", *output = "y";
  for (int i = 0; i < 2; i++) {
    OrtValue* y = NULL;
    float* four = NULL;
    check(OrtCreateSession(env, outputs[i], session_options, &sessions[i]));
    check(OrtRun(sessions[i], NULL, &input, &x, 1, &output, 1, &y));
    check(OrtGetTensorMutableData(y, (void**)&four));
    printf("%s: %.4f %.4f %.4f %.4f\n", names[i], four[0], four[1], four[2], four[3]);
    OrtReleaseValue(y);
  }

  OrtRunOptions* stop = NULL;
  OrtValue* y = NULL;
  check(OrtCreateRunOptions(&stop));
  check(OrtRunOptionsSetTerminate(stop));  // may come from any thread, also in the middle of runs
  OrtStatus* status = OrtRun(sessions[0], stop, &input, &x, 1, &output, 1, &y);
  if (status != NULL) printf("cancelled\n");

  // Any order of release is right.
  OrtReleaseStatus(status);
  OrtReleaseRunOptions(stop);
  OrtReleaseValue((OrtValue*)x);
  OrtReleaseSharingGroup(group);
  for (int i = 0; i < 2; i++) OrtReleaseSession(sessions[i]);
  OrtReleaseSessionOptions(session_options);
  OrtReleaseEnv(env);
}
// docs: end
