// SPDX-License-Identifier: MIT
// Usage: linked_client <version of the interface> <matmul.onnx>
// Linked against a libonnxruntime of some release, run on the shim: prints the three numbers.
#include <stdlib.h>

#include "tests/shim/table_client.h"

const OrtApiBase* OrtGetApiBase(void);
OrtStatus* OrtSessionOptionsAppendExecutionProvider_CPU(OrtSessionOptions* options, int use_arena);

static bool run(uint32_t version, const char* path, float* y) {
  const OrtApi* api = OrtGetApiBase()->GetApi(version);
  if (api == NULL) return false;
  OrtSessionOptions* options = NULL;
  TRY(CreateSessionOptions(&options));
  if (!is_ok(api, OrtSessionOptionsAppendExecutionProvider_CPU(options, 1), "CPU")) return false;
  if (!is_ok(api, OrtSessionOptionsAppendExecutionProvider_CPU(options, 0), "CPU")) return false;
  if (!run_matmul(api, path, options, y)) return false;
  api->ReleaseSessionOptions(options);
  return true;
}

int main(int count, char** arguments) {
  float y[3];
  if (count != 3 || !run((uint32_t)atoi(arguments[1]), arguments[2], y)) return 1;
  printf("%s: %g %g %g\n", OrtGetApiBase()->GetVersionString(), y[0], y[1], y[2]);
  return is_right(y) ? 0 : 1;
}
