// SPDX-License-Identifier: MIT
// Conversions of small types: see the header.
#include "providers/cpu/elements/convert_small.h"

#include <cstring>

#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/round_to_odd.h"

namespace ortc::cpu {
namespace {

void store_codes(DType to, const uint8_t* codes, int64_t n, void* data, int64_t at) {
  if (dtype_bits(to) == 8) {
    std::memcpy(static_cast<uint8_t*>(data) + at, codes, static_cast<size_t>(n));
  } else {
    pack_small(to, codes, n, at, data);
  }
}

void to_doubles(DType from_type, const void* from, int64_t n, double* to) {
  if (from_type == DType::kInt64) {
    const auto* x = static_cast<const int64_t*>(from);
    for (int64_t i = 0; i < n; ++i) {
      const auto bits = static_cast<uint64_t>(x[i]);
      to[i] = x[i] < 0 ? -odd_double(uint64_t{0} - bits) : odd_double(bits);
    }
  } else if (from_type == DType::kUint64) {
    const auto* x = static_cast<const uint64_t*>(from);
    for (int64_t i = 0; i < n; ++i) to[i] = odd_double(x[i]);
  } else {
    convert_row(from_type, DType::kFloat64)(from, to, n);
  }
}

constexpr TypeMask kIntegral = kIntegerTypes | mask_of(DType::kBool);

}  // namespace

void small_to_floats(DType from, const void* data, int64_t at, int64_t n, float* to) {
  if ((mask_of(from) & kSubByteIntegers) != 0) {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(integer_at(from, data, at + i));
    return;
  }
  const auto* bytes = static_cast<const uint8_t*>(data);
  const float* values = small_float_values(from);
  if (from == DType::kFloat4E2M1) {
    for (int64_t i = at; i < at + n; ++i) to[i - at] = values[bytes[i / 2] >> (i % 2 * 4) & 15];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = values[bytes[at + i]];
  }
}

void doubles_to_small(const double* from, int64_t n, DType to, const SmallFloatRules& rules,
                      void* data, int64_t at) {
  uint8_t codes[kSmallRow];
  if ((mask_of(to) & kSmallFloats) != 0) {
    small_float_codes(to, rules, from, n, codes);
  } else {
    for (int64_t i = 0; i < n; ++i) codes[i] = convert<uint8_t>(std::nearbyint(from[i]));
  }
  store_codes(to, codes, n, data, at);
}

void numbers_to_small(DType from_type, const void* from, int64_t from_at, int64_t n, DType to,
                      const SmallFloatRules& rules, void* data, int64_t at) {
  const auto* bytes = static_cast<const std::byte*>(from) +
                      from_at * static_cast<int64_t>(element_bytes(from_type));
  if ((mask_of(from_type) & kIntegral) != 0 && (mask_of(to) & kSubByteIntegers) != 0) {
    uint8_t codes[kSmallRow];
    convert_row(from_type, DType::kUint8)(bytes, codes, n);
    return store_codes(to, codes, n, data, at);
  }
  double row[kSmallRow];
  to_doubles(from_type, bytes, n, row);
  doubles_to_small(row, n, to, rules, data, at);
}

}  // namespace ortc::cpu
