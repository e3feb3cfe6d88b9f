// SPDX-License-Identifier: MIT
// Codes of small floats: see the header.
#include "providers/cpu/elements/small_floats.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace ortc::cpu {
namespace {

struct Format {
  int bits, mantissa_bits, bias;
  unsigned largest;       // codes, without the sign
  unsigned infinity;      // 0: there is none
  unsigned nan;           // the code that is made; 0: there is none
  bool is_unsigned_zero;  // the code of -0 is NaN, the only one
};

constexpr Format kE4M3Fn{8, 3, 7, 0x7e, 0, 0x7f, false};
constexpr Format kE4M3FnUz{8, 3, 8, 0x7f, 0, 0x80, true};
constexpr Format kE5M2{8, 2, 15, 0x7b, 0x7c, 0x7e, false};
constexpr Format kE5M2FnUz{8, 2, 16, 0x7f, 0, 0x80, true};
constexpr Format kE2M1{4, 1, 1, 0x7, 0, 0, false};

constexpr unsigned kPowerNan = 0xff, kPowerLargest = 0xfe;

// --- Decoding.

constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

constexpr float value_of(const Format& format, unsigned code) {
  const unsigned sign = 1u << (format.bits - 1);
  const unsigned magnitude = code & (sign - 1);
  const bool is_negative = (code & sign) != 0;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (format.is_unsigned_zero) {
    if (code == format.nan) return kNan;
  } else if (magnitude > format.largest) {
    const float special = magnitude == format.infinity && format.infinity != 0
                              ? std::numeric_limits<float>::infinity()
                              : kNan;
    return is_negative ? -special : special;
  }
  const unsigned one = 1u << format.mantissa_bits;
  const unsigned exponent = magnitude >> format.mantissa_bits, mantissa = magnitude & (one - 1);
  const int power = static_cast<int>(exponent > 0 ? exponent : 1) - format.bias;
  const double value = static_cast<double>(exponent > 0 ? mantissa + one : mantissa) *
                       power_of_two(power - format.mantissa_bits);
  return static_cast<float>(is_negative ? -value : value);
}

using Values = std::array<float, 256>;

constexpr Values values_of(const Format& format) {
  Values values{};
  for (unsigned code = 0; code < 1u << format.bits; ++code) values[code] = value_of(format, code);
  return values;
}

constexpr Values power_values() {
  Values values{};
  for (int code = 0; code < 255; ++code) {
    values[static_cast<size_t>(code)] = static_cast<float>(power_of_two(code - 127));
  }
  values[kPowerNan] = std::numeric_limits<float>::quiet_NaN();
  return values;
}

constexpr Values kE4M3FnValues = values_of(kE4M3Fn), kE4M3FnUzValues = values_of(kE4M3FnUz),
                 kE5M2Values = values_of(kE5M2), kE5M2FnUzValues = values_of(kE5M2FnUz),
                 kE2M1Values = values_of(kE2M1), kPowerValues = power_values();

// --- Encoding.

constexpr uint64_t kInfinityBits = uint64_t{0x7ff} << 52;

// x as a multiple of the distance between neighbours at its size, to nearest, ties to even: the
// number of neighbours below it is its code.
unsigned magnitude_of(const Format& format, uint64_t bits) {
  const int smallest = 1 - format.bias;
  int exponent = static_cast<int>(bits >> 52) - 1023;
  if (exponent < smallest) exponent = smallest;
  // More than 2^52 neighbours never happen, so that adding 2^52 rounds.
  const double steps = std::bit_cast<double>(bits) * power_of_two(format.mantissa_bits - exponent);
  const double rounded = (steps + 0x1p52) - 0x1p52;
  return (static_cast<unsigned>(exponent - smallest) << format.mantissa_bits) +
         static_cast<unsigned>(rounded);
}

uint8_t code_of(const Format& format, const SmallFloatRules& rules, double x) {
  const auto all_bits = std::bit_cast<uint64_t>(x);
  const uint64_t bits = all_bits & ~(uint64_t{1} << 63);
  const unsigned sign = all_bits != bits ? 1u << (format.bits - 1) : 0;
  if (bits > kInfinityBits) {
    if (format.nan == 0) return 1u << (format.bits - 1);
    return static_cast<uint8_t>(format.is_unsigned_zero ? format.nan : format.nan | sign);
  }
  // Beyond 2^16 everything is too large; it would not fit the arithmetic below.
  const unsigned magnitude =
      bits >= std::bit_cast<uint64_t>(0x1p17) ? format.largest + 1 : magnitude_of(format, bits);
  if (magnitude <= format.largest) {
    if (format.is_unsigned_zero && magnitude == 0) return 0;
    return static_cast<uint8_t>(magnitude | sign);
  }
  const bool is_nan = bits == kInfinityBits && rules.infinity_is_nan && format.is_unsigned_zero;
  if (format.nan == 0 || (rules.saturate && !is_nan)) {
    return static_cast<uint8_t>(format.largest | sign);
  }
  if (format.is_unsigned_zero) return static_cast<uint8_t>(format.nan);
  return static_cast<uint8_t>((format.infinity != 0 ? format.infinity : format.nan) | sign);
}

uint8_t power_code(const SmallFloatRules& rules, double x) {
  if (std::isnan(x) || x < 0) return kPowerNan;
  if (x < 0x1p-127) return rules.saturate ? 0 : kPowerNan;
  if (x > 0x1p127) return rules.saturate ? kPowerLargest : kPowerNan;
  const auto bits = std::bit_cast<uint64_t>(x);  // a normal number
  constexpr uint64_t kFraction = (uint64_t{1} << 52) - 1, kHalf = uint64_t{1} << 51;
  const uint64_t fraction = bits & kFraction;
  const bool goes_up = rules.rounding == PowerRounding::kUp        ? fraction != 0
                       : rules.rounding == PowerRounding::kNearest ? fraction >= kHalf
                                                                   : false;
  return static_cast<uint8_t>(static_cast<int>(bits >> 52) - 1023 + 127 + (goes_up ? 1 : 0));
}

const Format& format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3Fn:
      return kE4M3Fn;
    case DType::kFloat8E4M3FnUz:
      return kE4M3FnUz;
    case DType::kFloat8E5M2:
      return kE5M2;
    case DType::kFloat8E5M2FnUz:
      return kE5M2FnUz;
    default:
      return kE2M1;
  }
}

}  // namespace

const float* small_float_values(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3Fn:
      return kE4M3FnValues.data();
    case DType::kFloat8E4M3FnUz:
      return kE4M3FnUzValues.data();
    case DType::kFloat8E5M2:
      return kE5M2Values.data();
    case DType::kFloat8E5M2FnUz:
      return kE5M2FnUzValues.data();
    case DType::kFloat8E8M0:
      return kPowerValues.data();
    default:
      return kE2M1Values.data();
  }
}

void small_float_codes(DType dtype, const SmallFloatRules& rules, const double* from, int64_t n,
                       uint8_t* to) {
  if (dtype == DType::kFloat8E8M0) {
    for (int64_t i = 0; i < n; ++i) to[i] = power_code(rules, from[i]);
    return;
  }
  const Format format = format_of(dtype);
  for (int64_t i = 0; i < n; ++i) to[i] = code_of(format, rules, from[i]);
}

}  // namespace ortc::cpu
