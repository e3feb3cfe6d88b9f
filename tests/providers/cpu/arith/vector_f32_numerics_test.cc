// SPDX-License-Identifier: MIT
// Spans and rows of f32 at every length from 1 to 67 and for special numbers, within their bounds.
#include <functional>

#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using Vectors = VectorF32Kernels;
using Exact = std::function<double(double)>;
using testing::is_same;
using testing::Random;

struct Elementary {
  Vectors::Unary Vectors::*function;
  double ulps;
  double (*exact)(double);
};
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

const Elementary kElementary[] = {
    {&Vectors::exp, kExpUlp, std::exp},    {&Vectors::log, kLogUlp, std::log},
    {&Vectors::erf, kErfUlp, std::erf},    {&Vectors::tanh, kTanhUlp, std::tanh},
    {&Vectors::sqrt, kSqrtUlp, std::sqrt}, {&Vectors::sigmoid, kSigmoidUlp, sigmoid},
};

TEST(vector_f32_numerics, elementary_functions_keep_their_bounds_everywhere) {
  const std::vector<float> x = testing::sampled_floats(test::is_emulated() ? 50021 : 5003);
  std::vector<float> y(x.size());
  for (const Isa isa : testing::runnable_isas()) {
    for (const Elementary& row : kElementary) {
      (vector_f32_kernels(isa).*row.function)(x.data(), y.data(), x.size());
      for (size_t i = 0; i < x.size(); ++i) CHECK_ULP(y[i], row.exact(x[i]), row.ulps);
    }
  }
}

// Where a walk over all numbers found the largest errors.
TEST(vector_f32_numerics, the_worst_arguments_keep_their_bounds) {
  const std::pair<Elementary, float> kWorst[] = {
      {{&Vectors::tanh, kTanhUlp, std::tanh}, 0.0154739609f},
      {{&Vectors::tanh, kTanhUlp, std::tanh}, 0.631044209f},
      {{&Vectors::sigmoid, kSigmoidUlp, sigmoid}, -3.44499636f},
      {{&Vectors::sigmoid, kSigmoidUlp, sigmoid}, -4.1572938f},
      {{&Vectors::sigmoid, kSigmoidUlp, sigmoid}, 7.85921097f},
  };
  for (const Isa isa : testing::runnable_isas()) {
    for (const auto& [row, x] : kWorst) {
      float y = NAN;
      (vector_f32_kernels(isa).*row.function)(&x, &y, 1);
      CHECK_ULP(y, row.exact(x), row.ulps);
    }
  }
}

TEST(vector_f32_numerics, zeros_keep_their_signs) {
  for (const Isa isa : testing::runnable_isas()) {
    for (const auto function :
         {&Vectors::erf, &Vectors::tanh, &Vectors::sqrt, &Vectors::gelu_tanh, &Vectors::silu}) {
      const float x[] = {0.0f, -0.0f};
      float y[2];
      (vector_f32_kernels(isa).*function)(x, y, 2);
      CHECK(y[0] == 0 && !std::signbit(y[0]));
      CHECK(y[1] == 0 && std::signbit(y[1]));
    }
  }
}

void check_activation(const ActivationF32& activation, const std::vector<float>& x,
                      const std::vector<float>& y) {
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = testing::activate(activation, x[i]);
    // What is smaller than the smallest normal number is rounded to a multiple of the smallest.
    const double size = std::fabs(x[i]) + std::fabs(exact);
    CHECK_WITHIN(y[i], exact, kActivationError * size + 0x1p-148);
  }
}

TEST(vector_f32_numerics, activations_keep_their_bound_everywhere) {
  const std::vector<float> x = testing::sampled_floats(test::is_emulated() ? 50021 : 5003);
  std::vector<float> y(x.size());
  for (const Isa isa : testing::runnable_isas()) {
    const Vectors& k = vector_f32_kernels(isa);
    for (const ActivationF32& activation : testing::all_activations()) {
      k.activate(activation, x.data(), y.data(), x.size());
      check_activation(activation, x, y);
    }
    const std::pair<Vectors::Unary, Activation> alone[] = {{k.gelu, Activation::kGelu},
                                                           {k.gelu_tanh, Activation::kGeluTanh},
                                                           {k.silu, Activation::kSilu}};
    for (const auto& [function, kind] : alone) {
      function(x.data(), y.data(), x.size());
      check_activation({kind, 0, 0, 0}, x, y);
    }
  }
}

// Each length, in place and not, gives the bits of the whole span; nothing behind it is written.
TEST(vector_f32_numerics, every_length_gives_the_bits_of_a_longer_span) {
  std::vector<float> x = Random(3).floats(80, -9, 9);
  std::copy_n(testing::special_floats().begin(), 15, x.begin() + 40);
  for (const Isa isa : testing::runnable_isas()) {
    const Vectors& k = vector_f32_kernels(isa);
    for (const auto function :
         {&Vectors::exp, &Vectors::log, &Vectors::erf, &Vectors::tanh, &Vectors::sigmoid,
          &Vectors::gelu, &Vectors::gelu_tanh, &Vectors::silu, &Vectors::sqrt}) {
      std::vector<float> whole(x.size());
      (k.*function)(x.data(), whole.data(), x.size());
      for (size_t n = 0; n <= testing::kLargestSize; ++n) {
        std::vector<float> expected = x;
        std::copy_n(whole.begin(), n, expected.begin());
        std::vector<float> y = x;
        (k.*function)(y.data(), y.data(), n);
        CHECK(testing::same_bytes(y, expected));
      }
    }
  }
}

float least(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }
float most(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }

struct Between {
  Vectors::Binary Vectors::*rows;
  Vectors::WithScalar Vectors::*scalar;
  Vectors::WithScalar Vectors::*reversed;
  float (*exact)(float, float);
};
const Between kBetween[] = {
    {&Vectors::add, &Vectors::add_scalar, &Vectors::add_scalar,
     [](float a, float b) { return a + b; }},
    {&Vectors::sub, &Vectors::sub_scalar, &Vectors::sub_from_scalar,
     [](float a, float b) { return a - b; }},
    {&Vectors::mul, &Vectors::mul_scalar, &Vectors::mul_scalar,
     [](float a, float b) { return a * b; }},
    {&Vectors::div, &Vectors::div_scalar, &Vectors::div_of_scalar,
     [](float a, float b) { return a / b; }},
    {&Vectors::min, &Vectors::min_scalar, &Vectors::min_scalar, least},
    {&Vectors::max, &Vectors::max_scalar, &Vectors::max_scalar, most},
};

TEST(vector_f32_numerics, arithmetic_of_special_numbers_is_rounded_once) {
  const std::vector<float>& special = testing::special_floats();
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    std::vector<float> a, b;
    for (size_t i = 0; i < n; ++i) {
      a.push_back(special[(i + n) % special.size()]);
      b.push_back(special[(i * 7 + n / 3) % special.size()]);
    }
    for (const Isa isa : testing::runnable_isas()) {
      const Vectors& k = vector_f32_kernels(isa);
      for (const Between& row : kBetween) {
        std::vector<float> y(n + 1, 7.0f), with(n), of(n);
        (k.*row.rows)(a.data(), b.data(), y.data(), n);
        (k.*row.scalar)(a.data(), b[0], with.data(), n);
        (k.*row.reversed)(a.data(), b[0], of.data(), n);
        for (size_t i = 0; i < n; ++i) {
          CHECK(is_same(y[i], row.exact(a[i], b[i])));
          CHECK(is_same(with[i], row.exact(a[i], b[0])));
          CHECK(is_same(of[i], row.exact(b[0], a[i])));
        }
        CHECK_EQ(y[n], 7.0f);
      }
    }
  }
}

TEST(vector_f32_numerics, sums_of_products_keep_the_bound_at_every_length) {
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    Random random(n);
    std::vector<float> a = random.floats(n), b = random.floats(n), c = random.floats(n);
    c[n / 2] = testing::special_floats()[n % testing::special_floats().size()];
    for (const Isa isa : testing::runnable_isas()) {
      const Vectors& k = vector_f32_kernels(isa);
      std::vector<float> y(n), z = c, t = a;
      k.multiply_add(a.data(), b.data(), c.data(), y.data(), n);
      k.add_scaled(a.data(), 0.3f, z.data(), n);
      k.scale_and_add(t.data(), 0.3f, -1.7f, t.data(), n);
      for (size_t i = 0; i < n; ++i) {
        const double product = static_cast<double>(a[i]) * b[i];
        const double scaled = static_cast<double>(a[i]) * static_cast<double>(0.3f);
        CHECK_WITHIN(y[i], product + c[i], sum_error(1) * (std::fabs(product) + std::fabs(c[i])));
        CHECK_WITHIN(z[i], scaled + c[i], sum_error(1) * (std::fabs(scaled) + std::fabs(c[i])));
        const double moved = static_cast<double>(-1.7f);
        CHECK_WITHIN(t[i], scaled + moved, sum_error(1) * (std::fabs(scaled) + std::fabs(moved)));
      }
    }
  }
}

TEST(vector_f32_numerics, lines_are_added_wherever_they_begin) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t n = 1; n <= testing::kLargestSize; ++n) {
      for (const size_t lines : {0, 1, 3, 7}) {
        const size_t x_line = n + 2, y_line = n + 5;
        const std::vector<float> x = Random(n).floats(lines * x_line);
        const std::vector<float> before = Random(n + 1).floats(lines * y_line);
        std::vector<float> y(before);
        vector_f32_kernels(isa).add_lines(x.data(), x_line, y.data(), y_line, lines, n);
        for (size_t i = 0; i < y.size(); ++i) {
          const size_t line = i / y_line, place = i % y_line;
          CHECK_EQ(y[i], place < n ? before[i] + x[line * x_line + place] : before[i]);
        }
      }
    }
  }
}

TEST(vector_f32_numerics, sums_and_largest_numbers_of_rows_keep_the_bound) {
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    for (const float special : testing::special_floats()) {
      std::vector<float> x = Random(n).floats(n);
      x[n / 2] = special;
      double sum = 0, size = 0;
      float top = -INFINITY;
      for (const float v : x) {
        sum += v;
        size += std::fabs(v);
        top = v > top ? v : top;
      }
      for (const Isa isa : testing::runnable_isas()) {
        CHECK_WITHIN(vector_f32_kernels(isa).sum(x.data(), n), sum, sum_error(n) * size);
        CHECK_EQ(vector_f32_kernels(isa).maximum(x.data(), n), top);
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
