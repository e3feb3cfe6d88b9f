// SPDX-License-Identifier: MIT
// Sorting pairs of a key (the high 32 bits) and a place (the low ones) in ascending order: a few by
// counting, many by digits. Nothing depends on a branch on what they hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "providers/cpu/arith/plain_rows/plain_rows.h"

namespace ortc::cpu {

constexpr int64_t kShort = 16, kVeryShort = 8;

// Writes the places of kVeryShort keys in their order, by counting what comes before each.
inline void order_very_short(const int32_t* keys, int32_t* places) {
  int32_t ranks[kVeryShort] = {};
#pragma GCC unroll 1
  for (int32_t i = 0; i < kVeryShort; ++i) {
    for (int32_t j = 0; j < kVeryShort; ++j) {
      ranks[j] += (keys[i] < keys[j]) | ((keys[i] == keys[j]) & (i < j));
    }
  }
  for (int32_t i = 0; i < kVeryShort; ++i) places[ranks[i]] = i;
}

// Sorts n < kCounted pairs, whose places are in ascending order. `pairs` has room for kCounted, as
// `room` has, which holds the result.
constexpr int64_t kCounted = 128;
[[gnu::noinline]] inline uint64_t* order_pairs(const PlainRowsKernels& plain, const uint64_t* pairs,
                                               uint64_t* room, int64_t n) {
  constexpr auto kTogether = static_cast<int64_t>(PlainRowsKernels::kKeysTogether);
  int32_t keys[kCounted] = {}, places[kCounted];
  for (int64_t i = 0; i < n; ++i) {
    keys[i] = static_cast<int32_t>(static_cast<uint32_t>(pairs[i] >> 32) ^ 0x80000000u);
  }
  std::fill(keys + n, keys + (n + kTogether - 1) / kTogether * kTogether, INT32_MAX);
  plain.order(keys, static_cast<size_t>(n), places);
  for (int64_t i = 0; i < n; ++i) room[i] = pairs[places[i]];
  return room;
}

// Sorts by digits of 8 bits; equal keys keep their order. `room` is as long as `pairs` and may hold
// the result, which is returned.
[[gnu::noinline]] inline uint64_t* sort_pairs(uint64_t* pairs, uint64_t* room, int64_t n) {
  constexpr int kDigits = 4, kShift = 32, kValues = 256;
  uint32_t starts[kDigits][kValues] = {};
  for (int64_t i = 0; i < n; ++i) {
    for (int d = 0; d < kDigits; ++d) ++starts[d][pairs[i] >> (kShift + 8 * d) & 255];
  }
  for (int d = 0; d < kDigits; ++d) {
    const int shift = kShift + 8 * d;
    if (starts[d][pairs[0] >> shift & 255] == static_cast<uint64_t>(n)) continue;
    uint32_t sum = 0;
    for (uint32_t& start : starts[d]) sum += std::exchange(start, sum);
    for (int64_t i = 0; i < n; ++i) room[starts[d][pairs[i] >> shift & 255]++] = pairs[i];
    std::swap(pairs, room);
  }
  return pairs;
}

}  // namespace ortc::cpu
