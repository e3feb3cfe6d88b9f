// SPDX-License-Identifier: MIT
// Channels-last pools over two spatial axes: ortc.MaxPool, AveragePool, GlobalMaxPool and
// GlobalAveragePool. Threads divide output rows; global averages divide images and channels.
#include <algorithm>

#include "providers/cpu/arith/pool_f32/pool_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {
namespace {

struct PoolParams {
  uint32_t record_bytes;
  uint32_t count_include_pad;
  WindowParams windows;
};
static_assert(sizeof(PoolParams) == 144);

constexpr TypeMask kF32 = mask_of(DType::kFloat32);
constexpr int64_t kGrain = 32768;     // elements read by one thread at a time
constexpr int64_t kChannelStep = 64;  // channels of a global average's item come in such steps

// --- Prepare.

Status prepare_pool(PrepareContext& ctx) {
  PoolParams params{};
  params.record_bytes = sizeof params;
  params.count_include_pad = ctx.node().int_attribute("count_include_pad", 0) != 0 ? 1 : 0;
  ASSIGN_OR_RETURN(params.windows, windows_from_attributes(ctx.node()));
  if (params.windows.rank != 2 || params.windows.kernel[0] == 0) {
    return invalid_graph("attribute 'kernel_shape' is not there for 2 axes");
  }
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Status check_image(const BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kF32));
  const auto x = ctx.input(0).dims();
  if (x.size() == 4 && x[3] <= INT32_MAX) return Status::ok();
  return invalid_argument("the input has shape ", dims_to_string(x), ", expected [n,h,w,c]");
}

Status bind_pool(BindContext& ctx) {
  const auto* params = ctx.params<PoolParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_image(ctx));
  const auto x = ctx.input(0).dims();
  ASSIGN_OR_RETURN(const Windows windows, place_windows(params->windows, x.subspan(1, 2), {}));
  return ctx.set_output(0, DType::kFloat32, {x[0], windows.axis[1].out, windows.axis[2].out, x[3]});
}

Status bind_global(BindContext& ctx) {
  RETURN_IF_ERROR(check_image(ctx));
  const auto x = ctx.input(0).dims();
  if (x[1] < 1 || x[2] < 1 || x[1] > INT32_MAX || x[2] > INT32_MAX) {
    return not_implemented("pooling of an image of ", x[1], " by ", x[2], " pixels");
  }
  return ctx.set_output(0, DType::kFloat32, {x[0], 1, 1, x[3]});
}

// --- Run.

PoolF32 make_pool(const RunContext& ctx, const WindowAxis& h, const WindowAxis& w) {
  const auto x = ctx.input(0).dims();
  PoolF32 pool;
  PoolShape& s = pool.shape;
  s.batch = static_cast<size_t>(x[0]);
  s.channels = static_cast<size_t>(x[3]);
  s.in_h = static_cast<size_t>(h.in);
  s.in_w = static_cast<size_t>(w.in);
  s.out_h = static_cast<size_t>(h.out);
  s.out_w = static_cast<size_t>(w.out);
  s.kernel_h = static_cast<size_t>(h.kernel);
  s.kernel_w = static_cast<size_t>(w.kernel);
  s.stride_h = static_cast<size_t>(h.stride);
  s.stride_w = static_cast<size_t>(w.stride);
  s.dilation_h = static_cast<size_t>(h.dilation);
  s.dilation_w = static_cast<size_t>(w.dilation);
  s.pad_top = static_cast<size_t>(h.pad_begin);
  s.pad_left = static_cast<size_t>(w.pad_begin);
  s.pad_bottom = static_cast<size_t>(h.pad_end);
  s.pad_right = static_cast<size_t>(w.pad_end);
  pool.x = ctx.input(0).as<float>();
  pool.x_ld = pool.y_ld = s.channels;
  pool.y = ctx.output(0).as_mutable<float>();
  return pool;
}

using PoolRows = void (*)(const PoolF32& pool, size_t r0, size_t r1);

void run_rows(const RunContext& ctx, const PoolF32& pool, PoolRows rows) {
  const PoolShape& s = pool.shape;
  if (s.batch * s.channels * s.out_h * s.out_w == 0) return;
  const double work = static_cast<double>(s.out_w * s.channels) * static_cast<double>(s.kernel_h) *
                      static_cast<double>(s.kernel_w);
  const auto grain = static_cast<int64_t>(std::max(1.0, static_cast<double>(kGrain) / work));
  ctx.parallel_for(static_cast<int64_t>(s.batch * s.out_h), grain, [&](int64_t begin, int64_t end) {
    rows(pool, static_cast<size_t>(begin), static_cast<size_t>(end));
  });
}

template <bool kMax>
Status run_pool(RunContext& ctx) {
  const auto& params = ctx.params<PoolParams>();
  ASSIGN_OR_RETURN(const Windows windows,
                   place_windows(params.windows, ctx.input(0).dims().subspan(1, 2), {}));
  PoolF32 pool = make_pool(ctx, windows.axis[1], windows.axis[2]);
  pool.count_include_pad = params.count_include_pad != 0;
  const PoolF32Kernels& kernels = pool_f32_kernels(ctx.isa());
  run_rows(ctx, pool, kMax ? kernels.max : kernels.average);
  return Status::ok();
}

Status run_global_max(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  WindowAxis h, w;
  h.in = h.kernel = x.dim(1);
  w.in = w.kernel = x.dim(2);
  run_rows(ctx, make_pool(ctx, h, w), pool_f32_kernels(ctx.isa()).max);
  return Status::ok();
}

Status run_global_average(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const int64_t pixels = x.dim(1) * x.dim(2), channels = x.dim(3);
  const int64_t chunks = (channels + kChannelStep - 1) / kChannelStep;
  const PoolF32Kernels& kernels = pool_f32_kernels(ctx.isa());
  const int64_t grain = std::max<int64_t>(1, kGrain / kChannelStep / pixels);
  ctx.parallel_for(x.dim(0) * chunks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t image = item / chunks, c = item % chunks * kChannelStep;
      kernels.global_average(x.as<float>() + image * pixels * channels,
                             static_cast<size_t>(channels), static_cast<size_t>(pixels),
                             static_cast<size_t>(c),
                             static_cast<size_t>(std::min(channels, c + kChannelStep)),
                             ctx.output(0).as_mutable<float>() + image * channels);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable pool_kernels() {
  static constexpr KernelRow rows[] = {
      {"MaxPool", kInternalDomain, 0, kLatestOpset, kF32, "max_pool_nhwc.f32", 1, kNoFlags, 0,
       prepare_pool, bind_pool, run_pool<true>},
      {"AveragePool", kInternalDomain, 0, kLatestOpset, kF32, "average_pool_nhwc.f32", 1, kNoFlags,
       0, prepare_pool, bind_pool, run_pool<false>},
      {"GlobalMaxPool", kInternalDomain, 0, kLatestOpset, kF32, "global_max_pool_nhwc.f32", 1,
       kNoFlags, 0, prepare_nothing, bind_global, run_global_max},
      {"GlobalAveragePool", kInternalDomain, 0, kLatestOpset, kF32, "global_average_pool_nhwc.f32",
       1, kNoFlags, 0, prepare_nothing, bind_global, run_global_average},
  };
  return rows;
}

}  // namespace ortc::cpu
