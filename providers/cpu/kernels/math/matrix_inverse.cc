// SPDX-License-Identifier: MIT
// Inverse (com.microsoft): the inverse of each square matrix of the last two axes, by elimination
// with pivots in double. A matrix that has none is refused.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

using InverseTypes = TypeList<float, double, Float16>;
constexpr int64_t kBlocks = 32;                  // each has its own matrix of scratch
constexpr int64_t kMostRows = int64_t{1} << 31;  // no memory holds the square of that

// --- Arithmetic: `a` is [n, n] and becomes its inverse; false when it has none.

int64_t row_stride(int64_t n) { return (n + 7) / 8 * 8; }

// Rows are swapped so that each step divides by the largest element left of its column; columns of
// the inverse go back the same way.
bool invert(const MapsF64Kernels& maps, double* a, int64_t* pivots, int64_t n) {
  const int64_t stride = row_stride(n);
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(a[i * stride + k]) > std::fabs(a[pivot * stride + k])) pivot = i;
    }
    if (a[pivot * stride + k] == 0) return false;
    if (pivot != k) std::swap_ranges(a + k * stride, a + k * stride + n, a + pivot * stride);
    pivots[k] = pivot;
    maps.eliminate(a, static_cast<size_t>(n), static_cast<size_t>(stride), static_cast<size_t>(k));
  }
  for (int64_t k = n - 1; k >= 0; --k) {
    for (int64_t i = 0; i < n && pivots[k] != k; ++i) {
      std::swap(a[i * stride + k], a[i * stride + pivots[k]]);
    }
  }
  return true;
}

template <typename T>
void copy_in(const MapsF64Kernels& maps, const T* x, double* a, int64_t n) {
  const int64_t stride = row_stride(n);
  for (int64_t row = 0; row < n; ++row, x += n, a += stride) {
    if constexpr (std::is_same_v<T, float>) {
      maps.widen(x, a, static_cast<size_t>(n));
    } else {
      for (int64_t i = 0; i < n; ++i) a[i] = convert<double>(x[i]);
    }
    std::fill(a + n, a + stride, 0.0);
  }
}

template <typename T>
void copy_out(const double* a, T* y, int64_t n) {
  for (int64_t row = 0; row < n; ++row, y += n, a += row_stride(n)) {
    for (int64_t i = 0; i < n; ++i) y[i] = convert<T>(a[i]);
  }
}

// --- Bind.

int64_t matrices_per_block(int64_t count) {
  return std::max<int64_t>(1, (count + kBlocks - 1) / kBlocks);
}

struct InverseScratch {
  ScratchPlan plan;
  uint64_t matrices, pivots;
};

InverseScratch lay_out(int64_t n, int64_t count) {
  const int64_t blocks = std::min(kBlocks, count);
  const auto size = n < kMostRows ? checked_mul(n, row_stride(n)) : std::nullopt;
  const auto numbers = size ? checked_mul(*size, blocks) : std::nullopt;
  InverseScratch at{};
  at.matrices = at.plan.add<double>(numbers.value_or(-1));
  at.pivots = at.plan.add<int64_t>(numbers ? n * blocks : -1);
  return at;
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
  RETURN_IF_ERROR(lay_out(n, count.value_or(-1)).plan.declare(ctx));
  return ctx.set_output(0, x.dtype, x.dims());
}

// --- Run.

Status run_inverse(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const int64_t n = x.dim(x.rank - 1);
  if (n == 0) return Status::ok();
  const int64_t count = x.element_count() / (n * n), grain = matrices_per_block(count);
  const InverseScratch places = lay_out(n, count);
  const MapsF64Kernels& maps = maps_f64_kernels(ctx.isa());
  std::atomic<bool> is_singular = false;
  with_type(InverseTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      const int64_t block = begin / grain;
      double* a = scratch_at<double>(ctx, places.matrices) + block * n * row_stride(n);
      int64_t* pivots = scratch_at<int64_t>(ctx, places.pivots) + block * n;
      for (int64_t i = begin; i < end; ++i) {
        copy_in(maps, x.as<T>() + i * n * n, a, n);
        if (!invert(maps, a, pivots, n)) is_singular = true;
        copy_out(a, ctx.output(0).as_mutable<T>() + i * n * n, n);
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
