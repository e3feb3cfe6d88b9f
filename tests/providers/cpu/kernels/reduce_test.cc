// SPDX-License-Identifier: MIT
// Reductions, arg reductions, top-k and running sums against loops in double precision.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/providers/cpu/kernels/half_tensors.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

using cpu::testing::narrowed;
using cpu::testing::widened;

using Fold = double (*)(const std::vector<double>&);

double sum(const std::vector<double>& x) {
  double total = 0;
  for (const double v : x) total += v;
  return total;
}

Tensor as_given(const Tensor& floats, DType dtype) {
  if (dtype == DType::kFloat16) return narrowed<cpu::Float16>(floats);
  return dtype == DType::kBfloat16 ? narrowed<cpu::Bfloat16>(floats) : floats;
}
Tensor as_floats(const Tensor& given) {
  if (given.dtype() == DType::kFloat16) return widened<cpu::Float16>(given);
  return given.dtype() == DType::kBfloat16 ? widened<cpu::Bfloat16>(given) : given;
}
// What rounding the result takes.
double rtol_of(DType dtype) {
  return dtype == DType::kFloat16 ? 0x1p-10 : dtype == DType::kBfloat16 ? 0x1p-7 : 2e-6;
}

// Every output element against the fold of the inputs that belong to it.
void check_reduce(const std::string& op, Fold fold, const Dims& dims, unsigned axes, double atol,
                  DType dtype = DType::kFloat32) {
  Random random(21);
  const Tensor given_x = as_given(random.floats(dims), dtype), x = as_floats(given_x);
  std::vector<int64_t> given;
  Dims kept = dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    if ((axes >> d & 1) == 0) continue;
    given.push_back(static_cast<int64_t>(d));
    kept[d] = 1;
  }
  const Tensor y = as_floats(run_one(
      {op, 18}, {given_x, Tensor::from<int64_t>({static_cast<int64_t>(given.size())}, given)}));
  CHECK_EQ(y.dims(), kept);
  std::vector<std::vector<double>> parts(static_cast<size_t>(y.element_count()));
  for (int64_t i = 0; i < x.element_count(); ++i) {
    parts[static_cast<size_t>(index_at(coordinates(i, dims), kept))].push_back(
        x.elements<float>()[static_cast<size_t>(i)]);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    CHECK_NEAR(y.elements<float>()[i], fold(parts[i]), rtol_of(dtype), atol);
  }
}

std::vector<std::pair<const char*, Fold>> folds() {
  return {{"ReduceSum", sum},
          {"ReduceMean", [](const std::vector<double>& x) { return sum(x) / double(x.size()); }},
          {"ReduceMax", [](const std::vector<double>& x) { return *std::ranges::max_element(x); }},
          {"ReduceMin", [](const std::vector<double>& x) { return *std::ranges::min_element(x); }},
          {"ReduceL1",
           [](const std::vector<double>& x) {
             double total = 0;
             for (const double v : x) total += std::fabs(v);
             return total;
           }},
          {"ReduceL2",
           [](const std::vector<double>& x) {
             double total = 0;
             for (const double v : x) total += v * v;
             return std::sqrt(total);
           }},
          {"ReduceLogSumExp", [](const std::vector<double>& x) {
             double total = 0;
             for (const double v : x) total += std::exp(v);
             return std::log(total);
           }}};
}

TEST(reduce, agrees_with_loops_for_any_axes) {
  for (const auto& [op, fold] : folds()) {
    if (std::string_view(op) == "ReduceSum") {
      check_reduce("ReduceSum", fold, {3, 5, 400}, 7, 1e-4);  // sums near zero
    }
    for (unsigned axes = 1; axes < 16; ++axes) {
      check_reduce(op, fold, {3, 7, 5, 40}, axes, 1e-5);
      check_reduce(op, fold, {2, 1, 300, 3}, axes, 1e-5);
    }
    for (int64_t n = 1; n <= 67; ++n) {  // narrow columns
      check_reduce(op, fold, {23, 5, n}, 2, 1e-5);
      check_reduce(op, fold, {23, n, 7}, 2, 1e-5);
    }
    check_reduce(op, fold, {1500, 5, 4}, 2, 1e-5);
    check_reduce(op, fold, {500, 4, 3, 2, 4}, 10, 1e-5);
    for (const int64_t n : {1, 2, 3, 4, 7, 8, 12, 16, 20, 31, 32, 33}) {  // short rows
      check_reduce(op, fold, {3, 350, n}, 4, 1e-5);
      check_reduce(op, fold, {5, 4, 3, n}, 10, 1e-5);
      check_reduce(op, fold, {4, 1300, n}, 4, 1e-5);
    }
    for (const int64_t n : {2, 3, 5, 16, 17}) {  // short rows on each line
      check_reduce(op, fold, {7, 3, n}, 5, 1e-5);
      check_reduce(op, fold, {2, 600, n}, 5, 1e-5);
    }
    check_reduce(op, fold, {150, 12, 4}, 5, 1e-5);
    check_reduce(op, fold, {700, 33}, 1, 1e-5);
    check_reduce(op, fold, {33, 700}, 2, 1e-5);
    check_reduce(op, fold, {70, 1999}, 1, 1e-5);
    check_reduce(op, fold, {3, 90, 300}, 2, 1e-5);
  }
}

TEST(reduce, of_halves_agrees_with_loops_for_rows_and_columns_of_any_length) {
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16}) {
    for (const auto& [op, fold] : folds()) {
      for (int64_t n = 1; n <= 67; ++n) {
        check_reduce(op, fold, {5, n}, 2, 1e-5, dtype);
        check_reduce(op, fold, {n, 19}, 1, 1e-5, dtype);
        check_reduce(op, fold, {9, n}, 1, 1e-5, dtype);
        if (n % 3 == 0) check_reduce(op, fold, {23, 5, n}, 2, 1e-5, dtype);
        if (n % 5 == 0) check_reduce(op, fold, {23, n, 7}, 2, 1e-5, dtype);
        if (n < 34) check_reduce(op, fold, {2, 50, n}, 4, 1e-5, dtype);
        if (n % 8 == 3) check_reduce(op, fold, {2, n, 3}, 2, 1e-5, dtype);
      }
      for (const unsigned axes : {1, 2, 3, 4, 6, 5}) {
        check_reduce(op, fold, {3, 17, 1033}, axes, 1e-5, dtype);
        check_reduce(op, fold, {13, 700, 3}, axes, 1e-5, dtype);
      }
    }
  }
}

TEST(reduce, long_sums_stay_accurate) {
  const int64_t n = 3000000;
  Tensor x = Tensor::create(DType::kFloat32, {n}).value();
  for (float& v : x.mutable_elements<float>()) v = 0.1f;
  const float total = run_one({"ReduceSum", 13}, {x}).elements<float>()[0];
  CHECK_NEAR(total, double(n) * double(0.1f), 1e-7, 0);
}

TEST(reduce, without_axes_means_all_or_none) {
  const Tensor x = tensor<float>({2, 2}, {1, -2, 3, 4});
  CHECK(holds<float>(run_one({"ReduceSum", 13, {Attribute::of_int("keepdims", 0)}}, {x}), {}, {6}));
  const Op none{"ReduceSum", 13, {Attribute::of_int("noop_with_empty_axes", 1)}};
  CHECK(holds<float>(run_one(none, {x}), {2, 2}, {1, -2, 3, 4}));
  const Op squares{"ReduceSumSquare", 18, {Attribute::of_int("noop_with_empty_axes", 1)}};
  CHECK(holds<float>(run_one(squares, {x}), {2, 2}, {1, 4, 9, 16}));
  const Op old{"ReduceMax", 11, {Attribute::of_ints("axes", {-1})}};
  CHECK(holds<float>(run_one(old, {x}), {2, 1}, {1, 4}));
  CHECK_CODE(run_op({"ReduceSum", 13}, {x, int64s({0, -2})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"ReduceSum", 13}, {x, int64s({2})}), Code::kInvalidArgument);
}

TEST(reduce, of_nothing_gives_the_neutral_element) {
  const Tensor x = Tensor::create(DType::kFloat32, {2, 0}).value();
  const Tensor axes = int64s({1});
  constexpr float kInf = std::numeric_limits<float>::infinity();
  CHECK(holds<float>(run_one({"ReduceSum", 18}, {x, axes}), {2, 1}, {0, 0}));
  CHECK(holds<float>(run_one({"ReduceProd", 18}, {x, axes}), {2, 1}, {1, 1}));
  CHECK(holds<float>(run_one({"ReduceMax", 18}, {x, axes}), {2, 1}, {-kInf, -kInf}));
  CHECK(holds<float>(run_one({"ReduceLogSumExp", 18}, {x, axes}), {2, 1}, {-kInf, -kInf}));
  for (const Dims& dims : {Dims{0, 2, 3}, Dims{3, 2, 0}, Dims{0, 2, 0}}) {
    const Tensor none = Tensor::create(DType::kFloat32, dims).value();
    CHECK(holds<float>(run_one({"ReduceSum", 18}, {none, int64s({0, 2})}), {1, 2, 1}, {0, 0}));
    CHECK(holds<float>(run_one({"ReduceLogSumExp", 18}, {none, int64s({0, 2})}), {1, 2, 1},
                       {-kInf, -kInf}));
  }
  const Tensor ints = Tensor::create(DType::kInt32, {2, 0}).value();
  CHECK_CODE(run_op({"ReduceMean", 18}, {ints, axes}), Code::kInvalidArgument);
}

TEST(reduce, passes_nan_on) {
  const Tensor groups = tensor<float>({2, 2, 2}, {1, 2, 3, kNan, 5, 6, 7, 8});
  const Tensor y = run_one({"ReduceMax", 18}, {groups, int64s({0, 2})});
  CHECK(y.elements<float>()[0] == 6 && std::isnan(y.elements<float>()[1]));
  std::vector<float> values(100, 1.0f);
  values[61] = kNan;
  const Tensor x = Tensor::from<float>({100}, values);
  for (const char* op : {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceLogSumExp"}) {
    CHECK(std::isnan(run_one({op, 18}, {x}).elements<float>()[0]));
  }
}

TEST(arg_reduce, takes_the_first_or_last_and_nan_first_of_all) {
  const Tensor x = tensor<float>({5}, {1, 3, 2, 3, 1});
  CHECK(holds<int64_t>(run_one({"ArgMax", 13}, {x}), {1}, {1}));
  const Op last{
      "ArgMin", 13, {Attribute::of_int("select_last_index", 1), Attribute::of_int("keepdims", 0)}};
  CHECK(holds<int64_t>(run_one(last, {x}), {}, {4}));
  const Tensor y = tensor<float>({4}, {1, kNan, 2, kNan});
  CHECK(holds<int64_t>(run_one({"ArgMax", 13}, {y}), {1}, {1}));
  const Tensor none = Tensor::create(DType::kFloat32, {2, 3, 0}).value();
  CHECK_EQ(run_one({"ArgMax", 13, {Attribute::of_int("axis", 1)}}, {none}).dims(), (Dims{2, 1, 0}));
  const Tensor columns = tensor<int8_t>({2, 3}, {1, 5, -3, 2, 4, -3});
  CHECK(holds<int64_t>(run_one({"ArgMax", 13}, {columns}), {1, 3}, {1, 0, 0}));
}

// Along the middle axis of [rows, size, inner].
template <typename T>
void check_short_rows(int64_t rows, int64_t size, bool last, int64_t inner = 1) {
  Random random(static_cast<uint32_t>(rows + size + inner));
  std::vector<T> x;
  for (int64_t i = 0; i < rows * size * inner; ++i)
    x.push_back(static_cast<T>(random.between(0, 9)));
  if constexpr (!std::is_integral_v<T>) {
    for (size_t i = 0; i < x.size(); i += 11) x[i] = static_cast<T>(kNan);
  }
  for (const bool largest : {true, false}) {
    const Op op{largest ? "ArgMax" : "ArgMin",
                13,
                {Attribute::of_int("axis", 1), Attribute::of_int("select_last_index", last)}};
    const Tensor y = run_one(op, {Tensor::from<T>({rows, size, inner}, x)});
    for (int64_t row = 0; row < rows * inner; ++row) {
      const auto at = [&](int64_t i) {
        return x[size_t((row / inner * size + i) * inner + row % inner)];
      };
      int64_t best = 0;
      for (int64_t i = 1; i < size; ++i) {
        const T v = at(i), top = at(best);
        const bool is_nan = v != v, has_nan = top != top;
        const bool beats = largest ? v > top : v < top;
        const bool equals = v == top || (is_nan && has_nan);
        if ((is_nan && !has_nan) || (!has_nan && beats) || (last && equals)) best = i;
      }
      CHECK_EQ(y.elements<int64_t>()[size_t(row)], best);
    }
  }
}

TEST(arg_reduce, many_short_rows_agree_with_plain_loops) {
  for (const bool last : {false, true}) {
    for (const int64_t size : {1, 2, 3, 10, 31, 32, 33}) {
      for (const int64_t rows : {1, 63, 64, 65, 3000}) {
        check_short_rows<float>(rows, size, last);
        check_short_rows<double>(rows, size, last);
      }
      check_short_rows<int64_t>(130, size, last);
      check_short_rows<uint8_t>(130, size, last);
      for (const int64_t inner : {2, 3, 5, 12, 13}) {
        for (const int64_t rows : {1, 20, 21, 700}) {
          check_short_rows<float>(rows, size, last, inner);
          check_short_rows<double>(rows, size, last, inner);
          check_short_rows<int8_t>(rows, size, last, inner);
          check_short_rows<int32_t>(rows, size, last, inner);
        }
      }
    }
  }
}

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
TEST(arg_reduce, rows_of_floats_agree_with_plain_loops) {
  Random random(23);
  for (int64_t n = 1; n <= 131; ++n) {
    for (int kind = 0; kind < 5; ++kind) {
      const Tensor x = random.floats({n});
      auto* row = const_cast<float*>(x.elements<float>().data());
      for (int64_t i = 0; i < n; ++i) {
        if (kind == 1) row[i] = std::round(row[i] * 3);
        if (kind == 2) row[i] = static_cast<float>(i);
        if (kind == 3) row[i] = static_cast<float>(-i);
      }
      if (kind == 4) row[n / 2] = kNan;
      int64_t largest = 0, smallest = 0;
      for (int64_t i = 1; i < n; ++i) {
        if (std::isnan(row[i]) ? !std::isnan(row[largest]) : row[i] > row[largest]) largest = i;
        if (std::isnan(row[i]) ? !std::isnan(row[smallest]) : row[i] < row[smallest]) smallest = i;
      }
      CHECK(holds<int64_t>(run_one({"ArgMax", 13}, {x}), {1}, {largest}));
      CHECK(holds<int64_t>(run_one({"ArgMin", 13}, {x}), {1}, {smallest}));
    }
  }
}

TEST(top_k, agrees_with_a_full_sort) {
  Random random(22);
  for (const int64_t axis : {0, 1, 2}) {
    for (const int64_t largest : {0, 1}) {
      const Dims dims = {6, 50, 7};
      const Tensor x = random.floats(dims);
      const int64_t n = dims[static_cast<size_t>(axis)], k = n / 2;
      const Op op{
          "TopK", 11, {Attribute::of_int("axis", axis), Attribute::of_int("largest", largest)}, 2};
      auto top = run_op(op, {x, int64s({k})});
      CHECK_OK(top);
      const auto values = (*top)[0].elements<float>();
      for (size_t i = 0; i < values.size(); ++i) {
        Dims at = coordinates(static_cast<int64_t>(i), (*top)[0].dims());
        const auto rank = static_cast<size_t>(at[static_cast<size_t>(axis)]);
        std::vector<float> row;
        for (int64_t j = 0; j < n; ++j) {
          at[static_cast<size_t>(axis)] = j;
          row.push_back(x.elements<float>()[static_cast<size_t>(index_at(at, dims))]);
        }
        const auto index = static_cast<size_t>((*top)[1].elements<int64_t>()[i]);
        CHECK_EQ(row[index], values[i]);
        std::sort(row.begin(), row.end());
        CHECK_EQ(values[i], largest != 0 ? row[row.size() - 1 - rank] : row[rank]);
      }
    }
  }
  CHECK_CODE(run_op({"TopK", 11, {}, 2}, {int64s({1}), int64s({2})}), Code::kInvalidArgument);
}

TEST(top_k, orders_equal_elements_by_index) {
  const Tensor x = tensor<int32_t>({5}, {2, 1, 2, 1, 2});
  auto top = run_op({"TopK", 11, {}, 2}, {x, int64s({4})});
  CHECK_OK(top);
  CHECK(holds<int64_t>((*top)[1], {4}, {0, 2, 4, 1}));
}

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

TEST(non_zero, lists_coordinates_in_order) {
  const Tensor x = tensor<float>({2, 3}, {0, kNan, 0, 1, 0, -0.0f});
  CHECK(holds<int64_t>(run_one({"NonZero"}, {x}), {2, 2}, {0, 1, 1, 0}));
  CHECK(holds<int64_t>(run_one({"NonZero"}, {Tensor::scalar<int32_t>(5)}), {0, 1}, {}));
  CHECK(holds<int64_t>(run_one({"NonZero"}, {f32s({2, 0, 3}, {})}), {3, 0}, {}));
}

TEST(non_zero, of_any_rank_agrees_with_a_plain_loop) {
  Random random(31);
  for (int round = 0; round < 60; ++round) {
    const Dims dims = random.dims(static_cast<size_t>(round % 5 + 1), 1, round % 2 != 0 ? 5 : 3);
    Tensor x = random.floats(dims);
    std::vector<Dims> places;
    for (int64_t i = 0; i < x.element_count(); ++i) {
      float& element = x.mutable_elements<float>()[static_cast<size_t>(i)];
      if (element < 1) element = 0;
      if (element != 0) places.push_back(coordinates(i, dims));
    }
    const Tensor y = run_one({"NonZero"}, {x});
    CHECK_EQ(y.dims(), (Dims{static_cast<int64_t>(dims.size()), int64_t(places.size())}));
    for (size_t k = 0; k < places.size(); ++k) {
      for (size_t d = 0; d < dims.size(); ++d) {
        CHECK_EQ(y.elements<int64_t>()[d * places.size() + k], places[k][d]);
      }
    }
  }
}

TEST(one_hot, ignores_indices_outside_the_depth) {
  const Tensor y =
      run_one({"OneHot"}, {tensor<float>({3}, {1, -1, 3}), int64s({3}), int64s({7, 9})});
  CHECK(holds<int64_t>(y, {3, 3}, {7, 9, 7, 7, 7, 9, 7, 7, 7}));
}

TEST(one_hot, takes_no_large_unsigned_index_for_one_from_the_back) {
  const Tensor indices = tensor<uint64_t>({3}, {UINT64_MAX, uint64_t{1} << 63, 1});
  const Tensor y = run_one({"OneHot"}, {indices, int64s({3}), int64s({7, 9})});
  CHECK(holds<int64_t>(y, {3, 3}, {7, 7, 7, 7, 7, 7, 7, 9, 7}));
}

TEST(trilu, clamps_far_diagonals) {
  const Tensor x = tensor<int32_t>({2, 2}, {1, 2, 3, 4});
  CHECK(holds<int32_t>(run_one({"Trilu"}, {x}), {2, 2}, {1, 2, 0, 4}));
  CHECK(holds<int32_t>(run_one({"Trilu"}, {x, Tensor::scalar<int64_t>(INT64_MAX)}), {2, 2},
                       {0, 0, 0, 0}));
  CHECK(holds<int32_t>(run_one({"Trilu"}, {x, Tensor::scalar<int64_t>(INT64_MIN)}), {2, 2},
                       {1, 2, 3, 4}));
}

}  // namespace
}  // namespace ortc::test
