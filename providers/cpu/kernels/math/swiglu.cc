// SPDX-License-Identifier: MIT
// SwiGLU: y = a sigmoid(alpha a) b, a and b of the same shape.
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

struct SwigluParams {
  uint32_t record_bytes;
  float alpha;
};
static_assert(sizeof(SwigluParams) == 8);

Status prepare_swiglu(PrepareContext& ctx) {
  ctx.set_params(SwigluParams{sizeof(SwigluParams), ctx.node().float_attribute("alpha", 1.0f)});
  return Status::ok();
}

Status bind_swiglu(BindContext& ctx) {
  if (ctx.params<SwigluParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, FloatTypes::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  if (!std::ranges::equal(ctx.input(0).dims(), ctx.input(1).dims())) {
    return invalid_argument("shapes ", dims_to_string(ctx.input(0).dims()), " and ",
                            dims_to_string(ctx.input(1).dims()), " differ");
  }
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

Status run_swiglu(RunContext& ctx) {
  const float alpha = ctx.params<SwigluParams>().alpha;
  with_type(FloatTypes{}, ctx.input(0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const T *a = ctx.input(0).as<T>(), *b = ctx.input(1).as<T>();
    T* y = ctx.output(0).as_mutable<T>();
    ctx.parallel_for(ctx.output(0).element_count(), kElementGrain / 8,
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) {
                         const C x = static_cast<C>(a[i]);
                         const C gate = x / (C(1) + std::exp(-static_cast<C>(alpha) * x));
                         y[i] = static_cast<T>(gate * static_cast<C>(b[i]));
                       }
                     });
  });
  return Status::ok();
}

}  // namespace

KernelTable swiglu_kernels() {
  static constexpr KernelRow rows[] = {
      {"SwiGLU", "", 28, kLatestOpset, FloatTypes::kMask, "swiglu", 1, kInPlace, 0, prepare_swiglu,
       bind_swiglu, run_swiglu},
  };
  return rows;
}

}  // namespace ortc::cpu
