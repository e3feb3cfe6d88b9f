// SPDX-License-Identifier: MIT
// How a convolution finds the rows of its implicit GEMM; a function of the shape alone. Shared by
// the scratch computation and the kernels of every instruction set level; plain inline arithmetic
// only.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/conv_f32.h"

namespace ortc::cpu {
namespace {

enum class ConvRows {
  kInPlace,   // 1x1: a pixel of x is a row
  kCopied,    // few channels: rows are copied together in scratch
  kGathered,  // a table of pointers, one per pixel and tap
};

struct ConvPlan {
  ConvRows rows;
  size_t block_pixels;  // pixels treated at once
  size_t row_floats;    // kCopied: from row to row in scratch
  size_t zero_floats;   // kGathered: length of the row of zeros that padding points to
};

constexpr size_t kCopyChannels = 24;  // fewer channels than this are copied
constexpr size_t kPixelsAtOnce = 240;
constexpr size_t kCopiedFloats = 96 * 1024;  // aim for a block of copied rows

constexpr size_t round_up_16(size_t n) { return (n + 15) / 16 * 16; }

[[maybe_unused]] constexpr ConvPlan conv_plan(const ConvShape& s) {
  const bool same = s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1 &&
                    s.pad_top == 0 && s.pad_left == 0 && s.out_h == s.in_h && s.out_w == s.in_w;
  if (same) return {ConvRows::kInPlace, kPixelsAtOnce, 0, 0};
  if (s.group_in() < kCopyChannels) {
    // An odd number of lines keeps rows from sharing cache sets; one line more takes overlong
    // stores.
    const size_t row = (round_up_16(s.depth()) / 16 | 1) * 16 + 32;
    const size_t fitting = kCopiedFloats / row / 12 * 12;
    const size_t pixels = fitting < 12 ? 12 : fitting > kPixelsAtOnce ? kPixelsAtOnce : fitting;
    return {ConvRows::kCopied, pixels, row, 0};
  }
  return {ConvRows::kGathered, kPixelsAtOnce, 0, round_up_16(s.in_c)};
}

}  // namespace
}  // namespace ortc::cpu
