// SPDX-License-Identifier: MIT
// ort_c/type_info.h: types, element types and shapes.
#include <algorithm>

#include "core/api/guard.h"
#include "core/api/value/element_type.h"
#include "core/api/value/type_info_handles.h"
#include "core/api/value/value_handle.h"
#include "core/base/checked_math.h"
#include "ort_c/type_info.h"

namespace ortc::api {

std::optional<DType> dtype_of(const ONNXTensorElementDataType& type) {
  const int32_t number = number_of(type);
  switch (number) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2:
      return DType::kUint2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2:
      return DType::kInt2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0:
      return DType::kFloat8E8M0;
    default:
      break;
  }

  if (!dtype_is_valid(number)) return std::nullopt;
  return static_cast<DType>(number);
}

ONNXTensorElementDataType element_type_of(DType dtype) {
  switch (dtype) {
    case DType::kUint2:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2;
    case DType::kInt2:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2;
    case DType::kFloat8E8M0:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0;
    default:
      return static_cast<ONNXTensorElementDataType>(dtype);
  }
}

ONNXType kind_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::kTensor:
      return ONNX_TYPE_TENSOR;
    case TypeKind::kSparseTensor:
      return ONNX_TYPE_SPARSETENSOR;
    case TypeKind::kSequence:
      return ONNX_TYPE_SEQUENCE;
    case TypeKind::kMap:
      return ONNX_TYPE_MAP;
    case TypeKind::kOptional:
      return ONNX_TYPE_OPTIONAL;
    case TypeKind::kOpaque:
      return ONNX_TYPE_OPAQUE;
    case TypeKind::kNone:
      break;
  }
  return ONNX_TYPE_UNKNOWN;
}

OrtTypeInfo type_info_of(const Type& type) {
  OrtTypeInfo info;
  info.kind = kind_of(type.kind);
  info.denotation = type.denotation;
  const auto element = [&] {
    return std::make_shared<const OrtTypeInfo>(type_info_of(type.element ? *type.element : Type{}));
  };
  if (type.kind == TypeKind::kSequence) info.sequence.element = element();
  if (type.kind == TypeKind::kOptional) info.optional.contained = element();
  if (type.kind == TypeKind::kMap) info.map = {element_type_of(type.dtype), element()};
  if (type.kind != TypeKind::kTensor && type.kind != TypeKind::kSparseTensor) return info;
  info.tensor.type = element_type_of(type.dtype);
  info.tensor.has_shape = type.shape.has_value();
  if (!type.shape) return info;
  for (const Dim& dim : *type.shape) {
    info.tensor.dims.push_back(dim.is_known() ? dim.value : -1);
    info.tensor.symbols.push_back(dim.symbol);
  }
  return info;
}

Type type_of(const OrtValue& value) {
  return value.is_tensor() ? Type::tensor_of(value.tensor) : Type::of(value.other);
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtGetOnnxTypeFromTypeInfo(const OrtTypeInfo* type_info, enum ONNXType* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(type_info);
    *out = type_info->kind;
    return {};
  });
}

OrtStatus* OrtCastTypeInfoToTensorInfo(const OrtTypeInfo* type_info,
                                       const OrtTensorTypeAndShapeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(type_info);
    const bool is_tensor =
        type_info->kind == ONNX_TYPE_TENSOR || type_info->kind == ONNX_TYPE_SPARSETENSOR;
    if (is_tensor) *out = &type_info->tensor;
    return {};
  });
}

OrtStatus* OrtCastTypeInfoToMapTypeInfo(const OrtTypeInfo* type_info, const OrtMapTypeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(type_info);
    if (type_info->kind == ONNX_TYPE_MAP) *out = &type_info->map;
    return {};
  });
}

OrtStatus* OrtCastTypeInfoToSequenceTypeInfo(const OrtTypeInfo* type_info,
                                             const OrtSequenceTypeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(type_info);
    if (type_info->kind == ONNX_TYPE_SEQUENCE) *out = &type_info->sequence;
    return {};
  });
}

OrtStatus* OrtCastTypeInfoToOptionalTypeInfo(const OrtTypeInfo* type_info,
                                             const OrtOptionalTypeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(type_info);
    if (type_info->kind == ONNX_TYPE_OPTIONAL) *out = &type_info->optional;
    return {};
  });
}

OrtStatus* OrtGetMapKeyType(const OrtMapTypeInfo* map_type_info,
                            enum ONNXTensorElementDataType* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(map_type_info);
    *out = map_type_info->key;
    return {};
  });
}

OrtStatus* OrtGetMapValueType(const OrtMapTypeInfo* map_type_info, OrtTypeInfo** type_info) {
  return guard([&]() -> Status {
    ORTC_OUT(type_info);
    ORTC_NEEDED(map_type_info);
    *type_info = new OrtTypeInfo(*map_type_info->value);
    return {};
  });
}

OrtStatus* OrtGetSequenceElementType(const OrtSequenceTypeInfo* sequence_type_info,
                                     OrtTypeInfo** type_info) {
  return guard([&]() -> Status {
    ORTC_OUT(type_info);
    ORTC_NEEDED(sequence_type_info);
    *type_info = new OrtTypeInfo(*sequence_type_info->element);
    return {};
  });
}

OrtStatus* OrtGetOptionalContainedTypeInfo(const OrtOptionalTypeInfo* optional_type_info,
                                           OrtTypeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(optional_type_info);
    *out = new OrtTypeInfo(*optional_type_info->contained);
    return {};
  });
}

// Both are only ever borrowed from a type: there is nothing to end.
void OrtReleaseMapTypeInfo(OrtMapTypeInfo*) {}
void OrtReleaseSequenceTypeInfo(OrtSequenceTypeInfo*) {}

OrtStatus* OrtGetDenotationFromTypeInfo(const OrtTypeInfo* type_info, const char** const denotation,
                                        size_t* len) {
  return guard([&]() -> Status {
    api::empty_outs(denotation, len);
    ORTC_NEEDED(type_info);
    ORTC_NEEDED(denotation);
    ORTC_NEEDED(len);
    *denotation = type_info->denotation.c_str();
    *len = type_info->denotation.size();
    return {};
  });
}

void OrtReleaseTypeInfo(OrtTypeInfo* type_info) { delete type_info; }

OrtStatus* OrtGetTensorElementType(const OrtTensorTypeAndShapeInfo* info,
                                   enum ONNXTensorElementDataType* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    *out = info->type;
    return {};
  });
}

bool OrtTensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo* info) {
  return info != nullptr && info->has_shape;
}

OrtStatus* OrtGetDimensionsCount(const OrtTensorTypeAndShapeInfo* info, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    *out = info->dims.size();
    return {};
  });
}

OrtStatus* OrtGetDimensions(const OrtTensorTypeAndShapeInfo* info, int64_t* dim_values,
                            size_t dim_values_length) {
  return guard([&]() -> Status {
    ORTC_NEEDED(info);
    const size_t count = std::min(dim_values_length, info->dims.size());
    if (count == 0) return {};
    ORTC_NEEDED(dim_values);
    std::copy_n(info->dims.begin(), count, dim_values);
    return {};
  });
}

OrtStatus* OrtGetSymbolicDimensions(const OrtTensorTypeAndShapeInfo* info, const char* dim_params[],
                                    size_t dim_params_length) {
  return guard([&]() -> Status {
    ORTC_NEEDED(info);
    const size_t count = std::min(dim_params_length, info->dims.size());
    if (count == 0) return {};
    ORTC_NEEDED(dim_params);
    for (size_t i = 0; i < count; ++i) {
      dim_params[i] = i < info->symbols.size() ? info->symbols[i].c_str() : "";
    }
    return {};
  });
}

OrtStatus* OrtGetTensorShapeElementCount(const OrtTensorTypeAndShapeInfo* info, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    const bool is_known =
        info->has_shape && std::ranges::none_of(info->dims, [](int64_t dim) { return dim < 0; });
    if (!is_known) {
      *out = SIZE_MAX;
      return {};
    }
    const auto count = checked_element_count(info->dims);
    if (!count) {
      return invalid_argument("the number of elements of shape ", dims_to_string(info->dims),
                              " does not fit 64 bits");
    }
    *out = static_cast<size_t>(*count);
    return {};
  });
}

OrtStatus* OrtCreateTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    *out = new OrtTensorTypeAndShapeInfo;
    return {};
  });
}

OrtStatus* OrtSetTensorElementType(OrtTensorTypeAndShapeInfo* info,
                                   enum ONNXTensorElementDataType type) {
  return guard([&]() -> Status {
    ORTC_NEEDED(info);
    if (!api::dtype_of(type)) {
      return invalid_argument("'type' is ", api::number_of(type), ", which is not an element type");
    }
    info->type = type;
    return {};
  });
}

OrtStatus* OrtSetDimensions(OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values,
                            size_t dim_count) {
  return guard([&]() -> Status {
    ORTC_NEEDED(info);
    if (dim_count != 0) ORTC_NEEDED(dim_values);
    for (size_t i = 0; i < dim_count; ++i) {
      if (dim_values[i] < -1) {
        return invalid_argument(
            "dim_values must be -1 (symbolic dimension) or larger.; 'dim_values[", i, "]' is ",
            dim_values[i]);
      }
    }
    info->dims.assign(dim_values, dim_values + dim_count);
    info->has_shape = true;
    return {};
  });
}

OrtStatus* OrtSetSymbolicDimensions(OrtTensorTypeAndShapeInfo* info, const char* dim_params[],
                                    size_t dim_params_length) {
  return guard([&]() -> Status {
    ORTC_NEEDED(info);
    if (dim_params_length != 0) ORTC_NEEDED(dim_params);
    std::vector<std::string> symbols;
    for (size_t i = 0; i < dim_params_length; ++i) {
      symbols.emplace_back(dim_params[i] != nullptr ? dim_params[i] : "");
    }
    info->symbols = std::move(symbols);
    return {};
  });
}

void OrtReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* info) { delete info; }

}  // extern "C"
