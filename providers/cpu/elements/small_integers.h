// SPDX-License-Identifier: MIT
// Integers of 2 and 4 bits as ONNX stores them: packed low bits first; and the ranges of all
// integers that quantised tensors are made of.
#pragma once

#include <cstdint>

#include "core/base/dtype.h"

namespace ortc::cpu {

inline constexpr TypeMask kSubByteIntegers =
    mask_of(DType::kUint4, DType::kInt4, DType::kUint2, DType::kInt2);
inline constexpr TypeMask kQuantisedTypes =
    kSubByteIntegers | mask_of(DType::kUint8, DType::kInt8, DType::kUint16, DType::kInt16);

struct IntegerRange {
  int32_t lo = 0, hi = 0;
};

// Of a type of kQuantisedTypes.
inline IntegerRange integer_range(DType dtype) {
  const int bits = dtype_bits(dtype);
  const bool is_signed = dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt4 ||
                         dtype == DType::kInt2;
  if (is_signed) return {-(1 << (bits - 1)), (1 << (bits - 1)) - 1};
  return {0, (1 << bits) - 1};
}

// The largest product of two bytes, less their zero points, and of how many the sum stays within 32
// bits whatever the bytes are.
inline constexpr int64_t kByteProductMax = 255 * 255;
inline constexpr int64_t kByteProductsInInt32 = INT32_MAX / kByteProductMax;

// Element i of a tensor of kQuantisedTypes or int32.
inline int32_t integer_at(DType dtype, const void* data, int64_t i) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  switch (dtype) {
    case DType::kUint8:
      return bytes[i];
    case DType::kInt8:
      return static_cast<int8_t>(bytes[i]);
    case DType::kUint16:
      return static_cast<const uint16_t*>(data)[i];
    case DType::kInt16:
      return static_cast<const int16_t*>(data)[i];
    case DType::kUint4:
      return bytes[i / 2] >> (i % 2 * 4) & 15;
    case DType::kInt4:
      return ((bytes[i / 2] >> (i % 2 * 4) & 15) ^ 8) - 8;
    case DType::kUint2:
      return bytes[i / 4] >> (i % 4 * 2) & 3;
    case DType::kInt2:
      return ((bytes[i / 4] >> (i % 4 * 2) & 3) ^ 2) - 2;
    case DType::kInt32:
      return static_cast<const int32_t*>(data)[i];
    default:
      return 0;
  }
}

// n small integers to the bytes of elements [at, at + n); `at` begins a byte, and the rest of the
// last byte becomes 0.
inline void pack_small(DType dtype, const uint8_t* from, int64_t n, int64_t at, void* to) {
  const int bits = dtype_bits(dtype);
  const int each = 8 / bits;
  auto* bytes = static_cast<uint8_t*>(to) + at / each;
  for (int64_t i = 0; i < n; i += each) {
    unsigned byte = 0;
    for (int j = 0; j < each && i + j < n; ++j) {
      byte |= (from[i + j] & ((1u << bits) - 1)) << (j * bits);
    }
    *bytes++ = static_cast<uint8_t>(byte);
  }
}

}  // namespace ortc::cpu
