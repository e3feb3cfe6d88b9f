// SPDX-License-Identifier: MIT
// Reductions of f32 at every size from 1 to 67 in each dimension and with special numbers, within
// their bounds.
#include <cstring>

#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/elements/round_to_odd.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using Reductions = ReduceF32Kernels;
using testing::Random;

struct SumOfTerms {
  Reductions::Join<double> Reductions::*join;
  double (*term)(double);
};
const SumOfTerms kSumsOfTerms[] = {
    {&Reductions::sum, [](double x) { return x; }},
    {&Reductions::abs_sum, [](double x) { return std::fabs(x); }},
    {&Reductions::square_sum, [](double x) { return x * x; }},
};

bool is_near(double found, long double exact, long double slack) {
  return testing::is_within(found, static_cast<double>(exact), static_cast<double>(slack), DBL_MAX);
}

void check_reduced_rows(Isa isa, const std::vector<float>& x) {
  const Reductions& k = reduce_f32_kernels(isa);
  for (const SumOfTerms& row : kSumsOfTerms) {
    long double sum = 0, size = 0;
    for (const float v : x) {
      sum += row.term(v);
      size += std::fabs(row.term(v));
    }
    CHECK(is_near((k.*row.join).row(x.data(), x.size()), sum, reduce_f32_error(x.size()) * size));
    double joined = 0;
    (k.*row.join).rows(x.data(), x.size(), x.size(), &joined, 1);
    CHECK(is_near(joined, sum, reduce_f32_error(x.size()) * size));
  }
  long double product = 1;
  float most = -INFINITY, least = INFINITY;
  for (const float v : x) {
    product *= v;
    most = std::isnan(v) || v > most ? v : most;
    least = std::isnan(v) || v < least ? v : least;
    if (std::isnan(v)) break;
  }
  for (const float v : x) product += std::isnan(v) ? v : 0;
  CHECK(is_near(k.product.row(x.data(), x.size()), product,
                reduce_f32_error(x.size()) * std::fabs(product)));
  CHECK_WITHIN(k.largest.row(x.data(), x.size()), most, 0);
  CHECK_WITHIN(k.smallest.row(x.data(), x.size()), least, 0);
  float extreme = 0;
  k.largest.rows(x.data(), x.size(), x.size(), &extreme, 1);
  CHECK_WITHIN(extreme, most, 0);
  k.smallest.rows(x.data(), x.size(), x.size(), &extreme, 1);
  CHECK_WITHIN(extreme, least, 0);
}

// Rows one after the other with something between them, all at once and one by one.
TEST(reduce_f32_numerics, products_with_a_row_keep_the_bound_at_every_size) {
  for (const Isa isa : testing::runnable_isas()) {
    const auto dots = reduce_f32_kernels(isa).dots;
    for (size_t n = 0; n <= testing::kLargestSize; ++n) {
      for (const size_t rows : {1, 3, 4, 5, 9}) {
        const size_t stride = n + 3;
        const auto x = Random(n).floats(rows * stride, -1.5f, 1.5f);
        const auto y = Random(n + 1).floats(n, -1.5f, 1.5f);
        std::vector<double> sums(rows + 1, 7.0);
        dots(x.data(), stride, rows, y.data(), n, sums.data());
        CHECK_EQ(sums.back(), 7.0);
        for (size_t row = 0; row < rows; ++row) {
          long double sum = 0, size = 0;
          for (size_t i = 0; i < n; ++i) {
            const long double term = static_cast<long double>(x[row * stride + i]) * y[i];
            sum += term;
            size += std::fabs(term);
          }
          CHECK(is_near(sums[row], sum, reduce_f32_error(n) * size));
          double alone = 0;
          dots(x.data() + row * stride, stride, 1, y.data(), n, &alone);
          CHECK_EQ(alone, sums[row]);
        }
      }
    }
  }
}

TEST(reduce_f32_numerics, rows_of_every_length_keep_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    CHECK_EQ(reduce_f32_kernels(isa).sum.row(nullptr, 0), 0.0);
    CHECK_EQ(reduce_f32_kernels(isa).product.row(nullptr, 0), 1.0);
    for (size_t n = 1; n <= 3 * testing::kLargestSize; ++n) {
      std::vector<float> x = Random(n).floats(n, -1.5f, 1.5f);
      check_reduced_rows(isa, x);
      if (n > testing::kLargestSize) continue;
      for (const float special : testing::special_floats()) {
        x[(n * 5 + 3) % n] = special;
        check_reduced_rows(isa, x);
      }
    }
  }
}

// Columns of so many rows, with a gap from row to row, alone and as two blocks; a special number
// stays in its column.
void check_columns(Isa isa, size_t rows, size_t n, float special) {
  const size_t stride = n + 3, next = rows * stride;
  const Reductions& k = reduce_f32_kernels(isa);
  std::vector<float> x = Random(rows * 71 + n).floats(2 * next, -1.5f, 1.5f);
  x[rows / 2 * stride + n / 2] = special;
  x[next + rows / 2 * stride] = special;
  const double bound = reduce_f32_error(rows);
  const auto check = [&](const auto& join, auto start, auto nothing, auto term, double error) {
    using State = decltype(start);
    const auto compare = [&](const State* states, State exact_start, const float* block) {
      for (size_t i = 0; i < n; ++i) {
        State exact = exact_start;
        double size = 0;
        for (size_t row = 0; row < rows; ++row) {
          exact = term(exact, block[row * stride + i]);
          size += std::fabs(static_cast<double>(exact));
        }
        CHECK(is_near(states[i], exact, error * size));
      }
    };
    std::vector<State> states(n + 1, start);
    join.columns(x.data(), stride, rows, states.data(), n);
    CHECK_EQ(states[n], start);
    compare(states.data(), start, x.data());
    states.assign(2 * n + 1, nothing);
    join.blocks(x.data(), {2, next}, stride, rows, states.data(), n);
    CHECK_EQ(states[2 * n], nothing);
    for (const size_t block : {0, 1}) compare(&states[block * n], nothing, &x[block * next]);
  };
  check(
      k.sum, 0.5, 0.0, [](double s, float v) { return s + v; }, bound);
  check(
      k.abs_sum, 0.5, 0.0, [](double s, float v) { return s + std::fabs(v); }, bound);
  check(
      k.square_sum, 0.5, 0.0, [](double s, double v) { return s + v * v; }, bound);
  check(
      k.product, 1.5, 1.0, [](double s, float v) { return s * v; }, bound);
  check(
      k.largest, 0.25f, -INFINITY,
      [](float s, float v) { return std::isnan(s) || std::isnan(v) ? NAN : std::max(s, v); }, 0);
  check(
      k.smallest, 0.25f, INFINITY,
      [](float s, float v) { return std::isnan(s) || std::isnan(v) ? NAN : std::min(s, v); }, 0);
}

TEST(reduce_f32_numerics, columns_of_every_number_and_length_keep_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t size = 1; size <= testing::kLargestSize; ++size) {
      check_columns(isa, size, 1, 0.5f);
      check_columns(isa, size, 37, 0.5f);
      check_columns(isa, 5, size, 0.5f);
    }
    for (const float special : testing::special_floats()) {
      check_columns(isa, 7, 1, special);
      check_columns(isa, 7, 45, special);
      check_columns(isa, 19, 45, special);
    }
  }
}

TEST(reduce_f32_numerics, standard_scores_are_rounded_once) {
  for (const Isa isa : testing::runnable_isas()) {
    const Reductions& k = reduce_f32_kernels(isa);
    for (size_t n = 1; n <= 3 * testing::kLargestSize; ++n) {
      std::vector<float> x = Random(n).floats(n, -3, 40), y(n + 1, 7.0f);
      const float special = testing::special_floats()[n % testing::special_floats().size()];
      x[n / 2] = special;
      long double squares = 0;
      for (const float v : x) squares += (v - 17.3) * (v - 17.3);
      CHECK(is_near(k.squares_from(x.data(), 17.3, n), squares, reduce_f32_error(n) * squares));
      k.standardise(x.data(), 17.3, 0.37, y.data(), n);
      for (size_t i = 0; i < n; ++i) CHECK_ULP(y[i], (x[i] - 17.3) * 0.37, 0.5 + 1e-6);
      CHECK_EQ(y[n], 7.0f);
    }
  }
}

TEST(reduce_f32_numerics, columns_have_means_of_their_own) {
  for (const Isa isa : testing::runnable_isas()) {
    const ReduceF32Kernels& k = reduce_f32_kernels(isa);
    for (size_t n = 1; n <= testing::kLargestSize; ++n) {
      std::vector<float> x = Random(n).floats(n, -30, 40), y(n + 1, 7.0f);
      x[n / 2] = testing::special_floats()[n % testing::special_floats().size()];
      std::vector<double> means(n), states(n);
      for (size_t i = 0; i < n; ++i) means[i] = 17.3 - static_cast<double>(i), states[i] = 0.5;
      k.add_squares_from(x.data(), means.data(), states.data(), n);
      for (size_t i = 0; i < n; ++i) {
        const double distance = static_cast<double>(x[i]) - means[i];
        const double sum = 0.5 + distance * distance;
        CHECK(is_near(states[i], sum, reduce_f32_error(2) * sum));
      }
      k.standardise_each(x.data(), means.data(), states.data(), y.data(), n);
      for (size_t i = 0; i < n; ++i) {
        CHECK_ULP(y[i], (static_cast<double>(x[i]) - means[i]) * states[i], 0.5 + 1e-6);
      }
      CHECK_EQ(y[n], 7.0f);
    }
  }
}

TEST(reduce_f32_numerics, rows_are_scaled_by_factors_of_their_own) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t n = 8; n <= testing::kLargestSize; ++n) {
      const size_t rows = n % 7 + 1;
      std::vector<float> x = Random(n).floats(n * rows, -30, 40), y(n * rows + 1, 7.0f);
      x[n / 2] = testing::special_floats()[n % testing::special_floats().size()];
      std::vector<double> factors(rows);
      for (size_t row = 0; row < rows; ++row) factors[row] = 0.37 - static_cast<double>(row);
      reduce_f32_kernels(isa).scale_rows(x.data(), factors.data(), n, y.data(), rows);
      for (size_t i = 0; i < x.size(); ++i) CHECK_ULP(y[i], x[i] * factors[i / n], 0.5 + 1e-6);
      CHECK_EQ(y.back(), 7.0f);
      y.pop_back();
      reduce_f32_kernels(isa).scale_rows(x.data(), factors.data(), n, x.data(), rows);
      CHECK(std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0);
    }
  }
}

TEST(reduce_f32_numerics, sums_are_inverted_in_double) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t n = 1; n <= testing::kLargestSize; ++n) {
      for (const bool takes_roots : {false, true}) {
        for (const double floor : {0.0, 1e-9}) {
          const std::vector<float> x = Random(n).floats(n, 0, 40);
          std::vector<double> sums(x.begin(), x.end());
          sums[n / 2] = n % 3 == 0 ? 0 : n % 3 == 1 ? double{INFINITY} : 1e70;
          sums.push_back(7.0);
          const std::vector<double> given(sums);
          reduce_f32_kernels(isa).invert(sums.data(), 0.25, takes_roots, floor, n);
          for (size_t i = 0; i < n; ++i) {
            const double share = given[i] * 0.25;
            const double divisor = (takes_roots ? std::sqrt(share) : share) + floor;
            const double exact = divisor == 0 ? 0 : 1 / divisor;
            CHECK_NEAR(sums[i], exact, 1e-15, 0);
          }
          CHECK_EQ(sums[n], 7.0);
        }
      }
    }
  }
}

TEST(reduce_f32_numerics, states_are_scaled_in_double_and_rounded_to_nearest_or_to_odd) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t n = 1; n <= testing::kLargestSize; ++n) {
      for (const double factor : {1.0, 1 / 3.0, 0x1p-7}) {
        const std::vector<float> x = Random(n).floats(n, -30, 40);
        std::vector<double> states(x.begin(), x.end());
        for (size_t i = 0; i < n; ++i) states[i] *= i % 3 == 0 ? 1 : 1.000000003;
        states[n / 2] = testing::special_floats()[n % testing::special_floats().size()];
        std::vector<float> y(n + 1, 7.0f), odd(n + 1, 7.0f);
        reduce_f32_kernels(isa).narrow(states.data(), factor, y.data(), n);
        reduce_f32_kernels(isa).narrow_to_odd(states.data(), factor, odd.data(), n);
        for (size_t i = 0; i < n; ++i) {
          CHECK_ULP(y[i], states[i] * factor, 0.5);
          const double exact = states[i] * factor;
          if (std::fabs(exact) >= 0x1p-126 && std::fabs(exact) <= FLT_MAX) {
            CHECK_EQ(odd[i], odd_float(exact));
          } else {
            CHECK(std::isnan(exact) ? std::isnan(odd[i]) : odd[i] == static_cast<float>(exact));
          }
        }
        CHECK_EQ(y[n], 7.0f);
        CHECK_EQ(odd[n], 7.0f);
      }
    }
  }
}

TEST(reduce_f32_numerics, running_sums_pass_special_numbers_on) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t n = 1; n <= testing::kLargestSize; ++n) {
      for (const bool exclusive : {false, true}) {
        std::vector<float> x = Random(n).floats(n), y(n + 1, 7.0f);
        x[n / 2] = testing::special_floats()[n % testing::special_floats().size()];
        std::vector<double> sums(n + 1, 0.125);
        reduce_f32_kernels(isa).running_sum(x.data(), 0, 1, sums.data(), y.data(), n, exclusive);
        for (size_t i = 0; i < n; ++i) {
          const double next = 0.125 + static_cast<double>(x[i]);
          CHECK(is_near(sums[i], next, 0));
          CHECK_ULP(y[i], exclusive ? 0.125 : next, 0.5);
        }
        CHECK_EQ(y[n], 7.0f);
        CHECK_EQ(sums[n], 0.125);
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
