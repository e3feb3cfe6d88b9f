// SPDX-License-Identifier: MIT
// Runs a model that adds 1 to four numbers: run trivial.onnx
#include "sample.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  OrtEnv* env = NULL;
  OrtSession* session = NULL;
  check(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, "run", &env));
  check(OrtCreateSession(env, argv[1], NULL, &session));

  float numbers[4] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  OrtValue* x = tensor_over(numbers, shape, 2);
  OrtValue* y = NULL;  // the run makes it

  const char* const inputs[] = {"x"};
  const char* const outputs[] = {"y"};
  const OrtValue* const values[] = {x};
  check(OrtRun(session, NULL, inputs, values, 1, outputs, 1, &y));
  const void* results = NULL;
  check(OrtGetTensorData(y, &results));
  const float* sums = results;
  printf("%g %g %g %g\n", sums[0], sums[1], sums[2], sums[3]);

  OrtReleaseValue(y);
  OrtReleaseValue(x);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
  return 0;
}
