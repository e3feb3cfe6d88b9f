// SPDX-License-Identifier: MIT
// Reductions of f32 rows against plain loops in double precision, for all sizes up to some vectors.
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"

#include <functional>

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using Reductions = ReduceF32Kernels;

struct Sums {
  Reductions::Join<double> Reductions::*join;
  double start;
  std::function<double(double, double)> exact;
};

const Sums kSums[] = {
    {&Reductions::sum, 0, [](double a, double x) { return a + x; }},
    {&Reductions::abs_sum, 0, [](double a, double x) { return a + std::fabs(x); }},
    {&Reductions::square_sum, 0, [](double a, double x) { return a + x * x; }},
    {&Reductions::product, 1, [](double a, double x) { return a * x; }},
};

TEST(reduce_f32, sums_are_exact_to_double_for_every_size) {
  const std::vector<float> x = testing::Random(3).floats(300, 0.5f, 1.5f);
  for (Isa isa : testing::runnable_isas()) {
    const Reductions& k = reduce_f32_kernels(isa);
    for (const Sums& sums : kSums) {
      for (size_t n = 0; n <= x.size(); n += n < 140 ? 1 : 37) {
        double exact = sums.start;
        for (size_t i = 0; i < n; ++i) exact = sums.exact(exact, static_cast<double>(x[i]));
        CHECK_NEAR((k.*sums.join).row(x.data(), n), exact, 1e-13, 0);
        std::vector<double> states(n + 1, 1.25);
        // Rows that begin one element after another.
        const size_t rows = n < x.size() - 3 ? 3 : 1;
        (k.*sums.join).columns(x.data(), 1, rows, states.data(), n);
        for (size_t i = 0; i < n; ++i) {
          double expected = 1.25;
          for (size_t row = 0; row < rows; ++row) {
            expected = sums.exact(expected, static_cast<double>(x[i + row]));
          }
          CHECK_EQ(states[i], expected);
        }
        CHECK_EQ(states[n], 1.25);
      }
    }
  }
}

// Rows that lie apart, close together and in one another.
TEST(reduce_f32, many_rows_are_joined_to_the_bits_of_each) {
  std::vector<float> x = testing::Random(5).floats(4000);
  const auto check = [&](const auto& join, size_t n, size_t stride, size_t count) {
    std::vector<std::decay_t<decltype(join.row(nullptr, 0))>> joined(count + 1, 1.25f);
    join.rows(x.data(), stride, n, joined.data(), count);
    CHECK_EQ(joined[count], 1.25f);
    for (size_t i = 0; i < count; ++i) {
      const auto each = join.row(x.data() + i * stride, n);
      CHECK(std::isnan(each) ? std::isnan(joined[i]) : joined[i] == each);
    }
  };
  for (const bool has_nan : {false, true}) {
    if (has_nan) x[100] = x[2011] = NAN;
    for (Isa isa : testing::runnable_isas()) {
      const Reductions& k = reduce_f32_kernels(isa);
      for (size_t n = 0; n <= 200; n += n < 70 ? 1 : 13) {
        for (const size_t stride : {n, n + 3, size_t{1}}) {
          for (const size_t count :
               {size_t{1}, size_t{2}, size_t{33}, 3900 / std::max(stride, n + 1)}) {
            if (count > 3900 / std::max(stride, n + 1)) continue;
            for (const Sums& sums : kSums) check(k.*sums.join, n, stride, count);
            check(k.largest, n, stride, count);
            check(k.smallest, n, stride, count);
          }
        }
      }
    }
  }
}

TEST(reduce_f32, blocks_of_columns_are_joined_to_the_bits_of_each) {
  std::vector<float> x = testing::Random(7).floats(4000, -0.5f, 1.5f);
  const auto check = [&](const auto& join, auto start, size_t n, size_t rows) {
    constexpr size_t kBlocks = 5;
    const size_t stride = n + 2, next = rows * stride + 1;
    std::vector<decltype(start)> states(kBlocks * n + 1, start), each(n);
    join.blocks(x.data(), {kBlocks, next}, stride, rows, states.data(), n);
    CHECK_EQ(states.back(), start);
    for (size_t block = 0; block < kBlocks; ++block) {
      std::fill(each.begin(), each.end(), start);
      join.columns(x.data() + block * next, stride, rows, each.data(), n);
      for (size_t i = 0; i < n; ++i) {
        const auto found = states[block * n + i];
        CHECK(std::isnan(each[i]) ? std::isnan(found) : found == each[i]);
      }
    }
  };
  for (const bool has_nan : {false, true}) {
    if (has_nan) x[30] = x[95] = NAN;
    for (Isa isa : testing::runnable_isas()) {
      const Reductions& k = reduce_f32_kernels(isa);
      for (size_t n = 1; n <= 67; ++n) {
        for (const size_t rows : {size_t{0}, size_t{1}, size_t{2}, size_t{5}, size_t{9}}) {
          for (const Sums& sums : kSums) check(k.*sums.join, sums.start, n, rows);
          check(k.largest, -INFINITY, n, rows);
          check(k.smallest, INFINITY, n, rows);
        }
      }
    }
  }
}

TEST(reduce_f32, sums_of_negative_zeros_are_zero_at_every_size) {
  const std::vector<float> x(9 * 200, -0.0f);
  for (Isa isa : testing::runnable_isas()) {
    const auto& sum = reduce_f32_kernels(isa).sum;
    for (size_t n = 0; n <= 200; ++n) {
      double joined[9];
      sum.rows(x.data(), n, n, joined, 9);
      for (const double found : joined) CHECK(found == 0 && !std::signbit(found));
      CHECK(!std::signbit(sum.row(x.data(), n)));
    }
  }
}

// A row has the same bits whatever stands in its neighbours, which other threads may have.
TEST(reduce_f32, which_zero_is_largest_does_not_depend_on_other_rows) {
  for (Isa isa : testing::runnable_isas()) {
    for (const auto& join : {reduce_f32_kernels(isa).largest, reduce_f32_kernels(isa).smallest}) {
      for (size_t n = 1; n <= 70; ++n) {
        constexpr size_t kRows = 40;
        std::vector<float> x;
        for (size_t i = 0; i < kRows * n; ++i) x.push_back(i * 7919 % 13 < 6 ? 0.0f : -0.0f);
        std::vector<float> all(kRows), beside_nan(kRows);
        join.rows(x.data(), n, n, all.data(), kRows);
        x[5 * n] = NAN;
        join.rows(x.data(), n, n, beside_nan.data(), kRows);
        CHECK(std::isnan(beside_nan[5]));
        for (size_t row = 0; row < kRows; ++row) {
          if (row != 5) CHECK_EQ(std::signbit(all[row]), std::signbit(beside_nan[row]));
          if (row != 5) CHECK_EQ(beside_nan[row], 0.0f);
        }
      }
    }
  }
}

TEST(reduce_f32, the_largest_and_the_smallest_are_found_wherever_they_stand) {
  for (Isa isa : testing::runnable_isas()) {
    const Reductions& k = reduce_f32_kernels(isa);
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
        k.largest.columns(x.data(), n, 1, states.data(), n);
        for (size_t i = 0; i < n; ++i) {
          CHECK(i == place ? std::isnan(states[i]) : states[i] == std::max(x[i], 0.0f));
        }
      }
    }
  }
}

TEST(reduce_f32, distances_from_a_mean_are_exact_to_double_for_every_size) {
  const std::vector<float> x = testing::Random(5).floats(200, -3.0f, 40.0f);
  for (Isa isa : testing::runnable_isas()) {
    const Reductions& k = reduce_f32_kernels(isa);
    for (size_t n = 0; n <= x.size(); ++n) {
      double exact = 0;
      for (size_t i = 0; i < n; ++i) exact += (x[i] - 17.3) * (x[i] - 17.3);
      CHECK_NEAR(k.squares_from(x.data(), 17.3, n), exact, 1e-13, 0);
      std::vector<float> y(x), apart(n + 1, 5.0f);
      k.standardise(x.data(), 17.3, 0.37, apart.data(), n);
      k.standardise(y.data(), 17.3, 0.37, y.data(), n);
      for (size_t i = 0; i < n; ++i) {
        CHECK_EQ(y[i], static_cast<float>((x[i] - 17.3) * 0.37));
        CHECK_EQ(y[i], apart[i]);
      }
      CHECK_EQ(apart[n], 5.0f);
    }
  }
}

TEST(reduce_f32, running_sums_are_kept_in_double) {
  for (Isa isa : testing::runnable_isas()) {
    const Reductions& k = reduce_f32_kernels(isa);
    for (size_t n = 0; n < 70; ++n) {
      for (size_t rows = 0; rows <= 9; rows += 1 + rows / 5) {
        for (const bool exclusive : {false, true}) {
          for (const bool backwards : {false, true}) {
            const size_t pitch = n + 3;
            const std::vector<float> x = testing::Random(n + rows).floats((rows + 1) * pitch);
            std::vector<double> sums(n + 1, 1e9), exact(n + 1, 1e9);
            std::vector<float> y(x.size(), 7.0f), wanted(y);
            for (size_t step = 0; step < rows; ++step) {
              const size_t row = backwards ? rows - 1 - step : step;
              for (size_t i = 0; i < n; ++i) {
                const double next = exact[i] + static_cast<double>(x[row * pitch + i]);
                wanted[row * pitch + i] = static_cast<float>(exclusive ? exact[i] : next);
                exact[i] = next;
              }
            }
            const size_t first = backwards && rows > 0 ? (rows - 1) * pitch : 0;
            const auto stride = static_cast<ptrdiff_t>(pitch);
            k.running_sum(x.data() + first, backwards ? -stride : stride, rows, sums.data(),
                          y.data() + first, n, exclusive);
            CHECK(y == wanted);
            CHECK(sums == exact);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
