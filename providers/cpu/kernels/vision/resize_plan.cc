// SPDX-License-Identifier: MIT
// Resize's plan: see the header.
#include "providers/cpu/kernels/vision/resize_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

// Input elements that one output element may be made of: an antialiasing filter over the widest
// images stays far below.
constexpr int64_t kTapsMax = int64_t{1} << 24;

Result<ResampleRule> rule_of(const ResizeParams& params) {
  if (params.mode > static_cast<uint32_t>(ResizeMode::kCubic) ||
      params.transform > static_cast<uint32_t>(ResizeTransform::kHalfPixelForNearest) ||
      params.nearest > static_cast<uint32_t>(NearestMode::kSimple) ||
      params.policy > static_cast<uint32_t>(AspectPolicy::kNotSmaller) ||
      params.scale_count > kRecordScales) {
    return invalid_graph("its params record names no way to resize");
  }
  return ResampleRule{static_cast<ResizeMode>(params.mode),
                      static_cast<ResizeTransform>(params.transform),
                      static_cast<NearestMode>(params.nearest),
                      (params.flags & kAntialias) != 0 && params.mode != 0,
                      (params.flags & kExcludeOutside) != 0,
                      params.cubic_a};
}

// The tensor's axes that scales, sizes and regions speak of, in their order.
Result<DimList> resized_axes(const ResizeParams& params, size_t rank) {
  RETURN_IF_ERROR(checked_axes(params.axes, rank).status());
  DimList axes;
  if (params.axes.has_axes == 0) {
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  } else {
    for (uint32_t i = 0; i < params.axes.axis_count; ++i) {
      const int64_t axis = params.axes.axes[i];
      axes.push_back(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
    }
  }
  return axes;
}

Result<double> float_at(const ValueRef& tensor, int64_t i) {
  if (tensor.data == nullptr) return not_implemented("contents that are known before the run only");
  switch (tensor.dtype) {
    case DType::kFloat32:
      return static_cast<double>(tensor.as<float>()[i]);
    case DType::kFloat64:
      return tensor.as<double>()[i];
    case DType::kFloat16:
      return static_cast<double>(static_cast<float>(tensor.as<Float16>()[i]));
    default:
      return invalid_graph("scales and regions of type ", dtype_name(tensor.dtype));
  }
}

Status set_scale(const ResampleRule& rule, double scale, ResampleAxis* axis) {
  if (!(scale > 0) || !(scale < 1e9)) return invalid_argument("a scale is ", scale);
  axis->scale = scale;
  double size = static_cast<double>(axis->in);
  if (rule.transform == ResizeTransform::kCropAndResize) size *= axis->roi_end - axis->roi_start;
  // In single precision, as scales are given: 3 * (7 / 3) is 7 then.
  const double wanted = std::floor(static_cast<float>(size) * static_cast<float>(scale));
  if (!(wanted >= 0 && wanted < 1e15)) return invalid_argument("a scale of ", scale);
  axis->out = static_cast<int64_t>(wanted);
  return Status::ok();
}

Status apply_sizes(const ResizeParams& params, const DimList& axes, const DimList& sizes,
                   Resampling* work) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    ResampleAxis& axis = work->axes[static_cast<size_t>(axes[i])];
    if (sizes[i] < 0 || (sizes[i] > 0 && axis.in == 0)) {
      return invalid_argument("a size of ", sizes[i], " for an axis of ", axis.in);
    }
    axis.out = sizes[i];
    axis.scale = sizes[i] == 0 ? 1.0 : static_cast<double>(sizes[i]) / static_cast<double>(axis.in);
    least = std::min(least, axis.scale);
    most = std::max(most, axis.scale);
  }
  const auto policy = static_cast<AspectPolicy>(params.policy);
  if (policy == AspectPolicy::kStretch) return Status::ok();
  for (const int64_t at : axes) {
    ResampleAxis& axis = work->axes[static_cast<size_t>(at)];
    axis.scale = policy == AspectPolicy::kNotLarger ? least : most;
    const double size = std::floor(axis.scale * static_cast<double>(axis.in) + 0.5);
    if (!(size < 1e15)) return invalid_argument("a size of ", size);
    axis.out = static_cast<int64_t>(size);
  }
  return Status::ok();
}

bool has_elements(const ValueRef& tensor) {
  return tensor.is_present() && tensor.element_count() > 0;
}

void order_passes(const Resampling& work, ResizeScratch* scratch) {
  for (size_t i = work.rank; i-- > 0;) {
    if (!work.axes[i].is_identity(work.rule)) {
      scratch->order[scratch->pass_count++] = static_cast<uint8_t>(i);
    }
  }
  const auto growth = [&](uint8_t i) {
    return static_cast<double>(work.axes[i].out) / static_cast<double>(work.axes[i].in);
  };
  // Of equal growth the later axis first. (A stable sort would ask for memory.)
  std::sort(scratch->order.begin(), scratch->order.begin() + scratch->pass_count,
            [&](uint8_t a, uint8_t b) {
              const double of_a = growth(a), of_b = growth(b);
              return of_a != of_b ? of_a < of_b : a > b;
            });
  // Along the last axis elements are gathered; across it rows are blended, which costs a part of
  // that for each of theirs.
  constexpr double kGather = 5;
  uint8_t &first = scratch->order[0], &second = scratch->order[1];
  if (work.rule.mode == ResizeMode::kNearest || scratch->pass_count != 2 ||
      first + size_t{1} != work.rank) {
    return;
  }
  const double along = growth(first), across = growth(second);
  if (across + (kGather - 1) * along * across < kGather * along) std::swap(first, second);
}

Status check_taps(const Resampling& work) {
  for (size_t i = 0; i < work.rank; ++i) {
    const ResampleAxis& axis = work.axes[i];
    if (axis.out == 0 || axis.tap_count(work.rule) <= kTapsMax) continue;
    return invalid_argument("a scale of ", axis.scale, " makes one element from ",
                            axis.tap_count(work.rule), ", at most ", kTapsMax, " can be handled");
  }
  return Status::ok();
}

}  // namespace

Status plan_resampling(const ResizeParams& params, const ValueRef& x, const ValueRef& roi,
                       const ValueRef& scales, const ValueRef& sizes, Resampling* work) {
  ASSIGN_OR_RETURN(work->rule, rule_of(params));
  work->rank = x.rank;
  for (size_t i = 0; i < x.rank; ++i) work->axes[i] = {x.dim(i), x.dim(i), 1, 0, 1};
  ASSIGN_OR_RETURN(const DimList axes, resized_axes(params, x.rank));
  const auto count = static_cast<int64_t>(axes.size());
  if (work->rule.transform == ResizeTransform::kCropAndResize) {
    if (!roi.is_present() || roi.element_count() != 2 * count) {
      return invalid_argument("the region must have ", 2 * count, " numbers");
    }
    for (int64_t i = 0; i < count; ++i) {
      ResampleAxis& axis = work->axes[static_cast<size_t>(axes[static_cast<size_t>(i)])];
      ASSIGN_OR_RETURN(axis.roi_start, float_at(roi, i));
      ASSIGN_OR_RETURN(axis.roi_end, float_at(roi, count + i));
    }
  }
  if (has_elements(sizes)) {
    if (has_elements(scales)) return invalid_argument("has scales and sizes");
    DimList given;
    RETURN_IF_ERROR(read_ints(sizes, "sizes", &given));
    if (given.size() != axes.size()) {
      return invalid_argument("sizes has ", given.size(), " numbers, expected ", axes.size());
    }
    return apply_sizes(params, axes, given, work);
  }
  const int64_t scale_count = params.scale_count != 0 ? int64_t{params.scale_count}
                              : scales.is_present()   ? scales.element_count()
                                                      : 0;
  if (scale_count != count) {
    return invalid_argument("scales has ", scale_count, " numbers, expected ", count);
  }
  for (int64_t i = 0; i < count; ++i) {
    double scale = params.scale_count != 0 ? params.scales[i] : 0;
    if (params.scale_count == 0) {
      ASSIGN_OR_RETURN(scale, float_at(scales, i));
    }
    RETURN_IF_ERROR(set_scale(work->rule, scale,
                              &work->axes[static_cast<size_t>(axes[static_cast<size_t>(i)])]));
  }
  return Status::ok();
}

Result<DimList> out_dims(const Resampling& work) {
  DimList dims;
  for (size_t i = 0; i < work.rank; ++i) dims.push_back(work.axes[i].out);
  if (!checked_element_count(dims)) return invalid_argument("the result is too large");
  RETURN_IF_ERROR(check_taps(work));
  return dims;
}

ResizeScratch lay_out(const Resampling& work, const DimList& dims, DType dtype, ScratchPlan* plan) {
  ResizeScratch scratch;
  if (product(dims) == 0) return scratch;
  order_passes(work, &scratch);
  const bool moves = work.rule.mode == ResizeMode::kNearest;
  const bool is_narrow =
      dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBfloat16;
  const uint64_t weight_bytes = is_narrow ? sizeof(float) : sizeof(double);
  DimList between;
  for (size_t i = 0; i < work.rank; ++i) between.push_back(work.axes[i].in);
  std::optional<int64_t> most = checked_element_count(between);
  for (size_t p = 0; p < scratch.pass_count; ++p) {
    const ResampleAxis& axis = work.axes[scratch.order[p]];
    const auto entries = checked_mul(axis.out, axis.tap_count(work.rule));
    scratch.index[p] = plan->add<int64_t>(entries ? *entries : -1);
    if (moves) continue;
    scratch.weight[p] = plan->add(entries ? *entries : -1, weight_bytes);
    between[scratch.order[p]] = axis.out;
    const auto count = checked_element_count(between);
    most = most && count ? std::optional(std::max(*most, *count)) : std::nullopt;
  }
  if (!moves) {
    for (uint64_t& buffer : scratch.buffers) buffer = plan->add(most.value_or(-1), weight_bytes);
  }
  return scratch;
}

}  // namespace ortc::cpu
