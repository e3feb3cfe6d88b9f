// SPDX-License-Identifier: MIT
// Resize and Upsample: an axis gets another number of elements, each taken from the nearest or
// interpolated from neighbouring ones (providers/cpu/resample.h).
//
// Nearest moves bytes. Linear and cubic interpolation treats one axis after the other, those that
// shrink most first: the tensor is seen as [outer, in, inner] and becomes [outer, out, inner].
// Floats are interpolated in float, double and integers in double; integers are truncated, with
// antialiasing rounded.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "providers/cpu/axis_list.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/element.h"
#include "providers/cpu/nd_loop.h"
#include "providers/cpu/resample.h"
#include "providers/cpu/scratch_plan.h"

namespace ortc::cpu {
namespace {

using ResizeTypes = Join<NumberTypes, TypeList<Bool8>>;

// What T is interpolated in.
template <typename T>
using Weight = std::conditional_t<std::is_same_v<T, float> || kIsReduced<T>, float, double>;

// --- Arithmetic.

template <typename T, typename W>
T result_of(W value, bool rounds) {
  if constexpr (std::is_integral_v<T>) {
    const double whole = rounds ? std::nearbyint(value) : std::trunc(value);
    // The largest 64-bit numbers are no doubles: the comparison is with the next one.
    if (!(whole < static_cast<double>(std::numeric_limits<T>::max()))) {
      return std::isnan(whole) ? T{0} : std::numeric_limits<T>::max();
    }
    if (whole <= static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    return static_cast<T>(whole);
  } else {
    return convert<T>(value);
  }
}

// A table of taps: those of output element j are [j * count, (j + 1) * count).
template <typename W>
struct Taps {
  int64_t count;
  const int64_t* index;
  const W* weight;
};

template <typename W>
void blend_row(const W* x, int64_t inner, int64_t j, const Taps<W>& taps, W* y) {
  const int64_t* index = taps.index + j * taps.count;
  const W* weight = taps.weight + j * taps.count;
  const W *a = x + index[0] * inner, *b = x + index[1] * inner;
  const W u = weight[0], v = weight[1];
  for (int64_t i = 0; i < inner; ++i) y[i] = u * a[i] + v * b[i];
  for (int64_t k = 2; k < taps.count; ++k) {
    const W* c = x + index[k] * inner;
    const W w = weight[k];
    for (int64_t i = 0; i < inner; ++i) y[i] += w * c[i];
  }
}

// The same for a whole row along the axis, when few neighbours lie inside it.
template <typename W>
void blend_along(const W* x, int64_t inner, int64_t out, const Taps<W>& taps, W* y) {
  for (int64_t j = 0; j < out; ++j) {
    const int64_t* index = taps.index + j * taps.count;
    const W* weight = taps.weight + j * taps.count;
    for (int64_t i = 0; i < inner; ++i) {
      W sum = weight[0] * x[index[0] * inner + i] + weight[1] * x[index[1] * inner + i];
      for (int64_t k = 2; k < taps.count; ++k) sum += weight[k] * x[index[k] * inner + i];
      y[j * inner + i] = sum;
    }
  }
}

// --- Prepare.

enum Flags : uint32_t { kAntialias = 1, kExcludeOutside = 2 };
enum class Policy : uint32_t { kStretch = 0, kNotLarger = 1, kNotSmaller = 2 };
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

template <size_t kCount>
Result<uint32_t> read_name(const Node& node, std::string_view attribute, std::string_view otherwise,
                           const std::string_view (&names)[kCount]) {
  const std::string_view name = node.string_attribute(attribute, otherwise);
  const auto* found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) {
    return invalid_graph("attribute '", attribute, "' is '", name, "'");
  }
  return static_cast<uint32_t>(found - std::begin(names));
}

constexpr std::string_view kModes[] = {"nearest", "linear", "cubic"};

Status prepare_resize(PrepareContext& ctx) {
  constexpr std::string_view kTransforms[] = {"half_pixel",         "pytorch_half_pixel",
                                              "align_corners",      "asymmetric",
                                              "tf_crop_and_resize", "half_pixel_symmetric"};
  constexpr std::string_view kNearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                           "ceil"};
  constexpr std::string_view kPolicies[] = {"stretch", "not_larger", "not_smaller"};
  const Node& node = ctx.node();
  const std::string_view transform =
      node.string_attribute("coordinate_transformation_mode", "half_pixel");
  if (transform == "tf_half_pixel_for_nn") {
    return not_implemented("coordinate_transformation_mode tf_half_pixel_for_nn");
  }
  ResizeParams params{};
  params.record_bytes = sizeof params;
  ASSIGN_OR_RETURN(params.mode, read_name(node, "mode", "nearest", kModes));
  ASSIGN_OR_RETURN(params.transform,
                   read_name(node, "coordinate_transformation_mode", "half_pixel", kTransforms));
  ASSIGN_OR_RETURN(params.nearest, read_name(node, "nearest_mode", "round_prefer_floor", kNearest));
  ASSIGN_OR_RETURN(params.policy,
                   read_name(node, "keep_aspect_ratio_policy", "stretch", kPolicies));
  if (node.int_attribute("antialias", 0) != 0) params.flags |= kAntialias;
  if (node.int_attribute("exclude_outside", 0) != 0) params.flags |= kExcludeOutside;
  params.cubic_a = node.float_attribute("cubic_coeff_a", -0.75f);
  params.extrapolation = node.float_attribute("extrapolation_value", 0.0f);
  RETURN_IF_ERROR(axes_from_attribute(node, "axes", &params.axes));
  ctx.set_params(params);
  return Status::ok();
}

// Resize of opset 10 and Upsample know two modes and one transform.
Status prepare_upsample(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ResizeParams params{};
  params.record_bytes = sizeof params;
  std::string_view mode = node.string_attribute("mode", "nearest");
  if (mode == "bilinear" || mode == "trilinear") mode = "linear";
  if (mode != "nearest" && mode != "linear") {
    return invalid_graph("attribute 'mode' is '", mode, "'");
  }
  params.mode =
      static_cast<uint32_t>(mode == "linear" ? ResizeMode::kLinear : ResizeMode::kNearest);
  params.transform = static_cast<uint32_t>(ResizeTransform::kAsymmetric);
  params.nearest = static_cast<uint32_t>(NearestMode::kSimple);
  params.axes.record_bytes = sizeof params.axes;
  if (ctx.opset() < 7) {
    params.scale_count = 4;
    params.scales[0] = params.scales[1] = 1.0f;
    params.scales[2] = node.float_attribute("height_scale", 1.0f);
    params.scales[3] = node.float_attribute("width_scale", 1.0f);
  } else if (ctx.opset() < 9) {
    const Attribute* scales = node.attribute("scales");
    if (scales == nullptr) return invalid_graph("attribute 'scales' is missing");
    if (scales->floats.size() > kRecordScales) {
      return not_implemented("scales of ", scales->floats.size(), " axes");
    }
    params.scale_count = static_cast<uint32_t>(scales->floats.size());
    std::copy(scales->floats.begin(), scales->floats.end(), params.scales);
  }
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

struct Resampling {
  ResampleRule rule;
  size_t rank = 0;
  std::array<ResampleAxis, kMaxRank> axes;
};

Result<ResampleRule> rule_of(const ResizeParams& params) {
  if (params.mode > static_cast<uint32_t>(ResizeMode::kCubic) ||
      params.transform > static_cast<uint32_t>(ResizeTransform::kHalfPixelSymmetric) ||
      params.nearest > static_cast<uint32_t>(NearestMode::kSimple) ||
      params.policy > static_cast<uint32_t>(Policy::kNotSmaller) ||
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

Result<double> float_at(const TensorRef& tensor, int64_t i) {
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
  const auto policy = static_cast<Policy>(params.policy);
  if (policy == Policy::kStretch) return Status::ok();
  for (const int64_t at : axes) {
    ResampleAxis& axis = work->axes[static_cast<size_t>(at)];
    axis.scale = policy == Policy::kNotLarger ? least : most;
    const double size = std::floor(axis.scale * static_cast<double>(axis.in) + 0.5);
    if (!(size < 1e15)) return invalid_argument("a size of ", size);
    axis.out = static_cast<int64_t>(size);
  }
  return Status::ok();
}

bool has_elements(const TensorRef& tensor) {
  return tensor.is_present() && tensor.element_count() > 0;
}

// `roi`, `scales` and `sizes` may be omitted.
Status plan_resampling(const ResizeParams& params, const TensorRef& x, const TensorRef& roi,
                       const TensorRef& scales, const TensorRef& sizes, Resampling* work) {
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

// Where scratch holds what. Nearest: the table of each axis that changes. Else: one table of taps
// after the other, and two buffers for what lies between the passes.
struct ResizeScratch {
  std::array<uint64_t, kMaxRank> index{}, weight{};
  uint64_t buffers[2] = {0, 0};
  std::array<uint8_t, kMaxRank> order{};  // of the passes
  size_t pass_count = 0;
};

Result<DimList> out_dims(const Resampling& work) {
  DimList dims;
  for (size_t i = 0; i < work.rank; ++i) dims.push_back(work.axes[i].out);
  if (!checked_element_count(dims)) return invalid_argument("the result is too large");
  return dims;
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
  std::stable_sort(scratch->order.begin(), scratch->order.begin() + scratch->pass_count,
                   [&](uint8_t a, uint8_t b) { return growth(a) < growth(b); });
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
  int64_t most = product(between);
  for (size_t p = 0; p < scratch.pass_count; ++p) {
    const ResampleAxis& axis = work.axes[scratch.order[p]];
    const auto entries = checked_mul(axis.out, axis.tap_count(work.rule));
    scratch.index[p] = plan->add<int64_t>(entries ? *entries : -1);
    if (moves) continue;
    scratch.weight[p] = plan->add(entries ? *entries : -1, weight_bytes);
    between[scratch.order[p]] = axis.out;
    most = std::max(most, product(between));
  }
  if (!moves) {
    for (uint64_t& buffer : scratch.buffers) buffer = plan->add(most, weight_bytes);
  }
  return scratch;
}

// Inputs that the forms of the operator have at different places.
struct ResizeInputs {
  TensorRef roi, scales, sizes;
};
template <typename Context>
ResizeInputs newest_inputs(const Context& ctx) {
  ResizeInputs inputs;
  if (ctx.has_input(1)) inputs.roi = ctx.input(1);
  if (ctx.has_input(2)) inputs.scales = ctx.input(2);
  if (ctx.has_input(3)) inputs.sizes = ctx.input(3);
  return inputs;
}
template <typename Context>
ResizeInputs first_inputs(const Context& ctx) {
  ResizeInputs inputs;
  if (ctx.has_input(1)) inputs.scales = ctx.input(1);
  return inputs;
}

template <auto kInputs>
Status bind_resize(BindContext& ctx) {
  const auto* params = ctx.params<ResizeParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 4));
  RETURN_IF_ERROR(check_type(ctx, 0, ResizeTypes::kMask));
  const TensorRef& x = ctx.input(0);
  if (x.dtype == DType::kBool && params->mode != 0) {
    return not_implemented("interpolation of bool");
  }
  const ResizeInputs inputs = kInputs(ctx);
  Resampling work;
  RETURN_IF_ERROR(plan_resampling(*params, x, inputs.roi, inputs.scales, inputs.sizes, &work));
  ASSIGN_OR_RETURN(const DimList dims, out_dims(work));
  if (x.element_count() == 0 && product(dims) != 0) {
    return invalid_argument("an empty tensor cannot become ", dims_to_string(dims));
  }
  ScratchPlan plan;
  lay_out(work, dims, x.dtype, &plan);
  RETURN_IF_ERROR(plan.declare(ctx));
  return ctx.set_output(0, x.dtype, dims);
}

// --- Run.

// Nearest: offsets of the elements by their coordinate on each axis; -1 is outside.
template <typename T>
void run_nearest(const RunContext& ctx, const Resampling& work, const ResizeScratch& scratch,
                 T outside) {
  const TensorRef& y = ctx.output(0);
  const DimList strides = row_major_strides(ctx.input(0).dims());
  std::array<const int64_t*, kMaxRank> tables{};
  for (size_t p = 0; p < scratch.pass_count; ++p) {
    const size_t d = scratch.order[p];
    auto* table = scratch_at<int64_t>(ctx, scratch.index[p]);
    const ResampleAxis& axis = work.axes[d];
    for (int64_t i = 0; i < axis.out; ++i) {
      table[i] = axis.is_outside(work.rule, i) ? -1 : axis.nearest(work.rule, i) * strides[d];
    }
    tables[d] = table;
  }
  // Axes at the end that stay as they are make up the rows that are copied whole.
  size_t last = work.rank;
  while (last > 0 && tables[last - 1] == nullptr) --last;
  const int64_t piece = product(y.dims(), last, work.rank);
  const int64_t row_size = last > 0 ? y.dim(last - 1) : 1;
  const int64_t row_count = last > 0 ? product(y.dims(), 0, last - 1) : 1;
  const int64_t* along = last > 0 ? tables[last - 1] : nullptr;
  const T* x = ctx.input(0).as<T>();
  const int64_t grain =
      std::max<int64_t>(1, kElementGrain / std::max<int64_t>(1, row_size * piece));
  ctx.parallel_for(row_count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      T* to = y.as_mutable<T>() + row * row_size * piece;
      int64_t offset = 0, rest = row;
      bool is_outside = false;
      for (size_t d = last > 0 ? last - 1 : 0; d-- > 0; rest /= y.dim(d)) {
        const int64_t at = rest % y.dim(d);
        const int64_t step = tables[d] != nullptr ? tables[d][at] : at * strides[d];
        is_outside = is_outside || step < 0;
        offset += step;
      }
      if (is_outside) {
        std::fill_n(to, row_size * piece, outside);
      } else if (along == nullptr) {
        std::copy_n(x + offset, piece, to);
      } else if (piece == 1) {
        for (int64_t j = 0; j < row_size; ++j)
          to[j] = along[j] < 0 ? outside : x[offset + along[j]];
      } else {
        for (int64_t j = 0; j < row_size; ++j, to += piece) {
          if (along[j] < 0) {
            std::fill_n(to, piece, outside);
          } else {
            std::copy_n(x + offset + along[j], piece, to);
          }
        }
      }
    }
  });
}

template <typename W>
void blend_axis(const RunContext& ctx, const W* x, W* y, const ResampleAxis& axis, int64_t outer,
                int64_t inner, const Taps<W>& taps) {
  constexpr int64_t kRowMin = 8;
  if (inner >= kRowMin) {
    const int64_t grain = std::max<int64_t>(1, kElementGrain / (inner * taps.count));
    ctx.parallel_for(outer * axis.out, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        blend_row(x + row / axis.out * axis.in * inner, inner, row % axis.out, taps,
                  y + row * inner);
      }
    });
  } else {
    const int64_t grain = std::max<int64_t>(1, kElementGrain / (inner * taps.count * axis.out));
    ctx.parallel_for(outer, grain, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        blend_along(x + o * axis.in * inner, inner, axis.out, taps, y + o * axis.out * inner);
      }
    });
  }
}

// Elements that lie outside the region get the extrapolation value.
template <typename T>
void fill_outside(const RunContext& ctx, const Resampling& work, T outside) {
  const TensorRef& y = ctx.output(0);
  for (size_t d = 0; d < work.rank; ++d) {
    const int64_t inner = product(y.dims(), d + 1, y.rank), outer = product(y.dims(), 0, d);
    for (int64_t i = 0; i < y.dim(d); ++i) {
      if (!work.axes[d].is_outside(work.rule, i)) continue;
      for (int64_t o = 0; o < outer; ++o) {
        std::fill_n(y.as_mutable<T>() + (o * y.dim(d) + i) * inner, inner, outside);
      }
    }
  }
}

template <typename T>
void run_blend(const RunContext& ctx, const Resampling& work, const ResizeScratch& scratch,
               T outside) {
  using W = Weight<T>;
  constexpr bool kDirect = std::is_same_v<T, W>;
  const TensorRef& x = ctx.input(0);
  const TensorRef& y = ctx.output(0);
  W* buffers[2] = {scratch_at<W>(ctx, scratch.buffers[0]), scratch_at<W>(ctx, scratch.buffers[1])};
  const W* from;
  if constexpr (kDirect) {
    from = x.as<T>();
  } else {
    ctx.parallel_for(x.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) buffers[1][i] = convert<W>(x.as<T>()[i]);
    });
    from = buffers[1];
  }
  DimList dims(x.dims());
  for (size_t p = 0; p < scratch.pass_count; ++p) {
    const size_t d = scratch.order[p];
    const ResampleAxis& axis = work.axes[d];
    auto* index = scratch_at<int64_t>(ctx, scratch.index[p]);
    W* weight = scratch_at<W>(ctx, scratch.weight[p]);
    const int64_t count = axis.tap_count(work.rule);
    for (int64_t i = 0; i < axis.out; ++i) {
      axis.taps(work.rule, i, index + i * count, weight + i * count);
    }
    W* to = buffers[p % 2];
    if constexpr (kDirect) {
      if (p + 1 == scratch.pass_count) to = y.as_mutable<T>();
    }
    blend_axis<W>(ctx, from, to, axis, product(dims, 0, d), product(dims, d + 1, dims.size()),
                  {count, index, weight});
    dims[d] = axis.out;
    from = to;
  }
  if (!kDirect || scratch.pass_count == 0) {
    ctx.parallel_for(y.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        y.as_mutable<T>()[i] = result_of<T>(from[i], work.rule.antialias);
      }
    });
  }
  if (work.rule.transform == ResizeTransform::kCropAndResize) fill_outside(ctx, work, outside);
}

template <auto kInputs>
Status run_resize(RunContext& ctx) {
  const auto& params = ctx.params<ResizeParams>();
  const TensorRef& x = ctx.input(0);
  const ResizeInputs inputs = kInputs(ctx);
  Resampling work;
  RETURN_IF_ERROR(plan_resampling(params, x, inputs.roi, inputs.scales, inputs.sizes, &work));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  ASSIGN_OR_RETURN(const DimList dims, out_dims(work));
  if (!std::ranges::equal(dims, ctx.output(0).dims())) {
    return invalid_argument("the result has another shape than when its memory was planned");
  }
  ScratchPlan plan;
  const ResizeScratch scratch = lay_out(work, dims, x.dtype, &plan);
  with_type(ResizeTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T outside = convert<T>(params.extrapolation);
    if (work.rule.mode == ResizeMode::kNearest) {
      run_nearest<T>(ctx, work, scratch, outside);
    } else if constexpr (!std::is_same_v<T, Bool8>) {
      run_blend<T>(ctx, work, scratch, outside);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable resize_kernels() {
  constexpr auto kNewest = [](const auto& ctx) { return newest_inputs(ctx); };
  constexpr auto kFirst = [](const auto& ctx) { return first_inputs(ctx); };
  constexpr TypeMask kTypes = ResizeTypes::kMask;
  static constexpr KernelRow rows[] = {
      {"Resize", "", 11, kLatestOpset, kTypes, "resize", 1, kNoFlags, 0b1110, prepare_resize,
       bind_resize<kNewest>, run_resize<kNewest>},
      {"Resize", "", 10, 10, kTypes, "upsample", 1, kNoFlags, 0b10, prepare_upsample,
       bind_resize<kFirst>, run_resize<kFirst>},
      {"Upsample", "", 9, 10, kTypes, "upsample", 1, kNoFlags, 0b10, prepare_upsample,
       bind_resize<kFirst>, run_resize<kFirst>},
      {"Upsample", "", 1, 8, kTypes, "upsample.attribute", 1, kNoFlags, 0, prepare_upsample,
       bind_resize<kFirst>, run_resize<kFirst>},
  };
  return rows;
}

}  // namespace ortc::cpu
