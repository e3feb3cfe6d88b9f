// SPDX-License-Identifier: MIT
// Resize and Upsample: an axis gets another number of elements, each taken from the nearest or
// interpolated from neighbouring ones (providers/cpu/kernels/vision/resample.h).
//
// Nearest moves bytes (resize_nearest.h). Linear and cubic interpolation treats one axis after the
// other, those that shrink most first: the tensor is seen as [outer, in, inner] and becomes
// [outer, out, inner]. Floats are interpolated in float, double and integers in double; integers
// are truncated, with antialiasing rounded.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "core/graph/one_of.h"
#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/vision/resize_nearest.h"
#include "providers/cpu/kernels/vision/resize_plan.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

using ResizeTypes = Join<NumberTypes, TypeList<Bool8>>;
// Are moved, not interpolated.
constexpr TypeMask kPairs = mask_of(DType::kComplex64, DType::kComplex128);

// What T is interpolated in.
template <typename T>
using Weight = std::conditional_t<std::is_same_v<T, float> || kIsReduced<T>, float, double>;

template <typename T>
constexpr bool kIsByte = std::is_integral_v<T> && sizeof(T) == 1;

// --- Arithmetic.

template <typename T, typename W>
T result_of(W value, bool rounds) {
  if constexpr (kIsByte<T>) {
    // Whole bounds: cutting off what is behind the point comes last.
    constexpr double kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
    double v = rounds ? std::nearbyint(value) : value;
    v = v == v ? v : 0;
    v = v > kMin ? v : kMin;
    v = v < kMax ? v : kMax;
    return static_cast<T>(static_cast<int32_t>(v));
  } else if constexpr (std::is_integral_v<T>) {
    const double whole = rounds ? std::nearbyint(value) : std::trunc(value);
    // The largest 64-bit numbers are not doubles: the comparison is with the next one.
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

template <typename T, typename W>
void blend_row(const T* x, int64_t inner, int64_t j, const Taps<W>& taps, W* y) {
  const int64_t* index = taps.index + j * taps.count;
  const W* weight = taps.weight + j * taps.count;
  const T *a = x + index[0] * inner, *b = x + index[1] * inner;
  const W u = weight[0], v = weight[1];
  for (int64_t i = 0; i < inner; ++i) y[i] = u * a[i] + v * b[i];
  for (int64_t k = 2; k < taps.count; ++k) {
    const T* c = x + index[k] * inner;
    const W w = weight[k];
    for (int64_t i = 0; i < inner; ++i) y[i] += w * c[i];
  }
}

// The same for whole rows along the axis, when few neighbours lie inside it.
template <typename T, typename W>
void blend_along(const T* x, int64_t inner, int64_t out, const Taps<W>& taps, W* y) {
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

Status prepare_resize(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ResizeParams params{};
  params.record_bytes = sizeof params;
  ASSIGN_OR_RETURN(params.mode, one_of(node, "mode", "nearest", {"nearest", "linear", "cubic"}));
  ASSIGN_OR_RETURN(params.transform,
                   one_of(node, "coordinate_transformation_mode", "half_pixel",
                          {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                           "tf_crop_and_resize", "half_pixel_symmetric", "tf_half_pixel_for_nn"}));
  ASSIGN_OR_RETURN(params.nearest,
                   one_of(node, "nearest_mode", "round_prefer_floor",
                          {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
  ASSIGN_OR_RETURN(params.policy, one_of(node, "keep_aspect_ratio_policy", "stretch",
                                         {"stretch", "not_larger", "not_smaller"}));
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
  ASSIGN_OR_RETURN(const uint32_t mode,
                   one_of(node, "mode", "nearest", {"nearest", "linear", "bilinear", "trilinear"}));
  params.mode = static_cast<uint32_t>(mode == 0 ? ResizeMode::kNearest : ResizeMode::kLinear);
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

// Texts are moved as the numbers that stand for them; what lies outside becomes number 0.
Status check_text_mode(const Node& node) {
  const std::string_view mode = node.string_attribute("mode", "nearest");
  if (mode != "nearest") return not_implemented("interpolation of strings");
  if (node.float_attribute("extrapolation_value", 0.0f) != 0) {
    return not_implemented("an extrapolation value among strings");
  }
  return Status::ok();
}
Status prepare_text_resize(PrepareContext& ctx) {
  RETURN_IF_ERROR(check_text_mode(ctx.node()));
  return prepare_resize(ctx);
}
Status prepare_text_upsample(PrepareContext& ctx) {
  RETURN_IF_ERROR(check_text_mode(ctx.node()));
  return prepare_upsample(ctx);
}

// --- Bind.

// Inputs that the forms of the operator have at different places.
struct ResizeInputs {
  ValueRef roi, scales, sizes;
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
  RETURN_IF_ERROR(check_type(ctx, 0, ResizeTypes::kMask | kPairs));
  const ValueRef& x = ctx.input(0);
  if ((mask_of(x.dtype) & (kPairs | mask_of(DType::kBool))) != 0 && params->mode != 0) {
    return not_implemented("interpolation of ", dtype_name(x.dtype));
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

template <typename T, typename W>
void blend_axis(const RunContext& ctx, const T* x, W* y, const ResampleAxis& axis, int64_t outer,
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
      if constexpr (std::is_same_v<T, float> && std::is_same_v<W, float>) {
        if (inner == 1 && taps.count == 2) {
          const PairBlend blend{static_cast<size_t>(axis.in), static_cast<size_t>(axis.out),
                                taps.index, taps.weight};
          return plain_rows_kernels(ctx.isa()).blend_pairs(
              blend, x + begin * axis.in, y + begin * axis.out, static_cast<size_t>(end - begin));
        }
      }
      for (int64_t o = begin; o < end; ++o) {
        blend_along(x + o * axis.in * inner, inner, axis.out, taps, y + o * axis.out * inner);
      }
    });
  }
}

// Elements that lie outside the region get the extrapolation value.
template <typename T>
void fill_outside(const RunContext& ctx, const Resampling& work, T outside) {
  const ValueRef& y = ctx.output(0);
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
  constexpr bool kReads = std::is_same_v<T, uint8_t>;  // as they are: images
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  W* buffers[2] = {scratch_at<W>(ctx, scratch.buffers[0]), scratch_at<W>(ctx, scratch.buffers[1])};
  const W* from = nullptr;
  if constexpr (kDirect) {
    from = x.as<T>();
  } else if constexpr (kReads) {
    if (scratch.pass_count == 0) {
      std::copy_n(x.as<T>(), x.element_count(), y.as_mutable<T>());
      return;
    }
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
    const int64_t outer = product(dims, 0, d), inner = product(dims, d + 1, dims.size());
    const Taps<W> taps{count, index, weight};
    if constexpr (kReads) {
      p == 0 ? blend_axis(ctx, x.as<T>(), to, axis, outer, inner, taps)
             : blend_axis(ctx, from, to, axis, outer, inner, taps);
    } else {
      blend_axis(ctx, from, to, axis, outer, inner, taps);
    }
    dims[d] = axis.out;
    from = to;
  }
  if (!kDirect || scratch.pass_count == 0) {
    ctx.parallel_for(y.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
      T* to = y.as_mutable<T>();
      if (kIsByte<T> && !work.rule.antialias) {
        for (int64_t i = begin; i < end; ++i) to[i] = result_of<T>(from[i], false);
        return;
      }
      for (int64_t i = begin; i < end; ++i) to[i] = result_of<T>(from[i], work.rule.antialias);
    });
  }
  if (work.rule.transform == ResizeTransform::kCropAndResize) fill_outside(ctx, work, outside);
}

template <auto kInputs>
Status run_resize(RunContext& ctx) {
  const auto& params = ctx.params<ResizeParams>();
  const ValueRef& x = ctx.input(0);
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
  if (x.dtype == DType::kComplex64) {
    run_nearest<std::complex<float>>(ctx, work, scratch, params.extrapolation);
  } else if (x.dtype == DType::kComplex128) {
    run_nearest<std::complex<double>>(ctx, work, scratch,
                                      static_cast<double>(params.extrapolation));
  }
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
  constexpr TypeMask kTypes = ResizeTypes::kMask | kPairs;
  static constexpr KernelRow rows[] = {
      {"Resize", "", 11, kLatestOpset, kTypes, "resize", 1, kNoFlags, 0b1110, prepare_resize,
       bind_resize<kNewest>, run_resize<kNewest>},
      {"Resize", "", 10, 10, kTypes, "upsample", 1, kNoFlags, 0b10, prepare_upsample,
       bind_resize<kFirst>, run_resize<kFirst>},
      {"Upsample", "", 9, 10, kTypes, "upsample", 1, kNoFlags, 0b10, prepare_upsample,
       bind_resize<kFirst>, run_resize<kFirst>},
      {"Upsample", "", 1, 8, kTypes, "upsample.attribute", 1, kNoFlags, 0, prepare_upsample,
       bind_resize<kFirst>, run_resize<kFirst>},
      {"Resize", "", 11, kLatestOpset, kStrings, "resize.string", 1, kNoFlags, 0b1110,
       prepare_text_resize, bind_strings<bind_resize<kNewest>, 1>,
       run_strings<run_resize<kNewest>>},
      {"Resize", "", 10, 10, kStrings, "upsample.string", 1, kNoFlags, 0b10, prepare_text_upsample,
       bind_strings<bind_resize<kFirst>, 1>, run_strings<run_resize<kFirst>>},
      {"Upsample", "", 9, 10, kStrings, "upsample.string", 1, kNoFlags, 0b10, prepare_text_upsample,
       bind_strings<bind_resize<kFirst>, 1>, run_strings<run_resize<kFirst>>},
      {"Upsample", "", 1, 8, kStrings, "upsample.attribute.string", 1, kNoFlags, 0,
       prepare_text_upsample, bind_strings<bind_resize<kFirst>, 1>,
       run_strings<run_resize<kFirst>>},
  };
  return rows;
}

}  // namespace ortc::cpu
