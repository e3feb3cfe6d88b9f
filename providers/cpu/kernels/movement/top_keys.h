// SPDX-License-Identifier: MIT
// TopK by keys, in ascending order what comes first: rows of which a good part is asked for are
// sorted as a whole, with keys of 32 bits. And the first of neighbouring columns of floats, found
// side by side: of short rows too, which are turned to columns.
#pragma once

#include <algorithm>
#include <bit>

#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/movement/pair_sort.h"

namespace ortc::cpu {

// Turned over where the largest come first: `turn` is -1 then, and else 0.
inline int32_t key_of(float value, int32_t turn) {
  const auto bits = std::bit_cast<int32_t>(value + 0.0f);  // both zeros are one
  const int32_t key = value != value ? INT32_MAX : bits ^ ((bits >> 31) & INT32_MAX);
  return key ^ turn;
}

// Keys without a sign: of 64 bits for numbers of so many.
template <typename C>
auto sort_key(C value, int32_t turn) {
  if constexpr (std::is_same_v<C, float>) {
    return static_cast<uint32_t>(key_of(value, turn)) ^ 0x80000000u;
  } else if constexpr (std::is_same_v<C, double>) {
    const auto bits = std::bit_cast<int64_t>(value + 0.0);
    const int64_t key = value != value ? INT64_MAX : bits ^ ((bits >> 63) & INT64_MAX);
    return static_cast<uint64_t>(key ^ turn) ^ (uint64_t{1} << 63);
  } else {
    using Key = std::conditional_t<(sizeof(C) > 4), uint64_t, uint32_t>;
    constexpr Key kSign = std::is_signed_v<C> ? Key{1} << (8 * sizeof(Key) - 1) : 0;
    return static_cast<Key>(static_cast<Key>(value) ^ kSign ^ static_cast<Key>(int64_t{turn}));
  }
}

// Rows that are sorted as a whole: a good part of them is asked for.
constexpr int64_t kFewKept = 8;
inline bool is_sorted_whole(int64_t size, int64_t k) {
  if (size < kCounted) return k > kFewKept && k >= size / 4;
  return size <= INT32_MAX && k >= size / 16;
}

// As top_row(), for at most kShort elements.
inline void top_short(const PlainRowsKernels& plain, const float* x, int64_t stride, int64_t size,
                      int64_t k, int32_t turn, float* values, int64_t* indices) {
  int32_t keys[kShort], places[kShort];
  for (int64_t i = 0; i < size; ++i) {
    keys[i] = key_of(x[i * stride], turn);
  }
  std::fill(keys + size, keys + kShort, INT32_MAX);  // behind the others, equal ones too
  size <= kVeryShort ? order_very_short(keys, places)
                     : plain.order(keys, static_cast<size_t>(size), places);
  for (int64_t i = 0; i < k; ++i) {
    if (values != nullptr) values[i * stride] = x[places[i] * stride];
    if (indices != nullptr) indices[i * stride] = places[i];
  }
}

// Pairs of all elements; true where their keys are not the whole ones. Those of 64 bits count from
// the least on, and lose as many bits at the end as they have too many.
template <typename C, typename T>
bool make_pairs(const T* x, int64_t stride, int64_t size, int32_t turn, uint64_t* pairs) {
  if constexpr (sizeof(C) <= 4) {
    for (int64_t i = 0; i < size; ++i) {
      const uint64_t key = sort_key(static_cast<C>(x[i * stride]), turn);
      pairs[i] = key << 32 | static_cast<uint64_t>(i);
    }
    return false;
  } else {
    uint64_t least = UINT64_MAX, most = 0;
    for (int64_t i = 0; i < size; ++i) {
      pairs[i] = sort_key(x[i * stride], turn);
      least = std::min(least, pairs[i]);
      most = std::max(most, pairs[i]);
    }
    const int bits = size < 4096 ? 24 : 32;  // few have equal ones, and each digit is a pass
    const int shift = std::max(0, static_cast<int>(std::bit_width(most - least)) - bits);
    for (int64_t i = 0; i < size; ++i) {
      pairs[i] = (pairs[i] - least) >> shift << 32 | static_cast<uint64_t>(i);
    }
    return shift > 0;
  }
}

// Puts pairs whose keys are equal so far in the order of their whole keys; the first k are asked
// for. One code for all types.
using WholeKey = uint64_t (*)(const void* element, int32_t turn);
[[gnu::noinline]] inline void sort_ties(uint64_t* sorted, int64_t size, int64_t k,
                                        const std::byte* x, int64_t pitch, int32_t turn,
                                        WholeKey whole_key) {
  const auto key_of = [=](uint64_t pair) {
    return whole_key(x + static_cast<int64_t>(pair & UINT32_MAX) * pitch, turn);
  };
  for (int64_t i = 0, end = 0; i < k; i = end) {
    for (end = i + 1; end < size && sorted[end] >> 32 == sorted[i] >> 32;) ++end;
    if (end - i == 1) continue;
    std::sort(sorted + i, sorted + end, [&](uint64_t a, uint64_t b) {
      const uint64_t first = key_of(a), second = key_of(b);
      return first != second ? first < second : a < b;
    });
  }
}

// As top_row(); `room` is for 2 * size numbers, at least for 2 * kCounted.
template <typename T>
void top_sorted(const PlainRowsKernels& plain, const T* x, int64_t stride, int64_t size, int64_t k,
                int32_t turn, uint64_t* room, T* values, int64_t* indices) {
  using C = Compute<T>;
  const bool has_ties = make_pairs<C>(x, stride, size, turn, room);
  uint64_t* sorted = size < kCounted ? order_pairs(plain, room, room + kCounted, size)
                                     : sort_pairs(room, room + size, size);
  if (has_ties) {
    sort_ties(sorted, size, k, reinterpret_cast<const std::byte*>(x),
              stride * static_cast<int64_t>(sizeof(T)), turn,
              [](const void* element, int32_t t) -> uint64_t {
                return sort_key(static_cast<C>(*static_cast<const T*>(element)), t);
              });
  }
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
