// SPDX-License-Identifier: MIT
// LRN: every element divided by a power of the squares of its neighbours in channel direction.
//
//   y[n][c][p] = x[n][c][p] / (bias + alpha / size * sum_j x[n][j][p]^2)^beta,
//   c - floor((size - 1) / 2) <= j <= c + ceil((size - 1) / 2)
#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_row.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

struct LrnParams {
  uint32_t record_bytes;
  float alpha, beta, bias;
  int64_t size;
};
static_assert(sizeof(LrnParams) == 24);

constexpr TypeMask kF32 = mask_of(DType::kFloat32);
constexpr int64_t kRow = 256;  // pixels treated at once, their sums on the stack
constexpr int64_t kGrain = 16384;

// --- Arithmetic.

void divide_by_powers(const float* x, const float* sums, const LrnParams& params, float* y,
                      int64_t n) {
  const float factor = params.alpha / static_cast<float>(params.size);
  if (params.beta == 0.75f) {
    for (int64_t i = 0; i < n; ++i) {
      const float root = std::sqrt(params.bias + factor * sums[i]);
      y[i] = x[i] / (root * std::sqrt(root));
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    y[i] = x[i] / std::pow(params.bias + factor * sums[i], params.beta);
  }
}

// --- Prepare.

Status prepare_lrn(PrepareContext& ctx) {
  const Node& node = ctx.node();
  const LrnParams params{sizeof(LrnParams), node.float_attribute("alpha", 0.0001f),
                         node.float_attribute("beta", 0.75f), node.float_attribute("bias", 1.0f),
                         node.int_attribute("size", 0)};
  if (params.size < 1) return invalid_graph("attribute 'size' is ", params.size);
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Status bind_lrn(BindContext& ctx) {
  const auto* params = ctx.params<LrnParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->size < 1) return invalid_graph("its record has size ", params->size);
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kF32));
  const ValueRef& x = ctx.input(0);
  if (x.rank < 2) return invalid_argument("the input has rank ", x.rank, ", expected [n,c,..]");
  return ctx.set_output(0, DType::kFloat32, x.dims());
}

// --- Run.

Status run_lrn(RunContext& ctx) {
  const auto& params = ctx.params<LrnParams>();
  const ValueRef& x = ctx.input(0);
  if (x.element_count() == 0) return Status::ok();
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
      float sums[kRow] = {};
      for (int64_t j = std::max<int64_t>(0, channel - below);
           j <= std::min(channels - 1, channel + above); ++j) {
        const float* from = x.as<float>() + (first + j) * plane + p;
        for (int64_t i = 0; i < n; ++i) sums[i] += from[i] * from[i];
      }
      const int64_t at = (first + channel) * plane + p;
      divide_by_powers(x.as<float>() + at, sums, params, ctx.output(0).as_mutable<float>() + at, n);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable lrn_kernels() {
  static constexpr KernelRow kLRNRow("LRN", "", 1, kLatestOpset, kF32, "lrn.f32", 1, kNoFlags, 0,
                                     prepare_lrn, bind_lrn, run_lrn);
  static constexpr KernelRow rows[] = {
      kLRNRow,
      reduced_row<kLRNRow>("LRN.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
