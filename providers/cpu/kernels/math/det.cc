// SPDX-License-Identifier: MIT
// Det: the determinant of each square matrix of the last two axes, by elimination with pivots in
// double.
#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kBlocks = 32;  // each has its own matrix of scratch

// --- Arithmetic: `a` is [n, n] and is lost.

double determinant(double* a, int64_t n) {
  double det = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    }
    if (a[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      det = -det;
    }
    det *= a[k * n + k];
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return det;
}

// --- Bind.

int64_t matrices_per_block(int64_t count) {
  return std::max<int64_t>(1, (count + kBlocks - 1) / kBlocks);
}

Status bind_det(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, FloatTypes::kMask));
  const ValueRef& x = ctx.input(0);
  if (x.rank < 2 || x.dim(x.rank - 1) != x.dim(x.rank - 2)) {
    return invalid_argument("the input has shape ", dims_to_string(x.dims()),
                            ", expected square matrices");
  }
  const DimList dims(x.dims().first(x.rank - 2));
  const int64_t n = x.dim(x.rank - 1);
  const auto size = checked_mul(n, n);
  ScratchPlan scratch;
  const auto count = checked_element_count(dims);
  if (!count) return invalid_argument("the input has too many matrices");
  const auto total = size ? checked_mul(*size, std::min(kBlocks, *count)) : std::nullopt;
  scratch.add<double>(total ? *total : -1);
  RETURN_IF_ERROR(scratch.declare(ctx));
  return ctx.set_output(0, x.dtype, dims);
}

// --- Run.

Status run_det(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const int64_t n = x.dim(x.rank - 1), count = ctx.output(0).element_count();
  const int64_t grain = matrices_per_block(count);
  with_type(FloatTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      double* a = scratch_at<double>(ctx, 0) + begin / grain * n * n;
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t k = 0; k < n * n; ++k) a[k] = convert<double>(x.as<T>()[i * n * n + k]);
        ctx.output(0).as_mutable<T>()[i] = convert<T>(determinant(a, n));
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable det_kernels() {
  static constexpr KernelRow rows[] = {
      {"Det", "", 11, kLatestOpset, FloatTypes::kMask, "det", 1, kNoFlags, 0, prepare_nothing,
       bind_det, run_det},
  };
  return rows;
}

}  // namespace ortc::cpu
