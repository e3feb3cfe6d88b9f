// SPDX-License-Identifier: MIT
// f64 products against plain loops, for odd sizes and both ways of either operand.
#include "providers/cpu/arith/gemm_f64/gemm_f64.h"

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/providers/cpu/arith/gemm_f64_panels.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using testing::panels_f64;

std::vector<double> doubles(size_t n, uint64_t seed) {
  const std::vector<float> floats = testing::Random(seed).floats(n);
  return {floats.begin(), floats.end()};
}

void check_odd_product(Isa isa, size_t m, size_t n, size_t k, bool trans_a, bool trans_b) {
  const std::vector<double> a = doubles(m * k, 1), b = doubles(k * n, 2);
  std::vector<double> whole(m * n, NAN), parts(m * n, NAN);
  GemmF64 g;
  g.a = a.data();
  g.a_row = trans_a ? 1 : k;
  g.a_step = trans_a ? m : 1;
  g.b = b.data();
  g.b_row = trans_b ? 1 : n;
  g.b_step = trans_b ? k : 1;
  g.c = whole.data();
  g.ldc = g.n = n;
  g.k = k;
  g.alpha = 0.5;
  const auto tile = gemm_f64_kernels(isa).tile;
  tile(g, 0, m, 0, panels_f64(n));
  g.c = parts.data();
  for (size_t i = 0; i < m; i += 5) {
    for (size_t p = 0; p < panels_f64(n); ++p) tile(g, i, std::min(m, i + 5), p, p + 1);
  }
  CHECK(std::memcmp(whole.data(), parts.data(), m * n * sizeof(double)) == 0);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      double exact = 0, size = 0;
      for (size_t l = 0; l < k; ++l) {
        const double part = a[i * g.a_row + l * g.a_step] * b[l * g.b_row + j * g.b_step];
        exact += part;
        size += std::fabs(part);
      }
      CHECK_NEAR(whole[i * n + j], 0.5 * exact, 0, 1e-15 * static_cast<double>(k + 1) * (size + 1));
    }
  }
}

// Floats of B come to the same bits as those numbers in double, whichever way they lie.
TEST(gemm_f64, floats_are_the_doubles_that_they_stand_for) {
  for (Isa isa : testing::runnable_isas()) {
    const GemmF64Kernels& kernels = gemm_f64_kernels(isa);
    for (size_t n : {1, 15, 16, 17, 40}) {
      for (size_t k : {0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 50, 256, 270}) {
        const std::vector<double> a = doubles(5 * k, 1);
        const std::vector<float> floats = testing::Random(2).floats(k * n);
        const std::vector<double> b(floats.begin(), floats.end());
        for (const bool is_turned : {false, true}) {
          GemmF64 g{.a = a.data(), .a_row = k, .b = b.data()};
          g.b_row = is_turned ? 1 : n;
          g.b_step = is_turned ? k : 1;
          g.ldc = g.n = n;
          g.k = k;
          for (const auto function : {kernels.tile, kernels.squares}) {
            std::vector<double> expected(5 * n), found(5 * n);
            g.b_floats = nullptr;
            g.c = expected.data();
            function(g, 0, 5, 0, panels_f64(n));
            g.b_floats = floats.data();
            g.c = found.data();
            function(g, 0, 5, 0, panels_f64(n));
            CHECK(found == expected);
          }
        }
      }
    }
  }
}

TEST(gemm_f64, agrees_with_plain_loops_for_odd_sizes) {
  for (Isa isa : testing::runnable_isas()) {
    for (size_t m : {1, 2, 7, 8, 9, 11, 12, 13, 23, 25, 37}) {
      for (size_t n : {1, 4, 8, 9, 15, 16, 17, 23, 67}) {
        for (size_t k : {0, 1, 2, 8, 9, 31, 33, 256, 257, 512, 600}) {
          for (int ways = 0; ways < 4; ++ways) check_odd_product(isa, m, n, k, ways & 1, ways & 2);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
