// SPDX-License-Identifier: MIT
// Sorting by numbers that stand for what is sorted: digit by digit from the lowest on, which leaves
// equal ones as they stand and takes as many passes as the numbers' range has digits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

namespace ortc::cpu {

struct KeyedPlace {
  uint64_t key;
  int64_t place;
};

// What a sort works in: as many places as there are elements, and counters.
struct KeySortRoom {
  static constexpr size_t kCounters = 2048;
  KeyedPlace* places;
  uint64_t* counters;
};

// By the key; `elements` of equal keys stay in their order.
inline void sort_by_key(std::span<KeyedPlace> elements, const KeySortRoom& room) {
  const int digit = elements.size() < 4096 ? 8 : 11;  // the counters are cleared for each pass
  const uint64_t digits = uint64_t{1} << digit;
  uint64_t least = UINT64_MAX, most = 0;
  for (const KeyedPlace& element : elements) {
    least = std::min(least, element.key);
    most = std::max(most, element.key);
  }
  const std::span begins(room.counters, digits);
  std::span<KeyedPlace> from = elements, to(room.places, elements.size());
  for (int shift = 0; shift < 64 && most > least && (most - least) >> shift != 0; shift += digit) {
    const auto digit_of = [=](const KeyedPlace& element) {
      return (element.key - least) >> shift & (digits - 1);
    };
    std::fill(begins.begin(), begins.end(), 0);
    for (const KeyedPlace& element : from) ++begins[digit_of(element)];
    std::exclusive_scan(begins.begin(), begins.end(), begins.begin(), uint64_t{0});
    for (const KeyedPlace& element : from) to[begins[digit_of(element)]++] = element;
    std::swap(from, to);
  }
  if (from.data() != elements.data()) std::copy(from.begin(), from.end(), elements.begin());
}

}  // namespace ortc::cpu
