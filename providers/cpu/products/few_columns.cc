// SPDX-License-Identifier: MIT
// Products of a few columns: see the header.
#include "providers/cpu/products/few_columns.h"

#include <algorithm>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kRowsLeast = 16;  // below, bringing B in order takes too long
constexpr int64_t kColumnsMost = 10;
constexpr int64_t kRowsAtOnce = 64;

}  // namespace

bool is_better_by_dots(int64_t m, int64_t k, int64_t n) {
  return m >= kRowsLeast && n <= kColumnsMost && k >= 8 * n;
}

void multiply_few_columns(Isa isa, const FewColumns& p, int64_t m0, int64_t m1) {
  const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
  const auto k = static_cast<size_t>(p.k), n = static_cast<size_t>(p.n);
  const float scale = p.epilogue.scale;
  const bool is_plain =
      p.epilogue.bias == nullptr && p.epilogue.activation.kind == Activation::kNone;
  float sums[kRowsAtOnce * kColumnsMost], bias[kRowsAtOnce * kColumnsMost];
  for (size_t i = 0; p.epilogue.bias != nullptr && i < kRowsAtOnce * n; ++i) {
    bias[i] = p.epilogue.bias[i % n];
  }
  for (int64_t row = m0; row < m1; row += kRowsAtOnce) {
    const auto rows = static_cast<size_t>(std::min(kRowsAtOnce, m1 - row));
    float* c = p.c + row * p.n;
    float* to = is_plain ? c : sums;
    kernels.dot_rows(p.a + row * p.k, k, rows, p.w, k, 0, n, k, to, n);
    if (scale != 1.0f) vector_f32_kernels(isa).mul_scalar(to, scale, to, rows * n);
    if (is_plain) continue;
    // Their rows, one behind the other, are one row of a result without a product.
    GemmF32 rest;
    rest.c = c;
    rest.n = rest.ldc = rows * n;
    rest.epilogue.activation = p.epilogue.activation;
    rest.epilogue.residual = sums;
    if (p.epilogue.bias != nullptr) rest.epilogue.bias = bias;
    kernels.tile(rest, 0, 1, 0, panel_count(rest.n));
  }
}

}  // namespace ortc::cpu
