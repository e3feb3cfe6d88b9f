// SPDX-License-Identifier: MIT
// How an int8 convolution finds the rows of its implicit GEMM; a function of the shape alone.
// Shared by the scratch computation and the kernels of every instruction set level; plain inline
// arithmetic only.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/conv_f32/conv_f32.h"

namespace ortc::cpu {
namespace {

constexpr size_t kPixelsAtOnceI8 = 240;
constexpr size_t kCopiedBytesI8 = 384 * 1024;  // aim for a block of copied rows

constexpr size_t round_up_64(size_t n) { return (n + 63) / 64 * 64; }

enum class ConvRowsI8 {
  kInPlace,   // 1x1 and whole quads of channels: a pixel of x is a row
  kGathered,  // whole quads of channels: pointers, one per pixel and tap
  kCopied,    // rows are brought together in scratch
};

struct ConvPlanI8 {
  ConvRowsI8 rows;
  size_t block_pixels;  // pixels treated at once
  size_t row_bytes;     // kCopied: from row to row in scratch
  size_t zero_bytes;    // kGathered: length of the row that padding points to
  size_t taps;          // kGathered: pointers per pixel

  // Scratch holds the padding row, pointers, sums of rows, and copied rows, in this order.
  size_t pointer_bytes() const { return round_up_64(taps * kPixelsAtOnceI8 * sizeof(void*)); }
  size_t sum_bytes() const { return round_up_64(kPixelsAtOnceI8 * 4); }
  size_t bytes() const {
    return zero_bytes + pointer_bytes() + sum_bytes() + block_pixels * row_bytes;
  }
};

[[maybe_unused]] constexpr ConvPlanI8 conv_i8_plan(const ConvShape& s) {
  const bool same = s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1 &&
                    s.pad_top == 0 && s.pad_left == 0 && s.out_h == s.in_h && s.out_w == s.in_w;
  if (s.group_in() % 4 == 0) {
    if (same) return {ConvRowsI8::kInPlace, kPixelsAtOnceI8, 0, 0, 0};
    return {ConvRowsI8::kGathered, kPixelsAtOnceI8, 0, round_up_64(s.in_c),
            s.kernel_h * s.kernel_w};
  }
  const size_t row = (round_up_64(s.depth()) / 64 | 1) * 64;
  const size_t fitting = kCopiedBytesI8 / row / 24 * 24;
  const size_t pixels = fitting < 24 ? 24 : fitting > kPixelsAtOnceI8 ? kPixelsAtOnceI8 : fitting;
  return {ConvRowsI8::kCopied, pixels, row, 0, 0};
}

}  // namespace
}  // namespace ortc::cpu
