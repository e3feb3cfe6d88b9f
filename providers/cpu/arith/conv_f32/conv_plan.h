// SPDX-License-Identifier: MIT
// How a convolution finds the rows of its implicit GEMM; a function of the shape alone. Shared by
// the scratch computation and the kernels of every instruction set level; plain inline arithmetic
// only.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/conv_f32/conv_f32.h"

namespace ortc::cpu {
namespace {

// Without groups, fewer channels than this are not gathered tap by tap.
constexpr size_t kCopyChannels = 24;
constexpr size_t kPixelsAtOnce = 240;
constexpr size_t kCopiedFloats = 96 * 1024;  // aim for a block of copied rows

constexpr size_t round_up_16(size_t n) { return (n + 15) / 16 * 16; }

enum class ConvRows {
  kInPlace,  // 1x1: a pixel of x is a row
  kCopied,   // few channels: rows are brought together in scratch
  // Few channels, all neighbours in memory: pointers to whole kernel rows; windows that overlap the
  // left or right border are copied.
  kWide,
  kGathered,  // many channels, or groups: pointers, one per pixel and tap
};

struct ConvPlan {
  ConvRows rows;
  size_t block_pixels;  // pixels treated at once
  size_t row_floats;    // kCopied, kWide: from row to row in scratch
  size_t zero_floats;   // kWide, kGathered: length of the row of zeros that padding points to
  size_t taps;          // kWide, kGathered: pointers per pixel

  // Scratch holds zeros, pointers and copied rows, in this order.
  size_t pointer_bytes() const { return round_up_16(taps * kPixelsAtOnce) * sizeof(const float*); }
  size_t bytes() const {
    return (zero_floats + block_pixels * row_floats) * sizeof(float) + pointer_bytes();
  }
};

[[maybe_unused]] constexpr ConvPlan conv_plan(const ConvShape& s, size_t x_ld) {
  const bool same = s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1 &&
                    s.pad_top == 0 && s.pad_left == 0 && s.out_h == s.in_h && s.out_w == s.in_w;
  if (same) return {ConvRows::kInPlace, kPixelsAtOnce, 0, 0, 0};
  if (s.groups == 1 && s.in_c < kCopyChannels) {
    // An odd number of lines keeps rows from sharing cache sets; two lines more take overlong
    // stores.
    const size_t row = (round_up_16(s.depth()) / 16 | 1) * 16 + 32;
    const size_t fitting = kCopiedFloats / row / 12 * 12;
    const size_t pixels = fitting < 12 ? 12 : fitting > kPixelsAtOnce ? kPixelsAtOnce : fitting;
    if (s.dilation_w == 1 && x_ld == s.in_c) {
      return {ConvRows::kWide, pixels, row, round_up_16(s.kernel_w * s.in_c), s.kernel_h};
    }
    return {ConvRows::kCopied, pixels, row, 0, 0};
  }
  const size_t taps = s.kernel_h * s.kernel_w;
  return {ConvRows::kGathered, kPixelsAtOnce, 0, round_up_16(s.in_c), taps};
}

}  // namespace
}  // namespace ortc::cpu
