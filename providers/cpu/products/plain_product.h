// SPDX-License-Identifier: MIT
// Products of two computed matrices for the element types without vector arithmetic: float64 and
// the integers, which wrap around. One row of C at a time, B's rows from first to last.
#pragma once

#include <type_traits>

#include "providers/cpu/products/batched_product.h"

namespace ortc::cpu {

template <typename T>
void plain_product_row(const BatchedProduct& p, const T* a, const T* b, int64_t row, T alpha,
                       T* c) {
  // Signed integers are multiplied as unsigned ones: the same bits without undefined overflow.
  using U = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                        std::type_identity<T>>::type;
  for (int64_t j = 0; j < p.n; ++j) c[j] = T(0);
  for (int64_t l = 0; l < p.k; ++l) {
    const U x = static_cast<U>(p.trans_a ? a[l * p.m + row] : a[row * p.k + l]);
    const T* y = p.trans_b ? b + l : b + l * p.n;
    const int64_t step = p.trans_b ? p.k : 1;
    for (int64_t j = 0; j < p.n; ++j) {
      c[j] = static_cast<T>(static_cast<U>(c[j]) + x * static_cast<U>(y[j * step]));
    }
  }
  if (alpha == T(1)) return;
  for (int64_t j = 0; j < p.n; ++j) {
    c[j] = static_cast<T>(static_cast<U>(c[j]) * static_cast<U>(alpha));
  }
}

template <typename T>
void run_plain_product(const RunContext& ctx, const BatchedProduct& p, const T* a, const T* b,
                       T alpha, T* c) {
  if (p.m == 0 || p.n == 0) return;
  const int64_t work = std::max<int64_t>(1, p.k) * p.n;
  const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 16) / work);
  ctx.parallel_for(p.batch_count * p.m, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / p.m;
      plain_product_row(p, a + batch_offset(p, p.a_strides, batch) * p.m * p.k,
                        b + batch_offset(p, p.b_strides, batch) * p.k * p.n, i % p.m, alpha,
                        c + i * p.n);
    }
  });
}

}  // namespace ortc::cpu
