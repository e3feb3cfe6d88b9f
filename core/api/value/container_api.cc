// SPDX-License-Identifier: MIT
// ort_c/container.h: sequences and maps. Tensors are copied on the way in and on the way out, so
// that nothing a caller does changes a container.
#include <algorithm>
#include <numeric>

#include "core/api/env/allocator.h"
#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/value/element_type.h"
#include "core/api/value/tensor_form.h"
#include "core/api/value/type_info_handles.h"
#include "core/api/value/value_handle.h"
#include "ort_c/container.h"

namespace ortc::api {
namespace {

// The values that `order` names, as a vector.
Result<Tensor> permuted(const Tensor& values, const std::vector<size_t>& order) {
  ASSIGN_OR_RETURN(Tensor result,
                   Tensor::create(values.dtype(), {static_cast<int64_t>(order.size())}));
  const bool is_text = values.dtype() == DType::kString;
  const size_t size =
      is_text ? sizeof(std::string) : static_cast<size_t>(dtype_bits(values.dtype())) / 8;
  const auto* from = static_cast<const std::byte*>(values.data());
  auto* to = static_cast<std::byte*>(result.mutable_data());
  for (size_t i = 0; i < order.size(); ++i) {
    copy_elements(values.dtype(), 1, from + order[i] * size, to + i * size);
  }
  return result;
}

// Positions of the keys in ascending order, each key once, of equal ones the first.
template <typename T>
std::vector<size_t> order_of(std::span<const T> keys) {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  const auto rest =
      std::ranges::unique(order, [&](size_t a, size_t b) { return keys[a] == keys[b]; });
  order.erase(rest.begin(), rest.end());
  return order;
}

Result<Datum> map_of(const OrtValue& keys, const OrtValue& values) {
  constexpr TypeMask kValueTypes =
      mask_of(DType::kInt64, DType::kFloat32, DType::kFloat64, DType::kString);
  RETURN_IF_ERROR(check_is_tensor(keys));
  RETURN_IF_ERROR(check_is_tensor(values));
  RETURN_IF_ERROR(check_host(keys));
  RETURN_IF_ERROR(check_host(values));
  const Tensor &k = keys.tensor, &v = values.tensor;
  if (k.dtype() != DType::kInt64 && k.dtype() != DType::kString) {
    return fail("keys of a map must be int64 or string, found ", dtype_name(k.dtype()));
  }
  if ((mask_of(v.dtype()) & kValueTypes) == 0) {
    return fail("values of a map must be int64, float32, float64 or string, found ",
                dtype_name(v.dtype()));
  }
  if (k.dims().size() > 1 || v.dims().size() > 1 || k.element_count() != v.element_count()) {
    return fail("keys and values of a map must be vectors of equal length, found ",
                dims_to_string(k.dims()), " and ", dims_to_string(v.dims()));
  }
  const auto order =
      k.dtype() == DType::kString ? order_of(k.string_elements()) : order_of(k.elements<int64_t>());
  Map map;
  ASSIGN_OR_RETURN(map.keys, permuted(k, order));
  ASSIGN_OR_RETURN(map.values, permuted(v, order));
  return Datum::of(std::move(map));
}

Result<Datum> sequence_of(const OrtValue* const* in, size_t count) {
  Sequence sequence;
  for (size_t i = 0; i < count; ++i) {
    const Map* map = in[i]->other.map();
    if (map == nullptr && !in[i]->is_tensor()) {
      return fail("element ", i, " of the sequence is ", describe(in[i]->datum()),
                  ", expected a tensor or a map");
    }
    RETURN_IF_ERROR_WHILE(check_host(*in[i]), "element ", i);
    const DType dtype = map != nullptr ? map->values.dtype() : in[i]->tensor.dtype();
    const DType key = map != nullptr ? map->keys.dtype() : DType::kUndefined;
    if (i == 0) {
      sequence.dtype = dtype;
      sequence.map_key = key;
    } else if (sequence.dtype != dtype || sequence.map_key != key) {
      return fail("element ", i, " of the sequence is ", describe(in[i]->datum()),
                  ", the first one ", describe(in[0]->datum()));
    }
    if (map != nullptr) {
      sequence.items.push_back(in[i]->other);
    } else {
      ASSIGN_OR_RETURN(Tensor copy, copy_of(in[i]->tensor));
      sequence.items.emplace_back(std::move(copy));
    }
  }
  return Datum::of(std::move(sequence));
}

// What the elements of a sequence would be.
Result<Datum> empty_sequence(const OrtTypeInfo& element) {
  const bool is_map = element.kind == ONNX_TYPE_MAP;
  const OrtTypeInfo& tensor = is_map ? *element.map.value : element;
  const auto dtype = dtype_of(tensor.tensor.type);
  const auto key = is_map ? dtype_of(element.map.key) : DType::kUndefined;
  if (tensor.kind != ONNX_TYPE_TENSOR || !dtype || !key) {
    return invalid_argument("'type_info' is a sequence of neither tensors nor maps");
  }
  Sequence sequence;
  sequence.dtype = *dtype;
  sequence.map_key = *key;
  return Datum::of(std::move(sequence));
}

// A copy in memory of the allocator; texts lie where std::string puts them.
Result<Tensor> copy_with(OrtAllocator& allocator, const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return copy_of(tensor);
  RETURN_IF_ERROR(check_on_host(allocator));
  ASSIGN_OR_RETURN(std::shared_ptr<void> block,
                   allocate_shared(keep(allocator), tensor.byte_size()));
  RETURN_IF_ERROR(check_alignment(block.get(), tensor.dtype()));
  copy_elements(tensor.dtype(), tensor.element_count(), tensor.data(), block.get());
  const auto* data = static_cast<const std::byte*>(block.get());
  return Tensor::view(tensor.dtype(), tensor.dims(), {data, tensor.byte_size()}, std::move(block));
}

Status no_container(const OrtValue& value) {
  return fail("the value is ", describe(value.datum()), ", neither a sequence nor a map");
}

Status no_opaque(const char* function) {
  return not_implemented(function, ": this library knows no opaque types");
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateValue(const OrtValue* const* in, size_t num_values, enum ONNXType value_type,
                          OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    if (num_values == 0) return fail("'num_values' is 0, expected 1 or more");
    ORTC_NEEDED(in);
    for (size_t i = 0; i < num_values; ++i) {
      if (in[i] == nullptr) return invalid_argument("'in[", i, "]' must not be NULL");
    }
    auto value = std::make_unique<OrtValue>();
    const int32_t kind = api::number_of(value_type);
    if (kind == ONNX_TYPE_MAP) {
      if (num_values != 2) return fail("'num_values' is ", num_values, ", expected 2 for a map");
      ASSIGN_OR_RETURN(value->other, api::map_of(*in[0], *in[1]));
    } else if (kind == ONNX_TYPE_SEQUENCE) {
      ASSIGN_OR_RETURN(value->other, api::sequence_of(in, num_values));
    } else {
      return fail("'value_type' is ", kind, ", expected ONNX_TYPE_SEQUENCE or ONNX_TYPE_MAP");
    }
    *out = value.release();
    return {};
  });
}

OrtStatus* OrtCreateEmptyValue(const OrtTypeInfo* type_info, OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(type_info);
    auto value = std::make_unique<OrtValue>();
    if (type_info->kind == ONNX_TYPE_SEQUENCE) {
      ASSIGN_OR_RETURN(value->other, api::empty_sequence(*type_info->sequence.element));
    } else if (type_info->kind != ONNX_TYPE_OPTIONAL) {
      return invalid_argument("'type_info' is of kind ", static_cast<int>(type_info->kind),
                              ", expected a sequence or an optional");
    }
    *out = value.release();
    return {};
  });
}

OrtStatus* OrtGetValueCount(const OrtValue* value, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    if (const Sequence* sequence = value->other.sequence()) {
      *out = sequence->items.size();
    } else if (value->other.map() != nullptr) {
      *out = 2;
    } else {
      return api::no_container(*value);
    }
    return {};
  });
}

OrtStatus* OrtGetValue(const OrtValue* value, int index, OrtAllocator* allocator, OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    ORTC_NEEDED(allocator);
    const Sequence* sequence = value->other.sequence();
    const Map* map = value->other.map();
    if (sequence == nullptr && map == nullptr) return api::no_container(*value);
    const size_t count = sequence != nullptr ? sequence->items.size() : 2;
    if (index < 0 || static_cast<size_t>(index) >= count) {
      // The codes are ONNX Runtime's.
      return make_status(sequence != nullptr ? Code::kRuntimeException : Code::kFail, "'index' is ",
                         index, ", but there are ", count, " parts");
    }
    const auto at = static_cast<size_t>(index);
    Datum part;
    if (sequence != nullptr) {
      part = sequence->items[at];
    } else {
      part = at == 0 ? map->keys : map->values;
    }
    auto made = std::make_unique<OrtValue>();
    if (part.is_tensor()) {
      ASSIGN_OR_RETURN(part, api::copy_with(*allocator, *part.tensor()));
      const OrtMemoryInfo* const memory =
          allocator->Info != nullptr ? allocator->Info(allocator) : nullptr;
      // Texts never lie on a device.
      if (memory != nullptr && memory->is_host_readable()) made->memory = *memory;
    }
    made->set(std::move(part));
    *out = made.release();
    return {};
  });
}

OrtStatus* OrtCreateOpaqueValue(const char*, const char*, const void*, size_t, OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    return api::no_opaque("OrtCreateOpaqueValue");
  });
}

OrtStatus* OrtGetOpaqueValue(const char*, const char*, const OrtValue*, void*, size_t) {
  return guard([]() -> Status { return api::no_opaque("OrtGetOpaqueValue"); });
}

}  // extern "C"
