// SPDX-License-Identifier: MIT
// Functions of one f32 span at every length from 1 to 67 and for special numbers, within their
// bounds.
#include "providers/cpu/arith/maps_f32/maps_f32.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using Maps = MapsF32Kernels;

struct Function {
  Maps::Unary Maps::*function;
  double ulps;
  double smallest;  // distances count in units of its last place where the result is smaller
  double (*exact)(double);
};
const Function kFunctions[] = {
    {&Maps::floor, 0, 0, std::floor},
    {&Maps::ceil, 0, 0, std::ceil},
    {&Maps::round, 0, 0, std::nearbyint},
    {&Maps::abs, 0, 0, std::fabs},
    {&Maps::negate, 0, 0, [](double x) { return -x; }},
    {&Maps::reciprocal, 0.5, 0, [](double x) { return 1 / x; }},
    {&Maps::softsign, kSoftsignUlp, 0,
     [](double x) { return std::isinf(x) ? NAN : x / (1 + std::fabs(x)); }},
    {&Maps::softplus, kSoftplusUlp, 0,
     [](double x) {
       return std::fmax(x, 0) + (std::isnan(x) ? x : std::log1p(std::exp(-std::fabs(x))));
     }},
    {&Maps::sin, kSinUlp, kSmallestSin, std::sin},
    {&Maps::cos, kSinUlp, kSmallestSin, std::cos},
    {&Maps::sinh, kSinhUlp, 0, std::sinh},
    {&Maps::asin, kAsinUlp, 0, std::asin},
    {&Maps::acos, kAsinUlp, 0, std::acos},
    {&Maps::atan, kAtanUlp, 0, std::atan},
};

bool is_within_ulps(float found, double exact, double ulps, double smallest) {
  if (testing::ulp_distance(found, exact) <= ulps) return true;
  const double unit = smallest == 0 ? 0 : std::ldexp(1.0, std::ilogb(smallest) - 23);
  return std::fabs(exact) < smallest &&
         std::fabs(static_cast<double>(found) - exact) <= ulps * unit;
}

TEST(maps_f32_numerics, every_function_keeps_its_bound_everywhere) {
  const std::vector<float> x = testing::sampled_floats(test::is_emulated() ? 50021 : 9001);
  std::vector<float> y(x.size());
  for (const Isa isa : testing::runnable_isas()) {
    for (const Function& row : kFunctions) {
      (maps_f32_kernels(isa).*row.function)(x.data(), y.data(), x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        if (!is_within_ulps(y[i], row.exact(x[i]), row.ulps, row.smallest)) {
          testing::report(__FILE__, static_cast<int>(&row - kFunctions), "function", y[i],
                          row.exact(x[i]), row.ulps);
        }
      }
    }
  }
}

// Near a pole the angle's own bits are what is lost.
TEST(maps_f32_numerics, the_tangent_keeps_its_bound_between_its_poles) {
  const std::vector<float> x = testing::sampled_floats(3001, 1.5f);
  std::vector<float> y(x.size());
  for (const Isa isa : testing::runnable_isas()) {
    maps_f32_kernels(isa).tan(x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::fabs(x[i]) <= 1.5f) CHECK_ULP(y[i], std::tan(static_cast<double>(x[i])), kTanUlp);
    }
  }
}

double exact_exponential(const ExponentialLine& line, double x) {
  const double alpha = line.alpha, divisor = line.divisor, gamma = line.gamma;
  return gamma * (x > 0 || std::isnan(x) ? x : alpha * std::expm1(x / divisor));
}

TEST(maps_f32_numerics, exponential_lines_keep_their_bound_everywhere) {
  const std::vector<float> x = testing::sampled_floats(test::is_emulated() ? 50021 : 9001);
  std::vector<float> y(x.size());
  const ExponentialLine lines[] = {{1, 1, 1}, {1.6732632f, 1, 1.050701f}, {0.3f, 0.3f, 1}};
  for (const Isa isa : testing::runnable_isas()) {
    for (const ExponentialLine& line : lines) {
      maps_f32_kernels(isa).exponential(line, x.data(), y.data(), x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        CHECK_ULP(y[i], exact_exponential(line, x[i]), kExponentialUlp);
      }
    }
  }
}

TEST(maps_f32_numerics, lines_that_are_cut_off_follow_their_formulas) {
  const std::vector<float> x = testing::sampled_floats(100003);
  std::vector<float> y(x.size());
  for (const Isa isa : testing::runnable_isas()) {
    maps_f32_kernels(isa).hard_sigmoid(0.2f, 0.5f, x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const float line = 0.2f * x[i] + 0.5f;
      const float exact = std::isnan(line) ? NAN : std::min(std::max(line, 0.0f), 1.0f);
      CHECK_WITHIN(y[i], exact, kRoundingF32);  // where the line is rounded once
    }
    maps_f32_kernels(isa).threshold(1.25f, x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      CHECK_WITHIN(y[i], x[i] > 1.25f ? x[i] : 0.0f, 0);
    }
  }
}

TEST(maps_f32_numerics, every_length_gives_the_bits_of_a_longer_span) {
  std::vector<float> x = testing::Random(3).floats(80, -2, 2);
  std::copy_n(testing::special_floats().begin(), 15, x.begin() + 40);
  x[7] = 1e9f;  // an angle for the standard library
  for (const Isa isa : testing::runnable_isas()) {
    const Maps& k = maps_f32_kernels(isa);
    const auto check = [&](const auto& function) {
      std::vector<float> whole(x.size());
      function(x.data(), whole.data(), x.size());
      for (size_t n = 0; n <= testing::kLargestSize; ++n) {
        std::vector<float> expected = x, y = x;
        std::copy_n(whole.begin(), n, expected.begin());
        function(y.data(), y.data(), n);
        CHECK(testing::same_bytes(y, expected));
      }
    };
    for (const Function& row : kFunctions) check(k.*row.function);
    check(k.tan);
    check([&](const float* from, float* to, size_t n) {
      k.exponential({1.5f, 0.5f, 2.0f}, from, to, n);
    });
    check([&](const float* from, float* to, size_t n) { k.hard_sigmoid(0.2f, 0.5f, from, to, n); });
    check([&](const float* from, float* to, size_t n) { k.threshold(0.5f, from, to, n); });
  }
}

}  // namespace
}  // namespace ortc::cpu
