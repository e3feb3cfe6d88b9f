// SPDX-License-Identifier: MIT
// Products of two computed matrices of float64 (arith/gemm_f64) and of the integers, which wrap
// around: of those one row of C at a time (arith/number_rows).
#pragma once

#include <type_traits>

#include "providers/cpu/arith/gemm_f64/gemm_f64.h"
#include "providers/cpu/arith/number_rows/number_rows.h"
#include "providers/cpu/products/batched_product.h"
#include "providers/cpu/products/tile_grid.h"

namespace ortc::cpu {

// Signed integers are multiplied as unsigned ones: the same bits without undefined overflow.
template <typename T>
void plain_product_row(const NumberRowsKernels& rows, const BatchedProduct& p, const T* a,
                       const T* b, int64_t row, T alpha, T* c) {
  using U = std::make_unsigned_t<T>;
  const auto* x = reinterpret_cast<const U*>(p.trans_a ? a + row : a + row * p.k);
  const auto* y = reinterpret_cast<const U*>(b);
  const auto step = static_cast<size_t>(p.trans_a ? p.m : 1);
  const auto n = static_cast<size_t>(p.n), k = static_cast<size_t>(p.k);
  auto* z = reinterpret_cast<U*>(c);
  constexpr bool kHasRows = sizeof(T) >= 4;
  if (kHasRows && !p.trans_b) {
    if constexpr (sizeof(T) == 4) rows.u32.product(x, step, y, n, k, z, n);
    if constexpr (sizeof(T) == 8) rows.u64.product(x, step, y, n, k, z, n);
  } else {
    const size_t b_row = p.trans_b ? 1 : n, b_step = p.trans_b ? k : 1;
    for (size_t j = 0; j < n; ++j) {
      uint64_t sum = 0;  // of small integers too: a product of two may not fit into int
      for (size_t i = 0; i < k; ++i) sum += uint64_t{x[i * step]} * y[i * b_row + j * b_step];
      z[j] = static_cast<U>(sum);
    }
  }
  if (alpha == T(1)) return;
  for (size_t j = 0; j < n; ++j) {
    z[j] = static_cast<U>(uint64_t{z[j]} * static_cast<U>(alpha));
  }
}

inline void run_product_f64(const RunContext& ctx, const BatchedProduct& p, const double* a,
                            const double* b, double alpha, double* c) {
  const auto m = static_cast<size_t>(p.m), n = static_cast<size_t>(p.n);
  const auto k = static_cast<size_t>(p.k);
  const auto panels = static_cast<int64_t>((n + kColumnsF64 - 1) / kColumnsF64);
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

template <typename T>
void run_plain_product(const RunContext& ctx, const BatchedProduct& p, const T* a, const T* b,
                       T alpha, T* c) {
  if (p.m == 0 || p.n == 0) return;
  if constexpr (std::is_same_v<T, double>) {
    run_product_f64(ctx, p, a, b, alpha, c);
  } else {
    const NumberRowsKernels& rows = number_rows_kernels(ctx.isa());
    const int64_t work = std::max<int64_t>(1, p.k) * p.n;
    const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 16) / work);
    ctx.parallel_for(p.batch_count * p.m, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t batch = i / p.m;
        plain_product_row(rows, p, a + batch_offset(p, p.a_strides, batch) * p.m * p.k,
                          b + batch_offset(p, p.b_strides, batch) * p.k * p.n, i % p.m, alpha,
                          c + i * p.n);
      }
    });
  }
}

}  // namespace ortc::cpu
