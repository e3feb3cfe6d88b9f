// SPDX-License-Identifier: MIT
// LRN: every element divided by a power of the squares of its neighbours in channel direction.
//
//   y[n][c][p] = x[n][c][p] / (bias + alpha / size * sum_j x[n][j][p]^2)^beta,
//   c - floor((size - 1) / 2) <= j <= c + ceil((size - 1) / 2)
#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

struct LrnParams {
  uint32_t record_bytes;
  float alpha, beta, bias;
  int64_t size;
};
static_assert(sizeof(LrnParams) == 24);

constexpr int64_t kRow = 256;  // pixels treated at once, their sums on the stack
constexpr int64_t kGrain = 16384;

// --- Arithmetic.

template <typename T>
void divide_by_powers(const T* x, const T* sums, const LrnParams& params, T* y, int64_t n) {
  const T factor = static_cast<T>(params.alpha) / static_cast<T>(params.size);
  const T bias = static_cast<T>(params.bias);
  if (params.beta == 0.75f) {
    for (int64_t i = 0; i < n; ++i) {
      const T root = std::sqrt(bias + factor * sums[i]);
      y[i] = x[i] / (root * std::sqrt(root));
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    y[i] = x[i] / std::pow(bias + factor * sums[i], static_cast<T>(params.beta));
  }
}

// --- Prepare.

Status prepare_lrn(PrepareContext& ctx) {
  const Node& node = ctx.node();
  const LrnParams params{sizeof(LrnParams), node.float_attribute("alpha", 0.0001f),
                         node.float_attribute("beta", 0.75f), node.float_attribute("bias", 1.0f),
                         node.int_attribute("size", 0)};
  if (params.size < 1) {
    return invalid_graph("attribute 'size' is ", params.size, ", expected 1 or more");
  }
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Status bind_lrn(BindContext& ctx) {
  const auto* params = ctx.params<LrnParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->size < 1) return invalid_graph("its record has size ", params->size);
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kFloatTypes));
  const ValueRef& x = ctx.input(0);
  if (x.rank < 2) return invalid_argument("the input has rank ", x.rank, ", expected [n,c,..]");
  return ctx.set_output(0, x.dtype, x.dims());
}

// --- Run.

template <typename T>
void run_typed(const RunContext& ctx) {
  const auto& params = ctx.params<LrnParams>();
  const ValueRef& x = ctx.input(0);
  const int64_t channels = x.dim(1), plane = product(x.dims(), 2, x.rank);
  const int64_t below = std::min((params.size - 1) / 2, channels);
  const int64_t above = std::min(params.size - 1 - (params.size - 1) / 2, channels);
  const int64_t chunks = (plane + kRow - 1) / kRow;
  const int64_t grain = std::max<int64_t>(1, kGrain / std::min(plane, kRow) / (below + above + 1));
  ctx.parallel_for(x.dim(0) * channels * chunks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t p = item % chunks * kRow, n = std::min(kRow, plane - p);
      const int64_t channel = item / chunks % channels;
      const int64_t first = item / chunks - channel;  // of this image
      T sums[kRow] = {};
      for (int64_t j = std::max<int64_t>(0, channel - below);
           j <= std::min(channels - 1, channel + above); ++j) {
        const T* from = x.as<T>() + (first + j) * plane + p;
        for (int64_t i = 0; i < n; ++i) sums[i] += from[i] * from[i];
      }
      const int64_t at = (first + channel) * plane + p;
      divide_by_powers(x.as<T>() + at, sums, params, ctx.output(0).as_mutable<T>() + at, n);
    }
  });
}

Status run_lrn(RunContext& ctx) {
  if (ctx.input(0).element_count() == 0) return Status::ok();
  if (ctx.input(0).dtype == DType::kFloat64) {
    run_typed<double>(ctx);
  } else {
    run_typed<float>(ctx);
  }
  return Status::ok();
}

}  // namespace

KernelTable lrn_kernels() {
  static constexpr KernelRow kLRNRow("LRN", "", 1, kLatestOpset, kFloatTypes, "lrn.f32", 1,
                                     kNoFlags, 0, prepare_lrn, bind_lrn, run_lrn);
  static constexpr KernelRow rows[] = {
      kLRNRow,
      reduced_row<kLRNRow>("LRN.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
