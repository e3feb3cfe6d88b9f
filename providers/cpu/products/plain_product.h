// SPDX-License-Identifier: MIT
// Products of two computed matrices of float64 (arith/gemm_f64) and of the integers, which wrap
// around: of those one row of C at a time (arith/number_rows).
#pragma once

#include <type_traits>

#include "providers/cpu/arith/number_rows/number_rows.h"
#include "providers/cpu/products/batched_product.h"

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

void run_product_f64(const RunContext& ctx, const BatchedProduct& p, const double* a,
                     const double* b, double alpha, double* c);

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
      for (int64_t i = begin, last = 0; i < end; i = last) {
        const int64_t batch = i / p.m, first = batch * p.m;
        const T* left = a + batch_offset(p, p.a_strides, batch) * p.m * p.k;
        const T* right = b + batch_offset(p, p.b_strides, batch) * p.k * p.n;
        last = std::min(end, first + p.m);
        for (; i < last; ++i) {
          plain_product_row(rows, p, left, right, i - first, alpha, c + i * p.n);
        }
      }
    });
  }
}

}  // namespace ortc::cpu
