// SPDX-License-Identifier: MIT
// Pools over all spatial axes in ONNX's layout, any rank: GlobalMaxPool, GlobalAveragePool,
// GlobalLpPool. Channels are rows of neighbours.
#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

struct GlobalLpParams {
  uint32_t record_bytes;
  float fraction;  // of p, which was no whole number in the first version
  int64_t p;
};
static_assert(sizeof(GlobalLpParams) == 16);

constexpr int64_t kGrain = 32768;  // elements read by one thread at a time

// --- Arithmetic: one channel.

struct Max {
  static float row(const VectorF32Kernels& vector, const float* x, int64_t n, double) {
    return vector.maximum(x, static_cast<size_t>(n));
  }
  static double row(const VectorF32Kernels&, const double* x, int64_t n, double) {
    double top = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < n; ++i) top = x[i] > top ? x[i] : top;
    return top;
  }
};

struct Average {
  static float row(const VectorF32Kernels& vector, const float* x, int64_t n, double) {
    return vector.sum(x, static_cast<size_t>(n)) / static_cast<float>(n);
  }
  static double row(const VectorF32Kernels&, const double* x, int64_t n, double) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += x[i];
    return sum / static_cast<double>(n);
  }
};

struct LpNorm {
  template <typename T>
  static T row(const VectorF32Kernels&, const T* x, int64_t n, double p) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double v = std::fabs(static_cast<double>(x[i]));
      sum += p == 1 ? v : p == 2 ? v * v : std::pow(v, p);
    }
    return static_cast<T>(p == 2 ? std::sqrt(sum) : std::pow(sum, 1.0 / p));
  }
};

// --- Prepare.

Status prepare_lp(PrepareContext& ctx) {
  GlobalLpParams params{sizeof(GlobalLpParams), 0, ctx.node().int_attribute("p", 2)};
  if (ctx.opset() < 2) {
    const float p = ctx.node().float_attribute("p", 2);
    if (!(p >= 1 && p < 1e6f)) {
      return invalid_graph("attribute 'p' is ", p, ", expected at least 1 and below 1000000");
    }
    params.p = static_cast<int64_t>(p);
    params.fraction = p - static_cast<float>(params.p);
  }
  if (params.p < 1) return invalid_graph("attribute 'p' is ", params.p, ", expected 1 or more");
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Status bind_global(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kFloatTypes));
  const ValueRef& x = ctx.input(0);
  if (x.rank < 2) return invalid_argument("the input has rank ", x.rank, ", expected at least 2");
  DimList dims(x.dims());
  for (size_t d = 2; d < dims.size(); ++d) {
    if (dims[d] == 0) return not_implemented("pooling of images without pixels");
    dims[d] = 1;
  }
  return ctx.set_output(0, x.dtype, dims);
}

Status bind_lp(BindContext& ctx) {
  const auto* params = ctx.params<GlobalLpParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->p < 1) return invalid_graph("its record has p ", params->p);
  return bind_global(ctx);
}

// --- Run.

template <typename Op, typename T>
void run_channels(const RunContext& ctx, double p) {
  const ValueRef& x = ctx.input(0);
  const int64_t channels = ctx.output(0).element_count();
  if (channels == 0) return;
  const int64_t n = x.element_count() / channels;
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  T* y = ctx.output(0).as_mutable<T>();
  ctx.parallel_for(channels, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) y[c] = Op::row(vector, x.as<T>() + c * n, n, p);
  });
}

template <typename Op>
Status run_global(RunContext& ctx) {
  double p = 0;
  if constexpr (std::is_same_v<Op, LpNorm>) {
    const auto& params = ctx.params<GlobalLpParams>();
    p = static_cast<double>(params.p) + static_cast<double>(params.fraction);
  }
  if (ctx.input(0).dtype == DType::kFloat64) {
    run_channels<Op, double>(ctx, p);
  } else {
    run_channels<Op, float>(ctx, p);
  }
  return Status::ok();
}

}  // namespace

KernelTable global_pool_kernels() {
  static constexpr KernelRow kGlobalMaxPoolRow("GlobalMaxPool", "", 1, kLatestOpset, kFloatTypes,
                                               "global_max_pool", 1, kNoFlags, 0, prepare_nothing,
                                               bind_global, run_global<Max>);
  static constexpr KernelRow kGlobalAveragePoolRow(
      "GlobalAveragePool", "", 1, kLatestOpset, kFloatTypes, "global_average_pool", 1, kNoFlags, 0,
      prepare_nothing, bind_global, run_global<Average>);
  static constexpr KernelRow kGlobalLpPoolRow("GlobalLpPool", "", 1, kLatestOpset, kFloatTypes,
                                              "global_lp_pool", 1, kNoFlags, 0, prepare_lp, bind_lp,
                                              run_global<LpNorm>);
  static constexpr KernelRow rows[] = {
      kGlobalMaxPoolRow,     reduced_row<kGlobalMaxPoolRow>("GlobalMaxPool.reduced"),
      kGlobalAveragePoolRow, reduced_row<kGlobalAveragePoolRow>("GlobalAveragePool.reduced"),
      kGlobalLpPoolRow,      reduced_row<kGlobalLpPoolRow>("GlobalLpPool.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
