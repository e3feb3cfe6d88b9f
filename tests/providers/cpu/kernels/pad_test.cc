// SPDX-License-Identifier: MIT
// Pad against plain loops, in every mode.
#include <algorithm>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

TEST(pad, crops_reflects_and_wraps) {
  const Tensor x = int64s({1, 2, 3, 4});
  const auto pad = [&](const char* mode, int64_t before, int64_t after) {
    return run_one({"Pad", 19, {Attribute::of_string("mode", mode)}}, {x, int64s({before, after})});
  };
  CHECK(holds<int64_t>(pad("constant", 2, -1), {5}, {0, 0, 1, 2, 3}));
  CHECK(holds<int64_t>(pad("reflect", 5, 2), {11}, {2, 3, 4, 3, 2, 1, 2, 3, 4, 3, 2}));
  CHECK(holds<int64_t>(pad("edge", -2, 2), {4}, {3, 4, 4, 4}));
  CHECK(holds<int64_t>(pad("wrap", 1, 3), {8}, {4, 1, 2, 3, 4, 1, 2, 3}));
  CHECK_CODE(run_op({"Pad", 19}, {x, int64s({-3, -2})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Pad", 19}, {x, int64s({INT64_MIN, INT64_MAX})}), Code::kInvalidArgument);
}

// The place in an axis of `size` that stands at i; -1 where the constant does.
int64_t plain_source(const std::string& mode, int64_t i, int64_t size) {
  if (mode == "constant") return i < 0 || i >= size ? -1 : i;
  if (mode == "edge") return std::clamp<int64_t>(i, 0, size - 1);
  if (mode == "wrap") return ((i % size) + size) % size;
  while (i < 0 || i >= size) i = size == 1 ? 0 : i < 0 ? -i : 2 * (size - 1) - i;
  return i;
}

void check_pad(const std::string& mode, const Dims& dims, const Dims& before, const Dims& after) {
  Random random(3);
  const Tensor x = random.floats(dims), value = tensor<float>({}, {7});
  Dims padded = dims, pads = before;
  pads.insert(pads.end(), after.begin(), after.end());
  for (size_t d = 0; d < dims.size(); ++d) padded[d] += before[d] + after[d];
  const Tensor y = run_one({"Pad", 19, {Attribute::of_string("mode", mode)}},
                           {x, Tensor::from<int64_t>({int64_t(pads.size())}, pads), value});
  CHECK_EQ(y.dims(), padded);
  for (int64_t i = 0; i < y.element_count(); ++i) {
    Dims at = coordinates(i, padded);
    bool inside = true;
    for (size_t d = 0; d < dims.size(); ++d) {
      at[d] = plain_source(mode, at[d] - before[d], dims[d]);
      inside = inside && at[d] >= 0;
    }
    const float expected =
        inside ? x.elements<float>()[static_cast<size_t>(index_at(at, dims))] : 7.0f;
    CHECK_EQ(y.elements<float>()[static_cast<size_t>(i)], expected);
  }
}

TEST(pad, agrees_with_plain_loops) {
  Random random(8);
  for (const char* mode : {"constant", "edge", "reflect", "wrap"}) {
    for (int64_t n = 1; n <= 67; n += 3) {
      check_pad(mode, {2, n}, {0, n % 4}, {0, n % 3});
      check_pad(mode, {3, n, 2}, {1, 2, 0}, {0, n % 5, 0});
    }
    for (int round = 0; round < 40; ++round) {
      const auto rank = static_cast<size_t>(random.between(1, 4));
      const Dims dims = random.dims(rank, 1, 6);
      Dims before(rank), after(rank);
      for (size_t d = 0; d < rank; ++d) {
        before[d] = random.between(-1, 4) * random.between(0, 1);
        after[d] = random.between(-1, 9) * random.between(0, 1);
        if (dims[d] + before[d] + after[d] < 1) before[d] = after[d] = 0;
      }
      check_pad(mode, dims, before, after);
    }
  }
}

// Groups of rows and elements end before an axis, at the first one, or are of one row.
TEST(pad, agrees_with_plain_loops_across_groups_of_rows) {
  for (const char* mode : {"constant", "edge", "reflect", "wrap"}) {
    check_pad(mode, {40, 5, 3, 1}, {3, 2, 1, 1}, {3, 7, 4, 0});
    check_pad(mode, {3, 1100, 2}, {2, 1, 3}, {1, 5, 1});
    check_pad(mode, {1100, 3}, {2, 1}, {1, 5});
    check_pad(mode, {30, 31, 3, 20}, {2, 1, 1, 3}, {1, -2, 2, 4});
    check_pad(mode, {2, 200, 5}, {1, 3, 1}, {0, 2, 2});
    check_pad(mode, {1100, 19}, {2, 25}, {3, 40});
    check_pad(mode, {6, 7, 3, 5}, {1, 17, 2, 0}, {0, 9, 4, 0});
  }
}

TEST(pad, rows_of_any_number_of_bytes_keep_all_of_them) {
  for (int64_t n = 1; n <= 40; ++n) {
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < 3 * n; ++i) bytes.push_back(static_cast<uint8_t>(1 + i % 251));
    const Tensor y =
        run_one({"Pad", 18}, {Tensor::from<uint8_t>({3, n}, bytes), int64s({2, 1, 1, 2})});
    CHECK_EQ(y.dims(), (Dims{6, n + 3}));
    for (int64_t i = 0; i < y.element_count(); ++i) {
      const int64_t row = i / (n + 3) - 2, column = i % (n + 3) - 1;
      const bool is_inside = row >= 0 && row < 3 && column >= 0 && column < n;
      CHECK_EQ(int{y.elements<uint8_t>()[static_cast<size_t>(i)]},
               is_inside ? int{bytes[static_cast<size_t>(row * n + column)]} : 0);
    }
  }
}

TEST(pad, pads_the_named_axes_only) {
  const Tensor x = tensor<float>({1, 2}, {1, 2});
  const Tensor value = tensor<float>({}, {7});
  CHECK(holds<float>(run_one({"Pad", 18}, {x, int64s({1, 0}), value, int64s({-2})}), {2, 2},
                     {7, 7, 1, 2}));
}

}  // namespace
}  // namespace ortc::test
