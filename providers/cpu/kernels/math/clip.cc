// SPDX-License-Identifier: MIT
// Clip: y = min(max(x, low), high), with bounds from inputs (opset 11) or attributes (before).
// NaN passes through; a bound that is left out is the largest or smallest finite number.
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/math/activation_op.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

// min(max(x, low), high); a high below low wins.
template <typename C>
struct Clip {
  C low, high;
  template <typename T>
  T apply(T x) const {
    const T raised = x < static_cast<T>(low) ? static_cast<T>(low) : x;
    return raised > static_cast<T>(high) ? static_cast<T>(high) : raised;
  }
};

// The range of finite numbers of T: what an omitted bound means.
template <typename T>
Compute<T> highest_of() {
  if constexpr (std::is_same_v<T, Float16>) return half_to_float(0x7bff);
  if constexpr (std::is_same_v<T, Bfloat16>) return bfloat16_to_float(0x7f7f);
  return std::numeric_limits<Compute<T>>::max();
}
template <typename T>
Compute<T> lowest_of() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::lowest();
  return static_cast<Compute<T>>(-highest_of<T>());
}

// --- Prepare.

Status prepare_clip(PrepareContext& ctx) {
  constexpr float kMax = std::numeric_limits<float>::max();
  set_activation(ctx, ctx.node().float_attribute("min", -kMax),
                 ctx.node().float_attribute("max", kMax));
  return Status::ok();
}

// --- Bind.

using ClipTypes = NumberTypes;

Status bind_clip_attribute(BindContext& ctx) {
  if (ctx.params<ActivationParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, FloatTypes::kMask));
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

Status bind_clip(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, ClipTypes::kMask));
  for (size_t i = 1; i < 3; ++i) {
    RETURN_IF_ERROR(check_same_type(ctx, i, 0));
    if (ctx.has_input(i) && ctx.input(i).element_count() != 1) {
      return invalid_argument(i == 1 ? "min" : "max", " of shape ",
                              dims_to_string(ctx.input(i).dims()), " is not a scalar");
    }
  }
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

// --- Run.

// bounds_of(TypeTag<T>) gives the clip.
template <typename F>
void run_clipped(RunContext& ctx, F&& bounds_of) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  const RowsF32 rows(ctx);
  with_type(ClipTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Clip<Compute<T>> clip = bounds_of(tag);
    ctx.parallel_for(x.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
      if constexpr (std::is_same_v<T, float>) {
        activate_row(rows.vector, {.kind = Activation::kClip, .lo = clip.low, .hi = clip.high},
                     x.as<T>() + begin, y.as_mutable<T>() + begin, end - begin);
      } else {
        unary_row<Clip<Compute<T>>, T>(clip, rows, x.as<T>() + begin, y.as_mutable<T>() + begin,
                                       end - begin);
      }
    });
  });
}

Status run_clip(RunContext& ctx) {
  run_clipped(ctx, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    Clip<C> clip{lowest_of<T>(), highest_of<T>()};
    if (ctx.has_input(1)) clip.low = static_cast<C>(*ctx.input(1).as<T>());
    if (ctx.has_input(2)) clip.high = static_cast<C>(*ctx.input(2).as<T>());
    return clip;
  });
  return Status::ok();
}

Status run_clip_attribute(RunContext& ctx) {
  const auto& params = ctx.params<ActivationParams>();
  run_clipped(ctx, [&](auto tag) {
    using C = Compute<typename decltype(tag)::type>;
    return Clip<C>{convert<C>(params.alpha), convert<C>(params.beta)};
  });
  return Status::ok();
}

}  // namespace

KernelTable clip_kernels() {
  static constexpr KernelRow rows[] = {
      {"Clip", "", 11, kLatestOpset, ClipTypes::kMask, "clip", 1, kInPlace | kShapeArithmetic, 0,
       prepare_nothing, bind_clip, run_clip},
      {"Clip", "", 1, 10, FloatTypes::kMask, "clip.attribute", 1, kInPlace, 0, prepare_clip,
       bind_clip_attribute, run_clip_attribute},
  };
  return rows;
}

}  // namespace ortc::cpu
