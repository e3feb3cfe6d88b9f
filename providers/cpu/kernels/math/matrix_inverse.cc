// SPDX-License-Identifier: MIT
// Inverse (com.microsoft): the inverse of each square matrix of the last two axes, by elimination
// with pivots in double. A matrix that has none is refused.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

using InverseTypes = TypeList<float, double, Float16>;
constexpr int64_t kBlocks = 32;  // each has its own matrices of scratch

// --- Arithmetic: `a` is [n, n] and is lost, `y` becomes its inverse; false when it has none.

bool invert(double* a, double* y, int64_t n) {
  std::fill_n(y, n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) y[i * n + i] = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    }
    if (a[pivot * n + k] == 0) return false;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      std::swap_ranges(y + k * n, y + (k + 1) * n, y + pivot * n);
    }
    const double scale = 1 / a[k * n + k];
    for (int64_t j = 0; j < n; ++j) a[k * n + j] *= scale, y[k * n + j] *= scale;
    for (int64_t i = 0; i < n; ++i) {
      const double factor = a[i * n + k];
      if (i == k || factor == 0) continue;
      for (int64_t j = 0; j < n; ++j) {
        a[i * n + j] -= factor * a[k * n + j];
        y[i * n + j] -= factor * y[k * n + j];
      }
    }
  }
  return true;
}

// --- Bind.

int64_t matrices_per_block(int64_t count) {
  return std::max<int64_t>(1, (count + kBlocks - 1) / kBlocks);
}

Status bind_inverse(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, InverseTypes::kMask));
  const ValueRef& x = ctx.input(0);
  if (x.rank < 2 || x.dim(x.rank - 1) != x.dim(x.rank - 2)) {
    return invalid_argument("the input has shape ", dims_to_string(x.dims()),
                            ", expected square matrices");
  }
  const int64_t n = x.dim(x.rank - 1);
  const auto count = checked_element_count(DimList(x.dims().first(x.rank - 2)));
  const auto size = checked_mul(n, n);
  const auto blocks =
      size && count ? checked_mul(*size, std::min(2 * kBlocks, 2 * *count)) : std::nullopt;
  ScratchPlan scratch;
  scratch.add<double>(blocks.value_or(-1));
  RETURN_IF_ERROR(scratch.declare(ctx));
  return ctx.set_output(0, x.dtype, x.dims());
}

// --- Run.

Status run_inverse(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const int64_t n = x.dim(x.rank - 1);
  if (n == 0) return Status::ok();
  const int64_t count = x.element_count() / (n * n), grain = matrices_per_block(count);
  std::atomic<bool> is_singular = false;
  with_type(InverseTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      double* a = scratch_at<double>(ctx, 0) + begin / grain * 2 * n * n;
      double* y = a + n * n;
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t k = 0; k < n * n; ++k) a[k] = convert<double>(x.as<T>()[i * n * n + k]);
        if (!invert(a, y, n)) is_singular = true;
        for (int64_t k = 0; k < n * n; ++k) {
          ctx.output(0).as_mutable<T>()[i * n * n + k] = convert<T>(y[k]);
        }
      }
    });
  });
  return is_singular ? invalid_argument("a matrix has no inverse") : Status::ok();
}

}  // namespace

KernelTable matrix_inverse_kernels() {
  static constexpr KernelRow rows[] = {
      {"Inverse", kMicrosoftDomain, 1, kLatestOpset, InverseTypes::kMask, "inverse", 1, kNoFlags, 0,
       prepare_nothing, bind_inverse, run_inverse},
  };
  return rows;
}

}  // namespace ortc::cpu
