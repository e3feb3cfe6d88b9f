// SPDX-License-Identifier: MIT
// CDist (com.microsoft): the distance of each row of A from each row of B, euclidean or its square;
// differences, squares and sums in the type of the elements, and so what is beyond its range.
#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/gemm_f64/gemm_f64.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
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
  return ctx.set_output(0, a.dtype, {a.dim(0), b.dim(0)});
}

constexpr int64_t kRowsAtOnce = 96;  // read a panel of columns while it is near

// Rows [row, row + rows) of doubles from columns [begin, begin + n) of a panel, wherever it is.
void double_distances(const RunContext& ctx, int64_t row, int64_t rows, int64_t begin, int64_t n) {
  const ValueRef &a = ctx.input(0), &b = ctx.input(1);
  const int64_t size = b.dim(1), columns = b.dim(0);
  double* y = ctx.output(0).as_mutable<double>() + row * columns + begin;
  GemmF64 gemm{.a = a.as<double>() + row * size, .a_row = static_cast<size_t>(size)};
  gemm.b = b.as<double>() + begin * size;
  gemm.b_row = 1;
  gemm.b_step = gemm.k = static_cast<size_t>(size);
  gemm.c = y;
  gemm.ldc = static_cast<size_t>(columns);
  gemm.n = static_cast<size_t>(n);
  gemm_f64_kernels(ctx.isa()).squares(gemm, 0, static_cast<size_t>(rows), 0, 1);
  if (ctx.params<DistanceParams>().is_square != 0) return;
  for (int64_t i = 0; i < rows; ++i, y += columns) {
    for (int64_t j = 0; j < n; ++j) y[j] = std::sqrt(y[j]);
  }
}

void float_distances(const RunContext& ctx, int64_t row, int64_t rows, int64_t begin, int64_t n) {
  const ValueRef &a = ctx.input(0), &b = ctx.input(1);
  const auto size = static_cast<size_t>(b.dim(1)), columns = static_cast<size_t>(b.dim(0));
  SquaresF32 op{.a = a.as<float>() + row * a.dim(1), .lda = size};
  op.b = b.as<float>() + begin * b.dim(1);
  op.ldb = op.k = size;
  op.c = ctx.output(0).as_mutable<float>() + row * b.dim(0) + begin;
  op.ldc = columns;
  op.n = static_cast<size_t>(n);
  op.is_root = ctx.params<DistanceParams>().is_square == 0;
  gemm_f32_kernels(ctx.isa()).squares(op, 0, static_cast<size_t>(rows), 0, 1);
}

// A unit is a panel of columns for some rows.
Status run_distance(RunContext& ctx) {
  const ValueRef &a = ctx.input(0), &b = ctx.input(1);
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const bool is_float = a.dtype == DType::kFloat32;
  const int64_t rows = a.dim(0), columns = b.dim(0);
  const auto panel = static_cast<int64_t>(is_float ? kPanelColumns : kColumnsF64);
  const int64_t panels = (columns + panel - 1) / panel;
  const int64_t blocks = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
  const int64_t cost = panel * std::min(rows, kRowsAtOnce) * std::max<int64_t>(1, a.dim(1));
  ctx.parallel_for(
      blocks * panels, std::max<int64_t>(1, kElementGrain / cost), [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; ++unit) {
          const int64_t row = unit / panels * kRowsAtOnce;
          const int64_t column = unit % panels * panel;
          (is_float ? float_distances : double_distances)(ctx, row,
                                                          std::min(kRowsAtOnce, rows - row), column,
                                                          std::min(panel, columns - column));
        }
      });
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
