// SPDX-License-Identifier: MIT
// Scales and zero points as floats that lie beside the elements, or beside their blocks: for
// tensors whose scale changes after a few elements, which are then treated a row at a time.
#pragma once

#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/kernels/quantised/scale_layout.h"

namespace ortc::cpu {

inline constexpr int64_t kScaleChunk = 512;  // elements that are treated together

struct ScaleRowsScratch {
  ScratchPlan plan;
  uint64_t scales = 0, zeros = 0;
  int64_t count = 0;  // floats of each; 0: runs of one scale are long
};

// Of x and the scales of input 1; both contexts of one kernel come to the same.
ScaleRowsScratch lay_out_scale_rows(const Scales& scales, const ValueRef& x, const ValueRef& scale);

// Elements [at, at + n) of a tensor that can be dequantised.
void codes_to_floats(Isa isa, const ValueRef& x, int64_t at, int64_t n, float* y);

class ScaleRows {
 public:
  // Fills the scratch. Zero points of int32, whose differences wrap around, are not for floats.
  ScaleRows(const RunContext& ctx, const Scales& scales);

  bool is_used() const { return scales_ != nullptr; }
  // Elements beside which scales lie one behind the other; 0 where rows are not used.
  int64_t width() const;
  // y = x / scale, rounded to integers, plus the zero point, for n elements from `begin` on, at
  // most a chunk.
  void divide(const float* x, int64_t begin, int64_t n, float* y) const;
  // y = (y - zero) scale
  void multiply(int64_t begin, int64_t n, float* y) const;

 private:
  int64_t place_of(int64_t begin, int64_t n) const;
  void copy_row(const float* rows, int64_t begin, int64_t n, float* to) const;
  template <typename F>
  void with_rows(int64_t begin, int64_t n, F&& f) const;

  const Isa isa_;
  const Scales layout_;
  const int64_t period_;  // of the rows; of no meaning where there are blocks
  const float *scales_ = nullptr, *zeros_ = nullptr;
};

}  // namespace ortc::cpu
