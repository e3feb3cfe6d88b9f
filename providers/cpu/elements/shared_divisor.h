// SPDX-License-Identifier: MIT
// Division of many whole numbers by the same one: a product and shifts each. A processor's own
// division of 64 bits takes several times as long.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ortc::cpu {

// Exact, rounded toward zero as W's own division, for every numerator.
//
// With l = ceil(log2 d) and f = floor(2^64 (2^l - d) / d) + 1 the number (2^64 + f) / 2^(64 + l) is
// so little above 1 / d that its products with numbers of 64 bits have the same whole part. The sum
// 2^64 n + f n has a bit too many, therefore half of it comes first.
template <typename W>
class SharedDivisor {
  static_assert(sizeof(W) == 8);

 public:
  explicit SharedDivisor(int64_t divisor)  // positive
      : bits_(std::bit_width(static_cast<uint64_t>(divisor) - 1)) {
    const uint64_t d = static_cast<uint64_t>(divisor), above = (uint64_t{1} << bits_) - d;
    factor_ = static_cast<uint64_t>((static_cast<unsigned __int128>(above) << 64) / d) + 1;
  }

  W quotient(W number) const {
    if constexpr (std::is_signed_v<W>) {
      const bool is_negative = number < 0;
      const uint64_t size =
          is_negative ? uint64_t{0} - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
      const uint64_t found = of(size);
      return static_cast<W>(is_negative ? uint64_t{0} - found : found);
    } else {
      return of(number);
    }
  }

 private:
  uint64_t of(uint64_t n) const {
    const auto high = static_cast<uint64_t>(static_cast<unsigned __int128>(factor_) * n >> 64);
    if (bits_ == 0) return n;
    return (high + ((n - high) >> 1)) >> (bits_ - 1);
  }

  int bits_;  // at most 63
  uint64_t factor_;
};

}  // namespace ortc::cpu
