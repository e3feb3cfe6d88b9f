// SPDX-License-Identifier: MIT
// Sorting by numbers that stand for what is sorted: digit by digit from the lowest on, which leaves
// equal ones as they stand and takes as many passes as the numbers' range has digits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace ortc::cpu {

struct KeyedPlace {
  uint64_t key;
  int64_t place;
};

// By the key; `elements` of equal keys stay in their order.
inline void sort_by_key(std::vector<KeyedPlace>* elements) {
  const int digit = elements->size() < 4096 ? 8 : 11;  // the counters are cleared for each pass
  const uint64_t digits = uint64_t{1} << digit;
  uint64_t least = UINT64_MAX, most = 0;
  for (const KeyedPlace& element : *elements) {
    least = std::min(least, element.key);
    most = std::max(most, element.key);
  }
  std::vector<KeyedPlace> next(elements->size());
  std::vector<uint64_t> begins(digits);
  for (int shift = 0; shift < 64 && most > least && (most - least) >> shift != 0; shift += digit) {
    const auto digit_of = [=](const KeyedPlace& element) {
      return (element.key - least) >> shift & (digits - 1);
    };
    std::fill(begins.begin(), begins.end(), 0);
    for (const KeyedPlace& element : *elements) ++begins[digit_of(element)];
    std::exclusive_scan(begins.begin(), begins.end(), begins.begin(), uint64_t{0});
    for (const KeyedPlace& element : *elements) next[begins[digit_of(element)]++] = element;
    elements->swap(next);
  }
}

}  // namespace ortc::cpu
