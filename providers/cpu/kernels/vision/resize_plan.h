// SPDX-License-Identifier: MIT
// What Resize makes of its record, its inputs and a shape: the axes with their scales and sizes,
// and where scratch holds the tables and buffers of a run. Bind and run come to the same plan.
#pragma once

#include <array>

#include "providers/cpu/bind/axis_list.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/kernels/vision/resample.h"

namespace ortc::cpu {

enum ResizeFlags : uint32_t { kAntialias = 1, kExcludeOutside = 2 };
enum class AspectPolicy : uint32_t { kStretch = 0, kNotLarger = 1, kNotSmaller = 2 };
constexpr size_t kRecordScales = 8;

struct ResizeParams {
  uint32_t record_bytes;
  uint32_t mode;       // ResizeMode
  uint32_t transform;  // ResizeTransform
  uint32_t nearest;    // NearestMode
  uint32_t flags;
  uint32_t policy;
  float cubic_a;
  float extrapolation;
  uint32_t scale_count;  // Upsample whose scales are attributes
  float scales[kRecordScales];
  AxisListParams axes;
};
static_assert(sizeof(ResizeParams) == 148);

struct Resampling {
  ResampleRule rule;
  size_t rank = 0;
  std::array<ResampleAxis, kMaxRank> axes;
};

// Where scratch holds what. Nearest: the table of each axis that changes. Else: one table of taps
// after the other, and two buffers for what lies between the passes.
struct ResizeScratch {
  std::array<uint64_t, kMaxRank> index{}, weight{};
  uint64_t buffers[2] = {0, 0};
  std::array<uint8_t, kMaxRank> order{};  // of the passes
  size_t pass_count = 0;
};

// `roi`, `scales` and `sizes` may be omitted.
Status plan_resampling(const ResizeParams& params, const ValueRef& x, const ValueRef& roi,
                       const ValueRef& scales, const ValueRef& sizes, Resampling* work);

Result<DimList> out_dims(const Resampling& work);

ResizeScratch lay_out(const Resampling& work, const DimList& dims, DType dtype, ScratchPlan* plan);

}  // namespace ortc::cpu
