// SPDX-License-Identifier: MIT
// ort_c/value.h: tensors, over the caller's memory or over memory of their own.
#include <algorithm>
#include <cstring>

#include "core/api/env/allocator.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/value/element_type.h"
#include "core/api/value/tensor_form.h"
#include "core/api/value/type_info_handles.h"
#include "core/api/value/value_handle.h"
#include "ort_c/value.h"

namespace ortc::api {
namespace {

Status check_has_bytes(const OrtValue& value) {
  RETURN_IF_ERROR(check_is_tensor(value));
  if (value.tensor.dtype() == DType::kString) {
    return invalid_argument(
        "a tensor of strings has no plain memory; use the functions for string tensors");
  }
  return {};
}

Result<std::span<std::string>> mutable_strings_of(OrtValue& value) {
  RETURN_IF_ERROR(check_is_tensor(value));
  RETURN_IF_ERROR(strings_of(value).status());
  return value.tensor.mutable_string_elements();
}

Status check_index(std::span<const std::string> elements, size_t index) {
  if (index < elements.size()) return {};
  return invalid_argument("'index' is ", index, ", but the tensor has ", elements.size(),
                          " elements");
}

Result<Tensor> tensor_from(OrtAllocator& allocator, TensorForm form) {
  ASSIGN_OR_RETURN(std::shared_ptr<void> block, allocate_shared(keep(allocator), form.bytes));
  const void* data = block.get();
  return view_of(std::move(form), data, std::move(block));
}

// Memory of the program that a tensor takes over. Until `data` is set it is still the program's.
struct TakenMemory {
  explicit TakenMemory(OrtAllocator& from) : deleter(keep(from)) {}
  ~TakenMemory() { deallocate(*deleter, data); }
  TakenMemory(const TakenMemory&) = delete;
  TakenMemory& operator=(const TakenMemory&) = delete;
  std::shared_ptr<OrtAllocator> deleter;
  void* data = nullptr;
};

// A tensor over memory of the caller, or of `owner`. Nobody looks into memory of a device.
Result<Tensor> caller_tensor(void* p_data, size_t p_data_len, const int64_t* shape,
                             size_t shape_len, const ONNXTensorElementDataType& type,
                             std::shared_ptr<const void> owner = nullptr) {
  ASSIGN_OR_RETURN(TensorForm form, form_of(shape, shape_len, type));
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
  return view_of(std::move(form), p_data, std::move(owner));
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
    auto value = std::make_unique<OrtValue>();
    value->memory = *info;
    ASSIGN_OR_RETURN(value->tensor, api::caller_tensor(p_data, p_data_len, shape, shape_len, type));
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
    if (memory != nullptr && form.dtype == DType::kString) {
      RETURN_IF_ERROR(api::check_host(*memory));
    }
    auto value = std::make_unique<OrtValue>();
    if (memory != nullptr) value->memory = *memory;
    if (form.dtype == DType::kString) {
      const auto count = static_cast<size_t>(form.count);
      value->tensor = Tensor::strings(std::move(form.dims), std::vector<std::string>(count));
    } else {
      ASSIGN_OR_RETURN(value->tensor, api::tensor_from(*allocator, std::move(form)));
    }
    *out = value.release();
    return {};
  });
}

OrtStatus* OrtCreateTensorWithDataAndDeleterAsOrtValue(OrtAllocator* deleter, void* p_data,
                                                       size_t p_data_len, const int64_t* shape,
                                                       size_t shape_len,
                                                       ONNXTensorElementDataType type,
                                                       OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(deleter);
    const OrtMemoryInfo* memory = deleter->Info != nullptr ? deleter->Info(deleter) : nullptr;
    if (memory == nullptr) memory = &api::cpu_memory();
    auto value = std::make_unique<OrtValue>();
    value->memory = *memory;
    const auto taken = std::make_shared<api::TakenMemory>(*deleter);
    ASSIGN_OR_RETURN(value->tensor,
                     api::caller_tensor(p_data, p_data_len, shape, shape_len, type, taken));
    taken->data = p_data;  // ours from here on: nothing below fails
    *out = value.release();
    return {};
  });
}

void OrtReleaseValue(OrtValue* value) {
  if (value != nullptr && !value->lent.is_lent) delete value;
}

OrtStatus* OrtTensorAt(OrtValue* value, const int64_t* location_values,
                       size_t location_values_count, void** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    RETURN_IF_ERROR(api::check_has_bytes(*value));
    const Tensor& tensor = value->tensor;
    if (dtype_bits(tensor.dtype()) < 8) {
      return invalid_argument("TensorAt does not support sub-byte packed types; elements of ",
                              dtype_name(tensor.dtype()),
                              " share bytes and have no address of their own");
    }
    if (location_values_count != tensor.dims().size()) {
      return invalid_argument(
          "location dimensions do not match shape size: "
          "'location_values_count' is ",
          location_values_count, ", but the tensor has ", tensor.dims().size(), " dimensions");
    }
    if (location_values_count != 0) ORTC_NEEDED(location_values);
    int64_t position = 0;
    for (size_t i = 0; i < location_values_count; ++i) {
      const int64_t at = location_values[i], size = tensor.dims()[i];
      if (at < 0 || at >= size) {
        return invalid_argument("invalid location range: 'location_values[", i, "]' is ", at,
                                ", expected 0 to ", size - 1);
      }
      position = position * size + at;
    }
    const int64_t bytes = dtype_bits(tensor.dtype()) / 8;
    *out = static_cast<std::byte*>(value->tensor.mutable_data()) + position * bytes;
    return {};
  });
}

OrtStatus* OrtGetTensorElementTypeAndShapeDataReference(const OrtValue* value,
                                                        ONNXTensorElementDataType* elem_type,
                                                        const int64_t** shape_data,
                                                        size_t* shape_data_count) {
  return guard([&]() -> Status {
    api::empty_outs(elem_type, shape_data, shape_data_count);
    ORTC_NEEDED(value);
    ORTC_NEEDED(elem_type);
    ORTC_NEEDED(shape_data);
    ORTC_NEEDED(shape_data_count);
    const SparseTensor* sparse = value->other.sparse();
    if (sparse == nullptr) RETURN_IF_ERROR(api::check_is_tensor(*value));
    const Dims& dims = sparse != nullptr ? sparse->dims : value->tensor.dims();
    *elem_type = api::element_type_of(sparse != nullptr ? sparse->dtype : value->tensor.dtype());
    *shape_data = dims.data();
    *shape_data_count = dims.size();
    return {};
  });
}

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
    if (value->other.sparse() == nullptr) RETURN_IF_ERROR(api::check_is_tensor(*value));
    *out = new OrtTensorTypeAndShapeInfo(api::type_info_of(api::type_of(*value)).tensor);
    return {};
  });
}

OrtStatus* OrtGetTypeInfo(const OrtValue* value, OrtTypeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    if (!value->has_content()) return {};
    *out = new OrtTypeInfo(api::type_info_of(api::type_of(*value)));
    return {};
  });
}

OrtStatus* OrtGetValueType(const OrtValue* value, enum ONNXType* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    *out = api::kind_of(api::type_of(*value).kind);
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
    *out = value->has_content() ? 1 : 0;
    return {};
  });
}

OrtStatus* OrtGetTensorMemoryInfo(const OrtValue* value, const OrtMemoryInfo** mem_info) {
  return guard([&]() -> Status {
    ORTC_OUT(mem_info);
    ORTC_NEEDED(value);
    if (value->other.sparse() == nullptr) RETURN_IF_ERROR(api::check_is_tensor(*value));
    *mem_info = &value->memory;
    return {};
  });
}

OrtStatus* OrtFillStringTensor(OrtValue* value, const char* const* s, size_t s_len) {
  return guard([&]() -> Status {
    ORTC_NEEDED(value);
    ASSIGN_OR_RETURN(const auto elements, api::mutable_strings_of(*value));
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
    ASSIGN_OR_RETURN(const auto elements, api::mutable_strings_of(*value));
    RETURN_IF_ERROR(api::check_index(elements, index));
    elements[index] = s;
    return {};
  });
}

OrtStatus* OrtGetStringTensorDataLength(const OrtValue* value, size_t* len) {
  return guard([&]() -> Status {
    ORTC_OUT(len);
    ORTC_NEEDED(value);
    ASSIGN_OR_RETURN(const auto elements, api::strings_of(*value));
    for (const std::string& element : elements) *len += element.size();
    return {};
  });
}

OrtStatus* OrtGetStringTensorContent(const OrtValue* value, void* s, size_t s_len, size_t* offsets,
                                     size_t offsets_len) {
  return guard([&]() -> Status {
    ORTC_NEEDED(value);
    ASSIGN_OR_RETURN(const auto elements, api::strings_of(*value));
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
    ASSIGN_OR_RETURN(const auto elements, api::strings_of(*value));
    RETURN_IF_ERROR(api::check_index(elements, index));
    *out = elements[index].size();
    return {};
  });
}

OrtStatus* OrtGetStringTensorElement(const OrtValue* value, size_t s_len, size_t index, void* s) {
  return guard([&]() -> Status {
    ORTC_NEEDED(value);
    ASSIGN_OR_RETURN(const auto elements, api::strings_of(*value));
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

OrtStatus* OrtGetResizedStringTensorElementBuffer(OrtValue* value, size_t index,
                                                  size_t length_in_bytes, char** buffer) {
  return guard([&]() -> Status {
    ORTC_OUT(buffer);
    ORTC_NEEDED(value);
    ASSIGN_OR_RETURN(const auto elements, api::mutable_strings_of(*value));
    RETURN_IF_ERROR(api::check_index(elements, index));
    elements[index].resize(length_in_bytes);
    *buffer = elements[index].data();
    return {};
  });
}

}  // extern "C"
