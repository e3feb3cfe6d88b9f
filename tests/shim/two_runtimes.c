// SPDX-License-Identifier: MIT
// Usage: two_runtimes libort_c.so
// Loads libort_c and the real libonnxruntime that ORTC_ORT_LIBRARY names into one process, in both
// orders, with symbols visible to all and not, and runs a model in each. Each time in a process of
// its own. Without the variable it says so and ends with 77.
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/shim/table_client.h"

typedef const OrtApiBase* (*GetBase)(void);

// A table of the library at `path`, whose way in has this name.
static const OrtApi* load(const char* path, const char* name, int mode) {
  void* library = dlopen(path, RTLD_NOW | mode);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
  }
  void* symbol = dlsym(library, name);
  GetBase get_base = NULL;
  memcpy(&get_base, &symbol, sizeof(symbol));
  if (get_base == NULL) {
    fprintf(stderr, "%s has no %s\n", path, name);
    return NULL;
  }
  return get_base()->GetApi(30);
}

// Each runs twice, the second time after the other one.
static bool both_run(const OrtApi* one, const OrtApi* other) {
  const char* path = ORTC_SOURCE_DIR "/tests/data/matmul.onnx";
  for (int round = 0; round < 2; ++round) {
    float y[3] = {0}, z[3] = {0};
    if (!run_matmul(one, path, NULL, y) || !run_matmul(other, path, NULL, z)) return false;
    if (!is_right(y) || memcmp(y, z, sizeof(y)) != 0) return false;
  }
  return one != other;
}

static bool passes(const char* ours, const char* theirs, bool ours_first, int mode) {
  const pid_t child = fork();
  if (child == 0) {
    const OrtApi* api = ours_first ? load(ours, "OrtcGetApiBase", mode) : NULL;
    const OrtApi* other = load(theirs, "OrtGetApiBase", mode);
    if (!ours_first) api = load(ours, "OrtcGetApiBase", mode);
    const bool good = api != NULL && other != NULL && both_run(api, other);
    fflush(stderr);
    exit(good ? 0 : 1);  // with the exit work of both
  }
  int result = 1;
  waitpid(child, &result, 0);
  printf("%s first, %s: %s\n", ours_first ? "libort_c" : "libonnxruntime",
         mode == RTLD_GLOBAL ? "RTLD_GLOBAL" : "RTLD_LOCAL", result == 0 ? "both run" : "FAILED");
  fflush(stdout);
  return result == 0;
}

int main(int count, char** arguments) {
  const char* theirs = getenv("ORTC_ORT_LIBRARY");
  if (count != 2) return 2;
  if (theirs == NULL || *theirs == 0) {
    printf("NOT RUN: set ORTC_ORT_LIBRARY to a libonnxruntime.so of release 1.30 or newer\n");
    return 77;
  }
  bool good = true;
  for (int ours_first = 0; ours_first < 2; ++ours_first) {
    good = passes(arguments[1], theirs, ours_first != 0, RTLD_GLOBAL) && good;
    good = passes(arguments[1], theirs, ours_first != 0, RTLD_LOCAL) && good;
  }
  return good ? 0 : 1;
}
