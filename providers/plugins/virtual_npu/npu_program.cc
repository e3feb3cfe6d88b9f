// SPDX-License-Identifier: MIT
// Programs as bytes: see the header.
#include "npu_program.h"

#include <algorithm>

#include "npu_bytes.h"

namespace virtual_npu {
namespace {

constexpr std::string_view kMagic = "VNPU", kMagicOfParts = "VNPP";

// Numbers that are far larger than an image's would overflow in sums.
void check_numbers(const Window& window) {
  constexpr int64_t kMost = 4096;
  const auto is_wrong = [](int64_t number) { return number < -kMost || number > kMost; };
  const auto any = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), is_wrong);
  };
  if (is_wrong(window.group) || any(window.kernel) || any(window.strides) ||
      any(window.dilations) || any(window.pads)) {
    throw std::invalid_argument("the context has a window that is too large");
  }
}

void check_windows(const Program& program) {
  size_t next = 0;
  for (const Window& window : program.windows) check_numbers(window);
  for (uint32_t i = 0; i < program.steps.size(); ++i) {
    if (!has_window(program.steps[i].operation)) continue;
    if (next == program.windows.size() || program.windows[next++].step != i) {
      throw std::invalid_argument("the context has a step without its window");
    }
  }
  if (next != program.windows.size()) {
    throw std::invalid_argument("the context has a window without a step");
  }
}

void check(const Program& program) {
  // Each value is given, constant or computed.
  if (program.value_count >
      program.inputs.size() + program.constants.size() + program.steps.size()) {
    throw std::invalid_argument("the context says that it has more values than there are");
  }
  const auto check_value = [&](uint32_t value) {
    if (value >= program.value_count) {
      throw std::invalid_argument("the context names a value that it does not have");
    }
  };
  for (uint32_t value : program.inputs) check_value(value);
  for (uint32_t value : program.outputs) check_value(value);
  for (const auto& [value, tensor] : program.constants) check_value(value);
  for (const Step& step : program.steps) {
    if (step.operation > Operation::kToFirst) {
      throw std::invalid_argument("the context has an operation that is not known");
    }
    check_value(step.left);
    check_value(step.right);
    check_value(step.result);
  }
  for (const Window& window : program.windows) check_value(window.bias);
  check_windows(program);
}

std::shared_ptr<const Tensor> read_tensor(Reader& reader) {
  Tensor tensor;
  tensor.dims = reader.list<int64_t>();
  tensor.numbers = reader.list<float>();
  uint64_t count = 1;
  for (int64_t dim : tensor.dims) {
    if (dim < 0 || dim > INT32_MAX || count > INT32_MAX) count = UINT64_MAX;
    if (count != UINT64_MAX) count *= static_cast<uint64_t>(dim);
  }
  if (count != tensor.numbers.size()) {
    throw std::invalid_argument(
        "the context has a constant whose shape is not that of its numbers");
  }
  return std::make_shared<const Tensor>(std::move(tensor));
}

void put_tensor(std::string& bytes, const Tensor& tensor) {
  put_list(bytes, tensor.dims);
  put_list(bytes, tensor.numbers);
}

bool is_same(const Tensor& a, const Tensor& b) {
  return a.dims == b.dims && a.numbers.size() == b.numbers.size() &&
         std::memcmp(a.numbers.data(), b.numbers.data(), a.numbers.size() * sizeof(float)) == 0;
}

}  // namespace

uint32_t TensorTable::number_of(const std::shared_ptr<const Tensor>& tensor) {
  const auto known = std::find_if(list_.begin(), list_.end(),
                                  [&](const auto& one) { return is_same(*one, *tensor); });
  if (known == list_.end()) {
    list_.push_back(tensor);
    return static_cast<uint32_t>(list_.size() - 1);
  }
  return static_cast<uint32_t>(known - list_.begin());
}

const std::shared_ptr<const Tensor>& TensorTable::at(uint32_t number) const {
  if (number < list_.size()) return list_[number];
  throw std::invalid_argument("the context names a tensor that its binary does not have");
}

void TensorTable::write(std::string& bytes) const {
  put(bytes, static_cast<uint32_t>(list_.size()));
  for (const auto& tensor : list_) put_tensor(bytes, *tensor);
}

TensorTable TensorTable::read(Reader& reader) {
  TensorTable table;
  const auto count = reader.number<uint32_t>();
  for (uint32_t i = 0; i < count; ++i) table.list_.push_back(read_tensor(reader));
  return table;
}

std::string to_bytes(const Program& program, TensorTable* shared) {
  std::string bytes(shared == nullptr ? kMagic : kMagicOfParts);
  put(bytes, program.windows.empty() ? uint32_t{1} : kProgramVersion);
  put(bytes, program.value_count);
  put_list(bytes, program.inputs);
  put_list(bytes, program.outputs);
  put(bytes, static_cast<uint32_t>(program.constants.size()));
  for (const auto& [value, tensor] : program.constants) {
    put(bytes, value);
    if (shared == nullptr) {
      put_tensor(bytes, *tensor);
    } else {
      put(bytes, shared->number_of(tensor));
    }
  }
  put_list(bytes, program.steps);
  if (!program.windows.empty()) put_list(bytes, program.windows);
  return bytes;
}

Program from_bytes(std::string_view bytes, const TensorTable* shared) {
  Reader reader(bytes);
  reader.expect(shared == nullptr ? kMagic : kMagicOfParts);
  const auto version = reader.number<uint32_t>();
  if (version < 1 || version > kProgramVersion) {
    throw std::invalid_argument("the context has version " + std::to_string(version) +
                                ", expected 1 to " + std::to_string(kProgramVersion));
  }
  Program program;
  program.value_count = reader.number<uint32_t>();
  program.inputs = reader.list<uint32_t>();
  program.outputs = reader.list<uint32_t>();
  const auto constants = reader.number<uint32_t>();
  for (uint32_t i = 0; i < constants; ++i) {
    const auto value = reader.number<uint32_t>();
    program.constants[value] =
        shared == nullptr ? read_tensor(reader) : shared->at(reader.number<uint32_t>());
  }
  program.steps = reader.list<Step>();
  if (version > 1) program.windows = reader.list<Window>();
  if (!reader.is_at_end()) throw std::invalid_argument("the context goes on after its end");
  check(program);
  return program;
}

}  // namespace virtual_npu
