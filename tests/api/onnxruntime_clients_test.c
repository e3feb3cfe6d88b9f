// SPDX-License-Identifier: MIT
// What programs written for ONNX Runtime rely on: the words that they parse, and what they may give
// through its tables although the library's own functions are stricter.
#include "tests/api/model_editing.h"

static const OrtApi* table(void) { return OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION); }

static OrtStatus* run_with(OrtSession* session, const char* input_name, const OrtValue* input,
                           const char* output_name, OrtValue** output) {
  return OrtRun(session, NULL, &input_name, &input, 1, &output_name, 1, output);
}

// A status whose message begins with these words and has the library's own behind them.
static void check_words(OrtStatus* status, OrtErrorCode code, const char* words, const char* own) {
  assert_non_null(status);
  const char* message = OrtGetErrorMessage(status);
  if (strncmp(message, words, strlen(words)) != 0) complain(__FILE__, __LINE__, words, message);
  CHECK_CONTAINS(message, own);
  assert_int_equal(OrtGetErrorCode(status), code);
  OrtReleaseStatus(status);
}

// Through the tables some sentences stand alone.
static void check_whole(OrtStatus* status, const char* words) {
  assert_non_null(status);
  assert_string_equal(OrtGetErrorMessage(status), words);
  OrtReleaseStatus(status);
}

static OrtValueInfo* scalar_port(const char* name) {
  OrtTypeInfo* type = float_type(NULL, 0);
  OrtValueInfo* value = NULL;
  CHECK_OK(OrtCreateValueInfo(name, type, &value));
  OrtReleaseTypeInfo(type);
  return value;
}

// y = s + s for a scalar s.
static OrtSession* session_of_a_scalar(OrtEnv* env) {
  OrtGraph* graph = new_graph();
  OrtValueInfo *inputs[] = {scalar_port("s")}, *outputs[] = {scalar_port("y")};
  CHECK_OK(OrtSetGraphInputs(graph, inputs, 1));
  CHECK_OK(OrtSetGraphOutputs(graph, outputs, 1));
  add_node(graph, "Add", "add", "s", "s", "y");
  OrtModel* model = model_with(graph);
  OrtSession* session = session_of(env, model);
  OrtReleaseModel(model);
  return session;
}

static void test_scalar__takes_any_tensor_of_one_element(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = session_of_a_scalar(env);
  float numbers[] = {21, 22};
  const int64_t ones[] = {1, 1, 1}, two[] = {2}, none[] = {0};
  for (size_t rank = 0; rank <= 3; ++rank) {
    OrtValue *input = floats_of(numbers, 1, ones, rank), *output = NULL;
    CHECK_OK(run_with(session, "s", input, "y", &output));
    OrtTensorTypeAndShapeInfo* info = NULL;
    size_t found = 7;
    CHECK_OK(OrtGetTensorTypeAndShape(output, &info));
    CHECK_OK(OrtGetDimensionsCount(info, &found));
    assert_int_equal(found, 0);
    assert_true(floats_in(output)[0] == 42);
    OrtReleaseTensorTypeAndShapeInfo(info);
    OrtReleaseValue(output);
    OrtReleaseValue(input);
  }
  OrtValue *many = floats_of(numbers, 2, two, 1), *empty = floats_of(numbers, 0, none, 1);
  OrtValue* output = NULL;
  check_words(run_with(session, "s", many, "y", &output), ORT_INVALID_ARGUMENT,
              "Invalid rank for input: s Got: 1 Expected: 0", "expected float32[], found");
  check_words(run_with(session, "s", empty, "y", &output), ORT_INVALID_ARGUMENT,
              "Invalid rank for input: s Got: 1 Expected: 0", "found float32[0]");
  OrtReleaseValue(many);
  OrtReleaseValue(empty);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_words__of_inputs_that_do_not_fit(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("matmul.onnx"), NULL);
  float numbers[10] = {0};
  const int64_t flat[] = {4}, wide[] = {2, 5}, right[] = {1, 4};
  OrtValue *rank = floats_of(numbers, 4, flat, 1), *dims = floats_of(numbers, 10, wide, 2);
  OrtValue *good = floats_of(numbers, 4, right, 2), *type = NULL, *output = NULL;
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), right, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE,
                                     &type));
  check_words(run_with(session, "x", rank, "y", &output), ORT_INVALID_ARGUMENT,
              "Invalid rank for input: x Got: 1 Expected: 2", "found float32[4]");
  OrtStatus* status = run_with(session, "x", dims, "y", &output);
  CHECK_CONTAINS(OrtGetErrorMessage(status), " index: 1 Got: 5 Expected: 4\n");
  check_words(status, ORT_INVALID_ARGUMENT, "Got invalid dimensions for input: x for the",
              "found float32[2,5]");
  check_words(run_with(session, "x", type, "y", &output), ORT_INVALID_ARGUMENT,
              "Unexpected input data type. Actual: (tensor(double)) , expected: (tensor(float))",
              "input 'x'");
  const char* x_name[] = {"x"};
  const char* y_name[] = {"y"};
  const OrtValue* doubles[] = {type};
  check_whole(table()->Run(session, NULL, x_name, doubles, 1, y_name, 1, &output),
              "Unexpected input data type. Actual: (tensor(double)) , expected: (tensor(float))");
  OrtValue* sequence = NULL;
  CHECK_OK(OrtCreateValue((const OrtValue* const*)&type, 1, ONNX_TYPE_SEQUENCE, &sequence));
  check_words(run_with(session, "x", sequence, "y", &output), ORT_INVALID_ARGUMENT,
              "Unexpected input data type. Actual: (seq(double)) , expected: (tensor(float",
              "input 'x'");
  const char* output_names[] = {"y"};
  check_words(OrtRun(session, NULL, NULL, NULL, 0, output_names, 1, &output), ORT_INVALID_ARGUMENT,
              "Missing Input: x", "is missing");
  const char* input_names[] = {"x"};
  const OrtValue* inputs[] = {good};
  check_words(OrtRun(session, NULL, input_names, inputs, 1, output_names, 0, &output),
              ORT_INVALID_ARGUMENT, "At least one output should be requested.", "output_names_len");
  OrtIoBinding* binding = NULL;
  CHECK_OK(OrtCreateIoBinding(session, &binding));
  check_words(OrtRunWithBinding(session, NULL, binding), ORT_INVALID_ARGUMENT,
              "At least one output should be requested.", "bound");
  assert_null(output);
  OrtReleaseIoBinding(binding);
  OrtValue* values[] = {rank, dims, good, type, sequence};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) OrtReleaseValue(values[i]);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_words__of_given_outputs_that_do_not_fit(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("matmul.onnx"), NULL);
  float numbers[10] = {0};
  const int64_t flat[] = {3}, wide[] = {2, 5}, right[] = {1, 4}, taller[] = {2, 3};
  OrtValue *x = floats_of(numbers, 4, right, 2), *type = NULL;
  OrtValue *rank = floats_of(numbers, 3, flat, 1), *dims = floats_of(numbers, 10, wide, 2);
  OrtValue* rows = floats_of(numbers, 6, taller, 2);
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), taller, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,
                                     &type));
  check_words(run_with(session, "x", x, "y", &rank), ORT_INVALID_ARGUMENT,
              "Invalid rank for output: y Got: 1 Expected: 2", "was provided as float32[3]");
  OrtStatus* status = run_with(session, "x", x, "y", &dims);
  CHECK_CONTAINS(OrtGetErrorMessage(status), " index: 1 Got: 5 Expected: 3\n");
  check_words(status, ORT_INVALID_ARGUMENT, "Got invalid dimensions for output: y for the",
              "was provided as float32[2,5]");
  const char type_words[] =
      "Unexpected output data type. Actual: (tensor(int32)) , expected: (tensor(float))";
  check_words(run_with(session, "x", x, "y", &type), ORT_INVALID_ARGUMENT, type_words,
              "was provided as int32[2,3]");
  const char *x_name[] = {"x"}, *y_name[] = {"y"};
  const OrtValue* inputs[] = {x};
  check_whole(table()->Run(session, NULL, x_name, inputs, 1, y_name, 1, &type), type_words);
  // What the model leaves open is known with the result.
  CHECK_FAILS(run_with(session, "x", x, "y", &rows), ORT_INVALID_ARGUMENT,
              "output 'y' was provided as float32[2,3], expected float32[1,3]");
  OrtValue* values[] = {x, type, rank, dims, rows};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) OrtReleaseValue(values[i]);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_words__of_models_and_keys(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  check_words(OrtCreateSession(env, "no/such.onnx", NULL, &session), ORT_NO_SUCHFILE,
              "Load model from no/such.onnx failed:", "no/such.onnx");
  write_file(temp_path("text.onnx"), "this is not a model", 19);
  char words[700];
  snprintf(words, sizeof words, "Load model from %s failed:", temp_path("text.onnx"));
  check_words(OrtCreateSession(env, temp_path("text.onnx"), NULL, &session), ORT_INVALID_PROTOBUF,
              words, "");
  check_words(OrtCreateSessionFromArray(env, NULL, 0, NULL, &session), ORT_INVALID_ARGUMENT,
              "Model data pointer is null", "'model_data'");
  check_words(OrtCreateSessionFromArray(env, "", 0, NULL, &session), ORT_INVALID_ARGUMENT,
              "Model data pointer is null", "'model_data_length' is 0");
  OrtSessionOptions* options = new_options(NULL);
  check_words(OrtAddSessionConfigEntry(options, "", "1"), ORT_INVALID_ARGUMENT,
              "Config key is empty", "'config_key'");
  check_words(table()->AddSessionConfigEntry(options, "", "1"), ORT_INVALID_ARGUMENT,
              "Config key is empty", "'config_key'");
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_providers__of_the_table_are_those_that_onnxruntime_has(void** state) {
  (void)state;
  char** names = NULL;
  int count = 0;
  CHECK_OK(table()->GetAvailableProviders(&names, &count));
  assert_int_equal(count, 1);
  CHECK_TEXT(names[0], "CPUExecutionProvider");
  CHECK_OK(table()->ReleaseAvailableProviders(names, count));
  CHECK_FAILS(table()->GetAvailableProviders(NULL, &count), ORT_INVALID_ARGUMENT, "'out_ptr'");
  assert_int_equal(count, 0);
  // It is chosen all the same.
  OrtSessionOptions* options = NULL;
  CHECK_OK(table()->CreateSessionOptions(&options));
  CHECK_OK(table()->SessionOptionsAppendExecutionProvider(options, "AOT", NULL, NULL, 0));
  OrtEnv* env = new_env();
  OrtSession* session = new_session(env, DATA("matmul.onnx"), options);
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
  table()->ReleaseSessionOptions(options);
  CHECK_OK(OrtGetAvailableProviders(&names, &count));
  assert_int_equal(count, 2);
  CHECK_OK(OrtReleaseAvailableProviders(names, count));
}

static char log_text[4096];

static void keep_log(void* param, OrtLoggingLevel severity, const char* category, const char* logid,
                     const char* code_location, const char* message) {
  (void)param, (void)severity, (void)category, (void)logid, (void)code_location;
  strncat(log_text, message, sizeof(log_text) - strlen(log_text) - 2);
  strcat(log_text, "\n");
}

static void test_options__that_the_cpu_provider_does_not_have_are_warnings(void** state) {
  (void)state;
  const char *keys[] = {"no_such_option"}, *values[] = {"1"};
  OrtEnv* env = NULL;
  OrtSessionOptions* options = new_options(NULL);
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateEnvWithCustomLogger(keep_log, NULL, ORT_LOGGING_LEVEL_WARNING, "x", &env));
  CHECK_FAILS(OrtSessionOptionsAppendExecutionProvider(options, "CPU", keys, values, 1),
              ORT_INVALID_ARGUMENT, "no_such_option");
  CHECK_OK(table()->SessionOptionsAppendExecutionProvider(options, "CPU", keys, values, 1));
  CHECK_FAILS(table()->SessionOptionsAppendExecutionProvider(options, "AOT", keys, values, 1),
              ORT_INVALID_ARGUMENT, "no_such_option");
  CHECK_OK(OrtCreateSession(env, DATA("matmul.onnx"), options, &session));
  CHECK_CONTAINS(log_text, "no_such_option");
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseSessionOptions(options);

  const OrtEpDevice* const* devices = NULL;
  size_t count = 0;
  CHECK_OK(OrtGetEpDevices(env, &devices, &count));
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(OrtEpDevice_EpName(devices[i]), "CPUExecutionProvider") != 0) continue;
    options = new_options(NULL);
    CHECK_FAILS(
        OrtSessionOptionsAppendExecutionProvider_V2(options, env, &devices[i], 1, keys, values, 1),
        ORT_INVALID_ARGUMENT, "no_such_option");
    CHECK_OK(table()->SessionOptionsAppendExecutionProvider_V2(options, env, &devices[i], 1, keys,
                                                               values, 1));
    OrtReleaseSessionOptions(options);
  }

  OrtMemoryInfo* memory = NULL;
  CHECK_OK(OrtCreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  CHECK_FAILS(
      OrtCreateAndRegisterAllocatorV2(env, "CPUExecutionProvider", memory, NULL, keys, values, 1),
      ORT_INVALID_ARGUMENT, "no options");
  CHECK_OK(table()->CreateAndRegisterAllocatorV2(env, "CPUExecutionProvider", memory, NULL, keys,
                                                 values, 1));
  OrtReleaseMemoryInfo(memory);
  OrtReleaseEnv(env);
}

static void test_words__of_values_and_options_out_of_range(void** state) {
  (void)state;
  const int64_t square[] = {2, 2}, beyond[] = {0, 2}, negative[] = {-2};
  float numbers[4] = {0};
  void* at = NULL;
  OrtValue *value = floats_of(numbers, 4, square, 2), *packed = NULL;
  check_words(OrtTensorAt(value, beyond, 2, &at), ORT_INVALID_ARGUMENT, "invalid location range",
              "'location_values[1]' is 2, expected 0 to 1");
  CHECK_OK(OrtCreateTensorAsOrtValue(allocator(), square, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4,
                                     &packed));
  check_words(OrtTensorAt(packed, square, 2, &at), ORT_INVALID_ARGUMENT,
              "TensorAt does not support sub-byte packed types", "elements of int4");
  OrtReleaseValue(packed);
  OrtReleaseValue(value);

  OrtTensorTypeAndShapeInfo* info = NULL;
  CHECK_OK(OrtCreateTensorTypeAndShapeInfo(&info));
  check_words(OrtSetDimensions(info, negative, 1), ORT_INVALID_ARGUMENT,
              "dim_values must be -1 (symbolic dimension) or larger.", "'dim_values[0]' is -2");
  check_whole(table()->SetDimensions(info, negative, 1),
              "dim_values must be -1 (symbolic dimension) or larger.");
  OrtReleaseTensorTypeAndShapeInfo(info);

  char long_text[8194];
  memset(long_text, '0', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = '\0';
  OrtSessionOptions* options = new_options(NULL);
  check_words(OrtAddSessionConfigEntry(options, "session.x", long_text), ORT_INVALID_ARGUMENT,
              "Config value is longer than maximum length: ", "found 8193 bytes for 'session.x'");
  check_words(OrtAddSessionConfigEntry(options, long_text, "1"), ORT_INVALID_ARGUMENT,
              "Config key is longer than maximum length: ", "found 8193 bytes");
  OrtReleaseSessionOptions(options);
  OrtEnv* env = NULL;
  const OrtEnvCreationOptions unversioned = {0};
  check_words(OrtCreateEnvWithOptions(&unversioned, &env), ORT_INVALID_ARGUMENT,
              "OrtEnvCreationOptions must have its version set equal to ORT_API_VERSION",
              "'options->version' is 0");
  OrtEnvCreationOptions creation = {.version = ORTC_ORT_API_VERSION};
  check_words(OrtCreateEnvWithOptions(&creation, &env), ORT_INVALID_ARGUMENT,
              "OrtEnvCreationOptions must have a valid (non-null) log identifier string",
              "'options->log_id'");
  creation.log_id = "x";
  creation.logging_severity_level = 100;
  check_words(OrtCreateEnvWithOptions(&creation, &env), ORT_INVALID_ARGUMENT,
              "OrtEnvCreationOptions must have a valid logging severity level value from the "
              "OrtLoggingLevel enumeration",
              "100");
}

static void test_words__of_sessions(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  check_words(table()->SessionOptionsAppendExecutionProvider(options, "CoreML", NULL, NULL, 0),
              ORT_INVALID_ARGUMENT, "CoreML execution provider is not supported in this build",
              "there are AotExecutionProvider");
  OrtReleaseSessionOptions(options);
  OrtSession* session = new_session(env, DATA("matmul.onnx"), NULL);
  const OrtEpAssignedSubgraph* const* parts = NULL;
  size_t count = 0;
  check_words(OrtSession_GetEpGraphAssignmentInfo(session, &parts, &count), ORT_FAIL,
              "Session configuration entry 'session.record_ep_graph_assignment_info' must be set "
              "to \"1\"",
              "nothing was recorded");
  OrtReleaseSession(session);
  session = NULL;
  check_words(OrtCreateSessionFromArray(env, "", (size_t)1 << 31, NULL, &session),
              ORT_INVALID_ARGUMENT, "Model data is larger than the maximum supported size",
              "'model_data_length' is 2147483648");
  OrtReleaseEnv(env);
}

static void test_words__of_graphs_that_are_put_together(void** state) {
  (void)state;
  OrtGraph *graph = new_graph(), *other = new_graph();
  OrtValueInfo* twice[] = {port("x", 4), port("x", 4)};
  check_words(OrtSetGraphInputs(graph, twice, 2), ORT_INVALID_ARGUMENT, "Duplicate", "'inputs'");
  OrtReleaseValueInfo(twice[1]);
  OrtValueInfo *input = twice[0], *taken[] = {input};
  CHECK_OK(OrtSetGraphInputs(graph, taken, 1));
  taken[0] = input;
  check_words(OrtSetGraphInputs(other, taken, 1), ORT_INVALID_ARGUMENT,
              "'inputs[0]' has already been added to a graph", "");
  OrtNode* node = new_node("Relu", "relu", "x", NULL, "y");
  CHECK_OK(OrtAddNodeToGraph(graph, node));
  check_words(OrtAddNodeToGraph(other, node), ORT_INVALID_ARGUMENT,
              "'node' has already been added to a graph", "");
  OrtReleaseGraph(other);
  OrtReleaseGraph(graph);

  const float alpha = 1;
  const char *in = "x", *out = "y";
  OrtOpAttr* attributes[2] = {NULL, NULL};
  CHECK_OK(OrtCreateOpAttr("alpha", &alpha, 1, ORT_OP_ATTR_FLOAT, &attributes[0]));
  check_words(OrtCreateNode("Elu", "", "elu", &in, 1, &out, 1, attributes, 2, &node),
              ORT_INVALID_ARGUMENT, "'attributes[1]' is null", "");
  attributes[1] = attributes[0];
  check_words(OrtCreateNode("Elu", "", "elu", &in, 1, &out, 1, attributes, 2, &node),
              ORT_INVALID_ARGUMENT, "Duplicate attribute 'alpha'", "");
  OrtReleaseOpAttr(attributes[0]);
  graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "y", 4);
  add_node(graph, "Add", "add", "x", "missing", "y");
  check_refused(model_with(graph), ORT_INVALID_GRAPH,
                "Node input 'missing' is not a graph input, initializer, or output of a previous "
                "node.");
  graph = new_graph();
  set_input(graph, "x", 4);
  check_refused(model_with(graph), ORT_INVALID_ARGUMENT, "must have at least one output");
}

static void test_model__without_a_graph_is_refused_when_it_is_compiled(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options(NULL);
  OrtModelCompilationOptions* compile = NULL;
  OrtModel* model = new_model("", 17);
  CHECK_OK(OrtCreateModelCompilationOptionsFromSessionOptions(env, options, &compile));
  CHECK_OK(OrtModelCompilationOptions_SetInputModel(compile, model));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, temp_path("none.onnx")));
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_INVALID_ARGUMENT, "the model has no graph");
  OrtReleaseModel(model);
  OrtReleaseModelCompilationOptions(compile);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_memory__has_its_older_names_too(void** state) {
  (void)state;
  const char* names[] = {"WebGPU_Buf", "WebGPU_Buffer", "WebNN_Ten", "WebNN_Tensor"};
  const char* now[] = {"WebGPU_Buf", "WebGPU_Buf", "WebNN_Ten", "WebNN_Ten"};
  for (size_t i = 0; i < 4; ++i) {
    OrtMemoryInfo* memory = NULL;
    const char* name = NULL;
    CHECK_OK(OrtCreateMemoryInfo(names[i], OrtDeviceAllocator, 0, OrtMemTypeDefault, &memory));
    CHECK_OK(OrtMemoryInfoGetName(memory, &name));
    CHECK_TEXT(name, now[i]);
    OrtReleaseMemoryInfo(memory);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scalar__takes_any_tensor_of_one_element),
      cmocka_unit_test(test_words__of_inputs_that_do_not_fit),
      cmocka_unit_test(test_words__of_given_outputs_that_do_not_fit),
      cmocka_unit_test(test_words__of_models_and_keys),
      cmocka_unit_test(test_words__of_values_and_options_out_of_range),
      cmocka_unit_test(test_words__of_sessions),
      cmocka_unit_test(test_words__of_graphs_that_are_put_together),
      cmocka_unit_test(test_model__without_a_graph_is_refused_when_it_is_compiled),
      cmocka_unit_test(test_providers__of_the_table_are_those_that_onnxruntime_has),
      cmocka_unit_test(test_options__that_the_cpu_provider_does_not_have_are_warnings),
      cmocka_unit_test(test_memory__has_its_older_names_too),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
