// SPDX-License-Identifier: MIT
// Types of values, as the program sees them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ort_c/types.h"

struct OrtTensorTypeAndShapeInfo {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  bool has_shape = false;
  std::vector<int64_t> dims;
  std::vector<std::string> symbols;  // may be fewer than dims
};

struct OrtTypeInfo;

struct OrtMapTypeInfo {
  ONNXTensorElementDataType key = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::shared_ptr<const OrtTypeInfo> value;
};

struct OrtSequenceTypeInfo {
  std::shared_ptr<const OrtTypeInfo> element;
};

struct OrtOptionalTypeInfo {
  std::shared_ptr<const OrtTypeInfo> contained;
};

// Of the four sides one says more, as `kind` tells.
struct OrtTypeInfo {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  std::string denotation;
  OrtTensorTypeAndShapeInfo tensor;  // of tensors, dense or sparse
  OrtMapTypeInfo map;
  OrtSequenceTypeInfo sequence;
  OrtOptionalTypeInfo optional;
};
