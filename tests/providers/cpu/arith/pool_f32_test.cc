// SPDX-License-Identifier: MIT
// f32 pooling against plain loops in double precision.

#include "providers/cpu/arith/pool_f32/pool_f32.h"

#include <algorithm>

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using testing::kUntouched;
using testing::Random;

PoolShape make_pool_shape(size_t channels, size_t kernel, size_t stride, size_t dilation,
                          size_t pad, size_t ceil) {
  PoolShape s;
  s.batch = 2;
  s.in_h = 11;
  s.in_w = 10;
  s.channels = channels;
  s.kernel_h = kernel;
  s.kernel_w = kernel + 1;
  s.stride_h = s.stride_w = stride;
  s.dilation_h = s.dilation_w = dilation;
  s.pad_top = s.pad_left = s.pad_right = pad;
  s.pad_bottom = pad + ceil;
  s.out_h =
      (s.in_h + s.pad_top + s.pad_bottom - (s.kernel_h - 1) * dilation - 1 + ceil * (stride - 1)) /
          stride +
      1;
  s.out_w = (s.in_w + 2 * pad - (s.kernel_w - 1) * dilation - 1 + ceil * (stride - 1)) / stride + 1;
  return s;
}

std::vector<PoolShape> all_pool_shapes() {
  std::vector<PoolShape> shapes;
  for (size_t channels : {1, 16, 37, 64}) {
    for (size_t stride : {1, 2, 3}) {
      for (size_t ceil : {0, 1}) {
        shapes.push_back(make_pool_shape(channels, 2, stride, 1, 0, ceil));
        shapes.push_back(make_pool_shape(channels, 3, stride, 1, 1, ceil));
        shapes.push_back(make_pool_shape(channels, 3, stride, 2, 2, ceil));
      }
    }
  }
  return shapes;
}

struct ExactWindow {
  double largest = -INFINITY, sum = 0;
  int inside = 0, padded = 0;
};

ExactWindow exact_window(const PoolShape& s, const std::vector<float>& x, size_t x_ld, size_t pixel,
                         size_t c) {
  const int ow = static_cast<int>(pixel % s.out_w),
            oh = static_cast<int>(pixel / s.out_w % s.out_h);
  const size_t image = pixel / s.out_w / s.out_h;
  const int height = static_cast<int>(s.in_h), width = static_cast<int>(s.in_w);
  ExactWindow e;
  for (size_t i = 0; i < s.kernel_h; ++i) {
    for (size_t j = 0; j < s.kernel_w; ++j) {
      const int h = oh * static_cast<int>(s.stride_h) + static_cast<int>(i * s.dilation_h) -
                    static_cast<int>(s.pad_top);
      const int w = ow * static_cast<int>(s.stride_w) + static_cast<int>(j * s.dilation_w) -
                    static_cast<int>(s.pad_left);
      if (h < height + static_cast<int>(s.pad_bottom) && w < width + static_cast<int>(s.pad_right))
        ++e.padded;
      if (h < 0 || h >= height || w < 0 || w >= width) continue;
      const size_t at = (image * s.in_h + static_cast<size_t>(h)) * s.in_w + static_cast<size_t>(w);
      const double v = x[at * x_ld + c];
      e.largest = std::max(e.largest, v);
      e.sum += v;
      ++e.inside;
    }
  }
  return e;
}

TEST(pool_f32, windows_agree_with_plain_loops) {
  for (const PoolShape& s : all_pool_shapes()) {
    PoolF32 pool;
    pool.shape = s;
    pool.x_ld = s.channels + 1;
    pool.y_ld = s.channels + 2;
    const std::vector<float> x = Random(s.channels).floats(s.batch * s.in_h * s.in_w * pool.x_ld);
    pool.x = x.data();
    const size_t rows = s.batch * s.out_h;
    for (Isa isa : testing::runnable_isas()) {
      const PoolF32Kernels& kernels = pool_f32_kernels(isa);
      for (int mode = 0; mode < 3; ++mode) {
        std::vector<float> y(rows * s.out_w * pool.y_ld, kUntouched);
        pool.y = y.data();
        pool.count_include_pad = mode == 2;
        for (size_t r = 0; r < rows; r += 3) {
          (mode == 0 ? kernels.max : kernels.average)(pool, r, std::min(rows, r + 3));
        }
        for (size_t q = 0; q < rows * s.out_w; ++q) {
          for (size_t c = 0; c < s.channels; ++c) {
            const ExactWindow e = exact_window(s, x, pool.x_ld, q, c);
            const int count = std::max(1, mode == 2 ? e.padded : e.inside);
            const float got = y[q * pool.y_ld + c];
            if (mode == 0) {
              CHECK_EQ(static_cast<double>(got), e.largest);
            } else {
              CHECK_NEAR(got, e.sum / count, 1e-6, 1e-6);
            }
          }
          for (size_t c = s.channels; c < pool.y_ld; ++c) CHECK(y[q * pool.y_ld + c] == kUntouched);
        }
      }
    }
  }
}

TEST(pool_f32, the_global_average_agrees_with_plain_loops) {
  Random random(5);
  for (size_t channels : {1, 15, 16, 70, 200}) {
    for (size_t pixels : {1, 2, 49, 100}) {
      const std::vector<float> x = random.floats(pixels * (channels + 3), 1, 2);
      for (Isa isa : testing::runnable_isas()) {
        std::vector<float> y(channels + 1, kUntouched);
        std::vector<float> parts = y;
        const PoolF32Kernels& kernels = pool_f32_kernels(isa);
        kernels.global_average(x.data(), channels + 3, pixels, 0, channels, y.data());
        kernels.global_average(x.data(), channels + 3, pixels, 0, channels / 2, parts.data());
        kernels.global_average(x.data(), channels + 3, pixels, channels / 2, channels,
                               parts.data());
        CHECK(testing::same_bits(y, parts));
        CHECK(y[channels] == kUntouched);
        for (size_t c = 0; c < channels; ++c) {
          double sum = 0;
          for (size_t p = 0; p < pixels; ++p) sum += x[p * (channels + 3) + c];
          CHECK_NEAR(y[c], sum / static_cast<double>(pixels), 1e-6, 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
