// SPDX-License-Identifier: MIT
// Lines of pools of every type with special numbers at every length from 1 to 67.
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/float16.h"
#include "providers/cpu/arith/pool_lines/pool_lines.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::is_same;

// Floats: special ones among random ones; integers: the whole range.
template <typename T>
std::vector<T> numbers_of_all_kinds(size_t n, uint64_t seed) {
  testing::Random random(seed);
  std::vector<T> v(n);
  for (T& x : v) {
    const uint32_t draw = random.next();
    if constexpr (std::is_floating_point_v<T>) {
      const std::vector<float>& special = testing::special_floats();
      x = draw % 7 == 0 ? static_cast<T>(special[draw / 7 % special.size()])
                        : static_cast<T>(random.in(-2, 2));
    } else {
      x = static_cast<T>(draw);
    }
  }
  return v;
}

template <typename T>
using Join = std::function<T(T x, T joined)>;

// Of a number that is joined to nothing. Floats stay what they are, NaN too, which others lose.
template <typename T>
T first_of(const Join<T>& join, T start, T x) {
  return std::is_floating_point_v<T> ? x : join(x, start);
}

template <typename T>
void check_line_join(const PoolLines<T>& lines, const Join<T>& join, T start) {
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    for (size_t rows = 1; rows <= 5; rows += 2) {
      const size_t pitch = n + 3;
      const std::vector<T> x = numbers_of_all_kinds<T>(rows * pitch, n),
                           before = numbers_of_all_kinds<T>(n + 1, n + 100);
      for (const bool adds : {false, true}) {
        std::vector<T> y = before;
        lines.join(x.data(), pitch, rows, adds, y.data(), n);
        for (size_t i = 0; i < n; ++i) {
          T exact = adds ? first_of(join, start, before[i]) : start;
          for (size_t row = 0; row < rows; ++row) exact = join(x[row * pitch + i], exact);
          CHECK(is_same(y[i], exact));
        }
        CHECK(is_same(y[n], before[n]));
      }
    }
  }
}

// Each element joined to the neutral one, which only NaN shows.
template <typename T>
void check_move(const PoolLines<T>& lines, const Join<T>& join, T start) {
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    constexpr size_t kRows = 3;
    const size_t from = n + 2, to = n + 5;
    const std::vector<T> x = numbers_of_all_kinds<T>(kRows * from, n);
    std::vector<T> y(kRows * to, T(3));
    lines.move(x.data(), from, y.data(), to, kRows, n);
    for (size_t i = 0; i < kRows * to; ++i) {
      const size_t row = i / to, column = i % to;
      CHECK(is_same(y[i], column < n ? join(x[row * from + column], start) : T(3)));
    }
  }
}

template <typename T>
void check_window(const PoolLines<T>& lines, const Join<T>& join, T start, size_t kernel,
                  size_t stride, size_t dilation, size_t n) {
  const std::vector<T> x =
      numbers_of_all_kinds<T>((n - 1) * stride + (kernel - 1) * dilation + 1, n * 31 + kernel);
  std::vector<T> y(n + 1, T(3));
  lines.window(x.data(), kernel, stride, dilation, y.data(), n);
  for (size_t o = 0; o < n; ++o) {
    T exact = first_of(join, start, x[o * stride]);
    for (size_t k = 1; k < kernel; ++k) exact = join(x[o * stride + k * dilation], exact);
    CHECK(is_same(y[o], exact));
  }
  CHECK_EQ(y[n], T(3));
}

// Windows that move by two, with what lies beside the image on either side; lines of no row, of
// one, two and three.
void check_both(const PoolLines<float>& lines, const Join<float>& join, float start, size_t width,
                size_t kernel, size_t before) {
  constexpr size_t kLines = 4;
  const size_t step = width + 1, n = (width + before + kernel) / 2;
  const std::vector<float> x = numbers_of_all_kinds<float>(2 * kLines * step, width * 31 + kernel);
  const LineRows rows[kLines] = {{0, 0, 1}, {step, 1, 1}, {2 * step, 2, 2}, {step, 3, 3}};
  std::vector<float> y(kLines * n + 1, 3.0f), means = y, counts(n);
  for (size_t o = 0; o < n; ++o) counts[o] = static_cast<float>(1 + o % 4);
  lines.both(x.data(), step, rows, kLines, width, before, kernel, nullptr, y.data(), n);
  lines.both(x.data(), step, rows, kLines, width, before, kernel, counts.data(), means.data(), n);
  for (size_t i = 0; i < kLines * n; ++i) {
    const LineRows& line = rows[i / n];
    float exact = start;
    for (size_t k = 0; k < kernel; ++k) {
      float joined = start;
      const size_t column = 2 * (i % n) + k - before;  // beyond `width` if before the image
      for (size_t row = 0; row < line.count && column < width; ++row) {
        joined = join(x[line.first + row * step + column], joined);
      }
      exact = join(joined, exact);
    }
    CHECK(is_same(y[i], exact));
    CHECK(is_same(means[i], exact / (counts[i % n] * line.divisor)));
  }
  CHECK_EQ(y[kLines * n], 3.0f);
  CHECK_EQ(means[kLines * n], 3.0f);
}

void check_every_both(const PoolLines<float>& lines, const Join<float>& join, float start) {
  for (size_t width = 1; width <= 2 * testing::kLargestSize; ++width) {
    for (size_t kernel = 2; kernel <= 5; ++kernel) {
      for (size_t before = 0; before <= kernel; ++before) {
        check_both(lines, join, start, width, kernel, before);
      }
    }
  }
}

template <typename T>
void check_every_line(const PoolLines<T>& lines, const Join<T>& join, T start) {
  check_line_join(lines, join, start);
  check_move(lines, join, start);
  if constexpr (std::is_same_v<T, float>) check_every_both(lines, join, start);
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    for (const size_t stride : {1, 2, 3, 4, 7, 300}) {
      for (const size_t dilation : {1, 2}) {
        for (const size_t kernel : {1, 2, 3, 4, 5}) {
          check_window(lines, join, start, kernel, stride, dilation, size);
        }
        check_window(lines, join, start, size, stride, dilation, 9);
      }
    }
  }
}

template <typename T>
void check_largest(const PoolLines<T>& lines) {
  using Limits = std::numeric_limits<T>;
  const T start = Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::min();
  check_every_line<T>(
      lines, [](T x, T joined) { return x > joined ? x : joined; }, start);
}

TEST(pool_lines_numerics, the_largest_of_every_type_is_exact) {
  for (const Isa isa : testing::runnable_isas()) {
    const PoolLinesKernels& k = pool_lines_kernels(isa);
    check_largest(k.max_f32);
    check_largest(k.max_f64);
    check_largest(k.max_i8);
    check_largest(k.max_u8);
  }
}

// Of 16-bit floats, whose zeros are in order too.
void check_largest_bits(const PoolLines<uint16_t>& lines, float (*value)(uint16_t),
                        uint16_t start) {
  const auto is_above = [value](uint16_t x, uint16_t y) {
    const float a = value(x), b = value(y);
    return a > b || (a == 0 && b == 0 && !std::signbit(a) && std::signbit(b));
  };
  check_every_line<uint16_t>(
      lines, [&](uint16_t x, uint16_t joined) { return is_above(x, joined) ? x : joined; }, start);
}

TEST(pool_lines_numerics, the_largest_of_sixteen_bit_floats_is_exact) {
  for (const Isa isa : testing::runnable_isas()) {
    const PoolLinesKernels& k = pool_lines_kernels(isa);
    check_largest_bits(k.max_f16, half_to_float, 0xfc00);
    check_largest_bits(k.max_bf16, bfloat16_to_float, 0xff80);
  }
}

// Sums are rounded once a tap, in the order of the taps: the same bits everywhere.
TEST(pool_lines_numerics, sums_are_those_of_the_taps_in_order) {
  for (const Isa isa : testing::runnable_isas()) {
    const PoolLinesKernels& k = pool_lines_kernels(isa);
    check_every_line<float>(
        k.sum_f32, [](float x, float joined) { return joined + x; }, 0.0f);
    check_every_line<double>(
        k.sum_f64, [](double x, double joined) { return joined + x; }, 0.0);
  }
}

TEST(pool_lines_numerics, means_are_rounded_as_their_formula_says) {
  for (size_t n = 1; n <= testing::kLargestSize; ++n) {
    std::vector<float> sums = numbers_of_all_kinds<float>(n, n), counts(n);
    for (size_t i = 0; i < n; ++i) counts[i] = static_cast<float>(1 + i % 4);
    const std::vector<double> sums64(sums.begin(), sums.end());
    const std::vector<double> counts64(counts.begin(), counts.end());
    for (const Isa isa : testing::runnable_isas()) {
      std::vector<float> y(n + 1, 3.0f), in_place = sums;
      std::vector<double> y64(n + 1, 3.0);
      const PoolLinesKernels& k = pool_lines_kernels(isa);
      k.mean_f32(sums.data(), counts.data(), 3.0f, y.data(), n);
      k.mean_f32(in_place.data(), counts.data(), 3.0f, in_place.data(), n);
      k.mean_f64(sums64.data(), counts64.data(), 3.0, y64.data(), n);
      for (size_t i = 0; i < n; ++i) {
        CHECK(is_same(y[i], sums[i] / (counts[i] * 3.0f)));
        CHECK(is_same(in_place[i], y[i]));
        CHECK(is_same(y64[i], sums64[i] / (counts64[i] * 3.0)));
      }
      CHECK_EQ(y[n], 3.0f);
      CHECK_EQ(y64[n], 3.0);
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
