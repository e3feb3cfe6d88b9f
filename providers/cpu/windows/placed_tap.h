// SPDX-License-Identifier: MIT
// Sums that overlap: one place (tap) of every block goes to its pixels of an image.
#pragma once

#include <algorithm>
#include <span>

#include "providers/cpu/bind/rows/nd_loop.h"

namespace ortc::cpu {

// Block o's pixel is o * stride + shift, where that lies in [0, size).
struct TapAxis {
  int64_t blocks, size;
  int64_t stride, shift;
};

// All blocks whose pixel lies in the image: where the first is among the blocks and its pixel in
// the image, and the loop over both from there on. Without blocks the loop is empty.
struct PlacedTap {
  int64_t from = 0, to = 0;
  NdLoop<2> loop;

  explicit PlacedTap(std::span<const TapAxis> axes) {
    int64_t from_step = 1, to_step = 1;
    std::array<std::array<int64_t, 3>, kMaxRank> dims;  // blocks, and what is between two of them
    for (size_t d = axes.size(); d-- > 0;) {
      const auto& [blocks, size, stride, shift] = axes[d];
      const int64_t begin = shift < 0 ? (stride - 1 - shift) / stride : 0;
      const int64_t end = shift < size ? (size - 1 - shift) / stride + 1 : 0;
      dims[d] = {std::max<int64_t>(0, std::min(end, blocks) - begin), from_step, to_step * stride};
      from += begin * from_step;
      to += (begin * stride + shift) * to_step;
      from_step *= blocks;
      to_step *= size;
    }
    for (size_t d = 0; d < axes.size(); ++d) loop.append(dims[d][0], {dims[d][1], dims[d][2]});
    loop.finish();
  }
};

}  // namespace ortc::cpu
