// SPDX-License-Identifier: MIT
// Values and types of the host: see the header.
#include "providers/ortc_ep/host_values.h"

namespace ortc::ort_ep {

DType dtype_of(ONNXTensorElementDataType type) {
  switch (static_cast<int32_t>(type)) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2:
      return DType::kUint2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2:
      return DType::kInt2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0:
      return DType::kFloat8E8M0;
    default:
      return dtype_is_valid(type) ? static_cast<DType>(type) : DType::kUndefined;
  }
}

Result<Type> type_of(const Host& host, const OrtTypeInfo& info) {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  ORTC_ASK(host, GetOnnxTypeFromTypeInfo(&info, &kind));
  if (kind != ONNX_TYPE_TENSOR) return Type();
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  ORTC_ASK(host, CastTypeInfoToTensorInfo(&info, &tensor));
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  ORTC_ASK(host, GetTensorElementType(tensor, &element));
  if (!host.api->TensorTypeAndShape_HasShape(tensor)) return Type::tensor(dtype_of(element));
  size_t rank = 0;
  ORTC_ASK(host, GetDimensionsCount(tensor, &rank));
  std::vector<int64_t> dims(rank);
  std::vector<const char*> symbols(rank);
  ORTC_ASK(host, GetDimensions(tensor, dims.data(), rank));
  ORTC_ASK(host, GetSymbolicDimensions(tensor, symbols.data(), rank));
  Shape shape;
  for (size_t i = 0; i < rank; ++i) {
    const std::string symbol = symbols[i] != nullptr ? symbols[i] : "";
    shape.push_back(dims[i] >= 0     ? Dim::known(dims[i])
                    : symbol.empty() ? Dim::unknown()
                                     : Dim::named(symbol));
  }
  return Type::tensor(dtype_of(element), std::move(shape));
}

Result<HostTensor> tensor_of(const Host& host, const OrtValue& value) {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  ORTC_ASK(host, GetValueType(&value, &kind));
  if (kind != ONNX_TYPE_TENSOR) return not_implemented("a value that is not a tensor");
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const int64_t* dims = nullptr;
  size_t rank = 0;
  ORTC_ASK(host, GetTensorElementTypeAndShapeDataReference(&value, &element, &dims, &rank));
  HostTensor tensor;
  tensor.dtype = dtype_of(element);
  tensor.dims.assign(dims, dims + rank);
  if (dtype_bits(tensor.dtype) == 0) {
    return not_implemented("a tensor of ", dtype_name(tensor.dtype));
  }
  ORTC_ASK(host, GetTensorData(&value, &tensor.data));
  return tensor;
}

Result<Tensor> view_of(const HostTensor& tensor, std::shared_ptr<const void> owner) {
  uint64_t count = 1;
  for (int64_t dim : tensor.dims) {
    const auto product = checked_mul<uint64_t>(count, static_cast<uint64_t>(dim));
    if (dim < 0 || !product) return invalid_graph("impossible shape ", dims_to_string(tensor.dims));
    count = *product;
  }
  const auto size = dtype_bytes(tensor.dtype, count);
  if (!size) return invalid_graph("impossible shape ", dims_to_string(tensor.dims));
  return Tensor::view(tensor.dtype, tensor.dims,
                      {static_cast<const std::byte*>(tensor.data), static_cast<size_t>(*size)},
                      std::move(owner));
}

}  // namespace ortc::ort_ep
