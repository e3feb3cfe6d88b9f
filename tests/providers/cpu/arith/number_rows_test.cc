// SPDX-License-Identifier: MIT
// Number rows against plain loops, for all sizes up to some vectors.
#include "providers/cpu/arith/number_rows/number_rows.h"

#include <algorithm>
#include <limits>

#include "providers/cpu/elements/element.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::kLargestSize;

// Any bits, and every third one near an end of the range.
template <typename T>
std::vector<T> integers(size_t n, uint64_t seed) {
  testing::Random random(seed);
  std::vector<T> v(n);
  for (size_t i = 0; i < n; ++i) {
    v[i] = static_cast<T>(uint64_t{random.next()} << 32 ^ random.next());
    if (i % 3 == 0) {  // unsigned, so that it may wrap around
      const auto most = static_cast<uint64_t>(std::numeric_limits<T>::max());
      v[i] = static_cast<T>(most + (static_cast<uint64_t>(v[i]) & 3) - 1);
    }
  }
  return v;
}

template <typename T, typename Exact>
void check_join(NumberRowsKernels::Join<T> join, Exact exact) {
  for (size_t n = 0; n <= 2 * kLargestSize; ++n) {
    const auto a = integers<T>(n + 1, n), b = integers<T>(n + 1, n + 100);
    for (const bool a_moves : {false, true}) {
      for (const bool b_moves : {false, true}) {
        std::vector<T> expected(n + 1, T(42)), y = expected;
        for (size_t i = 0; i < n; ++i) {
          expected[i] = static_cast<T>(exact(a[a_moves ? i : 0], b[b_moves ? i : 0]));
        }
        join(a.data(), a_moves, b.data(), b_moves, y.data(), n);
        CHECK(y == expected);
        if (!b_moves) continue;  // in place
        y = b;
        join(a.data(), a_moves, y.data(), true, y.data(), n);
        expected[n] = b[n];
        CHECK(y == expected);
      }
    }
  }
}

// Every other element of a is read; b's rows have one element that is not.
template <typename T>
void check_product(const NumberRowsKernels::Arithmetic<T>& rows) {
  for (size_t n = 0; n <= kLargestSize; ++n) {
    for (const size_t k : {size_t{0}, size_t{1}, size_t{5}, n}) {
      const std::vector<T> a = integers<T>(2 * k + 1, n), b = integers<T>(k * (n + 1), n + 1);
      std::vector<T> y(n + 1, T(42)), expected = y;
      for (size_t j = 0; j < n; ++j) {
        expected[j] = 0;
        for (size_t i = 0; i < k; ++i) expected[j] += a[2 * i] * b[i * (n + 1) + j];
      }
      rows.product(a.data(), 2, b.data(), n + 1, k, y.data(), n);
      CHECK(y == expected);
    }
  }
}

template <typename T>
void check_arithmetic(const NumberRowsKernels::Arithmetic<T>& rows) {
  check_join<T>(rows.add, [](T a, T b) { return a + b; });
  check_join<T>(rows.subtract, [](T a, T b) { return a - b; });
  check_join<T>(rows.multiply, [](T a, T b) { return a * b; });
  check_product(rows);
}

TEST(number_rows, join_integers_that_wrap_around) {
  for (Isa isa : testing::runnable_isas()) {
    const NumberRowsKernels& k = number_rows_kernels(isa);
    check_arithmetic(k.u32);
    check_arithmetic(k.u64);
  }
}

template <typename T>
void check_extremes(const NumberRowsKernels::Extremes<T>& rows) {
  check_join<T>(rows.smaller, [](T a, T b) { return std::min(a, b); });
  check_join<T>(rows.larger, [](T a, T b) { return std::max(a, b); });
}

TEST(number_rows, choose_the_smaller_or_the_larger_signed_integer) {
  for (Isa isa : testing::runnable_isas()) {
    const NumberRowsKernels& k = number_rows_kernels(isa);
    check_extremes(k.i32);
    check_extremes(k.i64);
  }
}

// Random numbers between special ones: those that fit nowhere, infinities, NaN.
template <typename From>
std::vector<From> edge_numbers(size_t n) {
  if constexpr (std::is_floating_point_v<From>) {
    std::vector<float> v = testing::Random(n).floats(n);
    const auto& special = testing::special_floats();
    const float ends[] = {2147483520.0f, 2147483648.0f, -2147483648.0f, -2147483904.0f, 1e10f,
                          9.3e18f,       -9.3e18f,      9.2e18f,        16777217.0f,    -0.99f};
    for (size_t i = 0; i < n; i += 3) v[i] = special[(i + n) % special.size()];
    for (size_t i = 1; i < n; i += 3) v[i] = ends[(i + n) % std::size(ends)];
    return v;
  } else {
    return integers<From>(n, n);
  }
}

template <typename From, typename To>
void check_convert(NumberRowsKernels::Convert rows) {
  if (rows == nullptr) return;
  for (size_t n = 0; n <= kLargestSize; ++n) {
    const std::vector<From> x = edge_numbers<From>(n);
    std::vector<To> y(n + 1, To(42)), expected = y;
    for (size_t i = 0; i < n; ++i) expected[i] = convert<To>(x[i]);
    rows(x.data(), y.data(), static_cast<int64_t>(n));
    CHECK(y == expected);
  }
}

TEST(number_rows, convert_as_single_numbers_are_converted) {
  for (Isa isa : testing::runnable_isas()) {
    const NumberRowsKernels& k = number_rows_kernels(isa);
    check_convert<int32_t, float>(k.i32_to_f32);
    check_convert<int64_t, float>(k.i64_to_f32);
    check_convert<float, int32_t>(k.f32_to_i32);
    check_convert<float, int64_t>(k.f32_to_i64);
    check_convert<int64_t, int32_t>(k.i64_to_i32);
    check_convert<int32_t, int64_t>(k.i32_to_i64);
  }
}

}  // namespace
}  // namespace ortc::cpu
