// SPDX-License-Identifier: MIT
// The methods of Value that are about sparse tensors.
#pragma once

#include "ort_c/cxx/value.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

template <typename T>
OrtSparseFormat ConstValueImpl<T>::GetSparseFormat() const {
  OrtSparseFormat format = ORT_SPARSE_UNDEFINED;
  ThrowOnError(ORT_CXX_CALL(GetSparseTensorFormat)(this->p_, &format));
  return format;
}

template <typename T>
TensorTypeAndShapeInfo ConstValueImpl<T>::GetSparseTensorValuesTypeAndShapeInfo() const {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  ThrowOnError(ORT_CXX_CALL(GetSparseTensorValuesTypeAndShape)(this->p_, &info));
  return TensorTypeAndShapeInfo(info);
}

template <typename T>
TensorTypeAndShapeInfo ConstValueImpl<T>::GetSparseTensorIndicesTypeShapeInfo(
    OrtSparseIndicesFormat format) const {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  ThrowOnError(ORT_CXX_CALL(GetSparseTensorIndicesTypeShape)(this->p_, format, &info));
  return TensorTypeAndShapeInfo(info);
}

template <typename T>
template <typename R>
const R* ConstValueImpl<T>::GetSparseTensorValues() const {
  const void* values = nullptr;
  ThrowOnError(ORT_CXX_CALL(GetSparseTensorValues)(this->p_, &values));
  return static_cast<const R*>(values);
}

template <typename T>
template <typename R>
const R* ConstValueImpl<T>::GetSparseTensorIndicesData(OrtSparseIndicesFormat format,
                                                       size_t& count) const {
  const void* indices = nullptr;
  ThrowOnError(ORT_CXX_CALL(GetSparseTensorIndices)(this->p_, format, &count, &indices));
  return static_cast<const R*>(indices);
}

template <typename T>
void ValueImpl<T>::UseCooIndices(int64_t* indices, size_t count) {
  ThrowOnError(ORT_CXX_CALL(UseCooIndices)(this->p_, indices, count));
}

template <typename T>
void ValueImpl<T>::UseCsrIndices(int64_t* inner, size_t inner_count, int64_t* outer,
                                 size_t outer_count) {
  ThrowOnError(ORT_CXX_CALL(UseCsrIndices)(this->p_, inner, inner_count, outer, outer_count));
}

template <typename T>
void ValueImpl<T>::UseBlockSparseIndices(const Shape& indices_shape, int32_t* indices) {
  ThrowOnError(ORT_CXX_CALL(UseBlockSparseIndices)(this->p_, indices_shape.shape,
                                                   indices_shape.shape_len, indices));
}

template <typename T>
void ValueImpl<T>::FillSparseTensorCoo(const OrtMemoryInfo* data_mem_info,
                                       const OrtSparseValuesParam& values, const int64_t* indices,
                                       size_t count) {
  ThrowOnError(ORT_CXX_CALL(FillSparseTensorCoo)(this->p_, data_mem_info, values.values_shape,
                                                 values.values_shape_len, values.data.p_data,
                                                 indices, count));
}

template <typename T>
void ValueImpl<T>::FillSparseTensorCsr(const OrtMemoryInfo* data_mem_info,
                                       const OrtSparseValuesParam& values, const int64_t* inner,
                                       size_t inner_count, const int64_t* outer,
                                       size_t outer_count) {
  ThrowOnError(ORT_CXX_CALL(FillSparseTensorCsr)(this->p_, data_mem_info, values.values_shape,
                                                 values.values_shape_len, values.data.p_data, inner,
                                                 inner_count, outer, outer_count));
}

template <typename T>
void ValueImpl<T>::FillSparseTensorBlockSparse(const OrtMemoryInfo* data_mem_info,
                                               const OrtSparseValuesParam& values,
                                               const Shape& indices_shape, const int32_t* indices) {
  ThrowOnError(ORT_CXX_CALL(FillSparseTensorBlockSparse)(
      this->p_, data_mem_info, values.values_shape, values.values_shape_len, values.data.p_data,
      indices_shape.shape, indices_shape.shape_len, indices));
}

}  // namespace detail

inline Value Value::CreateSparseTensor(const OrtMemoryInfo* info, void* data,
                                       const Shape& dense_shape, const Shape& values_shape,
                                       ONNXTensorElementDataType type) {
  OrtValue* value = nullptr;
  ThrowOnError(ORT_CXX_CALL(CreateSparseTensorWithValuesAsOrtValue)(
      info, data, dense_shape.shape, dense_shape.shape_len, values_shape.shape,
      values_shape.shape_len, type, &value));
  return Value(value);
}

inline Value Value::CreateSparseTensor(OrtAllocator* allocator, const Shape& dense_shape,
                                       ONNXTensorElementDataType type) {
  OrtValue* value = nullptr;
  ThrowOnError(ORT_CXX_CALL(CreateSparseTensorAsOrtValue)(allocator, dense_shape.shape,
                                                          dense_shape.shape_len, type, &value));
  return Value(value);
}

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
