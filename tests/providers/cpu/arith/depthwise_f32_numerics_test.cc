// SPDX-License-Identifier: MIT
// f32 depthwise convolutions, and those of groups of a few channels, at every number of groups,
// columns and taps from 1 to 67 and with special numbers, within their bound.
#include "providers/cpu/arith/depthwise_f32/depthwise_f32.h"
#include "tests/providers/cpu/arith/conv_shapes.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::Convolution;
using testing::kUntouched;

ConvShape depthwise_shape(size_t channels, size_t h, size_t w, size_t kernel_h, size_t kernel_w,
                          size_t stride, size_t dilation, size_t pad, size_t group = 1) {
  return testing::conv_shape(channels * group, channels * group, h, w, kernel_h, kernel_w, stride,
                             dilation, pad, channels);
}

ConvShape uneven_depthwise_shape(size_t channels, size_t h, size_t w, size_t group = 1) {
  return testing::uneven_conv_shape(channels * group, channels * group, h, w, channels);
}

void check_depthwise(const Convolution& c, const ActivationF32& activation = {}) {
  const ConvShape& s = c.shape;
  std::vector<float> packed(c.w.size());
  depthwise_pack_weights(s, c.w.data(), packed.data());
  ConvF32 conv;
  conv.shape = s;
  conv.x = c.x.data();
  conv.x_ld = s.in_c;
  conv.w = packed.data();
  conv.y_ld = s.out_c;
  conv.epilogue.bias = c.bias.data();
  conv.epilogue.activation = activation;
  for (const Isa isa : testing::runnable_isas()) {
    const auto run = depthwise_f32_kernels(isa).run;
    std::vector<float> y(s.pixels() * s.out_c + 1, kUntouched);
    conv.y = y.data();
    run(conv, 0, s.out_h, 0, s.out_c);
    CHECK_EQ(y.back(), kUntouched);
    for (size_t i = 0; i + 1 < y.size(); ++i) {
      const auto [sum, size] = c.exact(i / s.out_c, i % s.out_c);
      const double exact = testing::activate(activation, sum);
      CHECK_WITHIN(y[i], exact,
                   kActivationSlope * conv_f32_error(s.depth()) * size +
                       kActivationError * (std::fabs(sum) + std::fabs(exact)));
    }
    for (const size_t count : testing::kCuts) {
      std::vector<float> parts(y.size(), kUntouched);
      conv.y = parts.data();
      for (const auto& [r0, r1] : testing::parts_of(s.out_h, count)) {
        for (const auto& [g0, g1] : testing::parts_of(s.groups, count)) {
          run(conv, r0, r1, g0 * s.group_out(), g1 * s.group_out());
        }
      }
      CHECK(testing::same_bytes(y, parts));
    }
  }
}

TEST(depthwise_f32_numerics, every_number_of_channels_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_depthwise(Convolution(depthwise_shape(size, 5, 7, 3, 3, 1, 1, 1)));
    check_depthwise(Convolution(depthwise_shape(size, 5, 7, 3, 3, 2, 1, 1)));
    check_depthwise(Convolution(depthwise_shape(size, 7, 6, 5, 5, 1, 1, 2)));
    check_depthwise(Convolution(depthwise_shape(size, 6, 9, 3, 3, 1, 2, 2)));
    check_depthwise(Convolution(depthwise_shape(size, 3, 5, 2, 4, 1, 1, 0)));
  }
}

TEST(depthwise_f32_numerics, every_size_of_image_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_depthwise(Convolution(depthwise_shape(5, 3, size, 3, 3, 1, 1, 1)));
    check_depthwise(Convolution(depthwise_shape(17, size, 3, 3, 3, 1, 1, 1)));
    check_depthwise(Convolution(depthwise_shape(19, 5, size, 3, 3, 2, 1, 1)));
    check_depthwise(Convolution(depthwise_shape(3, 5, size, 5, 5, 3, 1, 2)));
  }
}

TEST(depthwise_f32_numerics, every_number_of_taps_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_depthwise(Convolution(depthwise_shape(7, 1, size + 4, 1, size, 1, 1, 0)));
    check_depthwise(Convolution(depthwise_shape(33, size + 3, 1, size, 1, 1, 1, 0)));
    check_depthwise(Convolution(depthwise_shape(3, 1, 5, 1, size, 1, 1, size / 2)));
  }
}

TEST(depthwise_f32_numerics, uneven_windows_keep_the_bound) {
  for (size_t size = 3; size <= testing::kLargestSize; ++size) {
    check_depthwise(Convolution(uneven_depthwise_shape(size, 7, 5)));
    check_depthwise(Convolution(uneven_depthwise_shape(5, size, 8)));
    check_depthwise(Convolution(uneven_depthwise_shape(19, 6, size)));
  }
}

TEST(depthwise_f32_numerics, groups_of_few_channels_keep_the_bound) {
  for (const size_t group : {2, 4, 8}) {
    for (size_t size = 1; size <= testing::kLargestSize; size += 1 + size / 12) {
      check_depthwise(Convolution(depthwise_shape(size, 4, 9, 3, 3, 1, 1, 1, group)));
      check_depthwise(Convolution(depthwise_shape(size, 5, 7, 3, 3, 2, 1, 1, group)));
      check_depthwise(Convolution(depthwise_shape(3, 3, size, 3, 3, 1, 1, 1, group)));
      check_depthwise(Convolution(depthwise_shape(5, 3, size, 1, 1, 1, 1, 0, group)));
      check_depthwise(Convolution(depthwise_shape(3, 1, size + 4, 1, size, 1, 1, 0, group)));
      check_depthwise(Convolution(uneven_depthwise_shape(size, 7, 8, group)));
    }
  }
}

TEST(depthwise_f32_numerics, special_numbers_reach_the_windows_that_see_them_and_no_others) {
  for (const float special : testing::special_floats()) {
    for (const size_t channels : {1, 15, 33}) {
      for (const size_t group : {1, 2, 4, 8}) {
        Convolution c(depthwise_shape(channels, 7, 9, 3, 3, 1, 1, 1, group));
        c.x[((3 * 9 + 4) * channels + channels / 2) * group + group / 2] = special;
        check_depthwise(c);
        check_depthwise(c, {Activation::kRelu, 0, 0, 0});
        check_depthwise(c, {Activation::kClip, 0, 6, 0});
      }
    }
  }
}

TEST(depthwise_f32_numerics, activations_keep_their_bound) {
  for (const ActivationF32& activation : testing::all_activations()) {
    check_depthwise(Convolution(depthwise_shape(21, 6, 7, 3, 3, 1, 1, 1)), activation);
  }
}

}  // namespace
}  // namespace ortc::cpu
