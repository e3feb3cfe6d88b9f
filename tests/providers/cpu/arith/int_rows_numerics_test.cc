// SPDX-License-Identifier: MIT
// Products with rows of 8-bit and 4-bit integers at every size from 1 to 67 in each dimension and
// with special numbers, within their bound.
#include "providers/cpu/arith/int_rows/int_rows.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::Random;

struct Rows {
  int bits;
  size_t m, columns, count;
  std::vector<uint8_t> rows;
  std::vector<float> x;  // of `columns` for dot(), of `count` for sum()

  Rows(int b, size_t m_, size_t c, size_t n, size_t width) : bits(b), m(m_), columns(c), count(n) {
    Random random(c * 67 + n);
    rows.resize(n * int_row_bytes(b, c));
    for (uint8_t& byte : rows) byte = static_cast<uint8_t>(random.next() >> 5);
    x = random.floats(m * width);
  }
  double at(size_t n, size_t c) const {
    const uint8_t* row = rows.data() + n * int_row_bytes(bits, columns);
    return bits == 8 ? static_cast<int8_t>(row[c]) : (row[c / 2] >> (c % 2 * 4) & 15) - 8;
  }
};

void check_dot(Isa isa, const Rows& r) {
  const auto dot = int_row_kernels(isa, r.bits).dot;
  std::vector<float> y(r.m * r.count + 1, 7.0f);
  IntRowsF32 op{r.x.data(), r.columns, r.m, r.rows.data(), r.columns, y.data(), r.count};
  dot(op, 0, r.count);
  CHECK_EQ(y.back(), 7.0f);
  for (size_t i = 0; i + 1 < y.size(); ++i) {
    double sum = 0, size = 0;
    for (size_t c = 0; c < r.columns; ++c) {
      const double term = r.x[i / r.count * r.columns + c] * r.at(i % r.count, c);
      sum += term;
      size += std::fabs(term);
    }
    CHECK_WITHIN(y[i], sum, int_rows_error(r.columns) * size);
  }
  for (const size_t cuts : testing::kCuts) {
    std::vector<float> parts(y.size(), 7.0f);
    op.y = parts.data();
    for (const auto& [n0, n1] : testing::parts_of(r.count, cuts)) {
      if (n0 < n1) dot(op, n0, n1);
    }
    CHECK(testing::same_bytes(y, parts));
  }
}

void check_sum(Isa isa, const Rows& r) {
  const auto sum_rows = int_row_kernels(isa, r.bits).sum;
  std::vector<float> y(r.m * r.columns + 1, 7.0f);
  const IntRowsF32 op{r.x.data(), r.count, r.m, r.rows.data(), r.columns, y.data(), r.columns};
  sum_rows(op, 0, r.count);
  CHECK_EQ(y.back(), 7.0f);
  for (size_t i = 0; i + 1 < y.size(); ++i) {
    double sum = 0, size = 0;
    for (size_t n = 0; n < r.count; ++n) {
      const double term = r.x[i / r.columns * r.count + n] * r.at(n, i % r.columns);
      sum += term;
      size += std::fabs(term);
    }
    CHECK_WITHIN(y[i], sum, int_rows_error(r.count) * size);
  }
}

TEST(int_rows_numerics, products_of_every_size_keep_the_bound) {
  for (const Isa isa : testing::runnable_isas()) {
    for (const int bits : {8, 4}) {
      for (size_t size = 1; size <= testing::kLargestSize; ++size) {
        check_dot(isa, Rows(bits, 3, size, 9, size));
        check_dot(isa, Rows(bits, 5, 19, size, 19));
        check_dot(isa, Rows(bits, size, 33, 7, 33));
        check_sum(isa, Rows(bits, 3, size, 9, 9));
        check_sum(isa, Rows(bits, 5, 19, size, size));
        check_sum(isa, Rows(bits, size, 33, 7, 7));
      }
    }
  }
}

// An integer is never infinite, but 0 times what is gives NaN, as in the loop.
TEST(int_rows_numerics, special_numbers_reach_their_row_and_no_other) {
  for (const Isa isa : testing::runnable_isas()) {
    for (const int bits : {8, 4}) {
      for (const float special : testing::special_floats()) {
        const float number = std::fabs(special) == FLT_MAX ? special / 1024 : special;
        Rows dot(bits, 5, 35, 11, 35), sum(bits, 5, 35, 11, 11);
        dot.x[2 * 35 + 17] = number;
        sum.x[2 * 11 + 6] = number;
        check_dot(isa, dot);
        check_sum(isa, sum);
      }
    }
  }
}

TEST(int_rows_numerics, integers_are_widened_and_quantised_exactly) {
  for (const int bits : {8, 4}) {
    const float most = bits == 8 ? 127.0f : 7.0f, least = -most - 1;
    for (size_t n = 1; n <= testing::kLargestSize; ++n) {
      std::vector<float> x = Random(n).floats(n, -200, 200);
      x[n / 2] = testing::special_floats()[n % testing::special_floats().size()];
      const float scale = 0.75f;
      Rows r(bits, 1, n, 1, n);
      quantise_int_row(x.data(), &scale, 0, n, bits, r.rows.data());
      for (size_t c = 0; c < n; ++c) {
        const float code = std::nearbyint(x[c] * (1 / scale));
        const float exact = std::isnan(code) ? least : std::min(std::max(code, least), most);
        CHECK_EQ(r.at(0, c), static_cast<double>(exact));
      }
      for (const Isa isa : testing::runnable_isas()) {
        std::vector<float> y(n + 1, 7.0f);
        int_row_kernels(isa, bits).widen(r.rows.data(), n, y.data());
        for (size_t c = 0; c < n; ++c) CHECK_EQ(static_cast<double>(y[c]), r.at(0, c));
        CHECK_EQ(y[n], 7.0f);
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
