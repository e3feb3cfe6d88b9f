// SPDX-License-Identifier: MIT
// Lines of pools against plain loops.
#include "providers/cpu/arith/pool_lines/pool_lines.h"

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

template <typename T>
std::vector<T> small_numbers(size_t n) {
  testing::Random random(n);
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(random.next() % 200);
  return v;
}

template <typename T, typename Join>
void check_lines(const PoolLines<T>& lines, Join join) {
  for (size_t n = 1; n <= 67; ++n) {
    const size_t pitch = n + 2;
    const std::vector<T> x = small_numbers<T>(4 * pitch), before = small_numbers<T>(n + 1);
    for (size_t rows = 1; rows <= 4; ++rows) {
      for (const bool adds : {false, true}) {
        std::vector<T> y = before;
        lines.join(x.data(), pitch, rows, adds, y.data(), n);
        for (size_t i = 0; i < n; ++i) {
          T exact = adds ? join(x[i], before[i]) : x[i];
          for (size_t row = 1; row < rows; ++row) exact = join(x[row * pitch + i], exact);
          CHECK_EQ(y[i], exact);
        }
        CHECK_EQ(y[n], before[n]);
      }
    }
    std::vector<T> moved(3 * (n + 1), T(1));
    lines.move(x.data(), pitch, moved.data(), n + 1, 3, n);
    for (size_t i = 0; i < moved.size(); ++i) {
      CHECK_EQ(moved[i], i % (n + 1) == n ? T(1) : x[i / (n + 1) * pitch + i % (n + 1)]);
    }
    for (size_t kernel : {1, 2, 3, 5}) {
      for (size_t stride : {1, 2, 3}) {
        for (size_t dilation : {1, 2}) {
          const size_t reach = (n - 1) * stride + (kernel - 1) * dilation + 1;
          const std::vector<T> line = small_numbers<T>(reach);
          std::vector<T> result(n + 1, T(1));
          lines.window(line.data(), kernel, stride, dilation, result.data(), n);
          for (size_t o = 0; o < n; ++o) {
            T exact = line[o * stride];
            for (size_t k = 1; k < kernel; ++k)
              exact = join(line[o * stride + k * dilation], exact);
            CHECK_EQ(result[o], exact);
          }
          CHECK_EQ(result[n], T(1));
        }
      }
    }
  }
}

TEST(pool_lines, are_joined_as_plain_loops_join_them) {
  const auto largest = [](auto x, auto y) { return std::max(x, y); };
  const auto sum = [](auto x, auto y) { return y + x; };
  for (Isa isa : testing::runnable_isas()) {
    const PoolLinesKernels& k = pool_lines_kernels(isa);
    check_lines(k.max_f32, largest);
    check_lines(k.max_f64, largest);
    check_lines(k.max_i8, largest);
    check_lines(k.max_u8, largest);
    check_lines(k.sum_f32, sum);
    check_lines(k.sum_f64, sum);
  }
}

TEST(pool_lines, the_largest_ignores_what_is_not_a_number) {
  for (Isa isa : testing::runnable_isas()) {
    const PoolLinesKernels& k = pool_lines_kernels(isa);
    for (size_t n = 1; n <= 40; ++n) {
      const std::vector<float> x(n, NAN);
      std::vector<float> y(n, -INFINITY);
      k.max_f32.join(x.data(), 0, 2, true, y.data(), n);
      for (float v : y) CHECK_EQ(v, -INFINITY);
      k.max_f32.join(x.data(), 0, 1, false, y.data(), n);
      for (float v : y) CHECK_EQ(v, -INFINITY);
      k.max_f32.move(x.data(), 0, y.data(), n, 1, n);
      for (float v : y) CHECK_EQ(v, -INFINITY);
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
