// SPDX-License-Identifier: MIT
// What one run costs: overhead trivial.onnx ITERATIONS prints the median over batches of 1000 runs.
// The same program in each language says what its binding adds.
#include <time.h>

#include "sample.h"

enum { kBatch = 1000 };

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left;
  const double b = *(const double*)right;
  return (a > b) - (a < b);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const long batches = atol(argv[2]) / kBatch;
  if (batches < 1) return 2;
  OrtEnv* env = NULL;
  OrtSession* session = NULL;
  check(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, "overhead", &env));
  check(OrtCreateSession(env, argv[1], NULL, &session));
  float numbers[4] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  OrtValue* x = tensor_over(numbers, shape, 2);
  const char *input = "x", *output = "y";

  double* means = malloc((size_t)batches * sizeof(double));
  if (means == NULL) return 1;
  for (long batch = 0; batch < batches; batch++) {
    const double start = now_ns();
    for (int i = 0; i < kBatch; i++) {
      OrtValue* y = NULL;
      check(OrtRun(session, NULL, &input, (const OrtValue* const*)&x, 1, &output, 1, &y));
      OrtReleaseValue(y);
    }
    means[batch] = (now_ns() - start) / kBatch;
  }
  qsort(means, (size_t)batches, sizeof(double), compare);
  printf("median_ns %.0f\n", means[batches / 2]);

  free(means);
  OrtReleaseValue(x);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
  return 0;
}
