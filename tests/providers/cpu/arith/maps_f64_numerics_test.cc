// SPDX-License-Identifier: MIT
// Functions of f64 rows beside long double, from the smallest numbers to the largest, at every
// length from 0 to 67, within their bounds.
#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

// Of every size, with some random bits behind the point, and special numbers.
std::vector<double> sampled_doubles() {
  std::vector<double> v(testing::special_floats().begin(), testing::special_floats().end());
  for (const double special : {DBL_MAX, DBL_MIN, 0x1p-1074, 0x1.8p-1070}) {
    v.insert(v.end(), {special, -special});
  }
  testing::Random random(5);
  for (int exponent = -1070; exponent < 1020; ++exponent) {
    const bool is_usual = exponent > -30 && exponent < 10;
    for (const float x : random.floats(is_usual ? 2000 : 3, 1, 2)) {
      const float low = random.floats(1, 0, 1)[0];
      const double size =
          std::ldexp(static_cast<double>(x) + 0x1p-24 * static_cast<double>(low), exponent);
      v.insert(v.end(), {size, -size});
    }
  }
  return v;
}

void check_within(double found, long double exact, long double slack) {
  const bool same =
      std::isnan(exact) ? std::isnan(found) : found == exact || std::fabs(found - exact) <= slack;
  if (!same) {
    testing::report(__FILE__, __LINE__, "found", found, static_cast<double>(exact),
                    static_cast<double>(slack));
  }
}

TEST(maps_f64_numerics, tanh_keeps_its_bound_everywhere) {
  const std::vector<double> x = sampled_doubles();
  std::vector<double> y(x.size());
  for (const Isa isa : testing::runnable_isas()) {
    maps_f64_kernels(isa).tanh(x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const long double exact = std::tanh(static_cast<long double>(x[i]));
      const double size = std::fabs(static_cast<double>(exact));
      check_within(y[i], exact, kTanhF64Ulp * (size - std::nextafter(size, 0.0)));
      CHECK(std::isnan(x[i]) || std::signbit(y[i]) == std::signbit(x[i]));
    }
  }
}

TEST(maps_f64_numerics, decay_keeps_its_bound_everywhere) {
  const std::vector<double> x = sampled_doubles();
  std::vector<double> y(x.size());
  for (const Isa isa : testing::runnable_isas()) {
    maps_f64_kernels(isa).decay(x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const bool is_zero = std::fabs(x[i]) > 708;
      const long double exact = is_zero ? 0 : std::exp(-std::fabs(static_cast<long double>(x[i])));
      const auto size = static_cast<double>(exact);
      check_within(y[i], exact, kDecayF64Ulp * (size - std::nextafter(size, 0.0)));
    }
  }
}

TEST(maps_f64_numerics, gelu_by_tanh_keeps_its_bound_everywhere) {
  const std::vector<double> x = sampled_doubles();
  std::vector<double> y(x.size());
  const long double factor = std::sqrt(2 / 3.14159265358979323846264338327950288L);
  for (const Isa isa : testing::runnable_isas()) {
    maps_f64_kernels(isa).gelu_tanh(x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const auto v = static_cast<long double>(x[i]);
      const long double exact = v / (1 + std::exp(-2 * factor * (v + 0.044715L * v * v * v)));
      check_within(
          y[i], x[i] == -INFINITY ? NAN : exact,
          kActivationErrorF64 * (std::fabs(v) + std::fabs(exact)) + 0x1p-1075L);  // subnormal
    }
  }
}

TEST(maps_f64_numerics, every_length_gives_the_bits_of_a_longer_span) {
  std::vector<double> x;
  for (const float v : testing::Random(3).floats(80, -2, 2)) x.push_back(v);
  for (const Isa isa : testing::runnable_isas()) {
    const MapsF64Kernels& kernels = maps_f64_kernels(isa);
    for (const auto& function : {kernels.tanh, kernels.decay, kernels.gelu_tanh}) {
      std::vector<double> whole(x.size());
      function(x.data(), whole.data(), x.size());
      for (size_t n = 0; n <= testing::kLargestSize; ++n) {
        std::vector<double> expected = x, y = x;
        std::copy_n(whole.begin(), n, expected.begin());
        function(y.data(), y.data(), n);
        CHECK(testing::same_bytes(y, expected));
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
