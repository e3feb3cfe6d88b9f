// SPDX-License-Identifier: MIT
// Element types and types of values between the C interface and the inside. The C interface numbers
// the last three element types differently from ONNX; here is the only place that knows.
#pragma once

#include <optional>

#include "core/api/value/type_info_handles.h"
#include "core/api/value/value_handle.h"
#include "core/graph/type.h"

namespace ortc::api {

// Nothing for UNDEFINED and numbers that are not an element type.
std::optional<DType> dtype_of(const ONNXTensorElementDataType& type);
ONNXTensorElementDataType element_type_of(DType dtype);

ONNXType kind_of(TypeKind kind);
OrtTypeInfo type_info_of(const Type& type);
Type type_of(const OrtValue& value);  // kNone without content

}  // namespace ortc::api
