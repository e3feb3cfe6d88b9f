// SPDX-License-Identifier: MIT
// Products of two computed matrices of float64.
#include "providers/cpu/products/plain_product.h"

#include <algorithm>

#include "providers/cpu/arith/gemm_f64/gemm_f64.h"
#include "providers/cpu/products/tile_grid.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kDepthLeast = 16;

// Whether a single column meets the rows of A one by one.
bool goes_by_dots(const BatchedProduct& p) { return !p.trans_a && p.n == 1 && p.k >= kDepthLeast; }

// Rows [m0, m1) of column j, of which C has nothing yet.
void multiply_column(const GemmF64Kernels& kernels, const BatchedProduct& p, const double* a,
                     const double* b, int64_t j, int64_t m0, int64_t m1, double* c) {
  constexpr int64_t kDepth = 256;
  double w[kDepth];
  for (int64_t row = m0; row < m1; ++row) c[row * p.n + j] = 0.0;
  for (int64_t l0 = 0; l0 < p.k; l0 += kDepth) {
    const int64_t depth = std::min(kDepth, p.k - l0), step = p.trans_b ? 1 : p.n;
    const double* from = b + (p.trans_b ? j * p.k + l0 : l0 * p.n + j);
    for (int64_t l = 0; l < depth; ++l) w[l] = from[l * step];
    kernels.dots({.a = a + l0,
                  .a_row = static_cast<size_t>(p.k),
                  .w = w,
                  .k = static_cast<size_t>(depth),
                  .c = c + j,
                  .ldc = static_cast<size_t>(p.n)},
                 static_cast<size_t>(m0), static_cast<size_t>(m1));
  }
}

void multiply_columns(const RunContext& ctx, const BatchedProduct& p, const double* a,
                      const double* b, double alpha, double* c) {
  constexpr int64_t kRows = 64;
  const int64_t parts = (p.m + kRows - 1) / kRows;
  const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 16) / (kRows * p.k * p.n));
  const GemmF64Kernels& kernels = gemm_f64_kernels(ctx.isa());
  ctx.parallel_for(p.batch_count * parts, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / parts, m0 = i % parts * kRows, m1 = std::min(p.m, m0 + kRows);
      double* to = c + batch * p.m * p.n;
      for (int64_t j = 0; j < p.n; ++j) {
        multiply_column(kernels, p, a + batch_offset(p, p.a_strides, batch) * p.m * p.k,
                        b + batch_offset(p, p.b_strides, batch) * p.k * p.n, j, m0, m1, to);
      }
      for (int64_t at = m0 * p.n; at < m1 * p.n; ++at) to[at] *= alpha;
    }
  });
}

}  // namespace

void run_product_f64(const RunContext& ctx, const BatchedProduct& product, const double* a,
                     const double* b, double alpha, double* c) {
  BatchedProduct p = product;
  p.fold_rows();
  const auto m = static_cast<size_t>(p.m), n = static_cast<size_t>(p.n);
  const auto k = static_cast<size_t>(p.k);
  const auto panels = static_cast<int64_t>((n + kColumnsF64 - 1) / kColumnsF64);
  if (goes_by_dots(p)) return multiply_columns(ctx, p, a, b, alpha, c);
  const TileGrid grid = make_tile_grid(p.m, panels, p.k, items_for_threads(ctx.thread_count()));
  const GemmF64Kernels& kernels = gemm_f64_kernels(ctx.isa());
  ctx.parallel_for(p.batch_count * grid.items(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / grid.items(), item = i % grid.items();
      GemmF64 gemm;
      gemm.a = a + batch_offset(p, p.a_strides, batch) * p.m * p.k;
      gemm.a_row = p.trans_a ? 1 : k;
      gemm.a_step = p.trans_a ? m : 1;
      gemm.b = b + batch_offset(p, p.b_strides, batch) * p.k * p.n;
      gemm.b_row = p.trans_b ? 1 : n;
      gemm.b_step = p.trans_b ? k : 1;
      gemm.c = c + batch * p.m * p.n;
      gemm.ldc = gemm.n = n;
      gemm.k = k;
      gemm.alpha = alpha;
      kernels.tile(
          gemm, static_cast<size_t>(grid.row_begin(item)), static_cast<size_t>(grid.row_end(item)),
          static_cast<size_t>(grid.panel_begin(item)), static_cast<size_t>(grid.panel_end(item)));
    }
  });
}

}  // namespace ortc::cpu
