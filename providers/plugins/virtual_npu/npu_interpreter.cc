// SPDX-License-Identifier: MIT
// Running programs: see npu_program.h.
#include <algorithm>
#include <optional>
#include <stdexcept>

#include "npu_program.h"

namespace virtual_npu {
namespace {

// The dim at `axis` of `rank`, counted from the last one; 1 in front of the first.
int64_t dim_at(const Tensor& tensor, size_t axis, size_t rank) {
  const size_t missing = rank - tensor.dims.size();
  return axis < missing ? 1 : tensor.dims[axis - missing];
}

// Broadcasts as ONNX does.
template <typename Function>
Tensor elementwise(const Tensor& a, const Tensor& b, Function function) {
  const size_t rank = std::max(a.dims.size(), b.dims.size());
  Tensor result;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t left = dim_at(a, axis, rank), right = dim_at(b, axis, rank);
    if (left != right && left != 1 && right != 1) {
      throw std::invalid_argument("shapes of " + std::to_string(left) + " and " +
                                  std::to_string(right) + " do not go together");
    }
    result.dims.push_back(left == 1 ? right : left);
  }
  result.numbers.resize(count_of(result.dims));
  for (size_t i = 0; i < result.numbers.size(); ++i) {
    size_t rest = i, at_a = 0, at_b = 0, step_a = 1, step_b = 1;
    for (size_t axis = rank; axis-- > 0;) {
      const auto dim = static_cast<size_t>(result.dims[axis]);
      const size_t place = rest % dim;
      rest /= dim;
      const auto dim_a = static_cast<size_t>(dim_at(a, axis, rank));
      const auto dim_b = static_cast<size_t>(dim_at(b, axis, rank));
      if (dim_a != 1) at_a += place * step_a;
      if (dim_b != 1) at_b += place * step_b;
      step_a *= dim_a;
      step_b *= dim_b;
    }
    result.numbers[i] = function(a.numbers[at_a], b.numbers[at_b]);
  }
  return result;
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  if (a.dims.size() != 2 || b.dims.size() != 2 || a.dims[1] != b.dims[0]) {
    throw std::invalid_argument("MatMul of these shapes is not possible");
  }
  const auto rows = static_cast<size_t>(a.dims[0]), inner = static_cast<size_t>(a.dims[1]),
             columns = static_cast<size_t>(b.dims[1]);
  Tensor result{{a.dims[0], b.dims[1]}, {}};
  result.numbers.resize(count_of(result.dims));
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < inner; ++k) {
      const float left = a.numbers[i * inner + k];
      for (size_t j = 0; j < columns; ++j) {
        result.numbers[i * columns + j] += left * b.numbers[k * columns + j];
      }
    }
  }
  return result;
}

Tensor compute(Operation operation, const Tensor& left, const Tensor& right) {
  switch (operation) {
    case Operation::kAdd:
      return elementwise(left, right, [](float a, float b) { return a + b; });
    case Operation::kMul:
      return elementwise(left, right, [](float a, float b) { return a * b; });
    case Operation::kMatMul:
      return matmul(left, right);
    case Operation::kToLast:
      return channels_to_last(left);
    case Operation::kToFirst:
      return channels_to_first(left);
    default:
      break;  // Relu
  }
  Tensor result = left;
  for (float& number : result.numbers) number = std::max(number, 0.0f);
  return result;
}

}  // namespace

size_t count_of(const std::vector<int64_t>& dims) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  constexpr int64_t kMost = int64_t{1} << 31;
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim < 0 || dim > kMost / count) throw std::invalid_argument("a tensor that is too large");
    count *= dim;
  }
  return static_cast<size_t>(count);
}

std::vector<Tensor> run(const Program& program, std::vector<Tensor> inputs) {
  if (inputs.size() != program.inputs.size()) {
    throw std::invalid_argument("the program takes " + std::to_string(program.inputs.size()) +
                                " inputs, found " + std::to_string(inputs.size()));
  }
  std::vector<std::optional<Tensor>> values(program.value_count);
  for (size_t i = 0; i < inputs.size(); ++i) values[program.inputs[i]] = std::move(inputs[i]);
  const auto value = [&](uint32_t number) -> const Tensor& {
    if (const auto it = program.constants.find(number); it != program.constants.end()) {
      return *it->second;
    }
    if (!values[number]) throw std::invalid_argument("the program reads what it has not written");
    return *values[number];
  };
  auto window = program.windows.begin();
  for (const Step& step : program.steps) {
    const Tensor& left = value(step.left);
    if (step.operation == Operation::kConv) {
      const Tensor* bias = window->has_bias != 0 ? &value(window->bias) : nullptr;
      values[step.result] = convolve(*window++, left, value(step.right), bias);
    } else if (step.operation == Operation::kMaxPool) {
      values[step.result] = pool_max(*window++, left);
    } else {
      values[step.result] = compute(step.operation, left, value(step.right));
    }
  }
  std::vector<Tensor> outputs;
  for (uint32_t number : program.outputs) outputs.push_back(value(number));
  return outputs;
}

}  // namespace virtual_npu
