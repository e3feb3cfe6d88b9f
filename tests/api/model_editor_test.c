// SPDX-License-Identifier: MIT
// The model editor: models made in memory run, compile and give what the same model from a file
// gives; and what it refuses.
#include "tests/api/api_testing.h"

static OrtTypeInfo* float_type(const int64_t* dims, size_t rank) {
  OrtTensorTypeAndShapeInfo* info = NULL;
  OrtTypeInfo* type = NULL;
  CHECK_OK(OrtCreateTensorTypeAndShapeInfo(&info));
  CHECK_OK(OrtSetTensorElementType(info, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT));
  CHECK_OK(OrtSetDimensions(info, dims, rank));
  CHECK_OK(OrtCreateTensorTypeInfo(info, &type));
  OrtReleaseTensorTypeAndShapeInfo(info);
  return type;
}

// A float matrix with an open number of rows.
static OrtValueInfo* port(const char* name, int64_t columns) {
  const int64_t dims[] = {-1, columns};
  OrtTypeInfo* type = float_type(dims, 2);
  OrtValueInfo* value = NULL;
  CHECK_OK(OrtCreateValueInfo(name, type, &value));
  OrtReleaseTypeInfo(type);
  return value;
}

static void set_input(OrtGraph* graph, const char* name, int64_t columns) {
  OrtValueInfo* values[] = {port(name, columns)};
  CHECK_OK(OrtSetGraphInputs(graph, values, 1));
  assert_null(values[0]);
}

static void set_output(OrtGraph* graph, const char* name, int64_t columns) {
  OrtValueInfo* values[] = {port(name, columns)};
  CHECK_OK(OrtSetGraphOutputs(graph, values, 1));
  assert_null(values[0]);
}

static OrtNode* new_node(const char* op, const char* name, const char* first, const char* second,
                         const char* output) {
  const char* inputs[] = {first, second};
  OrtNode* node = NULL;
  CHECK_OK(OrtCreateNode(op, "", name, inputs, second == NULL ? 1 : 2, &output, 1, NULL, 0, &node));
  return node;
}

static void add_node(OrtGraph* graph, const char* op, const char* name, const char* first,
                     const char* second, const char* output) {
  CHECK_OK(OrtAddNodeToGraph(graph, new_node(op, name, first, second, output)));
}

// weight[i][j] = 3 i + j, as in matmul.onnx.
static void add_weight(OrtGraph* graph) {
  float numbers[12];
  const int64_t shape[] = {4, 3};
  for (int i = 0; i < 12; ++i) numbers[i] = (float)i;
  OrtValue* value = floats_of(numbers, 12, shape, 2);
  CHECK_OK(OrtAddInitializerToGraph(graph, "weight", value, false));
  // The memory of the caller was copied.
  memset(numbers, 0, sizeof numbers);
}

static OrtModel* new_model(const char* domain, int opset) {
  OrtModel* model = NULL;
  CHECK_OK(OrtCreateModel(&domain, &opset, domain == NULL ? 0 : 1, &model));
  return model;
}

static OrtGraph* new_graph(void) {
  OrtGraph* graph = NULL;
  CHECK_OK(OrtCreateGraph(&graph));
  assert_non_null(graph);
  return graph;
}

// y = relu(x * weight), its nodes in the wrong order.
static OrtModel* relu_model(void) {
  OrtGraph* graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "y", 3);
  add_node(graph, "Relu", "relu", "m", NULL, "y");
  add_node(graph, "MatMul", "matmul", "x", "weight", "m");
  add_weight(graph);
  OrtModel* model = new_model("", 17);
  CHECK_OK(OrtAddGraphToModel(model, graph));
  return model;
}

static OrtSession* session_of(const OrtEnv* env, const OrtModel* model) {
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSessionFromModel(env, model, NULL, &session));
  assert_non_null(session);
  return session;
}

static void check_refused(OrtModel* model, OrtErrorCode code, const char* text) {
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_FAILS(OrtCreateSessionFromModel(env, model, NULL, &session), code, text);
  assert_null(session);
  OrtReleaseModel(model);
  OrtReleaseEnv(env);
}

static OrtModel* model_with(OrtGraph* graph) {
  OrtModel* model = new_model("", 17);
  CHECK_OK(OrtAddGraphToModel(model, graph));
  return model;
}

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

static void test_model_editor__refuses_models_that_cannot_be(void** state) {
  (void)state;
  check_refused(new_model("", 17), ORT_INVALID_ARGUMENT, "no graph");
  OrtGraph* graph = new_graph();
  set_input(graph, "x", 4);
  check_refused(model_with(graph), ORT_INVALID_ARGUMENT, "no outputs");

  graph = new_graph();
  set_output(graph, "y", 4);
  check_refused(model_with(graph), ORT_INVALID_GRAPH, "'y' is defined by nothing");

  graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "y", 4);
  add_node(graph, "Relu", "relu", "gone", NULL, "y");
  check_refused(model_with(graph), ORT_INVALID_GRAPH, "'gone' is read");

  graph = new_graph();
  set_output(graph, "a", 4);
  add_node(graph, "Relu", "one", "b", NULL, "a");
  add_node(graph, "Relu", "two", "a", NULL, "b");
  check_refused(model_with(graph), ORT_INVALID_GRAPH, "cycle");

  graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "x", 4);
  add_node(graph, "Relu", "relu", "x", NULL, "x");
  check_refused(model_with(graph), ORT_INVALID_GRAPH, "'x'");

  graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "y", 5);
  add_node(graph, "Relu", "relu", "x", NULL, "y");
  check_refused(model_with(graph), ORT_INVALID_GRAPH, "'y'");

  graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "y", 4);
  add_node(graph, "Relu", "relu", "x", NULL, "y");
  OrtModel* model = new_model(NULL, 0);
  CHECK_OK(OrtAddGraphToModel(model, graph));
  check_refused(model, ORT_INVALID_ARGUMENT, "opset");

  graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "y", 4);
  const char *input = "x", *output = "y";
  OrtNode* node = NULL;
  CHECK_OK(OrtCreateNode("Relu", "strange", "", &input, 1, &output, 1, NULL, 0, &node));
  CHECK_OK(OrtAddNodeToGraph(graph, node));
  check_refused(model_with(graph), ORT_INVALID_GRAPH, "'strange'");
}

static void test_model_editor__refuses_names_that_are_taken(void** state) {
  (void)state;
  OrtGraph* graph = new_graph();
  OrtValueInfo* twice[] = {port("x", 4), port("x", 4)};
  CHECK_FAILS(OrtSetGraphInputs(graph, twice, 2), ORT_INVALID_ARGUMENT, "'x' twice");
  assert_true(twice[0] != NULL && twice[1] != NULL);
  OrtReleaseValueInfo(twice[0]);
  OrtReleaseValueInfo(twice[1]);

  add_node(graph, "Relu", "relu", "x", NULL, "y");
  OrtNode* node = new_node("Relu", "relu", "x", NULL, "z");
  CHECK_FAILS(OrtAddNodeToGraph(graph, node), ORT_INVALID_ARGUMENT, "'relu'");
  OrtReleaseNode(node);
  node = new_node("Relu", "other", "x", NULL, "y");
  CHECK_FAILS(OrtAddNodeToGraph(graph, node), ORT_INVALID_ARGUMENT, "'y'");
  OrtReleaseNode(node);

  float numbers[4] = {0};
  const int64_t shape[] = {4};
  OrtValue* value = floats_of(numbers, 4, shape, 1);
  CHECK_FAILS(OrtAddInitializerToGraph(graph, "y", value, false), ORT_INVALID_ARGUMENT, "'y'");
  CHECK_FAILS(OrtAddInitializerToGraph(graph, "", value, false), ORT_INVALID_ARGUMENT, "'name'");
  CHECK_FAILS(OrtAddInitializerToGraph(graph, "w", value, true), ORT_INVALID_ARGUMENT, "128");
  CHECK_OK(OrtAddInitializerToGraph(graph, "w", value, false));
  CHECK_FAILS(OrtAddInitializerToGraph(graph, "v", value, false), ORT_INVALID_ARGUMENT, "belongs");
  value = floats_of(numbers, 4, shape, 1);
  CHECK_FAILS(OrtAddInitializerToGraph(graph, "w", value, false), ORT_INVALID_ARGUMENT, "'w'");
  OrtReleaseValue(value);
  OrtReleaseGraph(graph);

  const char* domains[] = {"", "ai.onnx"};
  const int versions[] = {17, 0};
  OrtModel* model = NULL;
  CHECK_FAILS(OrtCreateModel(domains, versions, 2, &model), ORT_INVALID_ARGUMENT, "is 0");
  const int opsets[] = {17, 17};
  CHECK_FAILS(OrtCreateModel(domains, opsets, 2, &model), ORT_INVALID_ARGUMENT, "twice");
  assert_null(model);
}

static void test_model_editor__refuses_what_belongs_elsewhere(void** state) {
  (void)state;
  OrtGraph* graph = new_graph();
  OrtGraph* other = new_graph();
  OrtValueInfo* value = port("x", 4);
  OrtValueInfo* values[] = {value};
  CHECK_OK(OrtSetGraphInputs(graph, values, 1));
  values[0] = value;
  CHECK_FAILS(OrtSetGraphOutputs(other, values, 1), ORT_INVALID_ARGUMENT, "belongs");
  OrtReleaseValueInfo(value);  // does nothing: it is the graph's
  const char* name = NULL;
  CHECK_OK(OrtGetValueInfoName(value, &name));
  CHECK_TEXT(name, "x");
  values[0] = NULL;
  CHECK_FAILS(OrtSetGraphInputs(graph, values, 1), ORT_INVALID_ARGUMENT, "must not be NULL");
  size_t count = 0;
  CHECK_OK(OrtGraph_GetNumInputs(graph, &count));
  assert_int_equal(count, 1);

  OrtNode* node = new_node("Relu", "relu", "x", NULL, "y");
  CHECK_OK(OrtAddNodeToGraph(graph, node));
  CHECK_FAILS(OrtAddNodeToGraph(graph, node), ORT_INVALID_ARGUMENT, "belongs");
  CHECK_FAILS(OrtAddNodeToGraph(other, node), ORT_INVALID_ARGUMENT, "belongs");
  OrtReleaseNode(node);

  OrtModel* model = new_model("", 17);
  OrtModel* second = new_model("", 17);
  CHECK_OK(OrtAddGraphToModel(model, graph));
  CHECK_FAILS(OrtAddGraphToModel(model, other), ORT_INVALID_ARGUMENT, "has a graph");
  CHECK_FAILS(OrtAddGraphToModel(second, graph), ORT_INVALID_ARGUMENT, "belongs");
  OrtReleaseGraph(graph);  // does nothing: it is the model's
  set_output(graph, "y", 4);
  OrtReleaseModel(model);
  OrtReleaseModel(second);
  OrtReleaseGraph(other);
}

static void test_model_editor__refuses_to_change_views(void** state) {
  (void)state;
  OrtEnv* env = new_env();
  OrtGraph* view = NULL;
  CHECK_OK(OrtLoadGraph(env, DATA("matmul.onnx"), &view));
  OrtNode* node = new_node("Relu", "relu", "x", NULL, "z");
  OrtModel* model = new_model("", 17);
  CHECK_FAILS(OrtAddNodeToGraph(view, node), ORT_INVALID_ARGUMENT, "view");
  CHECK_FAILS(OrtSetGraphInputs(view, NULL, 0), ORT_INVALID_ARGUMENT, "view");
  CHECK_FAILS(OrtAddGraphToModel(model, view), ORT_INVALID_ARGUMENT, "view");
  const OrtNode* seen = NULL;
  CHECK_OK(OrtGraph_GetNodes(view, &seen, 1));
  OrtGraph* graph = new_graph();
  CHECK_FAILS(OrtAddNodeToGraph(graph, (OrtNode*)seen), ORT_INVALID_ARGUMENT, "belongs");
  OrtReleaseGraph(graph);
  OrtReleaseModel(model);
  OrtReleaseNode(node);
  OrtReleaseGraph(view);
  OrtReleaseEnv(env);
}

static void test_model_editor__objects_tell_what_they_were_made_of(void** state) {
  (void)state;
  OrtGraph* graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "y", 4);
  OrtNode* node = new_node("Add", "add", "x", "x", "y");
  CHECK_OK(OrtAddNodeToGraph(graph, node));
  const char* text = NULL;
  CHECK_OK(OrtGraph_GetName(graph, &text));
  CHECK_TEXT(text, "");
  CHECK_OK(OrtNode_GetOperatorType(node, &text));
  CHECK_TEXT(text, "Add");
  size_t count = 0;
  CHECK_OK(OrtNode_GetNumInputs(node, &count));
  assert_int_equal(count, 2);
  const OrtNode* found = NULL;
  CHECK_OK(OrtGraph_GetNodes(graph, &found, 1));
  assert_ptr_equal(found, node);
  const OrtValueInfo* value = NULL;
  CHECK_OK(OrtGraph_GetOutputs(graph, &value, 1));
  const OrtTypeInfo* type = NULL;
  const OrtTensorTypeAndShapeInfo* tensor = NULL;
  CHECK_OK(OrtGetValueInfoTypeInfo(value, &type));
  CHECK_OK(OrtCastTypeInfoToTensorInfo(type, &tensor));
  int64_t dims[2] = {0, 0};
  CHECK_OK(OrtGetDimensions(tensor, dims, 2));
  assert_true(dims[0] == -1 && dims[1] == 4);

  bool flag = true;
  CHECK_FAILS(OrtValueInfo_IsGraphOutput(value, &flag), ORT_NOT_IMPLEMENTED, "IsGraphOutput");
  assert_false(flag);
  CHECK_FAILS(OrtNode_GetInputs(node, &value, 1), ORT_NOT_IMPLEMENTED, "Node_GetInputs");
  CHECK_FAILS(OrtGraph_GetParentNode(graph, &found), ORT_NOT_IMPLEMENTED, "Graph_GetParentNode");
  OrtReleaseGraph(graph);
}

static void test_model_editor__values_are_tensors(void** state) {
  (void)state;
  const int64_t dims[] = {2};
  OrtTensorTypeAndShapeInfo* info = NULL;
  OrtTypeInfo* sparse = NULL;
  CHECK_OK(OrtCreateTensorTypeAndShapeInfo(&info));
  CHECK_OK(OrtCreateSparseTensorTypeInfo(info, &sparse));
  enum ONNXType kind = ONNX_TYPE_UNKNOWN;
  CHECK_OK(OrtGetOnnxTypeFromTypeInfo(sparse, &kind));
  assert_int_equal(kind, ONNX_TYPE_SPARSETENSOR);
  OrtValueInfo* value = NULL;
  CHECK_FAILS(OrtCreateValueInfo("s", sparse, &value), ORT_NOT_IMPLEMENTED, "CreateValueInfo");
  OrtTypeInfo* tensor = float_type(dims, 1);
  CHECK_FAILS(OrtCreateValueInfo("", tensor, &value), ORT_INVALID_ARGUMENT, "'name'");
  assert_null(value);
  OrtTypeInfo* map = NULL;
  CHECK_FAILS(OrtCreateMapTypeInfo(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, tensor, &map),
              ORT_INVALID_ARGUMENT, "'map_key_type'");
  assert_null(map);
  OrtReleaseTypeInfo(tensor);
  OrtReleaseTypeInfo(sparse);
  OrtReleaseTensorTypeAndShapeInfo(info);
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
      cmocka_unit_test(test_model_editor__refuses_models_that_cannot_be),
      cmocka_unit_test(test_model_editor__refuses_names_that_are_taken),
      cmocka_unit_test(test_model_editor__refuses_what_belongs_elsewhere),
      cmocka_unit_test(test_model_editor__refuses_to_change_views),
      cmocka_unit_test(test_model_editor__objects_tell_what_they_were_made_of),
      cmocka_unit_test(test_model_editor__values_are_tensors),
      cmocka_unit_test(test_model_editor__sessions_take_changes),
      cmocka_unit_test(test_model_editor__sessions_begin_in_memory),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
