// SPDX-License-Identifier: MIT
// The model editor: models made in memory run, compile and give what the same model from a file
// gives; sessions take changes before they are finished.
#include "tests/api/model_editing.h"

static void test_model_editor__makes_models_that_run(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtModel* model = relu_model();
  OrtSession* session = session_of(env, model);
  OrtSession* second = session_of(env, model);
  OrtReleaseModel(model);
  check_matmul_runs(session);
  check_matmul_runs(second);
  int opset = 0;
  CHECK_OK(OrtSessionGetOpsetForDomain(session, "", &opset));
  assert_int_equal(opset, 17);
  CHECK_FAILS(OrtSessionGetOpsetForDomain(session, "none", &opset), ORT_FAIL, "'none'");
  assert_int_equal(opset, 0);
  OrtReleaseSession(session);
  OrtReleaseSession(second);
  OrtReleaseEnv(env);
}

static void test_model_editor__keeps_large_weights_where_they_are(void** state) {
  (void)state;
  static float weights[64 * 3];
  const int64_t shape[] = {64, 3};
  OrtEnv* env = new_env();
  OrtGraph* graph = new_graph();
  set_input(graph, "x", 64);
  set_output(graph, "y", 3);
  add_node(graph, "MatMul", "", "x", "w", "y");
  OrtValue* value = floats_of(weights, 64 * 3, shape, 2);
  CHECK_OK(OrtAddInitializerToGraph(graph, "w", value, true));
  const void* data = NULL;
  CHECK_OK(OrtGetTensorData(value, &data));
  assert_ptr_equal(data, weights);
  // Read when the session is made.
  for (int i = 0; i < 64 * 3; ++i) weights[i] = 1;
  OrtModel* model = model_with(graph);
  OrtSession* session = session_of(env, model);
  float x[64];
  for (int i = 0; i < 64; ++i) x[i] = 2;
  const int64_t x_shape[] = {1, 64};
  OrtValue* input = floats_of(x, 64, x_shape, 2);
  const OrtValue* inputs[] = {input};
  const char* input_names[] = {"x"};
  const char* output_names[] = {"y"};
  OrtValue* output = NULL;
  CHECK_OK(OrtRun(session, NULL, input_names, inputs, 1, output_names, 1, &output));
  assert_true(floats_in(output)[2] == 128);
  OrtReleaseValue(output);
  OrtReleaseValue(input);
  OrtReleaseSession(session);
  OrtReleaseModel(model);
  OrtReleaseEnv(env);
}

static void test_model_editor__gives_nodes_their_attributes(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtGraph* graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "y", 4);
  const float alpha = 0.25f;
  OrtOpAttr* attributes[] = {NULL};
  CHECK_OK(OrtCreateOpAttr("alpha", &alpha, 1, ORT_OP_ATTR_FLOAT, &attributes[0]));
  const char *input = "x", *output = "y";
  OrtNode* node = NULL;
  CHECK_OK(OrtCreateNode("LeakyRelu", "", "leaky", &input, 1, &output, 1, attributes, 1, &node));
  assert_null(attributes[0]);
  const OrtOpAttr* kept = NULL;
  CHECK_OK(OrtNode_GetAttributeByName(node, "alpha", &kept));
  float read = 0;
  size_t size = 0;
  CHECK_OK(OrtReadOpAttr(kept, ORT_OP_ATTR_FLOAT, &read, sizeof read, &size));
  assert_true(read == alpha);
  CHECK_OK(OrtAddNodeToGraph(graph, node));
  OrtModel* model = model_with(graph);
  OrtSession* session = session_of(env, model);
  float x[4] = {-4, 4, -8, 0};
  const int64_t shape[] = {1, 4};
  OrtValue* value = floats_of(x, 4, shape, 2);
  const OrtValue* values[] = {value};
  OrtValue* result = NULL;
  CHECK_OK(OrtRun(session, NULL, &input, values, 1, &output, 1, &result));
  assert_true(floats_in(result)[0] == -1 && floats_in(result)[1] == 4);
  OrtReleaseValue(result);
  OrtReleaseValue(value);
  OrtReleaseSession(session);
  OrtReleaseModel(model);
  OrtReleaseEnv(env);
}

static void test_model_editor__makes_inputs_with_defaults(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtGraph* graph = new_graph();
  OrtValueInfo* inputs[] = {port("x", 4), port("bias", 4)};
  CHECK_OK(OrtSetGraphInputs(graph, inputs, 2));
  set_output(graph, "y", 4);
  add_node(graph, "Add", "add", "x", "bias", "y");
  float bias[4] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  CHECK_OK(OrtAddInitializerToGraph(graph, "bias", floats_of(bias, 4, shape, 2), false));
  OrtModel* model = model_with(graph);
  OrtSession* session = session_of(env, model);
  size_t count = 0;
  CHECK_OK(OrtSessionGetInputCount(session, &count));
  assert_int_equal(count, 1);
  CHECK_OK(OrtSessionGetOverridableInitializerCount(session, &count));
  assert_int_equal(count, 1);
  OrtReleaseSession(session);
  OrtReleaseModel(model);
  OrtReleaseEnv(env);
}

// What the model made here and the one of the file become when they are compiled, byte for byte in
// what they compute.
static void test_model_editor__makes_models_that_compile(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSessionOptions* options = new_options("AOT");
  OrtModelCompilationOptions* compile = NULL;
  CHECK_OK(OrtCreateModelCompilationOptionsFromSessionOptions(env, options, &compile));
  OrtModel* model = relu_model();
  CHECK_OK(OrtModelCompilationOptions_SetInputModel(compile, model));
  // The options keep the model.
  OrtReleaseModel(model);
  CHECK_FAILS(OrtCompileModel(env, compile), ORT_INVALID_ARGUMENT, "path");
  const char* path = temp_path("edited_ctx.onnx");
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, path));
  CHECK_OK(
      OrtModelCompilationOptions_SetFlags(compile, OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED));
  CHECK_OK(OrtCompileModel(env, compile));
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSession(env, path, options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);

  // A model is not used up; the last input counts.
  CHECK_OK(OrtModelCompilationOptions_SetInputModelPath(compile, DATA("matmul.onnx")));
  CHECK_OK(OrtModelCompilationOptions_SetOutputModelPath(compile, temp_path("file_ctx.onnx")));
  CHECK_OK(OrtCompileModel(env, compile));
  CHECK_OK(OrtCreateSession(env, temp_path("file_ctx.onnx"), options, &session));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  OrtReleaseModelCompilationOptions(compile);
  OrtReleaseSessionOptions(options);
  OrtReleaseEnv(env);
}

static void test_model_editor__sessions_take_changes(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateModelEditorSession(env, DATA("matmul.onnx"), NULL, &session));
  size_t count = 0;
  CHECK_OK(OrtSessionGetInputCount(session, &count));
  assert_int_equal(count, 1);
  float x[4] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  OrtValue* input = floats_of(x, 4, shape, 2);
  const OrtValue* inputs[] = {input};
  const char *input_name = "raw", *output_name = "z";
  OrtValue* output = NULL;
  CHECK_FAILS(OrtRun(session, NULL, &input_name, inputs, 1, &output_name, 1, &output), ORT_FAIL,
              "finalized");

  // Before the model: x = neg(raw). Behind it: z = neg(y).
  OrtGraph* graph = new_graph();
  set_input(graph, "raw", 4);
  add_node(graph, "Neg", "before", "raw", NULL, "x");
  OrtModel* model = new_model(NULL, 0);
  CHECK_OK(OrtAddGraphToModel(model, graph));
  CHECK_OK(OrtApplyModelToModelEditorSession(session, model));
  CHECK_FAILS(OrtApplyModelToModelEditorSession(session, model), ORT_INVALID_GRAPH, "'x'");
  OrtReleaseModel(model);
  graph = new_graph();
  set_output(graph, "z", 3);
  add_node(graph, "Neg", "behind", "y", NULL, "z");
  model = new_model(NULL, 0);
  CHECK_OK(OrtAddGraphToModel(model, graph));
  CHECK_OK(OrtApplyModelToModelEditorSession(session, model));

  // What cannot be leaves the session as it is.
  OrtModel* wrong = new_model("", 7);
  OrtGraph* empty = new_graph();
  CHECK_OK(OrtAddGraphToModel(wrong, empty));
  CHECK_FAILS(OrtApplyModelToModelEditorSession(session, wrong), ORT_INVALID_ARGUMENT, "opset");
  OrtReleaseModel(wrong);
  graph = new_graph();
  set_input(graph, "unrelated", 4);
  wrong = new_model(NULL, 0);
  CHECK_OK(OrtAddGraphToModel(wrong, graph));
  CHECK_FAILS(OrtApplyModelToModelEditorSession(session, wrong), ORT_INVALID_GRAPH, "'raw'");
  OrtReleaseModel(wrong);

  CHECK_OK(OrtFinalizeModelEditorSession(session, NULL, NULL));
  CHECK_OK(OrtFinalizeModelEditorSession(session, NULL, NULL));
  CHECK_FAILS(OrtApplyModelToModelEditorSession(session, model), ORT_MODEL_LOADED, "finished");
  CHECK_OK(OrtRun(session, NULL, &input_name, inputs, 1, &output_name, 1, &output));
  assert_true(floats_in(output)[0] == 60 && floats_in(output)[2] == 80);
  OrtReleaseValue(output);
  OrtReleaseValue(input);
  OrtReleaseModel(model);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
}

static void test_model_editor__sessions_begin_in_memory(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  size_t size = 0;
  char* bytes = read_file(DATA("matmul.onnx"), &size);
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateModelEditorSessionFromArray(env, bytes, size, NULL, &session));
  CHECK_OK(OrtFinalizeModelEditorSession(session, NULL, NULL));
  check_matmul_runs(session);
  OrtReleaseSession(session);
  CHECK_FAILS(OrtCreateModelEditorSessionFromArray(env, bytes, 0, NULL, &session),
              ORT_INVALID_ARGUMENT, "model_data_length");
  CHECK_FAILS(OrtCreateModelEditorSessionFromArray(env, "text", 4, NULL, &session),
              ORT_INVALID_PROTOBUF, "model");
  CHECK_FAILS(OrtCreateModelEditorSession(env, "not/there.onnx", NULL, &session), ORT_NO_SUCHFILE,
              "there");
  assert_null(session);
  free(bytes);
  OrtReleaseEnv(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_model_editor__makes_models_that_run),
      cmocka_unit_test(test_model_editor__keeps_large_weights_where_they_are),
      cmocka_unit_test(test_model_editor__gives_nodes_their_attributes),
      cmocka_unit_test(test_model_editor__makes_inputs_with_defaults),
      cmocka_unit_test(test_model_editor__makes_models_that_compile),
      cmocka_unit_test(test_model_editor__sessions_take_changes),
      cmocka_unit_test(test_model_editor__sessions_begin_in_memory),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
