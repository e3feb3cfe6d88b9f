// SPDX-License-Identifier: MIT
// f64 products at every size from 1 to 67 in each dimension and with special numbers, within their
// bound.
#include "providers/cpu/arith/gemm_f64/gemm_f64.h"
#include "tests/providers/cpu/arith/gemm_f64_panels.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::panels_f64;

struct ProductF64 {
  size_t m, n, k;
  std::vector<double> a, b;

  ProductF64(size_t m_, size_t n_, size_t k_) : m(m_), n(n_), k(k_) {
    testing::Random random(m * 131 + n * 17 + k);
    for (const float v : random.floats(m * k)) a.push_back(v);
    for (const float v : random.floats(k * n)) b.push_back(v / 3.0);
  }
};

void check_product_f64(Isa isa, const ProductF64& p, bool trans_a, bool trans_b) {
  std::vector<double> c(p.m * p.n + 1, 7.0);
  GemmF64 g;
  g.a = p.a.data();
  g.a_row = trans_a ? 1 : p.k;
  g.a_step = trans_a ? p.m : 1;
  g.b = p.b.data();
  g.b_row = trans_b ? 1 : p.n;
  g.b_step = trans_b ? p.k : 1;
  g.c = c.data();
  g.ldc = g.n = p.n;
  g.k = p.k;
  g.alpha = 0.75;
  const auto tile = gemm_f64_kernels(isa).tile;
  tile(g, 0, p.m, 0, panels_f64(p.n));
  CHECK_EQ(c.back(), 7.0);
  for (size_t i = 0; i < p.m; ++i) {
    for (size_t j = 0; j < p.n; ++j) {
      long double sum = 0, size = 0;  // where that has more bits, the bound is all the kernel's
      for (size_t l = 0; l < p.k; ++l) {
        const long double term = static_cast<long double>(p.a[i * g.a_row + l * g.a_step]) *
                                 static_cast<long double>(p.b[l * g.b_row + j * g.b_step]);
        sum += term;
        size += std::fabs(term);
      }
      const auto slack = gemm_f64_error(p.k) * 0.75 * static_cast<double>(size);
      const auto exact = static_cast<double>(0.75L * sum);
      CHECK(testing::is_within(c[i * p.n + j], exact, slack + std::fabs(exact) * kRoundingF64,
                               DBL_MAX));
    }
  }
  for (const size_t count : testing::kCuts) {
    std::vector<double> parts(c.size(), 7.0);
    g.c = parts.data();
    for (const auto& [m0, m1] : testing::parts_of(p.m, count)) {
      for (const auto& [p0, p1] : testing::parts_of(panels_f64(p.n), count)) {
        tile(g, m0, m1, p0, p1);
      }
    }
    CHECK(testing::same_bytes(c, parts));
  }
}

void check_dots_f64(Isa isa, size_t m, size_t k) {
  const ProductF64 p(m, 1, k);
  const size_t ld = 3;
  std::vector<double> c(m * ld, 7.0);
  DotsF64 d{.a = p.a.data(), .a_row = k, .w = p.b.data(), .k = k, .c = c.data(), .ldc = ld};
  const auto dots = gemm_f64_kernels(isa).dots;
  dots(d, 0, m);
  for (size_t i = 0; i < m; ++i) {
    long double sum = 7, size = 7;
    for (size_t l = 0; l < k; ++l) {
      const long double term = static_cast<long double>(p.a[i * k + l]) * p.b[l];
      sum += term;
      size += std::fabs(term);
    }
    CHECK(testing::is_within(c[i * ld], static_cast<double>(sum),
                             gemm_f64_error(k + 1) * static_cast<double>(size), DBL_MAX));
    CHECK(c[i * ld + 1] == 7.0 && c[i * ld + 2] == 7.0);
  }
  for (const size_t count : testing::kCuts) {
    std::vector<double> parts(c.size(), 7.0);
    d.c = parts.data();
    for (const auto& [m0, m1] : testing::parts_of(m, count)) dots(d, m0, m1);
    CHECK(testing::same_bytes(c, parts));
  }
}

// With B in doubles and in floats, transposed as rows of vectors are.
void check_squares_f64(Isa isa, size_t m, size_t n, size_t k) {
  testing::Random random(m * 131 + n * 17 + k);
  const std::vector<float> floats = random.floats(n * k);
  const std::vector<double> b(floats.begin(), floats.end());
  std::vector<double> a, c(m * n + 1, 7.0), others(m * n + 1, 7.0);
  for (const float v : random.floats(m * k)) a.push_back(v / 3.0);
  GemmF64 g{.a = a.data(), .a_row = k, .b = b.data(), .b_row = 1, .b_step = k, .c = c.data()};
  g.ldc = g.n = n;
  g.k = k;
  const auto squares = gemm_f64_kernels(isa).squares;
  squares(g, 0, m, 0, panels_f64(n));
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      long double sum = 0;
      for (size_t l = 0; l < k; ++l) {
        const long double less = static_cast<long double>(a[i * k + l]) - b[j * k + l];
        sum += less * less;
      }
      const auto exact = static_cast<double>(sum);
      CHECK(testing::is_within(c[i * n + j], exact,
                               gemm_f64_error(k + 2) * exact + exact * kRoundingF64, DBL_MAX));
    }
  }
  g.b = nullptr;
  g.b_floats = floats.data();
  g.c = others.data();
  for (const auto& [m0, m1] : testing::parts_of(m, 3)) {
    for (const auto& [p0, p1] : testing::parts_of(panels_f64(n), 2)) squares(g, m0, m1, p0, p1);
  }
  CHECK(testing::same_bytes(c, others));
}

TEST(gemm_f64_numerics, squared_differences_keep_the_bound_at_every_size) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t size = 1; size <= testing::kLargestSize; ++size) {
      check_squares_f64(isa, size, 19, 23);
      check_squares_f64(isa, 5, size, 21);
      check_squares_f64(isa, 3, 17, size);
    }
    check_squares_f64(isa, 9, 17, 515);
    check_squares_f64(isa, 1, 1, 0);
  }
}

TEST(gemm_f64_numerics, every_size_keeps_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t size = 1; size <= testing::kLargestSize; ++size) {
      for (int ways = 0; ways < 4; ++ways) {
        check_product_f64(isa, ProductF64(size, 19, 23), ways & 1, ways & 2);
        check_product_f64(isa, ProductF64(5, size, 21), ways & 1, ways & 2);
        check_product_f64(isa, ProductF64(3, 17, size), ways & 1, ways & 2);
        check_product_f64(isa, ProductF64(size, 5, 23), ways & 1, ways & 2);
        check_product_f64(isa, ProductF64(7, size, 3), ways & 1, ways & 2);
      }
    }
    check_product_f64(isa, ProductF64(9, 17, 515), false, true);
  }
}

TEST(gemm_f64_numerics, dots_keep_the_bound_at_every_size) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t size = 1; size <= testing::kLargestSize; ++size) {
      check_dots_f64(isa, size, 23);
      check_dots_f64(isa, 11, size);
    }
  }
}

TEST(gemm_f64_numerics, special_numbers_reach_their_row_or_column_and_no_other) {
  const double specials[] = {NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, DBL_MIN, 0x1p-1074};
  for (const Isa isa : testing::runnable_isas()) {
    for (const double special : specials) {
      ProductF64 p(11, 35, 13), q(11, 35, 13);
      p.a[4 * p.k + 6] = special;
      q.b[6 * q.n + 34] = special;
      check_product_f64(isa, p, false, false);
      check_product_f64(isa, q, false, false);
    }
    ProductF64 tiny(5, 17, 1);
    std::fill(tiny.a.begin(), tiny.a.end(), 0x1p-1074);
    std::fill(tiny.b.begin(), tiny.b.end(), 4.0);
    check_product_f64(isa, tiny, false, false);
  }
}

}  // namespace
}  // namespace ortc::cpu
