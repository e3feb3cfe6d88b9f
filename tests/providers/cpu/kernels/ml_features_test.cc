// SPDX-License-Identifier: MIT
// Operators of ai.onnx.ml that change features one by one or row by row, beside plain loops: at
// every width that is found several times in what goes together, and at widths beyond it.
#include <cmath>

#include "tests/providers/cpu/kernels/ml_testing.h"

namespace ortc::test {
namespace {

// The same numbers as a tensor of each type of features.
template <typename F>
void for_each_type(const Dims& dims, const std::vector<int64_t>& x, F&& f) {
  const auto of = [&]<typename T>(T) {
    f(Tensor::from<T>(dims, std::vector<T>(x.begin(), x.end())));
  };
  of(float{});
  of(double{});
  of(int32_t{});
  of(int64_t{});
}

std::vector<int64_t> small_integers(int64_t n) {
  std::vector<int64_t> x;
  for (int64_t i = 0; i < n; ++i) x.push_back(i * 7919 % 23 - 11);
  return x;
}

TEST(scaler, every_place_has_its_numbers_at_every_width) {
  for (const int64_t width : {1, 2, 3, 30, 67, 255, 256, 257, 600}) {
    for (const bool is_one : {false, true}) {
      std::vector<float> offset, scale;
      for (int64_t i = 0; i < (is_one ? 1 : width); ++i) {
        offset.push_back(static_cast<float>(i) * 0.5f);
        scale.push_back(1 / static_cast<float>(i + 3));
      }
      const Op op =
          ml("Scaler", {floats_attribute("offset", offset), floats_attribute("scale", scale)});
      const int64_t rows = 3000 / width + 2;
      const std::vector<int64_t> x = small_integers(rows * width);
      for_each_type({rows, width}, x, [&](const Tensor& typed) {
        const Tensor y = run_one(op, {typed});
        for (size_t i = 0; i < x.size(); ++i) {
          const size_t place = is_one ? 0 : i % static_cast<size_t>(width);
          const double exact =
              (static_cast<double>(x[i]) - double{offset[place]}) * double{scale[place]};
          CHECK_NEAR(double{y.elements<float>()[i]}, exact, 2e-7, 0);
        }
      });
    }
  }
}

TEST(binarizer, is_one_above_the_threshold_for_every_type) {
  const Op op = ml("Binarizer", {Attribute::of_float("threshold", 2)});
  const std::vector<int64_t> x = small_integers(67 * 5);
  for_each_type({5, 67}, x, [&](const Tensor& typed) {
    const Tensor y = run_one(op, {typed});
    std::vector<int64_t> expected;
    for (const int64_t v : x) expected.push_back(v > 2 ? 1 : 0);
    for_each_type({5, 67}, expected, [&](const Tensor& exact) {
      CHECK(exact.dtype() != y.dtype() || same_bits(exact, y));
    });
  });
  const Tensor y = run_one(op, {f32s({3}, {kNan, INFINITY, 2})});
  CHECK(y.elements<float>()[0] == 0 && y.elements<float>()[1] == 1 && y.elements<float>()[2] == 0);
}

TEST(normalizer, rows_of_every_length_are_divided_by_their_norm) {
  Random random(21);
  std::vector<std::pair<int64_t, int64_t>> sizes = {{5, 513}, {5, 1030}};
  for (int64_t features = 1; features <= 67; features += features < 34 ? 1 : 11) {
    for (const int64_t rows : {5, 8, 300}) sizes.emplace_back(rows, features);
  }
  for (const auto& [rows, features] : sizes) {
    Tensor x = random.floats({rows, features});
    for (int64_t i = 0; i < features; ++i) x.mutable_elements<float>()[size_t(i)] = 0;
    for (const std::string norm : {"MAX", "L1", "L2"}) {
      const Op op = ml("Normalizer", {Attribute::of_string("norm", norm)});
      const std::vector<double> doubles(x.elements<float>().begin(), x.elements<float>().end());
      const Tensor y = run_one(op, {x});
      const Tensor wide = run_one(op, {Tensor::from<double>(x.dims(), doubles)});
      for (int64_t row = 0; row < rows; ++row) {
        const auto from = x.elements<float>().subspan(size_t(row * features), size_t(features));
        double most = -INFINITY, sum = 0, squares = 0;
        for (const float v : from) {
          most = std::max(most, double{v});
          sum += std::fabs(double{v});
          squares += double{v} * double{v};
        }
        const double divisor = norm == "MAX" ? most : norm == "L1" ? sum : std::sqrt(squares);
        for (size_t i = 0; i < from.size(); ++i) {
          const double exact = divisor == 0 ? 0 : double{from[i]} / divisor;
          CHECK_NEAR(double{y.elements<float>()[size_t(row * features) + i]}, exact, 1e-7, 0);
          CHECK_NEAR(double{wide.elements<float>()[size_t(row * features) + i]}, exact, 1e-7, 0);
        }
      }
    }
  }
  const Tensor tiny = tensor<double>({3, 2}, {0x1p-1074, 0x1p-1074, 0, 0, INFINITY, 1});
  const Tensor y = run_one(ml("Normalizer", {}), {tiny});
  const auto found = y.elements<float>();
  CHECK(found[0] == 1 && found[1] == 1 && found[2] == 0 && found[3] == 0);
  CHECK(std::isnan(found[4]) && found[5] == 0);
}

// What is not a number is passed over by the largest, and stays.
TEST(normalizer, short_rows_with_what_is_not_a_number) {
  std::vector<float> x, exact;
  for (int i = 0; i < 40; ++i) {
    const float row[] = {kNan, 2, kNan, 4, -1};
    const float expected[] = {kNan, 0.5f, kNan, 1, -0.25f};
    const int turns = i % 5;
    for (int j = 0; j < 5; ++j) {
      x.push_back(row[(j + turns) % 5]);
      exact.push_back(expected[(j + turns) % 5]);
    }
  }
  const Tensor y = run_one(ml("Normalizer", {}), {f32s({40, 5}, x)});
  for (size_t i = 0; i < x.size(); ++i) {
    const float found = y.elements<float>()[i];
    CHECK(std::isnan(exact[i]) ? std::isnan(found) : found == exact[i]);
  }
}

TEST(imputer, many_rows_get_the_value_of_their_place) {
  for (const size_t width : {size_t{1}, size_t{3}}) {
    std::vector<float> values = {7, 8, 9}, x;
    values.resize(width);
    for (int i = 0; i < 30000; ++i) x.push_back(i % 4 == 1 ? kNan : static_cast<float>(i));
    const Tensor y = run_one(ml("Imputer", {floats_attribute("imputed_value_floats", values),
                                            Attribute::of_float("replaced_value_float", kNan)}),
                             {f32s({10000, 3}, x)});
    for (size_t i = 0; i < x.size(); ++i) {
      CHECK_EQ(y.elements<float>()[i], i % 4 == 1 ? values[i % width] : x[i]);
    }
  }
}

TEST(imputer, every_type_gets_the_value_of_its_place) {
  for (const int64_t width : {1, 5, 256, 300}) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < width; ++i) values.push_back(100 + i);
    const std::vector<float> floats(values.begin(), values.end());
    const Op op = ml("Imputer", {floats_attribute("imputed_value_floats", floats),
                                 Attribute::of_float("replaced_value_float", 3),
                                 ints_attribute("imputed_value_int64s", values),
                                 Attribute::of_int("replaced_value_int64", 3)});
    const std::vector<int64_t> x = small_integers(width * 7);
    std::vector<int64_t> expected = x;
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] == 3) expected[i] = values[i % values.size()];
    }
    for_each_type({7, width}, x, [&](const Tensor& typed) {
      const Tensor y = run_one(op, {typed});
      for_each_type({7, width}, expected, [&](const Tensor& exact) {
        CHECK(exact.dtype() != y.dtype() || same_bits(exact, y));
      });
    });
  }
}

TEST(feature_vectorizer, many_rows_are_cut_and_filled) {
  std::vector<int64_t> a, b;
  for (int64_t i = 0; i < 9000; ++i) a.push_back(i);
  for (int64_t i = 0; i < 6000; ++i) b.push_back(-i);
  const Tensor y =
      run_one(ml("FeatureVectorizer", {ints_attribute("inputdimensions", {2, 4})}),
              {Tensor::from<int64_t>({3000, 3}, a), Tensor::from<int64_t>({3000, 2}, b)});
  for (int64_t row = 0; row < 3000; ++row) {
    const float* found = y.elements<float>().data() + row * 6;
    const auto first = static_cast<float>(3 * row), second = static_cast<float>(-2 * row);
    CHECK(found[0] == first && found[1] == first + 1 && found[2] == second);
    CHECK(found[3] == second - 1 && found[4] == 0 && found[5] == 0);
  }
}

}  // namespace
}  // namespace ortc::test
