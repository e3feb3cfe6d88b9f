// SPDX-License-Identifier: MIT
// Compiled models made by a session with ep.context_enable=1, and sessions made from them.
#include "tests/api/api_testing.h"

static OrtEnv* env;

static int set_up(void** state) {
  if (make_temp_folder(state) != 0) return -1;
  return OrtCreateEnv(ORT_LOGGING_LEVEL_ERROR, "test", &env) == NULL ? 0 : -1;
}

static int tear_down(void** state) {
  OrtReleaseEnv(env);
  return remove_temp_folder(state);
}

// A folder with a copy of the model, and the path of the copy.
static void begin(const char* name, char* folder, char* model, size_t room) {
  snprintf(folder, room, "%s", new_folder(name));
  snprintf(model, room, "%s/m.onnx", folder);
  copy_file(DATA("matmul.onnx"), model);
}

static OrtSessionOptions* generating(const char* provider) {
  OrtSessionOptions* options = new_options(provider);
  CHECK_OK(OrtAddSessionConfigEntry(options, kOrtSessionOptionEpContextEnable, "1"));
  return options;
}

static void set(OrtSessionOptions* options, const char* key, const char* value) {
  CHECK_OK(OrtAddSessionConfigEntry(options, key, value));
}

static bool exists_in(const char* folder, const char* name) {
  char path[1024];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  return file_exists(path);
}

// Makes a session and runs it.
static void generate(const char* model, const OrtSessionOptions* options) {
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, model, options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
}

static void check_loads(const char* model) {
  OrtSessionOptions* options = new_options("AOT");
  set(options, kOrtSessionOptionsDisableModelCompile, "1");
  generate(model, options);
  OrtReleaseSessionOptions(options);
}

static OrtStatus* create(const char* model, const OrtSessionOptions* options) {
  OrtSession* session = (OrtSession*)1;
  OrtStatus* status = OrtCreateSession(env, model, options, &session);
  if (status != NULL) assert_null(session);
  if (status == NULL) OrtReleaseSession(session);
  return status;
}

static void test_generation__writes_a_model_and_a_binary_beside_it(void** state) {
  (void)state;
  char folder[512], model[512], output[600];
  begin("beside", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("AOT");
  generate(model, options);
  assert_true(exists_in(folder, "m_ctx.onnx"));
  assert_true(exists_in(folder, "m_aot.bin"));
  assert_int_equal(count_files(folder), 3);
  snprintf(output, sizeof(output), "%s/m_ctx.onnx", folder);
  check_loads(output);
  OrtReleaseSessionOptions(options);
}

static void test_generation__embeds_on_request(void** state) {
  (void)state;
  char folder[512], model[512], output[600];
  begin("embedded", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("AOT");
  snprintf(output, sizeof(output), "%s/out.onnx", folder);
  set(options, kOrtSessionOptionEpContextEmbedMode, "1");
  set(options, kOrtSessionOptionEpContextFilePath, output);
  generate(model, options);
  assert_int_equal(count_files(folder), 2);
  check_loads(output);

  // All is in the bytes, so they load from memory too.
  size_t size = 0;
  char* bytes = read_file(output, &size);
  OrtSession* session = NULL;
  OrtSessionOptions* loading = new_options("AOT");
  CHECK_OK(OrtCreateSessionFromArray(env, bytes, size, loading, &session));
  memset(bytes, 0, size);
  free(bytes);
  remove_tree(folder);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(loading);
  OrtReleaseSessionOptions(options);
}

static void test_generation__puts_the_prefix_before_node_names(void** state) {
  (void)state;
  char folder[512], model[512], output[600];
  begin("prefix", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("AOT");
  set(options, kOrtSessionOptionEpContextNodeNamePrefix, "left_part_");
  generate(model, options);
  snprintf(output, sizeof(output), "%s/m_ctx.onnx", folder);
  OrtInspection* inspection = NULL;
  const char* json = NULL;
  CHECK_OK(OrtInspectFile(output, OrtInspectFlags_DETAILS, &inspection));
  CHECK_OK(OrtInspection_GetJson(inspection, &json));
  CHECK_CONTAINS(json, "\"left_part_");
  OrtReleaseInspection(inspection);
  check_loads(output);
  OrtReleaseSessionOptions(options);
}

static void test_generation__of_a_model_from_memory_needs_a_path(void** state) {
  (void)state;
  char folder[512], model[512], output[600];
  begin("memory", folder, model, sizeof(folder));
  size_t size = 0;
  char* bytes = read_file(model, &size);
  OrtSessionOptions* options = generating("AOT");
  OrtSession* session = NULL;
  CHECK_FAILS(OrtCreateSessionFromArray(env, bytes, size, options, &session), ORT_FAIL,
              "ep.context_file_path");
  assert_null(session);
  snprintf(output, sizeof(output), "%s/out_ctx.onnx", folder);
  set(options, kOrtSessionOptionEpContextFilePath, output);
  CHECK_OK(OrtCreateSessionFromArray(env, bytes, size, options, &session));
  OrtReleaseSession(session);
  free(bytes);
  assert_true(exists_in(folder, "out_aot.bin"));
  check_loads(output);

  // A compiled model from memory finds its binary in the folder of the same key.
  bytes = read_file(output, &size);
  OrtSessionOptions* loading = new_options("AOT");
  set(loading, kOrtSessionOptionEpContextFilePath, output);
  CHECK_OK(OrtCreateSessionFromArray(env, bytes, size, loading, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(loading);
  free(bytes);
  OrtReleaseSessionOptions(options);
}

static void test_generation__refuses_paths_that_are_no_file(void** state) {
  (void)state;
  char folder[512], model[512], path[600];
  begin("paths", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("AOT");
  snprintf(path, sizeof(path), "%s/sub/", folder);
  set(options, kOrtSessionOptionEpContextFilePath, path);
  CHECK_FAILS(create(model, options), ORT_INVALID_ARGUMENT, "should not point to a folder");
  snprintf(path, sizeof(path), "%s/sub", folder);
  set(options, kOrtSessionOptionEpContextFilePath, path);
  CHECK_FAILS(create(model, options), ORT_INVALID_ARGUMENT, "should not point to a folder");
  snprintf(path, sizeof(path), "%s/absent/out.onnx", folder);
  set(options, kOrtSessionOptionEpContextFilePath, path);
  CHECK_FAILS(create(model, options), ORT_FAIL, "absent");
  assert_int_equal(count_files(folder), 1);
  OrtReleaseSessionOptions(options);
}

static void test_generation__never_replaces_a_file(void** state) {
  (void)state;
  char folder[512], model[512], output[600];
  begin("exists", folder, model, sizeof(folder));
  snprintf(output, sizeof(output), "%s/m_ctx.onnx", folder);
  write_file(output, "precious", 8);
  OrtSessionOptions* options = generating("AOT");
  CHECK_FAILS(create(model, options), ORT_FAIL, "exists already");
  char* bytes = read_file(output, NULL);
  CHECK_TEXT(bytes, "precious");
  free(bytes);
  assert_int_equal(count_files(folder), 2);
  OrtReleaseSessionOptions(options);
}

static void test_generation__names_a_missing_model(void** state) {
  (void)state;
  OrtSessionOptions* options = generating("AOT");
  CHECK_FAILS(create(temp_path("absent.onnx"), options), ORT_NO_SUCHFILE, "absent.onnx");
  OrtReleaseSessionOptions(options);
}

static void test_generation__writes_nothing_when_nothing_is_compiled(void** state) {
  (void)state;
  char folder[512], model[512];
  begin("cpu", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("CPU");
  generate(model, options);
  assert_int_equal(count_files(folder), 1);
  OrtReleaseSessionOptions(options);
}

static void test_generation__of_a_compiled_model_writes_nothing(void** state) {
  (void)state;
  char folder[512], model[512], output[600];
  begin("again", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("AOT");
  generate(model, options);
  snprintf(output, sizeof(output), "%s/m_ctx.onnx", folder);
  generate(output, options);
  assert_int_equal(count_files(folder), 3);
  OrtReleaseSessionOptions(options);
}

static void test_generation__takes_no_absolute_path_for_initializers(void** state) {
  (void)state;
  char folder[512], model[512];
  begin("absolute", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("AOT");
  set(options, kOrtSessionOptionsEpContextModelExternalInitializersFileName, "/tmp/weights.bin");
  CHECK_FAILS(create(model, options), ORT_RUNTIME_EXCEPTION, "absolute");
  assert_int_equal(count_files(folder), 1);
  OrtReleaseSessionOptions(options);
}

static void test_generation__that_only_compiles_does_not_run(void** state) {
  (void)state;
  char folder[512], model[512];
  begin("only", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("AOT");
  set(options, kOrtSessionOptionCompileOnly, "1");
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, model, options, &session));
  assert_true(exists_in(folder, "m_ctx.onnx"));
  float x[4] = {0};
  const int64_t shape[] = {1, 4};
  OrtValue* input = floats_of(x, 4, shape, 2);
  const OrtValue* inputs[] = {input};
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  OrtValue* output = NULL;
  CHECK_FAILS(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &output), ORT_FAIL,
              "session.compile_only");
  OrtReleaseValue(input);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
}

static void test_loading__says_which_provider_to_add(void** state) {
  (void)state;
  char folder[512], model[512], output[600];
  begin("unchosen", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("AOT");
  generate(model, options);
  snprintf(output, sizeof(output), "%s/m_ctx.onnx", folder);
  CHECK_FAILS(create(output, NULL), ORT_NOT_IMPLEMENTED, "add 'AotExecutionProvider'");
  CHECK_FAILS(create(DATA("foreign_context.onnx"), NULL), ORT_NOT_IMPLEMENTED, "'QNN'");
  OrtReleaseSessionOptions(options);
}

static void test_loading__can_insist_on_compiled_models(void** state) {
  (void)state;
  OrtSessionOptions* options = new_options("AOT");
  set(options, kOrtSessionOptionsDisableModelCompile, "1");
  CHECK_FAILS(create(DATA("matmul.onnx"), options), ORT_MODEL_REQUIRES_COMPILATION,
              "session.disable_model_compile");
  OrtReleaseSessionOptions(options);
}

static void test_loading__notices_a_missing_or_damaged_binary(void** state) {
  (void)state;
  char folder[512], model[512], output[600], binary[600];
  begin("damage", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("AOT");
  generate(model, options);
  snprintf(output, sizeof(output), "%s/m_ctx.onnx", folder);
  snprintf(binary, sizeof(binary), "%s/m_aot.bin", folder);
  OrtSessionOptions* loading = new_options("AOT");
  size_t size = 0;
  char* bytes = read_file(binary, &size);

  write_file(binary, bytes, size / 2);
  CHECK_FAILS(create(output, loading), ORT_INVALID_GRAPH, "m_aot.bin");
  write_file(binary, bytes, 0);
  CHECK_FAILS(create(output, loading), ORT_INVALID_GRAPH, "m_aot.bin");
  assert_int_equal(remove(binary), 0);
  CHECK_FAILS(create(output, loading), ORT_INVALID_GRAPH, "m_aot.bin");
  write_file(binary, bytes, size);
  generate(output, loading);

  free(bytes);
  OrtReleaseSessionOptions(loading);
  OrtReleaseSessionOptions(options);
}

static void test_loading__keeps_working_when_the_files_are_gone(void** state) {
  (void)state;
  char folder[512], model[512], output[600];
  begin("gone", folder, model, sizeof(folder));
  OrtSessionOptions* options = generating("AOT");
  generate(model, options);
  snprintf(output, sizeof(output), "%s/m_ctx.onnx", folder);
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, output, options, &session));
  remove_tree(folder);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_generation__writes_a_model_and_a_binary_beside_it),
      cmocka_unit_test(test_generation__embeds_on_request),
      cmocka_unit_test(test_generation__puts_the_prefix_before_node_names),
      cmocka_unit_test(test_generation__of_a_model_from_memory_needs_a_path),
      cmocka_unit_test(test_generation__refuses_paths_that_are_no_file),
      cmocka_unit_test(test_generation__never_replaces_a_file),
      cmocka_unit_test(test_generation__names_a_missing_model),
      cmocka_unit_test(test_generation__writes_nothing_when_nothing_is_compiled),
      cmocka_unit_test(test_generation__of_a_compiled_model_writes_nothing),
      cmocka_unit_test(test_generation__takes_no_absolute_path_for_initializers),
      cmocka_unit_test(test_generation__that_only_compiles_does_not_run),
      cmocka_unit_test(test_loading__says_which_provider_to_add),
      cmocka_unit_test(test_loading__can_insist_on_compiled_models),
      cmocka_unit_test(test_loading__notices_a_missing_or_damaged_binary),
      cmocka_unit_test(test_loading__keeps_working_when_the_files_are_gone),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
