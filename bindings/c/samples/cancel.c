// SPDX-License-Identifier: MIT
// Stops a run that would take minutes from another thread: cancel slow.onnx
#include <pthread.h>
#include <time.h>

#include "sample.h"

static void* stop_soon(void* run_options) {
  const struct timespec pause = {0, 100 * 1000 * 1000};
  nanosleep(&pause, NULL);
  check(OrtRunOptionsSetTerminate(run_options));
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  OrtEnv* env = NULL;
  OrtSession* session = NULL;
  OrtRunOptions* run_options = NULL;
  check(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, "cancel", &env));
  check(OrtCreateSession(env, argv[1], NULL, &session));
  check(OrtCreateRunOptions(&run_options));

  int64_t steps = 1000000000;
  OrtMemoryInfo* memory = NULL;
  OrtValue* x = NULL;
  check(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  check(OrtCreateTensorWithDataAsOrtValue(memory, &steps, sizeof(steps), NULL, 0,
                                          ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &x));

  pthread_t thread;
  if (pthread_create(&thread, NULL, stop_soon, run_options) != 0) return 1;
  const char *input = "steps", *output = "y";
  OrtValue* y = NULL;
  OrtStatus* status =
      OrtRun(session, run_options, &input, (const OrtValue* const*)&x, 1, &output, 1, &y);
  pthread_join(thread, NULL);
  printf("%s\n", status ? OrtGetErrorMessage(status) : "not stopped");

  OrtReleaseStatus(status);
  OrtReleaseValue(y);
  OrtReleaseValue(x);
  OrtReleaseMemoryInfo(memory);
  OrtReleaseRunOptions(run_options);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
  return 0;
}
