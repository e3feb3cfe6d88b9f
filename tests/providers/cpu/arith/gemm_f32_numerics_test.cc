// SPDX-License-Identifier: MIT
// f32 products at every size from 1 to 67 in each dimension, with weights of 32, 16 and 8 bits and
// with special numbers, within its bound.
#include <functional>

#include "core/base/float16.h"
#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::kUntouched;
using testing::Random;

enum class WeightType { kF32, kF16, kBf16, kI8 };

// A [m, k] product with [k, n]; b holds what the weights of fewer bits hold.
struct ProductF32 {
  size_t m, n, k;
  std::vector<float> a, b, scales;
  std::vector<uint16_t> b16;
  std::vector<int8_t> b8;

  ProductF32(size_t m_, size_t n_, size_t k_, WeightType weights) : m(m_), n(n_), k(k_) {
    Random random(m * 131 + n * 17 + k);
    a = random.floats(m * k);
    b = random.floats(k * n);
    scales.assign(n, 1.0f);
    for (float& v : b) {
      if (weights == WeightType::kF16) {
        b16.push_back(float_to_half(v));
        v = half_to_float(b16.back());
      } else if (weights == WeightType::kBf16) {
        b16.push_back(float_to_bfloat16(v));
        v = bfloat16_to_float(b16.back());
      } else if (weights == WeightType::kI8) {
        b8.push_back(static_cast<int8_t>(v * 127));
        v = b8.back();
      }
    }
    if (weights == WeightType::kI8) scales = random.floats(n, 0.01f, 0.1f);
  }

  // Sum of the terms, and of their sizes.
  std::pair<double, double> exact(size_t i, size_t j) const {
    double sum = 0, size = 0;
    for (size_t l = 0; l < k; ++l) {
      const double term = static_cast<double>(a[i * k + l]) * b[l * n + j] * scales[j];
      sum += term;
      size += std::fabs(term);
    }
    return {sum, size};
  }
};

// Packed as the weights say, with room and all.
struct Packed {
  std::vector<float> f32, room;
  std::vector<uint16_t> h;
  std::vector<int8_t> q;
  GemmF32 gemm;

  Packed(const GemmF32Kernels& kernels, const ProductF32& p, WeightType weights) {
    const size_t size = packed_size(p.k, p.n), panels = panel_count(p.n);
    gemm.a = p.a.data();
    gemm.lda = gemm.k = p.k;
    gemm.ldc = gemm.n = p.n;
    room.assign(narrow_room(p.k), NAN);
    gemm.narrow.room = room.data();
    if (weights == WeightType::kF32) {
      f32.assign(size, NAN);
      kernels.pack_b(p.b.data(), p.n, false, p.k, p.n, 0, panels, f32.data());
      gemm.b = f32.data();
      return;
    }
    if (weights == WeightType::kI8) {
      q.resize(size);
      pack_narrow_panels(p.b8.data(), p.n, false, p.k, p.n, 0, panels, q.data());
      gemm.narrow.data = q.data();
      gemm.narrow.type = PanelType::kI8;
      gemm.narrow.scales = p.scales.data();
      return;
    }
    h.resize(size);
    pack_narrow_panels(p.b16.data(), p.n, false, p.k, p.n, 0, panels, h.data());
    gemm.narrow.data = h.data();
    gemm.narrow.type = weights == WeightType::kF16 ? PanelType::kF16 : PanelType::kBf16;
  }
};

void check_product_f32(Isa isa, const ProductF32& p, WeightType weights) {
  const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
  Packed packed(kernels, p, weights);
  std::vector<float> c(p.m * p.n + 1, kUntouched);
  packed.gemm.c = c.data();
  kernels.tile(packed.gemm, 0, p.m, 0, panel_count(p.n));
  CHECK_EQ(c.back(), kUntouched);
  for (size_t i = 0; i < p.m; ++i) {
    for (size_t j = 0; j < p.n; ++j) {
      const auto [sum, size] = p.exact(i, j);
      CHECK_WITHIN(c[i * p.n + j], sum, gemm_f32_error(p.k) * size);
    }
  }
  for (const size_t count : testing::kCuts) {
    std::vector<float> parts(c.size(), kUntouched);
    packed.gemm.c = parts.data();
    for (const auto& [m0, m1] : testing::parts_of(p.m, count)) {
      for (const auto& [p0, p1] : testing::parts_of(panel_count(p.n), count)) {
        kernels.tile(packed.gemm, m0, m1, p0, p1);
      }
    }
    CHECK(testing::same_bytes(c, parts));
  }
}

TEST(gemm_f32_numerics, every_size_keeps_the_bound_with_weights_of_every_type) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t size = 1; size <= testing::kLargestSize; ++size) {
      for (const WeightType weights :
           {WeightType::kF32, WeightType::kF16, WeightType::kBf16, WeightType::kI8}) {
        check_product_f32(isa, ProductF32(size, 37, 19, weights), weights);
        check_product_f32(isa, ProductF32(7, size, 33, weights), weights);
        check_product_f32(isa, ProductF32(3, 35, size, weights), weights);
      }
    }
  }
}

TEST(gemm_f32_numerics, long_sums_keep_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    for (const size_t k : {767, 769, 1537}) {
      for (const size_t m : {1, 27}) {
        check_product_f32(isa, ProductF32(m, 33, k, WeightType::kF32), WeightType::kF32);
        check_product_f32(isa, ProductF32(m, 33, k, WeightType::kF16), WeightType::kF16);
      }
    }
  }
}

// One row goes through panels of 16 and 8 bits several at once, and through those that are left.
TEST(gemm_f32_numerics, one_row_of_many_columns_keeps_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    for (const WeightType weights :
         {WeightType::kF32, WeightType::kF16, WeightType::kBf16, WeightType::kI8}) {
      for (const size_t n : {127, 128, 129, 160, 291}) {
        check_product_f32(isa, ProductF32(1, n, 21, weights), weights);
        check_product_f32(isa, ProductF32(1, n, 770, weights), weights);
      }
      check_product_f32(isa, ProductF32(1, 128, 1, weights), weights);
      check_product_f32(isa, ProductF32(2, 128, 5, weights), weights);
    }
  }
}

// Long rows of a few terms, with and without a bias.
TEST(gemm_f32_numerics, shallow_products_keep_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
    for (size_t k = 1; k <= 5; ++k) {
      for (size_t n = 120; n <= 163; n += k) {
        check_product_f32(isa, ProductF32(n % 11 + 1, n, k, WeightType::kF32), WeightType::kF32);
      }
      const ProductF32 p(9, 150, k, WeightType::kF32);
      const std::vector<float> bias = Random(3).floats(p.n, -9, 9);
      Packed packed(kernels, p, WeightType::kF32);
      std::vector<float> plain(p.m * p.n), c(p.m * p.n);
      packed.gemm.c = plain.data();
      kernels.tile(packed.gemm, 0, p.m, 0, panel_count(p.n));
      packed.gemm.c = c.data();
      packed.gemm.epilogue.bias = bias.data();
      kernels.tile(packed.gemm, 0, p.m, 0, panel_count(p.n));
      for (size_t i = 0; i < c.size(); ++i) CHECK_EQ(c[i], plain[i] + bias[i % p.n]);
    }
  }
}

// Terms that cancel: the bound speaks of their sizes.
TEST(gemm_f32_numerics, sums_that_cancel_keep_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    ProductF32 p(9, 35, 66, WeightType::kF32);
    for (size_t i = 0; i < p.m; ++i) {
      for (size_t l = 0; l < p.k; ++l) p.a[i * p.k + l] = l % 2 ? -1e6f : 1e6f + 0.125f;
    }
    for (size_t l = 1; l < p.k; l += 2) {
      for (size_t j = 0; j < p.n; ++j) p.b[l * p.n + j] = p.b[(l - 1) * p.n + j];
    }
    check_product_f32(isa, p, WeightType::kF32);
  }
}

TEST(gemm_f32_numerics, special_numbers_reach_their_row_or_column_and_no_other) {
  for (const Isa isa : testing::runnable_isas()) {
    for (const float special : testing::special_floats()) {
      for (const size_t m : {1, 5, 26}) {
        ProductF32 p(m, 45, 23, WeightType::kF32);
        p.a[(m / 2) * p.k + 11] = special;
        check_product_f32(isa, p, WeightType::kF32);
        ProductF32 q(m, 45, 23, WeightType::kF32);
        q.b[7 * q.n + 44] = special;
        check_product_f32(isa, q, WeightType::kF32);
      }
    }
  }
}

TEST(gemm_f32_numerics, subnormal_numbers_are_not_taken_for_zeros) {
  for (const Isa isa : testing::runnable_isas()) {
    ProductF32 p(6, 33, 1, WeightType::kF32);
    std::fill(p.a.begin(), p.a.end(), 1.0f);
    std::fill(p.b.begin(), p.b.end(), 0x1p-149f);
    Packed packed(gemm_f32_kernels(isa), p, WeightType::kF32);
    std::vector<float> c(p.m * p.n);
    packed.gemm.c = c.data();
    gemm_f32_kernels(isa).tile(packed.gemm, 0, p.m, 0, panel_count(p.n));
    for (const float v : c) CHECK_EQ(v, 0x1p-149f);
  }
}

// The epilogue's formula, for all activations.
void check_epilogues(Isa isa, size_t m, size_t n, WeightType weights) {
  const ProductF32 p(m, n, 29, weights);
  Packed packed(gemm_f32_kernels(isa), p, weights);
  Random random(4);
  const std::vector<float> bias = random.floats(p.n, -9, 9);
  const std::vector<float> residual = random.floats(p.m * p.n, -30, 30);
  for (const ActivationF32& activation : testing::all_activations()) {
    std::vector<float> c(p.m * p.n);
    GemmF32 gemm = packed.gemm;
    gemm.c = c.data();
    gemm.epilogue = {bias.data(), residual.data(), p.n, 0.375f, activation};
    gemm_f32_kernels(isa).tile(gemm, 0, p.m, 0, panel_count(p.n));
    for (size_t i = 0; i < c.size(); ++i) {
      const auto [sum, size] = p.exact(i / p.n, i % p.n);
      const double x = 0.375 * sum + bias[i % p.n] + residual[i];
      const double sizes = 0.375 * size + std::fabs(bias[i % p.n]) + std::fabs(residual[i]);
      const double y = testing::activate(activation, x);
      CHECK_WITHIN(c[i], y,
                   kActivationSlope * gemm_f32_error(p.k) * sizes +
                       kActivationError * (std::fabs(x) + std::fabs(y)));
    }
  }
}

TEST(gemm_f32_numerics, epilogues_keep_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    check_epilogues(isa, 5, 43, WeightType::kF32);
    check_epilogues(isa, 1, 150, WeightType::kF16);
    check_epilogues(isa, 1, 150, WeightType::kI8);
  }
}

void check_vectors(Isa isa, size_t m, size_t n, size_t k, float special) {
  const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
  ProductF32 p(m, n, k, WeightType::kF32);
  p.a[k / 2] = special;
  std::vector<float> w(n * k), y(m * n, NAN), row(n, NAN);
  for (size_t j = 0; j < n; ++j) {
    for (size_t l = 0; l < k; ++l) w[j * k + l] = p.b[l * n + j];
  }
  kernels.dot_rows(p.a.data(), k, m, w.data(), k, 0, n, k, y.data(), n);
  kernels.row_times(p.a.data(), p.b.data(), n, 0, n, k, row.data());
  for (size_t i = 0; i < m * n; ++i) {
    const auto [sum, size] = p.exact(i / n, i % n);
    CHECK_WITHIN(y[i], sum, gemm_f32_error(k) * size);
    if (i < n) CHECK_WITHIN(row[i], sum, gemm_f32_error(k) * size);
  }
  for (const size_t count : testing::kCuts) {
    std::vector<float> parts(m * n, NAN), row_parts(n, NAN);
    for (const auto& [n0, n1] : testing::parts_of(n, count)) {
      kernels.dot_rows(p.a.data(), k, m, w.data(), k, n0, n1, k, parts.data(), n);
      kernels.row_times(p.a.data(), p.b.data(), n, n0, n1, k, row_parts.data());
    }
    CHECK(testing::same_bytes(y, parts));
    CHECK(testing::same_bytes(row, row_parts));
  }
}

void check_short_rows(Isa isa, size_t m, size_t n, size_t k, float special) {
  const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
  ProductF32 p(m, n, k, WeightType::kF32);
  p.a[p.a.size() / 2] = special;
  float factors[kShortRowMost][2 * kShortRowMost] = {};
  int32_t places[kShortRowMost][2 * kShortRowMost] = {};
  const size_t together = 2 * kernels.short_row_most / std::max(k, n);
  for (size_t l = 0; l < k; ++l) {
    for (size_t i = 0; i < together * n; ++i) {
      factors[l][i] = p.b[l * n + i % n];
      places[l][i] = static_cast<int32_t>(i / n * k + l);
    }
  }
  std::vector<float> y(m * n + 1, 7.0f);
  const auto run = [&](size_t m0, size_t m1, float* to) {
    kernels.short_rows({k, n, together, p.a.data() + m0 * k, factors[0], places[0], to + m0 * n},
                       m1 - m0);
  };
  run(0, m, y.data());
  CHECK_EQ(y.back(), 7.0f);
  for (size_t i = 0; i < m * n; ++i) {
    const auto [sum, size] = p.exact(i / n, i % n);
    CHECK_WITHIN(y[i], sum, gemm_f32_error(k) * size + 0x1p-149);  // one number may be all
  }
  for (const size_t count : testing::kCuts) {
    std::vector<float> parts(y.size(), 7.0f);
    for (const auto& [m0, m1] : testing::parts_of(m, count)) run(m0, m1, parts.data());
    CHECK(testing::same_bytes(y, parts));
  }
}

TEST(gemm_f32_numerics, products_of_short_rows_keep_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    const size_t most = gemm_f32_kernels(isa).short_row_most;
    CHECK(most <= kShortRowMost);
    for (size_t k = 1; k <= most; ++k) {
      for (size_t n = 1; n <= most; ++n) {
        for (size_t m = 1; m <= testing::kLargestSize; m += 3) {
          check_short_rows(isa, m, n, k, 0.5f);
        }
        for (const float special : testing::special_floats()) {
          check_short_rows(isa, 19, n, k, special);
        }
      }
    }
  }
}

void check_rank_one(Isa isa, size_t n, size_t k, float special) {
  const ProductF32 p(3, n, k, WeightType::kF32), r(1, n, 1, WeightType::kF32);
  std::vector<float> m = p.b, row(r.b.begin(), r.b.begin() + static_cast<std::ptrdiff_t>(n)),
                     y(n, NAN);
  row[n / 2] = special;
  const float *decay = p.a.data(), *x = decay + k, *q = x + k;
  gemm_f32_kernels(isa).add_rank_one({m.data(), decay, x, row.data(), q, y.data(), k, n});
  for (size_t j = 0; j < n; ++j) {
    double sum = 0, size = 0;
    for (size_t l = 0; l < k; ++l) {
      const double kept = static_cast<double>(decay[l]) * static_cast<double>(p.b[l * n + j]);
      const double added = static_cast<double>(x[l]) * static_cast<double>(row[j]);
      CHECK_WITHIN(m[l * n + j], kept + added, sum_error(2) * (std::fabs(kept) + std::fabs(added)));
      const double term = static_cast<double>(q[l]) * static_cast<double>(m[l * n + j]);
      sum += term;
      size += std::fabs(term);
    }
    CHECK_WITHIN(y[j], sum, gemm_f32_error(k) * size);
  }
}

TEST(gemm_f32_numerics, a_matrix_that_products_of_vectors_are_added_to_keeps_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t size = 1; size <= testing::kLargestSize; ++size) {
      check_rank_one(isa, size, 13, 0.5f);
      check_rank_one(isa, 21, size, 0.5f);
    }
    check_rank_one(isa, 37, 1600, 0.5f);
    for (const float special : testing::special_floats()) check_rank_one(isa, 35, 9, special);
  }
}

// Rows that are near each other too, of which little would be left by |a|^2 + |b|^2 - 2 a b.
void check_squares(Isa isa, size_t m, size_t n, size_t k, float special) {
  testing::Random random(m * 131 + n * 17 + k);
  std::vector<float> a = random.floats(m * k), b = random.floats(n * k);
  for (float& v : a) v += 1000;
  for (float& v : b) v += 1000;
  if (k != 0) a[m * k / 2] = special;
  for (const bool is_root : {false, true}) {
    const auto make = [&](std::vector<float>* c) {
      return SquaresF32{a.data(), k, b.data(), k, c->data(), n + 1, n, k, is_root};
    };
    std::vector<float> c(m * (n + 1), 7.0f), parts = c;
    const auto squares = gemm_f32_kernels(isa).squares;
    squares(make(&c), 0, m, 0, panel_count(n));
    for (size_t i = 0; i < m; ++i) {
      for (size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (size_t l = 0; l < k; ++l) {
          const double less = double{a[i * k + l]} - double{b[j * k + l]};
          sum += less * less;
        }
        const double exact = is_root ? std::sqrt(sum) : sum;
        CHECK_WITHIN(c[i * (n + 1) + j], exact, gemm_f32_error(k) * exact);
      }
      CHECK_EQ(c[i * (n + 1) + n], 7.0f);
    }
    for (const auto& [m0, m1] : testing::parts_of(m, 3)) {
      for (const auto& [p0, p1] : testing::parts_of(panel_count(n), 2)) {
        squares(make(&parts), m0, m1, p0, p1);
      }
    }
    CHECK(testing::same_bytes(c, parts));
  }
}

TEST(gemm_f32_numerics, squared_differences_keep_the_bound_at_every_size) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t size = 1; size <= testing::kLargestSize; ++size) {
      check_squares(isa, size, 35, 23, 0.5f);
      check_squares(isa, 5, size, 21, 0.5f);
      check_squares(isa, 3, 33, size, 0.5f);
    }
    check_squares(isa, 9, 17, 515, 0.5f);
    check_squares(isa, 2, 40, 0, 0.5f);
    for (const float special : {NAN, INFINITY, -INFINITY, 0.0f, 1e18f}) {
      check_squares(isa, 5, 33, 9, special);
    }
  }
}

TEST(gemm_f32_numerics, products_with_unpacked_matrices_keep_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t size = 1; size <= testing::kLargestSize; ++size) {
      check_vectors(isa, size, 9, 21, 0.5f);
      check_vectors(isa, 3, size, 37, 0.5f);
      check_vectors(isa, 2, 7, size, 0.5f);
    }
    for (const float special : testing::special_floats()) check_vectors(isa, 5, 33, 35, special);
  }
}

}  // namespace
}  // namespace ortc::cpu
