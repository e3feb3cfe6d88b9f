// SPDX-License-Identifier: MIT
// Rows of X, or of states, times a W or R of 8 bits (arith/gemm_i8). A row becomes two of bytes:
//
//   q = round(x / step) = 256 high + low,  step = largest |x| / 32639,  high, low in [-128, 127]
//
// Sums of bytes are exact, so a product differs from that of the row itself by little more than
// half a step for each element, a 65000th of the largest. A row with an element that is not finite
// gives NaN.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>

#include "providers/cpu/arith/gemm_i8/gemm_i8.h"
#include "providers/cpu/arith/quant/quant.h"
#include "providers/cpu/bind/scratch_plan.h"

namespace ortc::cpu {

// Offsets in scratch: rows of bytes, their sums, and the step of each row.
struct ByteRowsScratch {
  uint64_t bytes, sums, steps;
};
inline constexpr int64_t kByteRows = 24;  // that are multiplied together

// For products of so many rows at most, as deep as `depth` at most.
inline ByteRowsScratch lay_out_byte_rows(int64_t rows, int64_t depth, int64_t wide,
                                         ScratchPlan* plan) {
  const int64_t together = 2 * std::min(rows, kByteRows);
  const auto count = [together](int64_t columns) {
    const auto size = checked_mul(together, columns);
    return size ? *size : int64_t{-1};
  };
  ByteRowsScratch scratch{};
  scratch.bytes = plan->add<uint8_t>(count((depth + 3) / 4 * 4));
  scratch.sums = plan->add<int32_t>(count(wide));
  scratch.steps = plan->add<float>(together);
  return scratch;
}

// A W or R of one direction.
struct ByteMatrix {
  const std::byte* panels;
  const float* scales;  // of its columns
  int64_t depth, wide;
};

class ByteRows {
 public:
  ByteRows(const RunContext& ctx, const ByteRowsScratch& scratch, const ByteMatrix& matrix)
      : ctx_(ctx),
        matrix_(matrix),
        row_bytes_((matrix.depth + 3) / 4 * 4),
        bytes_(scratch_at<uint8_t>(ctx, scratch.bytes)),
        sums_(scratch_at<int32_t>(ctx, scratch.sums)),
        steps_(scratch_at<float>(ctx, scratch.steps)) {}

  // to[i, :] = x[i, :] . matrix + bias, which may be null.
  void multiply(const float* x, int64_t rows, const float* bias, float* to) const {
    for (int64_t i = 0; i < rows; i += kByteRows) {
      multiply_some(x + i * matrix_.depth, std::min(kByteRows, rows - i), bias,
                    to + i * matrix_.wide);
    }
  }

 private:
  static constexpr int32_t kZero = 128;

  void multiply_some(const float* x, int64_t rows, const float* bias, float* to) const {
    const int64_t depth = matrix_.depth, wide = matrix_.wide;
    for (int64_t i = 0; i < rows; ++i) {
      uint8_t* row = bytes_ + 2 * i * row_bytes_;
      steps_[i] = split(x + i * depth, row, row + row_bytes_);
    }
    const GemmI8Kernels& kernels = gemm_i8_kernels(ctx_.isa());
    const GemmI8 product = product_of_rows();
    const auto columns = static_cast<int64_t>(kPanelColumns);
    const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 19) / (rows * depth * columns));
    ctx_.parallel_for(
        static_cast<int64_t>(panel_count(product.n)), grain, [&](int64_t begin, int64_t end) {
          kernels.tile(product, 0, 2 * static_cast<size_t>(rows), static_cast<size_t>(begin),
                       static_cast<size_t>(end));
          for (int64_t i = 0; i < rows; ++i) {
            join(i, begin * columns, std::min(wide, end * columns), bias, to + i * wide);
          }
        });
  }

  GemmI8 product_of_rows() const {
    GemmI8 product;
    product.a = bytes_;
    product.lda = static_cast<size_t>(row_bytes_);
    product.a_zero = kZero;
    product.b = matrix_.panels;
    product.c = sums_;
    product.n = product.ldc = static_cast<size_t>(matrix_.wide);
    product.k = static_cast<size_t>(matrix_.depth);
    return product;
  }

  // Gives the step. The largest is found by its bits: those of what is not finite are above all.
  float split(const float* x, uint8_t* high, uint8_t* low) const {
    constexpr float kMost = 32639, kLeast = 1e-30f;  // smaller ones are zero
    constexpr int32_t kInfinity = 0x7f800000;
    const int64_t n = matrix_.depth;
    int32_t top = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int32_t size = std::bit_cast<int32_t>(x[i]) & INT32_MAX;
      top = size > top ? size : top;
    }
    const auto largest = std::bit_cast<float>(top);
    if (top >= kInfinity || largest < kLeast) {
      std::fill_n(high, n, uint8_t{kZero});
      std::fill_n(low, n, uint8_t{kZero});
      return top >= kInfinity ? std::numeric_limits<float>::quiet_NaN() : 0.0f;
    }
    const float factor = kMost / largest;
    quant_kernels(ctx_.isa()).split(x, factor, high, low, static_cast<size_t>(n));
    return largest / kMost;
  }

  void join(int64_t i, int64_t begin, int64_t end, const float* bias, float* to) const {
    const int32_t* high = sums_ + 2 * i * matrix_.wide + begin;
    quant_kernels(ctx_.isa())
        .join(high, high + matrix_.wide, steps_[i], matrix_.scales + begin,
              bias != nullptr ? bias + begin : nullptr, to + begin,
              static_cast<size_t>(end - begin));
  }

  const RunContext& ctx_;
  const ByteMatrix matrix_;
  const int64_t row_bytes_;
  uint8_t* const bytes_;
  int32_t* const sums_;
  float* const steps_;
};

}  // namespace ortc::cpu
