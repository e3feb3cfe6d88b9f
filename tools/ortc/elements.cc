// SPDX-License-Identifier: MIT
// One row per element type says how NumPy calls it and how many bits it takes in a tensor.

#include "tools/ortc/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tools/ortc/texts.h"

namespace ortc::tool {
namespace {

enum class Family { kFloat, kSigned, kUnsigned, kBool, kHalf, kBfloat, kComplex, kBits, kString };

struct ElementForm {
  ONNXTensorElementDataType type;
  const char* descr;  // in a .npy file
  size_t bits;        // in a tensor
  Family family;
};

constexpr ElementForm kForms[] = {
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, "<f4", 32, Family::kFloat},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, "|u1", 8, Family::kUnsigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, "|i1", 8, Family::kSigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, "<u2", 16, Family::kUnsigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, "<i2", 16, Family::kSigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, "<i4", 32, Family::kSigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, "<i8", 64, Family::kSigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, "<U", 0, Family::kString},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, "|b1", 8, Family::kBool},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, "<f2", 16, Family::kHalf},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, "<f8", 64, Family::kFloat},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, "<u4", 32, Family::kUnsigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, "<u8", 64, Family::kUnsigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64, "<c8", 64, Family::kComplex},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128, "<c16", 128, Family::kComplex},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, "<u2", 16, Family::kBfloat},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, "|u1", 8, Family::kBits},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, "|u1", 8, Family::kBits},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, "|u1", 8, Family::kBits},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, "|u1", 8, Family::kBits},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4, "|u1", 4, Family::kUnsigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, "|i1", 4, Family::kSigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1, "|u1", 4, Family::kBits},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2, "|u1", 2, Family::kUnsigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2, "|i1", 2, Family::kSigned},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, "|u1", 8, Family::kBits},
};

const ElementForm& form_of(ONNXTensorElementDataType type) {
  for (const ElementForm& form : kForms) {
    if (form.type == type) return form;
  }
  throw failure("a tensor of unknown element type " + std::to_string(static_cast<int>(type)));
}

// Bytes of one element in a .npy file.
size_t file_size_of(const ElementForm& form) { return form.bits < 8 ? 1 : form.bits / 8; }

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

float float_from_half(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const float fraction = static_cast<float>(half & 1023);
  float value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) value = fraction == 0 ? INFINITY : NAN;
  return (half & 0x8000) != 0 ? -value : value;
}

template <typename T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <typename S, typename U>
double load_integer(const std::byte* at, bool is_signed) {
  return is_signed ? static_cast<double>(load<S>(at)) : static_cast<double>(load<U>(at));
}

double number_at(const std::byte* at, const ElementForm& form) {
  const bool is_signed = form.family == Family::kSigned;
  switch (form.family) {
    case Family::kFloat:
      return form.bits == 32 ? static_cast<double>(load<float>(at)) : load<double>(at);
    case Family::kHalf:
      return float_from_half(load<uint16_t>(at));
    case Family::kBfloat: {
      const uint32_t bits = static_cast<uint32_t>(load<uint16_t>(at)) << 16;
      float value;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    }
    default:
      break;
  }
  switch (file_size_of(form)) {
    case 1:
      return load_integer<int8_t, uint8_t>(at, is_signed);
    case 2:
      return load_integer<int16_t, uint16_t>(at, is_signed);
    case 4:
      return load_integer<int32_t, uint32_t>(at, is_signed);
    default:
      return load_integer<int64_t, uint64_t>(at, is_signed);
  }
}

// SplitMix64: small, and the same everywhere.
uint64_t next_random(uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  uint64_t z = state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

template <typename T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// Multiples of 2^-7 and 2^-10 are exact in bfloat16 and float16, so that bits can be cut off.
void store_random(std::byte* at, const ElementForm& form, uint64_t random) {
  const auto fraction = [&](int bits) {
    return std::ldexp(static_cast<double>(random >> (63 - bits)), -bits) - 1.0;
  };
  uint32_t bits = 0;
  float value = 0;
  switch (form.family) {
    case Family::kFloat:
      if (form.bits == 32) return store(at, static_cast<float>(fraction(23)));
      return store(at, fraction(52));
    case Family::kBfloat:
      value = static_cast<float>(fraction(7));
      std::memcpy(&bits, &value, sizeof bits);
      return store(at, static_cast<uint16_t>(bits >> 16));
    case Family::kHalf:
      value = static_cast<float>(fraction(10));
      std::memcpy(&bits, &value, sizeof bits);
      if (value == 0) return store(at, uint16_t{0});
      return store(
          at, static_cast<uint16_t>((bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 127 + 15) << 10 |
                                    (bits >> 13 & 1023)));
    default:
      std::memset(at, 0, file_size_of(form));
      *at = static_cast<std::byte>(random & 1);
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
                        (form.descr + 1) + "), found " + array.descr.substr(1));
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
  array.data.resize(array.element_count() * file_size_of(form));
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

NpyArray zero_array(ONNXTensorElementDataType type, const std::vector<int64_t>& shape) {
  const ElementForm& form = form_of(type);
  NpyArray array{form.descr, shape, {}};
  const bool is_string = form.family == Family::kString;
  if (is_string) array.descr = "<U1";
  array.data.resize(array.element_count() * (is_string ? 4 : file_size_of(form)));
  return array;
}

NpyArray random_array(ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                      uint64_t seed, const std::string& what) {
  const ElementForm& form = form_of(type);
  if (form.family == Family::kComplex || form.family == Family::kBits ||
      form.family == Family::kString) {
    throw ToolError(kExitFailure, "NOT_IMPLEMENTED",
                    what + ": random " + std::string(element_name(type)) + "; give a .npy file");
  }
  NpyArray array = zero_array(type, shape);
  const size_t size = file_size_of(form);
  for (size_t i = 0; i < array.data.size(); i += size) {
    store_random(array.data.data() + i, form, next_random(seed));
  }
  return array;
}

Statistics statistics_of(const NpyArray& array, ONNXTensorElementDataType type) {
  const ElementForm& form = form_of(type);
  Statistics result;
  if (form.family == Family::kString || form.family == Family::kComplex ||
      form.family == Family::kBits) {
    return result;
  }
  result.is_known = true;
  double sum = 0;
  const size_t size = file_size_of(form);
  for (size_t i = 0; i < array.data.size(); i += size) {
    const double number = number_at(array.data.data() + i, form);
    if (!std::isfinite(number)) {
      result.non_finite_count++;
      continue;
    }
    result.min = result.finite_count == 0 ? number : std::min(result.min, number);
    result.max = result.finite_count == 0 ? number : std::max(result.max, number);
    sum += number;
    result.finite_count++;
  }
  if (result.finite_count > 0) result.mean = sum / static_cast<double>(result.finite_count);
  return result;
}

}  // namespace ortc::tool
