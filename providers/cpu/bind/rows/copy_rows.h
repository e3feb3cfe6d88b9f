// SPDX-License-Identifier: MIT
// Movement of bytes for kernels that know elements by their size only: rows of bytes between two
// pitches, and strided reads into a contiguous result.
#pragma once

#include <algorithm>
#include <cstring>

#include "providers/cpu/bind/rows/fill_row.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {

// `row_count` rows of `row_bytes`; row i goes from `from + i * from_pitch` to `to + i * to_pitch`.
struct RowCopy {
  const std::byte* from;
  int64_t from_pitch;
  std::byte* to;
  int64_t to_pitch;
  int64_t row_bytes;
  int64_t row_count;
};

// Divided over the threads of ctx by bytes: many short rows or few long ones.
void copy_rows(const RunContext& ctx, const RowCopy& copy);

// to[i] = from at the loop's offsets, for each output element i. `bytes` is an element's size.
void copy_strided(const RunContext& ctx, const NdLoop<1>& loop, size_t bytes, const void* from,
                  void* to);

// One row of it: n elements that lie `stride` apart.
template <typename T>
void copy_row(const T* from, int64_t stride, T* to, int64_t n) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  } else if (stride == 0) {
    fill_row(to, *from, n);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
  }
}

// to[i] = period[(phase + i) % size] for i < n; phase is below size, size below n or like it.
template <typename T>
void repeat_row(const T* period, int64_t size, int64_t phase, T* to, int64_t n) {
  constexpr int64_t kPieceMost = 4096 / sizeof(T);  // what is copied stays in the nearest cache
  const int64_t head = std::min(size - phase, n);
  std::memcpy(to, period + phase, static_cast<size_t>(head) * sizeof(T));
  to += head;
  n -= head;
  int64_t done = std::min(size, n);
  if (done > 0) std::memcpy(to, period, static_cast<size_t>(done) * sizeof(T));
  // Whole periods are copied behind themselves, twice as many each time.
  const int64_t most = std::max(kPieceMost / size * size, size);
  while (done < n) {
    const int64_t piece = std::min({done, most, n - done});
    std::memcpy(to + done, to, static_cast<size_t>(piece) * sizeof(T));
    done += piece;
  }
}

}  // namespace ortc::cpu
