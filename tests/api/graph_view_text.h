// SPDX-License-Identifier: MIT
// A graph as text, with nothing but the C interface: every question that it has about graphs,
// nodes, values and initializers is asked once for each of them. A line of a value:
//
//   m float32[2] <- mm.0 -> relu.0 if.* output
//
// is made by the first output of mm, read by the first input of relu and by sub-graphs of if.
#pragma once

#include <string>
#include <vector>

#include "core/base/str_cat.h"
#include "ort_c/ort_c.h"
#include "tests/api/check_c.h"
#include "tests/support/test.h"

namespace ortc::test {

// An array that a pair of functions tells: how many, then which.
template <typename T, typename Object>
std::vector<const T*> list_of(const Object* object, OrtStatus* (*count)(const Object*, size_t*),
                              OrtStatus* (*list)(const Object*, const T**, size_t)) {
  size_t size = 0;
  CHECK_C(count(object, &size));
  std::vector<const T*> items(size);
  CHECK_C(list(object, items.data(), size));
  if (size != 0) CHECK_C_CODE(list(object, items.data(), size - 1), ORT_INVALID_ARGUMENT);
  return items;
}

template <typename Object>
std::string text_from(const Object* object, OrtStatus* (*get)(const Object*, const char**)) {
  const char* text = nullptr;
  CHECK_C(get(object, &text));
  CHECK(text != nullptr);
  return text;
}

template <typename Object>
bool flag_of(const Object* object, OrtStatus* (*get)(const Object*, bool*)) {
  bool flag = false;
  CHECK_C(get(object, &flag));
  return flag;
}

inline std::string name_of(const OrtValueInfo* value) {
  return value == nullptr ? "-" : text_from(value, OrtGetValueInfoName);
}
inline std::string name_of(const OrtNode* node) { return text_from(node, OrtNode_GetName); }

inline std::string type_of(const OrtValueInfo* value) {
  const OrtTypeInfo* type = nullptr;
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  CHECK_C(OrtGetValueInfoTypeInfo(value, &type));
  CHECK_C(OrtCastTypeInfoToTensorInfo(type, &tensor));
  if (tensor == nullptr) return "no tensor";
  ONNXTensorElementDataType element{};
  CHECK_C(OrtGetTensorElementType(tensor, &element));
  const bool is_float = element == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  std::string text = is_float ? "float32" : "type " + std::to_string(element);
  if (!OrtTensorTypeAndShape_HasShape(tensor)) return text;
  size_t rank = 0;
  CHECK_C(OrtGetDimensionsCount(tensor, &rank));
  std::vector<int64_t> dims(rank);
  CHECK_C(OrtGetDimensions(tensor, dims.data(), rank));
  std::string shape;
  for (int64_t dim : dims) shape += (shape.empty() ? "" : ",") + std::to_string(dim);
  return text + "[" + shape + "]";
}

// "= 1.5" for the first element, "= weights.bin@16+8" for one in a file.
inline std::string initializer_of(const OrtValueInfo* value) {
  const OrtValue* tensor = nullptr;
  CHECK_C(OrtValueInfo_GetInitializerValue(value, &tensor));
  OrtExternalInitializerInfo* place = nullptr;
  CHECK_C(OrtValueInfo_GetExternalInitializerInfo(value, &place));
  if (tensor == nullptr) {
    CHECK(place == nullptr);
    return "";
  }
  const OrtValue* again = nullptr;
  CHECK_C(OrtValueInfo_GetInitializerValue(value, &again));
  CHECK(again == tensor);
  const void* data = nullptr;
  CHECK_C(OrtGetTensorData(tensor, &data));
  std::string text = str_cat(" = ", *static_cast<const float*>(data));
  if (place != nullptr) {
    text += str_cat(" ", OrtExternalInitializerInfo_GetFilePath(place), "@",
                    OrtExternalInitializerInfo_GetFileOffset(place), "+",
                    OrtExternalInitializerInfo_GetByteSize(place));
  }
  OrtReleaseExternalInitializerInfo(place);
  return text;
}

inline std::string describe(const OrtValueInfo* value) {
  std::string text = name_of(value) + " " + type_of(value);
  const OrtNode* producer = nullptr;
  size_t output = 0;
  CHECK_C(OrtValueInfo_GetValueProducer(value, &producer, &output));
  if (producer != nullptr) text += str_cat(" <- ", name_of(producer), ".", output);
  size_t count = 0;
  CHECK_C(OrtValueInfo_GetValueNumConsumers(value, &count));
  std::vector<const OrtNode*> nodes(count);
  std::vector<int64_t> inputs(count);
  CHECK_C(OrtValueInfo_GetValueConsumers(value, nodes.data(), inputs.data(), count));
  for (size_t i = 0; i < count; ++i) {
    text += str_cat(i == 0 ? " -> " : " ", name_of(nodes[i]), ".",
                    inputs[i] < 0 ? std::string("*") : std::to_string(inputs[i]));
  }
  if (flag_of(value, OrtValueInfo_IsRequiredGraphInput)) text += " input";
  if (flag_of(value, OrtValueInfo_IsOptionalGraphInput)) text += " optional-input";
  if (flag_of(value, OrtValueInfo_IsGraphOutput)) text += " output";
  if (flag_of(value, OrtValueInfo_IsConstantInitializer)) text += " constant";
  if (flag_of(value, OrtValueInfo_IsFromOuterScope)) text += " outer";
  return text + initializer_of(value);
}

inline std::string names_of(const std::vector<const OrtValueInfo*>& values) {
  std::string text;
  for (const OrtValueInfo* value : values) text += (text.empty() ? "" : ",") + name_of(value);
  return "(" + text + ")";
}

std::string describe(const OrtGraph* graph, const std::string& indent = "");

inline std::string describe(const OrtNode* node, const std::string& indent) {
  int since = 0;
  CHECK_C(OrtNode_GetSinceVersion(node, &since));
  CHECK_EQ(text_from(node, OrtNode_GetEpName), "");
  const std::string domain = text_from(node, OrtNode_GetDomain);
  std::string text = str_cat(indent, name_of(node), ": ", domain, domain.empty() ? "" : ".",
                             text_from(node, OrtNode_GetOperatorType), "-", since);
  text += names_of(list_of(node, OrtNode_GetNumInputs, OrtNode_GetInputs));
  text += names_of(list_of(node, OrtNode_GetNumOutputs, OrtNode_GetOutputs));
  const auto implicit = list_of(node, OrtNode_GetNumImplicitInputs, OrtNode_GetImplicitInputs);
  if (!implicit.empty()) text += " takes " + names_of(implicit);
  for (const OrtOpAttr* attribute :
       list_of(node, OrtNode_GetNumAttributes, OrtNode_GetAttributes)) {
    text += " " + text_from(attribute, OrtOpAttr_GetName);
    const OrtOpAttr* found = nullptr;
    const std::string name = text_from(attribute, OrtOpAttr_GetName);
    CHECK_C(OrtNode_GetAttributeByName(node, name.c_str(), &found));
    CHECK(found == attribute);
  }
  text += "\n";
  size_t count = 0;
  CHECK_C(OrtNode_GetNumSubgraphs(node, &count));
  std::vector<const OrtGraph*> graphs(count);
  std::vector<const char*> names(count);
  CHECK_C(OrtNode_GetSubgraphs(node, graphs.data(), count, names.data()));
  for (size_t i = 0; i < count; ++i) {
    const OrtNode* parent = nullptr;
    CHECK_C(OrtGraph_GetParentNode(graphs[i], &parent));
    CHECK(parent == node);
    text += str_cat(indent, "  [", names[i], "]\n", describe(graphs[i], indent + "  "));
  }
  return text;
}

// Values of the graph's lists, then nodes, each followed by the values that they make or take from
// outside.
inline std::string describe(const OrtGraph* graph, const std::string& indent) {
  std::string text;
  auto add = [&](const char* what, const std::vector<const OrtValueInfo*>& values) {
    for (const OrtValueInfo* value : values) text += str_cat(indent, what, describe(value), "\n");
  };
  add("in ", list_of(graph, OrtGraph_GetNumInputs, OrtGraph_GetInputs));
  add("out ", list_of(graph, OrtGraph_GetNumOutputs, OrtGraph_GetOutputs));
  add("init ", list_of(graph, OrtGraph_GetNumInitializers, OrtGraph_GetInitializers));
  for (const OrtNode* node : list_of(graph, OrtGraph_GetNumNodes, OrtGraph_GetNodes)) {
    const OrtGraph* own = nullptr;
    CHECK_C(OrtNode_GetGraph(node, &own));
    CHECK(own == graph);
    text += describe(node, indent);
    for (const OrtValueInfo* value : list_of(node, OrtNode_GetNumInputs, OrtNode_GetInputs)) {
      const bool is_outer = value != nullptr && flag_of(value, OrtValueInfo_IsFromOuterScope);
      if (is_outer) text += str_cat(indent, "  ", describe(value), "\n");
    }
    for (const OrtValueInfo* value : list_of(node, OrtNode_GetNumOutputs, OrtNode_GetOutputs)) {
      const bool is_inner = value != nullptr && !flag_of(value, OrtValueInfo_IsGraphOutput);
      if (is_inner) text += str_cat(indent, "  ", describe(value), "\n");
    }
  }
  return text;
}

// Environments and graphs that give themselves back.
struct Env {
  Env() { CHECK_C(OrtCreateEnv(ORT_LOGGING_LEVEL_FATAL, "test", &env)); }
  ~Env() { OrtReleaseEnv(env); }
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;
  OrtEnv* env = nullptr;
};

struct Loaded {
  explicit Loaded(const std::string& bytes) {
    CHECK_C(OrtLoadGraphFromArray(env.env, bytes.data(), bytes.size(), &graph));
  }
  ~Loaded() { OrtReleaseGraph(graph); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  const OrtNode* node(const std::string& name) const {
    for (const OrtNode* node : list_of(graph, OrtGraph_GetNumNodes, OrtGraph_GetNodes)) {
      if (name_of(node) == name) return node;
    }
    check_failed(__FILE__, __LINE__, "no node " + name);
  }

  Env env;
  OrtGraph* graph = nullptr;
};

}  // namespace ortc::test
