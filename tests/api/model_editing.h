// SPDX-License-Identifier: MIT
// Pieces of models for the tests of the model editor.
#pragma once

#include "tests/api/api_testing.h"

static inline OrtTypeInfo* float_type(const int64_t* dims, size_t rank) {
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
static inline OrtValueInfo* port(const char* name, int64_t columns) {
  const int64_t dims[] = {-1, columns};
  OrtTypeInfo* type = float_type(dims, 2);
  OrtValueInfo* value = NULL;
  CHECK_OK(OrtCreateValueInfo(name, type, &value));
  OrtReleaseTypeInfo(type);
  return value;
}

static inline void set_input(OrtGraph* graph, const char* name, int64_t columns) {
  OrtValueInfo* values[] = {port(name, columns)};
  CHECK_OK(OrtSetGraphInputs(graph, values, 1));
  assert_null(values[0]);
}

static inline void set_output(OrtGraph* graph, const char* name, int64_t columns) {
  OrtValueInfo* values[] = {port(name, columns)};
  CHECK_OK(OrtSetGraphOutputs(graph, values, 1));
  assert_null(values[0]);
}

static inline OrtNode* new_node(const char* op, const char* name, const char* first,
                                const char* second, const char* output) {
  const char* inputs[] = {first, second};
  OrtNode* node = NULL;
  CHECK_OK(OrtCreateNode(op, "", name, inputs, second == NULL ? 1 : 2, &output, 1, NULL, 0, &node));
  return node;
}

static inline void add_node(OrtGraph* graph, const char* op, const char* name, const char* first,
                            const char* second, const char* output) {
  CHECK_OK(OrtAddNodeToGraph(graph, new_node(op, name, first, second, output)));
}

// weight[i][j] = 3 i + j, as in matmul.onnx.
static inline void add_weight(OrtGraph* graph) {
  float numbers[12];
  const int64_t shape[] = {4, 3};
  for (int i = 0; i < 12; ++i) numbers[i] = (float)i;
  OrtValue* value = floats_of(numbers, 12, shape, 2);
  CHECK_OK(OrtAddInitializerToGraph(graph, "weight", value, false));
  // The memory of the caller was copied.
  memset(numbers, 0, sizeof numbers);
}

static inline OrtModel* new_model(const char* domain, int opset) {
  OrtModel* model = NULL;
  CHECK_OK(OrtCreateModel(&domain, &opset, domain == NULL ? 0 : 1, &model));
  return model;
}

static inline OrtGraph* new_graph(void) {
  OrtGraph* graph = NULL;
  CHECK_OK(OrtCreateGraph(&graph));
  assert_non_null(graph);
  return graph;
}

// y = relu(x * weight), its nodes in the wrong order.
static inline OrtModel* relu_model(void) {
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

static inline OrtSession* session_of(const OrtEnv* env, const OrtModel* model) {
  OrtSession* session = NULL;
  CHECK_OK(OrtCreateSessionFromModel(env, model, NULL, &session));
  assert_non_null(session);
  return session;
}

static inline void check_refused(OrtModel* model, OrtErrorCode code, const char* text) {
  OrtEnv* env = new_env();
  OrtSession* session = NULL;
  CHECK_FAILS(OrtCreateSessionFromModel(env, model, NULL, &session), code, text);
  assert_null(session);
  OrtReleaseModel(model);
  OrtReleaseEnv(env);
}

static inline OrtModel* model_with(OrtGraph* graph) {
  OrtModel* model = new_model("", 17);
  CHECK_OK(OrtAddGraphToModel(model, graph));
  return model;
}
