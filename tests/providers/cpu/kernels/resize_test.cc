// SPDX-License-Identifier: MIT
// Resize against interpolation written out here, one output element at a time over all taps of all
// axes; and the forms of Upsample.
#include <cmath>
#include <functional>
#include <limits>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

struct Mode {
  const char* mode;
  const char* transform;
  const char* nearest = "round_prefer_floor";
};

double place_of(const std::string& transform, double x, double in, double out) {
  if (transform == "asymmetric") return x * in / out;
  if (transform == "align_corners") return out == 1 ? 0 : x * (in - 1) / (out - 1);
  if (transform == "pytorch_half_pixel" && out == 1) return 0;
  return (x + 0.5) * in / out - 0.5;
}

double cubic(double t) {
  const double a = -0.75, x = std::fabs(t);
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

// The weight of input element i for a place.
double weight_of(const Mode& mode, double place, int64_t i) {
  const double d = static_cast<double>(i) - place;
  if (std::string(mode.mode) == "linear") return std::max(0.0, 1 - std::fabs(d));
  if (std::string(mode.mode) == "cubic") return cubic(d);
  const std::string nearest = mode.nearest;
  double chosen = std::ceil(place);
  if (nearest == "floor") chosen = std::floor(place);
  if (nearest == "round_prefer_floor") chosen = std::ceil(place - 0.5);
  if (nearest == "round_prefer_ceil") chosen = std::floor(place + 0.5);
  return static_cast<double>(i) == chosen ? 1 : 0;
}

double expected_at(const Mode& mode, const Tensor& x, const Dims& out, const Dims& at) {
  double sum = 0;
  const std::function<void(size_t, double, Dims)> add = [&](size_t d, double weight, Dims from) {
    if (d == at.size()) {
      sum += weight * static_cast<double>(
                          x.elements<float>()[static_cast<size_t>(index_at(from, x.dims()))]);
      return;
    }
    const auto in = static_cast<double>(x.dims()[d]), size = static_cast<double>(out[d]);
    if (x.dims()[d] == out[d]) {
      from.push_back(at[d]);
      return add(d + 1, weight, from);
    }
    const double place = place_of(mode.transform, static_cast<double>(at[d]), in, size);
    for (int64_t i = -4; i < x.dims()[d] + 4; ++i) {
      const double w = weight_of(mode, place, i);
      if (w == 0) continue;
      Dims next = from;
      next.push_back(std::clamp<int64_t>(i, 0, x.dims()[d] - 1));
      add(d + 1, weight * w, next);
    }
  };
  add(0, 1, {});
  return sum;
}

Op resize(const Mode& mode) {
  return {"Resize",
          19,
          {Attribute::of_string("mode", mode.mode),
           Attribute::of_string("coordinate_transformation_mode", mode.transform),
           Attribute::of_string("nearest_mode", mode.nearest)}};
}

void check_sizes(const Mode& mode, const Tensor& x, const Dims& out) {
  const Tensor sizes =
      Tensor::from<int64_t>({static_cast<int64_t>(out.size())}, {out.data(), out.size()});
  const Tensor y = run_one(resize(mode), {x, Tensor(), Tensor(), sizes});
  CHECK_EQ(y.dims(), out);
  for (int64_t i = 0; i < y.element_count(); ++i) {
    const double expected = expected_at(mode, x, out, coordinates(i, out));
    CHECK_NEAR(static_cast<double>(y.elements<float>()[static_cast<size_t>(i)]), expected, 1e-5,
               1e-5);
  }
}

TEST(resize, interpolates_as_defined_in_every_mode) {
  Random random(31);
  const char* transforms[] = {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"};
  for (const char* transform : transforms) {
    for (const char* nearest : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) {
      check_sizes({"nearest", transform, nearest}, random.floats({2, 3, 5}), {2, 7, 4});
    }
    for (const char* mode : {"linear", "cubic"}) {
      const Mode chosen{mode, transform};
      check_sizes(chosen, random.floats({1, 2, 6, 5}), {1, 2, 13, 9});
      check_sizes(chosen, random.floats({2, 4, 7}), {2, 3, 1});
      check_sizes(chosen, random.floats({3, 4, 5, 6}), {2, 6, 5, 8});
      check_sizes(chosen, random.floats({4, 33}), {8, 33});
      check_sizes(chosen, random.floats({3, 2, 4}), {6, 4, 8});
    }
  }
}

// Bytes are what larger integers are, held within their range.
template <typename T>
void check_bytes(const Dims& dims, const Dims& out, const char* mode, bool antialias) {
  Random random(static_cast<uint64_t>(out[2] * 100 + out[3]));
  std::vector<T> bytes;
  std::vector<int32_t> numbers;
  const Tensor floats = random.floats(dims);
  for (const float v : floats.elements<float>()) {
    const float code = std::nearbyint(v * 400) + (std::is_signed_v<T> ? 0.0f : 128.0f);
    numbers.push_back(static_cast<int32_t>(
        std::clamp<float>(code, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())));
    bytes.push_back(static_cast<T>(numbers.back()));
  }
  const Op op = {"Resize",
                 18,
                 {Attribute::of_string("mode", mode), Attribute::of_int("antialias", antialias)}};
  const Tensor sizes = int64s({out[0], out[1], out[2], out[3]});
  const Tensor y = run_one(op, {Tensor::from<T>(dims, bytes), Tensor(), Tensor(), sizes});
  const Tensor wide =
      run_one(op, {Tensor::from<int32_t>(dims, numbers), Tensor(), Tensor(), sizes});
  const auto found = y.elements<T>();
  const auto expected = wide.elements<int32_t>();
  CHECK_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK_EQ(int32_t{found[i]}, std::clamp<int32_t>(expected[i], std::numeric_limits<T>::min(),
                                                    std::numeric_limits<T>::max()));
  }
}

TEST(resize, bytes_saturate_and_are_cut_off_as_wider_integers) {
  for (const char* mode : {"linear", "cubic"}) {
    for (const bool antialias : {false, true}) {
      for (const Dims& out : {Dims{1, 3, 17, 21}, {1, 3, 4, 40}, {1, 3, 30, 3}, {1, 3, 9, 13}}) {
        check_bytes<uint8_t>({1, 3, 9, 13}, out, mode, antialias);
        check_bytes<int8_t>({1, 3, 9, 13}, out, mode, antialias);
      }
    }
  }
}

TEST(resize, doubles_an_image_as_a_copy_of_each_pixel) {
  Random random(32);
  for (const DType dtype : {DType::kUint8, DType::kFloat16, DType::kFloat32, DType::kInt64}) {
    const Tensor x = random.bytes(dtype, {2, 3, 5, 7});
    const Tensor scales = tensor<float>({4}, {1, 1, 2, 2});
    const Tensor y = run_one({"Resize",
                              13,
                              {Attribute::of_string("coordinate_transformation_mode", "asymmetric"),
                               Attribute::of_string("nearest_mode", "floor")}},
                             {x, Tensor(), scales});
    const Tensor old = run_one({"Upsample", 9}, {x, scales});
    CHECK(same_bits(y, old));
    CHECK_EQ(y.dims(), (Dims{2, 3, 10, 14}));
    const auto size = static_cast<size_t>(dtype_bits(dtype)) / 8;
    for (int64_t i = 0; i < y.element_count(); ++i) {
      Dims at = coordinates(i, y.dims());
      at[2] /= 2;
      at[3] /= 2;
      const auto from = static_cast<size_t>(index_at(at, x.dims()));
      CHECK(std::memcmp(y.bytes().data() + static_cast<size_t>(i) * size,
                        x.bytes().data() + from * size, size) == 0);
    }
  }
}

// Places that meet an element, or the middle between two, are found by whole numbers here. Scales
// are the ratio in single precision, as exporters write them.
TEST(resize, the_nearest_of_two_is_the_one_that_fractions_give) {
  const int64_t lengths[] = {1, 7, 50, 77, 100, 133, 224, 300, 400, 640};
  for (const int64_t in : lengths) {
    std::vector<float> numbers(static_cast<size_t>(in));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
    const Tensor x = Tensor::from<float>({in}, numbers);
    for (const int64_t out : lengths) {
      const Tensor sizes = tensor<int64_t>({1}, {out});
      const auto scale = static_cast<float>(static_cast<double>(out) / static_cast<double>(in));
      const auto check = [&](const Mode& mode, auto index) {
        const Tensor of_sizes = run_one(resize(mode), {x, Tensor(), Tensor(), sizes});
        const Tensor of_scale = run_one(resize(mode), {x, Tensor(), tensor<float>({1}, {scale})});
        CHECK_EQ(of_sizes.dims(), Dims{out});
        for (int64_t i = 0; i < out; ++i) {
          const auto expected = static_cast<float>(std::clamp<int64_t>(index(i), 0, in - 1));
          CHECK_EQ(of_sizes.elements<float>()[static_cast<size_t>(i)], expected);
          if (of_scale.dims() != of_sizes.dims()) continue;  // rounded down to one element less
          CHECK_EQ(of_scale.elements<float>()[static_cast<size_t>(i)], expected);
        }
      };
      check({"nearest", "asymmetric", "floor"}, [&](int64_t i) { return i * in / out; });
      // The least whole number that is not below (2 i + 1) in / (2 out) - 1.
      check({"nearest", "half_pixel"},
            [&](int64_t i) { return ((2 * i + 1) * in + 2 * out - 1) / (2 * out) - 1; });
    }
  }
}

// The places look like those of a doubled image, in one axis or for the elements that there are.
TEST(resize, an_image_that_is_not_doubled_both_ways_is_copied_by_places) {
  Random random(33);
  const Mode mode{"nearest", "asymmetric", "floor"};
  const auto check_scales = [&](const Dims& dims, const std::vector<float>& scales) {
    const Tensor x = random.floats(dims);
    const auto rank = static_cast<int64_t>(scales.size());
    const Tensor y = run_one(resize(mode), {x, Tensor(), Tensor::from<float>({rank}, scales)});
    for (int64_t i = 0; i < y.element_count(); ++i) {
      Dims at = coordinates(i, y.dims());
      for (size_t d = 0; d < at.size(); ++d) {
        at[d] = static_cast<int64_t>(static_cast<float>(at[d]) / scales[d]);
      }
      CHECK_EQ(y.elements<float>()[static_cast<size_t>(i)],
               x.elements<float>()[static_cast<size_t>(index_at(at, x.dims()))]);
    }
  };
  check_scales({1, 3, 5, 1}, {1, 1, 2, 1});
  check_scales({5, 1}, {2, 1});
  check_scales({1, 1, 10, 10}, {1, 1, 1.895f, 1.895f});
  check_scales({1, 2, 6, 10}, {1, 1, 2, 1.895f});
  check_scales({2, 2, 6, 4}, {1, 1, 2, 2});
}

TEST(resize, scales_of_the_first_upsample_are_attributes) {
  const Tensor x = tensor<float>({1, 1, 1, 2}, {1, 3});
  const Op op{
      "Upsample",
      7,
      {Attribute::of_string("mode", "linear"), Attribute::of_floats("scales", {1, 1, 1, 2})}};
  CHECK(holds<float>(run_one(op, {x}), {1, 1, 1, 4}, {1, 2, 3, 3}));
}

TEST(resize, widens_the_filter_when_it_shrinks_with_antialias) {
  const Tensor x = tensor<float>({1, 8}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Op op{
      "Resize", 18, {Attribute::of_string("mode", "linear"), Attribute::of_int("antialias", 1)}};
  const Tensor y = run_one(op, {x, Tensor(), Tensor(), int64s({1, 2})});
  // Triangles of half width 4 around 1.5 and 5.5; the ends of the axis repeat.
  double left = 0, sum = 0;
  for (int i = -4; i < 12; ++i) {
    const double w = std::max(0.0, 1 - std::fabs(i - 1.5) / 4);
    left += w * std::clamp(i, 0, 7);
    sum += w;
  }
  CHECK_NEAR(static_cast<double>(y.elements<float>()[0]), left / sum, 1e-5, 1e-5);
  CHECK_NEAR(static_cast<double>(y.elements<float>()[1]), 7 - left / sum, 1e-5, 1e-5);
}

TEST(resize, keeps_the_aspect_and_crops) {
  Random random(33);
  const auto dims_with = [&](const char* policy) {
    const Op op{"Resize",
                18,
                {Attribute::of_string("keep_aspect_ratio_policy", policy),
                 Attribute::of_ints("axes", {-1, -2})}};
    return run_one(op, {random.floats({1, 4, 6}), Tensor(), Tensor(), int64s({12, 10})}).dims();
  };
  CHECK_EQ(dims_with("not_larger"), (Dims{1, 8, 12}));
  CHECK_EQ(dims_with("not_smaller"), (Dims{1, 10, 15}));
  CHECK_EQ(dims_with("stretch"), (Dims{1, 10, 12}));
  const Op crop{"Resize",
                18,
                {Attribute::of_string("mode", "linear"),
                 Attribute::of_string("coordinate_transformation_mode", "tf_crop_and_resize"),
                 Attribute::of_float("extrapolation_value", 9)}};
  const Tensor y = run_one(crop, {tensor<float>({3}, {0, 1, 2}), tensor<float>({2}, {0.5f, 1.5f}),
                                  Tensor(), int64s({3})});
  CHECK(holds<float>(y, {3}, {1, 2, 9}));
}

TEST(resize, refuses_what_makes_no_sense) {
  Random random(34);
  const Tensor x = random.floats({2, 3});
  const auto with_scales = [&](float a, float b) {
    return run_op({"Resize", 13}, {x, Tensor(), tensor<float>({2}, {a, b})});
  };
  CHECK_CODE(with_scales(0, 1), Code::kInvalidArgument);
  CHECK_CODE(with_scales(-1, 1), Code::kInvalidArgument);
  CHECK_CODE(with_scales(std::numeric_limits<float>::quiet_NaN(), 1), Code::kInvalidArgument);
  CHECK_CODE(with_scales(1, 3e38f), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Resize", 13}, {x, Tensor(), Tensor(), int64s({4})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Resize", 13}, {x, Tensor(), Tensor(), int64s({4, -1})}),
             Code::kInvalidArgument);
  CHECK_CODE(run_op({"Resize", 13}, {x}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Resize", 13, {Attribute::of_string("mode", "round")}}, {x}),
             Code::kInvalidGraph);
  CHECK_EQ(run_one({"Resize", 13}, {x, Tensor(), tensor<float>({2}, {0.1f, 1})}).dims(),
           (Dims{0, 3}));
}

TEST(resize, refuses_scratch_that_nobody_has) {
  // Scales that come at run time, and a region so wide that tiny scales still give elements.
  const auto crop = Attribute::of_string("coordinate_transformation_mode", "tf_crop_and_resize");
  const Op op{"Resize",
              18,
              {Attribute::of_string("mode", "linear"), Attribute::of_int("antialias", 1), crop}};
  const Tensor x = tensor<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  for (const float tiny : {1e-15f, 1e-17f, 2e-18f}) {
    const Tensor roi = tensor<float>({8}, {0, 0, 0, 0, 1, 1, 1 / tiny, 1 / tiny});
    CHECK_CODE(run_op(op, {x, roi, tensor<float>({4}, {1, 1, tiny, tiny})}),
               Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace ortc::test
