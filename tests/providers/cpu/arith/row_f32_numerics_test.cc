// SPDX-License-Identifier: MIT
// Softmax and normalisations of vector_f32 at every length from 1 to 67, and at the ends of what
// floats hold, within their bounds.
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using Vectors = VectorF32Kernels;
using testing::Random;

void check_softmax(const std::vector<float>& x, float scale, const float* mask) {
  const size_t n = x.size();
  double top = -INFINITY, total = 0, largest = 0;
  std::vector<double> v(n);
  for (size_t i = 0; i < n; ++i) {
    v[i] = static_cast<double>(x[i]) * scale + (mask != nullptr ? mask[i] : 0.0f);
    top = std::max(top, v[i]);
    if (std::isfinite(v[i])) largest = std::max(largest, std::fabs(v[i]));
  }
  for (const double u : v) total += std::exp(u - top);
  for (const Isa isa : testing::runnable_isas()) {
    std::vector<float> y(n), logs(n), in_place = x;
    const Vectors& k = vector_f32_kernels(isa);
    k.softmax(x.data(), scale, mask, y.data(), n);
    k.softmax(in_place.data(), scale, mask, in_place.data(), n);
    CHECK(testing::same_bytes(y, in_place));
    for (size_t i = 0; i < n; ++i) {
      const double exact = std::exp(v[i] - top) / total;
      CHECK_WITHIN(y[i], exact, softmax_error(n, largest) * exact + FLT_MIN);
    }
    if (mask != nullptr || scale != 1.0f) continue;
    k.log_softmax(x.data(), logs.data(), n);
    for (size_t i = 0; i < n; ++i) {
      const double exact = v[i] - top - std::log(total);
      CHECK_WITHIN(logs[i], exact, log_softmax_error(n) * (1 + std::fabs(exact)));
    }
  }
}

TEST(row_f32_numerics, softmax_keeps_its_bound_at_every_length) {
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    Random random(n);
    for (const float range : {1.0f, 30.0f, 200.0f}) {
      const std::vector<float> x = random.floats(n, -range, range);
      std::vector<float> mask = random.floats(n, -2, 2);
      check_softmax(x, 1.0f, nullptr);
      check_softmax(x, 0.125f, nullptr);
      check_softmax(x, 0.3f, mask.data());
      if (n > 2) mask[n / 2] = -INFINITY;
      check_softmax(x, 1.0f, mask.data());
    }
  }
}

// Denormal ones take some processors a hundred times longer, here and in the product that follows.
TEST(row_f32_numerics, softmax_gives_zeros_and_normal_numbers) {
  for (const Isa isa : testing::runnable_isas()) {
    std::vector<float> x(testing::kLargestSize), y(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = -2.0f * static_cast<float>(i);
    vector_f32_kernels(isa).softmax(x.data(), 1.0f, nullptr, y.data(), x.size());
    for (const float share : y) CHECK(share == 0.0f || share > 0.999f * FLT_MIN);
    CHECK_EQ(y.back(), 0.0f);
  }
}

TEST(row_f32_numerics, softmax_of_the_largest_numbers_does_not_overflow) {
  for (const size_t n : {1, 5, 33}) {
    for (const float v : {FLT_MAX, -FLT_MAX, FLT_MIN, 0x1p-149f, -0.0f}) {
      std::vector<float> x(n, v);
      check_softmax(x, 1.0f, nullptr);
      if (n > 1) x[1] = 1.0f;
      check_softmax(x, 1.0f, nullptr);
    }
    std::vector<float> x(n, 2.0f);
    x[n - 1] = NAN;
    check_softmax(x, 1.0f, nullptr);
    x[n - 1] = -INFINITY;
    if (n > 1) check_softmax(x, 1.0f, nullptr);
  }
}

struct Row {
  std::vector<float> x, skip, scale, bias;
  bool is_rms;
  float epsilon;
};

void check_norm(const Row& r) {
  const size_t n = r.x.size();
  std::vector<double> t(n);
  double mean = 0, squares = 0;
  for (size_t i = 0; i < n; ++i) {
    // t itself is a float that is given away.
    t[i] = r.skip.empty() ? r.x[i] : r.x[i] + r.skip[i];
    mean += t[i];
  }
  mean = r.is_rms ? 0 : mean / static_cast<double>(n);
  for (const double v : t) squares += (v - mean) * (v - mean);
  const double variance = squares / static_cast<double>(n) + static_cast<double>(r.epsilon);
  const double inverse = 1 / std::sqrt(variance);
  double largest = std::fabs(mean);
  for (const double v : t) largest = std::max(largest, std::fabs(v));
  for (const Isa isa : testing::runnable_isas()) {
    std::vector<float> y(n, 7), sum(n, 7);
    NormRowF32 row;
    row.x = r.x.data();
    row.skip = r.skip.empty() ? nullptr : r.skip.data();
    row.scale = r.scale.data();
    row.bias = r.bias.data();
    row.sum = sum.data();
    row.y = y.data();
    row.n = n;
    row.epsilon = r.epsilon;
    const Vectors& k = vector_f32_kernels(isa);
    const NormStatsF32 stats = r.is_rms ? k.rms_norm(row) : k.layer_norm(row);
    const double share = norm_error(n) * largest * inverse;
    CHECK_WITHIN(stats.mean, mean, norm_error(n) * largest);
    CHECK_WITHIN(stats.inverse, inverse, norm_error(n) * (1 + largest * inverse) * inverse);
    for (size_t i = 0; i < n; ++i) {
      CHECK_WITHIN(sum[i], t[i], 0);
      const double normal = (t[i] - mean) * inverse, exact = normal * r.scale[i] + r.bias[i];
      // An error of the deviation is one of each result.
      const double slack = share * std::fabs(r.scale[i]) * (1 + std::fabs(normal)) +
                           norm_error(n) * (std::fabs(exact) + std::fabs(r.bias[i]));
      CHECK_WITHIN(y[i], exact, slack);
    }
  }
}

TEST(row_f32_numerics, normalisations_keep_their_bound_at_every_length) {
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    Random random(n);
    for (const float middle : {0.0f, 3.0f, 100.0f}) {
      for (const bool is_rms : {false, true}) {
        Row row{random.floats(n, middle - 1, middle + 1),
                random.floats(n),
                random.floats(n, -3, 3),
                random.floats(n),
                is_rms,
                1e-3f};
        check_norm(row);
        row.skip.clear();
        check_norm(row);
      }
    }
  }
}

// Rows that stand as columns, each with a scale and a bias of its own; one has a special number.
void check_norm_columns(Isa isa, size_t n, size_t columns, float middle, float special) {
  const float epsilon = 1e-3f;
  Random random(n * 71 + columns);
  std::vector<float> x = random.floats(n * columns, middle - 1, middle + 1);
  if (special != 0) x[n / 2 * columns + columns / 2] = special;
  const std::vector<float> scale = random.floats(columns, -3, 3), bias = random.floats(columns);
  std::vector<float> y(x);
  y.push_back(7.0f);
  vector_f32_kernels(isa).layer_norm_columns(y.data(), n, columns, epsilon, scale.data(),
                                             bias.data());
  CHECK_EQ(y.back(), 7.0f);
  for (size_t j = 0; j < columns; ++j) {
    double mean = 0, squares = 0, largest = 0;
    for (size_t i = 0; i < n; ++i) mean += double{x[i * columns + j]} / static_cast<double>(n);
    for (size_t i = 0; i < n; ++i) {
      const double v = x[i * columns + j];
      squares += (v - mean) * (v - mean);
      largest = std::max(largest, std::fabs(v));
    }
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(n) + double{epsilon});
    const double share = norm_error(n) * largest * inverse;
    for (size_t i = 0; i < n; ++i) {
      const double normal = (x[i * columns + j] - mean) * inverse;
      const double exact = normal * scale[j] + bias[j];
      const double slack = share * std::fabs(scale[j]) * (1 + std::fabs(normal)) +
                           norm_error(n) * (std::fabs(exact) + std::fabs(bias[j]));
      CHECK_WITHIN(y[i * columns + j], exact, slack);
    }
  }
}

TEST(row_f32_numerics, normalised_columns_keep_the_bound_at_every_size) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t size = 1; size <= testing::kLargestSize; ++size) {
      for (const float middle : {0.0f, 3.0f, 100.0f}) {
        check_norm_columns(isa, size, 19, middle, 0);
        check_norm_columns(isa, 4, size, middle, 0);
        check_norm_columns(isa, 1, size, middle, 0);
      }
      for (const float special : {NAN, INFINITY, -INFINITY}) {
        check_norm_columns(isa, 5, size, 1, special);
      }
    }
  }
}

TEST(row_f32_numerics, a_row_of_equal_numbers_is_normalised_to_its_bias) {
  for (const size_t n : {1, 16, 67}) {
    for (const float v : {0.0f, 1.0f, -3.5f, 0x1p-149f}) {
      check_norm({std::vector<float>(n, v),
                  {},
                  std::vector<float>(n, 2.0f),
                  std::vector<float>(n, 0.25f),
                  false,
                  1e-5f});
    }
  }
}

TEST(row_f32_numerics, a_row_with_nan_or_infinity_is_nan) {
  for (const size_t n : {1, 7, 33}) {
    for (const float special : {NAN, INFINITY, -INFINITY}) {
      std::vector<float> x(n, 1.0f);
      x[n / 2] = special;
      check_norm({x, {}, std::vector<float>(n, 2.0f), std::vector<float>(n, 1.0f), false, 1e-5f});
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
