// SPDX-License-Identifier: MIT
// Tensors as C describes them: see the header.
#include "core/api/value/tensor_form.h"

#include <algorithm>

#include "core/api/guard.h"
#include "core/api/value/element_type.h"

namespace ortc::api {
namespace {

// The alignment that C gives the element type: complex numbers are pairs.
size_t element_alignment(DType dtype) {
  switch (dtype) {
    case DType::kComplex64:
      return 4;
    case DType::kComplex128:
      return 8;
    default:
      return std::max<size_t>(1, static_cast<size_t>(dtype_bits(dtype)) / 8);
  }
}

}  // namespace

Result<TensorForm> sparse_form_of(const int64_t* shape, size_t shape_len,
                                  const ONNXTensorElementDataType& type) {
  if (shape_len != 0) ORTC_NEEDED(shape);
  const auto dtype = dtype_of(type);
  if (!dtype)
    return invalid_argument("'type' is ", number_of(type), ", which is not an element type");
  TensorForm form;
  form.dtype = *dtype;
  for (size_t i = 0; i < shape_len; ++i) {
    if (shape[i] < 0) {
      return invalid_argument("'shape[", i, "]' is ", shape[i], ", expected a size of 0 or more");
    }
    form.dims.push_back(shape[i]);
  }
  const auto count = checked_element_count(form.dims);
  if (!count) {
    return invalid_argument(
        "a ", dtype_name(*dtype), " tensor of shape ", dims_to_string(form.dims),
        " does not fit the memory of any machine: it has more elements than can be counted");
  }
  form.count = *count;
  return form;
}

Result<TensorForm> form_of(const int64_t* shape, size_t shape_len,
                           const ONNXTensorElementDataType& type) {
  ASSIGN_OR_RETURN(TensorForm form, sparse_form_of(shape, shape_len, type));
  if (form.dtype == DType::kString && form.count < (int64_t{1} << 40)) return form;
  const auto bytes = dtype_bytes(form.dtype, static_cast<uint64_t>(form.count));
  if (!bytes || *bytes > SIZE_MAX / 2) {
    return invalid_argument("a ", dtype_name(form.dtype), " tensor of shape ",
                            dims_to_string(form.dims), " does not fit the memory of any machine");
  }
  form.bytes = static_cast<size_t>(*bytes);
  return form;
}

Status check_alignment(const void* data, DType dtype) {
  const size_t alignment = element_alignment(dtype);
  if (reinterpret_cast<uintptr_t>(data) % alignment == 0) return {};
  return invalid_argument("the memory of a ", dtype_name(dtype), " tensor must be aligned to ",
                          alignment, " bytes");
}

Result<Tensor> view_of(TensorForm form, const void* data, std::shared_ptr<const void> owner) {
  RETURN_IF_ERROR(check_alignment(data, form.dtype));
  return Tensor::view(form.dtype, std::move(form.dims),
                      {static_cast<const std::byte*>(data), form.bytes}, std::move(owner));
}

Status check_host(const OrtMemoryInfo& info) {
  if (info.is_host_readable()) return {};
  return invalid_argument(
      "'info' describes memory '", info.name,
      "' of a device; only memory of the CPU can be read here (OrtCopyTensors() "
      "brings values there)");
}

Status check_is_tensor(const OrtValue& value) {
  if (value.is_tensor()) return {};
  return invalid_argument("the value is not a tensor: it is ", describe(value.datum()));
}

Result<std::span<const std::string>> strings_of(const OrtValue& value) {
  const SparseTensor* sparse = value.other.sparse();
  if (sparse == nullptr && !value.other.is_none()) {
    return not_implemented("strings of a value that is ", describe(value.other));
  }
  if (sparse == nullptr) RETURN_IF_ERROR(check_is_tensor(value));
  const DType dtype = sparse != nullptr ? sparse->dtype : value.tensor.dtype();
  if (dtype != DType::kString) {
    return invalid_argument("expected a tensor of strings, found ", dtype_name(dtype));
  }
  return sparse != nullptr ? sparse->values.string_elements() : value.tensor.string_elements();
}

}  // namespace ortc::api
