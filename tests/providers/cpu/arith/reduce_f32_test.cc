// SPDX-License-Identifier: MIT
// Reductions of f32 rows against plain loops in double precision, for all sizes up to some vectors.
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"

#include <functional>

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using K = ReduceF32Kernels;

struct Sums {
  K::Join<double> K::*join;
  double start;
  std::function<double(double, double)> exact;
};

const Sums kSums[] = {
    {&K::sum, 0, [](double a, double x) { return a + x; }},
    {&K::abs_sum, 0, [](double a, double x) { return a + std::fabs(x); }},
    {&K::square_sum, 0, [](double a, double x) { return a + x * x; }},
    {&K::product, 1, [](double a, double x) { return a * x; }},
};

TEST(reduce_f32, sums_are_exact_to_double_for_every_size) {
  const std::vector<float> x = testing::Random(3).floats(300, 0.5f, 1.5f);
  for (Isa isa : testing::runnable_isas()) {
    const K& k = reduce_f32_kernels(isa);
    for (const Sums& sums : kSums) {
      for (size_t n = 0; n <= x.size(); n += n < 140 ? 1 : 37) {
        double exact = sums.start;
        for (size_t i = 0; i < n; ++i) exact = sums.exact(exact, static_cast<double>(x[i]));
        CHECK_NEAR((k.*sums.join).row(x.data(), n), exact, 1e-13, 0);
        std::vector<double> states(n + 1, 1.25);
        (k.*sums.join).each(x.data(), states.data(), n);
        for (size_t i = 0; i < n; ++i) {
          CHECK_EQ(states[i], sums.exact(1.25, static_cast<double>(x[i])));
        }
        CHECK_EQ(states[n], 1.25);
      }
    }
  }
}

TEST(reduce_f32, the_largest_and_the_smallest_are_found_wherever_they_stand) {
  for (Isa isa : testing::runnable_isas()) {
    const K& k = reduce_f32_kernels(isa);
    CHECK_EQ(k.largest.row(nullptr, 0), -INFINITY);
    CHECK_EQ(k.smallest.row(nullptr, 0), INFINITY);
    for (size_t n = 1; n <= 140; ++n) {
      for (size_t place = 0; place < n; place += 1 + n / 9) {
        std::vector<float> x = testing::Random(n).floats(n);
        x[place] = 7;
        CHECK_EQ(k.largest.row(x.data(), n), 7.0f);
        x[place] = -INFINITY;
        CHECK_EQ(k.smallest.row(x.data(), n), -INFINITY);
        x[place] = NAN;
        CHECK(std::isnan(k.largest.row(x.data(), n)));
        CHECK(std::isnan(k.smallest.row(x.data(), n)));
        std::vector<float> states(n, 0.0f);
        k.largest.each(x.data(), states.data(), n);
        for (size_t i = 0; i < n; ++i) {
          CHECK(i == place ? std::isnan(states[i]) : states[i] == std::max(x[i], 0.0f));
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu

ORTC_TEST_MAIN()
