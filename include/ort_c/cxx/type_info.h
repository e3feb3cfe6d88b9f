// SPDX-License-Identifier: MIT
// Types of values: tensors with their shape, sequences, maps, optionals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ort_c/cxx/text.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

struct TypeInfo;

namespace detail {

template <typename T>
struct TensorTypeAndShapeInfoImpl : Base<T> {
  using Base<T>::Base;

  ONNXTensorElementDataType GetElementType() const {
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    ThrowOnError(ORT_CXX_CALL(GetTensorElementType)(this->p_, &type));
    return type;
  }
  /// The product of the dimensions; SIZE_MAX when one is not known.
  size_t GetElementCount() const {
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(GetTensorShapeElementCount)(this->p_, &count));
    return count;
  }
  size_t GetDimensionsCount() const {
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(GetDimensionsCount)(this->p_, &count));
    return count;
  }
  /// The dimensions; -1 where one is not known.
  std::vector<int64_t> GetShape() const {
    std::vector<int64_t> shape(GetDimensionsCount());
    ThrowOnError(ORT_CXX_CALL(GetDimensions)(this->p_, shape.data(), shape.size()));
    return shape;
  }
  /// False for a tensor of unknown rank.
  bool HasShape() const { return ORT_CXX_CALL(TensorTypeAndShape_HasShape)(this->p_); }
  bool GetHasShape() const { return HasShape(); }

  [[deprecated("use GetShape()")]] void GetDimensions(int64_t* values, size_t count) const {
    ThrowOnError(ORT_CXX_CALL(GetDimensions)(this->p_, values, count));
  }
  /// Names of dimensions, "" for those without; the texts live as long as the type.
  void GetSymbolicDimensions(const char** values, size_t count) const {
    ThrowOnError(ORT_CXX_CALL(GetSymbolicDimensions)(this->p_, values, count));
  }
  std::vector<const char*> GetSymbolicDimensions() const {
    std::vector<const char*> names(GetDimensionsCount());
    GetSymbolicDimensions(names.data(), names.size());
    return names;
  }
};

template <typename T>
struct SequenceTypeInfoImpl : Base<T> {
  using Base<T>::Base;
  TypeInfo GetSequenceElementType() const;
};

template <typename T>
struct OptionalTypeInfoImpl : Base<T> {
  using Base<T>::Base;
  TypeInfo GetOptionalElementType() const;
};

template <typename T>
struct MapTypeInfoImpl : Base<T> {
  using Base<T>::Base;
  ONNXTensorElementDataType GetMapKeyType() const {
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    ThrowOnError(ORT_CXX_CALL(GetMapKeyType)(this->p_, &type));
    return type;
  }
  TypeInfo GetMapValueType() const;
};

}  // namespace detail

// Borrowed from the type that gave them.
using ConstTensorTypeAndShapeInfo =
    detail::TensorTypeAndShapeInfoImpl<detail::Unowned<const OrtTensorTypeAndShapeInfo>>;
using ConstSequenceTypeInfo =
    detail::SequenceTypeInfoImpl<detail::Unowned<const OrtSequenceTypeInfo>>;
using ConstOptionalTypeInfo =
    detail::OptionalTypeInfoImpl<detail::Unowned<const OrtOptionalTypeInfo>>;
using ConstMapTypeInfo = detail::MapTypeInfoImpl<detail::Unowned<const OrtMapTypeInfo>>;

/// Element type and shape of a tensor.
struct TensorTypeAndShapeInfo : detail::TensorTypeAndShapeInfoImpl<OrtTensorTypeAndShapeInfo> {
  explicit TensorTypeAndShapeInfo(std::nullptr_t) {}
  explicit TensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* p) : TensorTypeAndShapeInfoImpl(p) {}
  /// `dims`           -1 where a dimension is not known.
  /// `symbolic_dims`  Names for those, one for each dimension; nullptr for none.
  explicit TensorTypeAndShapeInfo(ONNXTensorElementDataType element_type,
                                  const std::vector<int64_t>& dims,
                                  const std::vector<std::string>* symbolic_dims = nullptr) {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateTensorTypeAndShapeInfo)(&info));
    reset(info);
    ThrowOnError(ORT_CXX_CALL(SetTensorElementType)(p_, element_type));
    ThrowOnError(ORT_CXX_CALL(SetDimensions)(p_, dims.data(), dims.size()));
    if (symbolic_dims == nullptr) return;
    std::vector<const char*> names = detail::pointers_to(*symbolic_dims);
    ThrowOnError(ORT_CXX_CALL(SetSymbolicDimensions)(p_, names.data(), names.size()));
  }

  ConstTensorTypeAndShapeInfo GetConst() const { return ConstTensorTypeAndShapeInfo(p_); }
};

struct SequenceTypeInfo : detail::SequenceTypeInfoImpl<OrtSequenceTypeInfo> {
  explicit SequenceTypeInfo(std::nullptr_t) {}
  explicit SequenceTypeInfo(OrtSequenceTypeInfo* p) : SequenceTypeInfoImpl(p) {}
  ConstSequenceTypeInfo GetConst() const { return ConstSequenceTypeInfo(p_); }
};

struct MapTypeInfo : detail::MapTypeInfoImpl<OrtMapTypeInfo> {
  explicit MapTypeInfo(std::nullptr_t) {}
  explicit MapTypeInfo(OrtMapTypeInfo* p) : MapTypeInfoImpl(p) {}
  ConstMapTypeInfo GetConst() const { return ConstMapTypeInfo(p_); }
};

namespace detail {

template <typename T>
struct TypeInfoImpl : Base<T> {
  using Base<T>::Base;

  ONNXType GetONNXType() const {
    ONNXType type = ONNX_TYPE_UNKNOWN;
    ThrowOnError(ORT_CXX_CALL(GetOnnxTypeFromTypeInfo)(this->p_, &type));
    return type;
  }
  // Each holds nullptr when the type is of another kind.
  ConstTensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const {
    const OrtTensorTypeAndShapeInfo* info = nullptr;
    ThrowOnError(ORT_CXX_CALL(CastTypeInfoToTensorInfo)(this->p_, &info));
    return ConstTensorTypeAndShapeInfo(info);
  }
  ConstSequenceTypeInfo GetSequenceTypeInfo() const {
    const OrtSequenceTypeInfo* info = nullptr;
    ThrowOnError(ORT_CXX_CALL(CastTypeInfoToSequenceTypeInfo)(this->p_, &info));
    return ConstSequenceTypeInfo(info);
  }
  ConstMapTypeInfo GetMapTypeInfo() const {
    const OrtMapTypeInfo* info = nullptr;
    ThrowOnError(ORT_CXX_CALL(CastTypeInfoToMapTypeInfo)(this->p_, &info));
    return ConstMapTypeInfo(info);
  }
  ConstOptionalTypeInfo GetOptionalTypeInfo() const {
    const OrtOptionalTypeInfo* info = nullptr;
    ThrowOnError(ORT_CXX_CALL(CastTypeInfoToOptionalTypeInfo)(this->p_, &info));
    return ConstOptionalTypeInfo(info);
  }
  /// What the model says the value means, as "IMAGE"; often empty.
  std::string GetDenotation() const {
    const char* text = nullptr;
    size_t length = 0;
    ThrowOnError(ORT_CXX_CALL(GetDenotationFromTypeInfo)(this->p_, &text, &length));
    return text == nullptr ? std::string() : std::string(text, length);
  }
};

}  // namespace detail

/// A type that something else owns.
using ConstTypeInfo = detail::TypeInfoImpl<detail::Unowned<const OrtTypeInfo>>;

/// A type of any kind.
struct TypeInfo : detail::TypeInfoImpl<OrtTypeInfo> {
  explicit TypeInfo(std::nullptr_t) {}
  explicit TypeInfo(OrtTypeInfo* p) : TypeInfoImpl(p) {}

  // Types for the model editor; the parameters are copied.
  static TypeInfo CreateTensorInfo(ConstTensorTypeAndShapeInfo tensor) {
    return made(tensor, ORT_CXX_EDITOR_CALL(CreateTensorTypeInfo));
  }
  static TypeInfo CreateSparseTensorInfo(ConstTensorTypeAndShapeInfo tensor) {
    return made(tensor, ORT_CXX_EDITOR_CALL(CreateSparseTensorTypeInfo));
  }
  static TypeInfo CreateSequenceTypeInfo(ConstTypeInfo element) {
    return made(element, ORT_CXX_EDITOR_CALL(CreateSequenceTypeInfo));
  }
  static TypeInfo CreateOptionalTypeInfo(ConstTypeInfo contained) {
    return made(contained, ORT_CXX_EDITOR_CALL(CreateOptionalTypeInfo));
  }
  static TypeInfo CreateMapTypeInfo(ONNXTensorElementDataType key, ConstTypeInfo value) {
    OrtTypeInfo* type = nullptr;
    ThrowOnError(ORT_CXX_EDITOR_CALL(CreateMapTypeInfo)(key, value, &type));
    return TypeInfo(type);
  }

  ConstTypeInfo GetConst() const { return ConstTypeInfo(p_); }

 private:
  template <typename From, typename Create>
  static TypeInfo made(From from, Create create) {
    OrtTypeInfo* type = nullptr;
    ThrowOnError(create(from, &type));
    return TypeInfo(type);
  }
};

namespace detail {

template <typename T>
TypeInfo SequenceTypeInfoImpl<T>::GetSequenceElementType() const {
  OrtTypeInfo* type = nullptr;
  ThrowOnError(ORT_CXX_CALL(GetSequenceElementType)(this->p_, &type));
  return TypeInfo(type);
}

template <typename T>
TypeInfo OptionalTypeInfoImpl<T>::GetOptionalElementType() const {
  OrtTypeInfo* type = nullptr;
  ThrowOnError(ORT_CXX_CALL(GetOptionalContainedTypeInfo)(this->p_, &type));
  return TypeInfo(type);
}

template <typename T>
TypeInfo MapTypeInfoImpl<T>::GetMapValueType() const {
  OrtTypeInfo* type = nullptr;
  ThrowOnError(ORT_CXX_CALL(GetMapValueType)(this->p_, &type));
  return TypeInfo(type);
}

}  // namespace detail
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
