// SPDX-License-Identifier: MIT
// Running sums against plain loops, of floats in double precision.
#include <cmath>
#include <type_traits>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

TEST(cum_sum, many_rows_are_summed_from_either_end) {
  Random random(31);
  for (const int64_t size : {1, 4, 70}) {
    const Tensor x = random.floats({3000, size});
    for (int form = 0; form < 4; ++form) {
      const bool exclusive = form & 1, reverse = form & 2;
      const Op op{
          "CumSum",
          14,
          {Attribute::of_int("exclusive", exclusive), Attribute::of_int("reverse", reverse)}};
      const Tensor y = run_one(op, {x, Tensor::scalar<int64_t>(1)});
      for (int64_t row = 0; row < 3000; ++row) {
        double sum = 0;
        for (int64_t i = 0; i < size; ++i) {
          const auto at = size_t(row * size + (reverse ? size - 1 - i : i));
          const double next = sum + double{x.elements<float>()[at]};
          CHECK_EQ(y.elements<float>()[at], static_cast<float>(exclusive ? sum : next));
          sum = next;
        }
      }
    }
  }
}

// Rows of every length: random, with few different numbers, ever more extreme, with a NaN.
TEST(cum_sum, runs_along_any_axis_both_ways) {
  const Tensor x = tensor<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(holds<int32_t>(run_one({"CumSum"}, {x, Tensor::scalar<int32_t>(1)}), {2, 3},
                       {1, 3, 6, 4, 9, 15}));
  const Op op{"CumSum", 14, {Attribute::of_int("exclusive", 1), Attribute::of_int("reverse", 1)}};
  CHECK(holds<int32_t>(run_one(op, {x, Tensor::scalar<int64_t>(-2)}), {2, 3}, {4, 5, 6, 0, 0, 0}));
}

template <typename T>
void check_integer_sums(int64_t size, int64_t columns) {
  using U = std::make_unsigned_t<T>;
  std::vector<T> x;
  for (int64_t i = 0; i < 2 * size * columns; ++i) {
    x.push_back(static_cast<T>(static_cast<U>(i * 37) * U{0x9E3779B9}));
  }
  const Tensor input = Tensor::from<T>({2, size, columns}, x);
  for (int form = 0; form < 4; ++form) {
    const bool exclusive = form & 1, reverse = form & 2;
    const Op op{"CumSum",
                14,
                {Attribute::of_int("exclusive", exclusive), Attribute::of_int("reverse", reverse)}};
    const Tensor y = run_one(op, {input, Tensor::scalar<int64_t>(1)});
    for (int64_t c = 0; c < 2 * columns; ++c) {
      U sum = 0;
      for (int64_t i = 0; i < size; ++i) {
        const int64_t row = c / columns * size + (reverse ? size - 1 - i : i);
        const auto at = static_cast<size_t>(row * columns + c % columns);
        const U next = sum + static_cast<U>(x[at]);
        CHECK_EQ(static_cast<U>(y.elements<T>()[at]), exclusive ? sum : next);
        sum = next;
      }
    }
  }
}

TEST(cum_sum, of_integers_wraps_around_for_any_number_of_columns) {
  for (const int64_t columns : {1, 2, 7, 8, 9, 33, 67, 1500}) {
    for (const int64_t size : {1, 2, 5, 67}) {
      check_integer_sums<int32_t>(size, columns);
      check_integer_sums<uint32_t>(size, columns);
      check_integer_sums<int64_t>(size, columns);
      check_integer_sums<uint64_t>(size, columns);
    }
  }
}

TEST(cum_sum, of_floats_is_kept_in_double_for_any_number_of_columns) {
  for (const int64_t columns : {1, 2, 7, 33, 300}) {
    std::vector<float> x;
    for (int64_t i = 0; i < 5 * columns; ++i) x.push_back(i == 0 ? 1e8f : 0.3f * float(i % 17));
    for (const int64_t exclusive : {0, 1}) {
      for (const int64_t reverse : {0, 1}) {
        const Op op{
            "CumSum",
            14,
            {Attribute::of_int("exclusive", exclusive), Attribute::of_int("reverse", reverse)}};
        const Tensor y =
            run_one(op, {Tensor::from<float>({5, columns}, x), Tensor::scalar<int64_t>(0)});
        for (int64_t c = 0; c < columns; ++c) {
          double sum = 0;
          for (int64_t step = 0; step < 5; ++step) {
            const auto at = static_cast<size_t>((reverse != 0 ? 4 - step : step) * columns + c);
            const double next = sum + static_cast<double>(x[at]);
            CHECK_EQ(y.elements<float>()[at], static_cast<float>(exclusive != 0 ? sum : next));
            sum = next;
          }
        }
      }
    }
  }
}

// Rows, and columns of every number, of all types; integers wrap around.
template <typename T>
void check_running_sums(int64_t rows, int64_t columns, int64_t axis) {
  Random random(static_cast<uint32_t>(rows * 71 + columns));
  std::vector<T> x(static_cast<size_t>(rows * columns));
  for (T& v : x) {
    v = std::is_integral_v<T>
            ? static_cast<T>(static_cast<uint64_t>(random.between(0, INT64_MAX)) * 3)
            : static_cast<T>(random.number());
  }
  const int64_t size = axis == 0 ? rows : columns, step = axis == 0 ? columns : 1;
  for (int form = 0; form < 4; ++form) {
    const bool exclusive = form & 1, reverse = form & 2;
    const Op op{"CumSum",
                14,
                {Attribute::of_int("exclusive", exclusive), Attribute::of_int("reverse", reverse)}};
    const Tensor y =
        run_one(op, {Tensor::from<T>({rows, columns}, x), Tensor::scalar<int64_t>(axis)});
    for (int64_t lane = 0; lane < rows * columns / size; ++lane) {
      std::conditional_t<std::is_integral_v<T>, uint64_t, double> sum = 0;
      for (int64_t i = 0; i < size; ++i) {
        const int64_t first = axis == 0 ? lane : lane * columns;
        const auto at = size_t(first + (reverse ? size - 1 - i : i) * step);
        const auto next = static_cast<decltype(sum)>(sum + static_cast<decltype(sum)>(x[at]));
        CHECK_EQ(y.elements<T>()[at], static_cast<T>(exclusive ? sum : next));
        sum = next;
      }
    }
  }
}

TEST(cum_sum, of_every_type_agrees_with_plain_loops) {
  const auto check = [](int64_t rows, int64_t columns, int64_t axis) {
    check_running_sums<float>(rows, columns, axis);
    check_running_sums<double>(rows, columns, axis);
    check_running_sums<int32_t>(rows, columns, axis);
    check_running_sums<int64_t>(rows, columns, axis);
    check_running_sums<uint32_t>(rows, columns, axis);
    check_running_sums<uint64_t>(rows, columns, axis);
  };
  for (int64_t n = 1; n <= 67; ++n) {
    check(7, n, 0);
    check(n, 19, 0);
    check(5, n, 1);
  }
  check(40, 1500, 0);
  check(1500, 40, 1);
}

}  // namespace
}  // namespace ortc::test
