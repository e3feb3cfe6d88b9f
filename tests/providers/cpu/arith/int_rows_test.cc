// SPDX-License-Identifier: MIT
// Products with rows of 8-bit and 4-bit integers of every level against sums in double precision.
#include "providers/cpu/arith/int_rows/int_rows.h"

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using testing::Random;
using testing::runnable_isas;
using testing::same_bits;

constexpr size_t kColumns[] = {1, 2, 7, 8, 15, 16, 33, 64, 65, 80, 128};
constexpr size_t kCounts[] = {1, 5, 67, 300};

struct Ints {
  int bits;
  size_t columns, count;
  std::vector<uint8_t> rows;  // exactly as long as they are

  Ints(int b, size_t c, size_t n) : bits(b), columns(c), count(n) {
    Random random(c * 7 + n);
    rows.resize(n * int_row_bytes(b, c));
    for (uint8_t& byte : rows) byte = static_cast<uint8_t>(random.next() >> 5);
  }
  double at(size_t n, size_t c) const {
    const uint8_t* row = rows.data() + n * int_row_bytes(bits, columns);
    return bits == 8 ? static_cast<int8_t>(row[c]) : (row[c / 2] >> (c % 2 * 4) & 15) - 8;
  }
};

template <typename Check>
void for_all(const Check& check) {
  for (const Isa isa : runnable_isas()) {
    for (const int bits : {8, 4}) {
      for (const size_t columns : kColumns) {
        for (const size_t count : kCounts) {
          check(int_row_kernels(isa, bits), Ints(bits, columns, count));
        }
      }
    }
  }
}

TEST(int_rows, dot_is_the_product_of_each_row_however_it_is_divided) {
  for_all([](const IntRowKernels& kernels, const Ints& ints) {
    constexpr size_t kM = 7;
    const std::vector<float> x = Random(3).floats(kM * ints.columns);
    std::vector<float> y(kM * ints.count, NAN), parts(y);
    const IntRowsF32 op{x.data(),     ints.columns, kM,        ints.rows.data(),
                        ints.columns, y.data(),     ints.count};
    kernels.dot(op, 0, ints.count);
    for (size_t m = 0; m < kM; ++m) {
      for (size_t n = 0; n < ints.count; ++n) {
        double sum = 0, size = 1;
        for (size_t c = 0; c < ints.columns; ++c) {
          const double term = double{x[m * ints.columns + c]} * ints.at(n, c);
          sum += term, size += std::abs(term);
        }
        CHECK_NEAR(double{y[m * ints.count + n]}, sum, 0, 1e-6 * size);
      }
    }
    for (size_t m = 0; m < kM; ++m) {
      IntRowsF32 one = op;
      one.x = op.x + m * op.ldx, one.m = 1, one.y = parts.data() + m * op.ldy;
      for (size_t n = 0; n < ints.count; n += 3) kernels.dot(one, n, std::min(n + 3, ints.count));
    }
    CHECK(same_bits(y, parts));
  });
}

TEST(int_rows, sum_weighs_the_rows_and_leaves_out_those_in_front) {
  for_all([](const IntRowKernels& kernels, const Ints& ints) {
    constexpr size_t kM = 7;
    const size_t first = ints.count / 4;
    const std::vector<float> x = Random(4).floats(kM * ints.count);
    std::vector<float> y(kM * ints.columns, NAN), parts(y);
    const IntRowsF32 op{x.data(),     ints.count, kM,          ints.rows.data(),
                        ints.columns, y.data(),   ints.columns};
    kernels.sum(op, first, ints.count);
    for (size_t m = 0; m < kM; ++m) {
      for (size_t c = 0; c < ints.columns; ++c) {
        double sum = 0, size = 1;
        for (size_t n = first; n < ints.count; ++n) {
          const double term = double{x[m * ints.count + n]} * ints.at(n, c);
          sum += term, size += std::abs(term);
        }
        CHECK_NEAR(double{y[m * ints.columns + c]}, sum, 0, 1e-6 * size);
      }
      IntRowsF32 one = op;
      one.x = op.x + m * op.ldx, one.m = 1, one.y = parts.data() + m * op.ldy;
      kernels.sum(one, first, ints.count);
    }
    CHECK(same_bits(y, parts));
  });
}

TEST(int_rows, widen_gives_the_numbers) {
  for_all([](const IntRowKernels& kernels, const Ints& ints) {
    std::vector<float> y(ints.columns, NAN);
    const size_t last = ints.count - 1;
    kernels.widen(ints.rows.data() + last * int_row_bytes(ints.bits, ints.columns), ints.columns,
                  y.data());
    for (size_t c = 0; c < ints.columns; ++c) CHECK_EQ(double{y[c]}, ints.at(last, c));
  });
}

TEST(int_rows, quantise_rounds_to_even_and_clamps) {
  const float x[] = {0.5f, 1.5f, -2.5f, 1000.0f, -1000.0f, 3.0f, NAN};
  const float one[] = {1.0f}, each[] = {1.0f, 0.5f, 0.0f, 10.0f, 100.0f, -1.0f, 1.0f};
  uint8_t row[7];
  const auto bytes = [&] { return std::vector<int>(row, row + 7); };
  quantise_int_row(x, one, 0, 7, 8, row);
  CHECK_EQ(bytes(), (std::vector<int>{0, 2, 254, 127, 128, 3, 128}));
  quantise_int_row(x, each, 1, 7, 8, row);
  CHECK_EQ(bytes(), (std::vector<int>{0, 3, 254, 100, 246, 253, 128}));
  uint8_t halves[4];
  quantise_int_row(x, one, 0, 7, 4, halves);
  CHECK_EQ(std::vector<int>(halves, halves + 4), (std::vector<int>{0xA8, 0xF6, 0xB0, 0x80}));
}

}  // namespace
}  // namespace ortc::cpu
