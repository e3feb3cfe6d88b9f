// SPDX-License-Identifier: MIT
// ort_c/context_cache.h: sessions by way of a cache, and what is told of it.
#include "tests/api/compile_testing.h"

static OrtSession* cached(const char* model, const char* cache, const OrtSessionOptions* options) {
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSessionFromCache(env, model, cache, options, &session));
  check_matmul_runs(session);
  return session;
}

static void check_session(OrtSession* session, const char* part) {
  char* json = NULL;
  CHECK_OK(OrtSession_GetReportJson(session, allocator(), &json));
  CHECK_CONTAINS(json, part);
  CHECK_OK(OrtAllocatorFree(allocator(), json));
  OrtReleaseSession(session);
}

static void check_report(OrtInspection* report, const char* part) {
  const char* json = NULL;
  CHECK_OK(OrtInspection_GetJson(report, &json));
  CHECK_CONTAINS(json, part);
  OrtReleaseInspection(report);
}

static void test_cache__a_session_is_made_once_and_then_found(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options("AOT");
  char* cache = strdup(temp_path("cache"));
  OrtInspection* report = NULL;
  CHECK_OK(OrtExplainContextCache(env, DATA("matmul.onnx"), cache, options, &report));
  check_report(report, "\"entry\":\"missing\"");
  check_session(cached(DATA("matmul.onnx"), cache, options), "\"cache\":{\"result\":\"made\"");
  check_session(cached(DATA("matmul.onnx"), cache, options), "\"cache\":{\"result\":\"hit\"");
  CHECK_OK(OrtExplainContextCache(env, DATA("matmul.onnx"), cache, options, &report));
  check_report(report, "\"entry\":\"whole\"");
  // The config key says the same to other functions.
  CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionEpContextCacheDir, cache));
  check_session(new_session(env, DATA("matmul.onnx"), options), "\"result\":\"hit\"");
  OrtReleaseSessionOptions(options);
  // Without a provider that compiles there is nothing to keep.
  check_session(cached(DATA("matmul.onnx"), cache, NULL), "\"result\":\"bypassed\"");
  free(cache);
}

static void test_cache__is_listed_verified_and_pruned(void** state) {
  (void)state;
  char* cache = strdup(temp_path("listed"));
  OrtInspection* report = NULL;
  OrtSessionOptions* options = new_options("AOT");
  CHECK_FAILS(OrtListContextCache(cache, &report), ORT_NO_SUCHFILE, "listed");
  OrtReleaseSession(cached(DATA("matmul.onnx"), cache, options));
  CHECK_OK(OrtListContextCache(cache, &report));
  check_report(report, "\"state\":\"whole\",\"source\":\"matmul.onnx\"");
  CHECK_OK(OrtVerifyContextCache(cache, &report));
  check_report(report, "\"sound\":true}");
  // The nearest entry differs in the level alone.
  CHECK_OK(OrtSetSessionGraphOptimizationLevel(options, ORT_ENABLE_BASIC));
  CHECK_OK(OrtExplainContextCache(env, DATA("matmul.onnx"), cache, options, &report));
  check_report(report,
               "\"different\":[{\"part\":\"option session.graph_optimization_level\",\"here\":"
               "\"enable_basic\",\"there\":\"\"}]");
  CHECK_OK(OrtPruneContextCache(cache, UINT64_MAX, &report));
  check_report(report, "\"removed\":[]");
  CHECK_OK(OrtPruneContextCache(cache, 0, &report));
  check_report(report, "\"kept_bytes\":0}");
  CHECK_OK(OrtListContextCache(cache, &report));
  check_report(report, "\"entries\":[],\"bytes\":0");
  OrtReleaseSessionOptions(options);
  free(cache);
}

static void test_cache__damage_is_told(void** state) {
  (void)state;
  char* cache = strdup(temp_path("damaged"));
  char binary[700];
  OrtInspection* report = NULL;
  OrtSessionOptions* options = new_options("AOT");
  OrtReleaseSession(cached(DATA("matmul.onnx"), cache, options));
  CHECK_OK(OrtListContextCache(cache, &report));
  const char* json = NULL;
  CHECK_OK(OrtInspection_GetJson(report, &json));
  const char* key = strstr(json, "\"key\":\"") + 7;
  snprintf(binary, sizeof(binary), "%s/%.2s/%.32s/model_aot.bin", cache, key, key);
  OrtReleaseInspection(report);
  // The last bytes are weights, which are compared on request only.
  size_t size = 0;
  char* bytes = read_file(binary, &size);
  bytes[size - 1] ^= 1;
  bytes[size - 60] ^= 1;
  write_file(binary, bytes, size);
  free(bytes);
  CHECK_OK(OrtVerifyContextCache(cache, &report));
  check_report(report, "\"sound\":false,\"damage\":");
  OrtReleaseSessionOptions(options);
  free(cache);
}

static void test_cache__what_is_wrong_is_refused(void** state) {
  (void)state;
  OrtSession* session = NULL;
  OrtInspection* report = NULL;
  const char* cache = temp_path("refused");
  CHECK_FAILS(OrtCreateSessionFromCache(env, "", cache, NULL, &session), ORT_INVALID_ARGUMENT,
              "'model_path'");
  CHECK_FAILS(OrtCreateSessionFromCache(env, DATA("matmul.onnx"), "", NULL, &session),
              ORT_INVALID_ARGUMENT, "'cache_dir'");
  CHECK_FAILS(OrtCreateSessionFromCache(env, temp_path("none.onnx"), cache, NULL, &session),
              ORT_NO_SUCHFILE, "none.onnx");
  assert_null(session);
  CHECK_FAILS(OrtListContextCache("", &report), ORT_INVALID_ARGUMENT, "'cache_dir'");
  CHECK_FAILS(OrtPruneContextCache(cache, 0, &report), ORT_NO_SUCHFILE, "refused");
  CHECK_FAILS(OrtVerifyContextCache(cache, &report), ORT_NO_SUCHFILE, "refused");
  assert_null(report);
  // A model that is not there is told by the explanation, not by a failure.
  OrtSessionOptions* options = new_options("AOT");
  CHECK_OK(OrtExplainContextCache(env, temp_path("none.onnx"), cache, options, &report));
  check_report(report, "\"entry\":\"bypassed\"");
  OrtReleaseSessionOptions(options);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cache__a_session_is_made_once_and_then_found),
      cmocka_unit_test(test_cache__is_listed_verified_and_pruned),
      cmocka_unit_test(test_cache__damage_is_told),
      cmocka_unit_test(test_cache__what_is_wrong_is_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
