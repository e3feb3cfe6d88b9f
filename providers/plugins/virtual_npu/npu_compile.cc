// SPDX-License-Identifier: MIT
// From graphs to programs: see npu_ep.h.
#include <cstring>
#include <stdexcept>

#include "npu_ep.h"
#include "npu_layout.h"

namespace virtual_npu {
namespace {

std::string text_of(OrtStatus* (*get)(const OrtNode*, const char**), const OrtNode& node) {
  const char* text = nullptr;
  check(get(&node, &text));
  return text;
}

bool find_operation(const std::string& op_type, Operation& operation) {
  static constexpr const char* kNames[] = {"Add", "Mul", "MatMul", "Relu"};
  for (uint32_t i = 0; i < 4; ++i) {
    if (op_type != kNames[i]) continue;
    operation = static_cast<Operation>(i);
    return true;
  }
  return false;
}

// A float32 tensor; with `rank` only of that rank.
bool is_float_tensor(const Tables& tables, const OrtValueInfo* value, size_t rank) {
  if (value == nullptr) return false;
  const OrtTypeInfo* type = nullptr;
  check(tables.ort.GetValueInfoTypeInfo(value, &type));
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  check(tables.ort.CastTypeInfoToTensorInfo(type, &tensor));
  if (tensor == nullptr) return false;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  check(tables.ort.GetTensorElementType(tensor, &element));
  size_t found = 0;
  check(tables.ort.GetDimensionsCount(tensor, &found));
  return element == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT && (rank == 0 || found == rank);
}

// Numbers for names.
class Values {
 public:
  uint32_t number_of(const std::string& name) {
    return numbers_.emplace(name, static_cast<uint32_t>(numbers_.size())).first->second;
  }
  uint32_t count() const { return static_cast<uint32_t>(numbers_.size()); }

 private:
  std::map<std::string, uint32_t> numbers_;
};

void add_constants(const Tables& tables, const OrtGraph& graph, Values& values, Program& program) {
  size_t count = 0;
  check(tables.ort.Graph_GetNumInitializers(&graph, &count));
  std::vector<const OrtValueInfo*> list(count);
  check(tables.ort.Graph_GetInitializers(&graph, list.data(), count));
  for (const OrtValueInfo* info : list) {
    if (!is_float_tensor(tables, info, 0)) continue;
    const char* name = nullptr;
    check(tables.ort.GetValueInfoName(info, &name));
    const OrtValue* value = nullptr;
    check(tables.ort.ValueInfo_GetInitializerValue(info, &value));
    program.constants[values.number_of(name)] =
        std::make_shared<const Tensor>(read_tensor(tables, *value));
  }
}

}  // namespace

std::vector<const OrtNode*> nodes_of(const Tables& tables, const OrtGraph& graph) {
  size_t count = 0;
  check(tables.ort.Graph_GetNumNodes(&graph, &count));
  std::vector<const OrtNode*> nodes(count);
  check(tables.ort.Graph_GetNodes(&graph, nodes.data(), count));
  return nodes;
}

bool is_own_context(const Tables& tables, const OrtNode& node) {
  return text_of(tables.ort.Node_GetOperatorType, node) == "EPContext" &&
         text_of(tables.ort.Node_GetDomain, node) == "com.microsoft" &&
         text_attribute(tables, node, "source") == kEpName;
}

bool is_compiled(const Tables& tables, const OrtGraph& graph) {
  const auto nodes = nodes_of(tables, graph);
  return nodes.size() == 1 && is_own_context(tables, *nodes[0]);
}

bool is_supported(const Tables& tables, const OrtNode& node) {
  Operation operation{};
  if (!text_of(tables.ort.Node_GetDomain, node).empty() ||
      !find_operation(text_of(tables.ort.Node_GetOperatorType, node), operation)) {
    return false;
  }
  // Before version 7 Add and Mul broadcast along the axis that an attribute names.
  const bool is_elementwise = operation == Operation::kAdd || operation == Operation::kMul;
  int version = 0;
  check(tables.ort.Node_GetSinceVersion(&node, &version));
  if (is_elementwise && version < 7) return false;
  size_t count = 0;
  check(tables.ort.Node_GetNumInputs(&node, &count));
  std::vector<const OrtValueInfo*> inputs(count);
  check(tables.ort.Node_GetInputs(&node, inputs.data(), count));
  for (const OrtValueInfo* input : inputs) {
    if (!is_float_tensor(tables, input, operation == Operation::kMatMul ? 2 : 0)) return false;
  }
  return true;
}

Program compile_graph(const Tables& tables, const OrtGraph& graph, const OrtNode& fused,
                      const ContextSettings& contexts) {
  const auto nodes = nodes_of(tables, graph);
  if (is_compiled(tables, graph)) return load_context(tables, contexts, graph, *nodes[0]);
  Program program;
  Values values;
  for (const std::string& name : input_names(tables, fused)) {
    program.inputs.push_back(values.number_of(name));
  }
  add_constants(tables, graph, values, program);
  const auto number_of = [&values](const std::string& name) { return values.number_of(name); };
  for (const OrtNode* node : nodes) {
    if (add_step_last(tables, *node, number_of, program)) continue;
    Step step;
    if (!find_operation(text_of(tables.ort.Node_GetOperatorType, *node), step.operation)) {
      throw std::invalid_argument("a node that was not claimed");
    }
    const auto inputs = input_names(tables, *node);
    step.left = values.number_of(inputs.front());
    step.right = values.number_of(inputs.back());
    step.result = values.number_of(output_names(tables, *node).front());
    program.steps.push_back(step);
  }
  for (const std::string& name : output_names(tables, fused)) {
    program.outputs.push_back(values.number_of(name));
  }
  program.value_count = values.count();
  return program;
}

}  // namespace virtual_npu
