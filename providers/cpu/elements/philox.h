// SPDX-License-Identifier: MIT
// Philox4x32-10, a counter-based generator: block number i of a key is four words that depend on
// nothing else, so any thread may compute any element.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace ortc::cpu {

class Philox {
 public:
  explicit Philox(uint64_t key)
      : key_{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)} {}

  std::array<uint32_t, 4> block(uint64_t i) const {
    std::array<uint32_t, 4> x = {static_cast<uint32_t>(i), static_cast<uint32_t>(i >> 32), 0, 0};
    uint32_t k0 = key_[0], k1 = key_[1];
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * x[0], b = uint64_t{0xCD9E8D57} * x[2];
      x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ k0, static_cast<uint32_t>(b),
           static_cast<uint32_t>(a >> 32) ^ x[3] ^ k1, static_cast<uint32_t>(a)};
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    return x;
  }
  // In [0, 1), with 53 random bits.
  double uniform(uint64_t i) const {
    const auto x = block(i);
    return unit(x[0], x[1]);
  }
  // Of the normal distribution with mean 0 and variance 1.
  double normal(uint64_t i) const {
    const auto x = block(i);
    const double radius = std::sqrt(-2 * std::log(1 - unit(x[0], x[1])));
    return radius * std::cos(6.283185307179586477 * unit(x[2], x[3]));
  }

 private:
  static double unit(uint32_t low, uint32_t high) {
    return static_cast<double>((uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
  }
  std::array<uint32_t, 2> key_;
};

}  // namespace ortc::cpu
