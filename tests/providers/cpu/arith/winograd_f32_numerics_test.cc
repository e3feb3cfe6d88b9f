// SPDX-License-Identifier: MIT
// Winograd's convolution at every number of channels, pixels and output channels from 1 to 67,
// within its bound, which counts the terms of its own formula; and what special numbers reach.
#include <cstdlib>
#include <memory>

#include "providers/cpu/arith/winograd_f32/winograd_f32.h"
#include "tests/providers/cpu/arith/conv_shapes.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::kUntouched;
using testing::Random;

constexpr double kBt[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
constexpr double kG[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
constexpr double kAt[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};

ConvShape shape_of(size_t in_c, size_t out_c, size_t h, size_t w, size_t pad = 1) {
  return testing::conv_shape(in_c, out_c, h, w, 3, 3, 1, 1, pad);
}

struct Convolution {
  ConvShape shape;
  std::vector<float> x, w, bias, residual;

  explicit Convolution(const ConvShape& s) : shape(s) {
    Random random(s.in_c * 131 + s.out_c + s.in_w * 7);
    x = random.floats(s.batch * s.in_h * s.in_w * s.in_c);
    w = random.floats(s.out_c * s.depth());
    bias = random.floats(s.out_c);
    residual = random.floats(s.pixels() * s.out_c);
  }

  double pixel(size_t image, size_t row, size_t column, size_t c) const {
    const ConvShape& s = shape;
    if (row >= s.in_h || column >= s.in_w) return 0;  // negative ones are huge
    return x[((image * s.in_h + row) * s.in_w + column) * s.in_c + c];
  }

  // The windows as they are, in double.
  double direct(size_t image, size_t oh, size_t ow, size_t co) const {
    const ConvShape& s = shape;
    double sum = bias[co] + residual[((image * s.out_h + oh) * s.out_w + ow) * s.out_c + co];
    for (size_t i = 0; i < 9; ++i) {
      for (size_t c = 0; c < s.in_c; ++c) {
        sum += pixel(image, oh + i / 3 - s.pad_top, ow + i % 3 - s.pad_left, c) *
               static_cast<double>(w[(co * s.in_c + c) * 9 + i]);
      }
    }
    return sum;
  }

  // The sizes of the formula's terms for one element.
  double size(size_t image, size_t oh, size_t ow, size_t co) const {
    const ConvShape& s = shape;
    double sum = std::fabs(bias[co]) +
                 std::fabs(residual[((image * s.out_h + oh) * s.out_w + ow) * s.out_c + co]);
    for (size_t c = 0; c < s.in_c; ++c) {
      for (size_t a = 0; a < 4; ++a) {
        for (size_t b = 0; b < 4; ++b) {
          const double share = std::fabs(kAt[oh % 2][a] * kAt[ow % 2][b]);
          if (share == 0) continue;
          double d = 0, g = 0;
          for (size_t i = 0; i < 16; ++i) {
            d += std::fabs(
                kBt[a][i / 4] * kBt[b][i % 4] *
                pixel(image, oh / 2 * 2 + i / 4 - s.pad_top, ow / 2 * 2 + i % 4 - s.pad_left, c));
          }
          for (size_t i = 0; i < 9; ++i) {
            g += std::fabs(kG[a][i / 3] * kG[b][i % 3] *
                           static_cast<double>(w[(co * s.in_c + c) * 9 + i]));
          }
          sum += share * d * g;
        }
      }
    }
    return sum;
  }
};

struct Free {
  void operator()(void* p) const { std::free(p); }
};

ConvF32 operands(const Convolution& c, const float* packed) {
  ConvF32 conv;
  conv.shape = c.shape;
  conv.x = c.x.data();
  conv.x_ld = c.shape.in_c;
  conv.w = packed;
  conv.y_ld = c.shape.out_c;
  conv.epilogue.bias = c.bias.data();
  conv.epilogue.residual = c.residual.data();
  conv.epilogue.residual_ld = c.shape.out_c;
  return conv;
}

// Runs whole and cut; the bits must be the same.
std::vector<float> run_cut(Isa isa, const Convolution& c) {
  const ConvShape& s = c.shape;
  std::vector<float> packed(winograd_packed_size(s), NAN);
  winograd_pack_weights(s, c.w.data(), 0, s.panels(), packed.data());
  const size_t bytes = (winograd_scratch_bytes(s) + 63) / 64 * 64;
  const std::unique_ptr<void, Free> scratch(std::aligned_alloc(64, bytes));
  std::memset(scratch.get(), 0xFF, bytes);  // NaN
  ConvF32 conv = operands(c, packed.data());
  const size_t tiles = winograd_tiles(s);
  std::vector<float> y(s.pixels() * s.out_c + 1, kUntouched);
  conv.y = y.data();
  winograd_f32_kernels(isa).run(conv, 0, tiles, 0, s.panels(), scratch.get());
  CHECK_EQ(y.back(), kUntouched);
  for (const size_t count : testing::kCuts) {
    std::vector<float> parts(y.size(), kUntouched);
    conv.y = parts.data();
    for (const auto& [t0, t1] : testing::parts_of(tiles, count)) {
      for (const auto& [p0, p1] : testing::parts_of(s.panels(), count)) {
        if (t0 < t1 && p0 < p1) {
          winograd_f32_kernels(isa).run(conv, t0, t1, p0, p1, scratch.get());
        }
      }
    }
    CHECK(testing::same_bytes(y, parts));
  }
  y.pop_back();
  return y;
}

template <typename F>
void for_each_element(const ConvShape& s, const F& f) {
  for (size_t i = 0; i < s.pixels() * s.out_c; ++i) {
    const size_t pixel = i / s.out_c;
    f(i, pixel / s.out_w / s.out_h, pixel / s.out_w % s.out_h, pixel % s.out_w, i % s.out_c);
  }
}

void check_bound(const Convolution& c) {
  const ConvShape& s = c.shape;
  const double share = winograd_f32_error(s.in_c);
  for (const Isa isa : testing::runnable_isas()) {
    const std::vector<float> y = run_cut(isa, c);
    for_each_element(s, [&](size_t i, size_t image, size_t oh, size_t ow, size_t co) {
      CHECK_WITHIN(y[i], c.direct(image, oh, ow, co), share * c.size(image, oh, ow, co));
    });
  }
}

TEST(winograd_f32_numerics, every_number_of_channels_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_bound(Convolution(shape_of(size, 3, 3, 4)));
    check_bound(Convolution(shape_of(3, size, 4, 3)));
  }
  check_bound(Convolution(shape_of(800, 33, 2, 3)));   // two blocks of K
  check_bound(Convolution(shape_of(130, 3, 19, 21)));  // two blocks of tiles
}

TEST(winograd_f32_numerics, every_number_of_pixels_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_bound(Convolution(shape_of(3, 2, size, 3)));
    check_bound(Convolution(shape_of(2, 3, 3, size)));
    if (size >= 3) check_bound(Convolution(shape_of(5, 3, size, 3, 0)));
  }
}

// Padding differs on all sides, and there are several images.
TEST(winograd_f32_numerics, uneven_padding_and_batches_keep_the_bound) {
  for (const size_t top : {0, 1, 2, 4}) {
    for (const size_t left : {0, 1, 3}) {
      ConvShape s = shape_of(5, 7, 6, 5, 0);
      s.batch = 3;
      s.pad_top = top;
      s.pad_left = left;
      s.out_h = 6 + top + 1 - 2;
      s.out_w = 5 + left + 2 - 2;
      check_bound(Convolution(s));
    }
  }
}

// NaN and infinities reach what sees them, and nothing beyond their tiles.
TEST(winograd_f32_numerics, special_numbers_stay_in_the_tiles_that_see_them) {
  for (const float special : {NAN, INFINITY, -INFINITY, FLT_MAX}) {
    Convolution c(shape_of(17, 5, 9, 11));
    constexpr size_t kRow = 4, kColumn = 5;
    c.x[(kRow * 11 + kColumn) * 17 + 3] = special;
    for (const Isa isa : testing::runnable_isas()) {
      const std::vector<float> y = run_cut(isa, c);
      for_each_element(c.shape, [&](size_t i, size_t, size_t oh, size_t ow, size_t co) {
        const auto sees = [](size_t at, size_t special_at) {
          return special_at + 1 >= at / 2 * 2 && special_at + 1 < at / 2 * 2 + 4;
        };
        const double exact = c.direct(0, oh, ow, co);
        if (!std::isfinite(exact)) CHECK(!std::isfinite(y[i]));
        if (std::isnan(exact)) CHECK(std::isnan(y[i]));
        if (!sees(oh, kRow) || !sees(ow, kColumn)) {
          CHECK_WITHIN(y[i], exact, winograd_f32_error(17) * c.size(0, oh, ow, co));
        }
      });
    }
  }
}

std::vector<float> run_direct(Isa isa, const Convolution& c) {
  const ConvShape& s = c.shape;
  std::vector<float> packed(conv_packed_size(s)), y(s.pixels() * s.out_c);
  conv_pack_weights(s, c.w.data(), 0, s.panels(), packed.data());
  const std::unique_ptr<void, Free> scratch(
      std::aligned_alloc(64, (conv_scratch_bytes(s) + 63) / 64 * 64));
  ConvF32 conv = operands(c, packed.data());
  conv.y = y.data();
  conv_f32_kernels(isa).run(conv, 0, s.pixels(), 0, s.panels(), scratch.get());
  return y;
}

double root_mean_square_error(const Convolution& c, const std::vector<float>& y) {
  double squares = 0;
  for_each_element(c.shape, [&](size_t i, size_t image, size_t oh, size_t ow, size_t co) {
    const double error = y[i] - c.direct(image, oh, ow, co);
    squares += error * error;
  });
  return std::sqrt(squares / static_cast<double>(y.size()));
}

// The header's claim, for pixels of both signs and for what an activation leaves.
TEST(winograd_f32_numerics, errors_are_smaller_than_those_of_the_direct_form) {
  Convolution c(shape_of(64, 32, 20, 20));
  for (const bool is_positive : {false, true}) {
    for (float& x : c.x) x = is_positive ? std::fabs(x) : x;
    for (const Isa isa : testing::runnable_isas()) {
      const double direct = root_mean_square_error(c, run_direct(isa, c));
      const double found = root_mean_square_error(c, run_cut(isa, c));
      CHECK(direct > 0 && found > 0 && found < direct);
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
