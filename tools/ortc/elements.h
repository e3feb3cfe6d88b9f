// SPDX-License-Identifier: MIT
// Tensors as NumPy arrays and back. NumPy has no element types below a byte, no bfloat16 and no
// float8: those are arrays of one unsigned integer per element that holds its bits (int4 and int2:
// a signed one that holds its value).
#pragma once

#include <string>

#include "tools/ortc/api.h"
#include "tools/ortc/npy.h"

namespace ortc::tool {

// A new tensor with the elements of the array. `what` names it in errors.
Value value_from_array(const NpyArray& array, ONNXTensorElementDataType type,
                       const std::string& what);
NpyArray array_from_value(const OrtValue* value);

// Made-up contents. Floats are uniform in [-1, 1), integers and booleans 0 or 1, so that they can
// serve as indices and masks. The same seed gives the same elements on every machine.
NpyArray zero_array(ONNXTensorElementDataType type, const std::vector<int64_t>& shape);
NpyArray random_array(ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                      uint64_t seed, const std::string& what);

struct Statistics {
  bool is_known = false;  // real numbers only
  size_t non_finite_count = 0;
  double min = 0, max = 0, mean = 0;  // of the finite elements
  size_t finite_count = 0;
};
Statistics statistics_of(const NpyArray& array, ONNXTensorElementDataType type);

}  // namespace ortc::tool
