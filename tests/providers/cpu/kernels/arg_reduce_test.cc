// SPDX-License-Identifier: MIT
// ArgMax and ArgMin against plain loops.
#include <cmath>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

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
void check_short_rows(int64_t rows, int64_t size, bool last, int64_t inner = 1,
                      bool has_nan = true) {
  Random random(static_cast<uint32_t>(rows + size + inner));
  std::vector<T> x;
  for (int64_t i = 0; i < rows * size * inner; ++i)
    x.push_back(static_cast<T>(random.between(0, 9)));
  if constexpr (!std::is_integral_v<T>) {
    for (size_t i = 0; has_nan && i < x.size(); i += 11) x[i] = static_cast<T>(kNan);
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

// What is looked at in pieces, and a few columns of them.
TEST(arg_reduce, long_rows_and_narrow_columns_agree_with_plain_loops) {
  for (const bool last : {false, true}) {
    for (const int64_t size : {255, 256, 1023, 1024, 1025, 5000}) {
      for (const int64_t inner : {1, 2, 3, 15, 16, 17}) {
        check_short_rows<float>(2, size, last, inner);
        check_short_rows<double>(2, size, last, inner);
        check_short_rows<int64_t>(2, size, last, inner);
        check_short_rows<int32_t>(1, size, last, inner);
        check_short_rows<uint64_t>(1, size, last, inner);
        check_short_rows<uint8_t>(1, size, last, inner);
      }
    }
  }
}

TEST(arg_reduce, columns_of_numbers_agree_with_plain_loops) {
  for (const bool last : {false, true}) {
    for (const int64_t size : {1, 2, 3, 33, 300}) {
      for (const int64_t inner : {1, 2, 7, 8, 9, 17, 40, 300}) {
        check_short_rows<double>(2, size, last, inner, false);
        check_short_rows<float>(2, size, last, inner, false);
      }
    }
  }
}

// The extreme may stand in any piece, and the rest go up or down to it.
TEST(arg_reduce, finds_one_extreme_wherever_it_stands) {
  constexpr int64_t kSize = 2500;
  for (const int64_t inner : {1, 3}) {
    for (const int64_t place : {0, 1, 1023, 1024, 1365, 2047, 2048, 2499}) {
      for (const int slope : {-1, 0, 1}) {
        std::vector<int64_t> x;
        for (int64_t i = 0; i < kSize * inner; ++i) x.push_back(i / inner * slope);
        for (int64_t column = 0; column < inner; ++column) {
          x[size_t(place * inner + column)] = 1000000;
        }
        const Op op{"ArgMax", 13};
        for (const DType dtype : {DType::kInt64, DType::kFloat64, DType::kFloat16}) {
          const Op cast{"Cast", 13, {Attribute::of_int("to", static_cast<int64_t>(dtype))}};
          const Tensor y = run_one(op, {run_one(cast, {Tensor::from<int64_t>({kSize, inner}, x)})});
          for (const int64_t found : y.elements<int64_t>()) CHECK_EQ(found, place);
        }
      }
    }
  }
}

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

}  // namespace
}  // namespace ortc::test
