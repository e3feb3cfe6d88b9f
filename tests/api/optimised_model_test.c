// SPDX-License-Identifier: MIT
// The optimised model as a file, and overrides of dimensions, which hold before it is optimised.
#include "tests/api/api_testing.h"

static int64_t first_dim(OrtSession* session, bool is_output) {
  OrtTypeInfo* type = NULL;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  int64_t dims[2] = {0, 0};
  CHECK_OK(is_output ? OrtSessionGetOutputTypeInfo(session, 0, &type)
                     : OrtSessionGetInputTypeInfo(session, 0, &type));
  CHECK_OK(OrtCastTypeInfoToTensorInfo(type, &tensor));
  CHECK_OK(OrtGetDimensions(tensor, dims, 2));
  OrtReleaseTypeInfo(type);
  return dims[0];
}

static void test_overrides__of_dimensions_hold_before_the_graph_is_optimised(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  for (int by_name = 0; by_name < 2; ++by_name) {
    OrtSessionOptions* options = new_options(NULL);
    OrtSession* session = NULL;
    const char* path = temp_path("fixed.onnx");
    CHECK_OK(by_name ? OrtAddFreeDimensionOverrideByName(options, "n", 3)
                     : OrtAddFreeDimensionOverride(options, "DATA_BATCH", 3));
    CHECK_OK(OrtAddFreeDimensionOverrideByName(options, "nobody has this", 3));
    CHECK_FAILS(OrtAddFreeDimensionOverrideByName(options, "n", -1), ORT_INVALID_ARGUMENT,
                "dim_value");
    CHECK_OK(OrtSetOptimizedModelFilePath(options, path));
    CHECK_OK(OrtCreateSession(env, DATA("foldable.onnx"), options, &session));
    assert_int_equal(first_dim(session, false), 3);
    assert_int_equal(first_dim(session, true), 3);
    // The shape is a constant then: nobody asks for it any more.
    size_t size = 0;
    char* bytes = read_file(path, &size);
    assert_false(has_text(bytes, size, "Shape"));
    free(bytes);
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6];
    run_rows(session, NULL, x, 3, 2, y);
    assert_true(y[0] == 4 && y[5] == 9);
    const int64_t shape[] = {1, 2};
    OrtValue *input = floats_of(x, 2, shape, 2), *output = NULL;
    const OrtValue* inputs[] = {input};
    const char* input_names[] = {"x"};
    const char* output_names[] = {"y"};
    CHECK_FAILS(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &output),
                ORT_INVALID_ARGUMENT, "[3,2]");
    OrtReleaseValue(input);
    OrtReleaseSession(session);
    OrtReleaseSessionOptions(options);
  }
  OrtReleaseEnv(env);
}

static void test_optimised_model__is_written_and_runs(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  const char* path = temp_path("optimised.onnx");
  CHECK_OK(OrtSetOptimizedModelFilePath(options, path));
  CHECK_OK(OrtCreateSession(env, DATA("foldable.onnx"), options, &session));
  OrtReleaseSession(session);
  // The node over constants is gone.
  size_t size = 0;
  char* bytes = read_file(path, &size);
  assert_false(has_text(bytes, size, "constants"));
  assert_true(has_text(bytes, size, "addition"));
  // Domains that ONNX Runtime's own have.
  assert_true(has_text(bytes, size, "com.ms.internal.nhwc"));
  assert_true(has_text(bytes, size, "com.microsoft.nchwc"));
  free(bytes);
  CHECK_OK(OrtCreateSession(env, path, NULL, &session));
  float x[4] = {1, 2, 3, 4}, y[4];
  run_rows(session, NULL, x, 2, 2, y);
  assert_true(y[0] == 4 && y[3] == 7);
  OrtReleaseSession(session);

  // Weights in a file of their own.
  const char* folder = new_folder("optimised");
  char model[512], weights[512];
  snprintf(model, sizeof(model), "%s/m.onnx", folder);
  snprintf(weights, sizeof(weights), "%s/m.weights", folder);
  CHECK_OK(OrtSetOptimizedModelFilePath(options, model));
  CHECK_OK(OrtAddSessionConfigEntry(
      options, "session.optimized_model_external_initializers_file_name", "m.weights"));
  CHECK_OK(OrtAddSessionConfigEntry(
      options, "session.optimized_model_external_initializers_min_size_in_bytes", "64"));
  CHECK_OK(OrtCreateSession(env, DATA("layers.onnx"), options, &session));
  OrtReleaseSession(session);
  assert_true(file_exists(weights));
  free(read_file(weights, &size));
  assert_true(size >= 64 * 64 * 4);
  CHECK_OK(OrtCreateSession(env, model, NULL, &session));
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_optimised_model__keeps_small_weights_close_together(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  const char* folder = new_folder("close");
  char model[512], weights[512];
  snprintf(model, sizeof(model), "%s/m.onnx", folder);
  snprintf(weights, sizeof(weights), "%s/m.weights", folder);
  CHECK_OK(OrtSetOptimizedModelFilePath(options, model));
  CHECK_OK(OrtAddSessionConfigEntry(
      options, "session.optimized_model_external_initializers_file_name", "m.weights"));
  CHECK_OK(OrtAddSessionConfigEntry(
      options, "session.optimized_model_external_initializers_min_size_in_bytes", "1"));
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  // w[4,3] and the like: nothing but the numbers.
  size_t size = 0;
  char* bytes = read_file(weights, &size);
  assert_int_equal(size, 4 * 3 * 4);
  CHECK_OK(OrtCreateSession(env, model, NULL, &session));
  OrtReleaseSession(session);
  // Its hash is looked at, since it has no other mark.
  bytes[5] ^= 1;
  write_file(weights, bytes, size);
  CHECK_FAILS(OrtCreateSession(env, model, NULL, &session), ORT_INVALID_GRAPH, "the hash");
  write_file(weights, bytes, size - 1);
  OrtStatus* status = OrtCreateSession(env, model, NULL, &session);
  assert_non_null(status);
  OrtReleaseStatus(status);
  free(bytes);
  OrtReleaseEnv(env);
}

static void test_optimised_model__says_why_it_is_not_written(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  const struct {
    const char *name, *key, *value;
    OrtErrorCode code;
    const char* text;
  } cases[] = {
      {"no/folder/m.onnx", "session.log_id", "x", ORT_INVALID_ARGUMENT, "no/folder"},
      {"m.ort", "session.log_id", "x", ORT_NOT_IMPLEMENTED, "ORT format"},
      {"m.onnx", "session.optimized_model_external_initializers_file_name", "../w",
       ORT_INVALID_ARGUMENT, "without folders"},
      {"m.onnx", "ep.context_enable", "1", ORT_FAIL, "compiled nodes"},
  };
  char out[512];
  snprintf(out, sizeof(out), "%s/out_ctx.onnx", temp_folder);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    OrtSessionOptions* options = new_options("AOT");
    const char* path = temp_path(cases[i].name);
    CHECK_OK(OrtSetOptimizedModelFilePath(options, path));
    CHECK_OK(OrtAddSessionConfigEntry(options, "ep.context_file_path", out));
    CHECK_OK(OrtAddSessionConfigEntry(options, cases[i].key, cases[i].value));
    CHECK_FAILS(OrtCreateSession(env, DATA("matmul.onnx"), options, &session), cases[i].code,
                cases[i].text);
    assert_false(file_exists(path));
    OrtReleaseSessionOptions(options);
  }
  OrtSessionOptions* options = new_options(NULL);
  CHECK_FAILS(
      OrtAddSessionConfigEntry(
          options, "session.optimized_model_external_initializers_min_size_in_bytes", "much"),
      ORT_INVALID_ARGUMENT, "a number of bytes");
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

// Execution providers take their parts behind it, those that compile among them.
static void test_optimised_model__is_written_whichever_provider_runs_it(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options("AOT");
  OrtSession* session = NULL;
  const char* path = temp_path("before_aot.onnx");
  CHECK_OK(OrtSetOptimizedModelFilePath(options, path));
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
  session = new_session(env, path, NULL);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_optimised_model__is_nothing_to_compiles(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options("AOT");
  OrtModelCompilationOptions* compile = NULL;
  const char* path = temp_path("not_of_compiles.onnx");
  CHECK_OK(OrtSetOptimizedModelFilePath(options, path));
  CHECK_OK(OrtCreateModelCompilationOptionsFromSessionOptions(env, options, &compile));
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, temp_path("of_compiles.onnx")));
  CHECK_OK(OrtCompileModel(env, compile));
  assert_false(file_exists(temp_path("not_of_compiles.onnx")));
  assert_true(file_exists(temp_path("of_compiles.onnx")));
  OrtReleaseModelCompilationOptions(compile);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_overrides__of_dimensions_hold_before_the_graph_is_optimised),
      cmocka_unit_test(test_optimised_model__is_written_and_runs),
      cmocka_unit_test(test_optimised_model__keeps_small_weights_close_together),
      cmocka_unit_test(test_optimised_model__is_written_whichever_provider_runs_it),
      cmocka_unit_test(test_optimised_model__is_nothing_to_compiles),
      cmocka_unit_test(test_optimised_model__says_why_it_is_not_written),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
