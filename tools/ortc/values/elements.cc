// SPDX-License-Identifier: MIT
// Elements of a byte and more are copied; smaller ones are packed as tensors have them.

#include "tools/ortc/values/elements.h"

#include <cstring>

#include "tools/ortc/values/element_forms.h"
#include "tools/ortc/values/texts.h"

namespace ortc::tool {
namespace {

OrtAllocator* default_allocator() {
  OrtAllocator* allocator = nullptr;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  return allocator;
}

// Elements below a byte: one per byte in the file, the first in the low bits of a tensor's byte.
void pack(const NpyArray& array, size_t bits, std::byte* out, const std::string& what) {
  const size_t per_byte = 8 / bits;
  const auto mask = static_cast<unsigned>((1U << bits) - 1);
  const bool is_signed = array.descr[1] == 'i';
  for (size_t i = 0; i < array.data.size(); i++) {
    const auto element = std::to_integer<unsigned>(array.data[i]);
    const int value =
        is_signed && element > 127 ? static_cast<int>(element) - 256 : static_cast<int>(element);
    const int low = is_signed ? -(1 << (bits - 1)) : 0;
    if (value < low || value >= low + (1 << bits)) {
      throw failure(what + ": element " + std::to_string(value) + " does not fit " +
                    std::to_string(bits) + " bits");
    }
    if (i % per_byte == 0) out[i / per_byte] = std::byte{0};
    out[i / per_byte] |= static_cast<std::byte>((element & mask) << (bits * (i % per_byte)));
  }
}

void unpack(const std::byte* packed, size_t bits, bool is_signed, std::vector<std::byte>& out) {
  const size_t per_byte = 8 / bits;
  const unsigned mask = (1U << bits) - 1, sign = 1U << (bits - 1);
  for (size_t i = 0; i < out.size(); i++) {
    unsigned element =
        std::to_integer<unsigned>(packed[i / per_byte]) >> (bits * (i % per_byte)) & mask;
    if (is_signed && (element & sign) != 0) element |= ~mask;
    out[i] = static_cast<std::byte>(element & 0xFF);
  }
}

}  // namespace

Value value_from_array(const NpyArray& array, ONNXTensorElementDataType type,
                       const std::string& what) {
  const ElementForm& form = form_of(type);
  auto value = make<Value>(OrtCreateTensorAsOrtValue, default_allocator(), array.shape.data(),
                           array.shape.size(), type);
  if (form.family == Family::kString) {
    fill_strings(array, value.get(), what);
    return value;
  }
  if (array.descr.substr(1) != std::string(form.descr + 1)) {
    throw ToolError(kExitFailure, "INVALID_ARGUMENT",
                    what + " needs " + std::string(element_name(type)) + " (NumPy type " +
                        (form.descr + 1) + "), found " + array.descr.substr(1))
        .set_hint(std::string("save x.astype('") + (form.descr + 1) + "')");
  }
  void* data = nullptr;
  check(OrtGetTensorMutableData(value.get(), &data));
  if (array.data.empty()) return value;
  if (form.bits < 8) {
    pack(array, form.bits, static_cast<std::byte*>(data), what);
  } else {
    std::memcpy(data, array.data.data(), array.data.size());
  }
  return value;
}

NpyArray array_from_value(const OrtValue* value) {
  const auto info = make<ShapeInfo>(OrtGetTensorTypeAndShape, value);
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  check(OrtGetTensorElementType(info.get(), &type));
  const ElementForm& form = form_of(type);
  NpyArray array;
  size_t rank = 0;
  check(OrtGetDimensionsCount(info.get(), &rank));
  array.shape.resize(rank);
  check(OrtGetDimensions(info.get(), array.shape.data(), rank));
  if (form.family == Family::kString) return array_of_strings(value, std::move(array));
  array.descr = form.descr;
  array.data.resize(array.element_count() * form.file_bytes());
  if (array.data.empty()) return array;
  const void* data = nullptr;
  check(OrtGetTensorData(value, &data));
  if (form.bits < 8) {
    unpack(static_cast<const std::byte*>(data), form.bits, form.family == Family::kSigned,
           array.data);
  } else {
    std::memcpy(array.data.data(), data, array.data.size());
  }
  return array;
}

}  // namespace ortc::tool
