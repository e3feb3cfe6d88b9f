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

// Small integers as floats, by their codes.
constexpr float kUnsigned[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr float kSigned4[16] = {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};
constexpr float kSigned2[4] = {0, 1, -2, -1};

const float* values_of(DType dtype) {
  if (dtype == DType::kInt4) return kSigned4;
  if (dtype == DType::kInt2) return kSigned2;
  return dtype == DType::kFloat4E2M1 ? small_float_values(dtype) : kUnsigned;
}

// Codes [at, at + n) of so many bits as their values: a byte at a time where it is whole.
template <int kBits>
void look_up_packed(const float* values, const uint8_t* bytes, int64_t at, int64_t n, float* to) {
  constexpr int kEach = 8 / kBits, kMask = (1 << kBits) - 1;
  const int64_t end = at + n;
  const auto one = [&] {
    *to++ = values[bytes[at / kEach] >> (at % kEach * kBits) & kMask];
    ++at;
  };
  while (at < end && at % kEach != 0) one();
  for (; at + kEach <= end; at += kEach, to += kEach) {
    const unsigned byte = bytes[at / kEach];
    for (int i = 0; i < kEach; ++i) to[i] = values[byte >> (i * kBits) & kMask];
  }
  while (at < end) one();
}

constexpr TypeMask kIntegral = kIntegerTypes | mask_of(DType::kBool);

}  // namespace

void small_to_floats(DType from, const void* data, int64_t at, int64_t n, float* to) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  switch (dtype_bits(from)) {
    case 2:
      return look_up_packed<2>(values_of(from), bytes, at, n, to);
    case 4:
      return look_up_packed<4>(values_of(from), bytes, at, n, to);
    default: {
      const float* values = small_float_values(from);
      for (int64_t i = 0; i < n; ++i) to[i] = values[bytes[at + i]];
    }
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
