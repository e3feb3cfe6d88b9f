// SPDX-License-Identifier: MIT
// Movement families against index arithmetic written here, for every element size.
#include <algorithm>
#include <array>
#include <numeric>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

constexpr DType kOfEachSize[] = {DType::kUint8, DType::kFloat16, DType::kFloat32, DType::kInt64,
                                 DType::kComplex128};

// True when element i of y has the bytes of element source(coordinates of i) of x, for all i.
template <typename F>
bool moved(const Tensor& x, const Tensor& y, F&& source) {
  const auto size = static_cast<size_t>(dtype_bits(x.dtype())) / 8;
  for (int64_t i = 0; i < y.element_count(); ++i) {
    const int64_t from = source(coordinates(i, y.dims()));
    if (std::memcmp(y.bytes().data() + static_cast<size_t>(i) * size,
                    x.bytes().data() + static_cast<size_t>(from) * size, size) != 0) {
      return false;
    }
  }
  return true;
}

bool transposes(const Tensor& x, const std::vector<int64_t>& perm) {
  const Tensor y = run_one({"Transpose", 18, {Attribute::of_ints("perm", perm)}}, {x});
  for (size_t d = 0; d < perm.size(); ++d) {
    if (y.dims()[d] != x.dims()[static_cast<size_t>(perm[d])]) return false;
  }
  return moved(x, y, [&](const Dims& at) {
    Dims from(at.size());
    for (size_t d = 0; d < at.size(); ++d) from[static_cast<size_t>(perm[d])] = at[d];
    return index_at(from, x.dims());
  });
}

TEST(transpose, does_every_permutation_of_every_element_size) {
  Random random(11);
  for (const DType dtype : kOfEachSize) {
    for (size_t rank = 1; rank <= 5; ++rank) {
      std::vector<int64_t> perm(rank);
      std::iota(perm.begin(), perm.end(), 0);
      const Tensor x = random.bytes(dtype, random.dims(rank, 1, rank < 4 ? 9 : 5));
      do {
        CHECK(transposes(x, perm));
      } while (std::next_permutation(perm.begin(), perm.end()));
    }
  }
}

TEST(transpose, turns_large_planes_whatever_their_edges) {
  Random random(12);
  for (const DType dtype : kOfEachSize) {
    CHECK(transposes(random.bytes(dtype, {131, 77}), {1, 0}));
    CHECK(transposes(random.bytes(dtype, {71, 523}), {1, 0}));
    CHECK(transposes(random.bytes(dtype, {2, 1033, 35}), {0, 2, 1}));
    CHECK(transposes(random.bytes(dtype, {2, 3, 33, 65}), {0, 2, 3, 1}));
    CHECK(transposes(random.bytes(dtype, {2, 33, 65, 3}), {0, 3, 1, 2}));
    CHECK(transposes(random.bytes(dtype, {2, 65, 12, 64}), {0, 2, 1, 3}));
    CHECK(transposes(random.bytes(dtype, {2, 65, 12, 2}), {0, 2, 1, 3}));
    CHECK(transposes(random.bytes(dtype, {5, 0, 3}), {2, 1, 0}));
  }
  CHECK_CODE(
      run_op({"Transpose", 18, {Attribute::of_ints("perm", {0, 0})}}, {random.floats({2, 2})}),
      Code::kInvalidGraph);
}

// Many blocks whose elements move alike: some to a table, the last of them fewer.
TEST(transpose, permutes_short_blocks_by_a_table) {
  Random random(14);
  for (const DType dtype : kOfEachSize) {
    CHECK(transposes(random.bytes(dtype, {367, 2, 7}), {0, 2, 1}));
    CHECK(transposes(random.bytes(dtype, {4, 8, 8}), {0, 2, 1}));
    CHECK(transposes(random.bytes(dtype, {3, 61, 3, 5}), {0, 1, 3, 2}));
    CHECK(transposes(random.bytes(dtype, {9, 8, 5, 7}), {0, 3, 2, 1}));
    CHECK(transposes(random.bytes(dtype, {67, 4, 9, 3}), {0, 2, 1, 3}));
    CHECK(transposes(random.bytes(dtype, {2100, 3, 3}), {0, 2, 1}));
    CHECK(transposes(random.bytes(dtype, {5, 3, 6, 2, 5}), {2, 0, 4, 1, 3}));
  }
}

TEST(slice, agrees_with_python_on_random_bounds) {
  Random random(13);
  for (int round = 0; round < 300; ++round) {
    const Dims dims = random.dims(3, 1, 6);
    const Tensor x = random.bytes(kOfEachSize[static_cast<size_t>(round % 5)], dims);
    std::vector<int64_t> first(3), step(3), size(3), starts, ends, steps;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t n = dims[d];
      starts.push_back(random.between(-2 * n, 2 * n));
      ends.push_back(random.between(-2 * n, 2 * n));
      steps.push_back(random.between(0, 1) != 0 ? random.between(1, 3) : random.between(-3, -1));
      step[d] = steps[d];
      int64_t start = starts[d] < 0 ? starts[d] + n : starts[d];
      int64_t end = ends[d] < 0 ? ends[d] + n : ends[d];
      start = std::clamp<int64_t>(start, step[d] < 0 ? -1 : 0, step[d] < 0 ? n - 1 : n);
      if (step[d] < 0) start = std::max<int64_t>(start, 0);
      end = std::clamp<int64_t>(end, step[d] < 0 ? -1 : 0, step[d] < 0 ? n - 1 : n);
      first[d] = start;
      for (int64_t i = start; step[d] > 0 ? i < end : i > end; i += step[d]) ++size[d];
    }
    const Tensor y =
        run_one({"Slice"}, {x, Tensor::from<int64_t>({3}, starts), Tensor::from<int64_t>({3}, ends),
                            Tensor(), Tensor::from<int64_t>({3}, steps)});
    CHECK_EQ(y.dims(), size);
    CHECK(moved(x, y, [&](const Dims& at) {
      Dims from(3);
      for (size_t d = 0; d < 3; ++d) from[d] = first[d] + at[d] * step[d];
      return index_at(from, dims);
    }));
  }
}

TEST(slice, takes_the_largest_and_smallest_numbers) {
  const Tensor x = int64s({0, 1, 2, 3, 4});
  const auto slice = [&](int64_t start, int64_t end, int64_t step) {
    return run_one({"Slice"}, {x, int64s({start}), int64s({end}), int64s({0}), int64s({step})});
  };
  CHECK(holds<int64_t>(slice(INT64_MAX, INT64_MIN, -2), {3}, {4, 2, 0}));
  CHECK(holds<int64_t>(slice(INT64_MIN, INT64_MAX, INT64_MAX), {1}, {0}));
  CHECK(holds<int64_t>(slice(-1, INT64_MIN, INT64_MIN), {1}, {4}));
  CHECK_CODE(run_op({"Slice"}, {x, int64s({0}), int64s({1}), int64s({0}), int64s({0})}),
             Code::kInvalidArgument);
}

TEST(concat_and_split, undo_each_other) {
  Random random(14);
  for (const DType dtype : kOfEachSize) {
    for (int64_t axis = -3; axis < 3; ++axis) {
      const auto at = static_cast<size_t>(axis < 0 ? axis + 3 : axis);
      std::vector<Tensor> parts;
      std::vector<int64_t> sizes;
      for (const int64_t size : {3, 0, 1, 5, 2, 1, 1, 4, 1, 2, 3}) {
        Dims dims = {4, 3, 200};
        dims[at] = size;
        parts.push_back(random.bytes(dtype, dims));
        sizes.push_back(size);
      }
      const Op concat{"Concat", 18, {Attribute::of_int("axis", axis)}};
      const Tensor whole = run_one(concat, parts);
      const Op split{"Split", 13, {Attribute::of_int("axis", axis)}, 11};
      auto again = run_op(split, {whole, Tensor::from<int64_t>({11}, sizes)});
      CHECK_OK(again);
      for (size_t i = 0; i < 11; ++i) CHECK(same_bits((*again)[i], parts[i]));
    }
  }
}

// Columns of a table of one to so many elements, alone and beside wide ones.
TEST(concat_and_split, weave_columns_of_any_width_and_take_them_apart) {
  Random random(24);
  const std::vector<std::vector<int64_t>> widths = {
      {1, 1},         {1, 1, 1},  {1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
      {2, 2},         {3, 1},     {1, 0, 1},    {3, 3},          {4, 1, 2},
      {40, 1, 40, 3}, {5, 8, 16}, {1, 9},       {1, 5000, 2}};
  for (const DType dtype : kOfEachSize) {
    for (const auto& sizes : widths) {
      for (const int64_t rows : {1, 2, 3, 15, 16, 17, 33, 1000}) {
        if (rows == 1000 && sizes.size() > 4) continue;
        std::vector<Tensor> parts;
        for (const int64_t size : sizes) parts.push_back(random.bytes(dtype, {1, rows, size}));
        const auto count = static_cast<int64_t>(sizes.size());
        const Tensor whole = run_one({"Concat", 18, {Attribute::of_int("axis", -1)}}, parts);
        auto again = run_op({"Split", 13, {Attribute::of_int("axis", -1)}, sizes.size()},
                            {whole, Tensor::from<int64_t>({count}, sizes)});
        CHECK_OK(again);
        int64_t begin = 0;
        for (size_t i = 0; i < sizes.size(); begin += sizes[i++]) {
          CHECK(same_bits((*again)[i], parts[i]));
          CHECK(moved(whole, parts[i], [&](const Dims& at) {
            return index_at({at[0], at[1], at[2] + begin}, whole.dims());
          }));
        }
      }
    }
  }
}

TEST(split, one_part_may_be_the_whole_between_empty_ones) {
  Random random(26);
  for (const DType dtype : kOfEachSize) {
    for (const int64_t below : {1, 3, 30000}) {
      const Tensor x = random.bytes(dtype, {5, 3, below});
      auto parts = run_op({"Split", 13, {Attribute::of_int("axis", 1)}, 3}, {x, int64s({0, 3, 0})});
      CHECK_OK(parts);
      CHECK(same_bits((*parts)[1], x));
      CHECK_EQ((*parts)[2].dims(), (Dims{5, 0, below}));
    }
  }
}

TEST(concat_and_split, no_rows_at_all_give_none) {
  const Tensor rows = Tensor::from<float>({0, 3}, {}), narrow = Tensor::from<float>({0, 0}, {});
  const Tensor y = run_one({"Concat", 13, {Attribute::of_int("axis", 1)}}, {rows, narrow});
  CHECK_EQ(y.dims(), (Dims{0, 3}));
  const auto parts =
      run_op({"Split", 13, {Attribute::of_int("axis", 1)}, 2}, {rows, int64s({3, 0})});
  CHECK_OK(parts.status());
  CHECK_EQ((*parts)[0].dims(), (Dims{0, 3}));
  CHECK_EQ((*parts)[1].dims(), (Dims{0, 0}));
}

TEST(split, makes_uneven_parts_only_when_told_how_many) {
  const Tensor x = int64s({1, 2, 3, 4, 5});
  CHECK_CODE(run_op({"Split", 13, {}, 2}, {x}), Code::kInvalidArgument);
  auto parts = run_op({"Split", 18, {Attribute::of_int("num_outputs", 2)}, 2}, {x});
  CHECK_OK(parts);
  CHECK(holds<int64_t>((*parts)[0], {3}, {1, 2, 3}) && holds<int64_t>((*parts)[1], {2}, {4, 5}));
  CHECK_CODE(run_op({"Split", 13, {}, 2}, {x, int64s({2, 2})}), Code::kInvalidArgument);
}

TEST(gather, takes_slices_of_any_axis) {
  Random random(15);
  for (const DType dtype : kOfEachSize) {
    for (int64_t axis = 0; axis < 3; ++axis) {
      const Tensor x = random.bytes(dtype, {5, 6, 7});
      const Tensor indices = tensor<int32_t>({2, 2}, {4, -1, 0, -5});
      const Tensor y = run_one({"Gather", 13, {Attribute::of_int("axis", axis)}}, {x, indices});
      CHECK(moved(x, y, [&](const Dims& at) {
        Dims from(3);
        size_t k = 0;
        for (int64_t d = 0; d < 3; ++d) {
          if (d != axis) {
            from[static_cast<size_t>(d)] = at[k++];
            continue;
          }
          const int64_t size = x.dims()[static_cast<size_t>(d)];
          const int64_t raw =
              indices.elements<int32_t>()[static_cast<size_t>(at[k] * 2 + at[k + 1])];
          from[static_cast<size_t>(d)] = raw < 0 ? raw + size : raw;
          k += 2;
        }
        return index_at(from, x.dims());
      }));
    }
  }
  CHECK_CODE(run_op({"Gather", 13}, {random.floats({3}), int64s({3})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"GatherElements", 13}, {random.floats({3}), int64s({-4})}),
             Code::kInvalidArgument);
}

// Few slices of few bytes for each of many outer positions, and what is on either side of few.
TEST(gather, takes_columns_of_tables) {
  Random random(25);
  for (const DType dtype : kOfEachSize) {
    for (const int64_t outer : {1, 2, 127, 128, 129, 3000}) {
      for (const int64_t inner : {1, 2, 3, 17}) {
        for (const int64_t count : {1, 3, 4, 16, 17}) {
          const Tensor x = random.bytes(dtype, {outer, 5, inner});
          std::vector<int64_t> numbers;
          for (int64_t i = 0; i < count; ++i) numbers.push_back(random.between(-5, 4));
          const Tensor indices = Tensor::from<int64_t>({count}, numbers);
          const Tensor y = run_one({"Gather", 13, {Attribute::of_int("axis", 1)}}, {x, indices});
          CHECK(moved(x, y, [&](const Dims& at) {
            const int64_t index = numbers[static_cast<size_t>(at[1])];
            return index_at({at[0], index < 0 ? index + 5 : index, at[2]}, x.dims());
          }));
        }
      }
    }
  }
}

TEST(scatter, keeps_the_order_of_updates_and_joins_them) {
  const Tensor x = tensor<float>({4}, {1, 2, 3, 4});
  const Tensor indices = int64s({1, 1, -1});
  const Tensor updates = tensor<float>({3}, {10, 20, 30});
  CHECK(holds<float>(run_one({"ScatterElements"}, {x, indices, updates}), {4}, {1, 20, 3, 30}));
  const auto join = [&](const char* how) {
    const Op op{"ScatterND", 18, {Attribute::of_string("reduction", how)}};
    return run_one(op, {x, tensor<int64_t>({3, 1}, {1, 1, 3}), updates});
  };
  CHECK(holds<float>(join("add"), {4}, {1, 32, 3, 34}));
  CHECK(holds<float>(join("mul"), {4}, {1, 400, 3, 120}));
  CHECK(holds<float>(join("max"), {4}, {1, 20, 3, 30}));
  CHECK(holds<float>(join("min"), {4}, {1, 2, 3, 4}));
  CHECK_CODE(run_op({"ScatterElements"}, {x, int64s({0, 1, 4}), updates}), Code::kInvalidArgument);
}

template <typename T>
void check_joined_slices(const char* how, int64_t slice, T (*join)(T, T)) {
  Random random(5);
  std::vector<T> x, updates;
  for (int64_t i = 0; i < 3 * slice; ++i) {
    const float least = std::is_unsigned_v<T> ? 0.0f : -100.0f;
    x.push_back(static_cast<T>(std::max(least, random.number() * 9)));
    updates.push_back(static_cast<T>(std::max(least, random.number() * 9)));
  }
  if constexpr (!std::is_integral_v<T>) {
    x[0] = updates.back() = x[x.size() / 2] = std::numeric_limits<T>::quiet_NaN();
  }
  const Op op{"ScatterND", 18, {Attribute::of_string("reduction", how)}};
  const Tensor y = run_one(op, {Tensor::from<T>({3, slice}, x), tensor<int64_t>({3, 1}, {2, 0, 2}),
                                Tensor::from<T>({3, slice}, updates)});
  for (int64_t i = 0; i < slice; ++i) {
    const auto at = [&](int64_t row) { return static_cast<size_t>(row * slice + i); };
    const T expected[] = {join(x[at(0)], updates[at(1)]), x[at(1)],
                          join(join(x[at(2)], updates[at(0)]), updates[at(2)])};
    for (int64_t row = 0; row < 3; ++row) {
      const T found = y.elements<T>()[at(row)];
      CHECK(expected[row] != expected[row] ? found != found : found == expected[row]);
    }
  }
}

// Slices of few elements, of many, and of more than are joined at a time.
template <typename T>
void check_joined_slices() {
  for (const int64_t slice : {1, 15, 67, 4100}) {
    const auto check = [&](const char* how, T (*join)(T, T)) {
      check_joined_slices<T>(how, slice, join);
    };
    check("add", [](T a, T b) { return static_cast<T>(a + b); });
    check("mul", [](T a, T b) { return static_cast<T>(a * b); });
    check("min", [](T a, T b) { return a != a || b != b ? a + b : a < b ? a : b; });
    check("max", [](T a, T b) { return a != a || b != b ? a + b : a > b ? a : b; });
  }
}

TEST(scatter, long_slices_are_joined_and_what_is_not_a_number_stays) {
  check_joined_slices<float>();
  check_joined_slices<double>();
  check_joined_slices<int32_t>();
  check_joined_slices<int64_t>();
  check_joined_slices<uint32_t>();
  check_joined_slices<uint64_t>();
}

TEST(expand_and_tile, repeat_elements_of_every_size_along_any_axis) {
  Random random(16);
  for (const DType dtype : kOfEachSize) {
    const Tensor x = random.bytes(dtype, {3, 1, 5});
    const Tensor wide = run_one({"Expand"}, {x, int64s({2, 1, 4, 1})});
    CHECK_EQ(wide.dims(), (Dims{2, 3, 4, 5}));
    CHECK(moved(x, wide, [&](const Dims& at) { return index_at(at, x.dims()); }));
    const Tensor tiled = run_one({"Tile"}, {x, int64s({2, 3, 2})});
    CHECK_EQ(tiled.dims(), (Dims{6, 3, 10}));
    CHECK(moved(x, tiled, [&](const Dims& at) {
      return index_at({at[0] % 3, 0, at[2] % 5}, x.dims());
    }));
  }
}

TEST(expand_and_tile, repeat_single_elements_in_rows_of_any_length) {
  Random random(31);
  for (const DType dtype : kOfEachSize) {
    for (const int64_t length : {1, 2, 15, 16, 17, 63, 300, 1025, 5000}) {
      const Tensor x = random.bytes(dtype, {3, 1});
      const Tensor y = run_one({"Expand", 13}, {x, Tensor::from<int64_t>({2}, {{1, length}})});
      CHECK_EQ(y.dims(), (Dims{3, length}));
      CHECK(moved(x, y, [](const Dims& at) { return at[0]; }));
    }
  }
}

TEST(expand_and_tile, repeat_rows_of_any_length_any_number_of_times) {
  Random random(32);
  for (const DType dtype : kOfEachSize) {
    for (const int64_t length : {1, 2, 3, 15, 16, 17, 67, 300, 5000}) {
      for (const int64_t times : {0, 1, 2, 3, 7, 67}) {
        const Tensor x = random.bytes(dtype, {3, length});
        const Tensor y = run_one({"Tile", 13}, {x, int64s({2, times})});
        CHECK_EQ(y.dims(), (Dims{6, length * times}));
        CHECK(moved(x, y, [&](const Dims& at) {
          return index_at({at[0] % 3, at[1] % length}, x.dims());
        }));
      }
    }
  }
}

// Rows that are repeated before what stands around them is, by one thread or by all.
TEST(expand_and_tile, repeat_along_several_axes_at_once) {
  Random random(33);
  const struct {
    Dims dims;
    std::initializer_list<int64_t> repeats;
  } cases[] = {{{3, 4, 5}, {2, 3, 2}},
               {{7, 1, 3, 2}, {1, 5, 1, 3}},
               {{2, 3, 67}, {3, 1, 1}},
               {{1, 2, 3, 4, 5}, {2, 1, 2, 1, 2}},
               {{5, 3, 3}, {1, 67, 1}},
               {{2, 2500}, {3, 4}},
               {{3, 2, 10, 61}, {2, 5, 1, 1}},
               {{1}, {20000}},
               {{2, 3}, {1, 5000}},
               {{40, 40}, {1, 1}}};
  for (const auto& c : cases) {
    for (const DType dtype : kOfEachSize) {
      const Tensor x = random.bytes(dtype, c.dims),
                   y = run_one({"Tile", 13}, {x, int64s(c.repeats)});
      CHECK(moved(x, y, [&](Dims at) {
        for (size_t d = 0; d < at.size(); ++d) at[d] %= c.dims[d];
        return index_at(at, c.dims);
      }));
    }
  }
}

TEST(expand, short_rows_repeat_beside_themselves) {
  Random random(35);
  for (const DType dtype : kOfEachSize) {
    for (const int64_t n : {1, 2, 3, 5, 8, 16, 17, 33, 67}) {
      const Dims dims = {3, 1, n};
      const Tensor x = random.bytes(dtype, dims);
      const Tensor y = run_one({"Expand", 13}, {x, int64s({2, 3, 5, n})});
      CHECK_EQ(y.dims(), (Dims{2, 3, 5, n}));
      CHECK(moved(x, y, [&](const Dims& at) { return index_at({at[1], 0, at[3]}, dims); }));
    }
  }
}

TEST(constant_of_shape, fills_with_any_value) {
  for (const int64_t length : {0, 1, 16, 17, 2000}) {
    for (const int64_t value : {int64_t{0}, int64_t{-1}, int64_t{5}, int64_t{1} << 40}) {
      const Tensor filled = Tensor::from<int64_t>({1}, {{value}});
      const Tensor y = run_one({"ConstantOfShape", 9, {Attribute::of_tensor("value", filled)}},
                               {Tensor::from<int64_t>({1}, {{length}})});
      CHECK_EQ(y.element_count(), length);
      for (const int64_t found : y.elements<int64_t>()) CHECK_EQ(found, value);
    }
  }
}

TEST(reshape, says_what_does_not_fit) {
  Random random(17);
  const Tensor x = random.floats({2, 3, 4});
  CHECK_EQ(run_one({"Reshape"}, {x, int64s({0, -1})}).dims(), (Dims{2, 12}));
  CHECK_CODE(run_op({"Reshape"}, {x, int64s({5, -1})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Reshape"}, {x, int64s({-1, -1})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Reshape"}, {x, int64s({25})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Reshape"}, {x, int64s({INT64_MAX, INT64_MAX})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Squeeze"}, {x, int64s({0})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Unsqueeze"}, {x, int64s({0, 0})}), Code::kInvalidArgument);
  CHECK_EQ(run_one({"Unsqueeze"}, {x, int64s({-1, 0})}).dims(), (Dims{1, 2, 3, 4, 1}));
}

TEST(range, counts_without_overflow) {
  const auto range = [](int64_t start, int64_t limit, int64_t delta) {
    return run_op({"Range"}, {Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)});
  };
  CHECK(holds<int64_t>((*range(5, -2, -3))[0], {3}, {5, 2, -1}));
  CHECK_CODE(range(0, 1, 0), Code::kInvalidArgument);
  CHECK(!range(INT64_MIN, INT64_MAX, 1).is_ok());
  CHECK(holds<int64_t>((*range(INT64_MIN, INT64_MAX, INT64_MAX))[0], {3},
                       {INT64_MIN, -1, INT64_MAX - 1}));
}

template <typename T>
void check_ranges() {
  for (int n = 1; n <= 67; ++n) {
    const T start = std::numeric_limits<T>::min(), delta = 3;
    const auto limit = static_cast<T>(start + n * 3 - 1);
    const Tensor y = run_one(
        {"Range"}, {Tensor::scalar<T>(start), Tensor::scalar<T>(limit), Tensor::scalar<T>(delta)});
    CHECK_EQ(y.element_count(), int64_t{n});
    for (int i = 0; i < n; ++i) {
      CHECK_EQ(int64_t{y.elements<T>()[static_cast<size_t>(i)]}, int64_t{start} + 3 * i);
    }
  }
}

TEST(range, counts_in_every_integer_type) {
  check_ranges<int16_t>();
  check_ranges<int32_t>();
  check_ranges<int64_t>();
}

TEST(split, reads_no_sizes_that_its_record_has_no_room_for) {
  const KernelRow* row = cpu::kernel_registry().find_by_id("split", 1);
  CHECK(row != nullptr);
  const std::array<uint32_t, 6> record = {24, 2, 0, 0, 0, 0};
  const Bytes bytes(reinterpret_cast<const std::byte*>(record.data()), sizeof record);
  const Tensor x = tensor<float>({4}, {1, 2, 3, 4});
  const std::array<ValueRef, 1> inputs = {ref_to(x)};
  std::array<BindContext::Output, 2> outputs;
  outputs[0].wanted = true;
  BindContext bind("split", bytes, inputs, outputs, 1, Isa::kGeneric);
  CHECK_CODE(row->bind(bind), Code::kInvalidGraph);
}

}  // namespace
}  // namespace ortc::test
