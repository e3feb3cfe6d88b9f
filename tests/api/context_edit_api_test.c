// SPDX-License-Identifier: MIT
// ort_c/context.h: comparing models and changing compiled ones.
#include "tests/api/compile_testing.h"

static void check_report(OrtInspection* report, const char* part) {
  const char* json = NULL;
  CHECK_OK(OrtInspection_GetJson(report, &json));
  CHECK_CONTAINS(json, part);
  OrtReleaseInspection(report);
}

static size_t count_inputs(const char* path) {
  OrtSessionOptions* options = new_options("AOT");
  OrtSession* session = NULL;
  size_t count = 0;
  CHECK_OK(OrtCreateSession(env, path, options, &session));
  CHECK_OK(OrtSessionGetInputCount(session, &count));
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  return count;
}

static void test_pack__gives_a_report_and_a_model_that_loads(void** state) {
  (void)state;
  OrtInspection* report = NULL;
  char* packed = strdup(temp_path("p_ctx.onnx"));
  CHECK_OK(OrtPackModel(temp_path("m_ctx.onnx"), packed, OrtEditFlags_NONE, NULL, NULL, &report));
  check_report(report, "p_ctx.onnx");
  const size_t count = count_inputs(packed);
  assert_true(count >= 1);
  CHECK_FAILS(
      OrtPackModel(temp_path("m_ctx.onnx"), packed, OrtEditFlags_NO_OVERWRITE, NULL, NULL, &report),
      ORT_FAIL, "exists already");
  assert_null(report);
  CHECK_FAILS(OrtPackModel(temp_path("m_ctx.onnx"), packed, 8, NULL, NULL, &report),
              ORT_INVALID_ARGUMENT, "'flags' is 8");
  CHECK_FAILS(OrtPrefixModel(temp_path("m_ctx.onnx"), "p_", packed, OrtEditFlags_EXTERNAL, NULL,
                             NULL, &report),
              ORT_INVALID_ARGUMENT, "'flags' is 4");
  free(packed);
}

static size_t heard;
static double heard_fraction;

// Goes on, or stops at the call that `state` says.
static OrtStatus* hear(void* state, const char* stage, const char* detail, double fraction) {
  (void)detail;
  assert_true(strcmp(stage, "write") == 0 || strcmp(stage, "done") == 0);
  assert_true(fraction >= heard_fraction);
  heard_fraction = fraction;
  heard++;
  if (state == NULL || heard != *(size_t*)state) return NULL;
  return OrtCreateStatus(ORT_MODEL_LOAD_CANCELED, "that is enough");
}

static void test_edits__are_heard_and_stopped_and_leave_nothing(void** state) {
  (void)state;
  OrtInspection* report = NULL;
  char* model = strdup(temp_path("m_ctx.onnx"));
  char* out = strdup(temp_path("heard_ctx.onnx"));
  const char* models[] = {model, model};
  size_t first = 1;
  for (int edit = 0; edit < 3; ++edit) {
    for (int stops = 1; stops >= 0; --stops) {
      void* when = stops ? &first : NULL;
      heard = 0;
      heard_fraction = 0;
      OrtStatus* status = edit == 0 ? OrtPackModel(model, out, 0, hear, when, &report)
                          : edit == 1
                              ? OrtMergeModels(models, 2, NULL, 0, out, 0, hear, when, &report)
                              : OrtPrefixModel(model, "p_", out, 0, hear, when, &report);
      if (stops) {
        CHECK_FAILS(status, ORT_MODEL_LOAD_CANCELED, "that is enough");
        assert_null(report);
        assert_int_equal(heard, 1);
        assert_int_not_equal(access(out, F_OK), 0);
      } else {
        CHECK_OK(status);
        check_report(report, "heard_ctx.onnx");
        assert_true(heard >= 2 && heard_fraction == 1);
        assert_int_equal(unlink(out), 0);
      }
    }
  }
  free(model);
  free(out);
}

static void test_merge__takes_models_and_connections(void** state) {
  (void)state;
  OrtInspection* report = NULL;
  char* model = strdup(temp_path("m_ctx.onnx"));
  char* merged = strdup(temp_path("two_ctx.onnx"));
  const char* models[] = {model, model};
  const char* connections[] = {"1.nothing=2.x"};
  CHECK_OK(OrtMergeModels(models, 2, NULL, 0, merged, OrtEditFlags_NONE, NULL, NULL, &report));
  check_report(report, "\"renamed\":[{\"model\":\"m\"");
  assert_int_equal(count_inputs(merged), 2 * count_inputs(model));
  CHECK_FAILS(
      OrtMergeModels(models, 2, connections, 1, merged, OrtEditFlags_NONE, NULL, NULL, &report),
      ORT_INVALID_ARGUMENT, "1.nothing=2.x");
  CHECK_FAILS(OrtMergeModels(models, 1, NULL, 0, merged, OrtEditFlags_NONE, NULL, NULL, &report),
              ORT_INVALID_ARGUMENT, "two models or more");
  CHECK_FAILS(OrtMergeModels(models, 2, NULL, 1, merged, OrtEditFlags_NONE, NULL, NULL, &report),
              ORT_INVALID_ARGUMENT, "'connections'");
  models[1] = NULL;
  CHECK_FAILS(OrtMergeModels(models, 2, NULL, 0, merged, OrtEditFlags_NONE, NULL, NULL, &report),
              ORT_INVALID_ARGUMENT, "model_paths[1]");
  free(model);
  free(merged);
}

static void test_extract_and_prefix__refuse_what_is_not_there(void** state) {
  (void)state;
  OrtInspection* report = NULL;
  char* out = strdup(temp_path("x_ctx.onnx"));
  CHECK_FAILS(OrtExtractContext(temp_path("m_ctx.onnx"), "nobody", out, 0, NULL, NULL, &report),
              ORT_INVALID_ARGUMENT, "'nobody'");
  CHECK_FAILS(OrtExtractContext(temp_path("m_aot.bin"), "nobody", out, 0, NULL, NULL, &report),
              ORT_INVALID_PROTOBUF, "m_aot.bin");
  CHECK_FAILS(OrtPrefixModel(DATA("matmul.onnx"), "p_", out, 0, NULL, NULL, &report),
              ORT_INVALID_ARGUMENT, "no EPContext nodes");
  CHECK_FAILS(OrtPrefixModel(temp_path("m_ctx.onnx"), "", out, 0, NULL, NULL, &report),
              ORT_INVALID_ARGUMENT, "prefix");
  CHECK_OK(OrtPrefixModel(temp_path("m_ctx.onnx"), "p_", out, 0, NULL, NULL, &report));
  check_report(report, "\"to\":\"p_AOT_");
  assert_true(count_inputs(out) >= 1);
  free(out);
}

static void test_diff__tells_equal_files_from_others(void** state) {
  (void)state;
  OrtInspection* result = NULL;
  char* model = strdup(temp_path("m_ctx.onnx"));
  CHECK_OK(OrtDiffFiles(model, model, &result));
  check_report(result, "\"equal\":true");
  CHECK_OK(OrtDiffFiles(model, DATA("matmul.onnx"), &result));
  check_report(result, "\"equal\":false");
  CHECK_FAILS(OrtDiffFiles(model, temp_path("m_aot.bin"), &result), ORT_INVALID_ARGUMENT,
              "context binary");
  CHECK_FAILS(OrtDiffFiles(model, temp_path("none.onnx"), &result), ORT_NO_SUCHFILE, "none.onnx");
  assert_null(result);
  free(model);
}

static void test_expose__gives_the_bytes_of_a_model(void** state) {
  (void)state;
  void* bytes = (void*)1;
  size_t size = 1;
  CHECK_FAILS(OrtExposeModelValues(temp_path("none.onnx"), allocator(), &bytes, &size),
              ORT_NO_SUCHFILE, "none.onnx");
  assert_null(bytes);
  assert_int_equal(size, 0);
  CHECK_OK(OrtExposeModelValues(DATA("matmul.onnx"), allocator(), &bytes, &size));
  OrtSessionOptions* options = new_options("AOT");
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSessionFromArray(env, bytes, size, options, &session));
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  CHECK_OK(OrtAllocatorFree(allocator(), bytes));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pack__gives_a_report_and_a_model_that_loads),
      cmocka_unit_test(test_edits__are_heard_and_stopped_and_leave_nothing),
      cmocka_unit_test(test_merge__takes_models_and_connections),
      cmocka_unit_test(test_extract_and_prefix__refuse_what_is_not_there),
      cmocka_unit_test(test_diff__tells_equal_files_from_others),
      cmocka_unit_test(test_expose__gives_the_bytes_of_a_model),
  };
  return cmocka_run_group_tests(tests, set_up_compiled, tear_down);
}
