// SPDX-License-Identifier: MIT
// What the virtual NPU runs: steps over numbered tensors of float32. As bytes a program is all of a
// context:
//
//   "VNPU" version  value_count  inputs  outputs  constants  steps  windows
//
// with numbers of 32 bits and lists that begin with their length, little-endian. Version 1 has no
// windows, and is written when there are none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "npu_windows.h"

namespace virtual_npu {

inline constexpr uint32_t kProgramVersion = 2;

struct Tensor {
  std::vector<int64_t> dims;
  std::vector<float> numbers;
};

// How many numbers such a tensor has. Dims may come from a damaged context:
// std::invalid_argument for more than 2^31 numbers.
size_t count_of(const std::vector<int64_t>& dims);

enum class Operation : uint32_t {
  kAdd,
  kMul,
  kMatMul,
  kRelu,
  kConv,
  kMaxPool,
  kToLast,  // channels of an image
  kToFirst
};

inline bool has_window(Operation operation) {
  return operation == Operation::kConv || operation == Operation::kMaxPool;
}

struct Step {
  Operation operation = Operation::kAdd;
  uint32_t left = 0, right = 0, result = 0;  // operations of one value read `left` only
};

struct Program {
  uint32_t value_count = 0;
  std::vector<uint32_t> inputs, outputs;
  std::map<uint32_t, std::shared_ptr<const Tensor>> constants;
  std::vector<Step> steps;
  std::shared_ptr<const void> binary;  // that the constants are shared in; null: its own
  std::vector<Window> windows;         // in order of the steps that have one
};

class Reader;

// Constants of several programs, each content once.
class TensorTable {
 public:
  uint32_t number_of(const std::shared_ptr<const Tensor>& tensor);
  // std::invalid_argument for a number that it does not have.
  const std::shared_ptr<const Tensor>& at(uint32_t number) const;
  void write(std::string& bytes) const;
  static TensorTable read(Reader& reader);

 private:
  std::vector<std::shared_ptr<const Tensor>> list_;
};

// With a table constants stand in that, and the program has their numbers.
std::string to_bytes(const Program& program, TensorTable* shared = nullptr);
// std::invalid_argument says what is wrong with the bytes.
Program from_bytes(std::string_view bytes, const TensorTable* shared = nullptr);

// The outputs. std::invalid_argument for shapes that do not go together.
std::vector<Tensor> run(const Program& program, std::vector<Tensor> inputs);

}  // namespace virtual_npu
