// SPDX-License-Identifier: MIT
// Programs as bytes: see the header.
#include "npu_program.h"

#include <cstring>
#include <stdexcept>

namespace virtual_npu {
namespace {

constexpr std::string_view kMagic = "VNPU";

template <typename T>
void put(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename T>
void put_list(std::string& bytes, const std::vector<T>& list) {
  put(bytes, static_cast<uint32_t>(list.size()));
  if (!list.empty()) {
    bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
  }
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T number() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  template <typename T>
  std::vector<T> list() {
    const size_t count = number<uint32_t>();
    need(count * sizeof(T));
    std::vector<T> values(count);
    if (count != 0) std::memcpy(values.data(), rest_.data(), count * sizeof(T));
    rest_.remove_prefix(count * sizeof(T));
    return values;
  }
  void expect(std::string_view text) {
    need(text.size());
    if (rest_.substr(0, text.size()) != text) {
      throw std::invalid_argument("the context is not a program of the virtual NPU");
    }
    rest_.remove_prefix(text.size());
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  void need(size_t size) const {
    if (rest_.size() < size) throw std::invalid_argument("the context ends too early");
  }
  std::string_view rest_;
};

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
    if (step.operation > Operation::kRelu) {
      throw std::invalid_argument("the context has an operation that is not known");
    }
    check_value(step.left);
    check_value(step.right);
    check_value(step.result);
  }
}

Tensor read_tensor(Reader& reader) {
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
  return tensor;
}

}  // namespace

std::string to_bytes(const Program& program) {
  std::string bytes(kMagic);
  put(bytes, kProgramVersion);
  put(bytes, program.value_count);
  put_list(bytes, program.inputs);
  put_list(bytes, program.outputs);
  put(bytes, static_cast<uint32_t>(program.constants.size()));
  for (const auto& [value, tensor] : program.constants) {
    put(bytes, value);
    put_list(bytes, tensor.dims);
    put_list(bytes, tensor.numbers);
  }
  put_list(bytes, program.steps);
  return bytes;
}

Program from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  reader.expect(kMagic);
  const auto version = reader.number<uint32_t>();
  if (version != kProgramVersion) {
    throw std::invalid_argument("the context has version " + std::to_string(version) +
                                ", expected " + std::to_string(kProgramVersion));
  }
  Program program;
  program.value_count = reader.number<uint32_t>();
  program.inputs = reader.list<uint32_t>();
  program.outputs = reader.list<uint32_t>();
  const auto constants = reader.number<uint32_t>();
  for (uint32_t i = 0; i < constants; ++i) {
    const auto value = reader.number<uint32_t>();
    program.constants[value] = read_tensor(reader);
  }
  program.steps = reader.list<Step>();
  if (!reader.is_at_end()) throw std::invalid_argument("the context goes on behind its end");
  check(program);
  return program;
}

}  // namespace virtual_npu
