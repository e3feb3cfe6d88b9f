// SPDX-License-Identifier: MIT
// Element types. The numbers are ONNX's TensorProto.DataType; the C header's numbers differ for the
// last three and are translated in core/api only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/checked_math.h"

namespace ortc {

// One row per type: enumerator, ONNX number, name in dumps, bits per element (0: not fixed).
#define ORTC_DTYPES(X)                        \
  X(kUndefined, 0, "undefined", 0)            \
  X(kFloat32, 1, "float32", 32)               \
  X(kUint8, 2, "uint8", 8)                    \
  X(kInt8, 3, "int8", 8)                      \
  X(kUint16, 4, "uint16", 16)                 \
  X(kInt16, 5, "int16", 16)                   \
  X(kInt32, 6, "int32", 32)                   \
  X(kInt64, 7, "int64", 64)                   \
  X(kString, 8, "string", 0)                  \
  X(kBool, 9, "bool", 8)                      \
  X(kFloat16, 10, "float16", 16)              \
  X(kFloat64, 11, "float64", 64)              \
  X(kUint32, 12, "uint32", 32)                \
  X(kUint64, 13, "uint64", 64)                \
  X(kComplex64, 14, "complex64", 64)          \
  X(kComplex128, 15, "complex128", 128)       \
  X(kBfloat16, 16, "bfloat16", 16)            \
  X(kFloat8E4M3Fn, 17, "float8e4m3fn", 8)     \
  X(kFloat8E4M3FnUz, 18, "float8e4m3fnuz", 8) \
  X(kFloat8E5M2, 19, "float8e5m2", 8)         \
  X(kFloat8E5M2FnUz, 20, "float8e5m2fnuz", 8) \
  X(kUint4, 21, "uint4", 4)                   \
  X(kInt4, 22, "int4", 4)                     \
  X(kFloat4E2M1, 23, "float4e2m1", 4)         \
  X(kFloat8E8M0, 24, "float8e8m0", 8)         \
  X(kUint2, 25, "uint2", 2)                   \
  X(kInt2, 26, "int2", 2)

enum class DType : uint8_t {
#define ORTC_DTYPE_ENUMERATOR(name, value, text, bits) name = value,
  ORTC_DTYPES(ORTC_DTYPE_ENUMERATOR)
#undef ORTC_DTYPE_ENUMERATOR
};
inline constexpr int kDTypeCount = 27;

constexpr bool dtype_is_valid(int64_t value) { return value > 0 && value < kDTypeCount; }

constexpr int dtype_bits(DType dtype) {
  switch (dtype) {
#define ORTC_DTYPE_BITS(name, value, text, bits) \
  case DType::name:                              \
    return bits;
    ORTC_DTYPES(ORTC_DTYPE_BITS)
#undef ORTC_DTYPE_BITS
  }
  return 0;
}

constexpr std::string_view dtype_name(DType dtype) {
  switch (dtype) {
#define ORTC_DTYPE_NAME(name, value, text, bits) \
  case DType::name:                              \
    return text;
    ORTC_DTYPES(ORTC_DTYPE_NAME)
#undef ORTC_DTYPE_NAME
  }
  return "invalid";
}

// As ONNX's type strings have it: "float" and "double".
constexpr std::string_view onnx_dtype_name(DType dtype) {
  if (dtype == DType::kFloat32) return "float";
  return dtype == DType::kFloat64 ? "double" : dtype_name(dtype);
}

// Elements that have addresses: neither strings nor several to a byte.
constexpr bool dtype_is_addressable(DType dtype) {
  return dtype != DType::kString && dtype_bits(dtype) >= 8;
}

// Bytes of `count` elements; sub-byte types pack two or four to a byte, the last byte zero padded.
// Nothing for types without a fixed size (strings) and on overflow.
inline std::optional<uint64_t> dtype_bytes(DType dtype, uint64_t count) {
  const int bits = dtype_bits(dtype);
  if (bits == 0) return std::nullopt;
  if (bits >= 8) return checked_mul<uint64_t>(count, static_cast<uint64_t>(bits) / 8);
  const uint64_t per_byte = 8 / static_cast<uint64_t>(bits);
  return count / per_byte + (count % per_byte != 0 ? 1 : 0);
}

// A set of element types, for kernel tables and type constraints.
using TypeMask = uint32_t;
constexpr TypeMask mask_of(DType dtype) { return TypeMask{1} << static_cast<int>(dtype); }
template <typename... Ts>
constexpr TypeMask mask_of(DType first, Ts... rest) {
  return (mask_of(first) | ... | mask_of(rest));
}
inline constexpr TypeMask kAnyType = (TypeMask{1} << kDTypeCount) - 2;
inline constexpr TypeMask kFixedSizeTypes = kAnyType & ~mask_of(DType::kString);
// Types whose elements occupy whole bytes: what data movement kernels handle by element size.
inline constexpr TypeMask kByteTypes =
    kFixedSizeTypes &
    ~mask_of(DType::kUint4, DType::kInt4, DType::kFloat4E2M1, DType::kUint2, DType::kInt2);
inline constexpr TypeMask kIntegerTypes =
    mask_of(DType::kUint8, DType::kInt8, DType::kUint16, DType::kInt16, DType::kInt32,
            DType::kInt64, DType::kUint32, DType::kUint64);
inline constexpr TypeMask kFloatTypes = mask_of(DType::kFloat32, DType::kFloat64);

template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kFloat32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::kFloat64;
};
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::kUint8;
};
template <>
struct DTypeOf<int8_t> {
  static constexpr DType value = DType::kInt8;
};
template <>
struct DTypeOf<uint16_t> {
  static constexpr DType value = DType::kUint16;
};
template <>
struct DTypeOf<int16_t> {
  static constexpr DType value = DType::kInt16;
};
template <>
struct DTypeOf<uint32_t> {
  static constexpr DType value = DType::kUint32;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOf<uint64_t> {
  static constexpr DType value = DType::kUint64;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::kInt64;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::kBool;
};
template <typename T>
inline constexpr DType kDTypeOf = DTypeOf<T>::value;

}  // namespace ortc
