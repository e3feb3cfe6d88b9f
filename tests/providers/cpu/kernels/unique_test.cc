// SPDX-License-Identifier: MIT
// Unique that keeps the order of first appearance, beside a map.
#include <cmath>
#include <limits>
#include <map>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

template <typename T>
void check_first_come(const std::vector<T>& values) {
  const auto n = static_cast<int64_t>(values.size());
  auto outputs =
      run_op({"Unique", 11, {Attribute::of_int("sorted", 0)}, 4}, {Tensor::from<T>({n}, values)});
  CHECK_OK(outputs);
  std::map<T, int64_t> groups;
  std::vector<T> found;
  std::vector<int64_t> first, counts, inverse;
  for (int64_t i = 0; i < n; ++i) {
    const T value = values[static_cast<size_t>(i)];
    const auto [group, is_new] = groups.emplace(value, std::ssize(found));
    if (is_new) {
      found.push_back(value);
      first.push_back(i);
      counts.push_back(0);
    }
    inverse.push_back(group->second);
    ++counts[static_cast<size_t>(group->second)];
  }
  CHECK(std::ranges::equal((*outputs)[0].template elements<T>(), found));
  CHECK(std::ranges::equal((*outputs)[1].template elements<int64_t>(), first));
  CHECK(std::ranges::equal((*outputs)[2].template elements<int64_t>(), inverse));
  CHECK(std::ranges::equal((*outputs)[3].template elements<int64_t>(), counts));
}

TEST(unique, keeps_the_order_of_few_and_of_many_numbers) {
  for (const size_t n : {1, 2, 67, 512, 513, 5000, 40000}) {
    Random random(n);
    std::vector<float> few, many;
    std::vector<int64_t> wide;
    for (size_t i = 0; i < n; ++i) {
      many.push_back(random.number());
      few.push_back(std::round(many[i] * 20));
      wide.push_back(static_cast<int64_t>(i) << 32);
    }
    check_first_come(few);
    check_first_come(many);
    check_first_come(wide);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto outputs = run_op({"Unique", 11, {Attribute::of_int("sorted", 0)}, 4},
                        {tensor<float>({6}, {nan, 0, -1, -0.0f, -nan, 0})});
  CHECK_OK(outputs);
  CHECK(holds<int64_t>((*outputs)[1], {3}, {0, 1, 2}));
  CHECK(holds<int64_t>((*outputs)[3], {3}, {2, 3, 1}));
}

// Numbers that the table of unique_table.h looks for at one place.
TEST(unique, numbers_made_to_be_found_slowly_are_sorted) {
  std::vector<uint64_t> values;
  for (uint64_t key = 0; values.size() < 600; ++key) {
    if ((key ^ key >> 32) * 0x9E3779B97F4A7C15u >> 53 == 7) values.push_back(key);
  }
  check_first_come(values);
}

}  // namespace
}  // namespace ortc::test
