// SPDX-License-Identifier: MIT
// Elementwise families of types that have loops of their own beside those of float: doubles, 16-bit
// floats, integers.
#include <cmath>
#include <limits>

#include "providers/cpu/elements/element.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

// Of every pair of a column and a row; either may come first.
template <typename T>
void check_extremes_of_pairs(std::vector<T> column) {
  const auto is_nan = [](T v) { return v != v; };
  for (size_t n = 1; n <= 67; ++n) {
    std::vector<T> row(n);
    for (size_t i = 0; i < n; ++i) row[i] = column[(3 * i + n) % column.size()];
    const Tensor a = Tensor::from<T>({static_cast<int64_t>(column.size()), 1}, column);
    const Tensor b = Tensor::from<T>({1, static_cast<int64_t>(n)}, row);
    for (const bool is_max : {false, true}) {
      const Op op{is_max ? "Max" : "Min"};
      for (const Tensor& y : {run_one(op, {a, b}), run_one(op, {b, a})}) {
        for (size_t i = 0; i < column.size() * n; ++i) {
          const T u = column[i / n], v = row[i % n], found = y.elements<T>()[i];
          if (is_nan(u) || is_nan(v)) {
            CHECK(is_nan(found));
          } else {
            CHECK_EQ(found, is_max ? std::max(u, v) : std::min(u, v));
          }
        }
      }
    }
  }
}

TEST(elementwise_types, min_and_max_of_rows_and_columns) {
  check_extremes_of_pairs<float>({1, kNan, -3, HUGE_VALF, 0.5f});
  check_extremes_of_pairs<double>({1, NAN, -3, HUGE_VAL, 0.5, -HUGE_VAL});
  check_extremes_of_pairs<int32_t>({1, INT32_MIN, -3, INT32_MAX});
  check_extremes_of_pairs<int64_t>({1, INT64_MIN, -3, INT64_MAX});
  check_extremes_of_pairs<int8_t>({1, INT8_MIN, -3, INT8_MAX});
}

TEST(elementwise_types, doubles_are_rounded_as_the_standard_library_does) {
  std::vector<double> x = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 0x1p-1074};
  for (const double large : {0x1p51 + 0.5, 0x1p52 - 0.5, 0x1p52 + 1, 0x1p53, 1e300, HUGE_VAL}) {
    x.push_back(large);
    x.push_back(-large);
  }
  for (int i = 0; i < 67; ++i) x.push_back(0.37 * (i - 33));
  const auto sign = [](double v) { return v > 0 ? 1.0 : v < 0 ? -1.0 : 0.0; };
  const std::pair<const char*, double (*)(double)> functions[] = {
      {"Round", std::nearbyint}, {"Floor", std::floor}, {"Ceil", std::ceil}, {"Sign", sign}};
  for (const auto& [name, function] : functions) {
    for (size_t n = 1; n <= x.size(); ++n) {
      const std::vector<double> first(x.begin(), x.begin() + static_cast<ptrdiff_t>(n));
      const Tensor y = run_one({name}, {Tensor::from<double>({static_cast<int64_t>(n)}, first)});
      for (size_t i = 0; i < n; ++i) {
        CHECK_EQ(y.elements<double>()[i], function(x[i]));
        CHECK_EQ(std::signbit(y.elements<double>()[i]), std::signbit(function(x[i])));
      }
    }
    CHECK(std::isnan(run_one({name}, {tensor<double>({1}, {NAN})}).elements<double>()[0]));
  }
}

TEST(elementwise_types, doubles_of_any_size_are_angles) {
  std::vector<double> x;
  for (int i = 0; i < 1500; ++i) x.push_back(0.11 * i * (i % 2 == 0 ? 1 : -1));
  for (const size_t at : {3, 700, 701, 1499}) x[at] = 65536.0 * static_cast<double>(at);
  x[5] = HUGE_VAL;
  x[6] = NAN;
  const Tensor angles = Tensor::from<double>({1500}, x);
  const Tensor sines = run_one({"Sin"}, {angles}), cosines = run_one({"Cos"}, {angles});
  for (size_t i = 0; i < x.size(); ++i) {
    const double sine = sines.elements<double>()[i], cosine = cosines.elements<double>()[i];
    CHECK(std::isfinite(x[i]) ? std::fabs(sine - std::sin(x[i])) < 4e-16 : std::isnan(sine));
    CHECK(std::isfinite(x[i]) ? std::fabs(cosine - std::cos(x[i])) < 4e-16 : std::isnan(cosine));
  }
}

template <typename T>
void check_tests_of(const std::vector<T>& numbers) {
  for (size_t n = 1; n <= 67; ++n) {
    std::vector<T> x(n);
    for (size_t i = 0; i < n; ++i) x[i] = numbers[(i * 5 + n) % numbers.size()];
    const Tensor given = Tensor::from<T>({static_cast<int64_t>(n)}, x);
    const Tensor nans = run_one({"IsNaN"}, {given});
    for (const int which : {0, 1, 2, 3}) {
      const Op op{"IsInf",
                  20,
                  {Attribute::of_int("detect_positive", which & 1),
                   Attribute::of_int("detect_negative", which >> 1)}};
      const Tensor infinities = run_one(op, {given});
      for (size_t i = 0; i < n; ++i) {
        const auto v = static_cast<float>(x[i]);
        const bool is_wanted = std::isinf(v) && (which & (v > 0 ? 1 : 2)) != 0;
        CHECK_EQ(int{infinities.elements<cpu::Bool8>()[i].byte}, is_wanted ? 1 : 0);
        CHECK_EQ(int{nans.elements<cpu::Bool8>()[i].byte}, std::isnan(v) ? 1 : 0);
      }
    }
  }
}

template <typename T>
void check_signs_of_all() {
  std::vector<T> x(65536);
  for (size_t i = 0; i < x.size(); ++i) x[i].bits = static_cast<uint16_t>(i);
  const Tensor y = run_one({"Sign"}, {Tensor::from<T>({65536}, x)});
  for (size_t i = 0; i < x.size(); ++i) {
    const float v = x[i], sign = y.elements<T>()[i];
    CHECK(v != v ? sign != sign : sign == (v > 0 ? 1.0f : v < 0 ? -1.0f : 0.0f));
    CHECK(v != 0 || !std::signbit(sign));
  }
}

TEST(elementwise_types, every_16_bit_float_has_its_sign) {
  check_signs_of_all<cpu::Float16>();
  check_signs_of_all<cpu::Bfloat16>();
}

TEST(elementwise_types, numbers_that_are_none_are_found_at_every_length) {
  const std::vector<double> x = {1, NAN, -HUGE_VAL, 0, HUGE_VAL, -2, -NAN, 1e300};
  std::vector<double> doubles(x.begin(), x.end() - 1);
  check_tests_of(doubles);
  std::vector<cpu::Float16> halves;
  std::vector<cpu::Bfloat16> brains;
  for (const double v : x) {
    halves.emplace_back(static_cast<float>(v));
    brains.emplace_back(static_cast<float>(v));
  }
  check_tests_of(halves);
  check_tests_of(brains);
}

template <typename T>
void check_rests(const std::vector<T>& numbers) {
  std::vector<T> a, b;
  for (const T x : numbers) {
    for (const T y : numbers) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const auto n = static_cast<int64_t>(a.size());
  const Tensor y = run_one({"Mod", 18, {Attribute::of_int("fmod", 1)}},
                           {Tensor::from<T>({n}, a), Tensor::from<T>({n}, b)});
  for (size_t i = 0; i < a.size(); ++i) {
    const T expected = std::fmod(a[i], b[i]), found = y.elements<T>()[i];
    CHECK(std::isnan(expected) ? std::isnan(found)
                               : std::memcmp(&expected, &found, sizeof found) == 0);
  }
}

TEST(elementwise_types, the_rest_of_a_division_of_floats_is_exact) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> numbers = {0.0f,        -0.0f,  1.0f,   -1.0f,  0.7f,     -0.7f,
                                      0.1f,        3.0f,   1e-40f, 2e-45f, 1e-20f,   5.5f,
                                      1e9f,        -1e9f,  1e30f,  3e38f,  16777215, 16777216,
                                      0.99999994f, 1e-38f, -kInf,  kInf,   -3.1e5,   std::nanf("")};
  check_rests(numbers);
  std::vector<double> doubles(numbers.begin(), numbers.end());
  doubles.insert(doubles.end(), {1e300, -1.7e308, 0x1p-1074, 3e-320, 2.3e-308, 0x1p26, 0x1p53});
  Random random(3);
  const Tensor some = random.floats({40}), more = random.floats({40});
  for (size_t i = 0; i < 40; ++i) {  // quotients that are nearly whole, some of many bits
    const double one = static_cast<double>(some.elements<float>()[i]) +
                       0x1p-27 * static_cast<double>(more.elements<float>()[i]);
    const auto factor = static_cast<double>(int64_t{1} << (i % 28)) - 1;
    doubles.insert(doubles.end(), {one, one * factor, std::nextafter(one * factor, 0.0)});
  }
  check_rests(doubles);
}

template <typename T>
void check_slopes(std::vector<T> x, const std::vector<T>& slopes) {
  for (size_t n = 1; n <= 67; ++n) {
    std::vector<T> given(2 * n);
    for (size_t i = 0; i < 2 * n; ++i) given[i] = x[(i * 3 + n) % x.size()];
    const Tensor all = Tensor::from<T>({2, static_cast<int64_t>(n)}, given);
    const Tensor some = Tensor::from<T>({2, 1}, slopes);
    const Tensor y = run_one({"PRelu", 16}, {all, some});
    for (size_t i = 0; i < 2 * n; ++i) {
      const T found = y.elements<T>()[i], v = given[i];
      const T expected = v < 0 ? static_cast<T>(v * slopes[i / n]) : v;
      CHECK(v != v ? found != found : found == expected);
    }
  }
}

TEST(elementwise_types, slopes_weigh_what_is_below_zero) {
  check_slopes<double>({1.5, -2, 0, -0.0, NAN, HUGE_VAL, -HUGE_VAL, 1e300}, {0.25, 3});
  check_slopes<int64_t>({1, -2, 0, 7, -9}, {2, -3});
  check_slopes<int32_t>({1, -2, 0, 7, -9}, {2, -3});
}

}  // namespace
}  // namespace ortc::test
