// SPDX-License-Identifier: MIT
// Products with few bits, of every level, against sums in double precision.
#include "providers/cpu/arith/nbits/nbits.h"

#include "core/base/float16.h"
#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/providers/cpu/arith/kernel_levels.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using testing::nbits_of_runnable_isas;
using testing::Random;

struct NBitsProblem {
  NBitsShape shape;
  std::vector<uint8_t> q;
  std::vector<float> scale, zero, x, bias;
  std::vector<std::byte> packed;

  explicit NBitsProblem(const NBitsShape& s) : shape(s) {
    Random random(s.k * 31 + s.n);
    q.resize(s.n * s.blocks() * s.block * s.bits / 8);
    for (uint8_t& byte : q) byte = static_cast<uint8_t>(random.next() >> 3);
    scale = random.floats(s.n * s.blocks(), 0.01f, 0.1f);
    for (size_t i = 0; i < scale.size(); ++i) {
      if (s.has_half) scale[i] = half_to_float(float_to_half(scale[i]));
      const int code = static_cast<int>(random.next() % (1u << s.bits));
      zero.push_back(s.has_zero ? static_cast<float>(code - s.middle()) : 0.0f);
    }
    x = random.floats(s.padded_k());
    for (size_t k = s.k; k < x.size(); ++k) x[k] = 0.0f;
    bias = random.floats(s.n);
    packed.resize(s.panels() * s.panel_bytes());
    nbits_pack(s, q.data(), scale.data(), s.has_zero ? zero.data() : nullptr, packed.data());
  }

  double weight(size_t k, size_t n) const {
    const size_t b = k / shape.block, i = k % shape.block;
    const size_t at = n * shape.blocks() + b;
    const uint8_t* codes = &q[at * shape.block * shape.bits / 8];
    const int code = shape.bits == 8 ? codes[i] : codes[i / 2] >> (i % 2 * 4) & 15;
    return (code - shape.middle() - static_cast<double>(zero[at])) * static_cast<double>(scale[at]);
  }
};

// Many rows of 8-bit numbers give the bits of each of them alone.
void check_many_rows(const NBitsProblem& w, const NBitsKernels& kernels, size_t rows) {
  if (kernels.rows_i8 == nullptr) return;
  const NBitsShape& s = w.shape;
  const size_t depth = s.padded_k(), blocks = s.blocks();
  const size_t groups = (rows + kNBitsRows - 1) / kNBitsRows;
  std::vector<int8_t> q(groups * kNBitsRows * depth), row(depth);
  std::vector<float> q_scale(groups * kNBitsRows * blocks), y(rows * s.n, NAN), scale(blocks);
  std::vector<int32_t> q_less(groups * kNBitsRows * blocks), sum(blocks);
  std::vector<float> expected(rows * s.n);
  for (size_t m = 0; m < rows; ++m) {
    std::vector<float> x = w.x;
    for (float& v : x) v *= static_cast<float>(m % 7) - 2.5f;
    std::rotate(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(m % s.k), x.end());
    kernels.quantise(x.data(), s.block, blocks, row.data(), scale.data(), sum.data());
    const size_t r = m % kNBitsRows, first = m - r;
    for (size_t k = 0; k < depth; ++k) {
      q[first * depth + k / 4 * 4 * kNBitsRows + r * 4 + k % 4] = row[k];
    }
    for (size_t b = 0; b < blocks; ++b) {
      q_scale[(first * blocks) + b * kNBitsRows + r] = scale[b];
      q_less[(first * blocks) + b * kNBitsRows + r] = -s.middle() * sum[b];
    }
    kernels.gemv_i8({s, w.packed.data(), nullptr, nullptr, row.data(), scale.data(), sum.data(),
                     w.bias.data(), expected.data() + m * s.n},
                    0, s.panels());
  }
  const NBitsRows all{
      s, w.packed.data(), q.data(), q_scale.data(), q_less.data(), w.bias.data(), y.data(), rows};
  kernels.rows_i8(all, 0, groups / 2, 0, s.panels());
  kernels.rows_i8(all, groups / 2, groups, 0, s.panels() / 2);
  kernels.rows_i8(all, groups / 2, groups, s.panels() / 2, s.panels());
  CHECK(testing::same_bits(y, expected));
}

void check_nbits(const NBitsShape& shape) {
  const NBitsProblem w(shape);
  for (const NBitsKernels* kernels : nbits_of_runnable_isas()) {
    std::vector<int8_t> q(w.x.size());
    std::vector<float> q_scale(shape.blocks()), sums(shape.blocks()), y(shape.n), parts(shape.n);
    std::vector<int32_t> q_sum(shape.blocks());
    kernels->quantise(w.x.data(), shape.block, shape.blocks(), q.data(), q_scale.data(),
                      q_sum.data());
    kernels->sum(w.x.data(), shape.block, shape.blocks(), sums.data());
    for (size_t k = 0; k < q.size(); ++k) {
      CHECK_NEAR(static_cast<double>(q[k]) * static_cast<double>(q_scale[k / shape.block]),
                 static_cast<double>(w.x[k]), 0,
                 static_cast<double>(q_scale[k / shape.block]) * 0.5001);
    }
    for (const bool as_int8 : {false, true}) {
      NBitsProduct product{shape,          w.packed.data(), w.x.data(),    sums.data(), q.data(),
                           q_scale.data(), q_sum.data(),    w.bias.data(), y.data()};
      const auto gemv = as_int8 ? kernels->gemv_i8 : kernels->gemv;
      gemv(product, 0, shape.panels());
      product.y = parts.data();
      for (size_t p = 0; p < shape.panels(); ++p) gemv(product, p, p + 1);
      CHECK(testing::same_bits(y, parts));
      for (size_t n = 0; n < shape.n; ++n) {
        double expected = static_cast<double>(w.bias[n]), size = 1;
        for (size_t k = 0; k < shape.k; ++k) {
          const double x = as_int8 ? q[k] * static_cast<double>(q_scale[k / shape.block])
                                   : static_cast<double>(w.x[k]);
          expected += w.weight(k, n) * x;
          size += std::fabs(w.weight(k, n) * x);
        }
        CHECK_NEAR(static_cast<double>(y[n]), expected, 0, 5e-7 * size);
      }
    }
    for (const size_t rows : {3, 7, 16, 31}) check_many_rows(w, *kernels, rows);
    std::vector<float> panel(shape.k * 32, NAN);
    for (size_t p = 0; p < (shape.n + 31) / 32; ++p) {
      const size_t middle = shape.k / 2 / 16 * 16;  // need not end a block
      kernels->expand(shape, w.packed.data(), p, 0, middle, panel.data());
      kernels->expand(shape, w.packed.data(), p, middle, shape.k, panel.data() + middle * 32);
      for (size_t i = 0; i < panel.size(); ++i) {
        const size_t n = p * 32 + i % 32;
        CHECK_NEAR(static_cast<double>(panel[i]), n < shape.n ? w.weight(i / 32, n) : 0, 1e-6, 0);
      }
    }
  }
}

TEST(nbits, products_agree_with_sums_in_double_precision) {
  for (const uint32_t bits : {4u, 8u}) {
    for (const bool has_zero : {false, true}) {
      check_nbits({32, 16, 32, has_zero, bits});
      check_nbits({77, 70, 16, has_zero, bits});
      check_nbits({100, 33, 64, has_zero, bits});
      check_nbits({300, 5, 128, has_zero, bits});
      check_nbits({19, 1, 256, has_zero, bits});
      check_nbits({77, 70, 16, has_zero, bits, true});
      check_nbits({300, 37, 32, has_zero, bits, true});
      for (const size_t n : {2, 15, 17, 31, 47, 48, 49, 63, 64, 65, 67}) {
        check_nbits({n + 30, n, 32, has_zero, bits});
      }
    }
  }
}

// Every number that float16 has, but infinities and what is not a number: 16 to a panel.
TEST(nbits, scales_of_float16_are_widened_exactly) {
  std::vector<float> scale;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7C00) != 0x7C00) scale.push_back(half_to_float(static_cast<uint16_t>(bits)));
  }
  CHECK(nbits_fit_half(scale.data(), scale.size()));
  const NBitsShape shape{16, scale.size(), 16, false, 4, true};
  const std::vector<uint8_t> q(scale.size() * 8, 0x99);  // ones
  std::vector<std::byte> packed(shape.panels() * shape.panel_bytes());
  nbits_pack(shape, q.data(), scale.data(), nullptr, packed.data());
  std::vector<float> x(16), y(scale.size()), panel(16 * 32);
  x[3] = 1;
  for (const NBitsKernels* kernels : nbits_of_runnable_isas()) {
    NBitsProduct product;
    product.shape = shape;
    product.b = packed.data();
    product.x = x.data();
    product.y = y.data();
    kernels->gemv(product, 0, shape.panels());
    for (size_t n = 0; n < scale.size(); ++n) CHECK(y[n] == scale[n]);
    kernels->expand(shape, packed.data(), 1, 0, 16, panel.data());
    for (size_t n = 0; n < 32; ++n) CHECK(panel[n] == scale[32 + n]);
  }
  for (const float odd : {1.0f + 0x1p-11f, 1e6f, 0x1p-25f, 0.1f}) CHECK(!nbits_fit_half(&odd, 1));
}

// Each number at its end of the range: no sum of pairs saturates.
TEST(nbits, the_largest_numbers_of_8_bits_are_multiplied_exactly) {
  const NBitsShape shape{64, 16, 32, false, 8};
  const std::vector<uint8_t> q(64 * 16, 255);
  const std::vector<float> scale(2 * 16, 1.0f);
  std::vector<std::byte> packed(shape.panels() * shape.panel_bytes());
  nbits_pack(shape, q.data(), scale.data(), nullptr, packed.data());
  const std::vector<int8_t> x(64, -127);
  const std::vector<float> x_scale(2, 1.0f);
  const std::vector<int32_t> x_sum(2, -127 * 32);
  for (const NBitsKernels* kernels : nbits_of_runnable_isas()) {
    std::vector<float> y(16);
    NBitsProduct product{shape,          packed.data(), nullptr, nullptr, x.data(),
                         x_scale.data(), x_sum.data(),  nullptr, y.data()};
    kernels->gemv_i8(product, 0, 1);
    for (const float v : y) CHECK(v == -127.0f * 127.0f * 64.0f);
  }
}

}  // namespace
}  // namespace ortc::cpu
