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

TEST(maps_f64_numerics, logistic_keeps_its_bound_everywhere) {
  const std::vector<double> x = sampled_doubles();
  std::vector<double> y(x.size());
  for (const Isa isa : testing::runnable_isas()) {
    maps_f64_kernels(isa).logistic(x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const long double exact =
          x[i] < -708 ? 0 : 1 / (1 + std::exp(-static_cast<long double>(x[i])));
      const auto size = static_cast<double>(exact);
      check_within(y[i], exact, kLogisticF64Ulp * (size - std::nextafter(size, 0.0)));
    }
  }
}

TEST(maps_f64_numerics, whole_numbers_and_signs_are_exact) {
  const auto sign = [](double v) { return v > 0 ? 1.0 : v < 0 ? -1.0 : v != v ? v : 0.0; };
  const auto relu = [](double v) { return v < 0 ? 0.0 : v; };
  std::vector<double> x = sampled_doubles();
  for (int i = -40; i <= 40; ++i) x.push_back(i / 2.0);
  std::vector<double> y(x.size());
  for (const Isa isa : testing::runnable_isas()) {
    const MapsF64Kernels& kernels = maps_f64_kernels(isa);
    const std::pair<MapsF64Kernels::Map, double (*)(double)> functions[] = {
        {kernels.round, std::nearbyint},
        {kernels.floor, std::floor},
        {kernels.ceil, std::ceil},
        {kernels.sign, sign},
        {kernels.relu, relu}};
    for (const auto& [rows, function] : functions) {
      rows(x.data(), y.data(), x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        const double exact = function(x[i]);
        CHECK(std::isnan(exact) ? std::isnan(y[i])
                                : y[i] == exact && std::signbit(y[i]) == std::signbit(exact));
      }
    }
  }
}

// Around every multiple of a quarter of pi too, where sine or cosine vanish or change places.
TEST(maps_f64_numerics, angles_keep_their_bound_everywhere) {
  std::vector<double> x = sampled_doubles();
  for (int i = -90000; i <= 90000; ++i) {
    const double angle = i * 0.78539816339744830962;
    x.insert(x.end(), {angle, std::nextafter(angle, 1e9), std::nextafter(angle, -1e9)});
  }
  std::vector<double> y(x.size());
  for (const Isa isa : testing::runnable_isas()) {
    const auto angles = maps_f64_kernels(isa).angles;
    for (const size_t quarters : {0, 1}) {
      if (angles == nullptr) continue;
      CHECK(!angles(x.data(), quarters, y.data(), x.size()));
      for (size_t i = 0; i < x.size(); ++i) {
        if (std::fabs(x[i]) > kMostAngleF64) continue;
        const auto v = static_cast<long double>(x[i]);
        const long double exact = quarters == 0 ? std::sin(v) : std::cos(v);
        const auto size = static_cast<double>(std::fabs(exact));
        check_within(y[i], exact, kSinF64Ulp * (size - std::nextafter(size, 0.0)));
        CHECK(std::isnan(y[i]) || std::signbit(y[i]) == std::signbit(exact));
      }
    }
  }
}

TEST(maps_f64_numerics, powers_and_wide_numbers_at_every_length) {
  const std::vector<float> floats = testing::Random(4).floats(testing::kLargestSize, -2, 2);
  for (const Isa isa : testing::runnable_isas()) {
    const MapsF64Kernels& kernels = maps_f64_kernels(isa);
    for (size_t n = 0; n <= testing::kLargestSize; ++n) {
      for (const size_t count : {1, 2, 3, 16}) {
        std::vector<double> y(testing::kLargestSize, 7);
        kernels.widen(floats.data(), y.data(), n);
        CHECK(std::equal(y.begin(), y.begin() + static_cast<ptrdiff_t>(n), floats.begin()));
        kernels.power(y.data(), 0.3, count, n);
        for (size_t i = 0; i < n; ++i) {
          const long double base = static_cast<long double>(floats[i]) + 0.3;
          const long double exact = std::pow(base, static_cast<long double>(count));
          const long double size = std::pow(std::fabs(static_cast<long double>(floats[i])) + 0.3,
                                            static_cast<long double>(count));
          check_within(y[i], exact, power_f64_error(count) * size);
        }
        for (size_t i = n; i < y.size(); ++i) CHECK(y[i] == 7);
      }
    }
  }
}

// Columns at every number of them, a little apart; those of one number have the bits of those of
// another.
struct Columns {
  size_t rows, n, stride;
  std::vector<double> x;

  Columns(size_t rows, size_t n, double low, double high) : rows(rows), n(n), stride(n + 3) {
    testing::Random random(rows * 100 + 7);
    for (size_t row = 0; row < rows; ++row) {
      const auto values = random.floats(testing::kLargestSize, 0, 1);
      for (size_t i = 0; i < stride; ++i) {
        x.push_back(low + (high - low) * static_cast<double>(values[i % values.size()]));
      }
    }
  }
};

TEST(maps_f64_numerics, weighed_columns_keep_their_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    for (const size_t rows : {0, 1, 5, 100}) {
      const std::vector<float> factors = testing::Random(9).floats(rows, -2, 2);
      std::vector<double> most;
      for (size_t n = testing::kLargestSize; n > 0; --n) {
        const Columns c(rows, n, -3, 3);
        std::vector<double> sums(n + 1, 0.5);
        maps_f64_kernels(isa).weigh(c.x.data(), c.stride, rows, factors.data(), sums.data(), n);
        if (most.empty()) most = sums;
        CHECK(std::equal(sums.begin(), sums.end() - 1, most.begin()) && sums[n] == 0.5);
        for (size_t i = 0; i < n; ++i) {
          long double exact = 0.5, size = 0.5;
          for (size_t row = 0; row < rows; ++row) {
            const long double term = static_cast<long double>(c.x[row * c.stride + i]) *
                                     static_cast<long double>(factors[row]);
            exact += term;
            size += std::fabs(term);
          }
          check_within(sums[i], exact, gemm_f64_error(rows) * size);
        }
      }
    }
  }
}

TEST(maps_f64_numerics, a_step_of_elimination_rounds_twice) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t n = 1; n <= testing::kLargestSize; ++n) {
      const size_t stride = (n + 7) / 8 * 8, k = n * 2 / 3;
      const std::vector<float> x = testing::Random(n).floats(n * stride, -2, 2);
      std::vector<double> a(x.begin(), x.end());
      maps_f64_kernels(isa).eliminate(a.data(), n, stride, k);
      const auto was = [&](size_t i, size_t j) {
        return static_cast<long double>(x[i * stride + j]);
      };
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
          const long double own = (j == k ? 1 : was(k, j)) / was(k, k);
          const long double rest = i == k ? own : (j == k ? 0 : was(i, j)) - was(i, k) * own;
          const long double size = std::fabs(own) * (i == k ? 1 : std::fabs(was(i, k)));
          check_within(a[i * stride + j], rest, 0x1p-52L * (std::fabs(rest) + 2 * size));
        }
      }
    }
  }
}

TEST(maps_f64_numerics, softmax_of_columns_keeps_its_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    for (const size_t rows : {1, 2, 3, 10, 67}) {
      for (size_t n = 1; n <= testing::kLargestSize; ++n) {
        Columns c(rows, n, -300, 300);
        if (rows > 2) c.x[c.stride] = INFINITY;
        if (rows > 2 && n > 1) c.x[1] = NAN;
        const std::vector<double> x = c.x;
        std::vector<int64_t> places(n);
        const MapsF64Kernels& kernels = maps_f64_kernels(isa);
        kernels.first_largest(c.x.data(), c.stride, rows, places.data(), n);
        kernels.softmax(c.x.data(), c.stride, rows, n);
        for (size_t i = 0; i < n; ++i) {
          size_t top = 0;
          for (size_t row = 1; row < rows; ++row) {
            if (x[row * c.stride + i] > x[top * c.stride + i]) top = row;
          }
          CHECK_EQ(static_cast<size_t>(places[i]), top);
          const auto power = [&](size_t row) {
            return std::exp(static_cast<long double>(x[row * c.stride + i]) -
                            static_cast<long double>(x[top * c.stride + i]));
          };
          long double sum = 0;
          for (size_t row = 0; row < rows; ++row) sum += power(row);
          for (size_t row = 0; row < rows; ++row) {
            const long double exact = power(row) / sum;
            check_within(c.x[row * c.stride + i], exact, softmax_f64_error(rows) * exact);
          }
        }
        for (size_t row = 0; row < rows; ++row) {
          for (size_t i = n; i < c.stride; ++i)
            CHECK(c.x[row * c.stride + i] == x[row * c.stride + i]);
        }
      }
    }
  }
}

// Plainly: NaN wins.
double joined(bool largest, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  return (largest ? b > a : b < a) ? b : a;
}

// Numbers, in some of which infinities or what is not a number stand at random.
std::vector<double> with_special_ones(size_t n, uint64_t seed) {
  testing::Random random(seed);
  std::vector<double> v;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t draw = random.next() % 40;
    const bool is_special = seed % 3 == 0 && draw < 3;
    const double specials[] = {INFINITY, -INFINITY, NAN};
    v.push_back(is_special ? specials[draw] : static_cast<double>(random.in(-2, 2)));
  }
  return v;
}

void check_extremes(const MapsF64Kernels::Extreme& extreme, bool largest, size_t rows,
                    size_t stride, size_t n) {
  const std::vector<double> x = with_special_ones(rows * stride + 1, rows * 131 + n);
  std::vector<double> states = with_special_ones(n + 1, n), expected = states;
  extreme.columns(x.data(), stride, rows, states.data(), n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t row = 0; row < rows; ++row) {
      expected[i] = joined(largest, expected[i], x[row * stride + i]);
    }
  }
  for (size_t i = 0; i <= n; ++i) check_within(states[i], expected[i], 0);
}

TEST(maps_f64_numerics, extremes_are_exact_and_what_is_not_a_number_wins) {
  for (const Isa isa : testing::runnable_isas()) {
    for (const bool largest : {false, true}) {
      const MapsF64Kernels& kernels = maps_f64_kernels(isa);
      const auto& extreme = largest ? kernels.largest : kernels.smallest;
      for (size_t n = 0; n <= testing::kLargestSize; ++n) {
        for (const size_t rows : {0, 1, 2, 3, 4, 8, 17, 33, 67}) {
          check_extremes(extreme, largest, rows, n, n);
          check_extremes(extreme, largest, rows, n + 3, n);
        }
      }
      for (size_t n = 0; n <= 4 * testing::kLargestSize; ++n) {
        double expected = largest ? -INFINITY : INFINITY;
        const std::vector<double> x = with_special_ones(n, n);
        for (const double v : x) expected = joined(largest, expected, v);
        check_within(extreme.row(x.data(), n), expected, 0);
      }
    }
  }
}

TEST(maps_f64_numerics, every_length_gives_the_bits_of_a_longer_span) {
  std::vector<double> x;
  for (const float v : testing::Random(3).floats(80, -2, 2)) x.push_back(v);
  for (const Isa isa : testing::runnable_isas()) {
    const MapsF64Kernels& kernels = maps_f64_kernels(isa);
    for (const auto& function :
         {kernels.tanh, kernels.decay, kernels.logistic, kernels.gelu_tanh, kernels.round,
          kernels.floor, kernels.ceil, kernels.sign, kernels.relu}) {
      std::vector<double> whole(x.size());
      function(x.data(), whole.data(), x.size());
      for (size_t n = 0; n <= testing::kLargestSize; ++n) {
        std::vector<double> expected = x, y = x;
        std::copy_n(whole.begin(), n, expected.begin());
        function(y.data(), y.data(), n);
        CHECK(testing::same_bytes(y, expected));
      }
    }
    for (size_t n = 0; kernels.angles != nullptr && n <= testing::kLargestSize; ++n) {
      std::vector<double> whole(x.size()), expected = x, y = x;
      CHECK(kernels.angles(x.data(), 1, whole.data(), x.size()));
      std::copy_n(whole.begin(), n, expected.begin());
      CHECK(kernels.angles(y.data(), 1, y.data(), n));
      CHECK(testing::same_bytes(y, expected));
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
