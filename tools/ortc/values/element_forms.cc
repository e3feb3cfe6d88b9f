// SPDX-License-Identifier: MIT
// One row per element type.

#include "tools/ortc/values/element_forms.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "tools/ortc/errors.h"

namespace ortc::tool {
namespace {

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

float float_from_half(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const float fraction = static_cast<float>(half & 1023);
  float value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) value = fraction == 0 ? INFINITY : NAN;
  return (half & 0x8000) != 0 ? -value : value;
}

// Ten bits of fraction, exponents from -14; what is too large becomes infinite.
uint16_t half_from_double(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (std::isnan(value)) return 0x7E00;
  if (size >= 65520) return sign | 0x7C00;
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);  // size = f * 2^exponent with f in [0.5, 1)
  // Steps of 2^-24 below 2^-14, of 2^(exponent - 11) above.
  const int step = std::max<int>(exponent - 11, -24);
  const auto count = static_cast<int>(std::nearbyint(std::ldexp(size, -step)));
  // `count` carries into the exponent by itself.
  return static_cast<uint16_t>(sign | (((step + 24) << 10) + count));
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

template <typename T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

const ElementForm& form_of(ONNXTensorElementDataType type) {
  for (const ElementForm& form : kForms) {
    if (form.type == type) return form;
  }
  throw failure("a tensor of unknown element type " + std::to_string(static_cast<int>(type)));
}

int64_t ElementForm::low() const {
  return family == Family::kSigned ? -(int64_t{1} << (bits - 2)) * 2 : 0;
}

uint64_t ElementForm::high() const {
  if (family == Family::kBool) return 1;
  const size_t digits = family == Family::kSigned ? bits - 1 : bits;
  return ~uint64_t{0} >> (64 - digits);
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
  switch (form.file_bytes()) {
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

void store_float(std::byte* at, const ElementForm& form, double value) {
  if (form.family == Family::kHalf) return store(at, half_from_double(value));
  if (form.bits == 64) return store(at, value);
  const auto rounded = static_cast<float>(value);
  if (form.family == Family::kFloat) return store(at, rounded);
  uint32_t bits = 0;
  std::memcpy(&bits, &rounded, sizeof bits);
  // To the nearest even of the upper half; a NaN must not become infinite.
  if (!std::isnan(rounded)) bits += 0x7FFF + (bits >> 16 & 1);
  store(at, static_cast<uint16_t>(bits >> 16));
}

void store_integer(std::byte* at, const ElementForm& form, uint64_t value) {
  switch (form.file_bytes()) {
    case 1:
      return store(at, static_cast<uint8_t>(value));
    case 2:
      return store(at, static_cast<uint16_t>(value));
    case 4:
      return store(at, static_cast<uint32_t>(value));
    default:
      return store(at, value);
  }
}

}  // namespace ortc::tool
