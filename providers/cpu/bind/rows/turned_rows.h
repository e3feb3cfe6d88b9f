// SPDX-License-Identifier: MIT
// Many short rows of floats, one behind the other, as columns: what is done to a row is done to
// many side by side, and no call or horizontal operation is made for each.
#pragma once

#include <algorithm>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/arith/turn/turn.h"

namespace ortc::cpu {

inline constexpr int64_t kTurnedLongest = 32;  // elements of a row that is turned
inline constexpr int64_t kTurnedFewest = 8;    // rows that are worth it
inline constexpr int64_t kTurnedMost = 256;    // rows that are turned together

constexpr bool turns_rows(int64_t rows, int64_t n) {
  return n <= kTurnedLongest && rows >= kTurnedFewest;
}
// The same for blocks [n, inner], whose elements go in `inner` rows.
constexpr bool turns_blocks(int64_t blocks, int64_t n, int64_t inner) {
  constexpr int64_t kNarrowest = 16, kLargest = 256;
  return inner <= kNarrowest && n <= kLargest / inner && blocks >= kTurnedFewest;
}

// f(columns, count, row) changes n rows of `count` columns in place, rows `row` and following, for
// all rows, on all threads. A caller decides which rows are short enough. y may be x. Rows that are
// blocks [n / inner, inner] count `inner` times: there are at most kTurnedMost / inner together.
template <typename F>
void for_turned_rows(const RunContext& ctx, int64_t rows, int64_t n, const float* x, float* y,
                     F&& f, int64_t inner = 1) {
  constexpr int64_t kRoom = 4096, kStep = 16, kGrain = 8192;  // elements, whole squares, elements
  const auto turn = turn_of(ctx.isa(), sizeof(float));
  const auto width = static_cast<size_t>(n);
  const int64_t most = std::min(kTurnedMost / inner, kRoom / n) / kStep * kStep;
  ctx.parallel_for(rows, std::max(most, kGrain / n), [&](int64_t begin, int64_t end) {
    alignas(64) float columns[kRoom];
    for (int64_t row = begin; row < end; row += most) {
      const auto count = static_cast<size_t>(std::min(most, end - row));
      turn(x + row * n, width, columns, count, count, width);
      f(columns, count, row);
      turn(columns, count, y + row * n, width, width, count);
    }
  });
}

}  // namespace ortc::cpu
