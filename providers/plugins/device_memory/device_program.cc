// SPDX-License-Identifier: MIT
// Programs: from a graph, and their arithmetic. See the header.
#include "device_program.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

namespace device_memory {
namespace {

bool find_operation(const std::string& op_type, Operation& operation) {
  static constexpr const char* kNames[] = {"Add", "Mul", "MatMul", "Relu"};
  for (int i = 0; i < 4; ++i) {
    if (op_type != kNames[i]) continue;
    operation = static_cast<Operation>(i);
    return true;
  }
  return false;
}

using Values = std::vector<const OrtValueInfo*>;

Values inputs_of(const Tables& tables, const OrtNode& node) {
  size_t count = 0;
  check(tables.ort.Node_GetNumInputs(&node, &count));
  Values values(count);
  check(tables.ort.Node_GetInputs(&node, values.data(), count));
  return values;
}

Values outputs_of(const Tables& tables, const OrtNode& node) {
  size_t count = 0;
  check(tables.ort.Node_GetNumOutputs(&node, &count));
  Values values(count);
  check(tables.ort.Node_GetOutputs(&node, values.data(), count));
  return values;
}

std::string name_of(const Tables& tables, const OrtValueInfo* value) {
  const char* name = nullptr;
  check(tables.ort.GetValueInfoName(value, &name));
  return name;
}

bool is_float_tensor(const Tables& tables, const OrtValueInfo* value, bool is_matrix) {
  if (value == nullptr) return false;
  const OrtTypeInfo* type = nullptr;
  check(tables.ort.GetValueInfoTypeInfo(value, &type));
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  check(tables.ort.CastTypeInfoToTensorInfo(type, &tensor));
  if (tensor == nullptr) return false;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  check(tables.ort.GetTensorElementType(tensor, &element));
  size_t rank = 0;
  check(tables.ort.GetDimensionsCount(tensor, &rank));
  return element == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT && (!is_matrix || rank == 2);
}

bool operation_of(const Tables& tables, const OrtNode& node, Operation& operation) {
  const char *type = nullptr, *domain = nullptr;
  check(tables.ort.Node_GetOperatorType(&node, &type));
  check(tables.ort.Node_GetDomain(&node, &domain));
  return *domain == '\0' && find_operation(type, operation);
}

// The dim at `axis` of `rank`, counted from the last one; 1 in front of the first.
int64_t dim_at(const DeviceTensor& tensor, size_t axis, size_t rank) {
  const size_t missing = rank - tensor.dims.size();
  return axis < missing ? 1 : tensor.dims[axis - missing];
}

// Where element i of a result of these dims is read.
size_t place_in(const DeviceTensor& tensor, const std::vector<int64_t>& dims, size_t i) {
  size_t place = 0, step = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    const auto dim = static_cast<size_t>(dims[axis]);
    const auto own = static_cast<size_t>(dim_at(tensor, axis, dims.size()));
    if (own != 1) place += i % dim * step;
    i /= dim;
    step *= own;
  }
  return place;
}

void multiply_matrices(const float* a, const float* b, float* result, size_t rows, size_t inner,
                       size_t columns) {
  std::fill(result, result + rows * columns, 0.0f);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < inner; ++k) {
      for (size_t j = 0; j < columns; ++j) {
        result[i * columns + j] += a[i * inner + k] * b[k * columns + j];
      }
    }
  }
}

}  // namespace

size_t DeviceTensor::count() const {
  size_t count = 1;
  for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
  return count;
}

bool is_supported(const Tables& tables, const OrtNode& node) {
  Operation operation;
  if (!operation_of(tables, node, operation)) return false;
  // Before version 7 Add and Mul broadcast along the axis that an attribute names.
  const bool is_elementwise = operation == Operation::kAdd || operation == Operation::kMul;
  int version = 0;
  check(tables.ort.Node_GetSinceVersion(&node, &version));
  if (is_elementwise && version < 7) return false;
  const Values inputs = inputs_of(tables, node);
  return std::all_of(inputs.begin(), inputs.end(), [&](const OrtValueInfo* input) {
    return is_float_tensor(tables, input, operation == Operation::kMatMul);
  });
}

Program compile(const Tables& tables, const OrtGraph& graph, const OrtNode& fused) {
  std::map<std::string, size_t> numbers;
  const auto number_of = [&](const OrtValueInfo* value) {
    return numbers.emplace(name_of(tables, value), numbers.size()).first->second;
  };
  Program program;
  for (const OrtValueInfo* input : inputs_of(tables, fused)) number_of(input);
  program.input_count = numbers.size();
  size_t count = 0;
  check(tables.ort.Graph_GetNumNodes(&graph, &count));
  std::vector<const OrtNode*> nodes(count);
  check(tables.ort.Graph_GetNodes(&graph, nodes.data(), count));
  for (const OrtNode* node : nodes) {
    Step step;
    if (!operation_of(tables, *node, step.operation)) {
      throw std::invalid_argument("a node that was not claimed");
    }
    const Values inputs = inputs_of(tables, *node);
    step.left = number_of(inputs.front());
    step.right = number_of(inputs.back());
    step.result = number_of(outputs_of(tables, *node).front());
    program.steps.push_back(step);
  }
  for (const OrtValueInfo* output : outputs_of(tables, fused)) {
    program.outputs.push_back(number_of(output));
  }
  program.value_count = numbers.size();
  return program;
}

std::vector<int64_t> result_dims(Operation operation, const DeviceTensor& left,
                                 const DeviceTensor& right) {
  if (operation == Operation::kRelu) return left.dims;
  if (operation == Operation::kMatMul) {
    if (left.dims.size() == 2 && right.dims.size() == 2 && left.dims[1] == right.dims[0]) {
      return {left.dims[0], right.dims[1]};
    }
    throw std::invalid_argument("MatMul of these shapes is not possible");
  }
  const size_t rank = std::max(left.dims.size(), right.dims.size());
  std::vector<int64_t> dims;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t a = dim_at(left, axis, rank), b = dim_at(right, axis, rank);
    if (a != b && a != 1 && b != 1) {
      throw std::invalid_argument("shapes of " + std::to_string(a) + " and " + std::to_string(b) +
                                  " do not go together");
    }
    dims.push_back(a == 1 ? b : a);
  }
  return dims;
}

void compute(const Device& device, Operation operation, const DeviceTensor& left,
             const DeviceTensor& right, const DeviceTensor& result) {
  const auto numbers_of = [&](const DeviceTensor& tensor) {
    return reinterpret_cast<float*>(device.at(tensor.address, tensor.count() * sizeof(float)));
  };
  const size_t count = result.count();
  if (count == 0) return;
  const float* const a = numbers_of(left);
  const float* const b = numbers_of(right);
  float* const out = numbers_of(result);
  if (operation == Operation::kMatMul) {
    multiply_matrices(a, b, out, static_cast<size_t>(left.dims[0]),
                      static_cast<size_t>(left.dims[1]), static_cast<size_t>(right.dims[1]));
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const float one = a[place_in(left, result.dims, i)];
    const float other = b[place_in(right, result.dims, i)];
    out[i] = operation == Operation::kAdd   ? one + other
             : operation == Operation::kMul ? one * other
                                            : std::max(one, 0.0f);
  }
}

}  // namespace device_memory
