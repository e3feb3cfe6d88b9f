// SPDX-License-Identifier: MIT
// Elementwise functions, softmax and normalisations over f32 rows against double precision.

#include "providers/cpu/arith/vector_f32/vector_f32.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using testing::Random;
using Exact = std::function<double(double)>;

// Distance in units of the last place of the exact result, subnormals included.
double ulp_error(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : INFINITY;
  const float rounded = static_cast<float>(exact);
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : INFINITY;
  const int exponent = std::max(std::ilogb(exact == 0 ? 1e-45 : exact), -126);
  return std::fabs(static_cast<double>(got) - exact) / std::ldexp(1.0, exponent - 23);
}

// Every stride-th float bit pattern within [-limit, limit].
std::vector<float> sampled_floats(float limit, uint32_t stride) {
  std::vector<float> v;
  for (uint64_t bits = 0; bits < 0x7F800000u; bits += stride) {
    const uint32_t low = static_cast<uint32_t>(bits);
    float x;
    std::memcpy(&x, &low, sizeof(x));
    if (x > limit) break;
    v.push_back(x);
    v.push_back(-x);
  }
  return v;
}

double worst_ulp(VectorF32Kernels::Unary function, const std::vector<float>& x,
                 const Exact& exact) {
  std::vector<float> y(x.size());
  function(x.data(), y.data(), x.size());
  double worst = 0;
  float where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = ulp_error(y[i], exact(x[i]));
    if (error > worst) where = x[i];
    worst = std::max(worst, error);
  }
  if (std::getenv("ORTC_TEST_VERBOSE")) std::printf("  worst %.2f ulp at %.9g\n", worst, where);
  return worst;
}

TEST(vector_f32, elementary_functions_are_within_their_bounds_everywhere) {
  const std::vector<float> all = sampled_floats(INFINITY, 3001);
  const std::vector<float> moderate = sampled_floats(87.0f, 3001);
  for (Isa isa : testing::runnable_isas()) {
    const VectorF32Kernels& kernels = vector_f32_kernels(isa);
    CHECK(worst_ulp(kernels.exp, all, [](double x) { return std::exp(x); }) <= 2);
    CHECK(worst_ulp(kernels.log, all, [](double x) { return std::log(x); }) <= 2);
    CHECK(worst_ulp(kernels.tanh, all, [](double x) { return std::tanh(x); }) <= 3);
    CHECK(worst_ulp(kernels.sqrt, all, [](double x) { return std::sqrt(x); }) <= 0.5);
    CHECK(worst_ulp(kernels.sigmoid, all, [](double x) { return 1 / (1 + std::exp(-x)); }) <= 3);
    CHECK(worst_ulp(kernels.silu, moderate, [](double x) { return x / (1 + std::exp(-x)); }) <= 4);
  }
}

TEST(vector_f32, erf_and_gelu_are_within_an_absolute_bound) {
  const std::vector<float> x = sampled_floats(30.0f, 1501);
  std::vector<float> y(x.size());
  for (Isa isa : testing::runnable_isas()) {
    const VectorF32Kernels& kernels = vector_f32_kernels(isa);
    kernels.erf(x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i)
      CHECK_NEAR(y[i], std::erf(static_cast<double>(x[i])), 2.5e-7, 3e-45);
    kernels.gelu(x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      CHECK_NEAR(y[i], testing::activate({Activation::kGelu, 0, 0, 0}, x[i]), 2e-7, 4e-7);
    }
    kernels.gelu_tanh(x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      CHECK_NEAR(y[i], testing::activate({Activation::kGeluTanh, 0, 0, 0}, x[i]), 1e-6, 1e-7);
    }
  }
}

TEST(vector_f32, special_values_come_out_as_ieee_wants) {
  const float tiny = 1e-42f;
  const std::vector<float> x = {NAN,  INFINITY, -INFINITY, 0.0f,    -0.0f,
                                tiny, -tiny,    1000.0f,   -1000.0f};
  struct Row {
    VectorF32Kernels::Unary VectorF32Kernels::*function;
    std::vector<float> expected;
  };
  const std::vector<Row> rows = {
      {&VectorF32Kernels::exp, {NAN, INFINITY, 0, 1, 1, 1, 1, INFINITY, 0}},
      {&VectorF32Kernels::tanh, {NAN, 1, -1, 0, -0.0f, tiny, -tiny, 1, -1}},
      {&VectorF32Kernels::erf,
       {NAN, 1, -1, 0, -0.0f, 1.12837917f * tiny, -1.12837917f * tiny, 1, -1}},
      {&VectorF32Kernels::sigmoid, {NAN, 1, 0, 0.5f, 0.5f, 0.5f, 0.5f, 1, 0}},
      {&VectorF32Kernels::sqrt,
       {NAN, INFINITY, NAN, 0, -0.0f, std::sqrt(tiny), NAN, std::sqrt(1000.0f), NAN}},
      {&VectorF32Kernels::log,
       {NAN, INFINITY, NAN, -INFINITY, -INFINITY, std::log(tiny), NAN, std::log(1000.0f), NAN}},
  };
  for (Isa isa : testing::runnable_isas()) {
    for (const Row& row : rows) {
      std::vector<float> y(x.size());
      (vector_f32_kernels(isa).*row.function)(x.data(), y.data(), x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(row.expected[i])) {
          CHECK(std::isnan(y[i]));
        } else {
          CHECK_EQ(y[i], row.expected[i]);
          CHECK_EQ(std::signbit(y[i]), std::signbit(row.expected[i]));
        }
      }
    }
  }
}

TEST(vector_f32, an_element_has_the_same_bits_wherever_it_stands) {
  const std::vector<float> x = Random(4).floats(70, -4, 4);
  for (Isa isa : testing::runnable_isas()) {
    const VectorF32Kernels& kernels = vector_f32_kernels(isa);
    for (const ActivationF32& act : testing::all_activations()) {
      std::vector<float> whole(x.size());
      kernels.activate(act, x.data(), whole.data(), x.size());
      for (size_t i = 0; i < x.size(); ++i)
        CHECK_NEAR(whole[i], testing::activate(act, x[i]), 1e-6, 3e-7);
      for (size_t n = 1; n <= 40; ++n) {
        std::vector<float> part(x.begin() + 5, x.begin() + 70);
        kernels.activate(act, part.data(), part.data(), n);
        CHECK(std::memcmp(part.data(), whole.data() + 5, n * sizeof(float)) == 0);
        CHECK(std::memcmp(part.data() + n, x.data() + 5 + n, (65 - n) * sizeof(float)) == 0);
      }
    }
  }
}

TEST(vector_f32, binary_functions_agree_with_plain_loops) {
  using K = VectorF32Kernels;
  struct Row {
    K::Binary K::*vectors;
    K::WithScalar K::*scalar;
    K::WithScalar K::*reversed;
    std::function<float(float, float)> exact;
  };
  const auto smaller = [](float a, float b) {
    return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
  };
  const auto larger = [](float a, float b) {
    return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
  };
  const std::vector<Row> rows = {
      {&K::add, &K::add_scalar, &K::add_scalar, std::plus<float>()},
      {&K::sub, &K::sub_scalar, &K::sub_from_scalar, std::minus<float>()},
      {&K::mul, &K::mul_scalar, &K::mul_scalar, std::multiplies<float>()},
      {&K::div, &K::div_scalar, &K::div_of_scalar, std::divides<float>()},
      {&K::min, &K::min_scalar, &K::min_scalar, smaller},
      {&K::max, &K::max_scalar, &K::max_scalar, larger},
  };
  const auto equal = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  Random random(6);
  for (size_t n = 0; n <= 50; ++n) {
    std::vector<float> a = random.floats(n);
    std::vector<float> b = random.floats(n);
    if (n > 3) a[1] = b[2] = a[n - 1] = NAN;
    if (n > 5) b[4] = 0;
    for (Isa isa : testing::runnable_isas()) {
      const K& kernels = vector_f32_kernels(isa);
      for (const Row& row : rows) {
        std::vector<float> y(n + 1, 7);
        (kernels.*row.vectors)(a.data(), b.data(), y.data(), n);
        for (size_t i = 0; i < n; ++i) CHECK(equal(y[i], row.exact(a[i], b[i])));
        for (float s : {0.75f, NAN}) {
          (kernels.*row.scalar)(a.data(), s, y.data(), n);
          for (size_t i = 0; i < n; ++i) CHECK(equal(y[i], row.exact(a[i], s)));
          (kernels.*row.reversed)(a.data(), s, y.data(), n);
          for (size_t i = 0; i < n; ++i) CHECK(equal(y[i], row.exact(s, a[i])));
        }
        CHECK(y[n] == 7);
      }
      std::vector<float> y = b;
      kernels.multiply_add(a.data(), b.data(), a.data(), y.data(), n);
      for (size_t i = 0; i < n; ++i)
        CHECK(std::isnan(a[i] * b[i]) || std::fabs(y[i] - (a[i] * b[i] + a[i])) < 1e-6f);
      y = b;
      kernels.add_scaled(a.data(), 3, y.data(), n);
      for (size_t i = 0; i < n; ++i)
        CHECK(std::isnan(a[i] + b[i]) || std::fabs(y[i] - (a[i] * 3 + b[i])) < 1e-6f);
    }
  }
}

TEST(vector_f32, softmax_agrees_with_double_precision) {
  Random random(8);
  for (size_t n : {1, 2, 7, 15, 16, 17, 63, 64, 65, 128, 200, 1000, 50257}) {
    const std::vector<float> x = random.floats(n, -20, 20);
    std::vector<float> mask = random.floats(n, -2, 2);
    if (n > 4) mask[n / 2] = mask[n - 1] = -INFINITY;
    for (Isa isa : testing::runnable_isas()) {
      for (int mode = 0; mode < 4; ++mode) {
        const float scale = mode & 1 ? 0.125f : 1.0f;
        const float* addend = mode & 2 ? mask.data() : nullptr;
        std::vector<double> v(n);
        for (size_t i = 0; i < n; ++i)
          v[i] = static_cast<double>(x[i]) * scale + (addend ? addend[i] : 0);
        const double top = *std::max_element(v.begin(), v.end());
        double total = 0;
        for (double u : v) total += std::exp(u - top);
        std::vector<float> y = x;
        vector_f32_kernels(isa).softmax(y.data(), scale, addend, y.data(), n);
        for (size_t i = 0; i < n; ++i) CHECK_NEAR(y[i], std::exp(v[i] - top) / total, 5e-6, 1e-38);
        if (mode != 0) continue;
        vector_f32_kernels(isa).log_softmax(x.data(), y.data(), n);
        for (size_t i = 0; i < n; ++i) CHECK_NEAR(y[i], v[i] - top - std::log(total), 3e-6, 3e-6);
      }
    }
  }
}

TEST(vector_f32, softmax_of_nothing_but_minus_infinity_and_of_nan_is_nan) {
  for (Isa isa : testing::runnable_isas()) {
    for (float bad : {-INFINITY, NAN}) {
      std::vector<float> x(21, bad);
      if (std::isnan(bad)) std::fill(x.begin(), x.begin() + 10, 1.0f);
      std::vector<float> y(21);
      vector_f32_kernels(isa).softmax(x.data(), 1, nullptr, y.data(), x.size());
      for (float v : y) CHECK(std::isnan(v));
    }
  }
}

TEST(vector_f32, sum_and_maximum_agree_with_plain_loops) {
  Random random(2);
  for (size_t n = 0; n < 150; ++n) {
    std::vector<float> x = random.floats(n, -9, -1);
    double total = 0;
    for (float v : x) total += v;
    const float top = n == 0 ? -INFINITY : *std::max_element(x.begin(), x.end());
    for (Isa isa : testing::runnable_isas()) {
      CHECK_NEAR(vector_f32_kernels(isa).sum(x.data(), n), total, 1e-6, 0);
      CHECK_EQ(vector_f32_kernels(isa).maximum(x.data(), n), top);
    }
  }
}

TEST(vector_f32, normalisations_agree_with_double_precision) {
  Random random(11);
  for (size_t n : {1, 3, 16, 50, 64, 768, 1000, 4096}) {
    const std::vector<float> x = random.floats(n, 99, 101);
    const std::vector<float> skip = random.floats(n), skip_bias = random.floats(n);
    const std::vector<float> scale = random.floats(n), bias = random.floats(n);
    for (int mode = 0; mode < 64; ++mode) {
      const bool rms = mode & 32;
      std::vector<double> t(x.begin(), x.end());
      double mean = 0, squares = 0;
      for (size_t i = 0; i < n; ++i) {
        if (mode & 1) t[i] += skip[i];
        if (mode & 2) t[i] += skip_bias[i];
        if (!rms) mean += t[i] / static_cast<double>(n);
      }
      for (double v : t) squares += (v - mean) * (v - mean);
      const double inverse = 1 / std::sqrt(squares / static_cast<double>(n) + 1e-3);
      for (Isa isa : testing::runnable_isas()) {
        std::vector<float> y(n, 7), sum(n, 7);
        NormRowF32 row;
        row.x = x.data();
        row.skip = mode & 1 ? skip.data() : nullptr;
        row.skip_bias = mode & 2 ? skip_bias.data() : nullptr;
        row.scale = mode & 4 ? scale.data() : nullptr;
        row.bias = mode & 8 ? bias.data() : nullptr;
        row.sum = mode & 16 ? sum.data() : nullptr;
        row.y = y.data();
        row.n = n;
        row.epsilon = 1e-3f;
        const VectorF32Kernels& kernels = vector_f32_kernels(isa);
        const NormStatsF32 stats = rms ? kernels.rms_norm(row) : kernels.layer_norm(row);
        CHECK_NEAR(stats.mean, mean, 1e-6, 0);
        CHECK_NEAR(stats.inverse, inverse, 2e-4, 0);
        for (size_t i = 0; i < n; ++i) {
          if (mode & 16) CHECK_NEAR(sum[i], t[i], 2e-7, 0);
          const double expected =
              (t[i] - mean) * inverse * (mode & 4 ? scale[i] : 1) + (mode & 8 ? bias[i] : 0);
          CHECK_NEAR(y[i], expected, 2e-4, 1e-3);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
