// SPDX-License-Identifier: MIT
// Rounding to odd: a number that the result cannot hold becomes one of its neighbours, the one with
// an odd last bit. Rounding that to nearest in at least two bits fewer comes to what rounding the
// number itself would.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace ortc::cpu {

inline double odd_double(uint64_t magnitude) {
  const int excess = static_cast<int>(std::bit_width(magnitude)) - 53;
  if (excess <= 0) return static_cast<double>(magnitude);
  const uint64_t low = magnitude & ((uint64_t{1} << excess) - 1);
  return std::ldexp(static_cast<double>(magnitude >> excess | (low != 0 ? 1 : 0)), excess);
}

// Infinite and NaN only where the number is: what is too large becomes the largest float.
inline float odd_float(double number) {
  const auto nearest = static_cast<float>(number);
  const auto back = static_cast<double>(nearest);
  const uint32_t away = std::fabs(back) > std::fabs(number) ? 1 : 0;  // no branches: loops become
  const uint32_t is_other = back != number ? 1 : 0;                   // vectors; NaN stays NaN
  return std::bit_cast<float>((std::bit_cast<uint32_t>(nearest) - away) | is_other);
}

template <typename T>
float odd_float_of(T number) {
  if constexpr (sizeof(T) < 8 || std::is_floating_point_v<T>) {
    return odd_float(static_cast<double>(number));
  } else {
    const auto bits = static_cast<uint64_t>(number);
    if constexpr (std::is_signed_v<T>) {
      if (number < 0) return odd_float(-odd_double(uint64_t{0} - bits));
    }
    return odd_float(odd_double(bits));
  }
}

}  // namespace ortc::cpu
