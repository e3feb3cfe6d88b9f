// SPDX-License-Identifier: MIT
// What the device runs: steps over numbered tensors of float32 in its memory. Constants are inputs
// as any other; the runtime brings them to the device once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device.h"
#include "device_tables.h"

namespace device_memory {

enum class Operation { kAdd, kMul, kMatMul, kRelu };

struct Step {
  Operation operation = Operation::kAdd;
  size_t left = 0, right = 0, result = 0;  // Relu reads `left` only
};

// Values 0, 1, ... are the inputs.
struct Program {
  size_t input_count = 0, value_count = 0;
  std::vector<size_t> outputs;
  std::vector<Step> steps;
};

// A tensor in memory of the device. `owner` keeps what the program itself allocated.
struct DeviceTensor {
  std::vector<int64_t> dims;
  void* address = nullptr;
  std::shared_ptr<void> owner;
  size_t count() const;
};

bool is_supported(const Tables& tables, const OrtNode& node);
Program compile(const Tables& tables, const OrtGraph& graph, const OrtNode& fused);

// std::invalid_argument for shapes that do not go together.
std::vector<int64_t> result_dims(Operation operation, const DeviceTensor& left,
                                 const DeviceTensor& right);
// On the device, over its own view of the memory.
void compute(const Device& device, Operation operation, const DeviceTensor& left,
             const DeviceTensor& right, const DeviceTensor& result);

}  // namespace device_memory
