// SPDX-License-Identifier: MIT
// Maps of f32 spans against double precision, everywhere, and where they are cut.
#include "providers/cpu/arith/maps_f32/maps_f32.h"

#include <functional>

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using Maps = MapsF32Kernels;
using Exact = std::function<double(double)>;

// Every 3001st float within [-limit, limit], and the special ones.
std::vector<float> samples(float limit) {
  std::vector<float> v = {0.0f, -0.0f, 0.5f, -0.5f, 1.5f, 2.5f, 1.0f, -1.0f, limit, -limit};
  for (uint32_t bits = 0; bits < 0x7F800000u; bits += 3001) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    if (x > limit) break;
    v.push_back(x);
    v.push_back(-x);
  }
  return v;
}

// The largest distance from the exact result, in units of its last place, where that is not below
// `smallest`; there the distance counts in units of `smallest`.
double worst(Maps::Unary function, const std::vector<float>& x, const Exact& exact,
             double smallest = 1.17549435e-38) {
  std::vector<float> y(x.size());
  function(x.data(), y.data(), x.size());
  double top = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double wanted = exact(static_cast<double>(x[i]));
    if (std::isnan(wanted) || std::isinf(static_cast<float>(wanted))) {
      const bool same = std::isnan(wanted) ? std::isnan(y[i]) : y[i] == static_cast<float>(wanted);
      if (!same) return INFINITY;
      continue;
    }
    const double unit = std::ldexp(1.0, std::ilogb(std::max(std::fabs(wanted), smallest)) - 23);
    const double error = std::fabs(static_cast<double>(y[i]) - wanted) / unit;
    if (!(error <= top)) top = error;  // also when it is not a number
  }
  return top;
}

TEST(maps_f32, rounding_is_exact_everywhere) {
  std::vector<float> x = samples(INFINITY);
  x.insert(x.end(), {INFINITY, -INFINITY, 8388607.5f, -8388607.5f, 4194303.5f});
  for (Isa isa : testing::runnable_isas()) {
    const Maps& k = maps_f32_kernels(isa);
    CHECK_EQ(worst(k.floor, x, [](double v) { return std::floor(v); }), 0.0);
    CHECK_EQ(worst(k.ceil, x, [](double v) { return std::ceil(v); }), 0.0);
    CHECK_EQ(worst(k.round, x, [](double v) { return std::nearbyint(v); }), 0.0);
    CHECK_EQ(worst(k.abs, x, [](double v) { return std::fabs(v); }), 0.0);
    CHECK_EQ(worst(k.negate, x, [](double v) { return -v; }), 0.0);
  }
}

TEST(maps_f32, trigonometric_functions_are_within_their_bounds) {
  const std::vector<float> angles = samples(8192.0f), all = samples(INFINITY), unit = samples(1.0f);
  for (Isa isa : testing::runnable_isas()) {
    const Maps& k = maps_f32_kernels(isa);
    // Near a zero that is not 0 the angle's own bits are what is lost.
    CHECK(worst(
              k.sin, angles, [](double v) { return std::sin(v); }, 1e-3) <= 2);
    CHECK(worst(
              k.cos, angles, [](double v) { return std::cos(v); }, 1e-3) <= 2);
    CHECK(worst(k.sin, samples(1.5f), [](double v) { return std::sin(v); }) <= 2);
    CHECK(worst(k.tan, samples(1.5f), [](double v) { return std::tan(v); }) <= 5);
    CHECK(worst(
              k.sin, all, [](double v) { return std::sin(v); }, 1e-3) <= 2);
    CHECK(worst(k.asin, unit, [](double v) { return std::asin(v); }) <= 3);
    CHECK(worst(k.acos, unit, [](double v) { return std::acos(v); }) <= 3);
    CHECK(worst(k.atan, all, [](double v) { return std::atan(v); }) <= 3);
    CHECK(worst(k.sinh, all, [](double v) { return std::sinh(v); }) <= 4);
  }
}

TEST(maps_f32, activations_are_within_their_bounds) {
  const std::vector<float> all = samples(INFINITY);
  for (Isa isa : testing::runnable_isas()) {
    const Maps& k = maps_f32_kernels(isa);
    std::vector<float> y(all.size());
    for (const ExponentialLine& line :
         {ExponentialLine{1, 1, 1}, ExponentialLine{1.6732632f, 1, 1.050701f},
          ExponentialLine{0.3f, 0.3f, 1}, ExponentialLine{2.0f, 1, 1}}) {
      k.exponential(line, all.data(), y.data(), all.size());
      for (size_t i = 0; i < all.size(); ++i) {
        const double x = all[i], alpha = line.alpha, gamma = line.gamma;
        const double exact = gamma * (x > 0 ? x : alpha * std::expm1(x / line.divisor));
        if (!std::isinf(static_cast<float>(exact))) {
          CHECK_NEAR(y[i], exact, 5e-7, 1e-44);
        }
      }
    }
    k.hard_sigmoid(0.2f, 0.5f, all.data(), y.data(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      const double line = static_cast<double>(0.2f) * static_cast<double>(all[i]) + 0.5;
      CHECK_NEAR(y[i], std::fmin(std::fmax(line, 0), 1), 0, 1.2e-7);
    }
    k.threshold(1.25f, all.data(), y.data(), all.size());
    for (size_t i = 0; i < all.size(); ++i) CHECK_EQ(y[i], all[i] > 1.25f ? all[i] : 0.0f);
  }
}

TEST(maps_f32, special_values_come_out_as_ieee_wants) {
  const std::vector<float> x = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 2.0f, -0.25f};
  struct Row {
    Maps::Unary Maps::*function;
    std::vector<float> expected;
  };
  const std::vector<Row> rows = {
      {&Maps::floor, {NAN, INFINITY, -INFINITY, 0, -0.0f, 2, -1}},
      {&Maps::ceil, {NAN, INFINITY, -INFINITY, 0, -0.0f, 2, -0.0f}},
      {&Maps::round, {NAN, INFINITY, -INFINITY, 0, -0.0f, 2, -0.0f}},
      {&Maps::negate, {NAN, -INFINITY, INFINITY, -0.0f, 0, -2, 0.25f}},
      {&Maps::reciprocal, {NAN, 0, -0.0f, INFINITY, -INFINITY, 0.5f, -4}},
      {&Maps::sin, {NAN, NAN, NAN, 0, -0.0f, std::sin(2.0f), std::sin(-0.25f)}},
      {&Maps::cos, {NAN, NAN, NAN, 1, 1, std::cos(2.0f), std::cos(0.25f)}},
      {&Maps::asin, {NAN, NAN, NAN, 0, -0.0f, NAN, std::asin(-0.25f)}},
      {&Maps::acos, {NAN, NAN, NAN, std::acos(0.0f), std::acos(0.0f), NAN, std::acos(-0.25f)}},
      {&Maps::atan,
       {NAN, std::atan(INFINITY), -std::atan(INFINITY), 0, -0.0f, std::atan(2.0f),
        std::atan(-0.25f)}},
      {&Maps::sinh, {NAN, INFINITY, -INFINITY, 0, -0.0f, std::sinh(2.0f), std::sinh(-0.25f)}},
  };
  for (Isa isa : testing::runnable_isas()) {
    for (const Row& row : rows) {
      std::vector<float> y(x.size());
      (maps_f32_kernels(isa).*row.function)(x.data(), y.data(), x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(row.expected[i])) {
          CHECK(std::isnan(y[i]));
        } else {
          CHECK_NEAR(y[i], row.expected[i], 0, 4e-7);
          CHECK_EQ(std::signbit(y[i]), std::signbit(row.expected[i]));
        }
      }
    }
  }
}

TEST(maps_f32, an_element_has_the_same_bits_wherever_it_stands) {
  std::vector<float> x = testing::Random(5).floats(70, -9000, 9000);
  for (size_t i = 0; i < x.size(); i += 3) x[i] /= 9000;
  for (Isa isa : testing::runnable_isas()) {
    const Maps& k = maps_f32_kernels(isa);
    for (const Maps::Unary function :
         {k.floor, k.sin, k.tan, k.asin, k.atan, k.softsign, k.softplus}) {
      std::vector<float> whole(x.size());
      function(x.data(), whole.data(), x.size());
      for (size_t n = 1; n <= 40; ++n) {
        std::vector<float> part(x.begin() + 5, x.end());
        function(part.data(), part.data(), n);
        CHECK(std::memcmp(part.data(), whole.data() + 5, n * sizeof(float)) == 0);
        CHECK(std::memcmp(part.data() + n, x.data() + 5 + n, (65 - n) * sizeof(float)) == 0);
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
