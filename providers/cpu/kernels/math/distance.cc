// SPDX-License-Identifier: MIT
// CDist (com.microsoft): the distance of each row of A from each row of B, euclidean or its square;
// sums in double.
#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/gemm_f64/gemm_f64.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

using DistanceTypes = TypeList<float, double>;

struct DistanceParams {
  uint32_t record_bytes;
  uint32_t is_square;
};
static_assert(sizeof(DistanceParams) == 8);

Status prepare_distance(PrepareContext& ctx) {
  const std::string_view metric = ctx.node().string_attribute("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean") {
    return not_implemented("metric '", metric, "'");
  }
  ctx.set_params(DistanceParams{sizeof(DistanceParams), metric == "sqeuclidean" ? 1u : 0u});
  return Status::ok();
}

Status bind_distance(BindContext& ctx) {
  if (ctx.params<DistanceParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, DistanceTypes::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  const ValueRef &a = ctx.input(0), &b = ctx.input(1);
  if (a.rank != 2 || b.rank != 2 || a.dim(1) != b.dim(1)) {
    return invalid_argument("rows of shapes ", dims_to_string(a.dims()), " and ",
                            dims_to_string(b.dims()), " have no distances");
  }
  if (a.dtype == DType::kFloat32) {
    ScratchPlan plan;
    plan.add<double>(a.element_count());
    RETURN_IF_ERROR(plan.declare(ctx));
  }
  return ctx.set_output(0, a.dtype, {a.dim(0), b.dim(0)});
}

constexpr int64_t kRowsAtOnce = 96;  // read a panel of columns while it is near
constexpr auto kPanel = static_cast<int64_t>(kColumnsF64);

// Distances of `rows` rows of a, in double, to columns [begin, begin + n) of a panel.
template <typename T>
void distances_to(const RunContext& ctx, const double* a, int64_t rows, int64_t begin, int64_t n,
                  T* y) {
  const int64_t size = ctx.input(1).dim(1), columns = ctx.input(1).dim(0);
  const bool is_square = ctx.params<DistanceParams>().is_square != 0;
  double squares[kRowsAtOnce * kPanel];
  GemmF64 gemm{.a = a, .a_row = static_cast<size_t>(size)};
  const T* b = ctx.input(1).as<T>() + begin * size;
  if constexpr (std::is_same_v<T, float>) {
    gemm.b_floats = b;
  } else {
    gemm.b = b;
  }
  gemm.b_row = 1;
  gemm.b_step = gemm.k = static_cast<size_t>(size);
  gemm.c = squares;
  gemm.ldc = gemm.n = static_cast<size_t>(n);
  gemm_f64_kernels(ctx.isa()).squares(gemm, 0, static_cast<size_t>(rows), 0, 1);
  for (int64_t i = 0; i < rows; ++i) {
    const double* from = squares + i * n;
    T* to = y + i * columns + begin;
    for (int64_t j = 0; is_square && j < n; ++j) to[j] = static_cast<T>(from[j]);
    for (int64_t j = 0; !is_square && j < n; ++j) to[j] = static_cast<T>(std::sqrt(from[j]));
  }
}

// The rows of A in double.
const double* rows_of(const RunContext& ctx) {
  const ValueRef& a = ctx.input(0);
  if (a.dtype == DType::kFloat64) return a.as<double>();
  auto* doubles = reinterpret_cast<double*>(ctx.scratch());
  ctx.parallel_for(a.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
    std::copy(a.as<float>() + begin, a.as<float>() + end, doubles + begin);
  });
  return doubles;
}

// A unit is a panel of columns for some rows.
template <typename T>
void distances(const RunContext& ctx) {
  const int64_t rows = ctx.input(0).dim(0), size = ctx.input(0).dim(1),
                columns = ctx.input(1).dim(0);
  const double* a = rows_of(ctx);
  const int64_t panels = (columns + kPanel - 1) / kPanel;
  const int64_t blocks = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
  const int64_t cost = kPanel * std::min(rows, kRowsAtOnce) * std::max<int64_t>(1, size);
  ctx.parallel_for(blocks * panels, std::max<int64_t>(1, kElementGrain / cost),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t unit = begin; unit < end; ++unit) {
                       const int64_t row = unit / panels * kRowsAtOnce;
                       const int64_t column = unit % panels * kPanel;
                       distances_to(ctx, a + row * size, std::min(kRowsAtOnce, rows - row), column,
                                    std::min(kPanel, columns - column),
                                    ctx.output(0).as_mutable<T>() + row * columns);
                     }
                   });
}

Status run_distance(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  if (ctx.input(0).dtype == DType::kFloat32) {
    distances<float>(ctx);
  } else {
    distances<double>(ctx);
  }
  return Status::ok();
}

}  // namespace

KernelTable distance_kernels() {
  static constexpr KernelRow rows[] = {
      {"CDist", kMicrosoftDomain, 1, kLatestOpset, DistanceTypes::kMask, "cdist", 1, kNoFlags, 0,
       prepare_distance, bind_distance, run_distance},
  };
  return rows;
}

}  // namespace ortc::cpu
