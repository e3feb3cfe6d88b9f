// SPDX-License-Identifier: MIT
// f32 pools, channels last, at every size from 1 to 67 in each dimension and with special numbers,
// within their bound.
#include "providers/cpu/arith/pool_f32/pool_f32.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::Random;

PoolShape pool_shape(size_t channels, size_t h, size_t w, size_t kernel_h, size_t kernel_w,
                     size_t stride, size_t dilation, size_t pad) {
  PoolShape s;
  s.channels = channels;
  s.in_h = h;
  s.in_w = w;
  s.kernel_h = kernel_h;
  s.kernel_w = kernel_w;
  s.stride_h = s.stride_w = stride;
  s.dilation_h = s.dilation_w = dilation;
  s.pad_top = s.pad_left = s.pad_bottom = s.pad_right = pad;
  s.out_h = (h + 2 * pad - (kernel_h - 1) * dilation - 1) / stride + 1;
  s.out_w = (w + 2 * pad - (kernel_w - 1) * dilation - 1) / stride + 1;
  return s;
}

// Nothing about the two axes is equal.
PoolShape uneven_pool_shape(size_t channels, size_t h, size_t w) {
  PoolShape s = pool_shape(channels, h, w, 3, 2, 1, 1, 0);
  s.stride_h = 2;
  s.stride_w = 3;
  s.dilation_h = 3;
  s.dilation_w = 2;
  s.pad_top = 3;
  s.pad_left = 1;
  s.pad_bottom = 1;
  s.pad_right = 2;
  s.out_h = (h + 4 - 6 - 1) / 2 + 1;
  s.out_w = (w + 3 - 2 - 1) / 3 + 1;
  return s;
}

struct Window {
  double sum = 0, size = 0;
  float largest = -INFINITY;
  size_t inside = 0;
};

Window window_at(const PoolShape& s, const std::vector<float>& x, size_t pixel, size_t c) {
  Window window;
  for (size_t i = 0; i < s.kernel_h; ++i) {
    for (size_t j = 0; j < s.kernel_w; ++j) {
      const size_t row = pixel / s.out_w * s.stride_h + i * s.dilation_h - s.pad_top;
      const size_t column = pixel % s.out_w * s.stride_w + j * s.dilation_w - s.pad_left;
      if (row >= s.in_h || column >= s.in_w) continue;  // negative ones are huge
      const float v = x[(row * s.in_w + column) * s.channels + c];
      window.sum += v;
      window.size += std::fabs(v);
      window.largest = v > window.largest ? v : window.largest;
      ++window.inside;
    }
  }
  return window;
}

void check_pool(const PoolShape& s, float special) {
  std::vector<float> x = Random(s.channels + s.in_w * 67).floats(s.in_h * s.in_w * s.channels);
  x[x.size() / 2] = special;
  PoolF32 pool;
  pool.shape = s;
  pool.x = x.data();
  pool.x_ld = pool.y_ld = s.channels;
  for (const Isa isa : testing::runnable_isas()) {
    const PoolF32Kernels& k = pool_f32_kernels(isa);
    for (const int mode : {0, 1, 2}) {  // the largest, means without and with padding
      const auto run = mode == 0 ? k.max : k.average;
      pool.count_include_pad = mode == 2;
      std::vector<float> y(s.out_h * s.out_w * s.channels + 1, 7.0f);
      pool.y = y.data();
      run(pool, 0, s.out_h);
      CHECK_EQ(y.back(), 7.0f);
      for (size_t i = 0; i + 1 < y.size(); ++i) {
        const Window window = window_at(s, x, i / s.channels, i % s.channels);
        const size_t taps = s.kernel_h * s.kernel_w;
        const auto count =
            static_cast<double>(std::max<size_t>(1, mode == 2 ? taps : window.inside));
        if (mode == 0) {
          CHECK_WITHIN(y[i], window.largest, 0);
        } else {
          CHECK_WITHIN(y[i], window.sum / count, pool_error(taps) * window.size / count + 0x1p-150);
        }
      }
      for (const size_t cuts : testing::kCuts) {
        std::vector<float> parts(y.size(), 7.0f);
        pool.y = parts.data();
        for (const auto& [r0, r1] : testing::parts_of(s.out_h, cuts)) run(pool, r0, r1);
        CHECK(testing::same_bytes(y, parts));
      }
    }
  }
}

TEST(pool_f32_numerics, every_size_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_pool(pool_shape(size, 5, 7, 3, 3, 2, 1, 1), 0.5f);
    check_pool(pool_shape(5, size, 3, 2, 3, 1, 1, 1), 0.5f);
    check_pool(pool_shape(3, 3, size, 3, 2, 1, 1, 1), 0.5f);
    check_pool(pool_shape(17, 1, size + 4, 1, size, 1, 1, 0), 0.5f);
    check_pool(pool_shape(3, size + 4, 1, size, 1, 3, 1, 0), 0.5f);
    check_pool(pool_shape(9, 7, size + 4, 3, 3, 1, 2, 1), 0.5f);
  }
}

TEST(pool_f32_numerics, uneven_windows_keep_the_bound) {
  for (size_t size = 3; size <= testing::kLargestSize; ++size) {
    check_pool(uneven_pool_shape(size, 7, 5), 0.5f);
    check_pool(uneven_pool_shape(5, size, 8), 0.5f);
    check_pool(uneven_pool_shape(19, 6, size), 0.5f);
  }
}

TEST(pool_f32_numerics, special_numbers_reach_the_windows_that_see_them_and_no_others) {
  for (const float special : testing::special_floats()) {
    for (const size_t channels : {1, 16, 35})
      check_pool(pool_shape(channels, 7, 7, 3, 3, 1, 1, 1), special);
  }
}

TEST(pool_f32_numerics, global_means_keep_the_bound_at_every_size) {
  const auto check_mean = [](size_t channels, size_t pixels, float special) {
    std::vector<float> x = Random(channels * 67 + pixels).floats(pixels * channels);
    x[pixels / 2 * channels + channels / 2] = special;
    for (const Isa isa : testing::runnable_isas()) {
      const auto run = pool_f32_kernels(isa).global_average;
      std::vector<float> y(channels + 1, 7.0f);
      run(x.data(), channels, pixels, 0, channels, y.data());
      CHECK_EQ(y[channels], 7.0f);
      for (size_t c = 0; c < channels; ++c) {
        double sum = 0, size = 0;
        for (size_t p = 0; p < pixels; ++p) {
          sum += x[p * channels + c];
          size += std::fabs(x[p * channels + c]);
        }
        const auto count = static_cast<double>(pixels);
        CHECK_WITHIN(y[c], sum / count, pool_error(pixels) * size / count + 0x1p-150);
      }
      for (const size_t cuts : testing::kCuts) {
        std::vector<float> parts(y.size(), 7.0f);
        for (const auto& [c0, c1] : testing::parts_of(channels, cuts)) {
          run(x.data(), channels, pixels, c0, c1, parts.data());
        }
        CHECK(testing::same_bytes(y, parts));
      }
    }
  };
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_mean(size, 9, 0.5f);
    check_mean(19, size, 0.5f);
  }
  for (const float special : testing::special_floats()) check_mean(35, 49, special);
}

}  // namespace
}  // namespace ortc::cpu
