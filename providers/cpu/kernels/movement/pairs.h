// SPDX-License-Identifier: MIT
// Pairs of elements taken apart and put together, those of one to four bytes in registers.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ortc::cpu {

using Bytes16 = uint8_t __attribute__((vector_size(16)));
using Pairs8 = uint16_t __attribute__((vector_size(16)));
using Fours4 = uint32_t __attribute__((vector_size(16)));

// a0 b0 a1 b1 ... of the first and of the second halves.
inline Bytes16 low_halves(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline Bytes16 high_halves(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}
inline Pairs8 low_halves(Pairs8 a, Pairs8 b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
inline Pairs8 high_halves(Pairs8 a, Pairs8 b) {
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
inline Fours4 low_halves(Fours4 a, Fours4 b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
inline Fours4 high_halves(Fours4 a, Fours4 b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }

template <typename T>
using PairRow =
    std::conditional_t<sizeof(T) == 1, Bytes16, std::conditional_t<sizeof(T) == 2, Pairs8, Fours4>>;

// a[i] = from[2 i], b[i] = from[2 i + 1] for i < n.
template <typename T>
void split_pairs(const T* from, T* a, T* b, int64_t n) {
  int64_t i = 0;
  if constexpr (sizeof(T) == 4) {
    for (; i + 4 <= n; i += 4) {
      Fours4 first, second;
      std::memcpy(&first, from + 2 * i, sizeof first);
      std::memcpy(&second, from + 2 * i + 4, sizeof second);
      const Fours4 even = __builtin_shufflevector(first, second, 0, 2, 4, 6);
      const Fours4 odd = __builtin_shufflevector(first, second, 1, 3, 5, 7);
      std::memcpy(a + i, &even, sizeof even);
      std::memcpy(b + i, &odd, sizeof odd);
    }
  }
  for (; i < n; ++i) {
    a[i] = from[2 * i];
    b[i] = from[2 * i + 1];
  }
}

// to[2 i] = a[i], to[2 i + 1] = b[i] for i < n.
template <typename T>
void join_pairs(const T* a, const T* b, T* to, int64_t n) {
  int64_t i = 0;
  if constexpr (sizeof(T) <= 4) {
    constexpr int64_t kSize = static_cast<int64_t>(16 / sizeof(T));
    for (; i + kSize <= n; i += kSize) {
      PairRow<T> first, second;
      std::memcpy(&first, a + i, sizeof first);
      std::memcpy(&second, b + i, sizeof second);
      const PairRow<T> low = low_halves(first, second), high = high_halves(first, second);
      std::memcpy(to + 2 * i, &low, sizeof low);
      std::memcpy(to + 2 * i + kSize, &high, sizeof high);
    }
  }
  for (; i < n; ++i) {
    to[2 * i] = a[i];
    to[2 * i + 1] = b[i];
  }
}

}  // namespace ortc::cpu
