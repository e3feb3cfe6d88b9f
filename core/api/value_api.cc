// SPDX-License-Identifier: MIT
// ort_c/value.h: tensors, over the caller's memory or over memory of their own.
#include <algorithm>
#include <cstring>

#include "core/api/allocator.h"
#include "core/api/element_type.h"
#include "core/api/guard.h"
#include "core/api/handles.h"
#include "ort_c/value.h"

namespace ortc::api {
namespace {

struct TensorForm {
  DType dtype = DType::kUndefined;
  Dims dims;
  int64_t count = 0;
  size_t bytes = 0;  // 0 for strings
};

Result<TensorForm> form_of(const int64_t* shape, size_t shape_len,
                           const ONNXTensorElementDataType& type) {
  if (shape_len != 0) ORTC_NEEDED(shape);
  const auto dtype = dtype_of(type);
  if (!dtype) return invalid_argument("'type' is ", number_of(type), ", which is no element type");
  TensorForm form;
  form.dtype = *dtype;
  for (size_t i = 0; i < shape_len; ++i) {
    if (shape[i] < 0) {
      return invalid_argument("'shape[", i, "]' is ", shape[i], ", expected a size of 0 or more");
    }
    form.dims.push_back(shape[i]);
  }
  const auto count = checked_element_count(form.dims);
  if (count && *dtype == DType::kString && *count < (int64_t{1} << 40)) {
    form.count = *count;
    return form;
  }
  const auto bytes = count ? dtype_bytes(*dtype, static_cast<uint64_t>(*count)) : std::nullopt;
  if (!bytes || *bytes > SIZE_MAX / 2) {
    return invalid_argument("a ", dtype_name(*dtype), " tensor of shape ",
                            dims_to_string(form.dims), " does not fit the memory of any machine");
  }
  form.count = *count;
  form.bytes = static_cast<size_t>(*bytes);
  return form;
}

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

Status check_alignment(const void* data, DType dtype) {
  const size_t alignment = element_alignment(dtype);
  if (reinterpret_cast<uintptr_t>(data) % alignment == 0) return {};
  return invalid_argument("the memory of a ", dtype_name(dtype), " tensor must be aligned to ",
                          alignment, " bytes");
}

Status check_is_tensor(const OrtValue& value) {
  if (!value.tensor.is_defined()) return invalid_argument("the value holds no tensor");
  return {};
}

Status check_has_bytes(const OrtValue& value) {
  RETURN_IF_ERROR(check_is_tensor(value));
  if (value.tensor.dtype() == DType::kString) {
    return invalid_argument(
        "a tensor of strings has no plain memory; use the functions for string tensors");
  }
  return {};
}

Status check_has_strings(const OrtValue& value) {
  RETURN_IF_ERROR(check_is_tensor(value));
  if (value.tensor.dtype() != DType::kString) {
    return invalid_argument("expected a tensor of strings, found ",
                            dtype_name(value.tensor.dtype()));
  }
  return {};
}

Status check_index(std::span<const std::string> elements, size_t index) {
  if (index < elements.size()) return {};
  return invalid_argument("'index' is ", index, ", but the tensor has ", elements.size(),
                          " elements");
}

Result<Tensor> tensor_from(OrtAllocator* allocator, TensorForm form) {
  ASSIGN_OR_RETURN(void* block, allocate(*allocator, form.bytes));
  std::shared_ptr<const void> owner(
      block, [allocator](const void* bytes) { deallocate(*allocator, const_cast<void*>(bytes)); });
  RETURN_IF_ERROR(check_alignment(block, form.dtype));
  return Tensor::view(form.dtype, std::move(form.dims),
                      {static_cast<const std::byte*>(block), form.bytes}, std::move(owner));
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateTensorWithDataAsOrtValue(const OrtMemoryInfo* info, void* p_data,
                                             size_t p_data_len, const int64_t* shape,
                                             size_t shape_len, ONNXTensorElementDataType type,
                                             OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    if (!info->is_host_readable()) {
      return invalid_argument("'info' describes memory '", info->name,
                              "' of a device; only memory of the CPU can be read here");
    }
    ASSIGN_OR_RETURN(api::TensorForm form, api::form_of(shape, shape_len, type));
    if (form.dtype == DType::kString) {
      return invalid_argument(
          "a tensor of strings cannot use memory of the caller; see OrtCreateTensorAsOrtValue()");
    }
    if (form.bytes != 0) ORTC_NEEDED(p_data);
    if (p_data_len < form.bytes) {
      return invalid_argument("a ", dtype_name(form.dtype), " tensor of shape ",
                              dims_to_string(form.dims), " takes ", form.bytes,
                              " bytes, but 'p_data_len' is ", p_data_len);
    }
    RETURN_IF_ERROR(api::check_alignment(p_data, form.dtype));
    auto value = std::make_unique<OrtValue>();
    value->memory = *info;
    ASSIGN_OR_RETURN(value->tensor,
                     Tensor::view(form.dtype, std::move(form.dims),
                                  {static_cast<const std::byte*>(p_data), form.bytes}, nullptr));
    *out = value.release();
    return {};
  });
}

OrtStatus* OrtCreateTensorAsOrtValue(OrtAllocator* allocator, const int64_t* shape,
                                     size_t shape_len, ONNXTensorElementDataType type,
                                     OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(api::TensorForm form, api::form_of(shape, shape_len, type));
    const OrtMemoryInfo* memory =
        allocator->Info != nullptr ? allocator->Info(allocator) : &api::cpu_memory();
    if (memory != nullptr && !memory->is_host_readable()) {
      return invalid_argument("'allocator' gives memory '", memory->name,
                              "' of a device; only memory of the CPU can be used here");
    }
    auto value = std::make_unique<OrtValue>();
    if (memory != nullptr) value->memory = *memory;
    if (form.dtype == DType::kString) {
      const auto count = static_cast<size_t>(form.count);
      value->tensor = Tensor::strings(std::move(form.dims), std::vector<std::string>(count));
    } else {
      ASSIGN_OR_RETURN(value->tensor, api::tensor_from(allocator, std::move(form)));
    }
    *out = value.release();
    return {};
  });
}

void OrtReleaseValue(OrtValue* value) { delete value; }

OrtStatus* OrtGetTensorMutableData(OrtValue* value, void** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    RETURN_IF_ERROR(api::check_has_bytes(*value));
    *out = value->tensor.mutable_data();
    return {};
  });
}

OrtStatus* OrtGetTensorData(const OrtValue* value, const void** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    RETURN_IF_ERROR(api::check_has_bytes(*value));
    *out = value->tensor.data();
    return {};
  });
}

OrtStatus* OrtGetTensorSizeInBytes(const OrtValue* ort_value, size_t* size) {
  return guard([&]() -> Status {
    ORTC_OUT(size);
    ORTC_NEEDED(ort_value);
    RETURN_IF_ERROR(api::check_has_bytes(*ort_value));
    *size = ort_value->tensor.byte_size();
    return {};
  });
}

OrtStatus* OrtGetTensorTypeAndShape(const OrtValue* value, OrtTensorTypeAndShapeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    RETURN_IF_ERROR(api::check_is_tensor(*value));
    *out = new OrtTensorTypeAndShapeInfo(api::type_info_of(Type::tensor_of(value->tensor)).tensor);
    return {};
  });
}

OrtStatus* OrtGetTypeInfo(const OrtValue* value, OrtTypeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    if (!value->tensor.is_defined()) return {};
    *out = new OrtTypeInfo(api::type_info_of(Type::tensor_of(value->tensor)));
    return {};
  });
}

OrtStatus* OrtGetValueType(const OrtValue* value, enum ONNXType* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    *out = value->tensor.is_defined() ? ONNX_TYPE_TENSOR : ONNX_TYPE_UNKNOWN;
    return {};
  });
}

OrtStatus* OrtIsTensor(const OrtValue* value, int* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    *out = value->tensor.is_defined() ? 1 : 0;
    return {};
  });
}

OrtStatus* OrtHasValue(const OrtValue* value, int* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    *out = value->tensor.is_defined() ? 1 : 0;
    return {};
  });
}

OrtStatus* OrtGetTensorMemoryInfo(const OrtValue* value, const OrtMemoryInfo** mem_info) {
  return guard([&]() -> Status {
    ORTC_OUT(mem_info);
    ORTC_NEEDED(value);
    RETURN_IF_ERROR(api::check_is_tensor(*value));
    *mem_info = &value->memory;
    return {};
  });
}

OrtStatus* OrtFillStringTensor(OrtValue* value, const char* const* s, size_t s_len) {
  return guard([&]() -> Status {
    ORTC_NEEDED(value);
    RETURN_IF_ERROR(api::check_has_strings(*value));
    const auto elements = value->tensor.mutable_string_elements();
    if (s_len != elements.size()) {
      return invalid_argument("'s_len' is ", s_len, ", but the tensor has ", elements.size(),
                              " elements");
    }
    if (s_len != 0) ORTC_NEEDED(s);
    for (size_t i = 0; i < s_len; ++i) {
      if (s[i] == nullptr) return invalid_argument("'s[", i, "]' must not be NULL");
    }
    for (size_t i = 0; i < s_len; ++i) elements[i] = s[i];
    return {};
  });
}

OrtStatus* OrtFillStringTensorElement(OrtValue* value, const char* s, size_t index) {
  return guard([&]() -> Status {
    ORTC_NEEDED(value);
    ORTC_NEEDED(s);
    RETURN_IF_ERROR(api::check_has_strings(*value));
    const auto elements = value->tensor.mutable_string_elements();
    RETURN_IF_ERROR(api::check_index(elements, index));
    elements[index] = s;
    return {};
  });
}

OrtStatus* OrtGetStringTensorDataLength(const OrtValue* value, size_t* len) {
  return guard([&]() -> Status {
    ORTC_OUT(len);
    ORTC_NEEDED(value);
    RETURN_IF_ERROR(api::check_has_strings(*value));
    for (const std::string& element : value->tensor.string_elements()) *len += element.size();
    return {};
  });
}

OrtStatus* OrtGetStringTensorContent(const OrtValue* value, void* s, size_t s_len, size_t* offsets,
                                     size_t offsets_len) {
  return guard([&]() -> Status {
    ORTC_NEEDED(value);
    RETURN_IF_ERROR(api::check_has_strings(*value));
    const auto elements = value->tensor.string_elements();
    if (offsets_len != elements.size()) {
      return fail("'offsets_len' is ", offsets_len, ", but the tensor has ", elements.size(),
                  " elements");
    }
    size_t total = 0;
    for (const std::string& element : elements) total += element.size();
    if (s_len < total) {
      return fail("the elements take ", total, " bytes, but 's_len' is ", s_len);
    }
    if (offsets_len != 0) ORTC_NEEDED(offsets);
    if (total != 0) ORTC_NEEDED(s);
    size_t offset = 0;
    for (size_t i = 0; i < elements.size(); ++i) {
      offsets[i] = offset;
      std::copy(elements[i].begin(), elements[i].end(), static_cast<char*>(s) + offset);
      offset += elements[i].size();
    }
    return {};
  });
}

OrtStatus* OrtGetStringTensorElementLength(const OrtValue* value, size_t index, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    RETURN_IF_ERROR(api::check_has_strings(*value));
    const auto elements = value->tensor.string_elements();
    RETURN_IF_ERROR(api::check_index(elements, index));
    *out = elements[index].size();
    return {};
  });
}

OrtStatus* OrtGetStringTensorElement(const OrtValue* value, size_t s_len, size_t index, void* s) {
  return guard([&]() -> Status {
    ORTC_NEEDED(value);
    RETURN_IF_ERROR(api::check_has_strings(*value));
    const auto elements = value->tensor.string_elements();
    RETURN_IF_ERROR(api::check_index(elements, index));
    const std::string& element = elements[index];
    if (s_len < element.size()) {
      return fail("the element takes ", element.size(), " bytes, but 's_len' is ", s_len);
    }
    if (!element.empty()) {
      ORTC_NEEDED(s);
      std::memcpy(s, element.data(), element.size());
    }
    return {};
  });
}

}  // extern "C"
