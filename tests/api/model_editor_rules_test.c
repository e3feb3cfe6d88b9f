// SPDX-License-Identifier: MIT
// The rules of the model editor: names, ownership, and what its objects tell.
#include "tests/api/model_editing.h"

static void test_model_editor_rules__refuses_models_that_cannot_be(void** state) {
  (void)state;
  check_refused(new_model("", 17), ORT_INVALID_ARGUMENT, "no graph");
  OrtGraph* graph = new_graph();
  set_input(graph, "x", 4);
  check_refused(model_with(graph), ORT_INVALID_ARGUMENT, "at least one output");

  graph = new_graph();
  set_output(graph, "y", 4);
  check_refused(model_with(graph), ORT_INVALID_GRAPH, "'y' is defined by nothing");

  graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "y", 4);
  add_node(graph, "Relu", "relu", "gone", NULL, "y");
  check_refused(model_with(graph), ORT_INVALID_GRAPH, "Node input 'gone' is not a graph input");

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

static void test_model_editor_rules__refuses_shapes_that_contradict_in_strict_sessions(
    void** state) {
  (void)state;
  OrtGraph* graph = new_graph();
  set_input(graph, "x", 4);
  set_output(graph, "y", 5);
  add_node(graph, "Relu", "relu", "x", NULL, "y");
  OrtModel* model = model_with(graph);
  OrtEnv* env = new_env();
  OrtReleaseSession(session_of(env, model));
  OrtSessionOptions* options = NULL;
  CHECK_OK(OrtCreateSessionOptions(&options));
  CHECK_OK(OrtAddSessionConfigEntry(options, "session.strict_shape_type_inference", "1"));
  OrtSession* session = NULL;
  CHECK_FAILS(OrtCreateSessionFromModel(env, model, options, &session), ORT_INVALID_GRAPH, "'y'");
  OrtReleaseSessionOptions(options);
  OrtReleaseModel(model);
  OrtReleaseEnv(env);
}

static void test_model_editor_rules__refuses_names_that_are_taken(void** state) {
  (void)state;
  OrtGraph* graph = new_graph();
  OrtValueInfo* twice[] = {port("x", 4), port("x", 4)};
  CHECK_FAILS(OrtSetGraphInputs(graph, twice, 2), ORT_INVALID_ARGUMENT,
              "Duplicate name 'x' in 'inputs'");
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
  CHECK_FAILS(OrtAddInitializerToGraph(graph, "v", value, false), ORT_INVALID_ARGUMENT,
              "has already been added");
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

static void test_model_editor_rules__refuses_what_belongs_elsewhere(void** state) {
  (void)state;
  OrtGraph* graph = new_graph();
  OrtGraph* other = new_graph();
  OrtValueInfo* value = port("x", 4);
  OrtValueInfo* values[] = {value};
  CHECK_OK(OrtSetGraphInputs(graph, values, 1));
  values[0] = value;
  CHECK_FAILS(OrtSetGraphOutputs(other, values, 1), ORT_INVALID_ARGUMENT, "has already been added");
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
  CHECK_FAILS(OrtAddNodeToGraph(graph, node), ORT_INVALID_ARGUMENT, "has already been added");
  CHECK_FAILS(OrtAddNodeToGraph(other, node), ORT_INVALID_ARGUMENT, "has already been added");
  OrtReleaseNode(node);

  float numbers[4] = {0};
  const int64_t shape[] = {4};
  OrtValue* tensor = floats_of(numbers, 4, shape, 1);
  CHECK_OK(OrtAddInitializerToGraph(graph, "w", tensor, false));
  CHECK_FAILS(OrtAddInitializerToGraph(other, "w", tensor, false), ORT_INVALID_ARGUMENT,
              "has already been added");
  OrtReleaseValue(tensor);  // does nothing: it is the graph's

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

static void test_model_editor_rules__refuses_to_change_views(void** state) {
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
  CHECK_FAILS(OrtAddNodeToGraph(graph, (OrtNode*)seen), ORT_INVALID_ARGUMENT,
              "has already been added");
  OrtReleaseGraph(graph);
  OrtReleaseModel(model);
  OrtReleaseNode(node);
  OrtReleaseGraph(view);
  OrtReleaseEnv(env);
}

static void test_model_editor_rules__objects_tell_what_they_were_made_of(void** state) {
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

static void test_model_editor_rules__values_are_tensors(void** state) {
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

static void test_model_editor_rules__types_hold_types(void** state) {
  (void)state;
  const int64_t dims[] = {2};
  OrtTypeInfo* tensor = float_type(dims, 1);
  OrtTypeInfo *map = NULL, *sequence = NULL, *optional = NULL;
  CHECK_OK(OrtCreateMapTypeInfo(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, tensor, &map));
  OrtReleaseTypeInfo(tensor);
  CHECK_OK(OrtCreateSequenceTypeInfo(map, &sequence));
  OrtReleaseTypeInfo(map);
  CHECK_OK(OrtCreateOptionalTypeInfo(sequence, &optional));
  OrtReleaseTypeInfo(sequence);

  const OrtOptionalTypeInfo* outer = NULL;
  CHECK_OK(OrtCastTypeInfoToOptionalTypeInfo(optional, &outer));
  CHECK_OK(OrtGetOptionalContainedTypeInfo(outer, &sequence));
  const OrtSequenceTypeInfo* middle = NULL;
  CHECK_OK(OrtCastTypeInfoToSequenceTypeInfo(sequence, &middle));
  CHECK_OK(OrtGetSequenceElementType(middle, &map));
  const OrtMapTypeInfo* inner = NULL;
  CHECK_OK(OrtCastTypeInfoToMapTypeInfo(map, &inner));
  ONNXTensorElementDataType key = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  CHECK_OK(OrtGetMapKeyType(inner, &key));
  assert_int_equal(key, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  CHECK_OK(OrtGetMapValueType(inner, &tensor));
  const OrtTensorTypeAndShapeInfo* shape = NULL;
  CHECK_OK(OrtCastTypeInfoToTensorInfo(tensor, &shape));
  size_t rank = 0;
  CHECK_OK(OrtGetDimensionsCount(shape, &rank));
  assert_int_equal(rank, 1);
  OrtReleaseTypeInfo(tensor);
  OrtReleaseTypeInfo(map);
  OrtReleaseTypeInfo(sequence);
  OrtReleaseTypeInfo(optional);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_model_editor_rules__refuses_models_that_cannot_be),
      cmocka_unit_test(test_model_editor_rules__refuses_shapes_that_contradict_in_strict_sessions),
      cmocka_unit_test(test_model_editor_rules__refuses_names_that_are_taken),
      cmocka_unit_test(test_model_editor_rules__refuses_what_belongs_elsewhere),
      cmocka_unit_test(test_model_editor_rules__refuses_to_change_views),
      cmocka_unit_test(test_model_editor_rules__objects_tell_what_they_were_made_of),
      cmocka_unit_test(test_model_editor_rules__values_are_tensors),
      cmocka_unit_test(test_model_editor_rules__types_hold_types),
  };
  return cmocka_run_group_tests(tests, make_temp_folder, remove_temp_folder);
}
