// SPDX-License-Identifier: MIT
// Products of a few columns: see the header.
#include "providers/cpu/products/few_columns.h"

#include <algorithm>

#include "core/platform/cpu.h"
#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kRowsLeast = 16;  // below, bringing B in order takes too long
constexpr int64_t kColumnsMost = 10;
constexpr int64_t kRowsAtOnce = 64;

constexpr size_t size(int64_t n) { return static_cast<size_t>(n); }

bool are_short(const GemmF32Kernels& kernels, int64_t k, int64_t n) {
  return k > 0 && static_cast<size_t>(std::max(k, n)) <= kernels.short_row_most;
}

// B as short rows want it.
struct RepeatedRows {
  alignas(64) float factors[kShortRowMost][2 * kShortRowMost];
  alignas(64) int32_t places[kShortRowMost][2 * kShortRowMost];

  RepeatedRows(const FewColumns& p, size_t together) {
    for (size_t l = 0; l < size(p.k); ++l) {
      const float* row = p.b + l * size(p.b_row);
      size_t j = 0, place = l;
#pragma GCC unroll 1
      for (size_t i = 0; i < 2 * kShortRowMost; ++i) {
        factors[l][i] = i < together * size(p.n) ? row[j * size(p.b_step)] : 0.0f;
        places[l][i] = static_cast<int32_t>(place);
        if (++j == size(p.n)) j = 0, place += size(p.k);
      }
    }
  }
};

// Rows of products alone.
void multiply(const GemmF32Kernels& kernels, const FewColumns& p, int64_t m0, int64_t m1,
              float* to) {
  const float* a = p.a + m0 * p.k;
  const size_t rows = size(m1 - m0), k = size(p.k), n = size(p.n);
  if (!are_short(kernels, p.k, p.n)) {
    return kernels.dot_rows(a, k, rows, p.b, size(p.b_step), 0, n, k, to, n);
  }
  const size_t together = 2 * kernels.short_row_most / std::max(k, n);
  const RepeatedRows repeated(p, together);
  kernels.short_rows({k, n, together, a, repeated.factors[0], repeated.places[0], to}, rows);
}

}  // namespace

FewColumnsWay few_columns_way(Isa isa, int64_t m, int64_t k, int64_t n) {
  if (m < kRowsLeast || k < 1 || n < 1 || n > kColumnsMost) return FewColumnsWay::kNone;
  if (are_short(gemm_f32_kernels(isa), k, n)) return FewColumnsWay::kShort;
  // Four columns at a time are fast, what they leave is not; eight and a little more pay where a
  // register has sixteen numbers, and rows are long.
  const bool is_better = n <= 6 ? k >= 8 * n : n >= 8 && k >= 24 * n && isa == Isa::kAvx512;
  return is_better ? FewColumnsWay::kDots : FewColumnsWay::kNone;
}

void multiply_few_columns(Isa isa, const FewColumns& p, int64_t m0, int64_t m1) {
  const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
  const auto n = static_cast<size_t>(p.n);
  const EpilogueF32& epilogue = p.epilogue;
  if (epilogue.bias == nullptr && epilogue.scale == 1.0f &&
      epilogue.activation.kind == Activation::kNone) {
    return multiply(kernels, p, m0, m1, p.c + m0 * p.n);
  }
  float sums[kRowsAtOnce * kColumnsMost], bias[kRowsAtOnce * kColumnsMost];
  for (size_t i = 0; epilogue.bias != nullptr && i < kRowsAtOnce * n; ++i) {
    bias[i] = epilogue.bias[i % n];
  }
  for (int64_t row = m0; row < m1; row += kRowsAtOnce) {
    const int64_t end = std::min(m1, row + kRowsAtOnce);
    const auto size = static_cast<size_t>(end - row) * n;
    multiply(kernels, p, row, end, sums);
    if (epilogue.scale != 1.0f) {
      vector_f32_kernels(isa).mul_scalar(sums, epilogue.scale, sums, size);
    }
    // Their rows, one behind the other, are one row of a result without a product.
    GemmF32 rest;
    rest.b = sums;
    rest.c = p.c + row * p.n;
    rest.n = rest.ldc = size;
    rest.epilogue.activation = epilogue.activation;
    rest.epilogue.residual = sums;
    if (epilogue.bias != nullptr) rest.epilogue.bias = bias;
    kernels.tile(rest, 0, 1, 0, panel_count(size));
  }
}

}  // namespace ortc::cpu
