// SPDX-License-Identifier: MIT
// Tensors as NumPy arrays and back.
#pragma once

#include <string>

#include "tools/ortc/library/api.h"
#include "tools/ortc/values/npy.h"

namespace ortc::tool {

// A new tensor with the elements of the array. `what` names it in errors.
Value value_from_array(const NpyArray& array, ONNXTensorElementDataType type,
                       const std::string& what);
NpyArray array_from_value(const OrtValue* value);

}  // namespace ortc::tool
