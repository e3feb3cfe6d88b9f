// SPDX-License-Identifier: MIT
// Where the scale of an element of a quantised tensor lies: one scale for all, one along an axis,
// or one for each block along an axis.
#pragma once

#include <algorithm>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/elements/small_floats.h"

namespace ortc::cpu {

inline constexpr TypeMask kScaleTypes =
    mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16, DType::kFloat8E8M0);

// x is [outer, extent, inner]; scale index = outer step, axis step and inner step together.
struct Scales {
  int64_t extent = 1, inner = 1, block = 1;
  bool is_single = true;
  bool is_blocked = false;  // the scale varies with all three
  int64_t blocks = 1;

  int64_t index(int64_t element) const {
    if (is_single) return 0;
    const int64_t a = element / inner % extent;
    if (!is_blocked) return a;
    return (element / inner / extent * blocks + a / block) * inner + element % inner;
  }
  // Elements from this one on that share its scale.
  int64_t run(int64_t element) const {
    if (is_single) return INT64_MAX;
    if (!is_blocked) return inner - element % inner;
    if (inner > 1) return 1;
    const int64_t a = element % extent;
    return std::min(extent - a, block - a % block);
  }
};

// `block` is 0 where there are none.
Result<Scales> place_scales(int64_t axis, int64_t block, const ValueRef& x, const ValueRef& scale);

// f(begin, end, scale index) for the parts of [begin, end) of one scale. Divisions are spared where
// the scales of parts follow each other.
template <typename F>
void for_runs(const Scales& scales, int64_t begin, int64_t end, F&& f) {
  if (begin >= end) return;
  const bool is_line = scales.is_blocked && scales.inner == 1;
  int64_t index = scales.index(begin), run = scales.run(begin);
  int64_t along = is_line ? begin % scales.extent : 0;
  for (int64_t at = begin;;) {
    const int64_t stop = run < end - at ? at + run : end;
    f(at, stop, index);
    if (stop == end) return;
    at = stop;
    if (is_line) {
      along = along + run == scales.extent ? 0 : along + run;
      run = std::min(scales.extent - along, scales.block);
      ++index;
    } else if (!scales.is_blocked) {
      index = index + 1 == scales.extent ? 0 : index + 1;
      run = scales.inner;
    } else {
      index = scales.index(at);
      run = scales.run(at);
    }
  }
}

// Of kScaleTypes.
float scale_at(const ValueRef& scale, int64_t i);

// INVALID_ARGUMENT unless input 2, if present, has the shape of the scale.
Status check_zero_point(const BindContext& ctx, const ValueRef& scale);

}  // namespace ortc::cpu
