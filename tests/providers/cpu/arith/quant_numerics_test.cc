// SPDX-License-Identifier: MIT
// Quantised rows of every type at every length from 1 to 67 and for special numbers: what the
// formulas give when each operation is rounded once, at every level.
#include <limits>

#include "providers/cpu/arith/quant/quant.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::Random;

int64_t code_of(float v, int32_t zero, int32_t lo, int32_t hi) {
  if (std::isnan(v)) return lo;
  const double rounded = std::nearbyint(static_cast<double>(v)) + zero;
  return static_cast<int64_t>(std::fmin(std::fmax(rounded, lo), hi));
}

std::vector<float> numbers_and_ties(size_t n) {
  std::vector<float> x = Random(n).floats(n, -400, 400);
  const std::vector<float>& special = testing::special_floats();
  for (size_t i = 0; i < n; i += 3) x[i] = special[(i / 3 + n) % special.size()];
  for (size_t i = 1; i < n; i += 5) x[i] = 0.5f + static_cast<float>(i % 9) - 4.0f;  // ties
  return x;
}

template <typename T>
void check_quantise(void (*quantise)(const float*, const QuantisedAs&, T*, size_t),
                    const QuantisedAs& as) {
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    const std::vector<float> x = numbers_and_ties(n);
    std::vector<T> y(n + 1, T(7));
    quantise(x.data(), as, y.data(), n);
    for (size_t i = 0; i < n; ++i) {
      CHECK_EQ(int64_t{y[i]}, code_of(x[i] / as.scale, as.zero, as.lo, as.hi));
    }
    CHECK_EQ(y[n], T(7));
  }
}

template <typename T>
void check_quantise(void (*quantise)(const float*, const QuantisedAs&, T*, size_t)) {
  const int32_t lo = std::numeric_limits<T>::min(), hi = std::numeric_limits<T>::max();
  check_quantise(quantise, {1.0f, 0, lo, hi});
  check_quantise(quantise, {0.3f, (lo + hi) / 2 + 5, lo, hi});
  check_quantise(quantise, {1e-3f, hi, lo, hi});
  check_quantise(quantise, {0x1p-140f, lo, lo, hi});
  check_quantise(quantise, {FLT_MAX, 3, lo, hi});
  check_quantise(quantise, {2.0f, 3, -5 < lo ? lo : -5, 9});
}

TEST(quant_numerics, numbers_of_every_type_are_rounded_half_to_even_and_saturate) {
  for (const Isa isa : testing::runnable_isas()) {
    const QuantKernels& k = quant_kernels(isa);
    check_quantise(k.u8.quantise);
    check_quantise(k.s8.quantise);
    check_quantise(k.quantise_u16);
    check_quantise(k.quantise_s16);
  }
}

template <typename T>
std::vector<T> codes(size_t n, uint64_t seed) {
  Random random(seed);
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>((random.next() << 8) ^ random.next());
  v[0] = std::numeric_limits<T>::min();
  v[n - 1] = std::numeric_limits<T>::max();
  return v;
}

template <typename T>
void check_dequantise(void (*dequantise)(const T*, float, int32_t, float*, size_t)) {
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    const std::vector<T> x = codes<T>(n, n);
    for (const float scale : {0.25f, 1e-3f, FLT_MIN, FLT_MAX}) {
      for (const int32_t zero : {0, 77}) {
        std::vector<float> y(n + 1, 7.0f);
        dequantise(x.data(), scale, zero, y.data(), n);
        for (size_t i = 0; i < n; ++i) {
          // int32 wraps around.
          const auto v = static_cast<int32_t>(int64_t{x[i]} - zero);
          CHECK_EQ(y[i], static_cast<float>(v) * scale);
        }
        CHECK_EQ(y[n], 7.0f);
      }
    }
  }
}

TEST(quant_numerics, codes_of_every_type_are_read_with_one_rounding) {
  for (const Isa isa : testing::runnable_isas()) {
    const QuantKernels& k = quant_kernels(isa);
    check_dequantise(k.u8.dequantise);
    check_dequantise(k.s8.dequantise);
    check_dequantise(k.dequantise_u16);
    check_dequantise(k.dequantise_s16);
    check_dequantise(k.dequantise_s32);
  }
}

template <typename T>
void check_between(const QuantKernelsOf<T>& k, size_t n, size_t a_step, size_t b_step) {
  const std::vector<T> a = codes<T>(n, n), b = codes<T>(n, n + 50);
  const int32_t lo = std::numeric_limits<T>::min(), hi = std::numeric_limits<T>::max();
  BinaryI8 op{a_step, b_step, lo + 10, hi - 40, 0.3f, 0.7f, lo + 128, lo + 5, hi - 5};
  std::vector<T> sum(n), product(n);
  k.add(op, a.data(), b.data(), sum.data(), n);
  op.a_factor = 0.01f;
  k.mul(op, a.data(), b.data(), product.data(), n);
  for (size_t i = 0; i < n; ++i) {
    const int32_t p = a[i * a_step] - op.a_zero, q = b[i * b_step] - op.b_zero;
    const float exact_sum = static_cast<float>(p) * 0.3f + static_cast<float>(q) * 0.7f;
    const float exact_product = static_cast<float>(p * q) * 0.01f;
    CHECK_EQ(int64_t{sum[i]}, code_of(exact_sum, op.zero, op.lo, op.hi));
    CHECK_EQ(int64_t{product[i]}, code_of(exact_product, op.zero, op.lo, op.hi));
  }
}

template <typename T>
void check_byte_rows(const QuantKernelsOf<T>& k) {
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    for (const size_t a_step : {0, 1}) {
      for (const size_t b_step : {0, 1}) check_between(k, n, a_step, b_step);
    }
    const std::vector<T> x = codes<T>(n, n);
    std::vector<int32_t> sums(n, 1000);
    k.accumulate(x.data(), sums.data(), n);
    for (size_t i = 0; i < n; ++i) CHECK_EQ(sums[i], 1000 + x[i]);
  }
}

// Whatever the factors: too large and too small results, and those that are no numbers.
template <typename T>
void check_extremes(const QuantKernelsOf<T>& k) {
  const int32_t lo = std::numeric_limits<T>::min(), hi = std::numeric_limits<T>::max();
  for (const size_t n : {64, 131, 200}) {
    const std::vector<T> a = codes<T>(n, n), b = codes<T>(n, n + 50);
    for (const float factor : {0.5f, -0.5f, 0.0f, 1e30f, -FLT_MAX, INFINITY, NAN}) {
      for (const int32_t zero : {lo, lo + 128, hi}) {
        const BinaryI8 op{1, 1, lo, hi, factor, 0.5f, zero, lo + 3, hi - 9};
        std::vector<T> sum(n), product(n);
        k.add(op, a.data(), b.data(), sum.data(), n);
        k.mul(op, a.data(), b.data(), product.data(), n);
        for (size_t i = 0; i < n; ++i) {
          const int32_t p = a[i] - op.a_zero, q = b[i] - op.b_zero;
          const float exact = static_cast<float>(p) * factor + static_cast<float>(q) * 0.5f;
          CHECK_EQ(int64_t{sum[i]}, code_of(exact, op.zero, op.lo, op.hi));
          CHECK_EQ(int64_t{product[i]},
                   code_of(static_cast<float>(p * q) * factor, op.zero, op.lo, op.hi));
        }
      }
    }
  }
}

TEST(quant_numerics, sums_and_products_of_bytes_saturate_whatever_the_factors) {
  for (const Isa isa : testing::runnable_isas()) {
    check_extremes(quant_kernels(isa).u8);
    check_extremes(quant_kernels(isa).s8);
  }
}

TEST(quant_numerics, rows_of_bytes_follow_their_formulas_at_every_length) {
  for (const Isa isa : testing::runnable_isas()) {
    check_byte_rows(quant_kernels(isa).u8);
    check_byte_rows(quant_kernels(isa).s8);
  }
}

void check_byte_pairs(const QuantKernels& k, size_t n) {
  Random random(n);
  std::vector<float> x = random.floats(n, -3, 3);
  x[n / 2] = 3.0f;
  x[n / 3] = -3.0f;
  const float factor = 32639.0f / 3.0f;
  std::vector<uint8_t> high(n + 1, 7), low(n + 1, 7);
  k.split(x.data(), factor, high.data(), low.data(), n);
  for (size_t i = 0; i < n; ++i) {
    const double q = 256.0 * (high[i] - 128) + (low[i] - 128);
    CHECK(std::fabs(q - double{x[i]} * double{factor}) <= 0.51);
  }
  CHECK_EQ(high[n] + low[n], 14);
  const std::vector<int32_t> a = codes<int32_t>(n, n), b = codes<int32_t>(n, n + 9);
  const std::vector<float> scales = random.floats(n, 0.001f, 1), bias = random.floats(n, -1, 1);
  for (const float* more : {static_cast<const float*>(nullptr), bias.data()}) {
    std::vector<float> y(n + 1, 7.0f);
    k.join(a.data(), b.data(), 1e-7f, scales.data(), more, y.data(), n);
    for (size_t i = 0; i < n; ++i) {
      const float sum = 256.0f * static_cast<float>(a[i]) + static_cast<float>(b[i]);
      const float product = sum * 1e-7f * scales[i];
      CHECK_EQ(y[i], more != nullptr ? product + more[i] : product);
    }
    CHECK_EQ(y[n], 7.0f);
  }
}

TEST(quant_numerics, rows_are_split_into_bytes_and_joined) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t n = 1; n <= 3 * testing::kLargestSize; ++n) check_byte_pairs(quant_kernels(isa), n);
  }
}

TEST(quant_numerics, ranges_ignore_nan_and_know_infinity) {
  for (const Isa isa : testing::runnable_isas()) {
    for (size_t n = 1; n <= 3 * testing::kLargestSize; ++n) {
      const std::vector<float> x = numbers_and_ties(n);
      float lo = 0.0f, hi = 0.0f, least = 0.0f, most = 0.0f;
      quant_kernels(isa).extend_range(x.data(), n, &lo, &hi);
      for (const float v : x) {
        least = v < least ? v : least;
        most = v > most ? v : most;
      }
      CHECK_EQ(lo, least);
      CHECK_EQ(hi, most);
      std::vector<uint8_t> bytes = codes<uint8_t>(n, n), flipped(n + 1, 7);
      quant_kernels(isa).flip(bytes.data(), flipped.data(), n);
      for (size_t i = 0; i < n; ++i) CHECK_EQ(flipped[i], bytes[i] ^ 0x80);
      CHECK_EQ(flipped[n], 7);
      const std::vector<uint8_t> table = codes<uint8_t>(256, n + 3);
      std::vector<uint8_t> found(n + 1, 7);
      quant_kernels(isa).lookup(bytes.data(), table.data(), found.data(), n);
      for (size_t i = 0; i < n; ++i) CHECK_EQ(found[i], table[bytes[i]]);
      CHECK_EQ(found[n], 7);
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
