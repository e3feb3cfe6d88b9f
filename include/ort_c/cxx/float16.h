// SPDX-License-Identifier: MIT
// Number types that C++ does not have, and which element type of a tensor each C++ type is.
#pragma once

#include <cstdint>
#include <cstring>

#include "ort_c/cxx/mode.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

inline uint32_t bits_of(float value) noexcept {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float float_of(uint32_t bits) noexcept {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Drops the low `count` bits (1 to 31), rounding to nearest and ties to even.
inline uint32_t round_off(uint32_t bits, int count) noexcept {
  const uint32_t odd = (bits >> count) & 1;
  const uint32_t half = uint32_t{1} << (count - 1);
  return static_cast<uint32_t>((uint64_t{bits} + half - 1 + odd) >> count);
}

inline uint16_t float_to_half(float value) noexcept {
  const uint32_t bits = bits_of(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);   // NaN
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7c00);  // 65536 and more
  if (magnitude >= 0x38800000) {  // 2^-14 and more: normal. Rounding may carry into infinity.
    return static_cast<uint16_t>(sign | round_off(magnitude - 0x38000000, 13));
  }
  const int shift = 126 - static_cast<int>(magnitude >> 23);  // units of 2^-24
  if (shift > 24) return sign;
  return static_cast<uint16_t>(sign | round_off((magnitude & 0x7fffff) | 0x800000, shift));
}

inline float half_to_float(uint16_t half) noexcept {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16;
  const uint32_t exponent = (half >> 10) & 0x1f, mantissa = half & 0x3ff;
  if (exponent == 0x1f) return float_of(sign | 0x7f800000 | (mantissa << 13));
  if (exponent != 0) return float_of(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float value = static_cast<float>(mantissa) * (1.0f / 16777216.0f);
  return sign != 0 ? -value : value;
}

inline uint16_t float_to_bfloat16(float value) noexcept {
  const uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>(round_off(bits, 16));
}

/// What the 16-bit types have in common. `kInfinity` is the bits of positive infinity: all ones in
/// the exponent; `kLeast` those of the least positive normal number.
template <typename Self, uint16_t kInfinity, uint16_t kLeast>
struct Float16Base {
  uint16_t val = 0;

  static constexpr Self FromBits(uint16_t bits) noexcept {
    Self result;
    result.val = bits;
    return result;
  }
  float ToFloat() const noexcept { return self().ToFloatImpl(); }
  explicit operator float() const noexcept { return ToFloat(); }

  bool IsNegative() const noexcept { return (val & 0x8000) != 0; }
  bool IsNaN() const noexcept { return magnitude() > kInfinity; }
  bool IsFinite() const noexcept { return magnitude() < kInfinity; }
  bool IsPositiveInfinity() const noexcept { return val == kInfinity; }
  bool IsNegativeInfinity() const noexcept { return val == (0x8000 | kInfinity); }
  bool IsInfinity() const noexcept { return magnitude() == kInfinity; }
  bool IsNaNOrZero() const noexcept { return IsNaN() || magnitude() == 0; }
  bool IsNormal() const noexcept { return magnitude() >= kLeast && IsFinite(); }
  bool IsSubnormal() const noexcept { return magnitude() != 0 && magnitude() < kLeast; }
  Self Abs() const noexcept { return FromBits(magnitude()); }
  Self Negate() const noexcept { return FromBits(static_cast<uint16_t>(val ^ 0x8000)); }
  static bool AreZero(const Self& a, const Self& b) noexcept {
    return a.magnitude() == 0 && b.magnitude() == 0;
  }

  /// Numbers compare as floats do: zeros are equal, NaN is equal to nothing.
  friend bool operator==(const Self& a, const Self& b) noexcept {
    return a.ToFloat() == b.ToFloat();
  }
  friend bool operator!=(const Self& a, const Self& b) noexcept { return !(a == b); }
  friend bool operator<(const Self& a, const Self& b) noexcept { return a.ToFloat() < b.ToFloat(); }

 protected:
  uint16_t magnitude() const noexcept { return val & 0x7fff; }

 private:
  const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

}  // namespace detail

/// IEEE half precision: 5 bits of exponent, 10 of mantissa. An array of them is an array of the
/// 16-bit patterns.
struct Float16_t : detail::Float16Base<Float16_t, 0x7c00, 0x0400> {
  Float16_t() = default;
  /// Rounds to nearest, ties to even.
  explicit Float16_t(float value) noexcept { val = detail::float_to_half(value); }
  float ToFloatImpl() const noexcept { return detail::half_to_float(val); }
};

/// The upper half of a float: 8 bits of exponent, 7 of mantissa.
struct BFloat16_t : detail::Float16Base<BFloat16_t, 0x7f80, 0x0080> {
  BFloat16_t() = default;
  /// Rounds to nearest, ties to even.
  explicit BFloat16_t(float value) noexcept { val = detail::float_to_bfloat16(value); }
  float ToFloatImpl() const noexcept { return detail::float_of(uint32_t{val} << 16); }
};

namespace detail {
struct Float8Bits {
  uint8_t value = 0;
  constexpr Float8Bits() = default;
  constexpr Float8Bits(uint8_t bits) noexcept : value(bits) {}
  constexpr operator uint8_t() const noexcept { return value; }
};
}  // namespace detail

// Eight-bit floats: their bits only.
struct Float8E4M3FN_t : detail::Float8Bits {
  using Float8Bits::Float8Bits;
};
struct Float8E4M3FNUZ_t : detail::Float8Bits {
  using Float8Bits::Float8Bits;
};
struct Float8E5M2_t : detail::Float8Bits {
  using Float8Bits::Float8Bits;
};
struct Float8E5M2FNUZ_t : detail::Float8Bits {
  using Float8Bits::Float8Bits;
};

static_assert(sizeof(Float16_t) == 2 && sizeof(BFloat16_t) == 2, "bit patterns of 16 bits");
static_assert(sizeof(Float8E4M3FN_t) == 1, "bit patterns of 8 bits");

/// TypeToTensorType<T>::type is the element type of tensors of T. Texts have none: string tensors
/// are not arrays of C++ objects.
template <typename T>
struct TypeToTensorType;

#define ORT_CXX_ELEMENT(Type, NAME)                                                         \
  template <>                                                                               \
  struct TypeToTensorType<Type> {                                                           \
    static constexpr ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_##NAME; \
  };
ORT_CXX_ELEMENT(float, FLOAT)
ORT_CXX_ELEMENT(double, DOUBLE)
ORT_CXX_ELEMENT(int8_t, INT8)
ORT_CXX_ELEMENT(int16_t, INT16)
ORT_CXX_ELEMENT(int32_t, INT32)
ORT_CXX_ELEMENT(int64_t, INT64)
ORT_CXX_ELEMENT(uint8_t, UINT8)
ORT_CXX_ELEMENT(uint16_t, UINT16)
ORT_CXX_ELEMENT(uint32_t, UINT32)
ORT_CXX_ELEMENT(uint64_t, UINT64)
ORT_CXX_ELEMENT(bool, BOOL)
ORT_CXX_ELEMENT(Float16_t, FLOAT16)
ORT_CXX_ELEMENT(BFloat16_t, BFLOAT16)
ORT_CXX_ELEMENT(Float8E4M3FN_t, FLOAT8E4M3FN)
ORT_CXX_ELEMENT(Float8E4M3FNUZ_t, FLOAT8E4M3FNUZ)
ORT_CXX_ELEMENT(Float8E5M2_t, FLOAT8E5M2)
ORT_CXX_ELEMENT(Float8E5M2FNUZ_t, FLOAT8E5M2FNUZ)
#undef ORT_CXX_ELEMENT

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
