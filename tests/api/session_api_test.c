// SPDX-License-Identifier: MIT
// ort_c/session.h: making sessions, what they say of themselves, and digits read at every level.
#include <math.h>

#include "tests/api/api_testing.h"

static void test_session__runs_from_file_and_from_bytes(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("matmul.onnx"), NULL);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  size_t size = 0;
  char* bytes = read_file(DATA("matmul.onnx"), &size);
  CHECK_OK(OrtCreateSessionFromArray(env, bytes, size, NULL, &session));
  memset(bytes, 0, size);
  free(bytes);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_session__says_why_there_is_no_model(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = (OrtSession*)1;
  CHECK_FAILS(OrtCreateSession(env, DATA("absent.onnx"), NULL, &session), ORT_NO_SUCHFILE,
              "absent.onnx");
  assert_null(session);
  CHECK_FAILS(OrtCreateSession(env, DATA("make_models.py"), NULL, &session), ORT_INVALID_PROTOBUF,
              "");
  CHECK_FAILS(OrtCreateSession(env, ORTC_SOURCE_DIR "/tests", NULL, &session), ORT_INVALID_ARGUMENT,
              "folder");
  CHECK_FAILS(OrtCreateSession(env, "", NULL, &session), ORT_INVALID_ARGUMENT, "'model_path'");
  CHECK_FAILS(OrtCreateSession(env, NULL, NULL, &session), ORT_INVALID_ARGUMENT, "'model_path'");
  CHECK_FAILS(OrtCreateSession(NULL, "x", NULL, &session), ORT_INVALID_ARGUMENT, "'env'");
  CHECK_FAILS(OrtCreateSession(env, "x", NULL, NULL), ORT_INVALID_ARGUMENT, "'out'");
  CHECK_FAILS(OrtCreateSessionFromArray(env, "no model", 8, NULL, &session), ORT_INVALID_PROTOBUF,
              "");
  CHECK_FAILS(OrtCreateSessionFromArray(env, "x", 0, NULL, &session), ORT_INVALID_ARGUMENT,
              "'model_data_length' is 0");
  CHECK_FAILS(OrtCreateSessionFromArray(env, NULL, 1, NULL, &session), ORT_INVALID_ARGUMENT,
              "'model_data'");
  OrtReleaseSession(NULL);
  OrtReleaseEnv(env);
}

static void test_session__names_an_operator_that_nobody_has(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_FAILS(OrtCreateSession(env, DATA("unknown_operator.onnx"), NULL, &session),
              ORT_NOT_IMPLEMENTED, "Mystery");
  OrtReleaseEnv(env);
}

static void check_port(OrtSession* session, bool is_output, const char* name, const char* symbol,
                       int64_t inner) {
  char* found = NULL;
  OrtTypeInfo* type = NULL;
  if (is_output) {
    CHECK_OK(OrtSessionGetOutputName(session, 0, allocator(), &found));
    CHECK_OK(OrtSessionGetOutputTypeInfo(session, 0, &type));
  } else {
    CHECK_OK(OrtSessionGetInputName(session, 0, allocator(), &found));
    CHECK_OK(OrtSessionGetInputTypeInfo(session, 0, &type));
  }
  CHECK_TEXT(found, name);
  free_text(found);
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  int64_t dims[2] = {0, 0};
  const char* symbols[2] = {NULL, NULL};
  CHECK_OK(OrtCastTypeInfoToTensorInfo(type, &tensor));
  CHECK_OK(OrtGetTensorElementType(tensor, &element));
  CHECK_OK(OrtGetDimensionsCount(tensor, &rank));
  CHECK_OK(OrtGetDimensions(tensor, dims, 2));
  CHECK_OK(OrtGetSymbolicDimensions(tensor, symbols, 2));
  assert_int_equal(element, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  assert_int_equal(rank, 2);
  assert_true(dims[0] == -1 && dims[1] == inner);
  CHECK_TEXT(symbols[0], symbol);
  CHECK_TEXT(symbols[1], "");
  OrtReleaseTypeInfo(type);
}

static void test_session__tells_names_and_types(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("matmul.onnx"), NULL);
  OrtReleaseEnv(env);
  size_t count = 0;
  CHECK_OK(OrtSessionGetInputCount(session, &count));
  assert_int_equal(count, 1);
  CHECK_OK(OrtSessionGetOutputCount(session, &count));
  assert_int_equal(count, 1);
  CHECK_OK(OrtSessionGetOverridableInitializerCount(session, &count));
  assert_int_equal(count, 0);
  check_port(session, false, "x", "rows", 4);
  check_port(session, true, "y", "rows", 3);
  char* name = (char*)1;
  OrtTypeInfo* type = (OrtTypeInfo*)1;
  CHECK_FAILS(OrtSessionGetInputName(session, 1, allocator(), &name), ORT_INVALID_ARGUMENT,
              "'index' is 1, expected less than 1");
  assert_null(name);
  CHECK_FAILS(OrtSessionGetOutputTypeInfo(session, 7, &type), ORT_INVALID_ARGUMENT, "'index' is 7");
  assert_null(type);
  CHECK_FAILS(OrtSessionGetInputName(session, 0, NULL, &name), ORT_INVALID_ARGUMENT, "'allocator'");
  CHECK_FAILS(OrtSessionGetInputCount(NULL, &count), ORT_INVALID_ARGUMENT, "'session'");
  OrtReleaseSession(session);
}

static void test_session__lets_a_run_override_initializers(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("described.onnx"), NULL);
  size_t count = 0;
  char* name = NULL;
  OrtTypeInfo* type = NULL;
  CHECK_OK(OrtSessionGetInputCount(session, &count));
  assert_int_equal(count, 1);
  CHECK_OK(OrtSessionGetOverridableInitializerCount(session, &count));
  assert_int_equal(count, 1);
  CHECK_OK(OrtSessionGetOverridableInitializerName(session, 0, allocator(), &name));
  CHECK_TEXT(name, "bias");
  free_text(name);
  CHECK_OK(OrtSessionGetOverridableInitializerTypeInfo(session, 0, &type));
  OrtReleaseTypeInfo(type);

  float x[2] = {1, 2};
  float bias[2] = {100, 200};
  const int64_t shape[] = {2};
  OrtValue* values[] = {floats_of(bias, 2, shape, 1), floats_of(x, 2, shape, 1)};
  const OrtValue* inputs[] = {values[0], values[1]};
  const char* input_names[] = {"bias", "x"};
  const char* output_names[] = {"y"};
  OrtValue* output = NULL;
  CHECK_OK(OrtRun(session, NULL, input_names + 1, inputs + 1, 1, output_names, 1, &output));
  assert_true(floats_in(output)[0] == 11 && floats_in(output)[1] == 22);
  OrtReleaseValue(output);
  output = NULL;
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 2, output_names, 1, &output));
  assert_true(floats_in(output)[0] == 101 && floats_in(output)[1] == 202);
  OrtReleaseValue(output);
  OrtReleaseValue(values[0]);
  OrtReleaseValue(values[1]);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_session__reports_on_itself(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("matmul.onnx"), NULL);
  char* report = NULL;
  CHECK_OK(OrtSession_GetReportJson(session, allocator(), &report));
  assert_true(report[0] == '{' && report[strlen(report) - 1] == '}');
  CHECK_CONTAINS(report, "\"load\"");
  free_text(report);
  CHECK_FAILS(OrtSession_GetReportJson(NULL, allocator(), &report), ORT_INVALID_ARGUMENT,
              "'session'");
  assert_null(report);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_session__reports_on_its_memory(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("matmul.onnx"), NULL);
  char* report = NULL;
  CHECK_OK(OrtSession_GetMemoryReportJson(session, allocator(), &report));
  CHECK_CONTAINS(report, "\"schema\":\"ortc.memory/1\"");
  CHECK_CONTAINS(report, "\"residency\":\"lazy\"");
  CHECK_CONTAINS(report, "\"files\":[");
  free_text(report);
  CHECK_FAILS(OrtSession_GetMemoryReportJson(session, NULL, &report), ORT_INVALID_ARGUMENT,
              "'allocator'");
  assert_null(report);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

// The float payload of a .npy file: format version 1, then a header of the length at byte 8.
static const float* npy_floats(const char* bytes) {
  const size_t header = (unsigned char)bytes[8] + 256u * (unsigned char)bytes[9];
  return (const float*)(const void*)(bytes + 10 + header);
}

static void check_digits(OrtEnv* env, const OrtSessionOptions* options) {
  enum { kImages = 445, kPixels = 64, kClasses = 10 };
  char* images = read_file(DIGITS "test_images.npy", NULL);
  char* logits = read_file(DIGITS "expected_logits.npy", NULL);
  OrtSession* session = new_session(env, DIGITS "digits.onnx", options);
  float* pixels = (float*)malloc(sizeof(float) * kImages * kPixels);
  memcpy(pixels, npy_floats(images), sizeof(float) * kImages * kPixels);
  const int64_t shape[] = {kImages, 1, 8, 8};
  OrtValue* input = floats_of(pixels, kImages * kPixels, shape, 4);
  const OrtValue* inputs[] = {input};
  const char* input_names[] = {"images"};
  const char* output_names[] = {"probabilities", "logits"};
  OrtValue* outputs[2] = {NULL, NULL};
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 1, output_names, 2, outputs));
  const float* found = floats_in(outputs[1]);
  const float* expected = npy_floats(logits);
  for (int i = 0; i < kImages * kClasses; ++i) {
    if (fabsf(found[i] - expected[i]) > 1e-3f + 1e-4f * fabsf(expected[i])) {
      fprintf(stderr, "logit %d: expected %g, found %g\n", i, (double)expected[i],
              (double)found[i]);
      fail();
    }
  }
  const float* chances = floats_in(outputs[0]);
  for (int i = 0; i < kImages; ++i) {
    float sum = 0;
    for (int j = 0; j < kClasses; ++j) sum += chances[i * kClasses + j];
    assert_true(fabsf(sum - 1) < 1e-4f);
  }
  OrtReleaseValue(outputs[0]);
  OrtReleaseValue(outputs[1]);
  OrtReleaseValue(input);
  OrtReleaseSession(session);
  free(pixels);
  free(images);
  free(logits);
}

static void test_session__reads_digits_as_numpy_does(void** state) {
  (void)state;
  static const char* const providers[] = {NULL, "CPU", "AOT"};
  static const GraphOptimizationLevel levels[] = {ORT_DISABLE_ALL, ORT_ENABLE_BASIC,
                                                  ORT_ENABLE_ALL};
  OrtEnv* env = new_env();
  for (int p = 0; p < 3; ++p) {
    for (int level = 0; level < 3; ++level) {
      OrtSessionOptions* options = new_options(providers[p]);
      CHECK_OK(OrtSetSessionGraphOptimizationLevel(options, levels[level]));
      CHECK_OK(OrtSetIntraOpNumThreads(options, 2));
      check_digits(env, options);
      OrtReleaseSessionOptions(options);
    }
  }
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_session__runs_from_file_and_from_bytes),
      cmocka_unit_test(test_session__says_why_there_is_no_model),
      cmocka_unit_test(test_session__names_an_operator_that_nobody_has),
      cmocka_unit_test(test_session__tells_names_and_types),
      cmocka_unit_test(test_session__lets_a_run_override_initializers),
      cmocka_unit_test(test_session__reports_on_itself),
      cmocka_unit_test(test_session__reports_on_its_memory),
      cmocka_unit_test(test_session__reads_digits_as_numpy_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
