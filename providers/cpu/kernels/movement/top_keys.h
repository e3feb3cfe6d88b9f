// SPDX-License-Identifier: MIT
// TopK of floats and int32 by keys of 32 bits, in ascending order what comes first: short rows are
// put in order by counting, long ones sorted by digits. And the first of neighbouring columns of
// floats, found side by side: of short rows too, which are turned to columns.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {

// Turned over where the largest come first: `turn` is -1 then, and else 0.
inline int32_t key_of(float value, int32_t turn) {
  const auto bits = std::bit_cast<int32_t>(value + 0.0f);  // both zeros are one
  const int32_t key = value != value ? INT32_MAX : bits ^ ((bits >> 31) & INT32_MAX);
  return key ^ turn;
}

inline int32_t key_of(int32_t value, int32_t turn) { return value ^ turn; }

constexpr int64_t kShort = 16, kVeryShort = 8;

// Writes the places of so many keys in their order, by counting what comes before each: nothing
// depends on a branch.
template <int64_t kCount>
void order_short(const int32_t* keys, int32_t* places) {
  int32_t ranks[kCount] = {};
#pragma GCC unroll 1
  for (int32_t i = 0; i < kCount; ++i) {
    for (int32_t j = 0; j < kCount; ++j) {
      ranks[j] += (keys[i] < keys[j]) | ((keys[i] == keys[j]) & (i < j));
    }
  }
  for (int32_t i = 0; i < kCount; ++i) places[ranks[i]] = i;
}

// Rows that are sorted as a whole: a good part of them is asked for, and passes by digits pay.
constexpr int64_t kLeastSorted = 128;
inline bool is_sorted_whole(DType dtype, int64_t size, int64_t k) {
  const bool has_keys = dtype == DType::kFloat32 || dtype == DType::kInt32;
  return has_keys && size >= kLeastSorted && size <= INT32_MAX && k >= size / 16;
}

// Sorts {key, place} by digits of 8 bits; equal keys keep their order. `room` is as long as `pairs`
// and may hold the result, which is returned.
inline const uint64_t* sort_pairs(uint64_t* pairs, uint64_t* room, int64_t n) {
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

// As top_row(), for at most kShort elements.
inline void top_short(const float* x, int64_t stride, int64_t size, int64_t k, int32_t turn,
                      float* values, int64_t* indices) {
  int32_t keys[kShort], places[kShort];
  for (int64_t i = 0; i < size; ++i) {
    keys[i] = key_of(x[i * stride], turn);
  }
  std::fill(keys + size, keys + kShort, INT32_MAX);  // behind the others, equal ones too
  size <= kVeryShort ? order_short<kVeryShort>(keys, places) : order_short<kShort>(keys, places);
  for (int64_t i = 0; i < k; ++i) {
    if (values != nullptr) values[i * stride] = x[places[i] * stride];
    if (indices != nullptr) indices[i * stride] = places[i];
  }
}

// As top_row(); `room` is for 2 * size numbers.
template <typename T>
void top_sorted(const T* x, int64_t stride, int64_t size, int64_t k, int32_t turn, uint64_t* room,
                T* values, int64_t* indices) {
  for (int64_t i = 0; i < size; ++i) {
    const int32_t key = key_of(x[i * stride], turn);
    room[i] = uint64_t{static_cast<uint32_t>(key) ^ 0x80000000u} << 32 | static_cast<uint64_t>(i);
  }
  const uint64_t* sorted = sort_pairs(room, room + size, size);
  for (int64_t i = 0; i < k; ++i) {
    const auto place = static_cast<int64_t>(sorted[i] & UINT32_MAX);
    if (values != nullptr) values[i * stride] = x[place * stride];
    if (indices != nullptr) indices[i * stride] = place;
  }
}

// The first of n <= kColumns neighbouring columns, whose elements lie `stride` apart.
constexpr int64_t kColumns = 256;
template <bool kLargest>
void first_of_columns(const float* x, int64_t stride, int64_t size, int64_t n, float* values,
                      int64_t* indices) {
  float best[kColumns];
  int32_t index[kColumns] = {};
  for (int64_t i = 0; i < n; ++i) best[i] = x[i];
  for (int64_t at = 1; at < size; ++at) {
    const float* row = x + at * stride;
    for (int64_t i = 0; i < n; ++i) {
      const float value = row[i];
      const bool takes = kLargest ? (value > best[i]) | ((value != value) & (best[i] == best[i]))
                                  : (value < best[i]) | ((best[i] != best[i]) & (value == value));
      best[i] = takes ? value : best[i];
      index[i] = takes ? static_cast<int32_t>(at) : index[i];
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    if (values != nullptr) values[i] = x[index[i] * stride + i];
    if (indices != nullptr) indices[i] = index[i];
  }
}

// The first of n <= kTurnedRows rows of at most kTurnedSize elements.
constexpr int64_t kTurnedSize = 64, kTurnedRows = 64;
[[gnu::noinline]] inline void first_of_rows(Isa isa, const float* x, int64_t size, int64_t n,
                                            bool largest, float* values, int64_t* indices) {
  float turned[kTurnedSize * kTurnedRows];
  const auto rows = static_cast<size_t>(n), columns = static_cast<size_t>(size);
  turn_of(isa, sizeof(float))(x, columns, turned, rows, rows, columns);
  (largest ? first_of_columns<true> : first_of_columns<false>)(turned, n, size, n, values, indices);
}

}  // namespace ortc::cpu
