// SPDX-License-Identifier: MIT
// Rows of two operands where the short rows of one all meet the same row of the other: a few
// channels of every pixel, beside a number for each channel. One long row is made of them.
#pragma once

#include <algorithm>

#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/rows/copy_rows.h"

namespace ortc::cpu {

// y = a and b joined; an operand of stride 0 stands still.
using FloatRow = void (*)(const VectorF32Kernels& vector, const float* a, int64_t a_stride,
                          const float* b, int64_t b_stride, float* y, int64_t n);

struct RepeatedRows {
  static constexpr int64_t kMost = 64, kLeastRows = 4;
  static constexpr int64_t kCopies = 1024;  // elements
  NdLoop<2> loop;
  int64_t row = 0;  // 0: none such
  size_t repeated = 0;

  explicit RepeatedRows(const NdLoop<2>& all) : loop(all) {
    if (all.rank < 2) return;
    const size_t inner = all.rank - 1, outer = all.rank - 2;
    const int64_t n = all.dims[inner], rows = all.dims[outer];
    repeated = all.strides[0][outer] == 0 ? 0 : 1;
    const auto &fixed = all.strides[repeated], &moving = all.strides[1 - repeated];
    const bool fits = n > 1 && n <= kMost && rows >= kLeastRows && fixed[inner] == 1 &&
                      fixed[outer] == 0 && moving[inner] == 1 && moving[outer] == n;
    if (!fits) return;
    row = n;
    loop.rank = inner;
    loop.dims[outer] = rows * n;
    loop.strides[1 - repeated][outer] = 1;  // the other stays where its row is
  }

  void run(const RunContext& ctx, const float* a, const float* b, float* y, FloatRow join) const {
    const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
    ctx.parallel_for(loop.count, kElementGrain, [&](int64_t begin, int64_t end) {
      float copies[kCopies];
      for_each_row(loop, begin, end, [&](int64_t at, const auto& offsets, int64_t size) {
        const int64_t most = std::min(kCopies / row * row, size);
        repeat_row((repeated == 0 ? a : b) + offsets[repeated], row, at % row, copies, most);
        const float* x = (repeated == 0 ? b : a) + offsets[1 - repeated];
        for (int64_t i = 0; i < size; i += most) {
          const int64_t n = std::min(most, size - i);
          join(vector, repeated == 0 ? copies : x + i, 1, repeated == 0 ? x + i : copies, 1,
               y + at + i, n);
        }
      });
    });
  }
};

}  // namespace ortc::cpu
