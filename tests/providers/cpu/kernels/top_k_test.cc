// SPDX-License-Identifier: MIT
// TopK against a stable sort of the whole row.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "providers/cpu/elements/element.h"
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;

template <typename T>
bool goes_first(T a, T b, bool largest) {
  if (a != a || b != b) return largest ? a != a && b == b : b != b && a == a;
  return largest ? a > b : a < b;
}

// Rows of `size` that lie `inner` elements apart; outer * inner of them.
template <typename T>
void check_top(const std::vector<T>& x, Dims dims, int64_t axis, int64_t k, bool largest) {
  const auto at = static_cast<size_t>(axis);
  const int64_t size = dims[at];
  int64_t inner = 1;
  for (size_t d = at + 1; d < dims.size(); ++d) inner *= dims[d];
  const int64_t rows = static_cast<int64_t>(x.size()) / size;
  const NodeCase node{
      "TopK", "", 11, {Attribute::of_int("axis", axis), Attribute::of_int("largest", largest)}, 2};
  const Tensor count = Tensor::from<int64_t>({1}, std::vector<int64_t>{k});
  testing::run_everywhere(node, {Tensor::from<T>(dims, x), count}, [&](const auto& outputs) {
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t begin = row / inner * size * inner + row % inner;
      const auto value = [&](int64_t i) { return x[static_cast<size_t>(begin + i * inner)]; };
      std::vector<int64_t> order(static_cast<size_t>(size));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
        return goes_first(value(i), value(j), largest);
      });
      for (int64_t i = 0; i < k; ++i) {
        const auto to = static_cast<size_t>(row / inner * k * inner + row % inner + i * inner);
        const int64_t expected = order[static_cast<size_t>(i)];
        CHECK_EQ(outputs[1].template elements<int64_t>()[to], expected);
        const T found = outputs[0].template elements<T>()[to], wanted = value(expected);
        CHECK(found == wanted || (found != found && wanted != wanted));
      }
    }
  });
}

// Few different values, so that many are equal.
template <typename T>
std::vector<T> few_values(int64_t n, uint64_t seed, uint64_t values) {
  std::vector<T> x;
  for (int64_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x.push_back(static_cast<T>(static_cast<int64_t>((seed >> 33) % values) -
                               static_cast<int64_t>(values / 2)));
  }
  return x;
}

TEST(top_k, agrees_with_a_stable_sort_at_every_size) {
  for (int64_t size = 1; size <= 67; ++size) {
    for (const int64_t k : {int64_t{1}, (size + 1) / 2, size}) {
      for (const bool largest : {true, false}) {
        check_top(few_values<float>(3 * size, 7, 11), {3, size}, 1, k, largest);
        check_top(few_values<int64_t>(2 * size * 3, 8, 1000), {2, size, 3}, 1, k, largest);
      }
    }
  }
  check_top(few_values<float>(5000, 9, 1000000), {1, 5000}, 1, 300, true);
  check_top(few_values<double>(5000, 9, 100), {5000}, 0, 70, false);
  for (const bool largest : {true, false}) {  // sorted as a whole
    for (const uint64_t values : {7, 1000, 1000000}) {
      check_top(few_values<int32_t>(5000, 9, values), {5000}, 0, 400, largest);
      check_top(few_values<int32_t>(3000, 9, values), {2, 500, 3}, 1, 31, largest);
      check_top(few_values<float>(3000, 9, values), {2, 500, 3}, 1, 31, largest);
    }
  }
  check_top(few_values<uint8_t>(1000, 10, 200), {10, 100}, 0, 4, true);
}

TEST(top_k, the_first_few_agree_with_a_stable_sort) {
  for (const int64_t size : {2, 9, 47, 65, 300}) {
    for (const int64_t k : {1, 2, 8, 9}) {
      if (k > size) continue;
      for (const bool largest : {true, false}) {
        for (const uint64_t values : {3, 1000000}) {
          check_top(few_values<float>(50 * size, 11, values), {50, size}, 1, k, largest);
          check_top(few_values<int32_t>(50 * size, 12, values), {50, size}, 1, k, largest);
          check_top(few_values<int64_t>(50 * size, 13, values), {50, size}, 1, k, largest);
          std::vector<double> x = few_values<double>(50 * size, 14, values);
          for (size_t i = 0; i < x.size(); i += 13) x[i] = std::nan("");
          check_top(x, {50, size}, 1, k, largest);
          check_top(x, {10, size, 5}, 1, k, largest);
        }
      }
    }
  }
}

TEST(top_k, rows_of_sixteen_bit_floats_agree_with_a_stable_sort) {
  for (const int64_t size : {1, 15, 67, 127, 128, 129, 300, 1000}) {
    std::vector<Float16> x;
    for (const float v : few_values<float>(3 * size, 21, 2000)) x.push_back(Float16(v));
    for (size_t i = 2; i < x.size(); i += 97) x[i] = Float16(std::nanf(""));
    for (const int64_t k : {int64_t{1}, std::min<int64_t>(size, 10), size}) {
      for (const bool largest : {true, false}) {
        check_top(x, {3, size}, 1, k, largest);
        check_top(x, {size, 3}, 0, k, largest);
      }
    }
  }
}

TEST(top_k, rows_that_are_sorted_as_a_whole_agree_with_a_stable_sort) {
  for (const int64_t size : {127, 128, 129, 1000}) {
    for (const int64_t k : {size / 4 - 1, size / 4, size}) {
      for (const bool largest : {true, false}) {
        std::vector<float> x = few_values<float>(35 * size, 12, 1u << 20);
        for (size_t i = 0; i < x.size(); i += 97) x[i] = std::numeric_limits<float>::quiet_NaN();
        for (size_t i = 5; i < x.size(); i += 89) x[i] = i % 2 == 0 ? 0.0f : -0.0f;
        check_top(x, {35, size}, 1, k, largest);
        check_top(few_values<int32_t>(3 * size, 13, UINT32_MAX), {size, 3}, 0, k, largest);
        check_top(few_values<uint32_t>(2 * size, 14, UINT32_MAX), {2, size}, 1, k, largest);
        check_top(few_values<int8_t>(2 * size, 15, 256), {2, size}, 1, k, largest);
      }
    }
  }
}

// Keys of 64 bits that differ in their high bits, in their low ones, and in both.
TEST(top_k, rows_of_wide_numbers_agree_with_a_stable_sort) {
  for (const int64_t size : {17, 75, 127, 300}) {
    std::vector<double> x = few_values<double>(3 * size, 31, uint64_t{1} << 40);
    for (size_t i = 0; i < x.size(); i += 7) x[i] = 1 + static_cast<double>(i % 5) * 0x1p-52;
    for (size_t i = 3; i < x.size(); i += 31) x[i] = std::nan("");
    for (size_t i = 5; i < x.size(); i += 23) x[i] = i % 2 == 0 ? 0.0 : -0.0;
    std::vector<int64_t> wide = few_values<int64_t>(3 * size, 32, 50);
    wide[1] = INT64_MAX, wide[4] = INT64_MIN;
    const auto whole = few_values<uint64_t>(3 * size, 33, uint64_t{1} << 40);
    for (const int64_t k : {size / 2 + 1, size}) {
      for (const bool largest : {true, false}) {
        check_top(x, {3, size}, 1, k, largest);
        check_top(wide, {size, 3}, 0, k, largest);
        check_top(whole, {3, size}, 1, k, largest);
        check_top(few_values<float>(3 * size, 34, 40), {3, size}, 1, k, largest);
        check_top(few_values<uint8_t>(3 * size, 35, 250), {size, 3}, 0, k, largest);
        check_top(few_values<uint32_t>(3 * size, 36, UINT32_MAX), {3, size}, 1, k, largest);
      }
    }
  }
}

TEST(top_k, the_first_of_many_columns_agrees_with_a_stable_sort) {
  for (const int64_t columns : {2, 255, 257, 600}) {
    std::vector<float> x = few_values<float>(2 * 9 * columns, 16, 5);
    for (size_t i = 0; i < x.size(); i += 7) x[i] = std::numeric_limits<float>::quiet_NaN();
    for (const bool largest : {true, false}) {
      check_top(x, {2, 9, columns}, 1, 1, largest);
      check_top(few_values<double>(2 * 20 * columns, 17, 5), {2, 20, columns}, 1, 1, largest);
      check_top(few_values<uint8_t>(2 * 9 * columns, 18, 5), {2, 9, columns}, 1, 1, largest);
    }
  }
}

TEST(top_k, the_first_of_many_short_rows_agrees_with_a_stable_sort) {
  for (int64_t size = 1; size <= 67; ++size) {
    for (const int64_t rows : {1, 33, 1000}) {
      std::vector<float> x = few_values<float>(rows * size, 19, 5);
      for (size_t i = 3; i < x.size(); i += 7) x[i] = std::numeric_limits<float>::quiet_NaN();
      for (size_t i = 5; i < x.size(); i += 11) x[i] = -0.0f;
      if (rows == 5000 && size % 8 > 2) continue;
      for (const bool largest : {true, false}) check_top(x, {rows, size}, 1, 1, largest);
    }
  }
}

TEST(top_k, short_rows_of_extreme_numbers_agree_with_a_stable_sort) {
  const std::vector<int32_t> ints = {INT32_MAX, INT32_MIN, 0, INT32_MIN, -1, INT32_MAX};
  const std::vector<uint32_t> wide = {UINT32_MAX, 0, 1u << 31, 0, UINT32_MAX};
  for (const bool largest : {true, false}) {
    check_top(ints, {6}, 0, 6, largest);
    check_top(wide, {5}, 0, 5, largest);
    check_top(std::vector<float>{NAN, -INFINITY, 0.0f, -0.0f, INFINITY, NAN}, {6}, 0, 6, largest);
  }
}

TEST(top_k, takes_nan_for_the_largest) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const int64_t k : {1, 3, 20, 40}) {
    std::vector<float> x = few_values<float>(40, 11, 9);
    x[3] = x[17] = x[18] = x[39] = kNan;
    x[5] = x[30] = kInfinity;
    x[6] = -kInfinity;
    for (const bool largest : {true, false}) check_top(x, {40}, 0, k, largest);
  }
  for (const bool largest : {true, false}) {
    check_top(std::vector<float>(35, kNan), {35}, 0, 7, largest);
  }
}

TEST(top_k, runs_along_any_axis_and_orders_equal_elements_by_index) {
  for (const int64_t axis : {0, 1, 2}) {
    const Dims dims = {6, 50, 7};
    const int64_t k = dims[static_cast<size_t>(axis)] / 2;
    for (const bool largest : {true, false}) {
      check_top(few_values<float>(6 * 50 * 7, 22, uint64_t{1} << 20), dims, axis, k, largest);
    }
  }
  check_top(std::vector<int32_t>{2, 1, 2, 1, 2}, {5}, 0, 4, true);
}

TEST(top_k, refuses_more_elements_than_the_axis_has) {
  const Tensor one = Tensor::from<int64_t>({1}, std::vector<int64_t>{1});
  const Tensor two = Tensor::from<int64_t>({1}, std::vector<int64_t>{2});
  CHECK_CODE(testing::evaluate({"TopK", "", 11, {}, 2}, {one, two}, 1, host_isa()),
             Code::kInvalidArgument);
}

}  // namespace
}  // namespace ortc::cpu
