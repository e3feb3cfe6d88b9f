// SPDX-License-Identifier: MIT
// ort_c/context.h: compatibility and inspection.
#include "tests/api/compile_testing.h"

static void test_compatibility__stands_in_a_compiled_model(void** state) {
  (void)state;
  char* from_file = NULL;
  char* from_bytes = NULL;
  const char* path = temp_path("m_ctx.onnx");
  CHECK_OK(OrtGetCompatibilityInfoFromModel(path, "AotExecutionProvider", allocator(), &from_file));
  assert_non_null(from_file);
  size_t size = 0;
  char* bytes = read_file(path, &size);
  CHECK_OK(OrtGetCompatibilityInfoFromModelBytes(bytes, size, "AotExecutionProvider", allocator(),
                                                 &from_bytes));
  CHECK_TEXT(from_bytes, from_file);
  free(bytes);

  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  OrtCompiledModelCompatibility verdict = OrtCompiledModelCompatibility_EP_UNSUPPORTED;
  CHECK_OK(OrtGetEpDevices(env, &devices, &count));
  CHECK_OK(OrtGetModelCompatibilityForEpDevices(devices, 1, from_file, &verdict));
  assert_int_equal(verdict, OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL);
  CHECK_OK(OrtGetModelCompatibilityForEpDevices(devices + 1, 1, from_file, &verdict));
  assert_int_equal(verdict, OrtCompiledModelCompatibility_EP_NOT_APPLICABLE);
  free_text(from_file);
  free_text(from_bytes);
}

static void test_compatibility__is_absent_where_it_is_not_said(void** state) {
  (void)state;
  char* text = (char*)1;
  CHECK_OK(OrtGetCompatibilityInfoFromModel(DATA("matmul.onnx"), "AotExecutionProvider",
                                            allocator(), &text));
  assert_null(text);
  CHECK_OK(OrtGetCompatibilityInfoFromModel(temp_path("m_ctx.onnx"), "QNNExecutionProvider",
                                            allocator(), &text));
  assert_null(text);
  CHECK_OK(OrtGetCompatibilityInfoFromModel(DATA("foreign_context.onnx"), "QNNExecutionProvider",
                                            allocator(), &text));
  CHECK_TEXT(text, "htp v73");
  free_text(text);
}

static void test_compatibility__tells_what_is_no_model(void** state) {
  (void)state;
  char* text = (char*)1;
  const char* ep = "AotExecutionProvider";
  CHECK_FAILS(OrtGetCompatibilityInfoFromModel(temp_path("absent.onnx"), ep, allocator(), &text),
              ORT_NO_SUCHFILE, "absent.onnx");
  assert_null(text);
  CHECK_FAILS(OrtGetCompatibilityInfoFromModel(DATA("make_models.py"), ep, allocator(), &text),
              ORT_INVALID_GRAPH, "not an ONNX model");
  CHECK_FAILS(OrtGetCompatibilityInfoFromModel(temp_folder, ep, allocator(), &text),
              ORT_INVALID_ARGUMENT, "folder");
  CHECK_FAILS(OrtGetCompatibilityInfoFromModelBytes("abc", 3, ep, allocator(), &text),
              ORT_INVALID_GRAPH, "not an ONNX model");
  size_t size = 0;
  char* bytes = read_file(DATA("matmul.onnx"), &size);
  for (size_t cut = 1; cut < size; ++cut) {
    OrtStatus* status = OrtGetCompatibilityInfoFromModelBytes(bytes, cut, ep, allocator(), &text);
    assert_null(text);
    OrtReleaseStatus(status);
  }
  free(bytes);
}

static void test_compatibility__refuses_impossible_arguments(void** state) {
  (void)state;
  char* text = NULL;
  OrtCompiledModelCompatibility verdict = OrtCompiledModelCompatibility_EP_UNSUPPORTED;
  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetEpDevices(env, &devices, &count));
  CHECK_FAILS(OrtGetCompatibilityInfoFromModel(NULL, "x", allocator(), &text), ORT_INVALID_ARGUMENT,
              "'model_path'");
  CHECK_FAILS(OrtGetCompatibilityInfoFromModel("x", "", allocator(), &text), ORT_INVALID_ARGUMENT,
              "'ep_type'");
  CHECK_FAILS(OrtGetCompatibilityInfoFromModel("x", "x", NULL, &text), ORT_INVALID_ARGUMENT,
              "'allocator'");
  CHECK_FAILS(OrtGetCompatibilityInfoFromModel("x", "x", allocator(), NULL), ORT_INVALID_ARGUMENT,
              "'compatibility_info'");
  CHECK_FAILS(OrtGetCompatibilityInfoFromModelBytes("x", 0, "x", allocator(), &text),
              ORT_INVALID_ARGUMENT, "'model_data_length'");
  CHECK_FAILS(
      OrtGetCompatibilityInfoFromModelBytes("x", (size_t)INT32_MAX + 1, "x", allocator(), &text),
      ORT_INVALID_ARGUMENT, "'model_data_length'");
  CHECK_FAILS(OrtGetModelCompatibilityForEpDevices(devices, 2, "x", &verdict), ORT_INVALID_ARGUMENT,
              "two execution providers");
  assert_int_equal(verdict, OrtCompiledModelCompatibility_EP_NOT_APPLICABLE);
  CHECK_FAILS(OrtGetModelCompatibilityForEpDevices(devices, 0, "x", &verdict), ORT_INVALID_ARGUMENT,
              "'num_ep_devices'");
  CHECK_FAILS(OrtGetModelCompatibilityForEpDevices(NULL, 1, "x", &verdict), ORT_INVALID_ARGUMENT,
              "'ep_devices'");
  CHECK_FAILS(OrtGetModelCompatibilityForEpDevices(devices, 1, NULL, &verdict),
              ORT_INVALID_ARGUMENT, "'compatibility_info'");
  CHECK_FAILS(OrtGetModelCompatibilityForEpDevices(devices, 1, "x", NULL), ORT_INVALID_ARGUMENT,
              "'out_status'");
}

static void check_inspection(const char* path, uint32_t flags, const char* part) {
  OrtInspection* inspection = NULL;
  const char* json = NULL;
  CHECK_OK(OrtInspectFile(path, flags, &inspection));
  CHECK_OK(OrtInspection_GetJson(inspection, &json));
  assert_true(json[0] == '{' && json[strlen(json) - 1] == '}');
  CHECK_CONTAINS(json, part);
  OrtReleaseInspection(inspection);
}

static void test_inspection__describes_models_and_binaries(void** state) {
  (void)state;
  check_inspection(DATA("matmul.onnx"), 0, "\"kind\":\"onnx_model\"");
  check_inspection(temp_path("m_ctx.onnx"), OrtInspectFlags_DETAILS, "\"kind\":\"onnx_model\"");
  check_inspection(temp_path("m_ctx.onnx"), OrtInspectFlags_VERIFY_DATA, "m_aot.bin");
  check_inspection(temp_path("m_aot.bin"), OrtInspectFlags_DETAILS | OrtInspectFlags_VERIFY_DATA,
                   "\"kind\":\"context_binary\"");
  check_inspection(DATA("foreign_context.onnx"), 0, "QNN");
  check_inspection(DATA("matmul.onnx"), OrtInspectFlags_SUMMARY, "\"summary\":{");
  check_inspection(DATA("matmul.onnx"), OrtInspectFlags_STRUCTURE, "\"reads\":[{\"value\":\"");
}

static void test_inspection__tells_what_it_cannot_describe(void** state) {
  (void)state;
  OrtInspection* inspection = (OrtInspection*)1;
  const char* json = (const char*)1;
  CHECK_FAILS(OrtInspectFile(temp_path("absent.onnx"), 0, &inspection), ORT_NO_SUCHFILE,
              "absent.onnx");
  assert_null(inspection);
  CHECK_FAILS(OrtInspectFile(DATA("make_models.py"), 0, &inspection), ORT_INVALID_PROTOBUF, "");
  CHECK_FAILS(OrtInspectFile(DATA("matmul.onnx"), 16, &inspection), ORT_INVALID_ARGUMENT,
              "'flags' is 16");
  CHECK_FAILS(OrtInspectFile("", 0, &inspection), ORT_INVALID_ARGUMENT, "'path'");
  CHECK_FAILS(OrtInspectFile(NULL, 0, &inspection), ORT_INVALID_ARGUMENT, "'path'");
  CHECK_FAILS(OrtInspection_GetJson(NULL, &json), ORT_INVALID_ARGUMENT, "'inspection'");
  assert_null(json);
  OrtReleaseInspection(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compatibility__stands_in_a_compiled_model),
      cmocka_unit_test(test_compatibility__is_absent_where_it_is_not_said),
      cmocka_unit_test(test_compatibility__tells_what_is_no_model),
      cmocka_unit_test(test_compatibility__refuses_impossible_arguments),
      cmocka_unit_test(test_inspection__describes_models_and_binaries),
      cmocka_unit_test(test_inspection__tells_what_it_cannot_describe),
  };
  return cmocka_run_group_tests(tests, set_up_compiled, tear_down);
}
