// SPDX-License-Identifier: MIT
// Arithmetic on numbers that come from files: every sum and product is checked, here and only here.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace ortc {

template <std::integral T>
std::optional<T> checked_add(T a, T b) {
  T sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

template <std::integral T>
std::optional<T> checked_mul(T a, T b) {
  T product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// True when [offset, offset + length) lies inside [0, size).
constexpr bool range_within(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

// Rounds up to a multiple of `alignment` (a power of two).
inline std::optional<uint64_t> checked_align_up(uint64_t value, uint64_t alignment) {
  auto sum = checked_add(value, alignment - 1);
  if (!sum) return std::nullopt;
  return *sum & ~(alignment - 1);
}
constexpr uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

// The number of elements of a shape; nothing when a dim is negative or the product overflows int64.
inline std::optional<int64_t> checked_element_count(std::span<const int64_t> dims) {
  int64_t count = 1;
  bool has_zero = false;
  for (int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) {
      has_zero = true;
      continue;
    }
    auto product = checked_mul(count, dim);
    if (!product) return std::nullopt;
    count = *product;
  }
  return has_zero ? 0 : count;
}

template <std::integral To, std::integral From>
std::optional<To> checked_cast(From value) {
  if (!std::in_range<To>(value)) return std::nullopt;
  return static_cast<To>(value);
}

}  // namespace ortc
