// SPDX-License-Identifier: MIT
// Operators that choose or rearrange: NonMaxSuppression, Unique, Compress, DepthToSpace,
// SpaceToDepth, ReverseSequence, CenterCropPad, MaxUnpool, Col2Im, TensorScatter, OneHot, NonZero,
// Trilu.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

TEST(non_max_suppression, keeps_the_best_of_what_overlaps) {
  const Tensor boxes = tensor<float>(
      {1, 5, 4}, {0, 0, 1, 1, 1, 1.1f, 0, 0.1f, 0, 5, 1, 6, 0, 5.1f, 1, 6.1f, 9, 9, 9, 9});
  const Tensor scores = tensor<float>({1, 1, 5}, {0.5f, 0.9f, 0.7f, 0.7f, 0.6f});
  const auto run = [&](int64_t count, float overlap, float score) {
    return run_one({"NonMaxSuppression", 11},
                   {boxes, scores, int64s({count}), tensor<float>({1}, {overlap}),
                    tensor<float>({1}, {score})});
  };
  CHECK(holds<int64_t>(run(9, 0.5f, 0), {3, 3}, {0, 0, 1, 0, 0, 2, 0, 0, 4}));
  CHECK(holds<int64_t>(run(1, 0.5f, 0), {1, 3}, {0, 0, 1}));
  CHECK(holds<int64_t>(run(9, 0.5f, 0.65f), {2, 3}, {0, 0, 1, 0, 0, 2}));
  CHECK_EQ(run(9, 1, 0).dims(), (Dims{5, 3}));
  CHECK_EQ(run(0, 0.5f, 0).dims(), (Dims{0, 3}));
  CHECK_EQ(run_one({"NonMaxSuppression", 11}, {boxes, scores}).dims(), (Dims{0, 3}));
  CHECK_CODE(run_op({"NonMaxSuppression", 11}, {boxes, tensor<float>({1, 1, 1}, {1})}),
             Code::kInvalidArgument);
}

TEST(non_max_suppression, takes_every_score_without_a_threshold) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Tensor boxes =
      tensor<float>({1, 4, 4}, {0, 0, 1, 1, 5, 5, 6, 6, 9, 9, 10, 10, 20, 20, 21, 21});
  const Tensor scores = tensor<float>({1, 1, 4}, {-kInfinity, 0.5f, std::nanf(""), -3});
  const Tensor all = run_one({"NonMaxSuppression", 11}, {boxes, scores, int64s({9})});
  CHECK(holds<int64_t>(all, {4, 3}, {0, 0, 2, 0, 0, 1, 0, 0, 3, 0, 0, 0}));
  const Tensor some = run_one(
      {"NonMaxSuppression", 11},
      {boxes, scores, int64s({9}), tensor<float>({1}, {0.0f}), tensor<float>({1}, {-kInfinity})});
  CHECK(holds<int64_t>(some, {2, 3}, {0, 0, 1, 0, 0, 3}));
}

// Boxes as the operator's definition takes them: the best that is left, if it overlaps no kept one.
std::vector<int64_t> plainly_kept(const Tensor& boxes, const Tensor& scores, int64_t most,
                                  float overlap) {
  const auto b = boxes.elements<float>(), score = scores.elements<float>();
  std::vector<size_t> order(score.size()), kept;
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t i, size_t k) { return score[i] > score[k]; });
  const auto area = [&](size_t i) {
    return (b[4 * i + 2] - b[4 * i]) * (b[4 * i + 3] - b[4 * i + 1]);
  };
  for (const size_t i : order) {
    const bool is_free = std::all_of(kept.begin(), kept.end(), [&](size_t k) {
      const float h = std::min(b[4 * i + 2], b[4 * k + 2]) - std::max(b[4 * i], b[4 * k]);
      const float w = std::min(b[4 * i + 3], b[4 * k + 3]) - std::max(b[4 * i + 1], b[4 * k + 1]);
      return h <= 0 || w <= 0 || h * w / (area(i) + area(k) - h * w) <= overlap;
    });
    if (is_free && score[i] > 0.1f && static_cast<int64_t>(kept.size()) < most) kept.push_back(i);
  }
  return {kept.begin(), kept.end()};
}

TEST(non_max_suppression, agrees_with_plain_loops_for_any_number_of_boxes) {
  Random random(7);
  for (const int64_t count : {1, 7, 8, 9, 33, 100, 300, 5000}) {
    Tensor boxes = random.floats({1, count, 4}), scores = random.floats({1, 1, count});
    for (int64_t i = 0; i < count; ++i) {
      float* box = boxes.mutable_elements<float>().data() + 4 * i;
      for (int k = 0; k < 2; ++k) {
        box[k] = std::fabs(box[k]) * 20;
        box[k + 2] = box[k] + std::fabs(box[k + 2]);
      }
      // Few different ones, so that many are equal.
      float& score = scores.mutable_elements<float>()[static_cast<size_t>(i)];
      score = std::round(score * 40) / 40;
    }
    // Next to so large a one the others are near each other.
    if (count == 300) scores.mutable_elements<float>()[17] = 3e38f;
    for (const int64_t most : {int64_t{1}, int64_t{5}, count}) {
      const Tensor y = run_one(
          {"NonMaxSuppression", 11},
          {boxes, scores, int64s({most}), tensor<float>({1}, {0.3f}), tensor<float>({1}, {0.1f})});
      std::vector<int64_t> rows;
      for (const int64_t i : plainly_kept(boxes, scores, most, 0.3f)) {
        rows.insert(rows.end(), {0, 0, i});
      }
      CHECK(std::ranges::equal(y.elements<int64_t>(), rows));
    }
  }
}

template <typename T>
void check_unique(const std::vector<T>& values) {
  const auto n = static_cast<int64_t>(values.size());
  auto outputs = run_op({"Unique", 11, {}, 4}, {Tensor::from<T>({n}, values)});
  CHECK_OK(outputs);
  std::map<T, std::vector<int64_t>> places;
  for (int64_t i = 0; i < n; ++i) places[values[static_cast<size_t>(i)]].push_back(i);
  std::vector<T> found;
  std::vector<int64_t> first, counts, inverse(values.size());
  for (const auto& [value, where] : places) {
    for (const int64_t i : where) inverse[static_cast<size_t>(i)] = std::ssize(found);
    found.push_back(value);
    first.push_back(where[0]);
    counts.push_back(std::ssize(where));
  }
  CHECK(std::ranges::equal((*outputs)[0].template elements<T>(), found));
  CHECK(std::ranges::equal((*outputs)[1].template elements<int64_t>(), first));
  CHECK(std::ranges::equal((*outputs)[2].template elements<int64_t>(), inverse));
  CHECK(std::ranges::equal((*outputs)[3].template elements<int64_t>(), counts));
}

TEST(unique, orders_many_numbers_of_any_range) {
  for (const size_t n : {1, 2, 67, 255, 256, 257, 5000}) {
    Random random(n);
    const Tensor x = random.floats({static_cast<int64_t>(n)});
    std::vector<float> floats(x.elements<float>().begin(), x.elements<float>().end());
    std::vector<int64_t> wide, narrow;
    std::vector<uint8_t> bytes;
    std::vector<double> doubles;
    for (size_t i = 0; i < n; ++i) {
      if (i % 5 == 0) floats[i] = i % 2 == 0 ? 0.0f : -floats[i / 2];
      wide.push_back(static_cast<int64_t>(static_cast<double>(floats[i]) * 2e18));
      narrow.push_back(static_cast<int64_t>(floats[i] * 100.0f));
      bytes.push_back(static_cast<uint8_t>(i * 37));
      doubles.push_back(
          std::ldexp(static_cast<double>(floats[i]), static_cast<int>(i % 600) - 300));
    }
    wide[0] = std::numeric_limits<int64_t>::min();
    wide[n - 1] = std::numeric_limits<int64_t>::max();
    check_unique(floats);
    check_unique(wide);
    check_unique(narrow);
    check_unique(bytes);
    check_unique(doubles);
  }
}

TEST(unique, takes_both_zeros_for_one_and_all_that_is_no_number_for_one) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto outputs = run_op({"Unique", 11, {}, 4}, {tensor<float>({6}, {nan, 0, -1, -0.0f, -nan, 0})});
  CHECK_OK(outputs);
  CHECK(holds<int64_t>((*outputs)[1], {3}, {2, 1, 0}));
  CHECK(holds<int64_t>((*outputs)[3], {3}, {1, 3, 2}));
}

TEST(unique, sorts_or_keeps_the_order_and_counts) {
  const Tensor x = tensor<float>({6}, {2, 1, 1, 3, 4, 3});
  const auto run = [&](int64_t sorted) {
    auto outputs = run_op({"Unique", 11, {Attribute::of_int("sorted", sorted)}, 4}, {x});
    CHECK_OK(outputs);
    return *outputs;
  };
  const auto sorted = run(1);
  CHECK(holds<float>(sorted[0], {4}, {1, 2, 3, 4}));
  CHECK(holds<int64_t>(sorted[1], {4}, {1, 0, 3, 4}));
  CHECK(holds<int64_t>(sorted[2], {6}, {1, 0, 0, 2, 3, 2}));
  CHECK(holds<int64_t>(sorted[3], {4}, {2, 1, 2, 1}));
  const auto first = run(0);
  CHECK(holds<float>(first[0], {4}, {2, 1, 3, 4}));
  CHECK(holds<int64_t>(first[1], {4}, {0, 1, 3, 4}));
  CHECK(holds<int64_t>(first[2], {6}, {0, 1, 1, 2, 3, 2}));
  CHECK(holds<int64_t>(first[3], {4}, {1, 2, 2, 1}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor odd = run_one({"Unique", 11}, {tensor<float>({4}, {nan, 1, nan, 0})});
  CHECK_EQ(odd.dims(), (Dims{3}));
  CHECK_EQ(odd.elements<float>()[1], 1.0f);
}

TEST(unique, compares_slices_along_an_axis) {
  const Tensor x = tensor<int32_t>({2, 3}, {1, 0, 1, 2, 0, 2});
  auto outputs = run_op({"Unique", 11, {Attribute::of_int("axis", 1)}, 3}, {x});
  CHECK_OK(outputs);
  CHECK(holds<int32_t>((*outputs)[0], {2, 2}, {0, 1, 0, 2}));
  CHECK(holds<int64_t>((*outputs)[2], {3}, {1, 0, 1}));
  CHECK_CODE(run_op({"Unique", 11, {Attribute::of_int("axis", 2)}}, {x}), Code::kInvalidArgument);
}

TEST(compress, takes_slices_or_elements) {
  const Tensor x = tensor<int32_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  Tensor condition = Tensor::create(DType::kBool, {2}).value();
  condition.mutable_elements<bool>()[0] = false;
  condition.mutable_elements<bool>()[1] = true;
  const auto along = [&](int64_t axis) {
    return run_one({"Compress", 11, {Attribute::of_int("axis", axis)}}, {x, condition});
  };
  CHECK(holds<int32_t>(along(0), {1, 2}, {3, 4}));
  CHECK(holds<int32_t>(along(-1), {3, 1}, {2, 4, 6}));
  CHECK(holds<int32_t>(run_one({"Compress", 11}, {x, condition}), {1}, {2}));
}

// Few slices at many places, as columns of tables are, of a few bytes and of many.
TEST(compress, takes_columns_of_tables) {
  Random random(90);
  for (const DType dtype : {DType::kUint8, DType::kFloat16, DType::kFloat32, DType::kInt64}) {
    const auto size = static_cast<size_t>(dtype_bits(dtype)) / 8;
    for (const int64_t outer : {1, 3, 4, 5000}) {
      for (const int64_t inner : {1, 2, 3, 7}) {
        for (int bits = 0; bits < 8; ++bits) {
          const Tensor x = random.bytes(dtype, {outer, 3, inner});
          Tensor condition = Tensor::create(DType::kBool, {3}).value();
          std::vector<int64_t> kept;
          for (int64_t i = 0; i < 3; ++i) {
            const bool stays = (bits >> i & 1) != 0;
            condition.mutable_elements<bool>()[size_t(i)] = stays;
            if (stays) kept.push_back(i);
          }
          const Tensor y =
              run_one({"Compress", 11, {Attribute::of_int("axis", 1)}}, {x, condition});
          CHECK_EQ(y.dims(), (Dims{outer, static_cast<int64_t>(kept.size()), inner}));
          for (int64_t i = 0; i < y.element_count(); ++i) {
            const Dims at = coordinates(i, y.dims());
            const int64_t from = index_at({at[0], kept[size_t(at[1])], at[2]}, x.dims());
            CHECK(std::memcmp(y.bytes().data() + static_cast<size_t>(i) * size,
                              x.bytes().data() + static_cast<size_t>(from) * size, size) == 0);
          }
        }
      }
    }
  }
}

TEST(space_and_depth, undo_each_other) {
  Random random(91);
  for (const DType dtype : {DType::kUint8, DType::kFloat16, DType::kFloat32, DType::kInt64}) {
    const Tensor x = random.bytes(dtype, {2, 3, 4, 6});
    const Attribute block = Attribute::of_int("blocksize", 2);
    const Tensor deep = run_one({"SpaceToDepth", 13, {block}}, {x});
    CHECK_EQ(deep.dims(), (Dims{2, 12, 2, 3}));
    CHECK(same_bits(run_one({"DepthToSpace", 13, {block}}, {deep}), x));
  }
  const Tensor x = tensor<int32_t>({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Op crd{
      "DepthToSpace", 13, {Attribute::of_int("blocksize", 2), Attribute::of_string("mode", "CRD")}};
  CHECK(holds<int32_t>(run_one(crd, {x}), {1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}));
  const Op dcr{"DepthToSpace", 13, {Attribute::of_int("blocksize", 2)}};
  CHECK(holds<int32_t>(run_one(dcr, {x}), {1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7}));
  CHECK_CODE(run_op({"DepthToSpace", 13, {Attribute::of_int("blocksize", 3)}}, {x}),
             Code::kInvalidArgument);
}

TEST(space_and_depth, agree_with_their_formulas_at_every_width) {
  Random random(92);
  for (const DType dtype : {DType::kUint8, DType::kFloat16, DType::kFloat32, DType::kInt64}) {
    const auto size = static_cast<size_t>(dtype_bits(dtype)) / 8;
    for (const int64_t b : {1, 2, 3, 4}) {
      for (const int64_t width : {1, 3, 4, 5, 16, 21, 35}) {
        for (const char* mode : {"DCR", "CRD"}) {
          const Tensor x = random.bytes(dtype, {2, 3 * b * b, 2, width});
          const Tensor y =
              run_one({"DepthToSpace",
                       13,
                       {Attribute::of_int("blocksize", b), Attribute::of_string("mode", mode)}},
                      {x});
          CHECK_EQ(y.dims(), (Dims{2, 3, 2 * b, width * b}));
          for (int64_t i = 0; i < y.element_count(); ++i) {
            const Dims at = coordinates(i, y.dims());
            const int64_t in_block = at[2] % b * b + at[3] % b;
            const int64_t depth = mode[0] == 'D' ? in_block * 3 + at[1] : at[1] * b * b + in_block;
            const int64_t from = index_at({at[0], depth, at[2] / b, at[3] / b}, x.dims());
            CHECK(std::memcmp(y.bytes().data() + static_cast<size_t>(i) * size,
                              x.bytes().data() + static_cast<size_t>(from) * size, size) == 0);
          }
          if (mode[0] == 'D') {
            const Op back{"SpaceToDepth", 13, {Attribute::of_int("blocksize", b)}};
            CHECK(same_bits(run_one(back, {y}), x));
          }
        }
      }
    }
  }
}

TEST(reverse_sequence, turns_the_beginning_of_each_entry) {
  const Tensor x = tensor<int32_t>({3, 2}, {0, 1, 2, 3, 4, 5});
  CHECK(holds<int32_t>(run_one({"ReverseSequence", 10}, {x, int64s({2, 3})}), {3, 2},
                       {2, 5, 0, 3, 4, 1}));
  const Op batch_first{"ReverseSequence",
                       10,
                       {Attribute::of_int("batch_axis", 0), Attribute::of_int("time_axis", 1)}};
  CHECK(holds<int32_t>(run_one(batch_first, {x, int64s({1, 2, 0})}), {3, 2}, {0, 1, 3, 2, 4, 5}));
  CHECK_CODE(run_op({"ReverseSequence", 10}, {x, int64s({4, 0})}), Code::kInvalidArgument);
}

TEST(center_crop_pad, keeps_the_middle) {
  const Tensor x = tensor<int32_t>({5}, {1, 2, 3, 4, 5});
  CHECK(holds<int32_t>(run_one({"CenterCropPad", 18}, {x, int64s({3})}), {3}, {2, 3, 4}));
  CHECK(holds<int32_t>(run_one({"CenterCropPad", 18}, {x, int64s({2})}), {2}, {2, 3}));
  CHECK(holds<int32_t>(run_one({"CenterCropPad", 18}, {x, int64s({8})}), {8},
                       {0, 1, 2, 3, 4, 5, 0, 0}));
  Random random(92);
  const Op last{"CenterCropPad", 18, {Attribute::of_ints("axes", {-1})}};
  CHECK_EQ(run_one(last, {random.floats({2, 3, 4}), int64s({9})}).dims(), (Dims{2, 3, 9}));
  CHECK_CODE(run_op({"CenterCropPad", 18}, {x, int64s({3, 3})}), Code::kInvalidArgument);
}

TEST(max_unpool, puts_values_where_the_pool_found_them) {
  Random random(93);
  const Tensor x = random.floats({2, 3, 6, 8});
  const std::vector<Attribute> windows = {Attribute::of_ints("kernel_shape", {2, 2}),
                                          Attribute::of_ints("strides", {2, 2})};
  auto pooled = run_op({"MaxPool", 12, windows, 2}, {x});
  CHECK_OK(pooled);
  const Tensor y = run_one({"MaxUnpool", 11, windows}, *pooled);
  CHECK_EQ(y.dims(), x.dims());
  size_t kept = 0;
  for (size_t i = 0; i < y.elements<float>().size(); ++i) {
    if (y.elements<float>()[i] == 0) continue;
    CHECK_EQ(y.elements<float>()[i], x.elements<float>()[i]);
    ++kept;
  }
  CHECK_EQ(kept, static_cast<size_t>((*pooled)[0].element_count()));
  const Tensor wrong = tensor<int64_t>({1, 1, 1, 1}, {4});
  CHECK_CODE(run_op({"MaxUnpool", 11, windows}, {tensor<float>({1, 1, 1, 1}, {1}), wrong}),
             Code::kInvalidArgument);
}

TEST(col2im, adds_up_what_overlaps) {
  Tensor columns = Tensor::create(DType::kFloat32, {1, 4, 4}).value();
  for (float& v : columns.mutable_elements<float>()) v = 1;
  CHECK(holds<float>(run_one({"Col2Im", 18}, {columns, int64s({3, 3}), int64s({2, 2})}),
                     {1, 1, 3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1}));
  CHECK_CODE(run_op({"Col2Im", 18}, {columns, int64s({4, 3}), int64s({2, 2})}),
             Code::kInvalidArgument);
}

// Sums of small whole numbers, which every type holds.
template <typename T>
void check_columns(const Dims& image, const Dims& block, const std::vector<int64_t>& strides,
                   const std::vector<int64_t>& dilations, const std::vector<int64_t>& pads) {
  const size_t rank = image.size();
  Dims count(rank);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t reach = dilations[d] * (block[d] - 1) + 1;
    count[d] = (image[d] + pads[d] + pads[rank + d] - reach) / strides[d] + 1;
  }
  const auto size = [](const Dims& dims) {
    int64_t n = 1;
    for (const int64_t dim : dims) n *= dim;
    return n;
  };
  const Dims columns{2, 3 * size(block), size(count)};
  Dims images{2, 3};
  images.insert(images.end(), image.begin(), image.end());
  std::vector<T> x(static_cast<size_t>(size(columns))), y(static_cast<size_t>(size(images)));
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = T(static_cast<float>(i * 7 % 5));
    const Dims at = coordinates(static_cast<int64_t>(i), columns);
    const Dims place = coordinates(at[1] % size(block), block), o = coordinates(at[2], count);
    int64_t to = at[0] * 3 + at[1] / size(block);
    bool is_inside = true;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t pixel = o[d] * strides[d] + place[d] * dilations[d] - pads[d];
      is_inside = is_inside && pixel >= 0 && pixel < image[d];
      to = to * image[d] + pixel;
    }
    if (!is_inside) continue;
    T& sum = y[static_cast<size_t>(to)];
    sum = T(static_cast<float>(sum) + static_cast<float>(x[i]));
  }
  const auto ints = [](const Dims& dims) {
    return Tensor::from<int64_t>({static_cast<int64_t>(dims.size())}, dims);
  };
  const Op op{"Col2Im",
              18,
              {Attribute::of_ints("strides", strides), Attribute::of_ints("dilations", dilations),
               Attribute::of_ints("pads", pads)}};
  CHECK(same_bits(run_one(op, {Tensor::from<T>(columns, x), ints(image), ints(block)}),
                  Tensor::from<T>(images, y)));
}

template <typename T>
void check_columns_of() {
  check_columns<T>({37}, {5}, {1}, {3}, {4, 7});
  check_columns<T>({37}, {5}, {3}, {1}, {0, 20});
  check_columns<T>({34, 34}, {3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0});
  check_columns<T>({19, 18}, {3, 4}, {1, 1}, {1, 2}, {1, 5, 2, 3});
  check_columns<T>({9, 40}, {2, 2}, {2, 1}, {1, 1}, {0, 0, 0, 0});
  check_columns<T>({11, 12}, {3, 3}, {2, 3}, {2, 1}, {2, 0, 1, 2});
  check_columns<T>({1, 21}, {1, 4}, {1, 1}, {1, 1}, {0, 3, 0, 3});
  check_columns<T>({7, 3}, {5, 2}, {1, 2}, {1, 1}, {9, 3, 9, 3});  // places in the padding alone
  check_columns<T>({5, 6, 7}, {2, 3, 2}, {1, 2, 1}, {2, 1, 1}, {1, 0, 1, 0, 1, 1});
}

TEST(col2im, agrees_with_plain_loops) {
  check_columns_of<float>();
  check_columns_of<double>();
  check_columns_of<int8_t>();
  check_columns_of<uint16_t>();
  check_columns_of<int32_t>();
  check_columns_of<int64_t>();
  for (int64_t n = 1; n <= 67; ++n) {
    check_columns<float>({n + 2, 5}, {2, 3}, {1, 1}, {1, 1}, {0, 0, 1, 0});
    check_columns<float>({4, n + 2}, {3, 2}, {1, 1}, {1, 1}, {0, 1, 0, 1});
    check_columns<float>({4, n + 2}, {3, 2}, {2, 1}, {1, 2}, {1, 0, 0, 0});
  }
}

TEST(tensor_scatter, writes_from_its_own_index_on) {
  const Tensor cache = tensor<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const Tensor update = tensor<float>({2, 2, 1}, {10, 20, 30, 40});
  const auto run = [&](const char* mode, int64_t first, int64_t second) {
    return run_op({"TensorScatter", 24, {Attribute::of_string("mode", mode)}},
                  {cache, update, int64s({first, second})});
  };
  CHECK(holds<float>((*run("linear", 0, 1))[0], {2, 3, 1}, {10, 20, 3, 4, 30, 40}));
  CHECK(holds<float>((*run("circular", 2, 1))[0], {2, 3, 1}, {20, 2, 10, 4, 30, 40}));
  CHECK_CODE(run("linear", 2, 0), Code::kInvalidArgument);
  CHECK_CODE(run("circular", 3, 0), Code::kInvalidArgument);
}

TEST(one_hot, puts_the_classes_along_any_axis) {
  Random random(8);
  for (const int64_t inner : {1, 7, 67, 600}) {
    const Tensor given = random.floats({3, inner});
    std::vector<int32_t> indices;
    for (const float v : given.elements<float>()) indices.push_back(static_cast<int32_t>(v * 6));
    const Tensor x = Tensor::from<int32_t>({3, inner}, indices);
    for (const int64_t axis : {0, 1, 2}) {
      const Tensor y = run_one({"OneHot", 11, {Attribute::of_int("axis", axis)}},
                               {x, int64s({5}), tensor<float>({2}, {3, 4})});
      const int64_t behind = axis == 0 ? 3 * inner : axis == 1 ? inner : 1;
      for (int64_t i = 0; i < y.element_count(); ++i) {
        const int64_t place = i / behind % 5, at = i / (behind * 5) * behind + i % behind;
        const int64_t index = indices[static_cast<size_t>(at)];
        const bool is_it = index == place || index == place - 5;
        CHECK_EQ(y.elements<float>()[static_cast<size_t>(i)], is_it ? 4.0f : 3.0f);
      }
    }
  }
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
