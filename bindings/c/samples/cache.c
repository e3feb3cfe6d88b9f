// SPDX-License-Identifier: MIT
// Compiles a model once and finds it again: cache MODEL.onnx FOLDER, as often as you like
#include <string.h>

#include "sample.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  OrtEnv* env = NULL;
  OrtSession* session = NULL;
  check(OrtCreateEnv(ORT_LOGGING_LEVEL_WARNING, "cache", &env));
  OrtSessionOptions* options = options_with_aot();
  check(OrtCreateSessionFromCache(env, argv[1], argv[2], options, &session));

  OrtAllocator* allocator = NULL;
  char* report = NULL;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  check(OrtSession_GetReportJson(session, allocator, &report));
  // A program would read the JSON; `cache.result` says where the session came from.
  const char* cache = strstr(report, "\"cache\"");
  const char* result = cache ? strstr(cache, "\"result\"") : NULL;
  printf("%s\n", result && strstr(result, "\"hit\"") ? "found in the cache" : "compiled");
  check(OrtAllocatorFree(allocator, report));

  OrtInspection* entries = NULL;
  const char* list = NULL;
  check(OrtListContextCache(argv[2], &entries));
  check(OrtInspection_GetJson(entries, &list));
  printf("%s\n", list);

  OrtReleaseInspection(entries);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
  return 0;
}
