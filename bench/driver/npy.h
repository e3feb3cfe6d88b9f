// SPDX-License-Identifier: MIT
// Arrays in numpy's .npy format (little-endian, C order), as far as tensors need them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "ort_c/ort_api.h"

namespace bench {

struct Array {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> shape;
  size_t size_bytes = 0;
  std::unique_ptr<void, decltype(&std::free)> data{nullptr, &std::free};  // on 64 bytes
};

// Both throw Failure.
Array read_npy(const std::string& path);
void write_npy(const std::string& path, ONNXTensorElementDataType type,
               const std::vector<int64_t>& shape, const void* data);

// Bytes of a tensor without sub-byte elements.
size_t tensor_bytes(ONNXTensorElementDataType type, const std::vector<int64_t>& shape);

}  // namespace bench
