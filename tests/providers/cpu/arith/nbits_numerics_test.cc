// SPDX-License-Identifier: MIT
// 4-bit products at every size from 1 to 67 in each dimension and with special numbers, within
// their bound.
#include "providers/cpu/arith/nbits/nbits.h"
#include "tests/providers/cpu/arith/kernel_levels.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::nbits_of_runnable_isas;
using testing::Random;

struct CodedWeights {
  NBitsShape shape;
  std::vector<uint8_t> q;
  std::vector<float> scale, zero, x, bias;
  std::vector<std::byte> packed;

  explicit CodedWeights(const NBitsShape& s) : shape(s) {
    Random random(s.k * 67 + s.n);
    q.resize(s.n * s.blocks() * s.block * s.bits / 8);
    for (uint8_t& byte : q) byte = static_cast<uint8_t>(random.next() >> 3);
    scale = random.floats(s.n * s.blocks(), -0.1f, 0.1f);
    for (size_t i = 0; i < scale.size(); ++i) {
      const auto middle = static_cast<float>(s.middle());
      zero.push_back(s.has_zero ? static_cast<float>(random.next() % 16) - middle / 2 : 0.0f);
    }
    x = random.floats(s.padded_k());
    std::fill(x.begin() + static_cast<std::ptrdiff_t>(s.k), x.end(), 0.0f);
    bias = random.floats(s.n);
    packed.resize(s.panels() * s.panel_bytes());
    nbits_pack(s, q.data(), scale.data(), s.has_zero ? zero.data() : nullptr, packed.data());
  }

  // Less the middle.
  int number(size_t k, size_t n) const {
    const size_t first = (n * shape.blocks() + k / shape.block) * shape.block;
    const size_t at = first + k % shape.block;
    const int code = shape.bits == 8 ? q[at] : q[at / 2] >> (at % 2 * 4) & 15;
    return code - shape.middle();
  }

  // Sum of the terms and of their sizes, for x as it is or as its codes stand for it.
  std::pair<double, double> exact(size_t n, const std::vector<double>& of) const {
    double sum = bias[n], size = std::fabs(bias[n]);
    for (size_t k = 0; k < shape.k; ++k) {
      const size_t at = n * shape.blocks() + k / shape.block;
      const double by = static_cast<double>(scale[at]) * of[k], less = zero[at];
      const double weight = number(k, n) - less;
      sum += weight * by;
      size += (std::fabs(weight) + std::fabs(less)) * std::fabs(by);
    }
    return {sum, size};
  }
};

void check_nbits_product(const CodedWeights& w, const NBitsKernels& kernels, bool as_codes) {
  const NBitsShape& s = w.shape;
  std::vector<int8_t> q(s.padded_k());
  std::vector<float> q_scale(s.blocks()), sums(s.blocks()), y(s.n + 1, 7.0f);
  std::vector<int32_t> q_sum(s.blocks());
  kernels.quantise(w.x.data(), s.block, s.blocks(), q.data(), q_scale.data(), q_sum.data());
  kernels.sum(w.x.data(), s.block, s.blocks(), sums.data());
  std::vector<double> of(s.padded_k());
  for (size_t k = 0; k < of.size(); ++k) {
    of[k] = as_codes ? q[k] * static_cast<double>(q_scale[k / s.block]) : w.x[k];
  }
  NBitsProduct product{s,        w.packed.data(), w.x.data(),   sums.data(),
                       q.data(), q_scale.data(),  q_sum.data(), w.bias.data(),
                       y.data()};
  const auto gemv = as_codes ? kernels.gemv_i8 : kernels.gemv;
  gemv(product, 0, s.panels());
  CHECK_EQ(y[s.n], 7.0f);
  for (size_t n = 0; n < s.n; ++n) {
    const auto [sum, size] = w.exact(n, of);
    CHECK_WITHIN(y[n], sum, nbits_error(s.block, s.blocks()) * size);
  }
  for (const size_t count : testing::kCuts) {
    std::vector<float> parts(y.size(), 7.0f);
    product.y = parts.data();
    for (const auto& [p0, p1] : testing::parts_of(s.panels(), count)) gemv(product, p0, p1);
    CHECK(testing::same_bytes(y, parts));
  }
}

void check_products(const NBitsShape& shape) {
  const CodedWeights w(shape);
  for (const NBitsKernels* kernels : nbits_of_runnable_isas()) {
    check_nbits_product(w, *kernels, false);
    check_nbits_product(w, *kernels, true);
  }
}

TEST(nbits_numerics, products_of_every_size_keep_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    for (const bool has_zero : {false, true}) {
      for (const size_t block : {16, 32, 128}) {
        check_products({size, 5, block, has_zero});
        check_products({size + 128, 19, block, has_zero});
        check_products({51, size, block, has_zero});
        check_products({size, 5, block, has_zero, 8});
      }
    }
  }
}

TEST(nbits_numerics, special_numbers_reach_every_column) {
  for (const float special : testing::special_floats()) {
    CodedWeights w({70, 21, 32, false});
    const bool is_largest = std::fabs(special) == FLT_MAX;  // sums come before the scale
    w.x[40] = is_largest ? special / 256 : special;
    for (const NBitsKernels* kernels : nbits_of_runnable_isas()) {
      check_nbits_product(w, *kernels, false);
    }
  }
}

// Codes are the nearest of the block's 255, and their sum is exact. A scale that is subnormal has
// the error that such numbers have.
TEST(nbits_numerics, numbers_become_the_nearest_codes) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    for (const float range : {1.0f, 1e-30f, 1e30f, 3e-37f, 1e-38f, 1e-41f}) {
      const size_t block = 16 * (size % 3 + 1), count = size;
      std::vector<float> x = Random(size).floats(block * count, -range, range);
      std::fill_n(x.begin(), block, 0.0f);
      x[block - 1] = -0.0f;
      for (const NBitsKernels* kernels : nbits_of_runnable_isas()) {
        std::vector<int8_t> q(x.size());
        std::vector<float> scale(count);
        std::vector<int32_t> sum(count);
        kernels->quantise(x.data(), block, count, q.data(), scale.data(), sum.data());
        for (size_t b = 0; b < count; ++b) {
          int32_t exact = 0;
          for (size_t i = b * block; i < (b + 1) * block; ++i) {
            exact += q[i];
            CHECK_WITHIN(static_cast<double>(q[i]) * static_cast<double>(scale[b]), x[i],
                         static_cast<double>(scale[b]) * (0.5 + 0x1p-15) + 127 * 0x1p-150);
          }
          CHECK_EQ(sum[b], exact);
        }
      }
    }
  }
}

// Codes have no infinity, and its neighbours would all be the same code.
TEST(nbits_numerics, numbers_that_are_not_finite_make_their_row_no_number) {
  for (const float special : {INFINITY, -INFINITY, NAN}) {
    CodedWeights w({70, 21, 32, false});
    w.x[40] = special;
    const NBitsShape& s = w.shape;
    for (const NBitsKernels* kernels : nbits_of_runnable_isas()) {
      std::vector<int8_t> q(w.x.size());
      std::vector<float> scale(s.blocks()), y(s.n);
      std::vector<int32_t> sum(s.blocks());
      kernels->quantise(w.x.data(), s.block, s.blocks(), q.data(), scale.data(), sum.data());
      CHECK(std::isfinite(scale[0]) && std::isnan(scale[1]) && std::isfinite(scale[2]));
      kernels->gemv_i8({s, w.packed.data(), nullptr, nullptr, q.data(), scale.data(), sum.data(),
                        w.bias.data(), y.data()},
                       0, s.panels());
      for (const float number : y) CHECK(std::isnan(number));
    }
  }
}

// As many rows as there are sizes have the bits of each of them alone.
TEST(nbits_numerics, many_rows_have_the_bits_of_one) {
  for (const NBitsKernels* kernels : nbits_of_runnable_isas()) {
    if (kernels->rows_i8 == nullptr) continue;
    for (size_t rows = 1; rows <= testing::kLargestSize; ++rows) {
      constexpr size_t kBlocks[] = {32, 16, 32, 48, 128};
      const CodedWeights w(
          {rows + 30, 35, kBlocks[rows % 5], rows % 2 == 0, rows % 3 == 0 ? 8u : 4u});
      const NBitsShape& s = w.shape;
      const size_t depth = s.padded_k(), blocks = s.blocks();
      const size_t groups = (rows + kNBitsRows - 1) / kNBitsRows, room = groups * kNBitsRows;
      std::vector<int8_t> q(room * depth), row(depth);
      std::vector<float> q_scale(room * blocks), y(rows * s.n), scale(blocks), expected(y.size());
      std::vector<int32_t> q_less(room * blocks), sum(blocks);
      for (size_t m = 0; m < rows; ++m) {
        std::vector<float> x = w.x;
        for (float& v : x) v *= static_cast<float>(m % 7) - 2.5f;
        kernels->quantise(x.data(), s.block, blocks, row.data(), scale.data(), sum.data());
        const size_t r = m % kNBitsRows, first = m - r;
        for (size_t k = 0; k < depth; ++k) {
          q[first * depth + k / 4 * 4 * kNBitsRows + r * 4 + k % 4] = row[k];
        }
        for (size_t b = 0; b < blocks; ++b) {
          q_scale[first * blocks + b * kNBitsRows + r] = scale[b];
          q_less[first * blocks + b * kNBitsRows + r] = -s.middle() * sum[b];
        }
        kernels->gemv_i8({s, w.packed.data(), nullptr, nullptr, row.data(), scale.data(),
                          sum.data(), w.bias.data(), expected.data() + m * s.n},
                         0, s.panels());
      }
      const NBitsRows all{
          s,   w.packed.data(), q.data(), q_scale.data(), q_less.data(), w.bias.data(), y.data(),
          rows};
      for (const auto& [g0, g1] : testing::parts_of(groups, 2)) {
        kernels->rows_i8(all, g0, g1, 0, s.panels());
      }
      CHECK(testing::same_bytes(y, expected));
    }
  }
}

TEST(nbits_numerics, panels_hold_each_weight_within_two_roundings) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    for (const bool has_zero : {false, true}) {
      const CodedWeights w({size, 70 - size, 16, has_zero});
      const NBitsShape& s = w.shape;
      for (const NBitsKernels* kernels : nbits_of_runnable_isas()) {
        for (size_t p = 0; p < (s.n + 31) / 32; ++p) {
          std::vector<float> panel(s.k * 32, NAN);
          kernels->expand(s, w.packed.data(), p, 0, s.k, panel.data());
          for (size_t i = 0; i < panel.size(); ++i) {
            const size_t n = p * 32 + i % 32, k = i / 32;
            if (n >= s.n) {
              CHECK_EQ(panel[i], 0.0f);
              continue;
            }
            const size_t at = n * s.blocks() + k / s.block;
            const double exact = (w.number(k, n) - double{w.zero[at]}) * double{w.scale[at]};
            CHECK_WITHIN(panel[i], exact, 2 * kRoundingF32 * std::fabs(exact));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
